// SPDX-License-Identifier: GPL-2.0
/*
 * Room "family": the pool of contexts that a family of tasks shares.
 *
 * Purpose: a context that no member uses is parked, and the next member that
 * is switched to takes it: the one this CPU parked if there is one, else any.
 * Between two members nothing is parked or taken; the loaded context goes on.
 *
 * Owns: perf_family; ctx->{family,family_entry} of the pool.
 *
 * Contexts: task for the pool itself; task switch for take and park.
 *
 * Lifetime: a family is there for as long as there are references on its
 * handle: one of each member, and those of whoever found it through a task. It
 * is freed after a grace period. The pool has a reference on each context.
 *
 * Locking: family->mutex, outside all contexts' mutexes, keeps the pool and the
 * members. ctx->family changes under ctx->lock. family->lock is innermost.
 *
 * Why a context is always found: the pool has as many contexts as members or
 * as CPUs, whichever is less. A member is counted before it can run and until
 * it has put back what it used, so those who run and this one are at most that
 * many, and each of the others has one.
 *
 * Race, a context is withdrawn while a member wants it:
 *  1. a CPU takes the context from its place; it is parked nowhere;
 *  2. the owner clears ctx->family, under ctx->lock;
 *  3. the CPU has ctx->lock and looks whether the context still serves its
 *     task. It does not: another one is taken. Or 3 comes before 2, and the owner
 *     finds the context loaded and asks that CPU to unload it.
 *  4. The owner may found a family with it before 3. Then 3 finds the context in
 *     another pool, and leaves it alone.
 *
 * A model of this is lab/models/pool.pml.
 */
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "context.h"
#include "delay.h"
#include "family.h"

static_assert(offsetof(struct perf_family, handle) == 0);

/*
 * All contexts may be parked, of which there are two even on one CPU, and one more
 * while a member leaves.
 */
static unsigned int perf_family_nr_places(void)
{
	return max(nr_cpu_ids, 2U) + 1;
}

/**
 * perf_family_alloc - make a family without members and contexts
 *
 * Context: task.
 * Return: family; its handle has one reference. NULL without memory.
 */
struct perf_family *perf_family_alloc(void)
{
	struct perf_family *family;

	family = kzalloc(struct_size(family, parked, perf_family_nr_places()),
			 GFP_KERNEL);
	if (!family)
		return NULL;
	perf_ctx_init(&family->handle, -1);
	family->handle.family = family;
	mutex_init(&family->mutex);
	INIT_LIST_HEAD(&family->contexts);
	raw_spin_lock_init(&family->lock);
	return family;
}

/* The nearest free place to this CPU's. */
static struct perf_event_context **
perf_family_place(struct perf_family *family)
{
	unsigned int nr = perf_family_nr_places(), here = smp_processor_id();

	for (unsigned int i = 0; i < nr; i++) {
		unsigned int place = (here + i) % nr;

		if (!family->parked[place])
			return &family->parked[place];
	}
	return NULL;
}

/**
 * perf_family_park_locked - a context is free for the next member
 * @ctx: context of a family, loaded nowhere
 *
 * Context: ctx->lock, interrupts off.
 */
void perf_family_park_locked(struct perf_event_context *ctx)
{
	struct perf_family *family = ctx->family;
	struct perf_event_context **place;

	lockdep_assert_held(&ctx->lock);
	perf_debug_delay();
	guard(raw_spinlock)(&family->lock);
	place = perf_family_place(family);
	if (WARN_ON_ONCE(!place))
		return;
	*place = ctx;
	family->nr_parked++;
}

/* The context parked nearest to this CPU. */
static struct perf_event_context **
perf_family_nearest(struct perf_family *family)
{
	unsigned int nr = perf_family_nr_places(), here = smp_processor_id();

	for (unsigned int i = 0; family->nr_parked && i < nr; i++) {
		unsigned int place = (here + i) % nr;

		if (family->parked[place])
			return &family->parked[place];
	}
	return NULL;
}

