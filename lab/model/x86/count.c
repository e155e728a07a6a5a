// SPDX-License-Identifier: GPL-2.0
/*
 * The room count against arithmetic with 128 bits.
 */
#include "count.h"
#include "test.h"

static unsigned __int128 range_of(unsigned int width)
{
	return (unsigned __int128)1 << width;
}

/* A value that is often near a boundary. */
static u64 some_value(void)
{
	u64 value = test_random() >> test_below(64);

	switch (test_below(4)) {
	case 0:
		return BIT_ULL(test_below(64)) + test_below(7) - 3;
	case 1:
		return -value;
	default:
		return value;
	}
}

static void check_raw(unsigned int width, u64 from, u64 events)
{
	unsigned __int128 range = range_of(width);
	u64 to = (events % range + from) % range;
	u64 left = events % range;
	u64 start = x86_count_start(width, left);

	require(x86_count_delta(width, from, to) == events % range,
		"width %u: delta from %#llx to %#llx", width, from, to);
	require((left + (start + range) - range) == (left ? range : 0),
		"width %u: start %#llx for %llu", width, start, left);
}

static void check_limit(unsigned int width)
{
	u64 all = x86_count_limit(width, width);
	u64 low = x86_count_limit(width, X86_COUNT_WRITTEN);
	u64 start = x86_count_start(width, low);

	require(all == range_of(width) / 2 - 1, "width %u: %llu", width, all);
	require(low == min(all, 0x7fffffffULL), "width %u: %llu", width, low);
	/* A write of 32 bits gives the same value when the sign is extended. */
	if (width >= 32)
		require(((u64)(s64)(s32)start & (range_of(width) - 1)) == start,
			"width %u: %#llx cannot be written", width, start);
}

static void check_period(s64 left, u64 length, u64 last)
{
	struct x86_count_period period = { left, length, last };
	bool due = left <= 0;
	__int128 expected = left;

	if (due)
		expected += length;
	if (due && expected <= 0)
		expected = length;
	require(x86_count_next_period(&period) == due && period.left == expected &&
		period.length == length && period.last == (due ? length : last),
		"left %lld of %llu: %lld, last %llu", left, length, period.left,
		period.last);
}

static void check_load(s64 left, u64 limit)
{
	u64 load = x86_count_load(left, limit);

	require(load >= 2 && load <= limit, "%lld, limit %llu: %llu", left,
		limit, load);
	require((s64)load == left || left < 2 || (u64)left > limit,
		"%lld, limit %llu: %llu", left, limit, load);
}

/* All cases of ownership and use, for a value of the counter. */
static void check_carry(unsigned int width, u64 value)
{
	bool high = value % range_of(width) >= range_of(width) / 2;
	unsigned int i;

	for (i = 0; i < 3 * 2 * 2; i++) {
		struct x86_count_carry carry = {
			.value = value, .owner = i % 3, .event = 2,
			.width = width, .samples = i / 3 % 2, .user = i / 6,
		};
		bool plain = !carry.samples && !carry.user;
		bool right[] = { false, high && plain, high };

		require(x86_count_may_carry(&carry) == right[carry.owner],
			"width %u, value %#llx, case %u", width, value, i);
	}
}

unsigned long test_count(unsigned int rounds)
{
	unsigned int width, i;
	unsigned long cases = 0;

	for (width = 1; width <= 64; width++) {
		check_limit(width);
		check_raw(width, 0, 0);
		check_raw(width, (u64)(range_of(width) - 1), 1);
		for (i = 0; i < rounds; i++, cases++) {
			check_raw(width, some_value(), some_value());
			check_carry(width, some_value());
		}
	}
	for (i = 0; i < 50 * rounds; i++, cases++) {
		u64 length = (some_value() & S64_MAX) ?: 1;

		check_period(some_value(), length, some_value());
		check_period(test_below(5) - length - 2, length, 7);
		check_period((s64)test_below(5) - 2, length, 7);
		check_load(some_value(), max(some_value() & S64_MAX, 2ULL));
	}
	return cases;
}
