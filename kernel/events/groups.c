// SPDX-License-Identifier: GPL-2.0
/*
 * Room "groups": the order in which groups are considered, who belongs to a
 * group, and how large a group may become.
 *
 * Purpose: each PMU's part of a context has two trees of group leaders, one
 * pinned, one flexible. A tree is sorted by CPU (-1: any), then by the service
 * that groups have received compared with their share, then by creation.
 * Service counts in quarters of an interval of multiplexing: coarse enough for
 * groups which a tool opened side by side to stay equals when a turn is a little
 * late, fine enough for nobody to have two turns before others have had one.
 *
 * Owns: event->{group_node,group_order,group_service,group_leader,sibling_list,
 * nr_siblings,group_caps,group_generation,read_size,cgroup_entry}; both trees and the
 * ranks of a pmu context; event->migrate_entry of its flexible leaders.
 *
 * Lifetime: a leader is in a tree while it belongs to a context; one that counts
 * for a cgroup, while the cgroup runs as well. What is in a tree may be put on.
 * A sibling that left its group leads itself; its sibling_list points to itself.
 *
 * Locking: ctx->lock and ctx->mutex to change, either to read. With interrupts
 * off the CPU that has the context loaded may read as well.
 */
#include <linux/hash.h>
#include <linux/math64.h>
#include <linux/rbtree.h>
#include "clock.h"
#include "groups.h"

