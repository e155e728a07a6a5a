// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms sched and rotate: which groups get a counter, which have
 * to wait, which take turns, and that no others are disturbed.
 *
 * The PMU is a fake with as many counters as a case asks for. A case about the
 * first choice makes turns so long that it stays. A case about multiplexing
 * waits until all groups have had a turn, and compares times that were all read
 * at one moment, which makes the sums exact.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/iopoll.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "../clock.h"
#include "../context.h"
#include "../remote.h"
#include "fake_pmu.h"

#define MAX_EVENTS	16
#define NR_SOFTWARE	1000
#define TURN_MS		2
#define FOREVER_MS	3600000
/* Refused in one choice: at most twice PERF_SCHED_MISSES. */
#define MAX_REFUSED	32
#define PATIENCE_US	(30 * USEC_PER_SEC)

#define ERROR		PERF_EVENT_STATE_ERROR
#define OFF		PERF_EVENT_STATE_OFF
#define INACTIVE	PERF_EVENT_STATE_INACTIVE
#define ACTIVE		PERF_EVENT_STATE_ACTIVE

static struct fake_pmu fake;

/* Events and their times, all of one context and one moment. */
struct sched_test_shot {
	struct perf_event	**events;
	int			nr;
	u64			time;
	u64			enabled[MAX_EVENTS];
	u64			running[MAX_EVENTS];
};

static int sched_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_sched");
}

static void sched_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

/* Runs after the events of the case are closed. */
static void sched_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static void sched_test_begin(struct kunit *test, unsigned int nr_counters,
			     unsigned int turn_ms)
{
	fake_pmu_reset(&fake, nr_counters, turn_ms);
	fake_pmu_undo(test, sched_test_check_idle, test);
}

static int sched_test_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

static struct perf_event *sched_test_open_cpu(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = sched_test_cpu() };

	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *sched_test_open_pinned(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = sched_test_cpu(), .pinned = true };

	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *sched_test_open_sibling(struct kunit *test,
						  struct perf_event *leader)
{
	struct fake_pmu_spec spec = { .leader = leader };

	return fake_pmu_open(test, &fake, &spec);
}

/*
 * Current is switched out and in again. On a busy host the timer of a short
 * sleep may fire before current sleeps, which then goes on without a switch.
 */
static void sched_test_sleep(unsigned int usecs)
{
	unsigned long before = current->nvcsw + current->nivcsw;

	do {
		fsleep(usecs);
	} while (current->nvcsw + current->nivcsw == before);
}

static struct perf_event *
sched_test_open_task(struct kunit *test, struct task_struct *task, bool pinned)
{
	struct fake_pmu_spec spec = { .cpu = -1, .task = task,
				      .pinned = pinned };

	return fake_pmu_open(test, &fake, &spec);
}

static int sched_test_state(const struct perf_event *event)
{
	return READ_ONCE(event->state);
}

static int sched_test_count_state(struct perf_event **events, int nr, int state)
{
	int n = 0;

	for (int i = 0; i < nr; i++)
		n += sched_test_state(events[i]) == state;
	return n;
}

static u64 sched_test_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* Have all events been on @turns times? */
static bool sched_test_had_turns(struct perf_event **events, int nr,
				 unsigned int turns)
{
	for (int i = 0; i < nr; i++) {
		if (fake_pmu_turns(events[i]) < turns)
			return false;
	}
	return true;
}

static void sched_test_wait_turns(struct kunit *test,
				  struct perf_event **events, int nr,
				  unsigned int turns)
{
	bool done;

	read_poll_timeout(sched_test_had_turns, done, done, 1000, PATIENCE_US,
			  false, events, nr, turns);
	for (int i = 0; i < nr; i++)
		KUNIT_ASSERT_GE_MSG(test, fake_pmu_turns(events[i]), turns,
				    "event %d", i);
}

static bool sched_test_all_active(struct perf_event **events, int nr)
{
	return sched_test_count_state(events, nr, ACTIVE) == nr;
}

static void sched_test_wait_active(struct kunit *test,
				   struct perf_event **events, int nr)
{
	bool done;

	read_poll_timeout(sched_test_all_active, done, done, 1000, PATIENCE_US,
			  false, events, nr);
	KUNIT_EXPECT_TRUE(test, done);
}

static int sched_test_shoot_oncpu(struct perf_ctx *ctx,
				  struct perf_cpu_context *cpuctx, void *arg)
{
	struct sched_test_shot *shot = arg;

	perf_ctx_clock_update_locked(ctx);
	shot->time = ctx->time;
	for (int i = 0; i < shot->nr; i++) {
		struct perf_event *event = shot->events[i];

		perf_event_time_update(event);
		shot->enabled[i] = event->total_time_enabled;
		shot->running[i] = event->total_time_running;
	}
	return 0;
}

static void sched_test_shoot(struct sched_test_shot *shot,
			     struct perf_event **events, int nr)
{
	struct perf_ctx *ctx = perf_event_ctx(events[0]);

	shot->events = events;
	shot->nr = nr;
	guard(mutex)(&ctx->mutex);
	perf_ctx_call(ctx, sched_test_shoot_oncpu, shot);
}

static u64 sched_test_sum_running(const struct sched_test_shot *shot)
{
	u64 sum = 0;

	for (int i = 0; i < shot->nr; i++)
		sum += shot->running[i];
	return sum;
}

