// SPDX-License-Identifier: GPL-2.0
/*
 * mmap(2) of a perf file: what may be mapped, what is refused, what munmap,
 * mremap, mprotect and fork do to the mapping, and who is charged.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "perf_books.h"
#include "perf_lib.h"

#define RW	(PROT_READ | PROT_WRITE)

static size_t page_size;

static struct perf_event_attr plain_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.exclude_kernel = 1;
	return attr;
}

static int open_plain(void)
{
	struct perf_event_attr attr = plain_attr();

	return open_self(&attr);
}

static void *map_pages(int fd, size_t pages, int prot, int flags, off_t offset)
{
	return mmap(NULL, pages * page_size, prot, flags, fd, offset);
}

static void *map_ok(int fd, size_t pages)
{
	void *at = map_pages(fd, pages, RW, MAP_SHARED, 0);

	CHECK(at != MAP_FAILED, "map %zu pages: %s", pages, strerror(errno));
	return at;
}

static void expect_map(void *at, int error, const char *what)
{
	if (!error) {
		EXPECT(at != MAP_FAILED, "%s: %s", what, strerror(errno));
		return;
	}
	EXPECT(at == MAP_FAILED, "%s: mapped, expected %s", what,
	       strerror(error));
	EXPECT(at != MAP_FAILED || errno == error, "%s: %s, expected %s", what,
	       strerror(errno), strerror(error));
}

static void sizes(void)
{
	size_t pages;
	char what[32];
	void *at;
	int fd;

	for (pages = 1; pages <= 40; pages++) {
		size_t data = pages - 1;
		bool good = !(data & (data - 1));

		fd = open_plain();
		at = map_pages(fd, pages, RW, MAP_SHARED, 0);
		snprintf(what, sizeof(what), "%zu pages", pages);
		expect_map(at, good ? 0 : EINVAL, what);
		close(fd);
	}
}

static void second_mapping(void)
{
	int fd = open_plain();
	struct perf_event_mmap_page *one = map_ok(fd, 5), *two;

	expect_map(map_pages(fd, 3, RW, MAP_SHARED, 0), EINVAL, "smaller");
	expect_map(map_pages(fd, 9, RW, MAP_SHARED, 0), EINVAL, "larger");
	expect_map(map_pages(fd, 1, RW, MAP_SHARED, 0), EINVAL, "one page");
	two = map_ok(fd, 5);
	one->data_tail = 4711;
	CHECK(two->data_tail == 4711, "two mappings are two buffers");
	CHECK(!munmap(one, 5 * page_size), "munmap");
	CHECK(two->data_tail == 4711, "buffer lost with its first mapping");
	CHECK(!munmap(two, 5 * page_size), "munmap");
	map_ok(fd, 9);
}

/*
 * A buffer is mapped through its own event only, whose user page it has. A
 * redirected event is refused, goes on, and gets its own buffer afterwards.
 */
static void redirected_event(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int target = open_plain(), fd;
	struct perf_ring *ring;

	attr.sample_period = 1;
	fd = open_self(&attr);
	ring = ring_map(target, 8);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), "SET_OUTPUT: %s",
	      strerror(errno));
	expect_map(map_pages(fd, 5, RW, MAP_SHARED, 0), EINVAL, "smaller");
	if (map_pages(fd, 9, RW, MAP_SHARED, 0) != MAP_FAILED)
		test_xfail("shares the buffer");
	CHECK(errno == EINVAL, "same size: %s", strerror(errno));
	event_enable(fd);
	touch_pages(5);
	event_disable(fd);
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) >= 5,
	      "no records in the other's buffer");
	map_ok(target, 9);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1L), "leave: %s",
	      strerror(errno));
	map_ok(fd, 5);
}

