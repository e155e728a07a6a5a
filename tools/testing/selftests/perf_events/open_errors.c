// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2) with bad input: the errno for each mistake.
 *
 * Most mistakes are one wrong field, so a row of the table holds an attribute,
 * where to open it, beside which leader, and the errno. Mistakes that need more
 * (an object in a certain state, many events) have cases of their own. Cases
 * that depend on privileges are in paranoid.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <linux/hw_breakpoint.h>

#include "open_rows.h"
#include "perf_lib.h"
#include "test_pmu.h"

#define TRACING		"/sys/kernel/tracing"
#define FILE_MAX	"/proc/sys/fs/file-max"

static void expect_error(int fd, int error, int other)
{
	CHECK(fd < 0, "open succeeded, expected %s", strerror(error));
	CHECK(errno == error || (other && errno == other),
	      "open gave %s, expected %s", strerror(errno), strerror(error));
}

static void run_open_row(const void *arg)
{
	const struct open_row *row = arg;
	struct perf_event_attr attr = row->attr;
	struct open_place place;
	int fd, leader = -1;

	require(row->needs);
	if (row->leader)
		leader = row->leader();
	attr.size = sizeof(attr);
	attr.disabled = 1;
	place = place_of(row->where);
	fd = perf_open(&attr, place.pid, place.cpu, leader, row->flags);
	expect_error(fd, row->error, row->other_error);
}

static void attr_pointer(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	char *area;

	expect_error(perf_open(NULL, 0, -1, -1, 0), EFAULT, 0);
	expect_error(perf_open((void *)-4096L, 0, -1, -1, 0), EFAULT, 0);
	area = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED && !munmap(area + page, page), "mmap");
	memcpy(area + page - 16, &attr, 16);
	expect_error(perf_open((void *)(area + page - 16), 0, -1, -1, 0),
		     EFAULT, 0);
	memcpy(area + page - sizeof(attr), &attr, sizeof(attr));
	CHECK(perf_open((void *)(area + page - sizeof(attr)), 0, -1, -1,
			0) >= 0, "attr at the end of a page: %s",
	      strerror(errno));
}

union big_attr {
	struct perf_event_attr attr;
	char bytes[1 << 16];
};

static void size_too_big(__u32 size, size_t dirty)
{
	static union big_attr big;

	memset(&big, 0, sizeof(big));
	big.attr = sw_attr(PERF_COUNT_SW_DUMMY);
	big.attr.size = size;
	if (dirty)
		big.bytes[dirty] = 1;
	expect_error(perf_open(&big.attr, 0, -1, -1, 0), E2BIG, 0);
	EXPECT(big.attr.size >= PERF_ATTR_SIZE_VER5 && big.attr.size <= 1024,
	       "size %u: %u written back", size, big.attr.size);
}

static void attr_sizes_refused(void)
{
	long page = sysconf(_SC_PAGESIZE);

	size_too_big(1, 0);
	size_too_big(PERF_ATTR_SIZE_VER0 - 1, 0);
	size_too_big(page + 1, 0);
	size_too_big(UINT_MAX, 0);
	size_too_big(1024, 1023);
	size_too_big(page, page - 1);
}

static void attr_sizes_accepted(void)
{
	static const __u32 sizes[] = {
		0, PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER1,
		PERF_ATTR_SIZE_VER2, PERF_ATTR_SIZE_VER3, PERF_ATTR_SIZE_VER4,
		PERF_ATTR_SIZE_VER5, PERF_ATTR_SIZE_VER6, PERF_ATTR_SIZE_VER7,
		PERF_ATTR_SIZE_VER0 + 4, 1024, 4096,
	};
	static union big_attr big;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		big.attr = sw_attr(PERF_COUNT_SW_DUMMY);
		big.attr.size = sizes[i];
		fd = perf_open(&big.attr, 0, -1, -1, 0);
		EXPECT(fd >= 0, "size %u: %s", sizes[i], strerror(errno));
		close(fd);
	}
}

/* Reserved bits whose names differ between versions of the header. */
static void attr_reserved_bits(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	char *bytes = (char *)&attr;
	__u64 bits = 1ULL << 63;
	__u32 word = 1U << 31;
	size_t flags = offsetof(struct perf_event_attr, read_format) + 8;
	size_t after_aux =
		offsetof(struct perf_event_attr, aux_sample_size) + 4;

	memcpy(bytes + flags, &bits, sizeof(bits));
	expect_error(perf_open(&attr, 0, -1, -1, 0), EINVAL, 0);
	attr = sw_attr(PERF_COUNT_SW_DUMMY);
	memcpy(bytes + after_aux, &word, sizeof(word));
	expect_error(perf_open(&attr, 0, -1, -1, 0), EINVAL, 0);
}

