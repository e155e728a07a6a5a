// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room groups: the order of groups, walks, siblings, sizes.
 *
 * The oracle of the order keeps number and expected service of each leader. A
 * walk must find all groups that may run on the CPU, in ascending order.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>

#include "../context.h"
#include "../groups.h"
#include "fake_pmu.h"

#define NR_EVENTS	48
#define NR_CPUS_USED	3
#define NR_STEPS	10000
#define NOT_LED		(-1)
#define INTERVAL	1024
#define STEP		256	/* of service */
#define AHEAD		(16 * INTERVAL)
#define NR_TURNS	60

struct group_test_world {
	struct perf_ctx			ctx;
	struct perf_pmu_ctx		epc;
	struct perf_event		event[NR_EVENTS];

	/* Oracle: the trees, and the leader of each event. */
	bool				listed[NR_EVENTS];
	s64				begin[NR_EVENTS];
	s64				service[NR_EVENTS];
	s64				least;
	s64				interval;
	int				leader[NR_EVENTS];

	/* What a walk has found. */
	struct perf_event		*found[NR_EVENTS + 1];
	int				nr_found;
	int				nr_orphans;
};

static void group_test_orphan(struct perf_event *sibling)
{
	struct group_test_world *world = container_of(perf_event_ctx(sibling),
						      struct group_test_world,
						      ctx);

	world->nr_orphans++;
}

static void group_test_init_event(struct group_test_world *world, int nr)
{
	struct perf_event *event = &world->event[nr];

	event->ctx = &world->ctx.pub;
	event->pmu_ctx = &world->epc.pub;
	event->cpu = nr % (NR_CPUS_USED + 1) - 1;
	event->id = nr;
	event->group_leader = event;
	event->state = PERF_EVENT_STATE_INACTIVE;
	RB_CLEAR_NODE(&event->group_node);
	INIT_LIST_HEAD(&event->migrate_entry);
	INIT_LIST_HEAD(&event->sibling_list);
	INIT_LIST_HEAD(&event->active_list);
	world->leader[nr] = NOT_LED;
}

static int group_test_init(struct kunit *test)
{
	struct group_test_world *world =
		kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	if (!world)
		return -ENOMEM;
	fake_ctx_init(&world->ctx);
	perf_epc_init(&world->epc, NULL);
	world->epc.ctx = &world->ctx;
	world->epc.nr_waiting = 1;
	for (int i = 0; i < NR_EVENTS; i++)
		group_test_init_event(world, i);
	test->priv = world;
	return 0;
}

/* Room and oracle side by side. */

static void group_test_insert(struct group_test_world *world,
			      struct perf_event *event)
{
	scoped_guard(raw_spinlock_irq, &world->ctx.lock)
		perf_group_insert_locked(event);
	world->listed[event->id] = true;
	world->service[event->id] = 0;
	if (!event->attr.pinned)
		world->service[event->id] = world->least +
			(world->epc.nr_waiting ? world->interval : 0);
	world->begin[event->id] = world->service[event->id] -
				  event->total_time_running;
}

static void group_test_erase(struct group_test_world *world,
			     struct perf_event *event)
{
	scoped_guard(raw_spinlock_irq, &world->ctx.lock)
		perf_group_erase_locked(event);
	world->listed[event->id] = false;
}

static bool group_test_may_run(struct group_test_world *world, int nr,
			       bool pinned, int cpu)
{
	struct perf_event *event = &world->event[nr];

	return world->listed[nr] && event->attr.pinned == pinned &&
	       (event->cpu == -1 || event->cpu == cpu);
}

static s64 group_test_had(struct group_test_world *world, int nr)
{
	return world->begin[nr] + world->event[nr].total_time_running;
}

/* There are so few groups in a tree that all of them are ranked. */
static void group_test_oracle_rank(struct group_test_world *world, int cpu)
{
	s64 least = S64_MAX, had;
	int flexible = 0;

	world->interval = INTERVAL;
	for (int i = 0; i < NR_EVENTS; i++) {
		flexible += world->listed[i] && !world->event[i].attr.pinned;
		if (group_test_may_run(world, i, false, cpu))
			least = min(least, group_test_had(world, i));
	}
	/* A single group is first, whatever service it has had. */
	if (flexible < 2 || least == S64_MAX)
		return;
	world->least = max(world->least, least);
	for (int i = 0; i < NR_EVENTS; i++) {
		if (!group_test_may_run(world, i, false, cpu))
			continue;
		had = group_test_had(world, i);
		had = clamp(had, world->least, world->least + AHEAD);
		world->begin[i] += had - group_test_had(world, i);
		world->service[i] = had / STEP * STEP;
	}
}

static void group_test_rank(struct group_test_world *world, int cpu)
{
	scoped_guard(raw_spinlock_irq, &world->ctx.lock)
		perf_group_rank_locked(&world->epc, cpu, INTERVAL);
	group_test_oracle_rank(world, cpu);
}

/* Walks, and on the way erases each group whose bit in @erase is set. */
static void group_test_walk(struct group_test_world *world, bool pinned,
			    int cpu, u64 erase)
{
	struct perf_group_tree *tree = pinned ? &world->epc.pinned_groups :
						&world->epc.flexible_groups;
	struct perf_group_cursor cursor;
	struct perf_event *leader;

	world->nr_found = 0;
	guard(raw_spinlock_irq)(&world->ctx.lock);
	perf_group_for_each(leader, cursor, tree, cpu) {
		if (world->nr_found == NR_EVENTS)
			return;
		world->found[world->nr_found++] = leader;
		if (erase & BIT_ULL(leader->id))
			perf_group_erase_locked(leader);
	}
}

