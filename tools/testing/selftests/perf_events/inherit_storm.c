// SPDX-License-Identifier: GPL-2.0
/*
 * A storm of forks, execs and exits with inherited events, while CPUs come and
 * go and other tasks open, close and change events. The kernel has to survive,
 * and all calls have to be counted.
 *	inherit_storm [SECONDS]
 *
 * With PERF_TEST_NO_HOTPLUG in the environment all CPUs stay.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define WORKERS		6
#define MAX_CPUS	64
#define MAX_FDS		(4 * MAX_CPUS)
#define RING_PAGES	4

struct shared {
	__u64 made;
	__u64 rounds;
	bool end;
	pid_t last;		/* somebody to open an event on */
};

static struct shared *shared;
static int shared_fd;
static unsigned int seconds = 5;
static int nr_cpus;

#define ADD(var, n)	__atomic_add_fetch(&(var), n, __ATOMIC_SEQ_CST)
#define LOAD(var)	__atomic_load_n(&(var), __ATOMIC_SEQ_CST)
#define STORE(var, n)	__atomic_store_n(&(var), n, __ATOMIC_SEQ_CST)

/* What a task does in its lifetime. */
static void work(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		syscall(SYS_getppid);
		ADD(shared->made, 1);
	}
	touch_pages(3);
}

static void *work_thread(void *arg)
{
	work();
	return arg;
}

static void move(__u64 *state)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(rnd(state, nr_cpus), &set);
	/* It may be offline. */
	sched_setaffinity(0, sizeof(set), &set);
}

/* One of several kinds of children of a worker: it exits. */
static __noreturn void child_exits(void)
{
	work();
	_exit(0);
}

static __noreturn void child_execs(void)
{
	char fd[16];

	work();
	snprintf(fd, sizeof(fd), "%d", shared_fd);
	execl("/proc/self/exe", "inherit_storm", "leaf", fd, NULL);
	_exit(1);
}

static __noreturn void child_has_threads(void)
{
	pthread_t threads[3];
	int i, n = 0;

	for (i = 0; i < 3; i++)
		n += !pthread_create(&threads[n], NULL, work_thread, NULL);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static __noreturn void child_leaves_orphan(void)
{
	if (!fork())
		child_exits();
	_exit(0);
}

/* This one is killed, so it does nothing that has to be counted. */
static __noreturn void child_sleeps(void)
{
	for (;;)
		pause();
}

static void (*const kinds[])(void) = {
	child_exits,
	child_exits,
	child_execs,
	child_has_threads,
	child_leaves_orphan,
	child_sleeps,
};

static void open_on_last(__u64 *state)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_TASK_CLOCK);
	int fd;

	attr.disabled = 0;
	attr.inherit = rnd(state, 2);
	fd = perf_open(&attr, LOAD(shared->last), -1, -1, 0);
	if (fd < 0)
		return;
	usleep(rnd(state, 300));
	close(fd);
}

static __noreturn void worker(__u64 state)
{
	unsigned int kind;
	pid_t pid;

	while (!LOAD(shared->end)) {
		kind = rnd(&state, ARRAY_SIZE(kinds));
		pid = fork();
		if (!pid) {
			move(&state);
			kinds[kind]();
		}
		/* A kill(-1) would hit all processes: there may be no child. */
		if (pid < 0)
			continue;
		STORE(shared->last, rnd(&state, 2) ? pid : getpid());
		if (!rnd(&state, 4))
			open_on_last(&state);
		if (kinds[kind] == child_sleeps)
			kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		ADD(shared->rounds, 1);
	}
	_exit(0);
}

/* CPUs other than the first go and come. */
static void set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	write_text(path, online ? "1" : "0");
}

static __noreturn void plug(void)
{
	__u64 state = rnd_seed(1);
	int cpu;

	while (!LOAD(shared->end) && nr_cpus > 1) {
		cpu = 1 + rnd(&state, nr_cpus - 1);
		set_online(cpu, rnd(&state, 2));
		usleep(rnd(&state, 50000));
	}
	for (cpu = 1; cpu < nr_cpus; cpu++)
		set_online(cpu, true);
	_exit(0);
}

/* The events. */
struct events {
	int calls;		/* counted exactly */
	int fd[MAX_FDS];
	struct perf_ring *ring[MAX_FDS];
	int nr;
};

