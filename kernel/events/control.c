// SPDX-License-Identifier: GPL-2.0
/*
 * Room "control": operations on events wherever their context is.
 *
 * Purpose: install, remove, enable, disable, change the period, read. Each
 * operation is a short function that perf_ctx_call() runs where the context is
 * loaded.
 *
 * Owns: nothing; it works on events under their contexts' locks.
 *
 * Contexts: task, unless a function says otherwise.
 *
 * Lifetime: the caller has a reference on the event.
 *
 * Locking: event->ctx->mutex keeps the event in its context. For an inherited
 * event its eldest's child_mutex does: its task's exit waits for that before
 * the event leaves.
 *
 * Race, an event that is enabled does not fit:
 *  1. perf_control_enable() turns ERROR to OFF and OFF to INACTIVE in one step
 *     under ctx->lock;
 *  2. the group does not fit and enters ERROR again. A reader that sees ERROR
 *     afterwards sees this new ERROR, not the old one.
 */
#include <linux/smp.h>
#include "cgroup.h"
#include "clock.h"
#include "context.h"
#include "control.h"
#include "event_state.h"
#include "groups.h"
#include "pmu.h"
#include "random_draw.h"
#include "remote.h"
#include "sched.h"
#include "throttle.h"

/* Install. */

static int perf_control_install_remote(struct perf_ctx *ctx,
				       struct perf_cpu_context *cpuctx,
				       void *arg)
{
	struct perf_event *event = arg, *leader = event->group_leader;
	/* Siblings of a group that moves are installed before their leader. */
	bool joins = leader->attach_state & PERF_ATTACH_CONTEXT;

	perf_ctx_clock_update_locked(ctx);
	/* An active group has to be scheduled in again as a whole. */
	if (joins && event->state >= PERF_EVENT_STATE_INACTIVE)
		perf_sched_group_out_locked(leader);
	perf_cgroup_watch_locked(event, cpuctx);
	perf_ctx_add_event_locked(event, ctx);
	if (!cpuctx)
		return 0;
	if (ctx->pub.task)
		perf_event_cpc_oncpu(event)->task_epc =
			perf_event_pmu_ctx(event);
	if (joins || leader == event)
		perf_sched_group_try_in_locked(cpuctx, leader);
	return 0;
}

static int perf_control_reload_oncpu(void *unused)
{
	perf_sched_reload_oncpu();
	return 0;
}

/**
 * perf_control_reload() - load a task's context if the task runs
 * @task: task with a new perf_event_ctxp, or with the first event in its
 *	context
 *
 * If the task does not run, or has left the CPU where it was found, its context
 * is loaded when it is switched in; see the race in sched.c.
 *
 * Context: task, interrupts on.
 */
void perf_control_reload(struct task_struct *task)
{
	if (task == current) {
		guard(irq)();
		perf_sched_reload_oncpu();
		return;
	}
	smp_mb(); /* the context is published before the CPU is read */
	perf_cpu_call(task_cpu(task), perf_control_reload_oncpu, NULL);
}

/**
 * perf_control_vacate() - unload a context that serves no task
 * @ctx: context of no task and no family
 *
 * Context: task, interrupts on.
 */
void perf_control_vacate(struct perf_ctx *ctx)
{
	int cpu;

	while ((cpu = READ_ONCE(ctx->loaded_cpu)) != PERF_CPU_NONE) {
		perf_cpu_call(cpu, perf_control_reload_oncpu, NULL);
		cond_resched();
	}
}

static __always_inline void control_place(struct perf_ctx *ctx,
					  struct perf_event *event)
{
	lockdep_assert_held(&ctx->mutex);
	WARN_ON_ONCE(perf_event_pmu_ctx(event)->ctx != ctx || ctx->family);
	WARN_ON_ONCE(ctx->pub.task == TASK_TOMBSTONE);
	/* An event that moves between PMUs has its reference already. */
	if (perf_event_ctx(event) != ctx)
		perf_ctx_get(ctx);
	/* A user with the event's file may follow event->ctx from now on. */
	smp_store_release(&event->ctx, &ctx->pub);
	perf_pmu_announce(event);
	perf_ctx_call(ctx, perf_control_install_remote, event);
}

/**
 * perf_control_place() - add an event to a context, where that is loaded
 * @ctx: context of no family; the event gets a reference on it
 * @event: event in no context, with event->pmu_ctx a PMU context of @ctx
 *
 * Context: task, ctx->mutex; the task of @ctx has not exited.
 */
