// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the room "software": recursion, periods, overflows, lists and
 * the checks of attr.config. Included at the end of software.c.
 */

#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/poll.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>

#include "../throttle.h"
#include "fake_pmu.h"

#define SOFTWARE_TEST_RATE_PER_TICK	1000

/* An event as it is while active, without context, task, and buffer. */
struct software_test_event {
	struct perf_event	event;
	unsigned int		overflows;
	u64			last_period;
	u64			last_addr;
};

static void software_test_overflow(struct perf_event *event,
				   struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	struct software_test_event *fake =
		container_of(event, struct software_test_event, event);

	fake->overflows++;
	fake->last_period = data->period;
	fake->last_addr = data->addr;
}

static struct software_test_event *software_test_new(struct kunit *test,
						     u64 period)
{
	struct software_test_event *fake =
		kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, fake);
	event = &fake->event;
	event->pmu = &perf_software;
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = PERF_COUNT_SW_DUMMY;
	event->attr.sample_period = period;
	event->hw.sample_period = period;
	event->hw.last_period = period;
	local64_set(&event->hw.period_left, period);
	event->overflow_handler = software_test_overflow;
	event->clock = local_clock;
	event->group_leader = event;
	event->pmu_ctx = fake_software_pmu_ctx();
	event->state = PERF_EVENT_STATE_ACTIVE;
	event->oncpu = -1;
	event->cpu = -1;
	perf_overflow_init(event);
	return fake;
}

static void software_test_report(struct software_test_event *fake, u64 nr)
{
	struct perf_sample_data data;
	struct pt_regs regs = { };

	perf_sample_data_init(&data, 0, 0);
	guard(preempt)();
	perf_swevent_event(&fake->event, nr, &data, &regs);
}

static void software_test_recursion(struct kunit *test)
{
	u8 busy[4] = { };
	int task, again, hardirq;

	preempt_disable();
	task = perf_recursion_get(busy);
	again = perf_recursion_get(busy);

	local_irq_disable();
	preempt_count_add(HARDIRQ_OFFSET);
	hardirq = perf_recursion_get(busy);
	preempt_count_sub(HARDIRQ_OFFSET);
	local_irq_enable();
	preempt_enable();

	KUNIT_EXPECT_EQ(test, task, 0);
	KUNIT_EXPECT_LT(test, again, 0);
	KUNIT_EXPECT_EQ(test, hardirq, 2);

	perf_recursion_put(busy, hardirq);
	perf_recursion_put(busy, task);
	KUNIT_EXPECT_EQ(test, busy[0] | busy[1] | busy[2] | busy[3], 0);
}

static void software_test_recursion_current(struct kunit *test)
{
	int first, second, third;

	preempt_disable();
	first = perf_swevent_get_recursion_context();
	second = perf_swevent_get_recursion_context();
	if (first >= 0)
		perf_swevent_put_recursion_context(first);
	third = perf_swevent_get_recursion_context();
	if (third >= 0)
		perf_swevent_put_recursion_context(third);
	preempt_enable();

	KUNIT_EXPECT_GE(test, first, 0);
	KUNIT_EXPECT_LT(test, second, 0);
	KUNIT_EXPECT_EQ(test, third, first);
}

struct software_test_period_case {
	s64	left;
	u64	length;
	u64	ended;
	s64	rest;
};

static const struct software_test_period_case software_test_period_cases[] = {
	{ .left = -5, .length = 10, .ended = 0, .rest = -5 },
	{ .left = -1, .length = 1, .ended = 0, .rest = -1 },
	{ .left = 0, .length = 10, .ended = 1, .rest = -10 },
	{ .left = 3, .length = 10, .ended = 1, .rest = -7 },
	{ .left = 9, .length = 10, .ended = 1, .rest = -1 },
	{ .left = 10, .length = 10, .ended = 2, .rest = -10 },
	{ .left = 25, .length = 10, .ended = 3, .rest = -5 },
	{ .left = 0, .length = 1, .ended = 1, .rest = -1 },
	{ .left = 1000, .length = 1, .ended = 1001, .rest = -1 },
	{ .left = 1LL << 62, .length = 1ULL << 62, .ended = 2,
	  .rest = -(1LL << 62) },
	{ .left = 0, .length = S64_MAX, .ended = 1, .rest = -S64_MAX },
	{ .left = S64_MAX, .length = S64_MAX, .ended = 2, .rest = -S64_MAX },
	{ .left = S64_MIN, .length = 10, .ended = 0, .rest = S64_MIN },
};

