// SPDX-License-Identifier: GPL-2.0
/*
 * Room "clock": the time of contexts and the times of events.
 *
 * Purpose: times are computed as differences; nothing loops over events to add
 * time. A context has a clock that runs only while the context is loaded on a
 * CPU. An event keeps two sums, and the context time up to which they are
 * right. The sums are updated when the event's state changes or when they are
 * read, not at each task switch.
 *
 * The time of a cgroup on a CPU is the time of the CPU's context less the time
 * for which the cgroup did not run: an offset, not a clock of its own.
 *
 * Owns: ctx->{time,timestamp,timeoffset}; the {runs,time,offset} of a cgroup on
 * a CPU; event->{tstamp,total_time_enabled,total_time_running,enabled_offset,
 * running_offset,clock}.
 *
 * Contexts: any; perf_ctx_clock_at() and perf_event_time_at() serve NMI.
 *
 * Locking: clocks and times change under ctx->lock. A new event or copy
 * that is in no context yet belongs to its creator alone.
 *
 * Race, NMI against an update on the same CPU:
 *  1. perf_ctx_clock_update_locked() has stored @time, not yet @timestamp;
 *  2. an NMI asks for the time. It uses @timeoffset, which stays the same for
 *     as long as the context is loaded, and gets a consistent answer.
 *
 * Race, NMI against an update of an event's times on the same CPU:
 *  1. perf_event_bring_times() has stored a sum, not yet @tstamp;
 *  2. an NMI asks for the event's times. While a time runs, it is the context's
 *     time plus an offset, which stays the same until the time stops. While the
 *     time is stopped, it is the sum, which stays the same until the time runs.
 *     Offset and sum are stored before the state that selects one of the two.
 */
#include <linux/bug.h>
#include <linux/percpu.h>
#include <linux/timekeeping.h>
#include "clock.h"
#include "clock_times.h"
#include "refuse.h"

/**
 * perf_clock_choose() - select the clock that stamps an event's records
 * @event: new event; its PMU is known
 * @id: CLOCK_* of attr.clockid
 *
 * A PMU that overflows in NMI needs a clock that can be read there.
 *
 * Context: task, before the event is visible.
 * Return: 0; -EINVAL for a clock that does not exist, or that cannot be read in
 * NMI if the PMU needs that.
 */
int perf_clock_choose(struct perf_event *event, clockid_t id)
{
	static const struct {
		clockid_t	id;
		bool		nmi_safe;
		u64		(*read)(void);
	} clocks[] = {
		{ .id = CLOCK_MONOTONIC, .read = ktime_get_mono_fast_ns,
		  .nmi_safe = true },
		{ .id = CLOCK_MONOTONIC_RAW, .read = ktime_get_raw_fast_ns,
		  .nmi_safe = true },
		{ .id = CLOCK_REALTIME, .read = ktime_get_real_ns },
		{ .id = CLOCK_BOOTTIME, .read = ktime_get_boottime_ns },
		{ .id = CLOCK_TAI, .read = ktime_get_clocktai_ns },
	};
	bool nmi = !(event->pmu->capabilities & PERF_PMU_CAP_NO_NMI);

	for (int i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (clocks[i].id != id)
			continue;
		if (nmi && !clocks[i].nmi_safe)
			return perf_refuse(-EINVAL, PERF_FIELD(clockid), ~0U,
					   PERF_REASON_CLOCK_NMI);
		event->clock = clocks[i].read;
		return 0;
	}
	return perf_refuse(-EINVAL, PERF_FIELD(clockid), ~0U,
			   PERF_REASON_CLOCK);
}

/**
 * perf_ctx_clock_update_locked() - bring a context's time up to now
 * @ctx: any context; the time of one that is not loaded does not change
 *
 * Context: ctx->lock.
 */
void perf_ctx_clock_update_locked(struct perf_ctx *ctx)
{
	u64 now;

	lockdep_assert_held(&ctx->lock);
	if (ctx->loaded_cpu == PERF_CPU_NONE)
		return;
	now = perf_clock();
	/* Clocks of CPUs may differ by a little; time never runs backwards. */
	if ((s64)(now - ctx->timestamp) <= 0)
		return;
	WRITE_ONCE(ctx->time, now + ctx->timeoffset);
	ctx->timestamp = now;
}

#ifdef CONFIG_CGROUP_PERF
/**
 * perf_cgroup_clock_start_locked() - start the time of a cgroup on this CPU
 * @local: this CPU's data of the cgroup
 * @ctx: this CPU's own context, clock up to date
 *
 * Context: ctx->lock, interrupts off.
 */
