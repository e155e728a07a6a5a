// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room event: the resources that a new event takes and gives back
 * at its end, and the counts that a copy leaves to its eldest.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../context.h"
#include "../event.h"
#include "../live.h"
#include "fake_pmu.h"

#define FOREVER_MS	3600000
#define PERIOD		1000

static struct fake_pmu fake;

static int event_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_event");
}

static void event_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void event_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int event_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, event_test_check_idle, test);
}

static struct perf_event_attr event_test_attr(void)
{
	return (struct perf_event_attr) {
		.type		= fake.pmu.type,
		.size		= sizeof(struct perf_event_attr),
		.sample_period	= PERIOD,
	};
}

/* An event of a CPU that is never installed; for perf_event_put(). */
static struct perf_event *event_test_alloc(const struct perf_event_attr *attr,
					   int cgroup_fd)
{
	const struct perf_event_spec spec = {
		.attr		= attr,
		.cpu		= cpumask_first(cpu_online_mask),
		.cgroup_fd	= cgroup_fd,
	};

	return perf_event_alloc(&spec);
}

static int event_test_try(const struct fake_pmu_spec *spec)
{
	struct perf_event *event = fake_pmu_try_open(&fake, spec);

	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

static void event_test_share_again(void *unused)
{
	fake.pmu.capabilities &= ~PERF_PMU_CAP_EXCLUSIVE;
}

/* An exclusive PMU serves tasks or CPUs, and each of them once. */
static void event_test_exclusive(struct kunit *test)
{
	const struct fake_pmu_spec cpu = { .cpu = cpumask_first(cpu_online_mask) };
	const struct fake_pmu_spec task = { .cpu = -1, .task = current };
	struct perf_event *event;

	fake.pmu.capabilities |= PERF_PMU_CAP_EXCLUSIVE;
	fake_pmu_undo(test, event_test_share_again, NULL);
	event = fake_pmu_open(test, &fake, &cpu);
	KUNIT_EXPECT_EQ(test, event_test_try(&task), -EBUSY);
	KUNIT_EXPECT_EQ(test, event_test_try(&cpu), -EBUSY);
	fake_pmu_close(test, event);
	event = fake_pmu_open(test, &fake, &task);
	KUNIT_EXPECT_EQ(test, event_test_try(&cpu), -EBUSY);
	KUNIT_EXPECT_EQ(test, event_test_try(&task), -EBUSY);
	fake_pmu_close(test, event);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake.pmu.exclusive_cnt), 0);
}

/* A driver sees a selection of branches only if samples have branches. */
static void event_test_branches_unused(struct kunit *test)
{
	struct perf_event_attr attr = event_test_attr();
	struct perf_event *event;

	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	event = event_test_alloc(&attr, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, event->attr.branch_sample_type, 0);
	perf_event_put(event);
}

/* An event for a cgroup that does not exist does not count everything. */
static void event_test_no_cgroup(struct kunit *test)
{
	struct perf_event_attr attr = event_test_attr();
	struct perf_event *event = event_test_alloc(&attr, -2);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event),
			IS_ENABLED(CONFIG_CGROUP_PERF) ? -EBADF : -EINVAL);
	if (!IS_ERR(event))
		perf_event_put(event);
}

/* An event that samples stacks has buffers for them, from begin to end. */
static void event_test_callchain(struct kunit *test)
{
	long before = perf_live_sum(PERF_LIVE_STACK_USERS);
	struct perf_event_attr attr = event_test_attr();
	struct perf_event *event;

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	event = event_test_alloc(&attr, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, perf_live_sum(PERF_LIVE_STACK_USERS), before + 1);
	perf_event_put(event);
	KUNIT_EXPECT_EQ(test, perf_live_sum(PERF_LIVE_STACK_USERS), before);

	attr.sample_max_stack = U16_MAX;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event_test_alloc(&attr, -1)),
			-EOVERFLOW);
	KUNIT_EXPECT_EQ(test, perf_live_sum(PERF_LIVE_STACK_USERS), before);
}

/* A closed event that is still referenced has no owner: the task may exit. */
static void event_test_disowned(struct kunit *test)
{
	const struct fake_pmu_spec spec = { .cpu = -1, .task = current };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);

	scoped_guard(mutex, &current->perf_event_mutex) {
		WRITE_ONCE(event->owner, current);
		list_add_tail(&event->owner_entry, &current->perf_event_list);
	}
	perf_event_get_ref(event);
	fake_pmu_close(test, event);
	KUNIT_EXPECT_NULL(test, event->owner);
	KUNIT_EXPECT_TRUE(test, list_empty(&current->perf_event_list));
	perf_event_put(event);
}

