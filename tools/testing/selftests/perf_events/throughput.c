// SPDX-License-Identifier: GPL-2.0
/*
 * Many small records from one CPU to a reader on another. Each has a number,
 * which is an argument of the system call that was sampled: the numbers ascend,
 * and where some are missing a LOST record says how many.
 *
 *	throughput [RECORDS]
 *
 * The validator checks the first records in full. Of the rest only header,
 * size, type and number are checked, in place, so that the reader is fast.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "perf_lib.h"

/* Samples that are checked in full. */
#define VALIDATED	10000

static unsigned long records = 1000000;

/*
 * raw_syscalls/sys_enter as PERF_SAMPLE_RAW has it: what all tracepoints have,
 * the number of the call, six arguments. The words are not aligned.
 */
struct call_record {
	struct perf_event_header header;
	__u32 raw_size;
	__u32 raw[17];
};

#define WORD_CALL	1
#define WORD_ARGUMENT	2

static __u64 raw_word(const struct call_record *record, unsigned int index)
{
	__u64 value;

	memcpy(&value, &record->raw[2 * index], sizeof(value));
	return value;
}

struct lost_record {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

union any_record {
	struct perf_event_header header;
	struct call_record call;
	struct lost_record lost;
};

/**
 * struct stream - a buffer and what was read from it
 * @ring: the buffer
 * @seen: samples
 * @lost: sum of the LOST records
 * @losses: number of LOST records
 * @next: number of the next sample, if none is lost
 */
struct stream {
	struct perf_ring *ring;
	unsigned long seen;
	unsigned long lost;
	unsigned long losses;
	__u64 next;
};

static void take_call(struct stream *stream, const struct call_record *record)
{
	__u64 number = raw_word(record, WORD_ARGUMENT);

	CHECK(record->header.size == sizeof(*record) &&
	      record->raw_size == sizeof(record->raw), "size %u, raw %u",
	      record->header.size, record->raw_size);
	CHECK(raw_word(record, WORD_CALL) == SYS_getppid, "call %llu",
	      (unsigned long long)raw_word(record, WORD_CALL));
	CHECK(number == stream->next, "number %llu, not %llu",
	      (unsigned long long)number, (unsigned long long)stream->next);
	stream->next++;
	stream->seen++;
}

static void take_lost(struct stream *stream, const struct lost_record *record)
{
	CHECK(record->header.size == sizeof(*record), "LOST of %u bytes",
	      record->header.size);
	stream->lost += record->lost;
	stream->next += record->lost;
	stream->losses++;
}

static void take_record(struct stream *stream, const union any_record *record)
{
	if (record->header.type == PERF_RECORD_SAMPLE)
		take_call(stream, &record->call);
	else if (record->header.type == PERF_RECORD_LOST)
		take_lost(stream, &record->lost);
	else
		CHECK(record->header.type == PERF_RECORD_THROTTLE ||
		      record->header.type == PERF_RECORD_UNTHROTTLE,
		      "type %u", record->header.type);
}

/* In place, or in @copy if the record wraps around the end of the buffer. */
static const union any_record *look_at(const struct perf_ring *ring,
				       __u64 at, union any_record *copy)
{
	size_t offset = at & (ring->data_size - 1);
	size_t first = ring->data_size - offset;

	if (first >= sizeof(*copy))
		return (const void *)(ring->data + offset);
	memcpy(copy, ring->data + offset, first);
	memcpy((char *)copy + first, ring->data, sizeof(*copy) - first);
	return copy;
}

/* Reads all that is there, with one store of the tail. */
static void take_all(struct stream *stream)
{
	struct perf_ring *ring = stream->ring;
	__u64 head = ring_head(ring), at = ring->tail;
	const union any_record *record;
	union any_record copy;

	while (at != head) {
		record = look_at(ring, at, &copy);
		CHECK(record->header.size >= 8 && !(record->header.size & 7) &&
		      record->header.size <= head - at,
		      "type %u, size %u, %llu bytes readable",
		      record->header.type, record->header.size,
		      (unsigned long long)(head - at));
		take_record(stream, record);
		at += record->header.size;
	}
	ring->tail = at;
	__atomic_store_n(&ring->page->data_tail, at, __ATOMIC_RELEASE);
}

static void take_validated(struct stream *stream)
{
	struct perf_event_header *header;

	while ((header = ring_next(stream->ring)))
		take_record(stream, (const void *)header);
}

/* What the writer does; a pipe tells it that the buffer is empty. */
struct writer {
	unsigned long records;
	int finish[2];
};

static void write_calls(void *arg)
{
	struct writer *writer = arg;
	unsigned long i;
	char byte;

	pin_to_cpu(first_cpu());
	for (i = 0; i < writer->records; i++)
		syscall(SYS_getppid, i);
	CHECK(read(writer->finish[0], &byte, 1) == 1, "no word from the reader");
	syscall(SYS_getppid, i);
}

static int open_calls(pid_t pid)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_TRACEPOINT,
		tracepoint_id("raw_syscalls/sys_enter"));
	char filter[32];
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	attr.watermark = 1;
	attr.disabled = 0;
	fd = open_on(&attr, pid, -1, -1);
	snprintf(filter, sizeof(filter), "id == %d", (int)SYS_getppid);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter), "filter: %s",
	      strerror(errno));
	return fd;
}

