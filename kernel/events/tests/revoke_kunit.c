// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room revoke: the fake PMU is unregistered while events of it are
 * open: in every state, half made, with software events in their groups, and
 * while others open and close.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/wait.h>
#include <linux/wait_bit.h>

#include "../buffer_types.h"
#include "../context.h"
#include "../control.h"
#include "../event.h"
#include "../family.h"
#include "../pmu.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000
#define NR_RACERS	3
#define NR_RACES	60

#define DEAD		PERF_EVENT_STATE_DEAD
#define REVOKED		PERF_EVENT_STATE_REVOKED
#define EXIT		PERF_EVENT_STATE_EXIT
#define ERROR		PERF_EVENT_STATE_ERROR
#define OFF		PERF_EVENT_STATE_OFF
#define INACTIVE	PERF_EVENT_STATE_INACTIVE
#define ACTIVE		PERF_EVENT_STATE_ACTIVE

static struct fake_pmu fake;

static int revoke_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_revoke");
}

static void revoke_test_suite_exit(struct kunit_suite *suite)
{
	if (fake.pmu.type >= 0)
		fake_pmu_unregister(&fake);
	else
		free_percpu(fake.cpus);
}

static void revoke_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int revoke_test_register(void)
{
	return fake.pmu.type >= 0 ? 0 :
	       perf_pmu_register(&fake.pmu, "kunit_revoke", -1);
}

static int revoke_test_init(struct kunit *test)
{
	int err = revoke_test_register();

	if (err)
		return err;
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	return kunit_add_action(test, revoke_test_check_idle, test);
}

static int revoke_test_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

static struct perf_event *revoke_test_open(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = revoke_test_cpu() };

	return fake_pmu_open(test, &fake, &spec);
}

static struct perf_event *revoke_test_open_task(struct kunit *test,
						struct task_struct *task)
{
	struct fake_pmu_spec spec = { .cpu = -1, .task = task };

	return fake_pmu_open(test, &fake, &spec);
}

static int revoke_test_state(const struct perf_event *event)
{
	return READ_ONCE(event->state);
}

static u64 revoke_test_read(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static void revoke_test_expect_revoked(struct kunit *test,
				       struct perf_event *event)
{
	u64 value;

	KUNIT_EXPECT_EQ(test, revoke_test_state(event), REVOKED);
	KUNIT_EXPECT_PTR_NE(test, event->pmu, &fake.pmu);
	KUNIT_EXPECT_NULL(test, perf_event_pmu_ctx(event));
	KUNIT_EXPECT_NULL(test, event->destroy);
	KUNIT_EXPECT_PTR_EQ(test, event->group_leader, event);
	KUNIT_EXPECT_FALSE(test, event->attach_state & PERF_ATTACH_CONTEXT);
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, perf_event_read_local(event, &value, NULL,
							    NULL), -ENODEV);
}

static void revoke_test_expect_gone(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, list_empty(&fake.pmu.pmu_ctxs));
	KUNIT_EXPECT_TRUE(test, !fake.pmu.cpu_pmu_context);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_ADD),
			fake_pmu_calls(&fake, FAKE_DEL));
}

/* Tasks. */

struct revoke_test_mortal {
	struct task_struct	*task;
	struct completion	go;
};

static int revoke_test_live_and_exit(void *arg)
{
	struct revoke_test_mortal *mortal = arg;

	wait_for_completion(&mortal->go);
	return 0;
}

static void revoke_test_end_mortal(void *arg)
{
	struct revoke_test_mortal *mortal = arg;

	complete_all(&mortal->go);
	kthread_stop(mortal->task);
	put_task_struct(mortal->task);
}

static struct revoke_test_mortal *revoke_test_start_mortal(struct kunit *test)
{
	struct revoke_test_mortal *mortal =
		kunit_kzalloc(test, sizeof(*mortal), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mortal);
	init_completion(&mortal->go);
	mortal->task =
		kthread_run(revoke_test_live_and_exit, mortal, "perf_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(mortal->task));
	get_task_struct(mortal->task);
	fake_pmu_undo(test, revoke_test_end_mortal, mortal);
	return mortal;
}

static struct perf_event *revoke_test_open_exited(struct kunit *test)
{
	struct revoke_test_mortal *mortal = revoke_test_start_mortal(test);
	struct perf_event *event = revoke_test_open_task(test, mortal->task);
	int state;

