// SPDX-License-Identifier: GPL-2.0
/*
 * Scaling: many events, many threads
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scaling.h"

#define STACK	(16 * 1024)

/* Nothing on x86 counts in this event, and scheduling it in costs least. */
struct perf_event_attr quiet_attr(const struct many *how)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_EMULATION_FAULTS);

	attr.inherit = how->inherit;
	if (how->group)
		attr.read_format = PERF_FORMAT_GROUP;
	return attr;
}

/* Events of the caller; on one CPU if how->cpu is not -1. */
void open_many(const struct many *how, unsigned int count, int *fds)
{
	struct perf_event_attr attr = quiet_attr(how);
	unsigned int i;

	for (i = 0; i < count; i++)
		fds[i] = must_open(&attr, 0, how->cpu,
				   how->group && i ? fds[0] : -1);
}

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return NULL;
}

/* Threads of the caller, which sleep. */
void start_threads(unsigned int count)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	while (count--) {
		if (pthread_create(&thread, &attr, sleeper, NULL))
			die("pthread_create");
	}
	settle();
}

/* A child that ends at once, and the wait for it. */
void fork_exit(void *arg)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die("fork");
}

void emit_number(const struct row *row, unsigned int number, struct cost cost)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	emit_cost(row, text, cost);
}
