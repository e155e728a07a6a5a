// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: instruction-based sampling of AMD
 *
 * Two units count up to a maximum, one fetches, the other cycles or ops. At the
 * maximum a unit takes a sample: it fills its data registers, sets its valid
 * bit, interrupts, and counts no more until software clears that bit. What the
 * registers say comes from a script (ibs_script.c). Source: APM vol. 2 13.3,
 * PPR of family 19h model 11h, MSRC001_1030 to 103D.
 *
 * A unit's count is kept as a counter that wraps at the maximum. All functions
 * work on the struct pmu_model_ibs that the caller passes.
 *
 * Owns the registers of IBS and their reserved bits.
 *
 * Contexts: any. The state is the caller's own while a function runs.
 *
 * Locking: none.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include "pmu_model.h"

#define MSR_FETCH_CTL	0xc0011030
#define MSR_OP_CTL	0xc0011033
#define MSR_LVT		0xc001103a
#define MSR_TARGET	0xc001103b
#define MSR_FETCH_EXTD	0xc001103c
#define MSR_OP_DATA4	0xc001103d

#define FETCH_MAX	GENMASK_ULL(15, 0)
#define FETCH_COUNT	GENMASK_ULL(31, 16)
#define FETCH_RESULTS	(GENMASK_ULL(47, 32) | GENMASK_ULL(56, 50) | \
			 BIT_ULL(58) | GENMASK_ULL(61, 60))
#define FETCH_RESULTS_BASIC (GENMASK_ULL(47, 32) | GENMASK_ULL(56, 50))
#define FETCH_ENABLE	BIT_ULL(48)
#define FETCH_VALID	BIT_ULL(49)
#define FETCH_RANDOM	BIT_ULL(57)
#define FETCH_L3_ONLY	BIT_ULL(59)

#define OP_MAX		GENMASK_ULL(15, 0)
#define OP_L3_ONLY	BIT_ULL(16)
#define OP_ENABLE	BIT_ULL(17)
#define OP_VALID	BIT_ULL(18)
#define OP_COUNT_OPS	BIT_ULL(19)
#define OP_MAX_EXT	GENMASK_ULL(26, 20)
#define OP_COUNT	GENMASK_ULL(58, 32)
#define OP_COUNT_BASIC	GENMASK_ULL(51, 32)

/* The maximum and the fetch count are in units of 16. */
#define UNIT_SHIFT	4
#define MAX_EXT_SHIFT	20

#define FETCH_RANDOM_BITS 4
#define OP_RANDOM_BITS	7

/* A counter that wraps here counts up to any maximum. */
#define COUNT_MASK	GENMASK_ULL(47, 0)

/* Event 0x80 of AMD: fetches. */
#define EVENT_FETCHES	0x80

/* Generations: family 10h, 15h, Zen, Zen 4. */
static const u32 level_caps[] = {
	0,
	PMU_IBS_CAP_FFV | PMU_IBS_CAP_FETCH | PMU_IBS_CAP_OP |
	PMU_IBS_CAP_RDWR_COUNT | PMU_IBS_CAP_OP_COUNT,
	PMU_IBS_CAP_TARGET | PMU_IBS_CAP_COUNT_EXT | PMU_IBS_CAP_RIP_INVALID,
	PMU_IBS_CAP_FUSE | PMU_IBS_CAP_FETCH_EXTD,
	PMU_IBS_CAP_L3_MISS,
};

/**
 * pmu_model_ibs_caps() - get what a generation of IBS has
 * @level:	0 for no IBS, 1 for family 10h, 2 for 15h, 3 for Zen, 4 for Zen
 *	4
 *
 * Context: any.
 * Return: EAX of CPUID leaf 8000_001B.
 */
u32 pmu_model_ibs_caps(unsigned int level)
{
	u32 caps = 0;
	unsigned int i;

	for (i = 0; i <= level; i++)
		caps |= level_caps[i];
	return caps;
}

