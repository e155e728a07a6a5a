// SPDX-License-Identifier: GPL-2.0
/*
 * Room "load": events that are scheduled in and out together.
 *
 * Purpose: schedule the events of a task in and out without looking for
 * counters. The counters of the last time are taken again. If the task comes
 * back to the same CPU, and nothing has changed its counters, not even the
 * images of the registers are compared.
 *
 * Owns: perf_event_set::driver; x86_cpu::loaded, which the room "fit" clears;
 * x86_regs::kept, which the room "regs" clears. It shares x86_cpu::events, at,
 * to, planned and nr with "fit", and on and used with "cpu".
 *
 * Contexts: the CPU itself, interrupts off. The PMU is enabled for the core,
 * and x86_cpu::enabled is false during a call.
 *
 * Other events of the CPU, such as that of the NMI watchdog, go on meanwhile.
 * Where there is a global control register, one write of it stops the counters
 * of a set, and one starts them. A PMI in between leaves all counters off, and
 * the end of the call starts them again.
 *
 * Where a set is: while x86_cpu::loaded has its number, its members are the
 * last of x86_cpu::events, in the order of the set, at the counters of
 * SET_COUNTERS. After any other change of x86_cpu::events its members are
 * unloaded one by one.
 *
 * Registers and counters that cores or threads share have to be claimed for
 * each event, and so has the recorder of branches. So a set is refused, and the
 * core adds its events one by one, if one of them records branches, needs a
 * shared register or a counter of the node, is precise, or counts slots or a
 * metric, or if the threads of the core share their counters (room "share").
 * The same holds on processors that need a warm-up, if counters have changed
 * since the set was unloaded.
 *
 * Locking: none.
 */
#include <linux/perf_event.h>
#include <linux/smp.h>
#include "cpu.h"
#include "fit.h"
#include "load.h"
#include "rdpmc.h"
#include "run.h"
#include "tsx.h"

/*
 * perf_event_set::driver: the counters that the members had when they were
 * unloaded, 0 if that is unknown; the CPU where this was.
 */
enum {
	SET_COUNTERS,
	SET_CPU,
};

/*
 * Events with more than one counter or with a bit in the masks of struct
 * x86_cpu: x86_run_take() has to start them.
 */
#define SPECIAL	(X86_EVENT_PAIR | X86_EVENT_GUEST_ONLY | X86_EVENT_HOST_ONLY)

/* Do the counters contain what the members left there? */
static bool is_kept(const struct x86_cpu *cpu, const struct perf_event_set *set)
{
	return cpu->regs.kept == set->serial && set->driver[SET_CPU] == smp_processor_id();
}

/*
 * May the event go on at its counter, which has kept its selector and its
 * value? @seen: the program that runs can read counters.
 */
static bool goes_on(const struct hw_perf_event *hw, bool seen)
{
	if ((hw->flags & (SPECIAL | X86_EVENT_COUNTS)) != X86_EVENT_COUNTS)
		return false;
	/* As in x86_count_may_carry(): it may have overflowed. */
	if (local64_read(&hw->prev_count) >= 0)
		return false;
	return !(hw->flags & X86_EVENT_BORROWED && seen);
}

/* At its end x86_load() marks all counters of the set as used and running. */
static void go_on(struct x86_cpu *cpu, struct perf_event *event)
{
	cpu->on[x86_slot(event->hw.idx)] = event;
	event->hw.state = 0;
}

static void start_anew(struct x86_cpu *cpu, struct perf_event *event)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	x86_run_take(cpu, event, event->hw.idx);
}

static void append(struct x86_cpu *cpu, struct perf_event *event)
{
	unsigned int i = cpu->nr++;

	cpu->events[i] = event;
	cpu->at[i] = event->hw.idx;
	cpu->to[i] = event->hw.idx;
}

static void take_all(struct x86_cpu *cpu, const struct perf_event_set *set, bool kept)
{
	bool seen = x86_rdpmc_task_may_read();
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		event = set->events[i];
		append(cpu, event);
		if (likely(kept && goes_on(&event->hw, seen)))
			go_on(cpu, event);
		else
			start_anew(cpu, event);
	}
}

