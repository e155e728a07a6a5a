/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of IBS, and what they say: for KUnit and for user space.
 *
 * The bits are those of the tables in the PPR for family 17h model 31h, B0, and
 * for family 19h models 01h, B1, and 11h, B1: MSRC001_1035 to MSRC001_1037.
 */
#ifndef _ARCH_X86_EVENTS_TESTS_IBS_SAMPLES_H
#define _ARCH_X86_EVENTS_TESTS_IBS_SAMPLES_H

#include <linux/perf_event.h>

#define IBS_ZEN2	{ 0x17, 0x31, 0x3ff }
#define IBS_ZEN3	{ 0x19, 0x01, 0x3ff }
#define IBS_ZEN3_CLIENT	{ 0x19, 0x21, 0x3ff }
#define IBS_ZEN4	{ 0x19, 0x11, 0xbff }

/*
 * IbsOpData3: a load, or a store, whose address was translated by the L1 TLB.
 */
#define IBS_LOAD	0x60001
#define IBS_STORE	0x60002
#define IBS_L1_MISS	0x80
#define IBS_L2_MISS	0x100000
#define IBS_FAR		(IBS_L1_MISS | IBS_L2_MISS)
#define IBS_UC		0x4000
#define IBS_LOCK	0x8000
#define IBS_NO_MAB	0x10000
#define IBS_PREFETCH	0x200000

/* IbsOpData2 */
#define IBS_REMOTE	0x10
#define IBS_OWNED	0x20

#define IBS_LVL(level)	(PERF_MEM_LVL_##level | PERF_MEM_LVL_HIT)

struct ibs_sample_cpu {
	unsigned int		family;
	unsigned int		model;
	u32			caps;
};

struct ibs_sample {
	struct ibs_sample_cpu	cpu;
	u64			data2;
	u64			data3;
	u16			op;
	u16			lvl;
	u8			lvl_num;
	u8			snoop;
	u8			remote;
	u8			hops;
	u8			dtlb;
	u8			lock;
};

#define IBS_NO_SNOOP	PERF_MEM_SNOOP_NA
#define IBS_MODIFIED	PERF_MEM_SNOOP_HITM
#define IBS_TLB_1	(PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT)
#define IBS_LD		PERF_MEM_OP_LOAD
#define IBS_ST		PERF_MEM_OP_STORE
#define IBS_NUM(level)	PERF_MEM_LVLNUM_##level
#define IBS_ROW(cpu, data2, data3, op, lvl, num, snoop, remote, hops)	\
	{ cpu, data2, data3, op, lvl, num, snoop, remote, hops, IBS_TLB_1, PERF_MEM_LOCK_NA }

