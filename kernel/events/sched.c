// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sched": schedules contexts, groups and events in and out.
 *
 * Purpose: decides which groups run, one PMU at a time: pinned groups of the
 * CPU, pinned groups of the task, flexible groups of the CPU, flexible groups
 * of the task. A PMU is disabled once for all changes on it.
 *
 * Owns: event->{oncpu,active_list}; ctx->loaded_cpu; cpuctx->task_ctx;
 * cpc->{task_epc,active_oncpu,exclusive}; the active lists. The rooms "groups",
 * "control", "revoke" and "cpu" change some of them, under the same locks.
 *
 * Contexts: task switch (runqueue lock held), interrupts, remote calls; if the
 * context is loaded, on its CPU with interrupts off.
 *
 * Lifetime: a task's context without events is not loaded; it is unloaded when
 * its last event leaves. So no context is left loaded when the switch hooks are
 * turned off because there are no events. No event of an unloaded context is
 * active: when a CPU goes offline its own context is unloaded while tasks still
 * run there, and from then on only groups of tasks are chosen.
 * perf_ctx_event_table has the rule, and debug kernels check it when an event
 * is scheduled in.
 *
 * Locking: the CPU context's lock, then the task context's. Where events are
 * scheduled in or out both are held, and interrupts are off: these are the
 * scheduling locks, which perf_ctx_assert_sched_locked() asserts.
 *
 * Calls, from the task switch down to the driver:
 *
 *   task	__perf_event_task_sched_in()	__perf_event_task_sched_out()
 *		perf_sched_reload_oncpu()
 *   context	perf_sched_ctx_in_locked()	perf_sched_ctx_out_locked()
 *   PMU context perf_sched_pmu_ctx_in_locked()	perf_sched_pmu_ctx_out_locked()
 *   groups	perf_sched_pinned_in_locked()	perf_sched_list_out_locked()
 *		perf_sched_choose_locked(), for flexible groups
 *		perf_sched_resume_locked(), those chosen before
 *   group	perf_sched_group_in_locked()	__perf_sched_group_out_locked()
 *   event	perf_sched_event_in_locked()	__perf_sched_event_out_locked()
 *   driver	pmu->add()			pmu->del()
 *
 * From the PMU context perf_set_load_locked() and perf_set_unload_locked() call
 * the driver for all events at once, by pmu->load() and pmu->unload().
 *
 * Others enter in between: perf_sched_group_try_in_locked() for a group that is
 * opened or enabled, perf_sched_pmu_resched_locked() for all groups of a PMU.
 *
 * Race, the first event of a task that runs elsewhere:
 *  1. the opener turns the switch hooks on; each CPU has taken an interrupt
 *     since, so no switch that began before is still under way;
 *  2. it publishes the context and lists the event under ctx->lock;
 *  3. it sends an IPI to the task's CPU. If the task runs there, the handler
 *     loads the context. If it does not, its next switch in comes after the
 *     IPI, or after a migration that the opener's read of the CPU preceded;
 *     either way it sees the context, and under ctx->lock the event.
 */
#include <linux/smp.h>
#include "clock.h"
#include "context.h"
#include "event_state.h"
#include "family.h"
#include "groups.h"
#include "hooks.h"
#include "pending.h"
#include "pmu.h"
#include "sched.h"
#include "sched_cb.h"
#include "sched_set.h"
#include "sched_tries.h"
#include "sideband.h"
#include "swap.h"
#include "throttle.h"
#include "walk.h"

static bool perf_sched_is_freq(const struct perf_event *event)
{
	return event->attr.freq && event->attr.sample_freq;
}

static void perf_sched_account_in(struct perf_event *event,
				  struct perf_cpu_pmu_context *cpc)
{
	if (!is_software_event(event))
		cpc->active_oncpu++;
	if (event->attr.exclusive)
		cpc->exclusive = true;
	if (perf_sched_is_freq(event)) {
		__this_cpu_inc(perf_cpu_context.nr_freq);
		perf_event_pmu_ctx(event)->nr_freq++;
	}
}

static void perf_sched_account_out(struct perf_event *event,
				   struct perf_cpu_pmu_context *cpc)
{
	if (!is_software_event(event))
		cpc->active_oncpu--;
	if (event->attr.exclusive || !cpc->active_oncpu)
		cpc->exclusive = false;
	if (perf_sched_is_freq(event)) {
		__this_cpu_dec(perf_cpu_context.nr_freq);
		perf_event_pmu_ctx(event)->nr_freq--;
	}
}

/* The state of an event that was scheduled out or does not fit. */
static enum perf_event_state perf_sched_state_off(struct perf_event *event)
{
	if (!event->pending_disable)
		return PERF_EVENT_STATE_INACTIVE;
	event->pending_disable = 0;
	return PERF_EVENT_STATE_OFF;
}

/* A software event in a hardware group: its own PMU is not disabled yet. */
static int perf_sched_pmu_add(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	int err;

	if (likely(pmu == perf_event_pmu_ctx(event)->pmu))
		return pmu->add(event, PERF_EF_START);
	perf_pmu_disable(pmu);
	err = pmu->add(event, PERF_EF_START);
	perf_pmu_enable(pmu);
	return err;
}

