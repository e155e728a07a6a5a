// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room sched_set: which tasks are switched by pmu::load and
 * pmu::unload, that events, times and lists are then as after pmu::add and
 * pmu::del, and that every change of the events goes back to these.
 *
 * The task is current, whose context is unloaded and loaded again with
 * preemption off; or a thread that sleeps, where a change may have to wait. The
 * PMU is a fake, which checks the rules of the methods.
 */
#include <kunit/test-bug.h>
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>

#include "../context.h"
#include "../control.h"
#include "../sched.h"
#include "../sched_set.h"
#include "../throttle.h"
#include "family_tasks.h"
#include "fake_pmu.h"

#define FOREVER_MS	3600000
#define MAX_EVENTS	4
#define WAIT_NS		(200 * NSEC_PER_USEC)

#define OFF		PERF_EVENT_STATE_OFF
#define INACTIVE	PERF_EVENT_STATE_INACTIVE
#define ACTIVE		PERF_EVENT_STATE_ACTIVE

static struct fake_pmu fake;

static int set_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register_loading(&fake, "kunit_sched_set");
}

static void set_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

/* Runs after the events of the case are closed. */
static void set_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int set_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	fake_pmu_undo(test, set_test_check_idle, test);
	return 0;
}

static struct perf_event *set_test_open(struct kunit *test,
					struct fake_pmu_spec spec)
{
	if (!spec.leader && !spec.task)
		spec.task = current;
	if (!spec.leader)
		spec.cpu = -1;
	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *set_test_open_one(struct kunit *test)
{
	return set_test_open(test, (struct fake_pmu_spec) { });
}

static bool set_test_is_whole(const struct perf_event *event)
{
	return perf_event_pmu_ctx(event)->whole;
}

static const struct perf_event_set *set_test_set(const struct perf_event *event)
{
	return &perf_event_pmu_ctx(event)->set->pub;
}

/* Current's context is unloaded, @then is done, and the context is loaded. */
static void set_test_switch(void (*then)(struct perf_event *event),
			    struct perf_event *event)
{
	guard(irqsave)();
	perf_sched_ctx_out_oncpu(perf_task_ctx(current));
	if (then)
		then(event);
	perf_sched_reload_oncpu();
}

static void set_test_switches(unsigned int nr)
{
	while (nr--)
		set_test_switch(NULL, NULL);
}

/* Calls of the methods, since the last time. */
struct set_test_calls {
	int	before[FAKE_NR_CALLS];
};

static int set_test_new_calls(struct set_test_calls *calls,
			      enum fake_pmu_call call)
{
	int now = fake_pmu_calls(&fake, call);

	return now - xchg(&calls->before[call], now);
}

static void set_test_count(struct set_test_calls *calls)
{
	for (int i = 0; i < FAKE_NR_CALLS; i++)
		set_test_new_calls(calls, i);
}

/* One switch out and in, with one call each. */
static void set_test_expect_load(struct kunit *test, unsigned int nr_events)
{
	struct set_test_calls calls;

	/* Current may be preempted in between, and make further switches. */
	scoped_guard(preempt) {
		set_test_count(&calls);
		set_test_switch(NULL, NULL);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_UNLOAD), 1);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_LOAD), 1);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_ADD), 0);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_DEL), 0);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_DISABLE), 0);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_START),
				nr_events);
	}
}

/* One switch out and in, event by event in both directions. */
static void set_test_expect_each(struct kunit *test, unsigned int nr_events)
{
	struct set_test_calls calls;

	scoped_guard(preempt) {
		set_test_count(&calls);
		set_test_switch(NULL, NULL);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_UNLOAD), 0);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_LOAD), 0);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_ADD),
				nr_events);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_DEL),
				nr_events);
	}
}

/* The first switch makes the set, later ones use it. */
static void set_test_goes_by_load(struct kunit *test)
{
	struct perf_event *events[3];

	for (int i = 0; i < 3; i++)
		events[i] = set_test_open_one(test);
	scoped_guard(preempt) {
		set_test_switches(1);
		KUNIT_EXPECT_TRUE(test, set_test_is_whole(events[0]));
		KUNIT_EXPECT_EQ(test, set_test_set(events[0])->nr, 3);
	}
	for (int i = 0; i < 5; i++)
		set_test_expect_load(test, 3);
}

