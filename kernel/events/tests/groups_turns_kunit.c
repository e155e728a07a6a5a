// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room groups: no group takes other groups' turns. A group may
 * leave its turn, be copied for the first time, be enabled late, or be bound to
 * a CPU that its task leaves.
 *
 * The first tests call the room with events that no PMU counts. The last ones
 * use a PMU with one counter, whose turns last for ever.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "../context.h"
#include "../groups.h"
#include "fake_pmu.h"

#define NR_EVENTS	24
#define INTERVAL	1024
#define AHEAD		(16 * INTERVAL)
#define FOREVER_MS	3600000
#define FOREVER_NS	((s64)FOREVER_MS * NSEC_PER_MSEC)

#define ACTIVE		PERF_EVENT_STATE_ACTIVE
#define INACTIVE	PERF_EVENT_STATE_INACTIVE

static struct fake_pmu fake;

struct turns_test_world {
	struct perf_ctx		ctx;
	struct perf_pmu_ctx	epc;
	struct perf_event	event[NR_EVENTS];
};

static void turns_test_init_event(struct turns_test_world *world, int nr)
{
	struct perf_event *event = &world->event[nr];

	event->ctx = &world->ctx.pub;
	event->pmu_ctx = &world->epc.pub;
	event->cpu = -1;
	event->id = nr;
	event->group_leader = event;
	event->state = INACTIVE;
	RB_CLEAR_NODE(&event->group_node);
	INIT_LIST_HEAD(&event->sibling_list);
	INIT_LIST_HEAD(&event->active_list);
}

static int turns_test_init(struct kunit *test)
{
	struct turns_test_world *world =
		kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	if (!world)
		return -ENOMEM;
	fake_ctx_init(&world->ctx);
	perf_epc_init(&world->epc, NULL);
	world->epc.ctx = &world->ctx;
	world->epc.nr_waiting = 1;
	for (int i = 0; i < NR_EVENTS; i++)
		turns_test_init_event(world, i);
	test->priv = world;
	return 0;
}

static void turns_test_insert(struct turns_test_world *world,
			      struct perf_event *event)
{
	guard(raw_spinlock_irq)(&world->ctx.lock);
	perf_group_insert_locked(event);
}

static void turns_test_enable(struct turns_test_world *world,
			      struct perf_event *event)
{
	guard(raw_spinlock_irq)(&world->ctx.lock);
	perf_group_enable_locked(event);
	event->state = INACTIVE;
}

static void turns_test_rank(struct turns_test_world *world)
{
	guard(raw_spinlock_irq)(&world->ctx.lock);
	perf_group_rank_locked(&world->epc, 0, INTERVAL);
}

/* A copy in a PMU context; the ended copies of its family had @had service. */
static struct perf_event *turns_test_copy(struct turns_test_world *world,
					  int nr, s64 had)
{
	struct perf_event *copy = &world->event[nr], *eldest = copy + 1;

	copy->parent = eldest;
	atomic64_set(&eldest->child_total_time_running, had);
	turns_test_insert(world, copy);
	return copy;
}

/* A copy that is disabled at first begins when it is enabled. */
static void turns_test_enabled_copy(struct kunit *test)
{
	struct turns_test_world *world = test->priv;
	struct perf_event *copy, *late;

	copy = turns_test_copy(world, 0, 10 * INTERVAL);
	late = turns_test_copy(world, 4, 8 * INTERVAL - 1);
	late->parent->copies_start = 1;
	late->group_service++;
	late->state = PERF_EVENT_STATE_OFF;
	turns_test_rank(world);
	KUNIT_EXPECT_EQ(test, world->epc.least_service, 10 * INTERVAL);
	/* The context is younger than what the others could have had. */
	world->ctx.time = INTERVAL;
	turns_test_enable(world, late);
	KUNIT_EXPECT_EQ(test, late->group_service, 9 * INTERVAL);
	late->state = PERF_EVENT_STATE_OFF;
	copy->total_time_running = 50 * INTERVAL;
	turns_test_rank(world);
	world->ctx.time = 100 * INTERVAL;
	turns_test_enable(world, late);
	KUNIT_EXPECT_EQ(test, late->group_service, 61 * INTERVAL);
	/* Its family has had no enabled copies, and so no service. */
	late = turns_test_copy(world, 8, 0);
	late->state = PERF_EVENT_STATE_OFF;
	world->epc.least_service = 200 * INTERVAL;
	turns_test_enable(world, late);
	KUNIT_EXPECT_EQ(test, late->group_service, 201 * INTERVAL);
}

