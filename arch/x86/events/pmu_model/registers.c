// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: effects of register reads and writes
 *
 * All functions work on a struct pmu_model_state that the caller passes and on
 * nothing else. So a change can be prepared in a copy and published at once
 * (cpu.c), and KUnit can test it without a PMU.
 *
 * A running counter holds the count of an earlier moment. Each change that may
 * start or stop a counter first settles it; that also detects an overflow.
 * Between changes a read of the status register computes it from the running
 * counters.
 *
 * Contexts: any. The state is the caller's own while a function runs.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "pmu_model.h"

/* RDPMC, Intel: the fixed counters, and the metrics (SDM vol. 2, RDPMC). */
#define RDPMC_FIXED	BIT(30)
#define RDPMC_METRICS	BIT(29)

/* A PMI of the trace: the units of IBS, above the counters. */
#define SIGNALLED_IBS_SHIFT	60

/* The second of the two offcore events. Each has a register that refines it. */
#define OFFCORE_1	(0xbb | 0x01 << 8)

#define for_each_counter(i, mask)					\
	for (u32 left_ = (mask); left_ && ((i) = __ffs(left_), 1);	\
	     left_ &= left_ - 1)

static __always_inline bool is_fixed(unsigned int i)
{
	return i >= PMU_MODEL_FIXED_BASE;
}

/**
 * pmu_model_add_reg() - add a register to the map
 * @m:		the model
 * @msr:	the address; its hash differs from those of other registers
 * @kind:	kind of the register
 * @index:	number of the register within its kind
 *
 * Context: init.
 */
void pmu_model_add_reg(struct pmu_model *m, u32 msr, enum pmu_model_kind kind,
		       unsigned int index)
{
	u8 *slot = &m->map[pmu_model_hash(msr)];

	if (WARN_ON(*slot || m->nr_regs == PMU_MODEL_MAX_REGS))
		return;
	m->regs[m->nr_regs] = (struct pmu_model_reg) {
		.msr = msr, .kind = kind, .index = index,
	};
	*slot = m->nr_regs++;
}

/**
 * pmu_model_status_bit() - find the bit of a counter in the global registers
 * @counter:	number of the counter
 *
 * Context: any.
 * Return: a mask with one bit, SDM vol. 3 20.2.2.
 */
u64 pmu_model_status_bit(unsigned int counter)
{
	return is_fixed(counter) ?
	       BIT_ULL(32 + counter - PMU_MODEL_FIXED_BASE) : BIT_ULL(counter);
}

static u64 fixed_field(const struct pmu_model_state *s, unsigned int i)
{
	return s->fixed_ctrl >> ((i - PMU_MODEL_FIXED_BASE) * PMU_FIXED_BITS);
}

/* Does an overflow of the counter write a record? */
static bool counter_records(const struct pmu_model *m, const struct pmu_model_state *s,
			    unsigned int i)
{
	return m->pebs && (pmu_model_pebs_counters(m, &s->pebs) & BIT(i));
}

/* Must an overflow of the counter be signalled? */
static bool counter_armed(const struct pmu_model *m, const struct pmu_model_state *s,
			  unsigned int i)
{
	if (counter_records(m, s, i))
		return true;
	if (is_fixed(i))
		return fixed_field(s, i) & PMU_FIXED_PMI;
	return s->select[i] & PMU_SEL_INT;
}

static bool mode_selected(const struct pmu_model *m,
			  const struct pmu_model_state *s, bool usr, bool os)
{
	if (!m->filter)
		return usr || os;
	return s->user ? usr : os;
}

/* The counters that the global registers let count, as a mask of numbers. */
static u32 allowed_counters(const struct pmu_model *m,
			    const struct pmu_model_state *s)
{
	if (!m->has_global)
		return BIT(m->gp) - 1;
	if (s->status & PMU_STATUS_FROZEN)
		return 0;
	return (u32)(s->global_ctrl & (BIT(PMU_MODEL_MAX_GP) - 1)) |
	       (u32)(s->global_ctrl >> 32) << PMU_MODEL_FIXED_BASE;
}

