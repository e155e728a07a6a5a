// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sample": counts inside of records.
 *
 * Purpose: PERF_SAMPLE_READ and PERF_RECORD_READ, in the formats of read(2).
 *
 * An inherited event shows the count of the thread that it runs for. The sum of
 * all copies cannot be computed here, as copies may be on other CPUs. Copies
 * that have ended are not included either: any thread may have got the context
 * of the event that their counts were added to (swap.c).
 *
 * Contexts: any down to NMI, on the CPU where the event's context is loaded, or
 * after it was unloaded.
 *
 * Locking: no lock can be taken. A group changes under its context's lock on
 * the CPU where it is loaded, so interrupts are off while it is walked.
 *
 * Race: a group may change between the computation of a record's size and the
 * output of its bytes, if the record is not written by the overflow interrupt:
 *   1. the header has room for n events;
 *   2. a sibling is added;
 *   3. the walk writes n events and not a byte more; if a sibling was removed
 *      instead, zeros fill its place.
 */

#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/smp.h>

#include "clock.h"
#include "ring_buffer.h"
#include "sample_parts.h"

#define SAMPLE_READ_TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | \
				 PERF_FORMAT_TOTAL_TIME_RUNNING)

/**
 * struct sample_values - words on their way into a record
 * @handle: the record
 * @bytes: still to be written
 */
struct sample_values {
	struct perf_output_handle	*handle;
	u32				bytes;
};

/* Words for which there is no room are dropped. */
static void sample_put(struct sample_values *out, const u64 *words,
		       const u64 *end)
{
	u32 bytes = min_t(u32, out->bytes, (end - words) * sizeof(*words));

	perf_rb_write(out->handle, words, bytes);
	out->bytes -= bytes;
}

/*
 * What every event shows: id and lost samples, if wanted. Both are those of the
 * eldest, which has the buffer, whichever copy's record found no room.
 */
static __always_inline u64 *sample_id_words(u64 *to,
					    const struct perf_event *event,
					    u64 format)
{
	if (format & PERF_FORMAT_ID)
		*to++ = perf_event_eldest_id(event);
	if (format & PERF_FORMAT_LOST)
		*to++ = atomic64_read(&perf_event_eldest(event)->lost_samples);
	return to;
}

static __always_inline u64 *sample_time_words(u64 *to, u64 format,
					      const u64 times[2])
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*to++ = times[0];
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*to++ = times[1];
	return to;
}

static __always_inline u64 *sample_alone_words(u64 *to,
					       const struct perf_event *event,
					       const u64 times[2])
{
	u64 format = event->attr.read_format;

	*to++ = local64_read(&event->count);
	to = sample_time_words(to, format, times);
	return sample_id_words(to, event, format);
}

static void sample_read_alone(struct sample_values *out,
			      const struct perf_event *event,
			      const u64 times[2])
{
	u64 words[PERF_SAMPLE_OWN_WORDS];

	sample_put(out, words, sample_alone_words(words, event, times));
}

static __always_inline u64 *sample_head_words(u64 *to,
					      const struct perf_event *leader,
					      u64 format, const u64 times[2])
{
	*to++ = 1 + leader->nr_siblings;
	return sample_time_words(to, format, times);
}

/**
 * struct sample_group - a group whose counts go into a record
 * @event: the event that overflowed; its count is up to date
 * @leader: its leader
 * @fresh: the counts of all events of the group are up to date
 */
struct sample_group {
	struct perf_event	*event;
	struct perf_event	*leader;
	bool			fresh;
};

static __always_inline u64 *sample_event_words(u64 *to,
					       const struct sample_group *group,
					       struct perf_event *event,
					       u64 format)
{
	if (event != group->event && !group->fresh &&
	    event->state == PERF_EVENT_STATE_ACTIVE &&
	    event->oncpu == raw_smp_processor_id())
		event->pmu->read(event);

	*to++ = local64_read(&event->count);
	return sample_id_words(to, event, format);
}

