/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bad requests to perf_event_open(2): an attribute with one wrong field, where
 * to open it, beside which leader, the errno, and the answer of a dry run.
 * open_errors.c opens them, dry_run.c makes dry runs of them.
 */
#ifndef SELFTEST_OPEN_ROWS_H
#define SELFTEST_OPEN_ROWS_H

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event_ext.h>

#include "perf_lib.h"

#define NO_SUCH_TYPE	0x7ffffff0
#define NO_SUCH_PID	0x3fffffff
#define NO_SUCH_CPU	0x1000000
#define NO_SUCH_FD	1000

enum where { ON_SELF, ON_CPU, ON_SELF_CPU, ON_NOTHING, ON_CPU_HUGE,
	     ON_CPU_MINUS2, ON_NO_PID, ON_DEAD, ON_NO_FD, ON_PIPE, ON_CGROUP };

enum needs { NEED_NOTHING, NEED_BREAKPOINTS, NEED_HW, NEED_X86, NEED_INTEL };

/* A register that no sample can hold. */
#ifdef __x86_64__
#define NO_SUCH_REGISTER	31
/* One that only some PMUs can sample: the lower half of XMM0. */
#define EXTENDED_REGISTER	0x100000000ULL
#else
#define NO_SUCH_REGISTER	63
#endif

/*
 * The answer of a dry run; @reason 0: any. @bits must be clear or, if none of
 * them is set, must be set; setting @needs would help as well.
 */
struct dry_answer {
	__u32 reason;
	__u32 where;
	__u32 offset;
	__u32 length;
	__u64 bits;
	__u64 needs;
	__u64 limit;
};

/* Number @n of the one-bit fields. */
#if __BYTE_ORDER == __LITTLE_ENDIAN
#define FLAG_BIT(n)	((__u64)1 << (n))
#else
#define FLAG_BIT(n)	((__u64)1 << (63 - (n)))
#endif

#define IN_FIELD(member, blamed)					\
	.where = PERF_WHERE_ATTR,					\
	.offset = offsetof(struct perf_event_attr, member),		\
	.length = sizeof(((struct perf_event_attr *)0)->member),	\
	.bits = (blamed)
#define IN_FLAGS(blamed)						\
	.where = PERF_WHERE_ATTR,					\
	.offset = offsetof(struct perf_event_attr, read_format) + 8,	\
	.length = 8, .bits = (blamed)
#define IN_ARG(which)	.where = PERF_WHERE_##which

struct open_row {
	const char *name;
	int error;
	struct perf_event_attr attr;
	enum where where;
	int (*leader)(void);
	unsigned long flags;
	enum needs needs;
	int other_error;
	struct dry_answer says;
};

#define SW(conf)	.type = PERF_TYPE_SOFTWARE, .config = (conf)
#define HW(conf)	.type = PERF_TYPE_HARDWARE, .config = (conf)
#define CACHE(conf)	.type = PERF_TYPE_HW_CACHE, .config = (conf)
#define RAW(conf)	.type = PERF_TYPE_RAW, .config = (conf)
#define DUMMY		SW(PERF_COUNT_SW_DUMMY)
#define BRANCH_KINDS \
	(PERF_SAMPLE_BRANCH_MAX - 1 - (__u64)PERF_SAMPLE_BRANCH_PLM_ALL)
#define CYCLES		HW(PERF_COUNT_HW_CPU_CYCLES)
#define BREAKPOINT(at, length, kind)					\
	.type = PERF_TYPE_BREAKPOINT, .bp_addr = (at), .bp_len = (length), \
	.bp_type = (kind), .exclude_kernel = 1

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

	return open_sibling(&attr, open_self(&attr));
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

static int leader_of_other(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	return open_on(&attr, getppid(), -1, -1);
}

