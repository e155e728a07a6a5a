/* SPDX-License-Identifier: GPL-2.0 */
/* Room "divide": contexts for a family by CPU. */
#ifndef _KERNEL_EVENTS_DIVIDE_H
#define _KERNEL_EVENTS_DIVIDE_H

#include "types.h"

struct perf_family;
struct perf_divide_part;
struct perf_divide_move;

/* Contexts that a fork, or a task that leaves a family by CPU, makes. */
struct perf_divide {
	/* By CPU: a new context, and the events that move there. */
	struct perf_divide_part		*parts;
	/* All events that move. */
	struct perf_divide_move		*moves;
	unsigned int			nr_moves;
};

bool perf_divide_pays(const struct perf_ctx *ctx);
int perf_divide_prepare(struct perf_divide *divide, struct perf_ctx *own);
void perf_divide_found(struct perf_divide *divide, struct perf_ctx *own,
		       struct perf_family *family);
void perf_divide_end(struct perf_divide *divide);

struct perf_ctx *perf_divide_unite(struct perf_family *family,
				   struct task_struct *task);

#endif /* _KERNEL_EVENTS_DIVIDE_H */
