// SPDX-License-Identifier: GPL-2.0
/*
 * Events and new tasks: the effects of inherit, inherit_thread, inherit_stat,
 * enable_on_exec and remove_on_exec on the counts that are read. How the kernel
 * keeps the copies does not matter here.
 *
 * Called with arguments, this is the program that the tests execute.
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
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define FAULTS		200
#define BEFORE_EXEC	5000
#define CHILDREN	5

static void expect_range(__u64 value, __u64 low, __u64 high, const char *what)
{
	EXPECT(value >= low && value <= high, "%s: %llu, not in %llu..%llu",
	       what, (unsigned long long)value, (unsigned long long)low,
	       (unsigned long long)high);
}

static struct perf_event_attr inherited_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.inherit = 1;
	attr.disabled = 0;
	return attr;
}

static void touch_some(void *arg)
{
	(void)arg;
	touch_pages(FAULTS);
}

static void children_of_child(void *arg)
{
	(void)arg;
	run_child(touch_some, NULL);
	run_child(touch_some, NULL);
}

static void folded_at_exit(void)
{
	struct perf_event_attr attr = inherited_attr();
	int with, without, i;
	__u64 last = 0;

	with = open_self(&attr);
	attr.inherit = 0;
	without = open_self(&attr);
	for (i = 1; i <= CHILDREN; i++) {
		run_child(touch_some, NULL);
		CHECK(read_count(with) >= last + FAULTS, "child %d not in", i);
		last = read_count(with);
	}
	CHECK(read_count(without) < FAULTS * CHILDREN,
	      "children counted without inherit");
}

static void two_generations(void)
{
	struct perf_event_attr attr = inherited_attr();
	int fd = open_self(&attr);

	run_child(children_of_child, NULL);
	CHECK(read_count(fd) >= 2 * FAULTS, "grandchildren: %llu",
	      (unsigned long long)read_count(fd));
}

struct live {
	int fds[2];
};

static void touch_and_stay(void *arg)
{
	struct live *live = arg;

	touch_pages(FAULTS);
	CHECK(write(live->fds[1], "", 1) == 1, "report");
	pause();
}

static pid_t start_live(struct live *live)
{
	char byte;
	pid_t pid;

	CHECK(!pipe(live->fds), "pipe");
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid) {
		touch_and_stay(live);
		_exit(0);
	}
	CHECK(read(live->fds[0], &byte, 1) == 1, "child did not report");
	return pid;
}

static void live_children(void)
{
	struct perf_event_attr attr = inherited_attr();
	int fd = open_self(&attr), i;
	struct live live;
	pid_t pid[CHILDREN];
	__u64 count, last = 0;

	for (i = 0; i < CHILDREN; i++) {
		pid[i] = start_live(&live);
		count = read_count(fd);
		CHECK(count >= last + FAULTS, "live child %d not in", i);
		last = count;
	}
	for (i = 0; i < CHILDREN; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	CHECK(read_count(fd) >= last, "count fell when children died");
}

static void *thread_faults(void *arg)
{
	touch_some(arg);
	return NULL;
}

static void run_thread(void)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, thread_faults, NULL), "thread");
	pthread_join(thread, NULL);
}

static void two_threads(void)
{
	struct perf_event_attr attr = inherited_attr();
	int fd = open_self(&attr);

	run_thread();
	run_thread();
	CHECK(read_count(fd) >= 2 * FAULTS, "threads: %llu",
	      (unsigned long long)read_count(fd));
}

static void threads_only(void)
{
	struct perf_event_attr attr = inherited_attr();
	__u64 count;
	int fd;

	attr.inherit_thread = 1;
	fd = open_self(&attr);
	run_thread();
	count = read_count(fd);
	CHECK(count >= FAULTS, "thread: %llu", (unsigned long long)count);
	run_child(touch_some, NULL);
	CHECK(read_count(fd) < count + FAULTS, "a new process counted too");
}

static void disabled_at_fork(void)
{
	struct perf_event_attr attr = inherited_attr();
	struct helper child;
	int fd;

	attr.disabled = 1;
	fd = open_self(&attr);
	run_child(touch_some, NULL);
	CHECK(read_count(fd) == 0, "child of a disabled event counted");
	child = helper_start(touch_some, NULL);
	event_enable(fd);
	helper_go(&child);
	helper_join(&child);
	CHECK(read_count(fd) >= FAULTS, "child was not enabled with it");
}

static void disabled_after_fork(void)
{
	struct perf_event_attr attr = inherited_attr();
	struct helper child;
	__u64 count;
	int fd;

	fd = open_self(&attr);
	child = helper_start(touch_some, NULL);
	event_disable(fd);
	count = read_count(fd);
	helper_go(&child);
	helper_join(&child);
	CHECK(read_count(fd) == count, "child was not disabled with it");
}

/* An event that is opened on a parent does not count older children. */
static void opened_after_fork(void)
{
	struct perf_event_attr attr = inherited_attr();
	struct helper child = helper_start(touch_some, NULL);
	int fd = open_self(&attr);

	helper_go(&child);
	helper_join(&child);
	CHECK(read_count(fd) < FAULTS, "an older child counted");
}

