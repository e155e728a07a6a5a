// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sample": counts inside of records.
 *
 * Purpose: PERF_SAMPLE_READ and PERF_RECORD_READ, in the formats of read(2).
 *
 * An inherited event shows what the thread has counted that it runs for. The sum
 * cannot be made here: copies may be on other CPUs. Nor are those in it that have
 * ended: any thread may have got the context of the event that they were added
 * to (swap.c).
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

#include "clock.h"
#include "ring_buffer.h"
#include "sample_parts.h"

#define SAMPLE_READ_TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | \
				 PERF_FORMAT_TOTAL_TIME_RUNNING)

/* Times, count, id and losses of an event that is shown alone. */
#define SAMPLE_READ_WORDS	5

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
 * What every event shows: its id and its losses if wanted. These are those of the
 * event that was opened, which has the buffer, whoever's record found no room.
 */
static __always_inline u64 *sample_id_words(u64 *to,
					    const struct perf_event *event,
					    u64 format)
{
	if (format & PERF_FORMAT_ID)
		*to++ = sample_event_id(event);
	if (format & PERF_FORMAT_LOST)
		*to++ = atomic64_read(&(event->parent ?: event)->lost_samples);
	return to;
}

static void sample_read_alone(struct sample_values *out,
			      const struct perf_event *event,
			      const u64 times[2])
{
	u64 words[SAMPLE_READ_WORDS], *to = words;
	u64 format = event->attr.read_format;

	*to++ = local64_read(&event->count);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*to++ = times[0];
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*to++ = times[1];
	sample_put(out, words, sample_id_words(to, event, format));
}

static __always_inline u64 *sample_head_words(u64 *to,
					      const struct perf_event *leader,
					      u64 format, const u64 times[2])
{
	*to++ = 1 + leader->nr_siblings;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*to++ = times[0];
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*to++ = times[1];
	return to;
}

/**
 * struct sample_group - a group whose counts go into a record
 * @event: the member that overflowed; it is up to date
 * @leader: its leader
 * @fresh: all members are up to date
 */
struct sample_group {
	struct perf_event	*event;
	struct perf_event	*leader;
	bool			fresh;
};

static __always_inline u64 *sample_member_words(u64 *to,
						const struct sample_group *group,
						struct perf_event *member,
						u64 format)
{
	if (member != group->event && !group->fresh &&
	    member->state == PERF_EVENT_STATE_ACTIVE &&
	    member->oncpu == raw_smp_processor_id())
		member->pmu->read(member);

	*to++ = local64_read(&member->count);
	return sample_id_words(to, member, format);
}

/* Straight to its place: @to to @end is the size of a group, in one page. */
static __always_inline void sample_read_whole(u64 *to, const u64 *end,
					      const struct sample_group *group,
					      const u64 times[2])
{
	u64 format = group->event->attr.read_format;
	struct perf_event *sibling;

	to = sample_head_words(to, group->leader, format, times);
	to = sample_member_words(to, group, group->leader, format);
	list_for_each_entry(sibling, &group->leader->sibling_list,
			    sibling_list) {
		if (unlikely(to == end))
			return;
		to = sample_member_words(to, group, sibling, format);
	}
	while (unlikely(to < end))
		*to++ = 0;
}

/* A page ends among the words, or they are not of the size that is needed now. */
static noinline void sample_read_split(struct sample_values *out,
				       const struct sample_group *group,
				       const u64 times[2])
{
	u64 words[SAMPLE_READ_WORDS];
	u64 format = group->event->attr.read_format;
	struct perf_event *sibling;

	sample_put(out, words,
		   sample_head_words(words, group->leader, format, times));
	sample_put(out, words, sample_member_words(words, group,
						   group->leader, format));
	list_for_each_entry(sibling, &group->leader->sibling_list,
			    sibling_list) {
		if (!out->bytes)
			break;
		sample_put(out, words, sample_member_words(words, group,
							   sibling, format));
	}
}

/*
 * An NMI may find a group that is about to change, so that the size of the
 * record bounds the walk even if it is the one that the event has now.
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
