// SPDX-License-Identifier: GPL-2.0
/*
 * Periods of threads that are too short for one. There is a sample for each
 * period that passes in all of them together, even if events count by task. On
 * the base each thread begins a whole period, and no sample comes at all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <linux/perf_event_ext.h>

#include "perf_lib.h"

#define THREADS		60
#define CALLS		30
#define FAULTS		30
#define PERIOD		100
#define LOOPS		20000
#define BURN_MS		3
#define RING_PAGES	16

static void make_calls(void)
{
	int count = CALLS;

	while (count--)
		syscall(SYS_getppid);
}

static void make_faults(void)
{
	touch_pages(FAULTS);
}

static void make_loops(void)
{
	burn(LOOPS);
}

static void take_time(void)
{
	burn_ms(BURN_MS);
}

static struct perf_event_attr calls_attr(void)
{
	return make_attr(PERF_TYPE_TRACEPOINT,
			 tracepoint_id("syscalls/sys_enter_getppid"));
}

static struct perf_event_attr faults_attr(void)
{
	return sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
}

static struct perf_event_attr clock_attr(void)
{
	return sw_attr(PERF_COUNT_SW_TASK_CLOCK);
}

static struct perf_event_attr loops_attr(void)
{
	struct perf_event_attr attr;

	need_hardware();
	attr = hw_attr(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	attr.exclude_kernel = 1;
	return attr;
}

/* An event, and a period that is longer than a thread. */
struct source {
	struct perf_event_attr (*attr)(void);
	void (*work)(void);
	__u64 period;
	/* A host's timer ends a period: on a busy host, several. */
	bool late;
};

static const struct source tracepoint = { calls_attr, make_calls, PERIOD, false };
static const struct source software = { faults_attr, make_faults, 2 * PERIOD,
					false };
static const struct source clocked = { clock_attr, take_time,
				       10 * NSEC_PER_MSEC, true };
static const struct source hardware = { loops_attr, make_loops, 30 * LOOPS,
					true };

struct case_row {
	struct test_row row;
	const struct source *source;
	__u64 sample_type;
	bool stat;
	bool random;
	bool processes;
	bool pairs;
};

static void *thread_body(void *arg)
{
	const struct source *source = arg;

	source->work();
	return NULL;
}

static void process_body(void *arg)
{
	thread_body(arg);
}

static void run_thread(const struct source *source)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, thread_body, (void *)source),
	      "thread");
	pthread_join(thread, NULL);
}

struct pair {
	const struct source *source;
	pthread_barrier_t both;
};

static void *paired_body(void *arg)
{
	struct pair *pair = arg;

	pthread_barrier_wait(&pair->both);
	return thread_body((void *)pair->source);
}

/* Two threads together may leave more than one period. */
static void run_pair(const struct source *source)
{
	struct pair pair = { .source = source };
	pthread_t thread[2];
	int i;

	pthread_barrier_init(&pair.both, NULL, 2);
	for (i = 0; i < 2; i++)
		CHECK(!pthread_create(&thread[i], NULL, paired_body, &pair),
		      "thread");
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&pair.both);
}

static void run_one(const struct case_row *row)
{
	if (row->processes)
		run_child(process_body, (void *)row->source);
	else if (row->pairs)
		run_pair(row->source);
	else
		run_thread(row->source);
}

static void draw_periods(int fd)
{
	struct perf_event_random_period how = {
		.size	= sizeof(how),
		.share	= 200000,
		.seed	= 1,
	};

	if (!ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, &how))
		return;
	if (errno == ENOTTY)
		test_skip("this kernel does not draw periods");
	CHECK(0, "random period: %s", strerror(errno));
}

