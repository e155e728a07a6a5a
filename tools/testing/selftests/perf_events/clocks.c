// SPDX-License-Identifier: GPL-2.0
/*
 * cpu-clock and task-clock are stopped while their own timer runs: by a limit,
 * by a signal, by throttling, and from another CPU. The stop must not wait for
 * the timer: the timer cannot end before the stop does, and the machine would
 * hang.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "perf_lib.h"

#define PERIOD		(100 * 1000)
#define SIGNALS		100
#define THROTTLINGS	10
#define CLOSINGS	100
/* The shortest period, and tries of which the base fails several. */
#define SHORT_PERIOD	10000
#define LIMITS		20000
#define PATIENCE	(15 * NSEC_PER_SEC)

struct seen {
	unsigned int signals;
	bool refresh;
};

static struct seen seen;

static void on_limit(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_code != POLL_HUP)
		return;
	seen.signals++;
	if (seen.refresh)
		ioctl(info->si_fd, PERF_EVENT_IOC_REFRESH, 1);
}

static void on_trap(int sig)
{
	(void)sig;
	seen.signals++;
}

static void install(int sig, struct sigaction action)
{
	CHECK(!sigaction(sig, &action, NULL), "sigaction");
}

static void send_limit_signal(int fd)
{
	struct f_owner_ex owner = { F_OWNER_TID, gettid() };
	struct sigaction action = {
		.sa_sigaction = on_limit, .sa_flags = SA_SIGINFO,
	};

	install(SIGRTMIN, action);
	CHECK(!fcntl(fd, F_SETOWN_EX, &owner), "F_SETOWN_EX");
	CHECK(!fcntl(fd, F_SETSIG, SIGRTMIN), "F_SETSIG");
	CHECK(!fcntl(fd, F_SETFL, O_ASYNC), "O_ASYNC: %s", strerror(errno));
}

static struct perf_event_attr clock_attr(__u64 config)
{
	struct perf_event_attr attr = sw_attr(config);

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_TID;
	attr.wakeup_events = 1;
	return attr;
}

static __u64 other_clock(__u64 config)
{
	return config == PERF_COUNT_SW_CPU_CLOCK ? PERF_COUNT_SW_TASK_CLOCK :
						   PERF_COUNT_SW_CPU_CLOCK;
}

static bool signals_come(unsigned int wanted)
{
	unsigned int start = seen.signals;
	__u64 end = now_ns() + PATIENCE;

	while (seen.signals - start < wanted) {
		if (now_ns() > end)
			return false;
		burn(1000);
	}
	return true;
}

static void wait_for_signals(unsigned int wanted)
{
	CHECK(signals_come(wanted), "%u signals in all", seen.signals);
}

static void wait_for_limits(void)
{
	if (!signals_come(SIGNALS))
		test_xfail("stands still after %u times REFRESH", seen.signals);
}

/* No timer is left behind. */
static void expect_silence(void)
{
	unsigned int before = seen.signals;

	burn_ms(20);
	CHECK(seen.signals == before, "%u signals too many",
	      seen.signals - before);
}

static void start_limited(int fd)
{
	send_limit_signal(fd);
	seen.refresh = true;
	CHECK(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), "refresh: %s",
	      strerror(errno));
}

static void stop_limited(int fd)
{
	seen.refresh = false;
	event_disable(fd);
	expect_silence();
}

static void limit(__u64 config)
{
	struct perf_event_attr attr = clock_attr(config);
	int fd = open_self(&attr);

	start_limited(fd);
	wait_for_limits();
	stop_limited(fd);
	CHECK(read_count(fd) > 0, "nothing counted");
}

static void limit_in_a_group(__u64 config)
{
	struct perf_event_attr attr = clock_attr(config), second;
	int leader = open_self(&attr), sibling;
	struct perf_ring *ring;

	second = clock_attr(other_clock(config));
	second.disabled = 0;
	sibling = open_sibling(&second, leader);
	ring = ring_map(sibling, 64);
	start_limited(leader);
	wait_for_limits();
	stop_limited(leader);
	CHECK(read_count(sibling) > 0, "the sibling does not count");
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE), "the sibling stands still");
}