static bool group_test_comes_before(struct group_test_world *world, int a,
				    int b)
{
	if (world->service[a] != world->service[b])
		return world->service[a] < world->service[b];
	return a < b;
}

static bool group_test_walk_is_right(struct group_test_world *world,
				     bool pinned, int cpu)
{
	int n = 0;

	for (int i = 0; i < NR_EVENTS; i++)
		n += group_test_may_run(world, i, pinned, cpu);
	if (n != world->nr_found)
		return false;
	for (int i = 0; i < n; i++) {
		int nr = world->found[i]->id;

		if (!group_test_may_run(world, nr, pinned, cpu))
			return false;
		if (i && !group_test_comes_before(world,
						  world->found[i - 1]->id, nr))
			return false;
	}
	return true;
}

static void group_test_expect_walks(struct kunit *test, int step)
{
	struct group_test_world *world = test->priv;

	/* One CPU more than there are events for. */
	for (int cpu = 0; cpu <= NR_CPUS_USED; cpu++) {
		for (int pinned = 0; pinned <= 1; pinned++) {
			group_test_walk(world, pinned, cpu, 0);
			KUNIT_ASSERT_TRUE_MSG(test,
					      group_test_walk_is_right(world, pinned, cpu),
					      "step %d, CPU %d, pinned %d",
					      step, cpu, pinned);
		}
	}
}

static void group_test_empty(struct kunit *test)
{
	group_test_expect_walks(test, 0);
}

static void group_test_order_of_creation(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	/* Backwards, so that neither insertion order nor addresses help. */
	for (int i = NR_EVENTS - 1; i >= 0; i--)
		group_test_insert(world, &world->event[i]);
	group_test_expect_walks(test, 0);
}

/* Trees of one group: for any CPU, for this one, for another one. */
static void group_test_alone(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	KUNIT_ASSERT_GT(test, world->event[2].cpu, 0);
	for (int i = 0; i < 3; i++) {
		group_test_insert(world, &world->event[i]);
		group_test_expect_walks(test, 0);
		group_test_walk(world, false, 0, BIT_ULL(i));
		KUNIT_EXPECT_EQ(test, world->nr_found, i < 2);
		group_test_erase(world, &world->event[i]);
		group_test_expect_walks(test, 0);
	}
}

static void group_test_merge(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *any = &world->event[0], *here = &world->event[1];
	struct perf_event *there = &world->event[2];

	KUNIT_ASSERT_EQ(test, any->cpu, -1);
	KUNIT_ASSERT_EQ(test, here->cpu, 0);
	group_test_insert(world, here);
	group_test_insert(world, there);
	group_test_insert(world, any);
	group_test_walk(world, false, 0, 0);
	KUNIT_ASSERT_EQ(test, world->nr_found, 2);
	KUNIT_EXPECT_PTR_EQ(test, world->found[0], any);
	KUNIT_EXPECT_PTR_EQ(test, world->found[1], here);

	/* A group with more service comes after one with less. */
	any->total_time_running = 20 * STEP;
	group_test_rank(world, 0);
	group_test_walk(world, false, 0, 0);
	KUNIT_ASSERT_EQ(test, world->nr_found, 2);
	KUNIT_EXPECT_PTR_EQ(test, world->found[0], here);
	KUNIT_EXPECT_PTR_EQ(test, world->found[1], any);
	KUNIT_EXPECT_EQ(test, any->group_service, 20 * STEP);
	KUNIT_EXPECT_EQ(test, here->group_service, 0);
	KUNIT_EXPECT_EQ(test, there->group_service, 0);
}

/* Groups whose service differs by less than a step keep their order. */
static void group_test_rank_keeps_order(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	for (int i = 0; i < NR_EVENTS; i++) {
		group_test_insert(world, &world->event[i]);
		world->event[i].total_time_running = 50 * STEP + STEP - 1 - i;
	}
	for (int cpu = 0; cpu < NR_CPUS_USED; cpu++)
		group_test_rank(world, cpu);
	group_test_walk(world, false, 1, 0);
	KUNIT_EXPECT_TRUE(test, group_test_walk_is_right(world, false, 1));
	for (int i = 1; i < world->nr_found; i++)
		KUNIT_EXPECT_LT(test, world->found[i - 1]->id,
				world->found[i]->id);
}

static void group_test_rank_locked(struct group_test_world *world)
{
	guard(raw_spinlock_irq)(&world->ctx.lock);
	perf_group_rank_locked(&world->epc, 0, INTERVAL);
}

/* A group that was alone for long waits only an interval when others come. */
static void group_test_rank_after_peace(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *old = &world->event[0], *new = &world->event[4];

	world->epc.nr_waiting = 0;
	world->epc.choice = 1;
	group_test_insert(world, old);
	old->total_time_running = 1000 * AHEAD;
	group_test_insert(world, new);
	group_test_rank_locked(world);
	KUNIT_EXPECT_EQ(test, new->group_service, 0);
	KUNIT_EXPECT_EQ(test, old->group_service, INTERVAL);
	/* Once a group has waited, a longer lead is remembered. */
	world->epc.nr_waiting = 1;
	old->total_time_running += 1000 * AHEAD;
	group_test_rank_locked(world);
	KUNIT_EXPECT_EQ(test, old->group_service, AHEAD);
}

