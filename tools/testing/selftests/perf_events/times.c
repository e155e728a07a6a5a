// SPDX-License-Identifier: GPL-2.0
/*
 * Enabled and running time: when each passes, for which task, and how the times
 * of siblings, copies and turns relate.
 *
 * Times that do not advance are compared exactly. Times that advance are
 * compared with clocks that are read before and after. The kernel and the clock
 * may be read at different moments of one task switch, so one good attempt is
 * enough.
 *
 * Called with an argument, this is the program that a test executes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define MANY		12
#define THREADS		200
#define SWITCHES	300
#define PATIENCE	(60 * NSEC_PER_SEC)

static struct perf_event_attr timed_sw(__u64 config)
{
	struct perf_event_attr attr = sw_attr(config);

	attr.read_format = FORMAT_TIMES;
	return attr;
}

static __u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static bool same_times(const struct timed_count *a, const struct timed_count *b)
{
	return a->enabled == b->enabled && a->running == b->running;
}

static void expect_same(const struct timed_count *a,
			const struct timed_count *b, const char *what)
{
	EXPECT(same_times(a, b), "%s: %llu of %llu and %llu of %llu", what,
	       (unsigned long long)a->running, (unsigned long long)a->enabled,
	       (unsigned long long)b->running, (unsigned long long)b->enabled);
}

static void expect_possible(const struct timed_count *count)
{
	EXPECT(count->running <= count->enabled, "ran %llu of %llu",
	       (unsigned long long)count->running,
	       (unsigned long long)count->enabled);
	EXPECT(count->running || !count->value, "counted %llu, never ran",
	       (unsigned long long)count->value);
}

/* When time passes. */

static bool stands(int fd)
{
	struct timed_count one = read_timed(fd), two;

	usleep(2000);
	two = read_timed(fd);
	return same_times(&one, &two);
}

static void burn_some(void *arg)
{
	(void)arg;
	burn_ms(20);
}

/* While the task sleeps no time passes; after its exit it never does again. */
static void sleeping_task(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct helper child = helper_start(burn_some, NULL);
	__u64 end = now_ns() + PATIENCE;
	struct timed_count before, after;
	int fd;

	attr.disabled = 0;
	fd = open_on(&attr, child.pid, -1, -1);
	while (!stands(fd))
		CHECK(now_ns() < end, "the child does not sleep");
	before = read_timed(fd);
	burn_ms(20);
	after = read_timed(fd);
	expect_same(&before, &after, "asleep");
	helper_go(&child);
	helper_join(&child);
	after = read_timed(fd);
	CHECK(after.enabled >= before.enabled + 10 * NSEC_PER_MSEC,
	      "20 ms of work: %llu ns",
	      (unsigned long long)(after.enabled - before.enabled));
	burn_ms(20);
	before = read_timed(fd);
	expect_same(&before, &after, "exited");
}

/* Is value within the two, give or take a tenth? */
static bool about(__u64 low, __u64 value, __u64 high)
{
	return value + value / 10 >= low && value <= high + high / 10;
}

static bool like_the_cpu_clock(void *arg)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = open_self(&attr), i;
	struct timed_count count;
	__u64 clock[4];

	(void)arg;
	clock[0] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	event_enable(fd);
	clock[1] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (i = 0; i < 5; i++) {
		burn_ms(10);
		usleep(10000);
	}
	clock[2] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	event_disable(fd);
	clock[3] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	count = read_timed(fd);
	close(fd);
	CHECK(count.running == count.enabled, "ran %llu of %llu",
	      (unsigned long long)count.running,
	      (unsigned long long)count.enabled);
	return about(clock[2] - clock[1], count.enabled, clock[3] - clock[0]) ||
	       test_remark("enabled %llu, own time %llu",
			   (unsigned long long)count.enabled,
			   (unsigned long long)(clock[3] - clock[0]));
}

static void own_time(void)
{
	test_retry(like_the_cpu_clock, NULL);
}

