// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: records of the last branches, of Intel and AMD
 *
 * Owns the registers of the records and their reserved bits. The branches come
 * from a script (branch_script.c), at the rate of the event for branches. When
 * the records of a CPU are read or stopped, the branches since the last time
 * are added to them. Sources: SDM vol. 3 18.4.8 to 18.13 and 19 "Last branch
 * records", vol. 4 table 2-2; APM vol. 2 13.1.1, PPR of family 19h model 11h,
 * MSRC001_0300 to 031F, MSRC000_010E, 010F; PPR of family 19h model 01h,
 * MSRC000_010F, for BRS.
 *
 * Contexts: any. The state is the caller's own while a function runs.
 *
 * Locking: none.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "pmu_model.h"

#define MSR_SELECT		0x1c8
#define MSR_TOS			0x1c9
#define MSR_OLD_FROM		0x40
#define MSR_OLD_TO		0x60
#define MSR_FROM		0x680
#define MSR_TO			0x6c0
#define MSR_INFO		0xdc0
#define MSR_ARCH_CTL		0x14ce
#define MSR_ARCH_DEPTH		0x14cf
#define MSR_ARCH_FROM		0x1500
#define MSR_ARCH_TO		0x1600
#define MSR_ARCH_INFO		0x1200
#define MSR_AMD_RECORDS		0xc0010300
#define MSR_AMD_SELECT		0xc000010e
#define MSR_AMD_EXTENSION	0xc000010f

/* CPUs with that many entries or fewer have them at the old addresses. */
#define OLD_ENTRIES		8

/* The filter: a set bit leaves branches out. Bits 2-8 are kinds. */
#define SELECT_NOT_KERNEL	BIT_ULL(0)
#define SELECT_NOT_USER		BIT_ULL(1)
#define SELECT_KINDS_SHIFT	2
#define SELECT_FILTER		GENMASK_ULL(8, 0)
#define SELECT_CALL_STACK	BIT_ULL(9)

/* The architectural control register: a set bit lets branches in. */
#define CTL_ENABLE		BIT_ULL(0)
#define CTL_KERNEL		BIT_ULL(1)
#define CTL_USER		BIT_ULL(2)
#define CTL_CALL_STACK		BIT_ULL(3)
#define CTL_MASK		(GENMASK_ULL(22, 16) | GENMASK_ULL(3, 0))

/* AMD's debug extension: LBRV2EN. */
#define EXTENSION_ENABLE	BIT_ULL(6)

/*
 * The same register with BRS: on, two reserved bits, full, next entry, counter.
 */
#define SAMPLING_ENABLE		BIT_ULL(2)
#define SAMPLING_RESERVED	GENMASK_ULL(4, 3)
#define SAMPLING_VALID		BIT_ULL(5)
#define SAMPLING_NEXT		GENMASK_ULL(19, 16)
#define SAMPLING_COUNTER	GENMASK_ULL(26, 24)
#define SAMPLING_MASK		(GENMASK_ULL(5, 2) | SAMPLING_NEXT | SAMPLING_COUNTER)

#define MISPREDICTED		BIT_ULL(63)
#define INFO_CYCLES		GENMASK_ULL(15, 0)
#define INFO_MASK		(GENMASK_ULL(63, 61) | INFO_CYCLES)
#define ARCH_INFO_CYCLES_VALID	BIT_ULL(60)
#define ARCH_INFO_TYPE		GENMASK_ULL(59, 56)
#define ARCH_INFO_MASK		(GENMASK_ULL(63, 56) | INFO_CYCLES)
#define TIME_ADDRESS		GENMASK_ULL(47, 0)
#define TIME_CYCLES_SHIFT	48

#define AMD_ADDRESS		GENMASK_ULL(57, 0)
#define AMD_VALID		BIT_ULL(63)
#define AMD_FROM_MASK		(AMD_ADDRESS | MISPREDICTED)
#define AMD_TO_MASK		(AMD_ADDRESS | GENMASK_ULL(63, 62))

/* Older branches than these cannot be in the records. */
#define MAX_REPLAY		256
#define COUNT_MASK		GENMASK_ULL(47, 0)

#define EVENT_BRANCHES_INTEL	0xc4
#define EVENT_BRANCHES_AMD	0xc2

