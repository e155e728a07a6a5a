// SPDX-License-Identifier: GPL-2.0
/*
 * Room "divide": contexts for a family by CPU.
 *
 * Purpose: an event that is bound to a CPU counts on that CPU only. If each
 * context of a family's pool had a copy of it, all copies but one would only
 * cost memory. So a task's context with such events is divided when a fork
 * founds a family: there is a context for each CPU. It has the events that are
 * bound to that CPU, and copies of those that are bound to none. The events
 * themselves move, not copies of them. When the task on which they were opened
 * leaves the family, they move back.
 *
 * Owns: nothing.
 *
 * Contexts: task; may sleep.
 *
 * Lifetime: struct perf_divide is on the stack. The new contexts are known to
 * nobody else until they are in the pool.
 *
 * Locking: a fork holds the mutex of the context that it divides, and takes that
 * of one part at a time. A task that leaves has family->mutex, and in it the
 * mutexes of all contexts of the pool, in any order: no other code waits for one
 * of them with another one held. A new context's mutex comes last.
 *
 * Only opened events move. Code that uses a copy may hold only the eldest's
 * child_mutex, which a move does not take. So copies stay.
 *
 * Race, the task counts while its events move to other contexts:
 *  1. The task stays on its CPU from the first move until the family has been
 *     founded. So only the events of that CPU count it, and these do not move.
 *  2. An event that moves is INACTIVE or OFF. The mutexes keep others from it.
 *  3. The context is loaded on that CPU or nowhere, so no other CPU walks over
 *     its list, and no grace period is needed. A record of another CPU about the
 *     task (tracing.c) may find its event in neither context, and is lost.
 *
 * Race, a record is delivered to the events of a part while they move back:
 *  1. The CPU walks over the events of the part that it has loaded.
 *  2. The opener makes the CPU load another context, and removes the events.
 *  3. It waits for a grace period before it adds them to the other list, so the
 *     walk ends in the list where it began.
 *
 * Race, a user with an event's file wants its context meanwhile: see context.c.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "context.h"
#include "control.h"
#include "delay.h"
#include "divide.h"
#include "family.h"
#include "inherit.h"
#include "mmap.h"

/* An event that moves, and its PMU context there. */
struct perf_divide_move {
	struct perf_event		*event;
	/* With a reference, until the event has it. */
	struct perf_pmu_ctx		*epc;
	struct perf_divide_move		*next;
};

struct perf_divide_part {
	/* With a reference, until the pool has it. */
	struct perf_ctx			*ctx;
	struct perf_divide_move		*first;
};

/* Lockdep counts so many locks of one class that are held. */
#define DIVIDE_MAX_CPUS		1024

/**
 * perf_divide_pays() - check whether a family should have a context for each CPU
 * @ctx: context with its events
 *
 * Each CPU gets a context, so at least a quarter as many events as possible CPUs
 * must be bound to one. The events that are bound to no CPU are copied to each
 * context. Their copies must not be more than the events that are bound.
 *
 * Context: task, ctx->mutex.
 * Return: true if all events were opened, and enough of them are bound to a CPU;
 * with lockdep false on more than DIVIDE_MAX_CPUS CPUs.
 */
bool perf_divide_pays(const struct perf_ctx *ctx)
{
	const unsigned int nr_cpus = num_possible_cpus();
	const struct perf_event *event;
	unsigned int bound = 0, unbound = 0;

	lockdep_assert_held(&ctx->mutex);
	if (IS_ENABLED(CONFIG_LOCKDEP) && nr_cpus > DIVIDE_MAX_CPUS)
		return false;
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		/* One that is bound to no possible CPU will never count. */
		if (event->parent ||
		    (event->cpu >= 0 && !cpu_possible(event->cpu)))
			return false;
		if (event->cpu < 0)
			unbound++;
		else
			bound++;
	}
	return bound >= DIV_ROUND_UP(nr_cpus, 4) &&
	       (u64)unbound * (nr_cpus - 1) <= bound;
}

/* Making. */

/*
 * @max: how many events may move.
 * Return: 0, or -ENOMEM; perf_divide_end() frees what there is.
 */
static int divide_alloc(struct perf_divide *divide, unsigned int max)
{
	divide->nr_moves = 0;
	divide->parts = kvcalloc(nr_cpu_ids, sizeof(*divide->parts),
				 GFP_KERNEL);
	divide->moves = kvmalloc_array(max, sizeof(*divide->moves),
				       GFP_KERNEL);
	return divide->parts && divide->moves ? 0 : -ENOMEM;
}

static bool divide_has_unbound(const struct perf_ctx *ctx)
{
	const struct perf_event *event;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (event->cpu < 0)
			return true;
	}
	return false;
}

/* Makes the context of a CPU, with copies of events of @from. */
static int divide_make_part(struct perf_divide *divide, unsigned int cpu,
			    struct perf_ctx *from,
			    enum perf_inherit_which which)
{
	struct task_struct *task = from->pub.task;
	struct perf_inherit to = {
		.task	= task,
		.which	= which,
		.ctx	= perf_ctx_alloc_task(task),
	};

