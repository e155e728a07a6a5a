// SPDX-License-Identifier: GPL-2.0
/*
 * Loading, pulling and asking the PMU "perf_test".
 *
 * The module is found where modprobe finds it, or below the folder that
 * KERNEL_OBJECTS in the environment names: that of a kernel's build.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "perf_lib.h"
#include "test_pmu.h"

#define MODULE		"perf_test_pmu"
#define PARAMETERS	"/sys/module/" MODULE "/parameters/"

static bool is_loaded(void)
{
	return !access(PARAMETERS "registered", F_OK);
}

static bool load_object(void)
{
	const char *objects = getenv("KERNEL_OBJECTS");
	char path[512];
	int fd, err;

	if (!objects)
		return false;
	snprintf(path, sizeof(path), "%s/kernel/events/tests/" MODULE ".ko",
		 objects);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	err = syscall(SYS_finit_module, fd, "", 0);
	CHECK(!err || errno == EEXIST, "load %s: %s", path, strerror(errno));
	close(fd);
	return true;
}

/* Return: false if there is no such module, or no right to load it. */
bool test_pmu_load(void)
{
	if (is_loaded() || load_object())
		return true;
	return !system("modprobe -q " MODULE " 2>/dev/null") && is_loaded();
}

/* Return: false, and errno, if somebody has an event of the PMU. */
bool test_pmu_unload(void)
{
	return !syscall(SYS_delete_module, MODULE, O_NONBLOCK);
}

static void set_registered(const char *text)
{
	CHECK(write_text(PARAMETERS "registered", text), "registered = %s: %s",
	      text, strerror(errno));
}

void test_pmu_register(void)
{
	set_registered("1");
}

void test_pmu_unregister(void)
{
	set_registered("0");
}

/* For those who write to it themselves. */
int test_pmu_open_switch(void)
{
	int fd = open(PARAMETERS "registered", O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0, "open: %s", strerror(errno));
	return fd;
}

long test_pmu_parameter(const char *name)
{
	char path[128];
	long value;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	value = read_long(path);
	CHECK(value >= 0, "no parameter %s", name);
	return value;
}

/* Ends the case as skipped where there is no such PMU. */
void test_pmu_need(void)
{
	if (geteuid())
		test_skip("needs root");
	if (!test_pmu_load())
		test_skip("no module " MODULE);
	test_pmu_register();
}

struct perf_event_attr test_pmu_attr(__u64 config)
{
	struct perf_event_attr attr;
	long type = read_long(TEST_PMU_DIR "/type");

	CHECK(type >= 0, "the PMU has no type");
	attr = make_attr(type, config);
	attr.disabled = 0;
	return attr;
}
