// SPDX-License-Identifier: GPL-2.0
/*
 * Runner, event helpers, surroundings and workloads of the perf_events
 * selftests. The reader of the ring buffer is in perf_ring.c.
 *
 * Every case runs in a forked process which leads a process group. The runner
 * waits for it, turns its exit code into a TAP line and kills what is left of
 * the group, so that neither a hang nor a forgotten child reaches the next
 * case.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event_ext.h>

#include "perf_lib.h"
#include "test_pmu.h"

/* Seconds a case may take before it counts as hung. */
#define CASE_TIMEOUT	100

/* Seconds that a process has to end by itself, and again after SIGKILL. */
#define PROCESS_PATIENCE	60

#define MAX_TRIES	10

#define MAX_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define PERCENT		"/proc/sys/kernel/perf_cpu_time_max_percent"

static bool saw_miss;

/* CPUs of the program before any case pinned itself. */
static cpu_set_t usable_cpus;

static void comment(const char *fmt, va_list args)
{
	vprintf(fmt, args);
	printf("\n");
	fflush(stdout);
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	printf("# %s:%d: ", file, line);
	va_start(args, fmt);
	comment(fmt, args);
	va_end(args);
	_exit(KSFT_FAIL);
}

void test_note(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	saw_miss = true;
	printf("# %s:%d: ", file, line);
	va_start(args, fmt);
	comment(fmt, args);
	va_end(args);
}

void test_skip(const char *fmt, ...)
{
	va_list args;

	printf("# skipped: ");
	va_start(args, fmt);
	comment(fmt, args);
	va_end(args);
	_exit(KSFT_SKIP);
}

void test_xfail(const char *fmt, ...)
{
	va_list args;

	printf("# expected: ");
	va_start(args, fmt);
	comment(fmt, args);
	va_end(args);
	_exit(getenv("PERF_TEST_STRICT") ? KSFT_FAIL : KSFT_XFAIL);
}

/* Return: false, so that a failed attempt can return it. */
bool test_remark(const char *fmt, ...)
{
	va_list args;

	printf("# attempt: ");
	va_start(args, fmt);
	comment(fmt, args);
	va_end(args);
	return false;
}

static bool one_succeeds(bool (*attempt)(void *arg), void *arg)
{
	int tries;

	for (tries = 0; tries < MAX_TRIES; tries++)
		if (attempt(arg))
			return true;
	return false;
}

/* The case passes if one of several attempts succeeds. */
void test_retry(bool (*attempt)(void *arg), void *arg)
{
	CHECK(one_succeeds(attempt, arg), "%d attempts failed", MAX_TRIES);
}

void test_retry_or_xfail(bool (*attempt)(void *arg), void *arg,
			 const char *why)
{
	if (!one_succeeds(attempt, arg))
		test_xfail("%s", why);
}

static pid_t case_begin(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		ksft_exit_fail_perror("fork");
	if (!pid) {
		setpgid(0, 0);
		alarm(CASE_TIMEOUT);
		return 0;
	}
	setpgid(pid, pid);
	return pid;
}

/**
 * child_finish() - end the calling process, as a case or as a child of one
 *
 * Its exit code is the result of all its EXPECT(), which join_child() checks.
 * With _exit(0) the failures that a child has noted would be lost.
 */
void child_finish(void)
{
	fflush(stdout);
	_exit(saw_miss ? KSFT_FAIL : KSFT_PASS);
}

/* Notes cases that would count as hung on a slower machine. */
static void note_if_slow(const char *name, __u64 begin)
{
	__u64 seconds = (now_ns() - begin) / NSEC_PER_SEC;

	if (seconds > CASE_TIMEOUT / 2)
		ksft_print_msg("%s: took %llu s of %d\n", name,
			       (unsigned long long)seconds, CASE_TIMEOUT);
}

static void case_report(const char *name, pid_t pid)
{
	int status, code = KSFT_FAIL;
	__u64 begin = now_ns();

	waitpid(pid, &status, 0);
	note_if_slow(name, begin);
	kill(-pid, SIGKILL);
	if (WIFEXITED(status))
		code = WEXITSTATUS(status);
	else
		ksft_print_msg("%s: killed by signal %d\n", name,
			       WTERMSIG(status));
	ksft_test_result_code(code, name, NULL);
}

