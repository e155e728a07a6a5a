// SPDX-License-Identifier: GPL-2.0
/*
 * Room "batch": one operation on many events.
 *
 * Purpose: enable, disable or reset an event with its inherited copies, a
 * group, or all events that a task has opened. One call to a context handles
 * all of its events that are concerned: one IPI for each CPU that has some. The
 * contexts of an event's copies, or of a group's, are called in a wave. A task
 * may have opened any number of events, so they are handled in portions,
 * which do not divide a group. Only an operation on a group with copies, of more
 * events than PERF_BATCH_LOCKS, is an operation on each of its events.
 *
 * Owns: nothing.
 *
 * Contexts: task.
 *
 * Lifetime: the mutexes below keep events and copies. perf_batch_owned() has
 * references on the events that it has looked up in one context, and on the last
 * one before them.
 *
 * Locking: ctx->mutex of the opened events, then the child_mutex of each event.
 * Several child_mutexes nest only under that one ctx->mutex, so their order
 * does not matter. A call for all events of an owner holds one child_mutex
 * at most; the later events that it visits have the same ctx->mutex.
 *
 * Race, a fork copies an event of a group that is being enabled:
 *  1. the fork has the child_mutex of the event's eldest, reads OFF from the
 *     event it copies, lists the copy and unlocks;
 *  2. the batch has the child_mutex, usually of all events of the group, so it
 *     comes before 1 or after:
 *     either the copy is made of an enabled event, or the batch enables it.
 *
 * Race, an event is enabled while its owner disables all its events:
 *  1. the owner has disabled the event, and continues with a later one;
 *  2. another task enables the event, with its copies;
 *  3. the owner calls the context of a copy of the later event, in which there
 *     is a copy of the first event as well. It leaves that copy as it is: a
 *     call skips events that were opened before the event that it is made for.
 *
 * Race, a task exits while an event is reset:
 *  1. the exit has child_mutex: the copy's count goes into the eldest's
 *     child_count, and the copy leaves the list;
 *  2. the reset has child_mutex. It clears child_count and the copies on the
 *     list. If step 2 comes first, the exit adds a count that was cleared.
 *
 * Race, a fork copies an event from a context that the owner has already called
 * for another event: the copy may have the state from before that call. The
 * copy is on the event's list by the time the owner comes to the event and
 * takes its child_mutex.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include "batch.h"
#include "clock.h"
#include "context.h"
#include "control.h"
#include "remote.h"
#include "sched.h"
#include "swap.h"

/* Return: true if the event's group has to be scheduled in again. */
static bool perf_batch_one_locked(struct perf_event *event,
				  enum perf_batch_op op)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	switch (op) {
	case PERF_BATCH_ENABLE:
		return perf_control_enable_locked(event);
	case PERF_BATCH_DISABLE:
		perf_control_disable_locked(event);
		break;
	case PERF_BATCH_RESET:
		perf_control_reset_locked(event);
		break;
	}
	return false;
}

/* All events are enabled before the group tries, so that it tries once. */
static bool perf_batch_group_locked(struct perf_event *leader,
				    enum perf_batch_op op)
{
	bool retry = perf_batch_one_locked(leader, op);
	struct perf_event *sibling;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	for_each_sibling_event(sibling, leader)
		retry |= perf_batch_one_locked(sibling, op);
	return retry;
}

struct perf_batch_args {
	struct perf_event	*event;
	enum perf_batch_op	op;
	bool			group;
};

static_assert(sizeof(struct perf_batch_args) <= PERF_WAVE_ARG);

static int perf_batch_remote(struct perf_ctx *ctx,
			     struct perf_cpu_context *cpuctx, void *arg)
{
	const struct perf_batch_args *args = arg;
	struct perf_event *event = args->event;
	bool retry;

	perf_ctx_clock_update_locked(ctx);
	if (args->group)
		retry = perf_batch_group_locked(event, args->op);
	else
		retry = perf_batch_one_locked(event, args->op);
	if (retry)
		perf_control_retry_locked(cpuctx, event->group_leader);
	return 0;
}