/* A sibling reaches its limit; its leader continues to count. */
static void limit_of_a_sibling(__u64 config)
{
	struct perf_event_attr attr = clock_attr(other_clock(config)), second;
	int leader = open_self(&attr), sibling;

	second = clock_attr(config);
	sibling = open_sibling(&second, leader);
	event_enable(leader);
	start_limited(sibling);
	wait_for_limits();
	stop_limited(sibling);
	CHECK(event_grows(leader), "the leader stands still");
}

static void trap(__u64 config)
{
	struct perf_event_attr attr = clock_attr(config);
	struct sigaction action = { .sa_handler = on_trap };
	int fd;

	install(SIGTRAP, action);
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	attr.exclude_kernel = 1;
	fd = open_self(&attr);
	event_enable(fd);
	wait_for_signals(SIGNALS);
	event_disable(fd);
	expect_silence();
	event_enable(fd);
	wait_for_signals(1);
	close(fd);
	expect_silence();
}

static bool wait_for_record(struct perf_ring *ring, __u32 type)
{
	__u64 end = now_ns() + PATIENCE;

	while (!ring_find(ring, type)) {
		if (now_ns() > end)
			return false;
		burn(1000);
	}
	return true;
}

static void stop_first(int fd, struct perf_ring *ring)
{
	(void)ring;
	event_disable(fd);
	event_enable(fd);
	event_disable(fd);
}

static void start_again(int fd, struct perf_ring *ring)
{
	event_disable(fd);
	event_enable(fd);
	CHECK(wait_for_record(ring, PERF_RECORD_SAMPLE), "not on again");
}

static void end_at_limit(int fd, struct perf_ring *ring)
{
	(void)ring;
	CHECK(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), "refresh: %s",
	      strerror(errno));
}

static void change_nothing(int fd, struct perf_ring *ring)
{
	(void)fd;
	(void)ring;
}

/* Steps before a close; the timer may run on the other CPU during the close. */
static void (*const before_close[])(int fd, struct perf_ring *ring) = {
	change_nothing, stop_first, start_again, end_at_limit,
};

static void open_and_close(struct perf_event_attr *attr, pid_t pid, int cpu,
			   unsigned int round)
{
	int fd = open_on(attr, pid, cpu, -1);
	struct perf_ring *ring = ring_map(fd, 8);

	CHECK(wait_for_record(ring, PERF_RECORD_SAMPLE), "no sample");
	burn(round * 100);
	before_close[round % ARRAY_SIZE(before_close)](fd, ring);
	ring_unmap(ring);
	close(fd);
}

static void from_another_cpu(__u64 config)
{
	struct perf_event_attr attr = clock_attr(config);
	int there = second_cpu();
	pid_t burner = start_burner(there);
	unsigned int i;

	attr.disabled = 0;
	for (i = 0; i < CLOSINGS; i++)
		open_and_close(&attr, burner, -1, i);
	for (i = 0; i < CLOSINGS; i++)
		open_and_close(&attr, -1, there, i);
	stop_child(burner);
}

static void task_ends(__u64 config)
{
	struct perf_event_attr attr = clock_attr(config);
	int i, there = second_cpu();
	struct perf_ring *ring;
	pid_t burner;

	attr.disabled = 0;
	for (i = 0; i < CLOSINGS / 4; i++) {
		burner = start_burner(there);
		ring = ring_map(open_on(&attr, burner, -1, -1), 8);
		CHECK(wait_for_record(ring, PERF_RECORD_SAMPLE), "no sample");
		stop_child(burner);
	}
}

/* The shortest period, with a much lower maximum rate. */
static struct perf_event_attr throttled_attr(__u64 config)
{
	struct perf_event_attr attr = clock_attr(config);

	need_low_rate();
	attr.sample_period = PERIOD / 10;
	return attr;
}

static void expect_throttling(struct perf_ring *ring, int fd)
{
	int i;

	for (i = 0; i < THROTTLINGS; i++)
		CHECK(wait_for_record(ring, PERF_RECORD_THROTTLE),
		      "throttled %d times", i);
	CHECK(wait_for_record(ring, PERF_RECORD_UNTHROTTLE), "for ever");
	CHECK(event_grows(fd), "stands still");
}

