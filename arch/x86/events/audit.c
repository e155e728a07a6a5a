// SPDX-License-Identifier: GPL-2.0
/*
 * Room "audit": are the images of registers right?
 *
 * Purpose: read the registers of a PMU back when it was stopped, and compare
 * them with their images. An image that is wrong lets an event count something
 * else without any other sign.
 *
 * Owns: nothing. Built with CONFIG_PERF_EVENTS_DEBUG_STATE only.
 *
 * Contexts: the CPU itself, interrupts off, counters stand still. A late PMI
 * changes nothing that is compared: if the value of a counter is remembered,
 * the counter has no event, or one that is up to date, which the PMI leaves
 * alone.
 *
 * Locking: none.
 */
#include <linux/bitops.h>
#include <linux/bug.h>
#include <kunit/static_stub.h>
#include "audit.h"

/* Return: true if the register contains something else in the bits of @mask. */
static bool differs(struct x86_audit_difference *d, u32 address, u64 wanted, u64 mask)
{
	d->address = address;
	d->found = x86_regs_read(address) & mask;
	d->wanted = wanted & mask;
	return d->found != d->wanted;
}

static u64 wanted_select(const struct x86_regs *r, unsigned int counter)
{
	bool runs = r->running & BIT_ULL(counter);
	u64 select = r->select[counter];

	if (!r->pmc->one_enable)
		return select | (r->pmc->global_ctrl || runs ? X86_SEL_ENABLE : 0);
	if (r->parked & BIT_ULL(counter))
		select = 0;
	return select | (!counter && r->running ? X86_SEL_ENABLE : 0);
}

static bool select_differs(const struct x86_regs *r, struct x86_audit_difference *d)
{
	u64 left = r->known & X86_GENERAL(X86_MAX_GENERAL);
	unsigned int counter;

	for (; left; left &= left - 1) {
		counter = __ffs64(left);
		if (differs(d, x86_pmc_select(r->pmc, counter), wanted_select(r, counter), ~0ULL))
			return true;
	}
	return false;
}

static u32 counter_address(const struct x86_pmc *pmc, unsigned int counter)
{
	if (counter >= X86_COUNTER_FIXED)
		return x86_pmc_write(pmc, counter);
	return pmc->counter + counter * pmc->step;
}

static bool value_differs(const struct x86_regs *r, struct x86_audit_difference *d)
{
	u64 left = r->held & ~r->running;
	unsigned int counter;

	for (; left; left &= left - 1) {
		counter = __ffs64(left);
		if (differs(d, counter_address(r->pmc, counter), r->value[x86_slot(counter)],
			    r->pmc->mask))
			return true;
	}
	return false;
}

/* The fields of fixed counters that are known. */
static u64 known_fields(const struct x86_regs *r)
{
	u64 left = r->known & X86_ALL_FIXED;
	u64 fields = 0;

	for (; left; left &= left - 1)
		fields |= GENMASK_ULL(X86_FIXED_BITS - 1, 0) << x86_regs_fixed_shift(__ffs64(left));
	return fields;
}

/**
 * x86_audit_find() - look for a register that does not contain its image
 * @r: images of this CPU
 * @skip_control: somebody else writes the global control register
 * @d: gets the first difference
 *
 * Context: this CPU, interrupts off, counters stand still.
 * Return: true if there is one.
 */
bool x86_audit_find(const struct x86_regs *r, bool skip_control,
		    struct x86_audit_difference *d)
{
	const struct x86_pmc *pmc = r->pmc;

	if (!r->running_known)
		return false;
	if (pmc->global_ctrl && !skip_control && differs(d, pmc->global_ctrl, r->running, ~0ULL))
		return true;
	if (pmc->fixed_ctrl && differs(d, pmc->fixed_ctrl, r->fixed_ctrl, known_fields(r)))
		return true;
	return select_differs(r, d) || value_differs(r, d);
}

/**
 * x86_audit_report() - report a register that does not contain its image
 * @r: images of this CPU
 * @skip_control: somebody else writes the global control register
 *
 * Tests whose writes reach no register replace it.
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
void x86_audit_report(const struct x86_regs *r, bool skip_control)
{
	struct x86_audit_difference d;

	KUNIT_STATIC_STUB_REDIRECT(x86_audit_report, r, skip_control);
	if (x86_audit_find(r, skip_control, &d))
		WARN_ONCE(1, "PMU register %x contains %llx, its image %llx\n",
			  d.address, d.found, d.wanted);
}
