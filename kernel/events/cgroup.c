// SPDX-License-Identifier: GPL-2.0
/*
 * Room "cgroup": events that count for one cgroup and its descendants on one
 * CPU, and perf's controller in the hierarchy of cgroups.
 *
 * Purpose: such events belong to the CPU's own context. The cgroup of the
 * running task decides whether they may be active, and whether their time
 * passes. A switch from one cgroup to another concerns only cgroups with events
 * on this CPU, from both of them up to their nearest common ancestor, and only
 * the PMUs of these events. If there is no such cgroup, nothing is locked, read
 * or programmed. Events that stay active are not touched.
 *
 * Owns: cpuctx->{cgrp,nr_cgroup_events}; struct perf_cgroup; the nr_events of a
 * cgroup on a CPU, and when its time passes; event->cgrp.
 *
 * Contexts: task switch (run-queue lock held), interrupts, remote calls, all on
 * the CPU in question with interrupts off; the controller's methods in task
 * context with cgroup_mutex held.
 *
 * Lifetime: an event has a reference on its cgroup, which may be removed while
 * the event is open; then no task enters it any more, and it stays in memory
 * until its last event is freed. The per-CPU data of a cgroup exists from its
 * first event on. cpuctx->cgrp needs no reference: it is the cgroup of the
 * running task, and a move of that task to another cgroup waits for this CPU
 * before the old cgroup can go.
 *
 * Locking: ctx->lock of the CPU's context; perf_cgroup_mutex for a cgroup's
 * first event. cpuctx->cgrp, nr_events of a cgroup, and the list of its groups
 * change only on their CPU while its context is loaded, so that CPU may look at
 * them without the lock when interrupts are off. Otherwise cpuctx->cgrp is
 * NULL, and the CPU does not look.
 *
 * Race, a task is moved to another cgroup while it runs:
 *  1. the mover changes the task's pointer, on any CPU;
 *  2. attach() sends an interrupt to the CPU of the task, and waits;
 *  3. if the task still runs there, the handler sees the new cgroup. If it does
 *     not, its next switch in comes after 1 and sees the new cgroup, too.
 *
 * Race, the first event of a CPU against such a move:
 *  1. watching counts the event, then reads the cgroup of the running task;
 *  2. the mover changes the task's pointer, then reads the CPU's count;
 *  3. because of the barriers in between, at least one of them sees what the
 *     other has written: either watching reads the new cgroup, or the mover
 *     sends the interrupt, whose handler reads it.
 */
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <kunit/visibility.h>
#include "cgroup.h"
#include "clock.h"
#include "context.h"
#include "groups.h"
#include "hooks.h"
#include "pmu.h"
#include "refuse.h"
#include "remote.h"
#include "sched.h"
#include "sideband.h"

#ifdef CONFIG_CGROUP_PERF

static DEFINE_MUTEX(perf_cgroup_mutex);

/* CPUs whose running task may have been moved; under cgroup_mutex. */
static struct cpumask perf_cgroup_stale;

/* The tree of cgroups. */

static struct perf_cgroup *perf_cgroup_of_css(struct cgroup_subsys_state *css)
{
	return container_of(css, struct perf_cgroup, css);
}

/* @task is current, or the caller keeps it from going away. */
static struct perf_cgroup *perf_cgroup_of_task(struct task_struct *task)
{
	return perf_cgroup_of_css(task_css_check(task, perf_event_cgrp_id,
						 true));
}

static struct perf_cgroup *perf_cgroup_parent(const struct perf_cgroup *cgrp)
{
	struct cgroup_subsys_state *parent = cgrp->css.parent;

	return parent ? perf_cgroup_of_css(parent) : NULL;
}

/* The nearest cgroup that contains both; NULL if one of them is NULL. */
VISIBLE_IF_KUNIT struct perf_cgroup *perf_cgroup_common(struct perf_cgroup *a,
							struct perf_cgroup *b)
{
	while (a != b) {
		if (!b || (a && a->depth >= b->depth))
			a = perf_cgroup_parent(a);
		else
			b = perf_cgroup_parent(b);
	}
	return a;
}

