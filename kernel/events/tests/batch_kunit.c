// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room batch: operations on an event, a group or all events of an
 * owner, and how often a context is called for the latter. A call brings the
 * clock of the context up to date once, so that all its changes have the same
 * time stamp.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../batch.h"
#include "../context.h"
#include "../inherit.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000
#define NR_OWNED	3
#define NR_MANY		40

#define OFF		PERF_EVENT_STATE_OFF
#define ACTIVE		PERF_EVENT_STATE_ACTIVE

static struct fake_pmu fake;

static int batch_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_batch");
}

static void batch_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void batch_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int batch_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, batch_test_check_idle, test);
}

/* Events of current, with copies in the context of another CPU. */
struct batch_test_world {
	struct perf_event	*owned[NR_OWNED];
	struct perf_event	*foreign;
};

/* Makes current the owner, as opening a file does; kernel events have none. */
static void batch_test_own(struct perf_event *event)
{
	guard(mutex)(&current->perf_event_mutex);
	WRITE_ONCE(event->owner, current);
	list_add_tail(&event->owner_entry, &current->perf_event_list);
}

static void batch_test_pin(int cpu)
{
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

static void batch_test_run(struct test_task *self)
{
	batch_test_pin(cpumask_last(cpu_online_mask));
	complete(&self->started);
	while (!READ_ONCE(self->end))
		cond_resched();
}

static void batch_test_make(struct kunit *test, struct batch_test_world *world,
			    bool by_task)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = by_task,
	};
	struct test_task *child;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	batch_test_pin(cpumask_first(cpu_online_mask));
	world->foreign = fake_pmu_open(test, &fake, &spec);
	for (int i = 0; i < NR_OWNED; i++) {
		world->owned[i] = fake_pmu_open(test, &fake, &spec);
		batch_test_own(world->owned[i]);
	}
	child = test_task_fork(test, batch_test_run);
	test_task_go(child);
	wait_for_completion(&child->started);
}

static struct perf_event *batch_test_copy_beside(struct perf_event *eldest,
						 const struct perf_event *other)
{
	struct perf_event *child;

	guard(mutex)(&eldest->child_mutex);
	list_for_each_entry(child, &eldest->child_list, child_list) {
		if (perf_event_ctx(child) == perf_event_ctx(other))
			return child;
	}
	return NULL;
}

/* Does @same hold between each two owned events, or copies, of one context? */
static void batch_test_compare(struct kunit *test,
			       const struct batch_test_world *world,
			       void (*same)(struct kunit *test,
					    const struct perf_event *first,
					    const struct perf_event *other))
{
	struct perf_event *first = world->owned[0], *child, *copy;

	KUNIT_ASSERT_FALSE(test, list_empty(&first->child_list));
	for (int i = 1; i < NR_OWNED; i++) {
		same(test, first, world->owned[i]);
		list_for_each_entry(child, &first->child_list, child_list) {
			copy = batch_test_copy_beside(world->owned[i], child);
			KUNIT_ASSERT_NOT_NULL(test, copy);
			same(test, child, copy);
		}
	}
}

static void batch_test_same_stamp(struct kunit *test,
				  const struct perf_event *first,
				  const struct perf_event *other)
{
	KUNIT_EXPECT_EQ(test, READ_ONCE(first->state), OFF);
	KUNIT_EXPECT_EQ(test, READ_ONCE(other->state), OFF);
	KUNIT_EXPECT_EQ(test, other->tstamp, first->tstamp);
}

/* The foreign event stays enabled. */
static void batch_test_expect_foreign(struct kunit *test,
				      const struct batch_test_world *world)
{
	const struct perf_event *event = world->foreign, *child;

	KUNIT_EXPECT_GT(test, READ_ONCE(event->state), OFF);
	list_for_each_entry(child, &event->child_list, child_list)
		KUNIT_EXPECT_GT(test, READ_ONCE(child->state), OFF);
}

static void batch_test_disable_once(struct kunit *test, bool by_task)
{
	struct batch_test_world world;

	batch_test_make(test, &world, by_task);
	perf_batch_owned(PERF_BATCH_DISABLE);
	batch_test_compare(test, &world, batch_test_same_stamp);
	batch_test_expect_foreign(test, &world);
}

static void batch_test_disable_family(struct kunit *test)
{
	batch_test_disable_once(test, false);
}

static void batch_test_disable_tasks(struct kunit *test)
{
	batch_test_disable_once(test, true);
}

