// SPDX-License-Identifier: GPL-2.0
/*
 * Records on their way to the reader: wrap-around, wake-ups by count and by
 * watermark, full buffers and lost records, overwriting, writing backward,
 * pausing, several events in one buffer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define FAULTS		50
#define SLACK		10

/* Size of a sample with the fields of sampling_attr(). */
#define SAMPLE_SIZE	40

static struct perf_event_attr sampling_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	return attr;
}

static short poll_now(int fd, int timeout)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int ret = poll(&poll_fd, 1, timeout);

	CHECK(ret >= 0, "poll: %s", strerror(errno));
	return ret ? poll_fd.revents : 0;
}

/* Goes round a small buffer many times, and checks every record. */
static void wrap_around(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct perf_event_header *header;
	unsigned int rounds = 0, samples = 0;
	struct perf_ring *ring;
	struct sample sample;
	__u64 last = 0;
	int fd = open_self(&attr);

	ring = ring_map(fd, 1);
	event_enable(fd);
	for (; ring_head(ring) <= 20 * ring->data_size; rounds++) {
		CHECK(rounds < ring->data_size, "buffer did not wrap");
		touch_pages(FAULTS);
		while ((header = ring_next(ring))) {
			CHECK(header->type == PERF_RECORD_SAMPLE, "type %u",
			      header->type);
			parse_sample(header, &attr, &sample);
			CHECK(sample.time >= last, "time goes back");
			last = sample.time;
			samples++;
		}
	}
	event_disable(fd);
	CHECK(samples >= rounds * FAULTS, "%u samples", samples);
	CHECK(samples + ring_count(ring, PERF_RECORD_SAMPLE) ==
	      read_count(fd), "samples and count differ");
}

static void poll_without_buffer(void)
{
	struct perf_event_attr attr = sampling_attr();
	int fd = open_self(&attr);

	CHECK(poll_now(fd, 0) & POLLHUP, "no buffer: %#x", poll_now(fd, 0));
	ring_map(fd, 1);
	CHECK(!poll_now(fd, 0), "empty buffer: %#x", poll_now(fd, 0));
}

static void wakeup_events(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct perf_ring *ring;
	int fd;

	attr.wakeup_events = FAULTS;
	fd = open_self(&attr);
	ring = ring_map(fd, 16);
	event_enable(fd);
	touch_pages(FAULTS / 2);
	CHECK(!poll_now(fd, 0), "woken after half of the samples");
	touch_pages(FAULTS);
	CHECK(poll_now(fd, 5000) & POLLIN, "not woken");
	CHECK(!poll_now(fd, 0), "woken twice");
	event_disable(fd);
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) >= FAULTS, "samples");
}

static void wakeup_watermark(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct perf_ring *ring;
	unsigned int touched = 0;
	int fd;

	attr.watermark = 1;
	attr.wakeup_watermark = 4096;
	fd = open_self(&attr);
	ring = ring_map(fd, 4);
	event_enable(fd);
	while (ring_head(ring) < 3000) {
		touch_pages(1);
		touched++;
	}
	CHECK(!poll_now(fd, 0), "woken after %llu bytes",
	      (unsigned long long)ring_head(ring));
	while (ring_head(ring) < 5000) {
		touch_pages(1);
		touched++;
	}
	CHECK(poll_now(fd, 5000) & POLLIN, "not woken after %u samples",
	      touched);
}

/* If attr sets no watermark it is half of the buffer. */
static void default_watermark(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct perf_ring *ring;
	int fd;

	attr.watermark = 1;
	fd = open_self(&attr);
	ring = ring_map(fd, 2);
	event_enable(fd);
	while (ring_head(ring) < ring->data_size / 4)
		touch_pages(1);
	CHECK(!poll_now(fd, 0), "woken after a quarter");
	while (ring_head(ring) < ring->data_size * 5 / 8)
		touch_pages(1);
	CHECK(poll_now(fd, 5000) & POLLIN, "not woken after five eighths");
}

/* Fills the buffer until records are lost; the reader has to be woken. */
static void overfill_and_poll(int fd, const char *when)
{
	event_enable(fd);
	overfill_page();
	event_disable(fd);
	if (!poll_now(fd, 500))
		test_xfail("records were lost, nobody was woken: %s", when);
	CHECK(!poll_now(fd, 0), "woken twice: %s", when);
}

