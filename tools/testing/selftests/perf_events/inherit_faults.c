// SPDX-License-Identifier: GPL-2.0
/*
 * Forks, opens, mappings and the like that find no memory: each allocation in
 * turn fails once. Whatever fails, events go on counting, the next try
 * succeeds, and nothing leaks. Needs a kernel with fault injection.
 *
 *	inherit_faults [STRIDE]
 *
 * With a stride only each STRIDE-th allocation fails, from a random one on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/hw_breakpoint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perf_books.h"
#include "perf_lib.h"
#include "test_pmu.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define DEBUGFS		"/sys/kernel/debug/"
#define MAX_NTH		2000
#define CALLS		3

/* Seconds for the rounds of a row, including its books. */
#define ROW_TIMEOUT	400

#define NEVER		1000000000

static char watched;
static int stride = 1;

static void make_calls(int count)
{
	while (count--) {
		syscall(SYS_getppid);
		poke(&watched);
	}
}

/* Selects allocations that may sleep, of every kind and size. */
static void prepare_faults(void)
{
	static const char *const settings[][2] = {
		{ DEBUGFS "failslab/verbose", "0" },
		{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/verbose", "0" },
		{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/min-order", "0" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (!write_text(settings[i][0], settings[i][1]))
			test_skip("no %s", settings[i][0]);
	}
	if (access(FAIL_NTH, W_OK))
		test_skip("no " FAIL_NTH);
}

/* A fault that is still pending may hit the first of these writes. */
static void arm(int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", nth);
	CHECK(write_text(FAIL_NTH, text) || write_text(FAIL_NTH, text),
	      "%s: %s", FAIL_NTH, strerror(errno));
}

/* Return: whether there were so many allocations that one failed. */
static bool disarm(void)
{
	long left = read_long(FAIL_NTH);

	arm(0);
	return !left;
}

/* Return: false when there was no allocation left to fail. */
typedef bool (*round_fn)(const void *row, int nth);

static void run_rounds(const void *row, round_fn round)
{
	struct books before;
	/* Each row and each run starts at another one. */
	int nth = 1 + getpid() % stride, failed = 0;

	alarm(ROW_TIMEOUT);
	/* The first round takes what is taken once and kept. */
	round(row, 0);
	open_books(&before);
	while (nth < MAX_NTH && round(row, nth)) {
		nth += stride;
		failed++;
	}
	CHECK(nth < MAX_NTH, "no end of allocations");
	ksft_print_msg("%d allocations failed\n", failed);
	expect_balance(&before);
}

/* What the first event is, and the second, if there is one. */
enum call_kind {
	CALLS_ONLY,
	WITH_READ,
	WITH_TRAP,
	WITH_CHAIN,
	AND_BREAKPOINT,
	AND_CYCLES,
};

/* What a round of a row does, once for each allocation. */
struct fault_row {
	struct test_row row;
	enum call_kind kind;
	bool per_cpu;		/* one for each CPU, with a buffer */
	bool by_task;		/* copies, no family */
	bool group;
	bool grow;		/* there is a family already */
	bool leave;		/* by opening, not by forking */
};

struct place {
	int leader;
	int second;
	struct perf_ring *ring;
};

struct round {
	const struct fault_row *how;
	struct place place[MAX_CPUS];
	int nr;
	__u64 expected;
};

static struct perf_event_attr call_attr(enum call_kind kind)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("syscalls/sys_enter_getppid"));

	if (kind == WITH_READ)
		attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ;
	if (kind == WITH_CHAIN)
		attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	if (attr.sample_type)
		attr.sample_period = 1;
	/* Only the copies matter here, not the signals. */
	if (kind == WITH_TRAP) {
		attr.sample_period = NEVER;
		attr.remove_on_exec = 1;
		attr.sigtrap = 1;
	}
	return attr;
}

static bool has_other_kind(enum call_kind kind)
{
	return kind == AND_BREAKPOINT || kind == AND_CYCLES;
}

static struct perf_event_attr second_attr(enum call_kind kind)
{
	struct perf_event_attr attr;

	if (kind == AND_CYCLES)
		return hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	if (kind != AND_BREAKPOINT)
		return call_attr(kind);
	attr = make_attr(PERF_TYPE_BREAKPOINT, 0);
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&watched;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.exclude_kernel = 1;
	return attr;
}

static int open_inherited(const struct round *round,
			  struct perf_event_attr attr, int cpu, int leader)
{
	attr.inherit = 1;
	attr.disabled = 0;
	attr.inherit_stat = round->how->by_task;
	return open_on(&attr, 0, cpu, leader);
}

