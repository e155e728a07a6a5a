// SPDX-License-Identifier: GPL-2.0
/*
 * Records of events with random attributes. Each record holds exactly what the
 * attribute asks for, in any combination: the validator behind ring_next()
 * checks every byte. And none is missing: samples and losses add up to the
 * count.
 *
 *	sample_random [SEED [ATTRIBUTES]]
 *
 * The seed of a run is printed. It repeats the attributes, not what happens.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define MAX_SIBLINGS	5
#define MAX_STACK	127	/* default of sysctl_perf_event_max_stack */

/* Fields that no software event has. */
#define NOT_SAMPLED	(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX)
#define SAMPLE_BITS	25

#define READ_BITS	5

/* Registers that every 64-bit task has; other architectures are not listed. */
#if defined(__x86_64__)
#define REGISTERS	0xff0fffULL
#elif defined(__powerpc64__)
#define REGISTERS	0xffffffffULL
#else
#define REGISTERS	0ULL
#endif

static __u64 first_seed;
static unsigned int attributes = 40;

/* A frequent occurrence, and an event that counts it. */
struct workload {
	const char *name;
	struct perf_event_attr (*attr)(void);
	__u64 period;
	void (*run)(unsigned int times);
};

static struct perf_event_attr faults_attr(void)
{
	return sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
}

static struct perf_event_attr clock_attr(void)
{
	return sw_attr(PERF_COUNT_SW_CPU_CLOCK);
}

static struct perf_event_attr switches_attr(void)
{
	return sw_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
}

static struct perf_event_attr calls_attr(void)
{
	return make_attr(PERF_TYPE_TRACEPOINT,
			 tracepoint_id("raw_syscalls/sys_enter"));
}

/* These samples come from NMIs. */
static struct perf_event_attr cycles_attr(void)
{
	need_hardware();
	return hw_attr(PERF_COUNT_HW_CPU_CYCLES);
}

static void burn_times(unsigned int times)
{
	burn_ms(times / 2 + 1);
}

static void call_times(unsigned int times)
{
	while (times--)
		syscall(SYS_getppid);
}

static const struct workload workloads[] = {
	{ "page faults", faults_attr, 1, touch_pages },
	{ "CPU clock", clock_attr, 100000, burn_times },
	{ "context switches", switches_attr, 1, bounce },
	{ "system calls", calls_attr, 1, call_times },
	{ "cycles", cycles_attr, 200000, burn_times },
};

/* The first workloads are software events, which every machine has. */
#define NR_SOFTWARE	4

/* Return: a mask with bits of @of, each with a chance of 1 in @one_in. */
static __u64 random_bits(__u64 *state, __u64 of, unsigned int one_in)
{
	__u64 mask = 0, bit;

	for (bit = 1; bit && bit <= of; bit <<= 1)
		if (of & bit && !rnd(state, one_in))
			mask |= bit;
	return mask;
}

static void random_side_band(__u64 *state, struct perf_event_attr *attr)
{
	attr->sample_id_all = rnd(state, 2);
	attr->mmap = rnd(state, 2);
	attr->mmap_data = rnd(state, 2);
	attr->mmap2 = rnd(state, 2);
	attr->build_id = attr->mmap2 && rnd(state, 2);
	attr->comm = rnd(state, 2);
	attr->comm_exec = rnd(state, 2);
	attr->task = rnd(state, 2);
	attr->context_switch = rnd(state, 2);
	attr->cgroup = rnd(state, 2);
}

/*
 * Return: words of stack to dump. The base adds up the size of a sample in 16
 * bits; a sample that is a little too long leaves a hole of nearly 64 KiB in
 * the buffer. A dump of half that size is safe.
 */
static unsigned int large_stack(void)
{
	return getenv("PERF_TEST_STRICT") ? 8190 : 4096;
}

