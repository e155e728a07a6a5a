// SPDX-License-Identifier: GPL-2.0
/*
 * Scaling: more and more events, or groups
 *
 * row->n is their number. A task switch, a fork, a tick and a system call that
 * causes records are measured with and without the events, and the figure is
 * the difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "scaling.h"

#define HOPS		32
#define FORKS		64
#define INTERVAL	4000000ULL	/* nanoseconds: a tick, a turn */
#define INTERVALS	50
#define PAGES		256

static int fds[MANY];
static char values[32768];

/* The switch. */

static int pipes[2][2];

static void hop(unsigned int me)
{
	char byte = 0;

	if (write(pipes[!me][1], &byte, 1) != 1 || read(pipes[me][0], &byte, 1) != 1)
		_exit(1);
}

static void do_hops(void *arg)
{
	int i;

	for (i = 0; i < HOPS; i++)
		hop(0);
}

/* Kernel threads get the CPU between the windows, and not in them. */
static void rest(void *arg)
{
	usleep(5000);
	hop(0);
}

/* The caller and a child of its wake each other; two switches. */
static struct cost ping(void)
{
	struct cost cost;
	char byte;
	pid_t pid;

	if (pipe(pipes[0]) || pipe(pipes[1]))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (read(pipes[1][0], &byte, 1) != 1)
			_exit(1);
		for (;;)
			hop(1);
	}
	settle();
	cost = measure_prepared(rest, do_hops, NULL, HOPS);
	reap(pid);
	return cost;
}

static void run_switch(const struct row *row)
{
	const struct many how = { .inherit = row->arg, .cpu = -1 };
	struct cost floor, cost;

	fifo();
	floor = ping();
	open_many(&how, row->n, fds);
	cost = cost_sub(ping(), floor);
	cost.insns /= 2;
	emit_number(row, row->n, cost);
}

/* Fork, exit, and the wait for it. */

static void run_fork(const struct row *row)
{
	const struct many how = { .inherit = true, .cpu = -1 };
	struct cost floor;

	floor = measure_mean(fork_exit, NULL, FORKS);
	open_many(&how, row->n, fds);
	settle();
	emit_number(row, row->n, cost_sub(measure_mean(fork_exit, NULL, FORKS), floor));
}

/* One more event than the task has. */

static void do_open_close(void *arg)
{
	int fd = must_open(arg, 0, -1, -1);

	close(fd);
}

static void run_open(const struct row *row)
{
	const struct many how = { .cpu = -1 };
	struct perf_event_attr attr = quiet_attr(&how);

	open_many(&how, row->n, fds);
	settle();
	emit_number(row, row->n, measure_mean(do_open_close, &attr, FORKS));
}

/* A group is read, disabled and enabled; all events of a task. */

static void do_read(void *arg)
{
	if (read(fds[0], values, sizeof(values)) <= 0)
		die("read");
}

static void do_toggle(void *arg)
{
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void do_prctl(void *arg)
{
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

static void run_group(const struct row *row, void (*op)(void *arg), bool group)
{
	const struct many how = { .group = group, .cpu = -1 };

	open_many(&how, row->n, fds);
	fifo();
	emit_number(row, row->n, measure(op, NULL, 8));
}

static void run_read(const struct row *row)
{
	run_group(row, do_read, true);
}

static void run_toggle(const struct row *row)
{
	run_group(row, do_toggle, true);
}

static void run_prctl(const struct row *row)
{
	run_group(row, do_prctl, false);
}

/* Records of a mapping; all events write to one buffer. */

static struct buffer buffer;

static void do_drop(void *arg)
{
	buffer_drop(&buffer);
}

static void do_map(void *arg)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		die("mmap");
	munmap(page, 4096);
}

static void run_map(const struct row *row)
{
	const struct many how = { .cpu = -1 };
	struct perf_event_attr attr = quiet_attr(&how);
	struct cost floor;
	unsigned int i;

	fifo();
	floor = measure(do_map, NULL, 1);
	attr.mmap = 1;
	for (i = 0; i < row->n; i++) {
		fds[i] = must_open(&attr, 0, -1, -1);
		if (!i)
			buffer_map(&buffer, fds[0], PAGES);
		else if (ioctl(fds[i], PERF_EVENT_IOC_SET_OUTPUT, fds[0]))
			die("PERF_EVENT_IOC_SET_OUTPUT");
	}
	emit_number(row, row->n,
		    cost_sub(measure_prepared(do_drop, do_map, NULL, 1), floor));
}

/* What a tick, and the turn of multiplexing, take from a loop. */

static void do_loop(void *arg)
{
	loop(INTERVAL * INTERVALS / 64);
}

static struct cost interrupts(void)
{
	struct meter m;
	struct cost cost;

	do_loop(NULL);
	meter_start(&m);
	do_loop(NULL);
	cost = meter_stop(&m, 1);
	cost.insns = (cost.insns - INTERVAL * INTERVALS) / INTERVALS;
	cost.accesses /= INTERVALS;
	return cost;
}

static void open_groups(unsigned int count)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_HARDWARE,
						PERF_COUNT_HW_BRANCH_INSTRUCTIONS);

	while (count--)
		must_open(&attr, 0, -1, -1);
}

