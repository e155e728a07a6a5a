/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one type of core can count: the rows of its tables, and their lookup
 */
#ifndef _ARCH_X86_EVENTS_MATCH_H
#define _ARCH_X86_EVENTS_MATCH_H

#include "rules.h"

/* The event takes two counters: one of the rule, and the next one. */
#define X86_RULE_PAIR		BIT(0)
/* The event is the node's: a counter of one core counts it for all cores. */
#define X86_RULE_NODE		BIT(1)
/*
 * The event may corrupt the counter with the same number of the other thread,
 * errata BJ122, BV98, HSD29.
 */
#define X86_RULE_LEAK		BIT(2)
/* The rule applies only if at most one bit of the umask is set. */
#define X86_RULE_ONE_UMASK	BIT(3)
/* No counter of the core counts such events. */
#define X86_RULE_NONE		BIT(4)
/* Precise events: what a record says of data, enum x86_data. */
#define X86_RULE_DATA		GENMASK(7, 5)

/**
 * struct x86_rule - which general counters count some events
 * @first: smallest config, in the bits of @mask
 * @last: greatest config, in the bits of @mask
 * @mask: bits that are compared
 * @counters: general counters that count such events; 0 with X86_RULE_NONE
 * @flags: X86_RULE_*
 */
struct x86_rule {
	u64	first;
	u64	last;
	u64	mask;
	u64	counters;
	u16	flags;
};

/**
 * struct x86_fixed_code - a code that a counter of one purpose counts, too
 * @code: event and umask. Event 0 is none of the general counters: such a code
 *	  is only a name for the fixed counter or the metric
 * @counter: number of the counter, X86_COUNTER_FIXED or above
 */
struct x86_fixed_code {
	u16	code;
	u8	counter;
};

/* Registers that some events need beside their event select register. */
enum x86_extra_reg {
	X86_EXTRA_RSP_0,
	X86_EXTRA_RSP_1,
	X86_EXTRA_LDLAT,
	X86_EXTRA_FRONTEND,
	X86_EXTRA_SNOOP_0,
	X86_EXTRA_SNOOP_1,
	X86_EXTRA_BRANCHES,	/* in no table: filters recorded branches */
	X86_NR_EXTRA,
};

/**
 * struct x86_extra_rule - an event that needs an extra register
 * @code: event and umask
 * @reg: which register
 * @msr: its address
 * @valid: bits that may be written
 */
struct x86_extra_rule {
	u16			code;
	u8			reg;
	u32			msr;
	u64			valid;
};

/**
 * struct x86_generic - event of a generic one
 * @event: PERF_COUNT_HW_*
 * @missing: bits of CPUID leaf 0xa register EBX, each of which says that the
 *	     event does not work, SDM vol. 3 20.2.1.2
 * @config: event select bits
 */
struct x86_generic {
	u8	event;
	u8	missing;
	u64	config;
};

/* Config of a cache event that makes no sense, such as writes to an I-cache. */
#define X86_CACHE_REFUSED	(~0ULL)

/**
 * struct x86_cache - event of a cache event
 * @key: as in perf_event_attr.config: cache, operation << 8, result << 16
 * @config: event select bits, or X86_CACHE_REFUSED
 * @extra: value of the event's extra register
 */
struct x86_cache {
	u32	key;
	u64	config;
	u64	extra;
};

/**
 * struct x86_named - an event that has a name on this core, a file of events/
 * @name: name of the file; NAME.scale is the factor of the event NAME
 * @text: its content: fields of config, or the factor
 * @threads: content on cores with several threads; NULL if it is the same
 * @needs: X86_HAS_*: what the processor must have
 */
struct x86_named {
	const char	*name;
	const char	*text;
	const char	*threads;
	unsigned int	needs;
};

/*
 * What only some processors of a model have, or only some of the models that
 * share a list.
 */
#define X86_HAS_TSX		BIT(0)	/* transactions */
#define X86_HAS_PRECISE		BIT(1)	/* precise events */
#define X86_HAS_METRICS		BIT(2)	/* topdown metrics */
#define X86_HAS_LOADS_AUX	BIT(3)	/* latencies of loads need a second event */

/*
 * Lists of the above. A list is followed by @next, if there is one: what a core
 * has in common with older cores is in their lists. The first match counts.
 */
struct x86_rule_list {
	const struct x86_rule		*rows;
	unsigned int			nr;
	const struct x86_rule_list	*next;
};

struct x86_fixed_list {
	const struct x86_fixed_code	*rows;
	unsigned int			nr;
	const struct x86_fixed_list	*next;
};

struct x86_extra_list {
	const struct x86_extra_rule	*rows;
	unsigned int			nr;
	const struct x86_extra_list	*next;
};

struct x86_generic_list {
	const struct x86_generic	*rows;
	unsigned int			nr;
	const struct x86_generic_list	*next;
};

struct x86_cache_list {
	const struct x86_cache		*rows;
	unsigned int			nr;
	const struct x86_cache_list	*next;
};

struct x86_named_list {
	const struct x86_named		*rows;
	unsigned int			nr;
	const struct x86_named_list	*next;
};

/* What the record of a precise event says of the data that was accessed. */
enum x86_data {
	X86_DATA_NONE,
	X86_DATA_LOAD_LATENCY,
	X86_DATA_STORE_LATENCY,
	X86_DATA_PRECISE_STORE,
	X86_DATA_LOAD,
	X86_DATA_STORE,
};

