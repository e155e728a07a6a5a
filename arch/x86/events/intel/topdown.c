// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/topdown": slots of the pipeline, and what became of them.
 *
 * Purpose: count slots with fixed counter 3, and shares of them with the
 * register of metrics, SDM vol. 3 20.3.9.3. A metric is a byte of this register:
 * 255 stands for all slots since counter and register were 0.
 *
 * Owns: the per-CPU variable topdown; MSR_PERF_METRICS; hw.saved_metric of slots
 * events; hw.state and hw.prev_count of metric events. It also writes hw.state
 * and hw.prev_count of slots events, which the room "run" owns.
 *
 * Contexts: the task that opens an event; the CPU itself with interrupts off;
 * the PMI.
 *
 * Events: a metric event counts slots, too: those that its metric stands for. It
 * is a member of a group whose leader counts slots and takes no samples. Such a
 * slots event has X86_EVENT_SLOTS. It alone has a counter: bit 48 of global
 * control, which lets the metrics go on, is among its bits. Metric events are
 * not among x86_cpu::events, and need no counter.
 *
 * Values: counter and register go on from their last values when a group comes
 * back, so both are saved and written. They are set to 0 when an event is read:
 * a metric has only 8 bits, and would show little of the time since the last
 * reading. hw.prev_count of the slots event is the value of the counter at the
 * last update, as that of other events; hw.prev_count of a metric event is its
 * greatest share since the reset, which is in its count. So a count never
 * becomes smaller when a metric is rounded.
 *
 * Race, an update and the PMI:
 *  1. x86_run_suspend() stops counter and metrics, unless they stand still;
 *  2. intel_topdown::busy is set;
 *  3. counter and register are read, counts become right, and perhaps both
 *     registers become 0;
 *  4. intel_topdown::busy is cleared, and the counters go on.
 * A PMI between 2 and 4 finds busy set, and reads and writes neither counter
 * nor register. A sample of another event of the group shows the counts as they
 * are at this moment. A PMI between 1 and 2 does all of it; then there is
 * nothing left to do.
 *
 * Counts of others: the register is set to 0 when its slots event leaves the
 * counter, so that no program sees what another task left there. The room
 * "mapped" clears the counter. Programs that may execute RDPMC can see the
 * metrics of an event of the CPU.
 *
 * Locking: none; each CPU changes its own struct intel_topdown.
 */
#include <linux/bitfield.h>
#include <linux/math64.h>
#include <linux/perf_refuse.h>
#include <kunit/static_stub.h>
#include <asm/msr.h>
#include "../cpu.h"
#include "../rules/count.h"
#include "topdown.h"

#define SLOTS_COUNTER	(X86_COUNTER_FIXED + 3)

/* Codes: the unit mask tells pseudo events of fixed counters apart. */
#define SLOTS		0x0400
#define FIRST_METRIC	0x8000
#define METRIC_MASK	0x0700

/* Operand of RDPMC, SDM vol. 2B RDPMC. */
#define RDPMC_METRICS	BIT(29)

/* A metric that stands for all slots. */
#define WHOLE		0xff

/* Bits that a fixed counter does not have. */
#define NO_FILTERS	(X86_SEL_EDGE | X86_SEL_PIN | X86_SEL_ANY | X86_SEL_INV |	\
			 X86_SEL_CMASK | X86_SEL_IN_TX | X86_SEL_IN_TXCP | X86_SEL_EQ |	\
			 X86_SEL_UMASK2)

static DEFINE_PER_CPU(struct intel_topdown, topdown);

static unsigned int metric_of(const struct perf_event *event)
{
	return FIELD_GET(METRIC_MASK, event->attr.config);
}

/**
 * intel_topdown_part() - compute the slots that a metric stands for
 * @slots: slots since the reset
 * @metrics: content of MSR_PERF_METRICS
 * @metric: number of the metric
 *
 * Context: any.
 * Return: number of slots.
 */
u64 intel_topdown_part(u64 slots, u64 metrics, unsigned int metric)
{
	return mul_u64_u32_div(slots, metrics >> (8 * metric) & WHOLE, WHOLE);
}

/**
 * intel_topdown_read() - read the counter of slots and the metrics
 * @metrics: gets the metrics
 *
 * Tests replace this function by one that returns values of theirs.
 *
 * Context: this CPU, interrupts off or NMI; the counter stands still.
 * Return: value of the counter.
 */
u64 intel_topdown_read(u64 *metrics)
{
	u64 slots;

	KUNIT_STATIC_STUB_REDIRECT(intel_topdown_read, metrics);
	rdpmcl(x86_pmc_rdpmc(SLOTS_COUNTER), slots);
	rdpmcl((int)RDPMC_METRICS, *metrics);
	return slots;
}

/* The slots event on the counter, or NULL. */
static struct perf_event *slots_event(const struct x86_cpu *cpu)
{
	struct perf_event *event = cpu->on[x86_slot(SLOTS_COUNTER)];

