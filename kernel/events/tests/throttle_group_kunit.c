// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room throttle: what happens to the group of an event that has
 * overflowed too often. The interrupts are made up; irq_work and tick are real.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "../clock.h"
#include "../context.h"
#include "../event_state.h"
#include "../pmu.h"
#include "../sched.h"
#include "../throttle.h"
#include "../software.h"
#include "fake_pmu.h"

#define NR_EVENTS		3
#define ALL		(BIT(NR_EVENTS) - 1)
#define FOREVER_MS	3600000
#define MAX_TRIES	1000
#define ROUNDS		20

static struct fake_pmu fake;
static void (*throttle_group_test_fake_stop)(struct perf_event *event,
					     int flags);

/* A group, an event beside it, and masks of the events stopped at each step. */
struct throttle_group_test_world {
	struct perf_event	*events[NR_EVENTS];
	struct perf_event	*beside;
	unsigned long		over;
	unsigned long		after_work;
	unsigned long		after_end;
	int			stops;
	bool			over_again;
	/* The leader overflows, not its first sibling. */
	bool			leader_over;
};

static int throttle_group_test_suite_init(struct kunit_suite *suite)
{
	int err = fake_pmu_register(&fake, "kunit_stop");

	throttle_group_test_fake_stop = fake.pmu.stop;
	return err;
}

static void throttle_group_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void throttle_group_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static struct perf_event *throttle_group_test_open(struct kunit *test,
						   struct perf_event *leader)
{
	struct fake_pmu_spec spec = {
		.leader	= leader,
		.cpu	= cpumask_first(cpu_online_mask),
		.period	= 1000,
	};

	return fake_pmu_open(test, &fake, &spec);
}

static void throttle_group_test_begin(struct kunit *test,
				      struct throttle_group_test_world *world)
{
	fake_pmu_reset(&fake, NR_EVENTS + 1, FOREVER_MS);
	fake_pmu_undo(test, throttle_group_test_check_idle, test);
	for (int i = 0; i < NR_EVENTS; i++)
		world->events[i] =
			throttle_group_test_open(test, world->events[0]);
	world->beside = throttle_group_test_open(test, NULL);
}

static unsigned long
throttle_group_test_who_stands(const struct throttle_group_test_world *world)
{
	unsigned long mask = 0;

	for (int i = 0; i < NR_EVENTS; i++) {
		if (world->events[i]->hw.state & PERF_HES_STOPPED)
			mask |= BIT(i);
	}
	if (world->beside->hw.state & PERF_HES_STOPPED)
		mask |= BIT(NR_EVENTS);
	return mask;
}

/* Most drivers disable their PMU in the handler. */
static void throttle_group_test_driver_stops(struct perf_event *event)
{
	perf_pmu_disable(event->pmu);
	event->pmu->stop(event, 0);
	perf_pmu_enable(event->pmu);
}

/* Does what a driver does that is interrupted again and again. */
static void throttle_group_test_overflow_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;
	struct perf_event *event = world->events[world->leader_over ? 0 : 1];

	world->stops = -fake_pmu_calls(&fake, FAKE_STOP);
	while (!perf_throttle_account_nmi(event, true))
		;
	throttle_group_test_driver_stops(event);
	world->over = throttle_group_test_who_stands(world);
}

static void throttle_group_test_tick_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;

	world->after_work = throttle_group_test_who_stands(world);
	world->stops += fake_pmu_calls(&fake, FAKE_STOP);
	perf_event_task_tick();
	world->after_end = throttle_group_test_who_stands(world);
}

static void throttle_group_test_end_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;
	struct perf_event *event = world->events[2];

	world->after_work = throttle_group_test_who_stands(world);
	guard(raw_spinlock)(&perf_event_ctx(event)->lock);
	perf_pmu_disable(event->pmu);
	perf_throttle_end_locked(event);
	world->after_end = throttle_group_test_who_stands(world);
	world->over_again = perf_throttle_account_nmi(world->events[1], true);
	event->pmu->stop(world->events[1], 0);
	perf_throttle_end_locked(event);
	perf_pmu_enable(event->pmu);
}

