// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sched_set": events of a task that are scheduled in and out by one call.
 *
 * Purpose: most tasks are switched out and in again with the same events. Then
 * pmu::load and pmu::unload do for all of them what pmu::add and pmu::del do
 * for one, and states and times are set in one pass. Drivers without these
 * methods notice nothing.
 *
 * Owns: epc->whole; what is in epc->set.
 *
 * Contexts: the CPU that loads or unloads the context, mostly in a task switch.
 *
 * Lifetime: the memory of a set is reserved when events are opened, see
 * perf_epc_get(), and freed with the PMU context. The set is made when the
 * context is loaded, after the groups of the PMU context were scheduled in one
 * by one. It is whole until one of its events is scheduled in or out alone,
 * until an event joins or leaves the PMU context or is enabled or disabled, and
 * until a period is set. A set that is not whole is never read: its events may
 * have been freed.
 *
 * Locking: the scheduling locks. All of the changes above hold ctx->lock.
 *
 * These have no set: PMU contexts of a CPU; those in which a group waits or is
 * bound to a CPU; those whose active events are of several PMUs, exclusive, or
 * more than PERF_SET_EVENTS; and those for which there was no memory.
 *
 * The events of a whole set are scheduled in and out one by one in these cases:
 *
 *  - an event of the PMU was throttled on this CPU since the last tick: so the
 *    records of groups and of events come in the right order;
 *  - the driver wants pmu::sched_task;
 *  - at a load, an exclusive group is active on the PMU, or pinned groups may
 *    have to take counters from flexible groups of the CPU;
 *  - pmu::load refuses the set.
 *
 * The PMU stays enabled: other events of the CPU go on counting, and their
 * interrupts may come. The driver stops and starts the counters of the set.
 *
 * Race, an overflow while a set is loaded:
 *  1. all events get the state ACTIVE, as before pmu::add;
 *  2. the driver starts the counters. An overflow finds an active event;
 *  3. if the driver refuses, no counter has run, and the states go back.
 *
 * Race, an overflow while a set is unloaded:
 *  1. the driver stops the counters; an interrupt that is late finds active
 *     events. It may throttle one of them, or ask for it to be disabled;
 *  2. the events get the state INACTIVE. From now on none of them is throttled;
 *  3. the core looks up what happened in step 1. The set of a throttled event
 *     ends: the next load schedules its events in one by one, which also ends
 *     the throttling. An event that has to be disabled gets the state OFF.
 */
#include <linux/percpu.h>
#include <linux/smp.h>
#include "context.h"
#include "event_state.h"
#include "groups.h"
#include "pmu.h"
#include "sched_set.h"

/* How many serial numbers this CPU has assigned. */
static DEFINE_PER_CPU(u64, perf_set_serials);

static u64 perf_set_new_serial(void)
{
	return __this_cpu_inc_return(perf_set_serials) * nr_cpu_ids +
	       smp_processor_id();
}

/* Return: whether an active event may be a member of a set. */
static bool perf_set_takes(const struct perf_event *event,
			   const struct perf_pmu_ctx *epc)
{
	return event->pmu == epc->pmu && !event->attr.exclusive;
}

/*
 * Adds the event if it is active.
 * Return: false if the event, or the number of events, forbids a set.
 */
static bool perf_set_append(struct perf_sched_set *set,
			    struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return true;
	if (set->pub.nr == perf_event_pmu_ctx(event)->set_room ||
	    !perf_set_takes(event, perf_event_pmu_ctx(event)))
		return false;
	if (event->attr.freq && event->attr.sample_freq)
		set->nr_freq++;
	if (is_sampling_event(event))
		set->samples = true;
	set->pub.events[set->pub.nr++] = event;
	return true;
}

static bool perf_set_append_group(struct perf_sched_set *set,
				  struct perf_event *leader)
{
	struct perf_event *sibling;

	if (!perf_set_append(set, leader))
		return false;
	for_each_sibling_event(sibling, leader) {
		if (!perf_set_append(set, sibling))
			return false;
	}
	return true;
}

static bool perf_set_append_list(struct perf_sched_set *set,
				 struct list_head *active)
{
	struct perf_event *leader;

	list_for_each_entry(leader, active, active_list) {
		if (!perf_set_append_group(set, leader))
			return false;
	}
	return true;
}

/**
 * perf_set_make_locked() - make the set of a PMU context, if it may have one
 * @epc: PMU context whose groups have just been scheduled in one by one
 *
 * Context: scheduling locks.
 */
void perf_set_make_locked(struct perf_pmu_ctx *epc)
{
	struct perf_sched_set *set;

	perf_ctx_assert_sched_locked(epc->ctx);
	epc->whole = false;
	if (!epc->set || !epc->chosen || epc->chosen_at ||
	    epc->rotate_necessary ||
	    perf_group_tree_is_bound(&epc->pinned_groups) ||
	    perf_group_tree_is_bound(&epc->flexible_groups))
		return;
	set = epc->set;
	memset(set, 0, sizeof(*set));
	if (!perf_set_append_list(set, &epc->pinned_active))
		return;
	set->nr_pinned = set->pub.nr;
	if (!perf_set_append_list(set, &epc->flexible_active) || !set->pub.nr)
		return;
	set->pub.serial = perf_set_new_serial();
	epc->whole = true;
}

/* Return: whether each event of a set needs a call of its own now. */
static bool perf_set_needs_each(const struct perf_cpu_pmu_context *cpc)
{
	return perf_throttle_is_recent(cpc) || cpc->sched_cb_usage;
}

static bool perf_set_may_load(const struct perf_pmu_ctx *epc,
			      const struct perf_cpu_pmu_context *cpc)
{
	if (perf_set_needs_each(cpc) || cpc->exclusive)
		return false;
	return list_empty(&cpc->epc.flexible_active) ||
	       RB_EMPTY_ROOT(&epc->pinned_groups.root);
}

