// SPDX-License-Identifier: GPL-2.0
/*
 * The contents of a sample. Every field is requested alone, then in many
 * combinations; the parser insists that the fields fill the record exactly.
 * Then the values are compared with values from elsewhere.
 *
 * Samples come from a page fault: it happens where and when the test wants, and
 * its address is known.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>

#include "perf_lib.h"

#define FAULTS		10
#define NR_SAMPLE_BITS	25
#define COMBINATIONS	300

/* Fields that every kernel has; others may be refused with EOPNOTSUPP. */
#define COMMON_FIELDS \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | \
	 PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW | PERF_SAMPLE_IDENTIFIER)

/* A mask of registers that every x86 task has; positions in it. */
#define USER_REGS	0x1ffULL
#define REG_SP		7
#define REG_IP		8

static struct perf_event_attr sampling_attr(__u64 type)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = type;
	attr.sample_regs_user = USER_REGS;
	attr.sample_regs_intr = USER_REGS;
	attr.sample_stack_user = type & PERF_SAMPLE_STACK_USER ? 256 : 0;
	return attr;
}

/* Return: the buffer, with samples of FAULTS page faults. */
static struct perf_ring *sample_faults(int fd)
{
	struct perf_ring *ring = ring_map(fd, 16);

	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	return ring;
}

static void check_combination(__u64 type)
{
	struct perf_event_attr attr = sampling_attr(type);
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct sample sample;
	int fd, samples = 0;

	attr.read_format = FORMAT_TIMES | PERF_FORMAT_ID;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0) {
		EXPECT(errno == EOPNOTSUPP && (type & ~COMMON_FIELDS),
		       "sample_type %#llx: %s", (unsigned long long)type,
		       strerror(errno));
		return;
	}
	ring = sample_faults(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		samples++;
	}
	CHECK(samples >= FAULTS, "sample_type %#llx: %d samples",
	      (unsigned long long)type, samples);
	close(fd);
	ring_unmap(ring);
}

static bool not_for_software(unsigned int bit)
{
	return 1ULL << bit == PERF_SAMPLE_BRANCH_STACK ||
	       1ULL << bit == PERF_SAMPLE_AUX;
}

static void each_alone(void)
{
	unsigned int bit;

	check_combination(0);
	for (bit = 0; bit < NR_SAMPLE_BITS; bit++)
		if (!not_for_software(bit))
			check_combination(1ULL << bit);
}

static void all_common(void)
{
	check_combination(COMMON_FIELDS);
}

/* Masks from a fixed sequence, so that a failure can be repeated. */
static void many_combinations(void)
{
	__u64 seed = 1, type;
	unsigned int i;

	for (i = 0; i < COMBINATIONS; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		type = seed >> 33 & ((1ULL << NR_SAMPLE_BITS) - 1);
		type &= ~(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX);
		if (type & PERF_SAMPLE_WEIGHT)
			type &= ~PERF_SAMPLE_WEIGHT_STRUCT;
		check_combination(i & 1 ? type : type & COMMON_FIELDS);
	}
}

static char *fresh_page(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED, "mmap");
	return at;
}

/* Finds the sample whose address is @at. */
static void find_sample(struct perf_ring *ring, struct perf_event_attr *attr,
			char *at, struct sample *out)
{
	struct perf_event_header *header;

	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, attr, out);
		if (out->addr != (unsigned long)at)
			continue;
		CHECK((header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		      PERF_RECORD_MISC_USER, "misc %#x", header->misc);
		return;
	}
	CHECK(0, "no sample for address %p", at);
}

static void sample_at(struct perf_event_attr *attr, int fd, char *at,
		      struct sample *out)
{
	struct perf_ring *ring = ring_map(fd, 16);

	event_enable(fd);
	poke(at);
	event_disable(fd);
	find_sample(ring, attr, at, out);
}

static void scalar_values(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_IDENTIFIER |
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
		PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD);
	/* Number 0 would also be found where nothing was written. */
	int cpu = second_cpu(), fd;
	__u64 before, after;
	struct sample sample;

	pin_to_cpu(cpu);
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	fd = open_self(&attr);
	before = now_ns();
	sample_at(&attr, fd, fresh_page() + 123, &sample);
	after = now_ns();
	EXPECT(sample.ip >= (unsigned long)poke &&
	       sample.ip < (unsigned long)poke + 64, "ip %#llx",
	       (unsigned long long)sample.ip);
	EXPECT(sample.pid == (__u32)getpid() && sample.tid == (__u32)gettid(),
	       "pid %u tid %u", sample.pid, sample.tid);
	EXPECT(sample.time >= before && sample.time <= after,
	       "time %llu not in %llu..%llu", (unsigned long long)sample.time,
	       (unsigned long long)before, (unsigned long long)after);
	EXPECT(sample.id == event_id(fd), "id");
	EXPECT(sample.identifier == sample.id, "identifier");
	EXPECT(sample.stream_id == sample.id, "stream_id");
	EXPECT(sample.cpu == (__u32)cpu && !sample.cpu_reserved, "cpu %u",
	       sample.cpu);
	EXPECT(sample.period == 1, "period %llu",
	       (unsigned long long)sample.period);
}

