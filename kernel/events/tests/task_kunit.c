// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room task: the effect of fork, exec and exit on events, also in
 * a task that never runs. Current stands for the task that execs or exits.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "../context.h"
#include "../event.h"
#include "../live.h"
#include "../sideband.h"
#include "fake_pmu.h"
#include "family_tasks.h"
#include "record_fake.h"

#define FOREVER_MS	3600000

static struct fake_pmu fake;

static int task_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_task");
}

static void task_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void task_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int task_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, task_test_check_idle, test);
}

static void task_test_release(void *event)
{
	perf_event_release_kernel(event);
}

static struct perf_event *task_test_open(struct kunit *test,
					 struct perf_event_attr attr)
{
	struct perf_event *event;

	attr.type = fake.pmu.type;
	attr.size = sizeof(attr);
	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "%ld", PTR_ERR(event));
	fake_pmu_undo(test, task_test_release, event);
	return event;
}

static u64 task_test_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* Exec. */

/* Some events begin with the new program, some end, and the others go on. */
static void task_test_exec(struct kunit *test)
{
	struct perf_event *begins = task_test_open(test, (struct perf_event_attr) {
		.disabled = 1, .enable_on_exec = 1 });
	struct perf_event *ends = task_test_open(test, (struct perf_event_attr) {
		.remove_on_exec = 1 });
	struct perf_event *goes_on =
		task_test_open(test, (struct perf_event_attr){});
	struct perf_event *off = task_test_open(test, (struct perf_event_attr) {
		.disabled = 1 });
	int refs;

	refs = refcount_read(&perf_task_ctx(current)->refcount);
	fake_pmu_tick(&fake, 5);
	perf_event_exec();
	fake_pmu_tick(&fake, 70);
	/* The event that was removed is closed later, and has its reference till then. */
	KUNIT_EXPECT_EQ(test, refcount_read(&perf_task_ctx(current)->refcount),
			refs);
	KUNIT_EXPECT_EQ(test, begins->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, ends->state, PERF_EVENT_STATE_EXIT);
	KUNIT_EXPECT_EQ(test, goes_on->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, off->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, task_test_read(begins), 70);
	KUNIT_EXPECT_EQ(test, task_test_read(ends), 5);
	KUNIT_EXPECT_EQ(test, task_test_read(goes_on), 75);
	KUNIT_EXPECT_EQ(test, task_test_read(off), 0);

	/* Only the first exec enables it. */
	perf_event_disable(begins);
	perf_event_exec();
	KUNIT_EXPECT_EQ(test, begins->state, PERF_EVENT_STATE_OFF);
}

/* An event that ends still counts while the rest of its group is enabled. */
static void task_test_exec_enables_first(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .disabled = true,
	};
	struct perf_event *leader = fake_pmu_open(test, &fake, &spec), *ends;

	spec.leader = leader;
	spec.disabled = false;
	ends = fake_pmu_open(test, &fake, &spec);
	leader->attr.enable_on_exec = 1;
	ends->attr.remove_on_exec = 1;
	KUNIT_EXPECT_EQ(test, fake_pmu_turns(ends), 0);
	perf_event_exec();
	KUNIT_EXPECT_EQ(test, leader->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, ends->state, PERF_EVENT_STATE_EXIT);
	/* More than once, if this task was preempted meanwhile. */
	KUNIT_EXPECT_GE(test, fake_pmu_turns(ends), 1);
}

static void task_test_exec_without_events(struct kunit *test)
{
	KUNIT_ASSERT_NULL(test, perf_task_ctx(current));
	perf_event_exec();
	KUNIT_EXPECT_NULL(test, perf_task_ctx(current));
}

/* A member of a family stays one. */
static void task_test_exec_of_a_member(struct kunit *test)
{
	struct perf_event *event = task_test_open(test, (struct perf_event_attr) {
		.inherit = 1 });
	struct perf_family *family;

	test_task_fork(test, NULL);
	family = test_task_family(current);
	KUNIT_ASSERT_NOT_NULL(test, family);
	perf_event_exec();
	KUNIT_EXPECT_PTR_EQ(test, test_task_family(current), family);
	fake_pmu_tick(&fake, 3);
	KUNIT_EXPECT_GE(test, task_test_read(event), 3);
}

/* Exit. */

/* Events that the task has opened go on without an owner. */
static void task_test_exit_disowns(struct kunit *test)
{
	struct perf_event *events[2];

	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		events[i] = kunit_kzalloc(test, sizeof(*events[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, events[i]);
		events[i]->owner = current;
		guard(mutex)(&current->perf_event_mutex);
		list_add_tail(&events[i]->owner_entry,
			      &current->perf_event_list);
	}
	perf_event_exit_task(current);
	KUNIT_EXPECT_TRUE(test, list_empty(&current->perf_event_list));
	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		KUNIT_EXPECT_NULL(test, events[i]->owner);
		KUNIT_EXPECT_TRUE(test, list_empty(&events[i]->owner_entry));
	}
	INIT_LIST_HEAD(&current->perf_event_list);
}

/* Events that count the task can still be read. */
static void task_test_exit_ends_events(struct kunit *test)
{
	struct perf_event *event =
		task_test_open(test, (struct perf_event_attr){});

	fake_pmu_tick(&fake, 4);
	perf_event_exit_task(current);
	fake_pmu_tick(&fake, 4);
	KUNIT_EXPECT_NULL(test, perf_task_ctx(current));
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_EXIT);
	KUNIT_EXPECT_EQ(test, task_test_read(event), 4);
}

static bool task_test_find_exit(struct record_fake *record)
{
	const struct perf_event_header *header;
	u32 *ids = (u32 *)&record->record[1];

	while ((header = fake_take(record))) {
		if (header->type == PERF_RECORD_EXIT &&
		    ids[2] == task_pid_nr(current))
			return true;
	}
	return false;
}

