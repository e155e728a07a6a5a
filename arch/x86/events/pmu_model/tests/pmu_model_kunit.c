// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: tests of its pure parts
 *
 * The expected values are the rules of the manuals, not what a driver needs:
 * SDM vol. 3 chapter 20 (Intel), APM vol. 2 13.2 and the PPR of family 19h
 * (AMD). Each case names the rule, and builds its own PMU in memory. The PMU
 * that the kernel may be running on is not touched.
 */
#include <kunit/test.h>

#include "../pmu_model.h"

#define T0		1000

/*
 * Addresses as the manuals list them, SDM vol. 4 table 2-2 and APM appendix A.
 */
#define PERFCTR0	0xc1
#define EVENTSEL0	0x186
#define FIXED0		0x309
#define PERF_CAPS	0x345
#define OFFCORE_0	0x1a6
#define OFFCORE_1	0x1a7
#define METRICS		0x329
#define FIXED_CTRL	0x38d
#define G_STATUS	0x38e
#define G_CTRL		0x38f
#define G_OVF_CTRL	0x390
#define G_STATUS_SET	0x391
#define G_INUSE		0x392
#define FULL0		0x4c1
#define DEBUGCTL	0x1d9

#define AMD_K7_CTL0	0xc0010000
#define AMD_K7_CTR0	0xc0010004
#define AMD_CTL0	0xc0010200
#define AMD_CTR0	0xc0010201
#define AMD_STATUS	0xc0000300
#define AMD_G_CTL	0xc0000301
#define AMD_STATUS_CLR	0xc0000302

#define EV_INSTRUCTIONS	0xc0
#define EV_CYCLES	0x3c
#define COUNT_ALL	(PMU_SEL_EN | PMU_SEL_OS | PMU_SEL_USR)

struct bed {
	struct pmu_model model;
	struct pmu_model_state state;
};

static struct bed *new_bed(struct kunit *test)
{
	struct bed *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	return b;
}

static struct bed *intel_bed(struct kunit *test, unsigned int version,
			     unsigned int gp, unsigned int fixed,
			     unsigned int width)
{
	struct bed *b = new_bed(test);

	b->model.version = version;
	b->model.gp = gp;
	b->model.fixed = fixed;
	b->model.width = width;
	b->model.full_width = true;
	pmu_model_setup(&b->model, PMU_MODEL_INTEL);
	pmu_model_state_reset(&b->model, &b->state);
	return b;
}

static struct bed *amd_bed(struct kunit *test, enum pmu_model_amd_variant variant)
{
	struct bed *b = new_bed(test);

	b->model.variant = variant;
	pmu_model_setup(&b->model, PMU_MODEL_AMD);
	pmu_model_state_reset(&b->model, &b->state);
	return b;
}

static int wr(struct bed *b, u32 msr, u64 now, u64 val)
{
	unsigned int slot = pmu_model_slot(&b->model, msr);

	return slot ? pmu_model_reg_write(&b->model, &b->state,
					  &b->model.regs[slot], now, val) :
		      -ENOENT;
}

static int rd(struct bed *b, u32 msr, u64 now, u64 *val)
{
	unsigned int slot = pmu_model_slot(&b->model, msr);

	return slot ? pmu_model_reg_read(&b->model, &b->state,
					 &b->model.regs[slot], now, val) :
		      -ENOENT;
}

static u64 get(struct kunit *test, struct bed *b, u32 msr, u64 now)
{
	u64 val = 0;

	KUNIT_EXPECT_EQ_MSG(test, rd(b, msr, now, &val), 0, "read of %#x", msr);
	return val;
}

static void put(struct kunit *test, struct bed *b, u32 msr, u64 now, u64 val)
{
	KUNIT_EXPECT_EQ_MSG(test, wr(b, msr, now, val), 0,
			    "write of %#llx to %#x", val, msr);
}

static void refused(struct kunit *test, struct bed *b, u32 msr, u64 val)
{
	struct pmu_model_state before = b->state;

	KUNIT_EXPECT_EQ_MSG(test, wr(b, msr, T0, val), -EIO,
			    "write of %#llx to %#x", val, msr);
	KUNIT_EXPECT_MEMEQ(test, &b->state, &before, sizeof(before));
}

static void counter_counts_exactly(struct kunit *test)
{
	struct pmu_model_counter c = { .stamp = T0, .rate = PMU_MODEL_RATE_ONE };
	bool wrapped;

	KUNIT_EXPECT_EQ(test, pmu_model_counter_peek(&c, GENMASK_ULL(47, 0),
						     T0 + 12345, &wrapped), 12345);
	KUNIT_EXPECT_FALSE(test, wrapped);
	KUNIT_EXPECT_EQ(test, c.value, 0);
}

