// SPDX-License-Identifier: GPL-2.0
/*
 * Room "swap": tasks with equal events exchange their contexts at a switch.
 *
 * Purpose: a family cannot share contexts if its inherited events count by
 * task. A switch between two such tasks need not reprogram the PMU either: the
 * next task takes over the loaded context, and the previous task gets the next
 * one's context. Counts that belong to a task are exchanged back, so that they
 * stay with their task. The events of equal contexts are paired by their places.
 * Contexts that go back to their tasks may not be equal any more; then their
 * events are paired by their eldest.
 *
 * Owns: ctx->{equal,held,summed,moving}; the exchange of task->perf_event_ctxp and
 * ctx->task.
 *
 * Contexts: task switch; task for the rest.
 *
 * Lifetime: each task's reference on its context, and each context's on its task,
 * change hands with the pointers. Pairs of events belong to the caller, and are
 * valid while it holds both mutexes.
 *
 * Locking: an exchange takes the locks of both contexts. @next runs nowhere, so
 * no CPU takes them in the other order. Three more functions take the locks of
 * two task contexts: perf_swap_mark_equal(), where one of the tasks has never
 * run; perf_swap_unloaded(), which only tries to take the second; and
 * perf_family_replace(), whose second context is no task's. A context that
 * is held (ctx->held) stays with its task.
 *
 * Race, a context is exchanged while an opener wants it for its task:
 *  1. an opener finds the task's context and waits for its mutex;
 *  2. a switch gives the context to another task;
 *  3. the opener has the mutex; perf_swap_hold() takes ctx->lock, sees that the
 *     task has another context, and the opener starts over. If 3 comes before
 *     2, the switch sees that the context is held.
 *
 * Race, counts are exchanged while they are added up:
 *  1. a reader of the eldest has taken the count of one task's copy;
 *  2. a switch exchanges it for that of another task, which has not been read;
 *  3. the reader would add the first count again. So it holds the contexts of
 *     all copies before it reads the first.
 *
 * Race, a context that is held goes back to its task while counts are added up:
 *  1. a reader holds the contexts of some copies;
 *  2. the task that gives contexts back marks them as moving, and waits for
 *     readers that already add up their counts;
 *  3. the reader comes to a context that is moving. It releases those that it
 *     holds, waits for the end of the move, and starts over.
 * Families do not wait for each other: a task that is preempted in 2 or 3 delays
 * only reads, opens and exits in its own family.
 */
#include <linux/atomic.h>
#include <linux/bsearch.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/wait_bit.h>
#include "clock.h"
#include "context.h"
#include "delay.h"
#include "groups.h"
#include "swap.h"

/*
 * ctx->equal is the same number in equal contexts. The lowest bit is set if
 * some counts belong to a task; if it is clear, an exchange of contexts need
 * not visit events.
 */
#define PERF_SWAP_BY_TASK	1
#define PERF_SWAP_NEXT_EQUAL	2

static atomic64_t perf_swap_last_equal;

static bool perf_swap_is_equal(const struct perf_ctx *a,
			       const struct perf_ctx *b)
{
	return a->equal && a->equal == b->equal && a->enabled == b->enabled &&
	       !a->held && !b->held;
}

/* Does the event's count belong to the task, not only to the sum? */
static bool perf_swap_is_by_task(const struct perf_event *event)
{
	return event->attr.inherit_stat ||
	       event->attr.sample_type & PERF_SAMPLE_READ;
}

/* Only an event that was opened may be mapped. */
static void perf_swap_update_page(struct perf_event *event)
{
	if (READ_ONCE(event->rb))
		perf_event_update_userpage(event);
}

/*
 * An overflow between these steps shows one task's count with another's time.
 * Inline: a switch may exchange thousands of counts.
 */
static __always_inline void perf_swap_counts_locked(struct perf_event *on,
						    struct perf_event *off)
{
	lockdep_assert_held(&perf_event_ctx(on)->lock);
	if (on->state == PERF_EVENT_STATE_ACTIVE)
		on->pmu->read(on);
	local64_set(&off->count,
		    local64_xchg(&on->count, local64_read(&off->count)));
	perf_event_time_exchange(on, off);
	/* The state of random periods stays with the running period. */
	if (on->attr.freq) {
		swap(on->hw.freq_count_stamp, off->hw.freq_count_stamp);
		swap(on->hw.freq_time_stamp, off->hw.freq_time_stamp);
	}
	perf_swap_update_page(on);
	perf_swap_update_page(off);
}

