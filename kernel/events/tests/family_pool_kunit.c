// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room family: the pool of contexts, against a model of it.  CPUs
 * take and return contexts as if they ran members.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "../context.h"
#include "../family.h"
#include "fake_pmu.h"
#include "family_tasks.h"

/* Two for each member, and one more while a member leaves. */
#define NR_TEST_MEMBERS	3
#define NR_POOL		(2 * NR_TEST_MEMBERS + 1)
#define NR_TEST_CPUS	8
#define NR_STEPS	20000

enum pool_test_place { POOL_TEST_OUTSIDE, POOL_TEST_PARKED, POOL_TEST_TAKEN };

struct pool_test {
	struct perf_family		*family;
	struct perf_ctx			*ctx[NR_POOL];
	enum pool_test_place		place[NR_POOL];
	/* By CPU, of those that take part. */
	struct perf_ctx			*held[NR_TEST_CPUS];
};

static unsigned int pool_test_count(const struct pool_test *pool,
				    enum pool_test_place place)
{
	unsigned int n = 0;

	for (int i = 0; i < NR_POOL; i++)
		n += pool->place[i] == place;
	return n;
}

static int pool_test_find(const struct pool_test *pool,
			  const struct perf_ctx *ctx)
{
	for (int i = 0; i < NR_POOL; i++) {
		if (pool->ctx[i] == ctx)
			return i;
	}
	return -1;
}

/* The next one in @place, from @i on; -1 if there is none. */
static int pool_test_next(const struct pool_test *pool,
			  enum pool_test_place place, int i)
{
	for (int n = 0; n < NR_POOL; n++, i++) {
		if (pool->place[i % NR_POOL] == place)
			return i % NR_POOL;
	}
	return -1;
}

struct pool_test_call {
	struct perf_family	*family;
	struct perf_ctx		*ctx;
};

static void pool_test_take_oncpu(void *arg)
{
	struct pool_test_call *call = arg;

	call->ctx = perf_family_take_oncpu(call->family);
}

static void pool_test_return_oncpu(void *arg)
{
	struct pool_test_call *call = arg;

	guard(raw_spinlock)(&call->ctx->lock);
	perf_family_return_locked(call->family, call->ctx);
}

static void pool_test_take(struct kunit *test, struct pool_test *pool, int cpu)
{
	struct pool_test_call call = { .family = pool->family };
	int i;

	smp_call_function_single(cpu, pool_test_take_oncpu, &call, true);
	i = pool_test_find(pool, call.ctx);
	KUNIT_ASSERT_GE_MSG(test, i, 0, "no context found");
	KUNIT_EXPECT_EQ(test, pool->place[i], POOL_TEST_PARKED);
	pool->place[i] = POOL_TEST_TAKEN;
	pool->held[cpu] = call.ctx;
}

static void pool_test_return(struct pool_test *pool, int cpu)
{
	struct pool_test_call call = {
		.family = pool->family, .ctx = pool->held[cpu],
	};
	int i = pool_test_find(pool, call.ctx);

	smp_call_function_single(cpu, pool_test_return_oncpu, &call, true);
	pool->held[cpu] = NULL;
	if (pool->place[i] == POOL_TEST_TAKEN)
		pool->place[i] = POOL_TEST_PARKED;
}

/* A CPU that has it unloads it, and does not return it. */
static void pool_test_put_outside(struct pool_test *pool, int i)
{
	pool->place[i] = POOL_TEST_OUTSIDE;
	for (int cpu = 0; cpu < NR_TEST_CPUS; cpu++) {
		if (pool->held[cpu] == pool->ctx[i])
			pool->held[cpu] = NULL;
	}
}

static void pool_test_withdraw(struct pool_test *pool, int i)
{
	if (pool->place[i] == POOL_TEST_OUTSIDE)
		return;
	perf_family_withdraw(pool->ctx[i]);
	pool_test_put_outside(pool, i);
}

