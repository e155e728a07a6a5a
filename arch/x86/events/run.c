// SPDX-License-Identifier: GPL-2.0
/*
 * Room "run": events on counters: start, stop, read.
 *
 * Purpose: carry out the plan of the room "fit", and move counts from counters
 * to events.
 *
 * Owns: x86_cpu::running, enabled, changed and at; hw.state, hw.idx,
 * hw.prev_count, hw.last_tag and hw.period_left of events that are scheduled
 * in. The room "load" writes at, hw.state and, by this room's functions, the
 * others.
 *
 * Contexts: the CPU itself with interrupts off. x86_run_update(),
 * x86_run_rearm(), x86_run_stop() and x86_run_start() also in the PMI.
 *
 * Counters stand still while the PMU is disabled, and in the PMI. Then
 * counters, selectors and plans may change. Afterwards x86_run_enable() or
 * x86_run_resume() lets them count again, with one write where there is a
 * global control register. x86_run_suspend() stops only some counters, for the
 * room "load": only these may change then.
 *
 * Values: a counter keeps its value when its event is scheduled out. If the
 * same event comes back, or another one that only counts, it goes on from there
 * without a write (x86_count_may_carry()). What user space can read with RDPMC
 * must not be another event's count, so events that may be read there start
 * from a value that was written for them.
 *
 * Locking: none.
 */
#include <linux/static_call.h>
#include <kunit/static_stub.h>
#include "audit.h"
#include "branch.h"
#include "config.h"
#include "cpu.h"
#include "extra.h"
#include "fit.h"
#include "rdpmc.h"
#include "run.h"
#include "tsx.h"
#include "rules/count.h"

/*
 * After counters were stopped, and before they are read: the interrupt of an
 * overflow may be late. Most processors need no wait.
 */
typedef void x86_run_wait_t(u64 stopped);
DEFINE_STATIC_CALL_NULL(x86_run_wait, x86_run_wait_t);

/**
 * x86_run_set_wait() - say how to wait for late interrupts
 * @wait: called with the counters that were stopped
 *
 * Context: boot.
 */
void __init x86_run_set_wait(void (*wait)(u64 stopped))
{
	static_call_update(x86_run_wait, wait);
}

/* Before counters get new events. Most processors need nothing. */
typedef void x86_run_warm_up_t(struct x86_cpu *cpu);
DEFINE_STATIC_CALL_NULL(x86_run_warm_up, x86_run_warm_up_t);

/**
 * x86_run_set_warm_up() - say what to do before counters get new events
 * @warm_up: called while all counters stand still
 *
 * Context: boot.
 */
void __init x86_run_set_warm_up(void (*warm_up)(struct x86_cpu *cpu))
{
	static_call_update(x86_run_warm_up, warm_up);
}

/**
 * x86_run_warms_up() - must all counters stand still before one gets a new
 * event?
 *
 * Context: any.
 * Return: true if x86_run_set_warm_up() was called.
 */
bool x86_run_warms_up(void)
{
	return static_call_query(x86_run_warm_up);
}

/* NULL if the vendor's driver has no precise events. */
static const struct x86_run_precise *precise __ro_after_init;

/**
 * x86_run_set_precise() - say what to do for precise events
 * @what: what the vendor's driver does
 *
 * Context: boot.
 */
void __init x86_run_set_precise(const struct x86_run_precise *what)
{
	precise = what;
}

/* NULL if no core has metrics. */
static const struct x86_run_metrics *metrics __ro_after_init;

/**
 * x86_run_set_metrics() - say what to do for events of metrics and slots
 * @what: what the vendor's driver does
 *
 * Context: boot.
 */
void __init x86_run_set_metrics(const struct x86_run_metrics *what)
{
	metrics = what;
}

/**
 * x86_run_open() - an event is opened
 * @event: the event, whose flags are complete
 *
 * Context: task.
 * Return: 0, or an errno if it is precise and has no memory for records.
 */
int x86_run_open(const struct perf_event *event)
{
	return event->hw.flags & X86_EVENT_PEBS ? precise->open() : 0;
}

/**
 * x86_run_close() - undo x86_run_open()
 * @event: the event
 *
 * Context: task.
 */
void x86_run_close(const struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_PEBS)
		precise->close();
}

