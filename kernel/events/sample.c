// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sample": layout, preparation and output of sample records.
 *
 * Purpose: what PERF_RECORD_SAMPLE contains, and the identity at the end of the
 * other records. The fields are rows of sample_fields.h, which expand here into
 * straight code: no table is walked and nothing is called through a pointer in
 * an overflow interrupt.
 *
 * Owns: event->layout, event->header_size, event->id_header_size.
 *
 * Contexts: everything that prepares or writes runs in any context down to NMI,
 * preemption off from the first to the last step, since stacks and branches
 * stay in per-CPU memory in between.
 *
 * Sizes: a record's length has 16 bits and is a multiple of eight. The length
 * is computed in 64 bits. A record that would be longer than SAMPLE_SIZE_MAX is
 * cut: first the trace and the dump of the user's stack, which only get the
 * room that is left, then the outer end of the call chain, then the whole raw
 * payload, then the branches.
 *
 * Repetition: a sample may be prepared more than once (a BPF program looks at
 * it before it is written). data->sample_flags says which fields are filled in.
 * READ is never among them unless the driver set it, to say that the group's
 * counts are up to date.
 */

#include <linux/cgroup.h>
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "aux_event.h"
#include "clock.h"
#include "hooks.h"
#include "ring_buffer.h"
#include "sample.h"
#include "sample_fields.h"
#include "sample_parts.h"

#define SAMPLE_SIZE_MAX		round_down(U16_MAX, sizeof(u64))

/* Rows of the lists in sample_fields.h, for sums over a list. */
#define SAMPLE_OR_BIT(bit, ...)		| (bit)
#define SAMPLE_ADD_ONE(...)		+ 1
#define SAMPLE_ADD_SIZE(bit, ...)	+ (type & (bit) ? sizeof(u64) : 0)
#define SAMPLE_ADD_ODD(bit, member, ...)				\
	+ (sizeof_field(struct perf_sample_data, member) != sizeof(u64))
#define SAMPLE_NO_ROW(...)

enum {
	SAMPLE_LEAD_MASK	= 0 SAMPLE_LEAD_FIELDS(SAMPLE_OR_BIT),
	SAMPLE_MORE_MASK	= 0 SAMPLE_MORE_FIELDS(SAMPLE_OR_BIT),
	SAMPLE_LATE_MASK	= 0 SAMPLE_LATE_FIELDS(SAMPLE_OR_BIT,
						       SAMPLE_OR_BIT),
	SAMPLE_ID_MASK		= 0 SAMPLE_ID_FIELDS(SAMPLE_OR_BIT),
	/* A header and all of the leading words. */
	SAMPLE_LEAD_WORDS	= 1 SAMPLE_LEAD_FIELDS(SAMPLE_ADD_ONE),
};

/* Each bit of sample_type has a field, in one list. */
static_assert((SAMPLE_LEAD_MASK | SAMPLE_MORE_MASK | SAMPLE_LATE_MASK) ==
	      PERF_SAMPLE_MAX - 1);
static_assert(!(SAMPLE_LEAD_MASK & SAMPLE_MORE_MASK) &&
	      !((SAMPLE_LEAD_MASK | SAMPLE_MORE_MASK) & SAMPLE_LATE_MASK));

/* All fields of the identity are leading words. */
static_assert(!(SAMPLE_ID_MASK & ~SAMPLE_LEAD_MASK));

/* No word has another size. */
static_assert(!(0 SAMPLE_LEAD_FIELDS(SAMPLE_ADD_ODD)
		  SAMPLE_LATE_FIELDS(SAMPLE_ADD_ODD, SAMPLE_NO_ROW)
		  SAMPLE_ID_FIELDS(SAMPLE_ADD_ODD)));

/* Fields from which others are computed; the record itself may lack them. */
static u64 sample_implied(u64 type)
{
	u64 more = 0;

	if (type & (PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE))
		more |= PERF_SAMPLE_ADDR;
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		more |= PERF_SAMPLE_IP;
	if (type & PERF_SAMPLE_STACK_USER)
		more |= PERF_SAMPLE_REGS_USER;
	return more;
}

