// SPDX-License-Identifier: GPL-2.0
/*
 * Room "amd/lbr_decode": registers of branches, and their filter.
 *
 * Purpose: translate the registers of AMD's last branches (LbrExtV2) to
 * branches of a sample, and what a program asks for to the filter of the
 * hardware.
 *
 * Facts: APM vol. 2 13.1.1.9; PPR for family 19h model 11h, MSRC000_010E,
 * MSRC001_0300; Revision Guide for family 19h models 10h to 1Fh, erratum 1452.
 *
 * Owns: constant data.
 *
 * Contexts: any. The room is pure, and also runs in user space
 * (./perflab check x86).
 *
 * Locking: none.
 */
#include <linux/bits.h>
#ifdef __KERNEL__
#include <linux/bitops.h>
#endif
#include <linux/errno.h>
#include <linux/string.h>
#include <uapi/linux/perf_event.h>
#include "lbr_decode.h"

#define FROM_MISPREDICTED	BIT_ULL(63)
#define TO_RESERVED		BIT_ULL(61)
#define TO_SPECULATIVE		BIT_ULL(62)
#define TO_VALID		BIT_ULL(63)

/* A bit of LBR_SELECT leaves out branches of a level or of a kind. */
#define SELECT_KERNEL		BIT_ULL(0)
#define SELECT_USER		BIT_ULL(1)
#define SELECT_COND		BIT_ULL(2)
#define SELECT_CALL		BIT_ULL(3)
#define SELECT_IND_CALL		BIT_ULL(4)
#define SELECT_RETURN		BIT_ULL(5)
#define SELECT_IND_JUMP		BIT_ULL(6)
#define SELECT_JUMP		BIT_ULL(7)
#define SELECT_FAR		BIT_ULL(8)
#define SELECT_KINDS		GENMASK_ULL(8, 2)
#define SELECT_ALL		GENMASK_ULL(8, 0)

static const struct {
	u64	asked;
	u64	passes;
} passes[] = {
	{ PERF_SAMPLE_BRANCH_USER,		SELECT_USER },
	{ PERF_SAMPLE_BRANCH_KERNEL,		SELECT_KERNEL },
	{ PERF_SAMPLE_BRANCH_ANY,		SELECT_KINDS },
	{ PERF_SAMPLE_BRANCH_ANY_CALL,		SELECT_CALL | SELECT_IND_CALL | SELECT_FAR },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN,	SELECT_RETURN | SELECT_FAR },
	{ PERF_SAMPLE_BRANCH_IND_CALL,		SELECT_IND_CALL },
	{ PERF_SAMPLE_BRANCH_COND,		SELECT_COND },
	{ PERF_SAMPLE_BRANCH_IND_JUMP,		SELECT_IND_JUMP },
	{ PERF_SAMPLE_BRANCH_CALL,		SELECT_CALL },
};

/*
 * The hardware knows neither transactions nor call stacks. To leave out flags
 * or cycles would save nothing.
 */
#define NEVER	(PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_IN_TX | \
		 PERF_SAMPLE_BRANCH_NO_TX | PERF_SAMPLE_BRANCH_CALL_STACK | \
		 PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES)

/**
 * amd_lbr_decode_select() - find the filter of the hardware
 * @asked: PERF_SAMPLE_BRANCH_* of an event
 * @select: gets the value of LBR_SELECT
 *
 * Context: any.
 * Return: 0, or -EOPNOTSUPP for what the hardware cannot do.
 */
int amd_lbr_decode_select(u64 asked, u64 *select)
{
	unsigned int i;

	if (asked & NEVER)
		return -EOPNOTSUPP;
	*select = SELECT_ALL;
	for (i = 0; i < ARRAY_SIZE(passes); i++) {
		if (asked & passes[i].asked)
			*select &= ~passes[i].passes;
	}
	return 0;
}

/* By the bits for valid and speculative: without both there is no branch. */
static const u8 speculation[4] = {
	[1] = PERF_BR_SPEC_WRONG_PATH,
	[2] = PERF_BR_NON_SPEC_CORRECT_PATH,
	[3] = PERF_BR_SPEC_CORRECT_PATH,
};

/* The bits above the address are flags. */
static u64 address_of(u64 word, unsigned int bits)
{
	u64 sign = BIT_ULL(bits - 1);

	word &= GENMASK_ULL(bits - 1, 0);
	return (word ^ sign) - sign;
}

/* Erratum 1452: if the reserved bit is set, the branch is wrong. */
static bool is_branch(u64 to)
{
	return to & (TO_VALID | TO_SPECULATIVE) && !(to & TO_RESERVED);
}

/**
 * amd_lbr_decode() - translate registers to branches
 * @raw: registers, those of the youngest branch first
 * @nr: how many branches
 * @address_bits: bits of a linear address, at most 58
 * @entries: gets the branches, the youngest first
 *
 * Context: any.
 * Return: number of @entries; registers without a branch are left out.
 */
unsigned int amd_lbr_decode(const struct amd_lbr_raw *raw, unsigned int nr,
			    unsigned int address_bits, struct perf_branch_entry *entries)
{
	unsigned int i, found = 0;
	struct perf_branch_entry *e;

	for (i = 0; i < nr; i++) {
		if (!is_branch(raw[i].to))
			continue;
		e = &entries[found++];
		memset(e, 0, sizeof(*e));
		e->from = address_of(raw[i].from, address_bits);
		e->to = address_of(raw[i].to, address_bits);
		e->mispred = !!(raw[i].from & FROM_MISPREDICTED);
		e->predicted = !e->mispred;
		e->spec = speculation[raw[i].to >> 62];
	}
	return found;
}
