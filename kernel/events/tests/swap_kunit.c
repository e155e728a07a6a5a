// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room swap: which contexts are exchanged, and what goes with the
 * tasks. family_kunit.c and member_kunit.c have tasks that switch.
 *
 * Each case has two tasks with equal contexts of one event. Current is one of
 * them, or both are children that sleep.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../context.h"
#include "../groups.h"
#include "../swap.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000

static struct fake_pmu fake;

static int swap_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_swap");
}

static void swap_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void swap_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int swap_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, swap_test_check_idle, test);
}

static struct perf_event *swap_test_open(struct kunit *test,
					 struct perf_event *leader)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = true,
		.leader = leader,
	};

	return fake_pmu_open(test, &fake, &spec);
}

static struct test_task *swap_test_fork(struct kunit *test)
{
	struct test_task *child = test_task_fork(test, NULL);

	test_task_wait_asleep(child);
	return child;
}

/* What an event has that belongs to its task. */
struct swap_test_own {
	u64	count;
	u64	enabled;
	u64	running;
	u64	freq_count;
	u64	freq_time;
};

static void swap_test_set(struct perf_event *event,
			  const struct swap_test_own *own)
{
	guard(raw_spinlock_irqsave)(&perf_event_ctx(event)->lock);
	local64_set(&event->count, own->count);
	event->total_time_enabled = own->enabled;
	event->total_time_running = own->running;
	event->hw.freq_count_stamp = own->freq_count;
	event->hw.freq_time_stamp = own->freq_time;
}

/* Times of a task that runs go on. */
static void swap_test_expect_own(struct kunit *test,
				 const struct perf_event *event,
				 const struct swap_test_own *own)
{
	KUNIT_EXPECT_EQ(test, (u64)local64_read(&event->count), own->count);
	KUNIT_EXPECT_GE(test, event->total_time_enabled, own->enabled);
	KUNIT_EXPECT_GE(test, event->total_time_running, own->running);
	KUNIT_EXPECT_LT(test, event->total_time_enabled, 2 * own->enabled);
	KUNIT_EXPECT_LT(test, event->total_time_running, 2 * own->running);
	KUNIT_EXPECT_EQ(test, event->hw.freq_count_stamp, own->freq_count);
	KUNIT_EXPECT_EQ(test, event->hw.freq_time_stamp, own->freq_time);
}

#define HOUR	(3600ULL * NSEC_PER_SEC)

static const struct swap_test_own swap_test_first = { 5, HOUR, HOUR / 2, 11, 12 };
static const struct swap_test_own swap_test_second = { 700, 8 * HOUR, 4 * HOUR, 21, 22 };

static void swap_test_expect_has(struct kunit *test, struct task_struct *task,
				 struct perf_ctx *ctx)
{
	KUNIT_EXPECT_PTR_EQ(test, perf_task_ctx(task), ctx);
	KUNIT_EXPECT_PTR_EQ(test, ctx->pub.task, task);
}

/* Only for an exchange: events that were opened so are counted elsewhere. */
static void swap_test_set_freq(struct perf_event *one, struct perf_event *two,
			       bool freq)
{
	one->attr.freq = freq;
	two->attr.freq = freq;
}

/* A switch from current to a child: its context stays loaded for the child. */
static void swap_test_switch_exchanges(struct kunit *test)
{
	struct perf_ctx *ctx, *other;
	struct perf_event *mine, *theirs;
	struct test_task *child;
	struct swap_test_own on, off;
	bool there, back;

	swap_test_open(test, NULL);
	child = swap_test_fork(test);
	/* A switch may have exchanged the contexts: either may have the opened event. */
	ctx = perf_task_ctx(current);
	other = perf_task_ctx(child->task);
	mine = test_newest_event(ctx);
	theirs = test_newest_event(other);
	scoped_guard(rcu) {
		guard(irqsave)();
		swap_test_set_freq(mine, theirs, true);
		swap_test_set(mine, &swap_test_first);
		swap_test_set(theirs, &swap_test_second);
		there = perf_swap_try_oncpu(ctx, child->task);
		on = (struct swap_test_own) { .count = local64_read(&mine->count),
			.freq_count = mine->hw.freq_count_stamp };
		off = (struct swap_test_own) { .count = local64_read(&theirs->count),
			.freq_count = theirs->hw.freq_count_stamp };
		back = perf_swap_try_oncpu(ctx, current);
		swap_test_set_freq(mine, theirs, false);
	}
	KUNIT_EXPECT_TRUE(test, there);
	KUNIT_EXPECT_TRUE(test, back);
	KUNIT_EXPECT_EQ(test, on.count, swap_test_second.count);
	KUNIT_EXPECT_EQ(test, on.freq_count, swap_test_second.freq_count);
	KUNIT_EXPECT_EQ(test, off.count, swap_test_first.count);
	KUNIT_EXPECT_EQ(test, off.freq_count, swap_test_first.freq_count);
	swap_test_expect_own(test, mine, &swap_test_first);
	swap_test_expect_own(test, theirs, &swap_test_second);
	swap_test_expect_has(test, current, ctx);
	swap_test_expect_has(test, child->task, other);
}

