// SPDX-License-Identifier: GPL-2.0
/*
 * The end of events: groups closed in any order, files closed by other threads
 * and processes, tasks that exit first, buffers that outlive their event, all
 * while forks and exits happen.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define FAULTS	20
#define EVENTS	4
#define ORDERS	24

static bool counts(int fd)
{
	__u64 before = read_count(fd);

	touch_pages(FAULTS);
	return read_count(fd) >= before + FAULTS;
}

/* The n-th permutation of EVENTS things, as a list of indices. */
static void nth_order(unsigned int n, int *order)
{
	int left[EVENTS], i, pick;

	for (i = 0; i < EVENTS; i++)
		left[i] = i;
	for (i = 0; i < EVENTS; i++) {
		pick = n % (EVENTS - i);
		n /= EVENTS - i;
		order[i] = left[pick];
		memmove(&left[pick], &left[pick + 1],
			(EVENTS - i - 1 - pick) * sizeof(left[0]));
	}
}

static void open_group_of(int *fd, const __u64 *config)
{
	struct perf_event_attr attr;
	int i;

	for (i = 0; i < EVENTS; i++) {
		attr = sw_attr(config[i]);
		attr.disabled = i == 0;
		fd[i] = open_on(&attr, 0, -1, i ? fd[0] : -1);
	}
	event_enable(fd[0]);
}

/*
 * The events that are still open keep counting, also when the leader is
 * closed.
 */
static void close_in_order(unsigned int n)
{
	static const __u64 configs[EVENTS] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS,
		PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS,
	};
	int fd[EVENTS], order[EVENTS], i, j;

	nth_order(n, order);
	open_group_of(fd, configs);
	for (i = 0; i < EVENTS; i++) {
		close(fd[order[i]]);
		for (j = i + 1; j < EVENTS; j++)
			CHECK(counts(fd[order[j]]),
			      "order %u: %d stopped when %d was closed", n,
			      order[j], order[i]);
	}
}

static void every_order(void)
{
	unsigned int n;

	for (n = 0; n < ORDERS; n++)
		close_in_order(n);
}

static void hardware_every_order(void)
{
	struct perf_event_attr attr;
	int fd[EVENTS], order[EVENTS], i, leader;
	unsigned int n;

	need_hardware();
	for (n = 0; n < 2 * ORDERS; n++) {
		leader = n & 1;
		nth_order(n / 2, order);
		for (i = 0; i < EVENTS; i++) {
			attr = (i + leader) & 1 ?
				hw_attr(PERF_COUNT_HW_INSTRUCTIONS) :
				sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
			attr.disabled = i == 0;
			fd[i] = open_on(&attr, 0, -1, i ? fd[0] : -1);
		}
		event_enable(fd[0]);
		for (i = 0; i < EVENTS; i++) {
			touch_pages(FAULTS);
			CHECK(read_count(fd[order[i]]) > 0,
			      "round %u: event %d did not count", n, order[i]);
			close(fd[order[i]]);
		}
	}
}

/* When its leader is closed, a sibling leads itself and may get siblings. */
static void orphan_leads(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int leader, orphan, sibling;
	struct read_values got;
	char buf[256];
	ssize_t len;

	attr.disabled = 0;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	leader = open_self(&attr);
	orphan = open_sibling(&attr, leader);
	close(leader);
	len = read(orphan, buf, sizeof(buf));
	CHECK(len > 0, "read: %s", strerror(errno));
	parse_read(buf, len, attr.read_format, &got);
	CHECK(got.nr == 1 && got.event[0].id == event_id(orphan),
	      "orphan is in a group of %llu", (unsigned long long)got.nr);
	sibling = open_sibling(&attr, orphan);
	len = read(orphan, buf, sizeof(buf));
	CHECK(len > 0, "read: %s", strerror(errno));
	parse_read(buf, len, attr.read_format, &got);
	CHECK(got.nr == 2 && got.event[1].id == event_id(sibling),
	      "new group of %llu", (unsigned long long)got.nr);
}