static void perf_sched_pmu_del(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;

	if (likely(pmu == perf_event_pmu_ctx(event)->pmu && !event->stopped)) {
		pmu->del(event, 0);
		return;
	}
	perf_pmu_disable(pmu);
	if (event->stopped)
		perf_throttle_leave_locked(event);
	pmu->del(event, 0);
	perf_pmu_enable(pmu);
}

/* Schedules in one event of a group. The group's PMU is disabled. */
static int perf_sched_event_in_locked(struct perf_event *event)
{
	int err;

	perf_ctx_assert_sched_locked(perf_event_ctx(event));
	if (event->state <= PERF_EVENT_STATE_OFF)
		return 0;
	perf_epc_drop_set(perf_event_pmu_ctx(event));
	WRITE_ONCE(event->oncpu, smp_processor_id());
	perf_event_set_state(event, PERF_EVENT_STATE_ACTIVE);
	/* Throttled before it was scheduled out. */
	if (unlikely(perf_event_is_throttled(event)))
		perf_throttle_clear_locked(event);
	perf_side_itrace_start(event);

	err = perf_sched_pmu_add(event);
	if (err) {
		perf_event_set_state(event, perf_sched_state_off(event));
		WRITE_ONCE(event->oncpu, -1);
		return err;
	}
	perf_sched_account_in(event, perf_event_cpc_oncpu(event));
	return 0;
}

/* Schedules one event out. Its PMU, or that of its group, is disabled. */
static void __perf_sched_event_out_locked(struct perf_event *event)
{
	perf_ctx_assert_sched_locked(perf_event_ctx(event));
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;
	perf_epc_drop_set(perf_event_pmu_ctx(event));
	list_del_init(&event->active_list);

	perf_sched_pmu_del(event);
	WRITE_ONCE(event->oncpu, -1);
	perf_event_set_state(event, perf_sched_state_off(event));
	perf_sched_account_out(event, perf_event_cpc_oncpu(event));
}

static void __perf_sched_group_out_locked(struct perf_event *leader)
{
	struct perf_event *sibling;

	perf_pmu_assert_sched_locked(perf_event_pmu_ctx(leader));
	__perf_sched_event_out_locked(leader);
	if (likely(!leader->nr_siblings))
		return;
	for_each_sibling_event(sibling, leader)
		__perf_sched_event_out_locked(sibling);
}

/**
 * perf_sched_event_out_locked() - schedule one event out
 * @event: event of a context loaded here; nothing happens unless it is active
 *
 * Context: scheduling locks; clocks up to date.
 */
void perf_sched_event_out_locked(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;
	perf_pmu_disable(pmu);
	__perf_sched_event_out_locked(event);
	perf_pmu_enable(pmu);
}

/**
 * perf_sched_group_out_locked() - schedule a group out
 * @leader: group leader of a context loaded here
 *
 * Context: as perf_sched_event_out_locked().
 */
void perf_sched_group_out_locked(struct perf_event *leader)
{
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(leader);

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return;
	perf_pmu_disable(epc->pmu);
	__perf_sched_group_out_locked(leader);
	perf_pmu_enable(epc->pmu);
	if (unlikely(epc->rotate_necessary))
		perf_group_leave_turn_locked(leader,
					     perf_sched_choice_left_locked(epc));
}

static int perf_sched_events_in_locked(struct perf_event *leader)
{
	struct perf_event *sibling;
	int err;

	perf_pmu_assert_sched_locked(perf_event_pmu_ctx(leader));
	if (likely(!leader->nr_siblings &&
		   !READ_ONCE(leader->throttle_reported)))
		return perf_sched_event_in_locked(leader);
	perf_throttle_report_end(leader);
	err = perf_sched_event_in_locked(leader);
	if (err)
		return err;
	for_each_sibling_event(sibling, leader) {
		err = perf_sched_event_in_locked(sibling);
		if (err)
			return err;
	}
	return 0;
}

/*
 * The driver may assign other counters to active events. It moves the counts of
 * running events only, so all throttled events are started first.
 */
static void perf_sched_start_add_locked(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(pmu);

	lockdep_assert_held(&cpc->epc.ctx->lock);
	if (perf_throttle_is_recent(cpc) && pmu->task_ctx_nr != perf_sw_context)
		perf_throttle_end_pmu_locked(cpc);
	perf_pmu_start_add(pmu);
}

/* Adds all events of a group in one transaction, or none. */
static bool perf_sched_group_add_locked(struct perf_event *leader)
{
	struct pmu *pmu = perf_event_pmu_ctx(leader)->pmu;

	perf_pmu_assert_sched_locked(perf_event_pmu_ctx(leader));
	if (!leader->nr_siblings && perf_set_adds_alone(leader))
		return !perf_sched_events_in_locked(leader);

	perf_sched_start_add_locked(pmu);
	if (!perf_sched_events_in_locked(leader) && !perf_pmu_commit_add(pmu))
		return true;
	__perf_sched_group_out_locked(leader);
	perf_pmu_cancel_add(pmu);
	return false;
}

static struct list_head *perf_sched_active_list(struct perf_event *leader)
{
	return leader->attr.pinned ?
		       &perf_event_pmu_ctx(leader)->pinned_active :
		       &perf_event_pmu_ctx(leader)->flexible_active;
}

/* May the group be tried in addition to the active groups? */
static bool perf_sched_may_try(struct perf_event *leader,
			       struct perf_cpu_pmu_context *cpc)
{
	if (leader->group_caps & PERF_EV_CAP_SOFTWARE)
		return true;
	if (cpc->exclusive)
		return false;
	return !leader->attr.exclusive ||
	       list_empty(perf_sched_active_list(leader));
}

