// SPDX-License-Identifier: GPL-2.0
/*
 * Room "debug": print what a CPU counts.
 *
 * Purpose: show the registers of the PMU when the kernel is asked to (SysRq-p).
 *
 * Owns: nothing.
 *
 * Contexts: any, with or without interrupts.
 *
 * Locking: none; the CPU's own registers.
 */
#include <linux/irqflags.h>
#include <linux/printk.h>
#include <asm/msr.h>
#include "engine.h"

static u64 read_register(u32 address)
{
	u64 value = 0;

	if (address)
		rdmsrl_safe(address, &value);
	return value;
}

static void print_counter(const struct x86_cpu *cpu, unsigned int counter)
{
	u64 select = 0, value;

	if (counter < X86_COUNTER_FIXED)
		select = read_register(x86_pmc_select(&x86_pmc, counter));
	rdpmcl(x86_pmc_rdpmc(counter), value);
	pr_info("counter %2u: select %016llx value %016llx%s%s\n", counter, select, value,
		cpu->used & BIT_ULL(counter) ? " event" : "",
		cpu->running & BIT_ULL(counter) ? " runs" : "");
}

/**
 * perf_event_print_debug() - print the registers of this CPU's PMU
 *
 * Context: any.
 */
void perf_event_print_debug(void)
{
	const struct x86_cpu *cpu;
	unsigned int counter;
	unsigned long flags;
	u64 left;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&x86_cpu);
	if (cpu->core) {
		pr_info("PMU of CPU %d: %s, control %016llx, status %016llx, fixed %016llx\n",
			smp_processor_id(), cpu->enabled ? "enabled" : "disabled",
			read_register(x86_pmc.global_ctrl),
			read_register(x86_pmc.global_status),
			read_register(x86_pmc.fixed_ctrl));
		for (left = cpu->core->facts.counters; left; left &= left - 1) {
			counter = __ffs64(left);
			print_counter(cpu, counter);
		}
	}
	local_irq_restore(flags);
}
