// SPDX-License-Identifier: GPL-2.0
/*
 * The AUX area: which events may map it and where, which data and records a
 * trace produces, and what siblings do to the trace of their leader.
 *
 * The trace is that of the module perf_test_aux: the byte at each position
 * follows from the position. Only a read(2) of the event advances it, by
 * config1 bytes. Without the module all cases are skipped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "perf_books.h"
#include "perf_lib.h"
#include "test_pmu.h"

#define MODULE		"perf_test_aux"
#define DEVICES		"/sys/bus/event_source/devices/"
#define RW		(PROT_READ | PROT_WRITE)

#define STRICT		1
#define FEED_ID		42
#define DATA_PAGES	8
#define PAUSE		1
#define RESUME		2

static size_t page_size;

/* An event that traces, its buffer, and how far the area has been read. */
struct trace {
	int fd;
	struct perf_ring *ring;
	unsigned char *area;
	size_t size;
	__u64 tail;
};

/* The body of PERF_RECORD_AUX. */
struct aux_record {
	__u64 offset;
	__u64 size;
	__u64 flags;
};

static long parameter(const char *name)
{
	return test_module_parameter(MODULE, name);
}

static void need_trace(void)
{
	page_size = sysconf(_SC_PAGESIZE);
	test_module_need(MODULE);
}

/* No call broke a rule of the driver, and @areas areas exist. */
static void expect_clean(long areas)
{
	EXPECT(parameter("areas") == areas, "the driver has %ld areas, not %ld",
	       parameter("areas"), areas);
	EXPECT(parameter("faults") == 0, "%ld faults", parameter("faults"));
}

static struct perf_event_attr trace_attr(__u64 step)
{
	struct perf_event_attr attr = make_attr(pmu_type(MODULE), 0);

	attr.config1 = step;
	attr.read_format = FORMAT_TIMES;
	attr.disabled = 1;
	return attr;
}

static struct perf_event_attr feed_attr(void)
{
	struct perf_event_attr attr = make_attr(pmu_type("perf_test_feed"), 0);

	attr.disabled = 0;
	attr.aux_output = 1;
	return attr;
}

/* An event that overflows at each page that is touched. */
static struct perf_event_attr fault_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.disabled = 1;
	return attr;
}

static struct trace open_trace(struct perf_event_attr *attr)
{
	struct trace trace = { .fd = open_self(attr) };

	trace.ring = ring_map(trace.fd, DATA_PAGES);
	return trace;
}

static void *try_area(const struct trace *trace, int fd, size_t pages, int prot)
{
	struct perf_event_mmap_page *page = trace->ring->page;

	page->aux_offset = trace->ring->map_size;
	page->aux_size = pages * page_size;
	return mmap(NULL, page->aux_size, prot, MAP_SHARED, fd,
		    page->aux_offset);
}

static void map_area(struct trace *trace, size_t pages, int prot)
{
	trace->area = try_area(trace, trace->fd, pages, prot);
	CHECK(trace->area != MAP_FAILED, "map %zu pages: %s", pages,
	      strerror(errno));
	trace->size = pages * page_size;
}

static void unmap_area(struct trace *trace)
{
	CHECK(!munmap(trace->area, trace->size), "munmap: %s", strerror(errno));
	trace->area = NULL;
}

/* Opens an event with an area, and enables it. */
static struct trace start_trace_as(struct perf_event_attr *attr, size_t pages,
				   int prot)
{
	struct trace trace = open_trace(attr);

	map_area(&trace, pages, prot);
	event_enable(trace.fd);
	return trace;
}

/* The same, of four pages. */
static struct trace start_trace(__u64 step, int prot)
{
	struct perf_event_attr attr = trace_attr(step);

	return start_trace_as(&attr, 4, prot);
}

static void produce(const struct trace *trace, unsigned int times)
{
	while (times--)
		read_timed(trace->fd);
}

static unsigned char trace_byte(__u64 position)
{
	return position ^ position >> 8 ^ position >> 16;
}

static __u64 area_head(const struct trace *trace)
{
	return __atomic_load_n(&trace->ring->page->aux_head, __ATOMIC_ACQUIRE);
}

static void area_advance(struct trace *trace, __u64 tail)
{
	trace->tail = tail;
	__atomic_store_n(&trace->ring->page->aux_tail, tail, __ATOMIC_RELEASE);
}

static void expect_bytes(const unsigned char *bytes, __u64 first, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (bytes[i] == trace_byte(first + i))
			continue;
		EXPECT(false, "byte %llu is %#x, not %#x",
		       (unsigned long long)(first + i), bytes[i],
		       trace_byte(first + i));
		return;
	}
}

