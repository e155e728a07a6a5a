/* SPDX-License-Identifier: GPL-2.0 */
/* Room "event_state": the states of events, and their setter. */
#ifndef _KERNEL_EVENTS_EVENT_STATE_H
#define _KERNEL_EVENTS_EVENT_STATE_H

#include <linux/hash.h>
#include "clock_times.h"
#include "state.h"
#include "types.h"

/* Which state may follow which. */
extern struct perf_state_table perf_event_state_table;
/* Which states each state of a context allows. */
extern struct perf_state_table perf_ctx_event_table;
void perf_event_state_pair_check(const struct perf_event *event,
				 enum perf_event_state state);
bool perf_event_state_allowed(enum perf_event_state from,
			      enum perf_event_state to);
const char *perf_event_state_name(enum perf_event_state state);
void perf_event_state_check_change(const struct perf_event *event,
				   enum perf_event_state to);
void perf_event_set_state(struct perf_event *event,
			  enum perf_event_state state);

/* Nothing without CONFIG_PERF_EVENTS_DEBUG_STATE. */
static inline void perf_event_state_check(const struct perf_event *event,
					  enum perf_event_state to)
{
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		perf_event_state_check_change(event, to);
}

/**
 * perf_event_state_init() - set the state that an event starts in
 * @event: new event, or one that moves and is in no context
 *
 * Context: the mutex of the context that the event will join; or no other code
 * can find the event.
 */
static inline void perf_event_state_init(struct perf_event *event)
{
	/* The files of an event that moves are read without the mutex. */
	WRITE_ONCE(event->state, event->attr.disabled ?
		   PERF_EVENT_STATE_OFF : PERF_EVENT_STATE_INACTIVE);
}

/*
 * An event of the context was enabled or disabled. Equal contexts in which the
 * same events are enabled have the same ctx->enabled. Ids are multiplied,
 * because consecutive numbers would cancel out.
 */
static inline void perf_event_toggle_enabled(struct perf_event *event)
{
	perf_event_ctx(event)->enabled ^=
		perf_event_eldest_id(event) * GOLDEN_RATIO_64;
}

/**
 * perf_event_set_switched_in_locked() - set the state ACTIVE at a switch
 * @event: INACTIVE event of a task, whose leader is enabled
 *
 * This does what perf_event_set_state() does for such an event, without its
 * other cases.
 *
 * Context: ctx->lock; clock up to date.
 */
static __always_inline void
perf_event_set_switched_in_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	perf_event_state_check(event, PERF_EVENT_STATE_ACTIVE);
	perf_event_bring_times_to(event, perf_event_ctx(event)->time, true);
	perf_event_anchor_running(event);
	WRITE_ONCE(event->state, PERF_EVENT_STATE_ACTIVE);
}

/**
 * perf_event_set_switched_out_locked() - set the state INACTIVE at a switch
 * @event: ACTIVE event of a task
 *
 * Context: ctx->lock; clock up to date.
 */
static __always_inline void
perf_event_set_switched_out_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	perf_event_state_check(event, PERF_EVENT_STATE_INACTIVE);
	perf_event_bring_times_to(event, perf_event_ctx(event)->time, true);
	WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
}

#endif /* _KERNEL_EVENTS_EVENT_STATE_H */
