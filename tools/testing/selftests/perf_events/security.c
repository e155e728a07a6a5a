// SPDX-License-Identifier: GPL-2.0
/*
 * Which hooks of security modules are called, and the effect of their
 * refusals. The module "perf_test" of a kernel with PERF_TEST_LSM counts the
 * calls of its hooks, and refuses those that the test selects, with an errno
 * that no other code returns.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_lib.h"

#define PARAMETERS	"/sys/module/perf_test_lsm/parameters/"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define REFUSAL		EKEYREJECTED

/* As in kernel/events/tests/perf_test_lsm.c. */
enum hook {
	OPEN,
	CPU,
	KERNEL,
	TRACEPOINT,
	ALLOC,
	READ,
	WRITE,
	LOCKED_DOWN,
	ATTACH,
	HOOKS,
};

static const char *const hook_names[HOOKS] = {
	"open", "cpu", "kernel", "tracepoint", "alloc", "read", "write",
	"locked_down", "attach",
};

/* Open for writing, so that they can be used without privileges, too. */
static int refuse_fd, asked_fd;

static void refuse(unsigned int hooks)
{
	CHECK(dprintf(refuse_fd, "%u", hooks) > 0, "refuse: %s",
	      strerror(errno));
}

static void forget_questions(void)
{
	CHECK(pwrite(asked_fd, "0", 1, 0) == 1, "asked: %s", strerror(errno));
}

static void read_questions(int asked[HOOKS])
{
	char text[256];
	ssize_t len = pread(asked_fd, text, sizeof(text) - 1, 0);
	int i, used, at = 0;

	CHECK(len > 0, "asked: %s", strerror(errno));
	text[len] = 0;
	for (i = 0; i < HOOKS; i++) {
		CHECK(sscanf(text + at, "%d%n", &asked[i], &used) == 1,
		      "asked: %s", text);
		at += used;
	}
}

static void need_module(void)
{
	refuse_fd = open(PARAMETERS "refuse", O_WRONLY | O_CLOEXEC);
	asked_fd = open(PARAMETERS "asked", O_RDWR | O_CLOEXEC);
	if (refuse_fd < 0 || asked_fd < 0)
		test_skip("no security module perf_test");
	refuse(0);
}

/* Objects that a call needs, made while nothing is refused. */
struct target {
	struct perf_event_attr attr;
	int cpu;
	int fd;
};

