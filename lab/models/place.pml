/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the CPUs park the contexts of a family.  See kernel/events/family.c.
 *
 * Three CPUs run the members of a family, not more at a time than there are
 * members.  A CPU takes a context, has it loaded, and parks it again.  Meanwhile
 * another context replaces one of the pool, and the pool grows.  ctx->lock and family->lock are
 * modelled; cmpxchg() and xchg() of a place are one step.  Locks and these
 * operations order memory, so that stores are seen at once.
 *
 * Properties
 *   - a CPU that looks for a spare context finds one
 *   - a context is in one place, or spare, or with one CPU
 *   - a CPU that parks with family->lock held finds no context in its place
 *   - a context that has left the pool is in no place, and not spare
 *   - at the end, each context of the pool is in a place or spare, and there are
 *     as many places as owners
 *
 * With two rounds instead of one, "grows" has 85 million states and no violation.
 */

/*
 * Variants.
 *   full		-DFULL=3 -DMEMBERS=3 -DSIZE=3
 *   few		-DFULL=9 -DMEMBERS=1 -DSIZE=2
 *   more		-DFULL=9 -DMEMBERS=2 -DSIZE=4
 *   odd		-DFULL=9 -DMEMBERS=1 -DSIZE=3
 *   almost	-DFULL=3 -DMEMBERS=1 -DSIZE=2
 *   grows	-DFULL=3 -DMEMBERS=1 -DSIZE=2 -DGROW=1 -DROUNDS=1
 */

/* Breakages. */
#define plain_take	1	/* more: a context is taken by a load and a store */
#define plain_park	2	/* more: a context is parked by a load and a store */
#define spare_first	3	/* full: a CPU prefers spare contexts to its own */
#define all_places	4	/* few: as many places as contexts */
#define no_unpark	5	/* full: a context that leaves stays in its place */
#define withdraw_first	6	/* full: a context leaves before another is added */
#define add_first	9	/* almost: another is added before a context leaves */
#define lost_place	7	/* few: what was in a place that ends is forgotten */
#define no_recheck	8	/* few: a taken context that has left is parked */

#ifndef BROKEN
#define BROKEN		0
#endif
#ifndef FULL
#define FULL		3
#endif
#ifndef MEMBERS
#define MEMBERS		3
#endif
#ifndef SIZE
#define SIZE		3
#endif
#ifndef GROW
#define GROW		0
#endif
#ifndef ROUNDS
#define ROUNDS		2
#endif

#define CPUS		3
#define CONTEXTS	(SIZE + 1 + GROW)
#define EMPTY		(CONTEXTS)
#define NONE		(CONTEXTS + 1)

byte place[CPUS] = NONE;	/* a context, EMPTY, or NONE */
bool spare[CONTEXTS];
byte nr_spare;
bool in_pool[CONTEXTS];
byte nr_contexts;
bool ctx_lock[CONTEXTS], family_lock;
byte owners[CPUS], first_owner, nr_owners;
byte members = MEMBERS, running, done;

#define IS_CTX(p)	((p) < CONTEXTS)
#define LOCK(l)		atomic { !(l) -> l = true }
#define UNLOCK(l)	l = false
#define IN_PLACE(c)	(place[0] == (c) || place[1] == (c) || place[2] == (c))

inline add_spare(c)
{
	assert(!spare[c] && !IN_PLACE(c));
	spare[c] = true;
	nr_spare++
}

/* perf_family_take_oncpu() */
inline take()
{
	d_step { ctx = place[cpu]; found = false };
#if BROKEN == spare_first
	if
	:: nr_spare > 0 -> ctx = EMPTY
	:: else
	fi;
#endif
	if
	:: IS_CTX(ctx) ->
#if BROKEN == plain_take
		d_step { place[cpu] = EMPTY; found = true }
#else
		d_step {
			if
			:: place[cpu] == ctx -> place[cpu] = EMPTY; found = true
			:: else
			fi
		}
#endif
	:: else
	fi;
	if
	:: found
	:: else ->
		atomic {
			/* family_find_spare(), with the lock held throughout */
			!family_lock ->
			assert(nr_spare > 0);
			/* Which one depends on the caches: here, two of them. */
			ctx = 0;
			do
			:: spare[ctx] -> break
			:: else -> ctx++
			od;
			if
			:: true
			:: true ->
				ctx = CONTEXTS - 1;
				do
				:: spare[ctx] -> break
				:: else -> ctx--
				od
			fi;
			spare[ctx] = false;
			nr_spare--
		}
	fi
}

/* family_revoke_place() */
inline revoke_place()
{
	atomic {
		old = place[owners[first_owner]];
		place[owners[first_owner]] = NONE;
#if BROKEN != lost_place
		if
		:: IS_CTX(old) -> add_spare(old)
		:: else
		fi;
#endif
		first_owner = (first_owner + 1) % CPUS;
		nr_owners--;
		old = 0
	}
}

