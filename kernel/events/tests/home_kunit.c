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

static int home_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_home");
}

static void home_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void home_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int home_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, home_test_check_idle, test);
}

/* References on contexts and tasks. */
struct home_test_refs {
	unsigned int nr[4];
};

/**
 * struct home_test_world - two tasks that sleep and have each other's context
 * @owner: task on which the event was opened
 * @host: its child
 * @own: context with the event, which @host has
 * @copy: context with the copy, which @owner has
 * @refs: references when all that was made
 */
struct home_test_world {
	struct test_task		*owner;
	struct test_task		*host;
	struct perf_ctx			*own;
	struct perf_ctx			*copy;
	struct home_test_refs		refs;
};

static struct home_test_refs
home_test_count_refs(const struct home_test_world *world)
{
	return (struct home_test_refs) { {
		refcount_read(&world->own->refcount),
		refcount_read(&world->copy->refcount),
		refcount_read(&world->owner->task->usage),
		refcount_read(&world->host->task->usage),
	} };
}

static bool home_test_exchange(struct perf_ctx *ctx,
			       struct task_struct *heir)
{
	guard(rcu)();
	guard(irqsave)();
	return perf_swap_try_oncpu(ctx, heir);
}

/* A switch between the two may have exchanged their contexts already. */
static void home_test_send_away(struct kunit *test,
				struct home_test_world *world)
{
	struct task_struct *owner = world->owner->task, *host = world->host->task;

	if (READ_ONCE(world->own->pub.task) == owner)
		KUNIT_ASSERT_TRUE(test, home_test_exchange(world->own, host));
	KUNIT_ASSERT_PTR_EQ(test, perf_task_ctx(host), world->own);
	world->copy = perf_task_ctx(owner);
	KUNIT_ASSERT_PTR_NE(test, world->own, world->copy);
}

static void home_test_make(struct kunit *test, struct home_test_world *world)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .inherit = true, .by_task = true,
	};

	world->owner = test_task_fork(test, test_task_fork_child);
	spec.task = world->owner->task;
	world->own = perf_event_ctx(fake_pmu_open(test, &fake, &spec));
	world->host = test_task_make(test, NULL);
	world->owner->child = world->host;
	test_task_act(world->owner);
	KUNIT_ASSERT_NOT_NULL(test, world->host->task);
	fake_pmu_undo(test, test_task_finish, world->host);
	test_task_wait_asleep(world->owner);
	test_task_wait_asleep(world->host);
	home_test_send_away(test, world);
	world->refs = home_test_count_refs(world);
}

static void home_test_expect_away(struct kunit *test,
				  const struct home_test_world *world)
{
	KUNIT_EXPECT_PTR_EQ(test, perf_task_ctx(world->host->task), world->own);
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(world->own->pub.task),
			    world->host->task);
	KUNIT_EXPECT_EQ(test, world->own->held | world->copy->held, 0);
}

static void home_test_expect_home(struct kunit *test,
				  const struct home_test_world *world)
{
	KUNIT_EXPECT_PTR_EQ(test, perf_task_ctx(world->owner->task),
			    world->own);
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(world->own->pub.task),
			    world->owner->task);
	KUNIT_EXPECT_PTR_EQ(test, perf_task_ctx(world->host->task),
			    world->copy);
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(world->copy->pub.task),
			    world->host->task);
	KUNIT_EXPECT_EQ(test, world->own->held | world->copy->held, 0);
	KUNIT_EXPECT_FALSE(test, world->own->moving | world->copy->moving);
	/* No switch sends it away again. */
	KUNIT_EXPECT_EQ(test, world->own->equal, 0);
}

static bool home_test_take(struct perf_ctx *ctx,
			   struct test_task *task)
{
	bool taken;

	guard(mutex)(&ctx->mutex);
	taken = perf_home_take(ctx, task->task);
	if (taken)
		perf_swap_release(ctx);
	return taken;
}

static bool home_test_is_own(struct perf_ctx *ctx,
			     struct test_task *task)
{
	guard(mutex)(&ctx->mutex);
	return perf_home_is_own(ctx, task->task);
}

static void home_test_expect_refs(struct kunit *test,
				  const struct home_test_world *world)
{
	struct home_test_refs now = home_test_count_refs(world);

	for (int i = 0; i < ARRAY_SIZE(now.nr); i++)
		KUNIT_EXPECT_EQ_MSG(test, now.nr[i], world->refs.nr[i], "%d", i);
}

/* Both tasks sleep. */

