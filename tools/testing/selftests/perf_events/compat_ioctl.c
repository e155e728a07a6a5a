// SPDX-License-Identifier: GPL-2.0
/*
 * ioctl(2) as a 32-bit program calls it: arguments have 32 bits, and the number
 * of a request contains the size of its pointers.
 *
 * On x86-64 a 64-bit program enters the kernel as a 32-bit one does by "int
 * $0x80", if the kernel has CONFIG_IA32_EMULATION. So nothing here is compiled
 * for 32 bits; all that is pointed to lies below 4 GiB.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/hw_breakpoint.h>

#include "perf_lib.h"

#ifdef __x86_64__

/* Numbers of 32-bit system calls. */
#define COMPAT_GETPID		20
#define COMPAT_IOCTL		54
#define COMPAT_PERF_EVENT_OPEN	336

#define COMPAT_ID		_IOR('$', 7, __u32)
#define COMPAT_SET_FILTER	_IOW('$', 6, __u32)
#define COMPAT_QUERY_BPF	_IOWR('$', 10, __u32)
#define COMPAT_MODIFY		_IOW('$', 11, __u32)

static long compat_syscall(long number, const uint32_t args[5])
{
	long ret;

	asm volatile("int $0x80"
		     : "=a" (ret)
		     : "a" (number), "b" ((uint64_t)args[0]),
		       "c" ((uint64_t)args[1]), "d" ((uint64_t)args[2]),
		       "S" ((uint64_t)args[3]), "D" ((uint64_t)args[4])
		     : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}

static int compat_ioctl(int fd, uint32_t cmd, uint32_t arg)
{
	const uint32_t args[5] = { fd, cmd, arg };

	return compat_syscall(COMPAT_IOCTL, args);
}

static void faulted(int sig)
{
	(void)sig;
	_exit(2);
}

/*
 * The instruction faults in a kernel without such calls. The kernel does not
 * log a signal that is handled.
 */
static void need_compat(void)
{
	const uint32_t none[5] = { 0 };
	int status;
	pid_t pid;

	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		signal(SIGSEGV, faulted);
		_exit(compat_syscall(COMPAT_GETPID, none) != getpid());
	}
	CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	if (WEXITSTATUS(status) == 2)
		test_skip("the kernel has no 32-bit system calls");
	CHECK(!status, "getpid by int $0x80 is wrong");
}

static void *low_memory(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	CHECK(at != MAP_FAILED, "MAP_32BIT: %s", strerror(errno));
	return at;
}

static uint32_t low(void *at)
{
	return (uintptr_t)at;
}

static int open_faults(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	return open_self(&attr);
}

/* An event that has its own buffer can be mapped, a redirected one cannot. */
static bool has_own_buffer(int fd)
{
	void *at = mmap(NULL, 2 * getpagesize(), PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return false;
	munmap(at, 2 * getpagesize());
	return true;
}

static void set_output(void)
{
	int target = open_faults();
	int fd = open_faults();
	int pipes[2];
	int ret;

	need_compat();
	CHECK(!pipe(pipes), "pipe: %s", strerror(errno));
	ring_map(target, 1);
	ret = compat_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target);
	CHECK(!ret, "to an event: %s", strerror(-ret));
	ret = compat_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, pipes[0]);
	EXPECT(ret == -EBADF, "to a pipe: %d", ret);
	ret = compat_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -2);
	EXPECT(ret == -EBADF, "to -2: %d", ret);
	ret = compat_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1);
	if (ret == -EBADF)
		test_xfail("-1 does not take the event off its buffer");
	CHECK(!ret, "-1: %s", strerror(-ret));
	CHECK(has_own_buffer(fd), "after -1 the event is still redirected");
}

