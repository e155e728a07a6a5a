// SPDX-License-Identifier: GPL-2.0
/*
 * Room "zhaoxin/core": the PMU of Zhaoxin's processors, ZXC to ZXE.
 *
 * Purpose: find out which counters a Zhaoxin processor has, and which of them
 * have overflowed when it interrupts.
 *
 * Owns: the PMU "cpu".
 *
 * Contexts: boot; the start of a CPU; NMI.
 *
 * The registers are those of Intel's architectural PMU, version 2, with two
 * differences: a write to MSR_ARCH_PERFMON_PERFCTR0 and up sets all bits of a
 * counter, on Intel 32; and ZXC clears bits of the status only while global
 * control enables counters.
 *
 * Locking: none.
 */
#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/hardirq.h>
#include <asm/msr.h>
#include <asm/perf_event.h>
#include "../config.h"
#include "../overflow.h"
#include "../run.h"
#include "../rules/models.h"
#include "../setup.h"
#include "core.h"

/* The architectural events up to branches, SDM vol. 3 20.2.1.2. */
#define FEWEST_EVENTS		6

static struct x86_core zhaoxin_core;

static struct x86_core *start(unsigned int cpu)
{
	return &zhaoxin_core;
}

static const struct x86_cpu_ops cpu_ops = {
	.start		= start,
};

static void clear_while_running(struct x86_cpu *cpu, u64 status, u64 counters)
{
	x86_regs_run(&cpu->regs, counters);
	x86_regs_write(cpu->regs.pmc->global_clear, status);
	x86_regs_run(&cpu->regs, 0);
}

/*
 * No event counts now. Events of guests and stopped events must not count this
 * moment, so counter 0 runs without a selector. The interrupt may have come
 * while the counter got a selector, so it gets back the one in its image.
 */
static void clear_beside_events(struct x86_cpu *cpu, u64 status)
{
	u64 config = cpu->regs.select[0];

	x86_regs_select(&cpu->regs, 0, 0);
	clear_while_running(cpu, status, BIT_ULL(0));
	x86_regs_select(&cpu->regs, 0, config);
}

/**
 * zhaoxin_core_acknowledge() - clear bits of the status
 * @cpu: this CPU, whose counters stand still
 * @status: bits of the status register
 *
 * On ZXC counters run meanwhile: those of events that count now, which lose no
 * counts, or else counter 0, which counts nothing.
 *
 * Context: NMI.
 */
void zhaoxin_core_acknowledge(struct x86_cpu *cpu, u64 status)
{
	if (!(cpu->core->facts.model->quirks & X86_QUIRK_ENABLED_ACK))
		x86_regs_write(cpu->regs.pmc->global_clear, status);
	else if (x86_cpu_host(cpu))
		clear_while_running(cpu, status, x86_cpu_host(cpu));
	else
		clear_beside_events(cpu, status);
}

static int pmi(struct x86_cpu *cpu, struct pt_regs *regs)
{
	bool enabled;
	int handled = 0;
	u64 status;

	apic_write(APIC_LVTPC, APIC_DM_NMI);
	enabled = x86_run_pause(cpu);
	rdmsrl(x86_pmc.global_status, status);
	if (status) {
		inc_irq_stat(apic_perf_irqs);
		zhaoxin_core_acknowledge(cpu, status);
		handled = x86_overflow_counters(cpu, status & cpu->core->facts.counters, regs);
	}
	x86_run_unpause(cpu, enabled);
	return handled;
}

/* Global control has other values in a guest, as on Intel. */
static int config(struct perf_event *event)
{
	if (event->attr.exclude_host)
		event->hw.flags |= X86_EVENT_GUEST_ONLY;
	if (event->attr.exclude_guest)
		event->hw.flags |= X86_EVENT_HOST_ONLY;
	return 0;
}

static const struct x86_config_vendor config_vendor = {
	.config	= config,
};

static void __init set_addresses(unsigned int width)
{
	x86_pmc.select = MSR_ARCH_PERFMON_EVENTSEL0;
	x86_pmc.counter = MSR_ARCH_PERFMON_PERFCTR0;
	x86_pmc.write = MSR_ARCH_PERFMON_PERFCTR0;
	x86_pmc.step = 1;
	x86_pmc.fixed_ctrl = MSR_ARCH_PERFMON_FIXED_CTR_CTRL;
	x86_pmc.global_ctrl = MSR_CORE_PERF_GLOBAL_CTRL;
	x86_pmc.global_status = MSR_CORE_PERF_GLOBAL_STATUS;
	x86_pmc.global_clear = MSR_CORE_PERF_GLOBAL_OVF_CTRL;
	x86_pmc_set_width(width, true);
}

/**
 * zhaoxin_core_setup() - find the PMU of a Zhaoxin machine
 * @setup: is filled in
 *
 * Context: boot.
 * Return: 0, or -ENODEV for other processors of the two vendors, and if leaf
 * 0xa does not describe a PMU of version 2.
 */
int __init zhaoxin_core_setup(struct x86_setup *setup)
{
	bool centaur = boot_cpu_data.x86_vendor == X86_VENDOR_CENTAUR;
	struct x86_match_pmu *facts = &zhaoxin_core.facts;
	u32 eax, ebx, ecx, edx;
	u64 fixed;

	if (boot_cpu_data.cpuid_level < 0xa)
		return -ENODEV;
	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	facts->model = x86_models_find(&(struct x86_models_cpu) {
		.vendor = centaur ? X86_MODELS_CENTAUR : X86_MODELS_ZHAOXIN,
		.family = boot_cpu_data.x86,
		.model = boot_cpu_data.x86_model,
		.stepping = boot_cpu_data.x86_stepping,
	});
	if (!facts->model || LEAF_VERSION(eax) != 2 || !LEAF_GENERAL(eax) ||
	    LEAF_NR_EVENTS(eax) < FEWEST_EVENTS)
		return -ENODEV;
	set_addresses(LEAF_WIDTH(eax));
	fixed = GENMASK_ULL(LEAF_FIXED(edx), 0) >> 1;
	facts->counters = X86_SLOTTED & (X86_GENERAL(LEAF_GENERAL(eax)) |
					 fixed << X86_COUNTER_FIXED);
	facts->missing = ebx;
	zhaoxin_core.version = 2;
	zhaoxin_core.nr_architectural = LEAF_NR_EVENTS(eax);
	zhaoxin_core.config_mask = X86_SEL_CODE | X86_SEL_EDGE | X86_SEL_INV | X86_SEL_CMASK;
	setup->name = facts->model->name;
	setup->vendor = "events, zhaoxin";
	setup->cores[0] = &zhaoxin_core;
	setup->cpu = &cpu_ops;
	setup->pmi = pmi;
	x86_config_set_vendor(&config_vendor);
	return 0;
}
