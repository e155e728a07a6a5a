/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Periods that are drawn at random: arithmetic on an event's own fields.
 *
 * Draws are numbered. The period of draw n depends on the key, n, the mean and
 * the share alone, so only n has to be kept, and an NMI in the middle of a step
 * can disturb only n.
 *
 * Drivers begin the next period before they report that one has ended. So at
 * any time hw.random_seq is the number of the running period, and
 * hw.sample_period is already that of the period after it. A driver may lose an
 * overflow: the counter passes the end just when the event is scheduled out.
 * Then a period begins without a report, and the next sample shows the wrong
 * draw.
 */
#ifndef _KERNEL_EVENTS_RANDOM_DRAW_H
#define _KERNEL_EVENTS_RANDOM_DRAW_H

#include <linux/math64.h>
#include <uapi/linux/perf_event_ext.h>

#include "types.h"

/* hw.random_share counts in units of 2^-31. */
#define PERF_RANDOM_SHARE_BITS	31

static inline bool perf_random_is_on(const struct perf_event *event)
{
	return !event->attr.freq && event->hw.random_share;
}

/* The finalizer of MurmurHash3: each bit of @x changes half of the result. */
static inline u32 perf_random_mix(u64 x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return (x ^ x >> 33) >> 32;
}

/* Converts a user's share to hw.random_share; never more than fits there. */
static inline u32 perf_random_units(u32 millionths)
{
	u64 units = (u64)millionths << PERF_RANDOM_SHARE_BITS;

	units = DIV_ROUND_UP_ULL(units, PERF_RANDOM_PERIOD_SHARE_MAX);
	return min_t(u64, units, (1U << PERF_RANDOM_SHARE_BITS) - 1);
}

/* How far a period may be from its mean; less than @mean. */
static inline u64 perf_random_reach(u64 mean, u32 share)
{
	return mul_u64_u32_shr(mean, share, PERF_RANDOM_SHARE_BITS);
}

/* Draw number @seq. @mean has no bit 63. */
static inline u64 perf_random_draw(const struct hw_perf_event *hwc, u32 seq,
				   u64 mean)
{
	u64 reach = perf_random_reach(mean, hwc->random_share);
	u32 luck = perf_random_mix((u64)hwc->random_key << 32 | seq);

	return mean - reach + mul_u64_u32_shr(2 * reach + 1, luck, 32);
}

/* The length of the running period. */
static inline u64 perf_random_length(const struct perf_event *event)
{
	return perf_random_draw(&event->hw, event->hw.random_seq,
				event->attr.sample_period);
}

/*
 * A period has ended, and one of hw.sample_period has begun. In any context
 * down to NMI, on the event's CPU.
 * Return: the length of the period that has ended.
 */
static inline u64 perf_random_next(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 ended = perf_random_length(event);

	hwc->random_seq++;
	hwc->last_period = hwc->sample_period;
	hwc->sample_period = perf_random_draw(hwc, hwc->random_seq + 1,
					      event->attr.sample_period);
	return ended;
}

/*
 * Drops the running period, if any; draw hw.random_seq is next. For an event
 * that does not count at present. Hardware and clock events continue with
 * hw.period_left; events that are counted in software check random_fresh.
 */
static inline void perf_random_begin(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	hwc->last_period = perf_random_length(event);
	hwc->sample_period = perf_random_draw(hwc, hwc->random_seq + 1,
					      event->attr.sample_period);
	hwc->random_fresh = true;
	local64_set(&hwc->period_left, hwc->last_period);
}

#endif /* _KERNEL_EVENTS_RANDOM_DRAW_H */
