// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sched_cb": tells drivers that asked for it of task switches.
 *
 * Purpose: a driver that has something of a task's in its hardware, such as branch
 * records or large buffers of samples, saves or drops it when the task goes. It asks
 * for pmu::sched_task() in pmu::add and does without from pmu::del on.
 *
 * Owns: perf_sched_cb_users; cpc->sched_cb_*.
 *
 * Contexts: task switch, and where events go on and off: on the CPU in question,
 * interrupts off.
 *
 * Lifetime: a PMU is in the CPU's list while an event of it that asked is on.
 *
 * Locking: what changes this CPU's list runs on this CPU with interrupts off, so
 * that the list needs no lock. pmu::sched_task() is called with the locks of the
 * contexts that are loaded, and its PMU disabled.
 *
 * Each driver is told once of a switch out and once of a switch in: by the task's
 * part of its PMU where a task's context with events of it is loaded (cpc->task_epc),
 * by the CPU's part otherwise, whatever else the task's context holds.
 */
#include "context.h"
#include "pmu.h"
#include "sched_cb.h"

DEFINE_PER_CPU(int, perf_sched_cb_users);
static DEFINE_PER_CPU(struct list_head, perf_sched_cb_list);

/**
 * perf_sched_cb_part_locked - a task with events comes or goes: tell one driver
 * @epc: the part of the task's context that is of the driver's PMU
 * @sched_in: it comes
 *
 * Nothing happens if the driver has not asked, or if the part has no events: then
 * perf_sched_cb_cpu() tells it.
 *
 * Context: locks of the contexts that are loaded, interrupts off.
 */
void perf_sched_cb_part_locked(struct perf_event_pmu_context *epc, bool sched_in)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(epc->pmu);
	struct pmu *pmu = epc->pmu;

	lockdep_assert_held(&epc->ctx->lock);
	if (cpc->task_epc != epc || !cpc->sched_cb_usage || !pmu->sched_task)
		return;
	perf_pmu_disable(pmu);
	pmu->sched_task(epc, current, sched_in);
	perf_pmu_enable(pmu);
}

/**
 * perf_sched_cb_ctx_locked - a task with events comes or goes: tell all drivers
 * @ctx: the task's context
 * @sched_in: it comes
 *
 * Context: locks of the contexts that are loaded, interrupts off.
 */
void perf_sched_cb_ctx_locked(struct perf_event_context *ctx, bool sched_in)
{
	struct perf_event_pmu_context *epc;

	lockdep_assert_held(&ctx->lock);
	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry)
		perf_sched_cb_part_locked(epc, sched_in);
}

static void perf_sched_cb_tell_pmu(struct perf_cpu_pmu_context *cpc,
				   struct task_struct *task, bool sched_in)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct pmu *pmu = cpc->epc.pmu;

	if (WARN_ON_ONCE(!pmu->sched_task))
		return;
	perf_ctx_lock_pair(cpuctx, cpuctx->task_ctx);
	perf_pmu_disable(pmu);
	pmu->sched_task(&cpc->epc, task, sched_in);
	perf_pmu_enable(pmu);
	perf_ctx_unlock_pair(cpuctx, cpuctx->task_ctx);
}

/**
 * perf_sched_cb_cpu - a task comes or goes: tell the drivers that it has no events of
 * @task: it
 * @sched_in: it comes, and its context is loaded; or it goes, and still is
 *
 * The other functions tell the drivers that the task has events of.
 *
 * Context: task switch, interrupts off.
 */
void perf_sched_cb_cpu(struct task_struct *task, bool sched_in)
{
	struct perf_cpu_pmu_context *cpc, *next;

	lockdep_assert_irqs_disabled();
	/* A driver that has nothing left to save may leave the list. */
	list_for_each_entry_safe(cpc, next, this_cpu_ptr(&perf_sched_cb_list),
				 sched_cb_entry) {
		if (!cpc->task_epc)
			perf_sched_cb_tell_pmu(cpc, task, sched_in);
	}
}

/**
 * perf_sched_cb_inc - a driver wants its sched_task() called on this CPU
 * @pmu: its PMU
 *
 * Context: interrupts off, from add().
 */
void perf_sched_cb_inc(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(pmu);

	lockdep_assert_irqs_disabled();
	if (!cpc->sched_cb_usage++)
		list_add(&cpc->sched_cb_entry,
			 this_cpu_ptr(&perf_sched_cb_list));
	this_cpu_inc(perf_sched_cb_users);
}

/**
 * perf_sched_cb_dec - undo perf_sched_cb_inc()
 * @pmu: its PMU
 *
 * Context: interrupts off, from del().
 */
void perf_sched_cb_dec(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(pmu);

	this_cpu_dec(perf_sched_cb_users);
	lockdep_assert_irqs_disabled();
	if (!--cpc->sched_cb_usage)
		list_del(&cpc->sched_cb_entry);
}

/**
 * perf_sched_cb_init_cpus() - prepare what this room keeps for each CPU
 *
 * Context: boot.
 */
void __init perf_sched_cb_init_cpus(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu(perf_sched_cb_list, cpu));
}
