/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's context is loaded and unloaded by two CPUs, while others install,
 * enable, disable, read and remove its events, and while the task exits.  See
 * kernel/events/remote.c, sched.c, control.c, context.c, sched_key.c.
 *
 * The task runs on one of two CPUs or nowhere, and moves between them freely.
 * A CPU is a process that does one thing at a time: between two rounds of its
 * loop it has interrupts off, except in a walk over events.  Up to two users,
 * which run elsewhere, have an event each.  Memory is ordered as locks,
 * interrupts and waiting order it.  One store is not, that of
 * task->perf_event_ctxp: it may be late until a barrier.  With two users these
 * only open and close, and the task does not exit.
 *
 * Properties
 *   - a function that is called runs exactly once, on the CPU where the context is
 *     loaded, or under its lock while it is loaded nowhere
 *   - an event is scheduled in and out on one CPU, and read only there
 *   - whenever the task runs, the events that it should have are active
 *   - whenever it does not, its context is loaded nowhere
 *   - an event that was removed is active nowhere, and is not scheduled in again
 *   - work that came in a walk is done when the walk is over
 */

/*
 * Variants.
 *   one	-DUSERS=1
 *   two	-DUSERS=2
 */

/* Breakages. */
#define no_look_unloaded 1	/* one: perf_remote_run_unloaded() does not look again */
#define no_look_loaded	2	/* one: perf_remote_run_oncpu() does not look again */
#define no_retry	3	/* one: perf_ctx_call() never tries again */
#define load_unlocked	4	/* one: a task switch loads without ctx->lock */
#define no_settle	5	/* one: the first event waits for the next task switch */
#define no_settle_mb	6	/* one: perf_control_reload() without its barrier */
#define no_key_sync	7	/* one: nobody waits for all CPUs to see the hooks */
#define stays_loaded	8	/* one: the last event leaves, the context stays loaded */
#define exit_stays_loaded 9	/* one: perf_sched_take_ctx() unloads nothing */
#define walk_looks_first 10	/* one: perf_walk_end(): the list before the count */
#define walk_unawaited	11	/* one: the sender does not wait for the end of a walk */

#ifndef BROKEN
#define BROKEN		0
#endif

#ifndef USERS
#define USERS		2
#endif

#define NONE		2	/* no CPU */
#define EXITS		2	/* the caller that is the task itself */

mtype = { absent, off, inactive, counts, ended };
mtype = { install, enable, disable, count, remove };

/* The context. */
bool lock, mutex;
byte loaded = NONE;
byte nr_events;
mtype state[2] = absent;

/* The task: does it name the context, and is that store visible yet? */
bool ctxp, ctxp_late, exiting, parted, exited;
byte task_cpu;
bool runs[2], task_ctx[2];

/* The hooks in the task switch. */
byte key_users;
bool hooks, hooked[2];

/* Walks, and calls: of two others and of the task that exits. */
bool walk[2];
byte sent[3] = NONE, late[3] = NONE;
bool settles[3], waits[3], completed[3], done[3];
byte arg[3];
mtype fn[3];

/* For the properties. */
byte on[2] = NONE;
bool wanted[2];
bool over[2];

#define LOCK(l)		atomic { !(l) -> l = true }
#define UNLOCK(l)	l = false

inline put_on(e, cpu)
{
	assert(state[e] == inactive && on[e] == NONE);
	state[e] = counts;
	on[e] = cpu
}

inline take_off(e, cpu)
{
	if
	:: state[e] == counts ->
		assert(on[e] == cpu && cpu != NONE);
		state[e] = inactive;
		on[e] = NONE
	:: else
	fi
}

/* perf_sched_ctx_in_locked() */
inline load_locked(cpu)
{
	assert(!task_ctx[cpu] && loaded == NONE);
	loaded = cpu;
	task_ctx[cpu] = true;
	if
	:: state[0] == inactive -> put_on(0, cpu)
	:: else
	fi;
	if
	:: state[1] == inactive -> put_on(1, cpu)
	:: else
	fi
}

/* perf_sched_ctx_out_locked(), in the two steps that others could see */
inline unload_locked(cpu)
{
	atomic {
		assert(task_ctx[cpu]);
		take_off(0, cpu);
		take_off(1, cpu)
	};
	d_step {
		task_ctx[cpu] = false;
		loaded = NONE
	}
}

