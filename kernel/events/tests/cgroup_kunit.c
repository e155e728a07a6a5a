// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room cgroup: which cgroup is within which, and which events
 * count, how long and at what cost, when a CPU goes from one cgroup to another.
 *
 * The cgroups are made up; no task is in them. A case switches the CPU from one
 * to the other itself, with interrupts off. When they are on again the next
 * task switch takes the CPU back to the cgroup of a real task.
 */
#include <kunit/test.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "../cgroup.h"
#include "../clock.h"
#include "../context.h"
#include "../control.h"
#include "../event.h"
#include "../hooks.h"
#include "../remote.h"
#include "../sched.h"
#include "../sched_key.h"
#include "fake_pmu.h"

#define NR_CGROUPS	10
#define NR_EVENTS	24
#define NR_CROWD	20
#define NR_ROUNDS	40
#define NR_STEPS	200
#define FOREVER_MS	3600000

#define ERROR		PERF_EVENT_STATE_ERROR
#define INACTIVE	PERF_EVENT_STATE_INACTIVE
#define ACTIVE		PERF_EVENT_STATE_ACTIVE

static struct fake_pmu fake;

/* A tree of cgroups, [0] its root, and events; NULL, or -1, where none is. */
struct cgroup_test_world {
	struct kunit		*test;
	struct perf_cgroup	cgroups[NR_CGROUPS];
	int			parent[NR_CGROUPS];
	struct perf_event	*events[NR_EVENTS];
	int			of[NR_EVENTS];
	int			nr_events;
	/* Expected values of the events. */
	u64			count[NR_EVENTS];
	u64			enabled[NR_EVENTS];
	/* Used by scripts that run on the CPU. */
	void			(*script)(struct cgroup_test_world *world);
	struct perf_cpu_context	*cpuctx;
	struct rnd_state	rnd;
};

static int cgroup_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_cgroup");
}

static void cgroup_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static int cgroup_test_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

/* Runs last, when the events of the case are closed. */
static void cgroup_test_end(void *arg)
{
	struct perf_cpu_context *cpuctx =
		per_cpu_ptr(&perf_cpu_context, cgroup_test_cpu());
	struct cgroup_test_world *world = arg;
	struct kunit *test = world->test;
	struct perf_cpu_cgroup *local;

	fake_pmu_expect_idle(test, &fake);
	KUNIT_EXPECT_EQ(test, cpuctx->nr_cgroup_events, 0);
	KUNIT_EXPECT_NULL(test, cpuctx->cgrp);
	for (int i = 0; i < NR_CGROUPS; i++) {
		local = per_cpu_ptr(world->cgroups[i].cpus, cgroup_test_cpu());
		KUNIT_EXPECT_TRUE(test, list_empty(&local->groups));
		KUNIT_EXPECT_EQ(test, local->nr_events, 0);
		KUNIT_EXPECT_FALSE(test, local->runs);
		free_percpu(world->cgroups[i].cpus);
	}
}

static void cgroup_test_plant(struct cgroup_test_world *world, int nr,
			      int parent)
{
	struct perf_cgroup *cgrp = &world->cgroups[nr];

	world->parent[nr] = parent;
	cgrp->css.flags = CSS_NO_REF;
	if (parent < 0)
		return;
	cgrp->css.parent = &world->cgroups[parent].css;
	cgrp->depth = world->cgroups[parent].depth + 1;
}

/*
 *	    0
 *	 1     2
 *	3 4   5 6
 *	7
 *	8
 *	9
 */
static const int cgroup_test_tree[NR_CGROUPS] = { -1, 0, 0, 1, 1, 2, 2, 3, 7, 8 };

static struct cgroup_test_world *cgroup_test_begin(struct kunit *test,
						   unsigned int nr_counters)
{
	struct cgroup_test_world *world =
		kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, world);
	world->test = test;
	for (int i = 0; i < NR_CGROUPS; i++)
		cgroup_test_plant(world, i, cgroup_test_tree[i]);
	fake_pmu_reset(&fake, nr_counters, FOREVER_MS);
	fake_pmu_undo(test, cgroup_test_end, world);
	for (int i = 0; i < NR_CGROUPS; i++)
		KUNIT_ASSERT_EQ(test,
				perf_cgroup_prepare(&world->cgroups[i]), 0);
	return world;
}

