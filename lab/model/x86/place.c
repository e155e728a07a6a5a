// SPDX-License-Identifier: GPL-2.0
/*
 * The room place against all placements: every multiset of the masks that
 * models have, and random events. Larger sets are checked by a property of the
 * cheapest placement: no cycle of moves saves anything.
 */
#include "place.h"
#include "tests/place_brute.h"
#include "test.h"

#define FIXED(n)	(BIT_ULL(n) << 32)
#define MOST_MASKS	12
#define MOST_EVENTS	6

struct model {
	const char *name;
	u64 available;
	u64 mask[MOST_MASKS];	/* ends with 0 */
};

static const struct model models[] = {
	{ "amd 15h", 0x3f, { 0x01, 0x07, 0x08, 0x09, 0x38, 0x3f } },
	{ "intel core", 0x3 | FIXED(0) | FIXED(1) | FIXED(2),
	  { 0x1, 0x2, 0x3, 0x3 | FIXED(0), 0x3 | FIXED(1), FIXED(2) } },
	{ "intel skylake", 0xf | FIXED(0) | FIXED(1) | FIXED(2),
	  { 0x1, 0x2, 0x4, 0x8, 0x3, 0xc, 0x7, 0xf, 0xf | FIXED(0),
	    0xf | FIXED(1), FIXED(2) } },
	{ "intel sapphire rapids",
	  0xff | FIXED(0) | FIXED(1) | FIXED(2) | FIXED(3),
	  { 0x01, 0x02, 0x0f, 0xf0, 0xfe, 0xff, 0xff | FIXED(0),
	    0xff | FIXED(1), FIXED(2), 0x1 | FIXED(0) } },
	/* Any two sets of counters that overlap. */
	{ "made up", 0x1f, { 0x03, 0x06, 0x0c, 0x18, 0x11, 0x15, 0x0e } },
};

static struct brute brute;

/* Place @seats and compare the result with the lowest cost. */
static void check(struct x86_seat *seats, unsigned int n, u64 available)
{
	u32 best = brute_place(&brute, seats, n, available);
	int rc = x86_place(seats, n, available);
	unsigned int i;

	if (best == BRUTE_NONE) {
		require(rc == -EINVAL, "a placement of %u events: %d", n, rc);
		for (i = 0; i < n; i++)
			require(seats[i].to == -1, "event %u has a counter", i);
		return;
	}
	require(!rc, "%u events, available %#llx: %d", n, available, rc);
	require(brute_judge(seats, n, available) == best,
		"%u events, available %#llx: cost %u, not %u", n, available,
		brute_judge(seats, n, available), best);
}

static void check_again(struct x86_seat *seats, unsigned int n, u64 available)
{
	struct x86_seat again[X86_NR_COUNTERS];
	unsigned int i;

	memcpy(again, seats, n * sizeof(*seats));
	require(!x86_place(again, n, available), "it has no placement now");
	for (i = 0; i < n; i++)
		require(again[i].to == seats[i].to, "another placement");
	/* When all events count where they were put, they stay. */
	for (i = 0; i < n; i++)
		again[i].at = again[i].to;
	require(!x86_place(again, n, available), "it has no placement now");
	for (i = 0; i < n; i++)
		require(again[i].to == seats[i].to, "event %u has moved", i);
}

/* All multisets of up to MOST_EVENTS masks. Return: how many. */
static unsigned long check_multisets(const struct model *model)
{
	unsigned int choice[MOST_EVENTS + 1] = { 0 };
	unsigned long cases = 0;
	unsigned int n, i;

	for (n = 0; n <= MOST_EVENTS;) {
		struct x86_seat seats[MOST_EVENTS];

		for (i = 0; i < n; i++)
			seats[i] = (struct x86_seat) {
				.counters = model->mask[choice[i]], .at = -1,
			};
		check(seats, n, model->available);
		cases++;
		/* The next sequence that does not fall. */
		for (i = n; i > 0 && !model->mask[choice[i - 1] + 1]; i--)
			;
		if (i)
			choice[i - 1]++;
		else
			n++;
		for (; i < n; i++)
			choice[i] = i ? choice[i - 1] : 0;
	}
	return cases;
}

/* A random subset with @nr of the bits of @mask, or all. */
static u64 some_of(u64 mask, unsigned int nr)
{
	while (hweight64(mask) > nr)
		mask &= ~BIT_ULL(test_below(64));
	return mask;
}

static int one_of(u64 mask)
{
	return __ffs64(some_of(mask, 1));
}

