// SPDX-License-Identifier: GPL-2.0
/*
 * Room "amd/ibs": events that sample instructions.
 *
 * Purpose: take samples of instruction based sampling (IBS). Each time the
 * counter of a unit reaches its limit, the unit tags an instruction fetch or an
 * op, and reports with an NMI what became of it. The addresses are exact.
 *
 * Owns: the two units of each CPU; hw.state, hw.period_left and hw.last_period
 * of their events.
 *
 * Contexts: the task that opens an event; this CPU with interrupts off; NMI.
 *
 * A unit has one event at a time. Its counter counts from 0 to a limit, which
 * is a multiple of 16, and stands still while the unit has a sample. Each unit
 * of a CPU has a state (room "amd/ibs_state"), which says what an NMI means.
 *
 * Counts: what a unit has counted is added to the event when a sample is taken,
 * and when the event stops. If the NMI of a sample has not come when the event
 * stops, the sample is dropped.
 *
 * Lifetime: the units exist always; they are off until an event starts.
 *
 * Locking: none; each CPU changes its own units.
 */
#include <linux/hardirq.h>
#include <linux/kprobes.h>
#include <linux/perf_refuse.h>
#include <linux/sched/clock.h>
#include <kunit/static_stub.h>
#include <asm/hardirq.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <asm/segment.h>
#include "../regs.h"
#include "../rules/count.h"
#include "ibs.h"
#include "ibs_state.h"

/**
 * struct unit - a unit of one CPU
 * @event: event that is scheduled in, or NULL
 * @state: enum amd_ibs_state; changes also in the NMI
 */
struct unit {
	struct perf_event	*event;
	u8			state;
};

static DEFINE_PER_CPU(struct unit, fetch_unit);
static DEFINE_PER_CPU(struct unit, op_unit);

struct amd_ibs amd_ibs_fetch = {
	.address	= MSR_AMD64_IBSFETCHCTL,
	.nr_regs	= AMD_IBS_FETCH_NR,
	.allowed	= IBS_FETCH_RAND_EN | AMD_IBS_MAX_COUNT,
	.counts		= AMD_IBS_MAX_COUNT,
	.enable		= IBS_FETCH_ENABLE,
	.valid		= IBS_FETCH_VAL,
	.max_period	= AMD_IBS_MAX_COUNT * AMD_IBS_COUNT_UNIT,
};

struct amd_ibs amd_ibs_op = {
	.address	= MSR_AMD64_IBSOPCTL,
	.nr_regs	= AMD_IBS_OP_NR,
	.allowed	= AMD_IBS_MAX_COUNT,
	.counts		= AMD_IBS_MAX_COUNT | IBS_OP_CUR_CNT | IBS_OP_CUR_CNT_RAND,
	.enable		= IBS_OP_ENABLE,
	.valid		= IBS_OP_VAL,
	.max_period	= AMD_IBS_MAX_COUNT * AMD_IBS_COUNT_UNIT,
};

/* IBS of this machine; the room "amd/ibs_setup" fills it in. */
struct amd_ibs_cpu amd_ibs_cpu __read_mostly;

/**
 * amd_ibs_read_register() - read a register
 * @address: address of the register
 *
 * Tests replace this function by one for a register file, as x86_regs_write().
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: its value.
 */
u64 amd_ibs_read_register(u32 address)
{
	u64 value;

	KUNIT_STATIC_STUB_REDIRECT(amd_ibs_read_register, address);
	rdmsrl(address, value);
	return value;
}

static struct amd_ibs *ibs_of(const struct perf_event *event)
{
	return container_of(event->pmu, struct amd_ibs, pmu);
}

static bool is_op(const struct amd_ibs *ibs)
{
	return ibs == &amd_ibs_op;
}

static struct unit *this_unit(const struct amd_ibs *ibs)
{
	return is_op(ibs) ? this_cpu_ptr(&op_unit) : this_cpu_ptr(&fetch_unit);
}

