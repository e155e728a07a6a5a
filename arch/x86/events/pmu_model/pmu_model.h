/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Software model of an x86 PMU: types and calls shared by its files
 *
 * Layers, each calling only those before it:
 *
 *   counter.c    arithmetic of one counter; pure
 *   rates.c      the rate of each event
 *   constraints.c  the counters that can count an event
 *   ibs_script.c, ibs.c
 *                samples of AMD's IBS; its registers
 *   branch_script.c, lbr.c
 *                branches that are executed; registers that record them
 *   access_script.c, pebs.c
 *                accesses to memory; records that PEBS writes there
 *   registers.c  effects of register reads and writes on one CPU's state;
 *                pure except for rates
 *   intel.c      register map and reserved bits of an Intel or Zhaoxin PMU
 *   amd.c        the same for AMD
 *   setup.c      the choice between them
 *   stats.c      numbers of accesses to each register, cost of the model
 *   trace.c      a record of each access
 *   misplaced.c  events on counters that cannot count them
 *   nmi_times.c  durations of overflow interrupts
 *   pmi.c        overflow interrupts through HPET comparators
 *   eilvt.c      the APIC's entry for interrupts of IBS
 *   cpu.c        the state of each CPU; changes are atomic for NMIs
 *   pv.c, cpuid.c, rdpmc.c, filter.c
 *                entries from the kernel and from programs
 *   param.c, debugfs.c
 *                boot parameter, files below /sys/kernel/debug/x86_pmu_model
 *
 * Time is counted in ticks of the model's clock, see cpu.c.
 */
#ifndef _ARCH_X86_EVENTS_PMU_MODEL_H
#define _ARCH_X86_EVENTS_PMU_MODEL_H

#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <asm/local.h>

#include "branches.h"
#include "counter.h"
#include "ibs.h"
#include "pebs.h"

struct file;
struct seq_file;

/* Counters 0-7 are general, 8-11 fixed. */
#define PMU_MODEL_MAX_GP	8
#define PMU_MODEL_MAX_FIXED	4
#define PMU_MODEL_FIXED_BASE	PMU_MODEL_MAX_GP
#define PMU_MODEL_NR_COUNTERS	(PMU_MODEL_MAX_GP + PMU_MODEL_MAX_FIXED)

/* Registers that keep what is written. */
#define PMU_MODEL_NR_PLAIN	2

/* Intel: topdown metrics in the global registers, SDM vol. 3 20.3.9.3. */
#define PMU_GLOBAL_METRICS	BIT_ULL(48)

/*
 * The metrics of whatever runs: 20 % of the slots retire, 10 % are lost to bad
 * speculation, 30 % to the front end, 40 % to the back end; then parts of each.
 */
#define PMU_MODEL_METRICS	0x33261a0d664c1a33ULL

/* Event select register, SDM vol. 3 20.2.1.1 and APM vol. 2 13.2.1. */
#define PMU_SEL_EVENT		GENMASK_ULL(7, 0)
#define PMU_SEL_UMASK		GENMASK_ULL(15, 8)
#define PMU_SEL_USR		BIT_ULL(16)
#define PMU_SEL_OS		BIT_ULL(17)
#define PMU_SEL_EDGE		BIT_ULL(18)
#define PMU_SEL_PIN		BIT_ULL(19)
#define PMU_SEL_INT		BIT_ULL(20)
#define PMU_SEL_ANY		BIT_ULL(21)
#define PMU_SEL_EN		BIT_ULL(22)
#define PMU_SEL_INV		BIT_ULL(23)
#define PMU_SEL_CMASK		GENMASK_ULL(31, 24)
#define PMU_SEL_EVENT_HI	GENMASK_ULL(35, 32)
#define PMU_SEL_GUEST_HOST	GENMASK_ULL(41, 40)
/* Intel with adaptive PEBS: the record has all groups; overlaps AMD's bits. */
#define PMU_SEL_ADAPTIVE	BIT_ULL(34)
/* Intel with leaf 0x23 of CPUID; overlaps AMD's bits. */
#define PMU_SEL_UMASK2		GENMASK_ULL(47, 40)
/* Bits that switch a counter or its interrupt, and do not select its event. */
#define PMU_SEL_SWITCHES	(PMU_SEL_USR | PMU_SEL_OS | PMU_SEL_INT | \
				 PMU_SEL_EN)