/* Replaces a context by the next one that is outside, from @i on. */
static void pool_test_replace(struct pool_test *pool, int i)
{
	int new = pool_test_next(pool, POOL_TEST_OUTSIDE, i);

	perf_family_replace(pool->ctx[i], pool->ctx[new]);
	pool_test_put_outside(pool, i);
	pool->place[new] = POOL_TEST_PARKED;
}

/* One more member, as in a fork. */
static void pool_test_join(struct pool_test *pool)
{
	guard(mutex)(&pool->family->mutex);
	while (perf_family_wants_context(pool->family)) {
		int i = pool_test_next(pool, POOL_TEST_OUTSIDE, 0);

		perf_family_add(pool->family, pool->ctx[i]);
		pool->place[i] = POOL_TEST_PARKED;
	}
	pool->family->nr_members++;
}

static unsigned int pool_test_nr_held(const struct pool_test *pool)
{
	unsigned int n = 0;

	for (int cpu = 0; cpu < NR_TEST_CPUS; cpu++)
		n += !!pool->held[cpu];
	return n;
}

/* A member that does not run exits, or gets back the eldest events. */
static void pool_test_leave(struct pool_test *pool, struct rnd_state *rnd)
{
	u32 draw = prandom_u32_state(rnd);
	int i = draw / 8 % NR_POOL;

	guard(mutex)(&pool->family->mutex);
	if (draw % 2) {
		/* Any of the pool, parked or taken. */
		while (pool->place[i] == POOL_TEST_OUTSIDE)
			i = (i + 1) % NR_POOL;
		pool_test_replace(pool, i);
	}
	pool->family->nr_members--;
}

static void pool_test_step(struct kunit *test, struct pool_test *pool,
			   struct rnd_state *rnd)
{
	unsigned int draw = prandom_u32_state(rnd) % 16;
	unsigned int nr_held = pool_test_nr_held(pool);
	unsigned int nr_members = pool->family->nr_members;
	int cpu = cpumask_nth(draw % NR_TEST_CPUS % num_online_cpus(),
			      cpu_online_mask);

	if (draw == 15 && nr_members < NR_TEST_MEMBERS)
		pool_test_join(pool);
	else if (draw == 14 && nr_held < nr_members)
		pool_test_leave(pool, rnd);
	else if (pool->held[cpu])
		pool_test_return(pool, cpu);
	else if (nr_held < nr_members)
		pool_test_take(test, pool, cpu);
}

static unsigned int pool_test_nr_places(const struct perf_family *family)
{
	unsigned int n = 0;

	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++)
		n += !!family->places[cpu].ctx;
	return n;
}

static void pool_test_check(struct kunit *test, const struct pool_test *pool)
{
	const struct perf_family *family = pool->family;

	KUNIT_EXPECT_EQ(test, test_family_nr_parked(family),
			pool_test_count(pool, POOL_TEST_PARKED));
	KUNIT_EXPECT_EQ(test, family->nr_contexts,
			NR_POOL - pool_test_count(pool, POOL_TEST_OUTSIDE));
	if (family->nr_contexts < family->nr_full) {
		KUNIT_EXPECT_EQ(test, pool_test_nr_places(family),
				family->nr_owners);
		KUNIT_EXPECT_LE(test, family->nr_owners,
				family->nr_contexts / PERF_FAMILY_PER_MEMBER);
	}
	for (int i = 0; i < NR_POOL; i++)
		KUNIT_EXPECT_EQ(test, !!pool->ctx[i]->family,
				pool->place[i] != POOL_TEST_OUTSIDE);
}

static void pool_test_free(void *arg)
{
	struct pool_test *pool = arg;

	for (int i = 0; i < NR_POOL && pool->ctx[i]; i++) {
		scoped_guard(mutex, &pool->family->mutex)
			pool_test_withdraw(pool, i);
		perf_ctx_put(pool->ctx[i]);
	}
	perf_ctx_put(&pool->family->handle);
}

