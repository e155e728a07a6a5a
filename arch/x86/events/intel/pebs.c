// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/pebs": precise events.
 *
 * Purpose: events whose samples show the instruction that caused them (PEBS,
 * SDM vol. 3 20.3.1.1.1 and 20.9). The processor writes a record to memory
 * after the counter has passed zero, loads the counter again, and interrupts
 * when the buffer has filled to its threshold.
 *
 * Owns: struct intel_pebs of each CPU; IA32_PEBS_ENABLE, MSR_PEBS_DATA_CFG; the
 * limits of the buffer, and the periods in the DS area.
 *
 * Contexts: the task that opens an event; the CPU itself with interrupts off,
 * while the counter of the event stands still; the PMI.
 *
 * Registers: IA32_PEBS_ENABLE is written when an event gets a counter and when
 * it leaves it, and not when all counters stop: without a running counter
 * nothing is recorded. A throttled event keeps its bit. So CPUs without precise
 * events do nothing for them.
 *
 * Large buffers: if the samples of all precise events of a CPU can be written
 * later, the interrupt comes only when the buffer is nearly full. Samples are
 * also written when a task is switched out, when an event leaves its counter,
 * and when an event is read.
 *
 * Periods: in a fixed period the processor loads the counter with it. In
 * frequency mode the interrupt handler programs the next period.
 *
 * Guests: counters of precise events stand still while a guest runs, since the
 * address of the DS area means nothing there. On processors that may write a
 * record after its counter has stopped, IA32_PEBS_ENABLE is 0 meanwhile.
 *
 * Branches: an event that records branches interrupts at each record. Its
 * sample has the branches that the recorder had at the interrupt. Groups of
 * branches in records are not used.
 *
 * Not there: the address of the instruction up to format 1, where it has to be
 * found with branch records (precise_ip 2); output to a trace.
 *
 * Lifetime: the format of records is constant after boot. The struct intel_pebs
 * of a CPU is cleared when the CPU starts. The room "intel/ds_buffer" says how
 * long the buffers exist.
 *
 * Locking: none; each CPU changes its own struct intel_pebs.
 */
#include <linux/perf_refuse.h>
#include <kunit/static_stub.h>
#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include "../config.h"
#include "../run.h"
#include "ds_buffer.h"
#include "pebs.h"
#include "pebs_decode.h"

/* IA32_PERF_CAPABILITIES, SDM vol. 4 table 2-2. */
#define CAP_FORMAT(caps)	((caps) >> 8 & 0xf)
#define CAP_BASELINE		BIT_ULL(14)
#define CAP_TIMING		BIT_ULL(17)

/*
 * Bits of IA32_PEBS_ENABLE beside those of the counters, SDM vol. 3 20.3.1.1.2
 * and 20.3.4.4.3.
 */
#define ENABLE_LATENCY(n)	BIT_ULL(32 + (n))
#define ENABLE_STORE		BIT_ULL(63)

/* The bits of a selector that replace_cycles() compares and replaces. */
#define RAW_BITS	(X86_SEL_CODE | X86_SEL_EDGE | X86_SEL_INV | X86_SEL_CMASK)
#define CYCLES		0x003c
#define LOADS		0x01cd
#define LOADS_AUX	0x8203
#define TSX_ABORTS	0x04c9

/* Registers that a record has. */
#define RECORDED_REGS \
	(BIT_ULL(PERF_REG_X86_IP) | BIT_ULL(PERF_REG_X86_FLAGS) |	\
	 GENMASK_ULL(PERF_REG_X86_SP, PERF_REG_X86_AX) |		\
	 GENMASK_ULL(PERF_REG_X86_R15, PERF_REG_X86_R8))

/* Fields that can be written later, in any record. */
#define LARGE_TYPE \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |		\
	 PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_DATA_SRC |		\
	 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |	\
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_PERIOD |		\
	 PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_WEIGHT_TYPE)

/* From format 4 on: what needs a group, where events cannot choose groups. */
#define GROUPS_TYPE \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_TIME | PERF_SAMPLE_DATA_SRC |			\
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR)

#define MEMORY_TYPE \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR |		\
	 PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_DATA_PAGE_SIZE)

