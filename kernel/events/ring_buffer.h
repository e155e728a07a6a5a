/* SPDX-License-Identifier: GPL-2.0 */
/* Room "ring_buffer": the lockless writer and the pages behind it. */
#ifndef _KERNEL_EVENTS_RING_BUFFER_H
#define _KERNEL_EVENTS_RING_BUFFER_H

#include "state.h"
#include "types.h"

#define PERF_RB_WRITABLE	0x01	/* user space consumes; else overwrite */

struct perf_buffer;

/* The life of a buffer. */
enum perf_rb_state {
	PERF_RB_NEW,		/* known to its maker only */
	PERF_RB_MAPPED,		/* in use: rb->mmap_count is not 0 */
	PERF_RB_UNMAPPED,	/* out of use; events may still be attached */
	PERF_RB_FREED,		/* no reference; memory goes by RCU */
};

/* Whether a buffer takes records. */
enum perf_rb_flow {
	PERF_RB_FLOWS,
	PERF_RB_PAUSED,		/* refuses them and counts what is lost */
	PERF_RB_BARE,		/* has no room for data: refuses, loses nothing */
};

extern struct perf_state_table perf_rb_state_table;
extern struct perf_state_table perf_rb_flow_table;

/* Pages. Lifetime: reference counted, freed after RCU. */
struct perf_buffer *perf_rb_alloc(int nr_pages, long watermark, int cpu,
				  int flags);
struct perf_buffer *perf_rb_get(struct perf_event *event);
void perf_rb_put(struct perf_buffer *rb);
struct page *perf_rb_page(struct perf_buffer *rb, unsigned long pgoff);
unsigned long perf_rb_data_size(const struct perf_buffer *rb);
void perf_rb_set_state(struct perf_buffer *rb, enum perf_rb_state state);
void perf_rb_pause(struct perf_buffer *rb, bool pause);

/* Record bytes through an output handle; NMI-safe. */
void perf_rb_write(struct perf_output_handle *handle, const void *from,
		   unsigned long len);
unsigned long perf_rb_write_user(struct perf_output_handle *handle,
				 const void __user *from, unsigned long len);
/* @copy is called with (to, @from, offset into @from, bytes) for each piece. */
unsigned long perf_rb_write_by(struct perf_output_handle *handle,
			       perf_copy_f copy, const void *from,
			       unsigned long len);

/*
 * The next @len reserved bytes as plain memory, or NULL if their page ends
 * there or before; then use perf_rb_write().
 */
static inline void *perf_rb_span(struct perf_output_handle *handle,
				 unsigned long len)
{
	void *span = handle->addr;

	if (handle->size <= len)
		return NULL;
	handle->addr += len;
	handle->size -= len;
	return span;
}

/* perf_rb_write() of eight bytes; no call unless a page ends there. */
static __always_inline void perf_rb_write_word(struct perf_output_handle *handle,
					       const void *word)
{
	void *span = perf_rb_span(handle, sizeof(u64));

	if (likely(span))
		memcpy(span, word, sizeof(u64));
	else
		perf_rb_write(handle, word, sizeof(u64));
}

/* A whole record, and its id trailer; any context. */
void perf_rb_record(struct perf_event *event, struct perf_event_header *record);

void perf_rb_count_wakeup(struct perf_output_handle *handle);

/* Counts a sample towards attr.wakeup_events; before perf_output_end(). */
static inline void perf_rb_count_sample(struct perf_output_handle *handle)
{
	const struct perf_event_attr *attr = &handle->event->attr;

	if (!attr->watermark && attr->wakeup_events)
		perf_rb_count_wakeup(handle);
}

/* Requests to wake pollers later; any context. */
void perf_rb_wake(struct perf_buffer *rb, struct perf_event *event);
/* Wakes pollers of the buffer, if that is due. Task or irq_work. */
bool perf_rb_wake_due(struct perf_buffer *rb);
/* The same for the buffer of an event; else wakes the event's pollers. */
void perf_rb_wake_pollers(struct perf_event *event);

#endif /* _KERNEL_EVENTS_RING_BUFFER_H */