/* A CPU's time passes whatever it does. */
static void cpu_time(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_DUMMY);
	struct timed_count one, two;
	__u64 clock[4];
	int fd;

	attr.disabled = 0;
	fd = open_on(&attr, -1, first_cpu(), -1);
	clock[0] = clock_ns(CLOCK_MONOTONIC_RAW);
	one = read_timed(fd);
	clock[1] = clock_ns(CLOCK_MONOTONIC_RAW);
	usleep(50000);
	clock[2] = clock_ns(CLOCK_MONOTONIC_RAW);
	two = read_timed(fd);
	clock[3] = clock_ns(CLOCK_MONOTONIC_RAW);
	CHECK(about(clock[2] - clock[1], two.enabled - one.enabled,
		    clock[3] - clock[0]), "%llu ns in %llu",
	      (unsigned long long)(two.enabled - one.enabled),
	      (unsigned long long)(clock[3] - clock[0]));
	CHECK(two.running == two.enabled, "ran %llu of %llu",
	      (unsigned long long)two.running, (unsigned long long)two.enabled);
	event_disable(fd);
	one = read_timed(fd);
	usleep(10000);
	two = read_timed(fd);
	expect_same(&one, &two, "disabled");
}

/* Enabled, but never on the CPU that it is meant for. */
static void bound_to_other_cpu(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	int here = first_cpu(), there = second_cpu(), fd;
	struct timed_count count;

	pin_to_cpu(here);
	attr.disabled = 0;
	fd = open_on(&attr, 0, there, -1);
	touch_pages(20);
	burn_ms(10);
	count = read_timed(fd);
	CHECK(count.enabled >= 5 * NSEC_PER_MSEC, "enabled %llu",
	      (unsigned long long)count.enabled);
	CHECK(!count.running && !count.value, "counted %llu, ran %llu",
	      (unsigned long long)count.value,
	      (unsigned long long)count.running);
	pin_to_cpu(there);
	touch_pages(20);
	burn_ms(10);
	event_disable(fd);
	count = read_timed(fd);
	CHECK(count.running > 0 && count.running < count.enabled &&
	      count.value >= 20, "counted %llu, ran %llu of %llu",
	      (unsigned long long)count.value,
	      (unsigned long long)count.running,
	      (unsigned long long)count.enabled);
}

static void exec_self(void *arg)
{
	burn_ms(20);
	execl("/proc/self/exe", "times", (char *)arg, NULL);
	CHECK(0, "exec: %s", strerror(errno));
}

static void from_exec_on(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct helper child = helper_start(exec_self, "burn");
	struct timed_count all, late;
	int first, second;

	attr.disabled = 0;
	first = open_on(&attr, child.pid, -1, -1);
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	second = open_on(&attr, child.pid, -1, -1);
	helper_go(&child);
	helper_join(&child);
	all = read_timed(first);
	late = read_timed(second);
	CHECK(late.enabled >= 5 * NSEC_PER_MSEC &&
	      all.enabled >= late.enabled + 10 * NSEC_PER_MSEC,
	      "enabled %llu, from exec on %llu",
	      (unsigned long long)all.enabled,
	      (unsigned long long)late.enabled);
}

/* Groups. */

static void like_the_leader(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct timed_count lead, follow;
	int leader, sibling, i;

	leader = open_self(&attr);
	attr.disabled = 0;
	sibling = open_sibling(&attr, leader);
	lead = read_timed(leader);
	follow = read_timed(sibling);
	expect_same(&lead, &follow, "never enabled");
	for (i = 0; i < 10; i++) {
		event_enable(leader);
		touch_pages(10);
		event_disable(leader);
		lead = read_timed(leader);
		follow = read_timed(sibling);
		expect_same(&lead, &follow, "leader and sibling");
	}
	CHECK(lead.enabled, "no time");
}

static struct timed_count time_between(const struct timed_count *from,
				       const struct timed_count *to)
{
	struct timed_count delta = {
		.value = to->value - from->value,
		.enabled = to->enabled - from->enabled,
		.running = to->running - from->running,
	};

	return delta;
}

/* A sibling that joins late misses only what was before. */
static void late_sibling(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct timed_count lead[2], follow[2], a, b;
	int leader, sibling, i;

	leader = open_self(&attr);
	event_enable(leader);
	burn_ms(5);
	attr.disabled = 0;
	sibling = open_sibling(&attr, leader);
	for (i = 0; i < 2; i++) {
		touch_pages(10);
		event_disable(leader);
		lead[i] = read_timed(leader);
		follow[i] = read_timed(sibling);
		event_enable(leader);
	}
	CHECK(follow[0].enabled < lead[0].enabled, "sibling %llu, leader %llu",
	      (unsigned long long)follow[0].enabled,
	      (unsigned long long)lead[0].enabled);
	a = time_between(&lead[0], &lead[1]);
	b = time_between(&follow[0], &follow[1]);
	expect_same(&a, &b, "leader and late sibling");
}

