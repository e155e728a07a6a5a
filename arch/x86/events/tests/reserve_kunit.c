// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of room "reserve": another user of the counters, as a profiler of
 * its own would be.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <asm/nmi.h>
#include "../pmc.h"
#include "../reserve.h"

/* Counters that no machine has; the machine's are in use by its NMI watchdog. */
#define FIRST	14

static u64 last_two(void)
{
	return BIT_ULL(FIRST) | BIT_ULL(FIRST + 1);
}

static struct x86_reserve reserve;

static u32 address_of(unsigned int counter)
{
	return x86_pmc.counter + counter * x86_pmc.step;
}

/* Try to get a counter without the engine, and give it back. */
static bool is_free(void)
{
	if (!reserve_perfctr_nmi(address_of(FIRST)))
		return false;
	release_perfctr_nmi(address_of(FIRST));
	return true;
}

static int reserve_init(struct kunit *test)
{
	if (!x86_pmc.counter)
		kunit_skip(test, "no driver");
	return 0;
}

static int reserve_suite_init(struct kunit_suite *suite)
{
	x86_reserve_init(&reserve, last_two);
	return 0;
}

static void reserve_test_lingers(struct kunit *test)
{
	unsigned long closed;
	unsigned int i;
	bool was_free;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, x86_reserve_get(&reserve), 0);
		KUNIT_EXPECT_FALSE(test, is_free());
		closed = jiffies;
		x86_reserve_put(&reserve);
		/* In the second turn the work has found a user in the first. */
		msleep(600);
		was_free = is_free();
		if (time_before(jiffies, closed + HZ))
			KUNIT_EXPECT_FALSE(test, was_free);
	}
	msleep(800);
	KUNIT_EXPECT_TRUE(test, is_free());
}

static void reserve_test_other_user(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, reserve_perfctr_nmi(address_of(FIRST + 1)));
	KUNIT_EXPECT_EQ(test, x86_reserve_get(&reserve), -EBUSY);
	release_perfctr_nmi(address_of(FIRST + 1));
	/* The attempt has left nothing behind. */
	KUNIT_EXPECT_TRUE(test, is_free());
	KUNIT_ASSERT_EQ(test, x86_reserve_get(&reserve), 0);
	KUNIT_ASSERT_EQ(test, x86_reserve_get(&reserve), 0);
	x86_reserve_put(&reserve);
	msleep(1300);
	KUNIT_EXPECT_FALSE(test, is_free());
	x86_reserve_put(&reserve);
	msleep(1300);
	KUNIT_EXPECT_TRUE(test, is_free());
}

static struct kunit_case reserve_cases[] = {
	KUNIT_CASE_SLOW(reserve_test_lingers),
	KUNIT_CASE_SLOW(reserve_test_other_user),
	{}
};

static struct kunit_suite reserve_suite = {
	.name		= "x86_reserve",
	.suite_init	= reserve_suite_init,
	.init		= reserve_init,
	.test_cases	= reserve_cases,
};

kunit_test_suite(reserve_suite);
