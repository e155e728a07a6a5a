// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs go offline and come back while events are open: events of the CPU stop
 * and go on, events of tasks go on elsewhere, and operations take effect.
 *
 * Widely used kernels lose a CPU's events when it goes offline. A case in which
 * nothing else is wrong ends as an expected failure. PERF_TEST_NO_HOTPLUG in
 * the environment skips all of them.
 */
#define _GNU_SOURCE
#include <errno.h>
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

#define FAULTS		100
#define CYCLES		5
#define PATIENCE	(60 * NSEC_PER_SEC)

/* Time in which events of a CPU that came back must count again. */
#define PROMPT		(3 * NSEC_PER_SEC)

/* Return: the CPU that goes offline and comes back. */
static int hot_cpu(void)
{
	if (getenv("PERF_TEST_NO_HOTPLUG"))
		test_skip("hotplug not wanted");
	return second_cpu();
}

static bool try_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	if (read_long(path) == online)
		return true;
	return write_text(path, online ? "1" : "0");
}

static void take_offline(int cpu)
{
	pin_to_cpu(first_cpu());
	if (!try_online(cpu, false))
		test_skip("CPU %d stays: %s", cpu, strerror(errno));
}

static void bring_online(int cpu)
{
	CHECK(try_online(cpu, true), "CPU %d does not come back: %s", cpu,
	      strerror(errno));
}

static struct perf_event_attr clock_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);

	attr.read_format = FORMAT_TIMES;
	attr.disabled = 0;
	return attr;
}

static struct perf_event_attr faults_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.read_format = FORMAT_TIMES;
	attr.disabled = 0;
	return attr;
}

static bool grows_within(int fd, __u64 patience)
{
	__u64 end = now_ns() + patience, start = read_timed(fd).value;

	while (read_timed(fd).value == start) {
		if (now_ns() > end)
			return false;
		usleep(1000);
	}
	return true;
}

static void expect_growth(int fd, const char *what)
{
	CHECK(grows_within(fd, PATIENCE), "%s: does not count", what);
}

static void expect_stands(int fd, const char *what)
{
	struct timed_count one = read_timed(fd), two;

	usleep(5000);
	two = read_timed(fd);
	EXPECT(one.value == two.value, "%s: %llu, then %llu", what,
	       (unsigned long long)one.value, (unsigned long long)two.value);
	EXPECT(one.enabled == two.enabled && one.running == two.running,
	       "%s: time passes", what);
}

/* After the CPU has come back the event must go on with its old count. */
static void expect_goes_on(int fd, const struct timed_count *stood)
{
	if (!grows_within(fd, PROMPT))
		test_xfail("the CPU came back, its event did not");
	CHECK(read_timed(fd).value > stood->value &&
	      read_timed(fd).enabled > stood->enabled, "began anew at %llu",
	      (unsigned long long)read_timed(fd).value);
}

/* Events of the CPU. */

static void stand_and_go_on(struct perf_event_attr *attr)
{
	struct timed_count before, stood;
	int cpu = hot_cpu(), fd, i;

	fd = open_on(attr, -1, cpu, -1);
	for (i = 0; i < CYCLES; i++) {
		expect_growth(fd, "before");
		before = read_timed(fd);
		take_offline(cpu);
		stood = read_timed(fd);
		CHECK(stood.value >= before.value &&
		      stood.enabled >= before.enabled,
		      "%llu before, %llu afterwards",
		      (unsigned long long)before.value,
		      (unsigned long long)stood.value);
		expect_stands(fd, "offline");
		bring_online(cpu);
		expect_goes_on(fd, &stood);
	}
}

static void software(void)
{
	struct perf_event_attr attr = clock_attr();

	stand_and_go_on(&attr);
}

static void hardware(void)
{
	struct perf_event_attr attr = branch_attr();

	need_hardware();
	attr.disabled = 0;
	stand_and_go_on(&attr);
}

static void pinned(void)
{
	struct perf_event_attr attr = branch_attr();

	need_hardware();
	attr.disabled = 0;
	attr.pinned = 1;
	stand_and_go_on(&attr);
}

