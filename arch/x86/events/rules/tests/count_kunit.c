// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room count: arithmetic of counters of all widths, periods, and
 * when a counter need not be written.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "../count.h"

#define ROUNDS	2000

/* Widths of real counters. */
#define NARROWEST	32
#define WIDEST		48

static u64 count_test_random(struct rnd_state *rnd)
{
	u64 high = prandom_u32_state(rnd);

	return high << 32 | prandom_u32_state(rnd);
}

static void count_delta(struct kunit *test)
{
	unsigned int width;

	for (width = NARROWEST; width <= WIDEST; width++) {
		u64 last = BIT_ULL(width) - 1;

		KUNIT_EXPECT_EQ(test, x86_count_delta(width, 0, 0), 0);
		KUNIT_EXPECT_EQ(test, x86_count_delta(width, 0, last), last);
		KUNIT_EXPECT_EQ(test, x86_count_delta(width, last, 0), 1);
		KUNIT_EXPECT_EQ(test, x86_count_delta(width, last, last), 0);
		KUNIT_EXPECT_EQ(test, x86_count_delta(width, 5, 4), last);
		/* A reading whose sign is extended. */
		KUNIT_EXPECT_EQ(test, x86_count_delta(width, -5ULL, 3), 8);
		KUNIT_EXPECT_EQ(test, x86_count_delta(width, last - 4, -1ULL), 4);
	}
	KUNIT_EXPECT_EQ(test, x86_count_delta(64, -1ULL, 1), 2);
	KUNIT_EXPECT_EQ(test, x86_count_delta(1, 1, 0), 1);
}

static void count_start(struct kunit *test)
{
	unsigned int width;

	for (width = NARROWEST; width <= WIDEST; width++) {
		u64 range = BIT_ULL(width);

		KUNIT_EXPECT_EQ(test, x86_count_start(width, 1), range - 1);
		KUNIT_EXPECT_EQ(test, x86_count_start(width, 2), range - 2);
		KUNIT_EXPECT_EQ(test, x86_count_start(width, range - 1), 1);
		KUNIT_EXPECT_EQ(test, x86_count_start(width, range), 0);
	}
	KUNIT_EXPECT_EQ(test, x86_count_start(64, 1), -1ULL);
}

/* Random values and numbers of events; 64 bits hold every sum. */
static void count_wraps(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int width, i;

	prandom_seed_state(&rnd, 1);
	for (width = NARROWEST; width <= WIDEST; width++) {
		u64 mask = BIT_ULL(width) - 1;

		for (i = 0; i < ROUNDS; i++) {
			u64 from = count_test_random(&rnd);
			u64 events = count_test_random(&rnd) & mask;
			u64 left = events ?: 1;
			u64 to = (from + events) & mask;

			KUNIT_ASSERT_EQ(test, events,
					x86_count_delta(width, from, to));
			KUNIT_ASSERT_EQ(test, BIT_ULL(width),
					x86_count_start(width, left) + left);
		}
	}
}

static void count_limit(struct kunit *test)
{
	unsigned int width;

	for (width = NARROWEST; width <= WIDEST; width++) {
		u64 all = x86_count_limit(width, width);
		u64 low = x86_count_limit(width, X86_COUNT_WRITTEN);

		KUNIT_EXPECT_EQ(test, all, (BIT_ULL(width) - 1) / 2);
		KUNIT_EXPECT_EQ(test, low, 0x7fffffff);
		/* Hardware extends the sign of a write to the same value. */
		KUNIT_EXPECT_EQ(test, x86_count_start(width, low),
				(u64)(s32)-low & (BIT_ULL(width) - 1));
	}
	KUNIT_EXPECT_EQ(test, x86_count_limit(24, X86_COUNT_WRITTEN), 0x7fffff);
	KUNIT_EXPECT_EQ(test, x86_count_limit(64, 64), S64_MAX);
}

static void count_load(struct kunit *test)
{
	static const struct {
		s64 left;
		u64 limit;
		u64 load;
	} rows[] = {
		{ S64_MIN, 100, 2 }, { -1, 100, 2 }, { 0, 100, 2 },
		{ 1, 100, 2 }, { 2, 100, 2 }, { 3, 100, 3 }, { 99, 100, 99 },
		{ 100, 100, 100 }, { 101, 100, 100 }, { S64_MAX, 100, 100 },
		{ S64_MAX, S64_MAX, S64_MAX }, { 1, 2, 2 },
		{ BIT_ULL(31), 0x7fffffff, 0x7fffffff },
		{ BIT_ULL(40) + 5, 0x7fffffff, 0x7fffffff },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, x86_count_load(rows[i].left, rows[i].limit),
				    rows[i].load, "row %u", i);
}

