// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room member: random operations on tasks of families, against a
 * model, pairs of operations that race, and what may be shared.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "../batch.h"
#include "../context.h"
#include "../event.h"
#include "../family.h"
#include "../member.h"
#include "../pmu.h"
#include "../swap.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000
#define NR_TASKS	9
#define NR_STEPS	600
#define NR_GROUPS	150
#define NR_EXECS	300
#define NR_READS	3000

static struct fake_pmu fake;

static int member_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_member");
}

static void member_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void member_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int member_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, member_test_check_idle, test);
}

static u64 member_test_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* A family, or several, at random. */

struct member_test_place {
	struct test_task	task;
	bool			alive;
	struct perf_event	*own;		/* not inherited */
	struct perf_event	*shared;	/* inherited */
};

struct member_test_world {
	struct kunit		*test;
	struct rnd_state	rnd;
	struct member_test_place	place[NR_TASKS];
};

static unsigned int member_test_random(struct member_test_world *world,
				       unsigned int below)
{
	return prandom_u32_state(&world->rnd) % below;
}

static void member_test_close(struct perf_event **event)
{
	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
}

static void member_test_toggle(struct member_test_world *world,
			       struct member_test_place *place,
			       struct perf_event **event, bool inherit)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = place->task.task, .inherit = inherit,
	};

	if (*event) {
		member_test_close(event);
		return;
	}
	*event = fake_pmu_try_open(&fake, &spec);
	KUNIT_EXPECT_FALSE(world->test, IS_ERR(*event));
	if (IS_ERR(*event))
		*event = NULL;
}

static struct member_test_place *
member_test_free_place(struct member_test_world *world)
{
	for (int i = 0; i < NR_TASKS; i++) {
		if (!world->place[i].alive)
			return &world->place[i];
	}
	return NULL;
}

static void member_test_fork(struct member_test_world *world,
			     struct member_test_place *parent)
{
	struct member_test_place *place = member_test_free_place(world);

	if (!place)
		return;
	test_task_init(&place->task, test_task_fork_child);
	parent->task.child = &place->task;
	test_task_act(&parent->task);
	place->alive = place->task.task;
	KUNIT_EXPECT_TRUE(world->test, place->alive);
}

/* The task exits. An event on it may outlive it, and be inherited by others. */
static void member_test_end(struct member_test_world *world,
			    struct member_test_place *place)
{
	if (place == world->place)
		return;
	place->alive = false;
	test_task_finish(&place->task);
	member_test_close(&place->own);
	if (member_test_random(world, 2))
		member_test_close(&place->shared);
}

static void member_test_step(struct member_test_world *world)
{
	struct member_test_place *place =
		&world->place[member_test_random(world, NR_TASKS)];

	if (!place->alive)
		return;
	switch (member_test_random(world, 8)) {
	case 0 ... 3:
		member_test_fork(world, place);
		break;
	case 4 ... 5:
		member_test_end(world, place);
		break;
	case 6:
		member_test_toggle(world, place, &place->own, false);
		break;
	case 7:
		member_test_toggle(world, place, &place->shared, true);
		break;
	}
}

static unsigned int
member_test_count_members(const struct member_test_world *world,
			  const struct perf_family *family)
{
	unsigned int n = 0;

	for (int i = 0; i < NR_TASKS; i++) {
		n += world->place[i].alive &&
		     test_task_family(world->place[i].task.task) == family;
	}
	return n;
}

static unsigned int member_test_count_loaded(const struct perf_family *family)
{
	struct perf_ctx *ctx;
	unsigned int n = 0;

	list_for_each_entry(ctx, &family->contexts, family_entry)
		n += READ_ONCE(ctx->loaded_cpu) != PERF_CPU_NONE;
	return n;
}

/* Not true while a CPU has taken a context and not loaded it yet. */
static bool member_test_all_are_somewhere(struct perf_family *family)
{
	guard(raw_spinlock_irq)(&family->lock);
	return test_family_nr_parked(family) + member_test_count_loaded(family) ==
	       family->nr_contexts;
}

static void member_test_check_family(struct member_test_world *world,
				     struct perf_family *family)
{
	struct kunit *test = world->test;
	struct perf_ctx *ctx, *eldest;
	unsigned int nr = 0;
	bool somewhere;

