// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room sample: fields that only drivers fill. Each word and each
 * byte differs from all others, so that a swap of two is seen.
 */

#include <linux/perf_event.h>
#include <linux/string.h>

#include "record_fake.h"

#define DRIVER_BRANCHES	3
#define DRIVER_INDEX	0x1dULL
/* Addresses, bits and counters of branches. */
#define DRIVER_FROM	0xf0f0f00000000000ULL
#define DRIVER_TO	0x0f0f0f0000000000ULL
#define DRIVER_COUNTER	0xc0c0c00000000000ULL
/* More branches than a record has room for. */
#define DRIVER_TOO_MANY	3000

#define DRIVER_PAYLOAD	29

struct driver_branches {
	struct perf_branch_stack	stack;
	struct perf_branch_entry	entries[DRIVER_BRANCHES];
};

/* Fields behind the leading words that have one word each. */
static void driver_words(struct kunit *test)
{
	static const u64 words[] = {
		0xadd7, 77, 0x11111111, 0x22222222, 0x33333333, 0x44444444,
		0x55555555, 0x66666666, 0x77777777,
	};
	struct record_fake *fake = test->priv;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	fake_layout(fake, PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD |
		    PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
		    PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |
		    PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
		    PERF_SAMPLE_CODE_PAGE_SIZE);
	perf_sample_data_init(&data, words[0], words[1]);
	data.weight.full = words[2];
	data.data_src.val = words[3];
	data.txn = words[4];
	data.phys_addr = words[5];
	data.cgroup = words[6];
	data.data_page_size = words[7];
	data.code_page_size = words[8];
	data.sample_flags |= fake->event.attr.sample_type;

	KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));
	KUNIT_EXPECT_EQ(test, fake->record[0] >> 48, 80);
	fake_expect_words(test, 1, words, ARRAY_SIZE(words));
}

/*
 * A field that the driver does not fill has the word for that: 0 or
 * PERF_MEM_NA.
 */
static void driver_words_absent(struct kunit *test)
{
	static const u64 words[] = { 0, PERF_MEM_NA, 0 };
	struct record_fake *fake = test->priv;
	u64 weights[] = { PERF_SAMPLE_WEIGHT, PERF_SAMPLE_WEIGHT_STRUCT };
	struct perf_sample_data data;
	struct pt_regs regs = { };

	for (int i = 0; i < ARRAY_SIZE(weights); i++) {
		fake_layout(fake, weights[i] | PERF_SAMPLE_DATA_SRC |
			    PERF_SAMPLE_TRANSACTION);
		/* Garbage, as an earlier sample may have left it. */
		memset(&data, 0xee, sizeof(data));
		perf_sample_data_init(&data, 0, 1);
		KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));
		fake_expect_words(test, 1, words, ARRAY_SIZE(words));
	}
}

/* Three weights share one word. */
static void driver_weights(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	union perf_sample_weight *weight = (void *)&fake->record[1];
	struct perf_sample_data data;
	struct pt_regs regs = { };

	fake_layout(fake, PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC);
	perf_sample_data_init(&data, 0, 1);
	data.weight.var1_dw = 0x11112222;
	data.weight.var2_w = 0x3333;
	data.weight.var3_w = 0x4444;
	data.sample_flags |= PERF_SAMPLE_WEIGHT_STRUCT;

	KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));
	KUNIT_EXPECT_EQ(test, weight->full, 0x4444333311112222ULL);
	KUNIT_EXPECT_EQ(test, weight->var1_dw, 0x11112222);
	KUNIT_EXPECT_EQ(test, weight->var2_w, 0x3333);
	KUNIT_EXPECT_EQ(test, weight->var3_w, 0x4444);
	KUNIT_EXPECT_EQ(test, fake->record[2], PERF_MEM_NA);
}

static void driver_make_branches(struct driver_branches *branches,
				 u64 *counters)
{
	unsigned int i;

	branches->stack.nr = DRIVER_BRANCHES;
	branches->stack.hw_idx = DRIVER_INDEX;
	for (i = 0; i < DRIVER_BRANCHES; i++) {
		branches->entries[i] = (struct perf_branch_entry) {
			.from = DRIVER_FROM + i,
			.to = DRIVER_TO + i,
			.mispred = i == 0,
			.predicted = i == 1,
			.cycles = 100 + i,
			.type = PERF_BR_CALL + i,
		};
		counters[i] = DRIVER_COUNTER + i;
	}
}

