// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room cpu: times, timers and events of a CPU whose context is
 * unloaded and loaded again. Most cases call the functions of the room for a
 * CPU that remains online.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kallsyms.h>
#include <linux/notifier.h>
#include <linux/perf_event.h>
#include <linux/reboot.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../clock.h"
#include "../context.h"
#include "../read.h"
#include "fake_pmu.h"

#define FOREVER_MS	3600000
#define AWAY_MS		50

#define INACTIVE	PERF_EVENT_STATE_INACTIVE
#define ACTIVE		PERF_EVENT_STATE_ACTIVE
#define EXIT		PERF_EVENT_STATE_EXIT

static struct fake_pmu fake;

static int cpu_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_cpu");
}

static void cpu_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void cpu_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int cpu_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, cpu_test_check_idle, test);
}

static int cpu_test_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

static int cpu_test_other_cpu(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU only");
	return cpumask_last(cpu_online_mask);
}

/* The context is the one of the CPU where the test runs from now on. */
static void cpu_test_bind(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current,
					     cpumask_of(cpu_test_cpu())));
}

/* On the CPU itself. */
static void cpu_test_load(void *unused)
{
	set_cpus_allowed_ptr(current, cpumask_of(cpu_test_cpu()));
	guard(cpus_read_lock)();
	perf_event_init_cpu(cpu_test_cpu());
}

static void cpu_test_unload(struct kunit *test)
{
	scoped_guard(cpus_read_lock)
		perf_event_exit_cpu(cpu_test_cpu());
	fake_pmu_undo(test, cpu_test_load, NULL);
}

static void cpu_test_load_again(struct kunit *test)
{
	kunit_release_action(test, cpu_test_load, NULL);
}

static u64 cpu_test_enabled(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	return enabled;
}

/* The time that passes while a CPU is away does not count afterwards. */
static void cpu_test_time(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpu_test_cpu() };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);
	u64 before, after, since;

	cpu_test_bind(test);
	cpu_test_unload(test);
	before = cpu_test_enabled(event);
	msleep(AWAY_MS);
	KUNIT_EXPECT_EQ(test, cpu_test_enabled(event), before);
	since = perf_clock();
	cpu_test_load_again(test);
	after = cpu_test_enabled(event);
	since = perf_clock() - since;
	KUNIT_EXPECT_GT(test, after, before);
	KUNIT_EXPECT_LE(test, after - before, since);
}

/* The time of the running task counts up to the change of its events. */
static void cpu_test_task_time(struct kunit *test)
{
	struct fake_pmu_spec pinned = { .cpu = cpu_test_cpu(), .pinned = true };
	struct fake_pmu_spec spec = { .cpu = -1, .task = current };
	struct perf_event *own, *event;
	u64 since;

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	cpu_test_bind(test);
	own = fake_pmu_open(test, &fake, &pinned);
	cpu_test_unload(test);
	KUNIT_EXPECT_EQ(test, READ_ONCE(own->state), INACTIVE);
	event = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), ACTIVE);
	since = perf_clock();
	mdelay(2);
	since = perf_clock() - since;
	cpu_test_load_again(test);
	KUNIT_EXPECT_EQ(test, READ_ONCE(own->state), ACTIVE);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), INACTIVE);
	KUNIT_EXPECT_GE(test, event->total_time_running, NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, event->total_time_running,
			cpu_test_enabled(event));
}

/* The events of the task that runs leave the PMU, and come back with a switch. */
static void cpu_test_task_leaves(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1, .task = current };
	struct perf_event *event;
	int dels;

	cpu_test_bind(test);
	event = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), ACTIVE);
	dels = fake_pmu_calls(&fake, FAKE_DEL);
	cpu_test_unload(test);
	KUNIT_EXPECT_GT(test, fake_pmu_calls(&fake, FAKE_DEL), dels);
	cpu_test_load_again(test);
	fake_pmu_switch_out();
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), ACTIVE);
}

static void cpu_test_restore_pmu(void *unused)
{
	fake.pmu.task_ctx_nr = perf_hw_context;
}

/* The group ends, can be read, and does not come back with the CPU. */
static void cpu_test_expect_end(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpu_test_cpu() };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);
	struct perf_event *sibling;
	int adds;

	spec.leader = event;
	sibling = fake_pmu_open(test, &fake, &spec);
	fake_pmu_tick(&fake, 7);
	cpu_test_bind(test);
	cpu_test_unload(test);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), EXIT);
	KUNIT_EXPECT_EQ(test, READ_ONCE(sibling->state), EXIT);
	KUNIT_EXPECT_PTR_EQ(test, sibling->group_leader, event);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 7LL);
	KUNIT_EXPECT_FALSE(test, perf_read_is_hup(event));
	adds = fake_pmu_calls(&fake, FAKE_ADD);
	cpu_test_load_again(test);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), adds);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), EXIT);
}

