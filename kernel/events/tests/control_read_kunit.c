// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room control: which events can be read where, what is left of an
 * old period, and what else changes when an event is removed, moves to another
 * CPU, or waits for an exec.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../context.h"
#include "../control.h"
#include "../pmu.h"
#include "../software.h"
#include "fake_pmu.h"

#define FOREVER_MS	3600000

#define OFF		PERF_EVENT_STATE_OFF
#define INACTIVE	PERF_EVENT_STATE_INACTIVE
#define ACTIVE		PERF_EVENT_STATE_ACTIVE

static struct fake_pmu fake;

static int control_read_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_control_read");
}

static void control_read_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void control_read_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int control_read_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, control_read_test_check_idle, test);
}

static int control_read_test_first_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

static int control_read_test_other_cpu(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU only");
	return cpumask_last(cpu_online_mask);
}

static void control_read_test_bind(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
}

static struct perf_event *control_read_test_open(struct kunit *test, int cpu)
{
	struct fake_pmu_spec spec = { .cpu = cpu };

	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *control_read_test_open_task(struct kunit *test,
						      struct task_struct *task)
{
	struct fake_pmu_spec spec = { .cpu = -1, .task = task };

	return fake_pmu_open(test, &fake, &spec);
}

/* Reads. */

static int control_read_test_sleep(void *unused)
{
	return 0;
}

static void control_read_test_stop(void *task)
{
	kthread_stop(task);
}

/* The times are optional. An event of another task cannot be read here. */
static void control_read_test_read_local(struct kunit *test)
{
	struct perf_event *event = control_read_test_open_task(test, current);
	struct task_struct *task =
		kthread_create(control_read_test_sleep, NULL, "perf_kunit");
	u64 value, enabled = 0, running = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	fake_pmu_undo(test, control_read_test_stop, task);
	mdelay(1);
	fake_pmu_tick(&fake, 3);
	scoped_guard(preempt) {
		KUNIT_EXPECT_EQ(test, perf_event_read_local(event, &value, NULL,
							    NULL), 0);
		KUNIT_EXPECT_EQ(test, value, 3);
		KUNIT_EXPECT_EQ(test, perf_event_read_local(event, &value,
							    &enabled, NULL), 0);
		KUNIT_EXPECT_EQ(test, perf_event_read_local(event, &value, NULL,
							    &running), 0);
	}
	KUNIT_EXPECT_GT(test, enabled, 0);
	KUNIT_EXPECT_GT(test, running, 0);

	event = control_read_test_open_task(test, task);
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, perf_event_read_local(event, &value, NULL,
							    NULL), -EINVAL);
}

/* A counter that is shared within a core is not read from another core. */
static void control_read_test_read_scope(struct kunit *test)
{
	int other = control_read_test_other_cpu(test);
	struct perf_event *event = control_read_test_open(test, other);
	struct pmu core = { .scope = PERF_PMU_SCOPE_CORE };
	struct perf_control_reading reading = { .event = event };
	const struct cpumask *siblings;
	u64 value;

	siblings = perf_pmu_scope_siblings(core.scope, other);
	if (cpumask_test_cpu(control_read_test_first_cpu(), siblings))
		kunit_skip(test, "one core only");
	control_read_test_bind(test, control_read_test_first_cpu());
	event->group_caps |= PERF_EV_CAP_READ_SCOPE;
	fake.pmu.scope = core.scope;
	fake_pmu_tick(&fake, 5);
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, perf_event_read_local(event, &value, NULL,
							    NULL), -EINVAL);
	scoped_guard(mutex, &perf_event_ctx(event)->mutex)
		KUNIT_EXPECT_EQ(test, perf_control_read_call(&reading), 0);
	fake.pmu.scope = PERF_PMU_SCOPE_NONE;
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 5);
	KUNIT_EXPECT_EQ(test, reading.times.enabled, event->total_time_enabled);
	KUNIT_EXPECT_EQ(test, reading.times.running, event->total_time_running);
	KUNIT_EXPECT_GT(test, reading.times.running, 0);
}

/* Periods. */

static void (*control_read_test_pmu_start)(struct perf_event *event, int flags);
static s64 control_read_test_left;

