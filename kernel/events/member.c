// SPDX-License-Identifier: GPL-2.0
/*
 * Room "member": tasks that join, found, leave and end families.
 *
 * Purpose: a fork either copies the parent's inheritable events into a new
 * context of the child or, if only the sum can ever be read, makes the child a
 * member of the parent's family. A member needs no events of its own. Copied
 * contexts are exchanged at a switch, if they are equal.
 *
 * Owns: task->perf_event_ctxp of tasks that inherit; family->nr_members.
 *
 * Contexts: task; may sleep.
 *
 * Lifetime rules:
 *   - The first fork founds a family: the parent's context, with the opened
 *     events, goes into the pool together with the copies that two members need.
 *     In a family by CPU the events move to the contexts of their CPUs (divide.c).
 *   - A member has one reference on the handle. The last member that leaves ends
 *     the contexts of the pool.
 *   - Before an event is opened on a task, the task leaves its family. If the
 *     family's events were opened on this task, it gets them back, so that
 *     their groups can grow; any other task gets a new context with copies.
 *
 * Locking rules: task->perf_event_mutex, family->mutex, the context that is
 * copied, its copy. A task itself changes its perf_event_ctxp from its own
 * context to a handle, with the mutex of the context held. Any task may change
 * it from a handle to a context, with perf_event_mutex and family->mutex held.
 * The first context is published with perf_event_mutex held; switches exchange
 * contexts (swap.c). The task's exit, and an exec that gains privileges, change
 * it to NULL: from a handle with perf_event_mutex held, from a context with that
 * one's mutex held.
 *
 * Race: an event is opened on a task that founds a family.
 *   1. The opener has a reference on the task's context, and waits for its
 *      mutex.
 *   2. The fork founds the family and unlocks the mutex.
 *   3. The opener sees that the context belongs to a family, and starts over;
 *      now it makes the task leave the family.
 *
 * Race: a task leaves its family while it runs.
 *   1. A new context is made. If the task gets back the eldest events, the new
 *      context replaces theirs in the pool; otherwise it is for the task. In a
 *      family by CPU each context of the pool is replaced.
 *   2. If the replaced context is loaded on a CPU, that CPU is made to load
 *      another one.
 *   3. perf_event_ctxp is set to the task's context. The context with which the
 *      task runs still counts for the family, until the task's CPU reloads or
 *      switches.
 *   4. Only now nr_members goes down, so the pool was large enough all the
 *      time.
 *
 * Race: the kernel opens an event on a task that gains privileges by an exec.
 *   1. Both need task->perf_event_mutex.
 *   2. If the exec gets it first, the opener finds no context any more, and makes
 *      one: the event counts the new program, which is for the kernel to decide.
 *   3. If the opener gets it first, the task leaves its family, and then exec
 *      ends the context that it got.
 *
 * Race: a failed fork against the close of an eldest.
 *   1. Close has a reference on a copy in the child's own context, and waits
 *      for the mutex of that context.
 *   2. The fork removes all copies. The task will be freed whatever its
 *      reference count is, and the copy has a reference.
 *   3. The fork waits until it has the only reference on the context.
 *      Close puts the copy, and with it the context, and wakes the fork.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include "context.h"
#include "control.h"
#include "delay.h"
#include "divide.h"
#include "family.h"
#include "home.h"
#include "inherit.h"
#include "member.h"
#include "sched.h"
#include "sideband.h"
#include "swap.h"
#include "tracing.h"

/* Which events can be shared. */

/* A copy that is made of the event takes enable_on_exec from the eldest. */
static bool member_waits_for_exec(const struct perf_event *event)
{
	return event->attr.enable_on_exec ||
	       /* An exec may clear it meanwhile; nothing sets it again. */
	       data_race(!!perf_event_eldest(event)->attr.enable_on_exec);
}

/*
 * May a copy of the event serve another task than the one it was made for? Not
 * if it waits for its task's exec, if it sends signals, if the PMU or the probe
 * keeps data for each task, or if only a part of its group counts by task.
 */