/**
 * x86_run_mark() - let counters count when the PMU is enabled
 * @counters: their numbers, as a mask
 *
 * One instruction: a late PMI may stop another event. With words of 32 bits
 * there are two; an event has no counters in both halves.
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_run_mark(u64 counters)
{
#ifdef CONFIG_64BIT
	this_cpu_or(x86_cpu.running, counters);
#else
	this_cpu_or(*(u32 *)&x86_cpu.running, lower_32_bits(counters));
	this_cpu_or(*((u32 *)&x86_cpu.running + 1), upper_32_bits(counters));
#endif
}

/**
 * x86_run_unmark() - undo x86_run_mark()
 * @counters: as there
 *
 * Context: as there.
 */
void x86_run_unmark(u64 counters)
{
#ifdef CONFIG_64BIT
	this_cpu_and(x86_cpu.running, ~counters);
#else
	this_cpu_and(*(u32 *)&x86_cpu.running, ~lower_32_bits(counters));
	this_cpu_and(*((u32 *)&x86_cpu.running + 1), ~upper_32_bits(counters));
#endif
}

static bool on_counter(const struct x86_cpu *cpu, const struct perf_event *event)
{
	int counter = event->hw.idx;

	return counter >= 0 && cpu->used & BIT_ULL(counter) &&
	       cpu->on[x86_slot(counter)] == event;
}

/*
 * What user space computes from the value that RDPMC returns, and from the user
 * page: the highest bit is a sign. hw.prev_count has the same form, except for
 * the bits of tell_apart(), so that the user page is right whenever it is
 * updated.
 */
static s64 extended(u64 value)
{
	return sign_extend64(value, x86_pmc.width - 1);
}

/**
 * x86_run_update() - move what a counter has counted to its event
 * @event: event on a counter of this CPU
 *
 * A PMI in the middle may do the same; then the difference is taken again. The
 * exchange fails although the PMI may have set the counter to where it was, see
 * tell_apart().
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_run_update(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	s64 prev = local64_read(&hw->prev_count);
	u64 now, delta;

	do {
		rdpmcl(hw->event_base_rdpmc, now);
	} while (!local64_try_cmpxchg(&hw->prev_count, &prev, extended(now)));
	delta = x86_count_delta(x86_pmc.width, prev, now);
	local64_add(delta, &event->count);
	local64_sub(delta, &hw->period_left);
}

/* What few events need when their counter is set. */
#define RARE	(X86_EVENT_BORROWED | X86_EVENT_LIMITED | X86_EVENT_PAIR)

/*
 * Begin the next period if one has ended. @left: gets what the counter has to
 * count of it.
 */
static __always_inline bool begin_period(struct hw_perf_event *hw, u64 *left)
{
	struct x86_count_period period = {
		.length	= hw->sample_period,
		.left	= local64_read(&hw->period_left),
	};
	bool begun = x86_count_next_period(&period);

	if (begun) {
		local64_set(&hw->period_left, period.left);
		hw->last_period = period.last;
	}
	*left = x86_count_load(period.left, x86_pmc.max_period);
	return begun;
}

static __always_inline void load_left(struct x86_cpu *cpu, struct hw_perf_event *hw, u64 left)
{
	u64 value = x86_count_start(x86_pmc.width, left);

	local64_set(&hw->prev_count, extended(value));
	x86_regs_load(&cpu->regs, hw->idx, value);
}

static noinline bool load_rare_period(struct x86_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	bool begun;
	u64 left;

	/* hw.period_left belongs to the borrowed value, not to a period. */
	if (hw->flags & X86_EVENT_BORROWED)
		local64_set(&hw->period_left, hw->sample_period);
	begun = begin_period(hw, &left);
	if (hw->flags & X86_EVENT_LIMITED)
		left = x86_config_allowed_period(event, left);
	load_left(cpu, hw, left);
	/*
	 * The upper half of a pair extends the sign, PPR for family 17h,
	 * 2.1.15.2.
	 */
	if (hw->flags & X86_EVENT_PAIR)
		x86_regs_load(&cpu->regs, hw->idx + 1, 0xffff);
	if (hw->flags & X86_EVENT_BORROWED)
		hw->flags &= ~X86_EVENT_BORROWED;
	return begun;
}

/*
 * Begin the next period if one has ended, and set the counter for what is left.
 */
