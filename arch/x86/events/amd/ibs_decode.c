// SPDX-License-Identifier: GPL-2.0
/*
 * Room "amd/ibs_decode": what a sample of instruction based sampling says.
 *
 * Purpose: translate the registers of a sample to what programs know: where the
 * data of an access came from, how long that took, its addresses, and whether
 * these are right.
 *
 * Facts: APM vol. 2 13.3; PPR for family 17h model 31h and family 19h models
 * 01h and 11h, MSRC001_1035 to MSRC001_1037; revision guides.
 *
 * Owns: constant data.
 *
 * Contexts: any. The room is pure: registers are arguments, and it also runs in
 * user space (./perflab check x86).
 *
 * Locking: none.
 */
#include <linux/bits.h>
#include <linux/perf_event.h>
#include "ibs_decode.h"

/* Bits of CPUID leaf 0x8000001b EAX, APM vol. 3 E.4.19. */
#define CAPS_RIP_INVALID	BIT(7)
#define CAPS_BRANCH_FUSE	BIT(8)
#define CAPS_FINE_SOURCE	BIT(11)

/* IbsOpData */
#define DATA_RETIRE_SHIFT	16
#define DATA_RETURN		BIT_ULL(34)
#define DATA_TAKEN		BIT_ULL(35)
#define DATA_MISPREDICTED	BIT_ULL(36)
#define DATA_BRANCH		BIT_ULL(37)
#define DATA_RIP_INVALID	BIT_ULL(38)
#define DATA_FUSED		BIT_ULL(39)

/* IbsOpData2; the two high bits of the source are apart */
#define DATA2_SOURCE		GENMASK_ULL(2, 0)
#define DATA2_SOURCE_HIGH	GENMASK_ULL(7, 6)
#define DATA2_HIGH_SHIFT	3
#define DATA2_REMOTE		BIT_ULL(4)
#define DATA2_OWNED		BIT_ULL(5)	/* otherwise modified */

/* IbsOpData3 */
#define DATA3_LOAD		BIT_ULL(0)
#define DATA3_STORE		BIT_ULL(1)
#define DATA3_L1_TLB_MISS	BIT_ULL(2)
#define DATA3_L2_TLB_MISS	BIT_ULL(3)
#define DATA3_L1_MISS		BIT_ULL(7)
#define DATA3_UNCACHED		BIT_ULL(14)
#define DATA3_LOCKED		BIT_ULL(15)
#define DATA3_NO_BUFFER		BIT_ULL(16)	/* the line was on its way already */
#define DATA3_LINEAR_VALID	BIT_ULL(17)
#define DATA3_PHYSICAL_VALID	BIT_ULL(18)
#define DATA3_L2_MISS		BIT_ULL(20)
#define DATA3_PREFETCH		BIT_ULL(21)
#define DATA3_LATENCY_SHIFT	32

/* Both kinds of sources have the same number for devices. */
#define SOURCE_IO		7
#define NR_COARSE		8
#define NR_FINE			32

#define HIT(level, number)	(PERF_MEM_S(LVL, level) | PERF_MEM_S(LVL, HIT) | \
				 PERF_MEM_S(LVLNUM, number))
#define NO_LEVEL		(PERF_MEM_S(LVL, NA) | PERF_MEM_S(LVLNUM, NA))
#define HERE			PERF_MEM_S(HOPS, 0)
#define THERE			(PERF_MEM_S(REMOTE, REMOTE) | PERF_MEM_S(HOPS, 1))
#define NO_SNOOP		PERF_MEM_S(SNOOP, NA)

#define NOTHING_KNOWN		(PERF_MEM_S(OP, NA) | NO_LEVEL | NO_SNOOP | \
				 PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA))

/**
 * struct source - a source of data beyond the L2
 * @here: as in union perf_mem_data_src; 0: the number says nothing
 * @remote: the same if the node is another one, 0 if that makes no difference
 * @cache: a cache that tells whether the line was modified
 */
struct source {
	u64	here;
	u64	remote;
	bool	cache;
};

static const struct source coarse[NR_COARSE] = {
	[2] = { HIT(L3, ANY_CACHE) | PERF_MEM_S(LVL, REM_CCE1) | HERE, 0, true },
	[3] = { HIT(LOC_RAM, RAM), HIT(REM_RAM1, RAM) | THERE },
	[4] = { HIT(REM_CCE2, ANY_CACHE) | THERE },
	[SOURCE_IO] = { HIT(IO, IO) },
};