/* Is @cgrp, which may be NULL, the same as @ancestor or a descendant? */
VISIBLE_IF_KUNIT bool perf_cgroup_is_within(struct perf_cgroup *cgrp,
					    const struct perf_cgroup *ancestor)
{
	while (cgrp && cgrp->depth > ancestor->depth)
		cgrp = perf_cgroup_parent(cgrp);
	return cgrp == ancestor;
}

/* The cgroup's data on this CPU; NULL if it has no events here. */
static struct perf_cpu_cgroup *
perf_cgroup_watched_oncpu(const struct perf_cgroup *cgrp)
{
	struct perf_cpu_cgroup __percpu *cpus = READ_ONCE(cgrp->cpus);
	struct perf_cpu_cgroup *local;

	if (!cpus)
		return NULL;
	local = this_cpu_ptr(cpus);
	return local->nr_events ? local : NULL;
}

/* The first cgroup from @cgrp upwards that has events here, or else @top. */
static struct perf_cgroup *perf_cgroup_find_oncpu(struct perf_cgroup *cgrp,
						  const struct perf_cgroup *top)
{
	while (cgrp != top && !perf_cgroup_watched_oncpu(cgrp))
		cgrp = perf_cgroup_parent(cgrp);
	return cgrp;
}

/* Cgroups with events here, from @from upwards and below @top. */
#define perf_cgroup_for_each(cgrp, from, top)				\
	for ((cgrp) = perf_cgroup_find_oncpu((from), (top));		\
	     (cgrp) != (top);						\
	     (cgrp) = perf_cgroup_find_oncpu(perf_cgroup_parent(cgrp), (top)))

/* The switch. */

/* Disables each PMU that has groups of the cgroup, once, and lists it. */
static void perf_cgroup_hold_pmus_locked(struct perf_cgroup *cgrp,
					 struct list_head *pmus)
{
	struct perf_cpu_cgroup *local = this_cpu_ptr(cgrp->cpus);
	struct perf_cpu_pmu_context *cpc;
	struct perf_event *leader;

	lockdep_assert_held(&this_cpu_ptr(&perf_cpu_context)->ctx.lock);
	list_for_each_entry(leader, &local->groups, cgroup_entry) {
		cpc = perf_event_cpc_oncpu(leader);
		if (!list_empty(&cpc->cgroup_entry))
			continue;
		list_add_tail(&cpc->cgroup_entry, pmus);
		perf_pmu_disable(cpc->epc.pmu);
	}
}

static void perf_cgroup_leave_locked(struct perf_cgroup *cgrp,
				     const struct perf_ctx *ctx)
{
	struct perf_cpu_cgroup *local = this_cpu_ptr(cgrp->cpus);
	struct perf_event *leader;

	lockdep_assert_held(&ctx->lock);
	list_for_each_entry(leader, &local->groups, cgroup_entry) {
		perf_sched_group_out_locked(leader);
		perf_group_return_locked(leader);
		perf_group_hide_locked(leader);
	}
	perf_cgroup_clock_stop_locked(local, ctx);
}

static void perf_cgroup_enter_locked(struct perf_cgroup *cgrp,
				     const struct perf_ctx *ctx)
{
	struct perf_cpu_cgroup *local = this_cpu_ptr(cgrp->cpus);
	struct perf_cpu_pmu_context *cpc;
	struct perf_event *leader;

	lockdep_assert_held(&ctx->lock);
	perf_cgroup_clock_start_locked(local, ctx);
	list_for_each_entry(leader, &local->groups, cgroup_entry) {
		cpc = perf_event_cpc_oncpu(leader);
		perf_group_show_locked(leader);
		/* A new choice for the PMU tries the others. */
		if (!cpc->crowded)
			cpc->crowded = !perf_sched_group_fit_in_locked(leader);
	}
}

/*
 * If not all groups of the new cgroup fit, all groups take part in a new
 * choice, in which active groups have no advantage. The PMU is enabled first:
 * drivers assign counters only then, and groups that were just scheduled in
 * cannot be scheduled out before. If all groups fit, waiting groups try the
 * remaining counters.
 */
static void perf_cgroup_finish_pmu_locked(struct perf_cpu_context *cpuctx,
					  struct perf_cpu_pmu_context *cpc)
{
	struct perf_pmu_ctx *epc = &cpc->epc;
	bool crowded = cpc->crowded;

