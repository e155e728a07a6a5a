// SPDX-License-Identifier: GPL-2.0
/*
 * Room "ring_buffer": pages, and the writer that takes no lock.
 *
 * Owns struct perf_buffer, except for its locked-memory charge and its list of
 * events, which belong to room "mmap"; the poll bits; the counts of lost
 * records.
 *
 * Contexts: the writer (perf_output_*(), perf_rb_write*()) runs anywhere, NMI
 * included, with preemption off from begin to end. Allocation sleeps.
 *
 * Lifetime: perf_rb_alloc() gives one reference. Each attached event has one.
 * When the last goes, memory is freed after a grace period; writers are RCU
 * readers and need no reference.
 *
 * Locking: none for writers. A buffer is written by one CPU at a time, either
 * because its events are bound to that CPU or because they count one task. So
 * only interrupts and NMIs of that CPU can nest. event_lock guards the list of
 * events and is never taken in NMI.
 *
 * A writer reserves space by moving rb->head with a CPU-local
 * compare-and-exchange; rb->nest counts the open reservations. The writer that
 * brings it back to 0 publishes:
 *
 *   1. nest is 1. Load head. A writer that nests from here on sees nest >= 1,
 *      moves head, and leaves it to this writer to publish.
 *   2. Store data_head. A stale value is corrected in step 4; it never falls
 *      behind the value published before, as no other writer publishes now.
 *   3. Store nest = 0. A writer that interrupts from here on publishes its
 *      records itself.
 *   4. Load head again. If it differs from the value of step 2, a writer nested
 *      between 1 and 3: set nest = 1 and start over. (If it nested after 3, the
 *      repetition is harmless.)
 *
 * Each step is one plain load or store; compiler barriers keep their order,
 * which is enough on one CPU. The reader runs on any CPU:
 *
 *   writer                              reader
 *     load data_tail                      load data_head
 *     (a) branch on room                  (c) read barrier
 *     store record                        load record
 *     (b) write barrier                   (d) full barrier
 *     store data_head                     store data_tail
 *
 * (b) pairs with (c): a reader that sees the head sees the record. (a) pairs
 * with (d): a store that depends on the branch cannot overtake the load, so a
 * byte is not overwritten before the reader has released it.
 *
 * The user page is writable by the reader. data_tail is read once for each
 * reservation and only decides whether the buffer is full; head, sizes and
 * masks are in kernel memory.
 *
 * A model of this is lab/models/ring.pml.
 */

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "ring_buffer.h"
#include "buffer_types.h"
#include "hooks.h"
#include "live.h"
#include "pending.h"

#ifndef arch_perf_out_copy_user
static inline unsigned long
arch_perf_out_copy_user(void *to, const void __user *from, unsigned long len)
{
	unsigned long left;

	pagefault_disable();
	left = __copy_from_user_inatomic(to, from, len);
	pagefault_enable();
	return left;
}
#endif

/* No valid data_tail: records end at multiples of 8. */
#define PERF_RB_NOT_FULL	(~0UL)

#define TO(s)	BIT(PERF_RB_##s)

/* A buffer that is out of use is never used again: see mmap.c. */
static const struct perf_state_row perf_rb_states[] = {
	[PERF_RB_NEW]      = { .name = "new", .to = TO(MAPPED) | TO(FREED) },
	[PERF_RB_MAPPED]   = { .name = "mapped", .to = TO(UNMAPPED) },
	[PERF_RB_UNMAPPED] = { .name = "unmapped", .to = TO(FREED) },
	[PERF_RB_FREED]    = { .name = "freed" },
};

static const struct perf_state_row perf_rb_flow_states[] = {
	[PERF_RB_FLOWS]  = { .name = "flows", .to = TO(PAUSED) },
	[PERF_RB_PAUSED] = { .name = "paused", .to = TO(FLOWS) },
	[PERF_RB_BARE]   = { .name = "bare" },
};

struct perf_state_table perf_rb_state_table = {
	.of	= "buffer",
	.rows	= perf_rb_states,
	.nr	= ARRAY_SIZE(perf_rb_states),
};