/* Writes in place: @to to @end has the size of the group and is in one page. */
static __always_inline void sample_read_whole(u64 *to, const u64 *end,
					      const struct sample_group *group,
					      const u64 times[2])
{
	u64 format = group->event->attr.read_format;
	struct perf_event *sibling;

	to = sample_head_words(to, group->leader, format, times);
	to = sample_event_words(to, group, group->leader, format);
	list_for_each_entry(sibling, &group->leader->sibling_list,
			    sibling_list) {
		if (unlikely(to == end))
			return;
		to = sample_event_words(to, group, sibling, format);
	}
	while (unlikely(to < end))
		*to++ = 0;
}

/* For a record that crosses a page, or has another size than the group now. */
static noinline void sample_read_split(struct sample_values *out,
				       const struct sample_group *group,
				       const u64 times[2])
{
	u64 words[PERF_SAMPLE_OWN_WORDS];
	u64 format = group->event->attr.read_format;
	struct perf_event *sibling;

	sample_put(out, words,
		   sample_head_words(words, group->leader, format, times));
	sample_put(out, words, sample_event_words(words, group,
						  group->leader, format));
	list_for_each_entry(sibling, &group->leader->sibling_list,
			    sibling_list) {
		if (!out->bytes)
			break;
		sample_put(out, words, sample_event_words(words, group,
							  sibling, format));
	}
}

/*
 * An NMI may find a group while it changes. So the size of the record bounds
 * the walk even if it equals event->read_size.
 */
static __always_inline void sample_read_group(struct sample_values *out,
					      struct perf_event *event,
					      const u64 times[2])
{
	const struct sample_group group = {
		.event = event,
		.leader = event->group_leader,
		.fresh = out->handle->skip_read,
	};
	unsigned long flags;
	void *to = NULL;

	local_irq_save(flags);
	perf_assert_event_ctx(group.leader);
	if (likely(out->bytes == event->read_size))
		to = perf_rb_span(out->handle, out->bytes);
	if (likely(to)) {
		sample_read_whole(to, to + out->bytes, &group, times);
		out->bytes = 0;
	} else {
		sample_read_split(out, &group, times);
	}
	local_irq_restore(flags);
}

/**
 * perf_sample_write_counts() - write counts as the event's read_format says
 * @handle: the record
 * @event: the event
 * @bytes: to be written, neither more nor less: event->read_size as it was when
 *	the size of the record was computed
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_sample_write_counts(struct perf_output_handle *handle,
			      struct perf_event *event, u32 bytes)
{
	struct sample_values out = { .handle = handle, .bytes = bytes };
	u64 format = event->attr.read_format;
	const u64 zero = 0;
	u64 times[2] = { };

	if (format & SAMPLE_READ_TIMES)
		perf_event_time_at(event, perf_clock(), &times[0], &times[1]);

	if (format & PERF_FORMAT_GROUP)
		sample_read_group(&out, event, times);
	else
		sample_read_alone(&out, event, times);
	while (unlikely(out.bytes))
		sample_put(&out, &zero, &zero + 1);
}

/**
 * perf_sample_own_words() - show an event alone, as its read_format says
 * @event: event; in the format of groups it is shown as a group of one
 * @words: result
 *
 * Context: as perf_event_time_at().
 * Return: number of words.
 */
unsigned int perf_sample_own_words(const struct perf_event *event,
				   u64 words[PERF_SAMPLE_OWN_WORDS])
{
	u64 format = event->attr.read_format;
	u64 times[2], *to = words;

	perf_event_time_at(event, perf_clock(), &times[0], &times[1]);
	if (!(format & PERF_FORMAT_GROUP))
		return sample_alone_words(words, event, times) - words;
	*to++ = 1;
	to = sample_time_words(to, format, times);
	*to++ = local64_read(&event->count);
	return sample_id_words(to, event, format) - words;
}
