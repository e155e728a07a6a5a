// SPDX-License-Identifier: GPL-2.0
/*
 * Room "task": fork, exec and exit.
 *
 * Purpose: the entry points for fork, exec and exit. They call steps of other
 * rooms in the right order.
 *
 * Owns: task->{perf_recursion,perf_event_mutex} from the moment the task is
 * made; the end of task->perf_event_list.
 *
 * Contexts: task; may sleep. The task is current, or one that is being made.
 *
 * Lifetime rules: a task that is freed has no context and no event on its list.
 * Each event has a reference on the task that it counts; the list of its owner
 * is no reference.
 *
 * Locking rules: perf_event_mutex before the mutex of a family, inside of which are those of
 * the pool's contexts. hw_breakpoint.c takes it inside of the mutex of a breakpoint's
 * context. That context is in no pool, since a family has no breakpoints.
 *
 * Race: exit of an owner against close of its event.
 *   1. Exit takes the event off the list, then clears event->owner.
 *   2. Close sees no owner, and frees the event; exit is done with it.
 *      Or close sees the owner, takes its perf_event_mutex after exit has
 *      dropped it, looks again and has nothing to do.
 *
 * Race: exit against an open that makes the task's first context.
 *   1. Exit takes perf_event_mutex, with the task marked as exiting.
 *   2. An open that had the mutex before has published its context: exit finds
 *      it. An open that gets it later sees the mark and fails.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "addr_filter.h"
#include "context.h"
#include "control.h"
#include "delay.h"
#include "family.h"
#include "inherit.h"
#include "member.h"
#include "sideband.h"

/* Clears the owner of the task's events; they go on until they are closed. */
static void task_disown_all(struct task_struct *task)
{
	struct perf_event *event, *next;

	guard(mutex)(&task->perf_event_mutex);
	list_for_each_entry_safe(event, next, &task->perf_event_list,
				 owner_entry) {
		list_del_init(&event->owner_entry);
		perf_debug_sleep();
		/* The last access: a close that sees no owner may free it. */
		smp_store_release(&event->owner, NULL);
	}
}

/**
 * perf_event_free_task() - undo perf_event_init_task()
 * @task: task that will not be started
 *
 * Context: Task context, may sleep.
 */
void perf_event_free_task(struct task_struct *task)
{
	perf_member_exit(task, false);
}

/**
 * perf_event_init_task() - prepare a new task and let it inherit events
 * @child: new task, a byte-wise copy of current as far as this room
 *	is concerned
 * @clone_flags: CLONE_*
 *
 * Context: Task context, may sleep.
 * Return: 0; or the errno of perf_member_fork(), and then nothing is
 * left to undo.
 */
int perf_event_init_task(struct task_struct *child, u64 clone_flags)
{
	int err;

	child->perf_event_ctxp = NULL;
	INIT_LIST_HEAD(&child->perf_event_list);
	mutex_init(&child->perf_event_mutex);
	memset(child->perf_recursion, 0, sizeof(child->perf_recursion));

	err = perf_member_fork(child, clone_flags);
	if (err)
		perf_event_free_task(child);
	return err;
}

/**
 * perf_event_exec() - adapt current's events to its new program
 *
 * Events that wait for an exec are enabled, then events that must not see the
 * new program are removed, and the ranges of address filters for files are
 * cleared.
 *
 * Context: Task context, may sleep; current's exec_update_lock is held.
 */
void perf_event_exec(void)
{
	struct perf_ctx *ctx = perf_ctx_find_task(current);

	if (!ctx)
		return;
	/* A family has nothing that an exec would change. */
	if (!perf_ctx_is_handle(ctx)) {
		perf_control_exec(ctx);
		perf_inherit_exec(ctx);
		perf_addr_filter_exec(ctx);
	}
	perf_ctx_put(ctx);
}

/**
 * perf_event_exit_task() - take all events from current at its exit
 * @child: current
 *
 * Also called when an exec gains privileges. Current loses the events that it
 * owns as well as those that count it.
 *
 * Context: Task context, may sleep; exec_update_lock may be held.
 */
void perf_event_exit_task(struct task_struct *child)
{
	task_disown_all(child);
	perf_member_exit(child, true);
	/* The task's own events were notified; now those of its CPU. */
	perf_side_task(child, false, NULL);
}

/**
 * perf_event_delayed_put() - check a task that is about to be freed
 * @task: task that has exited
 *
 * Context: any.
 */
void perf_event_delayed_put(struct task_struct *task)
{
	WARN_ON_ONCE(task->perf_event_ctxp);
}