static const struct open_row attr_rows[] = {
	{ .name = "sample_type bit 63", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = 1ULL << 63 },
	  .says = { PERF_REASON_UNKNOWN_BITS,
	    IN_FIELD(sample_type, 1ULL << 63) } },
	{ .name = "sample_type bit 40", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = 1ULL << 40 },
	  .says = { PERF_REASON_UNKNOWN_BITS,
	    IN_FIELD(sample_type, 1ULL << 40) } },
	{ .name = "read_format bit 5", .error = EINVAL,
	  .attr = { DUMMY, .read_format = 1ULL << 5 },
	  .says = { PERF_REASON_UNKNOWN_BITS,
	    IN_FIELD(read_format, 1ULL << 5) } },
	{ .name = "read_format bit 63", .error = EINVAL,
	  .attr = { DUMMY, .read_format = 1ULL << 63 },
	  .says = { PERF_REASON_UNKNOWN_BITS,
	    IN_FIELD(read_format, 1ULL << 63) } },
	{ .name = "__reserved_2", .error = EINVAL,
	  .attr = { DUMMY, .__reserved_2 = 1 },
	  .says = { PERF_REASON_RESERVED,
	    IN_FIELD(__reserved_2, 1) } },
	{ .name = "branch stack without branch type", .error = EINVAL,
	  .attr = { CYCLES, .sample_period = 1000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK },
	  .says = { PERF_REASON_BRANCH_KIND,
	    IN_FIELD(branch_sample_type, BRANCH_KINDS) } },
	{ .name = "branch stack, privilege bits alone", .error = EINVAL,
	  .attr = { CYCLES, .sample_period = 1000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_USER },
	  .says = { PERF_REASON_BRANCH_KIND,
	    IN_FIELD(branch_sample_type, BRANCH_KINDS) } },
	{ .name = "branch stack, unknown branch bit", .error = EINVAL,
	  .attr = { CYCLES, .sample_period = 1000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY | 1ULL << 50 },
	  .says = { PERF_REASON_UNKNOWN_BITS,
	    IN_FIELD(branch_sample_type, 1ULL << 50) } },
	{ .name = "user registers, empty mask", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_REGS_USER },
	  .says = { PERF_REASON_REGISTERS,
	    IN_FIELD(sample_regs_user, ~0ULL) } },
	{ .name = "user registers, unknown register", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_REGS_USER,
	    .sample_regs_user = 1ULL << NO_SUCH_REGISTER },
	  .says = { PERF_REASON_REGISTERS,
	    IN_FIELD(sample_regs_user, 1ULL << NO_SUCH_REGISTER) } },
	{ .name = "interrupt registers, empty mask", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_REGS_INTR },
	  .says = { PERF_REASON_REGISTERS,
	    IN_FIELD(sample_regs_intr, ~0ULL) } },
	{ .name = "user stack of 65535", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_STACK_USER,
	    .sample_stack_user = 65535 },
	  .says = { PERF_REASON_STACK_SIZE,
	    IN_FIELD(sample_stack_user, 0), .limit = 65528 } },
	{ .name = "user stack of 65536", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_STACK_USER,
	    .sample_stack_user = 65536 },
	  .says = { PERF_REASON_STACK_SIZE,
	    IN_FIELD(sample_stack_user, 0), .limit = 65528 } },
	{ .name = "user stack of 4 GiB - 8", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_STACK_USER,
	    .sample_stack_user = 0xfffffff8 },
	  .says = { PERF_REASON_STACK_SIZE,
	    IN_FIELD(sample_stack_user, 0), .limit = 65528 } },
	{ .name = "user stack not a multiple of 8", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_STACK_USER,
	    .sample_stack_user = 1028 },
	  .says = { PERF_REASON_STACK_SIZE,
	    IN_FIELD(sample_stack_user, 4) } },
	{ .name = "both kinds of weight", .error = EINVAL,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_WEIGHT |
				  PERF_SAMPLE_WEIGHT_STRUCT },
	  .says = { PERF_REASON_CONFLICT,
	    IN_FIELD(sample_type, PERF_SAMPLE_WEIGHT |
			PERF_SAMPLE_WEIGHT_STRUCT) } },
	{ .name = "inherit_thread without inherit", .error = EINVAL,
	  .attr = { DUMMY, .inherit_thread = 1 },
	  .says = { PERF_REASON_REQUIRES,
	    IN_FLAGS(FLAG_BIT(35)), .needs = FLAG_BIT(1) } },
	{ .name = "remove_on_exec with enable_on_exec", .error = EINVAL,
	  .attr = { DUMMY, .remove_on_exec = 1, .enable_on_exec = 1 },
	  .says = { PERF_REASON_CONFLICT,
	    IN_FLAGS(FLAG_BIT(12) | FLAG_BIT(36)) } },
	{ .name = "sigtrap without remove_on_exec", .error = EINVAL,
	  .attr = { DUMMY, .sigtrap = 1 },
	  .says = { PERF_REASON_REQUIRES,
	    IN_FLAGS(FLAG_BIT(37)), .needs = FLAG_BIT(36) } },
	{ .name = "sigtrap without task", .error = EINVAL,
	  .attr = { DUMMY, .sigtrap = 1, .remove_on_exec = 1 }, .where = ON_CPU,
	  .says = { PERF_REASON_TASK_ONLY,
	    IN_FLAGS(FLAG_BIT(37)) } },
	{ .name = "period with bit 63", .error = EINVAL,
	  .attr = { DUMMY, .sample_period = 1ULL << 63 },
	  .says = { PERF_REASON_PERIOD,
	    IN_FIELD(sample_period, 0), .limit = ~0ULL >> 1 } },
	{ .name = "inherit and SAMPLE_READ without TID", .error = EINVAL,
	  .attr = { DUMMY, .inherit = 1, .sample_period = 1,
	    .sample_type = PERF_SAMPLE_READ },
	  .says = { PERF_REASON_REQUIRES,
	    IN_FIELD(sample_type, PERF_SAMPLE_TID) } },
	{ .name = "clockid that does not exist", .error = EINVAL,
	  .attr = { DUMMY, .use_clockid = 1, .clockid = 99 },
	  .says = { PERF_REASON_CLOCK,
	    IN_FIELD(clockid, 99) } },
	{ .name = "clockid of CPU time", .error = EINVAL,
	  .attr = { DUMMY, .use_clockid = 1, .clockid = CLOCK_THREAD_CPUTIME_ID },
	  .says = { PERF_REASON_CLOCK,
	    IN_FIELD(clockid, CLOCK_THREAD_CPUTIME_ID) } },
	{ .name = "clock not safe in NMI on hardware event", .error = EINVAL,
	  .attr = { CYCLES, .use_clockid = 1, .clockid = CLOCK_REALTIME },
	  .needs = NEED_HW,
	  .says = { PERF_REASON_CLOCK_NMI,
	    IN_FIELD(clockid, ~0U) } },
	{ .name = "call chain deeper than the maximum", .error = EOVERFLOW,
	  .attr = { DUMMY, .sample_period = 1, .sample_max_stack = USHRT_MAX,
	    .sample_type = PERF_SAMPLE_CALLCHAIN },
	  .says = { PERF_REASON_MAX_STACK,
	    IN_FIELD(sample_max_stack, 0), .limit = 127 } },
