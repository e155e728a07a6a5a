// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/lbr_facts": the registers of last branches.
 *
 * Purpose: describe the recorder of each model, and translate what a program
 * asks for to the value of the register that filters branches. The room
 * "intel/lbr_arch" describes the architectural recorder.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <asm/msr-index.h>
#include "../rules/tables/tables.h"
#include "lbr_facts.h"

/* Recorders before the architectural one, SDM vol. 3 18.5 to 18.14. */
#define OLD(_depth)								\
	.depth = _depth, .from = MSR_LBR_CORE_FROM, .to = MSR_LBR_CORE_TO,	\
	.tos = MSR_LBR_TOS

#define NEW(_depth)								\
	.depth = _depth, .from = MSR_LBR_NHM_FROM, .to = MSR_LBR_NHM_TO,	\
	.tos = MSR_LBR_TOS, .by_level = true, .by_kind = true

static const struct intel_lbr core2 = { OLD(4) };
static const struct intel_lbr bonnell = { OLD(8) };
static const struct intel_lbr silvermont = {
	OLD(8), .by_level = true, .by_kind = true, .with_jumps = true,
};

static const struct intel_lbr nehalem = { NEW(16), .with_jumps = true };
static const struct intel_lbr sandybridge = { NEW(16) };
static const struct intel_lbr knights_landing = { NEW(8) };
static const struct intel_lbr broadwell = { NEW(16), .call_stack = true };
static const struct intel_lbr haswell = {
	NEW(16), .call_stack = true, .layout.double_abort = true,
};

static const struct intel_lbr skylake = {
	NEW(32), .info = MSR_LBR_INFO_0, .call_stack = true,
};

static const struct intel_lbr goldmont = {
	NEW(32), .info = MSR_LBR_INFO_0, .call_stack = true, .pt = true,
};

/**
 * struct recorder - the recorder of a model
 * @model: the model
 * @lbr: its recorder
 */
struct recorder {
	const struct x86_model	*model;
	const struct intel_lbr	*lbr;
};

static const struct recorder recorders[] = {
	{ &x86_model_core2,		&core2 },
	{ &x86_model_nehalem,		&nehalem },
	{ &x86_model_westmere,		&nehalem },
	{ &x86_model_westmere_ex,	&nehalem },
	{ &x86_model_sandybridge,	&sandybridge },
	{ &x86_model_sandybridge_ep,	&sandybridge },
	{ &x86_model_ivybridge,		&sandybridge },
	{ &x86_model_ivybridge_ep,	&sandybridge },
	{ &x86_model_haswell,		&haswell },
	{ &x86_model_broadwell,		&broadwell },
	{ &x86_model_skylake,		&skylake },
	{ &x86_model_skylake_server,	&skylake },
	{ &x86_model_icelake,		&goldmont },
	{ &x86_model_icelake_server,	&goldmont },
	{ &x86_model_bonnell,		&bonnell },
	{ &x86_model_silvermont,	&silvermont },
	{ &x86_model_knights_landing,	&knights_landing },
	{ &x86_model_goldmont,		&goldmont },
	{ &x86_model_goldmont_plus,	&goldmont },
	{ &x86_model_tremont,		&goldmont },
};

/**
 * intel_lbr_facts_find() - describe the recorder of a model
 * @lbr: is filled in; its depth is 0 if the model has none
 * @model: the model
 *
 * Context: any.
 */
void intel_lbr_facts_find(struct intel_lbr *lbr, const struct x86_model *model)
{
	unsigned int i;

	*lbr = (struct intel_lbr) { };
	for (i = 0; i < ARRAY_SIZE(recorders); i++) {
		if (recorders[i].model == model)
			*lbr = *recorders[i].lbr;
	}
}

/**
 * intel_lbr_facts_format() - add what the registers contain
 * @lbr: recorder that intel_lbr_facts_find() has found
 * @format: bits 5-0 of IA32_PERF_CAPABILITIES
 * @tsx: the processor has transactions
 *
 * Knights Landing says that it has no flags, but has them.
 *
 * Context: any.
 * Return: 0, or -EINVAL if the format is not known, or needs registers that the
 * model lacks.
 */
int intel_lbr_facts_format(struct intel_lbr *lbr, unsigned int format, bool tsx)
{
	bool double_abort = lbr->layout.double_abort;
	int err;

	if (lbr->from == MSR_LBR_NHM_FROM && lbr->depth == 8 && format == INTEL_LBR_LIP)
		format = INTEL_LBR_FLAGS;
	err = intel_lbr_decode_layout(&lbr->layout, format, tsx);
	if (err)
		return err;
	lbr->layout.double_abort = double_abort;
	if (lbr->layout.info && !lbr->info)
		return -EINVAL;
	if (!lbr->layout.info)
		lbr->info = 0;
	return 0;
}

/*
 * MSR_LBR_SELECT, SDM vol. 3 18.9.2: a bit leaves out branches. STACK is
 * different: it makes returns remove their calls.
 */
