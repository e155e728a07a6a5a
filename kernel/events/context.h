/* SPDX-License-Identifier: GPL-2.0 */
/* Room "context": allocate, find, lock and account contexts; references. */
#ifndef _KERNEL_EVENTS_CONTEXT_H
#define _KERNEL_EVENTS_CONTEXT_H

#include "state.h"
#include "types.h"

DECLARE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

/* CPUs whose own context is loaded; changes under perf_pmus_mutex. */
extern cpumask_var_t perf_online_mask;

/*
 * State of a context. It follows from cpu, task, family and loaded_cpu; the
 * last two change by the setters below.
 */
enum perf_ctx_state {
	PERF_CTX_OFFLINE,	/* a CPU's, which is offline */
	PERF_CTX_ONLINE,	/* a CPU's, always loaded */
	PERF_CTX_HANDLE,	/* of no task and no CPU: a family's handle */
	PERF_CTX_UNLOADED,	/* a task's own, loaded nowhere */
	PERF_CTX_LOADED,	/* a task's own, counting */
	PERF_CTX_PARKED,	/* of a pool, loaded nowhere */
	PERF_CTX_LENT,		/* of a pool, counting a member */
	PERF_CTX_TOMBSTONE,	/* its task has gone */
};

extern struct perf_state_table perf_ctx_state_table;

/* Tests loaded_cpu before task, to find a context that must not be loaded. */
static inline enum perf_ctx_state
perf_ctx_state(const struct perf_ctx *ctx)
{
	if (ctx->cpu >= 0)
		return ctx->loaded_cpu == PERF_CPU_NONE ? PERF_CTX_OFFLINE :
							  PERF_CTX_ONLINE;
	if (ctx->loaded_cpu != PERF_CPU_NONE)
		return ctx->family ? PERF_CTX_LENT : PERF_CTX_LOADED;
	if (!ctx->pub.task)
		return PERF_CTX_HANDLE;
	if (ctx->pub.task == TASK_TOMBSTONE)
		return PERF_CTX_TOMBSTONE;
	return ctx->family ? PERF_CTX_PARKED : PERF_CTX_UNLOADED;
}

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
void perf_ctx_get(struct perf_ctx *ctx);
bool perf_ctx_tryget(struct perf_ctx *ctx);
void perf_ctx_put(struct perf_ctx *ctx);

/* A PMU's part of a context. */
struct perf_pmu_ctx *
perf_epc_get(struct pmu *pmu, struct perf_ctx *ctx, bool task_data);
void perf_epc_init(struct perf_pmu_ctx *epc, struct pmu *pmu);
void perf_epc_get_ref(struct perf_pmu_ctx *epc);
void perf_epc_put(struct perf_pmu_ctx *epc);
void perf_epc_drop(struct perf_ctx *ctx, struct pmu *pmu);

/* event->ctx may change under a caller: locks it, then checks it again. */
struct perf_ctx *perf_event_ctx_lock_nested(struct perf_event *event,
					    int nesting);

static inline struct perf_ctx *
perf_event_ctx_lock(struct perf_event *event)
{
	return perf_event_ctx_lock_nested(event, 0);
}

void perf_event_ctx_unlock(struct perf_event *event,
			   struct perf_ctx *ctx);

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

/* Lists and counts; ctx->mutex and ctx->lock. */
void perf_ctx_add_event_locked(struct perf_event *event,
			       struct perf_ctx *ctx);
void perf_ctx_del_event_locked(struct perf_event *event,
			       struct perf_ctx *ctx);

/* References on events. The last put calls what the event room registered. */
extern void (*perf_event_last_put)(struct perf_event *event);

static inline bool perf_event_tryget(struct perf_event *event)
{
	return atomic_long_inc_not_zero(&event->refcount);
}

static inline void perf_event_get_ref(struct perf_event *event)
{
	atomic_long_inc(&event->refcount);
}

void perf_event_put(struct perf_event *event);
void perf_event_put_late(struct perf_event *event);

/* An NMI may throttle the event at any time. */
static inline bool perf_event_is_throttled(const struct perf_event *event)
{
	return READ_ONCE(event->hw.interrupts) == MAX_INTERRUPTS;
}

#endif /* _KERNEL_EVENTS_CONTEXT_H */