#ifdef __x86_64__
	{ .name = "vector registers of a software event", .error = EOPNOTSUPP,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_REGS_INTR,
	    .sample_regs_intr = 1ULL << 32 | 1 },
	  .says = { PERF_REASON_NO_REGISTERS,
	    IN_FIELD(sample_regs_intr, 1ULL << 32) } },
	{ .name = "the user's vector registers", .error = EOPNOTSUPP,
	  .attr = { DUMMY, .sample_type = PERF_SAMPLE_REGS_USER,
	    .sample_regs_user = 1ULL << 63 | 1 },
	  .says = { PERF_REASON_NO_REGISTERS,
	    IN_FIELD(sample_regs_user, 1ULL << 63) } },
#endif
	{ .name = "aux_output without an AUX PMU", .error = EOPNOTSUPP,
	  .attr = { DUMMY, .aux_output = 1 }, .other_error = EINVAL,
	  .says = { PERF_REASON_NO_AUX,
	    IN_FLAGS(FLAG_BIT(31)) } },
	{ .name = "aux_sample_size without an AUX leader", .error = EINVAL,
	  .attr = { DUMMY, .aux_sample_size = 4096 }, .other_error = EOPNOTSUPP,
	  .says = { PERF_REASON_NO_AUX,
	    IN_FIELD(aux_sample_size, 4096) } },
};

