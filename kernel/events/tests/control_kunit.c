// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms control, remote and cpu: operations on an event whose
 * context is loaded on some CPU, or on none.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../batch.h"
#include "../context.h"
#include "../control.h"
#include "../remote.h"
#include "../walk.h"
#include "fake_pmu.h"

#define FOREVER_MS	3600000
#define LONG_NS		(5ULL * NSEC_PER_SEC)
#define NR_STORM	12
#define NR_STEPS	2000

#define EXIT		PERF_EVENT_STATE_EXIT
#define OFF		PERF_EVENT_STATE_OFF
#define INACTIVE	PERF_EVENT_STATE_INACTIVE
#define ACTIVE		PERF_EVENT_STATE_ACTIVE
#define ERROR		PERF_EVENT_STATE_ERROR

static struct fake_pmu fake;

static int control_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_control");
}

static void control_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void control_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int control_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, control_test_check_idle, test);
}

/* CPU 0 and another one; cases that need two CPUs are skipped without it. */
static int control_test_first_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

static int control_test_other_cpu(struct kunit *test)
{
	int cpu = cpumask_next(control_test_first_cpu(), cpu_online_mask);

	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "one CPU only");
	return cpu;
}

static struct perf_event *control_test_open(struct kunit *test, int cpu)
{
	struct fake_pmu_spec spec = { .cpu = cpu };

	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *control_test_open_task(struct kunit *test,
						 struct task_struct *task)
{
	struct fake_pmu_spec spec = { .cpu = -1, .task = task };

	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *control_test_open_sibling(struct kunit *test,
						    struct perf_event *leader)
{
	struct fake_pmu_spec spec = { .leader = leader };

	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *control_test_open_sampling(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = control_test_first_cpu(), .period = 1000 };

	return fake_pmu_open(test, &fake, &spec);
}

static int control_test_state(const struct perf_event *event)
{
	return READ_ONCE(event->state);
}

static u64 control_test_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static u64 control_test_enabled(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	return enabled;
}

static void control_test_bind(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
}

/* Enable, disable, read. */

static void control_test_counts_while_enabled(struct kunit *test, int cpu)
{
	struct perf_event *event = control_test_open(test, cpu);
	u64 enabled, begin;

	fake_pmu_tick(&fake, 10);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 10);
	begin = control_test_enabled(event);
	mdelay(2);
	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, control_test_state(event), OFF);
	enabled = control_test_enabled(event);
	KUNIT_EXPECT_GE(test, enabled, begin + NSEC_PER_MSEC);
	fake_pmu_tick(&fake, 100);
	fsleep(1000);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 10);
	KUNIT_EXPECT_EQ(test, control_test_enabled(event), enabled);

	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, control_test_state(event), ACTIVE);
	fake_pmu_tick(&fake, 5);
	fsleep(1000);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 15);
	KUNIT_EXPECT_GT(test, control_test_enabled(event), enabled);
}

static void control_test_here(struct kunit *test)
{
	control_test_bind(test, control_test_first_cpu());
	control_test_counts_while_enabled(test, control_test_first_cpu());
}

static void control_test_elsewhere(struct kunit *test)
{
	int other = control_test_other_cpu(test);

	control_test_bind(test, control_test_first_cpu());
	control_test_counts_while_enabled(test, other);
}

static void control_test_current(struct kunit *test)
{
	struct perf_event *event = control_test_open_task(test, current);

	fake_pmu_tick(&fake, 10);
	perf_event_disable(event);
	fake_pmu_tick(&fake, 100);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, control_test_state(event), ACTIVE);
	fake_pmu_tick(&fake, 5);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 15);
	fsleep(1000);
	KUNIT_EXPECT_EQ(test, control_test_state(event), ACTIVE);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 15);
}

static void control_test_twice(struct kunit *test)
{
	struct perf_event *event =
		control_test_open(test, control_test_first_cpu());

	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, fake_pmu_turns(event), 1);
	perf_event_disable(event);
	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_DEL), 1);
	perf_event_pmu_ctx(event)->chosen = true;
	perf_event_enable(event);
	KUNIT_EXPECT_FALSE(test, perf_event_pmu_ctx(event)->chosen);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, fake_pmu_turns(event), 2);
}

static void control_test_opened_disabled(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = control_test_first_cpu(), .disabled = true };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);

	fsleep(1000);
	KUNIT_EXPECT_EQ(test, control_test_state(event), OFF);
	KUNIT_EXPECT_EQ(test, control_test_enabled(event), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), 0);
}