	lockdep_assert_held(&cpuctx->ctx.lock);
	cpc->crowded = false;
	/* Other groups are shown than before. */
	cpc->full_active = -1;
	if (!crowded && epc->rotate_necessary)
		perf_sched_fill_locked(cpc);
	perf_pmu_enable(epc->pmu);
	if (crowded)
		perf_sched_pmu_resched_locked(cpuctx, epc->pmu);
}

static void perf_cgroup_release_pmus_locked(struct perf_cpu_context *cpuctx,
					    struct list_head *pmus)
{
	struct perf_cpu_pmu_context *cpc, *next;

	lockdep_assert_held(&cpuctx->ctx.lock);
	list_for_each_entry_safe(cpc, next, pmus, cgroup_entry) {
		list_del_init(&cpc->cgroup_entry);
		perf_cgroup_finish_pmu_locked(cpuctx, cpc);
	}
}

/* Drivers update pages when a count stops, but not when only the time stops. */
static void perf_cgroup_update_pages_locked(struct perf_cgroup *cgrp)
{
	struct perf_cpu_cgroup *local = this_cpu_ptr(cgrp->cpus);
	struct perf_event *leader, *sibling;

	lockdep_assert_held(&this_cpu_ptr(&perf_cpu_context)->ctx.lock);
	list_for_each_entry(leader, &local->groups, cgroup_entry) {
		perf_event_update_userpage(leader);
		for_each_sibling_event(sibling, leader)
			perf_event_update_userpage(sibling);
	}
}

/*
 * Switches this CPU to cgroup @to, that of the task which runs here from now
 * on; NULL for no cgroup. Locks of both contexts; clocks up to date.
 */
VISIBLE_IF_KUNIT void perf_cgroup_switch_locked(struct perf_cpu_context *cpuctx,
						struct perf_cgroup *to)
{
	struct perf_cgroup *from = cpuctx->cgrp, *cgrp;
	struct perf_cgroup *top = perf_cgroup_common(from, to);
	LIST_HEAD(pmus);

	lockdep_assert_held(&cpuctx->ctx.lock);
	WRITE_ONCE(cpuctx->cgrp, to);

	perf_cgroup_for_each(cgrp, from, top)
		perf_cgroup_hold_pmus_locked(cgrp, &pmus);
	perf_cgroup_for_each(cgrp, to, top)
		perf_cgroup_hold_pmus_locked(cgrp, &pmus);

	perf_cgroup_for_each(cgrp, from, top)
		perf_cgroup_leave_locked(cgrp, &cpuctx->ctx);
	perf_cgroup_for_each(cgrp, to, top)
		perf_cgroup_enter_locked(cgrp, &cpuctx->ctx);
	perf_cgroup_release_pmus_locked(cpuctx, &pmus);

	perf_cgroup_for_each(cgrp, from, top)
		perf_cgroup_update_pages_locked(cgrp);
	perf_cgroup_for_each(cgrp, to, top)
		perf_cgroup_update_pages_locked(cgrp);
}

static bool perf_cgroup_switch_matters(struct perf_cgroup *from,
				       struct perf_cgroup *to)
{
	struct perf_cgroup *top = perf_cgroup_common(from, to);

	return perf_cgroup_find_oncpu(from, top) != top ||
	       perf_cgroup_find_oncpu(to, top) != top;
}

/* @task runs on this CPU; interrupts off. */
static void perf_cgroup_follow_oncpu(struct task_struct *task)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_cgroup *to = perf_cgroup_of_task(task);
	struct perf_ctx *task_ctx;

	lockdep_assert_irqs_disabled();
	if (!cpuctx->cgrp || cpuctx->cgrp == to)
		return;
	if (!perf_cgroup_switch_matters(cpuctx->cgrp, to)) {
		WRITE_ONCE(cpuctx->cgrp, to);
		return;
	}
	task_ctx = cpuctx->task_ctx;
	perf_ctx_lock_pair(cpuctx, task_ctx);
	perf_ctx_clock_update_locked(&cpuctx->ctx);
	if (task_ctx)
		perf_ctx_clock_update_locked(task_ctx);
	perf_cgroup_switch_locked(cpuctx, to);
	perf_ctx_unlock_pair(cpuctx, task_ctx);
}