/* A count does not depend on how often the counter is read. */
static void counter_keeps_fractions(struct kunit *test)
{
	struct pmu_model_counter often = { .rate = PMU_MODEL_RATE_ONE / 7 };
	struct pmu_model_counter once = often;
	u64 now;

	for (now = 1; now <= 10000; now++)
		pmu_model_counter_settle(&often, GENMASK_ULL(47, 0), now);
	pmu_model_counter_settle(&once, GENMASK_ULL(47, 0), 10000);
	KUNIT_EXPECT_EQ(test, often.value, once.value);
	KUNIT_EXPECT_EQ(test, often.frac, once.frac);
}

static void counter_ignores_the_past(struct kunit *test)
{
	struct pmu_model_counter c = {
		.value = 5, .stamp = T0, .rate = PMU_MODEL_RATE_ONE,
	};

	KUNIT_EXPECT_FALSE(test, pmu_model_counter_settle(&c, 0xffff, T0 - 10));
	KUNIT_EXPECT_EQ(test, c.value, 5);
	KUNIT_EXPECT_EQ(test, c.stamp, T0);
}

/* SDM 20.2.1: a counter overflows when it passes the largest value it holds. */
static void counter_wraps_at_width(struct kunit *test)
{
	unsigned int width;

	for (width = 40; width <= 48; width++) {
		u64 mask = GENMASK_ULL(width - 1, 0);
		struct pmu_model_counter c = {
			.value = mask - 9, .rate = PMU_MODEL_RATE_ONE,
		};

		KUNIT_EXPECT_FALSE(test, pmu_model_counter_settle(&c, mask, 9));
		KUNIT_EXPECT_EQ(test, c.value, mask);
		KUNIT_EXPECT_TRUE(test, pmu_model_counter_settle(&c, mask, 12));
		KUNIT_EXPECT_EQ(test, c.value, 2);
	}
}

static void counter_foretells_the_wrap(struct kunit *test)
{
	static const u32 rates[] = { 1, 1000, PMU_MODEL_RATE_ONE / 3,
				     PMU_MODEL_RATE_ONE, 5 * PMU_MODEL_RATE_ONE };
	const u64 mask = GENMASK_ULL(47, 0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct pmu_model_counter c = {
			.value = mask - 99, .frac = 77, .rate = rates[i],
		};
		u64 left = pmu_model_counter_left(&c, mask);
		bool wrapped;

		pmu_model_counter_peek(&c, mask, left - 1, &wrapped);
		KUNIT_EXPECT_FALSE(test, wrapped);
		pmu_model_counter_peek(&c, mask, left, &wrapped);
		KUNIT_EXPECT_TRUE(test, wrapped);
	}
}

static void counter_foretells_far_wraps(struct kunit *test)
{
	const u64 mask = GENMASK_ULL(47, 0);
	struct pmu_model_counter c = { .rate = PMU_MODEL_RATE_ONE };
	bool wrapped;

	pmu_model_counter_peek(&c, mask, pmu_model_counter_left(&c, mask) - 1,
			       &wrapped);
	KUNIT_EXPECT_FALSE(test, wrapped);
	c.rate = 0;
	KUNIT_EXPECT_EQ(test, pmu_model_counter_left(&c, mask), PMU_MODEL_NEVER);
}

/* SDM 20.2.1.1: a threshold counts cycles, not events, and no more of them. */
static void condition_threshold(struct kunit *test)
{
	const u32 rate = 1200, width = 4, cycles = 1000;
	u32 last = U32_MAX, cmask;

	KUNIT_EXPECT_EQ(test, pmu_model_condition_rate(rate, width, cycles, 0,
						       false, false), rate);
	for (cmask = 1; cmask < 8; cmask++) {
		u32 n = pmu_model_condition_rate(rate, width, cycles, cmask,
						 false, false);

		KUNIT_EXPECT_LE(test, n, cycles);
		KUNIT_EXPECT_LE(test, n, last);
		last = n;
	}
	KUNIT_EXPECT_EQ(test, last, 0);
}

/*
 * SDM 20.2.1.1: invert counts the other cycles, and is ignored without cmask.
 */
static void condition_invert(struct kunit *test)
{
	const u32 rate = 1200, width = 4, cycles = 1000;
	u32 cmask;

	KUNIT_EXPECT_EQ(test, pmu_model_condition_rate(rate, width, cycles, 0,
						       true, false), rate);
	for (cmask = 1; cmask < 8; cmask++)
		KUNIT_EXPECT_EQ(test, cycles,
				pmu_model_condition_rate(rate, width, cycles,
							 cmask, false, false) +
				pmu_model_condition_rate(rate, width, cycles,
							 cmask, true, false));
}

/* SDM 20.2.1.1: edge counts how often the condition comes true. */
static void condition_edge(struct kunit *test)
{
	const u32 width = 4, cycles = 1000;
	u32 rate, cmask;

	for (rate = 0; rate <= width * cycles; rate += 400) {
		for (cmask = 1; cmask < 6; cmask++) {
			u32 level = pmu_model_condition_rate(rate, width, cycles,
							     cmask, false, false);
			u32 edges = pmu_model_condition_rate(rate, width, cycles,
							     cmask, false, true);
			u32 inverse = pmu_model_condition_rate(rate, width, cycles,
							       cmask, true, true);

			KUNIT_EXPECT_LE(test, edges, level);
			KUNIT_EXPECT_LE(test, edges, cycles - level);
			KUNIT_EXPECT_EQ(test, edges, inverse);
		}
	}
}

