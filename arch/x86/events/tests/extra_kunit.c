// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of room "extra": events that share the registers of offcore
 * responses, on a core that does not exist.
 */
#include <kunit/test.h>
#include <linux/spinlock.h>
#include "../extra.h"

#define CODE_0		0x01b7
#define CODE_1		0x02b7
#define OTHER		0x01cd

/* The second register has fewer bits, as on Silvermont. */
#define VALID_0		0xffULL
#define VALID_1		0x7fULL
#define ONLY_0		0x80ULL

#define MODES		(X86_SEL_USR | X86_SEL_INT)

static const struct x86_extra_rule extra_rows[] = {
	{ .code = CODE_0, .reg = X86_EXTRA_RSP_0, .msr = 0x1a6, .valid = VALID_0 },
	{ .code = CODE_1, .reg = X86_EXTRA_RSP_1, .msr = 0x1a7, .valid = VALID_1 },
	{ .code = OTHER, .reg = X86_EXTRA_LDLAT, .msr = 0x3f6, .valid = VALID_0 },
};

static const struct x86_extra_list extra_list = {
	.rows = extra_rows, .nr = ARRAY_SIZE(extra_rows),
};

/* Each of the two codes has counters of its own. */
static const struct x86_rule rule_rows[] = {
	{ .first = CODE_0, .last = CODE_0, .mask = X86_SEL_CODE, .counters = 0x1 },
	{ .first = CODE_1, .last = CODE_1, .mask = X86_SEL_CODE, .counters = 0x6 },
};

static const struct x86_rule_list rule_list = {
	.rows = rule_rows, .nr = ARRAY_SIZE(rule_rows),
};

static const struct x86_model model = { .extra = &extra_list, .rules = &rule_list };

struct set {
	struct x86_core		core;
	struct x86_extra_set	shared;
	struct perf_event	event[4];
};

static int extra_init(struct kunit *test)
{
	struct set *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	raw_spin_lock_init(&s->shared.lock);
	s->core.facts.model = &model;
	s->core.facts.counters = X86_GENERAL(4);
	test->priv = s;
	return 0;
}

/* As the room "config" opens an event. */
static struct perf_event *open_event(struct set *s, unsigned int i, u16 code, u64 value)
{
	const struct x86_extra_rule *row = x86_match_extra(&model, code);
	struct perf_event *event = &s->event[i];

	event->pmu = &s->core.pmu;
	event->hw.config = code | MODES;
	event->hw.config_base = x86_match_counters(&s->core.facts, code | MODES);
	event->hw.extra_reg.reg = row->msr;
	event->hw.extra_reg.idx = row->reg;
	event->hw.extra_reg.alloc = row->reg;
	event->hw.extra_reg.config = value;
	return event;
}

static void expect_code(struct kunit *test, const struct perf_event *event, unsigned int row)
{
	const struct hw_perf_event *hw = &event->hw;

	KUNIT_EXPECT_EQ(test, hw->config, (u64)extra_rows[row].code | MODES);
	KUNIT_EXPECT_EQ(test, hw->extra_reg.idx, (int)extra_rows[row].reg);
	KUNIT_EXPECT_EQ(test, hw->extra_reg.reg, extra_rows[row].msr);
	KUNIT_EXPECT_EQ(test, hw->config_base, row < 2 ? rule_rows[row].counters : 0xf);
}

