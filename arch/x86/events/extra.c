// SPDX-License-Identifier: GPL-2.0
/*
 * Room "extra": registers that events of a core share.
 *
 * Purpose: some events need a value in a second register, such as the mask of
 * offcore responses. The threads of a core may have one register for all of
 * them. Events that need different values in it cannot count at the same time.
 * Of two registers with the same purpose an event takes the one that it can
 * have now, and its selector gets the event code of that register.
 *
 * Owns: one struct x86_extra_set for each core, and the writes of such
 * registers; hw.extra_reg, and the code in hw.config with its counters, of an
 * event that is scheduled in.
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
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include "engine.h"
#include "extra.h"

/* Bits that can be written in each of these registers. */
#define PROBED		0x11ULL

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

static bool has_value(const struct x86_extra *reg, u64 value)
{
	return reg->users && reg->value == value;
}

/**
 * x86_extra_choose() - find a register for the value that an event needs
 * @regs: the registers of a core, by number
 * @core: type of the core
 * @event: event with such a register
 *
 * A register that has the value already comes first, so that the other one is
 * left to other events. Otherwise the register of the code that the program
 * asked for comes first, whichever one the event had the last time: another
 * event may have a value for which only the other register has the bits.
 *
 * Context: any; nobody changes @regs.
 * Return: row of the register and the code, or NULL if other events need other
 * values.
 */
const struct x86_extra_rule *x86_extra_choose(const struct x86_extra *regs,
					      const struct x86_core *core,
					      const struct perf_event *event)
{
	const struct hw_perf_event *hw = &event->hw;
	u64 value = hw->extra_reg.config;
	const struct x86_extra_rule *first, *second;

	/* The event may be scheduled in meanwhile, and take the other code. */
	first = x86_match_extra(core->facts.model, READ_ONCE(hw->config));
	second = x86_match_other(core->facts.model, first, value);
	if (second && core->absent_extra & BIT(second->reg))
		second = NULL;
	if (second && second->reg == hw->extra_reg.alloc)
		swap(first, second);
	if (has_value(&regs[first->reg], value))
		return first;
	if (second && has_value(&regs[second->reg], value))
		return second;
	if (!regs[first->reg].users)
		return first;
	return second && !regs[second->reg].users ? second : NULL;
}

/**
 * x86_extra_take() - one more event uses a register
 * @reg: the register, chosen by x86_extra_choose()
 * @value: value that the event needs
 *
 * Context: any; nobody else changes @reg.
 */
void x86_extra_take(struct x86_extra *reg, u64 value)
{
	if (reg->value != value)
		WRITE_ONCE(reg->known, false);
	reg->value = value;
	reg->users++;
}

/* The other code may have other counters. */
static void change_code(struct perf_event *event, const struct x86_extra_rule *row)
{
	struct hw_perf_event *hw = &event->hw;
	u64 config = (hw->config & ~X86_SEL_CODE) | row->code;

	if (hw->extra_reg.idx == row->reg)
		return;
	hw->extra_reg.idx = row->reg;
	hw->extra_reg.reg = row->msr;
	WRITE_ONCE(hw->config, config);
	x86_event_set_counters(event, x86_event_match(x86_core_of(event->pmu), event, config));
}

/**
 * x86_extra_claim() - claim a shared register for an event
 * @set: set of this core
 * @event: event that needs one, and is scheduled in
 *
 * Context: this CPU, interrupts off; takes set->lock.
 * Return: 0, or -EBUSY if other events need other values.
 */
int x86_extra_claim(struct x86_extra_set *set, struct perf_event *event)
{
	const struct x86_extra_rule *row;

	raw_spin_lock(&set->lock);
	row = x86_extra_choose(set->regs, x86_core_of(event->pmu), event);
	if (row)
		x86_extra_take(&set->regs[row->reg], event->hw.extra_reg.config);
	raw_spin_unlock(&set->lock);
	if (!row)
		return -EBUSY;
	change_code(event, row);
	return 0;
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
 * x86_extra_claim_value() - claim one certain register of a core
 * @set: set of this core
 * @reg: number of the register
 * @value: value that is needed in it
 *
 * Context: this CPU, interrupts off; takes set->lock.
 * Return: 0, or -EBUSY if other events need another value.
 */
int x86_extra_claim_value(struct x86_extra_set *set, unsigned int reg, u64 value)
{
	bool room;

	raw_spin_lock(&set->lock);
	room = x86_extra_has_room(&set->regs[reg], value);
	if (room)
		x86_extra_take(&set->regs[reg], value);
	raw_spin_unlock(&set->lock);
	return room ? 0 : -EBUSY;
}

/**
 * x86_extra_release_value() - undo x86_extra_claim_value()
 * @set: set of this core
 * @reg: number of the register
 *
 * Context: this CPU, interrupts off; takes set->lock.
 */
void x86_extra_release_value(struct x86_extra_set *set, unsigned int reg)
{
	raw_spin_lock(&set->lock);
	WARN_ON_ONCE(!set->regs[reg].users--);
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

/* Some hypervisors refuse a register, others ignore writes. */
static bool works(u32 msr)
{
	u64 old, found;

	if (rdmsrl_safe(msr, &old) || wrmsrl_safe(msr, old ^ PROBED) ||
	    rdmsrl_safe(msr, &found) || found != (old ^ PROBED))
		return false;
	wrmsrl(msr, old);
	return true;
}

/**
 * x86_extra_find_absent() - find shared registers that a hypervisor lacks
 * @model: type of the core
 *
 * Each register is written for a moment.
 *
 * Context: this CPU, of that type, before anything counts on CPUs of the type.
 * Return: mask of registers, by number; 0 without a hypervisor.
 */
u32 x86_extra_find_absent(const struct x86_model *model)
{
	const struct x86_extra_list *list;
	const struct x86_extra_rule *row;
	u32 absent = 0;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return 0;
	for (list = model->extra; list; list = list->next) {
		for (row = list->rows; row < list->rows + list->nr; row++) {
			if (!works(row->msr))
				absent |= BIT(row->reg);
		}
	}
	return absent;
}
