// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room throttle: the arithmetic of frequency mode, when an event
 * has interrupted too often, and how the rate changes when samples take long.
 * Included by throttle.c; groups are in throttle_group_kunit.c.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/prandom.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "fake_pmu.h"

static void throttle_test_period_exact(struct kunit *test)
{
	static const struct {
		u64	freq;
		u64	nsec;
		u64	count;
		u64	period;
	} cases[] = {
		{ .freq = 1000, .nsec = NSEC_PER_SEC, .count = 1000000,
		  .period = 1000 },
		{ .freq = 1, .nsec = NSEC_PER_SEC, .count = 5, .period = 5 },
		{ .freq = 4000, .nsec = 4000000, .count = 16000000,
		  .period = 1000000 },
		{ .freq = 99, .nsec = 10000000, .count = 33000,
		  .period = 33333 },
		{ .freq = 1000, .nsec = NSEC_PER_SEC, .count = 0, .period = 0 },
		{ .freq = 100000, .nsec = 1000, .count = 1, .period = 10 },
		/* A counter at 8 GHz, a tick of 10 ms. */
		{ .freq = 100, .nsec = 10000000, .count = 80000000,
		  .period = 80000000 },
		/* Products of 64 bits: no avoidable rounding. */
		{ .freq = 2147483647, .nsec = 4294967297, .count = 9223372034,
		  .period = 0 },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, perf_freq_period(cases[i].freq,
							   cases[i].nsec,
							   cases[i].count),
				    cases[i].period, "case %d", i);
}

/* Where products do not fit, the result is close, and nothing divides by 0. */
static void throttle_test_period_large(struct kunit *test)
{
	for (int shift = 34; shift < 64; shift++) {
		u64 count = 1ULL << shift;
		u64 exact = mul_u64_u64_div_u64(count, NSEC_PER_SEC,
						NSEC_PER_SEC * 1000ULL);
		u64 period = perf_freq_period(1000, NSEC_PER_SEC, count);

		KUNIT_EXPECT_GE_MSG(test, period, exact - exact / 8,
				    "2^%d", shift);
		KUNIT_EXPECT_LE_MSG(test, period, exact + exact / 8,
				    "2^%d", shift);
	}
	/* Only the product of time and frequency does not fit. */
	KUNIT_EXPECT_EQ(test, perf_freq_period(1ULL << 32, (1ULL << 33) + 1,
					       1ULL << 33), 0ULL);
	perf_freq_period(1, 1, U64_MAX);
	perf_freq_period(U64_MAX, U64_MAX, 1);
	perf_freq_period(U64_MAX, 1, U64_MAX);
}

static struct perf_event *throttle_test_event(struct kunit *test, u64 freq)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event),
						 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->attr.freq = !!freq;
	event->attr.sample_freq = freq;
	event->hw.sample_period = 1;
	event->clock = local_clock;
	event->state = PERF_EVENT_STATE_ACTIVE;
	event->group_leader = event;
	event->pmu_ctx = fake_software_pmu_ctx();
	return event;
}

/*
 * A counter that runs at @rate events a second. A period that begins has the
 * length that was computed at the overflow before; each sample takes time.
 */
struct throttle_test_counter {
	u64	rate;
	u64	overhead;
	u64	armed;
	u32	jitter;		/* per cent of the time, both ways */
	struct rnd_state rnd;
};

static void throttle_test_overflow(struct perf_event *event,
				   struct throttle_test_counter *counter)
{
	u64 count = counter->armed;
	u64 nsec = mul_u64_u64_div_u64(count, NSEC_PER_SEC, counter->rate);

	if (counter->jitter) {
		u32 spread = prandom_u32_state(&counter->rnd) %
			     (2 * counter->jitter + 1);

		nsec = nsec * (100 - counter->jitter + spread) / 100;
	}
	nsec += counter->overhead;
	counter->armed = event->hw.sample_period;
	perf_freq_learn(event, perf_freq_period(event->attr.sample_freq, nsec,
						count));
}

/* Return: per cent by which the period is off, beyond one event. */
static u64 throttle_test_error(const struct perf_event *event,
			       const struct throttle_test_counter *counter)
{
	u64 right = div64_u64(counter->rate, event->attr.sample_freq);
	u64 off = abs_diff(event->hw.sample_period, right);

	return off > 1 ? div64_u64(100 * (off - 1), right) : 0;
}

