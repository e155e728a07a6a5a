// SPDX-License-Identifier: GPL-2.0
/*
 * Room "groups": the order in which groups are considered, who belongs to a
 * group, and how large a group may become.
 *
 * Purpose: each PMU's part of a context has two trees of group leaders, one
 * pinned, one flexible. A tree is sorted by CPU (-1: any), pinned groups then by
 * creation. Flexible ones are sorted by service, that is by how long they were on
 * since they came, so that the first ones are those whose turn it is.
 *
 * Service is the nanoseconds that a group was on, added to what it began with. A new
 * group begins with a little more than the groups have whose turn it is. If it began
 * with zero, they would wait until it had caught up. For the same reason a choice
 * limits how far a group may be behind or ahead, for instance after it was disabled,
 * or alone, for long. The service of the first groups of a tree is worked out at each
 * choice. That of the others is what it was when they were ranked last; mostly it has
 * grown since, so that they are not too far back.
 *
 * Owns: event->{group_node,group_start,group_service,family_start,group_leader,
 * sibling_list,nr_siblings,group_caps,group_generation,read_size,cgroup_entry}; both
 * trees and least_service of a pmu context.
 *
 * Lifetime: a leader is in a tree while it belongs to a context; one that counts
 * for a cgroup, while the cgroup runs as well. What is in a tree may be put on.
 * A sibling that left its group leads itself; its sibling_list points to itself.
 *
 * Locking: who belongs to a group, and who leads it, changes under ctx->mutex and
 * ctx->lock; either is enough to read it. The trees and the service of groups change
 * under ctx->lock alone. With interrupts off the CPU that has the context loaded may
 * read all of it. The family_start of an eldest is under the locks of its copies'
 * contexts, any of them. A value that is lost or torn there moves the first turns of a
 * thread, and the next choice limits it.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include "clock.h"
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

/* Most trees have one group. */
static bool perf_group_is_alone(const struct rb_node *root)
{
	return root && !root->rb_left && !root->rb_right;
}

/**
 * perf_group_first - start a walk over the groups that may run on a CPU
 * @cursor: state of the walk
 * @tree: groups of one PMU and context
 * @cpu: CPU
 *
 * The walk has left a group before it hands it out: the caller may remove or
 * move it.
 *
 * Context: ctx->lock, or as the head of this file says.
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
 * perf_group_step - next group of a walk; see perf_group_next()
 * @cursor: state of the walk, with a group of the CPU
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
 * perf_group_tree_of - the tree a leader belongs to
 * @leader: event with a pmu context
 *
 * Return: the pinned or the flexible tree of its pmu context.
 */
struct perf_group_tree *perf_group_tree_of(struct perf_event *leader)
{
	struct perf_event_pmu_context *epc = leader->pmu_ctx;

	return leader->attr.pinned ? &epc->pinned_groups :
				     &epc->flexible_groups;
}

/**
 * perf_group_show_locked - put a leader into its tree, where it was before
 * @leader: leader that is in no tree
 *
 * Context: ctx->lock.
 */
void perf_group_show_locked(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	rb_add(&leader->group_node, &perf_group_tree_of(leader)->root,
	       perf_group_less);
}

/**
 * perf_group_hide_locked - take a leader out of its tree
 * @leader: leader
 *
 * Context: ctx->lock.
 */