static void throttle_group_test_call(struct kunit *test, smp_call_func_t oncpu,
				     struct throttle_group_test_world *world)
{
	int cpu = cpumask_first(cpu_online_mask);

	KUNIT_ASSERT_EQ(test, smp_call_function_single(cpu, oncpu, world, 1),
			0);
}

/*
 * The whole group is stopped, and @still is left of it after @end. Tries again
 * if a tick came before @end could look: by then the group is running again.
 */
static void throttle_group_test_run(struct kunit *test,
				    struct throttle_group_test_world *world,
				    smp_call_func_t end, unsigned long still)
{
	int tries = 0;

	do {
		throttle_group_test_call(test,
					 throttle_group_test_overflow_oncpu,
					 world);
		throttle_group_test_call(test, end, world);
	} while ((world->after_work & ALL) != ALL && ++tries < MAX_TRIES);
	KUNIT_EXPECT_EQ(test, world->after_work, ALL);
	KUNIT_EXPECT_EQ(test, world->after_end, still);
	KUNIT_EXPECT_FALSE(test, world->events[0]->throttle_reported);
}

/* The whole group is stopped until the tick, and no other event is. */
static void throttle_group_test_until_tick(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	throttle_group_test_run(test, &world, throttle_group_test_tick_oncpu,
				0);
	KUNIT_EXPECT_EQ(test, world.over, BIT(1));
	KUNIT_EXPECT_EQ(test, world.stops, NR_EVENTS);
}

static void throttle_group_test_leader(struct kunit *test)
{
	struct throttle_group_test_world world = { .leader_over = true };

	throttle_group_test_begin(test, &world);
	throttle_group_test_run(test, &world, throttle_group_test_tick_oncpu,
				0);
	KUNIT_EXPECT_EQ(test, world.over, BIT(0));
	KUNIT_EXPECT_EQ(test, world.stops, NR_EVENTS);
}

/* When the throttling ends, a disabled sibling is not started. */
static void throttle_group_test_sibling_off(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	perf_event_disable(world.events[2]);
	throttle_group_test_run(test, &world, throttle_group_test_tick_oncpu,
				BIT(2));
	KUNIT_EXPECT_EQ(test, world.events[2]->hw.interrupts, 0ULL);
}

/*
 * Ending the throttling for one event ends it for the whole group, but the
 * overflows that the event may have in this tick are used up.
 */
static void throttle_group_test_ends_early(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	throttle_group_test_run(test, &world, throttle_group_test_end_oncpu, 0);
	KUNIT_EXPECT_TRUE(test, world.over_again);
}

/* The event that was throttled is disabled before its group is stopped. */
static void throttle_group_test_leave_oncpu(void *arg)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct throttle_group_test_world *world = arg;
	struct perf_event *event = world->events[1];

	throttle_group_test_overflow_oncpu(world);
	perf_ctx_lock_pair(cpuctx, cpuctx->task_ctx);
	perf_ctx_clock_update_locked(&cpuctx->ctx);
	perf_sched_event_out_locked(event);
	perf_event_set_state(event, PERF_EVENT_STATE_OFF);
	perf_ctx_unlock_pair(cpuctx, cpuctx->task_ctx);
	world->over_again = world->events[0]->throttle_reported;
}

/* The others go on, and the end of the throttling is reported. */
static void throttle_group_test_leaves(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	throttle_group_test_call(test, throttle_group_test_leave_oncpu, &world);
	throttle_group_test_call(test, throttle_group_test_tick_oncpu, &world);
	KUNIT_EXPECT_TRUE(test, world.over_again);
	KUNIT_EXPECT_EQ(test, world.after_work, BIT(1));
	KUNIT_EXPECT_EQ(test, world.after_end, BIT(1));
	KUNIT_EXPECT_FALSE(test, world.events[0]->throttle_reported);
}

