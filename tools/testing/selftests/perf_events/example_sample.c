// SPDX-License-Identifier: GPL-2.0
/*
 * Sample where the program spends its time: an event that overflows every
 * millisecond of it, a buffer, and a loop that reads the records. Needs no rights.
 */
#define _GNU_SOURCE
#include <err.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>

#define DATA_PAGES	8	/* a power of two */
#define WANTED		50	/* samples */
#define SECONDS		60	/* at most */

/* PERF_RECORD_SAMPLE with the sample_type below. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
};

/* PERF_RECORD_LOST. */
struct lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

struct buffer {
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size;
};

struct totals {
	unsigned int samples;
	uint64_t lost;
};

static int open_clock(void)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = 1000000;	/* nanoseconds */
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.wakeup_events = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		err(1, "perf_event_open");
	return fd;
}

static struct buffer map_buffer(int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *base = mmap(NULL, (1 + DATA_PAGES) * page, PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);
	struct buffer buffer = { .page = base };

	if (base == MAP_FAILED)
		err(1, "mmap");
	buffer.data = (char *)base + buffer.page->data_offset;
	buffer.size = buffer.page->data_size;
	return buffer;
}

/* Copies data at a position; they may wrap around the end of the ring. */
static void copy_out(const struct buffer *buffer, uint64_t at, void *to,
		     size_t size)
{
	size_t offset = at & (buffer->size - 1);
	size_t first = buffer->size - offset;

	if (first > size)
		first = size;
	memcpy(to, buffer->data + offset, first);
	memcpy((char *)to + first, buffer->data, size - first);
}

static void work(void)
{
	for (int i = 0; i < 100000; i++)
		asm volatile("" : : : "memory");
}

static void take(const struct buffer *buffer, uint64_t at, uint32_t type,
		 struct totals *totals)
{
	struct sample sample;
	struct lost lost;

	switch (type) {
	case PERF_RECORD_SAMPLE:
		copy_out(buffer, at, &sample, sizeof(sample));
		if (sample.pid != (uint32_t)getpid())
			errx(1, "a sample of process %u", sample.pid);
		if (!totals->samples++)
			printf("the first sample: address %#llx, time %llu\n",
			       (unsigned long long)sample.ip,
			       (unsigned long long)sample.time);
		break;
	case PERF_RECORD_LOST:
		copy_out(buffer, at, &lost, sizeof(lost));
		totals->lost += lost.lost;
		break;
	default:
		/* Skip records that a later kernel may add. */
		break;
	}
}

static void consume(const struct buffer *buffer, struct totals *totals)
{
	struct perf_event_mmap_page *page = buffer->page;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	struct perf_event_header header;

	while (tail != head) {
		copy_out(buffer, tail, &header, sizeof(header));
		take(buffer, tail, header.type, totals);
		tail += header.size;
	}
	/* The kernel may overwrite what has been read. */
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

int main(void)
{
	struct totals totals = { 0 };
	struct buffer buffer;
	struct pollfd ready;
	time_t end;
	int fd;

	fd = open_clock();
	buffer = map_buffer(fd);
	ready.fd = fd;
	ready.events = POLLIN;
	end = time(NULL) + SECONDS;

	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err(1, "PERF_EVENT_IOC_ENABLE");
	while (totals.samples < WANTED && time(NULL) < end) {
		work();
		/* A reader that does nothing else would wait here. */
		if (poll(&ready, 1, 0) > 0)
			consume(&buffer, &totals);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	consume(&buffer, &totals);

	printf("%u samples, %llu records lost\n", totals.samples,
	       (unsigned long long)totals.lost);
	if (totals.samples < WANTED)
		errx(1, "%d samples were expected", WANTED);
	return 0;
}
