// SPDX-License-Identifier: GPL-2.0
/*
 * Enabling and disabling events: by ioctl, by prctl, alone, as a group, on the
 * caller, on another task that runs, sleeps or has exited, on a CPU.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <pthread.h>
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
#include <sys/wait.h>
#include <linux/hw_breakpoint.h>

#include "perf_lib.h"

#define FAULTS	100
#define SLACK	20
#define EVENTS	3
#define CLOSED	16
#define ROUNDS	50

static int open_faults(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	return open_self(&attr);
}

/* Return: how much fd counts while the caller touches FAULTS pages. */
static __u64 delta(int fd)
{
	__u64 before = read_count(fd);

	touch_pages(FAULTS);
	return read_count(fd) - before;
}

static void expect_counting(int fd, bool counting, const char *what)
{
	__u64 got = delta(fd);

	if (counting)
		EXPECT(got >= FAULTS && got <= FAULTS + SLACK,
		       "%s: counted %llu", what, (unsigned long long)got);
	else
		EXPECT(got == 0, "%s: counted %llu", what,
		       (unsigned long long)got);
}

static void group_ioctl(int fd, unsigned long cmd)
{
	CHECK(!ioctl(fd, cmd, PERF_IOC_FLAG_GROUP), "group ioctl: %s",
	      strerror(errno));
}

static void on_and_off(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = open_faults();

	touch_pages(FAULTS);
	CHECK(read_count(fd) == 0, "counts before it is enabled");
	expect_counting(fd, false, "opened disabled");
	event_enable(fd);
	expect_counting(fd, true, "enabled");
	event_enable(fd);
	expect_counting(fd, true, "enabled twice");
	event_disable(fd);
	expect_counting(fd, false, "disabled");
	event_disable(fd);
	expect_counting(fd, false, "disabled twice");
	event_enable(fd);
	expect_counting(fd, true, "enabled again");
	attr.disabled = 0;
	expect_counting(open_self(&attr), true, "opened enabled");
}

static void reset_value(void)
{
	int fd = open_faults();

	event_enable(fd);
	touch_pages(FAULTS);
	event_reset(fd);
	CHECK(read_count(fd) < SLACK, "reset while enabled: %llu",
	      (unsigned long long)read_count(fd));
	expect_counting(fd, true, "after reset");
	event_disable(fd);
	event_reset(fd);
	CHECK(read_count(fd) == 0, "reset while disabled");
}

struct group {
	int fd[EVENTS];
};

static struct group open_group(void)
{
	struct group group;
	int i;

	group.fd[0] = open_faults();
	for (i = 1; i < EVENTS; i++) {
		struct perf_event_attr attr =
			sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

		group.fd[i] = open_sibling(&attr, group.fd[0]);
	}
	return group;
}

static void expect_group(const struct group *group, bool counting,
			 const char *what)
{
	int i;

	for (i = 0; i < EVENTS; i++)
		expect_counting(group->fd[i], counting, what);
}

static void group_flag(void)
{
	struct group group = open_group();

	event_enable(group.fd[0]);
	expect_counting(group.fd[0], true, "leader alone");
	expect_counting(group.fd[1], false, "sibling still disabled");
	event_disable(group.fd[0]);
	group_ioctl(group.fd[0], PERF_EVENT_IOC_ENABLE);
	expect_group(&group, true, "group enabled");
	group_ioctl(group.fd[0], PERF_EVENT_IOC_RESET);
	CHECK(read_count(group.fd[2]) < SLACK, "group reset");
	group_ioctl(group.fd[0], PERF_EVENT_IOC_DISABLE);
	expect_group(&group, false, "group disabled");
	group_ioctl(group.fd[2], PERF_EVENT_IOC_ENABLE);
	expect_group(&group, true, "group enabled through a sibling");
}

static void sibling_needs_leader(void)
{
	struct group group = open_group();

	event_enable(group.fd[1]);
	expect_counting(group.fd[1], false, "leader disabled");
	event_enable(group.fd[0]);
	expect_counting(group.fd[1], true, "leader enabled");
	expect_counting(group.fd[2], false, "never enabled");
	event_disable(group.fd[0]);
	expect_counting(group.fd[1], false, "leader disabled again");
	event_enable(group.fd[0]);
	event_disable(group.fd[1]);
	expect_counting(group.fd[0], true, "sibling disabled, leader goes on");
	expect_counting(group.fd[1], false, "sibling disabled");
}

