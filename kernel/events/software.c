// SPDX-License-Identifier: GPL-2.0
/*
 * Room "software": PERF_TYPE_SOFTWARE counters, and counting in software.
 *
 * Owns the list of active software events of each CPU and number, the static
 * keys perf_swevent_enabled[] that disable the call sites while there are no
 * events, and the arithmetic of periods for every PMU whose counter is
 * event->count itself: software, tracepoints and probes, breakpoints.
 *
 * Contexts: the kernel reports software events from task, softirq, hardirq and
 * NMI, with preemption off. An event's own add, del, start and stop run on its
 * CPU with interrupts off.
 *
 * Lifetime rules: lists are static data of each CPU, so hotplug has nothing to
 * allocate or to free; they are empty while the CPU is offline because its
 * events are scheduled out. An event leaves its list before it leaves its
 * context, and is freed a grace period later. A static key counts the opened
 * events of its number, but no inherited events, since these keep their eldest.
 * It has one additional user from the first event until at most one second
 * after the last.
 *
 * Locking rules: a list changes on its own CPU with interrupts off, and is
 * walked under RCU on the same CPU. NMI may interrupt a change: it sees the
 * list with the event or without it. During a walk events may leave the list
 * but none is added: see remote.c.
 *
 * Race: removal against a report that runs with interrupts on.
 *	CPU 0 (task)			CPU 1
 *	finds the event in the list
 *	event->count += nr
 *					close(): IPI to CPU 0
 *	IPI: event scheduled out, DEAD
 *					frees program, buffer, file
 *	interrupts off
 *	state is not ACTIVE: no overflow
 */

#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/jump_label.h>
#include <linux/math64.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "context.h"
#include "live.h"
#include "overflow.h"
#include "pmu.h"
#include "random_draw.h"
#include "recursion.h"
#include "refuse.h"
#include "software.h"
#include "walk.h"

struct perf_swevent_lists {
	struct hlist_head	of[PERF_COUNT_SW_MAX];
};

static DEFINE_PER_CPU(struct perf_swevent_lists, perf_swevent_lists);

struct static_key perf_swevent_enabled[PERF_COUNT_SW_MAX];

/* Numbers whose key has one user more than there are events. */
static unsigned long perf_swevent_kept;

/* One set of registers for each level at which a CPU can be interrupted. */
DEFINE_PER_CPU(struct pt_regs, __perf_regs[4]);

#define TO(s)	BIT(PERF_COUNTER_##s)

/* A counter that is stopped and saved is not stopped again before it counts. */
static const struct perf_state_row perf_counter_states[] = {
	[PERF_COUNTER_COUNTS] = {
		.name	= "counts",
		.to	= TO(STOPPED) | TO(SAVED),
	},
	[PERF_COUNTER_STOPPED] = {
		.name	= "stopped",
		.to	= TO(COUNTS) | TO(SAVED),
	},
	[PERF_COUNTER_SAVED] = {
		.name	= "saved",
		.to	= TO(COUNTS),
	},
};

struct perf_state_table perf_counter_state_table = {
	.of	= "counter",
	.rows	= perf_counter_states,
	.nr	= ARRAY_SIZE(perf_counter_states),
};

/*
 * Recursion
 */

/**
 * perf_swevent_get_recursion_context() - enter the current task's event code
 *
 * Context: any, preemption off.
 * Return: a level for perf_swevent_put_recursion_context(); negative when this
 * level has entered it already and the event must be dropped.
 */
int perf_swevent_get_recursion_context(void)
{
	return perf_recursion_get(current->perf_recursion);
}
EXPORT_SYMBOL_GPL(perf_swevent_get_recursion_context);

/**
 * perf_swevent_put_recursion_context() - leave the current task's event code
 * @rctx: what perf_swevent_get_recursion_context() returned, not negative
 *
 * Context: as when it was entered.
 */
void perf_swevent_put_recursion_context(int rctx)
{
	perf_recursion_put(current->perf_recursion, rctx);
}

/*
 * Periods
 *
 * hw.period_left counts up from minus the period; the period ends when it is
 * no longer negative.
 */

/* Begins the first random period, if the event has not begun it yet. */
static void perf_swevent_begin_random(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!hwc->random_fresh)
		return;
	hwc->random_fresh = false;
	local64_set(&hwc->period_left, -(s64)perf_random_length(event));
}

/**
 * perf_swevent_set_period() - begin the next period
 * @event: a sampling event that is counted in software
 *
 * Moves hw.period_left back below zero by whole periods. Random periods end
 * elsewhere: here only the first of them begins.
 *
 * Context: any; on @event's CPU, or while it is active nowhere.
 * Return: the number of periods that have ended; 0 when this one has not.
 */
