// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads or processes and one buffer: both unmap it; one redirects an
 * event to it or maps it while the other unmaps it for the last time; one finds
 * the buffer of a mapping that fails; one reads an AUX area that is unmapped.
 *
 * Once a buffer is mapped nowhere, no event writes to it, and it is freed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
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
#include "test_pmu.h"

#define ROUNDS		30
#define RACE_NS		(2 * NSEC_PER_SEC)
#define RW		(PROT_READ | PROT_WRITE)
#define DATA_PAGES	1
#define AREA_PAGES	8
#define AUX_MODULE	"perf_test_aux"

static size_t page_size;

static struct perf_event_attr user_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.exclude_kernel = 1;
	return attr;
}

static void *map_pages(int fd, size_t pages)
{
	return mmap(NULL, (1 + pages) * page_size, RW, MAP_SHARED, fd, 0);
}

static void *map_buffer(int fd)
{
	void *at = map_pages(fd, DATA_PAGES);

	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	return at;
}

static void unmap_buffer(void *at)
{
	CHECK(!munmap(at, (1 + DATA_PAGES) * page_size), "munmap: %s",
	      strerror(errno));
}

/* poll(2) reports a hangup for an event without a buffer. */
static bool has_buffer(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	CHECK(poll(&poll_fd, 1, 0) >= 0, "poll: %s", strerror(errno));
	return !(poll_fd.revents & POLLHUP);
}

/* The event must be able to get a buffer of its own again. */
static void expect_no_buffer(int fd, const char *who)
{
	CHECK(!has_buffer(fd), "%s has a buffer that nobody maps", who);
	unmap_buffer(map_buffer(fd));
}

static void with_books(void (*body)(void *arg))
{
	struct books before;

	second_cpu();
	page_size = sysconf(_SC_PAGESIZE);
	open_books(&before);
	run_child(body, NULL);
	expect_balance(&before);
}

/* Two processes unmap. */

struct sharers {
	unsigned int *arrived;
	int fd;
};

static void map_and_unmap(void *arg)
{
	struct sharers *sharers = arg;
	void *at;

	pin_to_cpu(second_cpu());
	at = map_buffer(sharers->fd);
	meet(sharers->arrived);
	meet(sharers->arrived);
	unmap_buffer(at);
}

static void unmap_with_another(struct sharers *sharers)
{
	struct perf_event_attr attr = user_attr();
	struct helper other;
	void *at;

	sharers->fd = open_self(&attr);
	at = map_buffer(sharers->fd);
	other = helper_start(map_and_unmap, sharers);
	helper_go(&other);
	meet(sharers->arrived);
	CHECK(has_buffer(sharers->fd), "a mapped event has no buffer");
	meet(sharers->arrived);
	unmap_buffer(at);
	helper_join(&other);
	expect_no_buffer(sharers->fd, "the event");
	close(sharers->fd);
}

static void both_unmap_as_nobody(void *arg)
{
	struct sharers sharers;
	unsigned int i;

	(void)arg;
	sharers.arrived = map_memory(memory_fd("arrived", page_size),
				     page_size);
	become_nobody();
	pin_to_cpu(first_cpu());
	for (i = 0; i < ROUNDS; i++)
		unmap_with_another(&sharers);
}

static void both_unmap(void)
{
	with_books(both_unmap_as_nobody);
}

/* One redirects while another unmaps. */

struct redirection {
	void (*redirect)(struct redirection *race);
	int target;
	int fd;
	void *at;
};

static void set_output(struct redirection *race)
{
	if (ioctl(race->fd, PERF_EVENT_IOC_SET_OUTPUT, race->target))
		CHECK(errno == EINVAL, "SET_OUTPUT: %s", strerror(errno));
}

static void open_with_output(struct redirection *race)
{
	struct perf_event_attr attr = user_attr();

	close(race->fd);
	/* The target task is the main thread, as for the other event. */
	race->fd = perf_open(&attr, getpid(), -1, race->target,
			     PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP);
	CHECK(race->fd >= 0 || errno == EINVAL, "FD_OUTPUT: %s",
	      strerror(errno));
}

static void redirect_it(void *arg)
{
	struct redirection *race = arg;

	race->redirect(race);
}

static void unmap_it(void *arg)
{
	struct redirection *race = arg;

	unmap_buffer(race->at);
}

static void redirect_once(struct redirection *race)
{
	struct perf_event_attr attr = user_attr();

	race->target = open_self(&attr);
	race->fd = open_self(&attr);
	race->at = map_buffer(race->target);
	run_together(redirect_it, unmap_it, race);
	expect_no_buffer(race->target, "the target");
	if (race->fd >= 0) {
		expect_no_buffer(race->fd, "the redirected event");
		close(race->fd);
	}
	close(race->target);
}

static void redirect_as_nobody(struct redirection *race)
{
	unsigned int i;

	become_nobody();
	for (i = 0; i < ROUNDS; i++)
		redirect_once(race);
}

static void output_set_as_nobody(void *arg)
{
	struct redirection race = { .redirect = set_output };

	(void)arg;
	redirect_as_nobody(&race);
}

static void output_opened_as_nobody(void *arg)
{
	struct redirection race = { .redirect = open_with_output };

	(void)arg;
	redirect_as_nobody(&race);
}

static void output_set(void)
{
	with_books(output_set_as_nobody);
}