/* A page, since Core 2 is said to hang with a larger buffer. */
#define OLD_BUFFER	PAGE_SIZE

static struct intel_pebs_format machine_format __ro_after_init;
static DEFINE_PER_CPU(struct intel_pebs, pebs);

static bool needs_regs(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_REGS_INTR && attr->sample_regs_intr & RECORDED_REGS)
		return true;
	if (type & PERF_SAMPLE_REGS_USER && attr->sample_regs_user & RECORDED_REGS)
		return true;
	/* The code of an abort is in EAX. */
	if (type & PERF_SAMPLE_WEIGHT_TYPE && (attr->config & X86_SEL_CODE) == TSX_ABORTS)
		return true;
	/* The address of the next instruction is among the registers. */
	return attr->precise_ip < 2;
}

/**
 * intel_pebs_groups() - find the groups of a record that an event needs
 * @event: precise event
 *
 * Context: any.
 * Return: bits of MSR_PEBS_DATA_CFG.
 */
u64 intel_pebs_groups(const struct perf_event *event)
{
	u64 type = event->attr.sample_type, groups = 0;

	if (type & MEMORY_TYPE)
		groups |= INTEL_PEBS_MEMORY;
	if (needs_regs(event))
		groups |= INTEL_PEBS_REGS;
	if (type & PERF_SAMPLE_REGS_INTR && event->attr.sample_regs_intr & PERF_REG_EXTENDED_MASK)
		groups |= INTEL_PEBS_XMM;
	return groups;
}

/**
 * intel_pebs_want_switches() - let the core call the driver when a task is
 * switched, or no more
 * @pmu: PMU of an event with a large buffer
 * @want: true to ask
 *
 * Context: interrupts off.
 */
void intel_pebs_want_switches(struct pmu *pmu, bool want)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_pebs_want_switches, pmu, want);
	if (want)
		perf_sched_cb_inc(pmu);
	else
		perf_sched_cb_dec(pmu);
}

/*
 * A PMI in the middle may write the register, too. It writes the same value, or
 * a newer one.
 */
static void write_enable(struct intel_pebs *p)
{
	u64 value;

	while (p->enable_image != READ_ONCE(p->enable)) {
		value = READ_ONCE(p->enable);
		x86_regs_write(MSR_IA32_PEBS_ENABLE, value);
		barrier();
		p->enable_image = value;
		barrier();
	}
}

/*
 * Records in the buffer may have different lengths, since each one says its
 * own. A group that an event needed is recorded until no precise event is left.
 */
static void choose_groups(struct intel_pebs *p, u64 groups)
{
	if (p->nr)
		groups |= p->groups;
	if (p->format->groups && groups != p->groups) {
		x86_regs_write(MSR_PEBS_DATA_CFG, groups);
		p->groups = groups;
	}
	p->size = intel_pebs_size(p->format->number, p->groups);
}

/* Each counter may write one more record before the interrupt comes. */
static unsigned int most_late(const struct x86_cpu *cpu)
{
	return hweight64(cpu->core->facts.counters & X86_SLOTTED);
}

static void set_limits(struct intel_pebs *p, const struct x86_cpu *cpu)
{
	struct debug_store *ds = p->ds;
	unsigned int most = p->bytes / p->size, records = 1;

	if (p->nr == p->nr_large && most > most_late(cpu))
		records = most - most_late(cpu);
	ds->pebs_absolute_maximum = ds->pebs_buffer_base + most * p->size;
	ds->pebs_interrupt_threshold = ds->pebs_buffer_base + records * p->size;
}

static u64 enable_bits(const struct intel_pebs *p, const struct perf_event *event)
{
	unsigned int counter = event->hw.idx;

	switch (FIELD_GET(X86_EVENT_DATA, event->hw.flags)) {
	case X86_DATA_LOAD_LATENCY:
		if (p->format->latency_enable)
			return BIT_ULL(counter) | ENABLE_LATENCY(counter);
		break;
	case X86_DATA_PRECISE_STORE:
		return BIT_ULL(counter) | ENABLE_STORE;
	}
	return BIT_ULL(counter);
}