static void run_row(const void *arg)
{
	const struct case_row *row = arg;
	struct perf_event_attr attr = row->source->attr();
	__u64 periods, samples;
	struct perf_ring *ring;
	int fd, i;

	pin_to_cpu(first_cpu());
	attr.inherit = 1;
	attr.inherit_stat = row->stat;
	attr.sample_period = row->source->period;
	attr.sample_type = PERF_SAMPLE_TID | row->sample_type;
	fd = open_on(&attr, 0, first_cpu(), -1);
	if (row->random)
		draw_periods(fd);
	ring = ring_map(fd, RING_PAGES);
	event_enable(fd);
	for (i = 0; i < THREADS; i++)
		run_one(row);
	event_disable(fd);
	periods = read_count(fd) / row->source->period;
	samples = ring_count(ring, PERF_RECORD_SAMPLE);
	/* Remainders: of a family's contexts, or of a late interrupt. */
	if (row->source->late ? !samples : samples + 4 < periods)
		test_xfail("%llu samples of %llu periods",
			   (unsigned long long)samples,
			   (unsigned long long)periods);
	CHECK(samples <= periods + 3, "%llu samples of %llu periods",
	      (unsigned long long)samples, (unsigned long long)periods);
}

/*
 * A remainder of the old period does not count for the new one: these three
 * children are too short for the new period as well. An event that they lack
 * keeps their contexts from being exchanged.
 */
static void period_is_set(void)
{
	struct perf_event_attr attr = calls_attr(), own = faults_attr();
	__u64 period = PERIOD, samples;
	struct perf_ring *ring;
	int fd, i;

	pin_to_cpu(first_cpu());
	attr.inherit = 1;
	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_STREAM_ID;
	fd = open_on(&attr, 0, first_cpu(), -1);
	open_self(&own);
	ring = ring_map(fd, RING_PAGES);
	event_enable(fd);
	for (i = 0; i < THREADS; i++) {
		if (i % ((PERIOD - 1) / CALLS) == 0)
			CHECK(!ioctl(fd, PERF_EVENT_IOC_PERIOD, &period),
			      "period: %s", strerror(errno));
		run_child(process_body, (void *)&tracepoint);
	}
	event_disable(fd);
	samples = ring_count(ring, PERF_RECORD_SAMPLE);
	CHECK(!samples, "%llu samples", (unsigned long long)samples);
}

static const struct test_case cases[] = {
	{ "the period is set", period_is_set },
};

static const struct case_row rows[] = {
	{ .row = { "tracepoint" }, .source = &tracepoint },
	{ .row = { "tracepoint, STREAM_ID" }, .source = &tracepoint,
	  .sample_type = PERF_SAMPLE_STREAM_ID },
	{ .row = { "tracepoint, SAMPLE_READ" }, .source = &tracepoint,
	  .sample_type = PERF_SAMPLE_READ },
	{ .row = { "tracepoint, inherit_stat" }, .source = &tracepoint,
	  .stat = true },
	{ .row = { "tracepoint, STREAM_ID, processes" }, .source = &tracepoint,
	  .sample_type = PERF_SAMPLE_STREAM_ID, .processes = true },
	{ .row = { "tracepoint, STREAM_ID, pairs of threads" },
	  .source = &tracepoint, .sample_type = PERF_SAMPLE_STREAM_ID,
	  .pairs = true },
	{ .row = { "tracepoint, STREAM_ID, drawn periods" },
	  .source = &tracepoint, .sample_type = PERF_SAMPLE_STREAM_ID,
	  .random = true },
	{ .row = { "page faults, STREAM_ID" }, .source = &software,
	  .sample_type = PERF_SAMPLE_STREAM_ID },
	{ .row = { "task-clock" }, .source = &clocked },
	{ .row = { "task-clock, STREAM_ID" }, .source = &clocked,
	  .sample_type = PERF_SAMPLE_STREAM_ID },
	{ .row = { "hardware" }, .source = &hardware },
	{ .row = { "hardware, STREAM_ID" }, .source = &hardware,
	  .sample_type = PERF_SAMPLE_STREAM_ID },
	{ .row = { "hardware, SAMPLE_READ" }, .source = &hardware,
	  .sample_type = PERF_SAMPLE_READ },
	{ .row = { "hardware, STREAM_ID, drawn periods" }, .source = &hardware,
	  .sample_type = PERF_SAMPLE_STREAM_ID, .random = true },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(rows) + ARRAY_SIZE(cases));
	tests_run_rows(rows, ARRAY_SIZE(rows), sizeof(*rows), run_row);
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