/* Its eldest has lost its leader, while others have had turns. */
static void turns_test_promoted_copy(struct kunit *test)
{
	struct turns_test_world *world = test->priv;
	struct perf_event *copy;

	turns_test_copy(world, 0, 10 * INTERVAL);
	turns_test_rank(world);
	world->epc.choice = 2;
	copy = turns_test_copy(world, 4, 0);
	KUNIT_EXPECT_EQ(test, copy->group_service, 11 * INTERVAL);
	copy = turns_test_copy(world, 8, 12 * INTERVAL);
	KUNIT_EXPECT_EQ(test, copy->group_service, 12 * INTERVAL);
}

/* Prepares copies of @nr events. Return: whether some are the first. */
static bool turns_test_begin_copies(struct turns_test_world *world, int nr)
{
	bool begin = false;

	guard(mutex)(&world->ctx.mutex);
	for (int i = 0; i < nr; i++)
		begin |= perf_group_begin_copies(&world->event[i]);
	for (int i = 0; i < nr; i++)
		perf_group_compare_copies(&world->event[i]);
	for (int i = 0; i < nr; i++)
		perf_group_start_copies(&world->event[i]);
	return begin;
}

static s64 turns_test_had_by_copies(struct perf_event *eldest)
{
	return atomic64_read(&eldest->child_total_time_running) +
	       eldest->copies_start;
}

/* Copies of new groups begin beside those that have had the most. */
static void turns_test_first_copies(struct kunit *test)
{
	struct turns_test_world *world = test->priv;
	struct perf_event *old = &world->event[0], *less = &world->event[1];
	struct perf_event *new = &world->event[2], *off = &world->event[3];
	struct perf_event *pinned = &world->event[4];

	KUNIT_EXPECT_TRUE(test, turns_test_begin_copies(world, 2));
	KUNIT_EXPECT_FALSE(test, turns_test_begin_copies(world, 2));
	KUNIT_EXPECT_LE(test, turns_test_had_by_copies(old), 1);
	atomic64_set(&old->child_total_time_running, 1000 * AHEAD);
	atomic64_set(&less->child_total_time_running, 700);

	/* The time that its copies had as siblings does not count twice. */
	atomic64_set(&new->child_total_time_running, 500);
	off->state = PERF_EVENT_STATE_OFF;
	pinned->attr.pinned = 1;
	KUNIT_EXPECT_TRUE(test, turns_test_begin_copies(world, 5));
	KUNIT_EXPECT_EQ(test, turns_test_had_by_copies(new), 1000 * AHEAD + 1);
	KUNIT_EXPECT_EQ(test, pinned->copies_start, 0);
	KUNIT_EXPECT_EQ(test, off->copies_start, 0);
	KUNIT_EXPECT_EQ(test, turns_test_had_by_copies(less), 701);
	/* It begins when it is enabled. */
	atomic64_set(&old->child_total_time_running, 2000 * AHEAD);
	off->state = INACTIVE;
	KUNIT_EXPECT_TRUE(test, turns_test_begin_copies(world, 5));
	KUNIT_EXPECT_EQ(test, off->copies_start, 2000 * AHEAD + 1);
	KUNIT_EXPECT_EQ(test, turns_test_had_by_copies(new), 1000 * AHEAD + 1);
	KUNIT_EXPECT_FALSE(test, turns_test_begin_copies(world, 5));
}

/* Two groups have been ranked, and the first one is in the choice. */
static struct perf_event *turns_test_choose(struct turns_test_world *world)
{
	struct perf_event *event = &world->event[0];

	turns_test_insert(world, event);
	turns_test_insert(world, &world->event[4]);
	turns_test_rank(world);
	world->epc.choice = 7;
	event->group_choice = 7;
	return event;
}

