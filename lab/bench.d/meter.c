// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark: the cost of an operation
 *
 * Instructions are ticks of the time-stamp counter less the ticks of the PMU
 * model (file "overhead") and less the cost of measuring itself. The model's
 * files are read outside of the measured section.
 *
 * An operation is repeated in windows. The result is the mean of the middle
 * half of the windows, so that an occasional timer interrupt or kernel thread
 * has no effect. Operations that defer work, such as memory that is freed after
 * a grace period, are measured in one long section instead, with all the work
 * in it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define MODEL		"/sys/kernel/debug/x86_pmu_model/"
#define WARM_UP		3
#define WARM_UP_MEAN	8	/* a part of the section */
#define MAX_WINDOWS	31

static int overhead_fd = -1;
static int accesses_fd = -1;
static double nothing;

struct pair {
	unsigned long long first;
	unsigned long long second;
};

/* @count numbers of the line that begins with @name; zeros without a model. */
static struct pair numbers(int fd, const char *name, int count)
{
	struct pair pair = { 0, 0 };
	char text[4096];
	ssize_t len;
	char *line;

	if (fd < 0)
		return pair;
	len = pread(fd, text, sizeof(text) - 1, 0);
	if (len <= 0)
		return pair;
	text[len] = 0;
	line = strstr(text, name);
	if (!line || sscanf(line + strlen(name), "%llu %llu", &pair.first,
			    &pair.second) != count)
		die("the PMU model's files have another format");
	return pair;
}

static __u64 model_ticks(void)
{
	return numbers(overhead_fd, "\ntotal ", 2).second;
}

static __u64 model_accesses(void)
{
	struct pair reads_writes = numbers(accesses_fd, "\ntotal ", 2);

	return reads_writes.first + reads_writes.second;
}

/**
 * model_turns - read how often the set of events on the counters changed
 */
__u64 model_turns(void)
{
	return numbers(accesses_fd, "\nturns ", 1).first;
}

void meter_start(struct meter *m)
{
	m->accesses = model_accesses();
	m->model = model_ticks();
	m->ticks = now();
}

struct cost meter_stop(const struct meter *m, unsigned int operations)
{
	__u64 ticks = now() - m->ticks;
	__u64 model = model_ticks() - m->model;
	__u64 accesses = model_accesses() - m->accesses;
	struct cost cost = {
		.insns = ((double)ticks - model - nothing) / operations,
		.accesses = (double)accesses / operations,
	};

	return cost;
}

void meter_init(void)
{
	struct cost empty[5];
	struct meter m;
	size_t i;

	overhead_fd = open(MODEL "overhead", O_RDONLY | O_CLOEXEC);
	accesses_fd = open(MODEL "accesses", O_RDONLY | O_CLOEXEC);
	for (i = 0; i < ARRAY_SIZE(empty); i++) {
		meter_start(&m);
		empty[i] = meter_stop(&m, 1);
	}
	nothing = cost_median(empty, ARRAY_SIZE(empty)).insns;
}

static int by_insns(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;

	return (a->insns > b->insns) - (a->insns < b->insns);
}

/* The window in the middle, with its own accesses. */
struct cost cost_median(struct cost *costs, size_t count)
{
	qsort(costs, count, sizeof(*costs), by_insns);
	return costs[count / 2];
}

static struct cost middle_half(struct cost *costs, size_t count)
{
	size_t i, first = count / 4, last = count - count / 4;
	struct cost mean = { 0, 0 };

	qsort(costs, count, sizeof(*costs), by_insns);
	for (i = first; i < last; i++) {
		mean.insns += costs[i].insns / (last - first);
		mean.accesses += costs[i].accesses / (last - first);
	}
	return mean;
}

struct cost cost_sub(struct cost a, struct cost b)
{
	a.insns -= b.insns;
	a.accesses -= b.accesses;
	return a;
}

void emit_cost(const struct row *row, const char *part, struct cost cost)
{
	emit(row, part, "insn", cost.insns, cost.accesses);
}

/**
 * measure_prepared - measure an operation that needs a preparation
 * @prepare:	called before each window, not measured
 * @op:		does the operation @operations times
 * @arg:	argument of both
 * @operations:	number of operations in one call of @op
 */
struct cost measure_prepared(void (*prepare)(void *arg), void (*op)(void *arg),
			     void *arg, unsigned int operations)
{
	struct cost costs[MAX_WINDOWS];
	size_t i, windows = quick ? 7 : MAX_WINDOWS;
	struct meter m;

	for (i = 0; i < WARM_UP; i++) {
		prepare(arg);
		op(arg);
	}
	for (i = 0; i < windows; i++) {
		prepare(arg);
		meter_start(&m);
		op(arg);
		costs[i] = meter_stop(&m, operations);
	}
	return middle_half(costs, windows);
}

struct repeated {
	void		(*op)(void *arg);
	void		*arg;
	unsigned int	times;
};

static void repeat(void *arg)
{
	const struct repeated *r = arg;
	unsigned int i;

	for (i = 0; i < r->times; i++)
		r->op(r->arg);
}

static void nothing_to_prepare(void *arg)
{
}

/**
 * measure - measure an operation
 * @op:		does it once
 * @arg:	argument of @op
 * @per_window:	number of operations in a window
 */
struct cost measure(void (*op)(void *arg), void *arg, unsigned int per_window)
{
	struct repeated r = { op, arg, per_window };

	return measure_prepared(nothing_to_prepare, repeat, &r, per_window);
}

/**
 * measure_mean - measure an operation that defers work
 * @op:		does it once
 * @arg:	argument of @op
 * @times:	number of operations
 *
 * Not for processes that called fifo(): the deferred work would never run.
 */
struct cost measure_mean(void (*op)(void *arg), void *arg, unsigned int times)
{
	struct repeated r = { op, arg, times / WARM_UP_MEAN };
	struct meter m;

	repeat(&r);
	r.times = quick ? times / 4 : times;
	meter_start(&m);
	repeat(&r);
	return meter_stop(&m, r.times);
}

/**
 * in_child - measure in a process that has no events yet
 * @fn:		returns the cost
 * @arg:	argument of @fn
 */
struct cost in_child(struct cost (*fn)(const void *arg), const void *arg)
{
	struct cost *result, cost;
	int status;
	pid_t pid;

	result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (result == MAP_FAILED)
		die("mmap");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		*result = fn(arg);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	cost = *result;
	munmap(result, sizeof(*result));
	return cost;
}
