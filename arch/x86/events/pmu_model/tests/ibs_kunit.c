// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: tests of IBS
 *
 * The expected values are the rules of APM vol. 2 13.3 and of the PPR of family
 * 19h model 11h, MSRC001_1030 to 103D. The script and the PMU are the test's
 * own.
 */
#include <kunit/test.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../pmu_model.h"

#define T0		1000
#define IP		0xffffffff81234567ULL
#define FETCH_CTL	0xc0011030
#define FETCH_LINAD	0xc0011031
#define OP_CTL		0xc0011033
#define OP_RIP		0xc0011034
#define OP_DATA		0xc0011035
#define OP_DATA2	0xc0011036
#define OP_DATA3	0xc0011037
#define OP_LINAD	0xc0011038
#define IBS_LVT		0xc001103a
#define OP_TARGET	0xc001103b
#define FETCH_EXTD	0xc001103c
#define OP_DATA4	0xc001103d

#define FETCH_EN	BIT_ULL(48)
#define FETCH_VAL	BIT_ULL(49)
#define OP_L3_ONLY	BIT_ULL(16)
#define OP_EN		BIT_ULL(17)
#define OP_VAL		BIT_ULL(18)
#define OP_OPS		BIT_ULL(19)
#define OP_COUNT	GENMASK_ULL(58, 32)

struct bed {
	struct pmu_model_ibs_script script;
	struct pmu_model model;
	struct pmu_model_state state;
};

static struct bed *new_bed(struct kunit *test, unsigned int level)
{
	struct bed *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->model.variant = PMU_MODEL_AMD_CORE;
	b->model.ibs_caps = pmu_model_ibs_caps(level);
	b->model.ibs_script = &b->script;
	pmu_model_setup(&b->model, PMU_MODEL_AMD);
	pmu_model_state_reset(&b->model, &b->state);
	b->state.ip = IP;
	return b;
}

static int set(struct bed *b, const char *text)
{
	char lines[256];

	strscpy(lines, text);
	return pmu_model_ibs_script_set(&b->script, lines);
}

static int put(struct bed *b, u32 msr, u64 now, u64 val)
{
	unsigned int slot = pmu_model_slot(&b->model, msr);

	pmu_model_state_settle_units(&b->model, &b->state, now);
	return slot ? pmu_model_reg_write(&b->model, &b->state,
					  &b->model.regs[slot], now, val) : -ENOENT;
}

static u64 get(struct kunit *test, struct bed *b, u32 msr, u64 now)
{
	unsigned int slot = pmu_model_slot(&b->model, msr);
	u64 val = 0;

	KUNIT_ASSERT_NE(test, slot, 0);
	pmu_model_state_settle_units(&b->model, &b->state, now);
	KUNIT_EXPECT_EQ(test, pmu_model_reg_read(&b->model, &b->state,
						 &b->model.regs[slot], now, &val), 0);
	return val;
}

static void generations(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pmu_model_ibs_caps(0), 0);
	KUNIT_EXPECT_EQ(test, pmu_model_ibs_caps(1), 0x1f);
	KUNIT_EXPECT_EQ(test, pmu_model_ibs_caps(2), 0xff);
	KUNIT_EXPECT_EQ(test, pmu_model_ibs_caps(3), 0x3ff);
	KUNIT_EXPECT_EQ(test, pmu_model_ibs_caps(4), 0xbff);
}

static void absent_without_option(struct kunit *test)
{
	struct bed *b = new_bed(test, 0);
	struct pmu_model_leaf l = { ~0, ~0, ~0, ~0 };

	KUNIT_EXPECT_EQ(test, put(b, OP_CTL, T0, 0), -ENOENT);
	pmu_model_cpuid_change(&b->model, 0x80000001, 0, 0, &l);
	KUNIT_EXPECT_EQ(test, l.ecx & BIT(10), 0);
	b = new_bed(test, 4);
	l.ecx = 0;
	pmu_model_cpuid_change(&b->model, 0x80000001, 0, 0, &l);
	KUNIT_EXPECT_EQ(test, l.ecx & BIT(10), BIT(10));
	pmu_model_cpuid_change(&b->model, 0x8000001b, 0, 0, &l);
	KUNIT_EXPECT_EQ(test, l.eax, 0xbff);
}

