/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Extensions of perf_event_open(2) that are not in <linux/perf_event.h>: ioctls
 * of a perf descriptor, numbered from 0x80 upwards so that they meet nothing
 * that later kernels add, and a flag of the call. A kernel without such an ioctl
 * answers ENOTTY, one without the flag EINVAL.
 *
 * Structures begin with their size, which says what the program knows, and grow
 * at their end only. The size in the number of the ioctl is not looked at.
 *
 *  - A structure that is shorter than its first version: EINVAL.
 *  - A longer one than the kernel knows: bytes that it does not know have to be
 *    0. Otherwise, and if it is longer than a page, the answer is E2BIG, and the
 *    kernel stores the size that it knows in the field.
 *  - Where the kernel fills in a structure, it stores the size that it filled.
 *
 * Flags and reserved fields are 0: EINVAL.
 */
#ifndef _UAPI_LINUX_PERF_EVENT_EXT_H
#define _UAPI_LINUX_PERF_EVENT_EXT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Of struct perf_event_random_period. */
#define PERF_RANDOM_PERIOD_SIZE_VER0	24
#define PERF_RANDOM_PERIOD_SHARE_MAX	1000000

/**
 * struct perf_event_random_period - how the periods of an event are drawn
 * @size: in: of this structure as the program knows it; out: what was filled
 * @flags: 0
 * @share: of the period, in millionths; up to PERF_RANDOM_PERIOD_SHARE_MAX,
 *	0 makes periods fixed again
 * @reserved: 0
 * @seed: the same seed yields the same periods, in the same order
 *
 * PERF_EVENT_IOC_RANDOM_PERIOD: each period of a sampling event is drawn anew,
 * evenly between attr.sample_period less a share of it and attr.sample_period
 * more that share. The mean is attr.sample_period. What was drawn stands in
 * the samples: PERF_SAMPLE_PERIOD.
 *
 * A fixed period that keeps step with a loop of the program sees the same few
 * instructions again and again. One that varies by some percent does not.
 *
 * The present period ends, and the first drawn begins. Inherited copies are
 * concerned as well, those that exist and those to come; each draws by a seed
 * that follows from @seed and from how many copies there were before it.
 * PERF_EVENT_IOC_PERIOD changes the mean; the draws go on. The dropped
 * occurrences of a throttled event belong to no sample.
 *
 * Which periods a seed yields is promised within one version of the kernel
 * only: another version may draw otherwise.
 *
 * cpu-clock and task-clock never wait for less than 10 microseconds: a draw
 * below that counts as 10 microseconds.
 *
 * Errors: EINVAL for an event that counts only or has a frequency, for @flags,
 * @share and @reserved other than said, and if a period that could be drawn is
 * one that the PMU refuses; EOPNOTSUPP for events with attr.precise_ip or of a
 * trace unit, whose hardware begins periods by itself; ENODEV after the PMU has
 * gone; EFAULT; EINVAL and E2BIG for @size, see above.
 *
 * PERF_EVENT_IOC_GET_RANDOM_PERIOD fills in @size, @share and @seed as they were
 * set last; of an event for which nothing was set they are 0. Of what is passed
 * only @size is looked at. Errors: EINVAL and E2BIG for it; ENODEV; EFAULT.
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
 * arguments, and the other flags, are those of the call that is asked about.
 * No event is opened. The call returns 0 when the answer is there.
 *
 * Everybody may ask, whatever kernel.perf_event_paranoid says: no descriptor is
 * needed. The attribute is only read: attr.size is not written on E2BIG.
 */
#define PERF_FLAG_DRY_RUN	(1UL << 31)

#define PERF_DRY_RUN_SIZE_VER0	80	/* the first one */

/**
 * struct perf_event_dry_run - what would perf_event_open(2) say?
 * @size: in: size of this structure as the program knows it; out: what was
 *	filled
 * @flags: in: 0
 * @attr: in: address of a struct perf_event_attr
 * @text: in: address where to put a sentence about @reason, ended by 0
 * @text_size: in: bytes at @text, 0: no text is wanted
 * @error: out: the errno, 0 if the event would be opened
 * @reason: out: PERF_REASON_*
 * @where: out: PERF_WHERE_*, which argument is to blame
 * @offset: out: for PERF_WHERE_ATTR: of the refused field, in bytes
 * @length: out: for PERF_WHERE_ATTR: of the refused field, in bytes
 * @must_clear: out: bits that are set in the field or in the flags: some of
 *	them must not be
 * @must_set: out: bits that are not set in the field: some of them must be; if
 *	there is @must_clear as well, one of the two is enough
 * @limit: out: for a field that is a number, and too large: the largest that is
 *	taken; 0: it is something else
 * @fit_alone: out: PERF_FIT_*, on a PMU that has nothing else to do
 * @fit_beside: out: PERF_FIT_*, beside the pinned events of this moment
 *
 * A field of which neither @must_clear, @must_set nor @limit say anything is
 * wrong as a whole, or nobody knows more.
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
	PERF_FIT_UNKNOWN	= 0,	/* nobody tells, or not the caller */
	PERF_FIT_YES		= 1,
	PERF_FIT_NO		= 2,
	PERF_FIT_SOMEWHERE	= 3,	/* on some of the CPUs only */
};

/* Why. The kernel has a sentence for each. */
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
