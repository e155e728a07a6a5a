/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the perf_events selftests share: a runner that gives every case a
 * process of its own, wrappers around perf_event_open(2), a reader of the ring
 * buffer, a parser of samples and a few workloads whose effect on a counter is
 * known beforehand.
 *
 * A case ends by returning (pass), through CHECK() (fail), test_skip(), or
 * test_xfail() for faults of widely used kernels; with PERF_TEST_STRICT in the
 * environment that is a failure as well. EXPECT() notes a failure and goes on,
 * for loops that show all of their failures. Because the process of a case ends
 * with it, cases do not close what they open unless closing is what they test.
 */
#ifndef SELFTEST_PERF_LIB_H
#define SELFTEST_PERF_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/perf_event.h>

#include "kselftest.h"
#include "perf_validate.h"

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

/* uid and gid of the cases that drop root. */
#define NOBODY		65534

/**
 * struct test_case - one line of TAP output
 * @name: what is shown
 * @run: the test, called in a process of its own
 */
struct test_case {
	const char *name;
	void (*run)(void);
};

/* What every row of a table of tests begins with. */
struct test_row {
	const char *name;
};

/* A program with several kinds of events defines it; the name comes first. */
struct kind;

/**
 * struct test_of_kinds - a test that is run for each kind
 * @name: what is shown before the kind's name
 * @run: the test, called in a process of its own that is pinned to first_cpu()
 */
struct test_of_kinds {
	const char *name;
	void (*run)(const struct kind *kind);
};

void tests_begin(unsigned int planned);
void tests_run(const struct test_case *cases, size_t count);
void tests_run_rows(const void *rows, size_t count, size_t stride,
		    void (*run)(const void *row));
void tests_run_kinds(const struct test_of_kinds *tests, size_t count,
		     const void *kinds, size_t nr_kinds, size_t stride);
__noreturn void tests_end(void);

/* Between the first two: the kernel does not lower the rate of samples then. */
void tests_keep_rate(void);

__noreturn __printf(3, 4)
void test_fail(const char *file, int line, const char *fmt, ...);
__printf(3, 4)
void test_note(const char *file, int line, const char *fmt, ...);
__noreturn __printf(1, 2)
void test_skip(const char *fmt, ...);
__noreturn __printf(1, 2)
void test_xfail(const char *fmt, ...);

__printf(1, 2)
bool test_remark(const char *fmt, ...);
void test_retry(bool (*attempt)(void *arg), void *arg);
void test_retry_or_xfail(bool (*attempt)(void *arg), void *arg,
			 const char *why);

#define CHECK(cond, ...) \
	((cond) ? (void)0 : test_fail(__FILE__, __LINE__, __VA_ARGS__))

#define EXPECT(cond, ...) \
	((cond) ? (void)0 : test_note(__FILE__, __LINE__, __VA_ARGS__))

/* Opening and the single-value operations. */
struct perf_event_attr make_attr(__u32 type, __u64 config);
struct perf_event_attr sw_attr(__u64 config);
struct perf_event_attr hw_attr(__u64 config);
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	      unsigned long flags);
int open_on(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd);
int open_self(struct perf_event_attr *attr);
int open_sibling(struct perf_event_attr *attr, int leader);
void need_hardware(void);
void need_breakpoints(void);
void event_enable(int fd);
void event_disable(int fd);
void event_reset(int fd);
void event_set_output(int fd, long to);
__u64 event_id(int fd);
__u64 read_count(int fd);
bool event_grows(int fd);

/* value, time enabled, time running: the layout of the two time bits. */
struct timed_count {
	__u64 value;
	__u64 enabled;
	__u64 running;
};

#define FORMAT_TIMES \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct timed_count read_timed(int fd);

/* No machine that is known has more general counters. */
#define MAX_COUNTERS	16

/* Pinned events of the caller that hold all general counters. */
struct counter_hog {
	int fd[MAX_COUNTERS + 1];
	int counters;
};

struct perf_event_attr branch_attr(void);
struct counter_hog take_counters(void);
void give_counters(struct counter_hog *hog);
int count_counters(void);
void need_counters(int needed);

