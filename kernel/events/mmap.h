/* SPDX-License-Identifier: GPL-2.0 */
/* Room "mmap": mapping of buffers, the user page, locked-memory accounting. */
#ifndef _KERNEL_EVENTS_MMAP_H
#define _KERNEL_EVENTS_MMAP_H

#include "buffer_types.h"
#include "types.h"

/*
 * The room "event" initialises mmap_mutex, rb_entry and waitq of a new event;
 * after that only this room uses them.
 */

/* File operation; takes event->mmap_mutex. */
int perf_mmap(struct file *file, struct vm_area_struct *vma);

/*
 * Poll bits since the last call, EPOLLHUP without a buffer. The caller has
 * queued itself on event->waitq already. Takes event->mmap_mutex.
 */
__poll_t perf_mmap_poll(struct perf_event *event);

void perf_mmap_detach_buffer(struct perf_event *event);

/**
 * perf_mmap_detach() - take an event off its buffer
 * @event: about to be freed, no references left; may be incomplete
 *
 * Context: task; takes mmap_mutex.
 */
static inline void perf_mmap_detach(struct perf_event *event)
{
	if (rcu_access_pointer(*perf_rb_slot(event)))
		perf_mmap_detach_buffer(event);
}

/* The PMU of @event goes away: retires an AUX area that belongs to the PMU. */
void perf_mmap_revoke_aux(struct perf_event *event);

/* PERF_EVENT_IOC_SET_OUTPUT and PERF_FLAG_FD_OUTPUT; @target NULL detaches. */
int perf_mmap_set_output(struct perf_event *event, struct perf_event *target);

/* Checks whether perf_mmap_set_output() would succeed, and changes nothing. */
int perf_mmap_check_output(struct perf_event *event, struct perf_event *target);

/* Updates the user page on the CPU where the event's context is loaded. */
void perf_mmap_show(struct perf_event *event);
void perf_mmap_moved(struct perf_event *event);

/* PERF_EVENT_IOC_PAUSE_OUTPUT. Return: 0, -EINVAL without data pages. */
int perf_mmap_pause_output(struct perf_event *event, bool pause);

#endif /* _KERNEL_EVENTS_MMAP_H */
