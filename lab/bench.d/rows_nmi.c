// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: durations of a counter's overflow interrupt
 *
 * It is an NMI: nothing else runs on its CPU until it ends. The PMU model measures it, see
 * "nmi-times" in Documentation/arch/x86/pmu-model.rst: the maximum of some thousand, and
 * their 99.9th percentile.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench.h"

/* Call chains follow frame pointers. */
#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")

#define TIMES		"/sys/kernel/debug/x86_pmu_model/nmi-times"
#define SYSCTL		"/proc/sys/kernel/"

#define NMIS		10000
#define NMIS_QUICK	1000
#define PERIOD		20000
/* Between two looks at the buffer. */
#define BURST		1000
#define BUFFER_PAGES	2048
#define DEPTH		100
#define FRAME		64
#define STACK_DUMP	4096
#define MEMBERS		4
#define AT_ONCE		8

#define THREE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static struct buffer buffer;
static int first;

static struct perf_event_attr instructions(const struct row *row)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_HARDWARE,
						PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = PERIOD;
	attr.sample_type = THREE | row->arg;
	return attr;
}

static void open_first(struct perf_event_attr *attr, unsigned int pages)
{
	first = must_open(attr, 0, -1, -1);
	buffer_map(&buffer, first, pages);
}

struct times {
	unsigned int interrupts, kept, median, high, longest;
};

static struct times read_times(void)
{
	struct times t = { 0 };
	FILE *file = fopen(TIMES, "re");

	if (!file)
		refuse(TIMES);
	if (fscanf(file, "interrupts %u kept %u median %u highest-in-a-thousand %u longest %u",
		   &t.interrupts, &t.kept, &t.median, &t.high, &t.longest) < 1)
		die("nmi-times has another format");
	fclose(file);
	return t;
}

static void burst(void)
{
	loop(BURST * PERIOD / 64);
}

/* Waits for enough interrupts; @bytes: how much they have written. */
static struct times take_times(bool reader, __u64 *bytes)
{
	unsigned int wanted = quick ? NMIS_QUICK : NMIS;
	__u64 before = buffer.page->data_head;
	struct times t;

	/* No samples of what reads the file: their call chains end in the library. */
	ioctl(first, PERF_EVENT_IOC_DISABLE, 0);
	write_file(TIMES, "1");
	do {
		ioctl(first, PERF_EVENT_IOC_ENABLE, 0);
		burst();
		ioctl(first, PERF_EVENT_IOC_DISABLE, 0);
		if (reader)
			buffer_drop(&buffer);
		t = read_times();
	} while (t.interrupts < wanted);
	write_file(TIMES, "0");
	*bytes = buffer.page->data_head - before;
	return t;
}

/* row->n: bytes that most interrupts write at least; 0: the buffer stays full. */
static void emit_times(const struct row *row)
{
	struct times t;
	__u64 bytes;

	burst();
	if (row->n)
		buffer_drop(&buffer);
	t = take_times(row->n, &bytes);
	if (t.kept < t.interrupts)
		die("more interrupts than can be kept");
	/* A call chain ends early in functions of libc that have no frame. */
	if (row->n ? 2 * bytes < (__u64)row->n * t.interrupts : bytes > 0)
		die("the samples have another size");
	emit(row, "99.9-percent", "insn", t.high, 0);
	emit(row, "longest", "insn", t.longest, 0);
}

static void run_fields(const struct row *row)
{
	struct perf_event_attr attr = instructions(row);

	if (row->arg & PERF_SAMPLE_STACK_USER)
		attr.sample_stack_user = STACK_DUMP;
	open_first(&attr, BUFFER_PAGES);
	emit_times(row);
}

static void run_frequency(const struct row *row)
{
	struct perf_event_attr attr = instructions(row);

	attr.freq = 1;
	attr.sample_freq = 1000000000 / PERIOD;
	open_first(&attr, BUFFER_PAGES);
	emit_times(row);
}

/* Frames for walks along the stack, and a stack that is long enough to be copied. */
__attribute__((noinline, noclone))
static void run_deep(const struct row *row, unsigned int depth)
{
	char frame[FRAME];

	asm volatile("" : : "r" (frame) : "memory");
	if (depth)
		run_deep(row, depth - 1);
	else
		run_fields(row);
	asm volatile("" : : "r" (frame) : "memory");
}

static void run_chain(const struct row *row)
{
	run_deep(row, DEPTH);
}

static void run_group(const struct row *row)
{
	struct perf_event_attr attr = instructions(row);
	struct recipe members = { .hw = MEMBERS };
	unsigned int i;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	open_first(&attr, BUFFER_PAGES);
	for (i = 1; i < MEMBERS; i++) {
		attr = set_attr(&members, i == 1 ? 0 : i);
		must_open(&attr, 0, -1, first);
	}
	emit_times(row);
}

/* A group's counters are started together; with one period they overflow together. */
static void run_at_once(const struct row *row)
{
	struct perf_event_attr attr = instructions(row);
	unsigned int i;
	int fd;

	attr.disabled = 1;
	open_first(&attr, BUFFER_PAGES);
	attr.disabled = 0;
	for (i = 1; i < AT_ONCE; i++) {
		fd = must_open(&attr, 0, -1, first);
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, first))
			die("PERF_EVENT_IOC_SET_OUTPUT");
	}
	ioctl(first, PERF_EVENT_IOC_ENABLE, 0);
	emit_times(row);
}

static void run_full(const struct row *row)
{
	struct perf_event_attr attr = instructions(row);

	open_first(&attr, 1);
	burst();
	burst();
	emit_times(row);
}

/* The highest rate; the event is throttled in each tick, 250 times a second. */
static void run_throttled(const struct row *row)
{
	struct perf_event_attr attr = instructions(row);

	write_file(SYSCTL "perf_cpu_time_max_percent", "25");
	write_file(SYSCTL "perf_event_max_sample_rate", "25000");
	write_file(SYSCTL "perf_cpu_time_max_percent", "100");
	attr.sample_period = 1;
	open_first(&attr, BUFFER_PAGES);
	emit_times(row);
	write_file(SYSCTL "perf_cpu_time_max_percent", "25");
	write_file(SYSCTL "perf_event_max_sample_rate", "10000000");
	write_file(SYSCTL "perf_cpu_time_max_percent", "0");
}

#define SAMPLE_BYTES	32
#define CHAIN_BYTES	(SAMPLE_BYTES + 8 * DEPTH)
#define GROUP_BYTES	(SAMPLE_BYTES + 8 + 16 * MEMBERS)

static const struct row rows[] = {
	{ "nmi-time/ip-tid-time", run_fields, .n = SAMPLE_BYTES },
	{ "nmi-time/frequency", run_frequency, .n = SAMPLE_BYTES },
	{ "nmi-time/callchain-100", run_chain, .n = CHAIN_BYTES,
	  .arg = PERF_SAMPLE_CALLCHAIN },
	{ "nmi-time/read-group-4", run_group, .n = GROUP_BYTES,
	  .arg = PERF_SAMPLE_READ },
	{ "nmi-time/user-stack-4k", run_chain, .n = STACK_DUMP,
	  .arg = PERF_SAMPLE_STACK_USER },
	{ "nmi-time/8-at-once", run_at_once, .n = AT_ONCE * SAMPLE_BYTES },
	{ "nmi-time/buffer-full", run_full },
	{ "nmi-time/period-1-throttled", run_throttled, .n = SAMPLE_BYTES },
};

const struct row_table nmi_table = { "one", rows, ARRAY_SIZE(rows) };
