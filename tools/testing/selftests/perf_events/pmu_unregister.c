// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU is unregistered while events of it are open: the errors that their
 * owners get, the effect on families and groups, and whether the driver can be
 * unloaded.
 *
 * Kernels that cannot do this lack the module with the PMU: all cases are
 * skipped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "perf_lib.h"
#include "test_pmu.h"

#define RACERS		4
#define RACES		40
#define FORKS		12
#define MANY		6

static int open_test(pid_t pid, int cpu, int group)
{
	struct perf_event_attr attr = test_pmu_attr(TEST_PMU_GENERAL);

	return open_on(&attr, pid, cpu, group);
}

static void expect_errno(long result, int want, const char *what)
{
	EXPECT(result == -1 && errno == want, "%s: %ld (%s), not %s", what,
	       result, result == -1 ? strerror(errno) : "fine",
	       strerror(want));
}

/* Every operation on a revoked event. */
static void expect_revoked(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	__u64 value = 1;

	expect_errno(read(fd, &value, sizeof(value)), ENODEV, "read");
	EXPECT(poll(&pfd, 1, 0) == 1 && pfd.revents == (POLLHUP | POLLERR),
	       "poll: %#x", pfd.revents);
	EXPECT(mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd,
		    0) == MAP_FAILED && errno == ENODEV,
	       "mmap: %s", strerror(errno));
}

static void expect_clean(void)
{
	EXPECT(test_pmu_parameter("events") == 0, "the driver has %ld events",
	       test_pmu_parameter("events"));
	EXPECT(test_pmu_parameter("faults") == 0, "%ld faults",
	       test_pmu_parameter("faults"));
}

static void pull(void)
{
	test_pmu_unregister();
	expect_clean();
}

static void what_the_owner_sees(void)
{
	int fd;

	test_pmu_need();
	fd = open_test(0, -1, -1);
	burn(1000);
	CHECK(read_count(fd), "does not count");
	CHECK(test_pmu_parameter("events") == 1, "the driver has no event");
	pull();
	expect_revoked(fd);
	CHECK(!close(fd), "close: %s", strerror(errno));
	expect_clean();
}

static void every_ioctl(void)
{
	static const struct {
		unsigned long cmd;
		const char *name;
		bool pointer;
	} cmds[] = {
		{ PERF_EVENT_IOC_ENABLE, "ENABLE", false },
		{ PERF_EVENT_IOC_DISABLE, "DISABLE", false },
		{ PERF_EVENT_IOC_RESET, "RESET", false },
		{ PERF_EVENT_IOC_REFRESH, "REFRESH", false },
		{ PERF_EVENT_IOC_PERIOD, "PERIOD", true },
		{ PERF_EVENT_IOC_ID, "ID", true },
		{ PERF_EVENT_IOC_SET_OUTPUT, "SET_OUTPUT", false },
		{ PERF_EVENT_IOC_SET_FILTER, "SET_FILTER", true },
		{ PERF_EVENT_IOC_SET_BPF, "SET_BPF", false },
		{ PERF_EVENT_IOC_PAUSE_OUTPUT, "PAUSE_OUTPUT", false },
		{ PERF_EVENT_IOC_QUERY_BPF, "QUERY_BPF", true },
		{ PERF_EVENT_IOC_MODIFY_ATTRIBUTES, "MODIFY_ATTRIBUTES", true },
	};
	char area[256] = "x";
	size_t i;
	int fd;

	test_pmu_need();
	fd = open_test(0, -1, -1);
	pull();
	for (i = 0; i < ARRAY_SIZE(cmds); i++)
		expect_errno(ioctl(fd, cmds[i].cmd,
				   cmds[i].pointer ? (unsigned long)area : 1),
			     ENODEV, cmds[i].name);
	/* These are about all events of the task, not about this one. */
	CHECK(!prctl(PR_TASK_PERF_EVENTS_DISABLE), "prctl");
	CHECK(!prctl(PR_TASK_PERF_EVENTS_ENABLE), "prctl");
	expect_revoked(fd);
}

static void *exited(void *arg)
{
	*(int *)arg = open_test(0, -1, -1);
	return NULL;
}

