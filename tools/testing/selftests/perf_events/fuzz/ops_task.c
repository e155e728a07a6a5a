// SPDX-License-Identifier: GPL-2.0
/* What tasks do: fork, execute, signal, move, work, and pass descriptors on. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../storm.h"
#include "fuzz.h"

#define MAX_DEPTH	3
#define WORK_PAGES	20
#define MAX_PAGE_SIZE	65536

enum way_out { END_EXIT, END_EXEC, END_KILL, NR_ENDINGS };

static unsigned long long instruction_of(const ucontext_t *context)
{
#ifdef __x86_64__
	return context->uc_mcontext.gregs[REG_RIP];
#elif defined(__powerpc64__)
	return context->uc_mcontext.regs->nip;
#else
	return 0;
#endif
}

static void on_signal(int sig)
{
	(void)sig;
}

/* The fault kills the process, after a message that tells where it was. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	char text[80];

	snprintf(text, sizeof(text), "# signal %d code %d at %p, instruction %llx\n", sig,
		 info->si_code, info->si_addr, instruction_of(at));
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(1);
	signal(sig, SIG_DFL);
	raise(sig);
}

void catch_signals(void)
{
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	signal(SIGTRAP, on_signal);
	signal(SIGUSR1, on_signal);
	signal(SIGIO, SIG_IGN);
}

static void reap(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

void end_child(struct fuzzer *f)
{
	int status;

	if (!f->child)
		return;
	kill(f->child, SIGKILL);
	reap(f->child, &status);
	f->child = 0;
}

static void execute(struct fuzzer *f, __u32 seed, unsigned int count)
{
	char memory[16], stream[16], number[16], ops[16], depth[16];
	int i;

	for (i = 0; i < NR_SLOTS; i++)
		f->stream->carried[i] = f->fd[i];
	snprintf(memory, sizeof(memory), "%d", fuzz_memory);
	snprintf(stream, sizeof(stream), "%td", f->stream - fuzz->stream);
	snprintf(number, sizeof(number), "%u", seed);
	snprintf(ops, sizeof(ops), "%u", count);
	snprintf(depth, sizeof(depth), "%u", f->depth + 1);
	execl("/proc/self/exe", "perf_fuzz", "--executed", memory, stream, number,
	      ops, depth, NULL);
	_exit(1);
}

/* A new program has no handler. */
static bool ended_well(int status, enum way_out ending)
{
	if (WIFEXITED(status))
		return !WEXITSTATUS(status);
	return (ending == END_KILL && WTERMSIG(status) == SIGKILL) ||
	       (ending == END_EXEC && WTERMSIG(status) == SIGTRAP);
}

static void live_as_child(struct fuzzer *f, enum way_out ending, __u32 seed,
			  unsigned int count)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	f->child = 0;
	f->depth++;
	cover_begin(f);
	run_ops(f, seed, count);
	end_child(f);
	switch (ending) {
	case END_EXEC:
		execute(f, seed + 1, count);
		break;
	case END_KILL:
		kill(getpid(), SIGKILL);
		break;
	default:
		break;
	}
	_exit(0);
}

/* The child does some operations, maybe as a new program; the parent waits. */
long op_fork(struct fuzzer *f)
{
	enum way_out ending = draw(f, NR_ENDINGS);
	unsigned int count = 1 + draw(f, 6);
	__u32 seed = draw_u64(f);
	int status = 0;
	pid_t pid;

	tell(f, " %u then %u", count, ending);
	if (f->depth >= MAX_DEPTH)
		return 0;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		live_as_child(f, ending, seed, count);
	reap(pid, &status);
	if (!ended_well(status, ending)) {
		__atomic_fetch_add(&fuzz->strange, 1, __ATOMIC_RELAXED);
		tell(f, " status %x", status);
		return -ECHILD;
	}
	return 0;
}

/* It touches memory and sleeps until it is killed. */
long op_idle_child(struct fuzzer *f)
{
	pid_t pid;

	end_child(f);
	if (one_in(f, 4))
		return 0;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid) {
		f->child = pid;
		return 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (;;) {
		touch_pages(2);
		usleep(2000);
	}
}

long op_signal(struct fuzzer *f)
{
	static const int signals[] = { SIGSTOP, SIGCONT, SIGUSR1, SIGKILL };
	int sig = signals[draw(f, ARRAY_SIZE(signals))];

	tell(f, " %d %s", sig, f->child && sig != SIGUSR1 ? "child" : "self");
	if (sig == SIGUSR1)
		return raise(SIGUSR1);
	if (!f->child)
		return 0;
	if (sig != SIGKILL)
		return or_errno(kill(f->child, sig));
	end_child(f);
	return 0;
}

long op_prctl(struct fuzzer *f)
{
	bool enable = !one_in(f, 3);

	tell(f, " %d", enable);
	return or_errno(prctl(enable ? PR_TASK_PERF_EVENTS_ENABLE :
				       PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0));
}

long op_affinity(struct fuzzer *f)
{
	return storm_move(&f->random) ? 0 : -errno;
}

long op_cgroup(struct fuzzer *f)
{
	const char *path = one_in(f, 2) ? FUZZ_CGROUP "/cgroup.procs" :
					  "/sys/fs/cgroup/cgroup.procs";
	long ret;
	int fd;

	tell(f, " %s", path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = or_errno(write(fd, "0", 1));
	close(fd);
	return ret;
}

/* To another process, or to this one, if there is no other. */
long op_pass(struct fuzzer *f)
{
	unsigned int to = draw(f, fuzz->options.procs);
	int slot = draw_slot(f);

	tell(f, " %d to %u", slot, to);
	return send_fd(fuzz->stream[to].outbox, slot_fd(f, slot), &slot,
		       sizeof(slot)) ? 0 : -errno;
}

long op_receive(struct fuzzer *f)
{
	int slot = draw_slot(f), was, fd;
	size_t own = (f->stream - fuzz->stream) % MAX_PROCS;

	tell(f, " %d", slot);
	fd = receive_fd(fuzz->stream[own].inbox, &was, sizeof(was));
	fill_slot(f, slot, fd);
	return fd < 0 ? -EAGAIN : 0;
}

/* This thread's part of the memory below, at the start of a page. */
static __thread char *own_memory;

/*
 * Page faults, in memory that is always mapped: what another thread has just unmapped must
 * not become new memory of this one, for that thread maps there again.
 */
static void touch_own(unsigned int count)
{
	static char memory[(MAX_THREADS * WORK_PAGES + 1) * MAX_PAGE_SIZE];
	static unsigned int users;
	size_t page = sysconf(_SC_PAGESIZE), i;
	unsigned int user;

	if (!own_memory) {
		user = __atomic_fetch_add(&users, 1, __ATOMIC_RELAXED) % MAX_THREADS;
		own_memory = memory + page - (uintptr_t)memory % page +
			     user * WORK_PAGES * page;
	}
	madvise(own_memory, count * page, MADV_DONTNEED);
	for (i = 0; i < count; i++)
		__atomic_store_n(&own_memory[i * page], 1, __ATOMIC_RELAXED);
}

long op_work(struct fuzzer *f)
{
	unsigned int i, pokes = draw(f, 20);

	touch_own(1 + draw(f, WORK_PAGES));
	burn(draw(f, 2000));
	for (i = 0; i < pokes; i++)
		poke((char *)fuzz_target + draw(f, sizeof(fuzz_target)));
	if (one_in(f, 4))
		usleep(draw(f, 1000));
	return 0;
}