/* The frequency is never reached, since the event does not occur. */
static void open_frequencies(unsigned int count)
{
	const struct many how = { .cpu = -1 };
	struct perf_event_attr attr = quiet_attr(&how);

	attr.freq = 1;
	attr.sample_freq = 1000;
	while (count--)
		must_open(&attr, 0, -1, -1);
}

static void run_interrupts(const struct row *row)
{
	struct cost floor;

	fifo();
	floor = interrupts();
	if (row->arg)
		open_frequencies(row->n);
	else
		open_groups(row->n);
	emit_number(row, row->n, cost_sub(interrupts(), floor));
}

static const struct row rows[] = {
	{ "switch-family/events", run_switch, { 0 }, 1, true },
	{ "switch-family/events", run_switch, { 0 }, 4, true },
	{ "switch-family/events", run_switch, { 0 }, 16, true },
	{ "switch-family/events", run_switch, { 0 }, 64, true },
	{ "switch-family/events", run_switch, { 0 }, 256, true },
	{ "switch-family/events", run_switch, { 0 }, 1000, true },
	{ "switch-other/events", run_switch, { 0 }, 1 },
	{ "switch-other/events", run_switch, { 0 }, 4 },
	{ "switch-other/events", run_switch, { 0 }, 16 },
	{ "switch-other/events", run_switch, { 0 }, 64 },
	{ "switch-other/events", run_switch, { 0 }, 256 },
	{ "switch-other/events", run_switch, { 0 }, 1000 },
	{ "fork-exit/events", run_fork, { 0 }, 1 },
	{ "fork-exit/events", run_fork, { 0 }, 4 },
	{ "fork-exit/events", run_fork, { 0 }, 16 },
	{ "fork-exit/events", run_fork, { 0 }, 64 },
	{ "fork-exit/events", run_fork, { 0 }, 256 },
	{ "fork-exit/events", run_fork, { 0 }, 1000 },
	{ "open-close/events", run_open, { 0 }, 1 },
	{ "open-close/events", run_open, { 0 }, 4 },
	{ "open-close/events", run_open, { 0 }, 16 },
	{ "open-close/events", run_open, { 0 }, 64 },
	{ "open-close/events", run_open, { 0 }, 256 },
	{ "open-close/events", run_open, { 0 }, 1000 },
	{ "open-close/events", run_open, { 0 }, 4000 },
	{ "read-group/events", run_read, { 0 }, 1 },
	{ "read-group/events", run_read, { 0 }, 4 },
	{ "read-group/events", run_read, { 0 }, 16 },
	{ "read-group/events", run_read, { 0 }, 64 },
	{ "read-group/events", run_read, { 0 }, 256 },
	{ "read-group/events", run_read, { 0 }, 1000 },
	{ "ioctl-group/events", run_toggle, { 0 }, 1 },
	{ "ioctl-group/events", run_toggle, { 0 }, 4 },
	{ "ioctl-group/events", run_toggle, { 0 }, 16 },
	{ "ioctl-group/events", run_toggle, { 0 }, 64 },
	{ "ioctl-group/events", run_toggle, { 0 }, 256 },
	{ "ioctl-group/events", run_toggle, { 0 }, 1000 },
	{ "prctl/events", run_prctl, { 0 }, 1 },
	{ "prctl/events", run_prctl, { 0 }, 4 },
	{ "prctl/events", run_prctl, { 0 }, 16 },
	{ "prctl/events", run_prctl, { 0 }, 64 },
	{ "prctl/events", run_prctl, { 0 }, 256 },
	{ "prctl/events", run_prctl, { 0 }, 1000 },
	{ "mmap-record/events", run_map, { 0 }, 1 },
	{ "mmap-record/events", run_map, { 0 }, 4 },
	{ "mmap-record/events", run_map, { 0 }, 16 },
	{ "mmap-record/events", run_map, { 0 }, 64 },
	{ "mmap-record/events", run_map, { 0 }, 256 },
	{ "mmap-record/events", run_map, { 0 }, 1000 },
	{ "rotation/groups", run_interrupts, { 0 }, 8 },
	{ "rotation/groups", run_interrupts, { 0 }, 64 },
	{ "rotation/groups", run_interrupts, { 0 }, 256 },
	{ "rotation/groups", run_interrupts, { 0 }, 1000 },
	{ "tick/frequency-events", run_interrupts, { 0 }, 1, 1 },
	{ "tick/frequency-events", run_interrupts, { 0 }, 4, 1 },
	{ "tick/frequency-events", run_interrupts, { 0 }, 16, 1 },
	{ "tick/frequency-events", run_interrupts, { 0 }, 64, 1 },
	{ "tick/frequency-events", run_interrupts, { 0 }, 256, 1 },
	{ "tick/frequency-events", run_interrupts, { 0 }, 1000, 1 },
};

const struct row_table scaling_events = { "one", rows, ARRAY_SIZE(rows) };
