/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Extensions of perf_event_open(2) that are not in <linux/perf_event.h>: ioctls
 * of a perf descriptor, numbered from 0x80 upwards so that they do not collide
 * with additions of later kernels, and a flag of the call. On a kernel without
 * them the ioctls fail with ENOTTY, and the flag with EINVAL.
 *
 * Structures begin with their size as the program knows it, and grow at their
 * end only. The size in the number of the ioctl is ignored.
 *
 *  - A structure that is shorter than its first version: EINVAL.
 *  - A structure that is longer than the kernel knows: bytes that the kernel
 *    does not know must be 0. Otherwise, and if it is longer than a page, the
 *    call fails with E2BIG, and the kernel stores the size that it knows.
 *  - If the kernel fills in a structure, it stores the size that it filled.
 *
 * Flags and reserved fields must be 0: EINVAL.
 */
#ifndef _UAPI_LINUX_PERF_EVENT_EXT_H
#define _UAPI_LINUX_PERF_EVENT_EXT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* For struct perf_event_random_period. */
#define PERF_RANDOM_PERIOD_SIZE_VER0	24
#define PERF_RANDOM_PERIOD_SHARE_MAX	1000000

/**
 * struct perf_event_random_period - how the periods of an event are drawn
 * @size: in: of this structure as the program knows it; out: bytes filled
 * @flags: 0
 * @share: of the period, in millionths; up to PERF_RANDOM_PERIOD_SHARE_MAX,
 *	0 makes periods fixed again
 * @reserved: 0
 * @seed: the same seed gives the same periods, in the same order
 *
 * PERF_EVENT_IOC_RANDOM_PERIOD: each period of a sampling event is drawn at
 * random, evenly between attr.sample_period less a share of it and
 * attr.sample_period plus that share. The mean is attr.sample_period.
 * PERF_SAMPLE_PERIOD of a sample is the drawn period.
 *
 * With a fixed period, samples of a loop that repeats in step with the period
 * hit the same few instructions again and again. A period that varies by some
 * percent avoids that.
 *
 * The current period ends, and the first drawn one begins. Existing and later
 * inherited copies draw as well; each has a seed that is computed from @seed
 * and from the number of copies before it. PERF_EVENT_IOC_PERIOD changes the
 * mean; the draws continue. Occurrences that a throttled event drops belong to
 * no sample.
 *
 * The periods that a seed gives are the same within one version of the kernel
 * only: another version may draw other periods.
 *
 * cpu-clock and task-clock never wait for less than 10 microseconds: a draw
 * below that counts as 10 microseconds.
 *
 * Errors: EINVAL for an event that counts only or has a frequency, for invalid
 * @flags, @share and @reserved, and if the PMU refuses a period that could be
 * drawn; EOPNOTSUPP for events with attr.precise_ip or of a trace unit, whose
 * hardware begins periods by itself; ENODEV after the PMU has gone; EFAULT;
 * EINVAL and E2BIG for @size, see above.
 *
 * PERF_EVENT_IOC_GET_RANDOM_PERIOD fills in @size, @share and @seed of the last
 * request; without a request @share and @seed are 0. It reads only @size of the
 * structure. Errors: EINVAL and E2BIG for @size; ENODEV; EFAULT.
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
#define PERF_EVENT_IOC_GET_RANDOM_PERIOD \
	_IOWR('$', 0x81, struct perf_event_random_period)

/*
 * A dry run of perf_event_open(2): with this flag the first argument is the
 * address of a struct perf_event_dry_run, which names the attribute. The other
 * arguments, and the other flags, are those of the call in question. No event
 * is opened. The call returns 0 if it has a result.
 *
 * Every user may make a dry run, at each level of kernel.perf_event_paranoid,
 * since it needs no descriptor. The attribute is only read: attr.size is not
 * written on E2BIG.
 */
#define PERF_FLAG_DRY_RUN	(1UL << 31)

#define PERF_DRY_RUN_SIZE_VER0	80	/* the first one */

/**
 * struct perf_event_dry_run - what perf_event_open(2) would return, and why
 * @size: in: size of this structure as the program knows it; out: bytes filled
 * @flags: in: 0
 * @attr: in: address of a struct perf_event_attr
 * @text: in: address of a buffer for a sentence about @reason, ended by 0
 * @text_size: in: bytes at @text, 0 for no text
 * @error: out: the errno, 0 if the event would be opened
 * @reason: out: PERF_REASON_*
 * @where: out: PERF_WHERE_*, the argument that is to blame
 * @offset: out: for PERF_WHERE_ATTR: of the refused field, in bytes
 * @length: out: for PERF_WHERE_ATTR: of the refused field, in bytes
 * @must_clear: out: bits that are set in the field or in the flags; some of
 *	them must be clear
 * @must_set: out: bits that are clear in the field; some of them must be set.
 *	If @must_clear is not 0 either, one of the two changes is enough
 * @limit: out: if the field is a number, and too large: the largest one that is
 *	allowed; otherwise 0
 * @fit_alone: out: PERF_FIT_*, on a PMU without other events
 * @fit_beside: out: PERF_FIT_*, beside the pinned events of this moment
 *
 * If @must_clear, @must_set and @limit are 0, the field is wrong as a whole, or
 * the kernel has no details.
 *
 * Errors: EINVAL from kernels that do not know the flag; EINVAL and E2BIG for
 * @size, see above; EINVAL for @flags; EFAULT; ENOMEM; EINTR.
 */
