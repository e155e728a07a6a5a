/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The benchmark program: what its files share
 *
 *   bench.c	options, the list of rows, one process for each row, results
 *   meter.c	the cost of an operation: instructions and register accesses
 *   events.c	attributes, sets of events, buffers, processes to measure with
 *   guest.c	the duties of the first process of a guest
 *   tables.c	the list of tables
 *   rows_*.c	the rows, a table at the end of each file
 *
 * Each row runs in a separate process and calls emit() for each figure. A row
 * that the kernel refuses calls refuse(), and the table has a dash.
 *
 * The program runs in a guest whose clock counts instructions (./perflab run
 * --icount): a tick of the time-stamp counter is an instruction. The
 * instructions of the PMU model, which takes the place of hardware, are
 * subtracted.
 */
#ifndef LAB_BENCH_H
#define LAB_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>
#include <sys/types.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define EXIT_REFUSED	77
#define MAX_SET		64

/**
 * struct recipe - a set of events, each a separate group
 * @hw:		number of hardware events, of the eight generic ones in turn
 * @sw:		number of software events, in turn
 * @quiet:	only software events that fork and exit do not count in
 * @inherit:	children inherit them
 * @sample_read: they sample their own value, with a period never reached
 * @group:	they are one group, and the first is the leader
 */
struct recipe {
	unsigned int	hw;
	unsigned int	sw;
	bool		quiet;
	bool		inherit;
	bool		sample_read;
	bool		group;
};

/**
 * struct row - one line of the list, with one figure or several
 * @name:	begins the names of its figures
 * @run:	called in a separate process
 * @set:	the events
 * @n:		a number: of processes, children, events
 * @arg:	anything else
 * @slow:	left out by --quick
 */
struct row {
	const char	*name;
	void		(*run)(const struct row *row);
	struct recipe	set;
	unsigned int	n;
	unsigned long	arg;
	bool		slow;
};

/**
 * struct row_table - the rows of one file
 * @machine:	virtual machine that they need: "one", "four" or "eight"
 * @rows:	the rows
 * @count:	number of rows
 */
struct row_table {
	const char	*machine;
	const struct row *rows;
	size_t		count;
};

extern const struct row_table open_table, control_table, remote_table;
extern const struct row_table switch_table, fork_table, percpu_table;
extern const struct row_table sample_table, record_table, mux_table;
extern const struct row_table memory_table, irqs_table, nmi_table;
extern const struct row_table cgroup_table, cgroup_cpus_table;

/* All tables of the program, and NULL. */
extern const struct row_table * const row_tables[];

/* bench.c */

extern bool quick;

void emit(const struct row *row, const char *part, const char *unit,
	  double value, double accesses);
noreturn void refuse(const char *what);
noreturn void die(const char *what);

/* guest.c */

void guest_begin(void);
noreturn void guest_end(int status);

/* meter.c */

/**
 * struct cost - the cost of one operation
 * @insns:	instructions of program and kernel, without the PMU model's
 * @accesses:	reads and writes of PMU registers
 */
struct cost {
	double	insns;
	double	accesses;
};

struct meter {
	__u64 ticks;
	__u64 model;
	__u64 accesses;
};

static inline __u64 now(void)
{
	__u32 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (__u64)high << 32 | low;
}

void meter_init(void);
__u64 model_turns(void);
void meter_start(struct meter *m);
struct cost meter_stop(const struct meter *m, unsigned int operations);
struct cost measure(void (*op)(void *arg), void *arg, unsigned int per_window);
struct cost measure_prepared(void (*prepare)(void *arg), void (*op)(void *arg),
			     void *arg, unsigned int operations);
struct cost measure_mean(void (*op)(void *arg), void *arg, unsigned int times);
struct cost in_child(struct cost (*fn)(const void *arg), const void *arg);
struct cost cost_median(struct cost *costs, size_t count);
struct cost cost_sub(struct cost a, struct cost b);
void emit_cost(const struct row *row, const char *part, struct cost cost);

/* events.c */

struct perf_event_attr make_attr(__u32 type, __u64 config);
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);
int must_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);
struct perf_event_attr set_attr(const struct recipe *set, unsigned int i);
unsigned int open_set(const struct recipe *set, pid_t pid, int cpu, int *fds);
int tracepoint_id(const char *name);

struct buffer {
	struct perf_event_mmap_page *page;
	size_t	size;
};

void buffer_map(struct buffer *b, int fd, unsigned int pages);
__u64 buffer_drop(struct buffer *b);

pid_t fork_idle(void);
void reap(pid_t pid);
void fifo(void);
void settle(void);
void write_file(const char *path, const char *text);
unsigned long call_interrupts(void);
void burn(__u64 ticks);
void loop(unsigned long turns);

#endif
