/* SPDX-License-Identifier: GPL-2.0 */
/* Room "amd/lbr_decode": registers of branches, and their filter. */
#ifndef _ARCH_X86_EVENTS_AMD_LBR_DECODE_H
#define _ARCH_X86_EVENTS_AMD_LBR_DECODE_H

#include <linux/types.h>

struct perf_branch_entry;

/* Most branches that a processor can record: six bits in CPUID. */
#define AMD_LBR_MOST	63

/**
 * struct amd_lbr_raw - registers of a branch
 * @from: SAMP_BR_FROM
 * @to:	SAMP_BR_TO
 */
struct amd_lbr_raw {
	u64	from;
	u64	to;
};

unsigned int amd_lbr_decode(const struct amd_lbr_raw *raw, unsigned int nr,
			    unsigned int address_bits, struct perf_branch_entry *entries);
int amd_lbr_decode_select(u64 asked, u64 *select);

#endif /* _ARCH_X86_EVENTS_AMD_LBR_DECODE_H */