/* Does the counter's own register enable it? */
static bool counter_selected(const struct pmu_model *m,
			     const struct pmu_model_state *s, unsigned int i)
{
	if (is_fixed(i))
		return mode_selected(m, s, fixed_field(s, i) & PMU_FIXED_USR,
				     fixed_field(s, i) & PMU_FIXED_OS);
	if (!(s->select[m->one_enable ? 0 : i] & PMU_SEL_EN))
		return false;
	return mode_selected(m, s, s->select[i] & PMU_SEL_USR,
			     s->select[i] & PMU_SEL_OS);
}

static void note_overflow(const struct pmu_model *m, struct pmu_model_state *s,
			  unsigned int i, u64 now)
{
	/* A record takes the place of the status bit. */
	if (m->has_global && !counter_records(m, s, i))
		s->status |= pmu_model_status_bit(i);
	if (!counter_armed(m, s, i))
		return;
	if (m->lbr && pmu_model_lbr_waits(m, &s->lbr, i))
		pmu_model_lbr_begin(m, s, now);
	else
		s->pending |= BIT(i);
}

static void settle(const struct pmu_model *m, struct pmu_model_state *s,
		   unsigned int i, u64 now)
{
	if (!(s->running & BIT(i)))
		return;
	if (pmu_model_counter_settle(&s->counter[i], m->width_mask, now))
		note_overflow(m, s, i, now);
}

static void settle_all(const struct pmu_model *m, struct pmu_model_state *s,
		       u64 now)
{
	unsigned int i;

	for_each_counter(i, s->running)
		settle(m, s, i, now);
}

/* BRS: a delayed overflow interrupts when all its branches are recorded. */
static void settle_branches(const struct pmu_model *m, struct pmu_model_state *s, u64 now)
{
	bool waited = s->lbr.wanted;
	unsigned int i;

	pmu_model_lbr_settle(m, &s->lbr, now);
	if (!waited || s->lbr.wanted)
		return;
	s->lbr.running = false;
	for (i = 0; i < m->gp; i++)
		if (pmu_model_lbr_waits(m, &s->lbr, i))
			s->pending |= BIT(i);
}

/**
 * pmu_model_state_settle_units() - bring the units beside the counters up to
 * date
 * @m:		the model
 * @s:		the CPU's state
 * @now:	model clock
 *
 * Registers of these units can be read and written only afterwards.
 *
 * Context: any.
 */
void pmu_model_state_settle_units(const struct pmu_model *m,
				  struct pmu_model_state *s, u64 now)
{
	if (m->lbr_type)
		settle_branches(m, s, now);
	if (m->ibs_caps)
		pmu_model_ibs_settle(m, &s->ibs, s->ip, now);
}

/* Start and stop settled counters by the current registers. */
static void restart(const struct pmu_model *m, struct pmu_model_state *s,
		    u32 counters, u64 now)
{
	u32 running = s->running & ~counters;
	unsigned int i;

	for_each_counter(i, counters & allowed_counters(m, s)) {
		if (!counter_selected(m, s, i))
			continue;
		running |= BIT(i);
		if (!(s->running & BIT(i)))
			s->counter[i].stamp = now;
	}
	s->running = running;
}

static void restart_all(const struct pmu_model *m, struct pmu_model_state *s,
			u64 now)
{
	restart(m, s, BIT(PMU_MODEL_NR_COUNTERS) - 1, now);
}

/* The bits that select the event. */
static u64 selection_of(const struct pmu_model *m, u64 select)
{
	u64 switches = PMU_SEL_SWITCHES;

	switches |= m->vendor == PMU_MODEL_AMD ? PMU_SEL_GUEST_HOST : PMU_SEL_ADAPTIVE;
	return select & ~switches;
}