/* First choices. */

static void sched_test_all_fit(struct kunit *test)
{
	struct perf_event *events[4];
	struct sched_test_shot shot;

	sched_test_begin(test, 4, FOREVER_MS);
	for (int i = 0; i < 4; i++)
		events[i] = sched_test_open_cpu(test);
	fake_pmu_tick(&fake, 100);
	for (int i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, sched_test_state(events[i]), ACTIVE);
		KUNIT_EXPECT_EQ(test, events[i]->oncpu, sched_test_cpu());
		KUNIT_EXPECT_EQ(test, sched_test_read(events[i]), 100);
	}
	sched_test_shoot(&shot, events, 4);
	for (int i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, shot.running[i], shot.enabled[i]);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), 4);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_REFUSE), 0);
}

static void sched_test_first_come(struct kunit *test)
{
	struct perf_event *events[5];

	sched_test_begin(test, 2, FOREVER_MS);
	for (int i = 0; i < 5; i++)
		events[i] = sched_test_open_cpu(test);
	for (int i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, sched_test_state(events[i]),
				i < 2 ? ACTIVE : INACTIVE);
	fake_pmu_tick(&fake, 5);
	KUNIT_EXPECT_EQ(test, sched_test_read(events[1]), 5);
	KUNIT_EXPECT_EQ(test, sched_test_read(events[2]), 0);
}

static void sched_test_pinned_first(struct kunit *test)
{
	struct perf_event *flexible[3], *pinned[2];

	sched_test_begin(test, 3, FOREVER_MS);
	for (int i = 0; i < 3; i++)
		flexible[i] = sched_test_open_cpu(test);
	for (int i = 0; i < 2; i++) {
		pinned[i] = sched_test_open_pinned(test);
		KUNIT_EXPECT_EQ(test, sched_test_state(pinned[i]), ACTIVE);
		KUNIT_EXPECT_EQ(test,
				sched_test_count_state(flexible, 3, ACTIVE),
				2 - i);
	}
}

/* Only flexible groups are multiplexed. */
static void sched_test_pinned_stays(struct kunit *test)
{
	struct perf_event *events[4], *pinned;
	struct sched_test_shot shot;

	sched_test_begin(test, 2, TURN_MS);
	pinned = sched_test_open_pinned(test);
	for (int i = 0; i < 4; i++)
		events[i] = sched_test_open_cpu(test);
	sched_test_wait_turns(test, events, 4, 5);
	KUNIT_EXPECT_EQ(test, fake_pmu_turns(pinned), 1);
	sched_test_shoot(&shot, &pinned, 1);
	KUNIT_EXPECT_EQ(test, shot.running[0], shot.enabled[0]);
	KUNIT_EXPECT_GT(test, shot.running[0], 0);
}

static void sched_test_pinned_error(struct kunit *test)
{
	static struct sched_test_shot before, after;
	struct perf_event *pinned[2], *late;

	sched_test_begin(test, 2, FOREVER_MS);
	for (int i = 0; i < 2; i++)
		pinned[i] = sched_test_open_pinned(test);
	late = sched_test_open_pinned(test);
	KUNIT_EXPECT_EQ(test, sched_test_state(late), ERROR);
	KUNIT_EXPECT_EQ(test, sched_test_count_state(pinned, 2, ACTIVE), 2);

	/* In error no time passes. */
	sched_test_shoot(&before, &late, 1);
	fsleep(1000);
	sched_test_shoot(&after, &late, 1);
	KUNIT_EXPECT_GT(test, after.time, before.time);
	KUNIT_EXPECT_EQ(test, after.enabled[0], before.enabled[0]);

	perf_event_enable(late);
	KUNIT_EXPECT_EQ(test, sched_test_state(late), ERROR);
	/* Room alone does not bring it back, but an enable does. */
	fake_pmu_close(test, pinned[0]);
	KUNIT_EXPECT_EQ(test, sched_test_state(late), ERROR);
	perf_event_enable(late);
	KUNIT_EXPECT_EQ(test, sched_test_state(late), ACTIVE);
	fake_pmu_tick(&fake, 9);
	KUNIT_EXPECT_EQ(test, sched_test_read(late), 9);
}

static void sched_test_group_all_on(struct kunit *test)
{
	struct perf_event *events[3];

	sched_test_begin(test, 3, FOREVER_MS);
	events[0] = sched_test_open_cpu(test);
	for (int i = 1; i < 3; i++)
		events[i] = sched_test_open_sibling(test, events[0]);
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 3, ACTIVE), 3);
	KUNIT_EXPECT_EQ(test, events[0]->nr_siblings, 2);
	fake_pmu_tick(&fake, 7);
	KUNIT_EXPECT_EQ(test, sched_test_read(events[2]), 7);
}

/* A group with one event too many is never scheduled in, not even in part. */
static void sched_test_group_too_large(struct kunit *test)
{
	struct perf_event *events[4], *other;

	sched_test_begin(test, 3, TURN_MS);
	events[0] = sched_test_open_cpu(test);
	for (int i = 1; i < 4; i++)
		events[i] = sched_test_open_sibling(test, events[0]);
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 4, INACTIVE), 4);
	other = sched_test_open_cpu(test);
	sched_test_wait_turns(test, &other, 1, 3);
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 4, INACTIVE), 4);
	/* Without one sibling the group fits. */
	fake_pmu_close(test, events[3]);
	perf_event_disable(other);
	sched_test_wait_active(test, events, 3);
}

