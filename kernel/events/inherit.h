/* SPDX-License-Identifier: GPL-2.0 */
/* Room "inherit": copies of events, folded back when their context ends. */
#ifndef _KERNEL_EVENTS_INHERIT_H
#define _KERNEL_EVENTS_INHERIT_H

#include "types.h"

/* The destination of copies. */
struct perf_inherit {
	/* The task on which they are opened. */
	struct task_struct		*task;
	/* CLONE_*, what it shares with the task that they come from. */
	u64				clone_flags;
	/* With a reference; NULL: made for @task, which is not visible yet. */
	struct perf_ctx			*ctx;
};

int perf_inherit_copy(struct perf_inherit *to, struct perf_ctx *from);
void perf_inherit_end(struct perf_ctx *ctx);

/* Removes the events that end at an exec. @ctx: current's own context. */
void perf_inherit_exec(struct perf_ctx *ctx);

#endif /* _KERNEL_EVENTS_INHERIT_H */