/* When a group comes back after long, the others do not wait for it either. */
static void group_test_rank_after_absence(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *back = &world->event[0];
	struct perf_event *a = &world->event[4], *b = &world->event[8];

	for (int i = 0; i <= 8; i += 4)
		group_test_insert(world, &world->event[i]);
	back->state = PERF_EVENT_STATE_OFF;
	a->total_time_running = 1000 * AHEAD;
	b->total_time_running = 1000 * AHEAD + INTERVAL;
	group_test_rank_locked(world);
	KUNIT_EXPECT_EQ(test, a->group_service, 1000 * AHEAD);
	KUNIT_EXPECT_EQ(test, b->group_service, 1000 * AHEAD + INTERVAL);
	KUNIT_EXPECT_EQ(test, back->group_service, 0);
	back->state = PERF_EVENT_STATE_INACTIVE;
	group_test_rank_locked(world);
	KUNIT_EXPECT_EQ(test, back->group_service, 1000 * AHEAD);
	KUNIT_EXPECT_EQ(test, b->group_service, 1000 * AHEAD + INTERVAL);
}

/* A new group never comes before those that have had a turn, however often. */
static void group_test_rank_new_behind(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *event = &world->event[0], *new = &world->event[4];

	group_test_insert(world, event);
	group_test_insert(world, &world->event[8]);
	world->event[8].total_time_running = 6 * INTERVAL - 1;
	event->total_time_running = 5 * INTERVAL;
	for (int i = 0; i < 3; i++) {
		group_test_rank(world, 0);
		group_test_insert(world, new);
		KUNIT_EXPECT_EQ(test, new->group_service, 6 * INTERVAL);
		group_test_walk(world, false, 0, 0);
		KUNIT_ASSERT_EQ(test, world->nr_found, 3);
		KUNIT_EXPECT_PTR_EQ(test, world->found[0], event);
		KUNIT_EXPECT_PTR_EQ(test, world->found[2], new);
		group_test_erase(world, new);
	}
}

/* A group that never finds room delays no other group. */
static void group_test_rank_beside_the_stuck(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *stuck = &world->event[0], *on = &world->event[4];

	group_test_insert(world, stuck);
	group_test_insert(world, on);
	for (int i = 1; i <= 100; i++) {
		group_test_rank_locked(world);
		list_add(&on->active_list, &world->epc.flexible_active);
		scoped_guard(raw_spinlock_irq, &world->ctx.lock)
			perf_group_served_locked(&world->epc);
		list_del_init(&on->active_list);
		on->total_time_running += INTERVAL;
	}
	KUNIT_EXPECT_EQ(test, world->epc.least_service, 99 * INTERVAL);
	KUNIT_EXPECT_EQ(test, stuck->group_service, 98 * INTERVAL);

	scoped_guard(raw_spinlock_irq, &world->ctx.lock)
		perf_group_put_off_locked(stuck);
	group_test_rank_locked(world);
	KUNIT_EXPECT_EQ(test, on->group_service, 100 * INTERVAL);
	KUNIT_EXPECT_GT(test, stuck->group_service, 110 * INTERVAL);
}

/* Tasks that exchange the running times of a group exchange its lead, too. */
static void group_test_exchange_lead(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *one = &world->event[0], *two = &world->event[4];
	struct perf_pmu_ctx other = { .least_service = 7000 };

	guard(raw_spinlock_irq)(&world->ctx.lock);
	world->epc.least_service = 500;
	two->pmu_ctx = &other.pub;
	one->group_start = 300;
	one->total_time_running = 1000;
	two->group_start = 6500;
	two->total_time_running = 100;
	KUNIT_EXPECT_EQ(test, test_group_lead(one), 800);
	KUNIT_EXPECT_EQ(test, test_group_lead(two), -400);
	perf_group_exchange_lead_locked(one, two);
	swap(one->total_time_running, two->total_time_running);
	KUNIT_EXPECT_EQ(test, test_group_lead(one), -400);
	KUNIT_EXPECT_EQ(test, test_group_lead(two), 800);
	KUNIT_EXPECT_EQ(test, one->group_start, 0);
	KUNIT_EXPECT_EQ(test, two->group_start, 6800);
}

/* One of @nr groups is on at a time; its turn may end a little late. */
static void group_test_expect_turns(struct kunit *test, struct rnd_state *rnd,
				    int nr)
{
	struct group_test_world *world = test->priv;
	u64 turn;

	for (int i = 0; i < nr; i++)
		group_test_insert(world, &world->event[i * (NR_CPUS_USED + 1)]);
	for (int i = 0; i < NR_TURNS; i++) {
		struct perf_event *next;

		group_test_rank(world, 0);
		group_test_walk(world, false, 0, 0);
		KUNIT_ASSERT_EQ(test, world->nr_found, nr);
		next = world->found[0];
		KUNIT_ASSERT_EQ(test, next->id, i % nr * (NR_CPUS_USED + 1));
		turn = INTERVAL + prandom_u32_state(rnd) % 2;
		next->total_time_running += turn;
	}
}

/* No group has a second turn before all have had their first. */
static void group_test_rank_takes_turns(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	for (int nr = 2; nr <= 7; nr++) {
		group_test_expect_turns(test, &rnd, nr);
		for (int i = 0; i < nr; i++) {
			struct perf_event *event = world->found[i];

			group_test_erase(world, event);
			event->total_time_running = 0;
		}
		/* So that the delays of turns do not add up to a step. */
		world->epc.least_service = 0;
		world->epc.interval = 0;
		world->least = 0;
		world->interval = 0;
	}
}

