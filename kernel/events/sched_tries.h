/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many groups that do not fit are tried; for room "sched" and its tests.
 *
 * To try a group that does not fit takes some thousand instructions, and a user
 * can open thousands of groups. So one pass over the groups of a PMU context
 * tries groups, those with the least service first, until PERF_SCHED_MISSES did
 * not fit. Then it skips some groups, and tries again until as many more did
 * not fit. The number of skipped groups changes from choice to choice, so that
 * all other groups try in turn.
 *
 * Pinned groups end after the first part: those that are not tried go to ERROR.
 */
#ifndef _KERNEL_EVENTS_SCHED_TRIES_H
#define _KERNEL_EVENTS_SCHED_TRIES_H

#include <linux/types.h>

#define PERF_SCHED_MISSES	16

struct perf_sched_tries {
	unsigned int	nr_waiting;	/* flexible groups that wait */
	unsigned int	choice;		/* number of the choice */
	unsigned int	missed;
	unsigned int	skip;		/* groups still to be skipped */
	bool		has_skip;	/* @skip was computed */
};

/* No later group is tried. */
static inline bool
perf_sched_tries_is_over(const struct perf_sched_tries *tries)
{
	return tries->missed >= 2 * PERF_SCHED_MISSES;
}

/* Groups may have been skipped. */
static inline bool
perf_sched_tries_is_partial(const struct perf_sched_tries *tries)
{
	return tries->missed >= PERF_SCHED_MISSES;
}

/*
 * How many groups are skipped in this choice. In as many choices as there are
 * windows of PERF_SCHED_MISSES, each group is tried.
 */
static inline unsigned int
perf_sched_tries_window(const struct perf_sched_tries *tries)
{
	unsigned int windows = tries->nr_waiting / PERF_SCHED_MISSES;

	if (tries->nr_waiting <= 2 * PERF_SCHED_MISSES)
		return 0;
	return tries->choice % windows * PERF_SCHED_MISSES;
}

/* Return: whether the next group is passed by. */
static inline bool perf_sched_tries_skip(struct perf_sched_tries *tries)
{
	if (!perf_sched_tries_is_partial(tries))
		return false;
	if (perf_sched_tries_is_over(tries))
		return true;
	if (!tries->has_skip) {
		tries->has_skip = true;
		tries->skip = perf_sched_tries_window(tries);
	}
	if (!tries->skip)
		return false;
	tries->skip--;
	return true;
}

#endif /* _KERNEL_EVENTS_SCHED_TRIES_H */
