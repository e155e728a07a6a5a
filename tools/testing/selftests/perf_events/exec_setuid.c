// SPDX-License-Identifier: GPL-2.0
/*
 * A task execs a set-uid program while an unprivileged user opens events on it.
 * The user may watch the task until the exec, but not the program, however close
 * to the exec the open was. The same holds for a program that the user may execute
 * and not read.
 *
 * The programs are this one, copied to a file system of its own and given to root
 * with modes 4755, 755 and 711. It touches pages whenever it is told to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "perf_lib.h"

#define ROUNDS		24
#define PAGES		100
#define BE_WATCHED	"be-watched"

/* A file system of its own is mounted here, with the program and a plain one. */
#define FOLDER		"/tmp"
#define SET_UID		FOLDER "/set_uid"
#define PLAIN		FOLDER "/plain"
#define UNREADABLE	FOLDER "/unreadable"

#define DATA_PAGES	64

/* The program runs as root, which nobody but its file has made it. */
static int be_watched(void)
{
	const char *who = geteuid() ? "u" : "0";
	char byte;

	do {
		touch_pages(PAGES);
		if (write(STDOUT_FILENO, who, 1) != 1)
			return 1;
	} while (read(STDIN_FILENO, &byte, 1) == 1);
	return 0;
}

static void copy_self(const char *path, mode_t mode)
{
	int from = open("/proc/self/exe", O_RDONLY);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);
	struct stat stat;

	CHECK(from >= 0 && to >= 0 && !fstat(from, &stat), "open: %s",
	      strerror(errno));
	while (stat.st_size > 0) {
		ssize_t done = sendfile(to, from, NULL, stat.st_size);

		CHECK(done > 0, "copy: %s", strerror(errno));
		stat.st_size -= done;
	}
	CHECK(!fchmod(to, mode), "chmod: %s", strerror(errno));
	close(from);
	close(to);
}

/*
 * Only this case sees the file system, which is unmounted when the case ends.
 */
static void make_programs(void)
{
	if (geteuid())
		test_skip("needs root");
	CHECK(!unshare(CLONE_NEWNS) &&
	      !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL),
	      "mount namespace: %s", strerror(errno));
	CHECK(!mount("none", FOLDER, "tmpfs", 0, "mode=755"), "tmpfs: %s",
	      strerror(errno));
	copy_self(SET_UID, 04755);
	copy_self(PLAIN, 0755);
	copy_self(UNREADABLE, 0711);
}

/* A task that execs when it is told to. */
struct target {
	const char *path;
	int in[2];
	int out[2];
	struct helper helper;
};

static void exec_program(void *arg)
{
	struct target *target = arg;

	pin_to_cpu(second_cpu());
	dup2(target->in[0], STDIN_FILENO);
	dup2(target->out[1], STDOUT_FILENO);
	execl(target->path, target->path, BE_WATCHED, NULL);
	_exit(2);
}

static void start_target(struct target *target)
{
	CHECK(!pipe2(target->in, O_CLOEXEC) && !pipe2(target->out, O_CLOEXEC),
	      "pipe: %s", strerror(errno));
	target->helper = helper_start(exec_program, target);
	close(target->out[1]);
}

/* Return: whose rights the program has, once it has touched its pages. */
static char await_program(struct target *target)
{
	char who = 0;

	CHECK(read(target->out[0], &who, 1) == 1, "the program fails");
	return who;
}

/* Return: how many of the task's next pages the event has counted. */
static __u64 let_touch(struct target *target, int fd)
{
	__u64 before = read_count(fd);

	CHECK(write(target->in[1], "", 1) == 1, "write: %s", strerror(errno));
	await_program(target);
	return read_count(fd) - before;
}

static void end_target(struct target *target)
{
	close(target->in[1]);
	helper_join(&target->helper);
	close(target->in[0]);
	close(target->out[0]);
}

static struct perf_event_attr watch_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	attr.disabled = 0;
	return attr;
}

/* Return: the last event that could be opened; the first one is there before. */
static int open_until_refused(struct target *target)
{
	struct perf_event_attr attr = watch_attr();
	pid_t pid = target->helper.pid;
	int fd, last = open_on(&attr, pid, -1, -1);

	helper_go(&target->helper);
	while ((fd = perf_open(&attr, pid, -1, -1, 0)) >= 0) {
		close(last);
		last = fd;
	}
	CHECK(errno == EACCES, "open: %s", strerror(errno));
	return last;
}

