// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_FLAG_DRY_RUN: does it report the result of perf_event_open(2), the right
 * field, and whether the event fits, and does it leave nothing behind?
 *
 * Kernels without the flag are skipped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <linux/hw_breakpoint.h>

#include "dry_run.h"
#include "perf_lib.h"
#include "test_pmu.h"

#define MANY		64
#define RACES		400

/*
 * A dry run before the call, and one after it, must report the call's result.
 */
static void run_open_row(const void *arg)
{
	const struct open_row *row = arg;
	struct perf_event_attr attr = row->attr, copy;
	struct open_place place = place_of(row->where);
	struct dry_answer says = row->says;
	struct perf_event_dry_run run;
	int fd, error, leader = -1;

	require(row->needs);
	need_dry_run();
	if (row->leader)
		leader = row->leader();
	attr.size = sizeof(attr);
	attr.disabled = 1;
	copy = attr;
	run = dry_run(&attr, place, leader, row->flags);
	CHECK(!memcmp(&attr, &copy, sizeof(attr)), "attr was changed");
	fd = perf_open(&attr, place.pid, place.cpu, leader, row->flags);
	error = fd < 0 ? errno : 0;
	EXPECT(run.error == error, "dry run: %s, then %s",
	       error_name(run.error), error_name(error));
	/* For a driver that gives no reason the errno implies one. */
	if (says.reason == PERF_REASON_PMU && error == EOPNOTSUPP)
		says.reason = PERF_REASON_PMU_CANNOT;
	/* A driver that gives reasons names the bits, and why. */
	if (says.reason == PERF_REASON_PMU && run.reason == PERF_REASON_RESERVED) {
		says.reason = PERF_REASON_RESERVED;
		says.bits &= run.must_clear;
	}
	expect_answer(&run, &says);
	run = dry_run(&attr, place, leader, row->flags);
	EXPECT(run.error == error, "dry run after it: %s instead of %s",
	       error_name(run.error), error_name(error));
}

/* A dry run leaves nothing behind. */

static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void good_request(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct perf_event_dry_run run;
	int free_fd, i;

	need_dry_run();
	free_fd = next_fd();
	for (i = 0; i < 100; i++) {
		run = dry_run_self(&attr, -1);
		CHECK(!run.error && run.reason == PERF_REASON_NONE &&
		      run.where == PERF_WHERE_NOWHERE && !run.must_clear &&
		      !run.must_set && !run.limit,
		      "refused: %s, %s", error_name(run.error), text);
		CHECK(run.fit_alone == PERF_FIT_YES &&
		      run.fit_beside == PERF_FIT_YES, "fit %u, %u",
		      run.fit_alone, run.fit_beside);
	}
	CHECK(next_fd() == free_fd, "a descriptor is gone");
}

/* A group does not get the event of a dry run. */
static void group_unchanged(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct perf_event_dry_run run;
	__u64 values[8] = { };
	int leader;

	need_dry_run();
	attr.read_format = PERF_FORMAT_GROUP;
	leader = open_self(&attr);
	run = dry_run_self(&attr, leader);
	CHECK(!run.error, "%s, %s", error_name(run.error), text);
	CHECK(read(leader, values, sizeof(values)) == 2 * sizeof(values[0]) &&
	      values[0] == 1, "%llu events", values[0]);
}

static void ask_often(void *arg)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	int i;

	(void)arg;
	attr.inherit = 1;
	for (i = 0; i < 200; i++)
		dry_run_self(&attr, -1);
}

/* Members of a family stay in it, and no count is lost. */
static void family_unchanged(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_event_dry_run run;
	struct helper child;
	int fd;

	need_dry_run();
	attr.inherit = 1;
	attr.disabled = 0;
	fd = open_self(&attr);
	child = helper_start(ask_often, NULL);
	attr.inherit = 0;
	run = dry_run(&attr, (struct open_place) { child.pid, -1 }, -1, 0);
	CHECK(!run.error, "sibling: %s, %s", error_name(run.error), text);
	run = dry_run(&attr, (struct open_place) { child.pid, -1 }, fd, 0);
	CHECK(run.error == EINVAL, "leader of another task: %s",
	      error_name(run.error));
	attr.inherit = 1;
	run = dry_run_self(&attr, fd);
	CHECK(!run.error, "the group grows: %s, %s", error_name(run.error),
	      text);
	CHECK(open_sibling(&attr, fd) >= 0, "the group does not grow");
	helper_go(&child);
	helper_join(&child);
	CHECK(read_count(fd) > 0, "nothing counted");
}