/* From any period to any rate: after ten periods it is right, and stays so. */
static void throttle_test_converges(struct kunit *test)
{
	static const u64 rates[] = { 20000, 1000000, 50000000, 3000000000 };
	static const u64 freqs[] = { 99, 1000, 4000 };

	for (int i = 0; i < ARRAY_SIZE(rates) * ARRAY_SIZE(freqs); i++) {
		struct throttle_test_counter counter = {
			.rate = rates[i / ARRAY_SIZE(freqs)],
			.overhead = 1000,
			.armed = 1,
		};
		u64 freq = freqs[i % ARRAY_SIZE(freqs)];
		struct perf_event *event = throttle_test_event(test, freq);

		for (int n = 1; n <= 60; n++) {
			throttle_test_overflow(event, &counter);
			KUNIT_EXPECT_TRUE_MSG(test,
					      n < 10 || throttle_test_error(event, &counter) <= 5,
					      "%llu/s at %llu Hz: period %llu after %d",
					      counter.rate, freq,
					      event->hw.sample_period, n);
		}
	}
}

/* Load changes: within ten periods again, both ways. */
static void throttle_test_follows(struct kunit *test)
{
	static const u64 rates[] = {
		1000000, 1800000, 900000, 100000000, 3000000, 2500000, 40000,
	};
	struct perf_event *event = throttle_test_event(test, 1000);
	struct throttle_test_counter counter = { .armed = 1 };

	for (int i = 0; i < ARRAY_SIZE(rates); i++) {
		counter.rate = rates[i];
		for (int n = 0; n < 10; n++)
			throttle_test_overflow(event, &counter);
		KUNIT_EXPECT_LE_MSG(test, throttle_test_error(event, &counter),
				    5ULL, "%llu/s: period %llu", rates[i],
				    event->hw.sample_period);
		for (int n = 0; n < 20; n++)
			throttle_test_overflow(event, &counter);
	}
}

/* Times that vary by 20 % in both directions move the period by far less. */
static void throttle_test_is_calm(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 1000);
	struct throttle_test_counter counter = {
		.rate = 100000000, .armed = 1, .jitter = 20,
	};
	u64 sum = 0;

	prandom_seed_state(&counter.rnd, 1);
	for (int n = 0; n < 1000; n++) {
		throttle_test_overflow(event, &counter);
		if (n >= 40)
			sum += throttle_test_error(event, &counter);
	}
	/* The mean error of a single window is 10 %. */
	KUNIT_EXPECT_LE(test, div_u64(sum, 960), 5ULL);
}

/* Events that are rarer than the frequency are sampled each time. */
static void throttle_test_rare(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 1000);
	struct throttle_test_counter counter = { .rate = 200, .armed = 1000 };

	event->hw.sample_period = 1000;
	for (int n = 0; n < 40; n++)
		throttle_test_overflow(event, &counter);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 1ULL);
}

/* A window of one event that took no time must not lead to a huge period. */
static void throttle_test_steps_up(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 1000);
	u64 period = 1;

	for (int n = 0; n < 5; n++) {
		perf_freq_learn(event, U64_MAX / 2);
		KUNIT_EXPECT_LE(test, event->hw.sample_period,
				PERF_FREQ_STEP * period);
		period = event->hw.sample_period;
	}
	KUNIT_EXPECT_GT(test, period, 1000ULL);
}

/* A period that was computed for a higher rate of events is cut short. */
static void throttle_test_long_period_ends(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 1000);

	event->hw.sample_period = 1000;
	local64_set(&event->hw.period_left, 8000);
	KUNIT_EXPECT_FALSE(test, perf_freq_is_cut_short(event));
	local64_set(&event->hw.period_left, 8001);
	KUNIT_EXPECT_TRUE(test, perf_freq_is_cut_short(event));
}

/* The tick intervenes after two periods, but waits for one tick at least. */
static void throttle_test_patience(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_freq_patience(throttle_test_event(test, 10)),
			200 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test,
			perf_freq_patience(throttle_test_event(test, 1000000)),
			(u64)TICK_NSEC);
}

/* A window that is off by a quarter still counts for the mean, one more does not. */
static void throttle_test_outlier(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 1000);

	event->hw.sample_period = 1000;
	event->freq_windows = 4;
	perf_freq_learn(event, 1251);
	KUNIT_EXPECT_EQ(test, event->freq_windows, 5);
	event->hw.sample_period = 1000;
	event->freq_windows = 4;
	perf_freq_learn(event, 1252);
	KUNIT_EXPECT_EQ(test, event->freq_windows, 2);
}