static void burn_some(void *arg)
{
	(void)arg;
	burn_ms(50);
}

static void times(void)
{
	struct perf_event_attr attr = inherited_attr();
	struct timed_count count;
	int fd, i;

	attr.read_format = FORMAT_TIMES;
	fd = open_self(&attr);
	for (i = 0; i < 3; i++)
		run_child(burn_some, NULL);
	count = read_timed(fd);
	CHECK(count.running >= 120 * NSEC_PER_MSEC, "3 x 50 ms: ran %llu",
	      (unsigned long long)count.running);
	CHECK(count.running <= count.enabled, "ran %llu of %llu",
	      (unsigned long long)count.running,
	      (unsigned long long)count.enabled);
}

static void clocks(void)
{
	struct perf_event_attr attr = inherited_attr();
	int cpu, task;

	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	task = open_self(&attr);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	cpu = open_self(&attr);
	run_child(burn_some, NULL);
	run_child(burn_some, NULL);
	CHECK(read_count(task) >= 80 * NSEC_PER_MSEC, "task-clock %llu",
	      (unsigned long long)read_count(task));
	CHECK(read_count(cpu) >= 80 * NSEC_PER_MSEC, "cpu-clock %llu",
	      (unsigned long long)read_count(cpu));
}

static void group(void)
{
	struct perf_event_attr attr = inherited_attr();
	struct read_values got;
	int leader, sibling;
	char buf[256];
	ssize_t len;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	leader = open_self(&attr);
	sibling = open_sibling(&attr, leader);
	run_child(touch_some, NULL);
	run_child(children_of_child, NULL);
	len = read(leader, buf, sizeof(buf));
	CHECK(len > 0, "read: %s", strerror(errno));
	parse_read(buf, len, attr.read_format, &got);
	CHECK(got.nr == 2 && got.event[1].id == event_id(sibling), "shape");
	CHECK(got.event[0].value >= 3 * FAULTS, "leader %llu",
	      (unsigned long long)got.event[0].value);
	CHECK(got.event[1].value >= 3 * FAULTS, "sibling %llu",
	      (unsigned long long)got.event[1].value);
}

/* A group's times are those of its leader, in all tasks, even exited ones. */
static void times_of_group(void)
{
	struct perf_event_attr attr = inherited_attr();
	struct read_values got;
	char buf[256];
	ssize_t len;
	int leader;

	attr.inherit_stat = 1;
	attr.read_format = PERF_FORMAT_GROUP | FORMAT_TIMES;
	leader = open_self(&attr);
	open_sibling(&attr, leader);
	run_child(burn_some, NULL);
	run_child(burn_some, NULL);
	len = read(leader, buf, sizeof(buf));
	CHECK(len > 0, "read: %s", strerror(errno));
	parse_read(buf, len, attr.read_format, &got);
	CHECK(got.running >= 80 * NSEC_PER_MSEC, "2 x 50 ms: ran %llu",
	      (unsigned long long)got.running);
	CHECK(got.running == got.enabled, "ran %llu of %llu",
	      (unsigned long long)got.running,
	      (unsigned long long)got.enabled);
}

/*
 * Leaves a child behind that exits a while after it got a byte. The two
 * exchange no contexts, as one of them has an event of its own.
 */
static void leave_child(void *arg)
{
	struct perf_event_attr own = sw_attr(PERF_COUNT_SW_DUMMY);
	int *fds = arg;
	char byte;

	open_self(&own);
	if (fork())
		return;
	if (read(fds[0], &byte, 1) == 1)
		usleep(300000);
	_exit(0);
}

