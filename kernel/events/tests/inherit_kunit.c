// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room inherit: what is copied from one context to another, how
 * far the copies are like their source, and what a failure leaves. One task has
 * the events, another one gets the copies; both sleep.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../context.h"
#include "../event.h"
#include "../inherit.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000
#define PERIOD		1000

static struct fake_pmu fake;

static int inherit_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_inherit");
}

static void inherit_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void inherit_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int inherit_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, inherit_test_check_idle, test);
}

/* A task that sleeps, without events. */
static struct task_struct *inherit_test_task(struct kunit *test)
{
	struct test_task *task = test_task_fork(test, NULL);

	test_task_wait_asleep(task);
	return task->task;
}

static struct perf_event *inherit_test_open(struct kunit *test,
					    struct task_struct *task,
					    struct perf_event *leader)
{
	struct fake_pmu_spec spec = {
		.leader = leader, .cpu = -1, .task = task, .inherit = true,
		.by_task = true, .period = PERIOD,
	};

	return fake_pmu_open(test, &fake, &spec);
}

/* Copies to @to, which has no context, what it would inherit from @from. */
static int inherit_test_copy(struct task_struct *from, struct task_struct *to,
			     u64 clone_flags)
{
	struct perf_ctx *ctx = perf_task_ctx(from);
	struct perf_inherit inherit = { .task = to, .clone_flags = clone_flags };
	int err;

	guard(mutex)(&ctx->mutex);
	err = perf_inherit_copy(&inherit, ctx);
	if (inherit.ctx)
		perf_ctx_put(inherit.ctx);
	return err;
}

static struct perf_event *inherit_test_copy_of(struct perf_event *eldest)
{
	guard(mutex)(&eldest->child_mutex);
	return list_first_entry_or_null(&eldest->child_list, struct perf_event,
					child_list);
}

static void inherit_test_expect_copied(struct kunit *test,
				       struct perf_event *event,
				       u64 clone_flags, bool copied)
{
	struct test_task *task = test_task_fork(test, NULL);

	test_task_wait_asleep(task);
	KUNIT_EXPECT_EQ(test, 0,
			inherit_test_copy(event->hw.target, task->task,
					  clone_flags));
	KUNIT_EXPECT_EQ(test, !!inherit_test_copy_of(event), copied);
	KUNIT_EXPECT_EQ(test, !!perf_task_ctx(task->task), copied);
	test_task_end(test, task);
	KUNIT_EXPECT_NULL(test, inherit_test_copy_of(event));
}

/* Which events a new task inherits. */
static void inherit_test_wanted(struct kunit *test)
{
	struct perf_event *event =
		inherit_test_open(test, inherit_test_task(test), NULL);

	inherit_test_expect_copied(test, event, 0, true);
	event->attr.inherit_thread = true;
	inherit_test_expect_copied(test, event, 0, false);
	inherit_test_expect_copied(test, event, CLONE_THREAD, true);
	event->attr.inherit_thread = false;
	event->attr.sigtrap = true;
	inherit_test_expect_copied(test, event, CLONE_CLEAR_SIGHAND, false);
	event->attr.sigtrap = false;
	inherit_test_expect_copied(test, event, CLONE_CLEAR_SIGHAND, true);
	event->attr.inherit = false;
	inherit_test_expect_copied(test, event, 0, false);
	event->attr.inherit = true;
}

static void inherit_test_expect_like(struct kunit *test,
				     struct perf_event *event,
				     struct task_struct *to)
{
	struct perf_event *copy = inherit_test_copy_of(event);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_PTR_EQ(test, copy->parent, event);
	KUNIT_EXPECT_PTR_EQ(test, copy->hw.target, to);
	KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(copy), perf_task_ctx(to));
	KUNIT_EXPECT_TRUE(test, copy->attach_state & PERF_ATTACH_CONTEXT);
	KUNIT_EXPECT_EQ(test, copy->state, event->state);
	KUNIT_EXPECT_EQ(test, copy->nr_siblings, event->nr_siblings);
	KUNIT_EXPECT_EQ(test, copy->group_generation, event->group_generation);
	KUNIT_EXPECT_EQ(test, copy->read_size, event->read_size);
}

