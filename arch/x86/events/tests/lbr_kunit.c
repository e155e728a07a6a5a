// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the rooms "intel/lbr_decode", "intel/lbr_facts" and
 * "intel/lbr_arch": what registers mean, and what they are to contain.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <asm/msr-index.h>
#include "../intel/lbr_arch.h"
#include "../rules/tables/tables.h"

#define USER_IP		0x00007fffdeadbeefULL
#define KERNEL_IP	0xffffffff81234567ULL

#define MISPREDICTED	BIT_ULL(63)
#define IN_TX		BIT_ULL(62)
#define ABORTED		BIT_ULL(61)

/**
 * struct decode_case - a branch in some format
 * @format: INTEL_LBR_*
 * @tsx: the processor has transactions
 * @raw: its registers
 * @flags: mispredicted, predicted, in_tx, abort as bits
 * @cycles: its cycles
 * @from: its source
 */
struct decode_case {
	u8			format;
	bool			tsx;
	struct intel_lbr_raw	raw;
	u8			flags;
	u16			cycles;
	u64			from;
};

#define M	BIT(0)
#define P	BIT(1)
#define T	BIT(2)
#define A	BIT(3)

/* The address without its top bits, which then have flags. */
#define KERNEL_63	(KERNEL_IP & GENMASK_ULL(62, 0))
#define KERNEL_61	(KERNEL_IP & GENMASK_ULL(60, 0))

static const struct decode_case decode_cases[] = {
	{ INTEL_LBR_LIP, false, { KERNEL_IP, USER_IP }, 0, 0, KERNEL_IP },
	{ INTEL_LBR_EIP, true, { USER_IP, USER_IP, ~0ULL }, 0, 0, USER_IP },
	{ INTEL_LBR_FLAGS, false, { USER_IP, USER_IP }, P, 0, USER_IP },
	{ INTEL_LBR_FLAGS, false, { USER_IP | MISPREDICTED, USER_IP }, M, 0, USER_IP },
	{ INTEL_LBR_FLAGS, false, { KERNEL_63, USER_IP }, P, 0, KERNEL_IP },
	{ INTEL_LBR_FLAGS, false, { KERNEL_IP, USER_IP }, M, 0, KERNEL_IP },
	{ INTEL_LBR_FLAGS_TSX, true, { KERNEL_61, USER_IP }, P, 0, KERNEL_IP },
	{ INTEL_LBR_FLAGS_TSX, true, { USER_IP | IN_TX, USER_IP }, P | T, 0, USER_IP },
	{ INTEL_LBR_FLAGS_TSX, true, { USER_IP | ABORTED | MISPREDICTED, USER_IP }, M | A, 0,
	  USER_IP },
	/* Without transactions the bits are flags or a part of the address. */
	{ INTEL_LBR_FLAGS_TSX, false, { KERNEL_61, USER_IP }, P, 0, KERNEL_IP },
	{ INTEL_LBR_FLAGS_TSX, false, { KERNEL_IP, USER_IP }, M, 0, KERNEL_IP },
	{ INTEL_LBR_INFO_TSX, true, { KERNEL_IP, USER_IP, IN_TX | 0x1234 }, P | T, 0x1234,
	  KERNEL_IP },
	{ INTEL_LBR_INFO_TSX, true, { USER_IP, USER_IP, MISPREDICTED | ABORTED }, M | A, 0,
	  USER_IP },
	{ INTEL_LBR_INFO, true, { USER_IP, USER_IP, IN_TX | ABORTED | 7 }, P, 7, USER_IP },
	{ INTEL_LBR_FLAGS_TIME, false, { KERNEL_63, USER_IP | 0x0123ULL << 48 }, P, 0x0123,
	  KERNEL_IP },
};

static unsigned int flags_of(const struct perf_branch_entry *e)
{
	return (e->mispred ? M : 0) | (e->predicted ? P : 0) | (e->in_tx ? T : 0) |
	       (e->abort ? A : 0);
}

static unsigned int cycles_of(const struct perf_branch_entry *e)
{
	return e->cycles;
}

static unsigned int type_of(const struct perf_branch_entry *e)
{
	return e->type;
}

static void decode(struct kunit *test)
{
	struct intel_lbr_layout layout;
	struct perf_branch_entry e;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(decode_cases); i++) {
		const struct decode_case *c = &decode_cases[i];

		KUNIT_ASSERT_EQ(test, 0, intel_lbr_decode_layout(&layout, c->format, c->tsx));
		intel_lbr_decode_one(&layout, &c->raw, &e);
		KUNIT_EXPECT_EQ_MSG(test, e.from, c->from, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, e.to, USER_IP, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, flags_of(&e), c->flags, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, cycles_of(&e), c->cycles, "row %u", i);
		KUNIT_EXPECT_EQ(test, type_of(&e), 0);
	}
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_layout(&layout, 8, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_layout(&layout, 0x3f, true), -EINVAL);
}