static bool member_may_swap_event(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!attr->inherit || attr->remove_on_exec || attr->sigtrap ||
	    member_waits_for_exec(event) || !perf_swap_suits(event))
		return false;
	if (event->attach_state & PERF_ATTACH_TASK_DATA ||
	    is_exclusive_pmu(event->pmu) || has_aux(event) ||
	    has_addr_filter(event))
		return false;
	return attr->type != PERF_TYPE_BREAKPOINT &&
	       !perf_tracing_is_by_task(event);
}

/*
 * Do the event's copies serve only the sum over all tasks? Not if counts or
 * samples are those of one task, or if one copy may fail while others continue.
 */
static bool member_may_share_event(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->inherit_thread || attr->inherit_stat || attr->pinned)
		return false;
	if (attr->sample_type & (PERF_SAMPLE_READ | PERF_SAMPLE_STREAM_ID))
		return false;
	return member_may_swap_event(event);
}

static bool member_may_all(struct perf_ctx *ctx,
			   bool (*may)(struct perf_event *event))
{
	struct perf_event *event;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (!may(event))
			return false;
	}
	return ctx->nr_events;
}

/* The pool. */

/* Return: a context with copies of all events, and a reference; or an error. */
static struct perf_ctx *
member_copy_ctx(struct perf_ctx *from, struct task_struct *task)
{
	struct perf_inherit to = {
		.task	= task,
		.ctx	= perf_ctx_alloc_task(task),
	};
	int err;

	lockdep_assert_held(&from->mutex);
	if (!to.ctx)
		return ERR_PTR(-ENOMEM);
	err = perf_inherit_copy(&to, from);
	if (!err)
		return to.ctx;
	perf_inherit_discard(to.ctx);
	return ERR_PTR(err);
}

static struct perf_ctx *member_eldest_ctx(struct perf_family *family)
{
	lockdep_assert_held(&family->mutex);
	return list_first_entry(&family->contexts, struct perf_ctx,
				family_entry);
}

/* Return: as member_copy_ctx(). */
static struct perf_ctx *member_copy_eldest(struct perf_family *family,
					   struct task_struct *task)
{
	struct perf_ctx *eldest = member_eldest_ctx(family);

	guard(mutex)(&eldest->mutex);
	return member_copy_ctx(eldest, task);
}

/*
 * In a family by CPU, the events that are bound to no CPU have a copy in each
 * context, the others are in one context only.
 * Return: as member_copy_ctx(), with copies of all events of the family.
 */
static struct perf_ctx *member_copy_all_cpus(struct perf_family *family,
					     struct task_struct *task)
{
	struct perf_inherit to = {
		.task	= task,
		.ctx	= perf_ctx_alloc_task(task),
	};
	struct perf_ctx *from;
	int err = 0;

	lockdep_assert_held(&family->mutex);
	if (!to.ctx)
		return ERR_PTR(-ENOMEM);
	list_for_each_entry(from, &family->contexts, family_entry) {
		guard(mutex)(&from->mutex);
		if (!err)
			err = perf_inherit_copy(&to, from);
		to.which = PERF_INHERIT_BOUND;
	}
	if (!err)
		return to.ctx;
	perf_inherit_discard(to.ctx);
	return ERR_PTR(err);
}

static bool member_has_events(const struct perf_family *family)
{
	const struct perf_ctx *ctx;

	lockdep_assert_held(&family->mutex);
	list_for_each_entry(ctx, &family->contexts, family_entry) {
		if (READ_ONCE(ctx->nr_events))
			return true;
		/* All contexts have the same events. */
		if (!family->by_cpu)
			break;
	}
	return false;
}

static int member_grow(struct perf_family *family)
{
	struct perf_ctx *ctx =
		member_copy_eldest(family, member_eldest_ctx(family)->pub.task);

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	perf_family_add(family, ctx);
	return 0;
}

/* Called when the last member has left. */
static void member_end_family(struct perf_family *family)
{
	struct perf_ctx *ctx, *next;

	list_for_each_entry_safe(ctx, next, &family->contexts, family_entry) {
		perf_family_withdraw(ctx);
		perf_inherit_discard(ctx);
	}
}

