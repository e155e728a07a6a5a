/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzzer of perf events: sequences of operations that a seed repeats.
 *
 * A stream is the sequence of one thread: stream 0 is that of the first process, and so
 * on; threads of a process have streams behind all those of processes. Operation N of a
 * stream has a seed of its own, which follows from the seed of the run, the stream and N.
 * What the operation is, and all of its arguments, follow from that. So an operation
 * that is left out changes no argument of the others. What the kernel returns is kept
 * in slots, and arguments are numbers of slots.
 *
 * All that processes share is in one memory file, which an executed program finds again.
 */
#ifndef SELFTEST_PERF_FUZZ_H
#define SELFTEST_PERF_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/perf_event.h>

#include "../perf_lib.h"

#define NR_SLOTS	8
#define NR_AREAS	6
#define WINDOW_PAGES	64
#define MAX_PROCS	16
#define MAX_THREADS	4
#define NR_STREAMS	(MAX_PROCS * MAX_THREADS)
#define LOG_RECORDS	2048
#define LOG_TEXT	100

/* A thread of process P has the stream P + THREAD_STREAM * its number. */
#define THREAD_STREAM	1000000000U

#define NR_TRACEPOINTS	5

/* Size of the bitmap of edges. Few of them share a bit. */
#define COVER_BITS	20

/* How many sequences are kept, and how many operations each has at most. */
#define MAX_KEPT	4096
#define KEPT_OPS	32

/* Depths of processes that open a buffer, 0 to MAX_DEPTH of ops_task.c. */
#define COVER_DEPTHS	4

/* Of a tally: more than there are operations, and numbers of errors. */
#define MAX_OPS		64
#define MAX_ERRNO	140

#define FUZZ_CGROUP	"/sys/fs/cgroup/perf_fuzz"

/* KCOV is not used; it counts what is reached; it also steers. */
enum cover_use { COVER_NOT, COVER_COUNT, COVER_STEER };

/**
 * struct fuzz_options - what the command line says
 * @seed: of the run
 * @first: number of the first process
 * @ops: operations of each thread of each process
 * @lives: processes in all, 0: until the time is over
 * @procs: processes at the same time
 * @threads: of each process
 * @seconds: 0: until all processes have ended
 * @patience: seconds that an operation may take
 * @paranoid: what is written to perf_event_paranoid, or PARANOID_AS_IS
 * @disturb: bits of enum disturber
 * @nobody: all processes drop root
 * @cover: what KCOV is used for
 * @compare: nothing whose result depends on time
 * @extensions: with features that other kernels do not have
 * @faults: allocations of the processes may be made to fail
 * @trace: print each operation
 * @tally: print how often each operation had which result
 * @log: a file that each operation is written to before it begins, or NULL
 */
struct fuzz_options {
	__u64 seed;
	unsigned int first;
	unsigned int ops;
	unsigned int lives;
	unsigned int procs;
	unsigned int threads;
	unsigned int seconds;
	unsigned int patience;
	int paranoid;
	unsigned int disturb;
	enum cover_use cover;
	bool nobody;
	bool compare;
	bool extensions;
	bool faults;
	bool trace;
	bool tally;
	const char *log;
};

#define PARANOID_AS_IS	100

enum disturber {
	DISTURB_HOTPLUG = 1 << 0,
	DISTURB_SYSCTLS = 1 << 1,
	DISTURB_PMU = 1 << 2,
	DISTURB_MEMORY = 1 << 3,
};

/**
 * struct record - one operation
 * @nr: its number in the stream
 * @op: index in fuzz_ops
 * @depth: forks and execs above it; those are no part of a replay
 * @seed: the operation's own
 * @result: not negative, or an errno, negative
 * @done: @result is there
 * @text: arguments, for people
 */
struct record {
	unsigned int nr;
	unsigned short op;
	unsigned short depth;
	__u32 seed;
	long result;
	bool done;
	char text[LOG_TEXT];
};

/**
 * struct stream - what a thread has done
 * @number: which stream it is
 * @pid: its process, 0 if there is none
 * @count: operations so far; the last LOG_RECORDS of them are in @ring
 * @begun: when the present operation began, 0 between two
 * @carried: descriptors that an executed program finds
 * @kcov: files of KCOV, one for each depth
 * @news: edges that the current operation and its children were the first to reach
 * @inbox: socket that descriptors come from
 * @outbox: its other end
 */
