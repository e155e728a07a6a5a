// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room sched_cb: a driver that requested it is called once for
 * each switch out and for each switch in, whatever contexts the tasks have.
 *
 * The fake PMU requests it on one CPU. The case runs there, sleeps, and
 * compares the calls for its own task with the number of times that it was
 * switched out.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "../context.h"
#include "../pmu.h"
#include "../sched_cb.h"
#include "../sched_key.h"
#include "fake_pmu.h"

#define NR_SLEEPS	20
#define SLEEP_US	1000

static struct fake_pmu fake;

/* Calls for the task of the case, and for which PMU context. */
struct sched_cb_test_told {
	struct task_struct		*task;
	unsigned long			in;
	unsigned long			out;
	unsigned long			other_epc;
	unsigned long			off;
	struct perf_pmu_ctx		*epc;
	struct perf_event		*event;
	bool				disabled;
};

static struct sched_cb_test_told sched_cb_test_told;
static int sched_cb_test_cpu;
static int sched_cb_test_users;

static void sched_cb_test_sched_task(struct perf_event_pmu_context *epc,
				     struct task_struct *task, bool sched_in)
{
	if (task != sched_cb_test_told.task)
		return;
	lockdep_assert_held(&perf_pmu_ctx_of(epc)->ctx->lock);
	sched_cb_test_told.disabled &= this_cpu_ptr(fake.cpus)->disabled;
	sched_cb_test_told.other_epc += epc != &sched_cb_test_told.epc->pub;
	if (sched_cb_test_told.event)
		sched_cb_test_told.off += sched_cb_test_told.event->state !=
					  PERF_EVENT_STATE_ACTIVE;
	if (sched_in)
		sched_cb_test_told.in++;
	else
		sched_cb_test_told.out++;
}

static int sched_cb_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_sched_cb");
}

static void sched_cb_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void sched_cb_test_inc_oncpu(void *arg)
{
	perf_sched_cb_inc(&fake.pmu);
}

static void sched_cb_test_dec_oncpu(void *arg)
{
	perf_sched_cb_dec(&fake.pmu);
}

/* Cases are cleaned up by another thread. */
static void sched_cb_test_ask_no_more(void *arg)
{
	smp_call_function_single(sched_cb_test_cpu, sched_cb_test_dec_oncpu,
				 NULL, true);
	fake.pmu.sched_task = NULL;
	perf_sched_key_put();
}

/* Runs after the events of the case are closed. */
static void sched_cb_test_check_idle(void *arg)
{
	struct kunit *test = arg;

	KUNIT_EXPECT_EQ(test, per_cpu(perf_cpu_context, sched_cb_test_cpu).sched_cb_users,
			sched_cb_test_users);
	fake_pmu_expect_idle(test, &fake);
}

static int sched_cb_test_init(struct kunit *test)
{
	sched_cb_test_cpu = cpumask_first(cpu_online_mask);
	if (set_cpus_allowed_ptr(current, cpumask_of(sched_cb_test_cpu)))
		return -EINVAL;
	fake_pmu_reset(&fake, 4, 1);
	fake_pmu_undo(test, sched_cb_test_check_idle, test);
	sched_cb_test_told = (struct sched_cb_test_told) {
		.task		= current,
		.epc		= &per_cpu_ptr(fake.pmu.cpu_pmu_context,
					       sched_cb_test_cpu)->epc,
		.disabled	= true,
	};
	sched_cb_test_users = per_cpu(perf_cpu_context, sched_cb_test_cpu).sched_cb_users;
	perf_sched_key_get();
	fake.pmu.sched_task = sched_cb_test_sched_task;
	smp_call_function_single(sched_cb_test_cpu, sched_cb_test_inc_oncpu,
				 NULL, true);
	fake_pmu_undo(test, sched_cb_test_ask_no_more, NULL);
	return 0;
}

static void sched_cb_test_open_software(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_SW_PAGE_FAULTS,
	};

	fake_open_counter(test, &attr, -1, current);
}

static struct perf_event *sched_cb_test_open(struct kunit *test)
{
	return fake_pmu_open(test, &fake, &(struct fake_pmu_spec) {
			     .task = current, .cpu = -1 });
}

static void sched_cb_test_expect_told(struct kunit *test)
{
	unsigned long switches;

	sched_cb_test_told.in = 0;
	sched_cb_test_told.out = 0;
	sched_cb_test_told.other_epc = 0;
	sched_cb_test_told.off = 0;
	switches = current->nvcsw + current->nivcsw;
	for (int i = 0; i < NR_SLEEPS; i++)
		usleep_range(SLEEP_US, 2 * SLEEP_US);
	switches = current->nvcsw + current->nivcsw - switches;
	/* On a busy host a sleep may be over before it has begun. */
	KUNIT_EXPECT_GT(test, switches, 0);
	KUNIT_EXPECT_EQ(test, sched_cb_test_told.out, switches);
	KUNIT_EXPECT_EQ(test, sched_cb_test_told.in, switches);
	KUNIT_EXPECT_EQ(test, sched_cb_test_told.other_epc, 0);
	KUNIT_EXPECT_EQ(test, sched_cb_test_told.off, 0);
	KUNIT_EXPECT_TRUE(test, sched_cb_test_told.disabled);
}

