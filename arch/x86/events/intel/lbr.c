// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/lbr": the recorder of last branches of each CPU.
 *
 * Purpose: let the recorder of a CPU run while an event needs it, clear it when
 * the branches in it are another task's, and read it.
 *
 * Owns: the per-CPU variable intel_lbr_cpu; the bits of IA32_DEBUGCTL for the
 * recorder, IA32_LBR_CTL, MSR_LBR_SELECT and the registers of branches.
 *
 * Contexts: the CPU itself with interrupts off; NMI.
 *
 * A recorder whose filter leaves the kernel out records nothing in the kernel.
 * So it stays on at a task switch, and nothing is written. A recorder of kernel
 * branches is stopped while the PMU is disabled.
 *
 * Clearing: the registers of branches are used in turn, and one register has
 * the number of the youngest branch. Branches are read from the youngest one to
 * the first one whose source is 0. So it is enough to clear the source of the
 * youngest branch: the reading stops there, and when all registers were used
 * again a branch of this task has replaced it. With a call stack a return goes
 * back to an older branch, so all sources are cleared. The architectural
 * recorder is cleared by a write of its depth.
 *
 * Counts: with events that are counted for each branch, the registers of a
 * branch also have what counters counted since the branch before. If a counter
 * has got another such event, all branches are cleared.
 *
 * Guests: KVM has an event without a counter (INTEL_FIXED_VLBR_EVENT). While it
 * is scheduled in, the guest may read and write the registers of branches and
 * MSR_LBR_SELECT, and all of them are 0 at first. No event of the host can
 * record branches then. At a task switch the registers are saved and restored
 * as a call stack.
 *
 * Freezing: an interrupt of the counters freezes the recorder, so that it does
 * not record the handler. Where the status has a bit for this, the recorder
 * goes on when the bit is acknowledged; otherwise the interrupt has cleared the
 * bit of IA32_DEBUGCTL that turns the recorder on. A call stack that is frozen
 * may lose or repeat a level, so it is not frozen: the handler stops the
 * recorder if it records the kernel.
 *
 * Lifetime: intel_lbr is constant after boot. The recorder of a CPU is reset
 * when the CPU starts.
 *
 * Locking: none; the register that filters branches may be the core's, and is
 * claimed under the lock of its shared registers.
 */
#include <linux/bitops.h>
#include <kunit/static_stub.h>
#include <asm/msr.h>
#include "../branch.h"
#include "../extra.h"
#include "lbr.h"

DEFINE_PER_CPU(struct intel_lbr_cpu, intel_lbr_cpu);
struct intel_lbr intel_lbr __read_mostly;

/* Bits of IA32_DEBUGCTL, SDM vol. 3 18.4.1. */
#define RECORDER	(DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI)

/**
 * intel_lbr_read_register() - read a register of the recorder
 * @address: its address
 *
 * Tests replace this function by one for a register file.
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: value.
 */
u64 intel_lbr_read_register(u32 address)
{
	u64 value;

	KUNIT_STATIC_STUB_REDIRECT(intel_lbr_read_register, address);
	rdmsrl(address, value);
	return value;
}

static bool is_stack(u64 select)
{
	return intel_lbr_facts_is_stack(&intel_lbr, select);
}

static bool sees_kernel(u64 select)
{
	return intel_lbr_facts_sees_kernel(&intel_lbr, select);
}

/* Other bits of the register are other users'. */
static void set_debugctl(struct intel_lbr_cpu *l, u64 bits)
{
	u64 old, new;

	if (l->known && l->debugctl == bits)
		return;
	l->debugctl = bits;
	l->known = true;
	/* An interrupt here may clear @known; the next call writes again. */
	barrier();
	old = intel_lbr_read_register(MSR_IA32_DEBUGCTLMSR);
	new = (old & ~RECORDER) | bits;
	if (new != old)
		x86_regs_write(MSR_IA32_DEBUGCTLMSR, new);
}