	complete_all(&mortal->go);
	read_poll_timeout(revoke_test_state, state, state == EXIT, 1000,
			  10 * USEC_PER_SEC, false, event);
	KUNIT_ASSERT_EQ(test, state, EXIT);
	return event;
}

/* States. */

static void revoke_test_active(struct kunit *test)
{
	struct perf_event *event = revoke_test_open(test);

	fake_pmu_tick(&fake, 7);
	KUNIT_ASSERT_EQ(test, revoke_test_state(event), ACTIVE);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, event);
	revoke_test_expect_gone(test);
	/* Kernel users that ignore the state read the count as it was. */
	fake_pmu_tick(&fake, 7);
	KUNIT_EXPECT_EQ(test, revoke_test_read(event), 7);
}

static void revoke_test_off(struct kunit *test)
{
	struct perf_event *event = revoke_test_open(test);

	perf_event_disable(event);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, event);
	revoke_test_expect_gone(test);
}

static void revoke_test_inactive(struct kunit *test)
{
	struct revoke_test_mortal *mortal = revoke_test_start_mortal(test);
	struct perf_event *event = revoke_test_open_task(test, mortal->task);
	int state;

	read_poll_timeout(revoke_test_state, state, state == INACTIVE, 1000,
			  10 * USEC_PER_SEC, false, event);
	KUNIT_ASSERT_EQ(test, state, INACTIVE);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, event);
	revoke_test_expect_gone(test);
}

static void revoke_test_error(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = revoke_test_cpu(), .pinned = true };
	struct perf_event *event;

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	fake_pmu_open(test, &fake, &spec);
	event = fake_pmu_open(test, &fake, &spec);
	KUNIT_ASSERT_EQ(test, revoke_test_state(event), ERROR);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, event);
	revoke_test_expect_gone(test);
}

static void revoke_test_exited(struct kunit *test)
{
	struct perf_event *event = revoke_test_open_exited(test);

	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, event);
	revoke_test_expect_gone(test);
}

/* Closed, but the test still has a reference. */
static void revoke_test_dead(struct kunit *test)
{
	struct perf_event *event = revoke_test_open(test);

	perf_event_get_ref(event);
	fake_pmu_close(test, event);
	KUNIT_ASSERT_EQ(test, revoke_test_state(event), DEAD);
	perf_pmu_unregister(&fake.pmu);
	KUNIT_EXPECT_EQ(test, revoke_test_state(event), DEAD);
	KUNIT_EXPECT_PTR_NE(test, event->pmu, &fake.pmu);
	revoke_test_expect_gone(test);
	perf_event_put(event);
}

static void revoke_test_running_task(struct kunit *test)
{
	struct perf_event *event = revoke_test_open_task(test, current);
	unsigned int users = refcount_read(&perf_event_ctx(event)->refcount);

	KUNIT_ASSERT_EQ(test, revoke_test_state(event), ACTIVE);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, event);
	revoke_test_expect_gone(test);
	KUNIT_EXPECT_EQ(test, refcount_read(&perf_event_ctx(event)->refcount),
			users);
}

/* Closed, but the task's PMU context waits for the next event. */
static void revoke_test_resting(struct kunit *test)
{
	struct perf_event *event = revoke_test_open_task(test, current);
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(event);

	fake_pmu_close(test, event);
	KUNIT_EXPECT_FALSE(test, list_empty(&fake.pmu.pmu_ctxs));
	event = revoke_test_open_task(test, current);
	KUNIT_EXPECT_PTR_EQ(test, perf_event_pmu_ctx(event), epc);
	KUNIT_EXPECT_EQ(test, atomic_read(&epc->refcount), 1);
	KUNIT_EXPECT_EQ(test, revoke_test_state(event), ACTIVE);
	fake_pmu_close(test, event);
	KUNIT_EXPECT_EQ(test, atomic_read(&epc->refcount), 0);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_gone(test);
}