	guard(mutex)(&family->mutex);
	KUNIT_EXPECT_EQ(test, family->nr_members,
			member_test_count_members(world, family));
	KUNIT_EXPECT_GE(test, family->nr_contexts,
			perf_family_size_for(family, family->nr_members));
	KUNIT_EXPECT_LE(test, family->nr_contexts,
			max(2, family->nr_full));
	eldest = list_first_entry(&family->contexts, struct perf_ctx,
				  family_entry);
	list_for_each_entry(ctx, &family->contexts, family_entry) {
		nr++;
		KUNIT_EXPECT_PTR_EQ(test, ctx->family, family);
		KUNIT_EXPECT_EQ(test, ctx->nr_events, eldest->nr_events);
	}
	KUNIT_EXPECT_EQ(test, nr, family->nr_contexts);
	read_poll_timeout(member_test_all_are_somewhere, somewhere, somewhere,
			  10, TEST_TASK_PATIENCE_US, false, family);
	KUNIT_EXPECT_TRUE(test, somewhere);
}

static void member_test_check_task(struct member_test_world *world,
				   struct task_struct *task)
{
	struct perf_ctx *ctx = perf_task_ctx(task);

	if (!ctx)
		return;
	if (perf_ctx_is_handle(ctx)) {
		member_test_check_family(world, ctx->family);
		return;
	}
	KUNIT_EXPECT_NULL(world->test, ctx->family);
	KUNIT_EXPECT_PTR_EQ(world->test, ctx->pub.task, task);
}

static void member_test_world_end(void *arg)
{
	struct member_test_world *world = arg;

	for (int i = 0; i < NR_TASKS; i++) {
		struct member_test_place *place = &world->place[i];

		if (place->alive)
			test_task_finish(&place->task);
		member_test_close(&place->own);
		member_test_close(&place->shared);
	}
}

static void member_test_families(struct kunit *test)
{
	struct member_test_world *world =
		kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, world);
	world->test = test;
	fake_pmu_seed(test, &world->rnd);
	fake_pmu_undo(test, member_test_world_end, world);
	test_task_init(&world->place[0].task, test_task_fork_child);
	KUNIT_ASSERT_EQ(test, test_task_start(&world->place[0].task), 0);
	world->place[0].alive = true;
	member_test_toggle(world, world->place, &world->place[0].shared, true);

	for (int step = 0; step < NR_STEPS; step++) {
		member_test_step(world);
		for (int i = 0; i < NR_TASKS; i++) {
			if (world->place[i].alive)
				member_test_check_task(world,
						       world->place[i].task.task);
		}
	}
}

/* Each CPU has a place once there are as many contexts. */
static void member_test_families_random(struct kunit *test)
{
	member_test_families(test);
}

static void member_test_as_it_is(void *unused)
{
	perf_family_kunit_cpus = 0;
}

/* As on a computer with more CPUs than contexts. */
static void member_test_on_large(struct kunit *test)
{
	perf_family_kunit_cpus = 1000;
	fake_pmu_undo(test, member_test_as_it_is, NULL);
}

static void member_test_families_large(struct kunit *test)
{
	member_test_on_large(test);
	member_test_families(test);
}

/* A sibling is closed while a fork copies from a copy of its group. */

static void member_test_check_shape(struct kunit *test,
				    struct perf_event *leader)
{
	struct perf_event *child;

	guard(mutex)(&leader->child_mutex);
	KUNIT_EXPECT_EQ(test, leader->nr_siblings, 0);
	list_for_each_entry(child, &leader->child_list, child_list) {
		KUNIT_EXPECT_EQ(test, child->nr_siblings, 0);
		KUNIT_EXPECT_EQ(test, child->group_generation,
				leader->group_generation);
	}
}

static void member_test_group_once(struct kunit *test, struct rnd_state *rnd)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = true,
	};
	struct perf_event *leader = fake_pmu_open(test, &fake, &spec), *sibling;
	struct test_task *grandchild = test_task_make(test, NULL);
	struct test_task *child;

	spec.leader = leader;
	sibling = fake_pmu_open(test, &fake, &spec);
	child = test_task_fork(test, test_task_fork_child);
	child->child = grandchild;
	test_task_go(child);
	udelay(prandom_u32_state(rnd) % 150);
	fake_pmu_close(test, sibling);
	wait_for_completion(&child->done);

	member_test_check_shape(test, leader);
	KUNIT_ASSERT_NOT_NULL(test, grandchild->task);
	test_task_finish(grandchild);
	test_task_end(test, child);
	fake_pmu_close(test, leader);
}