static void throttle_group_test_restore(void *unused)
{
	fake.pmu.capabilities &= ~PERF_PMU_CAP_NO_INTERRUPT;
	fake.pmu.task_ctx_nr = perf_hw_context;
	fake.pmu.stop = throttle_group_test_fake_stop;
}

/* Only the event that was throttled is stopped, and the tick starts it. */
static void
throttle_group_test_expect_go_on(struct kunit *test,
				 struct throttle_group_test_world *world)
{
	int tries = 0;

	do {
		throttle_group_test_call(test,
					 throttle_group_test_overflow_oncpu,
					 world);
		throttle_group_test_call(test, throttle_group_test_tick_oncpu,
					 world);
	} while (!world->after_work && ++tries < MAX_TRIES);
	KUNIT_EXPECT_EQ(test, world->after_work, BIT(1));
	KUNIT_EXPECT_EQ(test, world->after_end, 0UL);
}

/* Drivers without an interrupt may have no pmu::stop: their events go on. */
static void throttle_group_test_without_interrupt(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	fake_pmu_undo(test, throttle_group_test_restore, NULL);
	fake.pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
	throttle_group_test_expect_go_on(test, &world);
}

/* So do those of units that belong to no task. */
static void throttle_group_test_without_tasks(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	fake_pmu_undo(test, throttle_group_test_restore, NULL);
	fake.pmu.task_ctx_nr = perf_invalid_context;
	throttle_group_test_expect_go_on(test, &world);
}

/* Like a driver whose interrupt comes while its PMU should be disabled. */
static void throttle_group_test_late_stop(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_UPDATE)
		WRITE_ONCE(event->hw.interrupts, MAX_INTERRUPTS);
	throttle_group_test_fake_stop(event, flags);
}

/* The next tick looks for throttled events on the PMU. */
static void throttle_group_test_note(struct perf_event *event)
{
	unsigned int tick = __this_cpu_read(perf_cpu_context.tick);

	__this_cpu_write(perf_cpu_context.throttled_tick, tick);
	WRITE_ONCE(perf_cpc_oncpu(event->pmu)->throttled_tick, tick);
}

/* A throttled event that is started for a new period is not started again. */
static void throttle_group_test_start_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;
	struct perf_event *event = world->beside;

	world->stops = -fake_pmu_calls(&fake, FAKE_START);
	scoped_guard(raw_spinlock, &perf_event_ctx(event)->lock) {
		perf_pmu_disable(event->pmu);
		if (perf_throttle_stop_locked(event))
			perf_throttle_start_locked(event);
		perf_pmu_enable(event->pmu);
	}
	world->over_again = perf_event_is_throttled(event);
	throttle_group_test_note(event);
	perf_event_task_tick();
	world->stops += fake_pmu_calls(&fake, FAKE_START);
}

/* Runs @fn, which makes @calls calls and leaves no event throttled. */
static void throttle_group_test_expect_calls(struct kunit *test,
					     void (*fn)(void *arg), int calls)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	throttle_group_test_call(test, fn, &world);
	KUNIT_EXPECT_EQ(test, world.stops, calls);
	KUNIT_EXPECT_FALSE(test, world.over_again);
}

static void throttle_group_test_starts_once(struct kunit *test)
{
	fake_pmu_undo(test, throttle_group_test_restore, NULL);
	fake.pmu.stop = throttle_group_test_late_stop;
	throttle_group_test_expect_calls(test, throttle_group_test_start_oncpu,
					 1);
}

/* Like a driver that ignores what perf_event_overflow() returns. */
static void throttle_group_test_never_stopped_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;
	struct perf_event *event = world->beside;

	world->stops = -fake_pmu_calls(&fake, FAKE_STOP);
	WRITE_ONCE(event->hw.interrupts, MAX_INTERRUPTS);
	throttle_group_test_note(event);
	scoped_guard(raw_spinlock, &perf_event_ctx(event)->lock) {
		perf_pmu_disable(event->pmu);
		perf_throttle_end_locked(event);
		perf_pmu_enable(event->pmu);
	}
	world->over_again = perf_event_is_throttled(event);
	world->stops += fake_pmu_calls(&fake, FAKE_STOP);
}

