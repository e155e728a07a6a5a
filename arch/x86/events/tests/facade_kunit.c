// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room facade: assignment of uncore counters, users that exclude
 * each other, and what the macros of perf_event.h make.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/prandom.h>
#include <linux/sysfs.h>

#include "../facade.h"
#include "../perf_event.h"

/* Eight general counters and a fixed one, as uncore units have at most. */
#define COUNTERS	9
#define MAX_EVENTS	10
#define UNTOUCHED	77
#define ROUNDS		20000

/* Events with constraints, and where they may be. */
struct crowd {
	struct event_constraint		all[MAX_EVENTS];
	struct event_constraint		*pointers[MAX_EVENTS];
	int				assign[MAX_EVENTS];
	int				n;
	/* Sets of counters that the events up to some one can occupy. */
	DECLARE_BITMAP(sets, BIT(COUNTERS));
	DECLARE_BITMAP(next, BIT(COUNTERS));
};

static void crowd_add(struct crowd *crowd, u64 counters)
{
	int i = crowd->n++;

	crowd->all[i] = (struct event_constraint)
		__EVENT_CONSTRAINT(0, counters, 0, hweight64(counters), 0, 0);
	crowd->pointers[i] = &crowd->all[i];
}

static int crowd_assign(struct crowd *crowd, bool wanted)
{
	int i;

	for (i = 0; i < MAX_EVENTS; i++)
		crowd->assign[i] = UNTOUCHED;
	return perf_assign_events(crowd->pointers, crowd->n, 0, COUNTERS, crowd->n,
				  wanted ? crowd->assign : NULL);
}

/* Try every way, event by event. */
static bool crowd_fits(struct crowd *crowd)
{
	unsigned long set, counter;
	int i;

	bitmap_zero(crowd->sets, BIT(COUNTERS));
	__set_bit(0, crowd->sets);
	for (i = 0; i < crowd->n; i++) {
		bitmap_zero(crowd->next, BIT(COUNTERS));
		for_each_set_bit(set, crowd->sets, BIT(COUNTERS)) {
			for_each_set_bit(counter, crowd->all[i].idxmsk, COUNTERS) {
				if (!(set & BIT(counter)))
					__set_bit(set | BIT(counter), crowd->next);
			}
		}
		bitmap_copy(crowd->sets, crowd->next, BIT(COUNTERS));
	}
	return !bitmap_empty(crowd->sets, BIT(COUNTERS));
}

static void crowd_check(struct kunit *test, struct crowd *crowd)
{
	bool fits = crowd_fits(crowd);
	unsigned long used = 0;
	int i;

	KUNIT_ASSERT_EQ(test, crowd_assign(crowd, false), fits ? 0 : crowd->n);
	KUNIT_ASSERT_EQ(test, crowd_assign(crowd, true), fits ? 0 : crowd->n);
	for (i = 0; i < MAX_EVENTS; i++) {
		int at = crowd->assign[i];

		if (!fits || i >= crowd->n) {
			KUNIT_ASSERT_EQ(test, at, UNTOUCHED);
			continue;
		}
		KUNIT_ASSERT_TRUE(test, at >= 0 && at < COUNTERS);
		KUNIT_ASSERT_TRUE(test, test_bit(at, crowd->all[i].idxmsk));
		KUNIT_ASSERT_FALSE(test, used & BIT(at));
		used |= BIT(at);
	}
}

static struct crowd *crowd_make(struct kunit *test)
{
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	return crowd;
}

static void assign_random(struct kunit *test)
{
	struct crowd *crowd = crowd_make(test);
	unsigned int round, fits = 0;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 25);
	for (round = 0; round < ROUNDS; round++) {
		int n = prandom_u32_state(&rnd) % (MAX_EVENTS + 1);
		bool few = prandom_u32_state(&rnd) & 1;

		crowd->n = 0;
		while (crowd->n < n) {
			u32 counters = prandom_u32_state(&rnd);

			if (few)
				counters &= prandom_u32_state(&rnd);
			crowd_add(crowd, counters % BIT(COUNTERS));
		}
		crowd_check(test, crowd);
		fits += crowd_fits(crowd);
	}
	/* Both answers are common. */
	KUNIT_EXPECT_GT(test, fits, ROUNDS / 5);
	KUNIT_EXPECT_LT(test, fits, ROUNDS * 4 / 5);
}

