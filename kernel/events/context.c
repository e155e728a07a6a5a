// SPDX-License-Identifier: GPL-2.0
/*
 * Room "context": contexts of tasks and CPUs, their PMU contexts, and
 * references on events.
 *
 * Purpose: a context collects the events of one task or of one CPU. This room
 * makes, finds, locks and frees contexts and keeps their lists and counts.
 *
 * Owns: perf_cpu_context; task->perf_event_ctxp; ctx->{lock,mutex,task,
 * refcount,pmu_ctx_list,event_list,nr_*}; pmu contexts; event->refcount.
 *
 * Lifetime: a task's context has one reference of the task and one of each
 * event that was ever installed in it; when the last one goes, the context is
 * freed after a grace period. A CPU's context is static. A PMU context has one
 * reference of each of its events, and is freed with the last one. In a task's
 * context it stays for the next event instead, until the context is freed or
 * the PMU is unregistered. A task that exits leaves a tombstone in ctx->task:
 * no event is added to such a context.
 *
 * Locking: see types.h. The lock of a CPU's context is outside of the lock of a
 * task's context; for the locks of two tasks' contexts see swap.c.
 *
 * Race, event->ctx changes while a file operation wants its mutex:
 *  1. the operation reads event->ctx == A and gets a reference on A;
 *  2. the event is moved to context B under both mutexes;
 *  3. the operation locks A's mutex, looks again, sees B and starts over.
 */
#include <linux/cpumask.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include "clock.h"
#include "clock_times.h"
#include "context.h"
#include "delay.h"
#include "event_state.h"
#include "groups.h"
#include "hooks.h"
#include "live.h"

/* Tick 2, and throttled_tick 0: no event was throttled since tick 1. */
DEFINE_PER_CPU(struct perf_cpu_context, perf_cpu_context) = { .tick = 2 };
cpumask_var_t perf_online_mask;

#define TO(s)	BIT(PERF_CTX_##s)

/*
 * A context is loaded for its task, or for a member of the family whose pool it
 * is in. It can join or leave a pool whether it is loaded or not. A context
 * that ends is loaded nowhere and in no pool.
 */
static const struct perf_state_row perf_ctx_states[] = {
	[PERF_CTX_UNLOADED] = {
		.name	= "unloaded",
		.to	= TO(LOADED) | TO(PARKED) | TO(TOMBSTONE),
	},
	[PERF_CTX_LOADED] = {
		.name	= "loaded",
		.to	= TO(UNLOADED) | TO(LENT),
	},
	[PERF_CTX_PARKED] = {
		.name	= "parked",
		.to	= TO(LENT) | TO(UNLOADED),
	},
	[PERF_CTX_LENT] = {
		.name	= "lent",
		.to	= TO(PARKED) | TO(LOADED),
	},
	[PERF_CTX_TOMBSTONE] = {
		.name	= "tombstone",
	},
	[PERF_CTX_HANDLE] = {
		.name	= "handle",
	},
	[PERF_CTX_ONLINE] = {
		.name	= "online",
		.to	= TO(OFFLINE),
	},
	[PERF_CTX_OFFLINE] = {
		.name	= "offline",
		.to	= TO(ONLINE),
	},
};

struct perf_state_table perf_ctx_state_table = {
	.of	= "context",
	.rows	= perf_ctx_states,
	.nr	= ARRAY_SIZE(perf_ctx_states),
};

#ifdef CONFIG_PERF_EVENTS_DEBUG_STATE
/**
 * perf_ctx_check_events_locked() - check events' states against their context's
 * @ctx: context whose state has changed
 *
 * Context: ctx->lock.
 */
void perf_ctx_check_events_locked(const struct perf_ctx *ctx)
{
	const struct perf_event *event;

	lockdep_assert_held(&ctx->lock);
	list_for_each_entry(event, &ctx->event_list, event_entry)
		perf_event_state_pair_check(event, event->state);
}
#endif

static struct lock_class_key perf_cpu_ctx_mutex_key;
static struct lock_class_key perf_cpu_ctx_lock_key;

/**
 * perf_cpu_task_ctx() - get the task context that is loaded on this CPU
 *
 * Context: interrupts off.
 * Return: context, NULL when the running task has no events.
 */
