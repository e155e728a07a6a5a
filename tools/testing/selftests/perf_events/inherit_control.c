// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on an opened event concern all tasks that inherited it: output
 * into the buffer of another event, PR_TASK_PERF_EVENTS_DISABLE and ENABLE,
 * RESET. Each case runs for events of which only the sum matters, and for
 * events that count by task.
 *
 * The tasks make calls when they are told to, and no others: counts and samples
 * are exact.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "perf_lib.h"

#define CALLS		5
#define RING_PAGES	8
#define NO_OUTPUT	-1L
#define FAULTS		20

/* Whether copies are shared or count by task. */
struct kind {
	const char *name;
	bool stat;
	bool read;
};

static const struct kind kinds[] = {
	{ .name = "sum" },
	{ .name = "inherit_stat", .stat = true },
	{ .name = "SAMPLE_READ", .read = true },
};

static int cpu;

/* Two kinds of calls, one for each of two events. */
static void make_calls(int count)
{
	while (count--)
		syscall(SYS_getppid);
}

static void make_others(int count)
{
	while (count--)
		syscall(SYS_getsid, 0);
}

/* A task that makes calls when it is told how many. */
struct walker {
	pid_t pid;
	int steps[2];
	int done[2];
};

static void walk_on(struct walker *walker)
{
	int calls;

	close(walker->steps[1]);
	while (read(walker->steps[0], &calls, sizeof(calls)) == sizeof(calls)) {
		make_calls(calls);
		make_others(calls);
		CHECK(write(walker->done[1], "", 1) == 1, "report");
	}
	child_finish();
}

static struct walker start_walker(void)
{
	struct walker walker;

	CHECK(!pipe2(walker.steps, O_CLOEXEC) && !pipe2(walker.done, O_CLOEXEC),
	      "pipe");
	fflush(stdout);
	walker.pid = fork();
	CHECK(walker.pid >= 0, "fork: %s", strerror(errno));
	if (!walker.pid)
		walk_on(&walker);
	return walker;
}

static void walk(struct walker *walker, int calls)
{
	char byte;

	CHECK(write(walker->steps[1], &calls, sizeof(calls)) == sizeof(calls),
	      "step");
	CHECK(read(walker->done[0], &byte, 1) == 1, "walker is lost");
}

/* Closing the pipe is not enough: later walkers have its other end too. */
static void end_walker(struct walker *walker)
{
	stop_child(walker->pid);
}

/* Events. */

static struct perf_event_attr attr_of(const struct kind *kind,
				      const char *tracepoint)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_TRACEPOINT,
						tracepoint_id(tracepoint));

	attr.inherit = 1;
	attr.inherit_stat = kind->stat;
	attr.disabled = 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID;
	if (kind->read)
		attr.sample_type |= PERF_SAMPLE_READ;
	return attr;
}

static struct perf_event_attr calls_attr(const struct kind *kind)
{
	return attr_of(kind, "syscalls/sys_enter_getppid");
}

static struct perf_event_attr others_attr(const struct kind *kind)
{
	return attr_of(kind, "syscalls/sys_enter_getsid");
}

static int open_here(struct perf_event_attr *attr)
{
	return open_on(attr, 0, cpu, -1);
}

static void expect_count(int fd, __u64 want, const char *when)
{
	CHECK(read_count(fd) == want, "%s: %llu of %llu calls", when,
	      (unsigned long long)read_count(fd), (unsigned long long)want);
}

/* The number of samples of an event in a task; no others may come. */
struct expected {
	__u64 id;
	pid_t tid;
	int count;
};

static void expect_sample(const struct sample *sample,
			  struct expected *expected, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (sample->identifier != expected[i].id ||
		    sample->tid != (__u32)expected[i].tid)
			continue;
		expected[i].count--;
		return;
	}
	CHECK(false, "a sample of event %llu in task %u",
	      (unsigned long long)sample->identifier, sample->tid);
}

