// SPDX-License-Identifier: GPL-2.0
/* Processes that upset the others: each does one thing again and again. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "../perf_books.h"
#include "../storm.h"
#include "../test_pmu.h"
#include "fuzz.h"

#define CPU_ONLINE	"/sys/devices/system/cpu/cpu1/online"

static const char *const sysctl_paths[] = {
	"/proc/sys/kernel/perf_event_max_sample_rate",
	"/proc/sys/kernel/perf_event_mlock_kb",
	"/proc/sys/kernel/perf_event_max_stack",
	"/proc/sys/kernel/perf_event_max_contexts_per_stack",
	PARANOID,
};

static long sysctl_before[ARRAY_SIZE(sysctl_paths)];
static bool had_pmu, had_trace;

static void upset_cpu(__u64 *random)
{
	usleep(rnd(random, 200000));
	write_text(CPU_ONLINE, "0");
	usleep(rnd(random, 50000));
	write_text(CPU_ONLINE, "1");
}

static void upset_sysctls(__u64 *random)
{
	static const char *const values[][3] = {
		{ "500", "1000", "2000" },
		{ "8", "516", "4096" },
		{ "8", "127", "64" },
		{ "1", "8", "4" },
		{ "-1", "2", "3" },
	};
	unsigned int which = rnd(random, ARRAY_SIZE(values));

	usleep(rnd(random, 20000));
	/* A level that was asked for stays. */
	if (which == ARRAY_SIZE(values) - 1 &&
	    fuzz->options.paranoid != PARANOID_AS_IS)
		return;
	write_text(sysctl_paths[which], values[which][rnd(random, 3)]);
}

static void upset_pmu(__u64 *random)
{
	const char *module = rnd(random, 2) ? "perf_test_pmu" : "perf_test_aux";

	usleep(rnd(random, 100000));
	if (!(strcmp(module, "perf_test_aux") ? had_pmu : had_trace))
		return;
	test_module_register(module, false);
	usleep(rnd(random, 5000));
	test_module_register(module, true);
}

/* Takes half of the available memory for a moment, and drops caches. */
static void upset_memory(__u64 *random)
{
	size_t size = proc_kb("/proc/meminfo", "MemAvailable") / 2 * 1024, at;
	char *map;

	map = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return;
	for (at = 0; at < size && !fuzz_stopping(); at += 4096)
		map[at] = 1;
	write_text("/proc/sys/vm/drop_caches", "3");
	usleep(rnd(random, 100000));
	munmap(map, size);
}

static const struct {
	enum disturber which;
	void (*upset)(__u64 *random);
} disturbers[] = {
	{ DISTURB_HOTPLUG, upset_cpu },
	{ DISTURB_SYSCTLS, upset_sysctls },
	{ DISTURB_PMU, upset_pmu },
	{ DISTURB_MEMORY, upset_memory },
};

static pid_t running[ARRAY_SIZE(disturbers)];

static void load_pmus(void)
{
	had_pmu = test_module_load("perf_test_pmu");
	had_trace = test_module_load("perf_test_aux");
	if (had_pmu)
		test_module_register("perf_test_pmu", true);
	if (had_trace)
		test_module_register("perf_test_aux", true);
}

void disturb_start(unsigned int which, __u64 seed)
{
	__u64 random;
	size_t i;

	for (i = 0; which & DISTURB_SYSCTLS && i < ARRAY_SIZE(sysctl_paths); i++)
		sysctl_before[i] = read_long(sysctl_paths[i]);
	if (which & DISTURB_PMU)
		load_pmus();
	fuzz->stop = false;
	for (i = 0; i < ARRAY_SIZE(disturbers); i++) {
		running[i] = 0;
		if (!(which & disturbers[i].which))
			continue;
		running[i] = fork();
		if (running[i] < 0)
			ksft_exit_fail_perror("fork");
		if (running[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		random = rnd_seed(seed + i);
		while (!fuzz_stopping())
			disturbers[i].upset(&random);
		_exit(0);
	}
}

/*
 * The greatest depth of stacks is EBUSY until the last event that records them has gone.
 * If other programs are at work that may never happen.
 */
static bool put_back(const char *path, long value)
{
	__u64 end = now_ns() + fuzz->options.patience * NSEC_PER_SEC;
	char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	while (!write_text(path, text)) {
		if (errno == EBUSY && getenv("PERF_TEST_SHARED"))
			return true;
		if (errno != EBUSY || now_ns() > end) {
			printf("# %s: cannot be %ld again: %s\n", path, value,
			       strerror(errno));
			return false;
		}
		usleep(10000);
	}
	return true;
}

/* Restores everything. */
void disturb_stop(struct outcome *outcome)
{
	size_t i;
	int status;

	__atomic_store_n(&fuzz->stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(disturbers); i++)
		if (running[i] > 0 && !process_ends(running[i], &status))
			outcome->hung++;
	for (i = 0; i < ARRAY_SIZE(sysctl_paths); i++)
		if (fuzz->options.disturb & DISTURB_SYSCTLS &&
		    !put_back(sysctl_paths[i], sysctl_before[i]))
			outcome->hung++;
}
