// SPDX-License-Identifier: GPL-2.0
/*
 * Room "fit": counters for the events of a CPU.
 *
 * Purpose: decide whether a set of events can count together, and on which
 * counters. Registers are not touched: x86_cpu::to is a plan, which the room
 * "run" carries out when the PMU is enabled.
 *
 * Owns: x86_cpu::events, to, planned, full, nr, nr_txn. The room "load" writes
 * all of them but nr_txn as well.
 *
 * Contexts: the CPU itself, interrupts off, x86_cpu::enabled false.
 *
 * Places are remembered: an event asks first for the counter where it was last,
 * and then for a free one that has its selector already. If it gets one of
 * these, the plan for all others stays, and no search is made. Only otherwise
 * all events of the CPU are placed anew.
 *
 * Hundreds of events may wait for a few counters, and each is tried at a switch
 * with interrupts off. When the first one of them finds no counter, x86_cpu::full
 * says which counters stay taken, and the others are refused by it.
 *
 * Transactions: within one, an event without a place waits for the commit,
 * which places all of them or none. A plan is changed only when it is complete.
 */
#include "branch.h"
#include "extra.h"
#include "fit.h"
#include "node.h"
#include "rules/place.h"
#include "share.h"

/* Other cores may take counters of the node while this one looks for them. */
#define MOST_TRIES	4

/*
 * The counter where the event was last, if it is free and can count the event;
 * otherwise -1.
 */
static int remembered(const struct x86_cpu *cpu, const struct perf_event *event)
{
	int last = event->hw.idx;

	if (last < 0 || !(x86_event_counters(event) & x86_core_counters(cpu->core) & BIT_ULL(last)))
		return -1;
	return cpu->planned & x86_event_bits(event, last) ? -1 : last;
}

static u64 fitting(const struct x86_cpu *cpu, const struct perf_event *event, u64 counters)
{
	u64 fits = 0;
	unsigned int counter;

	while (counters) {
		counter = __ffs64(counters);
		counters &= counters - 1;
		if (x86_regs_fits(&cpu->regs, counter, event->hw.config & ~cpu->masked))
			fits |= BIT_ULL(counter);
	}
	return fits;
}

/*
 * A free counter that has the event's selector already, and is fixed if one of
 * the event's counters is: no search could find a better one. Otherwise -1.
 */
static int costless(const struct x86_cpu *cpu, const struct perf_event *event)
{
	u64 counters = x86_event_counters(event) & x86_core_counters(cpu->core) & X86_SLOTTED;
	u64 fits;

	if (event->hw.flags & X86_EVENT_PAIR)
		return -1;
	if (counters & X86_ALL_FIXED)
		counters &= X86_ALL_FIXED;
	fits = fitting(cpu, event, counters & ~cpu->planned);
	return fits ? __ffs64(fits) : -1;
}

static struct x86_seat seat_of(const struct x86_cpu *cpu, unsigned int i)
{
	const struct perf_event *event = cpu->events[i];
	u64 counters = x86_event_counters(event) & x86_core_counters(cpu->core) &
		       x86_share_free(cpu, event) & x86_node_free(cpu, event);

	return (struct x86_seat) {
		.counters = counters,
		.fits	= fitting(cpu, event, counters & X86_SLOTTED),
		.at	= cpu->at[i],
		.pair	= event->hw.flags & X86_EVENT_PAIR,
	};
}

/*
 * Find a counter for each event. The other thread of the core does not plan
 * meanwhile, but other cores of the node do: -EBUSY if one of them was faster.
 */
static int find_places(struct x86_cpu *cpu, struct x86_seat *seats)
{
	u64 bits, used = 0, alone = 0, node = 0;
	unsigned int i;

	for (i = 0; i < cpu->nr; i++)
		seats[i] = seat_of(cpu, i);
	if (x86_place(seats, cpu->nr, x86_core_counters(cpu->core)))
		return -ENOSPC;
	for (i = 0; i < cpu->nr; i++) {
		bits = x86_event_bits(cpu->events[i], seats[i].to);
		used |= bits;
		if (cpu->events[i]->hw.flags & X86_EVENT_ALONE)
			alone |= bits;
		if (x86_node_wants(cpu, cpu->events[i]))
			node |= bits;
	}
	if (x86_node_set(cpu, node))
		return -EBUSY;
	if (x86_share_set(cpu, used, alone))
		return -ENOSPC;
	cpu->planned = used;
	return 0;
}

/*
 * Place all events anew, while the other thread of the core does not plan.
 * Other cores of the node may be faster a few times.
 */
static int place_undisturbed(struct x86_cpu *cpu)
{
	struct x86_seat seats[X86_MAX_EVENTS];
	unsigned int i, tries = MOST_TRIES;
	int err;

	do {
		err = find_places(cpu, seats);
	} while (err == -EBUSY && --tries);
	for (i = 0; !err && i < cpu->nr; i++)
		cpu->to[i] = seats[i].to;
	return err ? -ENOSPC : 0;
}

/*
 * Place all events anew. The plan changes only if all of them have a counter.
 */
static int place_all(struct x86_cpu *cpu)
{
	int err;

	if (!cpu->share)
		return place_undisturbed(cpu);
	raw_spin_lock(&cpu->share->lock);
	err = place_undisturbed(cpu);
	raw_spin_unlock(&cpu->share->lock);
	return err;
}

static u64 usable(const struct x86_cpu *cpu, const struct perf_event *event)
{
	return x86_event_counters(event) & x86_core_counters(cpu->core);
}

/*
 * The last event found no counter. So each of its counters has an event, each
 * counter to which that event could move has one, and so forth. Pairs, and
 * counters that are shared with other threads or cores, may be the cause as
 * well; then nothing is known.
 *
 * Return: these counters, or 0.
 */
