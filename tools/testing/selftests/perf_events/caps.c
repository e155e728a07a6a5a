// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/bus/event_source/devices/PMU/caps/counters_*: do the numbers agree with
 * what can be opened, and are counters that other events hold not counted as
 * free?
 *
 * Kernels that do not have the files are skipped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "perf_lib.h"
#include "test_pmu.h"

#define CPU_CAPS	"/sys/bus/event_source/devices/cpu/caps/counters_"
#define TEST_CAPS	TEST_PMU_DIR "/caps/counters_"
#define MAX_EVENTS	40

struct caps {
	long general;
	long fixed;
	long general_free;
	long fixed_free;
};

static long read_file(const char *prefix, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", prefix, name);
	return read_long(path);
}

static struct caps read_caps(const char *prefix)
{
	struct caps caps = {
		.general = read_file(prefix, "general"),
		.fixed = read_file(prefix, "fixed"),
		.general_free = read_file(prefix, "general_free"),
		.fixed_free = read_file(prefix, "fixed_free"),
	};

	return caps;
}

static struct caps need_cpu_caps(void)
{
	struct caps caps;

	need_hardware();
	caps = read_caps(CPU_CAPS);
	if (caps.general < 0)
		test_skip("no caps/counters_general of the CPU's PMU");
	return caps;
}

static void expect_caps(const char *prefix, struct caps want, const char *when)
{
	struct caps caps = read_caps(prefix);

	EXPECT(!memcmp(&caps, &want, sizeof(caps)),
	       "%s: %ld + %ld, free %ld + %ld; not %ld + %ld, free %ld + %ld",
	       when, caps.general, caps.fixed, caps.general_free,
	       caps.fixed_free, want.general, want.fixed, want.general_free,
	       want.fixed_free);
}

/* The numbers of the files are plausible in themselves. */
static void plausible(void)
{
	struct caps caps = need_cpu_caps();

	EXPECT(caps.general > 0, "%ld general counters", caps.general);
	EXPECT(caps.fixed >= 0, "%ld fixed counters", caps.fixed);
	EXPECT(caps.general_free >= 0 && caps.general_free <= caps.general,
	       "%ld of %ld general counters free", caps.general_free,
	       caps.general);
	EXPECT(caps.fixed_free >= 0 && caps.fixed_free <= caps.fixed,
	       "%ld of %ld fixed counters free", caps.fixed_free, caps.fixed);
}

/* The driver's own files are still there; Intel's has some. */
static void beside_the_drivers(void)
{
	need_cpu_caps();
	if (system("grep -q GenuineIntel /proc/cpuinfo"))
		test_skip("the driver has none");
	EXPECT(!access("/sys/bus/event_source/devices/cpu/caps/pmu_name", R_OK),
	       "no pmu_name");
}

static void absent_where_unknown(void)
{
	static const char *const pmus[] = {
		"software", "tracepoint", "kprobe", "uprobe", "breakpoint",
		"msr",
	};
	char path[128];
	size_t i;

	need_cpu_caps();
	for (i = 0; i < ARRAY_SIZE(pmus); i++) {
		snprintf(path, sizeof(path),
			 "/sys/bus/event_source/devices/%s/caps/counters_general",
			 pmus[i]);
		EXPECT(access(path, F_OK), "%s is there", path);
	}
}

/* Groups. */

struct group {
	int fd[MAX_EVENTS];
	int nr;
};

static bool group_add(struct group *group, __u64 kind)
{
	struct perf_event_attr attr = hw_attr(kind);
	int leader = group->nr ? group->fd[0] : -1;
	int fd;

	attr.disabled = 0;
	attr.pinned = !group->nr;
	if (group->nr == MAX_EVENTS)
		return false;
	fd = perf_open(&attr, -1, first_cpu(), leader, 0);
	if (fd < 0)
		return false;
	group->fd[group->nr++] = fd;
	return true;
}

static int group_fill(struct group *group, __u64 kind)
{
	int before = group->nr;

	while (group_add(group, kind))
		;
	return group->nr - before;
}

static void group_close(struct group *group)
{
	while (group->nr)
		close(group->fd[--group->nr]);
}

/* A pinned group without room reads as end of file. */
static bool group_counts(const struct group *group)
{
	__u64 value;

	return read(group->fd[0], &value, sizeof(value)) == sizeof(value);
}

/* Return: the kind of which a group holds as many events as the file says. */
static __u64 find_general_kind(const struct caps *caps)
{
	struct group group = { .nr = 0 };
	__u64 kind;
	int nr;

	for (kind = 0; kind < PERF_COUNT_HW_MAX; kind++) {
		nr = group_fill(&group, kind);
		group_close(&group);
		if (nr == caps->general)
			return kind;
	}
	CHECK(0, "no event can be opened %ld times", caps->general);
	return 0;
}

