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

static int mk_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_member");
}

static void mk_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void mk_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int mk_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, mk_check_idle, test);
}

static u64 mk_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* A family, or several, at random. */

struct mk_place {
	struct fm_task		task;
	bool			alive;
	struct perf_event	*own;		/* not inherited */
	struct perf_event	*shared;	/* inherited */
};

struct mk_world {
	struct kunit		*test;
	struct rnd_state	rnd;
	struct mk_place		place[NR_TASKS];
};

static unsigned int mk_random(struct mk_world *world, unsigned int below)
{
	return prandom_u32_state(&world->rnd) % below;
}

static void mk_close(struct perf_event **event)
{
	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
}

static void mk_toggle(struct mk_world *world, struct mk_place *place,
		      struct perf_event **event, bool inherit)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = place->task.task, .inherit = inherit,
	};

	if (*event) {
		mk_close(event);
		return;
	}
	*event = fake_pmu_try_open(&fake, &spec);
	KUNIT_EXPECT_FALSE(world->test, IS_ERR(*event));
	if (IS_ERR(*event))
		*event = NULL;
}

static struct mk_place *mk_free_place(struct mk_world *world)
{
	for (int i = 0; i < NR_TASKS; i++) {
		if (!world->place[i].alive)
			return &world->place[i];
	}
	return NULL;
}

static void mk_fork(struct mk_world *world, struct mk_place *parent)
{
	struct mk_place *place = mk_free_place(world);

	if (!place)
		return;
	fm_task_init(&place->task, fm_fork_again);
	parent->task.child = &place->task;
	fm_act(&parent->task);
	place->alive = place->task.task;
	KUNIT_EXPECT_TRUE(world->test, place->alive);
}

/* The task exits. An event on it may outlive it, and be inherited by others. */
static void mk_end(struct mk_world *world, struct mk_place *place)
{
	if (place == world->place)
		return;
	place->alive = false;
	fm_task_end(&place->task);
	mk_close(&place->own);
	if (mk_random(world, 2))
		mk_close(&place->shared);
}

static void mk_step(struct mk_world *world)
{
	struct mk_place *place = &world->place[mk_random(world, NR_TASKS)];

	if (!place->alive)
		return;
	switch (mk_random(world, 8)) {
	case 0 ... 3:
		mk_fork(world, place);
		break;
	case 4 ... 5:
		mk_end(world, place);
		break;
	case 6:
		mk_toggle(world, place, &place->own, false);
		break;
	case 7:
		mk_toggle(world, place, &place->shared, true);
		break;
	}
}

static unsigned int mk_count_members(const struct mk_world *world,
				     const struct perf_family *family)
{
	unsigned int n = 0;

	for (int i = 0; i < NR_TASKS; i++) {
		n += world->place[i].alive &&
		     fm_family_of(world->place[i].task.task) == family;
	}
	return n;
}

static unsigned int mk_count_loaded(const struct perf_family *family)
{
	struct perf_event_context *ctx;
	unsigned int n = 0;

	list_for_each_entry(ctx, &family->contexts, family_entry)
		n += READ_ONCE(ctx->loaded_cpu) != PERF_CPU_NONE;
	return n;
}

/* Not true while a CPU has taken a context and not loaded it yet. */
static bool mk_all_are_somewhere(struct perf_family *family)
{
	guard(raw_spinlock_irq)(&family->lock);
	return family->nr_parked + mk_count_loaded(family) ==
	       family->nr_contexts;
}

static void mk_check_family(struct mk_world *world, struct perf_family *family)
{
	struct kunit *test = world->test;
	struct perf_event_context *ctx, *eldest;
	unsigned int nr = 0;
	bool somewhere;

	guard(mutex)(&family->mutex);
	KUNIT_EXPECT_EQ(test, family->nr_members,
			mk_count_members(world, family));
	KUNIT_EXPECT_GE(test, family->nr_contexts,
			min(family->nr_members, num_possible_cpus()));
	KUNIT_EXPECT_LE(test, family->nr_contexts,
			max(2, num_possible_cpus()));
	eldest = list_first_entry(&family->contexts, struct perf_event_context,
				  family_entry);
	list_for_each_entry(ctx, &family->contexts, family_entry) {
		nr++;
		KUNIT_EXPECT_PTR_EQ(test, ctx->family, family);
		KUNIT_EXPECT_EQ(test, ctx->nr_events, eldest->nr_events);
	}
	KUNIT_EXPECT_EQ(test, nr, family->nr_contexts);
	read_poll_timeout(mk_all_are_somewhere, somewhere, somewhere, 10,
			  FM_PATIENCE_US, false, family);
	KUNIT_EXPECT_TRUE(test, somewhere);
}

