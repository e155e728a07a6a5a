// SPDX-License-Identifier: GPL-2.0
/*
 * Room "home": gives contexts back to the tasks on which their events were
 * opened.
 *
 * Purpose: tasks exchange equal contexts at a switch, so a task may run with
 * the context of another task. Programs must not notice this: an event must end
 * with the task on which it was opened, not with the task that happens to have
 * it, and a new sibling has to find its group in the context of its own task.
 * So before a task exits, and before an event is opened on it, contexts with
 * opened events are given back to their tasks.
 *
 * Owns: nothing that outlives a call.
 *
 * Contexts: task; may sleep.
 *
 * Lifetime: an opened event has a reference on its task. Owners are found through
 * events of a context whose mutex is held, hosts under the lock of the context
 * that they have; both are referenced for the call. Pairs of events are made and
 * freed while both mutexes are held.
 *
 * Locking: the mutexes of the two contexts, the lower address first. Both are
 * held (ctx->held), so that no switch exchanges them for a third. A fork and an
 * exit need the mutex of the context they find, so they change neither task
 * meanwhile.
 *
 * How a context's own task is found: of all contexts with copies of the same
 * events that are in no pool at most one has opened events, because opening an event ends the
 * equality of its context. All events that were opened in a context were opened
 * on one task, because the context is given back to that task first. Copies are
 * made for one task, too. So the newest event of a context identifies the
 * context's own task.
 *
 * Race, the two tasks run on two CPUs:
 *  1. each task is counted by the other's context, and counting must not stop;
 *  2. the stoppers of both CPUs come in at the same time: the tasks are switched
 *     out, and their contexts unloaded. Then the pointers are exchanged;
 *  3. if one of the tasks has moved meanwhile its context is loaded elsewhere.
 *     Then nothing is changed, and the two CPUs are looked up again.
 */
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>

#include "context.h"
#include "family.h"
#include "home.h"
#include "sched.h"
#include "swap.h"

/* Two contexts that have each other's task. With references. */
struct home_pair {
	/* Its events were opened on @owner; @host has it. */
	struct perf_ctx			*away;
	struct task_struct		*owner;
	struct task_struct		*host;
	/* The context that @owner has instead. */
	struct perf_ctx			*other;
	/* What perf_swap_find_pairs() has found. */
	struct perf_swap_pairs		*pairs;
	bool				done;
};

static int home_try(void *arg)
{
	struct home_pair *pair = arg;

	guard(irqsave)();
	/* Without SMP the caller itself runs this, and has a context loaded. */
	perf_sched_ctx_out_oncpu(pair->away);
	perf_sched_ctx_out_oncpu(pair->other);
	pair->done = perf_swap_unloaded(pair->away, pair->other, pair->pairs);
	perf_sched_reload_oncpu();
	return 0;
}

/* A single CPU cannot have both contexts loaded. */
static void home_stop_two(int cpu, int other, struct home_pair *pair)
{
#ifdef CONFIG_SMP
	stop_two_cpus(cpu, other, home_try, pair);
#endif
}

/* The tasks that have the contexts do not run meanwhile. */
static void home_try_stopped(struct home_pair *pair)
{
	int cpu = READ_ONCE(pair->away->loaded_cpu);
	int other = READ_ONCE(pair->other->loaded_cpu);

	if (cpu == PERF_CPU_NONE && other == PERF_CPU_NONE)
		home_try(pair);
	else if (other == PERF_CPU_NONE || other == cpu)
		stop_one_cpu(cpu, home_try, pair);
	else if (cpu == PERF_CPU_NONE)
		stop_one_cpu(other, home_try, pair);
	else
		home_stop_two(cpu, other, pair);
}

static bool home_hold(const struct home_pair *pair)
{
	if (!perf_swap_hold(pair->away, pair->host))
		return false;
	if (perf_swap_hold(pair->other, pair->owner))
		return true;
	perf_swap_release(pair->away);
	return false;
}

/*
 * Does nothing if other tasks have the two contexts by now: the caller looks
 * again.
 */
static void home_exchange_mutexed(struct home_pair *pair)
{
	lockdep_assert_held(&pair->away->mutex);
	lockdep_assert_held(&pair->other->mutex);
	if (!home_hold(pair))
		return;
	pair->pairs = perf_swap_find_pairs(pair->away, pair->other);
	perf_swap_begin_move(pair->away, pair->other);
	do {
		home_try_stopped(pair);
		cond_resched();
	} while (!pair->done);
	perf_swap_end_move(pair->away, pair->other);
	kvfree(pair->pairs);
	perf_swap_end_equal(pair->away);
	perf_swap_release(pair->away);
	perf_swap_release(pair->other);
}

static void home_exchange(struct home_pair *pair)
{
	perf_ctx_lock_mutexes(pair->away, pair->other);
	home_exchange_mutexed(pair);
	perf_ctx_unlock_mutexes(pair->away, pair->other);
}