static int throttle_test_stops;

static void throttle_test_stop(struct perf_event *event, int flags)
{
	throttle_test_stops++;
}

static void throttle_test_start(struct perf_event *event, int flags)
{
}

/* The tick leaves an event alone that overflowed within its patience. */
static void throttle_test_tick_waits(struct kunit *test)
{
	static struct pmu pmu = {
		.stop	= throttle_test_stop,
		.start	= throttle_test_start,
	};
	struct perf_event *event = throttle_test_event(test, 1000);
	u64 patience = perf_freq_patience(event);

	event->pmu = &pmu;
	event->total_time_running = 10 * patience;
	throttle_test_stops = 0;
	event->hw.freq_time_stamp = 9 * patience + 1;
	perf_freq_tick(event, perf_clock());
	KUNIT_EXPECT_EQ(test, throttle_test_stops, 0);
	/* An NMI has begun a window after the tick read the clock. */
	event->hw.freq_time_stamp = 10 * patience + 1;
	perf_freq_tick(event, perf_clock());
	KUNIT_EXPECT_EQ(test, throttle_test_stops, 0);
	event->hw.freq_time_stamp = 9 * patience;
	perf_freq_tick(event, perf_clock());
	KUNIT_EXPECT_EQ(test, throttle_test_stops, 1);
	KUNIT_EXPECT_EQ(test, event->hw.freq_time_stamp, 10 * patience);
}

/* A window in which the CPU was idle is ignored, but the next one is used. */
static void throttle_test_long_window(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 1000);

	event->hw.sample_period = 1000;
	local64_set(&event->count, 5000000);
	perf_freq_window(event, TICK_NSEC + 1, TICK_NSEC);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 1000ULL);
	local64_add(5000000, &event->count);
	perf_freq_window(event, 2 * TICK_NSEC + 1, TICK_NSEC);
	KUNIT_EXPECT_GT(test, event->hw.sample_period, 1000ULL);
}

/* A window without events does not change the period. */
static void throttle_test_empty_window(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 1000);

	event->hw.sample_period = 1000;
	perf_freq_window(event, TICK_NSEC, TICK_NSEC);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 1000ULL);
}

/* With interrupts off, so that no tick comes between. */
static unsigned int
throttle_test_interrupts_until_over(struct perf_event *event, unsigned int most)
{
	unsigned int n;

	guard(irqsave)();
	event->hw.interrupts_seq = __this_cpu_read(perf_cpu_context.tick) - 1;
	for (n = 1; n <= most; n++) {
		if (perf_throttle_account_nmi(event, true))
			break;
	}
	return n;
}

static void throttle_test_over(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 0);
	unsigned int limit = READ_ONCE(perf_throttle_per_tick);

	KUNIT_EXPECT_EQ(test,
			throttle_test_interrupts_until_over(event, limit + 1),
			limit);
	KUNIT_EXPECT_EQ(test, event->hw.interrupts, MAX_INTERRUPTS);
	/* One interrupt may report several overflows. */
	scoped_guard(irqsave) {
		event->hw.interrupts = MAX_INTERRUPTS;
		event->hw.interrupts_seq = __this_cpu_read(perf_cpu_context.tick);
		KUNIT_EXPECT_TRUE(test, perf_throttle_account_nmi(event, true));
		KUNIT_EXPECT_EQ(test, event->hw.interrupts, MAX_INTERRUPTS);
		/* Only the tick's walk starts it again, not its number. */
		event->hw.interrupts_seq--;
		KUNIT_EXPECT_TRUE(test, perf_throttle_account_nmi(event, true));
		KUNIT_EXPECT_EQ(test, event->hw.interrupts, MAX_INTERRUPTS);
	}
}

/* An occurrence for an event that is parked drops the rest of its periods. */
static void throttle_test_parked(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 0);
	unsigned int limit = READ_ONCE(perf_throttle_per_tick);

	event->state = PERF_EVENT_STATE_INACTIVE;
	KUNIT_EXPECT_EQ(test,
			throttle_test_interrupts_until_over(event, limit + 1),
			limit);
	KUNIT_EXPECT_FALSE(test, perf_event_is_throttled(event));
	KUNIT_EXPECT_FALSE(test, event->throttle_reported);
}