static void group(void)
{
	struct perf_event_attr hw = branch_attr(), sw = clock_attr();
	struct timed_count stood[2], now;
	int fd[2], cpu, i;

	need_hardware();
	cpu = hot_cpu();
	fd[0] = open_on(&hw, -1, cpu, -1);
	fd[1] = open_on(&sw, -1, cpu, fd[0]);
	event_enable(fd[0]);
	expect_growth(fd[1], "before");
	take_offline(cpu);
	for (i = 0; i < 2; i++)
		stood[i] = read_timed(fd[i]);
	expect_stands(fd[0], "leader offline");
	expect_stands(fd[1], "sibling offline");
	bring_online(cpu);
	for (i = 0; i < 2; i++)
		expect_goes_on(fd[i], &stood[i]);
	event_disable(fd[0]);
	now = read_timed(fd[0]);
	CHECK(now.running - stood[0].running ==
	      read_timed(fd[1]).running - stood[1].running,
	      "leader and sibling parted");
	close(fd[0]);
	bring_online(cpu);
	event_disable(fd[1]);
	event_enable(fd[1]);
	expect_growth(fd[1], "without its leader");
}

static void multiplexed(void)
{
	struct perf_event_attr attr = branch_attr();
	struct timed_count stood[8];
	int cpu, fd[8], i;

	need_hardware();
	cpu = hot_cpu();
	attr.disabled = 0;
	for (i = 0; i < 8; i++)
		fd[i] = open_on(&attr, -1, cpu, -1);
	for (i = 0; i < 8; i++)
		expect_growth(fd[i], "before");
	take_offline(cpu);
	for (i = 0; i < 8; i++) {
		stood[i] = read_timed(fd[i]);
		expect_stands(fd[i], "offline");
	}
	bring_online(cpu);
	for (i = 0; i < 8; i++)
		expect_goes_on(fd[i], &stood[i]);
}

/* Enables and disables while the CPU is offline take effect. */
static void switched_offline(void)
{
	struct perf_event_attr attr = clock_attr();
	struct timed_count stood;
	int cpu = hot_cpu(), off, on;

	off = open_on(&attr, -1, cpu, -1);
	attr.disabled = 1;
	on = open_on(&attr, -1, cpu, -1);
	expect_growth(off, "before");
	take_offline(cpu);
	event_disable(off);
	event_enable(on);
	event_enable(on);
	expect_stands(off, "disabled offline");
	expect_stands(on, "enabled offline");
	event_reset(off);
	CHECK(!read_timed(off).value, "not reset");
	stood = read_timed(on);
	bring_online(cpu);
	expect_stands(off, "disabled offline, CPU back");
	expect_goes_on(on, &stood);
	event_enable(off);
	expect_growth(off, "enabled again");
}

/* Every operation returns, though none can take effect. */
static void asked_offline(void)
{
	struct perf_event_attr attr = clock_attr();
	__u64 period = 2000000;
	struct perf_ring *ring;
	int cpu = hot_cpu(), fd, other;

	attr.sample_period = 1000000;
	fd = open_on(&attr, -1, cpu, -1);
	other = open_on(&attr, -1, cpu, -1);
	take_offline(cpu);
	CHECK(event_id(fd) != event_id(other), "ids");
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), "period: %s",
	      strerror(errno));
	CHECK(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), "refresh: %s",
	      strerror(errno));
	ring = ring_map(fd, 2);
	event_set_output(other, fd);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), "pause: %s",
	      strerror(errno));
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), "resume: %s",
	      strerror(errno));
	CHECK(!ring_count(ring, PERF_RECORD_SAMPLE), "samples of a CPU that is off");
	ring_unmap(ring);
	bring_online(cpu);
}

static void sampling_goes_on(void)
{
	struct perf_event_attr attr = clock_attr();
	__u64 end = now_ns() + PATIENCE;
	struct perf_ring *ring;
	int cpu = hot_cpu(), fd;

	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_CPU;
	fd = open_on(&attr, -1, cpu, -1);
	ring = ring_map(fd, 8);
	while (!ring_count(ring, PERF_RECORD_SAMPLE))
		CHECK(now_ns() < end, "no samples");
	take_offline(cpu);
	ring_skip_all(ring);
	usleep(20000);
	CHECK(!ring_count(ring, PERF_RECORD_SAMPLE), "samples of a CPU that is off");
	bring_online(cpu);
	end = now_ns() + PROMPT;
	while (!ring_count(ring, PERF_RECORD_SAMPLE)) {
		if (now_ns() > end)
			test_xfail("the CPU came back, its samples did not");
		usleep(1000);
	}
}

