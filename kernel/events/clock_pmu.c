// SPDX-License-Identifier: GPL-2.0
/*
 * Room "clock_pmu": the cpu-clock and task-clock PMUs.
 *
 * Both count nanoseconds: cpu-clock by the CPU's clock, task-clock by the
 * context's clock, which runs only while the context is loaded. Both sample
 * with a timer. Users reach them as PERF_COUNT_SW_CPU_CLOCK and
 * PERF_COUNT_SW_TASK_CLOCK of PERF_TYPE_SOFTWARE.
 *
 * Owns hw.hrtimer, hw.prev_count (the clock when the count was last brought up
 * to date) and hw.period_left (the rest of the period when the event was
 * stopped; 0: a whole period) of its events.
 *
 * Contexts: add, del, start and stop run on the event's CPU with interrupts
 * off, and so does the timer, which is pinned there. Read may also run in NMI.
 *
 * Lifetime rules: stop cancels the timer, but cannot wait for a handler; the
 * destructor waits, in task context, before the event can be freed.
 *
 * Locking rules: none; interrupts are off. hw.state tells the handler and
 * readers whether the event is stopped.
 *
 * Race: the handler's own overflow stops the event, because its rate or limit
 * is reached or because its group is throttled.
 *	1. timer: handler, perf_event_overflow()
 *	2. stop: hrtimer_try_to_cancel() finds the handler running; waiting
 *	   would never end. hw.state becomes STOPPED.
 *	3. handler: sees STOPPED and does not arm the timer again.
 * If the event is started again between 2 and 3, the timer is queued, and the
 * handler leaves it alone.
 */

#include <linux/hrtimer.h>
#include <linux/sched.h>

#include <asm/irq_regs.h>

#include "clock.h"
#include "clock_pmu.h"
#include "hooks.h"
#include "overflow.h"
#include "pmu.h"
#include "random_draw.h"
#include "refuse.h"
#include "software.h"

/* Shorter periods would leave the CPU no time for anything but sampling. */
#define PERF_CLOCK_PERIOD_MIN	(10 * NSEC_PER_USEC)

static u64 perf_clock_pmu_now(const struct perf_event *event)
{
	u64 now = perf_clock();

	if (event->attr.config == PERF_COUNT_SW_TASK_CLOCK)
		return perf_ctx_clock_at(perf_event_ctx(event), now);
	return now;
}

/*
 * The time for an event that is being scheduled in or out. Its running time
 * begins and ends at the context's last clock update, and task-clock counts
 * exactly that time. The time from there until the driver is called is counted
 * by neither.
 */
static u64 perf_clock_pmu_switch_time(const struct perf_event *event)
{
	if (event->attr.config == PERF_COUNT_SW_TASK_CLOCK)
		return perf_event_ctx(event)->time;
	return perf_clock();
}

/* An NMI in between adds part of the difference itself; the sum stays right. */
static void perf_clock_pmu_update(struct perf_event *event, u64 now)
{
	now -= local64_xchg(&event->hw.prev_count, now);
	local64_add(now, &event->count);
}

/*
 * The timer
 */

/* Nanoseconds until the running period ends. */
static u64 perf_clock_pmu_period(const struct perf_event *event)
{
	return max_t(u64, event->hw.last_period, PERF_CLOCK_PERIOD_MIN);
}

/* Begins the next period. Return: the length of the one that has ended. */
static u64 perf_clock_pmu_turn(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 ended = hwc->last_period;

	if (unlikely(perf_random_is_on(event)))
		return max_t(u64, perf_random_next(event),
			     PERF_CLOCK_PERIOD_MIN);
	hwc->last_period = hwc->sample_period;
	return ended;
}

/*
 * The timer also waits for a rest that is shorter than the shortest period.
 * Otherwise a task that runs for less than that period would never be sampled.
 */