struct perf_event_context *perf_cpu_task_ctx(void)
{
	struct perf_ctx *ctx = this_cpu_ptr(&perf_cpu_context)->task_ctx;

	lockdep_assert_irqs_disabled();
	return ctx ? &ctx->pub : NULL;
}

#ifdef CONFIG_PROVE_LOCKING
/**
 * perf_assert_event_ctx() - warn if the caller may not walk the siblings
 * @event: group leader
 *
 * The caller must hold the mutex, or have interrupts off. Either one keeps the
 * list from changing.
 *
 * Context: any, NMI included.
 */
void perf_assert_event_ctx(struct perf_event *event)
{
	WARN_ON_ONCE(__lockdep_enabled && this_cpu_read(hardirqs_enabled) &&
		     perf_event_ctx(event) &&
		     lockdep_is_held(&perf_event_ctx(event)->mutex) !=
			     LOCK_STATE_HELD);
}
EXPORT_SYMBOL_GPL(perf_assert_event_ctx);
#endif

/**
 * perf_ctx_init() - initialise a context
 * @ctx: zeroed memory; of a struct perf_cpu_context, if it belongs to a CPU
 * @cpu: CPU that it belongs to, -1 for a task's context
 *
 * Context: task.
 */
void perf_ctx_init(struct perf_ctx *ctx, int cpu)
{
	raw_spin_lock_init(&ctx->lock);
	mutex_init(&ctx->mutex);
	if (cpu >= 0) {
		lockdep_set_class(&ctx->mutex, &perf_cpu_ctx_mutex_key);
		lockdep_set_class(&ctx->lock, &perf_cpu_ctx_lock_key);
		ctx->of_cpu = true;
		container_of(ctx, struct perf_cpu_context, ctx)->cpu = cpu;
	}
	INIT_LIST_HEAD(&ctx->pmu_ctx_list);
	INIT_LIST_HEAD(&ctx->event_list);
	refcount_set(&ctx->refcount, 1);
	ctx->loaded_cpu = PERF_CPU_NONE;
	INIT_LIST_HEAD(&ctx->spare_entry);
	ctx->parked_cpu = PERF_CPU_NONE;
	/* Contexts of CPUs are never freed. */
	if (cpu < 0)
		perf_live_add(PERF_LIVE_CONTEXTS, 1);
}

/* The PMU may have gone meanwhile; kfree() finds the object's cache. */
static void perf_epc_free(struct perf_pmu_ctx *epc)
{
	kfree(epc->pub.task_ctx_data);
	kfree(epc->set);
	kfree(epc);
}

/* After the grace period no reader can see the PMU contexts. */
static void perf_ctx_free_rcu(struct rcu_head *head)
{
	struct perf_pmu_ctx *epc, *next;
	struct perf_ctx *ctx;

	ctx = container_of(head, struct perf_ctx, rcu_head);
	list_for_each_entry_safe(epc, next, &ctx->pmu_ctx_list, pmu_ctx_entry)
		perf_epc_free(epc);
	perf_live_add(PERF_LIVE_CONTEXTS, -1);
	/* The handle of a family is part of a large structure. */
	kvfree(ctx);
}

/* Return: true if a task waits for the PMU to lose its PMU contexts. */
static bool perf_epc_unlist(struct perf_pmu_ctx *epc)
{
	struct pmu *pmu = epc->pmu;

	guard(raw_spinlock_irqsave)(&pmu->users_lock);
	list_del_init(&epc->pmu_entry);
	return pmu->leaving;
}

/* The address only identifies the queue: the PMU may have gone. */
static void perf_epc_wake(struct pmu *pmu)
{
	smp_mb(); /* @epc is off the list before the queue is checked */
	wake_up_var(pmu);
}

/* PMU contexts without events are freed with their context. */
static void perf_ctx_unlist_pmu_ctxs(struct perf_ctx *ctx)
{
	struct perf_pmu_ctx *epc;
	struct pmu *pmu;

	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry) {
		pmu = epc->pmu;
		if (perf_epc_unlist(epc))
			perf_epc_wake(pmu);
	}
}