void perf_control_place(struct perf_ctx *ctx, struct perf_event *event)
{
	control_place(ctx, event);
}

/**
 * perf_control_install() - add an event to a context, and load that
 * @ctx: as for perf_control_place()
 * @event: event in no context, with event->pmu_ctx a PMU context of @ctx
 *
 * Context: task, ctx->mutex; the task of @ctx has not exited.
 */
void perf_control_install(struct perf_ctx *ctx,
			  struct perf_event *event)
{
	control_place(ctx, event);
	if (ctx->pub.task && READ_ONCE(ctx->loaded_cpu) == PERF_CPU_NONE)
		perf_control_reload(ctx->pub.task);
}

/* Remove. */

struct perf_control_remove_args {
	struct perf_event	*event;
	enum perf_event_state	state;
	unsigned int		leave;
	/* The PMU context that the event has left, with its reference. */
	struct perf_event_pmu_context *left;
};

static_assert(sizeof(struct perf_control_remove_args) <= PERF_WAVE_ARG);

/* A sibling that cannot do without its leader enters the ERROR state. */
static void perf_control_orphan_locked(struct perf_event *sibling)
{
	lockdep_assert_held(&perf_event_ctx(sibling)->lock);
	perf_sched_event_out_locked(sibling);
	if (sibling->state > PERF_EVENT_STATE_ERROR)
		perf_event_set_state(sibling, PERF_EVENT_STATE_ERROR);
}

static void perf_control_leave_parent(struct perf_event *event)
{
	if (!(event->attach_state & PERF_ATTACH_CHILD))
		return;
	if (WARN_ON_ONCE(!event->parent))
		return;
	lockdep_assert_held(&event->parent->child_mutex);
	event->attach_state &= ~PERF_ATTACH_CHILD;
	list_del_init(&event->child_list);
}

/* Unloads @ctx if it has lost its last event; @epc likewise. */
static void perf_control_release_locked(struct perf_ctx *ctx,
					struct perf_cpu_context *cpuctx,
					struct perf_pmu_ctx *epc)
{
	lockdep_assert_held(&ctx->lock);
	if (!epc->nr_events)
		epc->rotate_necessary = false;
	if (!cpuctx || !ctx->pub.task)
		return;
	if (!epc->nr_events)
		perf_cpc_oncpu(epc->pmu)->task_epc = NULL;
	if (!ctx->nr_events)
		perf_sched_ctx_out_locked(cpuctx, ctx);
}

/* Does nothing if the event has left its context already. */
static void perf_control_leave_ctx_locked(struct perf_event *event,
					  struct perf_ctx *ctx,
					  struct perf_cpu_context *cpuctx)
{
	lockdep_assert_held(&ctx->lock);
	if (!(event->attach_state & PERF_ATTACH_CONTEXT))
		return;
	perf_cgroup_unwatch_locked(event);
	perf_ctx_del_event_locked(event, ctx);
	perf_control_release_locked(ctx, cpuctx, perf_event_pmu_ctx(event));
}

static int perf_control_remove_remote(struct perf_ctx *ctx,
				      struct perf_cpu_context *cpuctx,
				      void *arg)
{
	struct perf_control_remove_args *args = arg;
	struct perf_event *event = args->event;

	perf_ctx_clock_update_locked(ctx);
	/*
	 * If it stays the leader, its siblings leave with it: no code finds an
	 * active sibling whose leader is not active.
	 */
	if (event == event->group_leader && !(args->leave & PERF_LEAVE_GROUP))
		perf_sched_group_out_locked(event);
	perf_sched_event_out_locked(event);
	if (event->state > args->state)
		perf_event_set_state(event, args->state);
	if (args->leave & PERF_LEAVE_GROUP)
		perf_group_detach_locked(event, perf_control_orphan_locked);
	perf_control_leave_ctx_locked(event, ctx, cpuctx);
	swap(args->left, event->pmu_ctx);
	return 0;
}

/* The rest of a removal, after the call to the context. */
static void perf_control_removed(const struct perf_control_remove_args *args)
{
	if (args->leave & PERF_LEAVE_PARENT)
		perf_control_leave_parent(args->event);
	if (args->left)
		perf_epc_put(perf_pmu_ctx_of(args->left));
}

