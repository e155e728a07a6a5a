/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sideband", inside only: what a kind of record is to the engine. */
#ifndef _KERNEL_EVENTS_SIDEBAND_KINDS_H
#define _KERNEL_EVENTS_SIDEBAND_KINDS_H

#include <linux/atomic.h>
#include "types.h"

/* What events may ask for; each is counted. */
enum perf_side_want {
	PERF_SIDE_TASK,
	PERF_SIDE_COMM,
	PERF_SIDE_MMAP,
	PERF_SIDE_BUILD_ID,
	PERF_SIDE_NAMESPACES,
	PERF_SIDE_SWITCH,
	PERF_SIDE_KSYMBOL,
	PERF_SIDE_BPF,
	PERF_SIDE_TEXT_POKE,
	PERF_SIDE_CGROUP,
	PERF_SIDE_NR,
};

/* Words of the longest fixed part, which is that of PERF_RECORD_MMAP2. */
#define PERF_SIDE_BODY_WORDS	8
#define PERF_SIDE_TAILS		3

/**
 * struct perf_side_record - one record for one event, as it will be written
 * @header: type and misc are the shape's; size is the engine's
 * @body: fixed part
 * @body_len: bytes of it
 * @nr_tails: parts that follow
 * @tail: where they are and how long
 *
 * The size of a record is the sum of its parts and the parts are what is
 * written: there is nothing that could disagree.
 */
struct perf_side_record {
	struct perf_event_header	header;
	u64				body[PERF_SIDE_BODY_WORDS];
	u16				body_len;
	u16				nr_tails;
	struct {
		const void		*from;
		u16			len;
	} tail[PERF_SIDE_TAILS];
};

/**
 * struct perf_side_kind - a kind of record
 * @want: who gets it
 * @match: further condition on an event that wants it, NULL for none
 * @shape: makes the record for one event. It is zeroed. What the event sees is
 *	seen from its own name space and by its own clock
 *
 * @what is the kind's own description of what happened, the same for all events.
 */
struct perf_side_kind {
	enum perf_side_want	want;
	bool (*match)(const struct perf_event *event, const void *what);
	void (*shape)(struct perf_side_record *record,
		      struct perf_event *event, const void *what);
};

extern atomic_t perf_side_wants[PERF_SIDE_NR];

/* Is there anybody to tell? One load; false is the common answer. */
static inline bool perf_side_wanted(enum perf_side_want want)
{
	return unlikely(atomic_read(&perf_side_wants[want]));
}

/* Appends bytes that stay where they are until the record is written. */
void perf_side_add(struct perf_side_record *record, const void *from,
		   size_t len);
/* The same for a string, with its end and zeros up to a multiple of eight. */
void perf_side_add_string(struct perf_side_record *record, const char *string);
/* Zeros up to a multiple of eight. */
void perf_side_align(struct perf_side_record *record);

/* Writes @record into the buffer of @event. */
void perf_side_write(struct perf_event *event,
		     struct perf_side_record *record);

/* Tells every event on this CPU and of the current task that wants to know. */
void perf_side_tell(const struct perf_side_kind *kind, const void *what);
/* Tells the events of one context, which is going away. */
void perf_side_tell_ctx(const struct perf_side_kind *kind, const void *what,
			struct perf_event_context *ctx);

#endif /* _KERNEL_EVENTS_SIDEBAND_KINDS_H */