/*
 * An event that only the model has, event 0xdf and unit mask 1: RDPMC in a
 * program, which the model emulates and therefore counts exactly.
 */
#define PMU_MODEL_USER_RDPMC	0x01dfULL

/* A field of the fixed counter control register, SDM vol. 3 20.2.2. */
#define PMU_FIXED_OS		BIT_ULL(0)
#define PMU_FIXED_USR		BIT_ULL(1)
#define PMU_FIXED_ANY		BIT_ULL(2)
#define PMU_FIXED_PMI		BIT_ULL(3)
#define PMU_FIXED_BITS		4
/*
 * With adaptive PEBS: bit of the first fixed counter, those of others follow.
 */
#define PMU_FIXED_ADAPTIVE_SHIFT 32

#define PMU_DEBUGCTL_FREEZE	BIT_ULL(12)
#define PMU_STATUS_FROZEN	BIT_ULL(59)

/**
 * struct pmu_model_state - all registers of one CPU's PMU
 * @select:	event select registers
 * @fixed_ctrl:	control register of the fixed counters
 * @global_ctrl: which counters may count; bits as in the status register
 * @status:	overflow bits and, on PMUs that have one, the freeze bit
 * @debugctl:	debug control register
 * @plain:	registers that have no effect and keep the value written
 * @metrics:	topdown metrics, as they were written
 * @running:	counters that run now, as a mask of counter numbers
 * @pending:	counters with an overflow that was not signalled yet
 * @signalled:	counters with an overflow that the last PMI signalled
 * @core:	kind of the CPU's core; stays PMU_CORE_ANY on a PMU that is not
 *	hybrid
 * @user:	the CPU executes user code; stays false without mode filter
 * @metered:	metrics were on since they were written
 * @ip:		instruction that the last overflow has interrupted
 * @counter:	the counters
 * @pebs:	Intel: registers of PEBS
 * @lbr:	records of branches. The state of a PMU that has neither these
 *		nor IBS ends here
 * @ibs:	AMD: registers of IBS
 */
struct pmu_model_state {
	u64	select[PMU_MODEL_MAX_GP];
	u64	fixed_ctrl;
	u64	global_ctrl;
	u64	status;
	u64	debugctl;
	u64	plain[PMU_MODEL_NR_PLAIN];
	u64	metrics;
	u32	running;
	u16	pending;
	u16	signalled;
	u8	core;
	bool	user;
	bool	metered;
	u64	ip;
	struct pmu_model_counter counter[PMU_MODEL_NR_COUNTERS];
	struct pmu_model_pebs pebs;
	struct pmu_model_lbr lbr;
	struct pmu_model_ibs ibs;
};

/* Kinds of cores, for constraints. */
enum pmu_model_core {
	PMU_CORE_ANY,
	PMU_CORE_BIG,
	PMU_CORE_ATOM,
};

