// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/sys/kernel/perf_*: which values may be written, and whether they take
 * effect: sampling rates, depth and marks of chains, memory, paranoid level.
 *
 * Each case begins with the values that were there, and they are restored at
 * the end. The permissions at each level are in paranoid.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define MAX_STACK_LIMIT	(640 * 1024)
#define MAX_MARKS_LIMIT	1000
#define DEPTH		200
#define SETTLE_TRIES	200

enum knob { PERCENT, RATE_MAX, MAX_STACK, MAX_MARKS, MLOCK_KB, PARANOID, KNOBS };

static const char *const knob_paths[KNOBS] = {
	[PERCENT]	= "/proc/sys/kernel/perf_cpu_time_max_percent",
	[RATE_MAX]	= "/proc/sys/kernel/perf_event_max_sample_rate",
	[MAX_STACK]	= "/proc/sys/kernel/perf_event_max_stack",
	[MAX_MARKS]	= "/proc/sys/kernel/perf_event_max_contexts_per_stack",
	[MLOCK_KB]	= "/proc/sys/kernel/perf_event_mlock_kb",
	[PARANOID]	= "/proc/sys/kernel/perf_event_paranoid",
};

static long saved[KNOBS];

static long knob(enum knob which)
{
	return read_long(knob_paths[which]);
}

/* Return: 0 or an errno. */
static int try_set(enum knob which, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	return write_text(knob_paths[which], text) ? 0 : errno;
}

static void set(enum knob which, long value)
{
	int error = try_set(which, value);

	CHECK(!error, "%s = %ld: %s", knob_paths[which], value,
	      strerror(error));
	CHECK(knob(which) == value, "%s is %ld, not %ld", knob_paths[which],
	      knob(which), value);
}

static void expect_refused(enum knob which, long value, int want)
{
	long before = knob(which);
	int error = try_set(which, value);

	EXPECT(error == want, "%s = %ld: %s instead of %s", knob_paths[which],
	       value, strerror(error), strerror(want));
	EXPECT(knob(which) == before, "%s is %ld, was %ld", knob_paths[which],
	       knob(which), before);
}

/*
 * The rate cannot be written while the percentage is 0 or 100, but only then it
 * stays: otherwise an interrupt that takes long may lower it at any moment.
 */
static int try_set_rate(long value)
{
	int error, tries = SETTLE_TRIES;

	do {
		set(PERCENT, 99);
		error = try_set(RATE_MAX, value);
		set(PERCENT, 100);
	} while (!error && knob(RATE_MAX) != value && tries--);
	return error;
}

static void set_rate(long value)
{
	int error = try_set_rate(value);

	CHECK(!error && knob(RATE_MAX) == value, "rate %ld: %s, is %ld", value,
	      strerror(error), knob(RATE_MAX));
}

/* Sets a value once the buffers of earlier cases' call chains are gone. */
static void set_later(enum knob which, long value)
{
	int tries = SETTLE_TRIES;

	while (try_set(which, value) == EBUSY && tries--)
		usleep(5000);
	set(which, value);
}

/* Restores all values except the percentage. */
static void begin(void)
{
	int i;

	if (access(knob_paths[PARANOID], W_OK))
		test_skip("needs root");
	set_rate(saved[RATE_MAX]);
	for (i = MAX_STACK; i < KNOBS; i++)
		set_later(i, saved[i]);
}

static void restore(void)
{
	begin();
	set(PERCENT, saved[PERCENT]);
}

/* What may be written. */

struct value_row {
	const char *name;
	enum knob which;
	long value;
	int error;
};

