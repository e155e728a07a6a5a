// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on events: a program attached by SET_BPF sees the overflow or
 * the tracepoint first, and decides whether there is a sample. A program can
 * write records of its own through a bpf-output event. bpf_helpers.c has what
 * else programs do with events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "bpf_insns.h"
#include "perf_lib.h"

#define ROUNDS	50
#define MAGIC	0x11223344

static struct perf_event_attr sampling_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP;
	return attr;
}

static void overflow_program(int verdict)
{
	struct perf_event_attr attr = sampling_attr();
	int fd = open_self(&attr);
	struct perf_ring *ring;
	unsigned int samples;

	ring = ring_map(fd, 8);
	CHECK(!attach(fd, load_return(BPF_PROG_TYPE_PERF_EVENT, verdict)),
	      "attach: %s", strerror(errno));
	event_enable(fd);
	touch_pages(ROUNDS);
	event_disable(fd);
	samples = ring_count(ring, PERF_RECORD_SAMPLE);
	CHECK(read_count(fd) >= ROUNDS, "does not count");
	if (verdict)
		CHECK(samples >= ROUNDS, "%u samples", samples);
	else
		CHECK(!samples, "%u samples in spite of the program", samples);
}

static void overflow_dropped(void)
{
	overflow_program(0);
}

static void overflow_kept(void)
{
	overflow_program(1);
}

static struct perf_event_attr rename_attr(void)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("task/task_rename"));

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	return attr;
}

static void rename_self(unsigned int count)
{
	while (count--)
		CHECK(!prctl(PR_SET_NAME, "bpf", 0, 0, 0), "PR_SET_NAME");
}

static void tracepoint_program(int prog, __u64 want)
{
	struct perf_event_attr attr = rename_attr();
	int fd = open_self(&attr);
	struct perf_ring *ring;

	ring = ring_map(fd, 16);
	CHECK(!attach(fd, prog), "attach: %s", strerror(errno));
	event_enable(fd);
	rename_self(ROUNDS);
	event_disable(fd);
	CHECK(read_count(fd) == want, "count %llu",
	      (unsigned long long)read_count(fd));
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) == want, "samples");
}

static void tracepoint_dropped(void)
{
	tracepoint_program(load_return(BPF_PROG_TYPE_TRACEPOINT, 0), 0);
}

static void tracepoint_kept(void)
{
	tracepoint_program(load_return(BPF_PROG_TYPE_TRACEPOINT, 1), ROUNDS);
}

/* A program that lets a record of task_rename pass if it shows this task. */
static int load_about_me(void)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_1, 8, 0),
		SET(BPF_REG_0, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_2, 0, 1, getpid()),
		SET(BPF_REG_0, 1),
		LEAVE,
	};

	return load_insns(BPF_PROG_TYPE_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* It sees the record, and nothing else: not the overflow that follows. */
static void tracepoint_sees_the_record(void)
{
	tracepoint_program(load_about_me(), ROUNDS);
}

/* Events of system calls are no static tracepoints, but have the same programs. */
static void syscall_kept(void)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("syscalls/sys_enter_getppid"));
	unsigned int i;
	int fd;

	attr.sample_period = 1;
	fd = open_self(&attr);
	CHECK(!attach(fd, load_return(BPF_PROG_TYPE_TRACEPOINT, 1)),
	      "attach: %s", strerror(errno));
	event_enable(fd);
	for (i = 0; i < ROUNDS; i++)
		syscall(SYS_getppid);
	event_disable(fd);
	CHECK(read_count(fd) == ROUNDS, "count %llu",
	      (unsigned long long)read_count(fd));
}

static void wrong_types(void)
{
	int tracepoint = load_return(BPF_PROG_TYPE_TRACEPOINT, 0);
	int overflow = load_return(BPF_PROG_TYPE_PERF_EVENT, 0);
	int filter = load_return(BPF_PROG_TYPE_SOCKET_FILTER, 0);
	struct perf_event_attr attr = sampling_attr();
	int fd = open_self(&attr);

	CHECK(attach(fd, tracepoint) && errno == EINVAL,
	      "tracepoint program on a software event: %s", strerror(errno));
	CHECK(attach(fd, filter) && errno == EINVAL,
	      "socket filter on a software event: %s", strerror(errno));
	attr = rename_attr();
	fd = open_self(&attr);
	CHECK(attach(fd, overflow) && errno == EINVAL,
	      "overflow program on a tracepoint: %s", strerror(errno));
}

