// SPDX-License-Identifier: GPL-2.0
/*
 * The user page offers a counter while all tasks that have it mapped can read
 * it: mappings come and go, are moved, and are copied by forks.
 *
 * Cases are skipped if programs cannot read counters.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/mman.h>

#include "perf_lib.h"

struct shared {
	int fd;
	/* Set by the child when it has mapped the page. */
	bool *mapped;
};

static size_t page_size;

static const struct perf_event_mmap_page *map_page(int fd)
{
	return ring_map(fd, 0)->page;
}

static void unmap_page(const struct perf_event_mmap_page *page)
{
	CHECK(!munmap((void *)page, page_size), "munmap");
}

static bool offers(const struct perf_event_mmap_page *page)
{
	burn(1000);
	return page->cap_user_rdpmc && page->index;
}

static bool offers_nothing(const struct perf_event_mmap_page *page)
{
	burn(1000);
	return !page->cap_user_rdpmc && !page->index && !page->cap_user_time;
}

/* Return: an enabled event. Skips the case if its counter is not offered. */
static int open_readable(void)
{
	struct perf_event_attr attr = branch_attr();
	const struct perf_event_mmap_page *page;
	int fd;

	need_hardware();
	page_size = sysconf(_SC_PAGESIZE);
	attr.disabled = 0;
	fd = open_on(&attr, 0, -1, -1);
	page = map_page(fd);
	if (!offers(page))
		test_skip("no counters for programs here");
	unmap_page(page);
	return fd;
}

/* The same for an event of a CPU to which the caller is not bound. */
static int open_cpu(void)
{
	struct perf_event_attr attr = branch_attr();

	close(open_readable());
	second_cpu();
	attr.disabled = 0;
	return open_on(&attr, -1, first_cpu(), -1);
}