static bool load_period(struct x86_cpu *cpu, struct perf_event *event)
{
	bool begun;
	u64 left;

	if (unlikely(event->hw.flags & RARE))
		return load_rare_period(cpu, event);
	begun = begin_period(&event->hw, &left);
	load_left(cpu, &event->hw, left);
	return begun;
}

/*
 * Go on from the value in the counter, if that is allowed. An event that only
 * counts does not care where its counter begins.
 */
static bool continue_value(struct x86_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	struct x86_count_carry carry = {
		.event	= event->id,
		.width	= x86_pmc.width,
	};
	bool foreign;

	if (!(hw->flags & X86_EVENT_COUNTS) || hw->flags & X86_EVENT_PAIR ||
	    !x86_regs_held(&cpu->regs, hw->idx, &carry.value, &carry.owner))
		return false;
	/* Nor may a program see a value that the event has borrowed before. */
	foreign = carry.owner != event->id || hw->flags & X86_EVENT_BORROWED;
	if (foreign && x86_rdpmc_may_read(event))
		return false;
	if (!x86_count_may_carry(&carry))
		return false;
	if (foreign)
		hw->flags |= X86_EVENT_BORROWED;
	local64_set(&hw->prev_count, extended(carry.value));
	local64_set(&hw->period_left, x86_pmc.mask + 1 - carry.value);
	return true;
}

/*
 * The PMI may have interrupted x86_run_update() between the reading of the
 * counter and the exchange of hw.prev_count. If the counter starts again from
 * where it had started before, this exchange would succeed, and the period
 * would count twice. So the bits of hw.prev_count that the counter does not
 * have, except for the sign, have another number each time. Readers ignore
 * them.
 */
static void tell_apart(struct hw_perf_event *hw)
{
	u64 first = BIT_ULL(x86_pmc.width);
	u64 number = (hw->last_tag + first) & GENMASK_ULL(62, x86_pmc.width);

	hw->last_tag = number ?: first;
	local64_set(&hw->prev_count, local64_read(&hw->prev_count) ^ hw->last_tag);
}

/**
 * x86_run_rearm() - program the next period of an event
 * @cpu: this CPU
 * @event: event on a counter that stands still, up to date
 *
 * Context: NMI.
 * Return: true if a period has ended, false if the interrupt came too early.
 */
bool x86_run_rearm(struct x86_cpu *cpu, struct perf_event *event)
{
	bool ended = load_period(cpu, event);

	tell_apart(&event->hw);
	perf_event_update_userpage(event);
	return ended;
}

/*
 * A PMI in the middle may stop an event that overflows too often. Then the
 * registers are written again, so that they do not start it after all.
 */
static void run_counters(struct x86_cpu *cpu)
{
	do {
		x86_regs_run(&cpu->regs, x86_cpu_host(cpu));
	} while (unlikely(!cpu->regs.running_known || cpu->regs.running != x86_cpu_host(cpu)));
}

/**
 * x86_run_suspend() - stop some counters of this CPU, and let others go on
 * @cpu: this CPU
 * @counters: counters that stop, as a mask; may be 0
 *
 * A PMI of the others that comes before x86_run_resume() leaves all counters
 * off.
 *
 * Context: this CPU, interrupts off.
 * Return: for x86_run_resume(), which needs x86_run_unmark() for counters that
 * are to stay off.
 */
bool x86_run_suspend(struct x86_cpu *cpu, u64 counters)
{
	bool enabled = cpu->enabled;

	cpu->enabled = false;
	/*
	 * A PMI that comes now leaves the counters as they are after it: off.
	 */
	barrier();
	if (enabled && counters) {
		x86_regs_run(&cpu->regs, x86_cpu_host(cpu) & ~counters);
		static_call_cond(x86_run_wait)(cpu->running & counters);
	}
	return enabled;
}

/**
 * x86_run_resume() - let the counters count again
 * @cpu: this CPU
 * @enabled: what x86_run_suspend() has returned
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_run_resume(struct x86_cpu *cpu, bool enabled)
{
	cpu->enabled = enabled;
	/* A PMI that comes now finds the counters enabled, and enables them. */
	barrier();
	if (enabled)
		run_counters(cpu);
}