static void control_test_refused(struct kunit *test)
{
	struct fake_pmu_spec spec = { .counters = BIT(FAKE_PMU_COUNTERS) };

	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_pmu_try_open(&fake, &spec)), -EINVAL);
	spec.counters = 0;
	spec.cpu = nr_cpu_ids;
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_pmu_try_open(&fake, &spec)), -EINVAL);
	spec.cpu = -1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_pmu_try_open(&fake, &spec)), -EINVAL);
}

static void control_test_pause(struct kunit *test)
{
	struct perf_event *event =
		control_test_open(test, control_test_first_cpu());

	fake_pmu_tick(&fake, 8);
	KUNIT_EXPECT_EQ(test, perf_event_pause(event, false), 8);
	KUNIT_EXPECT_EQ(test, control_test_state(event), OFF);
	fake_pmu_tick(&fake, 8);
	KUNIT_EXPECT_EQ(test, perf_event_pause(event, true), 8);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 0);
}

static void control_test_reset(struct kunit *test)
{
	struct perf_event *event =
		control_test_open(test, control_test_first_cpu());
	struct perf_ctx *ctx;
	u64 enabled = control_test_enabled(event);

	fake_pmu_tick(&fake, 8);
	ctx = perf_event_ctx_lock(event);
	perf_batch_event(event, PERF_BATCH_RESET);
	perf_event_ctx_unlock(event, ctx);
	KUNIT_EXPECT_EQ(test, control_test_state(event), ACTIVE);
	fake_pmu_tick(&fake, 2);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 2);
	KUNIT_EXPECT_GT(test, control_test_enabled(event), enabled);
}

static int control_test_read_local(struct perf_event *event, u64 *value)
{
	u64 enabled, running;

	guard(preempt)();
	return perf_event_read_local(event, value, &enabled, &running);
}

static void control_test_local_cpu(struct kunit *test)
{
	struct fake_pmu_spec late = { .cpu = control_test_first_cpu(), .pinned = true,
				      .disabled = true };
	struct perf_event *event =
		control_test_open(test, control_test_first_cpu());
	u64 value;

	control_test_bind(test, control_test_first_cpu());
	fake_pmu_tick(&fake, 4);
	KUNIT_EXPECT_EQ(test, control_test_read_local(event, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 4);
	perf_event_disable(event);
	fake_pmu_tick(&fake, 4);
	KUNIT_EXPECT_EQ(test, control_test_read_local(event, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 4);

	event = fake_pmu_open(test, &fake, &late);
	KUNIT_EXPECT_EQ(test, control_test_read_local(event, &value), -EBUSY);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, control_test_read_local(event, &value), 0);
}

static void control_test_local_other_cpu(struct kunit *test)
{
	int other = control_test_other_cpu(test);
	struct perf_event *event;
	u64 value;

	control_test_bind(test, control_test_first_cpu());
	event = control_test_open(test, other);
	KUNIT_EXPECT_EQ(test, control_test_read_local(event, &value), -EINVAL);
}

static void control_test_local_task(struct kunit *test)
{
	struct perf_event *event = control_test_open_task(test, current);
	u64 value;

	fake_pmu_tick(&fake, 4);
	KUNIT_EXPECT_EQ(test, control_test_read_local(event, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 4);
}

/* Groups. */

static void control_test_leader_off(struct kunit *test)
{
	struct perf_event *leader =
		control_test_open(test, control_test_first_cpu());
	struct perf_event *sibling = control_test_open_sibling(test, leader);
	u64 enabled;

	perf_event_disable(leader);
	KUNIT_EXPECT_EQ(test, control_test_state(leader), OFF);
	KUNIT_EXPECT_EQ(test, control_test_state(sibling), INACTIVE);
	/* A sibling is enabled as long as its leader is. */
	enabled = control_test_enabled(sibling);
	fsleep(1000);
	KUNIT_EXPECT_EQ(test, control_test_enabled(sibling), enabled);
	perf_event_enable(leader);
	KUNIT_EXPECT_EQ(test, control_test_state(leader), ACTIVE);
	KUNIT_EXPECT_EQ(test, control_test_state(sibling), ACTIVE);
}

static void control_test_sibling_off(struct kunit *test)
{
	struct perf_event *leader =
		control_test_open(test, control_test_first_cpu());
	struct perf_event *sibling = control_test_open_sibling(test, leader);

	perf_event_disable(sibling);
	fake_pmu_tick(&fake, 3);
	KUNIT_EXPECT_EQ(test, control_test_state(leader), ACTIVE);
	KUNIT_EXPECT_EQ(test, control_test_state(sibling), OFF);
	KUNIT_EXPECT_EQ(test, control_test_read(leader), 3);
	KUNIT_EXPECT_EQ(test, control_test_read(sibling), 0);
	perf_event_enable(sibling);
	fake_pmu_tick(&fake, 3);
	KUNIT_EXPECT_EQ(test, control_test_read(leader), 6);
	KUNIT_EXPECT_EQ(test, control_test_read(sibling), 3);
}

/* A leader is closed: its siblings stay where they are, and go on counting. */
static void control_test_leader_closed(struct kunit *test)
{
	struct perf_event *leader =
		control_test_open(test, control_test_first_cpu());
	struct perf_event *siblings[2];

	for (int i = 0; i < 2; i++)
		siblings[i] = control_test_open_sibling(test, leader);
	perf_event_disable(siblings[1]);
	fake_pmu_close(test, leader);
	fake_pmu_tick(&fake, 6);
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_PTR_EQ(test, siblings[i]->group_leader,
				    siblings[i]);
		KUNIT_EXPECT_EQ(test, control_test_read(siblings[i]),
				i ? 0 : 6);
	}
	perf_event_enable(siblings[1]);
	fake_pmu_tick(&fake, 6);
	KUNIT_EXPECT_EQ(test, control_test_read(siblings[0]), 12);
	KUNIT_EXPECT_EQ(test, control_test_read(siblings[1]), 6);
}

static void control_test_group_read(struct kunit *test)
{
	struct perf_event *leader =
		control_test_open(test, control_test_first_cpu());
	struct perf_event *sibling = control_test_open_sibling(test, leader);
	struct perf_ctx *ctx;
	int commits;

	commits = fake_pmu_calls(&fake, FAKE_COMMIT);
	fake_pmu_tick(&fake, 6);
	ctx = perf_event_ctx_lock(leader);
	KUNIT_EXPECT_EQ(test, perf_control_read_group(leader), 0);
	perf_event_ctx_unlock(leader, ctx);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_COMMIT), commits + 1);
	KUNIT_EXPECT_EQ(test, local64_read(&leader->count), 6);
	KUNIT_EXPECT_EQ(test, local64_read(&sibling->count), 6);
}

