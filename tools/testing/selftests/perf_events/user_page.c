// SPDX-License-Identifier: GPL-2.0
/*
 * The user page: count and times without a system call, as perf_event_open(2)
 * describes it.
 *
 * A value read from the page must lie between those of two read(2) calls around
 * it. That holds however slow the machine is, and whatever interrupts the
 * reader in between. Cases that read counters are skipped if programs cannot.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define LOOPS		20000
#define ROUNDS		100
#define MAX_TRIES	10
#define MANY		12
#define RDPMC_SWITCH	"/sys/bus/event_source/devices/cpu/rdpmc"

/* Rounding of the clock's factors, and differences of the CPUs' clocks. */
#define CLOCK_SLACK	1000

struct watched {
	int fd;
	const struct perf_event_mmap_page *page;
};

/* What a reader computes from the page. */
struct reading {
	struct timed_count count;
	__u32 index;
};

#ifdef __x86_64__
static __u64 read_clock(void)
{
	__u32 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return low | (__u64)high << 32;
}

static __u64 read_counter(__u32 counter)
{
	__u32 low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return low | (__u64)high << 32;
}
#else
static __u64 read_clock(void)
{
	test_skip("no clock to read here");
}

static __u64 read_counter(__u32 counter)
{
	test_skip("no way to read counter %u here", counter);
}
#endif

static void compiler_barrier(void)
{
	asm volatile("" : : : "memory");
}

static __u64 scale_cycles(__u64 cycles, __u32 mult, __u16 shift)
{
	__u64 rest = cycles & ((1ULL << shift) - 1);

	return (cycles >> shift) * mult + (rest * mult >> shift);
}

/* Only for events of the reader itself; see the loop in the manual. */
static __u64 time_since(const struct perf_event_mmap_page *page)
{
	return page->time_offset +
	       scale_cycles(read_clock(), page->time_mult, page->time_shift);
}

static __u64 sign_extended(__u64 value, unsigned int width)
{
	return (__s64)(value << (64 - width)) >> (64 - width);
}

/* Reads the page as the manual says. */
static struct reading read_page(const struct perf_event_mmap_page *page)
{
	struct reading got;
	__u64 delta;
	__u32 seq;

	do {
		seq = page->lock;
		compiler_barrier();
		delta = page->cap_user_time ? time_since(page) : 0;
		got.index = page->cap_user_rdpmc ? page->index : 0;
		got.count.enabled = page->time_enabled;
		got.count.running = page->time_running;
		got.count.value = page->offset;
		if (got.index || got.count.enabled != got.count.running)
			got.count.enabled += delta;
		if (got.index) {
			got.count.running += delta;
			got.count.value +=
				sign_extended(read_counter(got.index - 1),
					      page->pmc_width);
		}
		compiler_barrier();
	} while (page->lock != seq || seq & 1);
	return got;
}

static const struct perf_event_mmap_page *map_page(int fd)
{
	return ring_map(fd, 0)->page;
}

static struct watched watch(struct perf_event_attr *attr, int leader)
{
	struct watched watched;

	attr->read_format = FORMAT_TIMES;
	watched.fd = open_on(attr, 0, -1, leader);
	watched.page = map_page(watched.fd);
	return watched;
}

/* Skips the case if programs cannot read counters. */
static void need_user_counters(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;

	need_hardware();
	watched = watch(&attr, -1);
	if (!watched.page->cap_user_rdpmc)
		test_skip("no counters for programs here");
	munmap((void *)watched.page, sysconf(_SC_PAGESIZE));
	close(watched.fd);
}

static bool between(__u64 low, __u64 value, __u64 high, __u64 slack)
{
	return value + slack >= low && value <= high + slack;
}

static void expect_times(const struct timed_count *low,
			 const struct timed_count *got,
			 const struct timed_count *high, const char *when)
{
	CHECK(between(low->enabled, got->enabled, high->enabled, CLOCK_SLACK),
	      "%s: enabled %llu, not in %llu..%llu", when,
	      (unsigned long long)got->enabled,
	      (unsigned long long)low->enabled,
	      (unsigned long long)high->enabled);
	CHECK(between(low->running, got->running, high->running, CLOCK_SLACK),
	      "%s: running %llu, not in %llu..%llu", when,
	      (unsigned long long)got->running,
	      (unsigned long long)low->running,
	      (unsigned long long)high->running);
}

