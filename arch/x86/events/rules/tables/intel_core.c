// SPDX-License-Identifier: GPL-2.0
/*
 * Room "tables/intel_core": Core processors from Nehalem to Comet Lake.
 *
 * Purpose: the events of these cores, by the event tables and SDM vol. 3 20.3.1
 * to 20.3.8. With Hyper-Threading a core has four general counters, without it
 * eight from Sandy Bridge on.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include "tables.h"

#define FOUR_COUNTERS	(X86_GENERAL(4) | X86_FROM(32, 34))
#define EIGHT_COUNTERS	(X86_GENERAL(8) | X86_FROM(32, 34))

#define LOWER_FOUR	X86_GENERAL(4)
#define LOWER_TWO	X86_GENERAL(2)

/* Requests and responses of Nehalem, SDM vol. 3 20.3.1.1.3. */
#define NHM_DATA_READ	BIT_ULL(0)
#define NHM_WRITE	(BIT_ULL(1) | BIT_ULL(3))
#define NHM_PREFETCH	(BIT_ULL(4) | BIT_ULL(5))
#define NHM_L3_HIT	X86_FROM(8, 10)
#define NHM_CACHE_FWD	BIT_ULL(12)
#define NHM_REMOTE_DRAM	BIT_ULL(13)
#define NHM_LOCAL_DRAM	BIT_ULL(14)
#define NHM_NON_DRAM	BIT_ULL(15)
#define NHM_ANY_DRAM	(NHM_CACHE_FWD | NHM_REMOTE_DRAM | NHM_LOCAL_DRAM)
#define NHM_L3_MISS	(NHM_ANY_DRAM | NHM_NON_DRAM)
#define NHM_L3_ANY	(NHM_L3_HIT | NHM_L3_MISS)

/* Requests and responses from Sandy Bridge on, SDM vol. 3 20.3.4.5. */
#define SNB_READ	(BIT_ULL(0) | BIT_ULL(7))
#define SNB_WRITE	(BIT_ULL(1) | BIT_ULL(8))
#define SNB_PREFETCH	(BIT_ULL(4) | BIT_ULL(5))
#define SNB_ANY		BIT_ULL(16)
#define SNB_LOCAL	BIT_ULL(22)
#define SNB_REMOTE	X86_FROM(23, 30)
#define SNB_SNOOPS	X86_FROM(31, 36)
#define SNB_NON_DRAM	BIT_ULL(37)

/* Those of Haswell, Broadwell and Skylake: one bit for each request. */
#define HSW_READ	BIT_ULL(0)
#define HSW_WRITE	BIT_ULL(1)
#define HSW_REMOTE	X86_FROM(27, 29)
#define HSW_LOCAL	BIT_ULL(22)
#define BDW_LOCAL	BIT_ULL(26)
#define SKL_NO_SUPPLIER	BIT_ULL(17)
#define SKL_SNOOPS	X86_FROM(30, 36)

/* What Nehalem and Westmere have in common. */
static const struct x86_rule nehalem_common_rows[] = {
	/* The threshold is that of counter 3, see the event table. */
	X86_CODE(0x100b, X86_ONLY(3)),
	X86_EVENT(0x4c, LOWER_TWO),
	X86_EVENT(0x4e, LOWER_TWO),
	X86_EVENTS(0x51, 0x52, LOWER_TWO),
	X86_EVENT(0x63, LOWER_TWO),
};

static const struct x86_rule_list nehalem_common =
	X86_LIST(nehalem_common_rows, NULL);

static const struct x86_rule nehalem_rows[] = {
	X86_EVENTS(0x40, 0x43, LOWER_TWO),
	X86_EVENT(0x48, LOWER_TWO),
	X86_EVENT(0x53, LOWER_TWO),
	X86_EVENT(0xb7, X86_ONLY(2)),
};

static const struct x86_rule_list nehalem_rules =
	X86_LIST(nehalem_rows, &nehalem_common);

static const struct x86_rule westmere_rows[] = {
	X86_EVENT(0x60, X86_ONLY(0)),
	X86_EVENT(0xb3, X86_ONLY(0)),
};

static const struct x86_rule_list westmere_rules =
	X86_LIST(westmere_rows, &nehalem_common);

