/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMU model: records that the CPU writes to memory, see pebs.c
 */
#ifndef _ARCH_X86_EVENTS_PMU_MODEL_PEBS_H
#define _ARCH_X86_EVENTS_PMU_MODEL_PEBS_H

#include <linux/bits.h>
#include <linux/types.h>

struct pmu_model;
struct pmu_model_state;
struct pt_regs;
struct seq_file;

/* Registers, in the order of their kinds. */
enum pmu_model_pebs_reg {
	PMU_PEBS_ENABLE,
	PMU_PEBS_DS_AREA,
	PMU_PEBS_DATA_CFG,
	PMU_PEBS_LOAD_LATENCY,
	PMU_PEBS_FRONTEND,
	PMU_PEBS_NR_REGS,
};

/* Value of @pebs of a PMU without PEBS; else it is the format plus one. */
#define PMU_PEBS_NONE		0
#define PMU_PEBS_ADAPTIVE	5

#define PMU_STATUS_BUFFER	BIT_ULL(62)

/**
 * struct pmu_model_pebs - registers of PEBS
 * @regs:	the registers
 * @full:	the threshold was reached, and no interrupt has come for it yet
 * @signalled:	the last interrupt was for the threshold
 * @next:	line of the script of memory accesses that comes next
 */
struct pmu_model_pebs {
	u64	regs[PMU_PEBS_NR_REGS];
	bool	full;
	bool	signalled;
	u8	next;
};

/**
 * struct pmu_model_moment - what an interrupt has interrupted
 * @regs:	the registers
 * @tsc:	time-stamp counter
 */
struct pmu_model_moment {
	const struct pt_regs *regs;
	u64	tsc;
};

#define PMU_ACCESS_MAX_LINES	32

/**
 * struct pmu_model_access - a line of the script: one access to memory
 * @addr:	linear address
 * @latency:	cycles
 * @source:	data source as the CPU encodes it
 */
struct pmu_model_access {
	u64	addr;
	u64	latency;
	u64	source;
};

struct pmu_model_access_lines {
	unsigned int nr;
	struct pmu_model_access line[PMU_ACCESS_MAX_LINES];
};

/**
 * struct pmu_model_access_script - the memory accesses of the records, in order
 * @live:	which half is used; the other one is for changes
 * @half:	the lines
 */
struct pmu_model_access_script {
	unsigned int live;
	struct pmu_model_access_lines half[2];
};

/* access_script.c */

extern struct pmu_model_access_script pmu_model_access_script;

struct pmu_model_access
pmu_model_access_next(const struct pmu_model_access_script *s, u64 threshold, u8 *next);
int pmu_model_access_script_set(struct pmu_model_access_script *s, char *text);
void pmu_model_access_script_show(const struct pmu_model_access_script *s,
				  struct seq_file *m);

/* pebs.c */

void pmu_model_pebs_setup(struct pmu_model *m);
u64 pmu_model_pebs_caps(const struct pmu_model *m);
int pmu_model_pebs_write(const struct pmu_model *m, struct pmu_model_pebs *pebs,
			 unsigned int index, u64 val);
u32 pmu_model_pebs_counters(const struct pmu_model *m,
			    const struct pmu_model_pebs *pebs);
void pmu_model_pebs_record(const struct pmu_model *m, struct pmu_model_state *s,
			   unsigned int counter, const struct pmu_model_moment *now);

#endif /* _ARCH_X86_EVENTS_PMU_MODEL_PEBS_H */