static void expect_samples(struct perf_ring *ring, const struct kind *kind,
			   struct expected *expected, int nr)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct perf_event_header *header;
	struct sample sample;
	int i;

	while ((header = ring_next(ring))) {
		CHECK(header->type == PERF_RECORD_SAMPLE, "record of type %u",
		      header->type);
		parse_sample(header, &attr, &sample);
		expect_sample(&sample, expected, nr);
	}
	for (i = 0; i < nr; i++)
		CHECK(!expected[i].count, "%d samples are missing of task %d",
		      expected[i].count, expected[i].tid);
}

/* The walker makes calls, and there is a sample of the event for each. */
static void expect_walk(struct perf_ring *ring, const struct kind *kind, int fd,
			struct walker *walker, int calls)
{
	struct expected expected = { event_id(fd), walker->pid, calls };

	walk(walker, calls);
	expect_samples(ring, kind, &expected, 1);
}

static void expect_silence(struct perf_ring *ring, const char *when)
{
	CHECK(!ring_next(ring), "a record %s", when);
}

/* An event with a buffer into which it writes nothing itself. */
struct target {
	int fd;
	struct perf_ring *ring;
};

static struct target open_target(const struct kind *kind)
{
	struct perf_event_attr attr = others_attr(kind);
	struct target target;

	attr.disabled = 1;
	target.fd = open_here(&attr);
	target.ring = ring_map(target.fd, RING_PAGES);
	return target;
}

/* After a walk, both events have a sample for each call. */
static void expect_both(const struct target *target, const struct kind *kind,
			int fd, const struct walker *walker)
{
	struct expected expected[] = {
		{ event_id(fd), walker->pid, CALLS },
		{ event_id(target->fd), walker->pid, CALLS },
	};

	expect_samples(target->ring, kind, expected, ARRAY_SIZE(expected));
}

/* Output. */

static void redirected(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct target target = open_target(kind);
	struct walker before, after;
	int fd = open_here(&attr);
	struct expected expected[3];

	before = start_walker();
	walk(&before, CALLS);
	event_set_output(fd, target.fd);
	expect_silence(target.ring, "from before");
	after = start_walker();
	walk(&before, 1);
	walk(&after, 2);
	make_calls(3);
	expected[0] = (struct expected) { event_id(fd), before.pid, 1 };
	expected[1] = (struct expected) { event_id(fd), after.pid, 2 };
	expected[2] = (struct expected) { event_id(fd), getpid(), 3 };
	expect_samples(target.ring, kind, expected, 3);
	event_set_output(fd, NO_OUTPUT);
	walk(&before, CALLS);
	walk(&after, CALLS);
	expect_silence(target.ring, "after it was taken back");
	end_walker(&before);
	end_walker(&after);
	expect_count(fd, 3 * CALLS + 6, "with and without output");
}

static void redirected_twice(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct target one = open_target(kind), two = open_target(kind);
	struct walker walker;
	int fd = open_here(&attr);

	event_set_output(fd, one.fd);
	walker = start_walker();
	expect_walk(one.ring, kind, fd, &walker, 1);
	event_set_output(fd, two.fd);
	expect_walk(two.ring, kind, fd, &walker, CALLS);
	expect_silence(one.ring, "where it went before");
	end_walker(&walker);
}

static void redirected_at_open(const struct kind *kind)
{
	unsigned long flags = PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP;
	struct perf_event_attr attr = calls_attr(kind);
	struct target target = open_target(kind);
	struct walker walker;
	int fd = perf_open(&attr, 0, cpu, target.fd, flags);

	CHECK(fd >= 0, "FD_OUTPUT: %s", strerror(errno));
	walker = start_walker();
	expect_walk(target.ring, kind, fd, &walker, CALLS);
	end_walker(&walker);
}

/* The event that owns the buffer writes there as well. */
static void both_write(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct target target = open_target(kind);
	struct walker walker;
	int fd = open_here(&attr);

	event_set_output(fd, target.fd);
	event_enable(target.fd);
	walker = start_walker();
	walk(&walker, CALLS);
	expect_both(&target, kind, fd, &walker);
	end_walker(&walker);
}

/* Output through an event that is redirected itself. */
static void through_another(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct target target = open_target(kind);
	struct walker walker;
	int between, fd = open_here(&attr);

	attr = others_attr(kind);
	attr.disabled = 1;
	between = open_here(&attr);
	event_set_output(between, target.fd);
	event_set_output(fd, between);
	walker = start_walker();
	expect_walk(target.ring, kind, fd, &walker, 1);
	event_set_output(between, NO_OUTPUT);
	close(between);
	expect_walk(target.ring, kind, fd, &walker, CALLS);
	end_walker(&walker);
}

