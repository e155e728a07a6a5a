// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU made of software, for tests of the engine.
 *
 * Purpose: shows what the core does to a PMU, without hardware and without
 * interrupts. Each CPU has a few counters that all count the same ticks, which
 * pass when a test says so. An event takes the lowest free counter that it may
 * use.
 *
 * Owns: its counters; hw.{config,idx,prev_count,state} and pmu_private of its
 * events.
 *
 * Contexts: the methods as struct pmu describes them. They check its rules and
 * count calls that break one; the case that expects an idle PMU at its end then
 * fails. Nothing warns, so that a fault is reported by the case that made it.
 *
 * Lifetime: a suite registers the PMU before its first case and takes it back
 * after the last; the events of a case are closed when it ends.
 *
 * Locking: a CPU's unit is used by that CPU only, with interrupts off.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../clock.h"
#include "../context.h"
#include "../control.h"
#include "../event.h"
#include "../event_state.h"
#include "../groups.h"
#include "../live.h"
#include "../pmu.h"
#include "../software.h"
#include "fake_pmu.h"

/* Memory that a test of leaks would lose. */
#define FAKE_LOST_BYTES	SZ_16M

#define to_fake(p)	container_of((p), struct fake_pmu, pmu)

struct fake_pmu_event {
	atomic_t	turns;
};

static unsigned int seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "first number of the random tests, 0 for a new one");

/* Rules. */

static void fake_pmu_expect(struct fake_pmu *fake, bool kept, const char *rule)
{
	if (kept)
		return;
	if (atomic_inc_return(&fake->faults) == 1)
		WRITE_ONCE(fake->fault, rule);
}

static struct fake_pmu_cpu *fake_pmu_enter(struct fake_pmu *fake,
					   enum fake_pmu_call call)
{
	fake_pmu_expect(fake, irqs_disabled(), "called with interrupts on");
	atomic_inc(&fake->calls[call]);
	return this_cpu_ptr(fake->cpus);
}

static bool fake_pmu_holds(struct fake_pmu_cpu *unit, struct perf_event *event)
{
	int idx = event->hw.idx;

	return idx >= 0 && idx < FAKE_PMU_COUNTERS && unit->owner[idx] == event;
}

/* Methods. */

static void fake_pmu_update(struct perf_event *event)
{
	s64 now = atomic64_read(&to_fake(event->pmu)->ticks);
	s64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - before, &event->count);
}

static void fake_pmu_start(struct perf_event *event, int flags)
{
	struct fake_pmu *fake = to_fake(event->pmu);
	struct fake_pmu_cpu *unit = fake_pmu_enter(fake, FAKE_START);

	fake_pmu_expect(fake, unit->disabled, "start while the PMU is enabled");
	fake_pmu_expect(fake, fake_pmu_holds(unit, event),
			"start without a counter");
	fake_pmu_expect(fake, event->hw.state & PERF_HES_STOPPED,
			"start of an event that counts");
	fake_pmu_expect(fake, flags & PERF_EF_RELOAD ||
			!(event->hw.state & PERF_HES_UPTODATE),
			"start of a saved count on any counter");
	perf_counter_set_state(event, PERF_COUNTER_COUNTS);
	local64_set(&event->hw.prev_count, atomic64_read(&fake->ticks));
}

static void fake_pmu_stop(struct perf_event *event, int flags)
{
	struct fake_pmu *fake = to_fake(event->pmu);
	struct fake_pmu_cpu *unit = fake_pmu_enter(fake, FAKE_STOP);

	fake_pmu_expect(fake, fake_pmu_holds(unit, event),
			"stop without a counter");
	fake_pmu_expect(fake, unit->disabled, "stop while the PMU is enabled");
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	fake_pmu_update(event);
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
}

static int fake_pmu_find(const struct fake_pmu *fake,
			 const struct fake_pmu_cpu *unit, u64 allowed)
{
	for (unsigned int i = 0; i < fake->nr_counters; i++) {
		if (!unit->owner[i] && (!allowed || allowed & BIT_ULL(i)))
			return i;
	}
	return -1;
}

