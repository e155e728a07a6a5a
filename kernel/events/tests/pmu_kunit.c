// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room pmu: registration, what a driver need not have, scopes, and
 * which PMU is asked about an event.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/srcu.h>
#include <linux/topology.h>

#include "../context.h"
#include "../event.h"
#include "../pmu.h"
#include "../refuse.h"
#include "fake_pmu.h"

#define FOREVER_MS	3600000

static struct fake_pmu fake;

/* Of the PMU pmu_test_pmu(). */
static int pmu_test_destroyed;
/* What event_init() returns, and the CPU that it chooses, unless that is -1. */
static int pmu_test_init_err;
static int pmu_test_chosen_cpu = -1;

static int pmu_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_pmu");
}

static void pmu_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static int pmu_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	pmu_test_destroyed = 0;
	pmu_test_init_err = 0;
	pmu_test_chosen_cpu = -1;
	return 0;
}

/* A PMU with no more than what a driver must have, for one case. */

static void pmu_test_destroy(struct perf_event *event)
{
	pmu_test_destroyed++;
}

static int pmu_test_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	event->destroy = pmu_test_destroy;
	if (pmu_test_chosen_cpu >= 0)
		event->cpu = pmu_test_chosen_cpu;
	return pmu_test_init_err;
}

static int pmu_test_add(struct perf_event *event, int flags)
{
	return 0;
}

static void pmu_test_nothing(struct perf_event *event, int flags)
{
}

static void pmu_test_read(struct perf_event *event)
{
}

static struct pmu pmu_test_pmu(void)
{
	return (struct pmu) {
		.task_ctx_nr	= perf_hw_context,
		.event_init	= pmu_test_event_init,
		.add		= pmu_test_add,
		.del		= pmu_test_nothing,
		.start		= pmu_test_nothing,
		.stop		= pmu_test_nothing,
		.read		= pmu_test_read,
	};
}

static void pmu_test_unregister(void *pmu)
{
	perf_pmu_unregister(pmu);
}

static struct pmu *pmu_test_register(struct kunit *test, struct pmu filled,
				     int type)
{
	struct pmu *pmu = kunit_kzalloc(test, sizeof(*pmu), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pmu);
	*pmu = filled;
	KUNIT_ASSERT_EQ(test, perf_pmu_register(pmu, "kunit_pmu_2", type), 0);
	fake_pmu_undo(test, pmu_test_unregister, pmu);
	return pmu;
}

static int pmu_test_try(struct perf_event_attr *attr, int cpu)
{
	struct perf_event *event;

	attr->size = sizeof(*attr);
	event = perf_event_create_kernel_counter(attr, cpu, cpu < 0 ? current :
						 NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

static int pmu_test_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

/* Numbers. */

static void pmu_test_numbers(struct kunit *test)
{
	struct pmu twin = pmu_test_pmu();
	int type = fake.pmu.type + 1000;
	struct pmu *pmu = pmu_test_register(test, pmu_test_pmu(), type);

	KUNIT_EXPECT_EQ(test, pmu->type, type);
	KUNIT_EXPECT_EQ(test, perf_pmu_register(&twin, "kunit_pmu_3", type),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, perf_pmu_register(&twin, "kunit_pmu_3",
						fake.pmu.type), -EEXIST);
	KUNIT_EXPECT_GE(test, fake.pmu.type, (int)PERF_TYPE_MAX);
	KUNIT_EXPECT_EQ(test, perf_pmu_register(&twin, "kunit_pmu_3", type + 1),
			0);
	KUNIT_EXPECT_EQ(test, twin.type, type + 1);
	perf_pmu_unregister(&twin);
	/* The number is free again. */
	KUNIT_EXPECT_EQ(test, perf_pmu_register(&twin, "kunit_pmu_3", type + 1),
			0);
	perf_pmu_unregister(&twin);
	KUNIT_EXPECT_EQ(test, perf_pmu_register(&twin, NULL, -1), -EINVAL);
	twin.scope = PERF_PMU_MAX_SCOPE;
	KUNIT_EXPECT_EQ(test, perf_pmu_register(&twin, "kunit_pmu_3", type + 1),
			-EINVAL);
}

/* The end. */

struct pmu_test_end {
	struct pmu		*pmu;
	struct completion	done;
};

static int pmu_test_end(void *arg)
{
	struct pmu_test_end *end = arg;

	perf_pmu_unregister(end->pmu);
	complete(&end->done);
	return 0;
}

/* A reader of the list of PMUs may still look at one that is unregistered. */
static void pmu_test_waits_for_readers(struct kunit *test)
{
	struct pmu pmu = pmu_test_pmu();
	struct pmu_test_end end = { .pmu = &pmu };
	struct task_struct *task;
	bool early;
	int idx;

	init_completion(&end.done);
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&pmu, "kunit_pmu_3", -1), 0);
	idx = srcu_read_lock(&perf_pmus_srcu);
	task = kthread_run(pmu_test_end, &end, "kunit_pmu");
	early = IS_ERR(task) ||
		wait_for_completion_timeout(&end.done, HZ / 2);
	srcu_read_unlock(&perf_pmus_srcu, idx);
	if (IS_ERR(task))
		perf_pmu_unregister(&pmu);
	else if (!early)
		wait_for_completion(&end.done);
	KUNIT_EXPECT_FALSE(test, early);
}

