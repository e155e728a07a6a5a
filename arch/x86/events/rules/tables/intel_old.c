// SPDX-License-Identifier: GPL-2.0
/*
 * Room "tables/intel_old": P6, Core and Core 2, and what the manuals promise
 * for every core with an architectural PMU.
 *
 * Purpose: the events of these cores, SDM vol. 3 20.2 and 20.6.8; their codes
 * are those of the event tables.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include "tables.h"

/* What each fixed counter of version 2 counts, SDM vol. 3 table 20-2. */
static const struct x86_fixed_code intel_fixed[] = {
	X86_FIXED_CODE(0x00c0, 0),
	X86_FIXED_CODE(0x003c, 1),
	X86_FIXED_CODE(0x0300, 2),
};

const struct x86_fixed_list x86_fixed_intel = X86_LIST(intel_fixed, NULL);

/* Names of the fixed counters of version 5; the later ones have no event. */
static const struct x86_fixed_code intel_fixed_v5[] = {
	X86_FIXED_CODE(0x0400, 3), X86_FIXED_CODE(0x0500, 4),
	X86_FIXED_CODE(0x0600, 5), X86_FIXED_CODE(0x0700, 6),
	X86_FIXED_CODE(0x0800, 7), X86_FIXED_CODE(0x0900, 8),
	X86_FIXED_CODE(0x0a00, 9), X86_FIXED_CODE(0x0b00, 10),
	X86_FIXED_CODE(0x0c00, 11), X86_FIXED_CODE(0x0d00, 12),
	X86_FIXED_CODE(0x0e00, 13), X86_FIXED_CODE(0x0f00, 14),
	X86_FIXED_CODE(0x1000, 15),
};

static const struct x86_fixed_list intel_fixed_list_v5 =
	X86_LIST(intel_fixed_v5, &x86_fixed_intel);

/* Architectural events, SDM vol. 3 table 20-1. */
static const struct x86_generic intel_generic_v1[] = {
	X86_GENERIC_ARCH(CPU_CYCLES, 0, 0x003c),
	X86_GENERIC_ARCH(INSTRUCTIONS, 1, 0x00c0),
	X86_GENERIC_ARCH(BUS_CYCLES, 2, 0x013c),
	X86_GENERIC_ARCH(CACHE_REFERENCES, 3, 0x4f2e),
	X86_GENERIC_ARCH(CACHE_MISSES, 4, 0x412e),
	X86_GENERIC_ARCH(BRANCH_INSTRUCTIONS, 5, 0x00c4),
	X86_GENERIC_ARCH(BRANCH_MISSES, 6, 0x00c5),
};

const struct x86_generic_list x86_generic_intel_v1 =
	X86_LIST(intel_generic_v1, NULL);

/* Only fixed counter 2 counts at the rate of the time-stamp counter. */
static const struct x86_generic intel_generic[] = {
	X86_GENERIC(REF_CPU_CYCLES, 0x0300),
};

const struct x86_generic_list x86_generic_intel =
	X86_LIST(intel_generic, &x86_generic_intel_v1);

/* Code is not written, and neither code pages nor branches are prefetched. */
static const struct x86_cache common_cache[] = {
	X86_CACHE_SENSELESS(L1I, WRITE),
	X86_CACHE_SENSELESS(ITLB, WRITE),
	X86_CACHE_SENSELESS(ITLB, PREFETCH),
	X86_CACHE_SENSELESS(BPU, WRITE),
	X86_CACHE_SENSELESS(BPU, PREFETCH),
};

const struct x86_cache_list x86_cache_common = X86_LIST(common_cache, NULL);

static const struct x86_cache branches_cache[] = {
	X86_CACHE(BPU, READ, ACCESS, 0x00c4),
	X86_CACHE(BPU, READ, MISS, 0x00c5),
};

const struct x86_cache_list x86_cache_branches =
	X86_LIST(branches_cache, &x86_cache_common);

/* Floating point, multiplier and divider, the same from P6 to Core 2. */
static const struct x86_rule divider_rows[] = {
	X86_EVENTS(0x11, 0x13, X86_ONLY(1)),
	X86_EVENT(0x14, X86_ONLY(0)),
};

static const struct x86_rule_list divider_rules = X86_LIST(divider_rows, NULL);

static const struct x86_rule p6_rows[] = {
	X86_EVENT(0x10, X86_ONLY(0)),
	X86_EVENT(0xc1, X86_ONLY(0)),
};

static const struct x86_rule_list p6_rules = X86_LIST(p6_rows, &divider_rules);

static const struct x86_generic p6_generic[] = {
	X86_GENERIC(CPU_CYCLES, 0x0079),
	X86_GENERIC(INSTRUCTIONS, 0x00c0),
	X86_GENERIC(CACHE_REFERENCES, 0x0f2e),
	X86_GENERIC(CACHE_MISSES, 0x012e),
	X86_GENERIC(BRANCH_INSTRUCTIONS, 0x00c4),
	X86_GENERIC(BRANCH_MISSES, 0x00c5),
	X86_GENERIC(BUS_CYCLES, 0x0062),
	X86_GENERIC(STALLED_CYCLES_FRONTEND, 0x00a2),
};

static const struct x86_generic_list p6_generic_list =
	X86_LIST(p6_generic, NULL);