static void kinds_of_mapping(void)
{
	int fd = open_plain();

	expect_map(map_pages(fd, 3, RW, MAP_PRIVATE, 0), EINVAL, "private");
	expect_map(map_pages(fd, 3, PROT_READ, MAP_PRIVATE, 0), EINVAL,
		   "private, read only");
	expect_map(map_pages(fd, 3, PROT_READ, MAP_SHARED, 0), 0,
		   "shared, read only");
}

static void inheriting(void)
{
	struct perf_event_attr attr = plain_attr();
	int fd;

	attr.inherit = 1;
	fd = open_self(&attr);
	expect_map(map_pages(fd, 3, RW, MAP_SHARED, 0), EINVAL,
		   "inherited, any CPU");
	expect_map(map_pages(fd, 1, PROT_READ, MAP_SHARED, 0), EINVAL,
		   "inherited, any CPU, user page");
	fd = open_on(&attr, 0, first_cpu(), -1);
	expect_map(map_pages(fd, 3, RW, MAP_SHARED, 0), 0,
		   "inherited, one CPU");
}

static void offsets(void)
{
	int fd = open_plain();

	expect_map(map_pages(fd, 4, RW, MAP_SHARED, page_size), EINVAL,
		   "offset without buffer");
	map_ok(fd, 5);
	expect_map(map_pages(fd, 4, RW, MAP_SHARED, page_size), EINVAL,
		   "offset into the buffer");
	expect_map(map_pages(fd, 4, RW, MAP_SHARED, 5 * page_size), EINVAL,
		   "offset behind the buffer, no aux_offset");
}

static void aux_mapping(__u64 offset, __u64 size, int error, const char *what)
{
	int fd = open_plain();
	struct perf_event_mmap_page *page = map_ok(fd, 5);

	page->aux_offset = offset * page_size;
	page->aux_size = size * page_size;
	expect_map(map_pages(fd, size, RW, MAP_SHARED, offset * page_size),
		   error, what);
	expect_map(map_pages(fd, 5, RW, MAP_SHARED, 0), 0,
		   "buffer after a refused AUX area");
	close(fd);
}

static void aux_areas(void)
{
	int fd = open_plain();
	struct perf_event_mmap_page *page = map_ok(fd, 5);

	aux_mapping(5, 4, EOPNOTSUPP, "AUX on a PMU without");
	aux_mapping(5, 3, EINVAL, "AUX size not a power of two");
	aux_mapping(4, 4, EINVAL, "AUX overlaps the data");
	/* More pages than an int can count. */
	if (sizeof(long) == sizeof(__u64))
		aux_mapping(5, 1ULL << 31, ENOMEM, "AUX of 8 TiB");
	page->aux_offset = 8 * page_size;
	page->aux_size = 8 * page_size;
	expect_map(map_pages(fd, 4, RW, MAP_SHARED, 8 * page_size), EINVAL,
		   "AUX size not aux_size");
	expect_map(map_pages(fd, 8, RW, MAP_SHARED, 16 * page_size), EINVAL,
		   "AUX offset not aux_offset");
}

/* The array of page pointers alone would be more than one allocation. */
static void too_large(void)
{
	long pinned = pinned_kb();
	int fd = open_plain();

	if (geteuid())
		test_skip("needs root");
	expect_map(map_pages(fd, 1 + (1UL << 24), RW, MAP_SHARED, 0), ENOMEM,
		   "64 GiB");
	EXPECT(pinned_kb() == pinned, "charged for %ld KiB, before for %ld",
	       pinned_kb(), pinned);
	expect_map(map_pages(fd, 3, RW, MAP_SHARED, 0), 0,
		   "2 pages after that");
}

static void look_at(const char *at, size_t pages)
{
	while (pages--)
		(void)__atomic_load_n(at + pages * page_size, __ATOMIC_RELAXED);
}

static sigjmp_buf landing;

static void land(int sig)
{
	siglongjmp(landing, sig);
}