/* Inserts a group while none waits. Return: the service that it begins with. */
static s64 group_test_begin(struct group_test_world *world,
			    struct perf_event *event)
{
	world->epc.nr_waiting = 0;
	group_test_insert(world, event);
	world->epc.nr_waiting = 1;
	world->service[event->id] = event->group_service;
	world->begin[event->id] = event->group_start;
	return event->group_service;
}

/* Before a choice all groups are equal, whatever the first ones have had. */
static void group_test_begin_first(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	group_test_insert(world, &world->event[0]);
	world->event[0].total_time_running = 700;
	world->epc.least_service = 50;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[4]), 50);
}

/* If no group waits, a new one begins beside the one that has had the most. */
static void group_test_begin_beside(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *alone = &world->event[0], *off = &world->event[24];
	struct perf_event *elsewhere = &world->event[28];

	group_test_insert(world, alone);
	group_test_insert(world, off);
	elsewhere->cpu = nr_cpu_ids;
	group_test_insert(world, elsewhere);
	elsewhere->total_time_running = INTERVAL;
	off->total_time_running = 5 * INTERVAL;
	off->state = PERF_EVENT_STATE_OFF;
	world->epc.interval = INTERVAL;
	alone->total_time_running = 7 * INTERVAL;
	world->ctx.time = 1;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[4]),
			7 * INTERVAL);
	/* It has been scheduled in for some time. */
	alone->state = PERF_EVENT_STATE_ACTIVE;
	alone->tstamp = 1000;
	world->ctx.time = 1300;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[8]),
			7 * INTERVAL + 300);
	/* Its time was updated on a CPU whose clock is ahead. */
	alone->tstamp = 1302;
	world->ctx.time = 1301;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[12]),
			7 * INTERVAL + 300);
	/* It is too far ahead of the others. */
	alone->total_time_running = 10 * INTERVAL;
	world->ctx.time = 1302;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[16]),
			8 * INTERVAL);
	/* The choice has noted more. */
	world->epc.least_service = 9 * INTERVAL - 5;
	world->ctx.time = 1303;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[20]),
			10 * INTERVAL - 5);
}

/* Its turn comes first. */
static void group_test_begin_keeps_turn(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *alone = &world->event[0];

	group_test_insert(world, alone);
	group_test_rank(world, 0);
	for (int i = 1; i < 5; i++) {
		alone->total_time_running += INTERVAL / 2;
		world->ctx.time += INTERVAL / 2;
		group_test_begin(world, &world->event[4 * i]);
		group_test_rank(world, 0);
		group_test_walk(world, false, 0, 0);
		KUNIT_ASSERT_EQ(test, world->nr_found, 2);
		KUNIT_EXPECT_PTR_EQ(test, world->found[0], alone);
		group_test_erase(world, &world->event[4 * i]);
	}
}

static void group_test_enable(struct group_test_world *world,
			      struct perf_event *event)
{
	guard(raw_spinlock_irq)(&world->ctx.lock);
	perf_group_enable_locked(event);
	event->state = PERF_EVENT_STATE_INACTIVE;
}

/* A group that was opened disabled begins when it is enabled. */
static void group_test_begin_enabled(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *alone = &world->event[0], *off = &world->event[4];

	off->state = PERF_EVENT_STATE_OFF;
	group_test_insert(world, alone);
	group_test_rank(world, 0);
	KUNIT_EXPECT_EQ(test, group_test_begin(world, off), 0);
	world->epc.nr_waiting = 0;
	alone->total_time_running = INTERVAL;
	world->ctx.time = INTERVAL;
	group_test_enable(world, off);
	KUNIT_EXPECT_EQ(test, off->group_service, INTERVAL + STEP);
	group_test_rank(world, 0);
	group_test_walk(world, false, 0, 0);
	KUNIT_ASSERT_EQ(test, world->nr_found, 2);
	KUNIT_EXPECT_PTR_EQ(test, world->found[0], alone);
	/* The second time it keeps its service. */
	off->total_time_enabled = 1;
	off->state = PERF_EVENT_STATE_OFF;
	alone->total_time_running = 2 * INTERVAL;
	world->ctx.time = 2 * INTERVAL;
	group_test_enable(world, off);
	KUNIT_EXPECT_EQ(test, off->group_service, INTERVAL + STEP);
}

/* Siblings, pinned groups, and groups of a cgroup that does not run. */
static void group_test_enabled_others(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *pinned = &world->event[4];
	struct perf_event *sibling = &world->event[8];
	struct perf_event *hidden = &world->event[12];

	group_test_insert(world, &world->event[0]);
	pinned->attr.pinned = 1;
	group_test_insert(world, pinned);
	group_test_insert(world, hidden);
	scoped_guard(raw_spinlock_irq, &world->ctx.lock)
		perf_group_hide_locked(hidden);
	sibling->group_leader = pinned;
	world->epc.interval = INTERVAL;
	group_test_enable(world, pinned);
	KUNIT_EXPECT_EQ(test, pinned->group_service, pinned->id);
	group_test_enable(world, sibling);
	KUNIT_EXPECT_FALSE(test, perf_group_is_shown(sibling));
	KUNIT_EXPECT_EQ(test, sibling->group_service, 0);
	group_test_enable(world, hidden);
	KUNIT_EXPECT_FALSE(test, perf_group_is_shown(hidden));
	KUNIT_EXPECT_EQ(test, hidden->group_service, INTERVAL);
}

