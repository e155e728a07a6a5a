/* SPDX-License-Identifier: GPL-2.0 */
/* Room "inherit": copies of events, folded back when their context ends. */
#ifndef _KERNEL_EVENTS_INHERIT_H
#define _KERNEL_EVENTS_INHERIT_H

#include "types.h"

/* Which groups are copied. */
enum perf_inherit_which {
	PERF_INHERIT_ALL,
	/* Those that are bound to a CPU, and those that are not. */
	PERF_INHERIT_BOUND,
	PERF_INHERIT_UNBOUND,
	PERF_INHERIT_NONE,
};

/* The destination of copies. */
struct perf_inherit {
	/* The task on which they are opened. */
	struct task_struct		*task;
	/* CLONE_*, what it shares with the task that they come from. */
	u64				clone_flags;
	enum perf_inherit_which		which;
	/* With a reference; NULL: made for @task, which is not visible yet. */
	struct perf_ctx			*ctx;
};

int perf_inherit_copy(struct perf_inherit *to, struct perf_ctx *from);
void perf_inherit_end(struct perf_ctx *ctx);
void perf_inherit_discard(struct perf_ctx *ctx);

/* Removes the events that end at an exec. @ctx: current's own context. */
void perf_inherit_exec(struct perf_ctx *ctx);

#endif /* _KERNEL_EVENTS_INHERIT_H */