/* The event's own task has exited; a sleeper in poll() waits for the others. */
static void last_copy_wakes(void)
{
	struct perf_event_attr attr = inherited_attr();
	struct pollfd poll_fd = { .events = POLLIN };
	struct helper child;
	int fds[2];

	attr.inherit_stat = 1;
	pin_to_cpu(first_cpu());
	CHECK(!pipe(fds), "pipe");
	child = helper_start(leave_child, fds);
	poll_fd.fd = open_on(&attr, child.pid, first_cpu(), -1);
	ring_map(poll_fd.fd, 1);
	helper_go(&child);
	helper_join(&child);
	CHECK(!poll(&poll_fd, 1, 50), "events %#x with a copy alive",
	      poll_fd.revents);
	CHECK(write(fds[1], "", 1) == 1, "write");
	CHECK(poll(&poll_fd, 1, 10000) == 1, "poll was not woken");
	CHECK(poll_fd.revents & POLLHUP, "events %#x", poll_fd.revents);
}

/* A child's report: its pid, and an upper bound of its run time. */
struct life {
	__u32 pid;
	__u64 ns;
};

static struct life live_once(void (*body)(void *arg))
{
	__u64 begin = now_ns();
	struct helper child = helper_start(body, NULL);
	struct life life = { .pid = child.pid };

	helper_go(&child);
	helper_join(&child);
	life.ns = now_ns() - begin;
	return life;
}

static void touch_and_burn(void *arg)
{
	touch_some(arg);
	burn_ms(5);
}

static void check_stat_record(const struct perf_event_header *header,
			      const struct life *life, struct timed_count *sum)
{
	const __u32 *ids = record_body(header);
	struct timed_count count;

	CHECK(header->size == sizeof(*header) + 8 + sizeof(count), "size %u",
	      header->size);
	memcpy(&count, ids + 2, sizeof(count));
	CHECK(ids[0] == life->pid && ids[1] == life->pid,
	      "pid %u tid %u, not %u", ids[0], ids[1], life->pid);
	expect_range(count.value, FAULTS, 3 * FAULTS, "child's own count");
	expect_range(count.enabled, NSEC_PER_MSEC, life->ns,
		     "child's own time");
	EXPECT(count.running == count.enabled, "ran %llu of %llu",
	       (unsigned long long)count.running,
	       (unsigned long long)count.enabled);
	sum->value += count.value;
	sum->enabled += count.enabled;
}

/* Each child leaves one READ record with its own count and times. */
static void stat_records(void)
{
	struct perf_event_attr attr = inherited_attr();
	struct timed_count sum = { 0 }, got;
	struct perf_event_header *header;
	struct life life[CHILDREN];
	struct perf_ring *ring;
	int fd, i, cpu = first_cpu();

	pin_to_cpu(cpu);
	attr.inherit_stat = 1;
	attr.read_format = FORMAT_TIMES;
	fd = open_on(&attr, 0, cpu, -1);
	ring = ring_map(fd, 8);
	for (i = 0; i < CHILDREN; i++)
		life[i] = live_once(touch_and_burn);
	for (i = 0; i < CHILDREN; i++) {
		header = ring_find(ring, PERF_RECORD_READ);
		if (!header)
			test_xfail("%d READ records of %d", i, CHILDREN);
		check_stat_record(header, &life[i], &sum);
	}
	CHECK(!ring_find(ring, PERF_RECORD_READ), "one more READ record");
	got = read_timed(fd);
	CHECK(got.value >= sum.value && got.enabled >= sum.enabled,
	      "the sum is less than its parts");
}

#define CROWD		40

/* READ records of a CPU: each event's id must be in exactly one of them. */
static int take_stat_records(struct perf_ring *ring, const __u64 *ids,
			     bool *seen)
{
	struct perf_event_header *header;
	int found = 0, i;

	while ((header = ring_find(ring, PERF_RECORD_READ))) {
		/* After pid and tid: number of events, count, id. */
		const __u64 *words = (const __u64 *)record_body(header) + 1;

		CHECK(words[0] == 1, "a record of %llu events",
		      (unsigned long long)words[0]);
		for (i = 0; i < CROWD && ids[i] != words[2]; i++)
			;
		CHECK(i < CROWD, "id %llu is nobody's",
		      (unsigned long long)words[2]);
		CHECK(!seen[i], "event %d has two records", i);
		seen[i] = true;
		found++;
	}
	return found;
}

