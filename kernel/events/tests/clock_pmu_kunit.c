// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room clock_pmu: what the two clocks count, when their timers
 * expire, and what samples they take.
 *
 * The events are real ones. Where a time matters that a busy host could make
 * longer, a test looks at the timer instead of waiting for it.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/iopoll.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../clock.h"
#include "../clock_pmu.h"
#include "../context.h"
#include "../random.h"
#include "fake_pmu.h"

#define PATIENCE_NS	(10ULL * NSEC_PER_SEC)
#define FOREVER_NS	(3600LL * NSEC_PER_SEC)
#define SHORTEST_NS	(10LL * NSEC_PER_USEC)

#define OFF		PERF_EVENT_STATE_OFF

/* What the overflow handler has seen. */
struct clock_pmu_test_seen {
	unsigned int	samples;
	u64		count_min;
	u64		count_max;
	u64		period_min;
	u64		period_max;
	bool		idle;
};

static void clock_pmu_test_handler(struct perf_event *event,
				   struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	struct clock_pmu_test_seen *seen = event->overflow_handler_context;
	u64 count = local64_read(&event->count);

	seen->count_min = min(seen->count_min, count);
	seen->count_max = max(seen->count_max, count);
	seen->period_min = min(seen->period_min, data->period);
	seen->period_max = max(seen->period_max, data->period);
	if (is_idle_task(current))
		WRITE_ONCE(seen->idle, true);
	WRITE_ONCE(seen->samples, seen->samples + 1);
}

static int clock_pmu_test_init(struct kunit *test)
{
	struct clock_pmu_test_seen *seen =
		kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);

	if (!seen)
		return -ENOMEM;
	seen->count_min = U64_MAX;
	seen->period_min = U64_MAX;
	test->priv = seen;
	return 0;
}

static void clock_pmu_test_release(void *event)
{
	perf_event_release_kernel(event);
}

static struct perf_event_attr clock_pmu_test_attr(u64 config, u64 period)
{
	return (struct perf_event_attr) {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(struct perf_event_attr),
		.config		= config,
		.sample_period	= period,
	};
}

/* Counts current if @cpu is -1. */
static struct perf_event *
clock_pmu_test_open(struct kunit *test, struct perf_event_attr *attr, int cpu)
{
	struct task_struct *task = cpu < 0 ? current : NULL;
	struct perf_event *event;

	event = perf_event_create_kernel_counter(attr, cpu, task,
						 clock_pmu_test_handler,
						 test->priv);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	fake_pmu_undo(test, clock_pmu_test_release, event);
	return event;
}

static void clock_pmu_test_bind(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
}

/* An event of the CPU where the test runs from now on. */
static struct perf_event *clock_pmu_test_open_here(struct kunit *test,
						   struct perf_event_attr *attr)
{
	int cpu = cpumask_first(cpu_online_mask);

	clock_pmu_test_bind(test, cpu);
	return clock_pmu_test_open(test, attr, cpu);
}

static int clock_pmu_test_idle_cpu(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU only");
	clock_pmu_test_bind(test, cpumask_first(cpu_online_mask));
	return cpumask_last(cpu_online_mask);
}

/* Keeps the CPU busy until there are @nr samples. */
static void clock_pmu_test_expect_samples(struct kunit *test, unsigned int nr)
{
	const struct clock_pmu_test_seen *seen = test->priv;
	u64 end = ktime_get_ns() + PATIENCE_NS;

	while (READ_ONCE(seen->samples) < nr && ktime_get_ns() < end)
		cond_resched();
	KUNIT_EXPECT_GE(test, READ_ONCE(seen->samples), nr);
}

/* Counts. */

