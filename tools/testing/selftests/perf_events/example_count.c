// SPDX-License-Identifier: GPL-2.0
/*
 * Count a group of events around a piece of the program's own code.
 *
 * The events of a group count at the same time or not at all, so their counts
 * can be divided by each other, and one read(2) returns all. Needs no rights.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#define PAGES	64
#define EVENTS	4

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[EVENTS] = {
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
};

/* Result of read(2) with the read_format below. */
struct group_counts {
	uint64_t nr;
	uint64_t time_enabled;
	uint64_t time_running;
	struct {
		uint64_t value;
		uint64_t id;
	} event[EVENTS];
};

static int open_event(const struct event *event, int leader)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = event->type;
	attr.config = event->config;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			   PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	/* Siblings run when their leader does. */
	attr.disabled = leader == -1;
	return syscall(SYS_perf_event_open, &attr, 0, -1, leader,
		       PERF_FLAG_FD_CLOEXEC);
}

static void work(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	for (size_t i = 0; i < PAGES; i++)
		__atomic_store_n(&memory[i * page], 1, __ATOMIC_RELAXED);
	munmap(memory, PAGES * page);
}

/* Scales a count up if the group shared the counters with others. */
static double scaled(const struct group_counts *counts, uint64_t value)
{
	if (!counts->time_running)
		return 0;
	return (double)value * counts->time_enabled / counts->time_running;
}

static uint64_t show(const struct event *event, uint64_t id,
		     const struct group_counts *counts)
{
	for (uint64_t i = 0; i < counts->nr; i++) {
		if (counts->event[i].id != id)
			continue;
		printf("%-14s %14.0f\n", event->name,
		       scaled(counts, counts->event[i].value));
		return counts->event[i].value;
	}
	errx(1, "%s is not in the group", event->name);
}

/* A machine may lack some hardware events, or counters for all of them. */
static void open_group(int fd[EVENTS], uint64_t id[EVENTS])
{
	for (size_t i = 0; i < EVENTS; i++) {
		fd[i] = open_event(&events[i], i ? fd[0] : -1);
		if (fd[i] < 0) {
			if (events[i].type != PERF_TYPE_HARDWARE)
				err(1, "%s", events[i].name);
			warn("%s", events[i].name);
			continue;
		}
		if (ioctl(fd[i], PERF_EVENT_IOC_ID, &id[i]))
			err(1, "PERF_EVENT_IOC_ID");
	}
}

int main(void)
{
	struct group_counts counts;
	uint64_t value[EVENTS] = { 0 };
	uint64_t id[EVENTS];
	int fd[EVENTS];

	open_group(fd, id);
	if (ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		err(1, "PERF_EVENT_IOC_ENABLE");
	work();
	if (ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP))
		err(1, "PERF_EVENT_IOC_DISABLE");

	if (read(fd[0], &counts, sizeof(counts)) < 0)
		err(1, "read");
	for (size_t i = 0; i < EVENTS; i++) {
		if (fd[i] >= 0)
			value[i] = show(&events[i], id[i], &counts);
	}
	/* The first event is that of page faults. */
	if (counts.time_running == counts.time_enabled && value[0] < PAGES)
		errx(1, "%d pages were touched", PAGES);
	return 0;
}
