// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of tasks that have no user memory: kernel threads, the idle task, and
 * tasks whose exit has given up their memory. These may show no user call
 * chain, registers or stack, since all that could be read belongs to another
 * task. Workers of io_uring have user memory, but no user registers.
 *
 * An event of a CPU samples each task switch, including the last one of an
 * exiting task.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define ROUNDS		32
#define DATA_PAGES	64
#define STACK_BYTES	256
#define PF_KTHREAD	0x200000

/* The pid in samples of a task that has given it up. */
#define GONE		((__u32)-1)

static struct perf_event_attr switch_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
			   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.exclude_callchain_kernel = 1;
	attr.sample_regs_user = 1;
	attr.sample_stack_user = STACK_BYTES;
	return attr;
}

static bool is_of_kernel(__u32 pid)
{
	unsigned int flags = 0;
	char path[32];
	FILE *file;

	if (!pid)
		return true;
	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %u",
		   &flags) != 1)
		flags = 0;
	fclose(file);
	return flags & PF_KTHREAD;
}

static void expect_no_user(const struct sample *sample)
{
	__u64 i;

	for (i = 0; i < sample->nr_ips; i++)
		EXPECT(sample->ips[i] != (__u64)PERF_CONTEXT_USER,
		       "a user's call chain of process %d", (int)sample->pid);
	EXPECT(sample->user_abi == PERF_SAMPLE_REGS_ABI_NONE,
	       "a user's registers of process %d", (int)sample->pid);
	EXPECT(!sample->stack_dyn_size, "a user's stack of process %d",
	       (int)sample->pid);
}

static void expect_user(const struct sample *sample)
{
	CHECK(sample->nr_ips && sample->ips[0] == (__u64)PERF_CONTEXT_USER,
	      "no call chain of the test itself");
	CHECK(sample->user_abi != PERF_SAMPLE_REGS_ABI_NONE,
	      "no registers of the test itself");
	CHECK(sample->stack_dyn_size, "no stack of the test itself");
}

struct found {
	unsigned int idle;
	unsigned int threads;
	unsigned int gone;
	unsigned int workers;
	unsigned int self;
};

static void look(const struct sample *sample, struct found *found)
{
	if (sample->pid == (__u32)getpid() && sample->tid != sample->pid) {
		found->workers++;
		expect_no_user(sample);
	} else if (sample->pid == (__u32)getpid()) {
		found->self++;
		expect_user(sample);
	} else if (sample->pid == GONE) {
		found->gone++;
		expect_no_user(sample);
	} else if (is_of_kernel(sample->pid)) {
		found->idle += !sample->pid;
		found->threads += !!sample->pid;
		expect_no_user(sample);
	}
}

/* Samples switches on the CPU where the caller and @work run. */
static struct found sample_switches(void (*work)(void))
{
	struct perf_event_attr attr = switch_attr();
	struct perf_event_header *header;
	struct found found = { 0 };
	struct perf_ring *ring;
	struct sample sample;
	int fd;

	pin_to_cpu(first_cpu());
	fd = open_on(&attr, -1, first_cpu(), -1);
	ring = ring_map(fd, DATA_PAGES);
	event_enable(fd);
	work();
	event_disable(fd);
	while ((header = ring_next(ring))) {
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		parse_sample(header, &attr, &sample);
		look(&sample, &found);
	}
	CHECK(found.self, "no sample of the test itself");
	return found;
}

static void sleep_often(void)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		usleep(2000);
}

static void threads_of_kernel(void)
{
	struct found found = sample_switches(sleep_often);

	CHECK(found.idle, "no sample of the idle task");
	printf("# %u samples of idle, %u of threads of the kernel\n",
	       found.idle, found.threads);
}

/* No parent waits for these tasks, so their pids go first. */
static void exit_often(void)
{
	unsigned int i;
	pid_t pid;

	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < ROUNDS; i++) {
		pid = fork();
		CHECK(pid >= 0, "fork: %s", strerror(errno));
		if (!pid)
			_exit(0);
		while (waitpid(pid, NULL, 0) > 0)
			;
	}
	signal(SIGCHLD, SIG_DFL);
}

static void exiting_tasks(void)
{
	struct found found = sample_switches(exit_often);

	CHECK(found.gone, "no sample of a task at its end");
	printf("# %u samples of tasks at their end\n", found.gone);
}

/* A ring with one request at a time. */
struct uring {
	int fd;
	char *rings;
	struct io_uring_sqe *sqe;
	struct io_uring_params params;
};

static struct uring make_uring(void)
{
	struct uring ring = { 0 };
	struct io_uring_params *p = &ring.params;

	ring.fd = syscall(SYS_io_uring_setup, 1, p);
	if (ring.fd < 0)
		test_skip("io_uring: %s\n", strerror(errno));
	ring.rings = mmap(NULL, p->sq_off.array + p->sq_entries * sizeof(__u32),
			  PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
			  IORING_OFF_SQ_RING);
	ring.sqe = mmap(NULL, sizeof(*ring.sqe), PROT_READ | PROT_WRITE,
			MAP_SHARED, ring.fd, IORING_OFF_SQES);
	CHECK(ring.rings != MAP_FAILED && ring.sqe != MAP_FAILED, "mmap: %s",
	      strerror(errno));
	return ring;
}

/* A worker does the read, and sleeps until the pipe has data. */
static void submit_read(struct uring *ring, int from, char *to)
{
	__u32 *tail = (__u32 *)(ring->rings + ring->params.sq_off.tail);

	*ring->sqe = (struct io_uring_sqe) {
		.opcode	= IORING_OP_READ,
		.flags	= IOSQE_ASYNC,
		.fd	= from,
		.addr	= (unsigned long)to,
		.len	= 1,
	};
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	CHECK(syscall(SYS_io_uring_enter, ring->fd, 1, 0, 0, NULL, 0) == 1,
	      "io_uring_enter: %s", strerror(errno));
}

static void read_by_workers(void)
{
	struct uring ring = make_uring();
	unsigned int i;
	int ends[2];
	char byte;

	CHECK(!pipe(ends), "pipe");
	for (i = 0; i < ROUNDS; i++) {
		byte = 0;
		submit_read(&ring, ends[0], &byte);
		usleep(2000);
		CHECK(write(ends[1], "x", 1) == 1, "pipe");
		while (!__atomic_load_n(&byte, __ATOMIC_ACQUIRE))
			usleep(1000);
	}
}

static void workers_of_io_uring(void)
{
	struct found found = sample_switches(read_by_workers);

	CHECK(found.workers, "no sample of a worker");
	printf("# %u samples of workers\n", found.workers);
}

static const struct test_case cases[] = {
	{ "CVE-2026-23159: no user side in threads of the kernel",
	  threads_of_kernel },
	{ "CVE-2025-38424: no user side at the end of a task", exiting_tasks },
	{ "no user side in workers of io_uring", workers_of_io_uring },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
