// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room batch: how often a context is called when the state of all
 * events of an owner changes. A call brings the clock of the context up to date
 * once, so that all its changes have the same time stamp.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../batch.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000
#define NR_OWNED	3

#define OFF		PERF_EVENT_STATE_OFF

static struct fake_pmu fake;

static int bk_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_batch");
}

static void bk_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void bk_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int bk_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, bk_check_idle, test);
}

/* Events of current, with copies in the context of another CPU. */
struct bk_world {
	struct perf_event	*owned[NR_OWNED];
	struct perf_event	*foreign;
};

/* Makes current the owner, as opening a file does; kernel events have none. */
static void bk_own(struct perf_event *event)
{
	guard(mutex)(&current->perf_event_mutex);
	WRITE_ONCE(event->owner, current);
	list_add_tail(&event->owner_entry, &current->perf_event_list);
}

static void bk_pin(int cpu)
{
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

static void bk_run(struct fm_task *self)
{
	bk_pin(cpumask_last(cpu_online_mask));
	complete(&self->started);
	while (!READ_ONCE(self->end))
		cond_resched();
}

static void bk_make(struct kunit *test, struct bk_world *world, bool by_task)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = by_task,
	};
	struct fm_task *child;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	bk_pin(cpumask_first(cpu_online_mask));
	world->foreign = fake_pmu_open(test, &fake, &spec);
	for (int i = 0; i < NR_OWNED; i++) {
		world->owned[i] = fake_pmu_open(test, &fake, &spec);
		bk_own(world->owned[i]);
	}
	child = fm_fork(test, bk_run);
	fm_go(child);
	wait_for_completion(&child->started);
}

static struct perf_event *bk_copy_beside(struct perf_event *eldest,
					 const struct perf_event *other)
{
	struct perf_event *child;

	guard(mutex)(&eldest->child_mutex);
	list_for_each_entry(child, &eldest->child_list, child_list) {
		if (child->ctx == other->ctx)
			return child;
	}
	return NULL;
}

/* Does @same hold between each two owned events, or copies, of one context? */
static void bk_compare(struct kunit *test, const struct bk_world *world,
		       void (*same)(struct kunit *test,
				    const struct perf_event *first,
				    const struct perf_event *other))
{
	struct perf_event *first = world->owned[0], *child, *copy;

	KUNIT_ASSERT_FALSE(test, list_empty(&first->child_list));
	for (int i = 1; i < NR_OWNED; i++) {
		same(test, first, world->owned[i]);
		list_for_each_entry(child, &first->child_list, child_list) {
			copy = bk_copy_beside(world->owned[i], child);
			KUNIT_ASSERT_NOT_NULL(test, copy);
			same(test, child, copy);
		}
	}
}

static void bk_same_stamp(struct kunit *test, const struct perf_event *first,
			  const struct perf_event *other)
{
	KUNIT_EXPECT_EQ(test, READ_ONCE(first->state), OFF);
	KUNIT_EXPECT_EQ(test, READ_ONCE(other->state), OFF);
	KUNIT_EXPECT_EQ(test, other->tstamp, first->tstamp);
}

/* The foreign event stays enabled. */
static void bk_expect_foreign(struct kunit *test, const struct bk_world *world)
{
	const struct perf_event *event = world->foreign, *child;

	KUNIT_EXPECT_GT(test, READ_ONCE(event->state), OFF);
	list_for_each_entry(child, &event->child_list, child_list)
		KUNIT_EXPECT_GT(test, READ_ONCE(child->state), OFF);
}

static void bk_disable_once(struct kunit *test, bool by_task)
{
	struct bk_world world;

	bk_make(test, &world, by_task);
	perf_batch_owned(PERF_BATCH_DISABLE);
	bk_compare(test, &world, bk_same_stamp);
	bk_expect_foreign(test, &world);
}

static void bk_disable_family(struct kunit *test)
{
	bk_disable_once(test, false);
}

static void bk_disable_tasks(struct kunit *test)
{
	bk_disable_once(test, true);
}

static void bk_same_time(struct kunit *test, const struct perf_event *first,
			 const struct perf_event *other)
{
	KUNIT_EXPECT_GT(test, first->total_time_enabled, 0);
	KUNIT_EXPECT_EQ(test, other->total_time_enabled,
			first->total_time_enabled);
}

/* Events enabled and disabled together have the same enabled time. */
static void bk_enable_once(struct kunit *test)
{
	struct perf_event *child;
	struct bk_world world;

	bk_make(test, &world, true);
	perf_batch_owned(PERF_BATCH_DISABLE);
	for (int i = 0; i < NR_OWNED; i++) {
		world.owned[i]->total_time_enabled = 0;
		list_for_each_entry(child, &world.owned[i]->child_list,
				    child_list)
			child->total_time_enabled = 0;
	}
	perf_batch_owned(PERF_BATCH_ENABLE);
	fsleep(100);
	perf_batch_owned(PERF_BATCH_DISABLE);
	bk_compare(test, &world, bk_same_time);
}

/* Where the first event has no copy, the next event makes the call. */
static void bk_later_copies(struct kunit *test)
{
	struct perf_event *event, *child;
	struct bk_world world;

	bk_make(test, &world, true);
	fake_pmu_close(test, world.owned[0]);
	perf_batch_owned(PERF_BATCH_DISABLE);
	for (int i = 1; i < NR_OWNED; i++) {
		event = world.owned[i];
		KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), OFF);
		KUNIT_ASSERT_FALSE(test, list_empty(&event->child_list));
		list_for_each_entry(child, &event->child_list, child_list)
			KUNIT_EXPECT_EQ(test, READ_ONCE(child->state), OFF);
	}
	bk_expect_foreign(test, &world);
}

static struct kunit_case bk_cases[] = {
	KUNIT_CASE(bk_disable_family),
	KUNIT_CASE(bk_disable_tasks),
	KUNIT_CASE(bk_enable_once),
	KUNIT_CASE(bk_later_copies),
	{ }
};

static struct kunit_suite bk_suite = {
	.name		= "perf_batch",
	.suite_init	= bk_suite_init,
	.suite_exit	= bk_suite_exit,
	.init		= bk_init,
	.test_cases	= bk_cases,
};

kunit_test_suite(bk_suite);