static bool revoke_test_has_pmu_ctxs(void)
{
	guard(raw_spinlock_irq)(&fake.pmu.users_lock);
	return !list_empty(&fake.pmu.pmu_ctxs);
}

/* A PMU context without events is freed with the task's context. */
static void revoke_test_resting_exits(struct kunit *test)
{
	struct revoke_test_mortal *mortal = revoke_test_start_mortal(test);
	struct perf_event *event = revoke_test_open_task(test, mortal->task);
	bool has;

	fake_pmu_close(test, event);
	KUNIT_EXPECT_TRUE(test, revoke_test_has_pmu_ctxs());
	complete_all(&mortal->go);
	read_poll_timeout(revoke_test_has_pmu_ctxs, has, !has, 1000,
			  10 * USEC_PER_SEC, false);
	KUNIT_EXPECT_FALSE(test, has);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_gone(test);
}

static void revoke_test_offline(struct kunit *test)
{
	int cpu = cpumask_next(revoke_test_cpu(), cpu_online_mask);
	struct fake_pmu_spec spec = { .cpu = cpu };
	struct perf_event *event;

	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "one CPU only");
	event = fake_pmu_open(test, &fake, &spec);
	fake_take_offline(test, cpu);
	perf_pmu_unregister(&fake.pmu);
	fake_bring_online(test, cpu);
	revoke_test_expect_revoked(test, event);
	revoke_test_expect_gone(test);
}

/* REVOKED is followed by no state but DEAD. */
static void revoke_test_final(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = revoke_test_cpu(), .period = 1000 };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);

	perf_pmu_unregister(&fake.pmu);
	perf_event_enable(event);
	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 500), -ENODEV);
	KUNIT_EXPECT_EQ(test, perf_event_refresh(event, 1), 0);
	perf_event_pause(event, true);
	revoke_test_expect_revoked(test, event);
	fake_pmu_close(test, event);
}

static void revoke_test_comes_back(struct kunit *test)
{
	struct perf_event *old = revoke_test_open(test), *new;

	perf_pmu_unregister(&fake.pmu);
	KUNIT_ASSERT_EQ(test, revoke_test_register(), 0);
	new = revoke_test_open(test);
	KUNIT_EXPECT_EQ(test, revoke_test_state(new), ACTIVE);
	perf_event_enable(old);
	KUNIT_EXPECT_EQ(test, revoke_test_state(old), REVOKED);
	fake_pmu_tick(&fake, 5);
	KUNIT_EXPECT_EQ(test, revoke_test_read(new), 5);
	KUNIT_EXPECT_EQ(test, revoke_test_read(old), 0);
}

/* Copies. */

static void revoke_test_tick(struct test_task *self)
{
	/* Preemption is off because another task may share this CPU. */
	preempt_disable();
	fake_pmu_tick(&fake, 100);
	preempt_enable();
}

static struct perf_event *revoke_test_open_inherited(struct kunit *test,
						     bool by_task)
{
	const struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .inherit = true, .by_task = by_task,
	};

	return fake_pmu_open(test, &fake, &spec);
}

static bool revoke_test_has_copies(struct perf_event *eldest)
{
	guard(mutex)(&eldest->child_mutex);
	return !list_empty(&eldest->child_list);
}

/* Copies go with their eldest, which keeps what they have counted. */
static void revoke_test_copies_of(struct kunit *test, bool by_task)
{
	struct perf_event *eldest = revoke_test_open_inherited(test, by_task);
	struct test_task *child[2];
	u64 sum;

	for (int i = 0; i < 2; i++) {
		child[i] = test_task_fork(test, revoke_test_tick);
		test_task_act(child[i]);
	}
	KUNIT_EXPECT_TRUE(test, revoke_test_has_copies(eldest));
	sum = revoke_test_read(eldest);
	KUNIT_EXPECT_GE(test, sum, 200);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, eldest);
	revoke_test_expect_gone(test);
	KUNIT_EXPECT_FALSE(test, revoke_test_has_copies(eldest));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&eldest->refcount), 1);
	test_task_act(child[0]);
	KUNIT_EXPECT_EQ(test, revoke_test_read(eldest), sum);
}

