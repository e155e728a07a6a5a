// SPDX-License-Identifier: GPL-2.0
/*
 * Room "cpu": boot, CPU hotplug, reboot.
 *
 * Purpose: initialises the rooms in their order, and loads and unloads the
 * CPUs' own contexts.
 *
 * Owns: cpuctx->online, perf_online_mask.
 *
 * Contexts: boot; the hotplug thread of the CPU, or of another one before it
 * runs and after it stopped; the reboot notifier.
 *
 * Lifetime: a CPU's context is not freed when the CPU goes offline. Its events
 * stay in it, their times stop, and they continue when the CPU comes back;
 * except for groups that perf_cpu_ends_group() names, which end.
 *
 * Locking: perf_pmus_mutex, then ctx->mutex, then ctx->lock.
 *
 * Race, a CPU's context is unloaded while the CPU still runs:
 *  1. the hotplug thread, or the reboot notifier, unloads it; tasks still run
 *     there, the hotplug thread among them, and are counted;
 *  2. a task's group does not fit, and a new choice is made on the PMU;
 *  3. groups of the CPU are skipped, since their context is not loaded. So none
 *     of them is active when the CPU stops, and they can be closed elsewhere.
 */
#include <linux/cpu.h>
#include <linux/hw_breakpoint.h>
#include <linux/reboot.h>
#include "caps.h"
#include "cgroup.h"
#include "clock.h"
#include "clock_pmu.h"
#include "context.h"
#include "control.h"
#include "event.h"
#include "overflow.h"
#include "pmu.h"
#include "remote.h"
#include "rotate.h"
#include "sched.h"
#include "sched_cb.h"
#include "software.h"
#include "tracing.h"
#include "walk.h"

static void perf_cpu_load_locked(struct perf_cpu_context *cpuctx)
{
	struct perf_ctx *ctx = &cpuctx->ctx;
	struct perf_pmu_ctx *epc;

	lockdep_assert_held(&ctx->lock);
	if (ctx->loaded_cpu != PERF_CPU_NONE)
		return;
	perf_ctx_clock_start_locked(ctx);
	perf_ctx_set_loaded_locked(ctx, smp_processor_id());
	perf_cgroup_load_locked(cpuctx);
	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry)
		perf_sched_pmu_resched_locked(cpuctx, epc->pmu);
}

static void perf_cpu_load(void)
{
	struct perf_cpu_context *cpuctx;
	struct perf_ctx *task_ctx;

	guard(irqsave)();
	cpuctx = this_cpu_ptr(&perf_cpu_context);
	/* Events may count the hotplug thread itself. */
	task_ctx = cpuctx->task_ctx;
	perf_ctx_lock_pair(cpuctx, task_ctx);
	if (task_ctx)
		perf_ctx_clock_update_locked(task_ctx);
	perf_cpu_load_locked(cpuctx);
	perf_ctx_unlock_pair(cpuctx, task_ctx);
}

static int perf_cpu_unload(void *unused)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_ctx *ctx = &cpuctx->ctx;

	if (cpuctx->task_ctx)
		perf_sched_ctx_out_oncpu(cpuctx->task_ctx);
	guard(raw_spinlock)(&ctx->lock);
	if (ctx->loaded_cpu == PERF_CPU_NONE)
		return 0;
	perf_ctx_clock_update_locked(ctx);
	perf_cgroup_unload_locked(cpuctx);
	perf_sched_cpu_ctx_out_locked(ctx);
	perf_ctx_set_loaded_locked(ctx, PERF_CPU_NONE);
	return 0;
}

/*
 * Timers that were pending when the CPU went offline have moved to another CPU.
 * If they stayed marked as active, nothing would start them here.
 */
static void perf_cpu_cancel_timers(unsigned int cpu)
{
	struct perf_cpu_pmu_context *cpc;
	struct pmu *pmu;

	guard(mutex)(&perf_pmus_mutex);
	list_for_each_entry(pmu, &perf_pmus, entry) {
		cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);
		hrtimer_cancel(&cpc->mux_timer);
		cpc->mux_active = false;
	}
}

/**
 * perf_event_init_cpu() - prepare a CPU that comes online
 * @cpu: CPU; called once before it runs, and once on it
 *
 * Context: boot; hotplug thread. Takes perf_pmus_mutex and the ctx->mutex of
 * @cpu.
 * Return: 0.
 */
int perf_event_init_cpu(unsigned int cpu)
{
	struct perf_cpu_context *cpuctx = &per_cpu(perf_cpu_context, cpu);

	if (!cpu_online(cpu)) {
		perf_cpu_cancel_timers(cpu);
		return 0;
	}
	guard(mutex)(&perf_pmus_mutex);
	perf_pmu_scope_join(cpu);
	cpumask_set_cpu(cpu, perf_online_mask);

	guard(mutex)(&cpuctx->ctx.mutex);
	cpuctx->online = true;
	/* An online CPU calls this itself; so does the first one. */
	perf_cpu_load();
	return 0;
}

