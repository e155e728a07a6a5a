// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions at open: perf_event_paranoid from -1 to 3, CAP_PERFMON, tracing
 * rights over the task. Level 3 (nothing without CAP_SYS_ADMIN) is Debian's.
 *
 * A row of the table says up to which level an unprivileged user may do a
 * thing and which errno ends it; each row is tried at all levels. A thing that no
 * PMU at hand can do is refused at the lower levels as well, but by the PMU. The sysctl
 * is set back at the end. Each row is tried by a user, then by the same user as root of
 * a user namespace of their own, which adds no rights here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/hw_breakpoint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define LOWEST		-1
#define HIGHEST		3
#define NEVER		(LOWEST - 1)

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

enum where { ON_SELF, ON_CPU, ON_ROOTS_TASK, ON_OWN_CHILD };

struct access_row {
	const char *name;
	int last_level;			/* the highest at which it works */
	int error;			/* above, up to level 2 */
	int error_below;		/* the PMU's, for users who have the right */
	struct perf_event_attr attr;
	enum where where;
	const char *tracepoint;
	bool hardware;
	bool kernel_too;		/* level 2 says EACCES first */
};

#define SW(conf)	.type = PERF_TYPE_SOFTWARE, .config = (conf)
#define DUMMY_USER	SW(PERF_COUNT_SW_DUMMY), .exclude_kernel = 1
#define DUMMY_ALL	SW(PERF_COUNT_SW_DUMMY)

static const struct access_row rows[] = {
	{ .name = "user mode of a task", .last_level = 2, .error = EACCES,
	  .attr = { DUMMY_USER } },
	{ .name = "kernel mode of a task", .last_level = 1, .error = EACCES,
	  .attr = { DUMMY_ALL } },
	{ .name = "user mode of a CPU", .last_level = 0, .error = EACCES,
	  .attr = { DUMMY_USER }, .where = ON_CPU },
	{ .name = "kernel mode of a CPU", .last_level = 0, .error = EACCES,
	  .attr = { DUMMY_ALL }, .where = ON_CPU },
	{ .name = "user mode, hardware", .last_level = 2, .error = EACCES,
	  .attr = { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1 },
	  .hardware = true },
	{ .name = "kernel mode, hardware", .last_level = 1, .error = EACCES,
	  .attr = { .type = PERF_TYPE_HARDWARE }, .hardware = true },
	{ .name = "kernel callchain", .last_level = 1, .error = EACCES,
	  .attr = { DUMMY_USER, .sample_type = PERF_SAMPLE_CALLCHAIN } },
	{ .name = "user callchain", .last_level = 2, .error = EACCES,
	  .attr = { DUMMY_USER, .sample_type = PERF_SAMPLE_CALLCHAIN,
		    .exclude_callchain_kernel = 1 } },
	{ .name = "physical addresses", .last_level = 1, .error = EACCES,
	  .attr = { DUMMY_USER, .sample_type = PERF_SAMPLE_PHYS_ADDR } },
	{ .name = "branches in user mode", .last_level = 2, .error = EACCES,
	  .error_below = EOPNOTSUPP,
	  .attr = { DUMMY_USER, .sample_type = PERF_SAMPLE_BRANCH_STACK,
		    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					  PERF_SAMPLE_BRANCH_USER } },
	{ .name = "branches in the kernel", .last_level = 1, .error = EACCES,
	  .error_below = EOPNOTSUPP,
	  .attr = { DUMMY_USER, .sample_type = PERF_SAMPLE_BRANCH_STACK,
		    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					  PERF_SAMPLE_BRANCH_KERNEL } },
	{ .name = "branches in the hypervisor", .last_level = 1,
	  .error = EACCES, .error_below = EOPNOTSUPP,
	  .attr = { DUMMY_USER, .sample_type = PERF_SAMPLE_BRANCH_STACK,
		    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					  PERF_SAMPLE_BRANCH_HV } },
	{ .name = "text_poke records", .last_level = 1, .error = EACCES,
	  .attr = { DUMMY_USER, .text_poke = 1 } },
	{ .name = "namespace records", .last_level = NEVER, .error = EACCES,
	  .attr = { DUMMY_USER, .namespaces = 1 } },
	{ .name = "another user's task", .last_level = NEVER,
	  .error = EACCES, .attr = { DUMMY_USER }, .where = ON_ROOTS_TASK },
	{ .name = "own child", .last_level = 2, .error = EACCES,
	  .attr = { DUMMY_USER }, .where = ON_OWN_CHILD },
	{ .name = "sigtrap in own child", .last_level = 2, .error = EACCES,
	  .attr = { DUMMY_USER, .sigtrap = 1, .remove_on_exec = 1 },
	  .where = ON_OWN_CHILD },
	{ .name = "tracepoint count", .last_level = 2, .error = EACCES,
	  .attr = { .type = PERF_TYPE_TRACEPOINT, .exclude_kernel = 1 },
	  .tracepoint = "sched/sched_switch" },
	{ .name = "tracepoint with raw data", .last_level = -1,
	  .error = EPERM, .tracepoint = "sched/sched_switch",
	  .attr = { .type = PERF_TYPE_TRACEPOINT, .exclude_kernel = 1,
		    .sample_period = 1, .sample_type = PERF_SAMPLE_RAW } },
	{ .name = "system call with raw data", .last_level = 2,
	  .error = EACCES, .tracepoint = "syscalls/sys_enter_getppid",
	  .attr = { .type = PERF_TYPE_TRACEPOINT, .exclude_kernel = 1,
		    .sample_period = 1, .sample_type = PERF_SAMPLE_RAW } },
	{ .name = "count of all functions", .last_level = -1, .error = EPERM,
	  .attr = { .type = PERF_TYPE_TRACEPOINT, .exclude_kernel = 1 },
	  .tracepoint = "ftrace/function" },
	{ .name = "kernel breakpoint", .last_level = NEVER, .error = EPERM,
	  .attr = { .type = PERF_TYPE_BREAKPOINT,
		    .bp_type = HW_BREAKPOINT_W, .bp_addr = -65536UL,
		    .bp_len = HW_BREAKPOINT_LEN_1 }, .kernel_too = true },
};

