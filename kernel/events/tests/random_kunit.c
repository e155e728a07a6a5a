// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room random: where drawn periods lie, what their mean is, that
 * they can be repeated, and what the ioctl refuses.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../context.h"
#include "../random.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define RANDOM_TEST_DRAWS	100000

static struct fake_pmu random_test_fake;

static struct perf_event *random_test_event(struct kunit *test, u64 mean,
					    u32 millionths, u64 seed)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event),
						 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->attr.sample_period = mean;
	mutex_init(&event->child_mutex);
	event->hw.random_key = perf_random_mix(seed);
	event->hw.random_share = perf_random_units(millionths);
	perf_random_begin(event);
	return event;
}

struct random_test_case {
	u64	mean;
	u32	millionths;
	u64	reach;
};

static const struct random_test_case random_test_cases[] = {
	{ .mean = 1, .millionths = 1000000, .reach = 0 },
	{ .mean = 2, .millionths = 1000000, .reach = 1 },
	{ .mean = 2, .millionths = 500000, .reach = 1 },
	{ .mean = 10, .millionths = 100000, .reach = 1 },
	{ .mean = 1000, .millionths = 1, .reach = 0 },
	{ .mean = 1000, .millionths = 100000, .reach = 100 },
	{ .mean = 1000, .millionths = 500000, .reach = 500 },
	{ .mean = 1000, .millionths = 1000000, .reach = 999 },
	{ .mean = 1000003, .millionths = 10000, .reach = 10000 },
	{ .mean = 1ULL << 40, .millionths = 250000, .reach = 1ULL << 38 },
	{ .mean = 1ULL << 61, .millionths = 1000000,
	  .reach = (1ULL << 61) - (1ULL << 30) },
};

static void random_test_reach(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(random_test_cases); i++) {
		const struct random_test_case *c = &random_test_cases[i];
		u32 share = perf_random_units(c->millionths);

		KUNIT_EXPECT_EQ_MSG(test, perf_random_reach(c->mean, share),
				    c->reach, "case %d", i);
	}
}

/* All periods are between the bounds, and their mean is the requested one. */
static void random_test_draws(struct kunit *test,
			      const struct random_test_case *c, u64 seed)
{
	struct perf_event *event =
		random_test_event(test, c->mean, c->millionths, seed);
	s64 sum = 0, distance;
	int outside = 0;

	for (u32 n = 0; n < RANDOM_TEST_DRAWS; n++) {
		distance = perf_random_draw(&event->hw, n, c->mean) - c->mean;
		outside += abs(distance) > c->reach;
		sum += div_s64(distance, 4);
	}
	KUNIT_EXPECT_EQ_MSG(test, outside, 0, "%llu/%u seed %#llx", c->mean,
			    c->millionths, seed);
	/* The tolerance: over five standard deviations, and rounding. */
	KUNIT_EXPECT_LE_MSG(test, abs(div_s64(sum, RANDOM_TEST_DRAWS / 4)),
			    c->reach / 100 + 4, "%llu/%u seed %#llx", c->mean,
			    c->millionths, seed);
}

static void random_test_bounds_and_mean(struct kunit *test)
{
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	/* Sums of longer periods do not fit. */
	for (int i = 0; i < ARRAY_SIZE(random_test_cases) - 1; i++) {
		for (int seeds = 0; seeds < 3; seeds++)
			random_test_draws(test, &random_test_cases[i],
					  prandom_u32_state(&rnd));
	}
}

static void random_test_reaches_ends(struct kunit *test)
{
	struct perf_event *event = random_test_event(test, 10, 300000, 1);
	unsigned long seen = 0;

	for (u32 n = 0; n < 1000; n++)
		seen |= BIT(perf_random_draw(&event->hw, n, 10));
	KUNIT_EXPECT_EQ(test, seen, GENMASK(13, 7));
}

static int random_test_differences(struct perf_event *one,
				   struct perf_event *other)
{
	int differ = 0;

	for (u32 n = 0; n < 1000; n++)
		differ += perf_random_draw(&one->hw, n, 1000000) !=
			  perf_random_draw(&other->hw, n, 1000000);
	return differ;
}

