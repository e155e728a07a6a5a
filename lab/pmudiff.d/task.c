// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence of operations on events: tasks that work, move and wait
 *
 * A child works between two messages.  The parent waits until it is off its CPU
 * before it begins a phase, so that the phase says which events were counting.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sequence.h"

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* User mode, with some system calls in between. */
void work(unsigned int ms)
{
	__u64 end = now_ns() + ms * 1000000ull;
	unsigned int i;

	do {
		for (i = 0; i < 1000; i++)
			asm volatile("" : : : "memory");
		getppid();
	} while (now_ns() < end);
}

void count_rdpmc(unsigned int number)
{
	while (number--)
		asm volatile("rdpmc" : : "c" (0) : "eax", "edx");
}

void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("CPU %d: %s", cpu, strerror(errno));
}

static void wait_message(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		_exit(3);
}

static void send_message(int fd)
{
	if (write(fd, "x", 1) != 1)
		_exit(3);
}

/* The child moves to the CPU, and then does one run for each message. */
struct child start_child(int cpu, void (*run)(void))
{
	int go[2], done[2];
	struct child c;

	if (pipe2(go, O_CLOEXEC) || pipe2(done, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	c.pid = fork();
	if (c.pid < 0)
		die("fork: %s", strerror(errno));
	if (!c.pid) {
		close(go[1]);
		close(done[0]);
		move_to(cpu);
		for (;;) {
			send_message(done[1]);
			wait_message(go[0]);
			run();
		}
	}
	close(go[0]);
	close(done[1]);
	c.go = go[1];
	c.done = done[0];
	settle_child(&c);
	return c;
}

static void exec_work(void)
{
	execl("/proc/self/exe", "sequence", "work", NULL);
	_exit(3);
}

/* A child that executes a program that works, on the first message. */
struct child start_program(int cpu)
{
	return start_child(cpu, exec_work);
}

void release_child(struct child *c)
{
	if (write(c->go, "x", 1) != 1)
		die("child %d: %s", c->pid, strerror(errno));
}

/* /proc/PID/syscall says "running" while the task is on a CPU or wants one. */
static bool running(pid_t pid)
{
	char path[32], text[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	f = fopen(path, "r");
	if (!f)
		die("%s: %s", path, strerror(errno));
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return !strncmp(text, "running", 7);
}

/* Wait until the child waits for the next message. */
void settle_child(struct child *c)
{
	char byte;

	if (read(c->done, &byte, 1) != 1)
		die("a child ended");
	while (running(c->pid))
		sched_yield();
}

/* A child that waits ends with its pipe; one that executes a program ends with it. */
void reap_child(struct child *c)
{
	int status;

	close(c->go);
	close(c->done);
	if (waitpid(c->pid, &status, 0) != c->pid)
		die("waitpid: %s", strerror(errno));
}