/**
 * perf_ctx_tryget() - take a reference on a context found under RCU
 * @ctx: context
 *
 * Context: RCU reader.
 * Return: false if the last reference was put already.
 */
bool perf_ctx_tryget(struct perf_ctx *ctx)
{
	return refcount_inc_not_zero(&ctx->refcount);
}

/**
 * perf_ctx_put() - give a reference back
 * @ctx: context
 *
 * The last one may free the task, which takes locks of the scheduler and of
 * cgroups.
 *
 * Context: task, interrupts on; no ctx->lock held; a ctx->mutex may be held.
 */
void perf_ctx_put(struct perf_ctx *ctx)
{
	lockdep_assert_irqs_enabled();
	if (!refcount_dec_and_test(&ctx->refcount))
		return;
	if (ctx->pub.task && ctx->pub.task != TASK_TOMBSTONE)
		put_task_struct(ctx->pub.task);
	perf_ctx_unlist_pmu_ctxs(ctx);
	call_rcu(&ctx->rcu_head, perf_ctx_free_rcu);
}

static __always_inline struct perf_ctx *ctx_find_task(struct task_struct *task)
{
	struct perf_ctx *ctx;

	guard(rcu)();
	do {
		ctx = perf_task_ctx(task);
		perf_debug_delay();
		/* If this fails, the task has another context now, or none. */
	} while (ctx && !perf_ctx_tryget(ctx));
	return ctx;
}

/**
 * perf_ctx_find_task() - get the context of a task, if it has one
 * @task: task
 *
 * Context: any but NMI.
 * Return: task->perf_event_ctxp, with a reference; or NULL.
 */
struct perf_ctx *perf_ctx_find_task(struct task_struct *task)
{
	return ctx_find_task(task);
}

/**
 * perf_ctx_alloc_task() - make a context that no task uses yet
 * @task: task on which its events are opened
 *
 * Context: task.
 * Return: context with one reference; NULL without memory.
 */
struct perf_ctx *perf_ctx_alloc_task(struct task_struct *task)
{
	struct perf_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return NULL;
	perf_ctx_init(ctx, -1);
	ctx->pub.task = get_task_struct(task);
	return ctx;
}

/*
 * Gives @new to @task, unless the task has got a context meanwhile or exits.
 * The mutex does not keep an existing context in place: a switch may exchange
 * it at any moment.
 */
static struct perf_ctx *
perf_ctx_publish(struct task_struct *task, struct perf_ctx *new)
{
	struct perf_ctx *ctx;

	guard(mutex)(&task->perf_event_mutex);
	if (task->flags & PF_EXITING)
		return ERR_PTR(-ESRCH);
	ctx = perf_ctx_find_task(task);
	if (ctx)
		return ctx;
	perf_ctx_get(new);
	/* Readers under RCU see a context that is complete. */
	smp_store_release(&task->perf_event_ctxp, &new->pub);
	return new;
}

/**
 * perf_ctx_get_task() - get the context of a task, and make it if needed
 * @task: task
 *
 * Context: task.
 * Return: context with a reference; -ESRCH if the task is exiting; -ENOMEM.
 */
struct perf_ctx *perf_ctx_get_task(struct task_struct *task)
{
	struct perf_ctx *ctx = ctx_find_task(task), *new;

	if (ctx)
		return ctx;
	new = perf_ctx_alloc_task(task);
	if (!new)
		return ERR_PTR(-ENOMEM);
	perf_debug_sleep();
	ctx = perf_ctx_publish(task, new);
	/* One of @new's two references is the task's now, or not needed. */
	if (ctx != new)
		perf_ctx_put(new);
	return ctx;
}

/**
 * perf_ctx_make_task() - give a context to a task that is not visible yet
 * @task: task that is being made; perf_event_fork() tells when it is complete
 *
 * Context: task; takes no mutex of @task, so that the mutex of another context
 * may be held.
 * Return: context with a reference; -ENOMEM.
 */
struct perf_ctx *perf_ctx_make_task(struct task_struct *task)
{
	struct perf_ctx *ctx = perf_ctx_alloc_task(task);

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->forking = true;
	perf_ctx_get(ctx);
	/* Readers under RCU see a context that is complete. */
	smp_store_release(&task->perf_event_ctxp, &ctx->pub);
	return ctx;
}