static void revoke_test_copies(struct kunit *test)
{
	revoke_test_copies_of(test, true);
}

static void revoke_test_copies_of_family(struct kunit *test)
{
	revoke_test_copies_of(test, false);
}

/* What others learn. */

struct revoke_test_poller {
	struct wait_queue_entry	wait;
	unsigned int		woken;
};

static int revoke_test_poller_wake(struct wait_queue_entry *wait,
				   unsigned int mode, int flags, void *key)
{
	container_of(wait, struct revoke_test_poller, wait)->woken++;
	return 0;
}

/* Does what mmap(2) does, without a mapping. */
static void revoke_test_give_buffer(struct kunit *test,
				    struct perf_event *event)
{
	struct perf_buffer *rb = perf_rb_alloc(1, 0, -1, PERF_RB_WRITABLE);

	KUNIT_ASSERT_NOT_NULL(test, rb);
	refcount_set(&rb->mmap_count, 1);
	spin_lock_irq(&rb->event_lock);
	list_add(&event->rb_entry, &rb->event_list);
	spin_unlock_irq(&rb->event_lock);
	rcu_assign_pointer(*perf_rb_slot(event), rb);
}

/* Readers of the buffer are woken, to see that nothing more will come. */
static void revoke_test_pollers(struct kunit *test)
{
	struct perf_event *event = revoke_test_open(test);
	struct revoke_test_poller poller = { };

	revoke_test_give_buffer(test, event);
	init_waitqueue_func_entry(&poller.wait, revoke_test_poller_wake);
	add_wait_queue(&event->waitq, &poller.wait);
	perf_pmu_unregister(&fake.pmu);
	remove_wait_queue(&event->waitq, &poller.wait);
	revoke_test_expect_revoked(test, event);
	KUNIT_EXPECT_GT(test, poller.woken, 0);
	KUNIT_EXPECT_EQ(test, event->pending_kill, 0);
}

/* Waits like a fork that fails: until it is a context's only user. */
struct revoke_test_watch {
	struct wait_bit_queue_entry	wait;
	struct perf_ctx			*ctx;
	unsigned int			woken;
	/* Number of references at the last look. */
	unsigned int			users;
};

static int revoke_test_watch_wake(struct wait_queue_entry *wait,
				  unsigned int mode, int flags, void *arg)
{
	struct revoke_test_watch *watch =
		container_of(wait, struct revoke_test_watch, wait.wq_entry);
	struct wait_bit_key *key = arg;

	if (key->flags == watch->wait.key.flags) {
		watch->woken++;
		watch->users = refcount_read(&watch->ctx->refcount);
	}
	return 0;
}

/* Whenever a reference on @ctx goes, the one who waits is woken, and not before. */
static void revoke_test_expect_wakes(struct kunit *test,
				     struct perf_ctx *ctx)
{
	struct revoke_test_watch watch = { .ctx = ctx };
	wait_queue_head_t *queue = __var_waitqueue(&ctx->refcount);

	perf_ctx_get(ctx);
	init_wait_var_entry(&watch.wait, &ctx->refcount, 0);
	watch.wait.wq_entry.func = revoke_test_watch_wake;
	add_wait_queue(queue, &watch.wait.wq_entry);
	perf_pmu_unregister(&fake.pmu);
	remove_wait_queue(queue, &watch.wait.wq_entry);
	revoke_test_expect_gone(test);
	KUNIT_EXPECT_GT(test, watch.woken, 0);
	KUNIT_EXPECT_EQ(test, watch.users, refcount_read(&ctx->refcount));
	perf_ctx_put(ctx);
}

static void revoke_test_fork_learns_of_copy(struct kunit *test)
{
	struct perf_event *eldest = revoke_test_open_inherited(test, true),
			  *copy;

	test_task_fork(test, NULL);
	scoped_guard(mutex, &eldest->child_mutex)
		copy = list_first_entry_or_null(&eldest->child_list,
						struct perf_event, child_list);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	revoke_test_expect_wakes(test, perf_event_ctx(copy));
}

