// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: a process of many threads moves from one cgroup to another
 *
 * One write to cgroup.procs moves all of them; the figure is for one thread.
 * The events, if any, count one of the two cgroups, on each CPU. With eight
 * CPUs the threads sleep on all of them, and the figure is the number of
 * function-call interrupts for one move of all threads.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define STACK		(16 * 1024)
#define GROUP_DIR	"/sys/fs/cgroup/move"
#define MACHINE_CPUS	8
#define MOVES		10

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return NULL;
}

/* On CPU 0, or on all of @cpus in turn. */
static void start_threads(unsigned int count, unsigned int cpus)
{
	pthread_attr_t attr;
	pthread_t thread;
	unsigned int i;
	cpu_set_t set;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (i = 1; i < count; i++) {
		CPU_ZERO(&set);
		CPU_SET(i % cpus, &set);
		pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
		if (pthread_create(&thread, &attr, sleeper, NULL))
			die("pthread_create");
	}
	settle();
}

static void make_groups(void)
{
	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	mkdir(GROUP_DIR "0", 0755);
	mkdir(GROUP_DIR "1", 0755);
}

static void count_group(const struct recipe *set, unsigned int cpus)
{
	int dir = open(GROUP_DIR "0", O_RDONLY | O_CLOEXEC);
	unsigned int i, cpu;

	if (dir < 0)
		refuse(GROUP_DIR);
	for (cpu = 0; cpu < cpus; cpu++) {
		for (i = 0; i < set->hw + set->sw; i++) {
			struct perf_event_attr attr = set_attr(set, i);

			if (syscall(SYS_perf_event_open, &attr, dir, cpu, -1,
				    PERF_FLAG_PID_CGROUP) < 0)
				refuse("PERF_FLAG_PID_CGROUP");
		}
	}
	close(dir);
}

static void move_twice(void *arg)
{
	write_file(GROUP_DIR "0/cgroup.procs", "0");
	write_file(GROUP_DIR "1/cgroup.procs", "0");
}

static void prepare(const struct row *row, unsigned int cpus)
{
	make_groups();
	count_group(&row->set, cpus);
	start_threads(row->n, cpus);
	move_twice(NULL);
}

static void run_move(const struct row *row)
{
	struct cost cost;

	prepare(row, 1);
	cost = measure(move_twice, NULL, 1);
	cost.insns /= 2 * row->n;
	cost.accesses /= 2 * row->n;
	emit_cost(row, NULL, cost);
}

static void run_move_ipis(const struct row *row)
{
	unsigned long before;
	unsigned int i;

	prepare(row, MACHINE_CPUS);
	before = call_interrupts();
	for (i = 0; i < MOVES; i++)
		move_twice(NULL);
	emit(row, NULL, "IPI",
	     (double)(call_interrupts() - before) / (2 * MOVES), 0);
}

static const struct row rows[] = {
	{ "cgroup/move-1000-tasks", run_move, { 0 }, 1000 },
	{ "cgroup/move-1000-tasks-4-hw", run_move, { .hw = 4 }, 1000 },
};

const struct row_table cgroup_table = { "one", rows, ARRAY_SIZE(rows) };

static const struct row cpus_rows[] = {
	{ "cgroup/8-cpus-move-1000-tasks", run_move_ipis, { 0 }, 1000 },
	{ "cgroup/8-cpus-move-1000-tasks-1-hw", run_move_ipis, { .hw = 1 }, 1000 },
};

const struct row_table cgroup_cpus_table = {
	"eight", cpus_rows, ARRAY_SIZE(cpus_rows)
};