/* Kinds of registers, in the order of kind_names in stats.c. */
enum pmu_model_kind {
	PMU_REG_NONE,		/* not a register of the model */
	PMU_REG_ABSENT,		/* a PMU register this PMU does not have */
	PMU_REG_SELECT,		/* event select */
	PMU_REG_COUNTER,	/* general counter */
	PMU_REG_FULL,		/* full-width alias of a general counter */
	PMU_REG_FIXED,		/* fixed counter */
	PMU_REG_FIXED_CTRL,
	PMU_REG_GLOBAL_CTRL,
	PMU_REG_STATUS,		/* read only */
	PMU_REG_STATUS_CLEAR,	/* write one to clear */
	PMU_REG_STATUS_SET,	/* write one to set */
	PMU_REG_INUSE,		/* read only */
	PMU_REG_CAPS,		/* read only */
	PMU_REG_DEBUGCTL,
	PMU_REG_PLAIN,
	PMU_REG_METRICS,
	PMU_REG_PEBS_ENABLE,
	PMU_REG_DS_AREA,
	PMU_REG_PEBS_DATA_CFG,
	PMU_REG_LOAD_LATENCY,
	PMU_REG_FRONTEND,
	PMU_REG_IBS_FETCH,	/* IBS: registers of the fetch unit */
	PMU_REG_IBS_OP,		/* and of the op unit */
	PMU_REG_IBS_LVT,	/* read only */
	PMU_REG_LBR_FROM,	/* branch records: an entry's source */
	PMU_REG_LBR_TO,
	PMU_REG_LBR_INFO,
	PMU_REG_LBR_TOS,	/* legacy: number of the newest entry */
	PMU_REG_LBR_SELECT,	/* legacy and AMD: filter */
	PMU_REG_LBR_CTL,	/* architectural */
	PMU_REG_LBR_DEPTH,
	PMU_REG_DEBUG_EXTENSION, /* AMD: records on or off */
	PMU_REG_RDPMC,		/* not a register: the RDPMC instruction */
	PMU_REG_NR_KINDS,

	/* Registers of units that change their state by themselves. */
	PMU_REG_FIRST_UNIT = PMU_REG_IBS_FETCH,
	PMU_REG_LAST_UNIT = PMU_REG_DEBUG_EXTENSION,
};

struct pmu_model_reg {
	u32	msr;
	u8	kind;
	u8	index;
};

/* Slot 0 means "not a register of the model"; slot 1 is for RDPMC. */
#define PMU_MODEL_SLOT_RDPMC	1
#define PMU_MODEL_MAX_REGS	192
#define PMU_MODEL_MAP_SIZE	8192

/* How the general counter registers treat bits that they do not have. */
enum pmu_model_write_rule {
	PMU_WRITE_SIGN32,	/* bits 31-0, sign-extended to the width */
	PMU_WRITE_TRUNCATE,	/* bits beyond the width are ignored */
};

enum pmu_model_vendor {
	PMU_MODEL_OFF,
	PMU_MODEL_INTEL,
	PMU_MODEL_AMD,
	PMU_MODEL_ZHAOXIN,
};

enum pmu_model_amd_variant {
	PMU_MODEL_AMD_LEGACY,
	PMU_MODEL_AMD_CORE,
	PMU_MODEL_AMD_V2,
};

