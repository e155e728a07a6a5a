// SPDX-License-Identifier: GPL-2.0
/*
 * References on events, buffers and tasks: opens that fail, and dry runs,
 * while others unmap the buffer that they name; mappings of a redirected event
 * while its buffer goes away; buffers that are unmapped by another process
 * than the one that is charged for them; tasks whose last reference is that of
 * a context.
 *
 * Most faults here show only as warnings of the kernel. Leaks show in the
 * numbers of perf_books.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <linux/perf_event_ext.h>

#include "perf_books.h"
#include "perf_lib.h"

#define RACE_NS		(3 * NSEC_PER_SEC)
#define DATA_PAGES	1
#define GRACE_US	500000
#define CGROUPS		"/sys/fs/cgroup"

static struct perf_event_attr user_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	return attr;
}

static void *map_buffer(int fd)
{
	return mmap(NULL, (1 + DATA_PAGES) * sysconf(_SC_PAGESIZE),
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void unmap_buffer(void *at)
{
	munmap(at, (1 + DATA_PAGES) * sysconf(_SC_PAGESIZE));
}

static void map_and_unmap(int fd)
{
	void *at = map_buffer(fd);

	if (at != MAP_FAILED)
		unmap_buffer(at);
}

/* A process on the other CPU that maps and unmaps @fd until it is stopped. */
static pid_t start_mapper(int fd)
{
	int other = second_cpu();
	pid_t pid = fork();

	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		pin_to_cpu(other);
		for (;;)
			map_and_unmap(fd);
	}
	pin_to_cpu(first_cpu());
	return pid;
}

/* Opens name a buffer that comes and goes. */

/* Fails in the last check of all: there is no leader that samples a trace. */
static void open_too_much(int target)
{
	struct perf_event_attr attr = user_attr();
	int fd;

	attr.sample_type = PERF_SAMPLE_AUX;
	attr.aux_sample_size = 8;
	fd = perf_open(&attr, 0, -1, target,
		       PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP);
	CHECK(fd < 0 && errno == EINVAL, "open: %s",
	      fd < 0 ? strerror(errno) : "success");
}

static int ask(struct perf_event_dry_run *run, int target)
{
	return syscall(SYS_perf_event_open, run, 0, -1, target,
		       PERF_FLAG_DRY_RUN | PERF_FLAG_FD_OUTPUT |
		       PERF_FLAG_FD_NO_GROUP);
}

/* A dry run that comes too late for the buffer reports that. */
static void ask_only(int target)
{
	struct perf_event_attr attr = user_attr();
	struct perf_event_dry_run run = {
		.size		= sizeof(run),
		.attr		= (unsigned long)&attr,
	};

	CHECK(!ask(&run, target), "dry run: %s", strerror(errno));
	CHECK(!run.error || run.error == EINVAL, "dry run says: %s",
	      strerror(run.error));
}

static void open_and_close(int target)
{
	struct perf_event_attr attr = user_attr();
	int fd = perf_open(&attr, 0, -1, target,
			   PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP);

	CHECK(fd >= 0 || errno == EINVAL, "open: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

struct race {
	void (*attempt)(int target);
};

static void race_without_rights(void *arg)
{
	const struct race *race = arg;
	struct perf_event_attr attr = user_attr();
	__u64 end = now_ns() + RACE_NS;
	pid_t mapper;
	int target;

	become_nobody();
	target = open_self(&attr);
	mapper = start_mapper(target);
	while (now_ns() < end)
		race->attempt(target);
	stop_child(mapper);
}

static void race_unmap(void (*attempt)(int target))
{
	struct race race = { attempt };
	struct books before;

	second_cpu();
	open_books(&before);
	run_child(race_without_rights, &race);
	expect_balance(&before);
}

static void open_fails(void)
{
	race_unmap(open_too_much);
}

static void open_is_dry(void)
{
	struct perf_event_attr attr = user_attr();
	struct perf_event_dry_run run = {
		.size		= sizeof(run),
		.attr		= (unsigned long)&attr,
	};

	/* Kernels without it do not know the flag. */
	if (ask(&run, open_self(&attr)) < 0 && errno == EINVAL)
		test_skip("no PERF_FLAG_DRY_RUN");
	race_unmap(ask_only);
}

static void open_succeeds(void)
{
	race_unmap(open_and_close);
}

/* A redirected event that is mapped. */

static int open_redirected(int target)
{
	struct perf_event_attr attr = user_attr();
	int fd = perf_open(&attr, 0, -1, target,
			   PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP);

	CHECK(fd >= 0, "FD_OUTPUT: %s", strerror(errno));
	return fd;
}

/* The event can have a buffer of its own once that of the target has gone. */
static void map_redirected(void)
{
	struct perf_event_attr attr = user_attr();
	int target = open_self(&attr), fd;
	struct perf_event_mmap_page *page;
	void *at, *own;

	at = map_buffer(target);
	CHECK(at != MAP_FAILED, "target: %s", strerror(errno));
	fd = open_redirected(target);
	own = map_buffer(fd);
	if (own != MAP_FAILED)
		test_xfail("shares the buffer");
	CHECK(errno == EINVAL, "in use: %s", strerror(errno));
	unmap_buffer(at);
	own = map_buffer(fd);
	CHECK(own != MAP_FAILED, "its own: %s", strerror(errno));
	at = map_buffer(target);
	CHECK(at != MAP_FAILED, "target again: %s", strerror(errno));
	page = own;
	page->data_tail = 1;
	page = at;
	CHECK(!page->data_tail, "two events have one buffer");
}

static void redirect_and_map(int fd, int target)
{
	void *at;

	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target))
		CHECK(errno == EINVAL, "SET_OUTPUT: %s", strerror(errno));
	at = map_buffer(fd);
	if (at == MAP_FAILED)
		CHECK(errno == EINVAL, "map: %s", strerror(errno));
	else
		unmap_buffer(at);
}

