// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms family and member: tasks that are forked, counted, given
 * events of their own, and exit.
 */
#include <kunit/test.h>
#include <linux/bpf.h>
#include <linux/cpumask.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

#include "../context.h"
#include "../event.h"
#include "../family.h"
#include "../groups.h"
#include "../read.h"
#include "../swap.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000

static struct fake_pmu fake;

static int family_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_family");
}

static void family_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void family_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int family_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, family_test_check_idle, test);
}

/* Tasks. */

static struct perf_event *family_test_open(struct kunit *test, bool by_task)
{
	struct fake_pmu_spec spec = {
		.cpu		= -1,
		.task		= current,
		.inherit	= true,
		.by_task	= by_task,
	};

	return fake_pmu_open(test, &fake, &spec);
}

static u64 family_test_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static void family_test_tick(struct test_task *self)
{
	/* Preemption is off because another task may share this CPU. */
	preempt_disable();
	fake_pmu_tick(&fake, 100);
	preempt_enable();
}

static void family_test_fork_joins(struct kunit *test)
{
	unsigned int nr = clamp(num_possible_cpus(), 2, 4);
	struct perf_event *event = family_test_open(test, false);
	struct perf_family *family;
	struct test_task *child;

	KUNIT_EXPECT_NULL(test, test_task_family(current));
	child = test_task_fork(test, NULL);
	family = test_task_family(current);
	KUNIT_ASSERT_NOT_NULL(test, family);
	KUNIT_EXPECT_PTR_EQ(test, test_task_family(child->task), family);
	KUNIT_EXPECT_EQ(test, family->nr_members, 2);
	KUNIT_EXPECT_EQ(test, family->nr_contexts, nr);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&event->child_list), nr - 1);

	test_task_end(test, child);
	KUNIT_EXPECT_EQ(test, family->nr_members, 1);
	KUNIT_EXPECT_EQ(test, family->nr_contexts, nr);
}

/* A founder's context may be equal to another one. A pool's context is not. */
static void family_test_founder_was_equal(struct kunit *test)
{
	struct perf_ctx *own, *ctx;
	struct perf_family *family;

	family_test_open(test, false);
	own = perf_task_ctx(current);
	scoped_guard(raw_spinlock_irqsave, &own->lock)
		own->equal = 2;
	test_task_fork(test, NULL);
	family = test_task_family(current);
	KUNIT_ASSERT_NOT_NULL(test, family);
	list_for_each_entry(ctx, &family->contexts, family_entry)
		KUNIT_EXPECT_EQ(test, ctx->equal, 0);
}

/* The sum has the counts of all tasks, whether they live or have exited. */
static void family_test_sum(struct kunit *test)
{
	struct perf_event *event = family_test_open(test, false);
	struct test_task *child;
	u64 before, after;

	for (int i = 0; i < 5; i++) {
		child = test_task_fork(test, family_test_tick);
		before = family_test_read(event);
		test_task_act(child);
		after = family_test_read(event);
		KUNIT_EXPECT_GE(test, after - before, 100);
		if (i % 2)
			test_task_end(test, child);
		KUNIT_EXPECT_GE(test, family_test_read(event), after);
	}
}

/* An event that requests counts by task gets them. */
static void family_test_by_task(struct kunit *test)
{
	struct perf_event *event = family_test_open(test, true);
	struct test_task *child = test_task_fork(test, NULL);

	KUNIT_EXPECT_NULL(test, test_task_family(current));
	KUNIT_EXPECT_NULL(test, test_task_family(child->task));
	KUNIT_EXPECT_NOT_NULL(test, perf_task_ctx(child->task));
	KUNIT_EXPECT_TRUE(test, list_is_singular(&event->child_list));
	test_task_end(test, child);
	/* Their contexts are equal: a switch may have exchanged them. */
	KUNIT_EXPECT_EQ(test, list_empty(&event->child_list),
			perf_event_ctx(event) == perf_task_ctx(current));
}

