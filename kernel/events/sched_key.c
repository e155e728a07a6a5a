// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sched_key": enables the hooks of the task switch while needed.
 *
 * Purpose: a static key. Switching it patches the kernel and interrupts all
 * CPUs, so it is switched off at most once a second. The room "live" counts the
 * users, each CPU on its own, because CPUs open events at the same time.
 *
 * Owns: perf_sched_events, which the scheduler checks.
 *
 * Contexts: task to turn it on; any but NMI to release it.
 *
 * Locking: perf_sched_key.mutex to switch the key. Users take it only if they
 * find the flag perf_sched_key.is_on cleared.
 *
 * Race, a user comes while the work looks for users:
 *  1. the work has found no user. It clears the flag;
 *  2. it adds up the numbers of all CPUs once more;
 *  3. a user adds to the number of a CPU that the work has already looked at. It
 *     reads the flag after that, sees it cleared, and waits for the mutex;
 *  4. the work switches the key off, or sets the flag again. Then the user
 *     switches the key on, unless the flag is set.
 *
 * Race, the work runs twice, and a user comes before the second time:
 *  1. the work has switched the key off, and is scheduled again;
 *  2. a user adds to its CPU's number, and sees that the flag is cleared;
 *  3. the work has the mutex before the user. The flag is cleared, so it changes
 *     nothing, and leaves it to the user to switch the key on.
 *
 * Race, the last user leaves while the work looks for users:
 *  1. the work has begun, so it is no longer pending, and looks at a CPU;
 *  2. the user subtracts from the number of that CPU, and sees that no work is
 *     pending. So it schedules the work again.
 */
#include <linux/cache.h>
#include <linux/cleanup.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "live.h"
#include "sched_key.h"

DEFINE_STATIC_KEY_FALSE(perf_sched_events);

/* Opens and closes read it; it is written about once a second. */
struct perf_sched_key {
	/* mutex: the hooks are on, and nobody is about to switch them off. */
	bool			is_on;
	struct delayed_work	work;
	/* Held while the key is switched. */
	struct mutex		mutex;
};

static void perf_sched_key_check(struct work_struct *work)
{
	struct perf_sched_key *key = container_of(to_delayed_work(work),
						  struct perf_sched_key, work);

	guard(mutex)(&key->mutex);
	if (!key->is_on || perf_live_sum(PERF_LIVE_SWITCH_USERS))
		return;
	WRITE_ONCE(key->is_on, false);
	smp_mb(); /* the flag is cleared before users are counted */
	/* The hooks have been on all the time. */
	if (perf_live_sum(PERF_LIVE_SWITCH_USERS))
		WRITE_ONCE(key->is_on, true);
	else
		static_branch_disable(&perf_sched_events);
}

static struct perf_sched_key perf_sched_key ____cacheline_aligned = {
	.work	= __DELAYED_WORK_INITIALIZER(perf_sched_key.work,
					     perf_sched_key_check, 0),
	.mutex	= __MUTEX_INITIALIZER(perf_sched_key.mutex),
};

static void perf_sched_key_sync(void *unused)
{
}

static void perf_sched_key_on(void)
{
	guard(mutex)(&perf_sched_key.mutex);
	if (perf_sched_key.is_on)
		return;
	static_branch_enable(&perf_sched_events);
	/* Not every architecture waits for other CPUs when patching. */
	on_each_cpu(perf_sched_key_sync, NULL, 1);
	/* A user that sees the flag relies on the hooks of all CPUs. */
	smp_store_release(&perf_sched_key.is_on, true);
}

/**
 * perf_sched_key_get() - request calls of the hooks of the task switch
 *
 * Context: task; may sleep, takes the CPU hotplug lock.
 */
void perf_sched_key_get(void)
{
	perf_live_add(PERF_LIVE_SWITCH_USERS, 1);
	smp_mb(); /* the user is counted before the flag is read */
	if (!smp_load_acquire(&perf_sched_key.is_on))
		perf_sched_key_on();
}

/**
 * perf_sched_key_put() - undo perf_sched_key_get()
 *
 * The key stays on for up to a second, so that programs that open and close one
 * event after the other do not patch the kernel each time.
 *
 * Context: any but NMI.
 */
void perf_sched_key_put(void)
{
	perf_live_add(PERF_LIVE_SWITCH_USERS, -1);
	smp_mb(); /* the user is gone before the work is looked at */
	if (!delayed_work_pending(&perf_sched_key.work))
		queue_delayed_work(system_unbound_wq, &perf_sched_key.work,
				   HZ);
}

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
#include "tests/sched_key_kunit.c"
#endif