/* Can the counter count the event? Only a strict PMU distinguishes. */
static bool can_count(const struct pmu_model *m, const struct pmu_model_state *s,
		      unsigned int i, u64 select)
{
	u32 code = FIELD_GET(PMU_SEL_EVENT, select);
	u32 umask = pmu_model_select_umask(m->vendor, select);

	if (!m->constraints)
		return true;
	if (m->vendor == PMU_MODEL_AMD)
		code |= FIELD_GET(PMU_SEL_EVENT_HI, select) << 8;
	return pmu_model_constraint(m->constraints, code, umask, s->core) & BIT(i);
}

static u32 select_rate(const struct pmu_model *m,
		       const struct pmu_model_state *s, unsigned int i, u64 select)
{
	bool second = (select & (PMU_SEL_EVENT | PMU_SEL_UMASK)) == OFFCORE_1;

	if (!can_count(m, s, i, select))
		return 0;
	return pmu_model_select_rate(m->vendor, select, s->plain[second]);
}

static void load_rates(const struct pmu_model *m, struct pmu_model_state *s)
{
	unsigned int i;

	for (i = 0; i < m->gp; i++)
		s->counter[i].rate = select_rate(m, s, i, s->select[i]);
	for (i = 0; i < m->fixed; i++)
		s->counter[PMU_MODEL_FIXED_BASE + i].rate = pmu_model_fixed_rate(i);
}

/**
 * pmu_model_state_reset() - set the registers to their values after power-up
 * @m:		the model
 * @s:		the state to initialise
 *
 * All are zero except for the global control register, which enables the
 * general counters (SDM vol. 3 table 10-1; AMD does the same).
 *
 * Context: any.
 */
void pmu_model_state_reset(const struct pmu_model *m, struct pmu_model_state *s)
{
	memset(s, 0, m->state_size);
	if (m->has_global)
		s->global_ctrl = BIT_ULL(m->gp) - 1;
	if (m->lbr_type)
		pmu_model_lbr_reset(m, &s->lbr);
	load_rates(m, s);
}

static u64 read_counter(const struct pmu_model *m,
			const struct pmu_model_state *s, unsigned int i, u64 now)
{
	bool wrapped;

	if (!(s->running & BIT(i)))
		return s->counter[i].value;
	return pmu_model_counter_peek(&s->counter[i], m->width_mask, now, &wrapped);
}

static u64 read_status(const struct pmu_model *m,
		       const struct pmu_model_state *s, u64 now)
{
	u64 status = s->status;
	bool wrapped;
	unsigned int i;

	for_each_counter(i, s->running) {
		pmu_model_counter_peek(&s->counter[i], m->width_mask, now,
				       &wrapped);
		if (wrapped && !counter_records(m, s, i))
			status |= pmu_model_status_bit(i);
	}
	return status;
}

/* A counter is in use if its register selects an event, counting or not. */
static u64 read_inuse(const struct pmu_model *m, const struct pmu_model_state *s)
{
	u64 inuse = 0, pmi = 0;
	unsigned int i;

	for (i = 0; i < m->gp; i++) {
		if (s->select[i] & PMU_SEL_EVENT)
			inuse |= pmu_model_status_bit(i);
		if (s->select[i] & PMU_SEL_INT)
			pmi = BIT_ULL(63);
	}
	for (i = PMU_MODEL_FIXED_BASE; i < PMU_MODEL_FIXED_BASE + m->fixed; i++) {
		if (fixed_field(s, i) & (PMU_FIXED_OS | PMU_FIXED_USR))
			inuse |= pmu_model_status_bit(i);
		if (fixed_field(s, i) & PMU_FIXED_PMI)
			pmi = BIT_ULL(63);
	}
	return inuse | pmi;
}

/* Registers of units beside the counters. */
static int read_unit(const struct pmu_model *m, const struct pmu_model_state *s,
		     const struct pmu_model_reg *reg, u64 now, u64 *val)
{
	switch (reg->kind) {
	case PMU_REG_PEBS_ENABLE ... PMU_REG_FRONTEND:
		*val = s->pebs.regs[reg->kind - PMU_REG_PEBS_ENABLE];
		return 0;
	case PMU_REG_IBS_FETCH:
	case PMU_REG_IBS_OP:
		*val = pmu_model_ibs_read(m, &s->ibs, reg, now);
		return 0;
	case PMU_REG_IBS_LVT:
		*val = PMU_IBS_LVT_VALID | PMU_IBS_LVT_OFFSET;
		return 0;
	case PMU_REG_LBR_FROM ... PMU_REG_DEBUG_EXTENSION:
		return pmu_model_lbr_read(m, &s->lbr, reg, val);
	}
	return -EIO;
}