#if BROKEN == all_places
#define MOST		nr_contexts
#else
#define MOST		(nr_contexts / 2)
#endif

/* perf_family_park_locked() */
inline park()
{
#if BROKEN == plain_park
	if
	:: place[cpu] == EMPTY -> place[cpu] = ctx; found = true
	:: else -> found = false
	fi;
#else
	d_step {
		if
		:: place[cpu] == EMPTY ->
			assert(!IN_PLACE(ctx) && !spare[ctx]);
			place[cpu] = ctx;
			found = true
		:: else -> found = false
		fi
	};
#endif
	if
	:: found
	:: else ->
		LOCK(family_lock);
		/* WARN_ON_ONCE() */
		assert(place[cpu] == NONE);
		if
		:: nr_contexts >= FULL -> place[cpu] = ctx
		:: nr_contexts < FULL && MOST == 0 -> atomic { add_spare(ctx) }
		:: nr_contexts < FULL && MOST > 0 ->
			if
			:: nr_owners >= MOST -> revoke_place()
			:: else
			fi;
			atomic {
				owners[(first_owner + nr_owners) % CPUS] = cpu;
				nr_owners++
			};
			place[cpu] = ctx
		fi;
		UNLOCK(family_lock)
	fi
}

proctype processor(byte cpu)
{
	byte ctx, old, round;
	bool found, serves;

	do
	:: round == ROUNDS -> break
	:: atomic { round < ROUNDS && running < members -> running++; round++ }
		/* perf_sched_task_in() */
		do
		:: true ->
			take();
			LOCK(ctx_lock[ctx]);
			d_step {
				assert(!IN_PLACE(ctx) && !spare[ctx]);
				serves = in_pool[ctx]
			};
#if BROKEN == no_recheck
			serves = true;
#endif
			UNLOCK(ctx_lock[ctx]);
			if
			:: serves -> break
			:: else
			fi
		od;
		/* perf_sched_ctx_out_locked() */
		LOCK(ctx_lock[ctx]);
		if
		:: in_pool[ctx] || BROKEN == no_recheck -> park()
		:: else
		fi;
		UNLOCK(ctx_lock[ctx]);
		d_step { running--; ctx = 0; found = false; serves = false }
	od;
	done++
}

/* family_add_locked(), with family->lock */
inline add(c)
{
	d_step { in_pool[c] = true; nr_contexts++; add_spare(c) }
}

/* family_withdraw_locked(); the place is that of the CPU that parked it last */
inline withdraw(c)
{
	nr_contexts--;
	if
	:: spare[c] -> d_step { spare[c] = false; nr_spare-- }
	:: else ->
#if BROKEN != no_unpark
		d_step {
			if
			:: place[0] == c -> place[0] = EMPTY
			:: place[1] == c -> place[1] = EMPTY
			:: place[2] == c -> place[2] = EMPTY
			:: else
			fi
		}
#else
		skip
#endif
	fi;
	assert(!spare[c] && !IN_PLACE(c))
}

/*
 * perf_family_replace(), for a member that leaves: its own context is loaded
 * nowhere by then, or will be unloaded.
 */
proctype leave()
{
	byte c;

	if
	:: c = 0
	:: c = 1
	fi;
	LOCK(ctx_lock[c]);
	in_pool[c] = false;
	LOCK(family_lock);
#if BROKEN == withdraw_first
	withdraw(c);
	UNLOCK(family_lock);
	LOCK(family_lock);
	add(SIZE);
#elif BROKEN == add_first
	add(SIZE);
	UNLOCK(family_lock);
	LOCK(family_lock);
	withdraw(c);
#else
	add(SIZE);
	withdraw(c);
#endif
	UNLOCK(family_lock);
	UNLOCK(ctx_lock[c]);
	done++
}

#if GROW
/* member_join(): the pool grows, and then there is one member more. */
proctype join()
{
	LOCK(family_lock);
	add(SIZE + 1);
	UNLOCK(family_lock);
	members++;
	done++
}
#endif

/* Spare contexts and those in places are all of the pool, once nobody runs. */
active proctype judge()
{
	byte c, nr;

	done == CPUS + 1 + GROW;
	atomic {
		c = 0;
		do
		:: c == CONTEXTS -> break
		:: else ->
			assert(in_pool[c] == (spare[c] || IN_PLACE(c)));
			c++
		od;
		/* A ring of owners is kept while there are few contexts. */
		nr = (place[0] != NONE) + (place[1] != NONE) + (place[2] != NONE);
		assert(nr_contexts >= FULL || nr == nr_owners)
	}
}

init
{
	atomic {
		byte i;
		do
		:: i == SIZE -> break
		:: else ->
			in_pool[i] = true;
			spare[i] = true;
			nr_spare++;
			nr_contexts++;
			i++
		od;
		i = 0;
		run processor(0);
		run processor(1);
		run processor(2);
		run leave();
#if GROW
		run join()
#endif
	}
}
