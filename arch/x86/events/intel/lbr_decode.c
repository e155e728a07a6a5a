// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/lbr_decode": branches from what registers contain.
 *
 * Purpose: translate the registers of last branches, in each of their formats,
 * to the branches of a sample. It is pure: it reads no register.
 *
 * Owns: constant data.
 *
 * Contexts: any, including NMI.
 *
 * Locking: none.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <uapi/linux/perf_event.h>
#include "lbr_decode.h"

static const struct intel_lbr_layout layouts[INTEL_LBR_NR_FORMATS] = {
	[INTEL_LBR_32]		= { .shared = true },
	[INTEL_LBR_LIP]		= { },
	[INTEL_LBR_EIP]		= { },
	[INTEL_LBR_FLAGS]	= { .from_flags = 1, .mispredicted = true },
	[INTEL_LBR_FLAGS_TSX]	= { .from_flags = 3, .mispredicted = true, .tsx = true },
	[INTEL_LBR_INFO_TSX]	= { .info = true, .mispredicted = true, .tsx = true,
				    .cycles = true },
	[INTEL_LBR_FLAGS_TIME]	= { .from_flags = 1, .mispredicted = true,
				    .to_flags = 16, .cycles = true },
	[INTEL_LBR_INFO]	= { .info = true, .mispredicted = true, .cycles = true },
};

/**
 * intel_lbr_decode_layout() - describe a format
 * @layout: is filled in
 * @format: of IA32_PERF_CAPABILITIES
 * @tsx: the processor has transactions
 *
 * Without transactions bits 62-61 of FLAGS_TSX are 0 in what the processor
 * records, but a write takes them as part of the address.
 *
 * Context: any.
 * Return: 0, or -EINVAL for an unknown format.
 */
int intel_lbr_decode_layout(struct intel_lbr_layout *layout, unsigned int format, bool tsx)
{
	if (format >= INTEL_LBR_NR_FORMATS)
		return -EINVAL;
	*layout = layouts[format];
	if (format == INTEL_LBR_FLAGS_TSX && !tsx) {
		layout->tsx = false;
		layout->extended = true;
	}
	return 0;
}

/**
 * intel_lbr_decode_writable() - make a source that was read fit for a write
 * @layout: what the bits mean
 * @from: what the register contained
 *
 * Context: any.
 * Return: value that a write accepts.
 */
u64 intel_lbr_decode_writable(const struct intel_lbr_layout *layout, u64 from)
{
	if (!layout->extended)
		return from;
	from &= ~(INTEL_LBR_IN_TX | INTEL_LBR_ABORT);
	return from | (from & GENMASK_ULL(60, 59)) << 2;
}

/* The highest @bits bits become copies of the bit below them. */
static u64 without_top(u64 value, unsigned int bits)
{
	return (u64)((s64)(value << bits) >> bits);
}

static void decode_addresses(const struct intel_lbr_layout *layout,
			     const struct intel_lbr_raw *raw, struct perf_branch_entry *e)
{
	if (layout->shared) {
		e->from = (u32)raw->from;
		e->to = raw->from >> 32;
		return;
	}
	e->from = without_top(raw->from, layout->from_flags);
	e->to = without_top(raw->to, layout->to_flags);
}

/* What the hardware calls a branch, SDM vol. 3 table 19-2. */
static const u8 hardware_types[16] = {
	[0] = PERF_BR_COND,
	[1] = PERF_BR_IND,
	[2] = PERF_BR_UNCOND,
	[3] = PERF_BR_IND_CALL,
	[4] = PERF_BR_CALL,
	[5] = PERF_BR_RET,
};

static u16 decode_cycles(const struct intel_lbr_layout *layout, const struct intel_lbr_raw *raw)
{
	if (!layout->cycles)
		return 0;
	if (!layout->info)
		return raw->to >> 48;
	if (layout->valid_bit && !(raw->info & INTEL_LBR_CYCLES_VALID))
		return 0;
	return FIELD_GET(INTEL_LBR_CYCLES, raw->info);
}

/**
 * intel_lbr_decode_one() - translate a branch
 * @layout: what the bits mean
 * @raw: its registers
 * @e: is filled in
 *
 * Context: any.
 */
void intel_lbr_decode_one(const struct intel_lbr_layout *layout,
			  const struct intel_lbr_raw *raw, struct perf_branch_entry *e)
{
	/* The flags have the same bits in the source and the third register. */
	u64 flags = layout->info ? raw->info : raw->from;

	*e = (struct perf_branch_entry) { };
	decode_addresses(layout, raw, e);
	if (layout->mispredicted) {
		e->mispred = !!(flags & INTEL_LBR_MISPREDICTED);
		e->predicted = !e->mispred;
	}
	if (layout->tsx) {
		e->in_tx = !!(flags & INTEL_LBR_IN_TX);
		e->abort = !!(flags & INTEL_LBR_ABORT);
	}
	e->cycles = decode_cycles(layout, raw);
	if (layout->type)
		e->type = hardware_types[FIELD_GET(INTEL_LBR_TYPE, raw->info)];
}

/**
 * intel_lbr_decode() - translate the branches of a CPU
 * @layout: what the bits mean
 * @raw: registers, the youngest branch first
 * @nr: how many branches there may be; the first empty one ends them
 * @entries: gets the branches
 * @counters: gets the fields of counters, or NULL
 *
 * Context: any.
 * Return: number of branches.
 */
unsigned int intel_lbr_decode(const struct intel_lbr_layout *layout,
			      const struct intel_lbr_raw *raw, unsigned int nr,
			      struct perf_branch_entry *entries, u64 *counters)
{
	unsigned int i, out = 0;

	for (i = 0; i < nr && raw[i].from; i++) {
		intel_lbr_decode_one(layout, &raw[i], &entries[out]);
		/* The younger of two records does not have the abort flag. */
		if (layout->double_abort && entries[out].abort && out) {
			out--;
			entries[out] = entries[out + 1];
		}
		if (counters)
			counters[out] = FIELD_GET(INTEL_LBR_COUNTERS, raw[i].info);
		out++;
	}
	return out;
}

/* Bits of each count. */
#define COUNT_WIDTH	2

/**
 * intel_lbr_decode_counts() - sort the counts of a branch as a group is sorted
 * @counts: counts by number of the counter
 * @order: number of the counter of each event of the group, or
 *	INTEL_LBR_NO_COUNTER
 * @nr: how many events there are
 *
 * Context: any.
 * Return: counts by number of the event.
 */
u64 intel_lbr_decode_counts(u64 counts, const u8 *order, unsigned int nr)
{
	u64 sorted = 0, count;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (order[i] == INTEL_LBR_NO_COUNTER)
			continue;
		count = counts >> order[i] * COUNT_WIDTH & GENMASK_ULL(COUNT_WIDTH - 1, 0);
		sorted |= count << i * COUNT_WIDTH;
	}
	return sorted;
}
