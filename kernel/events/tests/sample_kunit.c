// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms sample and callchain: a sample has as many bytes as its
 * header says, whatever its fields; fields are in their places; nothing exceeds
 * a record; nothing of the kernel is shown to an event that excludes it.
 *
 * The tests run in a kernel thread, which has no user side.
 */

#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/sysctl.h>

#include "../groups.h"
#include "fake_pmu.h"
#include "record_fake.h"

#define TEST_TYPES	((u64)(PERF_SAMPLE_MAX - 1))
#define TEST_RANDOM	20000
#define TEST_BRANCHES	3
#define TEST_SIZE_MAX	65528

/* Data that a driver may pass along. */
struct test_extras {
	struct perf_raw_frag		more;
	struct perf_raw_record		raw;
	struct {
		struct perf_branch_stack	stack;
		struct perf_branch_entry	entries[TEST_BRANCHES];
	} branches;
	u64				counters[TEST_BRANCHES];
	char				payload[61];
};

static unsigned long test_copy(void *to, const void *from, unsigned long offset,
			       unsigned long bytes)
{
	/* As from user memory that is absent at the end. */
	unsigned long rest = bytes % 2;

	memcpy(to, from + offset, bytes - rest);
	return rest;
}

/* A payload in two pieces, one of them copied by its owner. */
static void test_add_raw(struct perf_event *event,
			 struct perf_sample_data *data,
			 struct test_extras *extras, u32 random)
{
	u32 bytes = 1 + random % (sizeof(extras->payload) - 1);

	memset(extras->payload, 0xa5, sizeof(extras->payload));
	extras->more = (struct perf_raw_frag) {
		.copy = test_copy,
		.data = extras->payload + bytes,
		.size = sizeof(extras->payload) - bytes,
	};
	extras->raw = (struct perf_raw_record) {
		.frag = {
			.next = &extras->more,
			.data = extras->payload,
			.size = bytes,
		},
	};
	perf_sample_save_raw_data(data, event, &extras->raw);
}

static void test_add_branches(struct perf_event *event,
			      struct perf_sample_data *data,
			      struct test_extras *extras, u32 random)
{
	extras->branches.stack.nr = random % (TEST_BRANCHES + 1);
	perf_sample_save_brstack(data, event, &extras->branches.stack,
				 random & BIT(6) ? extras->counters : NULL);
}

static bool test_mask(struct record_fake *fake, u64 type, u32 random)
{
	struct perf_event *event = &fake->event;
	struct test_extras extras = { };
	struct perf_sample_data data;
	struct pt_regs regs = { };
	bool exact;

	event->attr.sample_id_all = !!(random & BIT(0));
	event->attr.exclude_kernel = !!(random & BIT(1));
	event->attr.branch_sample_type = random & BIT(2) ?
		PERF_SAMPLE_BRANCH_HW_INDEX : 0;
	event->attr.read_format = (random >> 8) & (PERF_FORMAT_MAX - 1);
	event->read_size = perf_group_read_size(event->attr.read_format, 1);
	fake_layout(fake, type);

	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, random & BIT(3) ? 0x1000 : 0, 1);
	if ((type & PERF_SAMPLE_RAW) && (random & BIT(4)))
		test_add_raw(event, &data, &extras, random);
	if ((type & PERF_SAMPLE_BRANCH_STACK) && (random & BIT(5)))
		test_add_branches(event, &data, &extras, random);

	guard(preempt)();
	event->attr.aux_sample_size = random >> 20;
	if (random & BIT(7))
		fake_trace_begins(fake, (random >> 16) & 0xfff8);
	exact = fake_sample(fake, &data, &regs);
	fake_trace_ends(fake);
	return exact;
}

/* Size in the header and bytes written are equal for all sets of fields. */
static void sample_is_exact(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	u32 random = 1, i, j;

	fake->event.attr.sample_max_stack = PERF_MAX_STACK_DEPTH;
	fake->event.attr.sample_regs_user = 0x1ff;
	fake->event.attr.sample_regs_intr = 0x0f3;
	fake->event.attr.sample_stack_user = 4096;
	KUNIT_ASSERT_EQ(test, get_callchain_buffers(PERF_MAX_STACK_DEPTH), 0);

	for (i = 0; BIT_ULL(i) < PERF_SAMPLE_MAX; i++) {
		for (j = 0; j <= i; j++) {
			u64 type = (BIT_ULL(i) | BIT_ULL(j)) & TEST_TYPES;

			random = next_pseudo_random32(random);
			KUNIT_EXPECT_TRUE_MSG(test,
					      test_mask(fake, type, random),
					      "type %#llx", type);
		}
	}
	for (i = 0; i < TEST_RANDOM; i++) {
		u64 type;

		random = next_pseudo_random32(random);
		type = (random >> 3) & TEST_TYPES;
		random = next_pseudo_random32(random);
		if (!test_mask(fake, type, random)) {
			KUNIT_FAIL(test, "type %#llx random %#x", type, random);
			break;
		}
	}
	put_callchain_buffers();
	KUNIT_EXPECT_GT(test, fake->snapshots, TEST_RANDOM / 10);
}