/* A group, one sibling of which is disabled, and one has been closed. */
static void inherit_test_group(struct kunit *test)
{
	struct task_struct *from = inherit_test_task(test),
			   *to = inherit_test_task(test);
	struct perf_event *leader = inherit_test_open(test, from, NULL);
	struct perf_event *sibling = inherit_test_open(test, from, leader);
	struct perf_event *off = inherit_test_open(test, from, leader);

	fake_pmu_close(test, inherit_test_open(test, from, leader));
	perf_event_disable(off);
	KUNIT_EXPECT_EQ(test, inherit_test_copy(from, to, 0), 0);
	inherit_test_expect_like(test, leader, to);
	inherit_test_expect_like(test, sibling, to);
	inherit_test_expect_like(test, off, to);
	KUNIT_EXPECT_PTR_EQ(test, inherit_test_copy_of(sibling)->group_leader,
			    inherit_test_copy_of(leader));
	KUNIT_EXPECT_EQ(test, perf_task_ctx(to)->nr_events, 3);
	KUNIT_EXPECT_EQ(test, refcount_read(&perf_task_ctx(to)->refcount), 4);
}

/* A copy of a copy has the same parent. */
static void inherit_test_grandchild(struct kunit *test)
{
	struct task_struct *from = inherit_test_task(test),
			   *to = inherit_test_task(test);
	struct task_struct *last = inherit_test_task(test);
	struct perf_event *event = inherit_test_open(test, from, NULL);

	KUNIT_EXPECT_EQ(test, inherit_test_copy(from, to, 0), 0);
	KUNIT_EXPECT_EQ(test, inherit_test_copy(to, last, 0), 0);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&event->child_list), 2);
	KUNIT_EXPECT_EQ(test, perf_task_ctx(last)->nr_events, 1);
}

/* In frequency mode a copy begins with the period that was found so far. */
static void inherit_test_frequency(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = fake.pmu.type, .size = sizeof(attr), .inherit = true,
		.inherit_stat = true, .freq = true, .sample_freq = 100,
	};
	struct task_struct *from = inherit_test_task(test);
	struct perf_event *event, *copy;

	event = perf_event_create_kernel_counter(&attr, -1, from, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->hw.sample_period = 777;
	KUNIT_EXPECT_EQ(test,
			inherit_test_copy(from, inherit_test_task(test), 0), 0);
	copy = inherit_test_copy_of(event);
	KUNIT_EXPECT_NOT_NULL(test, copy);
	if (copy) {
		KUNIT_EXPECT_EQ(test, copy->hw.sample_period, 777);
		KUNIT_EXPECT_EQ(test, copy->hw.last_period, 777);
		KUNIT_EXPECT_EQ(test, local64_read(&copy->hw.period_left), 777);
		KUNIT_EXPECT_EQ(test, copy->attr.sample_freq, 100);
	}
	perf_event_release_kernel(event);
}

static void inherit_test_expect_rest(struct kunit *test,
				     struct perf_event *event, u64 passed,
				     u64 left, u64 kept)
{
	struct test_task *task = test_task_fork(test, NULL);
	struct perf_event *copy;

	test_task_wait_asleep(task);
	event->child_period = passed;
	KUNIT_EXPECT_EQ(test,
			inherit_test_copy(event->hw.target, task->task, 0), 0);
	copy = inherit_test_copy_of(event);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_EQ(test, local64_read(&copy->hw.period_left), left);
	KUNIT_EXPECT_EQ(test, event->child_period, kept);
	/* With a whole period left, nothing is given back. */
	local64_set(&copy->hw.period_left, PERIOD);
	test_task_end(test, task);
	event->child_period = 0;
}

/* A copy continues the periods of those that have ended. */
static void inherit_test_rest(struct kunit *test)
{
	struct perf_event *event =
		inherit_test_open(test, inherit_test_task(test), NULL);

	inherit_test_expect_rest(test, event, 0, PERIOD, 0);
	inherit_test_expect_rest(test, event, 300, PERIOD - 300, 0);
	inherit_test_expect_rest(test, event, PERIOD - 1, 1, 0);
	inherit_test_expect_rest(test, event, PERIOD, 1, 1);
	inherit_test_expect_rest(test, event, 3 * PERIOD, 1, 2 * PERIOD + 1);
}

/* An eldest that is being closed has no more copies. */

static enum perf_event_state inherit_test_kill(struct perf_event *event)
{
	enum perf_event_state state = event->state;

	WRITE_ONCE(event->state, PERF_EVENT_STATE_DEAD);
	return state;
}

static void inherit_test_closed(struct kunit *test)
{
	struct perf_event *event =
		inherit_test_open(test, inherit_test_task(test), NULL);
	struct perf_event *other =
		inherit_test_open(test, event->hw.target, NULL);
	enum perf_event_state state = inherit_test_kill(event);

	KUNIT_EXPECT_EQ(test,
			inherit_test_copy(event->hw.target,
					  inherit_test_task(test), 0),
			0);
	WRITE_ONCE(event->state, state);
	KUNIT_EXPECT_NULL(test, inherit_test_copy_of(event));
	KUNIT_EXPECT_NOT_NULL(test, inherit_test_copy_of(other));
}