static void kernel_mode(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_IP |
						    PERF_SAMPLE_ADDR);
	int fd = open_self(&attr), zero = open("/dev/zero", O_RDONLY);
	struct perf_ring *ring = ring_map(fd, 4);
	struct perf_event_header *header;
	char *at = fresh_page();
	struct sample sample;

	event_enable(fd);
	CHECK(read(zero, at, 16) == 16, "/dev/zero");
	event_disable(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		if (sample.addr != (unsigned long)at)
			continue;
		CHECK((header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		      PERF_RECORD_MISC_KERNEL, "misc %#x", header->misc);
		CHECK((__s64)sample.ip < 0, "kernel ip %#llx",
		      (unsigned long long)sample.ip);
		return;
	}
	CHECK(0, "no sample for the fault in read()");
}

static void read_in_sample(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_READ);
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct sample sample;
	__u64 last = 0;
	int fd;

	attr.read_format = FORMAT_TIMES | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	fd = open_self(&attr);
	ring = sample_faults(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		CHECK(sample.read.event[0].value == last + 1,
		      "value %llu after %llu",
		      (unsigned long long)sample.read.event[0].value,
		      (unsigned long long)last);
		CHECK(sample.read.event[0].id == event_id(fd), "id");
		CHECK(sample.read.enabled && sample.read.running, "times");
		last++;
	}
	CHECK(last >= FAULTS, "%llu samples", (unsigned long long)last);
}

static void group_formats_in_sample(__u64 format)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_READ);
	struct perf_event_attr plain = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct sample sample;
	int fd, sibling, samples = 0;

	attr.read_format = PERF_FORMAT_GROUP | format;
	fd = open_self(&attr);
	plain.disabled = 0;
	sibling = open_sibling(&plain, fd);
	open_sibling(&plain, fd);
	ring = sample_faults(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		CHECK(sample.read.nr == 3, "%llu events",
		      (unsigned long long)sample.read.nr);
		if (format & PERF_FORMAT_ID)
			CHECK(sample.read.event[0].id == event_id(fd) &&
			      sample.read.event[1].id == event_id(sibling),
			      "ids");
		samples++;
	}
	CHECK(samples >= FAULTS, "%d samples", samples);
	close(fd);
}

static void group_read_in_sample(void)
{
	group_formats_in_sample(0);
	group_formats_in_sample(FORMAT_TIMES);
	group_formats_in_sample(PERF_FORMAT_ID);
	group_formats_in_sample(FORMAT_TIMES | PERF_FORMAT_ID);
	group_formats_in_sample(FORMAT_TIMES | PERF_FORMAT_ID |
				PERF_FORMAT_LOST);
}

static bool is_marker(__u64 ip)
{
	return ip >= PERF_CONTEXT_MAX;
}

static bool chain_has(const struct sample *sample, __u64 marker)
{
	__u64 i;

	for (i = 0; i < sample->nr_ips; i++)
		if (sample->ips[i] == marker)
			return true;
	return false;
}

static __u64 chain_frames(const struct sample *sample)
{
	__u64 i, frames = 0;

	for (i = 0; i < sample->nr_ips; i++)
		frames += !is_marker(sample->ips[i]);
	return frames;
}

static void user_callchain(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_IP |
		PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN);
	struct sample sample;
	int fd = open_self(&attr);

	sample_at(&attr, fd, fresh_page(), &sample);
	CHECK(sample.nr_ips >= 2 && sample.ips[0] == (__u64)PERF_CONTEXT_USER,
	      "%llu entries, first %#llx", (unsigned long long)sample.nr_ips,
	      (unsigned long long)sample.ips[0]);
	CHECK(sample.ips[1] == sample.ip, "first frame is not the ip");
	CHECK(!chain_has(&sample, PERF_CONTEXT_KERNEL), "kernel frames");
}

/* A switch happens in the kernel, for the task: the chain has both parts. */
static void switch_callchain(struct perf_event_attr *attr, struct sample *out)
{
	struct perf_event_header *header;
	struct perf_ring *ring;
	int fd;

	attr->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	fd = open_self(attr);
	ring = ring_map(fd, 16);
	event_enable(fd);
	bounce(3);
	event_disable(fd);
	header = ring_find(ring, PERF_RECORD_SAMPLE);
	CHECK(header, "no sample of a switch");
	parse_sample(header, attr, out);
}