/* Pairs of events, alternately on two CPUs. The child runs on the first. */
static void stat_records_of_many(void)
{
	const int cpus[2] = { first_cpu(), second_cpu() };
	struct perf_event_attr attr = inherited_attr();
	struct perf_ring *rings[2] = { NULL, NULL };
	bool seen[CROWD] = { false };
	int fds[CROWD], i, found;
	__u64 ids[CROWD];

	attr.inherit_stat = 1;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	for (i = 0; i < CROWD; i++) {
		int at = i / 2 % 2;

		fds[i] = open_on(&attr, 0, cpus[at], i % 2 ? fds[i - 1] : -1);
		ids[i] = event_id(fds[i]);
		if (!rings[at])
			rings[at] = ring_map(fds[i], 8);
		else
			event_set_output(fds[i], fds[2 * at]);
	}
	pin_to_cpu(cpus[0]);
	run_child(touch_some, NULL);
	found = take_stat_records(rings[0], ids, seen) +
		take_stat_records(rings[1], ids, seen);
	if (found < CROWD)
		test_xfail("%d READ records of %d", found, CROWD);
}

#define MANY_EVENTS	8000

static void exit_at_once(void *arg)
{
	(void)arg;
}

static struct perf_event_attr reported_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.inherit = 1;
	attr.inherit_stat = 1;
	return attr;
}

/* On a kernel with many checks this number of events takes minutes. */
static void need_fast_kernel(void)
{
	struct perf_event_attr attr = reported_attr();
	__u64 begin = now_ns();
	int i;

	for (i = 0; i < 100; i++)
		close(open_self(&attr));
	if (now_ns() - begin > NSEC_PER_SEC / 100)
		test_skip("the kernel is too slow");
}

/* Return: nanoseconds in which a child ends that inherits many events. */
static __u64 time_of_exit(int first, int second)
{
	struct perf_event_attr attr = reported_attr();
	__u64 begin;
	int i;

	for (i = 0; i < 2 * MANY_EVENTS; i++)
		open_on(&attr, 0, i < MANY_EVENTS ? first : second, -1);
	begin = now_ns();
	run_child(exit_at_once, NULL);
	return now_ns() - begin;
}

static bool exiting_with_many(void *arg)
{
	int first = first_cpu(), second = second_cpu();
	__u64 *results = arg;
	pid_t pid;

	/* Each in a process of its own: closing them takes longer than the exit. */
	for (int i = 0; i < 2; i++) {
		pid = fork();
		CHECK(pid >= 0, "fork: %s", strerror(errno));
		if (!pid) {
			results[i] = time_of_exit(i ? second : first, first);
			child_finish();
		}
		join_child(pid);
	}
	if (results[1] < 2 * results[0])
		return true;
	return test_remark("%llu ns with events of one CPU, %llu with two",
			   (unsigned long long)results[0],
			   (unsigned long long)results[1]);
}

/*
 * For tests in which the time of an exit must grow with the number of events, and
 * not with its square.
 *
 * Return: memory that children share, for their results.
 */
static __u64 *begin_thousands(void)
{
	struct rlimit limit = { 2 * MANY_EVENTS + 64, 2 * MANY_EVENTS + 64 };
	__u64 *results = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(results != MAP_FAILED, "mmap: %s", strerror(errno));
	need_fast_kernel();
	if (setrlimit(RLIMIT_NOFILE, &limit))
		test_skip("cannot raise RLIMIT_NOFILE");
	return results;
}

static void stat_records_of_thousands(void)
{
	test_retry(exiting_with_many, begin_thousands());
}

#define FEW_SHARERS	500
#define MANY_SHARERS	2000

/* As above. The events are pinned, so that they end with the child's context. */
static __u64 time_of_sharers_exit(int nr)
{
	struct perf_event_attr attr = inherited_attr();
	int cpu = first_cpu(), first;
	__u64 begin;

	attr.pinned = 1;
	first = open_on(&attr, 0, cpu, -1);
	ring_map(first, 1);
	while (--nr)
		event_set_output(open_on(&attr, 0, cpu, -1), first);
	begin = now_ns();
	run_child(exit_at_once, NULL);
	return now_ns() - begin;
}

static bool exiting_with_sharers(void *arg)
{
	__u64 *results = arg;
	pid_t pid;

	for (int i = 0; i < 2; i++) {
		pid = fork();
		CHECK(pid >= 0, "fork: %s", strerror(errno));
		if (!pid) {
			results[i] = time_of_sharers_exit(i ? MANY_SHARERS :
							      FEW_SHARERS);
			child_finish();
		}
		join_child(pid);
	}
	if (results[1] < 10 * results[0])
		return true;
	return test_remark("%llu ns with %d events, %llu with %d",
			   (unsigned long long)results[0], FEW_SHARERS,
			   (unsigned long long)results[1], MANY_SHARERS);
}

