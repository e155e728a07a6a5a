// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sideband": the engine, and the records that concern a single event.
 *
 * Purpose: finds the events that request a record of an occurrence, and writes
 * a record for each of them. The kinds of record are in sideband_kinds.c and
 * sideband_mmap.c.
 *
 * Owns: for each kind of record, the number of events that request it; for each
 * CPU, the list of events that are not bound to a task and request any kind.
 *
 * Contexts: reports are made in task context, for switches under the run-queue
 * lock, and for single events down to NMI. They neither allocate nor sleep.
 *
 * Lifetime: lists are walked by RCU readers with preemption off; events and
 * contexts are freed after a grace period.
 *
 * Locking: side_lock for changes of all lists; it is a leaf.
 *
 * No guard against recursion is needed: a record is made on the reporter's
 * stack, the ring buffer allows nested writers, and writing causes no side-band
 * record.
 *
 * Race of a report with the opening of an event:
 *   1. the event is accounted and listed; it has no context yet;
 *   2. a reporter on that CPU finds it, but event->ctx is NULL: it is skipped;
 *   3. it is installed: its members are set before event->ctx is published;
 *   4. a reporter that sees event->ctx sees the members as well.
 */

#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>

#include "clock.h"
#include "context.h"
#include "family.h"
#include "ring_buffer.h"
#include "sample.h"
#include "sideband.h"
#include "sideband_record.h"

atomic_t perf_side_wants[PERF_SIDE_NR] __read_mostly;

static DEFINE_RAW_SPINLOCK(side_lock);
static DEFINE_PER_CPU(struct list_head, side_events);

/* Any of these bits in an attribute asks for records of the kind. */
static const struct perf_event_attr side_bits[PERF_SIDE_NR] = {
	[PERF_SIDE_TASK] = {
		.task = 1, .comm = 1, .mmap = 1, .mmap2 = 1, .mmap_data = 1,
	},
	[PERF_SIDE_COMM]	= { .comm = 1 },
	[PERF_SIDE_MMAP]	= { .mmap = 1, .mmap2 = 1, .mmap_data = 1 },
	[PERF_SIDE_BUILD_ID]	= { .build_id = 1 },
	[PERF_SIDE_NAMESPACES]	= { .namespaces = 1 },
	[PERF_SIDE_SWITCH]	= { .context_switch = 1 },
	[PERF_SIDE_KSYMBOL]	= { .ksymbol = 1 },
	[PERF_SIDE_BPF]		= { .bpf_event = 1 },
	[PERF_SIDE_TEXT_POKE]	= { .text_poke = 1 },
	[PERF_SIDE_CGROUP]	= { .cgroup = 1 },
};

/* The word of one-bit fields behind attr.read_format; it has no name. */
static u64 side_bits_of(const struct perf_event_attr *attr)
{
	return *(const u64 *)((const void *)attr +
			      offsetofend(struct perf_event_attr, read_format));
}

static bool side_wants(const struct perf_event_attr *attr,
		       enum perf_side_want want)
{
	return side_bits_of(attr) & side_bits_of(&side_bits[want]);
}

/* Events of a task are found through its context. */
static bool side_is_listed(const struct perf_event *event)
{
	return event->cpu >= 0 && !(event->attach_state & PERF_ATTACH_TASK) &&
	       perf_side_wants_any(&event->attr);
}

static void side_count(const struct perf_event *event, int by)
{
	for (unsigned int want = 0; want < PERF_SIDE_NR; want++) {
		if (side_wants(&event->attr, want))
			atomic_add(by, &perf_side_wants[want]);
	}
}

static void side_list(struct perf_event *event)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&side_lock, flags);
	list_add_rcu(&event->sb_list, per_cpu_ptr(&side_events, event->cpu));
	raw_spin_unlock_irqrestore(&side_lock, flags);
}

static void side_unlist(struct perf_event *event)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&side_lock, flags);
	list_del_rcu(&event->sb_list);
	raw_spin_unlock_irqrestore(&side_lock, flags);
}

/**
 * perf_side_count() - perf_side_account() for an event that wants records
 * @event: see there
 *
 * Context: task.
 */
void perf_side_count(struct perf_event *event)
{
	side_count(event, 1);
	if (side_is_listed(event))
		side_list(event);
}

/**
 * perf_side_uncount() - undo perf_side_count()
 * @event: the event; it stays in memory for a grace period
 *
 * Context: any but NMI.
 */
void perf_side_uncount(struct perf_event *event)
{
	if (side_is_listed(event))
		side_unlist(event);
	side_count(event, -1);
}

/**
 * perf_side_leave_cpu() - take an event off the list of its CPU
 * @event: the event, which moves to another CPU
 *
 * A grace period must follow before perf_side_join_cpu(): the event's links may
 * lead into another list only after all readers have left the event.
 *
 * Context: task. Mutexes of both contexts held.
 */
