// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU "perf_test": a device that can be pulled, for tests from user space.
 *
 * Purpose: counters that need no hardware, on a PMU that comes and goes while
 * events of it are open. Each CPU has a few general counters and one fixed
 * counter; all count nanoseconds. attr.config is 0 for an event that any general
 * counter can have, 1 for one that only the fixed counter can have.
 * attr.config1 is 1 for an event that needs memory for each task, which keeps
 * tasks from sharing contexts with it.
 *
 * Parameters, in /sys/module/perf_test_pmu/parameters/:
 *
 *   registered	the PMU is there; see test_presence.h
 *   counters	general counters of each CPU, set when the module is loaded
 *   events	events that the driver has accepted and not yet destroyed
 *   mappings	mappings of such events into user space
 *   faults	calls that broke a rule of struct pmu
 *
 * Owns: its counters, a cache of the data for each task (which nobody reads;
 * they are there to be freed), hw.{idx,prev_count,state} of its events.
 *
 * Contexts: as struct pmu says.
 *
 * Lifetime: static data here go with the module; each event of the PMU holds a
 * reference on it, until it is closed or revoked.
 *
 * Locking: a CPU's counters are used by that CPU only, with interrupts off.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "test_presence.h"

#define TEST_GENERAL_MAX	8
#define TEST_COUNTERS		(TEST_GENERAL_MAX + 1)
/* The fixed counter. */
#define TEST_FIXED		TEST_GENERAL_MAX

enum test_config {
	TEST_CONFIG_GENERAL,
	TEST_CONFIG_FIXED,
	TEST_NR_CONFIGS
};

struct test_task {
	u64	nothing;
};

struct test_cpu {
	struct perf_event	*owner[TEST_COUNTERS];
};

static DEFINE_PER_CPU(struct test_cpu, test_cpus);
static unsigned int test_counters = 4;
static atomic_t test_events, test_mappings, test_questions, test_faults;

static void test_expect(bool kept)
{
	if (!kept)
		atomic_inc(&test_faults);
}

static bool test_owns(struct perf_event *event)
{
	int idx = event->hw.idx;

	return idx >= 0 && idx < TEST_COUNTERS &&
	       this_cpu_ptr(&test_cpus)->owner[idx] == event;
}

static void test_update(struct perf_event *event)
{
	u64 now = local_clock();
	u64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - before, &event->count);
}

static void test_start(struct perf_event *event, int flags)
{
	test_expect(test_owns(event));
	local64_set(&event->hw.prev_count, local_clock());
	event->hw.state = 0;
	perf_event_update_userpage(event);
}

static void test_stop(struct perf_event *event, int flags)
{
	test_expect(test_owns(event));
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	test_update(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	perf_event_update_userpage(event);
}

static int test_find(const struct test_cpu *cpu, const struct perf_event *event)
{
	if (event->attr.config == TEST_CONFIG_FIXED)
		return cpu->owner[TEST_FIXED] ? -EAGAIN : TEST_FIXED;
	for (unsigned int i = 0; i < test_counters; i++) {
		if (!cpu->owner[i])
			return i;
	}
	return -EAGAIN;
}

static int test_add(struct perf_event *event, int flags)
{
	struct test_cpu *cpu = this_cpu_ptr(&test_cpus);
	int idx = test_find(cpu, event);

	test_expect(irqs_disabled() && event->hw.idx < 0);
	if (idx < 0)
		return idx;
	cpu->owner[idx] = event;
	event->hw.idx = idx;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		test_start(event, PERF_EF_RELOAD);
	return 0;
}

static void test_del(struct perf_event *event, int flags)
{
	test_expect(irqs_disabled() && test_owns(event));
	test_stop(event, PERF_EF_UPDATE);
	if (test_owns(event))
		this_cpu_ptr(&test_cpus)->owner[event->hw.idx] = NULL;
	event->hw.idx = -1;
}

static void test_read(struct perf_event *event)
{
	test_expect(test_owns(event));
	if (!(event->hw.state & PERF_HES_STOPPED))
		test_update(event);
}

static int test_index(struct perf_event *event)
{
	return event->hw.idx + 1;
}

static void test_mapped(struct perf_event *event, struct mm_struct *mm)
{
	atomic_inc(&test_mappings);
}

static void test_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	atomic_dec(&test_mappings);
}

static void test_destroy(struct perf_event *event)
{
	test_expect(event->hw.idx < 0);
	atomic_dec(&test_events);
}

/* Return: events of the group with @event's config, @event included. */
static unsigned int test_group_wants(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int nr = 1;

	if (leader == event)
		return 1;
	if (leader->pmu == event->pmu &&
	    leader->attr.config == event->attr.config)
		nr++;
	for_each_sibling_event(sibling, leader) {
		if (sibling->pmu == event->pmu &&
		    sibling->attr.config == event->attr.config)
			nr++;
	}
	return nr;
}

