/* SPDX-License-Identifier: GPL-2.0 */
/* Room "node": counters that count for all cores of a node. */
#ifndef _ARCH_X86_EVENTS_NODE_H
#define _ARCH_X86_EVENTS_NODE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include "engine.h"

/**
 * struct x86_node - the north bridge of a node
 * @taken:	counters that count the node's events on one of its CPUs
 */
struct x86_node {
	atomic64_t	taken;
} ____cacheline_aligned_in_smp;

void x86_node_join(unsigned int cpu, unsigned int node);
int x86_node_replace(struct x86_cpu *cpu, u64 counters);
bool x86_node_claim(struct x86_cpu *cpu, unsigned int counter);
void x86_node_release(struct x86_cpu *cpu, u64 counters);

static inline bool x86_node_wants(const struct x86_cpu *cpu, const struct perf_event *event)
{
	return event->hw.flags & X86_EVENT_NODE && cpu->node;
}

/* Counters that no other CPU of the node has taken for such an event. */
static inline u64 x86_node_free(const struct x86_cpu *cpu, const struct perf_event *event)
{
	if (!x86_node_wants(cpu, event))
		return ~0ULL;
	return ~(u64)atomic64_read(&cpu->node->taken) | cpu->node_own;
}

/* Take one more counter. */
static inline bool x86_node_get(struct x86_cpu *cpu, const struct perf_event *event,
				unsigned int counter)
{
	return !x86_node_wants(cpu, event) || x86_node_claim(cpu, counter);
}

static inline void x86_node_put(struct x86_cpu *cpu, u64 counters)
{
	if (cpu->node_own & counters)
		x86_node_release(cpu, cpu->node_own & counters);
}

/* Take these counters, and release all others of this CPU. */
static inline int x86_node_set(struct x86_cpu *cpu, u64 counters)
{
	return cpu->node_own == counters ? 0 : x86_node_replace(cpu, counters);
}

#endif /* _ARCH_X86_EVENTS_NODE_H */
