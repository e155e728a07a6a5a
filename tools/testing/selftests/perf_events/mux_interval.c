// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_mux_interval_ms of a PMU: how long groups that do not all fit have
 * the counters before others have their turn. Which values are refused, and
 * whether the number of turns follows a new value at once, whatever tasks do.
 *
 * A turn is seen by its effect: the running time of an event grows again.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf_lib.h"
#include "test_pmu.h"

#define FILE_NAME	"perf_event_mux_interval_ms"
#define CPU_FILE	EVENT_SOURCES "/cpu/" FILE_NAME

#define SHORT_MS	1
#define LONG_MS		20
/* Longer than any test measures. */
#define ENDLESS_MS	5000

/* More turns than a test waits for. */
#define MANY_TURNS	100

#define WATCH_MS	100
#define WATCHES		4
/* At most this many long turns fit into one measurement. */
#define FEW		(WATCH_MS / LONG_MS + 2)
#define MANY		(2 * FEW)
#define PATIENCE	(60 * NSEC_PER_SEC)

static void set_interval(int ms)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", ms);
	if (!write_text(CPU_FILE, text))
		test_skip("cannot write " CPU_FILE ": %s", strerror(errno));
	CHECK(read_long(CPU_FILE) == ms, "%ld instead of %d",
	      read_long(CPU_FILE), ms);
}

/* Two events that take turns on one counter; the other counters are held. */
struct pair {
	int fd[2 + MAX_COUNTERS];
	int size;
};

static struct pair open_pair(pid_t pid, int cpu)
{
	int counters = count_counters();
	struct perf_event_attr attr = branch_attr();
	struct pair pair = { .size = 0 };

	attr.disabled = 0;
	attr.pinned = 1;
	while (pair.size < counters - 1)
		pair.fd[2 + pair.size++] = open_on(&attr, pid, cpu, -1);
	attr.pinned = 0;
	pair.fd[0] = open_on(&attr, pid, cpu, -1);
	pair.fd[1] = open_on(&attr, pid, cpu, -1);
	pair.size += 2;
	return pair;
}

static void close_pair(struct pair *pair)
{
	while (pair->size)
		close(pair->fd[--pair->size]);
}

static bool has_run(int fd, struct timed_count *before)
{
	struct timed_count count = read_timed(fd);
	bool ran = count.running != before->running;

	*before = count;
	return ran;
}

/* A turn begins or ends whenever the first event starts or stops running. */
static unsigned int count_turns(const struct pair *pair)
{
	__u64 end = now_ns() + WATCH_MS * NSEC_PER_MSEC;
	struct timed_count before = read_timed(pair->fd[0]);
	bool runs, ran = has_run(pair->fd[0], &before);
	unsigned int turns = 0;

	while (now_ns() < end) {
		runs = has_run(pair->fd[0], &before);
		turns += runs != ran;
		ran = runs;
	}
	return turns;
}

/* A busy host delays turns, but now and then it leaves the guest alone. */
static bool many_turns(const struct pair *pair)
{
	__u64 end = now_ns() + PATIENCE;

	while (now_ns() < end)
		if (count_turns(pair) >= MANY)
			return true;
	return false;
}

/* An event that has run for long waits until the other has run as long. */
static bool some_turn(const struct pair *pair, int ms)
{
	__u64 end = now_ns() + ms * NSEC_PER_MSEC;

	while (now_ns() < end)
		if (count_turns(pair))
			return true;
	return false;
}

static unsigned int most_turns(const struct pair *pair)
{
	unsigned int most = 0, turns, i;

	for (i = 0; i < WATCHES; i++) {
		turns = count_turns(pair);
		if (turns > most)
			most = turns;
	}
	return most;
}

static void expect_refused(const char *path, const char *text, int error)
{
	bool written = write_text(path, text);

	EXPECT(!written, "%s: \"%s\" is accepted", path, text);
	EXPECT(written || errno == error, "%s: \"%s\": %s", path, text,
	       strerror(errno));
}

static void refuse_all(const char *path)
{
	long before = read_long(path);

	CHECK(before >= 1, "%s: %ld", path, before);
	expect_refused(path, "0", EINVAL);
	expect_refused(path, "-1", EINVAL);
	expect_refused(path, "text", EINVAL);
	expect_refused(path, "5 ms", EINVAL);
	expect_refused(path, "4294967297", ERANGE);
	EXPECT(read_long(path) == before, "%s: %ld, then %ld", path, before,
	       read_long(path));
}

