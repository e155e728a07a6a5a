// SPDX-License-Identifier: GPL-2.0
/*
 * Room "clock": the time of contexts, the times of events, the event state.
 *
 * Purpose: times are computed as differences; nothing loops over events to add
 * time. A context has a clock that runs only while the context is loaded on a
 * CPU. An event keeps two sums, and the context time up to which they are
 * right. They are updated when the event's state changes or when they are read,
 * not at each task switch.
 *
 * The time of a cgroup on a CPU is the time of the CPU's context less the time
 * for which the cgroup did not run: an offset, not a clock of its own.
 *
 * Owns: ctx->{time,timestamp,timeoffset}; the {runs,time,offset} of a cgroup on
 * a CPU; event->{state,tstamp,total_time_enabled,total_time_running,
 * enabled_offset,running_offset,clock}.
 *
 * Contexts: any; perf_ctx_clock_at() and perf_event_time_at() serve NMI.
 *
 * Locking: the clock and the state change under ctx->lock. A new event or copy
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
#include "context.h"
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
		{ CLOCK_MONOTONIC,	true,	ktime_get_mono_fast_ns },
		{ CLOCK_MONOTONIC_RAW,	true,	ktime_get_raw_fast_ns },
		{ CLOCK_REALTIME,	false,	ktime_get_real_ns },
		{ CLOCK_BOOTTIME,	false,	ktime_get_boottime_ns },
		{ CLOCK_TAI,		false,	ktime_get_clocktai_ns },
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
 * perf_ctx_clock_start_locked() - start the clock of a context
 * @ctx: context that is about to be loaded on this CPU
 *
 * Context: ctx->lock, interrupts off.
 */