static void throttled(__u64 config)
{
	struct perf_event_attr attr = throttled_attr(config);
	int fd = open_self(&attr);
	struct perf_ring *ring = ring_map(fd, 64);

	event_enable(fd);
	expect_throttling(ring, fd);
}

static void throttled_group(__u64 config)
{
	struct perf_event_attr attr = throttled_attr(config), second = attr;
	int leader = open_self(&attr), sibling;
	struct perf_ring *ring = ring_map(leader, 64);

	second.config = other_clock(config);
	second.disabled = 0;
	sibling = open_sibling(&second, leader);
	event_enable(leader);
	expect_throttling(ring, leader);
	CHECK(event_grows(sibling), "the sibling stands still");
	event_disable(leader);
}

/* True if the event is off after at most a second. */
static bool goes_off(int fd)
{
	__u64 until = now_ns() + NSEC_PER_SEC;
	__u64 before, enabled = read_timed(fd).enabled;

	do {
		before = enabled;
		enabled = read_timed(fd).enabled;
	} while (enabled != before && now_ns() < until);
	return enabled == before;
}

/*
 * An event without a limit gets one while it overflows all the time. If a timer
 * interrupt could come between the new limit and the enable, the event would
 * use up the limit and then be enabled without one.
 */
static void limited_while_busy(__u64 config)
{
	struct perf_event_attr attr = clock_attr(config);
	int fd;

	attr.sample_period = SHORT_PERIOD;
	attr.read_format = FORMAT_TIMES;
	fd = open_self(&attr);
	for (int i = 0; i < LIMITS; i++) {
		event_enable(fd);
		CHECK(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), "REFRESH: %s",
		      strerror(errno));
		if (!goes_off(fd))
			test_xfail("%d: REFRESH sets no limit", i);
	}
}

struct clock_row {
	const char *name;
	__u64 config;
	void (*run)(__u64 config);
};

#define CPU_CLOCK	PERF_COUNT_SW_CPU_CLOCK
#define TASK_CLOCK	PERF_COUNT_SW_TASK_CLOCK

static const struct clock_row rows[] = {
	{ "cpu-clock: REFRESH from a handler", CPU_CLOCK, limit },
	{ "task-clock: REFRESH from a handler", TASK_CLOCK, limit },
	{ "cpu-clock: limit of a group", CPU_CLOCK, limit_in_a_group },
	{ "task-clock: limit of a group", TASK_CLOCK, limit_in_a_group },
	{ "cpu-clock: limit of a sibling", CPU_CLOCK, limit_of_a_sibling },
	{ "task-clock: limit of a sibling", TASK_CLOCK, limit_of_a_sibling },
	{ "cpu-clock: limited while it overflows", CPU_CLOCK, limited_while_busy },
	{ "task-clock: limited while it overflows", TASK_CLOCK, limited_while_busy },
	{ "cpu-clock: sigtrap", CPU_CLOCK, trap },
	{ "task-clock: sigtrap", TASK_CLOCK, trap },
	{ "cpu-clock: from another CPU", CPU_CLOCK, from_another_cpu },
	{ "task-clock: from another CPU", TASK_CLOCK, from_another_cpu },
	{ "cpu-clock: its task ends", CPU_CLOCK, task_ends },
	{ "task-clock: its task ends", TASK_CLOCK, task_ends },
	{ "cpu-clock: throttled", CPU_CLOCK, throttled },
	{ "task-clock: throttled", TASK_CLOCK, throttled },
	{ "cpu-clock: throttled in a group", CPU_CLOCK, throttled_group },
	{ "task-clock: throttled in a group", TASK_CLOCK, throttled_group },
};

static void run_clock(const void *arg)
{
	const struct clock_row *row = arg;

	row->run(row->config);
}

int main(void)
{
	tests_begin(ARRAY_SIZE(rows));
	tests_run_rows(rows, ARRAY_SIZE(rows), sizeof(rows[0]), run_clock);
	tests_end();
}