/* The CPU that writes wakes readers; it may have left work pending for ever. */
static void expect_wake(int cpu)
{
	struct perf_event_attr attr = clock_attr();
	struct pollfd poll_fd = { .events = POLLIN };
	__u64 begin = now_ns();
	struct perf_ring *ring;

	attr.sample_period = 1000000;
	attr.wakeup_events = 1;
	poll_fd.fd = open_on(&attr, -1, cpu, -1);
	ring = ring_map(poll_fd.fd, 8);
	CHECK(poll(&poll_fd, 1, PATIENCE / NSEC_PER_MSEC) == 1,
	      "no samples");
	CHECK(now_ns() - begin < PATIENCE / 2, "samples wake nobody");
	ring_unmap(ring);
	close(poll_fd.fd);
}

/* The last record of a switch is from the thread that stops the CPU. */
static void switch_records(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct perf_ring *ring;
	int cpu = hot_cpu(), fd, round;

	attr.context_switch = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	fd = open_on(&attr, -1, cpu, -1);
	ring = ring_map(fd, 8);
	event_enable(fd);
	for (round = 0; round < CYCLES; round++) {
		ring_skip_all(ring);
		take_offline(cpu);
		bring_online(cpu);
	}
	expect_wake(cpu);
	/* This waits for pending work. */
	ring_unmap(ring);
	close(fd);
}

/* While the CPU is offline a group loses its leader, and events are closed. */
static void closed_offline(void)
{
	struct perf_event_attr attr = clock_attr();
	int cpu = hot_cpu(), fd[4], i, round;
	struct timed_count stood;

	for (round = 0; round < 2; round++) {
		bring_online(cpu);
		for (i = 0; i < 4; i++)
			fd[i] = open_on(&attr, -1, cpu, i ? fd[0] : -1);
		expect_growth(fd[3], "before");
		take_offline(cpu);
		close(fd[round ? 2 : 0]);
		close(fd[1]);
		stood = read_timed(fd[3]);
		expect_stands(fd[3], "offline");
	}
	bring_online(cpu);
	expect_goes_on(fd[3], &stood);
}

/* Opening. */

static void refused(void)
{
	struct perf_event_attr attr = clock_attr();
	int cpu = hot_cpu(), leader, fd;

	leader = open_on(&attr, -1, cpu, -1);
	take_offline(cpu);
	fd = perf_open(&attr, -1, cpu, -1, 0);
	CHECK(fd < 0 && errno == ENODEV, "alone: %d %s", fd, strerror(errno));
	fd = perf_open(&attr, -1, cpu, leader, 0);
	CHECK(fd < 0 && errno == ENODEV, "in a group: %d %s", fd,
	      strerror(errno));
	bring_online(cpu);
	fd = open_on(&attr, -1, cpu, -1);
	expect_growth(fd, "opened afterwards");
}

/* A task's event may be bound to a CPU that is not online yet. */
static void task_bound_to_cpu(void)
{
	struct perf_event_attr attr = faults_attr();
	int cpu = hot_cpu(), fd, old;
	struct timed_count count;

	old = open_on(&attr, 0, cpu, -1);
	take_offline(cpu);
	fd = open_on(&attr, 0, cpu, -1);
	touch_pages(FAULTS);
	count = read_timed(fd);
	CHECK(!count.value && !count.running, "counted %llu elsewhere",
	      (unsigned long long)count.value);
	bring_online(cpu);
	pin_to_cpu(cpu);
	touch_pages(FAULTS);
	CHECK(read_timed(fd).value >= FAULTS &&
	      read_timed(old).value >= FAULTS, "counted %llu and %llu",
	      (unsigned long long)read_timed(fd).value,
	      (unsigned long long)read_timed(old).value);
}

/* What a second thread does. */
struct job {
	int cpu;
	bool stop;
	pthread_t thread;
};

static void start_job(struct job *job, void *(*work)(void *arg))
{
	job->stop = false;
	CHECK(!pthread_create(&job->thread, NULL, work, job), "thread");
}

static bool goes_on(struct job *job)
{
	return !__atomic_load_n(&job->stop, __ATOMIC_RELAXED);
}

static void end_job(struct job *job)
{
	__atomic_store_n(&job->stop, true, __ATOMIC_RELAXED);
	pthread_join(job->thread, NULL);
}

