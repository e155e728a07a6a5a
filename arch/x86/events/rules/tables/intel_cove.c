// SPDX-License-Identifier: GPL-2.0
/*
 * Room "tables/intel_cove": Core processors from Ice Lake on.
 *
 * Purpose: the events of Sunny, Golden, Raptor, Redwood and Lion Cove, by the
 * event tables and SDM vol. 3 20.3.9 to 20.3.12.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include "tables.h"

#define COVE_METRICS(n)	X86_FROM(X86_COUNTER_METRICS, X86_COUNTER_METRICS + (n) - 1)

#define LOWER_FOUR	X86_GENERAL(4)

static const struct x86_rule icelake_rows[] = {
	X86_EVENTS(0x03, 0x0a, LOWER_FOUR),
	X86_EVENTS(0x1f, 0x28, LOWER_FOUR),
	X86_EVENT(0x32, LOWER_FOUR),
	X86_EVENTS(0x48, 0x56, LOWER_FOUR),
	X86_EVENTS(0x60, 0x8b, LOWER_FOUR),
	/* Stalls of any reason, or with any load outstanding. */
	X86_CODE(0x04a3, X86_ALL_GENERAL),
	X86_UMASK(0xa3, 0x10, X86_ALL_GENERAL),
	X86_EVENT(0xa3, LOWER_FOUR),
	X86_EVENTS(0xa8, 0xb0, LOWER_FOUR),
	X86_EVENTS(0xb7, 0xbd, LOWER_FOUR),
	X86_EVENTS(0xd0, 0xe6, LOWER_FOUR),
	X86_EVENTS(0xef, 0xf4, LOWER_FOUR),
};

static const struct x86_rule_list icelake_rules = X86_LIST(icelake_rows, NULL);

/* Precise distribution has no general counter; its name has event 0. */
static const struct x86_fixed_code icelake_fixed[] = {
	X86_FIXED_CODE(0x0100, 0),
	X86_FIXED_CODE(0x0400, 3),
	X86_METRIC(0), X86_METRIC(1), X86_METRIC(2), X86_METRIC(3),
};

static const struct x86_fixed_list icelake_fixed_list =
	X86_LIST(icelake_fixed, &x86_fixed_intel);

/* The code that older cores have for precise distribution. */
static const struct x86_fixed_code icelake_old_fixed[] = {
	X86_FIXED_CODE(0x01c0, 0),
};

static const struct x86_fixed_list icelake_old_fixed_list =
	X86_LIST(icelake_old_fixed, &icelake_fixed_list);

#define ICL_VALID	0x3fffffbfffULL

static const struct x86_extra_rule icelake_extra[] = {
	X86_RSP_0(0x01b7, ICL_VALID),
	X86_RSP_1(0x01bb, ICL_VALID),
	X86_FRONTEND(0x01c6, 0x7fff17),
	X86_LDLAT(0x01cd),
};

static const struct x86_extra_list icelake_extra_list =
	X86_LIST(icelake_extra, NULL);

static const struct x86_cache icelake_cache[] = {
	X86_CACHE(ITLB, READ, ACCESS, X86_CACHE_REFUSED),
};

static const struct x86_cache_list icelake_cache_list =
	X86_LIST(icelake_cache, &x86_cache_skylake);

/*
 * Precise events. All other events can be precise, too, on all their counters.
 * Events of memory without a rule of their own say nothing of data.
 */
#define COVE_DATA_ROWS							\
	X86_PRECISE_DATA(0x11d0, LOWER_FOUR, LOAD),			\
	X86_PRECISE_DATA(0x12d0, LOWER_FOUR, STORE),			\
	X86_PRECISE_DATA(0x21d0, LOWER_FOUR, LOAD),			\
	X86_PRECISE_DATA(0x41d0, LOWER_FOUR, LOAD),			\
	X86_PRECISE_DATA(0x42d0, LOWER_FOUR, STORE),			\
	X86_PRECISE_DATA(0x81d0, LOWER_FOUR, LOAD),			\
	X86_PRECISE_DATA(0x82d0, LOWER_FOUR, STORE),			\
	X86_PRECISE_EVENT(0xd0, LOWER_FOUR),				\
	X86_PRECISE_EVENTS(0xd1, 0xd4, LOWER_FOUR, LOAD)

static const struct x86_rule icelake_precise_rows[] = {
	X86_PRECISE(0x0100, X86_FIXED(0)),
	X86_PRECISE(0x01c0, X86_FIXED(0)),
	X86_PRECISE(0x0400, X86_FIXED(3)),
	X86_PRECISE_DATA(0x01cd, X86_GENERAL(8), LOAD_LATENCY),
	COVE_DATA_ROWS,
};