/**
 * perf_sample_compile() - compute an event's record layout from its attr
 * @event: the event; attr.sample_type and attr.sample_id_all are final
 *
 * Context: task, before the event can overflow.
 */
void perf_sample_compile(struct perf_event *event)
{
	u64 type = event->attr.sample_type;
	u16 fixed = 0 SAMPLE_LEAD_FIELDS(SAMPLE_ADD_SIZE)
		      SAMPLE_LATE_FIELDS(SAMPLE_ADD_SIZE, SAMPLE_NO_ROW);
	u16 ids = 0 SAMPLE_ID_FIELDS(SAMPLE_ADD_SIZE);

	static_assert(PERF_SAMPLE_MAX - 1 <= U32_MAX); /* the layout's type */
	event->layout.type = type | sample_implied(type);
	event->layout.fixed = fixed;
	event->layout.trailer = event->attr.sample_id_all ? ids : 0;
	event->id_header_size = ids;
	event->header_size = fixed - ids;
}

/*
 * In the first namespace a living task's numbers are task->pid and task->tgid.
 * In others, and for a task that has been reaped, they have to be looked up.
 */
static bool sample_has_own_numbers(const struct perf_event *eldest,
				   const struct task_struct *task)
{
	return likely(eldest->ns == &init_pid_ns && pid_alive(task));
}

static u32 sample_nr_ns(struct perf_event *event, struct task_struct *task,
			enum pid_type kind)
{
	/* A copy uses the namespace of the event that was opened. */
	const struct perf_event *eldest = perf_event_eldest(event);
	u32 nr;

	if (sample_has_own_numbers(eldest, task))
		return kind == PIDTYPE_TGID ? task->tgid : task->pid;
	nr = __task_pid_nr_ns(task, kind, eldest->ns);

	/* The idle task has number 0; a reaped task has lost its number. */
	return nr || pid_alive(task) ? nr : -1;
}

/**
 * perf_sample_pid() - get a task's process number for a record
 * @event: the event whose reader will see the number
 * @task: the task
 *
 * Context: any; RCU reader or @task current.
 * Return: the number in the namespace where the event was opened, 0 if the task
 * is not visible there, -1 if it is dead.
 */
u32 perf_sample_pid(struct perf_event *event, struct task_struct *task)
{
	return sample_nr_ns(event, task, PIDTYPE_TGID);
}

/**
 * perf_sample_tid() - get a task's thread number for a record
 * @event: the event whose reader will see the number
 * @task: the task
 *
 * Context: any; RCU reader or @task current.
 * Return: as perf_sample_pid().
 */
u32 perf_sample_tid(struct perf_event *event, struct task_struct *task)
{
	return sample_nr_ns(event, task, PIDTYPE_PID);
}

/*
 * Values of sample_fields.h.
 */

/* Two words of 32 bits in the order of their addresses. */
static u64 sample_pair(u32 first, u32 second)
{
	const u32 pair[2] = { first, second };
	u64 word;

	memcpy(&word, pair, sizeof(word));
	return word;
}

static noinline u64 sample_tid_entry_ns(struct perf_event *event,
					struct task_struct *task)
{
	return sample_pair(perf_sample_pid(event, task),
			   perf_sample_tid(event, task));
}

static u64 sample_tid_entry(struct perf_event *event)
{
	const struct perf_event *eldest = perf_event_eldest(event);
	struct task_struct *task = current;

	if (sample_has_own_numbers(eldest, task))
		return sample_pair(task->tgid, task->pid);
	return sample_tid_entry_ns(event, task);
}

static u64 sample_cpu_entry(void)
{
	return sample_pair(raw_smp_processor_id(), 0);
}

/*
 * May the sample be about a guest? If the event excludes guests, its interrupt
 * may come so late that a guest already runs; the event has counted the host.
 */
static bool sample_is_guests(const struct perf_event *event)
{
	return !event->attr.exclude_guest && perf_guest_state();
}

/* CPU mode of a sample that found a guest: the host's with exclude_guest. */
static noinline u32 sample_misc_guest(const struct perf_event *event,
				      struct pt_regs *regs, u32 misc)
{
	if (!event->attr.exclude_guest)
		return misc;
	misc &= ~PERF_RECORD_MISC_CPUMODE_MASK;
	return misc | (user_mode(regs) ? PERF_RECORD_MISC_USER :
					 PERF_RECORD_MISC_KERNEL);
}