/* The library's perf_open() also requests the event's number. */
static int call_open(struct target *target)
{
	return syscall(SYS_perf_event_open, &target->attr,
		       target->cpu < 0 ? 0 : -1, target->cpu, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

static int call_read(struct target *target)
{
	__u64 count;

	return read(target->fd, &count, sizeof(count)) == sizeof(count) ? 0 : -1;
}

static int call_mmap(struct target *target)
{
	size_t size = 2 * getpagesize();
	void *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  target->fd, 0);

	if (area == MAP_FAILED)
		return -1;
	munmap(area, size);
	return 0;
}

static int call_id(struct target *target)
{
	__u64 id;

	return ioctl(target->fd, PERF_EVENT_IOC_ID, &id);
}

static int call_enable(struct target *target)
{
	return ioctl(target->fd, PERF_EVENT_IOC_ENABLE, 0);
}

/*
 * A call, how often it calls each hook, in the order of the hooks, and the
 * attribute that it uses. Each hook that it calls may refuse it, except for
 * hooks whose refusal only leaves something out.
 */
struct question_row {
	const char *name;
	int (*call)(struct target *target);
	int asked[HOOKS];
	struct perf_event_attr attr;
	bool on_cpu;
	unsigned int leaves_out;
	/* The highest perf_event_paranoid at which a user without privileges may. */
	int level;
};

#define ROOT_ONLY	(-2)

#define SW(conf)	.type = PERF_TYPE_SOFTWARE, .config = (conf)
#define DUMMY_USER	SW(PERF_COUNT_SW_DUMMY), .exclude_kernel = 1
#define DUMMY_ALL	SW(PERF_COUNT_SW_DUMMY)

static const struct question_row rows[] = {
	{ .name = "open, user mode", .call = call_open, .level = 2,
	  .attr = { DUMMY_USER },
	  .asked = { [OPEN] = 1, [ALLOC] = 1 } },
	{ .name = "open, kernel mode", .call = call_open, .level = 1,
	  .attr = { DUMMY_ALL },
	  .asked = { [OPEN] = 1, [KERNEL] = 1, [ALLOC] = 1 } },
	{ .name = "open, a CPU", .call = call_open, .level = 0,
	  .attr = { DUMMY_USER }, .on_cpu = true,
	  .asked = { [OPEN] = 1, [CPU] = 1, [ALLOC] = 1 } },
	{ .name = "open, the kernel's call chain", .call = call_open, .level = 1,
	  .attr = { DUMMY_USER, .sample_type = PERF_SAMPLE_CALLCHAIN },
	  .asked = { [OPEN] = 1, [KERNEL] = 1, [ALLOC] = 1 } },
	{ .name = "open, physical addresses", .call = call_open, .level = ROOT_ONLY,
	  .attr = { DUMMY_USER, .sample_type = PERF_SAMPLE_PHYS_ADDR },
	  .asked = { [OPEN] = 1, [KERNEL] = 1, [ALLOC] = 1 } },
	{ .name = "open, code of the kernel that comes", .call = call_open, .level = 1,
	  .attr = { DUMMY_USER, .ksymbol = 1 }, .leaves_out = 1U << KERNEL,
	  .asked = { [OPEN] = 1, [KERNEL] = 1, [ALLOC] = 1 } },
	{ .name = "open, a tracepoint's data", .call = call_open, .level = -1,
	  .attr = { .type = PERF_TYPE_TRACEPOINT, .exclude_kernel = 1,
		    .sample_period = 1, .sample_type = PERF_SAMPLE_RAW },
	  .asked = { [OPEN] = 1, [TRACEPOINT] = 1, [ALLOC] = 1 } },
	{ .name = "open, registers at the interrupt", .call = call_open, .level = 2,
	  .attr = { DUMMY_USER, .sample_type = PERF_SAMPLE_REGS_INTR,
		    .sample_regs_intr = 1 },
	  .asked = { [OPEN] = 1, [ALLOC] = 1, [LOCKED_DOWN] = 1 } },
	{ .name = "read", .call = call_read, .level = 2, .attr = { DUMMY_USER },
	  .asked = { [READ] = 1 } },
	{ .name = "mmap", .call = call_mmap, .level = 2, .attr = { DUMMY_USER },
	  .asked = { [READ] = 1 } },
	{ .name = "ioctl ID", .call = call_id, .level = 2, .attr = { DUMMY_USER },
	  .asked = { [WRITE] = 1 } },
	{ .name = "ioctl ENABLE", .call = call_enable, .level = 2, .attr = { DUMMY_USER },
	  .asked = { [WRITE] = 1 } },
};

/* Only root sees tracefs, so root looks first. */
static int switch_id(void)
{
	static int id;

	if (!id)
		id = tracepoint_id("sched/sched_switch");
	return id;
}

static struct target make_target(const struct question_row *row)
{
	struct target target = { .attr = row->attr, .cpu = -1, .fd = -1 };

	target.attr.size = sizeof(target.attr);
	target.attr.disabled = 1;
	if (row->attr.type == PERF_TYPE_TRACEPOINT)
		target.attr.config = switch_id();
	if (row->on_cpu)
		target.cpu = first_cpu();
	if (row->call != call_open) {
		target.fd = call_open(&target);
		CHECK(target.fd >= 0, "open: %s", strerror(errno));
	}
	return target;
}

static void check_questions(const struct question_row *row)
{
	int asked[HOOKS], i;

	read_questions(asked);
	for (i = 0; i < HOOKS; i++)
		EXPECT(asked[i] == row->asked[i], "%s: asked %d times, not %d",
		       hook_names[i], asked[i], row->asked[i]);
}

/*
 * With one hook that refuses, the call fails if it calls that hook, and
 * succeeds if it does not.
 */
static void refuse_one(const struct question_row *row, int hook)
{
	struct target target = make_target(row);
	int ret, error;

	refuse(1U << hook);
	ret = row->call(&target);
	error = errno;
	refuse(0);
	if (row->asked[hook] && !(row->leaves_out & 1U << hook))
		EXPECT(ret < 0 && error == REFUSAL, "%s refuses: %d, %s",
		       hook_names[hook], ret, strerror(error));
	else
		EXPECT(ret >= 0, "%s refuses, which is nothing to the call: %s",
		       hook_names[hook], strerror(error));
}

static void run_call(const struct question_row *row)
{
	struct target target = make_target(row);
	int hook;

	forget_questions();
	CHECK(row->call(&target) >= 0, "without a refusal: %s", strerror(errno));
	check_questions(row);
	for (hook = 0; hook < HOOKS; hook++)
		refuse_one(row, hook);
	CHECK(row->call(&target) >= 0, "afterwards: %s", strerror(errno));
}

static void run_question_row(const void *arg)
{
	need_module();
	run_call(arg);
}

/* Hooks are called for users as for root, and their refusals count. */
static void users(void)
{
	const struct question_row *row;
	char level[16];

	need_module();
	switch_id();
	for (row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		if (row->level == ROOT_ONLY)
			continue;
		snprintf(level, sizeof(level), "%d", row->level);
		CHECK(write_text(PARANOID, level), "%s", strerror(errno));
		CHECK(!seteuid(NOBODY), "seteuid: %s", strerror(errno));
		printf("# %s\n", row->name);
		run_call(row);
		CHECK(!seteuid(0), "seteuid back: %s", strerror(errno));
	}
}

/* A call that is refused at its end undoes all its steps. */
static void refused_often(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_TASK_CLOCK);
	int i, fd, first;

	need_module();
	first = open_self(&attr);
	close(first);
	refuse(1U << ALLOC);
	for (i = 0; i < 1000; i++) {
		fd = perf_open(&attr, 0, -1, -1, 0);
		if (fd >= 0 || errno != REFUSAL)
			break;
	}
	refuse(0);
	CHECK(i == 1000, "open %d: %d, %s", i, fd, strerror(errno));
	fd = open_self(&attr);
	CHECK(fd == first, "descriptor %d, not %d", fd, first);
}