	lockdep_assert_held(&from->mutex);
	cond_resched();
	divide->parts[cpu].ctx = to.ctx;
	if (!to.ctx)
		return -ENOMEM;
	return which == PERF_INHERIT_NONE ? 0 : perf_inherit_copy(&to, from);
}

/* @event will move to @to, which has the list of @part. */
static int divide_plan(struct perf_divide *divide,
		       struct perf_divide_part *part, struct perf_ctx *to,
		       struct perf_event *event)
{
	struct perf_divide_move *move = &divide->moves[divide->nr_moves];
	struct perf_pmu_ctx *epc;

	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	epc = perf_epc_get(perf_event_pmu_ctx(event)->pmu, to, false);
	if (IS_ERR(epc))
		return PTR_ERR(epc);
	*move = (struct perf_divide_move) {
		.event	= event,
		.epc	= epc,
		.next	= part->first,
	};
	part->first = move;
	divide->nr_moves++;
	return 0;
}

/* The newest event comes first in a context's list, and last in a part's. */
static int divide_plan_all(struct perf_divide *divide, struct perf_ctx *own)
{
	struct perf_divide_part *part;
	struct perf_event *event;
	int err;

	lockdep_assert_held(&own->mutex);
	list_for_each_entry(event, &own->event_list, event_entry) {
		if (event->cpu < 0)
			continue;
		part = &divide->parts[event->cpu];
		err = divide_plan(divide, part, part->ctx, event);
		if (err)
			return err;
	}
	return 0;
}

/**
 * perf_divide_prepare() - take the steps that can fail
 * @divide: filled in; perf_divide_end() frees it, also after a failure
 * @own: current's own context, for which perf_divide_pays() is true
 *
 * There is a part for each CPU, since the task may still go to another one.
 *
 * Context: task; may sleep. @own->mutex.
 * Return: 0; -ENOMEM; the errno of perf_inherit_copy().
 */
int perf_divide_prepare(struct perf_divide *divide, struct perf_ctx *own)
{
	/* Most programs bind all events, or none. */
	enum perf_inherit_which which = divide_has_unbound(own) ?
						PERF_INHERIT_UNBOUND :
						PERF_INHERIT_NONE;
	unsigned int cpu;
	int err;

	lockdep_assert_held(&own->mutex);
	err = divide_alloc(divide, own->nr_events);
	for_each_possible_cpu(cpu) {
		if (err)
			return err;
		err = divide_make_part(divide, cpu, own, which);
	}
	return err ?: divide_plan_all(divide, own);
}

/* Moving. */

static void divide_uninstall(const struct perf_divide_part *part)
{
	const struct perf_divide_move *move;

	for (move = part->first; move; move = move->next)
		perf_control_uninstall(move->event);
}

static void divide_move(struct perf_divide_move *move, struct perf_ctx *to)
{
	struct perf_event *event = move->event;
	struct perf_pmu_ctx *old_epc = perf_event_pmu_ctx(event);
	struct perf_ctx *old = perf_event_ctx(event);

	lockdep_assert_held(&old->mutex);
	event->pmu_ctx = &move->epc->pub;
	move->epc = NULL;
	perf_control_place(to, event);
	perf_epc_put(old_epc);
	perf_ctx_put(old);
	perf_mmap_moved(event);
}

/* The leader of a group joins last. */
static void divide_install(const struct perf_divide_part *part,
			   struct perf_ctx *to)
{
	struct perf_divide_move *move;

	for (move = part->first; move; move = move->next) {
		if (move->event->group_leader != move->event)
			divide_move(move, to);
	}
	for (move = part->first; move; move = move->next) {
		if (move->epc)
			divide_move(move, to);
	}
}

/* The context of another CPU joins the pool, with its events. */
static void divide_fill(struct perf_divide_part *part,
			struct perf_family *family, unsigned int cpu)
{
	mutex_lock_nested(&part->ctx->mutex, SINGLE_DEPTH_NESTING);
	divide_uninstall(part);
	perf_debug_sleep();
	divide_install(part, part->ctx);
	mutex_unlock(&part->ctx->mutex);
	perf_family_add_cpu(family, part->ctx, cpu);
	part->ctx = NULL;
}

/**
 * perf_divide_found() - move the events to the contexts of their CPUs
 * @divide: what perf_divide_prepare() has filled in
 * @own: the context; it keeps the events of this CPU
 * @family: new family by CPU; it gets all contexts but @own
 *
 * Context: task that stays on its CPU until it is a member; may sleep. @own->mutex.
 */
void perf_divide_found(struct perf_divide *divide, struct perf_ctx *own,
		       struct perf_family *family)
{
	unsigned int cpu, here = smp_processor_id();

