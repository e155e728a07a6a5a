// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_EVENT_IOC_RANDOM_PERIOD: the bounds of periods, whether samples show
 * them right, whether a seed repeats them, and what is refused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <linux/perf_event_ext.h>

#include "perf_lib.h"

#define MAX_PERIODS	4096

/* The periods of the samples in a buffer. */
struct periods {
	unsigned int nr;
	__u64 sum;
	__u64 of[MAX_PERIODS];
};

static int set_random(int fd, __u32 share, __u64 seed)
{
	struct perf_event_random_period how = {
		.size	= sizeof(how),
		.share	= share,
		.seed	= seed,
	};

	return ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, &how);
}

static void need_random(int fd, __u32 share, __u64 seed)
{
	if (!set_random(fd, share, seed))
		return;
	if (errno == ENOTTY)
		test_skip("this kernel does not draw periods");
	CHECK(0, "random period: %s", strerror(errno));
}

static struct perf_event_attr fault_attr(__u64 period)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	attr.sample_period = period;
	return attr;
}

/* Makes faults with little memory at a time. */
static void faults(unsigned int count)
{
	unsigned int chunk;

	for (; count; count -= chunk) {
		chunk = count < 1000 ? count : 1000;
		touch_pages(chunk);
	}
}

/* Adds the periods of further samples. */
static void collect_more(struct perf_ring *ring,
			 const struct perf_event_attr *attr,
			 struct periods *all)
{
	struct perf_event_header *header;
	struct sample sample;

	while ((header = ring_next(ring))) {
		CHECK(header->type != PERF_RECORD_LOST, "lost records");
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		parse_sample(header, attr, &sample);
		CHECK(all->nr < MAX_PERIODS, "too many samples");
		all->of[all->nr++] = sample.period;
		all->sum += sample.period;
	}
}

static void collect(struct perf_ring *ring, const struct perf_event_attr *attr,
		    struct periods *all)
{
	memset(all, 0, sizeof(*all));
	collect_more(ring, attr, all);
}

static void expect_between(const struct periods *all, __u64 mean, __u64 reach)
{
	unsigned int i, differ = 0;

	for (i = 0; i < all->nr; i++) {
		EXPECT(all->of[i] >= mean - reach && all->of[i] <= mean + reach,
		       "sample %u: period %llu", i,
		       (unsigned long long)all->of[i]);
		differ += all->of[i] != all->of[0];
	}
	CHECK(differ > all->nr / 2, "%u of %u periods differ", differ, all->nr);
}

/* The slack is over five standard deviations of the mean of even draws. */
static void expect_mean(const struct periods *all, __u64 mean, __u64 reach)
{
	__u64 average, slack = reach;

	CHECK(all->nr >= 20, "only %u samples", all->nr);
	average = all->sum / all->nr;
	if (all->nr >= 400)
		slack = reach / 5;
	else if (all->nr >= 100)
		slack = reach / 3;
	CHECK(average >= mean - slack && average <= mean + slack,
	      "%u periods, mean %llu", all->nr, (unsigned long long)average);
}

static void fault_periods(__u64 mean, __u64 seed, struct periods *all,
			  __u64 *count)
{
	struct perf_event_attr attr = fault_attr(mean);
	int fd = open_self(&attr);
	struct perf_ring *ring;

	need_random(fd, 500000, seed);
	ring = ring_map(fd, 64);
	event_enable(fd);
	faults(20000);
	event_disable(fd);
	*count = read_count(fd);
	collect(ring, &attr, all);
	ring_unmap(ring);
	close(fd);
}

/* The periods cover all that was counted, except the last, unfinished one. */
static void software(void)
{
	static struct periods all;
	__u64 count;

	fault_periods(20, 1, &all, &count);
	expect_between(&all, 20, 10);
	expect_mean(&all, 20, 10);
	CHECK(all.sum <= count && count - all.sum < 30,
	      "periods of %llu, %llu faults", (unsigned long long)all.sum,
	      (unsigned long long)count);
}

static void seeds(void)
{
	static struct periods first, again, other;
	unsigned int i, nr, same = 0;
	__u64 count;

	fault_periods(100, 1, &first, &count);
	fault_periods(100, 1, &again, &count);
	fault_periods(100, 2, &other, &count);
	nr = first.nr < again.nr ? first.nr : again.nr;
	if (other.nr < nr)
		nr = other.nr;
	CHECK(nr > 100, "%u samples", nr);
	for (i = 0; i < nr; i++) {
		EXPECT(first.of[i] == again.of[i], "period %u: %llu, %llu", i,
		       (unsigned long long)first.of[i],
		       (unsigned long long)again.of[i]);
		same += first.of[i] == other.of[i];
	}
	CHECK(same < nr / 5, "%u of %u as with another seed", same, nr);
}