/* A handler finds a count that is up to date, in the unit of the clock. */
static void clock_pmu_test_count_in_handler(struct kunit *test, u64 config)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(config, NSEC_PER_MSEC);
	const struct clock_pmu_test_seen *seen = test->priv;
	struct perf_event *event;
	u64 begin = perf_clock();

	event = clock_pmu_test_open(test, &attr, -1);
	clock_pmu_test_expect_samples(test, 3);
	perf_event_disable(event);
	KUNIT_EXPECT_GE(test, seen->count_min, NSEC_PER_MSEC / 2);
	KUNIT_EXPECT_LE(test, seen->count_max,
			perf_clock() - begin + TICK_NSEC);
	KUNIT_EXPECT_EQ(test, seen->period_min, NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, seen->period_max, NSEC_PER_MSEC);
}

static void clock_pmu_test_cpu_clock_samples(struct kunit *test)
{
	clock_pmu_test_count_in_handler(test, PERF_COUNT_SW_CPU_CLOCK);
}

static void clock_pmu_test_task_clock_samples(struct kunit *test)
{
	clock_pmu_test_count_in_handler(test, PERF_COUNT_SW_TASK_CLOCK);
}

/* The count is the running time, although the context is older. */
static void clock_pmu_test_task_clock_is_exact(struct kunit *test)
{
	struct perf_event_attr dummy =
		clock_pmu_test_attr(PERF_COUNT_SW_DUMMY, 0);
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_TASK_CLOCK, 0);
	struct perf_event *event;

	clock_pmu_test_open(test, &dummy, -1);
	mdelay(1);
	event = clock_pmu_test_open(test, &attr, -1);
	for (int i = 0; i < 3; i++) {
		mdelay(1);
		fsleep(100);
		perf_event_disable(event);
		KUNIT_EXPECT_GT(test, event->total_time_running, 0);
		KUNIT_EXPECT_EQ(test, local64_read(&event->count),
				event->total_time_running);
		perf_event_enable(event);
	}
}

/* Timers. */

/* Return: nanoseconds to the end of a period of which @left is left. */
static s64 clock_pmu_test_restart(struct perf_event *event, s64 left)
{
	struct hrtimer *timer = &event->hw.hrtimer;
	ktime_t before;

	guard(irqsave)();
	event->pmu->stop(event, PERF_EF_UPDATE);
	local64_set(&event->hw.period_left, left);
	before = ktime_get();
	event->pmu->start(event, 0);
	return ktime_to_ns(ktime_sub(hrtimer_get_expires(timer), before));
}

static void clock_pmu_test_timer(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, FOREVER_NS);
	const struct clock_pmu_test_seen *seen = test->priv;
	struct perf_event *event = clock_pmu_test_open_here(test, &attr);

	KUNIT_EXPECT_GE(test, clock_pmu_test_restart(event, 0), FOREVER_NS);
	KUNIT_EXPECT_GE(test, clock_pmu_test_restart(event, FOREVER_NS / 2),
			FOREVER_NS / 2);
	KUNIT_EXPECT_LT(test, clock_pmu_test_restart(event, FOREVER_NS / 2),
			FOREVER_NS);
	KUNIT_EXPECT_EQ(test, seen->samples, 0);
	/* The period ended while the event was being stopped. */
	KUNIT_EXPECT_GE(test, clock_pmu_test_restart(event, -1), SHORTEST_NS);
	clock_pmu_test_expect_samples(test, 1);
}

static void clock_pmu_test_shortest_period(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, 1);
	struct perf_event *event = clock_pmu_test_open_here(test, &attr);

	KUNIT_EXPECT_GE(test, clock_pmu_test_restart(event, 0), SHORTEST_NS);
}