static void home_test_whose(struct kunit *test)
{
	struct home_test_world world;

	home_test_make(test, &world);
	KUNIT_EXPECT_TRUE(test, home_test_is_own(world.own, world.owner));
	KUNIT_EXPECT_FALSE(test, home_test_is_own(world.own, world.host));
	KUNIT_EXPECT_TRUE(test, home_test_is_own(world.copy, world.host));
	KUNIT_EXPECT_FALSE(test, home_test_is_own(world.copy, world.owner));
}

static void home_test_bring(struct kunit *test)
{
	struct home_test_world world;

	home_test_make(test, &world);
	perf_home_bring(world.owner->task);
	home_test_expect_home(test, &world);
	home_test_expect_refs(test, &world);
	/* Nothing is left to do. */
	perf_home_bring(world.owner->task);
	perf_home_bring(world.host->task);
	home_test_expect_home(test, &world);
	home_test_expect_refs(test, &world);
}

static void home_test_bring_host(struct kunit *test)
{
	struct home_test_world world;

	home_test_make(test, &world);
	perf_home_bring(world.host->task);
	home_test_expect_home(test, &world);
	home_test_expect_refs(test, &world);
}

static void home_test_take_own(struct kunit *test)
{
	struct home_test_world world;

	home_test_make(test, &world);
	KUNIT_EXPECT_FALSE(test, home_test_take(world.own, world.owner));
	KUNIT_EXPECT_FALSE(test, home_test_take(world.copy, world.host));
	KUNIT_EXPECT_FALSE(test, home_test_take(world.own, world.host));
	KUNIT_EXPECT_FALSE(test, home_test_take(world.copy, world.owner));
	home_test_expect_away(test, &world);
	home_test_expect_refs(test, &world);

	perf_home_bring(world.owner->task);
	KUNIT_EXPECT_TRUE(test, home_test_take(world.own, world.owner));
	KUNIT_EXPECT_TRUE(test, home_test_take(world.copy, world.host));
	home_test_expect_home(test, &world);
	home_test_expect_refs(test, &world);
}

/* An event that is opened on the owner joins its own context. */
static void home_test_open(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1 };
	struct perf_event *event;
	struct home_test_world world;

	home_test_make(test, &world);
	spec.task = world.owner->task;
	event = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(event), world.own);
	home_test_expect_home(test, &world);
	world.refs.nr[0]++;	/* the event's, on its context */
	world.refs.nr[2]++;	/* and on its task */
	home_test_expect_refs(test, &world);
}

/* The tasks keep their counts, also if the contexts are not equal any more. */
static void home_test_counts_stay(struct kunit *test)
{
	struct home_test_world world;

	home_test_make(test, &world);
	scoped_guard(mutex, &world.own->mutex)
		perf_swap_end_equal(world.own);
	local64_set(&test_newest_event(world.own)->count, 7);
	local64_set(&test_newest_event(world.copy)->count, 8);
	perf_home_bring(world.owner->task);
	home_test_expect_home(test, &world);
	KUNIT_EXPECT_EQ(test, 8,
			local64_read(&test_newest_event(world.own)->count));
	KUNIT_EXPECT_EQ(test, 7,
			local64_read(&test_newest_event(world.copy)->count));
}

/* An exit takes the task's own context from it, wherever that is. */
static void home_test_take_ctx(struct kunit *test)
{
	struct perf_ctx *ctx;
	struct task_struct *owner;
	struct home_test_world world;

	home_test_make(test, &world);
	owner = world.owner->task;
	ctx = perf_home_take_ctx(owner);
	KUNIT_EXPECT_PTR_EQ(test, ctx, world.own);
	KUNIT_EXPECT_NULL(test, perf_task_ctx(owner));
	/* Give it back: the task lives on. */
	WRITE_ONCE(owner->perf_event_ctxp, &ctx->pub);
	home_test_expect_home(test, &world);
	home_test_expect_refs(test, &world);
}

/* Tasks that have parted from their contexts, as in an exit, are left alone. */

static void home_test_owner_ctx_taken(struct kunit *test)
{
	struct task_struct *owner;
	struct home_test_world world;

	home_test_make(test, &world);
	owner = world.owner->task;
	WRITE_ONCE(owner->perf_event_ctxp, NULL);
	perf_home_bring(world.host->task);
	KUNIT_EXPECT_TRUE(test, home_test_take(world.own, world.host));
	home_test_expect_away(test, &world);

	/*
	 * A switch that comes at this moment returns the context to its task.
	 */
	WRITE_ONCE(owner->perf_event_ctxp, &world.own->pub);
	perf_home_bring(world.host->task);
	KUNIT_EXPECT_TRUE(test, home_test_take(world.own, world.host));
	WRITE_ONCE(owner->perf_event_ctxp, &world.copy->pub);
	home_test_expect_away(test, &world);
	home_test_expect_refs(test, &world);
}