static void perf_clock_pmu_arm(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 wait = local64_xchg(&hwc->period_left, 0);

	/* The length of a random period is known before it begins. */
	if (!perf_random_is_on(event))
		hwc->last_period = hwc->sample_period;
	if (!wait)
		wait = perf_clock_pmu_period(event);
	else if (wait < 0)
		wait = PERF_CLOCK_PERIOD_MIN;

	hrtimer_start(&hwc->hrtimer, ns_to_ktime(wait),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void perf_clock_pmu_disarm(struct perf_event *event)
{
	struct hrtimer *timer = &event->hw.hrtimer;
	s64 rest = ktime_to_ns(hrtimer_get_remaining(timer));

	if (hrtimer_try_to_cancel(timer) > 0)
		local64_set(&event->hw.period_left, rest ?: -1);
}

/* Return: true when the event must stop. */
static bool perf_clock_pmu_sample(struct perf_event *event, u64 period)
{
	struct pt_regs *regs = get_irq_regs();
	struct perf_sample_data data __uninitialized;

	if (!regs || perf_swevent_exclude(event, regs))
		return false;
	if (event->attr.exclude_idle && is_idle_task(current))
		return false;

	perf_sample_data_init(&data, 0, period);
	return perf_overflow_emit_nmi(event, &data, regs, true);
}

static enum hrtimer_restart perf_clock_pmu_expire(struct hrtimer *timer)
{
	struct perf_event *event = container_of(timer, struct perf_event,
						hw.hrtimer);
	struct hw_perf_event *hwc = &event->hw;

	lockdep_assert_irqs_disabled();

	if (event->state != PERF_EVENT_STATE_ACTIVE ||
	    hwc->state & PERF_HES_STOPPED)
		return HRTIMER_NORESTART;

	perf_clock_pmu_update(event, perf_clock_pmu_now(event));
	if (perf_clock_pmu_sample(event, perf_clock_pmu_turn(event)))
		perf_counter_set_state(event, PERF_COUNTER_SAVED);
	if (hwc->state & PERF_HES_STOPPED || hrtimer_is_queued(timer))
		return HRTIMER_NORESTART;

	hrtimer_forward_now(timer, ns_to_ktime(perf_clock_pmu_period(event)));
	return HRTIMER_RESTART;
}

/*
 * The PMUs
 */

static void perf_clock_pmu_start_at(struct perf_event *event, u64 now)
{
	lockdep_assert_irqs_disabled();

	local64_set(&event->hw.prev_count, now);
	perf_counter_set_state(event, PERF_COUNTER_COUNTS);
	if (is_sampling_event(event))
		perf_clock_pmu_arm(event);
}

static void perf_clock_pmu_start(struct perf_event *event, int flags)
{
	perf_clock_pmu_start_at(event, perf_clock_pmu_now(event));
}

static void perf_clock_pmu_stop_at(struct perf_event *event, u64 now)
{
	lockdep_assert_irqs_disabled();

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	if (is_sampling_event(event))
		perf_clock_pmu_disarm(event);
	perf_clock_pmu_update(event, now);
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
}

static void perf_clock_pmu_stop(struct perf_event *event, int flags)
{
	perf_clock_pmu_stop_at(event, perf_clock_pmu_now(event));
}

static int perf_clock_pmu_add(struct perf_event *event, int flags)
{
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
	if (flags & PERF_EF_START)
		perf_clock_pmu_start_at(event,
					perf_clock_pmu_switch_time(event));
	perf_event_update_userpage(event);
	return 0;
}

static void perf_clock_pmu_del(struct perf_event *event, int flags)
{
	perf_clock_pmu_stop_at(event, perf_clock_pmu_switch_time(event));
}

/* Two functions, for speed: many clocks are read at once, interrupts off. */
static void perf_cpu_clock_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		perf_clock_pmu_update(event, perf_clock());
}

static void perf_task_clock_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		perf_clock_pmu_update(event,
				      perf_ctx_clock_at(perf_event_ctx(event),
							perf_clock()));
}

static void perf_clock_pmu_destroy(struct perf_event *event)
{
	hrtimer_cancel(&event->hw.hrtimer);
}

/* The rate of a clock is known: a frequency becomes a fixed period. */
static void perf_clock_pmu_fix_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 period;

	if (!event->attr.freq)
		return;

	period = div64_u64(NSEC_PER_SEC, event->attr.sample_freq);
	event->attr.freq = 0;
	event->attr.sample_period = period;
	hwc->sample_period = period;
	local64_set(&hwc->period_left, period);
}

static int perf_clock_pmu_event_init(struct perf_event *event, u64 config)
{
	struct hw_perf_event *hwc = &event->hw;

	if (event->attr.type != event->pmu->type ||
	    event->attr.config != config)
		return -ENOENT;
	if (has_branch_stack(event))
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD(sample_type),
				   PERF_SAMPLE_BRANCH_STACK,
				   PERF_REASON_NO_BRANCHES);
	/* An NMI may read the event before it is added for the first time. */
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
	if (!is_sampling_event(event))
		return 0;

	hrtimer_init(&hwc->hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hwc->hrtimer.function = perf_clock_pmu_expire;
	perf_clock_pmu_fix_period(event);
	event->destroy = perf_clock_pmu_destroy;
	return 0;
}

static int perf_cpu_clock_event_init(struct perf_event *event)
{
	return perf_clock_pmu_event_init(event, PERF_COUNT_SW_CPU_CLOCK);
}

static int perf_task_clock_event_init(struct perf_event *event)
{
	return perf_clock_pmu_event_init(event, PERF_COUNT_SW_TASK_CLOCK);
}

static struct pmu perf_cpu_clock = {
	.dev		= PMU_NULL_DEV,
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_NMI,
	.event_init	= perf_cpu_clock_event_init,
	.add		= perf_clock_pmu_add,
	.del		= perf_clock_pmu_del,
	.start		= perf_clock_pmu_start,
	.stop		= perf_clock_pmu_stop,
	.read		= perf_cpu_clock_read,
};

static struct pmu perf_task_clock = {
	.dev		= PMU_NULL_DEV,
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_NMI,
	.event_init	= perf_task_clock_event_init,
	.add		= perf_clock_pmu_add,
	.del		= perf_clock_pmu_del,
	.start		= perf_clock_pmu_start,
	.stop		= perf_clock_pmu_stop,
	.read		= perf_task_clock_read,
};

/**
 * perf_clock_pmu_times() - check whether an event is one of the two clocks
 * @event: event
 *
 * Context: any.
 * Return: true if a timer ends its periods.
 */
bool perf_clock_pmu_times(const struct perf_event *event)
{
	return event->pmu == &perf_cpu_clock || event->pmu == &perf_task_clock;
}

static void __init perf_clock_pmu_register(struct pmu *pmu, const char *name,
					   unsigned int config)
{
	if (!perf_pmu_register(pmu, name, -1))
		perf_hooks.clock_types[config] = pmu->type;
}

/**
 * perf_clock_pmu_init() - register the PMUs "cpu_clock" and "task_clock"
 *
 * Context: boot, one CPU, after perf_software_init().
 */
void __init perf_clock_pmu_init(void)
{
	perf_clock_pmu_register(&perf_cpu_clock, "cpu_clock",
				PERF_COUNT_SW_CPU_CLOCK);
	perf_clock_pmu_register(&perf_task_clock, "task_clock",
				PERF_COUNT_SW_TASK_CLOCK);
}