static void open_place(struct round *round, int cpu)
{
	const struct fault_row *how = round->how;
	struct place *place = &round->place[round->nr++];

	place->leader = open_inherited(round, call_attr(how->kind), cpu, -1);
	place->second = -1;
	if (how->group || has_other_kind(how->kind))
		place->second = open_inherited(round, second_attr(how->kind),
					       cpu,
					       how->group ? place->leader : -1);
	place->ring = how->per_cpu ? ring_map(place->leader, 1) : NULL;
}

static void open_events(struct round *round)
{
	int cpu, nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!round->how->per_cpu) {
		open_place(round, -1);
		return;
	}
	for (cpu = 0; cpu < nr_cpus && cpu < MAX_CPUS; cpu++)
		open_place(round, cpu);
}

static void close_events(struct round *round)
{
	struct place *place;

	while (round->nr) {
		place = &round->place[--round->nr];
		if (place->ring)
			ring_unmap(place->ring);
		if (place->second >= 0)
			close(place->second);
		close(place->leader);
	}
}

static void count_some(void *arg)
{
	(void)arg;
	make_calls(CALLS);
}

static void check_second(const struct round *round, __u64 count, int nth)
{
	if (round->how->kind == AND_CYCLES) {
		CHECK(count, "fault %d: no cycles", nth);
		return;
	}
	CHECK(count + CALLS >= round->expected && count <= round->expected,
	      "fault %d: the second event has %llu of %llu", nth,
	      (unsigned long long)count, (unsigned long long)round->expected);
}

static void check_sum(const struct round *round, int nth)
{
	__u64 sum = 0, second = 0;
	int i;

	for (i = 0; i < round->nr; i++) {
		sum += read_count(round->place[i].leader);
		if (round->place[i].second >= 0)
			second += read_count(round->place[i].second);
	}
	CHECK(sum == round->expected, "fault %d: %llu of %llu calls", nth,
	      (unsigned long long)sum, (unsigned long long)round->expected);
	if (round->place[0].second >= 0)
		check_second(round, second, nth);
}

static bool fork_with_fault(struct round *round, int nth)
{
	bool failed;
	pid_t pid;

	fflush(stdout);
	arm(nth);
	pid = fork();
	if (!pid) {
		make_calls(CALLS);
		child_finish();
	}
	failed = disarm();
	CHECK(pid > 0 || failed, "fork: %s", strerror(errno));
	if (pid > 0) {
		join_child(pid);
		round->expected += CALLS;
	}
	return failed;
}