static void family_test_pool_is_bounded(struct kunit *test)
{
	unsigned int nr = num_possible_cpus() + 3;
	struct perf_event *event = family_test_open(test, false);
	struct perf_family *family;

	for (unsigned int i = 1; i <= nr; i++) {
		test_task_fork(test, NULL);
		family = test_task_family(current);
		KUNIT_ASSERT_NOT_NULL(test, family);
		KUNIT_EXPECT_EQ(test, family->nr_members, i + 1);
		KUNIT_EXPECT_EQ(test, family->nr_contexts,
				max(2, min(2 * (i + 1), num_possible_cpus())));
	}
	KUNIT_EXPECT_EQ(test, list_count_nodes(&event->child_list),
			family->nr_contexts - 1);
}

/* A task that gets an event of its own gets back the events opened on it. */
static void family_test_founder_leaves(struct kunit *test)
{
	struct perf_event *event = family_test_open(test, false), *own;
	struct test_task *child = test_task_fork(test, family_test_tick);
	struct fake_pmu_spec spec = { .cpu = -1, .task = current };
	struct perf_family *family = test_task_family(current);
	u64 before;

	own = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_NULL(test, test_task_family(current));
	KUNIT_EXPECT_PTR_EQ(test, perf_task_ctx(current),
			    perf_event_ctx(event));
	KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(own), perf_event_ctx(event));
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_PTR_EQ(test, test_task_family(child->task), family);
	KUNIT_EXPECT_EQ(test, family->nr_members, 1);

	before = family_test_read(event);
	test_task_act(child);
	KUNIT_EXPECT_GE(test, family_test_read(event) - before, 100);
}

static void family_test_child_leaves(struct kunit *test)
{
	struct perf_event *event = family_test_open(test, false), *own;
	struct test_task *child = test_task_fork(test, family_test_tick);
	struct fake_pmu_spec spec = { .cpu = -1, .task = child->task };
	struct perf_family *family = test_task_family(current);
	u64 before;

	own = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_PTR_EQ(test, test_task_family(current), family);
	KUNIT_EXPECT_PTR_EQ(test, perf_task_ctx(child->task),
			    perf_event_ctx(own));
	KUNIT_EXPECT_EQ(test, perf_event_ctx(own)->nr_events, 2);
	KUNIT_EXPECT_EQ(test, family->nr_members, 1);

	before = family_test_read(event);
	test_task_act(child);
	KUNIT_EXPECT_GE(test, family_test_read(own), 100);
	KUNIT_EXPECT_GE(test, family_test_read(event) - before,
			family_test_read(own));
}

/* The eldest ends with the last of its family, not with its own task. */
static void family_test_orphans(struct kunit *test)
{
	struct test_task *grandchild = test_task_make(test, family_test_tick);
	struct test_task *child = test_task_fork(test, test_task_fork_child);
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = child->task, .inherit = true,
	};
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);
	u64 count;

	child->child = grandchild;
	test_task_act(child);
	KUNIT_ASSERT_NOT_NULL(test, grandchild->task);
	fake_pmu_undo(test, test_task_finish, grandchild);
	KUNIT_EXPECT_NOT_NULL(test, test_task_family(child->task));

	test_task_end(test, child);
	KUNIT_EXPECT_GE(test, event->state, PERF_EVENT_STATE_OFF);
	test_task_act(grandchild);
	count = family_test_read(event);
	KUNIT_EXPECT_GE(test, count, 100);
	test_task_end(test, grandchild);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_EXIT);
	KUNIT_EXPECT_TRUE(test, list_empty(&event->child_list));
	KUNIT_EXPECT_GE(test, family_test_read(event), count);
}

#define PONG_TICKS	1000
#define PING_TICKS	3
#define NR_ROUNDS	1000

static void family_test_pong(struct test_task *self)
{
	for (int i = 0; i < NR_ROUNDS; i++) {
		fake_pmu_tick(&fake, PONG_TICKS);
		complete(&self->started);
		wait_for_completion(&self->go);
	}
}

