// SPDX-License-Identifier: GPL-2.0
/*
 * Every PERF_COUNT_SW_ event: make a known number of occurrences and compare.
 * Lower limits are exact; upper limits leave room for what the rest of the
 * machine does to the test.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "perf_lib.h"

#define FAULTS		200
#define ROUNDS		50
#define SLACK		20

#define CGROUP_ROOT	"/sys/fs/cgroup"

static void expect_range(__u64 value, __u64 low, __u64 high, const char *what)
{
	EXPECT(value >= low && value <= high, "%s: %llu, not in %llu..%llu",
	       what, (unsigned long long)value, (unsigned long long)low,
	       (unsigned long long)high);
}

static __u64 count_faults(struct perf_event_attr *attr)
{
	int fd = open_self(attr);

	touch_pages(1);
	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	return read_count(fd);
}

static void page_faults(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	expect_range(count_faults(&attr), FAULTS, FAULTS + SLACK, "all");
	attr.exclude_kernel = 1;
	expect_range(count_faults(&attr), FAULTS, FAULTS + SLACK, "user");
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	expect_range(count_faults(&attr), 0, SLACK, "kernel");
}

static void minor_and_major_faults(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	struct perf_event_attr major = sw_attr(PERF_COUNT_SW_PAGE_FAULTS_MAJ);

	expect_range(count_faults(&attr), FAULTS, FAULTS + SLACK, "minor");
	expect_range(count_faults(&major), 0, SLACK, "major");
}

/* The kernel faults in user pages while it copies to them. */
static void kernel_faults(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	size_t size = FAULTS * sysconf(_SC_PAGESIZE);
	int fd, zero = open("/dev/zero", O_RDONLY);
	char *area;

	CHECK(zero >= 0, "/dev/zero: %s", strerror(errno));
	area = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED, "mmap");
	madvise(area, size, MADV_NOHUGEPAGE);
	attr.exclude_user = 1;
	fd = open_self(&attr);
	event_enable(fd);
	CHECK(read(zero, area, size) == (ssize_t)size, "read /dev/zero");
	event_disable(fd);
	expect_range(read_count(fd), FAULTS, 2 * FAULTS + SLACK, "kernel mode");
}

static void faults_of_a_cpu(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int here, there, other = second_cpu();

	pin_to_cpu(first_cpu());
	here = open_on(&attr, -1, first_cpu(), -1);
	event_enable(here);
	touch_pages(FAULTS);
	event_disable(here);
	CHECK(read_count(here) >= FAULTS, "this CPU: %llu",
	      (unsigned long long)read_count(here));
	there = open_on(&attr, 0, other, -1);
	event_enable(there);
	touch_pages(FAULTS);
	event_disable(there);
	CHECK(read_count(there) == 0, "event for another CPU: %llu",
	      (unsigned long long)read_count(there));
}

static void other_task(void *arg)
{
	(void)arg;
	touch_pages(FAULTS);
}

static void faults_of_one_task(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct helper child = helper_start(other_task, NULL);
	int own, other;

	own = open_self(&attr);
	other = open_on(&attr, child.pid, -1, -1);
	event_enable(own);
	event_enable(other);
	helper_go(&child);
	helper_join(&child);
	event_disable(own);
	expect_range(read_count(own), 0, FAULTS / 2, "own");
	expect_range(read_count(other), FAULTS, 2 * FAULTS, "child's");
}

static void context_switches(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	int all, user;

	all = open_self(&attr);
	attr.exclude_kernel = 1;
	user = open_self(&attr);
	event_enable(all);
	event_enable(user);
	bounce(ROUNDS);
	event_disable(all);
	event_disable(user);
	expect_range(read_count(all), ROUNDS, 10 * ROUNDS + SLACK, "all");
	expect_range(read_count(user), 0, 0, "switches from user mode");
}

static void cpu_migrations(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_MIGRATIONS);
	int one = first_cpu(), two = second_cpu(), i, fd;

	pin_to_cpu(one);
	fd = open_self(&attr);
	event_enable(fd);
	for (i = 0; i < ROUNDS; i++) {
		pin_to_cpu(two);
		pin_to_cpu(one);
	}
	event_disable(fd);
	expect_range(read_count(fd), 2 * ROUNDS, 2 * ROUNDS + SLACK,
		     "migrations");
}