/* Computed from the tree by walking up from @nr. */
static bool cgroup_test_is_within(const struct cgroup_test_world *world, int nr,
				  int ancestor)
{
	if (ancestor < 0)
		return true;
	while (nr >= 0 && nr != ancestor)
		nr = world->parent[nr];
	return nr >= 0;
}

/* Events. */

static void cgroup_test_release(void *event)
{
	perf_event_release_kernel(event);
}

static void cgroup_test_install(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_ctx_get_cpu(event->cpu);

	mutex_lock(&ctx->mutex);
	event->pmu_ctx = &perf_epc_get(&fake.pmu, ctx, false)->pub;
	perf_control_install(ctx, event);
	mutex_unlock(&ctx->mutex);
	perf_ctx_put(ctx);
}

static struct perf_event *cgroup_test_make(struct kunit *test,
					   struct perf_cgroup *cgrp,
					   struct perf_event *leader,
					   bool pinned)
{
	struct perf_event_attr attr = {
		.type	= fake.pmu.type,
		.size	= sizeof(attr),
		.pinned	= pinned,
	};
	struct perf_event_spec spec = {
		.attr		= &attr,
		.cpu		= cgroup_test_cpu(),
		.group_leader	= leader,
		.cgroup_fd	= -1,
	};
	struct perf_event *event = perf_event_alloc(&spec);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->owner = PERF_OWNER_KERNEL;
	if (cgrp) {
		event->cgrp = cgrp;
		perf_sched_key_get();
	}
	cgroup_test_install(event);
	fake_pmu_undo(test, cgroup_test_release, event);
	return event;
}

/* @of: number of the cgroup, -1 for an event of the CPU, without a cgroup. */
static struct perf_event *cgroup_test_open(struct cgroup_test_world *world,
					   int of, struct perf_event *leader,
					   bool pinned)
{
	struct perf_cgroup *cgrp = of < 0 ? NULL : &world->cgroups[of];
	struct perf_event *event;
	int nr = world->nr_events++;

	KUNIT_ASSERT_LT(world->test, nr, NR_EVENTS);
	event = cgroup_test_make(world->test, cgrp, leader, pinned);
	world->events[nr] = event;
	world->of[nr] = of;
	return event;
}

static struct perf_event *
cgroup_test_open_flexible(struct cgroup_test_world *world, int of)
{
	return cgroup_test_open(world, of, NULL, false);
}

static struct perf_event *
cgroup_test_open_pinned(struct cgroup_test_world *world, int of)
{
	return cgroup_test_open(world, of, NULL, true);
}

static int cgroup_test_state(const struct perf_event *event)
{
	return READ_ONCE(event->state);
}

static u64 cgroup_test_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* Scripts on the CPU. */

static int cgroup_test_run_oncpu(struct perf_ctx *ctx,
				 struct perf_cpu_context *cpuctx, void *arg)
{
	struct cgroup_test_world *world = arg;

	world->cpuctx = cpuctx;
	world->script(world);
	return 0;
}

/* Runs @script on the CPU, under the locks, with no task switch in between. */
static void cgroup_test_run(struct cgroup_test_world *world,
			    void (*script)(struct cgroup_test_world *world))
{
	struct perf_ctx *ctx =
		&per_cpu(perf_cpu_context, cgroup_test_cpu()).ctx;

	world->script = script;
	guard(mutex)(&ctx->mutex);
	KUNIT_ASSERT_EQ(world->test,
			perf_ctx_call(ctx, cgroup_test_run_oncpu, world), 0);
}

static void cgroup_test_go(struct cgroup_test_world *world, int nr)
{
	struct perf_cpu_context *cpuctx = world->cpuctx;

	perf_ctx_clock_update_locked(&cpuctx->ctx);
	perf_cgroup_switch_locked(cpuctx, nr < 0 ? NULL : &world->cgroups[nr]);
}

/* The tree. */