static unsigned int samples_of(struct perf_ring *ring, int fd)
{
	ring_skip_all(ring);
	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	return ring_count(ring, PERF_RECORD_SAMPLE);
}

static void new_period(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	__u64 periods[] = { 10, 1, 50, 5 };
	struct perf_ring *ring;
	unsigned int got, want;
	size_t i;
	int fd;

	attr.sample_period = 1000000;
	fd = open_self(&attr);
	ring = ring_map(fd, 8);
	CHECK(samples_of(ring, fd) == 0, "a sample too early");
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		CHECK(!ioctl(fd, PERF_EVENT_IOC_PERIOD, &periods[i]),
		      "period: %s", strerror(errno));
		got = samples_of(ring, fd);
		want = FAULTS / periods[i];
		EXPECT(got + 1 >= want && got <= want + SLACK,
		       "period %llu: %u samples of %u",
		       (unsigned long long)periods[i], got, want);
	}
}

static void refresh_counts_down(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd, round;
	__u64 count;

	attr.sample_period = 1;
	fd = open_self(&attr);
	for (round = 1; round <= 3; round++) {
		event_reset(fd);
		CHECK(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 7), "refresh: %s",
		      strerror(errno));
		touch_pages(FAULTS);
		count = read_count(fd);
		/* On some machines the interrupt that disables comes late. */
		CHECK(count >= 7 && count < FAULTS,
		      "round %d: stopped after %llu", round,
		      (unsigned long long)count);
	}
	expect_counting(fd, false, "used up");
}

static void by_prctl(void)
{
	struct group group = open_group();
	int fd = open_faults();

	CHECK(!prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0), "prctl: %s",
	      strerror(errno));
	expect_counting(fd, true, "prctl enable");
	expect_group(&group, true, "prctl enable of a group");
	CHECK(!prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0), "prctl: %s",
	      strerror(errno));
	expect_counting(fd, false, "prctl disable");
	expect_group(&group, false, "prctl disable of a group");
}

static void child_prctl(void *arg)
{
	(void)arg;
	CHECK(!prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0), "prctl");
	touch_pages(FAULTS);
}

/* prctl acts on events that the caller opened, not on events opened on it. */
static void prctl_of_others(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct helper child = helper_start(child_prctl, NULL);
	int fd;

	attr.disabled = 0;
	fd = open_on(&attr, child.pid, -1, -1);
	helper_go(&child);
	helper_join(&child);
	CHECK(read_count(fd) >= FAULTS, "child disabled what it did not open");
}

static void prctl_on_other_task(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct timed_count count;
	int fd;

	attr.read_format = FORMAT_TIMES;
	fd = open_on(&attr, -1, first_cpu(), -1);
	CHECK(!prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0), "prctl");
	burn_ms(5);
	CHECK(!prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0), "prctl");
	count = read_timed(fd);
	CHECK(count.enabled > 0, "prctl left out a CPU event");
	burn_ms(5);
	CHECK(read_timed(fd).enabled == count.enabled, "not disabled");
}

static void *close_all(void *arg)
{
	int i, *fds = arg;

	for (i = 0; i < CLOSED; i++)
		close(fds[i]);
	return NULL;
}

/* Another thread closes the events while prctl goes from one to the next. */
static void prctl_while_closed(void)
{
	int fds[CLOSED], i, round;
	pthread_t thread;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < CLOSED; i++)
			fds[i] = open_faults();
		CHECK(!pthread_create(&thread, NULL, close_all, fds), "thread");
		for (i = 0; i < CLOSED; i++)
			CHECK(!prctl(i % 2 ? PR_TASK_PERF_EVENTS_ENABLE :
				     PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0),
			      "prctl: %s", strerror(errno));
		CHECK(!pthread_join(thread, NULL), "join");
	}
}

static pid_t start_spinner(int cpu)
{
	pid_t pid = fork();

	CHECK(pid >= 0, "fork");
	if (!pid) {
		pin_to_cpu(cpu);
		for (;;)
			touch_pages(4);
	}
	return pid;
}

#define SAMPLERS	16
#define STACK_BYTES	60000
#define SAMPLE_PAGES	32
#define READS		20

