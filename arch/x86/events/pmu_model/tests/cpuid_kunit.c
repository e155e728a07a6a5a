// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: tests of CPUID, and of the PMUs of Zhaoxin and of P6
 *
 * The expected values are the rules of SDM vol. 2A, CPUID, and APM vol. 3 E.4,
 * for results of a CPU that has nothing or everything.
 */
#include <kunit/test.h>

#include <asm/msr.h>

#include "../pmu_model.h"

#define T0		1000
#define PERFCTR0	0xc1
#define EVENTSEL0	0x186
#define FIXED0		0x309
#define PERF_CAPS	0x345
#define OFFCORE		0x1a6
#define G_CTRL		0x38f
/* All bits of a register of 32 bits, except these. */
#define ALL_BUT(bits)	(~(u32)(bits))
#define COUNT_ALL	(PMU_SEL_EN | PMU_SEL_OS | PMU_SEL_USR)

struct bed {
	struct pmu_model model;
	struct pmu_model_state state;
};

static struct bed *new_bed(struct kunit *test)
{
	struct bed *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->model.version = 5;
	b->model.gp = 8;
	b->model.fixed = 4;
	b->model.width = 48;
	b->model.variant = PMU_MODEL_AMD_V2;
	return b;
}

static struct bed *make(struct bed *b, enum pmu_model_vendor vendor)
{
	pmu_model_setup(&b->model, vendor);
	pmu_model_state_reset(&b->model, &b->state);
	return b;
}

static struct pmu_model_leaf change(struct bed *b, unsigned int leaf,
				    unsigned int subleaf, unsigned int native)
{
	struct pmu_model_leaf l = { native, native, native, native };

	pmu_model_cpuid_change(&b->model, leaf, subleaf, 1, &l);
	return l;
}

static void expect_leaf(struct kunit *test, struct pmu_model_leaf l,
			struct pmu_model_leaf wanted)
{
	KUNIT_EXPECT_EQ(test, l.eax, wanted.eax);
	KUNIT_EXPECT_EQ(test, l.ebx, wanted.ebx);
	KUNIT_EXPECT_EQ(test, l.ecx, wanted.ecx);
	KUNIT_EXPECT_EQ(test, l.edx, wanted.edx);
}

static void empty(struct kunit *test, struct pmu_model_leaf l)
{
	expect_leaf(test, l, (struct pmu_model_leaf) { });
}

/* Version, number and width of the counters, seven events, all available. */
static void leaf_of_counters(struct kunit *test)
{
	struct bed *b = make(new_bed(test), PMU_MODEL_INTEL);

	expect_leaf(test, change(b, 0xa, 0, ~0),
		    (struct pmu_model_leaf) { 0x07300805, 0, 0xf, 0x8604 });
	b->model.version = 4;
	expect_leaf(test, change(b, 0xa, 0, ~0),
		    (struct pmu_model_leaf) { 0x07300804, 0, 0, 0x0604 });
}

/* No debug store, no architectural LBR; PERF_CAPABILITIES is there. */
static void features_without_ds_and_lbr(struct kunit *test)
{
	struct bed *b = make(new_bed(test), PMU_MODEL_INTEL);
	struct pmu_model_leaf l = change(b, 1, 0, ~0);

	KUNIT_EXPECT_EQ(test, l.ecx, ALL_BUT(BIT(2) | BIT(4)));
	KUNIT_EXPECT_EQ(test, l.edx, ALL_BUT(BIT(21)));
	KUNIT_EXPECT_EQ(test, change(b, 1, 0, 0).ecx, BIT(15));
	KUNIT_EXPECT_EQ(test, change(b, 7, 0, ~0).edx, ALL_BUT(BIT(15) | BIT(19)));
	KUNIT_EXPECT_EQ(test, change(b, 7, 0, 0).eax, 0);
	KUNIT_EXPECT_EQ(test, change(b, 7, 1, ~0).eax, ALL_BUT(BIT(8)));
	empty(test, change(b, 0x1c, 0, ~0));
	empty(test, change(b, 0x23, 0, ~0));
	KUNIT_EXPECT_EQ(test, change(b, 0, 0, 5).eax, 0xa);
	KUNIT_EXPECT_EQ(test, change(b, 0, 0, 0x40).eax, 0x40);
}

