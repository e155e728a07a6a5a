// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: tests of the constraints of events
 *
 * The table and the PMU are the test's own. The list of misplaced events is one
 * of the kernel's, so the case "constraints" of the lab tests it.
 */
#include <kunit/test.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../pmu_model.h"

#define T0		1000
#define EVENTSEL0	0x186
#define PERFCTR0	0xc1
#define G_CTRL		0x38f
#define AMD_CTL0	0xc0010200
#define AMD_CTR0	0xc0010201
#define COUNT_ALL	(PMU_SEL_EN | PMU_SEL_OS | PMU_SEL_USR)
#define TEXT_SIZE	(64 * 1024)

struct bed {
	struct pmu_model_constraints table;
	struct pmu_model model;
	struct pmu_model_state state;
};

static struct bed *new_bed(struct kunit *test, enum pmu_model_vendor vendor)
{
	struct bed *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->model.version = 4;
	b->model.gp = 4;
	b->model.fixed = 3;
	b->model.width = 48;
	b->model.variant = PMU_MODEL_AMD_CORE;
	b->model.constraints = &b->table;
	pmu_model_setup(&b->model, vendor);
	pmu_model_state_reset(&b->model, &b->state);
	return b;
}

static int set(struct bed *b, const char *text)
{
	char line[64];

	strscpy(line, text);
	return pmu_model_constraints_set(&b->table, line);
}

static u32 lookup(struct bed *b, u32 code, u32 umask, enum pmu_model_core core)
{
	return pmu_model_constraint(&b->table, code, umask, core);
}

static void unknown_events_count_anywhere(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL);

	KUNIT_EXPECT_EQ(test, lookup(b, 0xa3, 5, PMU_CORE_ANY), U32_MAX);
	KUNIT_ASSERT_EQ(test, set(b, "a3 5 4"), 0);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xa3, 5, PMU_CORE_ANY), 4);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xa3, 6, PMU_CORE_ANY), U32_MAX);
	KUNIT_EXPECT_EQ(test, lookup(b, 0x1a3, 5, PMU_CORE_ANY), U32_MAX);
	KUNIT_EXPECT_EQ(test, lookup(b, 5, 0xa3, PMU_CORE_ANY), U32_MAX);
}

/*
 * The unit mask comes before any unit mask, the kind of core before any core.
 */
static void nearest_constraint_wins(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL);

	KUNIT_ASSERT_EQ(test, set(b, "c0 * f"), 0);
	KUNIT_ASSERT_EQ(test, set(b, "c0 * 3 atom"), 0);
	KUNIT_ASSERT_EQ(test, set(b, "c0 1 2"), 0);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xc0, 0, PMU_CORE_BIG), 0xf);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xc0, 0, PMU_CORE_ATOM), 3);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xc0, 1, PMU_CORE_ATOM), 2);
	KUNIT_ASSERT_EQ(test, set(b, "c0 1 1 atom"), 0);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xc0, 1, PMU_CORE_ATOM), 1);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xc0, 1, PMU_CORE_BIG), 2);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xc0, 1, PMU_CORE_ANY), 2);
	KUNIT_ASSERT_EQ(test, set(b, "c0 1 8 core"), 0);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xc0, 1, PMU_CORE_BIG), 8);
}

static void bad_lines_are_refused(struct kunit *test)
{
	static const char * const wrong[] = {
		"a3", "a3 5", "a3 5 x", "x 5 4", "a3 x 4", "* 5 4", "a3 5 4 both",
		"a3 5 4 core 1", "a3 5 -4", "a3,5,4",
	};
	static const char * const large[] = { "1000 5 4", "a3 10000 4", "a3 5 10000" };
	struct bed *b = new_bed(test, PMU_MODEL_INTEL);

	for (int i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_EQ_MSG(test, set(b, wrong[i]), -EINVAL, "%s", wrong[i]);
	for (int i = 0; i < ARRAY_SIZE(large); i++)
		KUNIT_EXPECT_EQ_MSG(test, set(b, large[i]), -ERANGE, "%s", large[i]);
	KUNIT_EXPECT_EQ(test, b->table.used, 0);
	KUNIT_EXPECT_EQ(test, set(b, "0xfff  0xffff\tffff"), 0);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xfff, 0xffff, PMU_CORE_ANY), 0xffff);
}

/* All constraints are found in a full table, and one more is refused. */
static void full_table(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL);
	char line[64];
	u32 i;

	for (i = 0; i < PMU_MODEL_MAX_CONSTRAINTS; i++) {
		snprintf(line, sizeof(line), "%x %x %x", i >> 2, i & 3, i & 0xff);
		KUNIT_ASSERT_EQ(test, set(b, line), 0);
	}
	KUNIT_EXPECT_EQ(test, set(b, "fff 0 1"), -ENOSPC);
	KUNIT_EXPECT_EQ(test, set(b, "5 1 1ff"), 0);
	KUNIT_EXPECT_EQ(test, lookup(b, 5, 1, PMU_CORE_ANY), 0x1ff);
	KUNIT_EXPECT_EQ(test, lookup(b, 0xfff, 0, PMU_CORE_ANY), U32_MAX);
	for (i = 0; i < PMU_MODEL_MAX_CONSTRAINTS; i++)
		if (i != 0x15)
			KUNIT_EXPECT_EQ(test, lookup(b, i >> 2, i & 3, PMU_CORE_ANY),
					i & 0xff);
	KUNIT_EXPECT_EQ(test, set(b, "clear"), 0);
	KUNIT_EXPECT_EQ(test, b->table.used, 0);
	KUNIT_EXPECT_EQ(test, lookup(b, 5, 1, PMU_CORE_ANY), U32_MAX);
}