static bool perf_swap_are_twins(const struct perf_event *on,
				const struct perf_event *off)
{
	return perf_event_eldest(on) == perf_event_eldest(off) &&
	       on->nr_siblings == off->nr_siblings;
}

/* The list of siblings is a ring that includes the leader. */
static void perf_swap_group_events_locked(struct perf_event *leader,
					  struct perf_event *twin)
{
	struct perf_event *event = leader;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	do {
		/* Debug only: a switch may exchange thousands of events. */
		if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
			WARN_ON_ONCE(!perf_swap_are_twins(event, twin));
		perf_swap_counts_locked(event, twin);
		event = list_next_entry(event, sibling_list);
		twin = list_next_entry(twin, sibling_list);
	} while (event != leader);
}

/* If groups take turns, their service stays with the task, as counts do. */
static void perf_swap_lead_locked(struct perf_event *leader,
				  struct perf_event *twin)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (unlikely(perf_event_pmu_ctx(leader)->nr_waiting |
		     perf_event_pmu_ctx(twin)->nr_waiting))
		perf_group_exchange_lead_locked(leader, twin);
}

/* Either all events of a group count by task or none; see perf_swap_suits(). */
static void perf_swap_group_locked(struct perf_event *leader,
				   struct perf_event *twin)
{
	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (!perf_swap_is_by_task(leader))
		return;
	perf_swap_lead_locked(leader, twin);
	perf_swap_group_events_locked(leader, twin);
}

/* Return: the leader that was added next after @event; NULL at the end. */
static __always_inline struct perf_event *
perf_swap_leader_after(struct perf_ctx *ctx, struct perf_event *event)
{
	list_for_each_entry_continue_reverse(event, &ctx->event_list,
					     event_entry) {
		if (event->group_leader == event)
			return event;
	}
	return NULL;
}

/*
 * Leaders, and the siblings of each leader, have the same order in both
 * contexts: a copy is made leader after leader, sibling after sibling, and an
 * event that comes or goes later ends the equality. The order of event_list may
 * differ, since there siblings are where they were added.
 */
static void perf_swap_all_counts_locked(struct perf_ctx *on,
					struct perf_ctx *off)
{
	struct perf_event *leader, *twin;
	unsigned int seen = 0;

	lockdep_assert_held(&on->lock);
	if (!(on->equal & PERF_SWAP_BY_TASK))
		return;
	perf_ctx_clock_update_locked(on);
	twin = list_entry(&off->event_list, struct perf_event, event_entry);
	list_for_each_entry_reverse(leader, &on->event_list, event_entry) {
		if (leader->group_leader != leader)
			continue;
		twin = perf_swap_leader_after(off, twin);
		if (WARN_ON_ONCE(!twin))
			return;
		perf_swap_group_locked(leader, twin);
		seen += leader->nr_siblings + 1;
		/* Many siblings may follow the last leader in the list. */
		if (seen >= on->nr_events)
			return;
	}
}

static void perf_swap_tasks_locked(struct perf_ctx *ctx,
				   struct perf_ctx *other)
{
	struct task_struct *prev = ctx->pub.task, *next = other->pub.task;

	lockdep_assert_held(&ctx->lock);
	lockdep_assert_held(&other->lock);
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		WARN_ON_ONCE(ctx->family || other->family);
	WRITE_ONCE(ctx->pub.task, next);
	WRITE_ONCE(other->pub.task, prev);
	perf_debug_delay();
	/* Both contexts were complete long before, as RCU readers need. */
	WRITE_ONCE(next->perf_event_ctxp, &ctx->pub);
	WRITE_ONCE(prev->perf_event_ctxp, &other->pub);
}

static bool perf_swap_locked(struct perf_ctx *ctx,
			     struct perf_ctx *other,
			     struct task_struct *next)
{
	lockdep_assert_held(&ctx->lock);
	lockdep_assert_held(&other->lock);
	if (!perf_swap_is_equal(ctx, other) || other->pub.task != next)
		return false;
	perf_swap_all_counts_locked(ctx, other);
	perf_swap_tasks_locked(ctx, other);
	return true;
}

