// SPDX-License-Identifier: GPL-2.0
/*
 * Scaling: the same on machines with more and more CPUs
 *
 * The number in the name is that of the machine's CPUs. Operations of tasks on
 * all CPUs at once are measured by ./perflab lines.
 */
#include <stdio.h>
#include <unistd.h>

#include "scaling.h"

#define FORKS		64

static int fds[MANY];

static unsigned int cpus(void)
{
	return sysconf(_SC_NPROCESSORS_CONF);
}

/* As "perf record" opens an event for a command: once on each CPU. */
static void run_fork(const struct row *row)
{
	struct many how = { .inherit = true };
	struct cost floor = measure_mean(fork_exit, NULL, FORKS);

	for (; how.cpu < (int)cpus(); how.cpu++)
		open_many(&how, 1, fds);
	settle();
	emit_number(row, cpus(),
		    cost_sub(measure_mean(fork_exit, NULL, FORKS), floor));
}

/* As "perf stat -a": an event of each CPU. */
static void do_open_all(void *arg)
{
	const struct many how = { .cpu = -1 };
	struct perf_event_attr attr = quiet_attr(&how);
	unsigned int cpu;

	for (cpu = 0; cpu < cpus(); cpu++)
		fds[cpu] = must_open(&attr, -1, cpu, -1);
	for (cpu = 0; cpu < cpus(); cpu++)
		close(fds[cpu]);
}

static void run_open_all(const struct row *row)
{
	emit_number(row, cpus(), measure_mean(do_open_all, NULL, 16));
}

static void do_open(void *arg)
{
	const struct many how = { .cpu = -1 };
	struct perf_event_attr attr = quiet_attr(&how);

	close(must_open(&attr, 0, -1, -1));
}

static void run_open(const struct row *row)
{
	emit_number(row, cpus(), measure_mean(do_open, NULL, FORKS));
}

/* The close of an event that more threads have inherited than there are CPUs. */
static void run_close(const struct row *row)
{
	const struct many how = { .inherit = true, .cpu = -1 };
	unsigned int i;
	struct meter m;

	open_many(&how, 16, fds);
	start_threads(2 * cpus());
	meter_start(&m);
	for (i = 0; i < 16; i++)
		close(fds[i]);
	emit_number(row, cpus(), meter_stop(&m, 16));
}

static const struct row rows[] = {
	{ "fork-exit-recorded/cpus", run_fork },
	{ "open-close/cpus", run_open },
	{ "open-close-all/cpus", run_open_all },
	{ "close-inherited/cpus", run_close },
};

const struct row_table scaling_cpus = { "many", rows, ARRAY_SIZE(rows) };