static void faults_by_instruction(void)
{
	static char bytes[64];
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_ALIGNMENT_FAULTS);
	int align, emulate, i;
	__u64 value;

	align = open_self(&attr);
	attr.config = PERF_COUNT_SW_EMULATION_FAULTS;
	emulate = open_self(&attr);
	event_enable(align);
	event_enable(emulate);
	for (i = 0; i < 50; i++)
		memcpy(&value, bytes + (i & 15) + 1, sizeof(value));
	event_disable(align);
	event_disable(emulate);
	expect_range(read_count(align), 0, 0, "alignment faults");
	expect_range(read_count(emulate), 0, 0, "emulation faults");
}

static void never_count(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int dummy, output;

	attr.read_format = FORMAT_TIMES;
	dummy = open_self(&attr);
	attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	attr.sample_type = PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	output = open_self(&attr);
	event_enable(dummy);
	event_enable(output);
	touch_pages(FAULTS);
	event_disable(dummy);
	event_disable(output);
	expect_range(read_timed(dummy).value, 0, 0, "dummy");
	expect_range(read_timed(output).value, 0, 0, "bpf-output");
	CHECK(read_timed(dummy).running > 0, "dummy did not run");
}

static void echo(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
		;
	_exit(0);
}

/* bounce() with the partner in another control group. */
static void bounce_in(const char *group, unsigned int rounds)
{
	int there[2], back[2];
	char path[256], byte = 0;
	pid_t pid;

	CHECK(!pipe(there) && !pipe(back), "pipe");
	pid = fork();
	if (!pid) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", group);
		byte = write_text(path, "0");
		close(there[1]);
		CHECK(write(back[1], &byte, 1) == 1, "report");
		echo(there[0], back[1]);
	}
	CHECK(read(back[0], &byte, 1) == 1 && byte, "cannot enter %s", group);
	while (rounds--)
		CHECK(write(there[1], &byte, 1) == 1 &&
		      read(back[0], &byte, 1) == 1, "bounce");
	close(there[1]);
	join_child(pid);
}

/*
 * The perf_event controller need not be in subtree_control, but new groups get
 * it only after something has been written there.
 */
static bool hand_down_controllers(void)
{
	static const char control[] = CGROUP_ROOT "/cgroup.subtree_control";

	return write_text(control, "+pids") || write_text(control, "+cpu") ||
	       write_text(control, "+memory");
}

static void cgroup_switches(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CGROUP_SWITCHES);
	char group[128];
	int cpu = first_cpu(), fd;

	if (access(CGROUP_ROOT "/cgroup.procs", W_OK))
		test_skip("no cgroup2 at " CGROUP_ROOT);
	if (!hand_down_controllers())
		test_skip("no controller to hand down");
	snprintf(group, sizeof(group), CGROUP_ROOT "/perf_test_%d", getpid());
	if (mkdir(group, 0755))
		test_skip("cannot make a control group: %s", strerror(errno));
	pin_to_cpu(cpu);
	fd = open_on(&attr, -1, cpu, -1);
	event_enable(fd);
	bounce_in(group, ROUNDS);
	event_disable(fd);
	rmdir(group);
	CHECK(read_count(fd) >= ROUNDS, "%llu switches between groups",
	      (unsigned long long)read_count(fd));
}

static __u64 thread_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static bool near(__u64 value, __u64 reference)
{
	return value >= reference / 10 * 9 && value <= reference / 10 * 11;
}

static bool clock_values(void *arg)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct timed_count cpu_clock, task_clock;
	int cpu, task;
	__u64 used;

	(void)arg;
	attr.read_format = FORMAT_TIMES;
	cpu = open_self(&attr);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	task = open_self(&attr);
	used = thread_time();
	event_enable(cpu);
	event_enable(task);
	burn_ms(100);
	event_disable(task);
	event_disable(cpu);
	used = thread_time() - used;
	cpu_clock = read_timed(cpu);
	task_clock = read_timed(task);
	close(cpu);
	close(task);
	if (near(task_clock.value, used) && near(cpu_clock.value, used) &&
	    near(task_clock.value, task_clock.running))
		return true;
	return test_remark("used %llu, task-clock %llu, cpu-clock %llu",
			   (unsigned long long)used,
			   (unsigned long long)task_clock.value,
			   (unsigned long long)cpu_clock.value);
}

