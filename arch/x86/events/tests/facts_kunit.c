// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "intel/facts": counters of Alder Lake's two types of cores. */
#include <kunit/test.h>
#include "../intel/facts.h"
#include "../rules/tables/tables.h"

static const u64 six_and_three = X86_GENERAL(6) | X86_FIXED(0) | X86_FIXED(1) | X86_FIXED(2);
static const u64 eight_and_four = X86_GENERAL(8) | X86_FIXED(0) | X86_FIXED(1) |
				  X86_FIXED(2) | X86_FIXED(3);

static void facts_test_big(struct kunit *test)
{
	const struct x86_model *big = &x86_model_alderlake;

	KUNIT_EXPECT_TRUE(test, big->quirks & X86_QUIRK_COMMON_LEAF);
	KUNIT_EXPECT_EQ(test, intel_facts_big(six_and_three, big), eight_and_four);
	/* The efficient cores are off. */
	KUNIT_EXPECT_EQ(test, intel_facts_big(eight_and_four, big), eight_and_four);
	/* One of the two numbers is too large already. */
	KUNIT_EXPECT_EQ(test, intel_facts_big(X86_GENERAL(8) | X86_FIXED(0), big),
			X86_GENERAL(8) | X86_FIXED(0));
	KUNIT_EXPECT_EQ(test, intel_facts_big(X86_GENERAL(4) | X86_FIXED(0), big),
			X86_GENERAL(6) | X86_FIXED(0) | X86_FIXED(1));
}

static struct kunit_case facts_cases[] = {
	KUNIT_CASE(facts_test_big),
	{}
};

static struct kunit_suite facts_suite = {
	.name		= "x86_intel_facts",
	.test_cases	= facts_cases,
};

kunit_test_suite(facts_suite);
