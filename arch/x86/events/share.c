// SPDX-License-Identifier: GPL-2.0
/*
 * Room "share": counters that the threads of a core cannot use side by side.
 *
 * Purpose: on Sandy Bridge, Ivy Bridge and Haswell an event of retired memory
 * accesses in one thread may corrupt the same counter of the other thread
 * (errata BJ122, BV98, HSD29). So the other thread does not use that counter
 * meanwhile.
 *
 * Owns: one struct x86_share for each core of a machine with these errata.
 *
 * Contexts: the CPU with interrupts off and x86_cpu::enabled false; never NMI.
 *
 * A thread claims counters when the room "fit" plans them, and releases them when
 * their event is scheduled out, even if it has never run. In between a claimed
 * counter may stand still, which does no harm.
 *
 * Fairness: a thread whose events use all counters would keep the others' memory
 * events out for ever. So while one of the threads has such an event, each of
 * them gets at most half of the general counters.
 *
 * Values: while an event counts alone, the other thread's counter has no event,
 * and its remembered value may become wrong. It is forgotten when the other
 * thread uses the counter again.
 *
 * Lifetime: each CPU has memory for a share. The second thread of a core uses
 * that of the first one. When all CPUs are up, and none has two threads, shares
 * are dropped.
 *
 * Locking: x86_share::lock, a leaf.
 */
#include <linux/cpu.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include "share.h"

/* A core of this machine has the erratum, and may have two threads. */
static bool share_needed;

static DEFINE_PER_CPU(struct x86_share, share_memory) = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(share_memory.lock),
};

/**
 * x86_share_setup() - say whether threads must share counters
 * @model: type of this machine's cores
 *
 * Context: boot.
 */
void __init x86_share_setup(const struct x86_model *model)
{
	share_needed = model->quirks & X86_QUIRK_LEAK;
}

/**
 * x86_share_join() - use the share of the other thread, if there is one
 * @cpu: number of this CPU, which starts
 *
 * Context: this CPU, interrupts off; no other CPU starts or dies.
 */
void x86_share_join(unsigned int cpu)
{
	struct x86_cpu *self = &per_cpu(x86_cpu, cpu);
	struct x86_share *share = &per_cpu(share_memory, cpu);
	unsigned int other;

	/* It did not die since its last start. */
	if (!share_needed || self->share)
		return;
	self->thread = 0;
	for_each_cpu(other, topology_sibling_cpumask(cpu)) {
		if (other == cpu || !per_cpu(x86_cpu, other).share)
			continue;
		share = per_cpu(x86_cpu, other).share;
		self->thread = !per_cpu(x86_cpu, other).thread;
	}
	raw_spin_lock(&share->lock);
	share->nr_threads++;
	raw_spin_unlock(&share->lock);
	self->share = share;
}

/**
 * x86_share_leave() - stop to use the share of a core
 * @cpu: number of a CPU that is dead
 *
 * Context: task; no other CPU starts or dies.
 */
void x86_share_leave(unsigned int cpu)
{
	struct x86_cpu *self = &per_cpu(x86_cpu, cpu);
	struct x86_share *share = self->share;

	if (!share)
		return;
	raw_spin_lock_irq(&share->lock);
	share->thread[self->thread] = (struct x86_share_thread) { };
	share->nr_threads--;
	raw_spin_unlock_irq(&share->lock);
	self->share = NULL;
}

static struct x86_share_thread *self_of(const struct x86_cpu *cpu)
{
	return &cpu->share->thread[cpu->thread];
}

static struct x86_share_thread *other_of(const struct x86_cpu *cpu)
{
	return &cpu->share->thread[!cpu->thread];
}

static u64 general(u64 counters)
{
	return counters & X86_GENERAL(X86_MAX_GENERAL);
}

/**
 * x86_share_find_free() - find the counters that the other thread leaves
 * @cpu: this CPU, which has a share
 * @event: event that needs a counter
 *
 * Context: this CPU, interrupts off, share locked.
 * Return: counters that do not corrupt each other, as a mask.
 */
