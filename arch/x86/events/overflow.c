// SPDX-License-Identifier: GPL-2.0
/*
 * Room "overflow": the interrupt of the counters.
 *
 * Purpose: receive the performance monitoring interrupt (PMI), which comes as
 * an NMI, and let the vendor's driver find the counters that have overflowed.
 *
 * Owns: the NMI handler, the number of users of the interrupt, the entry of the
 * local APIC for it.
 *
 * Contexts: NMI. It finds the state of the CPU between any two instructions
 * there. The engine changes a counter, its event and its plan only while that
 * counter stands still; a PMI that was on its way finds nothing to do, or finds
 * an event that is complete. Other counters may run meanwhile (room "load").
 *
 * Locking: none.
 */
#include <linux/hardirq.h>
#include <linux/kprobes.h>
#include <linux/sched/clock.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include "branch.h"
#include "overflow.h"
#include "run.h"

static int (*pmi_handler)(struct x86_cpu *cpu, struct pt_regs *regs) __ro_after_init;

/* Events, and users of other sources of the interrupt, such as traces. */
static atomic_t pmi_users;

/* The latter alone. */
static atomic_t other_users;

/**
 * x86_overflow_use() - expect interrupts from now on
 *
 * Context: any.
 */
void x86_overflow_use(void)
{
	atomic_inc(&pmi_users);
}

/**
 * x86_overflow_unuse() - undo x86_overflow_use()
 *
 * Context: any.
 */
void x86_overflow_unuse(void)
{
	atomic_dec(&pmi_users);
}

/**
 * x86_overflow_use_other() - expect interrupts of another source than counters
 *
 * Context: any.
 */
void x86_overflow_use_other(void)
{
	atomic_inc(&other_users);
	x86_overflow_use();
}

/**
 * x86_overflow_unuse_other() - undo x86_overflow_use_other()
 *
 * Context: any.
 */
void x86_overflow_unuse_other(void)
{
	x86_overflow_unuse();
	atomic_dec(&other_users);
}

/**
 * x86_overflow_others() - may an interrupt have another source than counters?
 *
 * Context: any.
 * Return: true if such sources are in use.
 */
bool x86_overflow_others(void)
{
	return atomic_read(&other_users);
}

/*
 * A counter has overflowed whose event is stopped. It may have run on after the
 * event was throttled, if a guest was left meanwhile. Its next period must be
 * whole when it starts again.
 */
static void ignore(struct x86_cpu *cpu, unsigned int counter)
{
	struct perf_event *event = cpu->on[x86_slot(counter)];

	if (!event || event->hw.state & PERF_HES_UPTODATE)
		return;
	x86_run_update(event);
	x86_run_rearm(cpu, event);
}

/**
 * x86_overflow_sample() - handle the overflow of one counter
 * @cpu: this CPU
 * @counter: number of a counter in cpu->running, which stands still
 * @regs: registers of what was interrupted
 *
 * Context: NMI.
 */
void x86_overflow_sample(struct x86_cpu *cpu, unsigned int counter, struct pt_regs *regs)
{
	struct perf_event *event = cpu->on[x86_slot(counter)];
	/* perf_sample_data_init() leaves out fields that are set before use. */
	struct perf_sample_data data __uninitialized;

	x86_run_update(event);
	if (!x86_run_rearm(cpu, event))
		return;
	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (event->hw.flags & X86_EVENT_BRANCHES)
		x86_branch_save(event, &data);
	if (perf_event_overflow(event, &data, regs))
		x86_run_stop(event, 0);
}

/**
 * x86_overflow_counters() - handle the overflows of several counters
 * @cpu: this CPU, whose counters stand still
 * @counters: numbers of counters that have overflowed, as a mask
 * @regs: registers of what was interrupted
 *
 * Context: NMI.
 * Return: number of @counters.
 */
int x86_overflow_counters(struct x86_cpu *cpu, u64 counters, struct pt_regs *regs)
{
	unsigned int counter;
	int handled = 0;

	for (; counters; counters &= counters - 1) {
		counter = __ffs64(counters);
		handled++;
		/* The second counter of a pair has no event. */
		if (cpu->running & BIT_ULL(counter) && cpu->on[x86_slot(counter)])
			x86_overflow_sample(cpu, counter, regs);
		else
			ignore(cpu, counter);
	}
	return handled;
}

/* The entry was masked when it sent a PMI that nobody needs. */
static int refuse(void)
{
	apic_write(APIC_LVTPC, APIC_DM_NMI);
	return NMI_DONE;
}

/**
 * x86_overflow_handle() - look for overflows, as the interrupt does
 * @regs: registers of what was interrupted
 *
 * Before a CPU has started, its counters may still run for firmware or for an
 * earlier kernel.
 *
 * Context: NMI, or the interrupt that a hypervisor sends instead.
 * Return: number of causes that were found.
 */
int x86_overflow_handle(struct pt_regs *regs)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	return cpu->core ? pmi_handler(cpu, regs) : refuse();
}

static int pmi(unsigned int cmd, struct pt_regs *regs)
{
	u64 begin;
	int handled;

	if (!atomic_read(&pmi_users))
		return refuse();
	begin = sched_clock();
	handled = x86_overflow_handle(regs);
	perf_sample_event_took(sched_clock() - begin);
	return handled;
}

NOKPROBE_SYMBOL(pmi);

/**
 * perf_events_lapic_init() - let the local APIC deliver a PMI as an NMI
 *
 * Context: this CPU, interrupts off; also called when the APIC was reset.
 */
void perf_events_lapic_init(void)
{
	if (pmi_handler && boot_cpu_has(X86_FEATURE_APIC))
		apic_write(APIC_LVTPC, APIC_DM_NMI);
}

/**
 * x86_overflow_init() - begin to receive interrupts
 * @handler: the vendor's handler; returns how many causes of an interrupt it
 *	has found
 *
 * Context: task, at boot.
 * Return: 0, or -ENOMEM.
 */
int __init x86_overflow_init(int (*handler)(struct x86_cpu *cpu, struct pt_regs *regs))
{
	pmi_handler = handler;
	perf_events_lapic_init();
	return register_nmi_handler(NMI_LOCAL, pmi, 0, "PMI");
}

/**
 * x86_overflow_exit() - undo x86_overflow_init()
 *
 * Context: task, at boot; nothing counts.
 */
void __init x86_overflow_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "PMI");
	pmi_handler = NULL;
}
