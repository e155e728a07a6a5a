/* SPDX-License-Identifier: GPL-2.0 */
/* Room "aux_event": siblings that act on the trace of their group leader. */
#ifndef _KERNEL_EVENTS_AUX_EVENT_H
#define _KERNEL_EVENTS_AUX_EVENT_H

#include "types.h"

/* Checks of what an event's attr asks of its PMU and its leader. */
int perf_aux_check_attr(struct perf_event *event);
int perf_aux_link(struct perf_event *event);

/* attr.aux_pause, attr.aux_resume: at an overflow. */
void perf_aux_set_paused(struct perf_event *event, bool pause);

/* PERF_SAMPLE_AUX. */
u64 perf_aux_sample_size(struct perf_event *event, u64 room);
void perf_aux_sample_write(struct perf_event *event,
			   struct perf_output_handle *handle, u64 size);

#endif /* _KERNEL_EVENTS_AUX_EVENT_H */