/**
 * perf_control_remove() - remove an event from its context for the last time
 * @event: event; one that was removed already only gets its final state
 * @state: final state: OFF, EXIT, REVOKED or DEAD
 * @leave: what it leaves in addition to its context, PERF_LEAVE_*
 *
 * Afterwards no overflow of the event runs. event->ctx stays, so that its mutex
 * can still be taken, until the reference on it is dropped.
 *
 * Context: task, ctx->mutex; parent's child_mutex with PERF_LEAVE_PARENT.
 */
void perf_control_remove(struct perf_event *event, enum perf_event_state state,
			 unsigned int leave)
{
	struct perf_control_remove_args args = {
		.event	= event,
		.state	= state,
		.leave	= leave,
	};

	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	if (leave & PERF_LEAVE_PARENT && event->parent)
		lockdep_assert_held(&event->parent->child_mutex);
	perf_ctx_call(perf_event_ctx(event), perf_control_remove_remote, &args);
	perf_control_removed(&args);
}

static void perf_control_remove_ended(struct perf_wave *wave, const void *arg,
				      int ret)
{
	perf_control_removed(arg);
}

/**
 * perf_control_remove_copies() - remove copies of an event that was closed
 * @copies: listed copies of one event, in different contexts
 * @nr: number of copies
 *
 * As perf_control_remove(), to the state OFF. The contexts are called in a wave.
 *
 * Context: task, ctx->mutex of all copies, the eldest's child_mutex.
 */
void perf_control_remove_copies(struct perf_event **copies, unsigned int nr)
{
	struct perf_control_remove_args args = {
		.state	= PERF_EVENT_STATE_OFF,
		.leave	= PERF_LEAVE_GROUP | PERF_LEAVE_PARENT,
	};
	struct perf_wave wave __uninitialized;

	if (!nr)
		return;
	wave.ended = perf_control_remove_ended;
	perf_wave_begin(&wave, min(nr, perf_wave_size(copies[0]->parent)));
	for (unsigned int i = 0; i < nr; i++) {
		lockdep_assert_held(&perf_event_ctx(copies[i])->mutex);
		args.event = copies[i];
		perf_wave_call(&wave, perf_event_ctx(copies[i]),
			       perf_control_remove_remote, &args, sizeof(args));
	}
	perf_wave_end(&wave);
}

static int perf_control_uninstall_remote(struct perf_ctx *ctx,
					 struct perf_cpu_context *cpuctx,
					 void *arg)
{
	struct perf_event *event = arg;

	perf_ctx_clock_update_locked(ctx);
	/* If it is a leader, its whole group moves. */
	perf_sched_group_out_locked(event);
	perf_sched_event_out_locked(event);
	perf_event_time_update(event);
	perf_control_leave_ctx_locked(event, ctx, cpuctx);
	return 0;
}

/**
 * perf_control_uninstall() - take an event that moves out of its context
 * @event: event; its state, its group, event->ctx and event->pmu_ctx stay
 *
 * Context: task, ctx->mutex.
 */
void perf_control_uninstall(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	perf_ctx_call(perf_event_ctx(event), perf_control_uninstall_remote,
		      event);
}

/* Disable. */

/**
 * perf_control_disable_locked() - disable an event
 * @event: event; a leader's group is scheduled out. Clocks up to date
 *
 * Context: locks of both contexts, if the event's is loaded; else ctx->lock.
 */
void perf_control_disable_locked(struct perf_event *event)
{
	bool waits;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (!(event->attach_state & PERF_ATTACH_CONTEXT) ||
	    event->state < PERF_EVENT_STATE_INACTIVE)
		return;
	waits = event->state == PERF_EVENT_STATE_INACTIVE &&
		event->group_leader->state >= PERF_EVENT_STATE_INACTIVE;
	/* Siblings of a disabled leader cannot run; their state stays. */
	if (event == event->group_leader)
		perf_sched_group_out_locked(event);
	else
		perf_sched_event_out_locked(event);
	if (event->state > PERF_EVENT_STATE_OFF)
		perf_event_set_state(event, PERF_EVENT_STATE_OFF);
	/* A request of an overflow is met; it must not outlive an enable. */
	WRITE_ONCE(event->pending_disable, 0);
	/*
	 * Scheduling an event out updates its page. An event that only waited,
	 * and the siblings of a leader, need an update here.
	 */
	if (waits || event->nr_siblings)
		perf_sched_group_update_pages_locked(event);
	perf_epc_drop_choice(perf_event_pmu_ctx(event));
}

static int perf_control_disable_remote(struct perf_ctx *ctx,
				       struct perf_cpu_context *cpuctx,
				       void *arg)
{
	perf_ctx_clock_update_locked(ctx);
	perf_control_disable_locked(arg);
	return 0;
}

