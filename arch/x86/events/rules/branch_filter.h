/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which branches a program gets of those that were recorded
 */
#ifndef _ARCH_X86_EVENTS_BRANCH_FILTER_H
#define _ARCH_X86_EVENTS_BRANCH_FILTER_H

#include "branch_type.h"

struct perf_branch_entry;

/* Beside kinds, X86_BRANCH_*: what else a filter wants. */
#define X86_BRANCH_TO_USER	BIT(16)		/* targets in user space */
#define X86_BRANCH_TO_KERNEL	BIT(17)		/* targets in the kernel */
#define X86_BRANCH_IN_TX	BIT(18)		/* in a transaction */
#define X86_BRANCH_NO_TX	BIT(19)		/* outside of transactions */
#define X86_BRANCH_SAVE_TYPE	BIT(20)		/* the sample is to have the kind */

#define X86_BRANCH_LEVELS	(X86_BRANCH_TO_USER | X86_BRANCH_TO_KERNEL)
#define X86_BRANCH_TX		(X86_BRANCH_IN_TX | X86_BRANCH_NO_TX)

/* What a call stack consists of. */
#define X86_BRANCH_FRAMES	(X86_BRANCH_CALL | X86_BRANCH_IND_CALL | X86_BRANCH_RETURN)

/**
 * struct x86_branch_filter - which branches stay
 * @wanted: X86_BRANCH_*
 * @kernel: first address of the kernel
 * @look: classifies the instruction at an address, X86_BRANCH_*
 */
struct x86_branch_filter {
	u32	wanted;
	u64	kernel;
	u32	(*look)(u64 from, bool kernel);
};

u32 x86_branch_filter_wanted(u64 branch_sample_type);
unsigned int x86_branch_filter_run(const struct x86_branch_filter *f,
				   struct perf_branch_entry *entries,
				   u64 *counters, unsigned int nr);

/* May all branches stay as they were recorded? */
static inline bool x86_branch_filter_keeps_all(u32 wanted)
{
	return (wanted & (X86_BRANCH_ANY | X86_BRANCH_LEVELS)) ==
	       (X86_BRANCH_ANY | X86_BRANCH_LEVELS) &&
	       !(wanted & (X86_BRANCH_SAVE_TYPE | X86_BRANCH_TX));
}

#endif /* _ARCH_X86_EVENTS_BRANCH_FILTER_H */