static void cgroup_test_within(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 1);

	for (int a = 0; a < NR_CGROUPS; a++) {
		for (int b = 0; b < NR_CGROUPS; b++)
			KUNIT_EXPECT_EQ_MSG(test,
					    perf_cgroup_is_within(&world->cgroups[a],
								  &world->cgroups[b]),
					    cgroup_test_is_within(world, a, b),
					    "%d in %d", a, b);
	}
	KUNIT_EXPECT_FALSE(test, perf_cgroup_is_within(NULL,
						       &world->cgroups[0]));
}

/* Both are within @top, and within no cgroup that is deeper. */
static bool cgroup_test_is_common(const struct cgroup_test_world *world, int a,
				  int b, int top)
{
	if (!cgroup_test_is_within(world, a, top) ||
	    !cgroup_test_is_within(world, b, top))
		return false;
	for (int i = 0; i < NR_CGROUPS; i++) {
		if (cgroup_test_is_within(world, a, i) &&
		    cgroup_test_is_within(world, b, i) &&
		    !cgroup_test_is_within(world, top, i))
			return false;
	}
	return true;
}

static void cgroup_test_common(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 1);
	struct perf_cgroup stranger = { }, *at = world->cgroups, *top;

	for (int a = 0; a < NR_CGROUPS; a++) {
		for (int b = 0; b < NR_CGROUPS; b++) {
			top = perf_cgroup_common(at + a, at + b);
			KUNIT_ASSERT_NOT_NULL(test, top);
			KUNIT_EXPECT_TRUE_MSG(test,
					      cgroup_test_is_common(world, a, b, top - at),
					      "%d and %d: %ld", a, b,
					      (long)(top - at));
		}
		KUNIT_EXPECT_NULL(test, perf_cgroup_common(at + a, NULL));
		KUNIT_EXPECT_NULL(test, perf_cgroup_common(NULL, at + a));
		KUNIT_EXPECT_NULL(test, perf_cgroup_common(&stranger, at + a));
	}
	KUNIT_EXPECT_NULL(test, perf_cgroup_common(NULL, NULL));
}

/* Which events are active. */

static void cgroup_test_family_script(struct cgroup_test_world *world)
{
	static const int way[] = { 3, 4, 2, 0, 9, 1, 6 };
	struct kunit *test = world->test;

	for (int i = 0; i < ARRAY_SIZE(way); i++) {
		cgroup_test_go(world, way[i]);
		for (int e = 0; e < world->nr_events; e++) {
			bool within = cgroup_test_is_within(world, way[i],
							    world->of[e]);

			KUNIT_EXPECT_EQ_MSG(test,
					    cgroup_test_state(world->events[e]),
					    within ? ACTIVE : INACTIVE,
					    "%d of %d in %d", e, world->of[e],
					    way[i]);
		}
	}
}

static void cgroup_test_family(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 8);

	cgroup_test_open_flexible(world, -1);
	cgroup_test_open_flexible(world, 0);
	cgroup_test_open_flexible(world, 1);
	cgroup_test_open_pinned(world, 1);
	cgroup_test_open_flexible(world, 2);
	cgroup_test_open_pinned(world, 3);
	cgroup_test_open_flexible(world, 8);
	cgroup_test_run(world, cgroup_test_family_script);
}

/* Calls of add() and del() for a switch from 3 to @to. */
static int cgroup_test_cost(struct cgroup_test_world *world, int to)
{
	int calls;

	cgroup_test_go(world, 3);
	calls = fake_pmu_calls(&fake, FAKE_ADD) +
		fake_pmu_calls(&fake, FAKE_DEL);
	cgroup_test_go(world, to);
	return fake_pmu_calls(&fake, FAKE_ADD) +
	       fake_pmu_calls(&fake, FAKE_DEL) - calls;
}

/* Cgroups 0 and 2 have one event, 1 has two: only the necessary ones move. */
static void cgroup_test_cheap_script(struct cgroup_test_world *world)
{
	struct kunit *test = world->test;

	KUNIT_EXPECT_EQ(test, cgroup_test_cost(world, 3), 0);
	KUNIT_EXPECT_EQ(test, cgroup_test_cost(world, 4), 0);
	KUNIT_EXPECT_EQ(test, cgroup_test_cost(world, 9), 0);
	KUNIT_EXPECT_EQ(test, cgroup_test_cost(world, 1), 0);
	KUNIT_EXPECT_EQ(test, cgroup_test_cost(world, 0), 2);
	KUNIT_EXPECT_EQ(test, cgroup_test_cost(world, 6), 3);
	KUNIT_EXPECT_EQ(test, cgroup_test_cost(world, -1), 3);
}