/*
 * Bit of a kind in the architectural control register; the type of a kind in
 * the third register.
 */
static const u8 arch_bits[PMU_BRANCH_NR_KINDS] = {
	[PMU_BRANCH_COND] = 16, [PMU_BRANCH_JUMP] = 17, [PMU_BRANCH_IJUMP] = 18,
	[PMU_BRANCH_CALL] = 19, [PMU_BRANCH_ICALL] = 20, [PMU_BRANCH_RETURN] = 21,
	[PMU_BRANCH_FAR] = 22,
};

static const u8 arch_types[PMU_BRANCH_NR_KINDS] = {
	[PMU_BRANCH_COND] = 0, [PMU_BRANCH_IJUMP] = 1, [PMU_BRANCH_JUMP] = 2,
	[PMU_BRANCH_ICALL] = 3, [PMU_BRANCH_CALL] = 4, [PMU_BRANCH_RETURN] = 5,
	[PMU_BRANCH_FAR] = 8,
};

static void add_entries(struct pmu_model *m, u32 from, u32 to, u32 info)
{
	unsigned int i;

	for (i = 0; i < m->lbr; i++) {
		pmu_model_add_reg(m, from + i, PMU_REG_LBR_FROM, i);
		pmu_model_add_reg(m, to + i, PMU_REG_LBR_TO, i);
		if (info)
			pmu_model_add_reg(m, info + i, PMU_REG_LBR_INFO, i);
	}
}

static void legacy_setup(struct pmu_model *m)
{
	u32 info = m->lbr_format == PMU_LBR_FMT_INFO ? MSR_INFO : 0;

	m->lbr_mask = SELECT_FILTER;
	if (m->lbr_format == PMU_LBR_FMT_FLAGS2 || m->lbr_format == PMU_LBR_FMT_INFO ||
	    m->lbr_format == PMU_LBR_FMT_TIME)
		m->lbr_mask |= SELECT_CALL_STACK;
	if (m->lbr > OLD_ENTRIES)
		add_entries(m, MSR_FROM, MSR_TO, info);
	else
		add_entries(m, MSR_OLD_FROM, MSR_OLD_TO, 0);
	pmu_model_add_reg(m, MSR_TOS, PMU_REG_LBR_TOS, 0);
	/* The four entries of Core 2 have no filter. */
	if (m->lbr >= OLD_ENTRIES)
		pmu_model_add_reg(m, MSR_SELECT, PMU_REG_LBR_SELECT, 0);
}

static void arch_setup(struct pmu_model *m)
{
	m->lbr_mask = CTL_MASK;
	add_entries(m, MSR_ARCH_FROM, MSR_ARCH_TO, MSR_ARCH_INFO);
	pmu_model_add_reg(m, MSR_ARCH_CTL, PMU_REG_LBR_CTL, 0);
	pmu_model_add_reg(m, MSR_ARCH_DEPTH, PMU_REG_LBR_DEPTH, 0);
}

static void amd_setup(struct pmu_model *m)
{
	unsigned int i;

	m->lbr_mask = SELECT_FILTER;
	m->lbr_ext_mask = m->lbr_type == PMU_LBR_AMD ? EXTENSION_ENABLE : SAMPLING_MASK;
	for (i = 0; i < m->lbr; i++) {
		pmu_model_add_reg(m, MSR_AMD_RECORDS + 2 * i, PMU_REG_LBR_FROM, i);
		pmu_model_add_reg(m, MSR_AMD_RECORDS + 2 * i + 1, PMU_REG_LBR_TO, i);
	}
	if (m->lbr_type == PMU_LBR_AMD)
		pmu_model_add_reg(m, MSR_AMD_SELECT, PMU_REG_LBR_SELECT, 0);
	pmu_model_add_reg(m, MSR_AMD_EXTENSION, PMU_REG_DEBUG_EXTENSION, 0);
}

/**
 * pmu_model_lbr_setup() - add the registers of the branch records
 * @m:		the model; type, number of entries and format are set
 *
 * Context: init.
 */