static u64 all_metrics(const struct pmu_model *m)
{
	return GENMASK_ULL(8 * m->metrics - 1, 0);
}

/* Metrics are shares of the slots since both registers were written. */
static u64 read_metrics(const struct pmu_model *m, const struct pmu_model_state *s, u64 now)
{
	if (s->metered && read_counter(m, s, PMU_MODEL_FIXED_BASE + 3, now))
		return PMU_MODEL_METRICS & all_metrics(m);
	return s->metrics;
}

/**
 * pmu_model_reg_read() - read a register
 * @m:		the model
 * @s:		the CPU's state; is not changed
 * @reg:	the register
 * @now:	model clock
 * @val:	set to the value, 0 on error
 *
 * Context: any.
 * Return: 0, or -EIO where hardware raises #GP.
 */
int pmu_model_reg_read(const struct pmu_model *m, const struct pmu_model_state *s,
		       const struct pmu_model_reg *reg, u64 now, u64 *val)
{
	*val = 0;
	switch (reg->kind) {
	case PMU_REG_SELECT:
		*val = s->select[reg->index];
		return 0;
	case PMU_REG_COUNTER:
	case PMU_REG_FULL:
		*val = read_counter(m, s, reg->index, now);
		return 0;
	case PMU_REG_FIXED:
		*val = read_counter(m, s, PMU_MODEL_FIXED_BASE + reg->index, now);
		return 0;
	case PMU_REG_FIXED_CTRL:
		*val = s->fixed_ctrl;
		return 0;
	case PMU_REG_GLOBAL_CTRL:
		*val = s->global_ctrl;
		return 0;
	case PMU_REG_STATUS:
		*val = read_status(m, s, now);
		return 0;
	case PMU_REG_STATUS_CLEAR:
	case PMU_REG_STATUS_SET:
		return 0;
	case PMU_REG_INUSE:
		*val = read_inuse(m, s);
		return 0;
	case PMU_REG_CAPS:
		*val = m->caps;
		return 0;
	case PMU_REG_DEBUGCTL:
		*val = s->debugctl;
		return 0;
	case PMU_REG_PLAIN:
		*val = s->plain[reg->index];
		return 0;
	case PMU_REG_METRICS:
		*val = read_metrics(m, s, now);
		return 0;
	}
	return read_unit(m, s, reg, now, val);
}

static int write_select(const struct pmu_model *m, struct pmu_model_state *s,
			unsigned int i, u64 now, u64 val)
{
	u64 valid = m->select_mask;

	if (m->one_enable && i)
		valid &= ~PMU_SEL_EN;
	if (val & ~valid)
		return -EIO;
	settle(m, s, i, now);
	if (m->one_enable)
		settle_all(m, s, now);
	if (selection_of(m, val) != selection_of(m, s->select[i]))
		s->counter[i].rate = select_rate(m, s, i, val);
	s->select[i] = val;
	if (!counter_armed(m, s, i) || !(m->one_enable || (val & PMU_SEL_EN)))
		s->pending &= ~BIT(i);
	if (m->one_enable)
		restart_all(m, s, now);
	else
		restart(m, s, BIT(i), now);
	return 0;
}

static int write_counter(const struct pmu_model *m, struct pmu_model_state *s,
			 unsigned int i, u64 now, u64 val)
{
	settle(m, s, i, now);
	s->counter[i].value = val & m->width_mask;
	s->counter[i].frac = 0;
	s->counter[i].stamp = now;
	s->pending &= ~BIT(i);
	return 0;
}

