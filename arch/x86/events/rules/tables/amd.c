// SPDX-License-Identifier: GPL-2.0
/*
 * Room "tables/amd": AMD from K7 to family 1ah, and Hygon.
 *
 * Purpose: the events of these cores, by the BKDG or PPR of each family. A code
 * has the high four bits of its event in bits 35-32, APM vol. 2 13.2.1.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include "tables.h"

#define AMD_EVENT_MASK	(X86_SEL_EVENT | X86_SEL_EVENT_HIGH)
#define AMD_CODE(event)	(((event) & 0xffULL) | ((event) & 0xf00ULL) << 24)

/* An event, and the events whose low byte is in a range of units. */
#define AMD_EVENT(event, which, ...) \
	{ .first = AMD_CODE(event), .last = AMD_CODE(event), \
	  .mask = AMD_EVENT_MASK, .counters = which, __VA_ARGS__ }
#define AMD_UNITS(from, to, which, ...) \
	{ .first = from, .last = to, .mask = 0xf0, .counters = which, \
	  __VA_ARGS__ }

static const struct x86_generic amd_common_generic[] = {
	X86_GENERIC(CPU_CYCLES, 0x0076),
	X86_GENERIC(INSTRUCTIONS, 0x00c0),
	X86_GENERIC(BRANCH_INSTRUCTIONS, 0x00c2),
	X86_GENERIC(BRANCH_MISSES, 0x00c3),
};

static const struct x86_generic_list amd_common_generic_list =
	X86_LIST(amd_common_generic, NULL);

/* The L2 cache, and the stalls of decoder and dispatch. */
static const struct x86_generic k8_generic[] = {
	X86_GENERIC(CACHE_REFERENCES, 0x077d),
	X86_GENERIC(CACHE_MISSES, 0x077e),
	X86_GENERIC(STALLED_CYCLES_FRONTEND, 0x00d0),
	X86_GENERIC(STALLED_CYCLES_BACKEND, 0x00d1),
};

static const struct x86_generic_list k8_generic_list =
	X86_LIST(k8_generic, &amd_common_generic_list);

/* Family 14h has other umasks, and no events of stalls. */
static const struct x86_generic fam14h_generic[] = {
	X86_GENERIC(CACHE_REFERENCES, 0x0b7d),
	X86_GENERIC(CACHE_MISSES, 0x037e),
};

static const struct x86_generic_list fam14h_generic_list =
	X86_LIST(fam14h_generic, &amd_common_generic_list);

static const struct x86_cache amd_common_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x0040),
	X86_CACHE(BPU, READ, ACCESS, 0x00c2),
	X86_CACHE(BPU, READ, MISS, 0x00c3),
	X86_CACHE_SENSELESS(NODE, WRITE),
	X86_CACHE_SENSELESS(NODE, PREFETCH),
};

static const struct x86_cache_list amd_common_cache_list =
	X86_LIST(amd_common_cache, &x86_cache_common);

static const struct x86_cache amd_fetch_cache[] = {
	X86_CACHE(L1I, READ, ACCESS, 0x0080),
	X86_CACHE(L1I, READ, MISS, 0x0081),
};

static const struct x86_cache_list amd_fetch_cache_list =
	X86_LIST(amd_fetch_cache, &amd_common_cache_list);

/* Up to family 16h, each access to a cache is one to its TLB. */
static const struct x86_cache amd_old_cache[] = {
	X86_CACHE(L1D, READ, MISS, 0x0041),
	X86_CACHE(DTLB, READ, ACCESS, 0x0040),
	X86_CACHE(ITLB, READ, ACCESS, 0x0080),
};

static const struct x86_cache_list amd_old_cache_list =
	X86_LIST(amd_old_cache, &amd_fetch_cache_list);

/* Misses of both levels of a TLB, before and with umasks for page sizes. */
static const struct x86_cache k7_cache[] = {
	X86_CACHE(DTLB, READ, MISS, 0x0046),
	X86_CACHE(ITLB, READ, MISS, 0x0085),
};

static const struct x86_cache_list k7_cache_list =
	X86_LIST(k7_cache, &amd_old_cache_list);

static const struct x86_cache fam10h_cache[] = {
	X86_CACHE(DTLB, READ, MISS, 0x0746),
	X86_CACHE(ITLB, READ, MISS, 0x0385),
};

static const struct x86_cache_list fam10h_cache_list =
	X86_LIST(fam10h_cache, &amd_old_cache_list);