static void sched_test_group_beside_others(struct kunit *test)
{
	struct perf_event *single, *leader, *sibling;

	sched_test_begin(test, 2, FOREVER_MS);
	single = sched_test_open_cpu(test);
	leader = sched_test_open_cpu(test);
	KUNIT_EXPECT_EQ(test, sched_test_state(leader), ACTIVE);
	sibling = sched_test_open_sibling(test, leader);
	KUNIT_EXPECT_EQ(test, sched_test_state(single), ACTIVE);
	KUNIT_EXPECT_EQ(test, sched_test_state(leader), INACTIVE);
	KUNIT_EXPECT_EQ(test, sched_test_state(sibling), INACTIVE);
}

/* Each add succeeds, but not the transaction. */
static void sched_test_group_refused_commit(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = sched_test_cpu(), .disabled = true };
	struct perf_event *events[2];

	sched_test_begin(test, 4, TURN_MS);
	events[0] = fake_pmu_open(test, &fake, &spec);
	events[1] = sched_test_open_sibling(test, events[0]);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), 0);
	atomic_set(&fake.refuse_commits, 3);
	perf_event_enable(events[0]);
	KUNIT_EXPECT_GE(test, fake_pmu_calls(&fake, FAKE_CANCEL), 1);
	/* After that, its third try succeeds. */
	sched_test_wait_turns(test, events, 2, 4);
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 2, ACTIVE), 2);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_CANCEL), 3);
}

static void sched_test_exclusive(struct kunit *test)
{
	struct fake_pmu_spec alone = { .cpu = sched_test_cpu(), .exclusive = true };
	struct perf_event *events[4];

	sched_test_begin(test, 4, TURN_MS);
	events[0] = sched_test_open_cpu(test);
	events[1] = fake_pmu_open(test, &fake, &alone);
	events[2] = sched_test_open_cpu(test);
	events[3] = fake_pmu_open(test, &fake, &alone);
	sched_test_wait_turns(test, events, 4, 5);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake.mixed), 0);
}

/* Turns. */

/* Has each event had at least half of an equal share of @counters? */
static bool sched_test_is_fair(const struct sched_test_shot *before,
			       const struct sched_test_shot *after,
			       int counters)
{
	u64 share = counters * (after->time - before->time) / after->nr;

	for (int i = 0; i < after->nr; i++) {
		if (after->running[i] - before->running[i] < share / 2)
			return false;
	}
	return true;
}

/*
 * A machine that stops for a while gives a long turn to the active groups; the
 * others have to catch up, after which the shares are fair.
 */
static void sched_test_wait_fair(struct kunit *test,
				 const struct sched_test_shot *before,
				 struct sched_test_shot *after, int counters)
{
	unsigned long end = jiffies + PATIENCE_US / USEC_PER_SEC * HZ;

	do {
		fsleep(5000);
		sched_test_shoot(after, before->events, before->nr);
	} while (!sched_test_is_fair(before, after, counters) &&
		 time_before(jiffies, end));
	KUNIT_EXPECT_TRUE(test, sched_test_is_fair(before, after, counters));
}

static void sched_test_multiplex(struct kunit *test, int counters, int nr)
{
	static struct sched_test_shot before, after;
	struct perf_event *events[MAX_EVENTS];
	u64 elapsed;

	sched_test_begin(test, counters, TURN_MS);
	for (int i = 0; i < nr; i++)
		events[i] = sched_test_open_cpu(test);
	sched_test_shoot(&before, events, nr);
	sched_test_wait_turns(test, events, nr, 5);
	sched_test_wait_fair(test, &before, &after, counters);

	elapsed = after.time - before.time;
	for (int i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, after.enabled[i] - before.enabled[i],
				elapsed);
		KUNIT_EXPECT_GT(test, after.running[i], before.running[i]);
		KUNIT_EXPECT_LT(test, after.running[i], after.enabled[i]);
	}
	/* Every counter is in use all the time. */
	KUNIT_EXPECT_EQ(test,
			sched_test_sum_running(&after) -
				sched_test_sum_running(&before),
			counters * elapsed);
}

static void sched_test_multiplex_one(struct kunit *test)
{
	sched_test_multiplex(test, 1, 2);
}

static void sched_test_multiplex_some(struct kunit *test)
{
	sched_test_multiplex(test, 3, 7);
}

static void sched_test_multiplex_many(struct kunit *test)
{
	sched_test_multiplex(test, 4, MAX_EVENTS);
}

/* Two groups that need the same counter take turns beside one that does not. */
static void sched_test_multiplex_constraint(struct kunit *test)
{
	struct fake_pmu_spec first = { .cpu = sched_test_cpu(), .counters = BIT(0) };
	struct perf_event *events[3];

	sched_test_begin(test, 2, TURN_MS);
	events[0] = fake_pmu_open(test, &fake, &first);
	events[1] = fake_pmu_open(test, &fake, &first);
	events[2] = sched_test_open_cpu(test);
	sched_test_wait_turns(test, events, 3, 5);
}

static void sched_test_multiplex_groups(struct kunit *test)
{
	struct perf_event *events[6];

	sched_test_begin(test, 3, TURN_MS);
	for (int i = 0; i < 6; i += 2) {
		events[i] = sched_test_open_cpu(test);
		events[i + 1] = sched_test_open_sibling(test, events[i]);
	}
	sched_test_wait_turns(test, events, 6, 5);
}