/* Value of PERCENT before it was set to 0. */
static char saved_percent[24];

void tests_begin(unsigned int planned)
{
	CPU_ZERO(&usable_cpus);
	sched_getaffinity(0, sizeof(usable_cpus), &usable_cpus);
	set_usual_rate();
	ksft_print_header();
	ksft_set_plan(planned);
}

void tests_keep_rate(void)
{
	snprintf(saved_percent, sizeof(saved_percent), "%ld",
		 read_long(PERCENT));
	write_text(PERCENT, "0");
}

void tests_run(const struct test_case *cases, size_t count)
{
	size_t i;
	pid_t pid;

	for (i = 0; i < count; i++) {
		pid = case_begin();
		if (!pid) {
			cases[i].run();
			child_finish();
		}
		case_report(cases[i].name, pid);
	}
}

void tests_run_rows(const void *rows, size_t count, size_t stride,
		    void (*run)(const void *row))
{
	const struct test_row *row;
	size_t i;
	pid_t pid;

	for (i = 0; i < count; i++) {
		row = rows + i * stride;
		pid = case_begin();
		if (!pid) {
			run(row);
			child_finish();
		}
		case_report(row->name, pid);
	}
}

static void run_kind(const struct test_of_kinds *test, const void *kind)
{
	const struct test_row *row = kind;
	char name[100];
	pid_t pid;

	snprintf(name, sizeof(name), "%s, %s", test->name, row->name);
	pid = case_begin();
	if (!pid) {
		pin_to_cpu(first_cpu());
		test->run(kind);
		child_finish();
	}
	case_report(name, pid);
}

void tests_run_kinds(const struct test_of_kinds *tests, size_t count,
		     const void *kinds, size_t nr_kinds, size_t stride)
{
	size_t i, kind;

	for (i = 0; i < count; i++)
		for (kind = 0; kind < nr_kinds; kind++)
			run_kind(&tests[i], kinds + kind * stride);
}

void tests_end(void)
{
	if (*saved_percent)
		write_text(PERCENT, saved_percent);
	set_usual_rate();
	test_modules_leave();
	ksft_finished();
}

struct perf_event_attr make_attr(__u32 type, __u64 config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = config;
	attr.disabled = 1;
	return attr;
}

struct perf_event_attr sw_attr(__u64 config)
{
	return make_attr(PERF_TYPE_SOFTWARE, config);
}

struct perf_event_attr hw_attr(__u64 config)
{
	return make_attr(PERF_TYPE_HARDWARE, config);
}

int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	      unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);

	/* A dry run has no descriptor and another structure. */
	if (fd >= 0 && !(flags & PERF_FLAG_DRY_RUN))
		validate_learn(fd, cpu, attr);
	return fd;
}

int open_on(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	int fd = perf_open(attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);

	CHECK(fd >= 0, "open type %u config %#llx pid %d cpu %d: %s",
	      attr->type, (unsigned long long)attr->config, pid, cpu,
	      strerror(errno));
	return fd;
}

int open_self(struct perf_event_attr *attr)
{
	return open_on(attr, 0, -1, -1);
}

int open_sibling(struct perf_event_attr *attr, int leader)
{
	return open_on(attr, 0, -1, leader);
}

void need_hardware(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd < 0)
		test_skip("no hardware counters: %s", strerror(errno));
	close(fd);
}

void need_breakpoints(void)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);
	static __u64 target;
	int fd;

	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&target;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0 && (errno == ENOENT || errno == EOPNOTSUPP ||
		       errno == ENODEV))
		test_skip("no hardware breakpoints: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void event_ioctl(int fd, unsigned long cmd, const char *what)
{
	CHECK(!ioctl(fd, cmd, 0), "%s: %s", what, strerror(errno));
}

void event_enable(int fd)
{
	event_ioctl(fd, PERF_EVENT_IOC_ENABLE, "enable");
}

void event_disable(int fd)
{
	event_ioctl(fd, PERF_EVENT_IOC_DISABLE, "disable");
}

void event_reset(int fd)
{
	event_ioctl(fd, PERF_EVENT_IOC_RESET, "reset");
}

void event_set_output(int fd, long to)
{
	CHECK(!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to), "SET_OUTPUT: %s",
	      strerror(errno));
}

