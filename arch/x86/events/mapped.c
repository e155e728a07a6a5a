// SPDX-License-Identifier: GPL-2.0
/*
 * Room "mapped": counters that user space reads.
 *
 * Purpose: let programs that map events execute RDPMC, and keep other events'
 * counts from them.
 *
 * Owns: mm->context.perf_rdpmc_allowed, and with it CR4.PCE.
 *
 * Counts of others: a program that may execute RDPMC can read all counters.
 *
 *  - Counters without an event are cleared when such a program is switched in,
 *    and events that stay scheduled in at the switch get values of their own
 *    (perf_clear_dirty_counters()). The counter of an event that is stopped and
 *    up to date is cleared as well: it may contain what the event has borrowed,
 *    or what another event has left there.
 *  - The events of its threads start from values of their own.
 *  - An event may already run from another event's value when the program gets
 *    the right. Step 1: the right is recorded, so that no event borrows a value
 *    from now on. Step 2: each CPU that runs the program gives its events values
 *    of their own, and only then sets CR4.PCE.
 *
 * Contexts: mapping in the task that maps; the rest on a CPU, interrupts off.
 *
 * Locking: mmap_lock for the mappings of one process.
 */
#include <linux/jump_label.h>
#include <linux/lockdep.h>
#include <asm/mmu_context.h>
#include <asm/tlbflush.h>
#include "engine.h"
#include "mapped.h"
#include "rdpmc.h"
#include "run.h"

/* Clears the counts of others, and sets CR4.PCE, if the program may read. */
static void update_pce(void *unused)
{
	cr4_update_pce(NULL);
}

/**
 * x86_mapped_begin() - an event was mapped
 * @event: the event
 * @mm: process that maps it, with its mmap_lock held for writing
 *
 * Context: task.
 */
void x86_mapped_begin(struct perf_event *event, struct mm_struct *mm)
{
	if (!x86_rdpmc_allowed(event))
		return;
	mmap_assert_write_locked(mm);
	if (atomic_inc_return(&mm->context.perf_rdpmc_allowed) == 1)
		on_each_cpu_mask(mm_cpumask(mm), update_pce, NULL, 1);
}

/**
 * x86_mapped_end() - a mapping of an event ended
 * @event: the event
 * @mm: process that had mapped it
 *
 * Context: task.
 */
void x86_mapped_end(struct perf_event *event, struct mm_struct *mm)
{
	if (!x86_rdpmc_allowed(event))
		return;
	if (atomic_dec_and_test(&mm->context.perf_rdpmc_allowed))
		on_each_cpu_mask(mm_cpumask(mm), cr4_update_pce, NULL, 1);
}

/**
 * x86_mapped_event_idx() - tell user space which counter to read
 * @event: event that is scheduled in on this CPU and not stopped
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: operand of RDPMC plus one, or 0 if user space must not read it.
 */
int x86_mapped_event_idx(struct perf_event *event)
{
	if (!x86_rdpmc_allowed(event))
		return 0;
	return event->hw.event_base_rdpmc + 1;
}

/**
 * x86_perf_rdpmc_index() - find the counter of an event for RDPMC
 * @event: event that is scheduled in on this CPU
 *
 * Context: this CPU, interrupts off.
 * Return: operand of RDPMC.
 */
int x86_perf_rdpmc_index(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	return event->hw.event_base_rdpmc;
}

static bool borrows(const struct x86_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < cpu->nr; i++) {
		if (cpu->events[i]->hw.flags & X86_EVENT_BORROWED)
			return true;
	}
	return false;
}

/* Events that have started from the value of another one get values of their own. */
static void rebase_borrowers(struct x86_cpu *cpu)
{
	unsigned int i;

	perf_pmu_disable(&cpu->core->pmu);
	for (i = 0; i < cpu->nr; i++) {
		if (cpu->events[i]->hw.flags & X86_EVENT_BORROWED)
			x86_run_rebase(cpu->events[i]);
	}
	perf_pmu_enable(&cpu->core->pmu);
}

/* Counters of stopped events, which are set anew when these start. */
static u64 not_needed(const struct x86_cpu *cpu)
{
	u64 still = cpu->used & ~cpu->running & X86_SLOTTED, found = 0;
	const struct perf_event *event;

	for (; still; still &= still - 1) {
		/* The second counter of a pair has no event. */
		event = cpu->on[x86_slot(__ffs64(still))];
		if (event && event->hw.state & PERF_HES_UPTODATE)
			found |= still & -still;
	}
	return found;
}

/* Counters that transactions use now are not touched. */
static u64 lent(const struct x86_cpu *cpu)
{
	return cpu->aborts ? 0 : cpu->core->lent;
}

/**
 * perf_clear_dirty_counters() - remove other events' counts from counters
 *
 * Context: this CPU, interrupts off, when a program that may execute RDPMC is
 * switched in. Events that stay scheduled in, since they count the next task as
 * well as the one before, are scheduled in already.
 */
void perf_clear_dirty_counters(void)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 used;

	if (!cpu->core)
		return;
	if (unlikely(borrows(cpu)))
		rebase_borrowers(cpu);
	used = cpu->used & ~not_needed(cpu);
	x86_regs_clear(&cpu->regs, cpu->core->facts.counters & ~(used | lent(cpu)));
}

/**
 * x86_mapped_set_mode() - set the mode of the room "rdpmc" on all CPUs
 * @mode: 0, 1 or 2
 *
 * Context: task.
 * Return: 0, or an errno of x86_rdpmc_set_mode().
 */
int x86_mapped_set_mode(unsigned long mode)
{
	int err = x86_rdpmc_set_mode(mode);

	if (!err)
		on_each_cpu(update_pce, NULL, 1);
	return err;
}
