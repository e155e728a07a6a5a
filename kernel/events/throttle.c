// SPDX-License-Identifier: GPL-2.0
/*
 * Room "throttle": how often events may interrupt, and frequency mode.
 *
 * Purpose: an event that overflows too often within a tick is throttled: it is
 * stopped until the next tick. Its group is stopped with it, so that the counts
 * of the group belong together, except for events that
 * perf_throttle_can_stop() leaves alone. When samples take too much of the CPU's
 * time, all rates are lowered. Events that ask for a frequency get their period
 * adjusted at each overflow, and at a tick if none came for too long.
 *
 * Owns: the sysctls perf_event_max_sample_rate and
 * perf_cpu_time_max_percent; event->{freq_windows,stopped}; hwc->{interrupts,
 * interrupts_seq,freq_time_stamp,freq_count_stamp}; cpuctx->{tick,
 * throttled_tick}; cpc->throttled_tick. The NMI watchdog's handler sets
 * hwc->interrupts to 0, and so ends the throttling of its event. A leader's
 * throttle_reported says which of the two records came last; room "sideband"
 * writes it, and so does this room when the group is stopped.
 *
 * Contexts: NMI, irq_work, the tick, sysctl handlers.
 *
 * Locking: limits are single words, read once. The tick and the irq_work take
 * the context locks. In NMI the event is active on this CPU; elsewhere it may
 * also be parked, with its ctx->lock held.
 *
 * Race, a throttled group and the tick:
 *  1. NMI marks the event MAX_INTERRUPTS, and the leader as throttled; the
 *     event's driver stops the event. The driver may be walking its counters,
 *     so the other events of the group must not be stopped here;
 *  2. the event's irq_work stops the events of the group that are not marked
 *     yet;
 *  3. the tick clears the marks and starts the marked events again. If it comes
 *     before step 2, the leader is not throttled any more and nothing is left
 *     to stop; the same holds if the group was scheduled out and in again, or
 *     if the event of step 1 was disabled or closed.
 * All three are on the group's CPU. In step 2 the PMU of each event that is
 * stopped is disabled, in step 3 the group's.
 * The end is reported whenever the leader is throttled, even if no event of the
 * group has the mark any more.
 *
 * Race, an NMI and the tick:
 *  1. the tick gets its number;
 *  2. it ends the throttling on those PMUs where an event was throttled since
 *     the tick before;
 *  3. an NMI throttles an event of a PMU that step 2 has passed. It notes the
 *     number of this tick, and the next tick still finds it.
 *
 * Race, a throttled group and one that is scheduled in beside it:
 *  1. the driver assigns counters anew, and those of active events change;
 *  2. it moves the count of an event that runs. A stopped one gets the new
 *     counter, whose value has nothing to do with its hwc->prev_count;
 *  3. the tick starts it, and the difference of the two is added to its count.
 * So the throttling of all groups on a PMU ends before others are added to it.
 *
 * Race, an NMI overflows a software or trace event that is overflowing already:
 *  1. a page fault, say, is about to be counted in hwc->interrupts;
 *  2. an NMI reads the user's stack, faults, counts, and throttles the event;
 *  3. step 1 goes on: its exchange fails, and it finds the mark. A plain
 *     increment would take the mark away, and no tick would start the event.
 */
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/sysctl.h>
#include <linux/tick.h>
#include <kunit/visibility.h>
#include "aux_buffer.h"
#include "clock.h"
#include "context.h"
#include "pending.h"
#include "pmu.h"
#include "sideband.h"
#include "throttle.h"

#define PERF_RATE_DEFAULT	100000
#define PERF_PERCENT_DEFAULT	25
/* The time that samples take is averaged over this many of them. */
#define PERF_TOOK_SAMPLES	128
/* Frequency mode: windows in the mean; how fast a period may grow. */
#define PERF_FREQ_WINDOWS	6U
#define PERF_FREQ_STEP		8ULL
/* leader->throttle_reported when the group was stopped after the report. */
#define PERF_THROTTLE_STOPPED	2