__u64 event_id(int fd)
{
	__u64 id = 0;

	CHECK(!ioctl(fd, PERF_EVENT_IOC_ID, &id), "id: %s", strerror(errno));
	return id;
}

__u64 read_count(int fd)
{
	__u64 value = 0;
	ssize_t got = read(fd, &value, sizeof(value));

	CHECK(got == sizeof(value), "read returned %zd: %s", got,
	      strerror(errno));
	return value;
}

/* Reads until the count grows, which may take until another task has a CPU. */
bool event_grows(int fd)
{
	__u64 start = read_count(fd), end = now_ns() + 30 * NSEC_PER_SEC;

	do {
		if (read_count(fd) > start)
			return true;
		sched_yield();
	} while (now_ns() < end);
	return false;
}

struct timed_count read_timed(int fd)
{
	struct timed_count count = { 0 };
	ssize_t got = read(fd, &count, sizeof(count));

	CHECK(got == sizeof(count), "timed read returned %zd: %s", got,
	      strerror(errno));
	return count;
}

/* An emulated PMU may accept events that it cannot count. */
static void need_count(struct perf_event_attr attr)
{
	struct timed_count count;
	int fd;

	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0)
		return;
	burn(1000);
	count = read_timed(fd);
	if (count.running && !count.value)
		test_skip("branches are not counted here");
	close(fd);
}

/*
 * An event that needs a general counter even where special ones exist. The case
 * is skipped if it does not count; a PMU without room for it is not tried.
 */
struct perf_event_attr branch_attr(void)
{
	struct perf_event_attr attr =
		hw_attr(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);

	attr.read_format = FORMAT_TIMES;
	need_count(attr);
	return attr;
}

/* Takes all counters: the first event without one reads as end of file. */
struct counter_hog take_counters(void)
{
	struct perf_event_attr attr = branch_attr();
	struct counter_hog hog = { .counters = 0 };
	struct timed_count count;

	attr.pinned = 1;
	attr.disabled = 0;
	for (;;) {
		CHECK(hog.counters <= MAX_COUNTERS, "no end of counters");
		hog.fd[hog.counters] = open_self(&attr);
		burn(1000);
		if (!read(hog.fd[hog.counters], &count, sizeof(count)))
			break;
		hog.counters++;
	}
	close(hog.fd[hog.counters]);
	CHECK(hog.counters, "not one counter");
	return hog;
}

void give_counters(struct counter_hog *hog)
{
	while (hog->counters)
		close(hog->fd[--hog->counters]);
}

int count_counters(void)
{
	struct counter_hog hog = take_counters();
	int counters = hog.counters;

	give_counters(&hog);
	return counters;
}

/* Of the two counters of a small PMU the watchdog may have one. */
void need_counters(int needed)
{
	int counters;

	need_hardware();
	counters = count_counters();
	if (counters < needed)
		test_skip("%d of %d counters are free", counters, needed);
}

long read_long(const char *path)
{
	long value = -1;
	FILE *file = fopen(path, "r");

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

bool write_text(const char *path, const char *text)
{
	ssize_t len = strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, text, len) == len;
	close(fd);
	return ok;
}

/*
 * On a busy host interrupts seem to take long, and the kernel lowers its
 * maximum rate of samples, which would throttle or refuse the events of a test.
 * Where the rate cannot be written it is not lowered either.
 */
void set_usual_rate(void)
{
	write_text(MAX_RATE, "100000");
}

void need_low_rate(void)
{
	if (read_long(PERCENT) % 100 == 0)
		test_skip("sample rate cannot be written");
	if (!write_text(MAX_RATE, "1000"))
		test_skip("cannot lower " MAX_RATE);
}

/* Ends the case as skipped where there is no such PMU. */
__u32 pmu_type(const char *pmu)
{
	char path[128];
	long type;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type",
		 pmu);
	type = read_long(path);
	if (type < 0)
		test_skip("no PMU %s", pmu);
	return type;
}

static int nth_cpu(int n)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &usable_cpus) && n-- == 0)
			return cpu;
	test_skip("needs another CPU");
}