static void expect_count(__u64 low, __u64 got, __u64 high, unsigned int width,
			 const char *when)
{
	__u64 wrap = width < 64 ? 1ULL << width : 0;

	if (between(low, got, high, 0))
		return;
	if (between(low, got + wrap, high, 0) ||
	    between(low, got - wrap, high, 0))
		test_xfail("%s: the offset takes the counter to have no sign",
			   when);
	CHECK(0, "%s: counted %llu, not in %llu..%llu", when,
	      (unsigned long long)got, (unsigned long long)low,
	      (unsigned long long)high);
}

/* Return: the index that was seen. */
static __u32 expect_value(const struct watched *watched, const char *when)
{
	__u64 low, high;
	struct reading got;

	low = read_timed(watched->fd).value;
	got = read_page(watched->page);
	high = read_timed(watched->fd).value;
	expect_count(low, got.count.value, high, watched->page->pmc_width,
		     when);
	return got.index;
}

/* For an enabled event of the caller. Return: the index that was seen. */
static __u32 expect_agreement(const struct watched *watched, const char *when)
{
	struct timed_count low, high;
	struct reading got;

	low = read_timed(watched->fd);
	got = read_page(watched->page);
	high = read_timed(watched->fd);
	expect_count(low.value, got.count.value, high.value,
		     watched->page->pmc_width, when);
	/* Without an index, equal times are those of the last update. */
	if (watched->page->cap_user_time &&
	    (got.index || got.count.enabled != got.count.running))
		expect_times(&low, &got.count, &high, when);
	return got.index;
}

/* For an event that does not count: the page has the final numbers. */
static void expect_standing(const struct watched *watched, const char *when)
{
	struct timed_count count = read_timed(watched->fd);

	EXPECT(watched->page->index == 0, "%s: index %u", when,
	       watched->page->index);
	EXPECT((__u64)watched->page->offset == count.value,
	       "%s: offset %llu, counted %llu", when,
	       (unsigned long long)watched->page->offset,
	       (unsigned long long)count.value);
	EXPECT(!(watched->page->lock & 1), "%s: sequence %u", when,
	       watched->page->lock);
}

/* The page itself. */

static void expect_layout(const struct perf_event_mmap_page *page,
			  size_t data_pages)
{
	size_t page_size = sysconf(_SC_PAGESIZE);

	EXPECT(page->size == offsetof(struct perf_event_mmap_page, __reserved),
	       "size %u", page->size);
	EXPECT(!page->cap_bit0 && page->cap_bit0_is_deprecated, "bit 0");
	EXPECT(page->data_offset == page_size, "data at %llu",
	       (unsigned long long)page->data_offset);
	EXPECT(page->data_size == data_pages * page_size, "data of %llu",
	       (unsigned long long)page->data_size);
	EXPECT(!page->aux_offset && !page->aux_size, "an AUX area");
	EXPECT(!(page->lock & 1), "sequence %u", page->lock);
}

static void layout(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	expect_layout(map_page(open_self(&attr)), 0);
	expect_layout(ring_map(open_self(&attr), 4)->page, 4);
}

/* A software event never has a counter. */
static void software_event(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct watched watched = watch(&attr, -1);
	int i;

	for (i = 0; i < 10; i++) {
		touch_pages(10);
		EXPECT(!watched.page->index && !watched.page->cap_user_rdpmc,
		       "index %u, cap_user_rdpmc %d", watched.page->index,
		       watched.page->cap_user_rdpmc);
		if (i & 1)
			event_disable(watched.fd);
		else
			event_enable(watched.fd);
	}
	event_reset(watched.fd);
	expect_standing(&watched, "reset");
}

static void sequence_moves(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	__u32 last;
	int i;

	need_hardware();
	watched = watch(&attr, -1);
	for (i = 0; i < 10; i++) {
		last = watched.page->lock;
		if (i & 1)
			event_disable(watched.fd);
		else
			event_enable(watched.fd);
		EXPECT(watched.page->lock != last &&
		       !(watched.page->lock & 1), "sequence %u after %u",
		       watched.page->lock, last);
	}
}

