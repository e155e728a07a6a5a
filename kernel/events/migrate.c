// SPDX-License-Identifier: GPL-2.0
/*
 * Room "migrate": events of a PMU that move from one CPU to another.
 *
 * Purpose: some PMUs count for a unit of several CPUs, and one of these CPUs has
 * the events. When it goes offline its events move to another one.
 *
 * Owns: event->migrate_entry of events that move.
 *
 * Contexts: task; the hotplug thread.
 *
 * Lifetime: an event that moves is in no context for a grace period. It keeps its
 * PMU context and its reference on the old context until it has new ones.
 *
 * Locking: the mutexes of both CPUs' contexts, the lower address first.
 *
 * Race, a record is delivered to the events of the CPU while they move:
 *  1. a walk under RCU over the events of the old CPU has reached one of them;
 *  2. the event leaves the list. A grace period passes before it joins that of
 *     the new CPU, so the walk ends in the list where it began.
 */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include "context.h"
#include "control.h"
#include "mmap.h"
#include "sideband.h"

static void perf_migrate_take(struct perf_ctx *ctx, struct pmu *pmu,
			      struct list_head *events)
{
	struct perf_event *event, *next;

	list_for_each_entry_safe(event, next, &ctx->event_list, event_entry) {
		if (perf_event_pmu_ctx(event)->pmu != pmu)
			continue;
		perf_control_uninstall(event);
		perf_side_leave_cpu(event);
		list_add(&event->migrate_entry, events);
	}
}

static void perf_migrate_give(struct perf_ctx *ctx, struct pmu *pmu,
			      struct perf_event *event)
{
	struct perf_pmu_ctx *old_epc = perf_event_pmu_ctx(event);
	struct perf_ctx *old = perf_event_ctx(event);

	list_del_init(&event->migrate_entry);
	event->cpu = perf_ctx_cpu(ctx);
	event->pmu_ctx = &perf_epc_get(pmu, ctx, false)->pub;
	perf_control_install(ctx, event);
	perf_mmap_moved(event);
	/* The last reference goes when all events are where revoke.c finds them. */
	perf_epc_put(old_epc);
	perf_ctx_put(old);
	perf_side_join_cpu(event);
}

/* Siblings first: they wait for their leader, and are scheduled in together. */
static void perf_migrate_give_all(struct perf_ctx *ctx, struct pmu *pmu,
				  struct list_head *events)
{
	struct perf_event *event, *next;

	list_for_each_entry_safe(event, next, events, migrate_entry) {
		if (event->group_leader != event)
			perf_migrate_give(ctx, pmu, event);
	}
	list_for_each_entry_safe(event, next, events, migrate_entry)
		perf_migrate_give(ctx, pmu, event);
}

/**
 * perf_pmu_migrate_context() - move a PMU's events from one CPU to another
 * @pmu: PMU whose events do not depend on the CPU
 * @src_cpu: CPU that the events leave
 * @dst_cpu: CPU that the events move to
 *
 * Context: task; waits for a grace period.
 */
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu)
{
	struct perf_ctx *src, *dst;
	LIST_HEAD(events);

	if (src_cpu == dst_cpu)
		return;
	src = &per_cpu(perf_cpu_context, src_cpu).ctx;
	dst = &per_cpu(perf_cpu_context, dst_cpu).ctx;
	perf_ctx_lock_mutexes(src, dst);
	perf_migrate_take(src, pmu, &events);
	if (!list_empty(&events)) {
		synchronize_rcu();
		perf_migrate_give_all(dst, pmu, &events);
	}
	perf_ctx_unlock_mutexes(src, dst);
}
EXPORT_SYMBOL_GPL(perf_pmu_migrate_context);