/* A context that is loaded anew has a new set, and no other has its number. */
static void set_test_serial(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test);
	u64 first, same, other;

	scoped_guard(preempt) {
		set_test_switches(1);
		first = set_test_set(event)->serial;
		set_test_switches(3);
		same = set_test_set(event)->serial;
	}
	set_test_open_one(test);
	scoped_guard(preempt) {
		set_test_switches(1);
		other = set_test_set(event)->serial;
		KUNIT_EXPECT_EQ(test, set_test_set(event)->driver[0], 0);
		KUNIT_EXPECT_EQ(test, set_test_set(event)->driver[1], 0);
	}
	KUNIT_EXPECT_NE(test, first, 0);
	KUNIT_EXPECT_EQ(test, first, same);
	KUNIT_EXPECT_NE(test, first, other);
}

/* Groups, pinned ones first; the lists of active groups are as before. */
static void set_test_groups(struct kunit *test)
{
	struct perf_event *flexible = set_test_open_one(test);
	struct perf_event *pinned, *sibling;
	struct perf_pmu_ctx *epc;

	sibling = set_test_open(test, (struct fake_pmu_spec) {
				.leader = flexible });
	pinned = set_test_open(test, (struct fake_pmu_spec) { .pinned = true });
	epc = perf_event_pmu_ctx(pinned);
	scoped_guard(preempt) {
		set_test_switches(1);
		KUNIT_EXPECT_PTR_EQ(test, set_test_set(pinned)->events[0], pinned);
		KUNIT_EXPECT_PTR_EQ(test, set_test_set(pinned)->events[1],
				    flexible);
		KUNIT_EXPECT_PTR_EQ(test, set_test_set(pinned)->events[2],
				    sibling);
		set_test_switches(1);
		KUNIT_EXPECT_EQ(test, list_count_nodes(&epc->pinned_active), 1);
		KUNIT_EXPECT_EQ(test, list_count_nodes(&epc->flexible_active), 1);
		KUNIT_EXPECT_PTR_EQ(test, epc->pinned_active.next,
				    &pinned->active_list);
		KUNIT_EXPECT_PTR_EQ(test, epc->flexible_active.next,
				    &flexible->active_list);
		KUNIT_EXPECT_EQ(test, sibling->oncpu, smp_processor_id());
	}
	set_test_expect_load(test, 3);
}

static int set_test_active_oncpu(void)
{
	return perf_cpc_oncpu(&fake.pmu)->active_oncpu;
}

static void set_test_expect_out(struct perf_event *event)
{
	struct kunit *test = kunit_get_current_test();
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(event);

	KUNIT_EXPECT_EQ(test, event->state, INACTIVE);
	KUNIT_EXPECT_EQ(test, event->oncpu, -1);
	KUNIT_EXPECT_TRUE(test, list_empty(&event->active_list));
	KUNIT_EXPECT_FALSE(test, perf_pmu_ctx_is_active(epc));
	KUNIT_EXPECT_EQ(test, set_test_active_oncpu(), 0);
	KUNIT_EXPECT_EQ(test, event->tstamp, perf_event_ctx(event)->time);
	fake_pmu_tick(&fake, 1000);
}

/* States, numbers and counts of a task that is out, and is in again. */
static void set_test_states(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test);
	u64 before, enabled, running, count;

	set_test_open_one(test);
	scoped_guard(preempt) {
		set_test_switches(2);
		before = local64_read(&event->count);
		fake_pmu_tick(&fake, 7);
		set_test_switch(set_test_expect_out, event);
		KUNIT_EXPECT_EQ(test, event->state, ACTIVE);
		KUNIT_EXPECT_EQ(test, set_test_active_oncpu(), 2);
		fake_pmu_tick(&fake, 5);
		set_test_switches(1);
		KUNIT_EXPECT_EQ(test, local64_read(&event->count) - before, 12);
	}
	count = perf_event_read_value(event, &enabled, &running);
	KUNIT_EXPECT_GE(test, count, 12);
	KUNIT_EXPECT_EQ(test, enabled, running);
	KUNIT_EXPECT_GT(test, running, 0);
}

static void set_test_wait(struct perf_event *event)
{
	u64 end = local_clock() + WAIT_NS;

	while (local_clock() < end)
		cpu_relax();
}