	return event && event->hw.flags & X86_EVENT_SLOTS ? event : NULL;
}

static bool counts(const struct perf_event *event)
{
	return event && !(event->hw.state & PERF_HES_STOPPED);
}

/*
 * While a group is tried that does not fit, its metric events are scheduled in,
 * and the counter belongs to another group.
 */
static bool is_member(const struct perf_event *event, const struct perf_event *slots)
{
	return event && event->group_leader == slots;
}

/* Slots since the reset, at the last update. A wrap of the counter ends there. */
static u64 total_of(const struct perf_event *slots)
{
	return local64_read(&slots->hw.prev_count) & x86_pmc.mask;
}

static void update_metric(struct perf_event *event, u64 total, u64 metrics)
{
	u64 share = intel_topdown_part(total, metrics, metric_of(event));
	u64 before = local64_read(&event->hw.prev_count);

	if (share <= before)
		return;
	local64_set(&event->hw.prev_count, share);
	local64_add(share - before, &event->count);
}

/* Move what was counted to the events. */
static void update_counts(struct intel_topdown *t, struct perf_event *slots)
{
	struct hw_perf_event *hw = &slots->hw;
	u64 prev = total_of(slots), metrics, now, delta;
	unsigned int i;

	now = intel_topdown_read(&metrics);
	delta = x86_count_delta(x86_pmc.width, prev, now);
	local64_set(&hw->prev_count, sign_extend64(now, x86_pmc.width - 1));
	local64_add(delta, &slots->count);
	hw->saved_metric = metrics;
	for (i = 0; i < INTEL_TOPDOWN_METRICS; i++) {
		if (is_member(t->metric[i], slots) && counts(t->metric[i]))
			update_metric(t->metric[i], prev + delta, metrics);
	}
}

/* The counter is written first: SDM vol. 3 20.3.9.3. */
static void write_both(struct x86_cpu *cpu, struct perf_event *slots)
{
	x86_regs_load(&cpu->regs, SLOTS_COUNTER, total_of(slots));
	x86_regs_write(MSR_PERF_METRICS, slots->hw.saved_metric);
}

static void reset(struct x86_cpu *cpu, struct intel_topdown *t, struct perf_event *slots)
{
	unsigned int i;

	local64_set(&slots->hw.prev_count, 0);
	slots->hw.saved_metric = 0;
	for (i = 0; i < INTEL_TOPDOWN_METRICS; i++) {
		if (is_member(t->metric[i], slots))
			local64_set(&t->metric[i]->hw.prev_count, 0);
	}
	write_both(cpu, slots);
	perf_event_update_userpage(slots);
}

/*
 * The room "load" lets counters run while x86_cpu::enabled is false. A PMI in
 * between leaves all of them off, and the end of its call starts them again.
 */
static u64 stop_late(struct x86_cpu *cpu, u64 bits)
{
	u64 running = cpu->regs.running;

	if (running & bits)
		x86_regs_run(&cpu->regs, running & ~bits);
	return running & bits;
}

/* @again: set counter and metrics to 0 after that. */
static void update(struct x86_cpu *cpu, bool again)
{
	struct intel_topdown *t = this_cpu_ptr(&topdown);
	struct perf_event *slots = slots_event(cpu);
	bool enabled;
	u64 bits;

	if (!slots || slots->hw.state & PERF_HES_UPTODATE || t->busy)
		return;
	enabled = x86_run_suspend(cpu, x86_event_bits(slots, SLOTS_COUNTER));
	bits = stop_late(cpu, x86_event_bits(slots, SLOTS_COUNTER));
	t->busy = true;
	barrier();
	update_counts(t, slots);
	if (again)
		reset(cpu, t, slots);
	barrier();
	t->busy = false;
	if (bits)
		x86_regs_run(&cpu->regs, cpu->regs.running | bits);
	x86_run_resume(cpu, enabled);
}

/* A slots event is about to run, and its counter stands still. */
static void begin(struct x86_cpu *cpu, struct perf_event *slots)
{
	cpu->not_special &= ~X86_FIXED(3);
	write_both(cpu, slots);
}

static void update_slots(struct x86_cpu *cpu)
{
	update(cpu, false);
}

/* The slots event leaves its counter, which stands still. */
static void leave(struct x86_cpu *cpu, struct perf_event *slots)
{
	update(cpu, false);
	slots->hw.state |= PERF_HES_UPTODATE;
	/* From here on a late PMI leaves the counter alone. */
	barrier();
	x86_regs_hold(&cpu->regs, SLOTS_COUNTER, total_of(slots), slots->id);
	x86_regs_write(MSR_PERF_METRICS, 0);
	cpu->not_special |= X86_FIXED(3);
}

/* Nothing if another group has the counter. */
static void update_group(struct x86_cpu *cpu, const struct perf_event *metric)
{
	if (is_member(metric, slots_event(cpu)))
		update(cpu, false);
}

