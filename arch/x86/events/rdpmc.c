// SPDX-License-Identifier: GPL-2.0
/*
 * Room "rdpmc": which programs may read counters.
 *
 * Purpose: know which programs may execute RDPMC, and which events they can
 * see.
 *
 * Owns: the mode (file rdpmc of the PMU's device): 0 no program may execute
 * RDPMC; 1 programs that have mapped an event may; 2 all may.
 *
 * Contexts: any; the mode changes in tasks.
 *
 * Locking: mode_mutex for the mode.
 */
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <asm/mmu_context.h>
#include "engine.h"
#include "rdpmc.h"

DEFINE_STATIC_KEY_FALSE(rdpmc_never_available_key);
DEFINE_STATIC_KEY_FALSE(rdpmc_always_available_key);

static DEFINE_MUTEX(mode_mutex);
static unsigned int rdpmc_mode = 1;

/* An erratum of this processor forbids RDPMC in programs; the mode stays 0. */
static bool rdpmc_forbidden __ro_after_init;

/**
 * x86_counter_width() - tell how many bits RDPMC returns
 *
 * Context: any.
 * Return: width of a counter in bits.
 */
unsigned int x86_counter_width(void)
{
	return x86_pmc.width;
}

/**
 * x86_rdpmc_allowed() - may programs that map this event execute RDPMC?
 * @event: event of an x86 PMU
 *
 * Context: any.
 * Return: true if its user page says so.
 */
bool x86_rdpmc_allowed(const struct perf_event *event)
{
	return event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT;
}

/**
 * x86_rdpmc_task_may_read() - can the program that runs read counters?
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: true if events of its task must start from values of their own.
 */
bool x86_rdpmc_task_may_read(void)
{
	const struct mm_struct *mm = current->mm;

	if (static_branch_unlikely(&rdpmc_always_available_key))
		return true;
	return mm && atomic_read(&mm->context.perf_rdpmc_allowed);
}

/**
 * x86_rdpmc_may_read() - can user space see the counter of an event now?
 * @event: event that is scheduled in on this CPU
 *
 * An event of a CPU runs while programs come and go, so it counts as seen.
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: true if the counter must start from a value of its own.
 */
bool x86_rdpmc_may_read(const struct perf_event *event)
{
	return !(event->attach_state & PERF_ATTACH_TASK) || x86_rdpmc_task_may_read();
}

/**
 * x86_rdpmc_offer() - let the user page of an event say whether RDPMC works
 * @event: event that is opened
 *
 * Context: task.
 */
void x86_rdpmc_offer(struct perf_event *event)
{
	/*
	 * Its count also depends on records that were not read yet, or on
	 * slots.
	 */
	if (READ_ONCE(rdpmc_mode) && !(event->hw.flags & (X86_EVENT_LARGE | X86_EVENT_METRIC)))
		event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
}

/**
 * x86_rdpmc_get_mode() - get the mode
 *
 * Context: any.
 * Return: 0, 1 or 2, as above.
 */
int x86_rdpmc_get_mode(void)
{
	return READ_ONCE(rdpmc_mode);
}

/* Turn a key on or off as a mode is entered or left. */
static void switch_key(struct static_key_false *key, bool was, bool is)
{
	if (is && !was)
		static_branch_inc(key);
	else if (was && !is)
		static_branch_dec(key);
}

/**
 * x86_rdpmc_set_mode() - set the mode
 * @mode: 0, 1 or 2, as above
 *
 * Events that are open keep what their user page says. The caller lets all CPUs
 * follow.
 *
 * Context: task; takes mode_mutex.
 * Return: 0; -EINVAL for another number; -ENOTSUPP after x86_rdpmc_forbid().
 */
int x86_rdpmc_set_mode(unsigned long mode)
{
	if (mode > 2)
		return -EINVAL;
	if (rdpmc_forbidden)
		return -ENOTSUPP;
	guard(mutex)(&mode_mutex);
	if (mode == rdpmc_mode)
		return 0;
	switch_key(&rdpmc_never_available_key, rdpmc_mode == 0, mode == 0);
	switch_key(&rdpmc_always_available_key, rdpmc_mode == 2, mode == 2);
	WRITE_ONCE(rdpmc_mode, mode);
	return 0;
}

/**
 * x86_rdpmc_forbid() - let no program execute RDPMC, whatever is asked
 *
 * Context: boot.
 */
void __init x86_rdpmc_forbid(void)
{
	pr_warn("Performance Events: an erratum of this CPU forbids RDPMC in programs.\n");
	x86_rdpmc_set_mode(0);
	rdpmc_forbidden = true;
}