/**
 * perf_swap_try_oncpu() - let the next task take over the loaded context
 * @ctx: context of current, loaded on this CPU
 * @next: task that is switched to
 *
 * Context: task switch, interrupts off, RCU.
 * Return: true if @next has @ctx now; false if @ctx has to be unloaded.
 */
bool perf_swap_try_oncpu(struct perf_ctx *ctx,
			 struct task_struct *next)
{
	struct perf_ctx *other = perf_task_ctx(next);
	bool swapped;

	lockdep_assert_irqs_disabled();
	/* Checked without the locks; perf_swap_locked() checks again. */
	if (!other || !data_race(perf_swap_is_equal(ctx, other)))
		return false;
	perf_debug_delay();
	raw_spin_lock(&ctx->lock);
	raw_spin_lock_nested(&other->lock, SINGLE_DEPTH_NESTING);
	swapped = perf_swap_locked(ctx, other, next);
	raw_spin_unlock(&other->lock);
	raw_spin_unlock(&ctx->lock);
	return swapped;
}

/* An event, and the one of the other context that has the same eldest. */
struct perf_swap_pair {
	struct perf_event		*event;
	/* NULL if the other context has none. */
	struct perf_event		*twin;
};

struct perf_swap_pairs {
	unsigned int			nr;
	struct perf_swap_pair		pair[] __counted_by(nr);
};

/* Called many times for a task with many events. */
static int perf_swap_compare_eldest(const void *a, const void *b)
{
	const struct perf_swap_pair *one = a, *two = b;
	const struct perf_event *eldest = perf_event_eldest(one->event);
	const struct perf_event *other = perf_event_eldest(two->event);

	cond_resched();
	return eldest < other ? -1 : eldest > other;
}

static unsigned int perf_swap_nr_by_task(const struct perf_ctx *ctx)
{
	const struct perf_event *event;
	unsigned int nr = 0;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry)
		nr += perf_swap_is_by_task(event);
	return nr;
}

/* The events of @ctx that count by task, sorted by their eldest. */
static void perf_swap_collect(struct perf_swap_pairs *pairs,
			      const struct perf_ctx *ctx)
{
	struct perf_event *event;
	unsigned int nr = 0;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (perf_swap_is_by_task(event))
			pairs->pair[nr++].event = event;
	}
	sort(pairs->pair, nr, sizeof(pairs->pair[0]), perf_swap_compare_eldest,
	     NULL);
}

static void perf_swap_match(struct perf_swap_pairs *pairs,
			    const struct perf_ctx *other)
{
	struct perf_swap_pair key = { }, *found;

	lockdep_assert_held(&other->mutex);
	list_for_each_entry(key.event, &other->event_list, event_entry) {
		found = bsearch(&key, pairs->pair, pairs->nr,
				sizeof(pairs->pair[0]),
				perf_swap_compare_eldest);
		if (found)
			found->twin = key.event;
	}
}

/*
 * It does not change while both mutexes are held. The equal of a new copy changes
 * under the mutex of the other context only, but no task has found it yet.
 */
static bool perf_swap_pairs_by_place(const struct perf_ctx *a,
				     const struct perf_ctx *b)
{
	return a->equal && a->equal == b->equal;
}

/**
 * perf_swap_find_pairs() - pair the events of two contexts that are not equal
 * @a: context; held
 * @b: context; held
 *
 * When a leader is closed, its siblings become leaders. Their places among the
 * leaders differ then, because a copy of a context lists siblings behind their
 * leader. While an event is being closed, one context may have lost it, and the
 * other may not. So events are paired by their eldest.
 *
 * Context: task; may sleep. Both ctx->mutex, for as long as the pairs are used.
 * Return: pairs of the events that count by task, which the caller frees with
 * kvfree(); NULL if there are none, if the contexts are equal, so that their
 * events can be paired by their places, or without memory.
 */