static const struct value_row value_rows[] = {
	{ "share: -1", PERCENT, -1, EINVAL },
	{ "share: 0", PERCENT, 0, 0 },
	{ "share: 1", PERCENT, 1, 0 },
	{ "share: 100", PERCENT, 100, 0 },
	{ "share: 101", PERCENT, 101, EINVAL },
	{ "rate: -1", RATE_MAX, -1, EINVAL },
	{ "rate: 0", RATE_MAX, 0, EINVAL },
	{ "rate: 1", RATE_MAX, 1, 0 },
	{ "rate: 2", RATE_MAX, 2, 0 },
	{ "rate: largest int", RATE_MAX, INT_MAX, 0 },
	{ "rate: beyond an int", RATE_MAX, 1L + INT_MAX, EINVAL },
	{ "stack: -1", MAX_STACK, -1, EINVAL },
	{ "stack: 0", MAX_STACK, 0, 0 },
	{ "stack: maximum", MAX_STACK, MAX_STACK_LIMIT, 0 },
	{ "stack: above the maximum", MAX_STACK, MAX_STACK_LIMIT + 1, EINVAL },
	{ "marks: -1", MAX_MARKS, -1, EINVAL },
	{ "marks: 0", MAX_MARKS, 0, 0 },
	{ "marks: maximum", MAX_MARKS, MAX_MARKS_LIMIT, 0 },
	{ "marks: above the maximum", MAX_MARKS, MAX_MARKS_LIMIT + 1, EINVAL },
	{ "memory: 0", MLOCK_KB, 0, 0 },
	{ "memory: beyond an int", MLOCK_KB, 1L + INT_MAX, EINVAL },
	{ "paranoia: -1", PARANOID, -1, 0 },
	{ "paranoia: 3", PARANOID, 3, 0 },
	{ "paranoia: beyond an int", PARANOID, 1L + INT_MAX, EINVAL },
};

static void run_value_row(const void *arg)
{
	const struct value_row *row = arg;

	begin();
	/* At this rate no interrupt takes too long. */
	set_rate(1);
	set(PERCENT, 99);
	if (row->error)
		expect_refused(row->which, row->value, row->error);
	else if (row->which == RATE_MAX)
		set_rate(row->value);
	else
		set(row->which, row->value);
}

static void no_numbers(void)
{
	static const char *const texts[] = { "x", "-", "1x", "0x" };
	long before;
	size_t i;
	int k;

	begin();
	for (k = 0; k < KNOBS; k++) {
		before = knob(k);
		for (i = 0; i < ARRAY_SIZE(texts); i++)
			EXPECT(!write_text(knob_paths[k], texts[i]) &&
			       errno == EINVAL, "\"%s\" in %s: %s", texts[i],
			       knob_paths[k], strerror(errno));
		EXPECT(knob(k) == before, "%s is %ld, was %ld",
		       knob_paths[k], knob(k), before);
	}
}

static void others_may_read(void)
{
	long before[KNOBS];
	int k;

	begin();
	for (k = 0; k < KNOBS; k++)
		before[k] = knob(k);
	become_nobody();
	for (k = 0; k < KNOBS; k++) {
		EXPECT(open(knob_paths[k], O_WRONLY) < 0 && errno == EACCES,
		       "%s: %s", knob_paths[k], strerror(errno));
		EXPECT(knob(k) == before[k], "%s cannot be read",
		       knob_paths[k]);
	}
}

/* Rates. */

static void rate_without_share(void)
{
	begin();
	set_rate(1);
	set(PERCENT, 0);
	expect_refused(RATE_MAX, 2, EINVAL);
	expect_refused(RATE_MAX, 1, EINVAL);
	set(PERCENT, 100);
	expect_refused(RATE_MAX, 2, EINVAL);
	set(PERCENT, 99);
	set(RATE_MAX, 2);
	set(PERCENT, 1);
	set(RATE_MAX, 3);
}

static void expect_period(int fd, __u64 value, int error)
{
	int ret = ioctl(fd, PERF_EVENT_IOC_PERIOD, &value);

	EXPECT(ret < 0 ? errno == error : !error, "%llu: %s instead of %s",
	       value, ret < 0 ? strerror(errno) : "fine", strerror(error));
}

static void expect_freq(__u64 value, int error)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);
	int fd;

	attr.freq = 1;
	attr.sample_freq = value;
	fd = perf_open(&attr, 0, -1, -1, 0);
	EXPECT(fd < 0 ? errno == error : !error, "%llu: %s instead of %s",
	       value, fd < 0 ? strerror(errno) : "fine", strerror(error));
	close(fd);
}

/* Page faults, because clocks turn a frequency into a period. */
static void frequencies(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;

	begin();
	set_rate(5000);
	expect_freq(5000, 0);
	expect_freq(5001, EINVAL);
	attr.freq = 1;
	attr.sample_freq = 4000;
	fd = open_self(&attr);
	expect_period(fd, 5000, 0);
	expect_period(fd, 5001, EINVAL);
	set_rate(100);
	expect_freq(5000, EINVAL);
	expect_freq(100, 0);
	/* An open event stays, but cannot get a higher frequency. */
	expect_period(fd, 5000, EINVAL);
	expect_period(fd, 100, 0);
	event_enable(fd);
}

