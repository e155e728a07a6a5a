// SPDX-License-Identifier: GPL-2.0
/*
 * Forks and opens that find no memory: each allocation in turn fails, once.
 * Whatever fails, inherited events count on, and the next try succeeds. Needs a
 * kernel with fault injection.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define DEBUGFS		"/sys/kernel/debug/"
#define MAX_NTH		2000
#define CALLS		3

static void make_calls(int count)
{
	while (count--)
		syscall(SYS_getppid);
}

/* Which allocations are meant: those that may sleep, of every kind and size. */
static void prepare_faults(void)
{
	static const char *const settings[][2] = {
		{ DEBUGFS "failslab/verbose", "0" },
		{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/verbose", "0" },
		{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/min-order", "0" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (!write_text(settings[i][0], settings[i][1]))
			test_skip("no %s", settings[i][0]);
	}
	if (access(FAIL_NTH, W_OK))
		test_skip("no " FAIL_NTH);
}

static void arm(int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", nth);
	CHECK(write_text(FAIL_NTH, text), "%s: %s", FAIL_NTH, strerror(errno));
}

/* Return: whether there were so many allocations that one failed. */
static bool disarm(void)
{
	long left = read_long(FAIL_NTH);

	arm(0);
	return !left;
}

/* What all rows do, in one round for each allocation. */
struct fault_row {
	struct test_row row;
	bool by_task;		/* copies, no family */
	bool group;
	bool grow;		/* there is a family already */
	bool leave;		/* by opening, not by forking */
};

struct round {
	const struct fault_row *how;
	int leader;
	int member;
	__u64 expected;
};

static void open_events(struct round *round)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("syscalls/sys_enter_getppid"));

	attr.inherit = 1;
	attr.disabled = 0;
	attr.inherit_stat = round->how->by_task;
	round->leader = open_self(&attr);
	round->member = round->how->group ?
			open_member(&attr, round->leader) : -1;
}

static void close_events(struct round *round)
{
	if (round->member >= 0)
		close(round->member);
	close(round->leader);
}

static void count_some(void *arg)
{
	(void)arg;
	make_calls(CALLS);
}

static void check_sum(struct round *round, int nth)
{
	CHECK(read_count(round->leader) == round->expected,
	      "fault %d: %llu of %llu calls", nth,
	      (unsigned long long)read_count(round->leader),
	      (unsigned long long)round->expected);
	if (round->member >= 0)
		CHECK(read_count(round->member) >= round->expected - CALLS,
		      "fault %d: sibling", nth);
}

static bool fork_with_fault(struct round *round, int nth)
{
	bool failed;
	pid_t pid;

	fflush(stdout);
	arm(nth);
	pid = fork();
	if (!pid) {
		make_calls(CALLS);
		_exit(0);
	}
	failed = disarm();
	CHECK(pid > 0 || failed, "fork: %s", strerror(errno));
	if (pid > 0) {
		join_child(pid);
		round->expected += CALLS;
	}
	return failed;
}

static bool open_with_fault(pid_t pid, int nth)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	bool failed;
	int fd;

	arm(nth);
	fd = perf_open(&attr, pid, -1, -1, 0);
	failed = disarm();
	CHECK(fd >= 0 || failed, "open: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return failed;
}

/* Return: false when there was no allocation left to fail. */
static bool run_round(const struct fault_row *how, int nth)
{
	struct round round = { .how = how };
	struct helper before;
	bool failed;

	open_events(&round);
	make_calls(CALLS);
	round.expected = CALLS;
	if (how->grow || how->leave)
		before = helper_start(count_some, NULL);

	if (how->leave)
		failed = open_with_fault(before.pid, nth);
	else
		failed = fork_with_fault(&round, nth);

	make_calls(CALLS);
	run_child(count_some, NULL);
	round.expected += 2 * CALLS;
	if (how->grow || how->leave) {
		helper_go(&before);
		helper_join(&before);
		round.expected += CALLS;
	}
	check_sum(&round, nth);
	close_events(&round);
	return failed;
}

static void run_row(const void *row)
{
	int nth = 1;

	prepare_faults();
	while (nth < MAX_NTH && run_round(row, nth))
		nth++;
	CHECK(nth < MAX_NTH, "no end of allocations");
	ksft_print_msg("%d allocations failed\n", nth - 1);
}

static const struct fault_row rows[] = {
	{ .row = { "the first fork" } },
	{ .row = { "the first fork, a group" }, .group = true },
	{ .row = { "a later fork" }, .grow = true },
	{ .row = { "a later fork, a group" }, .grow = true, .group = true },
	{ .row = { "a fork with counts by task" }, .by_task = true,
	  .group = true },
	{ .row = { "an event on a child" }, .leave = true },
	{ .row = { "an event on a child, a group" }, .leave = true,
	  .group = true },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(rows));
	tests_run_rows(rows, ARRAY_SIZE(rows), sizeof(*rows), run_row);
	tests_end();
}