static void member_test_group_closed(struct kunit *test)
{
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	for (int i = 0; i < NR_GROUPS; i++)
		member_test_group_once(test, &rnd);
}

/* The kernel opens events on a task that gives up all it has, as in an exec. */

static int member_test_nothing(void *unused)
{
	kthread_exit(0);
}

static void member_test_exec_often(struct test_task *self)
{
	for (int i = 0; i < NR_EXECS; i++) {
		kernel_thread(member_test_nothing, NULL, "kunit_member",
			      CLONE_FS | CLONE_FILES | SIGCHLD);
		perf_event_exit_task(current);
	}
	WRITE_ONCE(self->child, NULL);
}

static void member_test_exec_privileged(struct kunit *test)
{
	struct test_task *child = test_task_fork(test, member_test_exec_often);
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = child->task, .inherit = true,
	};
	struct perf_event *first, *second;

	child->child = child;
	test_task_go(child);
	while (READ_ONCE(child->child)) {
		first = fake_pmu_try_open(&fake, &spec);
		cond_resched();
		second = fake_pmu_try_open(&fake, &spec);
		if (!IS_ERR(first))
			perf_event_release_kernel(first);
		if (!IS_ERR(second))
			perf_event_release_kernel(second);
	}
	wait_for_completion(&child->done);
}

/* A sum is read while counts are exchanged. */

static void member_test_pin(int cpu)
{
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

static void member_test_take_turns(struct test_task *self)
{
	member_test_pin(cpumask_last(cpu_online_mask));
	while (!READ_ONCE(self->end)) {
		complete(&self->child->started);
		wait_for_completion(&self->started);
	}
	complete(&self->child->started);
}

static void member_test_tick_alone(struct test_task *self)
{
	member_test_pin(cpumask_last(cpu_online_mask));
	fake_pmu_tick(&fake, 1000000);
}

static void member_test_reset(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);

	perf_batch_event(event, PERF_BATCH_RESET);
	perf_event_ctx_unlock(event, ctx);
}

static void member_test_read_exchanged(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = true,
	};
	struct test_task *one, *two;
	struct perf_event *event;
	unsigned int wrong = 0;
	u64 sum;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	member_test_pin(cpumask_first(cpu_online_mask));
	event = fake_pmu_open(test, &fake, &spec);
	one = test_task_fork(test, member_test_tick_alone);
	two = test_task_fork(test, member_test_take_turns);
	test_task_act(one);
	sum = member_test_read(event);

	one->act = member_test_take_turns;
	one->child = two;
	two->child = one;
	test_task_go(one);
	test_task_go(two);
	for (int i = 0; i < NR_READS; i++)
		wrong += member_test_read(event) != sum;
	KUNIT_EXPECT_EQ(test, wrong, 0);

	for (int i = 0; i < NR_READS; i++) {
		fake_pmu_tick(&fake, 100);
		member_test_reset(event);
		wrong += member_test_read(event) != 0;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	WRITE_ONCE(one->end, true);
	WRITE_ONCE(two->end, true);
}

/*
 * An opener has found the context of a task and waits for its mutex. Meanwhile a
 * switch gives the context to another task, and that one exits.
 */

struct member_test_opener {
	struct test_task	self;
	struct task_struct	*target;
	struct perf_event	*event;
};

static void member_test_open_on_target(struct test_task *self)
{
	struct member_test_opener *opener =
		container_of(self, struct member_test_opener, self);
	struct fake_pmu_spec spec = { .cpu = -1, .task = opener->target };

	opener->event = fake_pmu_try_open(&fake, &spec);
}

static bool member_test_exchange(struct perf_ctx *ctx,
				 struct test_task *heir)
{
	guard(rcu)();
	guard(irqsave)();
	return perf_swap_try_oncpu(ctx, heir->task);
}

/* Does to @ctx what the heir's exit does, then undoes it: the heir lives on. */
static void member_test_orphan_before(struct kunit *test,
				      struct test_task *heir,
				      struct perf_ctx *ctx,
				      struct member_test_opener *opener)
{
	unsigned int refs = refcount_read(&ctx->refcount), now;

