// SPDX-License-Identifier: GPL-2.0
/*
 * Room "batch": one operation on many events.
 *
 * Purpose: enable, disable or reset an event with its inherited copies, a group,
 * or all that a task has opened, so that a context is called once, however many
 * of its events are meant: one IPI for each CPU that has some.
 *
 * Owns: nothing.
 *
 * Contexts: task.
 *
 * Lifetime: the mutexes below keep events and copies.
 *
 * Locking: the mutex of the opened events' context, then the child_mutex of each
 * of them. Several of these nest only under that one mutex, so in any order.
 *
 * Race, a fork copies a member of a group that is being enabled:
 *  1. the fork has the child_mutex of the member's eldest, reads "off" from the
 *     event it copies, lists the copy and lets go;
 *  2. the batch has all the child_mutexes, so it comes before 1 or after:
 *     the copy is made of an event that is enabled, or is enabled with it.
 *
 * Race, an event is enabled while its owner disables all it has:
 *  1. the owner is done with the event, and goes on to one opened later;
 *  2. somebody enables the event, with its copies;
 *  3. the owner calls the context of a copy of the later one, in which there is a
 *     copy of the event as well. It leaves that as it is: a call is only for
 *     what was not opened before the event that it is made for.
 *
 * Race, a task exits while an event is reset:
 *  1. the exit has child_mutex: the copy's count goes into the eldest's
 *     child_count, and the copy leaves the list;
 *  2. the reset has child_mutex. It clears child_count and the copies on the
 *     list. Had 2 come before 1, the exit would add a count that was cleared.
 *
 * Race, a fork copies an event from a context that its owner has called for the
 * sake of another: the copy may be made of the event as it was before. It is on
 * the event's list when the owner comes to the event, which has child_mutex then.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include "batch.h"
#include "clock.h"
#include "context.h"
#include "control.h"
#include "remote.h"
#include "swap.h"

static void perf_batch_one_locked(struct perf_cpu_context *cpuctx,
				  struct perf_event *event,
				  enum perf_batch_op op)
{
	lockdep_assert_held(&event->ctx->lock);
	switch (op) {
	case PERF_BATCH_ENABLE:
		if (perf_control_enable_locked(event))
			perf_control_retry_locked(cpuctx, event->group_leader);
		break;
	case PERF_BATCH_DISABLE:
		perf_control_disable_locked(event);
		break;
	case PERF_BATCH_RESET:
		perf_control_reset_locked(event);
		break;
	}
}

/* All members are enabled before the group tries, so that it tries once. */
static void perf_batch_enable_group_locked(struct perf_cpu_context *cpuctx,
					   struct perf_event *leader)
{
	bool enabled = perf_control_enable_locked(leader);
	struct perf_event *sibling;

	lockdep_assert_held(&leader->ctx->lock);
	for_each_sibling_event(sibling, leader)
		enabled |= perf_control_enable_locked(sibling);
	if (enabled)
		perf_control_retry_locked(cpuctx, leader);
}

static void perf_batch_group_locked(struct perf_cpu_context *cpuctx,
				    struct perf_event *leader,
				    enum perf_batch_op op)
{
	struct perf_event *sibling;

	lockdep_assert_held(&leader->ctx->lock);
	if (op == PERF_BATCH_ENABLE) {
		perf_batch_enable_group_locked(cpuctx, leader);
		return;
	}
	perf_batch_one_locked(cpuctx, leader, op);
	for_each_sibling_event(sibling, leader)
		perf_batch_one_locked(cpuctx, sibling, op);
}

struct perf_batch_args {
	struct perf_event	*event;
	enum perf_batch_op	op;
	bool			group;
};

static int perf_batch_oncpu(struct perf_event_context *ctx,
			    struct perf_cpu_context *cpuctx, void *arg)
{
	const struct perf_batch_args *args = arg;

	perf_ctx_clock_update_locked(ctx);
	if (args->group)
		perf_batch_group_locked(cpuctx, args->event, args->op);
	else
		perf_batch_one_locked(cpuctx, args->event, args->op);
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
	struct perf_batch_args args = { event, op, group };

	if (group || perf_batch_is_needed(event, op))
		perf_ctx_call(event->ctx, perf_batch_oncpu, &args);
}

/* What copies had counted that are gone is a part of the sum. */
static void perf_batch_reset_gone(struct perf_event *event,
				  enum perf_batch_op op)
{
	lockdep_assert_held(&event->child_mutex);
	if (op == PERF_BATCH_RESET)
		atomic64_set(&event->child_count, 0);
}

static void perf_batch_family(struct perf_event *event, enum perf_batch_op op)
{
	struct perf_event *child;

	guard(mutex)(&event->child_mutex);
	/* No count goes from a copy that is yet to be reset to one that has been. */
	if (op == PERF_BATCH_RESET)
		perf_swap_hold_counts(event);
	perf_batch_reset_gone(event, op);
	perf_batch_call(event, op, false);
	list_for_each_entry(child, &event->child_list, child_list)
		perf_batch_call(child, op, false);
	if (op == PERF_BATCH_RESET)
		perf_swap_release_counts(event);
}