static void decode_shared(struct kunit *test)
{
	const struct intel_lbr_raw raw = { 0xc0123456deadbeefULL, 99, 99 };
	struct intel_lbr_layout layout;
	struct perf_branch_entry e;

	KUNIT_ASSERT_EQ(test, 0, intel_lbr_decode_layout(&layout, INTEL_LBR_32, false));
	intel_lbr_decode_one(&layout, &raw, &e);
	KUNIT_EXPECT_EQ(test, e.from, 0xdeadbeefULL);
	KUNIT_EXPECT_EQ(test, e.to, 0xc0123456ULL);
	KUNIT_EXPECT_EQ(test, flags_of(&e), 0);
}

static void decode_arch(struct kunit *test)
{
	static const u8 types[] = {
		PERF_BR_COND, PERF_BR_IND, PERF_BR_UNCOND, PERF_BR_IND_CALL, PERF_BR_CALL,
		PERF_BR_RET, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	struct intel_lbr lbr;
	struct intel_lbr_leaf leaf = { .eax = 0x0f, .ebx = 7, .ecx = 7 };
	struct intel_lbr_raw raw = { USER_IP, USER_IP };
	struct perf_branch_entry e;
	unsigned int i;

	intel_lbr_arch_describe(&lbr, &leaf);
	for (i = 0; i < 16; i++) {
		raw.info = (u64)i << 56 | 0xffff;
		intel_lbr_decode_one(&lbr.layout, &raw, &e);
		KUNIT_EXPECT_EQ(test, type_of(&e), types[i]);
		KUNIT_EXPECT_EQ(test, cycles_of(&e), 0);
	}
	raw.info |= BIT_ULL(60) | MISPREDICTED;
	intel_lbr_decode_one(&lbr.layout, &raw, &e);
	KUNIT_EXPECT_EQ(test, cycles_of(&e), 0xffff);
	KUNIT_EXPECT_EQ(test, flags_of(&e), M);
	leaf.ecx = 0;
	intel_lbr_arch_describe(&lbr, &leaf);
	intel_lbr_decode_one(&lbr.layout, &raw, &e);
	KUNIT_EXPECT_EQ(test, cycles_of(&e), 0);
	KUNIT_EXPECT_EQ(test, flags_of(&e), 0);
	KUNIT_EXPECT_EQ(test, type_of(&e), 0);
}

/* The list ends at an empty source; an abort replaces its younger double. */
static void decode_list(struct kunit *test)
{
	const struct intel_lbr_raw raw[] = {
		{ USER_IP, USER_IP, 1ULL << 32 }, { USER_IP + 1, USER_IP, 2ULL << 32 },
		{ USER_IP + 2 + ABORTED, USER_IP, 3ULL << 32 }, { 0, USER_IP }, { USER_IP },
	};
	struct perf_branch_entry entries[5];
	struct intel_lbr_layout layout;
	u64 counters[5];

	intel_lbr_decode_layout(&layout, INTEL_LBR_FLAGS_TSX, true);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode(&layout, raw, 5, entries, counters), 3);
	KUNIT_EXPECT_EQ(test, entries[2].from, USER_IP + 2);
	KUNIT_EXPECT_EQ(test, counters[1], 2);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode(&layout, raw, 1, entries, NULL), 1);
	layout.double_abort = true;
	KUNIT_EXPECT_EQ(test, intel_lbr_decode(&layout, raw, 5, entries, counters), 2);
	KUNIT_EXPECT_EQ(test, entries[1].from, USER_IP + 2);
	KUNIT_EXPECT_EQ(test, counters[1], 3);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode(&layout, raw + 2, 3, entries, NULL), 1);
}

static void counts(struct kunit *test)
{
	static const u8 order[] = { 2, 0, 3 };

	/* Counter 0: 1, 1: 2, 2: 3, 3: 0. */
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_counts(0x39, order, 0), 0);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_counts(0x39, order, 1), 3);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_counts(0x39, order, 3), 0x7);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_counts(0xc0, order, 3), 0x30);
}

