// SPDX-License-Identifier: GPL-2.0
/*
 * Room "remote": the only way to work on a context, or on a CPU, from
 * elsewhere. It also defers work on a CPU to the end of a walk over events.
 *
 * Purpose: a context is loaded on one CPU or nowhere. An operation on it is
 * sent to that CPU, or done here under its lock.
 *
 * Owns: perf_walk, perf_remote_round.
 *
 * Contexts: callers are tasks that may sleep; the function runs with interrupts
 * off, in an interrupt, in the caller, or where a walk has ended.
 *
 * Locking: the caller holds ctx->mutex, or has another guarantee that the
 * events it wants to touch belong to @ctx. The function runs under the CPU
 * context's lock and that of the loaded task context; if @ctx is loaded
 * nowhere, under ctx->lock alone.
 *
 * The rule of walks. A software event or a trace record is delivered to each
 * event of a list, mostly with interrupts on. Events that are scheduled in go
 * to the head of the list. If that happened in the middle of a walk, the walk
 * would miss events that it has not reached and that moved to the head, or
 * reach others twice. So during a walk events of that CPU may be scheduled out,
 * but none is scheduled in. This holds for everything that schedules events in:
 * calls to a context, turns of multiplexing, changes of cgroup,
 * perf_pmu_resched(), unloading a CPU. Task switches cannot come in between,
 * because preemption is off during a walk.
 *  1. perf_walk_begin() counts the walk; walks in interrupts and NMI nest.
 *  2. An interrupt brings work. If the CPU's count is not 0, the work is put on
 *     the CPU's list (perf_walk_defer_oncpu()) and the interrupt ends.
 *     Otherwise the work is done at once.
 *  3. perf_walk_end() lowers the count, then looks at the list. Work that comes
 *     after the count was lowered finds no walk. Work that came before is found
 *     on the list.
 *  4. Only the end of the outermost walk does the work, and only with
 *     interrupts on. An interrupt may come there, so no lock that the work
 *     takes is held. No work arrives during a walk with interrupts off, or in
 *     NMI. If such a walk finds work, it has interrupted another walk between
 *     the two steps of 3, and that walk does the work. Interrupts are enabled
 *     between one piece of work and the next.
 *  5. The sender sleeps on a completion. A walk does not cause the work to be
 *     sent a second time, and no task polls.
 *  6. The work waits for the rest of one walk, which has preemption off: for
 *     each event of the list no more than one sample, or as many as the weight
 *     of the occurrence requires until the event is throttled. See locking.rst.
 * A CPU cannot go offline in a walk, since preemption is off; so it leaves no
 * work behind. A caller that calls its own CPU does so from a task, outside of
 * walks. The count is per CPU, and no other functions than those of steps 1 and
 * 3 change it. It does not depend on the bytes that guard against recursion
 * (recursion.h): code that never clears such a byte loses events, but nothing
 * waits for it.
 *
 * Race, a task that moves while a function is called on its context:
 *  1. the caller reads loaded_cpu == 1 and sends the function to CPU 1;
 *  2. the task is switched out there: loaded_cpu becomes "none";
 *  3. the handler on CPU 1 finds another context loaded and does nothing;
 *  4. the caller reads it again: "none", takes ctx->lock and reads once more.
 *     loaded_cpu changes under that lock only, so the function runs here, and
 *     the task's next switch waits for it.
 *
 * A model of this is lab/models/load.pml.
 */
#include <linux/completion.h>
#include <linux/kcsan-checks.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include "context.h"
#include "remote.h"
#include "walk.h"

DEFINE_PER_CPU(struct perf_walk_cpu, perf_walk);

/* Walks. */

/**
 * perf_walk_defer_oncpu() - defer work to the end of a walk on this CPU
 * @late: the work; stays valid until it has begun
 * @fn: does the work, with interrupts off
 *
 * Work that is already waiting is done only once.
 *
 * Context: interrupts off, not NMI.
 * Return: false if there is no walk: then the caller does the work.
 */
bool perf_walk_defer_oncpu(struct perf_late *late,
			   void (*fn)(struct perf_late *late))
{
	lockdep_assert_irqs_disabled();
	if (!perf_walk_is_on())
		return false;
	if (late->queued)
		return true;
	late->queued = true;
	late->fn = fn;
	llist_add(&late->node, &this_cpu_ptr(&perf_walk)->late);
	return true;
}

static struct perf_late *perf_walk_next_oncpu(void)
{
	struct perf_walk_cpu *walk = this_cpu_ptr(&perf_walk);
	struct perf_late *late;

	if (!walk->ready)
		walk->ready = llist_reverse_order(llist_del_all(&walk->late));
	if (!walk->ready)
		return NULL;
	late = llist_entry(walk->ready, struct perf_late, node);
	walk->ready = late->node.next;
	late->queued = false;
	return late;
}

