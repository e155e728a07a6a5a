// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room divide: a family with events that are bound to CPUs has a
 * context for each CPU, and each event once.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../context.h"
#include "../divide.h"
#include "../event.h"
#include "../family.h"
#include "../member.h"
#include "../read.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000
#define TICKS		100

static struct fake_pmu fake;

static int divide_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_divide");
}

static void divide_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void divide_test_check_idle(void *test)
{
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	fake_pmu_expect_idle(test, &fake);
}

static int divide_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, divide_test_check_idle, test);
}

static struct perf_event *divide_test_open(struct kunit *test,
					   struct task_struct *task, int cpu)
{
	struct fake_pmu_spec spec = {
		.cpu		= cpu,
		.task		= task,
		.inherit	= true,
	};

	return fake_pmu_open(test, &fake, &spec);
}

/* Return: events by CPU, one for each possible CPU. */
static struct perf_event **divide_test_open_all(struct kunit *test,
						struct task_struct *task)
{
	struct perf_event **events =
		kunit_kcalloc(test, nr_cpu_ids, sizeof(*events), GFP_KERNEL);
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, events);
	for_each_possible_cpu(cpu)
		events[cpu] = divide_test_open(test, task, cpu);
	return events;
}

static u64 divide_test_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static unsigned int divide_test_nr_copies(struct perf_event *event)
{
	guard(mutex)(&event->child_mutex);
	return list_count_nodes(&event->child_list);
}

static int divide_test_cpu;

/* Other tasks that count do not run on that CPU meanwhile. */
static void divide_test_tick(struct test_task *self)
{
	set_cpus_allowed_ptr(current, cpumask_of(divide_test_cpu));
	preempt_disable();
	fake_pmu_tick(&fake, TICKS);
	preempt_enable();
}

/* @child counts on a CPU, where current waits. */
static void divide_test_count_on(struct test_task *child, int cpu)
{
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	divide_test_cpu = cpu;
	test_task_act(child);
}

/* Lets @child count on each CPU. The event of that CPU counts, and no other. */
static void divide_test_expect_counts(struct kunit *test,
				      struct perf_event **events,
				      struct test_task *child)
{
	int cpu, other;
	u64 before;

	for_each_online_cpu(cpu) {
		set_cpus_allowed_ptr(current, cpumask_of(cpu));
		for_each_possible_cpu(other) {
			before = divide_test_read(events[other]);
			divide_test_count_on(child, cpu);
			KUNIT_EXPECT_EQ(test,
					divide_test_read(events[other]) - before,
					other == cpu ? TICKS : 0);
		}
	}
}

/* Each event is in the context of its CPU, and there is no copy of it. */
static void divide_test_expect_divided(struct kunit *test,
				       struct perf_family *family,
				       struct perf_event **events)
{
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, family);
	KUNIT_EXPECT_TRUE(test, family->by_cpu);
	KUNIT_EXPECT_EQ(test, family->nr_contexts, num_possible_cpus());
	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(events[cpu]),
				    family->places[cpu].own);
		KUNIT_EXPECT_EQ(test, divide_test_nr_copies(events[cpu]), 0);
	}
}

static void divide_test_found(struct kunit *test)
{
	struct perf_event **events = divide_test_open_all(test, current);
	struct perf_event *unbound = divide_test_open(test, current, -1);
	unsigned int before = test_pmu_nr_events(&fake.pmu);
	struct test_task *child = test_task_fork(test, divide_test_tick);
	struct perf_family *family = test_task_family(current);
	u64 sum = divide_test_read(unbound);

	divide_test_expect_divided(test, family, events);
	KUNIT_EXPECT_EQ(test, divide_test_nr_copies(unbound),
			num_possible_cpus() - 1);
	/* More members need no more events. */
	for (int i = 0; i < 3; i++)
		test_task_fork(test, NULL);
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu),
			before + num_possible_cpus() - 1);
	KUNIT_EXPECT_EQ(test, family->nr_members, 5);

	divide_test_expect_counts(test, events, child);
	KUNIT_EXPECT_GE(test, divide_test_read(unbound) - sum,
			num_online_cpus() * num_possible_cpus() * TICKS);
}