/* The event gets a counter, and does not count yet. */
static void fake_pmu_take(struct fake_pmu_cpu *unit, struct perf_event *event,
			  int idx)
{
	struct fake_pmu_event *mine = event->pmu_private;

	unit->owner[idx] = event;
	unit->fresh |= BIT(idx);
	event->hw.idx = idx;
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
	atomic_inc(&mine->turns);
}

/* What holds for add() and del() of an event, and for its set. */
static void fake_pmu_expect_sched(struct fake_pmu *fake,
				  const struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx(event);

	fake_pmu_expect(fake, this_cpu_ptr(fake->cpus)->disabled,
			"scheduled while the PMU is enabled");
	fake_pmu_expect(fake, ctx->loaded_cpu == smp_processor_id(),
			"scheduled while the context is not loaded");
	fake_pmu_expect(fake, raw_spin_is_locked(&ctx->lock),
			"scheduled without the lock of the context");
}

static int fake_pmu_add(struct perf_event *event, int flags)
{
	struct fake_pmu *fake = to_fake(event->pmu);
	struct fake_pmu_cpu *unit = this_cpu_ptr(fake->cpus);
	int idx = fake_pmu_find(fake, unit, event->hw.config);

	fake_pmu_enter(fake, idx < 0 ? FAKE_REFUSE : FAKE_ADD);
	fake_pmu_expect_sched(fake, event);
	fake_pmu_expect(fake, event->hw.idx < 0, "add of an event that is on");
	fake_pmu_expect(fake, event->oncpu == smp_processor_id(),
			"add on a CPU that is not event->oncpu");
	if (idx < 0)
		return -EAGAIN;
	fake_pmu_take(unit, event, idx);
	if (flags & PERF_EF_START)
		fake_pmu_start(event, PERF_EF_RELOAD);
	return 0;
}

/* The event leaves its counter, and its count is up to date. */
static void fake_pmu_leave(struct fake_pmu_cpu *unit, struct perf_event *event)
{
	struct fake_pmu *fake = to_fake(event->pmu);

	if (!fake_pmu_holds(unit, event)) {
		fake_pmu_expect(fake, false, "del of an event that is not on");
		return;
	}
	/* Drivers assign counters when they are enabled, and not before. */
	fake_pmu_expect(fake, unit->txn == PERF_PMU_TXN_ADD ||
			!(unit->fresh & BIT(event->hw.idx)),
			"del of an event that was not yet enabled");
	fake_pmu_stop(event, PERF_EF_UPDATE);
	unit->owner[event->hw.idx] = NULL;
	event->hw.idx = -1;
}

static void fake_pmu_del(struct perf_event *event, int flags)
{
	struct fake_pmu *fake = to_fake(event->pmu);
	struct fake_pmu_cpu *unit = fake_pmu_enter(fake, FAKE_DEL);

	fake_pmu_expect_sched(fake, event);
	fake_pmu_leave(unit, event);
}

/* The counters that the events of a set find, or false. */
static bool fake_pmu_place(struct fake_pmu *fake, struct perf_event_set *set,
			   struct fake_pmu_cpu *unit)
{
	struct fake_pmu_cpu trial = *unit;

	for (unsigned int i = 0; i < set->nr; i++) {
		struct perf_event *event = set->events[i];
		int idx = fake_pmu_find(fake, &trial, event->hw.config);

		if (idx < 0)
			return false;
		trial.owner[idx] = event;
	}
	return true;
}

