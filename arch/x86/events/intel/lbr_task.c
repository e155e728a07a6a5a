// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/lbr_task": the call stack of each task.
 *
 * Purpose: keep the branches of one task from another. With a call stack they are
 * saved when the task is switched out and restored when it comes back, since the
 * calls that it has made may be old. Other branches are removed.
 *
 * Owns: struct intel_lbr_task, which the core allocates for each task that has an
 * event with a call stack. A new task has an empty one.
 *
 * Contexts: task switch, interrupts off, PMU disabled. The recorder stands still:
 * it does not record the kernel, or is stopped.
 *
 * A stack that the registers still contain is not written: each save has a number
 * of its own, and intel_lbr_cpu::kept is the number of the last one until anything
 * changes the registers.
 *
 * Locking: none; the core switches a task on one CPU at a time.
 */
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/msr-index.h>
#include "../regs.h"
#include "lbr.h"
#include "lbr_task.h"

/* Numbers of saves are of this many CPUs in turn. */
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

	t->nr = intel_lbr_read_all(t->raw, &t->tos, true);
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

/* Older branches are another task's. One without a source is not read. */
static void write_circle(const struct intel_lbr_task *t)
{
	unsigned int i, mask = intel_lbr.depth - 1;

	for (i = 0; i < t->nr; i++)
		write_one((t->tos - i) & mask, &t->raw[i]);
	for (; i < intel_lbr.depth; i++)
		x86_regs_write(intel_lbr.from + ((t->tos - i) & mask), 0);
	x86_regs_write(intel_lbr.tos, t->tos);
}

/* A deep C-state may have cleared them. */
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
 * intel_lbr_task_restore() - restore the call stack of a task that is switched in
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
 * @ctx: its events, or those of the CPU
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
		intel_lbr_change_filter(l);
		if (t && t->valid && stack)
			intel_lbr_task_restore(t);
		else
			l->stale = true;
	} else if (t) {
		t->valid = false;
		if (stack && !l->stale)
			intel_lbr_task_save(t);
	}
}
