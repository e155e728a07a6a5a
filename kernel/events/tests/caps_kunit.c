// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room caps, which tries out PMUs with scripted counters, and
 * calls the drivers of PMUs that report their number of counters.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>

#include "../caps.h"
#include "fake_pmu.h"
#include "judge_pmu.h"

#define NR_MACHINES	40

static void caps_test_expect(struct kunit *test, unsigned int general,
			     unsigned int fixed)
{
	struct perf_pmu_counters counters;

	KUNIT_ASSERT_EQ(test, perf_caps_get(&judge_pmu.pmu, &counters), 0);
	KUNIT_EXPECT_EQ(test, counters.general, general);
	KUNIT_EXPECT_EQ(test, counters.fixed, fixed);
	KUNIT_EXPECT_EQ(test, counters.general_free, general);
	KUNIT_EXPECT_EQ(test, counters.fixed_free, fixed);
}

static void caps_test_expect_free(struct kunit *test, unsigned int general,
				  unsigned int fixed)
{
	struct perf_pmu_counters counters;

	KUNIT_ASSERT_EQ(test, perf_caps_get(&judge_pmu.pmu, &counters), 0);
	KUNIT_EXPECT_EQ(test, counters.general_free, general);
	KUNIT_EXPECT_EQ(test, counters.fixed_free, fixed);
}

static void caps_test_expect_nothing(struct kunit *test)
{
	struct perf_pmu_counters counters;

	KUNIT_EXPECT_EQ(test, perf_caps_get(&judge_pmu.pmu, &counters),
			-ENODATA);
	KUNIT_EXPECT_NULL(test, judge_pmu.pmu.caps);
}

/* How many counters there are. */

static void caps_test_general_only(struct kunit *test)
{
	judge_pmu_build(6, 0);
	judge_pmu_register(test);
	caps_test_expect(test, 6, 0);
}

static void caps_test_general_and_fixed(struct kunit *test)
{
	judge_pmu_build(4, 3);
	judge_pmu_register(test);
	caps_test_expect(test, 4, 3);
}

/* A kind that can use only its fixed counter, like a reference clock. */
static void caps_test_fixed_only(struct kunit *test)
{
	judge_pmu_build(4, 2);
	judge_pmu.counters[JUDGE_PMU_KINDS - 1] = BIT(7);
	judge_pmu_register(test);
	caps_test_expect(test, 4, 3);
}

/* Some kinds cannot use every general counter. */
static void caps_test_constrained(struct kunit *test)
{
	judge_pmu_build(4, 2);
	judge_pmu.counters[3] = BIT(0);
	judge_pmu.counters[4] = BIT(1) | BIT(2);
	judge_pmu_register(test);
	caps_test_expect(test, 4, 2);
}

static void caps_test_few_kinds(struct kunit *test)
{
	judge_pmu.counters[1] = JUDGE_PMU_GENERAL(2);
	judge_pmu_register(test);
	caps_test_expect(test, 2, 0);
}

static void caps_test_random(struct kunit *test)
{
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	for (int i = 0; i < NR_MACHINES; i++) {
		unsigned int general = 1 + prandom_u32_state(&rnd) % 8;
		unsigned int fixed = prandom_u32_state(&rnd) % 5;

		judge_pmu_init(test);
		judge_pmu_build(general, fixed);
		/*
		 * Some kinds are missing, but not the kind that can use all
		 * general counters.
		 */
		for (int kind = 5; kind < JUDGE_PMU_KINDS - 1; kind++) {
			if (prandom_u32_state(&rnd) & 1)
				judge_pmu.counters[kind] = 0;
		}
		judge_pmu_register(test);
		caps_test_expect(test, general, fixed);
		kunit_release_action(test, judge_pmu_unregister, NULL);
	}
}

/* PMUs whose number of counters cannot be known. */

static void caps_test_no_judge(struct kunit *test)
{
	judge_pmu_build(4, 3);
	judge_pmu.judges = false;
	judge_pmu_register(test);
	caps_test_expect_nothing(test);
}

static void caps_test_no_generic_events(struct kunit *test)
{
	judge_pmu_register(test);
	caps_test_expect_nothing(test);
}

static void caps_test_not_of_the_cpu(struct kunit *test)
{
	judge_pmu_build(4, 3);
	judge_pmu.pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	judge_pmu_register(test);
	caps_test_expect_nothing(test);
}

/* No kind fills all the general counters and no others. */
static void caps_test_no_measure(struct kunit *test)
{
	judge_pmu.counters[0] = BIT(0) | BIT(1);
	judge_pmu.counters[1] = BIT(2) | BIT(3);
	judge_pmu_register(test);
	caps_test_expect_nothing(test);
}

/* How many counters are free. */

/* A pinned event of @cpu. */
static void caps_test_open_on(struct kunit *test, int cpu, u64 kind)
{
	struct perf_event_attr attr = {
		.type	= judge_pmu.pmu.type,
		.size	= sizeof(attr),
		.config	= kind,
		.pinned	= 1,
	};

	fake_open_counter(test, &attr, cpu, NULL);
}

static void caps_test_pinned(struct kunit *test)
{
	struct perf_event *fixed, *general;

	judge_pmu_build(4, 3);
	judge_pmu_register(test);
	caps_test_expect_free(test, 4, 3);
	/* The event takes the fixed counter, which blocks no other event. */
	fixed = judge_pmu_open(test, 0, true, NULL);
	caps_test_expect_free(test, 4, 2);
	general = judge_pmu_open(test, JUDGE_PMU_KINDS - 1, true, NULL);
	caps_test_expect_free(test, 3, 2);
	judge_pmu_open(test, 0, true, NULL);
	caps_test_expect_free(test, 2, 2);

	perf_event_disable(fixed);
	caps_test_expect_free(test, 3, 2);
	perf_event_enable(fixed);
	fake_pmu_close(test, general);
	caps_test_expect_free(test, 3, 2);
}