static const struct x86_rule westmere_ex_rows[] = {
	X86_EVENT(0xb7, X86_ONLY(2)),
};

static const struct x86_rule_list westmere_ex_rules =
	X86_LIST(westmere_ex_rows, &westmere_rules);

static const struct x86_extra_rule nehalem_extra[] = {
	X86_LDLAT(0x100b),
	X86_RSP_0(0x01b7, 0xffff),
};

static const struct x86_extra_list nehalem_extra_list =
	X86_LIST(nehalem_extra, NULL);

static const struct x86_extra_rule westmere_extra[] = {
	X86_RSP_1(0x01bb, 0xffff),
};

static const struct x86_extra_list westmere_extra_list =
	X86_LIST(westmere_extra, &nehalem_extra_list);

static const struct x86_generic nehalem_generic[] = {
	X86_GENERIC(STALLED_CYCLES_FRONTEND, X86_WITHOUT(0x010e)),
	X86_GENERIC(STALLED_CYCLES_BACKEND, X86_WITHOUT(0x3fb1)),
};

static const struct x86_generic_list nehalem_generic_list =
	X86_LIST(nehalem_generic, &x86_generic_intel);

/* Erratum AAJ80: instead of a missing event those of mispredicted branches. */
static const struct x86_generic nehalem_branches[] = {
	X86_GENERIC_ARCH(BRANCH_MISSES, 6, 0x00c5),
	X86_GENERIC(BRANCH_MISSES, 0x7f89),
};

static const struct x86_generic_list nehalem_branches_list =
	X86_LIST(nehalem_branches, &nehalem_generic_list);

static const struct x86_cache nehalem_common_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x010b),
	X86_CACHE(L1D, READ, MISS, 0x0151),
	X86_CACHE(L1D, WRITE, ACCESS, 0x020b),
	X86_CACHE(L1D, WRITE, MISS, 0x0251),
	X86_CACHE(L1D, PREFETCH, ACCESS, 0x014e),
	X86_CACHE(L1D, PREFETCH, MISS, 0x024e),
	X86_CACHE(L1I, READ, ACCESS, 0x0380),
	X86_CACHE(L1I, READ, MISS, 0x0280),
	X86_CACHE_EXTRA(LL, READ, ACCESS, 0x01b7, NHM_DATA_READ | NHM_L3_ANY),
	X86_CACHE_EXTRA(LL, READ, MISS, 0x01b7, NHM_DATA_READ | NHM_L3_MISS),
	X86_CACHE_EXTRA(LL, WRITE, ACCESS, 0x01b7, NHM_WRITE | NHM_L3_ANY),
	X86_CACHE_EXTRA(LL, WRITE, MISS, 0x01b7, NHM_WRITE | NHM_L3_MISS),
	X86_CACHE_EXTRA(LL, PREFETCH, ACCESS, 0x01b7, NHM_PREFETCH | NHM_L3_ANY),
	X86_CACHE_EXTRA(LL, PREFETCH, MISS, 0x01b7, NHM_PREFETCH | NHM_L3_MISS),
	X86_CACHE(DTLB, READ, MISS, 0x0108),
	X86_CACHE(DTLB, WRITE, MISS, 0x010c),
	X86_CACHE(ITLB, READ, ACCESS, 0x01c0),
	X86_CACHE(BPU, READ, ACCESS, 0x00c4),
	X86_CACHE(BPU, READ, MISS, 0x03e8),
	X86_CACHE_EXTRA(NODE, READ, ACCESS, 0x01b7, NHM_DATA_READ | NHM_ANY_DRAM),
	X86_CACHE_EXTRA(NODE, READ, MISS, 0x01b7, NHM_DATA_READ | NHM_REMOTE_DRAM),
	X86_CACHE_EXTRA(NODE, WRITE, ACCESS, 0x01b7, NHM_WRITE | NHM_ANY_DRAM),
	X86_CACHE_EXTRA(NODE, WRITE, MISS, 0x01b7, NHM_WRITE | NHM_REMOTE_DRAM),
	X86_CACHE_EXTRA(NODE, PREFETCH, ACCESS, 0x01b7, NHM_PREFETCH | NHM_ANY_DRAM),
	X86_CACHE_EXTRA(NODE, PREFETCH, MISS, 0x01b7, NHM_PREFETCH | NHM_REMOTE_DRAM),
};