/* A disable keeps the rest of a period, and samples still show it right. */
static void across_disable(void)
{
	struct perf_event_attr attr = fault_attr(100);
	static struct periods all;
	struct perf_ring *ring;
	__u64 count;
	int fd, i;

	fd = open_self(&attr);
	need_random(fd, 200000, 3);
	ring = ring_map(fd, 64);
	for (i = 0; i < 300; i++) {
		event_enable(fd);
		touch_pages(30);
		event_disable(fd);
	}
	count = read_count(fd);
	collect(ring, &attr, &all);
	expect_between(&all, 100, 20);
	CHECK(all.sum <= count && count - all.sum < 120,
	      "periods of %llu, %llu faults", (unsigned long long)all.sum,
	      (unsigned long long)count);
}

/* Switched on while the event counts, a new mean, switched off. */
static void changes(void)
{
	struct perf_event_attr attr = fault_attr(50);
	__u64 period = 200, total, count;
	static struct periods all;
	struct perf_ring *ring;
	int fd = open_self(&attr);

	ring = ring_map(fd, 64);
	event_enable(fd);
	need_random(fd, 500000, 3);
	faults(5000);
	collect(ring, &attr, &all);
	expect_between(&all, 50, 25);
	expect_mean(&all, 50, 25);

	CHECK(!ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), "%s",
	      strerror(errno));
	faults(10000);
	collect(ring, &attr, &all);
	expect_between(&all, 200, 100);

	/* Each occurrence is sampled again. */
	CHECK(!set_random(fd, 0, 0), "%s", strerror(errno));
	count = read_count(fd);
	touch_pages(100);
	total = read_count(fd);
	collect(ring, &attr, &all);
	CHECK(all.nr + 1 >= total - count && all.nr <= total - count + 1,
	      "%u samples of %llu faults", all.nr,
	      (unsigned long long)(total - count));
}

/*
 * When an emulator's host delays timers, they skip what they have missed: there
 * are fewer samples than their periods say, but never more.
 */
static bool clock_run(void *arg)
{
	__u64 end = now_ns() + 3 * NSEC_PER_SEC;
	struct perf_event_attr attr = sw_attr(*(__u64 *)arg);
	static struct periods all;
	struct perf_ring *ring;
	__u64 count;
	int fd;

	attr.sample_type = PERF_SAMPLE_PERIOD;
	attr.sample_period = 2 * NSEC_PER_MSEC;
	fd = open_self(&attr);
	need_random(fd, 250000, 5);
	ring = ring_map(fd, 16);
	memset(&all, 0, sizeof(all));
	event_enable(fd);
	do {
		burn_ms(50);
		collect_more(ring, &attr, &all);
	} while (all.nr < 120 && now_ns() < end);
	event_disable(fd);
	count = read_count(fd);
	collect_more(ring, &attr, &all);
	close(fd);
	ring_unmap(ring);
	if (all.nr < 20)
		return test_remark("%u samples", all.nr);
	expect_between(&all, 2000000, 500000);
	expect_mean(&all, 2000000, 500000);
	if (all.sum <= count + 2500000)
		return true;
	return test_remark("periods of %llu ns in %llu ns",
			   (unsigned long long)all.sum,
			   (unsigned long long)count);
}

static void cpu_clock(void)
{
	__u64 config = PERF_COUNT_SW_CPU_CLOCK;

	test_retry(clock_run, &config);
}

static void task_clock(void)
{
	__u64 config = PERF_COUNT_SW_TASK_CLOCK;

	test_retry(clock_run, &config);
}

/*
 * When an emulator's host delays an overflow by more than a period, the rest is
 * dropped: there are fewer samples than their periods say, but never more.
 */
static bool hardware_run(void *arg)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	static struct periods all;
	struct perf_ring *ring;
	__u64 count;
	int fd;

	(void)arg;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	attr.sample_period = 2000000;
	fd = open_self(&attr);
	need_random(fd, 300000, 9);
	ring = ring_map(fd, 64);
	event_enable(fd);
	burn_ms(300);
	event_disable(fd);
	count = read_count(fd);
	collect(ring, &attr, &all);
	close(fd);
	ring_unmap(ring);
	if (all.nr < 20)
		return test_remark("%u samples", all.nr);
	expect_between(&all, 2000000, 600000);
	expect_mean(&all, 2000000, 600000);
	if (all.sum <= count + 2600000 && all.sum >= count / 2)
		return true;
	return test_remark("periods of %llu, %llu instructions",
			   (unsigned long long)all.sum,
			   (unsigned long long)count);
}

static void hardware(void)
{
	need_hardware();
	test_retry(hardware_run, NULL);
}

static void child_body(void *arg)
{
	(void)arg;
	faults(3000);
}

