// SPDX-License-Identifier: GPL-2.0
/*
 * Room "place": choose the counter of each event.
 *
 * Purpose: find a placement of events on counters whenever one exists, and the
 * cheapest of all. The cost is a number for each event and counter, so this is
 * the assignment problem. It is solved by successive cheapest chains of moves:
 *
 *   - Events are added one by one. Those added so far always have their
 *     cheapest placement.
 *   - If one of the cheapest counters of the next event is free, the event gets
 *     it. No placement of these events costs less: the event has its lowest
 *     cost, and the others together have theirs.
 *   - Otherwise the event takes a counter whose owner moves to another counter,
 *     whose owner moves in turn, until one finds a free counter. The cheapest
 *     such chain leads to the cheapest placement with the new event. If there
 *     is no chain, there is no placement, by Hall's theorem.
 *
 * The price of a chain rises and falls along its way: a move may bring an event
 * to a cheaper counter. So the search is that of Bellman and Ford: rounds in
 * which all counters whose chain became cheaper pass that on to the counters
 * that their owner could have instead. A placement that is the cheapest one has
 * no chain back to its beginning that saves anything. So a cheapest chain
 * visits no counter twice, and n events need at most n rounds.
 *
 * A chain takes at most n * n looks at an event's counters, a placement n times
 * as many; without conflicts it takes n. The lists of counters are bit masks.
 *
 * Pairs take two neighbours, which no assignment can express. Each choice of
 * the blocks that the pairs occupy is tried; there are at most 70, and three on
 * a CPU with six counters.
 *
 * Owns: nothing. The caller's seats hold the result.
 *
 * Contexts: any, NMI included.
 *
 * Locking: none; the seats are the caller's.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include "place.h"

/*
 * The cost is lexicographic: events that leave their counter, then events that
 * could be on a fixed counter and are not, then select registers to be written.
 * Each weight exceeds the sum of all lower ones for 64 events.
 */
#define COST_UNFIT		1
#define COST_NOT_FIXED		(2 * X86_NR_COUNTERS)
#define COST_MOVE		(2 * X86_NR_COUNTERS * COST_NOT_FIXED)

/* A placement in the making. */
struct plan {
	struct x86_seat *seats;
	unsigned int n;
	u64 singles;		/* counters for events that need one */
	u64 pairs;		/* counters for pairs: the even one of each block */
	u64 used;		/* counters with an owner */
};

/*
 * The cheapest known chain that ends at each counter. The numbers are packed to
 * save stack: all frames of x86_place() together take about 500 bytes.
 */
struct chains {
	u64 known;		/* counters to which a chain leads */
	u64 changed;		/* those whose owner has to look again */
	struct {
		s32 cost : 26;
		u32 taker : 6;	/* event that would get the counter */
	} to[X86_NR_COUNTERS];
};

static u64 usable(const struct plan *plan, const struct x86_seat *seat)
{
	return seat->counters & (seat->pair ? plan->pairs : plan->singles);
}

static s32 cost_of(const struct plan *plan, const struct x86_seat *seat, int to)
{
	u64 fixed = usable(plan, seat) & X86_ALL_FIXED;
	s32 cost = seat->fits & BIT_ULL(to) ? 0 : COST_UNFIT;

	if (seat->at == to)
		return cost;
	if (seat->at >= 0)
		cost += COST_MOVE;
	if (fixed && !(fixed & BIT_ULL(to)))
		cost += COST_NOT_FIXED;
	return cost;
}

/* The usable counters with the lowest cost, in the order of cost_of(). */
static u64 cheapest(const struct plan *plan, const struct x86_seat *seat)
{
	u64 all = usable(plan, seat);

	if (seat->at >= 0 && all & BIT_ULL(seat->at))
		return BIT_ULL(seat->at);
	if (all & X86_ALL_FIXED)
		all &= X86_ALL_FIXED;
	return all & seat->fits ?: all;
}

static void give(struct plan *plan, unsigned int event, int to)
{
	plan->used |= BIT_ULL(to);
	plan->seats[event].to = to;
}

/* The event on a counter that is used. */
static unsigned int owner_of(const struct plan *plan, int at)
{
	unsigned int event = 0;

	while (plan->seats[event].to != at)
		event++;
	return event;
}

/* Prolong the chain that ends with @event, and costs @cost without a counter. */
static void prolong(const struct plan *plan, struct chains *chains,
		    unsigned int event, s32 cost)
{
	const struct x86_seat *seat = &plan->seats[event];
	u64 left;

	for (left = usable(plan, seat); left; left &= left - 1) {
		int to = __ffs64(left);
		s32 sum = cost + cost_of(plan, seat, to);

		if (chains->known & BIT_ULL(to) && chains->to[to].cost <= sum)
			continue;
		chains->to[to].cost = sum;
		chains->to[to].taker = event;
		chains->known |= BIT_ULL(to);
		chains->changed |= BIT_ULL(to) & plan->used;
	}
}