struct stream {
	unsigned int number;
	pid_t pid;
	unsigned int count;
	__u64 begun;
	int carried[NR_SLOTS];
	int kcov[COVER_DEPTHS];
	unsigned int news;
	int inbox;
	int outbox;
	struct record ring[LOG_RECORDS];
};

/**
 * struct sequence - operations that reached something new
 * @count: number of operations
 * @seed: the seed of each
 */
struct sequence {
	unsigned int count;
	__u32 seed[KEPT_OPS];
};

/**
 * struct steering - the sequence that a stream repeats, and the one kept of it
 * @now: the sequence that is being repeated
 * @at: index of its next operation; @now.count when nothing is being repeated
 * @repeats: the current operation comes from @now
 * @kept: the sequence that this stream has kept last, or NULL
 * @kept_from: number of the first operation in @kept
 */
struct steering {
	struct sequence now;
	unsigned int at;
	bool repeats;
	struct sequence *kept;
	unsigned int kept_from;
};

/**
 * struct cover - what all processes together have reached
 * @edges: number of edges
 * @repeated_edges: number of edges that a repeated operation reached first
 * @nr_kept: number of sequences kept so far; @kept has the last MAX_KEPT of them
 * @seen: a bit for each edge
 * @kept: the sequences, a ring
 */
struct cover {
	unsigned int edges;
	unsigned int repeated_edges;
	unsigned int nr_kept;
	__u64 seen[(1U << COVER_BITS) / 64];
	struct sequence kept[MAX_KEPT];
};

/**
 * struct fuzz_shared - all processes of a run
 * @options: also for programs that were executed
 * @stop: the time is over
 * @strange: children that ended in a way they should not
 * @tracepoint: numbers, which root alone can look up
 * @tally: results of each operation, by errno; 0 is success
 * @stream: those that run
 * @cover: what was reached
 */
struct fuzz_shared {
	struct fuzz_options options;
	bool stop;
	unsigned int strange;
	long tracepoint[NR_TRACEPOINTS];
	unsigned int tally[MAX_OPS][MAX_ERRNO];
	struct stream stream[NR_STREAMS];
	struct cover cover;
};

/* A window of the address space, which nothing but this area uses. */
struct area {
	char *window;
	size_t size;
};

/**
 * struct fuzzer - a thread that runs a stream
 * @random: of the operation's arguments
 * @stream: where it is logged
 * @record: of the operation
 * @depth: forks and execs above it
 * @fd: the slots
 * @area: mappings
 * @child: one that idles, or 0
 * @mates: all threads of the process
 * @nr_mates: how many
 * @cover: the thread's buffer of KCOV, or NULL
 * @steering: sequences that it repeats and keeps
 */
struct fuzzer {
	__u64 random;
	struct stream *stream;
	struct record *record;
	unsigned int depth;
	int fd[NR_SLOTS];
	struct area area[NR_AREAS];
	pid_t child;
	struct fuzzer *mates;
	unsigned int nr_mates;
	unsigned long *cover;
	struct steering steering;
};

/**
 * struct fuzz_op - an operation
 * @name: in logs
 * @weight: how often, beside the weights of others
 * @timed: what it returns depends on time: no part of a comparison
 * @run: returns something that is not negative, or an errno, negative
 */
struct fuzz_op {
	const char *name;
	unsigned int weight;
	bool timed;
	long (*run)(struct fuzzer *f);
};

extern const struct fuzz_op fuzz_ops[];
extern const unsigned int nr_fuzz_ops;
extern struct fuzz_shared *fuzz;
extern int fuzz_memory;

/* Where breakpoints are. */
extern __u64 fuzz_target[8];