/* Periods. */

static void control_test_period(struct kunit *test)
{
	struct perf_event *event = control_test_open_sampling(test);
	int starts = fake_pmu_calls(&fake, FAKE_START);

	KUNIT_EXPECT_EQ(test, perf_event_period(event, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, BIT_ULL(63)), -EINVAL);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 1000);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_START), starts);

	KUNIT_EXPECT_EQ(test, perf_event_period(event, 500), 0);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 500);
	KUNIT_EXPECT_EQ(test, event->attr.sample_period, 500);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_START), starts + 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), 1);

	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, BIT_ULL(62)), 0);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, BIT_ULL(62));
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.period_left), 0);
}

static void control_test_period_of_counting(struct kunit *test)
{
	struct perf_event *event =
		control_test_open(test, control_test_first_cpu());

	KUNIT_EXPECT_EQ(test, perf_event_period(event, 500), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_event_refresh(event, 1), -EINVAL);
}

static void control_test_refresh(struct kunit *test)
{
	struct perf_event *event = control_test_open_sampling(test);

	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, perf_event_refresh(event, 3), 0);
	KUNIT_EXPECT_EQ(test, control_test_state(event), ACTIVE);
	KUNIT_EXPECT_EQ(test, atomic_read(&event->event_limit), 3);
	KUNIT_EXPECT_EQ(test, perf_event_refresh(event, 2), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&event->event_limit), 5);
}

/* What an overflow does to an event that has reached its limit. */
static void control_test_disable_local(void *event)
{
	perf_event_disable_local(event);
}

static void control_test_disabled_by_overflow(struct kunit *test)
{
	struct perf_event *event =
		control_test_open(test, control_test_first_cpu());
	int other = cpumask_next(control_test_first_cpu(), cpu_online_mask);

	/* On a CPU where the event is not active, nothing happens. */
	if (other < nr_cpu_ids)
		smp_call_function_single(other, control_test_disable_local,
					 event, 1);
	KUNIT_EXPECT_EQ(test, control_test_state(event), ACTIVE);
	smp_call_function_single(control_test_first_cpu(),
				 control_test_disable_local, event, 1);
	KUNIT_EXPECT_EQ(test, control_test_state(event), OFF);
}

/* Remote calls. */

static int control_test_remote_fn(struct perf_ctx *ctx,
				  struct perf_cpu_context *cpuctx, void *arg)
{
	int *cpu = arg;

	*cpu = cpuctx ? smp_processor_id() : PERF_CPU_NONE;
	lockdep_assert_held(&ctx->lock);
	return irqs_disabled() ? 42 : 0;
}