/**
 * perf_family_take_oncpu - a parked context, for a member that is to run here
 * @family: family of current
 *
 * The caller loads it, or returns it. It may have left the family when the
 * caller gets its lock: then the caller takes another one.
 *
 * Context: interrupts off.
 * Return: context, alive under RCU; NULL if none is parked, which means that
 * the family is larger than it knows.
 */
struct perf_event_context *perf_family_take_oncpu(struct perf_family *family)
{
	struct perf_event_context **place, *ctx;

	lockdep_assert_irqs_disabled();
	guard(raw_spinlock)(&family->lock);
	place = perf_family_nearest(family);
	if (WARN_ON_ONCE(!place))
		return NULL;
	ctx = *place;
	*place = NULL;
	family->nr_parked--;
	perf_debug_delay();
	return ctx;
}

/**
 * perf_family_return_locked - undo perf_family_take_oncpu()
 * @family: family that the context was taken from
 * @ctx: context, not loaded by the one who took it
 *
 * It may have left that family meanwhile, and be in the pool of another by now,
 * to which the caller gives nothing back.
 *
 * Context: ctx->lock, interrupts off; RCU.
 */
void perf_family_return_locked(struct perf_family *family,
			       struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (ctx->family == family)
		perf_family_park_locked(ctx);
}

/**
 * perf_family_add - give a context to the pool
 * @family: family
 * @ctx: context with the family's events; the caller's reference is the pool's.
 *	Either loaded for current, or new, and then it is parked
 *
 * Context: any but NMI; family->mutex, or nobody knows the family yet.
 */
void perf_family_add(struct perf_family *family,
		     struct perf_event_context *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->lock);
	perf_ctx_set_family_locked(ctx, family);
	scoped_guard(raw_spinlock, &family->lock) {
		list_add_tail(&ctx->family_entry, &family->contexts);
		family->nr_contexts++;
	}
	if (ctx->loaded_cpu == PERF_CPU_NONE)
		perf_family_park_locked(ctx);
}

static void perf_family_unpark(struct perf_family *family,
			       struct perf_event_context *ctx)
{
	for (unsigned int i = 0; i < perf_family_nr_places(); i++) {
		if (family->parked[i] != ctx)
			continue;
		family->parked[i] = NULL;
		family->nr_parked--;
		return;
	}
}

/**
 * perf_family_withdraw - take a context out of the pool
 * @ctx: context of a family; the pool's reference is the caller's now
 *
 * A CPU that has it loaded for a member keeps it until it is asked to look
 * again, or to switch; nobody loads it any more.
 *
 * Context: task, family->mutex.
 */
void perf_family_withdraw(struct perf_event_context *ctx)
{
	struct perf_family *family = ctx->family;

	lockdep_assert_held(&family->mutex);
	guard(raw_spinlock_irq)(&ctx->lock);
	perf_ctx_set_family_locked(ctx, NULL);
	guard(raw_spinlock)(&family->lock);
	list_del_init(&ctx->family_entry);
	family->nr_contexts--;
	perf_family_unpark(family, ctx);
}

/**
 * perf_family_wants_context - is one more member one more than the pool serves?
 * @family: family
 *
 * Context: task, family->mutex.
 * Return: true when the pool has to grow before the member comes.
 */
bool perf_family_wants_context(const struct perf_family *family)
{
	lockdep_assert_held(&family->mutex);
	return family->nr_contexts <= family->nr_members &&
	       family->nr_contexts < num_possible_cpus();
}

/**
 * perf_family_other_rcu - a context for a record about a task that is not on
 * @ctx: what the task's perf_event_ctxp says
 *
 * Context: RCU, preemption off; any but NMI.
 * Return: @ctx if it is the task's own; of a family one that is not loaded on
 * this CPU, NULL if there is none.
 */
struct perf_event_context *
perf_family_other_rcu(struct perf_event_context *ctx)
{
	struct perf_family *family = ctx->family;

	if (!perf_ctx_is_handle(ctx))
		return ctx;
	guard(raw_spinlock_irqsave)(&family->lock);
	list_for_each_entry(ctx, &family->contexts, family_entry) {
		if (READ_ONCE(ctx->loaded_cpu) != smp_processor_id())
			return ctx;
	}
	return NULL;
}