struct perf_state_table perf_rb_flow_table = {
	.of	= "records",
	.rows	= perf_rb_flow_states,
	.nr	= ARRAY_SIZE(perf_rb_flow_states),
};

/* What perf_rb_emit_lost() writes in front of the trailer. */
struct perf_rb_lost {
	struct perf_event_header	header;
	u64				id;
	u64				lost;
};

/**
 * perf_rb_data_size() - get the size of the area for records
 * @rb: buffer
 *
 * Context: any.
 * Return: bytes; 0 when only the user page is mapped, else a power of two.
 */
unsigned long perf_rb_data_size(const struct perf_buffer *rb)
{
	return (unsigned long)rb->nr_runs << rb->run_shift;
}

/**
 * perf_rb_wake() - request a wake-up of the readers of a buffer
 * @rb: the buffer
 * @event: event that writes to it, or an inherited copy
 *
 * Wakes from irq_work, as the writer may be in NMI or hold a runqueue lock.
 * The event stays until that has run; see pending.h.
 *
 * Context: any, NMI included.
 */
void perf_rb_wake(struct perf_buffer *rb, struct perf_event *event)
{
	/* (e) after data_head; pairs with the exchange in perf_mmap_poll() */
	atomic_set_release(&rb->poll, (__force int)(EPOLLIN | EPOLLRDNORM));
	/* The CPU that clears this wakes pollers, which must see rb->poll. */
	smp_store_release(&rb->wake_due, 1);
	if (*perf_event_fasync(event) && !READ_ONCE(event->pending_kill))
		WRITE_ONCE(event->pending_kill, POLL_IN);
	perf_pending_wake(event);
}

static __always_inline void perf_rb_enter(struct perf_output_handle *handle)
{
	struct perf_buffer *rb = handle->rb;

	preempt_disable();
	handle->wakeup = local_read(&rb->wakeup);
	barrier(); /* from here on a nested writer leaves wake-ups to us */
	WRITE_ONCE(rb->nest, READ_ONCE(rb->nest) + 1);
	barrier(); /* nest is raised before head moves */
}

/* Return: the head that was published. */
static __always_inline unsigned long perf_rb_show_head(struct perf_buffer *rb)
{
	unsigned long head = local_read(&rb->head);

	smp_wmb(); /* (b), pairs with (c) */
	WRITE_ONCE(rb->user_page->data_head, head);
	return head;
}

/* Steps 1 to 4 of the comment on top. */
static __always_inline void perf_rb_publish(struct perf_buffer *rb)
{
	unsigned long shown;

	do {
		WRITE_ONCE(rb->nest, 1);
		barrier(); /* nest before the load of head */
		shown = perf_rb_show_head(rb);
		barrier(); /* data_head before nest */
		WRITE_ONCE(rb->nest, 0);
		barrier(); /* nest before the second load */
	} while (unlikely(shown != local_read(&rb->head)));
}

static __always_inline void perf_rb_leave(struct perf_output_handle *handle)
{
	struct perf_buffer *rb = handle->rb;
	unsigned int nest = READ_ONCE(rb->nest);

	if (nest > 1) {
		barrier(); /* the record before nest */
		WRITE_ONCE(rb->nest, nest - 1);
	} else {
		perf_rb_publish(rb);
		if (handle->wakeup != local_read(&rb->wakeup))
			perf_rb_wake(rb, handle->event);
	}
	preempt_enable();
}

/*
 * One byte stays free, so that a full buffer differs from an empty one. The
 * mask makes any tail harmless. @tail receives the tail that was used.
 */
static __always_inline bool perf_rb_has_room(const struct perf_buffer *rb,
					     unsigned long head,
					     unsigned int size, bool backward,
					     unsigned long *tail)
{
	unsigned long mask = perf_rb_data_size(rb) - 1;
	unsigned long distance;

	if (rb->overwrite) {
		*tail = 0;
		return size <= mask + 1;
	}
	*tail = READ_ONCE(rb->user_page->data_tail);
	distance = backward ? head - *tail : *tail - head;
	return ((distance - 1) & mask) >= size; /* (a), pairs with (d) */
}