/* An event that stays just below the limit in each tick is never over it. */
static void throttle_test_tick_begins_anew(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 0);
	unsigned int limit = READ_ONCE(perf_throttle_per_tick);
	bool over = false;

	scoped_guard(irqsave) {
		for (int tick = 0; tick < 3; tick++) {
			for (unsigned int n = 1; n < limit; n++)
				over |= perf_throttle_account_nmi(event, true);
			perf_event_task_tick();
		}
	}
	KUNIT_EXPECT_FALSE(test, over);
}

static bool throttle_test_never_over(struct perf_event *event, unsigned int nr)
{
	bool over = false;

	guard(irqsave)();
	while (nr--)
		over |= perf_throttle_account_nmi(event, false);
	return over;
}

/*
 * The core requests no stop if the driver reports that it cannot stop the
 * event now.
 */
static void throttle_test_not_asked(struct kunit *test)
{
	struct perf_event *event = throttle_test_event(test, 0);
	int more = READ_ONCE(perf_throttle_per_tick) + 10;

	KUNIT_EXPECT_FALSE(test, throttle_test_never_over(event, more));
}

/* Values that slow samples change: for all CPUs, except the sum. */
struct throttle_test_limits {
	int		rate;
	int		percent;
	unsigned int	per_tick;
	unsigned int	allowed;
	u64		sum;
};

/* Saves the limits in @limits; then sets 25 % and a rate of 100000. */
static void throttle_test_limits_begin(struct throttle_test_limits *limits)
{
	guard(irqsave)();
	*limits = (struct throttle_test_limits) {
		.rate		= sysctl_perf_event_sample_rate,
		.percent	= sysctl_perf_cpu_time_max_percent,
		.per_tick	= perf_throttle_per_tick,
		.allowed	= perf_sample_allowed_ns,
		.sum		= __this_cpu_read(perf_took_sum),
	};
	sysctl_perf_event_sample_rate = PERF_RATE_DEFAULT;
	sysctl_perf_cpu_time_max_percent = PERF_PERCENT_DEFAULT;
	perf_throttle_per_tick = DIV_ROUND_UP(PERF_RATE_DEFAULT, HZ);
	perf_throttle_set_allowed();
	__this_cpu_write(perf_took_sum, 0);
}

static void throttle_test_limits_end(const struct throttle_test_limits *limits)
{
	irq_work_sync(&perf_throttle_report_work);
	guard(irqsave)();
	sysctl_perf_event_sample_rate = limits->rate;
	sysctl_perf_cpu_time_max_percent = limits->percent;
	perf_throttle_per_tick = limits->per_tick;
	perf_sample_allowed_ns = limits->allowed;
	__this_cpu_write(perf_took_sum, limits->sum);
}

/*
 * Takes samples of @nsec each until the rate changes. Return: their number, or
 * @most. Context: on one CPU from throttle_test_limits_begin() to throttle_test_limits_end().
 */
static unsigned int throttle_test_take(u64 nsec, unsigned int most)
{
	int rate = sysctl_perf_event_sample_rate;
	unsigned int n;

	guard(irqsave)();
	for (n = 0; n < most; n++) {
		perf_sample_event_took(nsec);
		if (sysctl_perf_event_sample_rate != rate)
			break;
	}
	return n;
}

/* At the highest rate samples may take a quarter of the time. */
static void throttle_test_took_allowed(struct kunit *test)
{
	struct throttle_test_limits limits;

	migrate_disable();
	throttle_test_limits_begin(&limits);
	KUNIT_EXPECT_EQ(test, perf_sample_allowed_ns, 2500);
	KUNIT_EXPECT_EQ(test, throttle_test_take(2500, 2000), 2000);
	/* A single sample, however long, is not the mean. */
	__this_cpu_write(perf_took_sum, 0);
	KUNIT_EXPECT_EQ(test, throttle_test_take(100 * 2500, 1), 1);
	throttle_test_limits_end(&limits);
	migrate_enable();
}

