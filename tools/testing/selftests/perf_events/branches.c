// SPDX-License-Identifier: GPL-2.0
/*
 * Branch records: samples of user code have no address of the kernel; events
 * that need different filters count in a group or in turns.
 * Skipped on PMUs without branch records.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_lib.h"

#define PERIOD		50021
#define ROUNDS		200
#define LOOPS		100000

static struct perf_event_attr record_attr(__u64 asked)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = asked;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

static void need_branches(void)
{
	struct perf_event_attr attr = record_attr(PERF_SAMPLE_BRANCH_USER |
						  PERF_SAMPLE_BRANCH_ANY);
	int fd;

	need_hardware();
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0)
		test_skip("no branch records: %s", strerror(errno));
	close(fd);
}

static bool is_kernels(__u64 address)
{
	return (__s64)address < 0;
}

/* A sample is its header, the address, the number of branches, and these. */
static unsigned int look_at(const struct perf_event_header *header)
{
	const __u64 *words = record_body(header);
	const struct perf_branch_entry *entry = (const void *)(words + 2);
	__u64 nr = words[1], i;

	CHECK(header->size == sizeof(*header) + 16 + nr * sizeof(*entry),
	      "%llu branches in %u bytes", (unsigned long long)nr, header->size);
	CHECK(!is_kernels(words[0]), "address %#llx", (unsigned long long)words[0]);
	for (i = 0; i < nr; i++) {
		CHECK(!is_kernels(entry[i].from) && !is_kernels(entry[i].to),
		      "branch %#llx to %#llx", (unsigned long long)entry[i].from,
		      (unsigned long long)entry[i].to);
		CHECK(entry[i].from, "a branch from nowhere");
	}
	return nr;
}

static void look_at_samples(__u64 asked)
{
	struct perf_event_attr attr = record_attr(asked);
	struct perf_event_header *header;
	struct perf_ring *ring;
	unsigned int i, samples = 0, branches = 0;
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EINVAL)) {
		test_remark("%#llx: %s", (unsigned long long)asked, strerror(errno));
		return;
	}
	CHECK(fd >= 0, "%#llx: %s", (unsigned long long)asked, strerror(errno));
	ring = ring_map(fd, 128);
	event_enable(fd);
	for (i = 0; i < ROUNDS && ring_head(ring) < 64 << 10; i++)
		burn(LOOPS);
	event_disable(fd);
	while ((header = ring_next(ring))) {
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		branches += look_at(header);
	}
	CHECK(samples, "no sample");
	test_remark("%#llx: %u branches in %u samples", (unsigned long long)asked,
		    branches, samples);
	ring_unmap(ring);
	close(fd);
}

/* Without a level the event's own is taken: user code. */
static void levels(void)
{
	need_branches();
	set_usual_rate();
	look_at_samples(PERF_SAMPLE_BRANCH_ANY);
	look_at_samples(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	look_at_samples(PERF_SAMPLE_BRANCH_ANY_RETURN);
	look_at_samples(PERF_SAMPLE_BRANCH_CALL_STACK);
	look_at_samples(PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_COND);
}

static void levels_of_nobody(void)
{
	need_branches();
	set_usual_rate();
	become_nobody();
	look_at_samples(PERF_SAMPLE_BRANCH_ANY);
	look_at_samples(PERF_SAMPLE_BRANCH_ANY_CALL);
}

/* AMD's hardware lets through what any of the events needs. */
static void group_of_filters(void)
{
	struct perf_event_attr attr = record_attr(PERF_SAMPLE_BRANCH_ANY);
	int leader, fd;

	need_branches();
	attr.read_format = FORMAT_TIMES;
	leader = open_self(&attr);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL;
	fd = perf_open(&attr, 0, -1, leader, 0);
	if (fd < 0 && errno == EINVAL && !__builtin_cpu_is("amd"))
		test_skip("one filter for all events");
	CHECK(fd >= 0, "an event with another filter: %s", strerror(errno));
	event_enable(leader);
	burn(LOOPS);
	CHECK(read_timed(leader).running, "the group is never scheduled in");
}

/* Two events of a task that need different filters are both scheduled in. */
static void turns_of_filters(void)
{
	struct perf_event_attr attr = record_attr(PERF_SAMPLE_BRANCH_ANY);
	struct timed_count one, other;
	int first, second;

	need_branches();
	attr.read_format = FORMAT_TIMES;
	first = open_self(&attr);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
	second = open_self(&attr);
	event_enable(first);
	event_enable(second);
	burn_ms(500);
	one = read_timed(first);
	other = read_timed(second);
	CHECK(one.running && other.running, "ran for %llu and %llu ns",
	      (unsigned long long)one.running, (unsigned long long)other.running);
}

static const struct test_case cases[] = {
	{ "nothing of the kernel in samples of user code", levels },
	{ "the same for a user without privilege", levels_of_nobody },
	{ "a group whose events need different filters", group_of_filters },
	{ "events that need different filters take turns", turns_of_filters },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
