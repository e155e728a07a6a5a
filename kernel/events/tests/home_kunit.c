// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room home: a context that was exchanged goes back to the task
 * on which its event was opened, whatever the two tasks do meanwhile.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../context.h"
#include "../home.h"
#include "../swap.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000

static struct fake_pmu fake;

static int hk_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_home");
}

static void hk_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void hk_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int hk_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, hk_check_idle, test);
}

/* References on contexts and tasks. */
struct hk_refs {
	unsigned int nr[4];
};

/**
 * struct hk_world - two tasks that sleep and have each other's context
 * @owner: task on which the event was opened
 * @host: its child
 * @own: context with the event, which @host has
 * @copy: context with the copy, which @owner has
 * @refs: references when all that was made
 */
struct hk_world {
	struct fm_task			*owner;
	struct fm_task			*host;
	struct perf_event_context	*own;
	struct perf_event_context	*copy;
	struct hk_refs			refs;
};

static struct hk_refs hk_count_refs(const struct hk_world *world)
{
	return (struct hk_refs) { {
		refcount_read(&world->own->refcount),
		refcount_read(&world->copy->refcount),
		refcount_read(&world->owner->task->usage),
		refcount_read(&world->host->task->usage),
	} };
}

static bool hk_exchange(struct perf_event_context *ctx, struct task_struct *heir)
{
	guard(rcu)();
	guard(irqsave)();
	return perf_swap_try_oncpu(ctx, heir);
}

/* A switch between the two may have exchanged their contexts already. */
static void hk_send_away(struct kunit *test, struct hk_world *world)
{
	struct task_struct *owner = world->owner->task, *host = world->host->task;

	if (READ_ONCE(world->own->task) == owner)
		KUNIT_ASSERT_TRUE(test, hk_exchange(world->own, host));
	KUNIT_ASSERT_PTR_EQ(test, READ_ONCE(host->perf_event_ctxp), world->own);
	world->copy = READ_ONCE(owner->perf_event_ctxp);
	KUNIT_ASSERT_PTR_NE(test, world->own, world->copy);
}

static void hk_make(struct kunit *test, struct hk_world *world)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .inherit = true, .by_task = true,
	};

	world->owner = fm_fork(test, fm_fork_again);
	spec.task = world->owner->task;
	world->own = fake_pmu_open(test, &fake, &spec)->ctx;
	world->host = fm_task_make(test, NULL);
	world->owner->child = world->host;
	fm_act(world->owner);
	KUNIT_ASSERT_NOT_NULL(test, world->host->task);
	fake_pmu_undo(test, fm_task_end, world->host);
	fm_settle(world->owner);
	fm_settle(world->host);
	hk_send_away(test, world);
	world->refs = hk_count_refs(world);
}

static void hk_expect_away(struct kunit *test, const struct hk_world *world)
{
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(world->host->task->perf_event_ctxp),
			    world->own);
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(world->own->task),
			    world->host->task);
	KUNIT_EXPECT_EQ(test, world->own->held | world->copy->held, 0);
}

static void hk_expect_home(struct kunit *test, const struct hk_world *world)
{
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(world->owner->task->perf_event_ctxp),
			    world->own);
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(world->own->task),
			    world->owner->task);
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(world->host->task->perf_event_ctxp),
			    world->copy);
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(world->copy->task),
			    world->host->task);
	KUNIT_EXPECT_EQ(test, world->own->held | world->copy->held, 0);
	KUNIT_EXPECT_FALSE(test, world->own->moving | world->copy->moving);
	/* No switch sends it away again. */
	KUNIT_EXPECT_EQ(test, world->own->equal, 0);
}

static bool hk_take(struct perf_event_context *ctx, struct fm_task *task)
{
	bool taken;

	guard(mutex)(&ctx->mutex);
	taken = perf_home_take(ctx, task->task);
	if (taken)
		perf_swap_release(ctx);
	return taken;
}

static bool hk_is_own(struct perf_event_context *ctx, struct fm_task *task)
{
	guard(mutex)(&ctx->mutex);
	return perf_home_is_own(ctx, task->task);
}

