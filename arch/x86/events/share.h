/* SPDX-License-Identifier: GPL-2.0 */
/* Room "share": counters that the threads of a core cannot use side by side. */
#ifndef _ARCH_X86_EVENTS_SHARE_H
#define _ARCH_X86_EVENTS_SHARE_H

#include <linux/spinlock.h>
#include "engine.h"

#define X86_SHARE_THREADS	2

/**
 * struct x86_share_thread - what one thread does with its general counters
 * @used:	counters that are planned for an event
 * @alone:	those of them whose event may corrupt the same counter of the
 *	other thread
 * @spoilt:	counters whose value the other thread may have corrupted while
 *	they had no event
 */
struct x86_share_thread {
	u64	used;
	u64	alone;
	u64	spoilt;
};

/**
 * struct x86_share - the general counters of a core with two threads
 * @lock:	guards the rest; a leaf, taken with interrupts off
 * @nr_threads:	CPUs that use it
 * @thread:	by x86_cpu::thread
 *
 * No counter is in the @alone of one thread and in the @used of the other.
 */
struct x86_share {
	raw_spinlock_t		lock;
	unsigned int		nr_threads;
	struct x86_share_thread	thread[X86_SHARE_THREADS];
};

void x86_share_setup(const struct x86_model *model);
void x86_share_join(unsigned int cpu);
void x86_share_leave(unsigned int cpu);

u64 x86_share_find_free(const struct x86_cpu *cpu, const struct perf_event *event);
bool x86_share_claim(struct x86_cpu *cpu, const struct perf_event *event,
		     unsigned int counter);
void x86_share_release(struct x86_cpu *cpu, u64 counters);
int x86_share_commit(struct x86_cpu *cpu, u64 used, u64 alone);

/* Cores without the erratum, and machines with one thread a core: no cost. */

/* Counters that the other thread leaves to an event; the lock is held. */
static inline u64 x86_share_free(const struct x86_cpu *cpu, const struct perf_event *event)
{
	return cpu->share ? x86_share_find_free(cpu, event) : ~0ULL;
}

/* Give one more counter to this thread. */
static inline bool x86_share_get(struct x86_cpu *cpu, const struct perf_event *event,
				 unsigned int counter)
{
	return !cpu->share || x86_share_claim(cpu, event, counter);
}

static inline void x86_share_put(struct x86_cpu *cpu, u64 counters)
{
	if (cpu->share)
		x86_share_release(cpu, counters);
}

/* Replace all counters of this thread; the lock is held. */
static inline int x86_share_set(struct x86_cpu *cpu, u64 used, u64 alone)
{
	return cpu->share ? x86_share_commit(cpu, used, alone) : 0;
}

#endif /* _ARCH_X86_EVENTS_SHARE_H */