static void turns_test_leave_turn(struct turns_test_world *world,
				  struct perf_event *event, u64 time, s64 left)
{
	guard(raw_spinlock_irq)(&world->ctx.lock);
	world->ctx.time = time;
	perf_group_leave_turn_locked(event, left);
	event->total_time_enabled = 1;
	event->state = PERF_EVENT_STATE_OFF;
}

/* What a group has left of its turn counts as service. */
static void turns_test_turn_left(struct kunit *test)
{
	struct turns_test_world *world = test->priv;
	struct perf_event *event = turns_test_choose(world);

	turns_test_leave_turn(world, event, 100, 600);
	KUNIT_EXPECT_EQ(test, event->group_start, 600);
	/* The turn has ended. */
	world->ctx.time = 700;
	turns_test_rank(world);
	world->epc.choice = 8;
	world->ctx.time = 5000;
	turns_test_enable(world, event);
	KUNIT_EXPECT_EQ(test, event->group_start, 600);
	/* Not chosen; or a driver's clock is wrong. */
	turns_test_leave_turn(world, event, 5000, 600);
	KUNIT_EXPECT_EQ(test, event->group_start, 600);
	event->group_choice = 8;
	turns_test_leave_turn(world, event, 5000, S64_MAX);
	KUNIT_EXPECT_EQ(test, event->group_start, 600 + INTERVAL);
}

/* A group that is enabled again in its turn has left only a part of it. */
static void turns_test_turn_resumed(struct kunit *test)
{
	struct turns_test_world *world = test->priv;
	struct perf_event *event = turns_test_choose(world);

	for (int i = 1; i <= 3; i++) {
		turns_test_leave_turn(world, event, 100 * i, 1000 - 100 * i);
		world->ctx.time += 30;
		turns_test_enable(world, event);
		KUNIT_EXPECT_EQ(test, event->group_start, 30 * i);
	}
}

/* A choice that ended early ends the turns that were left. */
static void turns_test_turn_cut(struct kunit *test)
{
	struct turns_test_world *world = test->priv;
	struct perf_event *event = turns_test_choose(world);

	turns_test_leave_turn(world, event, 100, 900);
	for (int i = 1; i <= 3; i++) {
		world->ctx.time = 100 + 50 * i;
		turns_test_rank(world);
		world->epc.choice++;
	}
	turns_test_enable(world, event);
	KUNIT_EXPECT_EQ(test, event->group_start, 50);
	/* If tasks exchange their contexts, nothing is given back. */
	event->group_choice = world->epc.choice;
	turns_test_leave_turn(world, event, 300, 700);
	scoped_guard(raw_spinlock_irq, &world->ctx.lock)
		perf_group_exchange_lead_locked(event, &world->event[4]);
	KUNIT_EXPECT_EQ(test, world->event[4].group_start, 750);
	turns_test_enable(world, event);
	KUNIT_EXPECT_EQ(test, event->group_start, 0);
}

static bool turns_test_served_elsewhere(struct turns_test_world *world)
{
	guard(raw_spinlock_irq)(&world->ctx.lock);
	perf_group_served_locked(&world->epc);
	if (perf_group_chosen_elsewhere(&world->epc))
		return true;
	if (world->epc.chosen_cpu == PERF_CPU_NONE)
		return false;
	/* As if the task had moved. */
	world->epc.chosen_cpu++;
	return perf_group_chosen_elsewhere(&world->epc);
}

/* A choice does not hold on another CPU if some groups are bound to a CPU. */
static void turns_test_chosen_elsewhere(struct kunit *test)
{
	struct turns_test_world *world = test->priv;
	struct perf_event *bound = &world->event[1], *pinned = &world->event[2];

	turns_test_insert(world, &world->event[0]);
	KUNIT_EXPECT_FALSE(test, turns_test_served_elsewhere(world));
	bound->cpu = 1;
	turns_test_insert(world, bound);
	KUNIT_EXPECT_TRUE(test, turns_test_served_elsewhere(world));
	scoped_guard(raw_spinlock_irq, &world->ctx.lock)
		perf_group_erase_locked(bound);
	KUNIT_EXPECT_FALSE(test, turns_test_served_elsewhere(world));
	pinned->cpu = 0;
	pinned->attr.pinned = 1;
	turns_test_insert(world, pinned);
	KUNIT_EXPECT_TRUE(test, turns_test_served_elsewhere(world));
	world->epc.nr_waiting = 0;
	KUNIT_EXPECT_FALSE(test, turns_test_served_elsewhere(world));
}

