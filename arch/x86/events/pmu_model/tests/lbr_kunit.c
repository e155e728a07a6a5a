// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: tests of the branch records
 *
 * The expected values are the rules of SDM vol. 3 18.4.7, 18.4.8 and 19, of APM
 * vol. 2 13.1.1 and of the PPR of family 19h model 11h. The script and the PMU
 * are the test's own. With the default rate a branch is executed each fifth
 * tick.
 */
#include <kunit/test.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../pmu_model.h"

#define T0		1000
#define TICKS		5	/* for each branch, a bit less */
#define DEBUGCTL	0x1d9
#define PERF_CAPS	0x345
#define G_OVF_CTRL	0x390
#define SELECT		0x1c8
#define TOS		0x1c9
#define FROM0		0x680
#define TO0		0x6c0
#define INFO0		0xdc0
#define ARCH_CTL	0x14ce
#define ARCH_DEPTH	0x14cf
#define ARCH_FROM0	0x1500
#define ARCH_TO0	0x1600
#define ARCH_INFO0	0x1200
#define AMD_FROM0	0xc0010300
#define AMD_TO0		0xc0010301
#define AMD_SELECT	0xc000010e
#define AMD_EXTENSION	0xc000010f
#define AMD_STATUS_CLR	0xc0000302

#define MISPRED		BIT_ULL(63)
#define KERNEL		0xffffffff81000000ULL

struct bed {
	struct pmu_model_branch_script script;
	struct pmu_model model;
	struct pmu_model_state state;
};

static struct bed *new_bed(struct kunit *test, enum pmu_model_vendor vendor,
			   unsigned int lbr, unsigned int format)
{
	struct bed *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->model.version = format == PMU_LBR_FMT_FLAGS ? 3 : 5;
	b->model.gp = 4;
	b->model.fixed = 3;
	b->model.width = 48;
	b->model.variant = PMU_MODEL_AMD_V2;
	b->model.lbr = lbr;
	b->model.lbr_format = format;
	b->model.branch_script = &b->script;
	pmu_model_setup(&b->model, vendor);
	pmu_model_state_reset(&b->model, &b->state);
	return b;
}

static int set(struct bed *b, const char *text)
{
	char lines[400];

	strscpy(lines, text);
	return pmu_model_branch_script_set(&b->script, lines);
}

static int put(struct bed *b, u32 msr, u64 now, u64 val)
{
	unsigned int slot = pmu_model_slot(&b->model, msr);

	pmu_model_state_settle_units(&b->model, &b->state, now);
	return slot ? pmu_model_reg_write(&b->model, &b->state,
					  &b->model.regs[slot], now, val) : -ENOENT;
}

static int rd(struct bed *b, u32 msr, u64 *val)
{
	unsigned int slot = pmu_model_slot(&b->model, msr);

	return slot ? pmu_model_reg_read(&b->model, &b->state,
					 &b->model.regs[slot], T0, val) : -ENOENT;
}

static u64 get(struct kunit *test, struct bed *b, u32 msr)
{
	u64 val = 0;

	KUNIT_EXPECT_EQ_MSG(test, rd(b, msr, &val), 0, "read of %#x", msr);
	return val;
}

/* Execute some branches from the first line on, and stop. */
static void run(struct bed *b, u32 msr, u64 enable, unsigned int branches)
{
	b->state.lbr.counter = (struct pmu_model_counter) { };
	put(b, msr, T0, enable);
	put(b, msr, T0 + branches * TICKS + 1, 0);
}