static u64 fetch_mask(u32 caps)
{
	u64 mask = FETCH_MAX | FETCH_COUNT | FETCH_RESULTS_BASIC | FETCH_ENABLE |
		   FETCH_VALID | FETCH_RANDOM;

	if (caps & PMU_IBS_CAP_FETCH_EXTD)
		mask |= BIT_ULL(58);
	if (caps & PMU_IBS_CAP_L3_MISS)
		mask |= FETCH_RESULTS | FETCH_L3_ONLY;
	return mask;
}

static u64 op_mask(u32 caps)
{
	u64 mask = OP_MAX | OP_ENABLE | OP_VALID;

	if (caps & PMU_IBS_CAP_OP_COUNT)
		mask |= OP_COUNT_OPS;
	if (caps & PMU_IBS_CAP_RDWR_COUNT)
		mask |= OP_COUNT_BASIC;
	if (caps & PMU_IBS_CAP_COUNT_EXT)
		mask |= OP_MAX_EXT | OP_COUNT;
	if (caps & PMU_IBS_CAP_L3_MISS)
		mask |= OP_L3_ONLY;
	return mask;
}

static enum pmu_model_kind kind_if(const struct pmu_model *m, u32 cap,
				   enum pmu_model_kind kind)
{
	return m->ibs_caps & cap ? kind : PMU_REG_ABSENT;
}

/**
 * pmu_model_ibs_setup() - add the registers of IBS
 * @m:		the model; its capabilities are set
 *
 * Context: init.
 */
void pmu_model_ibs_setup(struct pmu_model *m)
{
	unsigned int i;

	m->ibs_mask[PMU_IBS_FETCH] = fetch_mask(m->ibs_caps);
	m->ibs_mask[PMU_IBS_OP] = op_mask(m->ibs_caps);
	for (i = PMU_IBS_CTL; i <= PMU_IBS_FETCH_PHYSAD; i++)
		pmu_model_add_reg(m, MSR_FETCH_CTL + i, PMU_REG_IBS_FETCH, i);
	for (i = PMU_IBS_CTL; i <= PMU_IBS_OP_DCPHYSAD; i++)
		pmu_model_add_reg(m, MSR_OP_CTL + i, PMU_REG_IBS_OP, i);
	pmu_model_add_reg(m, MSR_LVT, PMU_REG_IBS_LVT, 0);
	pmu_model_add_reg(m, MSR_TARGET, kind_if(m, PMU_IBS_CAP_TARGET, PMU_REG_IBS_OP),
			  PMU_IBS_OP_TARGET);
	pmu_model_add_reg(m, MSR_FETCH_EXTD,
			  kind_if(m, PMU_IBS_CAP_FETCH_EXTD, PMU_REG_IBS_FETCH),
			  PMU_IBS_FETCH_EXTD);
	pmu_model_add_reg(m, MSR_OP_DATA4, kind_if(m, PMU_IBS_CAP_DATA4, PMU_REG_IBS_OP),
			  PMU_IBS_OP_DATA4);
}

static u64 maximum(unsigned int unit, u64 ctl)
{
	if (unit == PMU_IBS_FETCH)
		return FIELD_GET(FETCH_MAX, ctl) << UNIT_SHIFT;
	return FIELD_GET(OP_MAX, ctl) << UNIT_SHIFT |
	       FIELD_GET(OP_MAX_EXT, ctl) << MAX_EXT_SHIFT;
}

static u32 rate_of(unsigned int unit, u64 ctl)
{
	if (unit == PMU_IBS_FETCH)
		return pmu_model_select_rate(PMU_MODEL_AMD, EVENT_FETCHES, 0);
	/* Instructions and cycles; an instruction is an op. */
	return pmu_model_fixed_rate(ctl & OP_COUNT_OPS ? 0 : 1);
}

static bool l3_only(unsigned int unit, u64 ctl)
{
	return ctl & (unit == PMU_IBS_FETCH ? FETCH_L3_ONLY : OP_L3_ONLY);
}