/* An event that counts is stopped before it is started: see fake_pmu_start(). */
static void throttle_group_test_never_stopped(struct kunit *test)
{
	throttle_group_test_expect_calls(test,
					 throttle_group_test_never_stopped_oncpu,
					 1);
}

/* Counts the starts of an event that is disabled while it is stopped. */
static void throttle_group_test_disable_stopped(struct kunit *test,
						int task_ctx_nr,
						enum perf_counter_state state,
						int want)
{
	struct throttle_group_test_world world = { };
	struct perf_event *event;
	int starts;

	throttle_group_test_begin(test, &world);
	event = world.beside;
	fake_pmu_undo(test, throttle_group_test_restore, NULL);
	fake.pmu.task_ctx_nr = task_ctx_nr;
	perf_counter_set_state(event, state);
	event->stopped = true;
	starts = fake_pmu_calls(&fake, FAKE_START);
	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_START), starts + want);
	KUNIT_EXPECT_FALSE(test, event->stopped);
}

static void throttle_group_test_stopped_hardware(struct kunit *test)
{
	throttle_group_test_disable_stopped(test, perf_hw_context,
					    PERF_COUNTER_SAVED, 1);
}

static void throttle_group_test_stopped_clock(struct kunit *test)
{
	throttle_group_test_disable_stopped(test, perf_sw_context,
					    PERF_COUNTER_SAVED, 0);
}

static void throttle_group_test_stopped_tracepoint(struct kunit *test)
{
	throttle_group_test_disable_stopped(test, perf_sw_context,
					    PERF_COUNTER_STOPPED, 1);
}

/* An event with a frequency, and a period that is far too long by now. */
static void throttle_group_test_cut_short_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;
	struct perf_event *event = world->beside;

	event->attr.freq = 1;
	event->hw.interrupts = 0;
	local64_set(&event->hw.period_left, 1LL << 40);
	/* As in the driver's handler. */
	perf_pmu_disable(event->pmu);
	world->over = perf_throttle_account_nmi(event, false);
	perf_pmu_enable(event->pmu);
	world->after_work = throttle_group_test_who_stands(world);
	event->attr.freq = 0;
}

static void throttle_group_test_cut_short(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	throttle_group_test_call(test, throttle_group_test_cut_short_oncpu,
				 &world);
	KUNIT_EXPECT_EQ(test, world.over, 0UL);
	KUNIT_EXPECT_EQ(test, world.after_work, 0UL);
	KUNIT_EXPECT_EQ(test, local64_read(&world.beside->hw.period_left), 0LL);
}

/* The same at a tick: no throttling, and no overflow came for a second. */
static void throttle_group_test_cut_short_at_tick_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;
	struct perf_event *event = world->beside;

	perf_event_task_tick();
	event->attr.freq = 1;
	__this_cpu_inc(perf_cpu_context.nr_freq);
	perf_event_pmu_ctx(event)->nr_freq++;
	local64_set(&event->hw.period_left, 1LL << 40);
	event->hw.freq_time_stamp = -NSEC_PER_SEC;
	/* The others have fixed periods. */
	for (int i = 0; i < NR_EVENTS; i++)
		world->events[i]->hw.freq_time_stamp = -NSEC_PER_SEC;
	world->stops = -fake_pmu_calls(&fake, FAKE_STOP);
	perf_event_task_tick();
	world->stops += fake_pmu_calls(&fake, FAKE_STOP);
	world->after_work = throttle_group_test_who_stands(world);
	__this_cpu_dec(perf_cpu_context.nr_freq);
	perf_event_pmu_ctx(event)->nr_freq--;
	event->attr.freq = 0;
}