static int fake_pmu_load(struct pmu *pmu, struct perf_event_set *set)
{
	struct fake_pmu *fake = to_fake(pmu);
	struct fake_pmu_cpu *unit = this_cpu_ptr(fake->cpus);
	bool fits = fake_pmu_place(fake, set, unit) &&
		    atomic_dec_if_positive(&fake->refuse_loads) < 0;

	fake_pmu_enter(fake, fits ? FAKE_LOAD : FAKE_REFUSE_LOAD);
	fake_pmu_expect(fake, set->nr && set->serial, "load of an empty set");
	fake_pmu_expect(fake, !unit->disabled, "load while the PMU is disabled");
	if (!fits)
		return -EAGAIN;
	unit->disabled = true;
	for (unsigned int i = 0; i < set->nr; i++) {
		struct perf_event *event = set->events[i];

		fake_pmu_enter(fake, FAKE_ADD_BY_LOAD);
		fake_pmu_expect_sched(fake, event);
		fake_pmu_expect(fake, event->hw.idx < 0,
				"load of an event that is on");
		fake_pmu_expect(fake, event->state == PERF_EVENT_STATE_ACTIVE &&
				event->oncpu == smp_processor_id(),
				"load of an event that is not active");
		fake_pmu_expect(fake, !perf_event_is_throttled(event),
				"load of a throttled event");
		fake_pmu_take(unit, event,
			      fake_pmu_find(fake, unit, event->hw.config));
		fake_pmu_start(event, PERF_EF_RELOAD);
	}
	unit->disabled = false;
	unit->fresh = 0;
	return 0;
}

static void fake_pmu_unload(struct pmu *pmu, struct perf_event_set *set)
{
	struct fake_pmu *fake = to_fake(pmu);
	struct fake_pmu_cpu *unit = fake_pmu_enter(fake, FAKE_UNLOAD);

	if (fake->during_unload)
		fake->during_unload(set);
	fake_pmu_expect(fake, !unit->disabled,
			"unload while the PMU is disabled");
	unit->disabled = true;
	for (unsigned int i = set->nr; i--;) {
		struct perf_event *event = set->events[i];

		fake_pmu_enter(fake, FAKE_DEL_BY_UNLOAD);
		fake_pmu_expect_sched(fake, event);
		fake_pmu_expect(fake, event->state == PERF_EVENT_STATE_ACTIVE,
				"unload of an event that is not active");
		fake_pmu_leave(unit, event);
	}
	unit->disabled = false;
}

static void fake_pmu_read(struct perf_event *event)
{
	struct fake_pmu *fake = to_fake(event->pmu);
	struct fake_pmu_cpu *unit = fake_pmu_enter(fake, FAKE_READ);

	fake_pmu_expect(fake, fake_pmu_holds(unit, event),
			"read of an event that is not on here");
	if (!(event->hw.state & PERF_HES_STOPPED))
		fake_pmu_update(event);
}

static void fake_pmu_disable(struct pmu *pmu)
{
	struct fake_pmu_cpu *unit = this_cpu_ptr(to_fake(pmu)->cpus);

	atomic_inc(&to_fake(pmu)->calls[FAKE_DISABLE]);
	fake_pmu_expect(to_fake(pmu), !unit->disabled, "disabled twice");
	unit->disabled = true;
}

/* Does an exclusive group share the unit? */
static bool fake_pmu_is_mixed(const struct fake_pmu_cpu *unit)
{
	struct perf_event *alone = NULL, *other = NULL;

	for (int i = 0; i < FAKE_PMU_COUNTERS; i++) {
		struct perf_event *event = unit->owner[i];

		if (event && event->group_leader->attr.exclusive)
			alone = event->group_leader;
	}
	for (int i = 0; i < FAKE_PMU_COUNTERS; i++) {
		struct perf_event *event = unit->owner[i];

		if (event && event->group_leader != alone)
			other = event;
	}
	return alone && other;
}

static void fake_pmu_enable(struct pmu *pmu)
{
	struct fake_pmu *fake = to_fake(pmu);
	struct fake_pmu_cpu *unit = this_cpu_ptr(fake->cpus);

	fake_pmu_expect(fake, unit->disabled, "enabled twice");
	unit->disabled = false;
	unit->fresh = 0;
	if (fake_pmu_is_mixed(unit))
		atomic_inc(&fake->mixed);
}