static __always_inline void perf_rb_seek(struct perf_output_handle *handle,
					 const struct perf_buffer *rb,
					 unsigned long position)
{
	unsigned long run_size = 1UL << rb->run_shift;

	handle->page = (position >> rb->run_shift) & (rb->nr_runs - 1);
	handle->addr = rb->runs[handle->page] + (position & (run_size - 1));
	handle->size = run_size - (position & (run_size - 1));
}

/*
 * A nested writer may have moved the stamp for the same bytes, even beyond
 * @written. The stamp must not be moved twice for them: it would run ahead of
 * the data, and each record would seem to pass the watermark.
 */
static __always_inline void perf_rb_check_watermark(struct perf_buffer *rb,
						    unsigned long written)
{
	long stamp = local_read(&rb->wakeup);

	if (unlikely((long)(written - stamp) > (long)rb->watermark))
		local_cmpxchg(&rb->wakeup, stamp, stamp + rb->watermark);
}

/*
 * Moves head over @size bytes and points @handle at them. The atomic operation
 * makes the compiler forget @handle->rb, so the caller passes @rb.
 * Return: false if there is no room; @tail is the tail that was used.
 */
static __always_inline bool perf_rb_reserve(struct perf_output_handle *handle,
					    struct perf_buffer *rb,
					    unsigned int size, bool backward,
					    unsigned long *tail)
{
	unsigned long old = local_read(&rb->head);
	unsigned long new;

	do {
		if (unlikely(!perf_rb_has_room(rb, old, size, backward, tail)))
			return false;
		new = backward ? old - size : old + size;
	} while (!local_try_cmpxchg(&rb->head, &old, new));

	perf_rb_check_watermark(rb, backward ? -new : new);
	perf_rb_seek(handle, rb, backward ? new : old);
	return true;
}

static void perf_rb_count_lost(struct perf_buffer *rb, struct perf_event *event)
{
	local_inc(&rb->lost);
	atomic64_inc(&event->lost_samples);
}

static bool perf_rb_has_trailer(const struct perf_event *event)
{
	return event->layout.trailer;
}

static unsigned int perf_rb_lost_size(const struct perf_event *event)
{
	unsigned int size = sizeof(struct perf_rb_lost);

	if (perf_rb_has_trailer(event))
		size += event->layout.trailer;
	return size;
}

/* A nested writer may have reported the count before; then it is 0 here. */
static noinline void perf_rb_emit_lost(struct perf_output_handle *handle,
				       struct perf_sample_data *data)
{
	struct perf_event *event = handle->event;
	bool trailer = perf_rb_has_trailer(event);
	struct perf_rb_lost record = {
		.header.type	= PERF_RECORD_LOST,
		.id		= event->id,
		.lost		= local_xchg(&handle->rb->lost, 0),
	};

	if (trailer)
		perf_hooks.sample_id_init(&record.header, data, event);
	record.header.size = perf_rb_lost_size(event);
	perf_rb_write(handle, &record, sizeof(record));
	if (trailer)
		perf_hooks.sample_id_emit(event, handle, data);
}

/*
 * A watermark near the size of the buffer is never passed. So the first record
 * that finds no room also causes a wake-up, and so does the first such record
 * after the reader has moved data_tail. The stamp only grows, so a writer that
 * compares it notices each of them. The caller's @tail is used. With a newer
 * tail there may be room; when the buffer is full at that tail later, no
 * wake-up would follow. For the same reason a record that is too large for an
 * empty buffer causes no wake-up; there is nothing to read.
 */
static void perf_rb_mark_full(struct perf_buffer *rb, bool backward,
			      unsigned long tail)
{
	unsigned long head = local_read(&rb->head);
	long stamp, ahead;

	if (head == tail || READ_ONCE(rb->full_at) == tail)
		return;
	WRITE_ONCE(rb->full_at, tail);
	stamp = local_read(&rb->wakeup);
	ahead = (backward ? -head : head) - stamp;
	local_cmpxchg(&rb->wakeup, stamp, stamp + max(ahead, 1L));
}