/* An event that is stopped keeps its count, and the rest of its period. */
static void clock_pmu_test_stopped(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, FOREVER_NS);
	struct perf_event *event = clock_pmu_test_open_here(test, &attr);
	s64 left, count, later;
	bool active;

	scoped_guard(irqsave) {
		event->pmu->stop(event, PERF_EF_UPDATE);
		left = local64_read(&event->hw.period_left);
		count = local64_read(&event->count);
		active = hrtimer_active(&event->hw.hrtimer);
		mdelay(1);
		event->pmu->read(event);
		event->pmu->stop(event, PERF_EF_UPDATE);
		later = local64_read(&event->count);
		event->pmu->start(event, 0);
		mdelay(1);
		event->pmu->read(event);
	}
	KUNIT_EXPECT_FALSE(test, active);
	KUNIT_EXPECT_GT(test, left, 0);
	KUNIT_EXPECT_LE(test, left, FOREVER_NS);
	KUNIT_EXPECT_GT(test, count, 0);
	KUNIT_EXPECT_EQ(test, later, count);
	KUNIT_EXPECT_GT(test, local64_read(&event->count), count);
}

/* The timer may still be running its handler when the event is freed. */
static void clock_pmu_test_destroyed(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, FOREVER_NS);
	struct perf_event *event = clock_pmu_test_open_here(test, &attr);

	perf_event_disable(event);
	KUNIT_ASSERT_NOT_NULL(test, event->destroy);
	hrtimer_start(&event->hw.hrtimer, ns_to_ktime(FOREVER_NS),
		      HRTIMER_MODE_REL_HARD);
	event->destroy(event);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&event->hw.hrtimer));
}

/* A BPF program in an NMI may read an event just before it is first added. */
static void clock_pmu_test_read_before_add(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, 0);
	struct perf_event *event;

	attr.disabled = 1;
	event = clock_pmu_test_open_here(test, &attr);
	scoped_guard(irqsave)
		event->pmu->read(event);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 0LL);
}

/* An event may be added without being started. */
static void clock_pmu_test_added_stopped(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, 0);
	struct perf_event *event;
	bool stopped;
	int err;

	attr.disabled = 1;
	event = clock_pmu_test_open_here(test, &attr);
	scoped_guard(irqsave) {
		err = event->pmu->add(event, 0);
		stopped = event->hw.state & PERF_HES_STOPPED;
		event->pmu->read(event);
		event->pmu->del(event, 0);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_TRUE(test, stopped);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 0);
}

static bool clock_pmu_test_is_off(const struct perf_event *event)
{
	return READ_ONCE(event->state) == OFF;
}

/* The last overflow of an event leaves no timer behind. */
static void clock_pmu_test_limit(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, FOREVER_NS);
	const struct clock_pmu_test_seen *seen = test->priv;
	struct perf_event *event;
	bool off;

	attr.disabled = 1;
	event = clock_pmu_test_open_here(test, &attr);
	KUNIT_ASSERT_EQ(test, perf_event_refresh(event, 1), 0);
	clock_pmu_test_restart(event, -1);
	read_poll_timeout(clock_pmu_test_is_off, off, off, 100,
			  PATIENCE_NS / NSEC_PER_USEC, false, event);
	KUNIT_EXPECT_TRUE(test, off);
	KUNIT_EXPECT_EQ(test, seen->samples, 1);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&event->hw.hrtimer));
}

/* Samples. */

static void clock_pmu_test_random(struct kunit *test)
{
	struct perf_event_random_period how = { .share = 500000, .seed = 1 };
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, NSEC_PER_MSEC);
	const struct clock_pmu_test_seen *seen = test->priv;
	struct perf_ctx *ctx;
	struct perf_event *event;

	attr.disabled = 1;
	event = clock_pmu_test_open(test, &attr, -1);
	ctx = perf_event_ctx_lock(event);
	KUNIT_EXPECT_EQ(test, perf_random_set(event, &how), 0);
	perf_event_ctx_unlock(event, ctx);
	perf_event_enable(event);
	clock_pmu_test_expect_samples(test, 5);
	perf_event_disable(event);
	KUNIT_EXPECT_GE(test, seen->period_min, NSEC_PER_MSEC / 2);
	KUNIT_EXPECT_LE(test, seen->period_max, 3 * NSEC_PER_MSEC / 2);
	KUNIT_EXPECT_LT(test, seen->period_min, seen->period_max);
}

