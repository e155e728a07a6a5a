// SPDX-License-Identifier: GPL-2.0
/*
 * Room "amd/lbr": the recorder of last branches of each CPU (LbrExtV2).
 *
 * Purpose: record branches while an event needs them, give them to its samples
 * and to BPF, and clear the recorder when its branches are another task's.
 *
 * Owns: the recorder of each CPU: the registers of branches, LBR_SELECT, the
 * bit of DBG_EXTN_CFG that turns the recorder on, the bit of DEBUGCTL that lets
 * an interrupt freeze it; hw.branch_reg of events.
 *
 * Contexts: boot; the task that opens an event; this CPU with interrupts off;
 * NMI; a snapshot any.
 *
 * The youngest branch is always in the first registers. The recorder is off
 * while the PMU is disabled, and in the interrupt: the handler's own branches
 * are not wanted. A branch does not say which task it is of, so all branches
 * are cleared when another task is switched in.
 *
 * Lifetime: amd_lbr is constant after boot. The recorder of a CPU is reset when
 * the CPU starts.
 *
 * Locking: none; each CPU changes its own recorder.
 */
#include <linux/irqflags.h>
#include <linux/perf_refuse.h>
#include <linux/static_call.h>
#include <kunit/static_stub.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/perf_event.h>
#include <asm/processor.h>
#include "../branch.h"
#include "../config.h"
#include "lbr.h"
#include "lbr_decode.h"

/**
 * struct amd_lbr_cpu - the recorder of a CPU
 * @users:	events that are scheduled in and record branches
 * @on:		it records, or would if an interrupt had not paused it
 * @stale:	it must be cleared before it records again
 * @known:	@extn is right
 * @extn:	DBG_EXTN_CFG without the recorder's bit
 * @wanted:	filter that leaves out what none of @users needs
 * @selected:	value of LBR_SELECT since the recorder was cleared
 */
struct amd_lbr_cpu {
	unsigned int	users;
	bool		on;
	bool		stale;
	bool		known;
	u64		extn;
	u64		wanted;
	u64		selected;
};

/**
 * struct sample - the branches of an event that is sampled
 * @raw:	what the registers contained
 * @stack:	the record is written from here
 * @entries:	its branches
 */
struct sample {
	struct amd_lbr_raw		raw[AMD_LBR_MOST];
	struct perf_branch_stack	stack;
	struct perf_branch_entry	entries[AMD_LBR_MOST];
};

static_assert(offsetof(struct sample, entries) ==
	      offsetof(struct sample, stack) + sizeof(struct perf_branch_stack));

static DEFINE_PER_CPU(struct amd_lbr_cpu, amd_lbr_cpu);
static DEFINE_PER_CPU(struct sample, sample);

struct amd_lbr amd_lbr __read_mostly;

/**
 * amd_lbr_read_register() - read a register
 * @address: its address
 *
 * Tests replace this function by one for a register file.
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: its value.
 */
u64 amd_lbr_read_register(u32 address)
{
	u64 value;

	KUNIT_STATIC_STUB_REDIRECT(amd_lbr_read_register, address);
	rdmsrl(address, value);
	return value;
}

static u32 from_register(unsigned int i)
{
	return MSR_AMD_SAMP_BR_FROM + 2 * i;
}

static void turn(struct amd_lbr_cpu *r, bool on)
{
	x86_regs_write(MSR_AMD_DBG_EXTN_CFG, r->extn | (on ? DBG_EXTN_CFG_LBRV2EN : 0));
}

/* An interrupt in the middle finds @on, and leaves the recorder like that. */
static void turn_on(struct amd_lbr_cpu *r)
{
	r->on = true;
	barrier();
	turn(r, true);
}

static void turn_off(struct amd_lbr_cpu *r)
{
	r->on = false;
	barrier();
	turn(r, false);
}

/* Debuggers change other bits of the register. */
static void let_freeze(bool freeze)
{
	u64 bit = DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;
	u64 old, new;

	if (!amd_lbr.freezes)
		return;
	old = amd_lbr_read_register(MSR_IA32_DEBUGCTLMSR);
	new = freeze ? old | bit : old & ~bit;
	if (new != old)
		x86_regs_write(MSR_IA32_DEBUGCTLMSR, new);
}

/* What another filter has let through must not remain. */
static void clear(struct amd_lbr_cpu *r)
{
	unsigned int i;

	for (i = 0; i < amd_lbr.depth; i++) {
		x86_regs_write(from_register(i), 0);
		x86_regs_write(from_register(i) + 1, 0);
	}
	x86_regs_write(MSR_AMD64_LBR_SELECT, r->wanted);
	r->selected = r->wanted;
	r->stale = false;
}

