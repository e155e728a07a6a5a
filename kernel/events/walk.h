/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks over the lists of software and trace events of a CPU, and work that
 * waits there for their end. The rule and its reasons are in remote.c.
 */
#ifndef _KERNEL_EVENTS_WALK_H
#define _KERNEL_EVENTS_WALK_H

#include <linux/compiler.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include "types.h"

/* C, N: for each CPU. */
struct perf_walk_cpu {
	/* Number of walks under way, one inside the other. */
	unsigned int		depth;
	/* Work that came meanwhile, and runs when the outermost walk ends. */
	struct llist_head	late;
	/* Work taken from @late, the oldest first; done before the rest. */
	struct llist_node	*ready;
};

DECLARE_PER_CPU(struct perf_walk_cpu, perf_walk);

void perf_walk_end_late(void);
bool perf_walk_run_late_oncpu(void);
bool perf_walk_defer_oncpu(struct perf_late *late,
			   void (*fn)(struct perf_late *late));

/* Return: whether a walk is under way on this CPU. Preemption off. */
static inline bool perf_walk_is_on(void)
{
	return __this_cpu_read(perf_walk.depth);
}

/* True if work waits on @cpu. Reliable for this CPU and for an offline one. */
static inline bool perf_walk_is_waited_for(int cpu)
{
	return !llist_empty(&per_cpu_ptr(&perf_walk, cpu)->late);
}

/*
 * Called around a walk; preemption off, NMI included. Within a walk with
 * interrupts on, only an interrupt begins another one.
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
	/* Work that comes from here on finds no walk, and does not wait. */
	barrier();
	if (unlikely(__this_cpu_read(perf_walk.late.first)))
		perf_walk_end_late();
}

#endif /* _KERNEL_EVENTS_WALK_H */
