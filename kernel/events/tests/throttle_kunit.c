// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room throttle: the arithmetic of frequency mode, and when an
 * event has interrupted too often. Included by throttle.c.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>

static void thk_period_exact(struct kunit *test)
{
	static const struct {
		u64	freq;
		u64	nsec;
		u64	count;
		u64	period;
	} cases[] = {
		{ 1000, NSEC_PER_SEC, 1000000, 1000 },
		{ 1, NSEC_PER_SEC, 5, 5 },
		{ 4000, 4000000, 16000000, 1000000 },
		{ 99, 10000000, 33000, 33333 },
		{ 1000, NSEC_PER_SEC, 0, 0 },
		{ 100000, 1000, 1, 10 },
		/* A counter at 8 GHz, a tick of 10 ms. */
		{ 100, 10000000, 80000000, 80000000 },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, perf_freq_period(cases[i].freq,
							   cases[i].nsec,
							   cases[i].count),
				    cases[i].period, "case %d", i);
}

/* Where products do not fit the answer is near, and there is one. */
static void thk_period_large(struct kunit *test)
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
	perf_freq_period(1, 1, U64_MAX);
	perf_freq_period(U64_MAX, U64_MAX, 1);
	perf_freq_period(U64_MAX, 1, U64_MAX);
}

static struct perf_event *thk_event(struct kunit *test, u64 freq)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event),
						 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->attr.freq = !!freq;
	event->attr.sample_freq = freq;
	event->hw.sample_period = 1;
	event->clock = local_clock;
	return event;
}

static u64 thk_settle(struct perf_event *event, u64 rate, int ticks)
{
	for (int i = 0; i < ticks; i++) {
		local64_set(&event->hw.period_left, 0);
		perf_freq_adjust(event, TICK_NSEC,
				 div_u64(rate * TICK_NSEC, NSEC_PER_SEC),
				 false);
	}
	return event->hw.sample_period;
}

/* From below and from above, and to a period of one for what is rare. */
static void thk_converges(struct kunit *test)
{
	struct perf_event *event = thk_event(test, 1000);
	u64 period;

	period = thk_settle(event, 2000000000, 400);
	KUNIT_EXPECT_GE(test, period, 1990000);
	KUNIT_EXPECT_LE(test, period, 2010000);
	period = thk_settle(event, 50000000, 400);
	KUNIT_EXPECT_GE(test, period, 49000);
	KUNIT_EXPECT_LE(test, period, 51000);
	KUNIT_EXPECT_EQ(test, thk_settle(event, 250, 400), 1);
}

/* A period that was chosen for busier days is not waited for. */
static void thk_long_period_ends(struct kunit *test)
{
	struct perf_event *event = thk_event(test, 1000);

	event->hw.sample_period = 1000;
	local64_set(&event->hw.period_left, 1000000);
	perf_freq_adjust(event, TICK_NSEC, TICK_NSEC / 1000, false);
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.period_left), 0);
}

/* Interrupts off: no tick comes between. */
static unsigned int thk_interrupts_until_over(struct perf_event *event,
					      unsigned int most)
{
	unsigned int n;

	guard(irqsave)();
	event->hw.interrupts_seq = __this_cpu_read(perf_tick_seq) - 1;
	for (n = 1; n <= most; n++) {
		if (perf_throttle_account_nmi(event, true))
			break;
	}
	return n;
}

static void thk_over(struct kunit *test)
{
	struct perf_event *event = thk_event(test, 0);
	unsigned int limit = READ_ONCE(perf_rate_per_tick);

	KUNIT_EXPECT_EQ(test, thk_interrupts_until_over(event, limit + 1),
			limit);
	KUNIT_EXPECT_EQ(test, event->hw.interrupts, MAX_INTERRUPTS);
}

static bool thk_never_over(struct perf_event *event, unsigned int nr)
{
	bool over = false;

	guard(irqsave)();
	while (nr--)
		over |= perf_throttle_account_nmi(event, false);
	return over;
}

/* A driver that says it cannot stop now is not asked to. */
static void thk_not_asked(struct kunit *test)
{
	struct perf_event *event = thk_event(test, 0);

	KUNIT_EXPECT_FALSE(test, thk_never_over(event,
						READ_ONCE(perf_rate_per_tick) +
						10));
}

static struct kunit_case thk_cases[] = {
	KUNIT_CASE(thk_period_exact),
	KUNIT_CASE(thk_period_large),
	KUNIT_CASE(thk_converges),
	KUNIT_CASE(thk_long_period_ends),
	KUNIT_CASE(thk_over),
	KUNIT_CASE(thk_not_asked),
	{ }
};

static struct kunit_suite thk_suite = {
	.name		= "perf_throttle",
	.test_cases	= thk_cases,
};

kunit_test_suite(thk_suite);