static const struct x86_cache_list nehalem_common_cache_list =
	X86_LIST(nehalem_common_cache, &x86_cache_common);

static const struct x86_cache nehalem_cache[] = {
	X86_CACHE(DTLB, READ, ACCESS, 0x0f40),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x0f41),
	X86_CACHE(ITLB, READ, MISS, 0x20c8),
};

static const struct x86_cache_list nehalem_cache_list =
	X86_LIST(nehalem_cache, &nehalem_common_cache_list);

/* Precise events of Nehalem and Westmere, by the event tables. */
static const struct x86_rule nehalem_precise_rows[] = {
	X86_PRECISE_DATA(0x100b, LOWER_FOUR, LOAD_LATENCY),
	X86_PRECISE_EVENT(0x0b, LOWER_FOUR),
	X86_PRECISE(0x010c, LOWER_FOUR),
	X86_PRECISE_EVENT(0x0f, LOWER_FOUR),
	X86_PRECISE(X86_ALL_CYCLES(0x00c0), LOWER_FOUR),
	X86_PRECISE(X86_ALL_CYCLES(0x01c0), LOWER_FOUR),
	X86_PRECISE_EVENT(0xc0, LOWER_FOUR),
	X86_EVENT(0xc2, LOWER_FOUR),
	X86_PRECISE_EVENT(0xc4, LOWER_FOUR),
	X86_PRECISE(0x02c5, LOWER_FOUR),
	X86_PRECISE_EVENT(0xc7, LOWER_FOUR),
	X86_PRECISE(0x20c8, LOWER_FOUR),
	X86_PRECISE_EVENT(0xcb, LOWER_FOUR),
	X86_PRECISE_EVENT(0xf7, LOWER_FOUR),
};

static const struct x86_rule_list nehalem_precise_rules =
	X86_LIST(nehalem_precise_rows, NULL);

static const struct x86_precise nehalem_precise = {
	.rules			= &nehalem_precise_rules,
	.cycles			= X86_ALL_CYCLES(0x00c0),
	.cycles_even		= X86_ALL_CYCLES(0x00c0),
	.datasrc		= X86_DATASRC_NEHALEM,
};

static const struct x86_rule westmere_precise_rows[] = {
	X86_PRECISE_EVENT(0xc5, LOWER_FOUR),
};

static const struct x86_rule_list westmere_precise_rules =
	X86_LIST(westmere_precise_rows, &nehalem_precise_rules);

static const struct x86_precise westmere_precise = {
	.rules			= &westmere_precise_rules,
	.cycles			= X86_ALL_CYCLES(0x00c0),
	.cycles_even		= X86_ALL_CYCLES(0x00c0),
	.datasrc		= X86_DATASRC_WESTMERE,
};

const struct x86_model x86_model_nehalem = {
	.name		= "Nehalem",
	.pmu_name	= "nehalem",
	.counters	= FOUR_COUNTERS,
	.rules		= &nehalem_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &nehalem_extra_list,
	.generic	= &nehalem_branches_list,
	.cache		= &nehalem_cache_list,
	.named		= &x86_named_nehalem,
	.precise	= &nehalem_precise,
	.quirks		= X86_QUIRK_PERIOD_32,
};

static const struct x86_cache westmere_cache[] = {
	X86_CACHE(DTLB, READ, ACCESS, 0x010b),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x020b),
	X86_CACHE(ITLB, READ, MISS, 0x0185),
};

static const struct x86_cache_list westmere_cache_list =
	X86_LIST(westmere_cache, &nehalem_common_cache_list);

const struct x86_model x86_model_westmere = {
	.name		= "Westmere",
	.pmu_name	= "westmere",
	.counters	= FOUR_COUNTERS,
	.rules		= &westmere_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &westmere_extra_list,
	.generic	= &nehalem_generic_list,
	.cache		= &westmere_cache_list,
	.named		= &x86_named_nehalem,
	.precise	= &westmere_precise,
};