static void two_mappings(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched one, two;

	need_user_counters();
	one = watch(&attr, -1);
	two.fd = one.fd;
	two.page = map_page(one.fd);
	event_enable(one.fd);
	burn(LOOPS);
	EXPECT(expect_agreement(&one, "one mapping"), "index 0");
	EXPECT(expect_agreement(&two, "the other"), "index 0");
	CHECK(!munmap((void *)one.page, sysconf(_SC_PAGESIZE)), "munmap");
	burn(LOOPS);
	EXPECT(expect_agreement(&two, "the other one alone"), "index 0");
	event_disable(one.fd);
	expect_standing(&two, "disabled");
}

/* Agreement with read(2). */

static void agree_while_enabled(__u64 config)
{
	struct perf_event_attr attr = hw_attr(config);
	struct watched watched = watch(&attr, -1);
	int i;

	event_enable(watched.fd);
	for (i = 0; i < ROUNDS; i++) {
		burn(LOOPS / 10);
		EXPECT(expect_agreement(&watched, "enabled"),
		       "event %llu: index 0 in round %d",
		       (unsigned long long)config, i);
	}
	close(watched.fd);
}

/* The first is likely to have a counter of its own, the second is not. */
static void enabled(void)
{
	need_user_counters();
	agree_while_enabled(PERF_COUNT_HW_INSTRUCTIONS);
	agree_while_enabled(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
}

static void on_and_off(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	int i;

	need_user_counters();
	watched = watch(&attr, -1);
	expect_standing(&watched, "opened disabled");
	for (i = 0; i < ROUNDS / 10; i++) {
		event_enable(watched.fd);
		burn(LOOPS);
		EXPECT(expect_agreement(&watched, "enabled"), "index 0");
		event_disable(watched.fd);
		burn(LOOPS);
		expect_standing(&watched, "disabled");
	}
	CHECK(watched.page->offset > 0, "nothing counted");
}

static void reset_count(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	__u64 before, after;
	int tries = 0;

	need_user_counters();
	watched = watch(&attr, -1);
	event_enable(watched.fd);
	/* If a host stops the machine, counting goes on: try again. */
	do {
		burn(10 * LOOPS);
		before = read_page(watched.page).count.value;
		event_reset(watched.fd);
		after = read_page(watched.page).count.value;
	} while (after >= before && ++tries < MAX_TRIES);
	EXPECT(expect_agreement(&watched, "reset while enabled"), "index 0");
	CHECK(after < before, "%llu before reset, %llu afterwards",
	      (unsigned long long)before, (unsigned long long)after);
	event_disable(watched.fd);
	event_reset(watched.fd);
	expect_standing(&watched, "reset while disabled");
	CHECK(watched.page->offset == 0, "offset %lld after reset",
	      (long long)watched.page->offset);
	event_enable(watched.fd);
	burn(LOOPS);
	EXPECT(expect_agreement(&watched, "enabled again"), "index 0");
}

/* A counter that starts below zero, and overflows between reads. */
static void sampling(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	int i;

	need_user_counters();
	attr.sample_period = 200000;
	watched = watch(&attr, -1);
	event_enable(watched.fd);
	for (i = 0; i < ROUNDS; i++) {
		burn(10 * LOOPS);
		expect_agreement(&watched, "sampling");
	}
	event_disable(watched.fd);
	expect_standing(&watched, "disabled");
	CHECK(watched.page->offset > (__s64)attr.sample_period,
	      "no overflow in %lld", (long long)watched.page->offset);
}

/* An overflow leaves the times in the page as they were when counting began. */
static void sampling_on_and_off(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	int i;

	need_user_counters();
	attr.sample_period = 200000;
	watched = watch(&attr, -1);
	for (i = 0; i < ROUNDS / 10; i++) {
		event_enable(watched.fd);
		burn(10 * LOOPS);
		EXPECT(expect_agreement(&watched, "sampling"), "index 0");
		event_disable(watched.fd);
		expect_standing(&watched, "disabled");
		usleep(1000);
	}
}

static void of_a_group(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched leader, sibling;
	int i;

	need_user_counters();
	leader = watch(&attr, -1);
	attr.disabled = 0;
	sibling = watch(&attr, leader.fd);
	expect_standing(&sibling, "leader disabled");
	for (i = 0; i < ROUNDS / 10; i++) {
		event_enable(leader.fd);
		burn(LOOPS);
		EXPECT(expect_agreement(&leader, "leader"), "index 0");
		EXPECT(expect_agreement(&sibling, "sibling"), "index 0");
		event_disable(leader.fd);
		expect_standing(&leader, "leader disabled");
		expect_standing(&sibling, "sibling of a disabled leader");
	}
}

static unsigned int open_many(struct watched *many, unsigned int count)
{
	struct perf_event_attr attr = branch_attr();
	unsigned int i;

	for (i = 0; i < count; i++)
		many[i] = watch(&attr, -1);
	for (i = 0; i < count; i++)
		event_enable(many[i].fd);
	return count;
}

/* Return: how many events are on a counter. Each must agree with its page. */
static unsigned int expect_all(const struct watched *many, unsigned int count,
			       const char *when)
{
	unsigned int i, on = 0;

	for (i = 0; i < count; i++)
		on += expect_agreement(&many[i], when) != 0;
	return on;
}

/* Pages of waiting events have no index; those of running ones can be read. */
static void multiplexed(void)
{
	unsigned int i, on = 0, rounds = 0;
	struct watched many[MANY];

	need_user_counters();
	open_many(many, MANY);
	for (i = 0; i < ROUNDS; i++) {
		burn(10 * LOOPS);
		on += expect_all(many, MANY, "multiplexed");
		rounds += MANY;
	}
	CHECK(on > 0 && on < rounds, "%u of %u had a counter", on, rounds);
	for (i = 0; i < MANY; i++)
		event_disable(many[i].fd);
	for (i = 0; i < MANY; i++)
		expect_standing(&many[i], "disabled");
}

/* While the task sleeps no time passes, not even for events that wait. */
static void multiplexed_sleeper(void)
{
	struct watched many[MANY];
	int i;

	need_user_counters();
	open_many(many, MANY);
	for (i = 0; i < 20; i++) {
		usleep(5000);
		expect_all(many, MANY, "after a sleep");
	}
}

static void time_slices(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	int i, cpu = first_cpu();
	pid_t pid;

	need_user_counters();
	pin_to_cpu(cpu);
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid)
		for (;;)
			burn(1000);
	watched = watch(&attr, -1);
	event_enable(watched.fd);
	for (i = 0; i < ROUNDS; i++) {
		if (i & 1)
			sched_yield();
		burn(LOOPS);
		expect_agreement(&watched, "beside another task");
	}
	stop_child(pid);
}

