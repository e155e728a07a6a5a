// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks with equal events exchange their contexts at a switch. Nevertheless an
 * event stays with the task on which it was opened: a sibling can join its
 * group after a child has run, while it runs, and after it has exited. In any
 * order each call is counted once, and for the task that made it.
 *
 * On the base a sibling is refused while a child has the context: EINVAL, or
 * ENODEV after it has exited with it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perf_books.h"
#include "perf_lib.h"

#define ROUNDS		20
#define CALLS		5
#define RING_PAGES	8

/* What keeps a family from sharing contexts, if anything does. */
struct kind {
	const char *name;
	__u64 sample_type;
	bool stat;
	bool pinned;
};

static void make_calls(int count)
{
	while (count--)
		syscall(SYS_getppid);
}

/* Orders to a child: a number of calls, or to call until it is told to stop. */
#define CALL_ON		-1

struct shared {
	int stop;
	__u64 made;
};

struct child {
	pid_t pid;
	int steps[2];
	int done[2];
	struct shared *shared;
};

static void call_on(struct shared *shared)
{
	while (!__atomic_load_n(&shared->stop, __ATOMIC_SEQ_CST)) {
		make_calls(1);
		__atomic_add_fetch(&shared->made, 1, __ATOMIC_SEQ_CST);
	}
}

static void child_life(struct child *child)
{
	int calls;

	close(child->steps[1]);
	while (read(child->steps[0], &calls, sizeof(calls)) == sizeof(calls)) {
		if (calls == CALL_ON)
			call_on(child->shared);
		else
			make_calls(calls);
		CHECK(write(child->done[1], "", 1) == 1, "report");
	}
	child_finish();
}

/* The child does not have the descriptor @closed, unless that is -1. */
static struct child start_child_without(int closed)
{
	struct child child;

	child.shared = map_memory(memory_fd("inherit_home",
					    sizeof(*child.shared)),
				  sizeof(*child.shared));
	CHECK(!pipe2(child.steps, O_CLOEXEC) && !pipe2(child.done, O_CLOEXEC),
	      "pipe");
	fflush(stdout);
	child.pid = fork();
	CHECK(child.pid >= 0, "fork: %s", strerror(errno));
	if (!child.pid) {
		if (closed >= 0)
			close(closed);
		child_life(&child);
	}
	return child;
}

static struct child start_child(void)
{
	return start_child_without(-1);
}

static void tell(struct child *child, int calls)
{
	CHECK(write(child->steps[1], &calls, sizeof(calls)) == sizeof(calls),
	      "step");
}

static void wait_for(struct child *child)
{
	char byte;

	CHECK(read(child->done[0], &byte, 1) == 1, "the child is lost");
}

static void walk(struct child *child, int calls)
{
	tell(child, calls);
	wait_for(child);
}

/* The child exits by itself, so that it is the task that runs. */
static void release_child(struct child *child)
{
	close(child->steps[1]);
	close(child->steps[0]);
}

static void bury_child(struct child *child)
{
	join_child(child->pid);
	close(child->done[0]);
	close(child->done[1]);
}

static void end_child(struct child *child)
{
	release_child(child);
	bury_child(child);
}

static struct perf_event_attr calls_attr(const struct kind *kind)
{
	struct perf_event_attr attr;

	attr = make_attr(PERF_TYPE_TRACEPOINT,
			 tracepoint_id("syscalls/sys_enter_getppid"));
	attr.inherit = 1;
	attr.inherit_stat = kind->stat;
	attr.pinned = kind->pinned;
	attr.disabled = 0;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
			   kind->sample_type;
	return attr;
}

static int open_leader(const struct kind *kind, int cpu)
{
	struct perf_event_attr attr = calls_attr(kind);

	return open_on(&attr, 0, cpu, -1);
}

static int join(const struct kind *kind, int leader, int cpu)
{
	struct perf_event_attr attr = calls_attr(kind);
	int fd;

	attr.pinned = 0;
	fd = perf_open(&attr, 0, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && (errno == EINVAL || errno == ENODEV))
		test_xfail("a sibling is refused: %s", strerror(errno));
	CHECK(fd >= 0, "sibling: %s", strerror(errno));
	return fd;
}

static void expect(int fd, __u64 want, const char *what)
{
	__u64 count = read_count(fd);

	CHECK(count == want, "%s: %llu of %llu calls", what,
	      (unsigned long long)count, (unsigned long long)want);
}