static void expect_stream(const struct trace *trace, __u64 first, __u64 count)
{
	__u64 at = first & (trace->size - 1);
	__u64 piece = trace->size - at;

	if (piece > count)
		piece = count;
	expect_bytes(trace->area + at, first, piece);
	expect_bytes(trace->area, first + piece, count - piece);
}

static struct aux_record next_aux(const struct trace *trace)
{
	struct perf_event_header *header =
		ring_find(trace->ring, PERF_RECORD_AUX);

	CHECK(header, "no PERF_RECORD_AUX");
	return *(const struct aux_record *)record_body(header);
}

static void expect_aux(const struct trace *trace, __u64 offset, __u64 size,
		       __u64 flags)
{
	struct aux_record record = next_aux(trace);

	EXPECT(record.offset == offset && record.size == size &&
	       record.flags == flags,
	       "AUX %llu + %llu flags %#llx, not %llu + %llu flags %#llx",
	       (unsigned long long)record.offset,
	       (unsigned long long)record.size,
	       (unsigned long long)record.flags,
	       (unsigned long long)offset, (unsigned long long)size,
	       (unsigned long long)flags);
}

static void expect_no_aux(const struct trace *trace)
{
	EXPECT(!ring_find(trace->ring, PERF_RECORD_AUX), "a PERF_RECORD_AUX");
}

static void expect_refused(const void *at, int error, const char *what)
{
	EXPECT(at == MAP_FAILED && errno == error, "%s: %s, not %s", what,
	       at == MAP_FAILED ? strerror(errno) : "mapped", strerror(error));
}

/* Mapping. */

/* Pages. */
struct place {
	const char *name;
	__u64 offset, size, aux_offset, aux_size;
};

static void *map_at(const struct trace *trace, const struct place *at, int flags)
{
	trace->ring->page->aux_offset = at->aux_offset * page_size;
	trace->ring->page->aux_size = at->aux_size * page_size;
	return mmap(NULL, at->size * page_size, RW, flags, trace->fd,
		    at->offset * page_size);
}

static void expect_no_place(const struct trace *trace, const struct place *at)
{
	expect_refused(map_at(trace, at, MAP_SHARED), EINVAL, at->name);
}

/* The data end at page 9. */
static void where(void)
{
	static const struct place good = { "behind the data", 9, 4, 9, 4 };
	static const struct place smaller = { "second, smaller", 9, 2, 9, 2 };
	static const struct place behind = { "second, behind", 13, 4, 13, 4 };
	static const struct place wrong[] = {
		{ "nothing was said", 16, 4, 0, 0 },
		{ "no size", 16, 4, 16, 0 },
		{ "another offset", 17, 4, 16, 4 },
		{ "another size", 16, 2, 16, 4 },
		{ "no power of two", 16, 3, 16, 3 },
		{ "over the data", 8, 4, 8, 4 },
		{ "behind the data, said to be over them", 9, 4, 8, 4 },
	};
	struct perf_event_attr attr;
	struct trace trace;
	size_t i;
	int fd;

	need_trace();
	attr = trace_attr(0);
	fd = open_self(&attr);
	expect_refused(mmap(NULL, 4 * page_size, RW, MAP_SHARED, fd,
			    16 * page_size), EINVAL, "without data");
	close(fd);
	trace = open_trace(&attr);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		expect_no_place(&trace, &wrong[i]);
	expect_refused(map_at(&trace, &good, MAP_PRIVATE), EINVAL, "private");
	expect_clean(0);
	CHECK(map_at(&trace, &good, MAP_SHARED) != MAP_FAILED, "mmap: %s",
	      strerror(errno));
	expect_no_place(&trace, &smaller);
	expect_no_place(&trace, &behind);
	expect_clean(1);
}

static void who(void)
{
	struct perf_event_attr attr, plain = sw_attr(PERF_COUNT_SW_DUMMY);
	struct trace trace;
	int fd;

	need_trace();
	attr = trace_attr(0);
	trace = open_trace(&attr);
	fd = open_self(&plain);
	event_set_output(fd, trace.fd);
	expect_refused(try_area(&trace, fd, 4, RW), EOPNOTSUPP,
		       "an event that does not trace");
	map_area(&trace, 4, RW);
	unmap_area(&trace);
	expect_clean(0);

	attr.inherit = 1;
	fd = open_self(&attr);
	expect_refused(mmap(NULL, 4 * page_size, RW, MAP_SHARED, fd,
			    16 * page_size), EINVAL, "inherited, any CPU");
}