static const struct x86_rule_list icelake_precise_rules =
	X86_LIST(icelake_precise_rows, NULL);

/* Instructions are spread evenly by fixed counter 0 only. */
#define COVE_PRECISE(list, general, numbers)				\
	{ .rules = list, .all = true,					\
	  .even = general, .even_instructions = X86_FIXED(0),		\
	  .datasrc = X86_DATASRC_##numbers }

#define ICELAKE_COUNTERS	(X86_GENERAL(8) | X86_FROM(32, 35))

static const struct x86_precise icelake_precise =
	COVE_PRECISE(&icelake_precise_rules, ICELAKE_COUNTERS, SKYLAKE);
static const struct x86_precise icelake_server_precise =
	COVE_PRECISE(&icelake_precise_rules, ICELAKE_COUNTERS, SKYLAKE_SERVER);

const struct x86_model x86_model_icelake = {
	.name		= "Icelake",
	.pmu_name	= "icelake",
	.counters	= ICELAKE_COUNTERS | COVE_METRICS(4),
	.rules		= &icelake_rules,
	.fixed		= &icelake_old_fixed_list,
	.extra		= &icelake_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &icelake_cache_list,
	.named		= &x86_named_icelake,
	.precise	= &icelake_precise,
	.quirks		= X86_QUIRK_EXTRA_PER_THREAD | X86_QUIRK_TSX |
			  X86_QUIRK_LATE_ACK,
};

const struct x86_model x86_model_icelake_server = {
	.name		= "Icelake",
	.pmu_name	= "icelake",
	.counters	= ICELAKE_COUNTERS | COVE_METRICS(4),
	.rules		= &icelake_rules,
	.fixed		= &icelake_old_fixed_list,
	.extra		= &icelake_extra_list,
	.generic	= &x86_generic_intel,
	.cache		= &icelake_cache_list,
	.named		= &x86_named_icelake,
	.precise	= &icelake_server_precise,
	.quirks		= X86_QUIRK_EXTRA_PER_THREAD | X86_QUIRK_TSX |
			  X86_QUIRK_LATE_ACK,
};

static const struct x86_rule golden_cove_rows[] = {
	X86_EVENT(0x2e, X86_ALL_GENERAL),
	X86_EVENT(0x3c, X86_ALL_GENERAL),
	X86_EVENTS(0x01, 0x8f, LOWER_FOUR),
	X86_CODE(0x04a3, X86_ALL_GENERAL),
	X86_UMASK(0xa3, 0x10, X86_ALL_GENERAL),
	X86_EVENT(0xa3, LOWER_FOUR),
	X86_CODE(0x04a4, X86_ONLY(0)),
	X86_CODE(0x08a4, X86_ONLY(0)),
	/* Load latency leaves counter 0 to samples of stores. */
	X86_CODE(0x01cd, X86_FROM(1, 7)),
	X86_CODE(0x02cd, X86_ONLY(0)),
	X86_EVENT(0xce, X86_ONLY(0)),
	X86_EVENTS(0xd0, 0xdf, LOWER_FOUR),
};

static const struct x86_rule_list golden_cove_rules =
	X86_LIST(golden_cove_rows, NULL);

/* Fixed counter 2 counts what the general event does, unlike on older cores. */
static const struct x86_fixed_code golden_cove_fixed[] = {
	X86_FIXED_CODE(0x013c, 2),
	X86_METRIC(4), X86_METRIC(5), X86_METRIC(6), X86_METRIC(7),
};

static const struct x86_fixed_list golden_cove_fixed_list =
	X86_LIST(golden_cove_fixed, &icelake_fixed_list);

#define GLC_VALID	0x3fffffffffULL

static const struct x86_extra_rule golden_cove_common_extra[] = {
	X86_RSP_0(0x012a, GLC_VALID),
	X86_RSP_1(0x012b, GLC_VALID),
	X86_FRONTEND(0x40ad, 0x7),
	X86_FRONTEND(0x04c2, 0x8),
	X86_LDLAT(0x01cd),
};

static const struct x86_extra_list golden_cove_common_extra_list =
	X86_LIST(golden_cove_common_extra, NULL);

static const struct x86_extra_rule golden_cove_extra[] = {
	X86_FRONTEND(0x01c6, 0x7fff1f),
};

static const struct x86_extra_list golden_cove_extra_list =
	X86_LIST(golden_cove_extra, &golden_cove_common_extra_list);

static const struct x86_extra_rule redwood_cove_extra[] = {
	X86_FRONTEND(0x02c6, 0x9),
	X86_FRONTEND(0x03c6, 0x7fff1f),
};

static const struct x86_extra_list redwood_cove_extra_list =
	X86_LIST(redwood_cove_extra, &golden_cove_common_extra_list);

/* Event 0x013c counts at the rate of fixed counter 2. */
static const struct x86_generic golden_cove_generic[] = {
	X86_GENERIC_ARCH(REF_CPU_CYCLES, 2, 0x013c),
};

const struct x86_generic_list x86_generic_golden_cove =
	X86_LIST(golden_cove_generic, &x86_generic_intel);

static const struct x86_cache golden_cove_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x81d0),
	X86_CACHE(L1D, READ, MISS, 0xe124),
	X86_CACHE(L1D, WRITE, ACCESS, 0x82d0),
	X86_CACHE(L1I, READ, MISS, 0xe424),
	X86_CACHE_EXTRA(LL, READ, ACCESS, 0x012a, 0x10001),
	X86_CACHE_EXTRA(LL, READ, MISS, 0x012a, 0x3fbfc00001),
	X86_CACHE_EXTRA(LL, WRITE, ACCESS, 0x012a, 0x3f3ffc0002),
	X86_CACHE_EXTRA(LL, WRITE, MISS, 0x012a, 0x3f3fc00002),
	X86_CACHE(DTLB, READ, ACCESS, 0x81d0),
	X86_CACHE(DTLB, READ, MISS, 0x0e12),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x82d0),
	X86_CACHE(DTLB, WRITE, MISS, 0x0e13),
	X86_CACHE(ITLB, READ, ACCESS, X86_CACHE_REFUSED),
	X86_CACHE(ITLB, READ, MISS, 0x0e11),
	X86_CACHE_EXTRA(NODE, READ, ACCESS, 0x012a, 0x10c000001),
	X86_CACHE_EXTRA(NODE, READ, MISS, 0x012a, 0x3fb3000001),
};

