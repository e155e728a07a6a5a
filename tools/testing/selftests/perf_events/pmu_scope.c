// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU that counts for a package: which CPUs stand for their packages, which
 * may read its counts, and which go on counting when such a CPU goes offline.
 *
 * The PMU is "perf_test_package" of the module perf_test_kinds, which reports
 * how often it was read on another CPU than the one that counts. Without the
 * module all cases are skipped, and on a machine without enough CPUs and
 * packages those that need them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_lib.h"
#include "test_pmu.h"

#define MODULE		"perf_test_kinds"
#define PMU		"perf_test_package"
#define MAX_CPUS	64

static struct perf_event_attr package_attr(void)
{
	struct perf_event_attr attr;

	test_module_need(MODULE);
	attr = test_module_attr(PMU, 0);
	attr.disabled = 0;
	return attr;
}

static long cpu_file(int cpu, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu,
		 name);
	return read_long(path);
}

static long package_of(int cpu)
{
	return cpu_file(cpu, "topology/physical_package_id");
}

/* CPU 0 has no such file, as it cannot go offline. */
static bool is_online(int cpu)
{
	return cpu_file(cpu, "online") != 0 && package_of(cpu) >= 0;
}

/* The PMU's list of CPUs, such as "0,2-3". */
static cpu_set_t counting_cpus(void)
{
	FILE *file = fopen(EVENT_SOURCES "/" PMU "/cpumask", "r");
	unsigned int first, last;
	cpu_set_t cpus;

	CHECK(file, "no cpumask: %s", strerror(errno));
	CPU_ZERO(&cpus);
	do {
		CHECK(fscanf(file, "%u", &first) == 1, "cpumask is no list");
		if (fscanf(file, "-%u", &last) != 1)
			last = first;
		while (first <= last)
			CPU_SET(first++, &cpus);
	} while (fgetc(file) == ',');
	fclose(file);
	return cpus;
}

/* Return: the CPU that counts for @cpu's package. */
static int counting_cpu(int cpu)
{
	cpu_set_t cpus = counting_cpus();
	int other, found = -1;

	for (other = 0; other < MAX_CPUS; other++) {
		if (!CPU_ISSET(other, &cpus) ||
		    package_of(other) != package_of(cpu))
			continue;
		CHECK(found < 0, "CPUs %d and %d are of one package", found,
		      other);
		found = other;
	}
	CHECK(found >= 0, "none counts for CPU %d", cpu);
	return found;
}

/* Skips the case if no CPU shares @cpu's package, or if all do. */
static int other_cpu(int cpu, bool same_package)
{
	int other;

	for (other = 0; other < MAX_CPUS; other++)
		if (other != cpu && is_online(other) &&
		    (package_of(other) == package_of(cpu)) == same_package)
			return other;
	test_skip("no other CPU in %s package",
		  same_package ? "the same" : "another");
}

static void one_of_each_package(void)
{
	cpu_set_t cpus;
	int cpu;

	package_attr();
	cpus = counting_cpus();
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (is_online(cpu))
			counting_cpu(cpu);
		else
			EXPECT(!CPU_ISSET(cpu, &cpus), "CPU %d is not there",
			       cpu);
	}
}

static void not_for_tasks(void)
{
	struct perf_event_attr attr = package_attr();

	CHECK(perf_open(&attr, 0, -1, -1, 0) < 0 && errno == EINVAL,
	      "any CPU: %s", strerror(errno));
	CHECK(perf_open(&attr, 0, first_cpu(), -1, 0) < 0 && errno == EINVAL,
	      "one CPU: %s", strerror(errno));
	attr.config = 1;
	CHECK(perf_open(&attr, -1, first_cpu(), -1, 0) < 0 && errno == EINVAL,
	      "bad config: %s", strerror(errno));
}

/* An event may be opened on any CPU of a package. */
static void counts_on_any_cpu(void)
{
	struct perf_event_attr attr = package_attr();
	int cpu, fd;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!is_online(cpu))
			continue;
		fd = open_on(&attr, -1, cpu, -1);
		CHECK(event_grows(fd), "CPU %d does not count", cpu);
		close(fd);
	}
}

static long near_reads(void)
{
	return test_module_parameter(MODULE, "near_reads");
}

static long reads_near(int counter, int reader)
{
	struct perf_event_attr attr = package_attr();
	int fd = open_on(&attr, -1, counter, -1);
	long before;

	pin_to_cpu(reader);
	before = near_reads();
	CHECK(event_grows(fd), "does not count, read on CPU %d", reader);
	return near_reads() - before;
}

