// SPDX-License-Identifier: GPL-2.0
/*
 * Room "tables/intel_atom": Atom processors, the efficient cores of hybrid
 * processors, and Knights Landing.
 *
 * Purpose: the events of these cores, by the event tables and SDM vol. 3 20.4
 * and 20.5.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include "tables.h"

#define THREE_FIXED	X86_FROM(32, 34)

/* Requests and responses of the event OFFCORE_RESPONSE. */
#define RSP_READ	BIT_ULL(0)
#define RSP_WRITE	BIT_ULL(1)
#define RSP_PREFETCH	(BIT_ULL(4) | BIT_ULL(5))
#define RSP_ANY		BIT_ULL(16)
#define RSP_HITM	BIT_ULL(36)
#define RSP_NON_DRAM	BIT_ULL(37)
#define SLM_SNOOPS	(BIT_ULL(31) | BIT_ULL(33) | BIT_ULL(34) | RSP_HITM)
#define KNL_OTHER_TILES	X86_FROM(19, 20)
#define KNL_MEMORY	X86_FROM(21, 24)
#define KNL_SNOOPS	(X86_FROM(31, 32) | X86_FROM(35, 36))
#define KNL_PREFETCH	(BIT_ULL(5) | BIT_ULL(13))
#define GLM_SNOOPS	X86_FROM(33, 34)
#define TNT_LOCAL_DRAM	BIT_ULL(26)
#define TNT_SNOOPS	X86_FROM(32, 36)

#define SLM_MISS	(SLM_SNOOPS | RSP_NON_DRAM)
#define KNL_MISS	(KNL_OTHER_TILES | KNL_MEMORY | KNL_SNOOPS | RSP_NON_DRAM)
#define GLM_MISS	(GLM_SNOOPS | RSP_HITM | RSP_NON_DRAM)
#define TNT_MISS	(TNT_SNOOPS | RSP_NON_DRAM | TNT_LOCAL_DRAM)

/* The last level, by the register of event 0x01b7. */
#define LL_READ(miss) \
	X86_CACHE_EXTRA(LL, READ, ACCESS, 0x01b7, RSP_READ | RSP_ANY), \
	X86_CACHE_EXTRA(LL, READ, MISS, 0x01b7, RSP_READ | (miss))
#define LL_WRITE(miss) \
	X86_CACHE_EXTRA(LL, WRITE, ACCESS, 0x01b7, RSP_WRITE | RSP_ANY), \
	X86_CACHE_EXTRA(LL, WRITE, MISS, 0x01b7, RSP_WRITE | (miss))
#define LL_PREFETCH(request, miss) \
	X86_CACHE_EXTRA(LL, PREFETCH, ACCESS, 0x01b7, (request) | RSP_ANY), \
	X86_CACHE_EXTRA(LL, PREFETCH, MISS, 0x01b7, (request) | (miss))

static const struct x86_cache bonnell_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x2140),
	X86_CACHE(L1D, WRITE, ACCESS, 0x2240),
	X86_CACHE(L1I, READ, ACCESS, 0x0380),
	X86_CACHE(L1I, READ, MISS, 0x0280),
	X86_CACHE(LL, READ, ACCESS, 0x4f29),
	X86_CACHE(LL, READ, MISS, 0x4129),
	X86_CACHE(LL, WRITE, ACCESS, 0x4f2a),
	X86_CACHE(LL, WRITE, MISS, 0x412a),
	X86_CACHE(DTLB, READ, ACCESS, 0x2140),
	X86_CACHE(DTLB, READ, MISS, 0x0508),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x2240),
	X86_CACHE(DTLB, WRITE, MISS, 0x0608),
	X86_CACHE(ITLB, READ, ACCESS, 0x00c0),
	X86_CACHE(ITLB, READ, MISS, 0x0282),
};

static const struct x86_cache_list bonnell_cache_list =
	X86_LIST(bonnell_cache, &x86_cache_branches);

/* Each event without settings can be precise on counter 0. */
static const struct x86_rule old_atom_precise_rows[] = {
	X86_PRECISE(X86_ALL_CYCLES(0x00c0), X86_ONLY(0)),
	X86_PRECISE_OTHERS(X86_ONLY(0)),
};

static const struct x86_rule_list old_atom_precise_rules =
	X86_LIST(old_atom_precise_rows, NULL);

static const struct x86_precise old_atom_precise = {
	.rules			= &old_atom_precise_rules,
	.cycles			= X86_ALL_CYCLES(0x00c0),
	.cycles_even		= X86_ALL_CYCLES(0x00c0),
};

const struct x86_model x86_model_bonnell = {
	.name		= "Atom",
	.pmu_name	= "bonnell",
	.counters	= X86_GENERAL(2) | THREE_FIXED,
	.fixed		= &x86_fixed_intel,
	.generic	= &x86_generic_intel,
	.cache		= &bonnell_cache_list,
	.precise	= &old_atom_precise,
};

