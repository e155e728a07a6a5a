// SPDX-License-Identifier: GPL-2.0
/* Many processes that do something at random. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "perf_books.h"
#include "perf_lib.h"
#include "storm.h"

int storm_cpus;

static struct storm *storm;

/**
 * storm_set_up() - prepare a storm, before any process is started
 * @size: bytes of the processes' shared memory, which begins with struct storm
 *
 * Orphans become children of the caller, who waits for them. Skips all tests if
 * the caller is not root.
 *
 * Return: zeroed memory that is shared with all children
 */
void *storm_set_up(size_t size)
{
	if (geteuid())
		ksft_exit_skip("needs root\n");
	storm = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (storm == MAP_FAILED)
		ksft_exit_fail_perror("mmap");
	storm_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (storm_cpus > MAX_CPUS)
		storm_cpus = MAX_CPUS;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	return storm;
}

bool storm_stopping(void)
{
	return __atomic_load_n(&storm->stop, __ATOMIC_RELAXED);
}

void storm_stop(void)
{
	__atomic_store_n(&storm->stop, true, __ATOMIC_RELAXED);
}

void storm_count(__u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Draws one of @ops, by their weights, and does it. */
void storm_step(const struct storm_op *ops, size_t count, struct worker *w,
		__u64 *random)
{
	unsigned int at = 0;
	size_t i;

	for (i = 0; i < count; i++)
		at += ops[i].weight;
	at = rnd(random, at);
	for (i = 0; at >= ops[i].weight; i++)
		at -= ops[i].weight;
	storm_count(ops[i].run(w) ? &storm->done[i] : &storm->refused[i]);
}

void storm_show(const struct storm_op *ops, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		ksft_print_msg("%-12s %8llu done %8llu refused\n", ops[i].name,
			       (unsigned long long)storm->done[i],
			       (unsigned long long)storm->refused[i]);
}

/* Restricts the caller to some CPUs. */
bool storm_move(__u64 *random)
{
	cpu_set_t set;
	int cpu;

	CPU_ZERO(&set);
	for (cpu = 0; cpu < storm_cpus; cpu++)
		if (!rnd(random, 2))
			CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* A worker may execute this program with the one argument "executed". */
void storm_if_executed(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "executed"))
		return;
	touch_pages(20);
	burn(10000);
	exit(0);
}