#define KERNEL		BIT(0)
#define USER		BIT(1)
#define COND		BIT(2)
#define REL_CALL	BIT(3)
#define IND_CALL	BIT(4)
#define RETURN		BIT(5)
#define IND_JUMP	BIT(6)
#define REL_JUMP	BIT(7)
#define FAR		BIT(8)
#define STACK		BIT(9)

#define KINDS		GENMASK(8, 2)
#define LEAVE_OUT	GENMASK(8, 0)

/*
 * IA32_LBR_CTL, SDM vol. 4: a bit lets branches be recorded. They are in the
 * order of the bits of MSR_LBR_SELECT.
 */
static const u32 arch_bits[] = {
	BIT(1), BIT(2), BIT(16), BIT(19), BIT(20), BIT(21), BIT(18), BIT(17), BIT(22), BIT(3),
};

/**
 * struct wish - what a bit of branch_sample_type needs
 * @asked: PERF_SAMPLE_BRANCH_*
 * @classes: of branches, as in MSR_LBR_SELECT
 */
struct wish {
	u32	asked;
	u32	classes;
};

/*
 * Aborts of transactions are in no class. For them all branches are recorded,
 * and the others are removed later.
 */
static const struct wish wishes[] = {
	{ PERF_SAMPLE_BRANCH_USER,	 USER },
	{ PERF_SAMPLE_BRANCH_KERNEL,	 KERNEL },
	{ PERF_SAMPLE_BRANCH_ANY,	 KINDS },
	{ PERF_SAMPLE_BRANCH_ANY_CALL,	 REL_CALL | IND_CALL | FAR },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, RETURN | FAR },
	{ PERF_SAMPLE_BRANCH_IND_CALL,	 IND_CALL },
	{ PERF_SAMPLE_BRANCH_ABORT_TX,	 KINDS },
	{ PERF_SAMPLE_BRANCH_COND,	 COND },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, REL_CALL | IND_CALL | RETURN | STACK },
	{ PERF_SAMPLE_BRANCH_IND_JUMP,	 IND_JUMP },
	{ PERF_SAMPLE_BRANCH_CALL,	 REL_CALL },
};

/* Indirect jumps and direct calls are accepted beside a call stack. */
#define NO_PART_OF_STACK	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL |	\
				 PERF_SAMPLE_BRANCH_ANY_RETURN |			\
				 PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_COND | \
				 PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_IN_TX | \
				 PERF_SAMPLE_BRANCH_NO_TX)

static u32 classes_of(const struct intel_lbr *lbr, u64 asked)
{
	u32 classes = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wishes); i++) {
		if (asked & wishes[i].asked)
			classes |= wishes[i].classes;
	}
	if (lbr->with_jumps && classes & (REL_CALL | RETURN))
		classes |= REL_JUMP | IND_JUMP;
	if (lbr->with_jumps && classes & IND_CALL)
		classes |= IND_JUMP;
	return classes;
}

static u64 arch_value(u32 classes)
{
	u64 value = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(arch_bits); i++) {
		if (classes & BIT(i))
			value |= arch_bits[i];
	}
	return value;
}

/**
 * intel_lbr_facts_select() - find the value of the register that filters
 * branches
 * @lbr: the recorder
 * @asked: PERF_SAMPLE_BRANCH_*
 * @select: gets the value; 0 without such a register
 *
 * Context: any.
 * Return: 0; -EOPNOTSUPP if the recorder has a filter, but not the one that is
 * needed; -EINVAL if a call stack is to have other branches as well.
 */
int intel_lbr_facts_select(const struct intel_lbr *lbr, u64 asked, u64 *select)
{
	u32 classes = classes_of(lbr, asked);

	*select = 0;
	if (classes & STACK) {
		if (!lbr->call_stack)
			return -EOPNOTSUPP;
		if (asked & NO_PART_OF_STACK)
			return -EINVAL;
	}
	if (!intel_lbr_has_filter(lbr))
		return 0;
	if ((classes & (KERNEL | USER) && !lbr->by_level) || (classes & KINDS && !lbr->by_kind))
		return -EOPNOTSUPP;
	*select = lbr->arch ? arch_value(classes) : classes ^ LEAVE_OUT;
	return 0;
}

/**
 * intel_lbr_facts_sees_kernel() - are branches of the kernel recorded?
 * @lbr: the recorder
 * @select: value of the register that filters branches
 *
 * Context: any.
 * Return: true if they are.
 */
bool intel_lbr_facts_sees_kernel(const struct intel_lbr *lbr, u64 select)
{
	if (!lbr->by_level)
		return true;
	return lbr->arch ? select & arch_bits[0] : !(select & KERNEL);
}

/**
 * intel_lbr_facts_is_stack() - do returns remove their calls?
 * @lbr: the recorder
 * @select: value of the register that filters branches
 *
 * Context: any.
 * Return: true if they do.
 */
bool intel_lbr_facts_is_stack(const struct intel_lbr *lbr, u64 select)
{
	return lbr->call_stack && select & (lbr->arch ? arch_bits[9] : STACK);
}