static void control_read_test_note_start(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_RELOAD)
		control_read_test_left = local64_read(&event->hw.period_left);
	control_read_test_pmu_start(event, flags);
}

static void control_read_test_end_notes(void *unused)
{
	fake.pmu.start = control_read_test_pmu_start;
}

/* A driver that starts an active event with a new period loads a whole one. */
static void control_read_test_whole_period(struct kunit *test)
{
	struct perf_event *event;
	struct fake_pmu_spec spec = {
		.cpu = control_read_test_first_cpu(), .period = 1000,
	};

	control_read_test_pmu_start = fake.pmu.start;
	fake.pmu.start = control_read_test_note_start;
	fake_pmu_undo(test, control_read_test_end_notes, NULL);
	event = fake_pmu_open(test, &fake, &spec);
	KUNIT_ASSERT_EQ(test, event->state, ACTIVE);
	control_read_test_left = -1;
	local64_set(&event->hw.period_left, 77);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 500), 0);
	KUNIT_EXPECT_EQ(test, control_read_test_left, 0);
}

/*
 * A trace that was stopped because its buffer goes away is not started. Drivers
 * that do not trace may call a counting event stopped.
 */
static void control_read_test_stays_stopped(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = control_read_test_first_cpu(), .period = 1000,
	};
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);
	int starts = fake_pmu_calls(&fake, FAKE_START);

	KUNIT_EXPECT_EQ(test, perf_event_period(event, 600), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_START), starts + 1);
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 700), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_START), starts + 2);
	fake_pmu_trace(test, &fake);
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 500), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_START), starts + 2);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 500);
}

/* A new period ends the throttling of the whole group, and reports it. */
static void control_read_test_period_unthrottles(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = control_read_test_first_cpu(), .period = 1000,
	};
	struct perf_event *leader = fake_pmu_open(test, &fake, &spec);
	struct perf_event *sibling;

	spec.leader = leader;
	sibling = fake_pmu_open(test, &fake, &spec);
	leader->throttle_reported = true;
	KUNIT_EXPECT_EQ(test, perf_event_period(sibling, 500), 0);
	KUNIT_EXPECT_FALSE(test, leader->throttle_reported);
}

/* What has passed of old periods, of copies as well, does not count. */
static void control_read_test_new_period(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = control_read_test_first_cpu(), .period = 1000 };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);

	event->child_period = 900;
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, event->child_period, 900);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 500), 0);
	KUNIT_EXPECT_EQ(test, event->child_period, 0);
}

/* Installation. */

/* The PMU's data of a CPU names the PMU context of the task that runs there. */
static void control_read_test_task_epc(struct kunit *test)
{
	int cpu = control_read_test_first_cpu();
	struct perf_event_attr dummy = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(dummy),
		.config	= PERF_COUNT_SW_DUMMY,
	};
	struct perf_cpu_pmu_context *cpc;
	struct perf_event *event;

	control_read_test_bind(test, cpu);
	cpc = per_cpu_ptr(fake.pmu.cpu_pmu_context, cpu);
	control_read_test_open(test, cpu);
	/* The task's context is loaded, and knows other PMUs only. */
	fake_open_counter(test, &dummy, -1, current);
	KUNIT_EXPECT_NULL(test, cpc->task_epc);
	event = control_read_test_open_task(test, current);
	KUNIT_EXPECT_PTR_EQ(test, cpc->task_epc, perf_event_pmu_ctx(event));
}

/* Removal. */

/* A task's context is unloaded with its last event, and not before. */
static void control_read_test_last_event(struct kunit *test)
{
	struct perf_event *events[2];
	struct perf_ctx *ctx;

	control_read_test_bind(test, control_read_test_first_cpu());
	for (int i = 0; i < 2; i++)
		events[i] = control_read_test_open_task(test, current);
	ctx = perf_event_ctx(events[0]);
	perf_ctx_get(ctx);
	fake_pmu_close(test, events[0]);
	KUNIT_EXPECT_EQ(test, READ_ONCE(ctx->loaded_cpu),
			control_read_test_first_cpu());
	KUNIT_EXPECT_EQ(test, READ_ONCE(events[1]->state), ACTIVE);
	fake_pmu_close(test, events[1]);
	KUNIT_EXPECT_EQ(test, READ_ONCE(ctx->loaded_cpu), PERF_CPU_NONE);
	perf_ctx_put(ctx);
}

