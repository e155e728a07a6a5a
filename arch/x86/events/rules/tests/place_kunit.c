// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room place: the masks of real models and random events against
 * all placements, the order of preferences, pairs, and the limits.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/prandom.h>

#include "../place.h"
#include "place_brute.h"

#define FIXED		X86_FIXED
#define MOST_MASKS	10
#define MOST_EVENTS	6
#define ROUNDS		400

static struct brute place_brute;

/* An event that does not count yet; nothing fits. */
static struct x86_seat place_test_new(u64 counters)
{
	return (struct x86_seat) { .counters = counters, .at = -1, .to = 99 };
}

/* An event that counts on @at, whose select register has its value. */
static struct x86_seat place_test_running(u64 counters, int at)
{
	return (struct x86_seat) {
		.counters = counters, .fits = BIT_ULL(at), .at = at, .to = 99,
	};
}

static struct x86_seat place_test_pair(u64 counters, int at)
{
	return (struct x86_seat) {
		.counters = counters, .at = at, .to = 99, .pair = true,
		.fits = at < 0 ? 0 : BIT_ULL(at),
	};
}

static void place_test_none(struct kunit *test, struct x86_seat *seats,
			    unsigned int n, u64 available)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, x86_place(seats, n, available), -EINVAL);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_EQ_MSG(test, seats[i].to, -1, "event %u", i);
}

/* Place them; the result must be as cheap as the best of all placements. */
static void place_test_check(struct kunit *test, struct x86_seat *seats,
			     unsigned int n, u64 available)
{
	u32 best = brute_place(&place_brute, seats, n, available);

	if (best == BRUTE_NONE) {
		place_test_none(test, seats, n, available);
		return;
	}
	KUNIT_ASSERT_EQ(test, x86_place(seats, n, available), 0);
	KUNIT_ASSERT_EQ(test, brute_judge(seats, n, available), best);
}

/* The same arguments give the same result, and a result is stable. */
static void place_test_stable(struct kunit *test, const struct x86_seat *seats,
			      unsigned int n, u64 available)
{
	struct x86_seat again[BRUTE_EVENTS];
	unsigned int i;

	memcpy(again, seats, n * sizeof(*seats));
	KUNIT_ASSERT_EQ(test, x86_place(again, n, available), 0);
	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_EQ(test, again[i].to, seats[i].to);
		again[i].at = again[i].to;
	}
	KUNIT_ASSERT_EQ(test, x86_place(again, n, available), 0);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_EQ(test, again[i].to, seats[i].to);
}

/* All multisets of up to MOST_EVENTS of the masks, which end with 0. */
static void place_test_multisets(struct kunit *test, const u64 *masks,
				 u64 available)
{
	unsigned int choice[MOST_EVENTS + 1] = {};
	unsigned int n, i;

	for (n = 0; n <= MOST_EVENTS;) {
		struct x86_seat seats[MOST_EVENTS];

		for (i = 0; i < n; i++)
			seats[i] = place_test_new(masks[choice[i]]);
		place_test_check(test, seats, n, available);
		/* The next sequence of indices that does not fall. */
		for (i = n; i > 0 && !masks[choice[i - 1] + 1]; i--)
			;
		if (i)
			choice[i - 1]++;
		else
			n++;
		for (; i < n; i++)
			choice[i] = i ? choice[i - 1] : 0;
	}
}

/* BKDG of family 15h, models 00h-0fh, 3.20: event and counters. */
static void place_family_15h(struct kunit *test)
{
	static const u64 masks[] = { 0x01, 0x07, 0x08, 0x09, 0x38, 0x3f, 0 };

	place_test_multisets(test, masks, 0x3f);
}

/* Events that not every counter counts, and one for each fixed counter. */
static void place_intel(struct kunit *test)
{
	static const u64 masks[] = {
		0x1, 0x2, 0x4, 0x8, 0x3, 0xf, 0xf | FIXED(0), FIXED(2), 0,
	};
	static const u64 core2[] = {
		0x1, 0x2, 0x3, 0x3 | FIXED(0), 0x3 | FIXED(1), FIXED(2), 0,
	};

	place_test_multisets(test, masks, 0xf | FIXED(0) | FIXED(1) | FIXED(2));
	place_test_multisets(test, core2, 0x3 | FIXED(0) | FIXED(1) | FIXED(2));
}

