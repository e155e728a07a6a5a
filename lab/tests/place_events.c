// SPDX-License-Identifier: GPL-2.0
/*
 * Make a PMU driver place each event in all the positions that a group has.
 *
 * usage: place_events COUNTERS <EVENTS
 *
 * Reads lines of lab/constraints --each. Each event that some of the COUNTERS
 * general counters cannot count is opened as the last member of groups with 0 to
 * COUNTERS - 1 other members, which any counter can count. The group is counted
 * for a moment. The model of the PMU then lists events on a wrong counter.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define MAX_COUNTERS	16

/* Branches: every general counter of every Intel PMU counts them. */
#define ANY_COUNTER	0x00c4

struct event {
	unsigned int code, umask, counters;
	int type;
	int cpu;
};

static int open_raw(const struct event *e, unsigned long long config, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = e->type, .config = config,
		.disabled = leader < 0,
	};

	return syscall(SYS_perf_event_open, &attr, 0, e->cpu, leader, 0);
}

/* Return: 0, or the error with which the event was refused. */
static int place_after(const struct event *e, unsigned int others)
{
	int fds[MAX_COUNTERS], err = 0;
	unsigned int i, opened = 0;

	for (i = 0; i <= others && !err; i++) {
		unsigned long long config = ANY_COUNTER;

		if (i == others)
			config = e->code | e->umask << 8;
		fds[i] = open_raw(e, config, i ? fds[0] : -1);
		if (fds[i] < 0)
			err = errno;
		else
			opened++;
	}
	if (!err) {
		ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
		sched_yield();
		ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	}
	while (opened)
		close(fds[--opened]);
	return err;
}

static int type_of(const char *pmu)
{
	char path[80];
	FILE *file;
	int type;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%d", &type) != 1) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return type;
}

/* Cores of a hybrid CPU: even numbers are big ones, see pmu-model.rst. */
static void choose_core(struct event *e, const char *kind)
{
	cpu_set_t set;

	e->type = PERF_TYPE_RAW;
	e->cpu = -1;
	if (!*kind)
		return;
	e->cpu = !strcmp(kind, "atom");
	e->type = type_of(e->cpu ? "cpu_atom" : "cpu_core");
	CPU_ZERO(&set);
	CPU_SET(e->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static unsigned int place_everywhere(const struct event *e, unsigned int counters)
{
	unsigned int others, done = 0;
	int err;

	for (others = 0; others < counters; others++) {
		err = place_after(e, others);
		if (!err)
			done++;
		else if (!others)
			printf("refused %x %x: %s\n", e->code, e->umask, strerror(err));
	}
	return done;
}

int main(int argc, char **argv)
{
	unsigned int counters = argc == 2 ? atoi(argv[1]) : 0;
	unsigned int events = 0, groups = 0;
	char line[80];

	if (!counters || counters > MAX_COUNTERS) {
		fprintf(stderr, "usage: place_events COUNTERS <EVENTS\n");
		return 2;
	}
	while (fgets(line, sizeof(line), stdin)) {
		struct event e = { 0 };
		char kind[8] = "";

		if (sscanf(line, "%x %x %x %7s", &e.code, &e.umask, &e.counters, kind) < 3)
			return 2;
		if (!(~e.counters & ((1U << counters) - 1)))
			continue;
		choose_core(&e, kind);
		events++;
		groups += place_everywhere(&e, counters);
	}
	printf("%u events in %u groups\n", events, groups);
	return 0;
}