static void rates_convert(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pmu_model_ppm_to_rate(PMU_MODEL_PPM),
			PMU_MODEL_RATE_ONE);
	KUNIT_EXPECT_EQ(test, pmu_model_rate_to_ppm(PMU_MODEL_RATE_ONE),
			PMU_MODEL_PPM);
	KUNIT_EXPECT_EQ(test, pmu_model_rate_to_ppm(pmu_model_ppm_to_rate(4000)),
			4000);
}

/* Event codes: SDM table 20-1; an unknown code has a rate, too. */
static void rates_of_events(struct kunit *test)
{
	u32 unknown = pmu_model_select_rate(PMU_MODEL_INTEL, 0x1111, 0);

	KUNIT_EXPECT_EQ(test, pmu_model_fixed_rate(1),
			pmu_model_select_rate(PMU_MODEL_INTEL, EV_CYCLES, 0));
	KUNIT_EXPECT_EQ(test, pmu_model_fixed_rate(0),
			pmu_model_select_rate(PMU_MODEL_INTEL, EV_INSTRUCTIONS, 0));
	KUNIT_EXPECT_NE(test, unknown, 0);
	KUNIT_EXPECT_EQ(test, unknown,
			pmu_model_select_rate(PMU_MODEL_INTEL, 0x1111, 0));
	KUNIT_EXPECT_NE(test, unknown,
			pmu_model_select_rate(PMU_MODEL_INTEL, 0x2222, 0));
}

/* SDM 20.2.8: a legacy write sets 32 bits and extends the sign. */
static void legacy_write_extends_sign(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 40);

	put(test, b, PERFCTR0, T0, 0x123480000000ULL);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0), 0xff80000000ULL);
	KUNIT_EXPECT_EQ(test, get(test, b, FULL0, T0), 0xff80000000ULL);
	put(test, b, PERFCTR0, T0, 0x12347fffffffULL);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0), 0x7fffffff);
}

/*
 * SDM 20.2.8: the full-width alias takes all bits of the counter and no more.
 */
static void full_width_write(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 40);

	KUNIT_EXPECT_TRUE(test, get(test, b, PERF_CAPS, T0) & BIT(13));
	put(test, b, FULL0, T0, GENMASK_ULL(39, 0));
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0), GENMASK_ULL(39, 0));
	refused(test, b, FULL0, BIT_ULL(40));
	refused(test, b, FIXED0, BIT_ULL(40));
}

/* SDM 20.2.8: CPUs whose capability register lacks bit 13 have no alias. */
static void no_full_width(struct kunit *test)
{
	struct bed *b = new_bed(test);
	u64 val;

	b->model = (struct pmu_model){
		.version = 3, .gp = 4, .fixed = 3, .width = 48,
	};
	pmu_model_setup(&b->model, PMU_MODEL_INTEL);
	pmu_model_state_reset(&b->model, &b->state);
	KUNIT_EXPECT_EQ(test, get(test, b, PERF_CAPS, T0), 0);
	refused(test, b, FULL0, 0);
	KUNIT_EXPECT_EQ(test, rd(b, FULL0, T0, &val), -EIO);
}

/* SDM 20.3.1.1.3 and 20.3.8.2: the older processors have other fields. */
static void offcore_reserved_bits(struct kunit *test)
{
	struct bed *old = new_bed(test);
	struct bed *b = intel_bed(test, 3, 4, 3, 48);
	struct bed *knl = intel_bed(test, 3, 2, 3, 40);

	old->model = (struct pmu_model){
		.version = 3, .gp = 4, .fixed = 3, .width = 48,
	};
	pmu_model_setup(&old->model, PMU_MODEL_INTEL);
	put(test, old, OFFCORE_0, T0, 0xf7ff);
	put(test, old, OFFCORE_1, T0, 0xf7ff);
	refused(test, old, OFFCORE_0, BIT_ULL(11));
	refused(test, old, OFFCORE_0, BIT_ULL(16));

	put(test, b, OFFCORE_0, T0, 0x3fffff8fffULL);
	refused(test, b, OFFCORE_0, BIT_ULL(12));
	refused(test, b, OFFCORE_1, BIT_ULL(14));
	refused(test, b, OFFCORE_1, BIT_ULL(38));

	put(test, knl, OFFCORE_0, T0, 0x3981f82020ULL);
	put(test, knl, OFFCORE_1, T0, BIT_ULL(38));
	refused(test, knl, OFFCORE_0, BIT_ULL(39));
}