static void set_level(int level)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", level);
	if (!write_text(PARANOID, text))
		test_skip("cannot write " PARANOID);
	CHECK(read_long(PARANOID) == level, "level %d", level);
}

static void waiting_child(void *arg)
{
	(void)arg;
}

struct attempt {
	struct perf_event_attr attr;
	enum where where;
	int error;
	bool namespace;
};

/* With all capabilities, but not over objects that existed before. */
static void become_root_of_own(void)
{
	char map[32];

	if (unshare(CLONE_NEWUSER))
		test_skip("no user namespace: %s", strerror(errno));
	snprintf(map, sizeof(map), "0 %d 1", NOBODY);
	CHECK(write_text("/proc/self/setgroups", "deny") &&
	      write_text("/proc/self/uid_map", map) &&
	      write_text("/proc/self/gid_map", map), "map of ids: %s",
	      strerror(errno));
	CHECK(!geteuid() && !getegid(), "not root");
}

static void try_as_nobody(void *arg)
{
	struct attempt *attempt = arg;
	pid_t pid = 0, root = getppid();
	int fd, cpu = first_cpu();
	struct helper child;

	become_nobody();
	CHECK(!prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "PR_SET_DUMPABLE");
	if (attempt->namespace)
		become_root_of_own();
	child = helper_start(waiting_child, NULL);
	if (attempt->where == ON_ROOTS_TASK)
		pid = root;
	if (attempt->where == ON_OWN_CHILD)
		pid = child.pid;
	if (attempt->where == ON_CPU)
		fd = perf_open(&attempt->attr, -1, cpu, -1, 0);
	else
		fd = perf_open(&attempt->attr, pid, -1, -1, 0);
	if (!attempt->error)
		CHECK(fd >= 0, "refused: %s", strerror(errno));
	else
		CHECK(fd < 0 && errno == attempt->error, "fd %d, %s", fd,
		      fd < 0 ? strerror(errno) : "opened");
	helper_go(&child);
	helper_join(&child);
}

