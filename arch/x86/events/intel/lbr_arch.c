// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/lbr_arch": the architectural recorder of last branches.
 *
 * Purpose: describe the recorder by CPUID leaf 0x1c, SDM vol. 3 19.1.
 *
 * Owns: nothing.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <asm/msr-index.h>
#include "lbr_arch.h"

/*
 * EAX: bit n says that 8 * (n + 1) branches can be recorded. No more than 32
 * are used.
 */
#define LEAF_DEPTHS		GENMASK(3, 0)
#define LEAF_CLEARED_IN_SLEEP	BIT(30)

/* EBX. */
#define LEAF_BY_LEVEL		BIT(0)
#define LEAF_BY_KIND		BIT(1)
#define LEAF_CALL_STACK		BIT(2)

/* ECX. */
#define LEAF_MISPREDICTED	BIT(0)
#define LEAF_CYCLES		BIT(1)
#define LEAF_TYPE		BIT(2)
#define LEAF_COUNTERS		GENMASK(19, 16)

#define DEPTH_STEP		8

/**
 * intel_lbr_arch_describe() - describe the recorder
 * @lbr: is filled in; its depth is 0 if there is none
 * @leaf: what CPUID says
 *
 * A call stack needs the filter by level and the filter by kind.
 *
 * Context: any.
 */
void intel_lbr_arch_describe(struct intel_lbr *lbr, const struct intel_lbr_leaf *leaf)
{
	unsigned int depth = fls(leaf->eax & LEAF_DEPTHS) * DEPTH_STEP;

	*lbr = (struct intel_lbr) {
		.depth		= depth,
		.arch		= true,
		.from		= MSR_ARCH_LBR_FROM_0,
		.to		= MSR_ARCH_LBR_TO_0,
		.info		= MSR_ARCH_LBR_INFO_0,
		.by_level	= leaf->ebx & LEAF_BY_LEVEL,
		.by_kind	= leaf->ebx & LEAF_BY_KIND,
		.pt		= true,
		.forgetful	= leaf->eax & LEAF_CLEARED_IN_SLEEP,
		.counters	= FIELD_GET(LEAF_COUNTERS, leaf->ecx),
		.layout		= {
			.info		= true,
			.mispredicted	= leaf->ecx & LEAF_MISPREDICTED,
			.tsx		= true,
			.cycles		= leaf->ecx & LEAF_CYCLES,
			.valid_bit	= true,
			.type		= leaf->ecx & LEAF_TYPE,
		},
	};
	lbr->call_stack = lbr->by_level && lbr->by_kind && leaf->ebx & LEAF_CALL_STACK;
}
