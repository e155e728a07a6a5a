// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room clock: the table of states, the number of the set of
 * enabled events, the sums of enabled and running time over random lives of a
 * group, the time that an NMI sees, the clocks that stamp samples.
 *
 * Context and events are made by hand and nobody else knows them, so a test
 * advances the time by adding to it.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>

#include "../clock.h"
#include "../context.h"
#include "../event_state.h"
#include "fake_pmu.h"

#define NR_STATES	(PERF_EVENT_STATE_ACTIVE - PERF_EVENT_STATE_DEAD + 1)
#define NR_EVENTS	3
#define NR_STEPS	20000
#define NR_IDS		10

#define DEAD		PERF_EVENT_STATE_DEAD
#define REVOKED		PERF_EVENT_STATE_REVOKED
#define EXIT		PERF_EVENT_STATE_EXIT
#define ERROR		PERF_EVENT_STATE_ERROR
#define OFF		PERF_EVENT_STATE_OFF
#define INACTIVE	PERF_EVENT_STATE_INACTIVE
#define ACTIVE		PERF_EVENT_STATE_ACTIVE

/*
 * A group, of which event 0 is the leader, and the times that its events
 * should have.
 */
struct clock_test_world {
	struct perf_ctx			ctx;
	struct perf_event		event[NR_EVENTS];
	u64				enabled[NR_EVENTS];
	u64				running[NR_EVENTS];
};

static void clock_test_add_event(struct clock_test_world *world, int nr)
{
	struct perf_event *leader = &world->event[0];
	struct perf_event *event = &world->event[nr];

	event->ctx = &world->ctx.pub;
	event->group_leader = leader;
	event->state = OFF;
	INIT_LIST_HEAD(&event->sibling_list);
	if (!nr)
		return;
	list_add_tail(&event->sibling_list, &leader->sibling_list);
	leader->nr_siblings++;
}

static int clock_test_init(struct kunit *test)
{
	struct clock_test_world *world =
		kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	if (!world)
		return -ENOMEM;
	fake_ctx_init(&world->ctx);
	for (int i = 0; i < NR_EVENTS; i++)
		clock_test_add_event(world, i);
	test->priv = world;
	return 0;
}

/* Every pair of states, against a second copy of the rules. */
static void clock_test_state_pairs(struct kunit *test)
{
	static const char * const rows[NR_STATES] = {
		/* dead, revoked, exit, error, off, inactive, active */
		[DEAD - DEAD]	  = "y------",
		[REVOKED - DEAD]  = "yy-----",
		[EXIT - DEAD]	  = "yyy----",
		[ERROR - DEAD]	  = "yyyyy--",
		[OFF - DEAD]	  = "yyyyyy-",
		[INACTIVE - DEAD] = "yyyyyyy",
		[ACTIVE - DEAD]	  = "----yyy",
	};
	int allowed = 0;

	for (int from = DEAD; from <= ACTIVE; from++) {
		for (int to = DEAD; to <= ACTIVE; to++) {
			bool may = perf_event_state_allowed(from, to);

			allowed += may;
			KUNIT_EXPECT_EQ_MSG(test, may,
					    rows[from - DEAD][to - DEAD] == 'y',
					    "%s to %s",
					    perf_event_state_name(from),
					    perf_event_state_name(to));
		}
	}
	KUNIT_EXPECT_EQ(test, allowed, 27);
}

static void clock_test_state_forbidden(struct kunit *test)
{
	static const struct {
		int	from;
		int	to;
	} never[] = {
		/* DEAD is final. */
		{ .from = DEAD, .to = INACTIVE },
		{ .from = REVOKED, .to = OFF },
		/* Nothing is left to be counted. */
		{ .from = REVOKED, .to = EXIT },
		{ .from = EXIT, .to = OFF },
		/* An enable clears the error first. */
		{ .from = ERROR, .to = INACTIVE },
		/* Only enabled events are scheduled. */
		{ .from = OFF, .to = ACTIVE },
		/* An event goes off the PMU before it ends. */
		{ .from = ACTIVE, .to = DEAD },
		{ .from = ACTIVE, .to = REVOKED },
		{ .from = ACTIVE, .to = ERROR },
		{ .from = ACTIVE, .to = ACTIVE + 1 },
		{ .from = DEAD - 1, .to = DEAD },
	};

	for (int i = 0; i < ARRAY_SIZE(never); i++)
		KUNIT_EXPECT_FALSE_MSG(test,
				       perf_event_state_allowed(never[i].from,
								never[i].to),
				       "%d to %d", never[i].from, never[i].to);
}

