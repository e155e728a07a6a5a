/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMU model: instruction-based sampling of AMD, see ibs.c
 */
#ifndef _ARCH_X86_EVENTS_PMU_MODEL_IBS_H
#define _ARCH_X86_EVENTS_PMU_MODEL_IBS_H

#include <linux/bits.h>
#include <linux/types.h>

#include "counter.h"

struct pmu_model;
struct pmu_model_reg;
struct seq_file;

enum pmu_model_ibs_unit_nr {
	PMU_IBS_FETCH,
	PMU_IBS_OP,
	PMU_IBS_NR_UNITS,
};

/* Registers of the fetch unit; the first is the control register of both. */
enum pmu_model_ibs_fetch_reg {
	PMU_IBS_CTL,
	PMU_IBS_FETCH_LINAD,
	PMU_IBS_FETCH_PHYSAD,
	PMU_IBS_FETCH_EXTD,
};

enum pmu_model_ibs_op_reg {
	PMU_IBS_OP_RIP = 1,
	PMU_IBS_OP_DATA,
	PMU_IBS_OP_DATA2,
	PMU_IBS_OP_DATA3,
	PMU_IBS_OP_DCLINAD,
	PMU_IBS_OP_DCPHYSAD,
	PMU_IBS_OP_TARGET,
	PMU_IBS_OP_DATA4,
	PMU_IBS_NR_REGS,
};

/* CPUID 8000_001B EAX, APM vol. 3 E.4.13. */
#define PMU_IBS_CAP_FFV		BIT(0)	/* the other bits are valid */
#define PMU_IBS_CAP_FETCH	BIT(1)
#define PMU_IBS_CAP_OP		BIT(2)
#define PMU_IBS_CAP_RDWR_COUNT	BIT(3)	/* the op count can be written */
#define PMU_IBS_CAP_OP_COUNT	BIT(4)	/* ops can be counted, not only cycles */
#define PMU_IBS_CAP_TARGET	BIT(5)
#define PMU_IBS_CAP_COUNT_EXT	BIT(6)	/* the op count has seven bits more */
#define PMU_IBS_CAP_RIP_INVALID	BIT(7)
#define PMU_IBS_CAP_FUSE	BIT(8)
#define PMU_IBS_CAP_FETCH_EXTD	BIT(9)
#define PMU_IBS_CAP_DATA4	BIT(10)
#define PMU_IBS_CAP_L3_MISS	BIT(11)

/* MSRC001_103A: the offset is valid; number of the extended LVT entry. */
#define PMU_IBS_LVT_VALID	BIT_ULL(8)
#define PMU_IBS_LVT_OFFSET	0

/**
 * struct pmu_model_ibs_unit - the fetch or the op unit
 * @regs:	the registers; that for control without its count
 * @counter:	the count up to the next sample
 * @running:	it counts
 */
struct pmu_model_ibs_unit {
	u64	regs[PMU_IBS_NR_REGS];
	struct pmu_model_counter counter;
	bool	running;
};

/**
 * struct pmu_model_ibs - all registers of IBS
 * @unit:	the two units
 * @random:	state of the random numbers
 * @pending:	mask of units with a sample for which no interrupt has come yet
 * @signalled:	mask of units that the last interrupt was for
 * @next:	line of the script that the next sample comes from
 */
struct pmu_model_ibs {
	struct pmu_model_ibs_unit unit[PMU_IBS_NR_UNITS];
	u32	random;
	u8	pending;
	u8	signalled;
	u8	next[PMU_IBS_NR_UNITS];
};

#define PMU_IBS_MAX_LINES	32
#define PMU_IBS_MAX_FIELDS	12

/**
 * struct pmu_model_ibs_field - a field of a sample
 * @key:	number of the field, see ibs_script.c
 * @low:	the lowest value
 * @range:	the highest is that much higher
 */
struct pmu_model_ibs_field {
	u8	key;
	u64	low;
	u64	range;
};

/**
 * struct pmu_model_ibs_line - a line of the script: one sample
 * @unit:	the unit that it is for
 * @l3_miss:	it passes the filter for L3 misses
 * @nr:		number of fields
 * @fields:	the fields
 */
struct pmu_model_ibs_line {
	u8	unit;
	bool	l3_miss;
	u8	nr;
	struct pmu_model_ibs_field fields[PMU_IBS_MAX_FIELDS];
};

struct pmu_model_ibs_lines {
	unsigned int nr;
	struct pmu_model_ibs_line line[PMU_IBS_MAX_LINES];
};

/**
 * struct pmu_model_ibs_script - the samples that IBS takes, one after the other
 * @live:	which half is used; the other one is for changes
 * @half:	the lines
 */
struct pmu_model_ibs_script {
	unsigned int live;
	struct pmu_model_ibs_lines half[2];
};

/* ibs_script.c */

extern struct pmu_model_ibs_script pmu_model_ibs_script;

const struct pmu_model_ibs_line *
pmu_model_ibs_next(const struct pmu_model_ibs_script *s, unsigned int unit,
		   bool l3_miss, u8 *next);
void pmu_model_ibs_apply(const struct pmu_model_ibs_line *line, u64 ip, u32 *random,
			 u64 *regs);
int pmu_model_ibs_script_set(struct pmu_model_ibs_script *s, char *text);
void pmu_model_ibs_script_show(const struct pmu_model_ibs_script *s,
			       struct seq_file *m);

/* ibs.c */

u32 pmu_model_ibs_caps(unsigned int level);
void pmu_model_ibs_setup(struct pmu_model *m);
void pmu_model_ibs_settle(const struct pmu_model *m, struct pmu_model_ibs *ibs,
			  u64 ip, u64 now);
u64 pmu_model_ibs_due(const struct pmu_model *m, const struct pmu_model_ibs *ibs,
		      u64 now);
u64 pmu_model_ibs_read(const struct pmu_model *m, const struct pmu_model_ibs *ibs,
		       const struct pmu_model_reg *reg, u64 now);
int pmu_model_ibs_write(const struct pmu_model *m, struct pmu_model_ibs *ibs,
			const struct pmu_model_reg *reg, u64 now, u64 val);

/* eilvt.c */

void pmu_model_eilvt_init(void);
bool pmu_model_eilvt_masked(void);
void pmu_model_eilvt_power_up(unsigned int cpu);

#endif /* _ARCH_X86_EVENTS_PMU_MODEL_IBS_H */