void pmu_model_lbr_setup(struct pmu_model *m)
{
	if (m->lbr_type == PMU_LBR_LEGACY)
		legacy_setup(m);
	else if (m->lbr_type == PMU_LBR_ARCH)
		arch_setup(m);
	else if (m->lbr_type != PMU_LBR_NONE)
		amd_setup(m);
}

/**
 * pmu_model_lbr_reset() - set the records to their state after power-up
 * @m:		the model
 * @lbr:	the records; all 0
 *
 * Context: any.
 */
void pmu_model_lbr_reset(const struct pmu_model *m, struct pmu_model_lbr *lbr)
{
	lbr->depth = m->lbr;
}

static bool is_enabled(const struct pmu_model *m, const struct pmu_model_state *s)
{
	if (m->has_sticky_freeze && (s->status & PMU_STATUS_LBR_FROZEN))
		return false;
	switch (m->lbr_type) {
	case PMU_LBR_LEGACY:
		return s->debugctl & PMU_DEBUGCTL_LBR;
	case PMU_LBR_ARCH:
		return s->lbr.ctl & CTL_ENABLE;
	case PMU_LBR_AMD:
		return s->lbr.ctl & EXTENSION_ENABLE;
	case PMU_LBR_SAMPLING:
		return s->lbr.wanted;
	default:
		return false;
	}
}

/**
 * pmu_model_lbr_restart() - start or stop recording, as the registers say now
 * @m:		the model
 * @s:		the CPU's state; the records are up to date
 * @now:	model clock
 *
 * Context: any.
 */
void pmu_model_lbr_restart(const struct pmu_model *m, struct pmu_model_state *s, u64 now)
{
	u64 event = m->vendor == PMU_MODEL_AMD ? EVENT_BRANCHES_AMD : EVENT_BRANCHES_INTEL;
	bool running = is_enabled(m, s);

	if (running && !s->lbr.running) {
		s->lbr.counter.stamp = now;
		s->lbr.counter.rate = pmu_model_select_rate(m->vendor, event, 0);
	}
	s->lbr.running = running;
}

/**
 * pmu_model_lbr_waits() - check whether an overflow waits for branches
 * @m:		the model
 * @lbr:	the records
 * @counter:	number of the counter that has overflowed
 *
 * Context: any.
 * Return: true if branch sampling is on for it: it interrupts 16 branches
 * later.
 */
bool pmu_model_lbr_waits(const struct pmu_model *m, const struct pmu_model_lbr *lbr,
			 unsigned int counter)
{
	return m->lbr_type == PMU_LBR_SAMPLING && (lbr->ctl & SAMPLING_ENABLE) &&
	       FIELD_GET(SAMPLING_COUNTER, lbr->ctl) == counter;
}

/**
 * pmu_model_lbr_begin() - record the branches after an overflow
 * @m:		the model
 * @s:		the CPU's state
 * @now:	model clock
 *
 * Context: any.
 */
void pmu_model_lbr_begin(const struct pmu_model *m, struct pmu_model_state *s, u64 now)
{
	s->lbr.wanted = s->lbr.depth;
	pmu_model_lbr_restart(m, s, now);
}

/**
 * pmu_model_lbr_due() - compute the time at which all branches are recorded
 * @m:		the model
 * @lbr:	the records
 * @now:	model clock
 *
 * Context: any.
 * Return: ticks from @now, PMU_MODEL_NEVER if no overflow waits for branches.
 */
u64 pmu_model_lbr_due(const struct pmu_model *m, const struct pmu_model_lbr *lbr, u64 now)
{
	struct pmu_model_counter c = lbr->counter;

	if (m->lbr_type != PMU_LBR_SAMPLING || !lbr->wanted)
		return PMU_MODEL_NEVER;
	c.value = COUNT_MASK - lbr->wanted + 1;
	return pmu_model_counter_due(&c, COUNT_MASK, now);
}

/**
 * pmu_model_lbr_freeze() - stop recording when an overflow interrupts
 * @m:		the model
 * @s:		the CPU's state; the records are up to date
 * @now:	model clock
 *
 * SDM vol. 3 18.4.7: by a status bit, or before version 4 by the enable bit.
 *
 * Context: any.
 */
