/* SPDX-License-Identifier: GPL-2.0 */
/* Room "context": allocate, find, lock and account contexts; references. */
#ifndef _KERNEL_EVENTS_CONTEXT_H
#define _KERNEL_EVENTS_CONTEXT_H

#include "ctx_state.h"
#include "hooks.h"
#include "state.h"
#include "types.h"

DECLARE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

/* CPUs that are online for events; changes under perf_pmus_mutex. */
extern cpumask_var_t perf_online_mask;

/* Which state of a context may follow which; setters are below. */
extern struct perf_state_table perf_ctx_state_table;

#ifdef CONFIG_PERF_EVENTS_DEBUG_STATE
void perf_ctx_check_events_locked(const struct perf_ctx *ctx);
#else
static inline void
perf_ctx_check_events_locked(const struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
}
#endif

/* Called on the CPU that loads (@cpu) or unloads it (PERF_CPU_NONE). */
static inline void perf_ctx_set_loaded_locked(struct perf_ctx *ctx,
					      int cpu)
{
	enum perf_ctx_state from = perf_ctx_state(ctx);

	lockdep_assert_held(&ctx->lock);
	WRITE_ONCE(ctx->loaded_cpu, cpu);
	perf_state_check(&perf_ctx_state_table, from, perf_ctx_state(ctx));
	perf_ctx_check_events_locked(ctx);
}

/* @family: family whose pool the context is in, or NULL. */
static inline void perf_ctx_set_family_locked(struct perf_ctx *ctx,
					      struct perf_family *family)
{
	enum perf_ctx_state from = perf_ctx_state(ctx);

	lockdep_assert_held(&ctx->lock);
	WRITE_ONCE(ctx->family, family);
	perf_state_check(&perf_ctx_state_table, from, perf_ctx_state(ctx));
	perf_ctx_check_events_locked(ctx);
}

/* Contexts: lifetime. */
void perf_ctx_init(struct perf_ctx *ctx, int cpu);
struct perf_ctx *perf_ctx_get_task(struct task_struct *task);
struct perf_ctx *perf_ctx_make_task(struct task_struct *task);
struct perf_ctx *perf_ctx_get_cpu(int cpu);
struct perf_ctx *perf_ctx_find_task(struct task_struct *task);
struct perf_ctx *perf_ctx_alloc_task(struct task_struct *task);
struct task_struct * __must_check
perf_ctx_orphan_locked(struct perf_ctx *ctx);
bool perf_ctx_tryget(struct perf_ctx *ctx);
void perf_ctx_put(struct perf_ctx *ctx);

/**
 * perf_ctx_get() - take another reference
 * @ctx: context on which the caller has a reference
 *
 * Context: any.
 */
static inline void perf_ctx_get(struct perf_ctx *ctx)
{
	refcount_inc(&ctx->refcount);
}

/* PMU contexts. */
struct perf_pmu_ctx *
perf_epc_get(struct pmu *pmu, struct perf_ctx *ctx, bool task_data);
void perf_epc_init(struct perf_pmu_ctx *epc, struct pmu *pmu);
void perf_epc_get_ref(struct perf_pmu_ctx *epc);
void perf_epc_put(struct perf_pmu_ctx *epc);
void perf_epc_drop(struct perf_ctx *ctx, struct pmu *pmu);

/**
 * perf_epc_drop_set() - say that the set of a PMU context is not whole any more
 * @epc: PMU context, an event of which is scheduled in or out alone, or gets
 *	another period
 *
 * Context: ctx->lock.
 */
static inline void perf_epc_drop_set(struct perf_pmu_ctx *epc)
{
	epc->whole = false;
}

/**
 * perf_epc_drop_choice() - say that groups have to be chosen anew
 * @epc: PMU context that events join or leave, or in which one is enabled or
 *	disabled
 *
 * Context: ctx->lock.
 */
static inline void perf_epc_drop_choice(struct perf_pmu_ctx *epc)
{
	epc->chosen = false;
	perf_epc_drop_set(epc);
}

/* event->ctx may change under a caller: locks it, then checks it again. */
struct perf_ctx *perf_event_ctx_get(struct perf_event *event);
struct perf_ctx *perf_event_ctx_lock_nested(struct perf_event *event,
					    int nesting);

static inline struct perf_ctx *
perf_event_ctx_lock(struct perf_event *event)
{
	return perf_event_ctx_lock_nested(event, 0);
}

struct perf_ctx *perf_event_ctx_trylock(struct perf_event *event);

