// SPDX-License-Identifier: GPL-2.0
/*
 * Room "state": tables of the states that may follow each other, and of those
 * that two objects may have at the same time.
 *
 * Purpose: look up state changes of all kinds of objects, and report those that
 * a table does not have.
 *
 * Owns: only the mark that a fault has been reported for a table.
 *
 * Contexts: any, NMI included.
 *
 * Locking: none; the caller makes sure that nobody else changes the state.
 */
#include <linux/bug.h>
#include "state.h"

/**
 * perf_state_name() - get the name of a state for messages and documents
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
 * perf_state_allowed() - check whether an object may change its state
 * @table: table
 * @from: present state
 * @to: next state; staying is always allowed
 *
 * Context: any.
 * Return: true if the table has it; false also if @from or @to is no state.
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
 * perf_state_report() - report the first change that a table does not have
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
 * perf_state_together() - check an object's state against its container's
 * @pairs: table of pairs, by state of the container
 * @around: state of the container
 * @inside: state of the object in it
 *
 * Context: any.
 * Return: true if the table has the pair.
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
 * perf_state_report_pair() - report the first pair that a table does not have
 * @pairs: table of pairs, by state of the container
 * @table: table of the states of the object in it, for their names
 * @around: state of the container
 * @inside: state of the object in it
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
