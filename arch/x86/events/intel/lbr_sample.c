// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/lbr_sample": last branches for samples and for BPF.
 *
 * Purpose: read the recorder once in an interrupt, if an event that has
 * overflowed needs branches, and give each event the branches that it has asked
 * for.
 *
 * Owns: the per-CPU variable lbr_sample; the field alloc of hw.branch_reg: a
 * sample of the event has had counts.
 *
 * Contexts: NMI; a snapshot any.
 *
 * Lifetime: the content of lbr_sample is right until the end of the interrupt.
 *
 * Locking: none; no interrupt of the counters comes during another one. The
 * siblings of an event that has overflowed change on this CPU only. An
 * interrupt in between finds a list that is complete.
 */
#include <linux/irqflags.h>
#include <asm/msr.h>
#include "../branch.h"
#include "lbr.h"
#include "lbr_sample.h"

/**
 * struct lbr_sample - the branches of an interrupt
 * @raw:	what the registers contained
 * @nr:		number of branches there
 * @tos:	number of the youngest branch
 * @info:	@raw has the third register
 * @stack:	branches of the event that is sampled
 * @entries:	these branches
 * @counters:	counts of events for each of them
 */
struct lbr_sample {
	struct intel_lbr_raw		raw[INTEL_LBR_DEPTH];
	unsigned int			nr;
	u64				tos;
	bool				info;
	/* The record is written from here. */
	struct perf_branch_stack	stack;
	struct perf_branch_entry	entries[INTEL_LBR_DEPTH];
	u64				counters[INTEL_LBR_DEPTH];
};

static_assert(offsetof(struct lbr_sample, entries) ==
	      offsetof(struct lbr_sample, stack) + sizeof(struct perf_branch_stack));

static DEFINE_PER_CPU(struct lbr_sample, lbr_sample);

/* The flags of other PMUs mean something else. */
static bool gives_counts(const struct perf_event *event)
{
	return event->pmu == event->group_leader->pmu &&
	       event->hw.flags & X86_EVENT_PER_BRANCH;
}

static bool group_gives_counts(struct perf_event *leader)
{
	struct perf_event *sibling;

	if (gives_counts(leader))
		return true;
	for_each_sibling_event(sibling, leader) {
		if (gives_counts(sibling))
			return true;
	}
	return false;
}

/*
 * The samples of all events of such a group have counts. A program expects
 * samples of an event to be alike. So an event that has shown counts goes on
 * to do so after the sibling that gave them was closed; they are 0 then.
 */
static bool shows_counts(const struct perf_event *event)
{
	return intel_lbr.counters &&
	       (event->hw.branch_reg.alloc || group_gives_counts(event->group_leader));
}

/* The third register is not read for events that show nothing of it. */
static bool needs_info(const struct perf_event *event)
{
	const u64 neither = PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
	const u64 by_flag = PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX |
			    PERF_SAMPLE_BRANCH_ABORT_TX;
	u64 asked = event->attr.branch_sample_type;

	return intel_lbr.layout.type || shows_counts(event) ||
	       (asked & neither) != neither || asked & by_flag;
}

/**
 * intel_lbr_sample_read() - read the recorder for the events that have
 * overflowed
 * @cpu: this CPU
 * @counters: counters that have overflowed, as a mask
 *
 * Context: NMI, before the overflow is acknowledged, since the recorder may go
 * on then.
 */
void intel_lbr_sample_read(struct x86_cpu *cpu, u64 counters)
{
	struct lbr_sample *s = this_cpu_ptr(&lbr_sample);
	bool needed = false, info = false;
	struct perf_event *event;

	for (counters &= cpu->running; counters; counters &= counters - 1) {
		event = cpu->on[x86_slot(__ffs64(counters))];
		if (!(event->hw.flags & X86_EVENT_BRANCHES))
			continue;
		needed = true;
		info |= needs_info(event);
	}
	if (!needed)
		return;
	intel_lbr_freeze();
	s->nr = intel_lbr_read_all(s->raw, &s->tos, info);
	s->info = info;
}

