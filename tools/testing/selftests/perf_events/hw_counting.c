// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware events in counting mode: alone, in groups, pinned, exclusive, more
 * of them than counters, on tasks and on CPUs. All skipped without a PMU.
 *
 * burn() runs a known loop, so the number of instructions has a lower bound. Of
 * other events the tests only assume that work makes them grow.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define LOOPS		2000000
#define MANY		12
#define CACHE(cache, op, result) \
	((cache) | (op) << 8 | (result) << 16)

static const __u64 generic[] = {
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CACHE_REFERENCES, PERF_COUNT_HW_CACHE_MISSES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
	PERF_COUNT_HW_BUS_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES,
};

static __u64 count_burn(struct perf_event_attr *attr, unsigned int loops)
{
	int fd = open_self(attr);
	__u64 value;

	event_enable(fd);
	burn(loops);
	event_disable(fd);
	value = read_count(fd);
	close(fd);
	return value;
}

/* Return: the least count of several runs, since disturbances add to it. */
static __u64 least_burn(struct perf_event_attr *attr, unsigned int loops)
{
	__u64 value, least = ~0ULL;
	int i;

	for (i = 0; i < 5; i++) {
		value = count_burn(attr, loops);
		if (value < least)
			least = value;
	}
	return least;
}

static void instructions(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	__u64 one, two;

	need_hardware();
	one = least_burn(&attr, LOOPS);
	two = least_burn(&attr, 4 * LOOPS);
	CHECK(one > 0 && two > one, "%llu, four times the work: %llu",
	      (unsigned long long)one, (unsigned long long)two);
}

/* The open of an event that this PMU has no counter for fails. */
static void generic_events(void)
{
	struct perf_event_attr attr;
	size_t i;
	int fd;

	need_hardware();
	for (i = 0; i < ARRAY_SIZE(generic); i++) {
		attr = hw_attr(generic[i]);
		fd = perf_open(&attr, 0, -1, -1, 0);
		if (fd < 0) {
			EXPECT(errno == ENOENT || errno == EINVAL ||
			       errno == EOPNOTSUPP, "event %llu: %s",
			       (unsigned long long)generic[i],
			       strerror(errno));
			continue;
		}
		close(fd);
		count_burn(&attr, LOOPS / 10);
	}
	attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	CHECK(count_burn(&attr, LOOPS) > 0, "no cycles");
	attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	CHECK(count_burn(&attr, LOOPS) > 0, "no instructions");
}

static void cache_events(void)
{
	unsigned int cache, op, result, opened = 0;
	struct perf_event_attr attr;
	int fd;

	need_hardware();
	for (cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++)
		for (op = 0; op < PERF_COUNT_HW_CACHE_OP_MAX; op++)
			for (result = 0; result < 2; result++) {
				attr = make_attr(PERF_TYPE_HW_CACHE,
						 CACHE(cache, op, result));
				fd = perf_open(&attr, 0, -1, -1, 0);
				EXPECT(fd >= 0 || errno == ENOENT ||
				       errno == EINVAL ||
				       errno == EOPNOTSUPP, "%u.%u.%u: %s", cache,
				       op, result, strerror(errno));
				opened += fd >= 0;
			}
	CHECK(opened > 0, "not one cache event");
}

/* Retired branches on x86, completed instructions on POWER. */
static void raw_events(void)
{
	static const __u64 codes[] = { 0xc4, 0x2 };
	struct perf_event_attr attr;
	size_t i;
	int fd;

	need_hardware();
	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		attr = make_attr(PERF_TYPE_RAW, codes[i]);
		fd = perf_open(&attr, 0, -1, -1, 0);
		if (fd < 0)
			continue;
		close(fd);
		if (count_burn(&attr, LOOPS) > 0)
			return;
	}
	CHECK(0, "no raw event counts");
}

static void privilege_levels(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	__u64 user, all;

	need_hardware();
	all = count_burn(&attr, LOOPS);
	attr.exclude_kernel = 1;
	user = count_burn(&attr, LOOPS);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	count_burn(&attr, LOOPS);
	CHECK(all > 0 && user > 0, "all %llu, user %llu",
	      (unsigned long long)all, (unsigned long long)user);
	attr.exclude_kernel = 1;
	EXPECT(count_burn(&attr, LOOPS) == 0, "counts neither mode, yet counts");
}

static void read_group(int fd, __u64 format, struct read_values *got)
{
	char buf[512];
	ssize_t len = read(fd, buf, sizeof(buf));

	CHECK(len > 0, "read: %zd %s", len, strerror(errno));
	parse_read(buf, len, format, got);
}

/*
 * All events of a group count over the same time. A PMU of two counters has
 * none for a third event.
 */
