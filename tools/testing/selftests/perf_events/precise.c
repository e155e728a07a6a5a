// SPDX-License-Identifier: GPL-2.0
/*
 * Precise events: which are accepted, where their samples are, and whether
 * their counts include all of them. Skipped on PMUs without precise events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_lib.h"

#define PERIOD		100003
#define ROUNDS		100
#define LOOPS		100000
/* burn() is a loop with few bytes of code. */
#define LOOP_BYTES	32

static unsigned int most_precise(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/cpu/caps/max_precise", "r");
	unsigned int level;

	/* On a hybrid machine the event would count on some CPUs only. */
	if (!file)
		return 0;
	if (fscanf(file, "%u", &level) != 1)
		level = 0;
	fclose(file);
	return level;
}

static unsigned int need_precise(void)
{
	unsigned int level = most_precise();

	need_hardware();
	if (!level)
		test_skip("no precise events");
	return level;
}

static struct perf_event_attr precise_attr(unsigned int level)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);

	attr.precise_ip = level;
	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.exclude_kernel = 1;
	return attr;
}

static void levels(void)
{
	unsigned int most = need_precise(), level;
	struct perf_event_attr attr;
	int fd;

	for (level = 0; level <= 3; level++) {
		attr = precise_attr(level);
		fd = perf_open(&attr, 0, -1, -1, 0);
		CHECK(level <= most ? fd >= 0 : fd == -1 && errno == EOPNOTSUPP,
		      "level %u of %u: %s", level, most, fd < 0 ? strerror(errno) : "opened");
		if (fd >= 0)
			close(fd);
	}
	attr = precise_attr(1);
	attr.sample_period = 0;
	fd = perf_open(&attr, 0, -1, -1, 0);
	CHECK(fd == -1 && errno == EINVAL, "precise without samples");
}

struct found {
	unsigned int	samples;
	unsigned int	in_loop;
	unsigned int	exact;
	unsigned int	kernel;
};

static struct found find_samples(struct perf_ring *ring, const struct perf_event_attr *attr)
{
	struct perf_event_header *header;
	struct found found = { 0 };
	struct sample sample;
	__u64 begin = (unsigned long)burn;

	while ((header = ring_next(ring))) {
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		parse_sample(header, attr, &sample);
		found.samples++;
		found.in_loop += sample.ip >= begin && sample.ip < begin + LOOP_BYTES;
		found.exact += !!(header->misc & PERF_RECORD_MISC_EXACT_IP);
		found.kernel += (__s64)sample.ip < 0 ||
				(header->misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
				PERF_RECORD_MISC_USER;
	}
	return found;
}

/* A user's event has samples of the loop, and nothing of the kernel. */
static void addresses(unsigned int level, __u64 fields, bool freq)
{
	struct perf_event_attr attr = precise_attr(level);
	struct perf_ring *ring;
	struct found found;
	unsigned int i;
	__u64 count;
	int fd;

	attr.sample_type |= fields;
	attr.freq = freq;
	if (freq)
		attr.sample_freq = 1000;
	set_usual_rate();
	fd = open_self(&attr);
	ring = ring_map(fd, 128);
	event_enable(fd);
	/* An emulated counter may interrupt late, and then in the kernel. */
	for (i = 0; i < ROUNDS || (i < 10 * ROUNDS && !ring->page->data_head); i++) {
		burn(LOOPS);
		if (i % 10 == 9)
			read_count(fd);
	}
	event_disable(fd);
	count = read_count(fd);
	found = find_samples(ring, &attr);
	CHECK(found.samples > 0, "no sample, count %llu", (unsigned long long)count);
	/* Starting and stopping the event is counted as well. */
	CHECK(found.in_loop * 2 >= found.samples, "%u of %u samples in the loop",
	      found.in_loop, found.samples);
	CHECK(found.exact == (level > 1 ? found.samples : 0), "%u of %u samples are exact",
	      found.exact, found.samples);
	CHECK(!found.kernel, "%u samples of the kernel", found.kernel);
	if (!freq)
		CHECK(count + PERIOD >= (__u64)found.samples * PERIOD, "count %llu, %u samples",
		      (unsigned long long)count, found.samples);
	ring_unmap(ring);
	close(fd);
}

static void written_later(void)
{
	unsigned int most = need_precise(), level;

	for (level = 1; level <= most; level++)
		addresses(level, 0, false);
}

static void written_at_once(void)
{
	unsigned int most = need_precise(), level;

	for (level = 1; level <= most; level++)
		addresses(level, PERF_SAMPLE_CALLCHAIN, false);
}

static void frequency(void)
{
	unsigned int most = need_precise(), level;

	for (level = 1; level <= most; level++)
		addresses(level, 0, true);
}

/* The processor loads the counter again at any time; no reader may see that. */
static void counts_grow(void)
{
	struct perf_event_attr attr = precise_attr(1);
	__u64 count, last = 0;
	unsigned int i, less = 0;
	int fd;

	need_precise();
	fd = open_self(&attr);
	event_enable(fd);
	for (i = 0; i < 20 * ROUNDS; i++) {
		burn(LOOPS / 20);
		count = read_count(fd);
		less += count < last;
		last = count;
	}
	CHECK(!less, "%u of %u reads found less than the one before", less, i);
	CHECK(last > 0 && last >> 47 == 0, "count %llu", (unsigned long long)last);
}

static const struct test_case cases[] = {
	{ "levels", levels },
	{ "samples that are written later", written_later },
	{ "samples that are written at once", written_at_once },
	{ "frequency", frequency },
	{ "counts grow", counts_grow },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
