/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of perf_event_open(2) that fail, each at another step, for tests that
 * make them while others use the same events. open_rows.h has the errno of each
 * mistake; here it only matters which step of the call fails.
 */
#ifndef SELFTEST_BAD_CALLS_H
#define SELFTEST_BAD_CALLS_H

#include <time.h>
#include <unistd.h>
#include <linux/perf_event_ext.h>
#include <sys/syscall.h>

#include "perf_lib.h"

#define NO_SUCH_TYPE	0x7ffffff0
#define NO_SUCH_PID	0x3fffffff

/* Arguments of perf_event_open(2). */
struct call {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group;
	unsigned long flags;
};

static inline int call_open(struct call *call)
{
	return syscall(SYS_perf_event_open, &call->attr, call->pid, call->cpu,
		       call->group, call->flags);
}

/* Return: false if there is no answer. */
static inline bool call_dry_run(const struct call *call)
{
	struct perf_event_dry_run run = {
		.size = sizeof(run),
		.attr = (unsigned long)&call->attr,
	};

	return !syscall(SYS_perf_event_open, &run, call->pid, call->cpu,
			call->group, call->flags | PERF_FLAG_DRY_RUN);
}

/* Roughly in the order of the steps of the system call. */

static void flaw_size(struct call *call)
{
	call->attr.size = 1;
}

static void flaw_reserved(struct call *call)
{
	call->attr.__reserved_2 = 1;
}

static void flaw_flags(struct call *call)
{
	call->flags |= 1UL << 20;
}

static void flaw_pid(struct call *call)
{
	call->pid = NO_SUCH_PID;
}

static void flaw_group(struct call *call)
{
	call->group = 0;
}

static void flaw_type(struct call *call)
{
	call->attr.type = NO_SUCH_TYPE;
}

static void flaw_config(struct call *call)
{
	call->attr.type = PERF_TYPE_HW_CACHE;
	call->attr.config = 0xffffff;
}

static void flaw_max_stack(struct call *call)
{
	call->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	call->attr.sample_max_stack = 0xffff;
}

static void flaw_target(struct call *call)
{
	call->pid = -1;
	call->cpu = 0x1000000;
}

static void flaw_clock(struct call *call)
{
	call->attr.use_clockid = 1;
	call->attr.clockid = CLOCK_THREAD_CPUTIME_ID;
}

/* This fails in the last step that can fail, after the output was set. */
static void flaw_aux_sample(struct call *call)
{
	call->attr = sw_attr(PERF_COUNT_SW_DUMMY);
	call->attr.exclude_kernel = 1;
	call->attr.aux_sample_size = 8;
	call->flags |= PERF_FLAG_FD_NO_GROUP;
}

static void flaw_aux_output(struct call *call)
{
	flaw_aux_sample(call);
	call->attr.aux_sample_size = 0;
	call->attr.aux_output = 1;
}

static void flaw_sibling(struct call *call)
{
	call->flags &= ~PERF_FLAG_FD_NO_GROUP;
	call->attr.pinned = 1;
}

static const struct flaw {
	const char *name;
	void (*spoil)(struct call *call);
	unsigned int weight;
} call_flaws[] = {
	{ "size", flaw_size, 1 },
	{ "reserved", flaw_reserved, 1 },
	{ "flags", flaw_flags, 1 },
	{ "pid", flaw_pid, 1 },
	{ "group", flaw_group, 1 },
	{ "type", flaw_type, 2 },
	{ "config", flaw_config, 2 },
	{ "max_stack", flaw_max_stack, 2 },
	{ "target", flaw_target, 1 },
	{ "clock", flaw_clock, 2 },
	{ "aux_sample", flaw_aux_sample, 8 },
	{ "aux_output", flaw_aux_output, 4 },
	{ "sibling", flaw_sibling, 2 },
};

static inline const struct flaw *draw_flaw(__u64 *random)
{
	unsigned int i, at = 0;

	for (i = 0; i < ARRAY_SIZE(call_flaws); i++)
		at += call_flaws[i].weight;
	at = rnd(random, at);
	for (i = 0; at >= call_flaws[i].weight; i++)
		at -= call_flaws[i].weight;
	return &call_flaws[i];
}

#endif