u64 x86_share_find_free(const struct x86_cpu *cpu, const struct perf_event *event)
{
	const struct x86_share_thread *other = other_of(cpu);

	lockdep_assert_held(&cpu->share->lock);
	return ~(event->hw.flags & X86_EVENT_ALONE ? other->used : other->alone);
}

/* Would this thread have more than its half beside an event that is alone? */
static bool takes_too_many(const struct x86_cpu *cpu, u64 used, u64 alone)
{
	unsigned int all = hweight64(general(cpu->core->facts.counters));

	if (cpu->share->nr_threads < 2 || !(alone | other_of(cpu)->alone))
		return false;
	return hweight64(used) > all / 2;
}

/* The lock is held. */
static void change(struct x86_cpu *cpu, u64 used, u64 alone)
{
	struct x86_share_thread *self = self_of(cpu);

	x86_regs_release(&cpu->regs, self->spoilt & used);
	self->spoilt &= ~used;
	self->used = used;
	self->alone = alone;
	other_of(cpu)->spoilt |= alone;
}

/**
 * x86_share_claim() - claim one more counter
 * @cpu: this CPU, which has a share
 * @event: event that is to have the counter
 * @counter: its number
 *
 * Context: this CPU, interrupts off; takes the share's lock.
 * Return: false if the other thread must be alone on that counter, or uses it
 * and the event must be alone, or no counter is left for this thread.
 */
bool x86_share_claim(struct x86_cpu *cpu, const struct perf_event *event,
		     unsigned int counter)
{
	u64 bit = general(BIT_ULL(counter));
	u64 used, alone;
	bool ok;

	if (!bit)
		return true;
	raw_spin_lock(&cpu->share->lock);
	used = self_of(cpu)->used | bit;
	alone = self_of(cpu)->alone;
	if (event->hw.flags & X86_EVENT_ALONE)
		alone |= bit;
	ok = bit & x86_share_find_free(cpu, event) && !takes_too_many(cpu, used, alone);
	if (ok)
		change(cpu, used, alone);
	raw_spin_unlock(&cpu->share->lock);
	return ok;
}

/**
 * x86_share_release() - release counters
 * @cpu: this CPU, which has a share
 * @counters: their numbers, as a mask
 *
 * Context: this CPU, interrupts off; takes the share's lock.
 */
void x86_share_release(struct x86_cpu *cpu, u64 counters)
{
	raw_spin_lock(&cpu->share->lock);
	self_of(cpu)->used &= ~counters;
	self_of(cpu)->alone &= ~counters;
	raw_spin_unlock(&cpu->share->lock);
}

/**
 * x86_share_commit() - replace all counters of this thread
 * @cpu: this CPU, which has a share
 * @used: counters with an event, each of them free by x86_share_find_free()
 * @alone: those whose event must be alone
 *
 * Context: this CPU, interrupts off, share locked.
 * Return: 0, or -ENOSPC if this thread would have too many.
 */
int x86_share_commit(struct x86_cpu *cpu, u64 used, u64 alone)
{
	lockdep_assert_held(&cpu->share->lock);
	used = general(used);
	alone = general(alone);
	if (takes_too_many(cpu, used, alone))
		return -ENOSPC;
	change(cpu, used, alone);
	return 0;
}

/* What the CPU's events have claimed is not released; nothing reads it any more. */
static void drop(void *unused)
{
	this_cpu_write(x86_cpu.share, NULL);
}

/* How many threads a core has is known when all CPUs are up. */
static int __init x86_share_decide(void)
{
	if (!share_needed)
		return 0;
	if (topology_max_smt_threads() > 1) {
		pr_info("Performance Events: threads share counters, errata BJ122, BV98, HSD29.\n");
		return 0;
	}
	cpus_read_lock();
	share_needed = false;
	on_each_cpu(drop, NULL, 1);
	cpus_read_unlock();
	return 0;
}
subsys_initcall(x86_share_decide);