/*
 * A close removes copies at the same time, but does not wait for the mutex of a
 * context while it holds that of another one.
 */

#define INHERIT_TEST_COPIES	20
/* Copies that the first round removes, and the one that it cannot remove. */
#define INHERIT_TEST_ROUND	16
#define INHERIT_TEST_HELD	5

static struct {
	struct perf_event	*eldest;
	struct perf_event	*copy;
	struct completion	holds;
	/* The copies that were left when the holder let go. */
	unsigned int		left;
	bool			first;
} inherit_test_hold;

static unsigned int inherit_test_nr_copies(struct perf_event *eldest)
{
	guard(mutex)(&eldest->child_mutex);
	return list_count_nodes(&eldest->child_list);
}

/* Holds the mutex of one context until the others of the round have lost theirs. */
static void inherit_test_hold_one(struct test_task *self)
{
	struct perf_event *eldest = inherit_test_hold.eldest;
	struct perf_ctx *ctx = perf_event_ctx(inherit_test_hold.copy);
	unsigned int nr;

	guard(mutex)(&ctx->mutex);
	complete(&inherit_test_hold.holds);
	read_poll_timeout(inherit_test_nr_copies, nr,
			  nr <= INHERIT_TEST_COPIES - INHERIT_TEST_ROUND + 1,
			  100, USEC_PER_SEC, false, eldest);
	inherit_test_hold.left = nr;
	inherit_test_hold.first =
		inherit_test_copy_of(eldest) == inherit_test_hold.copy;
}

/* Return: the copy that is the @n-th of its eldest. */
static struct perf_event *inherit_test_nth(struct perf_event *eldest,
					   unsigned int n)
{
	struct perf_event *copy;

	guard(mutex)(&eldest->child_mutex);
	list_for_each_entry(copy, &eldest->child_list, child_list) {
		if (!n--)
			return copy;
	}
	return NULL;
}

static void inherit_test_close_many(struct kunit *test)
{
	struct perf_event *event =
		inherit_test_open(test, inherit_test_task(test), NULL);
	struct perf_event *other =
		inherit_test_open(test, event->hw.target, NULL);
	struct test_task *holder;

	for (int i = 0; i < INHERIT_TEST_COPIES; i++)
		KUNIT_ASSERT_EQ(test, 0,
				inherit_test_copy(event->hw.target,
						  inherit_test_task(test), 0));
	inherit_test_hold.eldest = event;
	inherit_test_hold.copy = inherit_test_nth(event, INHERIT_TEST_HELD);
	KUNIT_ASSERT_NOT_NULL(test, inherit_test_hold.copy);
	init_completion(&inherit_test_hold.holds);
	holder = test_task_fork(test, inherit_test_hold_one);
	test_task_go(holder);
	wait_for_completion(&inherit_test_hold.holds);
	/* Stays in memory, for its list. */
	perf_event_get_ref(event);
	fake_pmu_close(test, event);
	wait_for_completion(&holder->done);
	KUNIT_EXPECT_EQ(test, inherit_test_hold.left,
			INHERIT_TEST_COPIES - INHERIT_TEST_ROUND + 1);
	KUNIT_EXPECT_TRUE(test, inherit_test_hold.first);
	KUNIT_EXPECT_EQ(test, inherit_test_nr_copies(event), 0);
	KUNIT_EXPECT_EQ(test, inherit_test_nr_copies(other),
			INHERIT_TEST_COPIES);
	perf_event_put(event);
}

/* Without a copy of their leader siblings lead themselves, and pause no trace. */
static void inherit_test_leader_closed(struct kunit *test)
{
	struct perf_event *leader =
		inherit_test_open(test, inherit_test_task(test), NULL);
	struct perf_event *sibling =
		inherit_test_open(test, leader->hw.target, leader);
	enum perf_event_state state = inherit_test_kill(leader);
	struct perf_event *copy;

	sibling->aux_event = leader;
	KUNIT_EXPECT_EQ(test,
			inherit_test_copy(leader->hw.target,
					  inherit_test_task(test), 0),
			0);
	sibling->aux_event = NULL;
	WRITE_ONCE(leader->state, state);
	KUNIT_EXPECT_NULL(test, inherit_test_copy_of(leader));
	copy = inherit_test_copy_of(sibling);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_PTR_EQ(test, copy->group_leader, copy);
	KUNIT_EXPECT_NULL(test, copy->aux_event);
	copy->aux_event = NULL;
}

