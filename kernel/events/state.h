/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "state": tables of the states that may follow each other.
 *
 * Each room that owns states has a const array of rows, by number of the state,
 * and one setter that looks up every change. If an object with states is inside
 * of another one with states, an array of pairs says which states the inner one
 * may have for each state of its container; the setters of both look there.
 * lab/check/state makes the tables of Documentation/core-api/perf/states.rst
 * from these arrays.
 */
#ifndef _KERNEL_EVENTS_STATE_H
#define _KERNEL_EVENTS_STATE_H

#include <linux/bits.h>
#include <linux/types.h>

struct perf_state_row {
	/* NULL if no object is ever in this state. */
	const char			*name;
	/*
	 * BIT() of each state that may follow; staying needs none. In an array
	 * of pairs, BIT() of each state that the inner object may have.
	 */
	unsigned int			to;
};

struct perf_state_table {
	/* The kind of object that has these states. */
	const char			*of;
	const struct perf_state_row	*rows;
	unsigned int			nr;
	/* A fault has been reported; further faults are not reported. */
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

/* For setters; no code without CONFIG_PERF_EVENTS_DEBUG_STATE. */
static inline void perf_state_check(struct perf_state_table *table,
				    unsigned int from, unsigned int to)
{
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE) &&
	    !perf_state_allowed(table, from, to))
		perf_state_report(table, from, to);
}

/* @pairs: by state of the container; @table: names of the inner states. */
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