static void freq_above_max(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);
	long max = read_long("/proc/sys/kernel/perf_event_max_sample_rate");

	CHECK(max > 0, "no perf_event_max_sample_rate");
	attr.freq = 1;
	attr.sample_freq = max + 1;
	expect_error(perf_open(&attr, 0, -1, -1, 0), EINVAL, 0);
	attr.sample_freq = ~0ULL;
	expect_error(perf_open(&attr, 0, -1, -1, 0), EINVAL, 0);
}

static void callchain_too_deep(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	long max = read_long("/proc/sys/kernel/perf_event_max_stack");

	CHECK(max >= 0, "no perf_event_max_stack");
	if (max >= USHRT_MAX)
		test_skip("perf_event_max_stack is %ld", max);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.sample_max_stack = max + 1;
	expect_error(perf_open(&attr, 0, -1, -1, 0), EOVERFLOW, 0);
	attr.sample_max_stack = max;
	CHECK(perf_open(&attr, 0, -1, -1, 0) >= 0, "largest stack: %s",
	      strerror(errno));
}

static void tracepoint_branch_stack(void)
{
	int id = tracepoint_id("sched/sched_switch");
	struct perf_event_attr attr = make_attr(PERF_TYPE_TRACEPOINT, id);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	expect_error(perf_open(&attr, 0, -1, -1, 0), EOPNOTSUPP, 0);
}

static void exiting_task(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct helper child = helper_start(dead_child, NULL);
	siginfo_t info;

	helper_go(&child);
	CHECK(!waitid(P_PID, child.pid, &info, WEXITED | WNOWAIT), "waitid");
	expect_error(perf_open(&attr, child.pid, -1, -1, 0), ESRCH, 0);
	helper_join(&child);
	expect_error(perf_open(&attr, child.pid, -1, -1, 0), ESRCH, 0);
}

static void no_free_fd(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct rlimit limit;
	int next = dup(0);

	CHECK(next >= 0 && !close(next), "dup");
	CHECK(!getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
	limit.rlim_cur = next;
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	expect_error(perf_open(&attr, 0, -1, -1, 0), EMFILE, 0);
	attr.type = NO_SUCH_TYPE;
	expect_error(perf_open(&attr, 0, -1, -1, 0), EMFILE, 0);
}

static void open_without_files(void *arg)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	(void)arg;
	attr.exclude_kernel = 1;
	become_nobody();
	expect_error(perf_open(&attr, 0, -1, -1, 0), ENFILE, 0);
}

/* The limit does not hold for root. If the case fails, main() restores it. */
static char file_max[32];

static void no_free_file(void)
{
	/* The kernel's number of files is not exact while it is small. */
	if (!write_text(FILE_MAX, "0"))
		test_skip(FILE_MAX ": %s", strerror(errno));
	run_child(open_without_files, NULL);
	write_text(FILE_MAX, file_max);
}

static void close_on_exec(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int stays = perf_open(&attr, 0, -1, -1, 0);
	int goes = perf_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	CHECK(stays >= 0 && goes >= 0, "open: %s", strerror(errno));
	CHECK(!(fcntl(stays, F_GETFD) & FD_CLOEXEC), "closed without the flag");
	CHECK(fcntl(goes, F_GETFD) & FD_CLOEXEC, "not closed with the flag");
}

static void cgroup_bad_fd(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int cpu = first_cpu(), fds[2], fd;

	fd = perf_open(&attr, 1000, cpu, -1, PERF_FLAG_PID_CGROUP);
	if (fd < 0 && errno == EINVAL)
		test_skip("kernel without cgroup events");
	expect_error(fd, EBADF, EOPNOTSUPP);
	CHECK(!pipe(fds), "pipe");
	fd = perf_open(&attr, fds[0], cpu, -1, PERF_FLAG_PID_CGROUP);
	expect_error(fd, EBADF, EOPNOTSUPP);
}

static struct perf_event_attr user_breakpoint(void *addr)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)addr;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.exclude_kernel = 1;
	return attr;
}

