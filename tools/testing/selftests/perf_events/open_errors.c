// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2) with bad input: which errno for which mistake.
 *
 * Most mistakes are one wrong field, so a row of the table holds an attribute,
 * where to open it, beside which leader, and the errno. Those that need more
 * (an object in a certain state, many events) are cases of their own. What
 * depends on privileges is in paranoid.c.
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

#include "perf_lib.h"

#define EVENT_SOURCES	"/sys/bus/event_source/devices"
#define NO_SUCH_TYPE	0x7ffffff0
#define NO_SUCH_PID	0x3fffffff

enum where { ON_SELF, ON_CPU, ON_SELF_CPU, ON_NOTHING, ON_CPU_HUGE,
	     ON_CPU_MINUS2, ON_NO_PID };

enum needs { NEED_NOTHING, NEED_HW, NEED_INTEL };

struct open_row {
	const char *name;
	int error;
	struct perf_event_attr attr;
	enum where where;
	int (*leader)(void);
	unsigned long flags;
	enum needs needs;
	int other_error;
};

#define SW(conf)	.type = PERF_TYPE_SOFTWARE, .config = (conf)
#define HW(conf)	.type = PERF_TYPE_HARDWARE, .config = (conf)
#define CACHE(conf)	.type = PERF_TYPE_HW_CACHE, .config = (conf)
#define RAW(conf)	.type = PERF_TYPE_RAW, .config = (conf)
#define DUMMY		SW(PERF_COUNT_SW_DUMMY)
#define CYCLES		HW(PERF_COUNT_HW_CPU_CYCLES)

static int leader_pipe(void)
{
	int fds[2];

	CHECK(!pipe(fds), "pipe");
	return fds[0];
}

static int leader_closed(void)
{
	int fd = leader_pipe();

	close(fd);
	return fd;
}

static int leader_minus2(void)
{
	return -2;
}

static int leader_plain(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	return open_self(&attr);
}

static int leader_sibling(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	return open_member(&attr, open_self(&attr));
}

static int leader_on_cpu(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	return open_on(&attr, -1, first_cpu(), -1);
}

static int leader_inherit(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.inherit = 1;
	return open_self(&attr);
}

static int leader_monotonic(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return open_self(&attr);
}

static int leader_hardware(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);

	return open_self(&attr);
}

static void dead_child(void *arg)
{
	(void)arg;
}

static int leader_exited(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct helper child = helper_start(dead_child, NULL);
	int fd = open_on(&attr, child.pid, -1, -1);

	helper_go(&child);
	helper_join(&child);
	return fd;
}

