// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: task switches
 *
 * A ring of processes passes a byte through pipes; each hop is one switch. The
 * figure of a row with events is the cost that they add to a hop in the same
 * ring. The first process of the ring measures. Rings for such differences are
 * of real-time processes: the fair scheduler's work at a switch depends on how
 * long each process has run, and would hide small differences. The rows without
 * events have ordinary processes, as has the switch that "share" refers to.
 *
 * inherited	the first opens the events, the others are its children
 * one side	only the first has events; half of the switches schedule them
 *		in, half schedule them out
 * both sides	each of the two opened its own
 * watchdog	one side; a pinned event of the CPU counts cycles all the time, as
 *		that of the NMI watchdog
 * cgroup	the two are in different cgroups; the first one's is counted
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define HOPS	256
#define MAX_RING 64
#define GROUP_DIR "/sys/fs/cgroup/bench"

enum who {
	INHERITED,
	ONE_SIDE,
	BOTH_SIDES,
	CGROUP,
	WATCHED,
};

struct ring {
	unsigned int	size;
	struct recipe	set;
	enum who	who;
	bool		fair;
	bool		watched;
};

static int pipes[MAX_RING][2];

static void open_cgroup(const struct recipe *set)
{
	int dir = open(GROUP_DIR "0", O_RDONLY | O_CLOEXEC);
	unsigned int i;

	if (dir < 0)
		refuse(GROUP_DIR);
	for (i = 0; i < set->hw + set->sw; i++) {
		struct perf_event_attr attr = set_attr(set, i);

		if (syscall(SYS_perf_event_open, &attr, dir, 0, -1,
			    PERF_FLAG_PID_CGROUP) < 0)
			refuse("PERF_FLAG_PID_CGROUP");
	}
	close(dir);
}

/* It stays open until the process ends. */
static void open_watchdog(void)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_HARDWARE,
						PERF_COUNT_HW_CPU_CYCLES);

	attr.pinned = 1;
	attr.sample_period = 1ULL << 40;
	must_open(&attr, -1, 0, -1);
}

/*
 * Moves the caller to a new cgroup. Cgroups have perf's part only after the
 * root has delegated any controller.
 */
static void enter_cgroup(unsigned int me)
{
	char path[64];

	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	snprintf(path, sizeof(path), GROUP_DIR "%u", me);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), GROUP_DIR "%u/cgroup.procs", me);
	write_file(path, "0");
}

static void hop(unsigned int me, unsigned int next)
{
	char byte = 0;

	if (write(pipes[next][1], &byte, 1) != 1 ||
	    read(pipes[me][0], &byte, 1) != 1)
		_exit(1);
}

static void member(const struct ring *ring, unsigned int me)
{
	unsigned int next = (me + 1) % ring->size;
	int fds[MAX_SET];
	char byte;

	if (ring->who == BOTH_SIDES)
		open_set(&ring->set, 0, -1, fds);
	if (ring->who == CGROUP)
		enter_cgroup(me);
	if (read(pipes[me][0], &byte, 1) != 1)
		_exit(1);
	for (;;)
		hop(me, next);
}

static void hops(const struct ring *ring)
{
	unsigned int i;

	for (i = 0; i < HOPS / ring->size; i++)
		hop(0, 1);
}

static void rounds(void *arg)
{
	hops(arg);
}

/* Tasks that wait for the CPU get it between windows, not in them. */
static void rest(void *arg)
{
	usleep(5000);
	hops(arg);
}

static struct cost ring_cost(const void *arg)
{
	const struct ring *ring = arg;
	pid_t pids[MAX_RING];
	struct cost cost;
	unsigned int i;
	int fds[MAX_SET];

	for (i = 0; i < ring->size; i++)
		if (pipe(pipes[i]))
			die("pipe");
	if (!ring->fair)
		fifo();
	if (ring->watched)
		open_watchdog();
	if (ring->who == CGROUP)
		enter_cgroup(0);
	if (ring->who == INHERITED)
		open_set(&ring->set, 0, -1, fds);
	for (i = 1; i < ring->size; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (!pids[i])
			member(ring, i);
	}
	if (ring->who == CGROUP)
		open_cgroup(&ring->set);
	else if (ring->who != INHERITED)
		open_set(&ring->set, 0, -1, fds);
	settle();
	cost = measure_prepared(rest, rounds, (void *)ring,
				HOPS / ring->size * ring->size);
	for (i = 1; i < ring->size; i++)
		reap(pids[i]);
	return cost;
}

