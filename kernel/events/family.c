// SPDX-License-Identifier: GPL-2.0
/*
 * Room "family": the pool of contexts that a family of tasks shares.
 *
 * Purpose: a context that no member uses is parked. The next member that is
 * switched in takes a parked context: the one that this CPU has parked, if
 * there is one, else any. In a switch from one member to another no context is
 * parked or taken; the loaded one stays loaded.
 *
 * Owns: perf_family; ctx->{family,family_entry} of the pool.
 *
 * Contexts: task for the pool itself; task switch for take and park.
 *
 * Lifetime: a family exists as long as there are references on its handle: one
 * of each member, and one of each caller that found it through a task. It is
 * freed after a grace period. The pool has a reference on each context.
 *
 * Locking: family->mutex, outside of all contexts' mutexes, protects the pool
 * and the members. ctx->family changes under ctx->lock. family->lock is
 * innermost.
 *
 * Why a context is always found: the pool has as many contexts as there are
 * members or CPUs, whichever is less. A member is counted before it can run and
 * until it has parked its context. So at most as many members run as there are
 * contexts, and at least one context is left for this member.
 *
 * Race, a context is withdrawn while a member wants it:
 *  1. a CPU takes the context from its place, so that it is parked nowhere;
 *  2. the owner clears ctx->family, under ctx->lock;
 *  3. the CPU has ctx->lock and checks whether the context still serves its
 *     task. It does not, so the CPU takes another one. Or 3 comes before 2, and
 *     the owner finds the context loaded and asks that CPU to unload it.
 *  4. The owner may found another family with the context before 3. Then the
 *     CPU finds the context in another pool, and leaves it there.
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
 * All contexts may be parked. There are at least two of them, even on one CPU,
 * and one more while a member leaves.
 */
static unsigned int perf_family_nr_places(void)
{
	return max(nr_cpu_ids, 2U) + 1;
}

/**
 * perf_family_alloc() - make a family without members and contexts
 *
 * Context: task.
 * Return: family whose handle has one reference; NULL without memory.
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

/* Return: the first free place, from this CPU's on; NULL if there is none. */
static struct perf_ctx **
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
 * perf_family_park_locked() - park a context for the next member
 * @ctx: context of a family, loaded nowhere
 *
 * Context: ctx->lock, interrupts off.
 */
void perf_family_park_locked(struct perf_ctx *ctx)
{
	struct perf_family *family = ctx->family;
	struct perf_ctx **place;

	lockdep_assert_held(&ctx->lock);
	perf_debug_delay();
	guard(raw_spinlock)(&family->lock);
	place = perf_family_place(family);
	if (WARN_ON_ONCE(!place))
		return;
	*place = ctx;
	family->nr_parked++;
}

/* Return: the first place with a context, from this CPU's on; NULL if none. */
static struct perf_ctx **
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
 * perf_family_take_oncpu() - take a parked context for a member that runs here
 * @family: family of current
 *
 * The caller loads the context, or returns it. If the context has left the
 * family when the caller gets its lock, the caller takes another one.
 *
 * Context: interrupts off.
 * Return: context, alive under RCU; NULL if none is parked, which means that
 * more members run than were counted.
 */
struct perf_ctx *perf_family_take_oncpu(struct perf_family *family)
{
	struct perf_ctx **place, *ctx;

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
 * perf_family_return_locked() - undo perf_family_take_oncpu()
 * @family: family that the context was taken from
 * @ctx: context that the caller took and has not loaded
 *
 * The context may have left that family meanwhile, and be in the pool of
 * another one by now. Then it is not parked.
 *
 * Context: ctx->lock, interrupts off; RCU.
 */
void perf_family_return_locked(struct perf_family *family,
			       struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (ctx->family == family)
		perf_family_park_locked(ctx);
}

/**
 * perf_family_add() - add a context to the pool
 * @family: family
 * @ctx: context with the family's events, loaded for current, or new and then
 *	parked here; the pool takes over the caller's reference
 *
 * A context of a pool is not exchanged at a switch, so it is equal to no other.
 *
 * Context: any but NMI; family->mutex, or nobody knows the family yet.
 */
void perf_family_add(struct perf_family *family,
		     struct perf_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->lock);
	/* A copy that founds a pool may still be equal to its original. */
	ctx->equal = 0;
	perf_ctx_set_family_locked(ctx, family);
	scoped_guard(raw_spinlock, &family->lock) {
		list_add_tail(&ctx->family_entry, &family->contexts);
		family->nr_contexts++;
	}
	if (ctx->loaded_cpu == PERF_CPU_NONE)
		perf_family_park_locked(ctx);
}

static void perf_family_unpark(struct perf_family *family,
			       struct perf_ctx *ctx)
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
 * perf_family_withdraw() - take a context out of the pool
 * @ctx: context of a family; the caller takes over the pool's reference
 *
 * A CPU that has it loaded for a member keeps it until the caller asks the CPU
 * to look again, or until it switches. No CPU loads it any more.
 *
 * Context: task, family->mutex.
 */
void perf_family_withdraw(struct perf_ctx *ctx)
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
 * perf_family_wants_context() - check whether one more member needs a context
 * @family: family
 *
 * Context: task, family->mutex.
 * Return: true if the pool has to grow before the member is added.
 */
bool perf_family_wants_context(const struct perf_family *family)
{
	lockdep_assert_held(&family->mutex);
	return family->nr_contexts <= family->nr_members &&
	       family->nr_contexts < num_possible_cpus();
}

/**
 * perf_family_other_rcu() - find a context for a record about another task
 * @ctx: perf_event_ctxp of the task, which does not run on this CPU
 *
 * Context: RCU, preemption off; any but NMI.
 * Return: @ctx if it is the task's own; for a family a context of the pool that
 * is not loaded on this CPU, NULL if there is none.
 */
struct perf_ctx *
perf_family_other_rcu(struct perf_ctx *ctx)
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