/* Disabled, of a CPU, of a task that sleeps or has exited, without room. */
static void every_state(void)
{
	struct perf_event_attr attr;
	int fd[MANY], i, ready[2];
	pthread_t thread;
	pid_t sleeper;

	test_pmu_need();
	attr = test_pmu_attr(TEST_PMU_FIXED);
	fd[0] = open_test(0, -1, -1);
	event_disable(fd[0]);
	fd[1] = open_test(-1, first_cpu(), -1);
	CHECK(!pipe(ready), "pipe");
	sleeper = fork();
	if (!sleeper)
		_exit(read(ready[0], &i, 1) != 1);
	fd[2] = open_test(sleeper, -1, -1);
	pthread_create(&thread, NULL, exited, &fd[3]);
	pthread_join(thread, NULL);
	attr.pinned = 1;
	fd[4] = open_on(&attr, -1, first_cpu(), -1);
	fd[5] = open_on(&attr, -1, first_cpu(), -1);
	CHECK(read(fd[5], &i, sizeof(i)) == 0, "there is a second fixed counter");

	pull();
	for (i = 0; i < MANY; i++)
		expect_revoked(fd[i]);
	CHECK(write(ready[1], "", 1) == 1, "write");
	join_child(sleeper);
	for (i = 0; i < MANY; i++)
		close(fd[i]);
	expect_clean();
}

static void mapping_stays(void)
{
	struct perf_event_mmap_page *page;
	size_t size = 3 * sysconf(_SC_PAGESIZE);
	int fd;

	test_pmu_need();
	pin_to_cpu(first_cpu());
	fd = open_test(0, -1, -1);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(page != MAP_FAILED, "mmap: %s", strerror(errno));
	CHECK(page->index, "index is 0 while the event is on");
	CHECK(test_pmu_parameter("mappings") == 1, "the driver was not told");
	pull();
	EXPECT(page->index == 0, "index is %u", page->index);
	EXPECT(!(page->lock & 1), "the page is being written");
	EXPECT(page->time_running, "the times are lost");
	/* No event writes here, but the pages are still mapped. */
	EXPECT(__atomic_load_n((char *)page + size - 1, __ATOMIC_RELAXED) == 0,
	       "data");
	page->data_tail = page->data_head;
	page = mremap(page, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
		      mmap(NULL, size, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	CHECK(page != MAP_FAILED, "mremap: %s", strerror(errno));
	EXPECT(page->index == 0, "index is %u", page->index);
	expect_revoked(fd);
	CHECK(!munmap(page, size), "munmap: %s", strerror(errno));
	expect_revoked(fd);
}

/* Another event that writes to the same buffer goes on. */
static void buffer_is_shared(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd, other, late;
	struct perf_ring *ring;

	test_pmu_need();
	fd = open_test(0, -1, -1);
	ring = ring_map(fd, 8);
	/* No sample_type: records without an id must all look the same. */
	attr.sample_period = 1;
	other = open_self(&attr);
	late = open_self(&attr);
	CHECK(!ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd), "set_output: %s",
	      strerror(errno));
	pull();
	event_enable(other);
	touch_pages(4);
	event_disable(other);
	EXPECT(ring_count(ring, PERF_RECORD_SAMPLE) >= 4, "samples are lost");
	expect_errno(ioctl(late, PERF_EVENT_IOC_SET_OUTPUT, fd), EINVAL,
		     "set_output to it");
	expect_errno(perf_open(&attr, 0, -1, fd, PERF_FLAG_FD_OUTPUT), ENODEV,
		     "FD_OUTPUT to it");
	expect_errno(perf_open(&attr, 0, -1, fd, 0), ENODEV, "join its group");
}

static void *pull_later(void *arg)
{
	(void)arg;
	usleep(100000);
	test_pmu_unregister();
	return NULL;
}

static void poller_wakes(void)
{
	struct pollfd pfd = { .events = POLLIN };
	pthread_t thread;

	test_pmu_need();
	pfd.fd = open_test(0, -1, -1);
	ring_map(pfd.fd, 1);
	pthread_create(&thread, NULL, pull_later, NULL);
	CHECK(poll(&pfd, 1, 20000) == 1, "poll was not woken");
	EXPECT(pfd.revents == (POLLHUP | POLLERR), "poll: %#x", pfd.revents);
	pthread_join(thread, NULL);
}

static int band;

static void on_sigio(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	__atomic_store_n(&band, info->si_code, __ATOMIC_RELAXED);
}

static void owner_is_signalled(void)
{
	struct sigaction action = { .sa_sigaction = on_sigio,
				    .sa_flags = SA_SIGINFO };
	int fd;

	test_pmu_need();
	fd = open_test(0, -1, -1);
	ring_map(fd, 1);
	sigaction(SIGIO, &action, NULL);
	CHECK(!fcntl(fd, F_SETOWN, getpid()) && !fcntl(fd, F_SETSIG, SIGIO) &&
	      !fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK), "fcntl");
	pull();
	EXPECT(__atomic_load_n(&band, __ATOMIC_RELAXED) == POLL_HUP,
	       "signal: code %d", band);
}