static const struct open_row type_rows[] = {
	{ .name = "type that does not exist", .error = ENOENT,
	  .attr = { .type = NO_SUCH_TYPE },
	  .says = { PERF_REASON_NO_PMU,
	    IN_FIELD(type, NO_SUCH_TYPE) } },
	{ .name = "type with all bits", .error = ENOENT,
	  .attr = { .type = UINT_MAX },
	  .says = { PERF_REASON_NO_PMU,
	    IN_FIELD(type, UINT_MAX) } },
	{ .name = "software: PERF_COUNT_SW_MAX", .error = ENOENT,
	  .attr = { SW(PERF_COUNT_SW_MAX) },
	  .says = { PERF_REASON_NO_EVENT,
	    IN_FIELD(config, PERF_COUNT_SW_MAX) } },
	{ .name = "software: negative as an int", .error = ENOENT,
	  .attr = { SW(0x80000002ULL) },
	  .says = { PERF_REASON_NO_EVENT,
	    IN_FIELD(config, 0x80000002ULL) } },
	{ .name = "software: bit 32 over a good number", .error = ENOENT,
	  .attr = { SW(1ULL << 32 | PERF_COUNT_SW_PAGE_FAULTS) },
	  .says = { PERF_REASON_NO_EVENT,
	    IN_FIELD(config, 1ULL << 32 |
			PERF_COUNT_SW_PAGE_FAULTS) } },
	{ .name = "software: all ones", .error = ENOENT,
	  .attr = { SW(~0ULL) },
	  .says = { PERF_REASON_NO_EVENT,
	    IN_FIELD(config, ~0ULL) } },
	{ .name = "software: branch stack", .error = EOPNOTSUPP,
	  .attr = { SW(PERF_COUNT_SW_PAGE_FAULTS), .sample_period = 1,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY },
	  .says = { PERF_REASON_NO_BRANCHES,
	    IN_FIELD(sample_type, PERF_SAMPLE_BRANCH_STACK) } },
	{ .name = "cpu-clock: branch stack", .error = EOPNOTSUPP,
	  .attr = { SW(PERF_COUNT_SW_CPU_CLOCK), .sample_period = 100000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY },
	  .says = { PERF_REASON_NO_BRANCHES,
	    IN_FIELD(sample_type, PERF_SAMPLE_BRANCH_STACK) } },
	{ .name = "task-clock: branch stack", .error = EOPNOTSUPP,
	  .attr = { SW(PERF_COUNT_SW_TASK_CLOCK), .sample_period = 100000,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY },
	  .says = { PERF_REASON_NO_BRANCHES,
	    IN_FIELD(sample_type, PERF_SAMPLE_BRANCH_STACK) } },
#ifdef __x86_64__
	{ .name = "software: interrupt's XMM register", .error = EOPNOTSUPP,
	  .attr = { SW(PERF_COUNT_SW_PAGE_FAULTS), .sample_period = 1,
	    .sample_type = PERF_SAMPLE_REGS_INTR,
	    .sample_regs_intr = EXTENDED_REGISTER | 1 },
	  .says = { PERF_REASON_NO_REGISTERS,
	    IN_FIELD(sample_regs_intr, EXTENDED_REGISTER) } },
	{ .name = "software: user's XMM register", .error = EOPNOTSUPP,
	  .attr = { SW(PERF_COUNT_SW_PAGE_FAULTS), .sample_period = 1,
	    .sample_type = PERF_SAMPLE_REGS_USER,
	    .sample_regs_user = EXTENDED_REGISTER | 1 },
	  .says = { PERF_REASON_NO_REGISTERS,
	    IN_FIELD(sample_regs_user, EXTENDED_REGISTER) } },
#endif
	{ .name = "tracepoint that does not exist", .error = EINVAL,
	  .attr = { .type = PERF_TYPE_TRACEPOINT, .config = 0x7fffffff },
	  .says = { PERF_REASON_NO_EVENT,
	    IN_FIELD(config, 0x7fffffff) } },
	{ .name = "sampled tracepoint that does not exist", .error = EINVAL,
	  .attr = { .type = PERF_TYPE_TRACEPOINT, .config = 0x7fffffff,
	    .sample_period = 1, .sample_type = PERF_SAMPLE_RAW },
	  .says = { PERF_REASON_NO_EVENT,
	    IN_FIELD(config, 0x7fffffff) } },
	{ .name = "breakpoint: no type", .error = EINVAL,
	  .attr = { BREAKPOINT(0x1000, HW_BREAKPOINT_LEN_1,
			       HW_BREAKPOINT_EMPTY) },
	  .needs = NEED_BREAKPOINTS,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(bp_type, HW_BREAKPOINT_W) } },