/* Groups that are enabled at the same moment are not searched for each. */
static void group_test_begin_at_once(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	group_test_insert(world, &world->event[0]);
	world->epc.interval = INTERVAL;
	world->event[0].total_time_running = 300;
	world->ctx.time = 1000;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[4]), 300);
	world->event[0].total_time_running = 400;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[8]), 300);
	world->epc.least_service = 350;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[12]), 350);
	world->ctx.time = 1001;
	KUNIT_EXPECT_EQ(test, group_test_begin(world, &world->event[16]), 400);
}

/* New groups are behind those that wait, and are not searched for then. */
static void group_test_begin_behind(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	group_test_insert(world, &world->event[0]);
	group_test_rank_locked(world);
	world->interval = INTERVAL;
	world->event[0].total_time_running = 5 * INTERVAL;
	group_test_insert(world, &world->event[2]);
	KUNIT_EXPECT_EQ(test, world->event[2].group_service, INTERVAL);
	group_test_expect_walks(test, 0);
}

/* A copy in a PMU context without a choice; its family has had @had service. */
static struct perf_event *group_test_copy(struct group_test_world *world,
					  int nr, s64 had)
{
	struct perf_event *copy = &world->event[nr], *eldest;

	eldest = &world->event[nr + 1];
	eldest->group_leader = eldest;
	copy->parent = eldest;
	atomic64_set(&eldest->child_total_time_running, had);
	group_test_insert(world, copy);
	return copy;
}

/* A new thread's copies begin with the service of the dead ones, relatively. */
static void group_test_begin_family(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *less = group_test_copy(world, 0, 10 * INTERVAL);
	struct perf_event *more = group_test_copy(world, 4, 12 * INTERVAL);

	KUNIT_EXPECT_EQ(test, less->group_service, 10 * INTERVAL);
	KUNIT_EXPECT_EQ(test, more->group_service, 12 * INTERVAL);
	KUNIT_EXPECT_EQ(test, world->epc.least_service, 10 * INTERVAL);
	group_test_walk(world, false, 0, 0);
	KUNIT_EXPECT_PTR_EQ(test, world->found[0], less);
	group_test_erase(world, more);
	more->parent->group_leader = less->parent;
	group_test_insert(world, more);
	KUNIT_EXPECT_EQ(test, more->group_start, 10 * INTERVAL);
}

/* A lead cut off when a thread begins is cut off for the next thread too. */
static void group_test_family_limit(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *less = group_test_copy(world, 0, 0);
	struct perf_event *more = group_test_copy(world, 4, 100 * AHEAD);

	group_test_rank_locked(world);
	KUNIT_EXPECT_EQ(test, more->group_service, AHEAD);
	KUNIT_EXPECT_EQ(test, more->parent->copies_start, -99 * AHEAD);
	KUNIT_EXPECT_EQ(test, less->parent->copies_start, 0);
	scoped_guard(raw_spinlock_irq, &world->ctx.lock)
		perf_group_put_off_locked(less);
	KUNIT_EXPECT_EQ(test, less->parent->copies_start, AHEAD);
}

/* After that, the thread's turns and those of its family are independent. */
static void group_test_family_apart(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *copy = group_test_copy(world, 0, 0);
	struct perf_event *other = group_test_copy(world, 4, 0);

	group_test_rank_locked(world);
	world->epc.choice = 2;
	world->epc.nr_waiting = 1;
	atomic64_set(&copy->parent->child_total_time_running, 50 * AHEAD);
	copy->parent->total_time_running = 50 * AHEAD;
	other->total_time_running = 4 * INTERVAL;
	group_test_rank_locked(world);
	KUNIT_EXPECT_EQ(test, copy->group_service, 0);
	KUNIT_EXPECT_EQ(test, other->group_service, 4 * INTERVAL);
	scoped_guard(raw_spinlock_irq, &world->ctx.lock)
		perf_group_put_off_locked(copy);
	group_test_rank_locked(world);
	KUNIT_EXPECT_GT(test, copy->group_service, 10 * INTERVAL);
	KUNIT_EXPECT_EQ(test, copy->parent->copies_start, 0);
	KUNIT_EXPECT_EQ(test, copy->parent->group_start, 0);
}

static void group_test_rank_nothing(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	group_test_rank(world, 0);
	group_test_insert(world, &world->event[0]);
	group_test_rank(world, 0);
	group_test_expect_walks(test, 0);
}

static void group_test_erase_twice(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	group_test_insert(world, &world->event[0]);
	group_test_insert(world, &world->event[4]);
	group_test_erase(world, &world->event[0]);
	group_test_erase(world, &world->event[0]);
	group_test_expect_walks(test, 0);
}

static void group_test_tree_of(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *event = &world->event[0];

	KUNIT_EXPECT_PTR_EQ(test, perf_group_tree_of(event),
			    &world->epc.flexible_groups);
	event->attr.pinned = 1;
	KUNIT_EXPECT_PTR_EQ(test, perf_group_tree_of(event),
			    &world->epc.pinned_groups);
}

/* Lets time pass in which some random groups are on. */
static void group_test_random_service(struct group_test_world *world,
				      struct rnd_state *rnd)
{
	u64 nsec = prandom_u32_state(rnd) % (3 * INTERVAL);