/**
 * perf_walk_run_late_oncpu() - do the oldest piece of work that waits
 *
 * Context: interrupts off, no walk on this CPU.
 * Return: false if no work waits.
 */
bool perf_walk_run_late_oncpu(void)
{
	struct perf_late *late;

	lockdep_assert_irqs_disabled();
	late = perf_walk_next_oncpu();
	if (late)
		late->fn(late);
	return late;
}

static bool perf_walk_run_late(void)
{
	guard(irq)();
	return perf_walk_run_late_oncpu();
}

/**
 * perf_walk_end_late() - do the work that has waited for a walk; step 4
 *
 * Interrupts are enabled between one piece of work and the next.
 *
 * Context: any, preemption off.
 */
void perf_walk_end_late(void)
{
	if (perf_walk_is_on() || irqs_disabled())
		return;
	while (perf_walk_run_late())
		;
}

/* Calls. */

static void perf_remote_job_late(struct perf_late *late)
{
	struct perf_remote_job *job;

	job = container_of(late, struct perf_remote_job, late);
	job->run(job);
	complete(&job->done);
}

static void perf_remote_job_ipi(void *info)
{
	struct perf_remote_job *job = info;

	job->waits = perf_walk_defer_oncpu(&job->late, perf_remote_job_late);
	if (!job->waits)
		job->run(job);
}

/* Return: 0 when the job has been done; -ENXIO if @cpu is offline. */
static int perf_remote_do(int cpu, struct perf_remote_job *job)
{
	int err;

	might_sleep();
	job->late.queued = false;
	init_completion(&job->done);
	/* Queuing the call is a release, in code that KCSAN does not instrument. */
	kcsan_release();
	err = smp_call_function_single(cpu, perf_remote_job_ipi, job, 1);
	if (err)
		return err;
	if (job->waits)
		wait_for_completion(&job->done);
	return 0;
}

static void perf_remote_run_oncpu(struct perf_remote_job *job)
{
	struct perf_remote_call *call;
	struct perf_ctx *ctx, *task_ctx;
	struct perf_cpu_context *cpuctx;

	lockdep_assert_irqs_disabled();
	call = container_of(job, struct perf_remote_call, job);
	ctx = call->ctx;
	cpuctx = perf_ctx_loaded_oncpu(ctx);
	if (!cpuctx)
		return;
	task_ctx = cpuctx->task_ctx;
	perf_ctx_lock_pair(cpuctx, task_ctx);
	call->ret = call->fn(ctx, cpuctx, call->arg);
	call->done = true;
	perf_ctx_unlock_pair(cpuctx, task_ctx);
}

static void perf_remote_run_unloaded(struct perf_remote_call *call)
{
	struct perf_ctx *ctx = call->ctx;

	guard(raw_spinlock_irq)(&ctx->lock);
	if (ctx->loaded_cpu != PERF_CPU_NONE)
		return;
	call->ret = call->fn(ctx, NULL, call->arg);
	call->done = true;
}

static void perf_remote_init_call(struct perf_remote_call *call,
				  struct perf_ctx *ctx, perf_ctx_fn fn,
				  void *arg)
{
	call->job.run = perf_remote_run_oncpu;
	call->ctx = ctx;
	call->fn = fn;
	call->arg = arg;
	call->done = false;
}

/* Return: false if the context is loaded on the other CPU @cpu. */
static __always_inline bool
perf_remote_try_here(struct perf_remote_call *call, int cpu)
{
	if (cpu == PERF_CPU_NONE) {
		perf_remote_run_unloaded(call);
	} else if (cpu == raw_smp_processor_id()) {
		guard(irq)();
		perf_remote_run_oncpu(&call->job);
	} else {
		return false;
	}
	return true;
}

static __always_inline int perf_remote_repeat(struct perf_remote_call *call)
{
	for (;;) {
		int cpu = READ_ONCE(call->ctx->loaded_cpu);

		if (!perf_remote_try_here(call, cpu))
			perf_remote_do(cpu, &call->job);
		if (call->done)
			return call->ret;
		/* The context was switched meanwhile. */
		cond_resched();
	}
}

/**
 * perf_ctx_call() - run a function where a context is loaded
 * @ctx: context
 * @fn: function; gets that CPU's context, or NULL if @ctx is loaded nowhere
 * @arg: its argument
 *
 * If that CPU is in a walk, the caller waits for the end of the walk.
 *
 * Context: task, may sleep.
 * Return: what @fn returns.
 */
int perf_ctx_call(struct perf_ctx *ctx, perf_ctx_fn fn, void *arg)
{
	/* Usually no IPI is sent, and these fields are not used. */
	struct perf_remote_call call __uninitialized;

	lockdep_assert_irqs_enabled();
	perf_remote_init_call(&call, ctx, fn, arg);
	return perf_remote_repeat(&call);
}