/* Persistent memory and memory of CXL have a number only. */
static const struct source fine[NR_FINE] = {
	[1] = { HIT(L3, L3), 0, true },
	[2] = { HIT(REM_CCE1, ANY_CACHE) | PERF_MEM_S(REMOTE, REMOTE) | HERE, 0, true },
	[3] = { HIT(LOC_RAM, RAM), HIT(REM_RAM1, RAM) | THERE },
	[5] = { HIT(REM_CCE2, ANY_CACHE) | THERE, 0, true },
	[6] = { PERF_MEM_S(LVLNUM, PMEM), PERF_MEM_S(LVLNUM, PMEM) | THERE },
	[SOURCE_IO] = { HIT(IO, IO) },
	[8] = { PERF_MEM_S(LVLNUM, CXL), PERF_MEM_S(LVLNUM, CXL) | THERE },
};

/**
 * amd_ibs_decode_cpu() - tell what a processor's samples are like
 * @cpu: caps and user_end are filled in; the rest will be
 * @family: of the processor
 * @model: of the processor
 *
 * Context: any.
 */
void amd_ibs_decode_cpu(struct amd_ibs_cpu *cpu, unsigned int family, unsigned int model)
{
	bool zen3 = family == 0x19 && (model < 0x10 || (model >= 0x20 && model < 0x60));

	cpu->fine_source = cpu->caps & CAPS_FINE_SOURCE;
	cpu->hit_state = !zen3;
	cpu->bad_prefetch = family == 0x19 && model < 0x10;
	cpu->zero_fetch = family == 0x19 && model < 0x10;
	cpu->reset_broken = family >= 0x16 && family <= 0x18;
	cpu->clear_count = family == 0x10;
}

/**
 * amd_ibs_decode_rip() - decode the address of an op
 * @cpu: the processor
 * @regs: registers of the sample, at least up to AMD_IBS_OP_DATA if @cpu tells
 *	wrong addresses
 * @op: rip, rip_valid and user are filled in
 *
 * Context: any.
 */
void amd_ibs_decode_rip(const struct amd_ibs_cpu *cpu, const u64 *regs, struct amd_ibs_op *op)
{
	op->rip = regs[AMD_IBS_OP_RIP];
	op->rip_valid = !(cpu->caps & CAPS_RIP_INVALID && regs[AMD_IBS_OP_DATA] & DATA_RIP_INVALID);
	op->user = op->rip < cpu->user_end;
}

static bool is_unreliable(const struct amd_ibs_cpu *cpu, u64 data3)
{
	return cpu->bad_prefetch && data3 & (DATA3_PREFETCH | DATA3_NO_BUFFER);
}

static const struct source *source_of(const struct amd_ibs_cpu *cpu, u64 data2)
{
	unsigned int low = data2 & DATA2_SOURCE;

	if (!cpu->fine_source)
		return &coarse[low];
	return &fine[low | (data2 & DATA2_SOURCE_HIGH) >> DATA2_HIGH_SHIFT];
}

/* The caches of the core have missed. Return: 0 if nothing is known. */
static u64 beyond_core(const struct amd_ibs_cpu *cpu, u64 data2)
{
	const struct source *source = source_of(cpu, data2);
	u64 level = source->here;

	if (data2 & DATA2_REMOTE && source->remote)
		level = source->remote;
	if (source->cache && cpu->hit_state && !(data2 & DATA2_OWNED))
		return level | PERF_MEM_S(SNOOP, HITM);
	return level ? level | NO_SNOOP : 0;
}

/*
 * If an access is not cached, the other bits are not right. Only loads have a
 * source, which says more than that the line was on its way already.
 */
static u64 level_of(const struct amd_ibs_cpu *cpu, u64 data2, u64 data3)
{
	bool unreliable = is_unreliable(cpu, data3);
	u64 level = 0;

	if (unreliable)
		data2 = 0;
	if (data3 & DATA3_UNCACHED && source_of(cpu, data2)->here != HIT(IO, IO))
		return HIT(UNC, UNC) | NO_SNOOP;
	if (!(data3 & DATA3_L1_MISS))
		return HIT(L1, L1) | NO_SNOOP;
	if (!(data3 & DATA3_L2_MISS) && !unreliable)
		return HIT(L2, L2) | NO_SNOOP;
	if (data3 & DATA3_LOAD)
		level = beyond_core(cpu, data2);
	if (level)
		return level;
	return (data3 & DATA3_NO_BUFFER ? HIT(LFB, LFB) : NO_LEVEL) | NO_SNOOP;
}