static void keep(struct events *events, struct perf_event_attr *attr, int cpu,
		 int leader)
{
	int fd = perf_open(attr, 0, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	/* No such hardware, or the CPU is away. */
	if (fd < 0)
		return;
	events->ring[events->nr] = cpu < 0 ? NULL : ring_map(fd, RING_PAGES);
	events->fd[events->nr++] = fd;
}

static void open_calls(struct events *events)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("syscalls/sys_enter_getppid"));

	attr.inherit = 1;
	attr.disabled = 0;
	events->calls = open_self(&attr);
}

/* As perf record does, and perf stat. */
static void open_others(struct events *events)
{
	struct perf_event_attr attr;
	int cpu;

	attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	attr.inherit = 1;
	attr.disabled = 0;
	keep(events, &attr, -1, -1);
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	keep(events, &attr, -1, -1);
	if (events->nr == 2)
		keep(events, &attr, -1, events->fd[0]);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
		attr.inherit = 1;
		attr.disabled = 0;
		attr.sample_period = 10;
		attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
		attr.task = 1;
		attr.comm = 1;
		attr.mmap = 1;
		keep(events, &attr, cpu, -1);
		attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
		attr.inherit = 1;
		attr.disabled = 0;
		attr.freq = 1;
		attr.sample_freq = 500;
		attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_IP;
		keep(events, &attr, cpu, -1);
	}
}

static void close_others(struct events *events)
{
	while (events->nr--) {
		if (events->ring[events->nr])
			ring_unmap(events->ring[events->nr]);
		close(events->fd[events->nr]);
	}
	events->nr = 0;
}

static void change_one(struct events *events, __u64 *state)
{
	__u64 value = 100 + rnd(state, 1000), buf[8];
	int i;

	if (!events->nr)
		return;
	i = rnd(state, events->nr);
	switch (rnd(state, 6)) {
	case 0:
		ioctl(events->fd[i], PERF_EVENT_IOC_ENABLE, 0);
		break;
	case 1:
		ioctl(events->fd[i], PERF_EVENT_IOC_DISABLE, 0);
		break;
	case 2:
		ioctl(events->fd[i], PERF_EVENT_IOC_RESET, 0);
		break;
	case 3:
		ioctl(events->fd[i], PERF_EVENT_IOC_PERIOD, &value);
		break;
	case 4:
		EXPECT(read(events->fd[i], buf, sizeof(buf)) == 8, "read: %s",
		       strerror(errno));
		break;
	case 5:
		if (events->ring[i])
			ring_skip_all(events->ring[i]);
		break;
	}
}

static void disturb(struct events *events)
{
	__u64 deadline = now_ns() + seconds * NSEC_PER_SEC, state = rnd_seed(1), last = 0;
	__u64 made, got;

	while (now_ns() < deadline) {
		change_one(events, &state);
		if (!rnd(&state, 50)) {
			close_others(events);
			open_others(events);
		}
		made = LOAD(shared->made);
		got = read_count(events->calls);
		EXPECT(got >= made && got >= last, "%llu, %llu before, %llu made",
		       (unsigned long long)got, (unsigned long long)last,
		       (unsigned long long)made);
		last = got;
		usleep(rnd(&state, 1000));
	}
}

static void storm(void)
{
	struct events events = { .nr = 0 };
	pid_t pid;
	int i;

	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	CHECK(nr_cpus <= MAX_CPUS, "%d CPUs", nr_cpus);
	alarm(0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	shared_fd = memory_fd("inherit_storm", sizeof(*shared));
	shared = map_memory(shared_fd, sizeof(*shared));
	open_calls(&events);
	open_others(&events);
	fflush(stdout);
	for (i = 0; i < WORKERS; i++) {
		pid = fork();
		CHECK(pid >= 0, "fork: %s", strerror(errno));
		if (!pid)
			worker(i + 1);
	}
	pid = getenv("PERF_TEST_NO_HOTPLUG") ? -1 : fork();
	if (!pid)
		plug();
	disturb(&events);
	STORE(shared->end, true);
	while (wait(NULL) > 0)
		;
	CHECK(shared->rounds && shared->made, "nothing happened");
	CHECK(read_count(events.calls) == shared->made, "%llu of %llu calls",
	      (unsigned long long)read_count(events.calls),
	      (unsigned long long)shared->made);
	ksft_print_msg("%llu rounds, %llu calls\n",
		       (unsigned long long)shared->rounds,
		       (unsigned long long)shared->made);
}

static const struct test_case cases[] = {
	{ "fork, exec and exit", storm },
};

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "leaf")) {
		shared_fd = atoi(argv[2]);
		shared = map_memory(shared_fd, sizeof(*shared));
		work();
		return 0;
	}
	if (argc > 1)
		seconds = atoi(argv[1]);
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