	scoped_guard(mutex, &ctx->mutex) {
		test_task_go(&opener->self);
		read_poll_timeout(refcount_read, now, now > refs, 100,
				  TEST_TASK_PATIENCE_US, false, &ctx->refcount);
		KUNIT_EXPECT_GT(test, now, refs);
		KUNIT_EXPECT_TRUE(test, member_test_exchange(ctx, heir));
		WRITE_ONCE(ctx->pub.task, TASK_TOMBSTONE);
	}
	wait_for_completion(&opener->self.done);
	scoped_guard(mutex, &ctx->mutex)
		WRITE_ONCE(ctx->pub.task, heir->task);
}

static void member_test_open_exchanged(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = true,
	};
	struct member_test_opener *opener =
		kunit_kzalloc(test, sizeof(*opener), GFP_KERNEL);
	struct test_task *target, *heir;
	struct perf_ctx *ctx;
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, opener);
	test_task_init(&opener->self, member_test_open_on_target);
	KUNIT_ASSERT_EQ(test, 0, test_task_start(&opener->self));
	fake_pmu_undo(test, test_task_finish, &opener->self);
	event = fake_pmu_open(test, &fake, &spec);
	target = test_task_fork(test, NULL);
	heir = test_task_fork(test, NULL);
	opener->target = target->task;
	test_task_wait_asleep(target);
	test_task_wait_asleep(heir);
	ctx = perf_task_ctx(target->task);

	member_test_orphan_before(test, heir, ctx, opener);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(opener->event), "%ld",
			       PTR_ERR(opener->event));
	KUNIT_EXPECT_PTR_NE(test, perf_event_ctx(opener->event), ctx);
	KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(opener->event),
			    perf_task_ctx(target->task));
	perf_event_release_kernel(opener->event);
	fake_pmu_close(test, event);
}

/* Copies need no rights of the task that forks, or that opens another event. */
#ifdef CONFIG_KPROBE_EVENTS
static noinline void member_test_probed(void)
{
	barrier();
}

static struct perf_event *member_test_open_kprobe(struct kunit *test)
{
	struct pmu *pmu = fake_find_pmu("kprobe");
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.inherit	= true,
		.kprobe_addr	= (unsigned long)member_test_probed,
	};
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, pmu);
	attr.type = pmu->type;
	event = perf_event_create_kernel_counter(&attr, -1, current, NULL,
						 NULL);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "%ld", PTR_ERR(event));
	return event;
}

static void member_test_unprivileged(struct kunit *test)
{
	struct perf_event *event = member_test_open_kprobe(test);
	struct test_task *child = test_task_make(test, NULL);
	struct cred *weak = prepare_creds();
	const struct cred *own;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, weak);
	cap_clear(weak->cap_effective);
	own = override_creds(weak);
	err = test_task_start(child);
	revert_creds(own);
	put_cred(weak);

	KUNIT_EXPECT_EQ(test, err, 0);
	member_test_probed();
	KUNIT_EXPECT_EQ(test, member_test_read(event), 1);
	if (!err)
		test_task_finish(child);
	perf_event_release_kernel(event);
}
#else
static void member_test_unprivileged(struct kunit *test)
{
	kunit_skip(test, "no kprobes");
}
#endif

/* Which events share contexts, and which may go to another task. */

struct member_test_kind {
	struct perf_event_attr	attr;
	int			capabilities;	/* of the PMU */
	bool			shared;		/* by a family */
	bool			equal;		/* or else exchanged at switches */
};

static const struct member_test_kind member_test_kinds[] = {
	{ .shared = true },
	{ .attr.inherit_stat = 1, .equal = true },
	{ .attr.pinned = 1, .equal = true },
	{ .attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID, .equal = true },
	{ .attr.sample_type = PERF_SAMPLE_STREAM_ID, .equal = true },
	{ .attr.enable_on_exec = 1 },
	{ .attr.remove_on_exec = 1 },
	{ .attr.sigtrap = 1 },
	{ .capabilities = PERF_PMU_CAP_EXCLUSIVE },
};

static void member_test_able_as_before(void *unused)
{
	fake.pmu.capabilities = 0;
}

