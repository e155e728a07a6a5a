// SPDX-License-Identifier: GPL-2.0
/*
 * Events of control groups: which tasks are counted, for how long, what happens
 * when tasks move and groups are removed, and who may open them.
 *
 * Workers are processes that stay on one CPU in one group and do the work that
 * the test requests. The tests count page faults, which happen exactly when and
 * where the test causes them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define ROOT		"/sys/fs/cgroup"
#define FAULTS		500
#define SLACK		20
#define MAX_WORKERS	3
#define NR_MOVES	300
#define MAX_EVENTS	8

/* Groups. */

struct group {
	char path[160];
	int fd;
};

/*
 * The perf_event controller need not be in subtree_control, but new groups get
 * it only after something has been written there.
 */
static bool hand_down_controllers(void)
{
	static const char control[] = ROOT "/cgroup.subtree_control";

	return write_text(control, "+pids") || write_text(control, "+cpu") ||
	       write_text(control, "+memory");
}

static struct group group_open(const char *path)
{
	struct group group;

	snprintf(group.path, sizeof(group.path), "%s", path);
	group.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(group.fd >= 0, "%s: %s", path, strerror(errno));
	return group;
}

static struct group group_below(const struct group *parent, const char *name)
{
	char path[160];

	CHECK(snprintf(path, sizeof(path), "%s/%s", parent->path, name) <
	      (int)sizeof(path), "path");
	CHECK(!mkdir(path, 0755), "mkdir %s: %s", path, strerror(errno));
	return group_open(path);
}

/* Makes a group for this case, below the root of the hierarchy. */
static struct group group_top(void)
{
	static int number;
	struct group top;
	char path[160];

	if (access(ROOT "/cgroup.procs", W_OK))
		test_skip("no cgroup2 at " ROOT);
	if (!hand_down_controllers())
		test_skip("no controller to hand down");
	snprintf(path, sizeof(path), ROOT "/perf_test_%d_%d", getpid(),
		 number++);
	if (mkdir(path, 0755))
		test_skip("cannot make a group: %s", strerror(errno));
	top = group_open(path);
	return top;
}

static void group_remove(const struct group *group)
{
	int tries = 100;

	/* A task that has exited may take a moment to leave. */
	while (rmdir(group->path)) {
		CHECK(errno == EBUSY && tries--, "rmdir %s: %s", group->path,
		      strerror(errno));
		usleep(10000);
	}
}

static void group_take(const struct group *group, pid_t pid)
{
	char path[192], text[16];

	snprintf(path, sizeof(path), "%s/cgroup.procs", group->path);
	snprintf(text, sizeof(text), "%d", pid);
	CHECK(write_text(path, text), "move %d to %s: %s", pid, group->path,
	      strerror(errno));
}

static struct group group_root(void)
{
	return group_open(ROOT);
}

/* Workers. */

enum job {
	FAULT,		/* that many pages */
	BURN,		/* that many milliseconds of CPU time */
	RENAME,		/* itself */
	FORK,		/* a child that touches that many pages */
	STORM,		/* touch pages until *stop */
	FORK_STORM,	/* the same, in a new child each time */
	QUIT,
};

struct order {
	enum job job;
	unsigned int amount;
};

struct worker {
	pid_t pid;
	int to;
	int from;
};

static int *stop;

