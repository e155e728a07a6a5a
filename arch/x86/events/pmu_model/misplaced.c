// SPDX-License-Identifier: GPL-2.0
/*
 * Room "misplaced": events that were put on a counter that cannot count them.
 *
 * Purpose: with strict=1 a test sees each wrong decision of the driver.
 *
 * Owns: a list for each CPU. The key of an entry, a register and the value
 * written to it, is set once by a compare-and-exchange; an NMI amid that finds
 * the slot free or taken.
 *
 * Contexts: a CPU adds to its own list anywhere, NMI included. A reader or a
 * reset on another CPU may be off by one write.
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include <asm/local.h>

#include "pmu_model.h"

#define MAX_MISPLACED	256

/* A select register has fewer than 56 bits with a function. */
#define KEY_SLOT_SHIFT	56
#define KEY_VALUE	GENMASK_ULL(KEY_SLOT_SHIFT - 1, 0)

struct list {
	u64	keys[MAX_MISPLACED];
	local_t	times[MAX_MISPLACED];
	local_t	lost;
};

static DEFINE_PER_CPU(struct list, misplaced);

static bool is_mine(u64 *key, u64 wanted)
{
	u64 found = READ_ONCE(*key);

	if (!found && try_cmpxchg_local(key, &found, wanted))
		return true;
	return found == wanted;
}

/**
 * pmu_model_misplaced_add() - note that a counter got an event it cannot count
 * @slot:	the select register of the counter
 * @val:	the value written to it
 *
 * Context: any, NMI included; interrupts off.
 */
void pmu_model_misplaced_add(unsigned int slot, u64 val)
{
	struct list *l = this_cpu_ptr(&misplaced);
	u64 key = (u64)slot << KEY_SLOT_SHIFT | (val & KEY_VALUE);
	unsigned int i;

	for (i = 0; i < MAX_MISPLACED; i++) {
		if (!is_mine(&l->keys[i], key))
			continue;
		local_inc(&l->times[i]);
		return;
	}
	local_inc(&l->lost);
}

/**
 * pmu_model_misplaced_reset() - forget all misplaced events
 *
 * Context: task.
 */
void pmu_model_misplaced_reset(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&misplaced, cpu), 0, sizeof(struct list));
}

static void show_entry(struct seq_file *m, unsigned int cpu, u64 key, long times)
{
	unsigned int slot = key >> KEY_SLOT_SHIFT;

	if (!key)
		return;
	seq_printf(m, "%u %#x ", cpu, pmu_model.regs[slot].msr);
	pmu_model_show_name(m, slot);
	seq_printf(m, " %#llx %ld\n", key & KEY_VALUE, times);
}

/**
 * pmu_model_misplaced_show() - print the misplaced events
 * @m:		file to print to
 *
 * One line for each CPU, register and value, with the number of writes; then the
 * number of writes that were not listed, if there are any.
 *
 * Context: task.
 */
void pmu_model_misplaced_show(struct seq_file *m)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		struct list *l = per_cpu_ptr(&misplaced, cpu);

		for (i = 0; i < MAX_MISPLACED; i++)
			show_entry(m, cpu, READ_ONCE(l->keys[i]),
				   local_read(&l->times[i]));
		if (local_read(&l->lost))
			seq_printf(m, "%u lost %ld\n", cpu, local_read(&l->lost));
	}
}
