/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring buffer: writers that nest on one CPU, a reader in user space on
 * another, and a third CPU that wakes the reader.  See
 * kernel/events/ring_buffer.c.
 *
 * A record has one or two words.  A word is its position in the stream plus one,
 * so that a reader can tell whether it belongs where it was found.  Memory that
 * only the writing CPU uses (head, wakeup, nest, full_at) is plain.  Its stores
 * to memory that the reader sees go through a store buffer, and leave it in any
 * order that smp_wmb() permits.  The reader's loads and its one store happen in
 * the order that its barriers ask for.
 *
 * Properties
 *   - the reader finds at each position the word that belongs there
 *   - data_head never goes back; all that it covers is written
 *   - no word is stored over one that the reader has not released
 *   - when all writers have finished, data_head equals head
 *   - when nobody writes and the reader sleeps, no more than the watermark is
 *     unread, and nothing at all if a record was refused since it read
 */

/*
 * Variants.
 *   nested	-DTASK=1 -DIRQ=1 -DNMI=1
 *   laps	-DTASK=3 -DIRQ=1 -DNMI=0
 *   refused	-DTASK=4 -DIRQ=0 -DNMI=0
 *   late	-DTASK=2 -DIRQ=0 -DNMI=1
 *   beside	-DTASK=2 -DIRQ=0 -DNMI=0 -DOTHER=1
 */

/* Breakages. */
#define no_wmb		1	/* nested: (b) left out: head is seen before the record */
#define no_rmb		2	/* laps: (c) left out: the reader takes old words */
#define no_mb		3	/* laps: (d) left out: words are released before they are read */
#define no_second_look	4	/* nested: step 4 left out: nested records stay hidden */
#define no_nest_again	5	/* nested: step 4 without nest = 1: an old head is shown */
#define nest_before_head 6	/* nested: steps 2 and 3 swapped */
#define reserve_before_nest 7	/* nested: head is taken before nest shows it */
#define stamp_after_nest 8	/* nested: handle->wakeup is read too late */
#define all_publish	9	/* nested: every nested writer publishes */
#define no_mark_full	10	/* nested: a writer without room wakes nobody */
#define no_tail_check	11	/* laps: writers do not check for room */
#define poll_unordered	12	/* nested: rb->poll is seen before data_head */
#define full_tail_twice	13	/* refused: full_at is not the tail that was found full */
#define due_after_walk	14	/* late: wake_due is taken after the pollers were woken */
#define due_before_poll	15	/* beside: wake_due is seen before rb->poll */

#ifndef BROKEN
#define BROKEN		0
#endif

/* How many records a task, an interrupt and an NMI write. */
#ifndef TASK
#define TASK		1
#define IRQ		1
#define NMI		1
#endif

/* How often an event of another CPU wakes the pollers. */
#ifndef OTHER
#define OTHER		0
#endif

#define SIZE		4
#define WATERMARK	2

/* What the other CPU sees.  One array, so that the store buffer has one form. */
#define HEAD		4	/* user_page->data_head */
#define POLL		5	/* rb->poll */
#define DUE		6	/* rb->wake_due */
byte mem[7];
byte data_tail;

/* Stores that the other CPU does not see yet; an age of 0: none. */
byte pending[7];
byte age[7];
byte now = 1;

/* The writing CPU: 0 a task, 1 an interrupt, 2 an NMI has it. */
byte cur;
byte head, wakeup, nest, lost;
byte full_at = 255;
bool irq_work;

/* The lock of the buffer's events. */
bool event_lock;

/* The reader. */
bool queued, triggered, asleep;

/* For the properties. */
byte through;
byte refused = 255;
byte due;

#define STILL	(!age[0] && !age[1] && !age[2] && !age[3] && !age[4] && \
		 !age[5] && !age[6])
#define OLDER(i, j)	(age[j] && age[j] < age[i])
#define DRAIN(i)							\
	d_step {							\
		age[i] && !OLDER(i, 0) && !OLDER(i, 1) && !OLDER(i, 2) && \
		!OLDER(i, 3) && !OLDER(i, 4) && !OLDER(i, 5) &&		\
		!OLDER(i, 6) ->						\
		assert(i >= SIZE || pending[i] <= data_tail + SIZE);	\
		assert(i != HEAD || pending[i] >= mem[i]);		\
		mem[i] = pending[i];					\
		pending[i] = 0;						\
		age[i] = 0;						\
		if							\
		:: STILL -> now = 1					\
		:: else							\
		fi							\
	}

