// SPDX-License-Identifier: GPL-2.0
/*
 * Room "amd/core": AMD's core PMU, K7 to Zen 5.
 *
 * Purpose: find out which counters an AMD processor has, and which of them have
 * overflowed when it interrupts.
 *
 * Owns: the PMU "cpu"; on each CPU the time until which an NMI without a cause
 * is taken for a late one of ours.
 *
 * Contexts: boot; NMI; this CPU with interrupts off.
 *
 * NMIs come late: an overflow raises its NMI some time after the counter has
 * passed zero. Without global registers the NMI finds the cause only in the
 * counter itself. So a counter that was stopped is not read before the handler
 * has dealt with its overflow, or some microseconds have passed. An NMI that
 * still finds nothing is claimed, if there was an overflow in the last tenth of
 * a second.
 *
 * Virtualization, APM vol. 2 13.2.1: with bit 41 of its select register an
 * event counts only in the host, with bit 40 only in guests. While SVM is off
 * neither counts, so bit 41 is left out then. KVM says when it turns SVM on and
 * off.
 *
 * Locking: none.
 */
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/hardirq.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include "../config.h"
#include "../node.h"
#include "../overflow.h"
#include "../run.h"
#include "../rules/models.h"
#include "../setup.h"
#include "lbr.h"

/* How long the NMI of an overflow can be late. */
#define LATE_US		50
#define LATE_JIFFIES	(HZ / 10)

#define AMD_WIDTH	48

static struct x86_core amd_core;

/* NMIs without a cause are ours until then. */
static DEFINE_PER_CPU(unsigned long, claim_until);

static bool has_passed_zero(unsigned int counter)
{
	u64 value;

	rdpmcl(x86_pmc_rdpmc(counter), value);
	return !(value & BIT_ULL(AMD_WIDTH - 1));
}

/*
 * Wait until the NMI has dealt with the overflow of a counter that was stopped.
 */
static void wait_for_counter(unsigned int counter)
{
	unsigned int us;

	for (us = 0; us < LATE_US && has_passed_zero(counter); us++)
		udelay(1);
}

static void wait_for_counters(u64 stopped)
{
	unsigned int counter;

	/* In an NMI the other one cannot come. */
	if (in_nmi())
		return;
	while (stopped) {
		counter = __ffs64(stopped);
		stopped &= stopped - 1;
		/* The second counter of a pair does not interrupt. */
		if (__this_cpu_read(x86_cpu.on[x86_slot(counter)]))
			wait_for_counter(counter);
	}
}

/* With global registers one status has the overflows of all counters. */
static void wait_for_status(u64 stopped)
{
	unsigned int us;
	u64 status;

	if (in_nmi())
		return;
	for (us = 0; us < LATE_US; us++) {
		rdmsrl(MSR_AMD64_PERF_CNTR_GLOBAL_STATUS, status);
		if (!(status & stopped))
			return;
		udelay(1);
	}
}

static int claim(int handled)
{
	if (handled) {
		__this_cpu_write(claim_until, jiffies + LATE_JIFFIES);
		return handled;
	}
	return time_after(jiffies, __this_cpu_read(claim_until)) ? NMI_DONE : NMI_HANDLED;
}

/* Without global registers: look at each counter, while all of them count. */
static int pmi_each(struct x86_cpu *cpu, struct pt_regs *regs)
{
	u64 running = cpu->running;
	unsigned int counter;
	int handled = 0;

	/* Only some hypervisors mask it. */
	apic_write(APIC_LVTPC, APIC_DM_NMI);
	while (running) {
		counter = __ffs64(running);
		running &= running - 1;
		/* The second counter of a pair has no event. */
		if (!cpu->on[x86_slot(counter)] || !has_passed_zero(counter))
			continue;
		handled++;
		x86_overflow_sample(cpu, counter, regs);
	}
	if (handled)
		inc_irq_stat(apic_perf_irqs);
	return claim(handled);
}

/*
 * APM vol. 2 13.2.6: the status is cleared when all overflows are dealt with.
 */
static int pmi_global(struct x86_cpu *cpu, struct pt_regs *regs)
{
	bool enabled = x86_run_pause(cpu);
	bool recorded = amd_lbr_pause(cpu);
	int handled;
	u64 status;

	rdmsrl(MSR_AMD64_PERF_CNTR_GLOBAL_STATUS, status);
	handled = x86_overflow_counters(cpu, status & cpu->running, regs);
	if (status) {
		wrmsrl(MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR, status);
		inc_irq_stat(apic_perf_irqs);
	}
	amd_lbr_resume(recorded);
	x86_run_unpause(cpu, enabled);
	return claim(handled);
}

/* Precise events are passed on to IBS, if there is IBS. */
static int check(struct perf_event *event)
{
	if (event->attr.precise_ip && get_ibs_caps())
		return forward_event_to_ibs(event);
	return has_branch_stack(event) && !amd_lbr.depth ? x86_config_refuse_branches() : 0;
}

