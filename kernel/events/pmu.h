/* SPDX-License-Identifier: GPL-2.0 */
/* Room "pmu": registry, default methods, capabilities. */
#ifndef _KERNEL_EVENTS_PMU_H
#define _KERNEL_EVENTS_PMU_H

#include <linux/srcu.h>
#include "context.h"
#include "state.h"
#include "types.h"

/* Readers of the registry hold perf_pmus_srcu; writers perf_pmus_mutex. */
extern struct list_head perf_pmus;
extern struct mutex perf_pmus_mutex;
extern struct srcu_struct perf_pmus_srcu;

static inline struct perf_cpu_pmu_context *perf_cpc_oncpu(struct pmu *pmu)
{
	return this_cpu_ptr(pmu->cpu_pmu_context);
}

/**
 * perf_pmu_assert_sched_locked() - assert what scheduling on a PMU needs
 * @epc: PMU context of a context of this CPU, or of a task
 *
 * The scheduling locks are held, and the PMU is disabled.
 */
static inline void
perf_pmu_assert_sched_locked(const struct perf_pmu_ctx *epc)
{
	perf_ctx_assert_sched_locked(epc->ctx);
	lockdep_assert(perf_cpc_oncpu(epc->pmu)->disable_count > 0);
}

/* For the PMU on which the event is scheduled. */
static inline struct perf_cpu_pmu_context *
perf_event_cpc_oncpu(const struct perf_event *event)
{
	return perf_cpc_oncpu(perf_event_pmu_ctx(event)->pmu);
}

extern struct perf_state_table perf_pmu_state_table;

/* For the functions below; no code without CONFIG_PERF_EVENTS_DEBUG_STATE. */
static inline void perf_pmu_set_state(struct pmu *pmu,
				      enum perf_pmu_state state)
{
	struct perf_cpu_pmu_context *cpc;

	if (!IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		return;
	cpc = perf_cpc_oncpu(pmu);
	perf_state_check(&perf_pmu_state_table, cpc->state, state);
	cpc->state = state;
}

/* Transactions: interrupts off. If a commit of an add fails, it stays open. */
static inline void perf_pmu_start_add(struct pmu *pmu)
{
	perf_pmu_set_state(pmu, PERF_PMU_ADDING);
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
}

static inline int perf_pmu_commit_add(struct pmu *pmu)
{
	int err = pmu->commit_txn(pmu);

	if (!err)
		perf_pmu_set_state(pmu, PERF_PMU_DISABLED);
	return err;
}

static inline void perf_pmu_cancel_add(struct pmu *pmu)
{
	pmu->cancel_txn(pmu);
	perf_pmu_set_state(pmu, PERF_PMU_DISABLED);
}

static inline void perf_pmu_start_read(struct pmu *pmu)
{
	perf_pmu_set_state(pmu, PERF_PMU_READING);
	pmu->start_txn(pmu, PERF_PMU_TXN_READ);
}

/* Ends the transaction, even if the commit fails. */
static inline int perf_pmu_commit_read(struct pmu *pmu)
{
	int err = pmu->commit_txn(pmu);

	perf_pmu_set_state(pmu, PERF_PMU_ENABLED);
	return err;
}

/* The events that were made on a CPU. */
static inline struct perf_pmu_users *perf_pmu_users(const struct pmu *pmu,
						    int cpu)
{
	return &per_cpu_ptr(pmu->cpu_pmu_context, cpu)->users;
}

/* Finds the PMU of a new event and lets it initialise the event. */
struct pmu *perf_pmu_init_event(struct perf_event *event);
int perf_pmu_try_event(struct pmu *pmu, struct perf_event *event);
void perf_pmu_drop_event(struct perf_event *event);
bool perf_pmu_is_leaving(const struct perf_event *event);

/**
 * perf_pmu_announce() - report that an event has got its context
 * @event: event; the mutex of its context is held until it is installed there
 *
 * If the PMU is leaving, this wakes the task that revokes the PMU's events.
 * That task could not revoke the event without a context.
 *
 * Context: task.
 */
static inline void perf_pmu_announce(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;

	smp_mb(); /* the context is set before pmu->leaving is read */
	if (unlikely(READ_ONCE(pmu->leaving)))
		wake_up_var(pmu);
}

/* The end of a PMU; its events are revoked between these two calls. */
void perf_pmu_hide(struct pmu *pmu);
void perf_pmu_forget(struct pmu *pmu);

/* CPUs that share what a PMU of this scope counts; NULL for no such scope. */
const struct cpumask *perf_pmu_scope_siblings(unsigned int scope, int cpu);

/* CPU hotplug, under perf_pmus_mutex: one CPU counts for a unit of a scope. */
void perf_pmu_scope_join(unsigned int cpu);
int perf_pmu_scope_leave(unsigned int scope, unsigned int cpu);

#endif /* _KERNEL_EVENTS_PMU_H */
