// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's program: tasks that move to another CPU
 *
 * A process without events, on the first CPU, wakes a thread that it has put on
 * another CPU before. The thread runs there and sleeps. Its family has one or
 * two members, or one for each CPU; the others sleep.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lines.h"

#define STACK_SIZE	65536
#define SETTLED		1200000
#define WARM_ROUNDS	5
#define ROUNDS		10

/* Shared by the two processes. */
struct shared {
	__u32	turn;
	__u32	answer;
	pid_t	tid;
};

static struct shared *shared;

static void *sleeper(void *arg)
{
	struct visitor *me = arg;

	pin(me->cpu);
	for (int i = 0; i < 3; i++)
		usleep(1000);
	for (;;)
		pause();
	return NULL;
}

static void start_sleepers(unsigned int members)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	for (unsigned int i = 1; i < members; i++)
		if (pthread_create(&thread, &attr, sleeper, &visitors[i % nr_visitors]))
			die("pthread_create");
}

static void family(const struct row *row)
{
	int fds[MAX_SET];

	open_set(&row->set, 0, -1, fds);
	start_sleepers(row->n ?: nr_visitors);
	usleep(100000);
	__atomic_store_n(&shared->tid, gettid(), __ATOMIC_RELEASE);
	for (__u32 i = 0;; i++) {
		futex_wait(&shared->turn, i);
		futex_set(&shared->answer, i + 1);
	}
}

static void move_and_wake(unsigned int cpu, __u32 round)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(shared->tid, sizeof(set), &set))
		die("sched_setaffinity");
	futex_set(&shared->turn, round + 1);
	futex_wait(&shared->answer, round);
}

static void run_migrate(const struct row *row)
{
	unsigned int n = cpus_online();
	pid_t child;

	visitors_alloc();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");
	pin(0);
	child = fork();
	if (!child)
		family(row);
	while (!__atomic_load_n(&shared->tid, __ATOMIC_ACQUIRE))
		usleep(1000);
	usleep(SETTLED);
	for (__u32 i = 0; i < (WARM_ROUNDS + ROUNDS) * (n - 1); i++) {
		usleep(50);
		if (!i)
			mark_start(WARM_UP);
		else if (i == WARM_ROUNDS * (n - 1))
			mark_start(region_of_row(0));
		else
			mark_next();
		move_and_wake(1 + i % (n - 1), i);
	}
	mark_stop();
	reap(child);
}

#define HW(N)	{ .hw = N, .inherit = true }

static const struct row rows[] = {
	{ "migrate/no-events", run_migrate, .n = 2 },
	{ "migrate/4-hw-alone", run_migrate, HW(4), 1 },
	{ "migrate/4-hw-2-members", run_migrate, HW(4), 2 },
	{ "migrate/4-hw-all-members", run_migrate, HW(4), 0 },
};

const struct row_table migrate_table = { "many", rows, ARRAY_SIZE(rows) };