/* Only frequencies are compared with the rate. */
static void periods(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;

	begin();
	set_rate(1);
	attr.sample_period = 1;
	fd = open_self(&attr);
	expect_period(fd, 1000000, 0);
	expect_period(fd, 1ULL << 62, 0);
	expect_period(fd, 1ULL << 63, EINVAL);
	expect_period(fd, 0, EINVAL);
}

struct clock_run {
	unsigned int samples;
	unsigned int throttled;
	unsigned int ticks;
};

/* Return: length of a tick, the resolution of the coarse clocks. */
static __u64 tick_ns(void)
{
	struct timespec res;

	CHECK(!clock_getres(CLOCK_MONOTONIC_COARSE, &res), "clock_getres");
	return res.tv_sec * NSEC_PER_SEC + res.tv_nsec;
}

static struct clock_run run_clock(unsigned int msec)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_header *header;
	struct clock_run run = { };
	struct perf_ring *ring;
	__u64 start;
	int fd;

	attr.sample_period = 20000;
	attr.sample_type = PERF_SAMPLE_TID;
	fd = open_self(&attr);
	ring = ring_map(fd, 64);
	start = now_ns();
	event_enable(fd);
	burn_ms(msec);
	event_disable(fd);
	run.ticks = (now_ns() - start) / tick_ns() + 1;
	while ((header = ring_next(ring))) {
		run.samples += header->type == PERF_RECORD_SAMPLE;
		run.throttled += header->type == PERF_RECORD_THROTTLE;
	}
	ring_unmap(ring);
	close(fd);
	return run;
}

/* At a rate of 1 one sample a tick is allowed; a second one is throttled. */
static bool rate_holds(void *arg)
{
	struct clock_run run;

	(void)arg;
	set_rate(INT_MAX);
	run = run_clock(300);
	CHECK(!run.throttled, "%u THROTTLE at a rate of %ld, %u samples",
	      run.throttled, knob(RATE_MAX), run.samples);
	set_rate(1);
	run = run_clock(300);
	CHECK(run.samples && run.samples <= 2 * run.ticks,
	      "%u samples in %u ticks", run.samples, run.ticks);
	/* On a slow host there may be no second one. */
	return run.throttled || test_remark("%u samples in %u ticks",
					    run.samples, run.ticks);
}

static void rate_is_kept(void)
{
	begin();
	test_retry(rate_holds, NULL);
}

/* Call chains. */

static struct perf_event_attr chain_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	return attr;
}

/*
 * To follow frame pointers, the compiler must keep them. The fault is in this
 * function, because library functions use that register for other things.
 */
__attribute__((noipa, optimize("no-omit-frame-pointer"))) static
unsigned int dive(unsigned int depth, char *target)
{
	unsigned int below = 0;

	if (depth)
		below = dive(depth - 1, target);
	else
		__atomic_store_n(target, 1, __ATOMIC_RELAXED);
	/* Keeps the compiler from making this a tail call or a loop. */
	asm volatile("" : "+r" (below) : : "memory");
	return below + 1;
}

struct chain {
	__u64 addresses;
	__u64 marks;
};

static struct chain chain_of(struct perf_event_attr *attr,
			     void (*happen)(void))
{
	struct perf_event_header *header;
	struct chain chain = { };
	struct perf_ring *ring;
	struct sample sample;
	__u64 i;
	int fd;

	fd = open_self(attr);
	ring = ring_map(fd, 64);
	event_enable(fd);
	happen();
	event_disable(fd);
	/* The last sample has the deepest chain. */
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, attr, &sample);
		chain = (struct chain) { };
		for (i = 0; i < sample.nr_ips; i++)
			if (sample.ips[i] >= (__u64)PERF_CONTEXT_MAX)
				chain.marks++;
			else
				chain.addresses++;
	}
	ring_unmap(ring);
	close(fd);
	return chain;
}