/* As many as fit into a quarter of a tick if each takes a quarter longer. */
static void throttle_test_expect_lowered(struct kunit *test, u64 mean)
{
	u64 share = TICK_NSEC / 4;
	u64 allowed = perf_sample_allowed_ns;

	KUNIT_EXPECT_EQ(test, allowed, mean * 5 / 4);
	KUNIT_EXPECT_LE(test, perf_throttle_per_tick * allowed, share);
	KUNIT_EXPECT_GT(test, (perf_throttle_per_tick + 1) * allowed,
			share - share / 100);
	KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate,
			perf_throttle_per_tick * HZ);
}

/* Samples become slower step by step; events are throttled all the sooner. */
static void throttle_test_took_long(struct kunit *test)
{
	struct throttle_test_limits limits;
	int rate = PERF_RATE_DEFAULT;
	unsigned int n;

	migrate_disable();
	throttle_test_limits_begin(&limits);
	/* After some ninety samples the mean is more than half of 5000 ns. */
	n = throttle_test_take(5000, 128);
	KUNIT_EXPECT_GT(test, n, 80);
	KUNIT_EXPECT_LT(test, n, 100);
	for (u64 nsec = 5000; nsec < 320000; nsec *= 2) {
		unsigned int limit;

		KUNIT_EXPECT_LT(test, throttle_test_take(nsec, 1000), 1000);
		KUNIT_EXPECT_LT(test, sysctl_perf_event_sample_rate, rate);
		rate = sysctl_perf_event_sample_rate;
		throttle_test_expect_lowered(test,
					     __this_cpu_read(perf_took_sum) /
						     PERF_TOOK_SAMPLES);
		limit = perf_throttle_per_tick;
		KUNIT_EXPECT_EQ(test,
				throttle_test_interrupts_until_over(throttle_test_event(test, 0),
								    limit + 1),
				limit);
	}
	throttle_test_limits_end(&limits);
	migrate_enable();
}

/* However long samples take, one in each tick is always allowed. */
static void throttle_test_took_for_ever(struct kunit *test)
{
	static const u64 longs[] = {
		TICK_NSEC, NSEC_PER_SEC, U32_MAX, 128 * (1ULL << 34),
	};
	struct throttle_test_limits limits;

	for (int i = 0; i < ARRAY_SIZE(longs); i++) {
		migrate_disable();
		throttle_test_limits_begin(&limits);
		for (int n = 0; n < 1000; n++)
			throttle_test_take(longs[i], 1);
		KUNIT_EXPECT_EQ(test, perf_throttle_per_tick, 1);
		KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate, HZ);
		/* 0 would be taken for no limit. */
		KUNIT_EXPECT_NE(test, perf_sample_allowed_ns, 0);
		throttle_test_limits_end(&limits);
		migrate_enable();
	}
}

/* Writes a sysctl as root does; or reads it, if @value is %NULL. */
static int throttle_test_sysctl(int *word, proc_handler *handler,
				const char *value)
{
	const struct ctl_table table = {
		.procname	= "test",
		.data		= word,
		.maxlen		= sizeof(*word),
		.mode		= 0644,
		.extra1		= SYSCTL_ZERO,
	};
	char text[16];
	size_t len = value ? strscpy(text, value) : sizeof(text);
	loff_t at = 0;

	return handler(&table, !!value, text, &len, &at);
}

static int throttle_test_write_percent(const char *value)
{
	return throttle_test_sysctl(&sysctl_perf_cpu_time_max_percent,
				    perf_cpu_time_max_percent_handler, value);
}

static int throttle_test_write_rate(const char *value)
{
	return throttle_test_sysctl(&sysctl_perf_event_sample_rate,
				    perf_event_max_sample_rate_handler, value);
}

/* 0 and 100 per cent mean no limit, and the rate cannot be written. */
static void throttle_test_took_unlimited(struct kunit *test)
{
	static const char * const values[] = { "0\n", "100\n" };
	struct throttle_test_limits limits;

	migrate_disable();
	throttle_test_limits_begin(&limits);
	for (int i = 0; i < ARRAY_SIZE(values); i++) {
		KUNIT_EXPECT_EQ(test, throttle_test_write_percent(values[i]),
				0);
		KUNIT_EXPECT_EQ(test, throttle_test_take(NSEC_PER_SEC, 1000),
				1000);
		KUNIT_EXPECT_EQ(test, throttle_test_write_rate("5000\n"),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate,
				PERF_RATE_DEFAULT);
	}
	KUNIT_EXPECT_EQ(test, throttle_test_write_percent("50\n"), 0);
	KUNIT_EXPECT_EQ(test, perf_sample_allowed_ns, 5000);
	KUNIT_EXPECT_LT(test, throttle_test_take(10000, 1000), 1000);
	throttle_test_limits_end(&limits);
	migrate_enable();
}

