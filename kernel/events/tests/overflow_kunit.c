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
#include <linux/sched/signal.h>
#include <linux/task_work.h>
#include <linux/trace_events.h>

#include "../context.h"
#include "../overflow.h"
#include "fake_pmu.h"

#define CLOSE_US	1000000
#define GRACE_PERIODS	5
#define FOREVER_MS	3600000

static struct fake_pmu fake;

/*
 * An event that another CPU closes. The reference count of its namespace shows
 * when the event is freed.
 */
struct of_world {
	struct perf_event	*event;
	struct pid_namespace	ns;
	struct completion	done;
	struct completion	begin;
	bool			closed;
};

static int of_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_overflow");
}

static void of_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static bool of_is_freed(struct of_world *world)
{
	return refcount_read(&world->ns.ns.count) == 1;
}

static int of_close(void *arg)
{
	struct of_world *world = arg;

	wait_for_completion(&world->begin);
	perf_event_release_kernel(world->event);
	smp_store_release(&world->closed, true); /* pairs with of_close_busy() */
	complete(&world->done);
	return 0;
}

static void of_open(struct kunit *test, struct of_world *world)
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
static bool of_start_closer(struct of_world *world)
{
	unsigned int cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	struct task_struct *closer;

	closer = kthread_create_on_cpu(of_close, world, cpu, "perf_kunit/%u");
	if (IS_ERR(closer)) {
		complete(&world->begin);
		of_close(world);
		return false;
	}
	wake_up_process(closer);
	return true;
}

