// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of room "intel/topdown": a group of slots and two metrics. The data
 * of this CPU is replaced by that of a CPU without events, and its registers by
 * variables.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <asm/msr-index.h>
#include "../audit.h"
#include "../config.h"
#include "../cpu.h"
#include "../intel/topdown.h"
#include "../rules/tables/tables.h"

#define COUNTER		(X86_COUNTER_FIXED + 3)
#define BITS		(X86_FIXED(3) | BIT_ULL(X86_COUNTER_METRICS))

/* Metrics are parts of 255. */
#define FIFTH		51
#define METRICS(a, b)	((a) | (u64)(b) << 8)

/* OTHER is the leader of another group. */
enum { SLOTS, RETIRING, BAD, OTHER, NR_EVENTS };

static const struct x86_pmc addresses = {
	.select = 0x1000, .write = 0x2000, .step = 1, .fixed_ctrl = 0x3000,
	.global_ctrl = 0x3001,
};

/**
 * struct pipeline - a CPU with a counter of slots
 * @core: type of its core
 * @saved: data of the CPU that runs the test
 * @entered: the data is replaced
 * @slots: value of the counter
 * @metrics: value of the register
 * @running: value of global control
 * @reads: how often counter and metrics were read
 * @during: what a PMI does during the next reading, or NULL
 * @event: the group
 */
struct pipeline {
	struct x86_core		core;
	struct x86_cpu		saved;
	bool			entered;
	u64			slots;
	u64			metrics;
	u64			running;
	unsigned int		reads;
	void			(*during)(struct pipeline *p);
	struct perf_event	event[NR_EVENTS];
};

static const struct x86_run_metrics *const topdown = &intel_topdown_methods;

static struct pipeline *pipeline(void)
{
	return kunit_get_current_test()->priv;
}

static void fake_write(u32 address, u64 value)
{
	struct pipeline *p = pipeline();

	if (!p->entered)
		wrmsrl(address, value);
	else if (address == MSR_PERF_METRICS)
		p->metrics = value;
	else if (address == MSR_CORE_PERF_FIXED_CTR0 + 3)
		p->slots = value;
	else if (address == addresses.global_ctrl)
		p->running = value;
}

static u64 fake_read(u64 *metrics)
{
	struct pipeline *p = pipeline();
	void (*during)(struct pipeline *p) = p->during;

	KUNIT_EXPECT_EQ(kunit_get_current_test(), p->running & BITS, 0);
	p->reads++;
	p->during = NULL;
	*metrics = p->metrics;
	if (during)
		during(p);
	return p->slots;
}

static void no_report(const struct x86_regs *r, bool skip_control)
{
}

static void init_event(struct pipeline *p, unsigned int i, u64 code)
{
	struct perf_event *event = &p->event[i];

	event->pmu = &p->core.pmu;
	event->id = i + 1;
	event->group_leader = &p->event[SLOTS];
	event->hw.idx = -1;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = code;
	event->hw.config = code | X86_SEL_USR | X86_SEL_OS;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int topdown_init(struct kunit *test)
{
	struct pipeline *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	if (!x86_pmc.width)
		kunit_skip(test, "no counters");
	test->priv = p;
	p->core.facts.model = &x86_model_icelake;
	p->core.facts.counters = X86_GENERAL(8) | X86_FIXED(3);
	p->core.metrics = true;
	p->core.pmu.type = PERF_TYPE_RAW;
	init_event(p, SLOTS, 0x0400);
	init_event(p, RETIRING, 0x8000);
	init_event(p, BAD, 0x8100);
	init_event(p, OTHER, 0x0400);
	p->event[OTHER].group_leader = &p->event[OTHER];
	for (i = 0; i < NR_EVENTS; i++)
		KUNIT_ASSERT_EQ(test, intel_topdown_config(&p->event[i]), 0);
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	kunit_activate_static_stub(test, intel_topdown_read, fake_read);
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		kunit_activate_static_stub(test, x86_audit_report, no_report);
	return 0;
}

/* From here to leave_pipeline() the CPU has no events but those of the test. */
static struct x86_cpu *enter_pipeline(struct pipeline *p)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	lockdep_assert_irqs_disabled();
	if (cpu->core)
		perf_pmu_disable(&cpu->core->pmu);
	p->saved = *cpu;
	p->entered = true;
	memset(cpu, 0, sizeof(*cpu));
	cpu->core = &p->core;
	cpu->not_special = p->core.facts.counters;
	x86_regs_reset(&cpu->regs, &addresses, p->core.facts.counters);
	return cpu;
}

