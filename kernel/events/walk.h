/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks over the lists of software and trace events of a CPU, and what waits
 * there for them to end. The rule and its reasons are in remote.c.
 */
#ifndef _KERNEL_EVENTS_WALK_H
#define _KERNEL_EVENTS_WALK_H

#include <linux/compiler.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include "types.h"

/* C, N: a CPU's. */
struct perf_walk_cpu {
	/* Walks that are under way, one inside the other. */
	unsigned int		depth;
	/* What came meanwhile and runs when the outermost one ends. */
	struct llist_head	late;
	/* The same in the order it came; whoever runs it empties both. */
	struct llist_node	*ready;
};

DECLARE_PER_CPU(struct perf_walk_cpu, perf_walk);

void perf_walk_end_late(void);
bool perf_walk_run_late_oncpu(void);
bool perf_walk_defer_oncpu(struct perf_late *late,
			   void (*fn)(struct perf_late *late));

/* Is a walk under way on this CPU? Preemption off. */
static inline bool perf_walk_is_on(void)
{
	return __this_cpu_read(perf_walk.depth);
}

/* Does work wait on @cpu? Right for this CPU, and for one that is offline. */
static inline bool perf_walk_is_waited_for(int cpu)
{
	return !llist_empty(&per_cpu_ptr(&perf_walk, cpu)->late);
}

/*
 * Around a walk; preemption off, NMI included. Inside of a walk with interrupts on,
 * another begins only in an interrupt.
 */
static __always_inline void perf_walk_begin(void)
{
	__this_cpu_inc(perf_walk.depth);
	barrier();
}

static __always_inline void perf_walk_end(void)
{
	barrier();
	__this_cpu_dec(perf_walk.depth);
	/* What comes from here on finds no walk, and does not wait. */
	barrier();
	if (unlikely(__this_cpu_read(perf_walk.late.first)))
		perf_walk_end_late();
}

#endif /* _KERNEL_EVENTS_WALK_H */
