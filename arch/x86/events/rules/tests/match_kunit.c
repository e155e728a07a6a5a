// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room match: facts that the manuals state of some cores, and a
 * made-up core.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>

#include "../match.h"
#include "../models.h"
#include "../tables/tables.h"

/* All counters of a model are there, and the fixed ones have AnyThread. */
static u64 counters_of(const struct x86_model *model, u64 config)
{
	struct x86_match_pmu pmu = {
		.model = model, .counters = model->counters, .fixed_any = true,
	};

	return x86_match_counters(&pmu, config);
}

#define CMASK(n)	((u64)(n) << 24)
#define F(n)		X86_FIXED(n)
#define AMD(event)	(((event) & 0xffULL) | ((event) & 0xf00ULL) << 24)

static const struct match_fact {
	const struct x86_model	*model;
	u64			config;
	u64			counters;
} match_facts[] = {
	/* FP_ASSIST, MUL, DIV, CYCLES_DIV_BUSY; any other event. */
	{ &x86_model_p6, 0x0010, 0x1 },
	{ &x86_model_p6, 0x0013, 0x2 },
	{ &x86_model_p6, 0x0079, 0x3 },
	{ &x86_model_core, 0x0010, 0x3 },
	{ &x86_model_core, 0x00c1, 0x1 },
	{ &x86_model_core2, 0x00c1, 0x3 },
	{ &x86_model_core2, 0x01cb, 0x1 },
	{ &x86_model_core2, 0x00c0, 0x3 | F(0) },
	/* L1D, its prefetches and its locks, and load latency. */
	{ &x86_model_nehalem, 0x0151, 0x3 },
	{ &x86_model_nehalem, 0x0152, 0x3 },
	{ &x86_model_nehalem, 0x0153, 0x3 },
	{ &x86_model_nehalem, 0x0154, 0xf },
	{ &x86_model_nehalem, 0x010b, 0xf },
	{ &x86_model_nehalem, 0x100b, 0x8 },
	{ &x86_model_westmere, 0x024e, 0x3 },
	{ &x86_model_westmere, 0x0152, 0x3 },
	{ &x86_model_westmere, 0x0153, 0xf },
	{ &x86_model_westmere, 0x0160, 0x1 },
	{ &x86_model_westmere, 0x01b7, 0xf },
	{ &x86_model_westmere_ex, 0x01b7, 0x4 },
	/* L1D_PEND_MISS and CYCLE_ACTIVITY. */
	{ &x86_model_sandybridge, 0x0148, 0x4 },
	{ &x86_model_sandybridge, 0x0248, 0xff },
	{ &x86_model_sandybridge, 0x02a3, 0x4 },
	{ &x86_model_sandybridge, 0x06a3, 0x4 },
	{ &x86_model_sandybridge, 0x05a3, 0xf },
	{ &x86_model_sandybridge, 0x01c0, 0x2 },
	{ &x86_model_sandybridge, 0x01cd, 0x8 },
	{ &x86_model_ivybridge, 0x02a3, 0xf },
	{ &x86_model_ivybridge, 0x0ca3, 0x4 },
	{ &x86_model_haswell, 0x08a3, 0x4 },
	{ &x86_model_haswell, 0x01cd, 0x8 },
	{ &x86_model_broadwell, 0x01c0, 0x2 },
	{ &x86_model_broadwell, 0x81d0, 0xf },
	/*
	 * The same code with the modifiers of TOTAL_CYCLES, and nearly those.
	 */
	{ &x86_model_skylake, 0x01c0, 0x2 },
	{ &x86_model_skylake, 0x01c0 | CMASK(10) | X86_SEL_INV, 0xd },
	{ &x86_model_skylake, 0x01c0 | CMASK(10), 0x2 },
	{ &x86_model_skylake, 0x01c0 | CMASK(1) | X86_SEL_INV, 0x2 },
	{ &x86_model_skylake, 0x013c, 0xff },
	{ &x86_model_skylake, 0x0300, F(2) },
	/* Both ends of a range, and its neighbours. */
	{ &x86_model_icelake, 0x0002, 0xff },
	{ &x86_model_icelake, 0x0003, 0xf },
	{ &x86_model_icelake, 0x000a, 0xf },
	{ &x86_model_icelake, 0x000b, 0xff },
	{ &x86_model_icelake, 0x05a3, 0xf },
	{ &x86_model_icelake, 0x14a3, 0xff },
	{ &x86_model_icelake, 0x0100, F(0) },
	{ &x86_model_icelake, 0x0400, F(3) },
	{ &x86_model_icelake, 0x8300, BIT_ULL(51) },
	{ &x86_model_sapphire_rapids, 0x412e, 0xff },
	{ &x86_model_sapphire_rapids, 0x003c, 0xff | F(1) },
	{ &x86_model_sapphire_rapids, 0x013c, 0xff | F(2) },
	{ &x86_model_sapphire_rapids, 0x0148, 0xf },
	{ &x86_model_sapphire_rapids, 0x04a3, 0xff },
	{ &x86_model_sapphire_rapids, 0x05a3, 0xf },
	{ &x86_model_sapphire_rapids, 0x06a3, 0xf },
	{ &x86_model_sapphire_rapids, 0x0ca3, 0xf },
	{ &x86_model_sapphire_rapids, 0x08a4, 0x1 },
	{ &x86_model_sapphire_rapids, 0x01cd, 0xfe },
	{ &x86_model_sapphire_rapids, 0x02cd, 0x1 },
	{ &x86_model_sapphire_rapids, 0x8700, BIT_ULL(55) },
	{ &x86_model_lunarlake, 0x01cd, 0x3fc },
	{ &x86_model_lunarlake, 0x81d0, 0xf },
	{ &x86_model_lunarlake, 0x87d0, 0x3ff },
	{ &x86_model_gracemont, 0x05d0, 0x3 },
	{ &x86_model_gracemont, 0x81d0, 0x3f },
	{ &x86_model_lunarlake_atom, 0x0073, 0xff | F(4) },
	{ &x86_model_lunarlake_atom, 0x019c, 0xff | F(5) },
	{ &x86_model_lunarlake_atom, 0x02c2, 0xff | F(6) },
	{ &x86_model_lunarlake_atom, 0x0600, F(5) },
	/* BKDG for family 15h: units, and events of some counters. */
	{ &x86_model_fam15h, AMD(0x000) | 0x0f00, 0x38 },
	{ &x86_model_fam15h, AMD(0x000) | 0xf000, 0x38 },
	{ &x86_model_fam15h, AMD(0x000) | 0x1100, 0x08 },
	{ &x86_model_fam15h, AMD(0x003), 0x08 },
	{ &x86_model_fam15h, AMD(0x004) | 0x0400, 0x38 },
	{ &x86_model_fam15h, AMD(0x004) | 0x0600, 0x08 },
	{ &x86_model_fam15h, AMD(0x02e), 0x09 },
	{ &x86_model_fam15h, AMD(0x031) | 0x0100, 0x07 },
	{ &x86_model_fam15h, AMD(0x031) | 0x0300, 0 },
	{ &x86_model_fam15h, AMD(0x076), 0x07 },
	{ &x86_model_fam15h, AMD(0x08f), 0x01 },
	{ &x86_model_fam15h, AMD(0x0c0), 0x3f },
	{ &x86_model_fam15h, AMD(0x1c0), 0x38 },
	{ &x86_model_fam15h, AMD(0x0d0), 0x07 },
	{ &x86_model_fam15h, AMD(0x0dc), 0x3f },
	{ &x86_model_fam15h, AMD(0x1d8), 0x3f },
	{ &x86_model_fam15h, AMD(0x0e9), 0 },
	{ &x86_model_fam10h, AMD(0x0e9), 0xf },
	{ &x86_model_zen1, AMD(0x003), 0x15 },
	{ &x86_model_zen1, AMD(0x103), 0x3f },
	{ &x86_model_zxd, 0x0082, 0xf | F(1) },
	{ &x86_model_zxc, 0x0083, 0xf },
};

