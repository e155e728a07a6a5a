/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMU model: arithmetic of one counter, see counter.c
 */
#ifndef _ARCH_X86_EVENTS_PMU_MODEL_COUNTER_H
#define _ARCH_X86_EVENTS_PMU_MODEL_COUNTER_H

#include <linux/bits.h>
#include <linux/types.h>

/* Rates are events per tick in units of 1/2^20; users see parts per million. */
#define PMU_MODEL_RATE_SHIFT	20
#define PMU_MODEL_RATE_ONE	BIT(PMU_MODEL_RATE_SHIFT)
#define PMU_MODEL_PPM		1000000
#define PMU_MODEL_MAX_PPM	(64 * PMU_MODEL_PPM)

#define PMU_MODEL_NEVER		U64_MAX

/**
 * struct pmu_model_counter - one counter and the speed at which it moves
 * @value:	count at @stamp, within the counter's width
 * @stamp:	model clock when @value was right
 * @frac:	fraction beyond @value, in 1/2^20 of an event
 * @rate:	events per tick in 1/2^20, fixed until the counter is settled
 */
struct pmu_model_counter {
	u64	value;
	u64	stamp;
	u32	frac;
	u32	rate;
};

u64 pmu_model_counter_peek(const struct pmu_model_counter *c, u64 mask, u64 now,
			   bool *wrapped);
bool pmu_model_counter_settle(struct pmu_model_counter *c, u64 mask, u64 now);
u64 pmu_model_counter_left(const struct pmu_model_counter *c, u64 mask);
u64 pmu_model_counter_due(const struct pmu_model_counter *c, u64 mask, u64 now);
u32 pmu_model_condition_rate(u32 rate, u32 width, u32 cycles, u32 cmask,
			     bool inv, bool edge);
u32 pmu_model_ppm_to_rate(u32 ppm);
u32 pmu_model_rate_to_ppm(u32 rate);

#endif /* _ARCH_X86_EVENTS_PMU_MODEL_COUNTER_H */
