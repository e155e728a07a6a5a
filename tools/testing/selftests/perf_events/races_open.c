// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads act on a group: both open an event that makes the software group
 * move to another PMU, or one does and the other adds a software event or calls
 * ioctls. And one thread changes an attribute while another opens with it.
 *
 * In any order the group is whole afterwards, and counts on one hardware PMU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "perf_lib.h"
#include "test_pmu.h"

#define ROUNDS		20
#define COPY_NS		(2 * NSEC_PER_SEC)
#define PATIENCE	(20 * NSEC_PER_SEC)

/* What the two threads open in the group of a software event of the caller. */
struct duel {
	pid_t pid;
	int leader;
	int sibling;
	struct perf_event_attr attr[2];
	int fd[2];
	int error[2];
};

static struct perf_event_attr timed(struct perf_event_attr attr)
{
	attr.read_format = FORMAT_TIMES;
	attr.disabled = 0;
	return attr;
}

static struct perf_event_attr soft_attr(void)
{
	return timed(sw_attr(PERF_COUNT_SW_TASK_CLOCK));
}

static struct perf_event_attr hard_attr(void)
{
	return timed(hw_attr(PERF_COUNT_HW_CPU_CYCLES));
}

static void open_one(struct duel *duel, int nr)
{
	duel->fd[nr] = perf_open(&duel->attr[nr], duel->pid, -1, duel->leader,
				 0);
	duel->error[nr] = duel->fd[nr] < 0 ? errno : 0;
}

/* The open has returned, so the move may no longer change states. */
static void open_and_enable(void *arg)
{
	struct duel *duel = arg;

	open_one(duel, 0);
	if (!duel->error[0])
		ioctl(duel->fd[0], PERF_EVENT_IOC_ENABLE, 0);
}

static void open_other(void *arg)
{
	open_one(arg, 1);
}