static bool perf_batch_is_needed(const struct perf_event *event,
				 enum perf_batch_op op)
{
	enum perf_event_state state = READ_ONCE(event->state);

	switch (op) {
	case PERF_BATCH_ENABLE:
		return state == PERF_EVENT_STATE_OFF ||
		       state == PERF_EVENT_STATE_ERROR;
	case PERF_BATCH_DISABLE:
		return state > PERF_EVENT_STATE_OFF;
	default:
		return true;
	}
}

static void perf_batch_call(struct perf_event *event, enum perf_batch_op op,
			    bool group)
{
	struct perf_batch_args args = {
		.event	= event,
		.op	= op,
		.group	= group,
	};

	if (group || perf_batch_is_needed(event, op))
		perf_ctx_call(perf_event_ctx(event), perf_batch_remote, &args);
}

/* The same, without waiting for an answer. */
static void perf_batch_send(struct perf_wave *wave, struct perf_event *event,
			    enum perf_batch_op op, bool group)
{
	const struct perf_batch_args args = {
		.event	= event,
		.op	= op,
		.group	= group,
	};

	if (group || perf_batch_is_needed(event, op))
		perf_wave_call(wave, perf_event_ctx(event), perf_batch_remote,
			       &args, sizeof(args));
}

/* The counts of copies that have ended are a part of the sum. */
static void perf_batch_reset_gone(struct perf_event *event,
				  enum perf_batch_op op)
{
	lockdep_assert_held(&event->child_mutex);
	if (op == PERF_BATCH_RESET)
		atomic64_set(&event->child_count, 0);
}

static void perf_batch_copies(struct perf_event *event, enum perf_batch_op op)
{
	struct perf_event *child;
	struct perf_wave wave __uninitialized;

	wave.ended = NULL;

	guard(mutex)(&event->child_mutex);
	/* No exchange may move a count to a copy that was reset already. */
	if (op == PERF_BATCH_RESET)
		perf_swap_hold_counts(event);
	perf_batch_reset_gone(event, op);
	perf_wave_begin(&wave, perf_wave_size(event));
	perf_batch_send(&wave, event, op, false);
	list_for_each_entry(child, &event->child_list, child_list)
		perf_batch_send(&wave, child, op, false);
	perf_wave_end(&wave);
	if (op == PERF_BATCH_RESET)
		perf_swap_release_counts(event);
}

/*
 * Can the event never have copies? In a group of a task all events have equal
 * attr.inherit; events of CPUs are never copied.
 */
static bool perf_batch_is_single(const struct perf_event *event)
{
	return !event->attr.inherit;
}

/**
 * perf_batch_event() - do an operation on an event and its inherited copies
 * @event: event that was opened
 * @op: the operation
 *
 * Context: task, ctx->mutex; takes child_mutex if the event may have copies.
 */
void perf_batch_event(struct perf_event *event, enum perf_batch_op op)
{
	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	if (perf_batch_is_single(event))
		perf_batch_call(event, op, false);
	else
		perf_batch_copies(event, op);
}

static void perf_batch_lock_event(struct perf_event *event,
				  enum perf_batch_op op)
{
	mutex_lock_nest_lock(&event->child_mutex,
			     &perf_event_ctx(event)->mutex);
	perf_batch_reset_gone(event, op);
}

static void perf_batch_lock_group(struct perf_event *leader,
				  enum perf_batch_op op)
{
	struct perf_event *sibling;

	perf_batch_lock_event(leader, op);
	for_each_sibling_event(sibling, leader)
		perf_batch_lock_event(sibling, op);
	if (op == PERF_BATCH_RESET)
		perf_swap_hold_group(leader);
}

static void perf_batch_unlock_group(struct perf_event *leader,
				    enum perf_batch_op op)
{
	struct perf_event *sibling;

	if (op == PERF_BATCH_RESET)
		perf_swap_release_group(leader);
	for_each_sibling_event(sibling, leader)
		mutex_unlock(&sibling->child_mutex);
	mutex_unlock(&leader->child_mutex);
}

/*
 * Handles copies of a sibling that have lost their leader: each leads itself.
 */