/* Families. */

struct tree {
	int fd;
	int go[2];
	int ready[2];
};

static void touch_some(void *arg)
{
	(void)arg;
	touch_pages(2);
}

/* Afterwards a new task has no copy; nothing else differs. */
static void live_and_fork(void *arg)
{
	struct tree *tree = arg;
	char byte;

	CHECK(write(tree->ready[1], "", 1) == 1, "write");
	CHECK(read(tree->go[0], &byte, 1) == 1, "read");
	expect_revoked(tree->fd);
	run_child(touch_some, NULL);
}

static void tree_start(struct tree *tree, struct helper *helpers)
{
	char byte;
	int i;

	CHECK(!pipe(tree->go) && !pipe(tree->ready), "pipe");
	for (i = 0; i < MANY; i++) {
		helpers[i] = helper_start(live_and_fork, tree);
		helper_go(&helpers[i]);
		CHECK(read(tree->ready[0], &byte, 1) == 1, "read");
	}
}

/* @task_data: each task has a copy of its own; else tasks may share copies. */
static void family_with(bool task_data)
{
	struct perf_event_attr attr;
	struct helper helpers[MANY];
	struct tree tree;
	int i;

	test_pmu_need();
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	attr.inherit = 1;
	attr.config1 = task_data;
	tree.fd = open_self(&attr);
	tree_start(&tree, helpers);
	EXPECT(!task_data || test_pmu_parameter("events") == MANY + 1,
	       "%ld events", test_pmu_parameter("events"));
	EXPECT(test_pmu_parameter("events") >= 2, "no copies");
	pull();
	expect_revoked(tree.fd);
	run_child(touch_some, NULL);
	for (i = 0; i < MANY; i++)
		CHECK(write(tree.go[1], "", 1) == 1, "write");
	for (i = 0; i < MANY; i++)
		helper_join(&helpers[i]);
	expect_clean();
}

static void family(void)
{
	family_with(false);
}

static void family_of_own_contexts(void)
{
	family_with(true);
}

/* No fork fails, whatever happens to the PMU. */
static void fork_for_ever(void *arg)
{
	(void)arg;
	for (;;)
		run_child(touch_some, NULL);
}

static void fork_all_the_time(void)
{
	struct perf_event_attr attr;
	struct helper helper;
	int fd, other, i;

	test_pmu_need();
	for (i = 0; i < FORKS; i++) {
		test_pmu_register();
		attr = test_pmu_attr(TEST_PMU_GENERAL);
		attr.inherit = 1;
		attr.config1 = i & 1;
		fd = open_self(&attr);
		other = open_sibling(&attr, fd);
		helper = helper_start(fork_for_ever, NULL);
		helper_go(&helper);
		usleep(1000 * i);
		pull();
		expect_revoked(fd);
		usleep(1000);
		CHECK(!waitpid(helper.pid, NULL, WNOHANG), "a fork failed");
		kill(helper.pid, SIGKILL);
		waitpid(helper.pid, NULL, 0);
		close(fd);
		close(other);
	}
}

/* Groups. */

static bool counts(int fd)
{
	__u64 before = read_count(fd);

	touch_pages(8);
	return read_count(fd) >= before + 8;
}