/* Return: whether the event was closed; then its work is pending. */
static bool of_close_busy(struct of_world *world)
{
	guard(preempt)(); /* no grace period ends here */
	complete(&world->begin);
	for (int us = 0; us < CLOSE_US; us++) {
		/* Pairs with of_close(). */
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
static void of_pending_late(struct kunit *test)
{
	struct of_world *world;
	bool closed;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	of_open(test, world);
	perf_overflow_pretend_late = true;
	migrate_disable();
	closed = of_start_closer(world) && of_close_busy(world);
	migrate_enable();
	wait_for_completion(&world->done);
	KUNIT_ASSERT_TRUE(test, closed);
	for (int i = 0; i < GRACE_PERIODS; i++)
		rcu_barrier();
	KUNIT_EXPECT_FALSE(test, of_is_freed(world));
	if (!of_is_freed(world))
		atomic_andnot(IRQ_WORK_BUSY,
			      &world->event->pending_irq.node.a_flags);
	for (int i = 0; i < GRACE_PERIODS; i++)
		rcu_barrier();
	KUNIT_EXPECT_TRUE(test, of_is_freed(world));
	perf_overflow_pretend_late = false;
}

/* Overflows of an event of current. */

static unsigned int of_handled;

static void of_handle(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	of_handled++;
}

static void of_release(void *event)
{
	perf_event_release_kernel(event);
}

static struct perf_event *of_open_own(struct kunit *test, bool sigtrap)
{
	struct perf_event_attr attr = {
		.type		= fake.pmu.type,
		.size		= sizeof(attr),
		.sample_period	= 1000,
		.sigtrap	= sigtrap,
	};
	struct perf_event *event;

	fake_pmu_reset(&fake, 1, FOREVER_MS);
	event = perf_event_create_kernel_counter(&attr, -1, current, of_handle,
						 NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	fake_pmu_undo(test, of_release, event);
	of_handled = 0;
	return event;
}

/* However low the limit of the rate is. */
static int of_overflow(struct perf_event *event, u64 addr, struct pt_regs *regs)
{
	struct perf_sample_data data;

	perf_sample_data_init(&data, addr, 0);
	guard(irqsave)();
	return perf_overflow_emit_nmi(event, &data, regs, false);
}

/* The limit of PERF_EVENT_IOC_REFRESH. */
static void of_limit(struct kunit *test)
{
	struct perf_event *event = of_open_own(test, false);
	struct pt_regs regs = { };

	KUNIT_EXPECT_EQ(test, of_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, of_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, of_handled, 2);
	atomic_set(&event->event_limit, 2);
	KUNIT_EXPECT_EQ(test, of_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, of_overflow(event, 0, &regs), 1);
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, of_handled, 4);
}

static int of_state(const struct perf_event *event)
{
	return READ_ONCE(event->state);
}

/* The work that disables an event goes to the CPU where the event is. */
static void of_disabled_elsewhere(struct kunit *test)
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
	read_poll_timeout(of_state, state, state == PERF_EVENT_STATE_OFF, 1000,
			  CLOSE_US * 10, false, event);
	KUNIT_EXPECT_EQ(test, state, PERF_EVENT_STATE_OFF);
}

/* Deferred work. */

static void of_run_all(struct perf_event *event)
{
	guard(irqsave)();
	event->pending_irq.func(&event->pending_irq);
	event->pending_disable_irq.func(&event->pending_disable_irq);
	perf_event_get_ref(event);
	event->pending_task.func(&event->pending_task);
}

/* Work gives back the level that it has taken, and no other. */
static void of_work_levels(struct kunit *test)
{
	struct perf_event *event = of_open_own(test, false);

	of_run_all(event);
	for (int i = 0; i < PERF_NR_CONTEXTS; i++)
		KUNIT_EXPECT_EQ(test, current->perf_recursion[i], 0);
	current->perf_recursion[0] = 1;
	of_run_all(event);
	KUNIT_EXPECT_EQ(test, current->perf_recursion[0], 1);
	current->perf_recursion[0] = 0;
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
}

struct of_canceller {
	struct perf_event	*event;
	struct completion	done;
};

static int of_cancel(void *arg)
{
	struct of_canceller *canceller = arg;

	perf_overflow_cancel(canceller->event);
	complete(&canceller->done);
	return 0;
}

static void of_expect_cancel_waits(struct kunit *test, struct irq_work *work,
				   struct of_canceller *canceller)
{
	int cpu;

	init_completion(&canceller->done);
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	atomic_or(IRQ_WORK_BUSY, &work->node.a_flags);
	wake_up_process(kthread_create_on_cpu(of_cancel, canceller, cpu,
					      "perf_kunit/%u"));
	msleep(20);
	KUNIT_EXPECT_FALSE(test, completion_done(&canceller->done));
	atomic_andnot(IRQ_WORK_BUSY, &work->node.a_flags);
	wait_for_completion(&canceller->done);
	migrate_enable();
}

/* An event is not torn down while work of it is being done. */
static void of_cancel_waits(struct kunit *test)
{
	struct of_canceller canceller = { .event = of_open_own(test, false) };

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	of_expect_cancel_waits(test, &canceller.event->pending_irq, &canceller);
	of_expect_cancel_waits(test, &canceller.event->pending_disable_irq,
			       &canceller);
}

/* Signals. */

static bool of_signalled(struct perf_event *event, unsigned int pending_work)
{
	bool signalled;

	event->pending_work = pending_work;
	perf_event_get_ref(event);
	event->pending_task.func(&event->pending_task);
	signalled = sigismember(&current->pending.signal, SIGTRAP);
	flush_signals(current);
	return signalled;
}

/* Current gets a signal if one is wanted, and only while the event counts it. */
static void of_signal(struct kunit *test)
{
	struct perf_event *event = of_open_own(test, true);
	bool wanted, unwanted, exited, gone;

	allow_signal(SIGTRAP);
	scoped_guard(irqsave) {
		wanted = of_signalled(event, 1);
		unwanted = of_signalled(event, 0);
		WRITE_ONCE(event->state, PERF_EVENT_STATE_EXIT);
		exited = of_signalled(event, 1);
		WRITE_ONCE(event->state, PERF_EVENT_STATE_ACTIVE);
		WRITE_ONCE(event->ctx->task, TASK_TOMBSTONE);
		gone = of_signalled(event, 1);
		WRITE_ONCE(event->ctx->task, current);
	}
	disallow_signal(SIGTRAP);
	KUNIT_EXPECT_TRUE(test, wanted);
	KUNIT_EXPECT_FALSE(test, unwanted);
	KUNIT_EXPECT_FALSE(test, exited);
	KUNIT_EXPECT_FALSE(test, gone);
	KUNIT_EXPECT_EQ(test, event->pending_work, 0);
}

#define OF_ADDR	0x5e7ec7ed

/* Return: the address that the signal for an overflow would show. */
static u64 of_signal_addr(struct kunit *test, struct perf_event *event,
			  u64 addr, struct pt_regs *regs)
{
	event->pending_addr = 1;
	of_overflow(event, addr, regs);
	KUNIT_EXPECT_EQ(test, event->pending_work, 1);
	if (task_work_cancel(current, &event->pending_task))
		perf_event_put(event);
	else
		KUNIT_FAIL(test, "no work");
	event->pending_work = 0;
	return event->pending_addr;
}

static void of_make_user(struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	regs->cs = __USER_CS;
#elif defined(CONFIG_PPC64)
	regs->msr = MSR_PR;
#endif
}

/* An event of user space does not show addresses of the kernel. */
static void of_signal_shows(struct kunit *test)
{
	struct perf_event *event = of_open_own(test, true);
	struct pt_regs kernel = { }, user = { };

	of_make_user(&user);
	KUNIT_EXPECT_EQ(test, of_signal_addr(test, event, OF_ADDR, &kernel),
			OF_ADDR);
	KUNIT_EXPECT_EQ(test, of_signal_addr(test, event, 0, &kernel), 0);
	event->attr.exclude_kernel = 1;
	KUNIT_EXPECT_EQ(test, of_signal_addr(test, event, OF_ADDR, &kernel), 0);
	if (user_mode(&user))
		KUNIT_EXPECT_EQ(test, of_signal_addr(test, event, OF_ADDR, &user),
				OF_ADDR);
	KUNIT_EXPECT_EQ(test, of_signal_addr(test, event, OF_ADDR, NULL), OF_ADDR);
}

#ifdef CONFIG_GUEST_PERF_EVENTS
static unsigned int of_guest;

static unsigned int of_guest_state(void)
{
	return of_guest;
}

static unsigned long of_guest_ip(void)
{
	return 0;
}

static struct perf_guest_info_callbacks of_guest_cbs = {
	.state	= of_guest_state,
	.get_ip	= of_guest_ip,
};

static void of_guest_leaves(void *unused)
{
	perf_unregister_guest_info_callbacks(&of_guest_cbs);
}

/* While a guest runs, its mode decides. */
static void of_signal_of_guest(struct kunit *test)
{
	struct perf_event *event = of_open_own(test, true);
	struct pt_regs regs = { };

	event->attr.exclude_kernel = 1;
	of_guest = 0;
	perf_register_guest_info_callbacks(&of_guest_cbs);
	fake_pmu_undo(test, of_guest_leaves, NULL);
	KUNIT_EXPECT_EQ(test, of_signal_addr(test, event, OF_ADDR, &regs), 0);
	of_guest = PERF_GUEST_ACTIVE;
	KUNIT_EXPECT_EQ(test, of_signal_addr(test, event, OF_ADDR, &regs), 0);
	of_guest = PERF_GUEST_ACTIVE | PERF_GUEST_USER;
	KUNIT_EXPECT_EQ(test, of_signal_addr(test, event, OF_ADDR, &regs),
			OF_ADDR);
}
#endif

/* Programs. */

#ifdef CONFIG_BPF_SYSCALL
static unsigned int of_prog_result;

static unsigned int of_prog_run(const void *ctx, const struct bpf_insn *insn)
{
	return of_prog_result;
}

static struct bpf_prog *of_prog_make(struct kunit *test,
				     enum bpf_prog_type type)
{
	struct bpf_prog *prog = bpf_prog_alloc(bpf_prog_size(1), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, prog);
	prog->type = type;
	prog->bpf_func = of_prog_run;
	/* One is the test's, so nobody else frees what was never loaded. */
	atomic64_set(&prog->aux->refcnt, 2);
	return prog;
}

/* An overflow that the program drops has no effect. */
static void of_program(struct kunit *test)
{
	struct bpf_prog *prog = of_prog_make(test, BPF_PROG_TYPE_PERF_EVENT);
	struct perf_event *event = of_open_own(test, false);
	struct pt_regs regs = { };

	KUNIT_EXPECT_EQ(test, perf_event_set_bpf_prog(event, prog, 7), 0);
	KUNIT_EXPECT_EQ(test, event->bpf_cookie, 7);
	atomic_set(&event->event_limit, 2);
	of_prog_result = 0;
	KUNIT_EXPECT_EQ(test, of_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, of_handled, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&event->event_limit), 2);
	of_prog_result = 1;
	KUNIT_EXPECT_EQ(test, of_overflow(event, 0, &regs), 0);
	KUNIT_EXPECT_EQ(test, of_handled, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&event->event_limit), 1);

	perf_event_free_bpf_prog(event);
	KUNIT_EXPECT_EQ(test, atomic64_read(&prog->aux->refcnt), 1);
	__bpf_prog_free(prog);
}

