// SPDX-License-Identifier: GPL-2.0
/*
 * Processes: those that run streams, one after the other or many at a time, and the one
 * that starts them, waits for them, and sees whether an operation hangs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../storm.h"
#include "fuzz.h"

/* Records that are shown of a stream that went wrong. */
#define LAST_RECORDS	24

static void begin_process(void)
{
	static const struct rlimit no_core;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* Its children are killed with the process group. */
	setpgid(0, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	catch_signals();
	if (!fuzz->options.nobody)
		return;
	become_nobody();
	/* Other processes of the same user may open events on it. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static void *run_stream(void *arg)
{
	struct fuzzer *f = arg;

	cover_begin(f);
	run_ops(f, fuzz->options.seed, fuzz->options.ops);
	end_child(f);
	return NULL;
}

static __noreturn void live(struct stream *stream)
{
	static struct fuzzer threads[MAX_THREADS];
	unsigned int i, nr = fuzz->options.threads;
	pthread_t thread[MAX_THREADS];

	for (i = 0; i < nr; i++)
		cover_open(stream + i * MAX_PROCS);
	begin_process();
	for (i = 0; i < nr; i++) {
		fuzzer_init(&threads[i], stream + i * MAX_PROCS);
		threads[i].mates = threads;
		threads[i].nr_mates = nr;
		cover_map(&threads[i]);
	}
	for (i = 1; i < nr; i++)
		if (pthread_create(&thread[i], NULL, run_stream, &threads[i]))
			_exit(2);
	if (fuzz->options.faults)
		write_text("/proc/self/make-it-fail", "1");
	run_stream(&threads[0]);
	for (i = 1; i < nr; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

/* Events that were sent and not received go with them. */
static void close_sockets(struct stream *stream)
{
	close(stream->inbox);
	close(stream->outbox);
	stream->inbox = -1;
	stream->outbox = -1;
}

static void make_sockets(struct stream *stream)
{
	int pair[2];

	close_sockets(stream);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		ksft_exit_fail_perror("socketpair");
	stream->inbox = pair[0];
	stream->outbox = pair[1];
}

static void begin_stream(unsigned int index, unsigned int number)
{
	struct stream *stream = &fuzz->stream[index];

	stream->number = number;
	stream->count = 0;
	stream->begun = 0;
	stream->news = 0;
}

static void start_life(unsigned int index, unsigned int number)
{
	struct stream *stream = &fuzz->stream[index];
	unsigned int thread;
	pid_t pid;

	for (thread = 0; thread < fuzz->options.threads; thread++)
		begin_stream(index + thread * MAX_PROCS,
			     number + thread * THREAD_STREAM);
	make_sockets(stream);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		ksft_exit_fail_perror("fork");
	if (!pid)
		live(stream);
	stream->pid = pid;
}

static struct stream *stream_of(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < MAX_PROCS; i++)
		if (fuzz->stream[i].pid == pid)
			return &fuzz->stream[i];
	return NULL;
}

static void show_streams(const struct stream *first, unsigned int most)
{
	unsigned int thread;

	for (thread = 0; thread < fuzz->options.threads; thread++)
		log_show(first + thread * MAX_PROCS, most);
}

static void end_life(struct stream *stream, int status, struct outcome *outcome)
{
	unsigned int thread;

	kill(-stream->pid, SIGKILL);
	stream->pid = 0;
	outcome->lives++;
	for (thread = 0; thread < fuzz->options.threads; thread++)
		outcome->ops += stream[thread * MAX_PROCS].count;
	if (fuzz->options.trace)
		show_streams(stream, LOG_RECORDS);
	if (!status)
		return;
	outcome->killed++;
	if (fuzz->options.faults)
		return;
	printf("# process %u ended with status %x\n", stream->number, status);
	show_streams(stream, LAST_RECORDS);
}

/* Return: a stream whose operation takes too long, or NULL */
static const struct stream *find_hung(void)
{
	__u64 patience = fuzz->options.patience * NSEC_PER_SEC;
	__u64 now = now_ns(), begun;
	unsigned int i;

	for (i = 0; i < NR_STREAMS; i++) {
		if (!fuzz->stream[i % MAX_PROCS].pid)
			continue;
		begun = __atomic_load_n(&fuzz->stream[i].begun, __ATOMIC_RELAXED);
		if (begun && now > begun + patience)
			return &fuzz->stream[i];
	}
	return NULL;
}

static bool is_hung(struct outcome *outcome)
{
	const struct stream *stream = find_hung();
	const struct record *last;

	if (!stream || !stream->count)
		return false;
	last = &stream->ring[(stream->count - 1) % LOG_RECORDS];
	printf("# stream %u: operation %u, %s, hangs\n", stream->number, last->nr,
	       fuzz_ops[last->op].name);
	log_show(stream, LAST_RECORDS);
	outcome->hung++;
	return true;
}

static bool may_begin(unsigned int next, __u64 end)
{
	const struct fuzz_options *options = &fuzz->options;

	if (options->lives && next >= options->lives)
		return false;
	return !end || now_ns() < end;
}

static unsigned int fill_crew(unsigned int next, __u64 end)
{
	unsigned int i;

	for (i = 0; i < fuzz->options.procs; i++)
		if (!fuzz->stream[i].pid && may_begin(next, end))
			start_life(i, fuzz->options.first + next++);
	return next;
}

/* Return: false when no process is left. */
static bool look_after(struct outcome *outcome)
{
	struct stream *stream;
	int status;
	pid_t pid;

	pid = waitpid(-1, &status, WNOHANG);
	if (pid > 0) {
		stream = stream_of(pid);
		if (stream)
			end_life(stream, status, outcome);
		return true;
	}
	usleep(1000);
	return pid == 0;
}

static void end_all(struct outcome *outcome)
{
	unsigned int i;
	int status;

	__atomic_store_n(&fuzz->stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < MAX_PROCS; i++) {
		if (!fuzz->stream[i].pid)
			continue;
		if (process_ends(fuzz->stream[i].pid, &status))
			end_life(&fuzz->stream[i], status, outcome);
		else
			outcome->hung++;
	}
	for (i = 0; i < MAX_PROCS; i++)
		close_sockets(&fuzz->stream[i]);
}

/* Processes, until there have been enough or the time is over. */
void crew_run(struct outcome *outcome)
{
	__u64 end = 0;
	unsigned int next = 0;

	if (fuzz->options.seconds)
		end = now_ns() + fuzz->options.seconds * NSEC_PER_SEC;
	fuzz->stop = false;
	fuzz->strange = 0;
	do {
		next = fill_crew(next, end);
	} while (!(end && now_ns() > end) && !is_hung(outcome) &&
		 look_after(outcome));
	end_all(outcome);
}

/* Replay. */

static __noreturn void replay_stream(struct stream *stream,
				     const struct log_lines *lines)
{
	static struct fuzzer f;
	size_t i;

	cover_open(stream);
	begin_process();
	fuzzer_init(&f, stream);
	cover_begin(&f);
	for (i = 0; i < lines->count && !fuzz_stopping(); i++)
		if (lines->line[i].stream == stream->number)
			run_op(&f, lines->line[i].op, lines->line[i].nr,
			       lines->line[i].seed);
	end_child(&f);
	_exit(0);
}

static bool is_begun(unsigned int number, unsigned int begun)
{
	unsigned int i;

	for (i = 0; i < begun; i++)
		if (fuzz->stream[i].number == number)
			return true;
	return false;
}

static void start_replay(unsigned int index, const struct log_lines *lines,
			 unsigned int number)
{
	struct stream *stream = &fuzz->stream[index];
	pid_t pid;

	begin_stream(index, number);
	make_sockets(stream);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		ksft_exit_fail_perror("fork");
	if (!pid)
		replay_stream(stream, lines);
	stream->pid = pid;
}

/* Each stream in a process of its own. Return: false if there are too many. */
bool crew_replay(const struct log_lines *lines, struct outcome *outcome)
{
	unsigned int nr = 0;
	size_t i;

	*outcome = (struct outcome) { 0 };
	fuzz->stop = false;
	for (i = 0; i < lines->count; i++) {
		if (is_begun(lines->line[i].stream, nr))
			continue;
		if (nr == MAX_PROCS)
			break;
		start_replay(nr++, lines, lines->line[i].stream);
	}
	while (!is_hung(outcome) && look_after(outcome))
		;
	end_all(outcome);
	return i == lines->count;
}

/* Before anything else. */
void fuzz_set_up(void)
{
	unsigned int i;

	fuzz_memory = memory_fd("perf_fuzz", sizeof(*fuzz));
	fuzz = map_memory(fuzz_memory, sizeof(*fuzz));
	for (i = 0; i < NR_STREAMS; i++) {
		fuzz->stream[i].inbox = -1;
		fuzz->stream[i].outbox = -1;
	}
	storm_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	look_up_tracepoints();
	/* New cgroups know of perf only once some controller has been handed down. */
	write_text("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	if (!geteuid() && !mkdir(FUZZ_CGROUP, 0755))
		return;
	if (!geteuid() && errno != EEXIST)
		printf("# no cgroup: %s\n", strerror(errno));
}
