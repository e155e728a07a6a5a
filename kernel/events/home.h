/* SPDX-License-Identifier: GPL-2.0 */
/* Room "home": gives contexts back to the tasks on which events were opened. */
#ifndef _KERNEL_EVENTS_HOME_H
#define _KERNEL_EVENTS_HOME_H

#include "types.h"

/**
 * perf_home_is_own() - check whether a context's events are those of its task
 * @ctx: context of @task
 * @task: task
 *
 * Context: task; ctx->mutex.
 * Return: true if no event in it was opened on another task; false if some may
 * have been.
 */
static inline bool perf_home_is_own(struct perf_ctx *ctx,
				    const struct task_struct *task)
{
	const struct perf_event *newest;

	lockdep_assert_held(&ctx->mutex);
	newest = list_first_entry_or_null(&ctx->event_list, struct perf_event,
					  event_entry);
	return !newest || newest->hw.target == task;
}

bool perf_home_take(struct perf_ctx *ctx, struct task_struct *task);
void perf_home_bring(struct task_struct *task);
struct perf_ctx *perf_home_take_ctx(struct task_struct *task);

#endif /* _KERNEL_EVENTS_HOME_H */