static void map_and_wait(void *arg)
{
	const struct shared *shared = arg;

	map_page(shared->fd);
	__atomic_store_n(shared->mapped, true, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static struct helper start_mapper(int fd)
{
	static struct shared shared;
	struct helper child;

	shared.fd = fd;
	shared.mapped = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared.mapped != MAP_FAILED, "mmap");
	child = helper_start(map_and_wait, &shared);
	helper_go(&child);
	while (!__atomic_load_n(shared.mapped, __ATOMIC_ACQUIRE))
		usleep(1000);
	return child;
}

static void map_for_a_while(void *arg)
{
	int fd = *(int *)arg;

	for (int i = 0; i < 3; i++)
		unmap_page(map_page(fd));
	map_page(fd);
}

/* Once the other reader has gone, the page offers the counter again. */
static void for_a_while(void)
{
	int fd = open_readable();
	const struct perf_event_mmap_page *page = map_page(fd);

	run_child(map_for_a_while, &fd);
	EXPECT(offers(page), "nothing is offered when the other has gone");
}

static void expect_hidden(bool hidden)
{
	if (!hidden)
		test_xfail("the other sees this one's counter");
}

/* Both of the others have to go first. */
static void two_others(void)
{
	int fd = open_readable();
	const struct perf_event_mmap_page *page = map_page(fd);
	struct helper one = start_mapper(fd), two = start_mapper(fd);
	bool hidden = offers_nothing(page);

	stop_child(one.pid);
	hidden &= offers_nothing(page);
	stop_child(two.pid);
	EXPECT(offers(page), "nothing is offered when the others have gone");
	expect_hidden(hidden);
}

/* The other task has made the buffer. */
static void other_first(void)
{
	int fd = open_readable();
	struct helper child = start_mapper(fd);
	const struct perf_event_mmap_page *page = map_page(fd);
	bool hidden = offers_nothing(page);

	stop_child(child.pid);
	EXPECT(offers(page), "nothing is offered when the other has gone");
	expect_hidden(hidden);
}

static void just_wait(void *arg)
{
	(void)arg;
	for (;;)
		pause();
}

/* With MADV_DOFORK a fork copies the mapping: the counter is not offered. */
static void inherited(void)
{
	int fd = open_readable();
	const struct perf_event_mmap_page *page = map_page(fd);
	struct helper child;
	bool hidden;

	CHECK(!madvise((void *)page, page_size, MADV_DOFORK), "MADV_DOFORK");
	child = helper_start(just_wait, NULL);
	hidden = offers_nothing(page);
	stop_child(child.pid);
	EXPECT(offers(page), "nothing is offered when the child has gone");
	expect_hidden(hidden);
}

/* The same for an event of the CPU to which parent and child are bound. */
static void inherited_of_cpu(void)
{
	int fd = open_cpu();
	const struct perf_event_mmap_page *page;
	struct helper child;
	bool hidden;

	pin_to_cpu(first_cpu());
	page = map_page(fd);
	EXPECT(offers(page), "nothing is offered");
	CHECK(!madvise((void *)page, page_size, MADV_DOFORK), "MADV_DOFORK");
	child = helper_start(just_wait, NULL);
	hidden = offers_nothing(page);
	stop_child(child.pid);
	EXPECT(offers(page), "nothing is offered when the child has gone");
	expect_hidden(hidden);
}

/* A task that binds itself later maps the page once more; the buffer stays. */
static void bound_later(void)
{
	int fd = open_cpu();
	const struct perf_event_mmap_page *loose = map_page(fd), *bound;
	bool hidden = offers_nothing(loose);

	pin_to_cpu(first_cpu());
	bound = map_page(fd);
	hidden &= offers_nothing(bound);
	unmap_page(loose);
	EXPECT(offers(bound), "nothing is offered when it is bound");
	expect_hidden(hidden);
}

/* The same, but the mapping is moved there and back. */
static void moved(void)
{
	int fd = open_cpu();
	struct perf_event_mmap_page *page = (void *)map_page(fd);
	struct perf_event_mmap_page *to;

	pin_to_cpu(first_cpu());
	for (int i = 0; i < 3; i++) {
		to = mmap(NULL, page_size, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(to != MAP_FAILED, "mmap");
		CHECK(mremap(page, page_size, page_size,
			     MREMAP_MAYMOVE | MREMAP_FIXED, to) == to, "mremap");
		page = to;
		EXPECT(offers(page), "nothing is offered after move %d", i);
	}
}

#if defined(__x86_64__)
/*
 * A stranger counts its own instructions. Two tasks have copies of an event, so
 * their contexts stay on the counters when they follow each other. One of them
 * may read counters; the other one, which may not, always runs before it.
 *
 * The PMU model of a slow machine counts time as instructions, so no fixed
 * limit is right. The reader's counter grows at most by what the event and its
 * copies have counted. The stranger counts at least twice as much between two
 * readings.
 */
#define ROUNDS		4
#define STRANGERS_LOOPS	10000000
#define TIMES_AS_MANY	2

enum { STRANGER, BEFORE, READER, PARENT, NR_PARTS };

/* In memory that all parts share. */
struct counted {
	/* By the stranger; by the event and its copies. */
	__u64	stranger, copies;
};

struct readers {
	int		wake[NR_PARTS][2];
	int		mapped, own;
	struct counted	*counted;
};

static sigjmp_buf no_counter;

static void fault(int sig)
{
	siglongjmp(no_counter, 1);
}

static void wait_turn(const struct readers *r, int part)
{
	char byte;

	CHECK(read(r->wake[part][0], &byte, 1) == 1, "read");
}

static void give_turn(const struct readers *r, int part)
{
	CHECK(write(r->wake[part][1], "", 1) == 1, "write");
}

static void run_at_once(void)
{
	struct sched_param param = { .sched_priority = 1 };

	CHECK(!sched_setscheduler(0, SCHED_FIFO, &param), "SCHED_FIFO");
}

static struct perf_event_attr own_instructions(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);

	attr.exclude_kernel = 1;
	attr.disabled = 0;
	return attr;
}

static void count_more_than_copies(int fd, struct counted *counted)
{
	__u64 enough = counted->stranger + TIMES_AS_MANY * counted->copies;

	do {
		burn(STRANGERS_LOOPS);
		counted->stranger = read_count(fd);
	} while (counted->stranger < enough);
}

static void stranger(void *arg)
{
	const struct readers *r = arg;
	struct perf_event_attr attr = own_instructions();
	int fd = open_self(&attr);

	for (int i = 0; i < ROUNDS; i++) {
		wait_turn(r, STRANGER);
		count_more_than_copies(fd, r->counted);
		give_turn(r, BEFORE);
	}
}

static void before(void *arg)
{
	const struct readers *r = arg;

	run_at_once();
	for (int i = 0; i < ROUNDS; i++) {
		wait_turn(r, BEFORE);
		give_turn(r, READER);
	}
}

/* The fixed counter of instructions. Return: false if there is none. */
static bool read_instructions(__u64 *value)
{
	__u32 low, high;

	if (sigsetjmp(no_counter, 1))
		return false;
	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (1U << 30));
	*value = (__u64)high << 32 | low;
	return true;
}