/* Current counts on each CPU, after and before it has forked. */
static void divide_test_founder_counts(struct kunit *test)
{
	struct perf_event **events = divide_test_open_all(test, current);
	int cpu;

	for (int i = 0; i < 2; i++) {
		for_each_online_cpu(cpu) {
			u64 before = divide_test_read(events[cpu]);

			divide_test_cpu = cpu;
			divide_test_tick(NULL);
			KUNIT_EXPECT_EQ(test,
					divide_test_read(events[cpu]) - before,
					TICKS);
		}
		test_task_fork(test, NULL);
		KUNIT_EXPECT_NOT_NULL(test, test_task_family(current));
	}
}

/* The founder gets its events back; the others have copies. */
static void divide_test_founder_leaves(struct kunit *test)
{
	struct perf_event **events = divide_test_open_all(test, current);
	struct perf_event *unbound = divide_test_open(test, current, -1), *extra;
	struct test_task *child = test_task_fork(test, divide_test_tick);
	struct perf_family *family = test_task_family(current);
	int cpu, first = cpumask_first(cpu_online_mask);
	u64 count;

	KUNIT_ASSERT_NOT_NULL(test, family);
	divide_test_count_on(child, first);
	count = divide_test_read(events[first]);
	extra = divide_test_open(test, current, -1);
	KUNIT_EXPECT_NULL(test, test_task_family(current));
	KUNIT_EXPECT_EQ(test, family->nr_contexts, num_possible_cpus());
	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(events[cpu]),
				    perf_task_ctx(current));
		KUNIT_EXPECT_EQ(test, divide_test_nr_copies(events[cpu]), 1);
	}
	KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(unbound),
			    perf_task_ctx(current));
	KUNIT_EXPECT_EQ(test, divide_test_nr_copies(unbound),
			num_possible_cpus());
	KUNIT_EXPECT_EQ(test, divide_test_read(events[first]), count);
	divide_test_expect_counts(test, events, child);

	/* Now it founds another family with the same events. */
	fake_pmu_close(test, extra);
	child = test_task_fork(test, divide_test_tick);
	KUNIT_EXPECT_PTR_NE(test, test_task_family(current), family);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, divide_test_nr_copies(events[cpu]), 1);
	divide_test_expect_counts(test, events, child);
}

/* Another member gets copies of all events, and counts in them. */
static void divide_test_member_leaves(struct kunit *test)
{
	struct perf_event **events = divide_test_open_all(test, current);
	struct perf_event *unbound = divide_test_open(test, current, -1);
	struct test_task *child = test_task_fork(test, divide_test_tick);
	struct perf_ctx *ctx;
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, test_task_family(child->task));
	divide_test_open(test, child->task, -1);
	KUNIT_EXPECT_NULL(test, test_task_family(child->task));
	ctx = perf_task_ctx(child->task);
	KUNIT_EXPECT_EQ(test, ctx->nr_events, num_possible_cpus() + 2);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, divide_test_nr_copies(events[cpu]), 1);
	KUNIT_EXPECT_EQ(test, divide_test_nr_copies(unbound),
			num_possible_cpus());
	divide_test_expect_counts(test, events, child);
	test_task_end(test, child);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, divide_test_nr_copies(events[cpu]), 0);
	KUNIT_EXPECT_EQ(test, divide_test_read(events[0]),
			cpu_online(0) ? num_possible_cpus() * TICKS : 0);
}

/* A group stays together, on the way and back. */
static void divide_test_group(struct kunit *test)
{
	int cpu = cpumask_last(cpu_online_mask);
	struct fake_pmu_spec spec = { .cpu = cpu };
	struct perf_event *event[3];
	struct test_task *child;

	set_cpus_allowed_ptr(current,
			     cpumask_of(cpumask_first(cpu_online_mask)));
	event[0] = divide_test_open(test, current, cpu);
	spec.task = current;
	spec.leader = event[0];
	spec.inherit = true;
	for (int i = 1; i < 3; i++)
		event[i] = fake_pmu_open(test, &fake, &spec);

	child = test_task_fork(test, divide_test_tick);
	KUNIT_ASSERT_NOT_NULL(test, test_task_family(current));
	for (int round = 0; round < 2; round++) {
		divide_test_count_on(child, cpu);
		KUNIT_EXPECT_EQ(test, event[0]->nr_siblings, 2);
		for (int i = 0; i < 3; i++) {
			KUNIT_EXPECT_PTR_EQ(test, event[i]->group_leader,
					    event[0]);
			KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(event[i]),
					    perf_event_ctx(event[0]));
			KUNIT_EXPECT_EQ(test, divide_test_read(event[i]),
					(round + 1) * TICKS);
		}
		set_cpus_allowed_ptr(current,
				     cpumask_of(cpumask_first(cpu_online_mask)));
		divide_test_open(test, current, -1);
		KUNIT_EXPECT_NULL(test, test_task_family(current));
	}
}

