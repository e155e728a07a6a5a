// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room migrate: events of a PMU move to another CPU, under the
 * mutexes of both contexts, and after a grace period.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>

#include "../context.h"
#include "fake_pmu.h"
#include "walker.h"

#define FOREVER_MS		3600000
#define MIGRATE_TEST_WALK_NS	(100 * NSEC_PER_MSEC)

static struct fake_pmu fake;

/* What the driver's methods look at while events move, and what they found. */
static struct {
	int		(*add)(struct perf_event *event, int flags);
	void		(*del)(struct perf_event *event, int flags);
	struct perf_ctx	*from;
	struct perf_ctx	*to;
	/* Until then a reader may be at an event that moves. */
	u64		walk_ends;
	unsigned int	added;
	unsigned int	removed;
	unsigned int	unlocked;
	unsigned int	early;
} moving;

static int migrate_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_migrate");
}

static void migrate_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void migrate_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int migrate_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, migrate_test_check_idle, test);
}

static int migrate_test_first_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

static int migrate_test_other_cpu(struct kunit *test)
{
	int cpu = cpumask_next(migrate_test_first_cpu(), cpu_online_mask);

	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "one CPU only");
	return cpu;
}

static struct perf_event *migrate_test_open(struct kunit *test, int cpu)
{
	struct fake_pmu_spec spec = { .cpu = cpu };

	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *migrate_test_open_sibling(struct kunit *test,
						    struct perf_event *leader)
{
	struct fake_pmu_spec spec = { .leader = leader };

	return fake_pmu_open(test, &fake, &spec);
}

static u64 migrate_test_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static void migrate_test_counts(struct kunit *test)
{
	int from = migrate_test_first_cpu(), to = migrate_test_other_cpu(test);
	struct perf_event *leader = migrate_test_open(test, from);
	struct perf_event *sibling = migrate_test_open_sibling(test, leader);
	struct perf_event *off = migrate_test_open(test, from);
	struct perf_event *native = migrate_test_open(test, to);

	perf_event_disable(off);
	fake_pmu_tick(&fake, 4);
	perf_pmu_migrate_context(&fake.pmu, from, to);
	fake_pmu_tick(&fake, 4);

	KUNIT_EXPECT_EQ(test, leader->cpu, to);
	KUNIT_EXPECT_EQ(test, leader->oncpu, to);
	KUNIT_EXPECT_EQ(test, sibling->oncpu, to);
	KUNIT_EXPECT_EQ(test, leader->nr_siblings, 1);
	KUNIT_EXPECT_EQ(test, off->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, migrate_test_read(leader), 8);
	KUNIT_EXPECT_EQ(test, migrate_test_read(sibling), 8);
	KUNIT_EXPECT_EQ(test, migrate_test_read(native), 8);
	KUNIT_EXPECT_EQ(test, migrate_test_read(off), 0);

	perf_pmu_migrate_context(&fake.pmu, to, from);
	perf_event_enable(off);
	KUNIT_EXPECT_EQ(test, off->oncpu, from);
	KUNIT_EXPECT_EQ(test, native->oncpu, from);
}

/* The time up to the move counts as well. */
static void migrate_test_times(struct kunit *test)
{
	int from = migrate_test_first_cpu(), to = migrate_test_other_cpu(test);
	struct perf_event *event = migrate_test_open(test, from);
	u64 enabled, running, before;

	perf_event_read_value(event, &before, &running);
	mdelay(2);
	perf_pmu_migrate_context(&fake.pmu, from, to);
	perf_event_read_value(event, &enabled, &running);
	KUNIT_EXPECT_GE(test, enabled, before + NSEC_PER_MSEC);
}

static void migrate_test_look(unsigned int *calls)
{
	(*calls)++;
	if (!mutex_is_locked(&moving.from->mutex) ||
	    !mutex_is_locked(&moving.to->mutex))
		moving.unlocked++;
}

static int migrate_test_add(struct perf_event *event, int flags)
{
	migrate_test_look(&moving.added);
	if (ktime_get_ns() < moving.walk_ends)
		moving.early++;
	return moving.add(event, flags);
}

static void migrate_test_del(struct perf_event *event, int flags)
{
	migrate_test_look(&moving.removed);
	moving.del(event, flags);
}

static void migrate_test_look_away(void *unused)
{
	fake.pmu.add = moving.add;
	fake.pmu.del = moving.del;
}

/* From now on the driver's methods look at what the core does. */
static void migrate_test_watch(struct kunit *test, int from, int to)
{
	memset(&moving, 0, sizeof(moving));
	moving.add = fake.pmu.add;
	moving.del = fake.pmu.del;
	moving.from = &per_cpu(perf_cpu_context, from).ctx;
	moving.to = &per_cpu(perf_cpu_context, to).ctx;
	fake_pmu_undo(test, migrate_test_look_away, NULL);
	fake.pmu.add = migrate_test_add;
	fake.pmu.del = migrate_test_del;
}

/* The lists of both contexts change, so nobody else may use them. */
static void migrate_test_locked(struct kunit *test)
{
	int one = migrate_test_first_cpu(), two = migrate_test_other_cpu(test);

	migrate_test_open_sibling(test, migrate_test_open(test, one));
	migrate_test_watch(test, one, two);
	perf_pmu_migrate_context(&fake.pmu, one, two);
	KUNIT_EXPECT_EQ(test, moving.removed, 2);
	KUNIT_EXPECT_EQ(test, moving.added, 2);
	perf_pmu_migrate_context(&fake.pmu, two, one);
	KUNIT_EXPECT_EQ(test, moving.removed, 4);
	KUNIT_EXPECT_EQ(test, moving.added, 4);
	KUNIT_EXPECT_EQ(test, moving.unlocked, 0);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&moving.from->mutex));
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&moving.to->mutex));
}

/* A reader that is at an event must not get into the other context's list. */
static void migrate_test_after_readers(struct kunit *test)
{
	int from = migrate_test_first_cpu(), to = migrate_test_other_cpu(test);
	int third = cpumask_next(to, cpu_online_mask);
	struct test_walker walker;

	if (third >= nr_cpu_ids)
		kunit_skip(test, "two CPUs only");
	migrate_test_open(test, from);
	migrate_test_watch(test, from, to);
	moving.walk_ends = ktime_get_ns() + MIGRATE_TEST_WALK_NS;
	test_walker_start(test, &walker, third, MIGRATE_TEST_WALK_NS);
	perf_pmu_migrate_context(&fake.pmu, from, to);
	test_walker_end(&walker);
	KUNIT_EXPECT_EQ(test, moving.added, 1);
	KUNIT_EXPECT_EQ(test, moving.early, 0);
}

static struct kunit_case migrate_test_cases[] = {
	KUNIT_CASE(migrate_test_counts),
	KUNIT_CASE(migrate_test_times),
	KUNIT_CASE(migrate_test_locked),
	KUNIT_CASE(migrate_test_after_readers),
	{ }
};

static struct kunit_suite migrate_test_suite = {
	.name		= "perf_migrate",
	.suite_init	= migrate_test_suite_init,
	.suite_exit	= migrate_test_suite_exit,
	.init		= migrate_test_init,
	.test_cases	= migrate_test_cases,
};

kunit_test_suite(migrate_test_suite);