/* With a PMU. */

static int turns_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_turns");
}

static void turns_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

/* Runs after the events of the case are closed. */
static void turns_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

/* One counter. Return: the CPU on which the caller runs from now on. */
static int turns_test_begin(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	fake_pmu_undo(test, turns_test_check_idle, test);
	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	return cpu;
}

static void turns_test_resched_oncpu(void *unused)
{
	perf_pmu_resched(&fake.pmu);
}

static void turns_test_choose_again(int cpu)
{
	smp_call_function_single(cpu, turns_test_resched_oncpu, NULL, 1);
}

/* A group that is disabled in its turn leaves the turn, and may come back. */
static void turns_test_disable(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = turns_test_begin(test) };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);
	struct fake_pmu_spec joins = { .leader = event };
	struct perf_event *other;
	s64 start;

	turns_test_choose_again(spec.cpu);
	perf_event_disable(event);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, event->group_start, 0);

	other = fake_pmu_open(test, &fake, &spec);
	turns_test_choose_again(spec.cpu);
	KUNIT_ASSERT_EQ(test, READ_ONCE(event->state), ACTIVE);
	perf_event_disable(event);
	KUNIT_EXPECT_GT(test, event->group_start, FOREVER_NS / 2);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), ACTIVE);
	KUNIT_EXPECT_GT(test, event->group_start, 0);
	KUNIT_EXPECT_LT(test, event->group_start, FOREVER_NS / 2);
	/* The turn ends early, and another group has the next one. */
	perf_event_disable(event);
	turns_test_choose_again(spec.cpu);
	turns_test_choose_again(spec.cpu);
	perf_event_enable(event);
	KUNIT_EXPECT_LT(test, event->group_start, FOREVER_NS / 2);
	perf_event_disable(other);
	turns_test_choose_again(spec.cpu);
	KUNIT_ASSERT_EQ(test, READ_ONCE(event->state), ACTIVE);
	perf_event_enable(other);
	/* A group that grows, and does not fit any more, leaves it as well. */
	start = event->group_start;
	fake_pmu_open(test, &fake, &joins);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), INACTIVE);
	KUNIT_EXPECT_GT(test, event->group_start, start + FOREVER_NS / 2);
}

/* A task moves to a CPU for which its choice was not made. */
static void turns_test_move(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu	= turns_test_begin(test),
		.task	= current,
	};
	int other = cpumask_next(spec.cpu, cpu_online_mask);
	struct perf_event *bound, *event;

	if (other >= nr_cpu_ids)
		kunit_skip(test, "one CPU only");
	bound = fake_pmu_open(test, &fake, &spec);
	spec.cpu = -1;
	event = fake_pmu_open(test, &fake, &spec);
	turns_test_choose_again(bound->cpu);
	KUNIT_EXPECT_EQ(test, READ_ONCE(bound->state), ACTIVE);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), INACTIVE);

	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(other)));
	KUNIT_EXPECT_EQ(test, READ_ONCE(bound->state), INACTIVE);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), ACTIVE);
}

static struct kunit_case turns_test_cases[] = {
	KUNIT_CASE(turns_test_enabled_copy),
	KUNIT_CASE(turns_test_promoted_copy),
	KUNIT_CASE(turns_test_first_copies),
	KUNIT_CASE(turns_test_turn_left),
	KUNIT_CASE(turns_test_turn_resumed),
	KUNIT_CASE(turns_test_turn_cut),
	KUNIT_CASE(turns_test_chosen_elsewhere),
	KUNIT_CASE(turns_test_disable),
	KUNIT_CASE(turns_test_move),
	{ }
};

static struct kunit_suite turns_test_suite = {
	.name		= "perf_groups_turns",
	.init		= turns_test_init,
	.suite_init	= turns_test_suite_init,
	.suite_exit	= turns_test_suite_exit,
	.test_cases	= turns_test_cases,
};

kunit_test_suite(turns_test_suite);