static void software_sibling(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int leader, sibling;

	test_pmu_need();
	leader = open_test(0, -1, -1);
	attr.disabled = 0;
	sibling = open_sibling(&attr, leader);
	CHECK(counts(sibling), "does not count in the group");
	pull();
	expect_revoked(leader);
	EXPECT(counts(sibling), "does not count alone");
	close(leader);
	EXPECT(counts(sibling), "does not count when the leader is closed");
}

/* The same in contexts that tasks share. */
static void software_family(void)
{
	struct perf_event_attr attr;
	struct helper helpers[MANY];
	int sibling, i;
	struct tree tree;
	__u64 before;

	test_pmu_need();
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	attr.inherit = 1;
	tree.fd = open_self(&attr);
	attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	attr.disabled = 0;
	attr.inherit = 1;
	sibling = open_sibling(&attr, tree.fd);
	tree_start(&tree, helpers);
	pull();
	before = read_count(sibling);
	for (i = 0; i < MANY; i++)
		CHECK(write(tree.go[1], "", 1) == 1, "write");
	for (i = 0; i < MANY; i++)
		helper_join(&helpers[i]);
	/* Each helper has a child that touches two pages. */
	EXPECT(read_count(sibling) >= before + 2 * MANY,
	       "what tasks do is not counted");
	EXPECT(counts(sibling), "does not count here");
	expect_revoked(tree.fd);
}

/* A software group that had a sibling on the PMU for a while. */
static void software_leader(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int leader, on_pmu, sibling;

	test_pmu_need();
	attr.disabled = 0;
	leader = open_self(&attr);
	sibling = open_sibling(&attr, leader);
	on_pmu = open_test(0, -1, leader);
	CHECK(counts(leader) && counts(sibling), "does not count in the group");
	pull();
	expect_revoked(on_pmu);
	EXPECT(counts(leader) && counts(sibling), "does not count any more");

	/* The group takes another one, as if there had been none. */
	test_pmu_register();
	on_pmu = open_test(0, -1, leader);
	burn(1000);
	EXPECT(read_count(on_pmu), "the new sibling does not count");
	EXPECT(counts(leader) && counts(sibling), "does not count with it");
	close(on_pmu);
	pull();
	EXPECT(counts(leader) && counts(sibling), "does not count in the end");
}

static void group_of_the_pmu(void)
{
	struct {
		__u64 nr;
		__u64 value[2];
	} values;
	struct perf_event_attr attr;
	int leader, sibling;

	test_pmu_need();
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	attr.read_format = PERF_FORMAT_GROUP;
	leader = open_self(&attr);
	sibling = open_sibling(&attr, leader);
	CHECK(read(leader, &values, sizeof(values)) == sizeof(values), "read");
	pull();
	expect_revoked(leader);
	expect_revoked(sibling);
	expect_errno(ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP),
		     ENODEV, "enable the group");
}

/*
 * Each allocation fails once in turn. Then a group that finds no other place
 * may be revoked with the PMU, but it is either counting or revoked.
 */
static void fails_at(int nth, bool *reached)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	char text[16] = "0";
	int leader, sibling, pull_fd, nth_fd;
	ssize_t wrote;
	__u64 value;

	test_pmu_register();
	attr.disabled = 0;
	leader = open_self(&attr);
	sibling = open_test(0, -1, leader);
	pull_fd = test_pmu_open_switch();
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	CHECK(nth_fd >= 0, "fail-nth: %s", strerror(errno));

	snprintf(text, sizeof(text), "%d", nth);
	CHECK(write(nth_fd, text, strlen(text)) > 0, "write fail-nth");
	wrote = write(pull_fd, "0", 1);
	memset(text, 0, sizeof(text));
	*reached = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	/* The failure may come in this write. Then the next one succeeds. */
	if (!*reached)
		CHECK(pwrite(nth_fd, "0", 1, 0) == 1 ||
		      pwrite(nth_fd, "0", 1, 0) == 1, "reset fail-nth");

	if (wrote == 1) {
		expect_revoked(sibling);
		if (read(leader, &value, sizeof(value)) < 0)
			expect_revoked(leader);
		else
			EXPECT(counts(leader), "%d: does not count", nth);
	}
	close(pull_fd);
	close(nth_fd);
	close(leader);
	close(sibling);
}