static void leave_pipeline(struct pipeline *p)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	*cpu = p->saved;
	p->entered = false;
	if (cpu->core)
		perf_pmu_enable(&cpu->core->pmu);
}

/* As x86_run_take() and x86_run_enable() do. */
static void slots_in(struct pipeline *p, struct x86_cpu *cpu)
{
	struct perf_event *slots = &p->event[SLOTS];

	slots->hw.idx = COUNTER;
	x86_cpu_attach(cpu, slots, COUNTER);
	topdown->begin(cpu, slots);
	slots->hw.state = 0;
	x86_regs_release(&cpu->regs, BITS);
	x86_run_mark(BITS);
	x86_run_resume(cpu, true);
}

/* As x86_run_disable() and x86_run_del() do. */
static void slots_out(struct pipeline *p, struct x86_cpu *cpu)
{
	x86_run_suspend(cpu, BITS);
	x86_run_unmark(BITS);
	topdown->leave(cpu, &p->event[SLOTS]);
	x86_run_finish(cpu, &p->event[SLOTS]);
	x86_cpu_detach(cpu, COUNTER);
}

static void metric_in(struct kunit *test, struct x86_cpu *cpu, unsigned int i)
{
	struct pipeline *p = test->priv;

	KUNIT_EXPECT_EQ(test, topdown->add(cpu, &p->event[i], PERF_EF_START), 0);
}

/* The leader and one metric event count. */
static struct x86_cpu *enter_counting(struct kunit *test)
{
	struct x86_cpu *cpu = enter_pipeline(test->priv);

	metric_in(test, cpu, RETIRING);
	slots_in(test->priv, cpu);
	return cpu;
}

static void leave_counting(struct pipeline *p, struct x86_cpu *cpu)
{
	slots_out(p, cpu);
	topdown->del(cpu, &p->event[RETIRING]);
	leave_pipeline(p);
}

static u64 count_of(struct pipeline *p, unsigned int i)
{
	return local64_read(&p->event[i].count);
}

static void topdown_test_part(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, intel_topdown_part(1000, METRICS(FIFTH, 255), 0), 200);
	KUNIT_EXPECT_EQ(test, intel_topdown_part(1000, METRICS(FIFTH, 255), 1), 1000);
	KUNIT_EXPECT_EQ(test, intel_topdown_part(1000, METRICS(FIFTH, 255), 2), 0);
	KUNIT_EXPECT_EQ(test, intel_topdown_part(1ULL << 48, 0xffULL << 56, 7), 1ULL << 48);
}

/* Which events the room accepts, and what it makes of them. */
static void topdown_test_config(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct perf_event *metric = &p->event[RETIRING];

	KUNIT_EXPECT_EQ(test, p->event[SLOTS].hw.flags, X86_EVENT_SLOTS);
	KUNIT_EXPECT_EQ(test, x86_event_bits(&p->event[SLOTS], COUNTER), BITS);
	KUNIT_EXPECT_EQ(test, metric->hw.flags, X86_EVENT_METRIC);
	KUNIT_EXPECT_EQ(test, x86_event_counters(metric), BIT_ULL(X86_COUNTER_METRICS));
	KUNIT_EXPECT_NE(test, metric->event_caps & PERF_EV_CAP_SIBLING, 0);

	metric->attr.sample_period = 1000;
	KUNIT_EXPECT_EQ(test, intel_topdown_config(metric), -EINVAL);
	metric->attr.sample_period = 0;
	metric->attr.config |= X86_SEL_EDGE;
	KUNIT_EXPECT_EQ(test, intel_topdown_config(metric), -EINVAL);
	metric->attr.config &= ~X86_SEL_EDGE;
	metric->attr.config1 = 1;
	KUNIT_EXPECT_EQ(test, intel_topdown_config(metric), -EINVAL);
	metric->attr.config1 = 0;
	metric->group_leader = metric;
	KUNIT_EXPECT_EQ(test, intel_topdown_config(metric), -EINVAL);
	/* The leader must not sample. */
	metric->group_leader = &p->event[SLOTS];
	p->event[SLOTS].hw.flags = 0;
	p->event[SLOTS].attr.sample_period = 1000;
	KUNIT_EXPECT_EQ(test, intel_topdown_config(&p->event[SLOTS]), 0);
	KUNIT_EXPECT_EQ(test, p->event[SLOTS].hw.flags, 0);
	KUNIT_EXPECT_EQ(test, intel_topdown_config(metric), -EINVAL);
	/* Ice Lake has four metrics: this is another event. */
	metric->hw.flags = 0;
	metric->attr.config = 0x8400;
	KUNIT_EXPECT_EQ(test, intel_topdown_config(metric), 0);
	KUNIT_EXPECT_EQ(test, metric->hw.flags, 0);
}