static void revoke_test_fork_learns_of_pmu_ctx(struct kunit *test)
{
	struct revoke_test_mortal *mortal = revoke_test_start_mortal(test);
	struct perf_event *event = revoke_test_open_task(test, mortal->task);

	fake_pmu_close(test, event);
	KUNIT_ASSERT_NOT_NULL(test, perf_task_ctx(mortal->task));
	revoke_test_expect_wakes(test, perf_task_ctx(mortal->task));
}

/* Groups. */

static void revoke_test_group(struct kunit *test)
{
	struct perf_event *leader = revoke_test_open(test);
	struct fake_pmu_spec spec = { .leader = leader };
	struct perf_event *sibling = fake_pmu_open(test, &fake, &spec);

	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, leader);
	revoke_test_expect_revoked(test, sibling);
	KUNIT_EXPECT_EQ(test, leader->nr_siblings, 0);
	revoke_test_expect_gone(test);
}

static void revoke_test_group_exited(struct kunit *test)
{
	struct revoke_test_mortal *mortal = revoke_test_start_mortal(test);
	struct perf_event *leader = revoke_test_open_task(test, mortal->task);
	struct fake_pmu_spec spec = { .leader = leader };
	struct perf_event *sibling = fake_pmu_open(test, &fake, &spec);
	int state;

	complete_all(&mortal->go);
	read_poll_timeout(revoke_test_state, state, state == EXIT, 1000,
			  10 * USEC_PER_SEC, false, sibling);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, leader);
	revoke_test_expect_revoked(test, sibling);
}

static void revoke_test_release(void *event)
{
	perf_event_release_kernel(event);
}

/* A software event in a group of the fake PMU, as the system call makes it. */
static struct perf_event *revoke_test_open_guest(struct kunit *test,
						 struct perf_event *leader)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
		.size	= sizeof(attr),
		.inherit = leader->attr.inherit,
	};
	const struct perf_event_spec spec = {
		.attr		= &attr,
		.cpu		= leader->cpu,
		.task		= leader->hw.target,
		.group_leader	= leader,
		.cgroup_fd	= -1,
	};
	struct perf_event *event = perf_event_alloc(&spec);
	struct perf_ctx *ctx;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->owner = PERF_OWNER_KERNEL;
	ctx = perf_event_ctx_lock(leader);
	perf_epc_get_ref(perf_event_pmu_ctx(leader));
	event->pmu_ctx = leader->pmu_ctx;
	perf_control_install(ctx, event);
	perf_event_ctx_unlock(leader, ctx);
	fake_pmu_undo(test, revoke_test_release, event);
	return event;
}

static unsigned int
revoke_test_events_of(const struct perf_pmu_ctx *epc)
{
	struct perf_event *event;
	unsigned int nr = 0;

	guard(mutex)(&epc->ctx->mutex);
	list_for_each_entry(event, &epc->ctx->event_list, event_entry)
		nr += perf_event_pmu_ctx(event) == epc;
	return nr;
}

static void revoke_test_expect_freed(struct kunit *test,
				     struct perf_event *guest, int state)
{
	KUNIT_EXPECT_EQ(test, revoke_test_state(guest), state);
	KUNIT_EXPECT_PTR_EQ(test, guest->group_leader, guest);
	KUNIT_ASSERT_NOT_NULL(test, perf_event_pmu_ctx(guest));
	KUNIT_EXPECT_PTR_EQ(test, perf_event_pmu_ctx(guest)->pmu, guest->pmu);
	KUNIT_EXPECT_TRUE(test, guest->group_caps & PERF_EV_CAP_SOFTWARE);
	KUNIT_EXPECT_EQ(test, perf_event_pmu_ctx(guest)->nr_events,
			revoke_test_events_of(perf_event_pmu_ctx(guest)));
}

/* Is the event's PMU context the one that a CPU names as its task's? */
static bool
revoke_test_is_tasks_pmu_ctx(const struct perf_event *event, int cpu)
{
	return per_cpu_ptr(event->pmu->cpu_pmu_context, cpu)->task_epc ==
	       perf_event_pmu_ctx(event);
}