/* Out of line: only the path of a writer that finds room has to be fast. */
static noinline int perf_rb_turn_away(struct perf_output_handle *handle,
				      bool backward, unsigned long tail)
{
	perf_rb_count_lost(handle->rb, handle->event);
	perf_rb_mark_full(handle->rb, backward, tail);
	perf_rb_leave(handle);
	return -ENOSPC;
}

static noinline int perf_rb_refuse(struct perf_buffer *rb,
				   struct perf_event *event)
{
	if (READ_ONCE(rb->flow) != PERF_RB_BARE)
		perf_rb_count_lost(rb, event);
	return -ENOSPC;
}

/* Inside an RCU section, which stays open on success. */
static __always_inline int perf_rb_begin_rcu(struct perf_output_handle *handle,
					     struct perf_sample_data *data,
					     struct perf_event *event,
					     unsigned int size, bool backward)
{
	struct perf_buffer *rb = perf_rb_rcu(event);
	unsigned long tail;
	bool lost;

	if (unlikely(!rb))
		return -ENOSPC;
	if (unlikely(READ_ONCE(rb->flow) != PERF_RB_FLOWS))
		return perf_rb_refuse(rb, event);

	handle->rb = rb;
	handle->event = event;
	handle->flags = 0;
	lost = local_read(&rb->lost);
	if (unlikely(lost))
		size += perf_rb_lost_size(event);

	perf_rb_enter(handle);
	if (unlikely(!perf_rb_reserve(handle, rb, size, backward,
				      &tail)))
		return perf_rb_turn_away(handle, backward, tail);
	if (unlikely(lost))
		perf_rb_emit_lost(handle, data);
	return 0;
}

static __always_inline int perf_rb_begin(struct perf_output_handle *handle,
					 struct perf_sample_data *data,
					 struct perf_event *event,
					 unsigned int size, bool backward)
{
	int err;

	rcu_read_lock();
	err = perf_rb_begin_rcu(handle, data, perf_event_eldest(event), size,
				backward);
	if (unlikely(err))
		rcu_read_unlock();
	else
		__release(RCU); /* perf_output_end() unlocks */
	return err;
}

/**
 * perf_output_begin_forward() - reserve a record in a buffer that grows upwards
 * @handle: filled in, the caller's
 * @data: sample data of the record; its ids appear in a PERF_RECORD_LOST
 * @event: event that writes, or an inherited copy of it
 * @size: bytes of the record, a multiple of 8
 *
 * A PERF_RECORD_LOST precedes the record if records were lost before.
 *
 * Context: any, NMI included. On success preemption is off and an RCU section
 * open until perf_output_end().
 * Return: 0; -ENOSPC without a buffer, while it is paused, or if @size bytes
 * are not free. A paused or full buffer counts the loss, and the readers of a
 * full one are woken.
 */
int perf_output_begin_forward(struct perf_output_handle *handle,
			      struct perf_sample_data *data,
			      struct perf_event *event, unsigned int size)
{
	return perf_rb_begin(handle, data, event, size, false);
}

/**
 * perf_output_begin_backward() - reserve a record in front of the latest one
 * @handle: filled in, the caller's
 * @data: what the record is about
 * @event: event that writes; has attr.write_backward
 * @size: bytes of the record, a multiple of 8
 *
 * data_head counts down, and a reader finds the latest record at data_head.
 *
 * Context: as perf_output_begin_forward().
 * Return: as perf_output_begin_forward().
 */
int perf_output_begin_backward(struct perf_output_handle *handle,
			       struct perf_sample_data *data,
			       struct perf_event *event, unsigned int size)
{
	return perf_rb_begin(handle, data, event, size, true);
}

/**
 * perf_output_begin() - reserve a record in the direction of the event
 * @handle: filled in, the caller's
 * @data: what the record is about
 * @event: event that writes, or an inherited copy of it
 * @size: bytes of the record, a multiple of 8
 *
 * Context: as perf_output_begin_forward().
 * Return: as perf_output_begin_forward().
 */
