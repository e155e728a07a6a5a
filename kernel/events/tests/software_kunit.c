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

#define SWK_RATE_PER_TICK	1000

/* An event as it is while active, without context, task, and buffer. */
struct swk_event {
	struct perf_event	event;
	unsigned int		overflows;
	u64			last_period;
	u64			last_addr;
};

static void swk_overflow(struct perf_event *event,
			 struct perf_sample_data *data, struct pt_regs *regs)
{
	struct swk_event *swk = container_of(event, struct swk_event, event);

	swk->overflows++;
	swk->last_period = data->period;
	swk->last_addr = data->addr;
}

static struct swk_event *swk_new(struct kunit *test, u64 period)
{
	struct swk_event *swk = kunit_kzalloc(test, sizeof(*swk), GFP_KERNEL);
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, swk);
	event = &swk->event;
	event->pmu = &perf_software;
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = PERF_COUNT_SW_DUMMY;
	event->attr.sample_period = period;
	event->hw.sample_period = period;
	event->hw.last_period = period;
	local64_set(&event->hw.period_left, period);
	event->overflow_handler = swk_overflow;
	event->clock = local_clock;
	event->group_leader = event;
	event->state = PERF_EVENT_STATE_ACTIVE;
	event->oncpu = -1;
	event->cpu = -1;
	perf_overflow_init(event);
	return swk;
}

static void swk_report(struct swk_event *swk, u64 nr)
{
	struct perf_sample_data data;
	struct pt_regs regs = { };

	perf_sample_data_init(&data, 0, 0);
	guard(preempt)();
	perf_swevent_event(&swk->event, nr, &data, &regs);
}

static void swk_recursion(struct kunit *test)
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

static void swk_recursion_current(struct kunit *test)
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

struct swk_period_case {
	s64	left;
	u64	length;
	u64	ended;
	s64	rest;
};

static const struct swk_period_case swk_period_cases[] = {
	{ -5, 10, 0, -5 },
	{ -1, 1, 0, -1 },
	{ 0, 10, 1, -10 },
	{ 3, 10, 1, -7 },
	{ 9, 10, 1, -1 },
	{ 10, 10, 2, -10 },
	{ 25, 10, 3, -5 },
	{ 0, 1, 1, -1 },
	{ 1000, 1, 1001, -1 },
	{ 1LL << 62, 1ULL << 62, 2, -(1LL << 62) },
	{ 0, S64_MAX, 1, -S64_MAX },
	{ S64_MAX, S64_MAX, 2, -S64_MAX },
	{ S64_MIN, 10, 0, S64_MIN },
};

static void swk_period_arithmetic(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 10);
	struct hw_perf_event *hwc = &swk->event.hw;

	for (int i = 0; i < ARRAY_SIZE(swk_period_cases); i++) {
		const struct swk_period_case *c = &swk_period_cases[i];

		hwc->last_period = c->length;
		local64_set(&hwc->period_left, c->left);
		KUNIT_EXPECT_EQ_MSG(test, perf_swevent_set_period(&swk->event),
				    c->ended, "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, (s64)local64_read(&hwc->period_left),
				    c->rest, "case %d", i);
		KUNIT_EXPECT_EQ(test, hwc->last_period, 10);
	}
}

static void swk_period_single(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 3);

	perf_swevent_set_period(&swk->event);
	for (int i = 0; i < 10; i++)
		swk_report(swk, 1);

	KUNIT_EXPECT_EQ(test, swk->overflows, 3);
	KUNIT_EXPECT_EQ(test, swk->last_period, 3);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&swk->event.count), 10);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&swk->event.hw.period_left), -2);
}

static void swk_period_weight(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 3);

	perf_swevent_set_period(&swk->event);
	swk_report(swk, 10);

	KUNIT_EXPECT_EQ(test, swk->overflows, 3);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&swk->event.hw.period_left), -2);
}

static void swk_period_sampled_weight(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 3);

	swk->event.attr.sample_type = PERF_SAMPLE_PERIOD;
	perf_swevent_set_period(&swk->event);
	swk_report(swk, 10);
	swk_report(swk, 1);

	KUNIT_EXPECT_EQ(test, swk->overflows, 2);
	KUNIT_EXPECT_EQ(test, swk->last_period, 1);
}

static void swk_period_each(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 1);

	perf_swevent_set_period(&swk->event);
	for (int i = 0; i < 5; i++)
		swk_report(swk, 1);

	KUNIT_EXPECT_EQ(test, swk->overflows, 5);
}