int sysctl_perf_event_sample_rate __read_mostly = PERF_RATE_DEFAULT;
int sysctl_perf_cpu_time_max_percent __read_mostly = PERF_PERCENT_DEFAULT;

/* Overflows of one event between two ticks; nanoseconds for one sample. */
VISIBLE_IF_KUNIT unsigned int perf_throttle_per_tick __read_mostly =
	DIV_ROUND_UP(PERF_RATE_DEFAULT, HZ);
static unsigned int perf_sample_allowed_ns __read_mostly =
	NSEC_PER_SEC / PERF_RATE_DEFAULT * PERF_PERCENT_DEFAULT / 100;

static DEFINE_PER_CPU(u64, perf_took_sum);

static bool perf_throttle_is_dynamic(int percent)
{
	return percent > 0 && percent < 100;
}

static void perf_throttle_set_allowed(void)
{
	u64 period = NSEC_PER_SEC / sysctl_perf_event_sample_rate;
	u64 allowed = period * sysctl_perf_cpu_time_max_percent;

	do_div(allowed, 100);
	WRITE_ONCE(perf_sample_allowed_ns, max_t(u64, allowed, 1));
}

/**
 * perf_event_max_sample_rate_handler() - handle the sysctl of that name
 * @table: its entry
 * @write: true for a write
 * @buffer: text
 * @lenp: bytes
 * @ppos: offset
 *
 * Context: task, a sysctl handler.
 * Return: 0; -EINVAL on a write while rates are not adjusted at run time; or
 * the error of proc_dointvec_minmax().
 */
int perf_event_max_sample_rate_handler(const struct ctl_table *table, int write,
				       void *buffer, size_t *lenp, loff_t *ppos)
{
	int err;

	if (write && !perf_throttle_is_dynamic(sysctl_perf_cpu_time_max_percent))
		return -EINVAL;
	err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	WRITE_ONCE(perf_throttle_per_tick,
		   DIV_ROUND_UP(sysctl_perf_event_sample_rate, HZ));
	perf_throttle_set_allowed();
	return 0;
}

/**
 * perf_cpu_time_max_percent_handler() - handle the sysctl of that name
 * @table: its entry
 * @write: true for a write
 * @buffer: text
 * @lenp: bytes
 * @ppos: offset
 *
 * Context: task, a sysctl handler.
 * Return: 0, or the error of proc_dointvec_minmax().
 */
int perf_cpu_time_max_percent_handler(const struct ctl_table *table, int write,
				      void *buffer, size_t *lenp, loff_t *ppos)
{
	int err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);

	if (err || !write)
		return err;
	if (perf_throttle_is_dynamic(sysctl_perf_cpu_time_max_percent)) {
		perf_throttle_set_allowed();
	} else {
		WRITE_ONCE(perf_sample_allowed_ns, 0);
		pr_warn("perf: sample rates are no longer limited by time\n");
	}
	return 0;
}

/* Nanoseconds; set when rates were last lowered. */
static u64 perf_report_took, perf_report_allowed;

/* Programs look for these words in the log. */
static void perf_throttle_report(struct irq_work *work)
{
	pr_info_ratelimited("perf: interrupt took too long (%llu > %llu), lowering kernel.perf_event_max_sample_rate to %d\n",
			    READ_ONCE(perf_report_took),
			    READ_ONCE(perf_report_allowed),
			    READ_ONCE(sysctl_perf_event_sample_rate));
}

static DEFINE_IRQ_WORK(perf_throttle_report_work, perf_throttle_report);

/*
 * Sets the limits for samples that take a quarter longer than now. A write to
 * the sysctl may just be ending the limit by time: then no rate is lowered.
 */
static void perf_throttle_lower(unsigned int allowed, u64 took)
{
	int percent = READ_ONCE(sysctl_perf_cpu_time_max_percent);
	u32 budget = TICK_NSEC / 100 * percent;
	u64 longer = took + took / 4;
	u32 per_tick = longer < budget ? budget / (u32)longer : 1;

	if (!perf_throttle_is_dynamic(percent) ||
	    cmpxchg(&perf_sample_allowed_ns, allowed,
		    min_t(u64, longer, U32_MAX)) != allowed)
		return;
	WRITE_ONCE(perf_report_took, took);
	WRITE_ONCE(perf_report_allowed, allowed);
	WRITE_ONCE(perf_throttle_per_tick, per_tick);
	WRITE_ONCE(sysctl_perf_event_sample_rate, per_tick * HZ);
	perf_pending_queue(&perf_throttle_report_work);
}

