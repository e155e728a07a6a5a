// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: on the PMU as a whole or not at all, pinned ones that find no room,
 * exclusive ones, software events among hardware events and vice versa, and
 * groups that are refused because they could never run.
 *
 * Sizes depend on the machine: first the free counters are counted. The events
 * are branches, for which no PMU has a special counter.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define FAULTS		50
#define MANY		4
#define MAX_PINNED	64
#define PATIENCE	(60 * NSEC_PER_SEC)

struct group {
	int fd[MAX_COUNTERS + 2];
	int size;
};

static struct perf_event_attr faults_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.read_format = FORMAT_TIMES;
	return attr;
}

/* Opens a group of branches with a disabled leader and enabled siblings. */
static struct group open_group(struct perf_event_attr attr, int size)
{
	struct group group = { .size = size };
	int i;

	attr.disabled = 1;
	group.fd[0] = open_self(&attr);
	attr.disabled = 0;
	attr.pinned = 0;
	attr.exclusive = 0;
	for (i = 1; i < size; i++)
		group.fd[i] = open_sibling(&attr, group.fd[0]);
	return group;
}

static void group_ioctl(int fd, unsigned long cmd)
{
	CHECK(!ioctl(fd, cmd, PERF_IOC_FLAG_GROUP), "group ioctl: %s",
	      strerror(errno));
}

static void expect_together(const struct group *group, const char *what)
{
	struct timed_count lead = read_timed(group->fd[0]), follow;
	int i;

	for (i = 1; i < group->size; i++) {
		follow = read_timed(group->fd[i]);
		CHECK(follow.running == lead.running &&
		      follow.enabled == lead.enabled,
		      "%s: event %d ran %llu of %llu, leader %llu of %llu",
		      what, i, (unsigned long long)follow.running,
		      (unsigned long long)follow.enabled,
		      (unsigned long long)lead.running,
		      (unsigned long long)lead.enabled);
	}
}

static struct read_values read_group(int fd, __u64 format)
{
	struct read_values got;
	char buf[512];
	ssize_t len = read(fd, buf, sizeof(buf));

	CHECK(len > 0, "read: %zd %s", len, strerror(errno));
	parse_read(buf, len, format, &got);
	return got;
}

static bool is_in_error(int fd)
{
	struct timed_count count;
	ssize_t got = read(fd, &count, sizeof(count));

	CHECK(got == 0 || got == sizeof(count), "read: %zd %s", got,
	      strerror(errno));
	return got == 0;
}

/* Work until the event has been on a counter for a while longer. */
static void wait_running(int fd, const char *what)
{
	__u64 start = read_timed(fd).running, end = now_ns() + PATIENCE;

	while (read_timed(fd).running == start) {
		CHECK(now_ns() < end, "%s does not run", what);
		burn(20000);
	}
}

/* All or nothing. */

static bool one_at_a_time(void *arg)
{
	int size = *(int *)arg, i;
	struct group group[MANY];
	struct timed_count count;
	unsigned int sum = 0;

	for (i = 0; i < MANY; i++)
		group[i] = open_group(branch_attr(), size);
	for (i = 0; i < MANY; i++)
		event_enable(group[i].fd[0]);
	burn_ms(100);
	for (i = 0; i < MANY; i++)
		event_disable(group[i].fd[0]);
	for (i = 0; i < MANY; i++) {
		expect_together(&group[i], "groups of more than half");
		count = read_timed(group[i].fd[0]);
		sum += 1000 * count.running / count.enabled;
		while (group[i].size)
			close(group[i].fd[--group[i].size]);
	}
	return (sum > 800 && sum < 1100) ||
	       test_remark("%d groups of %d ran %u thousandths of the time",
			   MANY, size, sum);
}

/* Two groups do not fit together, and half of one is never active. */
static void larger_than_half(void)
{
	int counters, size;

	need_hardware();
	counters = count_counters();
	for (size = counters / 2 + 1; size <= counters; size++)
		test_retry(one_at_a_time, &size);
}