static void add_event(struct intel_pebs *p, struct x86_cpu *cpu, struct perf_event *event)
{
	p->counters |= BIT_ULL(event->hw.idx);
	cpu->not_special &= ~BIT_ULL(event->hw.idx);
	p->nr++;
	if (!(event->hw.flags & X86_EVENT_LARGE))
		return;
	p->nr_large++;
	intel_pebs_want_switches(event->pmu, true);
}

static void remove_event(struct intel_pebs *p, struct x86_cpu *cpu, struct perf_event *event)
{
	p->counters &= ~BIT_ULL(event->hw.idx);
	cpu->not_special |= BIT_ULL(event->hw.idx);
	p->nr--;
	if (!(event->hw.flags & X86_EVENT_LARGE))
		return;
	p->nr_large--;
	intel_pebs_want_switches(event->pmu, false);
}

/**
 * intel_pebs_attach() - let an event write records
 * @p: precise events of this CPU, with a DS area
 * @cpu: its counters
 * @event: event at its counter, which stands still
 *
 * Context: this CPU, interrupts off.
 */
void intel_pebs_attach(struct intel_pebs *p, struct x86_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	unsigned int slot = intel_pebs_reset_slot(p->format, hw->idx);

	/* The event may have been throttled, or has got another period. */
	p->ds->pebs_event_reset[slot] = hw->flags & X86_EVENT_RELOAD ?
					-hw->sample_period & x86_pmc.mask : 0;
	if (p->counters & BIT_ULL(hw->idx))
		return;
	choose_groups(p, intel_pebs_groups(event));
	add_event(p, cpu, event);
	set_limits(p, cpu);
	p->enable |= enable_bits(p, event);
	write_enable(p);
}

/**
 * intel_pebs_detach() - an event leaves its counter
 * @p: precise events of this CPU
 * @cpu: its counters; that of the event stands still
 * @event: event at its counter
 *
 * The other counters stand still, too, when this returns; the caller lets them
 * run.
 *
 * Context: this CPU, interrupts off, x86_cpu::enabled false.
 */
void intel_pebs_detach(struct intel_pebs *p, struct x86_cpu *cpu, struct perf_event *event)
{
	if (!(p->counters & BIT_ULL(event->hw.idx)))
		return;
	x86_regs_run(&cpu->regs, 0);
	intel_pebs_drain(p, cpu, NULL);
	if (event->hw.flags & X86_EVENT_RELOAD && !(event->hw.state & PERF_HES_UPTODATE))
		intel_pebs_update(p, event, 0);
	p->enable &= ~enable_bits(p, event);
	write_enable(p);
	remove_event(p, cpu, event);
	/* A record that was written late has no event any more. */
	if (!p->nr)
		p->ds->pebs_index = p->ds->pebs_buffer_base;
	set_limits(p, cpu);
}

/**
 * intel_pebs_enter_guest() - keep records out of the memory of a guest
 * @p: precise events of this CPU
 * @cpu: its counters
 * @msr: gets IA32_PEBS_ENABLE with its values in the host and in the guest
 *
 * KVM clears the register before it enters the guest. A counter that passed
 * zero in between would write no record, and would not be loaded again. So the
 * counters of precise events stop here. The exit from the guest lets them run.
 *
 * Context: this CPU, interrupts off.
 */
void intel_pebs_enter_guest(struct intel_pebs *p, struct x86_cpu *cpu,
			    struct perf_guest_switch_msr *msr)
{
	msr->msr = MSR_IA32_PEBS_ENABLE;
	msr->host = p->enable;
	msr->guest = 0;
	if (!cpu->enabled || !(cpu->running & p->counters))
		return;
	x86_regs_run(&cpu->regs, x86_cpu_host(cpu) & ~p->counters);
	/* The exit from the guest writes the register. */
	cpu->regs.running_known = false;
}

static void enter_guest(struct x86_cpu *cpu, struct perf_guest_switch_msr *msr)
{
	intel_pebs_enter_guest(this_cpu_ptr(&pebs), cpu, msr);
}

static void start(struct x86_cpu *cpu, struct perf_event *event)
{
	struct intel_pebs *p = this_cpu_ptr(&pebs);

	if (!p->ds) {
		p->ds = intel_ds_buffer_of(smp_processor_id());
		p->bytes = p->ds->pebs_absolute_maximum - p->ds->pebs_buffer_base;
	}
	intel_ds_buffer_use(p->ds);
	intel_pebs_attach(p, cpu, event);
}

