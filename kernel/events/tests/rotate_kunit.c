// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms sched and rotate against an oracle: random groups of
 * random constraints on a PMU of random size, in a CPU's and a task's context.
 *
 * A model predicts, one counter at a time, what the engine makes of them. It
 * knows the rules and nothing of the engine: pinned groups first, then flexible
 * ones by service, the CPU's before the task's, all of a group or nothing,
 * exclusive groups alone. Of the engine's data the model reads only the times
 * of events and what their service began with.
 *
 * The multiplexing timer is never started. Its handler is called instead, with
 * interrupts off from one call to the next, so that nothing happens in between.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/iopoll.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../context.h"
#include "../hooks.h"
#include "../pmu.h"
#include "../walk.h"
#include "fake_pmu.h"

#define FOREVER_MS	3600000
#define NR_WORLDS	200
#define NR_ROUNDS	4
#define NR_TURNS	8
#define MAX_GROUPS	10
#define MAX_EVENTS	4
#define INTERVAL_NS	2000
#define STEP_NS		256
#define AHEAD_NS	(16 * INTERVAL_NS)
#define STARVE_TURNS	(1000 * MAX_GROUPS)
#define SWITCH_MS	3000
#define SWITCH_INTERVAL_MS	20

#define INACTIVE	PERF_EVENT_STATE_INACTIVE
#define ACTIVE		PERF_EVENT_STATE_ACTIVE

static struct fake_pmu fake;

/* A group, and what the model predicts for it. */
struct rotate_test_group {
	struct perf_event	*event[MAX_EVENTS];
	int			nr;
	bool			task;
	/* Before the engine's choice: which events are enabled. */
	bool			enabled[MAX_EVENTS];
	s64			start;
	/* Predicted by the model. */
	s64			service;
	bool			on;
	unsigned int		turns;
	/* It has to be scheduled in again and again. */
	bool			possible;
};

struct rotate_test_world {
	struct rnd_state	rnd;
	struct rotate_test_group	group[MAX_GROUPS];
	int			nr;
	/* The model's counters, and whether an exclusive group is on. */
	struct perf_event	*owner[FAKE_PMU_COUNTERS];
	bool			exclusive;
	int			refusals;
	/* Before the engine's choice, for the CPU's part and the task's. */
	s64			least[2];
	bool			waited[2];
	/* The first mismatch. */
	const char		*fault;
	int			fault_group;
};

static int rotate_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_rotate");
}

static void rotate_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static u32 rotate_test_draw(struct rotate_test_world *world, u32 below)
{
	return prandom_u32_state(&world->rnd) % below;
}

static bool rotate_test_one_in(struct rotate_test_world *world, u32 n)
{
	return !rotate_test_draw(world, n);
}

static struct perf_event *
rotate_test_leader(const struct rotate_test_group *group)
{
	return group->event[0];
}

/* Making a world. */

static u64 rotate_test_draw_counters(struct rotate_test_world *world)
{
	u64 all = BIT_ULL(fake.nr_counters) - 1;

	return rotate_test_one_in(world, 2) ? 0 :
					      rotate_test_draw(world, all) + 1;
}

static void rotate_test_draw_target(struct rotate_test_world *world,
				    struct fake_pmu_spec *spec)
{
	int other = cpumask_next(smp_processor_id(), cpu_online_mask);

	spec->cpu = smp_processor_id();
	if (rotate_test_one_in(world, 2))
		return;
	spec->task = current;
	if (rotate_test_one_in(world, 2))
		spec->cpu = -1;
	else if (rotate_test_one_in(world, 4) && other < nr_cpu_ids)
		spec->cpu = other;
}

static void rotate_test_make_group(struct kunit *test,
				   struct rotate_test_world *world)
{
	struct rotate_test_group *group = &world->group[world->nr++];
	struct fake_pmu_spec spec = {
		.pinned		= rotate_test_one_in(world, 5),
		.exclusive	= rotate_test_one_in(world, 8),
		.counters	= rotate_test_draw_counters(world),
	};
	struct perf_event *event;

	rotate_test_draw_target(world, &spec);
	*group = (struct rotate_test_group) { .task = spec.task };
	do {
		spec.disabled = rotate_test_one_in(world, 6);
		event = fake_pmu_try_open(&fake, &spec);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		group->event[group->nr++] = event;
		spec = (struct fake_pmu_spec) {
			.leader		= rotate_test_leader(group),
			.counters	= rotate_test_draw_counters(world),
		};
	} while (group->nr < MAX_EVENTS && !rotate_test_one_in(world, 3));
}

static void rotate_test_close_all(void *arg)
{
	struct rotate_test_world *world = arg;

	for (int i = 0; i < world->nr; i++) {
		for (int j = 0; j < world->group[i].nr; j++)
			perf_event_release_kernel(world->group[i].event[j]);
	}
	world->nr = 0;
}