static void fork_often(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < 300; i++) {
		pid_t pid = fork();

		if (!pid) {
			touch_pages(3);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

/* The task founds families, joins them and leaves them all the time. */
static void family_in_motion(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_event_dry_run run;
	struct open_place place = { -1, -1 };
	struct helper child;
	int fd, i, closing;

	need_dry_run();
	attr.inherit = 1;
	attr.disabled = 0;
	child = helper_start(fork_often, NULL);
	place.pid = child.pid;
	fd = open_on(&attr, child.pid, -1, -1);
	helper_go(&child);
	for (i = 0; waitpid(child.pid, NULL, WNOHANG) == 0; i++) {
		run = dry_run(&attr, place, i & 1 ? fd : -1, 0);
		CHECK(!run.error || run.error == ESRCH ||
		      run.error == ENODEV || run.error == EINVAL,
		      "%s, %s", error_name(run.error), text);
		if (i % 8)
			continue;
		/* A real open makes the task leave. */
		closing = perf_open(&attr, child.pid, -1, -1, 0);
		if (closing >= 0)
			close(closing);
	}
	CHECK(read_count(fd) >= 300 * 3, "lost counts: %llu", read_count(fd));
}

static struct perf_event_attr breakpoint_attr(void)
{
	static char target;
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);
	int fd;

	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.bp_addr = (unsigned long)&target;
	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0)
		test_skip("no hardware breakpoints: %s", strerror(errno));
	close(fd);
	return attr;
}

static void breakpoint_slots(void)
{
	static char target[MANY];
	struct perf_event_attr attr = breakpoint_attr();
	struct perf_event_dry_run run;
	int i, fd = -1;

	need_dry_run();
	for (i = 0; i < MANY; i++) {
		attr.bp_addr = (unsigned long)&target[i];
		run = dry_run_self(&attr, -1);
		dry_run_self(&attr, -1);
		fd = perf_open(&attr, 0, -1, -1, 0);
		CHECK(run.error == (fd < 0 ? errno : 0), "number %d: %s, %s",
		      i, error_name(run.error), text);
		if (fd < 0)
			break;
	}
	CHECK(fd < 0 && run.error == ENOSPC, "%d breakpoints", i);
	CHECK(run.reason == PERF_REASON_PMU_FULL &&
	      run.fit_beside == PERF_FIT_NO, "reason %u, fit %u", run.reason,
	      run.fit_beside);
}

/* Fields that only breakpoints have are searched first, then the others. */
static void breakpoint_is_blamed(void)
{
	const struct dry_answer length = {
		PERF_REASON_PMU, IN_FIELD(bp_len, 2)
	};
	const struct dry_answer branches = {
		PERF_REASON_PMU_CANNOT,
		IN_FIELD(sample_type, PERF_SAMPLE_BRANCH_STACK)
	};
	struct perf_event_attr attr = breakpoint_attr();

	need_dry_run();
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
				  PERF_SAMPLE_BRANCH_USER;
	expect_refusal(&attr, place_of(ON_SELF), -1, EOPNOTSUPP, &branches);

	attr = breakpoint_attr();
	attr.bp_len = 3;
	if (perf_open(&attr, 0, -1, -1, 0) >= 0)
		test_skip("breakpoints of three bytes");
	expect_refusal(&attr, place_of(ON_SELF), -1, EINVAL, &length);
}

/* What fits. */