static int expected_error(const struct access_row *row, int level)
{
	int error = row->error;

	if (level > 2 || (level == 2 && row->kernel_too))
		error = EACCES;
	return level <= row->last_level ? row->error_below : error;
}

/* A kernel without user namespaces leaves that part out. */
static void expect_attempt(struct attempt *attempt, int level)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		try_as_nobody(attempt);
		child_finish();
	}
	waitpid(pid, &status, 0);
	EXPECT(WIFEXITED(status) &&
	       (!WEXITSTATUS(status) ||
		(attempt->namespace && WEXITSTATUS(status) == KSFT_SKIP)),
	       "level %d%s, expected %s", level,
	       attempt->namespace ? ", root of a namespace" : "",
	       strerror(attempt->error));
}

static void run_access_row(const void *arg)
{
	const struct access_row *row = arg;
	struct attempt attempt = { .attr = row->attr, .where = row->where };
	int level;

	if (row->hardware)
		need_hardware();
	if (row->attr.type == PERF_TYPE_BREAKPOINT)
		need_breakpoints();
	if (row->tracepoint)
		attempt.attr.config = tracepoint_id(row->tracepoint);
	attempt.attr.size = sizeof(attempt.attr);
	attempt.attr.disabled = 1;
	for (level = LOWEST; level <= HIGHEST; level++) {
		set_level(level);
		attempt.error = expected_error(row, level);
		attempt.namespace = false;
		expect_attempt(&attempt, level);
		attempt.namespace = true;
		expect_attempt(&attempt, level);
	}
}

static void root_may(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int level;

	for (level = LOWEST; level <= HIGHEST; level++) {
		set_level(level);
		open_self(&attr);
		open_on(&attr, -1, first_cpu(), -1);
		open_on(&attr, 1, -1, -1);
	}
}

/* Become nobody, but with one capability. */
static void keep_only(int cap)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	memset(data, 0, sizeof(data));
	data[cap / 32].permitted = 1U << cap % 32;
	data[cap / 32].effective = 1U << cap % 32;
	CHECK(!prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "PR_SET_KEEPCAPS");
	become_nobody();
	CHECK(!syscall(SYS_capset, &header, data), "capset: %s",
	      strerror(errno));
}

static void perfmon_child(void *arg)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int fd, level = *(int *)arg;

	keep_only(CAP_PERFMON);
	attr.namespaces = level <= 2;
	fd = perf_open(&attr, -1, first_cpu(), -1, 0);
	if (level > 2) {
		CHECK(fd < 0 && errno == EACCES, "level 3 with CAP_PERFMON");
		return;
	}
	CHECK(fd >= 0, "CPU event at level %d: %s", level, strerror(errno));
	CHECK(perf_open(&attr, getppid(), -1, -1, 0) >= 0,
	      "another user's task at level %d: %s", level, strerror(errno));
}

static void cap_perfmon(void)
{
	int level;

	for (level = LOWEST; level <= HIGHEST; level++) {
		set_level(level);
		run_child(perfmon_child, &level);
	}
}

/* Signals to another user's task need more than CAP_PERFMON. */
static void sigtrap_child(void *arg)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	(void)arg;
	keep_only(CAP_PERFMON);
	attr.exclude_kernel = 1;
	CHECK(perf_open(&attr, getppid(), -1, -1, 0) >= 0, "plain: %s",
	      strerror(errno));
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	CHECK(perf_open(&attr, getppid(), -1, -1, 0) < 0 && errno == EACCES,
	      "sigtrap: %s", strerror(errno));
}

static void sigtrap_needs_kill(void)
{
	set_level(2);
	run_child(sigtrap_child, NULL);
}

/*
 * A probe without a file: a user with the right gets the errno of a missing
 * file name.
 */