/* Return: the periods of a child and its parent for @seed. */
static void family_periods(__u64 seed, struct periods *parent,
			   struct periods *child)
{
	struct perf_event_attr attr = fault_attr(50);
	struct perf_ring *ring;
	int fd, cpu = first_cpu();

	pin_to_cpu(cpu);
	attr.inherit = 1;
	fd = open_on(&attr, 0, cpu, -1);
	need_random(fd, 500000, seed);
	ring = ring_map(fd, 64);
	event_enable(fd);
	faults(3000);
	event_disable(fd);
	collect(ring, &attr, parent);
	event_enable(fd);
	run_child(child_body, NULL);
	event_disable(fd);
	memset(child, 0, sizeof(*child));
	collect(ring, &attr, child);
	ring_unmap(ring);
	close(fd);
}

static void inherited(void)
{
	static struct periods parent, child;
	unsigned int i, nr, same = 0;

	family_periods(1, &parent, &child);
	expect_between(&parent, 50, 25);
	expect_between(&child, 50, 25);
	nr = parent.nr < child.nr ? parent.nr : child.nr;
	CHECK(nr > 20, "%u samples", nr);
	for (i = 0; i < nr; i++)
		same += parent.of[i] == child.of[i];
	CHECK(same < nr / 2, "%u of %u as in the parent", same, nr);
}

/* On one CPU each makes some faults and then passes the turn to the other. */
#define TURNS		200
#define TURN_FAULTS	5

struct turns {
	int in;
	int out;
};

static void take_turns(const struct turns *turns)
{
	char byte;
	int i;

	for (i = 0; i < TURNS; i++) {
		CHECK(read(turns->in, &byte, 1) == 1, "the other is lost");
		faults(TURN_FAULTS);
		CHECK(write(turns->out, "", 1) == 1, "pipe");
	}
}

static void take_turns_body(void *arg)
{
	take_turns(arg);
}

/* In an exchange of contexts a drawn period stays with the event that runs. */
static void exchanged_once(__u64 seed)
{
	struct perf_event_attr attr = fault_attr(10);
	static struct periods all;
	struct turns here, there;
	int fd, to[2], from[2], cpu = first_cpu();
	struct perf_ring *ring;
	struct helper child;
	__u64 count;

	pin_to_cpu(cpu);
	CHECK(!pipe(to) && !pipe(from), "pipe");
	here = (struct turns) { from[0], to[1] };
	there = (struct turns) { to[0], from[1] };
	attr.inherit = 1;
	attr.inherit_stat = 1;
	fd = open_on(&attr, 0, cpu, -1);
	need_random(fd, 500000, seed);
	ring = ring_map(fd, 64);
	event_enable(fd);
	child = helper_start(take_turns_body, &there);
	helper_go(&child);
	CHECK(write(to[1], "", 1) == 1, "pipe");
	take_turns(&here);
	event_disable(fd);
	count = read_count(fd);
	collect(ring, &attr, &all);
	CHECK(all.sum <= count && all.sum + 2 * 15 >= count,
	      "seed %llu: periods of %llu faults, count %llu",
	      (unsigned long long)seed, (unsigned long long)all.sum,
	      (unsigned long long)count);
	helper_join(&child);
	ring_unmap(ring);
	close(fd);
}

static void exchanged(void)
{
	__u64 seed;

	for (seed = 1; seed <= 10; seed++)
		exchanged_once(seed);
}

static void expect_refused(int fd, struct perf_event_random_period *how,
			   int error)
{
	int ret = ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, how);

	EXPECT(ret < 0 && errno == error, "size %u flags %u share %u: %d %s",
	       how->size, how->flags, how->share, ret, strerror(errno));
}

static void refused(void)
{
	struct perf_event_random_period how = { .size = sizeof(how) };
	struct perf_event_attr attr = fault_attr(100);
	struct {
		struct perf_event_random_period how;
		__u64 more;
	} large = { .how.size = sizeof(large) };
	int fd = open_self(&attr);

	need_random(fd, 1000, 1);
	how.flags = 1;
	expect_refused(fd, &how, EINVAL);
	how.flags = 0;
	how.reserved = 1;
	expect_refused(fd, &how, EINVAL);
	how.reserved = 0;
	how.share = PERF_RANDOM_PERIOD_SHARE_MAX + 1;
	expect_refused(fd, &how, EINVAL);
	how.share = 1000;
	how.size = 0;
	expect_refused(fd, &how, EINVAL);
	how.size = PERF_RANDOM_PERIOD_SIZE_VER0 - 1;
	expect_refused(fd, &how, EINVAL);
	how.size = 1 << 20;
	expect_refused(fd, &how, E2BIG);
	EXPECT(!ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, &large), "longer: %s",
	       strerror(errno));
	large.more = 1;
	expect_refused(fd, &large.how, E2BIG);
	EXPECT(ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, NULL) < 0 &&
	       errno == EFAULT, "NULL: %s", strerror(errno));
}