/* Time that passes while the task is out does not count. */
static void set_test_times(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test);
	u64 count, enabled, running, later, passed;

	set_test_switches(2);
	perf_event_read_value(event, &enabled, &running);
	scoped_guard(preempt) {
		passed = local_clock();
		for (int i = 0; i < 10; i++)
			set_test_switch(set_test_wait, event);
		scoped_guard(irqsave)
			perf_event_read_local(event, &count, &enabled, &later);
		passed = local_clock() - passed;
		KUNIT_EXPECT_LE(test, later - running,
				passed - 10 * WAIT_NS);
	}
	KUNIT_EXPECT_EQ(test, enabled, later);
}

/* A set that the driver refuses goes event by event, and there is a new set. */
static void set_test_refused(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test);
	struct set_test_calls calls;
	u64 serial;

	set_test_open_one(test);
	scoped_guard(preempt) {
		set_test_switches(2);
		serial = set_test_set(event)->serial;
		set_test_count(&calls);
		atomic_set(&fake.refuse_loads, 1);
		set_test_switches(1);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_REFUSE_LOAD),
				1);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_ADD), 2);
		KUNIT_EXPECT_EQ(test, event->state, ACTIVE);
		KUNIT_EXPECT_NE(test, set_test_set(event)->serial, serial);
	}
	set_test_expect_load(test, 2);
}

/* What has no set. */

static void set_test_waiting(struct kunit *test)
{
	struct perf_event *event;

	fake.nr_counters = 1;
	event = set_test_open_one(test);
	set_test_open_one(test);
	set_test_switches(2);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	set_test_expect_each(test, 1);
}

static void set_test_bound(struct kunit *test)
{
	struct fake_pmu_spec spec = { .task = current };
	struct perf_event *event = set_test_open_one(test), *bound;

	for_each_online_cpu(spec.cpu) {
		bound = fake_pmu_open(test, &fake, &spec);
		set_test_switches(2);
		KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
		fake_pmu_close(test, bound);
		set_test_switches(1);
		KUNIT_EXPECT_TRUE(test, set_test_is_whole(event));
	}
}

static void set_test_bound_pinned(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.task = current,
		.cpu = cpumask_last(cpu_online_mask),
		.pinned = true,
	};
	struct perf_event *event = set_test_open_one(test);

	fake_pmu_open(test, &fake, &spec);
	set_test_switches(2);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
}

static void set_test_exclusive(struct kunit *test)
{
	struct perf_event *event = set_test_open(test, (struct fake_pmu_spec) {
						 .exclusive = true });

	set_test_switches(2);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	set_test_expect_each(test, 1);
}

/* A software event in a group of the PMU. */
static void set_test_two_pmus(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_SW_DUMMY,
	};
	struct perf_event *event = set_test_open_one(test), *dummy;

	dummy = fake_pmu_join(&attr, event);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dummy));
	fake_pmu_undo(test, fake_pmu_release, dummy);
	set_test_switches(2);
	KUNIT_EXPECT_EQ(test, event->state, ACTIVE);
	KUNIT_EXPECT_EQ(test, dummy->state, ACTIVE);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	set_test_expect_each(test, 1);
}

/* An event of the PMU "software". */
static struct perf_event *set_test_open_dummy(struct kunit *test, u64 period)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_DUMMY,
		.sample_period	= period,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	fake_pmu_undo(test, fake_pmu_release, event);
	return event;
}

/* A set has room for each event that is opened, up to a limit. */
static void set_test_room(struct kunit *test)
{
	struct perf_event *event;

	for (int nr = 1; nr <= PERF_SET_EVENTS; nr++) {
		event = set_test_open_dummy(test, 0);
		KUNIT_ASSERT_GE(test, perf_event_pmu_ctx(event)->set_room, nr);
		set_test_switches(2);
		KUNIT_EXPECT_TRUE(test, set_test_is_whole(event));
		KUNIT_EXPECT_EQ(test, set_test_set(event)->nr, nr);
		KUNIT_EXPECT_EQ(test, event->state, ACTIVE);
	}
	event = set_test_open_dummy(test, 0);
	set_test_switches(2);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	KUNIT_EXPECT_EQ(test, event->state, ACTIVE);
}