static void refused(void)
{
	DIR *sources = opendir(EVENT_SOURCES);
	struct dirent *source;
	unsigned int seen = 0;
	char path[512];

	if (geteuid())
		test_skip("needs root");
	CHECK(sources, EVENT_SOURCES ": %s", strerror(errno));
	while ((source = readdir(sources))) {
		snprintf(path, sizeof(path), EVENT_SOURCES "/%s/" FILE_NAME,
			 source->d_name);
		if (access(path, F_OK))
			continue;
		refuse_all(path);
		seen++;
	}
	closedir(sources);
	CHECK(seen, "no PMU has the file");
}

static void shorter_turns(void)
{
	unsigned int turns;
	struct pair pair;

	set_interval(LONG_MS);
	pair = open_pair(0, -1);
	turns = most_turns(&pair);
	CHECK(turns && turns <= FEW, "%u turns of %d ms in %d ms", turns,
	      LONG_MS, WATCH_MS);
	close_pair(&pair);
	set_interval(SHORT_MS);
	pair = open_pair(0, -1);
	CHECK(many_turns(&pair), "never %u turns of %d ms in %d ms", MANY,
	      SHORT_MS, WATCH_MS);
}

/* A group of the CPU that leaves one counter to others. */
static int open_big_group(int cpu, int size)
{
	struct perf_event_attr attr = branch_attr();
	int leader;

	attr.disabled = 0;
	leader = open_on(&attr, -1, cpu, -1);
	while (--size)
		open_on(&attr, -1, cpu, leader);
	return leader;
}

/* Sleeps, over and over, until the event has had a turn. */
static bool turn_comes(int fd)
{
	__u64 end = now_ns() + MANY_TURNS * LONG_MS * NSEC_PER_MSEC;
	struct timed_count before = read_timed(fd);

	while (now_ns() < end) {
		usleep(100);
		if (has_run(fd, &before))
			return true;
	}
	return false;
}

/*
 * Two groups of a CPU do not fit together. A task whose event fits beside
 * either of them sleeps much more often than they take turns.
 */
static void turns_among_switches(void)
{
	int cpu = first_cpu(), counters = count_counters(), fd[2], round;
	struct perf_event_attr attr = branch_attr();

	if (counters < 2)
		test_skip("needs two counters");
	pin_to_cpu(cpu);
	set_interval(LONG_MS);
	fd[0] = open_big_group(cpu, counters - 1);
	fd[1] = open_big_group(cpu, counters - 1);
	attr.disabled = 0;
	open_self(&attr);
	for (round = 0; round < 2 * WATCHES; round++)
		CHECK(turn_comes(fd[round % 2]), "group %d waits for %d ms",
		      round % 2, MANY_TURNS * LONG_MS);
}

/*
 * On a busy host one change was seen which the timer did not cause. A timer with
 * one of the other intervals causes several in each measurement.
 */
static void expect_no_turns(const struct pair *pair, const char *what)
{
	unsigned int turns;

	count_turns(pair);
	turns = most_turns(pair);
	CHECK(turns <= 1, "%s: %u turns of %d ms", what, turns, ENDLESS_MS);
}

/*
 * There is no turn until the file is written. A kernel that ignores the change
 * keeps the old timer, which ends before the next case begins.
 */
static void change_running(const struct pair *pair)
{
	expect_no_turns(pair, "at first");
	set_interval(SHORT_MS);
	if (!some_turn(pair, ENDLESS_MS / 2)) {
		burn_ms(ENDLESS_MS);
		test_xfail("the timer keeps the interval that it runs with");
	}
	CHECK(many_turns(pair), "never %u turns of %d ms in %d ms", MANY,
	      SHORT_MS, WATCH_MS);
	set_interval(ENDLESS_MS);
	expect_no_turns(pair, "after short ones");
}

static void running_timer(void)
{
	struct pair pair;

	pin_to_cpu(first_cpu());
	set_interval(ENDLESS_MS);
	pair = open_pair(0, -1);
	change_running(&pair);
}

static void running_timer_elsewhere(void)
{
	struct pair pair;
	int cpu = second_cpu();

	pin_to_cpu(first_cpu());
	set_interval(ENDLESS_MS);
	pair = open_pair(-1, cpu);
	change_running(&pair);
}

static const struct test_case cases[] = {
	{ "what is not a time is refused", refused },
	{ "shorter turns, more of them", shorter_turns },
	{ "turns among many task switches", turns_among_switches },
	{ "a running timer takes the change", running_timer },
	{ "a running timer of another CPU", running_timer_elsewhere },
};

int main(void)
{
	long before = read_long(CPU_FILE);
	char text[16];

	snprintf(text, sizeof(text), "%ld", before);
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	if (before > 0)
		write_text(CPU_FILE, text);
	tests_end();
}