static void absent_without_option(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL, 0, 0);
	struct pmu_model_leaf l = { };

	KUNIT_EXPECT_EQ(test, put(b, FROM0, T0, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, put(b, ARCH_CTL, T0, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, get(test, b, PERF_CAPS) & 0x3f, 0);
	KUNIT_EXPECT_EQ(test, put(b, DEBUGCTL, T0, 1), 0);
	b = new_bed(test, PMU_MODEL_AMD, 0, 0);
	KUNIT_EXPECT_EQ(test, put(b, AMD_SELECT, T0, 0), -ENOENT);
	pmu_model_cpuid_change(&b->model, 0x80000022, 0, 0, &l);
	KUNIT_EXPECT_EQ(test, l.eax & BIT(1), 0);
}

static void ring_and_formats(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL, 32, PMU_LBR_FMT_INFO);

	KUNIT_ASSERT_EQ(test, set(b, "400000 400100 cond cycles=7 mispredicted\n"
				     "400200 400000 jump cycles=9\n"), 0);
	run(b, DEBUGCTL, 1, 3);
	KUNIT_EXPECT_EQ(test, get(test, b, PERF_CAPS) & 0x3f, 5);
	KUNIT_EXPECT_EQ(test, get(test, b, TOS), 3);
	KUNIT_EXPECT_EQ(test, get(test, b, FROM0 + 2), 0x400200);
	KUNIT_EXPECT_EQ(test, get(test, b, TO0 + 2), 0x400000);
	KUNIT_EXPECT_EQ(test, get(test, b, INFO0 + 2), 9);
	KUNIT_EXPECT_EQ(test, get(test, b, INFO0 + 3), 7 | MISPRED);
	run(b, DEBUGCTL, 1, 40);
	KUNIT_EXPECT_EQ(test, get(test, b, TOS), 43 % 32);

	b = new_bed(test, PMU_MODEL_INTEL, 16, PMU_LBR_FMT_FLAGS);
	KUNIT_ASSERT_EQ(test, set(b, "ffffffff81000000 ffffffff81000010 cond\n"
				     "400200 400000 jump mispredicted\n"), 0);
	run(b, DEBUGCTL, 1, 2);
	KUNIT_EXPECT_EQ(test, get(test, b, FROM0 + 1), KERNEL & ~MISPRED);
	KUNIT_EXPECT_EQ(test, get(test, b, FROM0 + 2), 0x400200 | MISPRED);
	KUNIT_EXPECT_EQ(test, get(test, b, TO0 + 1), KERNEL + 0x10);
	KUNIT_EXPECT_EQ(test, put(b, INFO0, T0, 0), -ENOENT);

	b = new_bed(test, PMU_MODEL_INTEL, 32, PMU_LBR_FMT_TIME);
	KUNIT_ASSERT_EQ(test, set(b, "400200 400000 jump mispredicted cycles=5\n"), 0);
	run(b, DEBUGCTL, 1, 1);
	KUNIT_EXPECT_EQ(test, get(test, b, TO0 + 1), 0x400000 | 5ULL << 48);
}

static void reserved_bits(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL, 16, PMU_LBR_FMT_FLAGS);

	KUNIT_EXPECT_EQ(test, put(b, SELECT, T0, 0x1ff), 0);
	KUNIT_EXPECT_EQ(test, put(b, SELECT, T0, BIT(9)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, TOS, T0, 16), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, TOS, T0, 15), 0);
	KUNIT_EXPECT_EQ(test, put(b, FROM0 + 16, T0, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, put(b, FROM0, T0, MISPRED | 0x400000), 0);
	KUNIT_EXPECT_EQ(test, put(b, FROM0, T0, BIT_ULL(62)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, TO0, T0, MISPRED), -EIO);
	b = new_bed(test, PMU_MODEL_INTEL, 16, PMU_LBR_FMT_FLAGS2);
	KUNIT_EXPECT_EQ(test, put(b, SELECT, T0, BIT(9)), 0);
	KUNIT_EXPECT_EQ(test, put(b, FROM0, T0, BIT_ULL(62)), 0);
	KUNIT_EXPECT_EQ(test, put(b, FROM0, T0, BIT_ULL(60)), -EIO);
	b = new_bed(test, PMU_MODEL_INTEL, 32, PMU_LBR_FMT_INFO);
	KUNIT_EXPECT_EQ(test, put(b, INFO0, T0, MISPRED | 0xffff), 0);
	KUNIT_EXPECT_EQ(test, put(b, INFO0, T0, BIT_ULL(60)), -EIO);
	b = new_bed(test, PMU_MODEL_INTEL, 8, PMU_LBR_FMT_LIP);
	KUNIT_EXPECT_EQ(test, put(b, 0x47, T0, KERNEL), 0);
	KUNIT_EXPECT_EQ(test, put(b, 0x67, T0, BIT_ULL(50)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, FROM0, T0, 0), -ENOENT);
	b = new_bed(test, PMU_MODEL_INTEL, 4, PMU_LBR_FMT_LIP);
	KUNIT_EXPECT_EQ(test, put(b, SELECT, T0, 0), -ENOENT);
}