static void random_test_repeatable(struct kunit *test)
{
	struct perf_event *event = random_test_event(test, 1000000, 500000, 7);
	struct perf_event *again = random_test_event(test, 1000000, 500000, 7);
	struct perf_event *other = random_test_event(test, 1000000, 500000, 8);
	struct perf_event *high =
		random_test_event(test, 1000000, 500000, 7ULL << 32);

	KUNIT_EXPECT_EQ(test, random_test_differences(event, again), 0);
	KUNIT_EXPECT_GT(test, random_test_differences(event, other), 990);
	KUNIT_EXPECT_GT(test, random_test_differences(event, high), 990);
}

/* Copies draw differently from each other and their eldest, but repeatably. */
static void random_test_copies(struct kunit *test)
{
	struct perf_event *eldest = random_test_event(test, 1000000, 500000, 7);
	struct perf_event *copy[4];

	for (int i = 0; i < ARRAY_SIZE(copy); i++) {
		copy[i] = random_test_event(test, 1000000, 0, 0);
		copy[i]->parent = eldest;
		if (i == 2)
			eldest->hw.random_children = 0;
		scoped_guard(mutex, &eldest->child_mutex)
			perf_random_inherit(copy[i]);
		KUNIT_EXPECT_TRUE(test, copy[i]->hw.random_share ==
				eldest->hw.random_share);
		KUNIT_EXPECT_GT(test, random_test_differences(eldest, copy[i]),
				990);
	}
	KUNIT_EXPECT_GT(test, random_test_differences(copy[0], copy[1]), 990);
	KUNIT_EXPECT_EQ(test, random_test_differences(copy[0], copy[2]), 0);
	KUNIT_EXPECT_EQ(test, random_test_differences(copy[1], copy[3]), 0);
}

/* Other versions may draw other periods, but not by accident. */
static void random_test_keys_stay(struct kunit *test)
{
	static const u32 keys[] = { 0x514e28b7, 0x30f4c306, 0x85f0b427 };
	struct perf_event *eldest = random_test_event(test, 1000000, 500000, 7);
	struct perf_event *copy = random_test_event(test, 1000000, 0, 0);

	eldest->hw.random_key = 0;
	copy->parent = eldest;
	guard(mutex)(&eldest->child_mutex);
	for (int i = 0; i < ARRAY_SIZE(keys); i++) {
		perf_random_inherit(copy);
		KUNIT_EXPECT_EQ(test, copy->hw.random_key, keys[i]);
	}
}

/* A copy begins with its own first draw, whatever it was copied from. */
static void random_test_copy_begins(struct kunit *test)
{
	struct perf_event *eldest = random_test_event(test, 1000000, 500000, 7);
	struct perf_event *copy = random_test_event(test, 1000000, 0, 0);
	struct hw_perf_event *hwc = &copy->hw;

	copy->parent = eldest;
	hwc->random_seq = 5;
	scoped_guard(mutex, &eldest->child_mutex)
		perf_random_inherit(copy);
	KUNIT_EXPECT_EQ(test, hwc->random_seq, 0);
	KUNIT_EXPECT_EQ(test, local64_read(&hwc->period_left),
			perf_random_draw(hwc, 0, 1000000));
	KUNIT_EXPECT_EQ(test, hwc->sample_period,
			perf_random_draw(hwc, 1, 1000000));
	KUNIT_EXPECT_TRUE(test, hwc->random_fresh);
}

#define RANDOM_TEST_COPIES	200000

static int random_test_compare(const void *a, const void *b)
{
	u32 one = *(const u32 *)a, other = *(const u32 *)b;

	return one < other ? -1 : one > other;
}

/* However many copies there are, no two have the same key, nor the eldest's. */
static void random_test_keys(struct kunit *test)
{
	struct perf_event *eldest = random_test_event(test, 1000000, 500000, 7);
	struct perf_event *copy = random_test_event(test, 1000000, 0, 0);
	u32 *keys = kvmalloc_array(RANDOM_TEST_COPIES + 1, sizeof(*keys),
				   GFP_KERNEL);
	int same = 0;

	KUNIT_ASSERT_NOT_NULL(test, keys);
	copy->parent = eldest;
	keys[0] = eldest->hw.random_key;
	scoped_guard(mutex, &eldest->child_mutex) {
		for (int i = 1; i <= RANDOM_TEST_COPIES; i++) {
			perf_random_inherit(copy);
			keys[i] = copy->hw.random_key;
		}
	}
	sort(keys, RANDOM_TEST_COPIES + 1, sizeof(*keys), random_test_compare,
	     NULL);
	for (int i = 0; i < RANDOM_TEST_COPIES; i++)
		same += keys[i] == keys[i + 1];
	kvfree(keys);
	KUNIT_EXPECT_EQ(test, same, 0);
}