static void worker_fork(unsigned int pages)
{
	pid_t pid = fork();

	if (!pid) {
		touch_pages(pages);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void worker_obey(const struct order *order)
{
	switch (order->job) {
	case FAULT:
		touch_pages(order->amount);
		break;
	case BURN:
		burn_ms(order->amount);
		break;
	case RENAME:
		prctl(PR_SET_NAME, "renamed");
		break;
	case FORK:
		worker_fork(order->amount);
		break;
	case STORM:
		while (!__atomic_load_n(stop, __ATOMIC_RELAXED))
			touch_pages(order->amount);
		break;
	case FORK_STORM:
		while (!__atomic_load_n(stop, __ATOMIC_RELAXED))
			worker_fork(order->amount);
		break;
	case QUIT:
		_exit(0);
	}
}

static __u64 worker_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static __noreturn void worker_run(int cpu, int in, int out)
{
	struct order order;
	__u64 used;

	pin_to_cpu(cpu);
	while (read(in, &order, sizeof(order)) == sizeof(order)) {
		used = worker_time();
		worker_obey(&order);
		used = worker_time() - used;
		if (write(out, &used, sizeof(used)) != sizeof(used))
			break;
	}
	_exit(0);
}

static void worker_tell(const struct worker *worker, enum job job,
			unsigned int amount)
{
	struct order order = { job, amount };

	CHECK(write(worker->to, &order, sizeof(order)) == sizeof(order),
	      "order: %s", strerror(errno));
}

/* Return: nanoseconds of CPU time that the work took. */
static __u64 worker_wait(const struct worker *worker)
{
	__u64 used;

	CHECK(read(worker->from, &used, sizeof(used)) == sizeof(used),
	      "worker has gone");
	return used;
}

static __u64 worker_do(const struct worker *worker, enum job job,
		       unsigned int amount)
{
	worker_tell(worker, job, amount);
	return worker_wait(worker);
}

/* When this returns, the pages that every piece of work needs are mapped. */
static struct worker worker_start(int cpu, const struct group *group)
{
	int to[2], from[2];
	struct worker worker;

	CHECK(!pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC), "pipe");
	fflush(stdout);
	worker.pid = fork();
	CHECK(worker.pid >= 0, "fork: %s", strerror(errno));
	if (!worker.pid) {
		close(to[1]);
		close(from[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		worker_run(cpu, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	worker.to = to[1];
	worker.from = from[0];
	if (group)
		group_take(group, worker.pid);
	worker_do(&worker, FAULT, 10);
	worker_do(&worker, BURN, 1);
	return worker;
}

static void worker_end(const struct worker *worker)
{
	worker_tell(worker, QUIT, 0);
	join_child(worker->pid);
	close(worker->to);
	close(worker->from);
}

/* Events. */

static int open_in(const struct group *group, struct perf_event_attr *attr,
		   int cpu, int leader)
{
	int fd = perf_open(attr, group->fd, cpu, leader,
			   PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);

	CHECK(fd >= 0, "open type %u config %#llx in %s on CPU %d: %s",
	      attr->type, (unsigned long long)attr->config, group->path, cpu,
	      strerror(errno));
	return fd;
}

static struct perf_event_attr faults_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.read_format = FORMAT_TIMES;
	return attr;
}

static int open_faults(const struct group *group, int cpu)
{
	struct perf_event_attr attr = faults_attr();

	return open_in(group, &attr, cpu, -1);
}

static void expect_faults(int fd, unsigned int wanted, const char *what)
{
	__u64 value = read_timed(fd).value;

	EXPECT(value >= wanted && value <= wanted + (wanted ? SLACK : 0),
	       "%s: %llu faults, not %u", what, (unsigned long long)value,
	       wanted);
}

/* Which tasks are counted. */

static void own_group(void)
{
	struct group group = group_top();
	int cpu = first_cpu(), fd;
	struct worker inside = worker_start(cpu, &group);
	struct worker outside = worker_start(cpu, NULL);

	fd = open_faults(&group, cpu);
	event_enable(fd);
	worker_do(&inside, FAULT, FAULTS);
	worker_do(&outside, FAULT, 3 * FAULTS);
	pin_to_cpu(cpu);
	touch_pages(2 * FAULTS);
	event_disable(fd);
	expect_faults(fd, FAULTS, "group");

	event_reset(fd);
	worker_do(&inside, FAULT, FAULTS);
	expect_faults(fd, 0, "disabled");
	event_enable(fd);
	worker_do(&inside, FAULT, FAULTS);
	event_disable(fd);
	expect_faults(fd, FAULTS, "enabled again");
	worker_end(&inside);
	worker_end(&outside);
	group_remove(&group);
}

static void ancestors(void)
{
	struct group top = group_top(), root = group_root();
	struct group a = group_below(&top, "a"), ab = group_below(&a, "b");
	struct group c = group_below(&top, "c");
	const struct group *groups[] = { &ab, &a, &top, &c, &root };
	struct worker worker = worker_start(first_cpu(), &ab);
	int fd[ARRAY_SIZE(groups)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		fd[i] = open_faults(groups[i], first_cpu());
		event_enable(fd[i]);
	}
	worker_do(&worker, FAULT, FAULTS);
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		event_disable(fd[i]);
	for (i = 0; i < 3; i++)
		expect_faults(fd[i], FAULTS, groups[i]->path);
	expect_faults(fd[3], 0, groups[3]->path);
	CHECK(read_timed(fd[4]).value >= FAULTS, "the root misses them");
	worker_end(&worker);
	group_remove(&ab);
	group_remove(&a);
	group_remove(&c);
	group_remove(&top);
}

static void side_by_side(void)
{
	struct group top = group_top();
	struct group a = group_below(&top, "a"), b = group_below(&top, "b");
	int cpu = first_cpu(), round;
	struct worker in_a = worker_start(cpu, &a), in_b = worker_start(cpu, &b);
	int fd_a = open_faults(&a, cpu), fd_b = open_faults(&b, cpu);

	event_enable(fd_a);
	event_enable(fd_b);
	for (round = 0; round < 50; round++) {
		/* Both at once: they take turns on the CPU. */
		worker_tell(&in_a, FAULT, 10);
		worker_tell(&in_b, FAULT, 20);
		worker_wait(&in_a);
		worker_wait(&in_b);
	}
	event_disable(fd_a);
	event_disable(fd_b);
	expect_faults(fd_a, 500, "a");
	expect_faults(fd_b, 1000, "b");
	worker_end(&in_a);
	worker_end(&in_b);
	group_remove(&a);
	group_remove(&b);
	group_remove(&top);
}

static void empty_group(void)
{
	struct group group = group_top();
	int cpu = first_cpu(), fd = open_faults(&group, cpu);
	struct worker outside = worker_start(cpu, NULL);
	struct timed_count count;

	event_enable(fd);
	worker_do(&outside, FAULT, FAULTS);
	worker_do(&outside, BURN, 20);
	count = read_timed(fd);
	CHECK(!count.value && !count.enabled && !count.running,
	      "count %llu, enabled %llu, running %llu",
	      (unsigned long long)count.value,
	      (unsigned long long)count.enabled,
	      (unsigned long long)count.running);
	worker_end(&outside);
	close(fd);
	group_remove(&group);
}

static void other_cpu(void)
{
	int here = first_cpu(), there = second_cpu();
	struct group group = group_top();
	struct worker worker = worker_start(there, &group);
	int fd_here = open_faults(&group, here);
	int fd_there = open_faults(&group, there);

	event_enable(fd_here);
	event_enable(fd_there);
	worker_do(&worker, FAULT, FAULTS);
	expect_faults(fd_here, 0, "here");
	expect_faults(fd_there, FAULTS, "there");
	CHECK(!read_timed(fd_here).enabled, "time passes here");
	worker_end(&worker);
	group_remove(&group);
}

/* The caller enters the group after the event was opened. */
static void self_enters(void)
{
	struct group group = group_top(), root = group_root();
	int fd = open_faults(&group, first_cpu());
	__u64 before;

	pin_to_cpu(first_cpu());
	event_enable(fd);
	touch_pages(FAULTS);
	expect_faults(fd, 0, "outside");
	group_take(&group, getpid());
	before = read_timed(fd).value;
	touch_pages(FAULTS);
	CHECK(read_timed(fd).value - before >= FAULTS, "inside: counted %llu",
	      (unsigned long long)(read_timed(fd).value - before));
	group_take(&root, getpid());
	before = read_timed(fd).value;
	touch_pages(FAULTS);
	CHECK(read_timed(fd).value == before, "outside again");
	group_remove(&group);
}

/* An event that is opened while its group runs counts at once. */
static void opened_inside(void)
{
	struct group group = group_top(), root = group_root();
	struct perf_event_attr attr = faults_attr();
	int fd;

	pin_to_cpu(first_cpu());
	group_take(&group, getpid());
	attr.disabled = 0;
	fd = open_in(&group, &attr, first_cpu(), -1);
	touch_pages(FAULTS);
	CHECK(read_timed(fd).value >= FAULTS, "counted %llu",
	      (unsigned long long)read_timed(fd).value);
	group_take(&root, getpid());
	group_remove(&group);
}

/* The opener runs in a group below: time passes without a switch. */
static void opened_below(void)
{
	struct group top = group_top(), below = group_below(&top, "below");
	struct group root = group_root();
	struct perf_event_attr attr = faults_attr();
	__u64 first;
	int fd;

	pin_to_cpu(first_cpu());
	group_take(&below, getpid());
	attr.disabled = 0;
	fd = open_in(&top, &attr, first_cpu(), -1);
	first = read_timed(fd).enabled;
	touch_pages(FAULTS);
	expect_faults(fd, FAULTS, "of an opener below");
	first = read_timed(fd).enabled - first;
	group_take(&root, getpid());
	group_remove(&below);
	group_remove(&top);
	if (!first)
		test_xfail("time stands");
}

static void children(void)
{
	struct group group = group_top();
	struct worker worker = worker_start(first_cpu(), &group);
	struct perf_event_attr attr = faults_attr();
	int plain, inherit;

	plain = open_in(&group, &attr, first_cpu(), -1);
	attr.inherit = 1;
	inherit = open_in(&group, &attr, first_cpu(), -1);
	event_enable(plain);
	event_enable(inherit);
	worker_do(&worker, FORK, FAULTS);
	event_disable(inherit);
	event_disable(plain);
	/* A child adds faults of its own. */
	CHECK(read_timed(plain).value >= FAULTS, "counted %llu",
	      (unsigned long long)read_timed(plain).value);
	CHECK(read_timed(inherit).value <= read_timed(plain).value &&
	      read_timed(inherit).value >= FAULTS, "attr.inherit: %llu",
	      (unsigned long long)read_timed(inherit).value);
	worker_end(&worker);
	group_remove(&group);
}

/* Times. */

static bool near(__u64 value, __u64 reference, unsigned int percent)
{
	return value >= reference - reference * percent / 100 &&
	       value <= reference + reference * percent / 100;
}

struct timing {
	struct group group;
	struct worker inside;
	struct worker outside;
};

static bool times_of_group(void *arg)
{
	const struct timing *timing = arg;
	int fd = open_faults(&timing->group, first_cpu());
	struct timed_count count;
	__u64 used;

	event_enable(fd);
	worker_tell(&timing->inside, BURN, 100);
	worker_tell(&timing->outside, BURN, 100);
	used = worker_wait(&timing->inside);
	worker_wait(&timing->outside);
	count = read_timed(fd);
	close(fd);
	if (count.running != count.enabled)
		return test_remark("running %llu of %llu",
				   (unsigned long long)count.running,
				   (unsigned long long)count.enabled);
	if (!near(count.enabled, used, 10))
		return test_remark("enabled for %llu of %llu ns",
				   (unsigned long long)count.enabled,
				   (unsigned long long)used);
	return true;
}

/* Enabled as long as the group runs, even if another task wants the CPU too. */
static void times(void)
{
	struct timing timing = { .group = group_top() };

	timing.inside = worker_start(first_cpu(), &timing.group);
	timing.outside = worker_start(first_cpu(), NULL);
	test_retry(times_of_group, &timing);
	worker_end(&timing.inside);
	worker_end(&timing.outside);
	group_remove(&timing.group);
}

static void times_stand(void)
{
	struct group group = group_top();
	int cpu = first_cpu(), fd = open_faults(&group, cpu);
	struct worker inside = worker_start(cpu, &group);
	struct worker outside = worker_start(cpu, NULL);
	struct timed_count first, second;

	event_enable(fd);
	worker_do(&inside, BURN, 10);
	usleep(1000);
	first = read_timed(fd);
	worker_do(&outside, BURN, 20);
	usleep(10000);
	second = read_timed(fd);
	CHECK(first.enabled >= 5 * NSEC_PER_MSEC, "enabled %llu",
	      (unsigned long long)first.enabled);
	CHECK(second.enabled == first.enabled &&
	      second.running == first.running, "%llu became %llu",
	      (unsigned long long)first.enabled,
	      (unsigned long long)second.enabled);

	event_disable(fd);
	worker_do(&inside, BURN, 10);
	second = read_timed(fd);
	CHECK(second.enabled == first.enabled, "time passes while disabled");
	worker_end(&inside);
	worker_end(&outside);
	group_remove(&group);
}

static bool clock_of_group(void *arg)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);
	const struct timing *timing = arg;
	struct timed_count count[2];
	int fd[2], i;

	attr.read_format = FORMAT_TIMES;
	fd[0] = open_in(&timing->group, &attr, first_cpu(), -1);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	fd[1] = open_in(&timing->group, &attr, first_cpu(), -1);
	for (i = 0; i < 2; i++)
		event_enable(fd[i]);
	worker_do(&timing->inside, BURN, 50);
	worker_do(&timing->outside, BURN, 20);
	for (i = 0; i < 2; i++) {
		event_disable(fd[i]);
		count[i] = read_timed(fd[i]);
		close(fd[i]);
	}
	for (i = 0; i < 2; i++) {
		if (!near(count[i].value, count[i].running, 5) ||
		    count[i].value < 40 * NSEC_PER_MSEC)
			return test_remark("clock %d: %llu in %llu", i,
				(unsigned long long)count[i].value,
				(unsigned long long)count[i].running);
	}
	return true;
}

/* Clock events of a group agree with the group's time. */
static void clocks(void)
{
	struct timing timing = { .group = group_top() };

	timing.inside = worker_start(first_cpu(), &timing.group);
	timing.outside = worker_start(first_cpu(), NULL);
	test_retry(clock_of_group, &timing);
	worker_end(&timing.inside);
	worker_end(&timing.outside);
	group_remove(&timing.group);
}

/* After the group has left the CPU, the user page agrees with read(2). */
static void user_page(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct group group = group_top();
	struct worker worker = worker_start(first_cpu(), &group);
	struct timed_count count;
	struct perf_ring *ring;
	__u64 before;
	int fd;

	need_hardware();
	attr.read_format = FORMAT_TIMES;
	fd = open_in(&group, &attr, first_cpu(), -1);
	ring = ring_map(fd, 1);
	event_enable(fd);
	worker_do(&worker, BURN, 20);
	/* On a busy host the worker may leave its CPU late. */
	do {
		before = read_timed(fd).running;
		usleep(10000);
		count = read_timed(fd);
	} while (count.running != before);
	CHECK(!ring->page->index, "on a counter");
	CHECK((__u64)ring->page->offset == count.value, "count %lld, not %llu",
	      (long long)ring->page->offset, (unsigned long long)count.value);
	EXPECT(near(ring->page->time_enabled, count.enabled, 2),
	       "enabled %llu, not %llu",
	       (unsigned long long)ring->page->time_enabled,
	       (unsigned long long)count.enabled);
	EXPECT(near(ring->page->time_running, count.running, 2),
	       "running %llu, not %llu",
	       (unsigned long long)ring->page->time_running,
	       (unsigned long long)count.running);
	worker_end(&worker);
	close(fd);
	group_remove(&group);
}

/* Moving. */

/* A task that runs all the time is moved in and out again. */
static void moved_while_running(void)
{
	int cpu = second_cpu(), fd;
	struct group group = group_top(), root = group_root();
	struct worker worker = worker_start(cpu, NULL);
	struct timed_count before, in, out, after;
	__u64 start, end;

	pin_to_cpu(first_cpu());
	fd = open_faults(&group, cpu);
	event_enable(fd);
	stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	worker_tell(&worker, BURN, 300);
	usleep(20000);
	before = read_timed(fd);
	start = now_ns();
	group_take(&group, worker.pid);
	usleep(50000);
	in = read_timed(fd);
	group_take(&root, worker.pid);
	end = now_ns();
	out = read_timed(fd);
	usleep(30000);
	after = read_timed(fd);
	worker_wait(&worker);

	EXPECT(!before.enabled, "enabled before it came");
	EXPECT(in.enabled >= 20 * NSEC_PER_MSEC, "inside for %llu ns",
	       (unsigned long long)in.enabled);
	EXPECT(out.enabled <= end - start, "%llu in %llu ns",
	       (unsigned long long)out.enabled,
	       (unsigned long long)(end - start));
	EXPECT(after.enabled == out.enabled, "enabled after it left");
	worker_end(&worker);
	group_remove(&group);
}

/*
 * A move interrupts the kernel's walk over events. An occurrence at that moment
 * may miss both the old and the new group, or be counted in both.
 */
static bool about_equal(__u64 a, __u64 b)
{
	return (a > b ? a - b : b - a) <= NR_MOVES / 50;
}

/*
 * Tasks move between the leaves of a group while they work: each occurrence in
 * a leaf is counted in the group as well, and none is lost during a move.
 */
static void storm_of_moves(void)
{
	struct group top = group_top(), leaf[3];
	struct worker workers[MAX_WORKERS];
	int fd[4], i, cpu = first_cpu();
	__u64 sum = 0, all;

	stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	leaf[0] = group_below(&top, "a");
	leaf[1] = group_below(&leaf[0], "b");
	leaf[2] = group_below(&top, "c");
	for (i = 0; i < MAX_WORKERS; i++)
		workers[i] = worker_start(cpu, &leaf[1 + i % 2]);
	fd[0] = open_faults(&leaf[1], cpu);
	fd[1] = open_faults(&leaf[2], cpu);
	fd[2] = open_faults(&top, cpu);
	fd[3] = open_faults(&leaf[0], cpu);
	for (i = 0; i < 4; i++)
		event_enable(fd[i]);

	for (i = 0; i < MAX_WORKERS; i++)
		worker_tell(&workers[i], i ? STORM : FORK_STORM, 5);
	for (i = 0; i < NR_MOVES; i++) {
		group_take(&leaf[1 + random() % 2],
			   workers[random() % MAX_WORKERS].pid);
		usleep(random() % 3000);
	}
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < MAX_WORKERS; i++) {
		worker_wait(&workers[i]);
		/* No worker may fault between two of the reads. */
		worker_end(&workers[i]);
	}
	for (i = 0; i < 2; i++) {
		EXPECT(read_timed(fd[i]).value, "nothing in a leaf");
		sum += read_timed(fd[i]).value;
	}
	all = read_timed(fd[2]).value;
	EXPECT(about_equal(sum, all), "%llu in the leaves, %llu in the group",
	       (unsigned long long)sum, (unsigned long long)all);
	EXPECT(about_equal(read_timed(fd[0]).value, read_timed(fd[3]).value),
	       "%llu in b, %llu in a",
	       (unsigned long long)read_timed(fd[0]).value,
	       (unsigned long long)read_timed(fd[3]).value);
	for (i = 2; i >= 0; i--)
		group_remove(&leaf[i]);
	group_remove(&top);
}

/* Removing. */

static void removed_while_open(void)
{
	struct group top = group_top(), group = group_below(&top, "a");
	struct worker worker = worker_start(first_cpu(), &group);
	struct perf_event_attr attr = faults_attr();
	struct timed_count before, after;
	int fd, other;

	fd = open_faults(&group, first_cpu());
	other = open_faults(&group, first_cpu());
	event_enable(fd);
	worker_do(&worker, FAULT, FAULTS);
	worker_end(&worker);
	group_remove(&group);
	group_remove(&top);
	before = read_timed(fd);
	CHECK(before.value >= FAULTS, "count %llu",
	      (unsigned long long)before.value);

	pin_to_cpu(first_cpu());
	touch_pages(FAULTS);
	after = read_timed(fd);
	CHECK(after.value == before.value && after.enabled == before.enabled,
	      "counts on");
	event_disable(fd);
	event_enable(fd);
	event_enable(other);
	event_reset(fd);
	touch_pages(FAULTS);
	expect_faults(fd, 0, "removed");
	expect_faults(other, 0, "removed, enabled later");
	close(fd);
	CHECK(perf_open(&attr, group.fd, first_cpu(), -1,
			PERF_FLAG_PID_CGROUP) < 0 && errno == ENOENT,
	      "open in a removed group: %s", strerror(errno));
}

/* Closing one event leaves the others of the group and of the CPU alone. */
static void closed_one_by_one(void)
{
	struct group group = group_top();
	struct worker worker = worker_start(first_cpu(), &group);
	int fd[4], i;

	for (i = 0; i < 4; i++) {
		fd[i] = open_faults(&group, first_cpu());
		event_enable(fd[i]);
	}
	for (i = 0; i < 4; i++) {
		event_reset(fd[3]);
		worker_do(&worker, FAULT, FAULTS);
		expect_faults(fd[3], FAULTS, "last");
		close(fd[i]);
	}
	fd[0] = open_faults(&group, first_cpu());
	event_enable(fd[0]);
	worker_do(&worker, FAULT, FAULTS);
	expect_faults(fd[0], FAULTS, "new one");
	worker_end(&worker);
	close(fd[0]);
	group_remove(&group);
}

/* Groups of events. */

static void event_group(void)
{
	struct group group = group_top();
	struct worker worker = worker_start(first_cpu(), &group);
	struct perf_event_attr attr = faults_attr();
	__u64 values[3 + 3];
	int leader, fd, i;

	attr.read_format |= PERF_FORMAT_GROUP;
	leader = open_in(&group, &attr, first_cpu(), -1);
	attr.disabled = 0;
	for (i = 0; i < 2; i++)
		open_in(&group, &attr, first_cpu(), leader);
	event_enable(leader);
	worker_do(&worker, FAULT, FAULTS);
	event_disable(leader);
	CHECK(read(leader, values, sizeof(values)) == sizeof(values),
	      "read of the group");
	CHECK(values[0] == 3 && values[1] && values[1] == values[2],
	      "%llu events, %llu of %llu ns", (unsigned long long)values[0],
	      (unsigned long long)values[2], (unsigned long long)values[1]);
	for (i = 3; i < 6; i++)
		CHECK(values[i] >= FAULTS && values[i] <= FAULTS + SLACK,
		      "event %d: %llu", i - 3, (unsigned long long)values[i]);

	/* A sibling without a cgroup is scheduled with its leader. */
	attr.read_format = FORMAT_TIMES;
	fd = open_on(&attr, -1, first_cpu(), leader);
	event_enable(leader);
	worker_do(&worker, FAULT, FAULTS);
	event_disable(leader);
	pin_to_cpu(first_cpu());
	touch_pages(FAULTS);
	expect_faults(fd, FAULTS, "sibling without cgroup");
	worker_end(&worker);
	group_remove(&group);
}

/* Hardware. */

static void hardware(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct group group = group_top();
	struct worker worker = worker_start(first_cpu(), &group);
	struct timed_count in_group, of_task;
	int fd, task;

	need_hardware();
	attr.read_format = FORMAT_TIMES;
	fd = open_in(&group, &attr, first_cpu(), -1);
	task = open_on(&attr, worker.pid, -1, -1);
	event_enable(fd);
	event_enable(task);
	worker_do(&worker, BURN, 50);
	event_disable(task);
	event_disable(fd);
	in_group = read_timed(fd);
	of_task = read_timed(task);
	CHECK(in_group.value && near(in_group.value, of_task.value, 20),
	      "%llu in the group, %llu by its only task",
	      (unsigned long long)in_group.value,
	      (unsigned long long)of_task.value);
	worker_end(&worker);
	group_remove(&group);
}

/* A group of software events in a cgroup gets a hardware event. */
static void hardware_joins(void)
{
	struct perf_event_attr hw = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_attr sw = faults_attr();
	struct group group = group_top();
	struct worker worker = worker_start(first_cpu(), &group);
	int leader, sibling;

	need_hardware();
	leader = open_in(&group, &sw, first_cpu(), -1);
	hw.disabled = 0;
	sibling = open_in(&group, &hw, first_cpu(), leader);
	event_enable(leader);
	worker_do(&worker, FAULT, FAULTS);
	event_disable(leader);
	expect_faults(leader, FAULTS, "leader");
	CHECK(read_count(sibling), "no instructions");
	worker_end(&worker);
	group_remove(&group);
}

/* More events than counters, all of one cgroup: each gets its turn. */
static void multiplexing(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	struct group group = group_top();
	struct worker inside = worker_start(first_cpu(), &group);
	struct worker outside = worker_start(first_cpu(), NULL);
	struct timed_count count;
	int fd[MAX_EVENTS], i;

	need_hardware();
	attr.read_format = FORMAT_TIMES;
	for (i = 0; i < MAX_EVENTS; i++) {
		fd[i] = open_in(&group, &attr, first_cpu(), -1);
		event_enable(fd[i]);
	}
	worker_tell(&inside, BURN, 400);
	worker_tell(&outside, BURN, 400);
	worker_wait(&inside);
	worker_wait(&outside);
	for (i = 0; i < MAX_EVENTS; i++) {
		count = read_timed(fd[i]);
		EXPECT(count.running && count.value, "event %d: %llu of %llu",
		       i, (unsigned long long)count.running,
		       (unsigned long long)count.enabled);
		/* It would be 800 if the other worker's time counted. */
		EXPECT(near(count.enabled, 400 * NSEC_PER_MSEC, 60),
		       "event %d: enabled for %llu", i,
		       (unsigned long long)count.enabled);
	}
	worker_end(&inside);
	worker_end(&outside);
	group_remove(&group);
}

/* Records. */

static __u64 group_id(const struct group *group)
{
	struct stat st;

	CHECK(!fstat(group->fd, &st), "stat");
	return st.st_ino;
}

static void samples(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct group top = group_top(), group = group_below(&top, "a");
	int cpu = first_cpu(), fd, nr = 0;
	struct worker inside = worker_start(cpu, &group);
	struct worker outside = worker_start(cpu, NULL);
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct sample sample;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CGROUP;
	fd = open_in(&top, &attr, cpu, -1);
	ring = ring_map(fd, 16);
	event_enable(fd);
	worker_do(&inside, FAULT, 50);
	worker_do(&outside, FAULT, 50);
	event_disable(fd);
	while ((header = ring_next(ring))) {
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		parse_sample(header, &attr, &sample);
		CHECK((pid_t)sample.pid == inside.pid, "sample of %u",
		      sample.pid);
		CHECK(sample.cgroup == group_id(&group), "cgroup %llu, not %llu",
		      (unsigned long long)sample.cgroup,
		      (unsigned long long)group_id(&group));
		nr++;
	}
	CHECK(nr >= 50, "only %d came", nr);
	worker_end(&inside);
	worker_end(&outside);
	group_remove(&group);
	group_remove(&top);
}

/* Names change inside and outside of the group; one record comes. */
static void side_band(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct group group = group_top();
	int cpu = first_cpu(), fd, nr = 0;
	struct worker inside = worker_start(cpu, &group);
	struct worker outside = worker_start(cpu, NULL);
	struct perf_event_header *header;
	struct perf_ring *ring;
	const __u32 *body;

	attr.comm = 1;
	fd = open_in(&group, &attr, cpu, -1);
	ring = ring_map(fd, 4);
	event_enable(fd);
	worker_do(&outside, RENAME, 0);
	worker_do(&inside, RENAME, 0);
	event_disable(fd);
	while ((header = ring_next(ring))) {
		if (header->type != PERF_RECORD_COMM)
			continue;
		body = record_body(header);
		CHECK((pid_t)body[0] == inside.pid, "COMM of %u", body[0]);
		nr++;
	}
	CHECK(nr == 1, "%d records", nr);
	worker_end(&inside);
	worker_end(&outside);
	group_remove(&group);
}

/* PERF_RECORD_CGROUP tells the number and the path of a new group. */
static void cgroup_record(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct group top = group_top(), group;
	struct perf_event_header *header;
	struct perf_ring *ring;
	const __u64 *body;
	int fd;

	pin_to_cpu(first_cpu());
	attr.cgroup = 1;
	/* Some kernels skip events of CPUs that ask for cgroup records only. */
	attr.comm = 1;
	fd = open_on(&attr, -1, first_cpu(), -1);
	ring = ring_map(fd, 4);
	event_enable(fd);
	group = group_below(&top, "born");
	event_disable(fd);
	header = ring_find(ring, PERF_RECORD_CGROUP);
	CHECK(header, "no record");
	body = record_body(header);
	CHECK(body[0] == group_id(&group), "id %llu, not %llu",
	      (unsigned long long)body[0],
	      (unsigned long long)group_id(&group));
	CHECK(!strcmp((const char *)&body[1], group.path + strlen(ROOT)),
	      "path %s", (const char *)&body[1]);
	group_remove(&group);
	group_remove(&top);
}

/* Errors. */

static void expect_refusal(int fd, int error, const char *what)
{
	EXPECT(fd < 0 && errno == error, "%s: %d, %s, not %s", what, fd,
	       strerror(errno), strerror(error));
	if (fd >= 0)
		close(fd);
}

static int try_open(int pid, int cpu, int leader)
{
	struct perf_event_attr attr = faults_attr();

	return perf_open(&attr, pid, cpu, leader, PERF_FLAG_PID_CGROUP);
}

static void event_group_mixed(void)
{
	struct group top = group_top();
	struct group a = group_below(&top, "a"), b = group_below(&top, "b");
	struct perf_event_attr attr = faults_attr();
	int cpu = first_cpu(), leader = open_in(&a, &attr, cpu, -1);

	expect_refusal(try_open(b.fd, cpu, leader), EINVAL, "other cgroup");
	expect_refusal(try_open(top.fd, cpu, leader), EINVAL, "parent's cgroup");
	leader = open_on(&attr, -1, cpu, -1);
	expect_refusal(try_open(a.fd, cpu, leader), EINVAL, "leader without");
	group_remove(&a);
	group_remove(&b);
	group_remove(&top);
}

static void refusals(void)
{
	struct group group = group_top();
	struct perf_event_attr attr = faults_attr();
	char path[192];
	int file, task;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group.path);
	file = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(file >= 0, "%s: %s", path, strerror(errno));
	expect_refusal(try_open(file, 0, -1), EBADF, "file of a cgroup");
	expect_refusal(try_open(1000, 0, -1), EBADF, "no descriptor");
	expect_refusal(try_open(-2, 0, -1), EBADF, "negative descriptor");
	expect_refusal(try_open(open("/", O_RDONLY), 0, -1), EBADF,
		       "another folder");
	expect_refusal(try_open(open("/dev/null", O_RDONLY), 0, -1), EBADF,
		       "a device");
	expect_refusal(try_open(group.fd, -1, -1), EINVAL, "no CPU");
	expect_refusal(try_open(-1, 0, -1), EINVAL, "no cgroup");
	expect_refusal(try_open(group.fd, 1 << 20, -1), EINVAL,
		       "CPU beyond all");
	task = open_self(&attr);
	expect_refusal(try_open(group.fd, first_cpu(), task), EINVAL,
		       "leader of a task");
	group_remove(&group);
}

