/* SPDX-License-Identifier: GPL-2.0 */
/* Room "regs": what the registers of a CPU's PMU contain. */
#ifndef _ARCH_X86_EVENTS_REGS_H
#define _ARCH_X86_EVENTS_REGS_H

#include "pmc.h"

/**
 * struct x86_regs - images of registers
 * @pmc:	addresses of the registers
 * @known:	counters whose select register, or field of the fixed control
 *		register, contains what its image says
 * @held:	stopped counters that contain the value in @value
 * @running:	counters that count
 * @running_known: @running is what the hardware does
 * @fixed_ctrl:	image of the fixed counters' control register
 * @select:	images of the event select registers, without the enable bit
 * @value:	values of stopped counters, by slot
 * @owner:	number of the event that has left the value, by slot
 */
struct x86_regs {
	const struct x86_pmc *pmc;
	u64	known;
	u64	held;
	u64	running;
	bool	running_known;
	u64	fixed_ctrl;
	u64	select[X86_MAX_GENERAL];
	u64	value[X86_NR_SLOTS];
	u64	owner[X86_NR_SLOTS];
};

/* Field of a fixed counter in the control register, SDM vol. 3 20.2.2. */
#define X86_FIXED_OS		BIT_ULL(0)
#define X86_FIXED_USR		BIT_ULL(1)
#define X86_FIXED_ANY		BIT_ULL(2)
#define X86_FIXED_INT		BIT_ULL(3)
#define X86_FIXED_BITS		4

void x86_regs_write(u32 address, u64 value);
u64 x86_regs_fixed_field(u64 config);
bool x86_regs_fits(const struct x86_regs *r, unsigned int counter, u64 config);
void x86_regs_select(struct x86_regs *r, unsigned int counter, u64 config);
void x86_regs_load(struct x86_regs *r, unsigned int counter, u64 value);
void x86_regs_hold(struct x86_regs *r, unsigned int counter, u64 value, u64 owner);
bool x86_regs_held(const struct x86_regs *r, unsigned int counter, u64 *value, u64 *owner);
void x86_regs_release(struct x86_regs *r, u64 counters);
void x86_regs_run(struct x86_regs *r, u64 counters);
void x86_regs_forget(struct x86_regs *r);
void x86_regs_reset(struct x86_regs *r, const struct x86_pmc *pmc, u64 counters);
void x86_regs_clear(struct x86_regs *r, u64 counters);

#endif /* _ARCH_X86_EVENTS_REGS_H */
