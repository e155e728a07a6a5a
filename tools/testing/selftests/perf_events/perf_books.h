/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of the kernel's resources that perf_events uses. */
#ifndef _SELFTEST_PERF_BOOKS_H
#define _SELFTEST_PERF_BOOKS_H

#include <stdbool.h>
#include <stdlib.h>

#include "kselftest.h"

#define MAX_CPUS	64

/* Number of results of report_books(). */
#define BOOKS_RESULTS	9

/* Lines of the kernel's own view, "name number". */
#define MAX_LIVE	16

/* Other processes may have made this many of these. */
#define TASKS_SLACK	20
#define FILES_SLACK	200
#define SLAB_SLACK_KB	8192

struct live_number {
	char name[24];
	long nr;
};

/**
 * struct books - what is in use and what is free, at one moment
 * @events: existing events, -1 if that cannot be known
 * @tasks: tasks that exist or whose memory is still referenced
 * @files: open files, roughly
 * @slab_kb: unreclaimable slab memory of the kernel
 * @nr_cpus: CPUs that were looked at
 * @counters: general counters of each CPU that a pinned event can have
 * @breakpoints: hardware breakpoints that a task can have
 * @user_pages: pages of buffers that an unprivileged user can map
 * @pinned_kb: memory of buffers that this process has locked
 * @stacks: some event records call chains
 */
struct books {
	long events;
	long tasks;
	long files;
	long slab_kb;
	int nr_cpus;
	long counters[MAX_CPUS];
	int breakpoints;
	int user_pages;
	long pinned_kb;
	bool stacks;
	int nr_live;
	struct live_number live[MAX_LIVE];
};

void open_books(struct books *books);
void close_books(const struct books *before, struct books *after);

/* Called for each line; @before is negative if unknown. */
typedef void (*books_result_fn)(bool good, const char *what, long before,
				long after);

void report_books_by(const struct books *before, const struct books *after,
		     books_result_fn report);

/*
 * True if other programs work with events, and with the modules of the tests,
 * at the same time; ./perflab soak compares numbers when all have ended.
 */
static inline bool others_are_at_work(void)
{
	return getenv("PERF_TEST_SHARED");
}

/* Each file that includes kselftest.h has counters of its own. */
static inline void books_result(bool good, const char *what, long before,
				long after)
{
	if (others_are_at_work())
		ksft_test_result_skip("%s: others are at work\n", what);
	else if (before < 0)
		ksft_test_result_skip("%s: not known here\n", what);
	else
		ksft_test_result(good, "%s: %ld before, %ld afterwards\n", what,
				 before, after);
}

static inline void report_books(const struct books *before,
				const struct books *after)
{
	report_books_by(before, after, books_result);
}

void expect_balance(const struct books *before);
/* Return: how many numbers the kernel shows, 0 if it has no such view. */
int read_live(struct live_number live[MAX_LIVE]);
/* Events that exist, -1 if that cannot be known. */
long count_events(void);
bool keeps_freed_memory(void);
long proc_kb(const char *path, const char *field);
/* Pages charged to this process beyond the allowance of its user. */
long pinned_kb(void);

#endif