static void software_test_period_arithmetic(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 10);
	struct hw_perf_event *hwc = &fake->event.hw;

	for (int i = 0; i < ARRAY_SIZE(software_test_period_cases); i++) {
		const struct software_test_period_case *c =
			&software_test_period_cases[i];

		hwc->last_period = c->length;
		local64_set(&hwc->period_left, c->left);
		KUNIT_EXPECT_EQ_MSG(test, perf_swevent_set_period(&fake->event),
				    c->ended, "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, (s64)local64_read(&hwc->period_left),
				    c->rest, "case %d", i);
		KUNIT_EXPECT_EQ(test, hwc->last_period, 10);
	}
}

static void software_test_period_single(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 3);

	perf_swevent_set_period(&fake->event);
	for (int i = 0; i < 10; i++)
		software_test_report(fake, 1);

	KUNIT_EXPECT_EQ(test, fake->overflows, 3);
	KUNIT_EXPECT_EQ(test, fake->last_period, 3);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&fake->event.count), 10);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&fake->event.hw.period_left), -2);
}

static void software_test_period_weight(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 3);

	perf_swevent_set_period(&fake->event);
	software_test_report(fake, 10);

	KUNIT_EXPECT_EQ(test, fake->overflows, 3);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&fake->event.hw.period_left), -2);
}

static void software_test_period_sampled_weight(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 3);

	fake->event.attr.sample_type = PERF_SAMPLE_PERIOD;
	perf_swevent_set_period(&fake->event);
	software_test_report(fake, 10);
	software_test_report(fake, 1);

	KUNIT_EXPECT_EQ(test, fake->overflows, 2);
	KUNIT_EXPECT_EQ(test, fake->last_period, 1);
}

static void software_test_period_each(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 1);

	perf_swevent_set_period(&fake->event);
	for (int i = 0; i < 5; i++)
		software_test_report(fake, 1);

	KUNIT_EXPECT_EQ(test, fake->overflows, 5);
}

/* A period of one that has begun as a longer one is not over at once. */
static void software_test_period_of_frequency(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 1);
	struct hw_perf_event *hwc = &fake->event.hw;

	fake->event.attr.freq = 1;
	hwc->last_period = 5;
	local64_set(&hwc->period_left, -3);
	software_test_report(fake, 1);
	software_test_report(fake, 1);
	KUNIT_EXPECT_EQ(test, fake->overflows, 0);
	software_test_report(fake, 1);
	KUNIT_EXPECT_EQ(test, fake->overflows, 1);
	KUNIT_EXPECT_EQ(test, fake->last_period, 5);
}

static struct software_test_event *software_test_new_random(struct kunit *test,
							    u64 mean)
{
	struct software_test_event *fake = software_test_new(test, mean);
	struct perf_event *event = &fake->event;

	event->attr.sample_type = PERF_SAMPLE_PERIOD;
	event->hw.random_key = 4711;
	event->hw.random_share = 1 << (PERF_RANDOM_SHARE_BITS - 1);
	perf_random_begin(event);
	return fake;
}

/* A sample reports the number of occurrences since the last sample. */
static void software_test_random_single(struct kunit *test)
{
	struct software_test_event *fake = software_test_new_random(test, 20);
	unsigned int seen = 0, since = 0, wrong = 0;

	/* As add() does it. Nothing has passed of the first period. */
	fake->event.hw.last_period = fake->event.hw.sample_period;
	perf_swevent_set_period(&fake->event);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&fake->event.hw.period_left),
			-(s64)perf_random_length(&fake->event));
	for (int i = 0; i < 2000; i++) {
		software_test_report(fake, 1);
		since++;
		if (fake->overflows == seen)
			continue;
		wrong += fake->last_period != since || since < 10 || since > 30;
		seen = fake->overflows;
		since = 0;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GE(test, seen, 80);
	KUNIT_EXPECT_LE(test, seen, 120);
}

