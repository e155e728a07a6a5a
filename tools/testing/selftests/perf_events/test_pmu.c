// SPDX-License-Identifier: GPL-2.0
/*
 * Loads, unregisters and queries the PMU "perf_test" and other test modules.
 *
 * A module is found where modprobe finds it, or below the folder in
 * KERNEL_OBJECTS in the environment, which is that of a kernel's build.
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

static void parameter_path(char *path, size_t size, const char *module,
			   const char *name)
{
	snprintf(path, size, "/sys/module/%s/parameters/%s", module, name);
}

static bool is_loaded(const char *module)
{
	char path[128];

	parameter_path(path, sizeof(path), module, "registered");
	return !access(path, F_OK);
}

static bool load_object(const char *module)
{
	const char *objects = getenv("KERNEL_OBJECTS");
	char path[512];
	int fd, err;

	if (!objects)
		return false;
	snprintf(path, sizeof(path), "%s/kernel/events/tests/%s.ko", objects,
		 module);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	err = syscall(SYS_finit_module, fd, "", 0);
	CHECK(!err || errno == EEXIST, "load %s: %s", path, strerror(errno));
	close(fd);
	return true;
}

/* Return: false if there is no such module, or no right to load it. */
bool test_module_load(const char *module)
{
	char command[128];

	if (is_loaded(module) || load_object(module))
		return true;
	snprintf(command, sizeof(command), "modprobe -q %s 2>/dev/null",
		 module);
	return !system(command) && is_loaded(module);
}

bool test_pmu_load(void)
{
	return test_module_load(MODULE);
}

/* Return: false, with errno, if an event of the PMU exists. */
bool test_pmu_unload(void)
{
	return !syscall(SYS_delete_module, MODULE, O_NONBLOCK);
}

/* Registers or unregisters the PMUs of a module. */
void test_module_register(const char *module, bool there)
{
	const char *text = there ? "1" : "0";
	char path[128];

	parameter_path(path, sizeof(path), module, "registered");
	CHECK(write_text(path, text), "registered = %s: %s", text,
	      strerror(errno));
}

/* Removes unusual PMUs, for programs that open events of any PMU they find. */
void test_modules_leave(void)
{
	char path[128];

	parameter_path(path, sizeof(path), "perf_test_kinds", "registered");
	write_text(path, "0");
}

void test_pmu_register(void)
{
	test_module_register(MODULE, true);
}

void test_pmu_unregister(void)
{
	test_module_register(MODULE, false);
}

/* For tests that write to it themselves. */
int test_pmu_open_switch(void)
{
	char path[128];
	int fd;

	parameter_path(path, sizeof(path), MODULE, "registered");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0, "open: %s", strerror(errno));
	return fd;
}

long test_module_parameter(const char *module, const char *name)
{
	char path[128];
	long value;

	parameter_path(path, sizeof(path), module, name);
	value = read_long(path);
	CHECK(value >= 0, "no parameter %s", name);
	return value;
}

long test_pmu_parameter(const char *name)
{
	return test_module_parameter(MODULE, name);
}

/* Skips the case if there is no such module. */
void test_module_need(const char *module)
{
	if (geteuid())
		test_skip("needs root");
	if (!test_module_load(module))
		test_skip("no module %s", module);
	test_module_register(module, true);
}

void test_pmu_need(void)
{
	test_module_need(MODULE);
}

/* An event of a PMU that belongs to a module. */
struct perf_event_attr test_module_attr(const char *pmu, __u64 config)
{
	char path[128];
	long type;

	snprintf(path, sizeof(path), EVENT_SOURCES "/%s/type", pmu);
	type = read_long(path);
	if (type < 0)
		test_skip("no PMU %s", pmu);
	return make_attr(type, config);
}

struct perf_event_attr test_pmu_attr(__u64 config)
{
	struct perf_event_attr attr = test_module_attr("perf_test", config);

	attr.disabled = 0;
	return attr;
}
