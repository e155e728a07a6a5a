// SPDX-License-Identifier: GPL-2.0
/*
 * ioctl(2) on a perf file with bad input, and the neighbouring good input that
 * shows that the mistake alone is what is refused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event_ext.h>
#include <sys/ioctl.h>

#include "perf_lib.h"
#include "test_pmu.h"

#define BAD_POINTER	((void *)-4096L)

static int open_counting(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	return open_self(&attr);
}

static int open_sampling(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	return open_self(&attr);
}

static void expect_ioctl(int fd, unsigned long cmd, unsigned long arg,
			 int error, const char *what)
{
	int ret = ioctl(fd, cmd, arg);

	if (!error) {
		EXPECT(!ret, "%s: %s", what, strerror(errno));
		return;
	}
	EXPECT(ret < 0, "%s: accepted, expected %s", what, strerror(error));
	EXPECT(ret >= 0 || errno == error, "%s: %s, expected %s", what,
	       strerror(errno), strerror(error));
}

static void unknown_command(void)
{
	int fd = open_counting();

	expect_ioctl(fd, _IO('$', 200), 0, ENOTTY, "number 200");
	expect_ioctl(fd, _IO('T', 0), 0, ENOTTY, "another type");
	expect_ioctl(fd, _IOW('$', 4, __u32), 0, ENOTTY, "PERIOD of 4 bytes");
}

static void refresh(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	expect_ioctl(open_counting(), PERF_EVENT_IOC_REFRESH, 1, EINVAL,
		     "not sampling");
	expect_ioctl(open_sampling(), PERF_EVENT_IOC_REFRESH, 1, 0,
		     "sampling");
	expect_ioctl(open_sampling(), PERF_EVENT_IOC_REFRESH, 0, 0, "zero");
	attr.sample_period = 1;
	attr.inherit = 1;
	expect_ioctl(open_self(&attr), PERF_EVENT_IOC_REFRESH, 1, EINVAL,
		     "inherited");
}

static void set_period(int fd, __u64 value, int error, const char *what)
{
	expect_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&value, error,
		     what);
}

static void period(void)
{
	int fd = open_sampling();

	expect_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)BAD_POINTER,
		     EFAULT, "bad pointer");
	expect_ioctl(fd, PERF_EVENT_IOC_PERIOD, 0, EFAULT, "null pointer");
	set_period(fd, 0, EINVAL, "zero");
	set_period(fd, 1ULL << 63, EINVAL, "bit 63");
	set_period(fd, ~0ULL, EINVAL, "all ones");
	set_period(fd, (1ULL << 63) - 1, 0, "largest");
	set_period(fd, 1, 0, "one");
	set_period(open_counting(), 1000, EINVAL, "not sampling");
}

static void period_of_frequency(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	long max = read_long("/proc/sys/kernel/perf_event_max_sample_rate");
	int fd;

	attr.freq = 1;
	attr.sample_freq = 100;
	fd = open_self(&attr);
	set_period(fd, max + 1, EINVAL, "frequency above the maximum");
	set_period(fd, 200, 0, "frequency of 200");
}

#define LEAST_PERIOD	1000

static void period_below_floor(void)
{
	struct perf_event_attr attr;
	int fd;

	test_module_need("perf_test_kinds");
	attr = test_module_attr("perf_test_floor", 0);
	attr.sample_period = LEAST_PERIOD - 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	CHECK(fd < 0 && errno == EINVAL, "open: %s", strerror(errno));
	attr.sample_period = 2 * LEAST_PERIOD;
	attr.disabled = 0;
	fd = open_self(&attr);
	set_period(fd, LEAST_PERIOD - 1, EINVAL, "below the least");
	set_period(fd, 1, EINVAL, "one");
	set_period(fd, LEAST_PERIOD, 0, "the least");
	attr.freq = 1;
	attr.sample_freq = 100;
	set_period(open_self(&attr), 1, 0, "a frequency of 1");
	CHECK(event_grows(fd), "does not count after that");
}

/* Some of the random periods would be too short. */
static void random_below_floor(void)
{
	struct perf_event_random_period how = {
		.size = sizeof(how),
		.share = 100000,
	};
	struct perf_event_attr attr;
	int fd;

	test_module_need("perf_test_kinds");
	attr = test_module_attr("perf_test_floor", 0);
	attr.sample_period = LEAST_PERIOD;
	fd = open_self(&attr);
	expect_ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, (unsigned long)&how,
		     EINVAL, "around the least");
	set_period(fd, 2 * LEAST_PERIOD, 0, "twice the least");
	expect_ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, (unsigned long)&how, 0,
		     "around twice the least");
	set_period(fd, LEAST_PERIOD, EINVAL, "the least, with draws");
}