static void batch_test_same_time(struct kunit *test,
				 const struct perf_event *first,
				 const struct perf_event *other)
{
	KUNIT_EXPECT_GT(test, first->total_time_enabled, 0);
	KUNIT_EXPECT_EQ(test, other->total_time_enabled,
			first->total_time_enabled);
}

/* Events enabled and disabled together have the same enabled time. */
static void batch_test_enable_once(struct kunit *test)
{
	struct perf_event *child;
	struct batch_test_world world;

	batch_test_make(test, &world, true);
	perf_batch_owned(PERF_BATCH_DISABLE);
	for (int i = 0; i < NR_OWNED; i++) {
		world.owned[i]->total_time_enabled = 0;
		list_for_each_entry(child, &world.owned[i]->child_list,
				    child_list)
			child->total_time_enabled = 0;
	}
	perf_batch_owned(PERF_BATCH_ENABLE);
	fsleep(100);
	perf_batch_owned(PERF_BATCH_DISABLE);
	batch_test_compare(test, &world, batch_test_same_time);
}

/* Where the first event has no copy, the next event makes the call. */
static void batch_test_later_copies(struct kunit *test)
{
	struct perf_event *event, *child;
	struct batch_test_world world;

	batch_test_make(test, &world, true);
	fake_pmu_close(test, world.owned[0]);
	perf_batch_owned(PERF_BATCH_DISABLE);
	for (int i = 1; i < NR_OWNED; i++) {
		event = world.owned[i];
		KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), OFF);
		KUNIT_ASSERT_FALSE(test, list_empty(&event->child_list));
		list_for_each_entry(child, &event->child_list, child_list)
			KUNIT_EXPECT_EQ(test, READ_ONCE(child->state), OFF);
	}
	batch_test_expect_foreign(test, &world);
}

/* Events and groups. */

static struct perf_event *batch_test_open(struct kunit *test,
					  struct perf_event *leader)
{
	struct fake_pmu_spec spec = {
		.leader = leader, .cpu = cpumask_first(cpu_online_mask),
	};

	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *batch_test_open_inherit(struct kunit *test,
						  struct perf_event *leader)
{
	struct fake_pmu_spec spec = {
		.leader = leader, .cpu = -1, .task = current,
		.inherit = true, .by_task = true,
	};

	return fake_pmu_open(test, &fake, &spec);
}

static void batch_test_event(struct perf_event *event, enum perf_batch_op op)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);

	perf_batch_event(event, op);
	perf_event_ctx_unlock(event, ctx);
}

static void batch_test_group(struct perf_event *leader, enum perf_batch_op op)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(leader);

	perf_batch_group(leader, op);
	perf_event_ctx_unlock(leader, ctx);
}

/* An event that is enabled is scheduled in by the same call. */
static void batch_test_event_at_once(struct kunit *test)
{
	struct perf_event *event = batch_test_open(test, NULL);

	batch_test_event(event, PERF_BATCH_DISABLE);
	KUNIT_EXPECT_EQ(test, event->state, OFF);
	batch_test_event(event, PERF_BATCH_ENABLE);
	KUNIT_EXPECT_EQ(test, event->state, ACTIVE);
	KUNIT_EXPECT_EQ(test, fake_pmu_turns(event), 2);
	batch_test_event(event, PERF_BATCH_RESET);
	KUNIT_EXPECT_EQ(test, event->state, ACTIVE);
	KUNIT_EXPECT_EQ(test, fake_pmu_turns(event), 2);
}

/*
 * A group is scheduled in as well, once. It is left as it is if no event needs
 * a change.
 */
static void batch_test_group_at_once(struct kunit *test)
{
	struct perf_event *group[NR_OWNED];

	for (int i = 0; i < NR_OWNED; i++)
		group[i] = batch_test_open(test, i ? group[0] : NULL);
	batch_test_group(group[0], PERF_BATCH_DISABLE);
	for (int i = 0; i < NR_OWNED; i++)
		KUNIT_EXPECT_EQ(test, group[i]->state, OFF);
	for (int i = 0; i < 2; i++) {
		int adds = fake_pmu_calls(&fake, FAKE_ADD);

		batch_test_group(group[0], PERF_BATCH_ENABLE);
		KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD),
				adds + (i ? 0 : NR_OWNED));
		for (int k = 0; k < NR_OWNED; k++)
			KUNIT_EXPECT_EQ(test, group[k]->state, ACTIVE);
	}
	/* The leader needs no change, but a sibling does. */
	batch_test_event(group[1], PERF_BATCH_DISABLE);
	batch_test_group(group[0], PERF_BATCH_ENABLE);
	KUNIT_EXPECT_EQ(test, group[1]->state, ACTIVE);
}