/* Current and a child take turns on one CPU. Return: the child. */
static struct test_task *family_test_ping_pong(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask), adds;
	struct test_task *child;

	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	child = test_task_fork(test, family_test_pong);
	adds = fake_pmu_calls(&fake, FAKE_ADD);
	for (int i = 0; i <= NR_ROUNDS; i++) {
		complete(&child->go);
		if (i < NR_ROUNDS)
			wait_for_completion(&child->started);
		fake_pmu_tick(&fake, PING_TICKS);
	}
	wait_for_completion(&child->done);
	test_task_wait_asleep(child);
	adds = fake_pmu_calls(&fake, FAKE_ADD) - adds;
	kunit_info(test, "%d switches, %d adds\n", 2 * NR_ROUNDS, adds);
	/* Other tasks may come between. */
	KUNIT_EXPECT_LT(test, adds, NR_ROUNDS);
	return child;
}

/* A switch between two members leaves the PMU alone. */
static void family_test_hand_over(struct kunit *test)
{
	struct perf_event *event = family_test_open(test, false);

	family_test_ping_pong(test);
	KUNIT_EXPECT_EQ(test, family_test_read(event),
			NR_ROUNDS * PONG_TICKS + (NR_ROUNDS + 1) * PING_TICKS);
}

static u64 family_test_count_of(struct task_struct *task)
{
	struct perf_ctx *ctx = perf_task_ctx(task);

	guard(mutex)(&ctx->mutex);
	return perf_read_count(list_first_entry(&ctx->event_list,
						struct perf_event,
						event_entry));
}

/* So does one between tasks with equal contexts; counts stay with the tasks. */
static void family_test_exchange(struct kunit *test)
{
	struct perf_event *event = family_test_open(test, true);
	struct test_task *child = family_test_ping_pong(test);
	u64 sum = family_test_read(event);

	KUNIT_EXPECT_PTR_EQ(test,
			    perf_task_ctx(child->task)->pub.task, child->task);
	KUNIT_EXPECT_PTR_EQ(test, perf_task_ctx(current)->pub.task, current);
	KUNIT_EXPECT_EQ(test, family_test_count_of(child->task),
			NR_ROUNDS * PONG_TICKS);
	KUNIT_EXPECT_EQ(test, family_test_count_of(current),
			(NR_ROUNDS + 1) * PING_TICKS);
	KUNIT_EXPECT_EQ(test, sum,
			family_test_count_of(current) +
				family_test_count_of(child->task));
}

/* With one more event the contexts are no longer equal. */
static void family_test_unequal(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1 };
	struct test_task *child;

	family_test_open(test, true);
	child = test_task_fork(test, NULL);
	KUNIT_EXPECT_NE(test, perf_task_ctx(current)->equal, 0);
	KUNIT_EXPECT_EQ(test, perf_task_ctx(current)->equal,
			perf_task_ctx(child->task)->equal);
	spec.task = child->task;
	fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_EQ(test, perf_task_ctx(child->task)->equal, 0);
}

static struct perf_ctx *family_test_seen_ctx;

static void family_test_see_ctx(struct test_task *self)
{
	family_test_seen_ctx = perf_task_ctx(current);
}

#define SHORT_LEAD	((s64)NSEC_PER_SEC)
#define LONG_LEAD	(1000 * SHORT_LEAD)

/* The lead of the oldest event of @task or, with @newest, of its newest one. */
static s64 family_test_lead_of(struct task_struct *task, bool newest)
{
	struct perf_ctx *ctx = perf_task_ctx(task);
	struct list_head *list = &ctx->event_list;

	guard(raw_spinlock_irq)(&ctx->lock);
	return test_group_lead(list_entry(newest ? list->next : list->prev,
					  struct perf_event, event_entry));
}

/* As a choice leaves them: one group waits. No other choice follows. */
static void family_test_set_leads(struct task_struct *task, s64 lead)
{
	struct perf_ctx *ctx = perf_task_ctx(task);
	struct perf_event *event;

	guard(raw_spinlock_irq)(&ctx->lock);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		perf_event_pmu_ctx(event)->nr_waiting = 1;
		perf_event_pmu_ctx(event)->chosen = true;
		test_group_set_lead(event, lead);
	}
}

static struct {
	struct perf_ctx			*ctx;
	s64				lead;
} family_test_lead_seen;

static void family_test_see_lead(struct test_task *self)
{
	family_test_lead_seen.ctx = perf_task_ctx(current);
	family_test_lead_seen.lead = family_test_lead_of(current, true);
}