static u64 random_bits(struct pmu_model_ibs *ibs, unsigned int bits)
{
	ibs->random = ibs->random * 1664525 + 1013904223;
	return ibs->random >> (32 - bits);
}

/* Let the unit count from @count to its maximum. */
static void start_at(struct pmu_model_ibs_unit *u, unsigned int unit, u64 count,
		     u64 now)
{
	u64 max = maximum(unit, u->regs[PMU_IBS_CTL]);

	u->counter = (struct pmu_model_counter) {
		.value = (count - max) & COUNT_MASK, .stamp = now,
		.rate = rate_of(unit, u->regs[PMU_IBS_CTL]),
	};
}

/* The registers describe one sample; those of the last one are gone. */
static void clear_results(struct pmu_model_ibs_unit *u, unsigned int unit)
{
	u64 ctl = u->regs[PMU_IBS_CTL];

	if (unit == PMU_IBS_FETCH)
		ctl &= ~FETCH_RESULTS;
	*u = (struct pmu_model_ibs_unit) { .regs[PMU_IBS_CTL] = ctl };
}

/*
 * The count is at its maximum. With the filter for L3 misses there may be no
 * line for a sample; then the unit counts again.
 */
static void take_sample(const struct pmu_model *m, struct pmu_model_ibs *ibs,
			unsigned int unit, u64 ip, u64 now)
{
	struct pmu_model_ibs_unit *u = &ibs->unit[unit];
	bool misses = l3_only(unit, u->regs[PMU_IBS_CTL]);
	const struct pmu_model_ibs_line *line = NULL;
	u64 again = unit == PMU_IBS_OP ? random_bits(ibs, OP_RANDOM_BITS) : 0;
	bool taken;

	if (m->ibs_script)
		line = pmu_model_ibs_next(m->ibs_script, unit, misses, &ibs->next[unit]);
	taken = !misses || line;
	if (taken) {
		clear_results(u, unit);
		pmu_model_ibs_apply(line, ip, &ibs->random, u->regs);
		u->regs[PMU_IBS_CTL] &= m->ibs_mask[unit];
		u->regs[PMU_IBS_CTL] |= unit == PMU_IBS_FETCH ? FETCH_VALID : OP_VALID;
		ibs->pending |= BIT(unit);
	}
	/* The fetch count stays at its maximum until software writes it. */
	if (taken && unit == PMU_IBS_FETCH)
		again = maximum(unit, u->regs[PMU_IBS_CTL]);
	start_at(u, unit, again, now);
	u->running = !taken;
}

/**
 * pmu_model_ibs_settle() - bring both units up to date
 * @m:		the model
 * @ibs:	the units
 * @ip:		instruction pointer of a sample that is due
 * @now:	model clock
 *
 * Context: any.
 */
void pmu_model_ibs_settle(const struct pmu_model *m, struct pmu_model_ibs *ibs,
			  u64 ip, u64 now)
{
	unsigned int i;

	for (i = 0; i < PMU_IBS_NR_UNITS; i++) {
		struct pmu_model_ibs_unit *u = &ibs->unit[i];

		if (u->running && pmu_model_counter_settle(&u->counter, COUNT_MASK, now))
			take_sample(m, ibs, i, ip, now);
	}
}

/**
 * pmu_model_ibs_due() - compute the time of the next sample
 * @m:		the model
 * @ibs:	the units
 * @now:	model clock
 *
 * Context: any.
 * Return: ticks from @now, 0 if a sample waits to be signalled,
 * PMU_MODEL_NEVER if none will come.
 */
u64 pmu_model_ibs_due(const struct pmu_model *m, const struct pmu_model_ibs *ibs,
		      u64 now)
{
	u64 due = PMU_MODEL_NEVER;
	unsigned int i;

	if (ibs->pending)
		return 0;
	for (i = 0; i < PMU_IBS_NR_UNITS; i++)
		if (ibs->unit[i].running)
			due = min(due, pmu_model_counter_due(&ibs->unit[i].counter,
							     COUNT_MASK, now));
	return due;
}