static void cgroup_test_cheap(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 8);

	cgroup_test_open_flexible(world, 0);
	cgroup_test_open_flexible(world, 1);
	cgroup_test_open_pinned(world, 1);
	cgroup_test_open_flexible(world, 2);
	cgroup_test_open_flexible(world, -1);
	cgroup_test_run(world, cgroup_test_cheap_script);
}

/* The first group that does not fit causes a choice; only that tries more. */
static void cgroup_test_crowd_script(struct cgroup_test_world *world)
{
	struct kunit *test = world->test;
	int misses = -fake_pmu_calls(&fake, FAKE_REFUSE);

	cgroup_test_go(world, 1);
	misses += fake_pmu_calls(&fake, FAKE_REFUSE);
	KUNIT_EXPECT_EQ(test, misses, 1 + NR_CROWD - 1);
}

static void cgroup_test_crowd(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 1);

	for (int i = 0; i < NR_CROWD; i++)
		cgroup_test_open_flexible(world, 1);
	cgroup_test_run(world, cgroup_test_crowd_script);
}

/* Siblings run with their leader; without a leader they stay in the cgroup. */
static void cgroup_test_group_script(struct cgroup_test_world *world)
{
	struct kunit *test = world->test;

	for (int round = 0; round < 3; round++) {
		cgroup_test_go(world, 4);
		for (int e = 0; e < world->nr_events; e++)
			if (world->events[e])
				KUNIT_EXPECT_EQ(test, ACTIVE,
						cgroup_test_state(world->events[e]));
		cgroup_test_go(world, 2);
		for (int e = 0; e < world->nr_events; e++)
			if (world->events[e])
				KUNIT_EXPECT_EQ(test, INACTIVE,
						cgroup_test_state(world->events[e]));
	}
}

static void cgroup_test_group(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 3);
	struct perf_event *leader = cgroup_test_open_flexible(world, 1);

	cgroup_test_open(world, 1, leader, false);
	cgroup_test_open(world, 1, leader, false);
	cgroup_test_run(world, cgroup_test_group_script);
	kunit_release_action(test, cgroup_test_release, leader);
	world->events[0] = NULL;
	cgroup_test_run(world, cgroup_test_group_script);
}

/* A pinned group gets its error when its cgroup comes and there is no room. */
static void cgroup_test_pinned_script(struct cgroup_test_world *world)
{
	struct perf_event **event = world->events;
	struct kunit *test = world->test;

	KUNIT_EXPECT_EQ(test, cgroup_test_state(event[1]), INACTIVE);
	cgroup_test_go(world, 1);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event[0]), ACTIVE);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event[1]), ACTIVE);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event[2]), ERROR);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event[3]), INACTIVE);
	cgroup_test_go(world, 2);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event[0]), ACTIVE);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event[1]), INACTIVE);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event[2]), ERROR);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event[3]), ACTIVE);
}

static void cgroup_test_pinned(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 2);

	cgroup_test_open_pinned(world, -1);
	cgroup_test_open_pinned(world, 1);
	cgroup_test_open_pinned(world, 1);
	cgroup_test_open_flexible(world, -1);
	cgroup_test_run(world, cgroup_test_pinned_script);
}

/* Disabled and enabled again while the cgroup is away. */
static void cgroup_test_away(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 2);
	struct perf_event *event = cgroup_test_open_flexible(world, 1);
	u64 enabled, running;

	KUNIT_EXPECT_EQ(test, cgroup_test_state(event), INACTIVE);
	perf_event_disable(event);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event), INACTIVE);
	fake_pmu_tick(&fake, 100);
	fsleep(1000);
	KUNIT_EXPECT_EQ(test, perf_event_read_value(event, &enabled, &running),
			0);
	KUNIT_EXPECT_EQ(test, enabled, 0);
	KUNIT_EXPECT_EQ(test, running, 0);
}

static void cgroup_test_enter_script(struct cgroup_test_world *world)
{
	cgroup_test_go(world, 1);
	fake_pmu_tick(&fake, 7);
}