/* The words of a sample in the order of the ABI. */
static void words_in_order(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_sample_data data;
	struct pt_regs regs = { };
	u32 *halves = (u32 *)fake->record;

	fake->event.attr.sample_id_all = 1;
	fake_layout(fake, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		    PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
		    PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
		    PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC);
	KUNIT_EXPECT_EQ(test, fake->event.layout.fixed, 80);
	KUNIT_EXPECT_EQ(test, fake->event.layout.trailer, 48);
	KUNIT_EXPECT_EQ(test, fake->event.header_size, 32);
	KUNIT_EXPECT_EQ(test, fake->event.id_header_size, 48);

	perf_sample_data_init(&data, 0xadd7, 77);
	data.ip = 0x1b;
	data.sample_flags |= PERF_SAMPLE_IP;
	KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));

	KUNIT_EXPECT_EQ(test, fake->record[1], FAKE_ID);
	KUNIT_EXPECT_EQ(test, fake->record[2], 0x1b);
	KUNIT_EXPECT_EQ(test, halves[6], task_tgid_nr(current));
	KUNIT_EXPECT_EQ(test, halves[7], task_pid_nr(current));
	KUNIT_EXPECT_EQ(test, fake->record[4], FAKE_TIME);
	KUNIT_EXPECT_EQ(test, fake->record[5], 0xadd7);
	KUNIT_EXPECT_EQ(test, fake->record[6], FAKE_ID);
	KUNIT_EXPECT_EQ(test, fake->record[7], FAKE_ID);
	KUNIT_EXPECT_LT(test, halves[16], nr_cpu_ids);
	KUNIT_EXPECT_EQ(test, halves[17], 0);
	KUNIT_EXPECT_EQ(test, fake->record[9], 77);
	KUNIT_EXPECT_EQ(test, fake->record[10], PERF_MEM_NA);
}

/* A copy made by fork shows its parent's id, and its own as stream. */
static void inherited_ids(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event *child;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, child);
	fake_init_event(fake, child, FAKE_ID + 1);
	child->parent = &fake->event;
	child->attr.sample_type = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
	perf_sample_compile(child);

	perf_sample_data_init(&data, 0, 1);
	preempt_disable();
	KUNIT_EXPECT_EQ(test, perf_event_output(child, &data, &regs), 0);
	preempt_enable();
	KUNIT_ASSERT_NOT_NULL(test, fake_take(fake));
	KUNIT_EXPECT_EQ(test, fake->record[1], FAKE_ID);
	KUNIT_EXPECT_EQ(test, fake->record[2], FAKE_ID + 1);
}

/* A stack that is too long loses its outer end; the dump is dropped first. */
static void long_callchain(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_callchain_entry *chain;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	chain = kunit_kzalloc(test, struct_size(chain, ip, 9000), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chain);
	chain->nr = 9000;
	fake->event.attr.sample_stack_user = 65528;
	fake_layout(fake, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER |
		    PERF_SAMPLE_WEIGHT);

	perf_sample_data_init(&data, 0, 1);
	data.callchain = chain;
	data.dyn_size += 9001 * sizeof(u64);
	data.sample_flags |= PERF_SAMPLE_CALLCHAIN;
	KUNIT_EXPECT_TRUE(test, fake_sample(fake, &data, &regs));
	/* Header, length of the stack, no dump, weight. */
	KUNIT_EXPECT_EQ(test, chain->nr, (TEST_SIZE_MAX - 4 * 8) / 8);
	KUNIT_EXPECT_EQ(test, fake->record[1], chain->nr);
}

