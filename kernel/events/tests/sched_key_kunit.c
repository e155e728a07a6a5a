// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room sched_key: the hooks in the task switch are on while an
 * event needs them, and for up to a second more. Included by sched_key.c.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/jump_label.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#define SCHED_KEY_TEST_PATIENCE_US	(10 * USEC_PER_SEC)

static bool sched_key_test_is_on(void)
{
	return static_key_enabled(&perf_sched_events);
}

/* Return: are the hooks off in the end? */
static bool sched_key_test_wait_off(void)
{
	bool on;

	return !read_poll_timeout(sched_key_test_is_on, on, !on, 10000,
				  SCHED_KEY_TEST_PATIENCE_US, false);
}

static int sched_key_test_init(struct kunit *test)
{
	/* Events of other suites may have gone a moment ago. */
	if (sched_key_test_wait_off())
		return 0;
	if (perf_live_sum(PERF_LIVE_SWITCH_USERS))
		kunit_skip(test, "other events need the hooks");
	return -EBUSY;
}

static void sched_key_test_users_are_counted(struct kunit *test)
{
	long users = perf_live_sum(PERF_LIVE_SWITCH_USERS);

	for (int i = 1; i <= 3; i++) {
		perf_sched_key_get();
		KUNIT_EXPECT_TRUE(test, sched_key_test_is_on());
		KUNIT_EXPECT_EQ(test, perf_live_sum(PERF_LIVE_SWITCH_USERS),
				users + i);
	}
	for (int i = 2; i >= 0; i--) {
		KUNIT_EXPECT_TRUE(test, sched_key_test_is_on());
		perf_sched_key_put();
		KUNIT_EXPECT_EQ(test, perf_live_sum(PERF_LIVE_SWITCH_USERS),
				users + i);
	}
	KUNIT_EXPECT_TRUE(test, sched_key_test_is_on());
	KUNIT_EXPECT_TRUE(test, sched_key_test_wait_off());
}

/* One user is left: the hooks stay on until it leaves, too. */
static void sched_key_test_expect_stays_on(struct kunit *test)
{
	for (int i = 0; i < 20; i++) {
		msleep(100);
		KUNIT_EXPECT_TRUE(test, sched_key_test_is_on());
	}
	perf_sched_key_put();
	KUNIT_EXPECT_TRUE(test, sched_key_test_wait_off());
}

static void sched_key_test_one_of_two_leaves(struct kunit *test)
{
	perf_sched_key_get();
	perf_sched_key_get();
	perf_sched_key_put();
	sched_key_test_expect_stays_on(test);
}

/* It comes within the second that the hooks stay on after the last user. */
static void sched_key_test_user_comes_back(struct kunit *test)
{
	perf_sched_key_get();
	perf_sched_key_put();
	perf_sched_key_get();
	sched_key_test_expect_stays_on(test);
}

static void sched_key_test_run_on(int cpu)
{
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

/* Events are closed on another CPU than the one where they were opened. */
static void sched_key_test_other_cpu(struct kunit *test)
{
	int other = cpumask_any_but(cpu_online_mask, 0);

	if (other >= nr_cpu_ids || !cpu_online(0))
		kunit_skip(test, "one CPU only");
	for (int i = 0; i < 2; i++) {
		sched_key_test_run_on(0);
		perf_sched_key_get();
		sched_key_test_run_on(other);
		if (!i)
			perf_sched_key_put();
	}
	sched_key_test_expect_stays_on(test);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* The work runs between the steps of a user who comes while the key is off. */
static void sched_key_test_work_in_between(struct kunit *test)
{
	perf_live_add(PERF_LIVE_SWITCH_USERS, 1);
	perf_sched_key_check(&perf_sched_key.work.work);
	perf_sched_key_on();
	KUNIT_EXPECT_TRUE(test, sched_key_test_is_on());
	perf_live_add(PERF_LIVE_SWITCH_USERS, -1);

	perf_sched_key_get();
	perf_sched_key_put();
	KUNIT_EXPECT_TRUE(test, sched_key_test_wait_off());
}

static struct kunit_case sched_key_test_cases[] = {
	KUNIT_CASE_SLOW(sched_key_test_users_are_counted),
	KUNIT_CASE_SLOW(sched_key_test_one_of_two_leaves),
	KUNIT_CASE_SLOW(sched_key_test_user_comes_back),
	KUNIT_CASE_SLOW(sched_key_test_other_cpu),
	KUNIT_CASE_SLOW(sched_key_test_work_in_between),
	{ }
};

static struct kunit_suite sched_key_test_suite = {
	.name		= "perf_sched_key",
	.init		= sched_key_test_init,
	.test_cases	= sched_key_test_cases,
};

kunit_test_suite(sched_key_test_suite);
