/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pool of contexts that a family of tasks shares.  See
 * kernel/events/family.c, member.c, sched.c.
 *
 * Two CPUs switch between up to four tasks and idle, in any order.  Task A
 * founds a family with B.  What follows depends on the variant: B forks C into
 * it, and C, B and A exit; or an event is opened on A or on B, which leaves,
 * and founds another family with D; or B forks C, and the eldest is closed, so
 * that contexts have no event.  A CPU is a process that does one thing at a time:
 * between two rounds of its loop it has interrupts off.  Locks order memory, so
 * that stores are seen at once.  A CPU takes any context that is parked; where
 * contexts are parked, and why one is found, is the matter of place.pml.
 *
 * Properties
 *   - a member that is switched in finds a context
 *   - a context is parked, or loaded on one CPU, or held by one CPU
 *   - whenever a task runs it is counted, by a context that is its own or its
 *     family's, except while a member leaves
 *   - whenever none runs, nothing is loaded
 *   - a context that has ended is loaded nowhere, and parked nowhere
 */

/*
 * Variants.
 *   exits	-DEXITS=1
 *   leaves	-DLEAVES=1
 *   closes	-DCLOSES=1
 */

/* Breakages. */
#define no_serves	1	/* leaves: loaded without a second look */
#define return_any	2	/* leaves: returned to any family it is in */
#define withdraw_first	3	/* leaves: withdrawn before the other is added */
#define no_unpark	4	/* leaves: replaced, and still parked */
#define no_vacate	5	/* leaves: replaced, and still loaded */
#define no_settle	6	/* leaves: the task's CPU does not look again */
#define drop_first	7	/* exits: one member less before its context is back */
#define no_part		8	/* exits: an exit leaves the context loaded */
#define take_unlocked	9	/* exits: taken in two steps */
#define no_park		10	/* exits: an unloaded context is not parked */
#define no_return	11	/* closes: an unloaded context is not returned */
#define one_context	12	/* exits: the founder makes no copy for the pool */

#ifndef BROKEN
#define BROKEN		0
#endif

/* Variants. */
#ifndef EXITS
#define EXITS		0
#endif
#ifndef CLOSES
#define CLOSES		0
#endif
#ifndef LEAVES
#define LEAVES		0
#endif

#define A		0
#define B		1
#define C		2
#define D		3
#define IDLE		4
#define TASKS		4

/* Contexts: A's own, its copy, the new one of a leave, one for D's family. */
#define CONTEXTS	4
#define HANDLE		4	/* and 5, in task->perf_event_ctxp */
#define NOTHING		6

#define NO_CPU		2
#define NO_FAMILY	2

byte family[CONTEXTS] = NO_FAMILY;
byte loaded[CONTEXTS] = NO_CPU;
bool events[CONTEXTS], locked[CONTEXTS], ended[CONTEXTS];

/* By context: the family in whose pool it is parked. */
byte parked[CONTEXTS] = NO_FAMILY;
byte nr_contexts[2], nr_members[2];
bool mutex[2];

byte ctxp[TASKS] = NOTHING;
bool runnable[TASKS], part[TASKS];

byte runs[2] = IDLE, task_ctx[2] = NOTHING;
bool settle[2];
byte leaving, departed, closing, removal[2];

#define LOCK(l)		atomic { !(l) -> l = true }
#define UNLOCK(l)	l = false

#define IS_HANDLE(p)	((p) == HANDLE || (p) == HANDLE + 1)

/* perf_ctx_serves() */
#define SERVES(c, task)							\
	((task) != IDLE &&						\
	 ((ctxp[(task) % TASKS] == (c) && family[c] == NO_FAMILY) ||	\
	  (IS_HANDLE(ctxp[(task) % TASKS]) &&				\
	   ctxp[(task) % TASKS] == HANDLE + family[c])))

#define PARKED(c)	(parked[c] != NO_FAMILY)

/* perf_family_park_locked() */
inline park_locked(c)
{
	d_step {
		assert(!PARKED(c) && loaded[c] == NO_CPU && !ended[c]);
		parked[c] = family[c]
	}
}

