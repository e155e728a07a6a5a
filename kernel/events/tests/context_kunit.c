// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room context: PMU contexts that stay and that go, tasks that
 * wait for them, the data that a PMU keeps with each task, events that a
 * worker frees, that user space can read, and that move while their context is
 * being locked.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/iopoll.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "../context.h"
#include "../event.h"
#include "fake_pmu.h"

#define FOREVER_MS	3600000
#define PATIENCE_US	(10 * USEC_PER_SEC)
#define NR_LATE		3

static struct fake_pmu fake;

static int context_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_context");
}

static void context_test_suite_exit(struct kunit_suite *suite)
{
	if (fake.pmu.type >= 0)
		fake_pmu_unregister(&fake);
	else
		free_percpu(fake.cpus);
}

/* Some cases unregister the PMU. */
static int context_test_init(struct kunit *test)
{
	int err = 0;

	if (fake.pmu.type < 0)
		err = perf_pmu_register(&fake.pmu, "kunit_context", -1);
	if (!err)
		fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return err;
}

/* A context that no task uses. */
static struct perf_ctx *context_test_make_ctx(struct kunit *test)
{
	struct perf_ctx *ctx = perf_ctx_alloc_task(current);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	return ctx;
}

static struct perf_pmu_ctx *
context_test_get_pmu_ctx(struct kunit *test, struct perf_ctx *ctx)
{
	struct perf_pmu_ctx *epc = perf_epc_get(&fake.pmu, ctx, false);

	KUNIT_ASSERT_FALSE(test, IS_ERR(epc));
	return epc;
}

/* A PMU context that stayed without events is like a new one. */
static void context_test_pmu_ctx_stays(struct kunit *test)
{
	struct perf_ctx *ctx = context_test_make_ctx(test);
	struct perf_pmu_ctx *epc = context_test_get_pmu_ctx(test, ctx);

	epc->least_service = 1;
	epc->interval = 1;
	epc->nr_waiting = 1;
	epc->choice = 1;
	epc->chosen_at = 1;
	epc->chosen = true;
	epc->rotate_necessary = true;
	epc->chosen_cpu = 0;
	epc->most_at = 1;
	epc->most_service = 1;
	epc->turn_choice = 1;
	epc->turn_due = 1;
	perf_epc_put(epc);
	KUNIT_EXPECT_FALSE(test, list_empty(&ctx->pmu_ctx_list));

	KUNIT_EXPECT_PTR_EQ(test, context_test_get_pmu_ctx(test, ctx), epc);
	KUNIT_EXPECT_EQ(test, atomic_read(&epc->refcount), 1);
	KUNIT_EXPECT_EQ(test, epc->least_service, 0);
	KUNIT_EXPECT_EQ(test, epc->interval, 0);
	KUNIT_EXPECT_EQ(test, epc->nr_waiting, 0);
	KUNIT_EXPECT_EQ(test, epc->choice, 0);
	KUNIT_EXPECT_EQ(test, epc->chosen_at, 0);
	KUNIT_EXPECT_FALSE(test, epc->chosen);
	KUNIT_EXPECT_FALSE(test, epc->rotate_necessary);
	KUNIT_EXPECT_EQ(test, epc->chosen_cpu, PERF_CPU_NONE);
	KUNIT_EXPECT_EQ(test, epc->most_at, 0);
	KUNIT_EXPECT_EQ(test, epc->most_service, 0);
	KUNIT_EXPECT_EQ(test, epc->turn_choice, 0);
	KUNIT_EXPECT_EQ(test, epc->turn_due, 0);
	perf_epc_put(epc);
	perf_ctx_put(ctx);
}

static void context_test_use_ctx(struct kunit *test)
{
	perf_ctx_put(context_test_make_ctx(test));
}

static void context_test_ctx_is_freed(struct kunit *test)
{
	fake_expect_freed(test, context_test_use_ctx,
			  sizeof(struct perf_ctx));
}

/* Tasks that wait. */

static DECLARE_COMPLETION(context_test_unregistered);

static int context_test_unregister(void *unused)
{
	perf_pmu_unregister(&fake.pmu);
	complete(&context_test_unregistered);
	return 0;
}

