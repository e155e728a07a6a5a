// SPDX-License-Identifier: GPL-2.0
/*
 * Signals from events: O_ASYNC with F_SETSIG at each overflow, POLL_HUP when
 * the count of PERF_EVENT_IOC_REFRESH is used up, and synchronous SIGTRAP, whose
 * data MODIFY_ATTRIBUTES changes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/hw_breakpoint.h>

#include "perf_lib.h"

#define FAULTS	50
#define SLACK	10

/* Size of a record with a short name and without ids. */
#define NAME_SIZE	24

#ifndef TRAP_PERF
#define TRAP_PERF	6
#endif

struct seen {
	unsigned int in;
	unsigned int hup;
	unsigned int other;
	int fd;
	pid_t tid;
	int code;
	__u64 data;
	__u32 type;
	int refresh;
};

static struct seen seen;
static char watched;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	seen.fd = info->si_fd;
	seen.tid = gettid();
	if (info->si_code == POLL_IN)
		seen.in++;
	else if (info->si_code == POLL_HUP)
		seen.hup++;
	else
		seen.other++;
	if (seen.refresh)
		ioctl(seen.fd, PERF_EVENT_IOC_REFRESH, seen.refresh);
}

/*
 * In siginfo the address of the fault is followed by the attribute's sig_data
 * and type; not every C library has names for them.
 */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	const char *tail = (const char *)&info->si_addr + sizeof(void *);
	unsigned long data;

	(void)sig;
	(void)context;
	memcpy(&data, tail, sizeof(data));
	memcpy(&seen.type, tail + sizeof(data), sizeof(seen.type));
	seen.data = data;
	seen.code = info->si_code;
	seen.tid = gettid();
	seen.in++;
}

static void install(int sig, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {
		.sa_sigaction = handler, .sa_flags = SA_SIGINFO,
	};

	CHECK(!sigaction(sig, &action, NULL), "sigaction");
}

static void send_to_thread(int fd, int sig, pid_t tid)
{
	struct f_owner_ex owner = { F_OWNER_TID, tid };

	CHECK(!fcntl(fd, F_SETOWN_EX, &owner), "F_SETOWN_EX");
	CHECK(!fcntl(fd, F_SETSIG, sig), "F_SETSIG");
	CHECK(!fcntl(fd, F_SETFL, O_ASYNC), "O_ASYNC: %s", strerror(errno));
}

static int open_faults(__u64 period)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = period;
	attr.exclude_kernel = 1;
	attr.wakeup_events = 1;
	return open_self(&attr);
}

static void warm_up(void)
{
	touch_pages(2);
	raise(SIGRTMIN);
	memset(&seen, 0, sizeof(seen));
}

static void one_a_period(void)
{
	int fd = open_faults(1);

	install(SIGRTMIN, on_signal);
	send_to_thread(fd, SIGRTMIN, gettid());
	warm_up();
	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	CHECK(seen.in >= FAULTS && seen.in <= FAULTS + SLACK, "%u signals",
	      seen.in);
	CHECK(!seen.hup && !seen.other && seen.fd == fd, "code or fd");
}

static void one_in_ten(void)
{
	int fd = open_faults(10);

	install(SIGRTMIN, on_signal);
	send_to_thread(fd, SIGRTMIN, gettid());
	warm_up();
	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	CHECK(seen.in >= FAULTS / 10 && seen.in <= FAULTS / 10 + 1,
	      "%u signals", seen.in);
}

static void not_asked_for(void)
{
	int fd = open_faults(1);

	install(SIGRTMIN, on_signal);
	install(SIGIO, on_signal);
	warm_up();
	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	CHECK(!seen.in && !seen.hup, "signal without O_ASYNC");
	send_to_thread(fd, SIGRTMIN, gettid());
	CHECK(!fcntl(fd, F_SETFL, 0), "O_ASYNC off");
	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	CHECK(!seen.in && !seen.hup, "signal after O_ASYNC was taken back");
}

static void hang_up_at_limit(void)
{
	int fd = open_faults(1);

	install(SIGRTMIN, on_signal);
	send_to_thread(fd, SIGRTMIN, gettid());
	warm_up();
	CHECK(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 5), "refresh: %s",
	      strerror(errno));
	touch_pages(FAULTS);
	CHECK(seen.in == 4 && seen.hup == 1, "%u POLL_IN and %u POLL_HUP",
	      seen.in, seen.hup);
	CHECK(read_count(fd) >= 5 && read_count(fd) <= 5 + SLACK,
	      "goes on counting");
}

/* The usual loop of a profiler: the handler asks for one more overflow. */
static void refresh_from_handler(void)
{
	int fd = open_faults(1);

	install(SIGRTMIN, on_signal);
	send_to_thread(fd, SIGRTMIN, gettid());
	warm_up();
	seen.refresh = 1;
	CHECK(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), "refresh");
	touch_pages(FAULTS);
	event_disable(fd);
	CHECK(seen.in == 0 && seen.hup >= FAULTS &&
	      seen.hup <= FAULTS + SLACK, "%u POLL_IN and %u POLL_HUP",
	      seen.in, seen.hup);
}

static void *wait_for_signal(void *arg)
{
	pid_t *tid = arg;

	__atomic_store_n(tid, gettid(), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&seen.in, __ATOMIC_ACQUIRE))
		usleep(1000);
	return NULL;
}