/* Does @a come before @b among groups that may run on the same CPU? */
static bool perf_group_before(const struct perf_event *a,
			      const struct perf_event *b)
{
	if (a->group_service != b->group_service)
		return a->group_service < b->group_service;
	return a->group_order < b->group_order;
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

static struct perf_event *perf_group_successor(struct perf_event *event)
{
	struct rb_node *node = rb_next(&event->group_node);

	if (!node || to_leader(node)->cpu != event->cpu)
		return NULL;
	return to_leader(node);
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
 * @cursor: state of the walk
 *
 * Context: as perf_group_first().
 * Return: leader or NULL at the end.
 */
struct perf_event *perf_group_step(struct perf_group_cursor *cursor)
{
	struct perf_event **from = &cursor->any, *leader = *from;

	/* Mostly all are for any CPU. */
	if (likely(leader && !cursor->here)) {
		cursor->any = perf_group_successor(leader);
		return leader;
	}
	if (!*from || (cursor->here && perf_group_before(cursor->here, *from)))
		from = &cursor->here;
	leader = *from;
	if (leader)
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

/* Pinned groups take no turns. */
static void perf_group_join_ranks_locked(struct perf_event *leader)
{
	struct perf_group_ranks *ranks = &leader->pmu_ctx->ranks;

	lockdep_assert_held(&leader->ctx->lock);
	if (leader->attr.pinned)
		return;
	list_add_tail(&leader->migrate_entry, &ranks->rest);
	ranks->nr++;
}

static void perf_group_leave_ranks_locked(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	/* A sibling that has just left its group is not there. */
	if (leader->attr.pinned || list_empty(&leader->migrate_entry))
		return;
	list_del_init(&leader->migrate_entry);
	leader->pmu_ctx->ranks.nr--;
}

/**
 * perf_group_insert_locked - list a leader among the groups of its context
 * @leader: leader that is in no tree; it has its share, and comes last of those
 *	who have it as well
 *
 * Context: ctx->lock.
 */
void perf_group_insert_locked(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	leader->group_order = ++leader->pmu_ctx->group_order;
	leader->group_service = 0;
	perf_group_join_cgroup(leader);
	perf_group_join_ranks_locked(leader);
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
	perf_group_leave_ranks_locked(leader);
	perf_group_leave_cgroup(leader);
}

/*
 * Nanoseconds enabled and on the PMU, for an inherited group with what its
 * family has had: the threads of a family live too short for a fair share of
 * their own.
 *
 * The eldest's may change meanwhile, on another CPU. Where a word has 32 bits the
 * two halves may then be of different moments, which costs a group one turn.
 */
static void perf_group_service_times(const struct perf_event *leader,
				     u64 *enabled, u64 *running)
{
	const struct perf_event *eldest = leader->parent ?: leader;

	*enabled = leader->total_time_enabled +
		   atomic64_read(&eldest->child_total_time_enabled);
	*running = leader->total_time_running +
		   atomic64_read(&eldest->child_total_time_running);
	if (eldest != leader) {
		*enabled += READ_ONCE(eldest->total_time_enabled);
		*running += READ_ONCE(eldest->total_time_running);
	}
	/* A child may be added to the sums between the two. */
	*running = min(*running, *enabled);
}

/*
 * Nanoseconds ahead of a share, negative behind it, in steps: the nearest. If
 * what is left over were dropped, all within a step of their share on either
 * side would be equals, and the first of them would have two turns running.
 */
static s64 perf_group_steps(s64 ahead, s64 step)
{
	s64 half = step / 2;

	return div64_s64(ahead + (ahead < 0 ? -half : half), step);
}

/* So many groups at a time are ranked besides those that ran. */
#define PERF_GROUP_PORTION	64

/**
 * perf_group_ran_locked - the flexible groups that are on have to be ranked next time
 * @epc: a PMU's part of a context
 *
 * Few groups are all ranked each time.
 *
 * Context: ctx->lock.
 */
void perf_group_ran_locked(struct perf_event_pmu_context *epc)
{
	struct perf_event *leader;

	lockdep_assert_held(&epc->ctx->lock);
	if (likely(epc->ranks.nr <= PERF_GROUP_PORTION))
		return;
	list_for_each_entry(leader, &epc->flexible_active, active_list)
		list_move_tail(&leader->migrate_entry, &epc->ranks.ran);
}

static bool perf_group_may_run(const struct perf_event *leader, int cpu)
{
	return (leader->cpu == -1 || leader->cpu == cpu) &&
	       perf_group_is_shown(leader);
}

/*
 * A context that was copied may live for one choice. Those that are looked at in
 * it are therefore any of the family's groups.
 */
static void perf_group_begin_anywhere(struct perf_group_ranks *ranks)
{
	struct list_head *first = ranks->rest.next;
	unsigned int pass = hash_64(perf_clock(), 32) % ranks->nr;

	while (pass-- && !list_is_last(first, &ranks->rest))
		first = first->next;
	list_rotate_to_front(first, &ranks->rest);
}

/* Those that ran, and some of the others, those that have waited longest for it. */
static void perf_group_take_portion(struct perf_group_ranks *ranks,
				    struct list_head *portion)
{
	struct list_head *last = &ranks->rest;
	unsigned int left = PERF_GROUP_PORTION;

	if (ranks->nr > left && !ranks->all_enabled && !list_empty(last))
		perf_group_begin_anywhere(ranks);
	while (left-- && !list_is_last(last, &ranks->rest))
		last = last->next;
	list_cut_position(portion, &ranks->rest, last);
	list_splice_init(&ranks->ran, portion);
}

/*
 * Adds the times of a portion to those of the portions before it. With the last of
 * all groups the sums are complete; until they are so for the first time, those of some
 * have to do.
 */
static void perf_group_sum_times(struct perf_group_ranks *ranks,
				 struct list_head *portion, int cpu)
{
	struct perf_event *leader;
	u64 enabled, running;

	list_for_each_entry(leader, portion, migrate_entry) {
		ranks->seen++;
		if (!perf_group_may_run(leader, cpu))
			continue;
		perf_event_time_update(leader);
		perf_group_service_times(leader, &enabled, &running);
		ranks->seen_enabled += enabled;
		ranks->seen_running += running;
	}
	if (ranks->seen < ranks->nr && ranks->all_enabled)
		return;
	ranks->all_enabled = ranks->seen_enabled;
	ranks->all_running = ranks->seen_running;
	if (ranks->seen < ranks->nr)
		return;
	ranks->seen = 0;
	ranks->seen_enabled = 0;
	ranks->seen_running = 0;
}

static s64 perf_group_service(const struct perf_event *leader, u64 interval)
{
	const struct perf_group_ranks *ranks = &leader->pmu_ctx->ranks;
	u64 enabled, running, share;

	perf_group_service_times(leader, &enabled, &running);
	share = mul_u64_u64_div_u64(enabled, ranks->all_running,
				    ranks->all_enabled);
	return perf_group_steps(running - share, interval / 4);
}

static void perf_group_rank_portion_locked(struct list_head *portion, int cpu,
					   u64 interval)
{
	struct perf_event *leader;
	s64 service;

	list_for_each_entry(leader, portion, migrate_entry) {
		lockdep_assert_held(&leader->ctx->lock);
		if (!perf_group_may_run(leader, cpu))
			continue;
		service = perf_group_service(leader, interval);
		if (service == leader->group_service)
			continue;
		perf_group_hide_locked(leader);
		leader->group_service = service;
		perf_group_show_locked(leader);
	}
}

/**
 * perf_group_rank_locked - bring groups into the order of service received
 * @epc: flexible groups of one PMU and context, whose clock is up to date
 * @cpu: this CPU; groups of others stay where they are
 * @interval: of multiplexing, nanoseconds
 *
 * A group's share is its enabled time times the ratio of running to enabled
 * time over all groups; what it has run beyond that is its service, in quarters
 * of an interval.
 *
 * Of many groups a portion is ranked at a time, with those that ran. The service of the
 * others falls behind by the share of so many intervals as there are portions: the
 * more groups there are, the smaller is the share, and the two cancel out. With
 * eight counters it is half a quarter of an interval.
 *
 * Context: ctx->lock.
 */
void perf_group_rank_locked(struct perf_event_pmu_context *epc, int cpu,
			    u64 interval)
{
	struct perf_group_ranks *ranks = &epc->ranks;
	LIST_HEAD(portion);

	lockdep_assert_held(&epc->ctx->lock);
	perf_group_take_portion(ranks, &portion);
	perf_group_sum_times(ranks, &portion, cpu);
	if (ranks->all_enabled)
		perf_group_rank_portion_locked(&portion, cpu, interval);
	list_splice_tail(&portion, &ranks->rest);
}

/**
 * perf_group_forget_times_locked - the groups that come next start from nothing
 * @epc: a PMU's part of a context, without groups
 *
 * Context: ctx->lock.
 */
void perf_group_forget_times_locked(struct perf_event_pmu_context *epc)
{
	struct perf_group_ranks *ranks = &epc->ranks;

	lockdep_assert_held(&epc->ctx->lock);
	ranks->seen = 0;
	ranks->seen_enabled = 0;
	ranks->seen_running = 0;
	ranks->all_enabled = 0;
	ranks->all_running = 0;
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