/* A group grows until the PMU has no counter for one more. */
static void group_too_large(void)
{
	struct perf_event_attr attr = branch_attr();
	struct perf_event_dry_run run;
	int fd, leader = -1, i;

	need_hardware();
	need_dry_run();
	attr.disabled = 1;
	for (i = 0; i < MANY; i++) {
		run = dry_run_self(&attr, leader);
		fd = perf_open(&attr, 0, -1, leader, 0);
		CHECK(run.error == (fd < 0 ? errno : 0), "event %d: %s", i,
		      error_name(run.error));
		if (fd < 0)
			break;
		CHECK(run.fit_alone == PERF_FIT_YES, "event %d: fit %u", i,
		      run.fit_alone);
		if (leader < 0)
			leader = fd;
		attr.disabled = 0;
	}
	CHECK(i && i < MANY, "%d events", i);
	CHECK(run.reason == PERF_REASON_GROUP_FIT &&
	      run.where == PERF_WHERE_GROUP_FD, "reason %u: %s", run.reason,
	      text);
	CHECK(run.fit_alone == PERF_FIT_NO && run.fit_beside == PERF_FIT_NO,
	      "fit %u, %u", run.fit_alone, run.fit_beside);
}

static void pin_events(int cpu, int n, int *fds)
{
	struct perf_event_attr attr = branch_attr();
	int i;

	attr.pinned = 1;
	attr.disabled = 0;
	for (i = 0; i < n; i++)
		fds[i] = open_on(&attr, -1, cpu, -1);
}

static void beside_pinned_on_cpu(void)
{
	struct perf_event_attr attr = branch_attr();
	struct open_place place = { -1, first_cpu() };
	struct perf_event_dry_run run;
	int fds[MAX_COUNTERS + 1], n;

	need_hardware();
	need_dry_run();
	pin_to_cpu(place.cpu);
	attr.pinned = 1;
	n = count_counters();
	pin_events(place.cpu, n, fds);
	run = dry_run(&attr, place, -1, 0);
	if (run.fit_beside == PERF_FIT_UNKNOWN)
		test_skip("the kernel cannot tell");
	CHECK(!run.error && run.fit_alone == PERF_FIT_YES &&
	      run.fit_beside == PERF_FIT_NO, "%s, full: fit %u, %u",
	      error_name(run.error), run.fit_alone, run.fit_beside);
	close(fds[--n]);
	run = dry_run(&attr, place, -1, 0);
	CHECK(run.fit_beside == PERF_FIT_YES, "one free: fit %u",
	      run.fit_beside);
	run = dry_run(&attr, place, fds[0], 0);
	CHECK(run.error == EINVAL && run.reason == PERF_REASON_LEADER_ONLY,
	      "pinned sibling: %s", text);
}

/*
 * An event that follows a task may find room on some of the task's CPUs only.
 */
static void beside_pinned_elsewhere(void)
{
	struct perf_event_attr attr = branch_attr();
	struct perf_event_dry_run run;
	int fds[MAX_COUNTERS + 1], other = second_cpu(), n;

	need_hardware();
	need_dry_run();
	n = count_counters();
	pin_events(first_cpu(), n, fds);
	run = dry_run_self(&attr, -1);
	if (run.fit_beside == PERF_FIT_UNKNOWN)
		test_skip("the kernel cannot tell");
	CHECK(run.fit_beside == PERF_FIT_SOMEWHERE, "fit %u", run.fit_beside);
	pin_events(other, n, fds);
	run = dry_run_self(&attr, -1);
	CHECK(run.fit_beside == PERF_FIT_NO ||
	      sysconf(_SC_NPROCESSORS_ONLN) > 2, "all full: fit %u",
	      run.fit_beside);
}

static void beside_pinned_of_task(void)
{
	struct perf_event_attr attr = branch_attr();
	struct perf_event_dry_run run;
	struct counter_hog hog;
	int i;

	need_hardware();
	need_dry_run();
	hog = take_counters();
	run = dry_run_self(&attr, -1);
	if (run.fit_beside == PERF_FIT_UNKNOWN)
		test_skip("the kernel cannot tell");
	CHECK(run.fit_beside == PERF_FIT_NO, "%d held: fit %u", hog.counters,
	      run.fit_beside);
	for (i = 0; i < hog.counters; i++)
		event_disable(hog.fd[i]);
	run = dry_run_self(&attr, -1);
	CHECK(run.fit_beside == PERF_FIT_YES, "all disabled: fit %u",
	      run.fit_beside);
	give_counters(&hog);
	/* Events that are not pinned take turns with the new one. */
	for (i = 0; i < hog.counters; i++)
		open_self(&attr);
	run = dry_run_self(&attr, -1);
	CHECK(run.fit_beside == PERF_FIT_YES, "none pinned: fit %u",
	      run.fit_beside);
}