/* Periods begin to be drawn while the event is active, and nr is large. */
static void software_test_random_weight(struct kunit *test)
{
	struct software_test_event *fake = software_test_new_random(test, 10);

	software_test_report(fake, 50);
	KUNIT_EXPECT_GE(test, fake->overflows, 3);
	KUNIT_EXPECT_LE(test, fake->overflows, 10);
	KUNIT_EXPECT_LT(test, (s64)local64_read(&fake->event.hw.period_left), 0);
	KUNIT_EXPECT_GE(test, (s64)local64_read(&fake->event.hw.period_left),
			-15);
}

/* A request for random periods while the event counts begins a new period. */
static void software_test_random_anew(struct kunit *test)
{
	struct software_test_event *fake = software_test_new_random(test, 20);
	struct hw_perf_event *hwc = &fake->event.hw;

	hwc->random_fresh = true;
	local64_set(&hwc->period_left, -1);
	software_test_report(fake, 1);
	KUNIT_EXPECT_EQ(test, fake->overflows, 0);
	KUNIT_EXPECT_LE(test, (s64)local64_read(&hwc->period_left), -9);
}

/* Billions of periods in one call take bounded time. */
static void software_test_random_flood(struct kunit *test)
{
	struct software_test_event *fake = software_test_new_random(test, 2);
	struct hw_perf_event *hwc = &fake->event.hw;

	software_test_report(fake, 1ULL << 50);
	KUNIT_EXPECT_EQ(test, hwc->interrupts, MAX_INTERRUPTS);
	KUNIT_EXPECT_LT(test, (s64)local64_read(&hwc->period_left), 0);
	KUNIT_EXPECT_GE(test, (s64)local64_read(&hwc->period_left), -3);
}

/*
 * A throttled event whose occurrences fill its periods exactly begins another
 * one.
 */
static void software_test_random_throttled(struct kunit *test)
{
	struct software_test_event *fake = software_test_new_random(test, 10),
				   *twin = software_test_new_random(test, 10);
	struct hw_perf_event *hwc = &fake->event.hw;
	u64 second;

	/* The twin draws the same lengths. */
	perf_random_next(&twin->event);
	second = perf_random_length(&twin->event);
	hwc->interrupts = MAX_INTERRUPTS;
	hwc->random_fresh = false;
	local64_set(&hwc->period_left, -1);
	software_test_report(fake, 1 + second);
	KUNIT_EXPECT_EQ(test, perf_random_length(&fake->event), second);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&hwc->period_left),
			-(s64)second);
	KUNIT_EXPECT_EQ(test, fake->overflows, 0);
}

static void software_test_counting(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 0);

	software_test_report(fake, 7);

	KUNIT_EXPECT_EQ(test, fake->overflows, 0);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&fake->event.count), 7);
}

/* Without registers an occurrence is counted, but ends no period. */
static void software_test_no_regs(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 1);

	scoped_guard(preempt)
		perf_swevent_event(&fake->event, 3, NULL, NULL);

	KUNIT_EXPECT_EQ(test, fake->overflows, 0);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&fake->event.count), 3);
}

/* An event that was removed after it was found in a list does not count. */
static void software_test_inactive(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 1);

	fake->event.state = PERF_EVENT_STATE_OFF;
	software_test_report(fake, 1);

	KUNIT_EXPECT_EQ(test, fake->overflows, 0);
}

static void software_test_throttled(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 1);

	fake->event.hw.interrupts = MAX_INTERRUPTS;
	software_test_report(fake, 1);

	KUNIT_EXPECT_EQ(test, fake->overflows, 0);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&fake->event.count), 1);
}

