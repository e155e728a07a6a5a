// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of room "load": the data of this CPU is replaced by that of a CPU
 * without events, and writes of registers are only counted.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <kunit/test.h>
#include <linux/irqflags.h>
#include "../audit.h"
#include "../load.h"
#include "../rdpmc.h"
#include "../run.h"

#define NR_EVENTS	3
#define SERIAL		77
#define VALUE		(-1000)

struct world {
	struct x86_core		core;
	struct x86_cpu		saved;
	struct perf_event	event[NR_EVENTS + 1];
	struct perf_event_set	*set;
	unsigned int		writes;
	bool			entered;
};

static void count_write(u32 address, u64 value)
{
	struct world *w = kunit_get_current_test()->priv;

	if (w->entered)
		w->writes++;
	else
		wrmsrl(address, value);
}

/* The registers do not contain the images. */
static void no_report(const struct x86_regs *r, bool skip_control)
{
}

static int load_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->set = kunit_kzalloc(test, struct_size(w->set, events, NR_EVENTS), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->set);
	w->core.facts.counters = X86_GENERAL(4);
	for (i = 0; i < NR_EVENTS + 1; i++) {
		struct perf_event *event = &w->event[i];

		event->id = 1000 + i;
		event->attach_state = PERF_ATTACH_TASK;
		event->hw.idx = -1;
		event->hw.flags = X86_EVENT_COUNTS;
		event->hw.config = X86_SEL_USR | i;
		event->hw.config_base = X86_GENERAL(4);
		event->hw.sample_period = x86_pmc.max_period;
		local64_set(&event->hw.period_left, x86_pmc.max_period);
	}
	w->set->serial = SERIAL;
	w->set->nr = NR_EVENTS;
	for (i = 0; i < NR_EVENTS; i++)
		w->set->events[i] = &w->event[i];
	test->priv = w;
	kunit_activate_static_stub(test, x86_regs_write, count_write);
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		kunit_activate_static_stub(test, x86_audit_report, no_report);
	return 0;
}

/* From here to leave_world() the CPU's own events do not count. */
static struct x86_cpu *enter_world(struct world *w)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	lockdep_assert_irqs_disabled();
	if (cpu->core)
		perf_pmu_disable(&cpu->core->pmu);
	w->saved = *cpu;
	w->entered = true;
	memset(cpu, 0, sizeof(*cpu));
	cpu->core = &w->core;
	cpu->regs.pmc = &x86_pmc;
	cpu->regs.running_known = true;
	return cpu;
}

static void leave_world(struct world *w)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	*cpu = w->saved;
	w->entered = false;
	if (cpu->core)
		perf_pmu_enable(&cpu->core->pmu);
}

/* Schedule events in as the core does without sets. */
static void add_each(struct kunit *test, struct world *w)
{
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++)
		KUNIT_EXPECT_EQ(test, x86_run_add(&w->event[i], PERF_EF_START), 0);
	x86_run_enable(NULL);
	x86_run_disable(NULL);
}

/* Nothing is left to be read, and the counters have known values. */
static void stop_at(struct x86_cpu *cpu, struct world *w, s64 value)
{
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++) {
		struct hw_perf_event *hw = &w->event[i].hw;

		hw->state |= PERF_HES_UPTODATE;
		local64_set(&hw->prev_count, value);
		x86_regs_hold(&cpu->regs, hw->idx, value & x86_pmc.mask, w->event[i].id);
	}
}

static void check_loaded(struct kunit *test, struct x86_cpu *cpu, struct world *w)
{
	u64 counters = 0;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, cpu->nr, NR_EVENTS);
	for (i = 0; i < NR_EVENTS; i++) {
		struct perf_event *event = &w->event[i];

		KUNIT_EXPECT_PTR_EQ(test, cpu->events[i], event);
		KUNIT_EXPECT_EQ(test, cpu->at[i], event->hw.idx);
		KUNIT_EXPECT_EQ(test, cpu->to[i], event->hw.idx);
		KUNIT_EXPECT_PTR_EQ(test, cpu->on[x86_slot(event->hw.idx)], event);
		KUNIT_EXPECT_EQ(test, event->hw.state, 0);
		counters |= BIT_ULL(event->hw.idx);
	}
	KUNIT_EXPECT_EQ(test, hweight64(counters), NR_EVENTS);
	KUNIT_EXPECT_EQ(test, cpu->used, counters);
	KUNIT_EXPECT_EQ(test, cpu->planned, counters);
	KUNIT_EXPECT_EQ(test, cpu->running, counters);
	KUNIT_EXPECT_EQ(test, cpu->regs.held & counters, 0);
	KUNIT_EXPECT_EQ(test, cpu->regs.kept, 0);
	KUNIT_EXPECT_EQ(test, cpu->loaded, SERIAL);
}

