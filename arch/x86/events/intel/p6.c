// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/p6": the PMU of the P6 family, Pentium Pro to Pentium M.
 *
 * Purpose: find out whether a processor is of this family, and which of its
 * counters have overflowed when it interrupts.
 *
 * Owns: the PMU "cpu".
 *
 * Contexts: boot; the start of a CPU; NMI.
 *
 * There are two counters, without a status: a counter has overflowed if its
 * highest bit is clear, since it is loaded with at most half of its range. The
 * enable bit of counter 0 is the one of both (room "regs"). A write sets 32 of
 * the 40 bits and extends their sign, SDM vol. 3 20.6.8.
 *
 * Locking: none.
 */
#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/hardirq.h>
#include <asm/msr.h>
#include "../config.h"
#include "../overflow.h"
#include "../rdpmc.h"
#include "../run.h"
#include "../rules/models.h"
#include "../setup.h"

#define P6_WIDTH	40

/* Pentium Pro before this stepping, erratum 26: programs must not use RDPMC. */
#define PENTIUM_PRO	1
#define FIXED_STEPPING	9

static struct x86_core p6_core;

static struct x86_core *start(unsigned int cpu)
{
	return &p6_core;
}

static const struct x86_cpu_ops cpu_ops = {
	.start		= start,
};

static bool has_passed_zero(unsigned int counter)
{
	u64 value;

	rdpmcl(x86_pmc_rdpmc(counter), value);
	return !(value & BIT_ULL(P6_WIDTH - 1));
}

static int pmi(struct x86_cpu *cpu, struct pt_regs *regs)
{
	u64 running = cpu->running;
	unsigned int counter;
	int handled = 0;
	bool enabled;

	apic_write(APIC_LVTPC, APIC_DM_NMI);
	enabled = x86_run_pause(cpu);
	for (; running; running &= running - 1) {
		counter = __ffs64(running);
		if (!has_passed_zero(counter))
			continue;
		handled++;
		x86_overflow_sample(cpu, counter, regs);
	}
	x86_run_unpause(cpu, enabled);
	if (handled)
		inc_irq_stat(apic_perf_irqs);
	return handled;
}

/* The hardware knows no guests. */
static int config(struct perf_event *event)
{
	return 0;
}

static const struct x86_config_vendor config_vendor = {
	.config	= config,
};

/**
 * intel_p6_setup() - find the PMU of a P6 machine
 * @setup: is filled in
 *
 * Context: boot.
 * Return: 0, or -ENODEV for other processors.
 */
int __init intel_p6_setup(struct x86_setup *setup)
{
	const struct x86_model *model;

	model = x86_models_find(&(struct x86_models_cpu) {
		.vendor = X86_MODELS_INTEL,
		.family = boot_cpu_data.x86,
		.model = boot_cpu_data.x86_model,
		.stepping = boot_cpu_data.x86_stepping,
	});
	if (!model || !(model->quirks & X86_QUIRK_ONE_ENABLE))
		return -ENODEV;
	x86_pmc.select = MSR_P6_EVNTSEL0;
	x86_pmc.counter = MSR_P6_PERFCTR0;
	x86_pmc.write = MSR_P6_PERFCTR0;
	x86_pmc.step = 1;
	x86_pmc.one_enable = true;
	x86_pmc_set_width(P6_WIDTH, false);
	p6_core.facts.model = model;
	p6_core.facts.counters = model->counters;
	p6_core.config_mask = X86_SEL_CODE | X86_SEL_EDGE | X86_SEL_PIN | X86_SEL_INV |
			      X86_SEL_CMASK;
	if (boot_cpu_data.x86_model == PENTIUM_PRO && boot_cpu_data.x86_stepping < FIXED_STEPPING)
		x86_rdpmc_forbid();
	setup->name = "Intel";
	setup->vendor = "p6";
	setup->cores[0] = &p6_core;
	setup->cpu = &cpu_ops;
	setup->pmi = pmi;
	x86_config_set_vendor(&config_vendor);
	return 0;
}