static void of_adopt(struct kunit *test, struct bpf_prog *prog,
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
static void of_copy_adopts(struct kunit *test)
{
	struct perf_event *pair = kunit_kcalloc(test, 2, sizeof(*pair),
						GFP_KERNEL);
	struct bpf_prog *prog = of_prog_make(test, BPF_PROG_TYPE_PERF_EVENT);

	KUNIT_ASSERT_NOT_NULL(test, pair);
	mutex_init(&pair[0].child_mutex);
	pair[0].bpf_cookie = 7;
	pair[1].parent = &pair[0];
	of_adopt(test, NULL, &pair[1]);
	KUNIT_EXPECT_NULL(test, pair[1].prog);
	of_adopt(test, prog, &pair[1]);
	KUNIT_EXPECT_PTR_EQ(test, pair[1].prog, prog);
	KUNIT_EXPECT_EQ(test, pair[1].bpf_cookie, 7);
	KUNIT_EXPECT_EQ(test, atomic64_read(&prog->aux->refcnt), 3);
	prog->type = BPF_PROG_TYPE_TRACEPOINT;
	of_adopt(test, prog, &pair[1]);
	KUNIT_EXPECT_NULL(test, pair[1].prog);
	KUNIT_EXPECT_EQ(test, atomic64_read(&prog->aux->refcnt), 3);
	__bpf_prog_free(prog);
}
#endif

static struct kunit_case of_cases[] = {
	KUNIT_CASE(of_limit),
	KUNIT_CASE(of_disabled_elsewhere),
	KUNIT_CASE(of_work_levels),
	KUNIT_CASE(of_cancel_waits),
	KUNIT_CASE(of_signal),
	KUNIT_CASE(of_signal_shows),
#ifdef CONFIG_GUEST_PERF_EVENTS
	KUNIT_CASE(of_signal_of_guest),
#endif
#ifdef CONFIG_BPF_SYSCALL
	KUNIT_CASE(of_program),
	KUNIT_CASE(of_copy_adopts),
#endif
	KUNIT_CASE(of_pending_late),
	{ }
};

static struct kunit_suite of_suite = {
	.name		= "perf_overflow",
	.suite_init	= of_suite_init,
	.suite_exit	= of_suite_exit,
	.test_cases	= of_cases,
};

kunit_test_suite(of_suite);
