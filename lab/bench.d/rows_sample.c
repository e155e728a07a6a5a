// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: the cost of a sample
 *
 * The event is a page fault, since a program can cause any number of them. The
 * rows are the cost that a sample adds to a fault that no event counts. "pages"
 * are touched, given back and touched again; giving back is not measured.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define PAGES		64
#define BUFFER_PAGES	128
#define NR_REDIRECTED	128
#define STACK_DUMP	4096

#define THREE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define TEN	(THREE | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
		 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
		 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_WEIGHT)

/* Bits of row->arg that are not sample fields. */
#define REDIRECT	0x10000000000UL
#define COUNT_ONLY	0x20000000000UL
#define FIELDS		(REDIRECT - 1)

static char *pages;
static struct buffer buffer;

static void give_back(void *arg)
{
	madvise(pages, PAGES * 4096, MADV_DONTNEED);
	if (buffer.page)
		buffer_drop(&buffer);
}

static void touch(void *arg)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		__atomic_store_n(pages + i * 4096, 1, __ATOMIC_RELAXED);
}

static struct cost fault_cost(void)
{
	pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		die("mmap");
	fifo();
	return measure_prepared(give_back, touch, NULL, PAGES);
}

static struct cost plain(const void *arg)
{
	return fault_cost();
}

static int open_faults(const struct row *row)
{
	struct perf_event_attr attr;

	attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	if (row->arg & COUNT_ONLY)
		return must_open(&attr, 0, -1, -1);
	attr.sample_period = 1;
	attr.sample_type = row->arg & FIELDS;
	attr.sample_stack_user = attr.sample_type & PERF_SAMPLE_STACK_USER ?
				 STACK_DUMP : 0;
	if (attr.sample_type & PERF_SAMPLE_READ)
		attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	return must_open(&attr, 0, -1, -1);
}

/* Others that write to the same buffer, and have nothing to write. */
static void redirect(int target)
{
	struct perf_event_attr attr;
	unsigned int i;

	attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS);
	attr.sample_period = 1;
	for (i = 1; i < NR_REDIRECTED; i++) {
		int fd = must_open(&attr, 0, -1, -1);

		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target))
			refuse("PERF_EVENT_IOC_SET_OUTPUT");
	}
}

static struct cost sampled(const void *arg)
{
	const struct row *row = arg;
	int fd = open_faults(row);
	struct recipe members = { .sw = 4, .quiet = true };
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 1; row->arg & PERF_SAMPLE_READ && i < members.sw; i++) {
		attr = set_attr(&members, i);
		must_open(&attr, 0, -1, fd);
	}
	if (!(row->arg & COUNT_ONLY))
		buffer_map(&buffer, fd, BUFFER_PAGES);
	if (row->arg & REDIRECT)
		redirect(fd);
	return fault_cost();
}

/* A row that samples and leaves nothing in the buffer measured nothing. */
static struct cost checked(const void *arg)
{
	const struct row *row = arg;
	struct cost cost = sampled(arg);

	if (!(row->arg & COUNT_ONLY) && !buffer_drop(&buffer))
		die("no samples came");
	return cost;
}

static void run_plain(const struct row *row)
{
	emit_cost(row, NULL, in_child(plain, row));
}

static void run_sample(const struct row *row)
{
	struct cost floor = in_child(plain, row);

	emit_cost(row, NULL, cost_sub(in_child(checked, row), floor));
}

/* A counter that interrupts: what each interrupt adds to a plain loop. */
#define NMI_PERIOD	100000
#define NMI_LOOP	60000

static void spin(void *arg)
{
	loop(NMI_LOOP);
}

static void drop(void *arg)
{
	if (buffer.page)
		buffer_drop(&buffer);
}

static struct cost spin_cost(const void *arg)
{
	fifo();
	return measure_prepared(drop, spin, NULL, 1);
}

static struct cost nmi_cost(const void *arg)
{
	const struct row *row = arg;
	struct perf_event_attr attr;
	struct cost cost;

	attr = make_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	attr.sample_period = NMI_PERIOD;
	attr.sample_type = row->arg;
	buffer_map(&buffer, must_open(&attr, 0, -1, -1), BUFFER_PAGES);
	cost = spin_cost(arg);
	if (!buffer_drop(&buffer))
		die("no samples came");
	return cost;
}

/* The added instructions count as well and cause their part of the samples. */
static void run_nmi(const struct row *row)
{
	struct cost floor = in_child(spin_cost, row);
	struct cost with = in_child(nmi_cost, row);
	double samples = with.insns / NMI_PERIOD;

	with = cost_sub(with, floor);
	with.insns /= samples;
	with.accesses /= samples;
	emit_cost(row, NULL, with);
}

static const struct row rows[] = {
	{ "floor/page-fault", run_plain },
	{ "sample/counted-only", run_sample, .arg = COUNT_ONLY },
	{ "sample/ip-tid-time", run_sample, .arg = THREE },
	{ "sample/ten-scalars", run_sample, .arg = TEN },
	{ "sample/read-group-4", run_sample, .arg = THREE | PERF_SAMPLE_READ },
	{ "sample/callchain", run_sample, .arg = THREE | PERF_SAMPLE_CALLCHAIN },
	{ "sample/user-stack-4k", run_sample,
	  .arg = THREE | PERF_SAMPLE_STACK_USER },
	{ "sample/128-redirected", run_sample, .arg = THREE | REDIRECT },
	{ "sample/nmi-ip-tid-time", run_nmi, .arg = THREE },
	{ "sample/nmi-callchain", run_nmi, .arg = THREE | PERF_SAMPLE_CALLCHAIN },
};

const struct row_table sample_table = { "one", rows, ARRAY_SIZE(rows) };
