// SPDX-License-Identifier: GPL-2.0
/*
 * Room "validate": could these events count together?
 *
 * Purpose: refuse an event when it is opened, if its group could never be
 * scheduled in, even on a PMU without other events.
 *
 * Owns: nothing. All data is on the stack.
 *
 * Contexts: the task that opens the event; the mutex of the leader's context is
 * held, so the siblings are stable.
 *
 * Locking: none of its own.
 */
#include <linux/perf_refuse.h>
#include "rules/place.h"
#include "run.h"
#include "validate.h"

/**
 * x86_validate_is_ours() - is an event one of an x86 core PMU?
 * @event: event of any PMU
 *
 * Context: any.
 * Return: true if the engine counts it.
 */
bool x86_validate_is_ours(const struct perf_event *event)
{
	return event->pmu->add == x86_run_add;
}

/**
 * struct trial - the events of a group on a PMU of their own
 * @core:	core of the event that is opened
 * @nr:		events so far
 * @events:	these events
 * @seats:	their counters
 */
struct trial {
	const struct x86_core	*core;
	unsigned int		nr;
	const struct perf_event	*events[X86_MAX_EVENTS];
	struct x86_seat		seats[X86_MAX_EVENTS];
};

/*
 * Two events that need different values in one register cannot count together.
 */
static bool shares_badly(const struct trial *t, const struct hw_perf_event_extra *need)
{
	const struct hw_perf_event_extra *other;
	unsigned int i;

	if (!need->reg)
		return false;
	for (i = 0; i < t->nr; i++) {
		other = &t->events[i]->hw.extra_reg;
		if (other->reg == need->reg && other->config != need->config)
			return true;
	}
	return false;
}

static int collect(struct trial *t, const struct perf_event *event)
{
	if (!x86_validate_is_ours(event))
		return 0;
	if (t->nr == X86_MAX_EVENTS || &t->core->pmu != event->pmu ||
	    shares_badly(t, &event->hw.extra_reg))
		return -EINVAL;
	t->seats[t->nr] = (struct x86_seat) {
		.counters = x86_event_counters(event) & x86_core_counters(t->core),
		.at = -1,
		.pair = event->hw.flags & X86_EVENT_PAIR,
	};
	t->events[t->nr++] = event;
	return 0;
}

static int collect_group(struct trial *t, struct perf_event *leader)
{
	struct perf_event *sibling;
	int err = collect(t, leader);

	for_each_sibling_event(sibling, leader) {
		/* A sibling that is off is not scheduled in with the group. */
		if (!err && sibling->state > PERF_EVENT_STATE_OFF)
			err = collect(t, sibling);
	}
	return err;
}

/**
 * x86_validate() - check whether the group of an event fits on the PMU
 * @event: event that is opened, alone or into a group
 *
 * Context: task; the mutex of the leader's context if there is a leader.
 * Return: 0, or -EINVAL.
 */
int x86_validate(struct perf_event *event)
{
	struct trial t = { .core = x86_core_of(event->pmu) };
	int err = 0;

	if (event->group_leader != event)
		err = collect_group(&t, event->group_leader);
	if (!err)
		err = collect(&t, event);
	if (!err)
		err = x86_place(t.seats, t.nr, x86_core_counters(t.core));
	if (!err)
		return 0;
	if (event->group_leader != event)
		return perf_refuse(-EINVAL, PERF_ARGUMENT(GROUP_FD), 0, PERF_REASON_GROUP_FIT);
	return perf_refuse(-EINVAL, PERF_FIELD(config), ~0ULL, PERF_REASON_PMU_CANNOT);
}