static u64 find_full(const struct x86_cpu *cpu)
{
	u64 full = usable(cpu, cpu->events[cpu->nr - 1]), before;
	unsigned int i;

	if (cpu->share || cpu->node || cpu->events[cpu->nr - 1]->hw.flags & X86_EVENT_PAIR)
		return 0;
	do {
		before = full;
		for (i = 0; i < cpu->nr - 1; i++) {
			if (cpu->to[i] < 0 || cpu->events[i]->hw.flags & X86_EVENT_PAIR)
				return 0;
			if (full & BIT_ULL(cpu->to[i]))
				full |= usable(cpu, cpu->events[i]);
		}
	} while (full != before);
	return full;
}

/*
 * Is the event known not to fit? A shared register may give it another code,
 * with other counters, so this is not known of an event that needs one.
 */
static bool is_hopeless(const struct x86_cpu *cpu, const struct perf_event *event)
{
	return !(x86_event_counters(event) & ~cpu->full) && !event->hw.extra_reg.reg;
}

/* Return: the counter planned for it, or -1. */
static int append(struct x86_cpu *cpu, struct perf_event *event)
{
	int counter = remembered(cpu, event);

	if (counter < 0)
		counter = costless(cpu, event);
	if (counter >= 0 && (!x86_share_get(cpu, event, counter) ||
			     !x86_node_get(cpu, event, counter)))
		counter = -1;
	if (counter >= 0)
		cpu->planned |= x86_event_bits(event, counter);
	cpu->at[cpu->nr] = -1;
	cpu->to[cpu->nr] = counter;
	cpu->events[cpu->nr++] = event;
	cpu->loaded = 0;
	cpu->changed = true;
	return counter;
}

/* Forget entry @i; the last one takes its place. */
static void forget(struct x86_cpu *cpu, unsigned int i)
{
	u64 bits;

	if (cpu->to[i] >= 0) {
		bits = x86_event_bits(cpu->events[i], cpu->to[i]);
		cpu->planned &= ~bits;
		x86_share_put(cpu, bits);
		x86_node_put(cpu, bits);
	}
	x86_extra_put(cpu->extra, cpu->events[i]);
	x86_branch_put(cpu, cpu->events[i]);
	cpu->loaded = 0;
	cpu->full = 0;
	cpu->nr--;
	cpu->events[i] = cpu->events[cpu->nr];
	cpu->at[i] = cpu->at[cpu->nr];
	cpu->to[i] = cpu->to[cpu->nr];
}

/* Not inlined: an event that is refused at once needs no registers saved. */
static noinline int add(struct x86_cpu *cpu, struct perf_event *event)
{
	int counter, err;
	u64 full;

	err = x86_extra_get(cpu->extra, event);
	if (err)
		return err;
	err = x86_branch_get(cpu, event);
	if (err) {
		x86_extra_put(cpu->extra, event);
		return err;
	}
	counter = append(cpu, event);
	if (cpu->txn & PERF_PMU_TXN_ADD) {
		cpu->nr_txn++;
		return 0;
	}
	if (counter >= 0)
		return 0;
	err = place_all(cpu);
	if (!err)
		return 0;
	full = find_full(cpu);
	forget(cpu, cpu->nr - 1);
	cpu->full = full;
	return err;
}

/**
 * x86_fit_add() - add an event to those of a CPU
 * @cpu: this CPU
 * @event: event that is scheduled in
 *
 * Context: this CPU, interrupts off, PMU disabled.
 * Return: 0; within a transaction the event may still lack a counter. -ENOSPC
 * if there are too many events, or none of the counters is left for it, -EBUSY
 * if a register that it shares has another value, or branches are recorded in
 * another way. Nothing has changed then.
 */
int x86_fit_add(struct x86_cpu *cpu, struct perf_event *event)
{
	if (is_hopeless(cpu, event) || cpu->nr == X86_MAX_EVENTS)
		return -ENOSPC;
	return add(cpu, event);
}

/**
 * x86_fit_commit() - place the events of a transaction
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off, PMU disabled.
 * Return: 0, or -ENOSPC if they cannot count together with the others; the
 * caller cancels the transaction then.
 */
int x86_fit_commit(struct x86_cpu *cpu)
{
	unsigned int i;

	for (i = cpu->nr - cpu->nr_txn; i < cpu->nr; i++) {
		if (cpu->to[i] < 0)
			return place_all(cpu);
	}
	return 0;
}

/**
 * x86_fit_cancel() - forget the events of a transaction
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off, PMU disabled; none of them has been on a
 * counter.
 */
void x86_fit_cancel(struct x86_cpu *cpu)
{
	for (; cpu->nr_txn; cpu->nr_txn--)
		forget(cpu, cpu->nr - 1);
}

/**
 * x86_fit_find() - find an event among those of a CPU
 * @cpu: this CPU
 * @event: event that is scheduled in
 *
 * Context: this CPU, interrupts off.
 * Return: its index in cpu->events, or cpu->nr if it is not there.
 */
unsigned int x86_fit_find(const struct x86_cpu *cpu, const struct perf_event *event)
{
	unsigned int i = 0;

	while (i < cpu->nr && cpu->events[i] != event)
		i++;
	return i;
}

/**
 * x86_fit_del() - remove an event from those of a CPU
 * @cpu: this CPU
 * @i: index of an event that is scheduled out, and has no counter any more
 *
 * Context: this CPU, interrupts off, x86_cpu::enabled false.
 */
void x86_fit_del(struct x86_cpu *cpu, unsigned int i)
{
	forget(cpu, i);
}
