/* SPDX-License-Identifier: GPL-2.0 */
/* A thread of a test that is in a walk on its CPU until it is told to end it. */
#ifndef _KERNEL_EVENTS_TESTS_WALKER_H
#define _KERNEL_EVENTS_TESTS_WALKER_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "../walk.h"

/**
 * struct test_walker - the thread
 * @task: with a reference
 * @begun: completed when it is in the walk
 * @patience_ns: after so many nanoseconds it ends the walk by itself
 * @leave: tells it to end the walk
 */
struct test_walker {
	struct task_struct	*task;
	struct completion	begun;
	u64			patience_ns;
	bool			leave;
};

static inline int test_walker_run(void *arg)
{
	struct test_walker *walker = arg;
	u64 end = ktime_get_ns() + walker->patience_ns;

	preempt_disable();
	perf_walk_begin();
	complete(&walker->begun);
	while (!READ_ONCE(walker->leave) && ktime_get_ns() < end)
		cpu_relax();
	perf_walk_end();
	preempt_enable();
	return 0;
}

static inline void test_walker_start(struct kunit *test,
				     struct test_walker *walker, int cpu,
				     u64 patience_ns)
{
	memset(walker, 0, sizeof(*walker));
	init_completion(&walker->begun);
	walker->patience_ns = patience_ns;
	walker->task = kthread_create_on_cpu(test_walker_run, walker, cpu,
					     "perf_kunit/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(walker->task));
	get_task_struct(walker->task);
	wake_up_process(walker->task);
	wait_for_completion(&walker->begun);
}

static inline void test_walker_end(struct test_walker *walker)
{
	WRITE_ONCE(walker->leave, true);
	kthread_stop_put(walker->task);
}

#endif /* _KERNEL_EVENTS_TESTS_WALKER_H */