/**
 * perf_control_disable() - disable an event
 * @event: event; a leader's group is scheduled out
 *
 * Context: task, ctx->mutex or the eldest's child_mutex.
 */
void perf_control_disable(struct perf_event *event)
{
	if (READ_ONCE(event->state) > PERF_EVENT_STATE_OFF)
		perf_ctx_call(perf_event_ctx(event),
			      perf_control_disable_remote, event);
}

/**
 * perf_event_disable() - disable an event
 * @event: event of a kernel user
 *
 * Context: task; takes ctx->mutex.
 */
void perf_event_disable(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);

	perf_control_disable(event);
	perf_event_ctx_unlock(event, ctx);
}
EXPORT_SYMBOL_GPL(perf_event_disable);

/**
 * perf_event_disable_local() - disable an event of this CPU or of current
 * @event: event
 *
 * Context: any but NMI, on the CPU where its context is loaded; nothing is done
 * for an event that has left its context meanwhile.
 */
void perf_event_disable_local(struct perf_event *event)
{
	struct perf_cpu_context *cpuctx;
	struct perf_ctx *ctx, *task_ctx;

	guard(irqsave)();
	ctx = perf_ctx_of(READ_ONCE(event->ctx));
	cpuctx = perf_ctx_loaded_oncpu(ctx);
	if (!cpuctx)
		return;
	task_ctx = cpuctx->task_ctx;
	perf_ctx_lock_pair(cpuctx, task_ctx);
	perf_control_disable_remote(ctx, cpuctx, event);
	perf_ctx_unlock_pair(cpuctx, task_ctx);
}

/* Enable. */

static bool perf_control_may_enable(const struct perf_event *event)
{
	if (event->state == PERF_EVENT_STATE_OFF)
		return true;
	if (event->state != PERF_EVENT_STATE_ERROR)
		return false;
	/* An event that has lost a leader it needs stays in ERROR. */
	return !(perf_event_needs_leader(event) &&
		 event->group_leader == event);
}

/* Return: true if the event, which is in a context, was enabled. */
static __always_inline bool perf_control_begin_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (!perf_control_may_enable(event))
		return false;
	if (unlikely(event->state == PERF_EVENT_STATE_ERROR))
		perf_event_set_state(event, PERF_EVENT_STATE_OFF);
	/* A request to disable it may have come while its context was away. */
	WRITE_ONCE(event->pending_disable, 0);
	perf_group_enable_locked(event);
	perf_event_set_state(event, PERF_EVENT_STATE_INACTIVE);
	perf_epc_drop_choice(perf_event_pmu_ctx(event));
	return true;
}

/**
 * perf_control_enable_locked() - enable an event for the next choice
 * @event: event of a context, whose clock is up to date
 *
 * If the context is loaded, the caller has to call perf_control_retry_locked()
 * for the group.
 *
 * Context: ctx->lock.
 * Return: true if the event was enabled.
 */
bool perf_control_enable_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	return event->attach_state & PERF_ATTACH_CONTEXT &&
	       perf_control_begin_locked(event);
}

/**
 * perf_control_retry_locked() - schedule a group in again after a change
 * @cpuctx: this CPU, NULL if the context is not loaded
 * @leader: leader; events of its group were enabled
 *
 * Context: locks of both contexts, clocks up to date.
 */
void perf_control_retry_locked(struct perf_cpu_context *cpuctx,
			       struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (!cpuctx)
		return;
	perf_sched_group_out_locked(leader);
	perf_sched_group_try_in_locked(cpuctx, leader);
}

static int perf_control_enable_remote(struct perf_ctx *ctx,
				      struct perf_cpu_context *cpuctx,
				      void *arg)
{
	struct perf_event *event = arg;

	perf_ctx_clock_update_locked(ctx);
	if (perf_control_enable_locked(event))
		perf_control_retry_locked(cpuctx, event->group_leader);
	return 0;
}

/**
 * perf_control_enable() - enable an event
 * @event: event; a pinned event in ERROR tries again
 *
 * Context: task, ctx->mutex or the eldest's child_mutex.
 */
void perf_control_enable(struct perf_event *event)
{
	enum perf_event_state state = READ_ONCE(event->state);

	if (state == PERF_EVENT_STATE_OFF || state == PERF_EVENT_STATE_ERROR)
		perf_ctx_call(perf_event_ctx(event), perf_control_enable_remote,
			      event);
}

