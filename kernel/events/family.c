// SPDX-License-Identifier: GPL-2.0
/*
 * Room "family": the pool of contexts that a family of tasks shares.
 *
 * Purpose: a context that no member uses is parked. The next member that is
 * switched in takes a parked context. In a switch from one member to another no
 * context is parked or taken; the loaded one stays loaded.
 *
 * A CPU parks a context in its own place, and takes it from there, with one
 * atomic operation on a cache line that other CPUs do not write, apart from
 * withdrawals and the moves described below. A context in no place is spare: it
 * is on a list with a lock.
 *
 * The pool has at least as many contexts as there are CPUs, or twice as many as
 * members, if that is less. While there are fewer contexts than CPUs, at most
 * half as many CPUs as contexts have a place. A CPU without one that parks gets a
 * place, and the CPU that got its own first loses it. So the CPUs on which
 * members run have the places.
 *
 * A family with events that are bound to CPUs may have a context for each CPU,
 * with the events of that CPU and those of none (family->by_cpu). Such a context
 * is loaded on its CPU only, and never spare.
 *
 * Owns: perf_family; ctx->{family,family_entry,spare_entry,parked_cpu} of the
 * pool.
 *
 * Contexts: task for the pool itself; task switch for take and park.
 *
 * Lifetime: a family exists as long as there are references on its handle: one
 * of each member, and one of each caller that found it through a task. It is
 * freed after a grace period. The pool has a reference on each context.
 *
 * Locking: family->mutex, outside of all contexts' mutexes, protects the pool
 * and the members. ctx->family and ctx->parked_cpu change under ctx->lock.
 * family->lock is innermost; it protects the spare contexts and which CPUs have
 * a place. A context enters or leaves a place by an atomic operation that checks
 * or returns the old value; a CPU that gets a place stores the first context.
 *
 * Bounds: take, park, add, replace and withdraw look at a fixed number of places
 * and of spare contexts, however many CPUs there are.
 *
 * Why a context is always found: consider a member that has none, on a CPU whose
 * place has none, at the moment when that CPU holds family->lock.
 *  1. Each context of the pool is loaded on a CPU, or on the way to or from a
 *     place of that CPU, or in a place, or spare. The pool never shrinks while
 *     it has a member: one context may replace another, in one step.
 *  2. A CPU looks for a spare context only if its own place has none, and parks
 *     only what it had loaded or taken. So no CPU has more than one context.
 *  3. If there are at least as many contexts as CPUs, the other CPUs do not have
 *     all of them. So one is spare.
 *  4. Otherwise there are at least twice as many contexts as members. A member is
 *     counted before it can run and until its context is parked, so the other
 *     members have fewer than half of the contexts. Places have at most half,
 *     rounded down. So one is spare.
 *
 * In a family by CPU only its own CPU takes the context of a CPU, and it looks for
 * one when it has none loaded. So the context is in the place, or it has just been
 * replaced there by another one.
 *
 * Race, a context is replaced while a member wants it:
 *  1. a CPU takes the context from its place, so that it is parked nowhere;
 *  2. the owner clears ctx->family, under ctx->lock;
 *  3. the CPU has ctx->lock and checks whether the context still serves its
 *     task. It does not, so the CPU takes another one. Or 3 comes before 2, and
 *     the owner finds the context loaded and asks that CPU to unload it.
 *  4. The owner may found another family with the context before 3. Then the
 *     CPU finds the context in another pool, and leaves it there.
 *
 * Race, a CPU loses its place while it parks there:
 *  1. the CPU has ctx->lock, and is about to put the context into its place;
 *  2. another CPU has family->lock, and sets that place to NULL;
 *  3. the first CPU finds NULL and waits for family->lock. With it, it gets a
 *     place again. Or 3 comes before 2, and the other CPU finds the context in
 *     the place and makes it spare.
 *
 * Models: lab/models/place.pml for places and spare contexts, pool.pml for the
 * replacement of a context that a CPU wants or has loaded.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/sched/topology.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "context.h"
#include "delay.h"
#include "family.h"

static_assert(offsetof(struct perf_family, handle) == 0);

/* Spare contexts that are looked at for one that this CPU's cache may have. */
#define FAMILY_NR_LOOKS		4

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
/* KUnit: families are made as on a computer with so many CPUs; 0: this one. */
unsigned int perf_family_kunit_cpus;
#else
#define perf_family_kunit_cpus	0U
#endif

