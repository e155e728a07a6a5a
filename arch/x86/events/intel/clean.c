// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/clean": what firmware or an earlier kernel may have left on.
 *
 * Purpose: turn off what no event has asked for yet, and what would change how
 * counters work. After a kexec the registers are as the kernel before left
 * them.
 *
 *  - Precise events: a counter whose bit in IA32_PEBS_ENABLE is set does not
 *    interrupt, but writes a record to memory that is not ours.
 *  - Bits of IA32_DEBUGCTL, SDM vol. 3 18.4.1: branch records and messages; the
 *    freeze after an interrupt. After that freeze some processors count nothing
 *    until a bit of the status is cleared.
 *
 * Owns: these bits.
 *
 * Contexts: the start of a CPU; the resume of the machine.
 *
 * Locking: none.
 */
#include <asm/msr-index.h>
#include "../regs.h"
#include "../smi.h"
#include "clean.h"

#define UNWANTED	(DEBUGCTLMSR_LBR | DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS |		\
			 DEBUGCTLMSR_BTINT | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI |		\
			 DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI)

/* A register that does not exist reads 0, and is not written. */
static void clear_bits(u32 address, u64 bits)
{
	u64 value = x86_regs_read(address);

	if (value & bits)
		x86_regs_write(address, value & ~bits);
}

/**
 * intel_clean() - turn off what an earlier user has left on
 *
 * Context: this CPU, interrupts off, when it starts or the machine resumes.
 */
void intel_clean(void)
{
	clear_bits(MSR_IA32_PEBS_ENABLE, ~0ULL);
	clear_bits(MSR_IA32_DEBUGCTLMSR, UNWANTED);
	x86_smi_start();
}
