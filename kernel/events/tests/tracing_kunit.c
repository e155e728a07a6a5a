// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room tracing: which events a record is delivered to, and what the
 * PMUs of tracepoints and probes refuse.
 *
 * Records are made up. Events that are fed directly are in no context; those of
 * a task that a record is about are opened on a tracepoint.
 */
#include <kunit/test.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/trace_events.h>

#include "../overflow.h"
#include "../pmu.h"
#include "../software.h"
#include "../tracing.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define TRACING_TEST_TYPE	4711
#define TRACING_TEST_SIZE	64

/* A record with a payload. */
struct tracing_test_record {
	struct trace_entry	entry;
	u8 payload[TRACING_TEST_SIZE - sizeof(struct trace_entry)];
};

static_assert(sizeof(struct tracing_test_record) == TRACING_TEST_SIZE);

/* An event as it is while active, and what it has seen. */
struct tracing_test_event {
	struct perf_event	event;
	unsigned int		samples;
	u64			period;
	u32			raw_size;
	u16			type;
};

static void tracing_test_overflow(struct perf_event *event,
				  struct perf_sample_data *data,
				  struct pt_regs *regs)
{
	struct tracing_test_event *seen =
		container_of(event, struct tracing_test_event, event);
	const struct trace_entry *entry = data->raw->frag.data;

	seen->samples++;
	seen->period = data->period;
	seen->raw_size = data->raw->frag.size;
	seen->type = entry->type;
}

static struct pmu tracing_test_pmu = {
	.task_ctx_nr	= perf_sw_context,
	.start		= perf_swevent_start,
	.stop		= perf_swevent_stop,
	.read		= perf_swevent_read,
};

static struct tracing_test_event *tracing_test_new(struct kunit *test)
{
	struct tracing_test_event *new =
		kunit_kzalloc(test, sizeof(*new), GFP_KERNEL);
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, new);
	event = &new->event;
	event->pmu = &tracing_test_pmu;
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.sample_period = 1;
	event->attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD;
	event->hw.sample_period = 1;
	event->hw.last_period = 1;
	event->overflow_handler = tracing_test_overflow;
	event->clock = local_clock;
	event->group_leader = event;
	event->pmu_ctx = fake_software_pmu_ctx();
	event->state = PERF_EVENT_STATE_ACTIVE;
	event->oncpu = -1;
	event->cpu = -1;
	perf_overflow_init(event);
	return new;
}

/* The next records are of user mode. */
static bool tracing_test_from_user;

/* Delivers a record of the kernel's to the events of @head and of @task. */
static void tracing_test_deliver(struct hlist_head *head, u16 type, u64 count,
				 struct task_struct *task)
{
	struct tracing_test_record record = { };
	struct pt_regs regs = { };
	int rctx;

	guard(preempt)();
	perf_fetch_caller_regs(&regs);
#ifdef CONFIG_X86
	if (tracing_test_from_user)
		regs.cs = __USER_CS;
#endif
	rctx = perf_swevent_get_recursion_context();
	if (rctx >= 0)
		perf_tp_event(type, count, &record, sizeof(record), &regs,
			      head, rctx, task);
}

/* Each record is counted with its weight, and is one sample. */
static void tracing_test_record_reaches_events(struct kunit *test)
{
	struct tracing_test_event *one = tracing_test_new(test),
				  *two = tracing_test_new(test);
	HLIST_HEAD(head);

	hlist_add_head(&one->event.hlist_entry, &head);
	hlist_add_head(&two->event.hlist_entry, &head);
	tracing_test_deliver(&head, TRACING_TEST_TYPE, 3, NULL);
	tracing_test_deliver(&head, TRACING_TEST_TYPE, 4, NULL);
	KUNIT_EXPECT_EQ(test, (u64)local64_read(&one->event.count), 7);
	KUNIT_EXPECT_EQ(test, (u64)local64_read(&two->event.count), 7);
	KUNIT_EXPECT_EQ(test, one->samples, 2);
	KUNIT_EXPECT_EQ(test, one->period, 4);
	KUNIT_EXPECT_GE(test, one->raw_size, TRACING_TEST_SIZE);
	KUNIT_EXPECT_EQ(test, one->type, TRACING_TEST_TYPE);
}