/* The number, the index if asked for, the branches, their counters. */
static unsigned int driver_branch_words(struct kunit *test, bool index,
					bool counted, u64 *words)
{
	struct driver_branches branches;
	u64 counters[DRIVER_BRANCHES];
	unsigned int nr = 0, i;

	driver_make_branches(&branches, counters);
	words[nr++] = DRIVER_BRANCHES;
	if (index)
		words[nr++] = DRIVER_INDEX;
	for (i = 0; i < DRIVER_BRANCHES; i++) {
		words[nr++] = DRIVER_FROM + i;
		words[nr++] = DRIVER_TO + i;
		memcpy(&words[nr++], (u64 *)&branches.entries[i] + 2,
		       sizeof(u64));
	}
	for (i = 0; counted && i < DRIVER_BRANCHES; i++)
		words[nr++] = DRIVER_COUNTER + i;
	/* The field that follows. */
	words[nr++] = 0x77;
	return nr;
}

static void driver_branch_case(struct kunit *test, bool index, bool counted)
{
	struct record_fake *fake = test->priv;
	u64 words[3 + 4 * DRIVER_BRANCHES];
	u64 counters[DRIVER_BRANCHES];
	struct driver_branches branches;
	struct perf_sample_data data;
	/* All zero, and too large for the stack of some architectures. */
	static struct pt_regs regs;
	unsigned int nr;

	driver_make_branches(&branches, counters);
	fake->event.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
		(index ? PERF_SAMPLE_BRANCH_HW_INDEX : 0) |
		(counted ? PERF_SAMPLE_BRANCH_COUNTERS : 0);
	fake_layout(fake, PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT);

	perf_sample_data_init(&data, 0, 1);
	perf_sample_save_brstack(&data, &fake->event, &branches.stack,
				 counted ? counters : NULL);
	data.weight.full = 0x77;
	data.sample_flags |= PERF_SAMPLE_WEIGHT;

	KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));
	nr = driver_branch_words(test, index, counted, words);
	KUNIT_EXPECT_EQ(test, fake->record[0] >> 48, (1 + nr) * sizeof(u64));
	fake_expect_words(test, 1, words, nr);
}

static void driver_branch_stack(struct kunit *test)
{
	for (int i = 0; i < 4; i++)
		driver_branch_case(test, i & 1, i & 2);
}

/* Too many branches are dropped as a whole, with their counters. */
static void driver_too_many_branches(struct kunit *test)
{
	static const u64 words[] = { 0, -1ULL, 0x77 };
	struct record_fake *fake = test->priv;
	struct perf_branch_stack *stack;
	struct perf_sample_data data;
	struct pt_regs regs = { };
	u64 *counters;

	stack = kunit_kzalloc(test, struct_size(stack, entries,
						DRIVER_TOO_MANY), GFP_KERNEL);
	counters = kunit_kcalloc(test, DRIVER_TOO_MANY, sizeof(*counters),
				 GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, stack);
	KUNIT_ASSERT_NOT_NULL(test, counters);
	stack->nr = DRIVER_TOO_MANY;
	fake->event.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					      PERF_SAMPLE_BRANCH_HW_INDEX;
	fake_layout(fake, PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT);

	perf_sample_data_init(&data, 0, 1);
	perf_sample_save_brstack(&data, &fake->event, stack, counters);
	data.weight.full = 0x77;
	data.sample_flags |= PERF_SAMPLE_WEIGHT;
	KUNIT_ASSERT_TRUE(test, fake_sample(fake, &data, &regs));
	KUNIT_EXPECT_EQ(test, fake->record[0] >> 48, 32);
	fake_expect_words(test, 1, words, ARRAY_SIZE(words));
}

/* What a reader sees while the payload of a sample is copied. */
static struct {
	const struct perf_event_mmap_page	*page;
	u64					head;
	bool					published;
} driver_sees;

static unsigned long driver_copy(void *to, const void *from,
				 unsigned long offset, unsigned long bytes)
{
	if (driver_sees.page->data_head != driver_sees.head)
		driver_sees.published = true;
	memcpy(to, from + offset, bytes);
	return 0;
}