static void perf_batch_strays(struct perf_wave *wave,
			      struct perf_event *sibling, enum perf_batch_op op)
{
	struct perf_event *child;

	list_for_each_entry(child, &sibling->child_list, child_list) {
		if (READ_ONCE(child->group_leader) == child)
			perf_batch_send(wave, child, op, false);
	}
}

static void perf_batch_group_copies(struct perf_event *leader,
				    enum perf_batch_op op)
{
	struct perf_event *child, *sibling;
	struct perf_wave wave __uninitialized;

	wave.ended = NULL;
	perf_batch_lock_group(leader, op);
	perf_wave_begin(&wave, perf_wave_size(leader));
	perf_batch_send(&wave, leader, op, true);
	list_for_each_entry(child, &leader->child_list, child_list)
		perf_batch_send(&wave, child, op, true);
	for_each_sibling_event(sibling, leader)
		perf_batch_strays(&wave, sibling, op);
	perf_wave_end(&wave);
	perf_batch_unlock_group(leader, op);
}

/* lockdep counts up to 2047 locks of a kind that a task holds. */
#define PERF_BATCH_LOCKS	1024

/*
 * Handles a group whose mutexes are too many to be held together: one event
 * after the other. Siblings of a leader that is off are not scheduled in or out;
 * to enable siblings of a leader that is on takes a turn of the group for each.
 */
static void perf_batch_large_group(struct perf_event *leader,
				   enum perf_batch_op op)
{
	struct perf_event *sibling;

	if (op != PERF_BATCH_ENABLE)
		perf_batch_copies(leader, op);
	for_each_sibling_event(sibling, leader)
		perf_batch_copies(sibling, op);
	if (op == PERF_BATCH_ENABLE)
		perf_batch_copies(leader, op);
}

/**
 * perf_batch_group() - do an operation on a group and its inherited copies
 * @leader: leader that was opened
 * @op: the operation
 *
 * Context: task, ctx->mutex; takes the child_mutex of each event of the group
 * if they may have copies, all at once unless the group is large.
 */
void perf_batch_group(struct perf_event *leader, enum perf_batch_op op)
{
	lockdep_assert_held(&perf_event_ctx(leader)->mutex);
	if (perf_batch_is_single(leader))
		perf_batch_call(leader, op, true);
	else if (leader->nr_siblings < PERF_BATCH_LOCKS)
		perf_batch_group_copies(leader, op);
	else
		perf_batch_large_group(leader, op);
}

/*
 * A call visits this many events, and the rest of the last one's group. The
 * next event that still needs the operation makes another call.
 */
#define PERF_BATCH_PORTION	32

/*
 * A pinned group counts as this many events: it tries even if none before it
 * fit.
 */
#define PERF_BATCH_PINNED	10

/*
 * A call to one context. @event: where it begins. @first: id of its eldest; older
 * events are skipped.
 */
struct perf_batch_owned_args {
	struct perf_event		*event;
	const struct task_struct	*owner;
	/* The context whose mutex is held. */
	const struct perf_ctx		*mutexed;
	u64				first;
	enum perf_batch_op		op;
};

static_assert(sizeof(struct perf_batch_owned_args) <= PERF_WAVE_ARG);

/*
 * What a call does. @left: events left of the portion. @leaders: until the portion
 * is done, groups to schedule in again, or single events to disable.
 */
struct perf_batch_portion {
	const struct perf_batch_owned_args *args;
	int				left;
	unsigned int			nr_leaders;
	struct perf_event		*leaders[PERF_BATCH_PORTION];
};

/*
 * Only current adds events to its list. An event that is closed loses its owner.
 * An event that was opened in another context may be changed meanwhile under
 * that one's mutex; it gets a call of its own.
 */
static bool perf_batch_is_owned(const struct perf_event *event,
				const struct perf_batch_owned_args *args)
{
	const struct perf_event *eldest = perf_event_eldest(event);

	return READ_ONCE(eldest->owner) == args->owner &&
	       eldest->id >= args->first &&
	       perf_ctx_of(READ_ONCE(eldest->ctx)) == args->mutexed;
}