/* Requests of both L1 caches to the L2 cache. */
static const struct x86_cache l2_cache[] = {
	X86_CACHE(L1I, PREFETCH, ACCESS, 0x014b),
	X86_CACHE(LL, READ, ACCESS, 0x037d),
	X86_CACHE(LL, READ, MISS, 0x037e),
	X86_CACHE(LL, WRITE, ACCESS, 0x017f),
};

static const struct x86_cache_list k8_l2_list =
	X86_LIST(l2_cache, &k7_cache_list);
static const struct x86_cache_list fam10h_l2_list =
	X86_LIST(l2_cache, &fam10h_cache_list);

/* The prefetcher's attempts, and those it gave up. */
static const struct x86_cache prefetch_cache[] = {
	X86_CACHE(L1D, PREFETCH, ACCESS, 0x0267),
	X86_CACHE(L1D, PREFETCH, MISS, 0x0167),
};

static const struct x86_cache_list k8_prefetch_list =
	X86_LIST(prefetch_cache, &k8_l2_list);
static const struct x86_cache_list fam10h_prefetch_list =
	X86_LIST(prefetch_cache, &fam10h_l2_list);

/*
 * The north bridge counts accesses to the memory of this and other nodes. The
 * processors of families 11h, 12h and 14h are alone.
 */
static const struct x86_cache node_cache[] = {
	X86_CACHE(NODE, READ, ACCESS, 0xb8e9),
	X86_CACHE(NODE, READ, MISS, 0x98e9),
};

static const struct x86_cache_list k8_node_list =
	X86_LIST(node_cache, &k8_prefetch_list);
static const struct x86_cache_list fam10h_node_list =
	X86_LIST(node_cache, &fam10h_prefetch_list);

static const struct x86_cache fam15h_cache[] = {
	X86_CACHE(L1D, READ, MISS, 0x0141),
	X86_CACHE(L1D, PREFETCH, ACCESS, 0x0267),
};

static const struct x86_cache_list fam15h_cache_list =
	X86_LIST(fam15h_cache, &fam10h_l2_list);

/* The L2 cache has counters of its own. */
static const struct x86_cache fam16h_cache[] = {
	X86_CACHE(L1D, PREFETCH, ACCESS, 0x0267),
	X86_CACHE(L1I, PREFETCH, ACCESS, 0x014b),
};

static const struct x86_cache_list fam16h_cache_list =
	X86_LIST(fam16h_cache, &fam10h_cache_list);

/* The north bridge's events are those from 0xe0 on. */
static const struct x86_rule node_rows[] = {
	{ .first = 0xe0, .last = 0xe0, .mask = 0xe0,
	  .counters = X86_GENERAL(4), .flags = X86_RULE_NODE },
};

static const struct x86_rule_list node_rules = X86_LIST(node_rows, NULL);

/* With PerfCtrExtNB the north bridge has counters of its own. */
static const struct x86_rule no_node_rows[] = {
	{ .first = 0xe0, .last = 0xe0, .mask = 0xe0, .flags = X86_RULE_NONE },
};

static const struct x86_rule_list no_node_rules =
	X86_LIST(no_node_rows, NULL);

const struct x86_model x86_model_k7 = {
	.name		= "AMD",
	.counters	= X86_GENERAL(4),
	.generic	= &amd_common_generic_list,
	.cache		= &k7_cache_list,
};

const struct x86_model x86_model_k8 = {
	.name		= "AMD",
	.counters	= X86_GENERAL(4),
	.rules		= &node_rules,
	.generic	= &k8_generic_list,
	.cache		= &k8_node_list,
};

const struct x86_model x86_model_fam10h = {
	.name		= "AMD",
	.counters	= X86_GENERAL(4),
	.rules		= &node_rules,
	.generic	= &k8_generic_list,
	.cache		= &fam10h_node_list,
};

const struct x86_model x86_model_fam11h = {
	.name		= "AMD",
	.counters	= X86_GENERAL(4),
	.rules		= &node_rules,
	.generic	= &k8_generic_list,
	.cache		= &k8_prefetch_list,
};

const struct x86_model x86_model_fam12h = {
	.name		= "AMD",
	.counters	= X86_GENERAL(4),
	.rules		= &node_rules,
	.generic	= &k8_generic_list,
	.cache		= &fam10h_prefetch_list,
};

