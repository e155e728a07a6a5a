// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room open: what an open that fails, or only tries, leaves behind,
 * and what it refuses. The arguments do not come from user space.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "../context.h"
#include "../open.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000

static struct fake_pmu fake;

static int open_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_open");
}

static void open_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void open_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int open_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, open_test_check_idle, test);
}

/* An attempt without the checks of the attribute. @fits: found counters */
static int open_test_attempt(const struct perf_event_attr *attr, pid_t pid,
			     int cpu, u32 *fits)
{
	struct perf_open_attempt *attempt;
	int err;

	attempt = kzalloc(sizeof(*attempt), GFP_KERNEL);
	if (!attempt)
		return -ENOMEM;
	attempt->attr = *attr;
	attempt->pid = pid;
	attempt->cpu = cpu;
	attempt->group_fd = -1;
	attempt->trial = true;
	err = perf_open_try(attempt);
	*fits = attempt->fit.alone;
	kfree(attempt);
	return err;
}

static int open_test_try(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	u32 fits;

	return open_test_attempt(attr, pid, cpu, &fits);
}

static struct perf_event_attr open_test_attr(void)
{
	return (struct perf_event_attr) {
		.type	= fake.pmu.type,
		.size	= sizeof(struct perf_event_attr),
	};
}

static int open_test_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

/* An attempt keeps nothing of the task, whether it succeeds or not. */
static void open_test_try_task(struct kunit *test)
{
	struct test_task *child = test_task_fork(test, NULL);
	struct perf_event_attr attr = open_test_attr();
	pid_t pid = task_pid_vnr(child->task);
	unsigned int refs;

	test_task_wait_asleep(child);
	refs = refcount_read(&child->task->usage);
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, pid, -1), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&child->task->usage), refs);
	attr.config = U64_MAX;
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, pid, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, refcount_read(&child->task->usage), refs);
	KUNIT_EXPECT_NULL(test, perf_task_ctx(child->task));
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu), 0);
}

/* An attempt about another user's task is refused. */
static void open_test_try_stranger(struct kunit *test)
{
	struct test_task *child = test_task_fork(test, NULL);
	struct perf_event_attr attr = open_test_attr();
	struct cred *weak;
	const struct cred *own;

	if (!IS_ENABLED(CONFIG_MULTIUSER))
		kunit_skip(test, "one user");
	weak = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, weak);
	attr.exclude_kernel = 1;
	cap_clear(weak->cap_effective);
	weak->uid = KUIDT_INIT(65534);
	own = override_creds(weak);
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, 0, -1), 0);
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, task_pid_vnr(child->task), -1),
			-EACCES);
	revert_creds(own);
	put_cred(weak);
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, task_pid_vnr(child->task), -1),
			0);
}

static void open_test_try_cpu(struct kunit *test)
{
	struct perf_ctx *ctx =
		&per_cpu(perf_cpu_context, open_test_cpu()).ctx;
	struct perf_event_attr attr = open_test_attr();
	unsigned int refs = refcount_read(&ctx->refcount);

	KUNIT_EXPECT_EQ(test, open_test_try(&attr, -1, open_test_cpu()), 0);
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, -1, nr_cpu_ids), -EINVAL);
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, -1, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, refcount_read(&ctx->refcount), refs);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&ctx->mutex));
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu), 0);
}

/* A software event always finds a counter. */
static void open_test_fits(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
	};
	u32 fits = PERF_FIT_NO;

	KUNIT_EXPECT_EQ(test,
			open_test_attempt(&attr, -1, open_test_cpu(), &fits),
			0);
	KUNIT_EXPECT_EQ(test, fits, PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, open_test_attempt(&attr, -1, -1, &fits), -EINVAL);
	KUNIT_EXPECT_NE(test, fits, PERF_FIT_YES);
}

static void open_test_able_as_before(void *unused)
{
	fake.pmu.capabilities = 0;
}

/* A PMU without interrupts can count. */
static void open_test_no_interrupt(struct kunit *test)
{
	struct perf_event_attr attr = open_test_attr();

	fake_pmu_undo(test, open_test_able_as_before, NULL);
	fake.pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, -1, open_test_cpu()), 0);
	attr.sample_period = 1000;
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, -1, open_test_cpu()),
			-EOPNOTSUPP);
	fake.pmu.capabilities = 0;
	KUNIT_EXPECT_EQ(test, open_test_try(&attr, -1, open_test_cpu()), 0);
}

static void open_test_set_online(struct perf_cpu_context *cpuctx, bool online)
{
	guard(mutex)(&cpuctx->ctx.mutex);
	cpuctx->online = online;
}

/* No event for a CPU that does not accept any. */
static void open_test_offline(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = open_test_cpu() };
	struct perf_cpu_context *cpuctx = per_cpu_ptr(&perf_cpu_context,
						      spec.cpu);
	struct perf_event_attr attr = open_test_attr();
	struct perf_event *event;
	int err;

	open_test_set_online(cpuctx, false);
	event = fake_pmu_try_open(&fake, &spec);
	err = open_test_try(&attr, -1, spec.cpu);
	open_test_set_online(cpuctx, true);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -ENODEV);
	KUNIT_EXPECT_EQ(test, err, -ENODEV);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu), 0);
}

/* The kernel's own event keeps its task until it is closed. */
static void open_test_kernel_task(struct kunit *test)
{
	struct test_task *child = test_task_fork(test, NULL);
	struct fake_pmu_spec spec = { .cpu = -1, .task = child->task };
	struct perf_event *event;
	unsigned int refs;

	test_task_wait_asleep(child);
	refs = refcount_read(&child->task->usage);
	event = fake_pmu_open(test, &fake, &spec);
	/* That of the event, and that of the context, which stays. */
	KUNIT_EXPECT_EQ(test, refcount_read(&child->task->usage), refs + 2);
	fake_pmu_close(test, event);
	KUNIT_EXPECT_EQ(test, refcount_read(&child->task->usage), refs + 1);
}

static struct kunit_case open_test_cases[] = {
	KUNIT_CASE(open_test_try_task),
	KUNIT_CASE(open_test_try_stranger),
	KUNIT_CASE(open_test_try_cpu),
	KUNIT_CASE(open_test_fits),
	KUNIT_CASE(open_test_no_interrupt),
	KUNIT_CASE(open_test_offline),
	KUNIT_CASE(open_test_kernel_task),
	{ }
};

static struct kunit_suite open_test_suite = {
	.name		= "perf_open",
	.suite_init	= open_test_suite_init,
	.suite_exit	= open_test_suite_exit,
	.init		= open_test_init,
	.test_cases	= open_test_cases,
};

kunit_test_suite(open_test_suite);
