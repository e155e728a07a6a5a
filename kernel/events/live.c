// SPDX-License-Identifier: GPL-2.0
/*
 * Room "live": counts the objects that the core has at this moment.
 *
 * Purpose: make leaks visible from outside. Code that makes or charges
 * something adds to a counter, and code that frees it subtracts the same. When
 * the last user has gone, and a grace period has passed, each counter has its
 * old value again. The room sched_key counts its users here, and switches its
 * key off when their sum is 0.
 *
 * Owns: perf_live_counts; with CONFIG_DEBUG_FS also the file
 * /sys/kernel/debug/perf_events/live, which has a line for each member of enum
 * perf_live: its name and its number.
 *
 * Contexts: any but NMI to count; task to read the file.
 *
 * Lifetime: static.
 *
 * Locking: none. Each CPU adds to its own counters, with one instruction on
 * most machines. A sum is exact while no CPU adds to the counter.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>

#include "live.h"

DEFINE_PER_CPU_ALIGNED(long [PERF_LIVE_NR], perf_live_counts);

/**
 * perf_live_sum() - sum up a counter over all CPUs
 * @what: the counter
 *
 * Context: any.
 * Return: the sum; it may miss a part of what other CPUs add meanwhile.
 */
long perf_live_sum(enum perf_live what)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(perf_live_counts, cpu)[what]);
	return sum;
}

#ifdef CONFIG_DEBUG_FS
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
	[PERF_LIVE_FILE_FILTERS]	= "file_filters",
};

static_assert(ARRAY_SIZE(perf_live_names) == PERF_LIVE_NR);

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
#endif