const struct x86_model x86_model_fam14h = {
	.name		= "AMD",
	.counters	= X86_GENERAL(4),
	.rules		= &node_rules,
	.generic	= &fam14h_generic_list,
	.cache		= &fam10h_l2_list,
};

#define F15H_FP		X86_FROM(3, 5)
#define F15H_ALL	X86_GENERAL(6)
#define F15H_SHARED	X86_GENERAL(3)

/*
 * The unit that counts an event has only some counters, BKDG for family 15h
 * 3.15 "Core performance counter event assignments". A module's units that both
 * cores share have the lower three.
 */
static const struct x86_rule fam15h_rows[] = {
	/* Event 0: one pipe, or one kind of operation of several pipes. */
	{ .first = AMD_CODE(0x000), .last = AMD_CODE(0x000),
	  .mask = AMD_EVENT_MASK | 0xf000, .counters = F15H_FP },
	{ .first = AMD_CODE(0x000), .last = AMD_CODE(0x000),
	  .mask = AMD_EVENT_MASK | 0x0f00, .counters = F15H_FP },
	AMD_EVENT(0x000, X86_ONLY(3)),
	AMD_EVENT(0x003, X86_ONLY(3)),
	AMD_EVENT(0x004, F15H_FP, .flags = X86_RULE_ONE_UMASK),
	AMD_EVENT(0x004, X86_ONLY(3)),
	AMD_EVENT(0x00b, X86_ONLY(3)),
	AMD_EVENT(0x00d, X86_ONLY(3)),
	AMD_UNITS(0x00, 0x10, F15H_FP),
	AMD_EVENT(0x023, F15H_SHARED),
	AMD_EVENT(0x02d, X86_ONLY(3)),
	AMD_EVENT(0x02e, X86_ONLY(0) | X86_ONLY(3)),
	AMD_EVENT(0x031, F15H_SHARED, .flags = X86_RULE_ONE_UMASK),
	AMD_EVENT(0x031, 0, .flags = X86_RULE_NONE),
	AMD_EVENT(0x043, F15H_SHARED),
	AMD_EVENT(0x045, F15H_SHARED),
	AMD_EVENT(0x046, F15H_SHARED),
	AMD_EVENT(0x054, F15H_SHARED),
	AMD_EVENT(0x055, F15H_SHARED),
	AMD_UNITS(0x20, 0x50, F15H_ALL),
	AMD_EVENT(0x187, X86_ONLY(0)),
	AMD_EVENT(0x188, X86_ONLY(0)),
	AMD_EVENT(0x08f, X86_ONLY(0)),
	AMD_UNITS(0x60, 0x90, F15H_SHARED),
	AMD_UNITS(0xa0, 0xb0, 0, .flags = X86_RULE_NONE),
	AMD_EVENT(0x1c0, F15H_FP),
	AMD_UNITS(0xc0, 0xc0, F15H_ALL),
	AMD_EVENT(0x1d6, F15H_ALL),
	AMD_EVENT(0x1d8, F15H_ALL),
	{ .first = AMD_CODE(0x0db), .last = AMD_CODE(0x0df),
	  .mask = AMD_EVENT_MASK, .counters = F15H_ALL },
	AMD_UNITS(0xd0, 0xd0, F15H_SHARED),
};

static const struct x86_rule_list fam15h_rules =
	X86_LIST(fam15h_rows, &no_node_rules);

const struct x86_model x86_model_fam15h = {
	.name		= "Fam15h",
	.counters	= X86_GENERAL(6),
	.rules		= &fam15h_rules,
	.generic	= &k8_generic_list,
	.cache		= &fam15h_cache_list,
};

const struct x86_model x86_model_fam16h = {
	.name		= "Fam16h",
	.counters	= X86_GENERAL(6),
	.rules		= &no_node_rules,
	.generic	= &amd_common_generic_list,
	.cache		= &fam16h_cache_list,
};

/* More than 15 operations a cycle need two counters, PPR for family 17h 2.1.13. */
static const struct x86_rule zen_rows[] = {
	{ .first = AMD_CODE(0x003), .last = AMD_CODE(0x003),
	  .mask = AMD_EVENT_MASK, .counters = 0x55555555,
	  .flags = X86_RULE_PAIR },
};

static const struct x86_rule_list zen_rules = X86_LIST(zen_rows, NULL);