/* Slots and metrics are counted, and go on where they were at a switch. */
static void topdown_test_switch(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_pipeline(p);
	metric_in(test, cpu, RETIRING);
	metric_in(test, cpu, BAD);
	slots_in(p, cpu);
	KUNIT_EXPECT_EQ(test, p->running, BITS);
	KUNIT_EXPECT_EQ(test, cpu->not_special & X86_FIXED(3), 0);
	p->slots = 1000;
	p->metrics = METRICS(FIFTH, 2 * FIFTH);
	slots_out(p, cpu);
	KUNIT_EXPECT_EQ(test, p->running, 0);
	KUNIT_EXPECT_NE(test, cpu->not_special & X86_FIXED(3), 0);
	topdown->del(cpu, &p->event[RETIRING]);
	topdown->del(cpu, &p->event[BAD]);
	KUNIT_EXPECT_EQ(test, count_of(p, SLOTS), 1000);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 200);
	KUNIT_EXPECT_EQ(test, count_of(p, BAD), 400);
	/* The next task must not see the metrics. */
	KUNIT_EXPECT_EQ(test, p->metrics, 0);

	p->slots = 5;
	x86_regs_release(&cpu->regs, X86_FIXED(3));
	metric_in(test, cpu, RETIRING);
	slots_in(p, cpu);
	KUNIT_EXPECT_EQ(test, p->slots, 1000);
	KUNIT_EXPECT_EQ(test, p->metrics, METRICS(FIFTH, 2 * FIFTH));
	p->slots = 2000;
	slots_out(p, cpu);
	topdown->del(cpu, &p->event[RETIRING]);
	KUNIT_EXPECT_EQ(test, count_of(p, SLOTS), 2000);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 400);
	KUNIT_EXPECT_EQ(test, count_of(p, BAD), 400);
	leave_pipeline(p);
}

/* A reading begins again at 0, so that metrics show what came after it. */
static void topdown_test_read(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_counting(test);
	p->slots = 1000000;
	p->metrics = FIFTH;
	topdown->read(cpu, &p->event[SLOTS]);
	KUNIT_EXPECT_EQ(test, p->running, BITS);
	KUNIT_EXPECT_EQ(test, p->slots, 0);
	KUNIT_EXPECT_EQ(test, p->metrics, 0);
	/* The others of the group were read with the leader. */
	cpu->txn = PERF_PMU_TXN_READ;
	topdown->read(cpu, &p->event[RETIRING]);
	cpu->txn = 0;
	KUNIT_EXPECT_EQ(test, p->reads, 1);
	p->slots = 1000;
	p->metrics = 2 * FIFTH;
	topdown->read(cpu, &p->event[RETIRING]);
	KUNIT_EXPECT_EQ(test, count_of(p, SLOTS), 1001000);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 200400);
	leave_counting(p, cpu);
}

/* A metric that is rounded down makes no count smaller, nor later larger. */
static void topdown_test_rounding(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_counting(test);
	p->slots = 1000;
	p->metrics = FIFTH;
	topdown->update(cpu);
	p->slots = 1010;
	p->metrics = FIFTH - 1;
	topdown->update(cpu);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 200);
	p->slots = 2000;
	p->metrics = FIFTH;
	topdown->update(cpu);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 400);
	KUNIT_EXPECT_EQ(test, count_of(p, SLOTS), 2000);
	leave_counting(p, cpu);
}

/* Slots of the time before a metric event started, or while it stood still. */
static void topdown_test_late(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_pipeline(p);
	slots_in(p, cpu);
	p->slots = 1000;
	p->metrics = FIFTH;
	metric_in(test, cpu, RETIRING);
	KUNIT_EXPECT_EQ(test, topdown->add(cpu, &p->event[RETIRING], PERF_EF_START), -ENOSPC);
	p->slots = 2000;
	topdown->stop(cpu, &p->event[RETIRING]);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 200);
	p->slots = 3000;
	topdown->start(cpu, &p->event[RETIRING]);
	p->slots = 3500;
	slots_out(p, cpu);
	topdown->del(cpu, &p->event[RETIRING]);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 300);
	KUNIT_EXPECT_EQ(test, count_of(p, SLOTS), 3500);
	leave_pipeline(p);
}

