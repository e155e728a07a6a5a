// SPDX-License-Identifier: GPL-2.0
/*
 * Room "state": tables that say which state may follow which, and which goes with
 * which.
 *
 * Purpose: looks changes of state up, whosever they are, and reports those that a
 * table does not have.
 *
 * Owns: nothing but the mark that a table's fault has been reported.
 *
 * Contexts: any, NMI included.
 *
 * Locking: none; who changes a state sees to it that it stands meanwhile.
 */
#include <linux/bug.h>
#include "state.h"

/**
 * perf_state_name - what messages and documents call a state
 * @table: table
 * @state: number of a state
 *
 * Context: any.
 * Return: constant string; "?" for a number that is no state.
 */
const char *perf_state_name(const struct perf_state_table *table,
			    unsigned int state)
{
	const char *name = state < table->nr ? table->rows[state].name : NULL;

	return name ?: "?";
}

/**
 * perf_state_allowed - may an object go from one state to another?
 * @table: table
 * @from: present state
 * @to: next state; staying is always allowed
 *
 * Context: any.
 * Return: true when the table has it; false also if either is no state.
 */
bool perf_state_allowed(const struct perf_state_table *table,
			unsigned int from, unsigned int to)
{
	if (from >= table->nr || !table->rows[from].name ||
	    to >= table->nr || !table->rows[to].name)
		return false;
	return from == to || table->rows[from].to & BIT(to);
}

/**
 * perf_state_report - say that a change is not in the table, the first time
 * @table: table
 * @from: present state
 * @to: next state
 *
 * Context: any.
 */
void perf_state_report(struct perf_state_table *table,
		       unsigned int from, unsigned int to)
{
	if (READ_ONCE(table->reported))
		return;
	WRITE_ONCE(table->reported, true);
	WARN(1, "perf: %s: %s to %s\n", table->of,
	     perf_state_name(table, from), perf_state_name(table, to));
}

/**
 * perf_state_together - may something be in a state inside of something else?
 * @pairs: table by the state of what is around it
 * @around: that state
 * @inside: the state in question
 *
 * Context: any.
 * Return: true when the table has it.
 */
bool perf_state_together(const struct perf_state_table *pairs,
			 unsigned int around, unsigned int inside)
{
	if (around >= pairs->nr ||
	    inside >= BITS_PER_BYTE * sizeof(pairs->rows->to))
		return false;
	return pairs->rows[around].to & BIT(inside);
}

/**
 * perf_state_report_pair - say that a pair is not in the table, the first time
 * @pairs: table by the state of what is around
 * @table: table of what is inside, for the names
 * @around: state of the one
 * @inside: state of the other
 *
 * Context: any.
 */
void perf_state_report_pair(struct perf_state_table *pairs,
			    const struct perf_state_table *table,
			    unsigned int around, unsigned int inside)
{
	if (READ_ONCE(pairs->reported))
		return;
	WRITE_ONCE(pairs->reported, true);
	WARN(1, "perf: %s: %s in %s\n", pairs->of,
	     perf_state_name(table, inside), perf_state_name(pairs, around));
}