/**
 * perf_cgroup_load_locked() - start to follow cgroups on this CPU
 * @cpuctx: this CPU; its own context has been loaded
 *
 * Context: ctx->lock, interrupts off; clock up to date.
 */
void perf_cgroup_load_locked(struct perf_cpu_context *cpuctx)
{
	lockdep_assert_held(&cpuctx->ctx.lock);
	if (cpuctx->nr_cgroup_events)
		perf_cgroup_switch_locked(cpuctx, perf_cgroup_of_task(current));
}

/**
 * perf_cgroup_unload_locked() - stop following cgroups on this CPU
 * @cpuctx: this CPU; its own context is about to be unloaded, and no task
 *	context is loaded
 *
 * Context: ctx->lock, interrupts off; clock up to date.
 */
void perf_cgroup_unload_locked(struct perf_cpu_context *cpuctx)
{
	lockdep_assert_held(&cpuctx->ctx.lock);
	if (cpuctx->cgrp)
		perf_cgroup_switch_locked(cpuctx, NULL);
}

/* Events. */

static struct perf_cpu_context *perf_cgroup_cpuctx(struct perf_event *event)
{
	return container_of(perf_event_ctx(event), struct perf_cpu_context,
			    ctx);
}

/* perf_cgroup_attach() reads the count on any CPU. Return: the new count. */
static unsigned int perf_cgroup_count(struct perf_event *event, int change)
{
	struct perf_cpu_context *cpuctx = perf_cgroup_cpuctx(event);

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	WRITE_ONCE(cpuctx->nr_cgroup_events,
		   cpuctx->nr_cgroup_events + change);
	return cpuctx->nr_cgroup_events;
}

/**
 * perf_cgroup_start_watch_locked() - perf_cgroup_watch_locked() with a cgroup
 * @event: event that has a cgroup
 * @cpuctx: see there
 *
 * Context: ctx->lock, interrupts off; clock up to date.
 */
void perf_cgroup_start_watch_locked(struct perf_event *event,
				    struct perf_cpu_context *cpuctx)
{
	struct perf_cpu_cgroup *local;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (perf_cgroup_count(event, 1) == 1 && cpuctx) {
		smp_mb(); /* the count, then the cgroup; see perf_cgroup_attach() */
		WRITE_ONCE(cpuctx->cgrp, perf_cgroup_of_task(current));
	}
	local = perf_event_cpu_cgroup(event);
	if (!local->nr_events++ && cpuctx &&
	    perf_cgroup_is_within(cpuctx->cgrp, event->cgrp))
		perf_cgroup_clock_start_locked(local, perf_event_ctx(event));
}

/**
 * perf_cgroup_end_watch_locked() - perf_cgroup_unwatch_locked() with a cgroup
 * @event: event that has a cgroup
 *
 * Context: ctx->lock, interrupts off; clock up to date.
 */
void perf_cgroup_end_watch_locked(struct perf_event *event)
{
	struct perf_cpu_cgroup *local;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (!(event->attach_state & PERF_ATTACH_CONTEXT))
		return;
	local = perf_event_cpu_cgroup(event);
	if (!--local->nr_events)
		perf_cgroup_clock_stop_locked(local, perf_event_ctx(event));
	if (!perf_cgroup_count(event, -1))
		WRITE_ONCE(perf_cgroup_cpuctx(event)->cgrp, NULL);
}

VISIBLE_IF_KUNIT int perf_cgroup_prepare(struct perf_cgroup *cgrp)
{
	struct perf_cpu_cgroup __percpu *cpus;
	int cpu;

	guard(mutex)(&perf_cgroup_mutex);
	if (cgrp->cpus)
		return 0;
	cpus = alloc_percpu(struct perf_cpu_cgroup);
	if (!cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu_ptr(cpus, cpu)->groups);
	/* Task switches use it as soon as they see it. */
	smp_store_release(&cgrp->cpus, cpus);
	return 0;
}