/*
 * The end of each copy wakes the pollers of its own event, not those of all
 * others.
 */
static void exit_of_sharers(void)
{
	test_retry_or_xfail(exiting_with_sharers, begin_thousands(),
			    "each event wakes the pollers of all");
}

static void samples_of_children(void)
{
	struct perf_event_attr attr = inherited_attr();
	struct perf_event_header *header;
	struct sample sample;
	struct perf_ring *ring;
	unsigned int own = 0, others = 0;
	int fd, cpu = first_cpu();

	pin_to_cpu(cpu);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID;
	fd = open_on(&attr, 0, cpu, -1);
	ring = ring_map(fd, 16);
	run_child(touch_some, NULL);
	event_disable(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		if (sample.pid == (__u32)getpid())
			own++;
		else
			others++;
	}
	CHECK(others >= FAULTS, "%u samples of the child, %u own", others, own);
}

static void exec_self(void *arg)
{
	char number[16];

	touch_pages(BEFORE_EXEC);
	snprintf(number, sizeof(number), "%d", *(int *)arg);
	execl("/proc/self/exe", "inherit", "touch", number, NULL);
	CHECK(0, "exec: %s", strerror(errno));
}

static __u64 count_exec(struct perf_event_attr *attr, int after)
{
	struct helper child = helper_start(exec_self, &after);
	int fd = open_on(attr, child.pid, -1, -1);

	helper_go(&child);
	helper_join(&child);
	return read_count(fd);
}

static void through_exec(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.disabled = 0;
	CHECK(count_exec(&attr, FAULTS) >= BEFORE_EXEC + FAULTS,
	      "lost at exec");
}

static void enable_on_exec(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.enable_on_exec = 1;
	expect_range(count_exec(&attr, FAULTS), FAULTS, BEFORE_EXEC - 1,
		     "enabled at exec");
	attr.enable_on_exec = 0;
	expect_range(count_exec(&attr, FAULTS), 0, 0, "never enabled");
}

static void enable_group_on_exec(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int after = FAULTS, leader, sibling;
	struct helper child = helper_start(exec_self, &after);

	attr.enable_on_exec = 1;
	leader = open_on(&attr, child.pid, -1, -1);
	attr.enable_on_exec = 0;
	attr.disabled = 0;
	sibling = open_on(&attr, child.pid, -1, leader);
	helper_go(&child);
	helper_join(&child);
	expect_range(read_count(leader), FAULTS, BEFORE_EXEC - 1, "leader");
	expect_range(read_count(sibling), FAULTS, BEFORE_EXEC - 1, "sibling");
}

static void remove_on_exec(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.disabled = 0;
	attr.remove_on_exec = 1;
	expect_range(count_exec(&attr, BEFORE_EXEC), BEFORE_EXEC,
		     2 * BEFORE_EXEC - 1, "removed at exec");
}

static void remove_leader_on_exec(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int after = FAULTS, leader, sibling;
	struct helper child = helper_start(exec_self, &after);

	attr.disabled = 0;
	attr.remove_on_exec = 1;
	leader = open_on(&attr, child.pid, -1, -1);
	attr.remove_on_exec = 0;
	sibling = open_on(&attr, child.pid, -1, leader);
	helper_go(&child);
	helper_join(&child);
	CHECK(read_count(leader) >= BEFORE_EXEC, "leader %llu",
	      (unsigned long long)read_count(leader));
	CHECK(read_count(sibling) >= BEFORE_EXEC, "sibling %llu",
	      (unsigned long long)read_count(sibling));
	close(leader);
	CHECK(read_count(sibling) >= BEFORE_EXEC, "sibling after close");
}

static void exec_child_of_child(void *arg)
{
	run_child(exec_self, arg);
}

static void inherited_through_exec(void)
{
	struct perf_event_attr attr = inherited_attr();
	int after = FAULTS, fd = open_self(&attr);

	run_child(exec_child_of_child, &after);
	CHECK(read_count(fd) >= BEFORE_EXEC + FAULTS, "lost at exec: %llu",
	      (unsigned long long)read_count(fd));
}

static void removed_copies(void)
{
	struct perf_event_attr attr = inherited_attr();
	int after = BEFORE_EXEC, fd;

	attr.remove_on_exec = 1;
	fd = open_self(&attr);
	run_child(exec_self, &after);
	expect_range(read_count(fd), BEFORE_EXEC, 2 * BEFORE_EXEC - 1,
		     "child's copy removed at exec");
	touch_pages(FAULTS);
	CHECK(read_count(fd) >= BEFORE_EXEC + FAULTS,
	      "parent's event gone with the child's");
}

