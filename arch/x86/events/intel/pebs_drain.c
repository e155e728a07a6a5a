// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/pebs_drain": from records of precise events to samples.
 *
 * Purpose: read the records in the buffer of a CPU, make the counts of their
 * events right, and write a sample for each record.
 *
 * Owns: struct intel_pebs::draining and dropped; debug_store::pebs_index.
 *
 * Contexts: the CPU itself while its counters stand still: in the PMI, when a
 * task is switched out, when an event leaves its counter or is read.
 *
 * Counts: when a counter passes zero the processor waits for the next event,
 * writes a record, and loads the counter with the period again. So the counter
 * has counted the difference of its values, and one period for each record. All
 * records are counted before a sample shows a count.
 *
 * Wrong records: the index must be within the buffer, and each record complete.
 * The records after a wrong one cannot be found, so all of them are dropped.
 * intel_pebs::dropped counts them as one.
 *
 * Privacy: the processor may write a record of kernel code for an event of user
 * code only, since the mode may change between the overflow and the record.
 * Such a record is dropped. Nor are interrupted registers used if they are the
 * kernel's.
 *
 * Lifetime: a struct drain exists while the records of a buffer are read.
 *
 * Locking: none. A PMI in the middle finds intel_pebs::draining set and leaves
 * the records alone.
 */
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <kunit/static_stub.h>
#include <asm/perf_event.h>
#include <asm/timer.h>
#include <asm/tsc.h>
#include "../branch.h"
#include "../run.h"
#include "../rules/count.h"
#include "datasrc.h"
#include "pebs_decode.h"
#include "pebs_drain.h"

/*
 * SDM vol. 3 20.3.6.5.1: cycles of the transaction; flags; the code of an abort
 * in EAX.
 */
#define TSX_CYCLES(tsx)		((u32)(tsx))
#define TSX_FLAGS(tsx)		((tsx) >> 32 & 0xff)
#define ABORT_EXPLICIT		BIT(0)
#define ABORT_CODE(eax)		((eax) >> 24 & 0xff)

/*
 * From Golden Cove on the latency has two parts: that of the instruction, and
 * that of the cache.
 */
#define LATENCY_INSTRUCTION(latency)	((u16)(latency))
#define LATENCY_CACHE(latency)		((u16)((latency) >> 32))

#define ADDR_TYPE	(PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE)
#define REGS_TYPE	(PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER)

/**
 * struct drain - one pass over a buffer
 * @p: precise events of the CPU
 * @cpu: its counters
 * @interrupted: registers at the PMI; NULL if there is none
 * @nr: records of each counter, by slot, that have no sample yet
 * @lost: records of several counters that cannot be told apart
 */
struct drain {
	struct intel_pebs	*p;
	struct x86_cpu		*cpu;
	struct pt_regs		*interrupted;
	u16			nr[X86_NR_SLOTS];
	u16			lost[X86_NR_SLOTS];
};

static bool in_kernel(u64 ip)
{
	return IS_ENABLED(CONFIG_64BIT) ? (s64)ip < 0 : ip >= PAGE_OFFSET;
}

static enum x86_data data_of(const struct perf_event *event)
{
	return FIELD_GET(X86_EVENT_DATA, event->hw.flags);
}

/*
 * The counters whose event a record belongs to. Up to format 2 it has the
 * status of all counters. If several of them are precise, one record stands for
 * all, and nobody knows for which.
 */
static u64 owners(struct drain *d, const struct intel_pebs_record *record)
{
	u64 all = d->p->counters, counters = all & record->counters;

	if (!(record->has & INTEL_PEBS_STATUS))
		counters = all & BIT_ULL(0);
	if (record->has & INTEL_PEBS_TSC)
		return counters;
	/* The status may have been cleared before the record was written. */
	if (!counters && is_power_of_2(all))
		return all;
	return counters;
}

static bool is_ambiguous(const struct intel_pebs_record *record, u64 counters)
{
	return !(record->has & INTEL_PEBS_TSC) && hweight64(counters) > 1;
}

