// SPDX-License-Identifier: GPL-2.0
/*
 * The rooms branch_type and branch_filter: instructions of the manual, and random
 * bytes in buffers of exactly their length.
 */
#include <stdlib.h>
#include <uapi/linux/perf_event.h>

#include "branch_filter.h"
#include "tests/branch_cases.h"
#include "test.h"

#define LONGEST		20
#define ENTRIES		32
#define KERNEL		BIT_ULL(63)

/* The sanitizer sees a read behind the last byte. */
static u8 *copy(const u8 *bytes, unsigned int nr)
{
	u8 *own = malloc(nr ? nr : 1);

	require(own, "no memory");
	if (nr)
		memcpy(own, bytes, nr);
	return own;
}

static unsigned long check_cases(void)
{
	unsigned int i, nr, is64;
	unsigned long cases = 0;

	for (i = 0; i < ARRAY_SIZE(branch_cases); i++) {
		const struct branch_case *c = &branch_cases[i];

		for (nr = 0; nr <= c->nr; nr++) {
			for (is64 = 0; is64 < 2; is64++) {
				u8 *own = copy(c->bytes, nr);
				u32 kind = x86_branch_type_decode(own, nr, is64);

				free(own);
				cases++;
				if (nr < c->needed || !(c->modes & (is64 ? BRANCH_IN_64 :
								    BRANCH_IN_32)))
					continue;
				require(kind == c->kind, "row %u, %u bytes: %#x", i, nr, kind);
			}
		}
	}
	return cases;
}

/* Code is mostly branches and short instructions, with any bytes between. */
static u8 some_byte(void)
{
	static const u8 likely[] = { 0x0f, 0xff, 0xe8, 0xc3, 0x66, 0x48, 0x90, 0xc5, 0xc4, 0x62 };

	return test_below(3) ? test_random() : likely[test_below(ARRAY_SIZE(likely))];
}

static void check_bytes(void)
{
	unsigned int i, nr = test_below(LONGEST + 1), offset = 99;
	bool is64 = test_below(2);
	u8 *bytes = copy(NULL, 0);
	u32 kind, found;

	bytes = realloc(bytes, nr ? nr : 1);
	require(bytes, "no memory");
	for (i = 0; i < nr; i++)
		bytes[i] = some_byte();
	kind = x86_branch_type_decode(bytes, nr, is64);
	found = x86_branch_type_find(bytes, nr, is64, &offset);
	require(!(kind & (kind - 1)) && !(kind & ~X86_BRANCH_ANY), "kind %#x", kind);
	require(!(found & (found - 1)) && !(found & ~X86_BRANCH_ANY), "found %#x", found);
	require(kind || nr, "no bytes are an instruction");
	if (kind)
		require(found == kind && !offset, "found %#x at %u, not %#x", found, offset, kind);
	else if (found)
		require(offset && offset < nr &&
			x86_branch_type_decode(bytes + offset, nr - offset, is64) == found,
			"found %#x at %u", found, offset);
	else
		require(!offset, "nothing at %u", offset);
	free(bytes);
}

static u32 look(u64 from, bool kernel)
{
	require(kernel == (from >= KERNEL), "level of %#llx", from);
	return from & 1 ? BIT(from >> 1 & 7) : X86_BRANCH_NONE;
}

static u64 some_address(void)
{
	if (!test_below(10))
		return 0;
	return test_below(2) ? test_random() | KERNEL : test_random() & ~KERNEL;
}

/* A branch that stays has no address that the program must not see. */
static void check_entry(u64 asked, u32 wanted, const struct perf_branch_entry *e)
{
	require(e->from && e->to, "an empty entry");
	if (!(asked & PERF_SAMPLE_BRANCH_KERNEL))
		require(e->from < KERNEL && e->to < KERNEL, "%#llx to %#llx of the kernel",
			e->from, e->to);
	if (!(asked & PERF_SAMPLE_BRANCH_USER))
		require(e->to >= KERNEL, "%#llx to %#llx of a user", e->from, e->to);
	if (wanted & X86_BRANCH_TX && !(wanted & X86_BRANCH_IN_TX))
		require(!e->in_tx, "in a transaction");
}

static void check_filter(void)
{
	u64 counters[ENTRIES], asked = test_random() % PERF_SAMPLE_BRANCH_MAX;
	struct perf_branch_entry old[ENTRIES], *own;
	struct x86_branch_filter f = { x86_branch_filter_wanted(asked), KERNEL, look };
	unsigned int i, nr = test_below(ENTRIES + 1), kept;
	u64 before = 0;

	own = malloc(nr ? nr * sizeof(*own) : 1);
	require(own, "no memory");
	for (i = 0; i < nr; i++) {
		u64 flags = test_random();

		own[i] = (struct perf_branch_entry) {
			.from = some_address(), .to = some_address(), .abort = !(flags & 7),
			.in_tx = flags >> 3, .type = flags & 16 ? flags >> 5 : 0,
		};
		counters[i] = i + 1;
	}
	memcpy(old, own, nr * sizeof(*own));
	kept = x86_branch_filter_run(&f, own, counters, nr);
	require(kept <= nr, "%u of %u", kept, nr);
	for (i = 0; i < kept; i++) {
		require(counters[i] > before && counters[i] <= nr, "order");
		before = counters[i];
		require(own[i].from == old[before - 1].from && own[i].to == old[before - 1].to,
			"another branch");
		if (!x86_branch_filter_keeps_all(f.wanted))
			check_entry(asked, f.wanted, &own[i]);
	}
	free(own);
}

unsigned long test_branch(unsigned int rounds)
{
	unsigned long cases = check_cases();
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		check_bytes();
		check_filter();
	}
	return cases + 2UL * rounds;
}
