/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/lbr_facts": the registers of last branches. */
#ifndef _ARCH_X86_EVENTS_INTEL_LBR_FACTS_H
#define _ARCH_X86_EVENTS_INTEL_LBR_FACTS_H

#include "lbr_decode.h"

struct x86_model;

/**
 * struct intel_lbr - the recorder of last branches
 * @depth: how many branches it records; 0 without a recorder
 * @arch: it is the architectural one
 * @from: first register of a source; those of other branches follow
 * @to: first register of a target
 * @info: first third register of a branch (flags, cycles), or 0
 * @tos: register with the number of the youngest branch; 0 if that is branch 0
 * @by_level: it can leave out branches of a privilege level
 * @by_kind: it can leave out kinds of branches
 * @with_jumps: calls and returns are recorded only if jumps are, errata AAK109
 *	and BD68
 * @call_stack: returns can remove their calls
 * @layout: what the registers contain
 * @pt: Processor Trace can run at the same time
 * @status_freeze: an interrupt freezes it by a bit of the status, until that
 *	bit is cleared
 * @forgetful: deep C-states clear the registers
 * @counters: general counters whose events it counts for each branch, as a
 *	mask; the field of a branch has four counts
 *
 * Constant after boot.
 */
struct intel_lbr {
	unsigned int		depth;
	bool			arch;
	u32			from;
	u32			to;
	u32			info;
	u32			tos;
	bool			by_level;
	bool			by_kind;
	bool			with_jumps;
	bool			call_stack;
	bool			pt;
	bool			status_freeze;
	bool			forgetful;
	u8			counters;
	struct intel_lbr_layout	layout;
};

static inline bool intel_lbr_has_filter(const struct intel_lbr *lbr)
{
	return lbr->by_level || lbr->by_kind;
}

void intel_lbr_facts_find(struct intel_lbr *lbr, const struct x86_model *model);
int intel_lbr_facts_format(struct intel_lbr *lbr, unsigned int format, bool tsx);
int intel_lbr_facts_select(const struct intel_lbr *lbr, u64 asked, u64 *select);
bool intel_lbr_facts_sees_kernel(const struct intel_lbr *lbr, u64 select);
bool intel_lbr_facts_is_stack(const struct intel_lbr *lbr, u64 select);

#endif /* _ARCH_X86_EVENTS_INTEL_LBR_FACTS_H */