static void check_unloaded(struct kunit *test, struct x86_cpu *cpu, struct world *w)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, cpu->nr, 0);
	KUNIT_EXPECT_EQ(test, cpu->used, 0);
	KUNIT_EXPECT_EQ(test, cpu->planned, 0);
	KUNIT_EXPECT_EQ(test, cpu->running, 0);
	KUNIT_EXPECT_EQ(test, cpu->loaded, 0);
	KUNIT_EXPECT_EQ(test, cpu->regs.kept, SERIAL);
	for (i = 0; i < X86_NR_SLOTS; i++)
		KUNIT_EXPECT_NULL(test, cpu->on[i]);
	for (i = 0; i < NR_EVENTS; i++)
		KUNIT_EXPECT_EQ(test, w->event[i].hw.state,
				PERF_HES_STOPPED | PERF_HES_UPTODATE);
}

static void unload(struct kunit *test, struct x86_cpu *cpu, struct world *w, s64 value)
{
	stop_at(cpu, w, value);
	x86_unload(NULL, w->set);
	check_unloaded(test, cpu, w);
}

/* Added one by one, unloaded, and then loaded again and again. */
static void load_kept(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;
	unsigned int i;

	guard(irqsave)();
	cpu = enter_world(w);
	KUNIT_EXPECT_EQ(test, x86_load(NULL, w->set), -ENOSPC);
	add_each(test, w);
	unload(test, cpu, w, VALUE);
	for (i = 0; i < 3; i++) {
		w->writes = 0;
		KUNIT_EXPECT_EQ(test, x86_load(NULL, w->set), 0);
		KUNIT_EXPECT_EQ(test, w->writes, 0);
		check_loaded(test, cpu, w);
		unload(test, cpu, w, VALUE);
	}
	leave_world(w);
}

/* A counter that may have overflowed gets a new value. */
static void load_overflowed(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_world(w);
	add_each(test, w);
	unload(test, cpu, w, 5);
	w->writes = 0;
	KUNIT_EXPECT_EQ(test, x86_load(NULL, w->set), 0);
	KUNIT_EXPECT_EQ(test, w->writes, NR_EVENTS);
	KUNIT_EXPECT_LT(test, local64_read(&w->event[0].hw.prev_count), 0);
	check_loaded(test, cpu, w);
	leave_world(w);
}

/* Events that sample begin with what is left of their period. */
static void load_samples(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *event = &w->event[1];
	struct x86_cpu *cpu;

	event->hw.flags = 0;
	event->hw.sample_period = 5000;
	local64_set(&event->hw.period_left, 5000);
	guard(irqsave)();
	cpu = enter_world(w);
	add_each(test, w);
	unload(test, cpu, w, VALUE);
	local64_set(&event->hw.period_left, 4000);
	w->writes = 0;
	KUNIT_EXPECT_EQ(test, x86_load(NULL, w->set), 0);
	KUNIT_EXPECT_EQ(test, w->writes, 1);
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.prev_count), -4000);
	check_loaded(test, cpu, w);
	leave_world(w);
}

/* What others do to the counters meanwhile. */
static void clear_counters(struct x86_cpu *cpu, struct world *w)
{
	x86_regs_clear(&cpu->regs, w->core.facts.counters);
}

static void select_other(struct x86_cpu *cpu, struct world *w)
{
	x86_regs_select(&cpu->regs, w->event[0].hw.idx, X86_SEL_OS | 0x3c);
}

static void run_other(struct x86_cpu *cpu, struct world *w)
{
	w->event[NR_EVENTS].hw.idx = w->event[0].hw.idx;
	x86_run_add(&w->event[NR_EVENTS], PERF_EF_START);
	x86_run_enable(NULL);
	x86_run_disable(NULL);
	w->event[NR_EVENTS].hw.state |= PERF_HES_UPTODATE;
	x86_run_del(&w->event[NR_EVENTS], 0);
}

static void move_away(struct x86_cpu *cpu, struct world *w)
{
	w->set->driver[1] = smp_processor_id() + 1;
}

static void unload_other(struct x86_cpu *cpu, struct world *w)
{
	cpu->regs.kept = SERIAL + 1;
}

static void mask_other(struct x86_cpu *cpu, struct world *w)
{
	cpu->core = w->saved.core;
	x86_run_reprogram(cpu);
	cpu->core = &w->core;
}

static void (* const meanwhile[])(struct x86_cpu *cpu, struct world *w) = {
	clear_counters, select_other, run_other, move_away, unload_other, mask_other,
};

