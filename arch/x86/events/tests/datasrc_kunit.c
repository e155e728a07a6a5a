// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "intel/datasrc": what a sample shows of data. */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include "../intel/datasrc.h"

/* Words of latency, and what they mean. */
static const struct {
	enum x86_datasrc	model;
	u16			word;
	u8			level;
	u8			snoop;
	bool			remote, tlb_miss, locked, blocked;
} loads[] = {
	{ X86_DATASRC_WESTMERE, 0x05, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_HIT },
	{ X86_DATASRC_WESTMERE, 0x36, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_HITM,
	  .tlb_miss = true, .locked = true },
	{ X86_DATASRC_SANDYBRIDGE, 0x01, PERF_MEM_LVLNUM_L1, PERF_MEM_SNOOP_NONE },
	{ X86_DATASRC_SANDYBRIDGE, 0x02, PERF_MEM_LVLNUM_LFB, PERF_MEM_SNOOP_NONE },
	{ X86_DATASRC_SANDYBRIDGE, 0x05, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_MISS },
	{ X86_DATASRC_SANDYBRIDGE, 0x19, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_HITM,
	  .remote = true, .tlb_miss = true },
	{ X86_DATASRC_SANDYBRIDGE, 0x2c, PERF_MEM_LVLNUM_RAM,
	  PERF_MEM_SNOOP_NONE | PERF_MEM_SNOOP_MISS, .locked = true },
	{ X86_DATASRC_SANDYBRIDGE, 0xc1, PERF_MEM_LVLNUM_L1, PERF_MEM_SNOOP_NONE },
	{ X86_DATASRC_SKYLAKE, 0x08, PERF_MEM_LVLNUM_L4, PERF_MEM_SNOOP_HIT },
	{ X86_DATASRC_SKYLAKE_SERVER, 0x09, PERF_MEM_LVLNUM_PMEM, PERF_MEM_SNOOP_HIT,
	  .remote = true },
	{ X86_DATASRC_SKYLAKE_SERVER, 0x0a, PERF_MEM_LVLNUM_RAM, PERF_MEM_SNOOP_HIT },
	{ X86_DATASRC_GOLDEN_COVE, 0x4d, PERF_MEM_LVLNUM_ANY_CACHE, PERF_MEM_SNOOP_HITM,
	  .remote = true, .blocked = true },
	{ X86_DATASRC_GRACEMONT, 0x53, PERF_MEM_LVLNUM_L2, PERF_MEM_SNOOP_NONE,
	  .locked = true, .blocked = true },
	{ X86_DATASRC_GRACEMONT, 0x26, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_HITM,
	  .tlb_miss = true },
	{ X86_DATASRC_CRESTMONT, 0xe8, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_HITM,
	  .tlb_miss = true, .locked = true, .blocked = true },
	{ X86_DATASRC_CRESTMONT, 0x1d, PERF_MEM_LVLNUM_RAM, PERF_MEM_SNOOP_HITM,
	  .remote = true },
	{ X86_DATASRC_LION_COVE, 0x411, PERF_MEM_LVLNUM_RAM, PERF_MEM_SNOOP_NONE,
	  .tlb_miss = true },
	{ X86_DATASRC_LION_COVE, 0x1806, PERF_MEM_LVLNUM_L2_MHB, PERF_MEM_SNOOP_NONE,
	  .locked = true, .blocked = true },
	{ X86_DATASRC_LION_COVE, 0x04, PERF_MEM_LVLNUM_NA, PERF_MEM_SNOOP_NA },
	{ X86_DATASRC_LION_COVE, 0xff, PERF_MEM_LVLNUM_NA, PERF_MEM_SNOOP_NA },
};