static void control_test_remote(struct kunit *test)
{
	struct perf_event *event = control_test_open_task(test, current);
	int cpu, where;

	for_each_online_cpu(cpu) {
		struct perf_ctx *ctx;

		ctx = &per_cpu(perf_cpu_context, cpu).ctx;
		KUNIT_EXPECT_EQ(test,
				perf_ctx_call(ctx, control_test_remote_fn, &where),
				42);
		KUNIT_EXPECT_EQ(test, where, cpu);
	}
	control_test_bind(test, control_test_first_cpu());
	KUNIT_EXPECT_EQ(test,
			perf_ctx_call(perf_event_ctx(event),
				      control_test_remote_fn, &where),
			42);
	KUNIT_EXPECT_EQ(test, where, control_test_first_cpu());
}

/* A thread that keeps another CPU busy, and the work that is sent there. */
struct control_test_busy {
	struct completion	begun;
	struct completion	sending;
	bool			leave;
	bool			walks;
	/* How often the work ran, on which CPU, and whether during a walk. */
	int			ran;
	int			cpu;
	bool			in_walk;
};

static struct control_test_busy control_test_busy;

/* Spins until it is told to leave, but not for ever. */
static void control_test_spin(void)
{
	u64 end = ktime_get_ns() + LONG_NS;

	while (!READ_ONCE(control_test_busy.leave) && ktime_get_ns() < end)
		cpu_relax();
}

static void control_test_note(void)
{
	control_test_busy.cpu = smp_processor_id();
	control_test_busy.in_walk = READ_ONCE(control_test_busy.walks);
	WRITE_ONCE(control_test_busy.ran, control_test_busy.ran + 1);
	WRITE_ONCE(control_test_busy.leave, true);
}

static int control_test_note_ctx(struct perf_ctx *ctx,
				 struct perf_cpu_context *cpuctx, void *unused)
{
	control_test_note();
	return 42;
}

static int control_test_note_cpu(void *unused)
{
	control_test_note();
	return 42;
}

static int control_test_forget_recursion(void *unused)
{
	preempt_disable();
	current->perf_recursion[0] = 1;
	complete(&control_test_busy.begun);
	control_test_spin();
	current->perf_recursion[0] = 0;
	preempt_enable();
	return 0;
}

/* A walk with a nested one, whose end is not the one that work waits for. */
static int control_test_walk(void *unused)
{
	preempt_disable();
	perf_walk_begin();
	WRITE_ONCE(control_test_busy.walks, true);
	complete(&control_test_busy.begun);
	control_test_spin();
	perf_walk_begin();
	perf_walk_end();
	WRITE_ONCE(control_test_busy.walks, false);
	perf_walk_end();
	preempt_enable();
	return 0;
}

