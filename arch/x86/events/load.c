// SPDX-License-Identifier: GPL-2.0
/*
 * Room "load": events that are scheduled in and out together.
 *
 * Purpose: schedule the events of a task in and out without looking for
 * counters. The counters of the last time are taken again. If the task comes
 * back to the same CPU, and nobody has changed its counters, not even the
 * images of the registers are compared.
 *
 * Owns: perf_event_set::driver; x86_cpu::loaded; x86_regs::kept. With the room
 * "fit" it shares x86_cpu::events, at, to, planned and nr.
 *
 * Contexts: the CPU itself, interrupts off.
 *
 * Other events of the CPU, such as that of the NMI watchdog, go on meanwhile:
 * one write of the global control register stops the counters of a set, and one
 * starts them. A PMI in between leaves all counters off, and the end of the
 * operation starts them again.
 *
 * Where a set is: while x86_cpu::loaded has its number, its members are the
 * last of x86_cpu::events, in the order of the set, at the counters of
 * SET_COUNTERS. After any change of x86_cpu::events its members are handled one
 * by one.
 *
 * The core adds events one by one if one of them has to claim something: a
 * register that cores or threads share, or a counter of the node. It does so,
 * too, if the threads of the core must not use all counters side by side, and
 * on processors that need a warm-up, if others have changed the counters.
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

/* An event that needs more than a counter, and to start where it was. */
#define SPECIAL	(X86_EVENT_PAIR | X86_EVENT_GUEST_ONLY | X86_EVENT_HOST_ONLY)

/* Do the counters contain what the members left there? */
static bool is_kept(const struct x86_cpu *cpu, const struct perf_event_set *set)
{
	return cpu->regs.kept == set->serial && set->driver[SET_CPU] == smp_processor_id();
}

/* May it go on at its counter, which has kept its selector and its value? */
static bool goes_on(const struct hw_perf_event *hw, bool seen)
{
	if ((hw->flags & (SPECIAL | X86_EVENT_COUNTS)) != X86_EVENT_COUNTS)
		return false;
	/* As in x86_count_may_carry(): it may have overflowed. */
	if (local64_read(&hw->prev_count) >= 0)
		return false;
	return !(hw->flags & X86_EVENT_BORROWED && seen);
}

/* Counters of SET_COUNTERS are marked as used, and as running, at the end. */
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
 * Context: this CPU, interrupts off.
 * Return: 0; -ENOSPC if their counters are not free, or not known. Then nothing
 * has changed.
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

/* The counters of an event that was removed; 0 if it may not have them again. */
static u64 counters_of(const struct perf_event *event, u64 taken)
{
	u64 bits;

	if (event->hw.idx < 0 || event->hw.extra_reg.reg || event->hw.flags & X86_EVENT_NODE)
		return 0;
	bits = x86_event_bits(event, event->hw.idx);
	return bits & taken ? 0 : bits;
}

static void unload_each(struct x86_cpu *cpu, struct perf_event_set *set)
{
	unsigned int i = set->nr;
	u64 counters = 0, bits;
	bool known = true, enabled;

	enabled = x86_run_suspend(cpu, counters_at(cpu, set));
	while (i--) {
		x86_run_del(set->events[i], 0);
		bits = counters_of(set->events[i], counters);
		known &= bits != 0;
		counters |= bits;
	}
	set->driver[SET_COUNTERS] = known ? counters : 0;
	x86_run_resume(cpu, enabled);
}

/* All members at once: no other event was added or removed since. */
static void unload_all(struct x86_cpu *cpu, struct perf_event_set *set)
{
	u64 counters = set->driver[SET_COUNTERS];
	bool enabled = x86_run_suspend(cpu, counters);
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
	cpu->loaded = 0;
	x86_run_resume(cpu, enabled);
}

/**
 * x86_unload() - schedule a set of events out
 * @pmu: their PMU
 * @set: events that are scheduled in on this CPU
 *
 * Context: this CPU, interrupts off.
 */
void x86_unload(struct pmu *pmu, struct perf_event_set *set)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (likely(cpu->loaded == set->serial))
		unload_all(cpu, set);
	else
		unload_each(cpu, set);
	set->driver[SET_CPU] = smp_processor_id();
	cpu->regs.kept = set->serial;
}