/* In an exchange a task's turns go with the task as well. */
static void family_test_exchange_turns(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask), exchanges = 0;
	struct perf_ctx *ctx;
	struct test_task *child;

	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	for (int i = 0; i <= FAKE_PMU_COUNTERS; i++)
		family_test_open(test, true);
	child = test_task_fork(test, family_test_see_lead);
	test_task_wait_asleep(child);
	family_test_set_leads(current, SHORT_LEAD);
	family_test_set_leads(child->task, LONG_LEAD);
	for (int i = 0; i < 10; i++) {
		ctx = perf_task_ctx(current);
		test_task_act(child);
		exchanges += family_test_lead_seen.ctx == ctx;
		KUNIT_EXPECT_GT(test, family_test_lead_seen.lead,
				LONG_LEAD / 2);
		KUNIT_EXPECT_LT(test, family_test_lead_of(current, true),
				LONG_LEAD / 2);
	}
	KUNIT_EXPECT_GT(test, exchanges, 0);
}

#define LONG_RUN_MS	20

/* Adds the running time of the newest group. Return: false while it runs. */
static bool family_test_newest_ran(struct task_struct *task, u64 *running)
{
	struct perf_ctx *ctx = perf_task_ctx(task);
	struct perf_event *newest;

	guard(raw_spinlock_irq)(&ctx->lock);
	newest = list_first_entry(&ctx->event_list, struct perf_event,
				  event_entry);
	*running += newest->total_time_running;
	return newest->state != PERF_EVENT_STATE_ACTIVE;
}

/*
 * If another task comes in between, the next of the two loads its own context,
 * whose newest group may be among the chosen ones.
 * Return: false if the newest group has had a turn.
 */
static bool family_test_run_shortly(struct test_task *child)
{
	u64 before = 0, after = 0;

	family_test_set_leads(current, 0);
	family_test_set_leads(child->task, 0);
	family_test_newest_ran(current, &before);
	family_test_newest_ran(child->task, &before);
	for (int i = 0; i < LONG_RUN_MS; i++) {
		mdelay(1);
		test_task_act(child);
	}
	return family_test_newest_ran(current, &after) &&
	       family_test_newest_ran(child->task, &after) && before == after;
}

/* Time on the PMU counts for the task, however short its runs are. */
static void family_test_exchange_short_runs(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);
	struct test_task *child;
	s64 lead;

	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	for (int i = 0; i <= FAKE_PMU_COUNTERS; i++)
		family_test_open(test, true);
	child = test_task_fork(test, family_test_see_lead);
	test_task_wait_asleep(child);
	for (int tries = 1; !family_test_run_shortly(child); tries++) {
		if (tries == 10)
			kunit_skip(test, "the host is too busy");
	}
	lead = family_test_lead_of(current, false);
	KUNIT_EXPECT_GE(test, lead, LONG_RUN_MS * NSEC_PER_MSEC / 2);
	lead = family_test_lead_of(current, true);
	KUNIT_EXPECT_LT(test, lead, LONG_RUN_MS * NSEC_PER_MSEC / 2);
}

/* Contexts that are exchanged, and an event whose counts are being added up. */
static struct perf_ctx *family_test_moved[2];
static struct perf_event *family_test_summed;

static void family_test_lock_moved(void)
{
	mutex_lock(&min(family_test_moved[0], family_test_moved[1])->mutex);
	mutex_lock_nested(&max(family_test_moved[0], family_test_moved[1])->mutex,
			  SINGLE_DEPTH_NESTING);
}

static void family_test_unlock_moved(void)
{
	mutex_unlock(&max(family_test_moved[0], family_test_moved[1])->mutex);
	mutex_unlock(&min(family_test_moved[0], family_test_moved[1])->mutex);
}

static void family_test_move_or_sum(struct test_task *self)
{
	if (family_test_summed) {
		guard(mutex)(&family_test_summed->child_mutex);
		perf_swap_hold_counts(family_test_summed);
		perf_swap_release_counts(family_test_summed);
		return;
	}
	family_test_lock_moved();
	perf_swap_begin_move(family_test_moved[0], family_test_moved[1]);
	perf_swap_end_move(family_test_moved[0], family_test_moved[1]);
	family_test_unlock_moved();
}

