// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room remote: results and arguments of calls, CPUs that are
 * offline, calls to many CPUs of which some are in a walk. What a call to a
 * context does when the context moves meanwhile is tested with room control.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "../context.h"
#include "../remote.h"
#include "../walk.h"
#include "fake_pmu.h"
#include "walker.h"

#define REMOTE_TEST_PATIENCE_NS	(20ULL * NSEC_PER_SEC)
#define REMOTE_TEST_WALKERS	2
/* More than the frames of a call have. */
#define REMOTE_TEST_FRAMES	1024

/* A CPU that the test's thread does not run on, and is kept off. */
static int remote_test_other_cpu(struct kunit *test)
{
	int here = cpumask_first(cpu_online_mask);
	int other = cpumask_next(here, cpu_online_mask);

	if (other >= nr_cpu_ids)
		kunit_skip(test, "one CPU only");
	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(here)));
	return other;
}

/* Where the function ran, and what it returned. */
struct remote_test_call {
	int	cpu;
	int	ran;
	int	result;
	bool	irqs_off;
};

static int remote_test_fn(void *arg)
{
	struct remote_test_call *call = arg;

	call->cpu = smp_processor_id();
	call->ran++;
	call->irqs_off = irqs_disabled();
	return call->result;
}

/* The function's result is passed on, from each CPU, whatever it is. */
static void remote_test_results(struct kunit *test)
{
	static const int results[] = { 0, 1, -1, -ENXIO, INT_MAX };
	int cpu;

	for_each_online_cpu(cpu) {
		for (int i = 0; i < ARRAY_SIZE(results); i++) {
			struct remote_test_call call = { .result = results[i] };

			KUNIT_EXPECT_EQ(test,
					perf_cpu_call(cpu, remote_test_fn, &call),
					results[i]);
			KUNIT_EXPECT_EQ(test, call.ran, 1);
			KUNIT_EXPECT_EQ(test, call.cpu, cpu);
			KUNIT_EXPECT_TRUE(test, call.irqs_off);
		}
	}
}

/* No CPU has the number: nothing runs, whatever the call before has left. */
static void remote_test_no_cpu(struct kunit *test)
{
	struct remote_test_call call = { .result = 3 };

	KUNIT_EXPECT_EQ(test, perf_cpu_call(nr_cpu_ids, remote_test_fn, &call),
			-ENXIO);
	KUNIT_EXPECT_EQ(test, call.ran, 0);
}

static int remote_test_ctx_fn(struct perf_ctx *ctx,
			      struct perf_cpu_context *cpuctx, void *arg)
{
	struct remote_test_call *call = arg;
	int err = remote_test_fn(call);

	if (!cpuctx)
		call->cpu = PERF_CPU_NONE;
	return err;
}

/* How often a function found the locks that it can rely on; SMP only. */
struct remote_test_locks {
	int	ran;
	int	own;
	int	loaded;
	bool	here;
};

static bool remote_test_is_locked(struct perf_ctx *ctx)
{
	return !IS_ENABLED(CONFIG_SMP) || raw_spin_is_locked(&ctx->lock);
}

static int remote_test_look_at_locks(struct perf_ctx *ctx,
				     struct perf_cpu_context *cpuctx, void *arg)
{
	struct remote_test_locks *locks = arg;

	locks->ran++;
	locks->own += remote_test_is_locked(ctx);
	locks->here = cpuctx;
	if (cpuctx)
		locks->loaded += remote_test_is_locked(&cpuctx->ctx) &&
				 (!cpuctx->task_ctx ||
				  remote_test_is_locked(cpuctx->task_ctx));
	return 0;
}

/* Makes current have a context that is loaded. */
static struct perf_ctx *remote_test_own_ctx(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
		.size	= sizeof(attr),
	};

	return perf_event_ctx(fake_open_counter(test, &attr, -1, current));
}

/* The locks of both contexts are held on a CPU, or that of the context alone. */
static void remote_test_locked(struct kunit *test)
{
	struct perf_ctx *ctx = remote_test_own_ctx(test), *unloaded;
	struct remote_test_locks locks = { };

	for (int i = 1; i <= 10; i++) {
		perf_ctx_call(ctx, remote_test_look_at_locks, &locks);
		KUNIT_EXPECT_TRUE(test, locks.here);
		KUNIT_EXPECT_EQ(test, locks.ran, i);
		KUNIT_EXPECT_EQ(test, locks.own, i);
		KUNIT_EXPECT_EQ(test, locks.loaded, i);
	}
	unloaded = kunit_kzalloc(test, sizeof(*unloaded), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, unloaded);
	fake_ctx_init(unloaded);
	locks = (struct remote_test_locks) { };
	perf_ctx_call(unloaded, remote_test_look_at_locks, &locks);
	KUNIT_EXPECT_FALSE(test, locks.here);
	KUNIT_EXPECT_EQ(test, locks.ran, 1);
	KUNIT_EXPECT_EQ(test, locks.own, 1);
}