void pmu_model_lbr_freeze(const struct pmu_model *m, struct pmu_model_state *s, u64 now)
{
	if (!(s->debugctl & PMU_DEBUGCTL_FREEZE_LBR))
		return;
	if (m->has_sticky_freeze)
		s->status |= PMU_STATUS_LBR_FROZEN;
	else
		s->debugctl &= ~PMU_DEBUGCTL_LBR;
	pmu_model_lbr_restart(m, s, now);
}

/* The mode in which the branch ends. */
static bool ends_in_kernel(const struct pmu_model_branch *b)
{
	return b->to >> 63;
}

static bool is_wanted(const struct pmu_model *m, const struct pmu_model_lbr *lbr,
		      const struct pmu_model_branch *b)
{
	u64 not_mode, mode;

	if (m->lbr_type == PMU_LBR_ARCH) {
		mode = ends_in_kernel(b) ? CTL_KERNEL : CTL_USER;
		return (lbr->ctl & mode) && (lbr->ctl & BIT_ULL(arch_bits[b->kind]));
	}
	not_mode = ends_in_kernel(b) ? SELECT_NOT_KERNEL : SELECT_NOT_USER;
	if (m->lbr_type == PMU_LBR_SAMPLING)
		return true;
	return !(lbr->select & (not_mode | BIT_ULL(SELECT_KINDS_SHIFT + b->kind)));
}

static bool keeps_call_stack(const struct pmu_model *m, const struct pmu_model_lbr *lbr)
{
	if (m->lbr_type == PMU_LBR_ARCH)
		return lbr->ctl & CTL_CALL_STACK;
	return lbr->select & SELECT_CALL_STACK;
}

static u64 info_of(const struct pmu_model *m, const struct pmu_model_branch *b)
{
	u64 info = b->cycles | (b->mispredicted ? MISPREDICTED : 0);

	if (m->lbr_type == PMU_LBR_ARCH)
		info |= ARCH_INFO_CYCLES_VALID |
			FIELD_PREP(ARCH_INFO_TYPE, arch_types[b->kind]);
	return info;
}

static u64 with_flag(u64 addr, unsigned int flags, bool mispredicted)
{
	addr &= GENMASK_ULL(63 - flags, 0);
	return mispredicted ? addr | MISPREDICTED : addr;
}

static u64 from_of(const struct pmu_model *m, const struct pmu_model_branch *b)
{
	if (m->lbr_type == PMU_LBR_SAMPLING)
		return b->from;
	if (m->lbr_type == PMU_LBR_AMD)
		return (b->from & AMD_ADDRESS) | (b->mispredicted ? MISPREDICTED : 0);
	switch (m->lbr_format) {
	case PMU_LBR_FMT_FLAGS:
	case PMU_LBR_FMT_TIME:
		return with_flag(b->from, 1, b->mispredicted);
	case PMU_LBR_FMT_FLAGS2:
		return with_flag(b->from, 3, b->mispredicted);
	default:
		return b->from;
	}
}

static u64 to_of(const struct pmu_model *m, const struct pmu_model_branch *b)
{
	if (m->lbr_type == PMU_LBR_AMD)
		return (b->to & AMD_ADDRESS) | AMD_VALID;
	if (m->lbr_format == PMU_LBR_FMT_TIME)
		return (b->to & TIME_ADDRESS) | (u64)b->cycles << TIME_CYCLES_SHIFT;
	return b->to;
}

/* BRS interrupts when all branches are recorded. */
static void note_sample(struct pmu_model_lbr *lbr)
{
	u64 next = (lbr->newest + 1) % lbr->depth;

	lbr->ctl &= ~SAMPLING_NEXT;
	lbr->ctl |= FIELD_PREP(SAMPLING_NEXT, next);
	if (!--lbr->wanted)
		lbr->ctl |= SAMPLING_VALID;
}

static void push(const struct pmu_model *m, struct pmu_model_lbr *lbr,
		 const struct pmu_model_branch *b)
{
	lbr->newest = (lbr->newest + 1) % lbr->depth;
	lbr->from[lbr->newest] = from_of(m, b);
	lbr->to[lbr->newest] = to_of(m, b);
	lbr->info[lbr->newest] = info_of(m, b);
	if (m->lbr_type == PMU_LBR_SAMPLING)
		note_sample(lbr);
}