/* A group of all free general counters runs, but not with one event more. */
static void general_run(void)
{
	struct caps caps = need_cpu_caps();
	struct group group = { .nr = 0 };
	__u64 kind = find_general_kind(&caps);

	while (group.nr < caps.general_free)
		CHECK(group_add(&group, kind), "event %d of %ld: %s", group.nr,
		      caps.general_free, strerror(errno));
	EXPECT(!group.nr || group_counts(&group), "%d events do not run",
	       group.nr);
	if (group_add(&group, kind))
		EXPECT(!group_counts(&group), "%d events run", group.nr);
}

/* A group with all free counters: then no kind of event can be added. */
static void all_run(void)
{
	struct caps caps = need_cpu_caps();
	struct group group = { .nr = 0 };
	__u64 general = find_general_kind(&caps), kind;

	while (group.nr < caps.general_free && group_add(&group, general))
		;
	for (kind = 0; kind < PERF_COUNT_HW_MAX; kind++) {
		/* More would need counters that others hold. */
		if (group.nr < caps.general_free + caps.fixed_free &&
		    group_add(&group, kind) && !group_counts(&group)) {
			/*
			 * That counter was held by another event: enable the
			 * group again.
			 */
			close(group.fd[--group.nr]);
			ioctl(group.fd[0], PERF_EVENT_IOC_ENABLE, 0);
		}
	}
	EXPECT(group.nr == caps.general_free + caps.fixed_free,
	       "%d events run, not %ld + %ld", group.nr, caps.general_free,
	       caps.fixed_free);
	EXPECT(group_counts(&group), "they do not run");
}

/* The largest group that can be opened has one event for each counter. */
static void all_open(void)
{
	struct caps caps = need_cpu_caps();
	struct group group = { .nr = 0 };
	__u64 kind;

	group_fill(&group, find_general_kind(&caps));
	for (kind = 0; kind < PERF_COUNT_HW_MAX; kind++)
		group_fill(&group, kind);
	EXPECT(group.nr == caps.general + caps.fixed,
	       "a group of %d can be opened, not %ld + %ld", group.nr,
	       caps.general, caps.fixed);
}

static void pinned_is_missing(void)
{
	struct caps caps = need_cpu_caps(), want = caps;
	struct group one = { .nr = 0 }, other = { .nr = 0 };
	__u64 kind = find_general_kind(&caps);

	if (caps.general_free < 2)
		test_skip("%ld counters are free", caps.general_free);
	CHECK(group_add(&one, kind), "open: %s", strerror(errno));
	want.general_free--;
	expect_caps(CPU_CAPS, want, "one pinned event");
	CHECK(group_add(&other, kind), "open: %s", strerror(errno));
	want.general_free--;
	expect_caps(CPU_CAPS, want, "two pinned events");
	event_disable(one.fd[0]);
	want.general_free++;
	expect_caps(CPU_CAPS, want, "one of them disabled");
	group_close(&one);
	group_close(&other);
	expect_caps(CPU_CAPS, caps, "none");
}

static void flexible_is_free(void)
{
	struct caps caps = need_cpu_caps();
	struct perf_event_attr attr = hw_attr(find_general_kind(&caps));
	int i;

	attr.disabled = 0;
	for (i = 0; i < 2 * caps.general; i++)
		open_on(&attr, -1, first_cpu(), -1);
	expect_caps(CPU_CAPS, caps, "flexible events");
	attr.pinned = 1;
	open_on(&attr, 0, -1, -1);
	expect_caps(CPU_CAPS, caps, "a task's pinned event");
}

/* The hard-lockup detector, if enabled, holds a cycle counter of each CPU. */
static void watchdog_is_missing(void)
{
	static const char file[] = "/proc/sys/kernel/nmi_watchdog";
	struct caps with, without;
	long before;

	without = need_cpu_caps();
#ifndef __x86_64__
	test_skip("the watchdog may use no counter here");
#endif
	before = read_long(file);
	if (before < 0 || !write_text(file, "0"))
		test_skip("no watchdog to switch");
	without = read_caps(CPU_CAPS);
	CHECK(write_text(file, "1"), "switch it on");
	with = read_caps(CPU_CAPS);
	write_text(file, before ? "1" : "0");
	if (read_long(file) != before)
		test_skip("the watchdog does not come back");
	EXPECT(with.general_free + with.fixed_free ==
	       without.general_free + without.fixed_free - 1,
	       "free with the watchdog %ld + %ld, without %ld + %ld",
	       with.general_free, with.fixed_free, without.general_free,
	       without.fixed_free);
}