static struct task_struct *control_test_start_busy(struct kunit *test, int cpu,
						   int (*body)(void *unused))
{
	struct task_struct *task;

	memset(&control_test_busy, 0, sizeof(control_test_busy));
	init_completion(&control_test_busy.begun);
	init_completion(&control_test_busy.sending);
	task = kthread_create_on_cpu(body, NULL, cpu, "perf_kunit/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&control_test_busy.begun);
	return task;
}

static void control_test_end_busy(struct task_struct *task)
{
	kthread_stop_put(task);
}

/* A call ends, even if a level of recursion was never given back there. */
static void control_test_remote_recursion(struct kunit *test)
{
	int cpu = control_test_other_cpu(test);
	struct perf_ctx *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	struct task_struct *task = control_test_start_busy(test, cpu,
							   control_test_forget_recursion);
	u64 begin = ktime_get_ns();

	KUNIT_EXPECT_EQ(test, perf_ctx_call(ctx, control_test_note_ctx, NULL),
			42);
	KUNIT_EXPECT_LT(test, ktime_get_ns() - begin, LONG_NS);
	KUNIT_EXPECT_EQ(test, control_test_busy.ran, 1);
	control_test_end_busy(task);
}

static int control_test_send_ctx(void *cpu)
{
	struct perf_ctx *ctx;

	complete(&control_test_busy.sending);
	ctx = &per_cpu(perf_cpu_context, (unsigned long)cpu).ctx;
	return perf_ctx_call(ctx, control_test_note_ctx, NULL);
}

static int control_test_send_cpu(void *cpu)
{
	complete(&control_test_busy.sending);
	return perf_cpu_call((unsigned long)cpu, control_test_note_cpu, NULL);
}

static int control_test_send_cpus(void *cpu)
{
	complete(&control_test_busy.sending);
	perf_cpus_call(cpumask_of((unsigned long)cpu), control_test_note);
	return 42;
}

/* A walk is under way on the other CPU: work waits for its end, and no longer. */
static void control_test_send_to_walk(struct kunit *test,
				      int (*send)(void *cpu))
{
	unsigned long cpu = control_test_other_cpu(test);
	struct task_struct *walker, *sender;

	walker = control_test_start_busy(test, cpu, control_test_walk);
	sender = kthread_create_on_cpu(send, (void *)cpu,
				       control_test_first_cpu(),
				       "perf_kunit/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(sender));
	get_task_struct(sender);
	wake_up_process(sender);
	wait_for_completion(&control_test_busy.sending);
	fsleep(20000);
	KUNIT_EXPECT_EQ(test, READ_ONCE(control_test_busy.ran), 0);
	WRITE_ONCE(control_test_busy.leave, true);
	KUNIT_EXPECT_EQ(test, kthread_stop_put(sender), 42);
	KUNIT_EXPECT_EQ(test, control_test_busy.ran, 1);
	KUNIT_EXPECT_EQ(test, control_test_busy.cpu, cpu);
	KUNIT_EXPECT_FALSE(test, control_test_busy.in_walk);
	control_test_end_busy(walker);
	KUNIT_EXPECT_FALSE(test, perf_walk_is_waited_for(cpu));
}

static void control_test_walk_ctx_call(struct kunit *test)
{
	control_test_send_to_walk(test, control_test_send_ctx);
}

static void control_test_walk_cpu_call(struct kunit *test)
{
	control_test_send_to_walk(test, control_test_send_cpu);
}

static void control_test_walk_cpus_call(struct kunit *test)
{
	control_test_send_to_walk(test, control_test_send_cpus);
}

/* A driver asks for a new choice in a walk: it is made when the walk ends. */
static void control_test_walk_resched(struct kunit *test)
{
	struct perf_event *event =
		control_test_open(test, control_test_first_cpu());
	int calls;

	control_test_bind(test, control_test_first_cpu());
	guard(preempt)();
	perf_walk_begin();
	calls = fake_pmu_calls(&fake, FAKE_ADD);
	perf_pmu_resched(&fake.pmu);
	perf_pmu_resched(&fake.pmu);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), calls);
	perf_walk_end();
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), calls + 1);
	KUNIT_EXPECT_EQ(test, control_test_state(event), ACTIVE);
}

/* Tasks that end. */

struct control_test_mortal {
	struct task_struct	*task;
	struct completion	born;
	struct completion	go;
	int			nr;
};

static int control_test_live_and_exit(void *arg)
{
	struct control_test_mortal *mortal = arg;

	complete(&mortal->born);
	wait_for_completion(&mortal->go);
	fake_pmu_tick(&fake, mortal->nr);
	return 0;
}

static void control_test_put_task(void *task)
{
	put_task_struct(task);
}

static struct control_test_mortal *control_test_start_mortal(struct kunit *test,
							     int nr)
{
	struct control_test_mortal *mortal =
		kunit_kzalloc(test, sizeof(*mortal), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mortal);
	init_completion(&mortal->born);
	init_completion(&mortal->go);
	mortal->nr = nr;
	mortal->task =
		kthread_run(control_test_live_and_exit, mortal, "perf_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(mortal->task));
	get_task_struct(mortal->task);
	fake_pmu_undo(test, control_test_put_task, mortal->task);
	/* A thread that is stopped before it has begun never begins. */
	wait_for_completion(&mortal->born);
	return mortal;
}

/* The thread is reported as stopped a little before it leaves perf. */
static void control_test_wait_exit(struct kunit *test, struct perf_event *event)
{
	int state;

	read_poll_timeout(control_test_state, state, state == EXIT, 1000,
			  10 * USEC_PER_SEC, false, event);
	KUNIT_ASSERT_EQ(test, state, EXIT);
}

static void control_test_end(struct kunit *test,
			     struct control_test_mortal *mortal,
			     struct perf_event *event)
{
	complete(&mortal->go);
	kthread_stop(mortal->task);
	control_test_wait_exit(test, event);
}

static void control_test_task_exits(struct kunit *test)
{
	struct control_test_mortal *mortal =
		control_test_start_mortal(test, 12);
	struct perf_event *event = control_test_open_task(test, mortal->task);
	struct perf_event *refused;
	u64 enabled;

	control_test_end(test, mortal, event);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 12);
	enabled = control_test_enabled(event);
	KUNIT_EXPECT_GT(test, enabled, 0);

	perf_event_enable(event);
	perf_event_disable(event);
	fsleep(1000);
	KUNIT_EXPECT_EQ(test, control_test_state(event), EXIT);
	KUNIT_EXPECT_EQ(test, control_test_enabled(event), enabled);

	refused = fake_pmu_try_open(&fake, &(struct fake_pmu_spec) {
						.cpu = -1,
						.task = mortal->task });
	KUNIT_EXPECT_EQ(test, PTR_ERR(refused), -ESRCH);
}