/* The counter stands still, and its event is up to date. */
static void hold_value(struct x86_cpu *cpu, const struct perf_event *event)
{
	u64 value = local64_read(&event->hw.prev_count) & x86_pmc.mask;

	x86_regs_hold(&cpu->regs, event->hw.idx, value, event->id);
}

/* Until the counter stands still, an interrupt must find an event that runs. */
static void stop_counter(struct x86_cpu *cpu, struct perf_event *event)
{
	u64 bits = x86_event_bits(event, event->hw.idx);
	bool enabled = x86_run_suspend(cpu, bits);

	x86_run_unmark(bits);
	event->hw.state |= PERF_HES_STOPPED;
	x86_run_resume(cpu, enabled);
}

/**
 * x86_run_update_precise() - bring the count of a precise event up to date
 * @event: event whose counter the processor loads again, so that the difference
 *	alone is not the count
 *
 * Tests replace this function.
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_run_update_precise(struct perf_event *event)
{
	KUNIT_STATIC_STUB_REDIRECT(x86_run_update_precise, event);
	precise->update(this_cpu_ptr(&x86_cpu), event);
}

static void update_special(struct x86_cpu *cpu, struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_RELOAD)
		x86_run_update_precise(event);
	else
		metrics->update(cpu);
}

/* Slots are counted together with their metrics. */
static void bring_up_to_date(struct perf_event *event)
{
	if (unlikely(event->hw.flags & (X86_EVENT_RELOAD | X86_EVENT_SLOTS)))
		update_special(this_cpu_ptr(&x86_cpu), event);
	else
		x86_run_update(event);
}

/**
 * x86_run_stop() - stop an event
 * @event: event that is scheduled in on this CPU
 * @flags: PERF_EF_UPDATE: bring its count up to date
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_run_stop(struct perf_event *event, int flags)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	struct hw_perf_event *hw = &event->hw;

	if (!on_counter(cpu, event)) {
		if (hw->flags & X86_EVENT_METRIC)
			metrics->stop(cpu, event);
		return;
	}
	if (cpu->running & BIT_ULL(hw->idx))
		stop_counter(cpu, event);
	if (flags & PERF_EF_UPDATE && !(hw->state & PERF_HES_UPTODATE)) {
		bring_up_to_date(event);
		hw->state |= PERF_HES_UPTODATE;
		/* As in x86_run_finish(). */
		barrier();
		hold_value(cpu, event);
	}
}

static void load_value(struct x86_cpu *cpu, struct perf_event *event)
{
	if (unlikely(event->hw.flags & X86_EVENT_SLOTS))
		metrics->begin(cpu, event);
	else
		load_period(cpu, event);
}

static void set_counter(struct x86_cpu *cpu, struct perf_event *event)
{
	if (!continue_value(cpu, event))
		load_value(cpu, event);
}

/* Prepare pairs and precise events before their counter runs. */
static void prepare_special(struct x86_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (hw->flags & X86_EVENT_PAIR)
		x86_regs_select(&cpu->regs, hw->idx + 1, X86_PAIR_CONFIG);
	if (hw->flags & X86_EVENT_PEBS)
		precise->start(cpu, event);
}

/* Select the event, and let its counter run when the PMU is enabled. */
static void let_run(struct x86_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	u64 bits = x86_event_bits(event, hw->idx);

	hw->state = 0;
	if (hw->extra_reg.reg)
		x86_extra_write(cpu->extra, event);
	x86_regs_select(&cpu->regs, hw->idx, hw->config & ~cpu->masked);
	if (hw->flags & (X86_EVENT_PAIR | X86_EVENT_PEBS))
		prepare_special(cpu, event);
	x86_regs_release(&cpu->regs, bits);
	x86_run_mark(bits);
	perf_event_update_userpage(event);
}

/**
 * x86_run_start() - start an event that is stopped
 * @event: event that is scheduled in on this CPU
 * @flags: PERF_EF_RELOAD: program its period
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_run_start(struct perf_event *event, int flags)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)) || !on_counter(cpu, event)) {
		if (event->hw.flags & X86_EVENT_METRIC)
			metrics->start(cpu, event);
		return;
	}
	if (flags & PERF_EF_RELOAD) {
		WARN_ON_ONCE(!(event->hw.state & PERF_HES_UPTODATE));
		set_counter(cpu, event);
	}
	let_run(cpu, event);
	if (cpu->enabled)
		run_counters(cpu);
}

/**
 * x86_run_hide() - let the user page say that an event has no counter
 * @event: stopped event on a counter
 *
 * The next update of the page fills in its clock anew: it may have changed in a
 * suspend. Tests replace this function.
 *
 * Context: this CPU, interrupts off.
 */