static void breakpoint_in_kernel(void)
{
	struct perf_event_attr attr = user_breakpoint((void *)-65536L);

	need_breakpoints();
	expect_error(perf_open(&attr, 0, -1, -1, 0), EINVAL, 0);
}

static void breakpoint_slots(void)
{
	static char target[64];
	struct perf_event_attr attr;
	unsigned int i;
	int fd = -1;

	need_breakpoints();
	for (i = 0; i < sizeof(target); i++) {
		attr = user_breakpoint(&target[i]);
		fd = perf_open(&attr, 0, -1, -1, 0);
		if (fd < 0)
			break;
	}
	CHECK(i, "first breakpoint: %s", strerror(errno));
	expect_error(fd, ENOSPC, 0);
}

/* A group that can never be on the PMU as a whole is refused at once. */
static void group_without_room(void)
{
	struct perf_event_attr attr =
		hw_attr(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	int fd = -1, leader, i;

	need_hardware();
	leader = open_self(&attr);
	attr.disabled = 0;
	for (i = 1; i < 64; i++) {
		fd = perf_open(&attr, 0, -1, leader, 0);
		if (fd < 0)
			break;
	}
	expect_error(fd, EINVAL, 0);
	CHECK(read_count(leader) == 0, "leader counted while disabled");
}

static void group_read_too_long(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct rlimit limit = { 2048, 2048 };
	int fd = -1, leader, i;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		test_skip("cannot raise RLIMIT_NOFILE");
	leader = open_self(&attr);
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			   PERF_FORMAT_LOST;
	for (i = 1; i < 1000; i++) {
		fd = perf_open(&attr, 0, -1, leader, 0);
		if (fd < 0)
			break;
	}
	expect_error(fd, E2BIG, 0);
	CHECK(i == (16 * 1024 - 8) / 24, "refused at event %d", i + 1);
	attr.read_format = 0;
	expect_error(perf_open(&attr, 0, -1, leader, 0), E2BIG, 0);
}

static int source_type(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), EVENT_SOURCES "/%s/type", name);
	return read_long(path);
}

static void exclude_on_msr(void)
{
	int type = source_type("msr");
	struct perf_event_attr attr;
	int fd;

	if (type < 0)
		test_skip("no msr PMU");
	attr = make_attr(type, 0);
	fd = perf_open(&attr, -1, first_cpu(), -1, 0);
	if (fd < 0)
		test_skip("msr/tsc/: %s", strerror(errno));
	attr.exclude_kernel = 1;
	expect_error(perf_open(&attr, -1, first_cpu(), -1, 0), EINVAL, 0);
	attr.exclude_kernel = 0;
	attr.sample_period = 1000;
	expect_error(perf_open(&attr, -1, first_cpu(), -1, 0), EINVAL,
		     EOPNOTSUPP);
}

static void uncore_on_task(void)
{
	static const char *const names[] = {
		"uncore_imc", "uncore_cbox_0", "power", "cstate_pkg",
		"cstate_core",
	};
	struct perf_event_attr attr;
	int fd, type;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		type = source_type(names[i]);
		if (type < 0)
			continue;
		attr = make_attr(type, 1);
		fd = perf_open(&attr, 0, -1, -1, 0);
		expect_error(fd, EINVAL, ENOENT);
		return;
	}
	test_skip("no uncore PMU");
}

static void precise_too_high(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	int fd;

	need_hardware();
	attr.sample_period = 100000;
	attr.precise_ip = 3;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd >= 0)
		test_skip("precise_ip 3 is available");
	expect_error(fd, EOPNOTSUPP, 0);
}

/* CPUs differ in the generic events that they have, but not in the errno. */
static void generic_without_code(void)
{
	struct perf_event_attr attr;
	unsigned int missing = 0, config;
	int fd;

	require(NEED_X86);
	for (config = 0; config < PERF_COUNT_HW_MAX; config++) {
		attr = hw_attr(config);
		fd = perf_open(&attr, 0, -1, -1, 0);
		if (fd >= 0) {
			close(fd);
			continue;
		}
		EXPECT(errno == ENOENT, "event %u: %s", config,
		       strerror(errno));
		missing++;
	}
	if (!missing)
		test_skip("the PMU has all generic events");
}

static void sampling_without_interrupt(void)
{
	struct perf_event_attr attr;

	test_pmu_need();
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	close(open_self(&attr));
	attr.sample_period = 1000;
	expect_error(perf_open(&attr, 0, -1, -1, 0), EOPNOTSUPP, 0);
	attr.freq = 1;
	attr.sample_freq = 1;
	expect_error(perf_open(&attr, 0, -1, -1, 0), EOPNOTSUPP, 0);
}