/* First come, first served does not find these. */
static void place_moves_others(struct kunit *test)
{
	static const u64 masks[][6] = {
		{ 0x3f, 0x3f, 0x07, 0x07, 0x07, 0x09 },
		{ 0x03, 0x06, 0x0c, 0x18, 0x30, 0x01 },
		{ 0x3f, 0x1f, 0x0f, 0x07, 0x03, 0x01 },
	};
	struct x86_seat seats[6];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		for (j = 0; j < 6; j++)
			seats[j] = place_test_new(masks[i][j]);
		KUNIT_EXPECT_EQ(test, x86_place(seats, 6, 0x3f), 0);
		KUNIT_EXPECT_NE(test, brute_judge(seats, 6, 0x3f), BRUTE_NONE);
	}
}

static u64 place_test_random(struct rnd_state *rnd)
{
	u64 high = prandom_u32_state(rnd);

	return high << 32 | prandom_u32_state(rnd);
}

static u64 place_test_some_of(struct rnd_state *rnd, u64 mask, unsigned int nr)
{
	while (hweight64(mask) > nr)
		mask &= ~BIT_ULL(prandom_u32_state(rnd) % 64);
	return mask;
}

/* Events with random masks; those that count have counters of their own. */
static void place_test_make(struct rnd_state *rnd, struct x86_seat *seats,
			    unsigned int n, u64 available)
{
	u64 left = available;
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned int nr = 1 + prandom_u32_state(rnd) % 5;
		u64 mask = place_test_some_of(rnd, available, nr);
		u64 at = place_test_some_of(rnd, mask & left, 1);

		seats[i] = place_test_new(mask);
		seats[i].fits = place_test_random(rnd);
		if (at && prandom_u32_state(rnd) % 3) {
			seats[i].at = __ffs64(at);
			left &= ~at;
		}
	}
}

static void place_test_make_pairs(struct rnd_state *rnd, struct x86_seat *seats,
				  unsigned int n, u64 available)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (prandom_u32_state(rnd) % 3)
			continue;
		seats[i].pair = true;
		seats[i].counters |= place_test_random(rnd) & available;
		/* A pair cannot count on an odd counter. */
		if (seats[i].at % 2)
			seats[i].at = -1;
	}
}

static void place_test_rounds(struct kunit *test, u64 available, bool pairs)
{
	struct x86_seat seats[BRUTE_EVENTS];
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, available);
	for (i = 0; i < ROUNDS; i++) {
		unsigned int n = 1 + prandom_u32_state(&rnd) %
				     hweight64(available);
		u64 rest = available;

		place_test_make(&rnd, seats, n, available);
		if (pairs)
			place_test_make_pairs(&rnd, seats, n, available);
		/* Counters may be taken away from those that use them. */
		if (i % 3 == 0)
			rest &= place_test_random(&rnd) | place_test_random(&rnd);
		place_test_check(test, seats, n, rest);
		if (seats[0].to >= 0)
			place_test_stable(test, seats, n, rest);
	}
}

static void place_random(struct kunit *test)
{
	place_test_rounds(test, 0x3f, false);
	place_test_rounds(test, 0xf | FIXED(0) | FIXED(1) | FIXED(2), false);
	place_test_rounds(test, 0x7 | FIXED(14) | FIXED(15) | FIXED(16) |
			  BIT_ULL(63), false);
}

static void place_random_pairs(struct kunit *test)
{
	place_test_rounds(test, 0x3f, true);
	place_test_rounds(test, 0xff, true);
	place_test_rounds(test, 0xf | FIXED(0) | FIXED(1), true);
	/* Half blocks, and blocks that pairs cannot use. */
	place_test_rounds(test, 0x3a03d, true);
}