/**
 * perf_event_ctx_unlock() - undo perf_event_ctx_lock()
 * @event: event
 * @ctx: what perf_event_ctx_lock() or perf_event_ctx_trylock() returned
 *
 * Context: task, ctx->mutex, which is released.
 */
static inline void perf_event_ctx_unlock(struct perf_event *event,
					 struct perf_ctx *ctx)
{
	mutex_unlock(&ctx->mutex);
	perf_ctx_put(ctx);
}

/**
 * perf_ctx_lock_mutexes() - lock the mutexes of two contexts
 * @a: context
 * @b: another one
 *
 * The order is that of their addresses, so two callers cannot wait for each
 * other.
 *
 * Context: task; may sleep.
 */
static inline void perf_ctx_lock_mutexes(struct perf_ctx *a,
					 struct perf_ctx *b)
{
	mutex_lock(&min(a, b)->mutex);
	mutex_lock_nested(&max(a, b)->mutex, SINGLE_DEPTH_NESTING);
}

/**
 * perf_ctx_unlock_mutexes() - undo perf_ctx_lock_mutexes()
 * @a: context
 * @b: the other one
 *
 * Context: task, both mutexes held.
 */
static inline void perf_ctx_unlock_mutexes(struct perf_ctx *a,
					   struct perf_ctx *b)
{
	mutex_unlock(&a->mutex);
	mutex_unlock(&b->mutex);
}

/**
 * perf_ctx_lock_pair() - lock a CPU's context and then a task's
 * @cpuctx: this CPU
 * @task_ctx: task context, or NULL
 *
 * Context: interrupts off.
 */
static inline void perf_ctx_lock_pair(struct perf_cpu_context *cpuctx,
				      struct perf_ctx *task_ctx)
{
	lockdep_assert_irqs_disabled();
	raw_spin_lock(&cpuctx->ctx.lock);
	if (task_ctx)
		raw_spin_lock(&task_ctx->lock);
}

/**
 * perf_ctx_unlock_pair() - undo perf_ctx_lock_pair()
 * @cpuctx: this CPU
 * @task_ctx: task context, or NULL
 */
static inline void perf_ctx_unlock_pair(struct perf_cpu_context *cpuctx,
					struct perf_ctx *task_ctx)
{
	if (task_ctx)
		raw_spin_unlock(&task_ctx->lock);
	raw_spin_unlock(&cpuctx->ctx.lock);
}

/**
 * perf_ctx_loaded_oncpu() - check whether a context is loaded on this CPU
 * @ctx: context
 *
 * Context: interrupts off, which keeps the answer true.
 * Return: this CPU's context if @ctx is loaded here, else NULL.
 */
static inline struct perf_cpu_context *
perf_ctx_loaded_oncpu(const struct perf_ctx *ctx)
{
	lockdep_assert_irqs_disabled();
	if (READ_ONCE(ctx->loaded_cpu) != smp_processor_id())
		return NULL;
	return this_cpu_ptr(&perf_cpu_context);
}

/**
 * perf_ctx_assert_sched_locked() - assert the scheduling locks
 * @ctx: context of this CPU, or of a task
 *
 * They are held where events are scheduled in or out: the lock of this CPU's
 * own context and ctx->lock, with interrupts off.
 */
static inline void perf_ctx_assert_sched_locked(const struct perf_ctx *ctx)
{
	lockdep_assert_irqs_disabled();
	lockdep_assert_held(&this_cpu_ptr(&perf_cpu_context)->ctx.lock);
	lockdep_assert_held(&ctx->lock);
}

/* Lists and counts; ctx->mutex and ctx->lock. */
void perf_ctx_add_event_locked(struct perf_event *event,
			       struct perf_ctx *ctx);
void perf_ctx_del_event_locked(struct perf_event *event,
			       struct perf_ctx *ctx);

/* References on events. */
static inline bool perf_event_tryget(struct perf_event *event)
{
	return atomic_long_inc_not_zero(&event->refcount);
}

static inline void perf_event_get_ref(struct perf_event *event)
{
	atomic_long_inc(&event->refcount);
}

/**
 * perf_event_put() - give a reference on an event back
 * @event: event
 *
 * Context: task.
 */
static inline void perf_event_put(struct perf_event *event)
{
	if (atomic_long_dec_and_test(&event->refcount))
		static_call(perf_hooks_event_last_put)(event);
}

void perf_event_put_late(struct perf_event *event);

/* An NMI may throttle the event at any time. */
static inline bool perf_event_is_throttled(const struct perf_event *event)
{
	return READ_ONCE(event->hw.interrupts) == MAX_INTERRUPTS;
}

#endif /* _KERNEL_EVENTS_CONTEXT_H */