/**
 * perf_cgroup_connect() - limit an event to a cgroup
 * @event: new event of a CPU; its leader is known
 * @fd: descriptor of the cgroup's directory
 *
 * A sibling must have the same cgroup as its leader.
 *
 * Context: task, may sleep. perf_cgroup_disconnect() follows in any case.
 * Return: 0; -EBADF if @fd is not a cgroup's directory, -ENOENT for a cgroup
 * that is being removed or that has no part in perf's hierarchy, -EINVAL for a
 * leader with another cgroup or without one.
 */
int perf_cgroup_connect(struct perf_event *event, int fd)
{
	struct perf_event *leader = event->group_leader;
	struct cgroup_subsys_state *css;

	CLASS(fd, f)(fd);
	if (fd_empty(f))
		return perf_refuse(-EBADF, PERF_ARGUMENT(PID), 0,
				   PERF_REASON_CGROUP_FD);
	css = css_tryget_online_from_dir(fd_file(f)->f_path.dentry,
					 &perf_event_cgrp_subsys);
	if (IS_ERR(css))
		return perf_refuse(PTR_ERR(css), PERF_ARGUMENT(PID), 0,
				   PERF_REASON_CGROUP_FD);
	event->cgrp = perf_cgroup_of_css(css);
	if (leader->cgrp != event->cgrp)
		return perf_refuse(-EINVAL, PERF_ARGUMENT(GROUP_FD), 0,
				   PERF_REASON_LEADER_CGROUP);
	return 0;
}

/**
 * perf_cgroup_equip() - allocate the per-CPU data of an event's cgroup
 * @event: event that will be installed, after perf_cgroup_connect()
 *
 * The data stays as long as the cgroup does.
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM.
 */
int perf_cgroup_equip(struct perf_event *event)
{
	return perf_cgroup_prepare(event->cgrp);
}

/* The controller. */

static struct cgroup_subsys_state *
perf_cgroup_css_alloc(struct cgroup_subsys_state *parent)
{
	struct perf_cgroup *cgrp = kzalloc(sizeof(*cgrp), GFP_KERNEL);

	if (!cgrp)
		return ERR_PTR(-ENOMEM);
	if (parent)
		cgrp->depth = perf_cgroup_of_css(parent)->depth + 1;
	return &cgrp->css;
}

static int perf_cgroup_css_online(struct cgroup_subsys_state *css)
{
	perf_side_cgroup(css->cgroup);
	return 0;
}

static void perf_cgroup_css_free(struct cgroup_subsys_state *css)
{
	struct perf_cgroup *cgrp = perf_cgroup_of_css(css);

	free_percpu(cgrp->cpus);
	kfree(cgrp);
}

static void perf_cgroup_follow_current(void)
{
	perf_cgroup_follow_oncpu(current);
}

/* Tasks were moved; each CPU that may run one checks its cgroup, once. */
static void perf_cgroup_attach(struct cgroup_taskset *tset)
{
	struct cgroup_subsys_state *css;
	struct task_struct *task;
	int cpu;

	cpumask_clear(&perf_cgroup_stale);
	smp_mb(); /* the cgroup, then the count; see perf_cgroup_watch_locked() */
	cgroup_taskset_for_each(task, css, tset) {
		cpu = task_cpu(task);
		if (READ_ONCE(per_cpu(perf_cpu_context, cpu).nr_cgroup_events))
			cpumask_set_cpu(cpu, &perf_cgroup_stale);
	}
	perf_cpus_call(&perf_cgroup_stale, perf_cgroup_follow_current);
}

struct cgroup_subsys perf_event_cgrp_subsys = {
	.css_alloc		= perf_cgroup_css_alloc,
	.css_online		= perf_cgroup_css_online,
	.css_free		= perf_cgroup_css_free,
	.attach			= perf_cgroup_attach,
	/* In the unified hierarchy a cgroup's path is all perf needs. */
	.implicit_on_dfl	= true,
	.threaded		= true,
};

/**
 * perf_cgroup_init() - set the hook that task switches call
 *
 * Context: boot.
 */
void __init perf_cgroup_init(void)
{
	perf_hooks.cgroup_switch = perf_cgroup_follow_oncpu;
}

#endif /* CONFIG_CGROUP_PERF */