/* perf_family_take_oncpu() */
inline take(f)
{
	atomic {
		/* WARN_ON_ONCE(!ctx) */
		assert(parked[0] == f || parked[1] == f || parked[2] == f ||
		       parked[3] == f);
		if
		:: parked[0] == f -> ctx = 0
		:: parked[1] == f -> ctx = 1
		:: parked[2] == f -> ctx = 2
		:: parked[3] == f -> ctx = 3
		fi;
#if BROKEN == take_unlocked
	};
	atomic {
#endif
		parked[ctx] = NO_FAMILY
	}
}

/* perf_sched_ctx_out_oncpu(): others see it in two steps */
inline unload_oncpu(c)
{
	d_step {
		!locked[c] ->
		locked[c] = true;
		task_ctx[cpu] = NOTHING;
		loaded[c] = NO_CPU
	};
	atomic {
#if BROKEN != no_park
		if
		:: family[c] != NO_FAMILY -> park_locked(c)
		:: else
		fi;
#endif
		UNLOCK(locked[c])
	}
}

/* perf_sched_try_ctx_in(), as well */
inline try_load()
{
	d_step {
		!locked[ctx] ->
		locked[ctx] = true;
		serves = SERVES(ctx, runs[cpu]) || BROKEN == no_serves;
		if
		:: serves && events[ctx] && loaded[ctx] == NO_CPU ->
			assert(!PARKED(ctx) && !ended[ctx]);
			loaded[ctx] = cpu;
			task_ctx[cpu] = ctx;
			from = NO_FAMILY
		:: else
		fi
	};
	atomic {
		/* perf_family_return_locked() */
		if
#if BROKEN == return_any
		:: from != NO_FAMILY && family[ctx] != NO_FAMILY ->
#elif BROKEN == no_return
		:: false ->
#else
		:: from != NO_FAMILY && family[ctx] == from ->
#endif
			park_locked(ctx)
		:: else
		fi;
		UNLOCK(locked[ctx])
	}
}

/* perf_sched_task_in() */
inline load()
{
	do
	:: true ->
		d_step {
			from = NO_FAMILY;
			ctx = NOTHING;
			if
			:: runs[cpu] != IDLE -> ctx = ctxp[runs[cpu]]
			:: else
			fi
		};
		if
		:: IS_HANDLE(ctx) ->
			from = ctx - HANDLE;
			take(from)
		:: else
		fi;
		if
		:: ctx == NOTHING -> break
		:: else
		fi;
		try_load();
		if
		:: serves -> break
		:: else
		fi
	od;
	atomic { ctx = 0; from = 0; serves = false }
}

/* perf_sched_reload_oncpu() */
inline settle_oncpu()
{
	if
	:: task_ctx[cpu] != NOTHING && SERVES(task_ctx[cpu], runs[cpu])
	:: else ->
		if
		:: task_ctx[cpu] != NOTHING ->
			ctx = task_ctx[cpu];
			unload_oncpu(ctx)
		:: else
		fi;
		load()
	fi
}

/* perf_family_add() */
inline add(f, c)
{
	LOCK(locked[c]);
	d_step { family[c] = f; nr_contexts[f]++; events[c] = true };
	if
	:: loaded[c] == NO_CPU -> park_locked(c)
	:: else
	fi;
	UNLOCK(locked[c])
}

/* member_found(): of the family @f, with the contexts @own and @copy */
inline found(f, own, copy, child)
{
	add(f, own);
#if BROKEN != one_context
	add(f, copy);
#endif
	d_step {
		nr_members[f] = 2;
		ctxp[child] = HANDLE + f;
		ctxp[runs[cpu]] = HANDLE + f;
		runnable[child] = true
	}
}

/* perf_family_withdraw() */
inline withdraw(c)
{
	LOCK(locked[c]);
	d_step {
		nr_contexts[family[c]]--;
		family[c] = NO_FAMILY
	};
	parked[c] = NO_FAMILY;
	UNLOCK(locked[c])
}