/* The count field, with the bits that this generation has. */
static u64 count_field(const struct pmu_model *m, const struct pmu_model_ibs_unit *u,
		       unsigned int unit, u64 now)
{
	u64 value = u->counter.value, count;
	bool wrapped;

	if (u->running)
		value = pmu_model_counter_peek(&u->counter, COUNT_MASK, now, &wrapped);
	count = (value + maximum(unit, u->regs[PMU_IBS_CTL])) & COUNT_MASK;
	if (unit == PMU_IBS_FETCH)
		return FIELD_PREP(FETCH_COUNT, (count >> UNIT_SHIFT) & 0xffff);
	return (count << 32) & OP_COUNT & m->ibs_mask[unit];
}

static unsigned int unit_of(const struct pmu_model_reg *reg)
{
	return reg->kind == PMU_REG_IBS_FETCH ? PMU_IBS_FETCH : PMU_IBS_OP;
}

/**
 * pmu_model_ibs_read() - read a register of a unit
 * @m:		the model
 * @ibs:	the units, up to date
 * @reg:	the register
 * @now:	model clock
 *
 * Context: any.
 * Return: the value.
 */
u64 pmu_model_ibs_read(const struct pmu_model *m, const struct pmu_model_ibs *ibs,
		       const struct pmu_model_reg *reg, u64 now)
{
	unsigned int unit = unit_of(reg);
	const struct pmu_model_ibs_unit *u = &ibs->unit[unit];
	u64 val = u->regs[reg->index];

	if (reg->index == PMU_IBS_CTL)
		val |= count_field(m, u, unit, now);
	return val;
}

static u64 written_count(struct pmu_model_ibs *ibs, unsigned int unit, u64 val)
{
	u64 count;

	if (unit == PMU_IBS_OP)
		return FIELD_GET(OP_COUNT, val);
	count = FIELD_GET(FETCH_COUNT, val) << UNIT_SHIFT;
	if (val & FETCH_RANDOM)
		count |= random_bits(ibs, FETCH_RANDOM_BITS);
	return count;
}

static int write_ctl(const struct pmu_model *m, struct pmu_model_ibs *ibs,
		     unsigned int unit, u64 now, u64 val)
{
	const u64 enable = unit == PMU_IBS_FETCH ? FETCH_ENABLE : OP_ENABLE;
	const u64 valid = unit == PMU_IBS_FETCH ? FETCH_VALID : OP_VALID;
	struct pmu_model_ibs_unit *u = &ibs->unit[unit];

	if (val & ~m->ibs_mask[unit])
		return -EIO;
	u->regs[PMU_IBS_CTL] = val & ~(unit == PMU_IBS_FETCH ? FETCH_COUNT : OP_COUNT);
	start_at(u, unit, written_count(ibs, unit, val), now);
	u->running = (val & enable) && !(val & valid) && maximum(unit, val);
	if (!(val & valid))
		ibs->pending &= ~BIT(unit);
	/* A count beyond the maximum has reached it. */
	if (u->running && !(u->counter.value >> 47)) {
		u->counter.value = COUNT_MASK;
		u->counter.frac = 0;
	}
	return 0;
}

/**
 * pmu_model_ibs_write() - write a register of a unit
 * @m:		the model
 * @ibs:	the units, up to date; unchanged on error
 * @reg:	the register
 * @now:	model clock
 * @val:	the value
 *
 * Context: any.
 * Return: 0, or -EIO where hardware raises #GP.
 */
int pmu_model_ibs_write(const struct pmu_model *m, struct pmu_model_ibs *ibs,
			const struct pmu_model_reg *reg, u64 now, u64 val)
{
	if (reg->index == PMU_IBS_CTL)
		return write_ctl(m, ibs, unit_of(reg), now, val);
	ibs->unit[unit_of(reg)].regs[reg->index] = val;
	return 0;
}