int perf_output_begin(struct perf_output_handle *handle,
		      struct perf_sample_data *data,
		      struct perf_event *event, unsigned int size)
{
	if (unlikely(is_write_backward(event)))
		return perf_output_begin_backward(handle, data, event, size);
	return perf_output_begin_forward(handle, data, event, size);
}

/**
 * perf_output_end() - close a reservation
 * @handle: of a successful perf_output_begin(); on the same CPU
 *
 * The outermost writer makes all finished records visible. It wakes readers if
 * the watermark was passed meanwhile, or if a record found no room.
 *
 * Context: that of the begin.
 */
void perf_output_end(struct perf_output_handle *handle)
{
	__acquire(RCU); /* since perf_rb_begin() */
	perf_rb_leave(handle);
	rcu_read_unlock();
}

/* When the bytes of the current run are used up, continues in the next run. */
static __always_inline void perf_rb_advance(struct perf_output_handle *handle,
					    unsigned long len)
{
	struct perf_buffer *rb = handle->rb;

	handle->addr += len;
	handle->size -= len;
	if (handle->size)
		return;

	handle->page = (handle->page + 1) & (rb->nr_runs - 1);
	handle->addr = rb->runs[handle->page];
	handle->size = 1UL << rb->run_shift;
}

/**
 * perf_rb_write() - store the next bytes of a record
 * @handle: open reservation with at least @len bytes left
 * @from: kernel memory
 * @len: bytes
 *
 * Context: between begin and end.
 */
void perf_rb_write(struct perf_output_handle *handle, const void *from,
		   unsigned long len)
{
	while (len) {
		unsigned long piece = min(handle->size, len);

		memcpy(handle->addr, from, piece);
		perf_rb_advance(handle, piece);
		from += piece;
		len -= piece;
	}
}

/**
 * perf_rb_write_by() - let a function store the next bytes of a record
 * @handle: open reservation with at least @len bytes left
 * @copy: stores one piece and returns how many bytes of it are missing
 * @from: passed on to @copy, with the offset
 * @len: bytes
 *
 * Context: between begin and end.
 * Return: bytes that were not stored; the next write follows directly on those
 * that were.
 */
unsigned long perf_rb_write_by(struct perf_output_handle *handle,
			       perf_copy_f copy, const void *from,
			       unsigned long len)
{
	unsigned long done = 0;

	while (done < len) {
		unsigned long piece = min(handle->size, len - done);
		unsigned long left = copy(handle->addr, from, done, piece);

		perf_rb_advance(handle, piece - left);
		done += piece - left;
		if (left)
			break;
	}
	return len - done;
}

/**
 * perf_rb_write_user() - store the next bytes of a record from user memory
 * @handle: open reservation with at least @len bytes left
 * @from: current's user memory; what is not resident is not read
 * @len: bytes
 *
 * Context: between begin and end; takes no page fault.
 * Return: bytes that could not be read; the next write follows directly on
 * those that could.
 */
unsigned long perf_rb_write_user(struct perf_output_handle *handle,
				 const void __user *from, unsigned long len)
{
	while (len) {
		unsigned long piece = min(handle->size, len);
		unsigned long left;

		left = arch_perf_out_copy_user(handle->addr, from, piece);
		perf_rb_advance(handle, piece - left);
		from += piece - left;
		len -= piece - left;
		if (left)
			break;
	}
	return len;
}

/**
 * perf_output_copy() - store the next bytes of a record
 * @handle: open reservation with at least @len bytes left
 * @buf: kernel memory
 * @len: bytes
 *
 * Context: between begin and end.
 * Return: 0: no byte is left to store.
 */
unsigned int perf_output_copy(struct perf_output_handle *handle,
			      const void *buf, unsigned int len)
{
	perf_rb_write(handle, buf, len);
	return 0;
}

/**
 * perf_output_skip() - leave the next bytes of a record as they are
 * @handle: open reservation with at least @len bytes left
 * @len: bytes; they show older records, or zeroes
 *
 * Context: between begin and end.
 * Return: 0: no byte is left to skip.
 */
