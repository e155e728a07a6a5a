// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room overflow: what an overflow causes, and when its deferred
 * work is done. The test itself reports the overflows, marks work as pending
 * and late, and calls it.
 */
#include <kunit/test.h>
#include <linux/bpf.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/iopoll.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/rcuwait.h>
#include <linux/sched/signal.h>
#include <linux/task_work.h>
#include <linux/trace_events.h>

#include "../context.h"
#include "../overflow.h"
#include "../throttle.h"
#include "fake_pmu.h"

#define CLOSE_US	1000000
#define GRACE_PERIODS	5
#define FOREVER_MS	3600000

static struct fake_pmu fake;

/*
 * An event that another CPU closes. The reference count of its namespace shows
 * when the event is freed.
 */
struct overflow_test_world {
	struct perf_event	*event;
	struct pid_namespace	ns;
	struct completion	done;
	struct completion	begin;
	bool			closed;
};

static int overflow_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_overflow");
}

static void overflow_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static bool overflow_test_is_freed(struct overflow_test_world *world)
{
	return refcount_read(&world->ns.ns.count) == 1;
}

static int overflow_test_close(void *arg)
{
	struct overflow_test_world *world = arg;

	wait_for_completion(&world->begin);
	perf_event_release_kernel(world->event);
	/* Pairs with overflow_test_close_busy(). */
	smp_store_release(&world->closed, true);
	complete(&world->done);
	return 0;
}

static void overflow_test_open(struct kunit *test,
			       struct overflow_test_world *world)
{
	struct fake_pmu_spec spec = { .cpu = cpumask_first(cpu_online_mask) };

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	world->event = fake_pmu_try_open(&fake, &spec);
	KUNIT_ASSERT_FALSE(test, IS_ERR(world->event));
	refcount_set(&world->ns.ns.count, 2);
	put_pid_ns(world->event->ns);
	world->event->ns = &world->ns;
	init_completion(&world->begin);
	init_completion(&world->done);
}

/* Starts a thread on another CPU than this one. */
static bool overflow_test_start_closer(struct overflow_test_world *world)
{
	unsigned int cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	struct task_struct *closer;

	closer = kthread_create_on_cpu(overflow_test_close, world, cpu,
				       "perf_kunit/%u");
	if (IS_ERR(closer)) {
		complete(&world->begin);
		overflow_test_close(world);
		return false;
	}
	wake_up_process(closer);
	return true;
}

/* Return: whether the event was closed; then its work is pending. */
static bool overflow_test_close_busy(struct overflow_test_world *world)
{
	guard(preempt)(); /* no grace period ends here */
	complete(&world->begin);
	for (int us = 0; us < CLOSE_US; us++) {
		/* Pairs with overflow_test_close(). */
		if (smp_load_acquire(&world->closed)) {
			atomic_or(IRQ_WORK_BUSY,
				  &world->event->pending_irq.node.a_flags);
			return true;
		}
		udelay(1);
	}
	return false;
}

/* A closed event is not freed before its pending work has run. */
static void overflow_test_pending_late(struct kunit *test)
{
	struct overflow_test_world *world;
	bool closed;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	overflow_test_open(test, world);
	static_branch_enable(&perf_overflow_is_late);
	migrate_disable();
	closed = overflow_test_start_closer(world) &&
		 overflow_test_close_busy(world);
	migrate_enable();
	wait_for_completion(&world->done);
	KUNIT_ASSERT_TRUE(test, closed);
	for (int i = 0; i < GRACE_PERIODS; i++)
		rcu_barrier();
	KUNIT_EXPECT_FALSE(test, overflow_test_is_freed(world));
	if (!overflow_test_is_freed(world))
		atomic_andnot(IRQ_WORK_BUSY,
			      &world->event->pending_irq.node.a_flags);
	for (int i = 0; i < GRACE_PERIODS; i++)
		rcu_barrier();
	KUNIT_EXPECT_TRUE(test, overflow_test_is_freed(world));
	static_branch_disable(&perf_overflow_is_late);
}

/* Overflows of an event of current. */

