// SPDX-License-Identifier: GPL-2.0
/*
 * Room "live": what the core has at this moment.
 *
 * Purpose: whether something leaks can be seen from outside. Whoever makes or
 * charges something adds to a number, and whoever frees it takes that away;
 * after the last user has gone, and a grace period, each is what it was.
 *
 * Owns: perf_live_counts, and the file /sys/kernel/debug/perf_events/live: a
 * line for each of enum perf_live, its name and its number.
 *
 * Contexts: task and softirq to count; process to read.
 *
 * Lifetime: static.
 *
 * Locking: none. Each CPU adds to its own numbers, one instruction each on most
 * machines. A sum is exact when nobody is at work meanwhile.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>

#include "live.h"

DEFINE_PER_CPU(long [PERF_LIVE_NR], perf_live_counts);

static const char * const perf_live_names[] = {
	[PERF_LIVE_EVENTS]		= "events",
	[PERF_LIVE_ON_PMU]		= "events_on_pmu",
	[PERF_LIVE_CONTEXTS]		= "contexts",
	[PERF_LIVE_BUFFERS]		= "buffers",
	[PERF_LIVE_AUX_AREAS]		= "aux_areas",
	[PERF_LIVE_USER_PAGES]		= "user_pages",
	[PERF_LIVE_PINNED_PAGES]	= "pinned_pages",
	[PERF_LIVE_STACK_USERS]		= "stack_users",
	[PERF_LIVE_SWITCH_USERS]	= "switch_users",
	[PERF_LIVE_SW_USERS]		= "sw_users",
};

static_assert(ARRAY_SIZE(perf_live_names) == PERF_LIVE_NR);

/**
 * perf_live_sum - how many there are
 * @what: of what
 *
 * Context: any.
 * Return: the number; what others do meanwhile may be in it by half.
 */
long perf_live_sum(enum perf_live what)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(perf_live_counts, cpu)[what]);
	return sum;
}

static int perf_live_show(struct seq_file *file, void *unused)
{
	for (int what = 0; what < PERF_LIVE_NR; what++)
		seq_printf(file, "%s %ld\n", perf_live_names[what],
			   perf_live_sum(what));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(perf_live);

static int __init perf_live_init(void)
{
	struct dentry *dir = debugfs_create_dir("perf_events", NULL);

	debugfs_create_file("live", 0400, dir, NULL, &perf_live_fops);
	return 0;
}
late_initcall(perf_live_init);