static void leader_on_other_pmu(void)
{
	struct perf_event_attr attr, other, software;
	int leader;

	test_pmu_need();
	test_module_need("perf_test_aux");
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	other = test_module_attr("perf_test_aux", 0);
	leader = open_self(&attr);
	expect_error(perf_open(&other, 0, -1, leader, 0), EINVAL, 0);
	open_sibling(&attr, leader);

	/* A software leader moves to the first PMU, and to no other. */
	software = sw_attr(PERF_COUNT_SW_DUMMY);
	leader = open_self(&software);
	open_sibling(&attr, leader);
	expect_error(perf_open(&other, 0, -1, leader, 0), EINVAL, 0);
	open_sibling(&software, leader);
}

static struct perf_event_attr single_attr(void)
{
	test_module_need("perf_test_kinds");
	return test_module_attr("perf_test_single", 0);
}

static void exclusive_for_task(void)
{
	struct perf_event_attr attr = single_attr();
	struct helper child = helper_start(dead_child, NULL);
	int cpu = first_cpu(), fd;

	fd = open_self(&attr);
	expect_error(perf_open(&attr, 0, -1, -1, 0), EBUSY, 0);
	expect_error(perf_open(&attr, 0, cpu, -1, 0), EBUSY, 0);
	expect_error(perf_open(&attr, -1, cpu, -1, 0), EBUSY, 0);
	close(open_on(&attr, child.pid, -1, -1));
	close(fd);
	fd = open_on(&attr, 0, cpu, -1);
	expect_error(perf_open(&attr, 0, cpu, -1, 0), EBUSY, 0);
	expect_error(perf_open(&attr, 0, -1, -1, 0), EBUSY, 0);
	open_on(&attr, 0, second_cpu(), -1);
	helper_go(&child);
	helper_join(&child);
}

static void exclusive_for_cpu(void)
{
	struct perf_event_attr attr = single_attr();
	int cpu = first_cpu(), fd;

	fd = open_on(&attr, -1, cpu, -1);
	expect_error(perf_open(&attr, -1, cpu, -1, 0), EBUSY, 0);
	expect_error(perf_open(&attr, 0, -1, -1, 0), EBUSY, 0);
	expect_error(perf_open(&attr, 0, cpu, -1, 0), EBUSY, 0);
	close(open_on(&attr, -1, second_cpu(), -1));
	close(fd);
	open_self(&attr);
}

/* Finds the offset in its file of what is mapped at @at. */
static bool file_offset(const void *at, unsigned long *offset)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to, begin;
	bool found = false;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &begin) != 3)
			continue;
		found = (unsigned long)at >= from && (unsigned long)at < to;
	}
	if (maps)
		fclose(maps);
	*offset = (unsigned long)at - from + begin;
	return found;
}

#define OUR_PROBE	TRACING "/events/perf_errors/poke/enable"

static void delete_probe(void)
{
	write_text(OUR_PROBE, "0");
	write_text(TRACING "/uprobe_events", "-:perf_errors/poke");
}

/* Return: the number of a uprobe on poke(). */
static int make_probe(void)
{
	char exe[256] = "", text[512];
	unsigned long offset;

	CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0, "exe");
	CHECK(file_offset(poke, &offset), "poke() is nowhere");
	snprintf(text, sizeof(text), "p:perf_errors/poke %s:%#lx", exe, offset);
	delete_probe();
	if (!write_text(TRACING "/uprobe_events", text))
		test_skip("no uprobe: %s", strerror(errno));
	return tracepoint_id("perf_errors/poke");
}

/* The probe belongs to ftrace or to perf, whichever was first. */
static void probe_of_ftrace(void)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT, make_probe());
	int with, without;

	if (!write_text(OUR_PROBE, "1")) {
		delete_probe();
		test_skip("cannot enable the probe");
	}
	with = perf_open(&attr, 0, -1, -1, 0) < 0 ? errno : 0;
	write_text(OUR_PROBE, "0");
	without = perf_open(&attr, 0, -1, -1, 0);
	close(without);
	delete_probe();
	CHECK(with == EINTR, "with ftrace on it: %s", strerror(with));
	CHECK(without >= 0, "without ftrace");
}

