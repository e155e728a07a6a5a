// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: tests of the trace
 *
 * Buffers and their text are tested in memory of the test. Start, stop and
 * markers use the trace of the kernel itself, on which nothing else relies while
 * the tests run.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "../pmu_model.h"

#define TEXT_SIZE	256

KUNIT_DEFINE_ACTION_WRAPPER(free_buffer, vfree, const void *);

static struct pmu_model_trace *new_buffer(struct kunit *test, unsigned int size)
{
	struct pmu_model_trace *t = pmu_model_trace_alloc(size);

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_buffer, t));
	return t;
}

/* The text of one place, as a reader of the file sees it. */
static const char *text_of(struct kunit *test, struct pmu_model_trace *t,
			   unsigned int place)
{
	struct seq_file m = {
		.buf = kunit_kzalloc(test, TEXT_SIZE, GFP_KERNEL),
		.size = TEXT_SIZE,
	};
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	ret = pmu_model_trace_show(&m, 3, t, place);
	KUNIT_EXPECT_EQ(test, ret, m.count ? 0 : SEQ_SKIP);
	m.buf[m.count] = 0;
	return m.buf;
}

static void add(struct pmu_model_trace *t, struct pmu_model_record record)
{
	pmu_model_trace_put(pmu_model_trace_take(t), &record);
}

static void line_of_each_kind(struct kunit *test)
{
	struct pmu_model_trace *t = new_buffer(test, 8);

	add(t, (struct pmu_model_record) {
		.time = 7, .kind = PMU_TRACE_READ, .slot = PMU_MODEL_SLOT_RDPMC,
		.address = 0xc1, .value = 0xabc });
	add(t, (struct pmu_model_record) {
		.time = 8, .kind = PMU_TRACE_WRITE, .slot = PMU_MODEL_SLOT_RDPMC,
		.address = 0xc0010200, .value = U64_MAX });
	add(t, (struct pmu_model_record) {
		.time = 9, .kind = PMU_TRACE_FAULT, .slot = PMU_MODEL_SLOT_RDPMC,
		.address = 0x186, .value = 0 });
	add(t, (struct pmu_model_record) {
		.time = 1ULL << 40, .kind = PMU_TRACE_RDPMC,
		.slot = PMU_MODEL_SLOT_RDPMC, .address = BIT(30) | 1, .value = 5 });
	add(t, (struct pmu_model_record) {
		.time = 11, .kind = PMU_TRACE_PMI, .value = BIT_ULL(33) | 2 });
	add(t, (struct pmu_model_record) {
		.time = 12, .kind = PMU_TRACE_MARKER, .word = "a.b:c-d_e" });

	if (pmu_model.vendor == PMU_MODEL_OFF)
		kunit_skip(test, "registers have names where the model is enabled");
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 0), "3 0 7 read 0xc1 rdpmc0 0xabc\n");
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 1),
			   "3 1 8 write 0xc0010200 rdpmc0 0xffffffffffffffff\n");
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 2), "3 2 9 fault 0x186 rdpmc0 0x0\n");
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 3),
			   "3 3 1099511627776 rdpmc 0x40000001 rdpmc0 0x5\n");
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 4), "3 4 11 pmi 0x0 pmi 0x200000002\n");
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 5),
			   "3 5 12 marker 0x0 a.b:c-d_e 0x0\n");
}

/* A place is visible when it is complete; the next ones do not wait for it. */
static void incomplete_is_skipped(struct kunit *test)
{
	struct pmu_model_record done = { .kind = PMU_TRACE_MARKER, .word = "x" };
	struct pmu_model_trace *t = new_buffer(test, 4);
	struct pmu_model_record *first = pmu_model_trace_take(t);
	struct pmu_model_record *second = pmu_model_trace_take(t);

	KUNIT_ASSERT_PTR_EQ(test, first, &t->records[0]);
	KUNIT_ASSERT_PTR_EQ(test, second, &t->records[1]);
	pmu_model_trace_put(second, &done);
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 0), "");
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 1), "3 1 0 marker 0x0 x 0x0\n");
	pmu_model_trace_put(first, &done);
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 0), "3 0 0 marker 0x0 x 0x0\n");
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 2), "");
}

static void full_buffer_counts_lost(struct kunit *test)
{
	struct pmu_model_record done = { .kind = PMU_TRACE_MARKER, .word = "x" };
	struct pmu_model_trace *t = new_buffer(test, 2);

	KUNIT_EXPECT_STREQ(test, text_of(test, t, 2), "");
	KUNIT_EXPECT_NOT_NULL(test, pmu_model_trace_take(t));
	KUNIT_EXPECT_NOT_NULL(test, pmu_model_trace_take(t));
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 2), "");
	for (int i = 0; i < 3; i++)
		KUNIT_EXPECT_NULL(test, pmu_model_trace_take(t));
	pmu_model_trace_put(NULL, &done);
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 2), "3 lost 3\n");
	KUNIT_EXPECT_STREQ(test, text_of(test, t, 1), "");
}