static void mk_check_task(struct mk_world *world, struct task_struct *task)
{
	struct perf_event_context *ctx = task->perf_event_ctxp;

	if (!ctx)
		return;
	if (perf_ctx_is_handle(ctx)) {
		mk_check_family(world, ctx->family);
		return;
	}
	KUNIT_EXPECT_NULL(world->test, ctx->family);
	KUNIT_EXPECT_PTR_EQ(world->test, ctx->task, task);
}

static void mk_world_end(void *arg)
{
	struct mk_world *world = arg;

	for (int i = 0; i < NR_TASKS; i++) {
		struct mk_place *place = &world->place[i];

		if (place->alive)
			fm_task_end(&place->task);
		mk_close(&place->own);
		mk_close(&place->shared);
	}
}

static void mk_families_random(struct kunit *test)
{
	struct mk_world *world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, world);
	world->test = test;
	fake_pmu_seed(test, &world->rnd);
	fake_pmu_undo(test, mk_world_end, world);
	fm_task_init(&world->place[0].task, fm_fork_again);
	KUNIT_ASSERT_EQ(test, fm_task_fork(&world->place[0].task), 0);
	world->place[0].alive = true;
	mk_toggle(world, world->place, &world->place[0].shared, true);

	for (int step = 0; step < NR_STEPS; step++) {
		mk_step(world);
		for (int i = 0; i < NR_TASKS; i++) {
			if (world->place[i].alive)
				mk_check_task(world, world->place[i].task.task);
		}
	}
}

/* A sibling is closed while a fork copies from a copy of its group. */

static void mk_check_shape(struct kunit *test, struct perf_event *leader)
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

static void mk_group_once(struct kunit *test, struct rnd_state *rnd)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = true,
	};
	struct perf_event *leader = fake_pmu_open(test, &fake, &spec), *sibling;
	struct fm_task *grandchild = fm_task_make(test, NULL);
	struct fm_task *child;

	spec.leader = leader;
	sibling = fake_pmu_open(test, &fake, &spec);
	child = fm_fork(test, fm_fork_again);
	child->child = grandchild;
	fm_go(child);
	udelay(prandom_u32_state(rnd) % 150);
	fake_pmu_close(test, sibling);
	wait_for_completion(&child->done);

	mk_check_shape(test, leader);
	KUNIT_ASSERT_NOT_NULL(test, grandchild->task);
	fm_task_end(grandchild);
	fm_end(test, child);
	fake_pmu_close(test, leader);
}

static void mk_group_closed(struct kunit *test)
{
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	for (int i = 0; i < NR_GROUPS; i++)
		mk_group_once(test, &rnd);
}

/* The kernel opens events on a task that gives up all it has, as in an exec. */

static int mk_nothing(void *unused)
{
	kthread_exit(0);
}

static void mk_exec_often(struct fm_task *self)
{
	for (int i = 0; i < NR_EXECS; i++) {
		kernel_thread(mk_nothing, NULL, "kunit_member",
			      CLONE_FS | CLONE_FILES | SIGCHLD);
		perf_event_exit_task(current);
	}
	WRITE_ONCE(self->child, NULL);
}

static void mk_exec_privileged(struct kunit *test)
{
	struct fm_task *child = fm_fork(test, mk_exec_often);
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = child->task, .inherit = true,
	};
	struct perf_event *first, *second;

	child->child = child;
	fm_go(child);
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

