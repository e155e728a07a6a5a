// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/core": Intel's architectural PMU.
 *
 * Purpose: describe the PMUs of an Intel machine to the engine, check what only
 * events of Intel's PMUs can ask for, and find out which counters have
 * overflowed when a CPU interrupts. The room "intel/facts" finds out which
 * counters there are.
 *
 * Owns: the PMUs "cpu", or "cpu_core" and "cpu_atom" on a hybrid machine.
 *
 * Contexts: boot; the start of a CPU; NMI.
 *
 * Locking: none.
 */
#include <linux/hardirq.h>
#include <linux/perf_refuse.h>
#include <asm/apic.h>
#include <asm/cpu.h>
#include <asm/cpufeature.h>
#include <asm/hardirq.h>
#include <asm/msr.h>
#include "../config.h"
#include "../extra.h"
#include "../overflow.h"
#include "../perf_event.h"
#include "../run.h"
#include "../rules/errata.h"
#include "../setup.h"
#include "../share.h"
#include "../smi.h"
#include "../tsx.h"
#include "clean.h"
#include "facts.h"
#include "lbr.h"
#include "lbr_event.h"
#include "lbr_sample.h"
#include "pebs.h"
#include "topdown.h"
#include "warm_up.h"

/* IA32_PERF_CAPABILITIES, SDM vol. 4 table 2-2. */
#define CAP_FULL_WIDTH		BIT_ULL(13)

/* Status bits that say how the interrupt came, not why, SDM vol. 3 20.2.4. */
#define STATUS_HOW		(GLOBAL_STATUS_COND_CHG | GLOBAL_STATUS_ASIF | \
				 GLOBAL_STATUS_COUNTERS_FROZEN | GLOBAL_STATUS_LBRS_FROZEN)

/* CPUID leaf 0x1a, EAX bits 31-24. */
#define CORE_TYPE_ATOM		0x20

/* Periods from which on events of transactions may be sampled. */
#define LONG_PERIOD		0x7fffffff

/* How often the status is read in one interrupt, if a trace may add to it. */
#define MOST_TURNS		100

static struct x86_core intel_cores[2];
static const char *const hybrid_names[] = { "cpu_core", "cpu_atom" };

static DEFINE_PER_CPU(struct x86_extra_set *, spare_extra);

static bool is_hybrid_machine(void)
{
	return cpu_feature_enabled(X86_FEATURE_HYBRID_CPU);
}

static int prepare(unsigned int cpu)
{
	struct x86_extra_set *set = x86_extra_alloc(cpu);

	if (!set)
		return -ENOMEM;
	kfree(per_cpu(spare_extra, cpu));
	per_cpu(spare_extra, cpu) = set;
	return 0;
}

static void dead(unsigned int cpu)
{
	x86_extra_leave(cpu);
	x86_share_leave(cpu);
	kfree(per_cpu(spare_extra, cpu));
	per_cpu(spare_extra, cpu) = NULL;
}

static struct x86_core *start(unsigned int cpu)
{
	struct x86_core *core = &intel_cores[0];

	/* Without a model for the second type all cores count alike. */
	if (intel_cores[1].facts.model && get_this_hybrid_cpu_type() == CORE_TYPE_ATOM)
		core = &intel_cores[1];
	x86_extra_join(cpu, &per_cpu(spare_extra, cpu),
		       !(core->facts.model->quirks & X86_QUIRK_EXTRA_PER_THREAD));
	x86_share_join(cpu);
	x86_tsx_restart(&per_cpu(x86_cpu, cpu));
	intel_lbr_start_cpu();
	intel_pebs_start_cpu();
	if (cpumask_empty(&core->cpus))
		intel_facts_complete(core);
	return core;
}

static const struct x86_cpu_ops cpu_ops = {
	.prepare	= prepare,
	.start		= start,
	.clean		= intel_clean,
	.dead		= dead,
};

/*
 * A trace of branches has filled its buffer; in a guest it may be the guest's.
 */
static int handle_trace(void)
{
	if (!perf_guest_handle_intel_pt_intr())
		intel_pt_interrupt();
	return 1;
}

/* A trace, records of precise events, or slots with metrics. */
static int handle_special(struct x86_cpu *cpu, u64 status, struct pt_regs *regs)
{
	int handled = 0;

	if (status & GLOBAL_STATUS_TRACE_TOPAPMI)
		handled += handle_trace();
	if (status & GLOBAL_STATUS_BUFFER_OVF)
		handled += intel_pebs_pmi(cpu, regs);
	if (status & INTEL_TOPDOWN_STATUS & ~cpu->not_special)
		handled += intel_topdown_pmi(cpu);
	return handled;
}