static void home_test_host_ctx_taken(struct kunit *test)
{
	struct task_struct *host;
	struct home_test_world world;

	home_test_make(test, &world);
	host = world.host->task;
	WRITE_ONCE(host->perf_event_ctxp, NULL);
	perf_home_bring(world.owner->task);
	KUNIT_EXPECT_TRUE(test, home_test_take(world.copy, world.owner));
	WRITE_ONCE(world.own->pub.task, TASK_TOMBSTONE);
	perf_home_bring(world.owner->task);
	KUNIT_EXPECT_TRUE(test, home_test_take(world.copy, world.owner));
	WRITE_ONCE(world.own->pub.task, host);
	WRITE_ONCE(host->perf_event_ctxp, &world.own->pub);
	home_test_expect_away(test, &world);
	home_test_expect_refs(test, &world);
}

static struct task_struct *home_test_wanted;

static void home_test_bring_wanted(struct test_task *self)
{
	perf_home_bring(home_test_wanted);
}

/* Nothing is exchanged before both mutexes are free. */
static void home_test_waits(struct kunit *test)
{
	struct perf_ctx *second;
	struct test_task *bringer;
	struct home_test_world world;

	home_test_make(test, &world);
	bringer = test_task_fork(test, home_test_bring_wanted);
	second = max(world.own, world.copy);
	/* The task that has the other one, whose mutex is taken first. */
	home_test_wanted = second == world.own ? world.owner->task :
						 world.host->task;
	scoped_guard(mutex, &second->mutex) {
		test_task_go(bringer);
		msleep(20);
		KUNIT_EXPECT_FALSE(test, completion_done(&bringer->done));
		home_test_expect_away(test, &world);
	}
	wait_for_completion(&bringer->done);
	home_test_expect_home(test, &world);
}

/* Tasks that run. */

static void home_test_spin(struct test_task *self)
{
	complete(&self->started);
	while (READ_ONCE(self->child))
		cond_resched();
}

static void home_test_start(struct kunit *test, struct test_task *task, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(task->task, cpumask_of(cpu)));
	task->act = home_test_spin;
	task->child = task;
	test_task_go(task);
	wait_for_completion(&task->started);
}

static void home_test_stop(struct test_task *task)
{
	WRITE_ONCE(task->child, NULL);
	wait_for_completion(&task->done);
	test_task_wait_asleep(task);
}

static void home_test_bring_running(struct kunit *test, bool owner, bool host)
{
	struct home_test_world world;

	home_test_make(test, &world);
	if (owner)
		home_test_start(test, world.owner,
				cpumask_first(cpu_online_mask));
	if (host)
		home_test_start(test, world.host,
				cpumask_last(cpu_online_mask));
	perf_home_bring(world.owner->task);
	home_test_expect_home(test, &world);
	if (owner)
		home_test_stop(world.owner);
	if (host)
		home_test_stop(world.host);
	home_test_expect_home(test, &world);
}

static void home_test_owner_runs(struct kunit *test)
{
	home_test_bring_running(test, true, false);
}

static void home_test_host_runs(struct kunit *test)
{
	home_test_bring_running(test, false, true);
}

static void home_test_both_run(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	home_test_bring_running(test, true, true);
}

static struct kunit_case home_test_cases[] = {
	KUNIT_CASE(home_test_whose),
	KUNIT_CASE(home_test_bring),
	KUNIT_CASE(home_test_bring_host),
	KUNIT_CASE(home_test_take_own),
	KUNIT_CASE(home_test_open),
	KUNIT_CASE(home_test_counts_stay),
	KUNIT_CASE(home_test_take_ctx),
	KUNIT_CASE(home_test_owner_ctx_taken),
	KUNIT_CASE(home_test_host_ctx_taken),
	KUNIT_CASE(home_test_waits),
	KUNIT_CASE(home_test_owner_runs),
	KUNIT_CASE(home_test_host_runs),
	KUNIT_CASE(home_test_both_run),
	{ }
};

static struct kunit_suite home_test_suite = {
	.name		= "perf_home",
	.suite_init	= home_test_suite_init,
	.suite_exit	= home_test_suite_exit,
	.init		= home_test_init,
	.test_cases	= home_test_cases,
};

kunit_test_suite(home_test_suite);