static void no_memory(void)
{
	static const char file[] = "/sys/kernel/debug/failslab/ignore-gfp-wait";
	bool reached = true;
	int nth;

	test_pmu_need();
	if (access("/proc/thread-self/fail-nth", W_OK) || !write_text(file, "N"))
		test_skip("no fault injection");
	for (nth = 1; reached; nth++)
		fails_at(nth, &reached);
	write_text(file, "Y");
	EXPECT(nth > 2, "nothing was allocated");
	pull();
}

/* Everything at once. */

static bool may_fail(int err)
{
	return err == ENOENT || err == ENODEV;
}

static void race_once(long type)
{
	struct perf_event_attr attr = make_attr(type, TEST_PMU_GENERAL);
	__u64 value;
	int fd, sibling;

	attr.disabled = 0;
	fd = perf_open(&attr, 0, rand() & 1 ? -1 : first_cpu(), -1, 0);
	CHECK(fd >= 0 || may_fail(errno), "open: %s", strerror(errno));
	if (fd < 0)
		return;
	sibling = perf_open(&attr, 0, -1, fd, 0);
	if (read(fd, &value, sizeof(value)) < 0)
		CHECK(errno == ENODEV, "read: %s", strerror(errno));
	if (ioctl(fd, PERF_EVENT_IOC_RESET, 0))
		CHECK(errno == ENODEV, "reset: %s", strerror(errno));
	close(fd);
	if (sibling >= 0)
		close(sibling);
}

static void race(void *arg)
{
	long type = *(long *)arg;

	srand(getpid());
	for (;;)
		race_once(type);
}

static void open_all_the_time(void)
{
	struct helper helpers[RACERS];
	long type;
	int i;

	test_pmu_need();
	type = read_long(TEST_PMU_DIR "/type");
	for (i = 0; i < RACERS; i++) {
		helpers[i] = helper_start(race, &type);
		helper_go(&helpers[i]);
	}
	for (i = 0; i < RACES; i++) {
		usleep(100 * i);
		pull();
		test_pmu_register();
	}
	for (i = 0; i < RACERS; i++) {
		CHECK(!waitpid(helpers[i].pid, NULL, WNOHANG), "one has failed");
		kill(helpers[i].pid, SIGKILL);
		waitpid(helpers[i].pid, NULL, 0);
	}
	pull();
}

/* The module. */

static void module_is_busy(void)
{
	int fd;

	test_pmu_need();
	fd = open_test(0, -1, -1);
	EXPECT(!test_pmu_unload() && errno == EWOULDBLOCK,
	       "unloaded with an event on: %s", strerror(errno));
	burn(1000);
	EXPECT(read_count(fd), "does not count any more");
	close(fd);
}

static void module_goes(void)
{
	int fd, mapped;
	void *page;

	test_pmu_need();
	fd = open_test(0, -1, -1);
	mapped = open_test(-1, first_cpu(), -1);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, mapped,
		    0);
	CHECK(page != MAP_FAILED, "mmap: %s", strerror(errno));
	pull();
	if (!test_pmu_unload()) {
		CHECK(errno != EWOULDBLOCK, "an event keeps the module");
		test_skip("it cannot be unloaded: %s", strerror(errno));
	}
	expect_revoked(fd);
	expect_revoked(mapped);
	CHECK(!munmap(page, sysconf(_SC_PAGESIZE)), "munmap");
	close(mapped);
	test_pmu_need();
	expect_revoked(fd);
}

static const struct test_case cases[] = {
	{ "what the owner sees", what_the_owner_sees },
	{ "every ioctl", every_ioctl },
	{ "every state", every_state },
	{ "a mapping stays, with index 0", mapping_stays },
	{ "a shared buffer", buffer_is_shared },
	{ "poll is woken", poller_wakes },
	{ "the owner is signalled", owner_is_signalled },
	{ "a family", family },
	{ "a family of own contexts", family_of_own_contexts },
	{ "forks all the time", fork_all_the_time },
	{ "a software sibling goes on", software_sibling },
	{ "a software sibling in a family", software_family },
	{ "a software leader goes on", software_leader },
	{ "a group of the PMU", group_of_the_pmu },
	{ "no memory", no_memory },
	{ "opens all the time", open_all_the_time },
	{ "the module is kept by an event", module_is_busy },
	{ "the module can be unloaded", module_goes },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