/**
 * perf_sample_event_took() - account the time of a PMU's interrupt handler
 * @sample_len_ns: nanoseconds that it took
 *
 * Context: NMI or interrupt, on the CPU in question.
 */
void perf_sample_event_took(u64 sample_len_ns)
{
	unsigned int allowed = READ_ONCE(perf_sample_allowed_ns);
	u64 sum;

	if (!allowed)
		return;
	sum = __this_cpu_read(perf_took_sum);
	sum += sample_len_ns - sum / PERF_TOOK_SAMPLES;
	__this_cpu_write(perf_took_sum, sum);
	if (sum / PERF_TOOK_SAMPLES > allowed)
		perf_throttle_lower(allowed, sum / PERF_TOOK_SAMPLES);
}

/*
 * The period that yields @freq overflows a second if @count events came in
 * @nsec: count * 10^9 / (nsec * freq), computed without overflow. While a
 * product does not fit, the larger factor of both products loses a bit, so that
 * the quotient stays.
 */
static u64 perf_freq_period(u64 freq, u64 nsec, u64 count)
{
	u64 second = NSEC_PER_SEC;

	/* Halve both products until they fit. */
	while (fls64(count) + fls64(second) > 64 ||
	       fls64(nsec) + fls64(freq) > 64) {
		if (count > second)
			count >>= 1;
		else
			second >>= 1;
		if (nsec > freq)
			nsec >>= 1;
		else
			freq >>= 1;
	}
	if (!nsec || !freq)
		return count * second;
	return div64_u64(count * second, nsec * freq);
}

/* The longest period that may follow @period; periods fit into an s64. */
static s64 perf_freq_step_up(u64 period)
{
	return PERF_FREQ_STEP * min_t(u64, period, S64_MAX / PERF_FREQ_STEP);
}

/*
 * Moves the period towards @fit, the period that would have suited the last
 * window. The period is the mean of up to PERF_FREQ_WINDOWS windows. If a
 * window differs by more than a quarter, it is an outlier, or the rate of
 * events has changed: it weighs twice as much as others, and with the third
 * such window in a row the period becomes @fit at once. The first windows,
 * which have no predecessors, also take effect at once. The period grows at
 * most by a factor of PERF_FREQ_STEP: the time of a window with few events is
 * mostly the time that samples take.
 */
static void perf_freq_learn(struct perf_event *event, u64 fit)
{
	u64 period = event->hw.sample_period;
	unsigned int weight;
	bool outlier;
	s64 delta;

	fit = min_t(u64, fit, perf_freq_step_up(period));
	delta = fit - period;
	outlier = abs(delta) > period / 4 + 1;
	if (outlier)
		event->freq_windows /= 2;
	weight = event->freq_windows + 1;
	if (!outlier)
		event->freq_windows = min(weight, PERF_FREQ_WINDOWS - 1);

	/* Round away from zero, or small differences would stay for ever. */
	delta += delta >= 0 ? weight - 1 : 1 - (s64)weight;
	event->hw.sample_period = max_t(s64, period + div_s64(delta, weight), 1);
}

/* Nanoseconds of running time that may pass without an overflow. */
static s64 perf_freq_patience(const struct perf_event *event)
{
	return max_t(u64, TICK_NSEC,
		     div64_u64(2 * NSEC_PER_SEC, event->attr.sample_freq));
}

static u64 perf_freq_running(const struct perf_event *event, u64 now)
{
	u64 enabled, running;

	perf_event_time_at(event, now, &enabled, &running);
	return running;
}

/*
 * Ends a window, which began with the last overflow or when a tick ended the
 * last window. A window of more than @most nanoseconds does not change the
 * period.
 */
