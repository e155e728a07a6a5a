// SPDX-License-Identifier: GPL-2.0
/*
 * Room "branch_filter": which branches a program gets.
 *
 * Purpose: translate attr.branch_sample_type to a mask of kinds and levels, and
 * remove the branches that a program has not asked for. The hardware's own
 * filter, if there is one, is coarser.
 *
 * Owns: nothing.
 *
 * Contexts: any, including NMI.
 *
 * Locking: none.
 */
#include <linux/array_size.h>
#include <uapi/linux/perf_event.h>
#include "branch_filter.h"

/**
 * struct wish - what a bit of branch_sample_type asks for
 * @asked: PERF_SAMPLE_BRANCH_*
 * @wanted: X86_BRANCH_*
 */
struct wish {
	u32	asked;
	u32	wanted;
};

static const struct wish wishes[] = {
	{ PERF_SAMPLE_BRANCH_USER,	X86_BRANCH_TO_USER },
	{ PERF_SAMPLE_BRANCH_KERNEL,	X86_BRANCH_TO_KERNEL },
	{ PERF_SAMPLE_BRANCH_ANY,	X86_BRANCH_ANY },
	{ PERF_SAMPLE_BRANCH_ANY_CALL,	X86_BRANCH_CALL | X86_BRANCH_IND_CALL |
					X86_BRANCH_ZERO_CALL | X86_BRANCH_SYSCALL |
					X86_BRANCH_INT | X86_BRANCH_IRQ },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, X86_BRANCH_RETURN | X86_BRANCH_IRET |
					X86_BRANCH_SYSRET },
	{ PERF_SAMPLE_BRANCH_IND_CALL,	X86_BRANCH_IND_CALL },
	{ PERF_SAMPLE_BRANCH_ABORT_TX,	X86_BRANCH_ABORT },
	{ PERF_SAMPLE_BRANCH_IN_TX,	X86_BRANCH_IN_TX },
	{ PERF_SAMPLE_BRANCH_NO_TX,	X86_BRANCH_NO_TX },
	{ PERF_SAMPLE_BRANCH_COND,	X86_BRANCH_COND },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, X86_BRANCH_FRAMES },
	{ PERF_SAMPLE_BRANCH_IND_JUMP,	X86_BRANCH_IND_JUMP },
	{ PERF_SAMPLE_BRANCH_CALL,	X86_BRANCH_CALL | X86_BRANCH_ZERO_CALL },
	{ PERF_SAMPLE_BRANCH_TYPE_SAVE,	X86_BRANCH_SAVE_TYPE },
};

/**
 * x86_branch_filter_wanted() - translate what a program asks for
 * @branch_sample_type: PERF_SAMPLE_BRANCH_*
 *
 * The level of a hypervisor is ignored: its branches are never recorded.
 *
 * Context: any.
 * Return: X86_BRANCH_*.
 */
u32 x86_branch_filter_wanted(u64 branch_sample_type)
{
	u32 wanted = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wishes); i++) {
		if (branch_sample_type & wishes[i].asked)
			wanted |= wishes[i].wanted;
	}
	return wanted;
}

static u32 classify(const struct x86_branch_filter *f, const struct perf_branch_entry *e)
{
	bool from_kernel = e->from >= f->kernel;
	u32 kind;

	if (!e->from || !e->to)
		return X86_BRANCH_NONE;
	if (e->abort)
		return X86_BRANCH_ABORT;
	/* The hardware may have said what it is. */
	kind = x86_branch_type_of_perf(e->type);
	if (kind)
		return kind;
	return x86_branch_type_cross(f->look(e->from, from_kernel), from_kernel,
				     e->to >= f->kernel);
}

/* The target decides about the level, as in the hardware's filter. */
static bool wants(const struct x86_branch_filter *f, const struct perf_branch_entry *e,
		  u32 kind)
{
	u32 properties = kind;

	if (!kind)
		return false;
	properties |= e->to >= f->kernel ? X86_BRANCH_TO_KERNEL : X86_BRANCH_TO_USER;
	if (f->wanted & X86_BRANCH_TX)
		properties |= e->in_tx ? X86_BRANCH_IN_TX : X86_BRANCH_NO_TX;
	if (properties & ~f->wanted)
		return false;
	/* No address of the kernel without permission, not even of a return. */
	return f->wanted & X86_BRANCH_TO_KERNEL || e->from < f->kernel;
}

/**
 * x86_branch_filter_run() - remove branches that a program has not asked for
 * @f: which branches stay
 * @entries: branches; their type is 0, or what the hardware says
 * @counters: the counts of each branch, which move with it; or NULL
 * @nr: number of branches
 *
 * Context: any.
 * Return: number of branches that stay.
 */
unsigned int x86_branch_filter_run(const struct x86_branch_filter *f,
				   struct perf_branch_entry *entries,
				   u64 *counters, unsigned int nr)
{
	unsigned int i, kept = 0;
	u32 kind;

	if (x86_branch_filter_keeps_all(f->wanted))
		return nr;
	for (i = 0; i < nr; i++) {
		kind = classify(f, &entries[i]);
		if (!wants(f, &entries[i], kind))
			continue;
		entries[kept] = entries[i];
		if (f->wanted & X86_BRANCH_SAVE_TYPE)
			entries[kept].type = x86_branch_type_perf(kind);
		if (counters)
			counters[kept] = counters[i];
		kept++;
	}
	return kept;
}