/* Mapping only the area of another's buffer leaves its user page alone. */
static void who_has_the_page(void)
{
	struct perf_event_attr attr;
	struct trace trace;
	__u32 lock;
	void *data;
	int fd;

	need_trace();
	attr = trace_attr(0);
	trace = open_trace(&attr);
	fd = open_self(&attr);
	event_set_output(fd, trace.fd);
	CHECK(try_area(&trace, fd, 4, RW) != MAP_FAILED, "area: %s",
	      strerror(errno));
	expect_clean(1);
	data = mmap(NULL, (DATA_PAGES + 1) * page_size, RW, MAP_SHARED, fd, 0);
	if (data != MAP_FAILED)
		test_xfail("shares the data");
	CHECK(errno == EINVAL, "data: %s", strerror(errno));
	lock = trace.ring->page->lock;
	event_reset(fd);
	EXPECT(trace.ring->page->lock == lock, "writes another one's page");
	event_reset(trace.fd);
	EXPECT(trace.ring->page->lock != lock, "does not write its own page");
}

static void two_mappings(void)
{
	struct trace trace, second;

	need_trace();
	trace = start_trace(1000, RW);
	second = trace;
	map_area(&second, 4, RW);
	expect_clean(1);
	produce(&trace, 1);
	expect_stream(&second, 0, 1000);
	unmap_area(&trace);
	expect_clean(1);
	produce(&trace, 1);
	expect_stream(&second, 0, 2000);
	unmap_area(&second);
	expect_clean(0);
	produce(&second, 1);
	CHECK(area_head(&second) == 2000, "goes on without an area");
}

/* The data are unmapped first: the buffer stays for the area. */
static void any_order(void)
{
	struct trace trace;

	need_trace();
	trace = start_trace(1000, RW);
	produce(&trace, 1);
	ring_unmap(trace.ring);
	produce(&trace, 1);
	expect_stream(&trace, 0, 2000);
	expect_clean(1);
	unmap_area(&trace);
	expect_clean(0);
}

/* A new area, of another size, continues where the last one ended. */
static void map_again(void)
{
	struct trace trace;
	size_t pages;
	__u64 head = 0;

	need_trace();
	trace = start_trace(1000, RW);
	for (pages = 1; pages <= 32; pages *= 2, head += 1000) {
		unmap_area(&trace);
		event_disable(trace.fd);
		map_area(&trace, pages, RW);
		event_enable(trace.fd);
		produce(&trace, 1);
		CHECK(area_head(&trace) == head + 1000, "head %llu",
		      (unsigned long long)area_head(&trace));
		expect_stream(&trace, head, 1000);
		area_advance(&trace, head + 1000);
	}
	expect_clean(1);
}

static void whole_only(void)
{
	struct trace trace;
	void *at;

	need_trace();
	trace = start_trace(1000, RW);
	produce(&trace, 3);
	CHECK(munmap(trace.area, page_size) && errno == EINVAL, "munmap half");
	CHECK(munmap(trace.area + page_size, page_size) && errno == EINVAL,
	      "munmap the middle");
	at = mremap(trace.area, trace.size, trace.size / 2, 0);
	expect_refused(at, EINVAL, "mremap to the half");
	at = mremap(trace.area, trace.size, 2 * trace.size, MREMAP_MAYMOVE);
	expect_refused(at, EFAULT, "mremap to twice the size");
	expect_stream(&trace, 0, 3000);

	at = mmap(NULL, trace.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		  0);
	CHECK(at != MAP_FAILED, "mmap");
	at = mremap(trace.area, trace.size, trace.size,
		    MREMAP_MAYMOVE | MREMAP_FIXED, at);
	CHECK(at != MAP_FAILED, "mremap: %s", strerror(errno));
	trace.area = at;
	expect_clean(1);
	produce(&trace, 1);
	expect_stream(&trace, 0, 4000);
	unmap_area(&trace);
	expect_clean(0);
}

/* The pages are mapped at once; after a discard a fault maps them again. */
static void at_once(void)
{
	struct rusage before, after;
	struct trace trace;

	need_trace();
	trace = start_trace(3 * page_size, RW);
	produce(&trace, 1);
	expect_stream(&trace, 0, 10);
	getrusage(RUSAGE_SELF, &before);
	expect_stream(&trace, 0, 3 * page_size);
	getrusage(RUSAGE_SELF, &after);
	EXPECT(after.ru_minflt == before.ru_minflt, "%ld faults",
	       after.ru_minflt - before.ru_minflt);
	CHECK(!madvise(trace.area, trace.size, MADV_DONTNEED), "madvise: %s",
	      strerror(errno));
	expect_stream(&trace, 0, 3 * page_size);
	unmap_area(&trace);
	expect_clean(0);
}

static void look_for_area(void *arg)
{
	const struct trace *trace = arg;
	unsigned char resident;

	CHECK(mincore(trace->area, page_size, &resident) && errno == ENOMEM,
	      "the area was copied to a child");
}