/* What a driver leaves out is there nevertheless. */
static void pmu_test_defaults(struct kunit *test)
{
	struct pmu *pmu = pmu_test_register(test, pmu_test_pmu(), -1);
	struct perf_event_attr attr = { .type = pmu->type, .sample_period = 9 };

	KUNIT_ASSERT_NOT_NULL(test, pmu->pmu_enable);
	KUNIT_ASSERT_NOT_NULL(test, pmu->start_txn);
	KUNIT_ASSERT_NOT_NULL(test, pmu->event_idx);
	KUNIT_ASSERT_NOT_NULL(test, pmu->check_period);
	KUNIT_EXPECT_EQ(test, pmu->event_idx(NULL), 0);
	KUNIT_EXPECT_EQ(test, pmu->check_period(NULL, 1), 0);
	KUNIT_EXPECT_GE(test, pmu->hrtimer_interval_ms, 1);
	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, pmu_test_cpu()), 0);
}

/* Scopes. */

/* A unit of its own, as each CPU without threads is; or nr_cpu_ids. */
static unsigned int pmu_test_lone_cpu(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		if (cpumask_weight(topology_sibling_cpumask(cpu)) == 1)
			return cpu;
	}
	return nr_cpu_ids;
}

static int pmu_test_leave(unsigned int scope, unsigned int cpu)
{
	guard(mutex)(&perf_pmus_mutex);
	return perf_pmu_scope_leave(scope, cpu);
}

static void pmu_test_join(unsigned int cpu)
{
	guard(mutex)(&perf_pmus_mutex);
	perf_pmu_scope_join(cpu);
}

/* No event of a unit for which no CPU counts. */
static void pmu_test_scope_of_one(struct kunit *test)
{
	struct pmu pmu = pmu_test_pmu();
	struct perf_event_attr attr = { };
	unsigned int cpu = pmu_test_lone_cpu();

	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "all CPUs have siblings");
	pmu.scope = PERF_PMU_SCOPE_CORE;
	attr.type = pmu_test_register(test, pmu, -1)->type;
	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, cpu), 0);
	KUNIT_EXPECT_EQ(test, pmu_test_leave(PERF_PMU_SCOPE_CORE, cpu), -1);
	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, cpu), -ENODEV);
	pmu_test_join(cpu);
	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, cpu), 0);
}

/* One CPU counts for all, and another one after it. */
static void pmu_test_scope_of_all(struct kunit *test)
{
	const unsigned int scope = PERF_PMU_SCOPE_SYS_WIDE;
	int cpu = cpumask_first(cpu_online_mask), heir;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	heir = pmu_test_leave(scope, cpu);
	KUNIT_ASSERT_GE(test, heir, 0);
	KUNIT_EXPECT_NE(test, heir, cpu);
	/* A CPU that does not count has the same heir. */
	KUNIT_EXPECT_EQ(test, pmu_test_leave(scope, cpu), heir);
	pmu_test_join(cpu);
	KUNIT_EXPECT_EQ(test, pmu_test_leave(scope, cpu), heir);
	/* Usually the first CPU counts, and does so again now. */
	KUNIT_EXPECT_EQ(test, pmu_test_leave(scope, heir), cpu);
	KUNIT_EXPECT_EQ(test, pmu_test_leave(PERF_PMU_SCOPE_NONE, cpu), -1);
}

/* Which events are refused. */

static void pmu_test_able_as_before(void *unused)
{
	fake.pmu.capabilities = 0;
}

