// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: more events than counters
 *
 * Fairness: the events count a task and its threads, which live one after the
 * other. The share of an event is the part of its enabled time in which it ran.
 * Turns: how often the counters got other events, in an interval's enabled
 * time.
 *
 * Error: the rate of each event changes from phase to phase, in the PMU model.
 * The true count is the sum over the phases; an event's error is the difference
 * of the scaled count (count * enabled / running) from it. Both kernels get the
 * same phases, and several seeds of them.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench.h"

#define MSEC		1000000ULL
#define MAX_EVENTS	32
#define RATES		"/sys/kernel/debug/x86_pmu_model/rates"

/* Events of the general counters, each on any of them, and their usual rate. */
struct kind {
	const char	*name;
	__u64	code;	/* unit mask << 8 | event */
	unsigned int	ppm;
};

static const struct kind kinds[] = {
	{ "branches", 0x00c4, 200000 },
	{ "branch-misses", 0x00c5, 4000 },
	{ "cache-references", 0x4f2e, 10000 },
	{ "cache-misses", 0x412e, 2000 },
	{ "uops-issued", 0x010e, 1300000 },
	{ "uops-executed", 0x01b1, 1400000 },
	{ "uops-retired", 0x02c2, 1200000 },
	{ "l1d-load-misses", 0x0151, 15000 },
	{ "l1i-misses", 0x0283, 5000 },
	{ "dtlb-load-misses", 0x0e08, 1000 },
	{ "itlb-loads", 0x2085, 2000 },
	{ "itlb-load-misses", 0x0e85, 300 },
};

struct timed {
	__u64 value;
	__u64 enabled;
	__u64 running;
};

static int open_kind(unsigned int i, bool inherit, bool disabled, int leader)
{
	struct perf_event_attr attr;

	attr = make_attr(PERF_TYPE_RAW, kinds[i % ARRAY_SIZE(kinds)].code);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.inherit = inherit;
	attr.disabled = disabled;
	return must_open(&attr, 0, -1, leader);
}

static struct timed read_timed(int fd)
{
	struct timed t;

	if (read(fd, &t, sizeof(t)) != sizeof(t))
		die("read");
	return t;
}

/* Fairness. row->n events, row->arg microseconds a thread. */
#define NR_THREADS	500
#define LONG_THREAD	500000
#define INTERVAL	(4 * MSEC)	/* perf_event_mux_interval_ms, as booted */

static void *live(void *arg)
{
	burn(*(const unsigned long *)arg * 1000);
	return NULL;
}

static void run_threads(unsigned long usec, unsigned int count)
{
	pthread_t thread;

	while (count--) {
		if (pthread_create(&thread, NULL, live, &usec))
			die("pthread_create");
		pthread_join(thread, NULL);
	}
}

struct stretch {
	struct cost	cost;
	double		turns;	/* in an interval's enabled time */
};

/* A first thread, since newly enabled events cause an extra choice. */
static struct stretch measure_threads(const struct row *row, int fd)
{
	unsigned int count = row->arg == LONG_THREAD ? 1 : NR_THREADS;
	struct stretch s;
	struct meter m;
	__u64 since;

	run_threads(100, 1);
	since = read_timed(fd).enabled;
	s.turns = model_turns();
	meter_start(&m);
	run_threads(row->arg, count);
	s.cost = meter_stop(&m, 1);
	s.turns = (model_turns() - s.turns) * INTERVAL /
		  (read_timed(fd).enabled - since);
	return s;
}

static void run_shares(const struct row *row)
{
	double least = 1, most = 0;
	int fds[MAX_EVENTS];
	struct stretch s;
	unsigned int i;

	for (i = 0; i < row->n; i++)
		fds[i] = open_kind(i, true, true, -1);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	s = measure_threads(row, fds[0]);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (i = 0; i < row->n; i++) {
		struct timed t = read_timed(fds[i]);
		double share = t.enabled ? (double)t.running / t.enabled : 0;

		least = fmin(least, share);
		most = fmax(most, share);
	}
	emit(row, "least", "%", 100 * least, 0);
	emit(row, "most", "%", 100 * most, 0);
	emit(row, "accesses", "per ms", s.cost.accesses / s.cost.insns * MSEC, 0);
	emit(row, "turns", "per 4 ms", s.turns, 0);
}