/* It starts at the latest when the task is next switched in. */
static void disabled_leader_leaves(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int leader, sibling;

	leader = open_self(&attr);
	attr.disabled = 0;
	sibling = open_sibling(&attr, leader);
	CHECK(!counts(sibling), "counts under a disabled leader");
	close(leader);
	usleep(10000);
	CHECK(counts(sibling), "does not count without the leader");
}

static void short_life(void *arg)
{
	(void)arg;
	touch_pages(FAULTS);
}

/* After the exit the counts stay, and poll reports a hangup. */
static void task_goes_first(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct helper child = helper_start(short_life, NULL);
	struct pollfd poll_fd = { .events = POLLIN };
	int leader, sibling;
	__u64 count;

	attr.disabled = 0;
	leader = open_on(&attr, child.pid, -1, -1);
	sibling = open_on(&attr, child.pid, -1, leader);
	ring_map(leader, 1);
	helper_go(&child);
	helper_join(&child);
	count = read_count(sibling);
	CHECK(count >= FAULTS && read_count(leader) >= FAULTS, "%llu at exit",
	      (unsigned long long)count);
	poll_fd.fd = leader;
	CHECK(poll(&poll_fd, 1, 5000) == 1 && (poll_fd.revents & POLLHUP),
	      "poll gave %#x", poll_fd.revents);
	close(leader);
	CHECK(read_count(sibling) == count, "count changed");
	close(sibling);
}

static void *close_it(void *arg)
{
	close(*(int *)arg);
	return NULL;
}

static void from_another_thread(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd, other, round;
	pthread_t thread;

	attr.disabled = 0;
	other = open_self(&attr);
	for (round = 0; round < 30; round++) {
		fd = open_self(&attr);
		CHECK(!pthread_create(&thread, NULL, close_it, &fd), "thread");
		touch_pages(FAULTS);
		pthread_join(thread, NULL);
	}
	CHECK(counts(other), "the remaining event stopped");
}

static void *open_for_caller(void *arg)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int *fd = arg;

	attr.disabled = 0;
	*fd = open_on(&attr, getpid(), -1, -1);
	return NULL;
}

/* An event outlives the thread that opened it. */
static void opener_goes_first(void)
{
	pthread_t thread;
	int fd;

	CHECK(!pthread_create(&thread, NULL, open_for_caller, &fd), "thread");
	pthread_join(thread, NULL);
	CHECK(counts(fd), "event died with the thread that opened it");
}

static void use_fd(void *arg)
{
	int fd = *(int *)arg;

	read_count(fd);
	event_disable(fd);
	event_enable(fd);
	close(fd);
}

static void shared_file(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd, copy;

	fd = open_self(&attr);
	copy = dup(fd);
	CHECK(copy >= 0, "dup");
	run_child(use_fd, &fd);
	close(fd);
	CHECK(counts(copy), "event died with one of its files");
}

static void busy_child(void)
{
	pin_to_cpu(second_cpu());
	for (;;)
		touch_pages(4);
}

static void while_running_elsewhere(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int leader, sibling, round;
	pid_t pid;

	second_cpu();
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid)
		busy_child();
	pin_to_cpu(first_cpu());
	attr.disabled = 0;
	for (round = 0; round < 50; round++) {
		leader = open_on(&attr, pid, -1, -1);
		sibling = open_on(&attr, pid, -1, leader);
		burn(20000);
		close(round & 1 ? leader : sibling);
		close(round & 1 ? sibling : leader);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Records of a redirected event stay readable when the target is closed. */
static void output_target_goes_first(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_ring *ring;
	int target, fd;

	attr.sample_period = 1;
	fd = open_self(&attr);
	attr.config = PERF_COUNT_SW_DUMMY;
	target = open_self(&attr);
	ring = ring_map(target, 8);
	event_set_output(fd, target);
	event_enable(fd);
	touch_pages(FAULTS);
	close(target);
	touch_pages(FAULTS);
	event_disable(fd);
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) >= 2 * FAULTS,
	      "redirected samples ended with the target's file");
	ring_unmap(ring);
	event_enable(fd);
	touch_pages(FAULTS);
	CHECK(read_count(fd) >= 3 * FAULTS, "no longer counts");
}

