// SPDX-License-Identifier: GPL-2.0
/*
 * Room "regs": what the registers of a CPU's PMU contain.
 *
 * Purpose: write a register only if it contains something else. For this each
 * CPU has images of its registers.
 *
 * Owns: struct x86_regs, and all writes of select, control and counter
 * registers.
 *
 * Contexts: the CPU itself with interrupts off, or in NMI. A PMI may come
 * between any two instructions if a counter runs. So the engine calls only
 * x86_regs_run() then, which allows that; the room "load" also changes counters
 * that stand still while others run. A PMI of the others changes their values,
 * the state of x86_regs_run() and x86_regs::kept. Of counters that stand still
 * it changes only those whose event is not up to date.
 *
 * Starting and stopping: where there is a global control register, it alone
 * starts and stops counters, and select registers keep their enable bit.
 * Without it the enable bit of each select register is written.
 *
 * P6 has one enable bit, in the select register of counter 0, for all counters.
 * While it is set a counter that is to stand still is parked: its select
 * register is 0, except for the enable bit. That selects no mode, so nothing is
 * counted. The counter stays parked until it runs, or until it gets another
 * selector while all counters stand still.
 *
 * Values: a counter that was stopped and read keeps its value until it runs
 * again or is written. So an event that comes back needs no write.
 *
 * Unknown: images are wrong after a reset of the PMU, when a CPU starts or the
 * machine resumes. x86_regs_forget() says so, and all is written again.
 */
#include <linux/bitops.h>
#include <linux/hardirq.h>
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <asm/msr.h>
#include "regs.h"

/**
 * x86_regs_write() - write a register of the PMU
 * @address: address of the register
 * @value: value
 *
 * Tests replace this function by one for a register file. An interrupt that
 * comes while they run does not look for the file, since that takes a lock.
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_regs_write(u32 address, u64 value)
{
	if (kunit_get_current_test() && !in_nmi())
		KUNIT_STATIC_STUB_REDIRECT(x86_regs_write, address, value);
	wrmsrl(address, value);
}

/**
 * x86_regs_read() - read a register of the PMU
 * @address: address of the register
 *
 * Tests replace this function by one for a register file.
 *
 * Context: this CPU, interrupts off.
 * Return: its content; 0 if it does not exist.
 */
u64 x86_regs_read(u32 address)
{
	u64 value;

	KUNIT_STATIC_STUB_REDIRECT(x86_regs_read, address);
	return rdmsrl_safe(address, &value) ? 0 : value;
}

static void select_general(struct x86_regs *r, unsigned int counter, u64 config)
{
	u64 enable = 0;

	r->select[counter] = config;
	/* The counter is parked while others run. */
	if (r->pmc->one_enable && r->running)
		return;
	if (r->pmc->global_ctrl || r->running & BIT_ULL(counter))
		enable = X86_SEL_ENABLE;
	x86_regs_write(x86_pmc_select(r->pmc, counter), config | enable);
	r->parked &= ~BIT_ULL(counter);
}

static void select_fixed(struct x86_regs *r, unsigned int counter, u64 config)
{
	unsigned int shift = x86_regs_fixed_shift(counter);

	r->fixed_ctrl &= ~(GENMASK_ULL(X86_FIXED_BITS - 1, 0) << shift);
	r->fixed_ctrl |= x86_regs_fixed_field(config) << shift;
	x86_regs_write(r->pmc->fixed_ctrl, r->fixed_ctrl);
	/* The write made all fields what their image says. */
	r->known |= X86_ALL_FIXED;
}

