// SPDX-License-Identifier: GPL-2.0
/*
 * Room "revoke": unregisters a PMU although events of it are open.
 *
 * Purpose: removes every event of the PMU permanently, whether a file, the
 * kernel, the family of an eldest or a task that has exited holds it.
 * Afterwards the event is REVOKED, holds no resources of the driver any more,
 * and points to a PMU that does nothing. Events of other PMUs that were in PMU
 * contexts of this PMU, because they shared a group with one of its events,
 * move to the PMU contexts where they would have been without it.
 *
 * Owns: nothing that outlives a call.
 *
 * Contexts: task; may sleep.
 *
 * Lifetime: lists of the PMU show when the work is complete. "events" of each
 * CPU have all events that the driver knows; "pmu_ctxs" has its PMU contexts,
 * until they are freed. All are empty in the end, and nothing can be added to
 * them: new events are refused, and a PMU context is created with an event of
 * the PMU, or with an inherited copy of an event in another PMU context, or for an
 * event that moves and whose old PMU context is on the list meanwhile (divide.c).
 *
 * Locking: revoke_mutex outside of everything else here, so that an event is
 * revoked only once if its PMU and its group's PMU are both unregistered. Then
 * as in event.c: the context's mutex, the eldest's child_mutex. The driver
 * releases its resources outside of both, since it may take any lock.
 *
 * Race, an event is revoked while its file maps it:
 *  1. revoke sets REVOKED, and passes through mmap_mutex;
 *  2. if perf_mmap() had that mutex before, the driver has been notified of the
 *     mapping, and the user page was filled in before revoke fills it in again,
 *     with index 0. If it gets the mutex later, it sees REVOKED and fails.
 *
 * Race, a PMU context loses its last event while its PMU is unregistered:
 *  1. perf_epc_put() drops the reference, and then looks whether the PMU is
 *     leaving: not yet, so the PMU context stays in its context, unused;
 *  2. perf_pmu_hide() marks the PMU only now; revoke_next() looks at the
 *     reference after that, and once more before it waits: the PMU context is
 *     unused, and is freed. If step 1 sees that the PMU is leaving, it frees
 *     the PMU context itself and wakes the waiter.
 *
 * Mapped pages stay. A driver is not notified when these mappings end; if it
 * has granted user space some access in event_mapped(), it has to withdraw that
 * itself.
 */
#include <linux/export.h>
#include <linux/poll.h>
#include <linux/wait_bit.h>

#include "clock.h"
#include "context.h"
#include "control.h"
#include "delay.h"
#include "event.h"
#include "groups.h"
#include "mmap.h"
#include "overflow.h"
#include "pmu.h"
#include "remote.h"
#include "sched.h"

/* One PMU at a time. */
static DEFINE_MUTEX(revoke_mutex);

/* The next step, with a reference; if both are NULL, the work is complete. */
struct revoke_step {
	struct perf_event		*event;
	/* Its PMU context has references but no events, or is unused. */
	struct perf_ctx			*ctx;
};

/* Events. */

/*
 * A fork that fails waits until it has the only reference on the context of its
 * half-made task. The context may be gone by now; its address is only the name
 * of the queue.
 */
static void revoke_wake_fork(struct perf_ctx *ctx)
{
	smp_mb(); /* the reference is put before the queue is checked */
	wake_up_var(&ctx->refcount);
}

/* If its eldest or its task has removed the copy, only the state changes. */
static bool revoke_copy(struct perf_event *copy)
{
	guard(mutex)(&copy->parent->child_mutex);
	if (!(copy->attach_state & PERF_ATTACH_CHILD)) {
		perf_control_remove(copy, PERF_EVENT_STATE_REVOKED, 0);
		return false;
	}
	perf_control_remove(copy, PERF_EVENT_STATE_REVOKED,
			    PERF_LEAVE_GROUP | PERF_LEAVE_PARENT);
	perf_event_fold_child(copy);
	return true;
}

/* Return: true if the caller now has the reference of the eldest's list. */
static bool revoke_remove(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);
	bool listed = false;

	if (event->parent)
		listed = revoke_copy(event);
	else
		perf_control_remove(event, PERF_EVENT_STATE_REVOKED,
				    PERF_LEAVE_GROUP);
	perf_event_ctx_unlock(event, ctx);
	return listed;
}