static void leave(struct x86_cpu *cpu, struct perf_event *event)
{
	intel_pebs_detach(this_cpu_ptr(&pebs), cpu, event);
}

static void update(struct x86_cpu *cpu, struct perf_event *event)
{
	struct intel_pebs *p = this_cpu_ptr(&pebs);
	bool enabled = x86_run_pause(cpu);

	intel_pebs_drain(p, cpu, NULL);
	intel_pebs_update(p, event, 0);
	x86_run_resume(cpu, enabled);
}

static void restore(void)
{
	struct intel_pebs *p = this_cpu_ptr(&pebs);

	if (p->format->groups)
		x86_regs_write(MSR_PEBS_DATA_CFG, p->groups);
	x86_regs_write(MSR_IA32_PEBS_ENABLE, p->enable);
	p->enable_image = p->enable;
}

/**
 * intel_pebs_sched_task() - a task is switched
 * @sched_in: false when it is switched out
 *
 * Samples get the number of the present task, so those of the old one are
 * written now.
 *
 * Context: this CPU, interrupts off, PMU disabled.
 */
void intel_pebs_sched_task(bool sched_in)
{
	if (!sched_in)
		intel_pebs_drain(this_cpu_ptr(&pebs), this_cpu_ptr(&x86_cpu), NULL);
}

/**
 * intel_pebs_pmi() - the buffer has reached its threshold
 * @cpu: this CPU, whose counters stand still
 * @regs: registers of what was interrupted
 *
 * Context: NMI.
 * Return: 1: a cause of the interrupt was found.
 */
int intel_pebs_pmi(struct x86_cpu *cpu, struct pt_regs *regs)
{
	intel_pebs_drain(this_cpu_ptr(&pebs), cpu, regs);
	return 1;
}

/**
 * intel_pebs_start_cpu() - a CPU starts; its registers may contain anything
 *
 * Context: this CPU, interrupts off.
 */
void intel_pebs_start_cpu(void)
{
	struct intel_pebs *p = this_cpu_ptr(&pebs);

	if (!machine_format.present)
		return;
	*p = (struct intel_pebs) { .format = &machine_format };
	intel_ds_buffer_forget();
	x86_regs_write(MSR_IA32_PEBS_ENABLE, 0);
	if (p->format->groups)
		x86_regs_write(MSR_PEBS_DATA_CFG, 0);
}

/* Fields of samples that may be written later. */
static u64 large_type(const struct intel_pebs_format *format, const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 type = LARGE_TYPE;

	if (format->number == 3 || format->groups)
		type |= PERF_SAMPLE_TIME;
	else if (format->number >= INTEL_PEBS_ADAPTIVE)
		type &= ~GROUPS_TYPE;
	if (attr->use_clockid)
		type &= ~PERF_SAMPLE_TIME;
	/* A record of kernel code does not have the registers of user space. */
	if (!attr->exclude_kernel || attr->sample_regs_user & ~RECORDED_REGS)
		type &= ~PERF_SAMPLE_REGS_USER;
	if (attr->sample_regs_intr & ~RECORDED_REGS)
		type &= ~PERF_SAMPLE_REGS_INTR;
	return type;
}

/**
 * intel_pebs_flag() - choose how an event gets its samples
 * @format: format of records
 * @event: precise event that is opened
 *
 * Context: task.
 */
void intel_pebs_flag(const struct intel_pebs_format *format, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	/* The buffer interrupts, not the counter. */
	event->hw.config &= ~X86_SEL_INT;
	if (format->groups)
		event->hw.config |= X86_SEL_ADAPTIVE;
	event->hw.flags |= X86_EVENT_PEBS | X86_EVENT_HOST_ONLY;
	/* A program that is woken after a number of samples cannot wait. */
	if (attr->freq || attr->sample_period > x86_pmc.max_period ||
	    (attr->wakeup_events && !attr->watermark))
		return;
	event->hw.flags |= X86_EVENT_RELOAD;
	/* What an overflow does, it does for each record. */
	if (attr->sample_type & ~large_type(format, event) || attr->sigtrap ||
	    attr->aux_pause || attr->aux_resume)
		return;
	event->hw.flags |= X86_EVENT_LARGE;
	event->attach_state |= PERF_ATTACH_SCHED_CB;
}

