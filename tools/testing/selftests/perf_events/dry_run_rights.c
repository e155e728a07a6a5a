// SPDX-License-Identifier: GPL-2.0
/*
 * Dry runs without rights: any user may make a dry run, and it reports which
 * right is missing. It reveals nothing about events of other users, and adds
 * nothing to the audit log that the call itself would not add.
 *
 * Kernels without PERF_FLAG_DRY_RUN are skipped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "dry_run.h"
#include "perf_lib.h"
#include "test_pmu.h"

static void functions_without_rights(void)
{
	struct dry_answer says = { PERF_REASON_PARANOID, IN_FIELD(config, 0) };
	struct perf_event_attr attr;

	need_dry_run();
	if (read_long("/proc/sys/kernel/perf_event_paranoid") < 0)
		test_skip("perf_event_paranoid is -1");
	attr = trace_attr("ftrace/function", PERF_SAMPLE_RAW);
	attr.exclude_kernel = 1;
	says.bits = attr.config;
	become_nobody();
	expect_refusal(&attr, place_of(ON_SELF), -1, EPERM, &says);
	attr.sample_type = 0;
	attr.sample_period = 0;
	expect_refusal(&attr, place_of(ON_SELF), -1, EPERM, &says);
}

static void records_without_rights(void)
{
	const struct dry_answer says = {
		PERF_REASON_PARANOID, IN_FIELD(sample_type, PERF_SAMPLE_RAW)
	};
	struct perf_event_dry_run run;
	struct perf_event_attr attr;

	need_dry_run();
	if (read_long("/proc/sys/kernel/perf_event_paranoid") < 0)
		test_skip("perf_event_paranoid is -1");
	attr = trace_attr("task/task_rename", PERF_SAMPLE_RAW | PERF_SAMPLE_IP);
	attr.exclude_kernel = 1;
	become_nobody();
	expect_refusal(&attr, place_of(ON_SELF), -1, EPERM, &says);
	attr.sample_type = PERF_SAMPLE_IP;
	run = dry_run_self(&attr, -1);
	CHECK(!run.error, "%s, %s", error_name(run.error), text);
}

/* The caller. */

static void no_capability(void)
{
	struct dry_answer says = { PERF_REASON_CAPABILITY, IN_FIELD(type, 0) };
	const struct dry_answer flag = {
		PERF_REASON_CAPABILITY, IN_FLAGS(FLAG_BIT(28))
	};
	struct perf_event_attr attr, dummy = sw_attr(PERF_COUNT_SW_DUMMY);

	need_dry_run();
	attr = make_attr(pmu_type("kprobe"), 0);
	attr.exclude_kernel = 1;
	dummy.exclude_kernel = 1;
	dummy.namespaces = 1;
	if (read_long("/proc/sys/kernel/perf_event_paranoid") > 2)
		test_skip("perf_event_paranoid is above 2");
	become_nobody();
	expect_refusal(&attr, place_of(ON_SELF), -1, EACCES, &says);
	attr.type = pmu_type("uprobe");
	expect_refusal(&attr, place_of(ON_SELF), -1, EACCES, &says);
	expect_refusal(&dummy, place_of(ON_SELF), -1, EACCES, &flag);
}

static void no_rights(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct perf_event_dry_run run;
	int error;

	need_dry_run();
	if (read_long("/proc/sys/kernel/perf_event_paranoid") < 1)
		test_skip("perf_event_paranoid is below 1");
	attr.exclude_kernel = 1;
	become_nobody();
	run = dry_run(&attr, place_of(ON_CPU), -1, 0);
	error = perf_open(&attr, -1, first_cpu(), -1, 0) < 0 ? errno : 0;
	CHECK(run.error == error && error == EACCES, "%s, then %s",
	      error_name(run.error), error_name(error));
	CHECK(run.reason == PERF_REASON_PARANOID, "reason %u: %s", run.reason,
	      text);
	run = dry_run(&attr, (struct open_place) { getppid(), -1 }, -1, 0);
	CHECK(run.error == EACCES && run.reason == PERF_REASON_TASK_RIGHTS &&
	      run.where == PERF_WHERE_PID, "root's task: %s, %s",
	      error_name(run.error), text);
	run = dry_run_self(&attr, -1);
	if (read_long("/proc/sys/kernel/perf_event_paranoid") < 3)
		CHECK(!run.error, "own task: %s, %s", error_name(run.error),
		      text);
}