/* A group that needs all counters fits as long as it is alone. */
static void full_house(void)
{
	struct timed_count count;
	struct group group;
	int i;

	need_hardware();
	group = open_group(branch_attr(), count_counters());
	event_enable(group.fd[0]);
	burn_ms(20);
	for (i = 0; i < group.size; i++) {
		count = read_timed(group.fd[i]);
		CHECK(count.value > 0 && count.running == count.enabled,
		      "event %d ran %llu of %llu", i,
		      (unsigned long long)count.running,
		      (unsigned long long)count.enabled);
	}
}

/* Open siblings until one is refused. */
static void fill(struct group *group, struct perf_event_attr attr)
{
	int fd = open_self(&attr);

	for (group->size = 0; fd >= 0 && group->size <= MAX_COUNTERS;) {
		group->fd[group->size++] = fd;
		fd = perf_open(&attr, 0, -1, group->fd[0], 0);
	}
	CHECK(fd < 0 && errno == EINVAL, "event %d: %s", group->size + 1,
	      fd < 0 ? strerror(errno) : "accepted");
}

/*
 * The first event too many is refused; the others go on. The limit is the PMU's
 * size, even if another user, such as the watchdog, holds a counter. Then
 * siblings without a counter have to be closed before the rest runs.
 */
static void never_fits(void)
{
	struct perf_event_attr attr = branch_attr();
	__u64 end = now_ns() + PATIENCE;
	struct read_values got;
	struct group group;
	int room;

	need_hardware();
	room = count_counters();
	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 0;
	fill(&group, attr);
	got = read_group(group.fd[0], attr.read_format);
	CHECK((int)got.nr == group.size && group.size >= room,
	      "%llu events of %d, %d counters", (unsigned long long)got.nr,
	      group.size, room);
	while (group.size > room)
		close(group.fd[--group.size]);
	got = read_group(group.fd[0], attr.read_format);
	while (read_group(group.fd[0], attr.read_format).event[0].value ==
	       got.event[0].value)
		CHECK(now_ns() < end, "stopped at %llu",
		      (unsigned long long)got.event[0].value);
}

/* A disabled sibling needs no counter. When enabled, it may not fit. */
static void disabled_siblings(void)
{
	struct perf_event_attr attr = branch_attr();
	struct timed_count before, after;
	struct group group;
	int extra;

	need_counters(2);
	group = open_group(attr, count_counters() - 1);
	attr.disabled = 1;
	extra = open_sibling(&attr, group.fd[0]);
	event_enable(group.fd[0]);
	wait_running(group.fd[0], "group with a disabled sibling");
	CHECK(!read_timed(extra).running, "the disabled sibling ran");
	event_enable(extra);
	wait_running(extra, "sibling that was enabled");
	event_disable(extra);
	before = read_timed(extra);
	wait_running(group.fd[0], "group without the sibling");
	after = read_timed(extra);
	CHECK(after.running == before.running && after.value == before.value,
	      "disabled sibling went on");
}

/*
 * The events are enabled one after the other, so only counts of disabled events
 * can be compared. Three events if there is room for them.
 */
static void by_flag(void)
{
	struct timed_count before[3], after;
	struct group group;
	int i, j, size;

	need_hardware();
	size = count_counters();
	size = size < 3 ? size : 3;
	group = open_group(branch_attr(), size);
	for (i = 0; i < size; i++)
		event_disable(group.fd[i]);
	for (i = 0; i < size; i++) {
		group_ioctl(group.fd[i], PERF_EVENT_IOC_ENABLE);
		burn(20000);
		group_ioctl(group.fd[size - 1 - i], PERF_EVENT_IOC_DISABLE);
		for (j = 0; j < size; j++)
			before[j] = read_timed(group.fd[j]);
		burn(20000);
		for (j = 0; j < size; j++) {
			after = read_timed(group.fd[j]);
			CHECK(after.value && after.value == before[j].value &&
			      after.running == before[j].running,
			      "event %d: %llu, then %llu", j,
			      (unsigned long long)before[j].value,
			      (unsigned long long)after.value);
		}
		group_ioctl(group.fd[i], PERF_EVENT_IOC_RESET);
		for (j = 0; j < size; j++)
			CHECK(!read_timed(group.fd[j]).value, "not reset");
	}
}