static bool clock_pmu_test_has_idle(struct kunit *test)
{
	const struct clock_pmu_test_seen *seen = test->priv;

	return READ_ONCE(seen->idle);
}

static void clock_pmu_test_idle(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, NSEC_PER_MSEC);
	bool idle;

	clock_pmu_test_open(test, &attr, clock_pmu_test_idle_cpu(test));
	read_poll_timeout(clock_pmu_test_has_idle, idle, idle, 1000,
			  PATIENCE_NS / NSEC_PER_USEC, false, test);
	KUNIT_EXPECT_TRUE(test, idle);
}

/* An idle CPU is not sampled; the event counts on, and samples later. */
static void clock_pmu_test_exclude_idle(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_CPU_CLOCK, NSEC_PER_MSEC);
	int cpu = clock_pmu_test_idle_cpu(test);
	struct perf_event *event;
	u64 enabled, running, count;

	attr.exclude_idle = 1;
	event = clock_pmu_test_open(test, &attr, cpu);
	fsleep(20000);
	count = perf_event_read_value(event, &enabled, &running);
	fsleep(1000);
	KUNIT_EXPECT_GT(test, perf_event_read_value(event, &enabled, &running),
			count);
	clock_pmu_test_bind(test, cpu);
	clock_pmu_test_expect_samples(test, 1);
	KUNIT_EXPECT_FALSE(test, clock_pmu_test_has_idle(test));
}

/* Which events. */

static void clock_pmu_test_frequency(struct kunit *test)
{
	struct perf_event_attr attr =
		clock_pmu_test_attr(PERF_COUNT_SW_TASK_CLOCK, 4000);
	struct perf_event *event;

	attr.freq = 1;
	attr.disabled = 1;
	event = clock_pmu_test_open(test, &attr, -1);
	KUNIT_EXPECT_FALSE(test, event->attr.freq);
	KUNIT_EXPECT_EQ(test, event->attr.sample_period, NSEC_PER_SEC / 4000);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, NSEC_PER_SEC / 4000);
}

static void clock_pmu_test_times(struct kunit *test)
{
	static const struct {
		u64	config;
		bool	times;
	} rows[] = {
		{ .config = PERF_COUNT_SW_CPU_CLOCK, .times = true },
		{ .config = PERF_COUNT_SW_TASK_CLOCK, .times = true },
		{ .config = PERF_COUNT_SW_DUMMY, .times = false },
	};

	for (int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr =
			clock_pmu_test_attr(rows[i].config, 0);
		struct perf_event *event = clock_pmu_test_open(test, &attr, -1);

		KUNIT_EXPECT_EQ(test, perf_clock_pmu_times(event),
				rows[i].times);
	}
}

static struct kunit_case clock_pmu_test_cases[] = {
	KUNIT_CASE(clock_pmu_test_cpu_clock_samples),
	KUNIT_CASE(clock_pmu_test_task_clock_samples),
	KUNIT_CASE(clock_pmu_test_task_clock_is_exact),
	KUNIT_CASE(clock_pmu_test_timer),
	KUNIT_CASE(clock_pmu_test_shortest_period),
	KUNIT_CASE(clock_pmu_test_stopped),
	KUNIT_CASE(clock_pmu_test_destroyed),
	KUNIT_CASE(clock_pmu_test_read_before_add),
	KUNIT_CASE(clock_pmu_test_added_stopped),
	KUNIT_CASE(clock_pmu_test_limit),
	KUNIT_CASE(clock_pmu_test_random),
	KUNIT_CASE(clock_pmu_test_idle),
	KUNIT_CASE(clock_pmu_test_exclude_idle),
	KUNIT_CASE(clock_pmu_test_frequency),
	KUNIT_CASE(clock_pmu_test_times),
	{ }
};

static struct kunit_suite clock_pmu_test_suite = {
	.name		= "perf_clock_pmu",
	.init		= clock_pmu_test_init,
	.test_cases	= clock_pmu_test_cases,
};

kunit_test_suite(clock_pmu_test_suite);