static void mk_pin(int cpu)
{
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

static void mk_take_turns(struct fm_task *self)
{
	mk_pin(cpumask_last(cpu_online_mask));
	while (!READ_ONCE(self->end)) {
		complete(&self->child->started);
		wait_for_completion(&self->started);
	}
	complete(&self->child->started);
}

static void mk_tick_alone(struct fm_task *self)
{
	mk_pin(cpumask_last(cpu_online_mask));
	fake_pmu_tick(&fake, 1000000);
}

static void mk_reset(struct perf_event *event)
{
	struct perf_event_context *ctx = perf_event_ctx_lock(event);

	perf_batch_event(event, PERF_BATCH_RESET);
	perf_event_ctx_unlock(event, ctx);
}

static void mk_read_exchanged(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = true,
	};
	struct fm_task *one, *two;
	struct perf_event *event;
	unsigned int wrong = 0;
	u64 sum;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	mk_pin(cpumask_first(cpu_online_mask));
	event = fake_pmu_open(test, &fake, &spec);
	one = fm_fork(test, mk_tick_alone);
	two = fm_fork(test, mk_take_turns);
	fm_act(one);
	sum = mk_read(event);

	one->act = mk_take_turns;
	one->child = two;
	two->child = one;
	fm_go(one);
	fm_go(two);
	for (int i = 0; i < NR_READS; i++)
		wrong += mk_read(event) != sum;
	KUNIT_EXPECT_EQ(test, wrong, 0);

	for (int i = 0; i < NR_READS; i++) {
		fake_pmu_tick(&fake, 100);
		mk_reset(event);
		wrong += mk_read(event) != 0;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	WRITE_ONCE(one->end, true);
	WRITE_ONCE(two->end, true);
}

/*
 * An opener has found the context of a task and waits for its mutex. Meanwhile a
 * switch gives the context to another task, and that one exits.
 */

struct mk_opener {
	struct fm_task		self;
	struct task_struct	*target;
	struct perf_event	*event;
};

static void mk_open_on_target(struct fm_task *self)
{
	struct mk_opener *opener = container_of(self, struct mk_opener, self);
	struct fake_pmu_spec spec = { .cpu = -1, .task = opener->target };

	opener->event = fake_pmu_try_open(&fake, &spec);
}

static bool mk_exchange(struct perf_event_context *ctx, struct fm_task *heir)
{
	guard(rcu)();
	guard(irqsave)();
	return perf_swap_try_oncpu(ctx, heir->task);
}

/* Does to @ctx what the heir's exit does, then undoes it: the heir lives on. */
static void mk_orphan_before(struct kunit *test, struct fm_task *heir,
			     struct perf_event_context *ctx,
			     struct mk_opener *opener)
{
	unsigned int refs = refcount_read(&ctx->refcount), now;

	scoped_guard(mutex, &ctx->mutex) {
		fm_go(&opener->self);
		read_poll_timeout(refcount_read, now, now > refs, 100,
				  FM_PATIENCE_US, false, &ctx->refcount);
		KUNIT_EXPECT_GT(test, now, refs);
		KUNIT_EXPECT_TRUE(test, mk_exchange(ctx, heir));
		WRITE_ONCE(ctx->task, TASK_TOMBSTONE);
	}
	wait_for_completion(&opener->self.done);
	scoped_guard(mutex, &ctx->mutex)
		WRITE_ONCE(ctx->task, heir->task);
}

static void mk_open_exchanged(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = true,
	};
	struct mk_opener *opener = kunit_kzalloc(test, sizeof(*opener),
						 GFP_KERNEL);
	struct fm_task *target, *heir;
	struct perf_event_context *ctx;
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, opener);
	fm_task_init(&opener->self, mk_open_on_target);
	KUNIT_ASSERT_EQ(test, 0, fm_task_fork(&opener->self));
	fake_pmu_undo(test, fm_task_end, &opener->self);
	event = fake_pmu_open(test, &fake, &spec);
	target = fm_fork(test, NULL);
	heir = fm_fork(test, NULL);
	opener->target = target->task;
	fm_settle(target);
	fm_settle(heir);
	ctx = READ_ONCE(target->task->perf_event_ctxp);

	mk_orphan_before(test, heir, ctx, opener);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(opener->event), "%ld",
			       PTR_ERR(opener->event));
	KUNIT_EXPECT_PTR_NE(test, opener->event->ctx, ctx);
	KUNIT_EXPECT_PTR_EQ(test, opener->event->ctx,
			    READ_ONCE(target->task->perf_event_ctxp));
	perf_event_release_kernel(opener->event);
	fake_pmu_close(test, event);
}