static void groups(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	struct read_values got;
	unsigned int nr = 2;
	int leader;

	need_hardware();
	attr.read_format = PERF_FORMAT_GROUP | FORMAT_TIMES;
	leader = open_self(&attr);
	attr.disabled = 0;
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	open_sibling(&attr, leader);
	if (perf_open(&attr, 0, -1, leader, 0) >= 0)
		nr++;
	else
		CHECK(errno == EINVAL && count_counters() <= 2, "third event: %s",
		      strerror(errno));
	event_enable(leader);
	burn(LOOPS);
	event_disable(leader);
	read_group(leader, attr.read_format, &got);
	CHECK(got.nr == nr && got.running > 0, "nr %llu running %llu",
	      (unsigned long long)got.nr, (unsigned long long)got.running);
	CHECK(got.event[0].value && got.event[1].value, "count of 0");
	if (nr == 2)
		return;
	CHECK(got.event[2].value > got.event[1].value / 2 &&
	      got.event[2].value < got.event[1].value * 2,
	      "the same event twice: %llu and %llu",
	      (unsigned long long)got.event[1].value,
	      (unsigned long long)got.event[2].value);
}

static void mixed_groups(void)
{
	struct perf_event_attr hw = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_attr sw = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct read_values got;
	int leader, way;

	need_hardware();
	for (way = 0; way < 2; way++) {
		hw.disabled = way == 0;
		sw.disabled = way != 0;
		hw.read_format = PERF_FORMAT_GROUP;
		sw.read_format = PERF_FORMAT_GROUP;
		leader = open_self(way ? &sw : &hw);
		open_sibling(way ? &hw : &sw, leader);
		event_enable(leader);
		touch_pages(100);
		burn(LOOPS);
		event_disable(leader);
		read_group(leader, PERF_FORMAT_GROUP, &got);
		CHECK(got.event[way ? 0 : 1].value >= 100, "page faults");
		CHECK(got.event[way ? 1 : 0].value > 0, "instructions");
		close(leader);
	}
}

static int open_many(struct perf_event_attr *attr, int *fd, int count)
{
	int i;

	for (i = 0; i < count; i++)
		fd[i] = open_self(attr);
	return count;
}

/* More events than counters: each runs for a part of the time. */
static bool shares(void *arg)
{
	struct perf_event_attr attr = branch_attr();
	int fd[MANY], i, partial = 0, starved = 0;
	struct timed_count count;

	(void)arg;
	attr.read_format = FORMAT_TIMES;
	attr.disabled = 0;
	open_many(&attr, fd, MANY);
	burn_ms(400);
	for (i = 0; i < MANY; i++)
		event_disable(fd[i]);
	for (i = 0; i < MANY; i++) {
		count = read_timed(fd[i]);
		CHECK(count.running <= count.enabled, "ran %llu of %llu",
		      (unsigned long long)count.running,
		      (unsigned long long)count.enabled);
		starved += !count.running || !count.value;
		partial += count.running < count.enabled;
		close(fd[i]);
	}
	CHECK(partial > 0, "%d counters for one event", MANY);
	return !starved || test_remark("%d never ran", starved);
}

static void multiplexed(void)
{
	need_hardware();
	test_retry(shares, NULL);
}

/* Pinned events that cannot run read as end of file, and poll as hung up. */
static void pinned_events(void)
{
	struct perf_event_attr attr = branch_attr();
	int fd[MANY], i, running = 0, failed = 0;
	ssize_t got;
	__u64 value;

	need_hardware();
	attr.read_format = 0;
	attr.pinned = 1;
	attr.disabled = 0;
	open_many(&attr, fd, MANY);
	usleep(1000);
	burn(LOOPS);
	for (i = 0; i < MANY; i++) {
		got = read(fd[i], &value, sizeof(value));
		CHECK(got == 0 || got == sizeof(value), "read: %zd", got);
		if (got) {
			CHECK(value > 0, "pinned event %d did not count", i);
			running++;
		} else {
			failed++;
		}
	}
	CHECK(running > 0 && failed > 0, "%d run, %d failed", running, failed);
}

/* ENABLE takes a failed event out of its error state. */
static void pinned_again(void)
{
	struct perf_event_attr attr = branch_attr();
	int fd[MANY], i, last = -1;
	__u64 value;

	need_hardware();
	attr.read_format = 0;
	attr.pinned = 1;
	attr.disabled = 0;
	open_many(&attr, fd, MANY);
	usleep(1000);
	for (i = 0; i < MANY; i++)
		if (!read(fd[i], &value, sizeof(value)))
			last = i;
	CHECK(last >= 0, "no event failed");
	for (i = 0; i < MANY; i++)
		if (i != last)
			close(fd[i]);
	CHECK(!read(fd[last], &value, sizeof(value)), "runs by itself");
	event_disable(fd[last]);
	event_enable(fd[last]);
	burn(LOOPS);
	CHECK(read_count(fd[last]) > 0, "does not count again");
}

static void pinned_beats_flexible(void)
{
	struct perf_event_attr attr = branch_attr();
	struct timed_count count;
	int fd[MANY], pin;

	need_hardware();
	attr.disabled = 0;
	attr.read_format = FORMAT_TIMES;
	open_many(&attr, fd, MANY);
	attr.pinned = 1;
	pin = open_self(&attr);
	burn_ms(100);
	event_disable(pin);
	count = read_timed(pin);
	CHECK(count.value > 0 && count.running == count.enabled,
	      "pinned ran %llu of %llu", (unsigned long long)count.running,
	      (unsigned long long)count.enabled);
}

