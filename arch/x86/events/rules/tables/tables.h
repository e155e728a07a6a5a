/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The models of the tables, and the words their rows are written with
 */
#ifndef _ARCH_X86_EVENTS_TABLES_H
#define _ARCH_X86_EVENTS_TABLES_H

#include <linux/kernel.h>
#include <linux/perf_event.h>
#include "../match.h"

/* A list of all rows of an array, followed by the list @after or by NULL. */
#define X86_LIST(array, after) \
	{ .rows = array, .nr = ARRAY_SIZE(array), .next = after }

/*
 * Rules. A list has them in the order of the last event that they apply to;
 * rules for some umasks of an event come before the rule for all umasks.
 */
#define X86_EVENTS(from, to, which) \
	{ .first = from, .last = to, .mask = X86_SEL_EVENT, .counters = which }
#define X86_EVENT(event, which)		X86_EVENTS(event, event, which)
#define X86_CODE(code, which) \
	{ .first = code, .last = code, .mask = X86_SEL_CODE, .counters = which }
/* All codes of an event with the bits @umask, which are one or more. */
#define X86_UMASK(event, umask, which) \
	{ .first = (umask) << 8 | (event), .last = (umask) << 8 | (event), \
	  .mask = (umask) << 8 | X86_SEL_EVENT, .counters = which }

/*
 * Precise events, in the same order. Such a rule applies only to selectors
 * without settings, or with those that are given.
 */
#define X86_SETTINGS		(X86_SEL_EDGE | X86_SEL_PIN | X86_SEL_ANY | X86_SEL_INV | \
				 X86_SEL_CMASK | X86_SEL_IN_TX | X86_SEL_IN_TXCP)