static void huge_payload(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_raw_record raw = { };
	struct perf_sample_data data;
	struct pt_regs regs = { };
	u32 *halves = (u32 *)fake->record;

	raw.frag.size = 70000;
	raw.frag.data = kunit_kzalloc(test, raw.frag.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, raw.frag.data);
	fake_layout(fake, PERF_SAMPLE_RAW | PERF_SAMPLE_TIME);

	perf_sample_data_init(&data, 0, 1);
	perf_sample_save_raw_data(&data, &fake->event, &raw);
	KUNIT_EXPECT_TRUE(test, fake_sample(fake, &data, &regs));
	KUNIT_EXPECT_EQ(test, fake->record[1], FAKE_TIME);
	KUNIT_EXPECT_EQ(test, halves[4], sizeof(u32));
	KUNIT_EXPECT_EQ(test, halves[5], 0);

	/* Nothing of this one is left for the core to fill in. */
	fake_layout(fake, PERF_SAMPLE_RAW);
	perf_sample_data_init(&data, 0, 1);
	perf_sample_save_raw_data(&data, &fake->event, &raw);
	KUNIT_EXPECT_TRUE(test, fake_sample(fake, &data, &regs));
	KUNIT_EXPECT_EQ(test, halves[2], sizeof(u32));
}

/* Data of a driver besides a stack of @nr addresses. */
static void test_take_long(struct kunit *test, u64 nr, u32 payload)
{
	struct record_fake *fake = test->priv;
	struct test_extras *extras;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	extras = kunit_kzalloc(test, sizeof(*extras), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, extras);
	extras->raw.frag.size = payload;
	extras->raw.frag.data = kunit_kzalloc(test, payload, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, extras->raw.frag.data);
	perf_sample_data_init(&data, 0, 1);
	data.callchain = kunit_kzalloc(test,
				       struct_size(data.callchain, ip, nr),
				       GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, data.callchain);
	data.callchain->nr = nr;
	data.dyn_size += (1 + nr) * sizeof(u64);
	data.sample_flags |= PERF_SAMPLE_CALLCHAIN;
	perf_sample_save_raw_data(&data, &fake->event, &extras->raw);
	extras->branches.stack.nr = TEST_BRANCHES;
	perf_sample_save_brstack(&data, &fake->event, &extras->branches.stack,
				 NULL);
	KUNIT_EXPECT_TRUE(test, fake_sample(fake, &data, &regs));
}

/* The stack is cut to what has to go, and nothing else is, unless it must. */
static void cut_in_order(struct kunit *test)
{
	const u32 payload = 28, branches = 8 + TEST_BRANCHES * 24;
	struct record_fake *fake = test->priv;
	u32 *halves = (u32 *)fake->record;
	u64 left = TEST_SIZE_MAX - 8 - 8 - 32 - branches;

	fake_layout(fake, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
		    PERF_SAMPLE_BRANCH_STACK);
	test_take_long(test, 9000, payload);
	KUNIT_EXPECT_EQ(test, fake->record[0] >> 48, TEST_SIZE_MAX);
	KUNIT_ASSERT_EQ(test, fake->record[1], left / 8);
	KUNIT_EXPECT_EQ(test, halves[2 * (2 + left / 8)], payload);
	KUNIT_EXPECT_EQ(test, fake->record[6 + left / 8], TEST_BRANCHES);

	/* All of the stack goes, then the payload, and the branches stay. */
	test_take_long(test, 100, 70000);
	KUNIT_EXPECT_EQ(test, fake->record[1], 0);
	KUNIT_EXPECT_EQ(test, halves[4], sizeof(u32));
	KUNIT_EXPECT_EQ(test, fake->record[3], TEST_BRANCHES);
}

/* The index is present even without branches, since readers expect it. */
static void no_branches(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	fake->event.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					      PERF_SAMPLE_BRANCH_HW_INDEX;
	fake_layout(fake, PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC);
	perf_sample_data_init(&data, 0, 1);
	KUNIT_EXPECT_TRUE(test, fake_sample(fake, &data, &regs));
	KUNIT_EXPECT_EQ(test, fake->record[1], 0);
	KUNIT_EXPECT_EQ(test, fake->record[2], -1ULL);
	KUNIT_EXPECT_EQ(test, fake->record[3], PERF_MEM_NA);
}

/* An event of user space whose interrupt came late, in the kernel. */
static void excluded_kernel(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	perf_fetch_caller_regs(&regs);
	KUNIT_ASSERT_FALSE(test, user_mode(&regs));
	fake->event.attr.exclude_kernel = 1;
	fake->event.attr.sample_max_stack = PERF_MAX_STACK_DEPTH;
	fake->event.attr.sample_regs_intr = 0x1ff;
	fake_layout(fake, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN |
		    PERF_SAMPLE_REGS_INTR);

	KUNIT_ASSERT_EQ(test, get_callchain_buffers(PERF_MAX_STACK_DEPTH), 0);
	perf_sample_data_init(&data, 0, 1);
	KUNIT_EXPECT_TRUE(test, fake_sample(fake, &data, &regs));
	put_callchain_buffers();

	KUNIT_EXPECT_EQ(test, fake->record[1], 0);
	KUNIT_EXPECT_EQ(test, fake->record[2], 0);
	KUNIT_EXPECT_EQ(test, fake->record[3], PERF_SAMPLE_REGS_ABI_NONE);
}