static int test_counters_of(struct pmu *pmu, struct perf_pmu_counters *counters)
{
	struct test_cpu *cpu = this_cpu_ptr(&test_cpus);
	unsigned int held = 0;

	atomic_inc(&test_questions);
	for (unsigned int i = 0; i < test_counters; i++) {
		if (cpu->owner[i] && perf_event_is_pinned_to_cpu(cpu->owner[i]))
			held++;
	}
	counters->general = test_counters;
	counters->general_free = test_counters - held;
	counters->fixed = 1;
	counters->fixed_free = !cpu->owner[TEST_FIXED] ||
		!perf_event_is_pinned_to_cpu(cpu->owner[TEST_FIXED]);
	return 0;
}

static int test_event_init(struct perf_event *event)
{
	unsigned int limit = test_counters;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config >= TEST_NR_CONFIGS || event->attr.config1 > 1 ||
	    event->attr.config4 > 1)
		return -EINVAL;
	if (event->attr.config == TEST_CONFIG_FIXED)
		limit = 1;
	if (test_group_wants(event) > limit)
		return -EINVAL;
	event->hw.idx = -1;
	if (event->attr.config1)
		event->attach_state |= PERF_ATTACH_TASK_DATA;
	event->destroy = test_destroy;
	atomic_inc(&test_events);
	return 0;
}

/*
 * A group that is made when there is a device already, in the registration's
 * last step that can fail.
 */
static ssize_t general_show(struct device *dev, struct device_attribute *attr,
			    char *page)
{
	return sysfs_emit(page, "%u\n", test_counters);
}
static DEVICE_ATTR_RO(general);

static struct attribute *test_late_attrs[] = {
	&dev_attr_general.attr,
	NULL,
};

static const struct attribute_group test_late_group = {
	.name	= "counters",
	.attrs	= test_late_attrs,
};

static const struct attribute_group *test_late_groups[] = {
	&test_late_group,
	NULL,
};

static struct pmu test_pmu = {
	.module		= THIS_MODULE,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_CONFIG4,
	.task_ctx_nr	= perf_hw_context,
	.event_init	= test_event_init,
	.add		= test_add,
	.del		= test_del,
	.start		= test_start,
	.stop		= test_stop,
	.read		= test_read,
	.event_idx	= test_index,
	.event_mapped	= test_mapped,
	.event_unmapped	= test_unmapped,
	.counters	= test_counters_of,
	.attr_update	= test_late_groups,
};

/* Registration. */

static int test_register(void)
{
	int err;

	test_pmu.task_ctx_cache = KMEM_CACHE(test_task, 0);
	if (!test_pmu.task_ctx_cache)
		return -ENOMEM;
	err = perf_pmu_register(&test_pmu, "perf_test", -1);
	if (err)
		kmem_cache_destroy(test_pmu.task_ctx_cache);
	return err;
}

/* Nothing that the parameters show of events and counters is left over. */
static void test_unregister(void)
{
	int cpu;

	perf_pmu_unregister(&test_pmu);
	kmem_cache_destroy(test_pmu.task_ctx_cache);
	test_expect(!atomic_read(&test_events));
	/* The driver is not notified when mappings of revoked events go. */
	atomic_set(&test_mappings, 0);
	for_each_possible_cpu(cpu) {
		for (int i = 0; i < TEST_COUNTERS; i++)
			test_expect(!per_cpu(test_cpus, cpu).owner[i]);
	}
}

DEFINE_TEST_PRESENCE(test_presence, test_register, test_unregister);

module_param_cb(registered, &test_presence_ops, &test_presence, 0600);
MODULE_PARM_DESC(registered, "the PMU is there");
module_param_named(counters, test_counters, uint, 0400);
MODULE_PARM_DESC(counters, "general counters of each CPU, at most 8");
module_param_named(events, test_events.counter, int, 0400);
MODULE_PARM_DESC(events, "events that the driver knows");
module_param_named(mappings, test_mappings.counter, int, 0400);
MODULE_PARM_DESC(mappings, "mappings that the driver knows");
module_param_named(questions, test_questions.counter, int, 0400);
MODULE_PARM_DESC(questions, "how often a CPU was asked for its counters");
module_param_named(faults, test_faults.counter, int, 0400);
MODULE_PARM_DESC(faults, "calls that broke a rule");

static int __init test_init(void)
{
	test_counters = clamp(test_counters, 1, TEST_GENERAL_MAX);
	return test_presence_init(&test_presence);
}
module_init(test_init);

static void __exit test_exit(void)
{
	test_presence_exit(&test_presence);
}
module_exit(test_exit);

MODULE_DESCRIPTION("A PMU that comes and goes");
MODULE_LICENSE("GPL");
