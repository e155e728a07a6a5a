/* SPDX-License-Identifier: GPL-2.0 */
/* Room "live": counts the core's objects and what it charges to limits. */
#ifndef _KERNEL_EVENTS_LIVE_H
#define _KERNEL_EVENTS_LIVE_H

#include <linux/percpu.h>

/**
 * enum perf_live - what is counted
 * @PERF_LIVE_EVENTS: events, until their memory is freed
 * @PERF_LIVE_ON_PMU: events on the list of a PMU, whose module they pin
 * @PERF_LIVE_SWITCH_USERS: users of the hooks in the task switch
 * @PERF_LIVE_SW_USERS: users of the keys of software events
 * @PERF_LIVE_CONTEXTS: contexts of tasks and families, until they are freed
 * @PERF_LIVE_BUFFERS: buffers
 * @PERF_LIVE_USER_PAGES: locked pages within the allowance of their users
 * @PERF_LIVE_PINNED_PAGES: locked pages beyond it, charged to an mm
 * @PERF_LIVE_AUX_AREAS: AUX areas
 * @PERF_LIVE_STACK_USERS: users of recorded call chains
 * @PERF_LIVE_FILE_FILTERS: lists of address filters that name a file
 * @PERF_LIVE_NR: number of counters
 *
 * On 64 bits the first eight are in one cache line. An open and its close change
 * three of them, or four for a software event.
 */
enum perf_live {
	PERF_LIVE_EVENTS,
	PERF_LIVE_ON_PMU,
	PERF_LIVE_SWITCH_USERS,
	PERF_LIVE_SW_USERS,
	PERF_LIVE_CONTEXTS,
	PERF_LIVE_BUFFERS,
	PERF_LIVE_USER_PAGES,
	PERF_LIVE_PINNED_PAGES,
	PERF_LIVE_AUX_AREAS,
	PERF_LIVE_STACK_USERS,
	PERF_LIVE_FILE_FILTERS,
	PERF_LIVE_NR,
};

DECLARE_PER_CPU_ALIGNED(long [PERF_LIVE_NR], perf_live_counts);

/* Any context but NMI. One CPU may subtract what another CPU has added. */
static inline void perf_live_add(enum perf_live what, long nr)
{
	this_cpu_add(perf_live_counts[what], nr);
}

long perf_live_sum(enum perf_live what);

#endif /* _KERNEL_EVENTS_LIVE_H */
