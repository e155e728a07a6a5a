/* SPDX-License-Identifier: GPL-2.0 */
/* Room "addr_filter": where in the code a trace unit traces. */
#ifndef _KERNEL_EVENTS_ADDR_FILTER_H
#define _KERNEL_EVENTS_ADDR_FILTER_H

#include "types.h"

int perf_addr_filter_alloc_ranges(struct perf_event *event);
void perf_addr_filter_drop_list(struct perf_event *event);

/**
 * perf_addr_filter_alloc() - allocate the ranges of an event
 * @event: new event, whose PMU is known
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
static inline int perf_addr_filter_alloc(struct perf_event *event)
{
	return event->pmu->nr_addr_filters ?
	       perf_addr_filter_alloc_ranges(event) : 0;
}

/**
 * perf_addr_filter_drop() - free the filters of an event, and their paths
 * @event: event that is about to be freed; its copies have gone
 *
 * Context: task, may sleep.
 */
static inline void perf_addr_filter_drop(struct perf_event *event)
{
	if (!list_empty(&event->addr_filters.list))
		perf_addr_filter_drop_list(event);
}

void perf_addr_filter_free(struct perf_event *event);
void perf_addr_filter_inherit(struct perf_event *copy,
			      const struct perf_event *source);

/* PERF_EVENT_IOC_SET_FILTER. Takes the mutex of the event's context. */
int perf_addr_filter_set(struct perf_event *event, const char *text);

/* Current has mapped a file, or executed a program; a fork is complete. */
void perf_addr_filter_mmap(struct vm_area_struct *vma);
void perf_addr_filter_exec(struct perf_ctx *ctx);
void perf_addr_filter_fork(struct task_struct *task);

#endif /* _KERNEL_EVENTS_ADDR_FILTER_H */