static void set_arch_ctl(struct intel_lbr_cpu *l, u64 value)
{
	if (l->arch_known && l->arch_ctl == value)
		return;
	x86_regs_write(MSR_ARCH_LBR_CTL, value);
	l->arch_ctl = value;
	l->arch_known = true;
}

/* An interrupt that comes now finds the recorder on, and lets it go on. */
static void record(struct intel_lbr_cpu *l)
{
	u64 freeze = is_stack(l->selected) ? 0 : DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;

	l->on = true;
	barrier();
	if (intel_lbr.arch) {
		set_debugctl(l, freeze);
		set_arch_ctl(l, l->selected | ARCH_LBR_CTL_LBREN);
	} else {
		set_debugctl(l, freeze | DEBUGCTLMSR_LBR);
	}
}

/**
 * intel_lbr_go_on() - let the recorder of this CPU record
 * @l: the recorder
 *
 * Context: this CPU, interrupts off or NMI.
 */
void intel_lbr_go_on(struct intel_lbr_cpu *l)
{
	record(l);
}

static void turn_off(struct intel_lbr_cpu *l)
{
	if (intel_lbr.arch)
		set_arch_ctl(l, 0);
	else
		set_debugctl(l, 0);
}

/**
 * intel_lbr_halt() - stop the recorder of this CPU
 * @l: the recorder
 *
 * Context: this CPU, interrupts off.
 */
void intel_lbr_halt(struct intel_lbr_cpu *l)
{
	l->on = false;
	/* An interrupt that comes now leaves it off. */
	barrier();
	turn_off(l);
}

static unsigned int youngest(u64 tos)
{
	return tos & (intel_lbr.depth - 1);
}

/* The place of the branch that is @age branches older than the youngest one. */
static unsigned int place_of(u64 tos, unsigned int age)
{
	return intel_lbr.tos ? youngest(tos - age) : age;
}

/* Nobody reads the other registers of a branch without a source. */
static void clear_all(void)
{
	unsigned int i;

	for (i = 0; i < intel_lbr.depth; i++)
		x86_regs_write(intel_lbr.from + i, 0);
}

/**
 * intel_lbr_clear() - remove all branches from the recorder
 * @l: recorder of this CPU, which records nothing meanwhile
 *
 * Context: this CPU, interrupts off.
 */
void intel_lbr_clear(struct intel_lbr_cpu *l)
{
	if (intel_lbr.arch)
		x86_regs_write(MSR_ARCH_LBR_DEPTH, intel_lbr.depth);
	else if (is_stack(l->selected))
		clear_all();
	else
		x86_regs_write(intel_lbr.from +
			       youngest(intel_lbr_read_register(intel_lbr.tos)), 0);
	l->stale = false;
	l->kept = 0;
}

/* A guest may read any of these registers. */
static void clear_lent(struct intel_lbr_cpu *l)
{
	unsigned int i;

	for (i = 0; i < intel_lbr.depth; i++) {
		x86_regs_write(intel_lbr.from + i, 0);
		x86_regs_write(intel_lbr.to + i, 0);
		if (intel_lbr.info)
			x86_regs_write(intel_lbr.info + i, 0);
	}
	x86_regs_write(intel_lbr.tos, 0);
	x86_regs_write(MSR_LBR_SELECT, 0);
	l->stale = false;
	l->kept = 0;
}

/**
 * intel_lbr_read_lent() - read what a guest has left in the registers
 * @raw: gets all branches, the youngest first; the guest may have written
 *	zeros in between
 * @tos: gets the number of the youngest branch
 *
 * Context: this CPU, interrupts off.
 */
void intel_lbr_read_lent(struct intel_lbr_raw *raw, u64 *tos)
{
	unsigned int i, place;

	*tos = intel_lbr_read_register(intel_lbr.tos);
	for (i = 0; i < intel_lbr.depth; i++) {
		place = place_of(*tos, i);
		raw[i].from = intel_lbr_read_register(intel_lbr.from + place);
		raw[i].to = intel_lbr_read_register(intel_lbr.to + place);
		raw[i].info = intel_lbr.info ?
			      intel_lbr_read_register(intel_lbr.info + place) : 0;
	}
}