/**
 * perf_ctx_get_cpu() - get the context of a CPU
 * @cpu: possible CPU
 *
 * Context: any.
 * Return: context with a reference.
 */
struct perf_ctx *perf_ctx_get_cpu(int cpu)
{
	struct perf_ctx *ctx = &per_cpu(perf_cpu_context, cpu).ctx;

	perf_ctx_get(ctx);
	return ctx;
}

/**
 * perf_ctx_orphan_locked() - detach a context from its task for ever
 * @ctx: context, not loaded, that no task's perf_event_ctxp points to any more
 *
 * Context: ctx->mutex and ctx->lock.
 * Return: the task, with the reference that the context had. The caller puts it
 * without ctx->lock, since it may be the last one.
 */
struct task_struct *perf_ctx_orphan_locked(struct perf_ctx *ctx)
{
	struct task_struct *task = ctx->pub.task;

	lockdep_assert_held(&ctx->lock);
	perf_state_check(&perf_ctx_state_table, perf_ctx_state(ctx),
			 PERF_CTX_TOMBSTONE);
	WRITE_ONCE(ctx->pub.task, TASK_TOMBSTONE);
	perf_ctx_check_events_locked(ctx);
	return task;
}

/* Return: the entry of the PMU context, or the entry to insert it before. */
static struct list_head *perf_epc_position(struct perf_ctx *ctx,
					   struct pmu *pmu)
{
	struct perf_pmu_ctx *epc;

	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry) {
		if (epc->pmu == pmu || epc->pmu->type > pmu->type)
			return &epc->pmu_ctx_entry;
	}
	return &ctx->pmu_ctx_list;
}

/* Return: the PMU context of @ctx for @pmu, NULL if it has none. */
static struct perf_pmu_ctx *
perf_epc_find_locked(struct perf_ctx *ctx, struct pmu *pmu)
{
	struct list_head *pos = perf_epc_position(ctx, pmu);
	struct perf_pmu_ctx *epc;

	lockdep_assert_held(&ctx->lock);
	if (pos == &ctx->pmu_ctx_list)
		return NULL;
	epc = list_entry(pos, struct perf_pmu_ctx, pmu_ctx_entry);
	return epc->pmu == pmu ? epc : NULL;
}

/*
 * Takes a reference on the PMU context of @ctx for @pmu. If there is none yet,
 * @new becomes it.
 * Return: the PMU context; NULL if there is neither one nor @new.
 */
static struct perf_pmu_ctx *
perf_epc_link(struct perf_ctx *ctx, struct pmu *pmu,
	      struct perf_pmu_ctx *new)
{
	struct perf_pmu_ctx *epc;

	guard(raw_spinlock_irq)(&ctx->lock);
	epc = perf_epc_find_locked(ctx, pmu);
	if (epc) {
		atomic_inc(&epc->refcount);
		return epc;
	}
	if (!new)
		return NULL;
	atomic_set(&new->refcount, 1);
	new->ctx = ctx;
	list_add_tail(&new->pmu_ctx_entry, perf_epc_position(ctx, pmu));
	guard(raw_spinlock)(&pmu->users_lock);
	list_add_tail(&new->pmu_entry, &pmu->pmu_ctxs);
	return new;
}

/* Return: as perf_epc_unlist(). */
static bool perf_epc_unlink_locked(struct perf_pmu_ctx *epc)
{
	lockdep_assert_held(&epc->ctx->lock);
	list_del_init(&epc->pmu_ctx_entry);
	return perf_epc_unlist(epc);
}

/**
 * perf_epc_init() - initialise a PMU context
 * @epc: zeroed memory
 * @pmu: the PMU
 *
 * Context: task.
 */
void perf_epc_init(struct perf_pmu_ctx *epc, struct pmu *pmu)
{
	epc->pmu = pmu;
	INIT_LIST_HEAD(&epc->pmu_ctx_entry);
	INIT_LIST_HEAD(&epc->pmu_entry);
	INIT_LIST_HEAD(&epc->pinned_active);
	INIT_LIST_HEAD(&epc->flexible_active);
	epc->pinned_groups.root = RB_ROOT;
	epc->flexible_groups.root = RB_ROOT;
	epc->chosen_cpu = PERF_CPU_NONE;
}