static void count_record(struct drain *d, const struct intel_pebs_record *record)
{
	u64 counters = owners(d, record);
	u16 *to = is_ambiguous(record, counters) ? d->lost : d->nr;

	if (!counters)
		d->p->dropped++;
	for (; counters; counters &= counters - 1)
		to[x86_slot(__ffs64(counters))]++;
}

/**
 * intel_pebs_read_counter() - read the counter of an event
 * @event: event on a counter of this CPU
 *
 * Tests replace this function by one that returns a value of theirs.
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: its value.
 */
u64 intel_pebs_read_counter(const struct perf_event *event)
{
	u64 value;

	KUNIT_STATIC_STUB_REDIRECT(intel_pebs_read_counter, event);
	rdpmcl(event->hw.event_base_rdpmc, value);
	return value;
}

static s64 value_of(const struct perf_event *event)
{
	return sign_extend64(intel_pebs_read_counter(event), x86_pmc.width - 1);
}

/**
 * intel_pebs_update() - bring the count of an event up to date
 * @p: precise events of this CPU
 * @event: event with X86_EVENT_RELOAD
 * @nr: how many of its records were found since the last time
 *
 * The difference of two values may be negative, if the counter was loaded and
 * its record comes later; then the count is too small by a period until the
 * record is found.
 *
 * Context: this CPU, interrupts off or NMI.
 */
void intel_pebs_update(struct intel_pebs *p, struct perf_event *event, unsigned int nr)
{
	struct hw_perf_event *hw = &event->hw;
	unsigned int slot = intel_pebs_reset_slot(p->format, hw->idx);
	u64 period = x86_pmc.mask + 1 - p->ds->pebs_event_reset[slot];
	s64 now = value_of(event);
	s64 prev = local64_xchg(&hw->prev_count, now);

	local64_add(now - prev + nr * period, &event->count);
	local64_set(&hw->period_left, -now);
	hw->last_period = period;
	perf_event_update_userpage(event);
}

/* Return: false if the event's period has not ended, so there is no sample. */
static bool settle(struct drain *d, struct perf_event *event, unsigned int nr)
{
	if (event->hw.flags & X86_EVENT_RELOAD) {
		/* Its counter may have been cleared since it was read. */
		if (event->hw.state & PERF_HES_UPTODATE)
			local64_set(&event->hw.prev_count, value_of(event));
		intel_pebs_update(d->p, event, nr);
		return true;
	}
	/* Its counter is being saved or set anew. */
	if (event->hw.state & PERF_HES_UPTODATE)
		return false;
	x86_run_update(event);
	return x86_run_rearm(d->cpu, event);
}

/**
 * intel_pebs_report_lost() - write that samples are lost
 * @event: their event
 * @lost: how many
 *
 * Tests replace this function by one that adds up @lost.
 *
 * Context: this CPU, interrupts off or NMI.
 */
void intel_pebs_report_lost(struct perf_event *event, unsigned int lost)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_pebs_report_lost, event, lost);
	perf_log_lost_samples(event, lost);
}

/**
 * intel_pebs_account() - account an interrupt without a sample
 * @event: event that has caused it; it is stopped if it is throttled now
 *
 * Without this an event whose records are not used would never be throttled.
 * Tests replace this function by one that counts.
 *
 * Context: NMI.
 */
void intel_pebs_account(struct perf_event *event)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_pebs_account, event);
	if (perf_event_account_interrupt(event))
		x86_run_stop(event, 0);
}

static void lose(struct drain *d, struct perf_event *event, unsigned int lost)
{
	intel_pebs_report_lost(event, lost);
	if (d->interrupted)
		intel_pebs_account(event);
}

/* Counts become right before samples show them. */
static void settle_all(struct drain *d)
{
	u64 counters = d->p->counters;
	struct perf_event *event;
	unsigned int slot;

	for (; counters; counters &= counters - 1) {
		slot = x86_slot(__ffs64(counters));
		event = d->cpu->on[slot];
		if (!(d->nr[slot] | d->lost[slot]))
			continue;
		if (!settle(d, event, d->nr[slot] + d->lost[slot]))
			d->nr[slot] = 0;
		if (d->lost[slot])
			lose(d, event, d->lost[slot]);
	}
}

