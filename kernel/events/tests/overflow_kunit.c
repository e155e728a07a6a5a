// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room overflow: an event is freed while its irq_work is pending.
 * The test itself marks the work as pending and late.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>

#include "../overflow.h"
#include "fake_pmu.h"

#define CLOSE_US	1000000
#define GRACE_PERIODS	5
#define FOREVER_MS	3600000

static struct fake_pmu fake;

/*
 * An event that another CPU closes. The reference count of its namespace shows
 * when the event is freed.
 */
struct of_world {
	struct perf_event	*event;
	struct pid_namespace	ns;
	struct completion	done;
	struct completion	begin;
	bool			closed;
};

static int of_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_overflow");
}

static void of_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static bool of_is_freed(struct of_world *world)
{
	return refcount_read(&world->ns.ns.count) == 1;
}

static int of_close(void *arg)
{
	struct of_world *world = arg;

	wait_for_completion(&world->begin);
	perf_event_release_kernel(world->event);
	smp_store_release(&world->closed, true); /* pairs with of_close_busy() */
	complete(&world->done);
	return 0;
}

static void of_open(struct kunit *test, struct of_world *world)
{
	struct fake_pmu_spec spec = { .cpu = cpumask_first(cpu_online_mask) };

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	world->event = fake_pmu_try_open(&fake, &spec);
	KUNIT_ASSERT_FALSE(test, IS_ERR(world->event));
	refcount_set(&world->ns.ns.count, 2);
	put_pid_ns(world->event->ns);
	world->event->ns = &world->ns;
	init_completion(&world->begin);
	init_completion(&world->done);
}

/* Starts a thread on another CPU than this one. */
static bool of_start_closer(struct of_world *world)
{
	unsigned int cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	struct task_struct *closer;

	closer = kthread_create_on_cpu(of_close, world, cpu, "perf_kunit/%u");
	if (IS_ERR(closer)) {
		complete(&world->begin);
		of_close(world);
		return false;
	}
	wake_up_process(closer);
	return true;
}

/* Return: whether the event was closed; then its work is pending. */
static bool of_close_busy(struct of_world *world)
{
	guard(preempt)(); /* no grace period ends here */
	complete(&world->begin);
	for (int us = 0; us < CLOSE_US; us++) {
		/* Pairs with of_close(). */
		if (smp_load_acquire(&world->closed)) {
			atomic_or(IRQ_WORK_BUSY,
				  &world->event->pending_irq.node.a_flags);
			return true;
		}
		udelay(1);
	}
	return false;
}

/* A closed event is not freed before its pending work has run. */
static void of_pending_late(struct kunit *test)
{
	struct of_world *world;
	bool closed;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	of_open(test, world);
	perf_overflow_pretend_late = true;
	migrate_disable();
	closed = of_start_closer(world) && of_close_busy(world);
	migrate_enable();
	wait_for_completion(&world->done);
	KUNIT_ASSERT_TRUE(test, closed);
	for (int i = 0; i < GRACE_PERIODS; i++)
		rcu_barrier();
	KUNIT_EXPECT_FALSE(test, of_is_freed(world));
	if (!of_is_freed(world))
		atomic_andnot(IRQ_WORK_BUSY,
			      &world->event->pending_irq.node.a_flags);
	for (int i = 0; i < GRACE_PERIODS; i++)
		rcu_barrier();
	KUNIT_EXPECT_TRUE(test, of_is_freed(world));
	perf_overflow_pretend_late = false;
}

static struct kunit_case of_cases[] = {
	KUNIT_CASE(of_pending_late),
	{ }
};

static struct kunit_suite of_suite = {
	.name		= "perf_overflow",
	.suite_init	= of_suite_init,
	.suite_exit	= of_suite_exit,
	.test_cases	= of_cases,
};

kunit_test_suite(of_suite);
