// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's program: rows of many CPUs, where tasks come and go
 *
 * All tasks of a row are a family: they inherited the events, one task for each
 * CPU. An operation is a visit.
 *
 * idle		a thread is woken by its timer, and sleeps again
 * processes	the same with processes
 * overlap	it runs until its two neighbours have begun to: between its
 *		coming and its going others come and go
 * ring		it wakes the one on the next CPU, and sleeps
 * stranger	it exchanges eight messages with a process of its CPU that has
 *		no events
 */
#include <unistd.h>

#include "lines.h"

#define SLOT		40000
#define LONG_SLOT	400000	/* for the messages */
#define OVERLAP		100000
#define MESSAGES	8

static void come_and_go(struct visitor *me, __u64 at)
{
}

static void run_idle(const struct row *row)
{
	struct plan plan = {
		.row = row, .processes = row->arg, .rounds = 60, .warm = 20, .slot = SLOT,
		.visit = come_and_go,
	};
	int fds[MAX_SET];

	visitors_alloc();
	open_set(&row->set, 0, -1, fds);
	visitors_run(&plan);
}

static void run_on(struct visitor *me, __u64 at)
{
	while (clock_now() < at + OVERLAP)
		;
}

static void run_overlap(const struct row *row)
{
	struct plan plan = {
		.row = row, .rounds = 40, .warm = 15, .slot = SLOT, .visit = run_on,
	};
	int fds[MAX_SET];

	visitors_alloc();
	open_set(&row->set, 0, -1, fds);
	visitors_run(&plan);
}

static void run_ring(const struct row *row)
{
	struct plan plan = { .row = row, .rounds = 60, .warm = 20 };
	int fds[MAX_SET];

	visitors_alloc();
	open_set(&row->set, 0, -1, fds);
	visitors_ring(&plan);
}

static void exchange(struct visitor *me, __u64 at)
{
	char byte = 0;

	for (int i = 0; i < MESSAGES; i++)
		if (write(me->there[1], &byte, 1) != 1 || read(me->back[0], &byte, 1) != 1)
			die("exchange");
}

static pid_t start_stranger(struct visitor *me)
{
	pid_t child;
	char byte;

	if (pipe(me->there) || pipe(me->back))
		die("pipe");
	child = fork();
	if (child)
		return child;
	pin(me->cpu);
	while (read(me->there[0], &byte, 1) == 1 && write(me->back[1], &byte, 1) == 1)
		;
	_exit(0);
}

static void run_stranger(const struct row *row)
{
	struct plan plan = {
		.row = row, .rounds = 30, .warm = 10, .slot = LONG_SLOT, .visit = exchange,
	};
	pid_t children[MAX_VISITORS];
	int fds[MAX_SET];

	visitors_alloc();
	for (unsigned int i = 0; i < nr_visitors; i++)
		children[i] = start_stranger(&visitors[i]);
	open_set(&row->set, 0, -1, fds);
	visitors_run(&plan);
	for (unsigned int i = 0; i < nr_visitors; i++)
		reap(children[i]);
}

#define INHERIT(HW, SW)	{ .hw = HW, .sw = SW, .inherit = true }

static const struct row rows[] = {
	{ "idle/no-events", run_idle },
	{ "idle/1-sw", run_idle, INHERIT(0, 1) },
	{ "idle/4-hw", run_idle, INHERIT(4, 0) },
	{ "idle/4-hw-4-sw", run_idle, INHERIT(4, 4) },
	{ "processes/no-events", run_idle, .arg = 1 },
	{ "processes/4-hw", run_idle, INHERIT(4, 0), .arg = 1 },
	{ "overlap/no-events", run_overlap },
	{ "overlap/4-hw", run_overlap, INHERIT(4, 0) },
	{ "ring/no-events", run_ring },
	{ "ring/4-hw", run_ring, INHERIT(4, 0) },
	{ "stranger/no-events", run_stranger },
	{ "stranger/4-hw", run_stranger, INHERIT(4, 0) },
};

const struct row_table visit_table = { "many", rows, ARRAY_SIZE(rows) };
