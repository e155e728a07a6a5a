// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the resources of the kernel that perf_events use: objects, counters,
 * breakpoints, pages that a user has locked. Tests compare numbers before and
 * after.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/hw_breakpoint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "perf_books.h"
#include "perf_lib.h"

/* Contexts that the calling task may have got or lost in the meantime. */
#define OWN_CONTEXTS	3

#define SETTLE		(60 * NSEC_PER_SEC)
#define LIVE		"/sys/kernel/debug/perf_events/live"
#define MAX_STACK	"/proc/sys/kernel/perf_event_max_stack"

static char watched_byte;

/* Return: objects in use. Shrinking drops each CPU's spare objects first. */
static long slab_objects(const char *cache)
{
	char path[128], name[64], line[256];
	long active, value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", cache);
	write_text(path, "1");
	file = fopen("/proc/slabinfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %ld", name, &active) == 2 &&
		    !strcmp(name, cache))
			value = active;
	if (file)
		fclose(file);
	return value;
}

/* "Field:   123 kB" */
long proc_kb(const char *path, const char *field)
{
	char line[256];
	long value = -1;
	FILE *file = fopen(path, "r");

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, field, strlen(field)))
			value = atol(line + strlen(field));
	if (file)
		fclose(file);
	return value;
}

long pinned_kb(void)
{
	return proc_kb("/proc/self/status", "VmPin:");
}

/* Does freed memory stay in use for long, as with KASAN? */
bool keeps_freed_memory(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	bool found = false;
	char line[512];

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, " kasan_quarantine_put\n");
	if (file)
		fclose(file);
	return found;
}

/* The depth cannot be changed as long as there are buffers of that size. */
static bool stacks_in_use(void)
{
	char depth[16];

	snprintf(depth, sizeof(depth), "%ld", read_long(MAX_STACK));
	return !write_text(MAX_STACK, depth);
}

/* Return: pinned events that find a counter on an idle CPU. */
static long free_counters(int cpu)
{
	struct perf_event_attr attr = branch_attr();
	int fd[MAX_COUNTERS + 1], found = 0, nr;
	struct timed_count count;

	attr.pinned = 1;
	attr.disabled = 0;
	for (nr = 0; nr <= MAX_COUNTERS; nr++) {
		fd[nr] = perf_open(&attr, -1, cpu, -1, 0);
		if (fd[nr] < 0)
			break;
		found += read(fd[nr], &count, sizeof(count)) > 0;
	}
	while (nr)
		close(fd[--nr]);
	return found;
}

static int free_breakpoints(void)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);
	int fd[16], nr, found;

	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&watched_byte;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	for (nr = 0; nr < 16; nr++) {
		fd[nr] = perf_open(&attr, 0, -1, -1, 0);
		if (fd[nr] < 0)
			break;
	}
	found = nr;
	while (nr)
		close(fd[--nr]);
	return found;
}

/* A user whose buffers have all gone can map that many again. */
static int user_allowance(void)
{
	struct rlimit none = { 0, 0 }, many = { 8192, 8192 };
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	size_t page = sysconf(_SC_PAGESIZE);
	int fd, mapped = 0;

	setrlimit(RLIMIT_NOFILE, &many);
	setrlimit(RLIMIT_MEMLOCK, &none);
	become_nobody();
	attr.exclude_kernel = 1;
	for (;;) {
		fd = perf_open(&attr, 0, -1, -1, 0);
		if (fd < 0)
			return -1;
		if (mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 0) == MAP_FAILED)
			break;
		mapped++;
	}
	return errno == EPERM ? mapped : -1;
}

static int in_child(int (*body)(void))
{
	int fds[2], value = -1;
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		value = body();
		if (write(fds[1], &value, sizeof(value)) != sizeof(value))
			_exit(1);
		_exit(0);
	}
	close(fds[1]);
	if (read(fds[0], &value, sizeof(value)) != sizeof(value))
		value = -1;
	close(fds[0]);
	waitpid(pid, NULL, 0);
	return value;
}

/* Traced events, which are larger, may have a cache of their own. */
long count_events(void)
{
	long events = slab_objects("perf_event");
	long traced = slab_objects("perf_event_traced");

	return events < 0 || traced < 0 ? events : events + traced;
}

int read_live(struct live_number live[MAX_LIVE])
{
	FILE *file = fopen(LIVE, "r");
	int nr = 0;

	while (file && nr < MAX_LIVE &&
	       fscanf(file, "%23s %ld", live[nr].name, &live[nr].nr) == 2)
		nr++;
	if (file)
		fclose(file);
	return nr;
}

/*
 * A task that has had events keeps its context. With inherited events it keeps
 * a family, even if forks failed: its handle, and a context for a child.
 */
static bool same_live(const struct live_number *before,
		      const struct live_number *after)
{
	long more = after->nr - before->nr;

	if (!strcmp(before->name, "contexts"))
		return labs(more) <= OWN_CONTEXTS;
	return !more;
}

/* Return: the first number that differs, or NULL. */
static const struct live_number *other_live(const struct books *before,
					    const struct books *after)
{
	int i;

	for (i = 0; i < before->nr_live; i++)
		if (!same_live(&before->live[i], &after->live[i]))
			return &after->live[i];
	return NULL;
}

/* Memory is freed after a grace period, that of tasks even later. */
static void read_memory(struct books *books)
{
	books->events = count_events();
	books->tasks = slab_objects("task_struct");
	books->files = read_long("/proc/sys/fs/file-nr");
	books->slab_kb = proc_kb("/proc/meminfo", "SUnreclaim:");
	books->nr_live = read_live(books->live);
}

