/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sideband", private: what the engine knows of a kind of record. */
#ifndef _KERNEL_EVENTS_SIDEBAND_RECORD_H
#define _KERNEL_EVENTS_SIDEBAND_RECORD_H

#include "sideband.h"

/* Words of the longest fixed part, which is that of PERF_RECORD_MMAP2. */
#define PERF_SIDE_BODY_WORDS	8
#define PERF_SIDE_TAILS		3

/**
 * struct perf_side_record - one record for one event, as it will be written
 * @header: the shape sets type and misc, the engine size
 * @body: fixed part
 * @body_len: bytes of it
 * @nr_tails: parts that follow
 * @tail: where they are and how long
 *
 * The size of a record is the sum of the parts that are written, so size and
 * content cannot disagree.
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
 * @want: which events get it
 * @match: further condition on an event that wants it, NULL for none
 * @shape: fills in the record, which is zeroed, for one event; ids are those of
 *	the event's namespace, times those of its clock
 *
 * @what is the kind's own description of what happened, the same for all events.
 */
struct perf_side_kind {
	enum perf_side_want	want;
	bool (*match)(const struct perf_event *event, const void *what);
	void (*shape)(struct perf_side_record *record,
		      struct perf_event *event, const void *what);
};

/* Appends bytes that stay where they are until the record is written. */
void perf_side_add(struct perf_side_record *record, const void *from,
		   size_t len);
/* The same for a name, with its end and zeros up to a multiple of eight. */
void perf_side_add_name(struct perf_side_record *record, const char *name,
			size_t len);
/* Zeros up to a multiple of eight. */
void perf_side_align(struct perf_side_record *record);

/* Writes @record into the buffer of @event. */
void perf_side_write(struct perf_event *event,
		     struct perf_side_record *record);

/* Notifies events on this CPU and of the current task that want the kind. */
void perf_side_tell(const struct perf_side_kind *kind, const void *what);
/* Notifies the events of one context, which is going away. */
void perf_side_tell_ctx(const struct perf_side_kind *kind, const void *what,
			struct perf_ctx *ctx);

#endif /* _KERNEL_EVENTS_SIDEBAND_RECORD_H */