static void family_test_expect_waits(struct kunit *test, struct test_task *task)
{
	complete(&task->go);
	msleep(20);
	KUNIT_EXPECT_FALSE(test, completion_done(&task->done));
}

/* Adding up counts waits for exchanges of these contexts, and vice versa. */
static void family_test_sum_and_move(struct kunit *test)
{
	struct test_task *stranger =
		test_task_fork(test, family_test_move_or_sum);
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = stranger->task, .inherit = true,
		.by_task = true,
	};
	struct perf_event *theirs = fake_pmu_open(test, &fake, &spec);
	struct perf_event *event = family_test_open(test, true);
	struct test_task *child = test_task_fork(test, NULL);

	test_task_wait_asleep(child);
	family_test_moved[0] = perf_task_ctx(current);
	family_test_moved[1] = perf_task_ctx(child->task);
	family_test_lock_moved();
	perf_swap_begin_move(family_test_moved[0], family_test_moved[1]);
	/* Another family has nothing to wait for. */
	family_test_summed = theirs;
	test_task_act(stranger);
	family_test_summed = event;
	family_test_expect_waits(test, stranger);
	perf_swap_end_move(family_test_moved[0], family_test_moved[1]);
	family_test_unlock_moved();
	wait_for_completion(&stranger->done);

	scoped_guard(mutex, &event->child_mutex) {
		perf_swap_hold_counts(event);
		family_test_summed = NULL;
		family_test_expect_waits(test, stranger);
		/* Until then no other task begins to add up. */
		KUNIT_EXPECT_TRUE(test,
				  READ_ONCE(family_test_moved[0]->moving));
		KUNIT_EXPECT_TRUE(test,
				  READ_ONCE(family_test_moved[1]->moving));
		perf_swap_release_counts(event);
	}
	wait_for_completion(&stranger->done);
	KUNIT_EXPECT_EQ(test,
			family_test_moved[0]->held | family_test_moved[1]->held,
			0);
}

/* Between @child and current no switch exchanges contexts. */
static void family_test_expect_no_exchange(struct kunit *test,
					   struct test_task *child)
{
	struct perf_ctx *ctx = perf_task_ctx(current);

	for (int i = 0; i < 10; i++) {
		test_task_act(child);
		KUNIT_EXPECT_PTR_NE(test, family_test_seen_ctx, ctx);
		KUNIT_EXPECT_PTR_EQ(test, perf_task_ctx(current), ctx);
	}
}

/* A context that stays with its task is not exchanged, until the next fork. */
static void family_test_end_equal(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);
	struct perf_ctx *ctx;
	struct test_task *child;

	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	family_test_open(test, true);
	child = test_task_fork(test, family_test_see_ctx);
	test_task_wait_asleep(child);
	ctx = perf_task_ctx(current);
	KUNIT_EXPECT_NE(test, ctx->equal, 0);
	scoped_guard(mutex, &ctx->mutex) {
		perf_swap_end_equal(ctx);
		KUNIT_EXPECT_TRUE(test, perf_swap_stays(ctx, current));
	}
	family_test_expect_no_exchange(test, child);
	test_task_fork(test, NULL);
	KUNIT_EXPECT_NE(test, ctx->equal, 0);
}

/* A task's disabled copy does not count because another task's is enabled. */
static void family_test_enabled_alone(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);
	struct perf_event *copy;
	struct test_task *child;

	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	family_test_open(test, true);
	child = test_task_fork(test, family_test_see_ctx);
	test_task_wait_asleep(child);
	copy = list_first_entry(&perf_task_ctx(child->task)
					 ->event_list,
				struct perf_event, event_entry);
	perf_event_disable(copy);
	family_test_expect_no_exchange(test, child);
	perf_event_enable(copy);
}

/* A context that loses an event equals none, even if the other loses it too. */
static void family_test_one_closed(struct kunit *test)
{
	struct perf_event *event = family_test_open(test, true);
	struct test_task *child;

	family_test_open(test, true);
	child = test_task_fork(test, NULL);
	KUNIT_EXPECT_NE(test, perf_task_ctx(child->task)->equal, 0);
	fake_pmu_close(test, event);
	KUNIT_EXPECT_EQ(test, perf_task_ctx(child->task)->equal, 0);
	KUNIT_EXPECT_EQ(test, perf_task_ctx(current)->equal, 0);
}