static const struct ibs_sample ibs_samples[] = {
	/* The caches of the core. */
	IBS_ROW(IBS_ZEN2, 0, IBS_LOAD, IBS_LD, IBS_LVL(L1), IBS_NUM(L1), IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN2, 3, IBS_STORE, IBS_ST, IBS_LVL(L1), IBS_NUM(L1), IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN2, 2, IBS_LOAD | IBS_L1_MISS, IBS_LD, IBS_LVL(L2), IBS_NUM(L2),
		IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN4, 1, IBS_STORE | IBS_L1_MISS, IBS_ST, IBS_LVL(L2), IBS_NUM(L2),
		IBS_NO_SNOOP, 0, 0),
	/*
	 * DataSrc of three bits: 2 another cache, 3 DRAM, 4 a remote cache, 7
	 * MMIO.
	 */
	IBS_ROW(IBS_ZEN2, 2, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(L3) | PERF_MEM_LVL_REM_CCE1,
		IBS_NUM(ANY_CACHE), IBS_MODIFIED, 0, PERF_MEM_HOPS_0),
	IBS_ROW(IBS_ZEN2, 2 | IBS_OWNED | IBS_REMOTE, IBS_LOAD | IBS_FAR, IBS_LD,
		IBS_LVL(L3) | PERF_MEM_LVL_REM_CCE1, IBS_NUM(ANY_CACHE), IBS_NO_SNOOP, 0,
		PERF_MEM_HOPS_0),
	IBS_ROW(IBS_ZEN3_CLIENT, 2, IBS_LOAD | IBS_FAR, IBS_LD,
		IBS_LVL(L3) | PERF_MEM_LVL_REM_CCE1, IBS_NUM(ANY_CACHE), IBS_NO_SNOOP, 0,
		PERF_MEM_HOPS_0),
	IBS_ROW(IBS_ZEN2, 3, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(LOC_RAM), IBS_NUM(RAM),
		IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN2, 3 | IBS_REMOTE, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(REM_RAM1),
		IBS_NUM(RAM), IBS_NO_SNOOP, 1, PERF_MEM_HOPS_1),
	IBS_ROW(IBS_ZEN2, 4, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(REM_CCE2), IBS_NUM(ANY_CACHE),
		IBS_NO_SNOOP, 1, PERF_MEM_HOPS_1),
	IBS_ROW(IBS_ZEN2, 7, IBS_LOAD | IBS_FAR | IBS_UC, IBS_LD, IBS_LVL(IO), IBS_NUM(IO),
		IBS_NO_SNOOP, 0, 0),
	/* The two high bits say nothing there. */
	IBS_ROW(IBS_ZEN2, 0xc3, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(LOC_RAM), IBS_NUM(RAM),
		IBS_NO_SNOOP, 0, 0),
	/*
	 * Five bits: L3, another CCX of the node, DRAM, another node, and more.
	 */
	IBS_ROW(IBS_ZEN4, 1, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(L3), IBS_NUM(L3), IBS_MODIFIED,
		0, 0),
	IBS_ROW(IBS_ZEN4, 1 | IBS_OWNED, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(L3), IBS_NUM(L3),
		IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN4, 2, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(REM_CCE1), IBS_NUM(ANY_CACHE),
		IBS_MODIFIED, 1, PERF_MEM_HOPS_0),
	IBS_ROW(IBS_ZEN4, 3, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(LOC_RAM), IBS_NUM(RAM),
		IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN4, 3 | IBS_REMOTE, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(REM_RAM1),
		IBS_NUM(RAM), IBS_NO_SNOOP, 1, PERF_MEM_HOPS_1),
	IBS_ROW(IBS_ZEN4, 5, IBS_LOAD | IBS_FAR, IBS_LD, IBS_LVL(REM_CCE2), IBS_NUM(ANY_CACHE),
		IBS_MODIFIED, 1, PERF_MEM_HOPS_1),
	IBS_ROW(IBS_ZEN4, 6 | IBS_REMOTE, IBS_LOAD | IBS_FAR, IBS_LD, 0, IBS_NUM(PMEM),
		IBS_NO_SNOOP, 1, PERF_MEM_HOPS_1),
	IBS_ROW(IBS_ZEN4, 0x40, IBS_LOAD | IBS_FAR, IBS_LD, 0, IBS_NUM(CXL), IBS_NO_SNOOP, 0, 0),
	/* Nothing is known of such sources, and of a store's. */
	IBS_ROW(IBS_ZEN4, 0x44, IBS_LOAD | IBS_FAR, IBS_LD, PERF_MEM_LVL_NA, IBS_NUM(NA),
		IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN4, 0xc7, IBS_LOAD | IBS_FAR | IBS_NO_MAB, IBS_LD, IBS_LVL(LFB),
		IBS_NUM(LFB), IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN4, 3, IBS_STORE | IBS_FAR, IBS_ST, PERF_MEM_LVL_NA, IBS_NUM(NA),
		IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN4, 3, IBS_LOAD | IBS_FAR | IBS_NO_MAB, IBS_LD, IBS_LVL(LOC_RAM),
		IBS_NUM(RAM), IBS_NO_SNOOP, 0, 0),
	/* DcMiss and DataSrc are not right of uncached accesses, but MMIO. */
	IBS_ROW(IBS_ZEN4, 1, IBS_LOAD | IBS_UC, IBS_LD, IBS_LVL(UNC), IBS_NUM(UNC), IBS_NO_SNOOP,
		0, 0),
	/*
	 * Erratum 1293: neither IbsL2Miss nor DataSrc of a prefetch is right.
	 */
	IBS_ROW(IBS_ZEN3, 3, IBS_LOAD | IBS_L1_MISS | IBS_PREFETCH, IBS_LD, PERF_MEM_LVL_NA,
		IBS_NUM(NA), IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN3, 3, IBS_LOAD | IBS_L1_MISS | IBS_NO_MAB, IBS_LD, IBS_LVL(LFB),
		IBS_NUM(LFB), IBS_NO_SNOOP, 0, 0),
	IBS_ROW(IBS_ZEN3_CLIENT, 3, IBS_LOAD | IBS_L1_MISS | IBS_PREFETCH, IBS_LD, IBS_LVL(L2),
		IBS_NUM(L2), IBS_NO_SNOOP, 0, 0),
	/*
	 * The TLB, with DcL1TlbMiss and DcL2TlbMiss; IbsDcLinAddrValid is
	 * needed.
	 */
	{ IBS_ZEN2, 0, IBS_LOAD | 4, IBS_LD, IBS_LVL(L1), IBS_NUM(L1), IBS_NO_SNOOP, 0, 0,
	  PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT, PERF_MEM_LOCK_NA },
	{ IBS_ZEN2, 0, IBS_LOAD | 0xc, IBS_LD, IBS_LVL(L1), IBS_NUM(L1), IBS_NO_SNOOP, 0, 0,
	  PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS, PERF_MEM_LOCK_NA },
	{ IBS_ZEN2, 0, 0xd, IBS_LD, IBS_LVL(L1), IBS_NUM(L1), IBS_NO_SNOOP, 0, 0,
	  PERF_MEM_TLB_NA, PERF_MEM_LOCK_NA },
	{ IBS_ZEN2, 0, IBS_STORE | IBS_LOCK, IBS_ST, IBS_LVL(L1), IBS_NUM(L1), IBS_NO_SNOOP, 0, 0,
	  IBS_TLB_1, PERF_MEM_LOCK_LOCKED },
	/* Both is a load; neither is no access. */
	{ IBS_ZEN2, 0, IBS_LOAD | IBS_STORE, IBS_LD, IBS_LVL(L1), IBS_NUM(L1), IBS_NO_SNOOP, 0, 0,
	  IBS_TLB_1, PERF_MEM_LOCK_NA },
	{ IBS_ZEN2, 3, 0x60000 | IBS_FAR, PERF_MEM_OP_NA, PERF_MEM_LVL_NA, IBS_NUM(NA),
	  IBS_NO_SNOOP, 0, 0, PERF_MEM_TLB_NA, PERF_MEM_LOCK_NA },
};

/* The field that differs, or NULL. */
static inline const char *ibs_sample_differs(const struct ibs_sample *sample, u64 found)
{
	union perf_mem_data_src source = { .val = found };

	if (source.mem_op != sample->op)
		return "mem_op";
	if (source.mem_lvl != sample->lvl)
		return "mem_lvl";
	if (source.mem_lvl_num != sample->lvl_num)
		return "mem_lvl_num";
	if (source.mem_snoop != sample->snoop || source.mem_snoopx)
		return "mem_snoop";
	if (source.mem_remote != sample->remote)
		return "mem_remote";
	if (source.mem_hops != sample->hops)
		return "mem_hops";
	if (source.mem_dtlb != sample->dtlb)
		return "mem_dtlb";
	return source.mem_lock == sample->lock ? NULL : "mem_lock";
}

#endif /* _ARCH_X86_EVENTS_TESTS_IBS_SAMPLES_H */
