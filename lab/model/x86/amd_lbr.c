// SPDX-License-Identifier: GPL-2.0
/*
 * The room amd/lbr_decode: registers of the manual, and random ones.
 */
#include <stdlib.h>

#include <linux/perf_event.h>
#include "amd/lbr_decode.h"
#include "test.h"

#define BITS	48

/* APM vol. 2 13.1.1.9: bits 63 and 62 of the target say what became of it. */
static const struct {
	struct amd_lbr_raw raw;
	unsigned int nr;
	u64 from;
	u64 to;
	unsigned int mispredicted;
	unsigned int spec;
} samples[] = {
	{ { 0x401000, 0x402000 }, 0, 0, 0, 0, 0 },
	{ { 0x401000, 1ULL << 62 | 0x402000 }, 1, 0x401000, 0x402000, 0,
	  PERF_BR_SPEC_WRONG_PATH },
	{ { 1ULL << 63 | 0x401000, 1ULL << 63 | 0x402000 }, 1, 0x401000, 0x402000, 1,
	  PERF_BR_NON_SPEC_CORRECT_PATH },
	{ { 0x3ffffff81000000, 3ULL << 62 | 0x3ffffff81000100 }, 1, 0xffffffff81000000,
	  0xffffffff81000100, 0, PERF_BR_SPEC_CORRECT_PATH },
	/* Erratum 1452. */
	{ { 0x401000, 7ULL << 61 | 0x402000 }, 0, 0, 0, 0, 0 },
};

/* Filters: bits 0 the kernel, 1 user, 2-8 kinds. */
static const struct {
	u64 asked;
	int err;
	u64 select;
} filters[] = {
	{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_PLM_ALL, 0, 0 },
	{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER, 0, 0x001 },
	{ PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_KERNEL, 0, 0x0e6 },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_USER, 0, 0x0dd },
	{ PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_USER, 0,
	  0x1b9 },
	{ PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_TYPE_SAVE |
	  PERF_SAMPLE_BRANCH_USER, 0, 0x1e5 },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, -EOPNOTSUPP, 0 },
	{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_TX, -EOPNOTSUPP, 0 },
	{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_FLAGS, -EOPNOTSUPP, 0 },
};

static void check_samples(void)
{
	struct perf_branch_entry e;
	unsigned int i, nr;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		nr = amd_lbr_decode(&samples[i].raw, 1, BITS, &e);
		require(nr == samples[i].nr, "sample %u: %u branches", i, nr);
		if (!nr)
			continue;
		require(e.from == samples[i].from && e.to == samples[i].to, "sample %u: %llx %llx",
			i, e.from, e.to);
		require(e.mispred == samples[i].mispredicted && e.predicted == !e.mispred,
			"sample %u: prediction", i);
		require(e.spec == samples[i].spec, "sample %u: speculation %u", i, e.spec);
	}
}

static void check_filters(void)
{
	unsigned int i;
	u64 select;
	int err;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		select = 0;
		err = amd_lbr_decode_select(filters[i].asked, &select);
		require(err == filters[i].err && (err || select == filters[i].select),
			"filter %u: %d, %llx", i, err, select);
	}
}

static void check_random(void)
{
	unsigned int i, found, bits = test_below(2) ? BITS : 57, nr = test_below(AMD_LBR_MOST + 1);
	struct amd_lbr_raw *raw = malloc(nr * sizeof(*raw));
	struct perf_branch_entry *entries = malloc(nr * sizeof(*entries));
	unsigned int wanted = 0;

	for (i = 0; i < nr; i++) {
		raw[i].from = test_random();
		raw[i].to = test_random();
		wanted += raw[i].to >> 62 && !(raw[i].to >> 61 & 1);
	}
	found = amd_lbr_decode(raw, nr, bits, entries);
	require(found == wanted, "%u branches of %u", found, wanted);
	for (i = 0; i < found; i++) {
		require((s64)entries[i].from >> (bits - 1) == (s64)entries[i].from >> 63 &&
			(s64)entries[i].to >> (bits - 1) == (s64)entries[i].to >> 63,
			"no address: %llx %llx", entries[i].from, entries[i].to);
		require(entries[i].spec, "nothing is known of a branch");
	}
	free(raw);
	free(entries);
}

/* Return: number of samples, filters and random recorders. */
unsigned long test_amd_lbr(unsigned int rounds)
{
	unsigned int i;

	check_samples();
	check_filters();
	for (i = 0; i < rounds; i++)
		check_random();
	return ARRAY_SIZE(samples) + ARRAY_SIZE(filters) + rounds;
}