/**
 * perf_event_enable() - enable an event
 * @event: event of a kernel user
 *
 * Context: task; takes ctx->mutex.
 */
void perf_event_enable(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);

	perf_control_enable(event);
	perf_event_ctx_unlock(event, ctx);
}
EXPORT_SYMBOL_GPL(perf_event_enable);

/* Reset and read. */

/**
 * perf_control_reset_locked() - set an event's own count to zero
 * @event: event; its times stay, and so do the sums that copies have left,
 *	which the caller resets. Clock up to date
 *
 * Context: ctx->lock; if the event is active, on its CPU.
 */
void perf_control_reset_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	perf_event_time_update(event);
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		event->pmu->read(event);
	local64_set(&event->count, 0);
	perf_event_update_userpage(event);
}

/**
 * perf_control_read_locked() - bring an event's count and times up to date
 * @event: event of a context that is loaded here or nowhere, clock up to date
 *
 * Context: ctx->lock, interrupts off.
 */
void perf_control_read_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	perf_event_time_update(event);
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		event->pmu->read(event);
}

/**
 * perf_control_read_group_locked() - bring a group's counts up to date
 * @leader: leader of a context that is loaded here or nowhere, clock up to date
 *
 * The leader's times are brought up to date as well.
 *
 * Context: ctx->lock, interrupts off.
 * Return: 0, or the PMU's error if it cannot read the group.
 */
int perf_control_read_group_locked(struct perf_event *leader)
{
	struct perf_event *sibling;
	struct pmu *pmu;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	/* A leader that has ended has no PMU context. */
	if (leader->state != PERF_EVENT_STATE_ACTIVE) {
		perf_event_time_update(leader);
		return 0;
	}
	pmu = perf_event_pmu_ctx(leader)->pmu;
	perf_pmu_start_read(pmu);
	perf_control_read_locked(leader);
	for_each_sibling_event(sibling, leader) {
		if (sibling->state == PERF_EVENT_STATE_ACTIVE)
			sibling->pmu->read(sibling);
	}
	return perf_pmu_commit_read(pmu);
}

static int perf_control_read_remote(struct perf_ctx *ctx,
				    struct perf_cpu_context *cpuctx, void *arg)
{
	struct perf_control_reading *reading = arg;
	struct perf_event *event = reading->event;
	int err = 0;

	perf_ctx_clock_update_locked(ctx);
	if (reading->group)
		err = perf_control_read_group_locked(event);
	else
		perf_control_read_locked(event);
	reading->count = local64_read(&event->count);
	reading->times.enabled = event->total_time_enabled;
	reading->times.running = event->total_time_running;
	return err;
}

/*
 * Some counters can be read from any CPU of a package or of the PMU's scope;
 * this saves an IPI.
 */
static bool perf_control_is_shared(const struct perf_event *event, int cpu)
{
	const struct cpumask *siblings;
	int local = smp_processor_id();

	if (event->group_caps & PERF_EV_CAP_READ_SCOPE) {
		siblings = perf_pmu_scope_siblings(event->pmu->scope, cpu);
		if (siblings && cpumask_test_cpu(local, siblings))
			return true;
	}
	return event->group_caps & PERF_EV_CAP_READ_ACTIVE_PKG &&
	       topology_physical_package_id(cpu) ==
	       topology_physical_package_id(local);
}

/* Return: this CPU if it can read the events of @cpu, else @cpu. */
static int perf_control_read_cpu(const struct perf_event *event, int cpu)
{
	if (cpu < 0 || cpu >= nr_cpu_ids)
		return cpu;
	return perf_control_is_shared(event, cpu) ? smp_processor_id() : cpu;
}

static bool perf_control_read_shared(struct perf_control_reading *reading,
				     int *err)
{
	struct perf_event *event = reading->event;

	if (!(event->group_caps &
	      (PERF_EV_CAP_READ_SCOPE | PERF_EV_CAP_READ_ACTIVE_PKG)))
		return false;
	guard(raw_spinlock_irq)(&perf_event_ctx(event)->lock);
	if (event->state != PERF_EVENT_STATE_ACTIVE ||
	    perf_control_read_cpu(event, event->oncpu) != smp_processor_id())
		return false;
	*err = perf_control_read_remote(perf_event_ctx(event), NULL, reading);
	return true;
}

/*
 * An inactive event needs no IPI: its count does not change.
 * Return: false if the CPU of the context has to read.
 */