/* A mapping keeps the buffer. Without one, the event may get its own. */
static void target_goes(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct target target = open_target(kind);
	struct perf_ring *ring;
	struct walker walker;
	int fd = open_here(&attr);

	event_set_output(fd, target.fd);
	walker = start_walker();
	close(target.fd);
	expect_walk(target.ring, kind, fd, &walker, 1);
	ring_unmap(target.ring);
	walk(&walker, CALLS);
	ring = ring_map(fd, RING_PAGES);
	expect_walk(ring, kind, fd, &walker, 2);
	expect_count(fd, CALLS + 3, "with and without a buffer");
	end_walker(&walker);
}

/* When a child exits, the output of the others stays. */
static void writer_goes(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct target target = open_target(kind);
	struct walker stays, goes;
	int fd = open_here(&attr);

	event_set_output(fd, target.fd);
	stays = start_walker();
	goes = start_walker();
	expect_walk(target.ring, kind, fd, &goes, 1);
	end_walker(&goes);
	while (ring_next(target.ring))
		;
	expect_walk(target.ring, kind, fd, &stays, CALLS);
	end_walker(&stays);
}

/* After a refusal the event has no output, and its copies go on counting. */
static void on_another_cpu(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct target target = open_target(kind);
	int fd = open_on(&attr, 0, second_cpu(), -1);
	struct walker walker = start_walker();

	CHECK(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target.fd) &&
	      errno == EINVAL, "output to another CPU: %s", strerror(errno));
	walk(&walker, CALLS);
	expect_count(fd, 0, "on the first CPU");
	pin_task(walker.pid, second_cpu());
	walk(&walker, CALLS);
	expect_count(fd, CALLS, "on the second CPU");
	expect_silence(target.ring, "of an event that was refused");
	end_walker(&walker);
}

/* Switching. */

static void all_disable(void)
{
	CHECK(!prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0), "prctl: %s",
	      strerror(errno));
}

static void all_enable(void)
{
	CHECK(!prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0), "prctl: %s",
	      strerror(errno));
}

/* Acts on children that exist, and on those forked while nothing counts. */
static void opener_switches(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	int fd = open_here(&attr);
	struct walker before = start_walker(), between;

	walk(&before, 1);
	expect_count(fd, 1, "enabled");
	all_disable();
	between = start_walker();
	walk(&before, CALLS);
	walk(&between, CALLS);
	make_calls(CALLS);
	expect_count(fd, 1, "disabled");
	all_enable();
	walk(&before, 1);
	walk(&between, 1);
	make_calls(1);
	expect_count(fd, 4, "enabled again");
	end_walker(&before);
	end_walker(&between);
	expect_count(fd, 4, "when all have gone");
}

static void group_is_switched(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	int leader = open_here(&attr), sibling;
	struct walker walker;

	attr = others_attr(kind);
	sibling = open_on(&attr, 0, cpu, leader);
	walker = start_walker();
	all_disable();
	walk(&walker, CALLS);
	expect_count(leader, 0, "leader, disabled");
	expect_count(sibling, 0, "sibling, disabled");
	all_enable();
	walk(&walker, CALLS);
	expect_count(leader, CALLS, "leader");
	expect_count(sibling, CALLS, "sibling");
	end_walker(&walker);
}

static void child_switches(void *arg)
{
	(void)arg;
	all_disable();
	make_calls(CALLS);
	all_enable();
	make_calls(CALLS);
}

static void *thread_switches(void *arg)
{
	child_switches(arg);
	return NULL;
}