/* The number of mappings never rises from 0, even if the buffer was found. */
static void race_map_redirected(void *arg)
{
	struct perf_event_attr attr = user_attr();
	__u64 end = now_ns() + RACE_NS;
	int target, fd;
	pid_t mapper;

	(void)arg;
	become_nobody();
	target = open_self(&attr);
	fd = open_self(&attr);
	mapper = start_mapper(target);
	while (now_ns() < end)
		redirect_and_map(fd, target);
	stop_child(mapper);
}

static void map_while_buffer_goes(void)
{
	struct books before;

	second_cpu();
	open_books(&before);
	run_child(race_map_redirected, NULL);
	expect_balance(&before);
}

/* Locked memory is given back to the process that mapped it, not to another. */

struct debtor {
	int fd;
	int child_has[2];
	int parent_left[2];
	size_t size;
	/* Of both processes, when nothing is mapped any more. */
	long pinned[2];
};

/* Return: more than the user's allowance, to charge the process as well. */
static size_t charged_size(void)
{
	long kb = read_long("/proc/sys/kernel/perf_event_mlock_kb") *
		  sysconf(_SC_NPROCESSORS_ONLN);
	size_t page = sysconf(_SC_PAGESIZE), pages = 1;

	while (pages * page <= kb * 1024UL)
		pages *= 2;
	return (1 + pages) * page;
}

static void *map_charged(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	return at;
}

/* The child's copy of the mapping is the last one. */
static void unmap_after_parent(struct debtor *debtor, void *at)
{
	char byte;

	CHECK(write(debtor->child_has[1], "", 1) == 1, "write");
	CHECK(read(debtor->parent_left[0], &byte, 1) == 1, "read");
	CHECK(!pinned_kb(), "%ld kB are charged to a child", pinned_kb());
	CHECK(!munmap(at, debtor->size), "munmap: %s", strerror(errno));
	debtor->pinned[1] = pinned_kb();
}

static void copy_mapping(void *arg)
{
	struct rlimit lots = { 1 << 28, 1 << 28 };
	struct perf_event_attr attr = user_attr();
	struct debtor *debtor = arg;
	char byte;
	pid_t pid;
	void *at;

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &lots), "setrlimit");
	become_nobody();
	CHECK(!pipe(debtor->child_has) && !pipe(debtor->parent_left), "pipe");
	at = map_charged(open_self(&attr), debtor->size);
	CHECK(pinned_kb() > 0, "nothing is charged");
	CHECK(!madvise(at, debtor->size, MADV_DOFORK), "MADV_DOFORK: %s",
	      strerror(errno));
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		unmap_after_parent(debtor, at);
		child_finish();
	}
	CHECK(read(debtor->child_has[0], &byte, 1) == 1, "read");
	CHECK(!munmap(at, debtor->size), "munmap: %s", strerror(errno));
	CHECK(write(debtor->parent_left[1], "", 1) == 1, "write");
	join_child(pid);
	debtor->pinned[0] = pinned_kb();
}

static void copied_mapping_goes_last(void)
{
	struct debtor *debtor = map_memory(memory_fd("debtor", sizeof(*debtor)),
					   sizeof(*debtor));
	struct books before;

	debtor->size = charged_size();
	open_books(&before);
	run_child(copy_mapping, debtor);
	expect_balance(&before);
	if (debtor->pinned[0] || debtor->pinned[1])
		test_xfail("%ld kB stay with the parent, the child has %ld",
			   debtor->pinned[0], debtor->pinned[1]);
}

