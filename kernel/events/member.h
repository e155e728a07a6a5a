/* SPDX-License-Identifier: GPL-2.0 */
/* Room "member": tasks that join, found, leave and end families. */
#ifndef _KERNEL_EVENTS_MEMBER_H
#define _KERNEL_EVENTS_MEMBER_H

#include "types.h"

/* Makes @child inherit the events of current. Return: 0 or an errno. */
int perf_member_fork(struct task_struct *child, u64 clone_flags);

/* Gives @task a context of its own. Return: 0 or an errno. */
int perf_member_leave(struct task_struct *task);

/*
 * The context that an event opened on @task and @cpu would join, referenced;
 * NULL: new.
 */
struct perf_ctx *perf_member_see_ctx(struct task_struct *task, int cpu);

/* Takes @task's context. @exit: @task is current, else it never ran. */
void perf_member_exit(struct task_struct *task, bool exit);

#endif /* _KERNEL_EVENTS_MEMBER_H */