static void swap_test_lock(struct perf_ctx *a, struct perf_ctx *b)
{
	mutex_lock(&a->mutex);
	mutex_lock_nested(&b->mutex, SINGLE_DEPTH_NESTING);
}

static void swap_test_unlock(struct perf_ctx *a, struct perf_ctx *b)
{
	mutex_unlock(&b->mutex);
	mutex_unlock(&a->mutex);
}

static bool swap_test_exchange_pairs(struct perf_ctx *a, struct perf_ctx *b,
				     const struct perf_swap_pairs *pairs)
{
	guard(irqsave)();
	return perf_swap_unloaded(a, b, pairs);
}

/* As in an exchange of contexts of tasks that do not run. */
static bool swap_test_exchange(struct perf_ctx *a, struct perf_ctx *b)
{
	struct perf_swap_pairs *pairs;
	bool swapped;

	swap_test_lock(a, b);
	pairs = perf_swap_find_pairs(a, b);
	swapped = swap_test_exchange_pairs(a, b, pairs);
	swap_test_unlock(a, b);
	kvfree(pairs);
	return swapped;
}

/* As when an event of the context was closed. */
static void swap_test_end_equal(struct perf_ctx *ctx)
{
	guard(mutex)(&ctx->mutex);
	perf_swap_end_equal(ctx);
}

/* Contexts of tasks that sleep; the tasks keep their counts. */
static void swap_test_unloaded_exchange(struct kunit *test)
{
	struct perf_ctx *a, *b;
	struct test_task *one, *two;

	swap_test_open(test, NULL);
	one = swap_test_fork(test);
	two = swap_test_fork(test);
	a = perf_task_ctx(one->task);
	b = perf_task_ctx(two->task);
	swap_test_set(test_newest_event(a), &swap_test_first);
	swap_test_set(test_newest_event(b), &swap_test_second);

	swap_test_set_freq(test_newest_event(a), test_newest_event(b), true);
	KUNIT_EXPECT_TRUE(test, swap_test_exchange(a, b));
	swap_test_set_freq(test_newest_event(a), test_newest_event(b), false);
	swap_test_expect_has(test, one->task, b);
	swap_test_expect_has(test, two->task, a);
	swap_test_expect_own(test, test_newest_event(b), &swap_test_first);
	swap_test_expect_own(test, test_newest_event(a), &swap_test_second);

	/* The same if they are not equal any more. */
	swap_test_end_equal(b);
	swap_test_set_freq(test_newest_event(a), test_newest_event(b), true);
	KUNIT_EXPECT_TRUE(test, swap_test_exchange(a, b));
	swap_test_set_freq(test_newest_event(a), test_newest_event(b), false);
	swap_test_expect_has(test, one->task, a);
	swap_test_expect_has(test, two->task, b);
	swap_test_expect_own(test, test_newest_event(a), &swap_test_first);
	swap_test_expect_own(test, test_newest_event(b), &swap_test_second);

	/* Without memory for pairs the contexts keep the counts. */
	KUNIT_EXPECT_TRUE(test, swap_test_exchange_pairs(a, b, NULL));
	swap_test_expect_has(test, one->task, b);
	swap_test_expect_own(test, test_newest_event(a), &swap_test_first);
	swap_test_expect_own(test, test_newest_event(b), &swap_test_second);
}