static void member_drop(struct perf_family *family)
{
	lockdep_assert_held(&family->mutex);
	if (!--family->nr_members)
		member_end_family(family);
}

/* Fork. */

static void member_set_handle(struct perf_family *family,
			      struct task_struct *task)
{
	perf_ctx_get(&family->handle);
	family->nr_members++;
	/* Readers under RCU see a family that is complete. */
	smp_store_release(&task->perf_event_ctxp, &family->handle.pub);
}

/* Return: false if current has left the family meanwhile; else *@err is set. */
static bool member_join(struct perf_family *family, struct task_struct *child,
			int *err)
{
	guard(mutex)(&family->mutex);
	if (perf_task_ctx(current) != &family->handle)
		return false;
	*err = 0;
	/* All events were closed. */
	if (!member_has_events(family))
		return true;
	while (!*err && perf_family_wants_context(family))
		*err = member_grow(family);
	if (!*err)
		member_set_handle(family, child);
	return true;
}

/* The contexts of a new pool, besides current's own; nobody knows them yet. */
#define MEMBER_MAX_COPIES	(2 * PERF_FAMILY_PER_MEMBER - 1)

struct member_copies {
	struct perf_ctx		*ctx[MEMBER_MAX_COPIES];
	unsigned int		nr;
};

static void member_end_copies(struct member_copies *copies)
{
	while (copies->nr)
		perf_inherit_discard(copies->ctx[--copies->nr]);
}

/* Makes at least one copy, although one context is enough for one CPU. */
static int member_make_copies(struct member_copies *copies, unsigned int size,
			      struct perf_ctx *own)
{
	lockdep_assert_held(&own->mutex);
	do {
		struct perf_ctx *ctx = member_copy_ctx(own, current);

		if (IS_ERR(ctx)) {
			member_end_copies(copies);
			return PTR_ERR(ctx);
		}
		copies->ctx[copies->nr++] = ctx;
	} while (copies->nr + 1 < size);
	return 0;
}

/*
 * Current's context and the copies are the first of the pool. With interrupts
 * off no switch comes in between, and readers find the family complete.
 */
static void member_found(struct perf_family *family,
			 const struct member_copies *copies,
			 struct task_struct *child)
{
	struct perf_ctx *own = perf_task_ctx(current);

	lockdep_assert_held(&own->mutex);
	guard(irqsave)();
	perf_family_add(family, own);
	for (unsigned int i = 0; i < copies->nr; i++)
		perf_family_add(family, copies->ctx[i]);
	member_set_handle(family, child);
	member_set_handle(family, current);
}

static int member_fork_founding(struct perf_ctx *own,
				struct task_struct *child)
{
	struct member_copies copies = { .nr = 0 };
	struct perf_family *family;
	int err;

	family = perf_family_alloc(false);
	if (!family)
		return -ENOMEM;
	err = member_make_copies(&copies, perf_family_size_for(family, 2), own);
	if (!err)
		member_found(family, &copies, child);
	perf_ctx_put(&family->handle);
	return err;
}

/*
 * Once current is a member, a switch takes contexts from the pool. So the pool is
 * complete before.
 */
static void member_found_by_cpu(struct perf_family *family,
				struct perf_divide *divide,
				struct task_struct *child)
{
	struct perf_ctx *own = perf_task_ctx(current);

	lockdep_assert_held(&own->mutex);
	/* On another CPU current would miss counts of events that move. */
	migrate_disable();
	perf_divide_found(divide, own, family);
	scoped_guard(irqsave) {
		perf_family_add_cpu(family, own, smp_processor_id());
		member_set_handle(family, child);
		member_set_handle(family, current);
	}
	migrate_enable();
}

static int member_fork_dividing(struct perf_ctx *own,
				struct task_struct *child)
{
	struct perf_family *family = perf_family_alloc(true);
	struct perf_divide divide;
	int err;

	if (!family)
		return -ENOMEM;
	err = perf_divide_prepare(&divide, own);
	if (!err)
		member_found_by_cpu(family, &divide, child);
	perf_divide_end(&divide);
	perf_ctx_put(&family->handle);
	return err;
}

