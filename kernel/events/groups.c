// SPDX-License-Identifier: GPL-2.0
/*
 * Room "groups": the order in which groups are tried, the events of a group,
 * and how large a group may become.
 *
 * Purpose: each PMU context has two trees of group leaders, one pinned, one
 * flexible. A tree is sorted by CPU (-1: any), and pinned groups
 * then by creation. Flexible groups are sorted by service, that is by how long
 * they were scheduled in since they were added. So the groups whose turn it is
 * come first.
 *
 * Service is the nanoseconds for which a group was scheduled in, added to what
 * it began with. A new group begins with the service of the one that has had
 * the most. If it began with zero, the others would wait until it had as much
 * service. For the same reason a choice limits how far the service of a group
 * may be behind or ahead, for instance after a long time in which the group was
 * disabled, or alone. A group that is disabled before its turn ends leaves
 * counters that no other group gets in that turn. So its turn counts until it
 * ends, until the group is enabled again, or until its cgroup stops running.
 * Each choice computes the service of the first groups of a tree. The other
 * groups keep the value of their last ranking. Their service has usually grown
 * since, so their place in the tree is rarely too far back.
 *
 * Owns: event->{group_node,group_start,group_service,left_turn,copies_start,
 * group_leader,sibling_list,nr_siblings,group_caps,group_generation,read_size,
 * cgroup_entry}; both trees, least_service, most_at, most_service, turn_*,
 * chosen_cpu and copies_most of a pmu context.
 *
 * Lifetime: a leader is in a tree while it belongs to a context; one that
 * counts for a cgroup, only while the cgroup runs as well. Groups in a tree may
 * be scheduled in. A sibling that left its group leads itself; its sibling_list
 * points to itself.
 *
 * Locking: the events of a group, and its leader, change under ctx->mutex and
 * ctx->lock; either is enough to read them. The trees and the service of groups
 * change under ctx->lock alone. With interrupts off the CPU that has the
 * context loaded may read all of it. The copies_start of an eldest is written
 * under the lock of the context of any of its copies, so two CPUs may write it
 * at the same time. A lost or torn value changes when a new thread's groups
 * have their first turns, and the next choice limits the error.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include <linux/smp.h>
#include "clock_times.h"
#include "groups.h"

/* Does @a come before @b among groups that may run on the same CPU? */
static bool perf_group_before(const struct perf_event *a,
			      const struct perf_event *b)
{
	if (a->group_service != b->group_service)
		return a->group_service < b->group_service;
	return a->id < b->id;
}

#define to_leader(node)	rb_entry((node), struct perf_event, group_node)

/* Number of groups at the head of a tree that a choice ranks. */
#define PERF_GROUP_RANKED	64

/* Number of groups that a new group looks at. */
#define PERF_GROUP_COMPARED	256

static bool perf_group_less(struct rb_node *a, const struct rb_node *b)
{
	const struct perf_event *event = to_leader(a), *other = to_leader(b);

	if (event->cpu != other->cpu)
		return event->cpu < other->cpu;
	return perf_group_before(event, other);
}