unsigned int perf_output_skip(struct perf_output_handle *handle,
			      unsigned int len)
{
	while (len) {
		unsigned long piece = min_t(unsigned long, handle->size, len);

		perf_rb_advance(handle, piece);
		len -= piece;
	}
	return 0;
}

/**
 * perf_rb_count_wakeup() - wake readers after each attr.wakeup_events samples
 * @handle: open reservation of an event that has attr.wakeup_events
 *
 * The count belongs to the buffer: samples of all events that share it add up.
 *
 * Context: between begin and end.
 */
void perf_rb_count_wakeup(struct perf_output_handle *handle)
{
	/* Signed: if writers nest and both subtract, the count is below 0. */
	int wanted = handle->event->attr.wakeup_events;
	struct perf_buffer *rb = handle->rb;

	if (local_inc_return(&rb->samples) < wanted)
		return;
	local_sub(wanted, &rb->samples);
	local_inc(&rb->wakeup);
}

/**
 * perf_rb_record() - write a record that is complete in memory
 * @event: event that writes, or an inherited copy of it
 * @record: header.size bytes; the size of the id trailer is added to the header
 *
 * For rooms that come before room "sample", which writes the trailer. A record
 * that finds no room is counted as lost.
 *
 * Context: any, NMI included.
 */
void perf_rb_record(struct perf_event *event, struct perf_event_header *record)
{
	bool trailer = perf_rb_has_trailer(event);
	struct perf_output_handle handle;
	struct perf_sample_data data;
	unsigned int size = record->size;

	perf_sample_data_init(&data, 0, 0);
	if (trailer)
		perf_hooks.sample_id_init(record, &data, event);
	if (perf_output_begin(&handle, &data, event, record->size))
		return;
	perf_rb_write(&handle, record, size);
	if (trailer)
		perf_hooks.sample_id_emit(event, &handle, &data);
	perf_output_end(&handle);
}

static void perf_rb_set_flow(struct perf_buffer *rb, enum perf_rb_flow flow)
{
	perf_state_check(&perf_rb_flow_table, READ_ONCE(rb->flow), flow);
	WRITE_ONCE(rb->flow, flow);
}

/**
 * perf_rb_pause() - stop or resume taking records
 * @rb: buffer
 * @pause: true to pause, false to resume
 *
 * Records that are under way are finished. For a buffer without data pages
 * nothing is done.
 *
 * Context: any.
 */
void perf_rb_pause(struct perf_buffer *rb, bool pause)
{
	if (READ_ONCE(rb->flow) != PERF_RB_BARE)
		perf_rb_set_flow(rb, pause ? PERF_RB_PAUSED : PERF_RB_FLOWS);
}

/**
 * perf_rb_set_state() - change the state of a buffer
 * @rb: buffer
 * @state: next state
 *
 * Context: any; no other CPU can change the state now.
 */
void perf_rb_set_state(struct perf_buffer *rb, enum perf_rb_state state)
{
	perf_state_check(&perf_rb_state_table, rb->state, state);
	rb->state = state;
}

/**
 * perf_rb_wake_due() - wake the pollers of all events that write to a buffer
 * @rb: buffer
 *
 * Context: task or irq_work.
 * Return: false if no wake-up is requested, or another CPU has cleared the
 * request already.
 */
bool perf_rb_wake_due(struct perf_buffer *rb)
{
	struct perf_event *writer;
	unsigned long flags;
	bool due;

	if (!READ_ONCE(rb->wake_due))
		return false;
	/* Nothing delays the walk of the CPU that takes the request away. */
	spin_lock_irqsave(&rb->event_lock, flags);
	due = xchg(&rb->wake_due, 0);
	if (due) {
		list_for_each_entry(writer, &rb->event_list, rb_entry)
			wake_up_all(&writer->waitq);
	}
	spin_unlock_irqrestore(&rb->event_lock, flags);
	return due;
}

/**
 * perf_rb_wake_pollers() - wake the pollers of an event
 * @event: event, or inherited copy
 *
 * If the buffer has something to read, and no poller was woken for it yet, this
 * also wakes the pollers of other events that write to the buffer. So when many
 * events request a wake-up at the same time, the list of events is walked only
 * once.
 *
 * Context: task or irq_work.
 */