/* A task cannot switch events that it inherited: others have opened them. */
static void heir_switches(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	int fd = open_here(&attr);
	struct walker walker = start_walker();
	pthread_t thread;

	run_child(child_switches, NULL);
	expect_count(fd, 2 * CALLS, "a child");
	CHECK(!pthread_create(&thread, NULL, thread_switches, NULL), "thread");
	pthread_join(thread, NULL);
	expect_count(fd, 4 * CALLS, "a thread");
	walk(&walker, 1);
	expect_count(fd, 4 * CALLS + 1, "another child");
	event_disable(fd);
	run_child(child_switches, NULL);
	walk(&walker, CALLS);
	expect_count(fd, 4 * CALLS + 1, "disabled by the opener");
	end_walker(&walker);
}

static void family_of_child(void *arg)
{
	make_calls(CALLS);
	run_child(arg, NULL);
}

static void grandchild(void *arg)
{
	(void)arg;
	make_calls(CALLS);
}

/*
 * What matters is which task opened the event, not on which task it was
 * opened.
 */
static void opened_on_child(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct helper on = helper_start(family_of_child, grandchild);
	struct helper off = helper_start(family_of_child, grandchild);
	int counts = open_on(&attr, on.pid, cpu, -1), stands;

	all_disable();
	all_enable();
	attr.disabled = 1;
	stands = open_on(&attr, off.pid, cpu, -1);
	all_enable();
	event_disable(counts);
	all_enable();
	helper_go(&on);
	helper_join(&on);
	expect_count(counts, 2 * CALLS, "enabled");
	all_disable();
	helper_go(&off);
	helper_join(&off);
	expect_count(stands, 0, "disabled");
}

/* Samples stop and start together with the counts. */
static void output_is_switched(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	struct target target = open_target(kind);
	struct walker walker;
	int fd = open_here(&attr);

	event_set_output(fd, target.fd);
	walker = start_walker();
	all_disable();
	walk(&walker, CALLS);
	expect_silence(target.ring, "while disabled");
	/* The target is enabled as well. */
	all_enable();
	walk(&walker, CALLS);
	expect_both(&target, kind, fd, &walker);
	end_walker(&walker);
}

/*
 * A reset sets the counts of living tasks to 0, and forgets those of tasks that
 * have exited. The base keeps the latter.
 */
static void expect_zero(int fd)
{
	__u64 left = read_count(fd);

	if (left && left % CALLS == 0)
		test_xfail("%llu calls of tasks that have gone are left",
			   (unsigned long long)left);
	CHECK(!left, "%llu calls are left", (unsigned long long)left);
}

static void one_is_reset(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	int fd = open_here(&attr), round;
	struct walker stays = start_walker(), goes;

	for (round = 0; round < 40; round++) {
		goes = start_walker();
		walk(&stays, CALLS);
		walk(&goes, CALLS);
		end_walker(&goes);
		goes = start_walker();
		walk(&goes, CALLS);
		make_calls(CALLS);
		if (round % 2)
			end_walker(&goes);
		expect_count(fd, 4 * CALLS, "before");
		event_reset(fd);
		expect_zero(fd);
		if (!(round % 2))
			end_walker(&goes);
		expect_zero(fd);
	}
	walk(&stays, 1);
	end_walker(&stays);
	expect_count(fd, 1, "afterwards");
	event_reset(fd);
	expect_zero(fd);
}

static void group_is_reset(const struct kind *kind)
{
	struct perf_event_attr attr = calls_attr(kind);
	int leader = open_here(&attr), sibling;
	struct walker stays, goes;

	attr = others_attr(kind);
	sibling = open_on(&attr, 0, cpu, leader);
	stays = start_walker();
	goes = start_walker();
	walk(&stays, CALLS);
	walk(&goes, CALLS);
	end_walker(&goes);
	expect_count(leader, 2 * CALLS, "leader");
	expect_count(sibling, 2 * CALLS, "sibling");
	CHECK(!ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP),
	      "reset: %s", strerror(errno));
	expect_zero(leader);
	expect_zero(sibling);
	walk(&stays, 1);
	end_walker(&stays);
	expect_count(leader, 1, "leader, afterwards");
	expect_count(sibling, 1, "sibling, afterwards");
}

/*
 * A thread exits on another CPU than that of the buffer, which has lost
 * samples of it. The record of its count follows a LOST. Both name the thread.
 * The task that was interrupted for them may be another user's.
 */
