// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: fork, exec and exit with inherited events; reading a family
 *
 * The whole cycle is measured: fork, the child until it is gone, and waiting
 * for it. Of the software events in these rows none occurs more than once or
 * twice in fork and exit.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define PROGRAM		"/proc/self/exe"
#define FORKS		800
#define EXECS		100
#define MAX_CHILDREN	1024
#define MACHINE_CPUS		8

static void wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die("fork");
}

static void fork_exit(void *arg)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	wait_for(pid);
}

static void fork_exec_exit(void *arg)
{
	char * const argv[] = { "bench", "--nothing", NULL };
	pid_t pid = fork();

	if (!pid) {
		execv(PROGRAM, argv);
		_exit(1);
	}
	wait_for(pid);
}

static void run_fork(const struct row *row)
{
	int fds[MAX_SET];

	open_set(&row->set, 0, -1, fds);
	settle();
	emit_cost(row, NULL, measure_mean(fork_exit, NULL, FORKS));
}

static void run_exec(const struct row *row)
{
	int fds[MAX_SET];

	open_set(&row->set, 0, -1, fds);
	settle();
	emit_cost(row, NULL, measure_mean(fork_exec_exit, NULL, EXECS));
}

static void run_read_family(const struct row *row)
{
	static pid_t children[MAX_CHILDREN];
	static char value[64];
	struct cost cost;
	struct meter m;
	struct cost costs[15];
	unsigned int i;
	int fds[MAX_SET];

	open_set(&row->set, 0, -1, fds);
	for (i = 0; i < row->n; i++)
		children[i] = fork_idle();
	settle();
	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		meter_start(&m);
		if (read(fds[0], value, sizeof(value)) <= 0)
			die("read");
		costs[i] = meter_stop(&m, 1);
	}
	cost = cost_median(costs, ARRAY_SIZE(costs));
	for (i = 0; i < row->n; i++)
		reap(children[i]);
	emit_cost(row, NULL, cost);
}

#define HW(N)	{ .hw = N, .inherit = true }
#define SW(N)	{ .sw = N, .quiet = true, .inherit = true }

static const struct row rows[] = {
	{ "fork/no-events", run_fork },
	{ "fork/1-sw", run_fork, SW(1) },
	{ "fork/2-sw", run_fork, SW(2) },
	{ "fork/4-sw", run_fork, SW(4) },
	{ "fork/8-sw", run_fork, SW(8) },
	{ "fork/16-sw", run_fork, SW(16) },
	{ "fork/1-hw", run_fork, HW(1) },
	{ "fork/2-hw", run_fork, HW(2) },
	{ "fork/4-hw", run_fork, HW(4) },
	{ "fork/8-hw", run_fork, HW(8) },
	{ "fork/perf-stat", run_fork, { .hw = 4, .sw = 4, .inherit = true } },
	{ "fork-exec/no-events", run_exec },
	{ "fork-exec/16-sw", run_exec, SW(16) },
	{ "fork-exec/4-hw", run_exec, HW(4) },
	{ "fork-exec/perf-stat", run_exec,
	  { .hw = 4, .sw = 4, .inherit = true } },
	{ "read/family-10", run_read_family, HW(1), 10 },
	{ "read/family-100", run_read_family, HW(1), 100 },
	{ "read/family-1000", run_read_family, HW(1), 1000, .slow = true },
};

const struct row_table fork_table = { "one", rows, ARRAY_SIZE(rows) };

/* As "perf record" opens events for a command: each event on each CPU. */
static void run_percpu(const struct row *row)
{
	int fds[MAX_SET];
	int cpu;

	for (cpu = 0; row->set.hw + row->set.sw && cpu < MACHINE_CPUS; cpu++)
		open_set(&row->set, 0, cpu, fds);
	settle();
	emit_cost(row, NULL, measure_mean(fork_exit, NULL, FORKS));
}

static const struct row percpu_rows[] = {
	{ "fork/8-cpus-no-events", run_percpu },
	{ "fork/8-cpus-4-hw-each", run_percpu, HW(4) },
	{ "fork/8-cpus-4-sw-each", run_percpu, SW(4) },
};

const struct row_table percpu_table = {
	"eight", percpu_rows, ARRAY_SIZE(percpu_rows)
};