/* Masks that lead an assignment without second thoughts into a dead end. */
static void assign_overlapping(struct kunit *test)
{
	static const u64 masks[] = { 0x7, 0x9, 0x38, 0x5, 0x30, 0x3 };
	struct crowd *crowd = crowd_make(test);
	unsigned int first, i;

	for (first = 0; first < ARRAY_SIZE(masks); first++) {
		crowd->n = 0;
		for (i = 0; i < ARRAY_SIZE(masks); i++)
			crowd_add(crowd, masks[(first + i) % ARRAY_SIZE(masks)]);
		KUNIT_ASSERT_TRUE(test, crowd_fits(crowd));
		crowd_check(test, crowd);
	}
}

static void assign_limits(struct kunit *test)
{
	struct event_constraint anywhere = EVENT_CONSTRAINT(0, -1ULL, 0);
	struct event_constraint last = EVENT_CONSTRAINT(0, BIT_ULL(63), 0);
	struct event_constraint *pointers[17] = { };
	int assign[17] = { };
	unsigned int i;

	KUNIT_EXPECT_EQ(test, perf_assign_events(pointers, 0, 0, 0, 0, assign), 0);
	for (i = 0; i < ARRAY_SIZE(pointers); i++)
		pointers[i] = &anywhere;
	pointers[15] = &last;
	KUNIT_EXPECT_EQ(test, perf_assign_events(pointers, 17, 64, 64, 17, assign), 17);
	KUNIT_EXPECT_EQ(test, perf_assign_events(pointers, 16, 1, 64, 16, assign), 0);
	KUNIT_EXPECT_EQ(test, assign[15], 63);
}

static void constraints(struct kunit *test)
{
	static struct event_constraint table[] = {
		EVENT_CONSTRAINT(0x2a, 0x3, 0xff),
		EVENT_CONSTRAINT(0x12b, 0, 0xfff),
		EVENT_CONSTRAINT_END,
		EVENT_CONSTRAINT(0x2c, 0x3, 0xff),
	};
	struct event_constraint *each;
	unsigned int n = 0;

	for_each_event_constraint(each, table)
		n++;
	KUNIT_EXPECT_EQ(test, n, 2);
	KUNIT_EXPECT_EQ(test, table[0].weight, 2);
	KUNIT_EXPECT_EQ(test, table[0].idxmsk64, 3);
	KUNIT_EXPECT_EQ(test, table[0].idxmsk[0], 3);
	KUNIT_EXPECT_EQ(test, table[1].weight, 0);
	KUNIT_EXPECT_TRUE(test, constraint_match(&table[0], 0xff2a));
	KUNIT_EXPECT_FALSE(test, constraint_match(&table[0], 0x2b));
	KUNIT_EXPECT_FALSE(test, constraint_match(&table[0], 0x29));
	KUNIT_EXPECT_TRUE(test, constraint_match(&table[1], 0x412b));
	KUNIT_EXPECT_FALSE(test, constraint_match(&table[1], 0x22b));
}

#define EXTRA_REG_FACADE_TEST	5

static void extra_regs(struct kunit *test)
{
	static const struct extra_reg table[] = {
		EVENT_EXTRA_REG(0x12, 0xc00, 0xff, 0xf0f0, FACADE_TEST),
		EVENT_EXTRA_END,
	};

	KUNIT_EXPECT_EQ(test, table[0].event, 0x12);
	KUNIT_EXPECT_EQ(test, table[0].msr, 0xc00);
	KUNIT_EXPECT_EQ(test, table[0].config_mask, 0xff);
	KUNIT_EXPECT_EQ(test, table[0].valid_mask, 0xf0f0);
	KUNIT_EXPECT_EQ(test, table[0].idx, 5);
	KUNIT_EXPECT_EQ(test, table[1].msr, 0);
	KUNIT_EXPECT_EQ(test, EXTRA_REG_NONE, -1);
}