struct control_test_opener {
	struct task_struct		*target;
	struct perf_ctx			*found;
	struct completion		begun;
	struct completion		done;
};

static int control_test_look_for_ctx(void *arg)
{
	struct control_test_opener *opener = arg;

	complete(&opener->begun);
	opener->found = perf_ctx_get_task(opener->target);
	complete(&opener->done);
	return 0;
}

static bool control_test_is_asleep(struct task_struct *task)
{
	return READ_ONCE(task->__state) == TASK_UNINTERRUPTIBLE;
}

/* On @cpu; returns when the thread found no context and waits for the mutex. */
static void control_test_start_opener(struct kunit *test,
				      struct control_test_opener *opener,
				      int cpu)
{
	struct task_struct *task;
	bool asleep;

	init_completion(&opener->begun);
	init_completion(&opener->done);
	task = kthread_create(control_test_look_for_ctx, opener, "perf_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, cpu);
	wake_up_process(task);
	wait_for_completion(&opener->begun);
	read_poll_timeout(control_test_is_asleep, asleep, asleep, 1000,
			  10 * USEC_PER_SEC, false, task);
	KUNIT_EXPECT_TRUE(test, asleep);
}

/*
 * A switch gives a task another context. The old one goes to the other task,
 * before an opener that has just looked it up can take a reference.
 */
static void control_test_ctx_exchanged(struct kunit *test)
{
	struct perf_ctx *gone, *ctx;
	struct control_test_opener opener = { };
	int cpu = control_test_other_cpu(test);
	struct control_test_mortal *mortal;
	struct task_struct *target;
	bool early;

	control_test_bind(test, control_test_first_cpu());
	mortal = control_test_start_mortal(test, 0);
	target = mortal->task;
	opener.target = target;
	gone = kunit_kzalloc(test, sizeof(*gone), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, gone);
	fake_ctx_init(gone);
	refcount_set(&gone->refcount, 0);
	ctx = perf_ctx_alloc_task(target);
	KUNIT_ASSERT_NOT_NULL(test, ctx);

	scoped_guard(mutex, &target->perf_event_mutex) {
		control_test_start_opener(test, &opener, cpu);
		/* Complete, for readers under RCU. */
		smp_store_release(&target->perf_event_ctxp, &gone->pub);
	}
	early = wait_for_completion_timeout(&opener.done, 2);
	KUNIT_EXPECT_FALSE(test, early);
	/* As above. */
	smp_store_release(&target->perf_event_ctxp, &ctx->pub);
	if (!early)
		wait_for_completion(&opener.done);
	KUNIT_EXPECT_PTR_EQ(test, opener.found, ctx);
	KUNIT_EXPECT_EQ(test, refcount_read(&ctx->refcount), 2);

	WRITE_ONCE(target->perf_event_ctxp, NULL);
	if (opener.found == ctx)
		perf_ctx_put(ctx);
	perf_ctx_put(ctx);
	complete(&mortal->go);
	kthread_stop(target);
}

static void control_test_group_exits(struct kunit *test)
{
	struct control_test_mortal *mortal =
		control_test_start_mortal(test, 12);
	struct perf_event *leader = control_test_open_task(test, mortal->task);
	struct perf_event *sibling = control_test_open_sibling(test, leader);

	control_test_end(test, mortal, leader);
	control_test_wait_exit(test, sibling);
	fake_pmu_close(test, leader);
	KUNIT_EXPECT_EQ(test, control_test_read(sibling), 12);
}

/* CPUs. */

static void control_test_hotplug(struct kunit *test)
{
	int cpu = control_test_other_cpu(test);
	struct perf_event *event = control_test_open(test, cpu), *refused;
	struct fake_pmu_spec spec = { .cpu = cpu };
	u64 enabled;

	control_test_bind(test, control_test_first_cpu());
	fake_pmu_tick(&fake, 6);
	fake_take_offline(test, cpu);
	KUNIT_EXPECT_EQ(test, control_test_state(event), INACTIVE);
	enabled = control_test_enabled(event);
	fake_pmu_tick(&fake, 60);
	fsleep(1000);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 6);
	KUNIT_EXPECT_EQ(test, control_test_enabled(event), enabled);
	refused = fake_pmu_try_open(&fake, &spec);
	KUNIT_EXPECT_EQ(test, PTR_ERR(refused), -ENODEV);

	/* Changes to the event while the CPU is offline take effect later. */
	perf_event_disable(event);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, control_test_state(event), INACTIVE);

	fake_bring_online(test, cpu);
	KUNIT_EXPECT_EQ(test, control_test_state(event), ACTIVE);
	fake_pmu_tick(&fake, 6);
	KUNIT_EXPECT_EQ(test, control_test_read(event), 12);
	KUNIT_EXPECT_GT(test, control_test_enabled(event), enabled);
}

