// SPDX-License-Identifier: GPL-2.0
/*
 * Room "count": arithmetic of counters and periods.
 *
 * Purpose: compute what a counter of some width has counted and from which
 * value it has to start, begin the next period, and decide whether a counter
 * has to be written at all.
 *
 * Owns: nothing.
 *
 * Contexts: any, NMI included.
 *
 * Locking: none; the caller makes sure that nobody else changes the period.
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include "count.h"

/**
 * x86_count_limit() - get the longest time to an overflow
 * @width: bits of the counter, 1 to 64
 * @written: low bits that a write sets, the last of which is extended to the
 *           others: X86_COUNT_WRITTEN, or @width if a write sets all
 *
 * The half of the range that is not used has room for the events between an
 * overflow and its handling.
 *
 * Context: any.
 * Return: number of events.
 */
u64 x86_count_limit(unsigned int width, unsigned int written)
{
	return BIT_ULL(min(width, written) - 1) - 1;
}