static void writable(struct kunit *test)
{
	struct intel_lbr_layout layout;

	intel_lbr_decode_layout(&layout, INTEL_LBR_FLAGS_TSX, true);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_writable(&layout, KERNEL_61), KERNEL_61);
	intel_lbr_decode_layout(&layout, INTEL_LBR_FLAGS_TSX, false);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_writable(&layout, KERNEL_61),
			KERNEL_IP & ~MISPREDICTED);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_writable(&layout, KERNEL_61 | MISPREDICTED),
			KERNEL_IP);
	KUNIT_EXPECT_EQ(test, intel_lbr_decode_writable(&layout, USER_IP), USER_IP);
}

static void models(struct kunit *test)
{
	struct intel_lbr lbr;

	intel_lbr_facts_find(&lbr, &x86_model_p6);
	KUNIT_EXPECT_EQ(test, lbr.depth, 0);
	intel_lbr_facts_find(&lbr, &x86_model_core2);
	KUNIT_EXPECT_EQ(test, lbr.depth, 4);
	KUNIT_EXPECT_EQ(test, lbr.from, 0x40);
	KUNIT_EXPECT_EQ(test, lbr.to, 0x60);
	KUNIT_EXPECT_FALSE(test, intel_lbr_has_filter(&lbr));
	intel_lbr_facts_find(&lbr, &x86_model_skylake);
	KUNIT_EXPECT_EQ(test, lbr.depth, 32);
	KUNIT_EXPECT_EQ(test, lbr.from, 0x680);
	KUNIT_EXPECT_EQ(test, lbr.to, 0x6c0);
	KUNIT_EXPECT_EQ(test, lbr.tos, 0x1c9);
	KUNIT_EXPECT_EQ(test, intel_lbr_facts_format(&lbr, INTEL_LBR_INFO, true), 0);
	KUNIT_EXPECT_EQ(test, lbr.info, 0xdc0);
	intel_lbr_facts_find(&lbr, &x86_model_knights_landing);
	KUNIT_EXPECT_EQ(test, intel_lbr_facts_format(&lbr, INTEL_LBR_LIP, false), 0);
	KUNIT_EXPECT_TRUE(test, lbr.layout.mispredicted);
	intel_lbr_facts_find(&lbr, &x86_model_haswell);
	KUNIT_EXPECT_EQ(test, intel_lbr_facts_format(&lbr, INTEL_LBR_FLAGS_TSX, true), 0);
	KUNIT_EXPECT_TRUE(test, lbr.layout.double_abort);
	KUNIT_EXPECT_EQ(test, intel_lbr_facts_format(&lbr, INTEL_LBR_INFO, true), -EINVAL);
	/* Models of servers have a recorder, too. */
	intel_lbr_facts_find(&lbr, &x86_model_skylake_server);
	KUNIT_EXPECT_TRUE(test, lbr.depth == 32 && !lbr.pt);
	intel_lbr_facts_find(&lbr, &x86_model_icelake_server);
	KUNIT_EXPECT_TRUE(test, lbr.depth == 32 && lbr.pt && lbr.call_stack);
}

/*
 * Which processors up to Ice Lake have a recorder, SDM vol. 3 18.5 to 18.13;
 * Yonah's is not used.
 */
static void depths(struct kunit *test)
{
	static const struct {
		const struct x86_model *model;
		unsigned int depth;
	} facts[] = {
		{ &x86_model_core, 0 },
		{ &x86_model_core2, 4 },
		{ &x86_model_bonnell, 8 },
		{ &x86_model_silvermont, 8 },
		{ &x86_model_knights_landing, 8 },
		{ &x86_model_nehalem, 16 },
		{ &x86_model_westmere, 16 },
		{ &x86_model_westmere_ex, 16 },
		{ &x86_model_sandybridge, 16 },
		{ &x86_model_sandybridge_ep, 16 },
		{ &x86_model_ivybridge, 16 },
		{ &x86_model_ivybridge_ep, 16 },
		{ &x86_model_haswell, 16 },
		{ &x86_model_broadwell, 16 },
		{ &x86_model_skylake, 32 },
		{ &x86_model_skylake_server, 32 },
		{ &x86_model_icelake, 32 },
		{ &x86_model_icelake_server, 32 },
		{ &x86_model_goldmont, 32 },
		{ &x86_model_goldmont_plus, 32 },
		{ &x86_model_tremont, 32 },
	};
	struct intel_lbr lbr;

	for (unsigned int i = 0; i < ARRAY_SIZE(facts); i++) {
		intel_lbr_facts_find(&lbr, facts[i].model);
		KUNIT_EXPECT_EQ_MSG(test, lbr.depth, facts[i].depth, "%s", facts[i].model->name);
	}
}

#define ASK(bits)	(PERF_SAMPLE_BRANCH_##bits)

