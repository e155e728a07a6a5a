/* SPDX-License-Identifier: GPL-2.0 */
/* Room "member": what a task inherits, at fork, and what becomes of it. */
#ifndef _KERNEL_EVENTS_MEMBER_H
#define _KERNEL_EVENTS_MEMBER_H

#include "types.h"

/* Gives @child what it inherits from current. Return: 0 or what went wrong. */
int perf_member_fork(struct task_struct *child, u64 clone_flags);

/* Makes @task's context its own alone. Return: 0 or what went wrong. */
int perf_member_leave(struct task_struct *task);

/* The context that would be, if it is there. Return: a reference, or NULL. */
struct perf_event_context *perf_member_see_ctx(struct task_struct *task);

/* Parts @task from its context. @exit: it is current, else it never ran. */
void perf_member_exit(struct task_struct *task, bool exit);

#endif /* _KERNEL_EVENTS_MEMBER_H */