/* perf_misc_flags() says where the CPU was, whatever the event excludes. */
static __always_inline u32 sample_misc(const struct perf_event *event,
				       struct pt_regs *regs)
{
	u32 misc = perf_misc_flags(regs);

	if (likely((misc & PERF_RECORD_MISC_CPUMODE_MASK) <=
		   PERF_RECORD_MISC_HYPERVISOR))
		return misc;
	return sample_misc_guest(event, regs, misc);
}

/* For an event that excludes the kernel but whose interrupt came there. */
static noinline bool sample_poses_if_host(const struct perf_event *event,
					  struct pt_regs *regs)
{
	return !sample_is_guests(event) &&
	       (sample_misc(event, regs) & PERF_RECORD_MISC_CPUMODE_MASK) !=
	       PERF_RECORD_MISC_USER;
}

/*
 * Is the sample written as one of user mode, because the event must not show
 * where in the kernel the interrupt came? This does not apply to addresses of a
 * guest, nor to an address in user mode that the hardware itself recorded.
 */
static __always_inline bool sample_poses_as_user(const struct perf_event *event,
						 struct pt_regs *regs)
{
	return unlikely(perf_sample_hides(event, regs)) &&
	       sample_poses_if_host(event, regs);
}

static u64 sample_ip_host(const struct perf_event *event, struct pt_regs *regs)
{
	if (event->attr.exclude_guest && perf_guest_state())
		return instruction_pointer(regs);
	return perf_instruction_pointer(regs);
}

static noinline u64 sample_ip_hiding(const struct perf_event *event,
				     struct pt_regs *regs)
{
	if (sample_poses_if_host(event, regs)) {
		if (!is_user_task(current))
			return 0;
		regs = task_pt_regs(current);
	}
	return sample_ip_host(event, regs);
}

static __always_inline u64 sample_ip(const struct perf_event *event,
				     struct pt_regs *regs)
{
	if (unlikely(perf_sample_hides(event, regs)))
		return sample_ip_hiding(event, regs);
	return sample_ip_host(event, regs);
}

static u64 sample_cgroup(void)
{
#ifdef CONFIG_CGROUP_PERF
	/* The current task holds its cgroup until it is switched or exits. */
	return cgroup_id(task_css_check(current, perf_event_cgrp_id,
					true)->cgroup);
#else
	/* attr refuses the field. */
	return 0;
#endif
}

/*
 * Fill and emit functions of sample_fields.h.
 */

/* Counts are sized and read when the record is written. */
static void perf_sample_fill_read(struct perf_sample_data *data,
				  struct perf_event *event,
				  struct pt_regs *regs)
{
}

/* The stack dump and the trace are sized by sample_fit(). */
static void perf_sample_fill_stack(struct perf_sample_data *data,
				   struct perf_event *event,
				   struct pt_regs *regs)
{
}

static void perf_sample_fill_aux(struct perf_sample_data *data,
				 struct perf_event *event,
				 struct pt_regs *regs)
{
}

static void perf_sample_emit_aux(const struct perf_sample_record *record)
{
	u64 size = record->data->aux_size;

	perf_rb_write(record->handle, &size, sizeof(size));
	if (size)
		perf_aux_sample_write(record->event, record->handle, size);
}

static void perf_sample_fill_callchain(struct perf_sample_data *data,
				       struct perf_event *event,
				       struct pt_regs *regs)
{
	perf_sample_save_callchain(data, event, regs);
}

static void perf_sample_emit_callchain(const struct perf_sample_record *record)
{
	const struct perf_callchain_entry *chain = record->data->callchain;
	unsigned long bytes = (1 + chain->nr) * sizeof(u64);
	void *span = perf_rb_span(record->handle, bytes);

	if (likely(span))
		memcpy(span, chain, bytes);
	else
		perf_rb_write(record->handle, chain, bytes);
}

/* A sample without payload gets the shortest one: four bytes of zeros. */
static void perf_sample_fill_raw(struct perf_sample_data *data,
				 struct perf_event *event,
				 struct pt_regs *regs)
{
	data->raw = NULL;
	data->dyn_size += sizeof(u64);
}