static void perf_epc_free_rcu(struct rcu_head *head)
{
	perf_epc_free(container_of(head, struct perf_pmu_ctx, rcu_head));
}

static int perf_epc_add_task_data(struct perf_pmu_ctx *epc)
{
	struct kmem_cache *cache = epc->pmu->task_ctx_cache;
	void *data;

	if (READ_ONCE(epc->pub.task_ctx_data))
		return 0;
	data = cache ? kmem_cache_zalloc(cache, GFP_KERNEL) : NULL;
	if (!data)
		return -ENOMEM;
	scoped_guard(raw_spinlock_irq, &epc->ctx->lock) {
		if (!epc->pub.task_ctx_data)
			swap(epc->pub.task_ctx_data, data);
	}
	if (data)
		kmem_cache_free(cache, data);
	return 0;
}

/*
 * Reserves memory for a set of all events that have a reference. Without it
 * they are scheduled in one by one.
 */
static void perf_epc_reserve_set(struct perf_pmu_ctx *epc)
{
	unsigned int nr = atomic_read(&epc->refcount), room;
	struct perf_sched_set *set;
	size_t size;

	if (!epc->pmu->load || nr <= READ_ONCE(epc->set_room) ||
	    nr > PERF_SET_EVENTS)
		return;
	size = kmalloc_size_roundup(struct_size(set, pub.events, nr));
	room = (size - sizeof(*set)) / sizeof(set->pub.events[0]);
	set = kmalloc(size, GFP_KERNEL);
	if (!set)
		return;
	scoped_guard(raw_spinlock_irq, &epc->ctx->lock) {
		if (epc->set_room < room) {
			perf_epc_drop_set(epc);
			swap(epc->set, set);
			WRITE_ONCE(epc->set_room, room);
		}
	}
	kfree(set);
}

static struct perf_pmu_ctx *
perf_epc_get_task(struct pmu *pmu, struct perf_ctx *ctx)
{
	struct perf_pmu_ctx *epc = perf_epc_link(ctx, pmu, NULL);
	struct perf_pmu_ctx *new;

	if (epc)
		return epc;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return ERR_PTR(-ENOMEM);
	perf_epc_init(new, pmu);
	epc = perf_epc_link(ctx, pmu, new);
	if (epc != new)
		kfree(new);
	return epc;
}

/**
 * perf_epc_get() - get a PMU context of a context, and make it if needed
 * @pmu: PMU
 * @ctx: context
 * @task_data: the PMU keeps data with each task
 *
 * Never fails for a CPU's context, whose PMU contexts are made when the PMU
 * registers.
 *
 * Context: task.
 * Return: PMU context with a reference; -ENOMEM.
 */
struct perf_pmu_ctx *
perf_epc_get(struct pmu *pmu, struct perf_ctx *ctx, bool task_data)
{
	struct perf_pmu_ctx *epc;
	int cpu = perf_ctx_cpu(ctx), err;

	if (cpu >= 0) {
		epc = &per_cpu_ptr(pmu->cpu_pmu_context, cpu)->epc;
		return perf_epc_link(ctx, pmu, epc);
	}
	epc = perf_epc_get_task(pmu, ctx);
	if (IS_ERR(epc))
		return epc;
	perf_epc_reserve_set(epc);
	if (!task_data)
		return epc;
	err = perf_epc_add_task_data(epc);
	if (err) {
		perf_epc_put(epc);
		return ERR_PTR(err);
	}
	return epc;
}

/**
 * perf_epc_get_ref() - take another reference
 * @epc: PMU context on which the caller has a reference
 *
 * Context: any.
 */
void perf_epc_get_ref(struct perf_pmu_ctx *epc)
{
	WARN_ON_ONCE(!atomic_inc_not_zero(&epc->refcount));
}

/*
 * Return: whether a PMU context without events stays in its context. A task
 * that has had an event of the PMU is likely to get more. It does not stay if
 * it is embedded, if the driver keeps data with it, or if the PMU or the task
 * goes.
 */