/* When no group waits the timer stops, and it starts again when needed. */
static void sched_test_multiplex_stops(struct kunit *test)
{
	struct perf_event *events[2];
	bool active;

	sched_test_begin(test, 1, TURN_MS);
	for (int i = 0; i < 2; i++)
		events[i] = sched_test_open_cpu(test);
	sched_test_wait_turns(test, events, 2, 3);
	perf_event_disable(events[0]);
	read_poll_timeout(READ_ONCE, active, !active, 1000, PATIENCE_US, false,
			  per_cpu_ptr(fake.pmu.cpu_pmu_context,
				      sched_test_cpu())
				  ->mux_active);
	KUNIT_EXPECT_FALSE(test, active);
	KUNIT_EXPECT_EQ(test, sched_test_state(events[1]), ACTIVE);
	perf_event_enable(events[0]);
	sched_test_wait_turns(test, events, 2, 8);
}

/* Tasks. */

static void sched_test_bind(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
}

/* A pinned event of the task goes before flexible ones of the CPU. */
static void sched_test_task_pinned(struct kunit *test)
{
	struct perf_event *cpu_event, *task_event;
	struct sched_test_shot shot;

	sched_test_begin(test, 1, FOREVER_MS);
	sched_test_bind(test, sched_test_cpu());
	cpu_event = sched_test_open_cpu(test);
	task_event = sched_test_open_task(test, current, true);
	KUNIT_EXPECT_EQ(test, sched_test_state(task_event), ACTIVE);
	KUNIT_EXPECT_EQ(test, sched_test_state(cpu_event), INACTIVE);

	/* While the task sleeps the CPU's event has the counter. */
	fake_pmu_tick(&fake, 3);
	KUNIT_EXPECT_EQ(test, sched_test_read(cpu_event), 0);
	fsleep(20000);
	KUNIT_EXPECT_EQ(test, sched_test_read(task_event), 3);
	KUNIT_EXPECT_GE(test, fake_pmu_turns(cpu_event), 2);
	sched_test_shoot(&shot, &task_event, 1);
	KUNIT_EXPECT_EQ(test, shot.enabled[0], shot.running[0]);
}

/* A task's groups come last, and get what the CPU's leave at the next choice. */
static void sched_test_task_flexible(struct kunit *test)
{
	unsigned long end = jiffies + 10 * HZ;
	struct perf_event *cpu_event, *task_event;

	sched_test_begin(test, 1, TURN_MS);
	sched_test_bind(test, sched_test_cpu());
	cpu_event = sched_test_open_cpu(test);
	task_event = sched_test_open_task(test, current, false);
	KUNIT_EXPECT_EQ(test, sched_test_state(cpu_event), ACTIVE);
	KUNIT_EXPECT_EQ(test, sched_test_state(task_event), INACTIVE);
	perf_event_disable(cpu_event);
	/* The task's time passes only while it runs. */
	while (sched_test_state(task_event) != ACTIVE &&
	       time_before(jiffies, end))
		cond_resched();
	KUNIT_EXPECT_EQ(test, sched_test_state(task_event), ACTIVE);
}

/* The groups of a choice are put back in one transaction at each switch. */
static void sched_test_task_at_once(struct kunit *test)
{
	struct perf_event *events[4];
	unsigned int turns, others, commits;

	sched_test_begin(test, 4, FOREVER_MS);
	sched_test_bind(test, sched_test_cpu());
	for (int i = 0; i < 4; i++)
		events[i] = sched_test_open_task(test, current, false);
	sched_test_sleep(1000);
	scoped_guard(preempt) {
		turns = fake_pmu_turns(events[0]);
		others = fake_pmu_turns(events[3]);
		commits = fake_pmu_calls(&fake, FAKE_COMMIT);
	}
	sched_test_sleep(1000);
	scoped_guard(preempt) {
		turns = fake_pmu_turns(events[0]) - turns;
		others = fake_pmu_turns(events[3]) - others;
		commits = fake_pmu_calls(&fake, FAKE_COMMIT) - commits;
	}
	KUNIT_EXPECT_GT(test, turns, 0);
	KUNIT_EXPECT_EQ(test, others, turns);
	KUNIT_EXPECT_EQ(test, commits, turns);
}

/* The transaction is refused for one group: the rest is put on one by one. */
static void sched_test_task_one_by_one(struct kunit *test)
{
	struct perf_event *events[3];
	struct sched_test_shot shot;

	sched_test_begin(test, 3, FOREVER_MS);
	sched_test_bind(test, sched_test_cpu());
	for (int i = 0; i < 3; i++)
		events[i] = sched_test_open_task(test, current, false);
	sched_test_sleep(1000);
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 3, ACTIVE), 3);

	WRITE_ONCE(fake.nr_counters, 2);
	sched_test_sleep(1000);
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 3, ACTIVE), 2);
	KUNIT_EXPECT_EQ(test, sched_test_state(events[2]), INACTIVE);
	sched_test_shoot(&shot, events, 3);
	KUNIT_EXPECT_EQ(test, shot.running[0], shot.enabled[0]);
	KUNIT_EXPECT_LT(test, shot.running[2], shot.enabled[2]);
}