/* The metric event does not count the slots from before its start. */
static void start_metric(struct x86_cpu *cpu, struct perf_event *event)
{
	const struct perf_event *slots = event->group_leader;

	update_group(cpu, event);
	local64_set(&event->hw.prev_count,
		    intel_topdown_part(total_of(slots), slots->hw.saved_metric,
				       metric_of(event)));
	event->hw.state = 0;
}

static void stop_metric(struct x86_cpu *cpu, struct perf_event *event)
{
	update_group(cpu, event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/*
 * Another group may have the counter and the metric. It leaves the metric when
 * it leaves the counter.
 */
static int add_metric(struct x86_cpu *cpu, struct perf_event *event, int flags)
{
	struct perf_event **place = &this_cpu_ptr(&topdown)->metric[metric_of(event)];

	if (*place)
		return -ENOSPC;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	*place = event;
	if (flags & PERF_EF_START)
		start_metric(cpu, event);
	return 0;
}

static void del_metric(struct x86_cpu *cpu, struct perf_event *event)
{
	struct intel_topdown *t = this_cpu_ptr(&topdown);

	if (WARN_ON_ONCE(t->metric[metric_of(event)] != event))
		return;
	if (counts(event))
		stop_metric(cpu, event);
	t->metric[metric_of(event)] = NULL;
	perf_event_update_userpage(event);
}

/* In a group the leader is read first, and all metrics with it. */
static void read_both(struct x86_cpu *cpu, struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_METRIC && cpu->txn & PERF_PMU_TXN_READ)
		return;
	update(cpu, true);
}

/**
 * intel_topdown_pmi() - the counter of slots, or a part of the metrics, is full
 * @cpu: this CPU, whose counters stand still
 *
 * Context: NMI.
 * Return: 1, the number of causes that were handled.
 */
int intel_topdown_pmi(struct x86_cpu *cpu)
{
	update(cpu, true);
	return 1;
}

static bool has_metric(const struct x86_core *core, const struct perf_event *event)
{
	return core->facts.model->counters & BIT_ULL(X86_COUNTER_METRICS + metric_of(event));
}

static int refuse_field(unsigned int field, u64 bits)
{
	return perf_refuse(-EINVAL, field, bits, PERF_REASON_RESERVED);
}

/* Neither slots nor metrics have settings. */
static int check_plain(const struct perf_event_attr *attr)
{
	if (attr->config1)
		return refuse_field(PERF_FIELD(config1), ~0ULL);
	if (attr->config2)
		return refuse_field(PERF_FIELD(config2), ~0ULL);
	if (attr->config & NO_FILTERS)
		return refuse_field(PERF_FIELD(config), attr->config & NO_FILTERS);
	return 0;
}

static int config_metric(struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	if (is_sampling_event(event))
		return refuse_field(PERF_FIELD(sample_period), ~0ULL);
	if (leader == event || leader->pmu != event->pmu ||
	    !(leader->hw.flags & X86_EVENT_SLOTS))
		return perf_refuse_because(-EINVAL, PERF_ARGUMENT(GROUP_FD), 0,
					   "the leader of the group must count slots, and not sample");
	event->event_caps |= PERF_EV_CAP_SIBLING;
	event->hw.flags |= X86_EVENT_METRIC;
	x86_event_set_counters(event, BIT_ULL(X86_COUNTER_METRICS + metric_of(event)));
	return 0;
}

/**
 * intel_topdown_config() - prepare an event that may count slots or a metric
 * @event: event that is opened
 *
 * Context: task; the mutex of the leader's context if there is a leader.
 * Return: 0, or -EINVAL.
 */
int intel_topdown_config(struct perf_event *event)
{
	const struct x86_core *core = x86_core_of(event->pmu);
	u64 code = event->attr.config & X86_SEL_CODE;
	bool metric = (code & ~METRIC_MASK) == FIRST_METRIC && has_metric(core, event);
	int err;

	if (event->attr.type != event->pmu->type || !core->metrics || (code != SLOTS && !metric))
		return 0;
	err = check_plain(&event->attr);
	if (err)
		return err;
	if (metric)
		return config_metric(event);
	if (is_sampling_event(event))
		return 0;
	event->hw.flags = (event->hw.flags & ~X86_EVENT_COUNTS) | X86_EVENT_SLOTS;
	event->hw.saved_metric = 0;
	return 0;
}

const struct x86_run_metrics intel_topdown_methods = {
	.begin		= begin,
	.update		= update_slots,
	.leave		= leave,
	.read		= read_both,
	.add		= add_metric,
	.del		= del_metric,
	.start		= start_metric,
	.stop		= stop_metric,
};

/**
 * intel_topdown_setup() - let events of a core count metrics, if it has them
 * @core: type of core
 *
 * Context: boot.
 */
void __init intel_topdown_setup(const struct x86_core *core)
{
	if (core->metrics)
		x86_run_set_metrics(&intel_topdown_methods);
}