/* If they need their leader, they are not copied either. */
static void inherit_test_leader_needed(struct kunit *test)
{
	struct perf_event *leader =
		inherit_test_open(test, inherit_test_task(test), NULL);
	struct perf_event *sibling =
		inherit_test_open(test, leader->hw.target, leader);
	enum perf_event_state state = inherit_test_kill(leader);

	sibling->event_caps |= PERF_EV_CAP_SIBLING;
	KUNIT_EXPECT_EQ(test,
			inherit_test_copy(leader->hw.target,
					  inherit_test_task(test), 0),
			0);
	sibling->event_caps &= ~PERF_EV_CAP_SIBLING;
	WRITE_ONCE(leader->state, state);
	KUNIT_EXPECT_NULL(test, inherit_test_copy_of(sibling));
}

/* Failures. */

static int (*inherit_test_take)(struct perf_event *event);
static int inherit_test_takes;

/* Refuses one, after it has taken some. */
static int inherit_test_take_some(struct perf_event *event)
{
	return inherit_test_takes-- ? inherit_test_take(event) : -ENOSPC;
}

/* The driver asks for memory for each task, and has no cache for it. */
static int inherit_test_take_data(struct perf_event *event)
{
	event->attach_state |= PERF_ATTACH_TASK_DATA;
	return inherit_test_take(event);
}

static void inherit_test_take_all(void *unused)
{
	fake.pmu.event_init = inherit_test_take;
}

static void inherit_test_take_by(struct kunit *test,
				 int (*event_init)(struct perf_event *event))
{
	inherit_test_take = fake.pmu.event_init;
	fake.pmu.event_init = event_init;
	fake_pmu_undo(test, inherit_test_take_all, NULL);
}

/* If the driver refuses any copy, the fork fails with its errno. */
static void inherit_test_refused(struct kunit *test)
{
	struct task_struct *from = inherit_test_task(test);
	struct perf_event *leader = inherit_test_open(test, from, NULL);

	inherit_test_open(test, from, leader);
	inherit_test_open(test, from, NULL);
	inherit_test_take_by(test, inherit_test_take_some);
	for (int takes = 0; takes < 3; takes++) {
		struct test_task *task = test_task_fork(test, NULL);

		test_task_wait_asleep(task);
		inherit_test_takes = takes;
		KUNIT_EXPECT_EQ(test, inherit_test_copy(from, task->task, 0),
				-ENOSPC);
		KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu),
				3 + takes);
		test_task_end(test, task);
		KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu), 3);
	}
	inherit_test_takes = 3;
	KUNIT_EXPECT_EQ(test,
			inherit_test_copy(from, inherit_test_task(test), 0), 0);
}

static void inherit_test_no_task_data(struct kunit *test)
{
	struct task_struct *from = inherit_test_task(test);

	inherit_test_open(test, from, NULL);
	inherit_test_take_by(test, inherit_test_take_data);
	KUNIT_EXPECT_EQ(test,
			inherit_test_copy(from, inherit_test_task(test), 0),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu), 1);
}

static void inherit_test_stay(void *unused)
{
	WRITE_ONCE(fake.pmu.leaving, false);
}

/* A PMU that goes away takes no copies. The fork succeeds without them. */
static void inherit_test_pmu_leaves(struct kunit *test)
{
	struct task_struct *from = inherit_test_task(test);
	struct perf_event *event = inherit_test_open(test, from, NULL);

	fake_pmu_undo(test, inherit_test_stay, NULL);
	WRITE_ONCE(fake.pmu.leaving, true);
	KUNIT_EXPECT_EQ(test,
			inherit_test_copy(from, inherit_test_task(test), 0), 0);
	WRITE_ONCE(fake.pmu.leaving, false);
	KUNIT_EXPECT_NULL(test, inherit_test_copy_of(event));
}

static struct kunit_case inherit_test_cases[] = {
	KUNIT_CASE(inherit_test_wanted),
	KUNIT_CASE(inherit_test_group),
	KUNIT_CASE(inherit_test_grandchild),
	KUNIT_CASE(inherit_test_frequency),
	KUNIT_CASE(inherit_test_rest),
	KUNIT_CASE(inherit_test_closed),
	KUNIT_CASE(inherit_test_close_many),
	KUNIT_CASE(inherit_test_leader_closed),
	KUNIT_CASE(inherit_test_leader_needed),
	KUNIT_CASE(inherit_test_refused),
	KUNIT_CASE(inherit_test_no_task_data),
	KUNIT_CASE(inherit_test_pmu_leaves),
	{ }
};

static struct kunit_suite inherit_test_suite = {
	.name		= "perf_inherit",
	.suite_init	= inherit_test_suite_init,
	.suite_exit	= inherit_test_suite_exit,
	.init		= inherit_test_init,
	.test_cases	= inherit_test_cases,
};

kunit_test_suite(inherit_test_suite);
