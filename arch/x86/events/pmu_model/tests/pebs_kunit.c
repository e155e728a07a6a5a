// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: tests of PEBS
 *
 * The expected values are the rules of SDM vol. 3 18.4.9, 20.3.1.1, 20.3.6.1,
 * 20.3.8.1 and 20.9 and vol. 4 table 2-2. The debug store area, the buffer, the
 * script and the PMU are the test's own.
 */
#include <kunit/test.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include <asm/ptrace.h>

#include "../pmu_model.h"

#define T0		1000
#define EVENTSEL0	0x186
#define PERFCTR0	0xc1
#define PERF_CAPS	0x345
#define FIXED_CTRL	0x38d
#define FIXED0		0x309
#define G_STATUS	0x38e
#define G_CTRL		0x38f
#define PEBS_ENABLE	0x3f1
#define DATA_CFG	0x3f2
#define LOAD_LATENCY	0x3f6
#define FRONTEND	0x3f7
#define DS_AREA		0x600
#define COUNT_ALL	(PMU_SEL_EN | PMU_SEL_OS | PMU_SEL_USR)
#define BUFFER_WORDS	512

struct ds_area {
	u64	bts[4];
	u64	base;
	u64	index;
	u64	maximum;
	u64	threshold;
	u64	reset[8];
	u64	fixed_reset[4];
};

struct bed {
	struct pmu_model_access_script script;
	struct pmu_model_branch_script branches;
	struct pmu_model model;
	struct pmu_model_state state;
	struct ds_area ds;
	struct pt_regs regs;
	u64	buffer[BUFFER_WORDS];
};

static void fill_regs(struct pt_regs *r)
{
	*r = (struct pt_regs) {
		.flags = 0x100, .ip = 0x101, .ax = 0x102, .bx = 0x103, .cx = 0x104,
		.dx = 0x105, .si = 0x106, .di = 0x107, .bp = 0x108, .sp = 0x109,
		.r8 = 0x10a, .r9 = 0x10b, .r10 = 0x10c, .r11 = 0x10d, .r12 = 0x10e,
		.r13 = 0x10f, .r14 = 0x110, .r15 = 0x111,
	};
}

static struct bed *new_bed(struct kunit *test, unsigned int pebs)
{
	struct bed *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->model.version = 5;
	b->model.gp = 8;
	b->model.fixed = 4;
	b->model.width = 48;
	b->model.pebs = pebs;
	b->model.lbr = 32;
	b->model.lbr_format = PMU_LBR_FMT_INFO;
	b->model.access_script = &b->script;
	b->model.branch_script = &b->branches;
	pmu_model_setup(&b->model, PMU_MODEL_INTEL);
	pmu_model_state_reset(&b->model, &b->state);
	fill_regs(&b->regs);
	b->ds.base = (unsigned long)b->buffer;
	b->ds.index = b->ds.base;
	b->ds.maximum = (unsigned long)(b->buffer + BUFFER_WORDS);
	b->ds.threshold = b->ds.maximum;
	b->ds.reset[0] = -50LL;
	return b;
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
	KUNIT_EXPECT_EQ(test, pmu_model_reg_read(&b->model, &b->state,
						 &b->model.regs[slot], now, &val), 0);
	return val;
}

/* Counter 0 counts instructions, one a tick, and overflows after 50. */
static void start(struct bed *b)
{
	put(b, DS_AREA, T0, (unsigned long)&b->ds);
	put(b, PEBS_ENABLE, T0, 1);
	put(b, EVENTSEL0, T0, 0xc0 | COUNT_ALL);
	put(b, PERFCTR0, T0, -50LL);
	put(b, G_CTRL, T0, 1);
}

static enum pmu_model_shot_event shot(struct bed *b, u64 now, bool *recorded)
{
	const struct pmu_model_moment moment = { .regs = &b->regs, .tsc = 0x777 };

	*recorded = pmu_model_state_take_records(&b->model, &b->state, now, &moment);
	return pmu_model_state_take_pmi(&b->model, &b->state, now, 0);
}

/* Take one record; return its size in words. */
static unsigned int record(struct kunit *test, struct bed *b, u64 now)
{
	u64 before = b->ds.index;
	bool recorded;

	KUNIT_EXPECT_EQ(test, shot(b, now, &recorded), PMU_SHOT_EARLY);
	KUNIT_EXPECT_TRUE(test, recorded);
	return (b->ds.index - before) / sizeof(u64);
}