/* The user nobody maps first, and is charged. */
static void map_and_leave(void *arg)
{
	struct debtor *debtor = arg;
	char byte;

	become_nobody();
	map_charged(debtor->fd, debtor->size);
	CHECK(write(debtor->child_has[1], "", 1) == 1, "write");
	CHECK(read(debtor->parent_left[0], &byte, 1) == 1, "read");
}

static void map_after_another(void *arg)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct debtor debtor = { .size = (1 + DATA_PAGES) * page };
	struct perf_event_attr attr = user_attr();
	struct helper first;
	char byte;
	void *at;

	(void)arg;
	CHECK(!pipe(debtor.child_has) && !pipe(debtor.parent_left), "pipe");
	debtor.fd = open_self(&attr);
	first = helper_start(map_and_leave, &debtor);
	helper_go(&first);
	CHECK(read(debtor.child_has[0], &byte, 1) == 1, "read");
	at = map_charged(debtor.fd, debtor.size);
	CHECK(write(debtor.parent_left[1], "", 1) == 1, "write");
	helper_join(&first);
	CHECK(!munmap(at, debtor.size), "munmap: %s", strerror(errno));
}

static void stay_nobody(void *arg)
{
	const int *there = arg;

	become_nobody();
	CHECK(write(there[1], "", 1) == 1, "write");
	pause();
}

/* Two users. A user's charges are forgotten when its last process exits. */
static void another_unmaps_last(void)
{
	struct helper nobody;
	struct books before;
	int there[2];
	char byte;

	CHECK(!pipe(there), "pipe");
	nobody = helper_start(stay_nobody, there);
	helper_go(&nobody);
	CHECK(read(there[0], &byte, 1) == 1, "read");
	open_books(&before);
	run_child(map_after_another, NULL);
	expect_balance(&before);
	stop_child(nobody.pid);
}

/* The last reference on a task. */

/*
 * Pipes: "go" is closed when the parent wants the member to exit, "gone" closes
 * when it exits. The cgroup has only the founder in it.
 */
struct lineage {
	int go[2];
	int gone[2];
	char cgroup[128];
};

static void join_cgroup(const char *cgroup)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	CHECK(write_text(path, "0"), "join %s: %s", cgroup, strerror(errno));
}

/* A member of its parent's family, counted long after the parent's exit. */
static void be_member(struct lineage *line, int fd)
{
	char byte;

	close(fd);
	close(line->go[1]);
	join_cgroup(CGROUPS);
	touch_pages(1);
	CHECK(!read(line->go[0], &byte, 1), "go");
	child_finish();
}

static void found_family(void *arg)
{
	struct perf_event_attr attr = user_attr();
	struct lineage *line = arg;
	pid_t pid;
	int fd;

	attr.inherit = 1;
	attr.disabled = 0;
	join_cgroup(line->cgroup);
	fd = open_self(&attr);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		be_member(line, fd);
	close(fd);
}

/*
 * The event is closed, and the task that it was opened on has exited. Only the
 * family's contexts keep its task_struct, until the last member exits. Freeing
 * it also frees what its cgroup holds for it, which takes locks.
 */
static void founder_goes_first(void)
{
	struct lineage line;
	char byte;

	if (access(CGROUPS "/cgroup.procs", W_OK))
		test_skip("no cgroup2 at " CGROUPS);
	snprintf(line.cgroup, sizeof(line.cgroup), CGROUPS "/perf_life_%d",
		 getpid());
	CHECK(!mkdir(line.cgroup, 0755), "mkdir: %s", strerror(errno));
	CHECK(!pipe(line.go) && !pipe(line.gone), "pipe");
	run_child(found_family, &line);
	usleep(GRACE_US);
	close(line.go[0]);
	close(line.go[1]);
	close(line.gone[1]);
	CHECK(!read(line.gone[0], &byte, 1), "gone");
	usleep(GRACE_US);
	CHECK(!rmdir(line.cgroup), "rmdir: %s", strerror(errno));
}

static const struct test_case cases[] = {
	{ "an open fails while its buffer goes", open_fails },
	{ "a dry run while its buffer goes", open_is_dry },
	{ "an open succeeds while its buffer goes", open_succeeds },
	{ "mapping of an event with FD_OUTPUT", map_redirected },
	{ "mapping of an event whose target's buffer goes",
	  map_while_buffer_goes },
	{ "a copy of a mapping goes last", copied_mapping_goes_last },
	{ "another user unmaps last", another_unmaps_last },
	{ "the founder of a family goes first", founder_goes_first },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
