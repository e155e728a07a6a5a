/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The costs of operations as functions of a number: what the files share
 *
 *   ../bench.d/	options, the list of rows, the meter
 *   tables.c		the list of tables
 *   many.c		many events, many threads
 *   rows_events.c	rows in which the number of events or groups grows
 *   rows_threads.c	rows in which the number of threads grows
 *   rows_cpus.c	rows for machines with more and more CPUs
 *
 * A figure is named OPERATION/WHAT/NUMBER, for instance "fork/events/16". The
 * events are those that cost least: software events that do not occur. So a
 * figure shows what the core does, not what a driver does.
 */
#ifndef LAB_SCALING_H
#define LAB_SCALING_H

#include "../bench.d/bench.h"

#define MANY	4096

extern const struct row_table scaling_events, scaling_threads, scaling_cpus;

/* Inherited or not, and one group or each by itself. */
struct many {
	bool	inherit;
	bool	group;
	int	cpu;
};

struct perf_event_attr quiet_attr(const struct many *how);
void open_many(const struct many *how, unsigned int count, int *fds);
void start_threads(unsigned int count);
void fork_exit(void *arg);
void emit_number(const struct row *row, unsigned int number, struct cost cost);

#endif