static void clock_test_state_names(struct kunit *test)
{
	for (int a = DEAD; a <= ACTIVE; a++) {
		KUNIT_EXPECT_STRNEQ(test, perf_event_state_name(a), "?");
		for (int b = DEAD; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, perf_event_state_name(a),
					    perf_event_state_name(b));
	}
	KUNIT_EXPECT_STREQ(test, perf_event_state_name(DEAD - 1), "?");
	KUNIT_EXPECT_STREQ(test, perf_event_state_name(ACTIVE + 1), "?");
}

/*
 * Different sets of enabled events have different numbers, even if the ids are
 * consecutive. Two sets differ by a set, so it suffices that none has the same
 * number as the empty one: all are tried, one event more or less at a time.
 */
static void clock_test_enabled_differ(struct kunit *test)
{
	static const u64 first_ids[] = { 1, 4, 1000, 1 << 20, 1ULL << 40 };
	struct clock_test_world *world = test->priv;
	struct perf_event *event = &world->event[0];

	for (int i = 0; i < ARRAY_SIZE(first_ids); i++) {
		world->ctx.enabled = 0;
		for (int step = 1; step < 1 << NR_IDS; step++) {
			event->id = first_ids[i] + __ffs(step);
			perf_event_toggle_enabled(event);
			KUNIT_ASSERT_NE_MSG(test, world->ctx.enabled, 0ULL,
					    "from id %llu, set %x", first_ids[i],
					    step ^ step >> 1);
		}
	}
}

/* Equal sets have equal numbers, in whatever order events were added. */
static void clock_test_enabled_agree(struct kunit *test)
{
	struct clock_test_world *world = test->priv;
	struct perf_event *event = &world->event[0];

	event->parent = &world->event[1];
	event->id = 3;
	event->parent->id = 7;
	perf_event_toggle_enabled(&world->event[2]);
	perf_event_toggle_enabled(event);
	perf_event_toggle_enabled(&world->event[2]);
	perf_event_toggle_enabled(event->parent);
	KUNIT_EXPECT_EQ(test, world->ctx.enabled, 0ULL);
	event->parent = NULL;
}

static void clock_test_state_init(struct kunit *test)
{
	struct clock_test_world *world = test->priv;
	struct perf_event *event = &world->event[0];

	event->attr.disabled = 1;
	perf_event_state_init(event);
	KUNIT_EXPECT_EQ(test, event->state, OFF);
	event->attr.disabled = 0;
	perf_event_state_init(event);
	KUNIT_EXPECT_EQ(test, event->state, INACTIVE);
}

/* The oracle adds each stretch of time to the sums where it counts. */
static void clock_test_pass(struct clock_test_world *world, u64 nsec)
{
	bool leader_on = world->event[0].state >= INACTIVE;

	world->ctx.time += nsec;
	for (int i = 0; i < NR_EVENTS; i++) {
		int state = world->event[i].state;

		if (!leader_on || state < INACTIVE)
			continue;
		world->enabled[i] += nsec;
		if (state == ACTIVE)
			world->running[i] += nsec;
	}
}

static int clock_test_random_state(struct rnd_state *rnd)
{
	/* No state below ERROR: a life that ends early tests little. */
	return (int)(prandom_u32_state(rnd) % 4) + ERROR;
}

/*
 * Draws an event of the group and a state, and sets the state if the rules
 * allow it.
 */