/* Copies need no rights of the task that forks, or that opens another event. */
#ifdef CONFIG_KPROBE_EVENTS
static noinline void mk_probed(void)
{
	barrier();
}

static struct perf_event *mk_open_kprobe(struct kunit *test)
{
	struct pmu *pmu = fake_find_pmu("kprobe");
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.inherit	= true,
		.kprobe_addr	= (unsigned long)mk_probed,
	};
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, pmu);
	attr.type = pmu->type;
	event = perf_event_create_kernel_counter(&attr, -1, current, NULL,
						 NULL);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "%ld", PTR_ERR(event));
	return event;
}

static void mk_unprivileged(struct kunit *test)
{
	struct perf_event *event = mk_open_kprobe(test);
	struct fm_task *child = fm_task_make(test, NULL);
	struct cred *weak = prepare_creds();
	const struct cred *own;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, weak);
	cap_clear(weak->cap_effective);
	own = override_creds(weak);
	err = fm_task_fork(child);
	revert_creds(own);
	put_cred(weak);

	KUNIT_EXPECT_EQ(test, err, 0);
	mk_probed();
	KUNIT_EXPECT_EQ(test, mk_read(event), 1);
	if (!err)
		fm_task_end(child);
	perf_event_release_kernel(event);
}
#else
static void mk_unprivileged(struct kunit *test)
{
	kunit_skip(test, "no kprobes");
}
#endif

/* Which events share contexts, and which may go to another task. */

struct mk_kind {
	struct perf_event_attr	attr;
	int			capabilities;	/* of the PMU */
	bool			shared;		/* by a family */
	bool			equal;		/* or else exchanged at switches */
};