/* Bits and registers that a generation does not have raise #GP. */
static void reserved_bits(struct kunit *test)
{
	struct bed *old = new_bed(test, 1), *b = new_bed(test, 4);

	KUNIT_EXPECT_EQ(test, put(old, OP_CTL, T0, BIT_ULL(20)), -EIO);
	KUNIT_EXPECT_EQ(test, put(old, OP_CTL, T0, BIT_ULL(52)), -EIO);
	KUNIT_EXPECT_EQ(test, put(old, OP_CTL, T0, OP_L3_ONLY), -EIO);
	KUNIT_EXPECT_EQ(test, put(old, OP_CTL, T0, OP_OPS), 0);
	KUNIT_EXPECT_EQ(test, put(old, FETCH_CTL, T0, BIT_ULL(59)), -EIO);
	KUNIT_EXPECT_EQ(test, put(old, OP_TARGET, T0, 0), -EIO);
	KUNIT_EXPECT_EQ(test, put(old, FETCH_EXTD, T0, 0), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, OP_CTL, T0, BIT_ULL(20) | BIT_ULL(58) | OP_L3_ONLY), 0);
	KUNIT_EXPECT_EQ(test, put(b, OP_CTL, T0, BIT_ULL(27)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, OP_CTL, T0, BIT_ULL(59)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, FETCH_CTL, T0, BIT_ULL(59)), 0);
	KUNIT_EXPECT_EQ(test, put(b, FETCH_CTL, T0, BIT_ULL(62)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, OP_TARGET, T0, 1), 0);
	KUNIT_EXPECT_EQ(test, put(b, FETCH_EXTD, T0, 1), 0);
	KUNIT_EXPECT_EQ(test, put(b, OP_DATA4, T0, 0), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, IBS_LVT, T0, 0), -EIO);
	KUNIT_EXPECT_EQ(test, get(test, b, IBS_LVT, T0), BIT(8));
}

/* 0x100 units of 16 ops; an op a tick. The count restarts below 128. */
static void op_sample_at_maximum(struct kunit *test)
{
	struct bed *b = new_bed(test, 2);
	u64 ctl;

	KUNIT_EXPECT_EQ(test, put(b, OP_CTL, T0, OP_EN | OP_OPS | 0x100), 0);
	KUNIT_EXPECT_EQ(test, pmu_model_state_deadline(&b->model, &b->state, T0), 0x1000);
	ctl = get(test, b, OP_CTL, T0 + 0xfff);
	KUNIT_EXPECT_EQ(test, ctl, OP_EN | OP_OPS | 0x100 | 0xfffULL << 32);
	KUNIT_EXPECT_EQ(test, get(test, b, OP_RIP, T0 + 0xfff), 0);
	ctl = get(test, b, OP_CTL, T0 + 0x1000);
	KUNIT_EXPECT_EQ(test, ctl & ~OP_COUNT, OP_EN | OP_VAL | OP_OPS | 0x100);
	KUNIT_EXPECT_LT(test, ctl >> 32, 128);
	KUNIT_EXPECT_EQ(test, get(test, b, OP_RIP, T0 + 0x1000), IP);
	/* Nothing is counted before the bit is cleared. */
	KUNIT_EXPECT_EQ(test, get(test, b, OP_CTL, T0 + 0x9000), ctl);
	KUNIT_EXPECT_EQ(test, pmu_model_state_deadline(&b->model, &b->state, T0 + 0x9000), 0);
}