/* Contexts are exchanged as often as the two take turns on one CPU. */
static int take_turns(struct child *child)
{
	int turns = 3 + child->pid % 4, i;

	for (i = 0; i < turns; i++) {
		walk(child, CALLS);
		make_calls(1);
	}
	return turns * (CALLS + 1);
}

/* Return: a leader that has counted both; *calls is the sum of their calls. */
static int lead(const struct kind *kind, struct child *child, int *calls)
{
	int leader = open_leader(kind, -1);

	*child = start_child();
	*calls = take_turns(child);
	return leader;
}

static void child_has_exited(const struct kind *kind)
{
	int round, leader, sibling, calls;
	struct child child;

	for (round = 0; round < ROUNDS; round++) {
		leader = lead(kind, &child, &calls);
		end_child(&child);
		expect(leader, calls, "leader");
		sibling = join(kind, leader, -1);
		make_calls(CALLS);
		expect(sibling, CALLS, "sibling");
		expect(leader, calls + CALLS, "leader, afterwards");
		close(sibling);
		close(leader);
	}
}

static void child_is_there(const struct kind *kind)
{
	int round, leader, sibling, calls;
	struct child child;

	for (round = 0; round < ROUNDS; round++) {
		leader = lead(kind, &child, &calls);
		sibling = join(kind, leader, -1);
		make_calls(CALLS);
		walk(&child, CALLS);
		expect(sibling, CALLS, "sibling");
		expect(leader, calls + 2 * CALLS, "leader");
		end_child(&child);
		make_calls(1);
		expect(sibling, CALLS + 1, "sibling, afterwards");
		expect(leader, calls + 2 * CALLS + 1, "leader, afterwards");
		close(sibling);
		close(leader);
	}
}

/* No call that the child makes meanwhile is lost, or counted twice. */
static void child_runs(const struct kind *kind)
{
	int round, leader = open_leader(kind, -1), calls = 0;
	struct child child;

	for (round = 0; round < ROUNDS; round++) {
		child = start_child();
		calls += take_turns(&child);
		pin_task(child.pid, second_cpu());
		tell(&child, CALL_ON);
		while (__atomic_load_n(&child.shared->made, __ATOMIC_SEQ_CST) <
		       CALLS) {
			make_calls(1);
			calls++;
		}
		close(join(kind, leader, -1));
		make_calls(CALLS);
		__atomic_store_n(&child.shared->stop, 1, __ATOMIC_SEQ_CST);
		wait_for(&child);
		calls += CALLS + child.shared->made;
		expect(leader, calls, "while the child is there");
		end_child(&child);
		expect(leader, calls, "when it has exited");
	}
}

/* The parent's count goes on while the child exits on another CPU. */
static void exits_elsewhere(const struct kind *kind)
{
	int round, leader, sibling, status, calls;
	struct child child;

	for (round = 0; round < ROUNDS; round++) {
		leader = lead(kind, &child, &calls);
		pin_task(child.pid, second_cpu());
		release_child(&child);
		do {
			make_calls(1);
			calls++;
		} while (!waitpid(child.pid, &status, WNOHANG));
		CHECK(!status, "child status %#x", status);
		expect(leader, calls, "leader");
		sibling = join(kind, leader, -1);
		make_calls(CALLS);
		expect(sibling, CALLS, "sibling");
		expect(leader, calls + CALLS, "leader, afterwards");
		close(sibling);
		close(leader);
	}
}

/* Expects a PERF_RECORD_READ of @pid with @calls. */
static void expect_record(struct perf_ring *ring, pid_t pid, __u64 calls)
{
	struct perf_event_header *header = ring_find(ring, PERF_RECORD_READ);
	const __u64 *body;

	if (!header)
		test_xfail("no record of a child that has exited");
	body = record_body(header);
	CHECK((__u32)body[0] == (__u32)pid, "of %u", (__u32)body[0]);
	CHECK(body[1] == calls, "%llu of %llu calls",
	      (unsigned long long)body[1], (unsigned long long)calls);
}

/* The count that a child leaves in a record is its own. */
static void own_counts(void)
{
	static const struct kind kind = { .stat = true };
	int round, leader, cpu = first_cpu(), turns;
	struct perf_ring *ring;
	struct child child;

	pin_to_cpu(cpu);
	for (round = 0; round < ROUNDS; round++) {
		leader = open_leader(&kind, cpu);
		ring = ring_map(leader, RING_PAGES);
		child = start_child();
		turns = take_turns(&child) / (CALLS + 1);
		if (round % 2)
			close(join(&kind, leader, cpu));
		end_child(&child);
		expect_record(ring, child.pid, turns * CALLS);
		ring_unmap(ring);
		close(leader);
	}
}