#ifdef __x86_64__
	{ .name = "breakpoint: unknown bit of the type", .error = EINVAL,
	  .attr = { BREAKPOINT(0x1000, HW_BREAKPOINT_LEN_1,
			       HW_BREAKPOINT_W | 16) },
	  .needs = NEED_BREAKPOINTS,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(bp_type, 16) } },
	{ .name = "breakpoint: reads alone", .error = EINVAL,
	  .attr = { BREAKPOINT(0x1000, HW_BREAKPOINT_LEN_1,
			       HW_BREAKPOINT_R) },
	  .needs = NEED_BREAKPOINTS,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(bp_type, HW_BREAKPOINT_R) } },
	{ .name = "breakpoint: no length", .error = EINVAL,
	  .attr = { BREAKPOINT(0x1000, 0, HW_BREAKPOINT_W) },
	  .needs = NEED_BREAKPOINTS,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(bp_len, HW_BREAKPOINT_LEN_1) } },
	{ .name = "breakpoint: length 3", .error = EINVAL,
	  .attr = { BREAKPOINT(0x1000, 3, HW_BREAKPOINT_W) },
	  .needs = NEED_BREAKPOINTS,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(bp_len, 2) } },
	{ .name = "breakpoint: length 1 of an instruction", .error = EINVAL,
	  .attr = { BREAKPOINT(0x1000, HW_BREAKPOINT_LEN_1,
			       HW_BREAKPOINT_X) },
	  .needs = NEED_BREAKPOINTS,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(bp_len, HW_BREAKPOINT_LEN_1) } },
	{ .name = "breakpoint: not aligned", .error = EINVAL,
	  .attr = { BREAKPOINT(0x1001, HW_BREAKPOINT_LEN_4,
			       HW_BREAKPOINT_W) },
	  .needs = NEED_BREAKPOINTS,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(bp_addr, 0x1001) } },