/* The events' task exits first. */
static void divide_test_founder_exits(struct kunit *test)
{
	struct test_task *founder = test_task_fork(test, test_task_fork_child);
	struct perf_event **events =
		divide_test_open_all(test, founder->task);
	struct test_task *child = test_task_make(test, divide_test_tick);
	int cpu;

	founder->child = child;
	test_task_act(founder);
	fake_pmu_undo(test, test_task_finish, child);
	KUNIT_ASSERT_NOT_NULL(test, test_task_family(child->task));
	test_task_end(test, founder);
	divide_test_expect_counts(test, events, child);
	divide_test_expect_divided(test, test_task_family(child->task), events);
	test_task_end(test, child);
	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, events[cpu]->state,
				PERF_EVENT_STATE_EXIT);
		KUNIT_EXPECT_EQ(test, divide_test_read(events[cpu]),
				cpu_online(cpu) ? num_possible_cpus() * TICKS :
						  0);
	}
}

/* Disabled events move as well, and can be enabled afterwards. */
static void divide_test_disabled(struct kunit *test)
{
	struct perf_event **events = divide_test_open_all(test, current);
	struct test_task *child;
	int cpu;
	u64 before;

	for_each_possible_cpu(cpu)
		perf_event_disable(events[cpu]);
	child = test_task_fork(test, divide_test_tick);
	divide_test_expect_divided(test, test_task_family(current), events);
	for_each_online_cpu(cpu) {
		before = divide_test_read(events[cpu]);
		divide_test_count_on(child, cpu);
		KUNIT_EXPECT_EQ(test, divide_test_read(events[cpu]), before);
	}
	for_each_possible_cpu(cpu)
		perf_event_enable(events[cpu]);
	divide_test_expect_counts(test, events, child);
}

/* Without events nobody joins; with those of one CPU only, tasks join. */
static void divide_test_closed(struct kunit *test)
{
	struct perf_event **events = divide_test_open_all(test, current);
	int cpu, last = cpumask_last(cpu_possible_mask);
	struct test_task *child;

	/* The founder's context is not the one that keeps an event. */
	set_cpus_allowed_ptr(current,
			     cpumask_of(cpumask_first(cpu_online_mask)));
	test_task_fork(test, NULL);
	for_each_possible_cpu(cpu) {
		if (cpu != last)
			fake_pmu_close(test, events[cpu]);
	}
	child = test_task_fork(test, NULL);
	KUNIT_EXPECT_NOT_NULL(test, test_task_family(child->task));
	fake_pmu_close(test, events[last]);
	child = test_task_fork(test, NULL);
	KUNIT_EXPECT_NULL(test, test_task_family(child->task));
}

/* Few bound events are copied like the others. */
static void divide_test_does_not_pay(struct kunit *test)
{
	struct perf_event *event = divide_test_open(test, current, 0);

	if (num_possible_cpus() == 1)
		kunit_skip(test, "one CPU only");
	divide_test_open(test, current, -1);
	divide_test_open(test, current, -1);
	test_task_fork(test, NULL);
	KUNIT_ASSERT_NOT_NULL(test, test_task_family(current));
	KUNIT_EXPECT_FALSE(test, test_task_family(current)->by_cpu);
	KUNIT_EXPECT_GT(test, divide_test_nr_copies(event), 0);
}

