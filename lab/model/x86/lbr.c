// SPDX-License-Identifier: GPL-2.0
/*
 * The room lbr_decode: any contents of the registers, in each format, and what a
 * program without permission gets of them.
 */
#include <stdlib.h>
#include <uapi/linux/perf_event.h>

#include "branch_filter.h"
#include "lbr_decode.h"
#include "test.h"

#define KERNEL		BIT_ULL(63)
#define ARCH		INTEL_LBR_NR_FORMATS
#define MOST		4

static u64 some_register(void)
{
	switch (test_below(8)) {
	case 0:
		return 0;
	case 1:
		return test_random();
	case 2:
		return test_random() >> 17;
	default:
		return test_random() | ~0ULL << 47;
	}
}

static struct intel_lbr_layout some_layout(unsigned int format)
{
	struct intel_lbr_layout layout = { .info = true, .tsx = true, .valid_bit = true };

	if (format < ARCH) {
		require(!intel_lbr_decode_layout(&layout, format, test_below(2)), "format %u",
			format);
		layout.double_abort = test_below(2);
		return layout;
	}
	layout.mispredicted = test_below(2);
	layout.cycles = test_below(2);
	layout.type = test_below(2);
	return layout;
}

/* The address, from the bits that have it. */
static void check_address(const struct intel_lbr_layout *layout, u64 raw, u64 address,
			  unsigned int flags)
{
	u64 mask = ~0ULL >> flags, sign = raw >> (63 - flags) & 1;

	if (layout->shared)
		return;
	require((address & mask) == (raw & mask), "%#llx of %#llx", address, raw);
	require((address & ~mask) == (sign ? ~mask : 0), "%#llx of %#llx", address, raw);
}

static void check_one(const struct intel_lbr_layout *layout, const struct intel_lbr_raw *raw)
{
	struct perf_branch_entry e;

	memset(&e, 0xff, sizeof(e));
	intel_lbr_decode_one(layout, raw, &e);
	check_address(layout, raw->from, e.from, layout->from_flags);
	check_address(layout, raw->to, e.to, layout->to_flags);
	require(e.mispred + e.predicted == layout->mispredicted, "prediction");
	require(layout->tsx || (!e.in_tx && !e.abort), "transactions");
	require(layout->cycles || !e.cycles, "%u cycles", e.cycles);
	require(layout->type || !e.type, "type %u", e.type);
	require(!e.spec && !e.new_type && !e.priv && !e.reserved, "other fields");
}

static u32 look(u64 from, bool kernel)
{
	return kernel ? X86_BRANCH_IRET : BIT(from % 14);
}

/* The value that a restore writes means the same as the value that was saved. */
static void check_writable(const struct intel_lbr_layout *layout, u64 from)
{
	struct intel_lbr_raw old = { .from = from };
	struct intel_lbr_raw new = { .from = intel_lbr_decode_writable(layout, from) };
	struct perf_branch_entry a, b;

	intel_lbr_decode_one(layout, &old, &a);
	intel_lbr_decode_one(layout, &new, &b);
	require(a.from == b.from && a.mispred == b.mispred, "%#llx is not %#llx", new.from, from);
}

static void check_list(unsigned int format)
{
	struct intel_lbr_layout layout = some_layout(format);
	unsigned int nr = test_below(INTEL_LBR_DEPTH + 1), found, kept, i;
	struct x86_branch_filter f = { .kernel = KERNEL, .look = look };
	struct intel_lbr_raw *raw = malloc(nr ? nr * sizeof(*raw) : 1);
	struct perf_branch_entry *entries = malloc(nr ? nr * sizeof(*entries) : 1);
	u64 *counters = malloc(nr ? nr * sizeof(*counters) : 1);

	require(raw && entries && counters, "no memory");
	for (i = 0; i < nr; i++) {
		raw[i].from = test_below(MOST * INTEL_LBR_DEPTH) ? some_register() | 1 : 0;
		raw[i].to = some_register();
		raw[i].info = some_register();
		check_one(&layout, &raw[i]);
		check_writable(&layout, raw[i].from);
	}
	found = intel_lbr_decode(&layout, raw, nr, entries, counters);
	require(found <= nr, "%u of %u", found, nr);
	for (i = 0; i < found; i++)
		require(counters[i] < 256, "counters %#llx", counters[i]);
	f.wanted = x86_branch_filter_wanted(PERF_SAMPLE_BRANCH_USER |
					    (1ULL << (3 + test_below(14))));
	kept = x86_branch_filter_run(&f, entries, counters, found);
	for (i = 0; i < kept; i++)
		require(entries[i].from < KERNEL && entries[i].to < KERNEL, "%#llx to %#llx",
			entries[i].from, entries[i].to);
	free(counters);
	free(entries);
	free(raw);
}

unsigned long test_lbr(unsigned int rounds)
{
	unsigned int i, format;

	for (i = 0; i < rounds; i++) {
		for (format = 0; format <= ARCH; format++)
			check_list(format);
	}
	return (unsigned long)rounds * (ARCH + 1);
}