static void software_test_limit(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 1);
	struct perf_event *event = &fake->event;

	atomic_set(&event->event_limit, 2);
	software_test_report(fake, 1);
	KUNIT_EXPECT_EQ(test, event->pending_kill, POLL_IN);
	KUNIT_EXPECT_EQ(test, event->pending_disable, 0);

	software_test_report(fake, 1);
	KUNIT_EXPECT_EQ(test, event->pending_kill, POLL_HUP);
	KUNIT_EXPECT_EQ(test, event->pending_disable, 1);

	/* It reports nothing more, although it is not yet disabled. */
	software_test_report(fake, 5);
	KUNIT_EXPECT_EQ(test, fake->overflows, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&event->event_limit), 0);

	perf_overflow_cancel(event);
}

static void software_test_exclude(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 0);
	struct perf_event *event = &fake->event;
	struct pt_regs regs = { };

	perf_fetch_caller_regs(&regs);
	KUNIT_EXPECT_FALSE(test, perf_swevent_exclude(event, &regs));
	event->attr.exclude_user = 1;
	KUNIT_EXPECT_FALSE(test, perf_swevent_exclude(event, &regs));
	event->attr.exclude_kernel = 1;
	KUNIT_EXPECT_TRUE(test, perf_swevent_exclude(event, &regs));
	KUNIT_EXPECT_FALSE(test, perf_swevent_exclude(event, NULL));
	perf_swevent_stop(event, 0);
	KUNIT_EXPECT_TRUE(test, perf_swevent_exclude(event, NULL));
	perf_swevent_start(event, 0);
	KUNIT_EXPECT_FALSE(test, perf_swevent_exclude(event, NULL));
}

#ifdef CONFIG_X86_64
static void software_test_exclude_user(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 0);
	struct perf_event *event = &fake->event;
	struct pt_regs regs = { .cs = __USER_CS };

	event->attr.exclude_kernel = 1;
	KUNIT_EXPECT_FALSE(test, perf_swevent_exclude(event, &regs));
	event->attr.exclude_user = 1;
	KUNIT_EXPECT_TRUE(test, perf_swevent_exclude(event, &regs));
}
#endif

static void software_test_put_on_lists(struct software_test_event *one,
				       struct software_test_event *two)
{
	guard(irqsave)();
	perf_software_add(&one->event, PERF_EF_START);
	perf_software_add(&two->event, 0);
}

static void software_test_take_off_lists(struct software_test_event *one,
					 struct software_test_event *two)
{
	guard(irqsave)();
	perf_software_del(&one->event, 0);
	perf_software_del(&two->event, 0);
}

/* Nothing else in the kernel reports the dummy event. */
static void software_test_lists(struct kunit *test)
{
	struct software_test_event *started = software_test_new(test, 0);
	struct software_test_event *stopped = software_test_new(test, 0);
	struct pt_regs regs = { };

	migrate_disable();
	software_test_put_on_lists(started, stopped);
	__perf_sw_event(PERF_COUNT_SW_DUMMY, 3, &regs, 0);
	__perf_sw_event(PERF_COUNT_SW_BPF_OUTPUT, 5, &regs, 0);
	software_test_take_off_lists(started, stopped);
	__perf_sw_event(PERF_COUNT_SW_DUMMY, 7, &regs, 0);
	migrate_enable();
	synchronize_rcu();

	KUNIT_EXPECT_EQ(test, (s64)local64_read(&started->event.count), 3);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&stopped->event.count), 0);
}

/*
 * A set counts from its load to its unload, and keeps what is left of periods.
 */