void x86_run_hide(struct perf_event *event)
{
	KUNIT_STATIC_STUB_REDIRECT(x86_run_hide, event);
	perf_event_update_userpage(event);
}

/**
 * x86_run_reload() - give a counter back to its event, after something else had
 * it
 * @cpu: this CPU
 * @event: event on a counter, up to date, and not marked as running
 * @run: it is to run, and not only to keep its counter
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
void x86_run_reload(struct x86_cpu *cpu, struct perf_event *event, bool run)
{
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	/* Meanwhile a late PMI leaves the counter alone. */
	barrier();
	x86_run_hide(event);
	load_value(cpu, event);
	barrier();
	if (run)
		let_run(cpu, event);
}

/**
 * x86_run_rebase() - give an event a counter value of its own
 * @event: event that runs on this CPU, perhaps from another event's value
 *
 * Context: this CPU, interrupts off, PMU disabled.
 */
void x86_run_rebase(struct perf_event *event)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (!on_counter(cpu, event) || event->hw.state & PERF_HES_STOPPED)
		return;
	x86_run_unmark(x86_event_bits(event, event->hw.idx));
	x86_run_update(event);
	x86_run_reload(cpu, event, true);
}

/**
 * x86_run_read() - bring the count of an event up to date
 * @event: event that is scheduled in on this CPU
 *
 * A reading of slots or of a metric sets the counter of slots and the metrics
 * to 0.
 *
 * Context: this CPU, interrupts off or NMI.
 */
void x86_run_read(struct perf_event *event)
{
	/* It may be scheduled in and have no counter yet. */
	if (event->hw.state & PERF_HES_UPTODATE)
		return;
	if (unlikely(event->hw.flags & (X86_EVENT_SLOTS | X86_EVENT_METRIC)))
		metrics->read(this_cpu_ptr(&x86_cpu), event);
	else
		bring_up_to_date(event);
}

/**
 * x86_run_add() - schedule an event in
 * @event: event to add
 * @flags: PERF_EF_START: it is to count when the PMU is enabled
 *
 * Context: this CPU, interrupts off, PMU disabled.
 * Return: 0; -ENOSPC if there are too many events, none of the counters is left
 * for it, or its metric has another event; -EBUSY if a register that it shares
 * has another value, or the recorder of branches is in use in another way.
 */
int x86_run_add(struct perf_event *event, int flags)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	bool lent = event->hw.flags & X86_EVENT_LENT;
	int err;

	if (unlikely(event->hw.flags & X86_EVENT_METRIC))
		return metrics->add(cpu, event, flags);
	err = lent ? x86_branch_get(cpu, event) : x86_fit_add(cpu, event);
	if (err)
		return err;
	event->hw.state = PERF_HES_UPTODATE | PERF_HES_STOPPED;
	if (!(flags & PERF_EF_START))
		event->hw.state |= PERF_HES_ARCH;
	return 0;
}

/**
 * x86_run_finish() - read a counter for the last time
 * @cpu: this CPU
 * @event: event on a counter that stands still and is not marked as running
 *
 * Context: this CPU, interrupts off, x86_cpu::enabled false.
 */
void x86_run_finish(struct x86_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	bool read = !(hw->state & PERF_HES_UPTODATE);

	if (read)
		bring_up_to_date(event);
	hw->state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	/* From here on a late PMI leaves the counter alone. */
	barrier();
	if (read)
		hold_value(cpu, event);
}

static void leave_special(struct x86_cpu *cpu, struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_PEBS)
		precise->leave(cpu, event);
	else
		metrics->leave(cpu, event);
}

/* Take the event from its counter; what it counted is in its count. */
static void leave_counter(struct x86_cpu *cpu, struct perf_event *event)
{
	unsigned int counter = event->hw.idx;

	x86_run_unmark(x86_event_bits(event, counter));
	if (unlikely(event->hw.flags & (X86_EVENT_PEBS | X86_EVENT_SLOTS)))
		leave_special(cpu, event);
	x86_run_finish(cpu, event);
	x86_cpu_detach(cpu, counter);
}