struct batch_test_call {
	struct perf_event	*leader;
	struct completion	done;
};

static int batch_test_thread(void *arg)
{
	struct batch_test_call *call = arg;

	batch_test_group(call->leader, PERF_BATCH_DISABLE);
	complete(&call->done);
	return 0;
}

/* A call of inherited events waits for a fork, an exit or a read of copies. */
static void batch_test_waits(struct kunit *test)
{
	struct batch_test_call call;
	unsigned long left;

	init_completion(&call.done);
	call.leader = batch_test_open_inherit(test, NULL);
	scoped_guard(mutex, &call.leader->child_mutex) {
		KUNIT_ASSERT_FALSE(test,
				   IS_ERR(kthread_run(batch_test_thread, &call,
						      "kunit_batch")));
		left = wait_for_completion_timeout(&call.done, HZ / 20);
		KUNIT_EXPECT_EQ(test, left, 0UL);
		KUNIT_EXPECT_GT(test, (int)call.leader->state, (int)OFF);
	}
	wait_for_completion(&call.done);
	KUNIT_EXPECT_EQ(test, (int)call.leader->state, (int)OFF);
}

/* The time up to the call counts, the time after it does not. */
static void batch_test_time(struct kunit *test)
{
	struct perf_event *event = batch_test_open(test, NULL);
	u64 enabled;

	fsleep(2000);
	batch_test_event(event, PERF_BATCH_DISABLE);
	enabled = event->total_time_enabled;
	KUNIT_EXPECT_GT(test, enabled, NSEC_PER_MSEC);
	batch_test_event(event, PERF_BATCH_ENABLE);
	fsleep(2000);
	batch_test_group(event, PERF_BATCH_DISABLE);
	KUNIT_EXPECT_GT(test, event->total_time_enabled,
			enabled + NSEC_PER_MSEC);
}

/* The counts that copies have left belong to the sum: a reset clears them. */
static void batch_test_reset_sums(struct kunit *test)
{
	struct perf_event *leader = batch_test_open_inherit(test, NULL);
	struct perf_event *sibling = batch_test_open_inherit(test, leader);

	atomic64_set(&leader->child_count, 5);
	atomic64_set(&sibling->child_count, 6);
	batch_test_event(leader, PERF_BATCH_DISABLE);
	batch_test_group(leader, PERF_BATCH_ENABLE);
	KUNIT_EXPECT_EQ(test, atomic64_read(&leader->child_count), 5);
	KUNIT_EXPECT_EQ(test, atomic64_read(&sibling->child_count), 6);
	batch_test_event(leader, PERF_BATCH_RESET);
	KUNIT_EXPECT_EQ(test, atomic64_read(&leader->child_count), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&sibling->child_count), 6);
	batch_test_group(leader, PERF_BATCH_RESET);
	KUNIT_EXPECT_EQ(test, atomic64_read(&sibling->child_count), 0);
}

/* Whatever the operation, nothing is locked or held when it is over. */
static void batch_test_lets_go(struct kunit *test)
{
	struct perf_event *leader = batch_test_open_inherit(test, NULL);
	struct perf_event *sibling = batch_test_open_inherit(test, leader);
	struct perf_ctx *ctx = perf_event_ctx(leader);
	unsigned int held = ctx->held;

	for (int op = PERF_BATCH_ENABLE; op <= PERF_BATCH_RESET; op++) {
		batch_test_event(sibling, op);
		batch_test_group(leader, op);
		KUNIT_ASSERT_FALSE(test, mutex_is_locked(&leader->child_mutex));
		KUNIT_ASSERT_FALSE(test,
				   mutex_is_locked(&sibling->child_mutex));
		KUNIT_EXPECT_EQ(test, ctx->summed, 0);
		KUNIT_EXPECT_EQ(test, ctx->held, held);
	}
}

static void batch_test_exec(struct test_task *self)
{
	struct perf_ctx *ctx = perf_ctx_find_task(current);

	perf_inherit_exec(ctx);
	perf_ctx_put(ctx);
}