/* Nanoseconds between two choices. */
static u64 perf_sched_interval(struct perf_pmu_ctx *epc)
{
	return ktime_to_ns(perf_cpc_oncpu(epc->pmu)->mux_interval);
}

/**
 * perf_sched_choice_left_locked() - compute how long the choice still holds
 * @epc: PMU context of a context loaded here, clock up to date
 *
 * Context: ctx->lock, interrupts off.
 * Return: nanoseconds of the context's time; U64_MAX if no group waits for the
 * end of the choice.
 */
u64 perf_sched_choice_left_locked(struct perf_pmu_ctx *epc)
{
	u64 interval = perf_sched_interval(epc);
	u64 age = epc->ctx->time - epc->chosen_at;

	lockdep_assert_held(&epc->ctx->lock);
	if (!epc->chosen_at)
		return U64_MAX;
	return age < interval ? interval - age : 0;
}

static void perf_sched_mux_start(struct perf_cpu_pmu_context *cpc, u64 left)
{
	guard(raw_spinlock_irqsave)(&cpc->mux_lock);
	if (cpc->mux_active)
		return;
	cpc->mux_active = true;
	hrtimer_start(&cpc->mux_timer, ns_to_ktime(left),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void perf_sched_update_page_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (READ_ONCE(event->rb))
		perf_event_update_userpage(event);
}

/**
 * perf_sched_group_update_pages_locked() - update an inactive group's pages
 * @leader: leader; or a sibling, alone
 *
 * A group that was not active has not updated its pages by being scheduled out.
 *
 * Context: ctx->lock; if the context is loaded, on that CPU with interrupts
 * off; clock up to date.
 */
void perf_sched_group_update_pages_locked(struct perf_event *leader)
{
	struct perf_event *sibling;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	perf_sched_update_page_locked(leader);
	for_each_sibling_event(sibling, leader)
		perf_sched_update_page_locked(sibling);
}

/* No signal of its own: PAPI's handler would try again without end. */
static void perf_sched_pinned_failed(struct perf_event *leader)
{
	perf_event_set_state(leader, PERF_EVENT_STATE_ERROR);
	perf_sched_group_update_pages_locked(leader);
	perf_pending_wake_pollers(leader);
}

/* A group has to wait, so the timer has to run. */
static void perf_sched_wait(struct perf_pmu_ctx *epc)
{
	if (likely(epc->rotate_necessary))
		return;
	epc->rotate_necessary = true;
	if (!epc->chosen_at)
		epc->chosen_at = max(epc->ctx->time, 1ULL);
	perf_sched_mux_start(perf_cpc_oncpu(epc->pmu),
			     perf_sched_choice_left_locked(epc));
}

static void perf_sched_flexible_failed(struct perf_event *leader)
{
	perf_sched_wait(perf_event_pmu_ctx(leader));
	/* There may be thousands, most with one event and without a page. */
	if (leader->nr_siblings || READ_ONCE(leader->rb))
		perf_sched_group_update_pages_locked(leader);
}

/*
 * Schedules in all events of a group, or none.
 * Return: false if the group does not fit. A group that is disabled, or active
 * already, needs none.
 */
static bool perf_sched_group_in_locked(struct perf_event *leader)
{
	struct perf_cpu_pmu_context *cpc = perf_event_cpc_oncpu(leader);

	perf_pmu_assert_sched_locked(perf_event_pmu_ctx(leader));
	if (leader->state != PERF_EVENT_STATE_INACTIVE)
		return true;
	if (!perf_sched_may_try(leader, cpc) ||
	    !perf_sched_group_add_locked(leader))
		return false;
	list_add_tail(&leader->active_list, perf_sched_active_list(leader));
	return true;
}

/* Last in, first out: the best order for drivers that keep an array. */
static void perf_sched_list_out_locked(struct perf_pmu_ctx *epc,
				       struct list_head *active)
{
	struct perf_event *leader, *next;

	perf_pmu_assert_sched_locked(epc);
	list_for_each_entry_safe_reverse(leader, next, active, active_list)
		__perf_sched_group_out_locked(leader);
}

/*
 * Did the choice leave this group out? This is unknown for a group that is bound
 * to a CPU: a task's choice may have been made on another CPU, and a group of a
 * cgroup may have come since.
 */
static bool perf_sched_was_left_out(const struct perf_event *leader)
{
	return leader->cpu == -1 && !leader->attr.pinned &&
	       leader->group_choice != perf_event_pmu_ctx(leader)->choice;
}

/* Is the group in the choice? If it was left out, its user page is updated. */
static bool perf_sched_goes_on_locked(struct perf_event *leader)
{
	perf_ctx_assert_sched_locked(perf_event_ctx(leader));
	if (leader->state != PERF_EVENT_STATE_INACTIVE)
		return false;
	if (!perf_sched_was_left_out(leader))
		return true;
	perf_sched_flexible_failed(leader);
	return false;
}

/* A transaction of @leader's PMU is open. */
static bool perf_sched_join_locked(struct perf_event *leader)
{
	perf_pmu_assert_sched_locked(perf_event_pmu_ctx(leader));
	if (!perf_sched_may_try(leader, perf_event_cpc_oncpu(leader)) ||
	    perf_sched_events_in_locked(leader)) {
		__perf_sched_group_out_locked(leader);
		return false;
	}
	list_add_tail(&leader->active_list, perf_sched_active_list(leader));
	return true;
}

static bool perf_sched_join_all_locked(struct perf_pmu_ctx *epc,
				       struct perf_group_tree *tree)
{
	struct perf_group_cursor cursor;
	struct pmu *pmu = epc->pmu;
	struct perf_event *leader;
	bool open = false;

	perf_pmu_assert_sched_locked(epc);
	perf_group_for_each(leader, cursor, tree, smp_processor_id()) {
		if (!perf_sched_goes_on_locked(leader))
			continue;
		if (!open)
			perf_sched_start_add_locked(pmu);
		open = true;
		if (!perf_sched_join_locked(leader))
			return false;
	}
	return !open || !perf_pmu_commit_add(pmu);
}

/*
 * Groups that were active together mostly fit together again. In one
 * transaction the driver finds counters for all of them once.
 * Return: true if all of them are active. If not, the caller tries those that
 * are inactive one by one.
 */
static bool perf_sched_all_in_locked(struct perf_pmu_ctx *epc,
				     struct perf_group_tree *tree,
				     struct list_head *active)
{
	struct pmu *pmu = epc->pmu;

	perf_pmu_assert_sched_locked(epc);
	if (pmu->task_ctx_nr == perf_sw_context || !list_empty(active))
		return false;
	if (perf_sched_join_all_locked(epc, tree))
		return true;
	perf_sched_list_out_locked(epc, active);
	perf_pmu_cancel_add(pmu);
	return false;
}

static bool perf_sched_filtered(struct pmu *pmu)
{
	return pmu->filter && pmu->filter(pmu, smp_processor_id());
}

/* A group that is disabled or active already needs no try. */
static bool perf_sched_passes_by(const struct perf_event *leader,
				 struct perf_sched_tries *tries)
{
	return leader->state == PERF_EVENT_STATE_INACTIVE &&
	       perf_sched_tries_skip(tries);
}

/* Return: as perf_sched_group_in_locked(). */
static bool perf_sched_tries_in_locked(struct perf_event *leader,
				       struct perf_sched_tries *tries)
{
	perf_pmu_assert_sched_locked(perf_event_pmu_ctx(leader));
	if (perf_sched_group_in_locked(leader))
		return true;
	tries->missed++;
	return false;
}

static void perf_sched_pinned_in_locked(struct perf_pmu_ctx *epc)
{
	struct perf_sched_tries tries = { };
	struct perf_group_cursor cursor;
	struct perf_event *leader;

	perf_pmu_assert_sched_locked(epc);
	perf_group_for_each(leader, cursor, &epc->pinned_groups,
			    smp_processor_id()) {
		if (leader->state == PERF_EVENT_STATE_INACTIVE &&
		    (perf_sched_tries_is_partial(&tries) ||
		     !perf_sched_tries_in_locked(leader, &tries)))
			perf_sched_pinned_failed(leader);
	}
}

/*
 * No flexible group was active, and yet the group does not fit. It may never
 * fit, and the same may hold for many other groups. They must not keep the rest
 * from being tried.
 */
static void perf_sched_put_off_locked(struct perf_event *leader)
{
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(leader);

	perf_ctx_assert_sched_locked(perf_event_ctx(leader));
	if (list_empty(&epc->flexible_active) &&
	    list_empty(&perf_cpc_oncpu(epc->pmu)->epc.flexible_active))
		perf_group_put_off_locked(leader);
}

/* Return: false if the group has to wait. */
static bool perf_sched_choose_group_locked(struct perf_event *leader,
					   struct perf_sched_tries *tries)
{
	perf_pmu_assert_sched_locked(perf_event_pmu_ctx(leader));
	if (perf_sched_passes_by(leader, tries))
		return false;
	if (perf_sched_tries_in_locked(leader, tries)) {
		if (leader->state == PERF_EVENT_STATE_ACTIVE)
			perf_group_choose_locked(leader);
		return true;
	}
	perf_sched_put_off_locked(leader);
	return false;
}

/*
 * Makes the groups wait that have not been reached. There may be thousands.
 * @cursor is at the first of them.
 * Return: how many have to wait.
 */
static unsigned int perf_sched_rest_waits(struct perf_group_cursor *cursor)
{
	struct perf_event *leader;
	unsigned int waiting = 0;

	while ((leader = perf_group_next(cursor))) {
		if (leader->state != PERF_EVENT_STATE_INACTIVE)
			continue;
		perf_sched_flexible_failed(leader);
		waiting++;
	}
	return waiting;
}

/**
 * perf_sched_choose_locked() - choose flexible groups and schedule them in
 * @epc: PMU context of a context loaded here, clock up to date
 *
 * Groups are tried in the order of service. A group that does not fit does not
 * keep later groups from using the remaining counters.
 *
 * Context: scheduling locks, the PMU disabled.
 */
void perf_sched_choose_locked(struct perf_pmu_ctx *epc)
{
	struct perf_sched_tries tries = {
		.nr_waiting	= epc->nr_waiting,
		.choice		= epc->choice + 1, /* as when it is resumed */
	};
	/* Software groups always fit. */
	const bool turns = epc->pmu->task_ctx_nr != perf_sw_context;
	struct perf_group_cursor cursor;
	struct perf_event *leader;
	unsigned int waiting = 0;

	perf_pmu_assert_sched_locked(epc);
	if (turns)
		perf_group_rank_locked(epc, smp_processor_id(),
				       perf_sched_interval(epc));
	epc->chosen_at = max(epc->ctx->time, 1ULL);
	epc->choice++;
	epc->chosen = true;
	perf_group_for_each(leader, cursor, &epc->flexible_groups,
			    smp_processor_id()) {
		if (perf_sched_choose_group_locked(leader, &tries))
			continue;
		perf_sched_flexible_failed(leader);
		waiting++;
		if (perf_sched_tries_is_over(&tries))
			break;
	}
	epc->nr_waiting = waiting + perf_sched_rest_waits(&cursor);
	if (turns)
		perf_group_served_locked(epc);
	/* If no group waits there is nothing to choose later. */
	if (!epc->rotate_necessary)
		epc->chosen_at = 0;
}

/* Resumes a choice after its groups were scheduled out for a while. */
static void perf_sched_resume_locked(struct perf_pmu_ctx *epc)
{
	struct perf_sched_tries tries = {
		.nr_waiting	= epc->nr_waiting,
		.choice		= epc->choice,
	};
	struct perf_group_cursor cursor;
	struct perf_event *leader;

	perf_pmu_assert_sched_locked(epc);
	if (!epc->chosen || !perf_sched_choice_left_locked(epc) ||
	    perf_group_chosen_elsewhere(epc)) {
		perf_sched_choose_locked(epc);
		return;
	}
	if (perf_sched_all_in_locked(epc, &epc->flexible_groups,
				     &epc->flexible_active))
		return;
	perf_group_for_each(leader, cursor, &epc->flexible_groups,
			    smp_processor_id()) {
		if (perf_sched_goes_on_locked(leader) &&
		    (perf_sched_passes_by(leader, &tries) ||
		     !perf_sched_tries_in_locked(leader, &tries)))
			perf_sched_flexible_failed(leader);
	}
}

/**
 * perf_sched_flexible_out_locked() - schedule all flexible groups out
 * @epc: PMU context of a context loaded here
 *
 * Context: scheduling locks, the PMU disabled.
 */
void perf_sched_flexible_out_locked(struct perf_pmu_ctx *epc)
{
	perf_pmu_assert_sched_locked(epc);
	epc->rotate_necessary = false;
	perf_sched_list_out_locked(epc, &epc->flexible_active);
}

/* The PMU context of the CPU's own context, NULL if that is not loaded. */
static struct perf_pmu_ctx *
perf_sched_own_pmu_ctx_locked(struct perf_cpu_pmu_context *cpc)
{
	struct perf_ctx *ctx = cpc->epc.ctx;

	lockdep_assert_held(&ctx->lock);
	return ctx->loaded_cpu == PERF_CPU_NONE ? NULL : &cpc->epc;
}

/* The groups of @own and of @task, either of which may be NULL. */
static void perf_sched_both_in_locked(struct perf_pmu_ctx *own,
				      struct perf_pmu_ctx *task)
{
	lockdep_assert_held(&this_cpu_ptr(&perf_cpu_context)->ctx.lock);
	if (own)
		perf_sched_pinned_in_locked(own);
	if (task)
		perf_sched_pinned_in_locked(task);
	if (own)
		perf_sched_choose_locked(own);
	if (task)
		perf_sched_choose_locked(task);
}

/**
 * perf_sched_pmu_resched_locked() - choose again what runs on a PMU
 * @cpuctx: this CPU; clocks up to date
 * @pmu: PMU
 *
 * A CPU that goes offline still runs tasks and loads their contexts after its
 * own context was unloaded. Then only groups of tasks are chosen.
 *
 * Context: scheduling locks.
 */
void perf_sched_pmu_resched_locked(struct perf_cpu_context *cpuctx,
				   struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(pmu);
	struct perf_pmu_ctx *task_epc = cpc->task_epc;

	lockdep_assert_held(&cpuctx->ctx.lock);
	perf_pmu_disable(pmu);
	if (task_epc) {
		perf_sched_flexible_out_locked(task_epc);
		perf_sched_list_out_locked(task_epc, &task_epc->pinned_active);
	}
	perf_sched_flexible_out_locked(&cpc->epc);

	if (!perf_sched_filtered(pmu))
		perf_sched_both_in_locked(perf_sched_own_pmu_ctx_locked(cpc),
					  task_epc);
	perf_pmu_enable(pmu);
}

static bool perf_sched_is_candidate(const struct perf_event *leader)
{
	return leader->state == PERF_EVENT_STATE_INACTIVE &&
	       (leader->cpu == -1 || leader->cpu == smp_processor_id()) &&
	       perf_group_is_shown(leader) &&
	       !perf_sched_filtered(perf_event_pmu_ctx(leader)->pmu);
}

/**
 * perf_sched_group_fit_in_locked() - schedule a group in if it fits
 * @leader: group of a context loaded here
 *
 * Context: scheduling locks, the PMU disabled; clocks up to date.
 * Return: false if the group should be active but does not fit.
 */
bool perf_sched_group_fit_in_locked(struct perf_event *leader)
{
	perf_pmu_assert_sched_locked(perf_event_pmu_ctx(leader));
	return !perf_sched_is_candidate(leader) ||
	       perf_sched_group_in_locked(leader);
}

/*
 * Updates the clock of the context that is loaded beside @ctx. The clock of
 * @ctx itself is not updated, so that an event that is scheduled in now has
 * equal enabled and running times.
 */
static void perf_sched_clock_other_locked(struct perf_cpu_context *cpuctx,
					  struct perf_ctx *ctx)
{
	lockdep_assert_held(&cpuctx->ctx.lock);
	if (ctx != &cpuctx->ctx)
		perf_ctx_clock_update_locked(&cpuctx->ctx);
	else if (cpuctx->task_ctx)
		perf_ctx_clock_update_locked(cpuctx->task_ctx);
}

/**
 * perf_sched_group_try_in_locked() - schedule in one more group
 * @cpuctx: this CPU
 * @leader: group of a context loaded here; clock up to date
 *
 * No other group is touched unless a pinned group needs the room.
 *
 * Context: scheduling locks.
 */
void perf_sched_group_try_in_locked(struct perf_cpu_context *cpuctx,
				    struct perf_event *leader)
{
	struct pmu *pmu = perf_event_pmu_ctx(leader)->pmu;
	bool on;

	perf_ctx_assert_sched_locked(perf_event_ctx(leader));
	if (!perf_sched_is_candidate(leader))
		return;
	perf_pmu_disable(pmu);
	on = perf_sched_group_in_locked(leader);
	if (on)
		perf_group_return_locked(leader);
	else if (!leader->attr.pinned)
		perf_sched_flexible_failed(leader);
	perf_pmu_enable(pmu);
	if (!on && leader->attr.pinned) {
		perf_sched_clock_other_locked(cpuctx, perf_event_ctx(leader));
		perf_sched_pmu_resched_locked(cpuctx, pmu);
	}
}

/* Notifies the driver of the switch if it asked for that. */
static void perf_sched_notify_driver_locked(struct perf_pmu_ctx *epc)
{
	perf_ctx_assert_sched_locked(epc->ctx);
	if (perf_sched_cb_is_wanted())
		perf_sched_cb_pmu_ctx_locked(epc, true);
}

/* Schedules in a task's groups on one PMU; pinned groups may need room. */
static void perf_sched_groups_in_locked(struct perf_pmu_ctx *epc)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(epc->pmu);
	bool pinned = !RB_EMPTY_ROOT(&epc->pinned_groups.root);
	bool evict = pinned && !list_empty(&cpc->epc.flexible_active);

	perf_pmu_assert_sched_locked(epc);
	if (evict) {
		perf_ctx_clock_update_locked(cpc->epc.ctx);
		perf_sched_flexible_out_locked(&cpc->epc);
	}
	if (pinned && !perf_sched_all_in_locked(epc, &epc->pinned_groups,
						&epc->pinned_active))
		perf_sched_pinned_in_locked(epc);
	if (evict)
		perf_sched_resume_locked(&cpc->epc);
	perf_sched_resume_locked(epc);
}