static void perf_freq_window(struct perf_event *event, u64 running, u64 most)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 total = local64_read(&event->count);
	s64 nsec = running - hwc->freq_time_stamp;
	s64 count = total - hwc->freq_count_stamp;

	hwc->freq_time_stamp = running;
	hwc->freq_count_stamp = total;
	if (nsec > 0 && nsec <= most && count > 0)
		perf_freq_learn(event, perf_freq_period(event->attr.sample_freq,
							nsec, count));
}

static bool perf_freq_is_cut_short(const struct perf_event *event)
{
	return local64_read(&event->hw.period_left) >
	       perf_freq_step_up(event->hw.sample_period);
}

/*
 * The next period may have begun with the length of the last one. If that
 * length was computed for a different load, the period is cut short. Ticks end
 * windows that take too long. A window that is even longer had no tick, because
 * the CPU was idle.
 *
 * Out of line: it needs registers, which events with fixed periods need not
 * save.
 */
static noinline void perf_freq_overflow(struct perf_event *event)
{
	perf_freq_window(event, perf_freq_running(event, perf_clock()),
			 perf_freq_patience(event) + 2 * TICK_NSEC);
	if (!perf_freq_is_cut_short(event))
		return;
	event->pmu->stop(event, PERF_EF_UPDATE);
	local64_set(&event->hw.period_left, 0);
	event->pmu->start(event, PERF_EF_RELOAD);
}

/*
 * An event that traces is not stopped: its count need not match the others, and
 * its trace would have a gap. Drivers whose events do not sample need not have
 * pmu::stop and pmu::start, or may give up the counter there.
 */
static bool perf_throttle_can_stop(struct perf_event *event)
{
	const struct pmu *pmu = event->pmu;

	return pmu->task_ctx_nr != perf_invalid_context &&
	       !(pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) &&
	       !has_aux(event);
}

/*
 * Most drivers have already stopped the event whose rate was too high. Some let
 * it count on, as software events do; in a group it is stopped with the others.
 */
static void perf_throttle_stop_event(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE || event->stopped ||
	    !perf_throttle_can_stop(event) ||
	    (perf_event_is_throttled(event) &&
	     event->hw.state & PERF_HES_STOPPED))
		return;
	perf_pmu_disable(event->pmu);
	event->stopped = true;
	/* The driver may find records of the event, and overflows, when it stops. */
	WRITE_ONCE(event->hw.interrupts, MAX_INTERRUPTS);
	event->pmu->stop(event, PERF_EF_UPDATE);
	WRITE_ONCE(event->hw.interrupts, MAX_INTERRUPTS);
	perf_pmu_enable(event->pmu);
}

static bool perf_throttle_is_active_throttled(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE &&
	       perf_event_is_throttled(event);
}

/* The throttling may have ended, or the event may have left the group. */
static bool perf_throttle_stops_group(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	return leader->throttle_reported && leader->nr_siblings &&
	       perf_throttle_is_active_throttled(event);
}

/**
 * perf_throttle_stop_group() - stop the group of an event that was throttled
 * @event: event that is active on this CPU
 *
 * Step 2 of the first race above. Nothing is done if the throttling has ended
 * meanwhile. If a thousand events of a group are throttled at once, only the
 * first of these calls walks over the group.
 *
 * Context: interrupts off, neither ctx->lock nor NMI.
 */
void perf_throttle_stop_group(struct perf_event *event)
{
	struct perf_event *leader, *sibling;

	lockdep_assert_irqs_disabled();
	/* An active event stays in its context while interrupts are off here. */
	guard(raw_spinlock)(&perf_event_ctx(event)->lock);
	if (!perf_throttle_stops_group(event))
		return;
	leader = event->group_leader;
	if (leader->throttle_reported == PERF_THROTTLE_STOPPED) {
		perf_throttle_stop_event(event);
		return;
	}
	perf_throttle_stop_event(leader);
	for_each_sibling_event(sibling, leader)
		perf_throttle_stop_event(sibling);
	WRITE_ONCE(leader->throttle_reported, PERF_THROTTLE_STOPPED);
}