static int write_full(const struct pmu_model *m, struct pmu_model_state *s,
		      unsigned int i, u64 now, u64 val)
{
	if (val & ~m->width_mask)
		return -EIO;
	return write_counter(m, s, i, now, val);
}

static int write_fixed_ctrl(const struct pmu_model *m, struct pmu_model_state *s,
			    u64 now, u64 val)
{
	unsigned int i;

	if (val & ~m->fixed_ctrl_mask)
		return -EIO;
	settle_all(m, s, now);
	s->fixed_ctrl = val;
	for_each_counter(i, s->pending)
		if (!counter_armed(m, s, i))
			s->pending &= ~BIT(i);
	restart_all(m, s, now);
	return 0;
}

static int write_global_ctrl(const struct pmu_model *m, struct pmu_model_state *s,
			     u64 now, u64 val)
{
	if (val & ~m->global_mask)
		return -EIO;
	settle_all(m, s, now);
	s->global_ctrl = val;
	if (val & PMU_GLOBAL_METRICS)
		s->metered = true;
	restart_all(m, s, now);
	return 0;
}

/* Units are up to date whenever a register is written. */
static void restart_units(const struct pmu_model *m, struct pmu_model_state *s, u64 now)
{
	if (m->lbr_type)
		pmu_model_lbr_restart(m, s, now);
}

/*
 * If software acknowledges an overflow before the interrupt is sent, the
 * interrupt is dropped. That does not happen on hardware; here QEMU's timers
 * are late, and so is the interrupt.
 */
static int write_status(const struct pmu_model *m, struct pmu_model_state *s,
			u64 now, u64 clear, u64 set)
{
	unsigned int i;

	if ((clear & ~m->status_clear_mask) || (set & ~m->status_set_mask))
		return -EIO;
	settle_all(m, s, now);
	s->status = (s->status & ~clear) | set;
	for_each_counter(i, s->pending)
		if (clear & pmu_model_status_bit(i))
			s->pending &= ~BIT(i);
	restart_all(m, s, now);
	restart_units(m, s, now);
	return 0;
}

static int write_plain(const struct pmu_model *m, struct pmu_model_state *s,
		       unsigned int index, u64 now, u64 val)
{
	if (val & ~m->plain_mask[index])
		return -EIO;
	settle_all(m, s, now);
	s->plain[index] = val;
	load_rates(m, s);
	return 0;
}

static int write_metrics(const struct pmu_model *m, struct pmu_model_state *s, u64 val)
{
	if (val & ~all_metrics(m))
		return -EIO;
	s->metrics = val;
	s->metered = s->global_ctrl & PMU_GLOBAL_METRICS;
	return 0;
}

static int write_debugctl(const struct pmu_model *m, struct pmu_model_state *s,
			  u64 now, u64 val)
{
	if (val & ~m->debugctl_mask)
		return -EIO;
	s->debugctl = val;
	restart_units(m, s, now);
	return 0;
}

static int write_lbr(const struct pmu_model *m, struct pmu_model_state *s,
		     const struct pmu_model_reg *reg, u64 now, u64 val)
{
	int err = pmu_model_lbr_write(m, &s->lbr, reg, val);

	if (!err)
		restart_units(m, s, now);
	return err;
}

static int write_pebs(const struct pmu_model *m, struct pmu_model_state *s,
		      unsigned int index, u64 now, u64 val)
{
	unsigned int i;
	int err;

	settle_all(m, s, now);
	err = pmu_model_pebs_write(m, &s->pebs, index, val);
	for_each_counter(i, s->pending)
		if (!counter_armed(m, s, i))
			s->pending &= ~BIT(i);
	return err;
}

/* Registers of units beside the counters. */
static int write_unit(const struct pmu_model *m, struct pmu_model_state *s,
		      const struct pmu_model_reg *reg, u64 now, u64 val)
{
	switch (reg->kind) {
	case PMU_REG_PEBS_ENABLE ... PMU_REG_FRONTEND:
		return write_pebs(m, s, reg->kind - PMU_REG_PEBS_ENABLE, now, val);
	case PMU_REG_IBS_FETCH:
	case PMU_REG_IBS_OP:
		return pmu_model_ibs_write(m, &s->ibs, reg, now, val);
	case PMU_REG_LBR_FROM ... PMU_REG_DEBUG_EXTENSION:
		return write_lbr(m, s, reg, now, val);
	}
	return -EIO;
}