static unsigned int family_nr_cpus(void)
{
	return perf_family_kunit_cpus ?: num_possible_cpus();
}

/**
 * perf_family_alloc() - make a family without members and contexts
 * @by_cpu: true if each CPU gets a context of its own
 *
 * Context: task; may sleep.
 * Return: family whose handle has one reference; NULL without memory.
 */
struct perf_family *perf_family_alloc(bool by_cpu)
{
	const size_t ring = nr_cpu_ids * sizeof(unsigned int);
	struct perf_family *family;

	family = kvzalloc(struct_size(family, places, nr_cpu_ids) + ring,
			  GFP_KERNEL_ACCOUNT);
	if (!family)
		return NULL;
	perf_ctx_init(&family->handle, -1);
	family->handle.family = family;
	mutex_init(&family->mutex);
	raw_spin_lock_init(&family->lock);
	INIT_LIST_HEAD(&family->contexts);
	INIT_LIST_HEAD(&family->spare);
	family->owners = (unsigned int *)&family->places[nr_cpu_ids];
	family->by_cpu = by_cpu;
	family->nr_full = by_cpu ? num_possible_cpus() : family_nr_cpus();
	return family;
}

/* Places. */

static bool family_place_has_ctx(const struct perf_ctx *parked)
{
	return parked && parked != PERF_PLACE_EMPTY;
}

/* The CPU that got its place first loses it. */
static void family_revoke_place(struct perf_family *family)
{
	unsigned int cpu = family->owners[family->first_owner];
	struct perf_ctx *ctx;

	lockdep_assert_held(&family->lock);
	ctx = xchg(&family->places[cpu].ctx, NULL);
	if (family_place_has_ctx(ctx))
		list_add_tail(&ctx->spare_entry, &family->spare);
	family->first_owner = (family->first_owner + 1) % nr_cpu_ids;
	family->nr_owners--;
}

/*
 * Lets a CPU have a place. The caller stores the context there.
 * Return: false if the pool has too few contexts for a place.
 */
static bool family_give_place(struct perf_family *family, unsigned int cpu)
{
	unsigned int most = family->nr_contexts / PERF_FAMILY_PER_MEMBER;
	unsigned int next;

	lockdep_assert_held(&family->lock);
	if (family->nr_contexts >= family->nr_full)
		return true;
	if (!most)
		return false;
	if (family->nr_owners >= most)
		family_revoke_place(family);
	next = (family->first_owner + family->nr_owners) % nr_cpu_ids;
	family->owners[next] = cpu;
	family->nr_owners++;
	return true;
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
	unsigned int cpu = smp_processor_id();
	struct perf_family_place *place = &family->places[cpu];

	lockdep_assert_held(&ctx->lock);
	perf_debug_delay();
	ctx->parked_cpu = cpu;
	if (cmpxchg(&place->ctx, PERF_PLACE_EMPTY, ctx) == PERF_PLACE_EMPTY)
		return;
	guard(raw_spinlock)(&family->lock);
	/* Only this CPU gives itself a place. */
	if (!WARN_ON_ONCE(READ_ONCE(place->ctx)) &&
	    family_give_place(family, cpu))
		WRITE_ONCE(place->ctx, ctx);
	else
		list_add(&ctx->spare_entry, &family->spare);
}

/* Return: a spare context, if possible one that ran near this CPU; or NULL. */
static struct perf_ctx *family_find_spare(struct perf_family *family)
{
	unsigned int here = smp_processor_id(), looks = FAMILY_NR_LOOKS;
	struct perf_ctx *ctx;