/* Stores of the writing CPU become visible to the other CPU. */
active proctype store_buffer()
{
end:	do
	:: DRAIN(0)
	:: DRAIN(1)
	:: DRAIN(2)
	:: DRAIN(3)
	:: DRAIN(4)
	:: DRAIN(5)
	:: DRAIN(6)
	od
}

/* One step of a writer: no interrupt has the CPU. */
#define STEP(c)		cur == level && (c)

/* Two stores to one place never change their order. */
#define STORE(where, what)						\
	d_step {							\
		STEP(!age[where]) ->					\
		pending[where] = what;					\
		age[where] = now					\
	}

/*
 * perf_rb_wake(): (e), the release of wake_due, and perf_pending_wake():
 * queueing is a full barrier.
 */
inline wake()
{
#if BROKEN == poll_unordered
	skip;
#else
	atomic { STEP(STILL) };
#endif
	STORE(POLL, 1);
#if BROKEN != due_before_poll
	atomic { STEP(STILL) };
#endif
	STORE(DUE, 1);
	d_step { STEP(STILL) -> irq_work = true }
}

/* perf_rb_show_head() */
inline show_head()
{
	d_step { STEP(true) -> shown = head }
#if BROKEN != no_wmb
	/* smp_wmb() */
	d_step {
		STEP(true) ->
		if
		:: STILL
		:: else -> now++
		fi
	}
#endif
	STORE(HEAD, shown)
}

/* perf_rb_publish() */
inline publish()
{
	do
	:: true ->
#if BROKEN == no_nest_again
		if
		:: shown == 255 -> d_step { STEP(true) -> nest = 1 }
		:: else
		fi;
#elif BROKEN != all_publish
		d_step { STEP(true) -> nest = 1 }
#endif
#if BROKEN == nest_before_head
		d_step { STEP(true) -> nest = 0 }
		show_head();
#else
		show_head();
#if BROKEN == all_publish
		d_step { STEP(true) -> nest-- }
#else
		d_step { STEP(true) -> nest = 0 }
#endif
#endif
#if BROKEN == no_second_look
		break
#else
		if
		:: atomic { STEP(shown == head) -> break }
		:: atomic { STEP(shown != head) }
		fi
#endif
	od
}

/* perf_rb_leave() */
inline leave()
{
	d_step { STEP(true) -> was = nest }
	if
	:: was > 1 && BROKEN != all_publish ->
		d_step { STEP(true) -> nest = was - 1 }
	:: else ->
		publish();
		if
		:: atomic { STEP(stamp != wakeup) -> skip }
			wake()
		:: atomic { STEP(stamp == wakeup) }
		fi
	fi
}

/* perf_rb_enter() */
inline enter()
{
#if BROKEN != stamp_after_nest
	d_step { STEP(true) -> stamp = wakeup }
#endif
	/* An interrupt restores nest: load and store are one step. */
	d_step { STEP(true) -> nest++ }
#if BROKEN == stamp_after_nest
	d_step { STEP(true) -> stamp = wakeup }
#endif
}

#if BROKEN == no_tail_check
#define ROOM	true
#else
/* A word has eight bytes: the byte that stays free costs a whole word. */
#define ROOM	(old + size < tail + SIZE)
#endif

/* perf_rb_reserve(): perf_rb_has_room() and the exchange, then the watermark */
inline reserve()
{
	d_step { STEP(true) -> old = head }
	do
	:: true ->
		d_step { STEP(true) -> tail = data_tail }
		if
		:: !(ROOM) ->
			room = false;
			break
		:: else
		fi;
		/* local_try_cmpxchg() */
		if
		:: d_step { STEP(head == old) -> head = old + size; room = true }
			break
		:: d_step { STEP(head != old) -> old = head }
		fi
	od;
	if
	:: room ->
		/* perf_rb_check_watermark() */
		d_step { STEP(true) -> was = wakeup }
		if
		:: old + size > was + WATERMARK ->
			d_step {
				STEP(true) ->
				if
				:: wakeup == was ->
					wakeup = was + WATERMARK;
					due = old + size
				:: else
				fi
			}
		:: else
		fi
	:: else
	fi
}

/* perf_rb_mark_full() */
inline mark_full()
{
	refused = tail;
#if BROKEN != no_mark_full
#if BROKEN == full_tail_twice
	d_step { STEP(true) -> tail = data_tail }
#endif
	if
	:: atomic { STEP(full_at == tail) }
	:: atomic { STEP(full_at != tail) -> full_at = tail }
		d_step { STEP(true) -> old = head }
		d_step { STEP(true) -> was = wakeup }
		d_step {
			STEP(true) ->
			if
			:: wakeup != was
			:: wakeup == was && old > was -> wakeup = old
			:: else -> wakeup = was + 1
			fi;
			due = old
		}
	fi
#endif
}