/* Error. row->n groups of row->arg events. */
#define NR_PHASES	40
#define NR_SEEDS	8

struct truth {
	double		rate[ARRAY_SIZE(kinds)];
	__u64	since[ARRAY_SIZE(kinds)];
	double		count[ARRAY_SIZE(kinds)];
};

static __u64 random_state;

static double uniform(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(random_state >> 11) / (1ULL << 53);
}

static void account(struct truth *truth, unsigned int i, __u64 at)
{
	truth->count[i] += truth->rate[i] * (at - truth->since[i]);
	truth->since[i] = at;
}

static void set_rate(struct truth *truth, unsigned int i, unsigned int ppm)
{
	char line[80];

	snprintf(line, sizeof(line), "%s %u", kinds[i].name, ppm);
	write_file(RATES, line);
	account(truth, i, now());
	truth->rate[i] = ppm / 1e6;
}

/* Between a tenth and ten times the usual rate, phases of 2 to 30 ms. */
static void phases(struct truth *truth)
{
	unsigned int phase, i;

	for (phase = 0; phase < NR_PHASES; phase++) {
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			set_rate(truth, i, kinds[i].ppm * pow(10, 2 * uniform() - 1));
		burn((2 + 28 * uniform()) * MSEC);
	}
}

static void usual_rates(struct truth *truth)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		set_rate(truth, i, kinds[i].ppm);
}

static double mean_error(const struct truth *truth, const int *fds,
			 unsigned int count)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct timed t = read_timed(fds[i]);
		double right = truth->count[i % ARRAY_SIZE(kinds)];
		double scaled = t.running ?
				(double)t.value * t.enabled / t.running : 0;

		sum += fabs(scaled - right) / right;
	}
	return sum / count;
}

static double one_error(const struct row *row)
{
	unsigned int i, count = row->n * row->arg;
	struct truth truth;
	int fds[MAX_EVENTS];
	double error;

	for (i = 0; i < count; i++)
		fds[i] = open_kind(i, false, i % row->arg == 0,
				   i % row->arg ? fds[i - i % row->arg] : -1);
	usual_rates(&truth);
	memset(truth.count, 0, sizeof(truth.count));
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		truth.since[i] = now();
	phases(&truth);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		account(&truth, i, now());
	error = mean_error(&truth, fds, count);
	for (i = 0; i < count; i++)
		close(fds[i]);
	usual_rates(&truth);
	return error;
}

static void run_error(const struct row *row)
{
	double sum = 0;
	unsigned int seed;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		random_state = seed * 0x9e3779b97f4a7c15ULL;
		sum += one_error(row);
	}
	emit(row, NULL, "%", 100 * sum / NR_SEEDS, 0);
}

static const struct row rows[] = {
	{ "mux/12-on-500-x-300-us", run_shares, .n = 12, .arg = 300 },
	{ "mux/12-on-500-x-100-us", run_shares, .n = 12, .arg = 100 },
	{ "mux/5-on-500-x-300-us", run_shares, .n = 5, .arg = 300 },
	{ "mux/5-on-500-x-100-us", run_shares, .n = 5, .arg = 100 },
	{ "mux/12-on-1-x-500-ms", run_shares, .n = 12, .arg = LONG_THREAD },
	{ "mux/error-12-groups-of-1", run_error, .n = 12, .arg = 1, .slow = true },
	{ "mux/error-6-groups-of-3", run_error, .n = 6, .arg = 3, .slow = true },
};

const struct row_table mux_table = { "four", rows, ARRAY_SIZE(rows) };