static void revoke_test_guest(struct kunit *test)
{
	struct perf_event *leader = revoke_test_open(test);
	struct perf_event *guest = revoke_test_open_guest(test, leader);
	struct perf_event *off = revoke_test_open_guest(test, leader);

	KUNIT_ASSERT_PTR_EQ(test, perf_event_pmu_ctx(guest)->pmu, &fake.pmu);
	perf_event_disable(off);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_revoked(test, leader);
	revoke_test_expect_freed(test, guest, ACTIVE);
	revoke_test_expect_freed(test, off, OFF);
	KUNIT_EXPECT_FALSE(test,
			   revoke_test_is_tasks_pmu_ctx(guest,
							revoke_test_cpu()));
	revoke_test_expect_gone(test);
	perf_event_enable(off);
	KUNIT_EXPECT_EQ(test, revoke_test_state(off), ACTIVE);
}

/* The leader has been closed before: no event of the fake PMU leads there. */
static void revoke_test_guest_alone(struct kunit *test)
{
	struct perf_event *leader = revoke_test_open_task(test, current);
	struct perf_event *guest = revoke_test_open_guest(test, leader);
	u64 enabled, running, before;

	fake_pmu_close(test, leader);
	KUNIT_ASSERT_PTR_EQ(test, perf_event_pmu_ctx(guest)->pmu, &fake.pmu);
	perf_event_read_value(guest, &before, &running);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_freed(test, guest, ACTIVE);
	scoped_guard(preempt) {
		int cpu = smp_processor_id();

		KUNIT_EXPECT_TRUE(test,
				  revoke_test_is_tasks_pmu_ctx(guest, cpu));
	}
	revoke_test_expect_gone(test);
	perf_event_read_value(guest, &enabled, &running);
	KUNIT_EXPECT_GT(test, enabled, before);
}

static struct perf_event *revoke_test_open_software(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
		.size	= sizeof(attr),
	};

	return fake_open_counter(test, &attr, -1, current);
}

/*
 * Guests come to events that are there already; all are scheduled from then
 * on.
 */
static void revoke_test_guests_join(struct kunit *test)
{
	struct perf_event *events[6], *leader;

	for (int i = 0; i < 3; i++)
		events[i] = revoke_test_open_software(test);
	leader = revoke_test_open_task(test, current);
	for (int i = 3; i < 6; i++)
		events[i] = revoke_test_open_guest(test, leader);
	perf_pmu_unregister(&fake.pmu);
	revoke_test_expect_gone(test);
	for (int i = 0; i < 6; i++)
		revoke_test_expect_freed(test, events[i], ACTIVE);
	fake_pmu_switch_out();
	for (int i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ_MSG(test, revoke_test_state(events[i]), ACTIVE,
				    "event %d", i);
}

/* Half made. */

static int revoke_test_unregister_thread(void *unregistered)
{
	perf_pmu_unregister(&fake.pmu);
	complete(unregistered);
	return 0;
}

static struct perf_event *revoke_test_alloc(struct kunit *test,
					    struct perf_event *parent)
{
	struct perf_event_attr attr = {
		.type	= fake.pmu.type,
		.size	= sizeof(attr),
	};
	const struct perf_event_spec spec = {
		.attr		= &attr,
		.cpu		= revoke_test_cpu(),
		.parent		= parent,
		.cgroup_fd	= -1,
	};

	return perf_event_alloc(&spec);
}

/* As an opener that found the PMU before it was hidden. */
static struct perf_event *revoke_test_alloc_late(void)
{
	struct perf_event_attr attr = {
		.type	= fake.pmu.type,
		.size	= sizeof(attr),
	};
	struct perf_event_spec spec = {
		.attr		= &attr,
		.cpu		= revoke_test_cpu(),
		.cgroup_fd	= -1,
	};

	return perf_event_alloc_trial(&spec, &fake.pmu);
}

static bool revoke_test_is_leaving(void)
{
	return READ_ONCE(fake.pmu.leaving);
}

/* Starts a thread that unregisters, and waits until new events are refused. */
static void revoke_test_begin_unregister(struct kunit *test,
					 struct completion *done)
{
	bool leaving;

	init_completion(done);
	KUNIT_ASSERT_FALSE(test,
			   IS_ERR(kthread_run(revoke_test_unregister_thread,
					      done, "perf_kunit")));
	read_poll_timeout(revoke_test_is_leaving, leaving, leaving, 1000,
			  10 * USEC_PER_SEC, false);
	KUNIT_ASSERT_TRUE(test, leaving);
}

static void revoke_test_half_made(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = revoke_test_cpu() };
	struct perf_event *event = revoke_test_alloc(test, NULL),
			  *old = revoke_test_open(test);
	struct completion done;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	revoke_test_begin_unregister(test, &done);
	/* New events are refused, copies of old ones too. */
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_pmu_try_open(&fake, &spec)), -ENOENT);
	KUNIT_EXPECT_EQ(test, PTR_ERR(revoke_test_alloc(test, old)), -ENODEV);
	KUNIT_EXPECT_FALSE(test, wait_for_completion_timeout(&done, HZ / 10));
	KUNIT_EXPECT_EQ(test, PTR_ERR(revoke_test_alloc_late()), -ENODEV);
	KUNIT_EXPECT_PTR_EQ(test, event->pmu, &fake.pmu);
	perf_event_put(event);
	wait_for_completion(&done);
	revoke_test_expect_revoked(test, old);
	revoke_test_expect_gone(test);
}