static unsigned int overflow_test_handled;

static void overflow_test_handle(struct perf_event *event,
				 struct perf_sample_data *data,
				 struct pt_regs *regs)
{
	overflow_test_handled++;
}

static void overflow_test_release(void *event)
{
	perf_event_release_kernel(event);
}

static struct perf_event *overflow_test_open_own(struct kunit *test,
						 bool sigtrap)
{
	struct perf_event_attr attr = {
		.type		= fake.pmu.type,
		.size		= sizeof(attr),
		.sample_period	= 1000,
		.sigtrap	= sigtrap,
	};
	struct perf_event *event;

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	event = perf_event_create_kernel_counter(&attr, -1, current,
						 overflow_test_handle, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	fake_pmu_undo(test, overflow_test_release, event);
	overflow_test_handled = 0;
	return event;
}

/* However low the limit of the rate is. */
static int overflow_test_overflow(struct perf_event *event, u64 addr,
				  struct pt_regs *regs)
{
	struct perf_sample_data data;

	perf_sample_data_init(&data, addr, 0);
	guard(irqsave)();
	return perf_overflow_emit_nmi(event, &data, regs, false);
}

/* The limit of PERF_EVENT_IOC_REFRESH. */
static void overflow_test_limit(struct kunit *test)
{
	struct perf_event *event = overflow_test_open_own(test, false);
	struct pt_regs regs = { };

	KUNIT_EXPECT_EQ(test, overflow_test_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, overflow_test_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, overflow_test_handled, 2);
	atomic_set(&event->event_limit, 2);
	KUNIT_EXPECT_EQ(test, overflow_test_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, overflow_test_overflow(event, 0, &regs), 1);
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, overflow_test_handled, 4);
}

static void (*overflow_test_fake_del)(struct perf_event *event, int flags);
static unsigned int overflow_test_request;

/* Up to here an NMI may overflow the event. */
static void overflow_test_del(struct perf_event *event, int flags)
{
	overflow_test_request = READ_ONCE(event->pending_disable);
	overflow_test_fake_del(event, flags);
}

static void overflow_test_restore_del(void *unused)
{
	fake.pmu.del = overflow_test_fake_del;
}

/*
 * A request whose work found the event parked is repeated by an overflow. It
 * stays until the event is off the PMU.
 */
static void overflow_test_late_request(struct kunit *test)
{
	struct perf_event *event = overflow_test_open_own(test, false);
	struct pt_regs regs = { };

	overflow_test_fake_del = fake.pmu.del;
	fake.pmu.del = overflow_test_del;
	fake_pmu_undo(test, overflow_test_restore_del, NULL);
	overflow_test_request = 0;
	WRITE_ONCE(event->pending_disable, 1);
	KUNIT_EXPECT_EQ(test, overflow_test_overflow(event, 0, &regs), 1);
	KUNIT_EXPECT_EQ(test, overflow_test_handled, 0);
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, overflow_test_request, 1);
}

static int overflow_test_state(const struct perf_event *event)
{
	return READ_ONCE(event->state);
}

/* The work that disables an event goes to the CPU where the event is. */
static void overflow_test_disabled_elsewhere(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpumask_first(cpu_online_mask) };
	struct perf_event *event;
	int state;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	fake_pmu_reset(&fake, 1, FOREVER_MS);
	event = fake_pmu_open(test, &fake, &spec);
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_last(cpu_online_mask)));
	WRITE_ONCE(event->pending_disable, 1);
	irq_work_queue(&event->pending_disable_irq);
	read_poll_timeout(overflow_test_state, state,
			  state == PERF_EVENT_STATE_OFF, 1000, CLOSE_US * 10,
			  false, event);
	KUNIT_EXPECT_EQ(test, state, PERF_EVENT_STATE_OFF);
}

