// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room read: what read(2) returns of an event and of a group, in
 * each format, read here or with the help of another CPU; sums over inherited
 * copies; errors; when an event has hung up.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/mmu_context.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../context.h"
#include "../control.h"
#include "../event.h"
#include "../groups.h"
#include "../read.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000
/* Events of a group that is read on the stack, and of one that is too large. */
#define READ_TEST_FEW	3
#define READ_TEST_MANY	12
#define READ_TEST_WORDS	(3 + 3 * READ_TEST_MANY)
#define READ_TEST_UNTOUCHED	0xeeeeeeeeeeeeeeeeULL

/**
 * struct read_test_reader - what read(2) has at hand
 * @file: file of the event that is read
 * @user: buffer in user memory, of a page
 * @words: what was read
 */
struct read_test_reader {
	struct file	file;
	unsigned long	user;
	u64		words[READ_TEST_WORDS + 1];
};

static struct fake_pmu fake;

static int read_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_read");
}

static void read_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void read_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int read_test_init(struct kunit *test)
{
	struct read_test_reader *reader =
		kunit_kzalloc(test, sizeof(*reader), GFP_KERNEL);

	if (!reader)
		return -ENOMEM;
	test->priv = reader;
	reader->user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE,
				     PROT_READ | PROT_WRITE,
				     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	if (!reader->user || IS_ERR_VALUE(reader->user))
		return -ENOMEM;
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, read_test_check_idle, test);
}

/* Reads into @at in user memory. */
static ssize_t read_test_read_to(struct kunit *test, struct perf_event *event,
				 unsigned long at, size_t count)
{
	struct read_test_reader *reader = test->priv;

	reader->file.private_data = event;
	return perf_read(&reader->file, (char __user *)at, count, NULL);
}

/* Reads, and fetches all that may have been stored. */
static ssize_t read_test_read(struct kunit *test, struct perf_event *event,
			      size_t count)
{
	struct read_test_reader *reader = test->priv;
	void __user *user = (void __user *)reader->user;
	ssize_t ret;

	memset(reader->words, 0xee, sizeof(reader->words));
	KUNIT_ASSERT_EQ(test, 0, copy_to_user(user, reader->words,
					      sizeof(reader->words)));
	ret = read_test_read_to(test, event, reader->user, count);
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(reader->words, user,
						sizeof(reader->words)));
	return ret;
}

static void read_test_expect_words(struct kunit *test, const u64 *words,
				   unsigned int nr)
{
	struct read_test_reader *reader = test->priv;

	for (int i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, reader->words[i], words[i],
				    "word %u of %u", i, nr);
	KUNIT_EXPECT_EQ(test, reader->words[nr], READ_TEST_UNTOUCHED);
}

static int read_test_cpu(void)
{
	return cpumask_last(cpu_online_mask);
}

static void read_test_bind(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0,
			set_cpus_allowed_ptr(current, cpumask_of(cpu)));
}

/* Goes to another CPU than that of the events, if there is one. */
static void read_test_go_elsewhere(struct kunit *test)
{
	read_test_bind(test, cpumask_first(cpu_online_mask));
}

static void read_test_set_format(struct perf_event *event, u64 format)
{
	event->attr.read_format = format;
	perf_group_set_read_size(event);
}

/* Formats and errors; the events are off, so that nothing changes meanwhile. */

/* Event number @nr of a group, with values that differ from all others. */
static struct perf_event *read_test_open(struct kunit *test,
					 struct perf_event *leader,
					 unsigned int nr, bool inherit)
{
	const struct fake_pmu_spec spec = {
		.leader = leader, .cpu = read_test_cpu(), .disabled = true,
		.inherit = inherit,
	};
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);

	local64_set(&event->count, 100 + nr);
	atomic64_set(&event->lost_samples, 200 + nr);
	event->total_time_enabled = 7000 + nr;
	event->total_time_running = 5000 + nr;
	if (inherit) {
		atomic64_set(&event->child_count, 10000);
		atomic64_set(&event->child_total_time_enabled, 20000);
		atomic64_set(&event->child_total_time_running, 30000);
	}
	return event;
}