#endif
	{ .name = "hardware: PERF_COUNT_HW_MAX", .error = EINVAL,
	  .attr = { HW(PERF_COUNT_HW_MAX) }, .needs = NEED_HW,
	  .other_error = EOPNOTSUPP,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(config, PERF_COUNT_HW_MAX) } },
	{ .name = "hardware: large number", .error = EINVAL,
	  .attr = { HW(0xffffffffULL) }, .needs = NEED_HW,
	  .other_error = EOPNOTSUPP,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(config, 0xffffffffULL) } },
	{ .name = "cache: no such cache", .error = EINVAL,
	  .attr = { CACHE(0xff) }, .needs = NEED_HW,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(config, 0xff) } },
	{ .name = "cache: no such operation", .error = EINVAL,
	  .attr = { CACHE(PERF_COUNT_HW_CACHE_L1D |
		  PERF_COUNT_HW_CACHE_OP_MAX << 8) }, .needs = NEED_HW,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(config, PERF_COUNT_HW_CACHE_OP_MAX << 8) } },
	{ .name = "cache: no such result", .error = EINVAL,
	  .attr = { CACHE(PERF_COUNT_HW_CACHE_L1D |
		  PERF_COUNT_HW_CACHE_RESULT_MAX << 16) }, .needs = NEED_HW,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(config, PERF_COUNT_HW_CACHE_RESULT_MAX << 16) } },
	{ .name = "cache: L1I cannot be written", .error = EINVAL,
	  .attr = { CACHE(PERF_COUNT_HW_CACHE_L1I |
		  PERF_COUNT_HW_CACHE_OP_WRITE << 8) }, .needs = NEED_X86,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(config, PERF_COUNT_HW_CACHE_L1I |
			PERF_COUNT_HW_CACHE_OP_WRITE << 8) } },
	{ .name = "raw: reserved bits of the extra register", .error = EINVAL,
	  .attr = { RAW(0x1b7), .config1 = ~0ULL }, .needs = NEED_INTEL,
	  .says = { PERF_REASON_PMU,
	    IN_FIELD(config1, ~0ULL) } },
	{ .name = "precise_ip on a counting event", .error = EINVAL,
	  .attr = { CYCLES, .precise_ip = 1 }, .needs = NEED_X86,
	  .other_error = EOPNOTSUPP },
};