/* The timer counts as running already, so that nobody starts it. */
static void rotate_test_make_world(struct kunit *test,
				   struct rotate_test_world *world)
{
	struct perf_cpu_pmu_context *cpc;

	fake_pmu_reset(&fake, 1 + rotate_test_draw(world, FAKE_PMU_COUNTERS),
		       1);
	cpc = per_cpu_ptr(fake.pmu.cpu_pmu_context, smp_processor_id());
	cpc->mux_interval = ns_to_ktime(INTERVAL_NS);
	cpc->mux_active = true;
	world->nr = 0;
	do {
		rotate_test_make_group(test, world);
	} while (world->nr < MAX_GROUPS && !rotate_test_one_in(world, 8));
}

/* What a user might do between two choices. */
static void rotate_test_disturb(struct rotate_test_world *world)
{
	for (int i = 0; i < 4; i++) {
		struct rotate_test_group *group;
		struct perf_event *event;

		group = &world->group[rotate_test_draw(world, world->nr)];
		event = group->event[rotate_test_draw(world, group->nr)];
		if (rotate_test_one_in(world, 3))
			perf_event_disable(event);
		else
			perf_event_enable(event);
	}
}

/* The model. */

static bool rotate_test_is_here(const struct rotate_test_group *group)
{
	int cpu = rotate_test_leader(group)->cpu;

	return cpu == -1 || cpu == smp_processor_id();
}

static bool rotate_test_take_counter(struct rotate_test_world *world,
				     struct perf_event *event)
{
	u64 allowed = event->attr.config;

	for (int i = 0; i < fake.nr_counters; i++) {
		if (world->owner[i] || (allowed && !(allowed & BIT_ULL(i))))
			continue;
		world->owner[i] = event;
		return true;
	}
	return false;
}

static void rotate_test_give_counters(struct rotate_test_world *world,
				      struct rotate_test_group *group)
{
	for (int i = 0; i < FAKE_PMU_COUNTERS; i++) {
		if (world->owner[i] &&
		    world->owner[i]->group_leader == rotate_test_leader(group))
			world->owner[i] = NULL;
	}
	if (group->on && rotate_test_leader(group)->attr.exclusive)
		world->exclusive = false;
	group->on = false;
}

static bool rotate_test_take_counters(struct rotate_test_world *world,
				      struct rotate_test_group *group)
{
	for (int i = 0; i < group->nr; i++) {
		if (group->enabled[i] &&
		    !rotate_test_take_counter(world, group->event[i]))
			return false;
	}
	return world->refusals-- <= 0;
}

static bool rotate_test_others_are_on(struct rotate_test_world *world,
				      struct rotate_test_group *group)
{
	for (int i = 0; i < world->nr; i++) {
		struct rotate_test_group *other = &world->group[i];

		if (other->on && other->task == group->task &&
		    rotate_test_leader(other)->attr.pinned ==
			    rotate_test_leader(group)->attr.pinned)
			return true;
	}
	return false;
}

static void rotate_test_try(struct rotate_test_world *world,
			    struct rotate_test_group *group)
{
	bool alone = rotate_test_leader(group)->attr.exclusive;

	if (!group->enabled[0] || group->on || !rotate_test_is_here(group) ||
	    world->exclusive ||
	    (alone && rotate_test_others_are_on(world, group)))
		return;
	if (rotate_test_take_counters(world, group)) {
		group->on = true;
		world->exclusive |= alone;
	} else {
		rotate_test_give_counters(world, group);
	}
}

static void rotate_test_try_pinned(struct rotate_test_world *world, bool task)
{
	for (int i = 0; i < world->nr; i++) {
		struct rotate_test_group *group = &world->group[i];

		if (group->task == task &&
		    rotate_test_leader(group)->attr.pinned)
			rotate_test_try(world, group);
	}
}

static bool rotate_test_takes_turns(const struct rotate_test_group *group,
				    bool task)
{
	return group->task == task && rotate_test_is_here(group) &&
	       !rotate_test_leader(group)->attr.pinned;
}

static bool rotate_test_takes_part(const struct rotate_test_group *group,
				   bool task)
{
	return rotate_test_takes_turns(group, task) && group->enabled[0];
}

static s64 rotate_test_had(const struct rotate_test_group *group)
{
	return group->start + rotate_test_leader(group)->total_time_running;
}

/* Notes what the engine's next choice depends on, except the times. */
static void rotate_test_note_service(struct rotate_test_world *world)
{
	for (int i = 0; i < world->nr; i++) {
		struct rotate_test_group *group = &world->group[i];
		struct perf_event *leader = rotate_test_leader(group);

		group->start = leader->group_start;
		world->least[group->task] =
			perf_event_pmu_ctx(leader)->least_service;
		world->waited[group->task] =
			perf_event_pmu_ctx(leader)->nr_waiting ||
			!perf_event_pmu_ctx(leader)->choice;
	}
}