static struct perf_event *swap_test_copy_in(struct perf_ctx *ctx,
					    const struct perf_event *eldest)
{
	struct perf_event *event;

	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (perf_event_eldest(event) == eldest)
			return event;
	}
	return NULL;
}

#define SWAP_TEST_EVENTS	4

/* Copies of the same events in two contexts. */
struct swap_test_parted {
	struct perf_ctx		*ctx[2];
	struct perf_event	*event[2][SWAP_TEST_EVENTS];
};

static void swap_test_make_parted(struct kunit *test,
				  struct swap_test_parted *parted)
{
	struct perf_event *eldest[SWAP_TEST_EVENTS];

	for (int i = 0; i < SWAP_TEST_EVENTS; i++)
		eldest[i] = swap_test_open(test, NULL);
	for (int c = 0; c < 2; c++) {
		parted->ctx[c] = perf_task_ctx(swap_test_fork(test)->task);
		for (int i = 0; i < SWAP_TEST_EVENTS; i++) {
			parted->event[c][i] =
				swap_test_copy_in(parted->ctx[c], eldest[i]);
			KUNIT_ASSERT_NOT_NULL(test, parted->event[c][i]);
		}
	}
	for (int c = 0; c < 2; c++)
		swap_test_end_equal(parted->ctx[c]);
}

/* The second context has event @first at another place, and has lost @lost. */
static bool swap_test_exchange_parted(struct swap_test_parted *parted,
				      int first, int lost)
{
	struct perf_ctx *a = parted->ctx[0], *b = parted->ctx[1];
	struct perf_swap_pairs *pairs;
	bool swapped;

	swap_test_lock(a, b);
	scoped_guard(raw_spinlock_irq, &b->lock) {
		list_move(&parted->event[1][first]->event_entry, &b->event_list);
		list_del_init(&parted->event[1][lost]->event_entry);
	}
	pairs = perf_swap_find_pairs(a, b);
	swapped = swap_test_exchange_pairs(a, b, pairs);
	scoped_guard(raw_spinlock_irq, &b->lock)
		list_add(&parted->event[1][lost]->event_entry, &b->event_list);
	swap_test_unlock(a, b);
	kvfree(pairs);
	return swapped;
}

/*
 * Contexts that came apart, as after the close of a leader. Each event finds its
 * twin; the one that has none keeps its count.
 */
static void swap_test_parted_exchange(struct kunit *test)
{
	struct swap_test_parted parted;
	struct perf_event *on, *off;
	int lost;

	swap_test_make_parted(test, &parted);
	for (int first = 0; first < SWAP_TEST_EVENTS; first++) {
		lost = (first + 1) % SWAP_TEST_EVENTS;
		for (int i = 0; i < SWAP_TEST_EVENTS; i++) {
			swap_test_set(parted.event[0][i], &swap_test_first);
			swap_test_set(parted.event[1][i], &swap_test_second);
			local64_set(&parted.event[0][i]->count, 100 + i);
			local64_set(&parted.event[1][i]->count, 200 + i);
		}
		KUNIT_EXPECT_TRUE(test, swap_test_exchange_parted(&parted, first,
								  lost));
		for (int i = 0; i < SWAP_TEST_EVENTS; i++) {
			on = parted.event[0][i];
			off = parted.event[1][i];
			KUNIT_EXPECT_EQ(test, local64_read(&on->count),
					(i == lost ? 100 : 200) + i);
			KUNIT_EXPECT_EQ(test, local64_read(&off->count),
					(i == lost ? 200 : 100) + i);
			KUNIT_EXPECT_EQ(test, on->total_time_running,
					(i == lost ? swap_test_first :
						     swap_test_second).running);
		}
	}
}