/* The seven high bits of the maximum, and a count that is written. */
static void long_periods(struct kunit *test)
{
	struct bed *b = new_bed(test, 2);
	u64 ctl = OP_EN | OP_OPS | BIT_ULL(20) | 1;

	KUNIT_EXPECT_EQ(test, put(b, OP_CTL, T0, ctl), 0);
	KUNIT_EXPECT_EQ(test, pmu_model_state_deadline(&b->model, &b->state, T0),
			0x100010);
	KUNIT_EXPECT_EQ(test, put(b, OP_CTL, T0, ctl | 0x100000ULL << 32), 0);
	KUNIT_EXPECT_EQ(test, pmu_model_state_deadline(&b->model, &b->state, T0), 0x10);
}

static void interrupts(struct kunit *test)
{
	struct bed *b = new_bed(test, 2);
	u64 late = T0 + 0x2000;

	put(b, OP_CTL, T0, OP_EN | OP_OPS | 0x100);
	KUNIT_EXPECT_EQ(test, pmu_model_state_take_pmi(&b->model, &b->state, T0, 0),
			PMU_SHOT_EARLY);
	KUNIT_EXPECT_EQ(test, pmu_model_state_take_pmi(&b->model, &b->state, late,
						       PMU_MASKED_LVTPC), PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_EQ(test, pmu_model_state_signalled(&b->model, &b->state), BIT_ULL(61));
	KUNIT_EXPECT_EQ(test, pmu_model_state_take_pmi(&b->model, &b->state, late, 0),
			PMU_SHOT_EARLY);
	put(b, OP_CTL, late, OP_EN | OP_OPS | 0x100);
	KUNIT_EXPECT_EQ(test, pmu_model_state_take_pmi(&b->model, &b->state, late + 0x1000,
						       PMU_MASKED_IBS), PMU_SHOT_MASKED);
	KUNIT_EXPECT_TRUE(test, get(test, b, OP_CTL, late + 0x1000) & OP_VAL);
	/* Acknowledged before the interrupt was sent. */
	put(b, OP_CTL, late, OP_EN | OP_OPS | 0x100);
	get(test, b, OP_CTL, late + 0x1000);
	put(b, OP_CTL, late + 0x1000, 0);
	KUNIT_EXPECT_EQ(test, pmu_model_state_take_pmi(&b->model, &b->state, late + 0x1000, 0),
			PMU_SHOT_EARLY);
}

static u64 sample(struct kunit *test, struct bed *b, u64 more, u32 msr)
{
	b->state.ibs.pending = 0;
	KUNIT_EXPECT_EQ(test, put(b, OP_CTL, T0, OP_EN | OP_OPS | 1 | more), 0);
	return get(test, b, msr, T0 + 16);
}

static void fields_of_samples(struct kunit *test)
{
	struct bed *b = new_bed(test, 4);
	u64 data3;

	KUNIT_ASSERT_EQ(test, set(b, "op load dcmiss lat=20-29 src=8 addr=0x1234\n"
				     "fetch lat=3 done\n"
				     "op branch taken target=0x77 retlat=5 ip=0x400000\n"), 0);
	data3 = sample(test, b, 0, OP_DATA3);
	KUNIT_EXPECT_EQ(test, data3 & U32_MAX, BIT(0) | BIT(7) | BIT(17));
	KUNIT_EXPECT_GE(test, data3 >> 32, 20);
	KUNIT_EXPECT_LE(test, data3 >> 32, 29);
	KUNIT_EXPECT_EQ(test, get(test, b, OP_DATA2, T0 + 16), BIT(6));
	KUNIT_EXPECT_EQ(test, get(test, b, OP_LINAD, T0 + 16), 0x1234);
	KUNIT_EXPECT_EQ(test, get(test, b, OP_RIP, T0 + 16), IP);
	/* The next sample has nothing of this one. */
	KUNIT_EXPECT_EQ(test, sample(test, b, 0, OP_DATA3), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, OP_DATA, T0 + 16), 5 | BIT_ULL(35) | BIT_ULL(37));
	KUNIT_EXPECT_EQ(test, get(test, b, OP_TARGET, T0 + 16), 0x77);
	KUNIT_EXPECT_EQ(test, get(test, b, OP_RIP, T0 + 16), 0x400000);
	KUNIT_EXPECT_NE(test, sample(test, b, 0, OP_DATA3), 0);
}