/* SDM 20.3.9.3: the register exists if the capability register says so. */
static void metrics_register(struct kunit *test)
{
	struct bed *b = intel_bed(test, 5, 8, 4, 48);
	u64 val;

	KUNIT_EXPECT_FALSE(test, get(test, b, PERF_CAPS, T0) & BIT(15));
	refused(test, b, METRICS, 1);
	refused(test, b, G_CTRL, BIT_ULL(48));
	KUNIT_EXPECT_EQ(test, pmu_model_rdpmc(&b->model, &b->state, BIT(29),
					      T0, &val), -EIO);

	b->model = (struct pmu_model){
		.version = 5, .gp = 8, .fixed = 4, .width = 48,
		.metrics = 4,
	};
	pmu_model_setup(&b->model, PMU_MODEL_INTEL);
	pmu_model_state_reset(&b->model, &b->state);
	KUNIT_EXPECT_TRUE(test, get(test, b, PERF_CAPS, T0) & BIT(15));
	put(test, b, G_CTRL, T0, BIT_ULL(48));
	put(test, b, METRICS, T0, 0x90abcdef);
	refused(test, b, METRICS, 0x1234567890abcdefULL);
	KUNIT_EXPECT_EQ(test, pmu_model_rdpmc(&b->model, &b->state, BIT(29),
					      T0, &val), 0);
	KUNIT_EXPECT_EQ(test, val, 0x90abcdef);
}

/* SDM figure 20-1 and following: reserved bits of the select register. */
static void select_reserved_bits(struct kunit *test)
{
	unsigned int version;

	for (version = 2; version <= 5; version++) {
		struct bed *b = intel_bed(test, version, 4, 3, 48);
		bool any = version == 3 || version == 4;

		put(test, b, EVENTSEL0, T0, 0xffdfffff);
		refused(test, b, EVENTSEL0, BIT_ULL(32));
		refused(test, b, EVENTSEL0, BIT_ULL(63));
		if (any)
			put(test, b, EVENTSEL0, T0, PMU_SEL_ANY);
		else
			refused(test, b, EVENTSEL0, PMU_SEL_ANY);
	}
}

/* SDM 20.2.2: four bits for each fixed counter that exists. */
static void fixed_ctrl_reserved_bits(struct kunit *test)
{
	struct bed *b = intel_bed(test, 2, 4, 3, 48);

	put(test, b, FIXED_CTRL, T0, 0xbbb);
	refused(test, b, FIXED_CTRL, 0x4);
	refused(test, b, FIXED_CTRL, 0x1000);
	b = intel_bed(test, 3, 4, 2, 48);
	put(test, b, FIXED_CTRL, T0, 0xff);
	refused(test, b, FIXED_CTRL, 0x100);
}

/* SDM 20.2.2: a bit for each counter; general ones are enabled after reset. */
static void global_ctrl_bits(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 6, 2, 48);

	KUNIT_EXPECT_EQ(test, get(test, b, G_CTRL, T0), 0x3f);
	put(test, b, G_CTRL, T0, 0x30000003fULL);
	refused(test, b, G_CTRL, BIT_ULL(6));
	refused(test, b, G_CTRL, BIT_ULL(34));
}

/* SDM 20.2.2, 20.2.4: the version determines which registers exist. */
static void registers_by_version(struct kunit *test)
{
	struct bed *b = intel_bed(test, 3, 2, 1, 48);
	u64 val;

	refused(test, b, EVENTSEL0 + 2, 0);
	refused(test, b, FIXED0 + 1, 0);
	refused(test, b, G_STATUS_SET, 0);
	KUNIT_EXPECT_EQ(test, rd(b, G_INUSE, T0, &val), -EIO);
	KUNIT_EXPECT_EQ(test, rd(b, 0x10, T0, &val), -ENOENT);

	b = intel_bed(test, 4, 2, 1, 48);
	put(test, b, G_STATUS_SET, T0, 1);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0), 1);
}

static void read_only_registers(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	refused(test, b, G_STATUS, 0);
	refused(test, b, G_INUSE, 0);
	refused(test, b, PERF_CAPS, 0);
}

/*
 * SDM 20.2.2: a counter counts while both its own and the global bit are set.
 */
static void counting_needs_both_enables(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	put(test, b, G_CTRL, T0, 0);
	put(test, b, EVENTSEL0, T0, EV_INSTRUCTIONS | COUNT_ALL);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 100), 0);
	put(test, b, G_CTRL, T0 + 100, 1);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 150), 50);
	put(test, b, EVENTSEL0, T0 + 150, EV_INSTRUCTIONS);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 300), 50);
	put(test, b, EVENTSEL0, T0 + 300, EV_INSTRUCTIONS | COUNT_ALL);
	put(test, b, G_CTRL, T0 + 310, 2);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 400), 60);
}

/* SDM 20.2.1.1: with neither mode selected nothing is counted. */
static void counting_needs_a_mode(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	put(test, b, EVENTSEL0, T0, EV_INSTRUCTIONS | PMU_SEL_EN);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 100), 0);
}