static struct perf_event *
member_test_open_kind(struct kunit *test, const struct member_test_kind *kind)
{
	struct perf_event_attr attr = kind->attr;
	struct perf_event *event;

	attr.type = fake.pmu.type;
	attr.size = sizeof(attr);
	attr.inherit = 1;
	fake.pmu.capabilities = kind->capabilities;
	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

static void member_test_expect_kind(struct kunit *test, unsigned int nr)
{
	struct perf_event *event =
		member_test_open_kind(test, &member_test_kinds[nr]);
	struct test_task *child = test_task_fork(test, NULL);
	struct perf_ctx *ctx = perf_task_ctx(child->task);

	KUNIT_EXPECT_NOT_NULL(test, ctx);
	KUNIT_EXPECT_EQ_MSG(test, !!test_task_family(child->task),
			    member_test_kinds[nr].shared, "%u", nr);
	if (ctx && !test_task_family(child->task))
		KUNIT_EXPECT_EQ_MSG(test, !!ctx->equal,
				    member_test_kinds[nr].equal, "%u", nr);
	test_task_end(test, child);
	perf_event_release_kernel(event);
}

static void member_test_sharing(struct kunit *test)
{
	fake_pmu_undo(test, member_test_able_as_before, NULL);
	for (unsigned int nr = 0; nr < ARRAY_SIZE(member_test_kinds); nr++)
		member_test_expect_kind(test, nr);
}

/*
 * A task has exec'd, and its copy no longer waits. The eldest does, and so the
 * copies that the task's children get: their contexts stay with them.
 */
static void member_test_waits_for_exec(struct kunit *test)
{
	static const struct member_test_kind kind = { .attr.enable_on_exec = 1 };
	struct perf_event *event = member_test_open_kind(test, &kind);
	struct test_task *child = test_task_fork(test, test_task_fork_child);
	struct task_struct *task;
	struct perf_event *copy;

	child->child = test_task_make(test, NULL);
	test_newest_event(perf_task_ctx(child->task))->attr.enable_on_exec = 0;
	test_task_act(child);
	task = child->child->task;
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_NULL(test, test_task_family(child->task));
	KUNIT_EXPECT_NULL(test, test_task_family(task));
	KUNIT_EXPECT_EQ(test, perf_task_ctx(child->task)->equal, 0);
	KUNIT_EXPECT_EQ(test, perf_task_ctx(task)->equal, 0);
	copy = test_newest_event(perf_task_ctx(task));
	KUNIT_EXPECT_TRUE(test, copy->attr.enable_on_exec);
	test_task_finish(child->child);
	test_task_end(test, child);
	perf_event_release_kernel(event);
}

/* A context with an event that is not inherited stays with its task. */
static void member_test_not_inherited(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct test_task *child;

	fake_pmu_open(test, &fake, &spec);
	spec.inherit = false;
	fake_pmu_open(test, &fake, &spec);
	child = test_task_fork(test, NULL);
	KUNIT_EXPECT_NULL(test, test_task_family(child->task));
	KUNIT_EXPECT_NOT_NULL(test, perf_task_ctx(child->task));
	KUNIT_EXPECT_EQ(test, perf_task_ctx(current)->equal, 0);
}

static int (*member_test_take)(struct perf_event *event);
static int member_test_left;

static int member_test_refuse(struct perf_event *event)
{
	return member_test_left-- > 0 ? member_test_take(event) : -ENOSPC;
}

static void member_test_refuse_none(void *unused)
{
	fake.pmu.event_init = member_test_take;
}

/* The PMU takes @nr events, and refuses the others until the case ends. */
static void member_test_refuse_after(struct kunit *test, int nr)
{
	member_test_take = fake.pmu.event_init;
	member_test_left = nr;
	fake.pmu.event_init = member_test_refuse;
	fake_pmu_undo(test, member_test_refuse_none, NULL);
}

static void member_test_fork_fails(struct kunit *test)
{
	struct test_task *late = test_task_make(test, NULL);
	int err = test_task_start(late);

	KUNIT_EXPECT_EQ(test, err, -ENOSPC);
	if (!err)
		test_task_finish(late);
}

/* A pool gets one of the contexts that it needs: the family continues. */
static void member_test_pool_cannot_grow(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct perf_family *family;

	member_test_on_large(test);
	fake_pmu_open(test, &fake, &spec);
	test_task_fork(test, NULL);
	family = test_task_family(current);
	KUNIT_ASSERT_NOT_NULL(test, family);
	KUNIT_EXPECT_EQ(test, family->nr_contexts, 4);
	member_test_refuse_after(test, 1);
	member_test_fork_fails(test);
	KUNIT_EXPECT_EQ(test, family->nr_members, 2);
	KUNIT_EXPECT_EQ(test, family->nr_contexts, 5);
}

/* The first of a family's copies is made and the second is not. */
static void member_test_cannot_found(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct perf_event *event;

	member_test_on_large(test);
	event = fake_pmu_open(test, &fake, &spec);
	member_test_refuse_after(test, 1);
	member_test_fork_fails(test);
	KUNIT_EXPECT_NULL(test, test_task_family(current));
	KUNIT_EXPECT_TRUE(test, list_empty(&event->child_list));
}

static void member_test_expect_seen(struct kunit *test,
				    struct task_struct *task,
				    struct perf_ctx *expected)
{
	unsigned int refs = expected ? refcount_read(&expected->refcount) : 0;
	struct perf_ctx *seen = perf_member_see_ctx(task, -1);

	KUNIT_EXPECT_PTR_EQ(test, seen, expected);
	if (!seen)
		return;
	KUNIT_EXPECT_EQ(test, refcount_read(&seen->refcount), refs + 1);
	perf_ctx_put(seen);
}

/* The context that an event would join is seen without a change. */
static void member_test_see(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct test_task *child = test_task_fork(test, NULL), *member;
	struct perf_event *event;

	member_test_expect_seen(test, child->task, NULL);
	event = fake_pmu_open(test, &fake, &spec);
	member_test_expect_seen(test, current, perf_event_ctx(event));
	member = test_task_fork(test, NULL);
	KUNIT_ASSERT_NOT_NULL(test, test_task_family(current));
	member_test_expect_seen(test, current, perf_event_ctx(event));
	member_test_expect_seen(test, member->task, NULL);
	KUNIT_EXPECT_NOT_NULL(test, test_task_family(member->task));
}

/* A member forks. Before the family's mutex is free to it, it has left. */

static struct task_struct *member_test_leaver;

static void member_test_leave(struct test_task *self)
{
	perf_member_leave(member_test_leaver);
}

static void member_test_left_meanwhile(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct test_task *helper = test_task_fork(test, member_test_leave),
			 *member;
	struct test_task *late = test_task_make(test, NULL);
	struct perf_family *family;

	fake_pmu_open(test, &fake, &spec);
	member = test_task_fork(test, test_task_fork_child);
	member->child = late;
	member_test_leaver = member->task;
	family = test_task_family(member->task);
	KUNIT_ASSERT_NOT_NULL(test, family);
	scoped_guard(mutex, &family->mutex) {
		test_task_go(helper);
		msleep(20);
		test_task_go(member);
		msleep(20);
	}
	wait_for_completion(&helper->done);
	wait_for_completion(&member->done);
	KUNIT_ASSERT_NOT_NULL(test, late->task);
	KUNIT_EXPECT_NOT_NULL(test, perf_task_ctx(late->task));
	test_task_finish(late);
}

/*
 * A task that leaves is no longer counted, and its reference on the handle is
 * put.
 */
static void member_test_leaves(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct perf_family *family;
	struct test_task *member;
	unsigned int refs;

	fake_pmu_open(test, &fake, &spec);
	member = test_task_fork(test, NULL);
	family = test_task_family(current);
	KUNIT_ASSERT_NOT_NULL(test, family);
	refs = refcount_read(&family->handle.refcount);
	KUNIT_EXPECT_EQ(test, perf_member_leave(member->task), 0);
	KUNIT_EXPECT_NULL(test, test_task_family(member->task));
	KUNIT_EXPECT_EQ(test, family->nr_members, 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&family->handle.refcount),
			refs - 1);
}

static struct kunit_case member_test_cases[] = {
	KUNIT_CASE(member_test_sharing),
	KUNIT_CASE(member_test_waits_for_exec),
	KUNIT_CASE(member_test_not_inherited),
	KUNIT_CASE(member_test_pool_cannot_grow),
	KUNIT_CASE(member_test_cannot_found),
	KUNIT_CASE(member_test_see),
	KUNIT_CASE(member_test_left_meanwhile),
	KUNIT_CASE(member_test_leaves),
	KUNIT_CASE(member_test_families_random),
	KUNIT_CASE(member_test_families_large),
	KUNIT_CASE(member_test_group_closed),
	KUNIT_CASE(member_test_exec_privileged),
	KUNIT_CASE(member_test_read_exchanged),
	KUNIT_CASE(member_test_open_exchanged),
	KUNIT_CASE(member_test_unprivileged),
	{ }
};

static struct kunit_suite member_test_suite = {
	.name		= "perf_member",
	.suite_init	= member_test_suite_init,
	.suite_exit	= member_test_suite_exit,
	.init		= member_test_init,
	.test_cases	= member_test_cases,
};

kunit_test_suite(member_test_suite);
