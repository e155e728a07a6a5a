/* SPDX-License-Identifier: GPL-2.0 */
/* Room "swap": tasks with equal events exchange their contexts at a switch. */
#ifndef _KERNEL_EVENTS_SWAP_H
#define _KERNEL_EVENTS_SWAP_H

#include "types.h"

/* Events of two contexts, paired by their eldest. */
struct perf_swap_pairs;

/* Switch from the task of @ctx, loaded here, to @next: interrupts off. */
bool perf_swap_try_oncpu(struct perf_ctx *ctx,
			 struct task_struct *next);

/**
 * perf_swap_stays() - check whether a context stays with its task unheld
 * @ctx: context that was found for @task
 * @task: task
 *
 * A context without equal is not exchanged. It becomes equal to another only
 * under its mutex, or before any caller can find its task.
 *
 * Context: task; ctx->mutex, for as long as the answer is needed.
 * Return: true if @task has @ctx and keeps it; false if the caller has to use
 * perf_swap_hold().
 */
static inline bool perf_swap_stays(struct perf_ctx *ctx, struct task_struct *task)
{
	lockdep_assert_held(&ctx->mutex);
	return !READ_ONCE(ctx->equal) &&
	       perf_task_ctx(task) == ctx;
}

/* Keeps @ctx with @task. Return: false if @task has another context. */
bool perf_swap_hold(struct perf_ctx *ctx, struct task_struct *task);
void perf_swap_release(struct perf_ctx *ctx);

/* The same for the contexts of an eldest and its copies. child_mutex held. */
void perf_swap_hold_counts(struct perf_event *eldest);
void perf_swap_release_counts(struct perf_event *eldest);

void perf_swap_hold_group(struct perf_event *leader);
void perf_swap_release_group(struct perf_event *leader);

/* For two tasks that do not run, while no reader adds up their counts. */
void perf_swap_begin_move(struct perf_ctx *a,
			  struct perf_ctx *b);
void perf_swap_end_move(struct perf_ctx *a,
			struct perf_ctx *b);
void perf_swap_end_equal(struct perf_ctx *ctx);
/* Both mutexes held until the exchange. NULL is valid; kvfree() frees. */
struct perf_swap_pairs *perf_swap_find_pairs(const struct perf_ctx *a,
					     const struct perf_ctx *b);
bool perf_swap_unloaded(struct perf_ctx *a, struct perf_ctx *b,
			const struct perf_swap_pairs *pairs);

/* Do all events of the group count by task, or none? */
bool perf_swap_suits(const struct perf_event *event);
/* Marks @copy, which is new, as equal to @ctx, which is held. */
void perf_swap_mark_equal(struct perf_ctx *ctx,
			  struct perf_ctx *copy);

#endif /* _KERNEL_EVENTS_SWAP_H */