	lockdep_assert_held(&own->mutex);
	for_each_possible_cpu(cpu) {
		if (cpu != here)
			divide_fill(&divide->parts[cpu], family, cpu);
		cond_resched();
	}
}

/**
 * perf_divide_end() - free what is left of a division
 * @divide: what perf_divide_prepare() has filled in, even if that failed
 *
 * Events of the contexts that no pool has taken over end, and their references are
 * put.
 *
 * Context: task; may sleep. The mutex of the divided context may be held.
 */
void perf_divide_end(struct perf_divide *divide)
{
	unsigned int cpu;

	for (unsigned int i = 0; i < divide->nr_moves; i++) {
		if (divide->moves[i].epc)
			perf_epc_put(divide->moves[i].epc);
	}
	kvfree(divide->moves);
	if (!divide->parts)
		return;
	for_each_possible_cpu(cpu) {
		if (divide->parts[cpu].ctx)
			perf_inherit_discard(divide->parts[cpu].ctx);
		cond_resched();
	}
	kvfree(divide->parts);
}

/* Going back. */

static void divide_lock_pool(struct perf_family *family)
{
	struct perf_ctx *ctx;

	list_for_each_entry(ctx, &family->contexts, family_entry)
		mutex_lock_nest_lock(&ctx->mutex, &family->mutex);
}

static unsigned int divide_nr_events(const struct perf_family *family)
{
	const struct perf_ctx *ctx;
	unsigned int nr = 0;

	list_for_each_entry(ctx, &family->contexts, family_entry)
		nr += ctx->nr_events;
	return nr;
}

/* The opened events of @ctx will move to @own. */
static int divide_plan_back(struct perf_divide *divide, struct perf_ctx *ctx,
			    struct perf_ctx *own)
{
	struct perf_event *event;
	int err;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (event->parent)
			continue;
		/* All events move to one context, so one list is enough. */
		err = divide_plan(divide, &divide->parts[0], own, event);
		if (err)
			return err;
	}
	return 0;
}

/* The steps that can fail. */
static int divide_prepare_back(struct perf_divide *divide,
			       struct perf_family *family,
			       struct perf_ctx *own)
{
	struct perf_ctx *old;
	unsigned int cpu;
	int err;

	err = divide_alloc(divide, divide_nr_events(family));
	for_each_possible_cpu(cpu) {
		if (err)
			break;
		old = family->places[cpu].own;
		err = divide_make_part(divide, cpu, old, PERF_INHERIT_ALL);
		if (!err && old != own)
			err = divide_plan_back(divide, old, own);
	}
	return err;
}

/*
 * Each context of the pool is replaced, and left in @divide. No member has an old
 * one loaded then.
 */
static void divide_replace_all(struct perf_divide *divide,
			       struct perf_family *family)
{
	struct perf_ctx *old;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		old = family->places[cpu].own;
		perf_family_replace(old, divide->parts[cpu].ctx);
		divide->parts[cpu].ctx = old;
		perf_debug_sleep();
		perf_control_vacate(old);
	}
}

static void divide_move_back(struct perf_divide *divide, struct perf_ctx *own)
{
	divide_uninstall(&divide->parts[0]);
	/* No walk over the list of a part comes to that of @own. */
	synchronize_rcu();
	divide_install(&divide->parts[0], own);
}

static void divide_unlock_all(struct perf_divide *divide)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		mutex_unlock(&divide->parts[cpu].ctx->mutex);
}

static void divide_unlock_pool(struct perf_family *family)
{
	struct perf_ctx *ctx;

	list_for_each_entry(ctx, &family->contexts, family_entry)
		mutex_unlock(&ctx->mutex);
}

/**
 * perf_divide_unite() - give a task that leaves a family by CPU its events back
 * @family: family of @task
 * @task: the task on which its events were opened
 *
 * The other members get new contexts with copies.
 *
 * Context: task; may sleep. family->mutex.
 * Return: context with all events that were opened on @task, with a reference; or
 * an error pointer: -ENOMEM, the errno of perf_inherit_copy().
 */
struct perf_ctx *perf_divide_unite(struct perf_family *family,
				   struct task_struct *task)
{
	struct perf_ctx *own = list_first_entry(&family->contexts,
						struct perf_ctx, family_entry);
	struct perf_divide divide;
	unsigned int cpu;
	int err;

	lockdep_assert_held(&family->mutex);
	WARN_ON_ONCE(own->pub.task != task);
	divide_lock_pool(family);
	err = divide_prepare_back(&divide, family, own);
	if (err) {
		divide_unlock_pool(family);
		perf_divide_end(&divide);
		return ERR_PTR(err);
	}
	divide_replace_all(&divide, family);
	divide_move_back(&divide, own);
	divide_unlock_all(&divide);
	/* The caller gets it; the copies in the others are not needed any more. */
	for_each_possible_cpu(cpu) {
		if (divide.parts[cpu].ctx == own)
			divide.parts[cpu].ctx = NULL;
	}
	perf_divide_end(&divide);
	return own;
}
