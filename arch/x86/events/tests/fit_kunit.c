// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "fit", on a CPU that does not exist. */
#include <kunit/test.h>
#include <linux/prandom.h>
#include "../fit.h"
#include "../rules/place.h"

#define NR_EVENTS	6

static const struct x86_model plain_model;

struct set {
	struct x86_core		core;
	struct x86_cpu		cpu;
	struct perf_event	event[NR_EVENTS];
};

/*
 * Three counters; all events may have any of them, until a test says otherwise.
 */
static int fit_init(struct kunit *test)
{
	struct set *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->core.facts.model = &plain_model;
	s->core.facts.counters = X86_GENERAL(3);
	s->cpu.core = &s->core;
	for (i = 0; i < NR_EVENTS; i++) {
		s->event[i].hw.idx = -1;
		s->event[i].hw.config_base = X86_GENERAL(3);
	}
	test->priv = s;
	return 0;
}

/* The counter that is planned for an event, or -1. */
static int planned(const struct set *s, unsigned int event)
{
	unsigned int i;

	for (i = 0; i < s->cpu.nr; i++) {
		if (s->cpu.events[i] == &s->event[event])
			return s->cpu.to[i];
	}
	return -1;
}

/* What the room "run" does with a plan. */
static void carry_out(struct set *s)
{
	unsigned int i;

	for (i = 0; i < s->cpu.nr; i++) {
		s->cpu.at[i] = s->cpu.to[i];
		s->cpu.events[i]->hw.idx = s->cpu.to[i];
	}
}

static void check_plan(struct kunit *test)
{
	const struct set *s = test->priv;
	u64 taken = 0, bits;
	unsigned int i;

	for (i = 0; i < s->cpu.nr; i++) {
		if (s->cpu.to[i] < 0)
			continue;
		bits = x86_event_bits(s->cpu.events[i], s->cpu.to[i]);
		KUNIT_EXPECT_EQ(test, taken & bits, 0);
		KUNIT_EXPECT_NE(test, BIT_ULL(s->cpu.to[i]) &
				x86_event_counters(s->cpu.events[i]), 0);
		taken |= bits;
	}
	KUNIT_EXPECT_EQ(test, s->cpu.planned, taken);
}

static void fit_test_add(struct kunit *test)
{
	struct set *s = test->priv;
	unsigned int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[i]), 0);
	KUNIT_EXPECT_TRUE(test, s->cpu.changed);
	check_plan(test);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[3]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->cpu.nr, 3);
	check_plan(test);
	KUNIT_EXPECT_EQ(test, s->cpu.planned, X86_GENERAL(3));
}

static void fit_test_too_many(struct kunit *test)
{
	struct set *s = test->priv;

	s->cpu.nr = X86_MAX_EVENTS;
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->cpu.nr, X86_MAX_EVENTS);
}

static void fit_test_remembers(struct kunit *test)
{
	struct set *s = test->priv;

	s->event[0].hw.idx = 2;
	s->event[1].hw.idx = 2;
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[0]), 0);
	KUNIT_EXPECT_EQ(test, planned(s, 0), 2);
	carry_out(s);
	/* It is taken; the one that has it keeps it. */
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[1]), 0);
	KUNIT_EXPECT_EQ(test, planned(s, 0), 2);
	KUNIT_EXPECT_NE(test, planned(s, 1), 2);
	/* This PMU does not have what the event remembers of another one. */
	s->event[2].hw.idx = 9;
	s->event[2].hw.config_base |= BIT_ULL(9);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[2]), 0);
	KUNIT_EXPECT_LT(test, planned(s, 2), 3);
	check_plan(test);
}

/* A counter that needs no write, but a fixed one if the event can have it. */
static void fit_test_costless(struct kunit *test)
{
	struct set *s = test->priv;

	s->core.facts.counters |= X86_FIXED(0);
	s->cpu.regs.known = X86_GENERAL(3);
	s->cpu.regs.select[2] = 5;
	s->event[0].hw.config = 5;
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[0]), 0);
	KUNIT_EXPECT_EQ(test, planned(s, 0), 2);
	/* It is taken now. */
	s->event[1].hw.config = 5;
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[1]), 0);
	KUNIT_EXPECT_NE(test, planned(s, 1), 2);
	s->cpu.regs.select[0] = 6;
	s->cpu.regs.select[1] = 6;
	s->event[2].hw.config = 6;
	s->event[2].hw.config_base |= X86_FIXED(0);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[2]), 0);
	KUNIT_EXPECT_EQ(test, planned(s, 2), X86_COUNTER_FIXED);
	check_plan(test);
}

