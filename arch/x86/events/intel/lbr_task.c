// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/lbr_task": the call stack of each task.
 *
 * Purpose: no task may see the branches of another one. With a call stack the
 * branches are saved when the task is switched out, and restored when it comes
 * back, since the task may still return from calls that it has made before.
 * Without a call stack the branches are dropped.
 *
 * Owns: struct intel_lbr_task.
 *
 * Contexts: task switch, interrupts off, PMU disabled. The recorder stands
 * still: it leaves the kernel out, or is stopped.
 *
 * A stack that the registers still contain is not written. Each save has a
 * number of its own, and intel_lbr_cpu::kept is the number of the last one
 * until anything changes the registers.
 *
 * Lifetime: the core allocates a struct intel_lbr_task for each task that has
 * an event with a call stack. That of a new task is empty.
 *
 * Locking: none; the core switches a task on one CPU at a time.
 */
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/msr-index.h>
#include "../regs.h"
#include "lbr.h"
#include "lbr_task.h"

/* The lowest bits of the number of a save are the number of its CPU. */
#define CPU_BITS	16

static_assert(CONFIG_NR_CPUS <= 1 << CPU_BITS);

static u64 next_number(struct intel_lbr_cpu *l)
{
	return ++l->nr_saved << CPU_BITS | smp_processor_id();
}

/**
 * intel_lbr_task_save() - save the call stack of a task that is switched out
 * @t: gets the stack
 *
 * Context: this CPU, interrupts off, PMU disabled.
 */
void intel_lbr_task_save(struct intel_lbr_task *t)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);

	t->lent = l->lent;
	if (t->lent) {
		intel_lbr_read_lent(t->raw, &t->tos);
		t->nr = intel_lbr.depth;
		t->select = intel_lbr_read_register(MSR_LBR_SELECT);
	} else {
		t->nr = intel_lbr_read_all(t->raw, &t->tos, true);
	}
	t->number = next_number(l);
	t->valid = true;
	l->kept = t->number;
}

static void write_one(unsigned int place, const struct intel_lbr_raw *raw)
{
	u64 from = intel_lbr_decode_writable(&intel_lbr.layout, raw->from);

	x86_regs_write(intel_lbr.from + place, from);
	x86_regs_write(intel_lbr.to + place, raw->to);
	if (intel_lbr.info)
		x86_regs_write(intel_lbr.info + place, raw->info);
}

static void write_arch(const struct intel_lbr_task *t)
{
	unsigned int i;

	if (t->nr < intel_lbr.depth)
		x86_regs_write(MSR_ARCH_LBR_DEPTH, intel_lbr.depth);
	for (i = 0; i < t->nr; i++)
		write_one(i, &t->raw[i]);
}

/* The sources of older branches, which are another task's, are cleared. */
static void write_circle(const struct intel_lbr_task *t)
{
	unsigned int i, mask = intel_lbr.depth - 1;

	for (i = 0; i < t->nr; i++)
		write_one((t->tos - i) & mask, &t->raw[i]);
	for (; i < intel_lbr.depth; i++)
		x86_regs_write(intel_lbr.from + ((t->tos - i) & mask), 0);
	x86_regs_write(intel_lbr.tos, t->tos);
	if (t->lent)
		x86_regs_write(MSR_LBR_SELECT, t->select);
}

/* A deep C-state may have cleared the registers. */
static bool registers_have(const struct intel_lbr_cpu *l, const struct intel_lbr_task *t)
{
	unsigned int place = t->tos & (intel_lbr.depth - 1);

	if (l->kept != t->number)
		return false;
	if (!t->nr || (intel_lbr.arch && !intel_lbr.forgetful))
		return true;
	return intel_lbr_read_register(intel_lbr.from + place);
}

/**
 * intel_lbr_task_restore() - restore the call stack of a task that is switched
 * in
 * @t: its stack
 *
 * Context: this CPU, interrupts off, PMU disabled.
 */
void intel_lbr_task_restore(struct intel_lbr_task *t)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);

	if (!registers_have(l, t)) {
		if (intel_lbr.arch)
			write_arch(t);
		else
			write_circle(t);
	}
	l->kept = 0;
	l->stale = false;
	t->valid = false;
}

/**
 * intel_lbr_task_switch() - a task is switched in or out while branches are
 * recorded
 * @ctx: its events of this PMU, or those of the CPU
 * @sched_in: it is switched in
 *
 * Context: this CPU, interrupts off, PMU disabled.
 */
void intel_lbr_task_switch(struct perf_event_pmu_context *ctx, bool sched_in)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);
	struct intel_lbr_task *t = ctx ? ctx->task_ctx_data : NULL;
	bool stack = intel_lbr_facts_is_stack(&intel_lbr, l->wanted);

	if (!l->users)
		return;
	if (sched_in) {
		if (!l->lent)
			intel_lbr_change_filter(l);
		/* Neither host nor guest gets what the other one has left. */
		if (t && t->valid && stack && t->lent == l->lent)
			intel_lbr_task_restore(t);
		else
			l->stale = true;
	} else if (t) {
		t->valid = false;
		if (stack && !l->stale)
			intel_lbr_task_save(t);
	}
}