/* The counts of siblings go with their task, each to its twin. */
static void swap_test_siblings_exchange(struct kunit *test)
{
	struct perf_event *first, *second;
	struct test_task *one, *two;

	swap_test_open(test, swap_test_open(test, NULL));
	one = swap_test_fork(test);
	two = swap_test_fork(test);
	/* The newest event of a context is the sibling. */
	first = test_newest_event(perf_task_ctx(one->task));
	second = test_newest_event(perf_task_ctx(two->task));
	KUNIT_ASSERT_PTR_NE(test, first, first->group_leader);
	swap_test_set(first, &swap_test_first);
	swap_test_set(second, &swap_test_second);

	swap_test_set_freq(first, second, true);
	KUNIT_EXPECT_TRUE(test,
			  swap_test_exchange(perf_task_ctx(one->task),
					     perf_task_ctx(two->task)));
	swap_test_set_freq(first, second, false);
	swap_test_expect_own(test, second, &swap_test_first);
	swap_test_expect_own(test, first, &swap_test_second);
}

/* In each context other groups have had another service until now. */
static void swap_test_set_waiting(struct perf_event *event, s64 least, s64 lead)
{
	guard(raw_spinlock_irqsave)(&perf_event_ctx(event)->lock);
	perf_event_pmu_ctx(event)->least_service = least;
	perf_event_pmu_ctx(event)->nr_waiting = 1;
	test_group_set_lead(event, lead);
}

static s64 swap_test_end_waiting(struct perf_event *event)
{
	guard(raw_spinlock_irqsave)(&perf_event_ctx(event)->lock);
	perf_event_pmu_ctx(event)->nr_waiting = 0;
	return test_group_lead(event);
}

/* If groups take turns, a group's lead goes with the task, and so do counts. */
static void swap_test_waiting_exchange(struct kunit *test)
{
	struct perf_event *first, *second;
	struct test_task *one, *two;

	swap_test_open(test, NULL);
	one = swap_test_fork(test);
	two = swap_test_fork(test);
	first = test_newest_event(perf_task_ctx(one->task));
	second = test_newest_event(perf_task_ctx(two->task));
	swap_test_set(first, &swap_test_first);
	swap_test_set(second, &swap_test_second);
	swap_test_set_waiting(first, 3 * HOUR, NSEC_PER_MSEC);
	swap_test_set_waiting(second, 7 * HOUR, 9 * NSEC_PER_MSEC);

	swap_test_set_freq(first, second, true);
	KUNIT_EXPECT_TRUE(test,
			  swap_test_exchange(perf_task_ctx(one->task),
					     perf_task_ctx(two->task)));
	swap_test_set_freq(first, second, false);
	swap_test_expect_own(test, second, &swap_test_first);
	swap_test_expect_own(test, first, &swap_test_second);
	KUNIT_EXPECT_EQ(test, swap_test_end_waiting(first), 9 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, swap_test_end_waiting(second), NSEC_PER_MSEC);
}

/* Only one of the two events leads a group: that keeps its service. */
static void swap_test_promoted_exchange(struct kunit *test)
{
	struct perf_event *event, *twin, *leader;
	struct test_task *one, *two;

	swap_test_open(test, swap_test_open(test, NULL));
	one = swap_test_fork(test);
	two = swap_test_fork(test);
	event = test_newest_event(perf_task_ctx(one->task));
	twin = test_newest_event(perf_task_ctx(two->task));
	leader = event->group_leader;
	KUNIT_ASSERT_PTR_NE(test, event, leader);
	swap_test_set(event, &swap_test_first);
	swap_test_set(twin, &swap_test_second);
	swap_test_end_equal(perf_task_ctx(one->task));
	swap_test_end_equal(perf_task_ctx(two->task));
	event->group_leader = event;
	swap_test_set_waiting(event, 3 * HOUR, NSEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test,
			  swap_test_exchange(perf_task_ctx(one->task),
					     perf_task_ctx(two->task)));
	KUNIT_EXPECT_EQ(test, swap_test_end_waiting(event), NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, event->total_time_running,
			swap_test_second.running);
	event->group_leader = leader;
}