/* A record of the kernel's passes by events that are stopped or exclude it. */
static void tracing_test_record_passes_by(struct kunit *test)
{
	struct tracing_test_event *stopped = tracing_test_new(test),
				  *user = tracing_test_new(test);
	struct tracing_test_event *kernel = tracing_test_new(test);
	HLIST_HEAD(head);

	stopped->event.hw.state = PERF_HES_STOPPED;
	user->event.attr.exclude_kernel = 1;
	kernel->event.attr.exclude_user = 1;
	hlist_add_head(&stopped->event.hlist_entry, &head);
	hlist_add_head(&user->event.hlist_entry, &head);
	hlist_add_head(&kernel->event.hlist_entry, &head);
	tracing_test_deliver(&head, TRACING_TEST_TYPE, 1, NULL);
	KUNIT_EXPECT_EQ(test, (u64)local64_read(&stopped->event.count), 0);
	KUNIT_EXPECT_EQ(test, (u64)local64_read(&user->event.count), 0);
	KUNIT_EXPECT_EQ(test, (u64)local64_read(&kernel->event.count), 1);
	KUNIT_EXPECT_EQ(test, stopped->samples | user->samples, 0);
}

/* A record of user mode, as uprobes make them, is not one of the kernel. */
static void tracing_test_record_of_user(struct kunit *test)
{
	struct tracing_test_event *user = tracing_test_new(test);
	HLIST_HEAD(head);

	if (!IS_ENABLED(CONFIG_X86))
		kunit_skip(test, "registers of user mode are known on x86 only");
	user->event.attr.exclude_kernel = 1;
	hlist_add_head(&user->event.hlist_entry, &head);
	tracing_test_from_user = true;
	tracing_test_deliver(&head, TRACING_TEST_TYPE, 1, NULL);
	tracing_test_from_user = false;
	KUNIT_EXPECT_EQ(test, (u64)local64_read(&user->event.count), 1);
}

/* The level that a record was made at is free afterwards. */
static void tracing_test_recursion_ends(struct kunit *test)
{
	struct tracing_test_event *seen = tracing_test_new(test);
	HLIST_HEAD(head);
	int first, again;

	hlist_add_head(&seen->event.hlist_entry, &head);
	preempt_disable();
	first = perf_swevent_get_recursion_context();
	tracing_test_deliver(&head, TRACING_TEST_TYPE, 1, NULL);
	again = perf_swevent_get_recursion_context();
	if (first >= 0)
		perf_swevent_put_recursion_context(first);
	preempt_enable();
	KUNIT_EXPECT_GE(test, first, 0);
	KUNIT_EXPECT_LT(test, again, 0);
	KUNIT_EXPECT_EQ(test, seen->samples, 0);
	tracing_test_deliver(&head, TRACING_TEST_TYPE, 1, NULL);
	tracing_test_deliver(&head, TRACING_TEST_TYPE, 1, NULL);
	KUNIT_EXPECT_EQ(test, seen->samples, 2);
}

/* Events of a task that does not run. */

static u16 tracing_test_tracepoint(struct kunit *test)
{
	struct trace_event_file *file;
	u16 type;

	file = trace_get_event_file(NULL, "sched", "sched_process_hang");
	if (IS_ERR(file))
		kunit_skip(test, "the tracepoint is not configured");
	type = file->event_call->event.type;
	trace_put_event_file(file);
	return type;
}

static void tracing_test_release(void *event)
{
	perf_event_release_kernel(event);
}

static struct perf_event *tracing_test_open(struct kunit *test, u16 type,
					    struct task_struct *task, int cpu,
					    bool disabled)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= type,
		.disabled	= disabled,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, task, NULL, NULL);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "%ld", PTR_ERR(event));
	fake_pmu_undo(test, tracing_test_release, event);
	return event;
}

static u64 tracing_test_count(struct perf_event *event)
{
	return local64_read(&event->count);
}

/*
 * A record about a task is counted by events of the task on this CPU, with the
 * weight of the record, if they are for this kind of record and enabled.
 */
static void tracing_test_record_about_a_task(struct kunit *test)
{
	u16 type = tracing_test_tracepoint(test);
	struct test_task *child = test_task_fork(test, NULL);
	struct perf_event *bound, *anywhere, *off, *mine, *traps, *user;
	HLIST_HEAD(none);
	int cpu;

	test_task_wait_asleep(child);
	migrate_disable();
	cpu = raw_smp_processor_id();
	bound = tracing_test_open(test, type, child->task, cpu, false);
	anywhere = tracing_test_open(test, type, child->task, -1, false);
	off = tracing_test_open(test, type, child->task, cpu, true);
	mine = tracing_test_open(test, type, current, cpu, false);
	/* Its signal cannot be sent to a task that does not run. */
	traps = tracing_test_open(test, type, child->task, cpu, false);
	traps->attr.sigtrap = 1;
	user = tracing_test_open(test, type, child->task, cpu, false);
	user->attr.exclude_kernel = 1;
	tracing_test_deliver(&none, type, 3, child->task);
	tracing_test_deliver(&none, type + 1, 5, child->task);
	tracing_test_deliver(&none, type, 7, NULL);
	/* Events of current are in the tracepoint's list. */
	tracing_test_deliver(&none, type, 9, current);
	migrate_enable();
	traps->attr.sigtrap = 0;
	KUNIT_EXPECT_EQ(test, tracing_test_count(traps), 0);
	KUNIT_EXPECT_EQ(test, tracing_test_count(user), 0);
	KUNIT_EXPECT_EQ(test, tracing_test_count(bound), 3);
	KUNIT_EXPECT_EQ(test, tracing_test_count(anywhere), 0);
	KUNIT_EXPECT_EQ(test, tracing_test_count(off), 0);
	KUNIT_EXPECT_EQ(test, tracing_test_count(mine), 0);
}