static void match_test_facts(struct kunit *test)
{
	const struct match_fact *fact;

	for (unsigned int i = 0; i < ARRAY_SIZE(match_facts); i++) {
		fact = &match_facts[i];
		KUNIT_EXPECT_EQ_MSG(test, counters_of(fact->model, fact->config),
				    fact->counters, "row %u, %s, config %llx", i,
				    fact->model->name, fact->config);
	}
}

/* A core of this file: event 0x10, umask 1 first, then all umasks. */
static const struct x86_rule made_up_rows[] = {
	X86_CODE(0x0110, X86_ONLY(1)),
	X86_EVENTS(0x0f, 0x11, X86_GENERAL(2)),
	{ .first = 0x30, .last = 0x30, .mask = X86_SEL_EVENT,
	  .counters = 0x55, .flags = X86_RULE_PAIR },
};

static const struct x86_rule made_up_later_rows[] = {
	X86_CODE(0x0210, X86_ONLY(3)),
	X86_EVENT(0x20, X86_ONLY(3)),
};

static const struct x86_rule_list made_up_later =
	X86_LIST(made_up_later_rows, NULL);
static const struct x86_rule_list made_up_rules =
	X86_LIST(made_up_rows, &made_up_later);

static const struct x86_model made_up = {
	.name		= "made up",
	.counters	= X86_GENERAL(4) | X86_FROM(32, 34),
	.rules		= &made_up_rules,
	.fixed		= &x86_fixed_intel,
};