/* One row for each rule; the last event shows which placement was chosen. */
static void place_preferences(struct kunit *test)
{
	u64 all = 0xf | FIXED(0) | FIXED(1);
	struct x86_seat seats[3];

	/* An event that counts stays, although its fixed counter is free. */
	seats[0] = place_test_running(0xf | FIXED(0), 2);
	KUNIT_EXPECT_EQ(test, x86_place(seats, 1, all), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 2);
	/* It stays even if the register has another value now. */
	seats[0].fits = 0x1 | FIXED(0);
	KUNIT_EXPECT_EQ(test, x86_place(seats, 1, all), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 2);
	/* A new event gets the fixed counter, even if another one fits. */
	seats[0].at = -1;
	seats[0].fits = 0x4;
	KUNIT_EXPECT_EQ(test, x86_place(seats, 1, all), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 32);
	/* Without it, the one that fits. */
	KUNIT_EXPECT_EQ(test, x86_place(seats, 1, 0xf), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 2);
	/* Of two fixed counters the one that fits. */
	seats[0].counters = all;
	seats[0].fits = 0x4 | FIXED(1);
	KUNIT_EXPECT_EQ(test, x86_place(seats, 1, all), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 33);
	/* An event does not move to make room on a fixed counter. */
	seats[0] = place_test_running(0xf | FIXED(0), 32);
	seats[1] = place_test_new(0xf | FIXED(0));
	KUNIT_EXPECT_EQ(test, x86_place(seats, 2, all), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 32);
	KUNIT_EXPECT_LT(test, seats[1].to, 4);
	/* It does if the new event has no other counter. */
	seats[1] = place_test_new(FIXED(0));
	KUNIT_EXPECT_EQ(test, x86_place(seats, 2, all), 0);
	KUNIT_EXPECT_LT(test, seats[0].to, 4);
	KUNIT_EXPECT_EQ(test, seats[1].to, 32);
	/* The event that moves is the one that leaves no others to move. */
	seats[0] = place_test_running(0x3, 0);
	seats[1] = place_test_running(0x6, 1);
	seats[2] = place_test_new(0x3);
	KUNIT_EXPECT_EQ(test, x86_place(seats, 3, 0x7), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 0);
	KUNIT_EXPECT_EQ(test, seats[1].to, 2);
	KUNIT_EXPECT_EQ(test, seats[2].to, 1);
}

/*
 * One move is worse than any number of events that do not fit, and so is one
 * event that misses its fixed counter. In each case a row of events has
 * counters that fit, and has to take the next ones instead.
 */
static void place_weights(struct kunit *test)
{
	struct x86_seat seats[32];
	unsigned int i;

	/* If the first event moved to counter 63, all others would fit. */
	seats[0] = place_test_running(BIT_ULL(0) | BIT_ULL(63), 0);
	for (i = 1; i < 32; i++) {
		seats[i] = place_test_new(BIT_ULL(i - 1) | BIT_ULL(i));
		seats[i].fits = BIT_ULL(i - 1);
	}
	KUNIT_EXPECT_EQ(test, x86_place(seats, 32, ~0ULL), 0);
	for (i = 0; i < 32; i++)
		KUNIT_EXPECT_EQ(test, seats[i].to, i);
	/* If it moved to the fixed counter 1, another would have its own. */
	seats[0] = place_test_running(FIXED(0) | FIXED(1), 32);
	seats[1].counters = FIXED(0) | BIT_ULL(1);
	seats[1].fits = FIXED(0);
	KUNIT_EXPECT_EQ(test, x86_place(seats, 32, ~0ULL), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 32);
	/* If the first event stayed on counter 0, all others would fit. */
	seats[0] = place_test_new(BIT_ULL(0) | FIXED(0));
	seats[0].fits = BIT_ULL(0);
	for (i = 1; i < 16; i++) {
		seats[i] = place_test_new(FIXED(i - 1) | FIXED(i));
		seats[i].fits = FIXED(i - 1);
	}
	KUNIT_EXPECT_EQ(test, x86_place(seats, 16, ~0ULL), 0);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, seats[i].to, 32 + i);
}