/* The first group of @cpu in the tree's order, or NULL. */
static struct perf_event *perf_group_find(struct perf_group_tree *tree,
					  int cpu)
{
	struct rb_node *node = tree->root.rb_node;
	struct perf_event *found = NULL;

	while (node) {
		struct perf_event *event = to_leader(node);

		if (cpu <= event->cpu) {
			if (event->cpu == cpu)
				found = event;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/* Return: whether the tree has just one group, as most trees have. */
static bool perf_group_is_alone(const struct rb_node *root)
{
	return root && !root->rb_left && !root->rb_right;
}

/**
 * perf_group_first() - start a walk over the groups that may run on a CPU
 * @cursor: state of the walk
 * @tree: groups of one PMU and context
 * @cpu: CPU
 *
 * The walk advances before it returns a group, so that the caller may remove or
 * move the group.
 *
 * Context: ctx->lock, or interrupts off on the CPU where the context is loaded.
 * Return: first leader or NULL.
 */
struct perf_event *perf_group_first(struct perf_group_cursor *cursor,
				    struct perf_group_tree *tree, int cpu)
{
	if (perf_group_is_alone(tree->root.rb_node)) {
		struct perf_event *leader = to_leader(tree->root.rb_node);

		cursor->any = NULL;
		cursor->here = NULL;
		return leader->cpu == -1 || leader->cpu == cpu ? leader : NULL;
	}
	cursor->any = perf_group_find(tree, -1);
	cursor->here = perf_group_find(tree, cpu);
	return perf_group_next(cursor);
}

/**
 * perf_group_step() - get the next group of a walk; see perf_group_next()
 * @cursor: state of the walk; @here is not NULL
 *
 * Context: as perf_group_first().
 * Return: leader.
 */
struct perf_event *perf_group_step(struct perf_group_cursor *cursor)
{
	struct perf_event **from = &cursor->here, *leader;

	if (cursor->any && perf_group_before(cursor->any, cursor->here))
		from = &cursor->any;
	leader = *from;
	*from = perf_group_successor(leader);
	return leader;
}

/**
 * perf_group_tree_of() - get the tree that a leader belongs to
 * @leader: event with a pmu context
 *
 * Context: any.
 * Return: the pinned or the flexible tree of its pmu context.
 */
struct perf_group_tree *perf_group_tree_of(struct perf_event *leader)
{
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(leader);

	return leader->attr.pinned ? &epc->pinned_groups :
				     &epc->flexible_groups;
}

static __always_inline void perf_group_add_locked(struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	rb_add(&leader->group_node, &perf_group_tree_of(leader)->root,
	       perf_group_less);
}

/**
 * perf_group_show_locked() - put a leader into its tree, at its old place
 * @leader: leader that is in no tree
 *
 * Context: ctx->lock.
 */
void perf_group_show_locked(struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	perf_group_add_locked(leader);
}

/**
 * perf_group_hide_locked() - take a leader out of its tree
 * @leader: leader
 *
 * Context: ctx->lock.
 */
void perf_group_hide_locked(struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (!perf_group_is_shown(leader))
		return;
	rb_erase(&leader->group_node, &perf_group_tree_of(leader)->root);
	RB_CLEAR_NODE(&leader->group_node);
}

static void perf_group_join_cgroup(struct perf_event *leader)
{
#ifdef CONFIG_CGROUP_PERF
	if (leader->cgrp)
		list_add_tail(&leader->cgroup_entry,
			      &perf_event_cpu_cgroup(leader)->groups);
#endif
}

static void perf_group_leave_cgroup(struct perf_event *leader)
{
#ifdef CONFIG_CGROUP_PERF
	if (leader->cgrp)
		list_del_init(&leader->cgroup_entry);
#endif
}

static s64 perf_group_service(const struct perf_event *leader)
{
	return leader->total_time_running + leader->group_start;
}

/* Until its first choice @epc has the least service of the copies in it. */
static void perf_group_begin_least_locked(struct perf_pmu_ctx *epc,
					  s64 service)
{
	lockdep_assert_held(&epc->ctx->lock);
	if (epc->choice)
		return;
	if (RB_EMPTY_ROOT(&epc->flexible_groups.root) ||
	    service < epc->least_service)
		epc->least_service = service;
}

/*
 * A step of service in the order of groups, nanoseconds: an eighth to a quarter
 * of an interval, 0 before the first choice. The step is coarse enough that
 * groups which a tool opened together remain equal when a turn is a little
 * late, and fine enough that no group has two turns before the others have had
 * one.
 */
static s64 perf_group_grain(const struct perf_pmu_ctx *epc)
{
	return epc->interval ? BIT_ULL(max(fls64(epc->interval), 3) - 3) : 0;
}

/*
 * Copies begin with the service of the ended copies of their family, because
 * threads may live too short for all groups to have a turn. A copy may have
 * become a leader while its eldest is still a sibling, without such service.
 */
static bool perf_group_begins_as_copy(const struct perf_event *leader)
{
	const struct perf_event *eldest = leader->parent;

	return eldest && READ_ONCE(eldest->group_leader) == eldest;
}

static s64 perf_group_copies_service(const struct perf_event *eldest)
{
	return atomic64_read(&eldest->child_total_time_running) +
	       READ_ONCE(eldest->copies_start);
}

static void perf_group_start_locked(struct perf_event *leader, s64 service)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	leader->group_service = service;
	leader->group_start = service - leader->total_time_running;
	leader->left_turn = false;
}

/* The service of a group up to the time of its context, also while it runs. */
static s64 perf_group_service_now_locked(const struct perf_event *leader)
{
	s64 service = perf_group_service(leader);
	s64 passed;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return service;
	passed = perf_event_own_time(leader, perf_event_ctx(leader)->time) -
		 leader->tstamp;
	return service + max(passed, 0);
}

/*
 * Looks at enabled groups that may run here. A program with so many groups that
 * others are not seen could as well enable them all, and they would have most
 * of the turns.
 * Return: the most service that one has had by now, but not more than an
 * interval above the least.
 */
static s64 perf_group_find_most_locked(struct perf_pmu_ctx *epc)
{
	unsigned int left = PERF_GROUP_COMPARED;
	s64 most = epc->least_service, least = S64_MAX, service;
	struct perf_group_cursor cursor;
	struct perf_event *leader;

	lockdep_assert_held(&epc->ctx->lock);
	perf_group_for_each(leader, cursor, &epc->flexible_groups,
			    raw_smp_processor_id()) {
		if (!left--)
			break;
		if (!perf_event_is_enabled(leader->state))
			continue;
		service = perf_group_service_now_locked(leader);
		least = min(least, service);
		most = max(most, service);
	}
	if (least == S64_MAX)
		return epc->least_service;
	least = max(least, epc->least_service);
	return min_t(s64, most, least + epc->interval);
}

/* Many groups may be enabled at the same moment: the search is made once. */
static noinline s64 perf_group_most_service_locked(struct perf_pmu_ctx *epc)
{
	u64 now = epc->ctx->time;

	lockdep_assert_held(&epc->ctx->lock);
	if (epc->most_at != now) {
		epc->most_at = now;
		/* Before the first choice no group has had any service. */
		epc->most_service = epc->interval ?
				    perf_group_find_most_locked(epc) :
				    epc->least_service;
	}
	return max(epc->most_service, epc->least_service);
}

/*
 * A new group that is no copy begins beside the one that has had the most. With
 * less service, a program that opens groups again and again would keep others
 * from their turns. Groups that a tool opens one after the other begin equal:
 * none of them has had much when the last one comes. While groups wait, the
 * most is an interval above the least, and need not be searched for.
 */
static s64 perf_group_new_service_locked(struct perf_pmu_ctx *epc)
{
	lockdep_assert_held(&epc->ctx->lock);
	if (epc->nr_waiting)
		return epc->least_service + epc->interval;
	return perf_group_most_service_locked(epc);
}

static void perf_group_begin_service_locked(struct perf_event *leader)
{
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(leader);
	s64 service;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (leader->attr.pinned) {
		leader->group_service = leader->id;
		return;
	}
	if (!perf_group_begins_as_copy(leader)) {
		service = perf_group_new_service_locked(epc);
	} else {
		service = perf_group_copies_service(leader->parent);
		perf_group_begin_least_locked(epc, service);
		/* A sibling that has lost its leader, or a group that moves. */
		if (epc->choice)
			service = max(service,
				      perf_group_new_service_locked(epc));
	}
	perf_group_start_locked(leader, service);
}

/*
 * If no group waits, this is a step more than a new group has: among groups of
 * the same service the one that was opened first comes first, so a group that
 * was opened early and is enabled late would come before the others.
 *
 * A copy cannot have waited for longer than its context exists. So copies that
 * are enabled soon after a fork keep the differences between families that have
 * had service.
 */
static s64 perf_group_enabled_service_locked(const struct perf_event *leader)
{
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(leader);
	s64 service = perf_group_new_service_locked(epc);

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (!epc->nr_waiting)
		service += perf_group_grain(epc);
	if (!perf_group_begins_as_copy(leader) ||
	    !READ_ONCE(leader->parent->copies_start))
		return service;
	return min_t(s64, service, leader->group_service + epc->ctx->time);
}

/**
 * perf_group_renew_locked() - perf_group_enable_locked() for one out of place
 * @leader: see there
 *
 * Context: ctx->lock.
 */
void perf_group_renew_locked(struct perf_event *leader)
{
	s64 service;
	bool shown;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (leader->attr.pinned || leader->group_leader != leader)
		return;
	service = perf_group_enabled_service_locked(leader);
	if (service <= leader->group_service)
		return;
	shown = perf_group_is_shown(leader);
	perf_group_hide_locked(leader);
	perf_group_start_locked(leader, service);
	if (shown)
		perf_group_show_locked(leader);
}

/**
 * perf_group_insert_locked() - add a leader to the groups of its context
 * @leader: leader that is in no tree
 *
 * Context: ctx->lock.
 */
void perf_group_insert_locked(struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	perf_group_begin_service_locked(leader);
	perf_group_join_cgroup(leader);
	if (perf_event_cgroup_runs(leader))
		perf_group_add_locked(leader);
}

/**
 * perf_group_erase_locked() - undo perf_group_insert_locked()
 * @leader: leader
 *
 * Context: ctx->lock.
 */
void perf_group_erase_locked(struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	perf_group_hide_locked(leader);
	perf_group_leave_cgroup(leader);
}

/* Return: whether @leader will be copied as a group that takes turns. */
static bool perf_group_is_copied(const struct perf_event *leader)
{
	const struct perf_event *eldest = perf_event_eldest(leader);

	return !leader->attr.pinned &&
	       perf_event_is_enabled(READ_ONCE(leader->state)) &&
	       READ_ONCE(eldest->group_leader) == eldest;
}

static bool perf_group_awaits_copies(const struct perf_event *leader)
{
	return !READ_ONCE(perf_event_eldest(leader)->copies_start) &&
	       perf_group_is_copied(leader);
}

/**
 * perf_group_begin_copies() - prepare the first copies of a new group
 * @leader: leader that is about to be copied
 *
 * A group that is disabled does not begin yet.
 *
 * Context: task; ctx->mutex.
 * Return: true if the caller has to call perf_group_compare_copies() for all
 * leaders that it copies, and then perf_group_start_copies() for them.
 */
bool perf_group_begin_copies(struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->mutex);
	if (!perf_group_awaits_copies(leader))
		return false;
	perf_event_pmu_ctx(leader)->copies_most = 0;
	return true;
}

/**
 * perf_group_compare_copies() - find the most service that copies begin with
 * @leader: leader that is about to be copied
 *
 * Context: task; ctx->mutex.
 */
void perf_group_compare_copies(const struct perf_event *leader)
{
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(leader);
	s64 service = perf_group_copies_service(perf_event_eldest(leader));

	lockdep_assert_held(&perf_event_ctx(leader)->mutex);
	if (perf_group_is_copied(leader))
		epc->copies_most = max(epc->copies_most, service);
}

/**
 * perf_group_start_copies() - give the copies of a new group their place
 * @leader: leader that is about to be copied; nothing happens if its group has
 *	had copies
 *
 * The copies begin beside those that begin with the most. With less service, a
 * program that opens new groups before each fork would keep other groups from
 * their turns in its children.
 *
 * Context: task; ctx->mutex.
 */
void perf_group_start_copies(const struct perf_event *leader)
{
	struct perf_event *eldest = perf_event_eldest(leader);
	s64 start = perf_event_pmu_ctx(leader)->copies_most -
		    atomic64_read(&eldest->child_total_time_running);

	lockdep_assert_held(&perf_event_ctx(leader)->mutex);
	if (!perf_group_awaits_copies(leader))
		return;
	/* Two contexts of a family may be copied at the same time. */
	WRITE_ONCE(eldest->copies_start, max(start, 1));
}

/*
 * Adds @nsec to a group's service. At a task's first choice its family gets the
 * same: the next copies would otherwise begin as far behind or ahead as this
 * one. If two CPUs do this at the same time, the last one wins. Later
 * adjustments concern this task only.
 */
static void perf_group_adjust_locked(struct perf_event *leader, s64 nsec)
{
	struct perf_event *eldest = leader->parent;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	leader->group_start += nsec;
	if (eldest && perf_event_pmu_ctx(leader)->choice <= 1)
		WRITE_ONCE(eldest->copies_start,
			   READ_ONCE(eldest->copies_start) + nsec);
}

/* Multiplexing intervals that a group may be ahead, if others were waiting. */
#define PERF_GROUP_AHEAD	16

/* Limits that a choice sets to the service of its groups; nanoseconds. */
struct perf_group_range {
	s64	least;
	s64	most;
	s64	grain;	/* a power of two */
};

/* Return: the least service of groups that wait, S64_MAX if none does. */
static s64 perf_group_least(struct perf_group_tree *tree, int cpu)
{
	unsigned int left = PERF_GROUP_RANKED;
	struct perf_group_cursor cursor;
	struct perf_event *leader;
	s64 least = S64_MAX;

	perf_group_for_each(leader, cursor, tree, cpu) {
		if (leader->state != PERF_EVENT_STATE_INACTIVE)
			continue;
		least = min(least, perf_group_service(leader));
		if (!--left)
			break;
	}
	return least;
}

static struct perf_group_range
perf_group_range(const struct perf_pmu_ctx *epc)
{
	struct perf_group_range range = {
		.least	= epc->least_service,
		.most	= epc->least_service + epc->interval,
		.grain	= perf_group_grain(epc),
	};

	/* If no group waited, old ones are not ahead of new ones. */
	if (epc->nr_waiting || !epc->choice)
		range.most += (PERF_GROUP_AHEAD - 1) * epc->interval;
	return range;
}

static void perf_group_rank_one_locked(struct perf_event *leader,
				       const struct perf_group_range *range)
{
	s64 had = perf_group_service(leader);
	s64 service = clamp(had, range->least, range->most);

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (service != had)
		perf_group_adjust_locked(leader, service - had);
	service &= -range->grain;
	if (service == leader->group_service)
		return;
	perf_group_hide_locked(leader);
	leader->group_service = service;
	perf_group_show_locked(leader);
}

/*
 * Only the first PERF_GROUP_RANKED groups are ranked. Most of the groups that
 * were scheduled in since the last choice are among them. The others are ranked
 * when they come to the front.
 */
static noinline void perf_group_rank_all_locked(struct perf_pmu_ctx *epc,
						int cpu)
{
	struct perf_group_tree *tree = &epc->flexible_groups;
	unsigned int left = PERF_GROUP_RANKED;
	struct perf_group_cursor cursor;
	struct perf_group_range range;
	struct perf_event *leader;
	s64 least;

	lockdep_assert_held(&epc->ctx->lock);
	least = perf_group_least(tree, cpu);
	if (least == S64_MAX)
		return;
	epc->least_service = max(epc->least_service, least);
	range = perf_group_range(epc);
	/* A group that has moved back may be visited a second time. */
	perf_group_for_each(leader, cursor, tree, cpu) {
		if (leader->state != PERF_EVENT_STATE_INACTIVE)
			continue;
		perf_group_rank_one_locked(leader, &range);
		if (!--left)
			break;
	}
}

/**
 * perf_group_rank_locked() - sort groups by the service that they have received
 * @epc: PMU context; none of its flexible groups is scheduled in
 * @cpu: this CPU; groups of other CPUs stay where they are
 * @interval: multiplexing interval, nanoseconds
 *
 * Context: ctx->lock.
 */
void perf_group_rank_locked(struct perf_pmu_ctx *epc, int cpu, u64 interval)
{
	lockdep_assert_held(&epc->ctx->lock);
	epc->interval = interval;
	if (unlikely(epc->turn_choice == epc->choice))
		epc->turn_end = epc->ctx->time;
	/* There is nothing to sort in most trees. */
	if (!perf_group_is_alone(epc->flexible_groups.root.rb_node))
		perf_group_rank_all_locked(epc, cpu);
}

/**
 * perf_group_tree_is_bound() - look for groups that are bound to a CPU
 * @tree: groups of one PMU and context; those of a CPU come last
 *
 * Context: ctx->lock.
 * Return: true if there is one.
 */
bool perf_group_tree_is_bound(const struct perf_group_tree *tree)
{
	const struct rb_node *last = rb_last(&tree->root);

	return last && to_leader(last)->cpu != -1;
}

/**
 * perf_group_served_locked() - note the service of the groups that were chosen
 * @epc: PMU context whose first groups have been scheduled in
 *
 * A group that waits with less service does not fit, and may never fit. If some
 * groups are bound to a CPU, those that wait may fit on another one.
 *
 * Context: ctx->lock.
 */
void perf_group_served_locked(struct perf_pmu_ctx *epc)
{
	struct perf_event *first;

	lockdep_assert_held(&epc->ctx->lock);
	first = list_first_entry_or_null(&epc->flexible_active,
					 struct perf_event, active_list);
	if (first && first->group_service > epc->least_service)
		epc->least_service = first->group_service;
	epc->chosen_cpu = PERF_CPU_NONE;
	if (epc->nr_waiting &&
	    (perf_group_tree_is_bound(&epc->flexible_groups) ||
	     perf_group_tree_is_bound(&epc->pinned_groups)))
		epc->chosen_cpu = smp_processor_id();
}

/**
 * perf_group_leave_turn_locked() - count the rest of a turn that is not used
 * @leader: leader that was scheduled out although its choice still holds
 * @left: nanoseconds for which the choice holds
 *
 * The counters are free, but the groups that wait get them at the next choice.
 * Without this, a group that is disabled at the beginning of each turn would
 * keep others from theirs. See perf_group_return_locked().
 *
 * Context: ctx->lock, clock up to date.
 */
void perf_group_leave_turn_locked(struct perf_event *leader, s64 left)
{
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(leader);

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (leader->attr.pinned || leader->group_choice != epc->choice)
		return;
	if (epc->turn_choice != epc->choice) {
		epc->turn_choice = epc->choice;
		epc->turn_due = epc->ctx->time + min(left, epc->interval);
	}
	leader->group_start += max_t(s64, epc->turn_due - epc->ctx->time, 0);
	leader->left_turn = true;
}

/**
 * perf_group_settle_locked() - perf_group_return_locked() for one that has left
 * @leader: see there
 *
 * If groups have left later turns since, the end of this turn is not known, and
 * all of its rest stays counted.
 *
 * Context: ctx->lock, clock up to date.
 */
void perf_group_settle_locked(struct perf_event *leader)
{
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(leader);
	u64 end = epc->turn_end;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	leader->left_turn = false;
	if (leader->group_choice != epc->turn_choice)
		return;
	if (epc->turn_choice == epc->choice)
		end = epc->ctx->time;
	leader->group_start -= max_t(s64, epc->turn_due - end, 0);
}

/**
 * perf_group_put_off_locked() - put a group that does not fit behind others
 * @leader: flexible leader; its place in the tree changes at the next choice
 *
 * Context: ctx->lock.
 */
void perf_group_put_off_locked(struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	perf_group_adjust_locked(leader, PERF_GROUP_AHEAD *
				 perf_event_pmu_ctx(leader)->interval);
}

/**
 * perf_group_exchange_lead_locked() - exchange the leads of two groups
 * @leader: leader
 * @twin: leader of the same group in the context of another task
 *
 * A group's lead is its service less that of the groups whose turn it is in its
 * PMU context. The caller exchanges the running times, which are a part of the
 * service, before or after this. The places of both in their trees change at
 * the next choice. Pinned groups have no lead that is used.
 *
 * Context: both ctx->lock.
 */
void perf_group_exchange_lead_locked(struct perf_event *leader,
				     struct perf_event *twin)
{
	s64 least = perf_event_pmu_ctx(leader)->least_service;
	s64 twin_least = perf_event_pmu_ctx(twin)->least_service;
	s64 ahead = leader->group_start - least;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	lockdep_assert_held(&perf_event_ctx(twin)->lock);
	leader->group_start = twin->group_start - twin_least + least;
	twin->group_start = ahead + twin_least;
	/* No context gives back a turn that was counted in the other one. */
	leader->left_turn = false;
	twin->left_turn = false;
}

static void perf_group_set_read_sizes(struct perf_event *leader)
{
	struct perf_event *sibling;

	perf_group_set_read_size(leader);
	for_each_sibling_event(sibling, leader)
		perf_group_set_read_size(sibling);
}

/**
 * perf_group_attach_locked() - add an event to its leader's group
 * @event: event whose group_leader is set; a leader is only marked
 *
 * Context: ctx->mutex and ctx->lock; for an inherited event that is not
 * published yet, the locks of its new context.
 */
void perf_group_attach_locked(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	/* A group that moves between PMUs keeps its siblings. */
	if (event->attach_state & PERF_ATTACH_GROUP)
		return;
	event->attach_state |= PERF_ATTACH_GROUP;
	if (leader == event)
		return;
	WARN_ON_ONCE(perf_event_ctx(leader) != perf_event_ctx(event));

	leader->group_caps &= event->event_caps;
	list_add_tail(&event->sibling_list, &leader->sibling_list);
	leader->nr_siblings++;
	leader->group_generation++;
	perf_group_set_read_sizes(leader);
}

/**
 * perf_group_refresh_caps_locked() - recompute what all a group's events can do
 * @leader: leader of a group that has lost siblings which could do less
 *
 * Context: ctx->mutex and ctx->lock.
 */
void perf_group_refresh_caps_locked(struct perf_event *leader)
{
	struct perf_event *sibling;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	leader->group_caps = leader->event_caps;
	for_each_sibling_event(sibling, leader)
		leader->group_caps &= sibling->event_caps;
}

/*
 * A sibling that lost its leader leads itself. If the leader was disabled, the
 * sibling's time was stopped; it runs from now on, if the sibling is enabled.
 */
static void perf_group_promote(struct perf_event *sibling)
{
	perf_event_time_update(sibling);
	perf_event_time_anchor(sibling);
	list_del_init(&sibling->sibling_list);
	sibling->group_leader = sibling;
	WRITE_ONCE(sibling->aux_event, NULL);
	sibling->group_caps = sibling->event_caps;
	perf_group_set_read_size(sibling);
	if (!(sibling->attach_state & PERF_ATTACH_CONTEXT))
		return;
	perf_group_insert_locked(sibling);
	if (sibling->state == PERF_EVENT_STATE_ACTIVE)
		list_add_tail(&sibling->active_list, sibling->attr.pinned ?
			      &perf_event_pmu_ctx(sibling)->pinned_active :
			      &perf_event_pmu_ctx(sibling)->flexible_active);
}

static void perf_group_leave(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	list_del_init(&event->sibling_list);
	event->group_leader = event;
	WRITE_ONCE(event->aux_event, NULL);
	event->group_caps = event->event_caps;
	leader->nr_siblings--;
	leader->group_generation++;
	perf_group_set_read_sizes(leader);
	perf_group_set_read_size(event);
}

/**
 * perf_group_detach_locked() - take an event out of its group
 * @event: leader or sibling, off the PMU
 * @orphan: called for each sibling that cannot count without @event, or acts on
 *	its trace, before the sibling becomes a leader
 *
 * The siblings of a leader become leaders. Those on the PMU stay there.
 *
 * Context: ctx->mutex and ctx->lock.
 */
void perf_group_detach_locked(struct perf_event *event,
			      void (*orphan)(struct perf_event *sibling))
{
	struct perf_event *sibling, *next;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (!(event->attach_state & PERF_ATTACH_GROUP))
		return;
	event->attach_state &= ~PERF_ATTACH_GROUP;

	if (event->group_leader != event) {
		perf_group_leave(event);
		return;
	}
	list_for_each_entry_safe(sibling, next, &event->sibling_list,
				 sibling_list) {
		if (perf_event_needs_leader(sibling) || sibling->aux_event)
			orphan(sibling);
		perf_group_promote(sibling);
	}
	if (!event->nr_siblings)
		return;
	event->nr_siblings = 0;
	event->group_generation++;
	perf_group_set_read_size(event);
}

/**
 * perf_group_read_size() - compute the bytes that read(2) of a group returns
 * @read_format: PERF_FORMAT_* of the event that is read
 * @nr_events: events in the group, leader included
 *
 * Context: any.
 * Return: bytes; no group makes the result wrap.
 */
size_t perf_group_read_size(u64 read_format, unsigned int nr_events)
{
	size_t each = sizeof(u64), size = 0;

	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		size += sizeof(u64);
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		size += sizeof(u64);
	if (read_format & PERF_FORMAT_ID)
		each += sizeof(u64);
	if (read_format & PERF_FORMAT_LOST)
		each += sizeof(u64);
	if (!(read_format & PERF_FORMAT_GROUP))
		return size + each;
	return size + sizeof(u64) + each * nr_events;
}

/**
 * perf_group_set_read_size() - update an event's read size
 * @event: event; its group has its new size
 *
 * Context: ctx->mutex, or the event is visible to nobody.
 */
void perf_group_set_read_size(struct perf_event *event)
{
	size_t size = perf_group_read_size(event->attr.read_format,
				event->group_leader->nr_siblings + 1);

	WARN_ON_ONCE(size > PERF_GROUP_READ_MAX);
	event->read_size = size;
}

static bool perf_group_event_fits(const struct perf_event *event,
				  unsigned int nr_events)
{
	return perf_group_read_size(event->attr.read_format, nr_events) <=
	       PERF_GROUP_READ_MAX;
}

/**
 * perf_group_all_fit() - perf_group_size_fits() for an event of a group
 * @event: see there
 *
 * Context: ctx->mutex of the leader.
 * Return: false if the read of any event of the group would become too large.
 */
bool perf_group_all_fit(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int nr_events = leader->nr_siblings + 1;

	if (leader != event)
		nr_events++;
	if (!perf_group_event_fits(event, nr_events))
		return false;
	if (leader == event)
		return true;
	if (!perf_group_event_fits(leader, nr_events))
		return false;
	for_each_sibling_event(sibling, leader) {
		if (!perf_group_event_fits(sibling, nr_events))
			return false;
	}
	return true;
}