static void *spin(void *arg)
{
	while (!__atomic_load_n((bool *)arg, __ATOMIC_RELAXED))
		burn(1000);
	return NULL;
}

/* A group of a running task gets a sibling, again and again. */
static void joined_while_running(void)
{
	struct perf_event_attr attr = branch_attr();
	__u64 end = now_ns() + PATIENCE, last;
	int leader, sibling, i;
	pid_t pid;
	bool stop = false;

	need_counters(2);
	second_cpu();
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid) {
		pin_to_cpu(second_cpu());
		spin(&stop);
	}
	pin_to_cpu(first_cpu());
	attr.disabled = 0;
	leader = open_on(&attr, pid, -1, -1);
	for (i = 0; i < 20; i++) {
		sibling = open_on(&attr, pid, -1, leader);
		last = read_timed(leader).value;
		while (!read_timed(sibling).value ||
		       read_timed(leader).value == last)
			CHECK(now_ns() < end, "round %d: group stands", i);
		close(sibling);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Pinned groups. */

static bool polls_error(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	CHECK(poll(&poll_fd, 1, 0) >= 0, "poll: %s", strerror(errno));
	return poll_fd.revents & POLLERR;
}

/*
 * Without room: end of file and POLLERR, until an enable finds room.
 */
static void pinned_error(void)
{
	struct perf_event_attr attr = branch_attr();
	struct counter_hog hog;
	struct group group;
	bool polled;
	int i;

	need_counters(2);
	hog = take_counters();
	attr.pinned = 1;
	group = open_group(attr, 2);
	CHECK(!is_in_error(group.fd[0]), "error before it was enabled");
	for (i = 0; i < 3; i++) {
		event_enable(group.fd[0]);
		burn(20000);
		CHECK(is_in_error(group.fd[0]), "try %d: runs", i);
	}
	polled = polls_error(group.fd[0]);
	give_counters(&hog);
	burn(20000);
	CHECK(is_in_error(group.fd[0]), "recovers by itself");
	event_enable(group.fd[0]);
	burn(20000);
	CHECK(!is_in_error(group.fd[0]), "still in error");
	event_disable(group.fd[0]);
	expect_together(&group, "pinned group");
	CHECK(read_timed(group.fd[1]).value > 0, "sibling did not count");
	CHECK(!polls_error(group.fd[0]), "poll still tells of an error");
	if (!polled)
		test_xfail("poll does not tell of the error");
}

static void *wait_for_error(void *arg)
{
	struct pollfd poll_fd = { .fd = *(int *)arg, .events = POLLIN };

	poll(&poll_fd, 1, 3000);
	return poll_fd.revents & POLLERR ? arg : NULL;
}

/* The error wakes a sleeper in poll(2). */
static void pinned_error_wakes(void)
{
	struct perf_event_attr attr = branch_attr();
	pthread_t thread;
	void *got;
	int fd;

	need_hardware();
	take_counters();
	attr.pinned = 1;
	fd = open_self(&attr);
	ring_map(fd, 1);
	CHECK(!pthread_create(&thread, NULL, wait_for_error, &fd), "thread");
	usleep(20000);
	event_enable(fd);
	burn(20000);
	CHECK(is_in_error(fd), "runs");
	pthread_join(thread, &got);
	if (!got)
		test_xfail("poll was not woken");
}

/* Runs until it is told to exec. */
static void exec_when_told(void *arg)
{
	int *told = arg;
	char byte;

	while (read(told[0], &byte, 1) != 1)
		burn(2000);
	execl("/bin/true", "true", NULL);
	CHECK(0, "exec: %s", strerror(errno));
}

/* With enable_on_exec an exec enables it again, like an ioctl. */
static void pinned_error_exec(void)
{
	struct perf_event_attr attr = branch_attr();
	int told[2], fd[MAX_PINNED], nr = 0;
	struct helper child;

	need_hardware();
	CHECK(!pipe2(told, O_NONBLOCK), "pipe");
	attr.pinned = 1;
	attr.enable_on_exec = 1;
	child = helper_start(exec_when_told, told);
	helper_go(&child);
	while (true) {
		fd[nr] = open_on(&attr, child.pid, -1, -1);
		event_enable(fd[nr]);
		usleep(20000);
		if (is_in_error(fd[nr]))
			break;
		CHECK(++nr < MAX_PINNED, "%d pinned events fit", nr);
	}
	CHECK(nr, "no pinned event fits");
	while (nr--) {
		CHECK(!close(fd[nr]), "close");
		fd[nr] = fd[nr + 1];
	}
	CHECK(write(told[1], "", 1) == 1, "tell");
	helper_join(&child);
	CHECK(read_timed(fd[0]).value > 0, "it did not count the new program");
}

static unsigned int error_signals;

/* PAPI's handler ends like this, whatever the signal was for. */
static void refresh_always(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	__atomic_add_fetch(&error_signals, 1, __ATOMIC_RELAXED);
	ioctl(info->si_fd, PERF_EVENT_IOC_REFRESH, 1);
}

/* The error sends no signal: a handler that tries again would not end. */
static void pinned_error_no_signal(void)
{
	struct sigaction action = {
		.sa_sigaction = refresh_always, .sa_flags = SA_SIGINFO,
	};
	struct perf_event_attr attr = branch_attr();
	int fd;

	need_hardware();
	take_counters();
	attr.pinned = 1;
	attr.sample_period = 10000;
	attr.wakeup_events = 1;
	fd = open_self(&attr);
	CHECK(!sigaction(SIGRTMIN, &action, NULL), "sigaction");
	CHECK(!fcntl(fd, F_SETOWN, getpid()), "F_SETOWN");
	CHECK(!fcntl(fd, F_SETSIG, SIGRTMIN), "F_SETSIG");
	CHECK(!fcntl(fd, F_SETFL, O_ASYNC), "O_ASYNC: %s", strerror(errno));
	event_enable(fd);
	burn(20000);
	CHECK(is_in_error(fd), "runs");
	CHECK(!__atomic_load_n(&error_signals, __ATOMIC_RELAXED), "signals");
}

/* A pinned event never loses its counter to one that comes later. */
static void pinned_stay(void)
{
	struct perf_event_attr attr = branch_attr();
	struct timed_count count;
	struct counter_hog hog;
	struct group group;
	int i;

	need_hardware();
	hog = take_counters();
	attr.pinned = 1;
	group = open_group(attr, 2);
	event_enable(group.fd[0]);
	group = open_group(branch_attr(), 2);
	event_enable(group.fd[0]);
	burn_ms(30);
	for (i = 0; i < hog.counters; i++) {
		count = read_timed(hog.fd[i]);
		CHECK(count.running == count.enabled && count.value > 0,
		      "pinned event %d ran %llu of %llu", i,
		      (unsigned long long)count.running,
		      (unsigned long long)count.enabled);
	}
	CHECK(!read_timed(group.fd[0]).running, "flexible group ran");
}

/* Exclusive groups. */

static bool exclusive_alone(void *arg)
{
	struct perf_event_attr attr = branch_attr();
	struct timed_count alone, other, soft;
	struct group group;
	int fd, sw;

	(void)arg;
	fd = open_self(&attr);
	attr = faults_attr();
	sw = open_self(&attr);
	attr = branch_attr();
	attr.exclusive = 1;
	group = open_group(attr, 2);
	event_enable(sw);
	event_enable(fd);
	event_enable(group.fd[0]);
	burn_ms(100);
	event_disable(group.fd[0]);
	event_disable(fd);
	event_disable(sw);
	expect_together(&group, "exclusive group");
	alone = read_timed(group.fd[0]);
	other = read_timed(fd);
	soft = read_timed(sw);
	CHECK(soft.running == soft.enabled, "software event waited");
	CHECK(alone.running + other.running <=
	      other.enabled + other.enabled / 10, "%llu and %llu of %llu",
	      (unsigned long long)alone.running,
	      (unsigned long long)other.running,
	      (unsigned long long)other.enabled);
	close(group.fd[0]);
	close(group.fd[1]);
	close(fd);
	close(sw);
	return (alone.running && other.running) ||
	       test_remark("ran %llu and %llu",
			   (unsigned long long)alone.running,
			   (unsigned long long)other.running);
}

static void exclusive(void)
{
	need_counters(2);
	test_retry(exclusive_alone, NULL);
}

/* While a pinned exclusive group is active, no other event gets a turn. */
static void exclusive_pinned(void)
{
	struct perf_event_attr attr = branch_attr();
	struct timed_count count;
	struct group group;
	int fd;

	need_counters(2);
	attr.exclusive = 1;
	attr.pinned = 1;
	group = open_group(attr, 2);
	event_enable(group.fd[0]);
	attr = branch_attr();
	attr.disabled = 0;
	fd = open_self(&attr);
	burn_ms(50);
	CHECK(!read_timed(fd).running, "the other ran");
	count = read_timed(group.fd[0]);
	CHECK(count.running == count.enabled, "ran %llu of %llu",
	      (unsigned long long)count.running,
	      (unsigned long long)count.enabled);
	event_disable(group.fd[0]);
	wait_running(fd, "the other");
	expect_together(&group, "exclusive and pinned");
}

/* Software events. */

/* A software event in a group counts only while the group is active. */
static void software_sibling(void)
{
	struct perf_event_attr hw = branch_attr(), sw = faults_attr();
	int leader, sibling, alone;
	struct counter_hog hog;

	need_hardware();
	hog = take_counters();
	leader = open_self(&hw);
	sw.disabled = 0;
	sibling = open_sibling(&sw, leader);
	alone = open_self(&sw);
	event_enable(leader);
	touch_pages(FAULTS);
	CHECK(read_timed(alone).value >= FAULTS, "alone: %llu",
	      (unsigned long long)read_timed(alone).value);
	CHECK(!read_timed(sibling).value, "sibling of a group that waits: %llu",
	      (unsigned long long)read_timed(sibling).value);
	give_counters(&hog);
	wait_running(leader, "group");
	event_disable(leader);
	CHECK(read_timed(sibling).running == read_timed(leader).running,
	      "not together");
}

/* A software group keeps counts and times when it becomes a hardware group. */
static void leader_moves(void)
{
	struct perf_event_attr hw = branch_attr(), sw = faults_attr();
	struct timed_count before, after;
	int leader, soft, hard;

	need_hardware();
	sw.disabled = 0;
	hw.disabled = 0;
	leader = open_self(&sw);
	soft = open_sibling(&sw, leader);
	touch_pages(FAULTS);
	before = read_timed(leader);
	hard = open_sibling(&hw, leader);
	after = read_timed(leader);
	CHECK(after.value >= before.value && after.enabled >= before.enabled &&
	      after.running >= before.running, "%llu before, %llu afterwards",
	      (unsigned long long)before.value,
	      (unsigned long long)after.value);
	touch_pages(FAULTS);
	wait_running(hard, "hardware sibling");
	touch_pages(FAULTS);
	CHECK(read_timed(hard).value > 0, "hardware sibling counts nothing");
	CHECK(read_timed(leader).value >= before.value + FAULTS &&
	      read_timed(soft).value >= before.value + FAULTS,
	      "%llu and %llu after %llu",
	      (unsigned long long)read_timed(leader).value,
	      (unsigned long long)read_timed(soft).value,
	      (unsigned long long)before.value);
	close(hard);
	before = read_timed(leader);
	touch_pages(FAULTS);
	CHECK(read_timed(leader).value >= before.value + FAULTS,
	      "stopped when the hardware sibling was closed");
}

/* After that the leader waits for a counter together with the group. */
static void moved_leader_waits(void)
{
	struct perf_event_attr hw = branch_attr(), sw = faults_attr();
	struct timed_count before, after;
	struct counter_hog hog;
	int leader;

	need_hardware();
	sw.disabled = 0;
	hw.disabled = 0;
	leader = open_self(&sw);
	touch_pages(FAULTS);
	hog = take_counters();
	open_sibling(&hw, leader);
	before = read_timed(leader);
	CHECK(before.value >= FAULTS, "count was lost");
	touch_pages(FAULTS);
	after = read_timed(leader);
	CHECK(after.value == before.value && after.running == before.running,
	      "counted %llu without a counter for the group",
	      (unsigned long long)(after.value - before.value));
	CHECK(after.enabled > before.enabled, "not enabled");
	give_counters(&hog);
	wait_running(leader, "group");
}

static unsigned int new_samples(struct perf_ring *ring)
{
	touch_pages(FAULTS);
	return ring_count(ring, PERF_RECORD_SAMPLE);
}

/* Its buffer, number and place in the group stay what they were. */
static void moved_leader_samples(void)
{
	struct perf_event_attr hw = branch_attr(), sw = faults_attr();
	struct perf_ring *ring;
	struct read_values got;
	int leader, hard, soft;
	__u64 id;

	need_hardware();
	hw.disabled = 0;
	sw.disabled = 0;
	sw.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	sw.sample_period = 1;
	leader = open_self(&sw);
	id = event_id(leader);
	ring = ring_map(leader, 8);
	CHECK(new_samples(ring) >= FAULTS, "no samples");
	hard = open_sibling(&hw, leader);
	sw.sample_period = 0;
	soft = open_sibling(&sw, leader);
	wait_running(hard, "group");
	CHECK(new_samples(ring) >= FAULTS, "no samples after the move");
	got = read_group(leader, sw.read_format);
	CHECK(got.nr == 3 && got.event[0].id == id &&
	      got.event[1].id == event_id(hard) &&
	      got.event[2].id == event_id(soft), "%llu events, leader %llu",
	      (unsigned long long)got.nr,
	      (unsigned long long)got.event[0].id);
}

static void child_touches(void *arg)
{
	(void)arg;
	burn(20000);
	touch_pages(FAULTS);
}

/*
 * The base exchanges contexts that hold the leader. If a switch gave it to the
 * first child, the leader ended with that child.
 */
static int join_after_child(struct perf_event_attr *attr, int leader)
{
	int fd = perf_open(attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == ENODEV)
		test_xfail("the leader went with a child");
	CHECK(fd >= 0, "open: %s", strerror(errno));
	return fd;
}

static void moved_leader_inherits(void)
{
	struct perf_event_attr hw = branch_attr(), sw = faults_attr();
	int leader, hard, i;
	__u64 last;

	need_hardware();
	hw.disabled = 0;
	hw.inherit = 1;
	sw.disabled = 0;
	sw.inherit = 1;
	leader = open_self(&sw);
	run_child(child_touches, NULL);
	hard = join_after_child(&hw, leader);
	for (i = 0; i < 3; i++) {
		last = read_timed(leader).value;
		run_child(child_touches, NULL);
		CHECK(read_timed(leader).value >= last + FAULTS,
		      "child %d: %llu faults", i,
		      (unsigned long long)(read_timed(leader).value - last));
	}
	CHECK(read_timed(hard).value > 0, "children did not branch");
}

/* An ioctl before the move is forgotten: attr.disabled decides again. */
static void moved_leader_begins_anew(void)
{
	struct perf_event_attr sw = faults_attr(), hw = branch_attr();
	int off, on;

	need_hardware();
	hw.disabled = 0;
	off = open_self(&sw);
	event_enable(off);
	sw.disabled = 0;
	on = open_self(&sw);
	event_disable(on);
	open_sibling(&hw, off);
	open_sibling(&hw, on);
	event_reset(off);
	event_reset(on);
	touch_pages(FAULTS);
	CHECK(!read_timed(off).value, "opened disabled, counted %llu",
	      (unsigned long long)read_timed(off).value);
	CHECK(read_timed(on).value >= FAULTS, "opened enabled, counted %llu",
	      (unsigned long long)read_timed(on).value);
}

static void moved_on_cpu(void)
{
	struct perf_event_attr hw = branch_attr(), sw = faults_attr();
	__u64 end = now_ns() + PATIENCE;
	int leader, hard, cpu;

	need_hardware();
	sw.disabled = 0;
	sw.config = PERF_COUNT_SW_CPU_CLOCK;
	hw.disabled = 0;
	cpu = second_cpu();
	pin_to_cpu(first_cpu());
	leader = open_on(&sw, -1, cpu, -1);
	usleep(1000);
	hard = open_on(&hw, -1, cpu, leader);
	while (!read_timed(hard).running || !read_timed(leader).value) {
		CHECK(now_ns() < end, "group does not run");
		usleep(1000);
	}
}

/* Reading. */

static void all_formats(void)
{
	struct perf_event_attr hw = branch_attr(), sw = faults_attr();
	int leader, soft, hard, bits;
	struct read_values got;

	need_counters(2);
	hw.disabled = 1;
	for (bits = 0; bits < 16; bits++) {
		hw.read_format = PERF_FORMAT_GROUP |
				 (bits & 3) |
				 (bits & 4 ? PERF_FORMAT_ID : 0) |
				 (bits & 8 ? PERF_FORMAT_LOST : 0);
		leader = open_self(&hw);
		sw.disabled = 0;
		soft = open_sibling(&sw, leader);
		hw.disabled = 0;
		hard = open_sibling(&hw, leader);
		hw.disabled = 1;
		event_enable(leader);
		wait_running(soft, "group");
		touch_pages(FAULTS);
		event_disable(leader);
		got = read_group(leader, hw.read_format);
		CHECK(got.nr == 3, "%llu events", (unsigned long long)got.nr);
		CHECK(got.event[0].value && got.event[2].value &&
		      got.event[1].value == read_timed(soft).value,
		      "format %#llx: values",
		      (unsigned long long)hw.read_format);
		if (bits & 4)
			CHECK(got.event[0].id == event_id(leader) &&
			      got.event[1].id == event_id(soft) &&
			      got.event[2].id == event_id(hard), "ids");
		CHECK(!got.event[0].lost && !got.event[1].lost &&
		      !got.event[2].lost, "lost without buffer");
		close(hard);
		close(soft);
		close(leader);
	}
}

/* A lost record counts for the event that could not store it, and no other. */
static void lost_of_a_sibling(void)
{
	struct perf_event_attr hw = branch_attr(), sw = faults_attr();
	int leader, soft;
	struct read_values got;
	struct perf_ring *ring;
	unsigned int stored;

	need_hardware();
	hw.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_LOST;
	leader = open_self(&hw);
	sw.disabled = 0;
	sw.sample_period = 1;
	sw.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	soft = open_sibling(&sw, leader);
	ring = ring_map(soft, 1);
	event_enable(leader);
	overfill_page();
	event_disable(leader);
	stored = ring_count(ring, PERF_RECORD_SAMPLE);
	got = read_group(leader, hw.read_format);
	CHECK(got.nr == 2 && !got.event[0].lost, "leader lost %llu",
	      (unsigned long long)got.event[0].lost);
	CHECK(stored && got.event[1].lost &&
	      stored + got.event[1].lost == got.event[1].value,
	      "%u stored, %llu lost of %llu", stored,
	      (unsigned long long)got.event[1].lost,
	      (unsigned long long)got.event[1].value);
}

static const struct test_case cases[] = {
	{ "larger than half of the PMU", larger_than_half },
	{ "as large as the PMU", full_house },
	{ "larger than the PMU: EINVAL", never_fits },
	{ "disabled siblings need no room", disabled_siblings },
	{ "PERF_IOC_FLAG_GROUP", by_flag },
	{ "a sibling joins while the task runs", joined_while_running },
	{ "pinned without room", pinned_error },
	{ "pinned without room: poll wakes up", pinned_error_wakes },
	{ "pinned without room: an exec tries again", pinned_error_exec },
	{ "pinned without room: no signal", pinned_error_no_signal },
	{ "pinned groups stay", pinned_stay },
	{ "exclusive", exclusive },
	{ "exclusive and pinned", exclusive_pinned },
	{ "software sibling of a hardware group", software_sibling },
	{ "software leader, hardware sibling", leader_moves },
	{ "a leader that moved waits for counters", moved_leader_waits },
	{ "a leader that moved goes on sampling", moved_leader_samples },
	{ "a leader that moved is inherited", moved_leader_inherits },
	{ "a leader that moved is as it was opened", moved_leader_begins_anew },
	{ "a leader that moves on another CPU", moved_on_cpu },
	{ "all formats", all_formats },
	{ "LOST of a sibling", lost_of_a_sibling },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