/* The NMI may change the state between any two instructions. */
static enum amd_ibs_action step(struct unit *unit, enum amd_ibs_input input)
{
	struct amd_ibs_step step;
	u8 state = READ_ONCE(unit->state);

	do {
		step = amd_ibs_state_step(state, input);
	} while (!try_cmpxchg_local(&unit->state, &state, step.next));
	return step.action;
}

static bool is_on(const struct unit *unit)
{
	u8 state = READ_ONCE(unit->state);

	return state == AMD_IBS_ON || state == AMD_IBS_ON_LATE;
}

/* Where the limit of the counter is in the control register. */
static u64 limit_bits(const struct amd_ibs *ibs, u64 period)
{
	return (period / AMD_IBS_COUNT_UNIT & AMD_IBS_MAX_COUNT) | (period & ibs->upper);
}

static u64 limit_of(const struct amd_ibs *ibs, u64 ctl)
{
	return (ctl & AMD_IBS_MAX_COUNT) * AMD_IBS_COUNT_UNIT + (ctl & ibs->upper);
}

/* How far the counter of a unit without a sample has come. */
static u64 count_of(const struct amd_ibs *ibs, u64 ctl)
{
	if (!is_op(ibs))
		return (ctl & IBS_FETCH_CNT) >> 16 << 4;
	if (!(amd_ibs_cpu.caps & IBS_CAPS_RDWROPCNT))
		return 0;
	return (ctl & (IBS_OP_CUR_CNT | IBS_OP_CUR_CNT_RAND | IBS_OP_CUR_CNT_EXT_MASK)) >> 32;
}

static void add_count(struct perf_event *event, u64 count)
{
	local64_add(count, &event->count);
	local64_sub(count, &event->hw.period_left);
}

/* Return: true if a period has ended. */
static bool begin_period(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	struct x86_count_period period = {
		.left	= local64_read(&hw->period_left),
		.length	= hw->sample_period,
	};

	if (!x86_count_next_period(&period))
		return false;
	local64_set(&hw->period_left, period.left);
	hw->last_period = period.last;
	return true;
}

/**
 * amd_ibs_period() - choose the limit of the counter
 * @left: events until the end of the period
 * @max: highest limit, a multiple of 16
 *
 * A long period takes several limits. The last of them is @max, and an earlier
 * one takes what remains, so that a sample does not follow a very short limit.
 *
 * Context: any.
 * Return: a multiple of 16, from 16 to @max; the period does not end later than
 * at @left, rounded up.
 */
u64 amd_ibs_period(s64 left, u64 max)
{
	u64 limit = left < AMD_IBS_COUNT_UNIT ? AMD_IBS_COUNT_UNIT : left;

	if (limit > max)
		limit = clamp_t(u64, limit - max, AMD_IBS_COUNT_UNIT, max);
	return round_up(limit, AMD_IBS_COUNT_UNIT);
}

/*
 * Some processors reset the count of fetches only when the enable bit changes
 * from 0 to 1.
 */
static void turn_on(const struct amd_ibs *ibs, const struct perf_event *event, u64 random)
{
	u64 limit = amd_ibs_period(local64_read(&event->hw.period_left), ibs->max_period);
	u64 ctl = event->hw.config | random | limit_bits(ibs, limit);

	if (!is_op(ibs) && amd_ibs_cpu.reset_broken)
		x86_regs_write(ibs->address, ctl);
	x86_regs_write(ibs->address, ctl | ibs->enable);
}

/*
 * Erratum 420, Revision Guide for AMD Family 10h Processors: after the enable
 * bit was cleared an interrupt may come that nothing ends, unless the limit was
 * cleared before.
 *
 * The valid bit is cleared, too: the next event must not find a sample of this
 * one.
 */
