// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of room "intel/pebs_decode": a record of each format, as the
 * tables of the manual have it. ./perflab check x86 adds random ones.
 */
#include <kunit/test.h>
#include "../intel/pebs_decode.h"

/* Format 3, SDM vol. 3 20.3.8.1; the others begin in the same way. */
static const u64 longest[] = {
	/* 00h: flags, IP, AX BX CX DX SI DI BP SP, R8 to R15 */
	0x246, 0x401000, 0xa0, 0xb0, 0xc0, 0xd0, 0x51, 0xd1, 0xb9, 0x59,
	0x80, 0x90, 0x100, 0x110, 0x120, 0x130, 0x140, 0x150,
	0x2,			/* 90h: counters */
	0x7fff12345678,		/* 98h: data address */
	0x17,			/* a0h: data source */
	0x64,			/* a8h: latency */
	0x400ffc,		/* b0h: address of the instruction */
	0x1000000020,		/* b8h: transaction */
	0x123456789a,		/* c0h: time stamp */
};

static const unsigned int sizes[] = { 0x90, 0xb0, 0xc0, 0xc8 };

static void decode_test_fixed(struct kunit *test)
{
	struct intel_pebs_record record;
	unsigned int format, i;

	for (format = 0; format < 4; format++) {
		KUNIT_ASSERT_FALSE(test, intel_pebs_decode(&record, format, longest,
							   sizes[format] - 1));
		KUNIT_ASSERT_TRUE(test, intel_pebs_decode(&record, format, longest,
							  sizes[format]));
		KUNIT_EXPECT_EQ(test, record.size, sizes[format]);
		for (i = 0; i < INTEL_PEBS_NR_REGS; i++)
			KUNIT_EXPECT_EQ(test, intel_pebs_reg(&record, i), longest[i]);
		KUNIT_EXPECT_EQ(test, record.counters, format >= 1 ? 0x2 : 0);
		KUNIT_EXPECT_EQ(test, record.address, format >= 1 ? 0x7fff12345678 : 0);
		KUNIT_EXPECT_EQ(test, record.source, format >= 1 ? 0x17 : 0);
		KUNIT_EXPECT_EQ(test, record.latency, format >= 1 ? 0x64 : 0);
		KUNIT_EXPECT_EQ(test, record.event_ip, format >= 2 ? 0x400ffc : 0);
		KUNIT_EXPECT_EQ(test, record.tsx, format >= 2 ? 0x1000000020 : 0);
		KUNIT_EXPECT_EQ(test, record.tsc, format >= 3 ? 0x123456789a : 0);
		KUNIT_EXPECT_EQ(test, !!(record.has & INTEL_PEBS_TSC), format >= 3);
		KUNIT_EXPECT_EQ(test, !!(record.has & INTEL_PEBS_STATUS), format >= 1);
	}
}

/*
 * Words of the groups of a record with everything, two branches and three
 * counters.
 */
#define ADAPTIVE_WORDS	(4 + 4 + 18 + 32 + 2 * 3 + 2 + 3 + 2)
#define ADAPTIVE_GROUPS	0x0100003fULL

static void fill_adaptive(u64 *words)
{
	/*
	 * Flags, IP, AX CX DX BX SP BP SI DI and R8 to R15, SDM vol. 3
	 * 20.9.2.2.3.
	 */
	static const u64 regs[] = {
		0x246, 0x401000, 0xa0, 0xc0, 0xd0, 0xb0, 0x59, 0xb9, 0x51, 0xd1,
		0x80, 0x90, 0x100, 0x110, 0x120, 0x130, 0x140, 0x150
	};
	unsigned int i;

	words[0] = (ADAPTIVE_WORDS * 8ULL) << 48 | 0x1234ULL << 32 | ADAPTIVE_GROUPS;
	words[1] = 0x400ffc;
	words[2] = 0x100000002;
	words[3] = 0x123456789a;
	words[4] = 0x7fff12345678;
	words[5] = 0x17;
	words[6] = 0x64;
	words[7] = 0x1000000020;
	memcpy(words + 8, regs, sizeof(regs));
	for (i = 0; i < 32; i++)
		words[26 + i] = 0x1000 + i;
	for (i = 0; i < 6; i++)
		words[58 + i] = 0x2000 + i;
	words[64] = 0x1ULL << 32 | 0x5;
	words[65] = 3;
	for (i = 0; i < 5; i++)
		words[66 + i] = 0x3000 + i;
}