static void match_test_first_rule(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, x86_match_rule(&made_up, 0x0110), &made_up_rows[0]);
	KUNIT_EXPECT_PTR_EQ(test, x86_match_rule(&made_up, 0x0310), &made_up_rows[1]);
	KUNIT_EXPECT_PTR_EQ(test, x86_match_rule(&made_up, 0x0210), &made_up_rows[1]);
	KUNIT_EXPECT_PTR_EQ(test, x86_match_rule(&made_up, 0x0020),
			    &made_up_later_rows[1]);
	KUNIT_EXPECT_NULL(test, x86_match_rule(&made_up, 0x000e));
	KUNIT_EXPECT_NULL(test, x86_match_rule(&made_up, 0x0012));
}

/* A pair needs the next counter, too. */
static void match_test_pair(struct kunit *test)
{
	struct x86_match_pmu pmu = { .model = &made_up, .counters = X86_GENERAL(3) };

	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x30), 0x1ULL);
	pmu.counters = X86_GENERAL(4);
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x30), 0x5ULL);
	pmu.counters = 0x1;
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x30), 0ULL);
}

static void match_test_modifiers(struct kunit *test)
{
	static const u64 general_only[] = {
		X86_SEL_EDGE, X86_SEL_PIN, X86_SEL_INV, CMASK(1), CMASK(0x80),
		X86_SEL_IN_TX, BIT_ULL(40), BIT_ULL(47),
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(general_only); i++) {
		u64 bits = general_only[i];

		KUNIT_EXPECT_EQ_MSG(test, counters_of(&x86_model_skylake, 0x00c0 | bits),
				    0xffULL, "bits %llx", bits);
		KUNIT_EXPECT_EQ_MSG(test, counters_of(&x86_model_skylake, 0x0300 | bits),
				    0ULL, "bits %llx", bits);
		KUNIT_EXPECT_EQ_MSG(test, counters_of(&x86_model_icelake, 0x8000 | bits),
				    0ULL, "bits %llx", bits);
	}
	KUNIT_EXPECT_EQ(test, counters_of(&x86_model_skylake, 0x00c0 | X86_SEL_USR |
					  X86_SEL_OS | X86_SEL_INT | X86_SEL_ENABLE),
			0xff | F(0));
}

static void match_test_any_thread(struct kunit *test)
{
	struct x86_match_pmu pmu = {
		.model = &x86_model_skylake, .counters = x86_model_skylake.counters,
	};

	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x003c | X86_SEL_ANY), 0xffULL);
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x0300 | X86_SEL_ANY), 0ULL);
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x003c), 0xff | F(1));
	pmu.fixed_any = true;
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x003c | X86_SEL_ANY),
			0xff | F(1));
}

static void match_test_transactions(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, counters_of(&x86_model_haswell, 0x003c | X86_SEL_IN_TXCP),
			0x4ULL);
	KUNIT_EXPECT_EQ(test, counters_of(&x86_model_haswell, 0x0148 | X86_SEL_IN_TXCP),
			0x4ULL);
	/* No counter both measures latencies and has the bit. */
	KUNIT_EXPECT_EQ(test, counters_of(&x86_model_haswell, 0x01cd | X86_SEL_IN_TXCP),
			0ULL);
	KUNIT_EXPECT_EQ(test, counters_of(&x86_model_haswell, 0x003c | X86_SEL_IN_TX),
			0xffULL);
}