/* Events that count already have counters of their own. */
static void random_seats(struct x86_seat *seats, unsigned int n, u64 available,
			 unsigned int pairs)
{
	u64 left = available;
	unsigned int i;

	for (i = 0; i < n; i++) {
		u64 mask = some_of(available, 1 + test_below(6));
		u64 at = mask & left;

		seats[i] = (struct x86_seat) {
			.counters = mask, .fits = test_random() & test_random(),
			.at = -1, .pair = test_below(4) < pairs,
		};
		if (seats[i].pair) {
			seats[i].counters = mask | (test_random() & available);
			at = mask & left & X86_PLACE_PAIRS & (left >> 1);
		}
		if (at && test_below(2)) {
			seats[i].at = one_of(at);
			left &= ~brute_span(&seats[i], seats[i].at);
		}
	}
}

/* Counters that the events had may be gone. */
static void check_random(unsigned int pairs)
{
	static const u64 all[] = {
		0x3f, 0xff, 0xf | 7 * FIXED(0), 0xff | 0xf * FIXED(0), 0x3ff,
		0xfff, 0xe000000000000007ULL | 0x7 * FIXED(14), 0xaf5f,
	};
	u64 available = all[test_below(ARRAY_SIZE(all))];
	struct x86_seat seats[BRUTE_EVENTS];
	unsigned int n = test_below(hweight64(available) + 1);

	random_seats(seats, n, available, pairs);
	if (test_below(3) == 0)
		available &= test_random() | test_random();
	check(seats, n, available);
	if (n && seats[0].to >= 0)
		check_again(seats, n, available);
}

/* What it saves if @mover gets the counter @to. */
static s64 saving(const struct x86_seat *mover, int to, u64 available)
{
	return (s64)brute_cost(mover, mover->to, available) -
	       (s64)brute_cost(mover, to, available);
}

/*
 * Cycles of moves, by Floyd and Warshall: most[i][j] is what is saved at most
 * when the owner of i moves on until j is free. A free counter is free to take.
 */
static void check_cycles(const struct x86_seat *seats, unsigned int n,
			 u64 available)
{
	static s64 most[64][64];
	const s64 none = -1000000000;
	const struct x86_seat *owner[64] = { NULL };
	unsigned int i, j, k;

	for (i = 0; i < n; i++)
		owner[seats[i].to] = &seats[i];
	for (i = 0; i < 64; i++)
		for (j = 0; j < 64; j++)
			if (!(available >> i & 1) || !(available >> j & 1))
				most[i][j] = none;
			else if (!owner[i])
				most[i][j] = 0;
			else if (owner[i]->counters >> j & 1)
				most[i][j] = saving(owner[i], j, available);
			else
				most[i][j] = none;
	for (k = 0; k < 64; k++)
		for (i = 0; i < 64; i++)
			for (j = 0; j < 64; j++)
				most[i][j] = max(most[i][j],
						 max(most[i][k] + most[k][j], none));
	for (i = 0; i < 64; i++)
		require(most[i][i] <= 0, "%u events: a cycle saves %lld", n,
			most[i][i]);
}

/* Many events, each of which has a counter in a placement that is hidden. */
static void check_large(void)
{
	u64 available = test_below(2) ? ~0ULL : test_random() | test_random();
	u64 at = available, hidden = available;
	unsigned int n = hweight64(available) - test_below(3), i;
	struct x86_seat seats[X86_NR_COUNTERS];

	for (i = 0; i < n; i++) {
		int to = one_of(hidden), now = one_of(at);

		seats[i] = (struct x86_seat) {
			.counters = BIT_ULL(to) | BIT_ULL(now) |
				    some_of(~0ULL, test_below(5)),
			.fits = test_random(), .at = -1,
		};
		hidden &= ~BIT_ULL(to);
		if (test_below(2)) {
			seats[i].at = now;
			at &= ~BIT_ULL(now);
		}
	}
	require(!x86_place(seats, n, available), "no placement");
	require(brute_judge(seats, n, available) != BRUTE_NONE, "a bad placement");
	check_cycles(seats, n, available);
	check_again(seats, n, available);
}

static void check_sizes(void)
{
	struct x86_seat seats[X86_NR_COUNTERS + 1];
	unsigned int i;

	for (i = 0; i <= X86_NR_COUNTERS; i++)
		seats[i] = (struct x86_seat) { .counters = ~0ULL, .at = -1 };
	for (i = 0; i <= X86_NR_COUNTERS; i++) {
		require(!x86_place(seats, i, ~0ULL), "%u events", i);
		require(x86_place(seats, i, 0) == (i ? -EINVAL : 0), "%u", i);
	}
	require(x86_place(seats, i, ~0ULL) == -EINVAL, "%u events", i);
}

unsigned long test_place(unsigned int rounds)
{
	unsigned long cases = 0;
	unsigned int i;

	check_sizes();
	for (i = 0; i < ARRAY_SIZE(models); i++)
		cases += check_multisets(&models[i]);
	for (i = 0; i < rounds; i++, cases += 2) {
		check_random(0);
		check_random(1);
	}
	for (i = 0; i < rounds / 100; i++, cases++)
		check_large();
	return cases;
}