/* perf_family_replace(), of family 0: nobody else knows @new */
inline replace(c, new)
{
	LOCK(locked[c]);
	d_step {
		family[c] = NO_FAMILY;
#if BROKEN != no_unpark
		parked[c] = NO_FAMILY;
#endif
		family[new] = 0;
		events[new] = true;
		parked[new] = 0
	};
	UNLOCK(locked[c])
}

/* perf_inherit_end(), for a context that serves no task */
inline end_context(c)
{
	d_step {
		assert(loaded[c] == NO_CPU && !PARKED(c));
		assert(family[c] == NO_FAMILY);
		ended[c] = true
	}
}

/* member_drop(), member_end_family() */
inline drop(f)
{
	nr_members[f]--;
	if
	:: nr_members[f] == 0 ->
		c = 0;
		do
		:: c == CONTEXTS -> break
		:: c < CONTEXTS && family[c] == f ->
			withdraw(c);
			end_context(c);
			c++
		:: else -> c++
		od;
		c = 0
	:: else
	fi
}

/* Interrupts are on. */
inline look()
{
	d_step {
		assert((runs[cpu] == IDLE || ctxp[runs[cpu] % TASKS] == NOTHING) ->
		       task_ctx[cpu] == NOTHING : true);
		assert(task_ctx[cpu] == NOTHING ||
		       loaded[task_ctx[cpu] % CONTEXTS] == cpu);
		/* A task that runs is counted. */
		assert(runs[cpu] == IDLE || ctxp[runs[cpu] % TASKS] == NOTHING ||
		       closing || task_ctx[cpu] != NOTHING);
		assert(task_ctx[cpu] == NOTHING || leaving ||
		       SERVES(task_ctx[cpu] % CONTEXTS, runs[cpu]))
	}
}

#define MAY_RUN(task)							\
	(runnable[task] && runs[0] != (task) && runs[1] != (task) &&	\
	 coming[0] != (task) && coming[1] != (task))

/* The task that a CPU is about to run: the other CPU cannot have it. */
byte coming[2] = IDLE;

proctype processor(byte cpu)
{
	byte ctx, from, place, next;
	bool serves;

end:	do
	:: look()
	:: settle[cpu] -> settle_oncpu(); settle[cpu] = false

	/* __perf_event_task_sched_out(), __perf_event_task_sched_in() */
	:: atomic {
		if
		:: MAY_RUN(A) -> next = A
		:: MAY_RUN(B) -> next = B
		:: MAY_RUN(C) -> next = C
		:: MAY_RUN(D) -> next = D
		:: runs[cpu] != IDLE -> next = IDLE
		fi;
		coming[cpu] = next
	   }
		if
		:: task_ctx[cpu] != NOTHING && !SERVES(task_ctx[cpu], next) ->
			ctx = task_ctx[cpu];
			unload_oncpu(ctx);
			ctx = 0
		:: else
		fi;
		d_step { runs[cpu] = next; coming[cpu] = IDLE; next = 0 };
		settle_oncpu()

#if CLOSES
	/* perf_control_remove_remote(), perf_control_release_locked() */
	:: removal[cpu] ->
		ctx = removal[cpu] - 1;
		if
		:: loaded[ctx] == cpu ->
			LOCK(locked[ctx]);
			d_step {
				events[ctx] = false;
				task_ctx[cpu] = NOTHING;
				loaded[ctx] = NO_CPU
			};
			if
			:: family[ctx] != NO_FAMILY -> park_locked(ctx)
			:: else
			fi;
			UNLOCK(locked[ctx])
		:: else
		fi;
		ctx = 0;
		removal[cpu] = 0
#endif
	/* member_fork_founding() */
	:: runs[cpu] == A && ctxp[A] == 0 && !runnable[B] && !nr_contexts[0] ->
		found(0, 0, 1, B)
#if LEAVES
	:: runs[cpu] == A && ctxp[A] == 0 && departed && !runnable[D] ->
		found(1, 0, 3, D)
	:: runs[cpu] == B && ctxp[B] == 2 && departed && !runnable[D] ->
		found(1, 2, 3, D)
#endif
	/* perf_sched_take_ctx() */
	:: runs[cpu] != IDLE && part[runs[cpu] % TASKS] ->
		ctxp[runs[cpu]] = NOTHING;
#if BROKEN != no_part
		settle_oncpu();
#endif
		d_step { runnable[runs[cpu]] = false; part[runs[cpu]] = false }
	od
}

