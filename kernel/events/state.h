/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "state": tables that say which state may follow which.
 *
 * Each room that owns states has a const array of rows, by number of the state,
 * and one setter that looks every change up. Where what is inside of something
 * else has states, too, an array of pairs says which of them go with which state of
 * what is around it; the setters of both look there. lab/check/state makes the
 * tables of Documentation/core-api/perf/states.rst from these arrays.
 */
#ifndef _KERNEL_EVENTS_STATE_H
#define _KERNEL_EVENTS_STATE_H

#include <linux/bits.h>
#include <linux/types.h>

struct perf_state_row {
	/* NULL: no object is ever in this state. */
	const char			*name;
	/*
	 * BIT() of each state that may follow; staying needs none. Of a pair,
	 * of each state that what is inside may have.
	 */
	unsigned int			to;
};

struct perf_state_table {
	/* What is in these states. */
	const char			*of;
	const struct perf_state_row	*rows;
	unsigned int			nr;
	/* A fault has been reported; one is enough. */
	bool				reported;
};

bool perf_state_allowed(const struct perf_state_table *table,
			unsigned int from, unsigned int to);
const char *perf_state_name(const struct perf_state_table *table,
			    unsigned int state);
void perf_state_report(struct perf_state_table *table,
		       unsigned int from, unsigned int to);
bool perf_state_together(const struct perf_state_table *pairs,
			 unsigned int around, unsigned int inside);
void perf_state_report_pair(struct perf_state_table *pairs,
			    const struct perf_state_table *table,
			    unsigned int around, unsigned int inside);

/* For setters: nothing at all, unless the kernel checks itself. */
static inline void perf_state_check(struct perf_state_table *table,
				    unsigned int from, unsigned int to)
{
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE) &&
	    !perf_state_allowed(table, from, to))
		perf_state_report(table, from, to);
}

/* @pairs by the state around; @table has the names of the states inside. */
static inline void perf_state_check_pair(struct perf_state_table *pairs,
					 const struct perf_state_table *table,
					 unsigned int around,
					 unsigned int inside)
{
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE) &&
	    !perf_state_together(pairs, around, inside))
		perf_state_report_pair(pairs, table, around, inside);
}

#endif /* _KERNEL_EVENTS_STATE_H */