const struct x86_model x86_model_westmere_ex = {
	.name		= "Westmere",
	.pmu_name	= "westmere",
	.counters	= FOUR_COUNTERS,
	.rules		= &westmere_ex_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &westmere_extra_list,
	.generic	= &nehalem_generic_list,
	.cache		= &westmere_cache_list,
	.named		= &x86_named_nehalem,
	.precise	= &westmere_precise,
};

/* Retired memory events, from Sandy Bridge to Haswell with an erratum. */
static const struct x86_rule snb_memory_rows[] = {
	X86_CODE(0x01c0, X86_ONLY(1)),
	X86_EVENT(0xcd, X86_ONLY(3)),
	{ .first = 0xd0, .last = 0xd3, .mask = X86_SEL_EVENT,
	  .counters = LOWER_FOUR, .flags = X86_RULE_LEAK },
};

static const struct x86_rule_list snb_memory = X86_LIST(snb_memory_rows, NULL);

static const struct x86_rule snb_rows[] = {
	X86_CODE(0x0148, X86_ONLY(2)),
	X86_UMASK(0xa3, 0x02, X86_ONLY(2)),
	X86_UMASK(0xa3, 0x04, LOWER_FOUR),
};

static const struct x86_rule_list snb_rules = X86_LIST(snb_rows, &snb_memory);

static const struct x86_rule ivb_rows[] = {
	X86_CODE(0x0148, X86_ONLY(2)),
	X86_CODE(0x0279, LOWER_FOUR),
	X86_CODE(0x019c, LOWER_FOUR),
	X86_UMASK(0xa3, 0x08, X86_ONLY(2)),
	X86_UMASK(0xa3, 0x02, LOWER_FOUR),
	X86_UMASK(0xa3, 0x04, LOWER_FOUR),
};

static const struct x86_rule_list ivb_rules = X86_LIST(ivb_rows, &snb_memory);

static const struct x86_rule hsw_rows[] = {
	X86_CODE(0x0148, X86_ONLY(2)),
	X86_CODE(0x04a3, LOWER_FOUR),
	X86_UMASK(0xa3, 0x08, X86_ONLY(2)),
};

static const struct x86_rule_list hsw_rules = X86_LIST(hsw_rows, &snb_memory);

static const struct x86_rule bdw_rows[] = {
	X86_CODE(0x0148, X86_ONLY(2)),
	X86_UMASK(0xa3, 0x08, X86_ONLY(2)),
	X86_CODE(0x01c0, X86_ONLY(1)),
	X86_EVENT(0xcd, X86_ONLY(3)),
	X86_EVENTS(0xd0, 0xd2, LOWER_FOUR),
};

static const struct x86_rule_list bdw_rules = X86_LIST(bdw_rows, NULL);

/* All cycles, as those in which fewer than ten instructions retire. */
#define SKL_TOTAL_CYCLES	(0x01c0 | X86_SEL_INV | 10ULL << 24)

static const struct x86_rule skl_rows[] = {
	{ .first = SKL_TOTAL_CYCLES, .last = SKL_TOTAL_CYCLES,
	  .mask = X86_SEL_CODE | X86_SEL_INV | X86_SEL_CMASK,
	  .counters = X86_ONLY(0) | X86_FROM(2, 3) },
	X86_CODE(0x01c0, X86_ONLY(1)),
	X86_EVENT(0xc6, LOWER_FOUR),
	X86_EVENT(0xcd, LOWER_FOUR),
	X86_EVENTS(0xd0, 0xd2, LOWER_FOUR),
};

static const struct x86_rule_list skl_rules = X86_LIST(skl_rows, NULL);

/* Bits of the desktop's responses; servers have those of remote nodes, too. */
#define SNB_VALID	0x3f807f8fffULL
#define SNB_EP_VALID	0x3fffff8fffULL

static const struct x86_extra_rule snb_extra[] = {
	X86_RSP_0(0x01b7, SNB_VALID),
	X86_RSP_1(0x01bb, SNB_VALID),
	X86_LDLAT(0x01cd),
};

static const struct x86_extra_list snb_extra_list = X86_LIST(snb_extra, NULL);

static const struct x86_extra_rule snb_ep_extra[] = {
	X86_RSP_0(0x01b7, SNB_EP_VALID),
	X86_RSP_1(0x01bb, SNB_EP_VALID),
	X86_LDLAT(0x01cd),
};