/**
 * struct pmu_model - the modelled PMU; set at boot, read-only afterwards
 * @vendor:	vendor of the modelled PMU, or none
 * @version:	Intel: architectural version, 2-5; 0 for the P6 family
 * @variant:	AMD: which generation
 * @gp:		number of general counters
 * @fixed:	number of fixed counters
 * @width:	width of all counters in bits
 * @full_width:	Intel: counters have addresses where all bits can be written
 * @metrics:	Intel: number of topdown metrics, 0 without a register for them
 * @hybrid:	Intel: CPUs with an odd number are Atom cores
 * @ext:	Intel: CPUID describes the PMU in leaf 0x23; there is a second
 *		unit mask
 * @filter:	user and kernel mode are told apart
 * @exclude_self: the model's own time is not counted
 * @lbr:	number of branch records, 0 without
 * @brs:	AMD: there is branch sampling
 * @lbr_type:	how they are kept; set by the vendor's setup
 * @lbr_format:	Intel: format of the legacy records, or PMU_LBR_FMT_ARCH
 * @branch_script: the branches; NULL: none
 * @pebs:	Intel: PMU_PEBS_NONE, or the format of the records plus one
 * @access_script: the memory accesses of the records; NULL: none
 * @ibs_caps:	AMD: EAX of CPUID leaf 8000_001B, 0 without IBS
 * @ibs_script:	AMD: the samples of IBS; NULL: samples without fields
 * @constraints:	which counters can count an event; NULL: each can
 * @has_global:	there are global control and status registers
 * @one_enable:	the enable bit of counter 0 is that of all counters
 * @has_lvt_mask: the local APIC masks its entry when it delivers a PMI
 * @has_sticky_freeze: freeze-on-PMI sets a status bit instead of clearing
 *		the global control register
 * @write_rule:	of the general counter registers
 * @width_mask:	the bits of a counter
 * @global_mask: the bits of the global control register
 * @select_mask: the bits of an event select register that may be set
 * @fixed_ctrl_mask: the same of the fixed counter control register
 * @status_clear_mask: the same of the register that clears status bits
 * @status_set_mask: the same of the register that sets them
 * @debugctl_mask: the same of the debug control register
 * @pebs_mask:	the same of the registers of PEBS
 * @lbr_mask:	the same of the filter or control register of branch records
 * @lbr_ext_mask: the same of AMD's debug extension
 * @ibs_mask:	the same of the control registers of IBS
 * @plain_mask:	the same of each register without function
 * @caps:	value of the capability register
 * @state_size:	size of a state, without what this PMU does not have
 * @nr_regs:	used entries of @regs
 * @regs:	the registers; the index is called slot
 * @map:	slot of a register by a hash of its address
 */
struct pmu_model {
	enum pmu_model_vendor vendor;
	unsigned int	version;
	enum pmu_model_amd_variant variant;
	unsigned int	gp;
	unsigned int	fixed;
	unsigned int	width;
	bool		full_width;
	u8		metrics;
	bool		hybrid;
	bool		ext;
	bool		filter;
	bool		exclude_self;
	unsigned int	lbr;
	bool		brs;
	enum pmu_model_lbr_type lbr_type;
	unsigned int	lbr_format;
	struct pmu_model_branch_script *branch_script;
	unsigned int	pebs;
	struct pmu_model_access_script *access_script;
	u32		ibs_caps;
	struct pmu_model_ibs_script *ibs_script;
	struct pmu_model_constraints *constraints;
	bool		has_global;
	bool		one_enable;
	bool		has_lvt_mask;
	bool		has_sticky_freeze;
	enum pmu_model_write_rule write_rule;
	u64		width_mask;
	u64		global_mask;
	u64		select_mask;
	u64		fixed_ctrl_mask;
	u64		status_clear_mask;
	u64		status_set_mask;
	u64		debugctl_mask;
	u64		pebs_mask[PMU_PEBS_NR_REGS];
	u64		lbr_mask;
	u64		lbr_ext_mask;
	u64		ibs_mask[PMU_IBS_NR_UNITS];
	u64		plain_mask[PMU_MODEL_NR_PLAIN];
	u64		caps;
	size_t		state_size;
	unsigned int	nr_regs;
	struct pmu_model_reg regs[PMU_MODEL_MAX_REGS];
	u8		map[PMU_MODEL_MAP_SIZE];
};

/* Fate of the comparator's shots, in the order of shot_names in stats.c. */
enum pmu_model_shot_event {
	PMU_SHOT_PROGRAMMED,	/* comparator written */
	PMU_SHOT_DELIVERED,	/* the shot became a PMI */
	PMU_SHOT_MASKED,	/* overflow while the APIC entry was masked */
	PMU_SHOT_EARLY,		/* nothing had overflowed yet, or any more */
	PMU_SHOT_STRAY,		/* came after it had been replaced */
	PMU_SHOT_RECORD,	/* became a record of PEBS and no interrupt */
	PMU_SHOT_NR,
};

extern struct pmu_model pmu_model;

/*
 * No two registers of a PMU have the same; bit 16 tells two blocks of AMD's
 * apart.
 */