static void open_probe(const char *pmu, bool permitted)
{
	struct perf_event_attr attr = make_attr(pmu_type(pmu), 0);
	int fd = perf_open(&attr, 0, -1, -1, 0);

	CHECK(fd < 0, "%s: a probe without a name", pmu);
	EXPECT((errno != EACCES) == permitted, "%s: %s", pmu, strerror(errno));
}

static void probes_as_nobody(void *arg)
{
	(void)arg;
	become_nobody();
	open_probe("kprobe", false);
	open_probe("uprobe", false);
}

static void probes_with_perfmon(void *arg)
{
	(void)arg;
	keep_only(CAP_PERFMON);
	open_probe("kprobe", true);
	open_probe("uprobe", false);
}

/* A probe of a program is put into the memory of all tasks that run it. */
static void probes_need_more(void)
{
	set_level(-1);
	open_probe("uprobe", true);
	run_child(probes_as_nobody, NULL);
	run_child(probes_with_perfmon, NULL);
}

struct buffer_try {
	long limit;
	bool namespace;
};

static void big_buffer(void *arg)
{
	const struct buffer_try *try = arg;
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct rlimit none = { 0, 0 };
	size_t page = sysconf(_SC_PAGESIZE), pages = 1;
	int level = read_long(PARANOID);
	void *at;

	while (pages * page <= (size_t)try->limit)
		pages *= 2;
	become_nobody();
	CHECK(!prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "PR_SET_DUMPABLE");
	if (try->namespace)
		become_root_of_own();
	CHECK(!setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit");
	attr.exclude_kernel = 1;
	at = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE,
		  MAP_SHARED, open_self(&attr), 0);
	if (level < 0)
		CHECK(at != MAP_FAILED, "level -1: %s", strerror(errno));
	else
		CHECK(at == MAP_FAILED && errno == EPERM, "level %d: mapped",
		      level);
}

static void no_limit_at_minus_one(void)
{
	struct buffer_try try = {
		.limit = read_long("/proc/sys/kernel/perf_event_mlock_kb") *
			 1024 * sysconf(_SC_NPROCESSORS_ONLN),
	};

	set_level(-1);
	run_child(big_buffer, &try);
	set_level(0);
	run_child(big_buffer, &try);
}

/* CAP_IPC_LOCK in a user namespace of one's own does not lift the limit. */
static void limit_in_a_namespace(void)
{
	struct buffer_try try = {
		.limit = read_long("/proc/sys/kernel/perf_event_mlock_kb") *
			 1024 * sysconf(_SC_NPROCESSORS_ONLN),
		.namespace = true,
	};

	if (access("/proc/self/ns/user", F_OK))
		test_skip("no user namespaces");
	set_level(0);
	run_child(big_buffer, &try);
}

/* An open event stays usable: the level matters at perf_event_open() only. */
static void after_open(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;

	set_level(1);
	become_nobody();
	attr.disabled = 0;
	fd = open_self(&attr);
	touch_pages(10);
	event_disable(fd);
	event_enable(fd);
	CHECK(read_count(fd) >= 10, "count");
	ring_map(fd, 1);
}

static const struct test_case cases[] = {
	{ "root at all levels", root_may },
	{ "CAP_PERFMON", cap_perfmon },
	{ "sigtrap needs CAP_KILL beside CAP_PERFMON", sigtrap_needs_kill },
	{ "kprobes need CAP_PERFMON, uprobes CAP_SYS_ADMIN", probes_need_more },
	{ "no memory limit at level -1", no_limit_at_minus_one },
	{ "memory limit of root of a user namespace", limit_in_a_namespace },
	{ "use of an open event", after_open },
};

int main(void)
{
	char saved[16];

	snprintf(saved, sizeof(saved), "%ld", read_long(PARANOID));
	tests_begin(ARRAY_SIZE(rows) + ARRAY_SIZE(cases));
	tests_run_rows(rows, ARRAY_SIZE(rows), sizeof(rows[0]),
		       run_access_row);
	tests_run(cases, ARRAY_SIZE(cases));
	write_text(PARANOID, saved);
	tests_end();
}
