/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks for tests of families: kernel threads that current forks, so that they
 * inherit, that do one thing as often as they are told, and exit when told.
 */
#ifndef _KERNEL_EVENTS_TESTS_FAMILY_TASKS_H
#define _KERNEL_EVENTS_TESTS_FAMILY_TASKS_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "../family.h"
#include "fake_pmu.h"

#define TEST_TASK_PATIENCE_US	(60 * USEC_PER_SEC)

/**
 * struct test_task - a task of the test
 * @task: with a reference
 * @started: completed when it runs
 * @go: tells it to call @act or, with @end, to exit
 * @done: completed when @act has returned
 * @act: what it does
 * @child: for @act to fork
 * @end: tells it to exit
 */
struct test_task {
	struct task_struct	*task;
	struct completion	started, go, done;
	void			(*act)(struct test_task *self);
	struct test_task	*child;
	bool			end;
};

static inline int test_task_run(void *arg)
{
	struct test_task *self = arg;

	self->task = get_task_struct(current);
	complete(&self->started);
	for (;;) {
		wait_for_completion(&self->go);
		if (READ_ONCE(self->end))
			break;
		if (self->act)
			self->act(self);
		complete(&self->done);
	}
	kthread_exit(0);
}

static inline void test_task_init(struct test_task *new,
				  void (*act)(struct test_task *self))
{
	memset(new, 0, sizeof(*new));
	init_completion(&new->started);
	init_completion(&new->go);
	init_completion(&new->done);
	new->act = act;
}

static inline struct test_task *
test_task_make(struct kunit *test, void (*act)(struct test_task *self))
{
	struct test_task *new = kunit_kzalloc(test, sizeof(*new), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, new);
	test_task_init(new, act);
	return new;
}

/*
 * Forks current. It is a kernel thread, which ignores signals, so nobody has to
 * wait for the new one.
 * Return: 0, or why there is no task.
 */
static inline int test_task_start(struct test_task *new)
{
	pid_t pid = kernel_thread(test_task_run, new, "kunit_family",
				  CLONE_FS | CLONE_FILES | SIGCHLD);

	if (pid < 0)
		return pid;
	wait_for_completion(&new->started);
	return 0;
}

/* An example of an @act. */
static inline void test_task_fork_child(struct test_task *self)
{
	test_task_start(self->child);
}

/* The task no longer uses @task, and its events have reached their end. */
static inline bool test_task_is_gone(struct test_task *task)
{
	return READ_ONCE(task->task->exit_state);
}

static inline void test_task_finish(void *arg)
{
	struct test_task *task = arg;
	bool gone;

	WRITE_ONCE(task->end, true);
	complete(&task->go);
	read_poll_timeout(test_task_is_gone, gone, gone, 100,
			  TEST_TASK_PATIENCE_US, false, task);
	put_task_struct(task->task);
}

/* Makes a child of current, for the rest of the case or until test_task_end(). */
static inline struct test_task *
test_task_fork(struct kunit *test, void (*act)(struct test_task *self))
{
	struct test_task *new = test_task_make(test, act);

	KUNIT_ASSERT_EQ(test, 0, test_task_start(new));
	fake_pmu_undo(test, test_task_finish, new);
	return new;
}

static inline void test_task_end(struct kunit *test, struct test_task *task)
{
	kunit_release_action(test, test_task_finish, task);
}

static inline struct perf_event *test_newest_event(struct perf_ctx *ctx)
{
	return list_first_entry(&ctx->event_list, struct perf_event,
				event_entry);
}

static inline void test_task_go(struct test_task *task)
{
	complete(&task->go);
}

static inline void test_task_act(struct test_task *task)
{
	test_task_go(task);
	wait_for_completion(&task->done);
}

/*
 * Waits until the task sleeps, so that no switch exchanges its context. After
 * @done it may run on for a while.
 */
static inline void test_task_wait_asleep(struct test_task *task)
{
	while (!wait_task_inactive(task->task, TASK_UNINTERRUPTIBLE))
		schedule_timeout_uninterruptible(1);
}

static inline struct perf_family *test_task_family(struct task_struct *task)
{
	struct perf_ctx *ctx = perf_task_ctx(task);

	return ctx ? ctx->family : NULL;
}

/* Members that run may take and park contexts meanwhile. */
static inline unsigned int
test_family_nr_parked(const struct perf_family *family)
{
	unsigned int nr = 0;
	struct perf_ctx *ctx;
	int cpu;

	for_each_possible_cpu(cpu) {
		ctx = READ_ONCE(family->places[cpu].ctx);
		nr += ctx && ctx != PERF_PLACE_EMPTY;
	}
	list_for_each_entry(ctx, &family->spare, spare_entry)
		nr++;
	return nr;
}

#endif /* _KERNEL_EVENTS_TESTS_FAMILY_TASKS_H */
