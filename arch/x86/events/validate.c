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
#include "branch.h"
#include "extra.h"
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
 * @fewest:	of all events, the smallest number of counters that count one
 * @pairs:	one of them takes two counters
 * @lent:	one of them lends the recorder of branches
 * @seats:	their counters
 * @extra:	shared registers of the core, with the values that these events
 *	need
 */
struct trial {
	const struct x86_core	*core;
	unsigned int		nr;
	unsigned int		fewest;
	bool			pairs;
	bool			lent;
	struct x86_seat		seats[X86_MAX_EVENTS];
	struct x86_extra	extra[X86_NR_EXTRA];
};

static void begin(struct trial *t, const struct x86_core *core)
{
	t->core = core;
	t->nr = 0;
	t->fewest = X86_NR_COUNTERS;
	t->pairs = false;
	t->lent = false;
	memset(t->extra, 0, sizeof(t->extra));
}

/* Choose the shared register of an event as its core would. */
static const struct x86_extra_rule *choose_extra(struct trial *t, const struct perf_event *event)
{
	const struct x86_extra_rule *row = x86_extra_choose(t->extra, t->core, event);

	if (row)
		x86_extra_take(&t->extra[row->reg], event->hw.extra_reg.config);
	return row;
}

/* With all metrics: no event asks for a metric that the core lacks. */
static u64 all_counters(const struct trial *t)
{
	return x86_core_counters(t->core) | X86_ALL_METRICS;
}

/* Return: the counters that can count the event; 0 if none can. */
static u64 counters_of(struct trial *t, const struct perf_event *event)
{
	const struct x86_extra_rule *row;

	if (!event->hw.extra_reg.reg)
		return x86_event_counters(event);
	row = choose_extra(t, event);
	if (!row)
		return 0;
	return x86_event_match(t->core, event, row->code |
			       (READ_ONCE(event->hw.config) & ~X86_SEL_CODE));
}

/* Where there is one filter, all events that record branches must need the same. */
static bool can_record(struct trial *t, const struct perf_event *event)
{
	struct x86_extra *reg = &t->extra[X86_EXTRA_BRANCHES];
	u64 value = event->hw.branch_reg.config;

	if (!(event->hw.flags & X86_EVENT_BRANCHES))
		return true;
	if (t->lent)
		return false;
	if (!x86_branch_one_filter())
		return true;
	if (!x86_extra_has_room(reg, value))
		return false;
	x86_extra_take(reg, value);
	return true;
}

static int collect(struct trial *t, const struct perf_event *event)
{
	u64 counters;

	if (!x86_validate_is_ours(event))
		return 0;
	if (t->nr == X86_MAX_EVENTS || &t->core->pmu != event->pmu)
		return -EINVAL;
	if (!can_record(t, event))
		return -EINVAL;
	if (event->hw.flags & X86_EVENT_LENT) {
		t->lent = true;
		return 0;
	}
	counters = counters_of(t, event) & all_counters(t);
	t->fewest = min_t(unsigned int, t->fewest, hweight64(counters));
	t->pairs |= !!(event->hw.flags & X86_EVENT_PAIR);
	t->seats[t->nr++] = (struct x86_seat) {
		.counters = counters,
		.at = -1,
		.pair = event->hw.flags & X86_EVENT_PAIR,
	};
	return counters ? 0 : -EINVAL;
}

/*
 * If each event can have as many counters as there are events, each finds one
 * that no other event has, and no search is needed.
 */
static int place(struct trial *t)
{
	if (t->nr <= t->fewest && !t->pairs)
		return 0;
	return x86_place(t->seats, t->nr, all_counters(t));
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
	/* Clearing all seats would take longer than the check. */
	struct trial t __uninitialized;
	int err = 0;

	if (event->hw.flags & X86_EVENT_LENT)
		return 0;
	begin(&t, x86_core_of(event->pmu));
	if (event->group_leader != event)
		err = collect_group(&t, event->group_leader);
	if (!err)
		err = collect(&t, event);
	if (!err)
		err = place(&t);
	if (!err)
		return 0;
	if (event->group_leader != event)
		return perf_refuse(-EINVAL, PERF_ARGUMENT(GROUP_FD), 0, PERF_REASON_GROUP_FIT);
	return perf_refuse(-EINVAL, PERF_FIELD(config), ~0ULL, PERF_REASON_PMU_CANNOT);
}
