/* SPDX-License-Identifier: GPL-2.0 */
/* Room "groups": order of groups, sibling lists, size limits. */
#ifndef _KERNEL_EVENTS_GROUPS_H
#define _KERNEL_EVENTS_GROUPS_H

#include <linux/rbtree.h>
#include "types.h"

/* Largest read of a group, bytes; samples have room for one such read. */
#define PERF_GROUP_READ_MAX	(16 * 1024)

/* Walks the groups that may run on @cpu in order: any-CPU and @cpu merged. */
struct perf_group_cursor {
	struct perf_event	*any;	/* next with event->cpu == -1 */
	struct perf_event	*here;	/* next with event->cpu == cpu */
};

struct perf_event *perf_group_first(struct perf_group_cursor *cursor,
				    struct perf_group_tree *tree, int cpu);
struct perf_event *perf_group_step(struct perf_group_cursor *cursor);

/* The next group of the same CPU or NULL. */
static inline struct perf_event *
perf_group_successor(const struct perf_event *leader)
{
	struct rb_node *node = rb_next(&leader->group_node);
	struct perf_event *next;

	if (!node)
		return NULL;
	next = rb_entry(node, struct perf_event, group_node);
	return next->cpu == leader->cpu ? next : NULL;
}

/* Return: leader or NULL at the end. */
static inline struct perf_event *
perf_group_next(struct perf_group_cursor *cursor)
{
	struct perf_event *leader = cursor->any;

	/* Usually all groups are for any CPU. */
	if (unlikely(cursor->here))
		return perf_group_step(cursor);
	if (leader)
		cursor->any = perf_group_successor(leader);
	return leader;
}

#define perf_group_for_each(leader, cursor, tree, cpu)			\
	for ((leader) = perf_group_first(&(cursor), (tree), (cpu));	\
	     (leader); (leader) = perf_group_next(&(cursor)))

/* Trees of leaders; the tree follows from leader->pmu_ctx and attr.pinned. */
bool perf_group_tree_is_bound(const struct perf_group_tree *tree);
struct perf_group_tree *perf_group_tree_of(struct perf_event *leader);
void perf_group_insert_locked(struct perf_event *leader);
void perf_group_erase_locked(struct perf_event *leader);
void perf_group_show_locked(struct perf_event *leader);
void perf_group_hide_locked(struct perf_event *leader);

/* If false, its cgroup does not run here, and it must not be scheduled in. */
static inline bool perf_group_is_shown(const struct perf_event *leader)
{
	return !RB_EMPTY_NODE(&leader->group_node);
}

void perf_group_leave_turn_locked(struct perf_event *leader, s64 left);
void perf_group_settle_locked(struct perf_event *leader);

/**
 * perf_group_return_locked() - count only the part of a turn that was not used
 * @leader: leader that is about to be enabled, is scheduled in again, or whose
 *	cgroup stops running
 *
 * If the group comes back before its turn has ended, the time that is left of
 * the turn does not count. If the turn has ended early, the time after its end
 * does not count. If the cgroup of the group stops running, other groups get
 * the counters, and the rest of the turn does not count either.
 *
 * Context: ctx->lock, clock up to date.
 */
static inline void perf_group_return_locked(struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (unlikely(leader->left_turn))
		perf_group_settle_locked(leader);
}

/* The group is in the present choice; what it left in an older one stays. */
static inline void perf_group_choose_locked(struct perf_event *leader)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	leader->group_choice = perf_event_pmu_ctx(leader)->choice;
	leader->left_turn = false;
}

void perf_group_renew_locked(struct perf_event *leader);

/**
 * perf_group_enable_locked() - give a group its place when it is enabled
 * @leader: event that is about to be enabled; nothing happens for a sibling
 *
 * A group that was never enabled begins now, and not when it was opened. If it
 * kept the service of that time, it would come before groups that have waited
 * since. A group that was enabled before keeps its service, which includes the
 * turn that it left.
 *
 * Context: ctx->lock; the clock of the context is up to date.
 */
static inline void perf_group_enable_locked(struct perf_event *leader)
{
	const struct perf_pmu_ctx *epc = perf_event_pmu_ctx(leader);

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	/* A sibling that is enabled does not bring its group back. */
	if (leader->group_leader == leader)
		perf_group_return_locked(leader);
	if (leader->total_time_enabled)
		return;
	/* Most groups that are enabled at one moment have their place. */
	if (epc->most_at != epc->ctx->time || epc->nr_waiting ||
	    epc->most_service > leader->group_service)
		perf_group_renew_locked(leader);
}

/* Order among flexible groups. */
void perf_group_rank_locked(struct perf_pmu_ctx *epc, int cpu,
			    u64 interval);
void perf_group_served_locked(struct perf_pmu_ctx *epc);
void perf_group_put_off_locked(struct perf_event *leader);
bool perf_group_begin_copies(struct perf_event *leader);
void perf_group_compare_copies(const struct perf_event *leader);
void perf_group_start_copies(const struct perf_event *leader);

/*
 * Return: whether the choice was made on another CPU, and groups that it left
 * out may fit here.
 */
static inline bool perf_group_chosen_elsewhere(const struct perf_pmu_ctx *epc)
{
	return epc->chosen_cpu != PERF_CPU_NONE &&
	       epc->chosen_cpu != raw_smp_processor_id();
}

void perf_group_exchange_lead_locked(struct perf_event *leader,
				     struct perf_event *twin);

/* True if the event cannot count without the leader that it was opened with. */
static inline bool perf_event_needs_leader(const struct perf_event *event)
{
	return event->event_caps & PERF_EV_CAP_SIBLING ||
	       event->attr.aux_output;
}

/* Sibling lists. */
void perf_group_attach_locked(struct perf_event *event);
void perf_group_detach_locked(struct perf_event *event,
			      void (*orphan)(struct perf_event *sibling));
void perf_group_refresh_caps_locked(struct perf_event *leader);

/* Sizes. */
size_t perf_group_read_size(u64 read_format, unsigned int nr_events);
void perf_group_set_read_size(struct perf_event *event);
bool perf_group_all_fit(struct perf_event *event);

/**
 * perf_group_size_fits() - check whether an event fits into its leader's group
 * @event: event that is about to join event->group_leader
 *
 * Each event of a group can read, and may sample, the whole group. So the size
 * is checked for all of them.
 *
 * Context: ctx->mutex of the leader.
 * Return: false if the read of any event of the group would become too large.
 */
static inline bool perf_group_size_fits(struct perf_event *event)
{
	/* An event without a group always fits. */
	return (event->group_leader == event && !event->nr_siblings) ||
	       perf_group_all_fit(event);
}

#endif /* _KERNEL_EVENTS_GROUPS_H */