/* A context with so many events of CPUs, and so many that are bound to none. */
static bool divide_test_would_pay(struct kunit *test, unsigned int bound,
				  unsigned int unbound)
{
	struct perf_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	unsigned int nr = bound + unbound;
	struct perf_event *events =
		kunit_kcalloc(test, max(nr, 1), sizeof(*events), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	KUNIT_ASSERT_NOT_NULL(test, events);
	fake_ctx_init(ctx);
	for (unsigned int i = 0; i < nr; i++) {
		events[i].cpu = i < bound ? cpumask_first(cpu_possible_mask) :
					    -1;
		list_add(&events[i].event_entry, &ctx->event_list);
	}
	guard(mutex)(&ctx->mutex);
	return perf_divide_pays(ctx);
}

/* One bound event for four CPUs, and a bound one for each unbound copy. */
static void divide_test_pays(struct kunit *test)
{
	unsigned int cpus = num_possible_cpus();
	unsigned int least = DIV_ROUND_UP(cpus, 4);

	KUNIT_EXPECT_TRUE(test, divide_test_would_pay(test, least, 0));
	KUNIT_EXPECT_FALSE(test, divide_test_would_pay(test, least - 1, 0));
	KUNIT_EXPECT_TRUE(test, divide_test_would_pay(test, 4 * cpus, 4));
	if (cpus > 1)
		KUNIT_EXPECT_FALSE(test, divide_test_would_pay(test, 4 * cpus,
							       9));
}

/* The context that an event would join has the events of its CPU. */
static void divide_test_seen(struct kunit *test)
{
	struct perf_event **events = divide_test_open_all(test, current);
	struct perf_ctx *own = perf_event_ctx(events[0]), *seen;
	int cpu;

	test_task_fork(test, NULL);
	for_each_possible_cpu(cpu) {
		seen = perf_member_see_ctx(current, cpu);
		KUNIT_EXPECT_PTR_EQ(test, seen, perf_event_ctx(events[cpu]));
		if (seen)
			perf_ctx_put(seen);
	}
	seen = perf_member_see_ctx(current, -1);
	KUNIT_EXPECT_PTR_EQ(test, seen, own);
	if (seen)
		perf_ctx_put(seen);
}

/* The driver refuses a copy. */

static int (*divide_test_take)(struct perf_event *event);
static int divide_test_left;

static int divide_test_refuse(struct perf_event *event)
{
	return divide_test_left-- > 0 ? divide_test_take(event) : -ENOSPC;
}

static void divide_test_refuse_none(void *unused)
{
	fake.pmu.event_init = divide_test_take;
}

/* Nothing has moved if a copy cannot be made. */
static void divide_test_refused(struct kunit *test)
{
	struct perf_event **events = divide_test_open_all(test, current);
	struct perf_event *unbound = divide_test_open(test, current, -1);
	struct perf_ctx *own = perf_task_ctx(current);
	struct test_task *child;
	unsigned int nr_events;
	int cpu;

	divide_test_take = fake.pmu.event_init;
	divide_test_left = num_possible_cpus() - 2;
	fake.pmu.event_init = divide_test_refuse;
	fake_pmu_undo(test, divide_test_refuse_none, NULL);
	child = test_task_make(test, NULL);
	KUNIT_EXPECT_EQ(test, test_task_start(child), -ENOSPC);
	KUNIT_EXPECT_PTR_EQ(test, perf_task_ctx(current), own);
	KUNIT_EXPECT_NULL(test, test_task_family(current));
	KUNIT_EXPECT_EQ(test, divide_test_nr_copies(unbound), 0);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(events[cpu]), own);
	/* The founder cannot leave either, and stays a member. */
	divide_test_left = INT_MAX;
	child = test_task_fork(test, divide_test_tick);
	nr_events = test_pmu_nr_events(&fake.pmu);
	divide_test_left = 1;
	KUNIT_EXPECT_EQ(test, perf_member_leave(current), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu), nr_events);
	divide_test_left = INT_MAX;
	divide_test_expect_divided(test, test_task_family(current), events);
	divide_test_expect_counts(test, events, child);
}

static struct kunit_case divide_test_cases[] = {
	KUNIT_CASE(divide_test_found),
	KUNIT_CASE(divide_test_founder_counts),
	KUNIT_CASE(divide_test_founder_leaves),
	KUNIT_CASE(divide_test_member_leaves),
	KUNIT_CASE(divide_test_group),
	KUNIT_CASE(divide_test_founder_exits),
	KUNIT_CASE(divide_test_disabled),
	KUNIT_CASE(divide_test_closed),
	KUNIT_CASE(divide_test_pays),
	KUNIT_CASE(divide_test_does_not_pay),
	KUNIT_CASE(divide_test_seen),
	KUNIT_CASE(divide_test_refused),
	{ }
};

static struct kunit_suite divide_test_suite = {
	.name		= "perf_divide",
	.suite_init	= divide_test_suite_init,
	.suite_exit	= divide_test_suite_exit,
	.init		= divide_test_init,
	.test_cases	= divide_test_cases,
};

kunit_test_suite(divide_test_suite);