/* The filter passes only L3 misses; without one there is no sample. */
static void l3_filter(struct kunit *test)
{
	struct bed *b = new_bed(test, 4);

	KUNIT_ASSERT_EQ(test, set(b, "op load\nop store l3miss\n"), 0);
	KUNIT_EXPECT_EQ(test, sample(test, b, OP_L3_ONLY, OP_DATA3), BIT(1));
	KUNIT_EXPECT_EQ(test, sample(test, b, OP_L3_ONLY, OP_DATA3), BIT(1));
	KUNIT_EXPECT_EQ(test, sample(test, b, 0, OP_DATA3), BIT(0));
	KUNIT_ASSERT_EQ(test, set(b, "op load\n"), 0);
	KUNIT_EXPECT_FALSE(test, sample(test, b, OP_L3_ONLY, OP_CTL) & OP_VAL);
	KUNIT_EXPECT_NE(test, pmu_model_state_deadline(&b->model, &b->state, T0 + 16),
			PMU_MODEL_NEVER);
}

/* A fetch every tenth tick; results are in the control register. */
static void fetch_sample(struct kunit *test)
{
	struct bed *b = new_bed(test, 3);
	u64 ctl;

	KUNIT_ASSERT_EQ(test, set(b, "fetch lat=3 done icmiss tlblat=9 l3miss"), 0);
	KUNIT_EXPECT_EQ(test, put(b, FETCH_CTL, T0, FETCH_EN | 1), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, FETCH_CTL, T0 + 159), FETCH_EN | 1);
	ctl = get(test, b, FETCH_CTL, T0 + 170);
	KUNIT_EXPECT_EQ(test, ctl, FETCH_EN | FETCH_VAL | 1 | BIT_ULL(16) | 3ULL << 32 |
			BIT_ULL(50) | BIT_ULL(51));
	KUNIT_EXPECT_EQ(test, get(test, b, FETCH_LINAD, T0 + 170), IP);
	KUNIT_EXPECT_EQ(test, get(test, b, FETCH_EXTD, T0 + 170), 9);
}

static void scripts(struct kunit *test)
{
	static const char * const wrong[] = {
		"ops load", "op loads", "op lat", "op lat=x", "op lat=5-4", "fetch load",
	};
	static const char text[] = "op load lat=0x14-0x1d src=0x8\nfetch lat=0x3 done\n";
	struct seq_file m = { .buf = kunit_kzalloc(test, 256, GFP_KERNEL), .size = 256 };
	struct bed *b = new_bed(test, 4);

	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	KUNIT_ASSERT_EQ(test, set(b, text), 0);
	for (int i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_EQ_MSG(test, set(b, wrong[i]), -EINVAL, "%s", wrong[i]);
	KUNIT_EXPECT_EQ(test, set(b, "op lat=0x10000"), -ERANGE);
	pmu_model_ibs_script_show(&b->script, &m);
	KUNIT_EXPECT_STREQ(test, m.buf, text);
	KUNIT_EXPECT_EQ(test, set(b, "\n"), 0);
	KUNIT_EXPECT_EQ(test, b->script.half[b->script.live].nr, 0);
}

static struct kunit_case ibs_cases[] = {
	KUNIT_CASE(generations),
	KUNIT_CASE(absent_without_option),
	KUNIT_CASE(reserved_bits),
	KUNIT_CASE(op_sample_at_maximum),
	KUNIT_CASE(long_periods),
	KUNIT_CASE(interrupts),
	KUNIT_CASE(fields_of_samples),
	KUNIT_CASE(l3_filter),
	KUNIT_CASE(fetch_sample),
	KUNIT_CASE(scripts),
	{}
};

static struct kunit_suite ibs_suite = {
	.name = "x86_pmu_model_ibs",
	.test_cases = ibs_cases,
};

kunit_test_suite(ibs_suite);

MODULE_DESCRIPTION("KUnit tests of the x86 PMU model's IBS");
MODULE_LICENSE("GPL");