static const struct x86_extra_list snb_ep_extra_list =
	X86_LIST(snb_ep_extra, NULL);

static const struct x86_extra_rule skl_extra[] = {
	X86_FRONTEND(0x01c6, 0x7fff17),
};

static const struct x86_extra_list skl_extra_list =
	X86_LIST(skl_extra, &snb_ep_extra_list);

/* Cycles without an issued uop; from Ivy Bridge on only that. */
static const struct x86_generic ivb_generic[] = {
	X86_GENERIC(STALLED_CYCLES_FRONTEND, X86_WITHOUT(0x010e)),
};

static const struct x86_generic_list ivb_generic_list =
	X86_LIST(ivb_generic, &x86_generic_intel);

static const struct x86_generic snb_generic[] = {
	X86_GENERIC(STALLED_CYCLES_BACKEND, X86_WITHOUT(0x01b1)),
};

static const struct x86_generic_list snb_generic_list =
	X86_LIST(snb_generic, &ivb_generic_list);

/* What Sandy Bridge and Ivy Bridge have in common. */
static const struct x86_cache snb_common_cache[] = {
	X86_CACHE(L1D, READ, MISS, 0x0151),
	X86_CACHE(L1I, READ, MISS, 0x0280),
	X86_CACHE(DTLB, READ, ACCESS, 0x81d0),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x82d0),
	X86_CACHE(DTLB, WRITE, MISS, 0x0149),
	X86_CACHE(ITLB, READ, ACCESS, 0x1085),
	X86_CACHE(ITLB, READ, MISS, 0x0185),
};

static const struct x86_cache_list snb_common_cache_list =
	X86_LIST(snb_common_cache, &x86_cache_branches);

static const struct x86_cache snb_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0xf1d0),
	X86_CACHE(L1D, WRITE, ACCESS, 0xf2d0),
	X86_CACHE(L1D, WRITE, MISS, 0x0851),
	X86_CACHE(L1D, PREFETCH, MISS, 0x024e),
	X86_CACHE(DTLB, READ, MISS, 0x0108),
};

static const struct x86_cache_list snb_cache_list =
	X86_LIST(snb_cache, &snb_common_cache_list);

static const struct x86_cache ivb_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x81d0),
	X86_CACHE(L1D, WRITE, ACCESS, 0x82d0),
	X86_CACHE(DTLB, READ, MISS, 0x8108),
};

static const struct x86_cache_list ivb_cache_list =
	X86_LIST(ivb_cache, &snb_common_cache_list);

#define SNB_ROWS(cache, hit, miss) \
	X86_CACHE_EXTRA(cache, READ, ACCESS, 0x01b7, SNB_READ | (hit)), \
	X86_CACHE_EXTRA(cache, READ, MISS, 0x01b7, SNB_READ | (miss)), \
	X86_CACHE_EXTRA(cache, WRITE, ACCESS, 0x01b7, SNB_WRITE | (hit)), \
	X86_CACHE_EXTRA(cache, WRITE, MISS, 0x01b7, SNB_WRITE | (miss)), \
	X86_CACHE_EXTRA(cache, PREFETCH, ACCESS, 0x01b7, SNB_PREFETCH | (hit)), \
	X86_CACHE_EXTRA(cache, PREFETCH, MISS, 0x01b7, SNB_PREFETCH | (miss))

/* Processors of one node have no remote memory, and no bits for it. */
static const struct x86_cache snb_memory_cache[] = {
	SNB_ROWS(LL, SNB_ANY, SNB_LOCAL | SNB_SNOOPS | SNB_NON_DRAM),
	X86_CACHE_EXTRA(NODE, READ, ACCESS, 0x01b7,
			SNB_READ | SNB_LOCAL | SNB_SNOOPS),
	X86_CACHE_EXTRA(NODE, WRITE, ACCESS, 0x01b7,
			SNB_WRITE | SNB_LOCAL | SNB_SNOOPS),
	X86_CACHE_EXTRA(NODE, PREFETCH, ACCESS, 0x01b7,
			SNB_PREFETCH | SNB_LOCAL | SNB_SNOOPS),
};