/* Return: the signal of a store, or 0. A child has no buffer to store to. */
static int store_to(char *at)
{
	int sig;

	signal(SIGBUS, land);
	signal(SIGSEGV, land);
	sig = sigsetjmp(landing, 1);
	if (!sig)
		__atomic_store_n(at, 0, __ATOMIC_RELAXED);
	return sig;
}

static void expect_data_read_only(char *at, size_t pages)
{
	size_t page;

	for (page = 1; page < pages; page++)
		EXPECT(store_to(at + page * page_size),
		       "wrote into data page %zu of %zu", page, pages - 1);
}

/* Records come from the kernel only. */
static void data_read_only(void)
{
	char *at = map_ok(open_plain(), 3);

	expect_data_read_only(at, 3);
	look_at(at, 3);
	expect_data_read_only(at, 3);
	EXPECT(!store_to(at), "the user page cannot be written");
}

static void partial_munmap(void)
{
	char *at = map_ok(open_plain(), 5);

	CHECK(munmap(at, page_size) && errno == EINVAL, "head");
	CHECK(munmap(at + page_size, page_size) && errno == EINVAL, "middle");
	CHECK(munmap(at + 4 * page_size, page_size) && errno == EINVAL, "tail");
	look_at(at, 5);
	CHECK(!munmap(at, 5 * page_size), "all: %s", strerror(errno));
}

static void partial_mprotect(void)
{
	char *at = map_ok(open_plain(), 5);

	CHECK(mprotect(at + page_size, page_size, PROT_READ) &&
	      errno == EINVAL, "protect one page");
	CHECK(!munmap(at, 5 * page_size), "all: %s", strerror(errno));
}

static void resize(void)
{
	char *at = map_ok(open_plain(), 5), *moved;

	moved = mremap(at, 5 * page_size, 3 * page_size, 0);
	CHECK(moved == MAP_FAILED && errno == EINVAL, "shrink");
	moved = mremap(at, 5 * page_size, 9 * page_size, MREMAP_MAYMOVE);
	CHECK(moved == MAP_FAILED, "grow");
	look_at(at, 5);
	CHECK(!munmap(at, 5 * page_size), "all: %s", strerror(errno));
}

static struct perf_event_attr fault_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR;
	attr.read_format = PERF_FORMAT_LOST;
	return attr;
}

static void record_faults(int fd)
{
	event_enable(fd);
	touch_pages(5);
	event_disable(fd);
}

static void read_lost(int fd, struct read_values *got)
{
	char buf[64];
	ssize_t len = read(fd, buf, sizeof(buf));

	CHECK(len > 0, "read: %s", strerror(errno));
	parse_read(buf, len, PERF_FORMAT_LOST, got);
}

/* Every occurrence that @fd counted has a record in @ring. */
static void expect_all_records(int fd, struct perf_ring *ring)
{
	struct read_values got;
	unsigned int samples;

	read_lost(fd, &got);
	samples = ring_count(ring, PERF_RECORD_SAMPLE);
	CHECK(samples && samples == got.event[0].value,
	      "%u samples of %llu faults", samples,
	      (unsigned long long)got.event[0].value);
}