static void probe_of_perf(void)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT, make_probe());
	int fd, error;
	char byte = 0;

	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1, 0);
	error = write_text(OUR_PROBE, "1") ? 0 : errno;
	poke(&byte);
	EXPECT(fd >= 0 && read_count(fd) == 1, "perf does not count");
	close(fd);
	EXPECT(write_text(OUR_PROBE, "1"), "ftrace after perf: %s",
	       strerror(errno));
	delete_probe();
	CHECK(error == EINTR, "ftrace beside perf: %s", strerror(error));
}

static void offline_cpu(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int cpu = second_cpu(), fd, error;
	char path[64];

	if (getenv("PERF_TEST_NO_HOTPLUG"))
		test_skip("hotplug not wanted");
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	if (!write_text(path, "0"))
		test_skip("cannot take CPU %d down", cpu);
	fd = perf_open(&attr, -1, cpu, -1, 0);
	error = errno;
	CHECK(write_text(path, "1"), "cannot bring CPU %d up", cpu);
	errno = error;
	expect_error(fd, ENODEV, 0);
	open_on(&attr, -1, cpu, -1);
}

/* A field newer than most drivers: refused unless the PMU makes use of it. */
static void config4(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.config4 = 1;
	if (perf_open(&attr, 0, -1, -1, 0) < 0 && errno == E2BIG)
		test_skip("no such field");
	expect_error(perf_open(&attr, 0, -1, -1, 0), EINVAL, 0);
	attr.size = PERF_ATTR_SIZE_VER8;
	CHECK(perf_open(&attr, 0, -1, -1, 0) >= 0, "looked behind the end");
	test_pmu_need();
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	attr.config4 = 1;
	CHECK(perf_open(&attr, 0, -1, -1, 0) >= 0, "a PMU that makes use of it: %s",
	      strerror(errno));
	attr.config4 = 2;
	expect_error(perf_open(&attr, 0, -1, -1, 0), EINVAL, 0);
}

static const struct test_case cases[] = {
	{ "bad attr pointer: EFAULT", attr_pointer },
	{ "attr sizes that are refused: E2BIG", attr_sizes_refused },
	{ "attr sizes that are accepted", attr_sizes_accepted },
	{ "reserved bits: EINVAL", attr_reserved_bits },
	{ "frequency above the maximum: EINVAL", freq_above_max },
	{ "callchain deeper than the maximum: EOVERFLOW", callchain_too_deep },
	{ "tracepoint with branch stack: EOPNOTSUPP", tracepoint_branch_stack },
	{ "task that has exited: ESRCH", exiting_task },
	{ "no free file descriptor: EMFILE", no_free_fd },
	{ "no free file: ENFILE", no_free_file },
	{ "PERF_FLAG_FD_CLOEXEC", close_on_exec },
	{ "bad cgroup fd: EBADF", cgroup_bad_fd },
	{ "kernel breakpoint with exclude_kernel: EINVAL",
	  breakpoint_in_kernel },
	{ "no breakpoint slot left: ENOSPC", breakpoint_slots },
	{ "no room in the group: EINVAL", group_without_room },
	{ "group read above 16 KiB: E2BIG", group_read_too_long },
	{ "exclude bits or sampling on msr PMU: EINVAL", exclude_on_msr },
	{ "task event on uncore PMU: EINVAL", uncore_on_task },
	{ "precise_ip too high: EOPNOTSUPP", precise_too_high },
	{ "generic event that the CPU has not: ENOENT", generic_without_code },
	{ "sampling without interrupts: EOPNOTSUPP",
	  sampling_without_interrupt },
	{ "leader on another hardware PMU: EINVAL", leader_on_other_pmu },
	{ "exclusive PMU in use for tasks: EBUSY", exclusive_for_task },
	{ "exclusive PMU in use for CPUs: EBUSY", exclusive_for_cpu },
	{ "uprobe that ftrace has: EINTR", probe_of_ftrace },
	{ "uprobe that perf has, for ftrace: EINTR", probe_of_perf },
	{ "config4 of a PMU without a use for it: EINVAL", config4 },
	{ "CPU offline: ENODEV", offline_cpu },
};

int main(void)
{
	snprintf(file_max, sizeof(file_max), "%ld", read_long(FILE_MAX));
	tests_begin(NR_OPEN_ROWS + ARRAY_SIZE(cases));
	run_open_rows(run_open_row);
	tests_run(cases, ARRAY_SIZE(cases));
	write_text(FILE_MAX, file_max);
	tests_end();
}