static void find_chains(const struct plan *plan, struct chains *chains,
			unsigned int event)
{
	unsigned int rounds;
	u64 round;

	chains->known = 0;
	chains->changed = 0;
	prolong(plan, chains, event, 0);
	for (rounds = 0; chains->changed && rounds < plan->n; rounds++) {
		for (round = chains->changed; round; round &= round - 1) {
			int at = __ffs64(round);
			unsigned int owner = owner_of(plan, at);

			chains->changed &= ~BIT_ULL(at);
			prolong(plan, chains, owner, chains->to[at].cost -
				cost_of(plan, &plan->seats[owner], at));
		}
	}
}

/* Every event of the chain that ends at @to gets the counter that it takes. */
static void move_chain(struct plan *plan, const struct chains *chains, int to)
{
	int from;

	do {
		unsigned int event = chains->to[to].taker;

		from = plan->seats[event].to;
		give(plan, event, to);
		to = from;
	} while (from >= 0);
}

/* Place an event for which others may have to move. */
static bool add_by_chain(struct plan *plan, unsigned int event)
{
	struct chains chains;
	int best = -1;
	u64 ends;

	find_chains(plan, &chains, event);
	for (ends = chains.known & ~plan->used; ends; ends &= ends - 1) {
		int end = __ffs64(ends);

		if (best < 0 || chains.to[end].cost < chains.to[best].cost)
			best = end;
	}
	if (best < 0)
		return false;
	move_chain(plan, &chains, best);
	return true;
}

static bool add(struct plan *plan, unsigned int event)
{
	u64 free = cheapest(plan, &plan->seats[event]) & ~plan->used;

	if (!free)
		return add_by_chain(plan, event);
	give(plan, event, __ffs64(free));
	return true;
}

static void clear(struct plan *plan)
{
	unsigned int i;

	plan->used = 0;
	for (i = 0; i < plan->n; i++)
		plan->seats[i].to = -1;
}

/*
 * Place all events, the pairs on the blocks that begin at the counters @pairs.
 * Return: the cost, or -EINVAL and no event has a counter.
 */
static s32 place_all(struct plan *plan, u64 available, u64 pairs)
{
	unsigned int i;
	s32 cost = 0;

	clear(plan);
	plan->pairs = pairs;
	plan->singles = available & ~(pairs | pairs << 1);
	for (i = 0; i < plan->n; i++) {
		if (!add(plan, i)) {
			clear(plan);
			return -EINVAL;
		}
	}
	for (i = 0; i < plan->n; i++)
		cost += cost_of(plan, &plan->seats[i], plan->seats[i].to);
	return cost;
}

/* The blocks on which @nr pairs cost least, or 0 if they fit on none. */
static u64 best_pairs(struct plan *plan, u64 available, u64 even,
		      unsigned int nr)
{
	u64 pairs = 0, best = 0;
	s32 lowest = 0;

	/* Every subset of the even counters, from the lowest number up. */
	while ((pairs = (pairs - even) & even)) {
		s32 cost;

		if (hweight64(pairs) != nr)
			continue;
		cost = place_all(plan, available, pairs);
		if (cost >= 0 && (!best || cost < lowest)) {
			best = pairs;
			lowest = cost;
		}
	}
	return best;
}

/**
 * x86_place() - choose a counter for each of some events
 * @seats: the events; the results are put into their @to
 * @n: number of events
 * @available: counters that exist and that nobody else uses
 *
 * Finds a placement if there is one. Of all placements it takes one for which
 * these numbers are lowest, the first one first: events that count now and
 * would change their counter; events that a fixed counter could count and that
 * get another one, except those that stay where they are; events on a counter
 * that does not fit. Between equal ones the choice depends on nothing but the
 * arguments.
 *
 * Context: any.
 * Return: 0, or -EINVAL if there is no placement; then every @to is -1.
 */
int x86_place(struct x86_seat *seats, unsigned int n, u64 available)
{
	struct plan plan = { .seats = seats, .n = n };
	unsigned int i, nr = 0;
	u64 even = 0, pairs = 0;

	clear(&plan);
	for (i = 0; i < n; i++) {
		if (seats[i].pair) {
			even |= seats[i].counters;
			nr++;
		}
	}
	if (n + nr > hweight64(available))
		return -EINVAL;
	if (nr) {
		even &= X86_PLACE_PAIRS & available & (available >> 1);
		pairs = best_pairs(&plan, available, even, nr);
		if (!pairs)
			return -EINVAL;
	}
	return min(place_all(&plan, available, pairs), 0);
}
