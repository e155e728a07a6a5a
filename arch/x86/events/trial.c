// SPDX-License-Identifier: GPL-2.0
/*
 * Room "trial": whether the counters work.
 *
 * Purpose: find out at boot whether the registers that CPUID promises work:
 * some emulators ignore writes and return zeros. Stop counters that are
 * running.
 *
 * Owns: nothing.
 *
 * Contexts: boot, before the first CPU has a PMU.
 *
 * Firmware may have left counters running, with any value, and so may an
 * earlier kernel if this one was started by kexec. So counters are stopped
 * first, and only a value that was written here is compared.
 *
 * Locking: none.
 */
#include <linux/bits.h>
#include <kunit/static_stub.h>
#include <asm/msr.h>
#include "rules/count.h"
#include "trial.h"

/*
 * Every counter takes these bits of a write as they are. In some counters the
 * bits from 31 up are copies of bit 31.
 */
#define COMPARED	GENMASK_ULL(X86_COUNT_WRITTEN - 2, 0)

/**
 * x86_trial_write() - write a register that may not exist
 * @address: address of the register
 * @value: value
 *
 * Tests replace this function by one for a register file.
 *
 * Context: boot.
 * Return: 0, or -EIO.
 */
int x86_trial_write(u32 address, u64 value)
{
	KUNIT_STATIC_STUB_REDIRECT(x86_trial_write, address, value);
	return wrmsrl_safe(address, value);
}

/**
 * x86_trial_stop() - stop counters that somebody has left running
 * @pmc: addresses of the registers
 * @counters: general counters, as a mask
 *
 * Context: boot.
 * Return: true if one of them was enabled.
 */
bool x86_trial_stop(const struct x86_pmc *pmc, u64 counters)
{
	bool found = false;
	u32 address;

	if (pmc->global_ctrl)
		x86_trial_write(pmc->global_ctrl, 0);
	for (; counters; counters &= counters - 1) {
		address = x86_pmc_select(pmc, __ffs64(counters));
		if (!(x86_regs_read(address) & X86_SEL_ENABLE))
			continue;
		found = true;
		x86_trial_write(address, 0);
	}
	return found;
}

/**
 * x86_trial_works() - does a counter contain what is written to it?
 * @pmc: addresses of the registers
 * @counters: general counters, as a mask; they stand still
 *
 * Context: boot.
 * Return: true if the first of them does.
 */
bool x86_trial_works(const struct x86_pmc *pmc, u64 counters)
{
	u32 address = pmc->counter + __ffs64(counters) * pmc->step;
	u64 value = (x86_regs_read(address) ^ 0xffff) & COMPARED;

	return !x86_trial_write(address, value) && x86_regs_read(address) == value;
}