	for (int i = 0; i < NR_EVENTS; i++) {
		if (!world->listed[i])
			continue;
		if (prandom_u32_state(rnd) & 1)
			world->event[i].total_time_running += nsec;
	}
}

static void group_test_random_order_step(struct group_test_world *world,
					 struct rnd_state *rnd)
{
	struct perf_event *event;

	event = &world->event[prandom_u32_state(rnd) % NR_EVENTS];
	if (!world->listed[event->id]) {
		group_test_insert(world, event);
	} else if (prandom_u32_state(rnd) % 3) {
		group_test_random_service(world, rnd);
		group_test_rank(world, prandom_u32_state(rnd) % NR_CPUS_USED);
	} else {
		group_test_erase(world, event);
	}
}

static void group_test_random_order(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	for (int i = 0; i < NR_EVENTS; i++)
		world->event[i].attr.pinned = prandom_u32_state(&rnd) & 1;
	for (int step = 0; step < NR_STEPS; step++) {
		group_test_random_order_step(world, &rnd);
		if (step % 8 == 0)
			group_test_expect_walks(test, step);
	}
}

/* A walk finds the same groups even if some are erased during it. */
static void group_test_random_erase_in_walk(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct rnd_state rnd;
	u64 erase;
	int cpu;

	fake_pmu_seed(test, &rnd);
	for (int step = 0; step < NR_STEPS / 10; step++) {
		for (int i = 0; i < 16; i++)
			group_test_random_order_step(world, &rnd);
		erase = prandom_u32_state(&rnd);
		erase |= (u64)prandom_u32_state(&rnd) << 32;
		cpu = prandom_u32_state(&rnd) % NR_CPUS_USED;
		group_test_walk(world, false, cpu, erase);
		KUNIT_ASSERT_TRUE_MSG(test,
				      group_test_walk_is_right(world, false, cpu),
				      "step %d", step);
		for (int i = 0; i < world->nr_found; i++) {
			if (erase & BIT_ULL(world->found[i]->id))
				world->listed[world->found[i]->id] = false;
		}
		group_test_expect_walks(test, step);
	}
}

/* Membership. */

static void group_test_attach(struct group_test_world *world, int nr,
			      int leader)
{
	struct perf_event *event = &world->event[nr];

	event->group_leader = &world->event[leader];
	event->group_caps = event->event_caps;
	guard(mutex)(&world->ctx.mutex);
	guard(raw_spinlock_irq)(&world->ctx.lock);
	if (leader == nr && RB_EMPTY_NODE(&event->group_node))
		perf_group_insert_locked(event);
	event->attach_state |= PERF_ATTACH_CONTEXT;
	perf_group_attach_locked(event);
	world->leader[nr] = leader;
}

static void group_test_detach(struct group_test_world *world, int nr)
{
	struct perf_event *event = &world->event[nr];

	guard(mutex)(&world->ctx.mutex);
	guard(raw_spinlock_irq)(&world->ctx.lock);
	perf_group_detach_locked(event, group_test_orphan);
	perf_group_erase_locked(event);
	event->attach_state &= ~PERF_ATTACH_CONTEXT;
	for (int i = 0; i < NR_EVENTS; i++) {
		if (world->leader[i] == nr)
			world->leader[i] = i;
	}
	world->leader[nr] = NOT_LED;
}

static int group_test_count_siblings(struct group_test_world *world, int leader)
{
	int n = 0;

	for (int i = 0; i < NR_EVENTS; i++)
		n += world->leader[i] == leader && i != leader;
	return n;
}

/* Does the list hold what the oracle says, and nothing else? */
static bool group_test_siblings_are_right(struct group_test_world *world,
					  int nr)
{
	struct perf_event *leader = &world->event[nr], *sibling;
	int n = 0;

	guard(mutex)(&world->ctx.mutex);
	for_each_sibling_event(sibling, leader) {
		if (world->leader[sibling->id] != nr ||
		    sibling->group_leader != leader ||
		    !RB_EMPTY_NODE(&sibling->group_node))
			return false;
		n++;
	}
	return n == group_test_count_siblings(world, nr);
}

static bool group_test_leader_is_right(struct group_test_world *world, int nr)
{
	struct perf_event *event = &world->event[nr];
	int siblings = group_test_count_siblings(world, nr);

	return event->group_leader == event && event->nr_siblings == siblings &&
	       !RB_EMPTY_NODE(&event->group_node) &&
	       group_test_siblings_are_right(world, nr) &&
	       event->read_size == perf_group_read_size(event->attr.read_format,
							siblings + 1);
}

static bool group_test_event_is_right(struct group_test_world *world, int nr)
{
	struct perf_event *event = &world->event[nr];

	if (world->leader[nr] == NOT_LED)
		return event->group_leader == event && !event->nr_siblings &&
		       list_empty(&event->sibling_list) &&
		       RB_EMPTY_NODE(&event->group_node);
	if (world->leader[nr] == nr)
		return group_test_leader_is_right(world, nr);
	return event->read_size ==
	       perf_group_read_size(event->attr.read_format,
				    event->group_leader->nr_siblings + 1);
}

static void group_test_expect_groups(struct kunit *test, int step)
{
	struct group_test_world *world = test->priv;

	for (int i = 0; i < NR_EVENTS; i++)
		KUNIT_ASSERT_TRUE_MSG(test, group_test_event_is_right(world, i),
				      "event %d, step %d", i, step);
}