static void disabled_sibling(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct timed_count lead[2], follow[2];
	int leader, sibling, i;

	leader = open_self(&attr);
	attr.disabled = 0;
	sibling = open_sibling(&attr, leader);
	event_enable(leader);
	burn_ms(2);
	event_disable(sibling);
	for (i = 0; i < 2; i++) {
		lead[i] = read_timed(leader);
		follow[i] = read_timed(sibling);
		burn_ms(2);
	}
	expect_same(&follow[0], &follow[1], "sibling disabled");
	CHECK(lead[1].enabled > lead[0].enabled &&
	      lead[1].running == lead[1].enabled, "leader %llu of %llu",
	      (unsigned long long)lead[1].running,
	      (unsigned long long)lead[1].enabled);
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

/* A group read returns the leader's times. */
static void group_read(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	int leader, sibling, asked;
	struct timed_count count;
	struct read_values got;

	leader = open_self(&attr);
	event_enable(leader);
	burn_ms(2);
	sibling = open_sibling(&attr, leader);
	attr.read_format |= PERF_FORMAT_GROUP;
	attr.disabled = 0;
	asked = open_sibling(&attr, leader);
	touch_pages(10);
	event_disable(leader);
	count = read_timed(leader);
	got = read_group(asked, attr.read_format);
	CHECK(got.nr == 3 && got.enabled == count.enabled &&
	      got.running == count.running, "group %llu of %llu, leader %llu of %llu",
	      (unsigned long long)got.running, (unsigned long long)got.enabled,
	      (unsigned long long)count.running,
	      (unsigned long long)count.enabled);
	CHECK(!read_timed(sibling).enabled, "a sibling that is disabled");
}

static void in_samples(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_event_header *header;
	struct timed_count count;
	struct perf_ring *ring;
	struct sample sample;
	unsigned int samples = 0;
	__u64 last = 0;
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_READ;
	fd = open_self(&attr);
	ring = ring_map(fd, 8);
	event_enable(fd);
	touch_pages(50);
	event_disable(fd);
	count = read_timed(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		EXPECT(sample.read.running == sample.read.enabled,
		       "ran %llu of %llu",
		       (unsigned long long)sample.read.running,
		       (unsigned long long)sample.read.enabled);
		EXPECT(sample.read.enabled > last &&
		       sample.read.enabled <= count.enabled,
		       "%llu after %llu, all in all %llu",
		       (unsigned long long)sample.read.enabled,
		       (unsigned long long)last,
		       (unsigned long long)count.enabled);
		last = sample.read.enabled;
		samples++;
	}
	CHECK(samples >= 50, "%u samples", samples);
}

/* Turns. */

/* running == 0 shows that the count of 0 means nothing. */
static void never_ran(void)
{
	struct perf_event_attr attr = branch_attr();
	__u64 end = now_ns() + PATIENCE;
	struct timed_count count;
	struct counter_hog hog;
	int fd;

	need_hardware();
	hog = take_counters();
	attr.disabled = 0;
	fd = open_self(&attr);
	burn_ms(30);
	count = read_timed(fd);
	CHECK(count.enabled >= 20 * NSEC_PER_MSEC, "enabled %llu",
	      (unsigned long long)count.enabled);
	CHECK(!count.running && !count.value, "counted %llu, ran %llu",
	      (unsigned long long)count.value,
	      (unsigned long long)count.running);
	give_counters(&hog);
	do {
		burn_ms(1);
		count = read_timed(fd);
		CHECK(now_ns() < end, "does not take a free counter");
	} while (!count.running);
	expect_possible(&count);
}

/* Adds up the shares of the time, in thousandths; the sum is 1000 a counter. */
static unsigned int sum_shares(const int *fd, int nr)
{
	struct timed_count count;
	unsigned int sum = 0;
	int i;

	for (i = 0; i < nr; i++) {
		count = read_timed(fd[i]);
		expect_possible(&count);
		CHECK(count.enabled, "event %d was not enabled", i);
		sum += 1000 * count.running / count.enabled;
	}
	return sum;
}

struct crowd {
	int events;
	int counters;
};

static bool counters_are_used(void *arg)
{
	const struct crowd *crowd = arg;
	struct perf_event_attr attr = branch_attr();
	unsigned int sum, all = 1000 * crowd->counters;
	int fd[MANY], i;

	for (i = 0; i < crowd->events; i++)
		fd[i] = open_self(&attr);
	for (i = 0; i < crowd->events; i++)
		event_enable(fd[i]);
	burn_ms(200);
	for (i = 0; i < crowd->events; i++)
		event_disable(fd[i]);
	sum = sum_shares(fd, crowd->events);
	for (i = 0; i < crowd->events; i++)
		close(fd[i]);
	return (sum >= all - all / 10 && sum <= all + all / 10) ||
	       test_remark("%d events ran %u thousandths of the time on %d counters",
			   crowd->events, sum, crowd->counters);
}

static void turns(void)
{
	struct crowd crowd;

	need_hardware();
	crowd.counters = count_counters();
	CHECK(crowd.counters < MANY, "%d counters", crowd.counters);
	for (crowd.events = crowd.counters + 1; crowd.events <= MANY;
	     crowd.events += 3)
		test_retry(counters_are_used, &crowd);
}

/* All events fit, so none waits. */
static void no_turns(void)
{
	struct perf_event_attr attr = branch_attr();
	int fd[MAX_COUNTERS], counters, i;
	struct timed_count count;

	need_hardware();
	counters = count_counters();
	attr.disabled = 0;
	for (i = 0; i < counters; i++)
		fd[i] = open_self(&attr);
	burn_ms(30);
	for (i = 0; i < counters; i++) {
		count = read_timed(fd[i]);
		CHECK(count.running == count.enabled, "%d ran %llu of %llu", i,
		      (unsigned long long)count.running,
		      (unsigned long long)count.enabled);
	}
}

/* The events of a group run together, whatever turns the group gets. */
static void turns_of_groups(void)
{
	struct perf_event_attr hw = branch_attr();
	struct perf_event_attr sw = timed_sw(PERF_COUNT_SW_TASK_CLOCK);
	int fd[MANY][3], i, partial = 0;
	struct timed_count lead, follow;

	need_hardware();
	for (i = 0; i < MANY; i++) {
		hw.disabled = 1;
		fd[i][0] = open_self(&hw);
		hw.disabled = 0;
		fd[i][1] = open_sibling(&hw, fd[i][0]);
		sw.disabled = 0;
		fd[i][2] = open_sibling(&sw, fd[i][0]);
	}
	for (i = 0; i < MANY; i++)
		event_enable(fd[i][0]);
	burn_ms(100);
	for (i = 0; i < MANY; i++)
		event_disable(fd[i][0]);
	for (i = 0; i < MANY; i++) {
		lead = read_timed(fd[i][0]);
		expect_possible(&lead);
		follow = read_timed(fd[i][1]);
		expect_same(&lead, &follow, "hardware sibling");
		follow = read_timed(fd[i][2]);
		expect_same(&lead, &follow, "software sibling");
		partial += lead.running < lead.enabled;
	}
	CHECK(partial, "%d groups fit", MANY);
}

/* A software event never waits for a turn. */
static void software_needs_no_turn(void)
{
	struct perf_event_attr hw = branch_attr();
	struct perf_event_attr sw = timed_sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct timed_count count;
	int i, fd;

	need_hardware();
	sw.disabled = 0;
	hw.disabled = 0;
	fd = open_self(&sw);
	for (i = 0; i < MANY; i++)
		open_self(&hw);
	burn_ms(50);
	event_disable(fd);
	count = read_timed(fd);
	CHECK(count.running == count.enabled, "ran %llu of %llu",
	      (unsigned long long)count.running,
	      (unsigned long long)count.enabled);
}

/* Turns also happen on a CPU where nothing else happens. */
static void turns_on_idle_cpu(void)
{
	struct perf_event_attr attr = branch_attr();
	__u64 end = now_ns() + PATIENCE;
	int fd[MANY], i, waiting, cpu;

	need_hardware();
	cpu = second_cpu();
	pin_to_cpu(first_cpu());
	attr.disabled = 0;
	for (i = 0; i < MANY; i++)
		fd[i] = open_on(&attr, -1, cpu, -1);
	do {
		usleep(20000);
		waiting = 0;
		for (i = 0; i < MANY; i++)
			waiting += !read_timed(fd[i]).running;
		CHECK(now_ns() < end, "%d of %d never ran", waiting, MANY);
	} while (waiting);
	for (i = 0; i < MANY; i++)
		event_disable(fd[i]);
	CHECK(sum_shares(fd, MANY) <= 1000 * MAX_COUNTERS, "too much");
}

/* Families. */

/* A child's report about itself. */
struct report {
	int fds[2];
	bool stay;
};

/* Counts the task's own time, for a part of what the inherited event counts. */
static void work_and_report(void *arg)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_DUMMY);
	struct report *report = arg;
	int fd = open_self(&attr);
	struct timed_count count;

	event_enable(fd);
	burn_ms(20);
	event_disable(fd);
	count = read_timed(fd);
	CHECK(write(report->fds[1], &count, sizeof(count)) == sizeof(count),
	      "report");
	if (report->stay)
		pause();
}