static void sample_emit_frag(struct perf_output_handle *handle,
			     const struct perf_raw_frag *frag)
{
	unsigned long rest;

	if (!frag->copy) {
		perf_rb_write(handle, frag->data, frag->size);
		return;
	}

	rest = perf_rb_write_by(handle, frag->copy, frag->data, frag->size);
	if (rest)
		perf_output_skip(handle, rest);
}

static noinline void sample_emit_frags(const struct perf_sample_record *record,
				       const struct perf_raw_record *raw)
{
	const struct perf_raw_frag *frag = &raw->frag;
	const u64 zero = 0;

	perf_rb_write(record->handle, &raw->size, sizeof(raw->size));
	while (!perf_raw_frag_last(frag)) {
		sample_emit_frag(record->handle, frag);
		frag = frag->next;
	}
	sample_emit_frag(record->handle, frag);
	if (frag->pad)
		perf_rb_write(record->handle, &zero, frag->pad);
}

/* One fragment and one page. Zeros first: the data may cover some of them. */
static bool sample_emit_plain(struct perf_output_handle *handle,
			      const struct perf_raw_record *raw)
{
	const struct perf_raw_frag *frag = &raw->frag;
	u32 len = sizeof(raw->size) + raw->size;
	const u64 zero = 0;
	void *span;

	if (frag->copy || !perf_raw_frag_last(frag))
		return false;
	span = perf_rb_span(handle, len);
	if (!span)
		return false;

	memcpy(span + len - sizeof(zero), &zero, sizeof(zero));
	memcpy(span, &raw->size, sizeof(raw->size));
	memcpy(span + sizeof(raw->size), frag->data, frag->size);
	return true;
}

static void perf_sample_emit_raw(const struct perf_sample_record *record)
{
	const struct perf_raw_record *raw = record->data->raw;
	const u32 none[2] = { sizeof(u32), 0 };

	if (!raw)
		perf_rb_write_word(record->handle, none);
	else if (!sample_emit_plain(record->handle, raw))
		sample_emit_frags(record, raw);
}

static u32 sample_branch_head(const struct perf_event *event)
{
	return branch_sample_hw_index(event) ? 2 * sizeof(u64) : sizeof(u64);
}

static void perf_sample_fill_branches(struct perf_sample_data *data,
				      struct perf_event *event,
				      struct pt_regs *regs)
{
	data->br_stack = NULL;
	data->br_stack_cntr = NULL;
	data->dyn_size += sample_branch_head(event);
}

static void perf_sample_emit_branches(const struct perf_sample_record *record)
{
	const struct perf_branch_stack *stack = record->data->br_stack;
	const u64 *counters = record->data->br_stack_cntr;
	/* No branches, and an unknown hardware index. */
	const u64 none[2] = { 0, -1 };

	if (!stack) {
		perf_rb_write(record->handle, none,
			      sample_branch_head(record->event));
		return;
	}

	/* nr and hw_idx are adjacent. */
	perf_rb_write(record->handle, stack, sample_branch_head(record->event));
	perf_rb_write(record->handle, stack->entries,
		      stack->nr * sizeof(stack->entries[0]));
	if (counters)
		perf_rb_write(record->handle, counters,
			      stack->nr * sizeof(*counters));
}

/*
 * Sizes.
 */

static u64 sample_size_but_read(const struct perf_sample_data *data,
				const struct perf_event *event)
{
	return sizeof(struct perf_event_header) + event->layout.fixed +
	       data->dyn_size;
}

static u64 sample_size(const struct perf_sample_data *data,
		       const struct perf_event *event)
{
	u64 size = sample_size_but_read(data, event);

	if (event->attr.sample_type & PERF_SAMPLE_READ)
		size += READ_ONCE(event->read_size);
	return size;
}

static void sample_cut_callchain(struct perf_sample_data *data, u64 excess)
{
	u64 cut = min(data->callchain->nr,
		      DIV_ROUND_UP_ULL(excess, sizeof(u64)));

	data->callchain->nr -= cut;
	data->dyn_size -= cut * sizeof(u64);
}