static int member_fork_copying(struct perf_ctx *own,
			       struct task_struct *child, u64 clone_flags)
{
	struct perf_inherit to = {
		.task		= child,
		.clone_flags	= clone_flags,
	};
	/*
	 * Asked first: if the eldest's task execs meanwhile, the copy waits for
	 * an exec, and the eldest does not any more.
	 */
	bool may_swap = member_may_all(own, member_may_swap_event);
	int err = perf_inherit_copy(&to, own);

	if (!to.ctx)
		return err;
	if (!err && may_swap)
		perf_swap_mark_equal(own, to.ctx);
	perf_ctx_put(to.ctx);
	return err;
}

/* Return: false if @own has been exchanged meanwhile; else *@err is set. */
static bool member_fork_from(struct perf_ctx *own,
			     struct task_struct *child, u64 clone_flags,
			     int *err)
{
	guard(mutex)(&own->mutex);
	if (!perf_swap_hold(own, current))
		return false;
	/* Only the task on which the events were opened founds a pool. */
	if (!perf_home_is_own(own, current) ||
	    !member_may_all(own, member_may_share_event))
		*err = member_fork_copying(own, child, clone_flags);
	else if (perf_divide_pays(own))
		*err = member_fork_dividing(own, child);
	else
		*err = member_fork_founding(own, child);
	perf_swap_release(own);
	return true;
}

/**
 * perf_member_fork() - make a new task inherit current's events
 * @child: new task that is not visible yet
 * @clone_flags: CLONE_*, which say what the two tasks share
 *
 * After a failure some copies may exist: perf_member_exit() removes them.
 *
 * Context: task; may sleep. Takes the mutex of current's context or family.
 * Return: 0; -ENOMEM; the errno of perf_inherit_copy().
 */
int perf_member_fork(struct task_struct *child, u64 clone_flags)
{
	struct perf_ctx *ctx;
	bool done;
	int err = 0;

	if (likely(!perf_task_ctx(current)))
		return 0;
	do {
		ctx = perf_ctx_find_task(current);
		if (!ctx)
			return 0;
		perf_debug_sleep();
		if (perf_ctx_is_handle(ctx))
			done = member_join(ctx->family, child, &err);
		else
			done = member_fork_from(ctx, child, clone_flags, &err);
		perf_ctx_put(ctx);
	} while (!done);
	return err;
}

/* Leaving. */

/*
 * Return: the context that a member gets when it leaves, with a reference: the
 * one with the events that were opened on it, if the pool still has that; else
 * a new one. Or an error.
 */
static struct perf_ctx *member_leave_with(struct perf_family *family,
					  struct task_struct *task)
{
	struct perf_ctx *eldest = member_eldest_ctx(family), *new;
	bool founder = eldest->pub.task == task;

	if (family->by_cpu)
		return founder ? perf_divide_unite(family, task) :
				 member_copy_all_cpus(family, task);
	new = member_copy_eldest(family, task);
	if (IS_ERR(new) || !founder)
		return new;
	perf_family_replace(eldest, new);
	perf_debug_sleep();
	perf_control_vacate(eldest);
	return eldest;
}

static int member_leave(struct perf_family *family, struct task_struct *task)
{
	struct perf_ctx *ctx = member_leave_with(family, task);

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	perf_debug_sleep();
	/* Takes over the reference; RCU readers see a whole context. */
	smp_store_release(&task->perf_event_ctxp, &ctx->pub);
	perf_control_reload(task);
	member_drop(family);
	/* The task's reference on the handle. */
	perf_ctx_put(&family->handle);
	return 0;
}

/**
 * perf_member_leave() - give a task a context of its own, if it is in a family
 * @task: task on which an event is about to be opened
 *
 * The task may found a family again as soon as this returns.
 *
 * Context: task; may sleep, no mutex of a context held.
 * Return: 0; -ESRCH when @task is exiting; as perf_member_fork().
 */