/* Preparing the same sample again adds nothing. */
static void prepared_twice(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_sample_data data;
	struct pt_regs regs = { };
	u64 size;

	fake->event.attr.sample_regs_intr = 0x1ff;
	fake->event.attr.read_format = PERF_FORMAT_ID;
	fake->event.read_size = 16;
	fake_layout(fake, TEST_TYPES & ~(PERF_SAMPLE_CALLCHAIN |
					 PERF_SAMPLE_REGS_USER));
	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, 1);

	rcu_read_lock();
	preempt_disable();
	perf_prepare_sample(&data, &fake->event, &regs);
	size = data.dyn_size;
	perf_prepare_sample(&data, &fake->event, &regs);
	preempt_enable();
	rcu_read_unlock();

	KUNIT_EXPECT_EQ(test, data.dyn_size, size);
	KUNIT_EXPECT_EQ(test, data.sample_flags & PERF_SAMPLE_READ, 0);
	KUNIT_EXPECT_TRUE(test, fake_sample(fake, &data, &regs));
}

static void test_pmu_read(struct perf_event *event)
{
	local64_inc(&event->count);
}

/* Leader and one sibling; the sibling is on this CPU. */
static struct perf_event *test_make_group(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event *sibling;

	sibling = kunit_kzalloc(test, sizeof(*sibling), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sibling);
	fake_init_event(fake, sibling, FAKE_ID + 1);
	sibling->group_leader = &fake->event;
	list_add_tail(&sibling->sibling_list, &fake->event.sibling_list);
	fake->event.nr_siblings = 1;
	fake->pmu.read = test_pmu_read;

	local64_set(&fake->event.count, 100);
	atomic64_set(&fake->event.child_count, 5);
	atomic64_set(&fake->event.lost_samples, 3);
	local64_set(&sibling->count, 200);
	atomic64_set(&sibling->lost_samples, 4);
	return sibling;
}

/* The counts of ended copies belong to the sum, not to a sample. */
static void read_alone(struct kunit *test)
{
	static const u64 words[] = { 100, 0, 0, FAKE_ID, 3 };
	struct record_fake *fake = test->priv;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	test_make_group(test);
	atomic64_set(&fake->event.child_total_time_enabled, 7);
	atomic64_set(&fake->event.child_total_time_running, 9);
	fake->event.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
		PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
		PERF_FORMAT_LOST;
	fake->event.read_size = sizeof(words);
	fake_layout(fake, PERF_SAMPLE_READ);

	perf_sample_data_init(&data, 0, 1);
	KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));
	fake_expect_words(test, 1, words, ARRAY_SIZE(words));
}

static void read_group(struct kunit *test)
{
	static const u64 words[] = {
		2, 100, FAKE_ID, 3, 200, FAKE_ID + 1, 4,
	};
	struct record_fake *fake = test->priv;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	test_make_group(test);
	fake->event.attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
		PERF_FORMAT_LOST;
	fake->event.read_size = sizeof(words);
	fake_layout(fake, PERF_SAMPLE_READ | PERF_SAMPLE_TIME);

	perf_sample_data_init(&data, 0, 1);
	KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));
	fake_expect_words(test, 2, words, ARRAY_SIZE(words));
}

/* Events of the group on this CPU are read, but not the one that overflowed. */
static void read_active(struct kunit *test)
{
	static const u64 words[] = { 2, 100, 201 };
	struct record_fake *fake = test->priv;
	struct perf_event *sibling = test_make_group(test);
	struct perf_sample_data data;
	struct pt_regs regs = { };

	fake->event.attr.read_format = PERF_FORMAT_GROUP;
	fake->event.attr.inherit = 1;
	fake->event.read_size = sizeof(words);
	fake_layout(fake, PERF_SAMPLE_READ);
	sibling->attr = fake->event.attr;

	perf_sample_data_init(&data, 0, 1);
	migrate_disable();
	fake->event.state = PERF_EVENT_STATE_ACTIVE;
	sibling->state = PERF_EVENT_STATE_ACTIVE;
	fake->event.oncpu = raw_smp_processor_id();
	sibling->oncpu = raw_smp_processor_id();
	KUNIT_EXPECT_TRUE(test, fake_sample(fake, &data, &regs));
	fake->event.state = PERF_EVENT_STATE_OFF;
	sibling->state = PERF_EVENT_STATE_OFF;
	migrate_enable();

	fake_expect_words(test, 1, words, ARRAY_SIZE(words));
}