/*
 * This task sleeps when the child has made its calls, so it wakes up on an idle
 * CPU, and has the child's context. Then an event is closed. It leads a group:
 * its sibling becomes a leader, and has another place than in the copy.
 */
static void own_counts_after_close(void)
{
	static const struct kind kind = { .stat = true };
	int round, first, counted, sibling, cpu = first_cpu(), turns;
	struct perf_ring *ring;
	struct child child;

	pin_to_cpu(cpu);
	for (round = 0; round < ROUNDS; round++) {
		first = open_leader(&kind, cpu);
		counted = open_leader(&kind, cpu);
		sibling = join(&kind, first, cpu);
		ring = ring_map(counted, RING_PAGES);
		child = start_child_without(first);
		turns = take_turns(&child) / (CALLS + 1) + 1;
		make_calls(1);
		tell(&child, CALLS);
		usleep(20000);
		wait_for(&child);
		close(first);
		end_child(&child);
		expect_record(ring, child.pid, turns * CALLS);
		expect(counted, turns * (CALLS + 1), "of both");
		expect(sibling, turns * (CALLS + 1), "of both, sibling");
		ring_unmap(ring);
		close(sibling);
		close(counted);
	}
}

struct target {
	int steps[2];
};

/* An event is opened on this task, and counts its child too. */
static void be_target(struct target *target)
{
	struct child child;
	char byte;

	close(target->steps[1]);
	CHECK(read(target->steps[0], &byte, 1) == 1, "begin");
	child = start_child();
	take_turns(&child);
	end_child(&child);
	child_finish();
}

/* Only tasks that inherit leave a record, not the one it was opened on. */
static void one_record(void)
{
	static const struct kind kind = { .stat = true };
	struct perf_event_attr attr = calls_attr(&kind);
	int round, fd, cpu = first_cpu();
	struct perf_ring *ring;
	struct target target;
	unsigned int records;
	pid_t pid;

	pin_to_cpu(cpu);
	for (round = 0; round < ROUNDS; round++) {
		CHECK(!pipe2(target.steps, O_CLOEXEC), "pipe");
		fflush(stdout);
		pid = fork();
		CHECK(pid >= 0, "fork: %s", strerror(errno));
		if (!pid)
			be_target(&target);
		close(target.steps[0]);
		fd = open_on(&attr, pid, cpu, -1);
		ring = ring_map(fd, RING_PAGES);
		CHECK(write(target.steps[1], "", 1) == 1, "begin");
		join_child(pid);
		records = ring_count(ring, PERF_RECORD_READ);
		if (!records)
			test_xfail("no record of a child that has exited");
		CHECK(records == 1, "%u records of one child", records);
		ring_unmap(ring);
		close(fd);
		close(target.steps[1]);
	}
}

/* Sometimes the child exits with the context of this task's events. */
static void live_once(void *arg)
{
	struct child child;
	int leader;

	leader = open_leader(arg, -1);
	child = start_child();
	take_turns(&child);
	end_child(&child);
	close(leader);
}

/* Returning contexts leaves no reference on tasks. */
static void nobody_is_kept(void)
{
	struct kind kind = { .stat = true };
	struct books books;
	int life;

	pin_to_cpu(first_cpu());
	open_books(&books);
	for (life = 0; life < 4 * TASKS_SLACK; life++)
		run_child(live_once, &kind);
	expect_balance(&books);
}

/*
 * A copy that is equal to its original becomes the first of a pool, while a third task has
 * the original. What they share:
 */
struct founders {
	bool closed;
	int first;
	int second;
};

#define YIELDS	400

static void yield(int count)
{
	while (count--)
		sched_yield();
}

static void yield_on_cpu(void *arg)
{
	const int *cpu = arg;

	pin_to_cpu(*cpu);
	yield(YIELDS);
}

static void pin_to_any(void)
{
	cpu_set_t cpus;
	int cpu;

	CPU_ZERO(&cpus);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		CPU_SET(cpu, &cpus);
	CHECK(!sched_setaffinity(0, sizeof(cpus), &cpus), "%s", strerror(errno));
}

static void found(void *arg)
{
	int cpu = first_cpu();
	struct helper child = helper_start(yield_on_cpu, &cpu);

	helper_go(&child);
	yield_on_cpu(&cpu);
	helper_join(&child);
	(void)arg;
}

/*
 * When it forks, it has the context of its parent, which was exchanged at a
 * switch.
 */