static void throttle_group_test_cut_short_at_tick(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	throttle_group_test_call(test,
				 throttle_group_test_cut_short_at_tick_oncpu,
				 &world);
	KUNIT_EXPECT_EQ(test, world.stops, 1);
	KUNIT_EXPECT_EQ(test, world.after_work, 0UL);
	KUNIT_EXPECT_EQ(test, local64_read(&world.beside->hw.period_left), 0LL);
}

/* A late event with a frequency is stopped and started at the tick. */
static void throttle_group_test_late_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;
	struct perf_event *event = world->beside;

	event->attr.freq = 1;
	event->attr.sample_freq = 1000000;
	event->hw.freq_time_stamp = -NSEC_PER_SEC;
	__this_cpu_inc(perf_cpu_context.nr_freq);
	perf_event_pmu_ctx(event)->nr_freq++;
	world->stops = -fake_pmu_calls(&fake, FAKE_START);
	perf_event_task_tick();
	world->stops += fake_pmu_calls(&fake, FAKE_START);
	__this_cpu_dec(perf_cpu_context.nr_freq);
	perf_event_pmu_ctx(event)->nr_freq--;
	event->attr.freq = 0;
}

/* A trace whose buffer goes away is not started by the tick. */
static void throttle_group_test_trace_stays_stopped(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	throttle_group_test_call(test, throttle_group_test_late_oncpu, &world);
	KUNIT_EXPECT_EQ(test, world.stops, 1);
	fake_pmu_trace(test, &fake);
	perf_counter_set_state(world.beside, PERF_COUNTER_SAVED);
	throttle_group_test_call(test, throttle_group_test_late_oncpu, &world);
	KUNIT_EXPECT_EQ(test, world.stops, 0);
}

/* Disables the group between the stop of its events and the tick. */
static void throttle_group_test_out_oncpu(void *arg)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct throttle_group_test_world *world = arg;
	struct perf_event *leader = world->events[0];

	world->after_work = throttle_group_test_who_stands(world);
	world->stops = -fake_pmu_calls(&fake, FAKE_START);
	perf_ctx_lock_pair(cpuctx, cpuctx->task_ctx);
	perf_ctx_clock_update_locked(&cpuctx->ctx);
	perf_sched_group_out_locked(leader);
	world->stops += fake_pmu_calls(&fake, FAKE_START);
	world->after_end = 0;
	for (int i = 0; i < NR_EVENTS; i++)
		world->after_end |= world->events[i]->stopped ? BIT(i) : 0;
	perf_sched_group_try_in_locked(cpuctx, leader);
	perf_ctx_unlock_pair(cpuctx, cpuctx->task_ctx);
}

/*
 * Drivers count starts and stops, and their del stops: an event that was stopped
 * with its group is started first. The one that its driver stopped is not.
 */
static void throttle_group_test_scheduled_out(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	throttle_group_test_run(test, &world, throttle_group_test_out_oncpu, 0);
	KUNIT_EXPECT_EQ(test, world.stops, NR_EVENTS - 1);
}

/* Like a driver that does not look at what perf_event_overflow() returns. */
static void throttle_group_test_ignore_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;

	while (!perf_throttle_account_nmi(world->events[1], true))
		;
}

/* The event that is too fast is stopped with the others. */
static void throttle_group_test_driver_ignores(struct kunit *test)
{
	struct throttle_group_test_world world = { };
	int tries = 0;

	throttle_group_test_begin(test, &world);
	do {
		throttle_group_test_call(test, throttle_group_test_ignore_oncpu,
					 &world);
		throttle_group_test_call(test, throttle_group_test_tick_oncpu,
					 &world);
	} while ((world.after_work & ALL) != ALL && ++tries < MAX_TRIES);
	KUNIT_EXPECT_EQ(test, world.after_work, ALL);
	KUNIT_EXPECT_EQ(test, world.after_end, 0UL);
}

