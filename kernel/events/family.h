/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "family": contexts that several tasks share.
 *
 * A family is a set of tasks, its members. Of their inherited events programs
 * can read only the sum. It has a pool of equal contexts, at least as many as
 * members can run at the same moment. A member's task->perf_event_ctxp points
 * to the family's handle, which is a context in name only: it has no event and
 * is never loaded. A CPU that runs a member loads any context of the pool.
 */
#ifndef _KERNEL_EVENTS_FAMILY_H
#define _KERNEL_EVENTS_FAMILY_H

#include "types.h"

struct perf_family {
	/* First, so that the last reference on the handle frees all of this. */
	struct perf_ctx			handle;

	/* Outside of all contexts' mutexes. */
	struct mutex			mutex;
	/* M */
	unsigned int			nr_members;

	/* Inside ctx->lock. */
	raw_spinlock_t			lock;
	/* M and lock to write, either to read: the pool, the oldest first. */
	struct list_head		contexts;
	unsigned int			nr_contexts;

	/* lock */
	unsigned int			nr_parked;
	/* Parked contexts; a CPU uses the first place from its number on. */
	struct perf_ctx			*parked[];
};

struct perf_family *perf_family_alloc(void);
void perf_family_add(struct perf_family *family,
		     struct perf_ctx *ctx);
void perf_family_withdraw(struct perf_ctx *ctx);
bool perf_family_wants_context(const struct perf_family *family);

/* For the task switch; interrupts off. */
struct perf_ctx *perf_family_take_oncpu(struct perf_family *family);
void perf_family_return_locked(struct perf_family *family,
			       struct perf_ctx *ctx);
void perf_family_park_locked(struct perf_ctx *ctx);

struct perf_ctx *
perf_family_other_rcu(struct perf_ctx *ctx);

static inline bool perf_ctx_is_handle(const struct perf_ctx *ctx)
{
	const struct perf_family *family = READ_ONCE(ctx->family);

	return family && ctx == &family->handle;
}

/* True if @ctx may count for @task. NMI-safe for current; R for other tasks. */
static inline bool perf_ctx_serves(const struct perf_ctx *ctx,
				   const struct task_struct *task)
{
	const struct perf_ctx *own = perf_task_ctx(task);
	const struct perf_family *family = READ_ONCE(ctx->family);

	if (own == ctx)
		return !family;
	return own && family && READ_ONCE(own->family) == family;
}

#endif /* _KERNEL_EVENTS_FAMILY_H */