static void *open_and_close(void *arg)
{
	struct perf_event_attr attr = clock_attr();
	struct job *job = arg;
	int fd, sibling;

	while (goes_on(job)) {
		fd = perf_open(&attr, -1, job->cpu, -1, 0);
		EXPECT(fd >= 0 || errno == ENODEV, "open: %s", strerror(errno));
		if (fd < 0)
			continue;
		sibling = perf_open(&attr, -1, job->cpu, fd, 0);
		EXPECT(sibling >= 0 || errno == ENODEV || errno == EINVAL,
		       "sibling: %s", strerror(errno));
		read_timed(fd);
		close(fd);
		if (sibling >= 0)
			close(sibling);
	}
	return NULL;
}

/* An open succeeds or says that the CPU is offline, and never anything else. */
static void opened_meanwhile(void)
{
	struct job job = { .cpu = hot_cpu() };
	int i;

	pin_to_cpu(first_cpu());
	start_job(&job, open_and_close);
	for (i = 0; i < CYCLES; i++) {
		take_offline(job.cpu);
		usleep(5000);
		bring_online(job.cpu);
		usleep(5000);
	}
	end_job(&job);
}

/* Tasks. */

static pid_t start_toucher(int cpu)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid) {
		pin_to_cpu(cpu);
		for (;;)
			touch_pages(4);
	}
	return pid;
}

static void stop_toucher(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A task whose CPU goes offline runs elsewhere, and is counted there. */
static void task_moves(void)
{
	struct perf_event_attr attr = faults_attr();
	struct timed_count last, now;
	int cpu = hot_cpu(), fd, hw = -1, i;
	pid_t pid = start_toucher(cpu);

	fd = open_on(&attr, pid, -1, -1);
	attr = branch_attr();
	attr.disabled = 0;
	hw = perf_open(&attr, pid, -1, -1, 0);
	expect_growth(fd, "before");
	for (i = 0; i < CYCLES; i++) {
		last = read_timed(fd);
		take_offline(cpu);
		expect_growth(fd, "CPU gone");
		if (hw >= 0)
			expect_growth(hw, "hardware, CPU gone");
		bring_online(cpu);
		expect_growth(fd, "CPU back");
		now = read_timed(fd);
		CHECK(now.value > last.value && now.running == now.enabled,
		      "ran %llu of %llu", (unsigned long long)now.running,
		      (unsigned long long)now.enabled);
	}
	stop_toucher(pid);
}

static void touch_and_go(void *arg)
{
	(void)arg;
	touch_pages(FAULTS);
	usleep(1000);
	touch_pages(FAULTS);
}

static void *go_and_come(void *arg)
{
	struct job *job = arg;

	while (goes_on(job)) {
		try_online(job->cpu, false);
		usleep(2000);
		try_online(job->cpu, true);
		usleep(2000);
	}
	return NULL;
}

/* While CPUs come and go, no child's count is lost. */
static void families(void)
{
	struct perf_event_attr attr = faults_attr();
	struct job job = { .cpu = hot_cpu() };
	int fd, i, children = 60;

	attr.inherit = 1;
	fd = open_self(&attr);
	take_offline(job.cpu);
	start_job(&job, go_and_come);
	for (i = 0; i < children; i++)
		run_child(touch_and_go, NULL);
	end_job(&job);
	bring_online(job.cpu);
	CHECK(read_timed(fd).value >= 2ULL * FAULTS * children,
	      "%llu faults of %d children",
	      (unsigned long long)read_timed(fd).value, children);
}

static const struct test_case cases[] = {
	{ "software event of the CPU", software },
	{ "hardware event of the CPU", hardware },
	{ "pinned event of the CPU", pinned },
	{ "group of the CPU", group },
	{ "multiplexed events of the CPU", multiplexed },
	{ "enabled and disabled while it is off", switched_offline },
	{ "asked while it is off", asked_offline },
	{ "samples", sampling_goes_on },
	{ "switch records", switch_records },
	{ "closed while it is off", closed_offline },
	{ "opened while it is off: ENODEV", refused },
	{ "events of a task on the CPU", task_bound_to_cpu },
	{ "opened while it comes and goes", opened_meanwhile },
	{ "a task is driven off", task_moves },
	{ "families", families },
};

/* Brings CPUs back that a failed case has left offline. */
static void tidy(void)
{
	char path[64];
	int cpu;

	for (cpu = 1; cpu < 64; cpu++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/online", cpu);
		if (read_long(path) == 0)
			write_text(path, "1");
	}
}

int main(void)
{
	size_t i;

	tests_begin(ARRAY_SIZE(cases));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		tests_run(&cases[i], 1);
		if (!getenv("PERF_TEST_NO_HOTPLUG"))
			tidy();
	}
	tests_end();
}