static void attached_twice(void)
{
	struct perf_event_attr attr = sampling_attr();
	int prog = load_return(BPF_PROG_TYPE_PERF_EVENT, 0);
	int fd = open_self(&attr);

	CHECK(!attach(fd, prog), "first: %s", strerror(errno));
	CHECK(attach(fd, prog) && errno == EEXIST, "second: %s",
	      strerror(errno));
	attr = rename_attr();
	fd = open_self(&attr);
	prog = load_return(BPF_PROG_TYPE_TRACEPOINT, 0);
	CHECK(!attach(fd, prog), "first: %s", strerror(errno));
	CHECK(attach(fd, prog) && errno == EEXIST, "second: %s",
	      strerror(errno));
}

#define TRACING	"/sys/kernel/tracing"
#define TOO_FAR	1024

/* A program that reads a byte of its context. */
static int load_look_at(int offset)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_LDX | BPF_MEM | BPF_B, BPF_REG_0, BPF_REG_1, offset, 0),
		SET(BPF_REG_0, 0),
		LEAVE,
	};

	return load_insns(BPF_PROG_TYPE_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* Bytes of a record, from the last field of its format. */
static int rename_record_size(void)
{
	FILE *format = fopen(TRACING "/events/task/task_rename/format", "r");
	int offset, size, end = 0;
	char line[256], *at;

	while (format && fgets(line, sizeof(line), format)) {
		at = strstr(line, "offset:");
		if (at && sscanf(at, "offset:%d; size:%d", &offset, &size) == 2)
			end = offset + size;
	}
	CHECK(end > 8, "no format of task_rename");
	fclose(format);
	return end;
}

static void beyond_the_record(void)
{
	struct perf_event_attr attr = rename_attr();
	int fd = open_self(&attr), size = rename_record_size();

	CHECK(attach(fd, load_look_at(TOO_FAR)) && errno == EACCES,
	      "looks at byte %d: %s", TOO_FAR, strerror(errno));
	CHECK(attach(fd, load_look_at(size)) && errno == EACCES,
	      "looks behind the last field: %s", strerror(errno));
	CHECK(!attach(fd, load_look_at(size - 1)), "looks at the last field: %s",
	      strerror(errno));
}

/* A program that asks for the stack, 8 bytes of it, on its own stack. */
static int load_get_stack(void)
{
	const struct bpf_insn insns[] = {
		PUT(BPF_REG_10, -8, 0),
		COPY(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -8),
		SET(BPF_REG_3, 8),
		SET(BPF_REG_4, 0),
		CALL(get_stack),
		SET(BPF_REG_0, 0),
		LEAVE,
	};

	return load_insns(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns));
}

/*
 * With precise_ip the program sees the stack of the sample, so the sample needs
 * a whole one. A software event accepts precise_ip and ignores it.
 */
static void stack_without_callchain(void)
{
	struct perf_event_attr attr = sampling_attr();
	int prog = load_get_stack();

	attr.precise_ip = 1;
	CHECK(attach(open_self(&attr), prog) && errno == EPROTO,
	      "no call chain: %s", strerror(errno));
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr.exclude_callchain_user = 1;
	CHECK(attach(open_self(&attr), prog) && errno == EPROTO,
	      "the kernel's half of a call chain: %s", strerror(errno));
	attr.exclude_callchain_user = 0;
	attr.exclude_callchain_kernel = 1;
	CHECK(attach(open_self(&attr), prog) && errno == EPROTO,
	      "the user's half of a call chain: %s", strerror(errno));
	attr.exclude_callchain_kernel = 0;
	CHECK(!attach(open_self(&attr), prog), "call chain: %s",
	      strerror(errno));
	attr.precise_ip = 0;
	attr.sample_type &= ~PERF_SAMPLE_CALLCHAIN;
	CHECK(!attach(open_self(&attr), prog), "not precise: %s",
	      strerror(errno));
}

