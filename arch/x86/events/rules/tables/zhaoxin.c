// SPDX-License-Identifier: GPL-2.0
/*
 * Room "tables/zhaoxin": ZXC, ZXD and ZXE.
 *
 * Purpose: the events of these cores. They have Intel's registers, and events
 * with other codes.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include "tables.h"

#define ZX_COUNTERS	(X86_GENERAL(4) | X86_FROM(32, 34))

static const struct x86_fixed_code zxc_fixed[] = {
	X86_FIXED_CODE(0x0082, 1),
};

static const struct x86_fixed_list zxc_fixed_list = X86_LIST(zxc_fixed, NULL);

static const struct x86_fixed_code zxd_fixed[] = {
	X86_FIXED_CODE(0x00c0, 0),
	X86_FIXED_CODE(0x0083, 2),
};

static const struct x86_fixed_list zxd_fixed_list =
	X86_LIST(zxd_fixed, &zxc_fixed_list);

static const struct x86_generic zxc_generic[] = {
	X86_GENERIC_ARCH(CPU_CYCLES, 0, 0x0082),
};

static const struct x86_generic_list zxc_generic_list =
	X86_LIST(zxc_generic, NULL);

static const struct x86_generic zx_common_generic[] = {
	X86_GENERIC_ARCH(INSTRUCTIONS, 1, 0x00c0),
	X86_GENERIC_ARCH(BUS_CYCLES, 2, 0x0083),
	X86_GENERIC_ARCH(CACHE_REFERENCES, 3, 0x0515),
	X86_GENERIC_ARCH(CACHE_MISSES, 4, 0x051a),
	X86_GENERIC(STALLED_CYCLES_FRONTEND, X86_WITHOUT(0x0101)),
	X86_GENERIC(STALLED_CYCLES_BACKEND, 0x040f),
};

static const struct x86_generic_list zx_common_generic_list =
	X86_LIST(zx_common_generic, &zxc_generic_list);

static const struct x86_generic zxd_generic[] = {
	X86_GENERIC_ARCH(BRANCH_INSTRUCTIONS, 5, 0x0700),
	X86_GENERIC_ARCH(BRANCH_MISSES, 6, 0x0709),
};

static const struct x86_generic_list zxd_generic_list =
	X86_LIST(zxd_generic, &zx_common_generic_list);

static const struct x86_generic zxe_generic[] = {
	X86_GENERIC_ARCH(BRANCH_INSTRUCTIONS, 5, 0x0028),
	X86_GENERIC_ARCH(BRANCH_MISSES, 6, 0x0029),
};

static const struct x86_generic_list zxe_generic_list =
	X86_LIST(zxe_generic, &zx_common_generic_list);

static const struct x86_cache zx_common_cache[] = {
	X86_CACHE(L1D, WRITE, MISS, 0x0562),
	X86_CACHE_SENSELESS(L1D, PREFETCH),
	X86_CACHE(L1I, READ, ACCESS, 0x0300),
	X86_CACHE(L1I, READ, MISS, 0x0301),
	X86_CACHE(L1I, PREFETCH, ACCESS, 0x030a),
	X86_CACHE(L1I, PREFETCH, MISS, 0x030b),
	X86_CACHE(DTLB, READ, MISS, 0x052c),
	X86_CACHE(DTLB, WRITE, MISS, 0x0530),
	X86_CACHE(DTLB, PREFETCH, ACCESS, 0x0564),
	X86_CACHE(DTLB, PREFETCH, MISS, 0x0565),
	X86_CACHE(ITLB, READ, ACCESS, 0x00c0),
	X86_CACHE(ITLB, READ, MISS, 0x0534),
	X86_CACHE_SENSELESS(NODE, READ),
	X86_CACHE_SENSELESS(NODE, WRITE),
	X86_CACHE_SENSELESS(NODE, PREFETCH),
};

static const struct x86_cache_list zx_common_cache_list =
	X86_LIST(zx_common_cache, &x86_cache_common);

static const struct x86_cache zxd_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x0042),
	X86_CACHE(L1D, READ, MISS, 0x0538),
	X86_CACHE(L1D, WRITE, ACCESS, 0x0043),
	X86_CACHE_SENSELESS(LL, READ),
	X86_CACHE_SENSELESS(LL, WRITE),
	X86_CACHE_SENSELESS(LL, PREFETCH),
	X86_CACHE(DTLB, READ, ACCESS, 0x0042),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x0043),
	X86_CACHE(BPU, READ, ACCESS, 0x0700),
	X86_CACHE(BPU, READ, MISS, 0x0709),
};

static const struct x86_cache_list zxd_cache_list =
	X86_LIST(zxd_cache, &zx_common_cache_list);

static const struct x86_cache zxe_cache[] = {
	X86_CACHE(L1D, READ, ACCESS, 0x0568),
	X86_CACHE(L1D, READ, MISS, 0x054b),
	X86_CACHE(L1D, WRITE, ACCESS, 0x0669),
	X86_CACHE(DTLB, READ, ACCESS, 0x0568),
	X86_CACHE(DTLB, WRITE, ACCESS, 0x0669),
	X86_CACHE(BPU, READ, ACCESS, 0x0028),
	X86_CACHE(BPU, READ, MISS, 0x0029),
};

static const struct x86_cache_list zxe_cache_list =
	X86_LIST(zxe_cache, &zx_common_cache_list);

const struct x86_model x86_model_zxc = {
	.name		= "ZXC",
	.counters	= ZX_COUNTERS,
	.fixed		= &zxc_fixed_list,
	.generic	= &zxc_generic_list,
	.quirks		= X86_QUIRK_ENABLED_ACK,
};

const struct x86_model x86_model_zxd = {
	.name		= "ZXD",
	.counters	= ZX_COUNTERS,
	.fixed		= &zxd_fixed_list,
	.generic	= &zxd_generic_list,
	.cache		= &zxd_cache_list,
};

const struct x86_model x86_model_zxe = {
	.name		= "ZXE",
	.counters	= ZX_COUNTERS,
	.fixed		= &zxd_fixed_list,
	.generic	= &zxe_generic_list,
	.cache		= &zxe_cache_list,
};