/* The event "cycles" cannot be precise; another event that counts them can. */
static void replace_cycles(struct perf_event *event)
{
	const struct x86_precise *precise = x86_core_of(event->pmu)->facts.model->precise;
	u64 cycles = event->attr.precise_ip < 3 ? precise->cycles : precise->cycles_even;

	if (cycles && (event->hw.config & RAW_BITS) == CYCLES)
		event->hw.config = (event->hw.config & ~RAW_BITS) | cycles;
}

static bool has_code(const struct perf_event *event, u64 code)
{
	return (event->attr.config & X86_SEL_CODE) == code;
}

/*
 * Sapphire Rapids and Alder Lake: in its group, another event must come before
 * load latency.
 */
static bool lacks_aux(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (!(x86_core_of(event->pmu)->facts.model->quirks & X86_QUIRK_LOADS_AUX) ||
	    !has_code(event, LOADS) || !(event->attr.sample_type & PERF_SAMPLE_DATA_SRC))
		return false;
	if (leader == event)
		return true;
	if (has_code(leader, LOADS_AUX))
		return false;
	for_each_sibling_event(sibling, leader) {
		if (has_code(sibling, LOADS_AUX))
			return false;
	}
	return true;
}

/**
 * intel_pebs_config() - prepare an event that may be precise
 * @event: event that is opened; precise_ip was checked
 *
 * Context: task; the mutex of the leader's context if there is a leader.
 * Return: 0; -EOPNOTSUPP for a precise event of guests only; -ENODATA for load
 * latency without the event that it needs.
 */
int intel_pebs_config(struct perf_event *event)
{
	if (event->attr.precise_ip && event->attr.exclude_host)
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD_FLAGS, PERF_ATTR_PRECISE_IP,
				   PERF_REASON_PMU_CANNOT);
	if (event->attr.precise_ip) {
		replace_cycles(event);
		intel_pebs_flag(&machine_format, event);
	}
	if (lacks_aux(event))
		return perf_refuse_because(-ENODATA, PERF_FIELD(config), X86_SEL_CODE,
					   "the event needs event 0x8203 before it in its group");
	return 0;
}

static const struct x86_run_precise methods = {
	.open	= intel_ds_buffer_get,
	.close	= intel_ds_buffer_put,
	.start	= start,
	.leave	= leave,
	.update	= update,
	.restore = restore,
};

/*
 * Up to format 1 precise_ip 2 needs branch records, which these drivers do not
 * use for that.
 */
static u8 __init max_precise(const struct x86_precise *precise)
{
	return machine_format.number < 2 ? 1 : 2 + !!precise->even;
}

/**
 * intel_pebs_setup() - find out whether events of a core can be precise
 * @core: type of core
 * @caps: IA32_PERF_CAPABILITIES
 * @late: a record may be written after its counter has stopped
 *
 * Context: boot.
 */
void __init intel_pebs_setup(struct x86_core *core, u64 caps, bool late)
{
	struct intel_pebs_format *format = &machine_format;

	/* Processors without DTES64 write 32-bit records: not supported. */
	if (!boot_cpu_has(X86_FEATURE_DTES64) || !boot_cpu_has(X86_FEATURE_PEBS) ||
	    !core->facts.model->precise || CAP_FORMAT(caps) >= INTEL_PEBS_FORMATS)
		return;
	format->number = CAP_FORMAT(caps);
	format->groups = format->number >= INTEL_PEBS_ADAPTIVE && caps & CAP_BASELINE;
	format->retire_latency = caps & CAP_TIMING;
	format->latency_enable = core->version < 5;
	format->present = true;
	core->max_precise = max_precise(core->facts.model->precise);
	core->precise_all = format->number < INTEL_PEBS_ADAPTIVE || format->groups;
	core->precise_xmm = format->groups;
	if (late)
		core->enter_guest = enter_guest;
	x86_pmc.adaptive = format->groups;
	intel_ds_buffer_init(format->number ? PEBS_BUFFER_SIZE : OLD_BUFFER);
	x86_run_set_precise(&methods);
}