/* A poller that looks at the event when it is woken. */
struct cpu_test_poller {
	struct wait_queue_entry		entry;
	const struct perf_event		*event;
	int				seen;
};

static int cpu_test_wake(struct wait_queue_entry *entry, unsigned int mode,
			 int flags, void *key)
{
	struct cpu_test_poller *poller =
		container_of(entry, struct cpu_test_poller, entry);

	poller->seen = READ_ONCE(poller->event->state);
	return 0;
}

/* Pollers are woken when the event has ended. */
static void cpu_test_ends_poll(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpu_test_cpu() };
	struct cpu_test_poller poller = { .seen = PERF_EVENT_STATE_ERROR };
	struct perf_event *event;

	fake_pmu_undo(test, cpu_test_restore_pmu, NULL);
	fake.pmu.task_ctx_nr = perf_invalid_context;
	event = fake_pmu_open(test, &fake, &spec);
	poller.event = event;
	cpu_test_bind(test);
	init_waitqueue_func_entry(&poller.entry, cpu_test_wake);
	add_wait_queue(&event->waitq, &poller.entry);
	cpu_test_unload(test);
	remove_wait_queue(&event->waitq, &poller.entry);
	KUNIT_EXPECT_EQ(test, poller.seen, EXIT);
}

/* A unit that CPUs share. */
static void cpu_test_ends_uncore(struct kunit *test)
{
	fake_pmu_undo(test, cpu_test_restore_pmu, NULL);
	fake.pmu.task_ctx_nr = perf_invalid_context;
	cpu_test_expect_end(test);
}

/* A trace unit. */
static void cpu_test_ends_trace(struct kunit *test)
{
	fake_pmu_trace(test, &fake);
	cpu_test_expect_end(test);
}

static void cpu_test_unregister(void *unit)
{
	fake_pmu_unregister(unit);
}

/* A trace unit's event in a group of another PMU: all of the group ends. */
static void cpu_test_ends_group(struct kunit *test)
{
	static struct fake_pmu unit;
	struct fake_pmu_spec spec = { .cpu = cpu_test_cpu() };
	struct perf_event *leader, *trace, *alone;

	KUNIT_ASSERT_EQ(test, fake_pmu_register(&unit, "kunit_cpu_unit"), 0);
	fake_pmu_undo(test, cpu_test_unregister, &unit);
	fake_pmu_reset(&unit, FAKE_PMU_COUNTERS, FOREVER_MS);
	unit.pmu.task_ctx_nr = perf_sw_context;
	fake_pmu_trace(test, &unit);
	alone = fake_pmu_open(test, &fake, &spec);
	leader = fake_pmu_open(test, &fake, &spec);
	spec.leader = leader;
	trace = fake_pmu_open(test, &unit, &spec);
	KUNIT_ASSERT_PTR_EQ(test, perf_event_pmu_ctx(trace)->pmu, &fake.pmu);
	cpu_test_bind(test);
	cpu_test_unload(test);
	KUNIT_EXPECT_EQ(test, READ_ONCE(leader->state), EXIT);
	KUNIT_EXPECT_EQ(test, READ_ONCE(trace->state), EXIT);
	KUNIT_EXPECT_EQ(test, READ_ONCE(alone->state), INACTIVE);
	cpu_test_load_again(test);
	KUNIT_EXPECT_EQ(test, READ_ONCE(alone->state), ACTIVE);
}

/* A timer that was left when the CPU went is not taken for one that runs. */
static void cpu_test_timers(struct kunit *test)
{
	int cpu = cpu_test_other_cpu(test);
	struct perf_cpu_pmu_context *cpc;

	cpu_test_bind(test);
	cpc = per_cpu_ptr(fake.pmu.cpu_pmu_context, cpu);
	fake_take_offline(test, cpu);
	hrtimer_start(&cpc->mux_timer, ms_to_ktime(FOREVER_MS),
		      HRTIMER_MODE_REL_HARD);
	cpc->mux_active = true;
	fake_bring_online(test, cpu);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&cpc->mux_timer));
	KUNIT_EXPECT_FALSE(test, cpc->mux_active);
	hrtimer_cancel(&cpc->mux_timer);
}

static void cpu_test_no_scope(void *unused)
{
	fake.pmu.scope = PERF_PMU_SCOPE_NONE;
}

/* The room's functions run on the CPU itself, as in the hotplug thread. */
static void cpu_test_leave_and_return(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	guard(cpus_read_lock)();
	perf_event_exit_cpu(cpu);
	perf_event_init_cpu(cpu);
}