static void fake_pmu_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct fake_pmu *fake = to_fake(pmu);
	struct fake_pmu_cpu *unit = this_cpu_ptr(fake->cpus);

	fake_pmu_expect(fake, !unit->txn, "transaction in a transaction");
	unit->txn = flags;
	if (flags == PERF_PMU_TXN_ADD)
		perf_pmu_disable(pmu);
}

static void fake_pmu_end_txn(struct pmu *pmu, enum fake_pmu_call call)
{
	struct fake_pmu *fake = to_fake(pmu);
	struct fake_pmu_cpu *unit = fake_pmu_enter(fake, call);
	unsigned int flags = unit->txn;

	fake_pmu_expect(fake, flags, "end of a transaction that is none");
	unit->txn = 0;
	if (flags == PERF_PMU_TXN_ADD)
		perf_pmu_enable(pmu);
}

static void fake_pmu_cancel_txn(struct pmu *pmu)
{
	fake_pmu_end_txn(pmu, FAKE_CANCEL);
}

/* A refused transaction stays open until it is cancelled. */
static int fake_pmu_commit_txn(struct pmu *pmu)
{
	struct fake_pmu *fake = to_fake(pmu);

	if (this_cpu_ptr(fake->cpus)->txn == PERF_PMU_TXN_ADD &&
	    atomic_dec_if_positive(&fake->refuse_commits) >= 0)
		return -EAGAIN;
	fake_pmu_end_txn(pmu, FAKE_COMMIT);
	return 0;
}

static void fake_pmu_destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
}

static int fake_pmu_event_init(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	struct fake_pmu_event *mine;

	if (event->attr.type != pmu->type)
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	if (event->attr.config >> to_fake(pmu)->nr_counters)
		return -EINVAL;
	mine = kzalloc(sizeof(*mine), GFP_KERNEL);
	if (!mine)
		return -ENOMEM;
	event->pmu_private = mine;
	event->hw.config = event->attr.config;
	event->hw.idx = -1;
	event->destroy = fake_pmu_destroy;
	return 0;
}

/* Suites and cases. */

static void fake_pmu_fill(struct fake_pmu *fake)
{
	fake->pmu = (struct pmu) {
		.task_ctx_nr	= perf_hw_context,
		.event_init	= fake_pmu_event_init,
		.pmu_enable	= fake_pmu_enable,
		.pmu_disable	= fake_pmu_disable,
		.add		= fake_pmu_add,
		.del		= fake_pmu_del,
		.start		= fake_pmu_start,
		.stop		= fake_pmu_stop,
		.read		= fake_pmu_read,
		.start_txn	= fake_pmu_start_txn,
		.commit_txn	= fake_pmu_commit_txn,
		.cancel_txn	= fake_pmu_cancel_txn,
	};
}

static int fake_pmu_publish(struct fake_pmu *fake, const char *name)
{
	int err;

	fake->cpus = alloc_percpu(struct fake_pmu_cpu);
	if (!fake->cpus)
		return -ENOMEM;
	err = perf_pmu_register(&fake->pmu, name, -1);
	if (err)
		free_percpu(fake->cpus);
	return err;
}

/**
 * fake_pmu_register() - make the PMU known
 * @fake: zeroed memory that outlives the suite
 * @name: name in sysfs
 *
 * Context: suite_init of a suite.
 * Return: 0, -ENOMEM or what perf_pmu_register() returns.
 */
int fake_pmu_register(struct fake_pmu *fake, const char *name)
{
	fake_pmu_fill(fake);
	return fake_pmu_publish(fake, name);
}

/**
 * fake_pmu_register_loading() - the same for a PMU that loads sets of events
 * @fake: as for fake_pmu_register()
 * @name: as there
 *
 * Context: as there.
 * Return: as there.
 */
int fake_pmu_register_loading(struct fake_pmu *fake, const char *name)
{
	fake_pmu_fill(fake);
	fake->pmu.load = fake_pmu_load;
	fake->pmu.unload = fake_pmu_unload;
	return fake_pmu_publish(fake, name);
}