static void unprivileged(void)
{
	struct group group = group_top();
	long paranoid = read_long("/proc/sys/kernel/perf_event_paranoid");

	if (paranoid < 1)
		test_skip("perf_event_paranoid is %ld", paranoid);
	become_nobody();
	expect_refusal(try_open(group.fd, first_cpu(), -1), EACCES, "nobody");
}

static const struct test_case cases[] = {
	{ "own group only", own_group },
	{ "ancestors", ancestors },
	{ "two groups side by side", side_by_side },
	{ "empty group", empty_group },
	{ "other CPU", other_cpu },
	{ "entering", self_enters },
	{ "opened inside", opened_inside },
	{ "opened from below", opened_below },
	{ "children", children },
	{ "times", times },
	{ "times stand", times_stand },
	{ "clocks", clocks },
	{ "user page", user_page },
	{ "moved while running", moved_while_running },
	{ "storm of moves", storm_of_moves },
	{ "removed while open", removed_while_open },
	{ "closed one by one", closed_one_by_one },
	{ "group of events", event_group },
	{ "group of events, two cgroups: EINVAL", event_group_mixed },
	{ "hardware", hardware },
	{ "hardware joins software", hardware_joins },
	{ "multiplexing", multiplexing },
	{ "samples", samples },
	{ "side-band records", side_band },
	{ "CGROUP record", cgroup_record },
	{ "refusals", refusals },
	{ "unprivileged: EACCES", unprivileged },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