#define EACH_KIND "400000 400010 cond\n400000 400020 call\n400000 400030 icall\n" \
		  "400000 400040 return\n400000 400050 ijump\n400000 400060 jump\n" \
		  "400000 400070 far\n"

/* 18.4.9.2: a set bit leaves a kind out; bits 0 and 1 are modes. */
static void filter_of_kinds(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL, 16, PMU_LBR_FMT_FLAGS2);
	unsigned int kind;

	KUNIT_ASSERT_EQ(test, set(b, EACH_KIND), 0);
	for (kind = 0; kind < 7; kind++) {
		put(b, TOS, T0, 0);
		put(b, SELECT, T0, 0x1fc & ~BIT(2 + kind));
		run(b, DEBUGCTL, 1, 7);
		KUNIT_EXPECT_EQ(test, get(test, b, TOS), 1);
		KUNIT_EXPECT_EQ(test, get(test, b, TO0 + 1), 0x400010 + 16 * kind);
	}
	KUNIT_ASSERT_EQ(test, set(b, "400000 ffffffff81000000 far\n"
				     "ffffffff81000010 400000 far\n"), 0);
	for (kind = 0; kind < 2; kind++) {
		put(b, TOS, T0, 0);
		put(b, SELECT, T0, BIT(kind));
		run(b, DEBUGCTL, 1, 2);
		KUNIT_EXPECT_EQ(test, get(test, b, TOS), 1);
		KUNIT_EXPECT_EQ(test, get(test, b, TO0 + 1) >> 63, kind);
	}
}

/* 18.11: a call is added, a return takes the newest away. */
static void call_stack(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL, 16, PMU_LBR_FMT_FLAGS2);

	KUNIT_ASSERT_EQ(test, set(b, "400000 400100 call\n400104 400200 call\n"
				     "400208 400108 return\n400110 400300 icall\n"
				     "400300 400310 cond\n"), 0);
	put(b, SELECT, T0, 0x1c4 | BIT(9));
	run(b, DEBUGCTL, 1, 5);
	KUNIT_EXPECT_EQ(test, get(test, b, TOS), 2);
	KUNIT_EXPECT_EQ(test, get(test, b, FROM0 + 1), 0x400000);
	KUNIT_EXPECT_EQ(test, get(test, b, FROM0 + 2), 0x400110);
}

/*
 * 18.4.7: before version 4 the enable bit is cleared, later a status bit is
 * set.
 */
static void freeze(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL, 16, PMU_LBR_FMT_FLAGS);

	KUNIT_ASSERT_EQ(test, set(b, "400000 400100 cond\n"), 0);
	put(b, DEBUGCTL, T0, BIT(0) | BIT(11));
	b->state.pending = 1;
	pmu_model_state_take_pmi(&b->model, &b->state, T0 + 12, 0);
	KUNIT_EXPECT_EQ(test, get(test, b, DEBUGCTL), BIT(11));
	pmu_model_state_settle_units(&b->model, &b->state, T0 + 100);
	KUNIT_EXPECT_EQ(test, get(test, b, TOS), 2);

	b = new_bed(test, PMU_MODEL_INTEL, 32, PMU_LBR_FMT_INFO);
	KUNIT_ASSERT_EQ(test, set(b, "400000 400100 cond\n"), 0);
	put(b, DEBUGCTL, T0, BIT(0) | BIT(11));
	b->state.pending = 1;
	pmu_model_state_take_pmi(&b->model, &b->state, T0 + 12, 0);
	KUNIT_EXPECT_EQ(test, get(test, b, DEBUGCTL), BIT(0) | BIT(11));
	KUNIT_EXPECT_EQ(test, b->state.status, BIT_ULL(58));
	pmu_model_state_settle_units(&b->model, &b->state, T0 + 100);
	KUNIT_EXPECT_EQ(test, get(test, b, TOS), 2);
	KUNIT_EXPECT_EQ(test, put(b, G_OVF_CTRL, T0 + 100, BIT_ULL(58)), 0);
	pmu_model_state_settle_units(&b->model, &b->state, T0 + 112);
	KUNIT_EXPECT_EQ(test, get(test, b, TOS), 4);
}