/**
 * x86_run_del() - schedule an event out
 * @event: event that is scheduled in
 * @flags: unused
 *
 * Within a transaction the cancel forgets all of its events that have counters.
 *
 * Context: this CPU, interrupts off, x86_cpu::enabled false, and the counter of
 * the event stands still.
 */
void x86_run_del(struct perf_event *event, int flags)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	unsigned int i;

	if (unlikely(event->hw.flags & X86_EVENT_LENT)) {
		x86_branch_put(cpu, event);
		return;
	}
	if (unlikely(event->hw.flags & X86_EVENT_METRIC)) {
		metrics->del(cpu, event);
		return;
	}
	if (cpu->txn & PERF_PMU_TXN_ADD)
		return;
	i = x86_fit_find(cpu, event);
	if (WARN_ON_ONCE(i == cpu->nr))
		return;
	if (cpu->at[i] >= 0)
		leave_counter(cpu, event);
	x86_fit_del(cpu, i);
	perf_event_update_userpage(event);
}

/* Free the counters of events that are to have another one. */
static void leave_moved(struct x86_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < cpu->nr; i++) {
		if (cpu->at[i] < 0 || cpu->at[i] == cpu->to[i])
			continue;
		/* A stopped event stays stopped at its new counter. */
		if (cpu->events[i]->hw.state & PERF_HES_STOPPED)
			cpu->events[i]->hw.state |= PERF_HES_ARCH;
		leave_counter(cpu, cpu->events[i]);
		cpu->at[i] = -1;
	}
}

/**
 * x86_run_take() - let an event count on a counter
 * @cpu: this CPU
 * @event: stopped event without a counter
 * @counter: number of a counter that has no event and stands still
 *
 * Context: this CPU, interrupts off, x86_cpu::enabled false.
 */
void x86_run_take(struct x86_cpu *cpu, struct perf_event *event, unsigned int counter)
{
	struct hw_perf_event *hw = &event->hw;

	hw->idx = counter;
	hw->event_base_rdpmc = x86_pmc_rdpmc(counter);
	x86_cpu_attach(cpu, event, counter);
	if (hw->state & PERF_HES_ARCH)
		return;
	set_counter(cpu, event);
	let_run(cpu, event);
}

static void carry_out_plan(struct x86_cpu *cpu)
{
	unsigned int i;

	leave_moved(cpu);
	static_call_cond(x86_run_warm_up)(cpu);
	for (i = 0; i < cpu->nr; i++) {
		if (cpu->at[i] >= 0)
			continue;
		cpu->at[i] = cpu->to[i];
		x86_run_take(cpu, cpu->events[i], cpu->to[i]);
	}
	cpu->changed = false;
}

/**
 * x86_run_enable() - let the counters of this CPU count
 * @pmu: unused; a CPU has one of the x86 PMUs
 *
 * Context: this CPU, interrupts off.
 */
void x86_run_enable(struct pmu *pmu)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (cpu->enabled)
		return;
	if (cpu->changed) {
		x86_tsx_take(cpu);
		carry_out_plan(cpu);
	}
	x86_tsx_give(cpu);
	if (unlikely(cpu->branches))
		x86_branch_start(cpu);
	cpu->enabled = true;
	/*
	 * A PMI that comes now finds the counters enabled, and enables them
	 * again.
	 */
	barrier();
	run_counters(cpu);
}

/**
 * x86_run_disable() - stop all counters of this CPU
 * @pmu: unused; a CPU has one of the x86 PMUs
 *
 * Context: this CPU, interrupts off.
 */
void x86_run_disable(struct pmu *pmu)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (!cpu->enabled)
		return;
	cpu->enabled = false;
	/*
	 * A PMI that comes now leaves the counters as they are after it: off.
	 */
	barrier();
	x86_regs_run(&cpu->regs, 0);
	if (unlikely(cpu->branches))
		x86_branch_stop(cpu);
	static_call_cond(x86_run_wait)(cpu->running);
	x86_audit(&cpu->regs, cpu->guests);
}

/**
 * x86_run_reprogram() - write all selectors again, after cpu->masked has
 * changed
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off.
 */