/* The driver says that the counts are up to date: nothing is read. */
static void read_fresh(struct kunit *test)
{
	static const u64 words[] = { 2, 100, 200 };
	struct record_fake *fake = test->priv;
	struct perf_event *sibling = test_make_group(test);
	struct perf_sample_data data;
	struct pt_regs regs = { };

	fake->event.attr.read_format = PERF_FORMAT_GROUP;
	fake->event.read_size = sizeof(words);
	fake_layout(fake, PERF_SAMPLE_READ);
	perf_sample_data_init(&data, 0, 1);
	data.sample_flags |= PERF_SAMPLE_READ;
	migrate_disable();
	sibling->state = PERF_EVENT_STATE_ACTIVE;
	sibling->oncpu = raw_smp_processor_id();
	KUNIT_EXPECT_TRUE(test, fake_sample(fake, &data, &regs));
	sibling->state = PERF_EVENT_STATE_OFF;
	migrate_enable();
	fake_expect_words(test, 1, words, ARRAY_SIZE(words));
}

/* The same words wherever a page ends in between. */
static void read_at_page_ends(struct kunit *test)
{
	static const u64 words[] = {
		2, 0, 0, 100, FAKE_ID, 3, 200, FAKE_ID + 1, 4, 0x77,
	};
	struct record_fake *fake = test->priv;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	test_make_group(test);
	fake->event.attr.read_format = PERF_FORMAT_MAX - 1;
	fake->event.read_size = sizeof(words) - sizeof(u64);
	fake_layout(fake, PERF_SAMPLE_READ | PERF_SAMPLE_WEIGHT);
	while (fake->rb->user_page->data_head < 12 * PAGE_SIZE) {
		perf_sample_data_init(&data, 0, 1);
		data.weight.full = 0x77;
		data.sample_flags |= PERF_SAMPLE_WEIGHT;
		KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));
		fake_expect_words(test, 1, words, ARRAY_SIZE(words));
	}
}

/* Counts have @size bytes in the header; when written, the event says @now. */
static void test_resized(struct kunit *test, u16 size, u16 now)
{
	struct record_fake *fake = test->priv;
	struct perf_output_handle handle;
	struct perf_event_header header;
	struct perf_sample_data data;
	struct pt_regs regs = { };
	bool exact;

	fake->event.read_size = size;
	perf_sample_data_init(&data, 0, 1);
	data.weight.full = 0x77;
	data.sample_flags |= PERF_SAMPLE_WEIGHT_TYPE;

	preempt_disable();
	perf_prepare_sample(&data, &fake->event, &regs);
	perf_prepare_header(&header, &data, &fake->event, &regs);
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, &fake->event,
						header.size), 0);
	fake->event.read_size = now;
	perf_output_sample(&handle, &header, &data, &fake->event);
	exact = fake_is_exact(fake, &handle);
	perf_output_end(&handle);
	preempt_enable();

	KUNIT_EXPECT_TRUE(test, exact);
	KUNIT_ASSERT_NOT_NULL(test, fake_take(fake));
	KUNIT_EXPECT_EQ(test, header.size, 16 + size);
	KUNIT_EXPECT_EQ(test, fake->record[1 + size / 8], 0x77);
}

/*
 * The group changes after the size of the record was settled, or the sample
 * interrupts the change: its size is not yet, or no longer, that of two events.
 */
static void read_resized(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	u16 size;

	test_make_group(test);
	fake->event.attr.read_format = PERF_FORMAT_GROUP;
	fake_layout(fake, PERF_SAMPLE_READ | PERF_SAMPLE_WEIGHT);

	for (size = 8; size <= 48; size += 8)
		test_resized(test, size, 24);
	for (size = 16; size <= 48; size += 8)
		test_resized(test, size, size);
}