static void turn_off(const struct amd_ibs *ibs, u64 ctl)
{
	ctl &= ~ibs->counts;
	if (amd_ibs_cpu.clear_count)
		x86_regs_write(ibs->address, ctl);
	x86_regs_write(ibs->address, ctl & ~(ibs->enable | ibs->valid));
}

/**
 * amd_ibs_start() - start an event that is stopped
 * @event: event that is scheduled in on this CPU
 * @flags: unused; a unit always begins to count anew
 *
 * In the NMI the core may stop the event and start it, to give it another
 * period. If the NMI has come in the middle of a stop, both do nothing.
 *
 * Context: this CPU, interrupts off or NMI.
 */
void amd_ibs_start(struct perf_event *event, int flags)
{
	struct amd_ibs *ibs = ibs_of(event);
	struct unit *unit = this_unit(ibs);

	/* First the state: an NMI comes as soon as the unit is on. */
	if (step(unit, AMD_IBS_START) != AMD_IBS_TURN_ON) {
		WARN_ON_ONCE(is_on(unit));
		return;
	}
	begin_period(event);
	event->hw.state = 0;
	turn_on(ibs, event, 0);
	perf_event_update_userpage(event);
}

/**
 * amd_ibs_stop() - stop an event
 * @event: event that is scheduled in on this CPU
 * @flags: unused; the count is always brought up to date
 *
 * Context: this CPU, interrupts off or NMI.
 */
void amd_ibs_stop(struct perf_event *event, int flags)
{
	struct amd_ibs *ibs = ibs_of(event);
	struct unit *unit = this_unit(ibs);
	u64 ctl;

	if (step(unit, AMD_IBS_STOP) != AMD_IBS_TURN_OFF)
		return;
	ctl = amd_ibs_read_register(ibs->address);
	turn_off(ibs, ctl);
	/* With a sample, the field of the count has another meaning. */
	if (step(unit, AMD_IBS_STOPPED) == AMD_IBS_COUNT && !(ctl & ibs->valid))
		add_count(event, count_of(ibs, ctl));
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static void restore(const struct amd_ibs *ibs)
{
	struct unit *unit = this_unit(ibs);

	if (is_on(unit))
		turn_on(ibs, unit->event, 0);
}

/**
 * amd_ibs_restore() - let events go on after the CPU has lost its registers
 *
 * What a unit has counted since its last sample is lost.
 *
 * Context: this CPU, interrupts off, when the machine resumes.
 */
void amd_ibs_restore(void)
{
	restore(&amd_ibs_fetch);
	restore(&amd_ibs_op);
}

/**
 * amd_ibs_add() - schedule an event in
 * @event: event to add
 * @flags: PERF_EF_START: it is to sample at once
 *
 * Context: this CPU, interrupts off.
 * Return: 0, or -ENOSPC if the unit has an event.
 */
int amd_ibs_add(struct perf_event *event, int flags)
{
	struct unit *unit = this_unit(ibs_of(event));

	if (unit->event)
		return -ENOSPC;
	unit->event = event;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		amd_ibs_start(event, PERF_EF_RELOAD);
	return 0;
}

/**
 * amd_ibs_del() - schedule an event out
 * @event: event that is scheduled in
 * @flags: unused
 *
 * Context: this CPU, interrupts off.
 */
void amd_ibs_del(struct perf_event *event, int flags)
{
	struct unit *unit = this_unit(ibs_of(event));

	amd_ibs_stop(event, PERF_EF_UPDATE);
	unit->event = NULL;
	perf_event_update_userpage(event);
}

/**
 * amd_ibs_pmu_read() - bring a count up to date
 * @event: any event of IBS
 *
 * The count of a unit that is on is not read: its low bits are random.
 *
 * Context: any.
 */
void amd_ibs_pmu_read(struct perf_event *event)
{
}

#define NEEDS_ALL_OF_OP	(PERF_SAMPLE_RAW | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE | \
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR)

