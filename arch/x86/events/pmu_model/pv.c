// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: the kernel's accesses to registers
 *
 * With PARAVIRT_XXL each rdmsr, wrmsr, rdpmc and cpuid of the kernel is a call
 * through pv_ops until the calls are patched. The functions here are put into
 * pv_ops before that, and pass on accesses to registers that are not the PMU's.
 * A kernel without the boot parameter never calls them.
 *
 * Contexts: any, NMI and entry code included. Nothing is traced or locked.
 */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/once_lite.h>
#include <linux/printk.h>

#include <asm/msr.h>
#include <asm/paravirt_types.h>

#include "pmu_model.h"

/* The fault itself cannot be raised; report it once, as for a real one. */
static void report_write(u32 msr, u64 val)
{
	__this_cpu_inc(pmu_model_stats.faults);
	if (__ONCE_LITE_IF(true)) {
		pr_warn("unchecked MSR access error: WRMSR to 0x%x (tried to write 0x%016llx), PMU model\n",
			msr, val);
		dump_stack();
	}
}

static void report_read(const char *insn, u32 reg)
{
	__this_cpu_inc(pmu_model_stats.faults);
	if (__ONCE_LITE_IF(true)) {
		pr_warn("unchecked MSR access error: %s from 0x%x, PMU model\n",
			insn, reg);
		dump_stack();
	}
}

/*
 * The register of miscellaneous features is the CPU's own, except for the bits
 * for counters, for no BTS and, if there is none, for no PEBS. They are
 * read-only and change nothing when written (SDM vol. 4 table 2-2).
 */
static __always_inline u64 adjust(unsigned int msr, u64 val)
{
	if (msr == MSR_IA32_MISC_ENABLE && pmu_model.vendor == PMU_MODEL_INTEL)
		val |= MSR_IA32_MISC_ENABLE_EMON | MSR_IA32_MISC_ENABLE_BTS_UNAVAIL |
		       MSR_IA32_MISC_ENABLE_PEBS_UNAVAIL;
	if (pmu_model.pebs)
		val &= ~MSR_IA32_MISC_ENABLE_PEBS_UNAVAIL;
	return val;
}

static u64 model_read_msr(unsigned int msr)
{
	unsigned int slot = pmu_model_slot(&pmu_model, msr);
	u64 val;
	int err;

	if (likely(!slot))
		return adjust(msr, native_read_msr(msr));

	err = pmu_model_read(slot, &val);
	if (unlikely(err))
		report_read("RDMSR", msr);
	if (tracepoint_enabled(read_msr))
		do_trace_read_msr(msr, val, err);
	return val;
}

NOKPROBE_SYMBOL(model_read_msr);

static u64 model_read_msr_safe(unsigned int msr, int *err)
{
	unsigned int slot = pmu_model_slot(&pmu_model, msr);
	u64 val;

	if (likely(!slot))
		return adjust(msr, native_read_msr_safe(msr, err));

	*err = pmu_model_read(slot, &val);
	if (tracepoint_enabled(read_msr))
		do_trace_read_msr(msr, val, *err);
	return val;
}

NOKPROBE_SYMBOL(model_read_msr_safe);

static void model_write_msr(unsigned int msr, unsigned int low, unsigned int high)
{
	unsigned int slot = pmu_model_slot(&pmu_model, msr);
	u64 val = (u64)high << 32 | low;
	int err;

	if (likely(!slot)) {
		native_write_msr(msr, low, high);
		return;
	}
	err = pmu_model_write(slot, val);
	if (unlikely(err))
		report_write(msr, val);
	if (tracepoint_enabled(write_msr))
		do_trace_write_msr(msr, val, err);
}

NOKPROBE_SYMBOL(model_write_msr);

static int model_write_msr_safe(unsigned int msr, unsigned int low,
				unsigned int high)
{
	unsigned int slot = pmu_model_slot(&pmu_model, msr);
	u64 val = (u64)high << 32 | low;
	int err;

	if (likely(!slot))
		return native_write_msr_safe(msr, low, high);

	err = pmu_model_write(slot, val);
	if (tracepoint_enabled(write_msr))
		do_trace_write_msr(msr, val, err);
	return err;
}

NOKPROBE_SYMBOL(model_write_msr_safe);

static u64 model_read_pmc(int counter)
{
	u64 val;
	int err = pmu_model_read_pmc(counter, &val);

	if (unlikely(err))
		report_read("RDPMC", counter);
	if (tracepoint_enabled(rdpmc))
		do_trace_rdpmc(counter, val, err);
	return val;
}

NOKPROBE_SYMBOL(model_read_pmc);

/**
 * pmu_model_pv_install() - put the model between the kernel and the CPU
 *
 * Context: boot CPU, before calls through pv_ops are patched.
 */
void __init pmu_model_pv_install(void)
{
	pv_ops.cpu.read_msr = model_read_msr;
	pv_ops.cpu.read_msr_safe = model_read_msr_safe;
	pv_ops.cpu.write_msr = model_write_msr;
	pv_ops.cpu.write_msr_safe = model_write_msr_safe;
	pv_ops.cpu.read_pmc = model_read_pmc;
	pv_ops.cpu.cpuid = pmu_model_cpuid;
}