static const struct x86_extra_rule silvermont_extra[] = {
	X86_RSP_0(0x01b7, 0x768005ffffULL),
	X86_RSP_1(0x02b7, 0x368005ffffULL),
};

static const struct x86_extra_list silvermont_extra_list =
	X86_LIST(silvermont_extra, NULL);

static const struct x86_cache silvermont_common_cache[] = {
	X86_CACHE(L1D, READ, MISS, 0x0104),
	X86_CACHE(L1I, READ, ACCESS, 0x0380),
	X86_CACHE(L1I, READ, MISS, 0x0280),
	X86_CACHE_EXTRA(LL, READ, ACCESS, 0x01b7, RSP_READ | RSP_ANY),
	X86_CACHE(DTLB, READ, MISS, 0x0804),
	X86_CACHE(ITLB, READ, ACCESS, 0x00c0),
	/* Walks begin with an edge. */
	X86_CACHE(ITLB, READ, MISS, 0x0205 | X86_SEL_EDGE),
};

static const struct x86_cache_list silvermont_common_cache_list =
	X86_LIST(silvermont_common_cache, &x86_cache_branches);

static const struct x86_cache silvermont_cache[] = {
	LL_WRITE(SLM_MISS),
	LL_PREFETCH(RSP_PREFETCH, SLM_MISS),
};

static const struct x86_cache_list silvermont_cache_list =
	X86_LIST(silvermont_cache, &silvermont_common_cache_list);

const struct x86_model x86_model_silvermont = {
	.name		= "Silvermont",
	.pmu_name	= "silvermont",
	.counters	= X86_GENERAL(2) | THREE_FIXED,
	.fixed		= &x86_fixed_intel,
	.extra		= &silvermont_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &silvermont_cache_list,
	.named		= &x86_named_silvermont,
	.precise	= &old_atom_precise,
};

static const struct x86_extra_rule knights_landing_extra[] = {
	X86_RSP_0(0x01b7, 0x799ffbb6e7ULL),
	X86_RSP_1(0x02b7, 0x399ffbffe7ULL),
};

static const struct x86_extra_list knights_landing_extra_list =
	X86_LIST(knights_landing_extra, NULL);

static const struct x86_cache knights_landing_cache[] = {
	LL_WRITE(KNL_MISS),
	LL_PREFETCH(KNL_PREFETCH, KNL_MISS),
};

static const struct x86_cache_list knights_landing_cache_list =
	X86_LIST(knights_landing_cache, &silvermont_common_cache_list);

const struct x86_model x86_model_knights_landing = {
	.name		= "Knights Landing/Mill",
	.pmu_name	= "knights-landing",
	.counters	= X86_GENERAL(2) | THREE_FIXED,
	.fixed		= &x86_fixed_intel,
	.extra		= &knights_landing_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &knights_landing_cache_list,
	.precise	= &old_atom_precise,
	.quirks		= X86_QUIRK_EXTRA_PER_THREAD,
};

static const struct x86_extra_rule goldmont_extra[] = {
	X86_RSP_0(0x01b7, 0x760005ffbfULL),
	X86_RSP_1(0x02b7, 0x360005ffbfULL),
};

static const struct x86_extra_list goldmont_extra_list =
	X86_LIST(goldmont_extra, NULL);

static const struct x86_cache goldmont_common_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x81d0),
	X86_CACHE(L1D, WRITE, ACCESS, 0x82d0),
	X86_CACHE(L1I, READ, ACCESS, 0x0380),
	X86_CACHE(L1I, READ, MISS, 0x0280),
	X86_CACHE(DTLB, READ, ACCESS, 0x81d0),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x82d0),
	X86_CACHE(ITLB, READ, MISS, 0x0481),
};

static const struct x86_cache_list goldmont_common_cache_list =
	X86_LIST(goldmont_common_cache, &x86_cache_branches);

static const struct x86_cache goldmont_cache[] = {
	LL_READ(GLM_MISS),
	LL_WRITE(GLM_MISS),
	LL_PREFETCH(RSP_PREFETCH, GLM_MISS),
	X86_CACHE(ITLB, READ, ACCESS, 0x00c0),
};

static const struct x86_cache_list goldmont_cache_list =
	X86_LIST(goldmont_cache, &goldmont_common_cache_list);

static const struct x86_rule goldmont_precise_rows[] = {
	X86_PRECISE_OTHERS(X86_ONLY(0)),
};

static const struct x86_rule_list goldmont_precise_rules =
	X86_LIST(goldmont_precise_rows, NULL);