static void control_test_close_while_offline(struct kunit *test)
{
	int cpu = control_test_other_cpu(test);
	struct perf_event *leader = control_test_open(test, cpu);
	struct perf_event *sibling = control_test_open_sibling(test, leader);

	fake_take_offline(test, cpu);
	fake_pmu_close(test, leader);
	KUNIT_EXPECT_EQ(test, control_test_state(sibling), INACTIVE);
	fake_bring_online(test, cpu);
	KUNIT_EXPECT_EQ(test, control_test_state(sibling), ACTIVE);
}

/*
 * The CPU's own context is unloaded while tasks still run there. A task's
 * pinned group that finds no room at first causes a new choice, which leaves
 * out the CPU's events.
 */
static void control_test_choose_while_offline(struct kunit *test)
{
	int cpu = control_test_first_cpu();
	struct fake_pmu_spec spec = { .cpu = cpu, .pinned = true };
	struct perf_event *own, *flexible, *task;

	control_test_bind(test, cpu);
	fake_pmu_reset(&fake, 1, FOREVER_MS);
	own = fake_pmu_open(test, &fake, &spec);
	flexible = control_test_open(test, cpu);
	spec = (struct fake_pmu_spec){ .cpu = -1, .task = current,
				       .pinned = true };
	task = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_EQ(test, control_test_state(own), ACTIVE);
	KUNIT_EXPECT_EQ(test, control_test_state(task), ERROR);

	/* The mutex of a task's context is not taken inside of this lock. */
	scoped_guard(cpus_read_lock)
		perf_event_exit_cpu(cpu);
	/* The task's switch in notices what is loaded. */
	fake_pmu_switch_out();
	fake.nr_counters = FAKE_PMU_COUNTERS;
	atomic_set(&fake.refuse_commits, 1);
	perf_event_enable(task);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake.refuse_commits), 0);
	KUNIT_EXPECT_EQ(test, control_test_state(task), ACTIVE);
	KUNIT_EXPECT_EQ(test, control_test_state(own), INACTIVE);
	KUNIT_EXPECT_EQ(test, control_test_state(flexible), INACTIVE);
	scoped_guard(irqsave)
		perf_pmu_resched(&fake.pmu);
	KUNIT_EXPECT_EQ(test, control_test_state(task), ACTIVE);
	KUNIT_EXPECT_EQ(test, control_test_state(own), INACTIVE);
	KUNIT_EXPECT_EQ(test, control_test_state(flexible), INACTIVE);
	scoped_guard(cpus_read_lock)
		perf_event_init_cpu(cpu);
	KUNIT_EXPECT_EQ(test, control_test_state(own), ACTIVE);
	KUNIT_EXPECT_EQ(test, control_test_state(flexible), ACTIVE);
}

/* A storm: random operations, while a thread moves and others look on. */

struct control_test_storm {
	struct perf_event	*events[NR_STORM];
	struct task_struct	*runner;
};

static int control_test_run(void *unused)
{
	while (!kthread_should_stop()) {
		fake_pmu_tick(&fake, 1);
		if (atomic64_read(&fake.ticks) % 64)
			cpu_relax();
		else
			fsleep(20);
	}
	return 0;
}

static void control_test_stop_runner(void *task)
{
	kthread_stop(task);
}

static struct task_struct *control_test_start_runner(struct kunit *test)
{
	struct task_struct *task =
		kthread_run(control_test_run, NULL, "perf_kunit");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	fake_pmu_undo(test, control_test_stop_runner, task);
	return task;
}

static void control_test_storm_open(struct control_test_storm *storm, int nr,
				    struct rnd_state *rnd)
{
	u32 dice = prandom_u32_state(rnd);
	struct fake_pmu_spec spec = {
		.pinned		= dice & 1,
		.disabled	= dice & 2,
		.exclusive	= !(dice & 0x70),
	};

	if (dice & 0x100) {
		spec.task = storm->runner;
		spec.cpu = -1;
	} else {
		spec.cpu = dice & 0x200 ? cpumask_first(cpu_online_mask) :
					  cpumask_last(cpu_online_mask);
	}
	storm->events[nr] = fake_pmu_try_open(&fake, &spec);
}

static void control_test_storm_join(struct control_test_storm *storm, int nr,
				    struct rnd_state *rnd)
{
	struct fake_pmu_spec spec = { };
	struct perf_event *leader;