/* No work is sent to a CPU that has gone offline with its events marked active. */
static void overflow_test_disabled_offline(struct kunit *test)
{
	struct perf_event *event = overflow_test_open_own(test, false);
	struct irq_work *work = &event->pending_disable_irq;
	int cpu = cpumask_last(cpu_online_mask);

	if (!cpu)
		kunit_skip(test, "one CPU");
	fake_take_offline(test, cpu);
	scoped_guard(irqsave) {
		int here = event->oncpu;

		WRITE_ONCE(event->oncpu, cpu);
		work->func(work);
		KUNIT_EXPECT_FALSE(test, irq_work_is_pending(work));
		WRITE_ONCE(event->oncpu, here);
	}
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
}

/* An event that is scheduled out first is disabled by that. */
static void overflow_test_scheduled_out_first(struct kunit *test)
{
	struct fake_pmu_spec spec = { .task = current, .cpu = -1 };
	struct perf_event *event;

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	event = fake_pmu_open(test, &fake, &spec);
	WRITE_ONCE(event->pending_disable, 1);
	fake_pmu_switch_out();
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->state), PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->pending_disable), 0);
}

/* The work that stops the group of a throttled event follows it as well. */
static void overflow_test_stopped_elsewhere(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpumask_first(cpu_online_mask) };
	struct perf_event *leader, *sibling;
	u64 interrupts;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	fake_pmu_reset(&fake, 2, FOREVER_MS);
	leader = fake_pmu_open(test, &fake, &spec);
	spec.leader = leader;
	sibling = fake_pmu_open(test, &fake, &spec);
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_last(cpu_online_mask)));
	leader->throttle_reported = true;
	WRITE_ONCE(leader->hw.interrupts, MAX_INTERRUPTS);
	irq_work_queue(&leader->pending_disable_irq);
	read_poll_timeout(READ_ONCE, interrupts, interrupts == MAX_INTERRUPTS,
			  1000, CLOSE_US * 10, false, sibling->hw.interrupts);
	KUNIT_EXPECT_EQ(test, interrupts, MAX_INTERRUPTS);
	KUNIT_EXPECT_EQ(test, READ_ONCE(leader->state), PERF_EVENT_STATE_ACTIVE);
}

/* If many events of a group are throttled, the group is walked over once. */
static void overflow_test_stopped_once(struct kunit *test)
{
	struct fake_pmu_spec spec = { .task = current, .cpu = -1 };
	struct perf_event *leader, *sibling;
	bool first, again;

	fake_pmu_reset(&fake, 2, FOREVER_MS);
	leader = fake_pmu_open(test, &fake, &spec);
	spec.leader = leader;
	sibling = fake_pmu_open(test, &fake, &spec);
	scoped_guard(irqsave) {
		leader->throttle_reported = true;
		WRITE_ONCE(leader->hw.interrupts, MAX_INTERRUPTS);
		perf_throttle_stop_group(leader);
		first = perf_event_is_throttled(sibling);
		sibling->stopped = false;
		WRITE_ONCE(sibling->hw.interrupts, 0);
		perf_throttle_stop_group(leader);
		again = perf_event_is_throttled(sibling);
		sibling->stopped = true;
		WRITE_ONCE(sibling->hw.interrupts, MAX_INTERRUPTS);
	}
	KUNIT_EXPECT_TRUE(test, first);
	KUNIT_EXPECT_FALSE(test, again);
}

/* Deferred work. */

static void overflow_test_run_all(struct perf_event *event)
{
	guard(irqsave)();
	event->pending_irq.func(&event->pending_irq);
	event->pending_disable_irq.func(&event->pending_disable_irq);
	perf_event_get_ref(event);
	event->pending_task.func(&event->pending_task);
}

/* Work gives back the level that it has taken, and no other. */
static void overflow_test_work_levels(struct kunit *test)
{
	struct perf_event *event = overflow_test_open_own(test, false);

	overflow_test_run_all(event);
	for (int i = 0; i < PERF_NR_CONTEXTS; i++)
		KUNIT_EXPECT_EQ(test, current->perf_recursion[i], 0);
	current->perf_recursion[0] = 1;
	overflow_test_run_all(event);
	KUNIT_EXPECT_EQ(test, current->perf_recursion[0], 1);
	current->perf_recursion[0] = 0;
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
}

struct overflow_test_canceller {
	struct perf_event	*event;
	struct completion	done;
};