static void count_next_period(struct kunit *test)
{
	static const struct {
		s64 left;
		u64 length;
		bool begins;
		s64 result;
	} rows[] = {
		{ 1, 100, false, 1 }, { 100, 100, false, 100 },
		{ S64_MAX, 1, false, S64_MAX },
		/* The next period begins where the present one ended. */
		{ 0, 100, true, 100 }, { -1, 100, true, 99 },
		{ -98, 100, true, 2 }, { -99, 100, true, 1 },
		/* It became due long ago. */
		{ -100, 100, true, 100 }, { -101, 100, true, 100 },
		{ S64_MIN, 100, true, 100 }, { S64_MIN, S64_MAX, true, S64_MAX },
		{ -S64_MAX, S64_MAX, true, S64_MAX },
		{ 1 - S64_MAX, S64_MAX, true, 1 },
		{ 0, 1, true, 1 }, { -1, 1, true, 1 }, { -7, 1, true, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct x86_count_period period = {
			.left = rows[i].left, .length = rows[i].length, .last = 55,
		};

		KUNIT_EXPECT_EQ_MSG(test, x86_count_next_period(&period),
				    rows[i].begins, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, period.left, rows[i].result, "row %u", i);
		KUNIT_EXPECT_EQ(test, period.length, rows[i].length);
		KUNIT_EXPECT_EQ_MSG(test, period.last,
				    rows[i].begins ? rows[i].length : 55,
				    "row %u", i);
	}
}

/* A period that is longer than the counter's range takes several loads. */
static void count_long_period(struct kunit *test)
{
	u64 limit = x86_count_limit(40, X86_COUNT_WRITTEN);
	struct x86_count_period period = {
		.left = 0, .length = 10 * limit + 7,
	};
	u64 raw, sum = 0;
	int loads = 0;

	KUNIT_ASSERT_TRUE(test, x86_count_next_period(&period));
	do {
		raw = x86_count_start(40, x86_count_load(period.left, limit));
		/* It is read three events after the overflow. */
		sum += x86_count_delta(40, raw, 3);
		period.left -= x86_count_delta(40, raw, 3);
		loads++;
	} while (!x86_count_next_period(&period));
	KUNIT_EXPECT_EQ(test, loads, 10);
	KUNIT_EXPECT_EQ(test, (u64)period.left, 2 * period.length - sum);
}

static void count_may_carry(struct kunit *test)
{
	static const struct {
		u64 owner, event;
		bool samples, user, may;
	} rows[] = {
		{ 7, 7, false, false, true }, { 7, 7, true, false, true },
		{ 7, 7, false, true, true }, { 7, 7, true, true, true },
		{ 7, 8, false, false, true }, { 7, 8, true, false, false },
		{ 7, 8, false, true, false }, { 7, 8, true, true, false },
		{ 0, 8, false, false, false }, { 0, 0, false, false, false },
	};
	unsigned int width, i;

	for (width = NARROWEST; width <= WIDEST; width++) {
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			struct x86_count_carry carry = {
				.value = BIT_ULL(width - 1), .width = width,
				.owner = rows[i].owner, .event = rows[i].event,
				.samples = rows[i].samples, .user = rows[i].user,
			};

			KUNIT_EXPECT_EQ_MSG(test, x86_count_may_carry(&carry),
					    rows[i].may, "row %u", i);
			carry.value = BIT_ULL(width) - 1;
			KUNIT_EXPECT_EQ_MSG(test, x86_count_may_carry(&carry),
					    rows[i].may, "row %u", i);
			/* It has overflowed, or is far from it. */
			carry.value = BIT_ULL(width - 1) - 1;
			KUNIT_EXPECT_FALSE(test, x86_count_may_carry(&carry));
			carry.value = 0;
			KUNIT_EXPECT_FALSE(test, x86_count_may_carry(&carry));
		}
	}
}

static struct kunit_case count_cases[] = {
	KUNIT_CASE(count_delta),
	KUNIT_CASE(count_start),
	KUNIT_CASE(count_wraps),
	KUNIT_CASE(count_limit),
	KUNIT_CASE(count_load),
	KUNIT_CASE(count_next_period),
	KUNIT_CASE(count_long_period),
	KUNIT_CASE(count_may_carry),
	{}
};

static struct kunit_suite count_suite = {
	.name		= "x86_count",
	.test_cases	= count_cases,
};

kunit_test_suite(count_suite);