/* A machine with fewer counters than the model, such as a guest. */
static void match_test_absent(struct kunit *test)
{
	struct x86_match_pmu pmu = { .model = &x86_model_icelake, .counters = 0x3 };

	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x00c0), 0x3ULL);
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x0300), 0ULL);
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x0400), 0ULL);
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x8000), 0ULL);
	pmu.model = &x86_model_nehalem;
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x01b7), 0ULL);
	/* Event 0 without a fixed counter is an event as any other. */
	pmu.model = &x86_model_intel_v1;
	KUNIT_EXPECT_EQ(test, x86_match_counters(&pmu, 0x0300), 0x3ULL);
}

static void match_test_extra(struct kunit *test)
{
	const struct x86_model *skl = &x86_model_skylake;
	const struct x86_extra_rule *extra = x86_match_extra(skl, 0x01b7 | X86_SEL_USR);

	KUNIT_ASSERT_NOT_NULL(test, extra);
	KUNIT_EXPECT_EQ(test, extra->msr, 0x1a6U);
	KUNIT_EXPECT_EQ(test, extra->reg, X86_EXTRA_RSP_0);
	KUNIT_EXPECT_NULL(test, x86_match_extra(skl, 0x02b7));
	KUNIT_EXPECT_EQ(test, x86_match_extra(skl, 0x01cd)->msr, 0x3f6U);
	KUNIT_EXPECT_EQ(test, x86_match_extra(skl, 0x01c6)->msr, 0x3f7U);
	KUNIT_EXPECT_EQ(test, x86_match_extra(&x86_model_crestmont, 0x0227)->msr, 0x1329U);

	KUNIT_EXPECT_EQ(test, x86_match_extra_value(skl, 0x01b7, 0x10001), 0);
	KUNIT_EXPECT_EQ(test, x86_match_extra_value(skl, 0x01b7, BIT_ULL(38)), -EINVAL);
	KUNIT_EXPECT_EQ(test, x86_match_extra_value(skl, 0x01c6, 0x8), -EINVAL);
	KUNIT_EXPECT_EQ(test, x86_match_extra_value(skl, 0x00c0, 0), 0);
	KUNIT_EXPECT_EQ(test, x86_match_extra_value(skl, 0x00c0, 1), -ENOENT);
}

static void match_test_other_register(struct kunit *test)
{
	const struct x86_model *knl = &x86_model_knights_landing;
	const struct x86_extra_rule *rsp0 = x86_match_extra(knl, 0x01b7);
	const struct x86_extra_rule *rsp1 = x86_match_extra(knl, 0x02b7);

	KUNIT_EXPECT_PTR_EQ(test, x86_match_other(knl, rsp0, 0x1), rsp1);
	KUNIT_EXPECT_PTR_EQ(test, x86_match_other(knl, rsp1, 0x1), rsp0);
	/* Only the first register has bit 38. */
	KUNIT_EXPECT_NULL(test, x86_match_other(knl, rsp0, BIT_ULL(38)));
	KUNIT_EXPECT_NULL(test, x86_match_other(&x86_model_nehalem,
						x86_match_extra(&x86_model_nehalem, 0x01b7), 1));
	KUNIT_EXPECT_NULL(test, x86_match_other(&x86_model_skylake,
						x86_match_extra(&x86_model_skylake, 0x01cd), 3));
}

static void match_test_generic(struct kunit *test)
{
	struct x86_match_pmu pmu = { .model = &x86_model_nehalem };
	u64 config = 0;

	KUNIT_EXPECT_EQ(test, x86_match_generic(&pmu, PERF_COUNT_HW_MAX, &config), -EINVAL);
	KUNIT_EXPECT_EQ(test, x86_match_generic(&pmu, 1ULL << 32, &config), -EINVAL);
	KUNIT_EXPECT_EQ(test, config, 0ULL);

	KUNIT_EXPECT_EQ(test, x86_match_generic(&pmu, PERF_COUNT_HW_BRANCH_MISSES, &config), 0);
	KUNIT_EXPECT_EQ(test, config, 0x00c5ULL);
	pmu.missing = BIT(6);
	KUNIT_EXPECT_EQ(test, x86_match_generic(&pmu, PERF_COUNT_HW_BRANCH_MISSES, &config), 0);
	KUNIT_EXPECT_EQ(test, config, 0x7f89ULL);

	pmu.model = &x86_model_skylake;
	KUNIT_EXPECT_EQ(test, x86_match_generic(&pmu, PERF_COUNT_HW_BRANCH_MISSES, &config),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, x86_match_generic(&pmu, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
						&config), -ENOENT);
	KUNIT_EXPECT_EQ(test, x86_match_generic(&pmu, PERF_COUNT_HW_REF_CPU_CYCLES, &config), 0);
	KUNIT_EXPECT_EQ(test, config, 0x0300ULL);

	/* Without the architectural event only the fixed counter is left. */
	pmu.model = &x86_model_sapphire_rapids;
	pmu.missing = 0;
	KUNIT_EXPECT_EQ(test, x86_match_generic(&pmu, PERF_COUNT_HW_REF_CPU_CYCLES, &config), 0);
	KUNIT_EXPECT_EQ(test, config, 0x013cULL);
	pmu.missing = BIT(2);
	KUNIT_EXPECT_EQ(test, x86_match_generic(&pmu, PERF_COUNT_HW_REF_CPU_CYCLES, &config), 0);
	KUNIT_EXPECT_EQ(test, config, 0x0300ULL);
}