static int overflow_test_cancel(void *arg)
{
	struct overflow_test_canceller *canceller = arg;

	perf_overflow_cancel(canceller->event);
	complete(&canceller->done);
	return 0;
}

static void
overflow_test_expect_cancel_waits(struct kunit *test, struct irq_work *work,
				  struct overflow_test_canceller *canceller)
{
	int cpu;

	init_completion(&canceller->done);
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	atomic_or(IRQ_WORK_BUSY, &work->node.a_flags);
	wake_up_process(kthread_create_on_cpu(overflow_test_cancel, canceller,
					      cpu, "perf_kunit/%u"));
	msleep(20);
	KUNIT_EXPECT_FALSE(test, completion_done(&canceller->done));
	atomic_andnot(IRQ_WORK_BUSY, &work->node.a_flags);
	/* With PREEMPT_RT the canceller sleeps. */
	rcuwait_wake_up(&work->irqwait);
	wait_for_completion(&canceller->done);
	migrate_enable();
}

/* An event is not torn down while work of it is being done. */
static void overflow_test_cancel_waits(struct kunit *test)
{
	struct overflow_test_canceller canceller = {
		.event = overflow_test_open_own(test, false),
	};

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	overflow_test_expect_cancel_waits(test, &canceller.event->pending_irq,
					  &canceller);
	overflow_test_expect_cancel_waits(test,
					  &canceller.event->pending_disable_irq,
					  &canceller);
}

/* Signals. */

static bool overflow_test_signalled(struct perf_event *event,
				    unsigned int pending_work)
{
	event->pending_work = pending_work;
	perf_event_get_ref(event);
	event->pending_task.func(&event->pending_task);
	return sigismember(&current->pending.signal, SIGTRAP);
}

/*
 * Current gets a signal if one is wanted, and only while the event counts it.
 * The context names a wrong task, so no switch must come; a signal takes a
 * lock that sleeps with PREEMPT_RT, but none is sent then.
 */
static void overflow_test_signal(struct kunit *test)
{
	struct perf_event *event = overflow_test_open_own(test, true);
	long refs = atomic_long_read(&event->refcount);
	bool wanted, unwanted, exited, gone;

	allow_signal(SIGTRAP);
	wanted = overflow_test_signalled(event, 1);
	flush_signals(current);
	unwanted = overflow_test_signalled(event, 0);
	flush_signals(current);
	scoped_guard(irqsave) {
		WRITE_ONCE(event->state, PERF_EVENT_STATE_EXIT);
		exited = overflow_test_signalled(event, 1);
		WRITE_ONCE(event->state, PERF_EVENT_STATE_ACTIVE);
		WRITE_ONCE(event->ctx->task, TASK_TOMBSTONE);
		gone = overflow_test_signalled(event, 1);
		WRITE_ONCE(event->ctx->task, current);
	}
	flush_signals(current);
	disallow_signal(SIGTRAP);
	KUNIT_EXPECT_TRUE(test, wanted);
	KUNIT_EXPECT_FALSE(test, unwanted);
	KUNIT_EXPECT_FALSE(test, exited);
	KUNIT_EXPECT_FALSE(test, gone);
	KUNIT_EXPECT_EQ(test, event->pending_work, 0);
	/* The work has put the reference that it was given. */
	KUNIT_EXPECT_EQ(test, atomic_long_read(&event->refcount), refs);
}

#define OVERFLOW_TEST_ADDR	0x5e7ec7ed

/* Return: the address that the signal for an overflow would show. */
static u64 overflow_test_signal_addr(struct kunit *test,
				     struct perf_event *event, u64 addr,
				     struct pt_regs *regs)
{
	event->pending_addr = 1;
	overflow_test_overflow(event, addr, regs);
	KUNIT_EXPECT_EQ(test, event->pending_work, 1);
	if (task_work_cancel(current, &event->pending_task))
		perf_event_put(event);
	else
		KUNIT_FAIL(test, "no work");
	event->pending_work = 0;
	return event->pending_addr;
}