struct perf_swap_pairs *perf_swap_find_pairs(const struct perf_ctx *a,
					     const struct perf_ctx *b)
{
	struct perf_swap_pairs *pairs;
	unsigned int nr;

	lockdep_assert_held(&a->mutex);
	lockdep_assert_held(&b->mutex);
	if (perf_swap_pairs_by_place(a, b))
		return NULL;
	nr = perf_swap_nr_by_task(a);
	if (!nr)
		return NULL;
	pairs = kvzalloc(struct_size(pairs, pair, nr),
			 GFP_KERNEL | __GFP_NOWARN);
	if (!pairs)
		return NULL;
	pairs->nr = nr;
	perf_swap_collect(pairs, a);
	perf_swap_match(pairs, b);
	return pairs;
}

/*
 * A group's service is its running time and an offset. If both events lead, they
 * exchange their leads. If only one leads, its group keeps its service.
 */
static void perf_swap_pair_locked(struct perf_event *event,
				  struct perf_event *twin)
{
	bool lead = event->group_leader == event && twin->group_leader == twin;
	s64 longer = event->total_time_running - twin->total_time_running;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	lockdep_assert_held(&perf_event_ctx(twin)->lock);
	if (lead) {
		perf_swap_lead_locked(event, twin);
	} else {
		event->group_start += longer;
		twin->group_start -= longer;
	}
	perf_swap_counts_locked(event, twin);
}

static void perf_swap_all_pairs_locked(const struct perf_swap_pairs *pairs)
{
	lockdep_assert_held(&perf_event_ctx(pairs->pair[0].event)->lock);
	for (unsigned int i = 0; i < pairs->nr; i++) {
		if (pairs->pair[i].twin)
			perf_swap_pair_locked(pairs->pair[i].event,
					      pairs->pair[i].twin);
	}
}

static bool perf_swap_unloaded_locked(struct perf_ctx *a, struct perf_ctx *b,
				      const struct perf_swap_pairs *pairs)
{
	lockdep_assert_held(&a->lock);
	lockdep_assert_held(&b->lock);
	if (a->loaded_cpu != PERF_CPU_NONE || b->loaded_cpu != PERF_CPU_NONE)
		return false;
	if (perf_swap_pairs_by_place(a, b))
		perf_swap_all_counts_locked(a, b);
	else if (pairs)
		perf_swap_all_pairs_locked(pairs);
	perf_swap_tasks_locked(a, b);
	return true;
}

/**
 * perf_swap_unloaded() - exchange the contexts of two tasks that do not run
 * @a: context; held
 * @b: context; held
 * @pairs: what perf_swap_find_pairs() returned for @a and @b; not used if they
 *	are equal
 *
 * Both contexts were equal when a switch exchanged them. They may have come
 * apart since: an event without a twin keeps its count, so that the sum over
 * all tasks is right. That also holds if there was no memory for pairs.
 *
 * Context: interrupts off; between perf_swap_begin_move() and its counterpart.
 * Return: true if exchanged; false if one is loaded, or its lock is held
 * (perhaps by a switch that checks both).
 */
bool perf_swap_unloaded(struct perf_ctx *a, struct perf_ctx *b,
			const struct perf_swap_pairs *pairs)
{
	bool swapped;

	lockdep_assert_irqs_disabled();
	guard(raw_spinlock)(&a->lock);
	/* A switch may take the two locks in the other order. */
	if (!raw_spin_trylock(&b->lock))
		return false;
	swapped = perf_swap_unloaded_locked(a, b, pairs);
	raw_spin_unlock(&b->lock);
	return swapped;
}

/**
 * perf_swap_hold() - keep a context with its task
 * @ctx: context that was found for @task
 * @task: task
 *
 * Context: task; ctx->mutex, until perf_swap_release().
 * Return: true if @task has @ctx and keeps it; false if @task has another one.
 */
bool perf_swap_hold(struct perf_ctx *ctx, struct task_struct *task)
{
	lockdep_assert_held(&ctx->mutex);
	guard(raw_spinlock_irq)(&ctx->lock);
	if (perf_task_ctx(task) != ctx)
		return false;
	ctx->held++;
	return true;
}

/**
 * perf_swap_release() - undo perf_swap_hold()
 * @ctx: context
 *
 * Context: task, ctx->mutex.
 */
void perf_swap_release(struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	guard(raw_spinlock_irq)(&ctx->lock);
	if (!WARN_ON_ONCE(!ctx->held))
		ctx->held--;
}

static bool perf_swap_begin_sum(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx(event);

	guard(raw_spinlock_irq)(&ctx->lock);
	if (ctx->moving)
		return false;
	ctx->held++;
	ctx->summed++;
	return true;
}