u64 perf_swevent_set_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	u64 length = READ_ONCE(hwc->last_period);
	u64 ended;

	if (unlikely(perf_random_is_on(event))) {
		perf_swevent_begin_random(event);
		return 0;
	}
	WRITE_ONCE(hwc->last_period, hwc->sample_period);
	do {
		if (left < 0)
			return 0;
		ended = div64_u64(length + left, length);
	} while (!local64_try_cmpxchg(&hwc->period_left, &left,
				      (u64)left - ended * length));

	return ended;
}

/* The first of several overflows is never throttled, whatever the rate. */
static void perf_swevent_overflow(struct perf_event *event, u64 times,
				  struct perf_sample_data *data,
				  struct pt_regs *regs)
{
	bool throttle = false;

	if (perf_event_is_throttled(event))
		return;

	while (times--) {
		if (perf_overflow_emit_nmi(event, data, regs, throttle))
			break;
		throttle = true;
	}
}

/*
 * Random periods: each that has ended yields a sample with its own length. If
 * the event must stop, the remaining periods are dropped.
 *
 * Out of line: it needs registers, which events with fixed periods need not
 * save.
 */
static noinline void perf_swevent_advance_random(struct perf_event *event,
						 u64 nr,
						 struct perf_sample_data *data,
						 struct pt_regs *regs)
{
	struct hw_perf_event *hwc = &event->hw;
	bool stop = perf_event_is_throttled(event);
	bool throttle = false;
	s64 left;

	perf_swevent_begin_random(event);
	if (local64_add_negative(nr, &hwc->period_left))
		return;
	do {
		data->period = perf_random_next(event);
		left = local64_sub_return(perf_random_length(event),
					  &hwc->period_left);
		if (!stop)
			stop = perf_overflow_emit_nmi(event, data, regs,
						      throttle);
		throttle = true;
	} while (left >= 0 && !stop);
	if (left >= 0)
		local64_set(&hwc->period_left,
			    -(s64)perf_random_length(event));
}

/*
 * With PERF_SAMPLE_PERIOD and a fixed period, each occurrence is one sample
 * whose period is the weight of the occurrence, @nr.
 */
static __always_inline void perf_swevent_advance(struct perf_event *event,
						 u64 nr,
						 struct perf_sample_data *data,
						 struct pt_regs *regs)
{
	struct hw_perf_event *hwc = &event->hw;
	bool fixed = !event->attr.freq;
	u64 times = 1;

	lockdep_assert_irqs_disabled();

	if (unlikely(perf_random_is_on(event))) {
		perf_swevent_advance_random(event, nr, data, regs);
		return;
	}
	if (fixed && (event->attr.sample_type & PERF_SAMPLE_PERIOD)) {
		data->period = nr;
	} else {
		data->period = READ_ONCE(hwc->last_period);
		if (!fixed || nr != 1 || hwc->sample_period != 1) {
			if (local64_add_negative(nr, &hwc->period_left))
				return;
			times = perf_swevent_set_period(event);
		}
	}

	perf_swevent_overflow(event, times, data, regs);
}

/**
 * perf_swevent_event() - count in software, and sample when the period ends
 * @event: the event
 * @nr: the weight of the occurrence, added to the count
 * @data: initialised; the period is filled in here
 * @regs: registers of the code that is charged; %NULL: count only
 *
 * Context: any, NMI included, preemption off, in the task or on the CPU that
 * @event counts.
 */
void perf_swevent_event(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs)
{
	unsigned long flags;

	lockdep_assert_preemption_disabled();

	local64_add(nr, &event->count);
	if (!regs || !is_sampling_event(event))
		return;

	local_irq_save(flags);
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		perf_swevent_advance(event, nr, data, regs);
	local_irq_restore(flags);
}

/**
 * perf_swevent_parked_locked() - count for an event whose task does not run
 * here
 * @event: an enabled event of a task, inactive or active on this CPU
 * @nr: the weight of the occurrence, added to the count
 * @data: initialised; the period is filled in here. %NULL to take no sample,
 *	which would show the current task, another one
 * @regs: registers of the code that is charged
 *
 * Context: any but NMI, interrupts off, ctx->lock of @event held. A buffer is
 * written by one CPU: with @data, @event must be bound to this one.
 */
void perf_swevent_parked_locked(struct perf_event *event, u64 nr,
				struct perf_sample_data *data,
				struct pt_regs *regs)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);

	local64_add(nr, &event->count);
	if (data && is_sampling_event(event))
		perf_swevent_advance(event, nr, data, regs);
}

/**
 * perf_swevent_exclude() - check whether an event must not count an occurrence
 * @event: an event that is counted in software
 * @regs: registers of the code that is charged, or %NULL when unknown
 *
 * Context: any.
 * Return: true when @event is stopped or excludes the mode of @regs.
 */
