// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sched_cb": notifies drivers that asked for it of task switches.
 *
 * Purpose: a driver that has data of a task in its hardware, such as branch
 * records or large buffers of samples, saves or drops it when the task is
 * switched out. It asks for pmu::sched_task() in pmu::add and cancels that in
 * pmu::del.
 *
 * Owns: cpuctx->sched_cb_users; cpc->sched_cb_*.
 *
 * Contexts: task switch, and where events are scheduled in and out: on the CPU
 * in question, interrupts off.
 *
 * Lifetime: a PMU is in the CPU's list while an event for which it asked is
 * active.
 *
 * Locking: this CPU's list is changed only on this CPU with interrupts off, so
 * it needs no lock. pmu::sched_task() is called with the locks of the
 * contexts that are loaded, and its PMU disabled.
 *
 * Each driver is notified once of a switch out and once of a switch in. It gets
 * the task's PMU context if a task context with events of the PMU is loaded
 * (cpc->task_epc), and otherwise the CPU's.
 */
#include "context.h"
#include "pmu.h"
#include "sched_cb.h"

static DEFINE_PER_CPU(struct list_head, perf_sched_cb_list);

/**
 * perf_sched_cb_pmu_ctx_locked() - notify one driver of the switch of a task
 * @epc: the task's PMU context for the driver's PMU
 * @sched_in: true for a switch in
 *
 * Nothing happens if the driver has not asked, or if @epc has no events: then
 * perf_sched_cb_cpu() notifies it.
 *
 * Context: locks of the contexts that are loaded, interrupts off.
 */
void perf_sched_cb_pmu_ctx_locked(struct perf_pmu_ctx *epc, bool sched_in)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(epc->pmu);
	struct pmu *pmu = epc->pmu;

	lockdep_assert_held(&epc->ctx->lock);
	if (cpc->task_epc != epc || !cpc->sched_cb_usage || !pmu->sched_task)
		return;
	perf_pmu_disable(pmu);
	pmu->sched_task(&epc->pub, current, sched_in);
	perf_pmu_enable(pmu);
}

/**
 * perf_sched_cb_ctx_locked() - notify all drivers of the switch of a task
 * @ctx: the task's context
 * @sched_in: true for a switch in
 *
 * Context: locks of the contexts that are loaded, interrupts off.
 */
void perf_sched_cb_ctx_locked(struct perf_ctx *ctx, bool sched_in)
{
	struct perf_pmu_ctx *epc;

	lockdep_assert_held(&ctx->lock);
	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry)
		perf_sched_cb_pmu_ctx_locked(epc, sched_in);
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
	pmu->sched_task(&cpc->epc.pub, task, sched_in);
	perf_pmu_enable(pmu);
	perf_ctx_unlock_pair(cpuctx, cpuctx->task_ctx);
}

/**
 * perf_sched_cb_cpu() - notify drivers of PMUs on which a task has no events
 * @task: the task
 * @sched_in: true for a switch in, after its context was loaded; false for a
 *	switch out, before its context is unloaded
 *
 * The other functions notify the drivers of PMUs on which the task has events.
 *
 * Context: task switch, interrupts off.
 */
void perf_sched_cb_cpu(struct task_struct *task, bool sched_in)
{
	struct perf_cpu_pmu_context *cpc, *next;

	lockdep_assert_irqs_disabled();
	/* sched_task() may take its own driver off the list. */
	list_for_each_entry_safe(cpc, next, this_cpu_ptr(&perf_sched_cb_list),
				 sched_cb_entry) {
		if (!cpc->task_epc)
			perf_sched_cb_tell_pmu(cpc, task, sched_in);
	}
}

/**
 * perf_sched_cb_inc() - request calls of a driver's sched_task() on this CPU
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
	this_cpu_inc(perf_cpu_context.sched_cb_users);
}

/**
 * perf_sched_cb_dec() - undo perf_sched_cb_inc()
 * @pmu: its PMU
 *
 * Context: interrupts off, from del().
 */
void perf_sched_cb_dec(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(pmu);

	this_cpu_dec(perf_cpu_context.sched_cb_users);
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