static const struct x86_cache_list snb_memory_list =
	X86_LIST(snb_memory_cache, &snb_cache_list);
static const struct x86_cache_list ivb_memory_list =
	X86_LIST(snb_memory_cache, &ivb_cache_list);

static const struct x86_cache snb_ep_memory_cache[] = {
	SNB_ROWS(LL, SNB_ANY,
		 SNB_LOCAL | SNB_REMOTE | SNB_SNOOPS | SNB_NON_DRAM),
	SNB_ROWS(NODE, SNB_LOCAL | SNB_REMOTE | SNB_SNOOPS,
		 SNB_REMOTE | SNB_SNOOPS),
};

static const struct x86_cache_list snb_ep_memory_list =
	X86_LIST(snb_ep_memory_cache, &snb_cache_list);
static const struct x86_cache_list ivb_ep_memory_list =
	X86_LIST(snb_ep_memory_cache, &ivb_cache_list);

#define HSW_ROWS(cache, hit, miss) \
	X86_CACHE_EXTRA(cache, READ, ACCESS, 0x01b7, HSW_READ | (hit)), \
	X86_CACHE_EXTRA(cache, READ, MISS, 0x01b7, HSW_READ | (miss)), \
	X86_CACHE_EXTRA(cache, WRITE, ACCESS, 0x01b7, HSW_WRITE | (hit)), \
	X86_CACHE_EXTRA(cache, WRITE, MISS, 0x01b7, HSW_WRITE | (miss))

/* Loads and stores, the same from Haswell to Skylake and later. */
static const struct x86_cache hsw_common_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x81d0),
	X86_CACHE(L1D, READ, MISS, 0x0151),
	X86_CACHE(L1D, WRITE, ACCESS, 0x82d0),
	X86_CACHE(L1I, READ, MISS, 0x0280),
	X86_CACHE(DTLB, READ, ACCESS, 0x81d0),
	X86_CACHE(DTLB, READ, MISS, 0x0108),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x82d0),
	X86_CACHE(DTLB, WRITE, MISS, 0x0149),
	X86_CACHE(ITLB, READ, ACCESS, 0x6085),
	X86_CACHE(ITLB, READ, MISS, 0x0185),
};

static const struct x86_cache_list hsw_common_cache_list =
	X86_LIST(hsw_common_cache, &x86_cache_branches);

static const struct x86_cache hsw_cache[] = {
	HSW_ROWS(LL, SNB_ANY,
		 HSW_LOCAL | HSW_REMOTE | SNB_SNOOPS | SNB_NON_DRAM),
	HSW_ROWS(NODE, HSW_LOCAL | SNB_SNOOPS, HSW_REMOTE | SNB_SNOOPS),
};

static const struct x86_cache_list hsw_cache_list =
	X86_LIST(hsw_cache, &hsw_common_cache_list);

static const struct x86_cache bdw_cache[] = {
	HSW_ROWS(LL, SNB_ANY, BDW_LOCAL | HSW_REMOTE | SNB_SNOOPS),
	HSW_ROWS(NODE, BDW_LOCAL | SNB_SNOOPS, HSW_REMOTE | SNB_SNOOPS),
};

static const struct x86_cache_list bdw_cache_list =
	X86_LIST(bdw_cache, &hsw_common_cache_list);

static const struct x86_cache skl_cache[] = {
	X86_CACHE(L1I, READ, MISS, 0x0283),
	HSW_ROWS(LL, SNB_ANY | SKL_SNOOPS | SNB_NON_DRAM,
		 BDW_LOCAL | HSW_REMOTE | SKL_SNOOPS | SNB_NON_DRAM |
		 SKL_NO_SUPPLIER),
	X86_CACHE(DTLB, READ, MISS, 0x0e08),
	X86_CACHE(DTLB, WRITE, MISS, 0x0e49),
	X86_CACHE(ITLB, READ, ACCESS, 0x2085),
	X86_CACHE(ITLB, READ, MISS, 0x0e85),
	HSW_ROWS(NODE, BDW_LOCAL | SKL_SNOOPS, HSW_REMOTE | SKL_SNOOPS),
};

const struct x86_cache_list x86_cache_skylake =
	X86_LIST(skl_cache, &hsw_common_cache_list);