static void not_forked(void)
{
	struct trace trace;

	need_trace();
	trace = start_trace(1000, RW);
	run_child(look_for_area, &trace);
	produce(&trace, 1);
	expect_stream(&trace, 0, 1000);
	expect_clean(1);
}

static sigjmp_buf stored;

static void on_bus_error(int sig)
{
	siglongjmp(stored, sig);
}

/* PROT_WRITE means that the reader consumes; only hardware writes the pages. */
static void not_written(void)
{
	struct trace trace;
	unsigned int i;

	need_trace();
	trace = start_trace(1000, RW);
	signal(SIGBUS, on_bus_error);
	for (i = 0; i < 2; i++) {
		if (!sigsetjmp(stored, 1)) {
			__atomic_store_n(trace.area, 1, __ATOMIC_RELAXED);
			CHECK(false, "the area can be written");
		}
		produce(&trace, 1);
		expect_stream(&trace, 0, 1000 * (i + 1));
	}
}

/* Pages of the area are charged like data, and the charge is given back. */
static void locked_memory(void)
{
	struct rlimit none = { 0, 0 };
	struct perf_event_attr attr;
	struct trace trace;
	size_t pages;
	int i;

	need_trace();
	if (read_long("/proc/sys/kernel/perf_event_paranoid") > 2)
		test_skip("perf_event_paranoid");
	pages = read_long("/proc/sys/kernel/perf_event_mlock_kb") * 1024 /
		page_size;
	/* The largest power of two that fits once, but not twice. */
	for (i = 1; (size_t)i * 2 <= pages * sysconf(_SC_NPROCESSORS_ONLN) -
		    DATA_PAGES - 1; i *= 2)
		;
	pages = i;
	attr = trace_attr(0);
	attr.exclude_kernel = 1;
	CHECK(!setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit");
	become_nobody();
	trace = open_trace(&attr);
	for (i = 0; i < 20; i++) {
		map_area(&trace, pages, RW);
		unmap_area(&trace);
		expect_refused(try_area(&trace, trace.fd, 4 * pages, RW), EPERM,
			       "too much");
	}
}

/* The stream. */

static void every_byte(void)
{
	struct trace trace;
	__u64 head = 0;
	int i;

	need_trace();
	trace = start_trace(3001, RW);
	for (i = 0; i < 200; i++) {
		produce(&trace, 1);
		CHECK(area_head(&trace) == head + 3001, "head %llu",
		      (unsigned long long)area_head(&trace));
		expect_aux(&trace, head, 3001, 0);
		expect_stream(&trace, head, 3001);
		head += 3001;
		area_advance(&trace, head);
	}
	expect_no_aux(&trace);
	CHECK(read_timed(trace.fd).value == 201 * 3001, "count");
	expect_clean(1);
}

static void expect_off(int fd)
{
	__u64 enabled = read_timed(fd).enabled;

	burn_ms(5);
	EXPECT(read_timed(fd).enabled == enabled, "still enabled");
}

/* Bytes without room are dropped and reported, and the event is disabled. */
static void truncated(void)
{
	struct trace trace;
	int i;

	need_trace();
	trace = start_trace(10000, RW);
	for (i = 0; i < 3; i++) {
		__u64 first = trace.tail;
		__u64 room = trace.size - 1;

		produce(&trace, 3);
		expect_aux(&trace, first, 10000, 0);
		expect_aux(&trace, first + 10000, room - 10000,
			   PERF_AUX_FLAG_TRUNCATED);
		expect_no_aux(&trace);
		CHECK(area_head(&trace) == first + room, "head %llu",
		      (unsigned long long)area_head(&trace));
		expect_stream(&trace, first, room);
		expect_off(trace.fd);

		/* Without room an enabled event is disabled again at once. */
		event_enable(trace.fd);
		expect_off(trace.fd);
		area_advance(&trace, first + room);
		event_enable(trace.fd);
	}
	expect_clean(1);
}

/* The same with a driver whose add() fails when there is no room. */
static void refused_when_full(void)
{
	struct perf_event_attr attr;
	struct trace trace;

	need_trace();
	attr = trace_attr(20000);
	attr.config = STRICT;
	trace = start_trace_as(&attr, 4, RW);
	produce(&trace, 1);
	expect_aux(&trace, 0, trace.size - 1, PERF_AUX_FLAG_TRUNCATED);
	event_enable(trace.fd);
	expect_off(trace.fd);
	area_advance(&trace, trace.size - 1);
	burn_ms(20);
	expect_off(trace.fd);
	expect_no_aux(&trace);
	event_enable(trace.fd);
	produce(&trace, 1);
	expect_aux(&trace, trace.size - 1, trace.size - 1,
		   PERF_AUX_FLAG_TRUNCATED);
	expect_clean(1);
}

static void hostile_tail(void)
{
	struct trace trace;

	need_trace();
	trace = start_trace(1000, RW);
	produce(&trace, 1);
	area_advance(&trace, 5000);
	event_disable(trace.fd);
	event_enable(trace.fd);
	expect_off(trace.fd);
	trace.ring->page->aux_head = 9000;
	area_advance(&trace, 500);
	event_enable(trace.fd);
	produce(&trace, 1);
	CHECK(area_head(&trace) == 2000, "head %llu",
	      (unsigned long long)area_head(&trace));
	expect_stream(&trace, 0, 2000);
}

static void overwritten(void)
{
	struct trace trace;
	__u64 head;

	need_trace();
	trace = start_trace(3001, PROT_READ);
	produce(&trace, 20);
	head = area_head(&trace);
	CHECK(head == 20 * 3001, "head %llu", (unsigned long long)head);
	expect_stream(&trace, head - trace.size, trace.size);
	expect_aux(&trace, 3001, 3001, PERF_AUX_FLAG_OVERWRITE);
	event_disable(trace.fd);
	event_enable(trace.fd);
	ring_skip_all(trace.ring);
	event_disable(trace.fd);
	/* A stop without data makes no record. */
	expect_no_aux(&trace);
	expect_clean(1);
}

static bool is_readable(const struct trace *trace)
{
	struct pollfd pfd = { .fd = trace->fd, .events = POLLIN };

	return poll(&pfd, 1, 0) == 1 && pfd.revents & POLLIN;
}

static bool wakes_in_time(const struct trace *trace)
{
	struct pollfd pfd = { .fd = trace->fd, .events = POLLIN };

	return poll(&pfd, 1, 2000) == 1 && pfd.revents & POLLIN;
}

static void watermark(void)
{
	struct perf_event_attr attr;
	struct trace trace;
	int i;

	need_trace();
	attr = trace_attr(1000);
	attr.aux_watermark = 3000;
	trace = start_trace_as(&attr, 4, RW);
	for (i = 0; i < 10; i++) {
		produce(&trace, 2);
		EXPECT(!is_readable(&trace), "lap %d: woken too early", i);
		produce(&trace, 1);
		EXPECT(wakes_in_time(&trace), "lap %d: not woken", i);
		area_advance(&trace, area_head(&trace));
	}
}

/* Half of the area, if nothing else is asked for. */
static void default_watermark(void)
{
	struct trace trace;

	need_trace();
	trace = start_trace(2 * page_size - 1, RW);
	produce(&trace, 1);
	EXPECT(!is_readable(&trace), "woken too early");
	produce(&trace, 1);
	EXPECT(wakes_in_time(&trace), "not woken");
}

/* In real time, since a task switch would leave gaps too. */
static void gaps(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct perf_event_attr attr;
	struct trace trace;
	__u64 at = 0;
	int i;

	need_trace();
	sched_setscheduler(0, SCHED_FIFO, &first);
	attr = trace_attr(100);
	attr.config2 = 28;
	trace = start_trace_as(&attr, 1, RW);
	for (i = 0; i < 100; i++, at += 128) {
		produce(&trace, 1);
		expect_aux(&trace, at + 28, 100, 0);
		expect_stream(&trace, at + 28, 100);
		area_advance(&trace, at + 128);
	}
}

static void starts(void)
{
	struct perf_event_header *header;
	struct trace trace;
	const __u32 *ids;

	need_trace();
	trace = start_trace(10, RW);
	header = ring_find(trace.ring, PERF_RECORD_ITRACE_START);
	CHECK(header, "no PERF_RECORD_ITRACE_START");
	ids = record_body(header);
	CHECK(ids[0] == (__u32)getpid() && ids[1] == (__u32)getpid(),
	      "pid %u, tid %u", ids[0], ids[1]);
}

/* Running elsewhere. */

static void sleep_and_run(void *arg)
{
	int i;

	pin_to_cpu(*(int *)arg);
	for (i = 0; i < 200; i++) {
		burn(2000);
		usleep(500);
	}
}

/* The area is unmapped while its event is scheduled on another CPU. */
static void unmap_running(void)
{
	struct perf_event_attr attr;
	struct helper helper;
	struct trace trace;
	int cpu, i;

	need_trace();
	cpu = second_cpu();
	helper = helper_start(sleep_and_run, &cpu);
	attr = trace_attr(100);
	attr.disabled = 0;
	trace.fd = open_on(&attr, helper.pid, -1, -1);
	trace.ring = ring_map(trace.fd, DATA_PAGES);
	trace.tail = 0;
	helper_go(&helper);
	for (i = 0; i < 200; i++) {
		map_area(&trace, 1 << (i % 4), RW);
		event_disable(trace.fd);
		event_enable(trace.fd);
		produce(&trace, i % 8);
		if (i % 3 == 0)
			usleep(300);
		area_advance(&trace, area_head(&trace));
		unmap_area(&trace);
		expect_clean(0);
	}
	helper_join(&helper);
}

static void burn_on(void *arg)
{
	pin_to_cpu(*(int *)arg);
	while (1)
		burn(1000);
}

/* A child's event writes into the buffer of its eldest. */
static void child_traces(void)
{
	struct perf_event_attr attr;
	struct helper helper;
	struct trace trace;
	int cpu = first_cpu(), i;

	need_trace();
	pin_to_cpu(second_cpu());
	attr = trace_attr(1000);
	attr.inherit = 1;
	attr.disabled = 0;
	trace.fd = open_on(&attr, 0, cpu, -1);
	trace.ring = ring_map(trace.fd, DATA_PAGES);
	map_area(&trace, 16, RW);
	helper = helper_start(burn_on, &cpu);
	helper_go(&helper);
	for (i = 0; i < 1000 && area_head(&trace) < 10000; i++) {
		usleep(2000);
		produce(&trace, 1);
	}
	EXPECT(area_head(&trace) >= 10000, "head %llu",
	       (unsigned long long)area_head(&trace));
	expect_stream(&trace, 0, area_head(&trace));
	/* Here the copy has to be stopped. */
	unmap_area(&trace);
	expect_clean(0);
	kill(helper.pid, SIGKILL);
	waitpid(helper.pid, NULL, 0);
	expect_clean(0);
}

/* Siblings of the trace. */

static void expect_open(struct perf_event_attr *attr, int leader, int error,
			const char *what)
{
	int fd = perf_open(attr, 0, -1, leader, 0);

	if (!error)
		EXPECT(fd >= 0, "%s: %s", what, strerror(errno));
	else
		EXPECT(fd < 0 && errno == error, "%s: %s, not %s", what,
		       fd < 0 ? strerror(errno) : "opened", strerror(error));
	if (fd >= 0)
		close(fd);
}

static void who_may_act(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int plain, leader;

	need_trace();
	plain = open_self(&attr);
	attr = trace_attr(0);
	leader = open_self(&attr);

	attr = fault_attr();
	attr.aux_sample_size = 64;
	expect_open(&attr, -1, EINVAL, "sample without leader");
	expect_open(&attr, plain, EINVAL, "sample, leader does not trace");
	expect_open(&attr, leader, 0, "sample");
	attr.sample_type = PERF_SAMPLE_AUX;
	expect_open(&attr, leader, 0, "sample that is shown");

	attr = fault_attr();
	attr.aux_pause = 1;
	expect_open(&attr, -1, EINVAL, "pause without leader");
	expect_open(&attr, plain, EINVAL, "pause, leader does not trace");
	expect_open(&attr, leader, 0, "pause");
	attr.aux_resume = 1;
	expect_open(&attr, leader, EINVAL, "pause and resume");
	attr.aux_pause = 0;
	expect_open(&attr, leader, 0, "resume");

	attr = fault_attr();
	attr.sample_type = PERF_SAMPLE_AUX;
	expect_open(&attr, -1, 0, "samples without a size");
	attr.sample_type = 0;
	attr.aux_start_paused = 1;
	expect_open(&attr, -1, EOPNOTSUPP, "start paused, no trace");
	attr.aux_action = 0;
	attr.aux_output = 1;
	expect_open(&attr, leader, EOPNOTSUPP, "output, no such PMU");

	attr = feed_attr();
	expect_open(&attr, -1, EINVAL, "output without leader");
	expect_open(&attr, plain, EINVAL, "output, leader does not trace");
	expect_open(&attr, leader, 0, "output");
	attr.aux_sample_size = 64;
	expect_open(&attr, leader, EINVAL, "output and sample");
	attr.aux_sample_size = 0;
	attr.aux_pause = 1;
	expect_open(&attr, leader, EOPNOTSUPP, "output and pause");
}

static int open_pauser(const struct trace *trace, int what)
{
	struct perf_event_attr attr = fault_attr();

	attr.aux_pause = what == PAUSE;
	attr.aux_resume = what == RESUME;
	return open_sibling(&attr, trace->fd);
}

static void overflow(int fd)
{
	event_enable(fd);
	touch_pages(1);
	event_disable(fd);
}

static void pause_and_resume(void)
{
	long pauses, resumes;
	struct trace trace;
	int pauser, resumer, i;

	need_trace();
	trace = start_trace(100, RW);
	pauser = open_pauser(&trace, PAUSE);
	resumer = open_pauser(&trace, RESUME);
	pauses = parameter("pauses");
	resumes = parameter("resumes");
	for (i = 0; i < 5; i++) {
		produce(&trace, 1);
		overflow(pauser);
		produce(&trace, 7);
		overflow(resumer);
		CHECK(area_head(&trace) == 100ULL * (i + 1), "head %llu",
		      (unsigned long long)area_head(&trace));
	}
	EXPECT(parameter("pauses") == pauses + 5, "%ld pauses",
	       parameter("pauses") - pauses);
	EXPECT(parameter("resumes") == resumes + 5, "%ld resumes",
	       parameter("resumes") - resumes);
	expect_clean(1);
}

static void start_paused(void)
{
	struct perf_event_attr attr;
	struct trace trace;
	int resumer;

	need_trace();
	attr = trace_attr(100);
	attr.aux_start_paused = 1;
	trace = start_trace_as(&attr, 1, RW);
	produce(&trace, 5);
	CHECK(!area_head(&trace), "head %llu",
	      (unsigned long long)area_head(&trace));
	resumer = open_pauser(&trace, RESUME);
	overflow(resumer);
	produce(&trace, 5);
	CHECK(area_head(&trace) == 500, "head %llu",
	      (unsigned long long)area_head(&trace));
	/* It stays so when the event is disabled and enabled. */
	event_disable(trace.fd);
	event_enable(trace.fd);
	produce(&trace, 1);
	CHECK(area_head(&trace) == 600, "head %llu",
	      (unsigned long long)area_head(&trace));
	expect_clean(1);
}

static int open_sampler(const struct trace *trace, __u32 size)
{
	struct perf_event_attr attr = fault_attr();

	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_AUX;
	attr.aux_sample_size = size;
	return open_sibling(&attr, trace->fd);
}

/* Return: the size that the sample says its trace has; the record is whole. */
static __u64 take_sample(struct perf_ring *ring, const unsigned char **bytes)
{
	struct perf_event_header *header = ring_find(ring, PERF_RECORD_SAMPLE);
	const __u64 *words;

	CHECK(header, "no sample");
	words = record_body(header);
	CHECK((__u32)words[0] == (__u32)getpid(), "pid %u", (__u32)words[0]);
	CHECK(header->size == sizeof(*header) + 16 + words[1],
	      "size %u with %llu bytes of trace", header->size,
	      (unsigned long long)words[1]);
	*bytes = (const unsigned char *)(words + 2);
	return words[1];
}

static void expect_sample(const struct trace *trace, __u32 asked, __u64 size)
{
	const unsigned char *bytes;
	int fd = open_sampler(trace, asked);
	struct perf_ring *ring = ring_map(fd, 32);
	__u64 head = area_head(trace), got;

	overflow(fd);
	got = take_sample(ring, &bytes);
	EXPECT(got == size, "%llu bytes for %u, not %llu",
	       (unsigned long long)got, asked, (unsigned long long)size);
	expect_bytes(bytes, head - got, got);
	ring_unmap(ring);
	close(fd);
}

static void samples(void)
{
	struct trace trace;

	need_trace();
	trace = start_trace(3001, PROT_READ);
	produce(&trace, 20);
	expect_sample(&trace, 8, 8);
	expect_sample(&trace, 256, 256);
	expect_sample(&trace, 263, 256);
	expect_sample(&trace, 7, 0);
	expect_sample(&trace, 10000, 10000);
	expect_sample(&trace, trace.size, trace.size);
	expect_sample(&trace, 2 * trace.size, trace.size);
	expect_clean(1);
}

/* A record has 16 bits for its length. */
static void long_samples(void)
{
	struct perf_event_attr attr;
	struct trace trace;

	need_trace();
	attr = trace_attr(50000);
	trace = start_trace_as(&attr, 64, PROT_READ);
	produce(&trace, 20);
	expect_sample(&trace, 65536, 65528 - 24);
	expect_sample(&trace, 1 << 30, 65528 - 24);
}

static void samples_of_nothing(void)
{
	const unsigned char *bytes;
	struct perf_event_attr attr;
	struct perf_ring *ring;
	struct trace trace;
	int fd;

	need_trace();
	attr = trace_attr(1000);
	trace = open_trace(&attr);
	event_enable(trace.fd);
	fd = open_sampler(&trace, 256);
	ring = ring_map(fd, 4);
	overflow(fd);
	EXPECT(take_sample(ring, &bytes) == 0, "a trace without an area");

	/* The leader is closed, the sampling event stays. */
	map_area(&trace, 4, PROT_READ);
	event_disable(trace.fd);
	event_enable(trace.fd);
	produce(&trace, 1);
	overflow(fd);
	EXPECT(take_sample(ring, &bytes) == 256, "no trace");
	expect_bytes(bytes, 1000 - 256, 256);
	unmap_area(&trace);
	ring_unmap(trace.ring);
	close(trace.fd);
	overflow(fd);
	EXPECT(take_sample(ring, &bytes) == 0, "a trace without a leader");
	expect_clean(0);
}

static void feeder(void)
{
	struct perf_event_attr attr;
	struct trace trace;
	__u64 value;
	int fd;

	need_trace();
	trace = start_trace(10, RW);
	attr = feed_attr();
	fd = open_sibling(&attr, trace.fd);
	event_set_output(fd, trace.fd);
	event_disable(fd);
	event_enable(fd);
	CHECK(ring_find(trace.ring, PERF_RECORD_AUX_OUTPUT_HW_ID),
	      "no PERF_RECORD_AUX_OUTPUT_HW_ID");
	value = *(const __u64 *)record_body(&trace.ring->record.header);
	CHECK(value == FEED_ID, "id %llu", (unsigned long long)value);
	CHECK(read(fd, &value, sizeof(value)) == sizeof(value), "read");

	/* Without a trace to write into it is in error for ever. */
	unmap_area(&trace);
	ring_unmap(trace.ring);
	close(trace.fd);
	CHECK(read(fd, &value, sizeof(value)) == 0, "goes on alone");
	event_enable(fd);
	CHECK(read(fd, &value, sizeof(value)) == 0, "goes on alone, enabled");
	expect_clean(0);
}

/* The PMU is unregistered. */

static void pulled(void)
{
	struct trace trace, second;
	__u64 value;

	need_trace();
	trace = start_trace(3000, RW);
	second = trace;
	map_area(&second, 4, RW);
	produce(&trace, 3);
	test_module_register(MODULE, false);
	expect_clean(0);
	expect_aux(&trace, 0, 3000, 0);
	CHECK(read(trace.fd, &value, sizeof(value)) < 0 && errno == ENODEV,
	      "read: %s", strerror(errno));
	expect_refused(try_area(&trace, trace.fd, 4, RW), ENODEV, "mmap");
	/* The driver cleared its pages when it freed the area. */
	CHECK(!trace.area[17] && !second.area[17], "the pages have gone");
	unmap_area(&trace);
	CHECK(!second.area[17], "the pages have gone");
	unmap_area(&second);
	ring_unmap(trace.ring);
	close(trace.fd);
	test_module_register(MODULE, true);
	trace = start_trace(10, RW);
	produce(&trace, 1);
	expect_stream(&trace, 0, 10);
	expect_clean(1);
}

/* The array of page pointers alone would be more than one allocation. */
static void too_large(void)
{
	struct perf_event_attr attr;
	struct trace trace;
	long pinned;

	need_trace();
	attr = trace_attr(0);
	trace = open_trace(&attr);
	pinned = pinned_kb();
	expect_refused(try_area(&trace, trace.fd, 1UL << 20, RW), ENOMEM,
		       "4 GiB");
	EXPECT(pinned_kb() == pinned, "charged for %ld KiB, before for %ld",
	       pinned_kb(), pinned);
}

static const struct test_case cases[] = {
	{ "where an area may be", where },
	{ "whose it may be", who },
	{ "whose the user page is", who_has_the_page },
	{ "two mappings", two_mappings },
	{ "unmapped in any order", any_order },
	{ "mapped again", map_again },
	{ "mapped as a whole", whole_only },
	{ "mapped at once", at_once },
	{ "not mapped by a child", not_forked },
	{ "not written by its reader", not_written },
	{ "locked memory comes back", locked_memory },
	{ "too large", too_large },
	{ "every byte arrives", every_byte },
	{ "what has no room", truncated },
	{ "what has no room, refused by the driver", refused_when_full },
	{ "a tail that cannot be", hostile_tail },
	{ "overwritten", overwritten },
	{ "watermark", watermark },
	{ "watermark by default", default_watermark },
	{ "gaps", gaps },
	{ "the start is reported", starts },
	{ "unmapped while it runs elsewhere", unmap_running },
	{ "a child's trace", child_traces },
	{ "who may act on a trace", who_may_act },
	{ "pause and resume", pause_and_resume },
	{ "paused from the start", start_paused },
	{ "samples of a trace", samples },
	{ "samples as long as can be", long_samples },
	{ "samples of nothing", samples_of_nothing },
	{ "another's output", feeder },
	{ "the PMU goes away", pulled },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
