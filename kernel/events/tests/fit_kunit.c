// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room fit: groups on PMUs with scripted counters, beside events
 * that are pinned there.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>

#include "../fit.h"
#include "fake_pmu.h"
#include "judge_pmu.h"

static struct perf_fit *fit_test_question(struct kunit *test, int cpu,
					  unsigned int nr, u64 kind)
{
	struct perf_fit *fit = kunit_kzalloc(test, sizeof(*fit), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fit);
	fit->pmu = &judge_pmu.pmu;
	fit->cpu = cpu;
	fit->nr = nr;
	for (unsigned int i = 0; i < nr; i++) {
		fit->attr[i].type = judge_pmu.pmu.type;
		fit->attr[i].config = kind;
		fit->attr[i].disabled = 1;
		fit->attr[i].inherit = 1;
	}
	return fit;
}

static u32 fit_test_beside(struct kunit *test, int cpu, unsigned int nr,
			   u64 kind)
{
	struct perf_fit *fit = fit_test_question(test, cpu, nr, kind);
	u32 beside;

	perf_fit_judge(fit);
	beside = fit->beside;
	kunit_kfree(test, fit);
	return beside;
}

static void fit_test_group(struct kunit *test)
{
	judge_pmu_build(4, 1);
	judge_pmu_register(test);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 1, 3), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 4, 3), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 5, 3), PERF_FIT_NO);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 5, 0), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 6, 0), PERF_FIT_NO);
}

static void fit_test_beside_pinned(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);
	u32 anywhere = num_online_cpus() > 1 ? PERF_FIT_SOMEWHERE : PERF_FIT_NO;
	struct perf_event *pinned;
	struct perf_fit *fit;

	judge_pmu_build(4, 0);
	judge_pmu_register(test);
	judge_pmu_open(test, 5, false, NULL);
	pinned = judge_pmu_open(test, 5, true, NULL);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, cpu, 3, 3), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, cpu, 4, 3), PERF_FIT_NO);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 4, 3), anywhere);

	/* A pinned event takes no counter from its own group. */
	fit = fit_test_question(test, cpu, 4, 3);
	fit->leader = pinned;
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->alone, PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, fit->beside, PERF_FIT_YES);
}

/* An exclusive group is alone, whether it comes first or last. */
static void fit_test_exclusive(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);
	struct perf_fit *fit;

	judge_pmu_build(4, 0);
	judge_pmu_register(test);
	fit = fit_test_question(test, cpu, 2, 3);
	fit->attr[0].exclusive = 1;
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->beside, PERF_FIT_YES);
	/* The first event belongs to another group of the same task. */
	fit->nr_before = 1;
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->beside, PERF_FIT_NO);
	fit->nr_before = 0;
	judge_pmu_open(test, 5, true, NULL);
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->beside, PERF_FIT_NO);
}

static void fit_test_unknown(struct kunit *test)
{
	struct perf_fit *fit;

	judge_pmu_build(4, 3);
	judge_pmu.judges = false;
	judge_pmu_register(test);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 1, 0),
			PERF_FIT_UNKNOWN);
	fit = fit_test_question(test, -1, 1, 0);
	fit->too_many = true;
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->alone, PERF_FIT_UNKNOWN);
	/* A PMU that is being unregistered is not asked. */
	kunit_release_action(test, judge_pmu_unregister, NULL);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 1, 0),
			PERF_FIT_UNKNOWN);
}

static void fit_test_driver(struct kunit *test)
{
	judge_pmu_let_know(8, 3);
	judge_pmu.fixed = 1;
	judge_pmu_register(test);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 4, 0), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 8, 0),
			PERF_FIT_UNKNOWN);
	/* Is one of nine events of the kind that the fixed counter counts? */
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 9, 0),
			PERF_FIT_UNKNOWN);
	KUNIT_EXPECT_EQ(test, fit_test_beside(test, -1, 10, 0), PERF_FIT_NO);
}

/* A driver that has gone must not be asked, whatever else is known of its PMU. */
static void fit_test_gone(struct kunit *test)
{
	struct pmu *gone = kunit_kzalloc(test, sizeof(*gone), GFP_KERNEL);
	struct perf_fit *fit;

	KUNIT_ASSERT_NOT_NULL(test, gone);
	judge_pmu_let_know(8, 0);
	judge_pmu_register(test);
	*gone = judge_pmu.pmu;
	fit = fit_test_question(test, -1, 1, 0);
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->alone, PERF_FIT_YES);
	fit->pmu = gone;
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->alone, PERF_FIT_UNKNOWN);
}

static struct kunit_case fit_test_cases[] = {
	KUNIT_CASE(fit_test_group),
	KUNIT_CASE(fit_test_beside_pinned),
	KUNIT_CASE(fit_test_exclusive),
	KUNIT_CASE(fit_test_unknown),
	KUNIT_CASE(fit_test_driver),
	KUNIT_CASE(fit_test_gone),
	{ }
};

static struct kunit_suite fit_test_suite = {
	.name		= "perf_fit",
	.init		= judge_pmu_init,
	.test_cases	= fit_test_cases,
};

kunit_test_suite(fit_test_suite);