static void modes_are_told_apart(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	b->model.filter = true;
	put(test, b, EVENTSEL0, T0, EV_INSTRUCTIONS | PMU_SEL_EN | PMU_SEL_USR);
	put(test, b, EVENTSEL0 + 1, T0, EV_INSTRUCTIONS | PMU_SEL_EN | PMU_SEL_OS);
	put(test, b, EVENTSEL0 + 2, T0, EV_INSTRUCTIONS | COUNT_ALL);
	pmu_model_state_set_mode(&b->model, &b->state, T0 + 10, true);
	pmu_model_state_set_mode(&b->model, &b->state, T0 + 40, false);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 60), 30);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0 + 1, T0 + 60), 30);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0 + 2, T0 + 60), 60);
}

static void overflow_at(struct kunit *test, struct bed *b, u64 now, u64 select)
{
	put(test, b, FULL0, now, b->model.width_mask - 9);
	put(test, b, EVENTSEL0, now, EV_INSTRUCTIONS | COUNT_ALL | select);
}

/* SDM 20.2.2: an overflow sets the status bit, armed or not, until cleared. */
static void status_records_overflow(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	overflow_at(test, b, T0, 0);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 9), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 10), 1);
	put(test, b, G_CTRL, T0 + 20, 0);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 30), 1);
	put(test, b, G_OVF_CTRL, T0 + 30, 2);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 30), 1);
	put(test, b, G_OVF_CTRL, T0 + 30, 1);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 30), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 30), 10);
}

/* SDM 20.2.2: fixed counters have bit 32 and above. */
static void status_of_fixed_counters(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	put(test, b, FIXED0, T0, GENMASK_ULL(47, 0));
	put(test, b, FIXED_CTRL, T0, 0x3);
	put(test, b, G_CTRL, T0, BIT_ULL(32));
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 1), BIT_ULL(32));
}

/* The bits that can be cleared: SDM 20.2.2, 20.2.3 and 20.2.4. */
static void status_clear_reserved_bits(struct kunit *test)
{
	refused(test, intel_bed(test, 2, 4, 3, 48), G_OVF_CTRL, BIT_ULL(61));
	refused(test, intel_bed(test, 3, 4, 3, 48), G_OVF_CTRL, BIT_ULL(59));
	put(test, intel_bed(test, 3, 4, 3, 48), G_OVF_CTRL, T0, BIT_ULL(61));
	put(test, intel_bed(test, 4, 4, 3, 48), G_OVF_CTRL, T0, BIT_ULL(59));
	refused(test, intel_bed(test, 4, 4, 3, 48), G_OVF_CTRL, BIT_ULL(54));
}

static enum pmu_model_shot_event take(struct bed *b, u64 now, bool masked)
{
	return pmu_model_state_take_pmi(&b->model, &b->state, now, masked);
}

static u64 deadline(struct bed *b, u64 now)
{
	return pmu_model_state_deadline(&b->model, &b->state, now);
}

/* SDM 20.2.1.1: an overflow interrupts only when the INT flag is set. */
static void pmi_only_when_armed(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	overflow_at(test, b, T0, 0);
	KUNIT_EXPECT_EQ(test, deadline(b, T0), PMU_MODEL_NEVER);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 20, false), PMU_SHOT_EARLY);

	overflow_at(test, b, T0 + 20, PMU_SEL_INT);
	KUNIT_EXPECT_EQ(test, deadline(b, T0 + 20), 10);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 29, false), PMU_SHOT_EARLY);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 30, false), PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 31, false), PMU_SHOT_EARLY);
}

/* SDM 20.2.2: the fixed counters have their own interrupt bit. */
static void pmi_of_fixed_counter(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	put(test, b, FIXED0, T0, GENMASK_ULL(47, 0) - 4);
	put(test, b, FIXED_CTRL, T0, 0x3);
	put(test, b, G_CTRL, T0, BIT_ULL(32));
	KUNIT_EXPECT_EQ(test, deadline(b, T0), PMU_MODEL_NEVER);
	put(test, b, FIXED_CTRL, T0, 0xb);
	KUNIT_EXPECT_EQ(test, deadline(b, T0), 5);
}

/* The counters a PMI was for, with bits as in the status register. */
static void pmi_names_its_counters(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	put(test, b, FIXED0 + 1, T0, GENMASK_ULL(47, 0));
	put(test, b, FIXED_CTRL, T0, 0xb0);
	put(test, b, FULL0 + 2, T0, GENMASK_ULL(47, 0) - 9);
	put(test, b, EVENTSEL0 + 2, T0, EV_INSTRUCTIONS | COUNT_ALL | PMU_SEL_INT);
	put(test, b, G_CTRL, T0, BIT_ULL(33) | BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, take(b, T0 + 5, false), PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_EQ(test, pmu_model_state_signalled(&b->model, &b->state), BIT_ULL(33));
	KUNIT_EXPECT_EQ(test, take(b, T0 + 10, false), PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_EQ(test, pmu_model_state_signalled(&b->model, &b->state), BIT_ULL(2));
}

/* SDM 11.5.1: an interrupt while the entry is masked is lost. */
static void pmi_masked_is_lost(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	overflow_at(test, b, T0, PMU_SEL_INT);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 50, true), PMU_SHOT_MASKED);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 51, false), PMU_SHOT_EARLY);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 52), 1);
}