/* A task opens events, closes them and exits. Its PMU context rests meanwhile. */
static void set_test_use_ctx(struct kunit *test)
{
	struct perf_ctx *ctx = perf_ctx_alloc_task(current);
	struct perf_pmu_ctx *epc;

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	for (int i = 0; i < MAX_EVENTS; i++) {
		epc = perf_epc_get(&fake.pmu, ctx, false);
		KUNIT_ASSERT_FALSE(test, IS_ERR(epc));
		KUNIT_ASSERT_NOT_NULL(test, epc->set);
	}
	for (int i = 0; i < MAX_EVENTS; i++)
		perf_epc_put(epc);
	KUNIT_EXPECT_FALSE(test, list_empty(&epc->pmu_ctx_entry));
	perf_ctx_put(ctx);
}

static void set_test_is_freed(struct kunit *test)
{
	fake_expect_freed(test, set_test_use_ctx,
			  struct_size_t(struct perf_sched_set, pub.events,
					MAX_EVENTS));
}

/* The context of a CPU is never switched. */
static void set_test_cpu(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpumask_first(cpu_online_mask) };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);

	KUNIT_EXPECT_NULL(test, perf_event_pmu_ctx(event)->set);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
}

/* What makes a set go event by event. */

static void set_test_set_throttled(struct perf_event *event)
{
	WRITE_ONCE(perf_cpc_oncpu(event->pmu)->throttled_tick,
		   __this_cpu_read(perf_cpu_context.tick));
}

static bool set_test_is_throttled(void)
{
	guard(irqsave)();
	return perf_throttle_is_recent(perf_cpc_oncpu(&fake.pmu));
}

/* Something was throttled on the PMU while the task was out. */
static void set_test_throttled_before_load(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test);
	struct set_test_calls calls;

	scoped_guard(preempt) {
		set_test_switches(2);
		set_test_count(&calls);
		set_test_switch(set_test_set_throttled, event);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_UNLOAD), 1);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_LOAD), 0);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_ADD), 1);
		KUNIT_EXPECT_FALSE(test, set_test_is_throttled());
	}
	set_test_expect_load(test, 1);
}

/* An event was throttled while the task ran. */
static void set_test_throttled_before_unload(struct kunit *test)
{
	struct perf_event *event = set_test_open(test, (struct fake_pmu_spec) {
						 .period = 1000 });
	struct set_test_calls calls;

	scoped_guard(preempt) {
		set_test_switches(2);
		set_test_count(&calls);
		scoped_guard(irqsave) {
			set_test_set_throttled(event);
			event->hw.interrupts = MAX_INTERRUPTS;
			set_test_switch(NULL, NULL);
		}
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_UNLOAD), 0);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_DEL), 1);
		KUNIT_EXPECT_FALSE(test, perf_event_is_throttled(event));
	}
	set_test_expect_load(test, 1);
}

static void set_test_throttle(struct perf_event *event)
{
	guard(irqsave)();
	while (!perf_throttle_account_nmi(event, true))
		;
}

static void set_test_tick(struct perf_event *unused)
{
	guard(irqsave)();
	perf_event_task_tick();
}

/* The next switch keeps the set. */
static void set_test_expect_kept(struct kunit *test,
				 const struct perf_event *event)
{
	u64 serial;

	scoped_guard(preempt) {
		serial = set_test_set(event)->serial;
		set_test_switches(1);
		KUNIT_EXPECT_TRUE(test, set_test_is_whole(event));
		KUNIT_EXPECT_EQ(test, set_test_set(event)->serial, serial);
	}
}

/* A software event is throttled until the tick, and then has a set again. */
static void set_test_throttled_software(struct kunit *test)
{
	struct perf_event *event = set_test_open_dummy(test, 1000);
	bool before, after;

	scoped_guard(irqsave) {
		set_test_switches(2);
		set_test_throttle(event);
		before = perf_event_is_throttled(event);
		set_test_tick(NULL);
		after = perf_event_is_throttled(event);
	}
	KUNIT_EXPECT_TRUE(test, before);
	KUNIT_EXPECT_FALSE(test, after);
	set_test_expect_kept(test, event);
}

/* The tick comes when the task, and so its throttled event, is out. */
static void set_test_throttled_tick_out(struct kunit *test)
{
	struct perf_event *event = set_test_open_dummy(test, 1000);
	bool throttled, whole;

	scoped_guard(irqsave) {
		set_test_switches(2);
		set_test_throttle(event);
		set_test_switch(set_test_tick, event);
		throttled = perf_event_is_throttled(event);
		whole = set_test_is_whole(event);
	}
	KUNIT_EXPECT_FALSE(test, throttled);
	KUNIT_EXPECT_TRUE(test, whole);
	set_test_expect_kept(test, event);
}