static void revoke_event(struct perf_event *event)
{
	struct perf_ctx *ctx;
	bool listed = revoke_remove(event);

	scoped_guard(mutex, &event->mmap_mutex)
		perf_mmap_show(event);
	perf_mmap_revoke_aux(event);
	perf_debug_sleep();
	perf_event_leave_pmu(event);
	/* Only opened events have readers. */
	if (!event->parent) {
		WRITE_ONCE(event->pending_kill, POLL_HUP);
		perf_overflow_wakeup(event);
	}

	/* event->ctx no longer changes. */
	ctx = perf_event_ctx(event);
	if (listed)
		perf_event_put(event);
	perf_event_put(event);
	revoke_wake_fork(ctx);
}

/* Visitors: groups of events of other PMUs, in PMU contexts of this PMU. */

static bool revoke_group_has(struct perf_event *leader, const struct pmu *pmu)
{
	struct perf_event *sibling;

	if (leader->pmu == pmu)
		return true;
	for_each_sibling_event(sibling, leader) {
		if (sibling->pmu == pmu)
			return true;
	}
	return false;
}

static bool revoke_is_visitor(struct perf_event *event, const struct pmu *pmu)
{
	return event->group_leader == event &&
	       perf_event_pmu_ctx(event)->pmu == pmu &&
	       !revoke_group_has(event, pmu);
}

struct revoke_move {
	struct perf_event		*leader;
	struct perf_pmu_ctx		*to;
};

static void revoke_change_pmu_ctx_locked(struct perf_event *event,
					 struct perf_pmu_ctx *to)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	perf_event_pmu_ctx(event)->nr_events--;
	event->pmu_ctx = &to->pub;
	to->nr_events++;
}

/*
 * The events stay in the context, which therefore stays loaded; the group only
 * moves to another tree.
 */
static int revoke_move_remote(struct perf_ctx *ctx,
			      struct perf_cpu_context *cpuctx, void *arg)
{
	struct revoke_move *move = arg;
	struct perf_event *leader = move->leader, *sibling;
	struct perf_pmu_ctx *from = perf_event_pmu_ctx(leader);

	perf_ctx_clock_update_locked(ctx);
	perf_sched_group_out_locked(leader);
	perf_group_erase_locked(leader);
	revoke_change_pmu_ctx_locked(leader, move->to);
	for_each_sibling_event(sibling, leader)
		revoke_change_pmu_ctx_locked(sibling, move->to);
	perf_group_refresh_caps_locked(leader);
	perf_group_insert_locked(leader);

	perf_epc_drop_choice(from);
	perf_epc_drop_choice(move->to);
	if (!from->nr_events)
		from->rotate_necessary = false;
	if (!cpuctx)
		return 0;
	if (ctx->pub.task) {
		/* A CPU refers to PMU contexts of its loaded context that have events. */
		perf_cpc_oncpu(move->to->pmu)->task_epc = move->to;
		if (!from->nr_events)
			perf_cpc_oncpu(from->pmu)->task_epc = NULL;
	}
	perf_sched_group_try_in_locked(cpuctx, leader);
	return 0;
}

/* The reference on @to becomes the leader's. */
static void revoke_move_group(struct perf_event *leader,
			      struct perf_pmu_ctx *to)
{
	struct revoke_move move = { .leader = leader, .to = to };
	struct perf_pmu_ctx *from = perf_event_pmu_ctx(leader);

	for (int i = 0; i < leader->nr_siblings; i++)
		perf_epc_get_ref(to);
	perf_ctx_call(perf_event_ctx(leader), revoke_move_remote, &move);
	for (int i = 0; i <= leader->nr_siblings; i++)
		perf_epc_put(from);
}

/*
 * Return: NULL; or, if there is no memory, a leader that has to be revoked with
 * the PMU, with a reference.
 */
