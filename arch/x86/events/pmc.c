// SPDX-License-Identifier: GPL-2.0
/*
 * Room "pmc": addresses and width of the counters.
 *
 * Purpose: know how the counters of this machine are addressed by RDMSR, WRMSR
 * and RDPMC, and how many bits they have.
 *
 * Owns: x86_pmc, which the setup of the vendor fills at boot.
 *
 * Contexts: any, NMI included.
 *
 * Locking: none; constant after boot.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <asm/msr-index.h>
#include "pmc.h"
#include "rules/count.h"

/* RDPMC: a fixed counter has this bit and its number, SDM vol. 2B RDPMC. */
#define RDPMC_FIXED	BIT(30)

struct x86_pmc x86_pmc __ro_after_init;

/**
 * x86_pmc_write() - find the register to write a counter
 * @pmc: addresses
 * @counter: number of the counter
 *
 * Context: any.
 * Return: address for WRMSR.
 */
u32 x86_pmc_write(const struct x86_pmc *pmc, unsigned int counter)
{
	if (counter >= X86_COUNTER_FIXED)
		return MSR_CORE_PERF_FIXED_CTR0 + counter - X86_COUNTER_FIXED;
	return pmc->write + counter * pmc->step;
}

/**
 * x86_pmc_rdpmc() - find the number by which RDPMC reads a counter
 * @counter: number of the counter
 *
 * Context: any.
 * Return: operand of RDPMC, SDM vol. 2B and APM vol. 3.
 */
int x86_pmc_rdpmc(unsigned int counter)
{
	if (counter >= X86_COUNTER_FIXED)
		return (int)RDPMC_FIXED | (counter - X86_COUNTER_FIXED);
	return counter;
}

/**
 * x86_pmc_set_width() - tell how many bits the counters have
 * @width: bits
 * @full_width: all of them can be written; otherwise a write sets bits 31-0 and
 *	extends their sign, SDM vol. 3 20.2.8
 *
 * A period is half of the range at most, so that the highest bit of a counter
 * tells whether it has passed zero.
 *
 * Context: boot.
 */
void __init x86_pmc_set_width(unsigned int width, bool full_width)
{
	x86_pmc.width = width;
	x86_pmc.mask = GENMASK_ULL(width - 1, 0);
	x86_pmc.max_period = x86_count_limit(width, full_width ? width : X86_COUNT_WRITTEN);
}