static void software_test_set(struct kunit *test)
{
	struct software_test_event *counts = software_test_new(test, 0);
	struct software_test_event *samples = software_test_new(test, 100);
	struct pt_regs regs = { };
	struct perf_event_set *set;

	set = kunit_kzalloc(test, struct_size(set, events, 2), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	set->nr = 2;
	set->events[0] = &counts->event;
	set->events[1] = &samples->event;
	for (int i = 0; i < 2; i++) {
		guard(irqsave)();
		KUNIT_EXPECT_EQ(test, perf_software_load(&perf_software, set), 0);
		__perf_sw_event(PERF_COUNT_SW_DUMMY, 30, &regs, 0);
		perf_software_unload(&perf_software, set);
		__perf_sw_event(PERF_COUNT_SW_DUMMY, 30, &regs, 0);
	}
	synchronize_rcu();
	KUNIT_EXPECT_EQ(test, local64_read(&counts->event.count), 60);
	KUNIT_EXPECT_EQ(test, local64_read(&samples->event.count), 60);
	KUNIT_EXPECT_EQ(test, local64_read(&samples->event.hw.period_left), -40);
}

/* A sampling event on the list begins its period when it is added. */
static void software_test_lists_sampling(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 3);
	struct software_test_event *counting = software_test_new(test, 0);
	struct pt_regs regs = { };

	migrate_disable();
	fake->event.hw.last_period = 7;
	local64_set(&fake->event.hw.period_left, 0);
	software_test_put_on_lists(fake, counting);
	KUNIT_EXPECT_EQ(test, fake->event.hw.last_period, 3);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&fake->event.hw.period_left), -3);
	for (int i = 0; i < 7; i++)
		__perf_sw_event(PERF_COUNT_SW_DUMMY, 1, &regs, 0x1000 + i);
	software_test_take_off_lists(fake, counting);
	migrate_enable();
	synchronize_rcu();

	KUNIT_EXPECT_EQ(test, (s64)local64_read(&fake->event.count), 7);
	KUNIT_EXPECT_EQ(test, fake->overflows, 2);
	KUNIT_EXPECT_EQ(test, fake->last_addr, 0x1005);
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
/*
 * Each hit is counted and sampled, unless the event is stopped or excludes it.
 */
static void software_test_breakpoint(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 1);
	struct perf_event *event = &fake->event;
	struct pt_regs regs = { };

	perf_fetch_caller_regs(&regs);
	event->attr.bp_addr = 0xb0;
	scoped_guard(irqsave) {
		perf_bp_event(event, &regs);
		event->attr.exclude_kernel = 1;
		perf_bp_event(event, &regs);
		event->attr.exclude_kernel = 0;
		event->hw.state = PERF_HES_STOPPED;
		perf_bp_event(event, &regs);
	}
	KUNIT_EXPECT_EQ(test, fake->overflows, 1);
	KUNIT_EXPECT_EQ(test, fake->last_addr, 0xb0);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&event->count), 1);
}
#endif

static int software_test_init_with(struct software_test_event *fake, u32 type,
				   u64 config)
{
	fake->event.attr.type = type;
	fake->event.attr.config = config;
	return perf_software_event_init(&fake->event);
}

static void software_test_init_refuses(struct kunit *test)
{
	static const u64 unknown[] = {
		PERF_COUNT_SW_MAX, U32_MAX, 1ULL << 32, 1ULL << 63, U64_MAX,
	};
	struct software_test_event *fake = software_test_new(test, 0);

	for (int i = 0; i < ARRAY_SIZE(unknown); i++)
		KUNIT_EXPECT_EQ(test,
				software_test_init_with(fake, PERF_TYPE_SOFTWARE,
							unknown[i]),
				-ENOENT);
	KUNIT_EXPECT_EQ(test,
			software_test_init_with(fake, PERF_TYPE_RAW,
						PERF_COUNT_SW_DUMMY),
			-ENOENT);

	fake->event.attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	KUNIT_EXPECT_EQ(test,
			software_test_init_with(fake, PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_DUMMY),
			-EOPNOTSUPP);
	KUNIT_EXPECT_NULL(test, fake->event.destroy);
}

static void software_test_destroy(void *arg)
{
	struct software_test_event *fake = arg;

	fake->event.destroy(&fake->event);
}

static struct software_test_event *software_test_open_dummy(struct kunit *test)
{
	struct software_test_event *fake = software_test_new(test, 0);

	KUNIT_ASSERT_EQ(test, 0,
			software_test_init_with(fake, PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_DUMMY));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, software_test_destroy,
						  fake));
	return fake;
}