/* A legacy counter register takes 32 bits and extends the sign (SDM 20.2.8). */
static u64 legacy_value(const struct pmu_model *m, u64 val)
{
	return m->write_rule == PMU_WRITE_SIGN32 ? (u64)(s64)(s32)val : val;
}

/**
 * pmu_model_reg_write() - write a register
 * @m:		the model
 * @s:		the CPU's state; unchanged on error
 * @reg:	the register
 * @now:	model clock
 * @val:	the value
 *
 * Context: any.
 * Return: 0, or -EIO where hardware raises #GP: a register that this PMU does
 * not have or that is read-only, or a reserved bit that is set.
 */
int pmu_model_reg_write(const struct pmu_model *m, struct pmu_model_state *s,
			const struct pmu_model_reg *reg, u64 now, u64 val)
{
	switch (reg->kind) {
	case PMU_REG_SELECT:
		return write_select(m, s, reg->index, now, val);
	case PMU_REG_COUNTER:
		return write_counter(m, s, reg->index, now, legacy_value(m, val));
	case PMU_REG_FULL:
		return write_full(m, s, reg->index, now, val);
	case PMU_REG_FIXED:
		return write_full(m, s, PMU_MODEL_FIXED_BASE + reg->index, now, val);
	case PMU_REG_FIXED_CTRL:
		return write_fixed_ctrl(m, s, now, val);
	case PMU_REG_GLOBAL_CTRL:
		return write_global_ctrl(m, s, now, val);
	case PMU_REG_STATUS_CLEAR:
		return write_status(m, s, now, val, 0);
	case PMU_REG_STATUS_SET:
		return write_status(m, s, now, 0, val);
	case PMU_REG_DEBUGCTL:
		return write_debugctl(m, s, now, val);
	case PMU_REG_PLAIN:
		return write_plain(m, s, reg->index, now, val);
	case PMU_REG_METRICS:
		return write_metrics(m, s, val);
	}
	return write_unit(m, s, reg, now, val);
}

/**
 * pmu_model_state_misplaced() - check for an event the counter cannot count
 * @m:		the model
 * @s:		the CPU's state
 * @i:		number of a general counter
 *
 * Context: any.
 * Return: true if the counter is enabled and its event cannot be counted there.
 */
bool pmu_model_state_misplaced(const struct pmu_model *m,
			       const struct pmu_model_state *s, unsigned int i)
{
	return (s->select[i] & PMU_SEL_EN) && !can_count(m, s, i, s->select[i]);
}

/**
 * pmu_model_state_signalled() - find the counters that the last PMI was for
 * @m:		the model
 * @s:		the CPU's state
 *
 * Context: any.
 * Return: their bits as in the status register, bit 62 for a buffer, bit 60 for
 * a fetch and bit 61 for an op that IBS has sampled.
 */
u64 pmu_model_state_signalled(const struct pmu_model *m,
			      const struct pmu_model_state *s)
{
	u64 bits = 0;
	unsigned int i;

	if (m->ibs_caps)
		bits = (u64)s->ibs.signalled << SIGNALLED_IBS_SHIFT;
	if (s->pebs.signalled)
		bits |= PMU_STATUS_BUFFER;
	for_each_counter(i, s->signalled)
		bits |= pmu_model_status_bit(i);
	return bits;
}

/* Mixes bits, so that different sets of events have different sums. */
static u64 scatter(u64 val)
{
	val *= GOLDEN_RATIO_64;
	val ^= val >> 32;
	return val * GOLDEN_RATIO_64;
}

/**
 * pmu_model_state_selection() - identify a set of events by a number
 * @m:		the model
 * @s:		the CPU's state
 *
 * The order of the events on the general counters does not matter.
 *
 * Context: any.
 * Return: a number for the events that the general counters count now, 0 if
 * there are none.
 */