/* Samples show no flags and no cycles if the third register was not read. */
static struct intel_lbr_layout layout_of(bool info)
{
	struct intel_lbr_layout layout = intel_lbr.layout;

	if (layout.info && !info) {
		layout.mispredicted = false;
		layout.tsx = false;
		layout.cycles = false;
	}
	return layout;
}

/* An event that is not scheduled in has no counter, and no counts. */
static u8 counter_of(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE && event->hw.idx >= 0 ?
	       event->hw.idx : INTEL_LBR_NO_COUNTER;
}

/* The counters of the group's events that are counted for each branch. */
static unsigned int find_order(struct perf_event *leader, u8 *order)
{
	struct perf_event *sibling;
	unsigned int nr = 0;

	if (gives_counts(leader))
		order[nr++] = counter_of(leader);
	for_each_sibling_event(sibling, leader) {
		if (gives_counts(sibling) && nr < INTEL_LBR_NR_COUNTS)
			order[nr++] = counter_of(sibling);
	}
	return nr;
}

/* Counts of other events are not shown. */
static void sort_counts(struct lbr_sample *s, struct perf_event *event)
{
	u8 order[INTEL_LBR_NR_COUNTS];
	unsigned int i, nr = find_order(event->group_leader, order);

	for (i = 0; i < s->stack.nr; i++)
		s->counters[i] = intel_lbr_decode_counts(s->counters[i], order, nr);
}

/**
 * intel_lbr_sample_save() - give an event its branches
 * @event: event that has overflowed
 * @data: its sample
 *
 * Context: NMI, after intel_lbr_sample_read().
 */
void intel_lbr_sample_save(struct perf_event *event, struct perf_sample_data *data)
{
	struct lbr_sample *s = this_cpu_ptr(&lbr_sample);
	struct intel_lbr_layout layout = layout_of(s->info);
	u64 *counters = shows_counts(event) ? s->counters : NULL;
	unsigned int nr;

	nr = intel_lbr_decode(&layout, s->raw, s->nr, s->entries, counters);
	s->stack.nr = x86_branch_keep(event->hw.branch_reg.reg, s->entries, counters, nr);
	s->stack.hw_idx = s->tos;
	if (counters) {
		event->hw.branch_reg.alloc = true;
		sort_counts(s, event);
	}
	perf_sample_save_brstack(data, event, &s->stack, counters);
}

/* Inlined, since a call of a function would be recorded. */
static __always_inline void stop_at_once(void)
{
	u64 bits;

	if (intel_lbr.arch) {
		wrmsrl(MSR_ARCH_LBR_CTL, 0);
		return;
	}
	rdmsrl(MSR_IA32_DEBUGCTLMSR, bits);
	wrmsrl(MSR_IA32_DEBUGCTLMSR, bits & ~DEBUGCTLMSR_LBR);
}

/* Not inlined: its branches all come after the recorder was stopped. */
static noinline unsigned int read_stopped(struct intel_lbr_cpu *l,
					  struct perf_branch_entry *entries, unsigned int nr)
{
	struct intel_lbr_raw raw[INTEL_LBR_DEPTH];
	bool on = l->on;
	u64 tos;

	l->on = false;
	l->known = false;
	l->arch_known = false;
	if (!on)
		return 0;
	nr = min(nr, intel_lbr_read_all(raw, &tos, true));
	nr = intel_lbr_decode(&intel_lbr.layout, raw, nr, entries, NULL);
	intel_lbr_go_on(l);
	return nr;
}

/**
 * intel_lbr_sample_snapshot() - the branches before a call, for BPF
 * @entries: gets the branches, the youngest first
 * @nr: room there
 *
 * The recorder stops first, so that branches of this function do not replace
 * those before the call.
 *
 * Context: any.
 * Return: number of branches.
 */
int intel_lbr_sample_snapshot(struct perf_branch_entry *entries, unsigned int nr)
{
	unsigned long flags;

	local_irq_save(flags);
	stop_at_once();
	nr = read_stopped(this_cpu_ptr(&intel_lbr_cpu), entries, nr);
	local_irq_restore(flags);
	return nr;
}