/* If a driver refuses a field without a reason, the field is searched for. */
static void precise_is_blamed(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_dry_run run;

	need_hardware();
	need_dry_run();
	attr.sample_period = 100000;
	attr.precise_ip = 3;
	run = dry_run_self(&attr, -1);
	if (!run.error)
		test_skip("precise_ip 3 is available");
	CHECK(run.where == PERF_WHERE_ATTR &&
	      run.must_clear == (FLAG_BIT(15) | FLAG_BIT(16)),
	      "where %u bits %#llx", run.where, run.must_clear);
	CHECK(run.error == EOPNOTSUPP && run.reason == PERF_REASON_PMU_CANNOT,
	      "%s, reason %u", error_name(run.error), run.reason);
}

static struct perf_event_attr kind_attr(const char *pmu)
{
	test_module_need("perf_test_kinds");
	return test_module_attr(pmu, 0);
}

/* The core knows that PMU. The driver of the other one gives no reason. */
static void task_is_blamed(void)
{
	static const char * const pmus[] = {
		"perf_test_package", "perf_test_cpus"
	};
	struct perf_event_dry_run run;
	struct perf_event_attr attr;
	size_t i;

	need_dry_run();
	for (i = 0; i < ARRAY_SIZE(pmus); i++) {
		attr = kind_attr(pmus[i]);
		run = dry_run_self(&attr, -1);
		EXPECT(run.error == EINVAL &&
		       run.reason == PERF_REASON_CPU_ONLY &&
		       run.where == PERF_WHERE_PID, "%s: %s, %s", pmus[i],
		       error_name(run.error), text);
	}
}

/* Two fields are wrong, so neither is to blame, nor is the task. */
static void nothing_is_blamed(void)
{
	static const enum where places[] = { ON_SELF, ON_CPU };
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);
	struct perf_event_dry_run run;
	size_t i;

	need_dry_run();
	need_breakpoints();
	attr.bp_addr = (unsigned long)&attr;
	attr.bp_len = 3;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		run = dry_run(&attr, place_of(places[i]), -1, 0);
		EXPECT(run.error == EINVAL && run.reason == PERF_REASON_PMU &&
		       run.where == PERF_WHERE_NOWHERE, "%zu: %s, %s, where %u", i,
		       error_name(run.error), text, run.where);
	}
}

static void nothing_to_exclude(void)
{
	const struct dry_answer says = {
		PERF_REASON_NO_EXCLUDE, IN_FLAGS(FLAG_BIT(5))
	};
	struct perf_event_attr attr;

	need_dry_run();
	attr = make_attr(pmu_type("msr"), 0);
	if (perf_open(&attr, -1, first_cpu(), -1, 0) < 0)
		test_skip("msr/tsc/: %s", strerror(errno));
	attr.exclude_kernel = 1;
	expect_refusal(&attr, place_of(ON_CPU), -1, EINVAL, &says);
}

/* A dry run checks whether there is room, and takes none. */
static void exclusive_in_use(void)
{
	struct dry_answer says = { PERF_REASON_PMU_BUSY, IN_FIELD(type, 0) };
	struct perf_event_dry_run run;
	struct perf_event_attr attr;
	int fd;

	need_dry_run();
	attr = kind_attr("perf_test_single");
	run = dry_run_self(&attr, -1);
	CHECK(!run.error, "%s, %s", error_name(run.error), text);
	fd = open_on(&attr, -1, first_cpu(), -1);
	expect_refusal(&attr, place_of(ON_CPU), -1, EBUSY, &says);
	expect_refusal(&attr, place_of(ON_SELF), -1, EBUSY, &says);
	close(fd);
	open_self(&attr);
	expect_refusal(&attr, place_of(ON_SELF), -1, EBUSY, &says);
	expect_refusal(&attr, place_of(ON_CPU), -1, EBUSY, &says);
}

