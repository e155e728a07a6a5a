// SPDX-License-Identifier: GPL-2.0
/*
 * A SIGTRAP is pending when its event goes: the task exits or execs, or another
 * task closes the event. The event must be freed, no task may wait for the task
 * to return to user mode, and each signal is sent once.
 *
 * An overflow in a system call leaves the signal pending until the task returns
 * to user mode. Page faults overflow in a call that reads memory which is not
 * there yet, a tracepoint in a call that enters it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "perf_books.h"
#include "perf_lib.h"

#define ROUNDS		32
#define CALLS		10
#define PAGES_A_CALL	4
#define PATIENCE	(60 * NSEC_PER_SEC)
#define GRACE_US	200000

/* The argument that makes the program exit at once. */
#define ONLY_END	"only-end"

struct sleeper {
	int wake[2];
	unsigned int ready;
	unsigned int traps;
};

static unsigned int traps;

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

/* Memory with @data in it whose page is not yet mapped. */
static void *absent_copy(const void *data, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	int fd = memory_fd("absent", page);
	void *at;

	CHECK(write(fd, data, size) == (ssize_t)size, "write");
	at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	close(fd);
	return at;
}

static struct perf_event_attr trap_attr(__u32 type, __u64 config)
{
	struct perf_event_attr attr = make_attr(type, config);

	attr.sample_period = 1;
	attr.remove_on_exec = 1;
	attr.sigtrap = 1;
	return attr;
}

static struct perf_event_attr fault_attr(void)
{
	return trap_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
}

static struct perf_event_attr exit_attr(void)
{
	return trap_attr(PERF_TYPE_TRACEPOINT,
			 tracepoint_id("syscalls/sys_enter_exit_group"));
}

/* Waits until events of earlier cases are freed. */
static long settled_events(void)
{
	long before, now = count_events();

	if (now < 0)
		test_skip("events cannot be counted");
	do {
		before = now;
		usleep(GRACE_US);
		now = count_events();
	} while (now < before);
	return now;
}

static void expect_freed(long before)
{
	__u64 end = now_ns() + PATIENCE;

	/* A leak would lose a reference in each round. */
	while (count_events() >= before + ROUNDS && now_ns() < end)
		usleep(GRACE_US);
	CHECK(count_events() < before + ROUNDS, "%ld events were not freed",
	      count_events() - before);
}

/* Return: how a child that may hang has ended. */
static int child_end(pid_t pid)
{
	int status;

	CHECK(process_ends(pid, &status), "the task hangs");
	return status;
}

/* The child must exit by itself, and not be killed by a signal. */
static void expect_end(pid_t pid)
{
	int status = child_end(pid);

	CHECK(!status, "status %#x", status);
}

static pid_t start_child(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	return pid;
}