void perf_rb_wake_pollers(struct perf_event *event)
{
	struct perf_event *eldest = perf_event_eldest(event);
	struct perf_buffer *rb;

	guard(rcu)();
	rb = perf_rb_rcu(eldest);
	if (!rb || !perf_rb_wake_due(rb))
		wake_up_all(&eldest->waitq);
}

/**
 * perf_rb_get() - look up the buffer of an event
 * @event: event, or inherited copy
 *
 * Context: any.
 * Return: the buffer with a reference for the caller, or NULL.
 */
struct perf_buffer *perf_rb_get(struct perf_event *event)
{
	struct perf_buffer *rb;

	guard(rcu)();
	rb = perf_rb_rcu(perf_event_eldest(event));
	if (rb && !refcount_inc_not_zero(&rb->refcount))
		rb = NULL;
	return rb;
}

/* mm does not free a page with a mapping, which perf_mmap_page() has set. */
static void perf_rb_disown(struct page *page)
{
	page->mapping = NULL;
}

static struct perf_buffer *perf_rb_alloc_head(unsigned int nr_runs, int node)
{
	struct perf_buffer *rb;
	size_t size = struct_size(rb, runs, nr_runs);

	if (order_base_2(size) > PAGE_SHIFT + MAX_PAGE_ORDER)
		return NULL;
	rb = kzalloc_node(size, GFP_KERNEL, node);
	if (rb)
		perf_live_add(PERF_LIVE_BUFFERS, 1);
	return rb;
}

#ifdef CONFIG_PERF_USE_VMALLOC

/*
 * Data caches that are indexed by virtual address need kernel and user
 * addresses of a page to have the same colour, which vmalloc_user() ensures.
 * There is one run.
 */
static void perf_rb_free(struct perf_buffer *rb)
{
	unsigned long at, end = PAGE_SIZE + perf_rb_data_size(rb);
	void *base = rb->user_page;

	if (base) {
		for (at = 0; at < end; at += PAGE_SIZE)
			perf_rb_disown(vmalloc_to_page(base + at));
		vfree(base);
	}
	perf_live_add(PERF_LIVE_BUFFERS, -1);
	kfree(rb);
}

static struct perf_buffer *perf_rb_alloc_pages(int nr_pages, int node)
{
	struct perf_buffer *rb = perf_rb_alloc_head(1, node);
	void *base;

	if (!rb)
		return NULL;

	base = vmalloc_user((nr_pages + 1UL) * PAGE_SIZE);
	if (!base) {
		perf_rb_free(rb);
		return NULL;
	}
	rb->user_page = base;
	rb->runs[0] = base + PAGE_SIZE;
	rb->nr_runs = nr_pages ? 1 : 0;
	rb->run_shift = PAGE_SHIFT + (nr_pages ? ilog2(nr_pages) : 0);
	return rb;
}

static struct page *perf_rb_kernel_page(void *at)
{
	return vmalloc_to_page(at);
}

#else /* !CONFIG_PERF_USE_VMALLOC */

static void *perf_rb_new_page(int node)
{
	struct page *page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO, 0);

	return page ? page_address(page) : NULL;
}

static void perf_rb_free_page(void *at)
{
	perf_rb_disown(virt_to_page(at));
	free_page((unsigned long)at);
}

/* The only destructor; nr_runs counts the pages that were allocated. */
static void perf_rb_free(struct perf_buffer *rb)
{
	while (rb->nr_runs)
		perf_rb_free_page(rb->runs[--rb->nr_runs]);
	if (rb->user_page)
		perf_rb_free_page(rb->user_page);
	perf_live_add(PERF_LIVE_BUFFERS, -1);
	kfree(rb);
}

static bool perf_rb_fill(struct perf_buffer *rb, unsigned int nr_pages, int node)
{
	rb->run_shift = PAGE_SHIFT;
	rb->user_page = perf_rb_new_page(node);
	if (!rb->user_page)
		return false;

	for (; rb->nr_runs < nr_pages; rb->nr_runs++) {
		rb->runs[rb->nr_runs] = perf_rb_new_page(node);
		if (!rb->runs[rb->nr_runs])
			return false;
	}
	return true;
}

