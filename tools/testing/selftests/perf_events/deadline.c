// SPDX-License-Identifier: GPL-2.0
/*
 * A real-time task keeps its deadline while a user without privilege makes as
 * many overflows as there can be: on each CPU a program of this user with events of
 * period 1, and beside it a task of the highest class that wakes each
 * millisecond.
 *
 *   deadline [MICROSECONDS [MICROSECONDS]]
 *
 * The arguments are the microseconds that the task may be late, without and
 * with hardware events. The defaults are for hosts that have other work. If the
 * clock counts instructions, far lower limits can be used.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perf_lib.h"

#define EVENTS		8
#define ROUNDS		100
#define PERIOD_NS	(1000 * 1000)
#define RING_PAGES	8
#define MAX_CPUS	64
#define MAX_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

static __u64 limit_ns = 50 * NSEC_PER_MSEC;
static __u64 hardware_limit_ns;

struct attack {
	const char *name;
	struct perf_event_attr attr;
	void (*work)(void);
	bool hardware;
};

static void work_faults(void)
{
	touch_pages(64);
}

static void work_cycles(void)
{
	burn(1000);
}

static void work_switches(void)
{
	bounce(4);
}

#define USER_PERIOD_1	.sample_period = 1, .exclude_kernel = 1, .exclude_hv = 1, \
			.wakeup_events = 1, \
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
				       PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, \
			.exclude_callchain_kernel = 1
#define SW(conf)	.type = PERF_TYPE_SOFTWARE, .config = (conf)

static const struct attack attacks[] = {
	{ "page faults", { SW(PERF_COUNT_SW_PAGE_FAULTS), USER_PERIOD_1 },
	  work_faults },
	{ "context switches", { SW(PERF_COUNT_SW_CONTEXT_SWITCHES), USER_PERIOD_1 },
	  work_switches },
	{ "nanoseconds of a CPU's clock", { SW(PERF_COUNT_SW_CPU_CLOCK),
	  USER_PERIOD_1 }, work_cycles },
	{ "nanoseconds of a task's clock", { SW(PERF_COUNT_SW_TASK_CLOCK),
	  USER_PERIOD_1 }, work_cycles },
	{ "instructions", { .type = PERF_TYPE_HARDWARE,
	  .config = PERF_COUNT_HW_INSTRUCTIONS, USER_PERIOD_1 }, work_cycles,
	  .hardware = true },
	{ "cycles, as often as can be", { .type = PERF_TYPE_HARDWARE, .freq = 1,
	  USER_PERIOD_1 }, work_cycles, .hardware = true },
};

/* All events write to the first one's buffer, which is full soon. */
static void open_events(const struct attack *attack)
{
	struct perf_event_attr attr = attack->attr;
	int first = -1, i, fd;

	attr.size = sizeof(attr);
	if (attr.freq)
		attr.sample_freq = read_long(MAX_RATE);
	for (i = 0; i < EVENTS; i++) {
		fd = perf_open(&attr, 0, -1, -1, 0);
		CHECK(fd >= 0, "event %d: %s", i, strerror(errno));
		if (i)
			event_set_output(fd, first);
		else
			ring_map(first = fd, RING_PAGES);
	}
}

static pid_t start_attack(const struct attack *attack, int cpu, int ready)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	become_nobody();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin_to_cpu(cpu);
	open_events(attack);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		attack->work();
}

static void become_real_time(void)
{
	struct sched_param param = { .sched_priority = 90 };

	CHECK(!sched_setscheduler(0, SCHED_FIFO, &param), "SCHED_FIFO: %s",
	      strerror(errno));
}

static __u64 to_ns(const struct timespec *time)
{
	return time->tv_sec * NSEC_PER_SEC + time->tv_nsec;
}

/* Return: how late it was at worst, ns. */
static __u64 ping(void)
{
	__u64 due, now, worst = 0;
	struct timespec time;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &time);
	due = to_ns(&time);
	for (i = 0; i < ROUNDS; i++) {
		due += PERIOD_NS;
		time.tv_sec = due / NSEC_PER_SEC;
		time.tv_nsec = due % NSEC_PER_SEC;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
		clock_gettime(CLOCK_MONOTONIC, &time);
		now = to_ns(&time);
		if (now - due > worst)
			worst = now - due;
		/* A delay counts only once. */
		if (now > due + PERIOD_NS)
			due = now;
	}
	return worst;
}

static bool try_attack(void *arg)
{
	const struct attack *attack = arg;
	int nr = sysconf(_SC_NPROCESSORS_ONLN), cpu, ready[2];
	__u64 late, worst = 0;
	pid_t pid[MAX_CPUS];
	char byte;

	if (nr > MAX_CPUS)
		nr = MAX_CPUS;
	CHECK(!pipe(ready), "pipe");
	for (cpu = 0; cpu < nr; cpu++)
		pid[cpu] = start_attack(attack, cpu, ready[1]);
	for (cpu = 0; cpu < nr; cpu++)
		CHECK(read(ready[0], &byte, 1) == 1, "ready");
	become_real_time();
	for (cpu = 0; cpu < nr; cpu++) {
		pin_to_cpu(cpu);
		late = ping();
		if (late > worst)
			worst = late;
	}
	for (cpu = 0; cpu < nr; cpu++)
		stop_child(pid[cpu]);
	printf("# %llu us late at worst, %ld samples a second are left\n",
	       (unsigned long long)worst / 1000, read_long(MAX_RATE));
	return worst <= (attack->hardware ? hardware_limit_ns : limit_ns);
}

static void run_attack(const void *arg)
{
	const struct attack *attack = arg;

	if (attack->hardware)
		need_hardware();
	test_retry(try_attack, (void *)attack);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		limit_ns = strtoull(argv[1], NULL, 0) * 1000;
	hardware_limit_ns = limit_ns;
	if (argc > 2)
		hardware_limit_ns = strtoull(argv[2], NULL, 0) * 1000;
	tests_begin(ARRAY_SIZE(attacks));
	tests_run_rows(attacks, ARRAY_SIZE(attacks), sizeof(attacks[0]), run_attack);
	tests_end();
}
