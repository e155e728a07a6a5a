// SPDX-License-Identifier: GPL-2.0
/*
 * Room "cpu": the PMU of each CPU, and CPUs that come and go.
 *
 * Purpose: know which event each counter of a CPU has, and start each CPU with
 * counters that stand still.
 *
 * Owns: the per-CPU variable x86_cpu.
 *
 * Contexts: counters change on their CPU with interrupts off, hotplug callbacks
 * in the tasks that the hotplug core runs them in.
 *
 * Lifetime: a CPU has a core from its start until it is dead. While it is
 * offline it has no events, since the core schedules all of them out before.
 *
 * Locking: none; each CPU changes its own x86_cpu.
 */
#include <linux/cpuhotplug.h>
#include "cpu.h"

DEFINE_PER_CPU(struct x86_cpu, x86_cpu);

static const struct x86_cpu_ops *cpu_ops __ro_after_init;

/**
 * x86_cpu_clean() - let the vendor's driver write registers that may contain
 * anything
 *
 * Context: this CPU, interrupts off, when it starts or the machine resumes.
 */
void x86_cpu_clean(void)
{
	if (cpu_ops->clean)
		cpu_ops->clean();
}

static int prepare(unsigned int cpu)
{
	return cpu_ops->prepare ? cpu_ops->prepare(cpu) : 0;
}

static int dead(unsigned int cpu)
{
	struct x86_core *core = per_cpu(x86_cpu, cpu).core;

	if (core)
		cpumask_clear_cpu(cpu, &core->cpus);
	if (cpu_ops->dead)
		cpu_ops->dead(cpu);
	return 0;
}

static int starting(unsigned int number)
{
	struct x86_cpu *cpu = &per_cpu(x86_cpu, number);

	struct x86_core *core = cpu_ops->start(number);

	cpu->enabled = false;
	if (core) {
		x86_cpu_clean();
		cpu->not_special = core->facts.counters;
		x86_regs_reset(&cpu->regs, &x86_pmc, core->facts.counters & ~core->lent);
		cpumask_set_cpu(number, &core->cpus);
	}
	/* A PMI that comes earlier finds no core, and does nothing. */
	barrier();
	cpu->core = core;
	return 0;
}

/**
 * x86_cpu_init() - prepare all CPUs, and those that come later
 * @ops: what the vendor's driver does for each CPU
 *
 * Context: task, at boot.
 * Return: 0; -ENOMEM, or what @ops returned for a CPU.
 */
int __init x86_cpu_init(const struct x86_cpu_ops *ops)
{
	int err;

	cpu_ops = ops;
	err = cpuhp_setup_state(CPUHP_PERF_X86_PREPARE, "perf/x86:prepare", prepare, dead);
	if (err)
		return err;
	err = cpuhp_setup_state(CPUHP_AP_PERF_X86_STARTING, "perf/x86:starting", starting, NULL);
	if (err)
		cpuhp_remove_state(CPUHP_PERF_X86_PREPARE);
	return err;
}

/**
 * x86_cpu_exit() - undo x86_cpu_init()
 *
 * Context: task, at boot; no PMU is registered.
 */
void __init x86_cpu_exit(void)
{
	cpuhp_remove_state(CPUHP_AP_PERF_X86_STARTING);
	cpuhp_remove_state(CPUHP_PERF_X86_PREPARE);
}