/**
 * amd_lbr_get() - let the recorder run for an event
 * @cpu: this CPU
 * @event: event that records branches and is scheduled in
 *
 * Each event gets only what it has asked for (amd_lbr_save()), so the filter of
 * the hardware may let more through.
 *
 * Context: this CPU, interrupts off, PMU disabled.
 * Return: 0.
 */
int amd_lbr_get(struct x86_cpu *cpu, struct perf_event *event)
{
	struct amd_lbr_cpu *r = this_cpu_ptr(&amd_lbr_cpu);

	if (r->users++) {
		r->wanted &= event->hw.branch_reg.config;
		return 0;
	}
	r->wanted = event->hw.branch_reg.config;
	/* The branches are older than the event, also with the same filter. */
	r->stale = true;
	return 0;
}

/**
 * amd_lbr_put() - undo amd_lbr_get()
 * @cpu: this CPU
 * @event: event that is scheduled out
 *
 * Context: this CPU, interrupts off, PMU disabled.
 */
void amd_lbr_put(struct x86_cpu *cpu, struct perf_event *event)
{
	struct amd_lbr_cpu *r = this_cpu_ptr(&amd_lbr_cpu);

	if (!WARN_ON_ONCE(!r->users))
		r->users--;
}

/**
 * amd_lbr_start() - let the recorder record, or end its use
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
void amd_lbr_start(struct x86_cpu *cpu)
{
	struct amd_lbr_cpu *r = this_cpu_ptr(&amd_lbr_cpu);

	if (!r->users) {
		let_freeze(false);
		cpu->branches = false;
		return;
	}
	if (!r->known) {
		r->extn = amd_lbr_read_register(MSR_AMD_DBG_EXTN_CFG) & ~DBG_EXTN_CFG_LBRV2EN;
		r->known = true;
	}
	if (r->stale || r->selected != r->wanted)
		clear(r);
	let_freeze(true);
	turn_on(r);
}

/**
 * amd_lbr_stop() - stop the recorder while the PMU is disabled
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
void amd_lbr_stop(struct x86_cpu *cpu)
{
	struct amd_lbr_cpu *r = this_cpu_ptr(&amd_lbr_cpu);

	if (r->on)
		turn_off(r);
}

/**
 * amd_lbr_forget() - say that the registers may contain anything
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off.
 */
void amd_lbr_forget(struct x86_cpu *cpu)
{
	struct amd_lbr_cpu *r = this_cpu_ptr(&amd_lbr_cpu);

	r->on = false;
	r->known = false;
	r->stale = true;
}

/**
 * amd_lbr_start_cpu() - a CPU starts
 *
 * Context: this CPU, interrupts off.
 */
void amd_lbr_start_cpu(void)
{
	this_cpu_ptr(&amd_lbr_cpu)->users = 0;
	amd_lbr_forget(NULL);
}

/**
 * amd_lbr_sched_task() - a task is switched in or out
 * @ctx: unused; a recorder keeps nothing of a task
 * @sched_in: it is switched in
 *
 * Context: this CPU, interrupts off, PMU disabled.
 */
void amd_lbr_sched_task(struct perf_event_pmu_context *ctx, bool sched_in)
{
	if (sched_in)
		this_cpu_ptr(&amd_lbr_cpu)->stale = true;
}

/**
 * amd_lbr_pause() - stop the recorder in the interrupt
 * @cpu: this CPU
 *
 * Context: NMI.
 * Return: for amd_lbr_resume().
 */
bool amd_lbr_pause(struct x86_cpu *cpu)
{
	struct amd_lbr_cpu *r = this_cpu_ptr(&amd_lbr_cpu);

	if (likely(!cpu->branches) || !r->on)
		return false;
	turn_off(r);
	return true;
}

/**
 * amd_lbr_resume() - let the recorder go on
 * @on: what amd_lbr_pause() has returned
 *
 * Context: NMI, when the status has been acknowledged.
 */
void amd_lbr_resume(bool on)
{
	if (on)
		turn_on(this_cpu_ptr(&amd_lbr_cpu));
}

static unsigned int read_all(struct amd_lbr_raw *raw, struct perf_branch_entry *entries,
			     unsigned int nr)
{
	unsigned int i;

	nr = min(nr, amd_lbr.depth);
	for (i = 0; i < nr; i++) {
		raw[i].from = amd_lbr_read_register(from_register(i));
		raw[i].to = amd_lbr_read_register(from_register(i) + 1);
	}
	return amd_lbr_decode(raw, nr, boot_cpu_data.x86_virt_bits, entries);
}

/*
 * The processor may fuse a branch with the instruction before it, and reports
 * the address of that instruction.
 */