/* An overflow that is detected when a counter stops is still signalled. */
static void pmi_survives_stop(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	overflow_at(test, b, T0, PMU_SEL_INT);
	put(test, b, G_CTRL, T0 + 15, 0);
	KUNIT_EXPECT_EQ(test, deadline(b, T0 + 15), 0);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 16, false), PMU_SHOT_DELIVERED);
}

/* Acknowledged or reloaded before it was sent: nothing is left to signal. */
static void pmi_dropped_when_handled(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	overflow_at(test, b, T0, PMU_SEL_INT);
	put(test, b, G_CTRL, T0 + 15, 0);
	put(test, b, G_OVF_CTRL, T0 + 15, 1);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 16, false), PMU_SHOT_EARLY);

	put(test, b, G_CTRL, T0 + 20, 1);
	overflow_at(test, b, T0 + 20, PMU_SEL_INT);
	put(test, b, G_CTRL, T0 + 35, 0);
	put(test, b, FULL0, T0 + 35, 0);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 36, false), PMU_SHOT_EARLY);
}

/* SDM 20.2.4: from version 4 a status bit holds all counters. */
static void freeze_by_status_bit(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	put(test, b, DEBUGCTL, T0, PMU_DEBUGCTL_FREEZE);
	overflow_at(test, b, T0, PMU_SEL_INT);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 12, false), PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 90),
			PMU_STATUS_FROZEN | 1);
	KUNIT_EXPECT_EQ(test, get(test, b, G_CTRL, T0 + 90), 0xf);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 90), 2);
	put(test, b, G_OVF_CTRL, T0 + 100, PMU_STATUS_FROZEN | 1);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 105), 7);
}

/* SDM 18.4.7: before version 4 the global control register is cleared. */
static void freeze_by_global_ctrl(struct kunit *test)
{
	struct bed *b = intel_bed(test, 3, 4, 3, 48);

	put(test, b, DEBUGCTL, T0, PMU_DEBUGCTL_FREEZE);
	overflow_at(test, b, T0, PMU_SEL_INT);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 12, false), PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_EQ(test, get(test, b, G_CTRL, T0 + 90), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 90), 2);
	refused(test, b, DEBUGCTL, BIT_ULL(3));
}

/* SDM 20.2.4.3: a counter is in use when an event is selected. */
static void inuse_follows_selection(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	put(test, b, EVENTSEL0 + 2, T0, EV_CYCLES);
	put(test, b, FIXED_CTRL, T0, 0x0b0);
	KUNIT_EXPECT_EQ(test, get(test, b, G_INUSE, T0),
			BIT_ULL(2) | BIT_ULL(33) | BIT_ULL(63));
}

static u64 selection(const struct bed *b)
{
	return pmu_model_state_selection(&b->model, &b->state);
}

/* A selection is a set of events; counters and modes make no difference. */
static void selection_is_a_set(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);
	u64 one, two;

	KUNIT_EXPECT_EQ(test, selection(b), 0);
	put(test, b, EVENTSEL0, T0, EV_CYCLES | COUNT_ALL);
	one = selection(b);
	KUNIT_EXPECT_NE(test, one, 0);
	put(test, b, EVENTSEL0 + 3, T0, EV_INSTRUCTIONS | COUNT_ALL);
	two = selection(b);
	KUNIT_EXPECT_NE(test, two, one);

	put(test, b, EVENTSEL0, T0, EV_INSTRUCTIONS | PMU_SEL_EN | PMU_SEL_OS);
	KUNIT_EXPECT_NE(test, selection(b), two);
	put(test, b, EVENTSEL0 + 3, T0, EV_CYCLES | COUNT_ALL);
	KUNIT_EXPECT_EQ(test, selection(b), two);
	put(test, b, FIXED_CTRL, T0, 0x0b0);
	KUNIT_EXPECT_EQ(test, selection(b), two);
	put(test, b, EVENTSEL0, T0, EV_INSTRUCTIONS);
	KUNIT_EXPECT_EQ(test, selection(b), one);
	put(test, b, G_CTRL, T0, 0);
	KUNIT_EXPECT_EQ(test, selection(b), 0);
}

/* Events 1 and 4 differ from 2 and 3 (same sum); so do two unit masks. */
static void selection_tells_sets_apart(struct kunit *test)
{
	static const u16 sets[][2] = {
		{ 1, 4 }, { 2, 3 }, { 5, 5 }, { 0, 5 }, { 0x104, 1 }, { 0x101, 4 },
	};
	struct bed *b = intel_bed(test, 4, 4, 0, 48);
	u64 seen[ARRAY_SIZE(sets)];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		put(test, b, EVENTSEL0, T0, sets[i][0] | COUNT_ALL);
		put(test, b, EVENTSEL0 + 1, T0, sets[i][1] | COUNT_ALL);
		seen[i] = selection(b);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE_MSG(test, seen[i], seen[j],
					    "sets %zu and %zu", i, j);
	}
}