int first_cpu(void)
{
	return nth_cpu(0);
}

/* Ends the case as skipped on a machine with one CPU. */
int second_cpu(void)
{
	return nth_cpu(1);
}

void pin_task(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(!sched_setaffinity(pid, sizeof(set), &set), "pin to CPU %d: %s",
	      cpu, strerror(errno));
}

void pin_to_cpu(int cpu)
{
	pin_task(0, cpu);
}

void become_nobody(void)
{
	if (geteuid())
		test_skip("needs root");
	CHECK(!setgroups(0, NULL), "setgroups: %s", strerror(errno));
	CHECK(!setresgid(NOBODY, NOBODY, NOBODY), "setresgid");
	CHECK(!setresuid(NOBODY, NOBODY, NOBODY), "setresuid");
}

/* "group/event" to the number that goes into attr.config. */
int tracepoint_id(const char *name)
{
	static const char *const roots[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	char path[256];
	size_t i;
	long id;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		snprintf(path, sizeof(path), "%s/events/%s/id", roots[i], name);
		id = read_long(path);
		if (id > 0)
			return id;
	}
	test_skip("no tracepoint %s", name);
}

__u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

void join_child(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "child status %#x",
	      status);
}

struct helper helper_start(void (*body)(void *arg), void *arg)
{
	struct helper helper;
	int pipe_fd[2];
	char byte;

	CHECK(!pipe2(pipe_fd, O_CLOEXEC), "pipe");
	fflush(stdout);
	helper.pid = fork();
	CHECK(helper.pid >= 0, "fork: %s", strerror(errno));
	if (!helper.pid) {
		close(pipe_fd[1]);
		CHECK(read(pipe_fd[0], &byte, 1) == 1, "helper lost its parent");
		body(arg);
		child_finish();
	}
	close(pipe_fd[0]);
	helper.go = pipe_fd[1];
	return helper;
}

void helper_go(struct helper *helper)
{
	CHECK(write(helper->go, "", 1) == 1, "wake helper: %s",
	      strerror(errno));
}

void helper_join(struct helper *helper)
{
	join_child(helper->pid);
	close(helper->go);
}

void run_child(void (*body)(void *arg), void *arg)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		body(arg);
		child_finish();
	}
	join_child(pid);
}

/* Waits until both of two callers that share @arrived are here, each time. */
void meet(unsigned int *arrived)
{
	unsigned int mine = __atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);

	while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) / 2 == mine / 2)
		sched_yield();
}

struct part_of_two {
	void (*body)(void *arg);
	void *arg;
	int cpu;
	unsigned int *arrived;
};

static void *run_part(void *arg)
{
	const struct part_of_two *part = arg;

	pin_to_cpu(part->cpu);
	meet(part->arrived);
	part->body(part->arg);
	return NULL;
}

/* Runs @one here and, at the same time, @other in a thread on another CPU. */
void run_together(void (*one)(void *arg), void (*other)(void *arg), void *arg)
{
	unsigned int arrived = 0;
	struct part_of_two first = { one, arg, first_cpu(), &arrived };
	struct part_of_two second = { other, arg, second_cpu(), &arrived };
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, run_part, &second), "thread");
	run_part(&first);
	pthread_join(thread, NULL);
}

/* The child never runs on another CPU; the caller returns to the first one. */
pid_t start_burner(int cpu)
{
	int home = first_cpu();
	pid_t pid;

	pin_to_cpu(cpu);
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid)
		for (;;)
			burn(1000);
	pin_to_cpu(home);
	return pid;
}

void stop_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void show_stack(pid_t pid)
{
	char path[64], line[256];
	FILE *stack;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	stack = fopen(path, "r");
	while (stack && fgets(line, sizeof(line), stack))
		printf("#   %s", line);
	if (stack)
		fclose(stack);
	fflush(stdout);
}

static bool wait_patiently(pid_t pid, int *status)
{
	__u64 end = now_ns() + PROCESS_PATIENCE * NSEC_PER_SEC;

	while (now_ns() < end) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		usleep(10000);
	}
	return false;
}