static void exclusive(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct timed_count alone, other;
	int one, two;

	need_hardware();
	attr.read_format = FORMAT_TIMES;
	two = open_self(&attr);
	attr.exclusive = 1;
	one = open_self(&attr);
	event_enable(two);
	event_enable(one);
	burn_ms(300);
	event_disable(one);
	event_disable(two);
	alone = read_timed(one);
	other = read_timed(two);
	CHECK(alone.running + other.running <=
	      alone.enabled + alone.enabled / 10,
	      "ran together: %llu and %llu of %llu",
	      (unsigned long long)alone.running,
	      (unsigned long long)other.running,
	      (unsigned long long)alone.enabled);
	CHECK(alone.running || other.running, "neither ran");
}

static void on_this_cpu(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int cpu = first_cpu(), fd;

	need_hardware();
	pin_to_cpu(cpu);
	fd = open_on(&attr, -1, cpu, -1);
	event_enable(fd);
	burn(LOOPS);
	event_disable(fd);
	CHECK(read_count(fd) > 0, "no instructions on own CPU");
}

/* A read of an event that runs elsewhere calls that CPU. */
static void on_other_cpu(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int cpu, home, fd, task, wrong;
	pid_t pid;

	need_hardware();
	cpu = second_cpu();
	home = first_cpu();
	pid = start_burner(cpu);
	attr.disabled = 0;
	fd = open_on(&attr, -1, cpu, -1);
	task = open_on(&attr, pid, -1, -1);
	wrong = open_on(&attr, pid, home, -1);
	CHECK(event_grows(fd), "CPU event does not grow");
	CHECK(event_grows(task), "task event does not grow");
	CHECK(read_count(wrong) == 0, "task counted on a CPU it never saw");
	stop_child(pid);
}

static void follows_the_task(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int one = first_cpu(), two, fd, i;
	__u64 last = 0, now;

	need_hardware();
	two = second_cpu();
	fd = open_self(&attr);
	event_enable(fd);
	for (i = 0; i < 10; i++) {
		pin_to_cpu(i & 1 ? one : two);
		burn(LOOPS / 10);
		now = read_count(fd);
		CHECK(now > last, "stands still after move %d", i);
		last = now;
	}
}

static void child_burns(void *arg)
{
	(void)arg;
	burn(LOOPS);
}

static void inherited(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	__u64 before;
	int fd;

	need_hardware();
	attr.inherit = 1;
	attr.disabled = 0;
	fd = open_self(&attr);
	before = read_count(fd);
	run_child(child_burns, NULL);
	CHECK(read_count(fd) > before + LOOPS / 2, "child: %llu",
	      (unsigned long long)(read_count(fd) - before));
}

/* Only the task's own work is counted, whatever other task uses the CPU. */
static void not_the_neighbour(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct timed_count count;
	int cpu = first_cpu(), fd;
	__u64 wall;
	pid_t pid;

	need_hardware();
	attr.read_format = FORMAT_TIMES;
	pin_to_cpu(cpu);
	pid = start_burner(cpu);
	fd = open_self(&attr);
	wall = now_ns();
	event_enable(fd);
	burn_ms(100);
	event_disable(fd);
	wall = now_ns() - wall;
	stop_child(pid);
	count = read_timed(fd);
	CHECK(count.enabled < wall, "enabled %llu of %llu ns",
	      (unsigned long long)count.enabled, (unsigned long long)wall);
	CHECK(count.value > 0 && count.running == count.enabled, "count");
}

static void user_page(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_mmap_page *page;
	struct perf_ring *ring;
	int fd;

	need_hardware();
	fd = open_self(&attr);
	ring = ring_map(fd, 0);
	page = ring->page;
	CHECK(page->index == 0, "index %u while disabled", page->index);
	event_enable(fd);
	burn(LOOPS);
	if (page->cap_user_rdpmc)
		EXPECT(page->index != 0 && page->pmc_width >= 32 &&
		       page->pmc_width <= 64, "index %u width %u",
		       page->index, page->pmc_width);
	event_disable(fd);
	CHECK(page->index == 0, "index %u after disable", page->index);
	CHECK(page->offset == (__s64)read_count(fd), "offset %lld, count %llu",
	      (long long)page->offset, (unsigned long long)read_count(fd));
	CHECK(!(page->lock & 1), "sequence %u", page->lock);
}

static const struct test_case cases[] = {
	{ "instructions", instructions },
	{ "generic events", generic_events },
	{ "cache events", cache_events },
	{ "raw events", raw_events },
	{ "exclude_user and exclude_kernel", privilege_levels },
	{ "groups", groups },
	{ "hardware and software in one group", mixed_groups },
	{ "multiplexed", multiplexed },
	{ "pinned, more than fit", pinned_events },
	{ "pinned, enabled again", pinned_again },
	{ "pinned before flexible", pinned_beats_flexible },
	{ "exclusive", exclusive },
	{ "own CPU", on_this_cpu },
	{ "another CPU", on_other_cpu },
	{ "follows the task", follows_the_task },
	{ "inherited", inherited },
	{ "not the neighbour's work", not_the_neighbour },
	{ "user page", user_page },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