static void hk_expect_refs(struct kunit *test, const struct hk_world *world)
{
	struct hk_refs now = hk_count_refs(world);

	for (int i = 0; i < ARRAY_SIZE(now.nr); i++)
		KUNIT_EXPECT_EQ_MSG(test, now.nr[i], world->refs.nr[i], "%d", i);
}

/* Both tasks sleep. */

static void hk_whose(struct kunit *test)
{
	struct hk_world world;

	hk_make(test, &world);
	KUNIT_EXPECT_TRUE(test, hk_is_own(world.own, world.owner));
	KUNIT_EXPECT_FALSE(test, hk_is_own(world.own, world.host));
	KUNIT_EXPECT_TRUE(test, hk_is_own(world.copy, world.host));
	KUNIT_EXPECT_FALSE(test, hk_is_own(world.copy, world.owner));
}

static void hk_bring(struct kunit *test)
{
	struct hk_world world;

	hk_make(test, &world);
	perf_home_bring(world.owner->task);
	hk_expect_home(test, &world);
	hk_expect_refs(test, &world);
	/* Nothing is left to do. */
	perf_home_bring(world.owner->task);
	perf_home_bring(world.host->task);
	hk_expect_home(test, &world);
	hk_expect_refs(test, &world);
}

static void hk_bring_host(struct kunit *test)
{
	struct hk_world world;

	hk_make(test, &world);
	perf_home_bring(world.host->task);
	hk_expect_home(test, &world);
	hk_expect_refs(test, &world);
}

static void hk_take_own(struct kunit *test)
{
	struct hk_world world;

	hk_make(test, &world);
	KUNIT_EXPECT_FALSE(test, hk_take(world.own, world.owner));
	KUNIT_EXPECT_FALSE(test, hk_take(world.copy, world.host));
	KUNIT_EXPECT_FALSE(test, hk_take(world.own, world.host));
	KUNIT_EXPECT_FALSE(test, hk_take(world.copy, world.owner));
	hk_expect_away(test, &world);
	hk_expect_refs(test, &world);

	perf_home_bring(world.owner->task);
	KUNIT_EXPECT_TRUE(test, hk_take(world.own, world.owner));
	KUNIT_EXPECT_TRUE(test, hk_take(world.copy, world.host));
	hk_expect_home(test, &world);
	hk_expect_refs(test, &world);
}

/* An event that is opened on the owner joins its own context. */
static void hk_open(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1 };
	struct perf_event *event;
	struct hk_world world;

	hk_make(test, &world);
	spec.task = world.owner->task;
	event = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_PTR_EQ(test, event->ctx, world.own);
	hk_expect_home(test, &world);
	world.refs.nr[0]++;	/* the event's, on its context */
	world.refs.nr[2]++;	/* and on its task */
	hk_expect_refs(test, &world);
}

/* An exit takes the task's own context from it, wherever that is. */
static void hk_part(struct kunit *test)
{
	struct perf_event_context *ctx;
	struct task_struct *owner;
	struct hk_world world;

	hk_make(test, &world);
	owner = world.owner->task;
	ctx = perf_home_part(owner);
	KUNIT_EXPECT_PTR_EQ(test, ctx, world.own);
	KUNIT_EXPECT_NULL(test, owner->perf_event_ctxp);
	/* Give it back: the task lives on. */
	WRITE_ONCE(owner->perf_event_ctxp, ctx);
	hk_expect_home(test, &world);
	hk_expect_refs(test, &world);
}

/* Tasks that have parted from their contexts, as in an exit, are left alone. */

static void hk_owner_parts(struct kunit *test)
{
	struct task_struct *owner;
	struct hk_world world;

	hk_make(test, &world);
	owner = world.owner->task;
	WRITE_ONCE(owner->perf_event_ctxp, NULL);
	perf_home_bring(world.host->task);
	KUNIT_EXPECT_TRUE(test, hk_take(world.own, world.host));
	hk_expect_away(test, &world);

	/* A switch that comes at this moment brings it home. */
	WRITE_ONCE(owner->perf_event_ctxp, world.own);
	perf_home_bring(world.host->task);
	KUNIT_EXPECT_TRUE(test, hk_take(world.own, world.host));
	WRITE_ONCE(owner->perf_event_ctxp, world.copy);
	hk_expect_away(test, &world);
	hk_expect_refs(test, &world);
}