static const struct x86_cache_list golden_cove_cache_list =
	X86_LIST(golden_cove_cache, &x86_cache_branches);

#define GLC_COUNTERS	(X86_GENERAL(8) | X86_FROM(32, 35) | COVE_METRICS(8))
#define GLC_QUIRKS	(X86_QUIRK_EXTRA_PER_THREAD | X86_QUIRK_TSX | \
			 X86_QUIRK_LATE_ACK | X86_QUIRK_PERIOD_PRECISE)

/*
 * The latency of stores can be sampled on counter 0 only. Retired instructions
 * and the latency of loads cannot be sampled there.
 */
static const struct x86_rule golden_cove_precise_rows[] = {
	X86_PRECISE(0x0100, X86_FIXED(0)),
	X86_PRECISE(0x0400, X86_FIXED(3)),
	X86_PRECISE_EVENT(0xc0, X86_FROM(1, 7)),
	X86_PRECISE_DATA(0x01cd, X86_FROM(1, 7), LOAD_LATENCY),
	X86_PRECISE_DATA(0x02cd, X86_ONLY(0), STORE_LATENCY),
	COVE_DATA_ROWS,
};

static const struct x86_rule_list golden_cove_precise_rules =
	X86_LIST(golden_cove_precise_rows, NULL);

static const struct x86_precise golden_cove_precise =
	COVE_PRECISE(&golden_cove_precise_rules, X86_ONLY(0), GOLDEN_COVE);
static const struct x86_precise golden_cove_server_precise =
	COVE_PRECISE(&golden_cove_precise_rules, X86_ONLY(0), GOLDEN_COVE_SERVER);

const struct x86_model x86_model_sapphire_rapids = {
	.name		= "Sapphire Rapids",
	.pmu_name	= "sapphire_rapids",
	.counters	= GLC_COUNTERS,
	.rules		= &golden_cove_rules,
	.fixed		= &golden_cove_fixed_list,
	.extra		= &golden_cove_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &golden_cove_cache_list,
	.named		= &x86_named_golden_cove,
	.precise	= &golden_cove_server_precise,
	.quirks		= GLC_QUIRKS | X86_QUIRK_LOADS_AUX,
};

const struct x86_model x86_model_granite_rapids = {
	.name		= "Granite Rapids",
	.pmu_name	= "granite_rapids",
	.counters	= GLC_COUNTERS,
	.rules		= &golden_cove_rules,
	.fixed		= &golden_cove_fixed_list,
	.extra		= &redwood_cove_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &golden_cove_cache_list,
	.named		= &x86_named_golden_cove,
	.precise	= &golden_cove_server_precise,
	.quirks		= GLC_QUIRKS,
};

