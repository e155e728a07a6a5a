/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of counters, and periods.
 */
#ifndef _ARCH_X86_EVENTS_RULES_COUNT_H
#define _ARCH_X86_EVENTS_RULES_COUNT_H

#include <linux/bits.h>
#include <linux/minmax.h>
#include "rules.h"

/* Bits that a write sets without full-width writes, SDM vol. 3 20.2.8. */
#define X86_COUNT_WRITTEN	32

/* The period of an event, as in struct hw_perf_event. */
struct x86_count_period {
	/** @left: events until the overflow; not positive once it is due */
	s64 left;
	/** @length: events from one overflow to the next, 1 to S64_MAX */
	u64 length;
	/** @last: @length when the present period began */
	u64 last;
};

/* A stopped counter, and the event that is to use it next. */
struct x86_count_carry {
	/** @value: raw value of the counter */
	u64 value;
	/** @owner: serial number of the last event on it, 0 if unknown */
	u64 owner;
	/** @event: serial number of the event that is to use it */
	u64 event;
	/** @width: bits of the counter */
	u8 width;
	/** @samples: the event samples, so its overflow must come in time */
	bool samples;
	/** @user: a program may read the counter with RDPMC */
	bool user;
};

u64 x86_count_limit(unsigned int width, unsigned int written);

/* What follows runs at each switch, or at each overflow. */

/* Some CPUs miss the overflow of a counter that starts one event before it. */
#define X86_COUNT_SHORTEST	2

/**
 * x86_count_delta() - get the number of events between two readings
 * @width: bits of the counter, 1 to 64
 * @from: raw value of the first reading; bits above @width are ignored, since
 *        some CPUs extend the sign
 * @to: raw value of the second reading
 *
 * Between the readings the counter may overflow once.
 *
 * Context: any.
 * Return: number of events, less than 2^@width.
 */
static inline u64 x86_count_delta(unsigned int width, u64 from, u64 to)
{
	return (to - from) & GENMASK_ULL(width - 1, 0);
}

/**
 * x86_count_start() - get the value from which a counter overflows in time
 * @width: bits of the counter, 1 to 64
 * @left: events until the overflow, at most 2^@width
 *
 * Context: any.
 * Return: raw value; no bit above @width is set.
 */
static inline u64 x86_count_start(unsigned int width, u64 left)
{
	return -left & GENMASK_ULL(width - 1, 0);
}

/**
 * x86_count_load() - get the number of events that a counter is started with
 * @left: events until the end of the period
 * @limit: result of x86_count_limit(), or a lower limit of the PMU, at least 2
 *
 * A longer period takes several overflows. One event is too few for some CPUs.
 *
 * Context: any.
 * Return: number of events from 2 to @limit.
 */
static inline u64 x86_count_load(s64 left, u64 limit)
{
	return left < X86_COUNT_SHORTEST ? X86_COUNT_SHORTEST : min_t(u64, left, limit);
}

/**
 * x86_count_next_period() - begin the next period if the present one is over
 * @period: period
 *
 * The next period begins at the event that ended the present one, unless it
 * would be over as well. Then it begins now, and what came too late is dropped.
 *
 * Context: any.
 * Return: true if a period has begun.
 */
static inline bool x86_count_next_period(struct x86_count_period *period)
{
	s64 length = period->length;

	if (period->left > 0)
		return false;
	if (period->left <= -length)
		period->left = length;
	else
		period->left += length;
	period->last = length;
	return true;
}

/**
 * x86_count_may_carry() - check whether an event may count on from the value
 *                         that a counter has
 * @carry: counter and event
 *
 * An event continues on its own counter. Another event may take over the
 * counter's value if it only counts, and if no program can read the counter:
 * a program would see how far the other event had come.
 *
 * A counter whose highest bit is clear is always written. It may have
 * overflowed while that was not handled, and the next overflow is more than
 * half of its range away.
 *
 * Context: any.
 * Return: true if the counter can start as it is; false if it must be written.
 */
static inline bool x86_count_may_carry(const struct x86_count_carry *carry)
{
	if (!carry->owner || !(carry->value & BIT_ULL(carry->width - 1)))
		return false;
	return carry->owner == carry->event ||
	       (!carry->samples && !carry->user);
}

#endif /* _ARCH_X86_EVENTS_RULES_COUNT_H */