static void pmu_test_fields(struct kunit *test)
{
	struct perf_event_attr plain = { .type = fake.pmu.type };
	struct perf_event_attr user = plain, fourth = plain;

	user.exclude_kernel = 1;
	fourth.config4 = 1;
	fake_pmu_undo(test, pmu_test_able_as_before, NULL);
	KUNIT_EXPECT_EQ(test, pmu_test_try(&plain, pmu_test_cpu()), 0);
	KUNIT_EXPECT_EQ(test, pmu_test_try(&user, pmu_test_cpu()), 0);
	KUNIT_EXPECT_EQ(test, pmu_test_try(&fourth, pmu_test_cpu()), -EINVAL);
	fake.pmu.capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_CONFIG4;
	KUNIT_EXPECT_EQ(test, pmu_test_try(&plain, pmu_test_cpu()), 0);
	KUNIT_EXPECT_EQ(test, pmu_test_try(&user, pmu_test_cpu()), -EINVAL);
	KUNIT_EXPECT_EQ(test, pmu_test_try(&fourth, pmu_test_cpu()), 0);
}

/* An event that its driver has taken is given back if the core refuses it. */
static void pmu_test_refused_later(struct kunit *test)
{
	struct pmu *pmu = pmu_test_register(test, pmu_test_pmu(), -1);
	struct perf_event_attr attr = { .type = pmu->type, .config4 = 1 };

	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, pmu_test_cpu()), -EINVAL);
	KUNIT_EXPECT_EQ(test, pmu_test_destroyed, 1);
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(pmu), 0);
}

/* A driver may set event->destroy, and then fail. */
static void pmu_test_init_fails_late(struct kunit *test)
{
	struct pmu *pmu = pmu_test_register(test, pmu_test_pmu(), -1);
	struct perf_event_attr attr = { .type = pmu->type };

	pmu_test_init_err = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, pmu_test_cpu()), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, pmu_test_destroyed, 1);
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(pmu), 0);
}

/* An event is counted on the CPU that its driver chooses. */
static void pmu_test_driver_chooses_cpu(struct kunit *test)
{
	struct pmu *pmu = pmu_test_register(test, pmu_test_pmu(), -1);
	struct perf_event_attr attr = { .type = pmu->type, .size = sizeof(attr) };
	int cpu = cpumask_last(cpu_online_mask);
	struct perf_event *event;

	pmu_test_chosen_cpu = pmu_test_cpu();
	event = fake_open_counter(test, &attr, cpu, NULL);
	KUNIT_EXPECT_EQ(test, event->cpu, pmu_test_cpu());
	KUNIT_EXPECT_PTR_EQ(test, perf_event_ctx(event),
			    &per_cpu(perf_cpu_context, pmu_test_cpu()).ctx);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), PERF_EVENT_STATE_ACTIVE);

	/* No CPU of the unit is online. */
	pmu_test_chosen_cpu = nr_cpu_ids;
	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, cpu), -ENODEV);
	KUNIT_EXPECT_EQ(test, pmu_test_destroyed, 1);
}

/* The upper half of config names the PMU for a generic event. */

static u64 pmu_test_config;

static int pmu_test_generic_init(struct perf_event *event)
{
	pmu_test_config = event->attr.config;
	return event->attr.type == PERF_TYPE_HARDWARE ? 0 : -ENOENT;
}

static void pmu_test_named(struct kunit *test)
{
	struct pmu pmu = pmu_test_pmu();
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE };
	u64 type;

	pmu.event_init = pmu_test_generic_init;
	pmu.capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE;
	type = pmu_test_register(test, pmu, -1)->type;
	attr.config = type << PERF_PMU_TYPE_SHIFT | 5;
	pmu_test_config = 0;
	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, pmu_test_cpu()), 0);
	KUNIT_EXPECT_EQ(test, pmu_test_config, 5);
	/* A PMU that takes no generic events is not tried. */
	type = fake.pmu.type;
	attr.config = type << PERF_PMU_TYPE_SHIFT | 5;
	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, pmu_test_cpu()), -ENOENT);
	/* Other types have all of config for themselves. */
	attr.type = fake.pmu.type;
	attr.config = type << PERF_PMU_TYPE_SHIFT;
	KUNIT_EXPECT_EQ(test, pmu_test_try(&attr, pmu_test_cpu()), -EINVAL);
}