/* Run by perf_ctx_call(): perf_control_*_oncpu().  @cpu may be NONE */
inline execute(i, cpu)
{
	atomic {
		assert(lock && loaded == cpu);
		assert(!done[i]);
		e = arg[i];
		if
		:: fn[i] == install ->
			assert(state[e] == absent && !exited);
			state[e] = inactive;
			nr_events++;
			if
			:: cpu != NONE -> put_on(e, cpu)
			:: else
			fi
		:: fn[i] == enable && state[e] == off ->
			state[e] = inactive;
			if
			:: cpu != NONE -> put_on(e, cpu)
			:: else
			fi
		:: fn[i] == disable &&
		   (state[e] == inactive || state[e] == counts) ->
			take_off(e, cpu);
			state[e] = off
		:: fn[i] == count ->
			assert(state[e] != counts || on[e] == cpu)
		:: fn[i] == remove && state[e] != ended ->
			take_off(e, cpu);
			state[e] = ended;
			nr_events--
		:: else
		fi;
		e = 0
	};
#if BROKEN != stays_loaded
	/* perf_control_release_locked() */
	if
	:: fn[i] == remove && cpu != NONE && nr_events == 0 &&
	   task_ctx[cpu] ->
		unload_locked(cpu)
	:: else
	fi;
#endif
	done[i] = true
}

/* perf_remote_run_oncpu() */
inline run_oncpu(i)
{
	if
	:: loaded == cpu || BROKEN == no_look_loaded ->
		LOCK(lock);
		execute(i, cpu);
		UNLOCK(lock)
	:: else
	fi
}

/* perf_sched_ctx_out_oncpu() */
inline unload_oncpu()
{
	if
	:: loaded == cpu ->
		LOCK(lock);
		unload_locked(cpu);
		UNLOCK(lock)
	:: else
	fi
}

/* perf_sched_task_in(), perf_sched_try_ctx_in() */
inline load()
{
	if
	:: ctxp ->
#if BROKEN != load_unlocked
		LOCK(lock);
#endif
		atomic {
			if
			:: loaded == NONE && nr_events ->
				load_locked(cpu)
			:: else
			fi;
#if BROKEN != load_unlocked
			UNLOCK(lock)
#endif
		}
	:: else
	fi
}

/* perf_sched_reload_oncpu() */
inline settle_oncpu()
{
	if
	:: task_ctx[cpu] && !(runs[cpu] && ctxp) -> unload_oncpu()
	:: else
	fi;
	if
	:: !task_ctx[cpu] && runs[cpu] -> load()
	:: else
	fi
}

/* perf_remote_job_ipi(), perf_control_reload_oncpu() */
inline interrupt(i)
{
	if
	:: walk[cpu] ->
		late[i] = cpu;
		waits[i] = true
	:: else ->
		if
		:: settles[i] -> settle_oncpu()
		:: else -> run_oncpu(i)
		fi
	fi;
	sent[i] = NONE
}

#define CALLED(c)	(sent[0] == (c) || sent[1] == (c) || sent[2] == (c))

/* An interrupt comes; its call may be anyone's. */
inline answer()
{
	atomic {
		if
		:: sent[0] == cpu -> i = 0
		:: sent[1] == cpu -> i = 1
		:: sent[2] == cpu -> i = 2
		fi
	};
	interrupt(i);
	i = 0
}

/* perf_walk_run_late_oncpu(), perf_remote_job_late() */
inline work(i)
{
	if
	:: late[i] == cpu ->
		late[i] = NONE;
		if
		:: settles[i] -> settle_oncpu()
		:: else -> run_oncpu(i)
		fi;
		completed[i] = true
	:: else
	fi
}

/* Interrupts are on: this must hold on a CPU. */
inline look()
{
	d_step {
		assert(!task_ctx[cpu] || (runs[cpu] && loaded == cpu));
		assert(loaded != cpu || task_ctx[cpu]);
		assert(late[0] != cpu && late[1] != cpu && late[2] != cpu);
		assert(!runs[cpu] || exiting || !wanted[0] || on[0] == cpu);
		assert(!runs[cpu] || exiting || !wanted[1] || on[1] == cpu);
		assert(!over[0] || (on[0] == NONE && state[0] == ended));
		assert(!over[1] || (on[1] == NONE && state[1] == ended))
	}
}

/* A CPU. */
proctype processor(byte cpu)
{
	byte e, i;
	bool looked;

end:	do
	:: look()

	/* Interrupts. */
	:: CALLED(cpu) -> answer()
	:: d_step { hooked[cpu] != hooks -> hooked[cpu] = hooks }

	/* __perf_event_task_sched_in() */
	:: d_step {
		task_cpu == cpu && !runs[0] && !runs[1] && !exited ->
		runs[cpu] = true
	   }
		if
		:: hooked[cpu] -> settle_oncpu()
		:: else
		fi

	/* __perf_event_task_sched_out() */
	:: runs[cpu] ->
		if
		:: hooked[cpu] && task_ctx[cpu] -> unload_oncpu()
		:: else
		fi;
		runs[cpu] = false

#if USERS == 1
	/* perf_event_exit_task(), as far as perf_sched_take_ctx() */
	:: d_step { runs[cpu] && ctxp && !exiting -> exiting = true; ctxp = false };
#if BROKEN != exit_stays_loaded
		settle_oncpu();
#endif
		parted = true
#endif

	/* perf_walk_begin(), perf_walk_end() */
	:: walk[cpu] = true;
		do
		:: CALLED(cpu) -> answer()
		:: break
		od;
#if BROKEN == walk_looks_first
		looked = late[0] == cpu || late[1] == cpu || late[2] == cpu;
		if
		:: CALLED(cpu) -> answer()
		:: true
		fi;
		walk[cpu] = false;
#else
		walk[cpu] = false;
		if
		:: CALLED(cpu) -> answer()
		:: true
		fi;
		looked = true;
#endif
		/* perf_walk_end_late() */
		if
		:: looked ->
			looked = false;
			do
			:: i == 3 -> break
			:: else -> work(i); i++
			od;
			i = 0
		:: else
		fi
	od
}