static const struct open_row attr_rows[] = {
	{ .name = "sample_type bit 63", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = 1ULL << 63 } },
	{ .name = "sample_type bit 40", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = 1ULL << 40 } },
	{ .name = "read_format bit 5", .error = EINVAL,
	  .attr = { DUMMY, .read_format = 1ULL << 5 } },
	{ .name = "read_format bit 63", .error = EINVAL,
	  .attr = { DUMMY, .read_format = 1ULL << 63 } },
	{ .name = "__reserved_2", .error = EINVAL,
	  .attr = { DUMMY, .__reserved_2 = 1 } },
	{ .name = "branch stack without branch type", .error = EINVAL,
	  .attr = { CYCLES, .sample_period = 1000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK } },
	{ .name = "branch stack, privilege bits alone", .error = EINVAL,
	  .attr = { CYCLES, .sample_period = 1000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_USER } },
	{ .name = "branch stack, unknown branch bit", .error = EINVAL,
	  .attr = { CYCLES, .sample_period = 1000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY | 1ULL << 50 } },
	{ .name = "user registers, empty mask", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_REGS_USER } },
	{ .name = "user registers, unknown register", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_REGS_USER,
	    .sample_regs_user = 1ULL << 31 } },
	{ .name = "interrupt registers, empty mask", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_REGS_INTR } },
	{ .name = "user stack of 65535", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_STACK_USER,
	    .sample_stack_user = 65535 } },
	{ .name = "user stack of 65536", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_STACK_USER,
	    .sample_stack_user = 65536 } },
	{ .name = "user stack of 4 GiB - 8", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_STACK_USER,
	    .sample_stack_user = 0xfffffff8 } },
	{ .name = "user stack not a multiple of 8", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_STACK_USER,
	    .sample_stack_user = 1028 } },
	{ .name = "both kinds of weight", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_WEIGHT |
				  PERF_SAMPLE_WEIGHT_STRUCT } },
	{ .name = "inherit_thread without inherit", .error = EINVAL,
	  .attr = { DUMMY, .inherit_thread = 1 } },
	{ .name = "remove_on_exec with enable_on_exec", .error = EINVAL,
	  .attr = { DUMMY, .remove_on_exec = 1, .enable_on_exec = 1 } },
	{ .name = "sigtrap without remove_on_exec", .error = EINVAL,
	  .attr = { DUMMY, .sigtrap = 1 } },
	{ .name = "sigtrap without task", .error = EINVAL,
	  .attr = { DUMMY, .sigtrap = 1, .remove_on_exec = 1 }, .where = ON_CPU },
	{ .name = "period with bit 63", .error = EINVAL,
	  .attr = { DUMMY, .sample_period = 1ULL << 63 } },
	{ .name = "inherit and SAMPLE_READ without TID", .error = EINVAL,
	  .attr = { DUMMY, .inherit = 1, .sample_period = 1,
	    .sample_type = PERF_SAMPLE_READ } },
	{ .name = "clockid that does not exist", .error = EINVAL,
	  .attr = { DUMMY, .use_clockid = 1, .clockid = 99 } },
	{ .name = "clockid of CPU time", .error = EINVAL,
	  .attr = { DUMMY, .use_clockid = 1, .clockid = CLOCK_THREAD_CPUTIME_ID } },
	{ .name = "clock not safe in NMI on hardware event", .error = EINVAL,
	  .attr = { CYCLES, .use_clockid = 1, .clockid = CLOCK_REALTIME },
	  .needs = NEED_HW },
	{ .name = "aux_output without an AUX PMU", .error = EOPNOTSUPP,
	  .attr = { DUMMY, .aux_output = 1 }, .other_error = EINVAL },
	{ .name = "aux_sample_size without an AUX leader", .error = EINVAL,
	  .attr = { DUMMY, .aux_sample_size = 4096 }, .other_error = EOPNOTSUPP },
};

static const struct open_row type_rows[] = {
	{ .name = "type that does not exist", .error = ENOENT,
	  .attr = { .type = NO_SUCH_TYPE } },
	{ .name = "type with all bits", .error = ENOENT,
	  .attr = { .type = UINT_MAX } },
	{ .name = "software: PERF_COUNT_SW_MAX", .error = ENOENT,
	  .attr = { SW(PERF_COUNT_SW_MAX) } },
	{ .name = "software: negative as an int", .error = ENOENT,
	  .attr = { SW(0x80000002ULL) } },
	{ .name = "software: bit 32 over a good number", .error = ENOENT,
	  .attr = { SW(1ULL << 32 | PERF_COUNT_SW_PAGE_FAULTS) } },
	{ .name = "software: all ones", .error = ENOENT,
	  .attr = { SW(~0ULL) } },
	{ .name = "software: branch stack", .error = EOPNOTSUPP,
	  .attr = { SW(PERF_COUNT_SW_PAGE_FAULTS), .sample_period = 1,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY } },
	{ .name = "cpu-clock: branch stack", .error = EOPNOTSUPP,
	  .attr = { SW(PERF_COUNT_SW_CPU_CLOCK), .sample_period = 100000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY } },
	{ .name = "task-clock: branch stack", .error = EOPNOTSUPP,
	  .attr = { SW(PERF_COUNT_SW_TASK_CLOCK), .sample_period = 100000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY } },
	{ .name = "tracepoint that does not exist", .error = EINVAL,
	  .attr = { .type = PERF_TYPE_TRACEPOINT, .config = 0x7fffffff } },
	{ .name = "hardware: PERF_COUNT_HW_MAX", .error = EINVAL,
	  .attr = { HW(PERF_COUNT_HW_MAX) }, .needs = NEED_HW },
	{ .name = "hardware: large number", .error = EINVAL,
	  .attr = { HW(0xffffffffULL) }, .needs = NEED_HW },
	{ .name = "cache: no such cache", .error = EINVAL,
	  .attr = { CACHE(0xff) }, .needs = NEED_HW },
	{ .name = "cache: no such operation", .error = EINVAL,
	  .attr = { CACHE(PERF_COUNT_HW_CACHE_L1D |
		  PERF_COUNT_HW_CACHE_OP_MAX << 8) }, .needs = NEED_HW },
	{ .name = "cache: no such result", .error = EINVAL,
	  .attr = { CACHE(PERF_COUNT_HW_CACHE_L1D |
		  PERF_COUNT_HW_CACHE_RESULT_MAX << 16) }, .needs = NEED_HW },
	{ .name = "cache: L1I cannot be written", .error = EINVAL,
	  .attr = { CACHE(PERF_COUNT_HW_CACHE_L1I |
		  PERF_COUNT_HW_CACHE_OP_WRITE << 8) }, .needs = NEED_HW },
	{ .name = "raw: reserved bits of the extra register", .error = EINVAL,
	  .attr = { RAW(0x1b7), .config1 = ~0ULL }, .needs = NEED_INTEL },
	{ .name = "precise_ip on a counting event", .error = EINVAL,
	  .attr = { CYCLES, .precise_ip = 1 }, .needs = NEED_HW,
	  .other_error = EOPNOTSUPP },
};