static void last_words(void)
{
	struct perf_event_attr attr = calls_attr(&kinds[1]);
	struct perf_event_header *header;
	struct walker walker;
	struct sample sample;
	struct perf_ring *ring;
	int fd;

	cpu = first_cpu();
	pin_to_cpu(cpu);
	attr.sample_id_all = 1;
	fd = open_here(&attr);
	ring = ring_map(fd, 1);
	walker = start_walker();
	walk(&walker, sysconf(_SC_PAGESIZE) / sizeof(*header));
	while (ring_next(ring))
		;
	pin_task(walker.pid, second_cpu());
	end_walker(&walker);
	header = ring_next(ring);
	if (!header)
		test_xfail("no record of a thread that ends");
	CHECK(header->type == PERF_RECORD_LOST, "type %u", header->type);
	parse_trailer(header, &attr, &sample);
	CHECK(sample.tid == (__u32)walker.pid, "LOST in the name of %u",
	      sample.tid);
	header = ring_next(ring);
	CHECK(header && header->type == PERF_RECORD_READ, "no READ record");
	parse_trailer(header, &attr, &sample);
	CHECK(((__u32 *)record_body(header))[1] == (__u32)walker.pid &&
	      sample.tid == (__u32)walker.pid, "of %u, in the name of %u",
	      ((__u32 *)record_body(header))[1], sample.tid);
}

/* lockdep warns of 2048 locks of a kind that a task holds. */
#define LARGE_GROUP	2100

static void large_ioctl(int leader, unsigned long request)
{
	CHECK(!ioctl(leader, request, PERF_IOC_FLAG_GROUP), "ioctl: %s",
	      strerror(errno));
}

static void fault(void *arg)
{
	(void)arg;
	touch_pages(FAULTS);
}

/* Copies of the first and of the last event of a group count when it is on. */
static void large_group(void)
{
	struct rlimit limit = { LARGE_GROUP + 64, LARGE_GROUP + 64 };
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int leader, last;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		test_skip("cannot raise RLIMIT_NOFILE");
	attr.inherit = 1;
	leader = open_self(&attr);
	attr.config = PERF_COUNT_SW_DUMMY;
	for (int i = 2; i < LARGE_GROUP; i++)
		open_sibling(&attr, leader);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	last = open_sibling(&attr, leader);
	run_child(fault, NULL);
	CHECK(!read_count(leader) && !read_count(last), "counts while off");

	large_ioctl(leader, PERF_EVENT_IOC_ENABLE);
	run_child(fault, NULL);
	CHECK(read_count(leader) >= FAULTS, "the leader stands still");
	CHECK(read_count(last) >= FAULTS, "the last sibling stands still");
	large_ioctl(leader, PERF_EVENT_IOC_DISABLE);
	large_ioctl(leader, PERF_EVENT_IOC_RESET);
	run_child(fault, NULL);
	if (read_count(leader) || read_count(last))
		test_xfail("RESET leaves what copies have counted");
}

static const struct test_case others[] = {
	{ "READ of a thread that ends elsewhere", last_words },
	{ "a group of more events than lockdep counts", large_group },
};

static const struct test_of_kinds tests[] = {
	{ "SET_OUTPUT", redirected },
	{ "SET_OUTPUT to another one", redirected_twice },
	{ "FD_OUTPUT", redirected_at_open },
	{ "both write", both_write },
	{ "SET_OUTPUT to one with SET_OUTPUT", through_another },
	{ "the one with the buffer goes", target_goes },
	{ "a child goes", writer_goes },
	{ "SET_OUTPUT to another CPU", on_another_cpu },
	{ "prctl of the opener", opener_switches },
	{ "prctl and a group", group_is_switched },
	{ "prctl of who inherited", heir_switches },
	{ "prctl and events on a child", opened_on_child },
	{ "prctl and SET_OUTPUT", output_is_switched },
	{ "RESET", one_is_reset },
	{ "RESET of a group", group_is_reset },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(tests) * ARRAY_SIZE(kinds) + ARRAY_SIZE(others));
	cpu = first_cpu();
	tests_run_kinds(tests, ARRAY_SIZE(tests), kinds, ARRAY_SIZE(kinds),
			sizeof(*kinds));
	tests_run(others, ARRAY_SIZE(others));
	tests_end();
}
