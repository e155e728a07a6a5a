// SPDX-License-Identifier: GPL-2.0
/*
 * Room "tables/intel_named": events of Intel's cores that have names.
 *
 * Purpose: the names that programs know: the parts of topdown analysis, SDM
 * vol. 3 appendix B.1, from counters or from metrics; the events of
 * transactions, SDM vol. 3 20.3.6.5; and those of accesses to memory whose
 * samples have addresses and latencies, SDM vol. 3 20.3.4.4.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 *
 * The texts are an interface: each is the same as on other kernels.
 */
#include "tables.h"

/*
 * A core issues four uops in a cycle. Cycles of a thread are a half of those of
 * a core with two threads, which count for both.
 */
static const struct x86_named topdown_rows[] = {
	X86_NAMED_THREADS("topdown-total-slots", "event=0x3c,umask=0x0",
			  "event=0x3c,umask=0x0,any=1"),
	X86_NAMED_THREADS("topdown-total-slots.scale", "4", "2"),
	X86_NAMED("topdown-slots-issued", "event=0xe,umask=0x1"),
	X86_NAMED("topdown-slots-retired", "event=0xc2,umask=0x2"),
	X86_NAMED("topdown-fetch-bubbles", "event=0x9c,umask=0x1"),
	X86_NAMED_THREADS("topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1",
			  "event=0xd,umask=0x3,cmask=1,any=1"),
	X86_NAMED_THREADS("topdown-recovery-bubbles.scale", "4", "2"),
};

static const struct x86_named tsx_rows[] = {
	X86_NAMED_TSX("tx-start", "event=0xc9,umask=0x1"),
	X86_NAMED_TSX("tx-commit", "event=0xc9,umask=0x2"),
	X86_NAMED_TSX("tx-abort", "event=0xc9,umask=0x4"),
	X86_NAMED_TSX("tx-conflict", "event=0x54,umask=0x1"),
	X86_NAMED_TSX("cycles-t", "event=0x3c,in_tx=1"),
	X86_NAMED_TSX("cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1"),
};

/* Loads that take at least three cycles. */
#define LOADS		X86_NAMED_PRECISE("mem-loads", "event=0xcd,umask=0x1,ldlat=3")

static const struct x86_named nehalem_rows[] = {
	X86_NAMED_PRECISE("mem-loads", "event=0x0b,umask=0x10,ldlat=3"),
};

const struct x86_named_list x86_named_nehalem = X86_LIST(nehalem_rows, NULL);

static const struct x86_named sandybridge_rows[] = {
	LOADS,
	X86_NAMED_PRECISE("mem-stores", "event=0xcd,umask=0x2"),
};

static const struct x86_named_list sandybridge_list = X86_LIST(sandybridge_rows, NULL);

static const struct x86_named_list tsx_list = X86_LIST(tsx_rows, NULL);

/* Elided locks; cores from Golden Cove on have none. */
static const struct x86_named hle_rows[] = {
	X86_NAMED_TSX("el-start", "event=0xc8,umask=0x1"),
	X86_NAMED_TSX("el-commit", "event=0xc8,umask=0x2"),
	X86_NAMED_TSX("el-abort", "event=0xc8,umask=0x4"),
	X86_NAMED_TSX("el-conflict", "event=0x54,umask=0x1"),
};

static const struct x86_named_list hle_list = X86_LIST(hle_rows, &tsx_list);

static const struct x86_named haswell_rows[] = {
	LOADS,
	X86_NAMED_PRECISE("mem-stores", "event=0xd0,umask=0x82"),
	X86_NAMED_TSX("tx-capacity", "event=0x54,umask=0x2"),
	X86_NAMED_TSX("el-capacity", "event=0x54,umask=0x2"),
};

static const struct x86_named_list haswell_list =
	X86_LIST(haswell_rows, &hle_list);

static const struct x86_named metric_rows[] = {
	X86_NAMED_METRIC("slots", "event=0x00,umask=0x4"),
	X86_NAMED_METRIC("topdown-retiring", "event=0x00,umask=0x80"),
	X86_NAMED_METRIC("topdown-bad-spec", "event=0x00,umask=0x81"),
	X86_NAMED_METRIC("topdown-fe-bound", "event=0x00,umask=0x82"),
	X86_NAMED_METRIC("topdown-be-bound", "event=0x00,umask=0x83"),
};

static const struct x86_named_list icelake_list = X86_LIST(metric_rows, &hle_list);

/* Golden Cove has a part of each as well. */
static const struct x86_named more_metric_rows[] = {
	X86_NAMED_METRIC("topdown-heavy-ops", "event=0x00,umask=0x84"),
	X86_NAMED_METRIC("topdown-br-mispredict", "event=0x00,umask=0x85"),
	X86_NAMED_METRIC("topdown-fetch-lat", "event=0x00,umask=0x86"),
	X86_NAMED_METRIC("topdown-mem-bound", "event=0x00,umask=0x87"),
};

static const struct x86_named_list metric_list = X86_LIST(metric_rows, &tsx_list);
static const struct x86_named_list golden_cove_list =
	X86_LIST(more_metric_rows, &metric_list);

static const struct x86_named icelake_rows[] = {
	LOADS,
	X86_NAMED_PRECISE("mem-stores", "event=0xd0,umask=0x82"),
	X86_NAMED_TSX("tx-capacity-read", "event=0x54,umask=0x80"),
	X86_NAMED_TSX("tx-capacity-write", "event=0x54,umask=0x2"),
	X86_NAMED_TSX("el-capacity-read", "event=0x54,umask=0x80"),
	X86_NAMED_TSX("el-capacity-write", "event=0x54,umask=0x2"),
};