static struct perf_event *revoke_free_visitors(struct perf_ctx *ctx,
					       const struct pmu *pmu)
{
	struct perf_pmu_ctx *epc;
	struct perf_event *leader;

	guard(mutex)(&ctx->mutex);
	/* A move leaves the list of events as it is. */
	list_for_each_entry(leader, &ctx->event_list, event_entry) {
		cond_resched();
		if (!revoke_is_visitor(leader, pmu))
			continue;
		epc = perf_epc_get(leader->pmu, ctx, false);
		if (IS_ERR(epc)) {
			perf_event_get_ref(leader);
			return leader;
		}
		revoke_move_group(leader, epc);
	}
	return NULL;
}

static void revoke_clear_ctx(struct perf_ctx *ctx, struct pmu *pmu)
{
	struct perf_event *event;

	while ((event = revoke_free_visitors(ctx, pmu)))
		revoke_event(event);
	perf_epc_drop(ctx, pmu);
	perf_ctx_put(ctx);
	revoke_wake_fork(ctx);
}

/* The whole PMU. */

/*
 * An event without a context is still being made. It will get a context or be
 * freed, and either wakes the waiter.
 */
static struct perf_event *revoke_next_of_cpu(struct perf_pmu_users *users)
{
	struct perf_event *event;

	lockdep_assert_held(&users->lock);
	list_for_each_entry(event, &users->events, pmu_entry) {
		/* Pairs with the publication of a context in control.c. */
		if (smp_load_acquire(&event->ctx) && perf_event_tryget(event))
			return event;
	}
	return NULL;
}

/* Sets *@none if there are no events; no list gets one any more. */
static struct perf_event *revoke_next_event(struct pmu *pmu, bool *none)
{
	int cpu;

	*none = true;
	for_each_possible_cpu(cpu) {
		struct perf_pmu_users *users = perf_pmu_users(pmu, cpu);
		struct perf_event *event;

		guard(raw_spinlock_irq)(&users->lock);
		event = revoke_next_of_cpu(users);
		if (event)
			return event;
		*none &= list_empty(&users->events);
	}
	return NULL;
}

/*
 * With references but no events, it is about to become unused, or to get
 * events.
 */
static bool revoke_has_work(struct perf_pmu_ctx *epc)
{
	return READ_ONCE(epc->nr_events) || !atomic_read(&epc->refcount);
}

/*
 * A PMU context on the list has references, whose owners also keep the context;
 * or it is unused, and the context takes it off the list before it goes.
 */
static struct perf_ctx *revoke_next_ctx(struct pmu *pmu)
{
	struct perf_pmu_ctx *epc;

	lockdep_assert_held(&pmu->users_lock);
	list_for_each_entry(epc, &pmu->pmu_ctxs, pmu_entry) {
		if (revoke_has_work(epc) && perf_ctx_tryget(epc->ctx))
			return epc->ctx;
	}
	return NULL;
}

/* Return: true if there is a next step, or if there will never be one again. */
static bool revoke_next(struct pmu *pmu, struct revoke_step *step)
{
	bool none;

	step->ctx = NULL;
	step->event = revoke_next_event(pmu, &none);
	if (step->event)
		return true;
	guard(raw_spinlock_irq)(&pmu->users_lock);
	step->ctx = revoke_next_ctx(pmu);
	return step->ctx || (none && list_empty(&pmu->pmu_ctxs));
}

static void revoke_all(struct pmu *pmu)
{
	struct revoke_step step;

	guard(mutex)(&revoke_mutex);
	do {
		wait_var_event(pmu, revoke_next(pmu, &step));
		perf_debug_sleep();
		if (step.event)
			revoke_event(step.event);
		else if (step.ctx)
			revoke_clear_ctx(step.ctx, pmu);
	} while (step.event || step.ctx);
}

/**
 * perf_pmu_unregister() - unregister a PMU
 * @pmu: PMU; its open events are revoked
 *
 * When this returns no method of the driver runs or will be called, and no
 * event has a reference on its module. Until then methods on the CPU,
 * event_unmapped() and event->destroy() are called.
 *
 * Context: task; waits for grace periods, and for tasks that are opening an
 * event of the PMU. No lock held that the driver takes in these methods.
 */
void perf_pmu_unregister(struct pmu *pmu)
{
	perf_pmu_hide(pmu);
	revoke_all(pmu);
	perf_pmu_forget(pmu);
}
EXPORT_SYMBOL_GPL(perf_pmu_unregister);