/**
 * x86_regs_write_select() - write the event of a counter
 * @r: images of this CPU
 * @counter: number of a counter that does not run
 * @config: selector, without the enable bit; for a fixed counter only the modes
 *	and the interrupt matter
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_regs_write_select(struct x86_regs *r, unsigned int counter, u64 config)
{
	if (counter >= X86_COUNTER_FIXED)
		select_fixed(r, counter, config);
	else
		select_general(r, counter, config);
	r->known |= BIT_ULL(counter);
	r->kept = 0;
}

/**
 * x86_regs_load() - set a counter
 * @r: images of this CPU
 * @counter: number of a counter that does not run
 * @value: value within the width of the counter
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_regs_load(struct x86_regs *r, unsigned int counter, u64 value)
{
	if (r->held & BIT_ULL(counter) && r->value[x86_slot(counter)] == value)
		return;
	x86_regs_write(x86_pmc_write(r->pmc, counter), value);
	x86_regs_release(r, BIT_ULL(counter));
}

/* Without a global control register: the enable bits of @changed counters. */
static void switch_selects(const struct x86_regs *r, u64 changed, u64 counters)
{
	unsigned int counter;

	changed &= r->known & X86_GENERAL(X86_MAX_GENERAL);
	while (changed) {
		counter = __ffs64(changed);
		changed &= changed - 1;
		x86_regs_write(x86_pmc_select(r->pmc, counter), r->select[counter] |
		       (counters & BIT_ULL(counter) ? X86_SEL_ENABLE : 0));
	}
}

/* P6: a select register other than that of counter 0 gets its image, or 0. */
static void park(struct x86_regs *r, unsigned int counter, bool stop)
{
	x86_regs_write(x86_pmc_select(r->pmc, counter), stop ? 0 : r->select[counter]);
	if (stop)
		r->parked |= BIT_ULL(counter);
	else
		r->parked &= ~BIT_ULL(counter);
}

/*
 * P6: the select register of counter 0 lets all counters count, so it is last.
 */
static void switch_together(struct x86_regs *r, u64 counters, bool known)
{
	u64 changed = r->known & X86_GENERAL(X86_MAX_GENERAL) & ~BIT_ULL(0);
	u64 enable = counters ? X86_SEL_ENABLE : 0;
	unsigned int counter;

	if (known)
		changed &= ~(counters ^ r->parked);
	while (counters && changed) {
		counter = __ffs64(changed);
		changed &= changed - 1;
		park(r, counter, !(counters & BIT_ULL(counter)));
	}
	if (counters)
		r->parked = (r->parked & ~BIT_ULL(0)) | (~counters & BIT_ULL(0));
	x86_regs_write(x86_pmc_select(r->pmc, 0),
		       enable | (r->parked & BIT_ULL(0) ? 0 : r->select[0]));
}

/*
 * Without a global control register. @changed: counters whose state may change.
 *
 * Not inlined: it uses more registers than the other ways to switch counters,
 * and only this one should save them.
 */
static noinline void switch_counters(struct x86_regs *r, u64 counters, u64 changed,
				     bool known)
{
	if (r->pmc->one_enable)
		switch_together(r, counters, known);
	else
		switch_selects(r, known ? changed : X86_GENERAL(X86_MAX_GENERAL), counters);
}

/**
 * x86_regs_run() - let these counters count, and no others
 * @r: images of this CPU
 * @counters: their numbers, as a mask
 *
 * An NMI in the middle may call it, too. It finds @r->running_known unset and
 * writes what it needs. If that is the same as @counters, it does not matter
 * which write came last. Otherwise @r->running_known stays unset. The caller
 * that needs @counters calls again, and all others leave it to the next call.
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_regs_run(struct x86_regs *r, u64 counters)
{
	bool known = r->running_known;
	u64 changed = r->running ^ counters;
	unsigned int call;

	if (known && !changed)
		return;
	r->running_known = false;
	call = ++r->calls;
	barrier();
	r->running = counters;
	barrier();
	if (r->pmc->global_ctrl)
		x86_regs_write(r->pmc->global_ctrl, counters);
	else
		switch_counters(r, counters, changed, known);
	barrier();
	r->running_known = call == READ_ONCE(r->calls) || READ_ONCE(r->running) == counters;
	barrier();
}

/**
 * x86_regs_exercise() - let the first counters count something for a moment
 * @r: images of this CPU
 * @configs: their selectors, without the enable bit
 * @nr: number of counters
 *
 * Their values are lost, and their select registers keep @configs.
 *
 * Context: this CPU, interrupts off; all counters stand still, and there is a
 * global control register.
 */