/* The identity of other records: size and order, for all its fields. */
static void identity(struct kunit *test)
{
	static const u64 order[] = {
		PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER,
	};
	struct record_fake *fake = test->priv;
	struct perf_event *event = &fake->event;
	struct perf_output_handle handle;
	struct perf_event_header header;
	struct perf_sample_data data;
	unsigned int set, i, at;
	bool exact;

	event->attr.sample_id_all = 1;
	for (set = 0; set < BIT(ARRAY_SIZE(order)); set++) {
		u64 type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;

		for (i = 0; i < ARRAY_SIZE(order); i++)
			type |= set & BIT(i) ? order[i] : 0;
		fake_layout(fake, type);
		memset(&data, 0xff, sizeof(data));
		perf_event_header__init(&header, &data, PERF_RECORD_LOST, 0,
					sizeof(header), event);
		KUNIT_EXPECT_EQ(test, header.size, 8 + 8 * hweight32(set));
		KUNIT_EXPECT_EQ(test, data.type, type);
		KUNIT_ASSERT_EQ(test, perf_output_begin(&handle, &data, event,
							header.size), 0);
		perf_output_put(&handle, header);
		perf_event__output_id_sample(event, &handle, &data);
		exact = fake_is_exact(fake, &handle);
		perf_output_end(&handle);

		KUNIT_EXPECT_TRUE(test, exact);
		KUNIT_ASSERT_NOT_NULL(test, fake_take(fake));
		for (i = 0, at = 1; i < ARRAY_SIZE(order); i++) {
			u64 word = set & BIT(i) ? fake->record[at++] : 0;

			if (set & BIT(i) && order[i] == PERF_SAMPLE_TIME)
				KUNIT_EXPECT_EQ(test, word, FAKE_TIME);
			if (set & BIT(i) && order[i] == PERF_SAMPLE_IDENTIFIER)
				KUNIT_EXPECT_EQ(test, word, FAKE_ID);
		}
	}
}

/* Every second sample wakes the readers. */
static void samples_wake(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	long before = local_read(&fake->rb->wakeup);
	struct perf_sample_data data;
	struct pt_regs regs = { };

	fake->event.attr.wakeup_events = 2;
	fake_layout(fake, PERF_SAMPLE_TIME);
	for (int i = 1; i <= 6; i++) {
		perf_sample_data_init(&data, 0, 1);
		KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));
		KUNIT_EXPECT_EQ(test, local_read(&fake->rb->wakeup),
				before + i / 2);
	}
}

/* PERF_RECORD_READ: numbers of the task, counts, identity of the task. */
static void read_record(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event *event = &fake->event;
	const struct perf_event_header *header = (const void *)fake->record;
	u32 *halves = (u32 *)fake->record;
	const u64 words[] = { 100, FAKE_ID, 3 };

	test_make_group(test);
	event->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	event->read_size = sizeof(words);
	for (int all = 0; all < 2; all++) {
		event->attr.sample_id_all = all;
		fake_layout(fake, PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_ID);
		perf_sample_read_record(event, current);
		KUNIT_ASSERT_NOT_NULL(test, fake_take(fake));
		KUNIT_EXPECT_EQ(test, header->type, PERF_RECORD_READ);
		KUNIT_EXPECT_EQ(test, header->size, all ? 64 : 40);
		KUNIT_EXPECT_EQ(test, halves[2], task_tgid_nr(current));
		KUNIT_EXPECT_EQ(test, halves[3], task_pid_nr(current));
		fake_expect_words(test, 2, words, ARRAY_SIZE(words));
	}
	KUNIT_EXPECT_EQ(test, fake->record[5], fake->record[1]);
	KUNIT_EXPECT_EQ(test, fake->record[6], FAKE_TIME);
	KUNIT_EXPECT_EQ(test, fake->record[7], FAKE_ID);
}

/* The record of an event in a group shows that event alone. */
static void read_record_of_sibling(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event *event = &fake->event;
	const struct perf_event_header *header = (const void *)fake->record;
	const u64 words[] = { 1, 11, 12, 100, FAKE_ID, 3 };

	test_make_group(test);
	event->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
				  PERF_FORMAT_LOST |
				  PERF_FORMAT_TOTAL_TIME_ENABLED |
				  PERF_FORMAT_TOTAL_TIME_RUNNING;
	event->total_time_enabled = 11;
	event->total_time_running = 12;
	event->state = PERF_EVENT_STATE_OFF;
	fake_layout(fake, 0);
	perf_sample_read_record(event, current);
	KUNIT_ASSERT_NOT_NULL(test, fake_take(fake));
	KUNIT_EXPECT_EQ(test, header->size, 16 + sizeof(words));
	fake_expect_words(test, 2, words, ARRAY_SIZE(words));
	event->state = PERF_EVENT_STATE_ACTIVE;
}