/* SDM vol. 2, RDPMC: bit 30 selects fixed counters; others raise #GP. */
static void rdpmc_indices(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);
	u64 val;

	put(test, b, FIXED0 + 1, T0, 77);
	KUNIT_EXPECT_EQ(test, pmu_model_rdpmc(&b->model, &b->state,
					      BIT(30) | 1, T0, &val), 0);
	KUNIT_EXPECT_EQ(test, val, 77);
	KUNIT_EXPECT_EQ(test, pmu_model_rdpmc(&b->model, &b->state, 4, T0, &val),
			-EIO);
	KUNIT_EXPECT_EQ(test, pmu_model_rdpmc(&b->model, &b->state,
					      BIT(30) | 3, T0, &val), -EIO);
}

/* It counts in user mode, if it is enabled both ways, and no other event. */
static void rdpmc_counts_itself(struct kunit *test)
{
	static const u64 others[] = {
		PMU_MODEL_USER_RDPMC | PMU_SEL_EN | PMU_SEL_OS,
		PMU_MODEL_USER_RDPMC | PMU_SEL_USR,
		PMU_MODEL_USER_RDPMC | COUNT_ALL | 1ULL << 24,
		EV_INSTRUCTIONS | COUNT_ALL,
	};
	struct bed *b = intel_bed(test, 4, 8, 3, 48);

	put(test, b, EVENTSEL0, 0, PMU_MODEL_USER_RDPMC | PMU_SEL_EN |
	    PMU_SEL_USR);
	put(test, b, G_CTRL, 0, BIT(0));
	for (int i = 0; i < 3; i++)
		pmu_model_state_count_rdpmc(&b->model, &b->state, T0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, 1000000), 3ULL);

	put(test, b, G_CTRL, 1000000, 0);
	pmu_model_state_count_rdpmc(&b->model, &b->state, T0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, 1000000), 3ULL);

	put(test, b, G_CTRL, 1000000, BIT(0));
	for (int i = 0; i < ARRAY_SIZE(others); i++) {
		u64 before;

		put(test, b, EVENTSEL0, 1000000, others[i]);
		before = get(test, b, PERFCTR0, 1000000);
		pmu_model_state_count_rdpmc(&b->model, &b->state, T0);
		KUNIT_EXPECT_EQ_MSG(test, get(test, b, PERFCTR0, 1000000),
				    before, "select %#llx", others[i]);
	}
}

static void rdpmc_overflows(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 8, 3, 48);

	put(test, b, EVENTSEL0, 0, PMU_MODEL_USER_RDPMC | PMU_SEL_EN |
	    PMU_SEL_USR | PMU_SEL_INT);
	put(test, b, FULL0, 0, BIT_ULL(48) - 2);
	put(test, b, G_CTRL, 0, BIT(0));
	pmu_model_state_count_rdpmc(&b->model, &b->state, T0);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, pmu_model_state_deadline(&b->model, &b->state, 0),
			PMU_MODEL_NEVER);
	pmu_model_state_count_rdpmc(&b->model, &b->state, T0);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, 0), BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, pmu_model_state_deadline(&b->model, &b->state, 0),
			0ULL);
}

static void rate_change_settles(struct kunit *test)
{
	struct bed *b = intel_bed(test, 4, 4, 3, 48);

	put(test, b, EVENTSEL0, T0, EV_INSTRUCTIONS | COUNT_ALL);
	b->state.counter[0].rate = 2 * PMU_MODEL_RATE_ONE;
	pmu_model_state_reload_rates(&b->model, &b->state, T0 + 10);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 10), 20);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 15), 25);
}

/* APM 13.2.1: four counters at the old addresses and none at the new ones. */
static void amd_legacy_registers(struct kunit *test)
{
	struct bed *b = amd_bed(test, PMU_MODEL_AMD_LEGACY);
	u64 val;

	put(test, b, AMD_K7_CTL0 + 3, T0, EV_INSTRUCTIONS | COUNT_ALL);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_K7_CTR0 + 3, T0 + 8), 8);
	refused(test, b, AMD_CTL0, 0);
	KUNIT_EXPECT_EQ(test, rd(b, AMD_STATUS, T0, &val), -ENOENT);
}

/* APM 13.2.1: six counters; the first four have two addresses. */
static void amd_core_registers(struct kunit *test)
{
	struct bed *b = amd_bed(test, PMU_MODEL_AMD_CORE);

	put(test, b, AMD_CTL0 + 2 * 5, T0, EV_INSTRUCTIONS | COUNT_ALL);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_CTR0 + 2 * 5, T0 + 8), 8);
	put(test, b, AMD_CTR0 + 2 * 3, T0, 1234);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_K7_CTR0 + 3, T0), 1234);
}