static void clock_test_random_move(struct clock_test_world *world,
				   struct rnd_state *rnd)
{
	struct perf_event *event;
	int to = clock_test_random_state(rnd);

	event = &world->event[prandom_u32_state(rnd) % NR_EVENTS];
	if (!perf_event_state_allowed(event->state, to))
		return;
	guard(mutex)(&world->ctx.mutex);
	perf_event_set_state(event, to);
}

static bool clock_test_times_agree(struct clock_test_world *world, int nr)
{
	u64 enabled, running;

	perf_event_time_at(&world->event[nr], 0, &enabled, &running);
	return enabled == world->enabled[nr] && running == world->running[nr];
}

/* The times must be right when read before an update, and after it. */
static void clock_test_check_times(struct kunit *test, int step)
{
	struct clock_test_world *world = test->priv;

	for (int i = 0; i < NR_EVENTS; i++) {
		struct perf_event *event = &world->event[i];

		KUNIT_ASSERT_TRUE_MSG(test, clock_test_times_agree(world, i),
				      "event %d, step %d", i, step);
		if (step % 3)
			continue;
		perf_event_time_update(event);
		KUNIT_ASSERT_EQ(test, event->total_time_enabled,
				world->enabled[i]);
		KUNIT_ASSERT_EQ(test, event->total_time_running,
				world->running[i]);
	}
}

static void clock_test_time_sums(struct kunit *test)
{
	struct clock_test_world *world = test->priv;
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	for (int step = 0; step < NR_STEPS; step++) {
		clock_test_random_move(world, &rnd);
		clock_test_pass(world, prandom_u32_state(&rnd) % 1000);
		if (step % 5 == 0)
			clock_test_check_times(test, step);
	}
	KUNIT_EXPECT_GT(test, world->running[0], 0);
	KUNIT_EXPECT_LT(test, world->running[0], world->enabled[0]);
	KUNIT_EXPECT_LT(test, world->enabled[0], world->ctx.time);
}

/* A copy under construction has no context yet. */
static void clock_test_time_without_ctx(struct kunit *test)
{
	struct clock_test_world *world = test->priv;
	struct perf_event *event = &world->event[0];
	u64 enabled, running;

	event->ctx = NULL;
	event->state = INACTIVE;
	perf_event_time_update(event);
	perf_event_time_at(event, 12345, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 0);
	KUNIT_EXPECT_EQ(test, running, 0);
}

static void clock_test_nmi_time(struct kunit *test)
{
	struct clock_test_world *world = test->priv;
	struct perf_ctx *ctx = &world->ctx;
	struct perf_event *event = &world->event[0];
	u64 enabled, running;

	ctx->time = 500;
	event->state = ACTIVE;
	event->tstamp = 400;
	event->total_time_enabled = 300;
	event->total_time_running = 200;
	perf_event_time_anchor(event);

	/* Loaded nowhere: the clock value does not matter. */
	KUNIT_EXPECT_EQ(test, perf_ctx_clock_at(ctx, 999999), 500);

	/* Loaded when the clock showed 10000. */
	ctx->timestamp = 10000;
	ctx->timeoffset = ctx->time - 10000;
	ctx->loaded_cpu = raw_smp_processor_id();
	KUNIT_EXPECT_EQ(test, perf_ctx_clock_at(ctx, 10000), 500);
	KUNIT_EXPECT_EQ(test, perf_ctx_clock_at(ctx, 10250), 750);
	perf_event_time_at(event, 10250, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 650);
	KUNIT_EXPECT_EQ(test, running, 550);

	/* In the middle of an update @time is new, @timestamp still old. */
	ctx->time = 750;
	perf_event_time_at(event, 10250, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 650);

	/* A clock that lags behind never makes a time smaller. */
	perf_event_time_at(event, 9000, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 300);
	KUNIT_EXPECT_EQ(test, running, 200);
}

