// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the rooms "run" and "overflow": what an interrupt finds, and
 * leaves. The data of this CPU is replaced by that of a CPU with one event.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <kunit/test.h>
#include <linux/irqflags.h>
#include "../audit.h"
#include "../cpu.h"
#include "../overflow.h"
#include "../run.h"

#define PERIOD		1000

struct world {
	struct x86_core		core;
	struct x86_cpu		saved;
	struct perf_event	event;
	u64			running_at_write;
	int			state_at_write;
	unsigned int		writes;
	unsigned int		updates;
	int			state_at_hide;
	unsigned int		writes_at_hide;
	unsigned int		clears;
	bool			entered;
};

static void note_write(u32 address, u64 value)
{
	struct world *w = kunit_get_current_test()->priv;

	if (!w->entered) {
		wrmsrl(address, value);
		return;
	}
	w->writes++;
	if (address == x86_pmc_write(&x86_pmc, 0) && !value)
		w->clears++;
	w->running_at_write = __this_cpu_read(x86_cpu.running);
	w->state_at_write = w->event.hw.state;
}

/* The registers do not contain the images. */
static void no_report(const struct x86_regs *r, bool skip_control)
{
}

static void count_update(struct perf_event *event)
{
	struct world *w = kunit_get_current_test()->priv;

	w->updates++;
}

static void note_hide(struct perf_event *event)
{
	struct world *w = kunit_get_current_test()->priv;

	w->state_at_hide = event->hw.state;
	w->writes_at_hide = w->writes;
}

static int run_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	if (!x86_pmc.select)
		kunit_skip(test, "no PMU");
	w->core.facts.counters = X86_GENERAL(2);
	w->event.hw.sample_period = PERIOD;
	w->event.hw.config = X86_SEL_USR;
	test->priv = w;
	kunit_activate_static_stub(test, x86_regs_write, note_write);
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		kunit_activate_static_stub(test, x86_audit_report, no_report);
	return 0;
}

/*
 * From here to leave_world() the event counts on counter 0, and no other does.
 */
static struct x86_cpu *enter_world(struct world *w, int flags)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	lockdep_assert_irqs_disabled();
	if (cpu->core)
		perf_pmu_disable(&cpu->core->pmu);
	w->saved = *cpu;
	w->entered = true;
	memset(cpu, 0, sizeof(*cpu));
	cpu->core = &w->core;
	x86_regs_reset(&cpu->regs, &x86_pmc, w->core.facts.counters);
	w->event.hw.flags = flags;
	x86_cpu_attach(cpu, &w->event, 0);
	x86_regs_select(&cpu->regs, 0, w->event.hw.config);
	x86_run_mark(x86_event_bits(&w->event, 0));
	x86_run_enable(NULL);
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

/*
 * Each interrupt starts the counter from the same value. A read of the counter
 * that it has interrupted must see that there was one.
 */
static void run_test_rearm(struct kunit *test)
{
	struct world *w = test->priv;
	struct hw_perf_event *hw = &w->event.hw;
	s64 first = -PERIOD, now;
	struct x86_cpu *cpu;
	unsigned int i;

	guard(irqsave)();
	cpu = enter_world(w, 0);
	local64_set(&hw->prev_count, first);
	for (i = 0; i < 3000; i++) {
		local64_set(&hw->period_left, 0);
		KUNIT_EXPECT_TRUE(test, x86_run_rearm(cpu, &w->event));
		now = local64_read(&hw->prev_count);
		KUNIT_EXPECT_LT(test, now, 0);
		KUNIT_EXPECT_NE(test, now, first);
		KUNIT_EXPECT_EQ(test, sign_extend64(now, x86_pmc.width - 1), -PERIOD);
		/* Interrupted just before, and again. */
		if (i == 2000)
			first = now;
	}
	leave_world(w);
}

/*
 * An interrupt that comes while the counter is stopped finds an event that
 * runs.
 */
static void run_test_stop(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_world(w, 0);
	w->writes = 0;
	x86_run_stop(&w->event, 0);
	KUNIT_EXPECT_EQ(test, w->writes, 1);
	KUNIT_EXPECT_EQ(test, w->running_at_write, BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, cpu->running, 0);
	KUNIT_EXPECT_EQ(test, cpu->regs.running, 0);
	KUNIT_EXPECT_EQ(test, w->event.hw.state, PERF_HES_STOPPED);
	KUNIT_EXPECT_TRUE(test, cpu->enabled);
	leave_world(w);
}

/* While its counter is set anew, an interrupt leaves the event alone. */
static void run_test_rebase(struct kunit *test)
{
	struct world *w = test->priv;
	struct hw_perf_event *hw = &w->event.hw;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_world(w, X86_EVENT_COUNTS | X86_EVENT_BORROWED);
	hw->event_base_rdpmc = x86_pmc_rdpmc(0);
	x86_run_disable(NULL);
	w->writes = 0;
	x86_run_rebase(&w->event);
	KUNIT_EXPECT_EQ(test, w->writes, 1);
	KUNIT_EXPECT_EQ(test, w->running_at_write, 0);
	KUNIT_EXPECT_TRUE(test, w->state_at_write & PERF_HES_UPTODATE);
	KUNIT_EXPECT_EQ(test, local64_read(&hw->prev_count), -PERIOD);
	KUNIT_EXPECT_EQ(test, hw->state, 0);
	KUNIT_EXPECT_EQ(test, cpu->running, BIT_ULL(0));
	leave_world(w);
}

/*
 * An event is stopped with its group while its counter contains what another
 * one has counted. A program that reads counters comes next.
 */