/*
 * Schedules a task in on one PMU. The driver is notified before any event
 * counts: it may hold data of the previous task.
 */
static void perf_sched_pmu_ctx_in_locked(struct perf_pmu_ctx *epc)
{
	perf_ctx_assert_sched_locked(epc->ctx);
	if (perf_pmu_ctx_is_empty(epc) || perf_sched_filtered(epc->pmu)) {
		perf_sched_notify_driver_locked(epc);
		return;
	}
	if (perf_set_load_locked(epc))
		return;
	perf_pmu_disable(epc->pmu);
	perf_sched_groups_in_locked(epc);
	perf_set_make_locked(epc);
	perf_sched_notify_driver_locked(epc);
	perf_pmu_enable(epc->pmu);
}

/*
 * Return: true if nothing has changed since perf_sched_fill_locked() found room
 * for no group. It is called at each switch, and would try the same groups again.
 */
static bool perf_sched_is_full_locked(const struct perf_cpu_pmu_context *cpc)
{
	const struct perf_pmu_ctx *epc = &cpc->epc;

	lockdep_assert_held(&epc->ctx->lock);
	return epc->chosen && cpc->full_choice == epc->choice &&
	       cpc->full_active == cpc->active_oncpu;
}

/**
 * perf_sched_fill_locked() - schedule in waiting groups on free counters
 * @cpc: PMU on this CPU, whose own context is loaded, clock up to date; groups
 *	of that context wait
 *
 * This is not a new choice; otherwise frequent switches would defer the next
 * choice for ever.
 *
 * Context: scheduling locks, the PMU disabled.
 */