/* The next tick looks for throttled events on this PMU. */
static void perf_throttle_note(struct perf_cpu_pmu_context *cpc)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);

	WRITE_ONCE(cpuctx->throttled_tick, cpuctx->tick);
	WRITE_ONCE(cpc->throttled_tick, cpuctx->tick);
	tick_dep_set_cpu(smp_processor_id(), TICK_DEP_BIT_PERF_EVENTS);
}

/* A window that ends with a throttling adjusts the period like any other. */
static noinline void perf_throttle_begin(struct perf_event *event)
{
	/* The tick does not look for an event that is parked; see tracing.c. */
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;
	/* An NMI that came meanwhile may have throttled it. */
	if (xchg(&event->hw.interrupts, MAX_INTERRUPTS) == MAX_INTERRUPTS)
		return;
	perf_throttle_note(perf_event_cpc_oncpu(event));
	perf_side_throttle(event, true);
	if (event->group_leader->nr_siblings)
		perf_pending_stop_group(event);
	if (event->attr.freq)
		perf_freq_overflow(event);
}

/**
 * perf_throttle_account_nmi() - count an overflow of an event
 * @event: event that is active on this CPU; or parked, and its ctx->lock held
 * @throttle: stop it, and soon its group, if it overflows too often
 *
 * Context: any down to NMI, interrupts off.
 * Return: true when the event is over its rate and must be stopped.
 */
bool perf_throttle_account_nmi(struct perf_event *event, bool throttle)
{
	struct hw_perf_event *hwc = &event->hw;
	u32 count, before = READ_ONCE(hwc->interrupts);
	u64 seq = __this_cpu_read(perf_cpu_context.tick);
	bool first = READ_ONCE(hwc->interrupts_seq) != seq;

	perf_assert_irqs_disabled_nmi();
	do {
		/* A throttled event stays so until the tick starts it. */
		if (before == MAX_INTERRUPTS)
			return true;
		count = first ? 1 : before + 1;
	} while (!try_cmpxchg_local(&hwc->interrupts, &before, count));
	/* Last, or an NMI could add to the count of an earlier tick. */
	if (first)
		WRITE_ONCE(hwc->interrupts_seq, seq);
	if (throttle && count >= READ_ONCE(perf_throttle_per_tick)) {
		perf_throttle_begin(event);
		return true;
	}
	if (event->attr.freq)
		perf_freq_overflow(event);
	return false;
}

/**
 * perf_throttle_holds_nmi() - check whether an event stays throttled
 * @event: event for which perf_throttle_account_nmi() returned true
 *
 * The handler of an overflow may take the mark away; the one of the NMI
 * watchdog does. No tick would start the event then.
 *
 * Context: as perf_throttle_account_nmi().
 * Return: false if the event must go on.
 */
bool perf_throttle_holds_nmi(const struct perf_event *event)
{
	return event->state != PERF_EVENT_STATE_ACTIVE ||
	       perf_event_is_throttled(event);
}

/**
 * perf_throttle_clear_locked() - clear the mark of a throttled event
 * @event: event that is about to start
 *
 * Until the next tick the event may overflow only once before it is throttled
 * again.
 *
 * Context: ctx->lock, on the CPU where the event starts.
 */
void perf_throttle_clear_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	WRITE_ONCE(event->hw.interrupts, READ_ONCE(perf_throttle_per_tick));
}

/*
 * Starts an event that was throttled; its PMU, or its group's, is disabled. The
 * mark of a throttled event stays. Usually its driver, or the core, has stopped
 * it. Drivers that do not look at what perf_event_overflow() returns, such as
 * RISC-V's, or disable only the counter then, have left it as it was: it is
 * stopped first, so that no event is started twice. An event whose count was
 * updated when it was stopped may have another counter now, which has to be
 * loaded.
 */
static void perf_throttle_restart(struct perf_event *event)
{
	bool reload;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (!event->stopped && !(event->hw.state & PERF_HES_STOPPED))
		event->pmu->stop(event, PERF_EF_UPDATE);
	reload = event->stopped || event->hw.state & PERF_HES_UPTODATE;
	event->stopped = false;
	event->pmu->start(event, reload ? PERF_EF_RELOAD : 0);
}