static void mixed_callchain(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_CALLCHAIN);
	struct sample sample;

	switch_callchain(&attr, &sample);
	CHECK(sample.ips[0] == (__u64)PERF_CONTEXT_KERNEL, "no kernel part");
	CHECK(chain_has(&sample, PERF_CONTEXT_USER), "no user part");
	attr.exclude_callchain_user = 1;
	switch_callchain(&attr, &sample);
	CHECK(chain_has(&sample, PERF_CONTEXT_KERNEL) &&
	      !chain_has(&sample, PERF_CONTEXT_USER), "exclude user");
	attr.exclude_callchain_user = 0;
	attr.exclude_callchain_kernel = 1;
	switch_callchain(&attr, &sample);
	CHECK(!chain_has(&sample, PERF_CONTEXT_KERNEL) &&
	      chain_has(&sample, PERF_CONTEXT_USER), "exclude kernel");
}

static void short_callchain(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_CALLCHAIN);
	struct sample sample;

	attr.sample_max_stack = 3;
	switch_callchain(&attr, &sample);
	CHECK(chain_frames(&sample) <= 3, "%llu frames",
	      (unsigned long long)chain_frames(&sample));
}

/* Each event of one occurrence has the chain that it requests, in any order. */
static void own_callchains(void)
{
	struct perf_event_attr attr[3];
	struct perf_ring *ring[3];
	struct sample sample;
	int fd[3], i;

	for (i = 0; i < 3; i++) {
		attr[i] = sampling_attr(PERF_SAMPLE_CALLCHAIN);
		attr[i].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
		attr[i].exclude_callchain_user = i != 1;
		fd[i] = open_self(&attr[i]);
		ring[i] = ring_map(fd[i], 16);
	}
	for (i = 0; i < 3; i++)
		event_enable(fd[i]);
	bounce(3);
	for (i = 0; i < 3; i++)
		event_disable(fd[i]);
	for (i = 0; i < 3; i++) {
		struct perf_event_header *header =
			ring_find(ring[i], PERF_RECORD_SAMPLE);
		bool wanted = !attr[i].exclude_callchain_user;

		CHECK(header, "event %d: no sample of a switch", i);
		parse_sample(header, &attr[i], &sample);
		if (chain_has(&sample, PERF_CONTEXT_USER) != wanted)
			test_xfail("event %d has the chain of another", i);
	}
}

static void registers_and_stack(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_IP |
		PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_USER |
		PERF_SAMPLE_STACK_USER);
	struct sample sample;
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd < 0 && errno == EOPNOTSUPP)
		test_skip("no user registers or stack");
	CHECK(fd >= 0, "open: %s", strerror(errno));
#ifdef __x86_64__
	sample_at(&attr, fd, fresh_page(), &sample);
	CHECK(sample.user_abi == 2, "abi %llu",
	      (unsigned long long)sample.user_abi);
	CHECK(sample.user_regs[REG_IP] == sample.ip, "ip register");
	CHECK(sample.stack_size == 256 && sample.stack_dyn_size == 256,
	      "stack %llu of %llu", (unsigned long long)sample.stack_dyn_size,
	      (unsigned long long)sample.stack_size);
	CHECK(sample.user_regs[REG_SP] < (unsigned long)&sample &&
	      sample.user_regs[REG_SP] > (unsigned long)&sample - 65536,
	      "sp register");
#else
	(void)sample;
#endif
}

/* The largest stack that can be asked for is cut to what a record can hold. */
static void huge_stack(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_ADDR |
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER);
	struct sample sample;
	int fd;

	attr.sample_stack_user = 65528;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0 && errno == EOPNOTSUPP)
		test_skip("no user stack");
	CHECK(fd >= 0, "open: %s", strerror(errno));
	sample_at(&attr, fd, fresh_page(), &sample);
	CHECK(sample.stack_size <= 65528 &&
	      sample.stack_dyn_size <= sample.stack_size, "stack %llu of %llu",
	      (unsigned long long)sample.stack_dyn_size,
	      (unsigned long long)sample.stack_size);
}

#ifdef __x86_64__
/* Stores to @at while the stack pointer is @sp. */
static void poke_from_stack(char *at, char *sp)
{
	asm volatile("xchg %0, %%rsp; movb $1, (%1); xchg %0, %%rsp"
		     : "+r" (sp) : "r" (at) : "memory");
}

#define STACK_PAGES	2

/*
 * A stack of STACK_PAGES, and a page behind it that was never touched or, if
 * @guard, has become inaccessible.
 */
static char *make_stack(bool guard)
{
	size_t page = sysconf(_SC_PAGESIZE), size = STACK_PAGES * page, i;
	char *stack;

	stack = mmap(NULL, size + page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack != MAP_FAILED, "mmap: %s", strerror(errno));
	for (i = 0; i < size + guard; i++)
		stack[i] = i * 7 + i / page;
	CHECK(!guard || !mprotect(stack + size, page, PROT_NONE), "mprotect");
	return stack;
}

