/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps perf's own actions from making events that make actions.
 *
 * One byte for each level at which a CPU can be interrupted: task, softirq,
 * hardirq, NMI. A level that is busy refuses to be entered again; a higher one
 * may still interrupt it. The bytes belong to what cannot be preempted by its
 * like: a task (task->perf_recursion) or a CPU with preemption off. All
 * contexts, NMI included.
 *
 * A byte is taken and given back by code outside of this folder as well (the
 * trace subsystem). One that is never given back drops events and has no other
 * effect: nothing waits for it.
 */
#ifndef _KERNEL_EVENTS_RECURSION_H
#define _KERNEL_EVENTS_RECURSION_H

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/sched.h>

/* Return: the level, for perf_recursion_put(); negative: busy, leave it. */
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
