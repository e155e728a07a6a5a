/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which counter each event counts on.
 */
#ifndef _ARCH_X86_EVENTS_RULES_PLACE_H
#define _ARCH_X86_EVENTS_RULES_PLACE_H

#include "rules.h"

/*
 * Even counters that can count a pair. Only AMD has pairs, and CPUID leaf
 * 0x80000022 reports at most 15 general counters (EBX bits 3-0).
 */
#define X86_PLACE_PAIRS		0x5555ULL

/* An event that wants a counter. */
struct x86_seat {
	/** @counters: those that can count the event */
	u64 counters;
	/** @fits: those whose select register has the event's value already */
	u64 fits;
	/** @at: counter that counts it now, or -1 */
	s8 at;
	/** @to: result, counter that is to count it, or -1 */
	s8 to;
	/**
	 * @pair: it needs two counters: one of X86_PLACE_PAIRS, which @to names,
	 * and the next one, which need not be in @counters
	 */
	bool pair;
};

int x86_place(struct x86_seat *seats, unsigned int n, u64 available);

#endif /* _ARCH_X86_EVENTS_RULES_PLACE_H */