/* A copy that has lost its leader at an exec is done with the group as well. */
static void batch_test_stray_copy(struct kunit *test)
{
	struct perf_event *leader = batch_test_open_inherit(test, NULL);
	struct perf_event *sibling = batch_test_open_inherit(test, leader);
	struct perf_event *copy;
	struct test_task *child;

	leader->attr.remove_on_exec = 1;
	child = test_task_fork(test, batch_test_exec);
	test_task_act(child);
	KUNIT_EXPECT_TRUE(test, list_empty(&leader->child_list));
	copy = list_first_entry_or_null(&sibling->child_list, struct perf_event,
					child_list);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_PTR_EQ(test, copy->group_leader, copy);

	batch_test_group(leader, PERF_BATCH_DISABLE);
	KUNIT_EXPECT_EQ(test, READ_ONCE(copy->state), OFF);
	batch_test_group(leader, PERF_BATCH_ENABLE);
	KUNIT_EXPECT_GT(test, READ_ONCE(copy->state), OFF);
}

/* Groups of an owner. */

static void batch_test_owned_group(struct kunit *test)
{
	struct perf_event *group[NR_OWNED];

	for (int i = 0; i < NR_OWNED; i++) {
		group[i] = batch_test_open(test, i ? group[0] : NULL);
		batch_test_own(group[i]);
	}
	perf_batch_owned(PERF_BATCH_DISABLE);
	for (int i = 0; i < NR_OWNED; i++)
		KUNIT_EXPECT_EQ(test, group[i]->state, OFF);
	perf_batch_owned(PERF_BATCH_ENABLE);
	for (int i = 0; i < NR_OWNED; i++)
		KUNIT_EXPECT_EQ(test, group[i]->state, ACTIVE);

	/* The leader is active, and a sibling is enabled. */
	batch_test_event(group[1], PERF_BATCH_DISABLE);
	perf_batch_owned(PERF_BATCH_ENABLE);
	for (int i = 0; i < NR_OWNED; i++)
		KUNIT_EXPECT_EQ(test, group[i]->state, ACTIVE);
}

/* Others' events of the same group stay as they are. */
static void batch_test_owned_sibling(struct kunit *test)
{
	struct perf_event *leader = batch_test_open(test, NULL);
	struct perf_event *sibling = batch_test_open(test, leader);

	batch_test_own(sibling);
	perf_batch_owned(PERF_BATCH_DISABLE);
	KUNIT_EXPECT_EQ(test, sibling->state, OFF);
	KUNIT_EXPECT_EQ(test, leader->state, ACTIVE);
}

/* The content of the stack must not affect a call. */
static noinline void batch_test_dirty_stack(void)
{
	u8 dirt[1024];

	memset(dirt, 0x7f, sizeof(dirt));
	barrier_data(dirt);
}

/* More events than a call visits, and more than there are counters. */
struct batch_test_holder {
	struct perf_event	*copy, *other;
	struct completion	held, done;
	int			seen;
};

/* Holds the mutex of @other's context until @copy has been disabled. */
static int batch_test_hold(void *arg)
{
	struct batch_test_holder *holder = arg;
	struct perf_ctx *ctx = perf_event_ctx_lock(holder->other);

	complete(&holder->held);
	for (int i = 0; i < 1000 && READ_ONCE(holder->copy->state) != OFF; i++)
		fsleep(1000);
	fsleep(20000);
	holder->seen = READ_ONCE(holder->other->state);
	perf_event_ctx_unlock(holder->other, ctx);
	complete(&holder->done);
	return 0;
}

/*
 * In the context of a copy there is an event that was opened there. Holders of
 * the mutex of that context rely on it that the event does not change.
 */
static void batch_test_owned_elsewhere(struct kunit *test)
{
	struct perf_event *eldest = batch_test_open_inherit(test, NULL);
	struct test_task *child = test_task_fork(test, NULL);
	struct fake_pmu_spec spec = { .cpu = -1, .task = child->task };
	struct batch_test_holder holder = { .seen = OFF };

	test_task_wait_asleep(child);
	holder.other = fake_pmu_open(test, &fake, &spec);
	holder.copy = list_first_entry_or_null(&eldest->child_list,
					       struct perf_event, child_list);
	KUNIT_ASSERT_NOT_NULL(test, holder.copy);
	KUNIT_ASSERT_PTR_EQ(test, holder.copy->ctx, holder.other->ctx);
	batch_test_own(eldest);
	batch_test_own(holder.other);
	init_completion(&holder.held);
	init_completion(&holder.done);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(batch_test_hold, &holder,
						    "kunit_batch")));
	wait_for_completion(&holder.held);
	perf_batch_owned(PERF_BATCH_DISABLE);
	wait_for_completion(&holder.done);
	KUNIT_EXPECT_GT(test, holder.seen, (int)OFF);
	KUNIT_EXPECT_EQ(test, holder.copy->state, OFF);
	KUNIT_EXPECT_EQ(test, holder.other->state, OFF);
}