/* The holder of the last reference frees it, even if that is not its maker. */
static void revoke_test_half_made_found(struct kunit *test)
{
	struct perf_event *event = revoke_test_alloc(test, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_ASSERT_TRUE(test, perf_event_tryget(event));
	perf_event_put(event);
	KUNIT_EXPECT_PTR_EQ(test, event->pmu, &fake.pmu);
	KUNIT_EXPECT_NE(test, test_pmu_nr_events(&fake.pmu), 0);
	perf_event_put(event);
	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu), 0);
}

static void revoke_test_half_made_copy(struct kunit *test)
{
	struct perf_event *eldest = revoke_test_open(test), *copy;

	copy = revoke_test_alloc(test, eldest);
	KUNIT_ASSERT_FALSE(test, IS_ERR(copy));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&eldest->refcount), 2);
	perf_event_put(copy);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&eldest->refcount), 1);
}

/* It is still installed, and is then revoked like the others. */
static void revoke_test_half_made_installed(struct kunit *test)
{
	struct perf_event *event = revoke_test_alloc(test, NULL);
	struct perf_ctx *ctx = perf_ctx_get_cpu(revoke_test_cpu());
	struct completion done;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->owner = PERF_OWNER_KERNEL;
	revoke_test_begin_unregister(test, &done);
	KUNIT_EXPECT_FALSE(test, wait_for_completion_timeout(&done, HZ / 10));
	scoped_guard(mutex, &ctx->mutex) {
		event->pmu_ctx = &perf_epc_get(&fake.pmu, ctx, false)->pub;
		perf_control_install(ctx, event);
		KUNIT_EXPECT_EQ(test, revoke_test_state(event), ACTIVE);
	}
	wait_for_completion(&done);
	revoke_test_expect_revoked(test, event);
	revoke_test_expect_gone(test);
	perf_event_release_kernel(event);
	perf_ctx_put(ctx);
}

/* A PMU context that is held for an event that does not exist yet. */
static void revoke_test_pmu_ctx_held(struct kunit *test)
{
	struct perf_event *event = revoke_test_open_task(test, current);
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(event);
	struct completion done;
	bool early;

	perf_epc_get_ref(epc);
	revoke_test_begin_unregister(test, &done);
	early = wait_for_completion_timeout(&done, HZ / 10);
	KUNIT_EXPECT_FALSE(test, early);
	perf_epc_put(epc);
	if (!early)
		wait_for_completion(&done);
	revoke_test_expect_revoked(test, event);
	revoke_test_expect_gone(test);
}

/* Everything at once. */

struct revoke_test_racer {
	struct task_struct	*task;
	u32			seed;
	unsigned int		opened;
	unsigned int		refused;
	int			wrong;
};

static void revoke_test_race_use(struct perf_event *event,
				 struct rnd_state *rnd)
{
	for (int i = prandom_u32_state(rnd) % 4; i; i--) {
		perf_event_disable(event);
		revoke_test_read(event);
		perf_event_enable(event);
	}
}