static bool perf_epc_rests_locked(struct perf_pmu_ctx *epc)
{
	struct perf_ctx *ctx = epc->ctx;

	lockdep_assert_held(&ctx->lock);
	if (epc->embedded || epc->pub.task_ctx_data ||
	    ctx->pub.task == TASK_TOMBSTONE || READ_ONCE(epc->pmu->leaving))
		return false;
	/* As in a new PMU context. */
	epc->least_service = 0;
	epc->interval = 0;
	epc->nr_waiting = 0;
	epc->choice = 0;
	epc->chosen_at = 0;
	perf_epc_drop_choice(epc);
	epc->rotate_necessary = false;
	epc->chosen_cpu = PERF_CPU_NONE;
	epc->most_at = 0;
	epc->most_service = 0;
	epc->turn_choice = 0;
	epc->turn_due = 0;
	return true;
}

/**
 * perf_epc_put() - give a reference back
 * @epc: PMU context
 *
 * An embedded PMU context may be freed with its PMU as soon as it is off the
 * PMU's list.
 *
 * Context: task; not under ctx->lock.
 */
void perf_epc_put(struct perf_pmu_ctx *epc)
{
	struct perf_ctx *ctx = epc->ctx;
	bool embedded = epc->embedded, rests, awaited;
	struct pmu *pmu = epc->pmu;
	unsigned long flags;

	/*
	 * The code that unregisters a PMU waits for readers, and then for what
	 * call_rcu() was given.
	 */
	guard(rcu)();
	if (!atomic_dec_and_raw_lock_irqsave(&epc->refcount, &ctx->lock, flags))
		return;
	WARN_ON_ONCE(perf_pmu_ctx_is_active(epc));
	/* The reference is dropped before pmu->leaving is read: revoke.c. */
	rests = perf_epc_rests_locked(epc);
	awaited = !rests && perf_epc_unlink_locked(epc);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	if (!embedded && !rests)
		call_rcu(&epc->rcu_head, perf_epc_free_rcu);
	if (awaited)
		perf_epc_wake(pmu);
}

/**
 * perf_epc_drop() - free an unused PMU context of a PMU that is unregistered
 * @ctx: context on which the caller has a reference
 * @pmu: the PMU
 *
 * Context: task.
 */
void perf_epc_drop(struct perf_ctx *ctx, struct pmu *pmu)
{
	struct perf_pmu_ctx *epc;

	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		epc = perf_epc_find_locked(ctx, pmu);
		if (!epc || epc->embedded || atomic_read(&epc->refcount))
			return;
		perf_epc_unlink_locked(epc);
	}
	call_rcu(&epc->rcu_head, perf_epc_free_rcu);
}

static __always_inline struct perf_ctx *event_ctx_get(struct perf_event *event)
{
	struct perf_ctx *ctx;

	guard(rcu)();
	do {
		ctx = perf_ctx_of(READ_ONCE(event->ctx));
		/* If this fails, the event has another context now. */
	} while (!perf_ctx_tryget(ctx));
	return ctx;
}

/**
 * perf_event_ctx_get() - get the context that an event belongs to
 * @event: event in a context
 *
 * Without the mutex of the context the event may leave it at any moment.
 *
 * Context: task.
 * Return: event->ctx, with a reference.
 */
struct perf_ctx *perf_event_ctx_get(struct perf_event *event)
{
	return event_ctx_get(event);
}

/**
 * perf_event_ctx_lock_nested() - lock the context that an event belongs to
 * @event: event
 * @nesting: lockdep subclass, if another context's mutex is held
 *
 * Context: task.
 * Return: event->ctx, locked, with a reference; perf_event_ctx_unlock() undoes
 * both.
 */
struct perf_ctx *perf_event_ctx_lock_nested(struct perf_event *event,
					    int nesting)
{
	struct perf_ctx *ctx;

	for (;;) {
		ctx = event_ctx_get(event);
		perf_debug_sleep();
		mutex_lock_nested(&ctx->mutex, nesting);
		if (likely(perf_event_ctx(event) == ctx))
			return ctx;
		mutex_unlock(&ctx->mutex);
		perf_ctx_put(ctx);
	}
}