/* The counter passes its end: the interrupt begins again at 0. */
static void topdown_test_wrap(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_counting(test);
	p->slots = x86_pmc.mask;
	p->metrics = FIFTH;
	topdown->update(cpu);
	p->slots = 4;
	x86_run_suspend(cpu, BITS);
	KUNIT_EXPECT_EQ(test, intel_topdown_pmi(cpu), 1);
	x86_run_resume(cpu, true);
	KUNIT_EXPECT_EQ(test, p->slots, 0);
	KUNIT_EXPECT_EQ(test, count_of(p, SLOTS), x86_pmc.mask + 5);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), (x86_pmc.mask + 5) / 5);
	leave_counting(p, cpu);
}

/* A group is tried while another one has the counter, and does not fit. */
static void topdown_test_tried(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_pipeline(p);
	p->event[RETIRING].group_leader = &p->event[OTHER];
	p->event[BAD].group_leader = &p->event[OTHER];
	slots_in(p, cpu);
	p->slots = 1000000;
	p->metrics = METRICS(FIFTH, FIFTH);
	metric_in(test, cpu, RETIRING);
	metric_in(test, cpu, BAD);
	topdown->read(cpu, &p->event[SLOTS]);
	p->slots = 1000000;
	p->metrics = METRICS(FIFTH, FIFTH);
	topdown->del(cpu, &p->event[BAD]);
	topdown->del(cpu, &p->event[RETIRING]);
	slots_out(p, cpu);
	KUNIT_EXPECT_EQ(test, count_of(p, SLOTS), 2000000);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 0);
	KUNIT_EXPECT_EQ(test, count_of(p, BAD), 0);
	leave_pipeline(p);
}

/* The room "load" lets other events' counters run for a moment. */
static void topdown_test_loading(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_counting(test);
	x86_run_suspend(cpu, 0);
	p->slots = 1000;
	p->metrics = FIFTH;
	topdown->read(cpu, &p->event[SLOTS]);
	KUNIT_EXPECT_EQ(test, p->running, BITS);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 200);
	x86_run_resume(cpu, true);
	leave_counting(p, cpu);
}

/* The first values of both registers, whatever the period of the event is. */
static void topdown_test_open(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct perf_event *slots = &p->event[SLOTS];

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		kunit_skip(test, "not Intel's driver");
	p->core.config_mask = X86_SEL_CODE;
	slots->hw.saved_metric = 1;
	KUNIT_EXPECT_EQ(test, x86_config_init(slots), 0);
	KUNIT_EXPECT_EQ(test, slots->hw.flags & X86_EVENT_SLOTS, X86_EVENT_SLOTS);
	KUNIT_EXPECT_EQ(test, slots->hw.saved_metric, 0);
}

static void read_in_pmi(struct pipeline *p)
{
	topdown->read(this_cpu_ptr(&x86_cpu), &p->event[SLOTS]);
}

/* A PMI reads the group while an update does: nothing counts twice. */
static void topdown_test_pmi(struct kunit *test)
{
	struct pipeline *p = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_counting(test);
	p->slots = 1000;
	p->metrics = FIFTH;
	p->during = read_in_pmi;
	topdown->read(cpu, &p->event[SLOTS]);
	KUNIT_EXPECT_EQ(test, p->reads, 1);
	KUNIT_EXPECT_EQ(test, count_of(p, SLOTS), 1000);
	KUNIT_EXPECT_EQ(test, count_of(p, RETIRING), 200);
	leave_counting(p, cpu);
}

static struct kunit_case topdown_cases[] = {
	KUNIT_CASE(topdown_test_part),
	KUNIT_CASE(topdown_test_config),
	KUNIT_CASE(topdown_test_switch),
	KUNIT_CASE(topdown_test_read),
	KUNIT_CASE(topdown_test_rounding),
	KUNIT_CASE(topdown_test_late),
	KUNIT_CASE(topdown_test_wrap),
	KUNIT_CASE(topdown_test_tried),
	KUNIT_CASE(topdown_test_loading),
	KUNIT_CASE(topdown_test_open),
	KUNIT_CASE(topdown_test_pmi),
	{}
};

static struct kunit_suite topdown_suite = {
	.name		= "x86_topdown",
	.init		= topdown_init,
	.test_cases	= topdown_cases,
};

kunit_test_suite(topdown_suite);