/* Moving about. */

static void other_cpus(void)
{
	struct perf_event_attr attr = branch_attr();
	int one = first_cpu(), two = second_cpu(), i;
	struct watched watched;

	need_user_counters();
	watched = watch(&attr, -1);
	event_enable(watched.fd);
	for (i = 0; i < ROUNDS; i++) {
		pin_to_cpu(i & 1 ? one : two);
		EXPECT(expect_agreement(&watched, "moved"), "index 0");
		burn(LOOPS / 10);
		EXPECT(expect_agreement(&watched, "moved and worked"),
		       "index 0");
	}
}

static void push_about(pid_t victim)
{
	cpu_set_t one, two;

	CPU_ZERO(&one);
	CPU_ZERO(&two);
	CPU_SET(first_cpu(), &one);
	CPU_SET(second_cpu(), &two);
	for (;;) {
		sched_setaffinity(victim, sizeof(one), &one);
		usleep(300);
		sched_setaffinity(victim, sizeof(two), &two);
		usleep(300);
	}
}

/* Moved at any moment, even between the reads of index and counter. */
static void pushed_about(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	pid_t self = getpid(), pid;
	int i;

	need_user_counters();
	second_cpu();
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid)
		push_about(self);
	watched = watch(&attr, -1);
	event_enable(watched.fd);
	for (i = 0; i < 5 * ROUNDS; i++) {
		expect_agreement(&watched, "pushed about");
		burn(LOOPS / 10);
	}
	stop_child(pid);
}

static void *thread_reads(void *arg)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched = watch(&attr, -1);
	int i;

	(void)arg;
	event_enable(watched.fd);
	for (i = 0; i < ROUNDS; i++) {
		burn(LOOPS / 10);
		EXPECT(expect_agreement(&watched, "thread"), "index 0");
	}
	munmap((void *)watched.page, sysconf(_SC_PAGESIZE));
	close(watched.fd);
	return NULL;
}

