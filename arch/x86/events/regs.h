/* SPDX-License-Identifier: GPL-2.0 */
/* Room "regs": what the registers of a CPU's PMU contain. */
#ifndef _ARCH_X86_EVENTS_REGS_H
#define _ARCH_X86_EVENTS_REGS_H

#include <linux/bitfield.h>
#include "pmc.h"

/**
 * struct x86_regs - images of registers
 * @pmc:	addresses of the registers
 * @known:	counters whose select register, or field of the fixed control
 *		register, contains what its image says
 * @held:	stopped counters that contain the value in @value
 * @kept:	number of the set of events that was stopped last, if its
 *	counters are as it has left them, and their selectors; 0 for none
 * @running:	counters that count
 * @parked:	P6: counters whose select register is 0, except for the enable
 *	bit, instead of its image
 * @running_known: @running is what the hardware does
 * @calls: calls of x86_regs_run() that have written something
 * @fixed_ctrl:	image of the fixed counters' control register
 * @select:	images of the event select registers, without the enable bit
 * @value:	values of stopped counters, by slot
 * @owner:	number of the event that has left the value, by slot
 */
struct x86_regs {
	const struct x86_pmc *pmc;
	u64	known;
	u64	held;
	u64	kept;
	u64	running;
	u64	parked;
	bool	running_known;
	unsigned int calls;
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

/*
 * Intel: a precise event on the counter has groups in its records. The bit
 * means nothing for other events, so it is always set where it exists.
 */
#define X86_FIXED_ADAPTIVE	BIT_ULL(32)
#define X86_ALL_ADAPTIVE	GENMASK_ULL(63, 32)

u64 x86_regs_read(u32 address);
void x86_regs_write(u32 address, u64 value);
void x86_regs_write_select(struct x86_regs *r, unsigned int counter, u64 config);
void x86_regs_load(struct x86_regs *r, unsigned int counter, u64 value);
void x86_regs_run(struct x86_regs *r, u64 counters);
void x86_regs_exercise(struct x86_regs *r, const u64 *configs, unsigned int nr);
void x86_regs_forget(struct x86_regs *r);
void x86_regs_reset(struct x86_regs *r, const struct x86_pmc *pmc, u64 counters);
void x86_regs_clear(struct x86_regs *r, u64 counters);
void x86_regs_abandon(struct x86_regs *r, u64 counters);

/* What follows runs at each switch. */

/**
 * x86_regs_fixed_field() - translate a selector for a fixed counter
 * @config: selector in the format of a select register
 *
 * Context: any.
 * Return: the counter's field of the fixed control register, right-aligned,
 * SDM vol. 3 20.2.2 and 20.2.3.
 */
static inline u64 x86_regs_fixed_field(u64 config)
{
	return FIELD_PREP(X86_FIXED_OS, FIELD_GET(X86_SEL_OS, config)) |
	       FIELD_PREP(X86_FIXED_USR, FIELD_GET(X86_SEL_USR, config)) |
	       FIELD_PREP(X86_FIXED_ANY, FIELD_GET(X86_SEL_ANY, config)) |
	       FIELD_PREP(X86_FIXED_INT, FIELD_GET(X86_SEL_INT, config));
}

static inline unsigned int x86_regs_fixed_shift(unsigned int counter)
{
	return (counter - X86_COUNTER_FIXED) * X86_FIXED_BITS;
}

static inline u64 x86_regs_fixed_image(const struct x86_regs *r, unsigned int counter)
{
	return r->fixed_ctrl >> x86_regs_fixed_shift(counter) &
	       GENMASK_ULL(X86_FIXED_BITS - 1, 0);
}

/**
 * x86_regs_fits() - does a counter select what an event needs?
 * @r: images of this CPU
 * @counter: number of the counter
 * @config: selector that the event needs
 *
 * Context: any.
 * Return: true if x86_regs_select() would write nothing.
 */
static inline bool x86_regs_fits(const struct x86_regs *r, unsigned int counter, u64 config)
{
	if (!(r->known & BIT_ULL(counter)))
		return false;
	if (counter >= X86_COUNTER_FIXED)
		return x86_regs_fixed_image(r, counter) == x86_regs_fixed_field(config);
	return r->select[counter] == config;
}

/**
 * x86_regs_select() - choose the event of a counter
 * @r: images of this CPU
 * @counter: number of a counter that does not run
 * @config: selector, without the enable bit; for a fixed counter only the modes
 *	and the interrupt matter
 *
 * Context: this CPU, interrupts off or NMI.
 */
static inline void x86_regs_select(struct x86_regs *r, unsigned int counter, u64 config)
{
	if (unlikely(!x86_regs_fits(r, counter, config)))
		x86_regs_write_select(r, counter, config);
}

/**
 * x86_regs_hold() - remember the value of a counter that was stopped and read
 * @r: images of this CPU
 * @counter: its number
 * @value: its value
 * @owner: number of the event that it counted
 *
 * The value is right until x86_regs_release().
 *
 * Context: this CPU, interrupts off.
 */
static inline void x86_regs_hold(struct x86_regs *r, unsigned int counter,
				 u64 value, u64 owner)
{
	r->value[x86_slot(counter)] = value;
	r->owner[x86_slot(counter)] = owner;
	r->held |= BIT_ULL(counter);
}

/**
 * x86_regs_held() - get the value that a stopped counter has kept
 * @r: images of this CPU
 * @counter: its number
 * @value: gets the value
 * @owner: gets the number of the event that it counted
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: false if the value is not known.
 */
static inline bool x86_regs_held(const struct x86_regs *r, unsigned int counter,
				 u64 *value, u64 *owner)
{
	*value = r->value[x86_slot(counter)];
	*owner = r->owner[x86_slot(counter)];
	return r->held & BIT_ULL(counter);
}

/**
 * x86_regs_release() - a counter is about to change its value
 * @r: images of this CPU
 * @counters: numbers of counters that are about to run, as a mask
 *
 * Context: this CPU, interrupts off or NMI.
 */
static inline void x86_regs_release(struct x86_regs *r, u64 counters)
{
	r->held &= ~counters;
	r->kept = 0;
}

#endif /* _ARCH_X86_EVENTS_REGS_H */