static void storm(void *arg)
{
	int round, child;

	(void)arg;
	for (round = 0; round < 10; round++) {
		for (child = 0; child < 3; child++)
			if (!fork()) {
				touch_pages(2);
				_exit(0);
			}
		while (wait(NULL) > 0)
			;
	}
}

/* Inherited events are closed while the family grows and shrinks. */
static void in_a_fork_storm(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct helper child = helper_start(storm, NULL);
	int round, leader, sibling, stays;

	attr.inherit = 1;
	attr.disabled = 0;
	stays = open_on(&attr, child.pid, -1, -1);
	helper_go(&child);
	for (round = 0; round < 60; round++) {
		leader = perf_open(&attr, child.pid, -1, -1, 0);
		if (leader < 0)
			break;
		sibling = perf_open(&attr, child.pid, -1, leader, 0);
		burn(5000);
		read_count(stays);
		close(leader);
		if (sibling >= 0)
			close(sibling);
	}
	helper_join(&child);
	CHECK(read_count(stays) >= 60, "%llu faults of 30 children",
	      (unsigned long long)read_count(stays));
}

static void closed_before_children(void *arg)
{
	(void)arg;
	touch_pages(FAULTS);
}

static void parent_event_first(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct helper child;
	int fd, other;

	attr.inherit = 1;
	attr.disabled = 0;
	fd = open_self(&attr);
	other = open_self(&attr);
	child = helper_start(closed_before_children, NULL);
	close(fd);
	helper_go(&child);
	helper_join(&child);
	CHECK(read_count(other) >= FAULTS, "the other event lost the child");
}

static void cpu_events(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd[EVENTS], order[EVENTS], i, cpu;
	unsigned int n;

	attr.disabled = 0;
	for (n = 0; n < ORDERS; n++) {
		cpu = n & 1 ? second_cpu() : first_cpu();
		nth_order(n, order);
		for (i = 0; i < EVENTS; i++)
			fd[i] = open_on(&attr, -1, cpu, i ? fd[0] : -1);
		for (i = 0; i < EVENTS; i++)
			close(fd[order[i]]);
	}
}

static void *open_and_close(void *arg)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	pid_t pid = *(pid_t *)arg;
	int round, fd, sibling;

	attr.disabled = 0;
	for (round = 0; round < 50; round++) {
		fd = open_on(&attr, pid, -1, -1);
		sibling = open_on(&attr, pid, -1, fd);
		close(fd);
		close(sibling);
	}
	return NULL;
}

static void two_openers(void)
{
	pthread_t one, two;
	pid_t pid = getpid();
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;

	attr.disabled = 0;
	fd = open_self(&attr);
	CHECK(!pthread_create(&one, NULL, open_and_close, &pid) &&
	      !pthread_create(&two, NULL, open_and_close, &pid), "thread");
	while (pthread_tryjoin_np(one, NULL))
		touch_pages(4);
	pthread_join(two, NULL);
	CHECK(counts(fd), "the remaining event stopped");
}

static const struct test_case cases[] = {
	{ "a group, every order", every_order },
	{ "hardware and software mixed, every order", hardware_every_order },
	{ "an orphan can lead", orphan_leads },
	{ "a disabled leader leaves", disabled_leader_leaves },
	{ "the task goes first", task_goes_first },
	{ "closed by another thread", from_another_thread },
	{ "the opening thread goes first", opener_goes_first },
	{ "file shared by dup and fork", shared_file },
	{ "the task runs on another CPU", while_running_elsewhere },
	{ "SET_OUTPUT target goes first", output_target_goes_first },
	{ "in a fork storm", in_a_fork_storm },
	{ "before the children", parent_event_first },
	{ "events of CPUs", cpu_events },
	{ "two threads open and close", two_openers },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