/* A thread's operations on its pages do not change those of other threads. */
static void threads(void)
{
	pthread_t thread[3];
	int i;

	need_user_counters();
	for (i = 0; i < 3; i++)
		CHECK(!pthread_create(&thread[i], NULL, thread_reads, NULL),
		      "thread");
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

/* Mapped while the event counts: the page is right from the beginning. */
static void mapped_late(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	int i;

	need_user_counters();
	attr.disabled = 0;
	attr.read_format = FORMAT_TIMES;
	watched.fd = open_self(&attr);
	for (i = 0; i < ROUNDS; i++) {
		watched.page = map_page(watched.fd);
		EXPECT(expect_agreement(&watched, "mapped late"), "index 0");
		burn(LOOPS / 10);
		EXPECT(expect_agreement(&watched, "and used"), "index 0");
		munmap((void *)watched.page, sysconf(_SC_PAGESIZE));
	}
}

/* Mapped again and again while other events take the counter. */
static void mapped_late_multiplexed(void)
{
	size_t page_size = sysconf(_SC_PAGESIZE);
	struct watched many[MANY];
	int i, round;

	need_user_counters();
	open_many(many, MANY);
	for (round = 0; round < 3 * ROUNDS; round++) {
		i = round % MANY;
		munmap((void *)many[i].page, page_size);
		burn(LOOPS / 10);
		many[i].page = map_page(many[i].fd);
		expect_agreement(&many[i], "mapped late");
	}
}

/* Nothing to read. */

static void pinned_out(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched many[MANY];
	int i, failed = 0;
	__u64 value[3];

	need_user_counters();
	attr.pinned = 1;
	attr.disabled = 0;
	for (i = 0; i < MANY; i++)
		many[i] = watch(&attr, -1);
	usleep(1000);
	burn(LOOPS);
	for (i = 0; i < MANY; i++) {
		if (read(many[i].fd, value, sizeof(value))) {
			EXPECT(many[i].page->index, "%d runs without index", i);
			continue;
		}
		EXPECT(!many[i].page->index, "%d failed, has index %u", i,
		       many[i].page->index);
		failed++;
	}
	CHECK(failed, "%d counters for one event", MANY);
}

/*
 * An event of the caller that is bound to another CPU. When the caller moves
 * there the page is not updated, so its times may be old.
 */
static void own_on_other_cpu(void)
{
	struct perf_event_attr attr = branch_attr();
	int here = first_cpu(), there = second_cpu(), i;
	struct watched watched;

	need_user_counters();
	attr.disabled = 0;
	attr.read_format = FORMAT_TIMES;
	watched.fd = open_on(&attr, 0, there, -1);
	watched.page = map_page(watched.fd);
	for (i = 0; i < ROUNDS / 10; i++) {
		pin_to_cpu(there);
		EXPECT(expect_agreement(&watched, "on its CPU"), "index 0");
		pin_to_cpu(here);
		burn(LOOPS);
		EXPECT(!expect_value(&watched, "on another CPU"),
		       "index %u of another CPU's counter",
		       watched.page->index);
	}
}

static bool shows_index(const struct watched *watched)
{
	__u64 start = read_timed(watched->fd).value;
	bool seen = false;

	while (read_timed(watched->fd).value == start)
		seen = seen || watched->page->index;
	return seen || watched->page->index;
}

/* The counter is on a CPU where the reader is not. */
static void other_task(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	bool seen = false;
	pid_t pid;
	int i;

	need_user_counters();
	pid = start_burner(second_cpu());
	attr.disabled = 0;
	attr.read_format = FORMAT_TIMES;
	watched.fd = open_on(&attr, pid, -1, -1);
	watched.page = map_page(watched.fd);
	for (i = 0; i < ROUNDS && !seen; i++)
		seen = shows_index(&watched);
	stop_child(pid);
	if (seen)
		test_xfail("the index is that of another task's counter");
	expect_standing(&watched, "the task has gone");
}

static void other_cpu_event(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	bool seen = false;
	int i, cpu;

	need_user_counters();
	cpu = second_cpu();
	attr.read_format = FORMAT_TIMES;
	pin_to_cpu(first_cpu());
	watched.fd = open_on(&attr, -1, cpu, -1);
	watched.page = map_page(watched.fd);
	event_enable(watched.fd);
	for (i = 0; i < ROUNDS && !seen; i++)
		seen = shows_index(&watched);
	event_disable(watched.fd);
	expect_standing(&watched, "disabled");
	if (seen)
		test_xfail("the index is that of another CPU's counter");
}

/*
 * Which readers may use the page, and when it must not offer a counter or
 * times. If only one of the two times advances, a scaled count is arbitrarily
 * wrong.
 */

static struct watched watch_cpu(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct watched watched;

	attr->disabled = 0;
	attr->read_format = FORMAT_TIMES;
	watched.fd = open_on(attr, pid, cpu, -1);
	watched.page = map_page(watched.fd);
	return watched;
}

static bool offers_nothing(const struct watched *watched)
{
	return !watched->page->cap_user_rdpmc && !watched->page->index &&
	       !watched->page->cap_user_time;
}

/* Ends the case as an expected failure if the page offers anything. */
static void expect_useless(const struct watched *watched, const char *whose)
{
	struct timed_count high;
	struct reading got;
	bool offered;
	int i;

	offered = !offers_nothing(watched);
	for (i = 0; i < ROUNDS / 10; i++) {
		burn(LOOPS);
		got = read_page(watched->page);
		offered |= !offers_nothing(watched);
		high = read_timed(watched->fd);
		if (offered)
			test_xfail("the page of %s offers a counter or a clock",
				   whose);
		CHECK(got.count.enabled <= high.enabled &&
		      got.count.running <= high.running,
		      "times beyond those of read(2)");
		CHECK(got.count.running == got.count.enabled,
		      "running %llu of %llu",
		      (unsigned long long)got.count.running,
		      (unsigned long long)got.count.enabled);
		CHECK(got.count.value <= high.value, "count %llu of %llu",
		      (unsigned long long)got.count.value,
		      (unsigned long long)high.value);
	}
}

/* A CPU's event whose reader never leaves that CPU. */
static void cpu_event_read_there(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	int i;

	need_user_counters();
	pin_to_cpu(first_cpu());
	watched = watch_cpu(&attr, -1, first_cpu());
	for (i = 0; i < ROUNDS; i++) {
		burn(LOOPS / 10);
		EXPECT(expect_agreement(&watched, "pinned reader"), "index 0");
	}
}

/* Other events wait for the counter, but a CPU's time always passes. */
static void cpu_events_multiplexed(void)
{
	struct perf_event_attr attr = branch_attr();
	unsigned int i, on = 0, rounds = 0;
	struct watched many[MANY];

	need_user_counters();
	pin_to_cpu(first_cpu());
	for (i = 0; i < MANY; i++)
		many[i] = watch_cpu(&attr, -1, first_cpu());
	for (i = 0; i < ROUNDS; i++) {
		burn(10 * LOOPS);
		usleep(i % 8 * 500);
		on += expect_all(many, MANY, "multiplexed on a CPU");
		rounds += MANY;
	}
	CHECK(on > 0 && on < rounds, "%u of %u had a counter", on, rounds);
}

static void cpu_event_read_anywhere(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;

	need_user_counters();
	second_cpu();
	watched = watch_cpu(&attr, -1, first_cpu());
	expect_useless(&watched, "a CPU's event");
}

static void cpu_event_read_elsewhere(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;

	need_user_counters();
	pin_to_cpu(second_cpu());
	watched = watch_cpu(&attr, -1, first_cpu());
	expect_useless(&watched, "another CPU's event");
}

static void inherited_event(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;

	need_user_counters();
	pin_to_cpu(first_cpu());
	attr.inherit = 1;
	watched = watch_cpu(&attr, 0, first_cpu());
	expect_useless(&watched, "an inherited event");
}

static void map_and_wait(void *arg)
{
	const struct watched *watched = arg;

	map_page(watched->fd);
	for (;;)
		pause();
}

/* There is one page for all: a second reader cannot read the counter. */
static void mapped_by_another(void)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched;
	struct helper child;
	bool nothing = false;
	int i;

	need_user_counters();
	attr.disabled = 0;
	watched = watch(&attr, -1);
	EXPECT(expect_agreement(&watched, "alone"), "index 0");
	child = helper_start(map_and_wait, &watched);
	helper_go(&child);
	for (i = 0; i < 1000 && !nothing; i++) {
		usleep(1000);
		nothing = offers_nothing(&watched);
	}
	stop_child(child.pid);
	if (!nothing)
		test_xfail("another process sees this one's counter");
}