static void dive_deep(void)
{
	char *target = mmap(NULL, 1, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(target != MAP_FAILED, "mmap: %s", strerror(errno));
	/* The first dive touches the stack: the second has one fault. */
	dive(DEPTH, (char *)&target);
	dive(DEPTH, target);
}

static __u64 chain_depth(unsigned int max_stack)
{
	struct perf_event_attr attr = chain_attr();

	attr.exclude_callchain_kernel = 1;
	attr.sample_max_stack = max_stack;
	return chain_of(&attr, dive_deep).addresses;
}

static void expect_depth(unsigned int max_stack, __u64 want)
{
	__u64 got = chain_depth(max_stack);

	EXPECT(got == want, "max_stack %ld, sample_max_stack %u: %llu addresses",
	       knob(MAX_STACK), max_stack, got);
}

static void depth_of_chains(void)
{
	begin();
	set(MAX_STACK, DEPTH + 100);
	if (chain_depth(0) < DEPTH)
		test_skip("%llu addresses of %d calls", chain_depth(0), DEPTH);
	set_later(MAX_STACK, DEPTH / 2);
	expect_depth(0, DEPTH / 2);
	expect_depth(DEPTH / 2, DEPTH / 2);
	expect_depth(3, 3);
	set_later(MAX_STACK, 5);
	expect_depth(0, 5);
	expect_depth(5, 5);
	expect_depth(1, 1);
	set_later(MAX_STACK, 1);
	expect_depth(0, 1);
	set_later(MAX_STACK, 0);
	expect_depth(0, 0);
}

static void deeper_than_the_maximum(void)
{
	struct perf_event_attr attr = chain_attr();

	begin();
	set(MAX_STACK, 10);
	attr.sample_max_stack = 11;
	CHECK(perf_open(&attr, 0, -1, -1, 0) < 0 && errno == EOVERFLOW,
	      "11 of 10: %s", strerror(errno));
	attr.sample_max_stack = 10;
	close(open_self(&attr));
	set_later(MAX_STACK, 11);
	attr.sample_max_stack = 11;
	close(open_self(&attr));
	/* Without call chains the depth does not matter. */
	set_later(MAX_STACK, 0);
	attr.sample_type = PERF_SAMPLE_IP;
	open_self(&attr);
}

static void rename_self(void)
{
	CHECK(!prctl(PR_SET_NAME, "sysctls", 0, 0, 0), "PR_SET_NAME");
}

static struct chain mixed_chain(void)
{
	struct perf_event_attr attr = chain_attr();

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = tracepoint_id("task/task_rename");
	return chain_of(&attr, rename_self);
}

/* Without a mark nothing would show whose addresses follow. */
static void marks_of_chains(void)
{
	struct chain full, one, none;

	begin();
	full = mixed_chain();
	CHECK(full.marks == 2 && full.addresses > 2, "%llu marks, %llu addresses",
	      full.marks, full.addresses);
	set_later(MAX_MARKS, 1);
	one = mixed_chain();
	CHECK(one.marks == 1 && one.addresses &&
	      one.addresses < full.addresses, "1: %llu marks, %llu addresses",
	      one.marks, one.addresses);
	set_later(MAX_MARKS, 0);
	none = mixed_chain();
	CHECK(!none.marks && !none.addresses, "0: %llu marks, %llu addresses",
	      none.marks, none.addresses);
	set_later(MAX_MARKS, 2);
	full = mixed_chain();
	CHECK(full.marks == 2, "2: %llu marks", full.marks);
}

static void expect_in_use(const char *by)
{
	EXPECT(try_set(MAX_STACK, 50) == EBUSY, "stack, %s", by);
	EXPECT(try_set(MAX_STACK, saved[MAX_STACK]) == EBUSY,
	       "stack as it was, %s", by);
	EXPECT(try_set(MAX_STACK, -1) == EINVAL, "wrong stack, %s", by);
	EXPECT(try_set(MAX_MARKS, 5) == EBUSY, "marks, %s", by);
	EXPECT(knob(MAX_STACK) == saved[MAX_STACK] &&
	       knob(MAX_MARKS) == saved[MAX_MARKS], "changed all the same, %s",
	       by);
}

static void sleep_long(void *arg)
{
	(void)arg;
	pause();
}

static void chains_in_use(void)
{
	struct perf_event_attr attr = chain_attr();
	struct helper child;
	int one, two;

	begin();
	one = open_self(&attr);
	expect_in_use("one event");
	attr.inherit = 1;
	two = open_self(&attr);
	child = helper_start(sleep_long, NULL);
	helper_go(&child);
	close(one);
	expect_in_use("an inherited event");
	/* The child has the descriptors as well. */
	stop_child(child.pid);
	expect_in_use("an event whose copy is gone");
	close(two);
	set_later(MAX_STACK, 50);
	set_later(MAX_MARKS, 5);
	attr.sample_type = PERF_SAMPLE_IP;
	open_self(&attr);
	set(MAX_STACK, 51);
}

/* Memory. */

#define MAP_PAGES	9	/* a page of control and eight of data */

static bool maps(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	size_t size = MAP_PAGES * sysconf(_SC_PAGESIZE);
	int fd;

	attr.exclude_kernel = 1;
	fd = open_self(&attr);
	if (mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) !=
	    MAP_FAILED)
		return true;
	CHECK(errno == EPERM, "mmap: %s", strerror(errno));
	close(fd);
	return false;
}