u64 pmu_model_state_selection(const struct pmu_model *m,
			      const struct pmu_model_state *s)
{
	u32 general = BIT(m->gp) - 1;
	u64 sum = 0;
	unsigned int i;

	for_each_counter(i, s->running & general)
		sum += scatter(selection_of(m, s->select[i]) + 1);
	return sum;
}

/**
 * pmu_model_rdpmc() - execute the RDPMC instruction
 * @m:		the model
 * @s:		the CPU's state; is not changed
 * @index:	counter, as the instruction encodes it in ECX
 * @now:	model clock
 * @val:	set to the count, 0 on error
 *
 * Context: any.
 * Return: 0, or -EIO where hardware raises #GP.
 */
int pmu_model_rdpmc(const struct pmu_model *m, const struct pmu_model_state *s,
		    u32 index, u64 now, u64 *val)
{
	*val = 0;
	if (m->metrics && index == RDPMC_METRICS) {
		*val = read_metrics(m, s, now);
		return 0;
	}
	if (m->vendor != PMU_MODEL_AMD && (index & RDPMC_FIXED)) {
		index &= ~RDPMC_FIXED;
		if (index >= m->fixed)
			return -EIO;
		index += PMU_MODEL_FIXED_BASE;
	} else if (index >= m->gp) {
		return -EIO;
	}
	*val = read_counter(m, s, index, now);
	return 0;
}

/**
 * pmu_model_state_count_rdpmc() - count an RDPMC of a program
 * @m:		the model
 * @s:		the state
 * @now:	model clock
 *
 * Adds one to each counter that counts this event in user mode. The CPU is in
 * the kernel by now, where the instruction was emulated.
 *
 * Context: any.
 */
void pmu_model_state_count_rdpmc(const struct pmu_model *m,
				 struct pmu_model_state *s, u64 now)
{
	u32 general = BIT(m->gp) - 1;
	unsigned int i;

	for_each_counter(i, allowed_counters(m, s) & general) {
		if (selection_of(m, s->select[i]) != PMU_MODEL_USER_RDPMC ||
		    !(s->select[i] & PMU_SEL_EN) ||
		    !(s->select[i] & PMU_SEL_USR) ||
		    !can_count(m, s, i, s->select[i]))
			continue;
		s->counter[i].value = (s->counter[i].value + 1) & m->width_mask;
		if (!s->counter[i].value)
			note_overflow(m, s, i, now);
	}
}

/**
 * pmu_model_state_set_mode() - change between user and kernel mode
 * @m:		the model
 * @s:		the CPU's state
 * @now:	model clock
 * @user:	true if the CPU executes user code from now on
 *
 * Context: any.
 */
void pmu_model_state_set_mode(const struct pmu_model *m,
			      struct pmu_model_state *s, u64 now, bool user)
{
	if (s->user == user)
		return;
	settle_all(m, s, now);
	s->user = user;
	restart_all(m, s, now);
}

/**
 * pmu_model_state_reload_rates() - let counters run at the rates of the table
 * @m:		the model
 * @s:		the CPU's state
 * @now:	model clock; until this time the old rates apply
 *
 * Context: any.
 */
void pmu_model_state_reload_rates(const struct pmu_model *m,
				  struct pmu_model_state *s, u64 now)
{
	settle_all(m, s, now);
	load_rates(m, s);
}

static void freeze(const struct pmu_model *m, struct pmu_model_state *s, u64 now)
{
	if (m->has_sticky_freeze)
		s->status |= PMU_STATUS_FROZEN;
	else
		s->global_ctrl = 0;
	restart_all(m, s, now);
}

/**
 * pmu_model_state_take_records() - write the records of counters that
 * overflowed
 * @m:		the model
 * @s:		the CPU's state
 * @now:	model clock
 * @moment:	what is interrupted
 *
 * Context: any.
 * Return: true if there were any; pmu_model_state_take_pmi() tells whether one
 * interrupts.
 */