/**
 * perf_event_ctx_trylock() - lock the context of one more event, without
 * waiting
 * @event: event
 *
 * Context: task; mutexes of other contexts may be held.
 * Return: as perf_event_ctx_lock(); NULL if the mutex is held, or if the event
 * is moved at this moment.
 */
struct perf_ctx *perf_event_ctx_trylock(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx_get(event);

	if (mutex_trylock(&ctx->mutex)) {
		if (likely(perf_event_ctx(event) == ctx))
			return ctx;
		mutex_unlock(&ctx->mutex);
	}
	perf_ctx_put(ctx);
	return NULL;
}

/**
 * perf_ctx_add_event_locked() - list an event in its context
 * @event: event with its pmu context; leader or sibling
 * @ctx: context, clock up to date
 *
 * Context: ctx->mutex and ctx->lock.
 */
void perf_ctx_add_event_locked(struct perf_event *event,
			       struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	WARN_ON_ONCE(event->attach_state & PERF_ATTACH_CONTEXT);

	perf_event_time_start(event);
	if (event->group_leader == event) {
		/* A group that moves keeps the capabilities that all have. */
		if (!(event->attach_state & PERF_ATTACH_GROUP))
			event->group_caps = event->event_caps;
		perf_group_insert_locked(event);
	}
	/* A reader without ctx->mutex sees event->ctx first; see read.c. */
	smp_store_release(&event->attach_state,
			  event->attach_state | PERF_ATTACH_CONTEXT);
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		perf_event_state_pair_check(event, event->state);
	list_add_rcu(&event->event_entry, &ctx->event_list);
	ctx->nr_events++;
	ctx->equal = 0;
	if (event->state >= PERF_EVENT_STATE_INACTIVE)
		perf_event_toggle_enabled(event);
	if (event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT)
		ctx->pub.nr_user++;
	perf_event_pmu_ctx(event)->nr_events++;
	perf_epc_drop_choice(perf_event_pmu_ctx(event));
	perf_group_attach_locked(event);
}

/**
 * perf_ctx_del_event_locked() - take an event off its context's lists
 * @event: event, off the PMU; its state is not changed
 * @ctx: context, clock up to date
 *
 * Context: ctx->mutex and ctx->lock.
 */
void perf_ctx_del_event_locked(struct perf_event *event,
			       struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (!(event->attach_state & PERF_ATTACH_CONTEXT))
		return;
	event->attach_state &= ~PERF_ATTACH_CONTEXT;
	list_del_rcu(&event->event_entry);
	if (event->group_leader == event)
		perf_group_erase_locked(event);
	ctx->nr_events--;
	ctx->equal = 0;
	if (event->state >= PERF_EVENT_STATE_INACTIVE)
		perf_event_toggle_enabled(event);
	if (event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT)
		ctx->pub.nr_user--;
	perf_event_pmu_ctx(event)->nr_events--;
	perf_epc_drop_choice(perf_event_pmu_ctx(event));
}

/* Events whose last reference was put; a worker frees them. */
static LIST_HEAD(perf_late_events);
static DEFINE_SPINLOCK(perf_late_lock);

static struct perf_event *perf_late_next(void)
{
	struct perf_event *event;

	guard(spinlock)(&perf_late_lock);
	event = list_first_entry_or_null(&perf_late_events, struct perf_event,
					 migrate_entry);
	if (event)
		list_del_init(&event->migrate_entry);
	return event;
}

static void perf_late_run(struct work_struct *work)
{
	struct perf_event *event;

	while ((event = perf_late_next()))
		static_call(perf_hooks_event_last_put)(event);
}

static DECLARE_WORK(perf_late_work, perf_late_run);

/**
 * perf_event_put_late() - give a reference back; a worker frees the event
 * @event: event
 *
 * For callers that hold mmap_lock. Freeing an event takes locks of its PMU, the
 * CPU hotplug lock among them. That lock is outside of a CPU context's mutex,
 * under which system calls fault pages in, and so outside of mmap_lock.
 *
 * Context: task.
 */
void perf_event_put_late(struct perf_event *event)
{
	if (!atomic_long_dec_and_test(&event->refcount))
		return;
	scoped_guard(spinlock, &perf_late_lock)
		list_add_tail(&event->migrate_entry, &perf_late_events);
	schedule_work(&perf_late_work);
}