static void datasrc_test_loads(struct kunit *test)
{
	union perf_mem_data_src got;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		got.val = intel_datasrc(loads[i].model, X86_DATA_LOAD_LATENCY, loads[i].word);
		KUNIT_EXPECT_EQ_MSG(test, (u64)got.mem_op, PERF_MEM_OP_LOAD, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (u64)got.mem_lvl_num, loads[i].level, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (u64)got.mem_snoop, loads[i].snoop, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (u64)got.mem_remote, loads[i].remote, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (u64)got.mem_dtlb, loads[i].tlb_miss ?
				    PERF_MEM_TLB_MISS | PERF_MEM_TLB_L2 :
				    PERF_MEM_TLB_HIT | PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2,
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (u64)got.mem_lock,
				    loads[i].locked ? PERF_MEM_LOCK_LOCKED : 0, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (u64)got.mem_blk, loads[i].blocked ?
				    PERF_MEM_BLK_DATA : PERF_MEM_BLK_NA, "row %u", i);
	}
}

static void datasrc_test_nehalem(struct kunit *test)
{
	union perf_mem_data_src got;

	got.val = intel_datasrc(X86_DATASRC_NEHALEM, X86_DATA_LOAD_LATENCY, 0x33);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_lvl_num, PERF_MEM_LVLNUM_L2);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_dtlb, PERF_MEM_TLB_NA);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_lock, PERF_MEM_LOCK_NA);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_blk, 0);
}

static void datasrc_test_forwarded(struct kunit *test)
{
	union perf_mem_data_src got;

	got.val = intel_datasrc(X86_DATASRC_GRACEMONT, X86_DATA_LOAD_LATENCY, 0x8);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_snoopx, PERF_MEM_SNOOPX_FWD);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_lvl, PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT);
	got.val = intel_datasrc(X86_DATASRC_SKYLAKE, X86_DATA_LOAD_LATENCY, 0xc);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_snoopx, PERF_MEM_SNOOPX_FWD);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_remote, PERF_MEM_REMOTE_REMOTE);
}

static void datasrc_test_stores(struct kunit *test)
{
	union perf_mem_data_src got;

	got.val = intel_datasrc(X86_DATASRC_GOLDEN_COVE, X86_DATA_STORE_LATENCY, 0xf1);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_op, PERF_MEM_OP_STORE);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_lvl_num, PERF_MEM_LVLNUM_L1);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_blk, PERF_MEM_BLK_NA);
	got.val = intel_datasrc(X86_DATASRC_SANDYBRIDGE, X86_DATA_PRECISE_STORE, 0x31);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_op, PERF_MEM_OP_STORE);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_lvl, PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_dtlb, PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_lock, PERF_MEM_LOCK_LOCKED);
	got.val = intel_datasrc(X86_DATASRC_SANDYBRIDGE, X86_DATA_STORE, 0);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_op, PERF_MEM_OP_STORE);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_lvl, PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS);
	got.val = intel_datasrc(X86_DATASRC_SANDYBRIDGE, X86_DATA_LOAD, 1);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_op, PERF_MEM_OP_LOAD);
	KUNIT_EXPECT_EQ(test, (u64)got.mem_lvl, PERF_MEM_LVL_NA);
	KUNIT_EXPECT_EQ(test, intel_datasrc(X86_DATASRC_SANDYBRIDGE, X86_DATA_NONE, ~0ULL),
			PERF_MEM_NA);
	KUNIT_EXPECT_EQ(test, intel_datasrc(X86_DATASRC_NONE, X86_DATA_LOAD_LATENCY, ~0ULL),
			PERF_MEM_NA);
}

static struct kunit_case datasrc_cases[] = {
	KUNIT_CASE(datasrc_test_loads),
	KUNIT_CASE(datasrc_test_nehalem),
	KUNIT_CASE(datasrc_test_forwarded),
	KUNIT_CASE(datasrc_test_stores),
	{}
};

static struct kunit_suite datasrc_suite = {
	.name		= "x86_pebs_datasrc",
	.test_cases	= datasrc_cases,
};

kunit_test_suite(datasrc_suite);