static void sample_drop_raw(struct perf_sample_data *data,
			    struct perf_event *event)
{
	data->dyn_size -= sizeof(data->raw->size) + data->raw->size;
	perf_sample_fill_raw(data, event, NULL);
}

static void sample_drop_branches(struct perf_sample_data *data,
				 struct perf_event *event)
{
	u64 each = sizeof(data->br_stack->entries[0]);

	if (data->br_stack_cntr)
		each += sizeof(*data->br_stack_cntr);
	data->dyn_size -= sample_branch_head(event) + data->br_stack->nr * each;
	perf_sample_fill_branches(data, event, NULL);
}

/* What remains fits: the bounds of all other fields are far below the limit. */
static void sample_shrink(struct perf_sample_data *data,
			  struct perf_event *event, u64 limit)
{
	u64 type = event->attr.sample_type;

	if ((type & PERF_SAMPLE_CALLCHAIN) && data->callchain->nr)
		sample_cut_callchain(data, sample_size(data, event) - limit);
	if (sample_size(data, event) > limit &&
	    (type & PERF_SAMPLE_RAW) && data->raw)
		sample_drop_raw(data, event);
	if (sample_size(data, event) > limit &&
	    (type & PERF_SAMPLE_BRANCH_STACK) && data->br_stack)
		sample_drop_branches(data, event);
}

/*
 * Called when all fields are filled in except those that take the remaining
 * room. Each of these has at least one word: its length.
 */
static void sample_fit(struct perf_sample_data *data,
		       struct perf_event *event, u64 todo)
{
	u64 limit = SAMPLE_SIZE_MAX, room;

	if (todo & PERF_SAMPLE_STACK_USER)
		limit -= sizeof(u64);
	if (todo & PERF_SAMPLE_AUX)
		data->dyn_size += sizeof(u64);
	if (unlikely(sample_size(data, event) > limit))
		sample_shrink(data, event, limit);
	if (todo & PERF_SAMPLE_STACK_USER)
		perf_sample_fit_stack(data, event, SAMPLE_SIZE_MAX -
				      sample_size(data, event));
	if (todo & PERF_SAMPLE_AUX) {
		/* The word for the trace's length is counted already. */
		room = SAMPLE_SIZE_MAX - sample_size(data, event);
		data->aux_size = perf_aux_sample_size(event, room);
		data->dyn_size += data->aux_size;
	}
}

/*
 * Preparation.
 */

static __always_inline void sample_set_word(void *word, u64 value)
{
	memcpy(word, &value, sizeof(value));
}

/* Rows that fill in a field. */
#define SAMPLE_FILL_WORD(bit, member, value)				\
	if (todo & (bit))						\
		sample_set_word(&data->member, value);

#define SAMPLE_FILL_VARY(bit, name)					\
	if (todo & (bit))						\
		perf_sample_fill_##name(data, event, regs);

static noinline void sample_fill_late(struct perf_sample_data *data,
				      struct perf_event *event,
				      struct pt_regs *regs, u64 todo)
{
	SAMPLE_LATE_FIELDS(SAMPLE_FILL_WORD, SAMPLE_FILL_VARY)
}

/* Out of line: a sample of leading words alone checks for no other field. */
static noinline void sample_fill_rest(struct perf_sample_data *data,
				      struct perf_event *event,
				      struct pt_regs *regs, u64 todo)
{
	SAMPLE_MORE_FIELDS(SAMPLE_FILL_VARY)
	if (todo & SAMPLE_LATE_MASK)
		sample_fill_late(data, event, regs, todo);
}

static __always_inline void sample_fill_lead(struct perf_sample_data *data,
					     struct perf_event *event,
					     struct pt_regs *regs, u64 todo)
{
	SAMPLE_LEAD_FIELDS(SAMPLE_FILL_WORD)
}

/* Inlined, so that sample_output() takes the three steps in one function. */
static __always_inline void sample_prepare(struct perf_sample_data *data,
					   struct perf_event *event,
					   struct pt_regs *regs)
{
	u64 todo = event->layout.type & ~data->sample_flags &
		   ~(u64)PERF_SAMPLE_READ;