static u64 tlb_of(u64 data3)
{
	if (!(data3 & DATA3_LINEAR_VALID))
		return PERF_MEM_S(TLB, NA);
	if (!(data3 & DATA3_L1_TLB_MISS))
		return PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, HIT);
	if (!(data3 & DATA3_L2_TLB_MISS))
		return PERF_MEM_S(TLB, L2) | PERF_MEM_S(TLB, HIT);
	return PERF_MEM_S(TLB, L2) | PERF_MEM_S(TLB, MISS);
}

static u64 lock_of(u64 data3)
{
	return data3 & DATA3_LOCKED ? PERF_MEM_S(LOCK, LOCKED) : PERF_MEM_S(LOCK, NA);
}

/**
 * amd_ibs_decode_access() - decode the access to memory of an op
 * @cpu: the processor
 * @regs: all registers of the sample
 * @op: source, linear, physical, latency and retire are filled in, and what
 *	says whether they are right
 *
 * Context: any.
 */
void amd_ibs_decode_access(const struct amd_ibs_cpu *cpu, const u64 *regs,
			   struct amd_ibs_op *op)
{
	u64 data3 = regs[AMD_IBS_OP_DATA3];
	bool load = data3 & DATA3_LOAD;

	op->accesses = data3 & (DATA3_LOAD | DATA3_STORE);
	op->source = NOTHING_KNOWN;
	if (op->accesses)
		op->source = (load ? PERF_MEM_S(OP, LOAD) : PERF_MEM_S(OP, STORE)) |
			     level_of(cpu, regs[AMD_IBS_OP_DATA2], data3) |
			     tlb_of(data3) | lock_of(data3);
	op->has_linear = op->accesses && data3 & DATA3_LINEAR_VALID;
	op->linear = op->has_linear ? regs[AMD_IBS_OP_LINEAR] : 0;
	op->has_physical = op->accesses && data3 & DATA3_PHYSICAL_VALID;
	op->physical = op->has_physical ? regs[AMD_IBS_OP_PHYSICAL] : 0;
	op->has_latency = load && data3 & DATA3_L1_MISS;
	op->latency = op->has_latency ? data3 >> DATA3_LATENCY_SHIFT : 0;
	op->retire = op->has_latency ? regs[AMD_IBS_OP_DATA] >> DATA_RETIRE_SHIFT : 0;
}

/**
 * amd_ibs_decode_branch() - decode what a sample says about a branch
 * @cpu: the processor
 * @regs: registers of the sample, at least up to AMD_IBS_OP_DATA
 * @op: the fields from branch to fused are filled in
 *
 * Context: any.
 */
void amd_ibs_decode_branch(const struct amd_ibs_cpu *cpu, const u64 *regs,
			   struct amd_ibs_op *op)
{
	u64 data = regs[AMD_IBS_OP_DATA];

	op->branch = data & DATA_BRANCH;
	op->taken = op->branch && data & DATA_TAKEN;
	op->mispredicted = op->branch && data & DATA_MISPREDICTED;
	op->returns = op->branch && data & DATA_RETURN;
	op->fused = op->branch && cpu->caps & CAPS_BRANCH_FUSE && data & DATA_FUSED;
}

/**
 * amd_ibs_decode_hide() - leave out what is not the user's
 * @cpu: the processor
 * @op: result of amd_ibs_decode_rip() and amd_ibs_decode_access()
 *
 * An op of the user's may touch the kernel's memory; its data are the kernel's.
 *
 * Context: any.
 */
void amd_ibs_decode_hide(const struct amd_ibs_cpu *cpu, struct amd_ibs_op *op)
{
	if (!op->user) {
		op->rip_valid = false;
		op->rip = 0;
	}
	if (op->user && op->has_linear && op->linear < cpu->user_end)
		return;
	op->has_linear = false;
	op->linear = 0;
	op->has_physical = false;
	op->physical = 0;
}