/* Finding. */

/* @eldest is in @ctx, which @task has, but was opened on another task. */
static bool home_find_other(struct perf_ctx *ctx,
			    struct task_struct *task,
			    const struct perf_event *eldest,
			    struct home_pair *pair)
{
	struct task_struct *owner = eldest->hw.target;
	struct perf_ctx *other = perf_ctx_find_task(owner);

	if (!other)
		return false;
	if (perf_ctx_is_handle(other) || other == ctx) {
		perf_ctx_put(other);
		return false;
	}
	perf_ctx_get(ctx);
	pair->away = ctx;
	pair->host = get_task_struct(task);
	pair->owner = get_task_struct(owner);
	pair->other = other;
	return true;
}

/* @eldest was opened on @task, which has @ctx, but is in another context. */
static bool home_find_own(struct perf_ctx *ctx,
			  struct task_struct *task,
			  const struct perf_event *eldest,
			  struct home_pair *pair)
{
	struct perf_ctx *away = perf_event_ctx(eldest);
	struct task_struct *host;

	if (away == ctx)
		return false;
	scoped_guard(raw_spinlock_irq, &away->lock) {
		host = away->pub.task;
		if (host == TASK_TOMBSTONE ||
		    perf_task_ctx(host) != away)
			return false;
		get_task_struct(host);
	}
	perf_ctx_get(away);
	perf_ctx_get(ctx);
	pair->away = away;
	pair->host = host;
	pair->owner = get_task_struct(task);
	pair->other = ctx;
	return true;
}

/*
 * @ctx: the context that @task has. Finds the other one if an event in @ctx was
 * opened on another task, or if one that was opened on @task is elsewhere.
 * Return: false if there is none, or the other task has exited.
 */
static bool home_find(struct perf_ctx *ctx, struct task_struct *task,
		      struct home_pair *pair)
{
	struct perf_event *event, *eldest;

	lockdep_assert_held(&ctx->mutex);
	if (perf_home_is_own(ctx, task))
		return false;
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		eldest = event->parent;
		if (!eldest && event->hw.target != task)
			return home_find_other(ctx, task, event, pair);
		if (eldest && eldest->hw.target == task)
			return home_find_own(ctx, task, eldest, pair);
	}
	return false;
}

static void home_put(const struct home_pair *pair)
{
	perf_ctx_put(pair->away);
	perf_ctx_put(pair->other);
	put_task_struct(pair->host);
	put_task_struct(pair->owner);
}

/**
 * perf_home_bring() - exchange contexts so that a task gets its own back
 * @task: task
 *
 * One exchange at most: the caller calls perf_home_take() again.
 *
 * Context: task; may sleep, no mutex of a context held.
 */
void perf_home_bring(struct task_struct *task)
{
	struct perf_ctx *ctx = perf_ctx_find_task(task);
	struct home_pair pair = { };
	bool found = false;

	if (!ctx)
		return;
	if (!perf_ctx_is_handle(ctx)) {
		guard(mutex)(&ctx->mutex);
		found = home_find(ctx, task, &pair);
	}
	if (found) {
		home_exchange(&pair);
		home_put(&pair);
	}
	perf_ctx_put(ctx);
}

/**
 * perf_home_take() - hold a task's context, if that is its own
 * @ctx: context that was found for @task
 * @task: task
 *
 * Context: task; ctx->mutex, until perf_swap_release().
 * Return: true if it is held; false if @task has another one, or perf_home_bring()
 * is needed first.
 */
bool perf_home_take(struct perf_ctx *ctx, struct task_struct *task)
{
	struct home_pair pair;

	lockdep_assert_held(&ctx->mutex);
	if (!perf_swap_hold(ctx, task))
		return false;
	if (!home_find(ctx, task, &pair))
		return true;
	home_put(&pair);
	perf_swap_release(ctx);
	return false;
}

static bool home_try_take_ctx(struct perf_ctx *ctx,
			      struct task_struct *task)
{
	guard(mutex)(&ctx->mutex);
	if (!perf_home_take(ctx, task))
		return false;
	perf_sched_take_ctx(task);
	perf_swap_release(ctx);
	return true;
}

/**
 * perf_home_take_ctx() - take a task's own context from it
 * @task: current, or a task that never ran; it has a context of its own
 *
 * Context: task; may sleep, no mutex of a context held. Nothing but exchanges
 * may change task->perf_event_ctxp meanwhile.
 * Return: the context, with the task's reference.
 */
struct perf_ctx *perf_home_take_ctx(struct task_struct *task)
{
	struct perf_ctx *ctx;
	bool parted;

	do {
		ctx = perf_ctx_find_task(task);
		parted = home_try_take_ctx(ctx, task);
		perf_ctx_put(ctx);
		if (!parted)
			perf_home_bring(task);
	} while (!parted);
	return ctx;
}