void perf_sched_fill_locked(struct perf_cpu_pmu_context *cpc)
{
	struct perf_pmu_ctx *epc = &cpc->epc;
	struct perf_sched_tries tries = { };
	struct perf_group_cursor cursor;
	struct perf_event *leader;
	int active = cpc->active_oncpu;

	perf_pmu_assert_sched_locked(epc);
	if (perf_sched_is_full_locked(cpc))
		return;
	perf_group_for_each(leader, cursor, &epc->flexible_groups,
			    smp_processor_id()) {
		perf_sched_tries_in_locked(leader, &tries);
		if (perf_sched_tries_is_partial(&tries))
			break;
	}
	epc->rotate_necessary = tries.missed > 0;
	cpc->full_choice = epc->choice;
	cpc->full_active = active == cpc->active_oncpu ? active : -1;
}

/* Waiting groups of the CPU may use counters that the task's groups leave. */
static void perf_sched_pmu_ctx_out_locked(struct perf_pmu_ctx *epc)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(epc->pmu);

	perf_ctx_assert_sched_locked(epc->ctx);
	if (!perf_pmu_ctx_is_active(epc)) {
		epc->rotate_necessary = false;
		return;
	}
	if (perf_set_unload_locked(epc) && !cpc->epc.rotate_necessary)
		return;
	perf_pmu_disable(epc->pmu);
	perf_sched_flexible_out_locked(epc);
	perf_sched_list_out_locked(epc, &epc->pinned_active);
	if (cpc->epc.rotate_necessary) {
		perf_ctx_clock_update_locked(cpc->epc.ctx);
		perf_sched_fill_locked(cpc);
	}
	perf_pmu_enable(epc->pmu);
}