/* The address is linear, so no segment is added to it. */
static void set_ip(struct pt_regs *regs, u64 ip)
{
	regs->cs = in_kernel(ip) ? __KERNEL_CS : __USER_CS;
	if (regs->flags & X86_VM_MASK)
		regs->flags ^= X86_VM_MASK | PERF_EFLAGS_VM;
	regs->ip = ip;
}

static void copy_regs(struct pt_regs *regs, const struct intel_pebs_record *record)
{
	regs->ax = intel_pebs_reg(record, INTEL_PEBS_AX);
	regs->bx = intel_pebs_reg(record, INTEL_PEBS_BX);
	regs->cx = intel_pebs_reg(record, INTEL_PEBS_CX);
	regs->dx = intel_pebs_reg(record, INTEL_PEBS_DX);
	regs->si = intel_pebs_reg(record, INTEL_PEBS_SI);
	regs->di = intel_pebs_reg(record, INTEL_PEBS_DI);
	regs->bp = intel_pebs_reg(record, INTEL_PEBS_BP);
	regs->sp = intel_pebs_reg(record, INTEL_PEBS_SP);
#ifdef CONFIG_X86_64
	regs->r8 = intel_pebs_reg(record, INTEL_PEBS_R8);
	regs->r9 = intel_pebs_reg(record, INTEL_PEBS_R8 + 1);
	regs->r10 = intel_pebs_reg(record, INTEL_PEBS_R8 + 2);
	regs->r11 = intel_pebs_reg(record, INTEL_PEBS_R8 + 3);
	regs->r12 = intel_pebs_reg(record, INTEL_PEBS_R8 + 4);
	regs->r13 = intel_pebs_reg(record, INTEL_PEBS_R8 + 5);
	regs->r14 = intel_pebs_reg(record, INTEL_PEBS_R8 + 6);
	regs->r15 = intel_pebs_reg(record, INTEL_PEBS_R8 + 7);
#endif
}

/*
 * The address that the sample shows. With precise_ip 1 it is that of the next
 * instruction.
 */
static u64 ip_of(const struct perf_event *event, const struct intel_pebs_record *record)
{
	bool exact = record->has & INTEL_PEBS_EVENT_IP &&
		     (event->attr.precise_ip > 1 || !record->regs);

	return exact ? record->event_ip : intel_pebs_reg(record, INTEL_PEBS_IP);
}

static void save_regs(struct x86_perf_regs *to, struct drain *d, const struct perf_event *event,
		      const struct intel_pebs_record *record)
{
	struct pt_regs *regs = &to->regs;
	u64 ip = ip_of(event, record);

	/* For segments, and for registers that the record does not have. */
	if (d->interrupted && user_mode(d->interrupted) != in_kernel(ip))
		*regs = *d->interrupted;
	else
		memset(regs, 0, sizeof(*regs));
	to->xmm_regs = (u64 *)record->xmm;
	if (record->regs)
		regs->flags = intel_pebs_reg(record, INTEL_PEBS_FLAGS);
	regs->flags &= ~PERF_EFLAGS_EXACT;
	set_ip(regs, ip);
	if (event->attr.precise_ip > 1 && record->has & INTEL_PEBS_EVENT_IP)
		regs->flags |= PERF_EFLAGS_EXACT;
	if (record->regs && event->attr.sample_type & REGS_TYPE)
		copy_regs(regs, record);
}

static enum x86_datasrc datasrc_of(const struct perf_event *event)
{
	return x86_core_of(event->pmu)->facts.model->precise->datasrc;
}

/* Formats 1 to 3: the latency of loads, or the cycles of a transaction. */
static u64 short_weight(const struct perf_event *event, const struct intel_pebs_record *record)
{
	if (data_of(event) == X86_DATA_LOAD_LATENCY)
		return record->latency;
	return TSX_CYCLES(record->tsx);
}