static bool perf_control_read_here(struct perf_control_reading *reading,
				   int *err)
{
	struct perf_event *event = reading->event;
	struct perf_ctx *ctx = perf_event_ctx(event);

	if (perf_control_read_shared(reading, err))
		return true;
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE)
		return false;
	guard(raw_spinlock_irq)(&ctx->lock);
	/* If it was scheduled in meanwhile, its CPU has to read it. */
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		return false;
	*err = perf_control_read_remote(ctx, NULL, reading);
	return true;
}

/**
 * perf_control_read_call() - read an event or a group where its context is loaded
 * @reading: event and group are filled in; receives the results of the event
 *
 * Context: task, ctx->mutex or the eldest's child_mutex.
 * Return: 0, or the PMU's error if it cannot read the group.
 */
int perf_control_read_call(struct perf_control_reading *reading)
{
	int err;

	if (perf_control_read_here(reading, &err))
		return err;
	return perf_ctx_call(perf_event_ctx(reading->event),
			     perf_control_read_remote, reading);
}

/**
 * perf_control_read_group() - bring a group's counts up to date
 * @leader: group leader
 *
 * The leader's times are brought up to date as well.
 *
 * Context: task, ctx->mutex or the eldest's child_mutex.
 * Return: 0, or the PMU's error if it cannot read the group.
 */
int perf_control_read_group(struct perf_event *leader)
{
	/* The caller reads the leader's times with the counts, under the lock. */
	struct perf_control_reading reading = {
		.event	= leader,
		.group	= true,
	};

	return perf_control_read_call(&reading);
}

/**
 * perf_control_read_wave() - read one of several events of different contexts
 * @wave: the reads; wave->ended() gets a struct perf_control_reading, and 0 or
 *	the error of perf_control_read_group()
 * @event: event, or the leader of a group
 * @group: true to read its group
 *
 * Context: task, the eldest's child_mutex until perf_wave_end().
 */
void perf_control_read_wave(struct perf_wave *wave, struct perf_event *event,
			    bool group)
{
	struct perf_control_reading reading = {
		.event	= event,
		.group	= group,
	};
	int err;

	if (perf_control_read_here(&reading, &err))
		wave->ended(wave, &reading, err);
	else
		perf_wave_call(wave, perf_event_ctx(event),
			       perf_control_read_remote, &reading,
			       sizeof(reading));
}

/* Return: an errno if @event cannot be read without another CPU; else 0. */
static int perf_control_check_local(const struct perf_event *event, int oncpu)
{
	if (perf_event_is_revoked(event))
		return -ENODEV;
	if (event->attr.inherit)
		return -EOPNOTSUPP;
	if (event->attach_state & PERF_ATTACH_TASK) {
		if (event->hw.target != current)
			return -EINVAL;
	} else if (perf_control_read_cpu(event, event->cpu) !=
		   smp_processor_id()) {
		return -EINVAL;
	}
	if (event->attr.pinned && oncpu != smp_processor_id())
		return -EBUSY;
	return 0;
}

/**
 * perf_event_read_local() - read an event of current or of this CPU
 * @event: event without inheritance
 * @value: its count
 * @enabled: nanoseconds enabled, may be NULL
 * @running: nanoseconds active, may be NULL
 *
 * Context: any, NMI included.
 * Return: 0; -ENODEV when its PMU has gone; -EOPNOTSUPP with attr.inherit;
 * -EINVAL for another task or CPU; -EBUSY for a pinned event that is not
 * active.
 */
int perf_event_read_local(struct perf_event *event, u64 *value,
			  u64 *enabled, u64 *running)
{
	u64 time_enabled, time_running;
	int oncpu, err;

	guard(irqsave)();
	oncpu = perf_control_read_cpu(event, event->oncpu);
	err = perf_control_check_local(event, oncpu);
	if (err)
		return err;
	if (oncpu == smp_processor_id())
		event->pmu->read(event);
	*value = local64_read(&event->count);
	perf_event_time_at(event, perf_clock(), &time_enabled, &time_running);
	if (enabled)
		*enabled = time_enabled;
	if (running)
		*running = time_running;
	return 0;
}

/**
 * perf_event_pause() - disable an event and take its count
 * @event: event of a kernel user, without inheritance
 * @reset: set the count to zero
 *
 * Context: task; takes ctx->mutex.
 * Return: count at the time it was disabled.
 */
u64 perf_event_pause(struct perf_event *event, bool reset)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);
	u64 count;

	WARN_ON_ONCE(event->attr.inherit);
	perf_control_disable(event);
	count = local64_read(&event->count);
	if (reset)
		local64_set(&event->count, 0);
	perf_event_ctx_unlock(event, ctx);
	return count;
}
EXPORT_SYMBOL_GPL(perf_event_pause);