static __always_inline unsigned int pmu_model_hash(u32 msr)
{
	return (msr ^ msr >> 5) % PMU_MODEL_MAP_SIZE;
}

/**
 * pmu_model_slot() - find the register behind an address
 * @m:		the model
 * @msr:	address of the register
 *
 * Context: any.
 * Return: the slot, or 0 if the model does not have the register.
 */
static __always_inline unsigned int pmu_model_slot(const struct pmu_model *m,
						   u32 msr)
{
	unsigned int slot = m->map[pmu_model_hash(msr)];

	return slot && m->regs[slot].msr == msr ? slot : 0;
}

/* rates.c */

u32 pmu_model_select_umask(enum pmu_model_vendor vendor, u64 select);
u32 pmu_model_select_rate(enum pmu_model_vendor vendor, u64 select, u64 offcore);
u32 pmu_model_fixed_rate(unsigned int index);
void pmu_model_rates_show(struct seq_file *m);
int pmu_model_rates_set(char *line);

/* constraints.c */

#define PMU_MODEL_MAX_CONSTRAINTS	3072
#define PMU_MODEL_CONSTRAINT_BITS	12	/* more slots than constraints */

/**
 * struct pmu_model_constraints - the counters that can count each event
 * @used:	number of constraints, at most PMU_MODEL_MAX_CONSTRAINTS
 * @entries:	one word for each; 0 is free
 */
struct pmu_model_constraints {
	unsigned int	used;
	u64		entries[BIT(PMU_MODEL_CONSTRAINT_BITS)];
};

extern struct pmu_model_constraints pmu_model_constraints;

u32 pmu_model_constraint(const struct pmu_model_constraints *t, u32 code,
			 u32 umask, enum pmu_model_core core);
int pmu_model_constraints_set(struct pmu_model_constraints *t, char *line);
void pmu_model_constraints_show(const struct pmu_model_constraints *t,
				struct seq_file *m);

/* registers.c */

/* Entries of the local APIC through which no interrupt comes. */
#define PMU_MASKED_LVTPC	BIT(0)
#define PMU_MASKED_IBS		BIT(1)

void pmu_model_add_reg(struct pmu_model *m, u32 msr, enum pmu_model_kind kind,
		       unsigned int index);
u64 pmu_model_status_bit(unsigned int counter);
void pmu_model_state_reset(const struct pmu_model *m, struct pmu_model_state *s);
int pmu_model_reg_read(const struct pmu_model *m, const struct pmu_model_state *s,
		       const struct pmu_model_reg *reg, u64 now, u64 *val);
int pmu_model_reg_write(const struct pmu_model *m, struct pmu_model_state *s,
			const struct pmu_model_reg *reg, u64 now, u64 val);
bool pmu_model_state_misplaced(const struct pmu_model *m,
			       const struct pmu_model_state *s, unsigned int i);
u64 pmu_model_state_signalled(const struct pmu_model *m,
			      const struct pmu_model_state *s);
u64 pmu_model_state_selection(const struct pmu_model *m,
			      const struct pmu_model_state *s);
int pmu_model_rdpmc(const struct pmu_model *m, const struct pmu_model_state *s,
		    u32 index, u64 now, u64 *val);
void pmu_model_state_count_rdpmc(const struct pmu_model *m,
				 struct pmu_model_state *s, u64 now);
void pmu_model_state_set_mode(const struct pmu_model *m,
			      struct pmu_model_state *s, u64 now, bool user);
void pmu_model_state_reload_rates(const struct pmu_model *m,
				  struct pmu_model_state *s, u64 now);
enum pmu_model_shot_event pmu_model_state_take_pmi(const struct pmu_model *m,
						   struct pmu_model_state *s,
						   u64 now, unsigned int masked);
bool pmu_model_state_take_records(const struct pmu_model *m,
				  struct pmu_model_state *s, u64 now,
				  const struct pmu_model_moment *moment);
void pmu_model_state_settle_units(const struct pmu_model *m,
				  struct pmu_model_state *s, u64 now);