static void wait_for_signal(void *arg)
{
	(void)arg;
	pause();
}

static void watch_own_child(void *arg)
{
	struct perf_event_attr attr = { DUMMY_USER, .size = sizeof(attr) };
	struct helper child;
	int asked[HOOKS];

	(void)arg;
	become_nobody();
	/* After a change of its user a task may not be observed. */
	CHECK(!prctl(PR_SET_DUMPABLE, 1), "prctl: %s", strerror(errno));
	child = helper_start(wait_for_signal, NULL);
	helper_go(&child);
	forget_questions();
	refuse(1U << ATTACH);
	EXPECT(perf_open(&attr, child.pid, -1, -1, 0) >= 0, "a count: %s",
	       strerror(errno));
	read_questions(asked);
	EXPECT(!asked[ATTACH], "a count asked %d times", asked[ATTACH]);

	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	EXPECT(perf_open(&attr, child.pid, -1, -1, 0) < 0 && errno == EACCES,
	       "signals: %s", strerror(errno));
	refuse(0);
	EXPECT(perf_open(&attr, child.pid, -1, -1, 0) >= 0,
	       "signals, not refused: %s", strerror(errno));
	read_questions(asked);
	EXPECT(asked[ATTACH] == 2, "signals asked %d times", asked[ATTACH]);
	stop_child(child.pid);
}

/* An event that sends signals needs the right to debug the task. */
static void signals_need_attach(void)
{
	need_module();
	CHECK(write_text(PARANOID, "2"), "%s", strerror(errno));
	run_child(watch_own_child, NULL);
}

static const struct test_case cases[] = {
	{ "signals need the right to debug", signals_need_attach },
	{ "refused a thousand times", refused_often },
	{ "users without privileges", users },
};

int main(void)
{
	char paranoid[16];

	snprintf(paranoid, sizeof(paranoid), "%ld", read_long(PARANOID));
	tests_begin(ARRAY_SIZE(rows) + ARRAY_SIZE(cases));
	tests_run_rows(rows, ARRAY_SIZE(rows), sizeof(rows[0]), run_question_row);
	tests_run(cases, ARRAY_SIZE(cases));
	write_text(PARAMETERS "refuse", "0");
	write_text(PARANOID, paranoid);
	tests_end();
}