	data->type = event->attr.sample_type;
	if (todo & SAMPLE_LEAD_MASK)
		sample_fill_lead(data, event, regs, todo);
	if (todo & ~(u64)SAMPLE_LEAD_MASK)
		sample_fill_rest(data, event, regs, todo);
	data->sample_flags |= todo;

	/* Fields that the driver filled in may be too long, too. */
	if (event->layout.type & ~(u64)(SAMPLE_LEAD_MASK | PERF_SAMPLE_READ))
		sample_fit(data, event, todo);
}

/**
 * perf_prepare_sample() - fill in the fields that the driver did not
 * @data: the sample, begun by perf_sample_data_init()
 * @event: its event
 * @regs: where it happened
 *
 * Context: any; preemption off until the sample is written. RCU reader if
 * there is PERF_SAMPLE_CALLCHAIN or PERF_SAMPLE_CGROUP.
 */
void perf_prepare_sample(struct perf_sample_data *data,
			 struct perf_event *event, struct pt_regs *regs)
{
	sample_prepare(data, event, regs);
}

static __always_inline void sample_make_header(struct perf_event_header *header,
					       const struct perf_sample_data *data,
					       struct perf_event *event,
					       struct pt_regs *regs)
{
	header->type = PERF_RECORD_SAMPLE;
	header->misc = sample_poses_as_user(event, regs) ?
		PERF_RECORD_MISC_USER : sample_misc(event, regs);
	/* The group may have grown since the sample was fitted. */
	header->size = min_t(u64, sample_size(data, event), SAMPLE_SIZE_MAX);
}

/**
 * perf_prepare_header() - make the header of a prepared sample
 * @header: result
 * @data: the sample
 * @event: its event
 * @regs: where it happened
 *
 * Context: as perf_prepare_sample().
 */
void perf_prepare_header(struct perf_event_header *header,
			 struct perf_sample_data *data,
			 struct perf_event *event, struct pt_regs *regs)
{
	sample_make_header(header, data, event, regs);
}

/*
 * Output.
 */

/* The counts get the bytes that the header has beyond all other fields. */
static void perf_sample_emit_read(const struct perf_sample_record *record)
{
	u64 others = sample_size_but_read(record->data, record->event);
	u64 size = record->header->size;

	perf_sample_write_counts(record->handle, record->event,
				 size > others ? size - others : 0);
}

static __always_inline void *sample_put_word(void *to, const void *word)
{
	memcpy(to, word, sizeof(u64));
	return to + sizeof(u64);
}

/* Rows that write a field. */
#define SAMPLE_EMIT_LEAD(bit, member, ...)				\
	if (type & (bit))						\
		to = sample_put_word(to, &data->member);

#define SAMPLE_EMIT_WORD(bit, member, ...)				\
	if (type & (bit))						\
		perf_rb_write_word(handle, &data->member);

#define SAMPLE_EMIT_VARY(bit, name)					\
	if (type & (bit))						\
		perf_sample_emit_##name(record);

static __always_inline void
sample_put_lead(void *to, const struct perf_event_header *header,
		const struct perf_sample_data *data, u64 type)
{
	memcpy(to, header, sizeof(*header));
	to += sizeof(*header);
	/* The samples that BPF programs write have nothing but a payload. */
	if (!(type & SAMPLE_LEAD_MASK))
		return;
	SAMPLE_LEAD_FIELDS(SAMPLE_EMIT_LEAD)
}

/* A page ends within the leading words. */
static noinline void sample_split_lead(struct perf_output_handle *handle,
				       const struct perf_event_header *header,
				       const struct perf_sample_data *data,
				       u32 bytes)
{
	u64 words[SAMPLE_LEAD_WORDS];

	sample_put_lead(words, header, data, data->type);
	perf_rb_write(handle, words, bytes);
}

static noinline void sample_emit_late(const struct perf_sample_record *record)
{
	struct perf_output_handle *handle = record->handle;
	struct perf_sample_data *data = record->data;
	u64 type = data->type;

	SAMPLE_LATE_FIELDS(SAMPLE_EMIT_WORD, SAMPLE_EMIT_VARY)
}