static bool open_with_fault(const struct round *round, pid_t pid, int nth)
{
	struct perf_event_attr attr = second_attr(round->how->kind);
	bool failed;
	int fd;

	arm(nth);
	fd = perf_open(&attr, pid, -1, -1, 0);
	failed = disarm();
	CHECK(fd >= 0 || failed, "open: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return failed;
}

static bool run_round(const void *row, int nth)
{
	const struct fault_row *how = row;
	struct round round = { .how = how };
	struct helper before;
	bool failed;

	open_events(&round);
	make_calls(CALLS);
	round.expected = CALLS;
	if (how->grow || how->leave)
		before = helper_start(count_some, NULL);

	if (how->leave)
		failed = open_with_fault(&round, before.pid, nth);
	else
		failed = fork_with_fault(&round, nth);

	make_calls(CALLS);
	run_child(count_some, NULL);
	round.expected += 2 * CALLS;
	if (how->grow || how->leave) {
		helper_go(&before);
		helper_join(&before);
		round.expected += CALLS;
	}
	check_sum(&round, nth);
	close_events(&round);
	return failed;
}

static void run_row(const void *row)
{
	const struct fault_row *how = row;

	prepare_faults();
	if (how->kind == AND_BREAKPOINT)
		need_breakpoints();
	if (how->kind == AND_CYCLES)
		need_hardware();
	run_rounds(row, run_round);
}

static const struct fault_row rows[] = {
	{ .row = { "the first fork" } },
	{ .row = { "the first fork, a group" }, .group = true },
	{ .row = { "a later fork" }, .grow = true },
	{ .row = { "a later fork, a group" }, .grow = true, .group = true },
	{ .row = { "a fork with counts by task" }, .by_task = true,
	  .group = true },
	{ .row = { "an event on a child" }, .leave = true },
	{ .row = { "an event on a child, a group" }, .leave = true,
	  .group = true },
	{ .row = { "the first fork, one for each CPU" }, .per_cpu = true },
	{ .row = { "a later fork, a group for each CPU" }, .per_cpu = true,
	  .grow = true, .group = true },
	{ .row = { "an event on a child, one for each CPU" }, .per_cpu = true,
	  .leave = true },
	{ .row = { "a fork with PERF_SAMPLE_READ" }, .kind = WITH_READ,
	  .per_cpu = true, .group = true },
	{ .row = { "an event with PERF_SAMPLE_READ on a child" },
	  .kind = WITH_READ, .leave = true },
	{ .row = { "a fork with sigtrap" }, .kind = WITH_TRAP },
	{ .row = { "a fork with sigtrap, a group" }, .kind = WITH_TRAP,
	  .group = true },
	{ .row = { "a fork with call chains" }, .kind = WITH_CHAIN,
	  .per_cpu = true },
	{ .row = { "an event with call chains on a child" },
	  .kind = WITH_CHAIN, .leave = true },
	{ .row = { "a fork with a breakpoint" }, .kind = AND_BREAKPOINT },
	{ .row = { "a fork with a breakpoint, a group" },
	  .kind = AND_BREAKPOINT, .group = true },
	{ .row = { "a breakpoint on a child" }, .kind = AND_BREAKPOINT,
	  .leave = true },
	{ .row = { "a fork with cycles" }, .kind = AND_CYCLES },
	{ .row = { "a fork with cycles, a group" }, .kind = AND_CYCLES,
	  .group = true, .grow = true },
	{ .row = { "cycles on a child" }, .kind = AND_CYCLES, .leave = true },
};

/* Other operations, each on events of its own. */

#define OP_EVENTS	2
#define MAP_PAGES	(1 + 8)
#define AREA_PAGES	4
#define TRACE_MODULE	"perf_test_aux"
#define TRACE_TYPE	"/sys/bus/event_source/devices/" TRACE_MODULE "/type"
#define TRACE_STEP	64

struct op {
	int fd[OP_EVENTS];
	int nr;
	size_t page_size;
	struct perf_event_mmap_page *page;
	void *area;
	struct helper child;
};

/**
 * struct op_row - an operation during which an allocation fails
 * @row: its name
 * @need: ends the case where it is not available
 * @begin: opens the events
 * @act: does it; false, with errno, if that fails
 * @check: checks its effect
 */
struct op_row {
	struct test_row row;
	void (*need)(void);
	void (*begin)(struct op *op);
	bool (*act)(struct op *op);
	void (*check)(struct op *op);
};

static void op_open(struct op *op, struct perf_event_attr *attr, int leader)
{
	op->fd[op->nr++] = open_on(attr, 0, -1, leader);
}

static void op_end(struct op *op)
{
	if (op->area)
		munmap(op->area, AREA_PAGES * op->page_size);
	if (op->page)
		munmap(op->page, MAP_PAGES * op->page_size);
	while (op->nr)
		close(op->fd[--op->nr]);
}

static bool op_map(struct op *op)
{
	void *at = mmap(NULL, MAP_PAGES * op->page_size, PROT_READ | PROT_WRITE,
			MAP_SHARED, op->fd[0], 0);

	if (at == MAP_FAILED)
		return false;
	op->page = at;
	return true;
}

/* All that event number @nr writes arrives in the buffer. */
static void expect_samples(struct op *op, int nr)
{
	event_enable(op->fd[nr]);
	make_calls(CALLS);
	event_disable(op->fd[nr]);
	CHECK(op->page->data_head == CALLS * 2 * sizeof(__u64),
	      "%llu bytes of samples",
	      (unsigned long long)op->page->data_head);
}

/* A buffer. */

static void begin_sampling(struct op *op)
{
	struct perf_event_attr attr = call_attr(CALLS_ONLY);

	attr.sample_type = PERF_SAMPLE_TID;
	attr.sample_period = 1;
	op_open(op, &attr, -1);
}

static void check_buffer(struct op *op)
{
	expect_samples(op, 0);
}

/* Another event's buffer. */

static void begin_output(struct op *op)
{
	begin_sampling(op);
	CHECK(op_map(op), "mmap: %s", strerror(errno));
	begin_sampling(op);
}

static bool act_output(struct op *op)
{
	return !ioctl(op->fd[1], PERF_EVENT_IOC_SET_OUTPUT, op->fd[0]);
}

static void check_output(struct op *op)
{
	expect_samples(op, 1);
}

/* The area of a trace. */

static void need_trace(void)
{
	test_module_need(TRACE_MODULE);
}

static void begin_trace(struct op *op)
{
	struct perf_event_attr attr = make_attr(read_long(TRACE_TYPE), 0);

	attr.config1 = TRACE_STEP;
	op_open(op, &attr, -1);
	CHECK(op_map(op), "mmap: %s", strerror(errno));
	op->page->aux_offset = MAP_PAGES * op->page_size;
	op->page->aux_size = AREA_PAGES * op->page_size;
}

static bool act_area(struct op *op)
{
	void *at = mmap(NULL, op->page->aux_size, PROT_READ | PROT_WRITE,
			MAP_SHARED, op->fd[0], op->page->aux_offset);

	if (at == MAP_FAILED)
		return false;
	op->area = at;
	return true;
}

static void check_area(struct op *op)
{
	event_enable(op->fd[0]);
	read_count(op->fd[0]);
	event_disable(op->fd[0]);
	CHECK(op->page->aux_head == TRACE_STEP, "%llu bytes of the trace",
	      (unsigned long long)op->page->aux_head);
	CHECK(test_module_parameter(TRACE_MODULE, "areas") == 1 &&
	      !test_module_parameter(TRACE_MODULE, "faults"), "the driver");
}

/* A filter, without which all system calls count. */

static void begin_filter(struct op *op)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("raw_syscalls/sys_enter"));

	attr.inherit = 1;
	op_open(op, &attr, -1);
}