static void as_nobody(void)
{
	become_nobody();
	CHECK(!prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "PR_SET_DUMPABLE");
	pin_to_cpu(first_cpu());
}

/* Control: the user's own program is seen, so the other cases can fail. */
static void watch_plain(void)
{
	struct perf_event_attr attr = watch_attr();
	struct target target = { .path = PLAIN };
	__u64 seen;
	char who;
	int fd;

	start_target(&target);
	fd = open_on(&attr, target.helper.pid, -1, -1);
	helper_go(&target.helper);
	who = await_program(&target);
	CHECK(who == 'u', "runs as '%c'", who);
	seen = let_touch(&target, fd);
	CHECK(seen >= PAGES, "%llu faults are seen", (unsigned long long)seen);
	end_target(&target);
	close(fd);
}

static void watch_set_uid(int round)
{
	struct target target = { .path = SET_UID };
	__u64 seen;
	char who;
	int fd;

	start_target(&target);
	fd = open_until_refused(&target);
	who = await_program(&target);
	CHECK(who == '0', "runs as '%c'", who);
	seen = let_touch(&target, fd);
	CHECK(!seen, "round %d: %llu faults are seen", round,
	      (unsigned long long)seen);
	end_target(&target);
	close(fd);
}

static void opened_at_exec(void)
{
	int i;

	second_cpu();
	make_programs();
	as_nobody();
	watch_plain();
	for (i = 0; i < ROUNDS; i++)
		watch_set_uid(i);
}

/* All records that a user may request for a task of their own. */
static struct perf_event_attr record_attr(void)
{
	struct perf_event_attr attr = watch_attr();

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
			   PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = 256;
	attr.exclude_callchain_kernel = 1;
	attr.sample_id_all = 1;
	attr.inherit = 1;
	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.mmap_data = 1;
	attr.comm = 1;
	attr.comm_exec = 1;
	attr.task = 1;
	attr.context_switch = 1;
	return attr;
}

/* The records about the new program, from its name on. */
struct of_program {
	unsigned int names;
	unsigned int maps;
	unsigned int samples;
	unsigned int others;
};

static void count_record(const struct perf_event_header *header,
			 struct of_program *seen)
{
	if (header->type == PERF_RECORD_COMM &&
	    header->misc & PERF_RECORD_MISC_COMM_EXEC)
		seen->names++;
	else if (!seen->names || header->type == PERF_RECORD_EXIT)
		return;
	else if (header->type == PERF_RECORD_MMAP2)
		seen->maps++;
	else if (header->type == PERF_RECORD_SAMPLE)
		seen->samples++;
	else
		seen->others++;
}

/* Its first pages, then the next ones; the old program has run before. */
static struct of_program record_program(const char *path)
{
	struct perf_event_attr attr = record_attr();
	struct target target = { .path = path };
	struct of_program seen = { 0 };
	struct perf_event_header *header;
	struct perf_ring *ring;
	int fd;

	start_target(&target);
	fd = open_on(&attr, target.helper.pid, second_cpu(), -1);
	ring = ring_map(fd, DATA_PAGES);
	helper_go(&target.helper);
	await_program(&target);
	let_touch(&target, fd);
	while ((header = ring_next(ring)))
		count_record(header, &seen);
	end_target(&target);
	ring_unmap(ring);
	close(fd);
	return seen;
}

static void expect_unseen(const char *path)
{
	struct of_program seen = record_program(path);

	CHECK(seen.names, "%s is not executed", path);
	EXPECT(!seen.maps && !seen.samples && !seen.others,
	       "%s: %u mappings, %u samples, %u other records", path, seen.maps,
	       seen.samples, seen.others);
}

static void records_of_program(void)
{
	struct of_program seen;

	second_cpu();
	make_programs();
	as_nobody();
	seen = record_program(PLAIN);
	CHECK(seen.names && seen.maps && seen.samples >= PAGES && seen.others,
	      "of a plain program: %u names, %u mappings, %u samples, %u others",
	      seen.names, seen.maps, seen.samples, seen.others);
	expect_unseen(SET_UID);
	expect_unseen(UNREADABLE);
}

static const struct test_case cases[] = {
	{ "CVE-2019-3901: opened while a set-uid program is executed",
	  opened_at_exec },
	{ "records of set-uid and unreadable programs", records_of_program },
};

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], BE_WATCHED))
		return be_watched();
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
