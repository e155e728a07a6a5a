// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's program: fork, exit, open, read and sampling on all CPUs
 *
 * Each CPU has a process. All make the same operation, one shortly after the
 * other. Lines that move are those that each operation writes, or reads while
 * others write them.
 *
 * fork		the process forks; the child, on the same CPU, sleeps at once
 * exit		the children exit, and the processes wait for them
 * open		open and close an event of its own
 * read		read an event: its own, or one that all inherited
 * sample	a page fault of which an event of its own takes a sample
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lines.h"

#define SLOT		100000
#define LONG_SLOT	1500000
#define ROUNDS		40
#define WARM		15
#define PAGE		4096
#define BUFFER_PAGES	1
/* Samples of 32 bytes, as many as fit into the buffer. */
#define FILL		(BUFFER_PAGES * PAGE / 32)

static const struct row *this_row;
static int inherited_fds[MAX_SET];
/* A visitor is a process of its own. */
static struct buffer own_buffer;

static void fork_child(struct visitor *me, __u64 at)
{
	me->go = 0;
	me->child = fork();
	if (me->child < 0)
		die("fork");
	if (!me->child) {
		futex_wait(&me->go, 0);
		_exit(0);
	}
}

static void end_child(struct visitor *me, __u64 at)
{
	futex_set(&me->go, 1);
	waitpid(me->child, NULL, 0);
}

static void run_fork(const struct row *row)
{
	struct plan plan = {
		.row = row, .processes = true, .rounds = 12, .warm = 4, .slot = LONG_SLOT,
		.visit = fork_child, .second = end_child,
	};

	name_region(1, "exit", row);
	visitors_alloc();
	open_set(&row->set, 0, -1, inherited_fds);
	visitors_run(&plan);
}

static void open_and_close(struct visitor *me, __u64 at)
{
	struct perf_event_attr attr = set_attr(&this_row->set, 0);

	close(must_open(&attr, 0, -1, -1));
}

static void open_own(struct visitor *me)
{
	int fds[MAX_SET];

	if (!this_row->set.inherit)
		open_set(&this_row->set, 0, -1, fds);
	me->fd = this_row->set.inherit ? inherited_fds[0] : fds[0];
}

static void read_event(struct visitor *me, __u64 at)
{
	__u64 values[MAX_SET];

	if (read(me->fd, values, sizeof(values)) <= 0)
		die("read");
}

static char *map_pages(unsigned int nr)
{
	char *at = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void open_sampling(struct visitor *me)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if (this_row->arg)
		buffer_map(&own_buffer, must_open(&attr, 0, -1, -1), BUFFER_PAGES);
	me->page = map_pages(ROUNDS + FILL + 1);
}

static void fault_once(struct visitor *me)
{
	*me->page = 1;
	me->page += PAGE;
}

/*
 * Other CPUs may have used the buffer's memory before. In the first visit, which warms the
 * caches, samples fill the whole buffer, so that its lines move to this CPU then.
 */
static void fault(struct visitor *me, __u64 at)
{
	static bool filled;

	for (int i = 0; i < FILL && !filled && this_row->arg; i++) {
		fault_once(me);
		buffer_drop(&own_buffer);
	}
	filled = true;
	fault_once(me);
}

static void run_turns(const struct row *row, void (*prepare)(struct visitor *me),
		      void (*visit)(struct visitor *me, __u64 at))
{
	struct plan plan = {
		.row = row, .processes = true, .rounds = ROUNDS, .warm = WARM, .slot = SLOT,
		.prepare = prepare, .visit = visit,
	};

	this_row = row;
	visitors_alloc();
	if (row->set.inherit)
		open_set(&row->set, 0, -1, inherited_fds);
	visitors_run(&plan);
}

static void run_open(const struct row *row)
{
	run_turns(row, NULL, open_and_close);
}

static void run_read(const struct row *row)
{
	run_turns(row, open_own, read_event);
}

static void run_sample(const struct row *row)
{
	run_turns(row, open_sampling, fault);
}

#define HW(N)	{ .hw = N, .inherit = true }
#define SW(N)	{ .sw = N, .quiet = true, .inherit = true }

static const struct row rows[] = {
	{ "fork/no-events", run_fork },
	{ "fork/4-hw", run_fork, HW(4) },
	{ "fork/16-sw", run_fork, SW(16) },
	{ "open/1-sw", run_open, { .sw = 1 } },
	{ "open/1-hw", run_open, { .hw = 1 } },
	{ "read/own-1-sw", run_read, { .sw = 1 } },
	{ "read/own-4-hw-group", run_read, { .hw = 4, .group = true } },
	{ "read/inherited-1-hw", run_read, HW(1) },
	{ "sample/no-event", run_sample },
	{ "sample/ip-tid-time", run_sample, .arg = 1 },
};

const struct row_table turn_table = { "many", rows, ARRAY_SIZE(rows) };