/**
 * perf_sched_ctx_in_locked() - load a task's context on this CPU
 * @cpuctx: this CPU; no task context is loaded
 * @ctx: context for current, loaded nowhere
 *
 * Context: scheduling locks.
 */
void perf_sched_ctx_in_locked(struct perf_cpu_context *cpuctx,
			      struct perf_ctx *ctx)
{
	struct perf_pmu_ctx *epc;

	perf_ctx_assert_sched_locked(ctx);
	WARN_ON_ONCE(cpuctx->task_ctx || ctx->loaded_cpu != PERF_CPU_NONE);
	perf_ctx_clock_start_locked(ctx);
	perf_ctx_set_loaded_locked(ctx, smp_processor_id());
	cpuctx->task_ctx = ctx;
	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry) {
		/* Without events it may go while the context is loaded. */
		if (epc->nr_events)
			perf_cpc_oncpu(epc->pmu)->task_epc = epc;
		perf_sched_pmu_ctx_in_locked(epc);
	}
}

/**
 * perf_sched_ctx_out_locked() - unload the task context of this CPU
 * @cpuctx: this CPU
 * @ctx: its task context
 *
 * Context: scheduling locks.
 */
void perf_sched_ctx_out_locked(struct perf_cpu_context *cpuctx,
			       struct perf_ctx *ctx)
{
	struct perf_pmu_ctx *epc;