static void core_types(struct kunit *test)
{
	struct bed *b = make(new_bed(test), PMU_MODEL_INTEL);
	struct pmu_model_leaf l = { };

	empty(test, change(b, 0x1a, 0, 0));
	b->model.hybrid = true;
	KUNIT_EXPECT_EQ(test, change(b, 0, 0, 5).eax, 0x1a);
	KUNIT_EXPECT_EQ(test, change(b, 7, 0, 0).edx, BIT(15));
	expect_leaf(test, change(b, 0x1a, 0, ~0),
		    (struct pmu_model_leaf) { 0x20000001 });
	pmu_model_cpuid_change(&b->model, 0x1a, 0, 2, &l);
	expect_leaf(test, l, (struct pmu_model_leaf) { 0x40000001 });
}

/* Valid subleafs, the second unit mask, bitmaps of counters and of events. */
static void leaf_of_extension(struct kunit *test)
{
	struct bed *b = new_bed(test);

	b->model.ext = true;
	make(b, PMU_MODEL_INTEL);
	KUNIT_EXPECT_EQ(test, change(b, 0, 0, 5).eax, 0x23);
	KUNIT_EXPECT_EQ(test, change(b, 7, 0, 0).eax, 1);
	KUNIT_EXPECT_EQ(test, change(b, 7, 0, 2).eax, 2);
	KUNIT_EXPECT_EQ(test, change(b, 7, 1, 0).eax, BIT(8));
	expect_leaf(test, change(b, 0x23, 0, ~0), (struct pmu_model_leaf) { 0xb, 1, 4 });
	expect_leaf(test, change(b, 0x23, 1, ~0), (struct pmu_model_leaf) { 0xff, 0xf });
	empty(test, change(b, 0x23, 2, ~0));
	expect_leaf(test, change(b, 0x23, 3, ~0), (struct pmu_model_leaf) { 0x7f });
	empty(test, change(b, 0x23, 4, ~0));
}

static int put(struct bed *b, u32 msr, u64 now, u64 val)
{
	unsigned int slot = pmu_model_slot(&b->model, msr);

	return slot ? pmu_model_reg_write(&b->model, &b->state,
					  &b->model.regs[slot], now, val) : -ENOENT;
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

/* SDM 20.2.1.1: bits 47-40 are reserved without the extension. */
static void second_unit_mask(struct kunit *test)
{
	struct bed *without = make(new_bed(test), PMU_MODEL_INTEL);
	struct bed *b = new_bed(test);
	u32 rates[3];

	KUNIT_EXPECT_EQ(test, put(without, EVENTSEL0, T0, BIT_ULL(40)), -EIO);
	b->model.ext = true;
	make(b, PMU_MODEL_INTEL);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0, BIT_ULL(48)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0, BIT_ULL(36)), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0, 0x0111), 0);
	rates[0] = b->state.counter[0].rate;
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0, 0x0111 | BIT_ULL(40)), 0);
	rates[1] = b->state.counter[0].rate;
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0, 0x0111 | BIT_ULL(47)), 0);
	rates[2] = b->state.counter[0].rate;
	KUNIT_EXPECT_NE(test, rates[0], rates[1]);
	KUNIT_EXPECT_NE(test, rates[1], rates[2]);
	KUNIT_EXPECT_EQ(test, pmu_model_select_umask(PMU_MODEL_INTEL, 0x0111 | BIT_ULL(47)),
			0x8001);
	KUNIT_EXPECT_EQ(test, pmu_model_select_umask(PMU_MODEL_AMD, 0x0111 | BIT_ULL(40)),
			1);
}

/* APM vol. 3 E.4: no IBS, no counters outside of the core. */
static void amd_leaves(struct kunit *test)
{
	struct bed *b = make(new_bed(test), PMU_MODEL_AMD);
	const unsigned int cleared = BIT(10) | BIT(24) | BIT(28);

	KUNIT_EXPECT_EQ(test, change(b, 0x80000001, 0, ~0).ecx, ALL_BUT(cleared));
	KUNIT_EXPECT_EQ(test, change(b, 0x80000001, 0, 0).ecx, BIT(23));
	KUNIT_EXPECT_EQ(test, change(b, 0x80000000, 0, 0x80000008).eax, 0x80000022);
	empty(test, change(b, 0x8000001b, 0, ~0));
	expect_leaf(test, change(b, 0x80000022, 0, ~0), (struct pmu_model_leaf) { 5, 6 });
	b->model.variant = PMU_MODEL_AMD_CORE;
	empty(test, change(b, 0x80000022, 0, ~0));
	b->model.variant = PMU_MODEL_AMD_LEGACY;
	KUNIT_EXPECT_EQ(test, change(b, 0x80000001, 0, ~0).ecx,
			ALL_BUT(cleared | BIT(23)));
}