/**
 * fake_pmu_unregister() - undo fake_pmu_register()
 * @fake: PMU without events
 */
void fake_pmu_unregister(struct fake_pmu *fake)
{
	perf_pmu_unregister(&fake->pmu);
	free_percpu(fake->cpus);
}

/**
 * fake_pmu_reset() - begin a case
 * @fake: PMU without events
 * @nr_counters: counters of each CPU
 * @mux_ms: turn of a flexible group, milliseconds; a long one lets a case look
 *	at what the first choice was
 *
 * The multiplexing timers of the case before are not waited for.
 */
void fake_pmu_reset(struct fake_pmu *fake, unsigned int nr_counters,
		    unsigned int mux_ms)
{
	struct perf_cpu_pmu_context *cpc;
	int cpu;

	for_each_possible_cpu(cpu) {
		cpc = per_cpu_ptr(fake->pmu.cpu_pmu_context, cpu);
		hrtimer_cancel(&cpc->mux_timer);
		cpc->mux_active = false;
		cpc->mux_interval = ms_to_ktime(mux_ms);
	}
	fake->nr_counters = nr_counters;
	atomic64_set(&fake->ticks, 1000);
	atomic_set(&fake->refuse_commits, 0);
	atomic_set(&fake->refuse_loads, 0);
	fake->during_unload = NULL;
	for (int i = 0; i < FAKE_NR_CALLS; i++)
		atomic_set(&fake->calls[i], 0);
	atomic_set(&fake->mixed, 0);
	atomic_set(&fake->faults, 0);
	fake->fault = NULL;
}

/* The number of the enabled set in @ctx, less all events that are enabled. */
static u64 fake_pmu_enabled_too_many(struct perf_ctx *ctx)
{
	struct perf_event *event;
	u64 enabled;

	guard(mutex)(&ctx->mutex);
	guard(raw_spinlock_irq)(&ctx->lock);
	enabled = ctx->enabled;
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (event->state >= PERF_EVENT_STATE_INACTIVE)
			perf_event_toggle_enabled(event);
	}
	swap(enabled, ctx->enabled);
	return enabled;
}

/**
 * fake_pmu_expect_idle() - end a case
 * @test: the case
 * @fake: PMU, all events closed
 */
void fake_pmu_expect_idle(struct kunit *test, struct fake_pmu *fake)
{
	int cpu;

	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&fake->faults), 0, "first: %s",
			    fake->fault);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(fake, FAKE_ADD) +
			fake_pmu_calls(fake, FAKE_ADD_BY_LOAD),
			fake_pmu_calls(fake, FAKE_DEL) +
			fake_pmu_calls(fake, FAKE_DEL_BY_UNLOAD));
	for_each_possible_cpu(cpu) {
		struct fake_pmu_cpu *unit = per_cpu_ptr(fake->cpus, cpu);
		struct perf_ctx *ctx;

		ctx = &per_cpu(perf_cpu_context, cpu).ctx;
		KUNIT_EXPECT_EQ(test, fake_pmu_enabled_too_many(ctx), 0);
		KUNIT_EXPECT_EQ(test, per_cpu(perf_cpu_context, cpu).nr_freq, 0);
		KUNIT_EXPECT_FALSE(test, unit->disabled);
		KUNIT_EXPECT_EQ(test, unit->txn, 0);
		for (int i = 0; i < FAKE_PMU_COUNTERS; i++)
			KUNIT_EXPECT_NULL(test, unit->owner[i]);
	}
}

/* Events. */

/**
 * fake_pmu_join() - open an event of any PMU in a group
 * @attr: attribute
 * @leader: leader of the group
 *
 * Does what the system call does, without a file.
 *
 * Return: event, or the error of perf_event_alloc().
 */
struct perf_event *fake_pmu_join(struct perf_event_attr *attr,
				 struct perf_event *leader)
{
	struct perf_event_spec spec = {
		.attr		= attr,
		.cpu		= leader->cpu,
		.task		= leader->hw.target,
		.group_leader	= leader,
		.cgroup_fd	= -1,
	};
	struct perf_event *event = perf_event_alloc(&spec);
	struct perf_ctx *ctx;