static void overflow_test_make_user(struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	regs->cs = __USER_CS;
#elif defined(CONFIG_PPC64)
	regs->msr = MSR_PR;
#endif
}

/* An event of user space does not show addresses of the kernel. */
static void overflow_test_signal_shows(struct kunit *test)
{
	struct perf_event *event = overflow_test_open_own(test, true);
	struct pt_regs kernel = { }, user = { };

	overflow_test_make_user(&user);
	KUNIT_EXPECT_EQ(test,
			overflow_test_signal_addr(test, event,
						  OVERFLOW_TEST_ADDR, &kernel),
			OVERFLOW_TEST_ADDR);
	KUNIT_EXPECT_EQ(test,
			overflow_test_signal_addr(test, event, 0, &kernel), 0);
	event->attr.exclude_kernel = 1;
	KUNIT_EXPECT_EQ(test,
			overflow_test_signal_addr(test, event,
						  OVERFLOW_TEST_ADDR, &kernel),
			0);
	if (user_mode(&user))
		KUNIT_EXPECT_EQ(test,
				overflow_test_signal_addr(test, event,
							  OVERFLOW_TEST_ADDR,
							  &user),
				OVERFLOW_TEST_ADDR);
	KUNIT_EXPECT_EQ(test,
			overflow_test_signal_addr(test, event,
						  OVERFLOW_TEST_ADDR, NULL),
			OVERFLOW_TEST_ADDR);
}

#ifdef CONFIG_GUEST_PERF_EVENTS
static unsigned int overflow_test_guest;

static unsigned int overflow_test_guest_state(void)
{
	return overflow_test_guest;
}

static unsigned long overflow_test_guest_ip(void)
{
	return 0;
}

static struct perf_guest_info_callbacks overflow_test_guest_cbs = {
	.state	= overflow_test_guest_state,
	.get_ip	= overflow_test_guest_ip,
};

static void overflow_test_guest_leaves(void *unused)
{
	perf_unregister_guest_info_callbacks(&overflow_test_guest_cbs);
}

/* While a guest runs, its mode decides. */
static void overflow_test_signal_of_guest(struct kunit *test)
{
	struct perf_event *event = overflow_test_open_own(test, true);
	struct pt_regs regs = { };

	event->attr.exclude_kernel = 1;
	overflow_test_guest = 0;
	perf_register_guest_info_callbacks(&overflow_test_guest_cbs);
	fake_pmu_undo(test, overflow_test_guest_leaves, NULL);
	KUNIT_EXPECT_EQ(test,
			overflow_test_signal_addr(test, event,
						  OVERFLOW_TEST_ADDR, &regs),
			0);
	overflow_test_guest = PERF_GUEST_ACTIVE;
	KUNIT_EXPECT_EQ(test,
			overflow_test_signal_addr(test, event,
						  OVERFLOW_TEST_ADDR, &regs),
			0);
	overflow_test_guest = PERF_GUEST_ACTIVE | PERF_GUEST_USER;
	KUNIT_EXPECT_EQ(test,
			overflow_test_signal_addr(test, event,
						  OVERFLOW_TEST_ADDR, &regs),
			OVERFLOW_TEST_ADDR);
}
#endif

/* Programs. */

#ifdef CONFIG_BPF_SYSCALL
static unsigned int overflow_test_prog_result;

static unsigned int overflow_test_prog_run(const void *ctx,
					   const struct bpf_insn *insn)
{
	return overflow_test_prog_result;
}

static struct bpf_prog *overflow_test_prog_make(struct kunit *test,
						enum bpf_prog_type type)
{
	struct bpf_prog *prog = bpf_prog_alloc(bpf_prog_size(1), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, prog);
	prog->type = type;
	prog->bpf_func = overflow_test_prog_run;
	/* One is the test's, so nobody else frees what was never loaded. */
	atomic64_set(&prog->aux->refcnt, 2);
	return prog;
}