/**
 * intel_lbr_describe() - tell KVM about the registers of the recorder
 * @lbr: is filled in
 *
 * Context: any.
 */
void intel_lbr_describe(struct x86_pmu_lbr *lbr)
{
	lbr->nr = intel_lbr.depth;
	lbr->from = intel_lbr.from;
	lbr->to = intel_lbr.to;
	lbr->info = intel_lbr.info;
	lbr->has_callstack = intel_lbr.call_stack;
}

/**
 * intel_lbr_read_all() - read the branches of this CPU
 * @raw: gets the registers, the youngest branch first
 * @tos: gets the number of the youngest branch; 0 if branches have no numbers
 * @info: also read the third register of each branch
 *
 * Context: this CPU, interrupts off or NMI; the recorder stands still.
 * Return: number of branches.
 */
unsigned int intel_lbr_read_all(struct intel_lbr_raw *raw, u64 *tos, bool info)
{
	unsigned int i, place;

	*tos = intel_lbr.tos ? intel_lbr_read_register(intel_lbr.tos) : 0;
	for (i = 0; i < intel_lbr.depth; i++) {
		place = place_of(*tos, i);
		raw[i].from = intel_lbr_read_register(intel_lbr.from + place);
		if (!raw[i].from)
			break;
		raw[i].to = intel_lbr.layout.shared ? 0 :
			    intel_lbr_read_register(intel_lbr.to + place);
		raw[i].info = info && intel_lbr.info ?
			      intel_lbr_read_register(intel_lbr.info + place) : 0;
	}
	return i;
}

/**
 * intel_lbr_freeze() - keep the handler of an interrupt out of the recorder
 *
 * Nothing is left to do if the interrupt has frozen the recorder, or if its
 * filter leaves the kernel out. The next intel_lbr_thaw() lets it go on.
 *
 * Context: NMI.
 */
void intel_lbr_freeze(void)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);

	if (l->on && is_stack(l->selected) && sees_kernel(l->selected))
		turn_off(l);
}

/**
 * intel_lbr_get() - let the recorder run for an event
 * @cpu: this CPU
 * @event: event that records branches
 *
 * Context: this CPU, interrupts off, PMU disabled.
 * Return: 0, or -EBUSY if other events need another filter, if a guest has the
 * recorder, or if the event lends the recorder and others use it.
 */
int intel_lbr_get(struct x86_cpu *cpu, struct perf_event *event)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);
	u64 select = event->hw.branch_reg.config;
	bool lend = event->hw.flags & X86_EVENT_LENT;

	if (l->lent || (lend && l->users))
		return -EBUSY;
	if (intel_lbr_has_filter(&intel_lbr) &&
	    x86_extra_claim_value(cpu->extra, X86_EXTRA_BRANCHES, select))
		return -EBUSY;
	l->users++;
	l->wanted = select;
	l->lent = lend;
	/* The registers are cleared, unless the task's own are restored. */
	if (lend)
		l->stale = true;
	return 0;
}

/**
 * intel_lbr_put() - undo intel_lbr_get()
 * @cpu: this CPU
 * @event: event that is scheduled out
 *
 * Context: this CPU, interrupts off, x86_cpu::enabled false.
 */
void intel_lbr_put(struct x86_cpu *cpu, struct perf_event *event)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);

	if (l->lent) {
		/* The guest has written the branches, and perhaps the filter. */
		WRITE_ONCE(cpu->extra->regs[X86_EXTRA_BRANCHES].known, false);
		l->stale = true;
		l->lent = false;
	}
	if (intel_lbr_has_filter(&intel_lbr))
		x86_extra_release_value(cpu->extra, X86_EXTRA_BRANCHES);
	l->users--;
}