/* Other subsystems send calls too, and the task may be switched meanwhile. */
#define MAX_CALLS	3

/* Page faults one after the other, with a deep stack. */
static __noreturn void fault_deeply(int cpu)
{
	size_t page = sysconf(_SC_PAGESIZE), size = FAULTS * page, at;
	char *deep = alloca(2 * STACK_BYTES), *map;

	pin_to_cpu(cpu);
	memset(deep, 1, 2 * STACK_BYTES);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(map != MAP_FAILED, "mmap: %s", strerror(errno));
	madvise(map, size, MADV_NOHUGEPAGE);
	for (;;) {
		for (at = 0; at < size; at += page)
			poke(map + at);
		madvise(map, size, MADV_DONTNEED);
	}
}

static pid_t start_deep_spinner(int cpu)
{
	pid_t pid = fork();

	CHECK(pid >= 0, "fork");
	if (!pid)
		fault_deeply(cpu);
	return pid;
}

static void open_stack_sampler(pid_t pid)
{
	size_t size = (1 + SAMPLE_PAGES) * sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	void *page;

	attr.disabled = 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = STACK_BYTES;
	attr.write_backward = 1;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED,
		    open_on(&attr, pid, -1, -1), 0);
	CHECK(page != MAP_FAILED, "mmap: %s", strerror(errno));
}

/* Counts the functions that other CPUs have sent to this one. */
static int open_sent(int cpu)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_TRACEPOINT, 0);

	attr.config = tracepoint_id("csd/csd_function_entry");
	attr.disabled = 0;
	return open_on(&attr, -1, cpu, -1);
}

/*
 * Most of the time the task is in the middle of a walk over events that count a
 * page fault. A caller that operates on its events meanwhile sends one call.
 */
static void busy_task(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_TASK_CLOCK);
	int cpu = second_cpu(), sent, clock, i;
	__u64 before, calls;
	pid_t pid;

	pin_to_cpu(first_cpu());
	sent = open_sent(cpu);
	pid = start_deep_spinner(cpu);
	for (i = 0; i < SAMPLERS; i++)
		open_stack_sampler(pid);
	clock = open_on(&attr, pid, -1, -1);
	event_enable(clock);
	before = read_count(sent);
	for (i = 0; i < READS; i++)
		read_count(clock);
	calls = read_count(sent) - before;
	CHECK(calls <= READS * MAX_CALLS, "%d reads, sent %llu times", READS,
	      (unsigned long long)calls);
	stop_child(pid);
}

static void running_task(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int cpu = second_cpu(), fd, i;
	pid_t pid;
	__u64 count;

	pin_to_cpu(first_cpu());
	pid = start_spinner(cpu);
	fd = open_on(&attr, pid, -1, -1);
	for (i = 0; i < 5; i++) {
		event_enable(fd);
		CHECK(event_grows(fd), "enabled, does not count");
		event_disable(fd);
		count = read_count(fd);
		burn_ms(5);
		CHECK(read_count(fd) == count, "disabled, counts");
	}
	event_enable(fd);
	stop_child(pid);
	count = read_count(fd);
	CHECK(read_count(fd) == count, "counts after exit");
}

static void sleeping_child(void *arg)
{
	(void)arg;
	touch_pages(FAULTS);
}

static void sleeping_task(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct helper child = helper_start(sleeping_child, NULL);
	int on, off;

	attr.read_format = FORMAT_TIMES;
	on = open_on(&attr, child.pid, -1, -1);
	attr.disabled = 0;
	off = open_on(&attr, child.pid, -1, -1);
	event_enable(on);
	event_disable(off);
	burn_ms(5);
	helper_go(&child);
	helper_join(&child);
	CHECK(read_timed(on).value >= FAULTS, "enabled in its sleep: %llu",
	      (unsigned long long)read_timed(on).value);
	CHECK(read_timed(off).value < FAULTS, "disabled in its sleep: %llu",
	      (unsigned long long)read_timed(off).value);
}

static void cpu_event(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);
	int fd = open_on(&attr, -1, second_cpu(), -1);
	__u64 count;

	pin_to_cpu(first_cpu());
	event_enable(fd);
	CHECK(event_grows(fd), "enabled, does not count");
	event_disable(fd);
	count = read_count(fd);
	burn_ms(5);
	CHECK(read_count(fd) == count, "disabled, counts");
}