/*
 * Precise events from Sandy Bridge on. Each event without settings can be
 * precise on the lower four counters; those that are listed say something of
 * data, or have other counters.
 */
static const struct x86_rule common_precise_rows[] = {
	X86_PRECISE(0x01c0, X86_ONLY(1)),
	X86_PRECISE(X86_ALL_CYCLES(0x01c0), X86_ONLY(1)),
	X86_PRECISE(X86_ALL_CYCLES(0x01c2), LOWER_FOUR),
	X86_PRECISE_DATA(0x01cd, LOWER_FOUR, LOAD_LATENCY),
	X86_PRECISE_OTHERS(LOWER_FOUR),
};

static const struct x86_rule_list common_precise_rules =
	X86_LIST(common_precise_rows, NULL);

static const struct x86_rule snb_precise_rows[] = {
	X86_PRECISE_DATA(0x02cd, X86_ONLY(3), PRECISE_STORE),
	X86_EVENTS(0xd0, 0xd3, LOWER_FOUR),
};

static const struct x86_rule_list snb_precise_rules =
	X86_LIST(snb_precise_rows, &common_precise_rules);

static const struct x86_precise snb_precise = {
	.rules			= &snb_precise_rules,
	.cycles			= X86_ALL_CYCLES(0x01c2),
	.cycles_even		= X86_ALL_CYCLES(0x01c2),
	.datasrc		= X86_DATASRC_SANDYBRIDGE,
};

static const struct x86_precise ivb_precise = {
	.rules			= &snb_precise_rules,
	.even			= EIGHT_COUNTERS,
	.cycles			= X86_ALL_CYCLES(0x01c2),
	.cycles_even		= X86_ALL_CYCLES(0x01c0),
	.datasrc		= X86_DATASRC_SANDYBRIDGE,
};

#define HSW_DATA_ROWS							\
	X86_PRECISE_DATA(0x11d0, LOWER_FOUR, LOAD),			\
	X86_PRECISE_DATA(0x12d0, LOWER_FOUR, STORE),			\
	X86_PRECISE_DATA(0x21d0, LOWER_FOUR, LOAD),			\
	X86_PRECISE_DATA(0x41d0, LOWER_FOUR, LOAD),			\
	X86_PRECISE_DATA(0x42d0, LOWER_FOUR, STORE),			\
	X86_PRECISE_DATA(0x81d0, LOWER_FOUR, LOAD),			\
	X86_PRECISE_DATA(0x82d0, LOWER_FOUR, STORE),			\
	X86_PRECISE_EVENTS(0xd1, 0xd3, LOWER_FOUR, LOAD)

static const struct x86_rule hsw_precise_rows[] = {
	HSW_DATA_ROWS,
};

static const struct x86_rule_list hsw_precise_rules =
	X86_LIST(hsw_precise_rows, &common_precise_rules);

static const struct x86_precise hsw_precise = {
	.rules			= &hsw_precise_rules,
	.even			= EIGHT_COUNTERS,
	.cycles			= X86_ALL_CYCLES(0x01c2),
	.cycles_even		= X86_ALL_CYCLES(0x01c0),
	.datasrc		= X86_DATASRC_SANDYBRIDGE,
};

static const struct x86_rule skl_precise_rows[] = {
	X86_PRECISE(X86_ALL_CYCLES(0x00c0), LOWER_FOUR),
	X86_PRECISE(SKL_TOTAL_CYCLES, LOWER_FOUR),
	X86_PRECISE_DATA(0x22d0, LOWER_FOUR, STORE),
};

static const struct x86_rule_list skl_precise_rules =
	X86_LIST(skl_precise_rows, &hsw_precise_rules);