static void pop(struct pmu_model_lbr *lbr)
{
	lbr->from[lbr->newest] = 0;
	lbr->to[lbr->newest] = 0;
	lbr->info[lbr->newest] = 0;
	lbr->newest = (lbr->newest + lbr->depth - 1) % lbr->depth;
}

static void record(const struct pmu_model *m, struct pmu_model_lbr *lbr,
		   const struct pmu_model_branch *b)
{
	if (!is_wanted(m, lbr, b))
		return;
	if (keeps_call_stack(m, lbr) && b->kind == PMU_BRANCH_RETURN)
		pop(lbr);
	else
		push(m, lbr, b);
}

/**
 * pmu_model_lbr_settle() - record the branches since the last time
 * @m:		the model
 * @lbr:	the records
 * @now:	model clock
 *
 * Context: any.
 */
void pmu_model_lbr_settle(const struct pmu_model *m, struct pmu_model_lbr *lbr, u64 now)
{
	u64 first = lbr->counter.value, last;
	const struct pmu_model_branch *b;

	if (!lbr->running)
		return;
	pmu_model_counter_settle(&lbr->counter, COUNT_MASK, now);
	last = lbr->counter.value;
	if (last - first > MAX_REPLAY)
		first = last - MAX_REPLAY;
	for (; first < last; first++) {
		if (m->lbr_type == PMU_LBR_SAMPLING && !lbr->wanted)
			break;
		b = pmu_model_branch_at(m->branch_script, first);
		if (b)
			record(m, lbr, b);
	}
}

/*
 * The entry of the ring that a register shows. Only the legacy kind and BRS
 * show the ring itself; the others show the newest entry first.
 */
static unsigned int entry_of(const struct pmu_model *m, const struct pmu_model_lbr *lbr,
			     unsigned int index)
{
	if (m->lbr_type == PMU_LBR_LEGACY || m->lbr_type == PMU_LBR_SAMPLING)
		return index;
	return (lbr->newest + lbr->depth - index) % lbr->depth;
}

static bool is_entry(const struct pmu_model_reg *reg)
{
	return reg->kind == PMU_REG_LBR_FROM || reg->kind == PMU_REG_LBR_TO ||
	       reg->kind == PMU_REG_LBR_INFO;
}

/**
 * pmu_model_lbr_newest() - get an entry by its age
 * @m:		the model
 * @lbr:	the records, up to date
 * @index:	0 for the newest
 * @entry:	source, target and the rest; 0 if there is no such entry
 *
 * Context: any.
 */
void pmu_model_lbr_newest(const struct pmu_model *m, const struct pmu_model_lbr *lbr,
			  unsigned int index, u64 *entry)
{
	unsigned int at;

	memset(entry, 0, 3 * sizeof(*entry));
	if (!m->lbr_type || index >= lbr->depth)
		return;
	at = (lbr->newest + lbr->depth - index) % lbr->depth;
	entry[0] = lbr->from[at];
	entry[1] = lbr->to[at];
	entry[2] = lbr->info[at];
}

/**
 * pmu_model_lbr_read() - read a register of the branch records
 * @m:		the model
 * @lbr:	the records, up to date
 * @reg:	the register
 * @val:	set to the value, unchanged on error
 *
 * Context: any.
 * Return: 0, or -EIO where hardware raises #GP: an entry that is not in use.
 */
int pmu_model_lbr_read(const struct pmu_model *m, const struct pmu_model_lbr *lbr,
		       const struct pmu_model_reg *reg, u64 *val)
{
	unsigned int entry = entry_of(m, lbr, reg->index);

	if (is_entry(reg) && reg->index >= lbr->depth)
		return -EIO;
	switch (reg->kind) {
	case PMU_REG_LBR_FROM:
		*val = lbr->from[entry];
		break;
	case PMU_REG_LBR_TO:
		*val = lbr->to[entry];
		break;
	case PMU_REG_LBR_INFO:
		*val = lbr->info[entry];
		break;
	case PMU_REG_LBR_TOS:
		*val = lbr->newest;
		break;
	case PMU_REG_LBR_SELECT:
		*val = lbr->select;
		break;
	case PMU_REG_LBR_DEPTH:
		*val = lbr->depth;
		break;
	default:
		*val = lbr->ctl;
	}
	return 0;
}