/* Checks the dump when @used bytes of the stack are in use. */
static void expect_dump(char *stack, size_t used)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_ADDR |
						    PERF_SAMPLE_STACK_USER);
	char *at = fresh_page(), *sp;
	struct perf_ring *ring;
	struct sample sample;
	int fd;

	attr.sample_stack_user = 4200;
	sp = stack + STACK_PAGES * sysconf(_SC_PAGESIZE) - used;
	fd = open_self(&attr);
	ring = ring_map(fd, 16);
	event_enable(fd);
	poke_from_stack(at, sp);
	event_disable(fd);
	find_sample(ring, &attr, at, &sample);
	EXPECT(sample.stack_size == attr.sample_stack_user, "room for %llu",
	       (unsigned long long)sample.stack_size);
	if (used > attr.sample_stack_user)
		used = attr.sample_stack_user;
	EXPECT(sample.stack_dyn_size == used, "%llu bytes, not %zu",
	       (unsigned long long)sample.stack_dyn_size, used);
	EXPECT(!memcmp(sample.stack, sp, used), "other bytes than %zu", used);
	ring_unmap(ring);
	close(fd);
}
#endif

/* A dump ends at memory that cannot be read or has not been touched. */
static void end_of_stack(void)
{
#ifdef __x86_64__
	static const size_t used[] = { 8, 512, 1000, 1001, 4096, 4104, 8000 };
	char *growing = make_stack(false), *guarded = make_stack(true);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(used); i++) {
		expect_dump(growing, used[i]);
		expect_dump(guarded, used[i]);
	}
#else
	test_skip("no stack pointer to move here");
#endif
}

static void page_sizes(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_ADDR |
		PERF_SAMPLE_IP | PERF_SAMPLE_CODE_PAGE_SIZE);
	struct sample sample;
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd < 0 && errno == EOPNOTSUPP)
		test_skip("no page sizes");
	CHECK(fd >= 0, "open: %s", strerror(errno));
	sample_at(&attr, fd, fresh_page(), &sample);
	CHECK(!(sample.code_page_size & (sample.code_page_size - 1)),
	      "code page of %llu", (unsigned long long)sample.code_page_size);
}

static void raw_of_software(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_ADDR |
						    PERF_SAMPLE_RAW);
	struct sample sample;

	sample_at(&attr, open_self(&attr), fresh_page(), &sample);
	CHECK((sample.raw_size + sizeof(__u32)) % sizeof(__u64) == 0,
	      "raw size %u", sample.raw_size);
}

static void on_a_cpu(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_ADDR |
		PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_ID);
	int cpu = first_cpu();
	struct sample sample;

	pin_to_cpu(cpu);
	sample_at(&attr, open_on(&attr, -1, cpu, -1), fresh_page(), &sample);
	CHECK(sample.tid == (__u32)gettid() && sample.cpu == (__u32)cpu,
	      "tid %u cpu %u", sample.tid, sample.cpu);
}

/* The first process of a namespace has number 1 there. */
static void sample_as_first_process(void *arg)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_ADDR |
						    PERF_SAMPLE_TID);
	struct sample sample;

	(void)arg;
	CHECK(getpid() == 1, "process %d of a new namespace", getpid());
	sample_at(&attr, open_self(&attr), fresh_page(), &sample);
	CHECK(sample.pid == 1 && sample.tid == 1, "pid %u tid %u", sample.pid,
	      sample.tid);
}

static void in_pid_namespace(void)
{
	if (unshare(CLONE_NEWPID))
		test_skip("no namespace of process ids: %s", strerror(errno));
	run_child(sample_as_first_process, NULL);
}

static const struct test_case cases[] = {
	{ "each field alone", each_alone },
	{ "all common fields", all_common },
	{ "many combinations", many_combinations },
	{ "values of the scalar fields", scalar_values },
	{ "samples from kernel mode", kernel_mode },
	{ "READ", read_in_sample },
	{ "READ of a group", group_read_in_sample },
	{ "CALLCHAIN of user mode", user_callchain },
	{ "CALLCHAIN of both modes", mixed_callchain },
	{ "CALLCHAIN with sample_max_stack", short_callchain },
	{ "each event's own call chain", own_callchains },
	{ "REGS_USER and STACK_USER", registers_and_stack },
	{ "STACK_USER of 64 KiB", huge_stack },
	{ "STACK_USER at the end of the stack", end_of_stack },
	{ "CODE_PAGE_SIZE", page_sizes },
	{ "RAW of an event without raw data", raw_of_software },
	{ "sample of a CPU event", on_a_cpu },
	{ "TID in a namespace of process ids", in_pid_namespace },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
