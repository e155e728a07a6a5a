// SPDX-License-Identifier: GPL-2.0
/*
 * Room "guest": what hypervisors ask.
 *
 * Purpose: tell KVM which counters there are, which of them may count while a
 * guest runs, and which registers record branches.
 *
 * Owns: the list of registers that is handed to KVM on each CPU.
 *
 * Contexts: KVM's, mostly with interrupts off just before a guest is entered.
 *
 * Locking: none.
 */
#include <linux/export.h>
#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include "branch.h"
#include "cpu.h"
#include "guest.h"

static DEFINE_PER_CPU(struct perf_guest_switch_msr[X86_GUEST_MSRS], guest_msrs);

/**
 * x86_guest_msrs() - find the registers that differ in host and guest
 * @cpu: this CPU
 * @msrs: gets the registers with their values, X86_GUEST_MSRS at most
 *
 * Counters that are not in use are in neither value of global control. Where
 * records of precise events could be written into the guest's memory, the
 * counters of these events stop; the exit from the guest starts them again.
 *
 * Context: this CPU, interrupts off.
 * Return: number of registers; 0 if there is no global control register.
 */
int x86_guest_msrs(struct x86_cpu *cpu, struct perf_guest_switch_msr *msrs)
{
	if (!cpu->core || !cpu->regs.pmc->global_ctrl)
		return 0;
	cpu->guests = true;
	msrs[0].msr = cpu->regs.pmc->global_ctrl;
	msrs[0].host = cpu->enabled ? x86_cpu_host(cpu) : 0;
	msrs[0].guest = cpu->enabled ? cpu->running & ~cpu->host_only : 0;
	if (!cpu->core->enter_guest)
		return 1;
	cpu->core->enter_guest(cpu, &msrs[1]);
	return 2;
}

/**
 * perf_guest_get_msrs() - which registers change when a guest is entered
 * @nr: gets the number of registers
 * @data: the guest's PMU; unused as long as guests have no precise events
 *
 * Counters of precise events may stop until the exit from the guest, see
 * x86_guest_msrs().
 *
 * Context: this CPU, interrupts off.
 * Return: the registers with their values in the host and in the guest, or NULL.
 */
struct perf_guest_switch_msr *perf_guest_get_msrs(int *nr, void *data)
{
	struct perf_guest_switch_msr *msrs = *this_cpu_ptr(&guest_msrs);

	*nr = x86_guest_msrs(this_cpu_ptr(&x86_cpu), msrs);
	return *nr ? msrs : NULL;
}
EXPORT_SYMBOL_GPL(perf_guest_get_msrs);

/**
 * x86_perf_get_lbr() - describe the registers of last branches
 * @lbr: is filled in; zeros if there is no recorder, or none for guests
 *
 * Context: any.
 */
void x86_perf_get_lbr(struct x86_pmu_lbr *lbr)
{
	x86_branch_describe(lbr);
}
EXPORT_SYMBOL_GPL(x86_perf_get_lbr);

/**
 * perf_get_x86_pmu_capability() - describe the counters
 * @cap: is filled in; zeros on a hybrid machine, whose CPUs differ
 *
 * Context: any.
 */
void perf_get_x86_pmu_capability(struct x86_pmu_capability *cap)
{
	const struct x86_core *core = raw_cpu_ptr(&x86_cpu)->core;

	memset(cap, 0, sizeof(*cap));
	if (WARN_ON_ONCE(cpu_feature_enabled(X86_FEATURE_HYBRID_CPU)) || !core)
		return;
	cap->version = core->version;
	cap->num_counters_gp = hweight64(core->facts.counters & X86_GENERAL(X86_MAX_GENERAL));
	cap->num_counters_fixed = hweight64(core->facts.counters & X86_ALL_FIXED);
	cap->bit_width_gp = cap->num_counters_gp ? x86_pmc.width : 0;
	cap->bit_width_fixed = cap->num_counters_fixed ? x86_pmc.width : 0;
	cap->events_mask = core->facts.missing;
	cap->events_mask_len = core->nr_architectural;
}
EXPORT_SYMBOL_GPL(perf_get_x86_pmu_capability);

/**
 * perf_get_hw_event_config() - find the selector of a generic event
 * @hw_event: PERF_COUNT_HW_*
 *
 * Context: any.
 * Return: bits of a select register, or 0 if the PMU does not count it.
 */
u64 perf_get_hw_event_config(int hw_event)
{
	const struct x86_core *core = raw_cpu_ptr(&x86_cpu)->core;
	u64 config;

	if (!core || x86_match_generic(&core->facts, hw_event, &config))
		return 0;
	return config;
}
EXPORT_SYMBOL_GPL(perf_get_hw_event_config);
