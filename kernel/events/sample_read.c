// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sample": counts inside of records.
 *
 * Purpose: PERF_SAMPLE_READ and PERF_RECORD_READ, in the formats of read(2).
 *
 * Contexts: any down to NMI, on the CPU where the event's context is loaded, or
 * where nothing of it is loaded any more.
 *
 * Locking: none can be taken. A group changes under its context's lock on the
 * CPU where it is loaded, so interrupts are off while it is walked.
 *
 * Race: a group may grow between the size of a record and its bytes, when the
 * event is written to from a place that is not its overflow interrupt:
 *   1. the header says that n members fit;
 *   2. a member is added;
 *   3. the walk writes what n members need, no byte more; would one have gone,
 *      zeros fill its place.
 */

#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/smp.h>

#include "attr.h"
#include "clock.h"
#include "ring_buffer.h"
#include "sample_parts.h"

#define SAMPLE_READ_TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | \
				 PERF_FORMAT_TOTAL_TIME_RUNNING)

/**
 * struct sample_values - words on their way into a record
 * @handle: the record
 * @to: where the next word goes, if no page ends among the words
 * @end: behind the last word; @to if a page ends among them
 * @bytes: still to be written through @handle, in that case
 */
struct sample_values {
	struct perf_output_handle	*handle;
	u64				*to;
	u64				*end;
	u32				bytes;
};

static void sample_values_init(struct sample_values *out,
			       struct perf_output_handle *handle, u32 bytes)
{
	out->handle = handle;
	out->to = perf_rb_span(handle, bytes);
	out->end = out->to;
	out->bytes = bytes;
	if (likely(out->to)) {
		out->end += bytes / sizeof(u64);
		out->bytes = 0;
	}
}

static noinline void sample_put_split(struct sample_values *out, u64 word)
{
	if (out->bytes < sizeof(word))
		return;
	perf_rb_write(out->handle, &word, sizeof(word));
	out->bytes -= sizeof(word);
}

static __always_inline void sample_put(struct sample_values *out, u64 word)
{
	if (likely(out->to < out->end))
		*out->to++ = word;
	else
		sample_put_split(out, word);
}

static bool sample_values_full(const struct sample_values *out)
{
	return out->to == out->end && out->bytes < sizeof(u64);
}

/*
 * The counts of inherited events cannot be added up here: they may be on other
 * CPUs. With PERF_SAMPLE_READ each task's are its own.
 */
static __always_inline u64 sample_count(const struct perf_event *event)
{
	u64 count = local64_read(&event->count);

	if (!perf_attr_inherits_samples_read(&event->attr))
		count += atomic64_read(&event->child_count);
	return count;
}

/* What every event shows: its id and its losses if wanted. */
static __always_inline void sample_put_ids(struct sample_values *out,
					   struct perf_event *event,
					   u64 read_format)
{
	if (read_format & PERF_FORMAT_ID)
		sample_put(out, sample_event_id(event));
	if (read_format & PERF_FORMAT_LOST)
		sample_put(out, atomic64_read(&event->lost_samples));
}

static void sample_read_alone(struct sample_values *out,
			      struct perf_event *event, const u64 times[2])
{
	u64 format = event->attr.read_format;

	sample_put(out, sample_count(event));
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		sample_put(out, times[0] +
			   atomic64_read(&event->child_total_time_enabled));
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		sample_put(out, times[1] +
			   atomic64_read(&event->child_total_time_running));
	sample_put_ids(out, event, format);
}

/* @event is up to date already: its overflow brought us here. */
static void sample_read_member(struct sample_values *out,
			       struct perf_event *member,
			       struct perf_event *event)
{
	if (member != event && !out->handle->skip_read &&
	    member->state == PERF_EVENT_STATE_ACTIVE &&
	    member->oncpu == raw_smp_processor_id())
		member->pmu->read(member);

	sample_put(out, sample_count(member));
	sample_put_ids(out, member, event->attr.read_format);
}

static void sample_read_group(struct sample_values *out,
			      struct perf_event *event, const u64 times[2])
{
	struct perf_event *leader = event->group_leader, *sibling;
	u64 format = event->attr.read_format;
	unsigned long flags;

	local_irq_save(flags);

	sample_put(out, 1 + leader->nr_siblings);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		sample_put(out, times[0]);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		sample_put(out, times[1]);

	sample_read_member(out, leader, event);
	for_each_sibling_event(sibling, leader) {
		if (sample_values_full(out))
			break;
		sample_read_member(out, sibling, event);
	}

	local_irq_restore(flags);
}

/**
 * perf_sample_write_counts - write counts as the event's read_format says
 * @handle: the record
 * @event: the event
 * @bytes: to be written, neither more nor less: event->read_size as it was when
 *	the size of the record was worked out
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_sample_write_counts(struct perf_output_handle *handle,
			      struct perf_event *event, u32 bytes)
{
	struct sample_values out __uninitialized;
	u64 times[2] = { };

	sample_values_init(&out, handle, bytes);
	if (event->attr.read_format & SAMPLE_READ_TIMES)
		perf_event_time_at(event, perf_clock(), &times[0], &times[1]);

	if (event->attr.read_format & PERF_FORMAT_GROUP)
		sample_read_group(&out, event, times);
	else
		sample_read_alone(&out, event, times);
	while (!sample_values_full(&out))
		sample_put(&out, 0);
}
