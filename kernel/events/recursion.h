/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps perf's own actions from making events that make actions.
 *
 * One byte for each level at which a CPU can be interrupted: task, softirq,
 * hardirq, NMI. A level that is busy refuses to be entered again; a higher one
 * may still interrupt it. The bytes belong to what cannot be preempted by its
 * like: a task (task->perf_recursion) or a CPU with preemption off. All
 * contexts, NMI included.
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

/*
 * Did this interrupt come in the middle of an action of the current task's? That
 * may be a walk over a list of events: it would not tell those that are put in
 * front now, and those put behind its place twice.
 */
static inline bool perf_recursion_is_interrupted(void)
{
	int level;

	for (level = 0; level < PERF_NR_CONTEXTS; level++) {
		if (READ_ONCE(current->perf_recursion[level]))
			return true;
	}
	return false;
}

#endif /* _KERNEL_EVENTS_RECURSION_H */