/* Unregisters the PMU in a thread, which has to wait for a PMU context. */
static void context_test_begin_unregister(struct kunit *test)
{
	struct task_struct *task;

	reinit_completion(&context_test_unregistered);
	task = kthread_run(context_test_unregister, NULL, "perf_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_FALSE(test, wait_for_completion_timeout(&context_test_unregistered,
							     HZ / 10));
}

/* The PMU context is gone. The thread should have been woken. */
static void context_test_end_unregister(struct kunit *test)
{
	if (wait_for_completion_timeout(&context_test_unregistered, 10 * HZ))
		return;
	KUNIT_FAIL(test, "nobody wakes the one that waits for the PMU context");
	wake_up_var(&fake.pmu);
	wait_for_completion(&context_test_unregistered);
}

static void context_test_pmu_ctx_goes(struct kunit *test)
{
	struct perf_ctx *ctx = context_test_make_ctx(test);
	struct perf_pmu_ctx *epc = context_test_get_pmu_ctx(test, ctx);

	context_test_begin_unregister(test);
	perf_epc_put(epc);
	context_test_end_unregister(test);
	KUNIT_EXPECT_TRUE(test, list_empty(&ctx->pmu_ctx_list));
	perf_ctx_put(ctx);
}

/* A PMU context without events is freed with its context. */
static void context_test_ctx_goes(struct kunit *test)
{
	struct perf_ctx *ctx = context_test_make_ctx(test);

	perf_epc_put(context_test_get_pmu_ctx(test, ctx));
	refcount_set(&ctx->refcount, 0);
	context_test_begin_unregister(test);
	refcount_set(&ctx->refcount, 1);
	perf_ctx_put(ctx);
	context_test_end_unregister(test);
}

/* Data of the PMU. */

static void context_test_end_cache(void *cache)
{
	fake.pmu.task_ctx_cache = NULL;
	/* Parts are freed after a grace period; the cache warns about objects. */
	rcu_barrier();
	kmem_cache_destroy(cache);
}

static void context_test_begin_cache(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("kunit_context", 64, 0,
						     SLAB_NO_MERGE, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	fake.pmu.task_ctx_cache = cache;
	fake_pmu_undo(test, context_test_end_cache, cache);
}

/*
 * A task's data are allocated with the first event that needs them, and freed
 * with the PMU context.
 */
static void context_test_task_data(struct kunit *test)
{
	struct perf_ctx *ctx = context_test_make_ctx(test);
	struct perf_pmu_ctx *epc = context_test_get_pmu_ctx(test, ctx);
	void *data;

	context_test_begin_cache(test);
	KUNIT_EXPECT_NULL(test, epc->pub.task_ctx_data);
	KUNIT_EXPECT_PTR_EQ(test, perf_epc_get(&fake.pmu, ctx, true), epc);
	data = epc->pub.task_ctx_data;
	KUNIT_ASSERT_NOT_NULL(test, data);
	KUNIT_EXPECT_NULL(test, memchr_inv(data, 0, 64));
	KUNIT_EXPECT_PTR_EQ(test, perf_epc_get(&fake.pmu, ctx, true), epc);
	KUNIT_EXPECT_PTR_EQ(test, epc->pub.task_ctx_data, data);
	KUNIT_EXPECT_EQ(test, atomic_read(&epc->refcount), 3);
	for (int i = 0; i < 3; i++)
		perf_epc_put(epc);
	KUNIT_EXPECT_TRUE(test, list_empty(&ctx->pmu_ctx_list));
	perf_ctx_put(ctx);
}

static void context_test_no_task_data(struct kunit *test)
{
	struct perf_ctx *ctx = context_test_make_ctx(test);
	struct perf_pmu_ctx *epc = context_test_get_pmu_ctx(test, ctx);

	KUNIT_EXPECT_EQ(test, PTR_ERR(perf_epc_get(&fake.pmu, ctx, true)),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, atomic_read(&epc->refcount), 1);
	perf_epc_put(epc);
	perf_ctx_put(ctx);
}

/* Events. */

static bool context_test_has_events(void)
{
	return test_pmu_nr_events(&fake.pmu);
}

/* Only the last reference counts, and none of several events is forgotten. */
static void context_test_put_late(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpumask_first(cpu_online_mask) };
	struct perf_event *event[NR_LATE];
	bool has;

	for (int i = 0; i < NR_LATE; i++) {
		event[i] = fake_pmu_open(test, &fake, &spec);
		perf_event_get_ref(event[i]);
		perf_event_get_ref(event[i]);
	}
	for (int i = 0; i < NR_LATE; i++) {
		fake_pmu_close(test, event[i]);
		perf_event_put_late(event[i]);
		KUNIT_EXPECT_EQ(test, atomic_long_read(&event[i]->refcount), 1);
	}
	KUNIT_EXPECT_TRUE(test, context_test_has_events());
	for (int i = 0; i < NR_LATE; i++)
		perf_event_put_late(event[i]);
	read_poll_timeout(context_test_has_events, has, !has, 1000, PATIENCE_US,
			  false);
	KUNIT_EXPECT_FALSE(test, has);
}