#define KEY(c, o, r)	(PERF_COUNT_HW_CACHE_##c | PERF_COUNT_HW_CACHE_OP_##o << 8 | \
			 PERF_COUNT_HW_CACHE_RESULT_##r << 16)

static void match_test_cache(struct kunit *test)
{
	const struct x86_model *skl = &x86_model_skylake, *icl = &x86_model_icelake;
	u64 config = 1, extra = 1;

	KUNIT_EXPECT_EQ(test, x86_match_cache(skl, KEY(L1D, READ, MISS), &config, &extra), 0);
	KUNIT_EXPECT_EQ(test, config, 0x0151ULL);
	KUNIT_EXPECT_EQ(test, extra, 0ULL);
	KUNIT_EXPECT_EQ(test, x86_match_cache(skl, KEY(LL, READ, ACCESS), &config, &extra), 0);
	KUNIT_EXPECT_EQ(test, config, 0x01b7ULL);
	KUNIT_EXPECT_EQ(test, extra, 0x3fc0010001ULL);

	/* Skylake has an event for it, its successor refuses it. */
	KUNIT_EXPECT_EQ(test, x86_match_cache(skl, KEY(ITLB, READ, ACCESS), &config, &extra), 0);
	KUNIT_EXPECT_EQ(test, x86_match_cache(icl, KEY(ITLB, READ, ACCESS), &config, &extra),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, x86_match_cache(icl, KEY(ITLB, READ, MISS), &config, &extra), 0);

	KUNIT_EXPECT_EQ(test, x86_match_cache(skl, KEY(L1I, WRITE, MISS), &config, &extra),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, x86_match_cache(skl, KEY(L1D, WRITE, MISS), &config, &extra),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, x86_match_cache(skl, PERF_COUNT_HW_CACHE_MAX, &config, &extra),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, x86_match_cache(skl, 0x300, &config, &extra), -EINVAL);
	KUNIT_EXPECT_EQ(test, x86_match_cache(skl, 0x20000, &config, &extra), -EINVAL);
	KUNIT_EXPECT_EQ(test, x86_match_cache(skl, 0x1000000, &config, &extra), -EINVAL);
}

/* Misses of the L1 data cache and of the data TLB, by the event tables. */
static void match_test_cache_facts(struct kunit *test)
{
	static const struct {
		const struct x86_model	*model;
		u64			l1d, dtlb;
	} facts[] = {
		{ &x86_model_core2, 0x0140, 0x0208 },
		{ &x86_model_nehalem, 0x0151, 0x0108 },
		{ &x86_model_sandybridge, 0x0151, 0x0108 },
		{ &x86_model_ivybridge, 0x0151, 0x8108 },
		{ &x86_model_haswell, 0x0151, 0x0108 },
		{ &x86_model_skylake, 0x0151, 0x0e08 },
		{ &x86_model_sapphire_rapids, 0xe124, 0x0e12 },
		{ &x86_model_silvermont, 0x0104, 0x0804 },
		{ &x86_model_k8, 0x0041, 0x0046 },
		{ &x86_model_fam10h, 0x0041, 0x0746 },
		{ &x86_model_zen1, 0xc860, 0xf045 },
		{ &x86_model_zxe, 0x054b, 0x052c },
	};
	u64 config = 0, extra;

	for (unsigned int i = 0; i < ARRAY_SIZE(facts); i++) {
		const struct x86_model *model = facts[i].model;

		KUNIT_EXPECT_EQ(test, x86_match_cache(model, KEY(L1D, READ, MISS), &config,
						      &extra), 0);
		KUNIT_EXPECT_EQ_MSG(test, config, facts[i].l1d, "%s", model->name);
		KUNIT_EXPECT_EQ(test, x86_match_cache(model, KEY(DTLB, READ, MISS), &config,
						      &extra), 0);
		KUNIT_EXPECT_EQ_MSG(test, config, facts[i].dtlb, "%s", model->name);
	}
}