static __always_inline void
perf_set_event_in_locked(struct perf_event *event, struct list_head *active)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	WRITE_ONCE(event->oncpu, smp_processor_id());
	perf_event_set_switched_in_locked(event);
	if (event->group_leader == event)
		list_add_tail(&event->active_list, active);
}

static void perf_set_events_in_locked(const struct perf_sched_set *set,
				      struct perf_pmu_ctx *epc)
{
	unsigned int i;

	lockdep_assert_held(&epc->ctx->lock);
	for (i = 0; i < set->nr_pinned; i++)
		perf_set_event_in_locked(set->pub.events[i],
					 &epc->pinned_active);
	for (; i < set->pub.nr; i++)
		perf_set_event_in_locked(set->pub.events[i],
					 &epc->flexible_active);
}

static __always_inline void
perf_set_event_out_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	WRITE_ONCE(event->oncpu, -1);
	perf_event_set_switched_out_locked(event);
	if (event->group_leader == event)
		INIT_LIST_HEAD(&event->active_list);
}

/* All groups in the lists are members, so the lists become empty. */
static void perf_set_events_out_locked(const struct perf_sched_set *set,
				       struct perf_pmu_ctx *epc)
{
	lockdep_assert_held(&epc->ctx->lock);
	INIT_LIST_HEAD(&epc->pinned_active);
	INIT_LIST_HEAD(&epc->flexible_active);
	for (unsigned int i = 0; i < set->pub.nr; i++)
		perf_set_event_out_locked(set->pub.events[i]);
}

static void perf_set_update_pages(const struct perf_sched_set *set)
{
	for (unsigned int i = 0; i < set->pub.nr; i++) {
		if (READ_ONCE(set->pub.events[i]->rb))
			perf_event_update_userpage(set->pub.events[i]);
	}
}

/* Return: how many events use a counter; software events do not. */
static unsigned int perf_set_nr_limited(const struct perf_sched_set *set,
					const struct perf_pmu_ctx *epc)
{
	return epc->pmu->task_ctx_nr == perf_sw_context ? 0 : set->pub.nr;
}

static void perf_set_account(const struct perf_sched_set *set,
			     struct perf_pmu_ctx *epc,
			     struct perf_cpu_pmu_context *cpc)
{
	cpc->active_oncpu += perf_set_nr_limited(set, epc);
	if (unlikely(set->nr_freq)) {
		__this_cpu_add(perf_cpu_context.nr_freq, set->nr_freq);
		epc->nr_freq += set->nr_freq;
	}
}

/**
 * perf_set_load_locked() - schedule the set of a task's PMU context in
 * @epc: PMU context of a context that is being loaded; none of its events is
 *	active
 *
 * Context: scheduling locks; the context's clock has started.
 * Return: false if there is no whole set, or if its events have to be scheduled
 * in one by one.
 */
bool perf_set_load_locked(struct perf_pmu_ctx *epc)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(epc->pmu);
	struct perf_sched_set *set;

	perf_ctx_assert_sched_locked(epc->ctx);
	if (!epc->whole || !perf_set_may_load(epc, cpc))
		return false;
	set = epc->set;
	perf_set_events_in_locked(set, epc);
	if (epc->pmu->load(epc->pmu, &set->pub)) {
		perf_set_events_out_locked(set, epc);
		return false;
	}
	perf_set_account(set, epc, cpc);
	perf_set_update_pages(set);
	return true;
}

static void perf_set_unaccount(const struct perf_sched_set *set,
			       struct perf_pmu_ctx *epc,
			       struct perf_cpu_pmu_context *cpc)
{
	cpc->active_oncpu -= perf_set_nr_limited(set, epc);
	if (unlikely(set->nr_freq)) {
		__this_cpu_sub(perf_cpu_context.nr_freq, set->nr_freq);
		epc->nr_freq -= set->nr_freq;
	}
}

/* An overflow has asked to disable the event, and its irq_work has not run. */
static void perf_set_disable_late_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (!event->pending_disable)
		return;
	event->pending_disable = 0;
	perf_event_set_state(event, PERF_EVENT_STATE_OFF);
	perf_epc_drop_set(perf_event_pmu_ctx(event));
}

/* Does what a late overflow has asked for. */
static void perf_set_end_late_locked(const struct perf_sched_set *set,
				     struct perf_pmu_ctx *epc,
				     struct perf_cpu_pmu_context *cpc)
{
	lockdep_assert_held(&epc->ctx->lock);
	for (unsigned int i = 0; set->samples && i < set->pub.nr; i++)
		perf_set_disable_late_locked(set->pub.events[i]);
	if (perf_throttle_is_recent(cpc))
		perf_epc_drop_set(epc);
}

/**
 * perf_set_unload_locked() - schedule the set of a task's PMU context out
 * @epc: PMU context of a context that is being unloaded
 *
 * Context: scheduling locks; the context's clock is up to date.
 * Return: false if there is no whole set, or if its events have to be scheduled
 * out one by one.
 */
bool perf_set_unload_locked(struct perf_pmu_ctx *epc)
{
	struct perf_cpu_pmu_context *cpc = perf_cpc_oncpu(epc->pmu);
	struct perf_sched_set *set;

	perf_ctx_assert_sched_locked(epc->ctx);
	if (!epc->whole || perf_set_needs_each(cpc))
		return false;
	set = epc->set;
	epc->pmu->unload(epc->pmu, &set->pub);
	perf_set_unaccount(set, epc, cpc);
	perf_set_events_out_locked(set, epc);
	perf_set_end_late_locked(set, epc, cpc);
	perf_set_update_pages(set);
	return true;
}