void perf_side_leave_cpu(struct perf_event *event)
{
	if (!event->parent && side_is_listed(event))
		side_unlist(event);
}

/**
 * perf_side_join_cpu() - list an event on the CPU that it has moved to
 * @event: event after perf_side_leave_cpu(), with its new CPU
 *
 * Context: task. Mutexes of both contexts held.
 */
void perf_side_join_cpu(struct perf_event *event)
{
	if (!event->parent && side_is_listed(event))
		side_list(event);
}

/**
 * perf_side_add() - append bytes to a record
 * @record: the record
 * @from: the bytes; they must stay there until the record is written
 * @len: how many
 *
 * Context: any.
 */
void perf_side_add(struct perf_side_record *record, const void *from,
		   size_t len)
{
	if (WARN_ON_ONCE(record->nr_tails >= PERF_SIDE_TAILS))
		return;
	if (!len)
		return;

	record->tail[record->nr_tails].from = from;
	record->tail[record->nr_tails].len = len;
	record->nr_tails++;
}

static u32 side_size(const struct perf_side_record *record)
{
	u32 size = sizeof(record->header) + record->body_len;
	unsigned int i;

	for (i = 0; i < record->nr_tails; i++)
		size += record->tail[i].len;
	return size;
}

/**
 * perf_side_align() - append zeros so that the record ends on a word
 * @record: the record, otherwise complete
 *
 * Context: any.
 */
void perf_side_align(struct perf_side_record *record)
{
	static const u8 zeros[sizeof(u64)];

	perf_side_add(record, zeros, -side_size(record) % sizeof(u64));
}

/**
 * perf_side_add_name() - append a name and end the record with it
 * @record: the record, otherwise complete
 * @name: the name; it must stay there until the record is written
 * @len: its length in bytes, without the zero at its end. All events get the
 *	same name, so it is measured once, not for each record
 *
 * Context: any.
 */
void perf_side_add_name(struct perf_side_record *record, const char *name,
			size_t len)
{
	perf_side_add(record, name, len + 1);
	perf_side_align(record);
}

/**
 * perf_side_write() - write a record and its identity
 * @event: the event whose buffer gets it; the buffer counts lost records
 * @record: the record
 *
 * Context: any.
 */
void perf_side_write(struct perf_event *event,
		     struct perf_side_record *record)
{
	/* perf_output_begin() fills the one, sample_flags guards the other. */
	struct perf_output_handle handle __uninitialized;
	struct perf_sample_data data __uninitialized;
	unsigned int i;

	perf_sample_data_init(&data, 0, 0);
	record->header.size = side_size(record);
	perf_sample_id_init(&record->header, &data, event);
	if (perf_output_begin(&handle, &data, event, record->header.size))
		return;

	/* The body follows the header without a gap. */
	perf_rb_write(&handle, record,
		      offsetof(struct perf_side_record, body) +
		      record->body_len);
	for (i = 0; i < record->nr_tails; i++)
		perf_rb_write(&handle, record->tail[i].from,
			      record->tail[i].len);
	perf_sample_id_emit(event, &handle, &data);
	perf_output_end(&handle);
}

static bool side_is_told(const struct perf_event *event,
			 const struct perf_side_kind *kind, const void *what)
{
	if (READ_ONCE(event->state) < PERF_EVENT_STATE_INACTIVE)
		return false;
	if (event->cpu != -1 && event->cpu != smp_processor_id())
		return false;
	if (!side_wants(&event->attr, kind->want))
		return false;
	if (!perf_event_cgroup_runs(event))
		return false;
	return !kind->match || kind->match(event, what);
}

/* Out of line, so that the record is cleared only for events that get one. */
static noinline void side_record(struct perf_event *event,
				 const struct perf_side_kind *kind,
				 const void *what)
{
	struct perf_side_record record = { };

	kind->shape(&record, event, what);
	perf_side_write(event, &record);
}

static void side_tell_event(struct perf_event *event,
			    const struct perf_side_kind *kind,
			    const void *what)
{
	if (side_is_told(event, kind, what))
		side_record(event, kind, what);
}

static void side_tell_ctx_rcu(const struct perf_side_kind *kind,
			      const void *what,
			      struct perf_ctx *ctx)
{
	struct perf_event *event;

	list_for_each_entry_rcu(event, &ctx->event_list, event_entry)
		side_tell_event(event, kind, what);
}

static void side_tell_cpu_rcu(const struct perf_side_kind *kind,
			      const void *what)
{
	struct list_head *listed = this_cpu_ptr(&side_events);
	struct perf_event *event;

	/* While a CPU goes offline its events do not run, nor wake readers. */
	if (this_cpu_read(perf_cpu_context.ctx.loaded_cpu) == PERF_CPU_NONE)
		return;
	list_for_each_entry_rcu(event, listed, sb_list) {
		/* Pairs with the publication of a complete event's context. */
		if (smp_load_acquire(&event->ctx))
			side_tell_event(event, kind, what);
	}
}

