// SPDX-License-Identifier: GPL-2.0
/*
 * Room "fit": would a group that is about to be opened find counters?
 *
 * Purpose: fit_alone and fit_beside in the answer to a dry run. On an empty PMU
 * a group fits, since the driver has accepted it. For the PMU as it is now, the
 * group is put on trial, behind copies of the pinned events of a CPU, and of
 * the task. A driver with pmu->counters() is asked for numbers instead; these
 * do not say which event can use which counter.
 *
 * The free counters of a CPU reveal events of other users, so only users that
 * may open events of CPUs get this answer.
 *
 * Owns: the answers in struct perf_fit, which is memory of the caller.
 *
 * Contexts: task; may sleep. Events that count are not disturbed.
 *
 * Lifetime: struct perf_fit has copies of attributes. It points to one event,
 * the leader, which is only compared. The caller's event keeps the group. The
 * PMU stays registered, by perf_pmus_srcu, until it is judged.
 *
 * Locking: ctx->mutex while events are collected. It is not held any more when
 * they are judged, since a trial takes the mutexes of CPUs' contexts.
 *
 * Race: events come and go between collecting and judging. The answer holds for
 * the moment, and promises nothing.
 */
#include <linux/cpu.h>

#include "attr.h"
#include "caps_trial.h"
#include "fit.h"
#include "pmu.h"

static void fit_add(struct perf_fit *fit, const struct perf_event *event)
{
	if (event->pmu != fit->pmu)
		return;
	if (fit->nr == PERF_CAPS_GROUP_MAX)
		fit->too_many = true;
	else
		fit->attr[fit->nr++] = event->attr;
}

/* A task's pinned events come before its others, in the order of creation. */
static void fit_add_pinned(struct perf_fit *fit, struct perf_ctx *ctx)
{
	struct perf_event *event;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (event->group_leader->attr.pinned &&
		    event->group_leader != fit->leader &&
		    READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE)
			fit_add(fit, event);
	}
}

/**
 * perf_fit_collect() - collect events that have to fit on a PMU together
 * @fit: result
 * @event: event that is about to be opened
 * @pmu: PMU that its group goes to
 * @ctx: context that the event would join; NULL if that has no events yet
 *
 * Context: task; ctx->mutex, which is also that of the group.
 */
void perf_fit_collect(struct perf_fit *fit, struct perf_event *event,
		      struct pmu *pmu, struct perf_ctx *ctx)
{
	struct perf_event *leader = event->group_leader, *sibling;

	fit->pmu = pmu;
	fit->cpu = event->cpu;
	fit->leader = leader != event ? leader : NULL;
	fit->nr = 0;
	fit->too_many = false;
	if (ctx && ctx->pub.task)
		fit_add_pinned(fit, ctx);
	fit->nr_before = fit->nr;
	if (leader != event) {
		fit_add(fit, leader);
		for_each_sibling_event(sibling, leader)
			fit_add(fit, sibling);
	}
	fit_add(fit, event);
}

/* Do the events of @fit fit in addition to those that the trial has already? */
static u32 fit_try_rest(struct perf_trial *trial, const struct perf_fit *fit)
{
	bool exclusive = false;

	for (unsigned int i = 0; i < fit->nr; i++) {
		if (exclusive && i >= fit->nr_before)
			return PERF_FIT_NO;
		if (fit->attr[i].exclusive && !perf_trial_is_empty(trial))
			return PERF_FIT_NO;
		exclusive |= i < fit->nr_before && fit->attr[i].exclusive;
		if (!perf_trial_add(trial, &fit->attr[i]))
			return perf_trial_lacked_memory(trial) ?
				PERF_FIT_UNKNOWN : PERF_FIT_NO;
	}
	return PERF_FIT_YES;
}

