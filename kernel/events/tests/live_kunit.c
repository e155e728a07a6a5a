// SPDX-License-Identifier: GPL-2.0
/* Tests of the room live: its numbers go up and down again. */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "../context.h"
#include "../event.h"
#include "../live.h"
#include "fake_pmu.h"

static struct fake_pmu fake;

static int live_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_live");
}

static void live_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static int live_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, 1000);
	return 0;
}

struct live_test_numbers {
	long nr[PERF_LIVE_NR];
};

/* Waits for closed events to be freed, for two grace periods or more. */
static void live_test_read(struct live_test_numbers *numbers)
{
	for (int i = 0; i < 3; i++)
		rcu_barrier();
	for (int what = 0; what < PERF_LIVE_NR; what++)
		numbers->nr[what] = perf_live_sum(what);
}

/* Added on one CPU and taken away on another. */
static void live_test_sum(struct kunit *test)
{
	long before = perf_live_sum(PERF_LIVE_BUFFERS);

	per_cpu(perf_live_counts, cpumask_first(cpu_possible_mask))[PERF_LIVE_BUFFERS] += 5;
	perf_live_add(PERF_LIVE_BUFFERS, -3);
	KUNIT_EXPECT_EQ(test, perf_live_sum(PERF_LIVE_BUFFERS), before + 2);
	perf_live_add(PERF_LIVE_BUFFERS, -2);
	KUNIT_EXPECT_EQ(test, perf_live_sum(PERF_LIVE_BUFFERS), before);
}

static void live_test_event(struct kunit *test)
{
	const struct fake_pmu_spec spec = { .task = current, .cpu = -1 };
	struct live_test_numbers before, with, after;
	struct perf_event *event;

	live_test_read(&before);
	event = fake_pmu_open(test, &fake, &spec);
	live_test_read(&with);
	fake_pmu_close(test, event);
	live_test_read(&after);
	KUNIT_EXPECT_EQ(test, with.nr[PERF_LIVE_EVENTS], before.nr[PERF_LIVE_EVENTS] + 1);
	KUNIT_EXPECT_EQ(test, with.nr[PERF_LIVE_ON_PMU], before.nr[PERF_LIVE_ON_PMU] + 1);
	KUNIT_EXPECT_GE(test, with.nr[PERF_LIVE_CONTEXTS], before.nr[PERF_LIVE_CONTEXTS]);
	KUNIT_EXPECT_EQ(test, after.nr[PERF_LIVE_EVENTS], before.nr[PERF_LIVE_EVENTS]);
	KUNIT_EXPECT_EQ(test, after.nr[PERF_LIVE_ON_PMU], before.nr[PERF_LIVE_ON_PMU]);
	KUNIT_EXPECT_EQ(test, after.nr[PERF_LIVE_SWITCH_USERS],
			before.nr[PERF_LIVE_SWITCH_USERS]);
}

static int live_test_sleep(void *unused)
{
	return 0;
}

/* A context that was made for a task that exits is not needed. */
static void live_test_unneeded_ctx(struct kunit *test)
{
	struct task_struct *task =
		kthread_create(live_test_sleep, NULL, "perf_kunit");
	struct live_test_numbers before, after;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	kthread_stop(task);
	live_test_read(&before);
	KUNIT_EXPECT_EQ(test, PTR_ERR(perf_ctx_get_task(task)), -ESRCH);
	put_task_struct(task);
	live_test_read(&after);
	/* Other tasks may end, and their contexts with them. */
	KUNIT_EXPECT_LE(test, after.nr[PERF_LIVE_CONTEXTS],
			before.nr[PERF_LIVE_CONTEXTS]);
}

static struct kunit_case live_test_cases[] = {
	KUNIT_CASE(live_test_sum),
	KUNIT_CASE(live_test_event),
	KUNIT_CASE(live_test_unneeded_ctx),
	{ }
};

static struct kunit_suite live_test_suite = {
	.name		= "perf_live",
	.suite_init	= live_test_suite_init,
	.suite_exit	= live_test_suite_exit,
	.init		= live_test_init,
	.test_cases	= live_test_cases,
};

kunit_test_suite(live_test_suite);