/**
 * perf_side_tell() - report an action of the current task
 * @kind: kind of record
 * @what: the kind's description
 *
 * Events of this CPU and of the current task are notified.
 *
 * Context: any but NMI; may hold the run-queue lock.
 */
void perf_side_tell(const struct perf_side_kind *kind, const void *what)
{
	struct perf_ctx *ctx;

	guard(rcu)();
	guard(preempt)();

	side_tell_cpu_rcu(kind, what);
	ctx = this_cpu_read(perf_cpu_context.task_ctx);
	if (ctx)
		side_tell_ctx_rcu(kind, what, ctx);
}

/**
 * perf_side_tell_ctx() - report to the events of one context only
 * @kind: kind of record
 * @what: the kind's description
 * @ctx: the context, no longer the current task's; of a pool that has a context
 *	for each CPU, any one of them
 *
 * Context: task.
 */
void perf_side_tell_ctx(const struct perf_side_kind *kind, const void *what,
			struct perf_ctx *ctx)
{
	guard(rcu)();
	guard(preempt)();

	ctx = perf_family_here_rcu(ctx);
	if (ctx)
		side_tell_ctx_rcu(kind, what, ctx);
}

/*
 * Records of a single event.
 */

/**
 * perf_side_throttle() - report that a group is throttled or unthrottled
 * @event: an event of the group
 * @throttled: true for throttled, false for unthrottled
 *
 * The records are about the leader. However many events of the group are stopped
 * or started, both kinds alternate, unless an NMI repeats the record that it
 * has interrupted.
 *
 * Context: any, on the CPU where the group is scheduled in or about to be.
 */
void perf_side_throttle(struct perf_event *event, bool throttled)
{
	struct perf_event *leader = event->group_leader;
	struct perf_side_record record = { };

	/* An NMI between these two may write the same record. */
	if (!!READ_ONCE(leader->throttle_reported) == throttled)
		return;
	WRITE_ONCE(leader->throttle_reported, throttled);
	record.header.type = throttled ? PERF_RECORD_THROTTLE :
					 PERF_RECORD_UNTHROTTLE;
	record.body[0] = perf_event_clock(leader);
	record.body[1] = perf_event_eldest_id(leader);
	record.body[2] = leader->id;
	record.body_len = 3 * sizeof(u64);
	perf_side_write(leader, &record);
}

/**
 * perf_log_lost_samples() - report samples that hardware or driver had to drop
 * @event: the event
 * @lost: how many
 *
 * Context: any.
 */
void perf_log_lost_samples(struct perf_event *event, u64 lost)
{
	struct perf_side_record record = { };

	record.header.type = PERF_RECORD_LOST_SAMPLES;
	record.body[0] = lost;
	record.body_len = sizeof(lost);
	perf_side_write(event, &record);
}

/**
 * perf_event_itrace_started() - note that the driver has reported its trace
 * @event: the event
 *
 * From now on scheduling the event in writes no PERF_RECORD_ITRACE_START.
 *
 * Context: on the event's CPU, interrupts off.
 */
void perf_event_itrace_started(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	event->attach_state |= PERF_ATTACH_ITRACE;
}

/**
 * perf_side_itrace_record() - report the task with which a trace begins
 * @event: event about to be scheduled in, see perf_side_itrace_start()
 *
 * Context: on the event's CPU, interrupts off.
 */
void perf_side_itrace_record(struct perf_event *event)
{
	struct perf_event *eldest = perf_event_eldest(event);
	struct perf_side_record record = { };
	u32 *ids = (u32 *)record.body;

	lockdep_assert_irqs_disabled();
	if (eldest->attach_state & PERF_ATTACH_ITRACE)
		return;

	record.header.type = PERF_RECORD_ITRACE_START;
	ids[0] = perf_sample_pid(eldest, current);
	ids[1] = perf_sample_tid(eldest, current);
	record.body_len = 2 * sizeof(*ids);
	perf_side_write(eldest, &record);
}

/**
 * perf_report_aux_output_id() - report the hardware's id of an event in a trace
 * @event: event that writes into the trace of another event
 * @hw_id: the id
 *
 * Context: on the event's CPU, interrupts off.
 */
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id)
{
	struct perf_side_record record = { };

	lockdep_assert_irqs_disabled();
	record.header.type = PERF_RECORD_AUX_OUTPUT_HW_ID;
	record.body[0] = hw_id;
	record.body_len = sizeof(hw_id);
	perf_side_write(perf_event_eldest(event), &record);
}
EXPORT_SYMBOL_GPL(perf_report_aux_output_id);

/* Runs before anything can open an event that wants records. */
static int __init perf_side_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(per_cpu_ptr(&side_events, cpu));
	return 0;
}
early_initcall(perf_side_init);