/* Return: a pool as on a computer with @nr_cpus; 0: with those of this one. */
static struct pool_test *pool_test_make(struct kunit *test,
					unsigned int nr_cpus)
{
	struct pool_test *pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pool);
	pool->family = perf_family_alloc(false);
	KUNIT_ASSERT_NOT_NULL(test, pool->family);
	fake_pmu_undo(test, pool_test_free, pool);
	for (int i = 0; i < NR_POOL; i++) {
		pool->ctx[i] = perf_ctx_alloc_task(current);
		KUNIT_ASSERT_NOT_NULL(test, pool->ctx[i]);
	}
	if (nr_cpus)
		pool->family->nr_full = nr_cpus;
	return pool;
}

static void pool_test_walk(struct kunit *test, unsigned int nr_cpus)
{
	struct pool_test *pool = pool_test_make(test, nr_cpus);
	struct rnd_state rnd;

	if (num_possible_cpus() > NR_TEST_CPUS)
		kunit_skip(test, "more than %d CPUs", NR_TEST_CPUS);
	fake_pmu_seed(test, &rnd);
	for (int step = 0; step < NR_STEPS; step++) {
		pool_test_step(test, pool, &rnd);
		if (step % 16)
			continue;
		pool_test_check(test, pool);
		cond_resched();
	}
}

/* Each CPU has a place once there are as many contexts. */
static void pool_test_random(struct kunit *test)
{
	pool_test_walk(test, 0);
}

/* There are fewer contexts than CPUs. */
static void pool_test_random_large(struct kunit *test)
{
	pool_test_walk(test, 1000);
}

/* A CPU takes the context that it has parked itself. */
static void pool_test_nearest(struct kunit *test)
{
	struct pool_test *pool = pool_test_make(test, 0);
	struct perf_ctx *first;

	pool_test_join(pool);
	pool_test_take(test, pool, 0);
	first = pool->held[0];
	pool_test_return(pool, 0);
	KUNIT_EXPECT_PTR_EQ(test, pool->family->places[0].ctx, first);
	pool_test_take(test, pool, 0);
	KUNIT_EXPECT_PTR_EQ(test, pool->held[0], first);
	pool_test_return(pool, 0);
}

/* With few contexts, CPUs that stop to use their place lose it to others. */
static void pool_test_place_moves(struct kunit *test)
{
	struct pool_test *pool = pool_test_make(test, 1000);
	struct perf_family *family = pool->family;

	if (num_online_cpus() < 2 || !cpu_online(1))
		kunit_skip(test, "one CPU only");
	/* Two contexts: one place. */
	pool_test_join(pool);
	for (int round = 0; round < 4; round++) {
		int here = round % 2;

		pool_test_take(test, pool, here);
		/* The one that was moved out of this CPU's place is spare. */
		if (round >= 2)
			KUNIT_EXPECT_EQ(test, pool->held[here]->parked_cpu, here);
		pool_test_return(pool, here);
		KUNIT_EXPECT_EQ(test, family->nr_owners, 1);
		KUNIT_EXPECT_NULL(test, family->places[!here].ctx);
		KUNIT_EXPECT_EQ(test, test_family_nr_parked(family), 2);
	}
}

/* With two places, the CPU that has had its own for longer loses it. */
static void pool_test_oldest_place(struct kunit *test)
{
	struct pool_test *pool = pool_test_make(test, 1000);
	int cpu[3];

	if (num_online_cpus() < 3)
		kunit_skip(test, "fewer than 3 CPUs");
	pool_test_join(pool);
	pool_test_join(pool);
	for (int i = 0; i < 3; i++) {
		cpu[i] = cpumask_nth(i, cpu_online_mask);
		pool_test_take(test, pool, cpu[i]);
		pool_test_return(pool, cpu[i]);
	}
	KUNIT_EXPECT_NULL(test, pool->family->places[cpu[0]].ctx);
	KUNIT_EXPECT_NOT_NULL(test, pool->family->places[cpu[1]].ctx);
	KUNIT_EXPECT_NOT_NULL(test, pool->family->places[cpu[2]].ctx);
	pool_test_check(test, pool);
}

