/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMU model: records of branches, see lbr.c
 */
#ifndef _ARCH_X86_EVENTS_PMU_MODEL_BRANCHES_H
#define _ARCH_X86_EVENTS_PMU_MODEL_BRANCHES_H

#include <linux/bits.h>
#include <linux/types.h>

#include "counter.h"

struct pmu_model;
struct pmu_model_reg;
struct pmu_model_state;
struct seq_file;

/* Kinds of branches, in the order of kind_names in branch_script.c. */
enum pmu_model_branch_kind {
	PMU_BRANCH_COND,
	PMU_BRANCH_CALL,
	PMU_BRANCH_ICALL,
	PMU_BRANCH_RETURN,
	PMU_BRANCH_IJUMP,
	PMU_BRANCH_JUMP,
	PMU_BRANCH_FAR,
	PMU_BRANCH_NR_KINDS,
};

/**
 * struct pmu_model_branch - a line of the script: one branch
 * @from:	address of the instruction
 * @to:		address that it goes to
 * @cycles:	cycles since the branch before
 * @kind:	enum pmu_model_branch_kind
 * @mispredicted: target or direction was mispredicted
 */
struct pmu_model_branch {
	u64	from;
	u64	to;
	u16	cycles;
	u8	kind;
	bool	mispredicted;
};

#define PMU_BRANCH_MAX_LINES	128

struct pmu_model_branch_lines {
	unsigned int nr;
	struct pmu_model_branch line[PMU_BRANCH_MAX_LINES];
};

/**
 * struct pmu_model_branch_script - the branches that a CPU executes, again and
 * again
 * @live:	which half is used; the other one is for changes
 * @half:	the lines
 */
struct pmu_model_branch_script {
	unsigned int live;
	struct pmu_model_branch_lines half[2];
};

/* What records branches. */
enum pmu_model_lbr_type {
	PMU_LBR_NONE,
	PMU_LBR_LEGACY,		/* Intel: a ring with the number of its newest entry */
	PMU_LBR_ARCH,		/* Intel: entry 0 is the newest, control register */
	PMU_LBR_AMD,		/* AMD: the same, of 16 entries */
	PMU_LBR_SAMPLING,	/* AMD's BRS: the 16 branches after an overflow */
	PMU_LBR_NR_TYPES,
};

#define PMU_LBR_MAX		32

/* Formats of an entry, PERF_CAPABILITIES bits 5-0, SDM vol. 3 18.4.8.1. */
enum pmu_model_lbr_format {
	PMU_LBR_FMT_32,
	PMU_LBR_FMT_LIP,
	PMU_LBR_FMT_EIP,
	PMU_LBR_FMT_FLAGS,	/* bit 63 of the source: mispredicted */
	PMU_LBR_FMT_FLAGS2,	/* bits 63-61: mispredicted, two of transactions */
	PMU_LBR_FMT_INFO,	/* a third register: mispredicted, cycles */
	PMU_LBR_FMT_TIME,	/* as FLAGS, and cycles in the target */
	PMU_LBR_FMT_ARCH = 0x3f,
};

/* Debug control register: LBR and its freeze; the status bit of the freeze. */
#define PMU_DEBUGCTL_LBR	BIT_ULL(0)
#define PMU_DEBUGCTL_FREEZE_LBR	BIT_ULL(11)
#define PMU_STATUS_LBR_FROZEN	BIT_ULL(58)

/**
 * struct pmu_model_lbr - all registers of the branch records
 * @counter:	number of branches that the CPU has executed while it recorded
 * @running:	branches are recorded
 * @select:	filter of the legacy kinds and of AMD
 * @ctl:	control register of the architectural kind; AMD's debug
 *		extension
 * @depth:	number of entries in use
 * @newest:	number of the newest entry, in the ring
 * @wanted:	BRS: branches that are still to be recorded before the interrupt
 * @from:	ring of sources
 * @to:		ring of targets
 * @info:	ring of the rest
 */
struct pmu_model_lbr {
	struct pmu_model_counter counter;
	bool	running;
	u64	select;
	u64	ctl;
	u8	depth;
	u8	newest;
	u8	wanted;
	u64	from[PMU_LBR_MAX];
	u64	to[PMU_LBR_MAX];
	u64	info[PMU_LBR_MAX];
};

/* branch_script.c */

extern struct pmu_model_branch_script pmu_model_branch_script;

const struct pmu_model_branch *
pmu_model_branch_at(const struct pmu_model_branch_script *s, u64 number);
int pmu_model_branch_script_set(struct pmu_model_branch_script *s, char *text);
void pmu_model_branch_script_show(const struct pmu_model_branch_script *s,
				  struct seq_file *m);

/* lbr.c */

void pmu_model_lbr_setup(struct pmu_model *m);
void pmu_model_lbr_reset(const struct pmu_model *m, struct pmu_model_lbr *lbr);
void pmu_model_lbr_newest(const struct pmu_model *m, const struct pmu_model_lbr *lbr,
			  unsigned int index, u64 *entry);
void pmu_model_lbr_settle(const struct pmu_model *m, struct pmu_model_lbr *lbr, u64 now);
void pmu_model_lbr_restart(const struct pmu_model *m, struct pmu_model_state *s, u64 now);
bool pmu_model_lbr_waits(const struct pmu_model *m, const struct pmu_model_lbr *lbr,
			 unsigned int counter);
void pmu_model_lbr_begin(const struct pmu_model *m, struct pmu_model_state *s, u64 now);
u64 pmu_model_lbr_due(const struct pmu_model *m, const struct pmu_model_lbr *lbr, u64 now);
void pmu_model_lbr_freeze(const struct pmu_model *m, struct pmu_model_state *s, u64 now);
int pmu_model_lbr_read(const struct pmu_model *m, const struct pmu_model_lbr *lbr,
		       const struct pmu_model_reg *reg, u64 *val);
int pmu_model_lbr_write(const struct pmu_model *m, struct pmu_model_lbr *lbr,
			const struct pmu_model_reg *reg, u64 val);

#endif /* _ARCH_X86_EVENTS_PMU_MODEL_BRANCHES_H */