static void sched_cb_test_no_context(struct kunit *test)
{
	sched_cb_test_expect_told(test);
}

/* The task's context has only events of other PMUs. */
static void sched_cb_test_other_context(struct kunit *test)
{
	sched_cb_test_open_software(test);
	sched_cb_test_expect_told(test);
}

/* The task's events are on the PMU, which is disabled, at each call. */
static void sched_cb_test_own_context(struct kunit *test)
{
	struct perf_event *event = sched_cb_test_open(test);

	sched_cb_test_told.epc = perf_event_pmu_ctx(event);
	sched_cb_test_told.event = event;
	sched_cb_test_expect_told(test);
	sched_cb_test_open_software(test);
	sched_cb_test_expect_told(test);
}

/* A PMU context stays in the task's context when its last event goes. */
static void sched_cb_test_empty_pmu_ctx(struct kunit *test)
{
	struct perf_event *event;

	sched_cb_test_open_software(test);
	event = sched_cb_test_open(test);
	usleep_range(SLEEP_US, 2 * SLEEP_US);
	fake_pmu_close(test, event);
	sched_cb_test_expect_told(test);
}

static bool sched_cb_test_filter(struct pmu *pmu, int cpu)
{
	return cpu == sched_cb_test_cpu;
}

static void sched_cb_test_unfilter(void *arg)
{
	fake.pmu.filter = NULL;
}

/* The driver keeps the task's events from this CPU, and is called here. */
static void sched_cb_test_filtered_pmu_ctx(struct kunit *test)
{
	struct perf_event *event;

	fake.pmu.filter = sched_cb_test_filter;
	fake_pmu_undo(test, sched_cb_test_unfilter, NULL);
	event = sched_cb_test_open(test);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_INACTIVE);
	sched_cb_test_told.epc = perf_event_pmu_ctx(event);
	sched_cb_test_expect_told(test);
}

/* Calls with interrupts off, so that no switch comes between. */
static void sched_cb_test_notify_pmu_ctx(struct perf_pmu_ctx *epc)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);

	perf_ctx_lock_pair(cpuctx, epc->ctx);
	perf_sched_cb_pmu_ctx_locked(epc, true);
	perf_ctx_unlock_pair(cpuctx, epc->ctx);
}

/* A driver that did not request it here, or has no method, is not called. */
static void sched_cb_test_not_asked(struct kunit *test)
{
	struct perf_event *event = sched_cb_test_open(test);
	unsigned long asked, not_asked, no_method;

	sched_cb_test_told.epc = perf_event_pmu_ctx(event);
	scoped_guard(irqsave) {
		unsigned long before = sched_cb_test_told.in;

		sched_cb_test_notify_pmu_ctx(perf_event_pmu_ctx(event));
		asked = sched_cb_test_told.in - before;
		sched_cb_test_dec_oncpu(NULL);
		sched_cb_test_notify_pmu_ctx(perf_event_pmu_ctx(event));
		not_asked = sched_cb_test_told.in - before - asked;
		sched_cb_test_inc_oncpu(NULL);
		fake.pmu.sched_task = NULL;
		sched_cb_test_notify_pmu_ctx(perf_event_pmu_ctx(event));
		fake.pmu.sched_task = sched_cb_test_sched_task;
		no_method = sched_cb_test_told.in - before - asked - not_asked;
	}
	KUNIT_EXPECT_EQ(test, asked, 1);
	KUNIT_EXPECT_EQ(test, not_asked, 0);
	KUNIT_EXPECT_EQ(test, no_method, 0);
}

static struct kunit_case sched_cb_test_cases[] = {
	KUNIT_CASE(sched_cb_test_no_context),
	KUNIT_CASE(sched_cb_test_other_context),
	KUNIT_CASE(sched_cb_test_own_context),
	KUNIT_CASE(sched_cb_test_empty_pmu_ctx),
	KUNIT_CASE(sched_cb_test_filtered_pmu_ctx),
	KUNIT_CASE(sched_cb_test_not_asked),
	{ }
};

static struct kunit_suite sched_cb_test_suite = {
	.name		= "perf_sched_cb",
	.suite_init	= sched_cb_test_suite_init,
	.suite_exit	= sched_cb_test_suite_exit,
	.init		= sched_cb_test_init,
	.test_cases	= sched_cb_test_cases,
};

kunit_test_suite(sched_cb_test_suite);
