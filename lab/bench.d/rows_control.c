// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: reading, enabling and disabling; the floor of system calls
 *
 * The remote rows need a second CPU: a group counts there, and the figure is
 * the number of function-call interrupts that one operation sends.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define REMOTE_ROUNDS	20
#define REMOTE_SERIES	5

static char values[4096];

static void do_read(void *arg)
{
	if (read(*(int *)arg, values, sizeof(values)) <= 0)
		die("read");
}

static void run_read(const struct row *row)
{
	int fds[MAX_SET];

	open_set(&row->set, 0, -1, fds);
	fifo();
	emit_cost(row, NULL, measure(do_read, &fds[0], 100));
}

static void do_toggle(void *arg)
{
	ioctl(*(int *)arg, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(*(int *)arg, PERF_EVENT_IOC_ENABLE, 0);
}

static void do_toggle_group(void *arg)
{
	ioctl(*(int *)arg, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	ioctl(*(int *)arg, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void run_toggle(const struct row *row)
{
	int fds[MAX_SET];

	open_set(&row->set, 0, -1, fds);
	fifo();
	emit_cost(row, NULL, measure(row->set.group ? do_toggle_group : do_toggle,
				     &fds[0], 50));
}

static void do_prctl(void *arg)
{
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

static void run_prctl(const struct row *row)
{
	int fds[MAX_SET];

	open_set(&row->set, 0, -1, fds);
	fifo();
	emit_cost(row, NULL, measure(do_prctl, NULL, 20));
}

static void do_getppid(void *arg)
{
	syscall(SYS_getppid);
}

static void run_getppid(const struct row *row)
{
	fifo();
	emit_cost(row, NULL, measure(do_getppid, NULL, 100));
}

static void run_eventfd(const struct row *row)
{
	int fd = eventfd(1, EFD_SEMAPHORE);
	__u64 much = 1000000;

	if (write(fd, &much, sizeof(much)) != sizeof(much))
		die("eventfd");
	fifo();
	emit_cost(row, NULL, measure(do_read, &fd, 100));
}

static void do_refused(void *arg)
{
	ioctl(*(int *)arg, 0, 0);
}

static void run_refused(const struct row *row)
{
	int fds[MAX_SET];

	open_set(&row->set, 0, -1, fds);
	fifo();
	emit_cost(row, NULL, measure(do_refused, &fds[0], 100));
}

static const struct row rows[] = {
	{ "floor/getppid", run_getppid },
	{ "floor/eventfd-read", run_eventfd },
	{ "read/1-sw", run_read, { .sw = 1 } },
	{ "read/1-hw", run_read, { .hw = 1 } },
	{ "read/group-4-hw", run_read, { .hw = 4, .group = true } },
	{ "control/ioctl-refused", run_refused, { .sw = 1 } },
	{ "control/1-sw-disable-enable", run_toggle, { .sw = 1 } },
	{ "control/1-hw-disable-enable", run_toggle, { .hw = 1 } },
	{ "control/group-4-hw-disable-enable", run_toggle,
	  { .hw = 4, .group = true } },
	{ "control/prctl-4-hw-disable-enable", run_prctl, { .hw = 4 } },
};

const struct row_table control_table = { "one", rows, ARRAY_SIZE(rows) };

static unsigned long calls_of(void (*op)(void *arg), void *arg)
{
	unsigned long before = call_interrupts();
	unsigned int i;

	for (i = 0; i < REMOTE_ROUNDS; i++)
		op(arg);
	return call_interrupts() - before;
}

/* The minimum of several series: other code sends such interrupts, too. */
static void run_remote(const struct row *row)
{
	void (*op)(void *arg) = row->arg ? do_toggle_group : do_read;
	unsigned long calls, least = ~0UL;
	unsigned int i;
	int fds[MAX_SET];

	open_set(&row->set, -1, 1, fds);
	op(&fds[0]);
	settle();
	fifo();
	for (i = 0; i < REMOTE_SERIES; i++) {
		calls = calls_of(op, &fds[0]);
		if (calls < least)
			least = calls;
	}
	emit(row, NULL, "IPI", (double)least / REMOTE_ROUNDS, 0);
}

static const struct row remote_rows[] = {
	{ "remote/group-4-hw-read", run_remote, { .hw = 4, .group = true } },
	{ "remote/group-4-hw-disable-enable", run_remote,
	  { .hw = 4, .group = true }, .arg = 1 },
};

const struct row_table remote_table = {
	"eight", remote_rows, ARRAY_SIZE(remote_rows)
};