/* The scheduler moves a task that does not run. */
active proctype balance()
{
end:	do
	:: d_step { !runs[0] && !runs[1] -> task_cpu = 1 - task_cpu }
	od
}

/* perf_remote_do() */
inline send(i, to)
{
	sent[i] = to;
	sent[i] == NONE;
#if BROKEN != walk_unawaited
	if
	:: waits[i] -> d_step { completed[i] -> waits[i] = false; completed[i] = false }
	:: else
	fi
#endif
}

/* perf_ctx_call() */
inline call(i, what, event)
{
	d_step { fn[i] = what; arg[i] = event; settles[i] = false; done[i] = false };
	do
	:: true ->
		cpu = loaded;
		if
		:: cpu == NONE ->
			/* perf_remote_run_unloaded() */
			LOCK(lock);
			if
			:: loaded == NONE || BROKEN == no_look_unloaded ->
				execute(i, NONE)
			:: else
			fi;
			UNLOCK(lock)
		:: else ->
			send(i, cpu)
		fi;
		if
		:: done[i] || BROKEN == no_retry -> break
		:: else
		fi
	od;
	atomic { assert(done[i]); cpu = 0; done[i] = false; fn[i] = 0; arg[i] = 0 }
}

/* A user opens an event, operates on it, and closes it. */
proctype user(byte me)
{
	byte cpu, e;

	/* perf_sched_key_get() */
	d_step { key_users++; hooks = true };
#if BROKEN != no_key_sync
	hooked[0] && hooked[1];
#endif
	/* perf_ctx_publish(): with perf_event_mutex, and only once */
	if
	:: exiting -> goto put
	:: d_step { !exiting && !ctxp && !ctxp_late -> ctxp_late = true }
	:: !exiting && (ctxp || ctxp_late)
	fi;

	/* perf_control_install() */
	LOCK(mutex);
	if
	:: exited -> UNLOCK(mutex); goto put
	:: else
	fi;
	call(me, install, me);
	if
	:: loaded == NONE ->
#if BROKEN != no_settle
		/* perf_control_reload() */
#if BROKEN != no_settle_mb
		!ctxp_late;
#endif
		cpu = task_cpu;
		settles[me] = true;
		send(me, cpu);
		settles[me] = false;
		cpu = 0
#endif
	:: else
	fi;
	atomic { wanted[me] = state[me] == inactive || state[me] == counts };
	UNLOCK(mutex);

	/* perf_control_disable(), perf_control_enable(), perf_control_read_call() */
#if USERS == 1
	if
	:: true ->
		LOCK(mutex);
		wanted[me] = false;
		call(me, disable, me);
		assert(on[me] == NONE);
		call(me, enable, me);
		wanted[me] = state[me] == inactive || state[me] == counts;
		call(me, count, me);
		UNLOCK(mutex)
	:: true
	fi;
#endif

	/* perf_control_remove() */
	LOCK(mutex);
	wanted[me] = false;
	call(me, remove, me);
	assert(on[me] == NONE);
	over[me] = true;
	UNLOCK(mutex);
put:	/* perf_sched_key_put() */
	atomic {
		key_users--;
		if
		:: key_users == 0 -> hooks = false
		:: else
		fi
	}
}

/* The store of perf_ctx_publish() becomes visible. */
active proctype publication()
{
end:	d_step { ctxp_late -> ctxp = true; ctxp_late = false }
}

#if USERS == 1
/* The rest of perf_event_exit_task(): perf_inherit_end() */
active proctype exit()
{
	byte cpu, e;

end:	parted;
	LOCK(mutex);
	assert(loaded == NONE);
	/* perf_ctx_orphan_locked() */
	exited = true;
	wanted[0] = false;
	wanted[1] = false;
	if
	:: state[0] != absent -> call(EXITS, remove, 0)
	:: else
	fi;
	UNLOCK(mutex)
}
#endif

init
{
	atomic {
		run processor(0);
		run processor(1);
		run user(0);
#if USERS > 1
		run user(1)
#endif
	}
}