/* A real task is in none of the cgroups: its switch takes the events off. */
static void cgroup_test_real_switch(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 2);
	struct perf_event *event = cgroup_test_open_flexible(world, 1);

	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current,
					     cpumask_of(cgroup_test_cpu())));
	cgroup_test_run(world, cgroup_test_enter_script);
	fake_pmu_switch_out();
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event), INACTIVE);
	fake_pmu_tick(&fake, 100);
	KUNIT_EXPECT_LT(test, cgroup_test_read(event), 100);
	KUNIT_EXPECT_GE(test, cgroup_test_read(event), 7);
}

/* The real root, in which all tasks are. */

static struct perf_event *cgroup_test_open_in_root(struct kunit *test,
						   bool pinned)
{
	struct cgroup_subsys_state *css;
	struct perf_cgroup *root;

	css = init_css_set.subsys[perf_event_cgrp_id];
	root = container_of(css, struct perf_cgroup, css);
	KUNIT_ASSERT_EQ(test, perf_cgroup_prepare(root), 0);
	css_get(css);
	return cgroup_test_make(test, root, NULL, pinned);
}

static u64 cgroup_test_enabled(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	return enabled;
}

/* A cgroup's first event counts at once if the CPU runs the cgroup. */
static void cgroup_test_root(struct kunit *test)
{
	struct perf_event *event;

	cgroup_test_begin(test, 2);
	event = cgroup_test_open_in_root(test, false);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event), ACTIVE);
	fake_pmu_tick(&fake, 7);
	fsleep(2000);
	KUNIT_EXPECT_EQ(test, cgroup_test_read(event), 7);
	KUNIT_EXPECT_GE(test, cgroup_test_enabled(event), NSEC_PER_MSEC);
}

/* On the CPU itself. */
static void cgroup_test_load(void *unused)
{
	set_cpus_allowed_ptr(current, cpumask_of(cgroup_test_cpu()));
	guard(cpus_read_lock)();
	perf_event_init_cpu(cgroup_test_cpu());
}

static void cgroup_test_unload(struct kunit *test)
{
	scoped_guard(cpus_read_lock)
		perf_event_exit_cpu(cgroup_test_cpu());
	fake_pmu_undo(test, cgroup_test_load, NULL);
}

/* Its context is unloaded, as if the CPU went offline, and loaded again. */
static void cgroup_test_offline(struct kunit *test)
{
	struct perf_cpu_context *cpuctx =
		per_cpu_ptr(&perf_cpu_context, cgroup_test_cpu());
	struct cgroup_test_world *world = cgroup_test_begin(test, 1);
	struct perf_event *event = cgroup_test_open_in_root(test, false);
	u64 enabled;

	/* They wait for a turn, which must not begin now. */
	for (int i = 0; i < 2; i++)
		cgroup_test_open_flexible(world, -1);
	cgroup_test_unload(test);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event), INACTIVE);
	for (int i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, cgroup_test_state(world->events[i]),
				INACTIVE);
	KUNIT_EXPECT_NULL(test, cpuctx->cgrp);
	enabled = cgroup_test_enabled(event);
	fsleep(1000);
	KUNIT_EXPECT_EQ(test, cgroup_test_enabled(event), enabled);
	for (int i = 0; i < 2; i++)
		perf_event_disable(world->events[i]);
	kunit_release_action(test, cgroup_test_load, NULL);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event), ACTIVE);
	KUNIT_EXPECT_NOT_NULL(test, cpuctx->cgrp);
	fsleep(2000);
	KUNIT_EXPECT_GE(test, cgroup_test_enabled(event),
			enabled + NSEC_PER_MSEC);
}

/* The CPU's first event of a cgroup comes while the context is unloaded. */
static void cgroup_test_opened_offline(struct kunit *test)
{
	struct perf_event *event;

	cgroup_test_begin(test, 2);
	cgroup_test_unload(test);
	event = cgroup_test_open_in_root(test, false);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event), INACTIVE);
	kunit_release_action(test, cgroup_test_load, NULL);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event), ACTIVE);
	fake_pmu_tick(&fake, 7);
	KUNIT_EXPECT_EQ(test, cgroup_test_read(event), 7);
}

/*
 * Takes this CPU out of the root, as if @world had a task. Events of the real
 * task get the counter.
 */