/* Events that user space can read by itself. */

static int (*context_test_fake_init)(struct perf_event *event);

static int context_test_init_user_read(struct perf_event *event)
{
	int err = context_test_fake_init(event);

	if (!err)
		event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	return err;
}

static void context_test_nr_user(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpumask_first(cpu_online_mask) };
	struct perf_ctx *ctx = &per_cpu_ptr(&perf_cpu_context, spec.cpu)->ctx;
	int others = ctx->pub.nr_user;
	struct perf_event *event;

	fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_EQ(test, ctx->pub.nr_user, others);
	context_test_fake_init = fake.pmu.event_init;
	fake.pmu.event_init = context_test_init_user_read;
	event = fake_pmu_try_open(&fake, &spec);
	fake.pmu.event_init = context_test_fake_init;
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, ctx->pub.nr_user, others + 1);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, ctx->pub.nr_user, others);
}

/* An event whose context is another one when the first is locked. */

struct context_test_waiter {
	struct perf_event	event;
	struct perf_ctx		*locked;
	struct completion	done;
};

static int context_test_lock(void *arg)
{
	struct context_test_waiter *waiter = arg;

	waiter->locked = perf_event_ctx_lock(&waiter->event);
	perf_event_ctx_unlock(&waiter->event, waiter->locked);
	complete(&waiter->done);
	return 0;
}

static void context_test_event_moves(struct kunit *test)
{
	struct perf_ctx *from = context_test_make_ctx(test);
	struct perf_ctx *to = context_test_make_ctx(test);
	struct context_test_waiter *waiter;
	struct task_struct *task;
	unsigned int nr;

	waiter = kunit_kzalloc(test, sizeof(*waiter), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, waiter);
	init_completion(&waiter->done);
	waiter->event.ctx = &from->pub;
	mutex_lock(&from->mutex);
	task = kthread_run(context_test_lock, waiter, "perf_kunit");
	if (!IS_ERR(task))
		read_poll_timeout(refcount_read, nr, nr == 2, 1000, PATIENCE_US,
				  false, &from->refcount);
	WRITE_ONCE(waiter->event.ctx, &to->pub);
	mutex_unlock(&from->mutex);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&waiter->done);

	KUNIT_EXPECT_EQ(test, nr, 2);
	KUNIT_EXPECT_PTR_EQ(test, waiter->locked, to);
	KUNIT_EXPECT_EQ(test, refcount_read(&from->refcount), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&to->refcount), 1);
	perf_ctx_put(from);
	perf_ctx_put(to);
}

static struct kunit_case context_test_cases[] = {
	KUNIT_CASE(context_test_pmu_ctx_stays),
	KUNIT_CASE(context_test_ctx_is_freed),
	KUNIT_CASE(context_test_pmu_ctx_goes),
	KUNIT_CASE(context_test_ctx_goes),
	KUNIT_CASE(context_test_task_data),
	KUNIT_CASE(context_test_no_task_data),
	KUNIT_CASE(context_test_put_late),
	KUNIT_CASE(context_test_nr_user),
	KUNIT_CASE(context_test_event_moves),
	{ }
};

static struct kunit_suite context_test_suite = {
	.name		= "perf_context",
	.suite_init	= context_test_suite_init,
	.suite_exit	= context_test_suite_exit,
	.init		= context_test_init,
	.test_cases	= context_test_cases,
};

kunit_test_suite(context_test_suite);