static void place_pairs(struct kunit *test)
{
	struct x86_seat seats[4];

	/* Pairs begin at even counters, singles take what is left. */
	seats[0] = place_test_new(0x3f);
	seats[1] = place_test_new(0x3f);
	seats[2] = place_test_pair(0x3f, -1);
	seats[3] = place_test_pair(0x15, -1);
	KUNIT_EXPECT_EQ(test, x86_place(seats, 4, 0x3f), 0);
	KUNIT_EXPECT_NE(test, brute_judge(seats, 4, 0x3f), BRUTE_NONE);
	seats[0].pair = true;
	place_test_none(test, seats, 4, 0x3f);
	/* A pair that counts keeps its block; another event makes room. */
	seats[0] = place_test_pair(0x15, 2);
	seats[1] = place_test_running(0x3f, 4);
	seats[2] = place_test_running(0x3f, 0);
	seats[3] = place_test_pair(0x15, -1);
	place_test_check(test, seats, 4, 0x3f);
	KUNIT_EXPECT_EQ(test, seats[0].to, 2);
	/* Counters that begin no block. */
	seats[0] = place_test_pair(0x2a, -1);
	place_test_none(test, seats, 1, 0x3f);
	seats[0] = place_test_pair(~0ULL, -1);
	place_test_none(test, seats, 1, 0x15);
	place_test_none(test, seats, 1, 0x2a);
	place_test_none(test, seats, 1, ~0xffffULL);
	KUNIT_EXPECT_EQ(test, x86_place(seats, 1, 0xc03e), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 2);
	KUNIT_EXPECT_EQ(test, x86_place(seats, 1, 0xc000), 0);
	KUNIT_EXPECT_EQ(test, seats[0].to, 14);
}

static void place_limits(struct kunit *test)
{
	struct x86_seat seats[X86_NR_COUNTERS + 1];
	unsigned int i;

	KUNIT_EXPECT_EQ(test, x86_place(NULL, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, x86_place(NULL, 0, ~0ULL), 0);
	for (i = 0; i < X86_NR_COUNTERS; i++) {
		seats[0] = place_test_new(BIT_ULL(i));
		KUNIT_EXPECT_EQ(test, x86_place(seats, 1, ~0ULL), 0);
		KUNIT_EXPECT_EQ(test, seats[0].to, i);
		place_test_none(test, seats, 1, ~BIT_ULL(i));
	}
	place_test_none(test, seats, 1, 0);
	seats[0] = place_test_new(0);
	place_test_none(test, seats, 1, ~0ULL);
	for (i = 0; i <= X86_NR_COUNTERS; i++)
		seats[i] = place_test_new(~0ULL);
	place_test_none(test, seats, X86_NR_COUNTERS + 1, ~0ULL);
}

/* Every event has one counter that is right, and each blocks the next one. */
static void place_longest_chain(struct kunit *test)
{
	struct x86_seat seats[X86_NR_COUNTERS];
	unsigned int i;

	for (i = 0; i < X86_NR_COUNTERS - 1; i++)
		seats[i] = place_test_running(BIT_ULL(i) | BIT_ULL(i + 1), i);
	seats[i] = place_test_new(0x1);
	KUNIT_ASSERT_EQ(test, x86_place(seats, 64, ~0ULL), 0);
	for (i = 0; i < X86_NR_COUNTERS - 1; i++)
		KUNIT_EXPECT_EQ(test, seats[i].to, i + 1);
	KUNIT_EXPECT_EQ(test, seats[i].to, 0);
	place_test_none(test, seats, 64, ~BIT_ULL(63));
}

static struct kunit_case place_cases[] = {
	KUNIT_CASE(place_limits),
	KUNIT_CASE(place_preferences),
	KUNIT_CASE(place_weights),
	KUNIT_CASE(place_moves_others),
	KUNIT_CASE(place_longest_chain),
	KUNIT_CASE(place_pairs),
	KUNIT_CASE(place_family_15h),
	KUNIT_CASE(place_intel),
	KUNIT_CASE(place_random),
	KUNIT_CASE(place_random_pairs),
	{}
};

static struct kunit_suite place_suite = {
	.name		= "x86_place",
	.test_cases	= place_cases,
};

kunit_test_suite(place_suite);