static void software_test_init_counts_keys(struct kunit *test)
{
	struct static_key *key = &perf_swevent_enabled[PERF_COUNT_SW_DUMMY];
	struct software_test_event *fake = software_test_new(test, 0);
	struct software_test_event *child = software_test_new(test, 0);
	int before;

	/* Open another event first, since the first one counts for two. */
	software_test_open_dummy(test);
	before = static_key_count(key);
	KUNIT_EXPECT_EQ(test,
			software_test_init_with(fake, PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_DUMMY),
			0);
	KUNIT_ASSERT_NOT_NULL(test, fake->event.destroy);
	KUNIT_EXPECT_EQ(test, static_key_count(key), before + 1);

	child->event.parent = &fake->event;
	KUNIT_EXPECT_EQ(test,
			software_test_init_with(child, PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_DUMMY),
			0);
	KUNIT_EXPECT_NULL(test, child->event.destroy);
	KUNIT_EXPECT_EQ(test, static_key_count(key), before + 1);

	fake->event.destroy(&fake->event);
	KUNIT_EXPECT_EQ(test, static_key_count(key), before);
}

/* The key is disabled after the last event has gone, but not at once. */
static void software_test_key_outlives_events(struct kunit *test)
{
	struct static_key *key = &perf_swevent_enabled[PERF_COUNT_SW_DUMMY];
	struct software_test_event *first, *second;
	ktime_t end;

	for (int round = 0; round < 2; round++) {
		first = software_test_open_dummy(test);
		second = software_test_open_dummy(test);
		KUNIT_EXPECT_EQ(test, static_key_count(key), 3);
		kunit_release_action(test, software_test_destroy, first);
		KUNIT_EXPECT_EQ(test, static_key_count(key), 2);
		kunit_release_action(test, software_test_destroy, second);
		KUNIT_EXPECT_EQ(test, static_key_count(key), 1);
	}
	end = ktime_add_ms(ktime_get(), 5 * MSEC_PER_SEC);
	while (static_key_count(key) && ktime_before(ktime_get(), end))
		msleep(20);
	KUNIT_EXPECT_EQ(test, static_key_count(key), 0);
}

static struct kunit_case perf_software_cases[] = {
	KUNIT_CASE(software_test_recursion),
	KUNIT_CASE(software_test_recursion_current),
	KUNIT_CASE(software_test_period_arithmetic),
	KUNIT_CASE(software_test_period_single),
	KUNIT_CASE(software_test_period_weight),
	KUNIT_CASE(software_test_period_sampled_weight),
	KUNIT_CASE(software_test_period_each),
	KUNIT_CASE(software_test_period_of_frequency),
	KUNIT_CASE(software_test_random_single),
	KUNIT_CASE(software_test_random_weight),
	KUNIT_CASE(software_test_random_anew),
	KUNIT_CASE(software_test_random_flood),
	KUNIT_CASE(software_test_random_throttled),
	KUNIT_CASE(software_test_counting),
	KUNIT_CASE(software_test_no_regs),
	KUNIT_CASE(software_test_inactive),
	KUNIT_CASE(software_test_throttled),
	KUNIT_CASE(software_test_limit),
	KUNIT_CASE(software_test_exclude),
#ifdef CONFIG_X86_64
	KUNIT_CASE(software_test_exclude_user),
#endif
	KUNIT_CASE(software_test_lists),
	KUNIT_CASE(software_test_set),
	KUNIT_CASE(software_test_lists_sampling),
#ifdef CONFIG_HAVE_HW_BREAKPOINT
	KUNIT_CASE(software_test_breakpoint),
#endif
	KUNIT_CASE(software_test_init_refuses),
	KUNIT_CASE(software_test_init_counts_keys),
	KUNIT_CASE_SLOW(software_test_key_outlives_events),
	{ }
};

/* Restores the rate, which interrupts of a slow machine may have lowered. */
static int software_test_case_init(struct kunit *test)
{
	WRITE_ONCE(perf_throttle_per_tick, SOFTWARE_TEST_RATE_PER_TICK);
	return 0;
}

static struct kunit_suite perf_software_suite = {
	.name		= "perf_software",
	.init		= software_test_case_init,
	.test_cases	= perf_software_cases,
};

kunit_test_suite(perf_software_suite);
