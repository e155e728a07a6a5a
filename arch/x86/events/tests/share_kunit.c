// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "share": two threads of a core that does not exist. */
#include <kunit/test.h>
#include <linux/prandom.h>
#include "../fit.h"
#include "../share.h"

#define NR_EVENTS	6
#define NR_GENERAL	4
#define COUNTERS	(X86_GENERAL(NR_GENERAL) | X86_FIXED(0))

static const struct x86_model plain_model;

struct pair {
	struct x86_core		core;
	struct x86_share	share;
	struct x86_cpu		cpu[2];
	struct perf_event	event[2][NR_EVENTS];
};

/* Event 0 of each thread must be alone; event 5 could have a fixed counter. */
static int share_init(struct kunit *test)
{
	struct pair *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	unsigned int t, i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	test->priv = p;
	p->core.facts.model = &plain_model;
	p->core.facts.counters = COUNTERS;
	raw_spin_lock_init(&p->share.lock);
	p->share.nr_threads = 2;
	for (t = 0; t < 2; t++) {
		p->cpu[t].core = &p->core;
		p->cpu[t].share = &p->share;
		p->cpu[t].thread = t;
		for (i = 0; i < NR_EVENTS; i++) {
			p->event[t][i].hw.idx = -1;
			p->event[t][i].hw.config_base = X86_GENERAL(NR_GENERAL);
		}
		p->event[t][0].hw.flags = X86_EVENT_ALONE;
		p->event[t][5].hw.config_base |= X86_FIXED(0);
	}
	return 0;
}

static int add(struct pair *p, unsigned int thread, unsigned int i)
{
	int err;

	local_irq_disable();
	err = x86_fit_add(&p->cpu[thread], &p->event[thread][i]);
	local_irq_enable();
	return err;
}

static void del(struct pair *p, unsigned int thread, unsigned int i)
{
	local_irq_disable();
	x86_fit_del(&p->cpu[thread], x86_fit_find(&p->cpu[thread], &p->event[thread][i]));
	local_irq_enable();
}

/* The counters planned for event @i of a thread, as a mask. */
static u64 counters_of(const struct pair *p, unsigned int thread, unsigned int i)
{
	const struct x86_cpu *cpu = &p->cpu[thread];
	unsigned int at = x86_fit_find(cpu, &p->event[thread][i]);

	return at < cpu->nr && cpu->to[at] >= 0 ? BIT_ULL(cpu->to[at]) : 0;
}

static u64 planned(const struct pair *p, unsigned int thread)
{
	return p->cpu[thread].planned & X86_GENERAL(NR_GENERAL);
}

/* What the share says is what is planned, and nothing corrupts anything. */
static void check(struct kunit *test)
{
	const struct pair *p = test->priv;
	unsigned int t;

	for (t = 0; t < 2; t++) {
		KUNIT_ASSERT_EQ(test, p->share.thread[t].used, planned(p, t));
		KUNIT_ASSERT_EQ(test, p->share.thread[t].alone, counters_of(p, t, 0));
		KUNIT_ASSERT_EQ(test, p->share.thread[t].alone & planned(p, !t), 0);
	}
}