static const struct x86_precise goldmont_precise = {
	.rules		= &goldmont_precise_rules,
	.even		= X86_ONLY(0),
};

/* From Goldmont Plus on all events can be precise, on all counters. */
static const struct x86_precise goldmont_plus_precise = {
	.all		= true,
	.even		= X86_ONLY(0),
	.even_instructions = X86_ONLY(0),
};

static const struct x86_precise tremont_precise = {
	.all		= true,
	.even		= X86_ONLY(0),
	.even_instructions = X86_ONLY(0) | X86_FIXED(0),
};

const struct x86_model x86_model_goldmont = {
	.name		= "Goldmont",
	.pmu_name	= "goldmont",
	.counters	= X86_GENERAL(4) | THREE_FIXED,
	.fixed		= &x86_fixed_intel,
	.extra		= &goldmont_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &goldmont_cache_list,
	.named		= &x86_named_goldmont,
	.precise	= &goldmont_precise,
};

/* From Goldmont Plus on the second level of the TLB counts its walks. */
static const struct x86_cache walks_cache[] = {
	X86_CACHE(DTLB, READ, MISS, 0x0e08),
	X86_CACHE(DTLB, WRITE, MISS, 0x0e49),
};

static const struct x86_cache_list walks_cache_list =
	X86_LIST(walks_cache, &goldmont_common_cache_list);

static const struct x86_cache goldmont_plus_cache[] = {
	LL_READ(GLM_MISS),
	LL_WRITE(GLM_MISS),
	X86_CACHE(ITLB, READ, ACCESS, 0x00c0),
};

static const struct x86_cache_list goldmont_plus_cache_list =
	X86_LIST(goldmont_plus_cache, &walks_cache_list);

const struct x86_model x86_model_goldmont_plus = {
	.name		= "Goldmont plus",
	.pmu_name	= "goldmont_plus",
	.counters	= X86_GENERAL(4) | THREE_FIXED,
	.fixed		= &x86_fixed_intel,
	.extra		= &goldmont_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &goldmont_plus_cache_list,
	.named		= &x86_named_goldmont,
	.precise	= &goldmont_plus_precise,
};

static const struct x86_extra_rule tremont_extra[] = {
	X86_RSP_0(0x01b7, 0x800ff0ffffff9fffULL),
	X86_RSP_1(0x02b7, 0xff0ffffff9fffULL),
};

static const struct x86_extra_list tremont_extra_list =
	X86_LIST(tremont_extra, NULL);

static const struct x86_cache tremont_cache[] = {
	LL_READ(TNT_MISS),
	LL_WRITE(TNT_MISS),
	X86_CACHE(ITLB, READ, ACCESS, X86_CACHE_REFUSED),
};

static const struct x86_cache_list tremont_cache_list =
	X86_LIST(tremont_cache, &walks_cache_list);

const struct x86_model x86_model_tremont = {
	.name		= "Tremont",
	.pmu_name	= "Tremont",
	.counters	= X86_GENERAL(4) | THREE_FIXED,
	.fixed		= &x86_fixed_intel,
	.extra		= &tremont_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &tremont_cache_list,
	.named		= &x86_named_tremont,
	.precise	= &tremont_precise,
	.quirks		= X86_QUIRK_LATE_ACK,
};

/* Load latency; Skymont can measure it with all counters. */
static const struct x86_rule gracemont_rows[] = {
	X86_CODE(0x05d0, X86_GENERAL(2)),
};

static const struct x86_rule_list gracemont_rules =
	X86_LIST(gracemont_rows, NULL);

static const struct x86_cache gracemont_cache[] = {
	X86_CACHE(ITLB, READ, MISS, 0x0e85),
};

static const struct x86_cache_list gracemont_cache_list =
	X86_LIST(gracemont_cache, &tremont_cache_list);

/* Fixed counter 2 counts what the general event does. */
static const struct x86_fixed_code gracemont_fixed[] = {
	X86_FIXED_CODE(0x013c, 2),
};

static const struct x86_fixed_list gracemont_fixed_list =
	X86_LIST(gracemont_fixed, &x86_fixed_intel);

#define GRT_VALID	0x3fffffffffULL

static const struct x86_extra_rule gracemont_extra[] = {
	X86_RSP_0(0x01b7, GRT_VALID),
	X86_RSP_1(0x02b7, GRT_VALID),
	X86_LDLAT(0x05d0),
};

static const struct x86_extra_list gracemont_extra_list =
	X86_LIST(gracemont_extra, NULL);

#define GRT_COUNTERS	(X86_GENERAL(6) | THREE_FIXED)
#define CMT_COUNTERS	(X86_GENERAL(8) | THREE_FIXED)
/* There is no fixed counter 3; 4 to 6 count slots. */
#define SKT_COUNTERS	(CMT_COUNTERS | X86_FROM(36, 38))