/* A switch exchanges the counts of a whole group, and its turn. */
static void swap_test_switch_exchanges_group(struct kunit *test)
{
	struct perf_event *mine[2], *theirs[2];
	struct perf_ctx *ctx, *other;
	struct test_task *child;
	u64 counts[4];
	s64 lead, their_lead;
	bool swapped;

	swap_test_open(test, swap_test_open(test, NULL));
	child = swap_test_fork(test);
	ctx = perf_task_ctx(current);
	other = perf_task_ctx(child->task);
	mine[1] = test_newest_event(ctx);
	theirs[1] = test_newest_event(other);
	mine[0] = mine[1]->group_leader;
	theirs[0] = theirs[1]->group_leader;
	KUNIT_ASSERT_PTR_NE(test, mine[0], mine[1]);
	scoped_guard(rcu) {
		guard(irqsave)();
		for (int i = 0; i < 2; i++) {
			swap_test_set(mine[i], &swap_test_first);
			swap_test_set(theirs[i], &swap_test_second);
			local64_set(&mine[i]->count, 100 + i);
			local64_set(&theirs[i]->count, 200 + i);
		}
		swap_test_set_waiting(mine[0], 3 * HOUR, HOUR);
		swap_test_set_waiting(theirs[0], 7 * HOUR, 90 * HOUR);
		swapped = perf_swap_try_oncpu(ctx, child->task);
		for (int i = 0; i < 2; i++) {
			counts[i] = local64_read(&mine[i]->count);
			counts[2 + i] = local64_read(&theirs[i]->count);
		}
		lead = swap_test_end_waiting(mine[0]);
		their_lead = swap_test_end_waiting(theirs[0]);
		if (swapped)
			perf_swap_try_oncpu(ctx, current);
	}
	KUNIT_EXPECT_TRUE(test, swapped);
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, counts[i], 200 + i);
		KUNIT_EXPECT_EQ(test, counts[2 + i], 100 + i);
	}
	/* The one that is active runs on. */
	KUNIT_EXPECT_GE(test, lead, 90 * HOUR);
	KUNIT_EXPECT_LT(test, lead, 91 * HOUR);
	KUNIT_EXPECT_GE(test, their_lead, HOUR);
	KUNIT_EXPECT_LT(test, their_lead, 2 * HOUR);
}

static bool swap_test_exchange_locked(struct perf_ctx *a,
				      struct perf_ctx *b)
{
	bool swapped;

	/* As another CPU that has the lock; lockdep knows only this one. */
	lockdep_off();
	raw_spin_lock(&b->lock);
	swapped = swap_test_exchange_pairs(a, b, NULL);
	raw_spin_unlock(&b->lock);
	lockdep_on();
	return swapped;
}

/* An exchange that is refused leaves tasks and counts as they are. */
static void swap_test_loaded_stays(struct kunit *test)
{
	struct perf_ctx *mine, *theirs;
	bool to_loaded, from_loaded, locked;
	struct test_task *child, *other;
	struct perf_swap_pairs *pairs;
	u64 before;

	swap_test_open(test, NULL);
	child = swap_test_fork(test);
	other = swap_test_fork(test);
	mine = perf_task_ctx(current);
	theirs = perf_task_ctx(child->task);
	swap_test_set(test_newest_event(theirs), &swap_test_second);
	swap_test_end_equal(theirs);
	swap_test_lock(mine, theirs);
	pairs = perf_swap_find_pairs(mine, theirs);
	KUNIT_EXPECT_NOT_NULL(test, pairs);
	scoped_guard(irqsave) {
		before = local64_read(&test_newest_event(mine)->count);
		to_loaded = swap_test_exchange_pairs(theirs, mine, pairs);
		from_loaded = swap_test_exchange_pairs(mine, theirs, pairs);
		/* Without SMP no other CPU can hold the lock. */
		locked = IS_ENABLED(CONFIG_SMP) &&
			 swap_test_exchange_locked(perf_task_ctx(other->task),
						   theirs);
	}
	swap_test_unlock(mine, theirs);
	kvfree(pairs);
	KUNIT_EXPECT_FALSE(test, to_loaded);
	KUNIT_EXPECT_FALSE(test, from_loaded);
	KUNIT_EXPECT_FALSE(test, locked);
	swap_test_expect_has(test, current, mine);
	swap_test_expect_has(test, child->task, theirs);
	swap_test_expect_own(test, test_newest_event(theirs), &swap_test_second);
	KUNIT_EXPECT_EQ(test, local64_read(&test_newest_event(mine)->count),
			before);
}

static bool swap_test_try(struct perf_ctx *ctx,
			  struct task_struct *next)
{
	guard(rcu)();
	guard(irqsave)();
	return perf_swap_try_oncpu(ctx, next);
}