/* A family by CPU: each CPU takes its own context, also when that is replaced. */

#define POOL_TEST_REPLACED	300

static struct pool_test_taker {
	struct perf_family	*family;
	int			cpu;
	unsigned int		taken;
	unsigned int		wrong;
	struct completion	ready;
} pool_test_taker;

static bool pool_test_take_own(struct pool_test_taker *taker)
{
	struct perf_ctx *ctx;

	guard(rcu)();
	guard(irq)();
	ctx = perf_family_take_oncpu(taker->family);
	if (!ctx)
		return false;
	guard(raw_spinlock)(&ctx->lock);
	perf_family_return_locked(taker->family, ctx);
	return ctx->parked_cpu == taker->cpu;
}

static int pool_test_taker_run(void *arg)
{
	struct pool_test_taker *taker = arg;

	complete(&taker->ready);
	while (!kthread_should_stop()) {
		if (!pool_test_take_own(taker))
			taker->wrong++;
		taker->taken++;
		cond_resched();
	}
	return 0;
}

static void pool_test_end_by_cpu(void *arg)
{
	struct perf_family *family = arg;
	struct perf_ctx *ctx, *next;

	scoped_guard(mutex, &family->mutex) {
		list_for_each_entry_safe(ctx, next, &family->contexts,
					 family_entry) {
			perf_family_withdraw(ctx);
			perf_ctx_put(ctx);
		}
	}
	perf_ctx_put(&family->handle);
}

static struct perf_family *pool_test_make_by_cpu(struct kunit *test)
{
	struct perf_family *family = perf_family_alloc(true);
	struct perf_ctx *ctx;
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, family);
	fake_pmu_undo(test, pool_test_end_by_cpu, family);
	for_each_possible_cpu(cpu) {
		ctx = perf_ctx_alloc_task(current);
		KUNIT_ASSERT_NOT_NULL(test, ctx);
		perf_family_add_cpu(family, ctx, cpu);
		KUNIT_EXPECT_PTR_EQ(test, family->places[cpu].own, ctx);
		KUNIT_EXPECT_PTR_EQ(test, family->places[cpu].ctx, ctx);
	}
	return family;
}

static void pool_test_replace_own(struct kunit *test,
				  struct perf_family *family, int cpu)
{
	struct perf_ctx *old = family->places[cpu].own, *new;

	new = perf_ctx_alloc_task(current);
	KUNIT_ASSERT_NOT_NULL(test, new);
	scoped_guard(mutex, &family->mutex)
		perf_family_replace(old, new);
	KUNIT_EXPECT_PTR_EQ(test, family->places[cpu].own, new);
	KUNIT_EXPECT_EQ(test, new->parked_cpu, cpu);
	KUNIT_EXPECT_NULL(test, old->family);
	perf_ctx_put(old);
}

