/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Extensions of perf_event_open(2) that are not in <linux/perf_event.h>: ioctls
 * of a perf descriptor, numbered from 0x80 upwards so that they meet nothing
 * that later kernels add. A kernel without one of them answers ENOTTY; so a
 * program asks, and does without if it must. Their structures may grow and say
 * their size themselves: the size in the number of the ioctl is not looked at.
 */
#ifndef _UAPI_LINUX_PERF_EVENT_EXT_H
#define _UAPI_LINUX_PERF_EVENT_EXT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Of struct perf_event_random_period. */
#define PERF_RANDOM_PERIOD_SIZE_VER0	24
#define PERF_RANDOM_PERIOD_SHARE_MAX	1000000

/*
 * PERF_EVENT_IOC_RANDOM_PERIOD: each period of a sampling event is drawn anew,
 * evenly between attr.sample_period less a share of it and attr.sample_period
 * more that share. The mean is attr.sample_period. What was drawn stands in
 * the samples: PERF_SAMPLE_PERIOD.
 *
 * A fixed period that keeps step with a loop of the program sees the same few
 * instructions again and again. One that varies by some percent does not.
 *
 * @size: sizeof() the struct
 * @flags: 0
 * @share: of the period, in millionths; up to PERF_RANDOM_PERIOD_SHARE_MAX,
 *	0 makes periods fixed again
 * @reserved: 0
 * @seed: the same seed yields the same periods, in the same order
 *
 * The present period ends, and the first drawn begins. Inherited copies are
 * concerned as well, those that exist and those to come; each draws by a seed
 * that follows from @seed and from how many copies there were before it.
 * PERF_EVENT_IOC_PERIOD changes the mean; the draws go on. The dropped
 * occurrences of a throttled event belong to no sample.
 *
 * cpu-clock and task-clock never wait for less than 10 microseconds: a draw
 * below that counts as 10 microseconds.
 *
 * Errors: ENOTTY from kernels that do not know it; EINVAL for an event that
 * counts only or has a frequency, for a @size that is too small, for @flags,
 * @share and @reserved other than said, and if a period that could be drawn is
 * one that the PMU refuses; E2BIG for a struct that is longer than known and
 * not zero there; EOPNOTSUPP for events with attr.precise_ip or of a trace
 * unit, whose hardware begins periods by itself; ENODEV after the PMU has gone;
 * EFAULT.
 */
struct perf_event_random_period {
	__u32	size;
	__u32	flags;
	__u32	share;
	__u32	reserved;
	__u64	seed;
};

#define PERF_EVENT_IOC_RANDOM_PERIOD \
	_IOW('$', 0x80, struct perf_event_random_period)

/*
 * A dry run of perf_event_open(2).
 */

/**
 * struct perf_event_dry_run - what would perf_event_open(2) say?
 * @size: in: size of this structure as the program knows it
 * @text_size: in: bytes at @text, 0: no text is wanted
 * @attr: in: address of a struct perf_event_attr
 * @text: in: address where to put a sentence about @reason, ended by 0
 * @open_flags: in: PERF_FLAG_*, as the call takes them
 * @pid: in: as the call takes it
 * @cpu: in: as the call takes it
 * @group_fd: in: as the call takes it
 * @__reserved_1: in: 0
 * @error: out: the errno, 0 if the event would be opened
 * @reason: out: PERF_REASON_*
 * @where: out: PERF_WHERE_*, which argument is to blame
 * @offset: out: for PERF_WHERE_ATTR: of the refused field, in bytes
 * @bits: out: bits of the field that must not be set; if none of them is set
 *	in the field, some of them must be. 0: nobody says
 * @length: out: for PERF_WHERE_ATTR: of the refused field, in bytes
 * @fit_alone: out: PERF_FIT_*, on a PMU that has nothing else to do
 * @fit_beside: out: PERF_FIT_*, beside the pinned events of this moment
 * @__reserved_2: out: 0
 *
 * The structure may grow at its end, and @size tells which one it is.
 */
struct perf_event_dry_run {
	__u32	size;
	__u32	text_size;
	__u64	attr;
	__u64	text;
	__u64	open_flags;
	__s32	pid;
	__s32	cpu;
	__s32	group_fd;
	__u32	__reserved_1;

	__s32	error;
	__u32	reason;
	__u32	where;
	__u32	offset;
	__u64	bits;
	__u32	length;
	__u32	fit_alone;
	__u32	fit_beside;
	__u32	__reserved_2;
};

#define PERF_DRY_RUN_SIZE_VER0	88	/* the first one */

#define PERF_EVENT_IOC_DRY_RUN	_IOWR('$', 0x81, struct perf_event_dry_run)

/* The argument that is to blame. */
enum perf_dry_run_where {
	PERF_WHERE_NOWHERE	= 0,	/* none, or nobody knows */
	PERF_WHERE_ATTR		= 1,	/* a field of perf_event_attr */
	PERF_WHERE_PID		= 2,
	PERF_WHERE_CPU		= 3,
	PERF_WHERE_GROUP_FD	= 4,
	PERF_WHERE_FLAGS	= 5,
	PERF_WHERE_ATTR_POINTER	= 6,
	PERF_WHERE_CALLER	= 7,	/* its rights or limits */
};