bool perf_swevent_exclude(const struct perf_event *event, struct pt_regs *regs)
{
	/* The tick of this CPU may stop or start the event meanwhile. */
	if (READ_ONCE(event->hw.state) & PERF_HES_STOPPED)
		return true;
	if (!regs)
		return false;
	if (user_mode(regs)) {
		if (unlikely(event->attr.exclude_user))
			return true;
	} else if (unlikely(event->attr.exclude_kernel)) {
		return true;
	}
	return false;
}

/*
 * Reports
 */

/* Out of line: an event that only counts needs no stack for a sample. */
static noinline void perf_swevent_sample(struct perf_event *event, u64 nr,
					 struct pt_regs *regs, u64 addr)
{
	/* perf_sample_data_init() marks which fields are valid. */
	struct perf_sample_data data __uninitialized;

	perf_sample_data_init(&data, addr, 0);
	perf_swevent_event(event, nr, &data, regs);
}

/* Called in a walk, or with interrupts off. */
static __always_inline void perf_swevent_tell(u32 event_id, u64 nr,
					      struct pt_regs *regs, u64 addr)
{
	struct perf_event *event;
	struct hlist_head *list;

	if (WARN_ON_ONCE(!regs))
		return;

	guard(rcu)();
	list = &this_cpu_ptr(&perf_swevent_lists)->of[event_id];
	hlist_for_each_entry_rcu(event, list, hlist_entry) {
		if (perf_swevent_exclude(event, regs))
			continue;
		if (is_sampling_event(event))
			perf_swevent_sample(event, nr, regs, addr);
		else
			local64_add(nr, &event->count);
	}
}

/**
 * ___perf_sw_event() - report a software event, without recursion guard
 * @event_id: PERF_COUNT_SW_*
 * @nr: the weight of the occurrence
 * @regs: registers of the code that is charged
 * @addr: the address concerned, or 0
 *
 * Context: interrupts off, where reports cannot recurse (the scheduler).
 */
void ___perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	lockdep_assert_irqs_disabled();
	perf_swevent_tell(event_id, nr, regs, addr);
}

/**
 * __perf_sw_event() - report a software event
 * @event_id: PERF_COUNT_SW_*
 * @nr: the weight of the occurrence
 * @regs: registers of the code that is charged
 * @addr: the address concerned, or 0
 *
 * Call sites use perf_sw_event(), which costs nothing while no event counts.
 *
 * Context: any. A report from within a report of the same level is dropped.
 */
void __perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	int rctx;

	guard(preempt_notrace)();
	rctx = perf_swevent_get_recursion_context();
	if (likely(rctx >= 0)) {
		perf_walk_begin();
		perf_swevent_tell(event_id, nr, regs, addr);
		perf_swevent_put_recursion_context(rctx);
		/*
		 * Only after the walk: software events may count occurrences in
		 * deferred work.
		 */
		perf_walk_end();
	}
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
/**
 * perf_bp_event() - report a hit of a hardware breakpoint
 * @bp: its event; active on this CPU
 * @data: registers (struct pt_regs) of the access
 *
 * Context: debug exception, preemption off; 32-bit Arm enables interrupts.
 */
void perf_bp_event(struct perf_event *bp, void *data)
{
	struct pt_regs *regs = data;
	struct perf_sample_data sample __uninitialized;

	if (READ_ONCE(bp->hw.state) || perf_swevent_exclude(bp, regs))
		return;
	perf_sample_data_init(&sample, bp->attr.bp_addr, 0);
	perf_swevent_event(bp, 1, &sample, regs);
}
#endif

/*
 * The PMU
 */

/**
 * perf_swevent_start() - pmu::start of PMUs that count in software
 * @event: the event
 * @flags: PERF_EF_*
 *
 * Context: the event's CPU, interrupts off.
 */
void perf_swevent_start(struct perf_event *event, int flags)
{
	perf_counter_set_state(event, PERF_COUNTER_COUNTS);
}

/**
 * perf_swevent_stop() - pmu::stop of PMUs that count in software
 * @event: the event; it stays on its list but is skipped
 * @flags: PERF_EF_*
 *
 * Context: the event's CPU, interrupts off.
 */
void perf_swevent_stop(struct perf_event *event, int flags)
{
	perf_counter_set_state(event, PERF_COUNTER_STOPPED);
}

/**
 * perf_swevent_read() - pmu::read of PMUs that count in software
 * @event: the event; its count is always up to date
 *
 * Context: any.
 */
void perf_swevent_read(struct perf_event *event)
{
}

static void perf_software_begin(struct perf_event *event)
{
	if (!is_sampling_event(event))
		return;
	event->hw.last_period = event->hw.sample_period;
	perf_swevent_set_period(event);
}