/* A pinned event that found no counter is enabled like one that is disabled. */
static void batch_test_owned_error(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = cpumask_first(cpu_online_mask), .pinned = true,
	};
	struct perf_event *first, *second;

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	first = fake_pmu_open(test, &fake, &spec);
	second = fake_pmu_open(test, &fake, &spec);
	batch_test_own(second);
	KUNIT_EXPECT_EQ(test, second->state, PERF_EVENT_STATE_ERROR);
	fake_pmu_close(test, first);
	perf_batch_owned(PERF_BATCH_ENABLE);
	KUNIT_EXPECT_EQ(test, second->state, ACTIVE);
}

/* An event that another task has opened later, in the same context. */
static void batch_test_owned_later(struct kunit *test)
{
	struct perf_event *own = batch_test_open(test, NULL);
	struct perf_event *other = batch_test_open(test, NULL);

	batch_test_own(own);
	perf_batch_owned(PERF_BATCH_DISABLE);
	KUNIT_EXPECT_EQ(test, own->state, OFF);
	KUNIT_EXPECT_EQ(test, other->state, ACTIVE);
}

/* More events than one look-up returns, by threes on the first and last CPU. */
static void batch_test_owned_many(struct kunit *test)
{
	int cpu[2] = { cpumask_first(cpu_online_mask),
		       cpumask_last(cpu_online_mask) };
	int cpus = cpu[0] == cpu[1] ? 1 : 2, active = 0;
	struct perf_event *event[NR_MANY];
	struct fake_pmu_spec spec = { };

	for (int i = 0; i < NR_MANY; i++) {
		spec.cpu = cpu[i / 3 % 2];
		event[i] = fake_pmu_open(test, &fake, &spec);
		batch_test_own(event[i]);
	}
	batch_test_dirty_stack();
	perf_batch_owned(PERF_BATCH_DISABLE);
	for (int i = 0; i < NR_MANY; i++)
		KUNIT_EXPECT_EQ(test, event[i]->state, OFF);
	batch_test_dirty_stack();
	perf_batch_owned(PERF_BATCH_ENABLE);
	for (int i = 0; i < NR_MANY; i++) {
		KUNIT_EXPECT_GT(test, event[i]->state, OFF);
		active += event[i]->state == ACTIVE;
		KUNIT_EXPECT_EQ(test, 1, atomic_long_read(&event[i]->refcount));
	}
	KUNIT_EXPECT_EQ(test, active, cpus * FAKE_PMU_COUNTERS);
}

static struct kunit_case batch_test_cases[] = {
	KUNIT_CASE(batch_test_event_at_once),
	KUNIT_CASE(batch_test_group_at_once),
	KUNIT_CASE(batch_test_waits),
	KUNIT_CASE(batch_test_time),
	KUNIT_CASE(batch_test_reset_sums),
	KUNIT_CASE(batch_test_lets_go),
	KUNIT_CASE(batch_test_stray_copy),
	KUNIT_CASE(batch_test_owned_group),
	KUNIT_CASE(batch_test_owned_sibling),
	KUNIT_CASE(batch_test_owned_elsewhere),
	KUNIT_CASE(batch_test_owned_error),
	KUNIT_CASE(batch_test_owned_later),
	KUNIT_CASE(batch_test_owned_many),
	KUNIT_CASE(batch_test_disable_family),
	KUNIT_CASE(batch_test_disable_tasks),
	KUNIT_CASE(batch_test_enable_once),
	KUNIT_CASE(batch_test_later_copies),
	{ }
};

static struct kunit_suite batch_test_suite = {
	.name		= "perf_batch",
	.suite_init	= batch_test_suite_init,
	.suite_exit	= batch_test_suite_exit,
	.init		= batch_test_init,
	.test_cases	= batch_test_cases,
};

kunit_test_suite(batch_test_suite);