/* One buffer for each level, refused while in use; none without users. */
static void callchain_buffers(struct kunit *test)
{
	struct perf_callchain_entry *entry, *again;
	int rctx, other, err;

	KUNIT_EXPECT_EQ(test,
			get_callchain_buffers(sysctl_perf_event_max_stack + 1),
			-EOVERFLOW);
	err = get_callchain_buffers(sysctl_perf_event_max_stack);
	KUNIT_ASSERT_EQ(test, err, 0);

	preempt_disable();
	entry = get_callchain_entry(&rctx);
	again = get_callchain_entry(&other);
	if (entry)
		put_callchain_entry(rctx);
	if (again)
		put_callchain_entry(other);
	preempt_enable();
	put_callchain_buffers();

	KUNIT_EXPECT_NOT_NULL(test, entry);
	KUNIT_EXPECT_NULL(test, again);
}

static bool callchain_is_there(void)
{
	struct perf_callchain_entry *entry;
	int rctx;

	guard(preempt)();
	entry = get_callchain_entry(&rctx);
	if (entry)
		put_callchain_entry(rctx);
	return entry;
}

/* The buffers go with the last user. */
static void callchain_users(struct kunit *test)
{
	bool before = callchain_is_there();

	KUNIT_ASSERT_EQ(test, get_callchain_buffers(1), 0);
	KUNIT_ASSERT_EQ(test, get_callchain_buffers(1), 0);
	KUNIT_EXPECT_TRUE(test, callchain_is_there());
	put_callchain_buffers();
	KUNIT_EXPECT_TRUE(test, callchain_is_there());
	put_callchain_buffers();
	KUNIT_EXPECT_EQ(test, callchain_is_there(), before);
}

/* The buffer of an interrupt's level, for a thread of the same CPU. */
struct callchain_other {
	struct irq_work			work;
	struct perf_callchain_entry	*entry;
	int				level;
	bool				done;
};

static void callchain_look(struct irq_work *work)
{
	struct callchain_other *other =
		container_of(work, struct callchain_other, work);

	other->entry = get_callchain_entry(&other->level);
	if (other->entry)
		put_callchain_entry(other->level);
	WRITE_ONCE(other->done, true);
}

/* The deepest stack fits into a buffer without a byte of the next one. */
static void callchain_room(struct kunit *test)
{
	struct callchain_other other = {
		.work = IRQ_WORK_INIT_HARD(callchain_look),
	};
	struct perf_callchain_entry *entry;
	size_t size = struct_size(entry, ip, sysctl_perf_event_max_stack +
				  sysctl_perf_event_max_contexts_per_stack);
	int level = 0;

	KUNIT_ASSERT_EQ(test, get_callchain_buffers(1), 0);
	scoped_guard(preempt) {
		entry = get_callchain_entry(&level);
		irq_work_queue(&other.work);
		while (!READ_ONCE(other.done))
			cpu_relax();
		if (entry)
			put_callchain_entry(level);
	}
	irq_work_sync(&other.work);
	put_callchain_buffers();
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_ASSERT_NOT_NULL(test, other.entry);
	KUNIT_ASSERT_GT(test, other.level, level);
	KUNIT_EXPECT_GE(test, (void *)other.entry - (void *)entry,
			(other.level - level) * size);
}

/*
 * The user's part of another task is absent. There is no chain if only that
 * part is requested.
 */
static void callchain_of_others(struct kunit *test)
{
	struct perf_callchain_entry *both, *user, *own;
	struct pt_regs regs = { };

	KUNIT_ASSERT_EQ(test, get_callchain_buffers(10), 0);
	perf_fetch_caller_regs(&regs);
	scoped_guard(preempt) {
		both = get_perf_callchain(&regs, true, true, 10, true, true);
		user = get_perf_callchain(&regs, false, true, 10, true, true);
		own = get_perf_callchain(&regs, false, true, 10, false, true);
	}
	put_callchain_buffers();
	KUNIT_EXPECT_NOT_NULL(test, both);
	KUNIT_EXPECT_NULL(test, user);
	KUNIT_EXPECT_NOT_NULL(test, own);
}

static void callchain_use_buffers(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, get_callchain_buffers(1), 0);
	put_callchain_buffers();
}

static void callchain_is_freed(struct kunit *test)
{
	if (callchain_is_there())
		kunit_skip(test, "somebody else uses the buffers");
	fake_expect_freed(test, callchain_use_buffers, num_possible_cpus() *
			  sysctl_perf_event_max_stack * 4 * sizeof(u64));
}

/* Somebody still walks a stack while the sysctl is written. */
struct callchain_walker {
	struct completion	begun;
	bool			writes;
	int			limit;
	int			seen;
};