static const struct x86_generic zen_generic[] = {
	X86_GENERIC(CACHE_REFERENCES, 0xff60),
	X86_GENERIC(CACHE_MISSES, 0x0964),
};

static const struct x86_generic_list zen_generic_list =
	X86_LIST(zen_generic, &amd_common_generic_list);

static const struct x86_generic zen1_generic[] = {
	X86_GENERIC(STALLED_CYCLES_FRONTEND, 0x0287),
	X86_GENERIC(STALLED_CYCLES_BACKEND, 0x0187),
};

static const struct x86_generic_list zen1_generic_list =
	X86_LIST(zen1_generic, &zen_generic_list);

static const struct x86_generic zen2_generic[] = {
	X86_GENERIC(STALLED_CYCLES_FRONTEND, 0x00a9),
};

static const struct x86_generic_list zen2_generic_list =
	X86_LIST(zen2_generic, &zen_generic_list);

/* Event 0x120 with umask 1: cycles at the frequency of P0. */
static const struct x86_generic zen4_generic[] = {
	X86_GENERIC(REF_CPU_CYCLES, AMD_CODE(0x120) | 0x100),
};

static const struct x86_generic_list zen4_generic_list =
	X86_LIST(zen4_generic, &zen2_generic_list);

/* What all Zen have in common. */
static const struct x86_cache zen_common_cache[] = {
	X86_CACHE(L1D, PREFETCH, ACCESS, 0xff5a),
	X86_CACHE(DTLB, READ, ACCESS, 0xff45),
	X86_CACHE(DTLB, READ, MISS, 0xf045),
	X86_CACHE(ITLB, READ, ACCESS, 0x0084),
	X86_CACHE(ITLB, READ, MISS, 0xff85),
};

static const struct x86_cache_list zen_common_cache_list =
	X86_LIST(zen_common_cache, &amd_fetch_cache_list);

/* The kinds of requests to the L2 cache that misses of the L1 cache make. */
static const struct x86_cache zen1_cache[] = {
	X86_CACHE(L1D, READ, MISS, 0xc860),
};

static const struct x86_cache_list zen1_cache_list =
	X86_LIST(zen1_cache, &zen_common_cache_list);

static const struct x86_cache zen3_cache[] = {
	X86_CACHE(L1D, READ, MISS, 0xe860),
};

static const struct x86_cache_list zen3_cache_list =
	X86_LIST(zen3_cache, &zen_common_cache_list);

/* Lookups of tags, in place of fetches, which the later PPRs do not list. */
static const struct x86_cache zen4_cache[] = {
	X86_CACHE(L1I, READ, ACCESS, AMD_CODE(0x18e) | 0x1f00),
	X86_CACHE(L1I, READ, MISS, AMD_CODE(0x18e) | 0x1800),
};

static const struct x86_cache_list zen4_cache_list =
	X86_LIST(zen4_cache, &zen3_cache_list);

static const struct x86_cache zen5_cache[] = {
	X86_CACHE(L1D, READ, MISS, 0xe060),
};

static const struct x86_cache_list zen5_cache_list =
	X86_LIST(zen5_cache, &zen4_cache_list);

const struct x86_model x86_model_zen1 = {
	.name		= "Fam17h+",
	.counters	= X86_GENERAL(6),
	.rules		= &zen_rules,
	.generic	= &zen1_generic_list,
	.cache		= &zen1_cache_list,
};

const struct x86_model x86_model_zen2 = {
	.name		= "Fam17h+",
	.counters	= X86_GENERAL(6),
	.rules		= &zen_rules,
	.generic	= &zen2_generic_list,
	.cache		= &zen1_cache_list,
};

const struct x86_model x86_model_zen3 = {
	.name		= "Fam17h+",
	.counters	= X86_GENERAL(6),
	.rules		= &zen_rules,
	.generic	= &zen2_generic_list,
	.cache		= &zen3_cache_list,
};

/* The number of counters is in CPUID leaf 0x80000022, 16 at most. */
const struct x86_model x86_model_zen4 = {
	.name		= "Fam17h+",
	.counters	= X86_GENERAL(16),
	.rules		= &zen_rules,
	.generic	= &zen4_generic_list,
	.cache		= &zen4_cache_list,
};

const struct x86_model x86_model_zen5 = {
	.name		= "Fam17h+",
	.counters	= X86_GENERAL(16),
	.rules		= &zen_rules,
	.generic	= &zen4_generic_list,
	.cache		= &zen5_cache_list,
};