/* A call's memory, as others have left it on the stack. */
static noinline void remote_test_spoil_stack(void)
{
	u8 frames[REMOTE_TEST_FRAMES];

	memset(frames, 0xa5, sizeof(frames));
	barrier_data(frames); /* the compiler must store it */
}

static noinline int remote_test_ctx_call(struct perf_ctx *ctx,
					 struct remote_test_call *call)
{
	*call = (struct remote_test_call) { .result = 5 };
	remote_test_spoil_stack();
	return perf_ctx_call(ctx, remote_test_ctx_fn, call);
}

static noinline int remote_test_cpu_call(int cpu, struct remote_test_call *call)
{
	*call = (struct remote_test_call) { .result = 5 };
	remote_test_spoil_stack();
	return perf_cpu_call(cpu, remote_test_fn, call);
}

/* Calls do not depend on what their memory had before. */
static void remote_test_spoilt(struct kunit *test)
{
	int other = remote_test_other_cpu(test);
	struct perf_ctx *ctx = &per_cpu(perf_cpu_context, other).ctx;
	struct remote_test_call call;

	KUNIT_EXPECT_EQ(test, remote_test_ctx_call(ctx, &call), 5);
	KUNIT_EXPECT_EQ(test, call.ran, 1);
	KUNIT_EXPECT_EQ(test, call.cpu, other);
	KUNIT_EXPECT_EQ(test, remote_test_cpu_call(other, &call), 5);
	KUNIT_EXPECT_EQ(test, call.ran, 1);
}

/* A thread that sends a call while other CPUs are in a walk. */
struct remote_test_sender {
	struct task_struct	*task;
	void			(*send)(struct remote_test_sender *sender);
	struct completion	sending;
	struct completion	done;
	int			cpu;
	struct remote_test_call	call;
	int			ret;
};

/* Static, since a thread that waits for ever would use it for ever. */
static struct remote_test_sender remote_test_sender;

static int remote_test_sender_run(void *unused)
{
	complete(&remote_test_sender.sending);
	remote_test_sender.send(&remote_test_sender);
	complete(&remote_test_sender.done);
	return 0;
}

/* Starts the thread on this CPU, and lets it come to where it has to wait. */
static void
remote_test_sender_start(struct kunit *test,
			 void (*send)(struct remote_test_sender *sender),
			 int cpu)
{
	remote_test_sender = (struct remote_test_sender) { .send = send, .cpu = cpu };
	init_completion(&remote_test_sender.sending);
	init_completion(&remote_test_sender.done);
	remote_test_sender.task =
		kthread_create_on_cpu(remote_test_sender_run, NULL,
				      raw_smp_processor_id(), "perf_kunit/%u");
	KUNIT_EXPECT_FALSE(test, IS_ERR(remote_test_sender.task));
	if (IS_ERR(remote_test_sender.task))
		return;
	wake_up_process(remote_test_sender.task);
	wait_for_completion(&remote_test_sender.sending);
	fsleep(5000);
}

/* The call has ended, now that all walks have. */
static void remote_test_sender_expect_end(struct kunit *test)
{
	unsigned long left = 0;

	if (!IS_ERR(remote_test_sender.task))
		left = wait_for_completion_timeout(&remote_test_sender.done,
						   20 * HZ);
	KUNIT_ASSERT_GT(test, left, 0);
}

static void remote_test_send_to_ctx(struct remote_test_sender *sender)
{
	sender->ret = remote_test_ctx_call(&per_cpu(perf_cpu_context, sender->cpu).ctx,
					   &sender->call);
}

static void remote_test_send_to_cpu(struct remote_test_sender *sender)
{
	sender->ret = remote_test_cpu_call(sender->cpu, &sender->call);
}

static void
remote_test_walk_case(struct kunit *test,
		      void (*send)(struct remote_test_sender *sender))
{
	int cpu = remote_test_other_cpu(test);
	struct test_walker walker;

	test_walker_start(test, &walker, cpu, REMOTE_TEST_PATIENCE_NS);
	remote_test_sender_start(test, send, cpu);
	KUNIT_EXPECT_EQ(test, READ_ONCE(remote_test_sender.call.ran), 0);
	test_walker_end(&walker);
	remote_test_sender_expect_end(test);
	KUNIT_EXPECT_EQ(test, remote_test_sender.ret, 5);
	KUNIT_EXPECT_EQ(test, remote_test_sender.call.ran, 1);
	KUNIT_EXPECT_EQ(test, remote_test_sender.call.cpu, cpu);
	KUNIT_EXPECT_TRUE(test, remote_test_sender.call.irqs_off);
}