static void wait_for_records(int fd, unsigned int nap)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	if (nap)
		usleep(nap);
	else
		poll(&poll_fd, 1, 20);
}

/**
 * struct run - a variant of the test
 * @name: of the variant
 * @pages: of the buffer
 * @share: only one in @share of the records is written
 * @nap: of the reader between two looks, in us; 0 if it is woken
 */
struct run {
	const char *name;
	unsigned int pages;
	unsigned int share;
	unsigned int nap;
};

static const struct run runs[] = {
	{ "4 MiB, a reader that is woken", 1024, 1, 0 },
	{ "4 MiB, a reader that sleeps", 1024, 2, 300000 },
	{ "8 KiB, a reader that is woken", 2, 4, 0 },
	{ "one page, a reader that sleeps", 1, 8, 2000 },
};

static void read_all(struct stream *stream, int fd, struct writer *writer,
		     const struct run *run)
{
	__u64 begin = now_ns(), took, count;

	do {
		if (stream->seen < VALIDATED)
			take_validated(stream);
		else
			take_all(stream);
		count = read_count(fd);
		if (count < writer->records)
			wait_for_records(fd, run->nap);
	} while (count < writer->records);
	took = now_ns() - begin;
	take_all(stream);
	CHECK(write(writer->finish[1], "", 1) == 1, "wake writer");
	while (read_count(fd) == writer->records)
		usleep(1000);
	usleep(1000);
	take_all(stream);
	ksft_print_msg("%lu records, %lu lost at %lu places, %llu a second\n",
		       stream->seen, stream->lost, stream->losses,
		       writer->records * NSEC_PER_SEC / took);
}

static void run_one(const void *row)
{
	const struct run *run = row;
	struct writer writer = { .records = records / run->share };
	struct stream stream = { .seen = 0 };
	struct helper child;
	int fd;

	pin_to_cpu(second_cpu());
	CHECK(!pipe(writer.finish), "pipe");
	child = helper_start(write_calls, &writer);
	fd = open_calls(child.pid);
	stream.ring = ring_map(fd, run->pages);
	helper_go(&child);
	read_all(&stream, fd, &writer, run);
	helper_join(&child);
	take_all(&stream);
	CHECK(stream.seen + stream.lost == writer.records + 1,
	      "%lu records and %lu lost of %lu", stream.seen, stream.lost,
	      writer.records + 1);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		records = strtoul(argv[1], NULL, 0);
	tests_begin(ARRAY_SIZE(runs));
	tests_run_rows(runs, ARRAY_SIZE(runs), sizeof(runs[0]), run_one);
	tests_end();
}
