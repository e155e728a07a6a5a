// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware breakpoints as events: execution and data, counting and sampling,
 * changing them by MODIFY_ATTRIBUTES.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <linux/hw_breakpoint.h>

#include "perf_lib.h"

#define ROUNDS	50

static union {
	char bytes[64];
	__u64 align;
} target;

static struct perf_event_attr bp_attr(__u32 type, const void *addr, __u64 len)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = type;
	attr.bp_addr = (unsigned long)addr;
	attr.bp_len = len;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

static struct perf_event_attr write_attr(const void *addr)
{
	return bp_attr(HW_BREAKPOINT_W, addr, HW_BREAKPOINT_LEN_1);
}

static int open_bp(struct perf_event_attr *attr)
{
	int fd = perf_open(attr, 0, -1, -1, 0);

	if (fd < 0 && (errno == ENOENT || errno == EOPNOTSUPP ||
		       errno == ENODEV))
		test_skip("no hardware breakpoints: %s", strerror(errno));
	CHECK(fd >= 0, "open: %s", strerror(errno));
	return fd;
}

static void write_target(unsigned int offset, unsigned int count)
{
	while (count--)
		poke(&target.bytes[offset]);
}

static void expect_count(int fd, __u64 want, const char *what)
{
	EXPECT(read_count(fd) == want, "%s: %llu of %llu", what,
	       (unsigned long long)read_count(fd), (unsigned long long)want);
}

static void writes(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[8]);
	int fd = open_bp(&attr);

	write_target(8, ROUNDS);
	expect_count(fd, 0, "disabled");
	event_enable(fd);
	write_target(8, ROUNDS);
	write_target(9, ROUNDS);
	event_disable(fd);
	write_target(8, ROUNDS);
	expect_count(fd, ROUNDS, "writes");
}

static void reads_and_writes(void)
{
	struct perf_event_attr attr = bp_attr(HW_BREAKPOINT_RW, &target.bytes[16],
					      HW_BREAKPOINT_LEN_8);
	int fd = open_bp(&attr), i;

	event_enable(fd);
	for (i = 0; i < ROUNDS; i++)
		(void)__atomic_load_n(&target.bytes[16 + i % 8], __ATOMIC_RELAXED);
	write_target(20, ROUNDS);
	write_target(24, ROUNDS);
	event_disable(fd);
	expect_count(fd, 2 * ROUNDS, "reads and writes");
}

static void execution(void)
{
	struct perf_event_attr attr = bp_attr(HW_BREAKPOINT_X, poke,
					      sizeof(long));
	int fd = open_bp(&attr);

	event_enable(fd);
	write_target(0, ROUNDS);
	event_disable(fd);
	expect_count(fd, ROUNDS, "calls");
}

static void samples_have_address(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[32]);
	struct perf_event_header *header;
	struct perf_ring *ring;
	unsigned int samples = 0;
	struct sample sample;
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	fd = open_bp(&attr);
	ring = ring_map(fd, 8);
	event_enable(fd);
	write_target(32, ROUNDS);
	event_disable(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		CHECK(sample.addr == (unsigned long)&target.bytes[32], "addr %#llx",
		      (unsigned long long)sample.addr);
		CHECK(sample.ip >= (unsigned long)poke &&
		      sample.ip < (unsigned long)poke + 64, "ip %#llx",
		      (unsigned long long)sample.ip);
		samples++;
	}
	CHECK(samples == ROUNDS, "%u samples", samples);
}

static void every_tenth(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[32]);
	struct perf_ring *ring;
	int fd;

	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_IP;
	fd = open_bp(&attr);
	ring = ring_map(fd, 8);
	event_enable(fd);
	write_target(32, ROUNDS);
	event_disable(fd);
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) == ROUNDS / 10, "samples");
}

static void child_writes(void *arg)
{
	(void)arg;
	write_target(8, ROUNDS);
}