/**
 * x86_load() - schedule a set of events in
 * @pmu: their PMU
 * @set: events of a task
 *
 * Context: this CPU, interrupts off, PMU enabled.
 * Return: 0; -ENOSPC if the events have to be added one by one: their counters
 * are not free or not known, or see the head of this file. Then nothing has
 * changed.
 */
int x86_load(struct pmu *pmu, struct perf_event_set *set)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 counters = set->driver[SET_COUNTERS];
	bool kept = is_kept(cpu, set), enabled;

	if (!counters || counters & cpu->planned || counters & ~x86_core_counters(cpu->core) ||
	    cpu->nr + set->nr > X86_MAX_EVENTS || cpu->share)
		return -ENOSPC;
	if (unlikely(!kept && x86_run_warms_up()))
		return -ENOSPC;
	enabled = x86_run_suspend(cpu, 0);
	cpu->planned |= counters;
	x86_tsx_take(cpu);
	take_all(cpu, set, kept);
	cpu->used |= counters;
	x86_regs_release(&cpu->regs, counters);
	x86_run_mark(counters);
	x86_tsx_give(cpu);
	cpu->loaded = set->serial;
	x86_run_resume(cpu, enabled);
	return 0;
}

/* The counters that the members have now. */
static u64 counters_at(const struct x86_cpu *cpu, const struct perf_event_set *set)
{
	u64 counters = 0;
	unsigned int i, at;

	for (i = 0; i < set->nr; i++) {
		at = x86_fit_find(cpu, set->events[i]);
		if (at < cpu->nr && cpu->at[at] >= 0)
			counters |= x86_event_bits(set->events[i], cpu->at[at]);
	}
	return counters;
}

/*
 * The counters of an event that was removed; 0 if x86_load() must not take them
 * without asking. @taken: counters of members that were removed before it.
 */
static u64 counters_of(const struct perf_event *event, u64 taken)
{
	u64 bits;

	if (event->hw.idx < 0 || event->hw.extra_reg.reg ||
	    event->hw.flags & (X86_EVENT_NODE | X86_EVENT_BRANCHES | X86_EVENT_PEBS |
			       X86_EVENT_SLOTS | X86_EVENT_METRIC))
		return 0;
	bits = x86_event_bits(event, event->hw.idx);
	return bits & taken ? 0 : bits;
}

static void unload_each(struct x86_cpu *cpu, struct perf_event_set *set)
{
	unsigned int i = set->nr;
	u64 counters = 0, bits;
	bool known = true;

	while (i--) {
		x86_run_del(set->events[i], 0);
		bits = counters_of(set->events[i], counters);
		known &= bits != 0;
		counters |= bits;
	}
	set->driver[SET_COUNTERS] = known ? counters : 0;
}

/* All members at once: no event was added or removed since x86_load(). */
static void unload_all(struct x86_cpu *cpu, struct perf_event_set *set)
{
	u64 counters = set->driver[SET_COUNTERS];
	unsigned int i;

	x86_run_unmark(counters);
	for (i = 0; i < set->nr; i++) {
		x86_run_finish(cpu, set->events[i]);
		cpu->on[x86_slot(set->events[i]->hw.idx)] = NULL;
	}
	cpu->used &= ~counters;
	cpu->guest_only &= ~counters;
	cpu->host_only &= ~counters;
	cpu->planned &= ~counters;
	cpu->nr -= set->nr;
	cpu->full = 0;
	cpu->loaded = 0;
}

/**
 * x86_unload() - schedule a set of events out
 * @pmu: their PMU
 * @set: events that are scheduled in on this CPU, by x86_load() or one by one
 *
 * Context: this CPU, interrupts off, PMU enabled.
 */
void x86_unload(struct pmu *pmu, struct perf_event_set *set)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	bool all = cpu->loaded == set->serial, enabled;

	enabled = x86_run_suspend(cpu, all ? set->driver[SET_COUNTERS] : counters_at(cpu, set));
	/* A late PMI that writes one of the counters takes this back. */
	cpu->regs.kept = set->serial;
	set->driver[SET_CPU] = smp_processor_id();
	if (likely(all))
		unload_all(cpu, set);
	else
		unload_each(cpu, set);
	x86_tsx_give(cpu);
	x86_run_resume(cpu, enabled);
}
