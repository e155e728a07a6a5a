// SPDX-License-Identifier: GPL-2.0
/*
 * Scaling: more and more threads that have inherited four events
 *
 * row->n is the number of threads. They sleep.
 */
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <pthread.h>
#include <unistd.h>

#include "scaling.h"

#define EVENTS		4
#define TIMES		16
#define GROUP_DIR	"/sys/fs/cgroup/scaling"

static int fds[EVENTS + TIMES];
static const struct many inherited = { .inherit = true, .cpu = -1 };

static void prepare(const struct row *row, unsigned int events)
{
	open_many(&inherited, events, fds);
	start_threads(row->n);
}

static void *nothing(void *arg)
{
	return NULL;
}

/* One more thread begins and ends. */
static void do_thread(void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL) ||
	    pthread_join(thread, NULL))
		die("pthread_create");
}

static void run_thread(const struct row *row)
{
	prepare(row, EVENTS);
	emit_number(row, row->n, measure_mean(do_thread, NULL, TIMES));
}

static void do_read(void *arg)
{
	char value[64];

	if (read(fds[0], value, sizeof(value)) <= 0)
		die("read");
}

static void do_toggle(void *arg)
{
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
}

static void run_read(const struct row *row)
{
	prepare(row, EVENTS);
	fifo();
	emit_number(row, row->n, measure(do_read, NULL, 1));
}

static void run_toggle(const struct row *row)
{
	prepare(row, EVENTS);
	fifo();
	emit_number(row, row->n, measure(do_toggle, NULL, 1));
}

/* Each close is of another event that all threads have inherited. */
static void run_close(const struct row *row)
{
	struct meter m;
	unsigned int i;

	prepare(row, EVENTS + TIMES);
	meter_start(&m);
	for (i = 0; i < TIMES; i++)
		close(fds[EVENTS + i]);
	emit_number(row, row->n, meter_stop(&m, TIMES));
}

/* Another event of the thread that founded the family. */
static void do_open_close(void *arg)
{
	struct perf_event_attr attr = quiet_attr(&inherited);
	int fd = must_open(&attr, 0, -1, -1);

	close(fd);
}

static void run_open(const struct row *row)
{
	prepare(row, EVENTS);
	emit_number(row, row->n, measure_mean(do_open_close, NULL, TIMES));
}

static void move_twice(void *arg)
{
	write_file(GROUP_DIR "0/cgroup.procs", "0");
	write_file(GROUP_DIR "1/cgroup.procs", "0");
}

static void run_move(const struct row *row)
{
	struct cost cost;

	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	mkdir(GROUP_DIR "0", 0755);
	mkdir(GROUP_DIR "1", 0755);
	prepare(row, EVENTS);
	move_twice(NULL);
	cost = measure(move_twice, NULL, 1);
	cost.insns /= 2;
	emit_number(row, row->n, cost);
}

static const struct row rows[] = {
	{ "thread/threads", run_thread, { 0 }, 10 },
	{ "thread/threads", run_thread, { 0 }, 100 },
	{ "thread/threads", run_thread, { 0 }, 1000 },
	{ "thread/threads", run_thread, { 0 }, 10000 },
	{ "read/threads", run_read, { 0 }, 10 },
	{ "read/threads", run_read, { 0 }, 100 },
	{ "read/threads", run_read, { 0 }, 1000 },
	{ "read/threads", run_read, { 0 }, 10000 },
	{ "ioctl/threads", run_toggle, { 0 }, 10 },
	{ "ioctl/threads", run_toggle, { 0 }, 100 },
	{ "ioctl/threads", run_toggle, { 0 }, 1000 },
	{ "ioctl/threads", run_toggle, { 0 }, 10000 },
	{ "close/threads", run_close, { 0 }, 10 },
	{ "close/threads", run_close, { 0 }, 100 },
	{ "close/threads", run_close, { 0 }, 1000 },
	{ "close/threads", run_close, { 0 }, 10000 },
	{ "open-close/threads", run_open, { 0 }, 10 },
	{ "open-close/threads", run_open, { 0 }, 100 },
	{ "open-close/threads", run_open, { 0 }, 1000 },
	{ "open-close/threads", run_open, { 0 }, 10000 },
	{ "cgroup-move/threads", run_move, { 0 }, 10 },
	{ "cgroup-move/threads", run_move, { 0 }, 100 },
	{ "cgroup-move/threads", run_move, { 0 }, 1000 },
	{ "cgroup-move/threads", run_move, { 0 }, 10000 },
};

const struct row_table scaling_threads = { "one", rows, ARRAY_SIZE(rows) };