struct perf_event_dry_run {
	__u32	size;
	__u32	flags;
	__u64	attr;
	__u64	text;
	__u32	text_size;

	__s32	error;
	__u32	reason;
	__u32	where;
	__u32	offset;
	__u32	length;
	__u64	must_clear;
	__u64	must_set;
	__u64	limit;
	__u32	fit_alone;
	__u32	fit_beside;
};

/* The argument that is to blame. */
enum perf_dry_run_where {
	PERF_WHERE_NOWHERE	= 0,	/* none, or it is not known */
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
	PERF_FIT_UNKNOWN	= 0,	/* or the caller may not know */
	PERF_FIT_YES		= 1,
	PERF_FIT_NO		= 2,
	PERF_FIT_SOMEWHERE	= 3,	/* on some of the CPUs only */
};

/* The reasons. The kernel has a sentence for each. */
enum perf_dry_run_reason {
	PERF_REASON_NONE	= 0,
	PERF_REASON_OTHER	= 1,
	PERF_REASON_MEMORY	= 2,
	PERF_REASON_FILES	= 3,
	PERF_REASON_POINTER	= 4,
	PERF_REASON_SIZE	= 5,
	PERF_REASON_TOO_NEW	= 6,
	PERF_REASON_RESERVED	= 7,
	PERF_REASON_UNKNOWN_BITS = 8,
	PERF_REASON_CONFLICT	= 9,
	PERF_REASON_REQUIRES	= 10,
	PERF_REASON_NOT_BUILT	= 11,
	PERF_REASON_NO_AUX	= 12,
	PERF_REASON_BRANCH_KIND	= 20,
	PERF_REASON_REGISTERS	= 21,
	PERF_REASON_STACK_SIZE	= 22,
	PERF_REASON_MAX_STACK	= 23,
	PERF_REASON_RATE	= 24,
	PERF_REASON_PERIOD	= 25,
	PERF_REASON_CLOCK	= 26,
	PERF_REASON_CLOCK_NMI	= 27,
	PERF_REASON_PARANOID	= 40,
	PERF_REASON_CAPABILITY	= 41,
	PERF_REASON_SECURITY	= 42,
	PERF_REASON_TASK_RIGHTS	= 43,
	PERF_REASON_NO_TASK	= 50,
	PERF_REASON_TASK_EXITS	= 51,
	PERF_REASON_NO_TARGET	= 52,
	PERF_REASON_CPU_OFFLINE	= 53,
	PERF_REASON_TASK_ONLY	= 54,
	PERF_REASON_CPU_ONLY	= 55,
	PERF_REASON_CGROUP_TARGET = 56,
	PERF_REASON_CGROUP_FD	= 57,
	PERF_REASON_GROUP_FD	= 60,
	PERF_REASON_LEADER_GONE	= 61,
	PERF_REASON_LEADER_INHERIT = 62,
	PERF_REASON_LEADER_CGROUP = 63,
	PERF_REASON_LEADER_MEMBER = 64,
	PERF_REASON_LEADER_CLOCK = 65,
	PERF_REASON_LEADER_CPU	= 66,
	PERF_REASON_LEADER_TARGET = 67,
	PERF_REASON_LEADER_ONLY	= 68,
	PERF_REASON_LEADER_PMU	= 69,
	PERF_REASON_GROUP_SIZE	= 70,
	PERF_REASON_GROUP_FIT	= 71,
	PERF_REASON_OUTPUT	= 72,
	PERF_REASON_NO_PMU	= 80,
	PERF_REASON_NO_EVENT	= 81,
	PERF_REASON_PMU		= 82,
	PERF_REASON_PMU_CANNOT	= 83,
	PERF_REASON_PMU_FULL	= 84,
	PERF_REASON_PMU_BUSY	= 85,
	PERF_REASON_PMU_GOES	= 86,
	PERF_REASON_NO_SAMPLES	= 87,
	PERF_REASON_NO_BRANCHES	= 88,
	PERF_REASON_NO_EXCLUDE	= 89,
	PERF_REASON_NO_REGISTERS = 90,
};

#endif /* _UAPI_LINUX_PERF_EVENT_EXT_H */