static void find_fused(struct perf_branch_entry *entries, unsigned int nr)
{
	unsigned int i, offset;

	for (i = 0; i < nr; i++) {
		x86_branch_find(entries[i].from, entries[i].from >= TASK_SIZE_MAX, &offset);
		entries[i].from += offset;
	}
}

/**
 * amd_lbr_save() - give an event its branches
 * @event: event that has overflowed
 * @data: its sample
 *
 * Context: NMI; the recorder is paused.
 */
void amd_lbr_save(struct perf_event *event, struct perf_sample_data *data)
{
	struct sample *s = this_cpu_ptr(&sample);
	unsigned int nr = read_all(s->raw, s->entries, AMD_LBR_MOST);

	find_fused(s->entries, nr);
	s->stack.nr = x86_branch_keep(event->hw.branch_reg.reg, s->entries, NULL, nr);
	s->stack.hw_idx = 0;
	perf_sample_save_brstack(data, event, &s->stack, NULL);
}

/* Not inlined: its branches all come after the recorder was stopped. */
static noinline unsigned int read_stopped(struct amd_lbr_cpu *r, struct perf_branch_entry *entries,
					  unsigned int nr)
{
	struct amd_lbr_raw raw[AMD_LBR_MOST];
	bool on = r->on;

	/* An interrupt that comes now leaves it off. */
	r->on = false;
	if (!on)
		return 0;
	barrier();
	turn(r, false);
	nr = read_all(raw, entries, nr);
	find_fused(entries, nr);
	turn_on(r);
	return nr;
}

/**
 * amd_lbr_snapshot() - the branches before a call, for BPF
 * @entries: gets the branches, the youngest first
 * @nr: room there
 *
 * The recorder is stopped first, by code without a branch: a branch would be
 * recorded.
 *
 * Context: any.
 * Return: number of branches.
 */
int amd_lbr_snapshot(struct perf_branch_entry *entries, unsigned int nr)
{
	unsigned long flags;
	u64 extn;

	local_irq_save(flags);
	rdmsrl(MSR_AMD_DBG_EXTN_CFG, extn);
	wrmsrl(MSR_AMD_DBG_EXTN_CFG, extn & ~DBG_EXTN_CFG_LBRV2EN);
	nr = read_stopped(this_cpu_ptr(&amd_lbr_cpu), entries, nr);
	local_irq_restore(flags);
	return nr;
}

/**
 * amd_lbr_config() - check what an event asks of the recorder
 * @event: event that is opened and records branches
 *
 * Context: task.
 * Return: 0; -EOPNOTSUPP without a recorder, or if it cannot filter like that.
 */
int amd_lbr_config(struct perf_event *event)
{
	u64 asked = event->attr.branch_sample_type;
	u64 select;
	int err;

	if (!amd_lbr.depth)
		return x86_config_refuse_branches();
	err = amd_lbr_decode_select(asked, &select);
	if (err)
		return perf_refuse(err, PERF_FIELD(branch_sample_type), asked,
				   PERF_REASON_PMU_CANNOT);
	event->hw.branch_reg.config = select;
	event->hw.branch_reg.reg = x86_branch_filter_wanted(asked);
	event->hw.flags |= X86_EVENT_BRANCHES;
	event->attach_state |= PERF_ATTACH_SCHED_CB;
	return 0;
}

static const struct x86_branch_ops branch_ops = {
	.get		= amd_lbr_get,
	.put		= amd_lbr_put,
	.start		= amd_lbr_start,
	.stop		= amd_lbr_stop,
	.forget		= amd_lbr_forget,
	.save		= amd_lbr_save,
	.sched_task	= amd_lbr_sched_task,
};

/**
 * amd_lbr_setup() - find the recorder of a machine with global registers
 * @core: its PMU
 *
 * APM vol. 3 E.4.21: the depth is in CPUID leaf 0x80000022.
 *
 * Context: boot.
 */
void __init amd_lbr_setup(struct x86_core *core)
{
	union cpuid_0x80000022_ebx ebx;

	if (!boot_cpu_has(X86_FEATURE_AMD_LBR_V2))
		return;
	ebx.full = cpuid_ebx(EXT_PERFMON_DEBUG_FEATURES);
	amd_lbr.depth = ebx.split.lbr_v2_stack_sz;
	if (!amd_lbr.depth)
		return;
	amd_lbr.freezes = boot_cpu_has(X86_FEATURE_AMD_LBR_PMC_FREEZE);
	core->branches = amd_lbr.depth;
	x86_branch_set_ops(&branch_ops);
	static_call_update(perf_snapshot_branch_stack, amd_lbr_snapshot);
}