/* Asleep on another CPU, then awake: the page is not updated for either. */
static void times_on_another_cpu(void)
{
	struct perf_event_attr attr = branch_attr();
	int here = first_cpu(), there = second_cpu(), i;
	struct watched many[MANY];
	struct timed_count high;
	struct reading got;

	need_user_counters();
	pin_to_cpu(there);
	for (i = 0; i < MANY; i++)
		many[i] = watch_cpu(&attr, 0, there);
	burn_ms(20);
	pin_to_cpu(here);
	usleep(20000);
	for (i = 0; i < MANY; i++) {
		got = read_page(many[i].page);
		high = read_timed(many[i].fd);
		if (got.count.enabled > high.enabled + CLOCK_SLACK)
			test_xfail("event %d: enabled %llu of %llu", i,
				   (unsigned long long)got.count.enabled,
				   (unsigned long long)high.enabled);
	}
}

/* Disables @leaders; times of @watched, in their groups, must then stop. */
static void disable_and_look(const struct watched *leaders,
			     const struct watched *watched)
{
	struct reading got, again;
	int i;

	burn_ms(50);
	for (i = 0; i < MANY; i++)
		event_disable(leaders[i].fd);
	for (i = 0; i < MANY; i++) {
		got = read_page(watched[i].page);
		usleep(1000);
		again = read_page(watched[i].page);
		if (again.count.enabled != got.count.enabled)
			test_xfail("event %d goes on: %llu, then %llu", i,
				   (unsigned long long)got.count.enabled,
				   (unsigned long long)again.count.enabled);
	}
}

