// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/warm_up": events that Nehalem and Westmere count before others.
 *
 * Purpose: a counter that gets an event may count wrong at first, errata
 * AAK100, AAP53 and BD53. It counts right if the four general counters count
 * certain other events for a moment before.
 *
 * Owns: nothing.
 *
 * Contexts: the CPU itself with interrupts off, counters stand still.
 *
 * Locking: none.
 */
#include <linux/array_size.h>
#include "../run.h"
#include "warm_up.h"

#define BOTH_MODES	(X86_SEL_USR | X86_SEL_OS)

/* What each counter must have counted, by the description of the errata. */
static const u64 warm_up_configs[] = {
	0x00b5 | BOTH_MODES,
	0x00d2 | BOTH_MODES,
	0x00b1 | BOTH_MODES,
	0x00b1 | BOTH_MODES,
};

/**
 * intel_warm_up() - count the events that must come before others
 * @cpu: this CPU, whose counters are about to get new events
 *
 * Events that stay at their counters go on afterwards.
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
void intel_warm_up(struct x86_cpu *cpu)
{
	u64 running = cpu->running;
	struct perf_event *event;
	unsigned int i;

	x86_run_unmark(running & X86_GENERAL(ARRAY_SIZE(warm_up_configs)));
	for (i = 0; i < ARRAY_SIZE(warm_up_configs); i++) {
		event = cpu->on[x86_slot(i)];
		if (event)
			x86_run_finish(cpu, event);
	}
	x86_regs_exercise(&cpu->regs, warm_up_configs, ARRAY_SIZE(warm_up_configs));
	for (i = 0; i < ARRAY_SIZE(warm_up_configs); i++) {
		event = cpu->on[x86_slot(i)];
		if (event)
			x86_run_reload(cpu, event, running & BIT_ULL(i));
		else if (!(cpu->planned & BIT_ULL(i)))
			x86_regs_select(&cpu->regs, i, 0);
	}
}
