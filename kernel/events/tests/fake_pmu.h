/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU made of software, for tests of the engine: a few counters for each
 * CPU, no interrupts, and a log of the core's calls.
 */
#ifndef _KERNEL_EVENTS_TESTS_FAKE_PMU_H
#define _KERNEL_EVENTS_TESTS_FAKE_PMU_H

#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>

#include "../pmu.h"
#include "../types.h"

#define FAKE_PMU_COUNTERS	8

/* Methods whose calls are counted. */
enum fake_pmu_call {
	FAKE_ADD,		/* adds that found a counter */
	FAKE_REFUSE,		/* adds that found none */
	FAKE_DEL,
	FAKE_START,
	FAKE_STOP,
	FAKE_READ,
	FAKE_DISABLE,		/* of the whole PMU */
	FAKE_COMMIT,
	FAKE_CANCEL,
	FAKE_LOAD,		/* sets that found their counters */
	FAKE_REFUSE_LOAD,	/* sets that were refused */
	FAKE_UNLOAD,
	FAKE_ADD_BY_LOAD,	/* events of sets that were loaded */
	FAKE_DEL_BY_UNLOAD,
	FAKE_NR_CALLS
};

/* One CPU's unit; used by that CPU only, with interrupts off. */
struct fake_pmu_cpu {
	struct perf_event	*owner[FAKE_PMU_COUNTERS];
	/* Counters that were assigned since the PMU was disabled. */
	unsigned long		fresh;
	bool			disabled;
	unsigned int		txn;
};

/**
 * struct fake_pmu - the PMU and its script
 * @pmu: what the core sees
 * @cpus: a unit for each CPU
 * @nr_counters: counters that exist at present
 * @ticks: what every counter counts; see fake_pmu_tick()
 * @refuse_commits: number of transactions that will be refused from now on
 * @refuse_loads: number of sets that will be refused from now on
 * @during_unload: called in unload() for the set, before its events stop
 * @calls: calls of each method, all CPUs together
 * @mixed: times that an exclusive group was active beside another
 * @faults: calls that broke a rule of struct pmu
 * @fault: the first broken rule
 */
struct fake_pmu {
	struct pmu			pmu;
	struct fake_pmu_cpu __percpu	*cpus;
	unsigned int			nr_counters;
	atomic64_t			ticks;
	atomic_t			refuse_commits;
	atomic_t			refuse_loads;
	void				(*during_unload)(struct perf_event_set *set);
	atomic_t			calls[FAKE_NR_CALLS];
	atomic_t			mixed;
	atomic_t			faults;
	const char			*fault;
};

/**
 * struct fake_pmu_spec - an event of the fake PMU
 * @leader: group to join, NULL for none; then @task and @cpu are the leader's
 * @task: task to follow, NULL for a CPU's event
 * @cpu: CPU, -1 for any
 * @counters: mask of the counters it can use, 0 for any
 * @period: sampling period, 0 for a counting event; no sample is ever taken
 * @freq: samples a second instead of a period, 0 for none
 * @pinned: attr.pinned
 * @exclusive: attr.exclusive
 * @disabled: attr.disabled
 * @inherit: attr.inherit
 * @by_task: attr.inherit_stat
 */
struct fake_pmu_spec {
	struct perf_event	*leader;
	struct task_struct	*task;
	int			cpu;
	u64			counters;
	u64			period;
	u64			freq;
	bool			pinned;
	bool			exclusive;
	bool			disabled;
	bool			inherit;
	bool			by_task;
};

/* Suites: once each. */
int fake_pmu_register(struct fake_pmu *fake, const char *name);
int fake_pmu_register_loading(struct fake_pmu *fake, const char *name);
void fake_pmu_unregister(struct fake_pmu *fake);

/* Cases: no event of the PMU exists. */
void fake_pmu_reset(struct fake_pmu *fake, unsigned int nr_counters,
		    unsigned int mux_ms);
struct perf_event *fake_open_counter(struct kunit *test,
				     struct perf_event_attr *attr, int cpu,
				     struct task_struct *task);
struct pmu *fake_find_pmu(const char *name);
struct perf_event_pmu_context *fake_software_pmu_ctx(void);
void fake_pmu_undo(struct kunit *test, void (*undo)(void *arg), void *arg);
void fake_take_offline(struct kunit *test, int cpu);
void fake_bring_online(struct kunit *test, int cpu);
void fake_pmu_trace(struct kunit *test, struct fake_pmu *fake);
void fake_pmu_expect_idle(struct kunit *test, struct fake_pmu *fake);

/* Events; those that fake_pmu_open() made are closed when the case ends. */
struct perf_event *fake_pmu_try_open(struct fake_pmu *fake,
				     const struct fake_pmu_spec *spec);
struct perf_event *fake_pmu_open(struct kunit *test, struct fake_pmu *fake,
				 const struct fake_pmu_spec *spec);
struct perf_event *fake_pmu_join(struct perf_event_attr *attr,
				 struct perf_event *leader);
void fake_pmu_release(void *event);
void fake_pmu_close(struct kunit *test, struct perf_event *event);
unsigned int fake_pmu_turns(const struct perf_event *event);

static inline void fake_pmu_tick(struct fake_pmu *fake, u64 nr)
{
	atomic64_add(nr, &fake->ticks);
}

/* Return: how many events the driver has accepted and not dropped. */
static inline unsigned int test_pmu_nr_events(const struct pmu *pmu)
{
	unsigned int nr = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct perf_pmu_users *users = perf_pmu_users(pmu, cpu);

		guard(raw_spinlock_irq)(&users->lock);
		nr += list_count_nodes(&users->events);
	}
	return nr;
}

static inline int fake_pmu_calls(struct fake_pmu *fake, enum fake_pmu_call call)
{
	return atomic_read(&fake->calls[call]);
}

/* By how much a group's service exceeds that of those whose turn it is. */
static inline s64 test_group_lead(const struct perf_event *leader)
{
	return leader->total_time_running + leader->group_start -
	       perf_event_pmu_ctx(leader)->least_service;
}

static inline void test_group_set_lead(struct perf_event *leader, s64 lead)
{
	leader->group_start += lead - test_group_lead(leader);
}

/* A context in memory of the test's, which the core neither frees nor counts. */
void fake_ctx_init(struct perf_ctx *ctx);

/* Random numbers that a later run can repeat. */
void fake_pmu_seed(struct kunit *test, struct rnd_state *rnd);

/*
 * Current is switched out, for a millisecond at least. On a busy host a timer
 * may end before its task has slept.
 */
static inline void fake_pmu_switch_out(void)
{
	unsigned long switches = current->nvcsw;

	do {
		fsleep(1000);
	} while (current->nvcsw == switches);
}

/*
 * Does @round, which gives back all the memory that it takes, a few grace
 * periods later at most, so often that @bytes lost each time would be many.
 */
void fake_expect_freed(struct kunit *test, void (*round)(struct kunit *test),
		       size_t bytes);

#endif /* _KERNEL_EVENTS_TESTS_FAKE_PMU_H */