/* The times that an NMI would see, whichever words are already stored. */
static void clock_test_expect_times(struct kunit *test,
				    const struct perf_event *event,
				    u64 want_enabled, u64 want_running)
{
	u64 enabled, running;

	perf_event_time_at(event, 10250, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, want_enabled);
	KUNIT_EXPECT_EQ(test, running, want_running);
}

/* An update of an event's times stores three words, and changes no answer. */
static void clock_test_nmi_in_update(struct kunit *test)
{
	struct clock_test_world *world = test->priv;
	struct perf_ctx *ctx = &world->ctx;
	struct perf_event *event = &world->event[0];

	scoped_guard(mutex, &ctx->mutex) {
		perf_event_set_state(event, INACTIVE);
		ctx->time = 100;
		perf_event_set_state(event, ACTIVE);
	}
	ctx->time = 500;
	ctx->timestamp = 10000;
	ctx->timeoffset = ctx->time - 10000;
	ctx->loaded_cpu = raw_smp_processor_id();
	clock_test_expect_times(test, event, 750, 650);
	event->total_time_enabled += 500;
	clock_test_expect_times(test, event, 750, 650);
	event->total_time_running += 400;
	clock_test_expect_times(test, event, 750, 650);
	event->tstamp = 500;
	clock_test_expect_times(test, event, 750, 650);

	/* Scheduled out at 500: first the sums, then the state. */
	event->state = INACTIVE;
	clock_test_expect_times(test, event, 750, 400);
}

/* Two tasks exchange contexts, but not the times of their events. */
static void clock_test_time_exchange(struct kunit *test)
{
	struct clock_test_world *here = test->priv, *there;
	struct perf_event *on = &here->event[0], *off;
	u64 enabled, running;

	KUNIT_ASSERT_EQ(test, clock_test_init(test), 0);
	there = test->priv;
	off = &there->event[0];
	on->state = ACTIVE;
	on->total_time_enabled = 300;
	on->total_time_running = 200;
	on->tstamp = 400;
	here->ctx.time = 500;
	here->ctx.timeoffset = here->ctx.time - 10000;
	here->ctx.loaded_cpu = raw_smp_processor_id();
	off->state = INACTIVE;
	off->total_time_enabled = 70;
	off->total_time_running = 50;
	off->tstamp = 880;
	there->ctx.time = 900;

	scoped_guard(raw_spinlock_irq, &here->ctx.lock) {
		raw_spin_lock_nested(&there->ctx.lock, SINGLE_DEPTH_NESTING);
		perf_event_time_exchange(on, off);
		raw_spin_unlock(&there->ctx.lock);
	}
	clock_test_expect_times(test, on, 70 + 20 + 250, 50 + 250);
	perf_event_time_at(off, 10250, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 300 + 100);
	KUNIT_EXPECT_EQ(test, running, 200 + 100);
}

static void clock_test_start(struct perf_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->lock);
	perf_ctx_clock_start_locked(ctx);
	ctx->loaded_cpu = raw_smp_processor_id();
}

static u64 clock_test_update(struct perf_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->lock);
	perf_ctx_clock_update_locked(ctx);
	return ctx->time;
}

/* Time passes while the context is loaded, and stops while it is not. */
static void clock_test_ctx_clock(struct kunit *test)
{
	struct clock_test_world *world = test->priv;
	struct perf_ctx *ctx = &world->ctx;
	u64 before, after;

	KUNIT_EXPECT_EQ(test, clock_test_update(ctx), 0);
	before = perf_clock();
	clock_test_start(ctx);
	while (clock_test_update(ctx) < 1000)
		cpu_relax();
	after = perf_clock();
	KUNIT_EXPECT_GE(test, ctx->time, 1000);
	/* The clock of another CPU may differ by a tick. */
	KUNIT_EXPECT_LE(test, ctx->time, after - before + TICK_NSEC);

	ctx->loaded_cpu = PERF_CPU_NONE;
	before = ctx->time;
	KUNIT_EXPECT_EQ(test, clock_test_update(ctx), before);

	clock_test_start(ctx);
	KUNIT_EXPECT_GE(test, clock_test_update(ctx), before);
	KUNIT_EXPECT_LE(test, ctx->time, before + perf_clock() - after +
			TICK_NSEC);
}