static const struct open_row place_rows[] = {
	{ .name = "unknown flag", .error = EINVAL,
	  .attr = { DUMMY }, .flags = 1UL << 4,
	  .says = { PERF_REASON_UNKNOWN_BITS,
	    IN_ARG(FLAGS), .bits = 1ULL << 4 } },
	{ .name = "unknown flag, top bit", .error = EINVAL,
	  .attr = { DUMMY }, .flags = 1UL << 63,
	  .says = { PERF_REASON_UNKNOWN_BITS,
	    IN_ARG(FLAGS), .bits = 1ULL << 63 } },
	{ .name = "neither task nor CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_NOTHING,
	  .says = { PERF_REASON_NO_TARGET,
	    IN_ARG(CPU) } },
	{ .name = "CPU number too large", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_CPU_HUGE,
	  .says = { PERF_REASON_NO_TARGET,
	    IN_ARG(CPU) } },
	{ .name = "CPU -2", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_CPU_MINUS2,
	  .says = { PERF_REASON_NO_TARGET,
	    IN_ARG(CPU) } },
	{ .name = "no such task", .error = ESRCH,
	  .attr = { DUMMY }, .where = ON_NO_PID,
	  .says = { PERF_REASON_NO_TASK,
	    IN_ARG(PID) } },
	{ .name = "cgroup without CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_SELF,
	  .flags = PERF_FLAG_PID_CGROUP,
	  .says = { PERF_REASON_CGROUP_TARGET,
	    IN_ARG(CPU) } },
	{ .name = "cgroup with pid -1", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_CPU,
	  .flags = PERF_FLAG_PID_CGROUP,
	  .says = { PERF_REASON_CGROUP_TARGET,
	    IN_ARG(PID) } },
	{ .name = "task that waits for its parent", .error = ESRCH,
	  .attr = { DUMMY }, .where = ON_DEAD,
	  .says = { PERF_REASON_TASK_EXITS,
	    IN_ARG(PID) } },
	{ .name = "cgroup that is closed", .error = EBADF,
	  .attr = { DUMMY }, .where = ON_NO_FD,
	  .flags = PERF_FLAG_PID_CGROUP, .other_error = EOPNOTSUPP,
	  .says = { PERF_REASON_CGROUP_FD,
	    IN_ARG(PID) } },
	{ .name = "cgroup that is a pipe", .error = EBADF,
	  .attr = { DUMMY }, .where = ON_PIPE,
	  .flags = PERF_FLAG_PID_CGROUP, .other_error = EOPNOTSUPP,
	  .says = { PERF_REASON_CGROUP_FD,
	    IN_ARG(PID) } },
	{ .name = "leader of no cgroup", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_CGROUP, .leader = leader_on_cpu,
	  .flags = PERF_FLAG_PID_CGROUP, .other_error = EOPNOTSUPP,
	  .says = { PERF_REASON_LEADER_CGROUP,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader of another task", .error = EINVAL,
	  .attr = { DUMMY }, .leader = leader_of_other,
	  .says = { PERF_REASON_LEADER_TARGET,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader is a pipe", .error = EBADF,
	  .attr = { DUMMY }, .leader = leader_pipe,
	  .says = { PERF_REASON_GROUP_FD,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader is closed", .error = EBADF,
	  .attr = { DUMMY }, .leader = leader_closed,
	  .says = { PERF_REASON_GROUP_FD,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader is -2", .error = EBADF,
	  .attr = { DUMMY }, .leader = leader_minus2,
	  .says = { PERF_REASON_GROUP_FD,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader's task has exited", .error = ENODEV,
	  .attr = { DUMMY },
	  .leader = leader_exited,
	  .says = { PERF_REASON_LEADER_GONE,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader is a sibling", .error = EINVAL,
	  .attr = { DUMMY }, .leader = leader_sibling,
	  .says = { PERF_REASON_LEADER_MEMBER,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader on another CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_SELF,
	  .leader = leader_on_cpu,
	  .says = { PERF_REASON_LEADER_CPU,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader in another context", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_CPU,
	  .leader = leader_plain,
	  .says = { PERF_REASON_LEADER_CPU,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader any CPU, sibling one CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_SELF_CPU,
	  .leader = leader_plain,
	  .says = { PERF_REASON_LEADER_CPU,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader with another clock", .error = EINVAL,
	  .attr = { DUMMY },
	  .leader = leader_monotonic,
	  .says = { PERF_REASON_LEADER_CLOCK,
	    IN_ARG(GROUP_FD) } },
	{ .name = "leader does not inherit, sibling does", .error = EINVAL,
	  .attr = { DUMMY, .inherit = 1 }, .leader = leader_plain,
	  .says = { PERF_REASON_LEADER_INHERIT,
	    IN_FLAGS(FLAG_BIT(1)) } },
	{ .name = "leader inherits, sibling does not", .error = EINVAL,
	  .attr = { DUMMY },
	  .leader = leader_inherit,
	  .says = { PERF_REASON_LEADER_INHERIT,
	    IN_FLAGS(FLAG_BIT(1)) } },
	{ .name = "pinned sibling", .error = EINVAL,
	  .attr = { DUMMY, .pinned = 1 },
	  .leader = leader_plain,
	  .says = { PERF_REASON_LEADER_ONLY,
	    IN_FLAGS(FLAG_BIT(2)) } },
	{ .name = "exclusive sibling", .error = EINVAL,
	  .attr = { DUMMY, .exclusive = 1 },
	  .leader = leader_plain,
	  .says = { PERF_REASON_LEADER_ONLY,
	    IN_FLAGS(FLAG_BIT(3)) } },
	{ .name = "pinned hardware sibling", .error = EINVAL,
	  .attr = { CYCLES, .pinned = 1 },
	  .leader = leader_hardware, .needs = NEED_HW,
	  .says = { PERF_REASON_LEADER_ONLY,
	    IN_FLAGS(FLAG_BIT(2)) } },
	{ .name = "FD_OUTPUT to an event without buffer", .error = EINVAL,
	  .attr = { DUMMY },
	  .leader = leader_plain,
	  .flags = PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP,
	  .says = { PERF_REASON_OUTPUT,
	    IN_ARG(GROUP_FD) } },
	{ .name = "FD_OUTPUT to an event of another CPU", .error = EINVAL,
	  .attr = { DUMMY }, .where = ON_SELF, .leader = leader_on_cpu,
	  .flags = PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP,
	  .says = { PERF_REASON_OUTPUT,
	    IN_ARG(GROUP_FD) } },
	{ .name = "NO_GROUP still wants a perf fd", .error = EBADF,
	  .attr = { DUMMY },
	  .leader = leader_pipe, .flags = PERF_FLAG_FD_NO_GROUP,
	  .says = { PERF_REASON_GROUP_FD,
	    IN_ARG(GROUP_FD) } },
};

static inline void require(enum needs needs)
{
	if (needs == NEED_BREAKPOINTS)
		need_breakpoints();
	if (needs >= NEED_HW)
		need_hardware();
#ifndef __x86_64__
	if (needs >= NEED_X86)
		test_skip("needs an x86 PMU");
#endif
	if (needs == NEED_INTEL &&
	    system("grep -q GenuineIntel /proc/cpuinfo 2>/dev/null"))
		test_skip("needs an Intel PMU");
}

struct open_place {
	pid_t pid;
	int cpu;
};

/* Return: the pid of a child that is a zombie. */
static pid_t dead_pid(void)
{
	pid_t pid = fork();
	siginfo_t info;

	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		_exit(0);
	CHECK(!waitid(P_PID, pid, &info, WEXITED | WNOWAIT), "waitid: %s",
	      strerror(errno));
	return pid;
}

static int root_cgroup(void)
{
	int fd = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || access("/sys/fs/cgroup/cgroup.procs", F_OK))
		test_skip("no cgroup2");
	return fd;
}

static struct open_place place_of(enum where where)
{
	switch (where) {
	case ON_CPU:
		return (struct open_place) { -1, first_cpu() };
	case ON_SELF_CPU:
		return (struct open_place) { 0, first_cpu() };
	case ON_NOTHING:
		return (struct open_place) { -1, -1 };
	case ON_CPU_HUGE:
		return (struct open_place) { 0, NO_SUCH_CPU };
	case ON_CPU_MINUS2:
		return (struct open_place) { 0, -2 };
	case ON_NO_PID:
		return (struct open_place) { NO_SUCH_PID, -1 };
	case ON_DEAD:
		return (struct open_place) { dead_pid(), -1 };
	case ON_NO_FD:
		return (struct open_place) { NO_SUCH_FD, first_cpu() };
	case ON_PIPE:
		return (struct open_place) { leader_pipe(), first_cpu() };
	case ON_CGROUP:
		return (struct open_place) { root_cgroup(), first_cpu() };
	default:
		return (struct open_place) { 0, -1 };
	}
}

#define NR_OPEN_ROWS	(ARRAY_SIZE(attr_rows) + ARRAY_SIZE(type_rows) + \
			 ARRAY_SIZE(place_rows))

static inline void run_open_rows(void (*run)(const void *row))
{
	tests_run_rows(attr_rows, ARRAY_SIZE(attr_rows), sizeof(*attr_rows),
		       run);
	tests_run_rows(type_rows, ARRAY_SIZE(type_rows), sizeof(*type_rows),
		       run);
	tests_run_rows(place_rows, ARRAY_SIZE(place_rows), sizeof(*place_rows),
		       run);
}

#endif