/*
 * The program that is executed: it reports that it runs, and waits for a byte.
 */
static void touch_when_told(char **argv)
{
	int in = atoi(argv[3]), out = atoi(argv[4]);
	char byte;

	if (write(out, "", 1) == 1 && read(in, &byte, 1) == 1)
		touch_pages(atoi(argv[2]));
}

/* The record has what was counted before the exec; the task's end writes none. */
static void stat_record_at_exec(void)
{
	struct perf_event_attr attr = inherited_attr();
	int after = BEFORE_EXEC, cpu = first_cpu();
	struct perf_event_header *header;
	struct perf_ring *ring;
	const __u64 *count;

	pin_to_cpu(cpu);
	attr.inherit_stat = 1;
	attr.remove_on_exec = 1;
	ring = ring_map(open_on(&attr, 0, cpu, -1), 8);
	run_child(exec_self, &after);
	header = ring_find(ring, PERF_RECORD_READ);
	if (!header)
		test_xfail("no READ record");
	/* After pid and tid. */
	count = (const __u64 *)record_body(header) + 1;
	expect_range(*count, BEFORE_EXEC, 2 * BEFORE_EXEC - 1, "at exec");
	CHECK(!ring_find(ring, PERF_RECORD_READ), "one more READ record");
}

static void exec_and_wait(void *arg)
{
	int *fds = arg;
	char in[16], out[16];

	snprintf(in, sizeof(in), "%d", fds[0]);
	snprintf(out, sizeof(out), "%d", fds[3]);
	execl("/proc/self/exe", "inherit", "touch", "5000", in, out, NULL);
	CHECK(0, "exec: %s", strerror(errno));
}

/* The exec removes the copy of the leader; that of the sibling stays. */
static void group_calls_reach_strays(void)
{
	struct perf_event_attr attr = inherited_attr();
	int leader, sibling, fds[4];
	struct helper child;
	__u64 before;
	char byte;

	CHECK(!pipe(fds) && !pipe(fds + 2), "pipe");
	attr.remove_on_exec = 1;
	leader = open_self(&attr);
	attr.remove_on_exec = 0;
	sibling = open_sibling(&attr, leader);
	child = helper_start(exec_and_wait, fds);
	helper_go(&child);
	CHECK(read(fds[2], &byte, 1) == 1, "no exec");
	CHECK(!ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP),
	      "disable: %s", strerror(errno));
	before = read_count(sibling);
	CHECK(write(fds[1], "", 1) == 1, "write");
	helper_join(&child);
	if (read_count(sibling) != before)
		test_xfail("disabled, counted %llu more",
			   (unsigned long long)(read_count(sibling) - before));
}

static const struct test_case cases[] = {
	{ "counts are folded at exit", folded_at_exit },
	{ "grandchildren", two_generations },
	{ "live children", live_children },
	{ "threads", two_threads },
	{ "threads only", threads_only },
	{ "disabled at the fork, enabled later", disabled_at_fork },
	{ "enabled at the fork, disabled later", disabled_after_fork },
	{ "opened after the fork", opened_after_fork },
	{ "enabled and running time", times },
	{ "cpu-clock and task-clock", clocks },
	{ "a group", group },
	{ "enabled and running time of a group", times_of_group },
	{ "the end of the last copy wakes poll", last_copy_wakes },
	{ "inherit_stat", stat_records },
	{ "inherit_stat, forty events of two CPUs", stat_records_of_many },
	{ "inherit_stat, thousands of events", stat_records_of_thousands },
	{ "thousands of events with one buffer", exit_of_sharers },
	{ "samples of children", samples_of_children },
	{ "exec", through_exec },
	{ "enable_on_exec", enable_on_exec },
	{ "enable_on_exec of a group", enable_group_on_exec },
	{ "remove_on_exec", remove_on_exec },
	{ "remove_on_exec of a leader", remove_leader_on_exec },
	{ "inherited through exec", inherited_through_exec },
	{ "remove_on_exec of a copy", removed_copies },
	{ "inherit_stat and remove_on_exec", stat_record_at_exec },
	{ "PERF_IOC_FLAG_GROUP and a copy that has lost its leader",
	  group_calls_reach_strays },
};

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "touch")) {
		touch_pages(atoi(argv[2]));
		return 0;
	}
	if (argc == 5 && !strcmp(argv[1], "touch")) {
		touch_when_told(argv);
		return 0;
	}
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