static void run_test_clear_stopped(struct kunit *test)
{
	struct world *w = test->priv;
	struct hw_perf_event *hw = &w->event.hw;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_world(w, X86_EVENT_COUNTS | X86_EVENT_BORROWED);
	hw->event_base_rdpmc = x86_pmc_rdpmc(0);
	perf_clear_dirty_counters();
	KUNIT_EXPECT_EQ(test, w->clears, 0);
	x86_run_stop(&w->event, PERF_EF_UPDATE);
	x86_regs_hold(&cpu->regs, 0, PERIOD, w->event.id);
	perf_clear_dirty_counters();
	KUNIT_EXPECT_EQ(test, w->clears, 1);
	x86_run_start(&w->event, PERF_EF_RELOAD);
	KUNIT_EXPECT_EQ(test, local64_read(&hw->prev_count), -PERIOD);
	KUNIT_EXPECT_EQ(test, hw->state, 0);
	leave_world(w);
}

/* What the driver has not read yet stays in the counter. */
static void run_test_clear_unread(struct kunit *test)
{
	struct world *w = test->priv;

	guard(irqsave)();
	enter_world(w, 0);
	x86_run_stop(&w->event, 0);
	perf_clear_dirty_counters();
	KUNIT_EXPECT_EQ(test, w->clears, 0);
	leave_world(w);
}

/* The second counter of a pair has no event, whatever the status says. */
static void run_test_pair(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;

	guard(irqsave)();
	cpu = enter_world(w, X86_EVENT_PAIR);
	KUNIT_EXPECT_EQ(test, cpu->running, BIT_ULL(0) | BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, x86_overflow_counters(cpu, BIT_ULL(1), NULL), 1);
	KUNIT_EXPECT_EQ(test, local64_read(&w->event.count), 0);
	leave_world(w);
}

/* A counter of an earlier kernel interrupts before the CPU has started. */
static void run_test_not_started(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;

	if (!boot_cpu_has(X86_FEATURE_APIC))
		kunit_skip(test, "no interrupt");
	guard(irqsave)();
	cpu = enter_world(w, 0);
	memset(cpu, 0, sizeof(*cpu));
	KUNIT_EXPECT_EQ(test, x86_overflow_handle(NULL), 0);
	leave_world(w);
}

/* What a guest's exit has written while an interrupt was handled is stopped. */
static void run_test_guest(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;
	bool enabled;

	guard(irqsave)();
	cpu = enter_world(w, 0);
	cpu->guests = true;
	enabled = x86_run_pause(cpu);
	x86_run_unmark(BIT_ULL(0));
	x86_run_unpause(cpu, enabled);
	w->writes = 0;
	x86_run_disable(NULL);
	KUNIT_EXPECT_EQ(test, w->writes, 1);
	leave_world(w);
}

/*
 * The processor loads the counter of a precise event, so the driver of precise
 * events has to read it for the last time as well, as before a warm-up.
 */
static void run_test_finish(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;
	u64 value, owner;

	kunit_activate_static_stub(test, x86_run_update_precise, count_update);
	guard(irqsave)();
	cpu = enter_world(w, X86_EVENT_RELOAD);
	w->event.hw.event_base_rdpmc = x86_pmc_rdpmc(0);
	w->event.id = 77;
	x86_run_disable(NULL);
	x86_run_unmark(BIT_ULL(0));
	local64_set(&w->event.hw.prev_count, -PERIOD);
	x86_run_finish(cpu, &w->event);
	KUNIT_EXPECT_EQ(test, w->updates, 1);
	KUNIT_EXPECT_TRUE(test, w->event.hw.state & PERF_HES_UPTODATE);
	KUNIT_EXPECT_TRUE(test, x86_regs_held(&cpu->regs, 0, &value, &owner));
	KUNIT_EXPECT_EQ(test, value, -PERIOD & x86_pmc.mask);
	KUNIT_EXPECT_EQ(test, owner, 77);
	/* Its count is complete. */
	x86_run_finish(cpu, &w->event);
	KUNIT_EXPECT_EQ(test, w->updates, 1);
	leave_world(w);
}

/*
 * After a suspend the clock may be another one. So the user page says first
 * that there is no counter, and then shows the counter with the new clock.
 */
static void run_test_hide(struct kunit *test)
{
	struct world *w = test->priv;
	struct x86_cpu *cpu;

	kunit_activate_static_stub(test, x86_run_hide, note_hide);
	guard(irqsave)();
	cpu = enter_world(w, 0);
	x86_run_disable(NULL);
	x86_run_unmark(BIT_ULL(0));
	w->writes = 0;
	w->writes_at_hide = 99;
	x86_run_reload(cpu, &w->event, true);
	KUNIT_EXPECT_EQ(test, w->state_at_hide, PERF_HES_STOPPED | PERF_HES_UPTODATE);
	KUNIT_EXPECT_EQ(test, w->writes_at_hide, 0);
	KUNIT_EXPECT_EQ(test, w->event.hw.state, 0);
	leave_world(w);
}

static struct kunit_case run_cases[] = {
	KUNIT_CASE(run_test_rearm),
	KUNIT_CASE(run_test_stop),
	KUNIT_CASE(run_test_rebase),
	KUNIT_CASE(run_test_clear_stopped),
	KUNIT_CASE(run_test_clear_unread),
	KUNIT_CASE(run_test_pair),
	KUNIT_CASE(run_test_not_started),
	KUNIT_CASE(run_test_guest),
	KUNIT_CASE(run_test_finish),
	KUNIT_CASE(run_test_hide),
	{}
};

static struct kunit_suite run_suite = {
	.name		= "x86_run",
	.init		= run_init,
	.test_cases	= run_cases,
};

kunit_test_suite(run_suite);
