/* SPDX-License-Identifier: GPL-2.0 */
/* Room "inherit": copies of events for new tasks, folded back when they exit. */
#ifndef _KERNEL_EVENTS_INHERIT_H
#define _KERNEL_EVENTS_INHERIT_H

#include "types.h"

/* Copies current's inheritable groups to @child. Return: 0, -ENOMEM, errno. */
int perf_inherit_task(struct task_struct *child, u64 clone_flags);

/*
 * Removes all events of @task's context: folded, freed or left as EXIT.
 * @exit: @task is current and ends its context, else it never ran.
 */
void perf_inherit_exit(struct task_struct *task, bool exit);

/* Removes what must not live on in a new program. Current's context. */
void perf_inherit_exec(struct perf_event_context *ctx);

#endif /* _KERNEL_EVENTS_INHERIT_H */
