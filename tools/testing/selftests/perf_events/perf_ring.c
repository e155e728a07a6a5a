// SPDX-License-Identifier: GPL-2.0
/*
 * Reading side of the ring buffer: take records out, take samples apart.
 *
 * Each record is copied out before the tail moves, so that a caller may look at
 * it for as long as it likes, and is checked by the validator: a field that is
 * too long, missing or in the wrong place is found, whatever a test is about.
 * The parser of samples insists on ending exactly at header.size.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "perf_lib.h"

struct cursor {
	const char *at;
	const char *end;
};

static const void *take(struct cursor *c, size_t size)
{
	const char *at = c->at;

	CHECK(size <= (size_t)(c->end - at),
	      "record too short: want %zu bytes, %td left", size, c->end - at);
	c->at += size;
	return at;
}

static __u64 take_u64(struct cursor *c)
{
	__u64 value;

	memcpy(&value, take(c, sizeof(value)), sizeof(value));
	return value;
}

static __u32 take_u32(struct cursor *c)
{
	__u32 value;

	memcpy(&value, take(c, sizeof(value)), sizeof(value));
	return value;
}

struct perf_ring *ring_map(int fd, size_t data_pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_ring *ring = calloc(1, sizeof(*ring));

	CHECK(ring, "out of memory");
	ring->map_size = (1 + data_pages) * page;
	ring->data_size = data_pages * page;
	ring->page = mmap(NULL, ring->map_size, PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);
	CHECK(ring->page != MAP_FAILED, "mmap of %zu pages: %s", data_pages + 1,
	      strerror(errno));
	ring->data = (char *)ring->page + page;
	validate_begin(&ring->validator, fd);
	return ring;
}

void ring_unmap(struct perf_ring *ring)
{
	CHECK(!munmap(ring->page, ring->map_size), "munmap: %s",
	      strerror(errno));
	free(ring);
}

__u64 ring_head(const struct perf_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static void ring_advance(struct perf_ring *ring, __u64 tail)
{
	ring->tail = tail;
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

void ring_skip_all(struct perf_ring *ring)
{
	ring_advance(ring, ring_head(ring));
}

static void ring_copy(const struct perf_ring *ring, void *to, __u64 from,
		      size_t size)
{
	size_t offset = from & (ring->data_size - 1);
	size_t first = ring->data_size - offset;

	if (first > size)
		first = size;
	memcpy(to, ring->data + offset, first);
	memcpy((char *)to + first, ring->data, size - first);
}

struct perf_event_header *ring_next(struct perf_ring *ring)
{
	struct perf_event_header *header = &ring->record.header;
	__u64 head = ring_head(ring);

	if (ring->tail == head)
		return NULL;
	CHECK(head - ring->tail >= sizeof(*header), "torn head");
	ring_copy(ring, header, ring->tail, sizeof(*header));
	CHECK(header->size >= sizeof(*header) && !(header->size & 7) &&
	      header->size <= head - ring->tail,
	      "record type %u has size %u, %llu bytes readable", header->type,
	      header->size, (unsigned long long)(head - ring->tail));
	ring_copy(ring, ring->record.bytes, ring->tail, header->size);
	if (!validate_record(&ring->validator, header, head - ring->tail)) {
		validate_explain(&ring->validator, header, header->size);
		CHECK(0, "record at %llu", (unsigned long long)ring->tail);
	}
	ring_advance(ring, ring->tail + header->size);
	return header;
}

struct perf_event_header *ring_find(struct perf_ring *ring, __u32 type)
{
	struct perf_event_header *header;

	do {
		header = ring_next(ring);
	} while (header && header->type != type);
	return header;
}

/* Return: records of @type; empties the buffer. */
unsigned int ring_count(struct perf_ring *ring, __u32 type)
{
	unsigned int count = 0;

	while (ring_find(ring, type))
		count++;
	return count;
}

const void *record_body(const struct perf_event_header *header)
{
	return header + 1;
}

static void take_event(struct cursor *c, __u64 format,
		       struct read_values *out, __u64 index)
{
	CHECK(index < MAX_GROUP, "group of more than %d", MAX_GROUP);
	out->event[index].value = take_u64(c);
	if (format & PERF_FORMAT_ID)
		out->event[index].id = take_u64(c);
	if (format & PERF_FORMAT_LOST)
		out->event[index].lost = take_u64(c);
}

static void take_read(struct cursor *c, __u64 format, struct read_values *out)
{
	bool group = format & PERF_FORMAT_GROUP;
	__u64 i;

	out->nr = 1;
	if (group)
		out->nr = take_u64(c);
	else
		out->event[0].value = take_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		out->enabled = take_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		out->running = take_u64(c);
	if (group) {
		for (i = 0; i < out->nr; i++)
			take_event(c, format, out, i);
		return;
	}
	if (format & PERF_FORMAT_ID)
		out->event[0].id = take_u64(c);
	if (format & PERF_FORMAT_LOST)
		out->event[0].lost = take_u64(c);
}