/* An event that was never installed gives everything back, and only once. */
static void event_test_leaves_twice(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);
	struct perf_ctx *ctx = perf_ctx_get_cpu(cpu);
	struct perf_event_attr attr = event_test_attr();
	struct perf_event *event = event_test_alloc(&attr, -1);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->pmu_ctx = &perf_epc_get(&fake.pmu, ctx, false)->pub;
	perf_event_leave_pmu(event);
	KUNIT_EXPECT_NULL(test, perf_event_pmu_ctx(event));
	KUNIT_EXPECT_NULL(test, event->destroy);
	KUNIT_EXPECT_PTR_NE(test, event->pmu, &fake.pmu);
	perf_event_leave_pmu(event);
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu), 0);
	perf_event_put(event);
	perf_ctx_put(ctx);
}

/* A sampling event, and a copy of it that is in no context. */
struct event_test_pair {
	struct perf_event	*eldest;
	struct perf_event	*copy;
};

static void event_test_put(void *event)
{
	perf_event_put(event);
}

static void event_test_make_pair(struct kunit *test,
				 struct event_test_pair *pair)
{
	const struct fake_pmu_spec open = {
		.cpu = -1, .task = current, .inherit = true, .period = PERIOD,
	};
	struct perf_event_spec spec = {
		.cpu = -1, .task = current, .cgroup_fd = -1,
	};
	struct perf_ctx *ctx;

	pair->eldest = fake_pmu_open(test, &fake, &open);
	spec.attr = &pair->eldest->attr;
	spec.parent = pair->eldest;
	ctx = perf_event_ctx_lock(pair->eldest);
	pair->copy = perf_event_alloc(&spec);
	perf_event_ctx_unlock(pair->eldest, ctx);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pair->copy));
	fake_pmu_undo(test, event_test_put, pair->copy);
}

static void event_test_fold(const struct event_test_pair *pair)
{
	guard(mutex)(&pair->eldest->child_mutex);
	perf_event_fold_child(pair->copy);
}

static void event_test_fold_counts(struct kunit *test)
{
	struct event_test_pair pair;

	event_test_make_pair(test, &pair);
	local64_set(&pair.copy->count, 3);
	pair.copy->total_time_enabled = 50;
	pair.copy->total_time_running = 40;
	event_test_fold(&pair);
	event_test_fold(&pair);
	KUNIT_EXPECT_EQ(test, atomic64_read(&pair.eldest->child_count), 6);
	KUNIT_EXPECT_EQ(test, atomic64_read(&pair.eldest->child_total_time_enabled),
			100);
	KUNIT_EXPECT_EQ(test, atomic64_read(&pair.eldest->child_total_time_running),
			80);
}

/* Drivers count what is left down to 0, software events count it up to 0. */
static void event_test_fold_period(struct kunit *test)
{
	static const struct { s64 left; u64 passed; } rows[] = {
		{ .left = PERIOD - 1, .passed = 1 },
		{ .left = 1, .passed = PERIOD - 1 },
		{ .left = -400, .passed = PERIOD - 400 },
		/* No period has begun. */
		{ .left = PERIOD, .passed = 0 },
		{ .left = -PERIOD, .passed = 0 },
		{ .left = PERIOD + 1, .passed = 0 },
		{ .left = 0, .passed = 0 },
	};
	struct event_test_pair pair;

	event_test_make_pair(test, &pair);
	for (int i = 0; i < ARRAY_SIZE(rows); i++) {
		pair.eldest->child_period = 5;
		local64_set(&pair.copy->hw.period_left, rows[i].left);
		event_test_fold(&pair);
		KUNIT_EXPECT_EQ_MSG(test, pair.eldest->child_period,
				    5 + rows[i].passed, "left %lld", rows[i].left);
	}
}

static struct kunit_case event_test_cases[] = {
	KUNIT_CASE(event_test_exclusive),
	KUNIT_CASE(event_test_branches_unused),
	KUNIT_CASE(event_test_no_cgroup),
	KUNIT_CASE(event_test_callchain),
	KUNIT_CASE(event_test_disowned),
	KUNIT_CASE(event_test_leaves_twice),
	KUNIT_CASE(event_test_fold_counts),
	KUNIT_CASE(event_test_fold_period),
	{ }
};

static struct kunit_suite event_test_suite = {
	.name		= "perf_event",
	.suite_init	= event_test_suite_init,
	.suite_exit	= event_test_suite_exit,
	.init		= event_test_init,
	.test_cases	= event_test_cases,
};

kunit_test_suite(event_test_suite);