static void revoke_test_race_once(struct revoke_test_racer *racer,
				  struct rnd_state *rnd)
{
	struct fake_pmu_spec spec = {
		.pinned	= prandom_u32_state(rnd) & 1,
		.cpu	= revoke_test_cpu(),
	};
	struct perf_event *event;

	if (prandom_u32_state(rnd) & 1) {
		spec.task = current;
		spec.cpu = -1;
	}
	event = fake_pmu_try_open(&fake, &spec);
	if (!IS_ERR(event)) {
		racer->opened++;
		revoke_test_race_use(event, rnd);
		perf_event_release_kernel(event);
		return;
	}
	racer->refused++;
	if (PTR_ERR(event) != -ENOENT && PTR_ERR(event) != -ENODEV &&
	    PTR_ERR(event) != -EINVAL)
		racer->wrong = PTR_ERR(event);
	fsleep(20);
}

static int revoke_test_race(void *arg)
{
	struct revoke_test_racer *racer = arg;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, racer->seed);
	while (!kthread_should_stop())
		revoke_test_race_once(racer, &rnd);
	return 0;
}

static void revoke_test_everybody(struct kunit *test)
{
	struct revoke_test_racer racers[NR_RACERS] = { };
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	for (int i = 0; i < NR_RACERS; i++) {
		racers[i].seed = prandom_u32_state(&rnd);
		racers[i].task =
			kthread_run(revoke_test_race, &racers[i], "perf_kunit");
		KUNIT_ASSERT_FALSE(test, IS_ERR(racers[i].task));
	}
	for (int i = 0; i < NR_RACES; i++) {
		fsleep(prandom_u32_state(&rnd) % 2000);
		perf_pmu_unregister(&fake.pmu);
		revoke_test_expect_gone(test);
		KUNIT_EXPECT_EQ(test, revoke_test_register(), 0);
	}
	for (int i = 0; i < NR_RACERS; i++) {
		kthread_stop(racers[i].task);
		KUNIT_EXPECT_GT(test, racers[i].opened, 0);
		KUNIT_EXPECT_EQ(test, racers[i].wrong, 0);
	}
}

static struct kunit_case revoke_test_cases[] = {
	KUNIT_CASE(revoke_test_active),
	KUNIT_CASE(revoke_test_off),
	KUNIT_CASE(revoke_test_inactive),
	KUNIT_CASE(revoke_test_error),
	KUNIT_CASE(revoke_test_exited),
	KUNIT_CASE(revoke_test_dead),
	KUNIT_CASE(revoke_test_running_task),
	KUNIT_CASE(revoke_test_resting),
	KUNIT_CASE(revoke_test_resting_exits),
	KUNIT_CASE(revoke_test_offline),
	KUNIT_CASE(revoke_test_final),
	KUNIT_CASE(revoke_test_comes_back),
	KUNIT_CASE(revoke_test_copies),
	KUNIT_CASE(revoke_test_copies_of_family),
	KUNIT_CASE(revoke_test_pollers),
	KUNIT_CASE(revoke_test_fork_learns_of_copy),
	KUNIT_CASE(revoke_test_fork_learns_of_pmu_ctx),
	KUNIT_CASE(revoke_test_group),
	KUNIT_CASE(revoke_test_group_exited),
	KUNIT_CASE(revoke_test_guest),
	KUNIT_CASE(revoke_test_guest_alone),
	KUNIT_CASE(revoke_test_guests_join),
	KUNIT_CASE(revoke_test_half_made),
	KUNIT_CASE(revoke_test_half_made_found),
	KUNIT_CASE(revoke_test_half_made_copy),
	KUNIT_CASE(revoke_test_half_made_installed),
	KUNIT_CASE(revoke_test_pmu_ctx_held),
	KUNIT_CASE(revoke_test_everybody),
	{ }
};

static struct kunit_suite revoke_test_suite = {
	.name		= "perf_revoke",
	.suite_init	= revoke_test_suite_init,
	.suite_exit	= revoke_test_suite_exit,
	.init		= revoke_test_init,
	.test_cases	= revoke_test_cases,
};

kunit_test_suite(revoke_test_suite);