/* A context that is held, by its own task or the next, stays with its task. */
static void swap_test_held_stays(struct kunit *test)
{
	struct perf_ctx *mine, *theirs;
	struct test_task *child;

	swap_test_open(test, NULL);
	child = swap_test_fork(test);
	mine = perf_task_ctx(current);
	theirs = perf_task_ctx(child->task);
	scoped_guard(mutex, &mine->mutex) {
		KUNIT_EXPECT_FALSE(test, perf_swap_hold(mine, child->task));
		KUNIT_EXPECT_EQ(test, mine->held, 0);
		KUNIT_EXPECT_TRUE(test, perf_swap_hold(mine, current));
		KUNIT_EXPECT_FALSE(test, swap_test_try(mine, child->task));
		perf_swap_release(mine);
	}
	scoped_guard(mutex, &theirs->mutex) {
		KUNIT_EXPECT_TRUE(test, perf_swap_hold(theirs, child->task));
		KUNIT_EXPECT_FALSE(test, swap_test_try(mine, child->task));
		perf_swap_release(theirs);
	}
	KUNIT_EXPECT_EQ(test, mine->held | theirs->held, 0);
	swap_test_expect_has(test, current, mine);
}

/* The next task may lose its context to another before both are locked. */
static void swap_test_lost_stays(struct kunit *test)
{
	struct perf_ctx *mine, *theirs;
	struct test_task *child;
	bool swapped;

	swap_test_open(test, NULL);
	child = swap_test_fork(test);
	mine = perf_task_ctx(current);
	theirs = perf_task_ctx(child->task);
	scoped_guard(irqsave) {
		theirs->pub.task = NULL;
		swapped = swap_test_try(mine, child->task);
		theirs->pub.task = child->task;
	}
	KUNIT_EXPECT_FALSE(test, swapped);
	swap_test_expect_has(test, current, mine);
	swap_test_expect_has(test, child->task, theirs);
}

static void swap_test_expect_held(struct kunit *test, struct test_task *child,
				  unsigned int times)
{
	struct perf_ctx *mine = perf_task_ctx(current);
	struct perf_ctx *theirs = perf_task_ctx(child->task);

	KUNIT_EXPECT_EQ(test, mine->held, times);
	KUNIT_EXPECT_EQ(test, mine->summed, times);
	KUNIT_EXPECT_EQ(test, theirs->held, times);
	KUNIT_EXPECT_EQ(test, theirs->summed, times);
}

static void swap_test_hold_group(struct kunit *test, struct test_task *child,
				 struct perf_event *leader, unsigned int times)
{
	struct perf_ctx *ctx = perf_event_ctx(leader);
	struct perf_event *sibling;

	guard(mutex)(&ctx->mutex);
	mutex_lock_nest_lock(&leader->child_mutex, &ctx->mutex);
	for_each_sibling_event(sibling, leader)
		mutex_lock_nest_lock(&sibling->child_mutex, &ctx->mutex);
	perf_swap_hold_group(leader);
	swap_test_expect_held(test, child, times);
	perf_swap_release_group(leader);
	swap_test_expect_held(test, child, 0);
	for_each_sibling_event(sibling, leader)
		mutex_unlock(&sibling->child_mutex);
	mutex_unlock(&leader->child_mutex);
}

/* Every copy of every event of the group stays where it is while all are read. */
static void swap_test_group_is_held(struct kunit *test)
{
	struct perf_event *leader = swap_test_open(test, NULL), *single;
	struct test_task *child;

	for (int i = 0; i < 2; i++)
		swap_test_open(test, leader);
	single = swap_test_open(test, NULL);
	child = swap_test_fork(test);
	swap_test_hold_group(test, child, leader, 3);
	swap_test_hold_group(test, child, single, 1);
}

/* Copies whose counts do not go with their tasks need not be held. */
static void swap_test_group_needs_no_hold(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1, .task = current };
	struct perf_event *event;
	struct test_task *child;

	swap_test_open(test, NULL);
	child = swap_test_fork(test);
	event = fake_pmu_open(test, &fake, &spec);
	swap_test_hold_group(test, child, event, 0);
}