	lockdep_assert_held(&family->lock);
	list_for_each_entry(ctx, &family->spare, spare_entry) {
		if (cpus_share_cache(here, ctx->parked_cpu))
			return ctx;
		if (!--looks)
			break;
	}
	return list_first_entry_or_null(&family->spare, struct perf_ctx,
					spare_entry);
}

/* The context of this CPU has been replaced meanwhile. */
static struct perf_ctx *family_take_own(struct perf_family_place *place)
{
	struct perf_ctx *ctx = xchg(&place->ctx, PERF_PLACE_EMPTY);

	return WARN_ON_ONCE(!family_place_has_ctx(ctx)) ? NULL : ctx;
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
	struct perf_family_place *place = &family->places[smp_processor_id()];
	struct perf_ctx *ctx = READ_ONCE(place->ctx);

	lockdep_assert_irqs_disabled();
	perf_debug_delay();
	if (family_place_has_ctx(ctx) &&
	    cmpxchg(&place->ctx, ctx, PERF_PLACE_EMPTY) == ctx)
		return ctx;
	guard(raw_spinlock)(&family->lock);
	if (family->by_cpu)
		return family_take_own(place);
	ctx = family_find_spare(family);
	if (!WARN_ON_ONCE(!ctx))
		list_del_init(&ctx->spare_entry);
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

/* Parks a context of the pool that is not loaded. */
static void family_place_locked(struct perf_family *family,
				struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	lockdep_assert_held(&family->lock);
	if (family->by_cpu) {
		WRITE_ONCE(family->places[ctx->parked_cpu].ctx, ctx);
		return;
	}
	/* Spare, since this CPU may have one in its place. */
	ctx->parked_cpu = smp_processor_id();
	list_add_tail(&ctx->spare_entry, &family->spare);
}

/* The founder's context is the last one that is added, and comes first. */
static void family_add_own_locked(struct perf_family *family,
				  struct perf_ctx *ctx)
{
	struct perf_family_place *place = &family->places[ctx->parked_cpu];