/*
 * Since the last reading the counter has counted for the event and its copies
 * only. A driver may have written it, but has added no more than their count.
 */
static void expect_own_count(const struct counted *counted, __u64 now,
			     __u64 last)
{
	EXPECT((__s64)(now - last) <= (__s64)counted->copies,
	       "the counter grew by %lld, the event and its copies counted %llu",
	       (long long)(now - last), (unsigned long long)counted->copies);
}

static void reader(void *arg)
{
	const struct readers *r = arg;
	bool known = false;
	__u64 now, last;

	run_at_once();
	CHECK(signal(SIGSEGV, fault) != SIG_ERR, "signal");
	map_page(r->mapped);
	give_turn(r, PARENT);
	for (int round = 0; round < ROUNDS; round++) {
		wait_turn(r, READER);
		if (read_instructions(&now)) {
			r->counted->copies = read_count(r->own);
			if (known)
				expect_own_count(r->counted, now, last);
			known = true;
			last = now;
		}
		give_turn(r, PARENT);
	}
}

static void do_nothing(void *arg)
{
}

static void strangers_counts(void)
{
	struct perf_event_attr attr = own_instructions();
	struct helper parts[NR_PARTS - 1], other;
	struct readers r;

	close(open_readable());
	pin_to_cpu(first_cpu());
	r.counted = map_memory(memory_fd("counted", page_size), page_size);
	for (int i = 0; i < NR_PARTS; i++)
		CHECK(!pipe(r.wake[i]), "pipe");
	parts[STRANGER] = helper_start(stranger, &r);
	other = helper_start(do_nothing, NULL);
	r.mapped = open_on(&attr, other.pid, -1, -1);
	attr.inherit = 1;
	r.own = open_self(&attr);
	parts[BEFORE] = helper_start(before, &r);
	parts[READER] = helper_start(reader, &r);
	for (int i = 0; i < NR_PARTS - 1; i++)
		helper_go(&parts[i]);
	wait_turn(&r, PARENT);
	for (int i = 0; i < ROUNDS; i++) {
		usleep(20000);
		give_turn(&r, STRANGER);
		wait_turn(&r, PARENT);
	}
	for (int i = 0; i < NR_PARTS - 1; i++)
		helper_join(&parts[i]);
	helper_go(&other);
	helper_join(&other);
}
#else
static void strangers_counts(void)
{
	test_skip("reads counters of x86");
}
#endif

static const struct test_case cases[] = {
	{ "another process for a while", for_a_while },
	{ "two other processes", two_others },
	{ "another process first", other_first },
	{ "a child inherits the mapping", inherited },
	{ "a child inherits the mapping of a CPU's event", inherited_of_cpu },
	{ "the reader is bound later", bound_later },
	{ "the reader is bound later and moves its mapping", moved },
	{ "counts of strangers", strangers_counts },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
