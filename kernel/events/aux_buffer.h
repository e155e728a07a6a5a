/* SPDX-License-Identifier: GPL-2.0 */
/* Room "aux_buffer": the AUX area, its pages and its writer. */
#ifndef _KERNEL_EVENTS_AUX_BUFFER_H
#define _KERNEL_EVENTS_AUX_BUFFER_H

#include "context.h"
#include "state.h"
#include "types.h"

struct perf_aux_area;
struct perf_buffer;

extern struct perf_state_table perf_aux_state_table;

bool perf_aux_is_here(const struct perf_event *event);

/* Mapping; rb->aux.mutex. */
int perf_aux_check_mutexed(const struct perf_buffer *rb,
			   struct vm_area_struct *vma);
void perf_aux_publish_mutexed(struct perf_buffer *rb,
			      struct perf_aux_area *area);
void perf_aux_retire_mutexed(struct perf_buffer *rb);

/* Pages, and the driver's data for them. No mutex but the event's is needed. */
struct perf_aux_area *perf_aux_alloc(struct perf_event *event,
				     struct vm_area_struct *vma);
void perf_aux_free(struct perf_aux_area *area);
struct page *perf_aux_page(const struct perf_buffer *rb, unsigned long pgoff);

/*
 * Is the event a trace that was stopped because its buffer goes away? Some
 * drivers keep addresses of the buffer until pmu::del, so that the event must
 * not be started before that. Drivers that do not trace may have
 * PERF_HES_STOPPED set while an event counts. ctx->lock, on the event's CPU.
 */
static inline bool perf_aux_stays_stopped(const struct perf_event *event)
{
	bool stopped = READ_ONCE(event->hw.state) & PERF_HES_STOPPED;

	/* Read last: an NMI may throttle the event, and stop it, meanwhile. */
	return event->pmu->setup_aux && stopped &&
	       !perf_event_is_throttled(event);
}

/* Stores event->rb; event->mmap_mutex. */
void perf_aux_move(struct perf_event *event, struct perf_buffer *from,
		   struct perf_buffer *to);

#endif /* _KERNEL_EVENTS_AUX_BUFFER_H */