static void announced(struct kunit *test)
{
	static const u64 caps[] = { 0, 0xc0, 0x1c0, 0x2c0, 0x3c0, 0x44c0 };
	struct pmu_model_leaf l = { };

	for (int i = 0; i < ARRAY_SIZE(caps); i++) {
		struct bed *b = new_bed(test, i);

		KUNIT_EXPECT_EQ(test, get(test, b, PERF_CAPS, T0) & 0x4fc0, caps[i]);
		l.ecx = 0;
		l.edx = 0;
		pmu_model_cpuid_change(&b->model, 1, 0, 0, &l);
		KUNIT_EXPECT_EQ(test, l.edx, i ? BIT(21) : 0);
		KUNIT_EXPECT_EQ(test, l.ecx & BIT(2), i ? BIT(2) : 0);
		KUNIT_EXPECT_EQ(test, put(b, PEBS_ENABLE, T0, 0), i ? 0 : -ENOENT);
		KUNIT_EXPECT_EQ(test, put(b, LOAD_LATENCY, T0, 0), i > 1 ? 0 : -ENOENT);
		KUNIT_EXPECT_EQ(test, put(b, FRONTEND, T0, 0), i > 3 ? 0 : -ENOENT);
		KUNIT_EXPECT_EQ(test, put(b, DATA_CFG, T0, 0), i > 4 ? 0 : -ENOENT);
	}
}

static void reserved_bits(struct kunit *test)
{
	struct bed *b = new_bed(test, 4);

	KUNIT_EXPECT_EQ(test, put(b, PEBS_ENABLE, T0, 0x80000001000000ffULL &
						      ~GENMASK_ULL(30, 8)), 0);
	KUNIT_EXPECT_EQ(test, put(b, PEBS_ENABLE, T0, BIT(8)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, DS_AREA, T0, BIT_ULL(47)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, LOAD_LATENCY, T0, BIT(16)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, FRONTEND, T0, BIT(23)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0, BIT_ULL(34)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, FIXED_CTRL, T0, BIT_ULL(32)), -EIO);
	b = new_bed(test, PMU_PEBS_ADAPTIVE);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0, BIT_ULL(34)), 0);
	KUNIT_EXPECT_EQ(test, put(b, FIXED_CTRL, T0, BIT_ULL(32) | BIT_ULL(44)), 0);
	KUNIT_EXPECT_EQ(test, put(b, PEBS_ENABLE, T0, 0xf000000ffULL), 0);
	KUNIT_EXPECT_EQ(test, put(b, PEBS_ENABLE, T0, BIT_ULL(63)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, DATA_CFG, T0, 0xff00000f), 0);
	KUNIT_EXPECT_EQ(test, put(b, DATA_CFG, T0, BIT(4)), -EIO);
	b = new_bed(test, 1);
	KUNIT_EXPECT_EQ(test, put(b, PEBS_ENABLE, T0, BIT(1)), -EIO);
}

/* Sizes of 18 words and more; the order of the registers, table 20-3. */
static void layouts(struct kunit *test)
{
	static const unsigned int words[] = { 0, 18, 22, 24, 25 };
	struct bed *b;

	for (int pebs = 1; pebs < PMU_PEBS_ADAPTIVE; pebs++) {
		b = new_bed(test, pebs);
		b->script.half[0].nr = 1;
		b->script.half[0].line[0] = (struct pmu_model_access) { 0x5000, 40, 9 };
		start(b);
		KUNIT_EXPECT_EQ(test, record(test, b, T0 + 50), words[pebs]);
		for (int i = 0; i < 18; i++)
			KUNIT_EXPECT_EQ(test, b->buffer[i], 0x100 + i);
		if (pebs < 2)
			continue;
		KUNIT_EXPECT_EQ(test, b->buffer[18], 1);
		KUNIT_EXPECT_EQ(test, b->buffer[19], 0x5000);
		KUNIT_EXPECT_EQ(test, b->buffer[20], 9);
		KUNIT_EXPECT_EQ(test, b->buffer[21], 40);
		if (pebs > 2)
			KUNIT_EXPECT_EQ(test, b->buffer[22], 0x101);
		if (pebs > 3)
			KUNIT_EXPECT_EQ(test, b->buffer[24], 0x777);
	}
}

