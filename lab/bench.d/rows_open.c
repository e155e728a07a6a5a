// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: opening and closing events
 *
 * One event: the cycle of open and close, with the work that closing defers.
 *
 * Many events: each open and each close is measured separately, without
 * deferred work. "tenth" and "last" are medians of five operations around the
 * tenth and at the end, in the order in which they are done: after the tenth
 * close nearly all events are left, after the last none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bench.h"

#define AROUND	5

static void emit_series(const struct row *row, const char *what,
			struct cost *costs, unsigned int count)
{
	struct cost sum = { 0, 0 };
	char part[32];
	unsigned int i;

	for (i = 0; i < count; i++) {
		sum.insns += costs[i].insns / count;
		sum.accesses += costs[i].accesses / count;
	}
	snprintf(part, sizeof(part), "%s-mean", what);
	emit_cost(row, part, sum);
	snprintf(part, sizeof(part), "%s-tenth", what);
	emit_cost(row, part, cost_median(costs + 7, AROUND));
	snprintf(part, sizeof(part), "%s-last", what);
	emit_cost(row, part, cost_median(costs + count - AROUND, AROUND));
}

/* The same events as open_set() would open, one by one. */
static void open_many(const struct row *row, int *fds, struct cost *costs)
{
	struct meter m;
	unsigned int i;

	for (i = 0; i < row->n; i++) {
		struct recipe kind = row->set;
		struct perf_event_attr attr;

		if (kind.hw)
			kind.hw = row->n;
		attr = set_attr(&kind, i);
		meter_start(&m);
		fds[i] = perf_open(&attr, 0, -1, -1);
		costs[i] = meter_stop(&m, 1);
		if (fds[i] < 0)
			refuse("perf_event_open");
	}
}

static void run_many(const struct row *row)
{
	struct cost *costs = calloc(row->n, sizeof(*costs));
	int *fds = calloc(row->n, sizeof(*fds));
	struct meter m;
	unsigned int i;

	fifo();
	open_many(row, fds, costs);
	emit_series(row, "open", costs, row->n);
	settle();
	for (i = 0; i < row->n; i++) {
		meter_start(&m);
		close(fds[i]);
		costs[i] = meter_stop(&m, 1);
	}
	emit_series(row, "close", costs, row->n);
}

static void open_close(void *arg)
{
	close(perf_open(arg, 0, -1, -1));
}

static void run_one(const struct row *row)
{
	struct perf_event_attr attr = set_attr(&row->set, 0);

	close(must_open(&attr, 0, -1, -1));
	emit_cost(row, NULL, measure_mean(open_close, &attr, 1000));
}

/* No other event counts page faults: the base patches its code each time. */
static void run_page_faults(const struct row *row)
{
	struct perf_event_attr attr;

	attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	emit_cost(row, NULL, measure_mean(open_close, &attr, 1000));
}

/* A second user of the tracepoint, so that no code is patched. */
static void run_tracepoint(const struct row *row)
{
	struct perf_event_attr attr;

	attr = make_attr(PERF_TYPE_TRACEPOINT,
			 tracepoint_id("sched/sched_migrate_task"));
	must_open(&attr, 0, -1, -1);
	emit_cost(row, NULL, measure_mean(open_close, &attr, 1000));
}

static void open_close_group(void *arg)
{
	const struct row *row = arg;
	unsigned int count;
	int fds[MAX_SET];

	count = open_set(&row->set, 0, -1, fds);
	while (count)
		close(fds[--count]);
}

static void run_group(const struct row *row)
{
	emit_cost(row, NULL, measure_mean(open_close_group, (void *)row, 250));
}

static void eventfd_open_close(void *arg)
{
	close(eventfd(0, 0));
}

static void run_eventfd(const struct row *row)
{
	emit_cost(row, NULL, measure_mean(eventfd_open_close, NULL, 1000));
}

static const struct row rows[] = {
	{ "floor/eventfd-open-close", run_eventfd },
	{ "open/1-sw-open-close", run_one, { .sw = 1 } },
	{ "open/1-page-faults-open-close", run_page_faults },
	{ "open/1-hw-open-close", run_one, { .hw = 1 } },
	{ "open/1-tracepoint-open-close", run_tracepoint },
	{ "open/group-4-hw-open-close", run_group, { .hw = 4, .group = true } },
	{ "open/1000-sw", run_many, { .sw = 1, .quiet = true }, 1000 },
	{ "open/200-hw", run_many, { .hw = 1 }, 200 },
};

const struct row_table open_table = { "one", rows, ARRAY_SIZE(rows) };