/* A period of one that has begun as a longer one is not over at once. */
static void swk_period_of_frequency(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 1);
	struct hw_perf_event *hwc = &swk->event.hw;

	swk->event.attr.freq = 1;
	hwc->last_period = 5;
	local64_set(&hwc->period_left, -3);
	swk_report(swk, 1);
	swk_report(swk, 1);
	KUNIT_EXPECT_EQ(test, swk->overflows, 0);
	swk_report(swk, 1);
	KUNIT_EXPECT_EQ(test, swk->overflows, 1);
	KUNIT_EXPECT_EQ(test, swk->last_period, 5);
}

static struct swk_event *swk_new_random(struct kunit *test, u64 mean)
{
	struct swk_event *swk = swk_new(test, mean);
	struct perf_event *event = &swk->event;

	event->attr.sample_type = PERF_SAMPLE_PERIOD;
	event->hw.random_key = 4711;
	event->hw.random_share = 1 << (PERF_RANDOM_SHARE_BITS - 1);
	perf_random_begin(event);
	return swk;
}

/* A sample reports the number of occurrences since the last sample. */
static void swk_random_single(struct kunit *test)
{
	struct swk_event *swk = swk_new_random(test, 20);
	unsigned int seen = 0, since = 0, wrong = 0;

	/* As add() does it. Nothing has passed of the first period. */
	swk->event.hw.last_period = swk->event.hw.sample_period;
	perf_swevent_set_period(&swk->event);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&swk->event.hw.period_left),
			-(s64)perf_random_length(&swk->event));
	for (int i = 0; i < 2000; i++) {
		swk_report(swk, 1);
		since++;
		if (swk->overflows == seen)
			continue;
		wrong += swk->last_period != since || since < 10 || since > 30;
		seen = swk->overflows;
		since = 0;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GE(test, seen, 80);
	KUNIT_EXPECT_LE(test, seen, 120);
}

/* Periods begin to be drawn while the event is active, and nr is large. */
static void swk_random_weight(struct kunit *test)
{
	struct swk_event *swk = swk_new_random(test, 10);

	swk_report(swk, 50);
	KUNIT_EXPECT_GE(test, swk->overflows, 3);
	KUNIT_EXPECT_LE(test, swk->overflows, 10);
	KUNIT_EXPECT_LT(test, (s64)local64_read(&swk->event.hw.period_left), 0);
	KUNIT_EXPECT_GE(test, (s64)local64_read(&swk->event.hw.period_left),
			-15);
}

/* Billions of periods in one call take bounded time. */
static void swk_random_flood(struct kunit *test)
{
	struct swk_event *swk = swk_new_random(test, 2);
	struct hw_perf_event *hwc = &swk->event.hw;

	swk_report(swk, 1ULL << 50);
	KUNIT_EXPECT_EQ(test, hwc->interrupts, MAX_INTERRUPTS);
	KUNIT_EXPECT_LT(test, (s64)local64_read(&hwc->period_left), 0);
	KUNIT_EXPECT_GE(test, (s64)local64_read(&hwc->period_left), -3);
}

static void swk_counting(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 0);

	swk_report(swk, 7);

	KUNIT_EXPECT_EQ(test, swk->overflows, 0);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&swk->event.count), 7);
}

/* An event that was removed after it was found in a list does not count. */
static void swk_inactive(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 1);

	swk->event.state = PERF_EVENT_STATE_OFF;
	swk_report(swk, 1);

	KUNIT_EXPECT_EQ(test, swk->overflows, 0);
}

static void swk_throttled(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 1);

	swk->event.hw.interrupts = MAX_INTERRUPTS;
	swk_report(swk, 1);

	KUNIT_EXPECT_EQ(test, swk->overflows, 0);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&swk->event.count), 1);
}

static void swk_limit(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 1);
	struct perf_event *event = &swk->event;

	atomic_set(&event->event_limit, 2);
	swk_report(swk, 1);
	KUNIT_EXPECT_EQ(test, event->pending_kill, POLL_IN);
	KUNIT_EXPECT_EQ(test, event->pending_disable, 0);

	swk_report(swk, 1);
	KUNIT_EXPECT_EQ(test, event->pending_kill, POLL_HUP);
	KUNIT_EXPECT_EQ(test, event->pending_disable, 1);

	/* It reports nothing more, although it is not yet disabled. */
	swk_report(swk, 5);
	KUNIT_EXPECT_EQ(test, swk->overflows, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&event->event_limit), 0);

	perf_overflow_cancel(event);
}

static void swk_exclude(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 0);
	struct perf_event *event = &swk->event;
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
static void swk_exclude_user(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 0);
	struct perf_event *event = &swk->event;
	struct pt_regs regs = { .cs = __USER_CS };

	event->attr.exclude_kernel = 1;
	KUNIT_EXPECT_FALSE(test, perf_swevent_exclude(event, &regs));
	event->attr.exclude_user = 1;
	KUNIT_EXPECT_TRUE(test, perf_swevent_exclude(event, &regs));
}
#endif