#define SKL_PRECISE(numbers)						\
	{ .rules = &skl_precise_rules,					\
	  .even = EIGHT_COUNTERS,					\
	  .cycles = X86_ALL_CYCLES(0x00c0),				\
	  .cycles_even = X86_ALL_CYCLES(0x01c0),			\
	  .datasrc = X86_DATASRC_##numbers }

static const struct x86_precise skl_precise = SKL_PRECISE(SKYLAKE);
static const struct x86_precise skl_server_precise = SKL_PRECISE(SKYLAKE_SERVER);

#define SNB_QUIRKS	(X86_QUIRK_LEAK | X86_QUIRK_EXTRA_PER_THREAD)

const struct x86_model x86_model_sandybridge = {
	.name		= "SandyBridge",
	.pmu_name	= "sandybridge",
	.counters	= EIGHT_COUNTERS,
	.rules		= &snb_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &snb_extra_list,
	.generic	= &snb_generic_list,
	.cache		= &snb_memory_list,
	.named		= &x86_named_sandybridge,
	.precise	= &snb_precise,
	.quirks		= SNB_QUIRKS,
};

const struct x86_model x86_model_sandybridge_ep = {
	.name		= "SandyBridge",
	.pmu_name	= "sandybridge",
	.counters	= EIGHT_COUNTERS,
	.rules		= &snb_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &snb_ep_extra_list,
	.generic	= &snb_generic_list,
	.cache		= &snb_ep_memory_list,
	.named		= &x86_named_sandybridge,
	.precise	= &snb_precise,
	.quirks		= SNB_QUIRKS,
};

const struct x86_model x86_model_ivybridge = {
	.name		= "IvyBridge",
	.pmu_name	= "ivybridge",
	.counters	= EIGHT_COUNTERS,
	.rules		= &ivb_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &snb_extra_list,
	.generic	= &ivb_generic_list,
	.cache		= &ivb_memory_list,
	.named		= &x86_named_sandybridge,
	.precise	= &ivb_precise,
	.quirks		= SNB_QUIRKS,
};

const struct x86_model x86_model_ivybridge_ep = {
	.name		= "IvyBridge",
	.pmu_name	= "ivybridge",
	.counters	= EIGHT_COUNTERS,
	.rules		= &ivb_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &snb_ep_extra_list,
	.generic	= &ivb_generic_list,
	.cache		= &ivb_ep_memory_list,
	.named		= &x86_named_sandybridge,
	.precise	= &ivb_precise,
	.quirks		= SNB_QUIRKS,
};

const struct x86_model x86_model_haswell = {
	.name		= "Haswell",
	.pmu_name	= "haswell",
	.counters	= EIGHT_COUNTERS,
	.rules		= &hsw_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &snb_ep_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &hsw_cache_list,
	.named		= &x86_named_haswell,
	.precise	= &hsw_precise,
	.quirks		= SNB_QUIRKS | X86_QUIRK_TSX | X86_QUIRK_LATE_ACK |
			  X86_QUIRK_PERIOD_32 | X86_QUIRK_PERIOD_128,
};

const struct x86_model x86_model_broadwell = {
	.name		= "Broadwell",
	.pmu_name	= "broadwell",
	.counters	= EIGHT_COUNTERS,
	.rules		= &bdw_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &snb_ep_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &bdw_cache_list,
	.named		= &x86_named_haswell,
	.precise	= &hsw_precise,
	.quirks		= X86_QUIRK_EXTRA_PER_THREAD | X86_QUIRK_TSX |
			  X86_QUIRK_LATE_ACK | X86_QUIRK_PERIOD_64 |
			  X86_QUIRK_PERIOD_128,
};

const struct x86_model x86_model_skylake = {
	.name		= "Skylake",
	.pmu_name	= "skylake",
	.counters	= EIGHT_COUNTERS,
	.rules		= &skl_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &skl_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &x86_cache_skylake,
	.named		= &x86_named_skylake,
	.precise	= &skl_precise,
	.quirks		= X86_QUIRK_EXTRA_PER_THREAD | X86_QUIRK_TSX |
			  X86_QUIRK_LATE_ACK,
};

const struct x86_model x86_model_skylake_server = {
	.name		= "Skylake",
	.pmu_name	= "skylake",
	.counters	= EIGHT_COUNTERS,
	.rules		= &skl_rules,
	.fixed		= &x86_fixed_intel,
	.extra		= &skl_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &x86_cache_skylake,
	.named		= &x86_named_skylake,
	.precise	= &skl_server_precise,
	.quirks		= X86_QUIRK_EXTRA_PER_THREAD | X86_QUIRK_TSX |
			  X86_QUIRK_LATE_ACK,
};