	lockdep_assert_held(&family->lock);
	list_add(&ctx->family_entry, &family->contexts);
	WRITE_ONCE(place->own, ctx);
	/* Unless it is loaded, it is put there next. */
	WRITE_ONCE(place->ctx, PERF_PLACE_EMPTY);
}

static void family_add_locked(struct perf_family *family, struct perf_ctx *ctx)
{
	bool loaded = ctx->loaded_cpu != PERF_CPU_NONE;

	lockdep_assert_held(&ctx->lock);
	lockdep_assert_held(&family->lock);
	family->nr_contexts++;
	if (family->by_cpu)
		family_add_own_locked(family, ctx);
	else
		list_add_tail(&ctx->family_entry, &family->contexts);
	if (!loaded)
		family_place_locked(family, ctx);
}

/* A CPU that is about to take it from its place finds that place empty. */
static void family_unpark_locked(struct perf_family *family,
				 struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	lockdep_assert_held(&family->lock);
	if (!list_empty(&ctx->spare_entry))
		list_del_init(&ctx->spare_entry);
	else if (ctx->parked_cpu != PERF_CPU_NONE)
		cmpxchg(&family->places[ctx->parked_cpu].ctx, ctx,
			PERF_PLACE_EMPTY);
}

static void family_withdraw_locked(struct perf_family *family,
				   struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	lockdep_assert_held(&family->lock);
	list_del_init(&ctx->family_entry);
	family->nr_contexts--;
	family_unpark_locked(family, ctx);
	if (family->by_cpu &&
	    family->places[ctx->parked_cpu].own == ctx)
		WRITE_ONCE(family->places[ctx->parked_cpu].own, NULL);
}

/**
 * perf_family_add() - add a context to the pool
 * @family: family
 * @ctx: context with the family's events, current's own or new; the pool takes
 *	over the caller's reference. If it is loaded nowhere, it becomes spare.
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
	guard(raw_spinlock)(&family->lock);
	family_add_locked(family, ctx);
}

/**
 * perf_family_add_cpu() - add the context of a CPU to the pool
 * @family: family by CPU, which nobody knows yet
 * @ctx: context with the events of that CPU and those of none, loaded there or
 *	nowhere; the pool takes over the caller's reference
 * @cpu: the CPU
 *
 * Context: any but NMI; no task has found @family yet.
 */
void perf_family_add_cpu(struct perf_family *family, struct perf_ctx *ctx,
			 unsigned int cpu)
{
	scoped_guard(raw_spinlock_irqsave, &ctx->lock)
		ctx->parked_cpu = cpu;
	perf_family_add(family, ctx);
}

/**
 * perf_family_withdraw() - take a context out of the pool of an ending family
 * @ctx: context of a family without members; the caller takes over the pool's
 *	reference
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
	family_withdraw_locked(family, ctx);
}

/**
 * perf_family_replace() - replace a context of the pool by another one
 * @ctx: context of a family; the caller takes over the pool's reference
 * @new: new context with the same events, of no task and equal to no other; the
 *	pool takes over the caller's reference
 *
 * A CPU that has @ctx loaded for a member keeps it until the caller asks the CPU
 * to look again, or until it switches. No CPU loads it any more.
 *
 * Context: task, family->mutex.
 */
void perf_family_replace(struct perf_ctx *ctx, struct perf_ctx *new)
{
	struct perf_family *family = ctx->family;

	lockdep_assert_held(&family->mutex);
	guard(raw_spinlock_irq)(&ctx->lock);
	/* Nobody takes another context's lock inside the lock of a new one. */
	guard(raw_spinlock_nested)(&new->lock);
	perf_ctx_set_family_locked(ctx, NULL);
	perf_ctx_set_family_locked(new, family);
	/* In a family by CPU the new one serves the same CPU. */
	new->parked_cpu = ctx->parked_cpu;
	/* CPUs that park must not find one context more or less. */
	guard(raw_spinlock)(&family->lock);
	family_add_locked(family, new);
	family_withdraw_locked(family, ctx);
}

/**
 * perf_family_size_for() - how many contexts the pool of a family needs
 * @family: family
 * @members: number of members
 *
 * Context: any.
 * Return: number of contexts.
 */
unsigned int perf_family_size_for(const struct perf_family *family,
				  unsigned int members)
{
	return min(family->nr_full, PERF_FAMILY_PER_MEMBER * members);
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
	return family->nr_contexts <
	       perf_family_size_for(family, family->nr_members + 1);
}

static struct perf_ctx *family_not_loaded_here(struct perf_family *family)
{
	struct perf_ctx *ctx;

	guard(raw_spinlock_irqsave)(&family->lock);
	list_for_each_entry(ctx, &family->contexts, family_entry) {
		if (READ_ONCE(ctx->loaded_cpu) != smp_processor_id())
			return ctx;
	}
	return NULL;
}

/**
 * perf_family_here_rcu() - find the context whose events may count on this CPU
 * @ctx: context of a task, or of a pool
 *
 * Context: RCU, preemption off; any but NMI.
 * Return: @ctx, or the one of this CPU if the pool has a context for each CPU.
 * NULL if the pool has just ended.
 */
struct perf_ctx *perf_family_here_rcu(struct perf_ctx *ctx)
{
	const struct perf_family *family = READ_ONCE(ctx->family);

	if (!family || !family->by_cpu)
		return ctx;
	return READ_ONCE(family->places[smp_processor_id()].own);
}

/**
 * perf_family_other_rcu() - find a context for a record about another task
 * @ctx: perf_event_ctxp of the task, which does not run on this CPU
 *
 * Context: RCU, preemption off; any but NMI.
 * Return: @ctx if it is the task's own. For a family a context of the pool that is
 * not loaded on this CPU; if each CPU has a context, the one of this CPU, which may
 * be loaded here for another member. NULL if there is none.
 */
struct perf_ctx *
perf_family_other_rcu(struct perf_ctx *ctx)
{
	if (!perf_ctx_is_handle(ctx))
		return ctx;
	if (ctx->family->by_cpu)
		return perf_family_here_rcu(ctx);
	return family_not_loaded_here(ctx->family);
}