/* A driver begins a new period before it reports the end of the last one. */
static void random_test_driver(struct kunit *test)
{
	struct perf_event *event = random_test_event(test, 1000, 900000, 3);
	struct hw_perf_event *hwc = &event->hw;
	u64 running = local64_read(&hwc->period_left), next;
	int wrong = 0;

	for (int i = 0; i < 1000; i++) {
		if (i == 500) {
			event->attr.sample_period = 5000;
			perf_random_begin(event);
			running = local64_read(&hwc->period_left);
		}
		next = hwc->sample_period;
		hwc->last_period = next;
		wrong += perf_random_next(event) != running;
		running = next;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static int random_test_set(struct perf_event *event,
			   const struct perf_event_random_period *how)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);
	int err = perf_random_set(event, how);

	perf_event_ctx_unlock(event, ctx);
	return err;
}

static int random_test_set_share(struct perf_event *event, u32 share)
{
	struct perf_event_random_period how = { .share = share, .seed = 1 };

	return random_test_set(event, &how);
}

static struct perf_event *random_test_open(struct kunit *test, u64 period)
{
	const struct fake_pmu_spec spec = {
		.cpu	= cpumask_first(cpu_online_mask),
		.period	= period,
	};

	return fake_pmu_open(test, &random_test_fake, &spec);
}

static void random_test_refused(struct kunit *test)
{
	struct perf_event *event = random_test_open(test, 1000);
	struct perf_event_random_period flags = { .flags = 1 };
	struct perf_event_random_period reserved = { .reserved = 1 };

	KUNIT_EXPECT_EQ(test, random_test_set(event, &flags), -EINVAL);
	KUNIT_EXPECT_EQ(test, random_test_set(event, &reserved), -EINVAL);
	KUNIT_EXPECT_EQ(test, random_test_set_share(event, 1000001), -EINVAL);
	KUNIT_EXPECT_EQ(test, random_test_set_share(event, U32_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test,
			random_test_set_share(random_test_open(test, 0), 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test,
			random_test_set_share(random_test_open(test, S64_MAX),
					      1000),
			-EINVAL);
	event->attr.freq = 1;
	KUNIT_EXPECT_EQ(test, random_test_set_share(event, 1000), -EINVAL);
	event->attr.freq = 0;
	event->attr.precise_ip = 1;
	KUNIT_EXPECT_EQ(test, random_test_set_share(event, 1000), -EOPNOTSUPP);
	event->attr.precise_ip = 0;
	KUNIT_EXPECT_FALSE(test, perf_random_is_on(event));
}

static void random_test_expect_near(struct kunit *test,
				    struct perf_event *event, u64 mean,
				    u64 reach)
{
	u64 next = event->hw.sample_period;

	KUNIT_EXPECT_GE(test, next, mean - reach);
	KUNIT_EXPECT_LE(test, next, mean + reach);
}

/* An active event: on, a new mean, a mean that is too long, off. */
static void random_test_set_and_change(struct kunit *test)
{
	struct perf_event *event = random_test_open(test, 1000);

	KUNIT_ASSERT_EQ(test, random_test_set_share(event, 100000), 0);
	KUNIT_EXPECT_TRUE(test, perf_random_is_on(event));
	random_test_expect_near(test, event, 1000, 100);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 50000), 0);
	random_test_expect_near(test, event, 50000, 5000);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, S64_MAX), -EINVAL);
	random_test_expect_near(test, event, 50000, 5000);
	KUNIT_EXPECT_EQ(test, random_test_set_share(event, 0), 0);
	KUNIT_EXPECT_FALSE(test, perf_random_is_on(event));
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 50000);
}

