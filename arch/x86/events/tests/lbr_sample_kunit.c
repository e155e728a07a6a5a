// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the rooms "intel/lbr_sample" and "intel/lbr_event": which
 * samples have counts with their branches, and in which order. The recorder is
 * a struct, and the events are on no CPU.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/irqflags.h>
#include "../branch.h"
#include "../intel/lbr.h"
#include "../intel/lbr_arch.h"
#include "../intel/lbr_event.h"
#include "../intel/lbr_sample.h"

#define NR_EVENTS	4
#define ALL_BRANCHES	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | \
			 PERF_SAMPLE_BRANCH_KERNEL)
#define COUNTS		PERF_SAMPLE_BRANCH_COUNTERS

/* Counts of the counters 0 to 3 in a branch, and in a sample. */
#define IN_ORDER(a, b, c, d)	((u64)(a) | (b) << 2 | (c) << 4 | (d) << 6)

struct world {
	struct x86_cpu		cpu;
	struct perf_event	event[NR_EVENTS];
	u64			counts;
	struct perf_sample_data	data;
	struct intel_lbr	lbr_before;
};

static u64 fake_read(u32 address)
{
	struct world *w = kunit_get_current_test()->priv;

	if (address - intel_lbr.info < intel_lbr.depth)
		return FIELD_PREP(INTEL_LBR_COUNTERS, w->counts);
	return 0x401000;
}

/* Event 0 leads the others, records branches, and has overflowed. */
static void form_group(struct world *w)
{
	struct perf_event *leader = &w->event[0];
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++) {
		w->event[i].group_leader = leader;
		w->event[i].state = PERF_EVENT_STATE_ACTIVE;
		w->event[i].hw.idx = i;
		w->cpu.on[i] = &w->event[i];
		if (i)
			list_add_tail(&w->event[i].sibling_list, &leader->sibling_list);
	}
	leader->attr.branch_sample_type = ALL_BRANCHES;
	leader->hw.flags = X86_EVENT_BRANCHES;
	leader->hw.branch_reg.reg = x86_branch_filter_wanted(ALL_BRANCHES);
	w->cpu.running = X86_GENERAL(NR_EVENTS);
}

static void leave_group(struct perf_event *event)
{
	list_del_init(&event->sibling_list);
	event->group_leader = event;
}

static int lbr_sample_init(struct kunit *test)
{
	const struct intel_lbr_leaf leaf = { .eax = 0x0f, .ebx = 7, .ecx = 7 | 0xf << 16 };
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	for (i = 0; i < NR_EVENTS; i++)
		INIT_LIST_HEAD(&w->event[i].sibling_list);
	form_group(w);
	test->priv = w;
	w->lbr_before = intel_lbr;
	intel_lbr_arch_describe(&intel_lbr, &leaf);
	kunit_activate_static_stub(test, intel_lbr_read_register, fake_read);
	return 0;
}

/* No event of the machine records branches while the tests run at boot. */
static void lbr_sample_exit(struct kunit *test)
{
	struct world *w = test->priv;

	if (w)
		intel_lbr = w->lbr_before;
}

/* The sample of the leader, which has overflowed. */
static const u64 *sample_counts(struct world *w)
{
	guard(irqsave)();
	perf_sample_data_init(&w->data, 0, 0);
	intel_lbr_sample_read(&w->cpu, BIT_ULL(w->event[0].hw.idx));
	intel_lbr_sample_save(&w->event[0], &w->data);
	return w->data.br_stack_cntr;
}

/* Counts are in the order of the group; that of an event that is off is 0. */
static void order(struct kunit *test)
{
	struct world *w = test->priv;
	const u64 *counts;
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++)
		w->event[i].hw.flags |= X86_EVENT_PER_BRANCH;
	w->counts = IN_ORDER(1, 3, 2, 1);
	swap(w->cpu.on[0], w->cpu.on[2]);
	w->event[0].hw.idx = 2;
	w->event[2].hw.idx = 0;
	counts = sample_counts(w);
	KUNIT_ASSERT_NOT_NULL(test, counts);
	KUNIT_EXPECT_EQ(test, w->data.br_stack->nr, INTEL_LBR_DEPTH);
	KUNIT_EXPECT_EQ(test, counts[0], IN_ORDER(2, 3, 1, 1));
	/* The counter that it had is another event's, or none. */
	w->event[1].state = PERF_EVENT_STATE_OFF;
	KUNIT_EXPECT_EQ(test, sample_counts(w)[0], IN_ORDER(2, 0, 1, 1));
	w->event[1].hw.idx = -1;
	KUNIT_EXPECT_EQ(test, sample_counts(w)[0], IN_ORDER(2, 0, 1, 1));
	w->event[2].hw.flags = 0;
	KUNIT_EXPECT_EQ(test, sample_counts(w)[0], IN_ORDER(2, 0, 1, 0));
}

/* Samples without counts until there is an event that gives them. */
static void closed(struct kunit *test)
{
	struct world *w = test->priv;
	const u64 *counts;

	w->counts = IN_ORDER(1, 3, 2, 1);
	KUNIT_EXPECT_NULL(test, sample_counts(w));
	w->event[3].hw.flags = X86_EVENT_PER_BRANCH;
	counts = sample_counts(w);
	KUNIT_ASSERT_NOT_NULL(test, counts);
	KUNIT_EXPECT_EQ(test, counts[0], 1);
	/* Its samples look as before, though nothing gives counts any more. */
	leave_group(&w->event[3]);
	counts = sample_counts(w);
	KUNIT_ASSERT_NOT_NULL(test, counts);
	KUNIT_EXPECT_EQ(test, counts[0], 0);
	KUNIT_EXPECT_EQ(test, counts[INTEL_LBR_DEPTH - 1], 0);
}

/* An open, which may still fail, changes nothing of the leader. */
static void opened(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *event = &w->event[3];
	struct hw_perf_event before = w->event[0].hw;
	bool records = true;

	leave_group(event);
	event->group_leader = &w->event[0];
	event->attr.branch_sample_type = COUNTS;
	guard(irqsave)();
	KUNIT_EXPECT_EQ(test, intel_lbr_event_count(event, &records), 0);
	KUNIT_EXPECT_FALSE(test, records);
	KUNIT_EXPECT_TRUE(test, event->hw.flags & X86_EVENT_PER_BRANCH);
	KUNIT_EXPECT_EQ(test, memcmp(&before, &w->event[0].hw, sizeof(before)), 0);
	KUNIT_EXPECT_NULL(test, sample_counts(w));
}

static struct kunit_case lbr_sample_cases[] = {
	KUNIT_CASE(order),
	KUNIT_CASE(closed),
	KUNIT_CASE(opened),
	{}
};

static struct kunit_suite lbr_sample_suite = {
	.name		= "x86_lbr_sample",
	.init		= lbr_sample_init,
	.exit		= lbr_sample_exit,
	.test_cases	= lbr_sample_cases,
};

kunit_test_suite(lbr_sample_suite);
