/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The life of an AUX area: writers on two CPUs begin and end outputs, down to
 * NMI, a sample copies from the area, the last unmapping and the end of the PMU
 * take it away, and it is mapped anew.  See kernel/events/aux_buffer.c,
 * aux_event.c, mmap.c.
 *
 * Event 0 is scheduled in and out on CPU 0, event 1 on CPU 1; they share the buffer.
 * ONE_TASK: both belong to one task, which is on one CPU at a time. Without it the CPUs
 * are independent: more than the core allows.
 * A CPU is a process that does one thing at a time with interrupts off.  On CPU 0 an
 * NMI may come between any two steps.  Drivers end an output in pmu::stop (STYLE 1),
 * in pmu::del (2) or never (3).  With ONE_TASK they use their part of the area until
 * pmu::stop, also if their interrupt could not begin another output.  Stores are visible at once, except the two that decide
 * which side sees the other: they may be late until a full barrier.  ring.pml has the
 * protocol of head, tail and bytes; here the reader has read all.
 *
 * Properties
 *   - nobody touches the area, or the driver's part of it, after it was given back
 *   - the driver's part is given back once; each reference on the buffer is put once
 *   - an output has one writer, and only that one ends it
 *   - aux_head only grows
 *   - an output that begins has an area that is not retired
 */

/*
 * Variants.
 *   stops	-DSTYLE=1 -DMAPS=2
 *   dels	-DSTYLE=2 -DMAPS=1
 *   forgets	-DSTYLE=3 -DMAPS=1
 *   uses	-DSTYLE=1 -DMAPS=2 -DONE_TASK
 *   uses_dels	-DSTYLE=2 -DMAPS=1 -DONE_TASK
 */

/* Breakages. */
#define no_a		1	/* stops: aux.writing is a plain store */
#define no_b		2	/* stops: the store of NULL to aux.open is late */
#define no_second_look	3	/* stops: begin does not look at aux.open again */
#define no_wait		4	/* stops: retired while it is in use */
#define released_first	5	/* stops: aux.writing is cleared before the last access */
#define no_sampling	6	/* stops: nobody waits for a sample that copies */
#define no_sample_look	7	/* stops: a sample does not look at aux.open again */
#define no_state	8	/* stops: retired at the PMU's end, and again */
#define no_mutex	9	/* stops: the PMU's end does not take aux.mutex */
#define no_exchange	10	/* forgets: aux.writer is cleared without an exchange */
#define abandon_any	11	/* dels: abandoned although its event is active */
#define write_any	12	/* stops: begin takes the area that another event writes */
#define no_last_stop	13	/* uses: an event without an output is not stopped */

#ifndef BROKEN
#define BROKEN		0
#endif
#ifndef STYLE
#define STYLE		1
#endif
/* How often the area is mapped, and how often each event is scheduled in. */
#ifndef MAPS
#define MAPS		1
#endif
#ifndef TURNS
#define TURNS		1
#endif

#ifdef ONE_TASK
#define USES		true
#define CPU_FREE	(!on_cpu[0] && !on_cpu[1])
#else
#define USES		false
#define CPU_FREE	(!on_cpu[e])
#endif

#define NOBODY		2	/* no event, and no CPU */

mtype = { fresh, opened, closing, retired, freed };

/* The area, of which there is one at a time, and the driver's part of it. */
mtype state = fresh;
bool area, priv, mutex;
byte mappings;

/* rb->aux, and stores to it that are not yet visible */
bool open, writing, sampling;
bool open_late, writing_late;
byte writer = NOBODY, cpu_of = NOBODY;
byte head, aux_head;
byte refs = 1;

/* handle->event of each event's driver; is the event active? its hardware stopped? */
bool handle[2], on[2], stopped[2];
/* Does the driver use its part of the area? Is the task on the CPU? */
bool uses[2], on_cpu[2];
bool disable[2], disabled[2];
bool in_nmi;

/* The call that makes a CPU stop the writer, and its answer. */
byte call = NOBODY;
bool not_here;

#define LOCK(l)		atomic { !(l) -> l = true }
#define UNLOCK(l)	l = false

/* CPU 0 makes no step while it is in an NMI. */
#define STEP(c)		(in_nmi == nmi || e == 1) && (c)

