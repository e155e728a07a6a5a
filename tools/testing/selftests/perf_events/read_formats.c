// SPDX-License-Identifier: GPL-2.0
/*
 * read(2) of a perf file: every combination of PERF_FORMAT_ bits for single
 * events and groups, buffers that are too small or bad, and what the two times
 * and the lost count mean.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "perf_lib.h"

#define EVENTS		4
#define FAULTS		40

/* All bits but PERF_FORMAT_GROUP. */
static const __u64 single_bits[] = {
	PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING,
	PERF_FORMAT_ID, PERF_FORMAT_LOST,
};

static __u64 combination(unsigned int mask)
{
	__u64 format = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(single_bits); i++)
		if (mask & 1 << i)
			format |= single_bits[i];
	return format;
}

static void check_times(const struct read_values *got, __u64 format)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		CHECK(got->enabled > 0, "format %#llx: enabled is 0",
		      (unsigned long long)format);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		CHECK(got->running > 0, "format %#llx: running is 0",
		      (unsigned long long)format);
	if ((format & FORMAT_TIMES) == FORMAT_TIMES)
		CHECK(got->running == got->enabled,
		      "software event enabled %llu, ran %llu",
		      (unsigned long long)got->enabled,
		      (unsigned long long)got->running);
}

static struct read_values read_all(int fd, __u64 format)
{
	struct read_values got;
	char buf[1024];
	ssize_t len = read(fd, buf, sizeof(buf));
	size_t used;

	CHECK(len > 0, "format %#llx: read gave %zd, %s",
	      (unsigned long long)format, len, strerror(errno));
	used = parse_read(buf, len, format, &got);
	CHECK(used == (size_t)len, "format %#llx: %zd bytes, %zu expected",
	      (unsigned long long)format, len, used);
	return got;
}

static void single(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct read_values got;
	unsigned int mask;
	int fd;

	for (mask = 0; mask < 1 << ARRAY_SIZE(single_bits); mask++) {
		attr.read_format = combination(mask);
		fd = open_self(&attr);
		event_enable(fd);
		touch_pages(FAULTS);
		event_disable(fd);
		got = read_all(fd, attr.read_format);
		CHECK(got.event[0].value >= FAULTS, "%llu page faults",
		      (unsigned long long)got.event[0].value);
		check_times(&got, attr.read_format);
		if (attr.read_format & PERF_FORMAT_ID)
			CHECK(got.event[0].id == event_id(fd), "id");
		CHECK(got.event[0].lost == 0, "lost without buffer");
		close(fd);
	}
}

static void group_of(__u64 format)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct read_values got;
	int fd[EVENTS], i;

	attr.read_format = format;
	fd[0] = open_self(&attr);
	attr.disabled = 0;
	for (i = 1; i < EVENTS; i++)
		fd[i] = open_sibling(&attr, fd[0]);
	event_enable(fd[0]);
	touch_pages(FAULTS);
	event_disable(fd[0]);
	got = read_all(fd[0], format);
	CHECK(got.nr == EVENTS, "%llu events", (unsigned long long)got.nr);
	check_times(&got, format);
	for (i = 0; i < EVENTS; i++) {
		CHECK(got.event[i].value >= FAULTS, "event %d: %llu", i,
		      (unsigned long long)got.event[i].value);
		CHECK(got.event[i].value == got.event[0].value,
		      "events of one group differ");
		if (format & PERF_FORMAT_ID)
			CHECK(got.event[i].id == event_id(fd[i]),
			      "event %d has another's id", i);
		close(fd[i]);
	}
}

static void group(void)
{
	unsigned int mask;

	for (mask = 0; mask < 1 << ARRAY_SIZE(single_bits); mask++)
		group_of(PERF_FORMAT_GROUP | combination(mask));
}