/*
 * The number is that of the CPU with the fewest, whichever CPU is called
 * first.
 */
static void caps_test_pinned_elsewhere(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU only");
	judge_pmu_build(4, 3);
	judge_pmu_register(test);
	caps_test_open_on(test, cpumask_last(cpu_online_mask),
			  JUDGE_PMU_KINDS - 1);
	caps_test_expect_free(test, 3, 3);
	caps_test_open_on(test, cpumask_first(cpu_online_mask), 0);
	caps_test_expect_free(test, 3, 2);
}

/*
 * The measure is a kind that has the general counters only. Another kind has a
 * fixed one in the place of a general one, so that their numbers are equal.
 */
static void caps_test_measure(struct kunit *test)
{
	judge_pmu_build(4, 0);
	judge_pmu.counters[JUDGE_PMU_KINDS - 1] = JUDGE_PMU_GENERAL(3) | BIT(4);
	judge_pmu_register(test);
	caps_test_expect(test, 4, 1);
	judge_pmu_open(test, 0, true, NULL);
	caps_test_expect_free(test, 3, 1);
}

static void caps_test_no_memory(struct kunit *test)
{
	struct perf_pmu_counters counters;

	judge_pmu_build(4, 3);
	judge_pmu_register(test);
	judge_pmu.no_memory = true;
	KUNIT_EXPECT_EQ(test, perf_caps_get(&judge_pmu.pmu, &counters),
			-ENOMEM);
	judge_pmu.no_memory = false;
	caps_test_expect(test, 4, 3);
}

static void caps_test_not_pinned(struct kunit *test)
{
	judge_pmu_build(4, 3);
	judge_pmu_register(test);
	judge_pmu_open(test, 0, false, NULL);
	judge_pmu_open(test, 5, false, NULL);
	/* A task's event takes nothing away from the CPU's events. */
	judge_pmu_open(test, 5, true, current);
	caps_test_expect_free(test, 4, 3);
}

static void caps_test_exclusive(struct kunit *test)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.pinned		= 1,
		.exclusive	= 1,
	};

	judge_pmu_build(4, 3);
	judge_pmu_register(test);
	attr.type = judge_pmu.pmu.type;
	fake_open_counter(test, &attr, 0, NULL);
	caps_test_expect_free(test, 0, 0);
}

/* Drivers that know how many counters they have. */

static void caps_test_driver(struct kunit *test)
{
	struct perf_pmu_counters counters;

	judge_pmu_let_know(8, 3);
	judge_pmu_register(test);
	KUNIT_ASSERT_EQ(test, perf_caps_get(&judge_pmu.pmu, &counters), 0);
	KUNIT_EXPECT_EQ(test, counters.general, 8);
	KUNIT_EXPECT_EQ(test, counters.fixed, 0);
	KUNIT_EXPECT_EQ(test, counters.general_free,
			num_online_cpus() > 1 ? 4 : 5);

	/*
	 * The total is constant: once it is known the driver is not called
	 * again.
	 */
	judge_pmu.absent_on = -1;
	KUNIT_EXPECT_EQ(test, perf_caps_get_total(&judge_pmu.pmu, &counters),
			-ENODATA);
	judge_pmu.absent_on = nr_cpu_ids;
	KUNIT_EXPECT_EQ(test, perf_caps_get_total(&judge_pmu.pmu, &counters),
			0);
	judge_pmu.general = 7;
	judge_pmu.absent_on = -1;
	KUNIT_EXPECT_EQ(test, perf_caps_get_total(&judge_pmu.pmu, &counters),
			0);
	KUNIT_EXPECT_EQ(test, counters.general, 8);
	KUNIT_EXPECT_EQ(test, counters.fixed, 0);
	judge_pmu.general = 8;

	/* A CPU without the PMU does not count. */
	judge_pmu.absent_on = cpumask_last(cpu_online_mask);
	if (num_online_cpus() == 2) {
		KUNIT_ASSERT_EQ(test, perf_caps_get(&judge_pmu.pmu, &counters),
				0);
		KUNIT_EXPECT_EQ(test, counters.general_free, 5);
	}
	judge_pmu.absent_on = -1;
	KUNIT_EXPECT_EQ(test, perf_caps_get(&judge_pmu.pmu, &counters),
			-ENODATA);
}

static struct kunit_case caps_test_cases[] = {
	KUNIT_CASE(caps_test_general_only),
	KUNIT_CASE(caps_test_general_and_fixed),
	KUNIT_CASE(caps_test_fixed_only),
	KUNIT_CASE(caps_test_constrained),
	KUNIT_CASE(caps_test_few_kinds),
	KUNIT_CASE(caps_test_random),
	KUNIT_CASE(caps_test_no_judge),
	KUNIT_CASE(caps_test_no_generic_events),
	KUNIT_CASE(caps_test_not_of_the_cpu),
	KUNIT_CASE(caps_test_no_measure),
	KUNIT_CASE(caps_test_pinned),
	KUNIT_CASE(caps_test_pinned_elsewhere),
	KUNIT_CASE(caps_test_measure),
	KUNIT_CASE(caps_test_no_memory),
	KUNIT_CASE(caps_test_not_pinned),
	KUNIT_CASE(caps_test_exclusive),
	KUNIT_CASE(caps_test_driver),
	{ }
};

static struct kunit_suite caps_test_suite = {
	.name		= "perf_caps",
	.init		= judge_pmu_init,
	.test_cases	= caps_test_cases,
};

kunit_test_suite(caps_test_suite);
