/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "family": contexts that several tasks share.
 *
 * A family is a set of tasks, its members. Of their inherited events programs
 * can read only the sum. It has a pool of equal contexts, at least as many as
 * members can run at the same moment. A member's task->perf_event_ctxp points
 * to the family's handle, which is a context in name only: it has no event and
 * is never loaded. A CPU that runs a member loads any context of the pool; in a
 * family by CPU each CPU loads its own one.
 */
#ifndef _KERNEL_EVENTS_FAMILY_H
#define _KERNEL_EVENTS_FAMILY_H

#include <linux/cache.h>

#include "types.h"

/* Contexts for each member while the pool has fewer contexts than CPUs. */
#define PERF_FAMILY_PER_MEMBER	2

/* Where a CPU parks a context without a lock. */
struct perf_family_place {
	/*
	 * A context; PERF_PLACE_EMPTY; or NULL if the CPU has no place. Only
	 * that CPU parks here; any CPU may take the context or the place away.
	 */
	struct perf_ctx			*ctx;
	/* R: with family->by_cpu, the context that serves this CPU. */
	struct perf_ctx			*own;
} ____cacheline_aligned_in_smp;

#define PERF_PLACE_EMPTY	((struct perf_ctx *)1L)

struct perf_family {
	/* First, so that the last reference on the handle frees all of this. */
	struct perf_ctx			handle;

	/* Outside of all contexts' mutexes. */
	struct mutex			mutex;
	/* M */
	unsigned int			nr_members;

	/* Inside ctx->lock. */
	raw_spinlock_t			lock;
	/*
	 * M and lock to write, either to read: the pool, the founder's context
	 * first, as long as it is there.
	 */
	struct list_head		contexts;
	unsigned int			nr_contexts;

	/* lock: contexts that are parked in no place, the last one first. */
	struct list_head		spare;
	/*
	 * lock: a ring of the CPUs that have a place, while the pool has fewer
	 * than @nr_full contexts. Later each CPU gets a place when it parks.
	 */
	unsigned int			*owners;
	unsigned int			first_owner;
	unsigned int			nr_owners;
	/* I: the number of possible CPUs. */
	unsigned int			nr_full;
	/* I: each CPU has a context of its own; see family.c. */
	bool				by_cpu;

	/* One for each CPU; behind them the ring. */
	struct perf_family_place	places[];
};

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
extern unsigned int perf_family_kunit_cpus;
#endif

struct perf_family *perf_family_alloc(bool by_cpu);
void perf_family_add(struct perf_family *family,
		     struct perf_ctx *ctx);
void perf_family_add_cpu(struct perf_family *family, struct perf_ctx *ctx,
			 unsigned int cpu);
void perf_family_withdraw(struct perf_ctx *ctx);
void perf_family_replace(struct perf_ctx *ctx, struct perf_ctx *new);
unsigned int perf_family_size_for(const struct perf_family *family,
				  unsigned int members);
bool perf_family_wants_context(const struct perf_family *family);

/* For the task switch; interrupts off. */
struct perf_ctx *perf_family_take_oncpu(struct perf_family *family);
void perf_family_return_locked(struct perf_family *family,
			       struct perf_ctx *ctx);
void perf_family_park_locked(struct perf_ctx *ctx);

struct perf_ctx *
perf_family_other_rcu(struct perf_ctx *ctx);
struct perf_ctx *perf_family_here_rcu(struct perf_ctx *ctx);

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