static void perf_swap_end_sum(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx(event);
	bool last;

	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		ctx->held--;
		ctx->summed--;
		last = !ctx->summed && ctx->moving;
	}
	if (!last)
		return;
	smp_mb(); /* the number is written before the queue is checked */
	wake_up_var(ctx);
}

static void perf_swap_release_copies(struct perf_event *eldest)
{
	struct perf_event *child;

	lockdep_assert_held(&eldest->child_mutex);
	perf_swap_end_sum(eldest);
	list_for_each_entry(child, &eldest->child_list, child_list)
		perf_swap_end_sum(child);
}

/* Return: NULL if all are held; else one that is moving, and none is held. */
static struct perf_ctx *
perf_swap_hold_copies(struct perf_event *eldest)
{
	struct perf_ctx *moving;
	struct perf_event *child;

	lockdep_assert_held(&eldest->child_mutex);
	if (!perf_swap_begin_sum(eldest))
		return perf_event_ctx(eldest);
	list_for_each_entry(child, &eldest->child_list, child_list) {
		if (!perf_swap_begin_sum(child))
			goto undo;
	}
	return NULL;

undo:
	moving = perf_event_ctx(child);
	list_for_each_entry_continue_reverse(child, &eldest->child_list,
					     child_list)
		perf_swap_end_sum(child);
	perf_swap_end_sum(eldest);
	return moving;
}

/*
 * The mover of the context needs no lock that the caller holds. Readers wait
 * until ctx->moving is cleared, movers until ctx->summed is 0; both wait for
 * the context's address.
 */
static void perf_swap_wait_for_move(struct perf_ctx *ctx)
{
	wait_var_event(ctx, !READ_ONCE(ctx->moving));
}

/* Does an exchange of contexts exchange counts of the group? */
static bool perf_swap_moves_counts(struct perf_event *leader)
{
	struct perf_event *sibling;

	if (!leader->attr.inherit)
		return false;
	if (perf_swap_is_by_task(leader))
		return true;
	for_each_sibling_event(sibling, leader) {
		if (perf_swap_is_by_task(sibling))
			return true;
	}
	return false;
}

/**
 * perf_swap_hold_counts() - keep counts in their copies while all are visited
 * @eldest: event that was opened
 *
 * Otherwise, after an exchange between the reads of two copies, the sum would
 * have one task's count twice and another's not at all. In the same way a count
 * would escape a reset. Waits for moves of these contexts.
 *
 * Context: task, ctx->mutex and child_mutex of @eldest, until
 * perf_swap_release_counts().
 */
void perf_swap_hold_counts(struct perf_event *eldest)
{
	struct perf_ctx *moving;

	lockdep_assert_held(&eldest->child_mutex);
	if (!perf_swap_moves_counts(eldest->group_leader))
		return;
	while ((moving = perf_swap_hold_copies(eldest)))
		perf_swap_wait_for_move(moving);
}

/**
 * perf_swap_release_counts() - undo perf_swap_hold_counts()
 * @eldest: event that was opened
 *
 * Context: task, with the same mutexes.
 */
void perf_swap_release_counts(struct perf_event *eldest)
{
	if (perf_swap_moves_counts(eldest->group_leader))
		perf_swap_release_copies(eldest);
}

/* The same for the copies of all events of a group. */
static struct perf_ctx *
perf_swap_hold_events(struct perf_event *leader)
{
	struct perf_ctx *moving = perf_swap_hold_copies(leader);
	struct perf_event *sibling;

	if (moving)
		return moving;
	for_each_sibling_event(sibling, leader) {
		moving = perf_swap_hold_copies(sibling);
		if (moving)
			goto undo;
	}
	return NULL;

undo:
	list_for_each_entry_continue_reverse(sibling, &leader->sibling_list,
					     sibling_list)
		perf_swap_release_copies(sibling);
	perf_swap_release_copies(leader);
	return moving;
}

/**
 * perf_swap_hold_group() - keep the counts of a group in their copies
 * @leader: leader that was opened
 *
 * Context: task, ctx->mutex and child_mutex of all its events, until
 * perf_swap_release_group().
 */