/* To read a register takes some hundred cycles, so only some are read. */
static unsigned int registers_needed(const struct amd_ibs *ibs, u64 sample_type)
{
	if (sample_type & (is_op(ibs) ? NEEDS_ALL_OF_OP : PERF_SAMPLE_RAW))
		return ibs->nr_regs;
	if (is_op(ibs) && amd_ibs_cpu.caps & IBS_CAPS_RIPINVALIDCHK)
		return AMD_IBS_OP_DATA + 1;
	return AMD_IBS_OP_RIP + 1;
}

static void read_also(struct amd_ibs_record *record, u32 cap, u32 address)
{
	if (record->caps & cap)
		record->regs[record->nr++] = amd_ibs_read_register(address);
}

static void read_record(const struct amd_ibs *ibs, u64 sample_type, u64 ctl,
			struct amd_ibs_record *record)
{
	unsigned int needed = registers_needed(ibs, sample_type);

	record->caps = amd_ibs_cpu.caps;
	record->regs[0] = ctl;
	for (record->nr = 1; record->nr < needed; record->nr++)
		record->regs[record->nr] = amd_ibs_read_register(ibs->address + record->nr);
	if (!(sample_type & PERF_SAMPLE_RAW))
		return;
	if (!is_op(ibs)) {
		read_also(record, IBS_CAPS_FETCHCTLEXTD, MSR_AMD64_ICIBSEXTDCTL);
		return;
	}
	read_also(record, IBS_CAPS_BRNTRGT, MSR_AMD64_IBSBRTARGET);
	read_also(record, IBS_CAPS_OPDATA4, MSR_AMD64_IBSOPDATA4);
}

/* The sample's address instead of the one that the NMI has interrupted. */
static void set_address(struct pt_regs *regs, const struct amd_ibs_op *op)
{
	if (!op->rip_valid) {
		regs->flags &= ~PERF_EFLAGS_EXACT;
		return;
	}
	regs->cs = op->user ? __USER_CS : __KERNEL_CS;
	/* The address is linear, also in virtual 8086 mode. */
	if (regs->flags & X86_VM_MASK) {
		regs->flags &= ~X86_VM_MASK;
		regs->flags |= PERF_EFLAGS_VM;
	}
	regs->ip = op->rip;
	regs->flags |= PERF_EFLAGS_EXACT;
}