#define MOST_PROGRAMS	64

static void too_many(void)
{
	struct perf_event_attr attr = rename_attr();
	int fd, count;

	for (count = 0; count <= MOST_PROGRAMS; count++) {
		fd = open_self(&attr);
		if (attach(fd, load_return(BPF_PROG_TYPE_TRACEPOINT, 1)))
			break;
	}
	CHECK(count == MOST_PROGRAMS && errno == E2BIG,
	      "%d programs on one tracepoint, then %s", count, strerror(errno));
}

static void closed_and_gone(void)
{
	struct perf_event_attr attr = rename_attr();
	int one = open_self(&attr), two = open_self(&attr);
	int prog = load_return(BPF_PROG_TYPE_TRACEPOINT, 0);

	CHECK(!attach(one, prog), "attach: %s", strerror(errno));
	close(prog);
	event_enable(two);
	event_enable(one);
	rename_self(ROUNDS);
	close(one);
	rename_self(ROUNDS);
	CHECK(read_count(two) >= ROUNDS, "program stays after its event");
}

struct faulting {
	int link;
	int go[2];
	int done[2];
};

static void fault_when_told(struct faulting *child)
{
	char byte;

	close(child->link);
	close(child->go[1]);
	while (read(child->go[0], &byte, 1) == 1) {
		touch_pages(ROUNDS);
		CHECK(write(child->done[1], &byte, 1) == 1, "done");
	}
	child_finish();
}

static unsigned int samples_of_child(struct faulting *child,
				     struct perf_ring *ring)
{
	char byte = 0;

	CHECK(write(child->go[1], &byte, 1) == 1, "go");
	CHECK(read(child->done[0], &byte, 1) == 1, "the child is lost");
	return ring_count(ring, PERF_RECORD_SAMPLE);
}

/*
 * Closing a link detaches the program from the event and its copies. Counts are
 * by task, and the child goes to another CPU before it runs, so that no switch
 * exchanges the contexts of the two.
 */
static void link_closed(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct faulting child;
	struct perf_ring *ring;
	pid_t pid;
	int fd;

	pin_to_cpu(second_cpu());
	attr.inherit = 1;
	attr.inherit_stat = 1;
	fd = open_on(&attr, 0, first_cpu(), -1);
	ring = ring_map(fd, 16);
	child.link = try_link(load_return(BPF_PROG_TYPE_PERF_EVENT, 0), fd, 0,
			      0);
	CHECK(child.link >= 0, "link: %s", strerror(errno));
	CHECK(!pipe(child.go) && !pipe(child.done), "pipe");
	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		fault_when_told(&child);
	pin_task(pid, first_cpu());
	event_enable(fd);
	CHECK(!samples_of_child(&child, ring), "not dropped in the child");
	close(child.link);
	if (samples_of_child(&child, ring) < ROUNDS)
		test_xfail("the program stays with the child's copy");
	close(child.go[1]);
	join_child(pid);
}

struct query {
	struct perf_event_query_bpf head;
	__u32 ids[4];
};

static int ask(int fd, struct query *query, __u32 room)
{
	memset(query, 0, sizeof(*query));
	query->head.ids_len = room;
	return ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, query);
}

/* The query returns the programs of the tracepoint, not those of the event. */
static void query_programs(void)
{
	struct perf_event_attr attr = rename_attr();
	int one = open_self(&attr), two = open_self(&attr);
	int program = load_return(BPF_PROG_TYPE_TRACEPOINT, 1);
	struct query query;

	CHECK(!ask(one, &query, 4), "none: %s", strerror(errno));
	CHECK(!query.head.prog_cnt, "%u programs before", query.head.prog_cnt);
	CHECK(!attach(one, program), "attach: %s", strerror(errno));
	CHECK(!ask(one, &query, 4), "one: %s", strerror(errno));
	CHECK(query.head.prog_cnt == 1 && query.ids[0], "%u programs, id %u",
	      query.head.prog_cnt, query.ids[0]);
	CHECK(!attach(two, load_return(BPF_PROG_TYPE_TRACEPOINT, 1)),
	      "attach: %s", strerror(errno));
	CHECK(!ask(two, &query, 4), "two: %s", strerror(errno));
	CHECK(query.head.prog_cnt == 2 && query.ids[1], "%u programs, id %u",
	      query.head.prog_cnt, query.ids[1]);
	CHECK(ask(two, &query, 1) && errno == ENOSPC, "too little room: %s",
	      strerror(errno));
	CHECK(ask(two, &query, 1 << 20) && errno == E2BIG, "absurd room: %s",
	      strerror(errno));
}