/*
 * The same for a pinned group, which must not enter the error state because of
 * the others.
 */
static void sched_test_task_pinned_one_by_one(struct kunit *test)
{
	struct perf_event *events[3];

	sched_test_begin(test, 3, FOREVER_MS);
	sched_test_bind(test, sched_test_cpu());
	for (int i = 0; i < 3; i++)
		events[i] = sched_test_open_task(test, current, true);
	atomic_set(&fake.refuse_commits, 1);
	sched_test_sleep(1000);
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 3, ACTIVE), 3);

	WRITE_ONCE(fake.nr_counters, 2);
	sched_test_sleep(1000);
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 2, ACTIVE), 2);
	KUNIT_EXPECT_EQ(test, sched_test_state(events[2]), ERROR);
}

/* Opens groups of current with all sorts of constraints. */
static int sched_test_open_mix(struct kunit *test, struct rnd_state *rnd,
			       struct perf_event **events)
{
	int nr = 2 + prandom_u32_state(rnd) % (MAX_EVENTS - 2);

	for (int i = 0; i < nr; i++) {
		u32 dice = prandom_u32_state(rnd);
		bool alone = !i || dice >> 9 & 1;
		struct fake_pmu_spec spec = {
			.cpu		= -1,
			.task		= current,
			.counters	= dice & 0xf,
			.pinned		= alone && !(dice >> 4 & 3),
			.exclusive	= alone && !(dice >> 6 & 7),
			.leader		= alone ? NULL :
						  events[i - 1]->group_leader,
		};

		events[i] = fake_pmu_open(test, &fake, &spec);
	}
	return nr;
}

/* Return: a mask of the events that are active after current has slept. */
static u64 sched_test_on_after_sleep(struct perf_event **events, int nr)
{
	u64 on = 0;

	sched_test_sleep(500);
	for (int i = 0; i < nr; i++)
		on |= (u64)(sched_test_state(events[i]) == ACTIVE) << i;
	return on;
}

/* In one transaction or one by one, the same groups become active. */
static void sched_test_task_same_choice(struct kunit *test)
{
	struct perf_event *events[MAX_EVENTS];
	struct rnd_state rnd;

	sched_test_begin(test, 4, FOREVER_MS);
	sched_test_bind(test, sched_test_cpu());
	fake_pmu_seed(test, &rnd);
	for (int round = 0; round < 30; round++) {
		int nr = sched_test_open_mix(test, &rnd, events);
		u64 choice = sched_test_on_after_sleep(events, nr);

		KUNIT_EXPECT_EQ_MSG(test, sched_test_on_after_sleep(events, nr),
				    choice, "round %d", round);
		atomic_set(&fake.refuse_commits, 1);
		KUNIT_EXPECT_EQ_MSG(test, sched_test_on_after_sleep(events, nr),
				    choice, "round %d", round);
		atomic_set(&fake.refuse_commits, 0);
		while (nr--)
			fake_pmu_close(test, events[nr]);
	}
}

/* A thread that makes and counts its own ticks when it is told to. */
struct sched_test_worker {
	struct task_struct	*task;
	struct completion	go;
	struct completion	done;
	int			nr;
	bool			stop;
};

static int sched_test_work(void *arg)
{
	struct sched_test_worker *worker = arg;

	for (;;) {
		wait_for_completion(&worker->go);
		if (worker->stop)
			return 0;
		for (int i = 0; i < worker->nr; i++) {
			fake_pmu_tick(&fake, 1);
			cpu_relax();
		}
		complete(&worker->done);
	}
}

static void sched_test_stop_worker(void *arg)
{
	struct sched_test_worker *worker = arg;

	worker->stop = true;
	complete(&worker->go);
	kthread_stop(worker->task);
	put_task_struct(worker->task);
}

static struct sched_test_worker *sched_test_start_worker(struct kunit *test)
{
	struct sched_test_worker *worker =
		kunit_kzalloc(test, sizeof(*worker), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, worker);
	init_completion(&worker->go);
	init_completion(&worker->done);
	worker->task = kthread_run(sched_test_work, worker, "perf_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(worker->task));
	get_task_struct(worker->task);
	fake_pmu_undo(test, sched_test_stop_worker, worker);
	return worker;
}

/* Waits until it sleeps: it may be preempted before, and then run once more. */
static void sched_test_let_work(struct sched_test_worker *worker, int nr)
{
	unsigned long asleep;

	worker->nr = nr;
	complete(&worker->go);
	wait_for_completion(&worker->done);
	read_poll_timeout(wait_task_inactive, asleep, asleep, 100, PATIENCE_US,
			  false, worker->task, TASK_UNINTERRUPTIBLE);
}

/*
 * A thread that has said "done" may be preempted before it sleeps: its context
 * is unloaded then, but will be loaded once more. A thread off the queue of its
 * CPU cannot run again by itself.
 */
static bool sched_test_is_unloaded(struct perf_event *event)
{
	if (task_is_runnable(perf_event_ctx(event)->pub.task))
		return false;
	smp_rmb();	/* asleep, and after that unloaded */
	return READ_ONCE(perf_event_ctx(event)->loaded_cpu) == PERF_CPU_NONE;
}

static void sched_test_wait_unloaded(struct kunit *test,
				     struct perf_event *event)
{
	bool done;