/* No group is behind those whose turn it is, nor far ahead of them. */
static void rotate_test_rank(struct rotate_test_world *world, bool task)
{
	s64 least = S64_MAX, most;

	for (int i = 0; i < world->nr; i++) {
		if (rotate_test_takes_part(&world->group[i], task))
			least = min(least, rotate_test_had(&world->group[i]));
	}
	least = max(least, world->least[task]);
	most = least + (world->waited[task] ? AHEAD_NS : INTERVAL_NS);
	for (int i = 0; i < world->nr; i++) {
		struct rotate_test_group *group = &world->group[i];

		if (rotate_test_takes_part(group, task))
			group->service =
				clamp(rotate_test_had(group), least, most) /
				STEP_NS;
	}
}

/* Return: the group whose turn comes after that of @last. */
static struct rotate_test_group *
rotate_test_next(struct rotate_test_world *world, bool task,
		 const struct rotate_test_group *last)
{
	struct rotate_test_group *next = NULL;

	for (int i = 0; i < world->nr; i++) {
		struct rotate_test_group *group = &world->group[i];

		if (!rotate_test_takes_part(group, task))
			continue;
		/* Of groups with equal service, the one that was made first. */
		if (last && (group->service < last->service ||
			     (group->service == last->service &&
			      group <= last)))
			continue;
		if (!next || group->service < next->service)
			next = group;
	}
	return next;
}

static void rotate_test_try_flexible(struct rotate_test_world *world, bool task)
{
	struct rotate_test_group *group = NULL;

	rotate_test_rank(world, task);
	while ((group = rotate_test_next(world, task, group)))
		rotate_test_try(world, group);
}

static void rotate_test_drop(struct rotate_test_world *world, bool task,
			     bool pinned)
{
	for (int i = 0; i < world->nr; i++) {
		struct rotate_test_group *group = &world->group[i];

		if (group->task == task &&
		    rotate_test_leader(group)->attr.pinned == pinned)
			rotate_test_give_counters(world, group);
	}
}

/* Model and engine, side by side. */

/* Begins with the CPU's pinned groups, which stay where they are. */
static void rotate_test_look(struct rotate_test_world *world)
{
	memset(world->owner, 0, sizeof(world->owner));
	world->exclusive = false;
	for (int i = 0; i < world->nr; i++) {
		struct rotate_test_group *group = &world->group[i];
		struct perf_event *event;

		group->on = !group->task &&
			    rotate_test_leader(group)->attr.pinned &&
			    rotate_test_leader(group)->state == ACTIVE;
		for (int j = 0; j < group->nr; j++) {
			event = group->event[j];
			group->enabled[j] = event->state >= INACTIVE;
			if (group->on && group->enabled[j])
				world->owner[event->hw.idx] = event;
		}
		if (group->on && rotate_test_leader(group)->attr.exclusive)
			world->exclusive = true;
	}
}

static bool rotate_test_event_is_right(const struct rotate_test_world *world,
				       const struct rotate_test_group *group,
				       int nr)
{
	const struct perf_event *event = group->event[nr];
	bool on = group->on && group->enabled[nr];
	bool active = event->state == ACTIVE;
	bool placed = event->hw.idx >= 0;

	if (active != on || placed != on)
		return false;
	return !on || world->owner[event->hw.idx] == event;
}

static void rotate_test_compare(struct rotate_test_world *world,
				const char *what)
{
	for (int i = 0; i < world->nr && !world->fault; i++) {
		struct rotate_test_group *group = &world->group[i];

		group->turns += group->on;
		for (int j = 0; j < group->nr; j++) {
			if (rotate_test_event_is_right(world, group, j))
				continue;
			world->fault = what;
			world->fault_group = i;
		}
	}
}

static void rotate_test_set_refusals(struct rotate_test_world *world, int nr)
{
	world->refusals = nr;
	atomic_set(&fake.refuse_commits, nr);
}

static void rotate_test_refuse(struct rotate_test_world *world)
{
	rotate_test_set_refusals(world, rotate_test_one_in(world, 4) ?
						rotate_test_draw(world, 4) :
						0);
}

/* Chooses everything anew, as when a driver's constraints have changed. */
static void rotate_test_resched(struct rotate_test_world *world)
{
	rotate_test_look(world);
	rotate_test_note_service(world);
	perf_pmu_resched(&fake.pmu);
	rotate_test_drop(world, false, true);
	rotate_test_try_pinned(world, false);
	rotate_test_try_pinned(world, true);
	rotate_test_try_flexible(world, false);
	rotate_test_try_flexible(world, true);
	rotate_test_compare(world, "all chosen anew");
}