/* Do the event and its group find counters? */
enum perf_dry_run_fit {
	PERF_FIT_UNKNOWN	= 0,	/* the driver does not tell */
	PERF_FIT_YES		= 1,
	PERF_FIT_NO		= 2,
	PERF_FIT_SOMEWHERE	= 3,	/* on some of the CPUs only */
};

/*
 * Why. Numbers stay, texts may change.
 */
#define PERF_DRY_RUN_REASONS(X) \
	X(NONE,		0, "it would be opened") \
	X(OTHER,	1, "the check that refuses it gives no reason") \
	X(MEMORY,	2, "there is no memory") \
	X(FILES,	3, "the caller has no free descriptor") \
	X(POINTER,	4, "the attribute cannot be read") \
	X(SIZE,		5, "no version of perf_event_attr has that size") \
	X(TOO_NEW,	6, "fields are used that this kernel does not know") \
	X(RESERVED,	7, "reserved bits are set") \
	X(UNKNOWN_BITS,	8, "bits are set that this kernel does not know") \
	X(CONFLICT,	9, "these bits exclude each other") \
	X(REQUIRES,	10, "another bit has to be set with these") \
	X(NOT_BUILT,	11, "this kernel was built without it") \
	X(NO_AUX,	12, "there is no AUX area") \
	X(BRANCH_KIND,	20, "no kind of branch is asked for") \
	X(REGISTERS,	21, "no registers, or some that do not exist") \
	X(STACK_SIZE,	22, "not a multiple of 8 up to 65528") \
	X(MAX_STACK,	23, "more than kernel.perf_event_max_stack") \
	X(RATE,		24, "more than kernel.perf_event_max_sample_rate") \
	X(PERIOD,	25, "a period has at most 63 bits") \
	X(CLOCK,	26, "no clock that events can have") \
	X(CLOCK_NMI,	27, "this clock cannot be read in an NMI") \
	X(PARANOID,	40, "kernel.perf_event_paranoid keeps this from the caller") \
	X(CAPABILITY,	41, "the caller lacks a capability, CAP_PERFMON as a rule") \
	X(SECURITY,	42, "a security module does not allow it") \
	X(TASK_RIGHTS,	43, "the caller may not look into that task") \
	X(NO_TASK,	50, "there is no such task") \
	X(TASK_EXITS,	51, "the task exits") \
	X(NO_TARGET,	52, "neither a task nor a CPU that may exist") \
	X(CPU_OFFLINE,	53, "the CPU is offline") \
	X(TASK_ONLY,	54, "only for events of a task") \
	X(CPU_ONLY,	55, "the PMU counts for CPUs, not for tasks or cgroups") \
	X(CGROUP_TARGET, 56, "a cgroup's event needs a descriptor and a CPU") \
	X(CGROUP_FD,	57, "not the descriptor of a cgroup that is watched") \
	X(GROUP_FD,	60, "not the descriptor of an event") \
	X(LEADER_GONE,	61, "the leader's task or PMU has gone") \
	X(LEADER_INHERIT, 62, "leader and member have to agree in inherit") \
	X(LEADER_CGROUP, 63, "the leader is not of the same cgroup") \
	X(LEADER_MEMBER, 64, "the leader is a member of another group") \
	X(LEADER_CLOCK,	65, "the leader has another clock") \
	X(LEADER_CPU,	66, "the leader is on another CPU") \
	X(LEADER_TARGET, 67, "the leader counts something else") \
	X(LEADER_ONLY,	68, "for leaders only") \
	X(LEADER_PMU,	69, "the group is on another hardware PMU") \
	X(GROUP_SIZE,	70, "reading the group would take more than 16 KiB") \
	X(GROUP_FIT,	71, "the PMU takes the event, but not in this group") \
	X(OUTPUT,	72, "the other event's buffer cannot be shared") \
	X(NO_PMU,	80, "no PMU has that event") \
	X(NO_EVENT,	81, "the PMU does not have that event") \
	X(PMU,		82, "the driver of the PMU refuses it") \
	X(PMU_CANNOT,	83, "the PMU cannot do that") \
	X(PMU_FULL,	84, "the PMU has no room for it now") \
	X(PMU_BUSY,	85, "the PMU is in the hands of somebody else") \
	X(PMU_GOES,	86, "the PMU goes away") \
	X(NO_SAMPLES,	87, "the PMU cannot sample") \
	X(NO_BRANCHES,	88, "the PMU has no records of branches") \
	X(NO_EXCLUDE,	89, "the PMU cannot leave anything out") \
	X(NO_REGISTERS,	90, "the PMU cannot sample these registers")

#define __PERF_REASON(name, number, text)	PERF_REASON_##name = (number),
enum perf_dry_run_reason {
	PERF_DRY_RUN_REASONS(__PERF_REASON)
};

#undef __PERF_REASON

#endif /* _UAPI_LINUX_PERF_EVENT_EXT_H */