/* Period. */

struct perf_control_period_args {
	struct perf_event	*event;
	u64			value;
};

/* Drops what is left of the old period. */
static void perf_control_drop_period(struct perf_event *event)
{
	if (perf_random_is_on(event))
		perf_random_begin(event);
	else
		local64_set(&event->hw.period_left, 0);
}

/**
 * perf_control_new_period_locked() - change the period, and begin a new one
 * @event: event of a context that is loaded here or nowhere
 * @change: changes the period; the event does not count meanwhile
 * @arg: its second argument
 *
 * Context: ctx->lock; if the event is active, on its CPU.
 */
void perf_control_new_period_locked(struct perf_event *event,
				    void (*change)(struct perf_event *event,
						   void *arg), void *arg)
{
	bool start;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (event->pmu_ctx)
		perf_epc_drop_set(perf_event_pmu_ctx(event));
	if (event->state != PERF_EVENT_STATE_ACTIVE) {
		change(event, arg);
		perf_control_drop_period(event);
		return;
	}
	perf_pmu_disable(perf_event_pmu_ctx(event)->pmu);
	perf_pmu_disable(event->pmu);
	/* Unthrottle the group now; the tick must not start it twice. */
	perf_throttle_end_locked(event);
	start = perf_throttle_stop_locked(event);
	change(event, arg);
	perf_control_drop_period(event);
	if (start)
		perf_throttle_start_locked(event);
	perf_pmu_enable(event->pmu);
	perf_pmu_enable(perf_event_pmu_ctx(event)->pmu);
}

static void perf_control_set_period(struct perf_event *event, void *arg)
{
	u64 value = *(u64 *)arg;

	if (event->attr.freq) {
		event->attr.sample_freq = value;
	} else {
		event->attr.sample_period = value;
		event->hw.sample_period = value;
	}
}

static int perf_control_period_remote(struct perf_ctx *ctx,
				      struct perf_cpu_context *cpuctx,
				      void *arg)
{
	struct perf_control_period_args *args = arg;

	perf_control_new_period_locked(args->event, perf_control_set_period,
				       &args->value);
	return 0;
}

static void perf_control_period_call(struct perf_event *event, u64 value)
{
	struct perf_control_period_args args = {
		.event	= event,
		.value	= value,
	};

	perf_ctx_call(perf_event_ctx(event), perf_control_period_remote, &args);
}

/**
 * perf_control_check_period() - check whether an event may have a period
 * @event: event with a period, not a frequency
 * @value: the period
 * @share: how far periods are drawn from it, as hw.random_share says it
 *
 * Context: task, ctx->mutex.
 * Return: 0; -EINVAL if the longest period has bit 63 set, or if the PMU refuses
 * the shortest one.
 */
int perf_control_check_period(struct perf_event *event, u64 value, u32 share)
{
	u64 reach = perf_random_reach(value, share);

	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	if (value >> 63 || (value + reach) >> 63)
		return -EINVAL;
	return event->pmu->check_period(event, value - reach) ? -EINVAL : 0;
}

/**
 * perf_control_forget_passed() - forget the elapsed parts of old periods
 * @event: event that was opened, with a new period
 *
 * Context: task, child_mutex.
 */
void perf_control_forget_passed(struct perf_event *event)
{
	lockdep_assert_held(&event->child_mutex);
	if (!has_aux(event) && !has_addr_filter(event))
		event->child_period = 0;
}

static int perf_control_check_value(struct perf_event *event, u64 value)
{
	u32 share = perf_random_is_on(event) ? event->hw.random_share : 0;

	if (!event->attr.freq)
		return perf_control_check_period(event, value, share);
	return value > READ_ONCE(sysctl_perf_event_sample_rate) ? -EINVAL : 0;
}

/**
 * perf_control_period() - change a sampling event's period or frequency
 * @event: event that was opened; its copies are changed as well
 * @value: events between samples, or samples a second
 *
 * Context: task, ctx->mutex; takes child_mutex.
 * Return: 0; -ENODEV when its PMU has gone; -EINVAL for an event that does not
 * sample, for 0, a frequency above the limit, or a period that
 * perf_control_check_period() refuses.
 */