/* A closed eldest leaves members without events, which can fork and exit. */
static void family_test_closed(struct kunit *test)
{
	struct perf_event *event = family_test_open(test, false);
	struct test_task *child = test_task_fork(test, family_test_tick), *late;

	fake_pmu_close(test, event);
	late = test_task_fork(test, family_test_tick);
	KUNIT_EXPECT_NULL(test, perf_task_ctx(late->task));
	test_task_act(child);
	test_task_act(late);
	event = family_test_open(test, false);
	KUNIT_EXPECT_NULL(test, test_task_family(current));
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
}

/* The opener is in no family of the tasks on which it opens events. */
static void family_test_stranger_opens(struct kunit *test)
{
	struct test_task *grandchild = test_task_make(test, family_test_tick);
	struct test_task *child = test_task_fork(test, test_task_fork_child);
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = child->task, .inherit = true,
	};
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);
	u64 before;

	child->child = grandchild;
	test_task_act(child);
	KUNIT_ASSERT_NOT_NULL(test, grandchild->task);
	fake_pmu_undo(test, test_task_finish, grandchild);
	KUNIT_ASSERT_NOT_NULL(test, test_task_family(grandchild->task));

	spec.task = grandchild->task;
	spec.inherit = false;
	fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_NULL(test, test_task_family(grandchild->task));
	spec.task = child->task;
	fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_NULL(test, test_task_family(child->task));
	before = family_test_read(event);
	test_task_act(grandchild);
	KUNIT_EXPECT_GE(test, family_test_read(event) - before, 100);
}

static void family_test_expect_period(struct kunit *test,
				      struct perf_event *event, u64 period)
{
	struct perf_event *child;

	guard(mutex)(&event->child_mutex);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, period);
	list_for_each_entry(child, &event->child_list, child_list) {
		KUNIT_EXPECT_EQ(test, child->attr.sample_period, period);
		KUNIT_EXPECT_EQ(test, child->hw.sample_period, period);
	}
}

/* A member has the same period in every context that it runs with. */
static void family_test_period(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .period = 1000,
	};
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);
	struct test_task *child = test_task_fork(test, NULL);

	KUNIT_EXPECT_NOT_NULL(test, test_task_family(child->task));
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 5000), 0);
	family_test_expect_period(test, event, 5000);

	/* A context that is made later has it too. */
	spec.task = child->task;
	fake_pmu_open(test, &fake, &spec);
	family_test_expect_period(test, event, 5000);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 0), -EINVAL);
	family_test_expect_period(test, event, 5000);
}

#ifdef CONFIG_BPF_SYSCALL
static struct bpf_prog *family_test_prog_make(struct kunit *test)
{
	struct bpf_prog *prog = bpf_prog_alloc(bpf_prog_size(1), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, prog);
	prog->type = BPF_PROG_TYPE_PERF_EVENT;
	/* One is the test's, so nobody else frees what was never loaded. */
	atomic64_set(&prog->aux->refcnt, 2);
	return prog;
}

static void family_test_expect_prog(struct kunit *test,
				    struct perf_event *event,
				    const struct bpf_prog *prog)
{
	struct perf_event *child;
	unsigned int n = 0;

	guard(mutex)(&event->child_mutex);
	KUNIT_EXPECT_PTR_EQ(test, event->prog, prog);
	list_for_each_entry(child, &event->child_list, child_list) {
		KUNIT_EXPECT_PTR_EQ(test, child->prog, prog);
		if (prog)
			KUNIT_EXPECT_EQ(test, child->bpf_cookie, 7);
		n++;
	}
	KUNIT_EXPECT_GT(test, n, 0);
}