/* A sample that ends while the limit by time is being taken away lowers none. */
static void throttle_test_took_no_more(struct kunit *test)
{
	struct throttle_test_limits limits;

	migrate_disable();
	throttle_test_limits_begin(&limits);
	scoped_guard(irqsave) {
		sysctl_perf_cpu_time_max_percent = 0;
		perf_throttle_lower(perf_sample_allowed_ns, NSEC_PER_SEC);
		sysctl_perf_cpu_time_max_percent = PERF_PERCENT_DEFAULT;
		perf_throttle_lower(perf_sample_allowed_ns + 1, NSEC_PER_SEC);
	}
	KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate, PERF_RATE_DEFAULT);
	KUNIT_EXPECT_EQ(test, perf_sample_allowed_ns, 2500);
	throttle_test_limits_end(&limits);
	migrate_enable();
}

/* A lowered rate can be raised through the sysctl, and is lowered again. */
static void throttle_test_took_raised(struct kunit *test)
{
	struct throttle_test_limits limits;

	migrate_disable();
	throttle_test_limits_begin(&limits);
	KUNIT_EXPECT_LT(test, throttle_test_take(20000, 1000), 1000);
	KUNIT_EXPECT_EQ(test, throttle_test_write_rate("50000\n"), 0);
	KUNIT_EXPECT_EQ(test, perf_throttle_per_tick, 50000 / HZ);
	KUNIT_EXPECT_EQ(test, perf_sample_allowed_ns, 5000);
	KUNIT_EXPECT_LT(test, throttle_test_take(20000, 1000), 1000);
	KUNIT_EXPECT_LT(test, sysctl_perf_event_sample_rate, 50000);
	throttle_test_limits_end(&limits);
	migrate_enable();
}

/* Limits that were lowered stay so when the sysctls are read. */
static void throttle_test_limits_are_read(struct kunit *test)
{
	struct throttle_test_limits limits;

	migrate_disable();
	throttle_test_limits_begin(&limits);
	perf_sample_allowed_ns = 12345;
	perf_throttle_per_tick = 7;
	KUNIT_EXPECT_EQ(test, throttle_test_write_rate(NULL), 0);
	KUNIT_EXPECT_EQ(test, throttle_test_write_percent(NULL), 0);
	KUNIT_EXPECT_EQ(test, perf_sample_allowed_ns, 12345);
	KUNIT_EXPECT_EQ(test, perf_throttle_per_tick, 7);
	throttle_test_limits_end(&limits);
	migrate_enable();
}

static struct kunit_case throttle_test_cases[] = {
	KUNIT_CASE(throttle_test_period_exact),
	KUNIT_CASE(throttle_test_period_large),
	KUNIT_CASE(throttle_test_converges),
	KUNIT_CASE(throttle_test_follows),
	KUNIT_CASE(throttle_test_is_calm),
	KUNIT_CASE(throttle_test_rare),
	KUNIT_CASE(throttle_test_steps_up),
	KUNIT_CASE(throttle_test_patience),
	KUNIT_CASE(throttle_test_long_period_ends),
	KUNIT_CASE(throttle_test_outlier),
	KUNIT_CASE(throttle_test_tick_waits),
	KUNIT_CASE(throttle_test_long_window),
	KUNIT_CASE(throttle_test_empty_window),
	KUNIT_CASE(throttle_test_tick_begins_anew),
	KUNIT_CASE(throttle_test_over),
	KUNIT_CASE(throttle_test_parked),
	KUNIT_CASE(throttle_test_not_asked),
	KUNIT_CASE(throttle_test_took_allowed),
	KUNIT_CASE(throttle_test_took_long),
	KUNIT_CASE(throttle_test_took_for_ever),
	KUNIT_CASE(throttle_test_took_unlimited),
	KUNIT_CASE(throttle_test_took_no_more),
	KUNIT_CASE(throttle_test_took_raised),
	KUNIT_CASE(throttle_test_limits_are_read),
	{ }
};

static struct kunit_suite throttle_test_suite = {
	.name		= "perf_throttle",
	.test_cases	= throttle_test_cases,
};

kunit_test_suite(throttle_test_suite);
