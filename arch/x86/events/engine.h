/* SPDX-License-Identifier: GPL-2.0 */
/* The engine of the x86 PMU drivers: types of all its rooms. */
#ifndef _ARCH_X86_EVENTS_ENGINE_H
#define _ARCH_X86_EVENTS_ENGINE_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include "regs.h"
#include "rules/match.h"

struct perf_guest_switch_msr;
struct x86_cpu;
struct x86_extra_set;
struct x86_node;
struct x86_share;

/* hw_perf_event::flags */
#define X86_EVENT_PAIR		BIT(0)	/* takes the next counter as well */
#define X86_EVENT_GUEST_ONLY	BIT(1)	/* stands still while the host runs */
#define X86_EVENT_HOST_ONLY	BIT(2)	/* stands still while a guest runs */
#define X86_EVENT_BORROWED	BIT(3)	/* started from the value of another event */
#define X86_EVENT_LIMITED	BIT(4)	/* short periods do not work */
#define X86_EVENT_COUNTS	BIT(5)	/* does not sample */
#define X86_EVENT_NODE		BIT(6)	/* a counter of the node, for all its cores */
#define X86_EVENT_METRIC	BIT(7)	/* Intel: a share of the slots of its leader */
#define X86_EVENT_ALONE		BIT(8)	/* the other thread leaves the counter free */
#define X86_EVENT_DATA		GENMASK(11, 9)	/* enum x86_data */
#define X86_EVENT_SLOTS		BIT(12)	/* Intel: counts slots, with metrics */
#define X86_EVENT_LARGE		BIT(13)	/* Intel: its samples can be written later */
#define X86_EVENT_PEBS		BIT(14)	/* Intel: precise */
#define X86_EVENT_RELOAD	BIT(15)	/* Intel: the processor begins its periods */
#define X86_EVENT_BRANCHES	BIT(16)	/* branches are recorded while it counts */
#define X86_EVENT_EXCLUSIVE	BIT(17)	/* keeps other users of branch records out */
#define X86_EVENT_PER_BRANCH	BIT(18)	/* is counted for each recorded branch, too */
#define X86_EVENT_LENT		BIT(19)	/* no counter: lends the recorder to a guest */

static_assert(X86_EVENT_LENT <= PERF_EVENT_FLAG_ARCH);
/* x86_event_bits() shifts each of them to the bit of the second counter. */
static_assert(X86_EVENT_PAIR == 1);
static_assert(X86_EVENT_SLOTS == 1 << (X86_COUNTER_METRICS - X86_COUNTER_FIXED - 3 - 1));

/*
 * Most events of one CPU that can be scheduled in, or that a transaction can
 * add before it is refused. Processors have fewer counters.
 */
#define X86_MAX_EVENTS		32

/**
 * struct x86_core - the PMU of one type of core
 * @pmu:	as registered; a hybrid machine has two of them
 * @facts:	its counters, and what they can count
 * @version:	of the architecture: Intel's CPUID leaf 0xa; AMD: 2 with global
 *	registers
 * @nr_architectural: Intel: architectural events that CPUID tells about
 * @config_mask: bits of attr.config that a program may set
 * @lent:	counters that are not touched unless an event has them
 * @barred:	counters that no event may have now
 * @metrics:	Intel: it has topdown metrics
 * @branches:	how many branches a CPU records, 0 if it has no recorder
 * @branch_counters: general counters whose events can be counted for each
 *	branch
 * @max_precise: greatest precise_ip
 * @precise_all: events without a rule of their own can be precise
 * @precise_xmm: samples of precise events can have vector registers
 * @enter_guest: a guest is about to be entered on a CPU: stop counters whose
 *	records could be written later, and say which register stops the
 *	records; NULL if the processor stops them by itself
 * @absent_extra: registers X86_EXTRA_* that a hypervisor lacks
 * @cpus:	CPUs of this type
 */
struct x86_core {
	struct pmu		pmu;
	struct x86_match_pmu	facts;
	unsigned int		version;
	unsigned int		nr_architectural;
	u64			config_mask;
	u64			lent;
	u64			barred;
	bool			metrics;
	unsigned int		branches;
	u64			branch_counters;
	u8			max_precise;
	bool			precise_all;
	bool			precise_xmm;
	void			(*enter_guest)(struct x86_cpu *cpu,
					       struct perf_guest_switch_msr *msr);
	u32			absent_extra;
	struct cpumask		cpus;
};