/* 20.9.2: groups in the order of the bits; the size is in the header. */
static void adaptive(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_PEBS_ADAPTIVE);

	start(b);
	KUNIT_EXPECT_EQ(test, record(test, b, T0 + 50), 4);
	KUNIT_EXPECT_EQ(test, b->buffer[0], 32ULL << 48);
	KUNIT_EXPECT_EQ(test, b->buffer[1], 0x101);
	KUNIT_EXPECT_EQ(test, b->buffer[2], 1);
	KUNIT_EXPECT_EQ(test, b->buffer[3], 0x777);

	b->branches.half[0].nr = 1;
	b->branches.half[0].line[0] = (struct pmu_model_branch) { 0x401000, 0x402000, 6 };
	b->script.half[0].nr = 1;
	b->script.half[0].line[0] = (struct pmu_model_access) { 0x5000, 40, 9 };
	b->ds.index = b->ds.base;
	put(b, 0x1d9, T0 + 50, 1);
	put(b, DATA_CFG, T0 + 50, 2ULL << 24 | 0xf);
	/* Without bit 34 of the select register the first group is all. */
	KUNIT_EXPECT_EQ(test, record(test, b, T0 + 100), 4);
	b->ds.index = b->ds.base;
	put(b, EVENTSEL0, T0 + 100, 0xc0 | COUNT_ALL | BIT_ULL(34));
	KUNIT_EXPECT_EQ(test, record(test, b, T0 + 150), 4 + 4 + 18 + 32 + 9);
	KUNIT_EXPECT_EQ(test, b->buffer[0], 2ULL << 24 | 0xf | (67 * 8ULL) << 48);
	KUNIT_EXPECT_EQ(test, b->buffer[4], 0x5000);
	KUNIT_EXPECT_EQ(test, b->buffer[5], 9);
	KUNIT_EXPECT_EQ(test, b->buffer[6], 40);
	KUNIT_EXPECT_EQ(test, b->buffer[8], 0x100);
	KUNIT_EXPECT_EQ(test, b->buffer[11], 0x104);
	KUNIT_EXPECT_EQ(test, b->buffer[13], 0x103);
	KUNIT_EXPECT_EQ(test, b->buffer[14], 0x109);
	KUNIT_EXPECT_EQ(test, b->buffer[17], 0x107);
	KUNIT_EXPECT_EQ(test, b->buffer[58], 0x401000);
	KUNIT_EXPECT_EQ(test, b->buffer[59], 0x402000);
	KUNIT_EXPECT_EQ(test, b->buffer[60], 6);
}

/*
 * No status bit and no interrupt below the threshold; the counter is reloaded.
 */
static void threshold(struct kunit *test)
{
	struct bed *b = new_bed(test, 4);
	bool recorded;

	b->ds.threshold = b->ds.base + 2 * 0xc8;
	b->ds.maximum = b->ds.threshold;
	start(b);
	KUNIT_EXPECT_EQ(test, pmu_model_state_deadline(&b->model, &b->state, T0), 50);
	KUNIT_EXPECT_EQ(test, shot(b, T0 + 50, &recorded), PMU_SHOT_EARLY);
	KUNIT_EXPECT_TRUE(test, recorded);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 50), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 50),
			-50LL & GENMASK_ULL(47, 0));
	KUNIT_EXPECT_EQ(test, shot(b, T0 + 100, &recorded), PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_EQ(test, get(test, b, G_STATUS, T0 + 100), BIT_ULL(62));
	KUNIT_EXPECT_EQ(test, pmu_model_state_signalled(&b->model, &b->state), BIT_ULL(62));
	/* A full buffer takes no record. */
	KUNIT_EXPECT_EQ(test, shot(b, T0 + 150, &recorded), PMU_SHOT_DELIVERED);
	KUNIT_EXPECT_EQ(test, b->ds.index, b->ds.maximum);
	KUNIT_EXPECT_EQ(test, b->buffer[2 * 25], 0);
}

