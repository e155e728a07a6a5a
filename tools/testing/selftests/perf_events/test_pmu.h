/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU "perf_test", of the module perf_test_pmu: it counts nanoseconds, and
 * can be unregistered at any time, even if it is in use.
 */
#ifndef SELFTEST_TEST_PMU_H
#define SELFTEST_TEST_PMU_H

#include <stdbool.h>
#include <linux/perf_event.h>

#define EVENT_SOURCES	"/sys/bus/event_source/devices"
#define TEST_PMU_DIR	EVENT_SOURCES "/perf_test"

/* attr.config: any general counter will do; the fixed counter only. */
#define TEST_PMU_GENERAL	0
#define TEST_PMU_FIXED		1

void test_pmu_need(void);
bool test_pmu_load(void);
bool test_pmu_unload(void);
void test_pmu_register(void);
void test_pmu_unregister(void);
int test_pmu_open_switch(void);
long test_pmu_parameter(const char *name);
struct perf_event_attr test_pmu_attr(__u64 config);

/* The same for any module that has PMUs for tests. */
bool test_module_load(const char *module);
void test_module_need(const char *module);
void test_module_register(const char *module, bool there);
void test_modules_leave(void);
long test_module_parameter(const char *module, const char *name);
struct perf_event_attr test_module_attr(const char *pmu, __u64 config);

#endif