#define X86_PRECISE_DATA(config, which, kind) \
	{ .first = config, .last = config, .mask = X86_SEL_CODE | X86_SETTINGS, \
	  .counters = which, .flags = X86_DATA_##kind << 5 }
#define X86_PRECISE(config, which)	X86_PRECISE_DATA(config, which, NONE)
#define X86_PRECISE_EVENTS(from, to, which, kind) \
	{ .first = from, .last = to, .mask = X86_SEL_EVENT | X86_SETTINGS, \
	  .counters = which, .flags = X86_DATA_##kind << 5 }
#define X86_PRECISE_EVENT(event, which)	X86_PRECISE_EVENTS(event, event, which, NONE)
#define X86_PRECISE_OTHERS(which)	{ .mask = X86_SETTINGS, .counters = which }

/* All cycles: in each of them the event happens fewer than 16 times. */
#define X86_ALL_CYCLES(code)	((code) | X86_SEL_INV | 16ULL << 24)

/* Sets of counters. */
#define X86_ONLY(n)		BIT_ULL(n)
#define X86_FROM(first, last)	GENMASK_ULL(last, first)
#define X86_ALL_GENERAL		X86_GENERAL(X86_COUNTER_FIXED)

/* Codes of fixed counters and of metrics. */
#define X86_FIXED_CODE(c, n)	{ .code = c, .counter = X86_COUNTER_FIXED + (n) }
#define X86_METRIC(n) \
	{ .code = 0x8000 + ((n) << 8), .counter = X86_COUNTER_METRICS + (n) }

/* Extra registers with their addresses, SDM vol. 4 2.8, 2.17 and 2.19. */
#define X86_RSP_0(c, bits) \
	{ .code = c, .reg = X86_EXTRA_RSP_0, .msr = 0x1a6, .valid = bits }
#define X86_RSP_1(c, bits) \
	{ .code = c, .reg = X86_EXTRA_RSP_1, .msr = 0x1a7, .valid = bits }
#define X86_LDLAT(c) \
	{ .code = c, .reg = X86_EXTRA_LDLAT, .msr = 0x3f6, .valid = 0xffff }
#define X86_FRONTEND(c, bits) \
	{ .code = c, .reg = X86_EXTRA_FRONTEND, .msr = 0x3f7, .valid = bits }
#define X86_SNOOP_0(c) \
	{ .code = c, .reg = X86_EXTRA_SNOOP_0, .msr = 0x1328, .valid = ~0ULL }
#define X86_SNOOP_1(c) \
	{ .code = c, .reg = X86_EXTRA_SNOOP_1, .msr = 0x1329, .valid = ~0ULL }

/* Generic events; @bit says in CPUID leaf 0xa that the event is missing. */
#define X86_GENERIC(name, code) \
	{ .event = PERF_COUNT_HW_##name, .config = code }
#define X86_GENERIC_ARCH(name, bit, code) \
	{ .event = PERF_COUNT_HW_##name, .missing = BIT(bit), .config = code }
/* Cycles in which an event does not happen. */
#define X86_WITHOUT(code)	((code) | X86_SEL_INV | 1ULL << 24)

/*
 * Cache events, without and with an extra register. The kernel has macros READ
 * and WRITE: the words are pasted at once, before they are taken for those.
 */
#define X86_CACHE_EXTRA(cache, op, result, code, value) \
	{ .key = PERF_COUNT_HW_CACHE_##cache | \
		 PERF_COUNT_HW_CACHE_OP_##op << 8 | \
		 PERF_COUNT_HW_CACHE_RESULT_##result << 16, \
	  .config = code, .extra = value }
#define X86_CACHE(cache, op, result, code) \
	{ .key = PERF_COUNT_HW_CACHE_##cache | \
		 PERF_COUNT_HW_CACHE_OP_##op << 8 | \
		 PERF_COUNT_HW_CACHE_RESULT_##result << 16, .config = code }
#define X86_CACHE_SENSELESS(cache, op) \
	{ .key = PERF_COUNT_HW_CACHE_##cache | \
		 PERF_COUNT_HW_CACHE_OP_##op << 8 | \
		 PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16, \
	  .config = X86_CACHE_REFUSED }, \
	{ .key = PERF_COUNT_HW_CACHE_##cache | \
		 PERF_COUNT_HW_CACHE_OP_##op << 8 | \
		 PERF_COUNT_HW_CACHE_RESULT_MISS << 16, \
	  .config = X86_CACHE_REFUSED }

/*
 * Names, those of processors with transactions, and those whose events count
 * for all threads of a core where it has several.
 */
#define X86_NAMED(n, t)			{ .name = n, .text = t }
#define X86_NAMED_TSX(n, t)		{ .name = n, .text = t, .needs = X86_HAS_TSX }
#define X86_NAMED_METRIC(n, t)		{ .name = n, .text = t, .needs = X86_HAS_METRICS }
#define X86_NAMED_PRECISE(n, t)		{ .name = n, .text = t, .needs = X86_HAS_PRECISE }
#define X86_NAMED_THREADS(n, one, several) \
	{ .name = n, .text = one, .threads = several }

/* Lists that cores of several files have in common. */
extern const struct x86_fixed_list x86_fixed_intel;
extern const struct x86_generic_list x86_generic_intel_v1;
extern const struct x86_generic_list x86_generic_intel;
extern const struct x86_cache_list x86_cache_common;
extern const struct x86_cache_list x86_cache_branches;
extern const struct x86_cache_list x86_cache_skylake;
extern const struct x86_generic_list x86_generic_golden_cove;
extern const struct x86_named_list x86_named_nehalem;
extern const struct x86_named_list x86_named_sandybridge;
extern const struct x86_named_list x86_named_haswell;
extern const struct x86_named_list x86_named_skylake;
extern const struct x86_named_list x86_named_icelake;
extern const struct x86_named_list x86_named_golden_cove;
extern const struct x86_named_list x86_named_silvermont;
extern const struct x86_named_list x86_named_goldmont;
extern const struct x86_named_list x86_named_tremont;
extern const struct x86_named_list x86_named_gracemont;
extern const struct x86_named_list x86_named_alderlake_atom;
extern const struct x86_named_list x86_named_crestmont;
extern const struct x86_named_list x86_named_skymont;

/* Intel: before the architectural PMU, the first with it, and of no table. */
extern const struct x86_model x86_model_p6;
extern const struct x86_model x86_model_core;
extern const struct x86_model x86_model_core2;
extern const struct x86_model x86_model_intel_v1;
extern const struct x86_model x86_model_intel_v2;
extern const struct x86_model x86_model_intel_v5;

/* Intel: Core processors up to Skylake. */
extern const struct x86_model x86_model_nehalem;
extern const struct x86_model x86_model_westmere;
extern const struct x86_model x86_model_westmere_ex;
extern const struct x86_model x86_model_sandybridge;
extern const struct x86_model x86_model_sandybridge_ep;
extern const struct x86_model x86_model_ivybridge;
extern const struct x86_model x86_model_ivybridge_ep;
extern const struct x86_model x86_model_haswell;
extern const struct x86_model x86_model_broadwell;
extern const struct x86_model x86_model_skylake;
extern const struct x86_model x86_model_skylake_server;

/* Intel: Core processors from Ice Lake on. */
extern const struct x86_model x86_model_icelake;
extern const struct x86_model x86_model_icelake_server;
extern const struct x86_model x86_model_sapphire_rapids;
extern const struct x86_model x86_model_granite_rapids;
extern const struct x86_model x86_model_alderlake;
extern const struct x86_model x86_model_meteorlake;
extern const struct x86_model x86_model_lunarlake;

/* Intel: Atom processors and their relatives. */
extern const struct x86_model x86_model_bonnell;
extern const struct x86_model x86_model_silvermont;
extern const struct x86_model x86_model_knights_landing;
extern const struct x86_model x86_model_goldmont;
extern const struct x86_model x86_model_goldmont_plus;
extern const struct x86_model x86_model_tremont;
extern const struct x86_model x86_model_gracemont;
extern const struct x86_model x86_model_crestmont;
extern const struct x86_model x86_model_alderlake_atom;
extern const struct x86_model x86_model_meteorlake_atom;
extern const struct x86_model x86_model_lunarlake_atom;

/* AMD and Hygon. */
extern const struct x86_model x86_model_k7;
extern const struct x86_model x86_model_k8;
extern const struct x86_model x86_model_fam10h;
extern const struct x86_model x86_model_fam11h;
extern const struct x86_model x86_model_fam12h;
extern const struct x86_model x86_model_fam14h;
extern const struct x86_model x86_model_fam15h;
extern const struct x86_model x86_model_fam16h;
extern const struct x86_model x86_model_zen1;
extern const struct x86_model x86_model_zen2;
extern const struct x86_model x86_model_zen3;
extern const struct x86_model x86_model_zen4;
extern const struct x86_model x86_model_zen5;

/* Zhaoxin. */
extern const struct x86_model x86_model_zxc;
extern const struct x86_model x86_model_zxd;
extern const struct x86_model x86_model_zxe;

#endif /* _ARCH_X86_EVENTS_TABLES_H */
