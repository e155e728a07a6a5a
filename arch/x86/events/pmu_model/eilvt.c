// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: the extended interrupt entries of AMD's local APIC
 *
 * IBS interrupts through one of four entries of the local APIC that QEMU's does
 * not have. Accesses of the kernel to them come here; all others go on to the
 * APIC. Source: APM vol. 2 16.4.5 and 16.7.
 *
 * Owns the entries of each CPU. They are masked after power-up.
 *
 * Contexts: any. A CPU accesses its own entries, by single words.
 */
#include <linux/init.h>
#include <linux/percpu.h>

#include <asm/apic.h>

#include "pmu_model.h"

#define NR_ENTRIES	APIC_EILVT_NR_AMD_10H
#define ENTRY_STEP	0x10
#define MODE_SHIFT	8
#define MODE_BITS	7

struct entries {
	u32 entry[NR_ENTRIES];
};

static DEFINE_PER_CPU(struct entries, entries) = {
	{ [0 ... NR_ENTRIES - 1] = APIC_EILVT_MASKED },
};

static u32 (*apic_reads)(u32 reg) __ro_after_init;
static void (*apic_writes)(u32 reg, u32 val) __ro_after_init;

static u32 *entry_of(u32 reg)
{
	u32 i = (reg - APIC_EILVTn(0)) / ENTRY_STEP;

	if (reg < APIC_EILVTn(0) || i >= NR_ENTRIES || reg % ENTRY_STEP)
		return NULL;
	return &this_cpu_ptr(&entries)->entry[i];
}

static u32 model_apic_read(u32 reg)
{
	u32 *entry = entry_of(reg);

	return entry ? READ_ONCE(*entry) : apic_reads(reg);
}

static void model_apic_write(u32 reg, u32 val)
{
	u32 *entry = entry_of(reg);

	if (entry)
		WRITE_ONCE(*entry, val);
	else
		apic_writes(reg, val);
}

/**
 * pmu_model_eilvt_masked() - check whether IBS cannot interrupt this CPU
 *
 * A delivery mode other than NMI is not modelled and counts as masked.
 *
 * Context: NMI.
 * Return: true if its entry is masked.
 */
bool pmu_model_eilvt_masked(void)
{
	u32 entry = this_cpu_read(entries.entry[PMU_IBS_LVT_OFFSET]);

	return (entry & APIC_EILVT_MASKED) ||
	       (entry >> MODE_SHIFT & MODE_BITS) != APIC_EILVT_MSG_NMI;
}

/**
 * pmu_model_eilvt_power_up() - mask the entries of a CPU
 * @cpu:	the CPU
 *
 * Context: the CPU is down.
 */
void pmu_model_eilvt_power_up(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < NR_ENTRIES; i++)
		per_cpu(entries, cpu).entry[i] = APIC_EILVT_MASKED;
}

/**
 * pmu_model_eilvt_init() - put the entries between the kernel and the APIC
 *
 * Context: boot CPU, before drivers use the entries.
 */
void __init pmu_model_eilvt_init(void)
{
	apic_reads = apic->read;
	apic_writes = apic->write;
	apic_update_callback(read, model_apic_read);
	apic_update_callback(write, model_apic_write);
}