static void maps_of_nobody(void *arg)
{
	struct rlimit none = { };
	int i, want = *(int *)arg;

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit");
	become_nobody();
	for (i = 0; i < want; i++)
		CHECK(maps(), "%d maps of %d", i, want);
	CHECK(!maps(), "%d maps are not all", want);
}

static void memory_of_a_user(void)
{
	long page_kb = sysconf(_SC_PAGESIZE) / 1024;
	int want = sysconf(_SC_NPROCESSORS_ONLN);

	begin();
	set(PARANOID, 2);
	set(MLOCK_KB, MAP_PAGES * page_kb);
	run_child(maps_of_nobody, &want);
	want *= 2;
	set(MLOCK_KB, 2 * MAP_PAGES * page_kb);
	run_child(maps_of_nobody, &want);
	want = 0;
	set(MLOCK_KB, 0);
	run_child(maps_of_nobody, &want);
	/* Less than a page allows none. */
	set(MLOCK_KB, page_kb - 1);
	run_child(maps_of_nobody, &want);
}

/* A new level concerns new events, not open ones. */

static void counts_kernel(void *arg)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int *stage = arg, fd;

	become_nobody();
	attr.disabled = 0;
	fd = open_self(&attr);
	__atomic_store_n(stage, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(stage, __ATOMIC_ACQUIRE) != 2)
		usleep(1000);
	CHECK(event_grows(fd), "an open event has stopped");
	attr.disabled = 1;
	CHECK(perf_open(&attr, 0, -1, -1, 0) < 0 && errno == EACCES,
	      "a new one: %s", strerror(errno));
}

static void paranoia_of_the_moment(void)
{
	int *stage = map_memory(memory_fd("stage", sizeof(*stage)),
				sizeof(*stage));
	pid_t pid;

	begin();
	set(PARANOID, 1);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		counts_kernel(stage);
		child_finish();
	}
	while (__atomic_load_n(stage, __ATOMIC_ACQUIRE) != 1) {
		CHECK(!waitpid(pid, NULL, WNOHANG), "the child has ended");
		usleep(1000);
	}
	set(PARANOID, 2);
	__atomic_store_n(stage, 2, __ATOMIC_RELEASE);
	join_child(pid);
}

static const struct test_case cases[] = {
	{ "what is no number", no_numbers },
	{ "others may read", others_may_read },
	{ "no rate without a share", rate_without_share },
	{ "frequencies up to the rate", frequencies },
	{ "periods below the rate's", periods },
	{ "the rate is kept", rate_is_kept },
	{ "depth of call chains", depth_of_chains },
	{ "sample_max_stack up to the maximum", deeper_than_the_maximum },
	{ "marks of call chains", marks_of_chains },
	{ "call chains in use", chains_in_use },
	{ "memory of a user", memory_of_a_user },
	{ "paranoia of the moment", paranoia_of_the_moment },
};

int main(void)
{
	int i;

	for (i = 0; i < KNOBS; i++)
		saved[i] = knob(i);
	tests_begin(ARRAY_SIZE(value_rows) + ARRAY_SIZE(cases));
	tests_run_rows(value_rows, ARRAY_SIZE(value_rows),
		       sizeof(value_rows[0]), run_value_row);
	tests_run(cases, ARRAY_SIZE(cases));
	if (!access(knob_paths[PARANOID], W_OK))
		restore();
	tests_end();
}