	perf_ctx_assert_sched_locked(ctx);
	WARN_ON_ONCE(cpuctx->task_ctx != ctx);
	if (perf_sched_cb_is_wanted())
		perf_sched_cb_ctx_locked(ctx, false);
	perf_ctx_clock_update_locked(ctx);
	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry) {
		perf_sched_pmu_ctx_out_locked(epc);
		perf_cpc_oncpu(epc->pmu)->task_epc = NULL;
	}
	cpuctx->task_ctx = NULL;
	perf_ctx_set_loaded_locked(ctx, PERF_CPU_NONE);
	if (ctx->family)
		perf_family_park_locked(ctx);
}

/**
 * perf_sched_cpu_ctx_out_locked() - schedule out the events of a CPU's context
 * @ctx: this CPU's own context; no task context is loaded
 *
 * Context: ctx->lock, interrupts off; clock up to date.
 */
void perf_sched_cpu_ctx_out_locked(struct perf_ctx *ctx)
{
	struct perf_pmu_ctx *epc;

	perf_ctx_assert_sched_locked(ctx);
	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry) {
		perf_pmu_disable(epc->pmu);
		perf_sched_flexible_out_locked(epc);
		perf_sched_list_out_locked(epc, &epc->pinned_active);
		perf_pmu_enable(epc->pmu);
	}
}

/**
 * perf_sched_ctx_out_oncpu() - unload a context, if it is loaded here
 * @ctx: context
 *
 * Context: interrupts off; takes the locks.
 */
void perf_sched_ctx_out_oncpu(struct perf_ctx *ctx)
{
	struct perf_cpu_context *cpuctx = perf_ctx_loaded_oncpu(ctx);

	if (!cpuctx)
		return;
	perf_ctx_lock_pair(cpuctx, ctx);
	perf_sched_ctx_out_locked(cpuctx, ctx);
	perf_ctx_unlock_pair(cpuctx, ctx);
}

/*
 * @family: the pool that @ctx was taken from, NULL if it is current's own.
 * Return: false if @ctx does not serve current, now that its lock is held.
 */
static bool perf_sched_try_ctx_in(struct perf_family *family,
				  struct perf_ctx *ctx)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	bool serves;

	perf_ctx_lock_pair(cpuctx, ctx);
	serves = perf_ctx_serves(ctx, current);
	if (serves && ctx->nr_events && ctx->loaded_cpu == PERF_CPU_NONE)
		perf_sched_ctx_in_locked(cpuctx, ctx);
	else if (family)
		perf_family_return_locked(family, ctx);
	perf_ctx_unlock_pair(cpuctx, ctx);
	return serves;
}

/* Loads the context that counts current, if it has events. */
static void perf_sched_task_in(void)
{
	struct perf_ctx *ctx;
	struct perf_family *family;

	guard(rcu)();
	do {
		family = NULL;
		ctx = perf_task_ctx(current);
		if (ctx && perf_ctx_is_handle(ctx)) {
			family = ctx->family;
			ctx = perf_family_take_oncpu(family);
		}
	} while (ctx && !perf_sched_try_ctx_in(family, ctx));
}

/**
 * perf_sched_reload_oncpu() - load only the context that counts current
 *
 * Context: interrupts off.
 */