/* A leader alone is a group of one. */
static void group_of_one(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct read_values got;
	int fd;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	fd = open_self(&attr);
	got = read_all(fd, attr.read_format);
	CHECK(got.nr == 1 && got.event[0].id == event_id(fd), "group of one");
}

/*
 * Each file reads by its own format, whatever the formats of the group's other
 * events are.
 */
static void mixed_formats(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct read_values got;
	int leader, plain, sibling;

	leader = open_self(&attr);
	plain = open_sibling(&attr, leader);
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	sibling = open_sibling(&attr, leader);
	read_count(leader);
	read_count(plain);
	got = read_all(sibling, attr.read_format);
	CHECK(got.nr == 3, "%llu events", (unsigned long long)got.nr);
	CHECK(got.event[0].id == event_id(leader) &&
	      got.event[1].id == event_id(plain) &&
	      got.event[2].id == event_id(sibling), "order of the siblings");
}

static void group_shrinks(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct read_values got;
	int leader, gone, stays;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	leader = open_self(&attr);
	gone = open_sibling(&attr, leader);
	stays = open_sibling(&attr, leader);
	close(gone);
	got = read_all(leader, attr.read_format);
	CHECK(got.nr == 2, "%llu events", (unsigned long long)got.nr);
	CHECK(got.event[1].id == event_id(stays), "the wrong one left");
}

static void expect_no_space(int fd, size_t size)
{
	char buf[256];
	ssize_t got = read(fd, buf, size);

	CHECK(got < 0 && errno == ENOSPC, "%zu bytes: %zd, %s", size, got,
	      strerror(errno));
}

static void short_buffer(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	char buf[256];
	int fd;

	fd = open_self(&attr);
	expect_no_space(fd, 7);
	expect_no_space(fd, 0);
	CHECK(read(fd, buf, 8) == 8, "exact buffer");
	CHECK(read(fd, buf, 256) == 8, "large buffer");
	attr.read_format = FORMAT_TIMES | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	fd = open_self(&attr);
	expect_no_space(fd, 39);
	CHECK(read(fd, buf, 40) == 40, "exact buffer, all fields");
}

/* The size of a group read grows with the group. */
static void short_group_buffer(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	char buf[256];
	int fd;

	attr.read_format = FORMAT_TIMES | PERF_FORMAT_ID | PERF_FORMAT_GROUP;
	fd = open_self(&attr);
	CHECK(read(fd, buf, 40) == 40, "one event");
	open_sibling(&attr, fd);
	expect_no_space(fd, 40);
	expect_no_space(fd, 55);
	CHECK(read(fd, buf, 56) == 56, "two events");
}

static void bad_buffer(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	size_t page = sysconf(_SC_PAGESIZE);
	char *area;
	int fd;

	area = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED, "mmap");
	fd = open_self(&attr);
	CHECK(read(fd, area, page) < 0 && errno == EFAULT, "single: %s",
	      strerror(errno));
	attr.read_format = PERF_FORMAT_GROUP;
	fd = open_self(&attr);
	CHECK(read(fd, area, page) < 0 && errno == EFAULT, "group: %s",
	      strerror(errno));
}

static void write_refused(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = open_self(&attr);

	CHECK(write(fd, "12345678", 8) < 0 && errno == EINVAL, "write: %s",
	      strerror(errno));
	CHECK(lseek(fd, 0, SEEK_SET) < 0 && errno == ESPIPE, "lseek: %s",
	      strerror(errno));
}

static void times_stand_still(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct timed_count one, two;
	int fd;

	attr.read_format = FORMAT_TIMES;
	fd = open_self(&attr);
	burn_ms(5);
	one = read_timed(fd);
	CHECK(!one.enabled && !one.running, "never enabled, times %llu %llu",
	      (unsigned long long)one.enabled, (unsigned long long)one.running);
	event_enable(fd);
	burn_ms(5);
	event_disable(fd);
	one = read_timed(fd);
	burn_ms(5);
	two = read_timed(fd);
	CHECK(one.enabled == two.enabled && one.running == two.running,
	      "times pass while disabled");
}