/* Return: the register, or the error with the sign of a number of 64 bits. */
static s64 select(const struct intel_lbr *lbr, u64 asked)
{
	u64 value;
	int err = intel_lbr_facts_select(lbr, asked, &value);

	return err ?: (s64)value;
}

/* MSR_LBR_SELECT, SDM vol. 3 table 18-11: a set bit leaves branches out. */
static void filters(struct kunit *test)
{
	struct intel_lbr lbr;

	intel_lbr_facts_find(&lbr, &x86_model_haswell);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY) | ASK(USER)), 0x001);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY) | ASK(KERNEL)), 0x002);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY) | ASK(USER) | ASK(KERNEL)), 0x000);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(COND) | ASK(USER)), 0x1f9);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY_CALL) | ASK(USER)), 0x0e5);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY_RETURN) | ASK(USER)), 0x0dd);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(IND_JUMP) | ASK(USER)), 0x1bd);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(CALL_STACK) | ASK(USER)), 0x3c5);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(CALL_STACK) | ASK(ANY)), -EINVAL);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(CALL_STACK) | ASK(IN_TX)), -EINVAL);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ABORT_TX) | ASK(USER)), 0x001);
	KUNIT_EXPECT_FALSE(test, intel_lbr_facts_sees_kernel(&lbr, 0x3c5));
	KUNIT_EXPECT_TRUE(test, intel_lbr_facts_sees_kernel(&lbr, 0x002));
	KUNIT_EXPECT_TRUE(test, intel_lbr_facts_is_stack(&lbr, 0x3c5));
	KUNIT_EXPECT_FALSE(test, intel_lbr_facts_is_stack(&lbr, 0x1c5));

	intel_lbr_facts_find(&lbr, &x86_model_nehalem);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY_CALL) | ASK(USER)), 0x025);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(IND_CALL) | ASK(USER)), 0x1ad);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(CALL_STACK) | ASK(USER)), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(CALL_STACK) | ASK(ANY)), -EOPNOTSUPP);

	intel_lbr_facts_find(&lbr, &x86_model_core2);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(COND) | ASK(USER)), 0);
	KUNIT_EXPECT_TRUE(test, intel_lbr_facts_sees_kernel(&lbr, 0));
}

/* IA32_LBR_CTL, SDM vol. 4: a set bit lets branches in. */
static void arch_filters(struct kunit *test)
{
	struct intel_lbr_leaf leaf = { .eax = 0x0f, .ebx = 7, .ecx = 0xf0007 };
	struct intel_lbr lbr;

	intel_lbr_arch_describe(&lbr, &leaf);
	KUNIT_EXPECT_EQ(test, lbr.depth, 32);
	KUNIT_EXPECT_EQ(test, lbr.counters, 0xf);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY) | ASK(USER)), 0x7f0004);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY) | ASK(KERNEL)), 0x7f0002);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(COND) | ASK(USER)), 0x010004);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(IND_JUMP) | ASK(USER)), 0x040004);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(CALL) | ASK(USER)), 0x080004);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY_RETURN) | ASK(USER)), 0x600004);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(CALL_STACK) | ASK(USER)), 0x38000c);
	KUNIT_EXPECT_FALSE(test, intel_lbr_facts_sees_kernel(&lbr, 0x38000c));
	KUNIT_EXPECT_TRUE(test, intel_lbr_facts_is_stack(&lbr, 0x38000c));
	leaf.eax = 0x81;
	leaf.ebx = 1;
	intel_lbr_arch_describe(&lbr, &leaf);
	KUNIT_EXPECT_EQ(test, lbr.depth, 8);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY) | ASK(USER)), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(CALL_STACK) | ASK(USER)), -EOPNOTSUPP);
	leaf.ebx = 0;
	intel_lbr_arch_describe(&lbr, &leaf);
	KUNIT_EXPECT_EQ(test, select(&lbr, ASK(ANY) | ASK(USER)), 0);
	leaf.eax = 0;
	intel_lbr_arch_describe(&lbr, &leaf);
	KUNIT_EXPECT_EQ(test, lbr.depth, 0);
}

static struct kunit_case lbr_cases[] = {
	KUNIT_CASE(decode),
	KUNIT_CASE(decode_shared),
	KUNIT_CASE(decode_arch),
	KUNIT_CASE(decode_list),
	KUNIT_CASE(counts),
	KUNIT_CASE(writable),
	KUNIT_CASE(models),
	KUNIT_CASE(depths),
	KUNIT_CASE(filters),
	KUNIT_CASE(arch_filters),
	{}
};

static struct kunit_suite lbr_suite = {
	.name		= "x86_lbr",
	.test_cases	= lbr_cases,
};

kunit_test_suite(lbr_suite);