static void clocks_of_a_task(void)
{
	test_retry(clock_values, NULL);
}

static bool clock_of_a_sleeper(void *arg)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_TASK_CLOCK);
	struct timespec ts = { 0, 500 * NSEC_PER_MSEC };
	int fd = open_self(&attr);
	__u64 value;

	(void)arg;
	event_enable(fd);
	nanosleep(&ts, NULL);
	event_disable(fd);
	value = read_count(fd);
	close(fd);
	if (value > 0 && value < 250 * NSEC_PER_MSEC)
		return true;
	return test_remark("half a second of sleep: %llu ns",
			   (unsigned long long)value);
}

static void task_clock_asleep(void)
{
	test_retry(clock_of_a_sleeper, NULL);
}

static void clock_of_a_cpu(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct timespec ts = { 0, 200 * NSEC_PER_MSEC };
	int fd = open_on(&attr, -1, first_cpu(), -1);
	__u64 start, end, value;

	start = now_ns();
	event_enable(fd);
	nanosleep(&ts, NULL);
	event_disable(fd);
	end = now_ns();
	value = read_count(fd);
	expect_range(value, 190 * NSEC_PER_MSEC,
		     (end - start) + (end - start) / 10, "idle CPU's clock");
}

/* A clock goes on where it stopped. */
static void clock_stops(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_TASK_CLOCK);
	int fd = open_self(&attr);
	__u64 one, two;

	event_enable(fd);
	burn_ms(10);
	event_disable(fd);
	one = read_count(fd);
	burn_ms(10);
	two = read_count(fd);
	CHECK(one > 0 && one == two, "%llu, then %llu while disabled",
	      (unsigned long long)one, (unsigned long long)two);
	event_enable(fd);
	burn_ms(10);
	CHECK(read_count(fd) > two, "did not go on");
	event_disable(fd);
	event_reset(fd);
	CHECK(read_count(fd) == 0, "reset");
}

static void all_on_task_and_cpu(void)
{
	struct perf_event_attr attr;
	__u64 config;

	for (config = 0; config < PERF_COUNT_SW_MAX; config++) {
		attr = sw_attr(config);
		attr.disabled = 0;
		open_self(&attr);
		open_on(&attr, -1, first_cpu(), -1);
		open_on(&attr, 0, first_cpu(), -1);
	}
	touch_pages(FAULTS);
	bounce(ROUNDS);
}

static void same_event_twice(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int one, two;

	attr.disabled = 0;
	one = open_self(&attr);
	two = open_self(&attr);
	event_reset(one);
	event_reset(two);
	touch_pages(FAULTS);
	event_disable(two);
	event_disable(one);
	expect_range(read_count(one), FAULTS, FAULTS + SLACK, "first");
	expect_range(read_count(two), FAULTS, FAULTS + SLACK, "second");
}

static const struct test_case cases[] = {
	{ "page-faults", page_faults },
	{ "minor-faults and major-faults", minor_and_major_faults },
	{ "page-faults in kernel mode", kernel_faults },
	{ "page-faults of a CPU", faults_of_a_cpu },
	{ "page-faults of one task only", faults_of_one_task },
	{ "context-switches", context_switches },
	{ "cpu-migrations", cpu_migrations },
	{ "alignment-faults and emulation-faults", faults_by_instruction },
	{ "dummy and bpf-output", never_count },
	{ "cgroup-switches", cgroup_switches },
	{ "cpu-clock and task-clock of a task", clocks_of_a_task },
	{ "task-clock of a sleeper", task_clock_asleep },
	{ "cpu-clock of a CPU", clock_of_a_cpu },
	{ "task-clock stops and goes on", clock_stops },
	{ "all of them at once", all_on_task_and_cpu },
	{ "one event twice", same_event_twice },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