static int perf_software_add(struct perf_event *event, int flags)
{
	struct perf_swevent_lists *lists = this_cpu_ptr(&perf_swevent_lists);

	lockdep_assert_irqs_disabled();

	perf_software_begin(event);
	perf_counter_set_state(event, flags & PERF_EF_START ?
			       PERF_COUNTER_COUNTS : PERF_COUNTER_STOPPED);

	hlist_add_head_rcu(&event->hlist_entry, &lists->of[event->attr.config]);
	perf_event_update_userpage(event);
	return 0;
}

static void perf_software_del(struct perf_event *event, int flags)
{
	lockdep_assert_irqs_disabled();

	hlist_del_rcu(&event->hlist_entry);
}

static int perf_software_load(struct pmu *pmu, struct perf_event_set *set)
{
	struct perf_swevent_lists *lists = this_cpu_ptr(&perf_swevent_lists);
	struct perf_event *event;

	lockdep_assert_irqs_disabled();
	for (unsigned int i = 0; i < set->nr; i++) {
		event = set->events[i];
		perf_software_begin(event);
		perf_counter_set_state(event, PERF_COUNTER_COUNTS);
		hlist_add_head_rcu(&event->hlist_entry,
				   &lists->of[event->attr.config]);
	}
	return 0;
}

static void perf_software_unload(struct pmu *pmu, struct perf_event_set *set)
{
	lockdep_assert_irqs_disabled();
	for (unsigned int i = 0; i < set->nr; i++)
		hlist_del_rcu(&set->events[i]->hlist_entry);
}

static void perf_swevent_key_off(struct work_struct *work)
{
	unsigned int id;

	for_each_set_bit(id, &perf_swevent_kept, PERF_COUNT_SW_MAX) {
		if (static_key_count(&perf_swevent_enabled[id]) == 1 &&
		    test_and_clear_bit(id, &perf_swevent_kept))
			static_key_slow_dec(&perf_swevent_enabled[id]);
	}
}

static DECLARE_DELAYED_WORK(perf_swevent_key_work, perf_swevent_key_off);

/*
 * A program that opens and closes one event after the other must not patch the
 * kernel each time. The additional user has no other purpose: an event that is
 * opened while that user is dropped has its own user already.
 *
 * A struct static_key_deferred cannot be used: it embeds its key, but the rest
 * of the kernel links against an array of plain keys.
 */
static void perf_swevent_key_get(u64 id)
{
	perf_live_add(PERF_LIVE_SW_USERS, 1);
	static_key_slow_inc(&perf_swevent_enabled[id]);
	if (!test_bit(id, &perf_swevent_kept) &&
	    !test_and_set_bit(id, &perf_swevent_kept))
		static_key_slow_inc(&perf_swevent_enabled[id]);
}

static void perf_swevent_key_put(u64 id)
{
	perf_live_add(PERF_LIVE_SW_USERS, -1);
	static_key_slow_dec(&perf_swevent_enabled[id]);
	if (static_key_count(&perf_swevent_enabled[id]) == 1)
		schedule_delayed_work(&perf_swevent_key_work, HZ);
}

static void perf_software_destroy(struct perf_event *event)
{
	perf_swevent_key_put(event->attr.config);
}

static int perf_software_event_init(struct perf_event *event)
{
	u64 config = event->attr.config;
	unsigned long id;

	if (event->attr.type != PERF_TYPE_SOFTWARE)
		return -ENOENT;
	if (has_branch_stack(event))
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD(sample_type),
				   PERF_SAMPLE_BRANCH_STACK,
				   PERF_REASON_NO_BRANCHES);
	if (config >= PERF_COUNT_SW_MAX)
		return perf_refuse(-ENOENT, PERF_FIELD(config), ~0ULL,
				   PERF_REASON_NO_EVENT);

	id = array_index_nospec((unsigned long)config, PERF_COUNT_SW_MAX);
	if (!event->parent) {
		perf_swevent_key_get(id);
		event->destroy = perf_software_destroy;
	}
	return 0;
}

static struct pmu perf_software = {
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_NMI,
	.event_init	= perf_software_event_init,
	.add		= perf_software_add,
	.del		= perf_software_del,
	.start		= perf_swevent_start,
	.stop		= perf_swevent_stop,
	.read		= perf_swevent_read,
	.load		= perf_software_load,
	.unload		= perf_software_unload,
};

/**
 * perf_software_init() - register the PMU "software"
 *
 * Context: boot, one CPU.
 */
void __init perf_software_init(void)
{
	perf_pmu_register(&perf_software, "software", PERF_TYPE_SOFTWARE);
}

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
#include "tests/software_kunit.c"
#endif
