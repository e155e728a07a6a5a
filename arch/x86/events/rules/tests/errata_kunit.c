// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "errata". */
#include <kunit/test.h>
#include "../errata.h"
#include "../tables/tables.h"

#define OLD	BIT(0)
#define PATCHED	BIT(1)

static const struct x86_errata_row made_up[] = {
	{ .vendor = X86_MODELS_INTEL, .family = 6, .first = 0x10, .last = 0x12,
	  .last_stepping = 3, .errata = OLD },
	{ .vendor = X86_MODELS_INTEL, .family = 6, .first = 0x11, .last = 0x11,
	  .first_stepping = 2, .last_stepping = 0xff, .repaired = 0x28, .errata = PATCHED },
};

static u32 find(unsigned int vendor, unsigned int model, unsigned int stepping, u32 microcode)
{
	return x86_errata_in(made_up, ARRAY_SIZE(made_up), &(struct x86_models_cpu) {
		.vendor = vendor, .family = 6, .model = model, .stepping = stepping,
	}, microcode);
}

static void errata_test_rows(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x0f, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x10, 0, 1), OLD);
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x12, 3, 1), OLD);
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x12, 4, 1), 0);
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x13, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_AMD, 0x10, 0, 1), 0);
}

static void errata_test_microcode(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x11, 1, 0x27), OLD);
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x11, 2, 0x27), OLD | PATCHED);
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x11, 2, 0x28), OLD);
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x11, 2, 0x29), OLD);
	KUNIT_EXPECT_EQ(test, find(X86_MODELS_INTEL, 0x11, 9, 0), PATCHED);
}

/* Nehalem and Westmere must warm up their counters, and nobody else. */
static void errata_test_warm_up(struct kunit *test)
{
	const struct x86_models_row *row;
	unsigned int nr, i;
	bool wanted;

	row = x86_models_rows(&nr);
	for (i = 0; i < nr; i++, row++) {
		u32 errata = x86_errata_find(&(struct x86_models_cpu) {
			.vendor = row->vendor, .family = row->family,
			.model = row->last, .stepping = row->first_stepping,
		}, 0);

		wanted = row->model == &x86_model_nehalem || row->model == &x86_model_westmere ||
			 row->model == &x86_model_westmere_ex;
		KUNIT_EXPECT_EQ_MSG(test, errata & X86_ERRATA_WARM_UP,
				    wanted ? X86_ERRATA_WARM_UP : 0, "model 0x%x", row->last);
	}
}

static u32 find_real(unsigned int model, unsigned int stepping, u32 microcode)
{
	return x86_errata_find(&(struct x86_models_cpu) {
		.vendor = X86_MODELS_INTEL, .family = 6, .model = model, .stepping = stepping,
	}, microcode) & X86_ERRATA_NO_PRECISE;
}

static void errata_test_precise(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, find_real(0x0f, 6, 0xffff), 0);
	KUNIT_EXPECT_EQ(test, find_real(0x17, 6, 0), 0);
	KUNIT_EXPECT_NE(test, find_real(0x2a, 7, 0x27), 0);
	KUNIT_EXPECT_EQ(test, find_real(0x2a, 7, 0x28), 0);
	KUNIT_EXPECT_NE(test, find_real(0x2a, 6, 0x28), 0);
	KUNIT_EXPECT_EQ(test, find_real(0x2d, 6, 0x618), 0);
	KUNIT_EXPECT_NE(test, find_real(0x2d, 7, 0x618), 0);
	KUNIT_EXPECT_EQ(test, find_real(0x3a, 9, 0), 0);
}

static bool is_late(unsigned int model, unsigned int stepping, unsigned int version,
		    u32 microcode)
{
	return x86_errata_find(&(struct x86_models_cpu) {
		.vendor = X86_MODELS_INTEL, .family = 6, .model = model, .stepping = stepping,
		.version = version,
	}, microcode) & X86_ERRATA_LATE_RECORDS;
}

/* Repaired by microcode from Haswell on, and in version 5 of PMUs. */
static void errata_test_late_records(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, is_late(0x1a, 5, 3, ~0));
	KUNIT_EXPECT_TRUE(test, is_late(0x3c, 3, 3, 0x1e));
	KUNIT_EXPECT_FALSE(test, is_late(0x3c, 3, 3, 0x1f));
	KUNIT_EXPECT_TRUE(test, is_late(0x3c, 2, 3, 0x1f));
	KUNIT_EXPECT_TRUE(test, is_late(0x56, 5, 3, 0x0e000001));
	KUNIT_EXPECT_FALSE(test, is_late(0x56, 5, 3, 0x0e000002));
	KUNIT_EXPECT_FALSE(test, is_late(0x55, 6, 4, 0));
	KUNIT_EXPECT_TRUE(test, is_late(0x55, 8, 4, ~0));
	KUNIT_EXPECT_FALSE(test, is_late(0x9e, 13, 4, 0x4e));
	/* Ice Lake, and Goldmont Plus before it. */
	KUNIT_EXPECT_FALSE(test, is_late(0x7e, 5, 5, 0));
	KUNIT_EXPECT_TRUE(test, is_late(0x7a, 1, 4, ~0));
	KUNIT_EXPECT_EQ(test, 0, X86_ERRATA_LATE_RECORDS &
			x86_errata_find(&(struct x86_models_cpu) {
				.vendor = X86_MODELS_AMD, .family = 0x17, .version = 1,
			}, 0));
}

static struct kunit_case errata_cases[] = {
	KUNIT_CASE(errata_test_rows),
	KUNIT_CASE(errata_test_microcode),
	KUNIT_CASE(errata_test_warm_up),
	KUNIT_CASE(errata_test_precise),
	KUNIT_CASE(errata_test_late_records),
	{}
};

static struct kunit_suite errata_suite = {
	.name		= "x86_errata",
	.test_cases	= errata_cases,
};

kunit_test_suite(errata_suite);