static unsigned int read_test_event_words(const struct perf_event *event,
					  u64 format, u64 *words)
{
	unsigned int n = 0;

	words[n++] = local64_read(&event->count) +
		     atomic64_read(&event->child_count);
	if (format & PERF_FORMAT_ID)
		words[n++] = event->id;
	if (format & PERF_FORMAT_LOST)
		words[n++] = atomic64_read(&event->lost_samples);
	return n;
}

static unsigned int read_test_time_words(const struct perf_event *event,
					 u64 format, u64 *words)
{
	unsigned int n = 0;

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = event->total_time_enabled +
			atomic64_read(&event->child_total_time_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = event->total_time_running +
			atomic64_read(&event->child_total_time_running);
	return n;
}

/* What a read of @event returns, as the ABI says. Return: number of words. */
static unsigned int read_test_words(struct perf_event *event, u64 *words)
{
	u64 format = event->attr.read_format;
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int n = 0;

	if (!(format & PERF_FORMAT_GROUP)) {
		u64 own[3];
		unsigned int rest =
			read_test_event_words(event, format, own) - 1;

		words[n++] = own[0];
		n += read_test_time_words(event, format, words + n);
		memcpy(words + n, own + 1, rest * sizeof(u64));
		return n + rest;
	}
	guard(mutex)(&perf_event_ctx(leader)->mutex);
	words[n++] = leader->nr_siblings + 1;
	n += read_test_time_words(leader, format, words + n);
	n += read_test_event_words(leader, format, words + n);
	for_each_sibling_event(sibling, leader)
		n += read_test_event_words(sibling, format, words + n);
	return n;
}

/* All formats, with a buffer that is large enough, or by a word too small. */
static void read_test_formats_of(struct kunit *test, struct perf_event *event)
{
	u64 words[READ_TEST_WORDS];

	for (u64 format = 0; format < PERF_FORMAT_MAX; format++) {
		unsigned int nr;
		size_t size;

		read_test_set_format(event, format);
		nr = read_test_words(event, words);
		size = nr * sizeof(u64);
		KUNIT_EXPECT_EQ(test, read_test_read(test, event, PAGE_SIZE),
				size);
		read_test_expect_words(test, words, nr);
		KUNIT_EXPECT_EQ(test, read_test_read(test, event, size), size);
		read_test_expect_words(test, words, nr);
		KUNIT_EXPECT_EQ(test, read_test_read(test, event, size - 1),
				-ENOSPC);
		read_test_expect_words(test, words, 0);
	}
}

static void read_test_formats_everywhere(struct kunit *test,
					 struct perf_event *event)
{
	read_test_bind(test, read_test_cpu());
	read_test_formats_of(test, event);
	read_test_go_elsewhere(test);
	read_test_formats_of(test, event);
}

static void read_test_formats(struct kunit *test)
{
	read_test_formats_everywhere(test,
				     read_test_open(test, NULL, 0, false));
}

/* Each event of a group can read the group. */
static void read_test_formats_of_group(struct kunit *test, unsigned int nr_events,
				       bool inherit)
{
	struct perf_event *leader = read_test_open(test, NULL, 0, inherit);
	struct perf_event *sibling = NULL;

	for (unsigned int nr = 1; nr < nr_events; nr++)
		sibling = read_test_open(test, leader, nr, inherit);
	read_test_formats_everywhere(test, leader);
	read_test_formats_everywhere(test, sibling);
}

static void read_test_group_formats(struct kunit *test)
{
	read_test_formats_of_group(test, READ_TEST_FEW, false);
}

static void read_test_large_group_formats(struct kunit *test)
{
	read_test_formats_of_group(test, READ_TEST_MANY, false);
}

/* The counts and times of copies that have ended belong to the sum. */
static void read_test_inherited_formats(struct kunit *test)
{
	read_test_formats_everywhere(test, read_test_open(test, NULL, 0, true));
	read_test_formats_of_group(test, READ_TEST_FEW, true);
}

static void read_test_expect_fault(struct kunit *test, struct perf_event *event)
{
	const u64 formats[] = { 0, PERF_FORMAT_GROUP };

	for (int i = 0; i < ARRAY_SIZE(formats); i++) {
		read_test_set_format(event, formats[i]);
		KUNIT_EXPECT_EQ(test,
				read_test_read_to(test, event, 0, PAGE_SIZE),
				-EFAULT);
	}
}

/* Nothing is mapped at address 0. */
static void read_test_fault(struct kunit *test)
{
	struct perf_event *event = read_test_open(test, NULL, 0, false);
	struct perf_event *eldest = read_test_open(test, NULL, 1, true);

	read_test_bind(test, read_test_cpu());
	read_test_expect_fault(test, event);
	read_test_expect_fault(test, eldest);
	read_test_go_elsewhere(test);
	read_test_expect_fault(test, event);
}

/* A pinned event that found no room reads as the end of the file. */
static void read_test_error(struct kunit *test)
{
	const struct fake_pmu_spec spec = { .cpu = read_test_cpu(), .pinned = true };
	struct perf_event *event;

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	fake_pmu_open(test, &fake, &spec);
	event = fake_pmu_open(test, &fake, &spec);
	KUNIT_ASSERT_EQ(test, event->state, PERF_EVENT_STATE_ERROR);
	read_test_bind(test, read_test_cpu());
	KUNIT_EXPECT_EQ(test, read_test_read(test, event, PAGE_SIZE), 0);
	read_test_go_elsewhere(test);
	KUNIT_EXPECT_EQ(test, read_test_read(test, event, PAGE_SIZE), 0);
	read_test_expect_words(test, NULL, 0);
}

/* Active events. */

/* Two events of which one is read, with or without the other. */
static void read_test_make_pair(struct kunit *test, struct perf_event **pair)
{
	struct fake_pmu_spec spec = { .cpu = read_test_cpu() };

	read_test_bind(test, read_test_cpu());
	pair[0] = fake_pmu_open(test, &fake, &spec);
	spec.leader = pair[0];
	pair[1] = fake_pmu_open(test, &fake, &spec);
	KUNIT_ASSERT_EQ(test, pair[1]->state, PERF_EVENT_STATE_ACTIVE);
}

static void read_test_expect_pair(struct kunit *test, struct perf_event **pair,
				  u64 count)
{
	struct read_test_reader *reader = test->priv;

	read_test_set_format(pair[0], PERF_FORMAT_GROUP);
	KUNIT_EXPECT_EQ(test, read_test_read(test, pair[0], PAGE_SIZE), 24);
	read_test_expect_words(test, (u64[]) { 2, count, count }, 3);

	read_test_set_format(pair[1], PERF_FORMAT_TOTAL_TIME_ENABLED |
					      PERF_FORMAT_TOTAL_TIME_RUNNING);
	KUNIT_EXPECT_EQ(test, read_test_read(test, pair[1], PAGE_SIZE), 24);
	KUNIT_EXPECT_EQ(test, reader->words[0], count);
	KUNIT_EXPECT_GT(test, reader->words[1], 0);
	KUNIT_EXPECT_EQ(test, reader->words[1], reader->words[2]);
}

/* The counters are read, wherever the caller is. */
static void read_test_active(struct kunit *test)
{
	struct perf_event *pair[2];

	read_test_make_pair(test, pair);
	fake_pmu_tick(&fake, 5);
	read_test_expect_pair(test, pair, 5);
	fake_pmu_tick(&fake, 5);
	read_test_expect_pair(test, pair, 10);
	read_test_go_elsewhere(test);
	fake_pmu_tick(&fake, 5);
	read_test_expect_pair(test, pair, 15);
}

/* A time that was read goes on while the event is active. */
static void read_test_time_goes_on(struct kunit *test)
{
	struct read_test_reader *reader = test->priv;
	struct perf_event *pair[2];
	u64 before;

	read_test_make_pair(test, pair);
	for (int i = 0; i < 4; i++) {
		read_test_set_format(pair[i % 2],
				     PERF_FORMAT_TOTAL_TIME_RUNNING |
					     (i % 2 ? 0 : PERF_FORMAT_GROUP));
		read_test_read(test, pair[i % 2], PAGE_SIZE);
		before = reader->words[1];
		ndelay(1000);
		read_test_read(test, pair[i % 2], PAGE_SIZE);
		KUNIT_EXPECT_GT(test, reader->words[1], before);
		if (i == 1)
			read_test_go_elsewhere(test);
	}
}

/**
 * struct read_test_thread - a thread that reads while the test holds ctx->mutex
 * @reader: its file and its buffer
 * @mm: memory of the buffer
 * @done: when it has read
 */
struct read_test_thread {
	struct read_test_reader	*reader;
	struct mm_struct	*mm;
	struct completion	done;
};

static int read_test_thread_run(void *arg)
{
	struct read_test_thread *thread = arg;
	struct read_test_reader *reader = thread->reader;

	kthread_use_mm(thread->mm);
	perf_read(&reader->file, (char __user *)reader->user, PAGE_SIZE, NULL);
	kthread_unuse_mm(thread->mm);
	complete(&thread->done);
	return 0;
}

/* Return: whether a read of the event on its CPU waits for ctx->mutex. */
static bool read_test_waits(struct kunit *test, struct perf_event *event,
			    struct read_test_thread *thread)
{
	struct task_struct *task;

	thread->reader = test->priv;
	thread->reader->file.private_data = event;
	thread->mm = current->mm;
	init_completion(&thread->done);
	task = kthread_create(read_test_thread_run, thread, "read_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, read_test_cpu());
	wake_up_process(task);
	while (!completion_done(&thread->done)) {
		if (READ_ONCE(task->__state) == TASK_UNINTERRUPTIBLE)
			return true;
		schedule_timeout_uninterruptible(1);
	}
	return false;
}

/*
 * While an event moves, or the leader of a group that is read, it is not read
 * without ctx->mutex.
 */
static void read_test_moves(struct kunit *test)
{
	struct read_test_thread thread;
	struct perf_event *pair[2];
	struct perf_ctx *ctx;

	read_test_make_pair(test, pair);
	read_test_set_format(pair[1], PERF_FORMAT_GROUP);
	for (int i = 0; i < 2; i++) {
		ctx = perf_event_ctx_lock(pair[0]);
		KUNIT_EXPECT_FALSE(test, read_test_waits(test, pair[1], &thread));
		perf_control_uninstall(pair[i]);
		KUNIT_EXPECT_TRUE(test, read_test_waits(test, pair[1], &thread));
		perf_control_install(ctx, pair[i]);
		perf_event_ctx_unlock(pair[0], ctx);
		wait_for_completion(&thread.done);
	}
}

/* Counters that were read in a transaction. */
static unsigned int read_test_nr_together;
static void (*read_test_pmu_read)(struct perf_event *event);

static void read_test_note_read(struct perf_event *event)
{
	if (this_cpu_ptr(fake.cpus)->txn == PERF_PMU_TXN_READ)
		read_test_nr_together++;
	read_test_pmu_read(event);
}

static void read_test_end_notes(void *unused)
{
	fake.pmu.read = read_test_pmu_read;
}

/* A driver may read all counters of a group at once: when it is committed. */
static void read_test_group_together(struct kunit *test)
{
	struct perf_event *pair[2];

	read_test_make_pair(test, pair);
	read_test_pmu_read = fake.pmu.read;
	read_test_nr_together = 0;
	fake.pmu.read = read_test_note_read;
	fake_pmu_undo(test, read_test_end_notes, NULL);
	read_test_set_format(pair[0], PERF_FORMAT_GROUP);
	KUNIT_EXPECT_EQ(test, read_test_read(test, pair[0], PAGE_SIZE), 24);
	KUNIT_EXPECT_EQ(test, read_test_nr_together, 2);
}

static int (*read_test_commit)(struct pmu *pmu);
/* Reads of groups that succeed before one is refused. */
static int read_test_patience;

/* The PMU cannot read so many counters at once. */
static int read_test_refuse_reads(struct pmu *pmu)
{
	bool reads = this_cpu_ptr(fake.cpus)->txn == PERF_PMU_TXN_READ;
	int err = read_test_commit(pmu);

	return reads && read_test_patience-- <= 0 ? -EIO : err;
}

static void read_test_refuse_no_reads(void *unused)
{
	fake.pmu.commit_txn = read_test_commit;
}

static void read_test_begin_refusing(struct kunit *test)
{
	read_test_patience = INT_MAX;
	read_test_commit = fake.pmu.commit_txn;
	fake.pmu.commit_txn = read_test_refuse_reads;
	fake_pmu_undo(test, read_test_refuse_no_reads, NULL);
}

static void read_test_refused(struct kunit *test)
{
	struct perf_event *pair[2];

	read_test_make_pair(test, pair);
	read_test_begin_refusing(test);
	read_test_set_format(pair[0], PERF_FORMAT_GROUP);
	read_test_patience = 0;
	KUNIT_EXPECT_EQ(test, read_test_read(test, pair[0], PAGE_SIZE), -EIO);
	read_test_expect_words(test, NULL, 0);
	read_test_go_elsewhere(test);
	KUNIT_EXPECT_EQ(test, read_test_read(test, pair[0], PAGE_SIZE), -EIO);
	read_test_expect_words(test, NULL, 0);
	read_test_patience = INT_MAX;
	KUNIT_EXPECT_EQ(test, read_test_read(test, pair[0], PAGE_SIZE), 24);
}

/* Copies. */

static void read_test_tick(struct test_task *self)
{
	/* Preemption is off because another task may share this CPU. */
	preempt_disable();
	fake_pmu_tick(&fake, 100);
	preempt_enable();
}

/* Tasks with an event of their own do not exchange contexts. */
static void read_test_open_own(struct kunit *test, struct task_struct *task)
{
	const struct fake_pmu_spec spec = { .cpu = -1, .task = task };

	fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *read_test_open_inherited(struct kunit *test,
						   struct perf_event *leader)
{
	const struct fake_pmu_spec spec = {
		.leader = leader, .cpu = -1, .task = current,
		.inherit = true, .by_task = true,
	};

	return fake_pmu_open(test, &fake, &spec);
}

/*
 * The count of each event of the group has those of its copies, and only the
 * eldest's id.
 */
static void read_test_sum_of_groups(struct kunit *test)
{
	struct read_test_reader *reader = test->priv;
	struct perf_event *leader = read_test_open_inherited(test, NULL);
	struct perf_event *sibling = read_test_open_inherited(test, leader);
	struct test_task *child[2];
	u64 before;

	read_test_set_format(leader, PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	child[0] = test_task_fork(test, read_test_tick);
	child[1] = test_task_fork(test, read_test_tick);
	KUNIT_ASSERT_EQ(test, read_test_read(test, leader, PAGE_SIZE), 40);
	KUNIT_EXPECT_EQ(test, reader->words[1], reader->words[3]);
	before = reader->words[1];
	test_task_act(child[0]);
	test_task_act(child[1]);
	KUNIT_EXPECT_EQ(test, read_test_read(test, leader, PAGE_SIZE), 40);
	KUNIT_EXPECT_EQ(test, reader->words[0], 2);
	KUNIT_EXPECT_GE(test, reader->words[1], before + 200);
	KUNIT_EXPECT_EQ(test, reader->words[2], leader->id);
	KUNIT_EXPECT_GE(test, reader->words[3], before + 200);
	KUNIT_EXPECT_EQ(test, reader->words[4], sibling->id);
}

/* A sibling that copies do not have: a sum would mix up siblings. */
static void read_test_unequal_groups(struct kunit *test)
{
	struct perf_event *leader = read_test_open_inherited(test, NULL);
	struct perf_event *sibling;
	struct test_task *child;

	read_test_open_own(test, current);
	child = test_task_fork(test, NULL);
	read_test_set_format(leader, PERF_FORMAT_GROUP);
	KUNIT_EXPECT_EQ(test, read_test_read(test, leader, PAGE_SIZE), 16);
	sibling = read_test_open_inherited(test, leader);
	KUNIT_EXPECT_EQ(test, read_test_read(test, leader, PAGE_SIZE), -ECHILD);
	read_test_expect_words(test, NULL, 0);

	/* Alone, each can be read. */
	read_test_set_format(leader, 0);
	read_test_set_format(sibling, 0);
	KUNIT_EXPECT_EQ(test, read_test_read(test, leader, PAGE_SIZE), 8);
	KUNIT_EXPECT_EQ(test, read_test_read(test, sibling, PAGE_SIZE), 8);

	test_task_end(test, child);
	read_test_set_format(leader, PERF_FORMAT_GROUP);
	KUNIT_EXPECT_EQ(test, read_test_read(test, leader, PAGE_SIZE), 24);
}

/* Only the eldest's group is active, and refused; those of copies are not. */
static void read_test_refused_sum(struct kunit *test)
{
	struct perf_event *leader = read_test_open_inherited(test, NULL);

	read_test_open_inherited(test, leader);
	read_test_open_own(test, current);
	test_task_fork(test, NULL);
	read_test_begin_refusing(test);
	read_test_set_format(leader, PERF_FORMAT_GROUP);
	KUNIT_EXPECT_EQ(test, read_test_read(test, leader, PAGE_SIZE), 24);
	read_test_patience = 0;
	KUNIT_EXPECT_EQ(test, read_test_read(test, leader, PAGE_SIZE), -EIO);
	read_test_expect_words(test, NULL, 0);
}

/* Hang-up. */

/*
 * poll(2) reports a hangup when the event's task and all tasks with copies
 * have exited.
 */
static void read_test_hup(struct kunit *test)
{
	struct test_task *grandchild = test_task_make(test, NULL);
	struct test_task *child = test_task_fork(test, test_task_fork_child);
	const struct fake_pmu_spec spec = {
		.cpu = -1, .task = child->task, .inherit = true,
		.by_task = true,
	};
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);

	read_test_open_own(test, child->task);
	KUNIT_EXPECT_FALSE(test, perf_read_is_hup(event));
	child->child = grandchild;
	test_task_act(child);
	KUNIT_ASSERT_NOT_NULL(test, grandchild->task);
	fake_pmu_undo(test, test_task_finish, grandchild);
	test_task_end(test, child);
	KUNIT_EXPECT_FALSE(test, perf_read_is_hup(event));
	test_task_end(test, grandchild);
	KUNIT_EXPECT_TRUE(test, perf_read_is_hup(event));
}

/* Events of a CPU never do, whether they are enabled or not. */
static void read_test_no_hup(struct kunit *test)
{
	const struct fake_pmu_spec spec = { .cpu = read_test_cpu() };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);

	KUNIT_EXPECT_FALSE(test, perf_read_is_hup(event));
	perf_event_disable(event);
	KUNIT_EXPECT_FALSE(test, perf_read_is_hup(event));
}

static struct kunit_case read_test_cases[] = {
	KUNIT_CASE(read_test_formats),
	KUNIT_CASE(read_test_group_formats),
	KUNIT_CASE(read_test_large_group_formats),
	KUNIT_CASE(read_test_inherited_formats),
	KUNIT_CASE(read_test_fault),
	KUNIT_CASE(read_test_error),
	KUNIT_CASE(read_test_active),
	KUNIT_CASE(read_test_time_goes_on),
	KUNIT_CASE(read_test_group_together),
	KUNIT_CASE(read_test_moves),
	KUNIT_CASE(read_test_refused),
	KUNIT_CASE(read_test_sum_of_groups),
	KUNIT_CASE(read_test_unequal_groups),
	KUNIT_CASE(read_test_refused_sum),
	KUNIT_CASE(read_test_hup),
	KUNIT_CASE(read_test_no_hup),
	{ }
};

static struct kunit_suite read_test_suite = {
	.name		= "perf_read",
	.suite_init	= read_test_suite_init,
	.suite_exit	= read_test_suite_exit,
	.init		= read_test_init,
	.test_cases	= read_test_cases,
};

kunit_test_suite(read_test_suite);

MODULE_DESCRIPTION("KUnit tests of what reads of perf events return");
MODULE_LICENSE("GPL");