static __u64 next_report(const struct report *report)
{
	struct timed_count count;

	CHECK(read(report->fds[0], &count, sizeof(count)) == sizeof(count),
	      "no report");
	return count.enabled;
}

static void expect_grown(int fd, struct timed_count *last, __u64 by,
			 const char *what)
{
	struct timed_count now = read_timed(fd);

	expect_possible(&now);
	EXPECT(now.enabled >= last->enabled + by, "%s: %llu ns more, not %llu",
	       what, (unsigned long long)(now.enabled - last->enabled),
	       (unsigned long long)by);
	EXPECT(now.running == now.enabled, "%s: ran %llu of %llu", what,
	       (unsigned long long)now.running,
	       (unsigned long long)now.enabled);
	*last = now;
}

static int open_inherited(struct perf_event_attr attr)
{
	attr.inherit = 1;
	attr.disabled = 0;
	return open_self(&attr);
}

static void with_dead_children(void)
{
	int fd = open_inherited(timed_sw(PERF_COUNT_SW_PAGE_FAULTS)), i;
	struct timed_count last = read_timed(fd);
	struct report report = { .stay = false };

	CHECK(!pipe(report.fds), "pipe");
	for (i = 0; i < 3; i++) {
		run_child(work_and_report, &report);
		expect_grown(fd, &last, next_report(&report), "child has gone");
	}
}