static void selector(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, X86_CONFIG(.event = 0xd1, .umask = 0x08), 0x08d1);
	KUNIT_EXPECT_EQ(test, X86_CONFIG(.umask = 0xff), 0xff00);
}

EVENT_ATTR_STR(facade, facade_test, "event=0x2a");

static void event_files(struct kunit *test)
{
	struct device_attribute *attr = &event_attr_facade_test.attr;
	const struct attribute *file = EVENT_PTR(facade_test);
	char *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_STREQ(test, file->name, "facade");
	KUNIT_EXPECT_EQ(test, file->mode, 0444);
	KUNIT_EXPECT_EQ(test, attr->show(NULL, attr, page), 11);
	KUNIT_EXPECT_STREQ(test, page, "event=0x2a\n");
}

/* Every kind against every set of kinds in use. */
static void exclusive_rules(struct kunit *test)
{
	const unsigned int pt = BIT(x86_lbr_exclusive_pt);
	unsigned int what, set, i;

	for (set = 0; set < BIT(x86_lbr_exclusive_max); set++) {
		unsigned int nr_users[x86_lbr_exclusive_max];

		for (i = 0; i < x86_lbr_exclusive_max; i++)
			nr_users[i] = set & BIT(i) ? i + 1 : 0;
		for (what = 0; what < x86_lbr_exclusive_max; what++) {
			unsigned int others = set & ~BIT(what);

			KUNIT_EXPECT_EQ(test, x86_facade_excluded(what, nr_users, false),
					others != 0);
			KUNIT_EXPECT_EQ(test, x86_facade_excluded(what, nr_users, true),
					BIT(what) != pt && (others & ~pt));
		}
	}
}

static void exclusive_users(struct kunit *test)
{
	const unsigned int lbr = x86_lbr_exclusive_lbr, bts = x86_lbr_exclusive_bts;

	KUNIT_EXPECT_EQ(test, x86_add_exclusive(x86_lbr_exclusive_max), -EINVAL);
	KUNIT_EXPECT_EQ(test, x86_add_exclusive(-1), -EINVAL);
	if (x86_add_exclusive(lbr))
		kunit_skip(test, "branch records are in use");
	KUNIT_EXPECT_EQ(test, x86_add_exclusive(lbr), 0);
	KUNIT_EXPECT_EQ(test, x86_add_exclusive(bts), -EBUSY);
	x86_del_exclusive(lbr);
	KUNIT_EXPECT_EQ(test, x86_add_exclusive(bts), -EBUSY);
	x86_del_exclusive(lbr);
	KUNIT_ASSERT_EQ(test, x86_add_exclusive(bts), 0);
	KUNIT_EXPECT_EQ(test, x86_add_exclusive(lbr), -EBUSY);
	x86_del_exclusive(bts);
	KUNIT_ASSERT_EQ(test, x86_add_exclusive(lbr), 0);
	x86_del_exclusive(lbr);
}

/* Xen may call it before there is a PMU. */
static void xen_handler(struct kunit *test)
{
	KUNIT_EXPECT_NOT_NULL(test, x86_pmu.handle_irq);
}

static struct kunit_case facade_cases[] = {
	KUNIT_CASE(assign_random),
	KUNIT_CASE(assign_overlapping),
	KUNIT_CASE(assign_limits),
	KUNIT_CASE(constraints),
	KUNIT_CASE(extra_regs),
	KUNIT_CASE(selector),
	KUNIT_CASE(event_files),
	KUNIT_CASE(exclusive_rules),
	KUNIT_CASE(exclusive_users),
	KUNIT_CASE(xen_handler),
	{ }
};

static struct kunit_suite facade_suite = {
	.name		= "x86_facade",
	.test_cases	= facade_cases,
};

kunit_test_suite(facade_suite);

MODULE_DESCRIPTION("KUnit tests of what x86 PMU drivers share with others");
MODULE_LICENSE("GPL");
