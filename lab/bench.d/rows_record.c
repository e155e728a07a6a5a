// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: side-band records, BPF output, mapping a buffer
 *
 * A record's row is the cost that the event adds to the operation that causes
 * the record.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/bpf.h>

#include "bench.h"

#define BUFFER_PAGES	64

static struct buffer buffer;

static void drop(void *arg)
{
	if (buffer.page)
		buffer_drop(&buffer);
}

#define TIMES	32

/* Makes a page of a file executable, which causes a record, and back. */
static void *file_page;

static void map_file(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	file_page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd < 0 || file_page == MAP_FAILED)
		die("/proc/self/exe");
}

static void map_executable(void *arg)
{
	unsigned int i;

	for (i = 0; i < TIMES; i++) {
		mprotect(file_page, 4096, PROT_READ | PROT_EXEC);
		mprotect(file_page, 4096, PROT_READ);
	}
}

static void rename_task(void *arg)
{
	unsigned int i;

	for (i = 0; i < TIMES; i++)
		prctl(PR_SET_NAME, "name");
}

static void call_getppid(void *arg)
{
	unsigned int i;

	for (i = 0; i < TIMES; i++)
		syscall(SYS_getppid);
}

enum kind {
	MMAP,
	MMAP2,
	COMM,
};

struct recorded {
	enum kind	kind;
	void		(*op)(void *arg);
};

static const struct recorded records[] = {
	[MMAP]	= { MMAP, map_executable },
	[MMAP2]	= { MMAP2, map_executable },
	[COMM]	= { COMM, rename_task },
};

static struct cost record_floor(const void *arg)
{
	const struct row *row = arg;

	map_file();
	fifo();
	return measure_prepared(drop, records[row->arg].op, NULL, TIMES);
}

static struct cost record_cost(const void *arg)
{
	const struct row *row = arg;
	struct perf_event_attr attr;
	struct cost cost;

	attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr.sample_id_all = 1;
	attr.mmap = row->arg == MMAP || row->arg == MMAP2;
	attr.mmap2 = row->arg == MMAP2;
	attr.comm = row->arg == COMM;
	buffer_map(&buffer, must_open(&attr, 0, -1, -1), BUFFER_PAGES);
	cost = record_floor(arg);
	if (!buffer_drop(&buffer))
		die("no records came");
	return cost;
}

static void run_record(const struct row *row)
{
	struct cost floor = in_child(record_floor, row);

	emit_cost(row, NULL, cost_sub(in_child(record_cost, row), floor));
}

/* A tracepoint that each system call passes: counted, or recorded with its arguments. */
static struct cost call_floor(const void *arg)
{
	fifo();
	return measure_prepared(drop, call_getppid, NULL, TIMES);
}

static struct cost call_cost(const void *arg)
{
	const struct row *row = arg;
	struct perf_event_attr attr;
	struct cost cost;
	int fd;

	attr = make_attr(PERF_TYPE_TRACEPOINT, tracepoint_id("raw_syscalls/sys_enter"));
	attr.sample_period = row->arg ? 1 : 0;
	attr.sample_type = row->arg;
	fd = must_open(&attr, 0, -1, -1);
	if (row->arg)
		buffer_map(&buffer, fd, BUFFER_PAGES);
	cost = call_floor(arg);
	call_getppid(NULL);
	if (row->arg && !buffer_drop(&buffer))
		die("no records came");
	return cost;
}

static void run_call(const struct row *row)
{
	struct cost floor = in_child(call_floor, row);

	emit_cost(row, NULL, cost_sub(in_child(call_cost, row), floor));
}

/* mmap and munmap of a buffer, and of as many anonymous pages. */
static void map_buffer(void *arg)
{
	struct buffer b;

	buffer_map(&b, *(int *)arg, BUFFER_PAGES);
	munmap(b.page, b.size);
}

/* A reader reads each page sooner or later. */
static void map_and_read(void *arg)
{
	struct buffer b;
	size_t at;

	buffer_map(&b, *(int *)arg, BUFFER_PAGES);
	for (at = 0; at < b.size; at += 4096)
		asm volatile("" : : "r" (((char *)b.page)[at]));
	munmap(b.page, b.size);
}

static void emit_map(const struct row *row, void (*map)(void *fd))
{
	struct perf_event_attr attr;
	int fd;

	attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	fd = must_open(&attr, 0, -1, -1);
	emit_cost(row, NULL, measure(map, &fd, 4));
}

static void run_map(const struct row *row)
{
	emit_map(row, map_buffer);
}

static void run_map_and_read(const struct row *row)
{
	emit_map(row, map_and_read);
}