static void save_weight(struct perf_sample_data *data, struct drain *d,
			const struct perf_event *event, const struct intel_pebs_record *record)
{
	bool parts = datasrc_of(event) >= X86_DATASRC_GOLDEN_COVE;
	union perf_sample_weight weight = { .full = 0 };
	u64 latency;

	if (!record->adaptive) {
		weight.full = short_weight(event, record);
	} else {
		latency = parts ? LATENCY_CACHE(record->latency) : record->latency;
		if (!latency)
			latency = TSX_CYCLES(record->tsx);
		if (event->attr.sample_type & PERF_SAMPLE_WEIGHT) {
			weight.full = latency;
		} else {
			weight.var1_dw = latency;
			weight.var2_w = parts ? LATENCY_INSTRUCTION(record->latency) : 0;
			weight.var3_w = d->p->format->retire_latency ? record->retire_latency : 0;
		}
	}
	data->weight = weight;
	data->sample_flags |= event->attr.sample_type & PERF_SAMPLE_WEIGHT_TYPE;
}

static u64 transaction(const struct intel_pebs_record *record)
{
	u64 flags = TSX_FLAGS(record->tsx), eax;

	if (!(flags & PERF_TXN_TRANSACTION) || !record->regs)
		return flags;
	eax = intel_pebs_reg(record, INTEL_PEBS_AX);
	if (eax & ABORT_EXPLICIT)
		flags |= ABORT_CODE(eax) << PERF_TXN_ABORT_SHIFT;
	return flags;
}

static void save_memory(struct perf_sample_data *data, struct drain *d,
			const struct perf_event *event, const struct intel_pebs_record *record)
{
	u64 type = event->attr.sample_type;

	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		save_weight(data, d, event, record);
	if (type & PERF_SAMPLE_DATA_SRC && record->has & INTEL_PEBS_MEMORY) {
		data->data_src.val = intel_datasrc(datasrc_of(event), data_of(event),
						   record->source);
		data->sample_flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (type & ADDR_TYPE && record->has & INTEL_PEBS_MEMORY) {
		/* Code of user space cannot have accessed this address. */
		data->addr = event->attr.exclude_kernel && in_kernel(record->address) ?
			     0 : record->address;
		data->sample_flags |= PERF_SAMPLE_ADDR;
	}
	if (type & PERF_SAMPLE_TRANSACTION && record->has & INTEL_PEBS_TSX) {
		data->txn = transaction(record);
		data->sample_flags |= PERF_SAMPLE_TRANSACTION;
	}
}

/* A time stamp can be translated only if the TSC is the kernel's clock. */
static void save_time(struct perf_sample_data *data, const struct perf_event *event,
		      const struct intel_pebs_record *record)
{
	if (!(record->has & INTEL_PEBS_TSC) || event->attr.use_clockid ||
	    !using_native_sched_clock() || !sched_clock_stable())
		return;
	data->time = native_sched_clock_from_tsc(record->tsc) + __sched_clock_offset;
	data->sample_flags |= PERF_SAMPLE_TIME;
}

/*
 * The call chain begins where the interrupt came: the stack at the record may
 * have changed since then. An event that counts user code only gets the chain
 * of user space.
 */
static void save_callchain(struct perf_sample_data *data, struct drain *d,
			   struct perf_event *event)
{
	struct pt_regs *regs = d->interrupted;

	if (!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	if (!regs || (event->attr.exclude_kernel && !user_mode(regs)))
		regs = task_pt_regs(current);
	perf_sample_save_callchain(data, event, regs);
}

/* The stack of a sample whose branches were not kept. */
static struct perf_branch_stack no_branches = { .hw_idx = -1ULL };

/*
 * The interrupt has read the recorder for the events that run. Before it, or
 * when an event leaves its counter, the branches of the record are unknown.
 */
static void save_branches(struct perf_sample_data *data, struct drain *d,
			  struct perf_event *event)
{
	if (!(event->hw.flags & X86_EVENT_BRANCHES))
		return;
	if (d->interrupted && d->cpu->running & BIT_ULL(event->hw.idx))
		x86_branch_save(event, data);
	else
		perf_sample_save_brstack(data, event, &no_branches, NULL);
}

/* Does the event count code of this mode? */
static bool counts_at(const struct perf_event *event, u64 ip)
{
	return in_kernel(ip) ? !event->attr.exclude_kernel : !event->attr.exclude_user;
}

/*
 * The record may have been written after the kernel was entered. Then its
 * registers are the kernel's, although the address is the program's.
 */
static bool has_kernel_regs(const struct intel_pebs_record *record)
{
	return record->regs && in_kernel(intel_pebs_reg(record, INTEL_PEBS_IP));
}

static bool is_wanted(const struct perf_event *event, const struct intel_pebs_record *record)
{
	return counts_at(event, ip_of(event, record)) &&
	       !(event->attr.exclude_kernel && has_kernel_regs(record));
}

/**
 * intel_pebs_emit() - write a sample
 * @event: its event
 * @data: sample
 * @regs: registers of the record
 * @last: the last one of this event in an interrupt, which may throttle it
 *
 * Tests replace this function by one that keeps a list of samples.
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: true if the event has to stop.
 */
bool intel_pebs_emit(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs, bool last)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_pebs_emit, event, data, regs, last);
	if (last)
		return perf_event_overflow(event, data, regs);
	perf_event_output(event, data, regs);
	return false;
}