/* APM 13.2.1: reserved bits of PERF_CTL; the counter ignores bits 63-48. */
static void amd_reserved_bits(struct kunit *test)
{
	struct bed *b = amd_bed(test, PMU_MODEL_AMD_CORE);

	put(test, b, AMD_CTL0, T0, PMU_SEL_EVENT_HI | PMU_SEL_GUEST_HOST);
	refused(test, b, AMD_CTL0, BIT_ULL(19));
	refused(test, b, AMD_CTL0, BIT_ULL(21));
	refused(test, b, AMD_CTL0, BIT_ULL(36));
	refused(test, b, AMD_CTL0, BIT_ULL(42));
	put(test, b, AMD_CTR0, T0, U64_MAX);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_CTR0, T0), GENMASK_ULL(47, 0));
}

/* APM 13.2.1: without global registers the INT bit alone makes interrupts. */
static void amd_pmi_without_status(struct kunit *test)
{
	struct bed *b = amd_bed(test, PMU_MODEL_AMD_LEGACY);

	put(test, b, AMD_K7_CTR0, T0, (u64)-10);
	put(test, b, AMD_K7_CTL0, T0, EV_INSTRUCTIONS | COUNT_ALL | PMU_SEL_INT);
	KUNIT_EXPECT_EQ(test, deadline(b, T0), 10);
	KUNIT_EXPECT_EQ(test, take(b, T0 + 10, false), PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_FALSE(test, b->model.has_lvt_mask);
}

/* PPR MSRC000_0300-0302: control, status, write one to clear. */
static void amd_global_registers(struct kunit *test)
{
	struct bed *b = amd_bed(test, PMU_MODEL_AMD_V2);

	put(test, b, AMD_G_CTL, T0, 0);
	put(test, b, AMD_CTR0, T0, (u64)-10);
	put(test, b, AMD_CTL0, T0, EV_INSTRUCTIONS | COUNT_ALL | PMU_SEL_INT);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_STATUS, T0 + 50), 0);
	put(test, b, AMD_G_CTL, T0 + 50, 1);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_STATUS, T0 + 60), 1);
	put(test, b, AMD_STATUS_CLR, T0 + 61, 1);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_STATUS, T0 + 62), 0);
	refused(test, b, AMD_STATUS, 0);
	refused(test, b, AMD_G_CTL, BIT_ULL(6));
	put(test, b, AMD_STATUS_CLR, T0 + 62, U64_MAX);
}

static struct kunit_case pmu_model_cases[] = {
	KUNIT_CASE(counter_counts_exactly),
	KUNIT_CASE(counter_keeps_fractions),
	KUNIT_CASE(counter_ignores_the_past),
	KUNIT_CASE(counter_wraps_at_width),
	KUNIT_CASE(counter_foretells_the_wrap),
	KUNIT_CASE(counter_foretells_far_wraps),
	KUNIT_CASE(condition_threshold),
	KUNIT_CASE(condition_invert),
	KUNIT_CASE(condition_edge),
	KUNIT_CASE(rates_convert),
	KUNIT_CASE(rates_of_events),
	KUNIT_CASE(legacy_write_extends_sign),
	KUNIT_CASE(full_width_write),
	KUNIT_CASE(no_full_width),
	KUNIT_CASE(metrics_register),
	KUNIT_CASE(offcore_reserved_bits),
	KUNIT_CASE(select_reserved_bits),
	KUNIT_CASE(fixed_ctrl_reserved_bits),
	KUNIT_CASE(global_ctrl_bits),
	KUNIT_CASE(registers_by_version),
	KUNIT_CASE(read_only_registers),
	KUNIT_CASE(counting_needs_both_enables),
	KUNIT_CASE(counting_needs_a_mode),
	KUNIT_CASE(modes_are_told_apart),
	KUNIT_CASE(status_records_overflow),
	KUNIT_CASE(status_of_fixed_counters),
	KUNIT_CASE(status_clear_reserved_bits),
	KUNIT_CASE(pmi_only_when_armed),
	KUNIT_CASE(pmi_of_fixed_counter),
	KUNIT_CASE(pmi_names_its_counters),
	KUNIT_CASE(pmi_masked_is_lost),
	KUNIT_CASE(pmi_survives_stop),
	KUNIT_CASE(pmi_dropped_when_handled),
	KUNIT_CASE(freeze_by_status_bit),
	KUNIT_CASE(freeze_by_global_ctrl),
	KUNIT_CASE(inuse_follows_selection),
	KUNIT_CASE(selection_is_a_set),
	KUNIT_CASE(selection_tells_sets_apart),
	KUNIT_CASE(rdpmc_indices),
	KUNIT_CASE(rdpmc_counts_itself),
	KUNIT_CASE(rdpmc_overflows),
	KUNIT_CASE(rate_change_settles),
	KUNIT_CASE(amd_legacy_registers),
	KUNIT_CASE(amd_core_registers),
	KUNIT_CASE(amd_reserved_bits),
	KUNIT_CASE(amd_pmi_without_status),
	KUNIT_CASE(amd_global_registers),
	{}
};

static struct kunit_suite pmu_model_suite = {
	.name = "x86_pmu_model",
	.test_cases = pmu_model_cases,
};

kunit_test_suite(pmu_model_suite);

MODULE_DESCRIPTION("KUnit tests of the x86 PMU model");
MODULE_LICENSE("GPL");