/* Host and guest are told apart by bits of the selector, APM vol. 2 13.2.1. */
static int config(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 *selector = &event->hw.config;

	if (attr->exclude_host && attr->exclude_guest)
		*selector &= ~(X86_SEL_USR | X86_SEL_OS);
	else if (attr->exclude_host)
		*selector |= X86_SEL_GUEST;
	else if (attr->exclude_guest)
		*selector |= X86_SEL_HOST;
	return has_branch_stack(event) ? amd_lbr_config(event) : 0;
}

static const struct x86_config_vendor config_vendor = {
	.check	= check,
	.config	= config,
};

static struct x86_core *start(unsigned int cpu)
{
	per_cpu(x86_cpu, cpu).masked = X86_SEL_HOST;
	/* With PerfCtrExtCore the north bridge has counters of its own. */
	if (!boot_cpu_has(X86_FEATURE_PERFCTR_CORE))
		x86_node_join(cpu, topology_amd_node_id(cpu));
	amd_lbr_start_cpu();
	return &amd_core;
}

static const struct x86_cpu_ops cpu_ops = {
	.start		= start,
};

static void set_masked(u64 masked)
{
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = this_cpu_ptr(&x86_cpu);
	if (!cpu->core)
		return;
	cpu->masked = masked;
	x86_run_reprogram(cpu);
}

/**
 * amd_pmu_enable_virt() - SVM was turned on
 *
 * Context: this CPU, not migrating.
 */
void amd_pmu_enable_virt(void)
{
	set_masked(0);
}
EXPORT_SYMBOL_GPL(amd_pmu_enable_virt);

/**
 * amd_pmu_disable_virt() - SVM is about to be turned off
 *
 * No guest runs any more, so what only counts the host counts always.
 *
 * Context: this CPU, not migrating.
 */
void amd_pmu_disable_virt(void)
{
	set_masked(X86_SEL_HOST);
}
EXPORT_SYMBOL_GPL(amd_pmu_disable_virt);

/* AMD64 Architecture Programmer's Manual vol. 2 13.2.1 and 13.2.5. */
static unsigned int __init set_addresses(void)
{
	x86_pmc_set_width(AMD_WIDTH, true);
	if (!boot_cpu_has(X86_FEATURE_PERFCTR_CORE)) {
		x86_pmc.select = MSR_K7_EVNTSEL0;
		x86_pmc.counter = MSR_K7_PERFCTR0;
		x86_pmc.write = MSR_K7_PERFCTR0;
		x86_pmc.step = 1;
		return 4;
	}
	x86_pmc.select = MSR_F15H_PERF_CTL;
	x86_pmc.counter = MSR_F15H_PERF_CTR;
	x86_pmc.write = MSR_F15H_PERF_CTR;
	x86_pmc.step = 2;
	return 6;
}

/*
 * APM vol. 3 E.4.21, CPUID leaf 0x80000022: the number of counters is in EBX.
 */
static unsigned int __init set_global(void)
{
	x86_pmc.global_ctrl = MSR_AMD64_PERF_CNTR_GLOBAL_CTL;
	x86_pmc.global_status = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS;
	x86_pmc.global_clear = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR;
	return cpuid_ebx(EXT_PERFMON_DEBUG_FEATURES) & 0xf;
}

/**
 * amd_core_setup() - find the PMU of an AMD machine
 * @setup: is filled in
 *
 * Context: boot.
 * Return: 0, or -ENODEV if the processor is older than the K7.
 */
int __init amd_core_setup(struct x86_setup *setup)
{
	bool hygon = boot_cpu_data.x86_vendor == X86_VENDOR_HYGON;
	const struct x86_model *model;
	unsigned int nr;

	model = x86_models_find(&(struct x86_models_cpu) {
		.vendor = hygon ? X86_MODELS_HYGON : X86_MODELS_AMD,
		.family = boot_cpu_data.x86,
		.model = boot_cpu_data.x86_model,
		.stepping = boot_cpu_data.x86_stepping,
	});
	if (boot_cpu_data.x86 < 6 || !model)
		return -ENODEV;
	nr = set_addresses();
	setup->pmi = pmi_each;
	if (boot_cpu_has(X86_FEATURE_PERFMON_V2)) {
		nr = set_global();
		setup->pmi = pmi_global;
	}
	x86_run_set_wait(x86_pmc.global_ctrl ? wait_for_status : wait_for_counters);
	x86_config_set_vendor(&config_vendor);
	amd_core.version = x86_pmc.global_ctrl ? 2 : 0;
	amd_core.facts.model = model;
	amd_core.facts.counters = X86_GENERAL(min(nr, X86_MAX_GENERAL));
	if (x86_pmc.global_ctrl)
		amd_lbr_setup(&amd_core);
	amd_core.config_mask = X86_SEL_CODE | X86_SEL_EDGE | X86_SEL_INV | X86_SEL_CMASK |
			       X86_SEL_EVENT_HIGH;
	setup->name = model->name;
	setup->vendor = boot_cpu_has(X86_FEATURE_PERFCTR_CORE) ?
			"core perfctr, AMD" : "events, AMD";
	setup->cores[0] = &amd_core;
	setup->cpu = &cpu_ops;
	return 0;
}