static void fit_test_moves(struct kunit *test)
{
	struct set *s = test->priv;
	int was;

	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[0]), 0);
	carry_out(s);
	was = planned(s, 0);
	s->event[1].hw.config_base = BIT_ULL(was);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[1]), 0);
	KUNIT_EXPECT_EQ(test, planned(s, 1), was);
	KUNIT_EXPECT_NE(test, planned(s, 0), was);
	check_plan(test);
}

static void fit_test_del(struct kunit *test)
{
	struct set *s = test->priv;
	int first, last;

	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[0]), 0);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[1]), 0);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[2]), 0);
	carry_out(s);
	first = planned(s, 0);
	last = planned(s, 2);
	x86_fit_del(&s->cpu, x86_fit_find(&s->cpu, &s->event[1]));
	KUNIT_EXPECT_EQ(test, x86_fit_find(&s->cpu, &s->event[1]), 2);
	KUNIT_EXPECT_EQ(test, s->cpu.nr, 2);
	KUNIT_EXPECT_EQ(test, planned(s, 0), first);
	KUNIT_EXPECT_EQ(test, planned(s, 2), last);
	check_plan(test);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[3]), 0);
	check_plan(test);
}

static void fit_test_transaction(struct kunit *test)
{
	struct set *s = test->priv;
	int was;

	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[0]), 0);
	carry_out(s);
	was = planned(s, 0);
	s->cpu.txn = PERF_PMU_TXN_ADD;
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[1]), 0);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[2]), 0);
	KUNIT_EXPECT_EQ(test, x86_fit_commit(&s->cpu), 0);
	check_plan(test);
	KUNIT_EXPECT_EQ(test, s->cpu.planned, X86_GENERAL(3));
	KUNIT_EXPECT_EQ(test, planned(s, 0), was);
}

static void fit_test_cancel(struct kunit *test)
{
	struct set *s = test->priv;
	unsigned int i;
	int was;

	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[0]), 0);
	carry_out(s);
	was = planned(s, 0);
	s->cpu.txn = PERF_PMU_TXN_ADD;
	/* Event 4 remembers a place, and gets it before the commit. */
	s->event[4].hw.idx = (was + 1) % 3;
	for (i = 1; i < 5; i++)
		KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[i]), 0);
	KUNIT_EXPECT_EQ(test, x86_fit_commit(&s->cpu), -ENOSPC);
	KUNIT_EXPECT_EQ(test, planned(s, 0), was);
	x86_fit_cancel(&s->cpu);
	KUNIT_EXPECT_EQ(test, s->cpu.nr, 1);
	KUNIT_EXPECT_EQ(test, s->cpu.nr_txn, 0);
	check_plan(test);
	KUNIT_EXPECT_EQ(test, s->cpu.planned, BIT_ULL(was));
}

static void fit_test_pair(struct kunit *test)
{
	struct set *s = test->priv;

	s->core.facts.counters = X86_GENERAL(4);
	s->event[0].hw.flags = X86_EVENT_PAIR;
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[0]), 0);
	KUNIT_EXPECT_EQ(test, planned(s, 0) % 2, 0);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[1]), 0);
	KUNIT_EXPECT_EQ(test, hweight64(s->cpu.planned), 3);
	check_plan(test);
	x86_fit_del(&s->cpu, x86_fit_find(&s->cpu, &s->event[0]));
	KUNIT_EXPECT_EQ(test, hweight64(s->cpu.planned), 1);
}