static void times_pass(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	__u64 before, after;
	struct timed_count one, two;
	int fd;

	attr.read_format = FORMAT_TIMES;
	fd = open_self(&attr);
	before = now_ns();
	event_enable(fd);
	burn_ms(20);
	one = read_timed(fd);
	burn_ms(20);
	two = read_timed(fd);
	event_disable(fd);
	after = now_ns();
	CHECK(one.enabled >= 15 * NSEC_PER_MSEC, "20 ms enabled: %llu ns",
	      (unsigned long long)one.enabled);
	CHECK(two.enabled >= one.enabled + 15 * NSEC_PER_MSEC,
	      "40 ms enabled: %llu ns", (unsigned long long)two.enabled);
	CHECK(two.enabled <= (after - before) + (after - before) / 10,
	      "enabled %llu ns in %llu", (unsigned long long)two.enabled,
	      (unsigned long long)(after - before));
	CHECK(two.running <= two.enabled, "running longer than enabled");
}

/* RESET clears the value and leaves the times alone. */
static void times_survive_reset(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct timed_count one, two;
	int fd;

	attr.read_format = FORMAT_TIMES;
	fd = open_self(&attr);
	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	one = read_timed(fd);
	event_reset(fd);
	two = read_timed(fd);
	CHECK(one.value >= FAULTS && two.value == 0, "reset left %llu",
	      (unsigned long long)two.value);
	CHECK(two.enabled == one.enabled && two.running == one.running,
	      "reset changed the times");
}

/* A sibling can run only while its leader does. */
static void sibling_of_stopped_leader(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct timed_count count;
	int leader, sibling;

	attr.read_format = FORMAT_TIMES;
	leader = open_self(&attr);
	attr.disabled = 0;
	sibling = open_sibling(&attr, leader);
	touch_pages(FAULTS);
	count = read_timed(sibling);
	CHECK(!count.value && !count.running, "counted %llu, ran %llu",
	      (unsigned long long)count.value,
	      (unsigned long long)count.running);
	event_enable(leader);
	touch_pages(FAULTS);
	event_disable(leader);
	count = read_timed(sibling);
	CHECK(count.value >= FAULTS, "counted %llu",
	      (unsigned long long)count.value);
}

static void lost_samples(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct read_values got;
	struct perf_ring *ring;
	unsigned int stored;
	int fd;

	attr.read_format = PERF_FORMAT_LOST;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	fd = open_self(&attr);
	ring = ring_map(fd, 1);
	event_enable(fd);
	overfill_page();
	event_disable(fd);
	stored = ring_count(ring, PERF_RECORD_SAMPLE);
	got = read_all(fd, attr.read_format);
	CHECK(stored > 0 && stored < got.event[0].value,
	      "%u samples in one page", stored);
	CHECK(stored + got.event[0].lost == got.event[0].value,
	      "%u stored, %llu lost of %llu", stored,
	      (unsigned long long)got.event[0].lost,
	      (unsigned long long)got.event[0].value);
}

static void waiting_child(void *arg)
{
	(void)arg;
	touch_pages(FAULTS);
}

/* The leader and its sibling have ended, and keep their values. */
static void group_of_exited_task(void)
{
	const __u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | FORMAT_TIMES;
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct read_values got, again;
	struct helper child;
	int leader, sibling;

	child = helper_start(waiting_child, NULL);
	attr.disabled = 0;
	attr.read_format = format;
	leader = open_on(&attr, child.pid, -1, -1);
	sibling = open_on(&attr, child.pid, -1, leader);
	helper_go(&child);
	helper_join(&child);
	got = read_all(leader, format);
	CHECK(got.nr == 2, "%llu events", (unsigned long long)got.nr);
	CHECK(got.event[0].value >= FAULTS && got.event[1].value >= FAULTS,
	      "%llu and %llu faults", (unsigned long long)got.event[0].value,
	      (unsigned long long)got.event[1].value);
	check_times(&got, format);
	again = read_all(sibling, format);
	CHECK(!memcmp(&again, &got, sizeof(got)),
	      "the sibling shows other values");
	close(sibling);
	close(leader);
}