/*
 * The times of a disabled event do not advance, even if it had to wait before.
 */
static void times_of_the_disabled(void)
{
	struct watched many[MANY];

	need_user_counters();
	open_many(many, MANY);
	disable_and_look(many, many);
}

/* The times of a sibling do not advance while its leader is disabled. */
static void times_below_the_disabled(void)
{
	struct watched many[MANY], siblings[MANY];
	struct perf_event_attr attr = branch_attr();
	int i;

	need_user_counters();
	open_many(many, MANY);
	attr.disabled = 0;
	for (i = 0; i < MANY; i++)
		siblings[i] = watch(&attr, many[i].fd);
	disable_and_look(many, siblings);
}

/* A software event in a group that takes turns: it runs without a counter. */
static void times_of_a_software_event(void)
{
	struct perf_event_attr soft = sw_attr(PERF_COUNT_SW_DUMMY);
	struct watched many[MANY], sibling;
	struct timed_count low, high;
	struct reading got;
	int i;

	need_user_counters();
	open_many(many, MANY);
	soft.disabled = 0;
	sibling = watch(&soft, many[0].fd);
	for (i = 0; i < ROUNDS; i++) {
		burn(10 * LOOPS);
		low = read_timed(sibling.fd);
		got = read_page(sibling.page);
		high = read_timed(sibling.fd);
		if (high.running == low.running)
			continue;
		/* It ran. Either neither time advances, or both do. */
		if (got.count.enabled > high.enabled + CLOCK_SLACK ||
		    got.count.enabled - got.count.running >
		    high.enabled - high.running + CLOCK_SLACK)
			test_xfail("running %llu of %llu, not %llu of %llu",
				   (unsigned long long)got.count.running,
				   (unsigned long long)got.count.enabled,
				   (unsigned long long)high.running,
				   (unsigned long long)high.enabled);
	}
}

static void without_rdpmc(void *arg)
{
	struct perf_event_attr attr = branch_attr();
	struct watched watched = watch(&attr, -1);

	(void)arg;
	CHECK(!watched.page->cap_user_rdpmc, "cap_user_rdpmc with rdpmc off");
	event_enable(watched.fd);
	burn(LOOPS);
	CHECK(!watched.page->index, "index %u with rdpmc off",
	      watched.page->index);
	event_disable(watched.fd);
	expect_standing(&watched, "disabled");
}