static void group_test_sibling_leaves(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	unsigned int generation;

	for (int i = 0; i < 3; i++)
		group_test_attach(world, i, 0);
	world->event[1].aux_event = &world->event[0];
	generation = world->event[0].group_generation;
	group_test_expect_groups(test, 0);
	group_test_detach(world, 1);
	group_test_expect_groups(test, 1);
	KUNIT_EXPECT_NULL(test, world->event[1].aux_event);
	KUNIT_EXPECT_NE(test, world->event[0].group_generation, generation);
	KUNIT_EXPECT_EQ(test, world->event[0].nr_siblings, 1);
}

/* When the leader leaves, siblings lead themselves; active ones stay active. */
static void group_test_leader_leaves(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *on = &world->event[1], *pinned = &world->event[2];
	struct perf_event *off = &world->event[3];

	pinned->attr.pinned = 1;
	for (int i = 0; i < 4; i++)
		group_test_attach(world, i, 0);
	on->state = PERF_EVENT_STATE_ACTIVE;
	pinned->state = PERF_EVENT_STATE_ACTIVE;
	group_test_detach(world, 0);

	group_test_expect_groups(test, 0);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&world->epc.flexible_active));
	KUNIT_EXPECT_PTR_EQ(test, world->epc.flexible_active.next,
			    &on->active_list);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&world->epc.pinned_active));
	KUNIT_EXPECT_PTR_EQ(test, world->epc.pinned_active.next,
			    &pinned->active_list);
	KUNIT_EXPECT_TRUE(test, list_empty(&off->active_list));
	KUNIT_EXPECT_FALSE(test, RB_EMPTY_ROOT(&world->epc.pinned_groups.root));
}

/* The times of a sibling, which a disabled leader had stopped, run again. */
static void group_test_disabled_leader_leaves(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *sibling = &world->event[1];

	for (int i = 0; i < 2; i++)
		group_test_attach(world, i, 0);
	world->event[0].state = PERF_EVENT_STATE_OFF;
	world->ctx.time = 5000;
	sibling->total_time_enabled = 300;
	sibling->total_time_running = 200;
	sibling->tstamp = 1000;
	group_test_detach(world, 0);
	KUNIT_EXPECT_EQ(test, sibling->tstamp, 5000);
	KUNIT_EXPECT_EQ(test, sibling->total_time_enabled, 300);
	KUNIT_EXPECT_EQ(test, sibling->enabled_offset, 300 - 5000ULL);
	KUNIT_EXPECT_EQ(test, sibling->running_offset, 200 - 5000ULL);
}

static void group_test_orphans(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	world->event[2].event_caps = PERF_EV_CAP_SIBLING;
	for (int i = 0; i < 3; i++)
		group_test_attach(world, i, 0);
	/* It acts on the trace of the leader, which will be freed. */
	world->event[1].aux_event = &world->event[0];
	group_test_detach(world, 0);
	KUNIT_EXPECT_NULL(test, world->event[1].aux_event);
	KUNIT_EXPECT_EQ(test, world->nr_orphans, 2);
	group_test_expect_groups(test, 0);
}

static void group_test_caps(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	world->event[0].event_caps = PERF_EV_CAP_SOFTWARE |
				     PERF_EV_CAP_READ_ACTIVE_PKG;
	world->event[1].event_caps = PERF_EV_CAP_SOFTWARE;
	group_test_attach(world, 0, 0);
	KUNIT_EXPECT_EQ(test, world->event[0].group_caps,
			PERF_EV_CAP_SOFTWARE | PERF_EV_CAP_READ_ACTIVE_PKG);
	group_test_attach(world, 1, 0);
	KUNIT_EXPECT_EQ(test, world->event[0].group_caps,
			PERF_EV_CAP_SOFTWARE);
	group_test_attach(world, 2, 0);
	KUNIT_EXPECT_EQ(test, world->event[0].group_caps, 0);
	group_test_detach(world, 0);
	KUNIT_EXPECT_EQ(test, world->event[1].group_caps,
			PERF_EV_CAP_SOFTWARE);
}

/* Attaching an attached event, or detaching a detached one, does nothing. */
static void group_test_attach_twice(struct kunit *test)
{
	struct group_test_world *world = test->priv;

	group_test_attach(world, 0, 0);
	group_test_attach(world, 1, 0);
	group_test_attach(world, 1, 0);
	group_test_expect_groups(test, 0);
	group_test_detach(world, 1);
	group_test_detach(world, 1);
	group_test_expect_groups(test, 1);
}

static void group_test_random_siblings_step(struct group_test_world *world,
					    struct rnd_state *rnd)
{
	int nr = prandom_u32_state(rnd) % NR_EVENTS;
	int leader = prandom_u32_state(rnd) % NR_EVENTS;

	if (world->leader[nr] != NOT_LED)
		group_test_detach(world, nr);
	else if (world->leader[leader] == leader)
		group_test_attach(world, nr, leader);
	else
		group_test_attach(world, nr, nr);
}

static void group_test_random_siblings(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	for (int i = 0; i < NR_EVENTS; i++)
		world->event[i].attr.read_format = prandom_u32_state(&rnd) %
						   PERF_FORMAT_MAX;
	for (int i = 0; i < NR_EVENTS; i++)
		perf_group_set_read_size(&world->event[i]);
	for (int step = 0; step < NR_STEPS; step++) {
		group_test_random_siblings_step(world, &rnd);
		if (step % 16 == 0)
			group_test_expect_groups(test, step);
	}
}

/* Sizes. */