int perf_member_leave(struct task_struct *task)
{
	struct perf_ctx *ctx;
	int err = 0;

	guard(mutex)(&task->perf_event_mutex);
	if (task->flags & PF_EXITING)
		return -ESRCH;
	ctx = perf_ctx_find_task(task);
	if (!ctx)
		return 0;
	if (perf_ctx_is_handle(ctx)) {
		guard(mutex)(&ctx->family->mutex);
		err = member_leave(ctx->family, task);
	}
	perf_ctx_put(ctx);
	return err;
}

/* Return: false if @task has left the family meanwhile. */
static bool member_see(struct perf_family *family, struct task_struct *task,
		       int cpu, struct perf_ctx **ctx)
{
	struct perf_ctx *eldest;

	guard(mutex)(&family->mutex);
	if (perf_task_ctx(task) != &family->handle)
		return false;
	eldest = member_eldest_ctx(family);
	*ctx = NULL;
	if (eldest->pub.task != task)
		return true;
	*ctx = family->by_cpu && cpu >= 0 && cpu_possible(cpu) ?
		       family->places[cpu].own : eldest;
	perf_ctx_get(*ctx);
	return true;
}

/**
 * perf_member_see_ctx() - find the context that a task's event would join
 * @task: task
 * @cpu: CPU that the event is bound to, -1 for none
 *
 * It is the context that perf_member_leave() and perf_ctx_get_task() would give
 * to the task, or the part of it that has the events of @cpu. This function
 * changes nothing, so the context may still belong to a family and contain its
 * eldest events.
 *
 * Context: task; may sleep, no mutex of a context held.
 * Return: context with a reference; NULL if it would be a new one.
 */
struct perf_ctx *perf_member_see_ctx(struct task_struct *task, int cpu)
{
	struct perf_ctx *handle, *ctx;
	bool seen;

	do {
		ctx = perf_ctx_find_task(task);
		if (!ctx || !perf_ctx_is_handle(ctx))
			return ctx;
		handle = ctx;
		seen = member_see(handle->family, task, cpu, &ctx);
		perf_ctx_put(handle);
	} while (!seen);
	return ctx;
}

/* Exit. */

static void member_exit_family(struct perf_family *family,
			       struct task_struct *task, bool exit)
{
	struct perf_ctx *handle;

	scoped_guard(mutex, &family->mutex) {
		handle = perf_sched_take_ctx(task);
		if (exit)
			perf_side_task(task, false, member_eldest_ctx(family));
		member_drop(family);
	}
	/* The task's reference. */
	perf_ctx_put(handle);
}

static void member_exit_handle(struct task_struct *task, bool exit)
{
	struct perf_ctx *ctx;

	guard(mutex)(&task->perf_event_mutex);
	ctx = perf_ctx_find_task(task);
	if (!ctx)
		return;
	if (perf_ctx_is_handle(ctx))
		member_exit_family(ctx->family, task, exit);
	perf_ctx_put(ctx);
}

/*
 * A task that never ran may be freed when this returns: no event refers to it
 * any more.
 */
static void member_exit_own(struct task_struct *task, bool exit)
{
	struct perf_ctx *ctx = perf_home_take_ctx(task);

	/* No event counts any more, so no sample comes after this record. */
	if (exit)
		perf_side_task(task, false, ctx);
	perf_inherit_end(ctx);
	if (!exit)
		wait_var_event(&ctx->refcount,
			       refcount_read(&ctx->refcount) == 1);
	/* The task's reference. */
	perf_ctx_put(ctx);
}

/**
 * perf_member_exit() - take a task out of its family or from its context
 * @task: current, or a task that was never started
 * @exit: true if @task has run; its own events are notified of its exit
 *
 * No user with a file can open an event for @task meanwhile: it is marked as
 * exiting, or its exec_update_lock is held, or it is not visible. Opens by the
 * kernel do not take that lock.
 *
 * Context: task; may sleep. Takes task->perf_event_mutex; breakpoints take it
 * when they end, but none is in a family.
 */
void perf_member_exit(struct task_struct *task, bool exit)
{
	if (!perf_task_ctx(task))
		return;
	member_exit_handle(task, exit);
	perf_debug_sleep();
	/* Its own context is looked up again: it may have been exchanged. */
	if (perf_task_ctx(task))
		member_exit_own(task, exit);
}