static const struct x86_cache p6_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x0043),
	X86_CACHE(L1D, READ, MISS, 0x0045),
	X86_CACHE(L1D, WRITE, MISS, 0x0f29),
	X86_CACHE(L1I, READ, ACCESS, 0x0080),
	X86_CACHE(L1I, READ, MISS, 0x0f28),
	X86_CACHE(LL, WRITE, MISS, 0x0025),
	X86_CACHE(DTLB, READ, ACCESS, 0x0043),
	X86_CACHE(ITLB, READ, ACCESS, 0x0080),
	X86_CACHE(ITLB, READ, MISS, 0x0085),
};

static const struct x86_cache_list p6_cache_list =
	X86_LIST(p6_cache, &x86_cache_branches);

const struct x86_model x86_model_p6 = {
	.name		= "P6",
	.counters	= X86_GENERAL(2),
	.rules		= &p6_rules,
	.generic	= &p6_generic_list,
	.cache		= &p6_cache_list,
	.quirks		= X86_QUIRK_ONE_ENABLE,
};

static const struct x86_rule core_rows[] = {
	X86_EVENT(0x19, X86_ONLY(1)),
	X86_EVENT(0xc1, X86_ONLY(0)),
};

static const struct x86_rule_list core_rules =
	X86_LIST(core_rows, &divider_rules);

const struct x86_model x86_model_core = {
	.name		= "Core",
	.pmu_name	= "core",
	.counters	= X86_GENERAL(2),
	.rules		= &core_rules,
	.generic	= &x86_generic_intel_v1,
};

static const struct x86_rule core2_rows[] = {
	X86_EVENT(0x10, X86_ONLY(0)),
	X86_EVENT(0x18, X86_ONLY(0)),
	X86_EVENT(0x19, X86_ONLY(1)),
	X86_EVENT(0xa1, X86_ONLY(0)),
	X86_EVENT(0xc9, X86_ONLY(0)),
	X86_EVENT(0xcb, X86_ONLY(0)),
};

static const struct x86_rule_list core2_rules =
	X86_LIST(core2_rows, &divider_rules);

static const struct x86_cache core2_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x0f40),
	X86_CACHE(L1D, READ, MISS, 0x0140),
	X86_CACHE(L1D, WRITE, ACCESS, 0x0f41),
	X86_CACHE(L1D, WRITE, MISS, 0x0141),
	X86_CACHE(L1D, PREFETCH, ACCESS, 0x104e),
	X86_CACHE(L1I, READ, ACCESS, 0x0080),
	X86_CACHE(L1I, READ, MISS, 0x0081),
	X86_CACHE(LL, READ, ACCESS, 0x4f29),
	X86_CACHE(LL, READ, MISS, 0x4129),
	X86_CACHE(LL, WRITE, ACCESS, 0x4f2a),
	X86_CACHE(LL, WRITE, MISS, 0x412a),
	X86_CACHE(DTLB, READ, ACCESS, 0x0f40),
	X86_CACHE(DTLB, READ, MISS, 0x0208),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x0f41),
	X86_CACHE(DTLB, WRITE, MISS, 0x0808),
	X86_CACHE(ITLB, READ, ACCESS, 0x00c0),
	X86_CACHE(ITLB, READ, MISS, 0x1282),
};

static const struct x86_cache_list core2_cache_list =
	X86_LIST(core2_cache, &x86_cache_branches);

/* Precise events, by the event tables. */
static const struct x86_rule core2_precise_rows[] = {
	X86_PRECISE(0x00c0, X86_ONLY(0)),
	X86_PRECISE(X86_ALL_CYCLES(0x00c0), X86_ONLY(0)),
	X86_PRECISE(0xfec1, X86_ONLY(0)),
	X86_PRECISE(0x00c5, X86_ONLY(0)),
	X86_PRECISE(0x1fc7, X86_ONLY(0)),
	X86_PRECISE_EVENT(0xcb, X86_ONLY(0)),
};

static const struct x86_rule_list core2_precise_rules =
	X86_LIST(core2_precise_rows, NULL);

static const struct x86_precise core2_precise = {
	.rules			= &core2_precise_rules,
	.cycles			= X86_ALL_CYCLES(0x00c0),
	.cycles_even		= X86_ALL_CYCLES(0x00c0),
};

const struct x86_model x86_model_core2 = {
	.name		= "Core2",
	.pmu_name	= "core2",
	.counters	= X86_GENERAL(2) | X86_FROM(32, 34),
	.rules		= &core2_rules,
	.fixed		= &x86_fixed_intel,
	.generic	= &x86_generic_intel,
	.cache		= &core2_cache_list,
	.precise	= &core2_precise,
};

const struct x86_model x86_model_intel_v1 = {
	.name		= "generic architected perfmon v1",
	.pmu_name	= "generic_arch_v1",
	.counters	= X86_ALL_GENERAL,
	.generic	= &x86_generic_intel_v1,
};

const struct x86_model x86_model_intel_v2 = {
	.name		= "generic architected perfmon",
	.pmu_name	= "generic_arch_v2+",
	.counters	= X86_ALL_GENERAL | X86_FROM(32, 34),
	.fixed		= &x86_fixed_intel,
	.generic	= &x86_generic_intel,
};

const struct x86_model x86_model_intel_v5 = {
	.name		= "generic architected perfmon",
	.pmu_name	= "generic_arch_v5+",
	.counters	= X86_ALL_GENERAL | X86_ALL_FIXED,
	.fixed		= &intel_fixed_list_v5,
	.generic	= &x86_generic_intel,
};