u64 pmu_model_state_deadline(const struct pmu_model *m,
			     const struct pmu_model_state *s, u64 now);

/* intel.c, amd.c, setup.c */

void pmu_model_intel_setup(struct pmu_model *m);
void pmu_model_zhaoxin_setup(struct pmu_model *m);
void pmu_model_amd_setup(struct pmu_model *m);
void pmu_model_setup(struct pmu_model *m, enum pmu_model_vendor vendor);

/* stats.c */

/**
 * struct pmu_model_stats - statistics of one CPU
 * @reads:	number of reads of each register
 * @writes:	number of writes of each register
 * @faults:	accesses that failed
 * @selection:	the last events that the general counters counted
 * @turns:	how often these were followed by others
 * @sections:	accesses; those of NMIs within another access do not count
 * @ticks:	TSC ticks spent in them
 * @shots:	numbers of the comparator's shots, by fate
 */
struct pmu_model_stats {
	u64	reads[PMU_MODEL_MAX_REGS];
	u64	writes[PMU_MODEL_MAX_REGS];
	u64	faults;
	u64	selection;
	u64	turns;
	u64	sections;
	u64	ticks;
	u64	shots[PMU_SHOT_NR];
};

DECLARE_PER_CPU(struct pmu_model_stats, pmu_model_stats);

void pmu_model_stats_reset_accesses(void);
void pmu_model_stats_reset_overhead(void);
void pmu_model_stats_show_accesses(struct seq_file *m);
void pmu_model_stats_show_overhead(struct seq_file *m);
void pmu_model_show_name(struct seq_file *m, unsigned int slot);

/* trace.c */

#define PMU_MODEL_MAX_TRACE	BIT(20)	/* records of one CPU */
#define PMU_MODEL_MAX_WORD	16	/* of a marker, with the final zero */

/* In the order of trace_names in trace.c. */
enum pmu_model_trace_kind {
	PMU_TRACE_NONE,		/* not complete yet, or given up */
	PMU_TRACE_READ,
	PMU_TRACE_WRITE,
	PMU_TRACE_FAULT,	/* a read or write that failed */
	PMU_TRACE_RDPMC,
	PMU_TRACE_PMI,		/* an interrupt is passed on to the driver */
	PMU_TRACE_MARKER,	/* a word from the user */
	PMU_TRACE_NR_KINDS,
};

/**
 * struct pmu_model_record - one record of a trace
 * @time:	the CPU's clock in ticks, see cpu.c
 * @value:	the value read or written; of a PMI, the counters that have
 *		overflowed, as in the status register
 * @word:	the word of a marker
 * @address:	address of the register; of RDPMC, the number in ECX
 * @slot:	the register
 * @kind:	enum pmu_model_trace_kind; is written last
 */
struct pmu_model_record {
	u64	time;
	u64	value;
	char	word[PMU_MODEL_MAX_WORD];
	u32	address;
	u8	slot;
	u8	kind;
};

/**
 * struct pmu_model_trace - the records of one CPU
 * @taken:	number of records that were wanted, with those that are lost
 * @size:	number of records that there is memory for
 * @records:	the records
 */
struct pmu_model_trace {
	local_t		taken;
	unsigned int	size;
	struct pmu_model_record records[] __counted_by(size);
};

struct pmu_model_trace *pmu_model_trace_alloc(unsigned int size);
struct pmu_model_record *pmu_model_trace_take(struct pmu_model_trace *t);
struct pmu_model_record *pmu_model_trace_reserve(void);
bool pmu_model_trace_on(void);
void pmu_model_trace_put(struct pmu_model_record *to,
			 const struct pmu_model_record *from);
int pmu_model_trace_show(struct seq_file *m, unsigned int cpu,
			 struct pmu_model_trace *t, unsigned int place);
