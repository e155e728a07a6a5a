// SPDX-License-Identifier: GPL-2.0
/*
 * Room "remote": the one way to work on a context from elsewhere.
 *
 * Purpose: a context is loaded on one CPU or nowhere. What is to be done to
 * it is sent to that CPU, or done here under its lock.
 *
 * Owns: nothing that outlives a call.
 *
 * Contexts: task, may sleep; the function runs with interrupts off.
 *
 * Locking: the caller holds ctx->mutex or another guarantee that the events it
 * wants to touch belong to @ctx. The function runs under the CPU context's
 * lock and ctx->lock.
 *
 * Race, a task that moves while it is being called:
 *  1. the caller reads loaded_cpu == 1 and sends the function to CPU 1;
 *  2. the task is switched out there: loaded_cpu becomes "none";
 *  3. the handler on CPU 1 finds another context loaded and does nothing;
 *  4. the caller looks again: "none", takes ctx->lock and looks once more.
 *     loaded_cpu changes under that lock only, so the function runs here, and
 *     the task's next switch waits for it.
 *
 * Race, a call comes while its CPU counts what software reports:
 *  1. the walk over a list of events (of a tracepoint, say) has come to one;
 *  2. the handler takes these events out and puts others in their place, at the
 *     head of the list, or the same ones in another order;
 *  3. the walk goes on from where it was, past what it has not told yet, or back
 *     to what it has. So the handler does nothing where it interrupts a walk, and
 *     the caller comes again.
 */
#include <linux/smp.h>
#include "context.h"
#include "recursion.h"
#include "remote.h"

struct perf_remote_call {
	struct perf_event_context	*ctx;
	perf_ctx_fn			fn;
	void				*arg;
	int				ret;
	bool				done;
};

static void perf_remote_run_oncpu(struct perf_remote_call *call)
{
	struct perf_event_context *ctx = call->ctx, *task_ctx;
	struct perf_cpu_context *cpuctx;

	lockdep_assert_irqs_disabled();
	cpuctx = perf_ctx_loaded_oncpu(ctx);
	if (!cpuctx)
		return;
	task_ctx = cpuctx->task_ctx;
	perf_ctx_lock_pair(cpuctx, task_ctx);
	call->ret = call->fn(ctx, cpuctx, call->arg);
	call->done = true;
	perf_ctx_unlock_pair(cpuctx, task_ctx);
}

static void perf_remote_ipi(void *info)
{
	if (!perf_recursion_is_interrupted())
		perf_remote_run_oncpu(info);
}

static void perf_remote_run_unloaded(struct perf_remote_call *call)
{
	struct perf_event_context *ctx = call->ctx;

	guard(raw_spinlock_irqsave)(&ctx->lock);
	if (ctx->loaded_cpu != PERF_CPU_NONE)
		return;
	call->ret = call->fn(ctx, NULL, call->arg);
	call->done = true;
}

/**
 * perf_ctx_call - run a function where a context is loaded
 * @ctx: context
 * @fn: function; gets this CPU's context, or NULL when @ctx is loaded nowhere
 * @arg: its argument
 *
 * Context: task, interrupts on.
 * Return: what @fn returns.
 */
int perf_ctx_call(struct perf_event_context *ctx, perf_ctx_fn fn, void *arg)
{
	struct perf_remote_call call = { .ctx = ctx, .fn = fn, .arg = arg };

	for (;;) {
		int cpu = READ_ONCE(ctx->loaded_cpu);

		if (cpu == PERF_CPU_NONE) {
			perf_remote_run_unloaded(&call);
		} else if (cpu == raw_smp_processor_id()) {
			guard(irqsave)();
			perf_remote_run_oncpu(&call);
		} else {
			smp_call_function_single(cpu, perf_remote_ipi, &call, 1);
		}
		if (call.done)
			return call.ret;
		cond_resched();
	}
}

struct perf_remote_cpu_call {
	int	(*fn)(void *arg);
	void	*arg;
	int	ret;
};

static void perf_remote_cpu_ipi(void *info)
{
	struct perf_remote_cpu_call *call = info;

	call->ret = call->fn(call->arg);
}

/**
 * perf_cpu_call - run a function on a CPU and get its answer
 * @cpu: CPU
 * @fn: function, called with interrupts off
 * @arg: its argument
 *
 * Context: task, interrupts on.
 * Return: what @fn returns, -ENXIO when @cpu is offline.
 */
int perf_cpu_call(int cpu, int (*fn)(void *arg), void *arg)
{
	struct perf_remote_cpu_call call = { .fn = fn, .arg = arg };
	int err;

	err = smp_call_function_single(cpu, perf_remote_cpu_ipi, &call, 1);
	return err ?: call.ret;
}
