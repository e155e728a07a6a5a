/* SPDX-License-Identifier: GPL-2.0 */
/* Room "pmc": addresses and width of the counters. */
#ifndef _ARCH_X86_EVENTS_PMC_H
#define _ARCH_X86_EVENTS_PMC_H

#include "rules/rules.h"

/*
 * Counters have slots, so that arrays are short: 16 general ones, 16 fixed
 * ones.
 */
#define X86_MAX_GENERAL		16
#define X86_NR_SLOTS		32

#define X86_SLOTTED		(X86_GENERAL(X86_MAX_GENERAL) | X86_ALL_FIXED)

static inline unsigned int x86_slot(unsigned int counter)
{
	return counter < X86_COUNTER_FIXED ? counter :
	       counter - X86_COUNTER_FIXED + X86_MAX_GENERAL;
}

/**
 * struct x86_pmc - registers of the machine's counters
 * @select:	event select register of counter 0
 * @counter:	counter 0, where RDMSR reads it
 * @write:	counter 0, where all its bits can be written
 * @step:	distance of the addresses of two neighbours
 * @fixed_ctrl:	control register of the fixed counters, 0 if there is none
 * @global_ctrl: register that starts and stops counters, 0 if there is none
 * @global_status: register of overflows
 * @global_clear: register that clears overflows
 * @adaptive: Intel: bits for adaptive records, SDM vol. 3 20.9.2.1
 * @one_enable:	the enable bit of counter 0 lets all counters count (P6)
 * @width:	bits of a counter
 * @mask:	these bits
 * @max_period:	longest period that can be programmed
 *
 * Set at boot, constant afterwards.
 */
struct x86_pmc {
	u32		select;
	u32		counter;
	u32		write;
	u32		step;
	u32		fixed_ctrl;
	u32		global_ctrl;
	u32		global_status;
	u32		global_clear;
	bool		adaptive;
	bool		one_enable;
	unsigned int	width;
	u64		mask;
	u64		max_period;
};

extern struct x86_pmc x86_pmc;

static inline u32 x86_pmc_select(const struct x86_pmc *pmc, unsigned int counter)
{
	return pmc->select + counter * pmc->step;
}

u32 x86_pmc_write(const struct x86_pmc *pmc, unsigned int counter);
int x86_pmc_rdpmc(unsigned int counter);
void x86_pmc_set_width(unsigned int width, bool full_width);

#endif /* _ARCH_X86_EVENTS_PMC_H */