void perf_cgroup_clock_start_locked(struct perf_cpu_cgroup *local,
				    const struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (local->runs)
		return;
	/* An NMI that sees @runs set sees the new offset as well. */
	WRITE_ONCE(local->offset, local->time - ctx->time);
	WRITE_ONCE(local->runs, true);
}

/**
 * perf_cgroup_clock_stop_locked() - stop the time of a cgroup on a CPU
 * @local: that CPU's data of the cgroup
 * @ctx: that CPU's own context, clock up to date
 *
 * Context: ctx->lock, interrupts off.
 */
void perf_cgroup_clock_stop_locked(struct perf_cpu_cgroup *local,
				   const struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (!local->runs)
		return;
	/* An NMI that sees @runs cleared sees the new time as well. */
	WRITE_ONCE(local->time, ctx->time + local->offset);
	WRITE_ONCE(local->runs, false);
}
#endif

/* A sibling's time runs only while its leader is enabled as well. */
static bool perf_event_time_passes(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	return perf_event_is_enabled(event->state) &&
	       perf_event_is_enabled(leader->state);
}

/**
 * perf_event_time_update() - bring an event's times up to its context's time
 * @event: event of a context, whose clock is up to date
 *
 * Context: ctx->lock, or the event is visible to nobody.
 */
void perf_event_time_update(struct perf_event *event)
{
	perf_event_bring_times(event);
}

/**
 * perf_event_time_exchange() - exchange the times of two events
 * @on: event of a task's context, whose clock is up to date
 * @off: event of another task's context, which usually was not loaded since the
 *	event's times were updated
 *
 * Context: both ctx->lock.
 */
void perf_event_time_exchange(struct perf_event *on, struct perf_event *off)
{
	bool leader_enabled = perf_event_is_enabled(on->group_leader->state);
	u64 enabled, running;

	lockdep_assert_held(&perf_event_ctx(on)->lock);
	lockdep_assert_held(&perf_event_ctx(off)->lock);
	/* A task's context has no event of a cgroup. */
	perf_event_bring_times_to(on, perf_event_ctx(on)->time, leader_enabled);
	if (unlikely(off->tstamp != perf_event_ctx(off)->time))
		perf_event_time_update(off);
	enabled = on->total_time_enabled;
	running = on->total_time_running;
	WRITE_ONCE(on->total_time_enabled, off->total_time_enabled);
	WRITE_ONCE(on->total_time_running, off->total_time_running);
	perf_event_time_anchor(on);
	WRITE_ONCE(off->total_time_enabled, enabled);
	WRITE_ONCE(off->total_time_running, running);
	/* Its running time is anchored when it is scheduled in. */
	perf_event_anchor_enabled(off);
}

/*
 * Clocks of CPUs may differ by a little: a time that lags behind does not
 * reduce the sums. On 32-bit kernels an NMI could read half of @tstamp, so
 * there the time is used without this check, and the error is at most the lag.
 */
static u64 perf_event_time_no_earlier(const struct perf_event *event, u64 time)
{
	u64 tstamp = READ_ONCE(event->tstamp);

	if (IS_ENABLED(CONFIG_64BIT) && (s64)(time - tstamp) < 0)
		return tstamp;
	return time;
}

/**
 * perf_event_time_at() - compute an event's times at a clock value
 * @event: event on this CPU, or of a context that is loaded nowhere
 * @now: value of perf_clock(), nanoseconds
 * @enabled: receives the nanoseconds enabled, without inherited copies
 * @running: receives the nanoseconds on the PMU, without inherited copies
 *
 * Nothing is changed.
 *
 * Context: any, NMI included; for an event of another CPU with ctx->lock.
 */
void perf_event_time_at(const struct perf_event *event, u64 now,
			u64 *enabled, u64 *running)
{
	u64 time;

	*enabled = READ_ONCE(event->total_time_enabled);
	*running = READ_ONCE(event->total_time_running);
	if (!perf_event_ctx(event) || !perf_event_time_passes(event))
		return;
	time = perf_event_own_time(event,
				   perf_ctx_clock_at(perf_event_ctx(event),
						     now));
	time = perf_event_time_no_earlier(event, time);
	*enabled = time + READ_ONCE(event->enabled_offset);
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		*running = time + READ_ONCE(event->running_offset);
}