/* A payload of which the driver copies @by_itself bytes, the core the others. */
static bool driver_payload_arrives(struct record_fake *fake, const u8 *payload,
				   u32 by_itself)
{
	const u8 *at = (const u8 *)&fake->record[1] + sizeof(u32);
	struct perf_raw_frag rest = {
		.copy = driver_copy,
		.data = (void *)(payload + DRIVER_PAYLOAD - by_itself),
		.size = by_itself,
	};
	struct perf_raw_record raw = {
		.frag = {
			.next = by_itself ? &rest : NULL,
			.data = (void *)payload,
			.size = DRIVER_PAYLOAD - by_itself,
		},
	};
	struct perf_sample_data data;
	struct pt_regs regs = { };
	u32 size;

	perf_sample_data_init(&data, 0, 1);
	perf_sample_save_raw_data(&data, &fake->event, &raw);
	driver_sees.page = fake->rb->user_page;
	driver_sees.head = driver_sees.page->data_head;
	if (!fake_sample(fake, &data, &regs))
		return false;
	memcpy(&size, &fake->record[1], sizeof(size));
	return size == round_up(DRIVER_PAYLOAD + 4, 8) - 4 &&
	       !memcmp(at, payload, DRIVER_PAYLOAD) &&
	       !memchr_inv(at + DRIVER_PAYLOAD, 0, size - DRIVER_PAYLOAD);
}

/*
 * Payloads at every position relative to the ends of pages and of the buffer,
 * also where other payloads have been before.
 */
static void driver_payload(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	u64 enough = 2 * perf_rb_data_size(fake->rb);
	u8 payload[DRIVER_PAYLOAD];
	unsigned int i;

	for (i = 0; i < sizeof(payload); i++)
		payload[i] = 0x80 + i;
	fake_layout(fake, PERF_SAMPLE_RAW);
	driver_sees.published = false;
	for (i = 0; fake->rb->user_page->data_head <= enough; i++) {
		if (!driver_payload_arrives(fake, payload, i % DRIVER_PAYLOAD)) {
			KUNIT_FAIL(test, "sample %u", i);
			return;
		}
	}
	/* A sample is published when all of it is there. */
	KUNIT_EXPECT_FALSE(test, driver_sees.published);
}

static void driver_trace_case(struct kunit *test, u32 asked, u32 there)
{
	struct record_fake *fake = test->priv;
	struct perf_sample_data data;
	struct pt_regs regs = { };
	bool exact;
	u32 at;

	fake->event.attr.aux_sample_size = asked;
	perf_sample_data_init(&data, 0, 1);
	scoped_guard(preempt) {
		fake_trace_begins(fake, there);
		exact = fake_sample(fake, &data, &regs);
		fake_trace_ends(fake);
	}
	KUNIT_ASSERT_TRUE(test, exact);
	KUNIT_EXPECT_EQ(test, fake->record[1], PERF_MEM_NA);
	KUNIT_EXPECT_EQ(test, fake->record[2], asked);
	KUNIT_EXPECT_EQ(test, fake->record[0] >> 48, 24 + asked);
	for (at = 0; at < asked; at += sizeof(u64))
		KUNIT_EXPECT_EQ_MSG(test, fake->record[3 + at / sizeof(u64)],
				    at < there ? FAKE_TRACE + at : 0,
				    "byte %u", at);
}

/* All of the trace, or what there is followed by zeros. */
static void driver_trace(struct kunit *test)
{
	fake_layout(test->priv, PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_AUX);
	driver_trace_case(test, 64, 64);
	driver_trace_case(test, 64, 24);
	driver_trace_case(test, 64, 0);
	driver_trace_case(test, FAKE_TRACE_SIZE, FAKE_TRACE_SIZE);
}

static struct kunit_case driver_cases[] = {
	KUNIT_CASE(driver_words),
	KUNIT_CASE(driver_words_absent),
	KUNIT_CASE(driver_weights),
	KUNIT_CASE(driver_branch_stack),
	KUNIT_CASE(driver_too_many_branches),
	KUNIT_CASE(driver_payload),
	KUNIT_CASE(driver_trace),
	{ }
};

static struct kunit_suite driver_suite = {
	.name		= "perf_sample_pmu",
	.init		= fake_init,
	.exit		= fake_exit,
	.test_cases	= driver_cases,
};

kunit_test_suite(driver_suite);

MODULE_DESCRIPTION("KUnit tests of what PMUs bring to perf's samples");
MODULE_LICENSE("GPL");
