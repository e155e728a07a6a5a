// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the limit of tries: few groups are tried in one choice, and all of
 * them in turn.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>

#include "../sched_tries.h"

#define MOST_GROUPS	200

/* No group fits. Return: how many are tried, and marked, in this choice. */
static unsigned int tries_test_choice(unsigned int nr, unsigned int choice,
				      unsigned long *tried)
{
	struct perf_sched_tries tries = { .nr_waiting = nr, .choice = choice };

	for (unsigned int i = 0; i < nr; i++) {
		if (perf_sched_tries_skip(&tries))
			continue;
		__set_bit(i, tried);
		tries.missed++;
	}
	return tries.missed;
}

static void tries_test_all_in_turn(struct kunit *test)
{
	DECLARE_BITMAP(tried, MOST_GROUPS);

	for (unsigned int nr = 1; nr <= MOST_GROUPS; nr++) {
		unsigned int choices = max(nr / PERF_SCHED_MISSES, 1U);

		bitmap_zero(tried, MOST_GROUPS);
		for (unsigned int i = 0; i < choices; i++)
			KUNIT_EXPECT_LE(test, tries_test_choice(nr, i, tried),
					2 * PERF_SCHED_MISSES);
		KUNIT_EXPECT_EQ_MSG(test, bitmap_weight(tried, MOST_GROUPS), nr,
				    "%u groups: not all were tried", nr);
	}
}

/* As many as can be tried are tried. */
static void tries_test_few(struct kunit *test)
{
	DECLARE_BITMAP(tried, MOST_GROUPS) = { };

	for (unsigned int nr = 1; nr <= 2 * PERF_SCHED_MISSES; nr++) {
		for (unsigned int i = 0; i < nr; i++)
			KUNIT_EXPECT_EQ(test, tries_test_choice(nr, i, tried),
					nr);
	}
}

static struct kunit_case tries_test_cases[] = {
	KUNIT_CASE(tries_test_all_in_turn),
	KUNIT_CASE(tries_test_few),
	{ }
};

static struct kunit_suite tries_test_suite = {
	.name		= "perf_sched_tries",
	.test_cases	= tries_test_cases,
};

kunit_test_suite(tries_test_suite);