static const struct open_row place_rows[] = {
	{ .name = "unknown flag", .error = EINVAL,
	  .attr = { DUMMY }, .flags = 1UL << 4 },
	{ .name = "unknown flag, top bit", .error = EINVAL,
	  .attr = { DUMMY }, .flags = 1UL << 63 },
	{ .name = "neither task nor CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_NOTHING },
	{ .name = "CPU number too large", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_CPU_HUGE },
	{ .name = "CPU -2", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_CPU_MINUS2 },
	{ .name = "no such task", .error = ESRCH,
	  .attr = { DUMMY }, .where = ON_NO_PID },
	{ .name = "cgroup without CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_SELF,
	  .flags = PERF_FLAG_PID_CGROUP },
	{ .name = "cgroup with pid -1", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_CPU,
	  .flags = PERF_FLAG_PID_CGROUP },
	{ .name = "leader is a pipe", .error = EBADF,
	  .attr = { DUMMY }, .leader = leader_pipe },
	{ .name = "leader is closed", .error = EBADF,
	  .attr = { DUMMY }, .leader = leader_closed },
	{ .name = "leader is -2", .error = EBADF,
	  .attr = { DUMMY }, .leader = leader_minus2 },
	{ .name = "leader's task has exited", .error = ENODEV,
	  .attr = { DUMMY },
	  .leader = leader_exited },
	{ .name = "leader is a sibling", .error = EINVAL,
	  .attr = { DUMMY }, .leader = leader_sibling },
	{ .name = "leader on another CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_SELF,
	  .leader = leader_on_cpu },
	{ .name = "leader in another context", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_CPU,
	  .leader = leader_plain },
	{ .name = "leader any CPU, member one CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_SELF_CPU,
	  .leader = leader_plain },
	{ .name = "leader with another clock", .error = EINVAL,
	  .attr = { DUMMY },
	  .leader = leader_monotonic },
	{ .name = "leader does not inherit, member does", .error = EINVAL,
	  .attr = { DUMMY, .inherit = 1 }, .leader = leader_plain },
	{ .name = "leader inherits, member does not", .error = EINVAL,
	  .attr = { DUMMY },
	  .leader = leader_inherit },
	{ .name = "pinned member", .error = EINVAL,
	  .attr = { DUMMY, .pinned = 1 },
	  .leader = leader_plain },
	{ .name = "exclusive member", .error = EINVAL,
	  .attr = { DUMMY, .exclusive = 1 },
	  .leader = leader_plain },
	{ .name = "pinned hardware member", .error = EINVAL,
	  .attr = { CYCLES, .pinned = 1 },
	  .leader = leader_hardware, .needs = NEED_HW },
	{ .name = "FD_OUTPUT to an event without buffer", .error = EINVAL,
	  .attr = { DUMMY },
	  .leader = leader_plain,
	  .flags = PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP },
	{ .name = "FD_OUTPUT to an event of another CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_SELF, .leader = leader_on_cpu,
	  .flags = PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP },
	{ .name = "NO_GROUP still wants a perf fd", .error = EBADF,
	  .attr = { DUMMY },
	  .leader = leader_pipe, .flags = PERF_FLAG_FD_NO_GROUP },
};

static void require(enum needs needs)
{
	if (needs != NEED_NOTHING)
		need_hardware();
	if (needs == NEED_INTEL &&
	    system("grep -q GenuineIntel /proc/cpuinfo 2>/dev/null"))
		test_skip("needs an Intel PMU");
}

static int open_at(struct perf_event_attr *attr, enum where where, int leader,
		   unsigned long flags)
{
	switch (where) {
	case ON_SELF:
		return perf_open(attr, 0, -1, leader, flags);
	case ON_CPU:
		return perf_open(attr, -1, first_cpu(), leader, flags);
	case ON_SELF_CPU:
		return perf_open(attr, 0, first_cpu(), leader, flags);
	case ON_NOTHING:
		return perf_open(attr, -1, -1, leader, flags);
	case ON_CPU_HUGE:
		return perf_open(attr, 0, 1 << 24, leader, flags);
	case ON_CPU_MINUS2:
		return perf_open(attr, 0, -2, leader, flags);
	case ON_NO_PID:
		return perf_open(attr, NO_SUCH_PID, -1, leader, flags);
	}
	return -1;
}

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
	int fd, leader = -1;

	require(row->needs);
	if (row->leader)
		leader = row->leader();
	attr.size = sizeof(attr);
	attr.disabled = 1;
	fd = open_at(&attr, row->where, leader, row->flags);
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
	char bytes[8192];
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

	expect_error(perf_open(&attr, 0, -1, -1, 0), EINVAL, 0);
}