static int callchain_walk(void *arg)
{
	struct callchain_walker *walker = arg;
	ktime_t end = ktime_add_ms(ktime_get(), 1000);

	scoped_guard(rcu) {
		complete(&walker->begun);
		while (!READ_ONCE(walker->writes) &&
		       ktime_before(ktime_get(), end))
			cpu_relax();
		mdelay(20);
		walker->seen = READ_ONCE(walker->limit);
	}
	return 0;
}

static int callchain_write_limit(struct callchain_walker *walker)
{
	const struct ctl_table table = {
		.data	= &walker->limit,
		.maxlen	= sizeof(int),
		.mode	= 0644,
		.extra1	= SYSCTL_ZERO,
		.extra2	= SYSCTL_ONE_HUNDRED,
	};
	char text[] = "7\n";
	size_t len = strlen(text);
	loff_t at = 0;

	WRITE_ONCE(walker->writes, true);
	return perf_event_max_stack_handler(&table, 1, text, &len, &at);
}

/* A walk that has begun before the write sees the old limit to its end. */
static void callchain_limit_is_late(struct kunit *test)
{
	struct callchain_walker walker = { .limit = 5 };
	struct task_struct *task;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU only");
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	init_completion(&walker.begun);
	task = kthread_create_on_cpu(callchain_walk, &walker,
				     cpumask_last(cpu_online_mask),
				     "perf_kunit/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&walker.begun);
	KUNIT_EXPECT_EQ(test, callchain_write_limit(&walker), 0);
	kthread_stop_put(task);
	KUNIT_EXPECT_EQ(test, walker.seen, 5);
	KUNIT_EXPECT_EQ(test, walker.limit, 7);
}

/* Marks have room of their own. When that is full nothing more is stored. */
static void callchain_marks(struct kunit *test)
{
	int marks = sysctl_perf_event_max_contexts_per_stack;
	struct perf_callchain_entry_ctx walk = { .max_stack = 2 };
	int nr, err;

	walk.entry = kunit_kzalloc(test, struct_size(walk.entry, ip, marks + 2),
				   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, walk.entry);

	for (nr = 0; nr < marks; nr++) {
		err = perf_callchain_store_context(&walk, PERF_CONTEXT_KERNEL);
		KUNIT_EXPECT_EQ(test, err, 0);
	}
	KUNIT_EXPECT_EQ(test, perf_callchain_store(&walk, 1), 0);
	KUNIT_EXPECT_FALSE(test, walk.contexts_maxed);
	err = perf_callchain_store_context(&walk, PERF_CONTEXT_USER);
	KUNIT_EXPECT_EQ(test, err, -1);
	KUNIT_EXPECT_TRUE(test, walk.contexts_maxed);
	/* There is room, but no mark would show whose address it is. */
	KUNIT_EXPECT_EQ(test, perf_callchain_store(&walk, 2), -1);
	KUNIT_EXPECT_EQ(test, walk.entry->nr, marks + 1);
	KUNIT_EXPECT_EQ(test, walk.entry->ip[marks], 1);
}

static struct kunit_case sample_cases[] = {
	KUNIT_CASE(sample_is_exact),
	KUNIT_CASE(words_in_order),
	KUNIT_CASE(inherited_ids),
	KUNIT_CASE(long_callchain),
	KUNIT_CASE(huge_payload),
	KUNIT_CASE(cut_in_order),
	KUNIT_CASE(no_branches),
	KUNIT_CASE(excluded_kernel),
	KUNIT_CASE(prepared_twice),
	KUNIT_CASE(read_alone),
	KUNIT_CASE(read_group),
	KUNIT_CASE(read_active),
	KUNIT_CASE(read_fresh),
	KUNIT_CASE(read_at_page_ends),
	KUNIT_CASE(read_resized),
	KUNIT_CASE(identity),
	KUNIT_CASE(samples_wake),
	KUNIT_CASE(read_record),
	KUNIT_CASE(read_record_of_sibling),
	KUNIT_CASE(callchain_buffers),
	KUNIT_CASE(callchain_users),
	KUNIT_CASE(callchain_room),
	KUNIT_CASE(callchain_of_others),
	KUNIT_CASE(callchain_is_freed),
	KUNIT_CASE(callchain_limit_is_late),
	KUNIT_CASE(callchain_marks),
	{ }
};

static struct kunit_suite sample_suite = {
	.name		= "perf_sample",
	.init		= fake_init,
	.exit		= fake_exit,
	.test_cases	= sample_cases,
};

kunit_test_suite(sample_suite);

MODULE_DESCRIPTION("KUnit tests of perf's sample records");
MODULE_LICENSE("GPL");