static void kernel_without_rights(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	const struct dry_answer says = {
		PERF_REASON_PARANOID, IN_FLAGS(FLAG_BIT(5))
	};
	struct perf_event_dry_run run;

	need_dry_run();
	if (read_long("/proc/sys/kernel/perf_event_paranoid") != 2)
		test_skip("perf_event_paranoid is not 2");
	become_nobody();
	run = dry_run_self(&attr, -1);
	CHECK(run.error == EACCES, "%s", error_name(run.error));
	expect_answer(&run, &says);
}

/*
 * A task that may open nothing may make a dry run, and it reports what an open
 * then returns.
 */
static void ask_at_paranoid_3(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct perf_event_dry_run run;

	attr.exclude_kernel = 1;
	become_nobody();
	run = dry_run_self(&attr, -1);
	CHECK(perf_open(&attr, 0, -1, -1, 0) < 0 && errno == EACCES,
	      "it is opened at paranoid 3");
	CHECK(run.error == EACCES && run.reason == PERF_REASON_PARANOID &&
	      run.where == PERF_WHERE_CALLER, "%s, %s", error_name(run.error),
	      text);
}

static void run_at_paranoid(const char *level, void (*body)(void))
{
	static const char file[] = "/proc/sys/kernel/perf_event_paranoid";
	char before[16];
	int status;
	pid_t pid;

	snprintf(before, sizeof(before), "%ld", read_long(file));
	if (!write_text(file, level))
		test_skip("cannot write %s", file);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		body();
		child_finish();
	}
	waitpid(pid, &status, 0);
	CHECK(write_text(file, before), "cannot restore %s", file);
	CHECK(!status, "status %#x", status);
}

static void paranoid_3(void)
{
	need_dry_run();
	run_at_paranoid("3", ask_at_paranoid_3);
}

/*
 * Capability checks that are audited: all without CAP_OPT_NOAUDIT in the last
 * argument.
 */
#define TRACING		"/sys/kernel/tracing/"
#define CAP_PROBE	TRACING "events/perf_dry_run/cap/"

static struct { int all, quiet; } checks;

static bool write_probe(const char *text)
{
	int fd = open(TRACING "kprobe_events", O_WRONLY | O_APPEND);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) > 0;
	close(fd);
	return done;
}

static void watch_capabilities(void)
{
	struct perf_event_attr attr;

#ifndef __x86_64__
	test_skip("registers of arguments are not known");
#endif
	if (access(CAP_PROBE "id", R_OK) &&
	    !write_probe("p:perf_dry_run/cap cap_capable opts=%cx:u32\n"))
		test_skip("no probe on cap_capable");
	attr = make_attr(PERF_TYPE_TRACEPOINT,
			 tracepoint_id("perf_dry_run/cap"));
	attr.disabled = 0;
	/* Inherited, because a child makes the dry run. */
	attr.inherit = 1;
	checks.all = open_self(&attr);
	checks.quiet = open_self(&attr);
	CHECK(!ioctl(checks.quiet, PERF_EVENT_IOC_SET_FILTER, "opts & 2"),
	      "filter: %s", strerror(errno));
}

static __u64 audited(void)
{
	return read_count(checks.all) - read_count(checks.quiet);
}

/* A dry run checks no right that the call itself does not check. */
/* Return: audited checks of the call itself. */
static __u64 expect_audited(struct perf_event_attr *attr,
			    struct open_place place, const char *what)
{
	struct perf_event_dry_run run;
	__u64 start, call, asked;
	int fd;

	start = audited();
	fd = perf_open(attr, place.pid, place.cpu, -1, 0);
	call = audited();
	if (fd >= 0)
		close(fd);
	run = dry_run(attr, place, -1, 0);
	asked = audited();
	CHECK(asked - call <= call - start,
	      "%s (%s): %llu audited checks, the call has %llu", what,
	      error_name(run.error), asked - call, call - start);
	return call - start;
}