static void with_live_children(void)
{
	int fd = open_inherited(timed_sw(PERF_COUNT_SW_PAGE_FAULTS)), i;
	struct timed_count last = read_timed(fd);
	struct report report = { .stay = true };
	pid_t pid[3];

	CHECK(!pipe(report.fds), "pipe");
	for (i = 0; i < 3; i++) {
		pid[i] = fork();
		CHECK(pid[i] >= 0, "fork");
		if (!pid[i]) {
			work_and_report(&report);
			_exit(0);
		}
		expect_grown(fd, &last, next_report(&report), "child lives");
	}
	for (i = 0; i < 3; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		expect_grown(fd, &last, 0, "child was killed");
	}
}

static void generations(void *arg)
{
	run_child(work_and_report, arg);
}

static void with_grandchildren(void)
{
	int fd = open_inherited(timed_sw(PERF_COUNT_SW_PAGE_FAULTS));
	struct timed_count last = read_timed(fd);
	struct report report = { .stay = false };

	CHECK(!pipe(report.fds), "pipe");
	run_child(generations, &report);
	expect_grown(fd, &last, next_report(&report), "grandchild");
}

/* Two tasks that work at the same time take less time than they use. */
static void in_parallel(void)
{
	int cpus[2] = { first_cpu(), second_cpu() }, fd, i;
	__u64 end = now_ns() + PATIENCE, begin;
	struct timed_count start, now;
	pid_t pid[2];

	fd = open_inherited(timed_sw(PERF_COUNT_SW_PAGE_FAULTS));
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		CHECK(pid[i] >= 0, "fork");
		if (!pid[i]) {
			pin_to_cpu(cpus[i]);
			for (;;)
				burn(1000);
		}
	}
	do {
		begin = now_ns();
		start = read_timed(fd);
		usleep(100000);
		now = read_timed(fd);
		CHECK(now_ns() < end, "two children used %llu ns of 100 ms",
		      (unsigned long long)(now.enabled - start.enabled));
	} while (2 * (now.enabled - start.enabled) < 3 * (now_ns() - begin));
	for (i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	start = read_timed(fd);
	CHECK(start.enabled >= now.enabled, "less than when they lived");
}

