// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's program: rows of one CPU
 *
 * Each operation is between marks of its own, and the figure is the median.
 *
 * switch	a round of two processes through pipes: two switches
 * open		open and close
 * read		read the value
 * sample	a page fault, with a sample if there is an event
 * fork		fork, the child's exit, wait; fork-exec with a program
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lines.h"

#define ROUNDS		200
#define FORKS		60
#define PAGE		4096
#define BUFFER_PAGES	64
#define SETTLED		1500000

enum who {
	INHERITED,
	ONE_SIDE,
	BOTH_SIDES,
};

static void answer(const struct row *row, int from, int to)
{
	int fds[MAX_SET];
	char byte;

	if (row->arg == BOTH_SIDES)
		open_set(&row->set, 0, -1, fds);
	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

static void run_switch(const struct row *row)
{
	int there[2], back[2], fds[MAX_SET];
	char byte = 0;
	pid_t child;

	if (pipe(there) || pipe(back))
		die("pipe");
	fifo();
	if (row->arg == INHERITED)
		open_set(&row->set, 0, -1, fds);
	child = fork();
	if (!child)
		answer(row, there[0], back[1]);
	if (row->arg != INHERITED)
		open_set(&row->set, 0, -1, fds);
	usleep(SETTLED);
	for (int i = 0; i < ROUNDS; i++) {
		mark_start(region_of_row(0));
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			die("pipe");
		mark_stop();
	}
	reap(child);
}

static void run_open(const struct row *row)
{
	struct perf_event_attr attr = set_attr(&row->set, 0);

	for (int i = 0; i < ROUNDS; i++) {
		mark_start(region_of_row(0));
		close(must_open(&attr, 0, -1, -1));
		mark_stop();
	}
}

static void run_read(const struct row *row)
{
	__u64 values[MAX_SET];
	int fds[MAX_SET];

	open_set(&row->set, 0, -1, fds);
	for (int i = 0; i < ROUNDS; i++) {
		mark_start(region_of_row(0));
		if (read(fds[0], values, sizeof(values)) <= 0)
			die("read");
		mark_stop();
	}
}

static void run_sample(const struct row *row)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_PAGE_FAULTS);
	struct buffer buffer;
	char *memory;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if (row->arg)
		buffer_map(&buffer, must_open(&attr, 0, -1, -1), BUFFER_PAGES);
	usleep(SETTLED);
	memory = mmap(NULL, ROUNDS * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	for (int i = 0; i < ROUNDS; i++) {
		mark_start(region_of_row(0));
		memory[i * PAGE] = 1;
		mark_stop();
	}
}

static void run_fork(const struct row *row)
{
	static char * const argv[] = { "/init", "--nothing", NULL };
	int fds[MAX_SET];
	pid_t child;

	open_set(&row->set, 0, -1, fds);
	for (int i = 0; i < FORKS; i++) {
		mark_start(region_of_row(0));
		child = fork();
		if (!child) {
			if (row->arg)
				execv(argv[0], argv);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		mark_stop();
		usleep(3000);
	}
}

#define INHERIT(HW, SW)	{ .hw = HW, .sw = SW, .inherit = true }
#define QUIET(SW)	{ .sw = SW, .quiet = true, .inherit = true }

static const struct row rows[] = {
	{ "switch/no-events", run_switch },
	{ "switch/inherited-1-hw", run_switch, INHERIT(1, 0), .arg = INHERITED },
	{ "switch/inherited-4-hw", run_switch, INHERIT(4, 0), .arg = INHERITED },
	{ "switch/inherited-4-hw-4-sw", run_switch, INHERIT(4, 4), .arg = INHERITED },
	{ "switch/one-side-1-hw", run_switch, { .hw = 1 }, .arg = ONE_SIDE },
	{ "switch/one-side-4-hw", run_switch, { .hw = 4 }, .arg = ONE_SIDE },
	{ "switch/one-side-4-sw", run_switch, { .sw = 4 }, .arg = ONE_SIDE },
	{ "switch/both-sides-4-hw", run_switch, { .hw = 4 }, .arg = BOTH_SIDES },
	{ "open/1-sw", run_open, { .sw = 1 } },
	{ "open/1-hw", run_open, { .hw = 1 } },
	{ "read/1-sw", run_read, { .sw = 1 } },
	{ "read/1-hw", run_read, { .hw = 1 } },
	{ "read/group-4-hw", run_read, { .hw = 4, .group = true } },
	{ "sample/no-event", run_sample },
	{ "sample/ip-tid-time", run_sample, .arg = 1 },
	{ "fork/no-events", run_fork },
	{ "fork/16-sw", run_fork, QUIET(16) },
	{ "fork/4-hw", run_fork, INHERIT(4, 0) },
	{ "fork-exec/no-events", run_fork, .arg = 1 },
	{ "fork-exec/16-sw", run_fork, QUIET(16), .arg = 1 },
	{ "fork-exec/4-hw", run_fork, INHERIT(4, 0), .arg = 1 },
};

const struct row_table one_table = { "one", rows, ARRAY_SIZE(rows) };