static void breakpoint_slots(void)
{
	static char target[64];
	struct perf_event_attr attr;
	unsigned int i;
	int fd = -1;

	for (i = 0; i < sizeof(target); i++) {
		attr = user_breakpoint(&target[i]);
		fd = perf_open(&attr, 0, -1, -1, 0);
		if (fd < 0)
			break;
	}
	if (!i && (errno == ENOENT || errno == EOPNOTSUPP))
		test_skip("no hardware breakpoints");
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
	CHECK(i == (16 * 1024 - 8) / 24, "refused at member %d", i + 1);
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
	{ "bad cgroup fd: EBADF", cgroup_bad_fd },
	{ "kernel breakpoint with exclude_kernel: EINVAL",
	  breakpoint_in_kernel },
	{ "no breakpoint slot left: ENOSPC", breakpoint_slots },
	{ "no room in the group: EINVAL", group_without_room },
	{ "group read above 16 KiB: E2BIG", group_read_too_long },
	{ "exclude bits or sampling on msr PMU: EINVAL", exclude_on_msr },
	{ "task event on uncore PMU: EINVAL", uncore_on_task },
	{ "precise_ip too high: EOPNOTSUPP", precise_too_high },
	{ "CPU offline: ENODEV", offline_cpu },
};

static void run_table(const struct open_row *rows, size_t count)
{
	tests_run_rows(rows, count, sizeof(*rows), run_open_row);
}

int main(void)
{
	tests_begin(ARRAY_SIZE(attr_rows) + ARRAY_SIZE(type_rows) +
		    ARRAY_SIZE(place_rows) + ARRAY_SIZE(cases));
	run_table(attr_rows, ARRAY_SIZE(attr_rows));
	run_table(type_rows, ARRAY_SIZE(type_rows));
	run_table(place_rows, ARRAY_SIZE(place_rows));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