static void words(struct kunit *test)
{
	static const char * const right[] = { "a", "Z9_.:-", "123456789012345" };
	static const char * const wrong[] = {
		"", " ", "a b", "a\tb", "a/b", "\xe4", "1234567890123456",
		"12345678901234567",
	};

	for (int i = 0; i < ARRAY_SIZE(right); i++)
		KUNIT_EXPECT_TRUE_MSG(test, pmu_model_trace_word(right[i]), "%s",
				      right[i]);
	for (int i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_FALSE_MSG(test, pmu_model_trace_word(wrong[i]), "%s",
				       wrong[i]);
}

static bool on_here(void)
{
	unsigned long flags;
	bool on;

	local_irq_save(flags);
	on = pmu_model_trace_on();
	local_irq_restore(flags);
	return on;
}

static void start_and_stop(struct kunit *test)
{
	char word[] = "word", bad[] = "a b";

	KUNIT_ASSERT_EQ(test, pmu_model_trace_set(0), 0);
	KUNIT_EXPECT_FALSE(test, on_here());
	KUNIT_EXPECT_EQ(test, pmu_model_trace_mark(word, false), -ENODATA);
	KUNIT_EXPECT_EQ(test, pmu_model_trace_set(PMU_MODEL_MAX_TRACE + 1), -EINVAL);
	KUNIT_ASSERT_EQ(test, pmu_model_trace_set(4), 0);
	KUNIT_EXPECT_TRUE(test, on_here());
	KUNIT_EXPECT_EQ(test, pmu_model_trace_mark(word, false), 0);
	KUNIT_EXPECT_EQ(test, pmu_model_trace_mark(word, true), 0);
	KUNIT_EXPECT_EQ(test, pmu_model_trace_mark(bad, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, pmu_model_trace_set(PMU_MODEL_MAX_TRACE + 1), -EINVAL);
	KUNIT_EXPECT_TRUE(test, on_here());
	KUNIT_EXPECT_EQ(test, pmu_model_trace_set(0), 0);
	KUNIT_EXPECT_FALSE(test, on_here());
	KUNIT_EXPECT_EQ(test, pmu_model_trace_mark(word, true), -ENODATA);
	KUNIT_EXPECT_EQ(test, pmu_model_trace_set(0), 0);
}

/* Return: the slot of the read-only status register, or 0. */
static unsigned int status_slot(void)
{
	unsigned int slot;

	for (slot = 0; slot < pmu_model.nr_regs; slot++)
		if (pmu_model.regs[slot].kind == PMU_REG_STATUS)
			return slot;
	return 0;
}

static void expect_record(struct kunit *test, const struct pmu_model_record *r,
			  enum pmu_model_trace_kind kind, u32 address, u64 value)
{
	KUNIT_EXPECT_EQ(test, r->kind, kind);
	KUNIT_EXPECT_EQ(test, r->address, address);
	KUNIT_EXPECT_EQ(test, r->value, value);
}

/* Real accesses, which change nothing; their records follow the first one. */
static void accesses_have_records(struct kunit *test)
{
	unsigned int slot = status_slot();
	struct pmu_model_record *r;
	unsigned long flags;
	u32 address;
	u64 val, pmc;

	if (!slot)
		kunit_skip(test, "no status register");
	address = pmu_model.regs[slot].msr;
	KUNIT_ASSERT_EQ(test, pmu_model_trace_set(64), 0);
	local_irq_save(flags);
	r = pmu_model_trace_reserve();
	pmu_model_read(slot, &val);
	pmu_model_write(slot, 0x123);
	pmu_model_read_pmc(0, &pmc);
	pmu_model_read_pmc(0x3f, &pmc);
	pmu_model_mark("m");
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, pmu_model_trace_set(0), 0);

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->kind, PMU_TRACE_NONE);
	expect_record(test, r + 1, PMU_TRACE_READ, address, val);
	KUNIT_EXPECT_EQ(test, r[1].slot, slot);
	expect_record(test, r + 2, PMU_TRACE_FAULT, address, 0x123);
	KUNIT_EXPECT_EQ(test, r[3].kind, PMU_TRACE_RDPMC);
	expect_record(test, r + 4, PMU_TRACE_FAULT, 0x3f, 0);
	KUNIT_EXPECT_EQ(test, r[4].slot, PMU_MODEL_SLOT_RDPMC);
	expect_record(test, r + 5, PMU_TRACE_MARKER, 0, 0);
	KUNIT_EXPECT_STREQ(test, r[5].word, "m");
	KUNIT_EXPECT_LE(test, r[1].time, r[5].time);
	KUNIT_EXPECT_EQ(test, pmu_model_trace_set(0), 0);
}

static struct kunit_case trace_cases[] = {
	KUNIT_CASE(line_of_each_kind),
	KUNIT_CASE(incomplete_is_skipped),
	KUNIT_CASE(full_buffer_counts_lost),
	KUNIT_CASE(words),
	KUNIT_CASE(start_and_stop),
	KUNIT_CASE(accesses_have_records),
	{}
};

static struct kunit_suite trace_suite = {
	.name = "x86_pmu_model_trace",
	.test_cases = trace_cases,
};

kunit_test_suite(trace_suite);

MODULE_DESCRIPTION("KUnit tests of the x86 PMU model's trace");
MODULE_LICENSE("GPL");