/* A leader that is removed but stays the leader takes its group off the PMU. */
static void control_read_test_removed_leader(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = control_read_test_first_cpu() };
	struct perf_event *leader = fake_pmu_open(test, &fake, &spec);
	struct perf_event *sibling;

	spec.leader = leader;
	sibling = fake_pmu_open(test, &fake, &spec);
	KUNIT_ASSERT_EQ(test, READ_ONCE(sibling->state), ACTIVE);
	scoped_guard(mutex, &perf_event_ctx(leader)->mutex)
		perf_control_remove(leader, PERF_EVENT_STATE_EXIT, 0);
	KUNIT_EXPECT_EQ(test, READ_ONCE(leader->state), PERF_EVENT_STATE_EXIT);
	KUNIT_EXPECT_EQ(test, READ_ONCE(sibling->state), INACTIVE);
	/* It has no PMU context, and its group can still be read. */
	KUNIT_EXPECT_NULL(test, leader->pmu_ctx);
	KUNIT_EXPECT_EQ(test, perf_control_read_group(leader), 0);
}

/* Exec. */

static void control_read_test_exec(void)
{
	struct perf_ctx *ctx = perf_ctx_find_task(current);

	perf_control_exec(ctx);
	perf_ctx_put(ctx);
}

/* Return: how often an exec schedules @event in, without a task switch. */
static unsigned int control_read_test_exec_turns(const struct perf_event *event)
{
	unsigned long switches;
	unsigned int before;

	do {
		switches = current->nvcsw + current->nivcsw;
		before = fake_pmu_turns(event);
		control_read_test_exec();
	} while (current->nvcsw + current->nivcsw != switches);
	return fake_pmu_turns(event) - before;
}

/* Groups are chosen anew only if an event has waited. */
static void control_read_test_waits_for_exec(struct kunit *test)
{
	struct perf_event *event = control_read_test_open_task(test, current);
	struct perf_event *waits = control_read_test_open_task(test, current);

	perf_event_disable(waits);
	KUNIT_EXPECT_EQ(test, control_read_test_exec_turns(event), 0);
	KUNIT_EXPECT_EQ(test, READ_ONCE(waits->state), OFF);
	waits->attr.enable_on_exec = 1;
	control_read_test_exec();
	KUNIT_EXPECT_EQ(test, READ_ONCE(waits->state), ACTIVE);
	KUNIT_EXPECT_FALSE(test, waits->attr.enable_on_exec);
	KUNIT_EXPECT_EQ(test, control_read_test_exec_turns(event), 0);
}

/* A pinned event that did not fit tries again. */
static void control_read_test_error_waits_for_exec(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .pinned = true,
	};
	struct perf_event *first, *second;

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	first = fake_pmu_open(test, &fake, &spec);
	second = fake_pmu_open(test, &fake, &spec);
	KUNIT_ASSERT_EQ(test, READ_ONCE(second->state),
			PERF_EVENT_STATE_ERROR);
	perf_event_disable(first);
	second->attr.enable_on_exec = 1;
	control_read_test_exec();
	KUNIT_EXPECT_EQ(test, READ_ONCE(second->state), ACTIVE);
	KUNIT_EXPECT_EQ(test, READ_ONCE(first->state), OFF);
}

/* Migration. */

/* An event that gets a record when a task of its CPU changes its name. */
static struct perf_event *control_read_test_open_comm(struct kunit *test,
						      int cpu)
{
	struct perf_event_attr attr = {
		.type	= fake.pmu.type,
		.size	= sizeof(attr),
		.comm	= 1,
	};

	return fake_open_counter(test, &attr, cpu, NULL);
}

static bool control_read_test_is_beside(const struct perf_event *event,
					const struct perf_event *other)
{
	const struct list_head *at;

	list_for_each(at, &event->sb_list) {
		if (at == &other->sb_list)
			return true;
	}
	return false;
}

