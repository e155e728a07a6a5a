// SPDX-License-Identifier: GPL-2.0
/*
 * The PMUs "perf_test_package", "perf_test_single", "perf_test_floor" and
 * "perf_test_cpus": each has a property that few PMUs have, and that emulated
 * hardware lacks.
 *
 * Purpose: to see from user space how the core handles these properties. The
 * events count nanoseconds, and any number of them fits.
 *
 *   perf_test_package	PERF_PMU_SCOPE_PKG: for CPUs only; any CPU of the package
 *			may read
 *   perf_test_single	PERF_PMU_CAP_EXCLUSIVE: one event a context, for tasks or
 *			for CPUs
 *   perf_test_floor	takes no period below 1000. There are no interrupts, so no
 *			sample ever comes
 *   perf_test_cpus	for CPUs only, and the driver does not say why it refuses
 *			a task, as uncore drivers do
 *
 * Parameters, in /sys/module/perf_test_kinds/parameters/:
 *
 *   registered	the PMUs are there; see test_presence.h
 *   near_reads	events of perf_test_package that were read on another CPU than
 *		the one that they are on
 *
 * Owns: hw.{prev_count,state} of its events.
 *
 * Contexts: as struct pmu says.
 *
 * Lifetime: static data here go with the module; each event of the PMUs holds a
 * reference on it.
 *
 * Locking: none of its own. A read on another CPU of the package holds the
 * context's lock, as starts and stops do.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "test_presence.h"

#define KINDS_LEAST_PERIOD	1000

static atomic_t test_near_reads;

/* One clock for all CPUs, since another CPU than the one that started may ask. */
static void kinds_update(struct perf_event *event)
{
	u64 now = ktime_get_mono_fast_ns();
	u64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - before, &event->count);
}

static void kinds_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, ktime_get_mono_fast_ns());
	event->hw.state = 0;
}

static void kinds_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	kinds_update(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int kinds_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		kinds_start(event, PERF_EF_RELOAD);
	return 0;
}

static void kinds_del(struct perf_event *event, int flags)
{
	kinds_stop(event, PERF_EF_UPDATE);
}

static void kinds_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		kinds_update(event);
}

static int kinds_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	return event->attr.config ? -EINVAL : 0;
}

static void package_read(struct perf_event *event)
{
	if (event->oncpu != smp_processor_id())
		atomic_inc(&test_near_reads);
	kinds_read(event);
}

static int floor_check_period(struct perf_event *event, u64 period)
{
	return period < KINDS_LEAST_PERIOD ? -EINVAL : 0;
}

static int floor_event_init(struct perf_event *event)
{
	int err = kinds_event_init(event);

	if (err || !is_sampling_event(event) || event->attr.freq)
		return err;
	return floor_check_period(event, event->attr.sample_period);
}

static int cpus_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	return event->attr.config || event->cpu < 0 ? -EINVAL : 0;
}

static struct pmu package_pmu = {
	.module		= THIS_MODULE,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT,
	.scope		= PERF_PMU_SCOPE_PKG,
	.task_ctx_nr	= perf_invalid_context,
	.event_init	= kinds_event_init,
	.add		= kinds_add,
	.del		= kinds_del,
	.start		= kinds_start,
	.stop		= kinds_stop,
	.read		= package_read,
};

static struct pmu single_pmu = {
	.module		= THIS_MODULE,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_EXCLUSIVE,
	.task_ctx_nr	= perf_hw_context,
	.event_init	= kinds_event_init,
	.add		= kinds_add,
	.del		= kinds_del,
	.start		= kinds_start,
	.stop		= kinds_stop,
	.read		= kinds_read,
};

static struct pmu floor_pmu = {
	.module		= THIS_MODULE,
	.capabilities	= PERF_PMU_CAP_NO_NMI,
	.task_ctx_nr	= perf_hw_context,
	.event_init	= floor_event_init,
	.add		= kinds_add,
	.del		= kinds_del,
	.start		= kinds_start,
	.stop		= kinds_stop,
	.read		= kinds_read,
	.check_period	= floor_check_period,
};

static struct pmu cpus_pmu = {
	.module		= THIS_MODULE,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT,
	.task_ctx_nr	= perf_invalid_context,
	.event_init	= cpus_event_init,
	.add		= kinds_add,
	.del		= kinds_del,
	.start		= kinds_start,
	.stop		= kinds_stop,
	.read		= kinds_read,
};

static const struct {
	struct pmu	*pmu;
	const char	*name;
} test_kinds[] = {
	{ .pmu = &package_pmu, .name = "perf_test_package" },
	{ .pmu = &single_pmu, .name = "perf_test_single" },
	{ .pmu = &floor_pmu, .name = "perf_test_floor" },
	{ .pmu = &cpus_pmu, .name = "perf_test_cpus" },
};

/* Registration. */

static void test_unregister_first(unsigned int nr)
{
	while (nr--)
		perf_pmu_unregister(test_kinds[nr].pmu);
}

static int test_register(void)
{
	int err;

	for (unsigned int i = 0; i < ARRAY_SIZE(test_kinds); i++) {
		err = perf_pmu_register(test_kinds[i].pmu, test_kinds[i].name,
					-1);
		if (err) {
			test_unregister_first(i);
			return err;
		}
	}
	return 0;
}

static void test_unregister(void)
{
	test_unregister_first(ARRAY_SIZE(test_kinds));
}

DEFINE_TEST_PRESENCE(test_presence, test_register, test_unregister);

module_param_cb(registered, &test_presence_ops, &test_presence, 0600);
MODULE_PARM_DESC(registered, "the PMUs are there");
module_param_named(near_reads, test_near_reads.counter, int, 0400);
MODULE_PARM_DESC(near_reads, "reads on another CPU of the package");

static int __init test_init(void)
{
	return test_presence_init(&test_presence);
}
module_init(test_init);

static void __exit test_exit(void)
{
	test_presence_exit(&test_presence);
}
module_exit(test_exit);

MODULE_DESCRIPTION("PMUs with a rare property each");
MODULE_LICENSE("GPL");