/* Bits 47 and those above, up to the flags, are equal. */
static bool is_address(u64 val, unsigned int flags)
{
	s64 high = (s64)(val << flags) >> (47 + flags);

	return !high || high == -1;
}

static bool may_write_from(const struct pmu_model *m, u64 val)
{
	if (m->lbr_format == PMU_LBR_FMT_FLAGS || m->lbr_format == PMU_LBR_FMT_TIME)
		return is_address(val, 1);
	return is_address(val, m->lbr_format == PMU_LBR_FMT_FLAGS2 ? 3 : 0);
}

static int write_entry(const struct pmu_model *m, struct pmu_model_lbr *lbr,
		       const struct pmu_model_reg *reg, u64 val)
{
	const u64 info = m->lbr_type == PMU_LBR_ARCH ? ARCH_INFO_MASK : INFO_MASK;
	unsigned int entry = entry_of(m, lbr, reg->index);

	if (reg->index >= lbr->depth)
		return -EIO;
	if (reg->kind == PMU_REG_LBR_INFO) {
		if (val & ~info)
			return -EIO;
		lbr->info[entry] = val;
	} else if (m->lbr_type == PMU_LBR_AMD) {
		if (reg->kind == PMU_REG_LBR_FROM)
			lbr->from[entry] = val & AMD_FROM_MASK;
		else
			lbr->to[entry] = val & AMD_TO_MASK;
	} else if (reg->kind == PMU_REG_LBR_FROM) {
		if (!may_write_from(m, val))
			return -EIO;
		lbr->from[entry] = val;
	} else {
		if (m->lbr_format != PMU_LBR_FMT_TIME && !is_address(val, 0))
			return -EIO;
		lbr->to[entry] = val;
	}
	return 0;
}

/* A multiple of eight; all entries are cleared, SDM vol. 3 19.1.3. */
static int write_depth(const struct pmu_model *m, struct pmu_model_lbr *lbr, u64 val)
{
	if (!val || val > m->lbr || val % 8)
		return -EIO;
	lbr->depth = val;
	lbr->newest = 0;
	memset(lbr->from, 0, sizeof(lbr->from));
	memset(lbr->to, 0, sizeof(lbr->to));
	memset(lbr->info, 0, sizeof(lbr->info));
	return 0;
}

static int write_masked(u64 *reg, u64 mask, u64 val)
{
	if (val & ~mask)
		return -EIO;
	*reg = val;
	return 0;
}

static int write_extension(const struct pmu_model *m, struct pmu_model_lbr *lbr, u64 val)
{
	int err = write_masked(&lbr->ctl, m->lbr_ext_mask, val);

	if (err || m->lbr_type != PMU_LBR_SAMPLING)
		return err;
	lbr->newest = (FIELD_GET(SAMPLING_NEXT, val) + lbr->depth - 1) % lbr->depth;
	if (!(val & SAMPLING_ENABLE))
		lbr->wanted = 0;
	return 0;
}

/**
 * pmu_model_lbr_write() - write a register of the branch records
 * @m:		the model
 * @lbr:	the records, up to date; unchanged on error
 * @reg:	the register
 * @val:	the value
 *
 * The caller restarts recording afterwards.
 *
 * Context: any.
 * Return: 0, or -EIO where hardware raises #GP.
 */
int pmu_model_lbr_write(const struct pmu_model *m, struct pmu_model_lbr *lbr,
			const struct pmu_model_reg *reg, u64 val)
{
	switch (reg->kind) {
	case PMU_REG_LBR_TOS:
		if (val >= lbr->depth)
			return -EIO;
		lbr->newest = val;
		return 0;
	case PMU_REG_LBR_SELECT:
		return write_masked(&lbr->select, m->lbr_mask, val);
	case PMU_REG_LBR_CTL:
		return write_masked(&lbr->ctl, m->lbr_mask, val);
	case PMU_REG_LBR_DEPTH:
		return write_depth(m, lbr, val);
	case PMU_REG_DEBUG_EXTENSION:
		return write_extension(m, lbr, val);
	default:
		return write_entry(m, lbr, reg, val);
	}
}