/* A program sees the overflows of all contexts; once detached, of none. */
static void family_test_prog(struct kunit *test)
{
	struct perf_event *event = family_test_open(test, false);
	struct test_task *child = test_task_fork(test, NULL);
	struct fake_pmu_spec spec = { .cpu = -1, .task = child->task };
	struct bpf_prog *prog = family_test_prog_make(test);

	KUNIT_EXPECT_EQ(test, perf_event_set_bpf_prog(event, prog, 7), 0);
	family_test_expect_prog(test, event, prog);
	/* A context that is made later has it too. */
	fake_pmu_open(test, &fake, &spec);
	family_test_expect_prog(test, event, prog);
	KUNIT_EXPECT_EQ(test, perf_event_set_bpf_prog(event, prog, 7), -EEXIST);

	perf_event_free_bpf_prog(event);
	family_test_expect_prog(test, event, NULL);
	KUNIT_EXPECT_EQ(test, atomic64_read(&prog->aux->refcnt), 1);
	__bpf_prog_free(prog);
}
#else
static void family_test_prog(struct kunit *test)
{
	kunit_skip(test, "no BPF");
}
#endif

/* Traces are never shared: each task has its own. */
static void family_test_aux(struct kunit *test)
{
	struct test_task *child;

	fake_pmu_trace(test, &fake);
	family_test_open(test, false);
	child = test_task_fork(test, NULL);
	KUNIT_EXPECT_NULL(test, test_task_family(child->task));
	KUNIT_EXPECT_NOT_NULL(test, perf_task_ctx(child->task));
	KUNIT_EXPECT_EQ(test, perf_task_ctx(child->task)->equal, 0);
}

static int (*family_test_take)(struct perf_event *event);
static int family_test_refusals;

static int family_test_refuse_first(struct perf_event *event)
{
	return family_test_refusals-- > 0 ? -ENOMEM : family_test_take(event);
}

static void family_test_refuse_nobody(void *unused)
{
	fake.pmu.event_init = family_test_take;
}

/* A copy that its eldest's PMU refuses is not tried again, nor elsewhere. */
static void family_test_copy_refused(struct kunit *test)
{
	struct perf_event *eldest = family_test_open(test, false), *copy;
	const struct perf_event_spec spec = {
		.attr = &eldest->attr, .cpu = -1, .task = current,
		.parent = eldest, .cgroup_fd = -1,
	};
	struct perf_ctx *ctx;

	family_test_take = fake.pmu.event_init;
	fake.pmu.event_init = family_test_refuse_first;
	fake_pmu_undo(test, family_test_refuse_nobody, NULL);
	family_test_refusals = 1;
	ctx = perf_event_ctx_lock(eldest);
	copy = perf_event_alloc(&spec);
	perf_event_ctx_unlock(eldest, ctx);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(copy), -ENOMEM);
	if (!IS_ERR(copy))
		perf_event_put(copy);
}

static struct kunit_case family_test_cases[] = {
	KUNIT_CASE(family_test_fork_joins),
	KUNIT_CASE(family_test_founder_was_equal),
	KUNIT_CASE(family_test_sum),
	KUNIT_CASE(family_test_by_task),
	KUNIT_CASE(family_test_pool_is_bounded),
	KUNIT_CASE(family_test_founder_leaves),
	KUNIT_CASE(family_test_child_leaves),
	KUNIT_CASE(family_test_orphans),
	KUNIT_CASE(family_test_hand_over),
	KUNIT_CASE(family_test_exchange),
	KUNIT_CASE(family_test_exchange_turns),
	KUNIT_CASE(family_test_exchange_short_runs),
	KUNIT_CASE(family_test_sum_and_move),
	KUNIT_CASE(family_test_unequal),
	KUNIT_CASE(family_test_end_equal),
	KUNIT_CASE(family_test_enabled_alone),
	KUNIT_CASE(family_test_one_closed),
	KUNIT_CASE(family_test_closed),
	KUNIT_CASE(family_test_stranger_opens),
	KUNIT_CASE(family_test_period),
	KUNIT_CASE(family_test_prog),
	KUNIT_CASE(family_test_aux),
	KUNIT_CASE(family_test_copy_refused),
	{ }
};

static struct kunit_suite family_test_suite = {
	.name		= "perf_family",
	.suite_init	= family_test_suite_init,
	.suite_exit	= family_test_suite_exit,
	.init		= family_test_init,
	.test_cases	= family_test_cases,
};

kunit_test_suite(family_test_suite);