/**
 * perf_throttle_leave_locked() - prepare an event for pmu::del
 * @event: active event that the core has stopped; its PMU is disabled
 *
 * Many drivers stop the event once more then, and count these calls, and
 * pmu::add of tracepoints does not clear PERF_HES_STOPPED. So the event is
 * started. A clock would go back: pmu::del stops it at the time of the context,
 * which is earlier than the start.
 *
 * Context: ctx->lock, on the CPU where the event is active.
 */
void perf_throttle_leave_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	/* Of the software events, only clocks save their count. */
	if (event->pmu->task_ctx_nr == perf_sw_context &&
	    event->hw.state & PERF_HES_UPTODATE)
		event->stopped = false;
	else
		perf_throttle_restart(event);
}

static bool perf_throttle_stop(struct perf_event *event)
{
	bool stays = perf_aux_stays_stopped(event);

	event->pmu->stop(event, PERF_EF_UPDATE);
	return !stays;
}

/**
 * perf_throttle_stop_locked() - stop an event for a change
 * @event: active event; its PMU, or its group's, is disabled
 *
 * Context: ctx->lock, on the CPU where the event is active.
 * Return: true if the caller has to call perf_throttle_start_locked() after the
 * change; false for a trace that stays stopped, because its buffer goes away.
 */
bool perf_throttle_stop_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	return perf_throttle_stop(event);
}

/*
 * An NMI that came before the stop may have throttled the event: not all drivers
 * have a pmu::pmu_disable that prevents this. The tick must not start it twice.
 */
static void perf_throttle_start(struct perf_event *event)
{
	if (perf_event_is_throttled(event))
		perf_throttle_clear_locked(event);
	event->pmu->start(event, PERF_EF_RELOAD);
}

/**
 * perf_throttle_start_locked() - start an event after a change
 * @event: active event; its PMU, or its group's, is disabled
 *
 * Context: ctx->lock, on the CPU where the event is active.
 */
void perf_throttle_start_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	perf_throttle_start(event);
}

static void perf_throttle_end(struct perf_event *event)
{
	if (!perf_throttle_is_active_throttled(event))
		return;
	perf_throttle_clear_locked(event);
	perf_throttle_restart(event);
}

/**
 * perf_throttle_end_locked() - unthrottle a group before the tick does
 * @event: an event of the group, whose PMU is disabled
 *
 * Context: ctx->lock; if the group is active, on its CPU.
 */
void perf_throttle_end_locked(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	perf_throttle_report_end(leader);
	perf_throttle_end(leader);
	for_each_sibling_event(sibling, leader)
		perf_throttle_end(sibling);
}

static void perf_throttle_end_list(struct list_head *active)
{
	struct perf_event *leader;

	list_for_each_entry(leader, active, active_list)
		perf_throttle_end_locked(leader);
}

/**
 * perf_throttle_end_pmu_locked() - unthrottle all groups that are active on a PMU
 * @cpc: this CPU's data of the PMU
 *
 * Context: scheduling locks, the PMU disabled.
 */
void perf_throttle_end_pmu_locked(struct perf_cpu_pmu_context *cpc)
{
	perf_pmu_assert_sched_locked(cpc->task_epc ?: &cpc->epc);
	/* If an NMI throttles an event from here on, it sets this again. */
	WRITE_ONCE(cpc->throttled_tick,
		   __this_cpu_read(perf_cpu_context.tick) - 1);
	perf_throttle_end_list(&cpc->epc.pinned_active);
	perf_throttle_end_list(&cpc->epc.flexible_active);
	if (!cpc->task_epc)
		return;
	perf_throttle_end_list(&cpc->task_epc->pinned_active);
	perf_throttle_end_list(&cpc->task_epc->flexible_active);
}

/*
 * An event that overflows often enough is adjusted when it overflows. An NMI may
 * have done so after @now.
 */