void perf_sched_reload_oncpu(void)
{
	struct perf_ctx *ctx;

	lockdep_assert_irqs_disabled();
	ctx = this_cpu_read(perf_cpu_context.task_ctx);
	if (ctx && perf_ctx_serves(ctx, current))
		return;
	if (ctx)
		perf_sched_ctx_out_oncpu(ctx);
	perf_sched_task_in();
}

/**
 * perf_sched_take_ctx() - take the context from a task
 * @task: current, or a task that never ran
 *
 * Context: task; nothing but an exchange at a switch may change
 * task->perf_event_ctxp meanwhile.
 * Return: the context or handle that the task had, with the task's reference.
 */
struct perf_ctx *perf_sched_take_ctx(struct task_struct *task)
{
	struct perf_ctx *ctx;

	guard(irqsave)();
	ctx = perf_task_ctx(task);
	WRITE_ONCE(task->perf_event_ctxp, NULL);
	if (task == current)
		perf_sched_reload_oncpu();
	return ctx;
}

/* The context stays loaded for the next task; drivers are notified. */
static void perf_sched_notify_kept_ctx(struct perf_ctx *ctx, bool sched_in)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);

	if (!perf_sched_cb_is_wanted())
		return;
	perf_ctx_lock_pair(cpuctx, ctx);
	perf_sched_cb_ctx_locked(ctx, sched_in);
	perf_ctx_unlock_pair(cpuctx, ctx);
}

/**
 * __perf_event_task_sched_out() - handle the switch from a task on this CPU
 * @task: the task
 * @next: the task that runs next
 *
 * Context: task switch; runqueue lock, interrupts off.
 */
void __perf_event_task_sched_out(struct task_struct *task,
				 struct task_struct *next)
{
	struct perf_ctx *ctx;

	lockdep_assert_irqs_disabled();
	if (perf_sched_cb_is_wanted())
		perf_sched_cb_cpu(task, false);
	if (perf_side_wanted(PERF_SIDE_SWITCH))
		perf_side_switch(task, next, false);
	ctx = this_cpu_read(perf_cpu_context.task_ctx);
	if (!ctx)
		return;
	guard(rcu)();
	if (perf_ctx_serves(ctx, next) || perf_swap_try_oncpu(ctx, next))
		perf_sched_notify_kept_ctx(ctx, false);
	else
		perf_sched_ctx_out_oncpu(ctx);
}

/* Called before the task's groups are scheduled in: the CPU's come first. */
static void perf_sched_follow_cgroup(struct task_struct *task)
{
#ifdef CONFIG_CGROUP_PERF
	if (this_cpu_ptr(&perf_cpu_context)->cgrp)
		perf_hooks.cgroup_switch(task);
#endif
}

/**
 * __perf_event_task_sched_in() - handle the switch to a task on this CPU
 * @prev: the task that ran before
 * @task: the task, which is current
 *
 * The context that the other hook left loaded may no longer serve @task, which
 * may have left its family meanwhile.
 *
 * Context: task switch; runqueue lock, interrupts off.
 */
void __perf_event_task_sched_in(struct task_struct *prev,
				struct task_struct *task)
{
	struct perf_ctx *ctx;

	lockdep_assert_irqs_disabled();
	perf_sched_follow_cgroup(task);
	ctx = this_cpu_read(perf_cpu_context.task_ctx);
	if (ctx && perf_ctx_serves(ctx, task))
		perf_sched_notify_kept_ctx(ctx, true);
	else if (ctx || perf_task_ctx(task))
		perf_sched_reload_oncpu();

	if (perf_side_wanted(PERF_SIDE_SWITCH))
		perf_side_switch(task, prev, true);
	if (perf_sched_cb_is_wanted())
		perf_sched_cb_cpu(task, true);
}

static void perf_sched_resched_oncpu(struct perf_late *late)
{
	struct perf_ctx *task_ctx;
	struct perf_pmu_ctx *epc;
	struct perf_cpu_context *cpuctx;
	struct pmu *pmu;

	epc = &container_of(late, struct perf_cpu_pmu_context,
			    late_resched)->epc;
	pmu = epc->pmu;
	cpuctx = this_cpu_ptr(&perf_cpu_context);
	task_ctx = cpuctx->task_ctx;
	perf_ctx_lock_pair(cpuctx, task_ctx);
	perf_ctx_clock_update_locked(&cpuctx->ctx);
	if (task_ctx)
		perf_ctx_clock_update_locked(task_ctx);
	/* Only here the CPU's pinned groups are scheduled out as well. */
	perf_pmu_disable(pmu);
	perf_sched_list_out_locked(epc, &epc->pinned_active);
	perf_sched_pmu_resched_locked(cpuctx, pmu);
	perf_pmu_enable(pmu);
	perf_ctx_unlock_pair(cpuctx, task_ctx);
}

/**
 * perf_pmu_resched() - choose again what runs on a PMU of this CPU
 * @pmu: PMU whose constraints have changed
 *
 * During a walk over events it is done when the walk ends; see remote.c.
 *
 * Context: any but NMI, on the CPU in question.
 */
void perf_pmu_resched(struct pmu *pmu)
{
	struct perf_late *late;

	guard(irqsave)();
	late = &perf_cpc_oncpu(pmu)->late_resched;
	if (!perf_walk_defer_oncpu(late, perf_sched_resched_oncpu))
		perf_sched_resched_oncpu(late);
}
