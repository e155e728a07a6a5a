// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room wave: calls run at the same time, each once, also when
 * there is no memory, when a CPU is in a walk, and when contexts are loaded
 * here or nowhere.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "../context.h"
#include "../wave.h"
#include "fake_pmu.h"
#include "walker.h"

#define WAVE_TEST_PATIENCE_NS	(200 * NSEC_PER_MSEC)
#define WAVE_TEST_CPUS		8

/* What the calls have done; their argument points to it. */
struct wave_test_world {
	/* By CPU: how often the function ran there, and ended() was called. */
	atomic_t		ran[WAVE_TEST_CPUS];
	int			ended[WAVE_TEST_CPUS];
	/* Calls that are running, and the most that were at any time. */
	atomic_t		running;
	atomic_t		most;
	/* How many a call waits for. */
	int			expected;
};

struct wave_test_arg {
	struct wave_test_world	*world;
	int			cpu;
};

static int wave_test_run(struct perf_ctx *ctx, struct perf_cpu_context *cpuctx,
			 void *arg)
{
	struct wave_test_world *world = ((struct wave_test_arg *)arg)->world;
	u64 end = ktime_get_ns() + WAVE_TEST_PATIENCE_NS;
	int nr = atomic_inc_return(&world->running);

	if (cpuctx && cpuctx->cpu == smp_processor_id())
		atomic_inc(&world->ran[cpuctx->cpu]);
	if (nr > atomic_read(&world->most))
		atomic_set(&world->most, nr);
	while (atomic_read(&world->most) < world->expected &&
	       ktime_get_ns() < end)
		cpu_relax();
	atomic_dec(&world->running);
	return 100 + ((struct wave_test_arg *)arg)->cpu;
}

static void wave_test_ended(struct perf_wave *wave, const void *arg, int ret)
{
	const struct wave_test_arg *call = arg;

	if (ret == 100 + call->cpu)
		call->world->ended[call->cpu]++;
}

/* Calls the contexts of all CPUs; the thread stays on the first. */
static void wave_test_call_all(struct kunit *test,
			       struct wave_test_world *world, unsigned int size)
{
	const struct cpumask *here = cpumask_of(cpumask_first(cpu_online_mask));
	struct wave_test_arg arg = { .world = world };
	struct perf_wave wave = { .ended = wave_test_ended };

	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, here));
	perf_wave_begin(&wave, size);
	for_each_online_cpu(arg.cpu)
		perf_wave_call(&wave, &per_cpu(perf_cpu_context, arg.cpu).ctx,
			       wave_test_run, &arg, sizeof(arg));
	perf_wave_end(&wave);
	for_each_online_cpu(arg.cpu) {
		KUNIT_EXPECT_EQ(test, atomic_read(&world->ran[arg.cpu]), 1);
		KUNIT_EXPECT_EQ(test, world->ended[arg.cpu], 1);
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static struct wave_test_world *wave_test_world(struct kunit *test)
{
	struct wave_test_world *world =
		kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, world);
	if (num_possible_cpus() > WAVE_TEST_CPUS)
		kunit_skip(test, "more than %d CPUs", WAVE_TEST_CPUS);
	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU only");
	return world;
}

/* The CPUs other than this one work at the same time. */
static void wave_test_at_once(struct kunit *test)
{
	struct wave_test_world *world = wave_test_world(test);

	guard(cpus_read_lock)();
	world->expected = num_online_cpus() - 1;
	wave_test_call_all(test, world, num_online_cpus());
	KUNIT_EXPECT_EQ(test, atomic_read(&world->most), world->expected);
}

/* With memory for one call, or for fewer than there are, each call ends. */
static void wave_test_little_memory(struct kunit *test)
{
	for (unsigned int size = 0; size < 4; size++) {
		struct wave_test_world *world = wave_test_world(test);

		guard(cpus_read_lock)();
		wave_test_call_all(test, world, size);
	}
}