static bool
perf_batch_owned_events_locked(struct perf_event *leader,
			       const struct perf_batch_owned_args *args)
{
	struct perf_event *sibling;
	bool retry = false;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (perf_batch_is_owned(leader, args))
		retry = perf_batch_one_locked(leader, args->op);
	for_each_sibling_event(sibling, leader) {
		if (perf_batch_is_owned(sibling, args))
			retry |= perf_batch_one_locked(sibling, args->op);
	}
	return retry;
}

/* An active group is scheduled out: all of it has to be scheduled in again. */
static void perf_batch_owned_group_locked(struct perf_event *event,
					  struct perf_batch_portion *portion)
{
	const struct perf_batch_owned_args *args = portion->args;
	struct perf_event *leader = event->group_leader;
	bool retry;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (!leader->nr_siblings && args->op == PERF_BATCH_DISABLE) {
		portion->leaders[portion->nr_leaders++] = leader;
		return;
	}
	if (leader->nr_siblings)
		retry = perf_batch_owned_events_locked(leader, args);
	else
		retry = perf_batch_one_locked(event, args->op);
	if (!retry)
		return;
	if (leader->attr.pinned)
		portion->left -= PERF_BATCH_PINNED - 1;
	if (leader->state == PERF_EVENT_STATE_ACTIVE)
		perf_sched_group_out_locked(leader);
	portion->leaders[portion->nr_leaders++] = leader;
}

/* An event in ERROR, perhaps from this batch, is only tried by its own call. */
static bool perf_batch_owned_wants(const struct perf_event *event,
				   const struct perf_batch_owned_args *args)
{
	if (event->state == PERF_EVENT_STATE_ERROR && event != args->event)
		return false;
	return perf_batch_is_needed(event, args->op) &&
	       perf_batch_is_owned(event, args);
}

/*
 * Walks from one event to those opened later, group by group: the list has the
 * newest first, apart from events that have moved. When a group was handled, its
 * other events need no further work.
 */
static void perf_batch_owned_walk_locked(struct perf_ctx *ctx,
					 struct perf_batch_portion *portion)
{
	const struct perf_batch_owned_args *args = portion->args;
	struct perf_event *event = args->event;

	lockdep_assert_held(&ctx->lock);
	list_for_each_entry_from_reverse(event, &ctx->event_list, event_entry) {
		if (perf_batch_owned_wants(event, args)) {
			portion->left -= event->group_leader->nr_siblings;
			perf_batch_owned_group_locked(event, portion);
		}
		if (--portion->left <= 0)
			break;
	}
}

/*
 * No group tries before all events of the portion are enabled: the first pinned
 * group that does not fit causes a new choice, which covers the others.
 */
static int perf_batch_owned_remote(struct perf_ctx *ctx,
				   struct perf_cpu_context *cpuctx, void *arg)
{
	/* Only what was filled in is read. */
	struct perf_batch_portion portion __uninitialized;
	const struct perf_batch_owned_args *args = arg;
	unsigned int i;

	if (!(args->event->attach_state & PERF_ATTACH_CONTEXT))
		return 0;
	portion.args = args;
	portion.left = PERF_BATCH_PORTION;
	portion.nr_leaders = 0;
	perf_ctx_clock_update_locked(ctx);
	perf_batch_owned_walk_locked(ctx, &portion);
	if (args->op == PERF_BATCH_DISABLE) {
		/* Last in, first out: the best order for drivers that keep an array. */
		while (portion.nr_leaders)
			perf_control_disable_locked(portion.leaders[--portion.nr_leaders]);
	}
	if (!cpuctx)
		return 0;
	for (i = 0; i < portion.nr_leaders; i++)
		perf_sched_group_try_in_locked(cpuctx, portion.leaders[i]);
	return 0;
}

static void perf_batch_owned_call(struct perf_event *event,
				  struct perf_batch_owned_args *args)
{
	if (!perf_batch_is_needed(event, args->op))
		return;
	args->event = event;
	perf_ctx_call(perf_event_ctx(event), perf_batch_owned_remote, args);
}