static void expect_other_shape(int fd, const char *what)
{
	char buf[256];
	ssize_t got = read(fd, buf, sizeof(buf));

	CHECK(got < 0 && errno == ECHILD, "%s: %zd, %s", what, got,
	      strerror(errno));
}

/*
 * A child has copies of the siblings that existed at the fork. A sum over
 * groups with different siblings makes no sense until the child has exited.
 */
static void group_grows_after_fork(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int leader, sibling, late, loner;
	struct read_values got;
	struct helper child;

	attr.inherit = 1;
	attr.disabled = 0;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	leader = open_self(&attr);
	sibling = open_sibling(&attr, leader);
	child = helper_start(waiting_child, NULL);
	got = read_all(leader, attr.read_format);
	CHECK(got.nr == 2, "%llu events", (unsigned long long)got.nr);

	late = open_sibling(&attr, leader);
	expect_other_shape(leader, "leader");
	expect_other_shape(sibling, "sibling");
	expect_other_shape(late, "late sibling");
	attr.read_format = PERF_FORMAT_ID;
	loner = open_sibling(&attr, leader);
	read_all(loner, attr.read_format);

	helper_go(&child);
	helper_join(&child);
	got = read_all(leader, PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	CHECK(got.nr == 4, "%llu events", (unsigned long long)got.nr);
	CHECK(got.event[0].value >= FAULTS, "the child's faults are gone");
	CHECK(got.event[2].value < got.event[0].value,
	      "the late sibling counted the child");
}

static void *waiting_thread(void *go)
{
	char byte;

	CHECK(read(*(int *)go, &byte, 1) == 1, "pipe");
	touch_pages(FAULTS);
	return NULL;
}

/*
 * A sibling that is closed takes its copies along, so the groups stay alike.
 * The copies are a thread's, as a process would keep the sibling's file open.
 */
static void group_shrinks_after_clone(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct read_values got;
	int leader, gone, go[2];
	pthread_t thread;

	attr.inherit = 1;
	attr.disabled = 0;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	leader = open_self(&attr);
	gone = open_sibling(&attr, leader);
	open_sibling(&attr, leader);
	CHECK(!pipe(go) && !pthread_create(&thread, NULL, waiting_thread, go),
	      "thread");
	close(gone);
	got = read_all(leader, attr.read_format);
	CHECK(got.nr == 2, "%llu events", (unsigned long long)got.nr);
	CHECK(write(go[1], "", 1) == 1 && !pthread_join(thread, NULL), "join");
	got = read_all(leader, attr.read_format);
	CHECK(got.nr == 2 && got.event[1].value >= FAULTS, "after the thread");
}

static const struct test_case cases[] = {
	{ "single event, all formats", single },
	{ "group, all formats", group },
	{ "group of one", group_of_one },
	{ "different formats in one group", mixed_formats },
	{ "group shrinks", group_shrinks },
	{ "group grows after a fork: ECHILD", group_grows_after_fork },
	{ "group shrinks after a clone", group_shrinks_after_clone },
	{ "group of a task that has exited", group_of_exited_task },
	{ "buffer too short", short_buffer },
	{ "buffer too short for the group", short_group_buffer },
	{ "bad buffer", bad_buffer },
	{ "write is refused", write_refused },
	{ "times stand still while disabled", times_stand_still },
	{ "times pass while enabled", times_pass },
	{ "times survive RESET", times_survive_reset },
	{ "sibling of a disabled leader", sibling_of_stopped_leader },
	{ "lost samples are counted", lost_samples },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
