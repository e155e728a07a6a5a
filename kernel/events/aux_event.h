/* SPDX-License-Identifier: GPL-2.0 */
/* Room "aux_event": siblings that act on the trace of their group leader. */
#ifndef _KERNEL_EVENTS_AUX_EVENT_H
#define _KERNEL_EVENTS_AUX_EVENT_H

#include "types.h"

int perf_aux_check_request(struct perf_event *event);
int perf_aux_link_leader(struct perf_event *event);

/**
 * perf_aux_check_attr() - check an event's AUX attributes against its PMU
 * @event: new event, its PMU is known
 *
 * Context: task.
 * Return: 0; -EOPNOTSUPP for attr.aux_output if the PMU cannot do it, or
 * together with pause or resume, and for attr.aux_start_paused on a PMU that
 * cannot pause; -EINVAL for pause and resume at once.
 */
static inline int perf_aux_check_attr(struct perf_event *event)
{
	if (event->attr.aux_output || event->attr.aux_action)
		return perf_aux_check_request(event);
	return 0;
}

/**
 * perf_aux_link() - link an event to its leader, if it acts on the trace
 * @event: event that is about to join event->group_leader
 *
 * The room "groups" removes the link when the event leaves the group.
 *
 * Context: task, ctx->mutex.
 * Return: 0; -EINVAL if it has no leader, or a leader that cannot do it.
 */
static inline int perf_aux_link(struct perf_event *event)
{
	if (event->attr.aux_output || has_aux_action(event))
		return perf_aux_link_leader(event);
	return 0;
}

/* attr.aux_pause, attr.aux_resume: at an overflow. */
void perf_aux_set_paused(struct perf_event *event, bool pause);

/* PERF_SAMPLE_AUX. */
u64 perf_aux_sample_size(struct perf_event *event, u64 room);
void perf_aux_sample_write(struct perf_event *event,
			   struct perf_output_handle *handle, u64 size);

#endif /* _KERNEL_EVENTS_AUX_EVENT_H */