static bool rotate_test_somebody_waits(struct rotate_test_world *world,
				       bool task)
{
	for (int i = 0; i < world->nr; i++) {
		struct rotate_test_group *group = &world->group[i];

		if (rotate_test_takes_turns(group, task) && !group->on &&
		    group->enabled[0])
			return true;
	}
	return false;
}

static struct hrtimer *rotate_test_timer(void)
{
	return &per_cpu_ptr(fake.pmu.cpu_pmu_context,
			    smp_processor_id())->mux_timer;
}

/* The timer fires twice in a walk: no change until the end, then one choice. */
static void rotate_test_fire_in_walk(struct rotate_test_world *world)
{
	perf_walk_begin();
	perf_hooks.mux_timer(rotate_test_timer());
	perf_walk_begin();
	perf_hooks.mux_timer(rotate_test_timer());
	perf_walk_end();
	perf_walk_end();
	rotate_test_compare(world, "in a walk");
	while (perf_walk_run_late_oncpu())
		;
	/* The cases call the handler themselves. */
	hrtimer_try_to_cancel(rotate_test_timer());
}

/* An interval passes. */
static void rotate_test_turn(struct rotate_test_world *world)
{
	bool cpu_waits = rotate_test_somebody_waits(world, false);
	bool task_waits = rotate_test_somebody_waits(world, true);

	ndelay(2 * INTERVAL_NS);
	rotate_test_refuse(world);
	rotate_test_note_service(world);
	if (rotate_test_one_in(world, 8))
		rotate_test_fire_in_walk(world);
	else
		perf_hooks.mux_timer(rotate_test_timer());
	if (cpu_waits) {
		rotate_test_drop(world, true, false);
		rotate_test_drop(world, false, false);
		rotate_test_try_flexible(world, false);
		rotate_test_try_flexible(world, true);
	} else if (task_waits) {
		rotate_test_drop(world, true, false);
		rotate_test_try_flexible(world, true);
	}
	rotate_test_compare(world, "next turn");
}

/* Undoes that the handler marks the timer as stopped when no group waits. */
static void rotate_test_keep_timer_off(void)
{
	this_cpu_ptr(fake.pmu.cpu_pmu_context)->mux_active = true;
}

static void rotate_test_round(struct kunit *test,
			      struct rotate_test_world *world)
{
	rotate_test_disturb(world);
	scoped_guard(irqsave) {
		rotate_test_refuse(world);
		rotate_test_resched(world);
		for (int turn = 0; turn < NR_TURNS && !world->fault; turn++) {
			rotate_test_turn(world);
			rotate_test_keep_timer_off();
		}
		rotate_test_set_refusals(world, 0);
	}
	KUNIT_ASSERT_NULL_MSG(test, world->fault, "%s: group %d of %d, %d counters",
			      world->fault, world->fault_group, world->nr,
			      fake.nr_counters);
}

static struct rotate_test_world *rotate_test_begin(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);
	struct rotate_test_world *world;

	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	fake_pmu_seed(test, &world->rnd);
	fake_pmu_undo(test, rotate_test_close_all, world);
	return world;
}

static void rotate_test_random_choices(struct kunit *test)
{
	struct rotate_test_world *world = rotate_test_begin(test);

	for (int nr = 0; nr < NR_WORLDS; nr++) {
		rotate_test_make_world(test, world);
		for (int round = 0; round < NR_ROUNDS; round++)
			rotate_test_round(test, world);
		rotate_test_close_all(world);
		fake_pmu_expect_idle(test, &fake);
	}
}

/* Could the group be active if no other flexible one were? */
static bool rotate_test_is_possible(struct rotate_test_world *world,
				    struct rotate_test_group *group)
{
	bool possible;

	rotate_test_look(world);
	world->refusals = 0;
	rotate_test_try_pinned(world, false);
	rotate_test_try_pinned(world, true);
	rotate_test_try(world, group);
	possible = group->on;
	rotate_test_look(world);
	return possible;
}

/* Finds the CPU's groups that must come again and again: those that can run. */
static void rotate_test_find_possible(struct rotate_test_world *world)
{
	for (int i = 0; i < world->nr; i++) {
		struct rotate_test_group *group = &world->group[i];

		group->turns = 0;
		group->possible = !group->task &&
				  !rotate_test_leader(group)->attr.pinned &&
				  rotate_test_is_possible(world, group);
	}
}

static struct rotate_test_group *
rotate_test_starving(struct rotate_test_world *world)
{
	for (int i = 0; i < world->nr; i++) {
		if (world->group[i].possible && world->group[i].turns < 3)
			return &world->group[i];
	}
	return NULL;
}