static void no_samples(void)
{
	const struct dry_answer says = {
		PERF_REASON_NO_SAMPLES, IN_FIELD(sample_period, 1000)
	};
	struct perf_event_attr attr;

	need_dry_run();
	test_pmu_need();
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	attr.sample_period = 1000;
	expect_refusal(&attr, place_of(ON_SELF), -1, EOPNOTSUPP, &says);
}

static void two_pmus_in_a_group(void)
{
	const struct dry_answer says = {
		PERF_REASON_LEADER_PMU, IN_ARG(GROUP_FD)
	};
	struct perf_event_attr attr;
	int leader;

	need_dry_run();
	test_pmu_need();
	test_module_need("perf_test_aux");
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	leader = open_self(&attr);
	attr = make_attr(pmu_type("perf_test_aux"), 0);
	expect_refusal(&attr, place_of(ON_SELF), leader, EINVAL, &says);
}

/* Events that the PMU does not have. */
static void generic_event_is_absent(void)
{
	struct dry_answer says = { PERF_REASON_NO_EVENT, IN_FIELD(config, 0) };
	struct perf_event_attr attr;
	__u64 config;
	int fd;

	need_dry_run();
	require(NEED_X86);
	for (config = 1; config < PERF_COUNT_HW_MAX; config++) {
		attr = hw_attr(config);
		fd = perf_open(&attr, 0, -1, -1, 0);
		if (fd < 0) {
			says.bits = config;
			expect_refusal(&attr, place_of(ON_SELF), -1, ENOENT,
				       &says);
			return;
		}
		close(fd);
	}
	test_skip("the PMU has all generic events");
}

static void pmu_has_gone(void)
{
	const struct dry_answer leader_says = {
		PERF_REASON_LEADER_GONE, IN_ARG(GROUP_FD)
	};
	struct perf_event_attr attr, dummy = sw_attr(PERF_COUNT_SW_DUMMY);
	struct dry_answer says = { PERF_REASON_NO_PMU, IN_FIELD(type, 0) };
	int leader;

	need_dry_run();
	test_pmu_need();
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	says.bits = attr.type;
	leader = open_self(&attr);
	test_pmu_unregister();
	expect_refusal(&attr, place_of(ON_SELF), -1, ENOENT, &says);
	expect_refusal(&dummy, place_of(ON_SELF), leader, ENODEV, &leader_says);
}

static void come_and_go(void *arg)
{
	(void)arg;
	for (;;) {
		test_pmu_unregister();
		test_pmu_register();
	}
}

/* The PMU is there, goes while the driver is asked, or is not there. */
static void pmu_goes(void)
{
	struct perf_event_dry_run run;
	struct perf_event_attr attr;
	struct helper child;
	int i, gone = 0;

	need_dry_run();
	test_pmu_need();
	attr = test_pmu_attr(TEST_PMU_GENERAL);
	child = helper_start(come_and_go, NULL);
	helper_go(&child);
	for (i = 0; i < RACES || (!gone && i < 100 * RACES); i++) {
		run = dry_run_self(&attr, -1);
		if (!run.error)
			continue;
		gone++;
		CHECK(run.where == PERF_WHERE_ATTR &&
		      run.offset == offsetof(struct perf_event_attr, type),
		      "%s, where %u offset %u", error_name(run.error),
		      run.where, run.offset);
		CHECK(run.reason == (run.error == ENODEV ?
				     PERF_REASON_PMU_GOES : PERF_REASON_NO_PMU),
		      "%s, %s", error_name(run.error), text);
	}
	stop_child(child.pid);
	test_pmu_register();
	CHECK(gone, "it never went");
}

static void group_too_long_to_read(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	const struct dry_answer says = {
		PERF_REASON_GROUP_SIZE, IN_ARG(GROUP_FD)
	};
	struct rlimit limit = { 2048, 2048 };
	int i, leader;

	need_dry_run();
	if (setrlimit(RLIMIT_NOFILE, &limit))
		test_skip("cannot raise RLIMIT_NOFILE");
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			   PERF_FORMAT_LOST;
	leader = open_self(&attr);
	for (i = 1; i < (16 * 1024 - 8) / 24; i++)
		open_sibling(&attr, leader);
	expect_refusal(&attr, place_of(ON_SELF), leader, E2BIG, &says);
}