/* run.c: draws, slots, a stream. */
unsigned int draw(struct fuzzer *f, unsigned int below);
bool one_in(struct fuzzer *f, unsigned int n);
__u64 draw_u64(struct fuzzer *f);
int draw_slot(struct fuzzer *f);
int slot_fd(struct fuzzer *f, int slot);
void fill_slot(struct fuzzer *f, int slot, int fd);
__printf(2, 3) void tell(struct fuzzer *f, const char *fmt, ...);
long or_errno(long result);
__u32 op_seed(__u64 seed, unsigned int stream, unsigned int nr);
void run_op(struct fuzzer *f, unsigned int op, unsigned int nr, __u32 seed);
void run_ops(struct fuzzer *f, __u64 seed, unsigned int count);
void fuzzer_init(struct fuzzer *f, struct stream *stream);
int fuzzer_executed(char **argv);
bool fuzz_stopping(void);

/* attr.c: the grammar of perf_event_open(2). */
struct call;
void look_up_tracepoints(void);
void draw_call(struct fuzzer *f, struct call *call);
void spoil_call(struct fuzzer *f, struct call *call);
void scramble_call(struct fuzzer *f, struct call *call);
void draw_valid_attr(struct fuzzer *f, struct perf_event_attr *attr);

/* Operations, one file for each kind. */
long op_open(struct fuzzer *f);
long op_open_spoilt(struct fuzzer *f);
long op_open_random(struct fuzzer *f);
long op_dry_run(struct fuzzer *f);
long op_ioctl(struct fuzzer *f);
long op_ioctl_bad(struct fuzzer *f);
long op_output(struct fuzzer *f);
long op_filter(struct fuzzer *f);
long op_period(struct fuzzer *f);
long op_modify(struct fuzzer *f);
long op_bpf(struct fuzzer *f);
long op_extension(struct fuzzer *f);
long op_read(struct fuzzer *f);
long op_write(struct fuzzer *f);
long op_poll(struct fuzzer *f);
long op_async(struct fuzzer *f);
long op_dup(struct fuzzer *f);
long op_close(struct fuzzer *f);

long op_map_data(struct fuzzer *f);
long op_map_aux(struct fuzzer *f);
long op_map_bad(struct fuzzer *f);
long op_unmap(struct fuzzer *f);
long op_unmap_part(struct fuzzer *f);
long op_move(struct fuzzer *f);
long op_protect(struct fuzzer *f);
long op_consume(struct fuzzer *f);
void reserve_areas(struct fuzzer *f);

long op_fork(struct fuzzer *f);
long op_idle_child(struct fuzzer *f);
long op_signal(struct fuzzer *f);
long op_prctl(struct fuzzer *f);
long op_affinity(struct fuzzer *f);
long op_cgroup(struct fuzzer *f);
long op_pass(struct fuzzer *f);
long op_receive(struct fuzzer *f);
long op_work(struct fuzzer *f);
void catch_signals(void);
void end_child(struct fuzzer *f);

/* log.c: records as text, and back. */
struct log_line {
	unsigned int stream;
	unsigned int nr;
	unsigned int op;
	__u32 seed;
	long result;
};

struct log_lines {
	struct log_line *line;
	size_t count;
};

void log_begin(const struct fuzzer *f);
void log_end(const struct fuzzer *f);
void log_tally(void);
void log_show(const struct stream *stream, unsigned int most);
bool log_read(const char *path, struct log_lines *lines);
bool log_write(const char *path, const struct log_lines *lines);
const char *result_name(long result, char *buffer, size_t size);

/* crew.c: processes. */
struct outcome {
	unsigned int lives;
	unsigned int ops;
	unsigned int killed;
	unsigned int hung;
};

void fuzz_set_up(void);
void crew_run(struct outcome *outcome);
bool crew_replay(const struct log_lines *lines, struct outcome *outcome);

/* cover.c */
bool cover_is_on(void);
void cover_check(void);
void cover_open(struct stream *stream);
void cover_map(struct fuzzer *f);
void cover_begin(struct fuzzer *f);
void cover_go_on(struct fuzzer *f);
void cover_collect(struct fuzzer *f);
__u32 cover_steer(struct fuzzer *f, __u32 seed);
bool cover_report(void);

/* minimise.c */
int minimise(struct log_lines *lines, const char *out, const char *check,
	     const char *until);

/* disturb.c */
void disturb_start(unsigned int which, __u64 seed);
void disturb_stop(struct outcome *outcome);

#endif