static void refused_events(void)
{
	struct perf_event_attr attr = fault_attr(100);
	struct perf_event_random_period how = {
		.size = sizeof(how), .share = 1000,
	};
	int fd = open_self(&attr);

	need_random(fd, 1000, 1);
	attr.sample_period = 0;
	fd = open_self(&attr);
	expect_refused(fd, &how, EINVAL);
	attr.freq = 1;
	attr.sample_freq = 100;
	fd = open_self(&attr);
	expect_refused(fd, &how, EINVAL);
	attr.freq = 0;
	attr.sample_period = (1ULL << 63) - 1;
	fd = open_self(&attr);
	expect_refused(fd, &how, EINVAL);
}

static struct perf_event_random_period get_random(int fd)
{
	struct perf_event_random_period how = {
		.size = sizeof(how), .flags = 7, .share = 7, .reserved = 7,
		.seed = 7,
	};

	if (ioctl(fd, PERF_EVENT_IOC_GET_RANDOM_PERIOD, &how)) {
		if (errno == ENOTTY)
			test_skip("no PERF_EVENT_IOC_GET_RANDOM_PERIOD");
		CHECK(0, "get: %s", strerror(errno));
	}
	CHECK(how.size == sizeof(how) && !how.flags && !how.reserved,
	      "size %u flags %#x reserved %#x", how.size, how.flags,
	      how.reserved);
	return how;
}

static void expect_random(int fd, __u32 share, __u64 seed)
{
	struct perf_event_random_period how = get_random(fd);

	EXPECT(how.share == share && how.seed == seed,
	       "share %u seed %#llx, not %u and %#llx", how.share, how.seed,
	       share, seed);
}

/* A get returns what was set. */
static void get(void)
{
	struct perf_event_attr attr = fault_attr(1000), count = attr;
	int fd = open_self(&attr);

	need_random(fd, 0, 0);
	expect_random(fd, 0, 0);
	need_random(fd, PERF_RANDOM_PERIOD_SHARE_MAX, 0xfedcba9876543210);
	expect_random(fd, PERF_RANDOM_PERIOD_SHARE_MAX, 0xfedcba9876543210);
	need_random(fd, 1, 5);
	expect_random(fd, 1, 5);
	CHECK(set_random(fd, PERF_RANDOM_PERIOD_SHARE_MAX + 1, 9), "refused");
	expect_random(fd, 1, 5);
	need_random(fd, 0, 9);
	expect_random(fd, 0, 9);
	count.sample_period = 0;
	expect_random(open_self(&count), 0, 0);
}

/* A program newer than the kernel learns which size the kernel knows. */
static void sizes(void)
{
	struct perf_event_attr attr = fault_attr(1000);
	struct {
		struct perf_event_random_period how;
		__u64 more[2];
	} large = { .how = { .size = sizeof(large), .share = 5, .seed = 6 } };
	int fd = open_self(&attr);

	need_random(fd, 1000, 1);
	get_random(fd);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, &large),
	      "larger and zero: %s", strerror(errno));
	expect_random(fd, 5, 6);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_GET_RANDOM_PERIOD, &large),
	      "get: %s", strerror(errno));
	CHECK(large.how.size == sizeof(large.how), "filled %u", large.how.size);
	large.how.size = sizeof(large);
	large.more[1] = 1;
	CHECK(ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, &large) < 0 &&
	      errno == E2BIG, "larger: %s", strerror(errno));
	CHECK(large.how.size == sizeof(large.how), "told %u", large.how.size);
	large.how.size = UINT_MAX;
	CHECK(ioctl(fd, PERF_EVENT_IOC_GET_RANDOM_PERIOD, &large) < 0 &&
	      errno == E2BIG, "above a page: %s", strerror(errno));
	CHECK(large.how.size == sizeof(large.how), "told %u", large.how.size);
	large.how.size = 8;
	CHECK(ioctl(fd, PERF_EVENT_IOC_GET_RANDOM_PERIOD, &large) < 0 &&
	      errno == EINVAL, "too small: %s", strerror(errno));
}

static const struct test_case cases[] = {
	{ "what was set is read back", get },
	{ "sizes of the structure", sizes },
	{ "software_event", software },
	{ "seeds", seeds },
	{ "across_disable", across_disable },
	{ "changes", changes },
	{ "cpu_clock", cpu_clock },
	{ "task_clock", task_clock },
	{ "hardware", hardware },
	{ "inherited", inherited },
	{ "exchanged", exchanged },
	{ "refused", refused },
	{ "refused_events", refused_events },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