/* A context that is loaded nowhere is called here. */
static void wave_test_unloaded(struct kunit *test)
{
	struct wave_test_world *world = wave_test_world(test);
	struct wave_test_arg arg = { .world = world };
	struct perf_wave wave = { .ended = wave_test_ended };
	struct perf_ctx *ctx = perf_ctx_alloc_task(current);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	perf_wave_begin(&wave, 2);
	perf_wave_call(&wave, ctx, wave_test_run, &arg, sizeof(arg));
	KUNIT_EXPECT_EQ(test, world->ended[0], 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->most), 1);
	perf_wave_end(&wave);
	KUNIT_EXPECT_EQ(test, world->ended[0], 1);
	perf_ctx_put(ctx);
}

/* The call waits for the end of the walk, and the wave waits for the call. */
static void wave_test_in_walk(struct kunit *test)
{
	struct wave_test_world *world = wave_test_world(test);
	struct test_walker walker;

	test_walker_start(test, &walker, cpumask_last(cpu_online_mask),
			  WAVE_TEST_PATIENCE_NS);
	wave_test_call_all(test, world, num_online_cpus());
	test_walker_end(&walker);
}

static struct perf_event *wave_test_event(struct kunit *test,
					  struct perf_ctx *ctx)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event),
						 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	INIT_LIST_HEAD(&event->child_list);
	mutex_init(&event->child_mutex);
	event->ctx = &ctx->pub;
	return event;
}

static unsigned int wave_test_size_of(struct perf_event *event)
{
	guard(mutex)(&event->child_mutex);
	return perf_wave_size(event);
}

/* Adds a copy that is in @ctx, and tells for how many calls there is room. */
static unsigned int wave_test_size_with(struct kunit *test,
					struct perf_event *event,
					struct perf_ctx *ctx)
{
	struct perf_event *child = wave_test_event(test, ctx);

	list_add(&child->child_list, &event->child_list);
	return wave_test_size_of(event);
}

/* There is room for the contexts on other CPUs, for one call on each CPU. */
static void wave_test_size(struct kunit *test)
{
	const unsigned int most = num_online_cpus() - 1;
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct perf_ctx *here, *there, *unloaded;
	struct perf_event *event;

	wave_test_world(test);
	unloaded = perf_ctx_alloc_task(current);
	KUNIT_ASSERT_NOT_NULL(test, unloaded);
	KUNIT_EXPECT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	here = &per_cpu(perf_cpu_context, cpu).ctx;
	cpu = cpumask_last(cpu_online_mask);
	there = &per_cpu(perf_cpu_context, cpu).ctx;

	event = wave_test_event(test, there);
	KUNIT_EXPECT_EQ(test, wave_test_size_of(event), 1);
	event->ctx = &here->pub;
	KUNIT_EXPECT_EQ(test, wave_test_size_with(test, event, unloaded), 0);
	KUNIT_EXPECT_EQ(test, wave_test_size_with(test, event, here), 0);
	KUNIT_EXPECT_EQ(test, wave_test_size_with(test, event, there), 1);
	event->ctx = &there->pub;
	KUNIT_EXPECT_EQ(test, wave_test_size_of(event), min(most, 2));
	for (cpu = 0; cpu < most; cpu++)
		wave_test_size_with(test, event, there);
	KUNIT_EXPECT_EQ(test, wave_test_size_of(event), most);

	set_cpus_allowed_ptr(current, cpu_possible_mask);
	perf_ctx_put(unloaded);
}

static struct kunit_case wave_test_cases[] = {
	KUNIT_CASE(wave_test_size),
	KUNIT_CASE(wave_test_at_once),
	KUNIT_CASE(wave_test_little_memory),
	KUNIT_CASE(wave_test_unloaded),
	KUNIT_CASE(wave_test_in_walk),
	{ }
};

static struct kunit_suite wave_test_suite = {
	.name		= "perf_wave",
	.test_cases	= wave_test_cases,
};

kunit_test_suite(wave_test_suite);