static void throttle_group_test_take_mark(struct perf_event *event,
					  struct perf_sample_data *data,
					  struct pt_regs *regs)
{
	event->hw.interrupts = 0;
}

static void throttle_group_test_overflow_often_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;
	unsigned int limit = perf_throttle_per_tick;
	struct perf_event *event = world->beside;
	perf_overflow_handler_t before = event->overflow_handler;
	struct perf_sample_data data;
	struct pt_regs regs = { };

	perf_throttle_per_tick = 1;
	event->overflow_handler = throttle_group_test_take_mark;
	perf_sample_data_init(&data, 0, 0);
	world->stops = perf_event_overflow(event, &data, &regs);
	world->over_again = perf_event_is_throttled(event);
	event->overflow_handler = before;
	perf_throttle_per_tick = limit;
	perf_event_task_tick();
}

/* As the NMI watchdog's: its event is not stopped, since no tick would start it. */
static void throttle_group_test_handler_takes_mark(struct kunit *test)
{
	throttle_group_test_expect_calls(test,
					 throttle_group_test_overflow_often_oncpu,
					 0);
}

/* A sibling that traces is not stopped: its trace would have a gap. */
static void throttle_group_test_trace_goes_on(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	fake_pmu_trace(test, &fake);
	for (int round = 0; round < ROUNDS; round++) {
		throttle_group_test_call(test,
					 throttle_group_test_overflow_oncpu,
					 &world);
		throttle_group_test_call(test, throttle_group_test_tick_oncpu,
					 &world);
		KUNIT_EXPECT_EQ(test, world.after_work & ~BIT(1), 0UL);
	}
}

/* Schedules the event beside the group in, as an enable does. */
static void throttle_group_test_add_oncpu(void *arg)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct throttle_group_test_world *world = arg;

	world->after_work = throttle_group_test_who_stands(world) & ALL;
	perf_ctx_lock_pair(cpuctx, cpuctx->task_ctx);
	perf_ctx_clock_update_locked(&cpuctx->ctx);
	perf_event_set_state(world->beside, PERF_EVENT_STATE_INACTIVE);
	perf_sched_group_try_in_locked(cpuctx, world->beside);
	world->after_end = throttle_group_test_who_stands(world);
	perf_sched_group_out_locked(world->beside);
	perf_event_set_state(world->beside, PERF_EVENT_STATE_OFF);
	perf_ctx_unlock_pair(cpuctx, cpuctx->task_ctx);
}

/* A driver may assign counters anew when a group is added: none may be stopped. */
static void throttle_group_test_until_add(struct kunit *test)
{
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	perf_event_disable(world.beside);
	throttle_group_test_run(test, &world, throttle_group_test_add_oncpu, 0);
}

/* The tick ends the throttling of a task's events as well as of a CPU's. */
static void throttle_group_test_of_a_task(struct kunit *test)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .period = 1000,
	};
	struct perf_event *event;
	bool stopped, stays;

	fake_pmu_reset(&fake, NR_EVENTS + 1, FOREVER_MS);
	fake_pmu_undo(test, throttle_group_test_check_idle, test);
	event = fake_pmu_open(test, &fake, &spec);
	scoped_guard(irqsave) {
		while (!perf_throttle_account_nmi(event, true))
			;
		throttle_group_test_driver_stops(event);
		stopped = event->hw.state & PERF_HES_STOPPED;
		perf_event_task_tick();
		stays = event->hw.state & PERF_HES_STOPPED;
	}
	KUNIT_EXPECT_TRUE(test, stopped);
	KUNIT_EXPECT_FALSE(test, stays);
	KUNIT_EXPECT_FALSE(test, perf_event_is_throttled(event));
}

static struct perf_event_attr throttle_group_test_clock(u64 config)
{
	return (struct perf_event_attr) {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= config,
		.size		= sizeof(struct perf_event_attr),
		.sample_period	= NSEC_PER_SEC,
	};
}