#if !LEAVES
/* member_join(): B forks C. */
active proctype fork()
{
end:	ctxp[B] == HANDLE;
	LOCK(mutex[0]);
	if
	:: ctxp[B] != HANDLE -> goto out
	:: else
	fi;
	/* perf_family_wants_context() */
	assert(nr_contexts[0] >= 2 || BROKEN == one_context);
	atomic {
		ctxp[C] = HANDLE;
		nr_members[0]++;
		runnable[C] = true
	};
out:	UNLOCK(mutex[0])
}
#endif

#if EXITS
/* perf_member_exit(), member_exit_family(): one after the other, by the mutex */
active proctype exit()
{
	byte c, me;

end:	do
	:: atomic {
		if
		:: !mutex[0] && ctxp[A] == HANDLE -> me = A
		:: !mutex[0] && ctxp[B] == HANDLE -> me = B
		:: !mutex[0] && ctxp[C] == HANDLE -> me = C
		fi;
		mutex[0] = true
	   }
#if BROKEN == drop_first
		drop(0);
#endif
		part[me] = true;
		!part[me];
#if BROKEN != drop_first
		drop(0);
#endif
		d_step { me = 0; mutex[0] = false }
	od
}
#endif

#if LEAVES
/* perf_member_leave(): an event is opened on A or on B. */
active proctype open()
{
	byte me, own, c, cpu;

end:	ctxp[A] == HANDLE;
	if
	:: me = A; own = 0
	:: me = B; own = 2
	fi;
	if
	:: ctxp[me] != HANDLE
	:: else ->
		LOCK(mutex[0]);
		leaving = 1;
		/* member_leave_with() */
		if
		:: me == A ->
#if BROKEN == withdraw_first
			withdraw(0);
			add(0, 2)
#else
			replace(0, 2)
#endif
		:: else -> events[2] = true
		fi;
		/* perf_control_vacate() */
#if BROKEN != no_vacate
		do
		:: loaded[own] == NO_CPU -> break
		:: else ->
			d_step {
				cpu = loaded[own];
				if
				:: cpu != NO_CPU -> settle[cpu] = true
				:: else -> cpu = 0
				fi
			};
			!settle[cpu]
		od;
		cpu = 0;
#endif
		ctxp[me] = own;
		/* perf_control_reload() */
#if BROKEN != no_settle
		if
		:: runs[0] == me || coming[0] == me ->
			settle[0] = true;
			!settle[0]
		:: runs[1] == me || coming[1] == me ->
			settle[1] = true;
			!settle[1]
		:: else
		fi;
#endif
		d_step { leaving = 0; departed = 1 };
		drop(0);
		UNLOCK(mutex[0])
	fi
}
#endif

#if CLOSES
/* The eldest is closed: perf_control_remove() for each context of the pool. */
active proctype close()
{
	byte c;

end:	nr_members[0] >= 2;
	closing = 1;
	do
	:: c == 2 -> break
	:: else ->
		do
		:: !events[c] -> break
		:: loaded[c] == NO_CPU ->
			LOCK(locked[c]);
			if
			:: loaded[c] == NO_CPU -> events[c] = false
			:: else
			fi;
			UNLOCK(locked[c])
		:: loaded[c] == 0 -> removal[0] = 1 + c; removal[0] == 0
		:: loaded[c] == 1 -> removal[1] = 1 + c; removal[1] == 0
		od;
		c++
	od
}
#endif

init
{
	atomic {
		events[0] = true;
		ctxp[A] = 0;
		runnable[A] = true;
		run processor(0);
		run processor(1)
	}
}