/* An overflow that the program drops has no effect. */
static void overflow_test_program(struct kunit *test)
{
	struct bpf_prog *prog =
		overflow_test_prog_make(test, BPF_PROG_TYPE_PERF_EVENT);
	struct perf_event *event = overflow_test_open_own(test, false);
	struct pt_regs regs = { };

	KUNIT_EXPECT_EQ(test, perf_event_set_bpf_prog(event, prog, 7), 0);
	KUNIT_EXPECT_EQ(test, event->bpf_cookie, 7);
	atomic_set(&event->event_limit, 2);
	overflow_test_prog_result = 0;
	KUNIT_EXPECT_EQ(test, overflow_test_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, overflow_test_handled, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&event->event_limit), 2);
	overflow_test_prog_result = 1;
	KUNIT_EXPECT_EQ(test, overflow_test_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, overflow_test_handled, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&event->event_limit), 1);

	perf_event_free_bpf_prog(event);
	KUNIT_EXPECT_EQ(test, atomic64_read(&prog->aux->refcnt), 1);
	__bpf_prog_free(prog);
}

static void overflow_test_adopt(struct kunit *test, struct bpf_prog *prog,
				struct perf_event *copy)
{
	struct perf_event *eldest = copy->parent;

	copy->prog = NULL;
	copy->bpf_cookie = 0;
	eldest->prog = prog;
	guard(mutex)(&eldest->child_mutex);
	perf_overflow_adopt_bpf(copy);
}

/* A copy has its eldest's program, unless a trace event has it for all. */
static void overflow_test_copy_adopts(struct kunit *test)
{
	struct perf_event *pair = kunit_kcalloc(test, 2, sizeof(*pair),
						GFP_KERNEL);
	struct bpf_prog *prog =
		overflow_test_prog_make(test, BPF_PROG_TYPE_PERF_EVENT);

	KUNIT_ASSERT_NOT_NULL(test, pair);
	mutex_init(&pair[0].child_mutex);
	pair[0].bpf_cookie = 7;
	pair[1].parent = &pair[0];
	overflow_test_adopt(test, NULL, &pair[1]);
	KUNIT_EXPECT_NULL(test, pair[1].prog);
	overflow_test_adopt(test, prog, &pair[1]);
	KUNIT_EXPECT_PTR_EQ(test, pair[1].prog, prog);
	KUNIT_EXPECT_EQ(test, pair[1].bpf_cookie, 7);
	KUNIT_EXPECT_EQ(test, atomic64_read(&prog->aux->refcnt), 3);
	prog->type = BPF_PROG_TYPE_TRACEPOINT;
	overflow_test_adopt(test, prog, &pair[1]);
	KUNIT_EXPECT_NULL(test, pair[1].prog);
	KUNIT_EXPECT_EQ(test, atomic64_read(&prog->aux->refcnt), 3);
	__bpf_prog_free(prog);
}
#endif

static struct kunit_case overflow_test_cases[] = {
	KUNIT_CASE(overflow_test_limit),
	KUNIT_CASE(overflow_test_late_request),
	KUNIT_CASE(overflow_test_disabled_elsewhere),
	KUNIT_CASE(overflow_test_disabled_offline),
	KUNIT_CASE(overflow_test_scheduled_out_first),
	KUNIT_CASE(overflow_test_stopped_elsewhere),
	KUNIT_CASE(overflow_test_stopped_once),
	KUNIT_CASE(overflow_test_work_levels),
	KUNIT_CASE(overflow_test_cancel_waits),
	KUNIT_CASE(overflow_test_signal),
	KUNIT_CASE(overflow_test_signal_shows),
#ifdef CONFIG_GUEST_PERF_EVENTS
	KUNIT_CASE(overflow_test_signal_of_guest),
#endif
#ifdef CONFIG_BPF_SYSCALL
	KUNIT_CASE(overflow_test_program),
	KUNIT_CASE(overflow_test_copy_adopts),
#endif
	KUNIT_CASE(overflow_test_pending_late),
	{ }
};

static struct kunit_suite overflow_test_suite = {
	.name		= "perf_overflow",
	.suite_init	= overflow_test_suite_init,
	.suite_exit	= overflow_test_suite_exit,
	.test_cases	= overflow_test_cases,
};

kunit_test_suite(overflow_test_suite);