/* Watermarks up to the size of a page, the last of which are never passed. */
static void watermark_of_the_buffer(void)
{
	size_t size = sysconf(_SC_PAGESIZE), less;
	struct perf_event_attr attr = sampling_attr();
	struct perf_ring *ring;
	int fd;

	attr.watermark = 1;
	for (less = 0; less <= 2 * SAMPLE_SIZE; less += 8) {
		attr.wakeup_watermark = size - less;
		fd = open_self(&attr);
		ring = ring_map(fd, 1);
		overfill_and_poll(fd, "the first time");
		ring_next(ring);
		overfill_and_poll(fd, "after one record was read");
		ring_skip_all(ring);
		CHECK(!poll_now(fd, 0), "woken by nothing");
		overfill_and_poll(fd, "after all of them were read");
		ring_unmap(ring);
		close(fd);
	}
}

/* Records other than samples are lost, so that no overflow wakes. */
static void watermark_of_names(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	unsigned int names;
	int fd;

	attr.comm = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = sysconf(_SC_PAGESIZE);
	fd = open_self(&attr);
	ring_map(fd, 1);
	event_enable(fd);
	for (names = 0; names < attr.wakeup_watermark / 16; names++)
		prctl(PR_SET_NAME, "name", 0, 0, 0);
	if (!poll_now(fd, 500))
		test_xfail("names were lost, nobody was woken");
}

static void wake_a_sleeper(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct epoll_event event = { .events = EPOLLIN };
	int fd, epoll_fd = epoll_create1(0), i;
	pid_t pid;

	attr.inherit = 1;
	attr.wakeup_events = 1;
	fd = open_on(&attr, 0, first_cpu(), -1);
	pin_to_cpu(first_cpu());
	ring_map(fd, 4);
	CHECK(!epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
	event_enable(fd);
	pid = fork();
	if (!pid) {
		for (i = 0; i < 5; i++) {
			usleep(20000);
			touch_pages(2);
		}
		_exit(0);
	}
	for (i = 0; i < 3; i++)
		CHECK(epoll_wait(epoll_fd, &event, 1, 20000) == 1,
		      "not woken by a child's sample");
	join_child(pid);
}

static void full_buffer(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct perf_event_header *header;
	struct perf_ring *ring;
	unsigned int stored, fit;
	const __u64 *body;
	__u64 total;
	int fd;

	attr.sample_id_all = 1;
	fd = open_self(&attr);
	ring = ring_map(fd, 1);
	event_enable(fd);
	overfill_page();
	event_disable(fd);
	total = read_count(fd);
	stored = ring_count(ring, PERF_RECORD_SAMPLE);
	fit = ring->data_size / SAMPLE_SIZE;
	CHECK(stored > fit / 5 && stored < 2 * fit, "%u samples in a page",
	      stored);
	event_enable(fd);
	touch_pages(1);
	event_disable(fd);
	header = ring_next(ring);
	CHECK(header && header->type == PERF_RECORD_LOST, "no LOST record");
	body = record_body(header);
	CHECK(header->size == 24 + trailer_size(&attr), "size %u",
	      header->size);
	CHECK(body[0] == event_id(fd), "LOST has id %llu",
	      (unsigned long long)body[0]);
	CHECK(body[1] + stored == total, "%u stored, %llu lost of %llu",
	      stored, (unsigned long long)body[1], (unsigned long long)total);
	CHECK(ring_find(ring, PERF_RECORD_SAMPLE), "no sample after LOST");
}

/* A read-only mapping has no tail to wait for: old records are overwritten. */
static void overwrite(void)
{
	struct perf_event_attr attr = sampling_attr();
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *map;
	struct read_values got;
	char buf[64];
	ssize_t len;
	int fd;

	attr.read_format = PERF_FORMAT_LOST;
	fd = open_self(&attr);
	map = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(map != MAP_FAILED, "mmap: %s", strerror(errno));
	event_enable(fd);
	overfill_page();
	event_disable(fd);
	len = read(fd, buf, sizeof(buf));
	CHECK(len > 0, "read");
	parse_read(buf, len, attr.read_format, &got);
	CHECK(got.event[0].lost == 0, "%llu lost",
	      (unsigned long long)got.event[0].lost);
	CHECK(map->data_head == got.event[0].value * SAMPLE_SIZE, "head %llu",
	      (unsigned long long)map->data_head);
}

/*
 * A backward buffer is read from the head upward, newest first, until the
 * records stop making sense. The head counts down from 0.
 */
static unsigned int read_backward(int fd, struct perf_event_mmap_page *map,
				  size_t size,
				  const struct perf_event_attr *attr)
{
	static char copy[1 << 16];
	const char *data = (const char *)map + map->data_offset;
	__u64 head = __atomic_load_n(&map->data_head, __ATOMIC_ACQUIRE);
	size_t at, left, first = head & (size - 1);
	struct perf_event_header *header;
	struct perf_validator validator;
	unsigned int samples = 0;
	__u64 last = ~0ULL;
	struct sample sample;

	validate_begin(&validator, fd);
	CHECK((__s64)head < 0, "head %#llx", (unsigned long long)head);
	memcpy(copy, data + first, size - first);
	memcpy(copy + size - first, data, first);
	left = -head < size ? -head : size;
	for (at = 0; at + sizeof(*header) <= left; at += header->size) {
		header = (struct perf_event_header *)(copy + at);
		if (!header->size || at + header->size > left)
			break;
		CHECK(validate_record(&validator, header, left - at),
		      "record at %zu: %s", at, validator.error);
		parse_sample(header, attr, &sample);
		CHECK(sample.time <= last, "older record is newer");
		last = sample.time;
		samples++;
	}
	return samples;
}

static void backward(void)
{
	struct perf_event_attr attr = sampling_attr();
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *map;
	unsigned int samples;
	int fd;

	attr.write_backward = 1;
	fd = open_self(&attr);
	map = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(map != MAP_FAILED, "mmap: %s", strerror(errno));
	event_enable(fd);
	touch_pages(20);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), "pause");
	samples = read_backward(fd, map, page, &attr);
	CHECK(samples >= 20 && samples <= 20 + SLACK, "%u samples", samples);
	touch_pages(20);
	CHECK(read_backward(fd, map, page, &attr) == samples,
	      "written while paused");
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), "resume");
	overfill_page();
	event_disable(fd);
	samples = read_backward(fd, map, page, &attr);
	CHECK(samples >= page / SAMPLE_SIZE - 1, "%u samples in a full page", samples);
}