/* What read(2) returned, taken apart; returns the number of bytes used. */
size_t parse_read(const void *data, size_t size, __u64 format,
		  struct read_values *out)
{
	struct cursor c = { data, (const char *)data + size };

	memset(out, 0, sizeof(*out));
	take_read(&c, format, out);
	return c.at - (const char *)data;
}

static void take_scalars(struct cursor *c, __u64 type, struct sample *out)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		out->identifier = take_u64(c);
	if (type & PERF_SAMPLE_IP)
		out->ip = take_u64(c);
	if (type & PERF_SAMPLE_TID) {
		out->pid = take_u32(c);
		out->tid = take_u32(c);
	}
	if (type & PERF_SAMPLE_TIME)
		out->time = take_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		out->addr = take_u64(c);
	if (type & PERF_SAMPLE_ID)
		out->id = take_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		out->stream_id = take_u64(c);
	if (type & PERF_SAMPLE_CPU) {
		out->cpu = take_u32(c);
		out->cpu_reserved = take_u32(c);
	}
	if (type & PERF_SAMPLE_PERIOD)
		out->period = take_u64(c);
}

static void take_variable(struct cursor *c, const struct perf_event_attr *attr,
			  struct sample *out)
{
	__u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		take_read(c, attr->read_format, &out->read);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		out->nr_ips = take_u64(c);
		CHECK(out->nr_ips < 1 << 13, "callchain of %llu",
		      (unsigned long long)out->nr_ips);
		out->ips = take(c, out->nr_ips * sizeof(__u64));
	}
	if (type & PERF_SAMPLE_RAW) {
		out->raw_size = take_u32(c);
		out->raw = take(c, out->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		out->nr_branches = take_u64(c);
		take(c, out->nr_branches * sizeof(struct perf_branch_entry));
	}
}

static void take_machine(struct cursor *c, const struct perf_event_attr *attr,
			 struct sample *out)
{
	unsigned int regs = __builtin_popcountll(attr->sample_regs_user);

	if (attr->sample_type & PERF_SAMPLE_REGS_USER) {
		out->user_abi = take_u64(c);
		if (out->user_abi)
			out->user_regs = take(c, regs * sizeof(__u64));
	}
	if (attr->sample_type & PERF_SAMPLE_STACK_USER) {
		out->stack_size = take_u64(c);
		out->stack = take(c, out->stack_size);
		if (out->stack_size)
			out->stack_dyn_size = take_u64(c);
	}
}

static void take_memory(struct cursor *c, const struct perf_event_attr *attr,
			struct sample *out)
{
	unsigned int regs = __builtin_popcountll(attr->sample_regs_intr);
	__u64 type = attr->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		out->weight = take_u64(c);
	if (type & PERF_SAMPLE_DATA_SRC)
		out->data_src = take_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		out->transaction = take_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR) {
		out->intr_abi = take_u64(c);
		if (out->intr_abi)
			out->intr_regs = take(c, regs * sizeof(__u64));
	}
	if (type & PERF_SAMPLE_PHYS_ADDR)
		out->phys_addr = take_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		out->cgroup = take_u64(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		out->data_page_size = take_u64(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		out->code_page_size = take_u64(c);
}

void parse_sample(const struct perf_event_header *header,
		  const struct perf_event_attr *attr, struct sample *out)
{
	struct cursor c = {
		record_body(header), (const char *)header + header->size,
	};

	memset(out, 0, sizeof(*out));
	take_scalars(&c, attr->sample_type, out);
	take_variable(&c, attr, out);
	take_machine(&c, attr, out);
	take_memory(&c, attr, out);
	CHECK(c.at == c.end, "%td bytes of %u left over for sample_type %#llx",
	      c.end - c.at, header->size,
	      (unsigned long long)attr->sample_type);
}

size_t trailer_size(const struct perf_event_attr *attr)
{
	__u64 fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
		       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
		       PERF_SAMPLE_IDENTIFIER;

	if (!attr->sample_id_all)
		return 0;
	return 8 * __builtin_popcountll(attr->sample_type & fields);
}

/* The sample_id fields at the end of a record that is not a sample. */
void parse_trailer(const struct perf_event_header *header,
		   const struct perf_event_attr *attr, struct sample *out)
{
	const char *end = (const char *)header + header->size;
	struct cursor c = { end - trailer_size(attr), end };
	__u64 type = attr->sample_type;

	memset(out, 0, sizeof(*out));
	if (type & PERF_SAMPLE_TID) {
		out->pid = take_u32(&c);
		out->tid = take_u32(&c);
	}
	if (type & PERF_SAMPLE_TIME)
		out->time = take_u64(&c);
	if (type & PERF_SAMPLE_ID)
		out->id = take_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		out->stream_id = take_u64(&c);
	if (type & PERF_SAMPLE_CPU) {
		out->cpu = take_u32(&c);
		out->cpu_reserved = take_u32(&c);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		out->identifier = take_u64(&c);
}