	read_poll_timeout(sched_test_is_unloaded, done, done, 100, PATIENCE_US,
			  false, event);
	KUNIT_EXPECT_TRUE(test, done);
}

/* Nobody else makes ticks, so the thread's event sees only its own. */
static void sched_test_sleeping_task(struct kunit *test)
{
	static struct sched_test_shot before, after;
	struct sched_test_worker *worker;
	struct perf_event *event;

	sched_test_begin(test, 2, FOREVER_MS);
	worker = sched_test_start_worker(test);
	sched_test_let_work(worker, 10);
	event = sched_test_open_task(test, worker->task, false);
	sched_test_wait_unloaded(test, event);
	KUNIT_EXPECT_EQ(test, sched_test_read(event), 0);

	sched_test_let_work(worker, 1000);
	sched_test_wait_unloaded(test, event);
	KUNIT_EXPECT_EQ(test, sched_test_read(event), 1000);
	sched_test_shoot(&before, &event, 1);
	KUNIT_EXPECT_GT(test, before.running[0], 0);
	KUNIT_EXPECT_EQ(test, before.running[0], before.enabled[0]);

	fake_pmu_tick(&fake, 77);
	fsleep(1000);
	sched_test_shoot(&after, &event, 1);
	KUNIT_EXPECT_EQ(test, after.enabled[0], before.enabled[0]);
	KUNIT_EXPECT_EQ(test, sched_test_read(event), 1000);

	perf_event_disable(event);
	sched_test_let_work(worker, 5);
	perf_event_enable(event);
	sched_test_let_work(worker, 6);
	sched_test_wait_unloaded(test, event);
	KUNIT_EXPECT_EQ(test, sched_test_read(event), 1006);
}

static void sched_test_moving_task(struct kunit *test)
{
	int other = cpumask_next(sched_test_cpu(), cpu_online_mask);
	struct sched_test_worker *worker;
	struct perf_event *event;

	if (other >= nr_cpu_ids)
		kunit_skip(test, "one CPU only");
	sched_test_begin(test, 1, FOREVER_MS);
	worker = sched_test_start_worker(test);
	event = sched_test_open_task(test, worker->task, true);
	for (int i = 0; i < 50; i++) {
		const struct cpumask *mask =
			cpumask_of(i & 1 ? other : sched_test_cpu());

		KUNIT_ASSERT_EQ(test, 0,
				set_cpus_allowed_ptr(worker->task, mask));
		sched_test_let_work(worker, 20);
	}
	sched_test_wait_unloaded(test, event);
	KUNIT_EXPECT_EQ(test, sched_test_state(event), INACTIVE);
	KUNIT_EXPECT_EQ(test, sched_test_read(event), 1000);
}

/* Many threads with an event each: an event counts no other thread. */
static void sched_test_many_tasks(struct kunit *test)
{
	struct sched_test_worker *workers[8];
	struct perf_event *events[8];

	sched_test_begin(test, 1, FOREVER_MS);
	for (int i = 0; i < 8; i++) {
		workers[i] = sched_test_start_worker(test);
		events[i] = sched_test_open_task(test, workers[i]->task, true);
		sched_test_wait_unloaded(test, events[i]);
	}
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 8; i++) {
			sched_test_let_work(workers[i], i + 1);
			sched_test_wait_unloaded(test, events[i]);
		}
	}
	for (int i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, sched_test_read(events[i]), 10 * (i + 1));
}

/* A task's event that is bound to a CPU does not count on others. */
static void sched_test_task_on_cpu(struct kunit *test)
{
	int other = cpumask_next(sched_test_cpu(), cpu_online_mask);
	struct fake_pmu_spec spec = { .cpu = other };
	struct sched_test_worker *worker;
	struct perf_event *event;

	if (other >= nr_cpu_ids)
		kunit_skip(test, "one CPU only");
	sched_test_begin(test, 1, FOREVER_MS);
	worker = sched_test_start_worker(test);
	spec.task = worker->task;
	event = fake_pmu_open(test, &fake, &spec);
	set_cpus_allowed_ptr(worker->task, cpumask_of(sched_test_cpu()));
	sched_test_let_work(worker, 10);
	sched_test_wait_unloaded(test, event);
	KUNIT_EXPECT_EQ(test, sched_test_read(event), 0);
	set_cpus_allowed_ptr(worker->task, cpumask_of(other));
	sched_test_let_work(worker, 10);
	sched_test_wait_unloaded(test, event);
	KUNIT_EXPECT_EQ(test, sched_test_read(event), 10);
}

/* The task runs, but not on the CPU of its event. */
static void sched_test_task_elsewhere(struct kunit *test)
{
	int other = cpumask_next(sched_test_cpu(), cpu_online_mask);
	struct fake_pmu_spec spec = { .cpu = other, .task = current };
	struct perf_event *event;

	if (other >= nr_cpu_ids)
		kunit_skip(test, "one CPU only");
	sched_test_begin(test, 1, FOREVER_MS);
	sched_test_bind(test, sched_test_cpu());
	event = fake_pmu_open(test, &fake, &spec);
	KUNIT_EXPECT_EQ(test, sched_test_state(event), INACTIVE);
	perf_event_disable(event);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, sched_test_state(event), INACTIVE);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), 0);
	sched_test_bind(test, other);
	KUNIT_EXPECT_EQ(test, sched_test_state(event), ACTIVE);
}