static void output_cannot_be_shared(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct dry_answer says = { PERF_REASON_OUTPUT, IN_ARG(GROUP_FD) };
	struct perf_event_dry_run run;
	int target = open_self(&attr);

	need_dry_run();
	/* It has no buffer. */
	run = dry_run(&attr, place_of(ON_SELF), target,
		      PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP);
	CHECK(run.error == EINVAL, "%s", error_name(run.error));
	expect_answer(&run, &says);
}

static void cpu_is_offline(void)
{
	const struct dry_answer says = {
		PERF_REASON_CPU_OFFLINE, IN_ARG(CPU)
	};
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct open_place place = { -1, second_cpu() };
	char path[64];

	need_dry_run();
	if (getenv("PERF_TEST_NO_HOTPLUG"))
		test_skip("hotplug not wanted");
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 place.cpu);
	if (!write_text(path, "0"))
		test_skip("cannot take CPU %d down", place.cpu);
	expect_refusal(&attr, place, -1, ENODEV, &says);
	CHECK(write_text(path, "1"), "cannot bring CPU %d up", place.cpu);
}

/* Tracing refuses without a reason: there is only its errno. */

/* Seconds; not much for a debug kernel in an emulator. */
#define FUNCTIONS_TIMEOUT	400

/* A dry run only, without an open: each open patches all functions twice. */
static void functions_and_user_memory(void)
{
	const struct dry_answer calls = {
		PERF_REASON_REQUIRES, IN_FLAGS(FLAG_BIT(22))
	};
	const struct dry_answer stack = {
		PERF_REASON_PMU_CANNOT,
		IN_FIELD(sample_type, PERF_SAMPLE_STACK_USER)
	};
	struct perf_event_dry_run run;
	struct perf_event_attr attr;

	need_dry_run();
	alarm(FUNCTIONS_TIMEOUT);
	attr = trace_attr("ftrace/function", PERF_SAMPLE_IP);
	attr.sample_stack_user = 64;
	run = dry_run_self(&attr, -1);
	CHECK(run.error == EINVAL, "%s", error_name(run.error));
	expect_answer(&run, &calls);
	attr.sample_type |= PERF_SAMPLE_STACK_USER;
	attr.exclude_callchain_user = 1;
	run = dry_run_self(&attr, -1);
	CHECK(run.error == EINVAL, "%s", error_name(run.error));
	expect_answer(&run, &stack);
	attr.sample_type = PERF_SAMPLE_RAW;
	run = dry_run_self(&attr, -1);
	CHECK(!run.error, "%s, %s", error_name(run.error), text);
}

/* A sampling event here would never end: its own samples hit it. */
static void tracepoint_that_only_counts(void)
{
	const struct dry_answer says = {
		PERF_REASON_NO_SAMPLES, IN_FIELD(sample_period, 1)
	};
	struct perf_event_dry_run run;
	struct perf_event_attr attr;

	need_dry_run();
	attr = trace_attr("irq_vectors/irq_work_exit", PERF_SAMPLE_RAW);
	expect_refusal(&attr, place_of(ON_SELF), -1, EPERM, &says);
	attr.sample_period = 0;
	run = dry_run_self(&attr, -1);
	CHECK(!run.error, "%s, %s", error_name(run.error), text);
}

/* The caller. */

static void no_free_fd(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct perf_event_dry_run run;
	struct rlimit limit = { };

	need_dry_run();
	limit.rlim_cur = next_fd();
	limit.rlim_max = limit.rlim_cur;
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	run = dry_run_self(&attr, -1);
	CHECK(run.error == EMFILE && run.reason == PERF_REASON_FILES,
	      "%s, %s", error_name(run.error), text);
}

/* The structure that a dry run is called with. */