static void prints_what_can_be_written(struct kunit *test)
{
	static const char * const lines[] = {
		"a3 5 4\n", "c0 * ff\n", "fff ffff ffff core\n", "c0 * 3 atom\n", "1 0 0\n",
	};
	struct seq_file m = {
		.buf = kunit_kzalloc(test, TEXT_SIZE, GFP_KERNEL),
		.size = TEXT_SIZE,
	};
	struct bed *b = new_bed(test, PMU_MODEL_INTEL);
	size_t len = 0;

	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	for (int i = 0; i < ARRAY_SIZE(lines); i++) {
		char line[64];

		strscpy(line, lines[i]);
		KUNIT_ASSERT_EQ(test, pmu_model_constraints_set(&b->table, strim(line)), 0);
		len += strlen(lines[i]);
	}
	pmu_model_constraints_show(&b->table, &m);
	m.buf[m.count] = 0;
	for (int i = 0; i < ARRAY_SIZE(lines); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(m.buf, lines[i]), "%s", m.buf);
	KUNIT_EXPECT_EQ(test, m.count, len);
}

static void put(struct kunit *test, struct bed *b, u32 msr, u64 now, u64 val)
{
	unsigned int slot = pmu_model_slot(&b->model, msr);

	KUNIT_ASSERT_NE(test, slot, 0);
	KUNIT_EXPECT_EQ(test, pmu_model_reg_write(&b->model, &b->state,
						  &b->model.regs[slot], now, val), 0);
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

static void wrong_counter_counts_nothing(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL);

	KUNIT_ASSERT_EQ(test, set(b, "c0 0 4"), 0);
	put(test, b, EVENTSEL0 + 1, T0, 0xc0 | COUNT_ALL);
	put(test, b, EVENTSEL0 + 2, T0, 0xc0 | COUNT_ALL);
	put(test, b, EVENTSEL0 + 3, T0, 0xc0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0 + 1, T0 + 100), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0 + 2, T0 + 100), 100);
	KUNIT_EXPECT_TRUE(test, pmu_model_state_misplaced(&b->model, &b->state, 1));
	KUNIT_EXPECT_FALSE(test, pmu_model_state_misplaced(&b->model, &b->state, 2));
	KUNIT_EXPECT_FALSE(test, pmu_model_state_misplaced(&b->model, &b->state, 3));

	b->model.constraints = NULL;
	KUNIT_EXPECT_FALSE(test, pmu_model_state_misplaced(&b->model, &b->state, 1));
	pmu_model_state_reload_rates(&b->model, &b->state, T0 + 100);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0 + 1, T0 + 150), 50);
}

/* The kernel adds the counts of RDPMC of programs itself. */
static void user_rdpmc_obeys(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL);

	KUNIT_ASSERT_EQ(test, set(b, "df 1 2"), 0);
	put(test, b, EVENTSEL0, T0, PMU_MODEL_USER_RDPMC | COUNT_ALL);
	put(test, b, EVENTSEL0 + 1, T0, PMU_MODEL_USER_RDPMC | COUNT_ALL);
	pmu_model_state_count_rdpmc(&b->model, &b->state, T0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0 + 1, T0), 1);
}

static void cores_differ(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_INTEL);

	KUNIT_ASSERT_EQ(test, set(b, "c0 * 2 atom"), 0);
	put(test, b, EVENTSEL0, T0, 0xc0 | COUNT_ALL);
	b->state.core = PMU_CORE_BIG;
	KUNIT_EXPECT_FALSE(test, pmu_model_state_misplaced(&b->model, &b->state, 0));
	b->state.core = PMU_CORE_ATOM;
	KUNIT_EXPECT_TRUE(test, pmu_model_state_misplaced(&b->model, &b->state, 0));
}

/* APM 13.2.1: bits 35-32 of the select register are part of the event code. */
static void amd_codes_have_twelve_bits(struct kunit *test)
{
	struct bed *b = new_bed(test, PMU_MODEL_AMD);

	KUNIT_ASSERT_EQ(test, set(b, "1c0 * 2"), 0);
	put(test, b, AMD_CTL0, T0, 1ULL << 32 | 0xc0 | COUNT_ALL);
	KUNIT_EXPECT_TRUE(test, pmu_model_state_misplaced(&b->model, &b->state, 0));
	put(test, b, AMD_CTL0, T0, 0xc0 | COUNT_ALL);
	KUNIT_EXPECT_FALSE(test, pmu_model_state_misplaced(&b->model, &b->state, 0));
	KUNIT_EXPECT_EQ(test, get(test, b, AMD_CTR0, T0 + 10), 10);
}

static struct kunit_case constraints_cases[] = {
	KUNIT_CASE(unknown_events_count_anywhere),
	KUNIT_CASE(nearest_constraint_wins),
	KUNIT_CASE(bad_lines_are_refused),
	KUNIT_CASE(full_table),
	KUNIT_CASE(prints_what_can_be_written),
	KUNIT_CASE(wrong_counter_counts_nothing),
	KUNIT_CASE(user_rdpmc_obeys),
	KUNIT_CASE(cores_differ),
	KUNIT_CASE(amd_codes_have_twelve_bits),
	{}
};

static struct kunit_suite constraints_suite = {
	.name = "x86_pmu_model_constraints",
	.test_cases = constraints_cases,
};

kunit_test_suite(constraints_suite);

MODULE_DESCRIPTION("KUnit tests of the x86 PMU model's constraints");
MODULE_LICENSE("GPL");
