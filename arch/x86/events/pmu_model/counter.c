// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: arithmetic of one counter
 *
 * A counter consists of its value at some tick of the model's clock, and a
 * rate. The current count is computed when it is read. Fractions of an event
 * are kept, so the count does not depend on how often the counter is read.
 *
 * Owns nothing. All functions are pure and run in any context.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "counter.h"

/* If the wrap is more events away, a lower bound of the ticks will do. */
#define FAR_EVENTS	BIT_ULL(43)

/* The count in 1/2^20 of an event, not yet cut to the counter's width. */
static __always_inline u128 count_at(const struct pmu_model_counter *c, u64 now)
{
	u64 ticks = (s64)(now - c->stamp) > 0 ? now - c->stamp : 0;

	return ((u128)c->value << PMU_MODEL_RATE_SHIFT) + c->frac +
	       (u128)ticks * c->rate;
}

/**
 * pmu_model_counter_peek() - compute the count of a running counter
 * @c:		the counter
 * @mask:	bits of the counter
 * @now:	the time, in ticks; a time before @c->stamp counts as @c->stamp
 * @wrapped:	set to whether the counter passed its largest value
 *
 * Context: any.
 * Return: the count.
 */
u64 pmu_model_counter_peek(const struct pmu_model_counter *c, u64 mask, u64 now,
			   bool *wrapped)
{
	u128 whole = count_at(c, now) >> PMU_MODEL_RATE_SHIFT;

	*wrapped = whole > mask;
	return (u64)whole & mask;
}

/**
 * pmu_model_counter_settle() - bring a running counter up to date
 * @c:		the counter
 * @mask:	bits of the counter
 * @now:	the time, in ticks; a time before @c->stamp changes nothing
 *
 * Context: any.
 * Return: true if the counter passed its largest value on the way.
 */
bool pmu_model_counter_settle(struct pmu_model_counter *c, u64 mask, u64 now)
{
	u128 count = count_at(c, now);
	u128 whole = count >> PMU_MODEL_RATE_SHIFT;

	c->value = (u64)whole & mask;
	c->frac = (u64)count & (PMU_MODEL_RATE_ONE - 1);
	if ((s64)(now - c->stamp) > 0)
		c->stamp = now;
	return whole > mask;
}

/**
 * pmu_model_counter_left() - compute the time until a counter wraps
 * @c:		the counter
 * @mask:	bits of the counter
 *
 * Context: any.
 * Return: ticks from @c->stamp until the first tick at which the counter has
 * wrapped, a smaller number if that is hours away, or PMU_MODEL_NEVER if it
 * does not run.
 */
u64 pmu_model_counter_left(const struct pmu_model_counter *c, u64 mask)
{
	u64 events = mask - c->value + 1;

	if (!c->rate)
		return PMU_MODEL_NEVER;
	if (events >= FAR_EVENTS)
		return min(events / c->rate, FAR_EVENTS - 1) << PMU_MODEL_RATE_SHIFT;
	return DIV64_U64_ROUND_UP((events << PMU_MODEL_RATE_SHIFT) - c->frac,
				  (u64)c->rate);
}

/**
 * pmu_model_counter_due() - compute the time from now until a counter wraps
 * @c:		the counter
 * @mask:	bits of the counter
 * @now:	model clock
 *
 * Context: any.
 * Return: as pmu_model_counter_left(), from @now; 0 if it has wrapped.
 */
u64 pmu_model_counter_due(const struct pmu_model_counter *c, u64 mask, u64 now)
{
	u64 left = pmu_model_counter_left(c, mask);
	u64 past = now - c->stamp;

	if ((s64)past <= 0 || left == PMU_MODEL_NEVER)
		return left;
	return left > past ? left - past : 0;
}

/**
 * pmu_model_condition_rate() - apply threshold, invert and edge to a rate
 * @rate:	events per tick
 * @width:	events in a cycle that has any
 * @cycles:	cycles per tick, in the unit of @rate
 * @cmask:	count cycles with at least that many events; 0 counts events
 * @inv:	count the other cycles; no effect while @cmask is 0
 * @edge:	count how often the condition becomes true
 *
 * Assumptions: a cycle has @width events or none, and of these two kinds of
 * cycles the rarer one never comes twice in a row. So each rarer cycle is an
 * edge, whichever kind is counted. SDM vol. 3 20.2.1.1, APM vol. 2 13.2.1.
 *
 * Context: any.
 * Return: the number that the counter adds per tick, in the unit of @rate.
 */
u32 pmu_model_condition_rate(u32 rate, u32 width, u32 cycles, u32 cmask,
			     bool inv, bool edge)
{
	u32 busy = min(rate / max(width, 1U), cycles);
	u32 hit = cmask <= width ? busy : 0;

	if (edge)
		return cmask <= width ? min(hit, cycles - hit) : 0;
	if (!cmask)
		return rate;
	return inv ? cycles - hit : hit;
}

/**
 * pmu_model_ppm_to_rate() - convert the unit of users into the unit of counters
 * @ppm:	events per million ticks, at most PMU_MODEL_MAX_PPM
 *
 * Context: any.
 * Return: the nearest rate in 1/2^20 of an event per tick.
 */
u32 pmu_model_ppm_to_rate(u32 ppm)
{
	return DIV_U64_ROUND_CLOSEST((u64)ppm << PMU_MODEL_RATE_SHIFT,
				     PMU_MODEL_PPM);
}

/**
 * pmu_model_rate_to_ppm() - convert the unit of counters into the unit of users
 * @rate:	events per tick in 1/2^20
 *
 * Context: any.
 * Return: the nearest number of events per million ticks.
 */
u32 pmu_model_rate_to_ppm(u32 rate)
{
	return DIV_U64_ROUND_CLOSEST((u64)rate * PMU_MODEL_PPM,
				     PMU_MODEL_RATE_ONE);
}