static void get_id(void)
{
	int fd = open_counting();

	expect_ioctl(fd, PERF_EVENT_IOC_ID, (unsigned long)BAD_POINTER,
		     EFAULT, "bad pointer");
	CHECK(event_id(fd) != 0, "id 0");
	CHECK(event_id(fd) == event_id(fd), "id changes");
	CHECK(event_id(fd) != event_id(open_counting()), "id not unique");
}

static void output_bad_fd(void)
{
	int fd = open_counting(), fds[2];

	CHECK(!pipe(fds), "pipe");
	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fds[0], EBADF, "pipe");
	close(fds[0]);
	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fds[0], EBADF, "closed");
	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -2, EBADF, "-2");
	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd, EINVAL, "itself");
	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1, 0, "none");
}

/* As "ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1)" passes it on x86-64. */
static void output_none_as_int(void)
{
	int fd = open_counting();

	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 0xffffffffUL))
		test_xfail("no descriptor: %s", strerror(errno));
}

static void output_without_buffer(void)
{
	int fd = open_counting(), target = open_counting();
	struct perf_ring *ring;

	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target, EINVAL,
		     "target never mapped");
	ring = ring_map(target, 1);
	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target, 0,
		     "target mapped");
	ring_unmap(ring);
	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target, EINVAL,
		     "target unmapped again");
}

static void output_while_mapped(void)
{
	int fd = open_counting(), target = open_counting();

	ring_map(target, 1);
	ring_map(fd, 1);
	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target, EINVAL,
		     "own buffer mapped");
	expect_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1, EINVAL,
		     "none, own buffer mapped");
}

static int mapped_target(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = open_on(attr, pid, cpu, -1);

	ring_map(fd, 1);
	return fd;
}

static void output_other_cpu(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int target = mapped_target(&attr, -1, first_cpu());

	expect_ioctl(open_counting(), PERF_EVENT_IOC_SET_OUTPUT, target,
		     EINVAL, "task event into a CPU's buffer");
	expect_ioctl(open_on(&attr, -1, first_cpu(), -1),
		     PERF_EVENT_IOC_SET_OUTPUT, target, 0, "same CPU");
	expect_ioctl(open_on(&attr, 0, first_cpu(), -1),
		     PERF_EVENT_IOC_SET_OUTPUT, target, 0,
		     "task event on the same CPU");
	expect_ioctl(open_on(&attr, -1, second_cpu(), -1),
		     PERF_EVENT_IOC_SET_OUTPUT, target, EINVAL, "other CPU");
}

/* Copies would write from any CPU. */
static void output_inherited(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int target = mapped_target(&attr, 0, -1), fd;

	attr.inherit = 1;
	fd = open_self(&attr);
	if (!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target))
		test_xfail("several CPUs write into one buffer");
	CHECK(errno == EINVAL, "%s", strerror(errno));
}

static void idle_child(void *arg)
{
	(void)arg;
}

static void output_other_task(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct helper child = helper_start(idle_child, NULL);
	int target = mapped_target(&attr, child.pid, -1);

	expect_ioctl(open_counting(), PERF_EVENT_IOC_SET_OUTPUT, target,
		     EINVAL, "other task");
	expect_ioctl(open_on(&attr, child.pid, -1, -1),
		     PERF_EVENT_IOC_SET_OUTPUT, target, 0, "same task");
	helper_go(&child);
	helper_join(&child);
}

static void output_other_clock(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int target;

	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	target = mapped_target(&attr, 0, -1);
	expect_ioctl(open_self(&attr), PERF_EVENT_IOC_SET_OUTPUT, target, 0,
		     "same clock");
	expect_ioctl(open_counting(), PERF_EVENT_IOC_SET_OUTPUT, target,
		     EINVAL, "other clock");
}

static void output_other_direction(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int target;

	attr.write_backward = 1;
	target = mapped_target(&attr, 0, -1);
	expect_ioctl(open_self(&attr), PERF_EVENT_IOC_SET_OUTPUT, target, 0,
		     "both backward");
	expect_ioctl(open_counting(), PERF_EVENT_IOC_SET_OUTPUT, target,
		     EINVAL, "forward into backward");
}