/* Version 2, whole counters at the old address, nothing of Intel's own. */
static void zhaoxin(struct kunit *test)
{
	struct bed *b = new_bed(test);
	u64 val;

	b->model.gp = 4;
	b->model.fixed = 3;
	make(b, PMU_MODEL_ZHAOXIN);
	expect_leaf(test, change(b, 0xa, 0, ~0),
		    (struct pmu_model_leaf) { 0x07300402, 0, 0, 0x0603 });
	KUNIT_EXPECT_EQ(test, change(b, 1, 0, 0).ecx, 0);
	KUNIT_EXPECT_EQ(test, pmu_model_slot(&b->model, PERF_CAPS), 0);
	KUNIT_EXPECT_EQ(test, pmu_model_slot(&b->model, OFFCORE), 0);

	KUNIT_EXPECT_EQ(test, put(b, PERFCTR0, T0, BIT_ULL(47) | 1), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0), BIT_ULL(47) | 1);
	KUNIT_EXPECT_EQ(test, put(b, G_CTRL, T0, 0x700000001), 0);
	KUNIT_EXPECT_EQ(test, put(b, PERFCTR0, T0, 0), 0);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0, 0x82 | COUNT_ALL), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 100), 125);
	KUNIT_EXPECT_EQ(test, put(b, FIXED0, T0, 7), 0);
	KUNIT_EXPECT_EQ(test, pmu_model_rdpmc(&b->model, &b->state, BIT(30), T0, &val), 0);
	KUNIT_EXPECT_EQ(test, val, 7);
}

/* SDM vol. 3 20.6.8: two counters, and one enable bit, that of counter 0. */
static void p6(struct kunit *test)
{
	const u64 modes = PMU_SEL_OS | PMU_SEL_USR;
	struct bed *b = new_bed(test);

	b->model.version = 0;
	make(b, PMU_MODEL_INTEL);
	empty(test, change(b, 0xa, 0, ~0));
	KUNIT_EXPECT_EQ(test, change(b, 1, 0, ~0).ecx, ALL_BUT(BIT(2) | BIT(4) | BIT(15)));
	KUNIT_EXPECT_EQ(test, pmu_model_slot(&b->model, G_CTRL), 0);
	KUNIT_EXPECT_EQ(test, pmu_model_slot(&b->model, PERF_CAPS), 0);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0 + 2, T0, 0), -EIO);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0 + 1, T0, 0x3c | COUNT_ALL), -EIO);

	KUNIT_EXPECT_EQ(test, put(b, PERFCTR0, T0, BIT_ULL(31)), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0), 0xff80000000);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0 + 1, T0, 0xc0 | modes), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0 + 1, T0 + 50), 0);
	/* Counter 0 selects no mode, and yet enables counter 1. */
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0 + 50, PMU_SEL_EN), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0 + 1, T0 + 150), 100);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 150), 0xff80000000);
	KUNIT_EXPECT_EQ(test, put(b, EVENTSEL0, T0 + 150, 0xc0 | modes), 0);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0 + 1, T0 + 250), 100);
	KUNIT_EXPECT_EQ(test, get(test, b, PERFCTR0, T0 + 250), 0xff80000000);
}

/*
 * SDM vol. 4 table 2-2: counters are there, BTS is not, and PEBS if it is
 * modelled.
 */
static void misc_enable(struct kunit *test)
{
	const u64 mask = BIT_ULL(7) | BIT_ULL(11) | BIT_ULL(12);
	const u64 bits = pmu_model.pebs ? mask & ~BIT_ULL(12) : mask;
	u64 val;

	if (pmu_model.vendor != PMU_MODEL_INTEL)
		kunit_skip(test, "no Intel PMU is modelled");
	rdmsrl(MSR_IA32_MISC_ENABLE, val);
	KUNIT_EXPECT_EQ(test, val & mask, bits);
	KUNIT_EXPECT_EQ(test, rdmsrl_safe(MSR_IA32_MISC_ENABLE, &val), 0);
	KUNIT_EXPECT_EQ(test, val & mask, bits);
}

static struct kunit_case cpuid_cases[] = {
	KUNIT_CASE(leaf_of_counters),
	KUNIT_CASE(features_without_ds_and_lbr),
	KUNIT_CASE(core_types),
	KUNIT_CASE(leaf_of_extension),
	KUNIT_CASE(second_unit_mask),
	KUNIT_CASE(amd_leaves),
	KUNIT_CASE(zhaoxin),
	KUNIT_CASE(p6),
	KUNIT_CASE(misc_enable),
	{}
};

static struct kunit_suite cpuid_suite = {
	.name = "x86_pmu_model_cpuid",
	.test_cases = cpuid_cases,
};

kunit_test_suite(cpuid_suite);

MODULE_DESCRIPTION("KUnit tests of the x86 PMU model's CPUID");
MODULE_LICENSE("GPL");