static int handle_status(struct x86_cpu *cpu, u64 status, struct pt_regs *regs)
{
	int handled = 0;

	if (status & (GLOBAL_STATUS_TRACE_TOPAPMI | GLOBAL_STATUS_BUFFER_OVF |
		      INTEL_TOPDOWN_STATUS))
		handled = handle_special(cpu, status, regs);
	return handled + x86_overflow_counters(cpu, status & cpu->not_special, regs);
}

/* The counters whose events may get samples; a buffer is for all precise ones. */
static u64 sampled_counters(const struct x86_cpu *cpu, u64 status)
{
	u64 all = cpu->core->facts.counters;

	if (status & GLOBAL_STATUS_BUFFER_OVF)
		status |= all & ~cpu->not_special;
	return status & all;
}

static int handle_pending(struct x86_cpu *cpu, struct pt_regs *regs, u64 status)
{
	if (unlikely(cpu->branches))
		intel_lbr_sample_read(cpu, sampled_counters(cpu, status));
	wrmsrl(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
	status &= ~STATUS_HOW;
	if (status)
		inc_irq_stat(apic_perf_irqs);
	return handle_status(cpu, status, regs);
}

static void unmask(void)
{
	apic_write(APIC_LVTPC, APIC_DM_NMI);
}

/*
 * The counters stand still from the first write to the last one, so they add
 * nothing to the status meanwhile. Only a trace does.
 *
 * The APIC's entry is masked when it sends the interrupt. Old processors want
 * it unmasked first, Atoms from Gracemont on before the counters run again, and
 * others last: they would send the same interrupt again.
 */
static int pmi(struct x86_cpu *cpu, struct pt_regs *regs)
{
	u32 quirks = cpu->core->facts.model->quirks;
	unsigned int turns = x86_overflow_others() ? MOST_TURNS : 1;
	bool enabled;
	int handled = 0;
	u64 status;

	if (!(quirks & (X86_QUIRK_LATE_ACK | X86_QUIRK_MID_ACK)))
		unmask();
	enabled = x86_run_pause(cpu);
	for (; turns; turns--) {
		rdmsrl(MSR_CORE_PERF_GLOBAL_STATUS, status);
		if (!status)
			break;
		handled += handle_pending(cpu, regs, status);
	}
	if (quirks & X86_QUIRK_MID_ACK)
		unmask();
	if (unlikely(cpu->branches))
		intel_lbr_thaw();
	x86_run_unpause(cpu, enabled);
	if (quirks & X86_QUIRK_LATE_ACK)
		unmask();
	return handled;
}

/* A member that is only read with samples of its leader needs no branches. */
static int config_branches(struct perf_event *event)
{
	bool records = needs_branch_stack(event) &&
		       (is_sampling_event(event) ||
			!(event->attr.sample_type & PERF_SAMPLE_READ));
	int err = 0;

	if (branch_sample_counters(event))
		err = intel_lbr_event_count(event, &records);
	if (!err && records)
		err = intel_lbr_event_config(event);
	return err ?: intel_lbr_event_lend(event);
}

/*
 * Refuses what these drivers do not do: a record in memory for each branch
 * (BTS), for which a program asks by a period of one branch; output to a trace.
 * Between these it prepares events that record branches.
 */
static int config_records(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	const struct x86_match_pmu *facts = &x86_core_of(event->pmu)->facts;
	u64 branches;
	int err;

	if (attr->sample_period == 1 && !attr->freq &&
	    !x86_match_generic(facts, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, &branches) &&
	    (event->hw.config & X86_SEL_CODE) == branches)
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD(sample_period), ~0ULL,
				   PERF_REASON_PMU_CANNOT);
	err = config_branches(event);
	if (err)
		return err;
	/* The core refuses what remains: these PMUs have no such output. */
	if (attr->aux_output && !attr->precise_ip)
		return perf_refuse(-EINVAL, PERF_FIELD_FLAGS, PERF_ATTR_AUX_OUTPUT,
				   PERF_REASON_NO_AUX);
	return 0;
}

/* Counting all threads of a core shows what others do. */
static int check_any_thread(const struct perf_event *event)
{
	u64 asked = event->attr.type == event->pmu->type ? event->attr.config : 0;

	if (!(asked & X86_SEL_ANY))
		return 0;
	if (!(event->hw.config & X86_SEL_ANY))
		return perf_refuse(-EINVAL, PERF_FIELD(config), X86_SEL_ANY,
				   PERF_REASON_RESERVED);
	return perf_allow_cpu();
}

static int check_transactions(struct perf_event *event)
{
	u64 config = event->hw.config;

	/*
	 * All threads of a core are not in one transaction, SDM vol. 3
	 * 20.3.6.5.
	 */
	if (config & (X86_SEL_IN_TX | X86_SEL_IN_TXCP) && config & X86_SEL_ANY)
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD(config), X86_SEL_ANY,
				   PERF_REASON_PMU_CANNOT);
	/*
	 * The interrupt aborts the transaction, and the overflow is undone. KVM
	 * asks for periods that do not end soon.
	 */
	if (config & X86_SEL_IN_TXCP && is_sampling_event(event) &&
	    event->attr.sample_period < LONG_PERIOD)
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD(config), X86_SEL_IN_TXCP,
				   PERF_REASON_PMU_CANNOT);
	return 0;
}

