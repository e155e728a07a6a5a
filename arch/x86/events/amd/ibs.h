/* SPDX-License-Identifier: GPL-2.0 */
/* Room "amd/ibs": events that sample instructions. */
#ifndef _ARCH_X86_EVENTS_AMD_IBS_H
#define _ARCH_X86_EVENTS_AMD_IBS_H

#include <linux/perf_event.h>
#include "ibs_decode.h"

/* The fields of a control register of both units. */
#define AMD_IBS_COUNT_UNIT	16	/* periods are multiples of it */
#define AMD_IBS_MAX_COUNT	GENMASK_ULL(15, 0)

/**
 * struct amd_ibs - one of the two units
 * @pmu:	as registered
 * @address:	of its control register, which the registers of the sample
 *	follow
 * @nr_regs:	how many these are
 * @allowed:	bits of attr.config
 * @counts:	fields of the control register with counts
 * @upper:	bits of the period that are in their own place there
 * @enable:	bit that turns sampling on
 * @valid:	bit that says that there is a sample
 * @max_period:	events after which it can sample
 */
struct amd_ibs {
	struct pmu	pmu;
	u32		address;
	unsigned int	nr_regs;
	u64		allowed;
	u64		counts;
	u64		upper;
	u64		enable;
	u64		valid;
	u64		max_period;
};

/**
 * struct amd_ibs_record - the registers of a sample, as PERF_SAMPLE_RAW shows
 *	them from @caps on
 * @nr:		how many registers were read
 * @caps:	EAX of CPUID leaf 0x8000001b
 * @regs:	the unit's own registers; then those that only some processors
 *	have
 */
struct amd_ibs_record {
	u32	nr;
	u32	caps;
	u64	regs[AMD_IBS_OP_NR + 2];
};

extern struct amd_ibs amd_ibs_fetch;
extern struct amd_ibs amd_ibs_op;
extern struct amd_ibs_cpu amd_ibs_cpu;

u64 amd_ibs_read_register(u32 address);
u64 amd_ibs_period(s64 left, u64 max);
int amd_ibs_deliver(struct perf_event *event, struct amd_ibs_record *record, u64 period,
		    struct pt_regs *interrupted);
int amd_ibs_nmi(unsigned int cmd, struct pt_regs *regs);
int amd_ibs_event_init(struct perf_event *event);
int amd_ibs_add(struct perf_event *event, int flags);
void amd_ibs_del(struct perf_event *event, int flags);
void amd_ibs_start(struct perf_event *event, int flags);
void amd_ibs_stop(struct perf_event *event, int flags);
void amd_ibs_restore(void);
void amd_ibs_pmu_read(struct perf_event *event);

#endif /* _ARCH_X86_EVENTS_AMD_IBS_H */