/* Names of some cores, and names that they do not have. */
static void match_test_named(struct kunit *test)
{
	static const struct {
		const struct x86_model	*model;
		const char		*name, *text;
	} facts[] = {
		{ &x86_model_core2, "topdown-slots-issued", NULL },
		{ &x86_model_nehalem, "topdown-slots-issued", NULL },
		{ &x86_model_sandybridge, "topdown-slots-issued", "event=0xe,umask=0x1" },
		{ &x86_model_skylake, "topdown-slots-issued", "event=0xe,umask=0x1" },
		{ &x86_model_broadwell, "topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1" },
		{ &x86_model_skylake, "topdown-recovery-bubbles", "event=0xd,umask=0x1,cmask=1" },
		{ &x86_model_icelake, "topdown-slots-issued", NULL },
		{ &x86_model_sandybridge, "tx-start", NULL },
		{ &x86_model_haswell, "tx-start", "event=0xc9,umask=0x1" },
		{ &x86_model_haswell, "tx-capacity", "event=0x54,umask=0x2" },
		{ &x86_model_haswell, "tx-capacity-read", NULL },
		{ &x86_model_icelake, "el-capacity-read", "event=0x54,umask=0x80" },
		{ &x86_model_sapphire_rapids, "tx-capacity-read", "event=0x54,umask=0x80" },
		{ &x86_model_sapphire_rapids, "el-start", NULL },
		{ &x86_model_lunarlake, "cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1" },
		{ &x86_model_lunarlake_atom, "cycles-ct", NULL },
		{ &x86_model_silvermont, "topdown-total-slots.scale", "2" },
		{ &x86_model_knights_landing, "topdown-total-slots.scale", NULL },
		{ &x86_model_goldmont, "topdown-total-slots.scale", "3" },
		{ &x86_model_tremont, "topdown-bad-spec", "event=0x73,umask=0x6" },
		{ &x86_model_crestmont, "topdown-retiring", "event=0x72,umask=0x0" },
		{ &x86_model_meteorlake_atom, "topdown-retiring", "event=0xc2,umask=0x0" },
		{ &x86_model_zen3, "topdown-retiring", NULL },
		{ &x86_model_skylake, "slots", NULL },
		{ &x86_model_icelake, "slots", "event=0x00,umask=0x4" },
		{ &x86_model_icelake_server, "topdown-be-bound", "event=0x00,umask=0x83" },
		{ &x86_model_icelake, "topdown-heavy-ops", NULL },
		{ &x86_model_lunarlake, "topdown-retiring", "event=0x00,umask=0x80" },
		{ &x86_model_sapphire_rapids, "topdown-mem-bound", "event=0x00,umask=0x87" },
		{ &x86_model_core2, "mem-loads", NULL },
		{ &x86_model_westmere, "mem-loads", "event=0x0b,umask=0x10,ldlat=3" },
		{ &x86_model_westmere, "mem-stores", NULL },
		{ &x86_model_ivybridge_ep, "mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
		{ &x86_model_ivybridge_ep, "mem-stores", "event=0xcd,umask=0x2" },
		{ &x86_model_skylake_server, "mem-stores", "event=0xd0,umask=0x82" },
		{ &x86_model_icelake_server, "mem-stores", "event=0xd0,umask=0x82" },
		{ &x86_model_lunarlake, "mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
		{ &x86_model_lunarlake, "mem-stores", "event=0xcd,umask=0x2" },
		{ &x86_model_tremont, "mem-loads", NULL },
		{ &x86_model_gracemont, "mem-loads", "event=0xd0,umask=0x5,ldlat=3" },
		{ &x86_model_crestmont, "mem-stores", "event=0xd0,umask=0x6" },
		{ &x86_model_lunarlake_atom, "mem-stores", "event=0xd0,umask=0x6" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(facts); i++) {
		const struct x86_named *named = x86_match_named(facts[i].model, facts[i].name,
								~0U);

		KUNIT_EXPECT_STREQ_MSG(test, named ? named->text : "absent",
				       facts[i].text ?: "absent", "%s, %s",
				       facts[i].model->name, facts[i].name);
	}
}

static const struct x86_named *find_without(const struct x86_model *model, const char *name,
					    unsigned int lacks)
{
	return x86_match_named(model, name, ~lacks);
}

/* Without transactions their events are absent, and no others. */
static void match_test_named_tsx(struct kunit *test)
{
	const struct x86_model *model = &x86_model_haswell;

	KUNIT_EXPECT_NULL(test, find_without(model, "tx-start", X86_HAS_TSX));
	KUNIT_EXPECT_NULL(test, find_without(model, "el-capacity", X86_HAS_TSX));
	KUNIT_EXPECT_NULL(test, find_without(model, "cycles-t", X86_HAS_TSX));
	KUNIT_EXPECT_NOT_NULL(test, find_without(model, "topdown-total-slots", X86_HAS_TSX));
}

/* The second event of latencies of loads; elsewhere it would mislead. */
static void match_test_named_memory(struct kunit *test)
{
	const struct x86_model *model = &x86_model_sapphire_rapids;

	KUNIT_EXPECT_NULL(test, find_without(model, "mem-loads-aux", X86_HAS_LOADS_AUX));
	KUNIT_EXPECT_NOT_NULL(test, x86_match_named(model, "mem-loads-aux", X86_HAS_LOADS_AUX));
	KUNIT_EXPECT_NULL(test, find_without(model, "mem-loads", X86_HAS_PRECISE));
	KUNIT_EXPECT_NULL(test, find_without(model, "slots", X86_HAS_METRICS));
}

static const struct match_precise {
	const struct x86_model	*model;
	u64			config;
	u64			counters;
	enum x86_data		data;
} match_precise[] = {
	{ &x86_model_core2, 0x00c0, 0x1 },
	{ &x86_model_core2, 0x003c, 0 },
	{ &x86_model_nehalem, 0x100b, 0x8, X86_DATA_LOAD_LATENCY },
	{ &x86_model_nehalem, 0x00c0 | CMASK(16) | X86_SEL_INV, 0xf },
	{ &x86_model_nehalem, 0x00c0 | CMASK(1) | X86_SEL_INV, 0 },
	{ &x86_model_nehalem, 0x01c5, 0 },
	{ &x86_model_westmere, 0x01c5, 0xf },
	{ &x86_model_sandybridge, 0x02cd, 0x8, X86_DATA_PRECISE_STORE },
	{ &x86_model_sandybridge, 0x01cd, 0x8, X86_DATA_LOAD_LATENCY },
	{ &x86_model_sandybridge, 0x01c0, 0x2 },
	{ &x86_model_sandybridge, 0x81d0, 0xf },
	/* A counter that cannot count it cannot make it precise. */
	{ &x86_model_sandybridge, 0x0148, 0x4 },
	{ &x86_model_sandybridge, 0x00c4 | X86_SEL_EDGE, 0 },
	{ &x86_model_haswell, 0x01d1, 0xf, X86_DATA_LOAD },
	{ &x86_model_haswell, 0x82d0, 0xf, X86_DATA_STORE },
	{ &x86_model_haswell, 0x22d0, 0xf },
	{ &x86_model_skylake, 0x22d0, 0xf, X86_DATA_STORE },
	{ &x86_model_skylake, 0x01c2 | CMASK(16) | X86_SEL_INV, 0xf },
	{ &x86_model_skylake, 0x003c, 0xf },
	{ &x86_model_silvermont, 0x00c4, 0x1 },
	{ &x86_model_goldmont, 0x00c4, 0x1 },
	{ &x86_model_goldmont_plus, 0x00c4, 0xf },
	{ &x86_model_tremont, 0x003c, 0xf | F(1) },
	{ &x86_model_icelake, 0x003c, 0xff | F(1) },
	{ &x86_model_icelake, 0x0100, F(0) },
	{ &x86_model_icelake, 0x01cd, 0xff, X86_DATA_LOAD_LATENCY },
	{ &x86_model_sapphire_rapids, 0x01cd, 0xfe, X86_DATA_LOAD_LATENCY },
	{ &x86_model_sapphire_rapids, 0x02cd, 0x1, X86_DATA_STORE_LATENCY },
	{ &x86_model_sapphire_rapids, 0x00c0, 0xfe },
	{ &x86_model_sapphire_rapids, 0x04d1, 0xf, X86_DATA_LOAD },
	{ &x86_model_lunarlake, 0x02cd, 0x3, X86_DATA_STORE_LATENCY },
	{ &x86_model_gracemont, 0x05d0, 0x3, X86_DATA_LOAD_LATENCY },
	{ &x86_model_gracemont, 0x06d0, 0x3f, X86_DATA_STORE_LATENCY },
	{ &x86_model_intel_v5, 0x00c0, 0 },
	{ &x86_model_zen4, 0x00c0, 0 },
};

static void match_test_precise(struct kunit *test)
{
	struct x86_match_pmu pmu = { .fixed_any = true };
	enum x86_data data;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(match_precise); i++) {
		pmu.model = match_precise[i].model;
		pmu.counters = pmu.model->counters;
		KUNIT_EXPECT_EQ_MSG(test, x86_match_precise(&pmu, match_precise[i].config,
							    true, &data),
				    match_precise[i].counters, "%s: config %llx",
				    pmu.model->name, match_precise[i].config);
		KUNIT_EXPECT_EQ_MSG(test, data, match_precise[i].data, "%s: config %llx",
				    pmu.model->name, match_precise[i].config);
	}
	/* Without groups in records only listed events. */
	pmu.model = &x86_model_icelake;
	pmu.counters = pmu.model->counters;
	KUNIT_EXPECT_EQ(test, x86_match_precise(&pmu, 0x00c4, false, &data), 0);
	KUNIT_EXPECT_EQ(test, x86_match_precise(&pmu, 0x04d1, false, &data), 0xf);
}

/* SDM vol. 3 20.9.6 and the event files: counters of precise distribution. */
static const struct match_even {
	const struct x86_model	*model;
	u64			config;
	u64			counters;
} match_even[] = {
	{ &x86_model_skylake, 0x01c0, 0x2 },
	{ &x86_model_skylake, 0x00c0, 0xf },
	{ &x86_model_icelake, 0x00c0, F(0) },
	{ &x86_model_icelake, 0x00c4, 0xff },
	{ &x86_model_sapphire_rapids, 0x00c0, F(0) },
	{ &x86_model_sapphire_rapids, 0x0100, F(0) },
	{ &x86_model_sapphire_rapids, 0x00c4, 0x1 },
	{ &x86_model_sapphire_rapids, 0x003c, 0x1 },
	/* Load latency has other counters. */
	{ &x86_model_sapphire_rapids, 0x01cd, 0 },
	{ &x86_model_goldmont_plus, 0x00c0, 0x1 },
	{ &x86_model_tremont, 0x00c0, 0x1 | F(0) },
	{ &x86_model_gracemont, 0x00c4, 0x1 },
	{ &x86_model_crestmont, 0x00c4, 0x3 },
	{ &x86_model_crestmont, 0x00c0, 0x3 | F(0) },
};

static void match_test_even(struct kunit *test)
{
	struct x86_match_pmu pmu = { };
	enum x86_data data;
	unsigned int i;
	u64 counters;

	for (i = 0; i < ARRAY_SIZE(match_even); i++) {
		pmu.model = match_even[i].model;
		pmu.counters = pmu.model->counters;
		counters = x86_match_precise(&pmu, match_even[i].config, true, &data);
		KUNIT_EXPECT_EQ_MSG(test, x86_match_even(&pmu, match_even[i].config, counters),
				    match_even[i].counters, "%s: config %llx",
				    pmu.model->name, match_even[i].config);
	}
}

static struct kunit_case match_test_cases[] = {
	KUNIT_CASE(match_test_facts),
	KUNIT_CASE(match_test_first_rule),
	KUNIT_CASE(match_test_pair),
	KUNIT_CASE(match_test_modifiers),
	KUNIT_CASE(match_test_any_thread),
	KUNIT_CASE(match_test_transactions),
	KUNIT_CASE(match_test_absent),
	KUNIT_CASE(match_test_extra),
	KUNIT_CASE(match_test_other_register),
	KUNIT_CASE(match_test_generic),
	KUNIT_CASE(match_test_cache),
	KUNIT_CASE(match_test_cache_facts),
	KUNIT_CASE(match_test_named),
	KUNIT_CASE(match_test_named_tsx),
	KUNIT_CASE(match_test_named_memory),
	KUNIT_CASE(match_test_precise),
	KUNIT_CASE(match_test_even),
	{ }
};

static struct kunit_suite match_test_suite = {
	.name		= "x86_rules",
	.test_cases	= match_test_cases,
};

kunit_test_suite(match_test_suite);