/*
 * Each group that can be active at all is active again and again. A host that
 * stops the machine within a turn gives active groups more service than others
 * make up for in a hundred turns, but not more than in thousands.
 */
static void rotate_test_expect_no_starvation(struct kunit *test,
					     struct rotate_test_world *world)
{
	struct rotate_test_group *last = NULL;

	scoped_guard(irqsave) {
		/* First the pinned groups, which stay where they come to be. */
		rotate_test_set_refusals(world, 0);
		rotate_test_resched(world);
		rotate_test_find_possible(world);
		rotate_test_resched(world);
		for (int turn = 0; turn < STARVE_TURNS && !world->fault; turn++) {
			last = rotate_test_starving(world);
			if (!last)
				break;
			rotate_test_turn(world);
			rotate_test_keep_timer_off();
		}
		if (last && !world->fault) {
			world->fault = "starved";
			world->fault_group = last - world->group;
		}
		rotate_test_set_refusals(world, 0);
	}
	KUNIT_ASSERT_NULL_MSG(test, world->fault, "%s: group %d of %d, %d counters",
			      world->fault, world->fault_group, world->nr,
			      fake.nr_counters);
}

static void rotate_test_random_starvation(struct kunit *test)
{
	struct rotate_test_world *world = rotate_test_begin(test);

	for (int nr = 0; nr < NR_WORLDS / 4; nr++) {
		rotate_test_make_world(test, world);
		rotate_test_expect_no_starvation(test, world);
		rotate_test_close_all(world);
		fake_pmu_expect_idle(test, &fake);
	}
}

/*
 * Two groups for one counter, in an order that only a turn changes. The counter
 * is added when both are open, so that neither has been active, however long a
 * host stops the machine in between.
 */
static struct perf_cpu_pmu_context *
rotate_test_make_pair(struct kunit *test, struct perf_event **pair)
{
	struct fake_pmu_spec spec = { .cpu = smp_processor_id() };
	struct perf_cpu_pmu_context *cpc;

	fake_pmu_reset(&fake, 0, 1000);
	cpc = per_cpu_ptr(fake.pmu.cpu_pmu_context, spec.cpu);
	cpc->mux_active = true;
	pair[0] = fake_pmu_open(test, &fake, &spec);
	pair[1] = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_EQ(test, pair[0]->state, INACTIVE);
	WRITE_ONCE(fake.nr_counters, 1);
	return cpc;
}

/* A timer that fires within the interval changes nothing, and fires again. */
static void rotate_test_timer_waits_for_choice(struct kunit *test)
{
	struct perf_cpu_pmu_context *cpc;
	enum hrtimer_restart restart;
	struct perf_event *pair[2];
	ktime_t begin, end, again;

	rotate_test_begin(test);
	cpc = rotate_test_make_pair(test, pair);
	scoped_guard(irqsave) {
		perf_pmu_resched(&fake.pmu);
		begin = ktime_get();
		restart = perf_hooks.mux_timer(&cpc->mux_timer);
		end = ktime_get();
		again = hrtimer_get_expires(&cpc->mux_timer);
	}
	KUNIT_EXPECT_EQ(test, restart, HRTIMER_RESTART);
	KUNIT_EXPECT_EQ(test, pair[0]->state, ACTIVE);
	KUNIT_EXPECT_EQ(test, pair[1]->state, INACTIVE);
	KUNIT_EXPECT_GT(test, again, begin);
	KUNIT_EXPECT_LE(test, again, end + cpc->mux_interval);
}

/* When the interval is over the two change places, and the timer restarts. */
static void rotate_test_timer_ends_choice(struct kunit *test)
{
	struct perf_cpu_pmu_context *cpc;
	enum hrtimer_restart restart;
	struct perf_event *pair[2];
	ktime_t begin, again;

	rotate_test_begin(test);
	cpc = rotate_test_make_pair(test, pair);
	scoped_guard(irqsave) {
		perf_pmu_resched(&fake.pmu);
		cpc->mux_interval = ns_to_ktime(INTERVAL_NS);
		ndelay(2 * INTERVAL_NS);
		begin = ktime_get();
		restart = perf_hooks.mux_timer(&cpc->mux_timer);
		again = hrtimer_get_expires(&cpc->mux_timer);
	}
	KUNIT_EXPECT_EQ(test, restart, HRTIMER_RESTART);
	KUNIT_EXPECT_EQ(test, pair[0]->state, INACTIVE);
	KUNIT_EXPECT_EQ(test, pair[1]->state, ACTIVE);
	KUNIT_EXPECT_GT(test, again, begin);
}

/* Return: whether a turn that had to wait for the end of a walk starts the timer. */
static bool rotate_test_late_turn_restarts(struct kunit *test,
					   struct perf_cpu_pmu_context *cpc)
{
	bool started;