/* Moves events of PMUs with a scope to another CPU of the unit. */
static void perf_cpu_bequeath(unsigned int cpu)
{
	int heir[PERF_PMU_MAX_SCOPE];
	struct pmu *pmu;
	int scope;

	for (scope = 0; scope < PERF_PMU_MAX_SCOPE; scope++)
		heir[scope] = perf_pmu_scope_leave(scope, cpu);
	list_for_each_entry(pmu, &perf_pmus, entry) {
		if (heir[pmu->scope] >= 0)
			perf_pmu_migrate_context(pmu, cpu, heir[pmu->scope]);
	}
}

/*
 * Does an event of the PMU end when its CPU goes offline? Some PMUs count for a
 * unit of several CPUs, and their drivers move the events from one CPU of the
 * unit to another. When the last CPU goes, the events stay in its context.
 * They cannot go on there later: another CPU may stand for the unit, and the
 * driver may have freed its data for this CPU. It makes new data only after the
 * context is loaded. Drivers of trace units prepare a CPU that late, too.
 */
static bool perf_cpu_ends_pmu(const struct pmu *pmu)
{
	return pmu->task_ctx_nr == perf_invalid_context || pmu->setup_aux;
}

/* A group ends as a whole; perf_control_remove() leaves its events in it. */
static bool perf_cpu_ends_group(struct perf_event *leader)
{
	struct perf_event *sibling;

	if (perf_cpu_ends_pmu(leader->pmu))
		return true;
	for_each_sibling_event(sibling, leader) {
		if (perf_cpu_ends_pmu(sibling->pmu))
			return true;
	}
	return false;
}

/* The events can be read, as groups as well. */
static void perf_cpu_end_events(struct perf_ctx *ctx)
{
	struct perf_event *event, *next;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry_safe(event, next, &ctx->event_list, event_entry) {
		if (!perf_cpu_ends_group(event->group_leader))
			continue;
		perf_control_remove(event, PERF_EVENT_STATE_EXIT, 0);
		perf_overflow_wakeup(event);
	}
}

/**
 * perf_event_exit_cpu() - unload the context of a CPU that goes offline
 * @cpu: CPU; called once on it, and once after it stopped
 *
 * Context: hotplug thread; reboot notifier. Takes perf_pmus_mutex, and mutexes
 * of CPUs' contexts.
 * Return: 0.
 */
int perf_event_exit_cpu(unsigned int cpu)
{
	struct perf_cpu_context *cpuctx = &per_cpu(perf_cpu_context, cpu);

	guard(mutex)(&perf_pmus_mutex);
	cpumask_clear_cpu(cpu, perf_online_mask);
	perf_cpu_bequeath(cpu);

	guard(mutex)(&cpuctx->ctx.mutex);
	cpuctx->online = false;
	perf_cpu_end_events(&cpuctx->ctx);
	perf_cpu_call(cpu, perf_cpu_unload, NULL);
	WARN_ON_ONCE(!cpu_online(cpu) && perf_walk_is_waited_for(cpu));
	return 0;
}

static int perf_cpu_reboot(struct notifier_block *notifier, unsigned long val,
			   void *v)
{
	int cpu;

	for_each_online_cpu(cpu)
		perf_event_exit_cpu(cpu);
	return NOTIFY_OK;
}

/* Runs last, so that the watchdog's counters run as long as possible. */
static struct notifier_block perf_cpu_reboot_notifier = {
	.notifier_call	= perf_cpu_reboot,
	.priority	= INT_MIN,
};

/**
 * perf_event_init() - initialise perf
 *
 * Context: boot, one CPU, interrupts off.
 */
void __init perf_event_init(void)
{
	int cpu, err;

	if (!zalloc_cpumask_var(&perf_online_mask, GFP_KERNEL))
		panic("perf: no memory\n");
	for_each_possible_cpu(cpu)
		perf_ctx_init(&per_cpu(perf_cpu_context, cpu).ctx, cpu);
	perf_sched_cb_init_cpus();
	perf_rotate_init();
	perf_cgroup_init();
	perf_event_room_init();
	perf_caps_init();
	perf_software_init();
	perf_clock_pmu_init();
	perf_tracing_init();
	perf_event_init_cpu(smp_processor_id());
	register_reboot_notifier(&perf_cpu_reboot_notifier);

	err = init_hw_breakpoint();
	WARN(err, "perf: no hardware breakpoints: %d\n", err);
}
