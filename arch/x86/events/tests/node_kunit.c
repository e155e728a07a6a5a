// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "node": cores of a node that does not exist. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include "../fit.h"
#include "../node.h"

#define NR_CORES	3
#define NR_EVENTS	6
#define NR_GENERAL	4

static const struct x86_model plain_model;

struct bridge {
	struct x86_core		core;
	struct x86_node		node;
	struct x86_cpu		cpu[NR_CORES];
	struct perf_event	event[NR_CORES][NR_EVENTS];
};

/* Events 0 to 3 are the node's. */
static int node_init(struct kunit *test)
{
	struct bridge *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	unsigned int c, i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	test->priv = b;
	b->core.facts.model = &plain_model;
	b->core.facts.counters = X86_GENERAL(NR_GENERAL);
	for (c = 0; c < NR_CORES; c++) {
		b->cpu[c].core = &b->core;
		b->cpu[c].node = &b->node;
		for (i = 0; i < NR_EVENTS; i++) {
			b->event[c][i].hw.idx = -1;
			b->event[c][i].hw.config_base = X86_GENERAL(NR_GENERAL);
			b->event[c][i].hw.flags = i < 4 ? X86_EVENT_NODE : 0;
		}
	}
	return 0;
}

static int add(struct bridge *b, unsigned int core, unsigned int i)
{
	return x86_fit_add(&b->cpu[core], &b->event[core][i]);
}

static void del(struct bridge *b, unsigned int core, unsigned int i)
{
	x86_fit_del(&b->cpu[core], x86_fit_find(&b->cpu[core], &b->event[core][i]));
}

/* The counters planned for the node's events of a core. */
static u64 node_counters(const struct bridge *b, unsigned int core)
{
	const struct x86_cpu *cpu = &b->cpu[core];
	u64 counters = 0;
	unsigned int i;

	for (i = 0; i < cpu->nr; i++) {
		if (cpu->events[i]->hw.flags & X86_EVENT_NODE && cpu->to[i] >= 0)
			counters |= BIT_ULL(cpu->to[i]);
	}
	return counters;
}

static void check(struct kunit *test)
{
	struct bridge *b = test->priv;
	u64 taken = 0;
	unsigned int c;

	for (c = 0; c < NR_CORES; c++) {
		KUNIT_ASSERT_EQ(test, b->cpu[c].node_own, node_counters(b, c));
		KUNIT_ASSERT_EQ(test, taken & b->cpu[c].node_own, 0);
		taken |= b->cpu[c].node_own;
	}
	KUNIT_ASSERT_EQ(test, atomic64_read(&b->node.taken), taken);
}