static void pause_forward(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct perf_ring *ring;
	unsigned int before, during;
	int fd = open_self(&attr);

	ring = ring_map(fd, 4);
	event_enable(fd);
	touch_pages(10);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), "pause");
	before = ring_count(ring, PERF_RECORD_SAMPLE);
	touch_pages(10);
	during = ring_count(ring, PERF_RECORD_SAMPLE);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), "resume");
	touch_pages(10);
	event_disable(fd);
	CHECK(before >= 10 && !during, "%u before, %u during the pause",
	      before, during);
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) >= 10, "not resumed");
	CHECK(read_count(fd) >= 30, "does not count while paused");
}

/* Returns how many records with the identifier of each event there are. */
static void count_by_id(struct perf_ring *ring,
			const struct perf_event_attr *attr, const int *fds,
			unsigned int *counts)
{
	struct perf_event_header *header;
	struct sample sample;

	counts[0] = 0;
	counts[1] = 0;
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, attr, &sample);
		if (sample.identifier == event_id(fds[0]))
			counts[0]++;
		else if (sample.identifier == event_id(fds[1]))
			counts[1]++;
		else
			CHECK(0, "record of no event");
	}
}

static void shared_by_ioctl(void)
{
	struct perf_event_attr attr = sampling_attr();
	unsigned int counts[2];
	struct perf_ring *ring;
	int fds[2], i;

	fds[0] = open_self(&attr);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	fds[1] = open_self(&attr);
	ring = ring_map(fds[0], 16);
	CHECK(!ioctl(fds[1], PERF_EVENT_IOC_SET_OUTPUT, fds[0]), "SET_OUTPUT");
	for (i = 0; i < 2; i++)
		event_enable(fds[i]);
	touch_pages(FAULTS);
	for (i = 0; i < 2; i++)
		event_disable(fds[i]);
	count_by_id(ring, &attr, fds, counts);
	CHECK(counts[0] >= FAULTS && counts[1] >= FAULTS, "%u and %u samples",
	      counts[0], counts[1]);
	CHECK(!ioctl(fds[1], PERF_EVENT_IOC_SET_OUTPUT, -1L), "take back");
	event_enable(fds[1]);
	touch_pages(FAULTS);
	event_disable(fds[1]);
	count_by_id(ring, &attr, fds, counts);
	CHECK(!counts[1], "%u samples after it was taken back", counts[1]);
}