/* A CPU counts for its core again when it comes back. */
static void cpu_test_joins(struct kunit *test)
{
	struct fake_pmu_spec spec = { };
	int cpu;

	fake.pmu.scope = PERF_PMU_SCOPE_CORE;
	fake_pmu_undo(test, cpu_test_no_scope, NULL);
	for_each_online_cpu(cpu) {
		spec.cpu = cpu;
		fake_pmu_close(test, fake_pmu_open(test, &fake, &spec));
	}
	spec.cpu = cpu_test_other_cpu(test);
	cpu_test_leave_and_return(test, spec.cpu);
	fake_pmu_open(test, &fake, &spec);
}

/*
 * One CPU counts for all. When it goes, its events move to another one, and
 * stay there when it returns. The first CPU takes over when any other goes.
 */
static void cpu_test_scope(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpu_test_cpu() };
	struct perf_event *event;
	int cpu, heir;

	cpu_test_other_cpu(test);
	for_each_online_cpu(cpu) {
		if (cpu != cpu_test_cpu())
			cpu_test_leave_and_return(test, cpu);
	}
	event = fake_pmu_open(test, &fake, &spec);
	fake.pmu.scope = PERF_PMU_SCOPE_SYS_WIDE;
	fake_pmu_undo(test, cpu_test_no_scope, NULL);
	cpu_test_leave_and_return(test, cpu_test_cpu());
	heir = event->cpu;
	KUNIT_ASSERT_NE(test, heir, cpu_test_cpu());
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), ACTIVE);
	KUNIT_EXPECT_EQ(test, event->oncpu, heir);
	cpu_test_leave_and_return(test, heir);
	KUNIT_EXPECT_EQ(test, event->cpu, cpu_test_cpu());
	KUNIT_EXPECT_EQ(test, event->oncpu, cpu_test_cpu());
}

#ifdef CONFIG_KALLSYMS
static struct notifier_block *cpu_test_find_reboot(void)
{
	struct notifier_block *nb;
	char name[KSYM_SYMBOL_LEN];

	guard(rwsem_read)(&reboot_notifier_list.rwsem);
	for (nb = rcu_dereference_raw(reboot_notifier_list.head); nb;
	     nb = rcu_dereference_raw(nb->next)) {
		sprint_symbol_no_offset(name, (unsigned long)nb->notifier_call);
		if (!strcmp(name, "perf_cpu_reboot"))
			return nb;
	}
	return NULL;
}

static void cpu_test_load_all(void *unused)
{
	int cpu;

	for_each_online_cpu(cpu) {
		set_cpus_allowed_ptr(current, cpumask_of(cpu));
		perf_event_init_cpu(cpu);
	}
}

/* Before a reboot no CPU has active events of its own. */
static void cpu_test_reboot(struct kunit *test)
{
	struct fake_pmu_spec first = { .cpu = cpu_test_cpu() };
	struct fake_pmu_spec last = { .cpu = cpu_test_other_cpu(test) };
	struct notifier_block *nb = cpu_test_find_reboot();
	struct perf_event *events[2];

	KUNIT_ASSERT_NOT_NULL(test, nb);
	events[0] = fake_pmu_open(test, &fake, &first);
	events[1] = fake_pmu_open(test, &fake, &last);
	fake_pmu_undo(test, cpu_test_load_all, NULL);
	nb->notifier_call(nb, SYS_RESTART, NULL);
	for (int i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, READ_ONCE(events[i]->state), INACTIVE);
	kunit_release_action(test, cpu_test_load_all, NULL);
	for (int i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, READ_ONCE(events[i]->state), ACTIVE);
}
#endif

static struct kunit_case cpu_test_cases[] = {
	KUNIT_CASE(cpu_test_joins),
	KUNIT_CASE(cpu_test_time),
	KUNIT_CASE(cpu_test_task_time),
	KUNIT_CASE(cpu_test_task_leaves),
	KUNIT_CASE(cpu_test_ends_poll),
	KUNIT_CASE(cpu_test_ends_uncore),
	KUNIT_CASE(cpu_test_ends_trace),
	KUNIT_CASE(cpu_test_ends_group),
	KUNIT_CASE(cpu_test_timers),
	KUNIT_CASE(cpu_test_scope),
#ifdef CONFIG_KALLSYMS
	KUNIT_CASE(cpu_test_reboot),
#endif
	{ }
};

static struct kunit_suite cpu_test_suite = {
	.name		= "perf_cpu",
	.suite_init	= cpu_test_suite_init,
	.suite_exit	= cpu_test_suite_exit,
	.init		= cpu_test_init,
	.test_cases	= cpu_test_cases,
};

kunit_test_suite(cpu_test_suite);