void perf_ctx_clock_start_locked(struct perf_ctx *ctx)
{
	u64 now = perf_clock();

	lockdep_assert_held(&ctx->lock);
	ctx->timestamp = now;
	WRITE_ONCE(ctx->timeoffset, ctx->time - now);
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

static u64 perf_cgroup_clock_at(const struct perf_cpu_cgroup *local,
				u64 ctx_time)
{
	if (!READ_ONCE(local->runs))
		return READ_ONCE(local->time);
	return ctx_time + READ_ONCE(local->offset);
}
#endif

/* The time that an event counts by, if its context's time is @ctx_time. */
static u64 perf_event_own_time(const struct perf_event *event, u64 ctx_time)
{
#ifdef CONFIG_CGROUP_PERF
	if (event->cgrp)
		return perf_cgroup_clock_at(perf_event_cpu_cgroup(event),
					    ctx_time);
#endif
	return ctx_time;
}

static bool perf_event_is_enabled(enum perf_event_state state)
{
	return state >= PERF_EVENT_STATE_INACTIVE;
}

/* A sibling's time runs only while its leader is enabled as well. */
static bool perf_event_time_passes(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	return perf_event_is_enabled(event->state) &&
	       perf_event_is_enabled(leader->state);
}

/**
 * perf_event_time_start() - start an event's times, as its state says
 * @event: event that joins event->ctx, whose clock is up to date
 *
 * Context: ctx->lock, or the event is visible to nobody.
 */
void perf_event_time_start(struct perf_event *event)
{
	event->tstamp = perf_event_own_time(event, perf_event_ctx(event)->time);
	perf_event_time_anchor(event);
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
	bool enabled = perf_event_is_enabled(event->group_leader->state);
	u64 time = 0;

	if (perf_event_ctx(event))
		time = perf_event_own_time(event, perf_event_ctx(event)->time);
	perf_event_bring_times_to(event, time, enabled);
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
 * perf_event_time_update_group() - update the times of a leader's siblings
 * @leader: group leader
 *
 * Context: ctx->lock.
 */
void perf_event_time_update_group(struct perf_event *leader)
{
	bool enabled = perf_event_is_enabled(leader->state);
	u64 ctx_time = perf_event_ctx(leader)->time, time;
	struct perf_event *sibling;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	for_each_sibling_event(sibling, leader) {
		time = perf_event_own_time(sibling, ctx_time);
		perf_event_bring_times_to(sibling, time, enabled);
	}
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
 * reduce the sums. On 32 bits an NMI could read half of @tstamp. So the time is
 * used as it is there, and no more than that lag is lost.
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

#define FIRST		PERF_EVENT_STATE_DEAD
#define STATE(s)	(PERF_EVENT_STATE_##s - FIRST)
#define TO(s)		BIT(STATE(s))

/*
 * One row for each state: the states that may follow. DEAD is final. REVOKED is
 * an event whose PMU has gone. EXIT is an event that is still open although its
 * task has exited. ERROR is a pinned event that found no room, or a sibling
 * that cannot count without its leader.
 */
static const struct perf_state_row perf_event_states[] = {
	[STATE(ACTIVE)]	  = { "active",	  TO(INACTIVE) | TO(OFF) },
	[STATE(INACTIVE)] = { "inactive", TO(ACTIVE) | TO(OFF) | TO(ERROR) |
					  TO(EXIT) | TO(REVOKED) | TO(DEAD) },
	[STATE(OFF)]	  = { "off",	  TO(INACTIVE) | TO(ERROR) | TO(EXIT) |
					  TO(REVOKED) | TO(DEAD) },
	[STATE(ERROR)]	  = { "error",	  TO(OFF) | TO(EXIT) | TO(REVOKED) |
					  TO(DEAD) },
	[STATE(EXIT)]	  = { "exit",	  TO(REVOKED) | TO(DEAD) },
	[STATE(REVOKED)]  = { "revoked",  TO(DEAD) },
	[STATE(DEAD)]	  = { "dead",	  0 },
};

/* Indexed by the distance of a state from DEAD. */
struct perf_state_table perf_event_state_table = {
	.of	= "event",
	.rows	= perf_event_states,
	.nr	= ARRAY_SIZE(perf_event_states),
};

/*
 * One row for each state of a context: the states that its events may have.
 * Only a loaded context has active events; a family's handle has no events.
 * EXIT, REVOKED and DEAD are states of an event that is about to leave.
 */
static const struct perf_state_row perf_ctx_event_pairs[] = {
	[PERF_CTX_UNLOADED]  = { "unloaded",  TO(INACTIVE) | TO(OFF) | TO(ERROR) |
					      TO(EXIT) | TO(REVOKED) | TO(DEAD) },
	[PERF_CTX_LOADED]    = { "loaded",    TO(ACTIVE) | TO(INACTIVE) |
					      TO(OFF) | TO(ERROR) | TO(EXIT) |
					      TO(REVOKED) | TO(DEAD) },
	[PERF_CTX_PARKED]    = { "parked",    TO(INACTIVE) | TO(OFF) | TO(ERROR) |
					      TO(EXIT) | TO(REVOKED) | TO(DEAD) },
	[PERF_CTX_LENT]	     = { "lent",      TO(ACTIVE) | TO(INACTIVE) |
					      TO(OFF) | TO(ERROR) | TO(EXIT) |
					      TO(REVOKED) | TO(DEAD) },
	[PERF_CTX_TOMBSTONE] = { "tombstone", TO(INACTIVE) | TO(OFF) | TO(ERROR) |
					      TO(EXIT) | TO(REVOKED) | TO(DEAD) },
	[PERF_CTX_HANDLE]    = { "handle",    0 },
	[PERF_CTX_ONLINE]    = { "online",    TO(ACTIVE) | TO(INACTIVE) |
					      TO(OFF) | TO(ERROR) | TO(EXIT) |
					      TO(REVOKED) | TO(DEAD) },
	[PERF_CTX_OFFLINE]   = { "offline",   TO(INACTIVE) | TO(OFF) | TO(ERROR) |
					      TO(EXIT) | TO(REVOKED) | TO(DEAD) },
};

struct perf_state_table perf_ctx_event_table = {
	.of	= "event in a context",
	.rows	= perf_ctx_event_pairs,
	.nr	= ARRAY_SIZE(perf_ctx_event_pairs),
};

/**
 * perf_event_state_pair_check() - check an event's state against its context's
 * @event: event in its context
 * @state: the state that it has or gets
 *
 * Called only with CONFIG_PERF_EVENTS_DEBUG_STATE.
 *
 * Context: ctx->lock.
 */
void perf_event_state_pair_check(const struct perf_event *event,
				 enum perf_event_state state)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	perf_state_check_pair(&perf_ctx_event_table, &perf_event_state_table,
			      perf_ctx_state(perf_event_ctx(event)),
			      state - FIRST);
}

/**
 * perf_event_state_allowed() - check whether an event may change its state
 * @from: present state
 * @to: next state; staying is always allowed
 *
 * Context: any.
 * Return: true if the table of transitions has it.
 */
bool perf_event_state_allowed(enum perf_event_state from,
			      enum perf_event_state to)
{
	return perf_state_allowed(&perf_event_state_table,
				  from - FIRST, to - FIRST);
}

/**
 * perf_event_state_name() - get the name of a state for messages and documents
 * @state: event state
 *
 * Return: constant string; "?" for a number that is no state.
 */
const char *perf_event_state_name(enum perf_event_state state)
{
	return perf_state_name(&perf_event_state_table,
			       state - FIRST);
}

static void perf_event_state_check(const struct perf_event *event,
				   enum perf_event_state to)
{
	if (!IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		return;
	perf_state_check(&perf_event_state_table, event->state - FIRST,
			 to - FIRST);
	if (event->attach_state & PERF_ATTACH_CONTEXT)
		perf_event_state_pair_check(event, to);
}

/**
 * perf_event_state_init() - set the state that an event starts in
 * @event: new event
 *
 * Context: the event is visible to nobody.
 */
void perf_event_state_init(struct perf_event *event)
{
	event->state = event->attr.disabled ? PERF_EVENT_STATE_OFF :
					      PERF_EVENT_STATE_INACTIVE;
}

/*
 * Times of siblings start and stop with those of the leader, which was enabled
 * if @passed. Their offsets matter only while the times run.
 */
static void perf_event_set_siblings(struct perf_event *leader, bool passed)
{
	struct perf_event *sibling;
	u64 time;

	for_each_sibling_event(sibling, leader) {
		time = perf_event_own_time(sibling,
					   perf_event_ctx(leader)->time);
		perf_event_bring_times_to(sibling, time, passed);
		if (!passed)
			perf_event_time_anchor(sibling);
	}
}

/* An event without siblings starts and stops no times but its own. */
static noinline void perf_event_set_enabled(struct perf_event *event,
					    enum perf_event_state state)
{
	if (perf_event_is_enabled(state))
		perf_event_anchor_enabled(event);
	if (event->attach_state & PERF_ATTACH_CONTEXT)
		perf_event_toggle_enabled(event);
	WRITE_ONCE(event->state, state);
}

/* The times of the whole group depend on its leader. */
static noinline void perf_event_set_group_enabled(struct perf_event *leader,
						  enum perf_event_state state)
{
	perf_event_set_siblings(leader, perf_event_is_enabled(leader->state));
	perf_event_set_enabled(leader, state);
}

/**
 * perf_event_set_state() - change the state of an event
 * @event: event; the clock of its context is up to date
 * @state: next state
 *
 * No other function changes a state. Times are settled first. If a leader is
 * enabled or disabled, so are the times of its siblings, which then start or
 * stop.
 *
 * Context: ctx->lock once the event belongs to a context.
 */
void perf_event_set_state(struct perf_event *event,
			  enum perf_event_state state)
{
	if (event->state == state)
		return;
	perf_event_state_check(event, state);
	perf_event_bring_times(event);
	if (state == PERF_EVENT_STATE_ACTIVE)
		perf_event_anchor_running(event);
	if (perf_event_is_enabled(event->state) == perf_event_is_enabled(state))
		WRITE_ONCE(event->state, state);
	else if (event->nr_siblings)
		perf_event_set_group_enabled(event, state);
	else
		perf_event_set_enabled(event, state);
}
