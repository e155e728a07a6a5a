// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of work that waits for the end of a walk: its order, and that each
 * piece is done once for each time that it was queued.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>

#include "../walk.h"

/* A job that notes which jobs ran before it, and how often it ran. */
struct walk_test_job {
	struct perf_late	late;
	int			nr;
	int			runs;
};

static int walk_test_jobs_done;

static void walk_test_run(struct perf_late *late)
{
	struct walk_test_job *job =
		container_of(late, struct walk_test_job, late);

	job->nr = ++walk_test_jobs_done;
	job->runs++;
}

static bool walk_test_defer(struct walk_test_job *job)
{
	return perf_walk_defer_oncpu(&job->late, walk_test_run);
}

/* In the order of queueing, each once, and not at all with interrupts off. */
static void walk_test_order(struct kunit *test)
{
	struct walk_test_job jobs[2] = { };

	walk_test_jobs_done = 0;
	guard(preempt)();
	scoped_guard(irqsave) {
		KUNIT_EXPECT_FALSE(test, walk_test_defer(&jobs[0]));
		perf_walk_begin();
		for (int i = 0; i < 4; i++)
			KUNIT_EXPECT_TRUE(test, walk_test_defer(&jobs[i % 2]));
		perf_walk_begin();
		perf_walk_end();
		perf_walk_end();
		KUNIT_EXPECT_EQ(test, walk_test_jobs_done, 0);
		perf_walk_begin();
	}
	KUNIT_EXPECT_EQ(test, walk_test_jobs_done, 0);
	perf_walk_end();
	KUNIT_EXPECT_EQ(test, jobs[0].nr, 1);
	KUNIT_EXPECT_EQ(test, jobs[1].nr, 2);
	KUNIT_EXPECT_EQ(test, walk_test_jobs_done, 2);
}

static void walk_test_walk(struct kunit *test, struct walk_test_job *job)
{
	guard(preempt)();
	perf_walk_begin();
	scoped_guard(irqsave)
		KUNIT_EXPECT_TRUE(test, walk_test_defer(job));
	perf_walk_end();
}

/* Work that was done can be queued again, in the next walk. */
static void walk_test_again(struct kunit *test)
{
	struct walk_test_job job = { };

	for (int i = 1; i <= 3; i++) {
		walk_test_walk(test, &job);
		KUNIT_EXPECT_EQ(test, job.runs, i);
	}
}

static int walk_test_wishes;

static void walk_test_run_twice(struct perf_late *late)
{
	struct walk_test_job *job =
		container_of(late, struct walk_test_job, late);

	job->runs++;
	if (!walk_test_wishes)
		return;
	walk_test_wishes--;
	perf_walk_begin();
	perf_walk_defer_oncpu(late, walk_test_run_twice);
	perf_walk_end();
}

/* So can work that is being done: it is no longer waiting by then. */
static void walk_test_while_done(struct kunit *test)
{
	struct walk_test_job job = { };

	walk_test_wishes = 2;
	guard(preempt)();
	perf_walk_begin();
	scoped_guard(irqsave) {
		bool waits = perf_walk_defer_oncpu(&job.late,
						   walk_test_run_twice);

		KUNIT_EXPECT_TRUE(test, waits);
	}
	perf_walk_end();
	KUNIT_EXPECT_EQ(test, job.runs, 3);
}

static struct kunit_case walk_test_cases[] = {
	KUNIT_CASE(walk_test_order),
	KUNIT_CASE(walk_test_again),
	KUNIT_CASE(walk_test_while_done),
	{ }
};

static struct kunit_suite walk_test_suite = {
	.name		= "perf_walk",
	.test_cases	= walk_test_cases,
};

kunit_test_suite(walk_test_suite);