/*
 * Has it no copies, and gets none? A sibling is copied with its leader, and keeps
 * its copies when that closes. While there is a copy others may come: of it.
 */
static bool perf_batch_is_single(const struct perf_event *event)
{
	return !event->attr.inherit && !event->group_leader->attr.inherit &&
	       list_empty(&event->child_list);
}

/**
 * perf_batch_event - do something to an event and its inherited copies
 * @event: event that was opened
 * @op: what
 *
 * Context: task, ctx->mutex.
 */
void perf_batch_event(struct perf_event *event, enum perf_batch_op op)
{
	if (perf_batch_is_single(event))
		perf_batch_call(event, op, false);
	else
		perf_batch_family(event, op);
}

static void perf_batch_lock_member(struct perf_event *event,
				   enum perf_batch_op op)
{
	mutex_lock_nest_lock(&event->child_mutex, &event->ctx->mutex);
	perf_batch_reset_gone(event, op);
}

static void perf_batch_lock_group(struct perf_event *leader,
				  enum perf_batch_op op)
{
	struct perf_event *sibling;

	perf_batch_lock_member(leader, op);
	for_each_sibling_event(sibling, leader)
		perf_batch_lock_member(sibling, op);
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

/* Copies of siblings that are in no copy of the group lead themselves. */
static void perf_batch_strays(struct perf_event *sibling, enum perf_batch_op op)
{
	struct perf_event *child;

	list_for_each_entry(child, &sibling->child_list, child_list) {
		if (READ_ONCE(child->group_leader) == child)
			perf_batch_call(child, op, false);
	}
}

/**
 * perf_batch_group - do something to a group and its inherited copies
 * @leader: leader that was opened
 * @op: what
 *
 * Context: task, ctx->mutex.
 */
void perf_batch_group(struct perf_event *leader, enum perf_batch_op op)
{
	struct perf_event *child, *sibling;

	lockdep_assert_held(&leader->ctx->mutex);
	perf_batch_lock_group(leader, op);
	perf_batch_call(leader, op, true);
	list_for_each_entry(child, &leader->child_list, child_list)
		perf_batch_call(child, op, true);
	for_each_sibling_event(sibling, leader)
		perf_batch_strays(sibling, op);
	perf_batch_unlock_group(leader, op);
}

/* What current has opened is in the order of its ids. */
struct perf_batch_owned_args {
	const struct task_struct	*owner;
	u64				first;
	enum perf_batch_op		op;
};

/* The owner's perf_event_mutex is held: what is owned stays so. */
static bool perf_batch_is_owned(const struct perf_event *event,
				const struct perf_batch_owned_args *args)
{
	const struct perf_event *eldest = event->parent ?: event;

	return READ_ONCE(eldest->owner) == args->owner &&
	       eldest->id >= args->first;
}

static int perf_batch_owned_oncpu(struct perf_event_context *ctx,
				  struct perf_cpu_context *cpuctx, void *arg)
{
	const struct perf_batch_owned_args *args = arg;
	struct perf_event *event;

	perf_ctx_clock_update_locked(ctx);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (perf_batch_is_owned(event, args))
			perf_batch_one_locked(cpuctx, event, args->op);
	}
	return 0;
}

static void perf_batch_owned_call(struct perf_event *event,
				  struct perf_batch_owned_args *args)
{
	if (perf_batch_is_needed(event, args->op))
		perf_ctx_call(event->ctx, perf_batch_owned_oncpu, args);
}

/*
 * The first event calls all contexts that it has copies in, for itself and those
 * after it; what is left to do for them is where the first one has no copy.
 */
static void perf_batch_owned_family(struct perf_event *event,
				    struct perf_batch_owned_args *args)
{
	struct perf_event *child;

	guard(mutex)(&event->child_mutex);
	perf_batch_owned_call(event, args);
	list_for_each_entry(child, &event->child_list, child_list)
		perf_batch_owned_call(child, args);
}

/**
 * perf_batch_owned - do something to all events that current has opened
 * @op: enable or disable
 *
 * Context: task; takes current->perf_event_mutex and those of contexts.
 */
void perf_batch_owned(enum perf_batch_op op)
{
	struct perf_batch_owned_args args = { .owner = current, .op = op };
	struct perf_event_context *ctx;
	struct perf_event *event;

	guard(mutex)(&current->perf_event_mutex);
	list_for_each_entry(event, &current->perf_event_list, owner_entry) {
		args.first = event->id;
		ctx = perf_event_ctx_lock(event);
		perf_batch_owned_family(event, &args);
		perf_event_ctx_unlock(event, ctx);
	}
}
