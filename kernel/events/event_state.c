// SPDX-License-Identifier: GPL-2.0
/*
 * Room "event_state": the states of events, and the only functions that set
 * them.
 *
 * Purpose: one table says which state may follow which. Another one says which
 * states an event may have in each state of its context. With
 * CONFIG_PERF_EVENTS_DEBUG_STATE each change is compared with both.
 *
 * Owns: event->state; ctx->enabled.
 *
 * Contexts: any but NMI. NMI reads event->state.
 *
 * Locking: a state changes under ctx->lock. While an event is in no context, only
 * the task that creates or moves it changes the state.
 *
 * Race, an NMI reads an event's times while its state changes on the same CPU:
 * the sum and the offset are stored before the state that selects one of them;
 * see clock.c.
 */
#include <linux/bug.h>
#include "clock_times.h"
#include "ctx_state.h"
#include "event_state.h"

#define FIRST		PERF_EVENT_STATE_DEAD
#define STATE(s)	(PERF_EVENT_STATE_##s - FIRST)
#define TO(s)		BIT(STATE(s))

/*
 * One row for each state: the states that may follow. DEAD is final. REVOKED is
 * an event whose PMU was unregistered. EXIT is an event that is still open
 * although its task has exited, or its CPU has gone. ERROR is a pinned event
 * that does not fit, or a sibling that cannot count without its leader.
 */
static const struct perf_state_row perf_event_states[] = {
	[STATE(ACTIVE)] = {
		.name	= "active",
		.to	= TO(INACTIVE) | TO(OFF),
	},
	[STATE(INACTIVE)] = {
		.name	= "inactive",
		.to	= TO(ACTIVE) | TO(OFF) | TO(ERROR) | TO(EXIT) |
			  TO(REVOKED) | TO(DEAD),
	},
	[STATE(OFF)] = {
		.name	= "off",
		.to	= TO(INACTIVE) | TO(ERROR) | TO(EXIT) | TO(REVOKED) |
			  TO(DEAD),
	},
	[STATE(ERROR)] = {
		.name	= "error",
		.to	= TO(OFF) | TO(EXIT) | TO(REVOKED) | TO(DEAD),
	},
	[STATE(EXIT)] = {
		.name	= "exit",
		.to	= TO(REVOKED) | TO(DEAD),
	},
	[STATE(REVOKED)] = {
		.name	= "revoked",
		.to	= TO(DEAD),
	},
	[STATE(DEAD)] = {
		.name	= "dead",
	},
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
	[PERF_CTX_UNLOADED] = {
		.name	= "unloaded",
		.to	= TO(INACTIVE) | TO(OFF) | TO(ERROR) | TO(EXIT) |
			  TO(REVOKED) | TO(DEAD),
	},
	[PERF_CTX_LOADED] = {
		.name	= "loaded",
		.to	= TO(ACTIVE) | TO(INACTIVE) | TO(OFF) | TO(ERROR) |
			  TO(EXIT) | TO(REVOKED) | TO(DEAD),
	},
	[PERF_CTX_PARKED] = {
		.name	= "parked",
		.to	= TO(INACTIVE) | TO(OFF) | TO(ERROR) | TO(EXIT) |
			  TO(REVOKED) | TO(DEAD),
	},
	[PERF_CTX_LENT] = {
		.name	= "lent",
		.to	= TO(ACTIVE) | TO(INACTIVE) | TO(OFF) | TO(ERROR) |
			  TO(EXIT) | TO(REVOKED) | TO(DEAD),
	},
	[PERF_CTX_TOMBSTONE] = {
		.name	= "tombstone",
		.to	= TO(INACTIVE) | TO(OFF) | TO(ERROR) | TO(EXIT) |
			  TO(REVOKED) | TO(DEAD),
	},
	[PERF_CTX_HANDLE] = {
		.name	= "handle",
	},
	[PERF_CTX_ONLINE] = {
		.name	= "online",
		.to	= TO(ACTIVE) | TO(INACTIVE) | TO(OFF) | TO(ERROR) |
			  TO(EXIT) | TO(REVOKED) | TO(DEAD),
	},
	[PERF_CTX_OFFLINE] = {
		.name	= "offline",
		.to	= TO(INACTIVE) | TO(OFF) | TO(ERROR) | TO(EXIT) |
			  TO(REVOKED) | TO(DEAD),
	},
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

/**
 * perf_event_state_check_change() - check that an event may get a state
 * @event: event; if it is in a context, ctx->lock is held
 * @to: next state
 *
 * Called only with CONFIG_PERF_EVENTS_DEBUG_STATE.
 *
 * Context: as perf_event_set_state().
 */
void perf_event_state_check_change(const struct perf_event *event,
				   enum perf_event_state to)
{
	perf_state_check(&perf_event_state_table, event->state - FIRST,
			 to - FIRST);
	if (event->attach_state & PERF_ATTACH_CONTEXT)
		perf_event_state_pair_check(event, to);
}

/*
 * Times of siblings start and stop with those of the leader. @passed: true if
 * the leader was enabled. Offsets are used only while the times run.
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

/* For an event without siblings: only its own times start or stop. */
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
 * Only this function, and those of this room for task switches, change a state.
 * Times are updated first. If a leader is enabled or disabled, the times of its
 * siblings start or stop as well.
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