static void expect_ask(void *run, int error)
{
	int ret = ask(run, place_of(ON_SELF), -1, 0);

	EXPECT(ret < 0 ? errno == error : !error, "size %u: %s instead of %s",
	       run ? *(__u32 *)run : 0, ret < 0 ? error_name(errno) : "0",
	       error_name(error));
	EXPECT(ret <= 0, "returned %d", ret);
}

static void structure_errors(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct perf_event_dry_run run, good;

	need_dry_run();
	good = question(&attr);
	expect_ask(NULL, EFAULT);
	run = good;
	run.size = 0;
	expect_ask(&run, EINVAL);
	run.size = PERF_DRY_RUN_SIZE_VER0 - 8;
	expect_ask(&run, EINVAL);
	EXPECT(run.size == PERF_DRY_RUN_SIZE_VER0 - 8, "size was written");
	run.size = UINT_MAX;
	expect_ask(&run, E2BIG);
	EXPECT(run.size == sizeof(run), "E2BIG, size %u", run.size);
	run = good;
	run.flags = 1;
	expect_ask(&run, EINVAL);
	run = good;
	run.text = -4096UL;
	expect_ask(&run, EFAULT);
	run.text_size = 0;
	expect_ask(&run, 0);
	run = good;
	run.error = 77;
	run.must_clear = 77;
	run.limit = 77;
	run.fit_alone = 77;
	expect_ask(&run, 0);
	EXPECT(!run.error && !run.must_clear && !run.limit &&
	       run.fit_alone == PERF_FIT_YES, "answers not filled in");
}

/*
 * A later program has a larger structure, and gets the number of bytes filled.
 */
static void structure_of_the_future(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_MAX);
	struct {
		struct perf_event_dry_run run;
		__u64 more[4];
	} large = { };

	need_dry_run();
	large.run = question(&attr);
	large.run.size = sizeof(large);
	expect_ask(&large, 0);
	EXPECT(large.run.error == ENOENT && large.run.size == sizeof(large.run),
	       "%s, size %u", error_name(large.run.error), large.run.size);
	large.run.size = sizeof(large);
	large.more[3] = 1;
	expect_ask(&large, E2BIG);
	EXPECT(large.run.size == sizeof(large.run), "E2BIG, size %u",
	       large.run.size);
}

static void short_text(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_MAX);
	struct perf_event_dry_run run;

	need_dry_run();
	run = question(&attr);
	run.text_size = 8;
	memset(text, 'x', sizeof(text));
	expect_ask(&run, 0);
	CHECK(strlen(text) == 7 && text[8] == 'x', "text \"%.20s\"", text);
	run.text_size = UINT_MAX;
	expect_ask(&run, 0);
	CHECK(strlen(text) > 7, "text \"%.20s\"", text);
}

/* A dry run does not change the program's attribute. */
static void attr_of_all_sizes(void)
{
	static union {
		struct perf_event_attr attr;
		char bytes[8192];
	} big;
	struct perf_event_dry_run run;

	need_dry_run();
	run = dry_run_self(NULL, -1);
	CHECK(run.error == EFAULT && run.where == PERF_WHERE_ATTR_POINTER &&
	      run.reason == PERF_REASON_POINTER, "no attr: %s, %s",
	      error_name(run.error), text);
	big.attr = sw_attr(PERF_COUNT_SW_DUMMY);
	big.attr.size = 1;
	run = dry_run_self(&big.attr, -1);
	CHECK(run.error == E2BIG && run.reason == PERF_REASON_SIZE &&
	      run.offset == offsetof(struct perf_event_attr, size) &&
	      run.limit == sizeof(big.attr), "size 1: %s, %s, limit %llu",
	      error_name(run.error), text, run.limit);
	CHECK(big.attr.size == 1, "size %u was written", big.attr.size);
	big.attr.size = 1024;
	big.bytes[1023] = 1;
	run = dry_run_self(&big.attr, -1);
	CHECK(run.error == E2BIG && run.reason == PERF_REASON_TOO_NEW,
	      "of the future: %s, %s", error_name(run.error), text);
	CHECK(big.attr.size == 1024, "size %u was written", big.attr.size);
	big.attr.size = PERF_ATTR_SIZE_VER0;
	run = dry_run_self(&big.attr, -1);
	CHECK(!run.error, "first version: %s, %s", error_name(run.error), text);
}

