/* SPDX-License-Identifier: GPL-2.0 */
/* Room "clock", private: an event's times, for changes of its state. */
#ifndef _KERNEL_EVENTS_CLOCK_TIMES_H
#define _KERNEL_EVENTS_CLOCK_TIMES_H

#include "clock.h"

#ifdef CONFIG_CGROUP_PERF
static inline u64 perf_cgroup_clock_at(const struct perf_cpu_cgroup *local,
				       u64 ctx_time)
{
	if (!READ_ONCE(local->runs))
		return READ_ONCE(local->time);
	return ctx_time + READ_ONCE(local->offset);
}
#endif

/* The time that an event counts by, if its context's time is @ctx_time. */
static inline u64 perf_event_own_time(const struct perf_event *event,
				      u64 ctx_time)
{
#ifdef CONFIG_CGROUP_PERF
	if (event->cgrp)
		return perf_cgroup_clock_at(perf_event_cpu_cgroup(event),
					    ctx_time);
#endif
	return ctx_time;
}

/**
 * perf_event_time_start() - start an event's times, as its state says
 * @event: event that joins event->ctx, whose clock is up to date
 *
 * Context: ctx->lock, or the event is visible to nobody.
 */
static inline void perf_event_time_start(struct perf_event *event)
{
	event->tstamp = perf_event_own_time(event, perf_event_ctx(event)->time);
	perf_event_time_anchor(event);
}

static inline bool perf_event_is_enabled(enum perf_event_state state)
{
	return state >= PERF_EVENT_STATE_INACTIVE;
}

/* @leader_enabled: whether the event's leader is enabled */
static __always_inline void
perf_event_bring_times_to(struct perf_event *event, u64 time,
			  bool leader_enabled)
{
	u64 delta = time - event->tstamp;

	if ((s64)delta > 0 && perf_event_is_enabled(event->state) &&
	    leader_enabled) {
		WRITE_ONCE(event->total_time_enabled,
			   event->total_time_enabled + delta);
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			WRITE_ONCE(event->total_time_running,
				   event->total_time_running + delta);
	}
	WRITE_ONCE(event->tstamp, time);
}

/* Inlined for state changes: a task switch makes one for each event. */
static __always_inline void perf_event_bring_times(struct perf_event *event)
{
	u64 time = 0;

	if (perf_event_ctx(event))
		time = perf_event_own_time(event, perf_event_ctx(event)->time);
	/* Of two changes in a row the second one finds nothing to add. */
	if (time == event->tstamp)
		return;
	perf_event_bring_times_to(event, time,
				  perf_event_is_enabled(event->group_leader->state));
}

#endif /* _KERNEL_EVENTS_CLOCK_TIMES_H */
