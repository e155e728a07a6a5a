// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the limit of tries: few groups are tried in one choice, and all of
 * them in turn.
 */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../sched_tries.h"

#define MOST_GROUPS	200

/* No group fits. Return: how many are tried, and marked, in this choice. */
static unsigned int tries_test_choice(unsigned int nr, unsigned int nr_siblings,
				      unsigned int choice, bool *tried)
{
	struct perf_sched_tries tries = perf_sched_tries_begin(nr, choice);
	unsigned int count = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (perf_sched_tries_skip(&tries))
			continue;
		tried[i] = true;
		count++;
		perf_sched_tries_miss(&tries, nr_siblings);
	}
	return count;
}

static void tries_test_case(struct kunit *test, unsigned int nr,
			    unsigned int nr_siblings, unsigned int shifts)
{
	unsigned int windows = max(nr / PERF_SCHED_MISSES, 1U), most = 0;
	bool *tried = kunit_kzalloc(test, MOST_GROUPS, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tried);
	for (unsigned int i = 0; i < shifts * windows; i++)
		most = max(most, tries_test_choice(nr, nr_siblings, i, tried));
	KUNIT_EXPECT_LE_MSG(test, most, 2 * PERF_SCHED_MISSES, "%u groups", nr);
	KUNIT_EXPECT_LE_MSG(test, most * (nr_siblings + 1),
			    2 * PERF_SCHED_MISSES * PERF_SCHED_MISS_EVENTS +
			    2 * nr_siblings, "%u groups of %u", nr,
			    nr_siblings + 1);
	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(tried, true, nr),
			      "%u groups of %u: not all were tried", nr,
			      nr_siblings + 1);
	kunit_kfree(test, tried);
}

/* Groups of a few events: all are tried in as many choices as windows. */
static void tries_test_small_groups(struct kunit *test)
{
	for (unsigned int nr = 1; nr <= MOST_GROUPS; nr++) {
		tries_test_case(test, nr, 0, 1);
		tries_test_case(test, nr, PERF_SCHED_MISS_EVENTS - 1, 1);
	}
}

/* Large groups: fewer of them are tried in a choice. */
static void tries_test_large_groups(struct kunit *test)
{
	unsigned int shifts = 3 * PERF_SCHED_MISSES;

	for (unsigned int nr = 1; nr <= MOST_GROUPS; nr++) {
		tries_test_case(test, nr, 2 * PERF_SCHED_MISS_EVENTS, shifts);
		tries_test_case(test, nr, 1000, shifts);
	}
}

static struct kunit_case tries_test_cases[] = {
	KUNIT_CASE(tries_test_small_groups),
	KUNIT_CASE(tries_test_large_groups),
	{ }
};

static struct kunit_suite tries_test_suite = {
	.name		= "perf_sched_tries",
	.test_cases	= tries_test_cases,
};

kunit_test_suite(tries_test_suite);