/* An event of the CPU gets the record, whether the task has events or not. */
static void task_test_exit_is_reported(struct kunit *test)
{
	struct record_fake *record;
	struct perf_event *event;
	bool found;

	KUNIT_ASSERT_EQ(test, fake_init(test), 0);
	record = test->priv;
	event = &record->event;
	event->attr.task = 1;
	migrate_disable();
	event->cpu = raw_smp_processor_id();
	event->state = PERF_EVENT_STATE_INACTIVE;
	perf_side_account(event);
	perf_event_exit_task(current);
	perf_side_unaccount(event);
	migrate_enable();
	synchronize_rcu();
	found = task_test_find_exit(record);
	fake_exit(test);
	KUNIT_EXPECT_TRUE(test, found);
}

/* Fork. */

/* A task as fork has it: a copy of current that does not run. */
static struct task_struct *task_test_copy_current(struct kunit *test)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	refcount_set(&task->usage, 2);
	task->perf_event_ctxp = current->perf_event_ctxp;
	task->perf_event_list = current->perf_event_list;
	memset(task->perf_recursion, 1, sizeof(task->perf_recursion));
	return task;
}

/* Waits for what is freed after grace periods. */
static long task_test_contexts(void)
{
	for (int i = 0; i < 3; i++)
		rcu_barrier();
	return perf_live_sum(PERF_LIVE_CONTEXTS);
}

static void task_test_expect_nothing(struct kunit *test,
				     struct task_struct *task, long contexts)
{
	KUNIT_EXPECT_NULL(test, perf_task_ctx(task));
	KUNIT_EXPECT_EQ(test, task_test_contexts(), contexts);
	KUNIT_EXPECT_EQ(test, refcount_read(&task->usage), 2);
}

static void task_test_fork_without_events(struct kunit *test)
{
	struct task_struct *task = task_test_copy_current(test);
	long contexts = task_test_contexts();
	LIST_HEAD(owned);

	/* Events that current has opened stay its own. */
	list_add(&owned, &current->perf_event_list);
	task->perf_event_list = current->perf_event_list;
	KUNIT_EXPECT_EQ(test, perf_event_init_task(task, 0), 0);
	list_del(&owned);
	KUNIT_EXPECT_TRUE(test, list_empty(&task->perf_event_list));
	for (int i = 0; i < ARRAY_SIZE(task->perf_recursion); i++)
		KUNIT_EXPECT_EQ(test, task->perf_recursion[i], 0);
	KUNIT_EXPECT_TRUE(test, mutex_trylock(&task->perf_event_mutex));
	mutex_unlock(&task->perf_event_mutex);
	perf_event_free_task(task);
	task_test_expect_nothing(test, task, contexts);
}

static void task_test_open_inherited(struct kunit *test)
{
	for (int i = 0; i < 2; i++)
		task_test_open(test, (struct perf_event_attr) {
			.inherit = 1, .inherit_stat = 1 });
}

/* A task that inherits and is never started gives back what it got. */
static void task_test_fork_is_undone(struct kunit *test)
{
	struct task_struct *task;
	long contexts;

	task_test_open_inherited(test);
	contexts = task_test_contexts();
	task = task_test_copy_current(test);
	KUNIT_ASSERT_EQ(test, perf_event_init_task(task, 0), 0);
	KUNIT_EXPECT_NOT_NULL(test, perf_task_ctx(task));
	KUNIT_EXPECT_PTR_NE(test, perf_task_ctx(task), perf_task_ctx(current));
	KUNIT_EXPECT_EQ(test, task_test_contexts(), contexts + 1);
	perf_event_free_task(task);
	task_test_expect_nothing(test, task, contexts);
}

static int (*task_test_take)(struct perf_event *event);
static int task_test_takes;

static int task_test_refuse_later(struct perf_event *event)
{
	return task_test_takes-- > 0 ? task_test_take(event) : -ENOMEM;
}

static void task_test_refuse_none(void *unused)
{
	fake.pmu.event_init = task_test_take;
}

/* The second copy is refused: there is nothing left of the first. */
static void task_test_fork_fails(struct kunit *test)
{
	struct task_struct *task;
	long contexts;

	task_test_open_inherited(test);
	contexts = task_test_contexts();
	task = task_test_copy_current(test);
	task_test_take = fake.pmu.event_init;
	task_test_takes = 1;
	fake.pmu.event_init = task_test_refuse_later;
	fake_pmu_undo(test, task_test_refuse_none, NULL);
	KUNIT_EXPECT_EQ(test, perf_event_init_task(task, 0), -ENOMEM);
	task_test_expect_nothing(test, task, contexts);
}

static struct kunit_case task_test_cases[] = {
	KUNIT_CASE(task_test_exec),
	KUNIT_CASE(task_test_exec_enables_first),
	KUNIT_CASE(task_test_exec_without_events),
	KUNIT_CASE(task_test_exec_of_a_member),
	KUNIT_CASE(task_test_exit_disowns),
	KUNIT_CASE(task_test_exit_ends_events),
	KUNIT_CASE(task_test_exit_is_reported),
	KUNIT_CASE(task_test_fork_without_events),
	KUNIT_CASE(task_test_fork_is_undone),
	KUNIT_CASE(task_test_fork_fails),
	{ }
};

static struct kunit_suite task_test_suite = {
	.name		= "perf_task",
	.suite_init	= task_test_suite_init,
	.suite_exit	= task_test_suite_exit,
	.init		= task_test_init,
	.test_cases	= task_test_cases,
};

kunit_test_suite(task_test_suite);