static void architectural(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL, 32, PMU_LBR_FMT_ARCH);
	struct pmu_model_leaf l = { };
	u64 val;

	pmu_model_cpuid_change(&b->model, 7, 0, 0, &l);
	KUNIT_EXPECT_EQ(test, l.edx, BIT(19));
	pmu_model_cpuid_change(&b->model, 0x1c, 0, 0, &l);
	KUNIT_EXPECT_EQ(test, l.eax, 0xf);
	KUNIT_EXPECT_EQ(test, l.ebx, 7);
	KUNIT_EXPECT_EQ(test, l.ecx, 7);
	KUNIT_EXPECT_EQ(test, get(test, b, ARCH_DEPTH), 32);
	KUNIT_ASSERT_EQ(test, set(b, "400000 400100 call cycles=3\n"
				     "400100 400108 cond mispredicted\n"), 0);
	run(b, ARCH_CTL, 0x7f0007, 3);
	KUNIT_EXPECT_EQ(test, get(test, b, ARCH_FROM0), 0x400000);
	KUNIT_EXPECT_EQ(test, get(test, b, ARCH_TO0 + 1), 0x400108);
	KUNIT_EXPECT_EQ(test, get(test, b, ARCH_INFO0), 3 | BIT_ULL(60) | 4ULL << 56);
	KUNIT_EXPECT_EQ(test, get(test, b, ARCH_INFO0 + 1), MISPRED | BIT_ULL(60));
	KUNIT_EXPECT_EQ(test, get(test, b, ARCH_FROM0 + 3), 0);

	KUNIT_EXPECT_EQ(test, put(b, ARCH_DEPTH, T0, 12), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, ARCH_DEPTH, T0, 40), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, ARCH_CTL, T0, BIT(4)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, ARCH_DEPTH, T0, 16), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, ARCH_FROM0), 0);
	KUNIT_EXPECT_EQ(test, rd(b, ARCH_FROM0 + 16, &val), -EIO);
	/* Conditional branches of the kernel: none of these. */
	run(b, ARCH_CTL, BIT(16) | BIT(1) | BIT(0), 4);
	KUNIT_EXPECT_EQ(test, get(test, b, ARCH_FROM0), 0);
	run(b, ARCH_CTL, BIT(16) | BIT(2) | BIT(0), 4);
	KUNIT_EXPECT_EQ(test, get(test, b, ARCH_FROM0 + 1), 0x400100);
}

static void amd(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_AMD, 16, 0);
	struct pmu_model_leaf l = { };

	pmu_model_cpuid_change(&b->model, 0x80000022, 0, 0, &l);
	KUNIT_EXPECT_EQ(test, l.eax & BIT(1), BIT(1));
	KUNIT_EXPECT_EQ(test, l.ebx, 6 | 16 << 4);
	KUNIT_ASSERT_EQ(test, set(b, "ffffffff81000000 ffffffff81000010 cond mispredicted\n"
				     "400200 400000 jump\n"), 0);
	run(b, AMD_EXTENSION, BIT(6), 2);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_FROM0), 0x400200);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_TO0), 0x400000 | BIT_ULL(63));
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_FROM0 + 2),
			(KERNEL & GENMASK_ULL(57, 0)) | MISPRED);
	KUNIT_EXPECT_EQ(test, put(b, AMD_EXTENSION, T0, BIT(7)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, AMD_SELECT, T0, BIT(9)), -EIO);

	put(b, DEBUGCTL, T0, BIT(11));
	put(b, AMD_EXTENSION, T0, BIT(6));
	b->state.pending = 1;
	pmu_model_state_take_pmi(&b->model, &b->state, T0, 0);
	KUNIT_EXPECT_EQ(test, b->state.status, BIT_ULL(58));
	KUNIT_EXPECT_FALSE(test, b->state.lbr.running);
	KUNIT_EXPECT_EQ(test, put(b, AMD_STATUS_CLR, T0, BIT_ULL(58)), 0);
	KUNIT_EXPECT_TRUE(test, b->state.lbr.running);
}

/*
 * PPR of family 19h model 01h: the interrupt comes with the sixteenth branch.
 */