static void other_tasks(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[8]);
	int own = open_bp(&attr), inherits;

	attr.inherit = 1;
	inherits = open_bp(&attr);
	event_enable(own);
	event_enable(inherits);
	run_child(child_writes, NULL);
	expect_count(own, 0, "child, not inherited");
	expect_count(inherits, ROUNDS, "child, inherited");
}

static void through_switches(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[8]);
	int fd = open_bp(&attr), i;

	event_enable(fd);
	for (i = 0; i < 10; i++) {
		bounce(2);
		write_target(8, 5);
	}
	event_disable(fd);
	expect_count(fd, ROUNDS, "writes between switches");
}

static void on_a_cpu(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[8]);
	int cpu = first_cpu(), probe = open_bp(&attr), fd;

	close(probe);
	pin_to_cpu(cpu);
	fd = open_on(&attr, -1, cpu, -1);
	event_enable(fd);
	run_child(child_writes, NULL);
	write_target(8, ROUNDS);
	event_disable(fd);
	CHECK(read_count(fd) >= 2 * ROUNDS, "%llu",
	      (unsigned long long)read_count(fd));
}

static void move_to_40(int fd, struct perf_event_attr *attr)
{
	attr->bp_addr = (unsigned long)&target.bytes[40];
	attr->disabled = 0;
	CHECK(!ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, attr),
	      "modify: %s", strerror(errno));
}

static void modified(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[8]);
	int fd = open_bp(&attr);

	event_enable(fd);
	write_target(8, ROUNDS);
	move_to_40(fd, &attr);
	write_target(8, ROUNDS);
	expect_count(fd, ROUNDS, "old address");
	write_target(40, ROUNDS);
	expect_count(fd, 2 * ROUNDS, "new address");
}

/* The open clears ksymbol for a user who may not see the kernel. */
static void modified_by_nobody(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[8]);
	int fd;

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.ksymbol = 1;
	become_nobody();
	fd = open_bp(&attr);
	move_to_40(fd, &attr);
	write_target(40, ROUNDS);
	expect_count(fd, ROUNDS, "new address");
}

static void modified_badly(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[8]), bad;
	int fd = open_bp(&attr);

	event_enable(fd);
	bad = attr;
	bad.bp_len = 3;
	CHECK(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &bad) &&
	      errno == EINVAL, "length 3");
	bad = attr;
	bad.bp_addr = (unsigned long)-65536L;
	CHECK(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &bad) &&
	      errno == EINVAL, "kernel address: %s", strerror(errno));
	bad = attr;
	bad.sample_type = PERF_SAMPLE_IP;
	CHECK(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &bad) &&
	      errno == EINVAL, "sample_type");
	attr.disabled = 0;
	CHECK(!ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr),
	      "unchanged: %s", strerror(errno));
	event_reset(fd);
	write_target(8, ROUNDS);
	expect_count(fd, ROUNDS, "after refused changes");
}

/* Until it is killed. */
static void write_slowly(void)
{
	for (;;) {
		poke(&target.bytes[32]);
		usleep(2000);
	}
}

static bool copy_counts(int fd)
{
	__u64 before = read_count(fd);

	usleep(300000);
	return read_count(fd) > before;
}

/* The task on which the event was opened has exited. Its child counts. */
static void refused_to_orphan(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[32]);
	int begin[2], told[2], fd;
	pid_t parent, child;
	char byte = 0;

	CHECK(!pipe(begin) && !pipe(told), "pipe: %s", strerror(errno));
	parent = fork();
	CHECK(parent >= 0, "fork: %s", strerror(errno));
	if (!parent) {
		CHECK(read(begin[0], &byte, 1) == 1, "begin");
		child = fork();
		if (!child)
			write_slowly();
		CHECK(write(told[1], &child, sizeof(child)) == sizeof(child),
		      "tell");
		_exit(0);
	}
	attr.inherit = 1;
	attr.disabled = 0;
	fd = open_on(&attr, parent, -1, -1);
	CHECK(write(begin[1], &byte, 1) == 1, "begin");
	CHECK(read(told[0], &child, sizeof(child)) == sizeof(child), "child");
	waitpid(parent, NULL, 0);
	EXPECT(copy_counts(fd), "the child does not count before");
	attr.bp_len = 3;
	EXPECT(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) < 0 &&
	       errno == EINVAL, "a length of 3: %s", strerror(errno));
	EXPECT(copy_counts(fd), "the child does not count afterwards");
	kill(child, SIGKILL);
}