void perf_swap_hold_group(struct perf_event *leader)
{
	struct perf_ctx *moving;

	lockdep_assert_held(&leader->child_mutex);
	if (!perf_swap_moves_counts(leader))
		return;
	while ((moving = perf_swap_hold_events(leader)))
		perf_swap_wait_for_move(moving);
}

/**
 * perf_swap_release_group() - undo perf_swap_hold_group()
 * @leader: leader that was opened
 *
 * Context: task, with the same mutexes.
 */
void perf_swap_release_group(struct perf_event *leader)
{
	struct perf_event *sibling;

	if (!perf_swap_moves_counts(leader))
		return;
	perf_swap_release_copies(leader);
	for_each_sibling_event(sibling, leader)
		perf_swap_release_copies(sibling);
}

static void perf_swap_set_moving(struct perf_ctx *ctx, bool moving)
{
	guard(raw_spinlock_irq)(&ctx->lock);
	ctx->moving = moving;
}

/**
 * perf_swap_begin_move() - keep readers from adding up counts of two contexts
 * @a: context that will be exchanged; held
 * @b: the other one; held
 *
 * Waits for readers that have begun; readers that come later wait for
 * perf_swap_end_move(). If no count belongs to a task, nothing waits.
 *
 * Context: task; both ctx->mutex until perf_swap_end_move(), no child_mutex.
 */
void perf_swap_begin_move(struct perf_ctx *a,
			  struct perf_ctx *b)
{
	lockdep_assert_held(&a->mutex);
	lockdep_assert_held(&b->mutex);
	perf_swap_set_moving(a, true);
	perf_swap_set_moving(b, true);
	wait_var_event(a, !READ_ONCE(a->summed));
	wait_var_event(b, !READ_ONCE(b->summed));
}

/**
 * perf_swap_end_move() - undo perf_swap_begin_move()
 * @a: context
 * @b: context
 *
 * Context: task, both ctx->mutex.
 */
void perf_swap_end_move(struct perf_ctx *a,
			struct perf_ctx *b)
{
	lockdep_assert_held(&a->mutex);
	lockdep_assert_held(&b->mutex);
	perf_swap_set_moving(a, false);
	perf_swap_set_moving(b, false);
	smp_mb(); /* the marks are written before the queues are checked */
	wake_up_var(a);
	wake_up_var(b);
}

/**
 * perf_swap_suits() - check whether an event's counts allow exchanges
 * @event: event
 *
 * A sample of one event shows the counts of the whole group. Either all of them
 * belong to the task, or the context is not exchanged.
 *
 * Context: ctx->mutex, for the group.
 * Return: false if only some events of the group count by task.
 */
bool perf_swap_suits(const struct perf_event *event)
{
	return perf_swap_is_by_task(event) ==
	       perf_swap_is_by_task(event->group_leader);
}

/**
 * perf_swap_end_equal() - stop exchanging a context at switches
 * @ctx: context
 *
 * Exchanges begin again when a fork copies it.
 *
 * Context: task, ctx->mutex.
 */
void perf_swap_end_equal(struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	guard(raw_spinlock_irq)(&ctx->lock);
	ctx->equal = 0;
}

static u64 perf_swap_new_equal(struct perf_ctx *ctx)
{
	u64 equal = atomic64_add_return(PERF_SWAP_NEXT_EQUAL,
					&perf_swap_last_equal);
	struct perf_event *event;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (perf_swap_is_by_task(event))
			return equal | PERF_SWAP_BY_TASK;
	}
	return equal;
}

/**
 * perf_swap_mark_equal() - mark a context and its copy as equal
 * @ctx: context that was copied; held since before the copying
 * @copy: its copy, of a task that never ran
 *
 * A copy that has lost an event meanwhile is not equal.
 *
 * Context: task, ctx->mutex.
 */
void perf_swap_mark_equal(struct perf_ctx *ctx,
			  struct perf_ctx *copy)
{
	u64 equal = READ_ONCE(ctx->equal) ?: perf_swap_new_equal(ctx);

	lockdep_assert_held(&ctx->mutex);
	guard(raw_spinlock_irq)(&ctx->lock);
	ctx->equal = equal;
	guard(raw_spinlock_nested)(&copy->lock);
	copy->equal = copy->nr_events == ctx->nr_events ? ctx->equal : 0;
}