/* The whole share is allowed: from 1 to nearly twice the period. */
static void random_test_whole_share(struct kunit *test)
{
	struct perf_event *event = random_test_open(test, 1000);

	KUNIT_EXPECT_EQ(test, random_test_set_share(event, 1000000), 0);
	KUNIT_EXPECT_TRUE(test, perf_random_is_on(event));
	random_test_expect_near(test, event, 1000, 999);
}

static void random_test_expect_asked(struct kunit *test,
				     struct perf_event *event, u32 share,
				     u64 seed)
{
	struct perf_event_random_period got;

	memset(&got, 0xee, sizeof(got));
	perf_random_get(event, &got);
	KUNIT_EXPECT_EQ(test, got.flags, 0);
	KUNIT_EXPECT_EQ(test, got.share, share);
	KUNIT_EXPECT_EQ(test, got.reserved, 0);
	KUNIT_EXPECT_EQ(test, got.seed, seed);
}

/* The arguments of the last request that succeeded can be read back. */
static void random_test_get(struct kunit *test)
{
	const struct perf_event_random_period how = {
		.share	= 250000,
		.seed	= 0x123456789abcULL,
	};
	struct perf_event *event = random_test_open(test, 1000);

	random_test_expect_asked(test, event, 0, 0);
	KUNIT_EXPECT_EQ(test, random_test_set(event, &how), 0);
	random_test_expect_asked(test, event, how.share, how.seed);
	KUNIT_EXPECT_EQ(test, random_test_set_share(event, 1000001), -EINVAL);
	random_test_expect_asked(test, event, how.share, how.seed);
	KUNIT_EXPECT_EQ(test, random_test_set_share(event, 0), 0);
	random_test_expect_asked(test, event, 0, 1);
}

/* Copies made before and after the request all have keys of their own. */
static void random_test_later_copy(struct kunit *test)
{
	const struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .period = 1000000,
		.inherit = true, .by_task = true,
	};
	struct perf_event *event =
		fake_pmu_open(test, &random_test_fake, &spec);
	struct perf_event *child;
	u32 keys[4];
	int nr = 0;

	test_task_fork(test, NULL);
	test_task_fork(test, NULL);
	KUNIT_ASSERT_EQ(test, random_test_set_share(event, 500000), 0);
	test_task_fork(test, NULL);

	guard(mutex)(&event->child_mutex);
	KUNIT_ASSERT_EQ(test, list_count_nodes(&event->child_list), 3);
	keys[nr++] = event->hw.random_key;
	list_for_each_entry(child, &event->child_list, child_list) {
		KUNIT_EXPECT_TRUE(test, perf_random_is_on(child));
		for (int i = 0; i < nr; i++)
			KUNIT_EXPECT_NE(test, child->hw.random_key, keys[i]);
		keys[nr++] = child->hw.random_key;
	}
}

static int random_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&random_test_fake, "fake_random");
}

static void random_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&random_test_fake);
}

static int random_test_init(struct kunit *test)
{
	fake_pmu_reset(&random_test_fake, 4, 1000);
	return 0;
}

static struct kunit_case random_test_suite_cases[] = {
	KUNIT_CASE(random_test_reach),
	KUNIT_CASE(random_test_bounds_and_mean),
	KUNIT_CASE(random_test_reaches_ends),
	KUNIT_CASE(random_test_repeatable),
	KUNIT_CASE(random_test_copies),
	KUNIT_CASE(random_test_keys_stay),
	KUNIT_CASE(random_test_copy_begins),
	KUNIT_CASE(random_test_keys),
	KUNIT_CASE(random_test_driver),
	KUNIT_CASE(random_test_refused),
	KUNIT_CASE(random_test_set_and_change),
	KUNIT_CASE(random_test_whole_share),
	KUNIT_CASE(random_test_get),
	KUNIT_CASE(random_test_later_copy),
	{ }
};

static struct kunit_suite random_test_suite = {
	.name		= "perf_random",
	.suite_init	= random_test_suite_init,
	.suite_exit	= random_test_suite_exit,
	.init		= random_test_init,
	.test_cases	= random_test_suite_cases,
};

kunit_test_suite(random_test_suite);