/* The tick ends the throttling on any PMU. */
static void set_test_throttled_tick(struct kunit *test)
{
	struct perf_event *event = set_test_open(test, (struct fake_pmu_spec) {
						 .period = 1000 });
	bool throttled;

	scoped_guard(irqsave) {
		set_test_switches(2);
		set_test_throttle(event);
		set_test_tick(NULL);
		throttled = perf_event_is_throttled(event);
	}
	KUNIT_EXPECT_FALSE(test, throttled);
	set_test_expect_load(test, 1);
}

static void set_test_enable_again(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx(event);
	struct perf_cpu_context *cpuctx;

	guard(irqsave)();
	cpuctx = this_cpu_ptr(&perf_cpu_context);
	perf_ctx_lock_pair(cpuctx, ctx);
	perf_control_disable_locked(event);
	if (perf_control_enable_locked(event))
		perf_control_retry_locked(cpuctx, event);
	perf_ctx_unlock_pair(cpuctx, ctx);
}

/* A lone event needs no transaction. The start of one ends a throttling. */
static void set_test_lone(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test);
	struct set_test_calls calls;

	scoped_guard(preempt) {
		set_test_count(&calls);
		set_test_enable_again(event);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_ADD), 1);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_COMMIT), 0);
		scoped_guard(irqsave) {
			set_test_set_throttled(event);
			set_test_enable_again(event);
		}
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_COMMIT), 1);
		KUNIT_EXPECT_FALSE(test, set_test_is_throttled());
		KUNIT_EXPECT_EQ(test, event->state, ACTIVE);
		/* There is no room for it any more. */
		fake.nr_counters = 0;
		set_test_enable_again(event);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_REFUSE), 1);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_CANCEL), 0);
		KUNIT_EXPECT_EQ(test, event->state, INACTIVE);
	}
}

static void set_test_throttle_late(struct perf_event_set *set)
{
	set_test_set_throttled(set->events[0]);
	WRITE_ONCE(set->events[0]->hw.interrupts, MAX_INTERRUPTS);
	fake.during_unload = NULL;
}

/* A late overflow throttles an event while it is unloaded. */
static void set_test_throttled_late(struct kunit *test)
{
	struct perf_event *event = set_test_open(test, (struct fake_pmu_spec) {
						 .period = 1000 });
	struct set_test_calls calls;

	scoped_guard(preempt) {
		set_test_switches(2);
		set_test_count(&calls);
		fake.during_unload = set_test_throttle_late;
		set_test_switches(1);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_UNLOAD), 1);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_LOAD), 0);
		KUNIT_EXPECT_EQ(test, set_test_new_calls(&calls, FAKE_ADD), 1);
		KUNIT_EXPECT_FALSE(test, perf_event_is_throttled(event));
	}
}

/* The same on one CPU, and then the task is switched in on another one. */
static void set_test_throttled_elsewhere(struct perf_event *event)
{
	perf_cpc_oncpu(event->pmu)->throttled_tick--;
}

static void set_test_throttled_moves(struct kunit *test)
{
	struct perf_event *event = set_test_open(test, (struct fake_pmu_spec) {
						 .period = 1000 });

	scoped_guard(preempt) {
		set_test_switches(2);
		fake.during_unload = set_test_throttle_late;
		set_test_switch(set_test_throttled_elsewhere, event);
		KUNIT_EXPECT_FALSE(test, perf_event_is_throttled(event));
	}
}

static void set_test_disable_late(struct perf_event_set *set)
{
	set->events[0]->pending_disable = 1;
	fake.during_unload = NULL;
}

/* A late overflow wants an event to be disabled while it is unloaded. */
static void set_test_disabled_late(struct kunit *test)
{
	struct perf_event *event = set_test_open(test, (struct fake_pmu_spec) {
						 .period = 1000 });
	struct perf_event *other = set_test_open_one(test);

	scoped_guard(preempt) {
		set_test_switches(2);
		KUNIT_EXPECT_PTR_EQ(test, set_test_set(event)->events[0], event);
		fake.during_unload = set_test_disable_late;
		set_test_switches(1);
		KUNIT_EXPECT_EQ(test, event->state, OFF);
		KUNIT_EXPECT_EQ(test, event->pending_disable, 0);
		KUNIT_EXPECT_EQ(test, other->state, ACTIVE);
	}
	set_test_expect_load(test, 1);
	perf_event_enable(event);
	set_test_switches(1);
	set_test_expect_load(test, 2);
}