int pmu_model_trace_set(unsigned int size);
bool pmu_model_trace_word(const char *word);
int pmu_model_trace_mark(char *word, bool all);
int pmu_model_trace_open(struct file *file);

/* misplaced.c */

void pmu_model_misplaced_add(unsigned int slot, u64 val);
void pmu_model_misplaced_reset(void);
void pmu_model_misplaced_show(struct seq_file *m);

/* nmi_times.c */

void pmu_model_nmi_begins(void);
int pmu_model_nmi_times_set(bool on);
int pmu_model_nmi_times_show(struct seq_file *m);

/* pmi.c */

/**
 * struct pmu_model_shot - the comparator of one CPU
 * @usable:	the comparator exists and sends its messages to this CPU
 * @changing:	the comparator is being programmed
 * @missed:	an NMI came meanwhile
 * @sent:	the CPU has sent the NMI to itself
 * @enabled:	the comparator may fire
 * @armed:	a shot is on its way
 * @base:	offset of the comparator's registers
 * @high:	upper half of the comparator as programmed
 * @target:	HPET count of the shot
 * @tsc:	time-stamp counter at that moment, approximately
 * @stray_until: time-stamp counter until which a shot that was replaced
 *		may still arrive, 0 if there is none
 */
struct pmu_model_shot {
	bool	usable;
	bool	changing;
	bool	missed;
	bool	sent;
	bool	enabled;
	bool	armed;
	u32	base;
	u32	high;
	u64	target;
	u64	tsc;
	u64	stray_until;
};

/* Senders of an NMI, as seen by the comparator of this CPU. */
enum pmu_model_nmi_cause {
	PMU_NMI_FOREIGN,	/* another source */
	PMU_NMI_SHOT,		/* the comparator: its moment has come */
	PMU_NMI_STRAY,		/* a shot that was replaced or is in doubt */
};

bool pmu_model_hpet_init(void);
void pmu_model_shot_attach(struct pmu_model_shot *shot, unsigned int cpu);
void pmu_model_shot_detach(struct pmu_model_shot *shot);
void pmu_model_shot_send(struct pmu_model_shot *shot);
void pmu_model_shot_program_nmi(struct pmu_model_shot *shot, u64 ticks);
enum pmu_model_nmi_cause pmu_model_shot_cause_nmi(struct pmu_model_shot *shot);
bool pmu_model_lvt_masked_nmi(void);
void pmu_model_lvt_mask_nmi(void);
void pmu_model_hpet_show(struct seq_file *m);

/* cpu.c */

void pmu_model_power_up(void);
int pmu_model_read(unsigned int slot, u64 *val);
int pmu_model_write(unsigned int slot, u64 val);
int pmu_model_read_pmc(u32 index, u64 *val);
void pmu_model_count_rdpmc(void);
void pmu_model_mark(const char *word);
void pmu_model_set_mode(bool user);
void pmu_model_reload_rates(void);

/* pv.c, cpuid.c */

/**
 * struct pmu_model_leaf - result of the CPUID instruction
 * @eax:	the register EAX
 * @ebx:	the register EBX
 * @ecx:	the register ECX
 * @edx:	the register EDX
 */
struct pmu_model_leaf {
	unsigned int eax, ebx, ecx, edx;
};

void pmu_model_cpuid_change(const struct pmu_model *m, unsigned int leaf,
			    unsigned int subleaf, unsigned int cpu,
			    struct pmu_model_leaf *l);

void pmu_model_cpuid(unsigned int *eax, unsigned int *ebx, unsigned int *ecx,
		     unsigned int *edx);
void pmu_model_pv_install(void);

/* rdpmc.c, filter.c */

int pmu_model_user_rdpmc_init(void);

#ifdef CONFIG_CONTEXT_TRACKING_USER_FORCE
int pmu_model_filter_init(void);
#else
static inline int pmu_model_filter_init(void)
{
	return -EOPNOTSUPP;
}
#endif

#endif /* _ARCH_X86_EVENTS_PMU_MODEL_H */