static void read_resources(struct books *books)
{
	int cpu;

	for (cpu = 0; cpu < books->nr_cpus; cpu++)
		books->counters[cpu] = free_counters(cpu);
	books->breakpoints = free_breakpoints();
	books->user_pages = in_child(user_allowance);
	books->pinned_kb = pinned_kb();
	books->stacks = stacks_in_use();
}

/* Return: the least seen during a time in which nothing happens. */
static void read_idle_memory(struct books *books)
{
	struct books now = *books;
	int i;

	read_memory(books);
	for (i = 0; i < 20; i++) {
		usleep(50000);
		read_memory(&now);
		if (now.events < books->events)
			i = 0;
		if (now.events <= books->events)
			*books = now;
	}
}

void open_books(struct books *books)
{
	memset(books, 0, sizeof(*books));
	books->nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (books->nr_cpus > MAX_CPUS)
		books->nr_cpus = MAX_CPUS;
	/* No number would stay the same. */
	if (others_are_at_work())
		return;
	/* From here on the calling task has a context. */
	read_resources(books);
	read_idle_memory(books);
}

/* Waits until all is freed, or for a long time. */
void close_books(const struct books *before, struct books *after)
{
	__u64 end = now_ns() + SETTLE;

	memset(after, 0, sizeof(*after));
	after->nr_cpus = before->nr_cpus;
	if (others_are_at_work())
		return;
	do {
		read_idle_memory(after);
	} while ((after->events != before->events ||
		  other_live(before, after) ||
		  after->tasks > before->tasks + TASKS_SLACK) &&
		 now_ns() < end);
	read_resources(after);
}

static void expect_same(const char *what, long before, long after)
{
	EXPECT(before == after, "%s: %ld before, %ld afterwards", what, before,
	       after);
}

static void expect_memory(const struct books *before, const struct books *after)
{
	expect_same("events", before->events, after->events);
	EXPECT(after->tasks <= before->tasks + TASKS_SLACK,
	       "tasks: %ld before, %ld afterwards", before->tasks,
	       after->tasks);
	EXPECT(after->files <= before->files + FILES_SLACK,
	       "files: %ld before, %ld afterwards", before->files,
	       after->files);
	EXPECT(after->slab_kb <= before->slab_kb + SLAB_SLACK_KB ||
	       keeps_freed_memory(), "kB of the kernel: %ld before, %ld afterwards",
	       before->slab_kb, after->slab_kb);
}

static void expect_live(const struct books *before, const struct books *after)
{
	const struct live_number *other = other_live(before, after);

	if (other)
		expect_same(other->name, before->live[other - after->live].nr,
			    other->nr);
}

/*
 * All resources that were taken since the books were opened must have been
 * given back.
 */
void expect_balance(const struct books *before)
{
	struct books after;
	int cpu;

	close_books(before, &after);
	expect_memory(before, &after);
	for (cpu = 0; cpu < before->nr_cpus; cpu++)
		expect_same("free counters", before->counters[cpu],
			    after.counters[cpu]);
	expect_same("free breakpoints", before->breakpoints, after.breakpoints);
	expect_same("pages for a user's buffers", before->user_pages,
		    after.user_pages);
	expect_same("pinned kB", before->pinned_kb, after.pinned_kb);
	expect_same("call chains in use", before->stacks, after.stacks);
	expect_live(before, &after);
}

static void report_counters(const struct books *before,
			    const struct books *after, books_result_fn report)
{
	long sum[2] = { 0, 0 };
	bool same = true;
	int cpu;

	for (cpu = 0; cpu < before->nr_cpus; cpu++) {
		sum[0] += before->counters[cpu];
		sum[1] += after->counters[cpu];
		same = same && before->counters[cpu] == after->counters[cpu];
	}
	report(same, "free counters of all CPUs", sum[0], sum[1]);
}

static void report_live(const struct books *before, const struct books *after,
			books_result_fn report)
{
	const struct live_number *other = other_live(before, after);
	long was = before->nr_live ? 0 : -1;

	if (other)
		was = before->live[other - after->live].nr;
	report(!other, other ? other->name : "numbers of the kernel's own", was,
	       other ? other->nr : 0);
}

/**
 * report_books_by() - compare each account: BOOKS_RESULTS lines of TAP
 * @before: when nothing had been taken
 * @after: when all had been given back
 * @report: called for each account
 */
void report_books_by(const struct books *before, const struct books *after,
		     books_result_fn report)
{
	report(after->events == before->events, "events", before->events,
	       after->events);
	report(after->tasks <= before->tasks + TASKS_SLACK, "tasks",
	       before->tasks, after->tasks);
	report(after->files <= before->files + FILES_SLACK, "files",
	       before->files, after->files);
	report(after->slab_kb <= before->slab_kb + SLAB_SLACK_KB ||
	       keeps_freed_memory(), "kB of the kernel", before->slab_kb,
	       after->slab_kb);
	report_counters(before, after, report);
	report(after->breakpoints == before->breakpoints, "free breakpoints",
	       before->breakpoints, after->breakpoints);
	report(after->user_pages == before->user_pages,
	       "pages for a user's buffers", before->user_pages,
	       after->user_pages);
	report(after->stacks == before->stacks, "call chains in use",
	       before->stacks, after->stacks);
	report_live(before, after, report);
}
