/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/lbr_arch": the architectural recorder of last branches. */
#ifndef _ARCH_X86_EVENTS_INTEL_LBR_ARCH_H
#define _ARCH_X86_EVENTS_INTEL_LBR_ARCH_H

#include "lbr_facts.h"

/**
 * struct intel_lbr_leaf - CPUID leaf 0x1c
 * @eax: depths, deep C-states, form of addresses
 * @ebx: what the filter can do
 * @ecx: what is recorded beside addresses
 */
struct intel_lbr_leaf {
	u32	eax;
	u32	ebx;
	u32	ecx;
};

void intel_lbr_arch_describe(struct intel_lbr *lbr, const struct intel_lbr_leaf *leaf);

#endif /* _ARCH_X86_EVENTS_INTEL_LBR_ARCH_H */