static void audited_for_nobody(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct perf_event_attr cycles = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_attr records;

	/* After become_nobody() the number cannot be looked up. */
	records = trace_attr("task/task_rename", PERF_SAMPLE_RAW);
	records.exclude_kernel = 1;
	become_nobody();
	attr.exclude_kernel = 1;
	cycles.exclude_kernel = 1;
	expect_audited(&attr, place_of(ON_SELF), "own task");
	CHECK(expect_audited(&attr, place_of(ON_CPU), "a CPU"),
	      "the call is refused, and no check of it is seen");
	cycles.pinned = 1;
	expect_audited(&cycles, place_of(ON_SELF), "a counter");
	/* The driver gives no reason: the core searches for the field. */
	cycles.sample_period = 100000;
	cycles.precise_ip = 3;
	expect_audited(&cycles, place_of(ON_SELF), "precise_ip");
	cycles.precise_ip = 0;
	cycles.config = 0x7fff;
	expect_audited(&cycles, place_of(ON_SELF), "an unknown event");
	attr.exclude_kernel = 0;
	expect_audited(&attr, place_of(ON_SELF), "the kernel");
	attr = make_attr(pmu_type("msr"), 0);
	attr.exclude_kernel = 1;
	expect_audited(&attr, place_of(ON_SELF), "a PMU of CPUs");
	expect_audited(&records, place_of(ON_SELF), "records");
}

static void audited_checks(void)
{
	need_dry_run();
	need_hardware();
	watch_capabilities();
	run_at_paranoid("2", audited_for_nobody);
	close(checks.all);
	close(checks.quiet);
	CHECK(write_probe("-:perf_dry_run/cap\n"), "the probe stays");
}

/* At paranoid 1 and more, a user cannot find out which counters others use. */
static void nobody_asks_what_fits(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_dry_run run;

	become_nobody();
	attr.exclude_kernel = 1;
	run = dry_run_self(&attr, -1);
	CHECK(!run.error, "%s, %s", error_name(run.error), text);
	CHECK(run.fit_alone == PERF_FIT_YES &&
	      run.fit_beside == PERF_FIT_UNKNOWN, "fit %u, %u", run.fit_alone,
	      run.fit_beside);
}

static void fit_without_rights(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_dry_run run;

	need_dry_run();
	need_hardware();
	run = dry_run_self(&attr, -1);
	if (run.fit_beside == PERF_FIT_UNKNOWN)
		test_skip("the driver does not tell");
	run_at_paranoid("2", nobody_asks_what_fits);
}

static void expect_driver_says(__u32 beside)
{
	struct perf_event_attr attr = test_pmu_attr(TEST_PMU_GENERAL);
	struct perf_event_dry_run run;

	attr.exclude_kernel = 1;
	run = dry_run_self(&attr, -1);
	CHECK(!run.error, "%s, %s", error_name(run.error), text);
	CHECK(run.fit_alone == PERF_FIT_YES && run.fit_beside == beside,
	      "fit %u, %u", run.fit_alone, run.fit_beside);
}

static void nobody_asks_driver(void)
{
	become_nobody();
	expect_driver_says(PERF_FIT_UNKNOWN);
}

/* The same with a driver that reports itself what is free. */
static void driver_without_rights(void)
{
	need_dry_run();
	test_pmu_need();
	expect_driver_says(PERF_FIT_YES);
	run_at_paranoid("2", nobody_asks_driver);
}

static const struct test_case cases[] = {
	{ "function tracing without rights", functions_without_rights },
	{ "trace records without rights", records_without_rights },
	{ "without a capability", no_capability },
	{ "without rights", no_rights },
	{ "the kernel without rights", kernel_without_rights },
	{ "at paranoid 3", paranoid_3 },
	{ "what is audited", audited_checks },
	{ "what fits, without rights", fit_without_rights },
	{ "what a driver says that fits, without rights",
	  driver_without_rights },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
