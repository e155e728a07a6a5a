// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/facts": what CPUID says of the counters.
 *
 * Purpose: find out which counters a type of core has, and which bits of their
 * select registers. Leaf 0xa is read at boot. What only a CPU of the type knows
 * is read when the first one of them starts.
 *
 * Owns: x86_core::facts and what else struct x86_core says of Intel's cores.
 *
 * Contexts: boot; the start of a CPU.
 *
 * Locking: none; the PMU of a core without CPUs counts nothing.
 */
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/perf_event.h>
#include <asm/processor.h>
#include "../extra.h"
#include "../setup.h"
#include "facts.h"

/* CPUID leaf 0x23, SDM vol. 2A CPUID. */
#define EXT_COUNTERS		BIT(1)	/* EAX: subleaf 1 has masks of counters */
#define EXT_UMASK2		BIT(0)	/* EBX */
#define EXT_EQ			BIT(1)	/* EBX */

/* CPUID leaf 0xa, EDX. */
#define ANY_DEPRECATED		BIT(15)

/* IA32_PERF_CAPABILITIES, SDM vol. 4 table 2-2. */
#define CAP_METRICS		BIT_ULL(15)

/* Versions 2 to 4 have at least three, SDM vol. 3 20.2.2. */
#define LEAST_FIXED		3

static u64 perf_capabilities(void)
{
	u64 caps = 0;

	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsrl(MSR_IA32_PERF_CAPABILITIES, caps);
	return caps;
}

static bool __init has_any_thread(unsigned int version, u32 edx)
{
	return version >= 3 && !(version >= 5 && edx & ANY_DEPRECATED);
}

static u64 __init config_mask(const struct x86_core *core)
{
	const struct x86_model *model = core->facts.model;
	u64 mask = X86_SEL_CODE | X86_SEL_EDGE | X86_SEL_PIN | X86_SEL_INV | X86_SEL_CMASK;

	if (core->facts.fixed_any)
		mask |= X86_SEL_ANY;
	if (model->quirks & X86_QUIRK_TSX &&
	    (boot_cpu_has(X86_FEATURE_RTM) || boot_cpu_has(X86_FEATURE_HLE)))
		mask |= X86_SEL_IN_TX | X86_SEL_IN_TXCP;
	return mask;
}

/* The first processors of version 2 do not tell the number of fixed counters. */
static unsigned int __init nr_fixed(unsigned int version, u32 edx)
{
	if (version < 5 && !boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return max(LEAF_FIXED(edx), LEAST_FIXED);
	return LEAF_FIXED(edx);
}

static u64 __init counters_of_leaf(u32 eax, u32 ecx, u32 edx)
{
	u64 fixed = GENMASK_ULL(nr_fixed(LEAF_VERSION(eax), edx), 0) >> 1;

	if (LEAF_VERSION(eax) >= 5)
		fixed |= ecx;
	return (X86_GENERAL(LEAF_GENERAL(eax)) | fixed << X86_COUNTER_FIXED) & X86_SLOTTED;
}

/**
 * intel_facts_big() - find the counters of Alder Lake's performance cores
 * @common: counters by leaf 0xa: those that both types of cores have
 * @model: model of the performance cores
 *
 * If the firmware has turned all efficient cores off, the leaf has all counters
 * of the performance cores.
 *
 * Context: any.
 * Return: @common with two more general counters and one more fixed counter, or
 * @common alone if the model does not have so many.
 */
u64 intel_facts_big(u64 common, const struct x86_model *model)
{
	u64 all = (common & X86_GENERAL(X86_MAX_GENERAL)) << 2 | X86_GENERAL(2) |
		  (common & X86_ALL_FIXED) << 1 | X86_FIXED(0);

	return all & ~model->counters ? common : all;
}

/**
 * intel_facts_init() - describe a type of core by leaf 0xa of this CPU
 * @core: is filled in
 * @model: its model
 * @hybrid: the machine has another type of core as well
 *
 * Context: boot.
 */
void __init intel_facts_init(struct x86_core *core, const struct x86_model *model, bool hybrid)
{
	unsigned int version;
	u32 eax, ebx, ecx, edx;

	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	version = LEAF_VERSION(eax);
	core->version = version;
	core->nr_architectural = LEAF_NR_EVENTS(eax);
	core->facts.model = model;
	core->facts.counters = counters_of_leaf(eax, ecx, edx);
	/* An event beyond the length of the list is missing, too. */
	core->facts.missing = ebx | ~(u32)(GENMASK_ULL(LEAF_NR_EVENTS(eax), 0) >> 1);
	core->facts.fixed_any = has_any_thread(version, edx);
	core->config_mask = config_mask(core);
	/*
	 * On a hybrid machine the register has only what all types of cores
	 * have. The performance cores, whose model has an atom, have metrics.
	 */
	core->metrics = hybrid ? !!model->atom : perf_capabilities() & CAP_METRICS;
}

/* A hypervisor may have no more counters than the leaf says. */
static void add_counters_of_big(struct x86_core *core)
{
	u64 all = intel_facts_big(core->facts.counters, core->facts.model);
	u64 general = all & X86_GENERAL(X86_MAX_GENERAL);
	u64 value;

	if (!rdmsrl_safe(MSR_ARCH_PERFMON_EVENTSEL0 + __fls(general), &value))
		core->facts.counters = all;
}

static void read_extended_leaf(struct x86_core *core)
{
	u32 eax, ebx, ecx, edx, general, fixed;

	cpuid(ARCH_PERFMON_EXT_LEAF, &eax, &ebx, &ecx, &edx);
	if (ebx & EXT_UMASK2)
		core->config_mask |= X86_SEL_UMASK2;
	if (ebx & EXT_EQ)
		core->config_mask |= X86_SEL_EQ;
	if (!(eax & EXT_COUNTERS))
		return;
	cpuid_count(ARCH_PERFMON_EXT_LEAF, 1, &general, &fixed, &ecx, &edx);
	core->facts.counters = (general | (u64)fixed << X86_COUNTER_FIXED) & X86_SLOTTED;
}

/**
 * intel_facts_complete() - learn what only a CPU of the type knows
 * @core: type of this CPU, which is the first one of its type
 *
 * Leaf 0x23 describes the type of the CPU that reads it. It is used on hybrid
 * machines only: elsewhere programs do not expect what it adds to format/.
 *
 * Context: this CPU, interrupts off, when it starts.
 */
void intel_facts_complete(struct x86_core *core)
{
	if (cpu_feature_enabled(X86_FEATURE_HYBRID_CPU)) {
		if (core->facts.model->quirks & X86_QUIRK_COMMON_LEAF)
			add_counters_of_big(core);
		if (this_cpu_has(X86_FEATURE_ARCH_PERFMON_EXT))
			read_extended_leaf(core);
	}
	core->absent_extra = x86_extra_find_absent(core->facts.model);
}
