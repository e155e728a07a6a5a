/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sideband": side-band records, by rows of a table. */
#ifndef _KERNEL_EVENTS_SIDEBAND_H
#define _KERNEL_EVENTS_SIDEBAND_H

#include <linux/atomic.h>
#include "types.h"

struct cgroup;

/* Records that events may want; the events are counted per kind. */
enum perf_side_want {
	PERF_SIDE_TASK,
	PERF_SIDE_COMM,
	PERF_SIDE_MMAP,
	PERF_SIDE_BUILD_ID,
	PERF_SIDE_NAMESPACES,
	PERF_SIDE_SWITCH,
	PERF_SIDE_KSYMBOL,
	PERF_SIDE_BPF,
	PERF_SIDE_TEXT_POKE,
	PERF_SIDE_CGROUP,
	PERF_SIDE_NR,
};

extern atomic_t perf_side_wants[PERF_SIDE_NR];

/* Does any event want records of this kind? One load; usually false. */
static inline bool perf_side_wanted(enum perf_side_want want)
{
	return unlikely(atomic_read(&perf_side_wants[want]));
}

void perf_side_count(struct perf_event *event);
void perf_side_uncount(struct perf_event *event);

/* Any of the bits in side_bits, see sideband.c. Most events have none. */
static inline bool perf_side_wants_any(const struct perf_event_attr *attr)
{
	return attr->task | attr->comm | attr->mmap | attr->mmap2 |
	       attr->mmap_data | attr->build_id | attr->namespaces |
	       attr->context_switch | attr->ksymbol | attr->bpf_event |
	       attr->text_poke | attr->cgroup;
}

/**
 * perf_side_account() - register an event for side-band records
 * @event: the event; attr, cpu and attach_state are final. Inherited copies
 *	are not registered, their parent is counted for them
 *
 * It is counted for each kind of record that it wants. Unless it belongs to a
 * task's context, it is also listed on its CPU.
 *
 * Context: task; once per event.
 */
static inline void perf_side_account(struct perf_event *event)
{
	if (!event->parent && perf_side_wants_any(&event->attr))
		perf_side_count(event);
}

/**
 * perf_side_unaccount() - undo perf_side_account()
 * @event: the event; it stays in memory for a grace period
 *
 * Context: any but NMI.
 */
static inline void perf_side_unaccount(struct perf_event *event)
{
	if (!event->parent && perf_side_wants_any(&event->attr))
		perf_side_uncount(event);
}

/* Call it only if PERF_SIDE_SWITCH is wanted. Switch path, runqueue lock held. */
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

/* Two steps of a move to another CPU, a grace period between them. */
void perf_side_leave_cpu(struct perf_event *event);
void perf_side_join_cpu(struct perf_event *event);

#endif /* _KERNEL_EVENTS_SIDEBAND_H */