static void share_test_keeps_off(struct kunit *test)
{
	struct pair *p = test->priv;

	KUNIT_EXPECT_EQ(test, add(p, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, add(p, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, add(p, 1, 2), 0);
	check(test);
	/* One that can only have that counter waits. */
	del(p, 1, 2);
	p->event[1][2].hw.config_base = counters_of(p, 0, 0);
	KUNIT_EXPECT_EQ(test, add(p, 1, 2), -ENOSPC);
	check(test);
	del(p, 0, 0);
	KUNIT_EXPECT_EQ(test, add(p, 1, 2), 0);
	check(test);
}

static void share_test_stays_off(struct kunit *test)
{
	struct pair *p = test->priv;
	u64 busy;

	KUNIT_EXPECT_EQ(test, add(p, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, add(p, 1, 2), 0);
	busy = planned(p, 1);
	p->event[0][0].hw.config_base = busy;
	KUNIT_EXPECT_EQ(test, add(p, 0, 0), -ENOSPC);
	check(test);
	/* Events that corrupt nothing may have the same counters. */
	p->event[0][1].hw.config_base = busy;
	KUNIT_EXPECT_EQ(test, add(p, 0, 1), 0);
	p->event[0][0].hw.config_base = X86_GENERAL(NR_GENERAL);
	KUNIT_EXPECT_EQ(test, add(p, 0, 0), 0);
	check(test);
}

static void share_test_both_alone(struct kunit *test)
{
	struct pair *p = test->priv;

	p->event[0][0].hw.config_base = BIT_ULL(2);
	p->event[1][0].hw.config_base = BIT_ULL(2);
	KUNIT_EXPECT_EQ(test, add(p, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, add(p, 1, 0), -ENOSPC);
	p->event[1][0].hw.config_base |= BIT_ULL(1);
	KUNIT_EXPECT_EQ(test, add(p, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, planned(p, 1), BIT_ULL(1));
	check(test);
}

static void share_test_half(struct kunit *test)
{
	struct pair *p = test->priv;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, add(p, 0, 0), 0);
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_EQ(test, add(p, 1, i), i < 3 ? 0 : -ENOSPC);
	/* Fixed counters are not affected. */
	KUNIT_EXPECT_EQ(test, add(p, 1, 5), 0);
	KUNIT_EXPECT_EQ(test, counters_of(p, 1, 5), X86_FIXED(0));
	KUNIT_EXPECT_EQ(test, add(p, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, add(p, 0, 2), -ENOSPC);
	check(test);
	del(p, 0, 0);
	KUNIT_EXPECT_EQ(test, add(p, 1, 3), 0);
	KUNIT_EXPECT_EQ(test, add(p, 1, 4), 0);
	check(test);
	/* Now all are in use; the event that must be alone waits. */
	KUNIT_EXPECT_EQ(test, add(p, 0, 0), -ENOSPC);
}

/* The other thread is offline. */
static void share_test_one_thread(struct kunit *test)
{
	struct pair *p = test->priv;
	unsigned int i;

	p->share.nr_threads = 1;
	for (i = 0; i < NR_GENERAL; i++)
		KUNIT_EXPECT_EQ(test, add(p, 0, i), 0);
	check(test);
}

/* A remembered place may be one that the other thread has taken. */
static void share_test_remembered(struct kunit *test)
{
	struct pair *p = test->priv;
	u64 at;

	KUNIT_EXPECT_EQ(test, add(p, 0, 0), 0);
	at = counters_of(p, 0, 0);
	p->event[1][1].hw.idx = __ffs64(at);
	KUNIT_EXPECT_EQ(test, add(p, 1, 1), 0);
	KUNIT_EXPECT_NE(test, counters_of(p, 1, 1), at);
	check(test);
	/* Another one is free, and kept. */
	p->event[1][2].hw.idx = __ffs64(~(at | planned(p, 1)));
	KUNIT_EXPECT_EQ(test, add(p, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, counters_of(p, 1, 2), BIT_ULL(p->event[1][2].hw.idx));
	p->event[1][3].hw.idx = __ffs64(~(at | planned(p, 1)));
	KUNIT_EXPECT_EQ(test, add(p, 1, 3), -ENOSPC);
	check(test);
}

static void share_test_cancel(struct kunit *test)
{
	struct pair *p = test->priv;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, add(p, 0, 0), 0);
	p->cpu[1].txn = PERF_PMU_TXN_ADD;
	p->event[1][1].hw.idx = __ffs64(~counters_of(p, 0, 0));
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_EQ(test, add(p, 1, i), 0);
	local_irq_disable();
	KUNIT_EXPECT_EQ(test, x86_fit_commit(&p->cpu[1]), -ENOSPC);
	x86_fit_cancel(&p->cpu[1]);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, planned(p, 1), 0);
	check(test);
}

static bool holds(const struct pair *p, unsigned int thread, unsigned int counter)
{
	u64 value, owner;

	return x86_regs_held(&p->cpu[thread].regs, counter, &value, &owner);
}

static void share_test_values(struct kunit *test)
{
	struct pair *p = test->priv;

	p->event[0][0].hw.config_base = BIT_ULL(1);
	p->event[1][1].hw.config_base = BIT_ULL(1);
	x86_regs_hold(&p->cpu[1].regs, 1, 5, 7);
	x86_regs_hold(&p->cpu[1].regs, 2, 5, 7);
	KUNIT_EXPECT_EQ(test, add(p, 1, 1), 0);
	KUNIT_EXPECT_TRUE(test, holds(p, 1, 1));
	del(p, 1, 1);
	KUNIT_EXPECT_EQ(test, add(p, 0, 0), 0);
	del(p, 0, 0);
	KUNIT_EXPECT_EQ(test, add(p, 1, 1), 0);
	KUNIT_EXPECT_FALSE(test, holds(p, 1, 1));
	KUNIT_EXPECT_TRUE(test, holds(p, 1, 2));
	/* Only once, and not for the thread of the event itself. */
	del(p, 1, 1);
	x86_regs_hold(&p->cpu[1].regs, 1, 6, 7);
	KUNIT_EXPECT_EQ(test, add(p, 1, 1), 0);
	KUNIT_EXPECT_TRUE(test, holds(p, 1, 1));
	KUNIT_EXPECT_EQ(test, p->share.thread[0].spoilt, 0);
}

/* A thread gets no more than its half while its own or the other one's is alone. */
static void share_test_random(struct kunit *test)
{
	struct pair *p = test->priv;
	bool in[2][NR_EVENTS] = { };
	struct rnd_state rnd;
	unsigned int t, i, n;

	prandom_seed_state(&rnd, 3);
	for (n = 0; n < 20000; n++) {
		t = prandom_u32_state(&rnd) % 2;
		i = prandom_u32_state(&rnd) % (NR_EVENTS - 1);
		p->event[t][i].hw.idx = (int)(prandom_u32_state(&rnd) % 5) - 1;
		if (in[t][i])
			del(p, t, i);
		in[t][i] = !in[t][i] && !add(p, t, i);
		check(test);
		if (in[t][i] && (in[0][0] || in[1][0]))
			KUNIT_ASSERT_LE(test, hweight64(planned(p, t)), NR_GENERAL / 2);
	}
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE(share_test_keeps_off),
	KUNIT_CASE(share_test_stays_off),
	KUNIT_CASE(share_test_both_alone),
	KUNIT_CASE(share_test_half),
	KUNIT_CASE(share_test_one_thread),
	KUNIT_CASE(share_test_remembered),
	KUNIT_CASE(share_test_cancel),
	KUNIT_CASE(share_test_values),
	KUNIT_CASE(share_test_random),
	{}
};

static struct kunit_suite share_suite = {
	.name		= "x86_share",
	.init		= share_init,
	.test_cases	= share_cases,
};

kunit_test_suite(share_suite);
