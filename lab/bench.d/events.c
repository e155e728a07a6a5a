// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark: events and processes to measure with
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define CHUNK	8192

/* In the order of "perf stat". */
static const __u64 hw_configs[] = {
	PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_MISSES,
	PERF_COUNT_HW_CACHE_REFERENCES,
	PERF_COUNT_HW_CACHE_MISSES,
	PERF_COUNT_HW_BUS_CYCLES,
	PERF_COUNT_HW_REF_CPU_CYCLES,
};

static const __u64 sw_configs[] = {
	PERF_COUNT_SW_TASK_CLOCK,
	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS,
};

static const __u64 quiet_configs[] = {
	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_ALIGNMENT_FAULTS,
	PERF_COUNT_SW_EMULATION_FAULTS,
};

struct perf_event_attr make_attr(__u32 type, __u64 config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = config;
	return attr;
}

int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group,
		       PERF_FLAG_FD_CLOEXEC);
}

int must_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	int fd = perf_open(attr, pid, cpu, group);

	if (fd < 0)
		refuse("perf_event_open");
	return fd;
}

/* The attribute of event number @i of a set: hardware first. */
struct perf_event_attr set_attr(const struct recipe *set, unsigned int i)
{
	struct perf_event_attr attr;

	if (i < set->hw) {
		i %= ARRAY_SIZE(hw_configs);
		attr = make_attr(PERF_TYPE_HARDWARE, hw_configs[i]);
	} else if (set->quiet) {
		i = (i - set->hw) % ARRAY_SIZE(quiet_configs);
		attr = make_attr(PERF_TYPE_SOFTWARE, quiet_configs[i]);
	} else {
		i = (i - set->hw) % ARRAY_SIZE(sw_configs);
		attr = make_attr(PERF_TYPE_SOFTWARE, sw_configs[i]);
	}
	attr.inherit = set->inherit;
	if (set->sample_read) {
		attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID;
		attr.sample_period = 1ULL << 40;
	}
	if (set->group)
		attr.read_format = PERF_FORMAT_GROUP;
	return attr;
}

/**
 * open_set - open all events of a set
 * @set:	the set
 * @pid:	task, 0 for the caller
 * @cpu:	CPU, -1 for all
 * @fds:	array for the descriptors
 *
 * Return: the number of events.
 */
unsigned int open_set(const struct recipe *set, pid_t pid, int cpu, int *fds)
{
	unsigned int i, count = set->hw + set->sw;

	for (i = 0; i < count; i++) {
		struct perf_event_attr attr = set_attr(set, i);
		int leader = set->group && i ? fds[0] : -1;

		fds[i] = must_open(&attr, pid, cpu, leader);
	}
	return count;
}

int tracepoint_id(const char *name)
{
	char path[128];
	FILE *file;
	int id;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%d", &id) != 1)
		refuse(path);
	fclose(file);
	return id;
}

void buffer_map(struct buffer *b, int fd, unsigned int pages)
{
	size_t page = sysconf(_SC_PAGESIZE);

	b->size = (pages + 1) * page;
	b->page = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (b->page == MAP_FAILED)
		refuse("mmap of a buffer");
}

/* Consumes all data; returns the number of bytes. */
__u64 buffer_drop(struct buffer *b)
{
	__u64 head = __atomic_load_n(&b->page->data_head, __ATOMIC_ACQUIRE);
	__u64 size = head - b->page->data_tail;

	__atomic_store_n(&b->page->data_tail, head, __ATOMIC_RELEASE);
	return size;
}

/* A child that sleeps until reap() comes. */
pid_t fork_idle(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		for (;;)
			pause();
	}
	return pid;
}

void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Kernel threads wait until the measured process sleeps. */
void fifo(void)
{
	struct sched_param param = { .sched_priority = 10 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler");
}

/* Waits until grace periods and the work after them are over. */
void settle(void)
{
	int i;

	for (i = 0; i < 4; i++)
		usleep(30000);
}

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = strlen(text);

	if (fd < 0 || write(fd, text, len) != len)
		refuse(path);
	close(fd);
}

/* Function-call interrupts, by which one CPU makes another call a function. */
unsigned long call_interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "re");
	unsigned long sum = 0;
	char line[1024];

	if (!file)
		refuse("/proc/interrupts");
	while (fgets(line, sizeof(line), file)) {
		char *at = strstr(line, "CAL:"), *end;

		if (!at)
			continue;
		for (at += 4;; at = end) {
			unsigned long count = strtoul(at, &end, 10);

			if (end == at)
				break;
			sum += count;
		}
	}
	fclose(file);
	return sum;
}

/* 64 instructions in a turn; the emulator is fast with these. */
void loop(unsigned long turns)
{
	asm volatile("1: .rept 62; nop; .endr; dec %0; jnz 1b" : "+r" (turns));
}

/* Runs until @ticks have passed, whichever task ran in them. */
void burn(__u64 ticks)
{
	__u64 end = now() + ticks, left;

	while ((left = end - now()) <= ticks)
		loop(left < CHUNK ? 1 + left / 64 : CHUNK / 64);
}