/* Two PMUs that trace would share one area. */
static void output_other_aux_pmu(void)
{
	struct perf_event_attr attr, twin;
	int target;

	test_module_need("perf_test_aux");
	attr = test_module_attr("perf_test_aux", 0);
	twin = test_module_attr("perf_test_aux_twin", 0);
	target = mapped_target(&attr, 0, -1);
	expect_ioctl(open_self(&twin), PERF_EVENT_IOC_SET_OUTPUT, target,
		     EINVAL, "another PMU that traces");
	expect_ioctl(open_self(&attr), PERF_EVENT_IOC_SET_OUTPUT, target, 0,
		     "the same PMU");
	expect_ioctl(open_counting(), PERF_EVENT_IOC_SET_OUTPUT, target, 0,
		     "a PMU that does not trace");
	target = mapped_target(&twin, 0, -1);
	expect_ioctl(open_self(&attr), PERF_EVENT_IOC_SET_OUTPUT, target,
		     EINVAL, "the other way round");
}

static void set_filter(void)
{
	static char too_long[1 << 17];
	int fd = open_counting();

	memset(too_long, 'a', sizeof(too_long) - 1);
	expect_ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
		     (unsigned long)BAD_POINTER, EFAULT, "bad pointer");
	expect_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)"a == 1",
		     EINVAL, "event without filters");
	expect_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)too_long,
		     EINVAL, "filter longer than a page");
}

static void bpf(void)
{
	int fd = open_counting(), fds[2];

	CHECK(!pipe(fds), "pipe");
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, 1000) < 0 && errno == EOPNOTSUPP)
		test_skip("kernel without BPF");
	expect_ioctl(fd, PERF_EVENT_IOC_SET_BPF, 1000, EBADF, "closed fd");
	expect_ioctl(fd, PERF_EVENT_IOC_SET_BPF, fds[0], EINVAL, "pipe");
	expect_ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, 0, EINVAL,
		     "query on a software event");
}

static void pause_output(void)
{
	int fd = open_counting();
	struct perf_ring *ring;

	expect_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1, EINVAL, "no buffer");
	ring = ring_map(fd, 0);
	expect_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1, EINVAL,
		     "no data pages");
	ring_unmap(ring);
	ring_map(fd, 1);
	expect_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1, 0, "pause");
	expect_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0, 0, "resume");
}

static void modify_attributes(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = open_self(&attr);
	unsigned long arg = (unsigned long)&attr;

	expect_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
		     (unsigned long)BAD_POINTER, EFAULT, "bad pointer");
	expect_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, arg, EOPNOTSUPP,
		     "software event");
	attr.type = PERF_TYPE_BREAKPOINT;
	expect_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, arg, EINVAL,
		     "other type");
	attr.sample_type = 1ULL << 63;
	expect_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, arg, EINVAL,
		     "unknown sample_type");
	attr.size = 8;
	expect_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, arg, E2BIG,
		     "size 8");
}

static const struct test_case cases[] = {
	{ "unknown command", unknown_command },
	{ "REFRESH", refresh },
	{ "PERIOD", period },
	{ "PERIOD of a frequency", period_of_frequency },
	{ "PERIOD below the PMU's least", period_below_floor },
	{ "RANDOM_PERIOD below the PMU's least", random_below_floor },
	{ "ID", get_id },
	{ "SET_OUTPUT: what is not an event", output_bad_fd },
	{ "SET_OUTPUT to none, as an int", output_none_as_int },
	{ "SET_OUTPUT: target without buffer", output_without_buffer },
	{ "SET_OUTPUT: event with a buffer", output_while_mapped },
	{ "SET_OUTPUT: other task", output_other_task },
	{ "SET_OUTPUT: inherited by tasks on any CPU", output_inherited },
	{ "SET_OUTPUT: other clock", output_other_clock },
	{ "SET_OUTPUT: other direction", output_other_direction },
	{ "SET_OUTPUT: other CPU", output_other_cpu },
	{ "SET_OUTPUT: other PMU that traces", output_other_aux_pmu },
	{ "SET_FILTER", set_filter },
	{ "SET_BPF and QUERY_BPF", bpf },
	{ "PAUSE_OUTPUT", pause_output },
	{ "MODIFY_ATTRIBUTES", modify_attributes },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
