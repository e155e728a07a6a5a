/* SPDX-License-Identifier: GPL-2.0 */
/* Room "amd/ibs_decode": what a sample of IBS says. */
#ifndef _ARCH_X86_EVENTS_AMD_IBS_DECODE_H
#define _ARCH_X86_EVENTS_AMD_IBS_DECODE_H

#include <linux/types.h>

/*
 * Registers of a sample, in the order of their addresses: MSRC001_1033 and up
 * of an op, MSRC001_1030 and up of a fetch.
 */
enum {
	AMD_IBS_OP_CTL,
	AMD_IBS_OP_RIP,
	AMD_IBS_OP_DATA,
	AMD_IBS_OP_DATA2,
	AMD_IBS_OP_DATA3,
	AMD_IBS_OP_LINEAR,
	AMD_IBS_OP_PHYSICAL,
	AMD_IBS_OP_NR,
};

enum {
	AMD_IBS_FETCH_CTL,
	AMD_IBS_FETCH_LINEAR,
	AMD_IBS_FETCH_PHYSICAL,
	AMD_IBS_FETCH_NR,
};

/**
 * struct amd_ibs_cpu - what a processor's IBS is like
 * @caps:	EAX of CPUID leaf 0x8000001b
 * @user_end:	first address that is not the user's
 * @fine_source: sources of data have five bits
 * @hit_state:	whether a cache line was modified is reported right
 * @bad_prefetch: erratum 1293: of a prefetch, or a miss that allocates nothing,
 *	neither the L2's miss nor the source is right
 * @zero_fetch:	erratum 1197: a fetch from address 0 is none
 * @reset_broken: the count of fetches is reset only when fetches are enabled
 *	anew
 * @clear_count: erratum 420: the count must be cleared before sampling is
 *	disabled
 */
struct amd_ibs_cpu {
	u32	caps;
	u64	user_end;
	bool	fine_source;
	bool	hit_state;
	bool	bad_prefetch;
	bool	zero_fetch;
	bool	reset_broken;
	bool	clear_count;
};

/**
 * struct amd_ibs_op - what the sample of an op says
 * @source:	as in union perf_mem_data_src
 * @rip:	address of the op
 * @linear:	address of its data
 * @physical:	the same, as the memory sees it
 * @latency:	cycles that a load has waited for the data
 * @retire:	cycles from the op's tagging to its retirement
 * @rip_valid:	@rip is right
 * @user:	@rip is the user's
 * @accesses:	it loads or stores
 * @has_linear:	@linear is right
 * @has_physical: @physical is right
 * @has_latency: @latency and @retire are right
 * @branch:	it is a branch; the next five are about branches
 * @taken:	it was taken
 * @mispredicted: it was not predicted right
 * @returns:	it returns from a function
 * @fused:	it was fused with another instruction
 */
struct amd_ibs_op {
	u64	source;
	u64	rip;
	u64	linear;
	u64	physical;
	u16	latency;
	u16	retire;
	bool	rip_valid;
	bool	user;
	bool	accesses;
	bool	has_linear;
	bool	has_physical;
	bool	has_latency;
	bool	branch;
	bool	taken;
	bool	mispredicted;
	bool	returns;
	bool	fused;
};

void amd_ibs_decode_cpu(struct amd_ibs_cpu *cpu, unsigned int family, unsigned int model);
void amd_ibs_decode_rip(const struct amd_ibs_cpu *cpu, const u64 *regs, struct amd_ibs_op *op);
void amd_ibs_decode_access(const struct amd_ibs_cpu *cpu, const u64 *regs,
			   struct amd_ibs_op *op);
void amd_ibs_decode_branch(const struct amd_ibs_cpu *cpu, const u64 *regs,
			   struct amd_ibs_op *op);
void amd_ibs_decode_hide(const struct amd_ibs_cpu *cpu, struct amd_ibs_op *op);

#endif /* _ARCH_X86_EVENTS_AMD_IBS_DECODE_H */