/* A driver wants to know of switches. */
static void set_test_sched_task(struct perf_event_pmu_context *pmu_ctx,
				struct task_struct *task, bool sched_in)
{
}

static void set_test_wanted_switches(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test);

	fake.pmu.sched_task = set_test_sched_task;
	scoped_guard(preempt) {
		set_test_switches(2);
		scoped_guard(irqsave)
			perf_sched_cb_inc(&fake.pmu);
		set_test_expect_each(test, 1);
		scoped_guard(irqsave)
			perf_sched_cb_dec(&fake.pmu);
	}
	fake.pmu.sched_task = NULL;
	set_test_switches(1);
	set_test_expect_load(test, 1);
	KUNIT_EXPECT_EQ(test, event->state, ACTIVE);
}

/* Pinned groups of the task take the counter of a group of the CPU. */
static void set_test_evicts(struct kunit *test)
{
	struct perf_event *pinned, *theirs;
	struct fake_pmu_spec spec = { };

	fake.nr_counters = 1;
	pinned = set_test_open(test, (struct fake_pmu_spec) { .pinned = true });
	set_test_switches(2);
	migrate_disable();
	spec.cpu = smp_processor_id();
	theirs = fake_pmu_open(test, &fake, &spec);
	set_test_switches(3);
	KUNIT_EXPECT_EQ(test, pinned->state, ACTIVE);
	KUNIT_EXPECT_EQ(test, theirs->state, INACTIVE);
	fake_pmu_close(test, theirs);
	migrate_enable();
}

/* An exclusive group of the CPU keeps the task's groups away. */
static void set_test_beside_exclusive(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test), *alone;
	struct fake_pmu_spec spec = { .exclusive = true, .pinned = true };

	set_test_switches(2);
	migrate_disable();
	spec.cpu = smp_processor_id();
	alone = fake_pmu_open(test, &fake, &spec);
	set_test_switches(2);
	KUNIT_EXPECT_EQ(test, alone->state, ACTIVE);
	KUNIT_EXPECT_EQ(test, event->state, INACTIVE);
	fake_pmu_close(test, alone);
	migrate_enable();
}

static void set_test_expect_no_freq(struct perf_event *event)
{
	struct kunit *test = kunit_get_current_test();

	KUNIT_EXPECT_EQ(test, perf_event_pmu_ctx(event)->nr_freq, 0);
	KUNIT_EXPECT_EQ(test, __this_cpu_read(perf_cpu_context.nr_freq), 0);
}

/* Frequency mode is counted by CPU and by PMU context. */
static void set_test_frequency(struct kunit *test)
{
	struct perf_event *event = set_test_open(test, (struct fake_pmu_spec) {
						 .freq = 1000 });

	set_test_open_one(test);
	scoped_guard(preempt) {
		set_test_switches(2);
		KUNIT_EXPECT_TRUE(test, set_test_is_whole(event));
		set_test_switch(set_test_expect_no_freq, event);
		KUNIT_EXPECT_EQ(test, perf_event_pmu_ctx(event)->nr_freq, 1);
		KUNIT_EXPECT_EQ(test, __this_cpu_read(perf_cpu_context.nr_freq),
				1);
	}
}

/* Changes while the task runs: the next switch goes event by event. */

static void set_test_disable(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test);
	struct perf_event *other = set_test_open_one(test);

	set_test_switches(2);
	perf_event_disable(event);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	set_test_switches(1);
	KUNIT_EXPECT_EQ(test, event->state, OFF);
	KUNIT_EXPECT_EQ(test, other->state, ACTIVE);
	set_test_expect_load(test, 1);
	perf_event_enable(event);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	set_test_switches(1);
	set_test_expect_load(test, 2);
}

static void set_test_join(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test), *more;

	set_test_switches(2);
	more = set_test_open_one(test);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	set_test_switches(1);
	set_test_expect_load(test, 2);
	fake_pmu_close(test, more);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	set_test_switches(1);
	set_test_expect_load(test, 1);
}

static void set_test_period(struct kunit *test)
{
	struct perf_event *event = set_test_open(test, (struct fake_pmu_spec) {
						 .period = 1000 });

	set_test_switches(2);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 2000), 0);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	set_test_switches(1);
	set_test_expect_load(test, 1);
}