static void to_another_thread(void)
{
	pthread_t thread;
	pid_t tid = 0;
	int fd;

	install(SIGRTMIN, on_signal);
	warm_up();
	CHECK(!pthread_create(&thread, NULL, wait_for_signal, &tid), "thread");
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		usleep(1000);
	fd = open_faults(1);
	send_to_thread(fd, SIGRTMIN, tid);
	event_enable(fd);
	touch_pages(1);
	event_disable(fd);
	pthread_join(thread, NULL);
	CHECK(seen.tid == tid, "thread %d got it", seen.tid);
}

/*
 * Names fill the buffer, without overflows or samples. A name is a record of 24
 * bytes, and a signal is sent when more than the watermark has been written.
 */
static void one_a_mark(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	unsigned int names = 100, watermark = 256, marks, i;
	int fd;

	attr.comm = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = watermark;
	fd = open_self(&attr);
	ring_map(fd, 4);
	install(SIGRTMIN, on_signal);
	send_to_thread(fd, SIGRTMIN, gettid());
	warm_up();
	event_enable(fd);
	for (i = 0; i < names; i++) {
		CHECK(!prctl(PR_SET_NAME, "name", 0, 0, 0), "PR_SET_NAME");
		marks = ((i + 1) * NAME_SIZE - 1) / watermark;
		CHECK(seen.in == marks, "%u signals after %u names, not %u",
		      seen.in, i + 1, marks);
	}
	event_disable(fd);
	CHECK(!seen.hup && !seen.other && seen.fd == fd, "code or fd");
}

static int open_trap(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	attr.remove_on_exec = 1;
	attr.sigtrap = 1;
	attr.sig_data = 0x123456789abcULL;
	return open_self(&attr);
}

static void trap(void)
{
	int fd;

	install(SIGTRAP, on_trap);
	touch_pages(2);
	raise(SIGTRAP);
	memset(&seen, 0, sizeof(seen));
	fd = open_trap();
	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	CHECK(seen.in >= FAULTS && seen.in <= FAULTS + SLACK, "%u traps",
	      seen.in);
	EXPECT(seen.code == TRAP_PERF, "si_code %d", seen.code);
	EXPECT(seen.data == 0x123456789abcULL, "si_perf_data %#llx",
	       (unsigned long long)seen.data);
	EXPECT(seen.type == PERF_TYPE_SOFTWARE, "si_perf_type %u", seen.type);
}

static void *trap_thread(void *arg)
{
	(void)arg;
	touch_pages(FAULTS);
	return NULL;
}

/* Without inherit a new thread gets no traps. */
static void trap_own_thread(void)
{
	pthread_t thread;
	unsigned int before;
	int fd;

	install(SIGTRAP, on_trap);
	touch_pages(2);
	raise(SIGTRAP);
	fd = open_trap();
	event_enable(fd);
	touch_pages(1);
	event_disable(fd);
	CHECK(!pthread_create(&thread, NULL, trap_thread, NULL), "thread");
	event_enable(fd);
	before = seen.in;
	pthread_join(thread, NULL);
	event_disable(fd);
	CHECK(seen.in < before + FAULTS / 2, "%u traps of another thread",
	      seen.in - before);
	CHECK(seen.tid == gettid(), "handler ran in %d", seen.tid);
}

static struct perf_event_attr watch_attr(void)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&watched;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	attr.remove_on_exec = 1;
	attr.sigtrap = 1;
	attr.sig_data = 1;
	return attr;
}

/* Opens and enables the event, with a handler that counts traps. */
static int open_watch(struct perf_event_attr *attr)
{
	int fd;

	need_breakpoints();
	install(SIGTRAP, on_trap);
	fd = open_self(attr);
	event_enable(fd);
	return fd;
}

static void expect_traps(unsigned int times, __u64 data)
{
	CHECK(seen.in == times, "%u traps", seen.in);
	CHECK(seen.data == data, "si_perf_data %#llx",
	      (unsigned long long)seen.data);
}

static void accepted_change(void)
{
	struct perf_event_attr attr = watch_attr();
	int fd = open_watch(&attr);

	attr.sig_data = 2;
	attr.disabled = 0;
	CHECK(!ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), "modify: %s",
	      strerror(errno));
	poke(&watched);
	expect_traps(1, 2);
}

/* After a refused change the event goes on with its old data. */
static void refused_change(void)
{
	struct perf_event_attr attr = watch_attr();
	int fd = open_watch(&attr);

	attr.sig_data = 2;
	attr.bp_len = 3;
	CHECK(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) &&
	      errno == EINVAL, "length 3: %s", strerror(errno));
	poke(&watched);
	event_enable(fd);
	poke(&watched);
	if (seen.in == 1 && seen.data == 2)
		test_xfail("a refused change disables, and changes sig_data");
	expect_traps(2, 1);
}

static const struct test_case cases[] = {
	{ "one signal a period of 1", one_a_period },
	{ "one signal a period of 10", one_in_ten },
	{ "no signal without O_ASYNC", not_asked_for },
	{ "POLL_HUP when REFRESH is used up", hang_up_at_limit },
	{ "REFRESH from the handler", refresh_from_handler },
	{ "signal to another thread", to_another_thread },
	{ "one signal a mark of the buffer", one_a_mark },
	{ "SIGTRAP at each overflow", trap },
	{ "SIGTRAP in the event's own thread", trap_own_thread },
	{ "MODIFY_ATTRIBUTES of sig_data", accepted_change },
	{ "MODIFY_ATTRIBUTES that is refused", refused_change },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