/* The kernel reads the name of the new program after the event was enabled. */
static void exec_with_trap(bool keep_file)
{
	struct perf_event_attr attr = fault_attr();
	char *const args[] = { "pending_traps", ONLY_END, NULL };
	static const char self[] = "/proc/self/exe";
	const char *path = absent_copy(self, sizeof(self));
	int fd = perf_open(&attr, 0, -1, -1,
			   keep_file ? 0 : PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		_exit(2);
	signal(SIGTRAP, on_trap);
	event_enable(fd);
	execv(path, args);
	_exit(1);
}

/* The signal must not reach the new program, which it would kill. */
static void pending_at_exec(bool keep_file)
{
	long before = settled_events();
	unsigned int i, trapped = 0;
	int status;
	pid_t pid;

	for (i = 0; i < ROUNDS; i++) {
		pid = start_child();
		if (!pid)
			exec_with_trap(keep_file);
		status = child_end(pid);
		CHECK(!status || WTERMSIG(status) == SIGTRAP, "status %#x",
		      status);
		trapped += !!status;
	}
	expect_freed(before);
	if (trapped)
		test_xfail("%u of %u new programs got the signal", trapped,
			   ROUNDS);
}

static void exec_keeps_file(void)
{
	pending_at_exec(true);
}

static void exec_closes_file(void)
{
	pending_at_exec(false);
}

static void exit_with_own_event(void)
{
	struct perf_event_attr attr = exit_attr();
	long before = settled_events();
	unsigned int i;
	pid_t pid;
	int fd;

	for (i = 0; i < ROUNDS; i++) {
		pid = start_child();
		if (!pid) {
			fd = perf_open(&attr, 0, -1, -1, 0);
			if (fd < 0)
				_exit(2);
			event_enable(fd);
			_exit(0);
		}
		expect_end(pid);
	}
	expect_freed(before);
}

static void do_nothing(void *arg)
{
	(void)arg;
}

/* Another task has the file, and closes it after the task has exited. */
static void exit_with_event_of_parent(void)
{
	struct perf_event_attr attr = exit_attr();
	long before = settled_events();
	struct helper helper;
	unsigned int i;
	int fd;

	for (i = 0; i < ROUNDS; i++) {
		helper = helper_start(do_nothing, NULL);
		fd = open_on(&attr, helper.pid, -1, -1);
		event_enable(fd);
		helper_go(&helper);
		expect_end(helper.pid);
		CHECK(read_count(fd) == 1, "%llu overflows",
		      (unsigned long long)read_count(fd));
		close(helper.go);
		close(fd);
	}
	expect_freed(before);
}

/* Sleeps in a call in which the event has overflowed. */
static void sleep_with_trap(void *arg)
{
	struct sleeper *sleeper = arg;
	struct pollfd here = { .fd = sleeper->wake[0], .events = POLLIN };
	struct pollfd *absent = absent_copy(&here, sizeof(here));

	raise(SIGTRAP);
	poll(&here, 1, 0);
	__atomic_store_n(&traps, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&sleeper->ready, 1, __ATOMIC_RELEASE);
	while (poll(absent, 1, -1) < 0)
		CHECK(errno == EINTR, "poll: %s", strerror(errno));
	sleeper->traps = traps;
}

static bool sleeps(pid_t pid)
{
	char path[32], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%*d %*s %c", &state) != 1)
		state = 0;
	if (file)
		fclose(file);
	return state == 'S';
}

/* The task that would have to return to user mode sleeps during the close. */
static void close_before_return(struct sleeper *sleeper)
{
	struct perf_event_attr attr = fault_attr();
	struct helper helper;
	__u64 count;
	int fd;

	/* The handler is set before the first overflow. */
	signal(SIGTRAP, on_trap);
	sleeper->ready = 0;
	helper = helper_start(sleep_with_trap, sleeper);
	fd = open_on(&attr, helper.pid, -1, -1);
	event_enable(fd);
	helper_go(&helper);
	while (!__atomic_load_n(&sleeper->ready, __ATOMIC_ACQUIRE))
		usleep(1000);
	do {
		usleep(1000);
		count = read_count(fd);
	} while (!sleeps(helper.pid) || count != read_count(fd));
	close(fd);
	usleep(GRACE_US);
	CHECK(write(sleeper->wake[1], "", 1) == 1, "wake");
	expect_end(helper.pid);
	CHECK(sleeper->traps <= 1, "%u signals", sleeper->traps);
	CHECK(read(sleeper->wake[0], &(char){ 0 }, 1) == 1, "read");
	close(helper.go);
}

static void close_rounds(void *arg)
{
	struct sleeper *sleeper = arg;
	unsigned int i;

	for (i = 0; i < 4; i++)
		close_before_return(sleeper);
}

/* In a process of its own, because a close may hang. */
static void close_while_pending(void)
{
	struct sleeper *sleeper;
	pid_t pid;

	sleeper = map_memory(memory_fd("sleeper", sizeof(*sleeper)),
			     sizeof(*sleeper));
	CHECK(!pipe(sleeper->wake), "pipe");
	pid = start_child();
	if (!pid) {
		close_rounds(sleeper);
		child_finish();
	}
	expect_end(pid);
}

/* Overflows while the signal is pending send no second one. */
static void one_trap_a_call(void)
{
	struct perf_event_attr attr = fault_attr();
	size_t page = sysconf(_SC_PAGESIZE), size = PAGES_A_CALL * page;
	int zero = open("/dev/zero", O_RDONLY), fd = open_self(&attr);
	unsigned int i;
	char *area;

	area = mmap(NULL, (CALLS + 1) * size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED, "mmap: %s", strerror(errno));
	madvise(area, (CALLS + 1) * size, MADV_NOHUGEPAGE);
	signal(SIGTRAP, on_trap);
	raise(SIGTRAP);
	CHECK(read(zero, area, size) == (ssize_t)size, "read");
	event_enable(fd);
	event_disable(fd);
	traps = 0;
	event_enable(fd);
	for (i = 1; i <= CALLS; i++)
		if (read(zero, area + i * size, size) != (ssize_t)size)
			break;
	event_disable(fd);
	CHECK(i > CALLS, "read: %s", strerror(errno));
	CHECK(traps == CALLS, "%u signals in %u calls", traps, CALLS);
	CHECK(read_count(fd) >= CALLS * PAGES_A_CALL, "%llu faults",
	      (unsigned long long)read_count(fd));
}

static const struct test_case cases[] = {
	{ "CVE-2022-48950: closed while the SIGTRAP is pending",
	  close_while_pending },
	{ "CVE-2022-49782: one SIGTRAP a system call", one_trap_a_call },
	{ "CVE-2024-43869: SIGTRAP pending at exec", exec_keeps_file },
	{ "CVE-2024-43869: SIGTRAP pending at exec, which closes",
	  exec_closes_file },
	{ "CVE-2024-43870: SIGTRAP pending at exit", exit_with_event_of_parent },
	{ "CVE-2025-37747: SIGTRAP pending at exit, which closes",
	  exit_with_own_event },
};

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], ONLY_END))
		return 0;
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
