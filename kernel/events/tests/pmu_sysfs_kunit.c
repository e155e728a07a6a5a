// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room pmu_sysfs: which files a PMU has, their content, and the
 * values that may be written.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/perf_event.h>

#include "../pmu.h"
#include "../pmu_sysfs.h"
#include "../types.h"
#include "fake_pmu.h"

#define INTERVAL	"perf_event_mux_interval_ms"

/* Registered by each case, which may give it a scope before. */
static struct pmu pmu;

static int sysfs_test_event_init(struct perf_event *event)
{
	return -ENOENT;
}

static int sysfs_test_init(struct kunit *test)
{
	pmu = (struct pmu) {
		.task_ctx_nr	= perf_invalid_context,
		.event_init	= sysfs_test_event_init,
	};
	return 0;
}

static void sysfs_test_unregister(void *unused)
{
	perf_pmu_unregister(&pmu);
}

static void sysfs_test_register(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&pmu, "kunit_sysfs", -1), 0);
	fake_pmu_undo(test, sysfs_test_unregister, NULL);
	if (!pmu.dev)
		kunit_skip(test, "there is no sysfs yet");
}

static struct device_attribute *sysfs_test_file(struct kunit *test,
						const char *name)
{
	const struct attribute_group *group = pmu.dev->bus->dev_groups[0];

	for (int i = 0; group->attrs[i]; i++) {
		if (!strcmp(group->attrs[i]->name, name))
			return container_of(group->attrs[i],
					    struct device_attribute, attr);
	}
	KUNIT_FAIL_AND_ABORT(test, "no file %s", name);
	return NULL;
}

static bool sysfs_test_is_visible(struct kunit *test, const char *name)
{
	const struct attribute_group *group = pmu.dev->bus->dev_groups[0];
	struct device_attribute *file = sysfs_test_file(test, name);

	return group->is_visible(&pmu.dev->kobj, &file->attr, 0);
}

static void sysfs_test_expect_content(struct kunit *test, const char *name,
				      int number)
{
	char *page = (char *)get_zeroed_page(GFP_KERNEL), expected[16];
	struct device_attribute *file = sysfs_test_file(test, name);

	KUNIT_ASSERT_NOT_NULL(test, page);
	snprintf(expected, sizeof(expected), "%d\n", number);
	KUNIT_EXPECT_EQ(test, file->show(pmu.dev, file, page),
			strlen(expected));
	KUNIT_EXPECT_STREQ(test, page, expected);
	free_page((unsigned long)page);
}

static int sysfs_test_write(struct kunit *test, const char *text)
{
	struct device_attribute *file = sysfs_test_file(test, INTERVAL);

	return file->store(pmu.dev, file, text, strlen(text));
}

static void sysfs_test_few_files(struct kunit *test)
{
	sysfs_test_register(test);
	KUNIT_EXPECT_TRUE(test, sysfs_test_is_visible(test, "type"));
	KUNIT_EXPECT_TRUE(test, sysfs_test_is_visible(test, INTERVAL));
	KUNIT_EXPECT_FALSE(test,
			   sysfs_test_is_visible(test, "nr_addr_filters"));
	KUNIT_EXPECT_FALSE(test, sysfs_test_is_visible(test, "cpumask"));
}

static void sysfs_test_all_files(struct kunit *test)
{
	pmu.nr_addr_filters = 3;
	pmu.scope = PERF_PMU_SCOPE_SYS_WIDE;
	sysfs_test_register(test);
	KUNIT_EXPECT_TRUE(test, sysfs_test_is_visible(test, "nr_addr_filters"));
	KUNIT_EXPECT_TRUE(test, sysfs_test_is_visible(test, "cpumask"));
	sysfs_test_expect_content(test, "type", pmu.type);
	sysfs_test_expect_content(test, "nr_addr_filters", 3);
	sysfs_test_expect_content(test, INTERVAL, pmu.hrtimer_interval_ms);
}

static void sysfs_test_expect_interval(struct kunit *test, int ms)
{
	const struct perf_cpu_pmu_context *cpc;
	int cpu;

	sysfs_test_expect_content(test, INTERVAL, ms);
	for_each_possible_cpu(cpu) {
		cpc = per_cpu_ptr(pmu.cpu_pmu_context, cpu);
		KUNIT_EXPECT_EQ(test, cpc->mux_interval, ms_to_ktime(ms));
	}
}

static void sysfs_test_interval(struct kunit *test)
{
	int before;

	sysfs_test_register(test);
	before = pmu.hrtimer_interval_ms;
	KUNIT_EXPECT_EQ(test, sysfs_test_write(test, "0"), -EINVAL);
	KUNIT_EXPECT_EQ(test, sysfs_test_write(test, "-1"), -EINVAL);
	KUNIT_EXPECT_EQ(test, sysfs_test_write(test, "long"), -EINVAL);
	KUNIT_EXPECT_EQ(test, pmu.hrtimer_interval_ms, before);

	KUNIT_EXPECT_EQ(test, sysfs_test_write(test, "77"), 2);
	sysfs_test_expect_interval(test, 77);
}

/* An interval is set for CPUs that are offline, too. */
static void sysfs_test_interval_offline(struct kunit *test)
{
	int cpu = cpumask_last(cpu_online_mask);

	sysfs_test_register(test);
	fake_take_offline(test, cpu);
	KUNIT_EXPECT_EQ(test, sysfs_test_write(test, "78"), 2);
	sysfs_test_expect_interval(test, 78);
	fake_bring_online(test, cpu);
	sysfs_test_expect_interval(test, 78);
}

/* Some PMUs want no device, and do not get one later. */
static void sysfs_test_no_device(struct kunit *test)
{
	struct pmu none = { .name = "kunit_none" };

	KUNIT_EXPECT_FALSE(test, perf_pmu_sysfs_has_dev(&none));
	none.dev = PMU_NULL_DEV;
	KUNIT_EXPECT_FALSE(test, perf_pmu_sysfs_has_dev(&none));
	scoped_guard(mutex, &perf_pmus_mutex)
		KUNIT_EXPECT_EQ(test, perf_pmu_sysfs_add(&none), 0);
	KUNIT_EXPECT_PTR_EQ(test, none.dev, PMU_NULL_DEV);
	perf_pmu_sysfs_del(&none);
	KUNIT_EXPECT_PTR_EQ(test, none.dev, PMU_NULL_DEV);
}

static void sysfs_test_named_event(struct kunit *test)
{
	struct perf_pmu_events_attr event = { .event_str = "event=0x3c" };
	char *page = (char *)get_zeroed_page(GFP_KERNEL);
	ssize_t len = strlen("event=0x3c\n");

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, perf_event_sysfs_show(NULL, &event.attr, page),
			len);
	KUNIT_EXPECT_STREQ(test, page, "event=0x3c\n");
	event.event_str = NULL;
	KUNIT_EXPECT_EQ(test, perf_event_sysfs_show(NULL, &event.attr, page), 0);
	free_page((unsigned long)page);
}

static struct kunit_case sysfs_test_cases[] = {
	KUNIT_CASE(sysfs_test_few_files),
	KUNIT_CASE(sysfs_test_all_files),
	KUNIT_CASE(sysfs_test_interval),
	KUNIT_CASE(sysfs_test_interval_offline),
	KUNIT_CASE(sysfs_test_no_device),
	KUNIT_CASE(sysfs_test_named_event),
	{ }
};

static struct kunit_suite sysfs_test_suite = {
	.name		= "perf_pmu_sysfs",
	.init		= sysfs_test_init,
	.test_cases	= sysfs_test_cases,
};

kunit_test_suite(sysfs_test_suite);