static const struct mk_kind mk_kinds[] = {
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

static void mk_able_as_before(void *unused)
{
	fake.pmu.capabilities = 0;
}

static struct perf_event *mk_open_kind(struct kunit *test,
				       const struct mk_kind *kind)
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

static void mk_expect_kind(struct kunit *test, unsigned int nr)
{
	struct perf_event *event = mk_open_kind(test, &mk_kinds[nr]);
	struct fm_task *child = fm_fork(test, NULL);
	struct perf_event_context *ctx = READ_ONCE(child->task->perf_event_ctxp);

	KUNIT_EXPECT_NOT_NULL(test, ctx);
	KUNIT_EXPECT_EQ_MSG(test, !!fm_family_of(child->task),
			    mk_kinds[nr].shared, "%u", nr);
	if (ctx && !fm_family_of(child->task))
		KUNIT_EXPECT_EQ_MSG(test, !!ctx->equal, mk_kinds[nr].equal,
				    "%u", nr);
	fm_end(test, child);
	perf_event_release_kernel(event);
}

static void mk_sharing(struct kunit *test)
{
	fake_pmu_undo(test, mk_able_as_before, NULL);
	for (unsigned int nr = 0; nr < ARRAY_SIZE(mk_kinds); nr++)
		mk_expect_kind(test, nr);
}

/* A context with an event that is not inherited stays with its task. */
static void mk_not_inherited(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct fm_task *child;

	fake_pmu_open(test, &fake, &spec);
	spec.inherit = false;
	fake_pmu_open(test, &fake, &spec);
	child = fm_fork(test, NULL);
	KUNIT_EXPECT_NULL(test, fm_family_of(child->task));
	KUNIT_EXPECT_NOT_NULL(test, child->task->perf_event_ctxp);
	KUNIT_EXPECT_EQ(test, current->perf_event_ctxp->equal, 0);
}

static int (*mk_take)(struct perf_event *event);

static int mk_refuse(struct perf_event *event)
{
	return -ENOSPC;
}

static void mk_refuse_none(void *unused)
{
	fake.pmu.event_init = mk_take;
}

/* A pool that has to grow and cannot: the fork fails, the family goes on. */
static void mk_pool_cannot_grow(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct fm_task *late = fm_task_make(test, NULL);
	struct perf_family *family;
	int err;

	if (num_possible_cpus() < 3)
		kunit_skip(test, "the pool has all that it may have");
	fake_pmu_open(test, &fake, &spec);
	fm_fork(test, NULL);
	family = fm_family_of(current);
	KUNIT_ASSERT_NOT_NULL(test, family);
	mk_take = fake.pmu.event_init;
	fake.pmu.event_init = mk_refuse;
	fake_pmu_undo(test, mk_refuse_none, NULL);
	err = fm_task_fork(late);
	KUNIT_EXPECT_EQ(test, err, -ENOSPC);
	if (!err)
		fm_task_end(late);
	KUNIT_EXPECT_EQ(test, family->nr_members, 2);
	KUNIT_EXPECT_EQ(test, family->nr_contexts, 2);
}

static void mk_expect_seen(struct kunit *test, struct task_struct *task,
			   struct perf_event_context *expected)
{
	unsigned int refs = expected ? refcount_read(&expected->refcount) : 0;
	struct perf_event_context *seen = perf_member_see_ctx(task);

	KUNIT_EXPECT_PTR_EQ(test, seen, expected);
	if (!seen)
		return;
	KUNIT_EXPECT_EQ(test, refcount_read(&seen->refcount), refs + 1);
	perf_ctx_put(seen);
}

/* The context that an event would join is seen without a change. */
static void mk_see(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct fm_task *child = fm_fork(test, NULL), *member;
	struct perf_event *event;

	mk_expect_seen(test, child->task, NULL);
	event = fake_pmu_open(test, &fake, &spec);
	mk_expect_seen(test, current, event->ctx);
	member = fm_fork(test, NULL);
	KUNIT_ASSERT_NOT_NULL(test, fm_family_of(current));
	mk_expect_seen(test, current, event->ctx);
	mk_expect_seen(test, member->task, NULL);
	KUNIT_EXPECT_NOT_NULL(test, fm_family_of(member->task));
}

/* A member forks. Before the family's mutex is free to it, it has left. */

static struct task_struct *mk_leaver;

static void mk_leave(struct fm_task *self)
{
	perf_member_leave(mk_leaver);
}

static void mk_left_meanwhile(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true,
	};
	struct fm_task *helper = fm_fork(test, mk_leave), *member;
	struct fm_task *late = fm_task_make(test, NULL);
	struct perf_family *family;

	fake_pmu_open(test, &fake, &spec);
	member = fm_fork(test, fm_fork_again);
	member->child = late;
	mk_leaver = member->task;
	family = fm_family_of(member->task);
	KUNIT_ASSERT_NOT_NULL(test, family);
	scoped_guard(mutex, &family->mutex) {
		fm_go(helper);
		msleep(20);
		fm_go(member);
		msleep(20);
	}
	wait_for_completion(&helper->done);
	wait_for_completion(&member->done);
	KUNIT_ASSERT_NOT_NULL(test, late->task);
	KUNIT_EXPECT_NOT_NULL(test, late->task->perf_event_ctxp);
	fm_task_end(late);
}

static struct kunit_case mk_cases[] = {
	KUNIT_CASE(mk_sharing),
	KUNIT_CASE(mk_not_inherited),
	KUNIT_CASE(mk_pool_cannot_grow),
	KUNIT_CASE(mk_see),
	KUNIT_CASE(mk_left_meanwhile),
	KUNIT_CASE(mk_families_random),
	KUNIT_CASE(mk_group_closed),
	KUNIT_CASE(mk_exec_privileged),
	KUNIT_CASE(mk_read_exchanged),
	KUNIT_CASE(mk_open_exchanged),
	KUNIT_CASE(mk_unprivileged),
	{ }
};

static struct kunit_suite mk_suite = {
	.name		= "perf_member",
	.suite_init	= mk_suite_init,
	.suite_exit	= mk_suite_exit,
	.init		= mk_init,
	.test_cases	= mk_cases,
};

kunit_test_suite(mk_suite);