	guard(irqsave)();
	perf_pmu_resched(&fake.pmu);
	perf_walk_begin();
	KUNIT_EXPECT_EQ(test, perf_hooks.mux_timer(&cpc->mux_timer),
			HRTIMER_NORESTART);
	KUNIT_EXPECT_FALSE(test, hrtimer_is_queued(&cpc->mux_timer));
	perf_walk_end();
	while (perf_walk_run_late_oncpu())
		;
	started = hrtimer_is_queued(&cpc->mux_timer);
	hrtimer_try_to_cancel(&cpc->mux_timer);
	return started;
}

/* While a group waits, the timer is restarted after each turn that was late. */
static void rotate_test_late_turns(struct kunit *test)
{
	struct perf_cpu_pmu_context *cpc;
	struct perf_event *pair[2];

	rotate_test_begin(test);
	cpc = rotate_test_make_pair(test, pair);
	for (int i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test,
				  rotate_test_late_turn_restarts(test, cpc));
}

/* When no group waits any more the timer stops, also if its turn was late. */
static void rotate_test_timer_stops(struct kunit *test)
{
	struct perf_cpu_pmu_context *cpc;
	enum hrtimer_restart restart;
	struct perf_event *pair[2];

	rotate_test_begin(test);
	cpc = rotate_test_make_pair(test, pair);
	WRITE_ONCE(fake.nr_counters, 2);
	scoped_guard(irqsave) {
		perf_pmu_resched(&fake.pmu);
		restart = perf_hooks.mux_timer(&cpc->mux_timer);
	}
	KUNIT_EXPECT_EQ(test, pair[0]->state, ACTIVE);
	KUNIT_EXPECT_EQ(test, pair[1]->state, ACTIVE);
	KUNIT_EXPECT_EQ(test, restart, HRTIMER_NORESTART);
	KUNIT_EXPECT_FALSE(test, cpc->mux_active);

	cpc->mux_active = true;
	KUNIT_EXPECT_FALSE(test, rotate_test_late_turn_restarts(test, cpc));
	KUNIT_EXPECT_FALSE(test, cpc->mux_active);
}

/*
 * Two groups of a CPU have room for one of them beside a task's event, which is
 * scheduled in and out all the time. They take turns nevertheless.
 */
static void rotate_test_switches_let_turns_pass(struct kunit *test)
{
	struct perf_event *leader[2], *event;
	unsigned int since[2], had[2];
	ktime_t end;

	rotate_test_begin(test);
	fake_pmu_reset(&fake, 3, SWITCH_INTERVAL_MS);
	for (int i = 0; i < 2; i++) {
		struct fake_pmu_spec spec = { .cpu = smp_processor_id() };

		leader[i] = fake_pmu_open(test, &fake, &spec);
		spec.leader = leader[i];
		fake_pmu_open(test, &fake, &spec);
	}
	event = fake_pmu_open(test, &fake, &(struct fake_pmu_spec) {
			      .task = current, .cpu = -1 });

	for (int i = 0; i < 2; i++)
		since[i] = fake_pmu_turns(leader[i]);
	end = ktime_add_ms(ktime_get(), SWITCH_MS);
	do {
		usleep_range(50, 100);
		for (int i = 0; i < 2; i++)
			had[i] = fake_pmu_turns(leader[i]) - since[i];
	} while (min(had[0], had[1]) < 2 && ktime_before(ktime_get(), end));
	KUNIT_EXPECT_GE(test, had[0], 2);
	KUNIT_EXPECT_GE(test, had[1], 2);
	KUNIT_EXPECT_GT(test, fake_pmu_turns(event), 2);
}

/* The timer of a CPU that went offline fires on another one. */
static void rotate_test_stray_timer(struct kunit *test)
{
	struct perf_cpu_pmu_context *cpc;
	enum hrtimer_restart restart;
	unsigned int other;

	if (num_possible_cpus() < 2)
		kunit_skip(test, "one CPU");
	guard(migrate)();
	other = cpumask_any_but(cpu_possible_mask, smp_processor_id());
	cpc = per_cpu_ptr(fake.pmu.cpu_pmu_context, other);
	cpc->mux_active = true;
	scoped_guard(irqsave)
		restart = perf_hooks.mux_timer(&cpc->mux_timer);
	KUNIT_EXPECT_EQ(test, restart, HRTIMER_NORESTART);
	KUNIT_EXPECT_FALSE(test, cpc->mux_active);
}

/* More groups than are ranked at a time. */
#define NR_CROWD	200
#define CROWD_TURNS	10

struct rotate_test_crowd {
	struct perf_event	*event[NR_CROWD];
	unsigned int		turns[NR_CROWD];
};