	if (IS_ERR(event))
		return event;
	event->owner = PERF_OWNER_KERNEL;
	ctx = perf_event_ctx_lock(leader);
	perf_epc_get_ref(perf_event_pmu_ctx(leader));
	event->pmu_ctx = leader->pmu_ctx;
	perf_control_install(ctx, event);
	perf_event_ctx_unlock(leader, ctx);
	return event;
}

/**
 * fake_pmu_try_open() - make an event that may be refused
 * @fake: PMU
 * @spec: the event
 *
 * Return: event, or what perf_event_create_kernel_counter() returns; for
 * perf_event_release_kernel() to close.
 */
struct perf_event *fake_pmu_try_open(struct fake_pmu *fake,
				     const struct fake_pmu_spec *spec)
{
	struct perf_event_attr attr = {
		.type		= fake->pmu.type,
		.size		= sizeof(attr),
		.config		= spec->counters,
		.sample_period	= spec->freq ?: spec->period,
		.freq		= spec->freq > 0,
		.pinned		= spec->pinned,
		.exclusive	= spec->exclusive,
		.disabled	= spec->disabled,
		.inherit	= spec->inherit,
		.inherit_stat	= spec->by_task,
	};

	if (spec->leader)
		return fake_pmu_join(&attr, spec->leader);
	return perf_event_create_kernel_counter(&attr, spec->cpu, spec->task,
						NULL, NULL);
}

/**
 * fake_pmu_undo() - register an action for the end of the case
 * @test: the case, which fails if that cannot be arranged
 * @undo: function, called at once if it cannot
 * @arg: its argument
 */
void fake_pmu_undo(struct kunit *test, void (*undo)(void *arg), void *arg)
{
	int err = kunit_add_action_or_reset(test, undo, arg);

	KUNIT_ASSERT_EQ(test, err, 0);
}

static void fake_cpu_online(void *cpu)
{
	add_cpu((unsigned long)cpu);
}

/**
 * fake_take_offline() - take a CPU offline until the case ends
 * @test: the case, which is skipped if the CPU stays online
 * @cpu: CPU
 */
void fake_take_offline(struct kunit *test, int cpu)
{
	int err = remove_cpu(cpu);

	if (err)
		kunit_skip(test, "CPU %d stays online: %d", cpu, err);
	fake_pmu_undo(test, fake_cpu_online, (void *)(unsigned long)cpu);
}

/**
 * fake_bring_online() - bring a CPU back before the case ends
 * @test: the case, which fails if the CPU does not come
 * @cpu: CPU of fake_take_offline()
 */
void fake_bring_online(struct kunit *test, int cpu)
{
	kunit_release_action(test, fake_cpu_online,
			     (void *)(unsigned long)cpu);
	KUNIT_ASSERT_TRUE(test, cpu_online(cpu));
}

static void *fake_pmu_setup_aux(struct perf_event *event, void **pages,
				int nr_pages, bool overwrite)
{
	return NULL;
}

static void fake_pmu_end_trace(void *fake)
{
	((struct fake_pmu *)fake)->pmu.setup_aux = NULL;
}

/**
 * fake_pmu_trace() - let the PMU be one that traces, until the case ends
 * @test: the case
 * @fake: PMU
 */
void fake_pmu_trace(struct kunit *test, struct fake_pmu *fake)
{
	fake->pmu.setup_aux = fake_pmu_setup_aux;
	fake_pmu_undo(test, fake_pmu_end_trace, fake);
}

/**
 * fake_pmu_release() - close an event, as an action of fake_pmu_undo()
 * @event: the event
 */
void fake_pmu_release(void *event)
{
	perf_event_release_kernel(event);
}

/**
 * fake_pmu_open() - make an event for the rest of a case
 * @test: the case, which fails if that does
 * @fake: PMU
 * @spec: the event
 *
 * Return: event.
 */