/* A late store becomes visible in the end. */
active proctype store_buffer()
{
end:	do
	:: d_step { open_late -> open = false; open_late = false }
	:: d_step { writing_late -> writing = true; writing_late = false }
	od
}

/* perf_aux_let_go(), without aux.writing */
inline let_go_first(who)
{
	atomic {
		STEP(true) ->
		if
		:: writer == who || BROKEN == no_exchange ->
			writer = NOBODY;
			mine = true
		:: else
		fi
	}
	if
	:: mine ->
		d_step { STEP(true) -> handle[who] = false }
	:: else
	fi
}

/* The rest of it: smp_store_release(), perf_rb_put() */
inline let_go_last()
{
	if
	:: mine ->
		d_step { STEP(true) -> writing = false }
		d_step { STEP(true) -> assert(refs > 1); refs--; mine = false }
	:: else
	fi
}

#define TOUCH	assert(area && priv && state != retired && state != freed)

/* perf_aux_output_end(): the hardware has written one more byte */
inline output_end()
{
#if BROKEN == released_first
	let_go_first(e);
	let_go_last();
	d_step { STEP(true) -> TOUCH; head++ }
	d_step { STEP(true) -> assert(head >= aux_head); aux_head = head }
#else
	d_step { STEP(true) -> assert(writing && writer == e); TOUCH; head++ }
	d_step { STEP(true) -> TOUCH; assert(head >= aux_head); aux_head = head }
	let_go_first(e);
	let_go_last()
#endif
}

/* perf_aux_output_begin(), perf_aux_take() */
inline output_begin()
{
	d_step { STEP(true) -> handle[e] = false; refs++ }
	let_go_first(e);
	let_go_last();
	d_step { STEP(true) -> seen = open }
	/* The exchange, with (a) */
	atomic {
		STEP(true) ->
		if
		:: !seen
		:: seen && (writing || writing_late) && BROKEN != write_any ->
			seen = false
		:: else ->
#if BROKEN == no_a
			writing_late = true
#else
			writing = true
#endif
			cpu_of = e
		fi
	}
	if
	:: seen ->
		if
		:: atomic {
			STEP(!open && BROKEN != no_second_look) -> seen = false
		   }
			d_step { STEP(!writing_late) -> writing = false }
		:: atomic { STEP(open || BROKEN == no_second_look) }
			d_step { STEP(true) -> TOUCH; handle[e] = true }
			d_step {
				STEP(true) ->
				assert(writer == NOBODY);
				writer = e;
				uses[e] = USES;
				TOUCH
			}
		fi
	:: else
	fi;
	if
	:: seen -> seen = false
	:: else -> d_step { STEP(true) -> refs-- }
	fi
}

/* The driver: pmu::stop */
inline pmu_stop()
{
	d_step {
		STEP(true) ->
		assert(!uses[e] || (area && priv));
		uses[e] = false;
		stopped[e] = true
	}
	if
	:: STYLE == 1 && handle[e] -> output_end()
	:: else
	fi
}

/* perf_sched_event_out_locked(): pmu::del */
inline event_out()
{
	pmu_stop();
	if
	:: STYLE == 2 && handle[e] -> output_end()
	:: else
	fi;
	d_step { STEP(true) -> on[e] = false; on_cpu[e] = false }
}

/* A CPU, whose event is @e. */
proctype processor(byte e)
{
	bool nmi, mine, seen;
	byte turns, was_writer;

end:	do
	/* pmu::add, pmu::start */
	:: d_step {
		STEP(CPU_FREE && !disabled[e] && turns < TURNS) ->
		turns++;
		on_cpu[e] = true;
		stopped[e] = false
	   }
		output_begin();
		d_step { STEP(true) -> on[e] = true }
	:: atomic { STEP(on[e]) } event_out()

	/* perf_overflow_disable_here() */
	:: d_step { STEP(disable[e]) -> disable[e] = false; disabled[e] = true }
		if
		:: on[e] -> event_out()
		:: else
		fi

	/* perf_aux_snapshot_rcu(): an event of the same group samples */
	:: d_step { STEP(e == 0 && open && on[e]) -> seen = open }
		d_step { STEP(true) -> sampling = true }
		d_step {
			STEP(true) ->
			seen = (open || BROKEN == no_sample_look) && writer == e
		}
		if
		:: seen ->
			d_step { STEP(true) -> TOUCH }
			seen = false
		:: else
		fi;
		d_step { STEP(true) -> sampling = false }

	/* perf_aux_stop_oncpu() */
	:: atomic { STEP(call == e) }
		d_step { STEP(true) -> was_writer = writer }
		if
		:: cpu_of != e -> not_here = false
		:: cpu_of == e && on[e] ->
			/* perf_aux_stop_event() */
			pmu_stop();
			d_step {
				STEP(true) ->
				if
				:: writer == e -> disable[e] = true
				:: else
				fi;
				not_here = BROKEN == abandon_any
			}
		:: else -> not_here = was_writer != NOBODY
		fi;
		call = NOBODY
	od
}