static void map_pages(void *arg)
{
	size_t size = (BUFFER_PAGES + 1) * 4096;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	munmap(at, size);
}

static void run_pages(const struct row *row)
{
	emit_cost(row, NULL, measure(map_pages, NULL, 4));
}

/* BPF: a program at each system call that writes 16 bytes, or none. */
#define INSN(CODE, DST, SRC, OFF, IMM) \
	{ .code = CODE, .dst_reg = DST, .src_reg = SRC, .off = OFF, .imm = IMM }
#define MOV(DST, IMM)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, DST, 0, 0, IMM)
#define MOVR(DST, SRC)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, DST, SRC, 0, 0)
#define ADD(DST, IMM)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, DST, 0, 0, IMM)
#define STORE(OFF, IMM)	INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, OFF, IMM)
#define CALL(FUNC)	INSN(BPF_JMP | BPF_CALL, 0, 0, 0, FUNC)
#define LEAVE		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* An instruction of double size. */
#define MAP_FD(DST, FD)	INSN(BPF_LD | BPF_DW | BPF_IMM, DST, BPF_PSEUDO_MAP_FD, \
			     0, FD)
#define MAP_FD_REST	INSN(0, 0, 0, 0, 0)

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int must_bpf(int command, union bpf_attr *attr, const char *what)
{
	int ret = bpf(command, attr);

	if (ret < 0)
		refuse(what);
	return ret;
}

static int output_map(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_PERF_EVENT_ARRAY;
	attr.key_size = 4;
	attr.value_size = 4;
	attr.max_entries = 1;
	return must_bpf(BPF_MAP_CREATE, &attr, "BPF_MAP_CREATE");
}

static void put_event(int map, int fd)
{
	union bpf_attr attr;
	__u32 key = 0, value = fd;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&value;
	must_bpf(BPF_MAP_UPDATE_ELEM, &attr, "BPF_MAP_UPDATE_ELEM");
}

static int load(const struct bpf_insn *insns, unsigned int count)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = count;
	attr.license = (uintptr_t)"GPL";
	return must_bpf(BPF_PROG_LOAD, &attr, "BPF_PROG_LOAD");
}

static void attach(int prog)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (uintptr_t)"sys_enter";
	attr.raw_tracepoint.prog_fd = prog;
	must_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, "BPF_RAW_TRACEPOINT_OPEN");
}

static struct cost bpf_floor(const void *arg)
{
	static const struct bpf_insn insns[] = { MOV(BPF_REG_0, 0), LEAVE };

	attach(load(insns, ARRAY_SIZE(insns)));
	fifo();
	return measure_prepared(drop, call_getppid, NULL, TIMES);
}

static struct cost bpf_cost(const void *arg)
{
	struct perf_event_attr attr;
	int map = output_map();
	struct bpf_insn insns[] = {
		STORE(-16, 1), STORE(-8, 2),
		MAP_FD(BPF_REG_2, map), MAP_FD_REST, MOV(BPF_REG_3, 0),
		MOVR(BPF_REG_4, BPF_REG_10), ADD(BPF_REG_4, -16),
		MOV(BPF_REG_5, 16), CALL(BPF_FUNC_perf_event_output),
		MOV(BPF_REG_0, 0), LEAVE,
	};
	struct cost cost;
	int fd;

	attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
	attr.sample_type = PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	fd = must_open(&attr, -1, 0, -1);
	buffer_map(&buffer, fd, BUFFER_PAGES);
	put_event(map, fd);
	attach(load(insns, ARRAY_SIZE(insns)));
	fifo();
	cost = measure_prepared(drop, call_getppid, NULL, TIMES);
	call_getppid(NULL);
	if (!buffer_drop(&buffer))
		die("no records came");
	return cost;
}

static void run_bpf(const struct row *row)
{
	struct cost floor = in_child(bpf_floor, row);

	emit_cost(row, NULL, cost_sub(in_child(bpf_cost, row), floor));
}

static const struct row rows[] = {
	{ "record/mmap", run_record, .arg = MMAP },
	{ "record/mmap2", run_record, .arg = MMAP2 },
	{ "record/comm", run_record, .arg = COMM },
	{ "record/bpf-output", run_bpf },
	{ "record/tracepoint-counted", run_call },
	{ "record/tracepoint", run_call, .arg = PERF_SAMPLE_RAW },
	{ "floor/map-65-pages", run_pages },
	{ "buffer/map-unmap-64-pages", run_map },
	{ "buffer/map-read-unmap-64-pages", run_map_and_read },
};

const struct row_table record_table = { "one", rows, ARRAY_SIZE(rows) };