static void rotate_test_crowd_close(struct rotate_test_crowd *crowd, int i)
{
	if (crowd->event[i])
		perf_event_release_kernel(crowd->event[i]);
	crowd->event[i] = NULL;
}

static void rotate_test_crowd_close_all(void *arg)
{
	for (int i = 0; i < NR_CROWD; i++)
		rotate_test_crowd_close(arg, i);
}

static void rotate_test_crowd_open(struct kunit *test,
				   struct rotate_test_crowd *crowd)
{
	struct fake_pmu_spec spec = { .cpu = smp_processor_id() };

	for (int i = 0; i < NR_CROWD; i++) {
		if (crowd->event[i])
			continue;
		crowd->event[i] = fake_pmu_try_open(&fake, &spec);
		if (IS_ERR(crowd->event[i]))
			crowd->event[i] = NULL;
		KUNIT_ASSERT_NOT_NULL(test, crowd->event[i]);
	}
}

/* Return: the fewest turns that any group has had. */
static unsigned int rotate_test_crowd_turn(struct rotate_test_crowd *crowd)
{
	unsigned int least = UINT_MAX;

	guard(irqsave)();
	ndelay(2 * INTERVAL_NS);
	perf_hooks.mux_timer(rotate_test_timer());
	rotate_test_keep_timer_off();
	for (int i = 0; i < NR_CROWD; i++) {
		crowd->turns[i] += crowd->event[i]->state == ACTIVE;
		least = min(least, crowd->turns[i]);
	}
	return least;
}

static void rotate_test_crowd_expect_turns(struct kunit *test,
					   struct rotate_test_crowd *crowd)
{
	int turn;

	memset(crowd->turns, 0, sizeof(crowd->turns));
	for (turn = 0; turn < STARVE_TURNS; turn++) {
		if (rotate_test_crowd_turn(crowd) >= CROWD_TURNS)
			break;
	}
	KUNIT_EXPECT_LT(test, turn, STARVE_TURNS);
}

/* All groups have turns, even those that come while others are being ranked. */
static void rotate_test_crowd(struct kunit *test)
{
	struct perf_cpu_pmu_context *cpc;
	struct rotate_test_crowd *crowd;

	rotate_test_begin(test);
	crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, crowd);
	fake_pmu_reset(&fake, 4, 1);
	cpc = per_cpu_ptr(fake.pmu.cpu_pmu_context, smp_processor_id());
	cpc->mux_interval = ns_to_ktime(INTERVAL_NS);
	cpc->mux_active = true;
	fake_pmu_undo(test, rotate_test_crowd_close_all, crowd);
	rotate_test_crowd_open(test, crowd);
	rotate_test_crowd_expect_turns(test, crowd);
	for (int i = 0; i < NR_CROWD; i += 3)
		rotate_test_crowd_close(crowd, i);
	rotate_test_crowd_open(test, crowd);
	rotate_test_crowd_expect_turns(test, crowd);
}

#define NR_UNFIT	40
#define UNFIT_TURNS	100
#define UNFIT_US	100

/* Two events of a group for the same counter. */
static void rotate_test_open_unfit(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu		= smp_processor_id(),
		.counters	= BIT_ULL(0),
	};
	struct perf_event *leader = fake_pmu_open(test, &fake, &spec);

	spec = (struct fake_pmu_spec) {
		.leader		= leader,
		.counters	= BIT_ULL(0),
	};
	fake_pmu_open(test, &fake, &spec);
}

/*
 * Groups that never fit do not use up all tries of those that can. The limit leaves room for
 * a slow machine, where a turn takes as long as the interval.
 */
static void rotate_test_unfit(struct kunit *test)
{
	struct perf_cpu_pmu_context *cpc;
	struct perf_event *fit[2];
	int on = 0;

	rotate_test_begin(test);
	fake_pmu_reset(&fake, 4, 1);
	cpc = per_cpu_ptr(fake.pmu.cpu_pmu_context, smp_processor_id());
	cpc->mux_interval = ns_to_ktime(UNFIT_US * NSEC_PER_USEC);
	cpc->mux_active = true;
	for (int i = 0; i < NR_UNFIT; i++)
		rotate_test_open_unfit(test);
	for (int i = 0; i < 2; i++)
		fit[i] = fake_pmu_open(test, &fake, &(struct fake_pmu_spec) {
				       .cpu = smp_processor_id() });
	for (int turn = 0; turn < UNFIT_TURNS; turn++) {
		guard(irqsave)();
		udelay(UNFIT_US + UNFIT_US / 8);
		perf_hooks.mux_timer(&cpc->mux_timer);
		rotate_test_keep_timer_off();
		on += fit[0]->state == ACTIVE && fit[1]->state == ACTIVE;
	}
	KUNIT_EXPECT_GE(test, on, UNFIT_TURNS / 3);
}