void x86_regs_exercise(struct x86_regs *r, const u64 *configs, unsigned int nr)
{
	unsigned int i;

	x86_regs_release(r, X86_GENERAL(nr));
	for (i = 0; i < nr; i++) {
		x86_regs_select(r, i, configs[i]);
		x86_regs_load(r, i, 0);
	}
	x86_regs_run(r, X86_GENERAL(nr));
	x86_regs_run(r, 0);
}

/**
 * x86_regs_forget() - say that the registers may contain anything
 * @r: images of this CPU
 *
 * Context: this CPU or a CPU that is not online; the PMU counts nothing that an
 * event needs.
 */
void x86_regs_forget(struct x86_regs *r)
{
	r->known = 0;
	r->held = 0;
	r->kept = 0;
	r->parked = X86_GENERAL(X86_MAX_GENERAL);
	r->running = 0;
	r->running_known = false;
	r->fixed_ctrl &= X86_ALL_ADAPTIVE;
}

static u64 adaptive_bits(u64 counters)
{
	u64 bits = 0;

	for (counters &= X86_ALL_FIXED; counters; counters &= counters - 1)
		bits |= X86_FIXED_ADAPTIVE << x86_regs_fixed_shift(__ffs64(counters));
	return bits;
}

/**
 * x86_regs_reset() - stop all counters, whatever the registers contain
 * @r: images of this CPU
 * @pmc: addresses of its registers
 * @counters: numbers of the counters that exist
 *
 * Context: this CPU, interrupts off.
 */
void x86_regs_reset(struct x86_regs *r, const struct x86_pmc *pmc, u64 counters)
{
	u64 general = counters & X86_GENERAL(X86_MAX_GENERAL);
	unsigned int counter;

	r->pmc = pmc;
	r->fixed_ctrl = pmc->adaptive ? adaptive_bits(counters) : 0;
	x86_regs_forget(r);
	if (pmc->global_ctrl)
		x86_regs_write(r->pmc->global_ctrl, 0);
	if (r->pmc->fixed_ctrl)
		x86_regs_write(r->pmc->fixed_ctrl, r->fixed_ctrl);
	/* Some processors stop all counters as long as one bit is set. */
	if (pmc->global_clear)
		x86_regs_write(pmc->global_clear, x86_regs_read(pmc->global_status) | counters);
	r->known = counters & X86_ALL_FIXED;
	while (general) {
		counter = __ffs64(general);
		general &= general - 1;
		x86_regs_write(x86_pmc_select(r->pmc, counter), 0);
	}
	r->running_known = true;
}

/**
 * x86_regs_clear() - remove what earlier events have left in counters
 * @r: images of this CPU
 * @counters: numbers of counters that have no event
 *
 * Context: this CPU, interrupts off.
 */
void x86_regs_clear(struct x86_regs *r, u64 counters)
{
	unsigned int counter;

	while (counters) {
		counter = __ffs64(counters);
		counters &= counters - 1;
		x86_regs_load(r, counter, 0);
		x86_regs_hold(r, counter, 0, 0);
	}
}

/**
 * x86_regs_abandon() - leave counters to somebody else
 * @r: images of this CPU
 * @counters: numbers of general counters that have no event
 *
 * They contain nothing of ours, and their images are unknown afterwards.
 *
 * Context: this CPU, interrupts off.
 */
void x86_regs_abandon(struct x86_regs *r, u64 counters)
{
	unsigned int counter;

	x86_regs_clear(r, counters);
	x86_regs_release(r, counters);
	r->known &= ~counters;
	while (counters) {
		counter = __ffs64(counters);
		counters &= counters - 1;
		x86_regs_write(x86_pmc_select(r->pmc, counter), 0);
	}
}