/* A record about a task is counted by the copies that the task shares. */
static void tracing_test_record_about_a_copy(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= tracing_test_tracepoint(test),
		.inherit	= 1,
	};
	int cpu = cpumask_first(cpu_online_mask);
	u64 enabled, running;
	struct perf_event *event;
	struct test_task *child;
	HLIST_HEAD(none);

	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	event = fake_open_counter(test, &attr, cpu, current);
	child = test_task_fork(test, NULL);
	test_task_wait_asleep(child);
	tracing_test_deliver(&none, attr.config, 3, child->task);
	KUNIT_EXPECT_EQ(test, perf_event_read_value(event, &enabled, &running), 3);
	test_task_end(test, child);
	KUNIT_EXPECT_EQ(test, perf_event_read_value(event, &enabled, &running), 3);
}

/*
 * The limit of a task's event is reached while the task does not run: the event
 * is disabled at once, and counts again after the next refresh.
 */
static void tracing_test_limit_while_parked(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= tracing_test_tracepoint(test),
		.sample_period	= 1,
	};
	struct test_task *child = test_task_fork(test, NULL);
	struct perf_event *event;
	HLIST_HEAD(none);

	test_task_wait_asleep(child);
	migrate_disable();
	event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(),
						 child->task, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->attach_state |= PERF_ATTACH_SHOWS_ALL;
	perf_event_refresh(event, 2);
	for (int i = 0; i < 3; i++)
		tracing_test_deliver(&none, attr.config, 1, child->task);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, event->pending_disable, 0);
	KUNIT_EXPECT_EQ(test, tracing_test_count(event), 2);

	perf_event_refresh(event, 2);
	tracing_test_deliver(&none, attr.config, 1, child->task);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_INACTIVE);
	KUNIT_EXPECT_EQ(test, tracing_test_count(event), 3);
	/* As if the context had been loaded on another CPU at that moment. */
	event->pending_disable = 1;
	perf_event_refresh(event, 2);
	KUNIT_EXPECT_EQ(test, event->pending_disable, 0);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_INACTIVE);
	event->pending_disable = 1;
	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, event->pending_disable, 0);
	event->pending_disable = 1;
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, event->pending_disable, 0);
	migrate_enable();
	perf_event_release_kernel(event);
}

/* PMUs. */

static const char *const tracing_test_pmu_names[] = { "tracepoint", "kprobe", "uprobe" };

static void tracing_test_check_pmu(struct kunit *test, struct pmu *pmu)
{
	struct perf_event *event = &tracing_test_new(test)->event;

	event->pmu = pmu;
	KUNIT_EXPECT_TRUE(test, perf_tracing_is_event(event));
	event->attr.type = PERF_TYPE_RAW;
	KUNIT_EXPECT_EQ(test, pmu->event_init(event), -ENOENT);
	event->attr.type = pmu->type;
	event->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	KUNIT_EXPECT_EQ(test, pmu->event_init(event), -EOPNOTSUPP);
	event->attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	/* No tracepoint has this number; a probe needs a name. */
	event->attr.config = U16_MAX;
	KUNIT_EXPECT_LT(test, pmu->event_init(event), 0);
	KUNIT_EXPECT_NULL(test, event->destroy);
}

static void tracing_test_pmus_refuse(struct kunit *test)
{
	struct pmu *pmu;

	for (int i = 0; i < ARRAY_SIZE(tracing_test_pmu_names); i++) {
		pmu = fake_find_pmu(tracing_test_pmu_names[i]);
		if (pmu)
			tracing_test_check_pmu(test, pmu);
	}
}