const struct x86_model x86_model_alderlake = {
	.name		= "Alderlake Hybrid",
	.pmu_name	= "alderlake_hybrid",
	.counters	= GLC_COUNTERS,
	.rules		= &golden_cove_rules,
	.fixed		= &golden_cove_fixed_list,
	.extra		= &golden_cove_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &golden_cove_cache_list,
	.named		= &x86_named_golden_cove,
	.precise	= &golden_cove_precise,
	.quirks		= GLC_QUIRKS | X86_QUIRK_LOADS_AUX | X86_QUIRK_COMMON_LEAF,
	.atom		= &x86_model_alderlake_atom,
};

const struct x86_model x86_model_meteorlake = {
	.name		= "Meteorlake Hybrid",
	.pmu_name	= "meteorlake_hybrid",
	.counters	= GLC_COUNTERS,
	.rules		= &golden_cove_rules,
	.fixed		= &golden_cove_fixed_list,
	.extra		= &redwood_cove_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &golden_cove_cache_list,
	.named		= &x86_named_golden_cove,
	.precise	= &golden_cove_precise,
	.quirks		= GLC_QUIRKS,
	.atom		= &x86_model_meteorlake_atom,
};

static const struct x86_rule lion_cove_rows[] = {
	X86_EVENT(0x20, LOWER_FOUR),
	X86_CODE(0x012a, LOWER_FOUR),
	X86_CODE(0x012b, LOWER_FOUR),
	X86_CODE(0x0148, X86_ONLY(2)),
	X86_CODE(0x0175, X86_ONLY(2)),
	X86_CODE(0x08a3, X86_ONLY(2)),
	X86_CODE(0x0ca3, X86_ONLY(2)),
	X86_CODE(0x04a4, X86_ONLY(0)),
	X86_CODE(0x08a4, X86_ONLY(0)),
	X86_CODE(0x10a4, X86_ONLY(3)),
	X86_CODE(0x01b1, X86_ONLY(3)),
	X86_CODE(0x01cd, X86_FROM(2, 9)),
	X86_CODE(0x02cd, X86_GENERAL(2)),
	X86_CODE(0x87d0, X86_ALL_GENERAL),
	X86_EVENTS(0xd0, 0xdf, LOWER_FOUR),
	X86_CODE(0x00e0, LOWER_FOUR),
};

static const struct x86_rule_list lion_cove_rules =
	X86_LIST(lion_cove_rows, NULL);

#define LNC_VALID	0xfffffffffffULL

static const struct x86_extra_rule lion_cove_extra[] = {
	X86_RSP_0(0x012a, LNC_VALID),
	X86_RSP_1(0x012b, LNC_VALID),
	X86_FRONTEND(0x40ad, 0xf),
	X86_FRONTEND(0x04c2, 0x8),
	X86_FRONTEND(0x02c6, 0x9),
	X86_FRONTEND(0x03c6, 0x7fff1f),
	X86_LDLAT(0x01cd),
};

static const struct x86_extra_list lion_cove_extra_list =
	X86_LIST(lion_cove_extra, NULL);

static const struct x86_rule lion_cove_precise_rows[] = {
	X86_PRECISE(0x0100, X86_FIXED(0)),
	X86_PRECISE(0x0400, X86_FIXED(3)),
	X86_PRECISE(0x012a, X86_ONLY(0)),
	X86_PRECISE(0x012b, X86_ONLY(0)),
	X86_PRECISE_DATA(0x01cd, X86_FROM(2, 9), LOAD_LATENCY),
	X86_PRECISE_DATA(0x02cd, X86_GENERAL(2), STORE_LATENCY),
};

static const struct x86_rule_list lion_cove_precise_rules =
	X86_LIST(lion_cove_precise_rows, NULL);

static const struct x86_precise lion_cove_precise =
	COVE_PRECISE(&lion_cove_precise_rules, X86_ONLY(0), LION_COVE);

const struct x86_model x86_model_lunarlake = {
	.name		= "Lunarlake Hybrid",
	.pmu_name	= "lunarlake_hybrid",
	.counters	= X86_GENERAL(10) | X86_FROM(32, 35) | COVE_METRICS(8),
	.rules		= &lion_cove_rules,
	.fixed		= &golden_cove_fixed_list,
	.extra		= &lion_cove_extra_list,
	.generic	= &x86_generic_golden_cove,
	.cache		= &golden_cove_cache_list,
	.named		= &x86_named_golden_cove,
	.precise	= &lion_cove_precise,
	.quirks		= GLC_QUIRKS,
	.atom		= &x86_model_lunarlake_atom,
};