/* One occurrence, two samples: each must carry the id of its own event. */
static void same_event_twice(void)
{
	struct perf_event_attr attr = sampling_attr();
	unsigned int counts[2];
	struct perf_ring *ring;
	int fds[2], i;

	for (i = 0; i < 2; i++)
		fds[i] = open_self(&attr);
	ring = ring_map(fds[0], 16);
	CHECK(!ioctl(fds[1], PERF_EVENT_IOC_SET_OUTPUT, fds[0]), "SET_OUTPUT");
	for (i = 0; i < 2; i++)
		event_enable(fds[i]);
	touch_pages(FAULTS);
	for (i = 0; i < 2; i++)
		event_disable(fds[i]);
	count_by_id(ring, &attr, fds, counts);
	CHECK(counts[0] + counts[1] >= 2 * FAULTS, "%u and %u samples",
	      counts[0], counts[1]);
	if (!counts[0] || !counts[1])
		test_xfail("%u and %u samples: one event has the other's id",
			   counts[0], counts[1]);
	CHECK(counts[0] >= FAULTS && counts[1] >= FAULTS, "%u and %u samples",
	      counts[0], counts[1]);
}

static void shared_by_flag(void)
{
	struct perf_event_attr attr = sampling_attr();
	unsigned int counts[2];
	struct perf_ring *ring;
	int fds[2];

	fds[0] = open_self(&attr);
	ring = ring_map(fds[0], 16);
	attr.disabled = 0;
	fds[1] = perf_open(&attr, 0, -1, fds[0],
			   PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP);
	CHECK(fds[1] >= 0, "FD_OUTPUT: %s", strerror(errno));
	touch_pages(FAULTS);
	event_disable(fds[1]);
	count_by_id(ring, &attr, fds, counts);
	CHECK(!counts[0] && counts[1] >= FAULTS, "%u and %u samples",
	      counts[0], counts[1]);
}

/* Writers on all CPUs, each into the buffer of its own CPU. */
static void two_cpus(void)
{
	struct perf_event_attr attr = sampling_attr();
	int cpus[2] = { first_cpu(), second_cpu() }, fds[2], i;
	struct perf_ring *rings[2];
	unsigned int samples;
	pid_t pids[2];

	for (i = 0; i < 2; i++) {
		fds[i] = open_on(&attr, -1, cpus[i], -1);
		rings[i] = ring_map(fds[i], 64);
		event_enable(fds[i]);
	}
	for (i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			pin_to_cpu(cpus[i]);
			touch_pages(1000);
			child_finish();
		}
	}
	for (i = 0; i < 2; i++)
		join_child(pids[i]);
	for (i = 0; i < 2; i++) {
		event_disable(fds[i]);
		samples = ring_count(rings[i], PERF_RECORD_SAMPLE);
		CHECK(samples >= 1000, "CPU %d: %u samples", cpus[i], samples);
	}
}

static void mapped_late(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct perf_ring *ring;
	int fd = open_self(&attr);

	event_enable(fd);
	touch_pages(FAULTS);
	ring = ring_map(fd, 8);
	touch_pages(FAULTS);
	event_disable(fd);
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) >= FAULTS, "no samples");
	ring_unmap(ring);
	event_enable(fd);
	touch_pages(FAULTS);
	CHECK(read_count(fd) >= 3 * FAULTS, "counts only with a buffer");
}

static const struct test_case cases[] = {
	{ "many times round", wrap_around },
	{ "poll without buffer", poll_without_buffer },
	{ "wakeup_events", wakeup_events },
	{ "wakeup_watermark", wakeup_watermark },
	{ "default watermark", default_watermark },
	{ "watermark of the whole buffer", watermark_of_the_buffer },
	{ "watermark of the whole buffer, names", watermark_of_names },
	{ "a sleeper is woken", wake_a_sleeper },
	{ "full buffer and LOST", full_buffer },
	{ "overwrite", overwrite },
	{ "write_backward", backward },
	{ "PAUSE_OUTPUT", pause_forward },
	{ "two events, SET_OUTPUT", shared_by_ioctl },
	{ "one event twice, SET_OUTPUT", same_event_twice },
	{ "two events, FD_OUTPUT", shared_by_flag },
	{ "two CPUs", two_cpus },
	{ "mapped while enabled", mapped_late },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