/* The same, without waiting for an answer. */
static void perf_batch_owned_send(struct perf_wave *wave,
				  struct perf_event *event,
				  struct perf_batch_owned_args *args)
{
	if (!perf_batch_is_needed(event, args->op))
		return;
	args->event = event;
	perf_wave_call(wave, perf_event_ctx(event), perf_batch_owned_remote,
		       args, sizeof(*args));
}

/*
 * Calls the contexts of @event and of all its copies. Each call also handles
 * later events of its portion. A later event needs a call of its own only for
 * contexts without a copy of @event, or if the portion ended before it.
 */
static void perf_batch_owned_copies(struct perf_event *event,
				    struct perf_batch_owned_args *args)
{
	struct perf_wave wave __uninitialized;
	struct perf_event *child;

	wave.ended = NULL;
	guard(mutex)(&event->child_mutex);
	perf_wave_begin(&wave, perf_wave_size(event));
	perf_batch_owned_send(&wave, event, args);
	list_for_each_entry(child, &event->child_list, child_list)
		perf_batch_owned_send(&wave, child, args);
	perf_wave_end(&wave);
}

/* Events that one look-up returns. */
#define PERF_BATCH_OWNED	8

/*
 * The list is in the order of the numbers. An event that was closed meanwhile has
 * lost its place there.
 *
 * Return: the number of @events, each with a reference: those that follow @after,
 * or the first ones if that is %NULL, as far as they are in one context.
 */
static unsigned int perf_batch_get_owned(struct perf_event *after,
					 struct perf_event **events)
{
	struct perf_event *event = after;
	u64 last = after ? after->id : 0;
	unsigned int nr = 0;

	guard(mutex)(&current->perf_event_mutex);
	if (!event || !event->owner)
		event = list_entry(&current->perf_event_list,
				   struct perf_event, owner_entry);
	list_for_each_entry_continue(event, &current->perf_event_list,
				     owner_entry) {
		if (event->id <= last)
			continue;
		if (nr == PERF_BATCH_OWNED ||
		    (nr && READ_ONCE(event->ctx) != READ_ONCE(events[0]->ctx)))
			break;
		/* It has the reference of its file. */
		perf_event_get_ref(event);
		events[nr++] = event;
	}
	return nr;
}

/*
 * Handles the first event, and those after it until one has left its context.
 * Return: the last event that was handled.
 */
static struct perf_event *
perf_batch_owned_same_ctx(struct perf_event **events, unsigned int nr,
			  struct perf_batch_owned_args *args)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(events[0]);
	unsigned int i = 0;

	args->mutexed = ctx;
	do {
		args->first = events[i]->id;
		if (perf_batch_is_single(events[i]))
			perf_batch_owned_call(events[i], args);
		else
			perf_batch_owned_copies(events[i], args);
	} while (++i < nr && perf_ctx_of(READ_ONCE(events[i]->ctx)) == ctx);
	perf_event_ctx_unlock(events[0], ctx);
	return events[i - 1];
}

/**
 * perf_batch_owned() - do an operation on all events that current has opened
 * @op: enable or disable
 *
 * Breakpoints take the perf_event_mutex of their task inside of a context's mutex,
 * so it is not held during the calls.
 *
 * Context: task, may sleep; takes current->perf_event_mutex; then the mutex of one
 * context after the other, and in it the child_mutex of events with copies.
 */
void perf_batch_owned(enum perf_batch_op op)
{
	struct perf_batch_owned_args args = {
		.owner	= current,
		.op	= op,
	};
	struct perf_event *events[PERF_BATCH_OWNED] __uninitialized;
	/* The last event that was handled; its successors are found from it. */
	struct perf_event *after = NULL;
	unsigned int nr;

	while ((nr = perf_batch_get_owned(after, events))) {
		if (after)
			perf_event_put(after);
		after = perf_batch_owned_same_ctx(events, nr, &args);
		while (nr--) {
			if (events[nr] != after)
				perf_event_put(events[nr]);
		}
	}
	if (after)
		perf_event_put(after);
}