/* The ring buffer. */
struct perf_ring {
	struct perf_event_mmap_page *page;
	char *data;
	size_t map_size;
	size_t data_size;
	__u64 tail;
	struct perf_validator validator;
	union {
		struct perf_event_header header;
		char bytes[1 << 16];
	} record;
};

struct perf_ring *ring_map(int fd, size_t data_pages);
void ring_unmap(struct perf_ring *ring);
__u64 ring_head(const struct perf_ring *ring);
void ring_skip_all(struct perf_ring *ring);
struct perf_event_header *ring_next(struct perf_ring *ring);
struct perf_event_header *ring_find(struct perf_ring *ring, __u32 type);
unsigned int ring_count(struct perf_ring *ring, __u32 type);
const void *record_body(const struct perf_event_header *header);

#define MAX_GROUP	8

struct read_values {
	__u64 nr;
	__u64 enabled;
	__u64 running;
	struct {
		__u64 value;
		__u64 id;
		__u64 lost;
	} event[MAX_GROUP];
};

/* All that a sample or a sample_id trailer can hold; absent parts are 0. */
struct sample {
	__u64 identifier;
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u64 addr;
	__u64 id;
	__u64 stream_id;
	__u32 cpu;
	__u32 cpu_reserved;
	__u64 period;
	struct read_values read;
	__u64 nr_ips;
	const __u64 *ips;
	__u32 raw_size;
	const void *raw;
	__u64 nr_branches;
	__u64 user_abi;
	const __u64 *user_regs;
	__u64 stack_size;
	const void *stack;
	__u64 stack_dyn_size;
	__u64 weight;
	__u64 data_src;
	__u64 transaction;
	__u64 intr_abi;
	const __u64 *intr_regs;
	__u64 phys_addr;
	__u64 cgroup;
	__u64 data_page_size;
	__u64 code_page_size;
};

size_t parse_read(const void *data, size_t size, __u64 format,
		  struct read_values *out);
void parse_sample(const struct perf_event_header *header,
		  const struct perf_event_attr *attr, struct sample *out);
void parse_trailer(const struct perf_event_header *header,
		   const struct perf_event_attr *attr, struct sample *out);
size_t trailer_size(const struct perf_event_attr *attr);

/* Surroundings. */
long read_long(const char *path);
__u32 pmu_type(const char *pmu);
bool write_text(const char *path, const char *text);
void set_usual_rate(void);
void need_low_rate(void);
int first_cpu(void);
int second_cpu(void);
void pin_task(pid_t pid, int cpu);
void pin_to_cpu(int cpu);
void become_nobody(void);
int tracepoint_id(const char *name);
__u64 now_ns(void);

/* A child that does nothing until helper_go(). */
struct helper {
	pid_t pid;
	int go;
};

struct helper helper_start(void (*body)(void *arg), void *arg);
void helper_go(struct helper *helper);
void helper_join(struct helper *helper);
void run_child(void (*body)(void *arg), void *arg);
void join_child(pid_t pid);
__noreturn void child_finish(void);
void meet(unsigned int *arrived);
void run_together(void (*one)(void *arg), void (*other)(void *arg), void *arg);
pid_t start_burner(int cpu);
void stop_child(pid_t pid);

bool process_ends(pid_t pid, int *status);

/* Sends a descriptor, with @size bytes about it, to another process. */
bool send_fd(int to, int fd, void *about, size_t size);
int receive_fd(int from, void *about, size_t size);

/* Memory that all processes of a case share, even across an exec. */
int memory_fd(const char *name, size_t size);
void *map_memory(int fd, size_t size);

/* Random numbers that a seed repeats. */
__u64 rnd_seed(__u64 seed);
unsigned int rnd(__u64 *state, unsigned int below);

/* Workloads. */
void poke(char *at);
void touch_pages(unsigned int count);
void overfill_page(void);
void bounce(unsigned int rounds);
void burn(unsigned int loops);
void burn_ms(unsigned int msec);

#endif
