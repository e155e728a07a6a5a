// SPDX-License-Identifier: GPL-2.0
/*
 * Room "node": counters that count for all cores of a node.
 *
 * Purpose: on AMD's processors without PerfCtrExtCore, families up to 14h, an
 * event of the north bridge is the same for all cores of its node. The north
 * bridge has one set of counters: if two cores count such events on counters of
 * the same number, both counts are wrong (BKDG for family 10h, 3.12). So a
 * counter number belongs to one core of the node as long as it has such an
 * event. Other events are not concerned.
 *
 * Owns: the sets of counters that are taken, one for each node;
 * x86_cpu::node_own.
 *
 * Contexts: the CPU with interrupts off and x86_cpu::enabled false; never NMI.
 *
 * Locking: none. A set changes by compare-and-exchange, from all that this CPU
 * had to all that it gets; if another CPU has one of the counters, nothing
 * changes. A release is a single atomic operation.
 *
 * Nodes have static memory, so it need not be known which CPU of a node goes
 * last. The numbers of nodes are small; two nodes that had one entry would only
 * exclude each other without need.
 */
#include <linux/cpumask.h>
#include "node.h"

#define NR_NODES	64

static struct x86_node nodes[NR_NODES];

/**
 * x86_node_join() - say in which node a CPU is
 * @cpu: number of this CPU, which starts
 * @node: number of the node
 *
 * Context: this CPU, interrupts off.
 */
void x86_node_join(unsigned int cpu, unsigned int node)
{
	if (num_possible_cpus() > 1)
		per_cpu(x86_cpu, cpu).node = &nodes[node % NR_NODES];
}

/**
 * x86_node_replace() - replace the counters that this CPU has taken
 * @cpu: this CPU, which is in a node
 * @counters: their numbers, as a mask
 *
 * Context: this CPU, interrupts off.
 * Return: 0, or -EBUSY if another CPU has taken one of them.
 */
int x86_node_replace(struct x86_cpu *cpu, u64 counters)
{
	s64 taken = atomic64_read(&cpu->node->taken);
	u64 others;

	do {
		others = taken & ~cpu->node_own;
		if (others & counters)
			return -EBUSY;
	} while (!atomic64_try_cmpxchg(&cpu->node->taken, &taken, others | counters));
	cpu->node_own = counters;
	return 0;
}

/**
 * x86_node_claim() - take one more counter
 * @cpu: this CPU, which is in a node
 * @counter: its number
 *
 * Context: this CPU, interrupts off.
 * Return: false if another CPU has it.
 */
bool x86_node_claim(struct x86_cpu *cpu, unsigned int counter)
{
	return !x86_node_replace(cpu, cpu->node_own | BIT_ULL(counter));
}

/**
 * x86_node_release() - release counters
 * @cpu: this CPU
 * @counters: numbers of counters that it has taken, as a mask
 *
 * Context: this CPU, interrupts off.
 */
void x86_node_release(struct x86_cpu *cpu, u64 counters)
{
	atomic64_andnot(counters, &cpu->node->taken);
	cpu->node_own &= ~counters;
}