static void swk_put_on_lists(struct swk_event *one, struct swk_event *two)
{
	guard(irqsave)();
	perf_software_add(&one->event, PERF_EF_START);
	perf_software_add(&two->event, 0);
}

static void swk_take_off_lists(struct swk_event *one, struct swk_event *two)
{
	guard(irqsave)();
	perf_software_del(&one->event, 0);
	perf_software_del(&two->event, 0);
}

/* Nothing else in the kernel reports the dummy event. */
static void swk_lists(struct kunit *test)
{
	struct swk_event *started = swk_new(test, 0);
	struct swk_event *stopped = swk_new(test, 0);
	struct pt_regs regs = { };

	migrate_disable();
	swk_put_on_lists(started, stopped);
	__perf_sw_event(PERF_COUNT_SW_DUMMY, 3, &regs, 0);
	__perf_sw_event(PERF_COUNT_SW_BPF_OUTPUT, 5, &regs, 0);
	swk_take_off_lists(started, stopped);
	__perf_sw_event(PERF_COUNT_SW_DUMMY, 7, &regs, 0);
	migrate_enable();
	synchronize_rcu();

	KUNIT_EXPECT_EQ(test, (s64)local64_read(&started->event.count), 3);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&stopped->event.count), 0);
}

/* A sampling event on the list begins its period when it is added. */
static void swk_lists_sampling(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 3);
	struct swk_event *counting = swk_new(test, 0);
	struct pt_regs regs = { };

	migrate_disable();
	swk->event.hw.last_period = 7;
	local64_set(&swk->event.hw.period_left, 0);
	swk_put_on_lists(swk, counting);
	KUNIT_EXPECT_EQ(test, swk->event.hw.last_period, 3);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&swk->event.hw.period_left), -3);
	for (int i = 0; i < 7; i++)
		__perf_sw_event(PERF_COUNT_SW_DUMMY, 1, &regs, 0x1000 + i);
	swk_take_off_lists(swk, counting);
	migrate_enable();
	synchronize_rcu();

	KUNIT_EXPECT_EQ(test, (s64)local64_read(&swk->event.count), 7);
	KUNIT_EXPECT_EQ(test, swk->overflows, 2);
	KUNIT_EXPECT_EQ(test, swk->last_addr, 0x1005);
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
/* Each hit is counted and sampled, unless the event is stopped or excludes it. */
static void swk_breakpoint(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 1);
	struct perf_event *event = &swk->event;
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
	KUNIT_EXPECT_EQ(test, swk->overflows, 1);
	KUNIT_EXPECT_EQ(test, swk->last_addr, 0xb0);
	KUNIT_EXPECT_EQ(test, (s64)local64_read(&event->count), 1);
}
#endif

static int swk_init_with(struct swk_event *swk, u32 type, u64 config)
{
	swk->event.attr.type = type;
	swk->event.attr.config = config;
	return perf_software_event_init(&swk->event);
}

static void swk_init_refuses(struct kunit *test)
{
	static const u64 unknown[] = {
		PERF_COUNT_SW_MAX, U32_MAX, 1ULL << 32, 1ULL << 63, U64_MAX,
	};
	struct swk_event *swk = swk_new(test, 0);

	for (int i = 0; i < ARRAY_SIZE(unknown); i++)
		KUNIT_EXPECT_EQ(test, swk_init_with(swk, PERF_TYPE_SOFTWARE,
						    unknown[i]), -ENOENT);
	KUNIT_EXPECT_EQ(test, swk_init_with(swk, PERF_TYPE_RAW,
					    PERF_COUNT_SW_DUMMY), -ENOENT);

	swk->event.attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	KUNIT_EXPECT_EQ(test, swk_init_with(swk, PERF_TYPE_SOFTWARE,
					    PERF_COUNT_SW_DUMMY), -EOPNOTSUPP);
	KUNIT_EXPECT_NULL(test, swk->event.destroy);
}

static void swk_init_forwards(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 0);

	KUNIT_EXPECT_EQ(test, swk_init_with(swk, PERF_TYPE_SOFTWARE,
					    PERF_COUNT_SW_CPU_CLOCK), -ENOENT);
	KUNIT_EXPECT_NE(test, swk->event.attr.type, PERF_TYPE_SOFTWARE);
	KUNIT_EXPECT_EQ(test, swk_init_with(swk, PERF_TYPE_SOFTWARE,
					    PERF_COUNT_SW_TASK_CLOCK), -ENOENT);
	KUNIT_EXPECT_NE(test, swk->event.attr.type, PERF_TYPE_SOFTWARE);
}

