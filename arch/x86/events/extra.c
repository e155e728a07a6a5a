// SPDX-License-Identifier: GPL-2.0
/*
 * Room "extra": registers that events of a core share.
 *
 * Purpose: some events need a value in a second register, such as the mask of
 * offcore responses. The threads of a core may have one register for all of
 * them. Events that need different values in it cannot count at the same time.
 *
 * Owns: one struct x86_extra_set for each core, and the writes of such
 * registers.
 *
 * Contexts: get, put and write on the CPU with interrupts off.
 *
 * Lifetime: a CPU brings a set when it is prepared. The first thread of a core
 * uses its own, the others join that one, and their own is freed when they are
 * online. The last thread that dies frees the set.
 *
 * Locking: x86_extra_set::lock, a leaf.
 */
#include <linux/array_size.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <asm/msr.h>
#include "engine.h"
#include "extra.h"

/**
 * x86_extra_alloc() - make a set for a CPU that is about to start
 * @cpu: number of the CPU
 *
 * Context: task.
 * Return: the set, or NULL without memory.
 */
struct x86_extra_set *x86_extra_alloc(unsigned int cpu)
{
	struct x86_extra_set *set;

	set = kzalloc_node(sizeof(*set), GFP_KERNEL, cpu_to_node(cpu));
	if (set)
		raw_spin_lock_init(&set->lock);
	return set;
}

/**
 * x86_extra_join() - use the set of a thread of the same core, if there is one
 * @cpu: number of this CPU, which starts
 * @spare: the set that was made for it; NULL afterwards if it is used
 * @shared: the threads of this core have the registers together
 *
 * Context: this CPU, interrupts off; no other CPU starts or dies.
 */
void x86_extra_join(unsigned int cpu, struct x86_extra_set **spare, bool shared)
{
	struct x86_cpu *self = &per_cpu(x86_cpu, cpu);
	unsigned int other;

	/* It did not die since its last start. */
	if (self->extra)
		return;
	for_each_cpu(other, topology_sibling_cpumask(cpu)) {
		if (shared && other != cpu && per_cpu(x86_cpu, other).extra)
			self->extra = per_cpu(x86_cpu, other).extra;
	}
	if (!self->extra)
		swap(self->extra, *spare);
	if (self->extra)
		self->extra->threads++;
}

/**
 * x86_extra_leave() - stop to use the set of a core
 * @cpu: number of a CPU that is dead
 *
 * Context: task; no other CPU starts or dies.
 */
void x86_extra_leave(unsigned int cpu)
{
	struct x86_cpu *self = &per_cpu(x86_cpu, cpu);

	if (self->extra && !--self->extra->threads)
		kfree(self->extra);
	self->extra = NULL;
}

static struct x86_extra *slot_of(struct x86_extra_set *set, const struct perf_event *event)
{
	return &set->regs[event->hw.extra_reg.idx];
}

/**
 * x86_extra_claim() - claim the shared register of an event
 * @set: set of this core
 * @event: event with such a register that is scheduled in
 *
 * Context: this CPU, interrupts off; takes set->lock.
 * Return: 0, or -EBUSY if other events need another value in it.
 */
int x86_extra_claim(struct x86_extra_set *set, struct perf_event *event)
{
	struct hw_perf_event_extra *need = &event->hw.extra_reg;
	struct x86_extra *reg;
	int err = 0;

	reg = slot_of(set, event);
	raw_spin_lock(&set->lock);
	if (reg->users && reg->value != need->config) {
		err = -EBUSY;
	} else {
		if (reg->value != need->config)
			reg->known = false;
		reg->value = need->config;
		reg->users++;
	}
	raw_spin_unlock(&set->lock);
	return err;
}

/**
 * x86_extra_release() - release the shared register of an event
 * @set: set of this core
 * @event: event that is scheduled out
 *
 * The register keeps its value, so that the next event with it needs no write.
 *
 * Context: this CPU, interrupts off; takes set->lock.
 */
void x86_extra_release(struct x86_extra_set *set, struct perf_event *event)
{
	raw_spin_lock(&set->lock);
	WARN_ON_ONCE(!slot_of(set, event)->users--);
	raw_spin_unlock(&set->lock);
}

/**
 * x86_extra_write() - give the shared register of an event its value
 * @set: set of this core
 * @event: event that has claimed it and is about to count
 *
 * Another thread of the core may write the same value at the same time.
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_extra_write(struct x86_extra_set *set, const struct perf_event *event)
{
	const struct hw_perf_event_extra *need = &event->hw.extra_reg;
	struct x86_extra *reg = slot_of(set, event);

	if (READ_ONCE(reg->known))
		return;
	wrmsrl(need->reg, need->config);
	WRITE_ONCE(reg->known, true);
}

/**
 * x86_extra_forget() - say that the registers may contain anything
 * @set: set of this core
 *
 * Context: this CPU, interrupts off.
 */
void x86_extra_forget(struct x86_extra_set *set)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(set->regs); i++)
		WRITE_ONCE(set->regs[i].known, false);
}