static void random_fields(__u64 *state, struct perf_event_attr *attr)
{
	unsigned int one_in = 1 + rnd(state, 4);

	attr->sample_type = random_bits(state, (1ULL << SAMPLE_BITS) - 1,
					one_in) & ~NOT_SAMPLED;
	if (attr->sample_type & PERF_SAMPLE_WEIGHT)
		attr->sample_type &= ~PERF_SAMPLE_WEIGHT_STRUCT;
	attr->read_format = random_bits(state, (1 << READ_BITS) - 1, 2);
	attr->sample_regs_user = random_bits(state, REGISTERS, 2);
	attr->sample_regs_intr = random_bits(state, REGISTERS, 2);
	if (!attr->sample_regs_user)
		attr->sample_type &= ~PERF_SAMPLE_REGS_USER;
	if (!attr->sample_regs_intr)
		attr->sample_type &= ~PERF_SAMPLE_REGS_INTR;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		attr->sample_stack_user = 8 * (1 + rnd(state, rnd(state, 2) ?
						      64 : large_stack()));
	if (rnd(state, 2))
		attr->sample_max_stack = 1 + rnd(state, MAX_STACK);
	attr->exclude_callchain_user = !rnd(state, 4);
	attr->exclude_callchain_kernel = !attr->exclude_callchain_user &&
					 !rnd(state, 4);
}

static struct perf_event_attr random_attr(__u64 *state,
					  const struct workload *work)
{
	struct perf_event_attr attr = work->attr();

	attr.sample_period = work->period * (1 + (rnd(state, 4) ? 0 :
						 rnd(state, 5)));
	random_fields(state, &attr);
	random_side_band(state, &attr);
	attr.exclude_kernel = !rnd(state, 8);
	attr.exclude_user = !attr.exclude_kernel && !rnd(state, 8);
	if (rnd(state, 2)) {
		attr.watermark = 1;
		attr.wakeup_watermark = rnd(state, 1 << 16);
	} else {
		attr.wakeup_events = rnd(state, 100);
	}
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return attr;
}

static void print_attr(const char *what, const struct perf_event_attr *attr)
{
	ksft_print_msg("%s: type %u config %llu sample_type %#llx\n", what,
		       attr->type, (unsigned long long)attr->config,
		       (unsigned long long)attr->sample_type);
	ksft_print_msg("read_format %#llx regs %#llx, %#llx stack %u\n",
		       (unsigned long long)attr->read_format,
		       (unsigned long long)attr->sample_regs_user,
		       (unsigned long long)attr->sample_regs_intr,
		       attr->sample_stack_user);
}

/* Return: a descriptor, or -1 if the kernel lacks something (EOPNOTSUPP). */
static int open_random(struct perf_event_attr *attr)
{
	int fd = perf_open(attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), error = errno;

	if (fd >= 0 || error == EOPNOTSUPP)
		return fd;
	print_attr("refused", attr);
	CHECK(0, "open: %s", strerror(error));
	return -1;
}

/* Siblings make the READ of a group longer. A group has one clock. */
static void add_siblings(__u64 *state, int leader, int *siblings)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_TASK_CLOCK);
	int i, nr = rnd(state, MAX_SIBLINGS);

	attr.disabled = 0;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	for (i = 0; i < MAX_SIBLINGS; i++)
		siblings[i] = i < nr ? open_sibling(&attr, leader) : -1;
}

/* Provokes each kind of side-band record, and does @work. */
static void be_busy(__u64 *state, const struct workload *work)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[16] = "";
	unsigned int i, len = rnd(state, 16);
	pid_t pid;

	for (i = 0; i < len; i++)
		name[i] = 'a' + rnd(state, 26);
	prctl(PR_SET_NAME, name, 0, 0, 0);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	work->run(1 + rnd(state, 30));
	munmap(at, 4096);
}

struct tally {
	unsigned long samples;
	unsigned long others;
};

static void drain(struct perf_ring *ring, struct tally *tally)
{
	struct perf_event_header *header;

	while ((header = ring_next(ring)))
		if (header->type == PERF_RECORD_SAMPLE)
			tally->samples++;
		else
			tally->others++;
}

/*
 * With one sample for each count, samples and lost samples add up to the count.
 * Lost records of other kinds count as lost, too.
 */