/* Only uprobes are placed in the memory of certain tasks. */
static void tracing_test_probes_by_task(struct kunit *test)
{
	struct perf_event *event = &tracing_test_new(test)->event;
	struct trace_event_call call = { .flags = TRACE_EVENT_FL_UPROBE };

	event->tp_event = &call;
	KUNIT_EXPECT_FALSE(test, perf_tracing_is_by_task(event));
	event->pmu = fake_find_pmu("tracepoint");
	KUNIT_ASSERT_NOT_NULL(test, event->pmu);
	KUNIT_EXPECT_TRUE(test, perf_tracing_is_by_task(event));
	call.flags = TRACE_EVENT_FL_KPROBE;
	KUNIT_EXPECT_FALSE(test, perf_tracing_is_by_task(event));
}

#ifdef CONFIG_BPF_SYSCALL
/* A program that an event of @flags must not have, and why. */
struct tracing_test_misfit {
	int			flags;
	enum bpf_prog_type	type;
	bool			sleepable;
	bool			override;
	u32			max_offset;
	int			err;
};

static const struct tracing_test_misfit tracing_test_misfits[] = {
	{ .flags = TRACE_EVENT_FL_TRACEPOINT, .type = BPF_PROG_TYPE_KPROBE,
	  .err = -EINVAL },
	{ .flags = TRACE_EVENT_FL_TRACEPOINT, .type = BPF_PROG_TYPE_PERF_EVENT,
	  .err = -EINVAL },
	{ .flags = TRACE_EVENT_FL_TRACEPOINT, .type = BPF_PROG_TYPE_TRACEPOINT,
	  .override = true, .err = -EINVAL },
	{ .flags = TRACE_EVENT_FL_TRACEPOINT, .type = BPF_PROG_TYPE_TRACEPOINT,
	  .max_offset = SZ_64K, .err = -EACCES },
	{ .flags = TRACE_EVENT_FL_KPROBE, .type = BPF_PROG_TYPE_TRACEPOINT,
	  .err = -EINVAL },
	{ .flags = TRACE_EVENT_FL_KPROBE, .type = BPF_PROG_TYPE_KPROBE,
	  .sleepable = true, .err = -EINVAL },
	{ .flags = TRACE_EVENT_FL_UPROBE, .type = BPF_PROG_TYPE_TRACEPOINT,
	  .err = -EINVAL },
	{ .flags = TRACE_EVENT_FL_UPROBE, .type = BPF_PROG_TYPE_KPROBE,
	  .override = true, .err = -EINVAL },
	{ .flags = 0, .type = BPF_PROG_TYPE_TRACEPOINT, .err = -EINVAL },
};

static void tracing_test_check_misfit(struct kunit *test,
				      struct perf_event *event,
				      struct bpf_prog *prog,
				      const struct tracing_test_misfit *misfit)
{
	struct trace_event_call call = {
		.flags = misfit->flags, .class = event->tp_event->class,
	};
	struct trace_event_call *own = event->tp_event;
	struct perf_ctx *ctx = perf_event_ctx(event);

	prog->type = misfit->type;
	prog->sleepable = misfit->sleepable;
	prog->kprobe_override = misfit->override;
	prog->aux->max_ctx_offset = misfit->max_offset;
	guard(mutex)(&ctx->mutex);
	event->tp_event = &call;
	KUNIT_EXPECT_EQ(test, perf_tracing_set_bpf(event, prog, 0), misfit->err);
	event->tp_event = own;
}

static void tracing_test_programs_that_do_not_fit(struct kunit *test)
{
	struct perf_event *event = tracing_test_open(test,
						     tracing_test_tracepoint(test),
						     current, -1, true);
	struct bpf_prog *prog = bpf_prog_alloc(bpf_prog_size(1), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, prog);
	for (int i = 0; i < ARRAY_SIZE(tracing_test_misfits); i++)
		tracing_test_check_misfit(test, event, prog,
					  &tracing_test_misfits[i]);
	__bpf_prog_free(prog);
}
#else
static void tracing_test_programs_that_do_not_fit(struct kunit *test)
{
	kunit_skip(test, "no BPF");
}
#endif

static struct kunit_case tracing_test_cases[] = {
	KUNIT_CASE(tracing_test_record_reaches_events),
	KUNIT_CASE(tracing_test_record_passes_by),
	KUNIT_CASE(tracing_test_record_of_user),
	KUNIT_CASE(tracing_test_recursion_ends),
	KUNIT_CASE(tracing_test_record_about_a_task),
	KUNIT_CASE(tracing_test_record_about_a_copy),
	KUNIT_CASE(tracing_test_limit_while_parked),
	KUNIT_CASE(tracing_test_pmus_refuse),
	KUNIT_CASE(tracing_test_probes_by_task),
	KUNIT_CASE(tracing_test_programs_that_do_not_fit),
	{ }
};

static struct kunit_suite tracing_test_suite = {
	.name		= "perf_tracing",
	.test_cases	= tracing_test_cases,
};

kunit_test_suite(tracing_test_suite);