/*
 * A writer at one level: @records records of @size words each.  The body is
 * perf_output_begin(), perf_rb_write() and perf_output_end().
 */
proctype writer(byte level; byte records; byte size)
{
	byte stamp, was, old, tail, below;
	byte shown = 255;
	bool room;

	do
	:: records == 0 -> break
	:: else ->
		/* Interrupts a lower level. */
		if
		:: d_step { level > 0 && cur < level -> below = cur; cur = level }
		:: level == 0
		fi;
#if BROKEN == reserve_before_nest
		d_step { STEP(true) -> stamp = wakeup }
		reserve();
		d_step { STEP(true) -> nest++ }
#else
		enter();
		reserve();
#endif
		if
		:: room ->
			STORE(old % SIZE, old + 1);
			if
			:: size == 2 -> STORE((old + 1) % SIZE, old + 2)
			:: else
			fi
		:: else ->
			/* perf_rb_turn_away() */
			mark_full()
		fi;
		leave();
		d_step {
			STEP(true) ->
			records--;
			if
			:: level > 0 -> cur = below
			:: else
			fi;
			below = 0; stamp = 0; was = 0; old = 0; tail = 0;
			shown = 255; room = false
		}
	od;
	through++
}

/*
 * perf_rb_wake_pollers(), whose steps happen while @may holds.  The reader polls
 * another event than those that wake.
 */
inline wake_pollers(may)
{
	d_step { may -> walks = mem[DUE] }
	if
	:: !walks
	:: walks ->
		d_step { may && !event_lock -> event_lock = true }
		d_step {
			may ->
			walks = mem[DUE];
#if BROKEN != due_after_walk
			mem[DUE] = 0
#endif
		}
		/* The lock of the queue. */
		d_step {
			may ->
			if
			:: queued && walks -> triggered = true
			:: else
			fi;
			walks = false
		}
#if BROKEN == due_after_walk
		d_step { may -> mem[DUE] = 0 }
#endif
		d_step { may -> event_lock = false }
	fi
}

/* perf_overflow_wakeup_work() on the CPU that writes. */
active proctype wakeup_work()
{
	bool walks;

end:	do
	:: d_step { irq_work && cur == 0 -> irq_work = false; cur = 1 }
		wake_pollers(cur == 1 && STILL);
		d_step { cur == 1 && STILL -> cur = 0 }
	od
}

#if OTHER
/* The same on another CPU, whose event has the same buffer. */
active proctype other_work()
{
	byte times;
	bool walks;

	do
	:: times == OTHER -> break
	:: else ->
		times++;
		wake_pollers(true)
	od
}
#endif

/* A reader in user space, which sleeps in poll(2). */
active proctype reader()
{
	byte seen, word, tail;
	bool bits;

read:
	do
	:: true ->
#if BROKEN == no_rmb
		if
		:: word = mem[tail % SIZE]
		:: true
		fi;
#endif
		seen = mem[HEAD];
		if
		:: seen == tail -> break
		:: else
		fi;
#if BROKEN == no_mb
		if
		:: data_tail = seen
		:: true
		fi;
#endif
		do
		:: tail == seen -> break
		:: else ->
			if
			:: word == 0 -> word = mem[tail % SIZE]
			:: else
			fi;
			atomic { assert(word == tail + 1); tail++; word = 0 }
		od;
		data_tail = tail
	od;
	word = 0;
	seen = 0;

	/* perf_poll(): poll_wait(), then perf_mmap_poll() */
	queued = true;
	do
	:: d_step { bits = mem[POLL]; mem[POLL] = 0 }
		if
		:: bits -> break
		:: else
		fi;
		asleep = true;
end:		d_step { triggered -> triggered = false; asleep = false }
	od;
	atomic { queued = false; triggered = false; bits = false; goto read }
}

active proctype quiet()
{
end:	d_step {
		through == 3 && cur == 0 && !irq_work && STILL && !event_lock &&
		asleep && !triggered ->
		assert(nest == 0);
		assert(mem[HEAD] == head);
		assert(head - data_tail <= WATERMARK);
		assert(data_tail >= due);
		assert(refused != data_tail || head == data_tail)
	}
}

init
{
	atomic {
		run writer(0, TASK, 2);
		run writer(1, IRQ, 1);
		run writer(2, NMI, 1)
	}
}