static void node_test_one_owner(struct kunit *test)
{
	struct bridge *b = test->priv;

	KUNIT_EXPECT_EQ(test, add(b, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, add(b, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, add(b, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, add(b, 2, 0), 0);
	check(test);
	/* All four are taken; the cores' own events do not care. */
	KUNIT_EXPECT_EQ(test, add(b, 1, 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, add(b, 1, 4), 0);
	KUNIT_EXPECT_EQ(test, add(b, 1, 5), 0);
	check(test);
	del(b, 0, 1);
	KUNIT_EXPECT_EQ(test, add(b, 1, 1), 0);
	check(test);
}

/* An event of the core moves away from the only counter left in the node. */
static void node_test_moves(struct kunit *test)
{
	struct bridge *b = test->priv;
	unsigned int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, add(b, 0, i), 0);
	b->event[1][4].hw.idx = __ffs64(~node_counters(b, 0));
	KUNIT_EXPECT_EQ(test, add(b, 1, 4), 0);
	KUNIT_EXPECT_EQ(test, b->cpu[1].to[0], b->event[1][4].hw.idx);
	KUNIT_EXPECT_EQ(test, add(b, 1, 0), 0);
	KUNIT_EXPECT_NE(test, b->cpu[1].to[0], b->event[1][4].hw.idx);
	check(test);
}

static void node_test_remembered(struct kunit *test)
{
	struct bridge *b = test->priv;

	b->event[0][0].hw.idx = 2;
	b->event[1][0].hw.idx = 2;
	KUNIT_EXPECT_EQ(test, add(b, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, node_counters(b, 0), BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, add(b, 1, 0), 0);
	KUNIT_EXPECT_NE(test, node_counters(b, 1), BIT_ULL(2));
	check(test);
	b->event[2][4].hw.idx = 2;
	KUNIT_EXPECT_EQ(test, add(b, 2, 4), 0);
	KUNIT_EXPECT_EQ(test, b->cpu[2].to[0], 2);
	check(test);
}

static void node_test_cancel(struct kunit *test)
{
	struct bridge *b = test->priv;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, add(b, 0, 0), 0);
	b->cpu[1].txn = PERF_PMU_TXN_ADD;
	b->event[1][0].hw.idx = __ffs64(~node_counters(b, 0));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, add(b, 1, i), 0);
	KUNIT_EXPECT_EQ(test, x86_fit_commit(&b->cpu[1]), -ENOSPC);
	x86_fit_cancel(&b->cpu[1]);
	KUNIT_EXPECT_EQ(test, b->cpu[1].node_own, 0);
	check(test);
}

/* A CPU that is in no node. */
static void node_test_none(struct kunit *test)
{
	struct bridge *b = test->priv;
	unsigned int i;

	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, add(b, 0, i), 0);
	b->cpu[1].node = NULL;
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, add(b, 1, i), 0);
	KUNIT_EXPECT_EQ(test, b->cpu[1].node_own, 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->node.taken), X86_GENERAL(NR_GENERAL));
}

/* Add and remove random events of a core. */
static void storm(struct bridge *b, unsigned int core, u64 seed, unsigned int steps)
{
	bool in[NR_EVENTS] = { };
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, seed);
	while (steps--) {
		i = prandom_u32_state(&rnd) % NR_EVENTS;
		b->event[core][i].hw.idx = (int)(prandom_u32_state(&rnd) % 5) - 1;
		if (in[i])
			del(b, core, i);
		in[i] = !in[i] && !add(b, core, i);
	}
	for (i = 0; i < NR_EVENTS; i++) {
		if (in[i])
			del(b, core, i);
	}
}

struct walker {
	struct bridge		*bridge;
	unsigned int		core;
	struct completion	done;
};

static int walk(void *data)
{
	struct walker *w = data;

	storm(w->bridge, w->core, w->core + 1, 20000);
	complete(&w->done);
	return 0;
}

/* Cores at the same time: nothing is lost, and nothing is left. */
static void node_test_storm(struct kunit *test)
{
	struct bridge *b = test->priv;
	struct walker walker[NR_CORES];
	struct task_struct *task;
	unsigned int c;

	for (c = 1; c < NR_CORES; c++) {
		walker[c].bridge = b;
		walker[c].core = c;
		init_completion(&walker[c].done);
		task = kthread_run(walk, &walker[c], "node_kunit/%u", c);
		if (IS_ERR(task))
			complete(&walker[c].done);
	}
	storm(b, 0, 9, 20000);
	for (c = 1; c < NR_CORES; c++)
		wait_for_completion(&walker[c].done);
	check(test);
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->node.taken), 0);
}

static struct kunit_case node_cases[] = {
	KUNIT_CASE(node_test_one_owner),
	KUNIT_CASE(node_test_moves),
	KUNIT_CASE(node_test_remembered),
	KUNIT_CASE(node_test_cancel),
	KUNIT_CASE(node_test_none),
	KUNIT_CASE(node_test_storm),
	{}
};

static struct kunit_suite node_suite = {
	.name		= "x86_node",
	.init		= node_init,
	.test_cases	= node_cases,
};

kunit_test_suite(node_suite);