static void hk_host_parts(struct kunit *test)
{
	struct task_struct *host;
	struct hk_world world;

	hk_make(test, &world);
	host = world.host->task;
	WRITE_ONCE(host->perf_event_ctxp, NULL);
	perf_home_bring(world.owner->task);
	KUNIT_EXPECT_TRUE(test, hk_take(world.copy, world.owner));
	WRITE_ONCE(world.own->task, TASK_TOMBSTONE);
	perf_home_bring(world.owner->task);
	KUNIT_EXPECT_TRUE(test, hk_take(world.copy, world.owner));
	WRITE_ONCE(world.own->task, host);
	WRITE_ONCE(host->perf_event_ctxp, world.own);
	hk_expect_away(test, &world);
	hk_expect_refs(test, &world);
}

static struct task_struct *hk_wanted;

static void hk_bring_wanted(struct fm_task *self)
{
	perf_home_bring(hk_wanted);
}

/* Nothing is exchanged before both mutexes are free. */
static void hk_waits(struct kunit *test)
{
	struct perf_event_context *second;
	struct fm_task *bringer;
	struct hk_world world;

	hk_make(test, &world);
	bringer = fm_fork(test, hk_bring_wanted);
	second = max(world.own, world.copy);
	/* The task that has the other one, whose mutex is taken first. */
	hk_wanted = second == world.own ? world.owner->task : world.host->task;
	scoped_guard(mutex, &second->mutex) {
		fm_go(bringer);
		msleep(20);
		KUNIT_EXPECT_FALSE(test, completion_done(&bringer->done));
		hk_expect_away(test, &world);
	}
	wait_for_completion(&bringer->done);
	hk_expect_home(test, &world);
}

/* Tasks that run. */

static void hk_spin(struct fm_task *self)
{
	complete(&self->started);
	while (READ_ONCE(self->child))
		cond_resched();
}

static void hk_start(struct kunit *test, struct fm_task *task, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(task->task, cpumask_of(cpu)));
	task->act = hk_spin;
	task->child = task;
	fm_go(task);
	wait_for_completion(&task->started);
}

static void hk_stop(struct fm_task *task)
{
	WRITE_ONCE(task->child, NULL);
	wait_for_completion(&task->done);
	fm_settle(task);
}

static void hk_bring_running(struct kunit *test, bool owner, bool host)
{
	struct hk_world world;

	hk_make(test, &world);
	if (owner)
		hk_start(test, world.owner, cpumask_first(cpu_online_mask));
	if (host)
		hk_start(test, world.host, cpumask_last(cpu_online_mask));
	perf_home_bring(world.owner->task);
	hk_expect_home(test, &world);
	if (owner)
		hk_stop(world.owner);
	if (host)
		hk_stop(world.host);
	hk_expect_home(test, &world);
}

static void hk_owner_runs(struct kunit *test)
{
	hk_bring_running(test, true, false);
}

static void hk_host_runs(struct kunit *test)
{
	hk_bring_running(test, false, true);
}

static void hk_both_run(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	hk_bring_running(test, true, true);
}

static struct kunit_case hk_cases[] = {
	KUNIT_CASE(hk_whose),
	KUNIT_CASE(hk_bring),
	KUNIT_CASE(hk_bring_host),
	KUNIT_CASE(hk_take_own),
	KUNIT_CASE(hk_open),
	KUNIT_CASE(hk_part),
	KUNIT_CASE(hk_owner_parts),
	KUNIT_CASE(hk_host_parts),
	KUNIT_CASE(hk_waits),
	KUNIT_CASE(hk_owner_runs),
	KUNIT_CASE(hk_host_runs),
	KUNIT_CASE(hk_both_run),
	{ }
};

static struct kunit_suite hk_suite = {
	.name		= "perf_home",
	.suite_init	= hk_suite_init,
	.suite_exit	= hk_suite_exit,
	.init		= hk_init,
	.test_cases	= hk_cases,
};

kunit_test_suite(hk_suite);
