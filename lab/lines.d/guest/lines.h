/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guest's program: operations of perf between marks
 *
 *   main.c		the list of rows, one process for each row
 *   marks.c		the marks that the plugin sees
 *   visits.c		threads or processes that run in turn, one on each CPU
 *   rows_one.c		rows of one CPU
 *   rows_visit.c	rows of many CPUs: tasks come and go
 *   rows_migrate.c	tasks that move
 *   rows_turn.c	fork, exit, open, read and sampling on all CPUs
 *
 * Events, recipes and the duties of a first process are the benchmark's: see
 * lab/bench.d/bench.h. A row with one CPU marks each operation. With many CPUs
 * the marks divide the time between operations, so that what other CPUs do is
 * in it as well.
 */
#ifndef LAB_LINES_GUEST_H
#define LAB_LINES_GUEST_H

#include "bench.h"
#include "../marks.h"

#define MAX_VISITORS	64
#define WARM_UP		(MARK_REGIONS - 1)

extern const struct row_table one_table, visit_table, migrate_table, turn_table;

/* main.c */

void name_region(unsigned int which, const char *group, const struct row *row);
unsigned int cpus_online(void);
void pin(unsigned int cpu);

/* marks.c */

extern char mark_table[];

void marks_arm(void);
void mark_start(unsigned int number);
void mark_stop(void);
void mark_next(void);

/* The regions of the row that runs: most rows use only the first. */
void regions_of_row(unsigned int first);
unsigned int region_of_row(unsigned int which);

/* visits.c */

/**
 * struct visitor - a thread or process with a CPU of its own
 * @cpu:	the CPU
 * @fd:		an event of its own
 * @child:	a child of its own
 * @turn:	futex of rows that wake each other
 * @go:		futex of the child
 * @there:	pipe to a process without events on this CPU
 * @back:	pipe from it
 * @page:	memory of its own
 * @pad:	keeps two of them out of one line
 */
struct visitor {
	unsigned int	cpu;
	int		fd;
	pid_t		child;
	__u32		turn;
	__u32		go;
	int		there[2];
	int		back[2];
	char		*page;
	char		pad[64];
};

/**
 * struct plan - what the visitors do
 * @row:	the row
 * @processes:	they are processes, not threads
 * @rounds:	number of rounds
 * @warm:	rounds of them before the measurement
 * @slot:	nanoseconds between the visits of two neighbours
 * @prepare:	called once in each visitor, or NULL
 * @visit:	a visit; @at is its time
 * @second:	another visit after all visitors' first one, or NULL
 */
struct plan {
	const struct row *row;
	bool		processes;
	unsigned int	rounds;
	unsigned int	warm;
	__u64		slot;
	void		(*prepare)(struct visitor *me);
	void		(*visit)(struct visitor *me, __u64 at);
	void		(*second)(struct visitor *me, __u64 at);
};

extern struct visitor *visitors;
extern unsigned int nr_visitors;

void futex_wait(__u32 *word, __u32 value);
void futex_set(__u32 *word, __u32 value);
__u64 clock_now(void);
void visitors_alloc(void);
void visitors_run(const struct plan *plan);
void visitors_ring(const struct plan *plan);

#endif