/* Contexts that are exchanged, and an event whose counts are being added up. */
static struct perf_ctx *swap_test_moved[2];
static struct perf_event *swap_test_summed;

static void swap_test_move(struct test_task *self)
{
	struct perf_ctx *low =
		min(swap_test_moved[0], swap_test_moved[1]);
	struct perf_ctx *high =
		max(swap_test_moved[0], swap_test_moved[1]);

	mutex_lock(&low->mutex);
	mutex_lock_nested(&high->mutex, SINGLE_DEPTH_NESTING);
	perf_swap_begin_move(swap_test_moved[0], swap_test_moved[1]);
	complete(&self->started);
	wait_for_completion(&self->go);
	perf_swap_end_move(swap_test_moved[0], swap_test_moved[1]);
	mutex_unlock(&high->mutex);
	mutex_unlock(&low->mutex);
}

static void swap_test_sum(struct test_task *self)
{
	guard(mutex)(&swap_test_summed->child_mutex);
	perf_swap_hold_counts(swap_test_summed);
	perf_swap_release_counts(swap_test_summed);
}

/* The end of the move begins, and has to wait for the lock of one context. */
static void swap_test_end_slowly(struct test_task *mover,
				 struct perf_ctx *ctx)
{
	guard(irq)();
	complete(&mover->go);
	guard(raw_spinlock)(&ctx->lock);
	mdelay(20);
}

static void swap_test_pin(struct kunit *test, struct task_struct *task, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(task, cpumask_of(cpu)));
}

/* A reader that waits for a move is woken when neither context is moving. */
static void swap_test_move_ends(struct kunit *test)
{
	struct test_task *mover = test_task_fork(test, swap_test_move);
	struct test_task *reader = test_task_fork(test, swap_test_sum);
	int cpu = cpumask_first(cpu_online_mask);
	struct perf_event *first;

	if (num_online_cpus() < 3)
		kunit_skip(test, "needs a CPU for each of three tasks");
	swap_test_pin(test, current, cpu);
	cpu = cpumask_next(cpu, cpu_online_mask);
	swap_test_pin(test, mover->task, cpu);
	swap_test_pin(test, reader->task, cpumask_next(cpu, cpu_online_mask));
	swap_test_summed = swap_test_open(test, NULL);
	for (int i = 0; i < 2; i++)
		swap_test_fork(test);
	/* The reader comes to this copy first, and waits for it. */
	first = list_first_entry(&swap_test_summed->child_list,
				 struct perf_event, child_list);
	swap_test_moved[0] = perf_event_ctx(list_next_entry(first, child_list));
	swap_test_moved[1] = perf_event_ctx(first);
	test_task_go(mover);
	wait_for_completion(&mover->started);
	test_task_go(reader);
	msleep(20);
	KUNIT_EXPECT_FALSE(test, completion_done(&reader->done));
	swap_test_end_slowly(mover, perf_event_ctx(first));
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&reader->done,
							    20 * HZ));
	wait_for_completion(&mover->done);
}

static struct kunit_case swap_test_cases[] = {
	KUNIT_CASE(swap_test_switch_exchanges),
	KUNIT_CASE(swap_test_unloaded_exchange),
	KUNIT_CASE(swap_test_parted_exchange),
	KUNIT_CASE(swap_test_siblings_exchange),
	KUNIT_CASE(swap_test_waiting_exchange),
	KUNIT_CASE(swap_test_promoted_exchange),
	KUNIT_CASE(swap_test_switch_exchanges_group),
	KUNIT_CASE(swap_test_loaded_stays),
	KUNIT_CASE(swap_test_held_stays),
	KUNIT_CASE(swap_test_lost_stays),
	KUNIT_CASE(swap_test_group_is_held),
	KUNIT_CASE(swap_test_group_needs_no_hold),
	KUNIT_CASE(swap_test_move_ends),
	{ }
};

static struct kunit_suite swap_test_suite = {
	.name		= "perf_swap",
	.suite_init	= swap_test_suite_init,
	.suite_exit	= swap_test_suite_exit,
	.init		= swap_test_init,
	.test_cases	= swap_test_cases,
};

kunit_test_suite(swap_test_suite);