static u32 fit_try_cpu(struct perf_trial *trial, const struct perf_fit *fit)
{
	bool exclusive;
	u32 answer;

	if (perf_trial_imitate(trial, &exclusive))
		answer = PERF_FIT_UNKNOWN;
	else if (exclusive && fit->nr)
		answer = PERF_FIT_NO;
	else
		answer = fit_try_rest(trial, fit);
	perf_trial_clear(trial);
	return answer;
}

/* CPUs with equal pinned events have equal answers. */
static u32 fit_try_cpus(const struct perf_fit *fit)
{
	struct perf_trial *trial __free(perf_trial_end) =
		perf_trial_begin(fit->pmu, fit->leader);
	u32 one = PERF_FIT_UNKNOWN, all = PERF_FIT_UNKNOWN;
	enum perf_trial_cpu found;
	int cpu;

	if (!trial)
		return PERF_FIT_UNKNOWN;
	for_each_online_cpu(cpu) {
		if (fit->cpu >= 0 && fit->cpu != cpu)
			continue;
		found = perf_trial_move(trial, cpu);
		if (found == PERF_TRIAL_ABSENT)
			continue;
		if (found == PERF_TRIAL_OTHER)
			one = fit_try_cpu(trial, fit);
		if (one == PERF_FIT_UNKNOWN)
			return one;
		all = all == PERF_FIT_UNKNOWN || all == one ?
			one : PERF_FIT_SOMEWHERE;
	}
	/*
	 * Without memory, a CPU that has the PMU may look like one without it.
	 */
	return perf_trial_lacked_memory(trial) ? PERF_FIT_UNKNOWN : all;
}

/* The driver reports numbers, not which event can use which counter. */
static u32 fit_compare(unsigned int nr, unsigned int general,
		       unsigned int fixed)
{
	if (nr <= general)
		return PERF_FIT_YES;
	return nr > general + fixed ? PERF_FIT_NO : PERF_FIT_UNKNOWN;
}

static void fit_ask_driver(struct perf_fit *fit)
{
	struct perf_pmu_counters total, least;

	if (perf_caps_get_total(fit->pmu, &total))
		return;
	fit->alone = fit_compare(fit->nr - fit->nr_before, total.general,
				 total.fixed);
	if (fit->alone == PERF_FIT_NO) {
		fit->beside = PERF_FIT_NO;
		return;
	}
	/*
	 * The CPU where the event runs may have more free counters than the
	 * worst CPU.
	 */
	if (perf_attr_would_see_cpus() && !perf_caps_get(fit->pmu, &least) &&
	    fit->nr <= least.general_free)
		fit->beside = PERF_FIT_YES;
}

static bool fit_pmu_is_there(const struct pmu *pmu)
{
	const struct pmu *other;

	list_for_each_entry_rcu(other, &perf_pmus, entry,
				srcu_read_lock_held(&perf_pmus_srcu)) {
		if (other == pmu)
			return true;
	}
	return false;
}

/**
 * perf_fit_judge() - find out whether collected events would find counters
 * @fit: filled in by perf_fit_collect(); the driver has accepted the
 *	event in its group, and the caller keeps that event
 *
 * Context: task; may sleep, no mutex of a context held.
 */
void perf_fit_judge(struct perf_fit *fit)
{
	struct pmu *pmu = fit->pmu;

	fit->alone = PERF_FIT_UNKNOWN;
	fit->beside = PERF_FIT_UNKNOWN;
	guard(srcu)(&perf_pmus_srcu);
	if (fit->too_many || !fit_pmu_is_there(pmu))
		return;
	/*
	 * Such events have a counter each, or have reserved their resource
	 * already.
	 */
	if (pmu->task_ctx_nr == perf_sw_context) {
		fit->alone = PERF_FIT_YES;
		fit->beside = PERF_FIT_YES;
	} else if (pmu->counters) {
		fit_ask_driver(fit);
	} else if (READ_ONCE(pmu->caps)) {
		fit->alone = PERF_FIT_YES;
		if (!perf_attr_would_see_cpus())
			return;
		fit->beside = fit_try_cpus(fit);
	}
}