static void cgroup_test_leave_root(struct cgroup_test_world *world)
{
	struct perf_ctx *task_ctx;

	world->cpuctx = this_cpu_ptr(&perf_cpu_context);
	task_ctx = world->cpuctx->task_ctx;
	perf_ctx_lock_pair(world->cpuctx, task_ctx);
	perf_ctx_clock_update_locked(task_ctx);
	cgroup_test_go(world, 1);
	perf_sched_pmu_resched_locked(world->cpuctx, &fake.pmu);
	perf_ctx_unlock_pair(world->cpuctx, task_ctx);
}

/* The events that come take the place of the task's, whose time ends then. */
static void cgroup_test_task_gives_way(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1, .task = current };
	struct cgroup_test_world *world = cgroup_test_begin(test, 1);
	struct perf_event *own, *event;
	int before, own_state, after;
	u64 running;

	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current,
					     cpumask_of(cgroup_test_cpu())));
	own = cgroup_test_open_in_root(test, true);
	event = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_EQ(test, cgroup_test_state(event), INACTIVE);
	scoped_guard(irqsave) {
		cgroup_test_leave_root(world);
		before = cgroup_test_state(event);
		mdelay(2);
		perf_hooks.cgroup_switch(current);
		own_state = cgroup_test_state(own);
		after = cgroup_test_state(event);
		running = event->total_time_running;
	}
	KUNIT_EXPECT_EQ(test, before, ACTIVE);
	KUNIT_EXPECT_EQ(test, own_state, ACTIVE);
	KUNIT_EXPECT_EQ(test, after, INACTIVE);
	KUNIT_EXPECT_GE(test, running, NSEC_PER_MSEC);
}

/* Counts and times, compared with sums that the test keeps. */

static void cgroup_test_account(struct cgroup_test_world *world, int where,
				u64 ticks, u64 nsec)
{
	for (int e = 0; e < world->nr_events; e++) {
		if (!world->events[e] ||
		    !cgroup_test_is_within(world, where, world->of[e]))
			continue;
		world->count[e] += ticks;
		world->enabled[e] += nsec;
	}
}

static void cgroup_test_compare(struct cgroup_test_world *world)
{
	struct kunit *test = world->test;
	struct perf_event *event;

	for (int e = 0; e < world->nr_events; e++) {
		event = world->events[e];
		if (!event || world->of[e] < 0)
			continue;
		perf_event_time_update(event);
		KUNIT_EXPECT_EQ(test, event->total_time_enabled,
				world->enabled[e]);
		KUNIT_EXPECT_EQ(test, event->total_time_running,
				world->enabled[e]);
		if (cgroup_test_state(event) == ACTIVE)
			event->pmu->read(event);
		KUNIT_EXPECT_EQ(test, local64_read(&event->count),
				world->count[e]);
	}
}

/* There are counters for all events, so every enabled event runs. */
static void cgroup_test_random_script(struct cgroup_test_world *world)
{
	struct perf_ctx *ctx = &world->cpuctx->ctx;
	int where = 0, next;
	u64 from;

	cgroup_test_go(world, where);
	for (int step = 0; step < NR_STEPS; step++) {
		u64 ticks = prandom_u32_state(&world->rnd) % 1000;

		from = ctx->time;
		fake_pmu_tick(&fake, ticks);
		if (!(step % 8))
			udelay(prandom_u32_state(&world->rnd) % 20);
		perf_ctx_clock_update_locked(ctx);
		cgroup_test_account(world, where, ticks, ctx->time - from);
		if (prandom_u32_state(&world->rnd) % 2)
			cgroup_test_compare(world);
		/*
		 * cgroup_test_go() reads the clock first, for the old cgroup.
		 */
		from = ctx->time;
		next = prandom_u32_state(&world->rnd) % NR_CGROUPS;
		cgroup_test_go(world, next);
		cgroup_test_account(world, where, 0, ctx->time - from);
		where = next;
	}
	from = ctx->time;
	cgroup_test_go(world, -1);
	cgroup_test_account(world, where, 0, ctx->time - from);
	cgroup_test_compare(world);
}