static void exited_task(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct helper child = helper_start(sleeping_child, NULL);
	__u64 count, period = 3;
	int fd;

	attr.disabled = 0;
	attr.sample_period = 1000;
	fd = open_on(&attr, child.pid, -1, -1);
	helper_go(&child);
	helper_join(&child);
	count = read_count(fd);
	CHECK(count >= FAULTS, "%llu at exit", (unsigned long long)count);
	event_disable(fd);
	event_enable(fd);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), "refresh");
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), "period");
	CHECK(read_count(fd) == count, "count changed after exit");
	event_reset(fd);
	CHECK(read_count(fd) == 0, "reset after exit");
}

static void read_fdinfo(int fd, char *text, size_t size)
{
	char path[64];
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	CHECK(file, "%s: %s", path, strerror(errno));
	len = fread(text, 1, size - 1, file);
	text[len] = '\0';
	fclose(file);
}

/* The lines that newer kernels print, and the name of the PMU. */
static void fdinfo(void)
{
	static const char *const lines[] = {
		"\nperf_event_attr.type:\t1\n",
		"\nperf_event_attr.config:\t0x9\n",
		"\nperf_event_attr.config1:\t0xfedcba9876543210\n",
		"\nperf_event_attr.config2:\t0x22\n",
		"\nperf_event_attr.config3:\t0x33\n",
		"\nperf_event_attr.config4:\t0x0\n",
		"\npmu:\tsoftware\n",
	};
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	char text[1024];
	size_t i;

	attr.config1 = 0xfedcba9876543210;
	attr.config2 = 0x22;
	attr.config3 = 0x33;
	read_fdinfo(open_self(&attr), text, sizeof(text));
	if (!strstr(text, "perf_event_attr."))
		test_skip("it says nothing of events");
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		EXPECT(strstr(text, lines[i]), "no \"%s\" in \"%s\"", lines[i],
		       text);
}

#define KERNEL_ADDRESS	"0xffffffffffff0000"

static void expect_no_address(void *arg)
{
	char text[1024];

	become_nobody();
	read_fdinfo(*(int *)arg, text, sizeof(text));
	CHECK(!strstr(text, KERNEL_ADDRESS), "address in \"%s\"", text);
}

/* The descriptor of a privileged program is passed to one that is not. */
static void fdinfo_of_address(void)
{
	static const char file[] = "/proc/sys/kernel/kptr_restrict";
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);
	struct helper child;
	char text[1024], before[16];
	int fd;

	attr.exclude_kernel = 0;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.bp_addr = strtoull(KERNEL_ADDRESS, NULL, 0);
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0)
		test_skip("breakpoint: %s", strerror(errno));
	read_fdinfo(fd, text, sizeof(text));
	if (!strstr(text, "perf_event_attr."))
		test_skip("it says nothing of events");
	EXPECT(strstr(text, KERNEL_ADDRESS), "no address in \"%s\"", text);
	snprintf(before, sizeof(before), "%ld", read_long(file));
	CHECK(write_text(file, "1"), "%s: %s", file, strerror(errno));
	child = helper_start(expect_no_address, &fd);
	helper_go(&child);
	helper_join(&child);
	CHECK(write_text(file, before), "%s: %s", file, strerror(errno));
}

static const struct test_case cases[] = {
	{ "enable and disable", on_and_off },
	{ "reset", reset_value },
	{ "PERF_IOC_FLAG_GROUP", group_flag },
	{ "a sibling counts while its leader does", sibling_needs_leader },
	{ "PERIOD takes effect", new_period },
	{ "REFRESH counts down", refresh_counts_down },
	{ "prctl", by_prctl },
	{ "prctl leaves the events of others alone", prctl_of_others },
	{ "prctl reaches own events on a CPU", prctl_on_other_task },
	{ "prctl while events are closed", prctl_while_closed },
	{ "a task that runs elsewhere", running_task },
	{ "a task that is busy with samples", busy_task },
	{ "a task that sleeps", sleeping_task },
	{ "another CPU", cpu_event },
	{ "a task that has gone", exited_task },
	{ "fdinfo", fdinfo },
	{ "fdinfo of an address", fdinfo_of_address },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