/* A counter that is disabled, or not for PEBS any more, writes nothing. */
static void disabled_meanwhile(struct kunit *test)
{
	struct bed *b = new_bed(test, 4);
	bool recorded;

	start(b);
	put(b, EVENTSEL0, T0 + 60, 0xc0);
	shot(b, T0 + 60, &recorded);
	KUNIT_EXPECT_FALSE(test, recorded);
	start(b);
	put(b, PEBS_ENABLE, T0 + 60, 0);
	shot(b, T0 + 60, &recorded);
	KUNIT_EXPECT_FALSE(test, recorded);
	/* Memory that is not there: no record, no fault. */
	start(b);
	put(b, DS_AREA, T0, 0);
	shot(b, T0 + 60, &recorded);
	KUNIT_EXPECT_EQ(test, b->ds.index, b->ds.base);
}

static void fixed_counter(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_PEBS_ADAPTIVE);

	b->ds.fixed_reset[0] = -70LL & GENMASK_ULL(47, 0);
	put(b, DS_AREA, T0, (unsigned long)&b->ds);
	put(b, PEBS_ENABLE, T0, BIT_ULL(32));
	put(b, FIXED_CTRL, T0, 3);
	put(b, FIXED0, T0, -10LL & GENMASK_ULL(47, 0));
	put(b, G_CTRL, T0, BIT_ULL(32));
	KUNIT_EXPECT_EQ(test, record(test, b, T0 + 10), 4);
	KUNIT_EXPECT_EQ(test, b->buffer[2], BIT_ULL(32));
	KUNIT_EXPECT_EQ(test, get(test, b, FIXED0, T0 + 10), -70LL & GENMASK_ULL(47, 0));
}

/* 20.3.1.1.2: event 0xcd shows loads that took as long as the threshold. */
static void load_latency(struct kunit *test)
{
	struct bed *b = new_bed(test, 4);
	char lines[] = "5000 10 1\n6000 50 2\n";

	KUNIT_ASSERT_EQ(test, pmu_model_access_script_set(&b->script, lines), 0);
	start(b);
	put(b, LOAD_LATENCY, T0, 30);
	KUNIT_EXPECT_EQ(test, record(test, b, T0 + 50), 25);
	KUNIT_EXPECT_EQ(test, b->buffer[19], 0x5000);
	put(b, EVENTSEL0, T0 + 50, 0x1cd | COUNT_ALL);
	b->state.pending = 1;
	KUNIT_EXPECT_EQ(test, record(test, b, T0 + 50), 25);
	KUNIT_EXPECT_EQ(test, b->buffer[25 + 19], 0x6000);
	b->state.pending = 1;
	KUNIT_EXPECT_EQ(test, record(test, b, T0 + 50), 25);
	KUNIT_EXPECT_EQ(test, b->buffer[50 + 21], 50);
}

static void scripts(struct kunit *test)
{
	static const char * const wrong[] = { "5000", "5000 10", "x 10 1", "5000 x 1", "1 1 y" };
	struct seq_file m = { .buf = kunit_kzalloc(test, 256, GFP_KERNEL), .size = 256 };
	struct bed *b = new_bed(test, 4);
	char line[32];

	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	strscpy(line, "5000 10 1f");
	KUNIT_ASSERT_EQ(test, pmu_model_access_script_set(&b->script, line), 0);
	for (int i = 0; i < ARRAY_SIZE(wrong); i++) {
		strscpy(line, wrong[i]);
		KUNIT_EXPECT_EQ(test, pmu_model_access_script_set(&b->script, line), -EINVAL);
	}
	pmu_model_access_script_show(&b->script, &m);
	KUNIT_EXPECT_STREQ(test, m.buf, "5000 10 1f\n");
}

static struct kunit_case pebs_cases[] = {
	KUNIT_CASE(announced),
	KUNIT_CASE(reserved_bits),
	KUNIT_CASE(layouts),
	KUNIT_CASE(adaptive),
	KUNIT_CASE(threshold),
	KUNIT_CASE(disabled_meanwhile),
	KUNIT_CASE(fixed_counter),
	KUNIT_CASE(load_latency),
	KUNIT_CASE(scripts),
	{}
};

static struct kunit_suite pebs_suite = {
	.name = "x86_pmu_model_pebs",
	.test_cases = pebs_cases,
};

kunit_test_suite(pebs_suite);

MODULE_DESCRIPTION("KUnit tests of the x86 PMU model's PEBS");
MODULE_LICENSE("GPL");