static void cgroup_test_random_close(struct cgroup_test_world *world)
{
	int e = prandom_u32_state(&world->rnd) % world->nr_events;

	if (!world->events[e])
		return;
	kunit_release_action(world->test, cgroup_test_release,
			     world->events[e]);
	world->events[e] = NULL;
}

static void cgroup_test_random(struct kunit *test)
{
	struct cgroup_test_world *world =
		cgroup_test_begin(test, FAKE_PMU_COUNTERS);
	int of;

	fake_pmu_seed(test, &world->rnd);
	for (int i = 0; i < FAKE_PMU_COUNTERS; i++) {
		of = prandom_u32_state(&world->rnd) % NR_CGROUPS;
		cgroup_test_open(world, of, NULL,
				 prandom_u32_state(&world->rnd) % 2);
	}
	for (int round = 0; round < NR_ROUNDS; round++) {
		cgroup_test_run(world, cgroup_test_random_script);
		/* No cgroup of the tree runs now, so nothing counts. */
		fake_pmu_tick(&fake, 1000);
		if (!(round % 10))
			cgroup_test_random_close(world);
	}
}

/* Turns. */

/* Two cgroups alternate, neither for long enough for a turn of its own. */
static void cgroup_test_turns_script(struct cgroup_test_world *world)
{
	for (int i = 0; i < 600; i++) {
		cgroup_test_go(world, 1 + i % 2);
		udelay(100);
	}
	cgroup_test_go(world, -1);
}

static u64 cgroup_test_percent_on(const struct perf_event *event)
{
	if (!event->total_time_enabled)
		return 0;
	return event->total_time_running * 100 / event->total_time_enabled;
}

static bool cgroup_test_shares_within(const struct cgroup_test_world *world,
				      int nr, u64 least, u64 most)
{
	for (int i = 0; i < nr; i++) {
		if (!in_range(cgroup_test_percent_on(world->events[i]), least,
			      most - least + 1))
			return false;
	}
	return true;
}

/*
 * Each of the first @nr events is active for @least to @most percent. Turns are
 * short; a host that stops the guest makes some long, and later ones make up.
 */
static void cgroup_test_expect_turns(struct cgroup_test_world *world, int nr,
				     u64 least, u64 most)
{
	for (int i = 0; i < 10; i++) {
		cgroup_test_run(world, cgroup_test_turns_script);
		if (cgroup_test_shares_within(world, nr, least, most))
			return;
	}
	for (int i = 0; i < nr; i++)
		KUNIT_FAIL(world->test, "event %d is on for %llu percent", i,
			   cgroup_test_percent_on(world->events[i]));
}

/* The first cgroup has four groups for two counters, the other one's fit. */
static void cgroup_test_turns(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 2);
	struct perf_cpu_pmu_context *cpc;

	cpc = per_cpu_ptr(fake.pmu.cpu_pmu_context, cgroup_test_cpu());
	cpc->mux_interval = ms_to_ktime(1);
	for (int i = 0; i < 4; i++)
		cgroup_test_open_flexible(world, 1);
	cgroup_test_open_flexible(world, 2);
	cgroup_test_expect_turns(world, 4, 30, 70);
	KUNIT_EXPECT_EQ(test, world->events[4]->total_time_running,
			world->events[4]->total_time_enabled);
}

/* A group of the whole CPU does not keep a cgroup's groups off for ever. */
static void cgroup_test_turns_mixed(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 1);
	struct perf_cpu_pmu_context *cpc;

	cpc = per_cpu_ptr(fake.pmu.cpu_pmu_context, cgroup_test_cpu());
	cpc->mux_interval = ms_to_ktime(1);
	cgroup_test_open_flexible(world, -1);
	cgroup_test_open_flexible(world, 1);
	cgroup_test_expect_turns(world, 2, 33, 100);
}

/* Does a choice survive switches between cgroups whose groups find room? */
static void cgroup_test_choice_script(struct cgroup_test_world *world)
{
	struct perf_pmu_ctx *epc;
	struct kunit *test = world->test;
	u64 chosen_at;

	epc = &this_cpu_ptr(fake.pmu.cpu_pmu_context)->epc;
	KUNIT_EXPECT_TRUE(test, epc->rotate_necessary);
	chosen_at = epc->chosen_at;
	for (int i = 0; i < 4; i++) {
		udelay(10);
		cgroup_test_go(world, 1 + i % 2);
		KUNIT_EXPECT_EQ(test, cgroup_test_state(world->events[4]),
				i % 2 ? INACTIVE : ACTIVE);
		KUNIT_EXPECT_TRUE(test, epc->rotate_necessary);
		KUNIT_EXPECT_EQ(test, epc->chosen_at, chosen_at);
	}
	cgroup_test_go(world, -1);
}