/* What the numbers of data sources mean. */
enum x86_datasrc {
	X86_DATASRC_NONE,
	X86_DATASRC_NEHALEM,
	X86_DATASRC_WESTMERE,
	X86_DATASRC_SANDYBRIDGE,
	X86_DATASRC_SKYLAKE,
	X86_DATASRC_SKYLAKE_SERVER,
	X86_DATASRC_GOLDEN_COVE,
	X86_DATASRC_GOLDEN_COVE_SERVER,
	X86_DATASRC_GRACEMONT,
	X86_DATASRC_CRESTMONT,
	X86_DATASRC_LION_COVE,
};

/**
 * struct x86_precise - events of Intel's cores that may be precise (PEBS)
 * @rules: such events, with those of their counters that make them precise
 * @all: other events are precise on all counters, fixed ones too
 * @even: counters with which precise_ip may be 3: samples are spread evenly
 *	over the instructions
 * @even_instructions: the same for events that fixed counter 0 can count; 0 if
 *	there is no difference
 * @cycles: event select bits that count cycles precisely, 0 if the generic
 *	event does
 * @cycles_even: the same if precise_ip is 3
 * @datasrc: what numbers of data sources mean
 */
struct x86_precise {
	const struct x86_rule_list	*rules;
	bool				all;
	u64				even;
	u64				even_instructions;
	u64				cycles;
	u64				cycles_even;
	enum x86_datasrc		datasrc;
};

/* Events of transactions: bits 32 and 33, SDM vol. 3 20.3.6.5. */
#define X86_QUIRK_TSX			BIT(0)
/*
 * While a thread of a core counts an event of X86_RULE_LEAK, the other thread
 * does not use the counter with the same number.
 */
#define X86_QUIRK_LEAK			BIT(1)
/* Each thread has its own extra registers: threads need not agree. */
#define X86_QUIRK_EXTRA_PER_THREAD	BIT(2)
/* The mask bit of the local APIC's entry is cleared last in the PMI. */
#define X86_QUIRK_LATE_ACK		BIT(3)
/* The mask bit of the local APIC's entry is cleared after the counters stop. */
#define X86_QUIRK_MID_ACK		BIT(4)
/* Periods are at least 32. */
#define X86_QUIRK_PERIOD_32		BIT(5)
/* Periods of event 0x01c0 are multiples of 64, erratum BDM55. */
#define X86_QUIRK_PERIOD_64		BIT(6)
/* Periods of event 0x01c0 are at least 128, errata HSW11, BDM11. */
#define X86_QUIRK_PERIOD_128		BIT(7)
/* All counters are enabled by one bit, that of counter 0, SDM vol. 3 20.6.8. */
#define X86_QUIRK_ONE_ENABLE		BIT(8)
/* The status is cleared only while the counters are enabled. */
#define X86_QUIRK_ENABLED_ACK		BIT(9)
/* An event of load latency needs a second event in its group. */
#define X86_QUIRK_LOADS_AUX		BIT(10)
/* CPUID leaf 0xa has only the counters that both types of cores have. */
#define X86_QUIRK_COMMON_LEAF		BIT(11)
/* Periods of events with precise_ip 3 are at least 128. */
#define X86_QUIRK_PERIOD_PRECISE	BIT(12)

/**
 * struct x86_model - what one type of core can count
 * @name: for messages at boot
 * @pmu_name: for caps/pmu_name, an interface; NULL if the vendor has none
 * @counters: the counters that such a core can have; a machine may have fewer
 * @rules: which general counters count an event; all of them without a rule
 * @fixed: what fixed counters and metrics count
 * @extra: events with extra registers
 * @generic: generic events
 * @cache: cache events
 * @named: events with names of their own
 * @precise: precise events, or NULL
 * @quirks: X86_QUIRK_*
 * @atom: the second type of core of a hybrid machine, or NULL
 */
struct x86_model {
	const char			*name;
	const char			*pmu_name;
	u64				counters;
	const struct x86_rule_list	*rules;
	const struct x86_fixed_list	*fixed;
	const struct x86_extra_list	*extra;
	const struct x86_generic_list	*generic;
	const struct x86_cache_list	*cache;
	const struct x86_named_list	*named;
	const struct x86_precise	*precise;
	u32				quirks;
	const struct x86_model		*atom;
};

/**
 * struct x86_match_pmu - a model, and what CPUID says of the machine
 * @model: model of the core
 * @counters: counters that the core has
 * @missing: architectural events that do not work, CPUID leaf 0xa register EBX
 * @fixed_any: the control of fixed counters has the bits AnyThread
 */
struct x86_match_pmu {
	const struct x86_model	*model;
	u64			counters;
	u32			missing;
	bool			fixed_any;
};

const struct x86_rule *x86_match_rule(const struct x86_model *model, u64 config);
u64 x86_match_counters_by(const struct x86_match_pmu *pmu, u64 config,
			  const struct x86_rule *rule);
u64 x86_match_counters(const struct x86_match_pmu *pmu, u64 config);
u64 x86_match_precise(const struct x86_match_pmu *pmu, u64 config, bool all,
		      enum x86_data *data);
u64 x86_match_even(const struct x86_match_pmu *pmu, u64 config, u64 counters);
const struct x86_extra_rule *x86_match_extra(const struct x86_model *model,
					     u64 config);
int x86_match_extra_value(const struct x86_model *model, u64 config, u64 value);
const struct x86_extra_rule *x86_match_other(const struct x86_model *model,
					     const struct x86_extra_rule *extra,
					     u64 value);
int x86_match_generic(const struct x86_match_pmu *pmu, u64 event, u64 *config);
int x86_match_cache(const struct x86_model *model, u64 key, u64 *config,
		    u64 *extra);
const struct x86_named *x86_match_named(const struct x86_model *model,
					const char *name, unsigned int has);

#endif /* _ARCH_X86_EVENTS_MATCH_H */