static void call_events(void *arg)
{
	struct duel *duel = arg;
	struct timed_count count;
	int i;

	for (i = 0; i < 4; i++) {
		ioctl(duel->sibling, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(duel->sibling, PERF_EVENT_IOC_RESET, 0);
		ioctl(duel->leader, PERF_EVENT_IOC_RESET,
		      PERF_IOC_FLAG_GROUP);
		CHECK(read(duel->leader, &count, sizeof(count)) ==
		      sizeof(count), "read: %s", strerror(errno));
		ioctl(duel->sibling, PERF_EVENT_IOC_ENABLE, 0);
	}
}

static void expect_counts(int fd, const char *who)
{
	__u64 end = now_ns() + PATIENCE;
	struct timed_count before = read_timed(fd), after;

	do {
		burn(20000);
		after = read_timed(fd);
	} while ((after.value == before.value ||
		  after.running == before.running) && now_ns() < end);
	CHECK(after.value > before.value && after.running > before.running,
	      "%s does not count", who);
}

static void expect_group(const struct duel *duel)
{
	int i;

	expect_counts(duel->leader, "the leader");
	expect_counts(duel->sibling, "the sibling");
	for (i = 0; i < 2; i++)
		if (duel->fd[i] >= 0)
			expect_counts(duel->fd[i], "a new sibling");
}

static void begin(struct duel *duel)
{
	struct perf_event_attr attr = soft_attr();

	duel->pid = getpid();
	duel->leader = open_self(&attr);
	duel->sibling = open_sibling(&attr, duel->leader);
	duel->fd[0] = -1;
	duel->fd[1] = -1;
}

static void end(struct duel *duel)
{
	int i;

	for (i = 0; i < 2; i++)
		if (duel->fd[i] >= 0)
			close(duel->fd[i]);
	close(duel->sibling);
	close(duel->leader);
}

static void expect_opened(const struct duel *duel, int nr)
{
	CHECK(!duel->error[nr], "open of sibling %d: %s", nr,
	      strerror(duel->error[nr]));
}

static void both_open(struct duel *duel)
{
	int i;

	need_hardware();
	for (i = 0; i < ROUNDS; i++) {
		begin(duel);
		run_together(open_and_enable, open_other, duel);
		expect_opened(duel, 0);
		expect_opened(duel, 1);
		expect_group(duel);
		end(duel);
	}
}

/* The second open finds that the group has moved already. */
static void both_move(void)
{
	struct duel duel = { .attr = { hard_attr(), hard_attr() } };

	duel.attr[0].disabled = 1;
	both_open(&duel);
}

/* The software event joins the group before or after the move. */
static void one_moves(void)
{
	struct duel duel = { .attr = { hard_attr(), soft_attr() } };

	both_open(&duel);
}

/* The group can move to either PMU, but not to both. */
static void two_pmus(void)
{
	struct duel duel = { .attr = { hard_attr() } };
	int i, loser;

	need_hardware();
	test_pmu_need();
	duel.attr[1] = timed(test_pmu_attr(TEST_PMU_GENERAL));
	for (i = 0; i < ROUNDS; i++) {
		begin(&duel);
		run_together(open_and_enable, open_other, &duel);
		loser = !duel.error[0];
		CHECK(duel.error[loser] == EINVAL,
		      "round %d: a group of two PMUs: %s", i,
		      strerror(duel.error[loser]));
		expect_opened(&duel, !loser);
		expect_group(&duel);
		end(&duel);
	}
}

static void called_while_it_moves(void)
{
	struct duel duel = { .attr = { hard_attr() } };
	int i;

	need_hardware();
	for (i = 0; i < ROUNDS; i++) {
		begin(&duel);
		run_together(open_and_enable, call_events, &duel);
		expect_opened(&duel, 0);
		expect_group(&duel);
		end(&duel);
	}
}

/* An attribute, followed by bytes that no kernel knows. */
struct unsteady {
	struct perf_event_attr *attr;
	__u32 sizes[2];
	unsigned int opened;
	unsigned int refused;
	bool stop;
};

static void *change_size(void *arg)
{
	struct unsteady *unsteady = arg;
	unsigned int turn;

	pin_to_cpu(second_cpu());
	/* An emulator interrupts between two rounds, but not within one. */
	for (turn = 0; !__atomic_load_n(&unsteady->stop, __ATOMIC_RELAXED);
	     turn++)
		__atomic_store_n(&unsteady->attr->size,
				 unsteady->sizes[turn % 2], __ATOMIC_RELAXED);
	return NULL;
}

/*
 * One of the two sizes is used for the whole copy: the known size, or one that
 * is too large.
 */
static void open_unsteady(struct unsteady *unsteady)
{
	int fd = syscall(SYS_perf_event_open, unsteady->attr, 0, -1, -1, 0);

	CHECK(fd >= 0 || errno == E2BIG, "open: %s", strerror(errno));
	unsteady->opened += fd >= 0;
	unsteady->refused += fd < 0;
	if (fd >= 0)
		close(fd);
}

static void size_changes(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct unsteady unsteady = {
		.sizes = { sizeof(*unsteady.attr), page },
	};
	__u64 begin = now_ns();
	pthread_t thread;
	void *at;

	at = mmap(NULL, page, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	memset(at, 0xff, page);
	unsteady.attr = at;
	*unsteady.attr = sw_attr(PERF_COUNT_SW_DUMMY);
	second_cpu();
	CHECK(!pthread_create(&thread, NULL, change_size, &unsteady), "thread");
	pin_to_cpu(first_cpu());
	while (now_ns() < begin + COPY_NS ||
	       (now_ns() < begin + PATIENCE &&
		!(unsteady.opened && unsteady.refused)))
		open_unsteady(&unsteady);
	__atomic_store_n(&unsteady.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	CHECK(unsteady.opened && unsteady.refused, "%u opened, %u refused",
	      unsteady.opened, unsteady.refused);
}

static const struct test_case cases[] = {
	{ "CVE-2017-6001: two siblings move one group", both_move },
	{ "CVE-2022-1729: a sibling joins a group that moves", one_moves },
	{ "CVE-2022-1729: siblings of two PMUs", two_pmus },
	{ "CVE-2016-6786: calls to a group that moves", called_while_it_moves },
	{ "CVE-2009-3234: attr.size changes while it is copied", size_changes },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