static void sample(struct drain *d, unsigned int slot, const struct intel_pebs_record *record)
{
	struct perf_event *event = d->cpu->on[slot];
	struct perf_sample_data data;
	struct x86_perf_regs regs;
	bool last;

	if (!d->nr[slot])
		return;
	last = !--d->nr[slot] && d->interrupted;
	if (!is_wanted(event, record)) {
		d->p->dropped++;
		if (last)
			intel_pebs_account(event);
		return;
	}
	perf_sample_data_init(&data, 0, event->hw.last_period);
	save_callchain(&data, d, event);
	save_regs(&regs, d, event, record);
	save_time(&data, event, record);
	save_memory(&data, d, event, record);
	save_branches(&data, d, event);
	if (intel_pebs_emit(event, &data, &regs.regs, last))
		x86_run_stop(event, 0);
}

static void sample_record(struct drain *d, const struct intel_pebs_record *record)
{
	u64 counters = owners(d, record);

	if (is_ambiguous(record, counters))
		return;
	for (; counters; counters &= counters - 1)
		sample(d, x86_slot(__ffs64(counters)), record);
}

typedef void (*visit_t)(struct drain *d, const struct intel_pebs_record *record);

/* Return: length of the records before the first wrong one, in bytes. */
static size_t visit_records(struct drain *d, const void *base, size_t size, visit_t visit)
{
	struct intel_pebs_record record;
	size_t at = 0;

	while (at < size) {
		if (!intel_pebs_decode(&record, d->p->format->number, base + at, size - at))
			break;
		visit(d, &record);
		at += record.size;
	}
	return at;
}

/* Return: how many bytes the processor has written; 0 if the index is wrong. */
static size_t take_written(struct intel_pebs *p)
{
	struct debug_store *ds = p->ds;
	u64 base = ds->pebs_buffer_base, index = ds->pebs_index;

	ds->pebs_index = base;
	if (index >= base && index - base <= p->bytes)
		return index - base;
	p->dropped++;
	return 0;
}

static void drain(struct intel_pebs *p, struct x86_cpu *cpu, struct pt_regs *interrupted)
{
	const void *base = (void *)(unsigned long)p->ds->pebs_buffer_base;
	struct drain d = { .p = p, .cpu = cpu, .interrupted = interrupted };
	size_t size = take_written(p), good;

	good = visit_records(&d, base, size, count_record);
	if (good < size)
		p->dropped++;
	settle_all(&d);
	visit_records(&d, base, good, sample_record);
}

/**
 * intel_pebs_drain() - write samples for the records of this CPU
 * @p: its precise events
 * @cpu: its counters, which stand still
 * @interrupted: registers at the PMI, or NULL outside of it
 *
 * Context: this CPU, interrupts off or NMI.
 */
void intel_pebs_drain(struct intel_pebs *p, struct x86_cpu *cpu, struct pt_regs *interrupted)
{
	if (!p->nr || p->draining || p->ds->pebs_index == p->ds->pebs_buffer_base)
		return;
	p->draining = true;
	barrier();
	drain(p, cpu, interrupted);
	barrier();
	p->draining = false;
}