static void save_access(struct perf_sample_data *data, u64 sample_type,
			const struct amd_ibs_op *op)
{
	if (op->accesses && sample_type & PERF_SAMPLE_DATA_SRC) {
		data->data_src.val = op->source;
		data->sample_flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (op->has_latency && sample_type & PERF_SAMPLE_WEIGHT_TYPE) {
		data->weight.full = op->latency;
		if (sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
			data->weight.var2_w = op->retire;
		data->sample_flags |= PERF_SAMPLE_WEIGHT_TYPE;
	}
	if (op->has_linear && sample_type & PERF_SAMPLE_ADDR) {
		data->addr = op->linear;
		data->sample_flags |= PERF_SAMPLE_ADDR;
	}
	if (op->has_physical && sample_type & PERF_SAMPLE_PHYS_ADDR) {
		data->phys_addr = op->physical;
		data->sample_flags |= PERF_SAMPLE_PHYS_ADDR;
	}
}

static bool decode(struct perf_event *event, const struct amd_ibs_record *record,
		   struct amd_ibs_op *op)
{
	if (is_op(ibs_of(event))) {
		amd_ibs_decode_rip(&amd_ibs_cpu, record->regs, op);
		if (record->nr >= AMD_IBS_OP_NR)
			amd_ibs_decode_access(&amd_ibs_cpu, record->regs, op);
		if (event->attr.exclude_kernel)
			amd_ibs_decode_hide(&amd_ibs_cpu, op);
		return true;
	}
	op->rip = record->regs[AMD_IBS_FETCH_LINEAR];
	op->rip_valid = true;
	op->user = op->rip < amd_ibs_cpu.user_end;
	return op->rip || !amd_ibs_cpu.zero_fetch;
}

/**
 * amd_ibs_deliver() - write a sample
 * @event: event whose period has ended
 * @record: registers of the sample
 * @period: number of events that it stands for
 * @interrupted: registers of what was interrupted
 *
 * Context: NMI.
 * Return: 1 if the event must be stopped.
 */
int amd_ibs_deliver(struct perf_event *event, struct amd_ibs_record *record, u64 period,
		    struct pt_regs *interrupted)
{
	struct perf_raw_record raw = {
		.frag.data	= &record->caps,
		.frag.size	= sizeof(u32) + record->nr * sizeof(u64),
	};
	struct pt_regs regs = *interrupted;
	struct perf_sample_data data;
	struct amd_ibs_op op = {};

	KUNIT_STATIC_STUB_REDIRECT(amd_ibs_deliver, event, record, period, interrupted);
	if (!decode(event, record, &op))
		return 0;
	set_address(&regs, &op);
	perf_sample_data_init(&data, 0, period);
	perf_sample_save_raw_data(&data, event, &raw);
	save_access(&data, event->attr.sample_type, &op);
	/* The stack is that of the interrupted code, not that of the sample. */
	perf_sample_save_callchain(&data, event, interrupted);
	return perf_event_overflow(event, &data, &regs);
}

static void take_sample(const struct amd_ibs *ibs, struct unit *unit, u64 ctl,
			struct pt_regs *regs)
{
	struct perf_event *event = unit->event;
	struct amd_ibs_record record;
	u64 random = 0, last = event->hw.last_period;

	add_count(event, limit_of(ibs, ctl));
	if (begin_period(event)) {
		read_record(ibs, event->attr.sample_type, ctl, &record);
		if (amd_ibs_deliver(event, &record, last, regs))
			amd_ibs_stop(event, 0);
	}
	/* The hardware has made the low bits of the next count random. */
	if (is_op(ibs) && amd_ibs_cpu.caps & IBS_CAPS_RDWROPCNT && ctl & IBS_OP_CNT_CTL)
		random = ctl & IBS_OP_CUR_CNT_RAND;
	if (is_on(unit))
		turn_on(ibs, event, random);
	perf_event_update_userpage(event);
}

/* Return: 1 if the NMI is of this unit. */
static int handle(const struct amd_ibs *ibs, struct pt_regs *regs)
{
	struct unit *unit = this_unit(ibs);
	enum amd_ibs_input input = AMD_IBS_EMPTY;
	u64 ctl = 0;

	if (READ_ONCE(unit->state) == AMD_IBS_OFF)
		return 0;
	/* Without an event there is no sample to take. */
	if (READ_ONCE(unit->state) != AMD_IBS_OFF_LATE)
		ctl = amd_ibs_read_register(ibs->address);
	if (ctl & ibs->valid)
		input = AMD_IBS_SAMPLE;
	switch (step(unit, input)) {
	case AMD_IBS_TAKE:
		take_sample(ibs, unit, ctl, regs);
		return 1;
	case AMD_IBS_CLAIM:
		return 1;
	default:
		return 0;
	}
}

/**
 * amd_ibs_nmi() - handle an NMI
 * @cmd: unused
 * @regs: registers of what was interrupted
 *
 * Context: NMI.
 * Return: number of units that have sent it.
 */
int amd_ibs_nmi(unsigned int cmd, struct pt_regs *regs)
{
	u64 begin = sched_clock();
	int handled = handle(&amd_ibs_fetch, regs) + handle(&amd_ibs_op, regs);

	if (handled)
		inc_irq_stat(apic_perf_irqs);
	perf_sample_event_took(sched_clock() - begin);
	return handled;
}

NOKPROBE_SYMBOL(amd_ibs_nmi);

/* A unit has one event at a time. */
static int check_group(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	bool another = event != leader && leader->pmu == event->pmu;

	if (event == leader)
		return 0;
	for_each_sibling_event(sibling, leader)
		another |= sibling != event && sibling->pmu == event->pmu;
	return another ? perf_refuse(-EINVAL, PERF_NOWHERE, 0, PERF_REASON_GROUP_FIT) : 0;
}

/* The period is in attr.config, as the register has it. */
static int take_raw_period(const struct amd_ibs *ibs, struct perf_event *event)
{
	u64 period = limit_of(ibs, event->attr.config);

	if (!period)
		return perf_refuse_because(-EINVAL, PERF_FIELD(sample_period), ~0ULL,
					   "IBS only samples, so it needs a period");
	event->attr.sample_period = period;
	event->hw.sample_period = period;
	event->hw.config = event->attr.config & ~ibs->counts;
	return 0;
}

/* Programs may ask for any period; the next shorter one is taken. */
static int choose_period(const struct amd_ibs *ibs, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (!hw->sample_period)
		return take_raw_period(ibs, event);
	if (event->attr.config & ibs->counts)
		return perf_refuse(-EINVAL, PERF_FIELD(config), event->attr.config & ibs->counts,
				   PERF_REASON_CONFLICT);
	hw->sample_period = max_t(u64, round_down(hw->sample_period, AMD_IBS_COUNT_UNIT),
				  AMD_IBS_COUNT_UNIT);
	hw->config = event->attr.config;
	return 0;
}

/**
 * amd_ibs_event_init() - open an event
 * @event: new event
 *
 * The errors come in the order in which programs have always got them.
 *
 * Context: task.
 * Return: 0; -ENOENT for events of other PMUs; -EOPNOTSUPP with branches in
 * samples; -EINVAL for unknown bits, for a second event of the unit in a group,
 * and without a period or with two.
 */
int amd_ibs_event_init(struct perf_event *event)
{
	struct amd_ibs *ibs = ibs_of(event);
	u64 config = event->attr.config;
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (config & ~ibs->allowed)
		return perf_refuse(-EINVAL, PERF_FIELD(config), config & ~ibs->allowed,
				   PERF_REASON_UNKNOWN_BITS);
	if (has_branch_stack(event))
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD(sample_type), PERF_SAMPLE_BRANCH_STACK,
				   PERF_REASON_NO_BRANCHES);
	err = check_group(event);
	if (!err)
		err = choose_period(ibs, event);
	if (err)
		return err;
	event->hw.last_period = event->hw.sample_period;
	local64_set(&event->hw.period_left, event->hw.sample_period);
	return 0;
}

/* Return: true if the op unit counts what the event counts. */
static bool has_op_event(const struct perf_event_attr *attr, u64 *config)
{
	*config = 0;
	if (attr->type == PERF_TYPE_HARDWARE)
		return attr->config == PERF_COUNT_HW_CPU_CYCLES;
	if (attr->type != PERF_TYPE_RAW)
		return false;
	if (attr->config == 0xc1)
		*config = IBS_OP_CNT_CTL;
	return attr->config == 0x76 || attr->config == 0xc1;
}

/**
 * forward_event_to_ibs() - let IBS sample what needs an exact address
 * @event: event that is opened on the PMU of the counters, with precise_ip
 *
 * Cycles become cycles of ibs_op; retired ops, which is event 0xc1, become its
 * ops.
 *
 * Context: task.
 * Return: -ENOENT: the core asks the PMU that is in attr.type now; -EOPNOTSUPP
 * for what no PMU does.
 */
int forward_event_to_ibs(struct perf_event *event)
{
	u64 config;

	if (!event->attr.precise_ip || event->attr.precise_ip > 2)
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD_FLAGS, PERF_ATTR_PRECISE_IP,
				   PERF_REASON_PMU_CANNOT);
	if (has_op_event(&event->attr, &config)) {
		event->attr.type = amd_ibs_op.pmu.type;
		event->attr.config = config;
	}
	return -ENOENT;
}
