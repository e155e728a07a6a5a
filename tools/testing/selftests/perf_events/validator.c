// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the validator: records of this kernel are accepted, and each damage
 * to one of them is found.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define REGS		9
#define STACK		64
#define MAX_RECORD	4096

/* Offsets in the sample of rich_attr(), from the front and from the end. */
#define AT_IDENTIFIER	8
#define AT_IP		16
#define AT_TIME		32
#define AT_ID		48
#define AT_STREAM	56
#define AT_CPU		64
#define AT_READ_NR	80
#define AT_RUNNING	96
#define AT_CHAIN_NR	128
#define AT_CHAIN	136
#define AT_INTR_IP	(-8)
#define AT_INTR_ABI	(AT_INTR_IP - 16)
#define AT_USED		(AT_INTR_ABI - 8)
#define AT_STACK_SIZE	(AT_USED - STACK - 8)
#define AT_ABI		(AT_STACK_SIZE - 8 * REGS - 8)
#define AT_RAW_SIZE	(AT_ABI - 8)

/* Offsets in other records, behind header, pid and tid; and in the trailer. */
#define AT_NAME		16
#define AT_TASK_TIME	24
#define AT_MMAP_LEN	24
#define AT_OWN_CPU	(-16)
#define AT_OWN_STREAM	(-24)
#define AT_OWN_ID	(-32)
#define AT_OWN_TIME	(-40)

static struct perf_event_attr rich_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			   PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
			   PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |
			   PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			   PERF_SAMPLE_REGS_INTR;
	attr.read_format = FORMAT_TIMES | PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			   PERF_FORMAT_LOST;
	attr.sample_regs_user = (1 << REGS) - 1;
	attr.sample_regs_intr = 1ULL << IP_REG | 1;
	attr.sample_stack_user = STACK;
	attr.sample_id_all = 1;
	attr.exclude_kernel = 1;
	attr.comm = 1;
	attr.mmap = 1;
	attr.task = 1;
	return attr;
}

/**
 * struct damage - a change that makes a record wrong
 * @name: of the test
 * @type: of the record
 * @at: offset, from the end if it is negative
 * @bytes: number of bytes that are changed
 * @value: their new value
 * @add: @value is added to the old one
 */
struct damage {
	const char *name;
	__u32 type;
	int at;
	unsigned int bytes;
	__u64 value;
	bool add;
};

#define SET(text, type, ...)	{ text, PERF_RECORD_##type, __VA_ARGS__, false }
#define ADD(text, type, ...)	{ text, PERF_RECORD_##type, __VA_ARGS__, true }