/*
 * Global control has other values in a guest, so counters tell host and guest
 * apart.
 */
static int config(struct perf_event *event)
{
	int err = config_records(event);

	if (!err)
		err = intel_topdown_config(event);
	if (!err)
		err = check_any_thread(event);
	if (!err)
		err = check_transactions(event);
	if (!err)
		err = intel_pebs_config(event);
	if (event->attr.exclude_host)
		event->hw.flags |= X86_EVENT_GUEST_ONLY;
	if (event->attr.exclude_guest)
		event->hw.flags |= X86_EVENT_HOST_ONLY;
	return err;
}

static const struct x86_config_vendor config_vendor = {
	.config	= config,
};

static u64 __init capabilities(void)
{
	u64 caps = 0;

	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsrl(MSR_IA32_PERF_CAPABILITIES, caps);
	return caps;
}

static void __init set_addresses(unsigned int width)
{
	bool full = capabilities() & CAP_FULL_WIDTH;

	x86_pmc.select = MSR_ARCH_PERFMON_EVENTSEL0;
	x86_pmc.counter = MSR_ARCH_PERFMON_PERFCTR0;
	x86_pmc.write = full ? MSR_IA32_PMC0 : MSR_ARCH_PERFMON_PERFCTR0;
	x86_pmc.step = 1;
	x86_pmc.fixed_ctrl = MSR_ARCH_PERFMON_FIXED_CTR_CTRL;
	x86_pmc.global_ctrl = MSR_CORE_PERF_GLOBAL_CTRL;
	x86_pmc.global_status = MSR_CORE_PERF_GLOBAL_STATUS;
	x86_pmc.global_clear = MSR_CORE_PERF_GLOBAL_OVF_CTRL;
	x86_pmc_set_width(width, full);
}

static u32 errata __initdata;

/* Also lets the engine warm up the counters of processors that need it. */
static const struct x86_model *__init find_model(unsigned int version)
{
	const struct x86_models_cpu cpu = {
		.vendor = X86_MODELS_INTEL,
		.family = boot_cpu_data.x86,
		.model = boot_cpu_data.x86_model,
		.stepping = boot_cpu_data.x86_stepping,
		.version = version,
	};

	errata = x86_errata_find(&cpu, boot_cpu_data.microcode);
	if (errata & X86_ERRATA_WARM_UP)
		x86_run_set_warm_up(intel_warm_up);
	return x86_models_find(&cpu);
}

static void __init setup_precise(struct x86_setup *setup)
{
	unsigned int i;

	for (i = 0; i < setup->nr_cores && !(errata & X86_ERRATA_NO_PRECISE); i++)
		intel_pebs_setup(setup->cores[i], capabilities(),
				 errata & X86_ERRATA_LATE_RECORDS);
	if (intel_cores[0].max_precise)
		setup->sched_task = intel_pebs_sched_task;
}

/**
 * intel_core_setup() - find the PMUs of an Intel machine
 * @setup: is filled in
 *
 * Context: boot.
 * Return: 0, or -ENODEV if there is no architectural PMU of version 2 or later
 * with two general counters, or no model for it.
 */
int __init intel_core_setup(struct x86_setup *setup)
{
	const struct x86_model *model;
	u32 eax;

	if (!boot_cpu_has(X86_FEATURE_ARCH_PERFMON))
		return -ENODEV;
	eax = cpuid_eax(0xa);
	if (LEAF_VERSION(eax) < 2 || LEAF_GENERAL(eax) < 2)
		return -ENODEV;
	model = find_model(LEAF_VERSION(eax));
	if (!model)
		return -ENODEV;
	set_addresses(LEAF_WIDTH(eax));
	intel_facts_init(&intel_cores[0], model, is_hybrid_machine());
	setup->name = model->name;
	setup->vendor = "events, Intel";
	setup->cores[0] = &intel_cores[0];
	if (is_hybrid_machine() && model->atom) {
		intel_facts_init(&intel_cores[1], model->atom, true);
		setup->cores[1] = &intel_cores[1];
		setup->nr_cores = 2;
		setup->names[0] = hybrid_names[0];
		setup->names[1] = hybrid_names[1];
	}
	setup_precise(setup);
	intel_topdown_setup(&intel_cores[0]);
	x86_config_set_vendor(&config_vendor);
	x86_share_setup(model);
	x86_tsx_setup(&intel_cores[0]);
	x86_smi_offer();
	intel_lbr_event_setup(setup, model, LEAF_VERSION(eax));
	setup->cpu = &cpu_ops;
	setup->pmi = pmi;
	return 0;
}