void x86_run_reprogram(struct x86_cpu *cpu)
{
	unsigned int i;

	perf_pmu_disable(&cpu->core->pmu);
	cpu->regs.kept = 0;
	for (i = 0; i < cpu->nr; i++) {
		if (on_counter(cpu, cpu->events[i]))
			x86_regs_select(&cpu->regs, cpu->events[i]->hw.idx,
					cpu->events[i]->hw.config & ~cpu->masked);
	}
	perf_pmu_enable(&cpu->core->pmu);
}

/**
 * x86_run_pause() - stop all counters in the interrupt
 * @cpu: this CPU
 *
 * Context: NMI.
 * Return: for x86_run_unpause().
 */
bool x86_run_pause(struct x86_cpu *cpu)
{
	bool enabled = cpu->enabled;

	cpu->enabled = false;
	/* The entry to a guest, or its exit, may have written the register. */
	if (unlikely(cpu->guests))
		cpu->regs.running_known = false;
	x86_regs_run(&cpu->regs, 0);
	return enabled;
}

/**
 * x86_run_unpause() - let the counters count again at the end of the interrupt
 * @cpu: this CPU
 * @enabled: what x86_run_pause() has returned
 *
 * A guest may be about to be entered, with values from before the interrupt.
 * Its exit brings them back, so the next call of x86_regs_run() must write.
 *
 * Context: NMI.
 */
void x86_run_unpause(struct x86_cpu *cpu, bool enabled)
{
	x86_run_resume(cpu, enabled);
	if (unlikely(cpu->guests))
		cpu->regs.running_known = false;
}

/**
 * x86_run_restore() - program the counters after the CPU has lost its registers
 * @cpu: this CPU
 *
 * Counts since the last reading are lost.
 *
 * Context: this CPU, interrupts off, when the machine resumes.
 */
void x86_run_restore(struct x86_cpu *cpu)
{
	bool enabled = cpu->enabled;
	u64 running = cpu->running;
	struct perf_event *event;
	unsigned int i;

	cpu->enabled = false;
	/* A PMI that comes now leaves the counters off. */
	barrier();
	x86_run_unmark(running);
	x86_tsx_restart(cpu);
	x86_regs_reset(&cpu->regs, &x86_pmc, cpu->core->facts.counters & ~cpu->core->lent);
	if (cpu->extra)
		x86_extra_forget(cpu->extra);
	x86_branch_forget(cpu);
	if (precise)
		precise->restore();
	for (i = 0; i < cpu->nr; i++) {
		event = cpu->events[i];
		if (on_counter(cpu, event))
			x86_run_reload(cpu, event, running & BIT_ULL(event->hw.idx));
	}
	if (enabled && cpu->branches)
		x86_branch_start(cpu);
	x86_run_resume(cpu, enabled);
}

/**
 * x86_run_begin_txn() - begin to add a group, or to read one
 * @pmu: unused
 * @flags: PERF_PMU_TXN_ADD or PERF_PMU_TXN_READ
 *
 * Context: this CPU, interrupts off.
 */
void x86_run_begin_txn(struct pmu *pmu, unsigned int flags)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	WARN_ON_ONCE(cpu->txn);
	cpu->txn = flags;
	cpu->nr_txn = 0;
	if (flags & PERF_PMU_TXN_ADD)
		perf_pmu_disable(pmu);
}

/**
 * x86_run_commit_txn() - end a transaction
 * @pmu: as for x86_run_begin_txn()
 *
 * Context: this CPU, interrupts off.
 * Return: 0, or -ENOSPC if the events cannot count together; the core cancels
 * the transaction then.
 */
int x86_run_commit_txn(struct pmu *pmu)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	int err;

	if (cpu->txn & PERF_PMU_TXN_ADD) {
		err = x86_fit_commit(cpu);
		if (err)
			return err;
		perf_pmu_enable(pmu);
	}
	cpu->txn = 0;
	return 0;
}

/**
 * x86_run_cancel_txn() - undo what a transaction added
 * @pmu: as for x86_run_begin_txn()
 *
 * Context: this CPU, interrupts off.
 */
void x86_run_cancel_txn(struct pmu *pmu)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (cpu->txn & PERF_PMU_TXN_ADD) {
		x86_fit_cancel(cpu);
		perf_pmu_enable(pmu);
	}
	cpu->txn = 0;
}