static struct perf_buffer *perf_rb_alloc_pages(int nr_pages, int node)
{
	struct perf_buffer *rb = perf_rb_alloc_head(nr_pages, node);

	if (rb && !perf_rb_fill(rb, nr_pages, node)) {
		perf_rb_free(rb);
		rb = NULL;
	}
	return rb;
}

static struct page *perf_rb_kernel_page(void *at)
{
	return virt_to_page(at);
}

#endif /* CONFIG_PERF_USE_VMALLOC */

/**
 * perf_rb_page() - get the page at an offset of the mapping
 * @rb: buffer
 * @pgoff: offset in pages: 0 for the user page, then the data
 *
 * Context: any.
 * Return: the page, without a reference; NULL behind the end.
 */
struct page *perf_rb_page(struct perf_buffer *rb, unsigned long pgoff)
{
	unsigned int order = rb->run_shift - PAGE_SHIFT;
	unsigned long nr_pages = perf_rb_data_size(rb) >> PAGE_SHIFT;
	unsigned long page;

	if (!pgoff)
		return perf_rb_kernel_page(rb->user_page);
	if (pgoff > nr_pages)
		return NULL;

	page = array_index_nospec(pgoff - 1, nr_pages);
	return perf_rb_kernel_page(rb->runs[page >> order] +
				   (page << PAGE_SHIFT) -
				   ((page >> order) << rb->run_shift));
}

static void perf_rb_free_rcu(struct rcu_head *head)
{
	perf_rb_free(container_of(head, struct perf_buffer, rcu_head));
}

static void perf_rb_put_work(struct irq_work *work)
{
	struct perf_buffer *rb = container_of(work, struct perf_buffer, put_work);

	call_rcu(&rb->rcu_head, perf_rb_free_rcu);
}

/**
 * perf_rb_alloc() - make a buffer that is not published yet
 * @nr_pages: pages of data, 0 or a power of two
 * @watermark: bytes of data between two wake-ups; 0 for half the buffer
 * @cpu: CPU that will write most, -1 for any
 * @flags: PERF_RB_WRITABLE or 0
 *
 * Context: may sleep.
 * Return: a buffer with one reference and no mapping; NULL without memory, and
 * if the page allocator cannot provide the array of runs.
 */
struct perf_buffer *perf_rb_alloc(int nr_pages, long watermark, int cpu,
				  int flags)
{
	int node = cpu < 0 ? NUMA_NO_NODE : cpu_to_node(cpu);
	struct perf_buffer *rb = perf_rb_alloc_pages(nr_pages, node);
	unsigned long size;

	if (!rb)
		return NULL;

	size = perf_rb_data_size(rb);
	rb->watermark = watermark > 0 ? min_t(unsigned long, size, watermark) :
					size / 2;
	rb->full_at = PERF_RB_NOT_FULL;
	rb->overwrite = !(flags & PERF_RB_WRITABLE);
	rb->flow = nr_pages ? PERF_RB_FLOWS : PERF_RB_BARE;
	refcount_set(&rb->refcount, 1);
	spin_lock_init(&rb->event_lock);
	INIT_LIST_HEAD(&rb->event_list);
	mutex_init(&rb->aux.mutex);
	rb->aux.cpu = -1;
	/* Hard: the interrupt that runs it ends before RCU frees the buffer. */
	rb->put_work = IRQ_WORK_INIT_HARD(perf_rb_put_work);
	return rb;
}

/**
 * perf_rb_put() - give back a reference
 * @rb: buffer
 *
 * Context: any, NMI included.
 */
void perf_rb_put(struct perf_buffer *rb)
{
	if (!refcount_dec_and_test(&rb->refcount))
		return;
	perf_rb_set_state(rb, PERF_RB_FREED);
	if (in_nmi())
		irq_work_queue(&rb->put_work);
	else
		call_rcu(&rb->rcu_head, perf_rb_free_rcu);
}