/* An event that moves gets the records of its new CPU. */
static void control_read_test_moves(struct kunit *test)
{
	int from = control_read_test_first_cpu(),
	    to = control_read_test_other_cpu(test);
	struct perf_event *moves = control_read_test_open_comm(test, from);
	struct perf_event *native = control_read_test_open_comm(test, to);

	KUNIT_EXPECT_FALSE(test, control_read_test_is_beside(native, moves));
	perf_pmu_migrate_context(&fake.pmu, from, to);
	KUNIT_EXPECT_TRUE(test, control_read_test_is_beside(native, moves));
	perf_pmu_migrate_context(&fake.pmu, to, from);
	KUNIT_EXPECT_TRUE(test, control_read_test_is_beside(native, moves));
}

static void (*control_read_test_fake_del)(struct perf_event *event, int flags);
static int control_read_test_fewest_refs;

static void control_read_test_del(struct perf_event *event, int flags)
{
	int refs = atomic_read(&perf_event_pmu_ctx(event)->refcount);

	control_read_test_fewest_refs = min(control_read_test_fewest_refs, refs);
	control_read_test_fake_del(event, flags);
}

static void control_read_test_restore_del(void *unused)
{
	fake.pmu.del = control_read_test_fake_del;
}

/* Between two CPUs, an event holds its PMU context, whose PMU may be leaving. */
static void control_read_test_migrate_holds(struct kunit *test)
{
	int from = control_read_test_first_cpu(),
	    to = control_read_test_other_cpu(test);

	for (int i = 0; i < 3; i++)
		control_read_test_open_comm(test, from);
	control_read_test_fake_del = fake.pmu.del;
	fake.pmu.del = control_read_test_del;
	fake_pmu_undo(test, control_read_test_restore_del, NULL);
	control_read_test_fewest_refs = INT_MAX;
	perf_pmu_migrate_context(&fake.pmu, from, to);
	KUNIT_EXPECT_EQ(test, control_read_test_fewest_refs, 3);
}

/* The first event of a thread that runs on another CPU, and goes on there. */

static bool control_read_test_began;

static int control_read_test_run(void *unused)
{
	WRITE_ONCE(control_read_test_began, true);
	while (!kthread_should_stop())
		cpu_relax();
	return 0;
}

static void control_read_test_running_task(struct kunit *test)
{
	int other = control_read_test_other_cpu(test);
	unsigned long switches;
	struct task_struct *task;
	struct perf_event *event;
	bool loaded = false;

	control_read_test_bind(test, control_read_test_first_cpu());
	WRITE_ONCE(control_read_test_began, false);
	task = kthread_create(control_read_test_run, NULL, "perf_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, other);
	fake_pmu_undo(test, control_read_test_stop, task);
	wake_up_process(task);
	while (!READ_ONCE(control_read_test_began))
		fsleep(100);
	/* A switch in would have loaded the context as well. */
	for (int i = 0; i < 10 && !loaded; i++) {
		switches = READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
		event = control_read_test_open_task(test, task);
		loaded = READ_ONCE(perf_event_ctx(event)->loaded_cpu) == other;
		if (switches == READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw))
			break;
		fake_pmu_close(test, event);
	}
	KUNIT_EXPECT_TRUE(test, loaded);
}

static struct kunit_case control_read_test_cases[] = {
	KUNIT_CASE(control_read_test_read_local),
	KUNIT_CASE(control_read_test_read_scope),
	KUNIT_CASE(control_read_test_whole_period),
	KUNIT_CASE(control_read_test_stays_stopped),
	KUNIT_CASE(control_read_test_period_unthrottles),
	KUNIT_CASE(control_read_test_new_period),
	KUNIT_CASE(control_read_test_task_epc),
	KUNIT_CASE(control_read_test_last_event),
	KUNIT_CASE(control_read_test_removed_leader),
	KUNIT_CASE(control_read_test_waits_for_exec),
	KUNIT_CASE(control_read_test_error_waits_for_exec),
	KUNIT_CASE(control_read_test_moves),
	KUNIT_CASE(control_read_test_migrate_holds),
	KUNIT_CASE(control_read_test_running_task),
	{ }
};

static struct kunit_suite control_read_test_suite = {
	.name		= "perf_control_read",
	.suite_init	= control_read_test_suite_init,
	.suite_exit	= control_read_test_suite_exit,
	.init		= control_read_test_init,
	.test_cases	= control_read_test_cases,
};

kunit_test_suite(control_read_test_suite);
