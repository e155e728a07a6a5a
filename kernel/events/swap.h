/* SPDX-License-Identifier: GPL-2.0 */
/* Room "swap": tasks with equal events exchange their contexts at a switch. */
#ifndef _KERNEL_EVENTS_SWAP_H
#define _KERNEL_EVENTS_SWAP_H

#include "types.h"

/* Switch from the task of @ctx, loaded here, to @next: interrupts off. */
bool perf_swap_try_oncpu(struct perf_event_context *ctx,
			 struct task_struct *next);

/* Need it not be held, since it has no equal? */
bool perf_swap_stays(struct perf_event_context *ctx, struct task_struct *task);
/* Keeps @task's context with it. Return: false if @ctx is not its any more. */
bool perf_swap_hold(struct perf_event_context *ctx, struct task_struct *task);
void perf_swap_release(struct perf_event_context *ctx);

/* The same for an eldest's and all of its copies' contexts. child_mutex. */
void perf_swap_hold_counts(struct perf_event *eldest);
void perf_swap_release_counts(struct perf_event *eldest);

void perf_swap_hold_group(struct perf_event *leader);
void perf_swap_release_group(struct perf_event *leader);

/* Two tasks of which none runs, while nobody adds up their counts. */
void perf_swap_begin_move(struct perf_event_context *a,
			  struct perf_event_context *b);
void perf_swap_end_move(struct perf_event_context *a,
			struct perf_event_context *b);
void perf_swap_end_equal(struct perf_event_context *ctx);
bool perf_swap_unloaded(struct perf_event_context *a,
			struct perf_event_context *b);

/* Do all members of the group count by task, or none? */
bool perf_swap_suits(const struct perf_event *event);
/* Says that @copy, new, has the same events as @ctx, which is held. */
void perf_swap_mark_equal(struct perf_event_context *ctx,
			  struct perf_event_context *copy);

#endif /* _KERNEL_EVENTS_SWAP_H */