static void perf_freq_tick(struct perf_event *event, u64 now)
{
	u64 running;
	bool start;

	if (!event->attr.freq || !event->attr.sample_freq)
		return;
	running = perf_freq_running(event, now);
	if ((s64)(running - event->hw.freq_time_stamp) <
	    perf_freq_patience(event))
		return;
	start = perf_throttle_stop(event);
	perf_freq_window(event, running, U64_MAX);
	if (perf_freq_is_cut_short(event))
		local64_set(&event->hw.period_left, 0);
	if (start)
		perf_throttle_start(event);
}

static void perf_throttle_tick_event(struct perf_event *event, u64 now)
{
	perf_throttle_end(event);
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		perf_freq_tick(event, now);
}

static void perf_throttle_tick_list(struct list_head *active, u64 now)
{
	struct perf_event *leader, *sibling;

	list_for_each_entry(leader, active, active_list) {
		perf_throttle_report_end(leader);
		perf_throttle_tick_event(leader, now);
		for_each_sibling_event(sibling, leader)
			perf_throttle_tick_event(sibling, now);
	}
}

/* Called by the tick: was an event throttled since the tick before? */
static bool perf_throttle_ends_here(const unsigned int *throttled_tick)
{
	return __this_cpu_read(perf_cpu_context.tick) -
	       READ_ONCE(*throttled_tick) <= 1;
}

/* To disable an uncore PMU may take many accesses of memory-mapped registers. */
static bool perf_throttle_tick_wants(struct perf_pmu_ctx *epc)
{
	if (!perf_pmu_ctx_is_active(epc))
		return false;
	return epc->nr_freq ||
	       perf_throttle_ends_here(&perf_cpc_oncpu(epc->pmu)->throttled_tick);
}

/* The clock is read once, not for each event. */
static void perf_throttle_tick_ctx(struct perf_ctx *ctx)
{
	struct perf_pmu_ctx *epc;
	u64 now;

	guard(raw_spinlock)(&ctx->lock);
	now = perf_clock();
	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry) {
		if (!perf_throttle_tick_wants(epc))
			continue;
		perf_pmu_disable(epc->pmu);
		perf_throttle_tick_list(&epc->pinned_active, now);
		perf_throttle_tick_list(&epc->flexible_active, now);
		perf_pmu_enable(epc->pmu);
	}
}

/**
 * perf_event_task_tick() - end throttling, adjust frequencies
 *
 * Context: tick, interrupts off.
 */
void perf_event_task_tick(void)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);

	lockdep_assert_irqs_disabled();
	__this_cpu_inc(perf_cpu_context.tick);
	/* An NMI that throttles after this asks for another tick. */
	tick_dep_clear_cpu(smp_processor_id(), TICK_DEP_BIT_PERF_EVENTS);
	if (!perf_throttle_ends_here(&cpuctx->throttled_tick) &&
	    !cpuctx->nr_freq)
		return;
	perf_throttle_tick_ctx(&cpuctx->ctx);
	if (cpuctx->task_ctx)
		perf_throttle_tick_ctx(cpuctx->task_ctx);
}

#ifdef CONFIG_NO_HZ_FULL
static DEFINE_SPINLOCK(perf_freq_lock);
static unsigned int perf_freq_users;

/**
 * perf_throttle_freq_get() - keep the tick running for a frequency-mode event
 *
 * Context: task.
 */
void perf_throttle_freq_get(void)
{
	guard(spinlock)(&perf_freq_lock);
	if (!perf_freq_users++ && tick_nohz_full_enabled())
		tick_nohz_dep_set(TICK_DEP_BIT_PERF_EVENTS);
}

/**
 * perf_throttle_freq_put() - undo perf_throttle_freq_get()
 *
 * Context: task.
 */
void perf_throttle_freq_put(void)
{
	guard(spinlock)(&perf_freq_lock);
	if (!--perf_freq_users && tick_nohz_full_enabled())
		tick_nohz_dep_clear(TICK_DEP_BIT_PERF_EVENTS);
}
#endif

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
#include "tests/throttle_kunit.c"
#endif
