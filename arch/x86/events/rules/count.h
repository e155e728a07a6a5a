/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of counters, and periods.
 */
#ifndef _ARCH_X86_EVENTS_RULES_COUNT_H
#define _ARCH_X86_EVENTS_RULES_COUNT_H

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
	/** @owner: serial number of the event that used it last, 0 if unknown */
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

u64 x86_count_delta(unsigned int width, u64 from, u64 to);
u64 x86_count_start(unsigned int width, u64 left);
u64 x86_count_limit(unsigned int width, unsigned int written);
u64 x86_count_load(s64 left, u64 limit);
bool x86_count_next_period(struct x86_count_period *period);
bool x86_count_may_carry(const struct x86_count_carry *carry);

#endif /* _ARCH_X86_EVENTS_RULES_COUNT_H */