/* Both threads of a core may write the same value at the same time. */
static void write_select(struct x86_extra *reg, u64 select)
{
	if (READ_ONCE(reg->known))
		return;
	x86_regs_write(MSR_LBR_SELECT, select);
	WRITE_ONCE(reg->known, true);
}

/**
 * intel_lbr_change_filter() - prepare the recorder for the filter that events
 * need
 * @l: recorder of this CPU
 *
 * The recorder is cleared before it goes on: no event may get branches that
 * passed another filter than its own.
 *
 * Context: this CPU, interrupts off.
 */
void intel_lbr_change_filter(struct intel_lbr_cpu *l)
{
	if (l->selected == l->wanted)
		return;
	intel_lbr_halt(l);
	l->selected = l->wanted;
	l->stale = true;
}

/*
 * The branches have counts of the event that a counter had before. The next one
 * must not show them as its own, so the recorder is cleared.
 */
static void check_counted(struct intel_lbr_cpu *l, const struct x86_cpu *cpu)
{
	const struct perf_event *event;
	unsigned int i;

	for (i = 0; i < INTEL_LBR_NR_COUNTS; i++) {
		event = cpu->on[x86_slot(i)];
		if (!event || !(event->hw.flags & X86_EVENT_PER_BRANCH) ||
		    event->id == l->counted[i])
			continue;
		l->counted[i] = event->id;
		l->stale = true;
	}
}

/**
 * intel_lbr_start() - let the recorder run if events need it
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
void intel_lbr_start(struct x86_cpu *cpu)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);

	/* The exit from a guest has written the register. */
	if (unlikely(cpu->guests))
		l->known = false;
	if (!l->users) {
		intel_lbr_halt(l);
		l->stale = true;
		cpu->branches = false;
		return;
	}
	if (l->lent) {
		intel_lbr_halt(l);
		if (l->stale)
			clear_lent(l);
		return;
	}
	intel_lbr_change_filter(l);
	if (intel_lbr_has_filter(&intel_lbr) && !intel_lbr.arch)
		write_select(&cpu->extra->regs[X86_EXTRA_BRANCHES], l->selected);
	if (intel_lbr.counters)
		check_counted(l, cpu);
	if (l->stale)
		intel_lbr_clear(l);
	if (sees_kernel(l->selected))
		l->kept = 0;
	record(l);
}

/**
 * intel_lbr_stop() - stop the recorder if it records the kernel
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
void intel_lbr_stop(struct x86_cpu *cpu)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);

	if (l->on && sees_kernel(l->selected))
		intel_lbr_halt(l);
}

/**
 * intel_lbr_thaw() - let the recorder go on at the end of an interrupt
 *
 * Context: NMI.
 */
void intel_lbr_thaw(void)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);
	bool cleared = !intel_lbr.status_freeze && l->debugctl & DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;

	if (cleared)
		l->known = false;
	if (l->on)
		record(l);
	/* The interrupted code may go on to write an older value. */
	if (cleared)
		l->known = false;
}

static void forget(struct intel_lbr_cpu *l)
{
	l->known = false;
	l->arch_known = false;
	l->on = false;
	l->stale = true;
	l->kept = 0;
}

/**
 * intel_lbr_forget() - say that the registers may contain anything
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off.
 */
void intel_lbr_forget(struct x86_cpu *cpu)
{
	forget(this_cpu_ptr(&intel_lbr_cpu));
	if (intel_lbr.arch)
		x86_regs_write(MSR_ARCH_LBR_DEPTH, intel_lbr.depth);
}

/**
 * intel_lbr_start_cpu() - make the recorder of a CPU that starts stand still
 *
 * The firmware may have left it on.
 *
 * Context: this CPU, interrupts off.
 */
void intel_lbr_start_cpu(void)
{
	struct intel_lbr_cpu *l = this_cpu_ptr(&intel_lbr_cpu);

	if (!intel_lbr.depth)
		return;
	forget(l);
	intel_lbr_halt(l);
	/* After a reset the depth may be less than the greatest one. */
	if (intel_lbr.arch)
		intel_lbr_clear(l);
	l->stale = true;
}