static noinline void sample_emit_rest(const struct perf_sample_record *record)
{
	u64 type = record->data->type;

	SAMPLE_MORE_FIELDS(SAMPLE_EMIT_VARY)
	if (type & SAMPLE_LATE_MASK)
		sample_emit_late(record);
}

static __always_inline void sample_write(struct perf_output_handle *handle,
					 const struct perf_event_header *header,
					 struct perf_sample_data *data,
					 struct perf_event *event)
{
	u64 type = data->type;
	u32 lead = sizeof(*header) +
		   hweight64(type & SAMPLE_LEAD_MASK) * sizeof(u64);
	void *span = perf_rb_span(handle, lead);

	if (data->sample_flags & PERF_SAMPLE_READ)
		handle->skip_read = 1;

	if (likely(span))
		sample_put_lead(span, header, data, type);
	else
		sample_split_lead(handle, header, data, lead);
	if (type & ~(u64)SAMPLE_LEAD_MASK)
		sample_emit_rest(&(const struct perf_sample_record) {
			.handle = handle,
			.header = header,
			.data = data,
			.event = event,
		});

	perf_rb_count_sample(handle);
}

/**
 * perf_output_sample() - write a prepared sample
 * @handle: from perf_output_begin() for @header->size bytes
 * @header: from perf_prepare_header()
 * @data: the sample
 * @event: its event
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_output_sample(struct perf_output_handle *handle,
			struct perf_event_header *header,
			struct perf_sample_data *data,
			struct perf_event *event)
{
	sample_write(handle, header, data, event);
}

typedef int (*sample_begin_fn)(struct perf_output_handle *handle,
			       struct perf_sample_data *data,
			       struct perf_event *event, unsigned int size);

static __always_inline int sample_output(struct perf_event *event,
					 struct perf_sample_data *data,
					 struct pt_regs *regs,
					 const sample_begin_fn begin)
{
	/* Filled in by perf_prepare_header() and by @begin. */
	struct perf_event_header header __uninitialized;
	struct perf_output_handle handle __uninitialized;
	int err;

	/* Stack buffers and cgroups are RCU protected. */
	guard(rcu)();

	sample_prepare(data, event, regs);
	sample_make_header(&header, data, event, regs);
	err = begin(&handle, data, event, header.size);
	if (unlikely(err))
		return err;

	sample_write(&handle, &header, data, event);
	perf_output_end(&handle);
	return 0;
}

/**
 * perf_event_output() - write a sample into an event's buffer
 * @event: the event; its attr.write_backward gives the direction
 * @data: the sample, begun by perf_sample_data_init()
 * @regs: where it happened
 *
 * Context: any; preemption off.
 * Return: 0, or what perf_output_begin() returns when there is no room.
 */
int perf_event_output(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	return sample_output(event, data, regs, perf_output_begin);
}

/**
 * perf_event_output_forward() - overflow handler of buffers that are consumed
 * @event: the event
 * @data: the sample
 * @regs: where it happened
 *
 * Context: as perf_event_output().
 */
void perf_event_output_forward(struct perf_event *event,
			       struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	sample_output(event, data, regs, perf_output_begin_forward);
}

/**
 * perf_event_output_backward() - overflow handler with attr.write_backward
 * @event: the event
 * @data: the sample
 * @regs: where it happened
 *
 * Context: as perf_event_output().
 */
void perf_event_output_backward(struct perf_event *event,
				struct perf_sample_data *data,
				struct pt_regs *regs)
{
	/* Rarely used: not worth an inlined copy of sample_output(). */
	perf_event_output(event, data, regs);
}

/*
 * The identity at the end of other records.
 */

static void sample_id_fill(struct perf_sample_data *data,
			   struct perf_event *event, u64 wanted)
{
	const u64 todo = wanted & SAMPLE_ID_MASK;
	struct pt_regs *const regs = NULL;

	SAMPLE_LEAD_FIELDS(SAMPLE_FILL_WORD)
}

/**
 * perf_sample_id_init() - give a record its identity
 * @header: the record's; its size, without the identity so far, grows by it
 * @data: where the identity is kept until it is written
 * @event: the event
 *
 * Fields that are marked as filled in @data are kept. Nothing happens without
 * attr.sample_id_all.
 *
 * Context: any.
 */
