// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sched_key": enables the hooks of the task switch while needed.
 *
 * Purpose: a static key, and the number of its users. Switching it patches the
 * kernel and interrupts all CPUs, so it stays on for a second after its last
 * user.
 *
 * Owns: perf_sched_events, which the scheduler checks.
 *
 * Contexts: task to turn it on; any but NMI to release it.
 *
 * Locking: perf_sched_key_mutex to switch the key. Users take it only if they
 * find no other user.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "live.h"
#include "sched_key.h"

DEFINE_STATIC_KEY_FALSE(perf_sched_events);
static DEFINE_MUTEX(perf_sched_key_mutex);
static atomic_t perf_sched_key_users;

static void perf_sched_key_sync(void *unused)
{
}

/**
 * perf_sched_key_get() - request calls of the hooks of the task switch
 *
 * Context: task; may sleep, takes the CPU hotplug lock.
 */
void perf_sched_key_get(void)
{
	perf_live_add(PERF_LIVE_SWITCH_USERS, 1);
	if (atomic_inc_not_zero(&perf_sched_key_users))
		return;
	guard(mutex)(&perf_sched_key_mutex);
	if (!atomic_read(&perf_sched_key_users)) {
		static_branch_enable(&perf_sched_events);
		/* Not every architecture waits for other CPUs when patching. */
		on_each_cpu(perf_sched_key_sync, NULL, 1);
	}
	atomic_inc(&perf_sched_key_users);
}

static void perf_sched_key_off(struct work_struct *work)
{
	guard(mutex)(&perf_sched_key_mutex);
	if (atomic_dec_and_test(&perf_sched_key_users))
		static_branch_disable(&perf_sched_events);
}

static DECLARE_DELAYED_WORK(perf_sched_key_work, perf_sched_key_off);

/**
 * perf_sched_key_put() - undo perf_sched_key_get()
 *
 * The last user's count is kept for a second, so that programs that open and
 * close one event after the other do not patch the kernel each time.
 *
 * Context: any but NMI.
 */
void perf_sched_key_put(void)
{
	perf_live_add(PERF_LIVE_SWITCH_USERS, -1);
	if (!atomic_add_unless(&perf_sched_key_users, -1, 1))
		schedule_delayed_work(&perf_sched_key_work, HZ);
}