	leader = storm->events[prandom_u32_state(rnd) % NR_STORM];
	if (!leader || leader->group_leader != leader)
		return;
	spec.leader = leader;
	storm->events[nr] = fake_pmu_try_open(&fake, &spec);
}

static void control_test_storm_move_runner(struct control_test_storm *storm,
					   struct rnd_state *rnd)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);

	if (prandom_u32_state(rnd) & 1)
		cpu = cpumask_last(cpu_online_mask);
	set_cpus_allowed_ptr(storm->runner, cpumask_of(cpu));
}

static void control_test_storm_touch(struct control_test_storm *storm, int nr,
				     struct rnd_state *rnd)
{
	struct perf_event *event = storm->events[nr];

	switch (prandom_u32_state(rnd) % 6) {
	case 0:
	case 1:
		perf_event_enable(event);
		break;
	case 2:
		perf_event_disable(event);
		break;
	case 3:
		perf_event_pause(event, true);
		break;
	case 4:
		control_test_read(event);
		break;
	default:
		perf_event_release_kernel(event);
		storm->events[nr] = NULL;
	}
}

static void control_test_storm_step(struct control_test_storm *storm,
				    struct rnd_state *rnd)
{
	int nr = prandom_u32_state(rnd) % NR_STORM;

	if (prandom_u32_state(rnd) % 8 == 0)
		control_test_storm_move_runner(storm, rnd);
	if (storm->events[nr])
		control_test_storm_touch(storm, nr, rnd);
	else if (prandom_u32_state(rnd) & 1)
		control_test_storm_open(storm, nr, rnd);
	else
		control_test_storm_join(storm, nr, rnd);
}

static void control_test_storm_end(struct control_test_storm *storm)
{
	for (int i = 0; i < NR_STORM; i++) {
		if (storm->events[i])
			perf_event_release_kernel(storm->events[i]);
	}
}

static void control_test_storm(struct kunit *test)
{
	struct control_test_storm storm = { };
	struct rnd_state rnd;
	int failed = 0;

	fake_pmu_seed(test, &rnd);
	fake_pmu_reset(&fake, 3, 1);
	storm.runner = control_test_start_runner(test);
	for (int step = 0; step < NR_STEPS; step++) {
		control_test_storm_step(&storm, &rnd);
		for (int i = 0; i < NR_STORM; i++) {
			if (!IS_ERR(storm.events[i]))
				continue;
			storm.events[i] = NULL;
			failed++;
		}
	}
	control_test_storm_end(&storm);
	KUNIT_EXPECT_EQ(test, failed, 0);
	KUNIT_EXPECT_GT(test, fake_pmu_calls(&fake, FAKE_REFUSE), 0);
}

static struct kunit_case control_test_cases[] = {
	KUNIT_CASE(control_test_here),
	KUNIT_CASE(control_test_elsewhere),
	KUNIT_CASE(control_test_current),
	KUNIT_CASE(control_test_twice),
	KUNIT_CASE(control_test_opened_disabled),
	KUNIT_CASE(control_test_refused),
	KUNIT_CASE(control_test_pause),
	KUNIT_CASE(control_test_reset),
	KUNIT_CASE(control_test_local_cpu),
	KUNIT_CASE(control_test_local_other_cpu),
	KUNIT_CASE(control_test_local_task),
	KUNIT_CASE(control_test_leader_off),
	KUNIT_CASE(control_test_sibling_off),
	KUNIT_CASE(control_test_leader_closed),
	KUNIT_CASE(control_test_group_read),
	KUNIT_CASE(control_test_period),
	KUNIT_CASE(control_test_period_of_counting),
	KUNIT_CASE(control_test_refresh),
	KUNIT_CASE(control_test_disabled_by_overflow),
	KUNIT_CASE(control_test_remote),
	KUNIT_CASE(control_test_remote_recursion),
	KUNIT_CASE(control_test_walk_ctx_call),
	KUNIT_CASE(control_test_walk_cpu_call),
	KUNIT_CASE(control_test_walk_cpus_call),
	KUNIT_CASE(control_test_walk_resched),
	KUNIT_CASE(control_test_task_exits),
	KUNIT_CASE(control_test_ctx_exchanged),
	KUNIT_CASE(control_test_group_exits),
	KUNIT_CASE(control_test_hotplug),
	KUNIT_CASE(control_test_close_while_offline),
	KUNIT_CASE(control_test_choose_while_offline),
	KUNIT_CASE(control_test_storm),
	{ }
};

static struct kunit_suite control_test_suite = {
	.name		= "perf_control",
	.suite_init	= control_test_suite_init,
	.suite_exit	= control_test_suite_exit,
	.init		= control_test_init,
	.test_cases	= control_test_cases,
};

kunit_test_suite(control_test_suite);