/* A choice for all groups of the PMU on this CPU. */
static void set_test_resched(struct kunit *test)
{
	struct perf_event *event = set_test_open_one(test);

	scoped_guard(preempt) {
		set_test_switches(2);
		perf_pmu_resched(&fake.pmu);
		KUNIT_EXPECT_FALSE(test, set_test_is_whole(event));
	}
	set_test_switches(1);
	set_test_expect_load(test, 1);
}

/* Changes while the task is out, by a thread that may sleep. */

struct set_test_sleeper {
	struct test_task	*task;
	struct perf_event	*events[MAX_EVENTS];
};

static void set_test_work(struct test_task *self)
{
	fake_pmu_tick(&fake, 10);
}

/* Its set is whole, and the task sleeps. */
static struct set_test_sleeper *set_test_sleeper(struct kunit *test)
{
	struct set_test_sleeper *new = kunit_kzalloc(test, sizeof(*new),
						     GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, new);
	new->task = test_task_fork(test, set_test_work);
	for (int i = 0; i < MAX_EVENTS; i++)
		new->events[i] = set_test_open(test, (struct fake_pmu_spec) {
					       .task = new->task->task,
					       .period = i ? 0 : 1000 });
	for (int i = 0; i < 3; i++) {
		test_task_act(new->task);
		test_task_wait_asleep(new->task);
	}
	KUNIT_ASSERT_TRUE(test, set_test_is_whole(new->events[0]));
	return new;
}

static u64 set_test_count_of(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static void set_test_again(struct set_test_sleeper *sleeper)
{
	test_task_act(sleeper->task);
	test_task_wait_asleep(sleeper->task);
}

/* Each of them leaves in its own way; the memory of the first one is freed. */
static void set_test_sleeper_loses(struct kunit *test)
{
	struct set_test_sleeper *sleeper = set_test_sleeper(test);
	u64 before = set_test_count_of(sleeper->events[3]);

	fake_pmu_close(test, sleeper->events[0]);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(sleeper->events[1]));
	synchronize_rcu();
	set_test_again(sleeper);
	perf_event_disable(sleeper->events[1]);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(sleeper->events[1]));
	set_test_again(sleeper);
	set_test_again(sleeper);
	KUNIT_EXPECT_EQ(test, sleeper->events[1]->state, OFF);
	KUNIT_EXPECT_EQ(test, set_test_count_of(sleeper->events[3]) - before, 30);
	KUNIT_EXPECT_EQ(test, set_test_count_of(sleeper->events[1]), 40);
}

static void set_test_sleeper_period(struct kunit *test)
{
	struct set_test_sleeper *sleeper = set_test_sleeper(test);

	KUNIT_EXPECT_EQ(test, perf_event_period(sleeper->events[0], 2000), 0);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(sleeper->events[0]));
	set_test_again(sleeper);
	KUNIT_EXPECT_EQ(test, set_test_count_of(sleeper->events[0]), 40);
}

/* A read leaves the set whole. */
static void set_test_sleeper_read(struct kunit *test)
{
	struct set_test_sleeper *sleeper = set_test_sleeper(test);

	for (int i = 0; i < MAX_EVENTS; i++)
		KUNIT_EXPECT_EQ(test, set_test_count_of(sleeper->events[i]), 30);
	KUNIT_EXPECT_TRUE(test, set_test_is_whole(sleeper->events[0]));
}

/* The last event that was enabled goes, and a disabled one stays. */
static void set_test_sleeper_empty(struct kunit *test)
{
	struct set_test_sleeper *sleeper = set_test_sleeper(test);
	struct perf_event *last = sleeper->events[3];

	perf_event_disable(last);
	for (int i = 0; i < 3; i++)
		fake_pmu_close(test, sleeper->events[i]);
	synchronize_rcu();
	set_test_again(sleeper);
	KUNIT_EXPECT_FALSE(test, set_test_is_whole(last));
	set_test_again(sleeper);
	KUNIT_EXPECT_EQ(test, last->state, OFF);
}

/* The task ends with a whole set. */
static void set_test_sleeper_exits(struct kunit *test)
{
	struct set_test_sleeper *sleeper = set_test_sleeper(test);

	test_task_end(test, sleeper->task);
	for (int i = 0; i < MAX_EVENTS; i++)
		KUNIT_EXPECT_EQ(test, set_test_count_of(sleeper->events[i]), 30);
}

