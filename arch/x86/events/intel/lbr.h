/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/lbr": the recorder of last branches of each CPU. */
#ifndef _ARCH_X86_EVENTS_INTEL_LBR_H
#define _ARCH_X86_EVENTS_INTEL_LBR_H

#include "../engine.h"
#include "lbr_facts.h"

/**
 * struct intel_lbr_cpu - the recorder of a CPU
 * @users:	events that are scheduled in and record branches
 * @on:		it records, or would if an interrupt had not frozen it
 * @stale:	it must be cleared before it records again: its branches are
 *	another task's, or passed another filter, or some are missing
 * @known:	IA32_DEBUGCTL has @debugctl in the bits of the recorder
 * @debugctl:	image of these bits
 * @arch_known:	IA32_LBR_CTL has @arch_ctl
 * @lent:	a guest has it, so the host neither uses nor changes it
 * @arch_ctl:	its image
 * @wanted:	filter that @users need
 * @selected:	filter since the recorder was cleared
 * @kept:	number of the save whose branches the registers still contain,
 *	or 0
 * @nr_saved:	how often branches were saved here
 * @counted:	numbers of the events whose counts the branches may have, by
 *	counter
 *
 * Only this CPU uses it: with interrupts off, or in the PMI.
 */
struct intel_lbr_cpu {
	unsigned int	users;
	bool		on;
	bool		stale;
	bool		known;
	bool		arch_known;
	bool		lent;
	u64		debugctl;
	u64		arch_ctl;
	u64		wanted;
	u64		selected;
	u64		kept;
	u64		nr_saved;
	u64		counted[INTEL_LBR_NR_COUNTS];
};

DECLARE_PER_CPU(struct intel_lbr_cpu, intel_lbr_cpu);
extern struct intel_lbr intel_lbr;

u64 intel_lbr_read_register(u32 address);
unsigned int intel_lbr_read_all(struct intel_lbr_raw *raw, u64 *tos, bool info);
void intel_lbr_clear(struct intel_lbr_cpu *l);
void intel_lbr_read_lent(struct intel_lbr_raw *raw, u64 *tos);
void intel_lbr_describe(struct x86_pmu_lbr *lbr);

int intel_lbr_get(struct x86_cpu *cpu, struct perf_event *event);
void intel_lbr_put(struct x86_cpu *cpu, struct perf_event *event);
void intel_lbr_start(struct x86_cpu *cpu);
void intel_lbr_stop(struct x86_cpu *cpu);
void intel_lbr_forget(struct x86_cpu *cpu);
void intel_lbr_freeze(void);
void intel_lbr_thaw(void);
void intel_lbr_change_filter(struct intel_lbr_cpu *l);
void intel_lbr_go_on(struct intel_lbr_cpu *l);
void intel_lbr_halt(struct intel_lbr_cpu *l);
void intel_lbr_start_cpu(void);

#endif /* _ARCH_X86_EVENTS_INTEL_LBR_H */