static void clock_test_ctx_clock_monotonic(struct kunit *test)
{
	struct clock_test_world *world = test->priv;
	struct perf_ctx *ctx = &world->ctx;
	u64 time;

	clock_test_start(ctx);
	clock_test_update(ctx);
	/* As if the CPU that updated last had a clock far ahead. */
	ctx->timestamp += NSEC_PER_SEC * 3600ULL;
	ctx->time += NSEC_PER_SEC * 3600ULL;
	time = ctx->time;
	KUNIT_EXPECT_EQ(test, clock_test_update(ctx), time);
}

static void clock_test_sample_clocks(struct kunit *test)
{
	static const struct {
		clockid_t	id;
		int		in_nmi;
		int		else_where;
	} rules[] = {
		{ .id = CLOCK_MONOTONIC, .in_nmi = 0, .else_where = 0 },
		{ .id = CLOCK_MONOTONIC_RAW, .in_nmi = 0, .else_where = 0 },
		{ .id = CLOCK_REALTIME, .in_nmi = -EINVAL, .else_where = 0 },
		{ .id = CLOCK_BOOTTIME, .in_nmi = -EINVAL, .else_where = 0 },
		{ .id = CLOCK_TAI, .in_nmi = -EINVAL, .else_where = 0 },
		{ .id = CLOCK_PROCESS_CPUTIME_ID, .in_nmi = -EINVAL,
		  .else_where = -EINVAL },
		{ .id = CLOCK_MONOTONIC_COARSE, .in_nmi = -EINVAL,
		  .else_where = -EINVAL },
		{ .id = -1, .in_nmi = -EINVAL, .else_where = -EINVAL },
		{ .id = MAX_CLOCKS, .in_nmi = -EINVAL, .else_where = -EINVAL },
	};
	struct pmu nmi = { }, quiet = { .capabilities = PERF_PMU_CAP_NO_NMI };
	struct clock_test_world *world = test->priv;
	struct perf_event *event = &world->event[0];

	for (int i = 0; i < ARRAY_SIZE(rules); i++) {
		event->pmu = &nmi;
		KUNIT_EXPECT_EQ_MSG(test, perf_clock_choose(event, rules[i].id),
				    rules[i].in_nmi, "clock %d", rules[i].id);
		event->pmu = &quiet;
		KUNIT_EXPECT_EQ_MSG(test, perf_clock_choose(event, rules[i].id),
				    rules[i].else_where, "clock %d",
				    rules[i].id);
	}
	KUNIT_ASSERT_EQ(test, perf_clock_choose(event, CLOCK_MONOTONIC), 0);
	KUNIT_EXPECT_NE(test, perf_event_clock(event), 0);
}

static struct kunit_case clock_test_cases[] = {
	KUNIT_CASE(clock_test_state_pairs),
	KUNIT_CASE(clock_test_state_forbidden),
	KUNIT_CASE(clock_test_state_names),
	KUNIT_CASE(clock_test_enabled_differ),
	KUNIT_CASE(clock_test_enabled_agree),
	KUNIT_CASE(clock_test_state_init),
	KUNIT_CASE(clock_test_time_sums),
	KUNIT_CASE(clock_test_time_without_ctx),
	KUNIT_CASE(clock_test_nmi_time),
	KUNIT_CASE(clock_test_nmi_in_update),
	KUNIT_CASE(clock_test_time_exchange),
	KUNIT_CASE(clock_test_ctx_clock),
	KUNIT_CASE(clock_test_ctx_clock_monotonic),
	KUNIT_CASE(clock_test_sample_clocks),
	{ }
};

static struct kunit_suite clock_test_suite = {
	.name		= "perf_clock",
	.init		= clock_test_init,
	.test_cases	= clock_test_cases,
};

kunit_test_suite(clock_test_suite);
