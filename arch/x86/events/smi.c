// SPDX-License-Identifier: GPL-2.0
/*
 * Room "smi": whether counters stand still in system management mode.
 *
 * Purpose: Intel's processors can stop their counters while the firmware
 * handles a system management interrupt (SMI): bit 14 of IA32_DEBUGCTL, SDM
 * vol. 3 18.4.1. The administrator decides it by the file freeze_on_smi of the
 * PMU's device; until then they stand still.
 *
 * Owns: this bit.
 *
 * Contexts: tasks that read or write the file; the start of a CPU.
 *
 * Locking: freeze_mutex and the hotplug lock for the setting. A CPU that starts
 * later reads it.
 */
#include <linux/cpu.h>
#include <linux/mutex.h>
#include <asm/msr.h>
#include "smi.h"

static DEFINE_MUTEX(freeze_mutex);
static bool freeze_on_smi = true;
static bool offered __ro_after_init;

/**
 * x86_smi_offer() - say that the processors have the bit
 *
 * Context: boot.
 */
void __init x86_smi_offer(void)
{
	offered = true;
}

/**
 * x86_smi_offered() - do the processors have the bit?
 *
 * Context: any.
 * Return: true if they do.
 */
bool x86_smi_offered(void)
{
	return offered;
}

/**
 * x86_smi_frozen() - do counters stand still in system management mode?
 *
 * Context: any.
 * Return: true if they do.
 */
bool x86_smi_frozen(void)
{
	return READ_ONCE(freeze_on_smi);
}

/**
 * x86_smi_start() - set the bit of a CPU that starts
 *
 * A hypervisor may not have the register; then nothing happens.
 *
 * Context: this CPU, interrupts off.
 */
void x86_smi_start(void)
{
	if (x86_smi_frozen())
		msr_set_bit(MSR_IA32_DEBUGCTLMSR, DEBUGCTLMSR_FREEZE_IN_SMM_BIT);
	else
		msr_clear_bit(MSR_IA32_DEBUGCTLMSR, DEBUGCTLMSR_FREEZE_IN_SMM_BIT);
}

static void set_this_cpu(void *unused)
{
	x86_smi_start();
}

/**
 * x86_smi_freeze() - set the bit of all CPUs
 * @freeze: 1: counters stand still in system management mode; 0: they count
 *
 * Context: task; takes freeze_mutex and the hotplug lock.
 * Return: 0, or -EINVAL for another number.
 */
int x86_smi_freeze(unsigned long freeze)
{
	if (freeze > 1)
		return -EINVAL;
	guard(mutex)(&freeze_mutex);
	if (freeze == freeze_on_smi)
		return 0;
	cpus_read_lock();
	WRITE_ONCE(freeze_on_smi, freeze);
	on_each_cpu(set_this_cpu, NULL, 1);
	cpus_read_unlock();
	return 0;
}