static void fork_founder(void *arg)
{
	struct founders *shared = arg;
	int cpu = first_cpu();
	struct helper child;

	while (!__atomic_load_n(&shared->closed, __ATOMIC_ACQUIRE))
		sched_yield();
	yield(20);
	close(shared->second);
	pin_to_any();
	child = helper_start(found, NULL);
	helper_go(&child);
	usleep(3000);
	yield_on_cpu(&cpu);
	helper_join(&child);
}

static void open_and_fork(void *arg)
{
	struct founders *shared = arg;
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_TASK_CLOCK);
	struct helper child;

	pin_to_cpu(first_cpu());
	attr.disabled = 0;
	attr.inherit = 1;
	shared->first = open_self(&attr);
	attr.inherit_stat = 1;
	shared->second = open_self(&attr);
	shared->closed = false;
	child = helper_start(fork_founder, shared);
	helper_go(&child);
	close(shared->second);
	__atomic_store_n(&shared->closed, true, __ATOMIC_RELEASE);
	yield(YIELDS);
	helper_join(&child);
	CHECK(read_count(shared->first), "nothing was counted");
}

static void equal_copy_founds(void)
{
	struct founders *shared;
	int round;

	shared = map_memory(memory_fd("founders", sizeof(*shared)),
			    sizeof(*shared));
	for (round = 0; round < 30; round++)
		run_child(open_and_fork, shared);
}

struct leaver {
	int cpus[2];
	int arrived[2];
	int leave[2];
};

/* It ends on another CPU than that of the event. */
static void fault_there_and_leave(void *arg)
{
	struct leaver *leaver = arg;
	char byte = 0;

	pin_to_cpu(leaver->cpus[1]);
	touch_pages(16);
	pin_to_cpu(leaver->cpus[0]);
	CHECK(write(leaver->arrived[1], &byte, 1) == 1, "arrive");
	CHECK(read(leaver->leave[0], &byte, 1) == 1, "leave");
}

/* A record of lost ones shows no task that just runs where the buffer is written. */
static void lost_before_record(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct leaver leaver = { .cpus = { first_cpu(), second_cpu() } };
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct helper child;
	struct sample id;
	pid_t burner;
	char byte;
	int fd;

	CHECK(!pipe(leaver.arrived) && !pipe(leaver.leave), "pipe");
	pin_to_cpu(leaver.cpus[0]);
	burner = start_burner(leaver.cpus[1]);
	attr.inherit = 1;
	attr.inherit_stat = 1;
	attr.sample_id_all = 1;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID;
	fd = open_on(&attr, 0, leaver.cpus[1], -1);
	ring = ring_map(fd, RING_PAGES);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), "pause");
	child = helper_start(fault_there_and_leave, &leaver);
	helper_go(&child);
	CHECK(read(leaver.arrived[0], &byte, 1) == 1, "arrived");
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), "go on");
	CHECK(write(leaver.leave[1], "", 1) == 1, "leave");
	helper_join(&child);
	while ((header = ring_next(ring))) {
		parse_trailer(header, &attr, &id);
		EXPECT(id.pid != (__u32)burner, "type %u shows pid %u",
		       header->type, id.pid);
	}
	stop_child(burner);
}

static const struct kind kinds[] = {
	{ .name = "sum" },
	{ .name = "inherit_stat", .stat = true },
	{ .name = "SAMPLE_READ", .sample_type = PERF_SAMPLE_READ },
	{ .name = "STREAM_ID", .sample_type = PERF_SAMPLE_STREAM_ID },
	{ .name = "pinned", .pinned = true },
};

static const struct test_of_kinds tests[] = {
	{ "the child has exited", child_has_exited },
	{ "the child is there", child_is_there },
	{ "the child runs", child_runs },
	{ "the child exits elsewhere", exits_elsewhere },
};

static const struct test_case others[] = {
	{ "the child's own count", own_counts },
	{ "the child's own count after a close", own_counts_after_close },
	{ "a record of each child", one_record },
	{ "nobody is kept", nobody_is_kept },
	{ "an equal copy founds a family", equal_copy_founds },
	{ "lost records before a child's", lost_before_record },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(tests) * ARRAY_SIZE(kinds) + ARRAY_SIZE(others));
	tests_run_kinds(tests, ARRAY_SIZE(tests), kinds, ARRAY_SIZE(kinds),
			sizeof(*kinds));
	tests_run(others, ARRAY_SIZE(others));
	tests_end();
}