static void query_refused(void)
{
	struct perf_event_attr attr = rename_attr();
	int fd = open_self(&attr);
	struct query query;

	load_return(BPF_PROG_TYPE_TRACEPOINT, 1);
	CHECK(ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, -4096L) && errno == EFAULT,
	      "bad pointer: %s", strerror(errno));
	CHECK(ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, 0) && errno == EFAULT,
	      "null pointer: %s", strerror(errno));
	CHECK(!ask(fd, &query, 0), "no room, none needed: %s",
	      strerror(errno));
	become_nobody();
	CHECK(ask(fd, &query, 4) && errno == EPERM, "as nobody: %s",
	      strerror(errno));
}

static int make_event_array(int event, int cpu)
{
	int map = make_event_map();

	CHECK(!put_event(map, cpu, event), "map update: %s", strerror(errno));
	return map;
}

/* Put MAGIC on the stack and send 8 bytes to the event of this CPU. */
static int load_output(int map)
{
	const struct bpf_insn insns[] = {
		PUT(BPF_REG_10, -8, MAGIC),
		MAP(BPF_REG_2, map),
		SET_U32(BPF_REG_3, -1),
		COPY(BPF_REG_4, BPF_REG_10),
		ADD(BPF_REG_4, -8),
		SET(BPF_REG_5, 8),
		CALL(perf_event_output),
		SET(BPF_REG_0, 0),
		LEAVE,
	};

	return load_insns(BPF_PROG_TYPE_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

static void output(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_BPF_OUTPUT);
	struct perf_event_attr trigger = rename_attr();
	struct perf_event_header *header;
	int cpu = first_cpu(), event, fd;
	unsigned int samples = 0;
	struct perf_ring *ring;
	struct sample sample;
	__u64 value;

	pin_to_cpu(cpu);
	attr.disabled = 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TID;
	event = open_on(&attr, -1, cpu, -1);
	ring = ring_map(event, 8);
	fd = open_self(&trigger);
	CHECK(!attach(fd, load_output(make_event_array(event, cpu))),
	      "attach: %s", strerror(errno));
	event_enable(fd);
	rename_self(ROUNDS);
	event_disable(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		CHECK(sample.raw_size >= sizeof(value), "raw size %u",
		      sample.raw_size);
		memcpy(&value, sample.raw, sizeof(value));
		CHECK(value == MAGIC, "value %#llx",
		      (unsigned long long)value);
		CHECK(sample.tid == (__u32)gettid(), "tid %u", sample.tid);
		samples++;
	}
	CHECK(samples == ROUNDS, "%u records", samples);
}

static const struct test_case cases[] = {
	{ "overflow program drops samples", overflow_dropped },
	{ "overflow program lets samples pass", overflow_kept },
	{ "tracepoint program drops events", tracepoint_dropped },
	{ "tracepoint program lets events pass", tracepoint_kept },
	{ "tracepoint program sees the record only", tracepoint_sees_the_record },
	{ "tracepoint program on a system call", syscall_kept },
	{ "programs of the wrong type", wrong_types },
	{ "attached twice", attached_twice },
	{ "looks beyond the record: EACCES", beyond_the_record },
	{ "stack of a precise event without call chain: EPROTO",
	  stack_without_callchain },
	{ "too many on one tracepoint: E2BIG", too_many },
	{ "closed", closed_and_gone },
	{ "a link is closed, with a child", link_closed },
	{ "QUERY_BPF", query_programs },
	{ "QUERY_BPF: bad pointer, no right", query_refused },
	{ "bpf-output", output },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