static const struct damage damages[] = {
	SET("no type", SAMPLE, 0, 4, 0),
	SET("an unknown type", SAMPLE, 0, 4, PERF_RECORD_MAX),
	SET("a type that nobody asked for", SAMPLE, 0, 4, PERF_RECORD_SWITCH),
	SET("reserved bits of misc", SAMPLE, 4, 2, 0x8002),
	SET("an unknown mode", SAMPLE, 4, 2, 6),
	SET("misc of another type", COMM, 4, 2, 1 << 14),
	ADD("a size that is larger", SAMPLE, 6, 2, 8),
	ADD("a size that is smaller", SAMPLE, 6, 2, -8),
	ADD("a size that is odd", SAMPLE, 6, 2, 4),
	SET("a size of nothing", SAMPLE, 6, 2, 0),
	SET("kernel mode, which is excluded", SAMPLE, 4, 2, PERF_RECORD_MISC_KERNEL),
	SET("IP in the kernel, which is excluded", SAMPLE, AT_IP, 8, -4096),
	ADD("a foreign IDENTIFIER", SAMPLE, AT_IDENTIFIER, 8, 4096),
	ADD("a foreign ID", SAMPLE, AT_ID, 8, 1),
	SET("no STREAM_ID", SAMPLE, AT_STREAM, 8, 0),
	SET("no TIME", SAMPLE, AT_TIME, 8, 0),
	SET("TIME that goes back", SAMPLE, AT_TIME, 8, 1),
	SET("a wide CPU", SAMPLE, AT_CPU + 4, 4, 1),
	ADD("READ of more events", SAMPLE, AT_READ_NR, 8, 1),
	SET("READ of no event", SAMPLE, AT_READ_NR, 8, 0),
	SET("READ that ran longer than it could", SAMPLE, AT_RUNNING, 8, -1),
	ADD("a longer CALLCHAIN", SAMPLE, AT_CHAIN_NR, 8, 1),
	ADD("a shorter CALLCHAIN", SAMPLE, AT_CHAIN_NR, 8, -1),
	SET("an endless CALLCHAIN", SAMPLE, AT_CHAIN_NR, 8, 1ULL << 61),
	SET("CALLCHAIN without a marker", SAMPLE, AT_CHAIN, 8, 0x1000),
	SET("CALLCHAIN with an unknown marker", SAMPLE, AT_CHAIN, 8, -5),
	SET("CALLCHAIN of the kernel, which is excluded", SAMPLE, AT_CHAIN, 8,
	    PERF_CONTEXT_KERNEL),
	ADD("longer RAW", SAMPLE, AT_RAW_SIZE, 4, 8),
	ADD("RAW of odd size", SAMPLE, AT_RAW_SIZE, 4, 1),
	SET("an unknown abi", SAMPLE, AT_ABI, 8, 3),
	SET("no registers", SAMPLE, AT_ABI, 8, 0),
	ADD("a larger STACK_USER", SAMPLE, AT_STACK_SIZE, 8, 8),
	SET("no STACK_USER", SAMPLE, AT_STACK_SIZE, 8, 0),
	SET("STACK_USER with more than there is", SAMPLE, AT_USED, 8, STACK + 8),
	SET("an unknown abi of REGS_INTR", SAMPLE, AT_INTR_ABI, 8, 3),
	SET("REGS_INTR in the kernel, which is excluded", SAMPLE, AT_INTR_IP, 8,
	    -4096),
	SET("a name without end", COMM, AT_NAME, 8, 0x7878787878787878),
	SET("a name with something behind", COMM, AT_NAME + 7, 1, 'x'),
	ADD("a name that is too long", COMM, 6, 2, 16),
	SET("no time of a fork", FORK, AT_TASK_TIME, 8, 0),
	SET("a mapping of the kernel, which is excluded", MMAP, 4, 2,
	    PERF_RECORD_MISC_KERNEL),
	SET("an empty mapping", MMAP, AT_MMAP_LEN, 8, 0),
	ADD("a foreign id in the trailer", MMAP, AT_OWN_ID, 8, 1),
	SET("no stream in the trailer", MMAP, AT_OWN_STREAM, 8, 0),
	SET("no time in the trailer", MMAP, AT_OWN_TIME, 8, 0),
	SET("a wide CPU in the trailer", MMAP, AT_OWN_CPU + 4, 4, 1),
};

/* One valid record of each type, with room for one that grows. */
static union {
	struct perf_event_header header;
	char bytes[MAX_RECORD + 64];
} records[PERF_RECORD_MAX];

static void provoke(void)
{
	pid_t pid;

	prctl(PR_SET_NAME, "abc", 0, 0, 0);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
	     -1, 0);
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	touch_pages(3);
}

/* Return: an event whose buffer has them. */
static int collect(void)
{
	struct perf_event_attr attr = rich_attr();
	struct perf_event_header *header;
	int fd = open_self(&attr);
	struct perf_ring *ring = ring_map(fd, 16);

	event_enable(fd);
	provoke();
	event_disable(fd);
	while ((header = ring_next(ring))) {
		CHECK(header->size <= MAX_RECORD, "record of %u bytes",
		      header->size);
		memcpy(&records[header->type], header, header->size);
	}
	return fd;
}

static void apply(const struct damage *damage, void *record, size_t size)
{
	char *at = (char *)record + damage->at;
	__u64 value = 0;

	if (damage->at < 0)
		at += size;
	memcpy(&value, at, damage->bytes);
	value = damage->value + (damage->add ? value : 0);
	memcpy(at, &value, damage->bytes);
}

static void find_damage(const void *row)
{
	const struct damage *damage = row;
	struct perf_event_header *header;
	struct perf_validator validator;
	size_t size;
	int fd;

	fd = collect();
	header = &records[damage->type].header;
	size = header->size;
	CHECK(size, "no record of type %u", damage->type);
	validate_begin(&validator, fd);
	CHECK(validate_record(&validator, header, size + 64), "whole: %s",
	      validator.error);
	apply(damage, header, size);
	CHECK(!validate_record(&validator, header, size + 64), "not found");
	ksft_print_msg("%s: at %zu of %zu: %s\n", damage->name,
		       validator.error_at, size, validator.error);
}

/* Strict on all kernels, because the test makes the damage itself. */
int main(void)
{
	setenv("PERF_TEST_STRICT", "1", 1);
	tests_begin(ARRAY_SIZE(damages));
	tests_run_rows(damages, ARRAY_SIZE(damages), sizeof(damages[0]),
		       find_damage);
	tests_end();
}