/* Waits for a child that should exit by itself; shows where it hangs if not. */
bool process_ends(pid_t pid, int *status)
{
	if (wait_patiently(pid, status))
		return true;
	printf("# process %d does not end:\n", pid);
	show_stack(pid);
	kill(pid, SIGKILL);
	if (wait_patiently(pid, status))
		return false;
	printf("# process %d cannot be killed:\n", pid);
	show_stack(pid);
	return false;
}

/* Control message with room for one descriptor. */
union fd_control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static struct msghdr fd_message(struct iovec *iov, union fd_control *control)
{
	memset(control, 0, sizeof(*control));
	return (struct msghdr) {
		.msg_iov = iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(*control),
	};
}

/* Return: false if there is no room at the other end. */
bool send_fd(int to, int fd, void *about, size_t size)
{
	struct iovec iov = { about, size };
	union fd_control control;
	struct msghdr message = fd_message(&iov, &control);
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(int));
	return sendmsg(to, &message, MSG_DONTWAIT) > 0;
}

/* Return: the descriptor, or -1 if none has come; @about only with it. */
int receive_fd(int from, void *about, size_t size)
{
	struct iovec iov = { about, size };
	union fd_control control;
	struct msghdr message = fd_message(&iov, &control);
	struct cmsghdr *head;
	int fd = -1;

	if (recvmsg(from, &message, MSG_DONTWAIT) != (ssize_t)size)
		return -1;
	head = CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(head), sizeof(int));
	return fd;
}

int memory_fd(const char *name, size_t size)
{
	int fd = memfd_create(name, 0);

	CHECK(fd >= 0 && !ftruncate(fd, size), "memfd: %s", strerror(errno));
	return fd;
}

void *map_memory(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	return at;
}

/* Whatever the seed is, the state is neither small nor 0. */
__u64 rnd_seed(__u64 seed)
{
	return seed * 6364136223846793005ULL + 1442695040888963407ULL ?: 1;
}

unsigned int rnd(__u64 *state, unsigned int below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 16) % below;
}

/* One store, by an instruction that nothing else executes. */
void poke(char *at)
{
	__atomic_store_n(at, 1, __ATOMIC_RELAXED);
}

/* Exactly @count page faults from user mode, one a page. */
void touch_pages(unsigned int count)
{
	size_t page = sysconf(_SC_PAGESIZE), size = count * page;
	unsigned int i;
	char *area;

	area = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED, "mmap %zu bytes: %s", size, strerror(errno));
	madvise(area, size, MADV_NOHUGEPAGE);
	for (i = 0; i < count; i++)
		__atomic_store_n(&area[i * page], 1, __ATOMIC_RELAXED);
	munmap(area, size);
}

/* Makes more page faults than samples fit into one page of a buffer. */
void overfill_page(void)
{
	unsigned int left = sysconf(_SC_PAGESIZE) /
			    sizeof(struct perf_event_header);

	for (; left > 512; left -= 512)
		touch_pages(512);
	touch_pages(left);
}

static void bounce_partner(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1)
		if (write(out, &byte, 1) != 1)
			break;
	_exit(0);
}

/*
 * Send a byte to a partner on the same CPU and wait for it, @rounds times:
 * the caller is switched out at least once a round.
 */
void bounce(unsigned int rounds)
{
	int there[2], back[2];
	pid_t partner;
	char byte = 0;

	pin_to_cpu(first_cpu());
	CHECK(!pipe(there) && !pipe(back), "pipe");
	fflush(stdout);
	partner = fork();
	CHECK(partner >= 0, "fork: %s", strerror(errno));
	if (!partner) {
		close(there[1]);
		close(back[0]);
		bounce_partner(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	while (rounds--)
		CHECK(write(there[1], &byte, 1) == 1 &&
		      read(back[0], &byte, 1) == 1, "bounce");
	close(there[1]);
	close(back[0]);
	join_child(partner);
}

/* Two or three instructions a loop, one of them a branch. */
void burn(unsigned int loops)
{
	while (loops) {
		loops--;
		asm volatile("" : "+r" (loops));
	}
}

/* Work until @msec of the caller's own CPU time have gone by. */
void burn_ms(unsigned int msec)
{
	struct timespec ts;
	__u64 end = 0, now;

	do {
		burn(2000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		now = ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
		if (!end)
			end = now + msec * NSEC_PER_MSEC;
	} while (now < end);
}