static void branch_sampling(struct kunit *test)
{
	struct bed *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	struct pmu_model_leaf l = { };
	u64 ctl = BIT(2) | 3 << 3;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->model.variant = PMU_MODEL_AMD_CORE;
	b->model.brs = true;
	b->model.branch_script = &b->script;
	pmu_model_setup(&b->model, PMU_MODEL_AMD);
	pmu_model_state_reset(&b->model, &b->state);
	pmu_model_cpuid_change(&b->model, 0x80000008, 0, 0, &l);
	KUNIT_EXPECT_EQ(test, l.ebx, BIT(31));
	KUNIT_ASSERT_EQ(test, set(b, "400000 ffffffff81000000 far\n"
				     "ffffffff81000008 400000 far\n"), 0);
	KUNIT_EXPECT_EQ(test, put(b, AMD_SELECT, T0, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, put(b, AMD_EXTENSION, T0, BIT(6)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, AMD_EXTENSION, T0, ctl), 0);
	put(b, 0xc0010201, T0, -100LL);
	put(b, 0xc0010200, T0, 0xc0 | PMU_SEL_EN | PMU_SEL_INT | PMU_SEL_OS | PMU_SEL_USR);
	KUNIT_EXPECT_EQ(test, pmu_model_state_take_pmi(&b->model, &b->state, T0 + 100, 0),
			PMU_SHOT_EARLY);
	KUNIT_EXPECT_EQ(test, pmu_model_state_deadline(&b->model, &b->state, T0 + 100), 81);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_EXTENSION), ctl);
	KUNIT_EXPECT_EQ(test, pmu_model_state_take_pmi(&b->model, &b->state, T0 + 160, 0),
			PMU_SHOT_EARLY);
	KUNIT_EXPECT_EQ(test, pmu_model_state_take_pmi(&b->model, &b->state, T0 + 181, 0),
			PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_EXTENSION), ctl | BIT(5));
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_FROM0), 0x400000);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_TO0), KERNEL);
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_FROM0 + 30), KERNEL + 8);
	KUNIT_EXPECT_EQ(test, pmu_model_state_take_pmi(&b->model, &b->state, T0 + 300, 0),
			PMU_SHOT_EARLY);
}

static void scripts(struct kunit *test)
{
	static const char * const wrong[] = {
		"400000 400010", "400000 400010 loop", "x 400010 cond",
		"400000 400010 cond cycles", "400000 400010 cond cycles=x",
	};
	static const char text[] = "400000 ffffffff81000000 far cycles=3\n"
				   "400010 400020 cond mispredicted\n";
	struct seq_file m = { .buf = kunit_kzalloc(test, 256, GFP_KERNEL), .size = 256 };
	struct bed *b = new_bed(test, PMU_MODEL_INTEL, 32, PMU_LBR_FMT_INFO);

	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	KUNIT_ASSERT_EQ(test, set(b, text), 0);
	for (int i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_EQ_MSG(test, set(b, wrong[i]), -EINVAL, "%s", wrong[i]);
	KUNIT_EXPECT_EQ(test, set(b, "8000000000000000 1 cond"), -ERANGE);
	pmu_model_branch_script_show(&b->script, &m);
	KUNIT_EXPECT_STREQ(test, m.buf, text);
	KUNIT_ASSERT_EQ(test, set(b, ""), 0);
	run(b, DEBUGCTL, 1, 10);
	KUNIT_EXPECT_EQ(test, get(test, b, TOS), 0);
}

static struct kunit_case lbr_cases[] = {
	KUNIT_CASE(absent_without_option),
	KUNIT_CASE(ring_and_formats),
	KUNIT_CASE(reserved_bits),
	KUNIT_CASE(filter_of_kinds),
	KUNIT_CASE(call_stack),
	KUNIT_CASE(freeze),
	KUNIT_CASE(architectural),
	KUNIT_CASE(amd),
	KUNIT_CASE(branch_sampling),
	KUNIT_CASE(scripts),
	{}
};

static struct kunit_suite lbr_suite = {
	.name = "x86_pmu_model_lbr",
	.test_cases = lbr_cases,
};

kunit_test_suite(lbr_suite);

MODULE_DESCRIPTION("KUnit tests of the x86 PMU model's branch records");
MODULE_LICENSE("GPL");