static void check_sum(int fd, const struct perf_event_attr *attr,
		      unsigned long samples)
{
	struct read_values got;
	char buf[1024];
	ssize_t len;

	if (attr->sample_period != 1)
		return;
	len = read(fd, buf, sizeof(buf));
	CHECK(len > 0, "read: %s", strerror(errno));
	parse_read(buf, len, attr->read_format, &got);
	EXPECT(samples <= got.event[0].value, "%lu samples of %llu", samples,
	       (unsigned long long)got.event[0].value);
	if (attr->read_format & PERF_FORMAT_LOST)
		EXPECT(samples + got.event[0].lost >= got.event[0].value,
		       "%lu samples, %llu lost of %llu", samples,
		       (unsigned long long)got.event[0].lost,
		       (unsigned long long)got.event[0].value);
}

static bool one_attr(__u64 *state, const struct workload *work,
		     struct tally *sum)
{
	struct perf_event_attr attr = random_attr(state, work);
	int fd = open_random(&attr), siblings[MAX_SIBLINGS], i;
	struct tally tally = { 0, 0 };
	struct perf_ring *ring;

	if (fd < 0)
		return false;
	ring = ring_map(fd, 1 << rnd(state, 7));
	add_siblings(state, fd, siblings);
	for (i = 0; i < 3; i++) {
		event_enable(fd);
		be_busy(state, work);
		event_disable(fd);
		drain(ring, &tally);
	}
	check_sum(fd, &attr, tally.samples);
	ring_unmap(ring);
	for (i = 0; i < MAX_SIBLINGS && siblings[i] >= 0; i++)
		close(siblings[i]);
	close(fd);
	sum->samples += tally.samples;
	sum->others += tally.others;
	return true;
}

static void report(const struct tally *sum, unsigned int refused)
{
	ksft_print_msg("%lu samples and %lu other records, %u attributes refused\n",
		       sum->samples, sum->others, refused);
	CHECK(sum->samples, "no samples");
}

static void random_attrs(const void *row)
{
	const struct workload *work = row;
	__u64 state = rnd_seed(first_seed + (work - workloads));
	struct tally sum = { 0, 0 };
	unsigned int i, refused = 0;

	pin_to_cpu(first_cpu());
	for (i = 0; i < attributes; i++)
		refused += !one_attr(&state, work, &sum);
	report(&sum, refused);
}

/* Events with different layouts in one buffer: IDENTIFIER tells them apart. */
static void one_buffer(__u64 *state, struct tally *sum)
{
	struct perf_event_attr attr;
	struct perf_ring *ring = NULL;
	int fds[NR_SOFTWARE], i;

	for (i = 0; i < NR_SOFTWARE; i++) {
		do {
			attr = random_attr(state, &workloads[i]);
			attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
			attr.sample_id_all = 1;
			fds[i] = open_random(&attr);
		} while (fds[i] < 0);
		if (!i)
			ring = ring_map(fds[0], 64);
		else
			CHECK(!ioctl(fds[i], PERF_EVENT_IOC_SET_OUTPUT, fds[0]),
			      "SET_OUTPUT: %s", strerror(errno));
	}
	for (i = 0; i < NR_SOFTWARE; i++)
		event_enable(fds[i]);
	for (i = 0; i < NR_SOFTWARE; i++)
		be_busy(state, &workloads[i]);
	for (i = 0; i < NR_SOFTWARE; i++)
		event_disable(fds[i]);
	drain(ring, sum);
	ring_unmap(ring);
	for (i = 0; i < NR_SOFTWARE; i++)
		close(fds[i]);
}

static void shared_buffer(void)
{
	__u64 state = rnd_seed(first_seed + ARRAY_SIZE(workloads));
	struct tally sum = { 0, 0 };
	unsigned int i;

	pin_to_cpu(first_cpu());
	for (i = 0; i < attributes; i++)
		one_buffer(&state, &sum);
	report(&sum, 0);
}

static const struct test_case cases[] = {
	{ "several events in one buffer", shared_buffer },
};

int main(int argc, char **argv)
{
	/* Other kernels, which are only compared with, get one seed. */
	first_seed = getenv("PERF_TEST_STRICT") ? (__u64)time(NULL) : 1;
	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		attributes = atoi(argv[2]);
	tests_begin(ARRAY_SIZE(workloads) + ARRAY_SIZE(cases));
	ksft_print_msg("seed %llu\n", (unsigned long long)first_seed);
	tests_run_rows(workloads, ARRAY_SIZE(workloads), sizeof(workloads[0]),
		       random_attrs);
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
