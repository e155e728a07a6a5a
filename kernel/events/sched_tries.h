/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many groups that do not fit are tried; for room "sched" and its tests.
 *
 * To try a group that does not fit takes some thousand instructions, and a user
 * can open thousands of groups. So one pass over the groups of a PMU context
 * tries groups, those with the least service first, until PERF_SCHED_MISSES did
 * not fit. Then it skips some groups, and tries again until as many more did
 * not fit. The number of skipped groups changes from choice to choice, so that
 * all other groups try in turn. Pinned groups that are not tried go to ERROR.
 *
 * All events of a group may be added before the last one finds no room, so a
 * large group counts as several, but not as more than half of a pass.
 */
#ifndef _KERNEL_EVENTS_SCHED_TRIES_H
#define _KERNEL_EVENTS_SCHED_TRIES_H

#include <linux/minmax.h>
#include <linux/types.h>

#define PERF_SCHED_MISSES	16
/* Events of a group that count as one miss. */
#define PERF_SCHED_MISS_EVENTS	16

struct perf_sched_tries {
	unsigned int	missed;
	unsigned int	skip;	/* groups still to be skipped */
	unsigned int	shift;	/* added to @skip if a large group misses */
};

/*
 * For @nr_waiting flexible groups, and the choice of this number. In as many
 * choices as there are windows of PERF_SCHED_MISSES, each group is tried. In a
 * window of large groups only the first ones are tried, so then the windows are
 * shifted from time to time, until each group has been the first one.
 */
static inline struct perf_sched_tries
perf_sched_tries_begin(unsigned int nr_waiting, unsigned int choice)
{
	unsigned int windows = nr_waiting <= 2 * PERF_SCHED_MISSES ? 1 :
			       nr_waiting / PERF_SCHED_MISSES;

	return (struct perf_sched_tries) {
		.skip	= choice % windows * PERF_SCHED_MISSES,
		.shift	= choice / windows % (3 * PERF_SCHED_MISSES),
	};
}

static inline void perf_sched_tries_miss(struct perf_sched_tries *tries,
					 unsigned int nr_siblings)
{
	unsigned int more = min(nr_siblings / PERF_SCHED_MISS_EVENTS,
				PERF_SCHED_MISSES - 1U);

	tries->missed += 1 + more;
	if (more) {
		tries->skip += tries->shift;
		tries->shift = 0;
	}
}

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

/* Return: whether the next group is passed by. */
static inline bool perf_sched_tries_skip(struct perf_sched_tries *tries)
{
	if (!perf_sched_tries_is_partial(tries))
		return false;
	if (perf_sched_tries_is_over(tries))
		return true;
	if (!tries->skip)
		return false;
	tries->skip--;
	return true;
}

#endif /* _KERNEL_EVENTS_SCHED_TRIES_H */
