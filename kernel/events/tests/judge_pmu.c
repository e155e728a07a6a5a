// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU that judges groups, for tests of the rooms caps and fit.
 *
 * Purpose: judges a group as real drivers do: is there a counter for each event
 * of the group, if nothing else is on the PMU? It counts nothing.
 *
 * Owns: judge_pmu.
 *
 * Contexts: task. Methods that schedule events do nothing.
 *
 * Lifetime: a case scripts the PMU and registers it. It is unregistered when
 * the case ends.
 *
 * Locking: none; cases run one after the other.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/string.h>

#include "../types.h"
#include "fake_pmu.h"
#include "judge_pmu.h"

struct judge_pmu judge_pmu;

/* Is there a counter for event @nr if the other events may move? */
static bool judge_pmu_place(const u32 *wants, int *holder, int nr, u32 *seen)
{
	for (int c = 0; c < JUDGE_PMU_COUNTERS; c++) {
		if (!(wants[nr] & BIT(c)) || *seen & BIT(c))
			continue;
		*seen |= BIT(c);
		if (holder[c] < 0 ||
		    judge_pmu_place(wants, holder, holder[c], seen)) {
			holder[c] = nr;
			return true;
		}
	}
	return false;
}

static bool judge_pmu_fits(const u32 *wants, int nr)
{
	int holder[JUDGE_PMU_COUNTERS];

	memset(holder, -1, sizeof(holder));
	for (int i = 0; i < nr; i++) {
		u32 seen = 0;

		if (!judge_pmu_place(wants, holder, i, &seen))
			return false;
	}
	return true;
}

static int judge_pmu_judge(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	u32 wants[JUDGE_PMU_COUNTERS + 2];
	int nr = 0;

	wants[nr++] = judge_pmu.counters[event->attr.config];
	if (leader != event) {
		wants[nr++] = judge_pmu.counters[leader->attr.config];
		for_each_sibling_event(sibling, leader)
			wants[nr++] = judge_pmu.counters[sibling->attr.config];
	}
	return judge_pmu_fits(wants, nr) ? 0 : -EINVAL;
}

static int judge_pmu_event_init(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_HARDWARE &&
	    event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config >= JUDGE_PMU_KINDS ||
	    !judge_pmu.counters[event->attr.config])
		return -EINVAL;
	if (judge_pmu.no_memory)
		return -ENOMEM;
	return judge_pmu.judges ? judge_pmu_judge(event) : 0;
}

static int judge_pmu_add(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	return 0;
}

static void judge_pmu_nothing(struct perf_event *event, int flags)
{
}

static void judge_pmu_read(struct perf_event *event)
{
}

static int judge_pmu_counters(struct pmu *pmu,
			      struct perf_pmu_counters *counters)
{
	if (judge_pmu.absent_on == -1 ||
	    smp_processor_id() == judge_pmu.absent_on)
		return -ENODEV;
	counters->general = judge_pmu.general;
	counters->fixed = judge_pmu.fixed;
	counters->general_free = judge_pmu.general - judge_pmu.held;
	/* Another CPU has one fewer. */
	if (smp_processor_id())
		counters->general_free--;
	counters->fixed_free = 0;
	return 0;
}

/**
 * judge_pmu_init() - begin a case without a PMU
 * @test: its case
 *
 * Context: task; an init function of suites.
 * Return: 0.
 */
int judge_pmu_init(struct kunit *test)
{
	judge_pmu = (struct judge_pmu) {
		.pmu = {
			.task_ctx_nr	= perf_hw_context,
			.capabilities	= PERF_PMU_CAP_EXTENDED_HW_TYPE |
					  PERF_PMU_CAP_NO_INTERRUPT,
			.event_init	= judge_pmu_event_init,
			.add		= judge_pmu_add,
			.del		= judge_pmu_nothing,
			.start		= judge_pmu_nothing,
			.stop		= judge_pmu_nothing,
			.read		= judge_pmu_read,
		},
		.judges = true,
	};
	return 0;
}

/**
 * judge_pmu_unregister() - unregister the PMU before the case ends
 * @unused: so that it can be an action of KUnit
 *
 * Context: task.
 */
void judge_pmu_unregister(void *unused)
{
	if (judge_pmu.is_registered)
		perf_pmu_unregister(&judge_pmu.pmu);
	judge_pmu.is_registered = false;
}

/**
 * judge_pmu_register() - register the PMU until the case ends
 * @test: its case
 *
 * Context: task.
 */
void judge_pmu_register(struct kunit *test)
{
	int err = perf_pmu_register(&judge_pmu.pmu, "kunit_judge", -1);

	KUNIT_ASSERT_EQ(test, err, 0);
	judge_pmu.is_registered = true;
	fake_pmu_undo(test, judge_pmu_unregister, NULL);
}

/**
 * judge_pmu_build() - give the PMU its counters
 * @general: counters that all kinds can use
 * @fixed: counters of one kind each, the first ones
 *
 * Context: task.
 */
void judge_pmu_build(unsigned int general, unsigned int fixed)
{
	for (int kind = 0; kind < JUDGE_PMU_KINDS; kind++) {
		judge_pmu.counters[kind] = JUDGE_PMU_GENERAL(general);
		if (kind < fixed)
			judge_pmu.counters[kind] |= BIT(general + kind);
	}
}

/**
 * judge_pmu_let_know() - make the driver know how many counters there are
 * @general: counters in total
 * @held: counters that are not free; on all CPUs but the first one more
 *
 * Context: task, before the PMU is registered.
 */
void judge_pmu_let_know(unsigned int general, unsigned int held)
{
	judge_pmu.pmu.counters = judge_pmu_counters;
	judge_pmu.pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	judge_pmu.general = general;
	judge_pmu.held = held;
	judge_pmu.absent_on = nr_cpu_ids;
}

/**
 * judge_pmu_open() - open an event until the case ends
 * @test: its case
 * @kind: PERF_COUNT_HW_*
 * @pinned: attr.pinned
 * @task: the task, NULL for the first CPU
 *
 * Context: task.
 * Return: the event.
 */
struct perf_event *judge_pmu_open(struct kunit *test, u64 kind, bool pinned,
				  struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type	= judge_pmu.pmu.type,
		.size	= sizeof(attr),
		.config	= kind,
		.pinned	= pinned,
	};
	int cpu = task ? -1 : cpumask_first(cpu_online_mask);

	return fake_open_counter(test, &attr, cpu, task);
}