static void run_plain(const struct row *row)
{
	struct ring ring = { .size = row->n, .fair = true };

	emit_cost(row, NULL, in_child(ring_cost, &ring));
}

static void run_added(const struct row *row)
{
	bool watched = row->arg == WATCHED;
	struct ring without = { .size = row->n, .watched = watched };
	struct ring fair = { .size = row->n, .fair = true };
	struct ring with = { row->n, row->set, row->arg, .watched = watched };
	bool share = with.who == INHERITED && row->n == 2;
	struct cost floor, cost, whole = { 0, 0 };

	/* Before there are events: see forget_events(). */
	if (share)
		whole = in_child(ring_cost, &fair);
	floor = in_child(ring_cost, &without);
	cost = cost_sub(in_child(ring_cost, &with), floor);
	emit_cost(row, NULL, cost);
	if (share)
		emit(row, "share", "%", 100 * cost.insns / whole.insns, 0);
}

#define INHERIT(HW, SW)	{ .hw = HW, .sw = SW, .inherit = true }

static const struct row rows[] = {
	{ "switch/2-tasks", run_plain, { 0 }, 2 },
	{ "switch/8-tasks", run_plain, { 0 }, 8 },
	{ "switch/32-tasks", run_plain, { 0 }, 32 },
	{ "switch/one-side-1-hw", run_added, { .hw = 1 }, 2, ONE_SIDE },
	{ "switch/one-side-2-hw", run_added, { .hw = 2 }, 2, ONE_SIDE },
	{ "switch/one-side-4-hw", run_added, { .hw = 4 }, 2, ONE_SIDE },
	{ "switch/one-side-8-hw", run_added, { .hw = 8 }, 2, ONE_SIDE },
	{ "switch/one-side-4-hw-watchdog", run_added, { .hw = 4 }, 2, WATCHED },
	{ "switch/one-side-4-sw", run_added, { .sw = 4 }, 2, ONE_SIDE },
	{ "switch/one-side-4-hw-4-sw", run_added, { .hw = 4, .sw = 4 }, 2,
	  ONE_SIDE },
	{ "switch/both-sides-1-hw", run_added, { .hw = 1 }, 2, BOTH_SIDES },
	{ "switch/both-sides-4-hw", run_added, { .hw = 4 }, 2, BOTH_SIDES },
	{ "switch/both-sides-8-hw", run_added, { .hw = 8 }, 2, BOTH_SIDES },
	{ "switch/inherited-1-hw", run_added, INHERIT(1, 0), 2, INHERITED },
	{ "switch/inherited-2-hw", run_added, INHERIT(2, 0), 2, INHERITED },
	{ "switch/inherited-4-hw", run_added, INHERIT(4, 0), 2, INHERITED },
	{ "switch/inherited-8-hw", run_added, INHERIT(8, 0), 2, INHERITED },
	{ "switch/inherited-4-hw-4-sw", run_added, INHERIT(4, 4), 2, INHERITED },
	{ "switch/8-tasks-inherited-2-hw", run_added, INHERIT(2, 0), 8,
	  INHERITED },
	{ "switch/8-tasks-inherited-4-hw-4-sw", run_added, INHERIT(4, 4), 8,
	  INHERITED },
	{ "switch/32-tasks-inherited-2-hw", run_added, INHERIT(2, 0), 32,
	  INHERITED },
	{ "switch/32-tasks-inherited-4-hw-4-sw", run_added, INHERIT(4, 4), 32,
	  INHERITED },
	{ "switch/inherited-sample-read", run_added,
	  { .hw = 1, .inherit = true, .sample_read = true }, 2, INHERITED },
	{ "switch/cgroup-1-hw", run_added, { .hw = 1 }, 2, CGROUP },
	{ "switch/cgroup-4-hw", run_added, { .hw = 4 }, 2, CGROUP },
};

const struct row_table switch_table = { "one", rows, ARRAY_SIZE(rows) };