void perf_group_hide_locked(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
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

/* Until the first choice the least service of a part is that of the copies in it. */
static void perf_group_begin_least_locked(struct perf_event_pmu_context *epc,
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
 * A step of service in the order of groups, nanoseconds: an eighth to a quarter of
 * an interval, nothing before the first choice. That is coarse enough for groups
 * which a tool opened side by side to stay equals when a turn is a little late, and
 * fine enough for nobody to have two turns before others have had one.
 */
static s64 perf_group_grain(const struct perf_event_pmu_context *epc)
{
	return epc->interval ? BIT_ULL(max(fls64(epc->interval), 3) - 3) : 0;
}

/*
 * Copies begin with what the dead ones of their family have had: threads may live too
 * short for all groups to have a turn. The eldest of one that was a sibling may have
 * no copies that lead.
 */
static bool perf_group_begins_as_copy(const struct perf_event *leader)
{
	const struct perf_event *eldest = leader->parent;

	return eldest && READ_ONCE(eldest->group_leader) == eldest;
}

static s64 perf_group_family_service(const struct perf_event *eldest)
{
	return atomic64_read(&eldest->child_total_time_running) +
	       READ_ONCE(eldest->family_start);
}

/*
 * Others come behind those whose turn it is: if they were equals, whoever opens groups
 * again and again would keep the others from their turns.
 */
static void perf_group_begin_service_locked(struct perf_event *leader)
{
	struct perf_event_pmu_context *epc = leader->pmu_ctx;
	s64 service;

	lockdep_assert_held(&leader->ctx->lock);
	if (leader->attr.pinned) {
		leader->group_service = leader->id;
		return;
	}
	if (perf_group_begins_as_copy(leader)) {
		service = perf_group_family_service(leader->parent);
		perf_group_begin_least_locked(epc, service);
	} else {
		service = epc->least_service + perf_group_grain(epc);
	}
	leader->group_service = service;
	leader->group_start = service - leader->total_time_running;
}

/**
 * perf_group_insert_locked - list a leader among the groups of its context
 * @leader: leader that is in no tree
 *
 * Context: ctx->lock.
 */
void perf_group_insert_locked(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	perf_group_begin_service_locked(leader);
	perf_group_join_cgroup(leader);
	if (perf_event_cgroup_runs(leader))
		perf_group_show_locked(leader);
}

/**
 * perf_group_erase_locked - undo perf_group_insert_locked()
 * @leader: leader
 *
 * Context: ctx->lock.
 */
void perf_group_erase_locked(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	perf_group_hide_locked(leader);
	perf_group_leave_cgroup(leader);
}

/*
 * Give a group more service or less. At a task's first choice its family gets the
 * same: the next copies would otherwise begin as far behind or ahead as this one. When
 * two CPUs do this at a time, the last one wins. What happens later is the task's own.
 */
static void perf_group_adjust_locked(struct perf_event *leader, s64 nsec)
{
	struct perf_event *eldest = leader->parent;

	lockdep_assert_held(&leader->ctx->lock);
	leader->group_start += nsec;
	if (eldest && leader->pmu_ctx->choice <= 1)
		WRITE_ONCE(eldest->family_start,
			   READ_ONCE(eldest->family_start) + nsec);
}

/* Groups at the head of a tree that are ranked. */
#define PERF_GROUP_RANKED	64

/* Intervals of multiplexing that a group may be ahead, if others waited before. */
#define PERF_GROUP_AHEAD	16

/* What a choice asks of the groups that take part in it; nanoseconds. */
struct perf_group_range {
	s64	least;
	s64	most;
	s64	grain;	/* a power of two */
};

/* Return: the least service of those that take part, S64_MAX if nobody does. */
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
perf_group_range(const struct perf_event_pmu_context *epc)
{
	struct perf_group_range range = {
		.least	= epc->least_service,
		.most	= epc->least_service + epc->interval,
		.grain	= perf_group_grain(epc),
	};

	/* If nobody waited, older groups are one turn ahead of new ones, no more. */
	if (epc->nr_waiting || !epc->choice)
		range.most += (PERF_GROUP_AHEAD - 1) * epc->interval;
	return range;
}

static void perf_group_rank_one_locked(struct perf_event *leader,
				       const struct perf_group_range *range)
{
	s64 had = perf_group_service(leader);
	s64 service = clamp(had, range->least, range->most);

	lockdep_assert_held(&leader->ctx->lock);
	if (service != had)
		perf_group_adjust_locked(leader, service - had);
	service &= -range->grain;
	if (service == leader->group_service)
		return;
	perf_group_hide_locked(leader);
	leader->group_service = service;
	perf_group_show_locked(leader);
}

/**
 * perf_group_rank_locked - bring groups into the order of service received
 * @epc: flexible groups of one PMU and context, all of them off
 * @cpu: this CPU; groups of others stay where they are
 * @interval: of multiplexing, nanoseconds
 *
 * Of many groups the first ones are ranked: most of those that were on since the last
 * choice are among them. The others are when they come to the front.
 *
 * Context: ctx->lock.
 */
void perf_group_rank_locked(struct perf_event_pmu_context *epc, int cpu,
			    u64 interval)
{
	struct perf_group_tree *tree = &epc->flexible_groups;
	unsigned int left = PERF_GROUP_RANKED;
	struct perf_group_cursor cursor;
	struct perf_group_range range;
	struct perf_event *leader;
	s64 least;

	lockdep_assert_held(&epc->ctx->lock);
	epc->interval = interval;
	if (perf_group_is_alone(tree->root.rb_node))
		return;
	least = perf_group_least(tree, cpu);
	if (least == S64_MAX)
		return;
	epc->least_service = max(epc->least_service, least);
	range = perf_group_range(epc);
	/* Those that have moved back may come a second time. */
	perf_group_for_each(leader, cursor, tree, cpu) {
		if (leader->state != PERF_EVENT_STATE_INACTIVE)
			continue;
		perf_group_rank_one_locked(leader, &range);
		if (!--left)
			break;
	}
}

/**
 * perf_group_served_locked - a choice has been made
 * @epc: flexible groups of one PMU and context, the first of them on
 *
 * Groups that come next begin with the service of those whose turn it is. A group that
 * waits with less has found no room, and may never find it.
 *
 * Context: ctx->lock.
 */
void perf_group_served_locked(struct perf_event_pmu_context *epc)
{
	struct perf_event *first;

	lockdep_assert_held(&epc->ctx->lock);
	first = list_first_entry_or_null(&epc->flexible_active,
					 struct perf_event, active_list);
	if (first && first->group_service > epc->least_service)
		epc->least_service = first->group_service;
}

/**
 * perf_group_put_off_locked - a group that finds no room lets others try first
 * @leader: flexible leader
 *
 * Until the next choice it stays where it is in its tree.
 *
 * Context: ctx->lock.
 */
void perf_group_put_off_locked(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	perf_group_adjust_locked(leader, PERF_GROUP_AHEAD *
				 leader->pmu_ctx->interval);
}

/**
 * perf_group_lead_locked - how far is a group ahead of those whose turn it is?
 * @leader: flexible leader
 *
 * Context: ctx->lock.
 * Return: nanoseconds of service.
 */
s64 perf_group_lead_locked(const struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	return perf_group_service(leader) - leader->pmu_ctx->least_service;
}

/**
 * perf_group_set_lead_locked - the times of a group are those of another task now
 * @leader: flexible leader; until the next choice it stays where it is in its tree
 * @lead: nanoseconds that the group of that task was ahead
 *
 * Context: ctx->lock.
 */
void perf_group_set_lead_locked(struct perf_event *leader, s64 lead)
{
	lockdep_assert_held(&leader->ctx->lock);
	leader->group_start = leader->pmu_ctx->least_service + lead -
			      leader->total_time_running;
}

static void perf_group_set_read_sizes(struct perf_event *leader)
{
	struct perf_event *sibling;

	perf_group_set_read_size(leader);
	for_each_sibling_event(sibling, leader)
		perf_group_set_read_size(sibling);
}

/**
 * perf_group_attach_locked - make an event a member of its leader's group
 * @event: event whose group_leader is set; a leader itself needs nothing
 *
 * Context: ctx->mutex and ctx->lock; for an inherited event that nobody knows
 * yet, the locks of its new context.
 */
void perf_group_attach_locked(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	lockdep_assert_held(&event->ctx->lock);
	/* A group that moves between PMUs keeps its members. */
	if (event->attach_state & PERF_ATTACH_GROUP)
		return;
	event->attach_state |= PERF_ATTACH_GROUP;
	if (leader == event)
		return;
	WARN_ON_ONCE(leader->ctx != event->ctx);

	leader->group_caps &= event->event_caps;
	list_add_tail(&event->sibling_list, &leader->sibling_list);
	leader->nr_siblings++;
	leader->group_generation++;
	perf_group_set_read_sizes(leader);
}

/**
 * perf_group_refresh_caps_locked - work out again what all members can do
 * @leader: leader of a group that has lost members which could do less
 *
 * Context: ctx->mutex and ctx->lock.
 */
void perf_group_refresh_caps_locked(struct perf_event *leader)
{
	struct perf_event *sibling;

	lockdep_assert_held(&leader->ctx->lock);
	leader->group_caps = leader->event_caps;
	for_each_sibling_event(sibling, leader)
		leader->group_caps &= sibling->event_caps;
}

/*
 * A sibling that lost its leader leads itself, if its kind can. Its time, which stood
 * if the leader was off, passes from now on.
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
			      &sibling->pmu_ctx->pinned_active :
			      &sibling->pmu_ctx->flexible_active);
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
 * perf_group_detach_locked - take an event out of its group
 * @event: leader or sibling, off the PMU
 * @orphan: called for each sibling of @event that cannot live without it, or
 *	acts on its trace, before it is made to lead itself
 *
 * Other siblings go on, each on its own; what was on the PMU stays on.
 *
 * Context: ctx->mutex and ctx->lock.
 */
void perf_group_detach_locked(struct perf_event *event,
			      void (*orphan)(struct perf_event *sibling))
{
	struct perf_event *sibling, *next;

	lockdep_assert_held(&event->ctx->lock);
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
 * perf_group_read_size - bytes that read(2) of a group returns
 * @read_format: PERF_FORMAT_* of the event that is read
 * @nr_members: events in the group, leader included
 *
 * Return: bytes; computed wide, no group makes it wrap.
 */
size_t perf_group_read_size(u64 read_format, unsigned int nr_members)
{
	size_t member = sizeof(u64), size = 0;

	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		size += sizeof(u64);
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		size += sizeof(u64);
	if (read_format & PERF_FORMAT_ID)
		member += sizeof(u64);
	if (read_format & PERF_FORMAT_LOST)
		member += sizeof(u64);
	if (!(read_format & PERF_FORMAT_GROUP))
		return size + member;
	return size + sizeof(u64) + member * nr_members;
}

/**
 * perf_group_set_read_size - refresh an event's read size
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

static bool perf_group_member_fits(const struct perf_event *event,
				   unsigned int nr_members)
{
	return perf_group_read_size(event->attr.read_format, nr_members) <=
	       PERF_GROUP_READ_MAX;
}

/**
 * perf_group_size_fits - would the group stay within limits with this event?
 * @event: event that is to join event->group_leader, not yet a member
 *
 * Every member reads, and may sample, the whole group: all are looked at.
 *
 * Context: ctx->mutex of the leader.
 * Return: false when some member's read would grow too large.
 */
bool perf_group_size_fits(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int nr_members = leader->nr_siblings + 1;

	/* One alone always fits. */
	if (leader == event && nr_members == 1)
		return true;
	if (leader != event)
		nr_members++;
	if (!perf_group_member_fits(event, nr_members))
		return false;
	if (leader == event)
		return true;
	if (!perf_group_member_fits(leader, nr_members))
		return false;
	for_each_sibling_event(sibling, leader) {
		if (!perf_group_member_fits(sibling, nr_members))
			return false;
	}
	return true;
}
