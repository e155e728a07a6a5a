// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints as events: counting, raw data in samples, filters.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "perf_lib.h"

#define ROUNDS	50

static struct perf_event_attr tp_attr(const char *name)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT, tracepoint_id(name));

	return attr;
}

static struct perf_event_attr tp_sampling_attr(const char *name)
{
	struct perf_event_attr attr = tp_attr(name);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_RAW |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	return attr;
}

/* Hits a tracepoint that any task can hit at will: it renames itself. */
static void rename_self(unsigned int count)
{
	char name[16];

	while (count--) {
		snprintf(name, sizeof(name), "perf%u", count);
		CHECK(!prctl(PR_SET_NAME, name, 0, 0, 0), "PR_SET_NAME");
	}
}

static void count_renames(void)
{
	struct perf_event_attr attr = tp_attr("task/task_rename");
	int fd = open_self(&attr);

	rename_self(5);
	CHECK(read_count(fd) == 0, "counts while disabled");
	event_enable(fd);
	rename_self(ROUNDS);
	event_disable(fd);
	rename_self(5);
	CHECK(read_count(fd) == ROUNDS, "%llu of %d renames",
	      (unsigned long long)read_count(fd), ROUNDS);
}

static void count_switches(void)
{
	struct perf_event_attr attr = tp_attr("sched/sched_switch");
	int cpu = first_cpu(), task, all;

	pin_to_cpu(cpu);
	task = open_self(&attr);
	all = open_on(&attr, -1, cpu, -1);
	event_enable(task);
	event_enable(all);
	bounce(ROUNDS);
	event_disable(all);
	event_disable(task);
	CHECK(read_count(task) >= ROUNDS, "task: %llu",
	      (unsigned long long)read_count(task));
	CHECK(read_count(all) >= 2 * ROUNDS, "CPU: %llu",
	      (unsigned long long)read_count(all));
}

static void other_task(void *arg)
{
	(void)arg;
	rename_self(ROUNDS);
}

static void one_task_only(void)
{
	struct perf_event_attr attr = tp_attr("task/task_rename");
	struct helper child = helper_start(other_task, NULL);
	int own = open_self(&attr), other;

	other = open_on(&attr, child.pid, -1, -1);
	event_enable(own);
	event_enable(other);
	helper_go(&child);
	helper_join(&child);
	CHECK(read_count(own) == 0, "own: %llu",
	      (unsigned long long)read_count(own));
	CHECK(read_count(other) == ROUNDS, "child's: %llu",
	      (unsigned long long)read_count(other));
}

static void inherited(void)
{
	struct perf_event_attr attr = tp_attr("task/task_rename");
	int fd;

	attr.inherit = 1;
	attr.disabled = 0;
	fd = open_self(&attr);
	run_child(other_task, NULL);
	run_child(other_task, NULL);
	CHECK(read_count(fd) == 2 * ROUNDS, "%llu",
	      (unsigned long long)read_count(fd));
}

/*
 * Raw data begins with the tracepoint's common fields: type (2 bytes), flags,
 * preempt count, pid (4 bytes).
 */
static void check_raw(const struct sample *sample, __u64 id)
{
	__u16 type;
	__s32 pid;

	CHECK(sample->raw_size >= 8, "raw size %u", sample->raw_size);
	CHECK((sample->raw_size + sizeof(__u32)) % sizeof(__u64) == 0,
	      "raw size %u breaks the alignment", sample->raw_size);
	memcpy(&type, sample->raw, sizeof(type));
	memcpy(&pid, (const char *)sample->raw + 4, sizeof(pid));
	CHECK(type == id, "common_type %u, id %llu", type,
	      (unsigned long long)id);
	CHECK((__u32)pid == sample->tid, "common_pid %d, tid %u", pid,
	      sample->tid);
}