/* Two values have a register each; a third one waits. */
static void extra_test_two_values(struct kunit *test)
{
	struct set *s = test->priv;
	struct perf_event *a = open_event(s, 0, CODE_0, 1);
	struct perf_event *b = open_event(s, 1, CODE_0, 2);
	struct perf_event *c = open_event(s, 2, CODE_0, 3);

	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, a), 0);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, b), 0);
	expect_code(test, a, 0);
	expect_code(test, b, 1);
	KUNIT_EXPECT_EQ(test, s->shared.regs[X86_EXTRA_RSP_0].value, 1);
	KUNIT_EXPECT_EQ(test, s->shared.regs[X86_EXTRA_RSP_1].value, 2);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, c), -EBUSY);
	expect_code(test, c, 0);
	x86_extra_put(&s->shared, a);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, c), 0);
	expect_code(test, c, 0);
	x86_extra_put(&s->shared, b);
	x86_extra_put(&s->shared, c);
	KUNIT_EXPECT_EQ(test, s->shared.regs[X86_EXTRA_RSP_0].users, 0);
	KUNIT_EXPECT_EQ(test, s->shared.regs[X86_EXTRA_RSP_1].users, 0);
}

/* Events with one value use one register, whatever their codes. */
static void extra_test_one_value(struct kunit *test)
{
	struct set *s = test->priv;
	struct perf_event *a = open_event(s, 0, CODE_0, 1);
	struct perf_event *b = open_event(s, 1, CODE_1, 1);
	struct perf_event *c = open_event(s, 2, CODE_0, 2);

	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, a), 0);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, b), 0);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, c), 0);
	expect_code(test, b, 0);
	expect_code(test, c, 1);
	KUNIT_EXPECT_EQ(test, s->shared.regs[X86_EXTRA_RSP_0].users, 2);
}

/* A value that only one register can have finds it free the next time. */
static void extra_test_goes_home(struct kunit *test)
{
	struct set *s = test->priv;
	struct perf_event *a = open_event(s, 0, CODE_1, 1);
	struct perf_event *b = open_event(s, 1, CODE_0, ONLY_0);
	struct perf_event *c = open_event(s, 2, CODE_1, 3);

	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, c), 0);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, a), 0);
	expect_code(test, a, 0);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, b), -EBUSY);
	x86_extra_put(&s->shared, a);
	x86_extra_put(&s->shared, c);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, a), 0);
	expect_code(test, a, 1);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, b), 0);
	expect_code(test, b, 0);
}

/* A value that the second register cannot have, or the hypervisor lacks it. */
static void extra_test_no_other(struct kunit *test)
{
	struct set *s = test->priv;
	struct perf_event *a = open_event(s, 0, CODE_0, 1);
	struct perf_event *b = open_event(s, 1, CODE_0, ONLY_0);
	struct perf_event *c = open_event(s, 2, CODE_0, 2);

	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, a), 0);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, b), -EBUSY);
	s->core.absent_extra = BIT(X86_EXTRA_RSP_1);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, c), -EBUSY);
	s->core.absent_extra = 0;
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, c), 0);
}

/* A register without a second one, and values that are known already. */
static void extra_test_single(struct kunit *test)
{
	struct set *s = test->priv;
	struct perf_event *a = open_event(s, 0, OTHER, 1);
	struct perf_event *b = open_event(s, 1, OTHER, 2);
	struct x86_extra *reg = &s->shared.regs[X86_EXTRA_LDLAT];

	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, a), 0);
	expect_code(test, a, 2);
	reg->known = true;
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, b), -EBUSY);
	KUNIT_EXPECT_TRUE(test, reg->known);
	x86_extra_put(&s->shared, a);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, a), 0);
	KUNIT_EXPECT_TRUE(test, reg->known);
	x86_extra_put(&s->shared, a);
	KUNIT_EXPECT_EQ(test, x86_extra_get(&s->shared, b), 0);
	KUNIT_EXPECT_FALSE(test, reg->known);
}

static struct kunit_case extra_cases[] = {
	KUNIT_CASE(extra_test_two_values),
	KUNIT_CASE(extra_test_one_value),
	KUNIT_CASE(extra_test_goes_home),
	KUNIT_CASE(extra_test_no_other),
	KUNIT_CASE(extra_test_single),
	{}
};

static struct kunit_suite extra_suite = {
	.name		= "x86_extra",
	.init		= extra_init,
	.test_cases	= extra_cases,
};

kunit_test_suite(extra_suite);