static void swk_destroy(void *arg)
{
	struct swk_event *swk = arg;

	swk->event.destroy(&swk->event);
}

static struct swk_event *swk_open_dummy(struct kunit *test)
{
	struct swk_event *swk = swk_new(test, 0);

	KUNIT_ASSERT_EQ(test, 0, swk_init_with(swk, PERF_TYPE_SOFTWARE,
					       PERF_COUNT_SW_DUMMY));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, swk_destroy,
							   swk));
	return swk;
}

static void swk_init_counts_keys(struct kunit *test)
{
	struct static_key *key = &perf_swevent_enabled[PERF_COUNT_SW_DUMMY];
	struct swk_event *swk = swk_new(test, 0);
	struct swk_event *child = swk_new(test, 0);
	int before;

	/* Open another event first, since the first one counts for two. */
	swk_open_dummy(test);
	before = static_key_count(key);
	KUNIT_EXPECT_EQ(test, swk_init_with(swk, PERF_TYPE_SOFTWARE,
					    PERF_COUNT_SW_DUMMY), 0);
	KUNIT_ASSERT_NOT_NULL(test, swk->event.destroy);
	KUNIT_EXPECT_EQ(test, static_key_count(key), before + 1);

	child->event.parent = &swk->event;
	KUNIT_EXPECT_EQ(test, swk_init_with(child, PERF_TYPE_SOFTWARE,
					    PERF_COUNT_SW_DUMMY), 0);
	KUNIT_EXPECT_NULL(test, child->event.destroy);
	KUNIT_EXPECT_EQ(test, static_key_count(key), before + 1);

	swk->event.destroy(&swk->event);
	KUNIT_EXPECT_EQ(test, static_key_count(key), before);
}

/* The key is disabled after the last event has gone, but not at once. */
static void swk_key_outlives_events(struct kunit *test)
{
	struct static_key *key = &perf_swevent_enabled[PERF_COUNT_SW_DUMMY];
	struct swk_event *first, *second;
	ktime_t end;

	for (int round = 0; round < 2; round++) {
		first = swk_open_dummy(test);
		second = swk_open_dummy(test);
		KUNIT_EXPECT_EQ(test, static_key_count(key), 3);
		kunit_release_action(test, swk_destroy, first);
		KUNIT_EXPECT_EQ(test, static_key_count(key), 2);
		kunit_release_action(test, swk_destroy, second);
		KUNIT_EXPECT_EQ(test, static_key_count(key), 1);
	}
	end = ktime_add_ms(ktime_get(), 5 * MSEC_PER_SEC);
	while (static_key_count(key) && ktime_before(ktime_get(), end))
		msleep(20);
	KUNIT_EXPECT_EQ(test, static_key_count(key), 0);
}

static struct kunit_case perf_software_cases[] = {
	KUNIT_CASE(swk_recursion),
	KUNIT_CASE(swk_recursion_current),
	KUNIT_CASE(swk_period_arithmetic),
	KUNIT_CASE(swk_period_single),
	KUNIT_CASE(swk_period_weight),
	KUNIT_CASE(swk_period_sampled_weight),
	KUNIT_CASE(swk_period_each),
	KUNIT_CASE(swk_period_of_frequency),
	KUNIT_CASE(swk_random_single),
	KUNIT_CASE(swk_random_weight),
	KUNIT_CASE(swk_random_flood),
	KUNIT_CASE(swk_counting),
	KUNIT_CASE(swk_inactive),
	KUNIT_CASE(swk_throttled),
	KUNIT_CASE(swk_limit),
	KUNIT_CASE(swk_exclude),
#ifdef CONFIG_X86_64
	KUNIT_CASE(swk_exclude_user),
#endif
	KUNIT_CASE(swk_lists),
	KUNIT_CASE(swk_lists_sampling),
#ifdef CONFIG_HAVE_HW_BREAKPOINT
	KUNIT_CASE(swk_breakpoint),
#endif
	KUNIT_CASE(swk_init_refuses),
	KUNIT_CASE(swk_init_forwards),
	KUNIT_CASE(swk_init_counts_keys),
	KUNIT_CASE_SLOW(swk_key_outlives_events),
	{ }
};

/* Restores the rate, which interrupts of a slow machine may have lowered. */
static int swk_case_init(struct kunit *test)
{
	WRITE_ONCE(perf_rate_per_tick, SWK_RATE_PER_TICK);
	return 0;
}

static struct kunit_suite perf_software_suite = {
	.name		= "perf_software",
	.init		= swk_case_init,
	.test_cases	= perf_software_cases,
};

kunit_test_suite(perf_software_suite);
