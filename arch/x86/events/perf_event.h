/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What other x86 PMU drivers and a few more files of the kernel share with the
 * drivers of the CPU's own counters.
 *
 * These readers are the base's, and include this header by its name. The names
 * and the fields are those that they use; each group names its readers. The
 * rooms of this folder have headers of their own.
 */
#ifndef _ARCH_X86_EVENTS_PERF_EVENT_H
#define _ARCH_X86_EVENTS_PERF_EVENT_H

#include <linux/bitops.h>
#include <linux/perf_event.h>

struct pt_regs;

/*
 * intel/uncore*.c: which counters of an uncore unit can count an event, and
 * how they are assigned.
 */

/**
 * struct event_constraint - counters for the events with some code
 * @idxmsk: the counters, as a bitmap
 * @idxmsk64: the same as a number
 * @code: the code, in the bits of @cmask
 * @cmask: bits of the event's configuration that are compared
 * @weight: number of counters; 0 for none at all, -1 at the end of a table
 */
struct event_constraint {
	union {
		unsigned long	idxmsk[BITS_TO_LONGS(64)];
		u64		idxmsk64;
	};
	u64	code;
	u64	cmask;
	int	weight;
};

/*
 * A constraint with a weight of its own. @overlap and @flags concern the CPU's
 * counters only: a table that sets one of them does not compile.
 */
#define __EVENT_CONSTRAINT(event, counters, mask, number, overlap, flags)	\
	{									\
		.code		= (event),					\
		.cmask		= (mask),					\
		.weight		= (number) +					\
				  BUILD_BUG_ON_ZERO((overlap) || (flags)),	\
		.idxmsk64	= (counters),					\
	}

#define EVENT_CONSTRAINT(event, counters, mask)					\
	__EVENT_CONSTRAINT(event, counters, mask, HWEIGHT(counters), 0, 0)

#define EVENT_CONSTRAINT_END	{ .weight = -1 }

#define for_each_event_constraint(each, table)					\
	for (each = (table); each->weight >= 0; each++)

/* Is the constraint about events with this configuration? */
static inline bool constraint_match(const struct event_constraint *constraint,
				    u64 config)
{
	return (config & constraint->cmask) == constraint->code;
}

int perf_assign_events(struct event_constraint **constraints, int n, int wmin,
		       int wmax, int gpmax, int *assign);

/* intel/uncore_nhmex.c, intel/uncore_snbep.c: registers beside the selector. */

/* An event without such a register; the drivers define EXTRA_REG_* of their own. */
#define EXTRA_REG_NONE		(-1)

/**
 * struct extra_reg - a register that an event needs beside its selector
 * @event: code of the event, in the bits of @config_mask
 * @msr: address of the register; 0 at the end of a table
 * @config_mask: bits of the event's configuration that are compared
 * @valid_mask: bits of the register that the event may set
 * @idx: number of the register in its unit
 */
struct extra_reg {
	unsigned int	event;
	unsigned int	msr;
	u64		config_mask;
	u64		valid_mask;
	int		idx;
};

#define EVENT_EXTRA_REG(code, address, mask, valid, register)			\
	{									\
		.idx		= EXTRA_REG_##register,				\
		.msr		= (address),					\
		.event		= (code),					\
		.valid_mask	= (valid),					\
		.config_mask	= (mask),					\
	}

#define EVENT_EXTRA_END		{ .msr = 0 }

/* intel/pt.c: it shares an interrupt, and cannot trace beside everything. */

/* Users of branch records that exclude each other. */
enum {
	x86_lbr_exclusive_lbr,
	x86_lbr_exclusive_bts,
	x86_lbr_exclusive_pt,
	x86_lbr_exclusive_max,
};

int x86_add_exclusive(unsigned int what);
void x86_del_exclusive(unsigned int what);

/* Defined there; the handler of the interrupt calls it. */
void intel_pt_interrupt(void);

/* rapl.c, amd/power.c: files that name events. */

#define EVENT_PTR(variable)	(&event_attr_##variable.attr.attr)

#define EVENT_ATTR_STR(file, variable, text)					\
	static struct perf_pmu_events_attr event_attr_##variable = {		\
		.event_str	= text,						\
		.attr		= __ATTR(file, 0444, events_sysfs_show, NULL),	\
	}

ssize_t events_sysfs_show(struct device *dev, struct device_attribute *attr,
			  char *page);

/* arch/x86/xen/pmu.c: the hypervisor delivers the interrupt as an event. */

struct x86_pmu {
	/** @handle_irq: handles counters that have overflowed; returns how many */
	int	(*handle_irq)(struct pt_regs *regs);
};

extern struct x86_pmu x86_pmu;

/* arch/x86/kernel/cpu/resctrl/pseudo_lock.c: the selector of an event. */

/**
 * union x86_event_selector - fields of a select register, SDM vol. 3 20.2.1.1
 * @bits: its fields
 * @value: the register
 */
union x86_event_selector {
	struct {
		u64	event:8;
		u64	umask:8;
	} bits;
	u64	value;
};

#define X86_CONFIG(fields...)							\
	(((union x86_event_selector) { .bits = { fields } }).value)

#endif /* _ARCH_X86_EVENTS_PERF_EVENT_H */