static void decode_test_adaptive(struct kunit *test)
{
	struct intel_pebs_record record;
	u64 words[ADAPTIVE_WORDS + 1];
	unsigned int i;

	fill_adaptive(words);
	KUNIT_ASSERT_TRUE(test, intel_pebs_decode(&record, 6, words, sizeof(words)));
	KUNIT_EXPECT_EQ(test, record.size, ADAPTIVE_WORDS * 8);
	KUNIT_EXPECT_EQ(test, record.retire_latency, 0x1234);
	KUNIT_EXPECT_EQ(test, record.event_ip, 0x400ffc);
	KUNIT_EXPECT_EQ(test, record.counters, 0x100000002);
	KUNIT_EXPECT_EQ(test, record.tsc, 0x123456789a);
	KUNIT_EXPECT_EQ(test, record.address, 0x7fff12345678);
	KUNIT_EXPECT_EQ(test, record.source, 0x17);
	KUNIT_EXPECT_EQ(test, record.latency, 0x64);
	KUNIT_EXPECT_EQ(test, record.tsx, 0x1000000020);
	for (i = 0; i < INTEL_PEBS_NR_REGS; i++)
		KUNIT_EXPECT_EQ(test, intel_pebs_reg(&record, i), longest[i]);
	KUNIT_EXPECT_EQ(test, record.xmm[31], 0x101f);
	KUNIT_EXPECT_EQ(test, record.nr_branches, 2);
	KUNIT_EXPECT_EQ(test, record.branches[5], 0x2005);
	KUNIT_EXPECT_EQ(test, record.general, 0x5);
	KUNIT_EXPECT_EQ(test, record.fixed, 0x1);
	KUNIT_EXPECT_TRUE(test, record.metrics);
	KUNIT_EXPECT_EQ(test, record.values[4], 0x3004);
	/* Formats 4 and 5 have no counters. */
	KUNIT_EXPECT_FALSE(test, intel_pebs_decode(&record, 5, words, sizeof(words)));
}

/* Each of these headers contradicts the record. */
static void decode_test_wrong(struct kunit *test)
{
	struct intel_pebs_record record;
	u64 words[ADAPTIVE_WORDS + 1], header;
	unsigned int i;

	fill_adaptive(words);
	header = words[0];
	for (i = 0; i < ADAPTIVE_WORDS * 8; i++)
		KUNIT_EXPECT_FALSE(test, intel_pebs_decode(&record, 6, words, i));
	for (i = 0; i < 24; i++) {
		words[0] = header ^ BIT_ULL(i);
		KUNIT_EXPECT_FALSE(test, intel_pebs_decode(&record, 6, words, sizeof(words)));
	}
	for (i = 0; i < 0x10000; i++) {
		words[0] = (header & ~(0xffffULL << 48)) | (u64)i << 48;
		KUNIT_EXPECT_EQ(test, intel_pebs_decode(&record, 6, words, sizeof(words)),
				i == ADAPTIVE_WORDS * 8);
	}
	words[0] = header;
	words[65] = 1;
	KUNIT_EXPECT_FALSE(test, intel_pebs_decode(&record, 6, words, sizeof(words)));
	words[65] = 3;
	words[64] |= 0x2;
	KUNIT_EXPECT_FALSE(test, intel_pebs_decode(&record, 6, words, sizeof(words)));
}

static void decode_test_size(struct kunit *test)
{
	unsigned int format;

	for (format = 0; format < 4; format++)
		KUNIT_EXPECT_EQ(test, intel_pebs_size(format, ~0ULL), sizes[format]);
	KUNIT_EXPECT_EQ(test, intel_pebs_size(4, 0), 32);
	KUNIT_EXPECT_EQ(test, intel_pebs_size(4, INTEL_PEBS_MEMORY | INTEL_PEBS_REGS),
			32 + 32 + 144);
	KUNIT_EXPECT_EQ(test, intel_pebs_size(4, INTEL_PEBS_XMM), 32 + 256);
	KUNIT_EXPECT_EQ(test, intel_pebs_size(4, 31ULL << 24 | INTEL_PEBS_BRANCHES), 32 + 32 * 24);
}

static struct kunit_case decode_cases[] = {
	KUNIT_CASE(decode_test_fixed),
	KUNIT_CASE(decode_test_adaptive),
	KUNIT_CASE(decode_test_wrong),
	KUNIT_CASE(decode_test_size),
	{}
};

static struct kunit_suite decode_suite = {
	.name		= "x86_pebs_decode",
	.test_cases	= decode_cases,
};

kunit_test_suite(decode_suite);