struct perf_event *fake_pmu_open(struct kunit *test, struct fake_pmu *fake,
				 const struct fake_pmu_spec *spec)
{
	struct perf_event *event = fake_pmu_try_open(fake, spec);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "open: %ld",
			       PTR_ERR(event));
	fake_pmu_undo(test, fake_pmu_release, event);
	return event;
}

/**
 * fake_open_counter() - open an event of any PMU until the case ends
 * @test: the case, which fails if that is refused
 * @attr: attribute
 * @cpu: CPU or -1
 * @task: task or %NULL
 *
 * Return: event without an overflow handler.
 */
struct perf_event *fake_open_counter(struct kunit *test,
				     struct perf_event_attr *attr, int cpu,
				     struct task_struct *task)
{
	struct perf_event *event;

	event = perf_event_create_kernel_counter(attr, cpu, task, NULL, NULL);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "open: %ld", PTR_ERR(event));
	fake_pmu_undo(test, fake_pmu_release, event);
	return event;
}

/**
 * fake_find_pmu() - look for a registered PMU
 * @name: its name
 *
 * Return: PMU that never goes away, or %NULL.
 */
struct pmu *fake_find_pmu(const char *name)
{
	struct pmu *pmu;

	guard(mutex)(&perf_pmus_mutex);
	list_for_each_entry(pmu, &perf_pmus, entry) {
		if (pmu->name && !strcmp(pmu->name, name))
			return pmu;
	}
	return NULL;
}

/* For events in no context: a PMU context that they can name. */
struct perf_event_pmu_context *fake_software_pmu_ctx(void)
{
	struct pmu *pmu = fake_find_pmu("software");

	return &per_cpu_ptr(pmu->cpu_pmu_context, 0)->epc.pub;
}

/**
 * fake_pmu_close() - close an event before the case ends
 * @test: the case
 * @event: what fake_pmu_open() returned
 */
void fake_pmu_close(struct kunit *test, struct perf_event *event)
{
	kunit_release_action(test, fake_pmu_release, event);
}

/**
 * fake_pmu_turns() - count how often an event was scheduled in
 * @event: event of a fake PMU
 *
 * Return: successful calls of add().
 */
unsigned int fake_pmu_turns(const struct perf_event *event)
{
	const struct fake_pmu_event *mine = event->pmu_private;

	return atomic_read(&mine->turns);
}

void fake_ctx_init(struct perf_ctx *ctx)
{
	perf_ctx_init(ctx, -1);
	perf_live_add(PERF_LIVE_CONTEXTS, -1);
}

static unsigned long fake_slab_bytes(void)
{
	rcu_barrier();
	rcu_barrier();
	return global_node_page_state_pages(NR_SLAB_UNRECLAIMABLE_B) <<
	       PAGE_SHIFT;
}

void fake_expect_freed(struct kunit *test, void (*round)(struct kunit *test),
		       size_t bytes)
{
	unsigned int rounds = FAKE_LOST_BYTES / bytes, every = rounds / 20 + 1;
	unsigned long before;

	/* It keeps freed memory for a while, and finds leaks by itself. */
	if (IS_ENABLED(CONFIG_KASAN_GENERIC))
		kunit_skip(test, "KASAN keeps freed memory");
	before = fake_slab_bytes();
	for (unsigned int i = 0; i < rounds; i++) {
		round(test);
		if (i % every == 0)
			rcu_barrier();
	}
	KUNIT_EXPECT_LT(test, fake_slab_bytes(), before + FAKE_LOST_BYTES / 4);
}

/**
 * fake_pmu_seed() - begin a sequence of random numbers
 * @test: the case, in whose log the seed appears
 * @rnd: state of the sequence
 *
 * The parameter fake_pmu.seed on the kernel's command line repeats a sequence.
 */
void fake_pmu_seed(struct kunit *test, struct rnd_state *rnd)
{
	unsigned int first = seed ?: get_random_u32();

	kunit_info(test, "fake_pmu.seed=%u", first);
	prandom_seed_state(rnd, first);
}