void perf_sample_id_init(struct perf_event_header *header,
			 struct perf_sample_data *data,
			 struct perf_event *event)
{
	u64 todo;

	if (!event->attr.sample_id_all)
		return;

	header->size += event->layout.trailer;
	todo = event->attr.sample_type & SAMPLE_ID_MASK & ~data->sample_flags;
	sample_id_fill(data, event, todo);
	data->sample_flags |= todo;
}

/**
 * perf_sample_id_emit() - write what perf_sample_id_init() filled in
 * @event: the event
 * @handle: the record; all its other bytes are written
 * @data: as perf_sample_id_init() left it
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_sample_id_emit(struct perf_event *event,
			 struct perf_output_handle *handle,
			 struct perf_sample_data *data)
{
	u64 type = event->attr.sample_type;

	if (!event->attr.sample_id_all)
		return;

	SAMPLE_ID_FIELDS(SAMPLE_EMIT_WORD)
}

/**
 * perf_event_header__init() - begin a record that the core does not make itself
 * @header: result
 * @data: gets the identity; need not have been initialised (PowerPC's trace_imc)
 * @type: PERF_RECORD_*
 * @misc: PERF_RECORD_MISC_*
 * @size: bytes, header included; without the identity, and without the counts
 *	of PERF_SAMPLE_READ
 * @event: the event
 *
 * Context: any.
 */
void perf_event_header__init(struct perf_event_header *header,
			     struct perf_sample_data *data,
			     u32 type, u16 misc, u16 size,
			     struct perf_event *event)
{
	data->type = event->attr.sample_type;
	data->sample_flags = 0;
	data->dyn_size = 0;
	/* The driver knows the size of the fields of fixed size only. */
	if (type == PERF_RECORD_SAMPLE && data->type & PERF_SAMPLE_READ)
		size += event->read_size;
	*header = (struct perf_event_header) {
		.type = type,
		.misc = misc,
		.size = size,
	};
	perf_sample_id_init(header, data, event);
}

/**
 * perf_event__output_id_sample() - end a record of perf_event_header__init()
 * @event: the event
 * @handle: the record
 * @sample: as perf_event_header__init() left it
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_event__output_id_sample(struct perf_event *event,
				  struct perf_output_handle *handle,
				  struct perf_sample_data *sample)
{
	perf_sample_id_emit(event, handle, sample);
}

/**
 * perf_sample_read_record() - report the counts of a task that exits
 * @event: an inherited event of the task, scheduled out
 * @task: the task
 *
 * Each event of a group has a record of its own, which shows it alone.
 *
 * Context: @task's exit, or an interrupt that it has sent to the CPU that writes
 * the event's buffer.
 */
void perf_sample_read_record(struct perf_event *event,
			     struct task_struct *task)
{
	u64 words[PERF_SAMPLE_OWN_WORDS];
	u32 read_bytes = perf_sample_own_words(event, words) * sizeof(*words);
	struct perf_output_handle handle;
	struct perf_sample_data data;
	struct {
		struct perf_event_header	header;
		u32				pid;
		u32				tid;
	} record = {
		.header = {
			.type = PERF_RECORD_READ,
			.size = sizeof(record) + read_bytes,
		},
		.pid = perf_sample_pid(event, task),
		.tid = perf_sample_tid(event, task),
	};

	perf_sample_data_init(&data, 0, 0);
	perf_sample_id_init(&record.header, &data, event);
	/* Current may be another user's. A LOST record in front has this identity, too. */
	data.tid_entry.pid = record.pid;
	data.tid_entry.tid = record.tid;
	if (perf_output_begin(&handle, &data, event, record.header.size))
		return;

	perf_rb_write(&handle, &record, sizeof(record));
	perf_rb_write(&handle, words, read_bytes);
	perf_sample_id_emit(event, &handle, &data);
	perf_output_end(&handle);
}

/* Runs before there are files that a buffer could belong to. */
static int __init perf_sample_init(void)
{
	perf_hooks.sample_id_init = perf_sample_id_init;
	perf_hooks.sample_id_emit = perf_sample_id_emit;
	return 0;
}
early_initcall(perf_sample_init);
