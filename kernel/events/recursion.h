/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps perf's own actions from causing events that cause further actions.
 *
 * One byte for each level at which a CPU can be interrupted: task, softirq,
 * hardirq, NMI. A level that is busy cannot be entered again; a higher level
 * may still interrupt it. The bytes belong to a task (task->perf_recursion), or
 * to a CPU with preemption off: no other user of the same bytes can preempt
 * them. All contexts, NMI included.
 *
 * Code outside of this folder (the trace subsystem) takes and gives back bytes
 * as well. A byte that is never given back loses events and has no other
 * effect: nothing waits for it.
 */
#ifndef _KERNEL_EVENTS_RECURSION_H
#define _KERNEL_EVENTS_RECURSION_H

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/sched.h>

/* Return: the level, for perf_recursion_put(); -1 if the level is busy. */
static inline int perf_recursion_get(u8 *recursion)
{
	int level = interrupt_context_level();
	u8 *busy = recursion + level;

	if (*busy)
		return -1;
	*busy = 1;
	barrier();
	return level;
}

static inline void perf_recursion_put(u8 *recursion, int level)
{
	barrier();
	recursion[level] = 0;
}

#endif /* _KERNEL_EVENTS_RECURSION_H */