int perf_control_period(struct perf_event *event, u64 value)
{
	struct perf_event *child;
	int err;

	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	if (perf_event_is_revoked(event))
		return -ENODEV;
	if (!is_sampling_event(event) || !value)
		return -EINVAL;
	err = perf_control_check_value(event, value);
	if (err)
		return err;
	guard(mutex)(&event->child_mutex);
	perf_control_forget_passed(event);
	perf_control_period_call(event, value);
	list_for_each_entry(child, &event->child_list, child_list)
		perf_control_period_call(child, value);
	return 0;
}

/**
 * perf_event_period() - change a sampling event's period or frequency
 * @event: event of a kernel user
 * @value: as perf_control_period()
 *
 * Context: task; takes ctx->mutex and child_mutex.
 * Return: as perf_control_period().
 */
int perf_event_period(struct perf_event *event, u64 value)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);
	int err = perf_control_period(event, value);

	perf_event_ctx_unlock(event, ctx);
	return err;
}
EXPORT_SYMBOL_GPL(perf_event_period);

struct perf_control_refresh_args {
	struct perf_event	*event;
	int			refresh;
};

/*
 * Adds to the limit, which an NMI may reach meanwhile.
 *
 * Return: true if the old limit was reached, and the event is not disabled yet.
 */
static bool perf_control_add_limit(struct perf_event *event, int refresh)
{
	bool limited = atomic_read(&event->event_limit);
	bool reached = READ_ONCE(event->pending_disable);

	if (!atomic_fetch_add(refresh, &event->event_limit) && limited)
		reached = true;
	return reached;
}

/*
 * Adds to the limit and enables the event with interrupts off on its CPU. In
 * two steps, overflows in between could bring the limit back to 0. A limit of 0
 * is no limit, so the event would stay enabled.
 */
static int perf_control_refresh_remote(struct perf_ctx *ctx,
				       struct perf_cpu_context *cpuctx,
				       void *arg)
{
	struct perf_control_refresh_args *args = arg;

	if (perf_control_add_limit(args->event, args->refresh))
		perf_control_disable_remote(ctx, cpuctx, args->event);
	return perf_control_enable_remote(ctx, cpuctx, args->event);
}

/**
 * perf_control_refresh() - enable an event for a number of overflows
 * @event: sampling event without inheritance
 * @refresh: overflows until it is disabled again
 *
 * Context: task, ctx->mutex.
 * Return: 0; -EINVAL for other events.
 */
int perf_control_refresh(struct perf_event *event, int refresh)
{
	struct perf_control_refresh_args args = {
		.event		= event,
		.refresh	= refresh,
	};

	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	if (event->attr.inherit || !is_sampling_event(event))
		return -EINVAL;
	perf_ctx_call(perf_event_ctx(event), perf_control_refresh_remote,
		      &args);
	return 0;
}

/**
 * perf_event_refresh() - enable an event for a number of overflows
 * @event: event of a kernel user
 * @refresh: overflows
 *
 * Context: task; takes ctx->mutex.
 * Return: as perf_control_refresh().
 */
int perf_event_refresh(struct perf_event *event, int refresh)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);
	int err = perf_control_refresh(event, refresh);

	perf_event_ctx_unlock(event, ctx);
	return err;
}
EXPORT_SYMBOL_GPL(perf_event_refresh);

/* Exec. */

static bool perf_control_mark_exec(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (!event->attr.enable_on_exec)
		return false;
	event->attr.enable_on_exec = 0;
	return perf_control_begin_locked(event);
}

static int perf_control_exec_remote(struct perf_ctx *ctx,
				    struct perf_cpu_context *cpuctx, void *arg)
{
	struct perf_pmu_ctx *epc;
	struct perf_event *event;
	bool marked = false;

	if (ctx->pub.task != arg)
		return 0;
	perf_ctx_clock_update_locked(ctx);
	list_for_each_entry(event, &ctx->event_list, event_entry)
		marked |= perf_control_mark_exec(event);
	if (!marked || !cpuctx)
		return 0;
	perf_ctx_clock_update_locked(&cpuctx->ctx);
	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry) {
		if (epc->nr_events)
			perf_sched_pmu_resched_locked(cpuctx, epc->pmu);
	}
	return 0;
}

/**
 * perf_control_exec() - enable the events that wait for an exec
 * @ctx: context that was found for current. It may have been exchanged since,
 *	but only if none of its events waits for an exec
 *
 * Context: task; takes ctx->mutex.
 */
void perf_control_exec(struct perf_ctx *ctx)
{
	guard(mutex)(&ctx->mutex);
	perf_ctx_call(ctx, perf_control_exec_remote, current);
}