/* Which counters stay taken, and for how long. */
static void fit_test_full(struct kunit *test)
{
	struct set *s = test->priv;
	unsigned int i;

	s->core.facts.counters = X86_GENERAL(4);
	s->event[2].hw.config_base = BIT_ULL(0) | BIT_ULL(3);
	s->event[3].hw.config_base = BIT_ULL(1);
	for (i = 0; i < 2; i++) {
		s->event[i].hw.config_base = X86_GENERAL(2);
		KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[i]), 0);
	}
	KUNIT_EXPECT_EQ(test, s->cpu.full, 0);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[3]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->cpu.full, X86_GENERAL(2));
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[2]), 0);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[3]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->cpu.full, X86_GENERAL(2));
	x86_fit_del(&s->cpu, x86_fit_find(&s->cpu, &s->event[0]));
	KUNIT_EXPECT_EQ(test, s->cpu.full, 0);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[3]), 0);
	check_plan(test);
	/* The owner of counter 0 could move to counter 3: that is not full. */
	x86_fit_del(&s->cpu, x86_fit_find(&s->cpu, &s->event[2]));
	s->event[4].hw.config_base = X86_GENERAL(2);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[4]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->cpu.full, X86_GENERAL(2));
	s->event[5].hw.config_base = BIT_ULL(1) | BIT_ULL(3);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[5]), 0);
	check_plan(test);
}

/* A pair needs two neighbours: that it does not fit says nothing of others. */
static void fit_test_full_pair(struct kunit *test)
{
	struct set *s = test->priv;
	unsigned int i;

	s->core.facts.counters = X86_GENERAL(4);
	for (i = 0; i < 3; i++) {
		s->event[i].hw.config_base = X86_GENERAL(4);
		KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[i]), 0);
	}
	s->event[3].hw.flags = X86_EVENT_PAIR;
	s->event[3].hw.config_base = BIT_ULL(0) | BIT_ULL(2);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[3]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->cpu.full, 0);
	s->event[4].hw.config_base = X86_GENERAL(4);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&s->cpu, &s->event[4]), 0);
	check_plan(test);
}

/* Can an event be added, if nothing is remembered? */
static bool fits(const struct set *s, const struct perf_event *event)
{
	struct x86_seat seats[NR_EVENTS + 1] = { };
	unsigned int i;

	for (i = 0; i < s->cpu.nr; i++) {
		seats[i].counters = x86_event_counters(s->cpu.events[i]);
		seats[i].at = -1;
	}
	seats[i].counters = x86_event_counters(event);
	seats[i].at = -1;
	return !x86_place(seats, i + 1, s->core.facts.counters);
}

/* No event is refused that fits, and none accepted that does not. */
static void fit_test_full_random(struct kunit *test)
{
	struct set *s = test->priv;
	struct perf_event *event;
	struct rnd_state rnd;
	unsigned int i, n, refused = 0;

	prandom_seed_state(&rnd, 1);
	s->core.facts.counters = X86_GENERAL(4);
	for (n = 0; n < 20000; n++) {
		event = &s->event[prandom_u32_state(&rnd) % NR_EVENTS];
		i = x86_fit_find(&s->cpu, event);
		if (i < s->cpu.nr && prandom_u32_state(&rnd) % 4)
			continue;
		if (i < s->cpu.nr) {
			x86_fit_del(&s->cpu, i);
			event->hw.config_base = 1 + prandom_u32_state(&rnd) % 15;
			continue;
		}
		refused += s->cpu.full && !fits(s, event);
		KUNIT_ASSERT_EQ(test, !fits(s, event), !!x86_fit_add(&s->cpu, event));
		carry_out(s);
	}
	KUNIT_EXPECT_GT(test, refused, 100U);
	check_plan(test);
}

static struct kunit_case fit_cases[] = {
	KUNIT_CASE(fit_test_add),
	KUNIT_CASE(fit_test_too_many),
	KUNIT_CASE(fit_test_remembers),
	KUNIT_CASE(fit_test_costless),
	KUNIT_CASE(fit_test_moves),
	KUNIT_CASE(fit_test_del),
	KUNIT_CASE(fit_test_transaction),
	KUNIT_CASE(fit_test_cancel),
	KUNIT_CASE(fit_test_pair),
	KUNIT_CASE(fit_test_full),
	KUNIT_CASE(fit_test_full_pair),
	KUNIT_CASE(fit_test_full_random),
	{}
};

static struct kunit_suite fit_suite = {
	.name		= "x86_fit",
	.init		= fit_init,
	.test_cases	= fit_cases,
};

kunit_test_suite(fit_suite);