static void raw_data(void)
{
	struct perf_event_attr attr = tp_sampling_attr("task/task_rename");
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct sample sample;
	unsigned int samples = 0;
	int fd = open_self(&attr);

	ring = ring_map(fd, 16);
	event_enable(fd);
	rename_self(ROUNDS);
	event_disable(fd);
	while ((header = ring_next(ring))) {
		CHECK(header->type == PERF_RECORD_SAMPLE, "type %u",
		      header->type);
		parse_sample(header, &attr, &sample);
		check_raw(&sample, attr.config);
		CHECK(sample.period == 1, "period %llu",
		      (unsigned long long)sample.period);
		CHECK(memmem(sample.raw, sample.raw_size, "perf", 4),
		      "the name is not in the raw data");
		samples++;
	}
	CHECK(samples == ROUNDS, "%u samples", samples);
}

static void raw_and_callchain(void)
{
	struct perf_event_attr attr = tp_sampling_attr("sched/sched_switch");
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct sample sample;
	unsigned int samples = 0;
	int fd;

	attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_IP |
			    PERF_SAMPLE_CPU | PERF_SAMPLE_READ;
	fd = open_self(&attr);
	ring = ring_map(fd, 64);
	event_enable(fd);
	bounce(ROUNDS);
	event_disable(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		check_raw(&sample, attr.config);
		CHECK(sample.nr_ips > 1, "callchain of %llu",
		      (unsigned long long)sample.nr_ips);
		samples++;
	}
	CHECK(samples >= ROUNDS, "%u samples", samples);
}

static void expect_filter(int fd, const char *filter, int error)
{
	int ret = ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter);

	if (!error)
		EXPECT(!ret, "\"%s\": %s", filter, strerror(errno));
	else
		EXPECT(ret < 0 && errno == error, "\"%s\": %d, %s", filter,
		       ret, strerror(errno));
}

static __u64 count_filtered(const char *filter)
{
	struct perf_event_attr attr = tp_attr("task/task_rename");
	int fd = open_self(&attr);

	expect_filter(fd, filter, 0);
	event_enable(fd);
	rename_self(ROUNDS);
	event_disable(fd);
	return read_count(fd);
}

static void filters(void)
{
	char filter[64];

	CHECK(count_filtered("newcomm == \"perf7\"") == 1, "one name");
	CHECK(count_filtered("newcomm ~ \"perf1*\"") == 11, "pattern");
	CHECK(count_filtered("newcomm == \"nobody\"") == 0, "no match");
	snprintf(filter, sizeof(filter), "pid == %d", getpid());
	CHECK(count_filtered(filter) == ROUNDS, "own pid");
	snprintf(filter, sizeof(filter), "pid != %d", getpid());
	CHECK(count_filtered(filter) == 0, "other pid");
}

static void filter_samples(void)
{
	struct perf_event_attr attr = tp_sampling_attr("task/task_rename");
	struct perf_ring *ring;
	int fd = open_self(&attr);

	expect_filter(fd, "newcomm == \"perf7\" || newcomm == \"perf8\"", 0);
	ring = ring_map(fd, 8);
	event_enable(fd);
	rename_self(ROUNDS);
	event_disable(fd);
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) == 2, "samples");
}

static void bad_filters(void)
{
	struct perf_event_attr attr = tp_attr("task/task_rename");
	int fd = open_self(&attr);

	expect_filter(fd, "no_such_field == 1", EINVAL);
	expect_filter(fd, "pid ==", EINVAL);
	expect_filter(fd, "pid == 1 &&", EINVAL);
	expect_filter(fd, "pid == 1", 0);
	expect_filter(fd, "pid == 2", EEXIST);
}

static void period_of_two(void)
{
	struct perf_event_attr attr = tp_attr("task/task_rename");
	struct perf_ring *ring;
	int fd;

	attr.sample_period = 5;
	attr.sample_type = PERF_SAMPLE_TID;
	fd = open_self(&attr);
	ring = ring_map(fd, 8);
	event_enable(fd);
	rename_self(ROUNDS);
	event_disable(fd);
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) == ROUNDS / 5, "samples");
}