static s64 sched_test_least_service(struct perf_event **events, int nr)
{
	s64 least = S64_MAX;

	for (int i = 0; i < nr; i++)
		least = min(least, READ_ONCE(events[i]->group_service));
	return least;
}

/*
 * Two groups of the task take turns. A third has no service, since one of the
 * CPU's has its counter. New groups begin behind the two nevertheless.
 */
static void sched_test_new_group_begins_behind(struct kunit *test)
{
	struct fake_pmu_spec cpu = { .cpu = sched_test_cpu(), .counters = BIT(0) };
	struct fake_pmu_spec task = { .cpu = -1, .task = current,
				      .counters = BIT(0) };
	const s64 enough = 10 * TURN_MS * NSEC_PER_MSEC;
	unsigned long end = jiffies + 30 * HZ;
	struct perf_event *events[2], *new;
	s64 least;

	sched_test_begin(test, 2, TURN_MS);
	sched_test_bind(test, sched_test_cpu());
	fake_pmu_open(test, &fake, &cpu);
	fake_pmu_open(test, &fake, &task);
	task.counters = BIT(1);
	for (int i = 0; i < 2; i++)
		events[i] = fake_pmu_open(test, &fake, &task);
	/* The task's time passes only while it runs. */
	do {
		cond_resched();
		least = sched_test_least_service(events, 2);
	} while (least < enough && time_before(jiffies, end));
	KUNIT_ASSERT_GE(test, least, enough);
	new = fake_pmu_open(test, &fake, &task);
	KUNIT_EXPECT_GE(test, sched_test_least_service(&new, 1), least);
}

/* The others. */

static void sched_test_close_software(void *arg)
{
	struct perf_event **events = arg;

	for (int i = 0; i < NR_SOFTWARE && events[i]; i++)
		perf_event_release_kernel(events[i]);
}

static struct perf_event **sched_test_open_software(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_SW_DUMMY,
	};
	struct perf_event **events, *event;

	events = kunit_kcalloc(test, NR_SOFTWARE, sizeof(*events), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, events);
	fake_pmu_undo(test, sched_test_close_software, events);
	for (int i = 0; i < NR_SOFTWARE; i++) {
		event = perf_event_create_kernel_counter(&attr,
							 sched_test_cpu(), NULL,
							 NULL, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		events[i] = event;
	}
	return events;
}

/* A thousand events come and go without disturbing those of this PMU. */
static void sched_test_undisturbed(struct kunit *test)
{
	struct perf_event *events[4], **software;
	int calls;

	sched_test_begin(test, 4, FOREVER_MS);
	for (int i = 0; i < 4; i++)
		events[i] = sched_test_open_cpu(test);
	calls = fake_pmu_calls(&fake, FAKE_START) +
		fake_pmu_calls(&fake, FAKE_STOP);
	software = sched_test_open_software(test);
	KUNIT_EXPECT_EQ(test,
			sched_test_count_state(software, NR_SOFTWARE, ACTIVE),
			NR_SOFTWARE);
	kunit_release_action(test, sched_test_close_software, software);

	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 4, ACTIVE), 4);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), 4);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_DEL), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_START) +
			fake_pmu_calls(&fake, FAKE_STOP), calls);
}

/* Events of its own PMU do not disturb an event either while there is room. */
static void sched_test_undisturbed_by_own(struct kunit *test)
{
	struct perf_event *first, *pinned, *last;

	sched_test_begin(test, 4, FOREVER_MS);
	first = sched_test_open_cpu(test);
	pinned = sched_test_open_pinned(test);
	last = sched_test_open_cpu(test);
	fake_pmu_close(test, sched_test_open_cpu(test));
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD), 4);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_DEL), 1);
	KUNIT_EXPECT_EQ(test, fake_pmu_turns(first) + fake_pmu_turns(pinned) +
			fake_pmu_turns(last), 3);
}

static void sched_test_resched_oncpu(void *unused)
{
	perf_pmu_resched(&fake.pmu);
}

static void sched_test_choose_again(void)
{
	smp_call_function_single(sched_test_cpu(), sched_test_resched_oncpu,
				 NULL, 1);
}

/* A driver's counters become fewer, then more again. */
static void sched_test_resched(struct kunit *test)
{
	struct perf_event *events[4];

	sched_test_begin(test, 4, FOREVER_MS);
	for (int i = 0; i < 4; i++)
		events[i] = sched_test_open_cpu(test);
	fake.nr_counters = 2;
	sched_test_choose_again();
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 4, ACTIVE), 2);
	fake.nr_counters = 4;
	sched_test_choose_again();
	KUNIT_EXPECT_EQ(test, sched_test_count_state(events, 4, ACTIVE), 4);
}

/* A choice has an end only while a group waits for it. */
static void sched_test_choice_ends(struct kunit *test)
{
	struct perf_pmu_ctx *epc;
	struct perf_event *event;

	sched_test_begin(test, 1, FOREVER_MS);
	epc = perf_event_pmu_ctx(sched_test_open_cpu(test));
	sched_test_choose_again();
	KUNIT_EXPECT_EQ(test, epc->chosen_at, 0);
	event = sched_test_open_cpu(test);
	sched_test_choose_again();
	KUNIT_EXPECT_NE(test, epc->chosen_at, 0);
	fake_pmu_close(test, event);
	sched_test_choose_again();
	KUNIT_EXPECT_EQ(test, epc->chosen_at, 0);
}

