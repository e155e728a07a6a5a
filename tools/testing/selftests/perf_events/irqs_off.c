// SPDX-License-Identifier: GPL-2.0
/*
 * The work that one call or one task switch does with interrupts off grows
 * with the number of events that take part, and not with its square. A user
 * can open as many events as files, and needs no privilege to switch or to
 * enable them.
 *
 * A pinned clock event of the CPU measures for how long the CPU takes no
 * interrupt: its samples have time stamps. That time is compared with the time
 * that the kernel needs to schedule the same events out and in once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "perf_lib.h"

#define SIBLINGS		400
#define LOOK_NS		(50 * 1000)
#define LOOK_PAGES	256
/*
 * Limit, as a multiple of the time for scheduling all events out and in once.
 */
#define TOO_MANY	20
#define SLACK_NS	(2 * NSEC_PER_MSEC)

#define GROUPS		2
#define GROUP_SIZE	250
#define ROUNDS		200
#define SERIES		3
#define EXCHANGES	5

static struct perf_ring *look_begin(int cpu)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);

	attr.pinned = 1;
	attr.sample_period = LOOK_NS;
	attr.sample_type = PERF_SAMPLE_TIME;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.disabled = 0;
	return ring_map(open_on(&attr, -1, cpu, -1), LOOK_PAGES);
}

/* The longest time between two samples that came after @begin; 0 if none came. */
static __u64 look_longest(struct perf_ring *ring, __u64 begin)
{
	__u64 last = begin, longest = 0, time;
	struct perf_event_header *header;

	while ((header = ring_next(ring))) {
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		time = *(const __u64 *)record_body(header);
		if (time <= begin)
			continue;
		if (time - last > longest)
			longest = time - last;
		last = time;
	}
	return longest;
}

static void need_files(unsigned int number)
{
	struct rlimit limit = { number + 64, number + 64 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		test_skip("%u files: %s", number, strerror(errno));
}

static int open_dummy(int leader, bool disabled)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.disabled = disabled;
	return open_on(&attr, 0, -1, leader);
}

/*
 * Nanoseconds to disable and enable a whole group; the least of some attempts.
 */
static __u64 group_cost(int leader)
{
	__u64 least = ~0ULL, took;
	int i;

	for (i = 0; i < SERIES; i++) {
		took = now_ns();
		event_disable(leader);
		event_enable(leader);
		took = now_ns() - took;
		if (took < least)
			least = took;
	}
	return least;
}

struct big_group {
	struct perf_ring *look;
	int leader;
	int sibling[SIBLINGS];
};

/* The leader is on, each sibling is off. */
static bool prctl_is_quick(void *arg)
{
	struct big_group *group = arg;
	__u64 begin, longest, cost;
	int i;

	for (i = 0; i < SIBLINGS; i++)
		event_disable(group->sibling[i]);
	ring_skip_all(group->look);
	begin = now_ns();
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	burn_ms(2); /* the sample that was late comes now */
	longest = look_longest(group->look, begin);
	if (!longest)
		return test_remark("no timer interrupt at all: throttled, or a host that is busy");
	cost = group_cost(group->leader);
	if (longest <= TOO_MANY * cost + SLACK_NS)
		return true;
	return test_remark("%llu us without an interrupt; %d events go off and on in %llu us",
			   longest / 1000, SIBLINGS, cost / 1000);
}

static void prctl_group(void)
{
	struct big_group group;
	int i;

	if (geteuid())
		test_skip("needs root to look at a CPU");
	need_files(SIBLINGS);
	pin_to_cpu(first_cpu());
	group.look = look_begin(first_cpu());
	group.leader = open_dummy(-1, false);
	for (i = 0; i < SIBLINGS; i++)
		group.sibling[i] = open_dummy(group.leader, true);
	test_retry_or_xfail(prctl_is_quick, &group,
			    "a group is put on once for each sibling");
}

static int open_counted(int leader)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.inherit = 1;
	attr.inherit_stat = 1;
	attr.disabled = 0;
	return open_on(&attr, 0, -1, leader);
}

static void open_by_turns(void)
{
	int leader[GROUPS], i, n;

	for (i = 0; i < GROUPS; i++)
		leader[i] = open_counted(-1);
	for (n = 1; n < GROUP_SIZE; n++)
		for (i = 0; i < GROUPS; i++)
			open_counted(leader[i]);
}

static void open_in_order(void)
{
	int leader, i, n;

	for (i = 0; i < GROUPS; i++) {
		leader = open_counted(-1);
		for (n = 1; n < GROUP_SIZE; n++)
			open_counted(leader);
	}
}

/*
 * Nanoseconds of a round trip between two tasks with events. In a process of its own
 * each time: the partner may end with the context that was opened, and what is left
 * is a copy, in which all groups are in order.
 */
static void exchange_once(void (*open_all)(void), __u64 *cost)
{
	pid_t pid = fork();

	CHECK(pid >= 0, "fork");
	if (pid) {
		join_child(pid);
		return;
	}
	open_all();
	*cost = now_ns();
	bounce(ROUNDS);
	*cost = (now_ns() - *cost) / ROUNDS;
	_exit(0);
}

static int by_size(const void *a, const void *b)
{
	const __u64 *one = a, *two = b;

	return (*one > *two) - (*one < *two);
}

/*
 * The median of some. One is slow if the host stops meanwhile. One is quick if
 * the partner's context was loaded first, and its order is the one that is
 * searched for.
 */
static __u64 exchange_cost(void (*open_all)(void))
{
	size_t size = EXCHANGES * sizeof(__u64);
	__u64 *cost = map_memory(memory_fd("cost", size), size);
	__u64 median;
	int i;

	for (i = 0; i < EXCHANGES; i++)
		exchange_once(open_all, &cost[i]);
	qsort(cost, EXCHANGES, sizeof(*cost), by_size);
	median = cost[EXCHANGES / 2];
	munmap(cost, size);
	return median;
}

static bool exchange_is_quick(void *arg)
{
	(void)arg;
	__u64 turns = exchange_cost(open_by_turns);
	__u64 order = exchange_cost(open_in_order);

	if (turns <= 2 * order)
		return true;
	return test_remark("%llu us a round where groups were opened by turns, %llu one by one",
			   turns / 1000, order / 1000);
}

static void exchange(void)
{
	need_files(GROUPS * GROUP_SIZE);
	pin_to_cpu(first_cpu());
	test_retry(exchange_is_quick, NULL);
}

static const struct test_case cases[] = {
	{ "prctl_group", prctl_group },
	{ "exchange", exchange },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_keep_rate();
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