static void *live_shortly(void *arg)
{
	__u64 end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 300000;

	(void)arg;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		burn(200);
	return NULL;
}

/* Threads live for less than a turn; later ones go on with it. */
static bool threads_share(void *arg)
{
	unsigned int shares[MANY], least = 1000, most = 0, fair;
	int fd[MANY], i;
	pthread_t thread;

	fair = 1000 * *(int *)arg / MANY;
	for (i = 0; i < MANY; i++)
		fd[i] = open_inherited(branch_attr());
	for (i = 0; i < THREADS; i++) {
		CHECK(!pthread_create(&thread, NULL, live_shortly, NULL),
		      "thread");
		pthread_join(thread, NULL);
	}
	for (i = 0; i < MANY; i++)
		event_disable(fd[i]);
	for (i = 0; i < MANY; i++) {
		shares[i] = sum_shares(&fd[i], 1);
		least = shares[i] < least ? shares[i] : least;
		most = shares[i] > most ? shares[i] : most;
		close(fd[i]);
	}
	return least > fair / 2 ||
	       test_remark("between %u and %u thousandths of the time, fair %u",
			   least, most, fair);
}

static void short_threads(void)
{
	int counters, tries;

	need_hardware();
	counters = count_counters();
	for (tries = 0; tries < 3; tries++)
		if (threads_share(&counters))
			return;
	test_xfail("short-lived threads starve some events");
}

/* Times of a family whose events take turns. */
static void turns_of_families(void)
{
	struct report report = { .stay = false };
	struct timed_count count;
	int fd[MANY], i, partial = 0;
	__u64 used = 0;

	need_hardware();
	CHECK(!pipe(report.fds), "pipe");
	for (i = 0; i < MANY; i++)
		fd[i] = open_inherited(branch_attr());
	for (i = 0; i < 5; i++) {
		run_child(work_and_report, &report);
		used += next_report(&report);
	}
	for (i = 0; i < MANY; i++) {
		count = read_timed(fd[i]);
		expect_possible(&count);
		EXPECT(count.enabled >= used, "event %d: %llu of %llu ns", i,
		       (unsigned long long)count.enabled,
		       (unsigned long long)used);
		partial += count.running < count.enabled;
	}
	CHECK(partial, "%d events fit", MANY);
}

static void sleep_often(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < SWITCHES; i++) {
		burn(100);
		usleep(50);
	}
}

/* The clock does not count the time of switches, however many there are. */
static void clock_of_switches(void)
{
	struct perf_event_attr attr = timed_sw(PERF_COUNT_SW_TASK_CLOCK);
	struct helper child = helper_start(sleep_often, NULL);
	int fd = open_on(&attr, child.pid, -1, -1);
	struct timed_count count;

	event_enable(fd);
	helper_go(&child);
	helper_join(&child);
	count = read_timed(fd);
	CHECK(count.value, "it has not run");
	EXPECT(count.value == count.running, "task-clock %llu, running %llu ns",
	       (unsigned long long)count.value,
	       (unsigned long long)count.running);
}

static const struct test_case cases[] = {
	{ "a task that sleeps, a task that has gone", sleeping_task },
	{ "a task's own time", own_time },
	{ "a CPU's time", cpu_time },
	{ "task-clock is running time", clock_of_switches },
	{ "bound to a CPU where the task is not", bound_to_other_cpu },
	{ "enable_on_exec", from_exec_on },
	{ "a sibling goes by its leader", like_the_leader },
	{ "a sibling that joins later", late_sibling },
	{ "a sibling that is disabled", disabled_sibling },
	{ "a group read", group_read },
	{ "times in samples", in_samples },
	{ "running 0: never ran", never_ran },
	{ "turns use up the counters", turns },
	{ "no turns while all fit", no_turns },
	{ "events of a group take their turns together", turns_of_groups },
	{ "software events need no turn", software_needs_no_turn },
	{ "turns on an idle CPU", turns_on_idle_cpu },
	{ "children that have gone", with_dead_children },
	{ "children that live", with_live_children },
	{ "grandchildren", with_grandchildren },
	{ "children at the same time", in_parallel },
	{ "threads shorter than a turn", short_threads },
	{ "turns of families", turns_of_families },
};

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "burn")) {
		burn_ms(20);
		return 0;
	}
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
