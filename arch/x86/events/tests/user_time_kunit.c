// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room user_time: the page that a program reads, with the formulas
 * that include/uapi/linux/perf_event.h gives to programs.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/sched/clock.h>
#include <asm/tsc.h>

#include "../rdpmc.h"
#include "../user_time.h"

#define ROUNDS	1000

/* Scale a value of the counter, as a program does. */
static u64 scaled(const struct perf_event_mmap_page *page, u64 cycles)
{
	u64 quotient = cycles >> page->time_shift;
	u64 rest = cycles & (BIT_ULL(page->time_shift) - 1);

	return quotient * page->time_mult + (rest * page->time_mult >> page->time_shift);
}

static u64 random_u64(struct rnd_state *rnd)
{
	u64 high = prandom_u32_state(rnd);

	return high << 32 | prandom_u32_state(rnd);
}

static struct perf_event_mmap_page *make_page(struct kunit *test)
{
	struct perf_event_mmap_page *page =
		kunit_kzalloc(test, sizeof(*page), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

static struct perf_event *make_event(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	return event;
}

/* The kernel's clock and a program's agree to the nanosecond. */
static void describes_clock(struct kunit *test)
{
	struct perf_event_mmap_page *page = make_page(test);
	struct rnd_state rnd;
	unsigned int round;

	prandom_seed_state(&rnd, 13);
	for (round = 0; round < ROUNDS; round++) {
		struct cyc2ns_data clock = {
			.cyc2ns_mul	= prandom_u32_state(&rnd),
			.cyc2ns_shift	= prandom_u32_state(&rnd) % 32,
		};
		u64 base = random_u64(&rnd), now = random_u64(&rnd);
		u64 tsc = random_u64(&rnd) >> 8;
		u64 time = base + mul_u64_u32_shr(tsc, clock.cyc2ns_mul,
						  clock.cyc2ns_shift);

		x86_user_time_describe(page, &clock, base, now);
		KUNIT_ASSERT_EQ(test, page->time_zero + scaled(page, tsc), time);
		KUNIT_ASSERT_EQ(test, page->time_offset + scaled(page, tsc), time - now);
	}
	KUNIT_EXPECT_EQ(test, page->time_cycles, 0);
	KUNIT_EXPECT_EQ(test, page->time_mask, 0);
	KUNIT_EXPECT_EQ(test, !!page->cap_user_time_short, 0);
}

/* A value of the counter that is read between two looks at the clock. */
static void runs_with_clock(struct kunit *test)
{
	struct perf_event_mmap_page *page = make_page(test);
	struct perf_event *event = make_event(test);
	u64 before, tsc, after;

	preempt_disable();
	arch_perf_update_userpage(event, page, local_clock());
	before = local_clock();
	tsc = rdtsc_ordered();
	after = local_clock();
	preempt_enable();
	if (!page->cap_user_time)
		kunit_skip(test, "the clock is not the time stamp counter");
	KUNIT_EXPECT_EQ(test, !!page->cap_user_time_zero, 1);
	KUNIT_EXPECT_GE(test, page->time_zero + scaled(page, tsc), before);
	KUNIT_EXPECT_LE(test, page->time_zero + scaled(page, tsc), after);
	KUNIT_EXPECT_LT(test, page->time_offset + scaled(page, tsc), NSEC_PER_SEC);
}

static void says_what_works(struct kunit *test)
{
	struct perf_event_mmap_page *page = make_page(test);
	struct perf_event *event = make_event(test);
	bool known = using_native_sched_clock() && sched_clock_stable();

	arch_perf_update_userpage(event, page, 0);
	KUNIT_EXPECT_EQ(test, !!page->cap_user_rdpmc, 0);
	KUNIT_EXPECT_EQ(test, page->pmc_width, x86_counter_width());
	KUNIT_EXPECT_EQ(test, !!page->cap_user_time, known);
	KUNIT_EXPECT_EQ(test, !!page->cap_user_time_zero, known);

	/* Bits of earlier times go away as well. */
	event->hw.flags = PERF_EVENT_FLAG_USER_READ_CNT;
	event->attr.use_clockid = 1;
	arch_perf_update_userpage(event, page, 0);
	KUNIT_EXPECT_EQ(test, !!page->cap_user_rdpmc, 1);
	KUNIT_EXPECT_EQ(test, !!page->cap_user_time, known);
	KUNIT_EXPECT_EQ(test, !!page->cap_user_time_zero, 0);

	event->hw.flags = 0;
	arch_perf_update_userpage(event, page, 0);
	KUNIT_EXPECT_EQ(test, !!page->cap_user_rdpmc, 0);
}

static struct kunit_case user_time_cases[] = {
	KUNIT_CASE(describes_clock),
	KUNIT_CASE(runs_with_clock),
	KUNIT_CASE(says_what_works),
	{ }
};

static struct kunit_suite user_time_suite = {
	.name		= "x86_user_time",
	.test_cases	= user_time_cases,
};

kunit_test_suite(user_time_suite);

MODULE_DESCRIPTION("KUnit tests of how user space reads the clock");
MODULE_LICENSE("GPL");