/* The administrator may disable the instruction. */
static void switched_off(void)
{
	char old[16];
	int status;
	long value;
	pid_t pid;

	need_user_counters();
	value = read_long(RDPMC_SWITCH);
	snprintf(old, sizeof(old), "%ld", value);
	if (value < 0 || !write_text(RDPMC_SWITCH, "0"))
		test_skip("no %s to write", RDPMC_SWITCH);
	pid = fork();
	if (!pid) {
		without_rdpmc(NULL);
		child_finish();
	}
	waitpid(pid, &status, 0);
	CHECK(write_text(RDPMC_SWITCH, old), "restore %s", RDPMC_SWITCH);
	CHECK(!status, "status %#x", status);
	agree_while_enabled(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
}

/* Clocks. */

static void need_user_time(const struct perf_event_mmap_page *page)
{
	if (!page->cap_user_time)
		test_skip("no clock for programs here");
}

static __u64 clock_of(const struct perf_event_mmap_page *page)
{
	return page->time_zero +
	       scale_cycles(read_clock(), page->time_mult, page->time_shift);
}

/* time_zero converts cycles to the clock of the records. */
static void clock_of_records(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	__u64 low, high, first = 0, last = 0;
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct sample sample;
	int fd, i;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TIME;
	fd = open_self(&attr);
	ring = ring_map(fd, 8);
	need_user_time(ring->page);
	CHECK(ring->page->cap_user_time_zero, "no time_zero");
	for (i = 0; i < 20; i++) {
		ring_skip_all(ring);
		event_enable(fd);
		low = clock_of(ring->page);
		touch_pages(5);
		high = clock_of(ring->page);
		event_disable(fd);
		while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
			parse_sample(header, &attr, &sample);
			first = first ?: sample.time;
			last = sample.time;
		}
		CHECK(last, "no sample");
		EXPECT(between(low, last, high, CLOCK_SLACK),
		       "sample at %llu, not in %llu..%llu",
		       (unsigned long long)last, (unsigned long long)low,
		       (unsigned long long)high);
	}
	CHECK(last > first, "no time passed");
}

/* These factors cannot convert cycles to another clock of the records. */
static void other_clock(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	const struct perf_event_mmap_page *page;

	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	page = map_page(open_self(&attr));
	need_user_time(page);
	CHECK(!page->cap_user_time_zero, "time_zero of another clock");
}

static const struct test_case cases[] = {
	{ "layout", layout },
	{ "software event", software_event },
	{ "sequence", sequence_moves },
	{ "two mappings", two_mappings },
	{ "enabled", enabled },
	{ "enabled and disabled", on_and_off },
	{ "reset", reset_count },
	{ "sampling", sampling },
	{ "sampling, enabled and disabled", sampling_on_and_off },
	{ "a group", of_a_group },
	{ "multiplexed", multiplexed },
	{ "multiplexed, the task sleeps", multiplexed_sleeper },
	{ "time slices", time_slices },
	{ "moved to another CPU", other_cpus },
	{ "moved at any moment", pushed_about },
	{ "threads", threads },
	{ "mapped while it counts", mapped_late },
	{ "mapped while others take turns", mapped_late_multiplexed },
	{ "index of a pinned event without counter", pinned_out },
	{ "index on another CPU than the event's", own_on_other_cpu },
	{ "index of another task's event", other_task },
	{ "index of another CPU's event", other_cpu_event },
	{ "event of the reader's CPU", cpu_event_read_there },
	{ "events of the reader's CPU take turns", cpu_events_multiplexed },
	{ "event of a CPU, the reader may go away", cpu_event_read_anywhere },
	{ "event of a CPU, the reader is elsewhere", cpu_event_read_elsewhere },
	{ "inherited event", inherited_event },
	{ "mapped by another process, too", mapped_by_another },
	{ "times on another CPU than the event's", times_on_another_cpu },
	{ "times of disabled events", times_of_the_disabled },
	{ "times of siblings of disabled leaders", times_below_the_disabled },
	{ "times of a software event in a group", times_of_a_software_event },
	{ "rdpmc switched off", switched_off },
	{ "clock of the records", clock_of_records },
	{ "another clock", other_clock },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
