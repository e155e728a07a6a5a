/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sideband": side-band records, by rows of a table. */
#ifndef _KERNEL_EVENTS_SIDEBAND_H
#define _KERNEL_EVENTS_SIDEBAND_H

#include "types.h"

struct cgroup;

/*
 * An event that asks for side-band records is counted per kind and, unless it
 * belongs to a task's context, listed on its CPU. Task context; once per event.
 * An event that was accounted is freed after a grace period.
 */
void perf_side_account(struct perf_event *event);
void perf_side_unaccount(struct perf_event *event);

/* Does any event want PERF_RECORD_SWITCH? Switch path, runqueue lock held. */
bool perf_side_wants_switch(void);
void perf_side_switch(struct task_struct *task, struct task_struct *other,
		      bool in);

/* A task was created or exits (PERF_RECORD_FORK, PERF_RECORD_EXIT). */
void perf_side_task(struct task_struct *task, bool is_new,
		    struct perf_ctx *exiting_ctx);

/* A cgroup was created (PERF_RECORD_CGROUP). May sleep. */
#ifdef CONFIG_CGROUP_PERF
void perf_side_cgroup(struct cgroup *cgrp);
#else
static inline void perf_side_cgroup(struct cgroup *cgrp) { }
#endif

/* Records of one event. Any context, NMI included. */
void perf_side_throttle(struct perf_event *event, bool throttled);
void perf_side_itrace_record(struct perf_event *event);

/* Called when an event is scheduled in. Most PMUs do not trace. */
static inline void perf_side_itrace_start(struct perf_event *event)
{
	if (unlikely(event->pmu->capabilities & PERF_PMU_CAP_ITRACE))
		perf_side_itrace_record(event);
}

/*
 * Moves the listing when event->cpu has changed and the event is installed
 * there. Waits for a grace period. ctx->mutex of both contexts.
 */
void perf_side_move(struct perf_event *event);

#endif /* _KERNEL_EVENTS_SIDEBAND_H */