static void pointers(void)
{
	__u64 *word = low_memory();
	int fd = open_faults();
	int ret;

	need_compat();
	ret = compat_ioctl(fd, COMPAT_ID, low(word));
	EXPECT(!ret && *word == event_id(fd), "ID: %d, %llu", ret, *word);
	*word = 0;
	ret = compat_ioctl(fd, PERF_EVENT_IOC_ID, low(word));
	EXPECT(!ret && *word == event_id(fd), "ID with the size of 64 bits: %d",
	       ret);
	*word = 1000;
	ret = compat_ioctl(fd, PERF_EVENT_IOC_PERIOD, low(word));
	EXPECT(!ret, "PERIOD: %d", ret);
	ret = compat_ioctl(fd, COMPAT_QUERY_BPF, low(word));
	EXPECT(ret == -EINVAL, "QUERY_BPF of no tracepoint: %d", ret);
	ret = compat_ioctl(fd, _IOR('$', 7, __u16), low(word));
	EXPECT(ret == -ENOTTY, "ID of 2 bytes: %d", ret);
	ret = compat_ioctl(fd, COMPAT_ID, -4096);
	EXPECT(ret == -EFAULT, "ID to nowhere: %d", ret);
}

static void conditions(void)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_TRACEPOINT, 0);
	static const char wrong[] = "no_such_field == 1";
	static const char right[] = "prev_pid == 1";
	void *text = low_memory();
	int ret;
	int fd;

	need_compat();
	attr.config = tracepoint_id("sched/sched_switch");
	fd = open_self(&attr);
	memcpy(text, wrong, sizeof(wrong));
	ret = compat_ioctl(fd, COMPAT_SET_FILTER, low(text));
	EXPECT(ret == -EINVAL, "a field that there is not: %d", ret);
	memcpy(text, right, sizeof(right));
	ret = compat_ioctl(fd, COMPAT_SET_FILTER, low(text));
	EXPECT(!ret, "a condition: %s", strerror(-ret));
}

static void modify(void)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);
	struct perf_event_attr *other = low_memory();
	static char watched[16];
	int ret;
	int fd;

	need_compat();
	need_breakpoints();
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (uintptr_t)&watched[0];
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.exclude_kernel = 1;
	fd = open_self(&attr);
	*other = attr;
	other->bp_addr++;
	ret = compat_ioctl(fd, COMPAT_MODIFY, low(other));
	CHECK(!ret, "MODIFY_ATTRIBUTES: %s", strerror(-ret));
	event_enable(fd);
	poke(&watched[0]);
	poke(&watched[1]);
	EXPECT(read_count(fd) == 1, "counted %llu", read_count(fd));
}

static void words(void)
{
	uint32_t args[5] = { 0, 0, -1, -1, 0 };
	struct perf_event_attr *attr = low_memory();
	int ret;
	int fd;

	need_compat();
	*attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	attr->disabled = 1;
	args[0] = low(attr);
	fd = compat_syscall(COMPAT_PERF_EVENT_OPEN, args);
	CHECK(fd >= 0, "open: %s", strerror(-fd));
	ret = compat_ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	EXPECT(!ret, "ENABLE: %d", ret);
	touch_pages(8);
	ret = compat_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT(!ret, "DISABLE: %d", ret);
	EXPECT(read_count(fd) >= 8, "%llu page faults", read_count(fd));
	ret = compat_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	EXPECT(!ret && !read_count(fd), "RESET: %d", ret);
	ret = compat_ioctl(fd, PERF_EVENT_IOC_SET_BPF, -1);
	EXPECT(ret == -EBADF, "SET_BPF of -1: %d", ret);
}

#else

static void need_compat(void)
{
	test_skip("there is no way into the kernel that is known here");
}

#define set_output	need_compat
#define pointers	need_compat
#define conditions	need_compat
#define modify		need_compat
#define words		need_compat

#endif

static const struct test_case cases[] = {
	{ "SET_OUTPUT takes a descriptor, and -1", set_output },
	{ "requests with pointers, in both sizes", pointers },
	{ "SET_FILTER", conditions },
	{ "MODIFY_ATTRIBUTES", modify },
	{ "open, ENABLE, DISABLE, RESET, SET_BPF", words },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