static void throttle_group_test_elsewhere_oncpu(void *arg)
{
	struct throttle_group_test_world *world = arg;
	struct perf_event *clock = world->events[0];

	while (!perf_throttle_account_nmi(clock, true))
		;
	world->over_again = perf_event_is_throttled(clock);
	world->stops = -fake_pmu_calls(&fake, FAKE_DISABLE);
	perf_event_task_tick();
	world->stops += fake_pmu_calls(&fake, FAKE_DISABLE);
	world->after_end = perf_event_is_throttled(clock);
}

/* The tick does not touch a PMU on which no event is throttled. */
static void throttle_group_test_elsewhere(struct kunit *test)
{
	struct perf_event_attr attr =
		throttle_group_test_clock(PERF_COUNT_SW_CPU_CLOCK);
	struct throttle_group_test_world world = { };

	throttle_group_test_begin(test, &world);
	world.events[0] = fake_open_counter(test, &attr,
					    cpumask_first(cpu_online_mask),
					    NULL);
	throttle_group_test_call(test, throttle_group_test_elsewhere_oncpu,
				 &world);
	KUNIT_EXPECT_TRUE(test, world.over_again);
	KUNIT_EXPECT_FALSE(test, world.after_end);
	KUNIT_EXPECT_EQ(test, world.stops, 0);
}

/*
 * A throttled clock event that is scheduled in with its task reports that it
 * is no longer throttled.
 */
static void throttle_group_test_clock_sleeps(struct kunit *test)
{
	struct perf_event_attr attr =
		throttle_group_test_clock(PERF_COUNT_SW_TASK_CLOCK);
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	scoped_guard(irqsave) {
		event->hw.interrupts = MAX_INTERRUPTS;
		event->throttle_reported = true;
	}
	fake_pmu_switch_out();
	KUNIT_EXPECT_FALSE(test, perf_event_is_throttled(event));
	KUNIT_EXPECT_FALSE(test, event->throttle_reported);
	perf_event_release_kernel(event);
}

static struct kunit_case throttle_group_test_cases[] = {
	KUNIT_CASE(throttle_group_test_until_tick),
	KUNIT_CASE(throttle_group_test_leader),
	KUNIT_CASE(throttle_group_test_sibling_off),
	KUNIT_CASE(throttle_group_test_ends_early),
	KUNIT_CASE(throttle_group_test_leaves),
	KUNIT_CASE(throttle_group_test_without_interrupt),
	KUNIT_CASE(throttle_group_test_without_tasks),
	KUNIT_CASE(throttle_group_test_starts_once),
	KUNIT_CASE(throttle_group_test_never_stopped),
	KUNIT_CASE(throttle_group_test_trace_stays_stopped),
	KUNIT_CASE(throttle_group_test_stopped_hardware),
	KUNIT_CASE(throttle_group_test_stopped_clock),
	KUNIT_CASE(throttle_group_test_stopped_tracepoint),
	KUNIT_CASE(throttle_group_test_cut_short),
	KUNIT_CASE(throttle_group_test_cut_short_at_tick),
	KUNIT_CASE(throttle_group_test_scheduled_out),
	KUNIT_CASE(throttle_group_test_driver_ignores),
	KUNIT_CASE(throttle_group_test_handler_takes_mark),
	KUNIT_CASE(throttle_group_test_trace_goes_on),
	KUNIT_CASE(throttle_group_test_until_add),
	KUNIT_CASE(throttle_group_test_of_a_task),
	KUNIT_CASE(throttle_group_test_elsewhere),
	KUNIT_CASE(throttle_group_test_clock_sleeps),
	{ }
};

static struct kunit_suite throttle_group_test_suite = {
	.name		= "perf_throttle_group",
	.suite_init	= throttle_group_test_suite_init,
	.suite_exit	= throttle_group_test_suite_exit,
	.test_cases	= throttle_group_test_cases,
};

kunit_test_suite(throttle_group_test_suite);