/* An event that is enabled while its task is away joins the next choice. */
static void sched_test_enabled_away(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1, .disabled = true };
	struct sched_test_worker *worker;
	struct perf_event *event;

	sched_test_begin(test, 3, FOREVER_MS);
	worker = sched_test_start_worker(test);
	/* One of the two pairs waits; one counter is left over. */
	for (int i = 0; i < 2; i++)
		sched_test_open_sibling(test,
					sched_test_open_task(test, worker->task, false));
	spec.task = worker->task;
	event = fake_pmu_open(test, &fake, &spec);
	sched_test_let_work(worker, 10);
	sched_test_wait_unloaded(test, event);

	perf_event_enable(event);
	sched_test_let_work(worker, 5);
	sched_test_wait_unloaded(test, event);
	KUNIT_EXPECT_EQ(test, sched_test_read(event), 5);
}

/* A switch out ends the throttling of an event, and that is reported. */
static void sched_test_throttled_away(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1, .task = current,
				      .period = 1000 };
	struct perf_event *event;

	sched_test_begin(test, 1, FOREVER_MS);
	event = fake_pmu_open(test, &fake, &spec);
	scoped_guard(irqsave) {
		event->hw.interrupts = MAX_INTERRUPTS;
		event->throttle_reported = true;
	}
	sched_test_sleep(1000);
	KUNIT_EXPECT_FALSE(test, perf_event_is_throttled(event));
	KUNIT_EXPECT_FALSE(test, event->throttle_reported);
}

/*
 * There are so many groups that do not fit that a choice does not try all. A
 * group that fits has its turns nevertheless, now and then.
 */
static void sched_test_many_wait(struct kunit *test)
{
	struct fake_pmu_spec first = { .cpu = sched_test_cpu(), .counters = BIT(0) };
	struct fake_pmu_spec second = { .cpu = sched_test_cpu(), .counters = BIT(1) };
	struct perf_event *last;
	int refused, turns = 0;

	sched_test_begin(test, 2, FOREVER_MS);
	first.pinned = true;
	fake_pmu_open(test, &fake, &first);
	first.pinned = false;
	for (int i = 0; i < 100; i++)
		fake_pmu_open(test, &fake, &first);
	last = fake_pmu_open(test, &fake, &second);
	for (int i = 0; i < 20; i++) {
		refused = fake_pmu_calls(&fake, FAKE_REFUSE);
		smp_call_function_single(sched_test_cpu(),
					 sched_test_resched_oncpu, NULL, 1);
		refused = fake_pmu_calls(&fake, FAKE_REFUSE) - refused;
		/* It begins with the first ones, and goes on elsewhere. */
		KUNIT_EXPECT_LE(test, refused, MAX_REFUSED);
		KUNIT_EXPECT_GT(test, refused, MAX_REFUSED / 2);
		turns += sched_test_state(last) == ACTIVE;
	}
	KUNIT_EXPECT_GE(test, turns, 2);
}

static struct kunit_case sched_test_cases[] = {
	KUNIT_CASE(sched_test_all_fit),
	KUNIT_CASE(sched_test_first_come),
	KUNIT_CASE(sched_test_pinned_first),
	KUNIT_CASE(sched_test_pinned_stays),
	KUNIT_CASE(sched_test_pinned_error),
	KUNIT_CASE(sched_test_group_all_on),
	KUNIT_CASE(sched_test_group_too_large),
	KUNIT_CASE(sched_test_group_beside_others),
	KUNIT_CASE(sched_test_group_refused_commit),
	KUNIT_CASE(sched_test_exclusive),
	KUNIT_CASE(sched_test_multiplex_one),
	KUNIT_CASE(sched_test_multiplex_some),
	KUNIT_CASE(sched_test_multiplex_many),
	KUNIT_CASE(sched_test_multiplex_constraint),
	KUNIT_CASE(sched_test_multiplex_groups),
	KUNIT_CASE(sched_test_multiplex_stops),
	KUNIT_CASE(sched_test_task_pinned),
	KUNIT_CASE(sched_test_task_flexible),
	KUNIT_CASE(sched_test_task_at_once),
	KUNIT_CASE(sched_test_task_one_by_one),
	KUNIT_CASE(sched_test_task_pinned_one_by_one),
	KUNIT_CASE(sched_test_task_same_choice),
	KUNIT_CASE(sched_test_sleeping_task),
	KUNIT_CASE(sched_test_moving_task),
	KUNIT_CASE(sched_test_many_tasks),
	KUNIT_CASE(sched_test_task_on_cpu),
	KUNIT_CASE(sched_test_task_elsewhere),
	KUNIT_CASE(sched_test_new_group_begins_behind),
	KUNIT_CASE(sched_test_undisturbed),
	KUNIT_CASE(sched_test_undisturbed_by_own),
	KUNIT_CASE(sched_test_resched),
	KUNIT_CASE(sched_test_choice_ends),
	KUNIT_CASE(sched_test_enabled_away),
	KUNIT_CASE(sched_test_throttled_away),
	KUNIT_CASE(sched_test_many_wait),
	{ }
};

static struct kunit_suite sched_test_suite = {
	.name		= "perf_sched",
	.suite_init	= sched_test_suite_init,
	.suite_exit	= sched_test_suite_exit,
	.test_cases	= sched_test_cases,
};

kunit_test_suite(sched_test_suite);