/* A read on a CPU of the same package does not call the CPU that counts. */
static void read_in_package(void)
{
	int cpu = first_cpu();

	package_attr();
	CHECK(reads_near(cpu, other_cpu(cpu, true)), "asked the other CPU");
	CHECK(!reads_near(cpu, cpu), "read elsewhere");
}

static void read_from_elsewhere(void)
{
	int cpu = first_cpu();

	package_attr();
	CHECK(!reads_near(cpu, other_cpu(cpu, false)),
	      "read in another package");
}

/* A group is read near only if all of its events may be. */
static void group_with_cpu_clock(void)
{
	struct perf_event_attr attr = package_attr();
	struct perf_event_attr clock = sw_attr(PERF_COUNT_SW_CPU_CLOCK);
	int cpu = first_cpu(), other = other_cpu(cpu, true), leader, sibling;
	long before;

	leader = open_on(&attr, -1, cpu, -1);
	clock.disabled = 0;
	sibling = open_on(&clock, -1, cpu, leader);
	pin_to_cpu(other);
	before = near_reads();
	CHECK(event_grows(leader), "the leader does not count");
	CHECK(event_grows(sibling), "the sibling does not count");
	CHECK(near_reads() == before, "a group was read near");
}

static bool set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	return write_text(path, online ? "1" : "0");
}

/*
 * CPU 0 stands for its package and cannot go offline: this takes a second one.
 * Return: a CPU that shares it with @goes, which stands for it.
 */
static int heir_to_be(int *goes)
{
	cpu_set_t cpus = counting_cpus();
	int cpu, heir;

	for (cpu = 1; cpu < MAX_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, &cpus))
			continue;
		for (heir = 0; heir < MAX_CPUS; heir++) {
			if (heir == cpu || !is_online(heir) ||
			    package_of(heir) != package_of(cpu))
				continue;
			*goes = cpu;
			return heir;
		}
	}
	test_skip("no CPU could go and leave its package to another");
}

static void take_down(int cpu)
{
	if (getenv("PERF_TEST_NO_HOTPLUG"))
		test_skip("hotplug not wanted");
	pin_to_cpu(first_cpu());
	if (!set_online(cpu, false))
		test_skip("CPU %d stays: %s", cpu, strerror(errno));
}

/* Its events move to another CPU, and stay there when it comes back. */
static void counting_cpu_goes(void)
{
	struct perf_event_attr attr = package_attr();
	int cpu = -1, heir, fd, now;
	bool grows;

	heir = heir_to_be(&cpu);
	fd = open_on(&attr, -1, cpu, -1);
	take_down(cpu);
	now = counting_cpu(heir);
	grows = event_grows(fd);
	CHECK(set_online(cpu, true), "CPU %d does not come back", cpu);
	CHECK(now != cpu, "the cpumask has a CPU that has gone");
	CHECK(grows, "the event of CPU %d does not go on", cpu);
	CHECK(counting_cpu(cpu) == now, "CPU %d took it back", cpu);
	CHECK(event_grows(fd), "the event ends when CPU %d is back", cpu);
	one_of_each_package();
}

/* When a CPU goes that stands for no package, the events stay. */
static void other_cpu_goes(void)
{
	struct perf_event_attr attr = package_attr();
	int counts = counting_cpu(first_cpu());
	int cpu = other_cpu(counts, true), fd, now, error;

	fd = open_on(&attr, -1, counts, -1);
	take_down(cpu);
	now = counting_cpu(counts);
	error = perf_open(&attr, -1, cpu, -1, 0) < 0 ? errno : 0;
	CHECK(set_online(cpu, true), "CPU %d does not come back", cpu);
	CHECK(now == counts, "CPU %d counts instead of %d", now, counts);
	CHECK(error == ENODEV, "event of the CPU that has gone: %s",
	      strerror(error));
	CHECK(event_grows(fd), "the event does not count any more");
	open_on(&attr, -1, cpu, -1);
}

static const struct test_case cases[] = {
	{ "one CPU of each package counts", one_of_each_package },
	{ "not for tasks", not_for_tasks },
	{ "counts on any CPU", counts_on_any_cpu },
	{ "read by a CPU of the package", read_in_package },
	{ "read by a CPU of another package", read_from_elsewhere },
	{ "group with an event of one CPU", group_with_cpu_clock },
	{ "the CPU that counts goes", counting_cpu_goes },
	{ "another CPU goes", other_cpu_goes },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
