// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: memory
 *
 * Live objects in the kernel's slabs, and per-CPU memory, before and after many
 * objects of a kind were created. The caches are shrunk first, so that free
 * objects in them do not count.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bench.h"

#define NR_EVENTS	1000
#define NR_TASKS	200
#define NR_EARLY	20
#define NR_CHILDREN	600
#define MEMBERS		50

static void shrink_caches(void)
{
	DIR *dir = opendir("/sys/kernel/slab");
	struct dirent *entry;
	char path[512];

	if (!dir)
		refuse("/sys/kernel/slab");
	while ((entry = readdir(dir))) {
		int fd;

		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink",
			 entry->d_name);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (write(fd, "1", 1) != 1)
			perror(path);
		close(fd);
	}
	closedir(dir);
}

static double percpu_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long kib = 0;
	char line[128];

	if (!file)
		refuse("/proc/meminfo");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Percpu: %lu", &kib) == 1)
			break;
	fclose(file);
	return kib * 1024.0;
}

static double slab_bytes(void)
{
	unsigned long active, all, size;
	char line[512], name[128];
	double sum = 0;
	FILE *file;

	settle();
	shrink_caches();
	file = fopen("/proc/slabinfo", "re");
	if (!file)
		refuse("/proc/slabinfo");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%127s %lu %lu %lu", name, &active, &all,
			   &size) != 4)
			continue;
		sum += (double)active * size;
	}
	fclose(file);
	return sum + percpu_bytes();
}

/* Events of a task that sleeps, row->arg in each group. */
static void run_events(const struct row *row)
{
	pid_t pid = fork_idle();
	struct perf_event_attr attr;
	int fd, leader = -1;
	double before, after;
	unsigned int i;

	settle();
	attr = set_attr(&row->set, 0);
	must_open(&attr, pid, -1, -1);
	before = slab_bytes();
	for (i = 0; i < NR_EVENTS; i++) {
		attr = set_attr(&row->set, row->set.hw ? 0 : i);
		fd = must_open(&attr, pid, -1, i % row->arg ? leader : -1);
		if (i % row->arg == 0)
			leader = fd;
	}
	after = slab_bytes();
	emit(row, NULL, "bytes", (after - before) / NR_EVENTS, 0);
	reap(pid);
}

/* The part of the other rows that is the open file. */
static void run_files(const struct row *row)
{
	double before = slab_bytes();
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++)
		if (eventfd(0, 0) < 0)
			die("eventfd");
	emit(row, NULL, "bytes", (slab_bytes() - before) / NR_EVENTS, 0);
}

/* One event for each of many tasks: a context each, and memory of a group. */
static void run_contexts(const struct row *row)
{
	struct perf_event_attr attr = set_attr(&row->set, 0);
	static pid_t pids[NR_TASKS];
	double before, after;
	unsigned int i;

	for (i = 0; i < NR_TASKS; i++)
		pids[i] = fork_idle();
	before = slab_bytes();
	for (i = 0; i < NR_TASKS; i++)
		must_open(&attr, pids[i], -1, -1);
	after = slab_bytes();
	emit(row, NULL, "bytes", (after - before) / NR_TASKS, 0);
	for (i = 0; i < NR_TASKS; i++)
		reap(pids[i]);
}

static double child_bytes(void)
{
	static pid_t pids[NR_CHILDREN + NR_EARLY];
	double before = 0, after;
	unsigned int i;

	for (i = 0; i < NR_CHILDREN + NR_EARLY; i++) {
		if (i == NR_EARLY)
			before = slab_bytes();
		pids[i] = fork_idle();
	}
	after = slab_bytes();
	for (i = 0; i < NR_CHILDREN + NR_EARLY; i++)
		reap(pids[i]);
	return (after - before) / NR_CHILDREN;
}

/* Memory that events add to a child, without the first children. */
static void run_children(const struct row *row)
{
	double without, with;
	int fds[MAX_SET];

	child_bytes();
	without = child_bytes();
	open_set(&row->set, 0, -1, fds);
	with = child_bytes();
	emit(row, NULL, "bytes", with - without, 0);
}

static const struct row rows[] = {
	{ "floor/eventfd-memory", run_files },
	{ "memory/sw-group-of-1", run_events, { .sw = 1, .quiet = true },
	  .arg = 1 },
	{ "memory/hw-group-of-1", run_events, { .hw = 1 }, .arg = 1 },
	{ "memory/sw-event-in-group-of-50", run_events,
	  { .sw = 1, .quiet = true }, .arg = MEMBERS },
	{ "memory/event-with-context", run_contexts,
	  { .sw = 1, .quiet = true } },
	{ "memory/child-16-inherited", run_children,
	  { .sw = 16, .quiet = true, .inherit = true } },
	{ "memory/child-4-hw-inherited", run_children,
	  { .hw = 4, .inherit = true } },
};

const struct row_table memory_table = { "one", rows, ARRAY_SIZE(rows) };