static bool act_filter(struct op *op)
{
	char text[32];

	snprintf(text, sizeof(text), "id == %d", (int)SYS_getppid);
	return !ioctl(op->fd[0], PERF_EVENT_IOC_SET_FILTER, text);
}

static void check_filter(struct op *op)
{
	event_enable(op->fd[0]);
	make_calls(CALLS);
	run_child(count_some, NULL);
	event_disable(op->fd[0]);
	CHECK(read_count(op->fd[0]) == 2 * CALLS, "%llu of %d calls",
	      (unsigned long long)read_count(op->fd[0]), 2 * CALLS);
}

/* The sum of a group, with a copy. */

static void begin_group(struct op *op)
{
	struct perf_event_attr attr = call_attr(CALLS_ONLY);

	attr.inherit = 1;
	attr.disabled = 0;
	attr.read_format = PERF_FORMAT_GROUP;
	op_open(op, &attr, -1);
	op_open(op, &attr, op->fd[0]);
	op->child = helper_start(count_some, NULL);
	make_calls(CALLS);
}

static bool read_group(struct op *op, __u64 values[1 + OP_EVENTS])
{
	size_t size = (1 + OP_EVENTS) * sizeof(*values);

	return read(op->fd[0], values, size) == (ssize_t)size;
}

static bool act_group(struct op *op)
{
	__u64 values[1 + OP_EVENTS];

	return read_group(op, values);
}

static void check_group(struct op *op)
{
	__u64 values[1 + OP_EVENTS];

	helper_go(&op->child);
	helper_join(&op->child);
	CHECK(read_group(op, values), "read: %s", strerror(errno));
	CHECK(values[0] == OP_EVENTS && values[1] == 2 * CALLS &&
	      values[2] == 2 * CALLS, "%llu events, %llu and %llu calls",
	      (unsigned long long)values[0], (unsigned long long)values[1],
	      (unsigned long long)values[2]);
}

/* An operation that failed is repeated, and succeeds. */
static bool op_round(const void *row, int nth)
{
	struct op op = { .page_size = sysconf(_SC_PAGESIZE) };
	const struct op_row *how = row;
	bool done, failed;
	int error;

	how->begin(&op);
	arm(nth);
	done = how->act(&op);
	error = errno;
	failed = disarm();
	CHECK(done || failed, "fault %d: %s", nth, strerror(error));
	CHECK(done || how->act(&op), "after fault %d: %s", nth,
	      strerror(errno));
	how->check(&op);
	op_end(&op);
	return failed;
}

static void run_op_row(const void *row)
{
	const struct op_row *how = row;

	prepare_faults();
	if (how->need)
		how->need();
	run_rounds(row, op_round);
	if (how->need == need_trace)
		EXPECT(!test_module_parameter(TRACE_MODULE, "areas"),
		       "the driver has an area");
}

static const struct op_row op_rows[] = {
	{ .row = { "mapping a buffer" }, .begin = begin_sampling,
	  .act = op_map, .check = check_buffer },
	{ .row = { "mapping an area" }, .need = need_trace,
	  .begin = begin_trace, .act = act_area, .check = check_area },
	{ .row = { "SET_OUTPUT" }, .begin = begin_output, .act = act_output,
	  .check = check_output },
	{ .row = { "SET_FILTER" }, .begin = begin_filter, .act = act_filter,
	  .check = check_filter },
	{ .row = { "reading a group" }, .begin = begin_group,
	  .act = act_group, .check = check_group },
};

int main(int argc, char **argv)
{
	if (argc > 1)
		stride = atoi(argv[1]);
	if (stride < 1) {
		fprintf(stderr, "usage: %s [STRIDE]\n", argv[0]);
		return KSFT_FAIL;
	}
	tests_begin(ARRAY_SIZE(rows) + ARRAY_SIZE(op_rows));
	tests_run_rows(rows, ARRAY_SIZE(rows), sizeof(*rows), run_row);
	tests_run_rows(op_rows, ARRAY_SIZE(op_rows), sizeof(*op_rows),
		       run_op_row);
	tests_end();
}