static const struct x86_rule gracemont_precise_rows[] = {
	X86_PRECISE_DATA(0x05d0, X86_GENERAL(2), LOAD_LATENCY),
	X86_PRECISE_DATA(0x06d0, X86_GENERAL(6), STORE_LATENCY),
};

static const struct x86_rule_list gracemont_precise_rules =
	X86_LIST(gracemont_precise_rows, NULL);

static const struct x86_precise gracemont_precise = {
	.rules		= &gracemont_precise_rules,
	.all		= true,
	.even		= X86_ONLY(0),
	.even_instructions = X86_ONLY(0) | X86_FIXED(0),
	.datasrc	= X86_DATASRC_GRACEMONT,
};

static const struct x86_precise crestmont_precise = {
	.rules		= &gracemont_precise_rules,
	.all		= true,
	.even		= X86_GENERAL(2),
	.even_instructions = X86_GENERAL(2) | X86_FIXED(0),
	.datasrc	= X86_DATASRC_CRESTMONT,
};

const struct x86_model x86_model_gracemont = {
	.name		= "Gracemont",
	.pmu_name	= "gracemont",
	.counters	= GRT_COUNTERS,
	.rules		= &gracemont_rules,
	.fixed		= &gracemont_fixed_list,
	.extra		= &gracemont_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &gracemont_cache_list,
	.named		= &x86_named_gracemont,
	.precise	= &gracemont_precise,
	.quirks		= X86_QUIRK_MID_ACK | X86_QUIRK_PERIOD_PRECISE,
};

const struct x86_model x86_model_alderlake_atom = {
	.name		= "Alderlake Hybrid",
	.pmu_name	= "alderlake_hybrid",
	.counters	= GRT_COUNTERS,
	.rules		= &gracemont_rules,
	.fixed		= &gracemont_fixed_list,
	.extra		= &gracemont_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &gracemont_cache_list,
	.named		= &x86_named_alderlake_atom,
	.precise	= &gracemont_precise,
	.quirks		= X86_QUIRK_MID_ACK | X86_QUIRK_PERIOD_PRECISE,
};

static const struct x86_extra_rule crestmont_extra[] = {
	X86_SNOOP_0(0x0127),
	X86_SNOOP_1(0x0227),
	X86_RSP_0(0x01b7, 0x800ff3ffffffffffULL),
	X86_RSP_1(0x02b7, 0xff3ffffffffffULL),
	X86_LDLAT(0x05d0),
};

static const struct x86_extra_list crestmont_extra_list =
	X86_LIST(crestmont_extra, NULL);

const struct x86_model x86_model_crestmont = {
	.name		= "Crestmont",
	.pmu_name	= "crestmont",
	.counters	= CMT_COUNTERS,
	.rules		= &gracemont_rules,
	.fixed		= &gracemont_fixed_list,
	.extra		= &crestmont_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &gracemont_cache_list,
	.named		= &x86_named_crestmont,
	.precise	= &crestmont_precise,
	.quirks		= X86_QUIRK_MID_ACK | X86_QUIRK_PERIOD_PRECISE,
};

const struct x86_model x86_model_meteorlake_atom = {
	.name		= "Meteorlake Hybrid",
	.pmu_name	= "meteorlake_hybrid",
	.counters	= CMT_COUNTERS,
	.rules		= &gracemont_rules,
	.fixed		= &gracemont_fixed_list,
	.extra		= &crestmont_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &gracemont_cache_list,
	.named		= &x86_named_alderlake_atom,
	.precise	= &crestmont_precise,
	.quirks		= X86_QUIRK_MID_ACK | X86_QUIRK_PERIOD_PRECISE,
};

/* Slots lost to bad speculation and to the front end, and slots that retire. */
static const struct x86_fixed_code skymont_fixed[] = {
	X86_FIXED_CODE(0x0073, 4), X86_FIXED_CODE(0x0500, 4),
	X86_FIXED_CODE(0x019c, 5), X86_FIXED_CODE(0x0600, 5),
	X86_FIXED_CODE(0x02c2, 6), X86_FIXED_CODE(0x0700, 6),
};

static const struct x86_fixed_list skymont_fixed_list =
	X86_LIST(skymont_fixed, &gracemont_fixed_list);

const struct x86_model x86_model_lunarlake_atom = {
	.name		= "Lunarlake Hybrid",
	.pmu_name	= "lunarlake_hybrid",
	.counters	= SKT_COUNTERS,
	.fixed		= &skymont_fixed_list,
	.extra		= &crestmont_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &gracemont_cache_list,
	.named		= &x86_named_skymont,
	.precise	= &crestmont_precise,
	.quirks		= X86_QUIRK_MID_ACK | X86_QUIRK_PERIOD_PRECISE,
};