static size_t group_test_read_size(u64 format, unsigned int nr_events)
{
	size_t times = hweight64(format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
					   PERF_FORMAT_TOTAL_TIME_RUNNING));
	size_t each = 1 + hweight64(format & (PERF_FORMAT_ID |
					      PERF_FORMAT_LOST));

	if (format & PERF_FORMAT_GROUP)
		return 8 * (1 + times + each * nr_events);
	return 8 * (times + each);
}

static void group_test_read_sizes(struct kunit *test)
{
	static const unsigned int numbers[] = { 1, 2, 3, 100, 65536, UINT_MAX };

	for (u64 format = 0; format < PERF_FORMAT_MAX; format++) {
		for (int i = 0; i < ARRAY_SIZE(numbers); i++)
			KUNIT_EXPECT_EQ_MSG(test,
					    perf_group_read_size(format, numbers[i]),
					    group_test_read_size(format, numbers[i]),
					    "format %llu, %u events", format,
					    numbers[i]);
	}
}

/* Return: the smallest group size that is too large for @event, up to 3000. */
static unsigned int group_test_first_refused(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	unsigned int nr_events;

	for (nr_events = 1; nr_events < 3000; nr_events++) {
		leader->nr_siblings = nr_events - (leader == event ? 1 : 2);
		if (leader->nr_siblings >= 0 && !perf_group_size_fits(event))
			break;
	}
	leader->nr_siblings = 0;
	return nr_events;
}

static unsigned int group_test_most_events(u64 format)
{
	unsigned int nr_events = 1;

	if (!(format & PERF_FORMAT_GROUP))
		return 2999;
	while (group_test_read_size(format, nr_events + 1) <= PERF_GROUP_READ_MAX)
		nr_events++;
	return nr_events;
}

static void group_test_size_limit(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *leader = &world->event[0];
	struct perf_event *event = &world->event[1];

	guard(mutex)(&world->ctx.mutex);
	for (u64 format = 0; format < PERF_FORMAT_MAX; format++) {
		/* The size is checked for each of the two alone. */
		event->group_leader = leader;
		event->attr.read_format = format;
		leader->attr.read_format = 0;
		KUNIT_EXPECT_EQ(test, group_test_first_refused(event),
				group_test_most_events(format) + 1);
		event->attr.read_format = 0;
		leader->attr.read_format = format;
		KUNIT_EXPECT_EQ(test, group_test_first_refused(event),
				group_test_most_events(format) + 1);
		KUNIT_EXPECT_EQ(test, group_test_first_refused(leader),
				group_test_most_events(format) + 1);
	}
}

static void group_test_size_limit_of_sibling(struct kunit *test)
{
	struct group_test_world *world = test->priv;
	struct perf_event *event = &world->event[2];
	const u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;

	world->event[1].attr.read_format = format;
	group_test_attach(world, 0, 0);
	group_test_attach(world, 1, 0);
	event->group_leader = &world->event[0];
	guard(mutex)(&world->ctx.mutex);
	KUNIT_EXPECT_TRUE(test, perf_group_size_fits(event));
	KUNIT_EXPECT_EQ(test, group_test_first_refused(event),
			group_test_most_events(format) + 1);
}

static struct kunit_case group_test_cases[] = {
	KUNIT_CASE(group_test_empty),
	KUNIT_CASE(group_test_order_of_creation),
	KUNIT_CASE(group_test_alone),
	KUNIT_CASE(group_test_merge),
	KUNIT_CASE(group_test_rank_keeps_order),
	KUNIT_CASE(group_test_rank_takes_turns),
	KUNIT_CASE(group_test_rank_after_peace),
	KUNIT_CASE(group_test_rank_after_absence),
	KUNIT_CASE(group_test_rank_new_behind),
	KUNIT_CASE(group_test_rank_beside_the_stuck),
	KUNIT_CASE(group_test_exchange_lead),
	KUNIT_CASE(group_test_begin_first),
	KUNIT_CASE(group_test_begin_beside),
	KUNIT_CASE(group_test_begin_keeps_turn),
	KUNIT_CASE(group_test_begin_enabled),
	KUNIT_CASE(group_test_enabled_others),
	KUNIT_CASE(group_test_begin_at_once),
	KUNIT_CASE(group_test_begin_behind),
	KUNIT_CASE(group_test_begin_family),
	KUNIT_CASE(group_test_family_limit),
	KUNIT_CASE(group_test_family_apart),
	KUNIT_CASE(group_test_rank_nothing),
	KUNIT_CASE(group_test_erase_twice),
	KUNIT_CASE(group_test_tree_of),
	KUNIT_CASE(group_test_random_order),
	KUNIT_CASE(group_test_random_erase_in_walk),
	KUNIT_CASE(group_test_sibling_leaves),
	KUNIT_CASE(group_test_leader_leaves),
	KUNIT_CASE(group_test_disabled_leader_leaves),
	KUNIT_CASE(group_test_orphans),
	KUNIT_CASE(group_test_caps),
	KUNIT_CASE(group_test_attach_twice),
	KUNIT_CASE(group_test_random_siblings),
	KUNIT_CASE(group_test_read_sizes),
	KUNIT_CASE(group_test_size_limit),
	KUNIT_CASE(group_test_size_limit_of_sibling),
	{ }
};

static struct kunit_suite group_test_suite = {
	.name		= "perf_groups",
	.init		= group_test_init,
	.test_cases	= group_test_cases,
};

kunit_test_suite(group_test_suite);
