/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "sample": layout, preparation and output of sample records.
 *
 * Its public functions (perf_prepare_sample(), perf_event_output() and so on)
 * are declared in <linux/perf_event.h>; perf_event_output_forward(),
 * _backward() are the overflow handlers that write a sample into the event's
 * buffer.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_H
#define _KERNEL_EVENTS_SAMPLE_H

#include "types.h"

/*
 * Compiles event->layout and both header sizes from attr.sample_type and
 * attr.sample_id_all. Called when the event is allocated, before others see it.
 */
void perf_sample_compile(struct perf_event *event);

/* Ids that records show, seen from the event's pid namespace. */
u32 perf_sample_pid(struct perf_event *event, struct task_struct *task);
u32 perf_sample_tid(struct perf_event *event, struct task_struct *task);

/* The sample_id trailer of non-sample records. */
void perf_sample_id_init(struct perf_event_header *header,
			 struct perf_sample_data *data,
			 struct perf_event *event);
void perf_sample_id_emit(struct perf_event *event,
			 struct perf_output_handle *handle,
			 struct perf_sample_data *data);

/* PERF_RECORD_READ of an exiting inherit_stat child. */
void perf_sample_read_record(struct perf_event *event,
			     struct task_struct *task);

#endif /* _KERNEL_EVENTS_SAMPLE_H */