/* Registration. */

static int set_test_try_register(const struct pmu *methods)
{
	struct pmu pmu = *methods;
	int err = perf_pmu_register(&pmu, "kunit_sched_set_no", -1);

	if (!err)
		perf_pmu_unregister(&pmu);
	return err;
}

static int set_test_load(struct pmu *pmu, struct perf_event_set *set)
{
	return -EAGAIN;
}

static void set_test_unload(struct pmu *pmu, struct perf_event_set *set)
{
}

static void *set_test_setup_aux(struct perf_event *event, void **pages,
				int nr_pages, bool overwrite)
{
	return NULL;
}

static void set_test_registration(struct kunit *test)
{
	struct pmu pmu = {
		.task_ctx_nr	= perf_hw_context,
		.event_init	= fake.pmu.event_init,
		.add		= fake.pmu.add,
		.del		= fake.pmu.del,
		.start		= fake.pmu.start,
		.stop		= fake.pmu.stop,
		.read		= fake.pmu.read,
		.load		= set_test_load,
	};

	KUNIT_EXPECT_EQ(test, set_test_try_register(&pmu), -EINVAL);
	pmu.unload = set_test_unload;
	KUNIT_EXPECT_EQ(test, set_test_try_register(&pmu), 0);
	pmu.load = NULL;
	KUNIT_EXPECT_EQ(test, set_test_try_register(&pmu), -EINVAL);
	pmu.load = set_test_load;
	pmu.capabilities = PERF_PMU_CAP_ITRACE;
	KUNIT_EXPECT_EQ(test, set_test_try_register(&pmu), -EINVAL);
	pmu.capabilities = 0;
	pmu.setup_aux = set_test_setup_aux;
	KUNIT_EXPECT_EQ(test, set_test_try_register(&pmu), -EINVAL);
	pmu.setup_aux = NULL;
	pmu.task_ctx_nr = perf_invalid_context;
	KUNIT_EXPECT_EQ(test, set_test_try_register(&pmu), -EINVAL);
}

static struct kunit_case set_test_cases[] = {
	KUNIT_CASE(set_test_goes_by_load),
	KUNIT_CASE(set_test_serial),
	KUNIT_CASE(set_test_groups),
	KUNIT_CASE(set_test_states),
	KUNIT_CASE(set_test_times),
	KUNIT_CASE(set_test_refused),
	KUNIT_CASE(set_test_waiting),
	KUNIT_CASE(set_test_bound),
	KUNIT_CASE(set_test_bound_pinned),
	KUNIT_CASE(set_test_exclusive),
	KUNIT_CASE(set_test_two_pmus),
	KUNIT_CASE(set_test_room),
	KUNIT_CASE(set_test_is_freed),
	KUNIT_CASE(set_test_cpu),
	KUNIT_CASE(set_test_throttled_before_load),
	KUNIT_CASE(set_test_throttled_before_unload),
	KUNIT_CASE(set_test_throttled_software),
	KUNIT_CASE(set_test_throttled_tick_out),
	KUNIT_CASE(set_test_throttled_tick),
	KUNIT_CASE(set_test_lone),
	KUNIT_CASE(set_test_throttled_late),
	KUNIT_CASE(set_test_throttled_moves),
	KUNIT_CASE(set_test_disabled_late),
	KUNIT_CASE(set_test_wanted_switches),
	KUNIT_CASE(set_test_evicts),
	KUNIT_CASE(set_test_beside_exclusive),
	KUNIT_CASE(set_test_frequency),
	KUNIT_CASE(set_test_disable),
	KUNIT_CASE(set_test_join),
	KUNIT_CASE(set_test_period),
	KUNIT_CASE(set_test_resched),
	KUNIT_CASE(set_test_sleeper_loses),
	KUNIT_CASE(set_test_sleeper_period),
	KUNIT_CASE(set_test_sleeper_read),
	KUNIT_CASE(set_test_sleeper_empty),
	KUNIT_CASE(set_test_sleeper_exits),
	KUNIT_CASE(set_test_registration),
	{ }
};

static struct kunit_suite set_test_suite = {
	.name		= "perf_sched_set",
	.suite_init	= set_test_suite_init,
	.suite_exit	= set_test_suite_exit,
	.init		= set_test_init,
	.test_cases	= set_test_cases,
};

kunit_test_suite(set_test_suite);