bool pmu_model_state_take_records(const struct pmu_model *m,
				  struct pmu_model_state *s, u64 now,
				  const struct pmu_model_moment *moment)
{
	u32 records;
	unsigned int i;

	if (!m->pebs)
		return false;
	settle_all(m, s, now);
	pmu_model_state_settle_units(m, s, now);
	records = s->pending & pmu_model_pebs_counters(m, &s->pebs);
	s->pending &= ~records;
	for_each_counter(i, records)
		pmu_model_pebs_record(m, s, i, moment);
	return records;
}

/* Signal the samples of IBS, unless the APIC's entry is masked. */
static bool take_ibs(const struct pmu_model *m, struct pmu_model_state *s, bool masked)
{
	if (!m->ibs_caps)
		return false;
	s->ibs.signalled = s->ibs.pending;
	s->ibs.pending = 0;
	return s->ibs.signalled && !masked;
}

/* No counter has overflowed: was there a sample whose interrupt is lost? */
static enum pmu_model_shot_event none_signalled(const struct pmu_model *m,
						const struct pmu_model_state *s)
{
	return m->ibs_caps && s->ibs.signalled ? PMU_SHOT_MASKED : PMU_SHOT_EARLY;
}

/**
 * pmu_model_state_take_pmi() - signal pending overflows
 * @m:		the model
 * @s:		the CPU's state
 * @now:	model clock
 * @masked:	mask of the local APIC's entries that are masked,
 *		PMU_MASKED_LVTPC and PMU_MASKED_IBS: their interrupt is lost
 *
 * The counters stop if the debug control register says so, SDM vol. 3 18.4.7
 * and 20.2.4: by a status bit, or before version 4 by the global control
 * register.
 *
 * Context: any.
 * Return: PMU_SHOT_DELIVERED, PMU_SHOT_MASKED, or PMU_SHOT_EARLY if there is
 * nothing to signal.
 */
enum pmu_model_shot_event pmu_model_state_take_pmi(const struct pmu_model *m,
						   struct pmu_model_state *s,
						   u64 now, unsigned int masked)
{
	bool by_ibs;

	settle_all(m, s, now);
	pmu_model_state_settle_units(m, s, now);
	by_ibs = take_ibs(m, s, masked & PMU_MASKED_IBS);
	s->signalled = s->pending;
	s->pending = 0;
	s->pebs.signalled = s->pebs.full;
	s->pebs.full = false;
	if (!s->signalled && !s->pebs.signalled)
		return by_ibs ? PMU_SHOT_DELIVERED : none_signalled(m, s);
	if (masked & PMU_MASKED_LVTPC)
		return by_ibs ? PMU_SHOT_DELIVERED : PMU_SHOT_MASKED;
	if (m->lbr_type)
		pmu_model_lbr_freeze(m, s, now);
	if (m->has_global && (s->debugctl & PMU_DEBUGCTL_FREEZE))
		freeze(m, s, now);
	return PMU_SHOT_DELIVERED;
}

/**
 * pmu_model_state_deadline() - compute the time of the next overflow to signal
 * @m:		the model
 * @s:		the CPU's state
 * @now:	model clock
 *
 * Context: any.
 * Return: ticks from @now, 0 if an overflow waits to be signalled,
 * PMU_MODEL_NEVER if none will come.
 */
u64 pmu_model_state_deadline(const struct pmu_model *m,
			     const struct pmu_model_state *s, u64 now)
{
	u64 next = PMU_MODEL_NEVER;
	unsigned int i;

	if (s->pending || s->pebs.full)
		return 0;
	if (m->ibs_caps)
		next = pmu_model_ibs_due(m, &s->ibs, now);
	if (m->lbr_type)
		next = min(next, pmu_model_lbr_due(m, &s->lbr, now));
	for_each_counter(i, s->running)
		if (counter_armed(m, s, i))
			next = min(next, pmu_model_counter_due(&s->counter[i],
							       m->width_mask, now));
	return next;
}