/* An NMI on CPU 0: the driver's interrupt, and an event that samples. */
active proctype nmi_of_cpu0()
{
	byte e;
	bool nmi = true, mine, seen;

end:	do
	:: d_step { !in_nmi && on[0] && handle[0] && !stopped[0] && head < 3 ->
		    in_nmi = true }
		output_end();
		output_begin();
		in_nmi = false
	od
}

/* perf_aux_in_hand(): there is no barrier between the two loads */
inline look_at_hands()
{
#if BROKEN == no_wait
	in_hand = false
#elif BROKEN == no_sampling
	in_hand = writing
#else
	if
	:: in_hand = writing; in_hand = in_hand || sampling
	:: in_hand = sampling; in_hand = in_hand || writing
	fi
#endif
}

/* perf_aux_stop_call() */
inline stop_call()
{
	seen = cpu_of;
	if
	:: seen != NOBODY ->
		call = seen;
		call == NOBODY
	:: else -> not_here = false
	fi
}

/* perf_aux_retire_mutexed() */
inline retire_locked()
{
	if
	:: state == opened || BROKEN == no_state ->
		state = closing;
		open_late = true;
#if BROKEN != no_b
		!open_late;	/* (b) */
#endif
		do
		:: true ->
			look_at_hands();
			if
			:: !in_hand -> break
			:: else
			fi;
			/* perf_aux_evict_mutexed() */
			e = writer;
			if
			:: e != NOBODY ->
				stop_call();
				if
				:: not_here ->
					/* perf_aux_abandon_mutexed() */
					abandon(e)
				:: else
				fi
			:: else
			fi
		od;
#if BROKEN != no_last_stop
		stop_call();
#endif
		/* area->free_priv() */
		atomic { assert(priv); priv = false; state = retired }
	:: else
	fi;
	atomic { seen = 0; e = 0 }
}

/* perf_aux_let_go(), for a driver that has forgotten its output */
inline abandon(who)
{
	atomic {
		if
		:: writer == who || BROKEN == no_exchange ->
			writer = NOBODY;
			mine = true
		:: else
		fi
	};
	if
	:: mine ->
		handle[who] = false;
		writing = false;
		d_step { assert(refs > 1); refs--; mine = false }
	:: else
	fi
}

/* perf_mmap_aux(), perf_mmap_put_aux_mutexed() */
active proctype mapper()
{
	byte seen, e, maps;
	bool in_hand, mine;

	do
	:: maps == MAPS -> break
	:: else ->
		LOCK(mutex);
		/* perf_aux_publish_mutexed() */
		d_step { area = true; priv = true; state = opened; mappings = 1 };
		!open_late;
		open = true;
		UNLOCK(mutex);

		LOCK(mutex);
		mappings--;
		if
		:: mappings == 0 ->
			retire_locked();
			/* perf_aux_free() */
			atomic { assert(!priv); area = false; state = freed }
		:: else
		fi;
		UNLOCK(mutex);
		maps++
	od
}

/* perf_mmap_revoke_aux() */
active proctype revoke()
{
	byte seen, e;
	bool in_hand, mine;

#if BROKEN != no_mutex
	LOCK(mutex);
#endif
	if
	:: area -> retire_locked()
	:: else
	fi;
#if BROKEN != no_mutex
	UNLOCK(mutex)
#endif
}

init
{
	atomic {
		run processor(0);
		run processor(1)
	}
}
