/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lowest cost of a placement by trying everything: for each set of used
 * counters, the lowest cost at which the first events occupy exactly that set.
 * It is also used in user space (./perflab check x86).
 */
#ifndef _ARCH_X86_EVENTS_RULES_TESTS_PLACE_BRUTE_H
#define _ARCH_X86_EVENTS_RULES_TESTS_PLACE_BRUTE_H

#include "../place.h"

#define BRUTE_COUNTERS	12	/* counters that are available, at most */
#define BRUTE_EVENTS	12
#define BRUTE_NONE	U32_MAX

struct brute {
	const struct x86_seat *seats;
	unsigned int n;
	u64 available;
	unsigned int nr_counters;
	u8 counter[BRUTE_COUNTERS];
	u32 cost[1 << BRUTE_COUNTERS];
};

/* Three decimal numbers of two digits. */
static inline u32 brute_cost(const struct x86_seat *seat, int to, u64 available)
{
	u64 fixed = 0xffffULL << 32;
	u32 moved = seat->at != -1 && seat->at != to;
	u32 missed = !seat->pair && seat->at != to && (to < 32 || to > 47) &&
		     (seat->counters & available & fixed) != 0;
	u32 unfit = !(seat->fits >> to & 1);

	return 10000 * moved + 100 * missed + unfit;
}

/* Counters that the event occupies on @to, as numbers of global control. */
static inline u64 brute_span(const struct x86_seat *seat, int to)
{
	return (seat->pair ? 3ULL : 1ULL) << to;
}

static inline bool brute_allows(const struct x86_seat *seat, int to,
				u64 available)
{
	u64 span = brute_span(seat, to);

	if (!(seat->counters >> to & 1) || (span & available) != span)
		return false;
	return !seat->pair || (to % 2 == 0 && to < 16);
}

/* The counters of @set, whose bits are indices into the available ones. */
static inline u64 brute_numbers(const struct brute *brute, unsigned int set)
{
	u64 numbers = 0;
	unsigned int i;

	for (i = 0; i < brute->nr_counters; i++)
		if (set >> i & 1)
			numbers |= 1ULL << brute->counter[i];
	return numbers;
}

/* Try every counter for @seat when @set is occupied. */
static inline void brute_extend(struct brute *brute,
				const struct x86_seat *seat, unsigned int set)
{
	u64 numbers = brute_numbers(brute, set);
	unsigned int i, next;

	for (i = 0; i < brute->nr_counters; i++) {
		int to = brute->counter[i];
		u32 cost;

		if (!brute_allows(seat, to, brute->available & ~numbers))
			continue;
		/* The second counter of a pair has the next index. */
		next = set | (seat->pair ? 3 : 1) << i;
		cost = brute->cost[set] +
		       brute_cost(seat, to, brute->available);
		if (cost < brute->cost[next])
			brute->cost[next] = cost;
	}
}

/* The event that comes next when @set is occupied. */
static inline const struct x86_seat *brute_next(const struct brute *brute,
						unsigned int set)
{
	unsigned int i, width = 0, count = hweight32(set);

	for (i = 0; i < brute->n; i++) {
		if (width == count)
			return &brute->seats[i];
		width += brute->seats[i].pair ? 2 : 1;
	}
	return NULL;
}

/* Return: the lowest cost, or BRUTE_NONE if there is no placement. */
static inline u32 brute_place(struct brute *brute, const struct x86_seat *seats,
			      unsigned int n, u64 available)
{
	u32 best = BRUTE_NONE;
	unsigned int set, to;

	brute->seats = seats;
	brute->n = n;
	brute->available = available;
	brute->nr_counters = 0;
	for (to = 0; to < 64; to++)
		if (available >> to & 1)
			brute->counter[brute->nr_counters++] = to;
	for (set = 0; set < 1U << brute->nr_counters; set++)
		brute->cost[set] = BRUTE_NONE;
	brute->cost[0] = 0;
	for (set = 0; set < 1U << brute->nr_counters; set++) {
		const struct x86_seat *seat = brute_next(brute, set);

		if (brute->cost[set] == BRUTE_NONE)
			continue;
		if (seat)
			brute_extend(brute, seat, set);
		else if (brute->cost[set] < best)
			best = brute->cost[set];
	}
	return best;
}

/* Return: the cost of a placement, or BRUTE_NONE if it breaks a rule. */
static inline u32 brute_judge(const struct x86_seat *seats, unsigned int n,
			      u64 available)
{
	u64 left = available;
	unsigned int i;
	u32 cost = 0;

	for (i = 0; i < n; i++) {
		if (seats[i].to < 0 || !brute_allows(&seats[i], seats[i].to, left))
			return BRUTE_NONE;
		left &= ~brute_span(&seats[i], seats[i].to);
		cost += brute_cost(&seats[i], seats[i].to, available);
	}
	return cost;
}

#endif /* _ARCH_X86_EVENTS_RULES_TESTS_PLACE_BRUTE_H */