static void output_opened(void)
{
	with_books(output_opened_as_nobody);
}

/* A mapping that fails. */

/* Return: more pages than the user may lock. */
static size_t too_many_pages(void)
{
	long kb = read_long("/proc/sys/kernel/perf_event_mlock_kb") *
		  sysconf(_SC_NPROCESSORS_ONLN);
	size_t pages = 1;

	while (pages * page_size <= kb * 1024UL)
		pages *= 2;
	return pages;
}

/* Of the size that the other maps, so that the two could be confused. */
static void map_in_vain(void *arg)
{
	int fd = *(int *)arg;
	size_t pages = too_many_pages();

	pin_to_cpu(second_cpu());
	for (;;) {
		CHECK(map_pages(fd, pages) == MAP_FAILED, "over the limit");
		CHECK(errno == EPERM || errno == EINVAL, "mmap: %s",
		      strerror(errno));
	}
}

/* During the other's attempt the limit may have no room for this mapping. */
static void take_buffer(int fd, int other)
{
	void *at = map_pages(fd, DATA_PAGES);

	CHECK(at != MAP_FAILED || errno == EPERM, "mmap: %s", strerror(errno));
	if (at != MAP_FAILED)
		unmap_buffer(at);
	CHECK(ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd) && errno == EINVAL,
	      "SET_OUTPUT: finds a buffer that nobody maps");
}

static void fail_as_nobody(void *arg)
{
	struct perf_event_attr attr = user_attr();
	struct rlimit none = { 0, 0 };
	__u64 end = now_ns() + RACE_NS;
	struct helper mapper;
	int fd, other;

	(void)arg;
	become_nobody();
	CHECK(!setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit");
	fd = open_self(&attr);
	other = open_self(&attr);
	mapper = helper_start(map_in_vain, &fd);
	helper_go(&mapper);
	pin_to_cpu(first_cpu());
	while (now_ns() < end)
		take_buffer(fd, other);
	stop_child(mapper.pid);
	expect_no_buffer(fd, "the event");
}

static void mapping_fails(void)
{
	if (read_long("/proc/sys/kernel/perf_event_paranoid") < 0)
		test_skip("no limit");
	with_books(fail_as_nobody);
}

/* Faults on an AUX area. */

struct area {
	int fd;
	struct perf_event_mmap_page *page;
};

static sigjmp_buf no_page;

static void on_bus_error(int sig)
{
	siglongjmp(no_page, sig);
}

static unsigned char *map_area(const struct area *area)
{
	void *at = mmap(NULL, AREA_PAGES * page_size, RW, MAP_SHARED, area->fd,
			area->page->aux_offset);

	CHECK(at != MAP_FAILED, "area: %s", strerror(errno));
	return at;
}

static void unmap_area(void *at)
{
	CHECK(!munmap(at, AREA_PAGES * page_size), "munmap: %s",
	      strerror(errno));
}

static unsigned int sum_pages(const unsigned char *at)
{
	unsigned int sum = 0;
	size_t i;

	for (i = 0; i < AREA_PAGES; i++)
		sum += __atomic_load_n(&at[i * page_size], __ATOMIC_RELAXED);
	return sum;
}

/* Pages of a mapping must be there at first and after a discard. */
static void read_area(const struct area *area)
{
	unsigned char *at = map_area(area);
	unsigned int sum;

	if (sigsetjmp(no_page, 1))
		test_fail(__FILE__, __LINE__, "a mapped page is missing");
	sum = sum_pages(at);
	CHECK(!madvise(at, AREA_PAGES * page_size, MADV_DONTNEED),
	      "madvise: %s", strerror(errno));
	CHECK(sum_pages(at) == sum, "pages change");
	unmap_area(at);
}

static void unmap_area_often(void *arg)
{
	const struct area *area = arg;

	pin_to_cpu(second_cpu());
	for (;;)
		unmap_area(map_area(area));
}

static struct area open_area(void)
{
	struct perf_event_attr attr = make_attr(pmu_type(AUX_MODULE), 0);
	struct area area = { .fd = open_self(&attr) };

	area.page = map_buffer(area.fd);
	area.page->aux_offset = AREA_PAGES * page_size;
	area.page->aux_size = AREA_PAGES * page_size;
	return area;
}

static void faults_on_area(void)
{
	__u64 end = now_ns() + RACE_NS;
	struct helper other;
	struct area area;
	long areas;

	page_size = sysconf(_SC_PAGESIZE);
	second_cpu();
	test_module_need(AUX_MODULE);
	areas = test_module_parameter(AUX_MODULE, "areas");
	area = open_area();
	signal(SIGBUS, on_bus_error);
	other = helper_start(unmap_area_often, &area);
	helper_go(&other);
	pin_to_cpu(first_cpu());
	while (now_ns() < end)
		read_area(&area);
	stop_child(other.pid);
	CHECK(test_module_parameter(AUX_MODULE, "areas") == areas,
	      "an area is left");
}

static const struct test_case cases[] = {
	{ "CVE-2020-14351: two processes unmap", both_unmap },
	{ "CVE-2022-49607: SET_OUTPUT and the last munmap", output_set },
	{ "CVE-2022-49607: FD_OUTPUT and the last munmap", output_opened },
	{ "CVE-2026-23248: a mapping that fails", mapping_fails },
	{ "CVE-2026-64300: faults on an AUX area that goes", faults_on_area },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