static void pool_test_by_cpu(struct kunit *test)
{
	struct pool_test_taker *taker = &pool_test_taker;
	struct perf_family *family = pool_test_make_by_cpu(test);
	struct task_struct *task;

	*taker = (struct pool_test_taker) {
		.family	= family,
		.cpu	= cpumask_last(cpu_online_mask),
	};
	init_completion(&taker->ready);
	task = kthread_create_on_cpu(pool_test_taker_run, taker, taker->cpu,
				     "perf_kunit/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&taker->ready);
	for (int i = 0; i < POOL_TEST_REPLACED; i++) {
		pool_test_replace_own(test, family, taker->cpu);
		cond_resched();
	}
	kthread_stop_put(task);
	KUNIT_EXPECT_GT(test, taker->taken, 0);
	KUNIT_EXPECT_EQ(test, taker->wrong, 0);
	KUNIT_EXPECT_EQ(test, family->nr_contexts, num_possible_cpus());
	KUNIT_EXPECT_EQ(test, test_family_nr_parked(family),
			num_possible_cpus());
	KUNIT_EXPECT_TRUE(test, list_empty(&family->spare));
}

/* Half as many CPUs as contexts have places until each CPU may have one. */
static void pool_test_places_grow(struct kunit *test)
{
	struct pool_test *pool = pool_test_make(test, 4);
	struct perf_family *family = pool->family;

	if (num_online_cpus() < 2 || !cpu_online(1))
		kunit_skip(test, "one CPU only");
	pool_test_join(pool);
	for (int cpu = 0; cpu < 2; cpu++) {
		pool_test_take(test, pool, cpu);
		pool_test_return(pool, cpu);
		KUNIT_EXPECT_EQ(test, pool_test_nr_places(family), 1);
	}
	/* Four contexts for four CPUs. */
	pool_test_join(pool);
	for (int cpu = 0; cpu < 2; cpu++) {
		pool_test_take(test, pool, cpu);
		pool_test_return(pool, cpu);
	}
	KUNIT_EXPECT_EQ(test, pool_test_nr_places(family), 2);
	KUNIT_EXPECT_EQ(test, family->nr_owners, 1);
}

/*
 * The eldest of an almost full pool is replaced. No CPU may get a place as in a
 * full pool: there would be too few spare contexts.
 */
static void pool_test_replaced(struct kunit *test)
{
	struct pool_test *pool = pool_test_make(test, 3);
	struct perf_family *family = pool->family;
	struct perf_ctx *eldest;

	pool_test_join(pool);
	eldest = list_first_entry(&family->contexts, struct perf_ctx,
				  family_entry);
	pool_test_take(test, pool, 0);
	scoped_guard(mutex, &family->mutex)
		pool_test_replace(pool, pool_test_find(pool, eldest));
	KUNIT_EXPECT_EQ(test, family->nr_contexts, 2);
	KUNIT_EXPECT_NULL(test, eldest->family);
	pool_test_check(test, pool);
}

/* A context that is replaced leaves its place, or the spare ones. */
static void pool_test_leaves_place(struct kunit *test)
{
	struct pool_test *pool = pool_test_make(test, 0);
	struct perf_family *family = pool->family;
	struct perf_ctx *ctx;

	pool_test_join(pool);
	pool_test_take(test, pool, 0);
	ctx = pool->held[0];
	pool_test_return(pool, 0);
	KUNIT_EXPECT_PTR_EQ(test, family->places[0].ctx, ctx);
	scoped_guard(mutex, &family->mutex)
		pool_test_replace(pool, pool_test_find(pool, ctx));
	KUNIT_EXPECT_PTR_EQ(test, family->places[0].ctx, PERF_PLACE_EMPTY);
	pool_test_check(test, pool);

	/* All are spare now. */
	scoped_guard(mutex, &family->mutex)
		pool_test_replace(pool,
				  pool_test_next(pool, POOL_TEST_PARKED, 0));
	pool_test_check(test, pool);
}

/* There are two contexts for each member, but no more than CPUs. */
static void pool_test_grows(struct kunit *test)
{
	struct perf_family *family = pool_test_make(test, 9)->family;

	guard(mutex)(&family->mutex);
	for (unsigned int members = 1; members <= 12; members++) {
		while (perf_family_wants_context(family))
			family->nr_contexts++;
		family->nr_members = members;
		KUNIT_EXPECT_EQ(test, family->nr_contexts, min(2 * members, 9));
	}
	family->nr_contexts = 0;
	family->nr_members = 0;
}

/* A pool with enough contexts does not grow for the next member. */
static void pool_test_suffices(struct kunit *test)
{
	struct perf_family *family = pool_test_make(test, 9)->family;

	guard(mutex)(&family->mutex);
	family->nr_contexts = 4;
	family->nr_members = 1;
	KUNIT_EXPECT_FALSE(test, perf_family_wants_context(family));
	family->nr_members = 2;
	KUNIT_EXPECT_TRUE(test, perf_family_wants_context(family));
	family->nr_contexts = 0;
	family->nr_members = 0;
}

/* A record about another task finds a context that is not loaded here. */
static void pool_test_elsewhere(struct kunit *test)
{
	struct pool_test *pool = pool_test_make(test, 0);
	struct perf_ctx *handle = &pool->family->handle;
	struct perf_ctx *ctx = pool->ctx[0], *found[4];

	scoped_guard(preempt) {
		found[0] = perf_family_other_rcu(ctx);
		found[1] = perf_family_other_rcu(handle);
	}
	KUNIT_EXPECT_PTR_EQ(test, found[0], ctx);
	KUNIT_EXPECT_NULL(test, found[1]);

	scoped_guard(mutex, &pool->family->mutex)
		perf_family_add(pool->family, ctx);
	pool->place[0] = POOL_TEST_PARKED;
	scoped_guard(preempt) {
		found[2] = perf_family_other_rcu(handle);
		WRITE_ONCE(ctx->loaded_cpu, smp_processor_id());
		found[3] = perf_family_other_rcu(handle);
		WRITE_ONCE(ctx->loaded_cpu, PERF_CPU_NONE);
	}
	KUNIT_EXPECT_PTR_EQ(test, found[2], ctx);
	KUNIT_EXPECT_NULL(test, found[3]);
}

/* A context that has moved to another pool is not returned to this one. */
static void pool_test_other(struct kunit *test)
{
	struct pool_test *from = pool_test_make(test, 0);
	struct pool_test *to = pool_test_make(test, 0);
	struct perf_ctx *ctx = from->ctx[0], *taken;

	scoped_guard(mutex, &from->family->mutex)
		perf_family_add(from->family, ctx);
	scoped_guard(irqsave)
		taken = perf_family_take_oncpu(from->family);
	KUNIT_ASSERT_PTR_EQ(test, taken, ctx);

	/* Its owner leaves, and founds another family. */
	scoped_guard(mutex, &from->family->mutex)
		perf_family_withdraw(ctx);
	scoped_guard(mutex, &to->family->mutex)
		perf_family_add(to->family, ctx);
	KUNIT_EXPECT_EQ(test, test_family_nr_parked(to->family), 1);
	scoped_guard(raw_spinlock_irq, &ctx->lock)
		perf_family_return_locked(from->family, ctx);
	KUNIT_EXPECT_EQ(test, test_family_nr_parked(to->family), 1);
	KUNIT_EXPECT_EQ(test, test_family_nr_parked(from->family), 0);

	scoped_guard(mutex, &to->family->mutex)
		perf_family_withdraw(ctx);
}

static struct kunit_case pool_test_cases[] = {
	KUNIT_CASE(pool_test_random),
	KUNIT_CASE(pool_test_random_large),
	KUNIT_CASE(pool_test_nearest),
	KUNIT_CASE(pool_test_place_moves),
	KUNIT_CASE(pool_test_oldest_place),
	KUNIT_CASE(pool_test_by_cpu),
	KUNIT_CASE(pool_test_places_grow),
	KUNIT_CASE(pool_test_replaced),
	KUNIT_CASE(pool_test_leaves_place),
	KUNIT_CASE(pool_test_grows),
	KUNIT_CASE(pool_test_suffices),
	KUNIT_CASE(pool_test_elsewhere),
	KUNIT_CASE(pool_test_other),
	{ }
};

static struct kunit_suite pool_test_suite = {
	.name		= "perf_family_pool",
	.test_cases	= pool_test_cases,
};

kunit_test_suite(pool_test_suite);