/*
 * Until the next choice the groups that were left out stay so, also when the
 * others have to be tried one by one and counters are free.
 */
static void rotate_test_choice_holds(struct kunit *test)
{
	struct fake_pmu_spec spec = { .task = current, .cpu = -1 };
	struct perf_event *events[2];
	int active = 0;

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	for (int i = 0; i < 2; i++)
		events[i] = fake_pmu_open(test, &fake, &spec);
	fake_pmu_switch_out();
	WRITE_ONCE(fake.nr_counters, 2);
	atomic_set(&fake.refuse_commits, 1);
	fake_pmu_switch_out();
	for (int i = 0; i < 2; i++)
		active += READ_ONCE(events[i]->state) == ACTIVE;
	KUNIT_EXPECT_EQ(test, atomic_read(&fake.refuse_commits), 0);
	KUNIT_EXPECT_EQ(test, active, 1);
}

#define NR_WAITING	20

/*
 * Many of the CPU's groups wait for a counter that one of them has. The switches
 * of a task that leaves another counter do not try them again and again.
 */
static void rotate_test_full(struct kunit *test)
{
	struct fake_pmu_spec own = {
		.task		= current,
		.cpu		= -1,
		.counters	= BIT_ULL(1),
	};
	struct fake_pmu_spec spec = { .counters = BIT_ULL(0) };
	int misses;

	rotate_test_begin(test);
	spec.cpu = raw_smp_processor_id();
	fake_pmu_reset(&fake, 2, FOREVER_MS);
	for (int i = 0; i < NR_WAITING; i++)
		fake_pmu_open(test, &fake, &spec);
	fake_pmu_open(test, &fake, &own);
	scoped_guard(irqsave)
		perf_pmu_resched(&fake.pmu);
	fake_pmu_switch_out();
	misses = fake_pmu_calls(&fake, FAKE_REFUSE);
	KUNIT_EXPECT_GT(test, misses, 0);
	fake_pmu_switch_out();
	fake_pmu_switch_out();
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_REFUSE), misses);
}

static int rotate_test_run(void *unused)
{
	while (!kthread_should_stop())
		fsleep(1000);
	return 0;
}

static void rotate_test_stop(void *task)
{
	kthread_stop(task);
}

#define NR_PINNED	100
#define MOST_MISSES	16

/*
 * A task runs for the first time, with many pinned events for one counter. Not
 * all are tried; one more miss is that of the transaction for all.
 */
static void rotate_test_pinned_misses(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1, .pinned = true };
	struct perf_event *events[NR_PINNED];
	int last, states[2] = { };

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	spec.task = kthread_create(rotate_test_run, NULL, "perf_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(spec.task));
	fake_pmu_undo(test, rotate_test_stop, spec.task);
	for (int i = 0; i < NR_PINNED; i++)
		events[i] = fake_pmu_open(test, &fake, &spec);
	wake_up_process(spec.task);
	read_poll_timeout(READ_ONCE, last, last == PERF_EVENT_STATE_ERROR, 1000,
			  10 * USEC_PER_SEC, false,
			  events[NR_PINNED - 1]->state);
	for (int i = 0; i < NR_PINNED; i++) {
		states[0] += READ_ONCE(events[i]->state) == ACTIVE;
		states[1] += READ_ONCE(events[i]->state) ==
			     PERF_EVENT_STATE_ERROR;
	}
	KUNIT_EXPECT_LE(test, states[0], 1);
	KUNIT_EXPECT_GE(test, states[1], NR_PINNED - 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_REFUSE),
			MOST_MISSES + 1);
}

static struct kunit_case rotate_test_cases[] = {
	KUNIT_CASE(rotate_test_choice_holds),
	KUNIT_CASE(rotate_test_random_choices),
	KUNIT_CASE(rotate_test_random_starvation),
	KUNIT_CASE(rotate_test_timer_waits_for_choice),
	KUNIT_CASE(rotate_test_timer_ends_choice),
	KUNIT_CASE(rotate_test_late_turns),
	KUNIT_CASE(rotate_test_timer_stops),
	KUNIT_CASE(rotate_test_switches_let_turns_pass),
	KUNIT_CASE(rotate_test_stray_timer),
	KUNIT_CASE(rotate_test_crowd),
	KUNIT_CASE(rotate_test_unfit),
	KUNIT_CASE(rotate_test_full),
	KUNIT_CASE(rotate_test_pinned_misses),
	{ }
};

static struct kunit_suite rotate_test_suite = {
	.name		= "perf_rotate",
	.suite_init	= rotate_test_suite_init,
	.suite_exit	= rotate_test_suite_exit,
	.test_cases	= rotate_test_cases,
};

kunit_test_suite(rotate_test_suite);