/**
 * struct x86_cpu - the PMU of one CPU
 * @core:	type of the core
 * @enabled:	counters in @running count; false between pmu_disable() and
 *		pmu_enable(), and in the interrupt
 * @changed:	an event has no counter yet, or another one than planned
 * @nr:		used entries of @events, @at and @to
 * @nr_txn:	how many of these the present transaction added
 * @txn:	PERF_PMU_TXN_* of the present transaction
 * @loaded:	number of the set whose members are the last of @events, 0 for
 *	none
 * @planned:	counters in @to, and second counters of pairs
 * @full:	counters whose events could only move to others of these. An
 *		event that can have no other counter does not fit until an event
 *		is removed. 0 if unknown
 * @used:	counters that have an event
 * @running:	counters whose event is not stopped
 * @not_special: Intel: counters without a precise event, and without slots that
 *	are counted with metrics
 * @guest_only:	counters of events that stand still while the host runs
 * @host_only:	counters of events that stand still while a guest runs
 * @masked:	bits of selectors that the hardware must not see now
 * @guests:	guests run here, so the hypervisor writes global control as well
 * @aborts:	transactions abort, since an event has the counter they need
 * @branches:	events record branches, or did and the recorder was not stopped
 *		since
 * @at:		counter that each of @events has, or -1
 * @to:		counter that it is to have, or -1
 * @events:	events that are scheduled in; those of a transaction are the
 *	last
 * @on:		the event of each counter in @used, by slot
 * @regs:	what the registers contain
 * @extra:	registers that the threads of a core share
 * @share:	counters that the threads of a core share, or NULL
 * @node:	counters that the cores of a node share, or NULL
 * @node_own:	those of them that this CPU has taken
 * @thread:	which thread of @share this CPU is
 *
 * Only this CPU uses it: with interrupts off, or in the PMI.
 */
struct x86_cpu {
	struct x86_core		*core;
	bool			enabled;
	bool			changed;
	bool			guests;
	bool			aborts;
	bool			branches;
	u8			nr;
	u8			nr_txn;
	unsigned int		txn;
	u64			loaded;
	u64			planned;
	u64			full;
	u64			used;
	u64			running;
	u64			not_special;
	u64			guest_only;
	u64			host_only;
	u64			masked;
	s8			at[X86_MAX_EVENTS];
	s8			to[X86_MAX_EVENTS];
	struct perf_event	*events[X86_MAX_EVENTS];
	struct perf_event	*on[X86_NR_SLOTS];
	struct x86_regs		regs;
	struct x86_extra_set	*extra;
	struct x86_share	*share;
	struct x86_node		*node;
	u64			node_own;
	u8			thread;
};

DECLARE_PER_CPU(struct x86_cpu, x86_cpu);

static inline struct x86_core *x86_core_of(struct pmu *pmu)
{
	return container_of(pmu, struct x86_core, pmu);
}

/* The counters that events may have now. */
static inline u64 x86_core_counters(const struct x86_core *core)
{
	return core->facts.counters & ~READ_ONCE(core->barred);
}

/* Counters that count while the host runs. */
static inline u64 x86_cpu_host(const struct x86_cpu *cpu)
{
	return cpu->running & ~cpu->guest_only;
}

/*
 * The counters of an event on @counter: the next one, too, for a pair, and the
 * bit of all metrics for slots.
 */
static inline u64 x86_event_bits(const struct perf_event *event, unsigned int counter)
{
	u64 second = event->hw.flags & (X86_EVENT_PAIR | X86_EVENT_SLOTS);

	return (1ULL | second << 1) << counter;
}

/*
 * The counters that can count the event are in hw_perf_event::config_base; with
 * words of 32 bits the fixed ones are in event_base, which is not used
 * otherwise.
 */
static inline u64 x86_event_counters(const struct perf_event *event)
{
	if (IS_ENABLED(CONFIG_64BIT))
		return event->hw.config_base;
	return event->hw.config_base | (u64)event->hw.event_base << X86_COUNTER_FIXED;
}

/* The counters that can make the event precise with this selector. */
static inline u64 x86_event_precise(const struct x86_core *core, const struct perf_event *event,
				    u64 config, enum x86_data *data)
{
	u64 counters = x86_match_precise(&core->facts, config, core->precise_all, data);

	if (event->attr.precise_ip < 3)
		return counters;
	return x86_match_even(&core->facts, config, counters);
}

/* The counters that can count the event with this selector. */
static inline u64 x86_event_match(const struct x86_core *core, const struct perf_event *event,
				  u64 config)
{
	enum x86_data data;

	if (event->hw.flags & X86_EVENT_PEBS)
		return x86_event_precise(core, event, config, &data);
	return x86_match_counters(&core->facts, config);
}

static inline void x86_event_set_counters(struct perf_event *event, u64 counters)
{
	event->hw.config_base = counters;
	if (!IS_ENABLED(CONFIG_64BIT))
		event->hw.event_base = counters >> X86_COUNTER_FIXED;
}

#endif /* _ARCH_X86_EVENTS_ENGINE_H */