static void system_calls(void)
{
	struct perf_event_attr enter =
		tp_attr("syscalls/sys_enter_getppid");
	struct perf_event_attr leave = tp_attr("syscalls/sys_exit_getppid");
	int one = open_self(&enter), two = open_self(&leave), i;

	event_enable(one);
	event_enable(two);
	for (i = 0; i < ROUNDS; i++)
		syscall(SYS_getppid);
	event_disable(two);
	event_disable(one);
	CHECK(read_count(one) == ROUNDS, "enter: %llu",
	      (unsigned long long)read_count(one));
	CHECK(read_count(two) == ROUNDS, "exit: %llu",
	      (unsigned long long)read_count(two));
}

static void in_a_group(void)
{
	struct perf_event_attr attr = tp_attr("task/task_rename");
	struct perf_event_attr faults = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int leader = open_self(&attr), sibling;

	faults.disabled = 0;
	sibling = open_sibling(&faults, leader);
	event_enable(leader);
	rename_self(ROUNDS);
	touch_pages(ROUNDS);
	event_disable(leader);
	CHECK(read_count(leader) == ROUNDS, "leader");
	CHECK(read_count(sibling) >= ROUNDS, "sibling");
	close(leader);
	touch_pages(ROUNDS);
}

static bool counts_rename(int fd)
{
	__u64 before = read_count(fd);

	rename_self(1);
	return read_count(fd) > before;
}

/* Return: whether the event counts within 200 ms. */
static bool counts_rename_soon(int fd)
{
	__u64 end = now_ns() + 200 * 1000000ULL;

	while (!counts_rename(fd)) {
		if (now_ns() > end)
			return false;
	}
	return true;
}

/*
 * The task sleeps while its group is throttled; then all events count again. The
 * base stops only the leader.
 */
static void asleep_while_throttled(void)
{
	struct perf_event_attr clock = sw_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr attr = tp_attr("task/task_rename");
	int leader, sibling, tries, stops = 0;
	__u64 before;

	need_low_rate();
	clock.sample_period = 200000;
	leader = open_self(&clock);
	attr.disabled = 0;
	sibling = open_sibling(&attr, leader);
	event_enable(leader);
	for (int i = 0; i < ROUNDS; i++) {
		for (tries = 0; tries < 10000 && counts_rename(sibling); tries++)
			;
		stops += tries < 10000;
		before = read_count(leader);
		usleep(10000);
		CHECK(counts_rename_soon(sibling), "%d: tracepoint is off", i);
		CHECK(read_count(leader) > before, "%d: leader is off", i);
	}
	if (!stops)
		test_xfail("the tracepoint was never stopped");
}

/* This tracepoint calls back through the event itself. */
static void count_calls(void)
{
	struct perf_event_attr attr = tp_attr("ftrace/function");
	int fd = open_self(&attr), i;

	expect_filter(fd, "ip == *sys_getppid", 0);
	event_enable(fd);
	for (i = 0; i < ROUNDS; i++)
		syscall(SYS_getppid);
	event_disable(fd);
	CHECK(read_count(fd) == ROUNDS, "%llu of %d calls",
	      (unsigned long long)read_count(fd), ROUNDS);
}

static const struct test_case cases[] = {
	{ "count what a task does", count_renames },
	{ "count switches of a task and a CPU", count_switches },
	{ "one task only", one_task_only },
	{ "inherited", inherited },
	{ "raw data", raw_data },
	{ "raw data and callchain", raw_and_callchain },
	{ "filters on counts", filters },
	{ "a filter on samples", filter_samples },
	{ "bad filters", bad_filters },
	{ "a period", period_of_two },
	{ "system calls", system_calls },
	{ "in a group", in_a_group },
	{ "a throttled group whose task sleeps", asleep_while_throttled },
	{ "calls of a function", count_calls },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