static void perf_remote_sent_ipi(void *info)
{
	struct perf_remote_sent *sent = info;

	perf_remote_job_ipi(&sent->call.job);
	/* The caller frees the call when it sees this. */
	smp_store_release(&sent->answered, true);
}

/**
 * perf_remote_start() - begin a call of perf_ctx_call()
 * @sent: the call; stays until perf_remote_finish()
 * @ctx: context
 * @fn: function; gets that CPU's context, or NULL if @ctx is loaded nowhere
 * @arg: its argument
 *
 * Context: task, may sleep.
 * Return: true if it has ended already, with its result in sent->call.ret; false
 * if the caller has to call perf_remote_finish().
 */
bool perf_remote_start(struct perf_remote_sent *sent, struct perf_ctx *ctx,
		       perf_ctx_fn fn, void *arg)
{
	struct perf_remote_call *call = &sent->call;
	int cpu = READ_ONCE(ctx->loaded_cpu);

	lockdep_assert_irqs_enabled();
	perf_remote_init_call(call, ctx, fn, arg);
	sent->sent = false;
	if (perf_remote_try_here(call, cpu))
		return call->done;
	sent->answered = false;
	call->job.late.queued = false;
	init_completion(&call->job.done);
	INIT_CSD(&sent->csd, perf_remote_sent_ipi, sent);
	kcsan_release(); /* as in perf_remote_do() */
	sent->sent = !smp_call_function_single_async(cpu, &sent->csd);
	return false;
}

/**
 * perf_remote_finish() - wait for the end of a call
 * @sent: the call
 *
 * If the context was switched meanwhile, it is called again.
 *
 * Context: task, may sleep.
 * Return: what the function returns.
 */
int perf_remote_finish(struct perf_remote_sent *sent)
{
	struct perf_remote_call *call = &sent->call;

	might_sleep();
	if (sent->sent) {
		smp_cond_load_acquire(&sent->answered, VAL);
		if (call->job.waits)
			wait_for_completion(&call->job.done);
	}
	return call->done ? call->ret : perf_remote_repeat(call);
}

struct perf_remote_cpu_call {
	struct perf_remote_job	job;
	int			(*fn)(void *arg);
	void			*arg;
	int			ret;
};

static void perf_remote_cpu_run(struct perf_remote_job *job)
{
	struct perf_remote_cpu_call *call;

	call = container_of(job, struct perf_remote_cpu_call, job);
	call->ret = call->fn(call->arg);
}

/**
 * perf_cpu_call() - run a function on a CPU and get its result
 * @cpu: CPU
 * @fn: function, called with interrupts off and outside of walks
 * @arg: its argument
 *
 * Context: task, may sleep.
 * Return: what @fn returns; -ENXIO if @cpu is offline.
 */
int perf_cpu_call(int cpu, int (*fn)(void *arg), void *arg)
{
	struct perf_remote_cpu_call call = {
		.job.run	= perf_remote_cpu_run,
		.fn		= fn,
		.arg		= arg,
	};
	int err = perf_remote_do(cpu, &call.job);

	return err ?: call.ret;
}

/* Calls to several CPUs; one at a time, as each CPU has one place for it. */
static DEFINE_MUTEX(perf_remote_mutex);
static DEFINE_PER_CPU(struct perf_late, perf_remote_late);

static struct {
	void			(*fn)(void);
	/* CPUs where the call waits, plus 1 until all CPUs have got it. */
	atomic_t		left;
	struct completion	done;
} perf_remote_round = {
	.done	= COMPLETION_INITIALIZER(perf_remote_round.done),
};

static void perf_remote_round_late(struct perf_late *late)
{
	perf_remote_round.fn();
	if (atomic_dec_and_test(&perf_remote_round.left))
		complete(&perf_remote_round.done);
}

static void perf_remote_round_ipi(void *unused)
{
	if (perf_walk_defer_oncpu(this_cpu_ptr(&perf_remote_late),
				  perf_remote_round_late))
		atomic_inc(&perf_remote_round.left);
	else
		perf_remote_round.fn();
}

/**
 * perf_cpus_call() - run a function on several CPUs
 * @cpus: CPUs; those that are offline are skipped
 * @fn: function, called with interrupts off and outside of walks
 *
 * Returns when all CPUs have run it.
 *
 * Context: task, may sleep; takes perf_remote_mutex.
 */
void perf_cpus_call(const struct cpumask *cpus, void (*fn)(void))
{
	guard(mutex)(&perf_remote_mutex);
	perf_remote_round.fn = fn;
	atomic_set(&perf_remote_round.left, 1);
	on_each_cpu_mask(cpus, perf_remote_round_ipi, NULL, 1);
	if (!atomic_dec_and_test(&perf_remote_round.left))
		wait_for_completion(&perf_remote_round.done);
}