/* The CPU's two groups take turns on two counters, a cgroup's has a third. */
static void cgroup_test_choice(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 3);

	for (int i = 0; i < 2; i++)
		cgroup_test_open(world, -1,
				 cgroup_test_open_flexible(world, -1), false);
	cgroup_test_open_flexible(world, 1);
	cgroup_test_run(world, cgroup_test_choice_script);
}

static struct perf_event *cgroup_test_chosen(struct cgroup_test_world *world)
{
	int nr = cgroup_test_state(world->events[0]) == ACTIVE ? 0 : 1;

	KUNIT_EXPECT_EQ(world->test, cgroup_test_state(world->events[nr]),
			ACTIVE);
	return world->events[nr];
}

/*
 * A turn does not count any more when the cgroup leaves; it does when the group
 * is disabled, until the cgroup leaves.
 */
static void cgroup_test_left_turn_script(struct cgroup_test_world *world)
{
	struct kunit *test = world->test;
	struct perf_event *event;
	s64 start, left;

	cgroup_test_go(world, 1);
	event = cgroup_test_chosen(world);
	start = event->group_start;
	cgroup_test_go(world, 2);
	KUNIT_EXPECT_FALSE(test, event->left_turn);
	KUNIT_EXPECT_EQ(test, event->group_start, start);

	cgroup_test_go(world, 1);
	event = cgroup_test_chosen(world);
	start = event->group_start;
	perf_ctx_clock_update_locked(&world->cpuctx->ctx);
	perf_control_disable_locked(event);
	left = event->group_start;
	KUNIT_EXPECT_TRUE(test, event->left_turn);
	KUNIT_EXPECT_GT(test, left, start);

	udelay(10);
	cgroup_test_go(world, 2);
	KUNIT_EXPECT_FALSE(test, event->left_turn);
	KUNIT_EXPECT_GE(test, event->group_start, start + 10 * NSEC_PER_USEC);
	KUNIT_EXPECT_LT(test, event->group_start, left);
	cgroup_test_go(world, -1);
}

/* Two groups of a cgroup take turns on one counter. */
static void cgroup_test_left_turn(struct kunit *test)
{
	struct cgroup_test_world *world = cgroup_test_begin(test, 1);

	for (int i = 0; i < 2; i++)
		cgroup_test_open_flexible(world, 1);
	cgroup_test_run(world, cgroup_test_left_turn_script);
}

static struct kunit_case cgroup_test_cases[] = {
	KUNIT_CASE(cgroup_test_within),
	KUNIT_CASE(cgroup_test_common),
	KUNIT_CASE(cgroup_test_family),
	KUNIT_CASE(cgroup_test_cheap),
	KUNIT_CASE(cgroup_test_crowd),
	KUNIT_CASE(cgroup_test_group),
	KUNIT_CASE(cgroup_test_pinned),
	KUNIT_CASE(cgroup_test_away),
	KUNIT_CASE(cgroup_test_real_switch),
	KUNIT_CASE(cgroup_test_root),
	KUNIT_CASE(cgroup_test_offline),
	KUNIT_CASE(cgroup_test_opened_offline),
	KUNIT_CASE(cgroup_test_task_gives_way),
	KUNIT_CASE(cgroup_test_random),
	KUNIT_CASE(cgroup_test_turns),
	KUNIT_CASE(cgroup_test_turns_mixed),
	KUNIT_CASE(cgroup_test_choice),
	KUNIT_CASE(cgroup_test_left_turn),
	{}
};

static struct kunit_suite cgroup_test_suite = {
	.name		= "perf_cgroup",
	.suite_init	= cgroup_test_suite_init,
	.suite_exit	= cgroup_test_suite_exit,
	.test_cases	= cgroup_test_cases,
};

kunit_test_suite(cgroup_test_suite);