static const struct x86_named golden_cove_rows[] = {
	LOADS,
	X86_NAMED_PRECISE("mem-stores", "event=0xcd,umask=0x2"),
	{ .name = "mem-loads-aux", .text = "event=0x03,umask=0x82", .needs = X86_HAS_LOADS_AUX },
	X86_NAMED_TSX("tx-capacity-read", "event=0x54,umask=0x80"),
	X86_NAMED_TSX("tx-capacity-write", "event=0x54,umask=0x2"),
};

/* Skylake has another unit mask; the first match counts. */
static const struct x86_named skylake_rows[] = {
	X86_NAMED_THREADS("topdown-recovery-bubbles", "event=0xd,umask=0x1,cmask=1",
			  "event=0xd,umask=0x1,cmask=1,any=1"),
};

const struct x86_named_list x86_named_sandybridge =
	X86_LIST(topdown_rows, &sandybridge_list);
const struct x86_named_list x86_named_haswell =
	X86_LIST(topdown_rows, &haswell_list);
const struct x86_named_list x86_named_skylake =
	X86_LIST(skylake_rows, &x86_named_haswell);
const struct x86_named_list x86_named_icelake =
	X86_LIST(icelake_rows, &icelake_list);
const struct x86_named_list x86_named_golden_cove =
	X86_LIST(golden_cove_rows, &golden_cove_list);

/* Two uops in a cycle; the core has no name for cycles of recovery. */
static const struct x86_named silvermont_rows[] = {
	X86_NAMED("topdown-total-slots", "event=0x3c"),
	X86_NAMED("topdown-total-slots.scale", "2"),
	X86_NAMED("topdown-fetch-bubbles", "event=0xca,umask=0x50"),
	X86_NAMED("topdown-fetch-bubbles.scale", "2"),
	X86_NAMED("topdown-slots-issued", "event=0xc2,umask=0x10"),
	X86_NAMED("topdown-slots-retired", "event=0xc2,umask=0x10"),
};

const struct x86_named_list x86_named_silvermont =
	X86_LIST(silvermont_rows, NULL);

static const struct x86_named goldmont_rows[] = {
	X86_NAMED("topdown-total-slots", "event=0x3c"),
	X86_NAMED("topdown-total-slots.scale", "3"),
	X86_NAMED("topdown-fetch-bubbles", "event=0x9c"),
	X86_NAMED("topdown-recovery-bubbles", "event=0xca,umask=0x02"),
	X86_NAMED("topdown-slots-issued", "event=0x0e"),
	X86_NAMED("topdown-slots-retired", "event=0xc2"),
};

const struct x86_named_list x86_named_goldmont = X86_LIST(goldmont_rows, NULL);

/* Slots by where they were lost, or used. */
static const struct x86_named tremont_rows[] = {
	X86_NAMED("topdown-fe-bound", "event=0x71,umask=0x0"),
	X86_NAMED("topdown-retiring", "event=0xc2,umask=0x0"),
	X86_NAMED("topdown-bad-spec", "event=0x73,umask=0x6"),
	X86_NAMED("topdown-be-bound", "event=0x74,umask=0x0"),
};

const struct x86_named_list x86_named_tremont = X86_LIST(tremont_rows, NULL);

static const struct x86_named gracemont_rows[] = {
	X86_NAMED_PRECISE("mem-loads", "event=0xd0,umask=0x5,ldlat=3"),
	X86_NAMED_PRECISE("mem-stores", "event=0xd0,umask=0x6"),
};

static const struct x86_named_list gracemont_list = X86_LIST(gracemont_rows, NULL);

const struct x86_named_list x86_named_gracemont =
	X86_LIST(tremont_rows, &gracemont_list);

static const struct x86_named alderlake_atom_rows[] = {
	X86_NAMED("topdown-fe-bound", "event=0x71,umask=0x0"),
	X86_NAMED("topdown-retiring", "event=0xc2,umask=0x0"),
	X86_NAMED("topdown-bad-spec", "event=0x73,umask=0x0"),
	X86_NAMED("topdown-be-bound", "event=0x74,umask=0x0"),
};

const struct x86_named_list x86_named_alderlake_atom =
	X86_LIST(alderlake_atom_rows, &gracemont_list);

static const struct x86_named crestmont_rows[] = {
	X86_NAMED("topdown-fe-bound", "event=0x71,umask=0x0"),
	X86_NAMED("topdown-retiring", "event=0x72,umask=0x0"),
	X86_NAMED("topdown-bad-spec", "event=0x73,umask=0x0"),
	X86_NAMED("topdown-be-bound", "event=0x74,umask=0x0"),
};

const struct x86_named_list x86_named_crestmont =
	X86_LIST(crestmont_rows, &gracemont_list);

static const struct x86_named skymont_rows[] = {
	X86_NAMED("topdown-fe-bound", "event=0x9c,umask=0x01"),
	X86_NAMED("topdown-retiring", "event=0xc2,umask=0x02"),
	X86_NAMED("topdown-bad-spec", "event=0x73,umask=0x0"),
	X86_NAMED("topdown-be-bound", "event=0xa4,umask=0x02"),
};

const struct x86_named_list x86_named_skymont = X86_LIST(skymont_rows, &gracemont_list);