static void *reserve_pages(size_t pages)
{
	void *at = mmap(NULL, pages * page_size, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	return at;
}

/* The buffer is where it was moved to, and nowhere else. */
static void moved(void)
{
	struct perf_event_attr attr = fault_attr();
	int fd = open_self(&attr);
	struct perf_ring *ring = ring_map(fd, 4);
	void *to = reserve_pages(5), *from = ring->page;
	unsigned char present[5];

	record_faults(fd);
	CHECK(mremap(from, ring->map_size, ring->map_size,
		     MREMAP_MAYMOVE | MREMAP_FIXED, to) == to, "mremap: %s",
	      strerror(errno));
	EXPECT(mincore(from, ring->map_size, present) && errno == ENOMEM,
	       "still where it was");
	ring->page = to;
	ring->data = (char *)to + page_size;
	record_faults(fd);
	expect_all_records(fd, ring);
	expect_data_read_only(to, 5);
	EXPECT(!munmap(to, ring->map_size), "munmap: %s", strerror(errno));
	expect_map(map_pages(fd, 9, RW, MAP_SHARED, 0), 0,
		   "another buffer after that");
}

/* A buffer is moved as a whole or not at all, and never doubled. */
static void moved_in_part(void)
{
	char *at = map_ok(open_plain(), 5), *to = reserve_pages(5);
	size_t i;

	for (i = 0; i < 5; i++)
		EXPECT(mremap(at + i * page_size, page_size, page_size,
			      MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED,
		       "page %zu moved", i);
	EXPECT(mremap(at, 0, 5 * page_size, MREMAP_MAYMOVE) == MAP_FAILED,
	       "doubled");
	EXPECT(mremap(at, 5 * page_size, 5 * page_size,
		      MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL) == MAP_FAILED,
	       "moved, and left where it was");
	look_at(at, 5);
	CHECK(!munmap(at, 5 * page_size), "all: %s", strerror(errno));
}

static void protect(struct perf_ring *ring, int prot)
{
	CHECK(!mprotect(ring->page, ring->map_size, prot), "mprotect to %#x: %s",
	      prot, strerror(errno));
}

/* The kernel goes on writing, whatever protection the reader sets. */
static void protected_and_back(void)
{
	struct perf_event_attr attr = fault_attr();
	int fd = open_self(&attr);
	struct perf_ring *ring = ring_map(fd, 4);

	record_faults(fd);
	protect(ring, PROT_READ);
	EXPECT(store_to((char *)ring->page) == SIGSEGV, "wrote: read only");
	record_faults(fd);
	look_at((char *)ring->page, 5);
	protect(ring, PROT_NONE);
	EXPECT(store_to((char *)ring->page) == SIGSEGV, "wrote: no access");
	record_faults(fd);
	protect(ring, RW);
	EXPECT(!store_to((char *)ring->page), "the user page stays read only");
	record_faults(fd);
	expect_all_records(fd, ring);
	expect_data_read_only((char *)ring->page, 5);
}

/*
 * A buffer that was mapped for reading overwrites old records for ever: a tail
 * that is stored later is ignored.
 */
static void made_writable(bool faulted)
{
	struct perf_event_attr attr = fault_attr();
	struct perf_event_mmap_page *page;
	struct read_values got;
	int fd = open_self(&attr);

	page = map_pages(fd, 2, PROT_READ, MAP_SHARED, 0);
	CHECK(page != MAP_FAILED, "mmap: %s", strerror(errno));
	if (faulted)
		look_at((char *)page, 2);
	EXPECT(store_to((char *)page) == SIGSEGV, "wrote: read only");
	CHECK(!mprotect(page, 2 * page_size, RW), "mprotect: %s",
	      strerror(errno));
	expect_data_read_only((char *)page, 2);
	record_faults(fd);
	EXPECT(!store_to((char *)&page->data_tail), "data_tail");
	page->data_tail = page->data_head + 8;
	event_enable(fd);
	overfill_page();
	event_disable(fd);
	read_lost(fd, &got);
	EXPECT(!got.event[0].lost, "%llu lost",
	       (unsigned long long)got.event[0].lost);
	EXPECT(page->data_head > page_size, "head %llu",
	       (unsigned long long)page->data_head);
}

static void writable_later(void)
{
	made_writable(false);
	made_writable(true);
}

static long faults_now(void)
{
	struct rusage usage;

	CHECK(!getrusage(RUSAGE_SELF, &usage), "getrusage");
	return usage.ru_minflt + usage.ru_majflt;
}

/* Return: page faults of reads from every page. */
static long faults_of_look(const char *at, size_t pages)
{
	long before = faults_now();

	look_at(at, pages);
	return faults_now() - before;
}

/* The pages are mapped at once; after a discard a fault maps them again. */
static void pages_at_once(void)
{
	const size_t pages = 129;
	struct perf_event_attr attr = fault_attr();
	int fd = open_self(&attr);
	char *at;
	long faults;

	/* Faults of this program itself, for a read and a store, come first. */
	at = map_ok(open_plain(), 2);
	faults_of_look(at, 2);
	store_to(at);
	at = map_ok(fd, pages);
	faults = faults_of_look(at, pages);
	if (faults)
		test_xfail("%ld faults for %zu pages", faults, pages);
	faults = faults_now();
	EXPECT(!store_to(at), "the user page cannot be written");
	EXPECT(faults_now() - faults <= 1, "%ld faults of one store",
	       faults_now() - faults);
	expect_data_read_only(at, pages);

	CHECK(!madvise(at, pages * page_size, MADV_DONTNEED), "madvise: %s",
	      strerror(errno));
	record_faults(fd);
	EXPECT(faults_of_look(at, pages) >= (long)pages, "nothing discarded");
	EXPECT(((struct perf_event_mmap_page *)at)->data_head,
	       "no records behind it");
	expect_data_read_only(at, pages);
	EXPECT(!store_to(at), "the user page cannot be written any more");
	CHECK(!munmap(at, pages * page_size), "munmap: %s", strerror(errno));
}

static void fork_child(void *arg)
{
	unsigned char present;

	CHECK(mincore(arg, page_size, &present) && errno == ENOMEM,
	      "the child has the buffer");
}

static void not_forked(void)
{
	run_child(fork_child, map_ok(open_plain(), 3));
}

static void closed_file(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_ring *ring;
	unsigned int samples;
	int fd;

	attr.disabled = 0;
	attr.sample_period = 1;
	fd = open_self(&attr);
	ring = ring_map(fd, 8);
	touch_pages(5);
	close(fd);
	touch_pages(5);
	samples = ring_count(ring, PERF_RECORD_SAMPLE);
	CHECK(samples >= 10, "event died with its fd: %u samples", samples);
	ring_unmap(ring);
}

static void user_page(void)
{
	struct perf_event_mmap_page *page = map_ok(open_plain(), 9);

	EXPECT(page->version == 0 && page->compat_version == 0,
	       "version %u %u", page->version, page->compat_version);
	EXPECT(page->size >= 96 && page->size <= page_size, "size %u",
	       page->size);
	EXPECT(page->data_offset == page_size, "data_offset %llu",
	       (unsigned long long)page->data_offset);
	EXPECT(page->data_size == 8 * page_size, "data_size %llu",
	       (unsigned long long)page->data_size);
	EXPECT(page->data_head == 0 && page->data_tail == 0, "head or tail");
	EXPECT(page->aux_offset == 0 && page->aux_size == 0, "AUX");
	EXPECT(page->cap_bit0_is_deprecated && !page->cap_bit0,
	       "capabilities %#llx", (unsigned long long)page->capabilities);
	EXPECT(page->index == 0, "index %u of a software event", page->index);
}

/* Data pages that the limit allows to one user, plus one page. */
static size_t limit_pages(void)
{
	long kib = read_long("/proc/sys/kernel/perf_event_mlock_kb");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	CHECK(kib > 0, "no perf_event_mlock_kb");
	return kib * 1024 / page_size * cpus;
}

static void leave_root(void)
{
	struct rlimit none = { 0, 0 };
	long paranoid = read_long("/proc/sys/kernel/perf_event_paranoid");

	if (paranoid < 0 || paranoid > 2)
		test_skip("perf_event_paranoid is %ld", paranoid);
	become_nobody();
	CHECK(!setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit");
}

static void limit_of_one(void)
{
	size_t data = 1, limit = limit_pages();

	leave_root();
	while (data + 1 <= limit)
		data *= 2;
	expect_map(map_pages(open_plain(), 1 + data, RW, MAP_SHARED, 0), EPERM,
		   "above the limit");
	expect_map(map_pages(open_plain(), 1 + data / 2, RW, MAP_SHARED, 0), 0,
		   "below the limit");
}

/* Buffers add up, and what is unmapped is free to be mapped again. */
static void limit_of_many(void)
{
	size_t limit = limit_pages(), step = 65, count = 0;
	void *at, *last = NULL;
	int round;

	while (step > limit / 2 && step > 2)
		step = step / 2 + 1;
	leave_root();
	while (count <= limit / step) {
		at = map_pages(open_plain(), step, RW, MAP_SHARED, 0);
		if (at == MAP_FAILED)
			break;
		last = at;
		count++;
	}
	CHECK(at == MAP_FAILED && errno == EPERM, "no limit after %zu", count);
	CHECK(count == limit / step, "%zu buffers of %zu pages, limit %zu",
	      count, step, limit);
	for (round = 0; round < 20; round++) {
		CHECK(!munmap(last, step * page_size), "munmap");
		last = map_ok(open_plain(), step);
	}
	expect_map(map_pages(open_plain(), step, RW, MAP_SHARED, 0), EPERM,
		   "above the limit again");
}

static void limit_and_memlock(void)
{
	size_t limit = limit_pages(), data = 1;
	struct rlimit room;

	while (data + 1 <= limit)
		data *= 2;
	room.rlim_cur = (data + 1) * page_size;
	room.rlim_max = room.rlim_cur;
	leave_root();
	CHECK(setrlimit(RLIMIT_MEMLOCK, &room), "limit could be raised");
	expect_map(map_pages(open_plain(), 1 + data, RW, MAP_SHARED, 0), EPERM,
		   "RLIMIT_MEMLOCK 0");
}

static void memlock_helps(void)
{
	size_t limit = limit_pages(), data = 1;
	struct rlimit room;
	long paranoid = read_long("/proc/sys/kernel/perf_event_paranoid");

	if (paranoid > 2)
		test_skip("perf_event_paranoid is %ld", paranoid);
	while (data + 1 <= limit)
		data *= 2;
	room.rlim_cur = (data + 1) * page_size;
	room.rlim_max = room.rlim_cur;
	if (setrlimit(RLIMIT_MEMLOCK, &room))
		test_skip("cannot set RLIMIT_MEMLOCK");
	become_nobody();
	expect_map(map_pages(open_plain(), 1 + data, RW, MAP_SHARED, 0), 0,
		   "RLIMIT_MEMLOCK pays the rest");
}

static const struct test_case cases[] = {
	{ "sizes: one page and a power of two", sizes },
	{ "second mapping of one buffer", second_mapping },
	{ "mapping of a redirected event", redirected_event },
	{ "shared and private", kinds_of_mapping },
	{ "inherited event", inheriting },
	{ "offsets", offsets },
	{ "AUX area of a PMU without AUX", aux_areas },
	{ "too large", too_large },
	{ "data pages are read only", data_read_only },
	{ "part of it unmapped", partial_munmap },
	{ "part of it protected", partial_mprotect },
	{ "resized by mremap", resize },
	{ "moved by mremap", moved },
	{ "moved in part, doubled", moved_in_part },
	{ "protected as a whole, and back", protected_and_back },
	{ "mapped for reading, then writable", writable_later },
	{ "all pages are mapped at once", pages_at_once },
	{ "not copied by fork", not_forked },
	{ "outlives the file descriptor", closed_file },
	{ "user page", user_page },
	{ "limit: one large buffer", limit_of_one },
	{ "limit: many buffers", limit_of_many },
	{ "limit: RLIMIT_MEMLOCK of 0", limit_and_memlock },
	{ "limit: RLIMIT_MEMLOCK with room", memlock_helps },
};

int main(void)
{
	page_size = sysconf(_SC_PAGESIZE);
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