#define CHANGES	3000

static bool changed;

static void *change_often(void *arg)
{
	struct perf_event_attr attr = write_attr(&target.bytes[0]);
	const int *fd = arg;
	int i;

	for (i = 0; i < CHANGES; i++) {
		attr.bp_type = i & 1 ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
		if (ioctl(*fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr))
			break;
	}
	__atomic_store_n(&changed, true, __ATOMIC_RELEASE);
	return i == CHANGES ? NULL : "refused";
}

/* A change takes the mutex of the task inside that of its context. */
static void changed_while_all_are_enabled(void)
{
	struct perf_event_attr attr = write_attr(&target.bytes[0]);
	pthread_t thread;
	void *why;
	int fd;

	if (!getenv("PERF_TEST_STRICT"))
		test_skip("the two wait for each other on other kernels");
	fd = open_bp(&attr);
	CHECK(!pthread_create(&thread, NULL, change_often, &fd), "thread");
	while (!__atomic_load_n(&changed, __ATOMIC_ACQUIRE)) {
		CHECK(!prctl(PR_TASK_PERF_EVENTS_DISABLE), "disable all");
		CHECK(!prctl(PR_TASK_PERF_EVENTS_ENABLE), "enable all");
	}
	CHECK(!pthread_join(thread, &why), "join");
	CHECK(!why, "a change was %s", (char *)why);
}

static void refused(void)
{
	struct perf_event_attr attr = write_attr(target.bytes);

	close(open_bp(&attr));
	attr.bp_len = 3;
	CHECK(perf_open(&attr, 0, -1, -1, 0) < 0 && errno == EINVAL,
	      "length 3: %s", strerror(errno));
	attr.bp_len = HW_BREAKPOINT_LEN_8;
	attr.bp_addr++;
	CHECK(perf_open(&attr, 0, -1, -1, 0) < 0 && errno == EINVAL,
	      "misaligned: %s", strerror(errno));
	attr = write_attr(target.bytes);
	attr.bp_type = HW_BREAKPOINT_RW | HW_BREAKPOINT_X;
	CHECK(perf_open(&attr, 0, -1, -1, 0) < 0 && errno == EINVAL,
	      "read, write and execute: %s", strerror(errno));
}

static void slots_come_back(void)
{
	struct perf_event_attr attr = write_attr(target.bytes);
	int round, i, fds[4];

	close(open_bp(&attr));
	for (round = 0; round < 10; round++) {
		for (i = 0; i < 4; i++) {
			fds[i] = perf_open(&attr, 0, -1, -1, 0);
			if (fds[i] < 0)
				break;
		}
		CHECK(i >= 1, "round %d: no slot left", round);
		while (i--)
			close(fds[i]);
	}
}

static const struct test_case cases[] = {
	{ "writes", writes },
	{ "reads and writes", reads_and_writes },
	{ "execution", execution },
	{ "samples", samples_have_address },
	{ "a period", every_tenth },
	{ "other tasks", other_tasks },
	{ "through context switches", through_switches },
	{ "on a CPU", on_a_cpu },
	{ "MODIFY_ATTRIBUTES", modified },
	{ "MODIFY_ATTRIBUTES by nobody", modified_by_nobody },
	{ "MODIFY_ATTRIBUTES with bad input", modified_badly },
	{ "a refused change leaves the copy of a task that exited", refused_to_orphan },
	{ "changed while all are enabled", changed_while_all_are_enabled },
	{ "bad breakpoints", refused },
	{ "slots come back", slots_come_back },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