static struct perf_event *pmu_test_alloc_software(struct kunit *test, u64 config)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= config,
	};
	struct perf_event_spec spec = {
		.attr		= &attr,
		.cpu		= pmu_test_cpu(),
		.cgroup_fd	= -1,
	};

	return perf_event_alloc(&spec);
}

/* Clocks have PMUs of their own, which are asked at once. */
static void pmu_test_forwarded(struct kunit *test)
{
	static const struct {
		u64		config;
		const char	*pmu;
	} cases[] = {
		{ PERF_COUNT_SW_CPU_CLOCK, "cpu_clock" },
		{ PERF_COUNT_SW_TASK_CLOCK, "task_clock" },
		{ PERF_COUNT_SW_DUMMY, "software" },
	};
	struct perf_event *event;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		event = pmu_test_alloc_software(test, cases[i].config);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		KUNIT_EXPECT_STREQ(test, event->pmu->name, cases[i].pmu);
		KUNIT_EXPECT_EQ(test, event->attr.type, event->pmu->type);
		KUNIT_EXPECT_EQ(test, event->orig_type, PERF_TYPE_SOFTWARE);
		perf_event_put(event);
	}
	for (int shift = 0; shift <= 32; shift += 32) {
		event = pmu_test_alloc_software(test, (u64)PERF_COUNT_SW_MAX << shift);
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -ENOENT);
	}
}

static u32 pmu_test_reason(u32 type, u64 config)
{
	struct perf_event_attr attr = { .type = type, .config = config };
	struct perf_refusal refusal;
	int err;

	perf_refuse_begin(&refusal, &attr);
	err = pmu_test_try(&attr, pmu_test_cpu());
	perf_refuse_end(&refusal, err);
	return refusal.reason;
}

static bool pmu_test_exists(int type)
{
	struct pmu *pmu;

	guard(mutex)(&perf_pmus_mutex);
	list_for_each_entry(pmu, &perf_pmus, entry) {
		if (pmu->type == type)
			return true;
	}
	return false;
}

static int pmu_test_know_none(struct perf_event *event)
{
	return -ENOENT;
}

/* Why there is none: no PMU for generic events, or one without this event. */
static void pmu_test_reasons(struct kunit *test)
{
	const u64 unknown = PERF_HW_EVENT_MASK;
	struct pmu pmu = pmu_test_pmu();

	KUNIT_EXPECT_EQ(test, pmu_test_reason(INT_MAX, 0), PERF_REASON_NO_PMU);
	if (!pmu_test_exists(PERF_TYPE_RAW)) {
		KUNIT_EXPECT_EQ(test,
				pmu_test_reason(PERF_TYPE_HARDWARE, unknown),
				PERF_REASON_NO_PMU);
		pmu.event_init = pmu_test_know_none;
		pmu_test_register(test, pmu, PERF_TYPE_RAW);
		KUNIT_EXPECT_EQ(test,
				pmu_test_reason(PERF_TYPE_HARDWARE, unknown),
				PERF_REASON_NO_EVENT);
	}
	/* This PMU does not take generic events. */
	KUNIT_EXPECT_EQ(test,
			pmu_test_reason(PERF_TYPE_HARDWARE,
					(u64)fake.pmu.type
						<< PERF_PMU_TYPE_SHIFT),
			PERF_REASON_NO_EVENT);
	KUNIT_EXPECT_EQ(test, pmu_test_reason(INT_MAX, 0), PERF_REASON_NO_PMU);
}

static struct kunit_case pmu_test_cases[] = {
	KUNIT_CASE(pmu_test_numbers),
	KUNIT_CASE(pmu_test_waits_for_readers),
	KUNIT_CASE(pmu_test_defaults),
	KUNIT_CASE(pmu_test_scope_of_one),
	KUNIT_CASE(pmu_test_scope_of_all),
	KUNIT_CASE(pmu_test_fields),
	KUNIT_CASE(pmu_test_refused_later),
	KUNIT_CASE(pmu_test_init_fails_late),
	KUNIT_CASE(pmu_test_driver_chooses_cpu),
	KUNIT_CASE(pmu_test_named),
	KUNIT_CASE(pmu_test_forwarded),
	KUNIT_CASE(pmu_test_reasons),
	{ }
};

static struct kunit_suite pmu_test_suite = {
	.name		= "perf_pmu",
	.suite_init	= pmu_test_suite_init,
	.suite_exit	= pmu_test_suite_exit,
	.init		= pmu_test_init,
	.test_cases	= pmu_test_cases,
};

kunit_test_suite(pmu_test_suite);