/* The same for a CPU that is in a walk: calls wait, and then are done. */
static void remote_test_spoilt_in_walk(struct kunit *test)
{
	remote_test_walk_case(test, remote_test_send_to_ctx);
	remote_test_walk_case(test, remote_test_send_to_cpu);
}

/* Calls to several CPUs. */

static DEFINE_PER_CPU(int, remote_test_rounds);

static void remote_test_count(void)
{
	WARN_ON_ONCE(!irqs_disabled());
	this_cpu_inc(remote_test_rounds);
}

static void remote_test_forget_rounds(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(remote_test_rounds, cpu) = 0;
}

/* The CPUs in @cpus that are online have run the function @nr times. */
static void remote_test_expect_rounds(struct kunit *test,
				      const struct cpumask *cpus, int nr)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		bool asked = cpumask_test_cpu(cpu, cpus) && cpu_online(cpu);

		KUNIT_EXPECT_EQ_MSG(test,
				    READ_ONCE(per_cpu(remote_test_rounds, cpu)),
				    asked ? nr : 0, "CPU %d", cpu);
	}
}

/* Each CPU that was asked, and no other, runs the function once. */
static void remote_test_many(struct kunit *test)
{
	const struct cpumask *masks[] = {
		cpu_possible_mask, cpu_none_mask, cpu_online_mask,
		cpumask_of(cpumask_first(cpu_online_mask)),
		cpumask_of(cpumask_last(cpu_online_mask)),
	};

	for (int i = 0; i < ARRAY_SIZE(masks); i++) {
		remote_test_forget_rounds();
		for (int nr = 1; nr <= 3; nr++) {
			perf_cpus_call(masks[i], remote_test_count);
			remote_test_expect_rounds(test, masks[i], nr);
		}
	}
}

static void remote_test_send_to_all(struct remote_test_sender *sender)
{
	perf_cpus_call(cpu_online_mask, remote_test_count);
}

/* Some CPUs are in a walk: the others do not wait for them, the caller does. */
static void remote_test_many_in_walks(struct kunit *test)
{
	int cpu = remote_test_other_cpu(test), nr = 0;
	struct test_walker walkers[REMOTE_TEST_WALKERS];
	struct cpumask *walk = kunit_kzalloc(test, cpumask_size(), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, walk);
	remote_test_forget_rounds();
	for (; nr < REMOTE_TEST_WALKERS && cpu < nr_cpu_ids; nr++) {
		test_walker_start(test, &walkers[nr], cpu,
				  REMOTE_TEST_PATIENCE_NS);
		cpumask_set_cpu(cpu, walk);
		cpu = cpumask_next(cpu, cpu_online_mask);
	}
	remote_test_sender_start(test, remote_test_send_to_all, 0);
	KUNIT_EXPECT_FALSE(test, completion_done(&remote_test_sender.done));
	cpumask_andnot(walk, cpu_online_mask, walk);
	remote_test_expect_rounds(test, walk, 1);

	while (nr) {
		KUNIT_EXPECT_FALSE(test,
				   completion_done(&remote_test_sender.done));
		test_walker_end(&walkers[--nr]);
	}
	remote_test_sender_expect_end(test);
	remote_test_expect_rounds(test, cpu_online_mask, 1);
}

/* One round after the other, each with walks to wait for. */
static void remote_test_many_again(struct kunit *test)
{
	for (int i = 0; i < 3; i++)
		remote_test_many_in_walks(test);
}

static struct kunit_case remote_test_cases[] = {
	KUNIT_CASE(remote_test_results),
	KUNIT_CASE(remote_test_no_cpu),
	KUNIT_CASE(remote_test_locked),
	KUNIT_CASE(remote_test_spoilt),
	KUNIT_CASE(remote_test_spoilt_in_walk),
	KUNIT_CASE(remote_test_many),
	KUNIT_CASE(remote_test_many_again),
	{ }
};

static struct kunit_suite remote_test_suite = {
	.name		= "perf_remote",
	.test_cases	= remote_test_cases,
};

kunit_test_suite(remote_test_suite);

MODULE_DESCRIPTION("KUnit tests of calls to other CPUs and their contexts");
MODULE_LICENSE("GPL");