/* A reader's rights are checked at read(2), not at open(2). */
static int read_error(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY), error = 0;

	CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	if (read(fd, &byte, 1) < 0)
		error = errno;
	close(fd);
	return error;
}

/*
 * Any user may read the totals. The free numbers reveal events of other users.
 */
static void what_nobody_may_read(void)
{
	struct caps caps = need_cpu_caps(), want = caps;
	struct perf_event_attr attr = hw_attr(find_general_kind(&caps));

	if (read_long("/proc/sys/kernel/perf_event_paranoid") < 1)
		test_skip("perf_event_paranoid is below 1");
	attr.exclude_kernel = 1;
	become_nobody();
	CHECK(perf_open(&attr, -1, first_cpu(), -1, 0) < 0 && errno == EACCES,
	      "nobody may open events of CPUs");
	EXPECT(read_error(CPU_CAPS "general_free") == EACCES, "general_free");
	EXPECT(read_error(CPU_CAPS "fixed_free") == EACCES, "fixed_free");
	want.general_free = -1;
	want.fixed_free = -1;
	expect_caps(CPU_CAPS, want, "an ordinary user");
}

static void set_paranoid(const char *level)
{
	if (!write_text("/proc/sys/kernel/perf_event_paranoid", level))
		test_skip("cannot set perf_event_paranoid");
}

/* A user who may open events of CPUs may read all the files. */
static void what_anybody_may_read(void)
{
	struct caps caps = need_cpu_caps();
	char before[16];
	int status;
	pid_t pid;

	snprintf(before, sizeof(before), "%ld",
		 read_long("/proc/sys/kernel/perf_event_paranoid"));
	set_paranoid("0");
	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid) {
		struct caps got;

		become_nobody();
		got = read_caps(CPU_CAPS);
		_exit(memcmp(&got, &caps, sizeof(caps)) != 0);
	}
	waitpid(pid, &status, 0);
	set_paranoid(before);
	CHECK(!status, "status %#x", status);
}

/* A driver that knows its counters. */
static void driver_answers(void)
{
	struct perf_event_attr attr;
	struct caps caps, want;
	int fd;

	test_pmu_need();
	caps = read_caps(TEST_CAPS);
	CHECK(caps.general == test_pmu_parameter("counters"),
	      "%ld general counters", caps.general);
	want = (struct caps) { caps.general, 1, caps.general, 1 };
	expect_caps(TEST_CAPS, want, "nothing is on");

	attr = test_pmu_attr(TEST_PMU_GENERAL);
	attr.pinned = 1;
	fd = open_on(&attr, -1, first_cpu(), -1);
	want.general_free--;
	expect_caps(TEST_CAPS, want, "a pinned event");
	attr.pinned = 0;
	open_on(&attr, -1, first_cpu(), -1);
	expect_caps(TEST_CAPS, want, "and a flexible one");
	attr.pinned = 1;
	attr.config = TEST_PMU_FIXED;
	open_on(&attr, -1, first_cpu(), -1);
	want.fixed_free--;
	expect_caps(TEST_CAPS, want, "and one that is fixed");
	close(fd);
	want.general_free++;
	expect_caps(TEST_CAPS, want, "the first one closed");
}

/* A total never changes: the driver is asked once, not at each read. */
static void asked_once(void)
{
	long questions;

	test_pmu_need();
	CHECK(read_file(TEST_CAPS, "general") > 0, "no general counters");
	questions = test_pmu_parameter("questions");
	CHECK(questions > 0, "nobody was asked");
	for (int i = 0; i < 10; i++) {
		read_file(TEST_CAPS, "general");
		read_file(TEST_CAPS, "fixed");
	}
	EXPECT(test_pmu_parameter("questions") == questions,
	       "CPUs were asked %ld times more",
	       test_pmu_parameter("questions") - questions);
	read_file(TEST_CAPS, "general_free");
	EXPECT(test_pmu_parameter("questions") > questions,
	       "what is free was not asked for");
}

static const struct test_case cases[] = {
	{ "plausible", plausible },
	{ "beside the driver's files", beside_the_drivers },
	{ "absent where it is unknown", absent_where_unknown },
	{ "the free general ones run", general_run },
	{ "all that are free run", all_run },
	{ "all that are there can be opened", all_open },
	{ "pinned events are missing", pinned_is_missing },
	{ "other events are not", flexible_is_free },
	{ "the watchdog is missing", watchdog_is_missing },
	{ "what an ordinary user may read", what_nobody_may_read },
	{ "what anybody may read at paranoid 0", what_anybody_may_read },
	{ "a driver that answers", driver_answers },
	{ "a driver that is asked once", asked_once },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