/* The images are compared, and counters written. */
static void load_changed(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;
	unsigned int i;

	guard(irqsave)();
	cpu = enter_world(w);
	add_each(test, w);
	for (i = 0; i < ARRAY_SIZE(meanwhile); i++) {
		unload(test, cpu, w, VALUE);
		/* The value on which the event would go on is in no counter. */
		local64_set(&w->event[0].hw.prev_count, VALUE * 2);
		meanwhile[i](cpu, w);
		KUNIT_EXPECT_EQ(test, x86_load(NULL, w->set), 0);
		KUNIT_EXPECT_NE_MSG(test, local64_read(&w->event[0].hw.prev_count), VALUE * 2,
				    "change %u", i);
		KUNIT_EXPECT_TRUE(test, x86_regs_fits(&cpu->regs, w->event[0].hw.idx,
						      w->event[0].hw.config));
		check_loaded(test, cpu, w);
	}
	leave_world(w);
}

/* Another event has one of the counters. */
static void load_taken(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *other = &w->event[NR_EVENTS];
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_world(w);
	add_each(test, w);
	unload(test, cpu, w, VALUE);
	other->hw.idx = w->event[2].hw.idx;
	KUNIT_EXPECT_EQ(test, x86_run_add(other, PERF_EF_START), 0);
	KUNIT_EXPECT_EQ(test, x86_load(NULL, w->set), -ENOSPC);
	KUNIT_EXPECT_EQ(test, cpu->nr, 1);
	KUNIT_EXPECT_EQ(test, cpu->planned, BIT_ULL(other->hw.idx));
	leave_world(w);
}

/* Events come and go while the set is loaded. */
static void load_not_last(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *other = &w->event[NR_EVENTS];
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_world(w);
	add_each(test, w);
	unload(test, cpu, w, VALUE);
	KUNIT_EXPECT_EQ(test, x86_load(NULL, w->set), 0);
	KUNIT_EXPECT_EQ(test, x86_run_add(other, PERF_EF_START), 0);
	KUNIT_EXPECT_EQ(test, cpu->loaded, 0);
	x86_run_enable(NULL);
	x86_run_disable(NULL);
	stop_at(cpu, w, VALUE);
	x86_unload(NULL, w->set);
	KUNIT_EXPECT_EQ(test, cpu->nr, 1);
	KUNIT_EXPECT_PTR_EQ(test, cpu->events[0], other);
	KUNIT_EXPECT_EQ(test, cpu->used, BIT_ULL(other->hw.idx));
	KUNIT_EXPECT_EQ(test, cpu->planned, BIT_ULL(other->hw.idx));
	leave_world(w);
}

/* An event without a counter: where the others belong is not known. */
static void load_unknown(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_world(w);
	add_each(test, w);
	stop_at(cpu, w, VALUE);
	x86_run_del(&w->event[1], 0);
	w->event[1].hw.idx = -1;
	KUNIT_EXPECT_EQ(test, x86_run_add(&w->event[1], PERF_EF_START), 0);
	x86_unload(NULL, w->set);
	KUNIT_EXPECT_EQ(test, x86_load(NULL, w->set), -ENOSPC);
	KUNIT_EXPECT_EQ(test, cpu->nr, 0);
	leave_world(w);
}

/* An event whose counter a guest needs to know. */
static void load_guest(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;

	w->event[0].hw.flags |= X86_EVENT_HOST_ONLY;
	w->event[1].hw.flags |= X86_EVENT_GUEST_ONLY;
	guard(irqsave)();
	cpu = enter_world(w);
	add_each(test, w);
	unload(test, cpu, w, VALUE);
	KUNIT_EXPECT_EQ(test, cpu->host_only | cpu->guest_only, 0);
	KUNIT_EXPECT_EQ(test, x86_load(NULL, w->set), 0);
	KUNIT_EXPECT_EQ(test, cpu->host_only, BIT_ULL(w->event[0].hw.idx));
	KUNIT_EXPECT_EQ(test, cpu->guest_only, BIT_ULL(w->event[1].hw.idx));
	check_loaded(test, cpu, w);
	unload(test, cpu, w, VALUE);
	KUNIT_EXPECT_EQ(test, cpu->host_only | cpu->guest_only, 0);
	leave_world(w);
}

static struct kunit_case load_cases[] = {
	KUNIT_CASE(load_kept),
	KUNIT_CASE(load_overflowed),
	KUNIT_CASE(load_samples),
	KUNIT_CASE(load_changed),
	KUNIT_CASE(load_taken),
	KUNIT_CASE(load_not_last),
	KUNIT_CASE(load_unknown),
	KUNIT_CASE(load_guest),
	{}
};

static struct kunit_suite load_suite = {
	.name		= "x86_load",
	.init		= load_init,
	.test_cases	= load_cases,
};

kunit_test_suite(load_suite);