/* The program perf_check. */

static void helper_path(char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 1);
	char *end;

	CHECK(len > 0, "/proc/self/exe");
	path[len] = '\0';
	end = strrchr(path, '/');
	snprintf(end, size - (end - path), "/helpers/perf_check");
	if (access(path, X_OK))
		test_skip("no %s", path);
}

static int run_program(const char *args, char *output, size_t size)
{
	char path[512], command[1024];
	size_t len;
	FILE *file;
	int status;

	helper_path(path, sizeof(path));
	snprintf(command, sizeof(command), "%s %s 2>&1", path, args);
	file = popen(command, "r");
	CHECK(file, "popen");
	len = fread(output, 1, size - 1, file);
	output[len] = '\0';
	status = pclose(file);
	CHECK(WIFEXITED(status), "%s: %s", args, output);
	return WEXITSTATUS(status);
}

static void expect_program(const char *args, int status, const char *words)
{
	char output[4096];
	int got = run_program(args, output, sizeof(output));

	EXPECT(got == status, "perf_check %s: status %d: %s", args, got,
	       output);
	EXPECT(strstr(output, words), "perf_check %s: no \"%s\" in: %s", args,
	       words, output);
}

static void program_for_people(void)
{
	need_dry_run();
	expect_program("dummy", 0, "would be opened");
	expect_program("software,config=999", 1, "ENOENT");
	expect_program("software,config=999", 1, "NO_EVENT");
	expect_program("dummy,sample_type=0x8000000000000000", 1,
		       "sample_type, bit 63");
	expect_program("dummy,sigtrap=1", 1, "sigtrap");
	expect_program("-p 0 -C 99999 dummy", 1, "cpu");
	expect_program("dummy + dummy,pinned=1", 1, "LEADER_ONLY");
	expect_program("page-faults + dummy", 0, "would be opened");
	expect_program("dummy,nonsense=1", 2, "nonsense");
	expect_program("", 2, "usage");
}

static const struct test_case cases[] = {
	{ "good request: nothing is left of it", good_request },
	{ "a group does not grow", group_unchanged },
	{ "tasks that inherit", family_unchanged },
	{ "a task that forks", family_in_motion },
	{ "breakpoint slots are given back", breakpoint_slots },
	{ "a field of a breakpoint is to blame", breakpoint_is_blamed },
	{ "group that is too large", group_too_large },
	{ "beside pinned events of the CPU", beside_pinned_on_cpu },
	{ "beside pinned events of some CPUs", beside_pinned_elsewhere },
	{ "beside pinned events of the task", beside_pinned_of_task },
	{ "precise_ip is to blame", precise_is_blamed },
	{ "the task is to blame", task_is_blamed },
	{ "nothing is to blame", nothing_is_blamed },
	{ "a PMU that leaves nothing out", nothing_to_exclude },
	{ "an exclusive PMU in use", exclusive_in_use },
	{ "a PMU without samples", no_samples },
	{ "two PMUs in a group", two_pmus_in_a_group },
	{ "a generic event that the PMU lacks", generic_event_is_absent },
	{ "a PMU that has gone", pmu_has_gone },
	{ "a PMU that comes and goes", pmu_goes },
	{ "a group that is too long to be read", group_too_long_to_read },
	{ "a buffer that cannot be shared", output_cannot_be_shared },
	{ "a CPU that is offline", cpu_is_offline },
	{ "function tracing and user memory", functions_and_user_memory },
	{ "a tracepoint that only counts", tracepoint_that_only_counts },
	{ "no free file descriptor", no_free_fd },
	{ "errors of the question itself", structure_errors },
	{ "a larger structure", structure_of_the_future },
	{ "little room for the text", short_text },
	{ "sizes of perf_event_attr", attr_of_all_sizes },
	{ "perf_check", program_for_people },
};

int main(void)
{
	tests_begin(NR_OPEN_ROWS + ARRAY_SIZE(cases));
	run_open_rows(run_open_row);
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
