// SPDX-License-Identifier: GPL-2.0
/*
 * Room "tracing": tracepoint, kprobe and uprobe PMUs; their filters and BPF.
 *
 * Owns the delivery of trace records to events, and the rules for which program
 * may be attached to which probe. The trace subsystem owns the rest: probes,
 * the per-CPU lists of active events of a probe (event->hlist_entry), record
 * buffers, filters (event->filter), program arrays and permissions by event.
 *
 * Contexts: records are delivered with preemption off, in any context that can
 * be traced, NMI included, under the recursion guard that the trace subsystem
 * took when it began the record and that is released here.
 *
 * Lifetime rules: a list is walked under RCU; its events are freed a grace
 * period after they left it, and so are their filters. Only the event that was
 * opened has a filter and a program; inherited events use its filter, and the
 * program belongs to the probe that they share.
 *
 * Locking rules: ctx->mutex serialises the attachment of programs. Filters are
 * set under the trace subsystem's event_mutex, without ctx->mutex.
 *
 * Records with a target task (sched_wakeup and the like are about a task that
 * is not current) also go to the events of that task. They are enabled, and
 * usually active nowhere: parked. In a family by CPU the event may be active on
 * this CPU for another member. ctx->lock keeps its state.
 * A sample shows the task that runs here. It is taken if the user who opened the
 * event may observe all tasks of the CPU; else the event only counts. A buffer is
 * written by one CPU only, so events that are not bound to this CPU are skipped.
 */

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/sysfs.h>
#include <linux/trace_events.h>

#include "attr.h"
#include "context.h"
#include "control.h"
#include "family.h"
#include "overflow.h"
#include "pmu.h"
#include "recursion.h"
#include "refuse.h"
#include "software.h"
#include "tracing.h"
#include "walk.h"

/*
 * Delivery
 */

/* A record that is being delivered to events. */
struct perf_trace_hit {
	struct trace_entry	*entry;
	u64			count;
	struct pt_regs		*regs;
	struct perf_raw_record	raw;
};

static bool perf_trace_passes(const struct perf_event *event,
			      const struct perf_trace_hit *hit)
{
	struct event_filter *filter = READ_ONCE(perf_event_eldest(event)->filter);

	/* The tick of this CPU may stop or start the event meanwhile. */
	if (READ_ONCE(event->hw.state) & PERF_HES_STOPPED)
		return false;
	/* Only uprobes are hit in user mode. */
	if (event->attr.exclude_kernel && !user_mode(hit->regs))
		return false;
	return !filter || filter_match_preds(filter, hit->entry);
}

static void perf_trace_deliver(struct hlist_head *head,
			       struct perf_trace_hit *hit)
{
	struct perf_sample_data data __uninitialized;
	struct perf_event *event;

	hlist_for_each_entry_rcu(event, head, hlist_entry) {
		if (!perf_trace_passes(event, hit))
			continue;
		/* Events differ in what they add to a sample. */
		perf_sample_data_init(&data, 0, 0);
		perf_sample_save_raw_data(&data, event, &hit->raw);
		perf_swevent_event(event, hit->count, &data, hit->regs);
	}
}

/*
 * An event of this CPU may be active for another member of the task's family. A
 * synchronous signal cannot be sent to a task that does not run.
 */
static bool perf_trace_is_target(const struct perf_event *event,
				 const struct perf_trace_hit *hit)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT &&
	       event->attr.config == hit->entry->type &&
	       event->cpu == smp_processor_id() &&
	       event->state >= PERF_EVENT_STATE_INACTIVE &&
	       event->group_leader->state >= PERF_EVENT_STATE_INACTIVE &&
	       !event->attr.sigtrap;
}

/*
 * The limit of PERF_EVENT_IOC_REFRESH is reached. Other events are disabled by
 * an irq_work or when they are scheduled out; this one may be out already. If its
 * context is loaded on another CPU, the request waits until the event overflows
 * while it is active, or is scheduled out, or is enabled again.
 */
static void perf_trace_disable_parked_locked(struct perf_event *event)
{
	struct perf_ctx *ctx = perf_event_ctx(event);

	lockdep_assert_held(&ctx->lock);
	if (ctx->loaded_cpu != PERF_CPU_NONE)
		return;
	perf_control_disable_locked(event);
}

static void perf_trace_hit_parked_locked(struct perf_event *event,
					 struct perf_trace_hit *hit)
{
	const struct perf_event *eldest = perf_event_eldest(event);
	struct perf_sample_data data __uninitialized;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (!(eldest->attach_state & PERF_ATTACH_SHOWS_ALL)) {
		perf_swevent_parked_locked(event, hit->count, NULL, hit->regs);
		return;
	}
	perf_sample_data_init(&data, 0, 0);
	perf_sample_save_raw_data(&data, event, &hit->raw);
	perf_swevent_parked_locked(event, hit->count, &data, hit->regs);
	if (unlikely(event->pending_disable))
		perf_trace_disable_parked_locked(event);
}

static void perf_trace_deliver_parked_locked(struct perf_ctx *ctx,
					     struct perf_trace_hit *hit)
{
	struct perf_event *event;

	lockdep_assert_held(&ctx->lock);

	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (perf_trace_is_target(event, hit) &&
		    perf_trace_passes(event, hit))
			perf_trace_hit_parked_locked(event, hit);
	}
}

/* Out of line: most records are about the current task or none. */
static noinline void perf_trace_deliver_task(struct task_struct *task,
					     struct perf_trace_hit *hit)
{
	struct perf_ctx *ctx;
	unsigned long flags;

	rcu_read_lock();
	ctx = perf_task_ctx(task);
	if (ctx)
		ctx = perf_family_other_rcu(ctx);
	if (ctx) {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		perf_trace_deliver_parked_locked(ctx, hit);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	}
	rcu_read_unlock();
}

/**
 * perf_tp_event() - deliver a trace record to the events of its probe
 * @event_type: the number of the trace event
 * @count: weight of the record
 * @record: struct trace_entry and payload; its common part is filled in here
 * @entry_size: bytes of @record
 * @regs: registers of the code that was traced
 * @head: the active events of the probe on this CPU
 * @rctx: the recursion level that was entered; released here
 * @task: a task that the record is about, or %NULL
 *
 * Context: any, NMI included unless @task is given, preemption off. With @task,
 * the lock of its perf context must not be held; in a family by CPU that is the
 * context of this CPU.
 */
void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size,
		   struct pt_regs *regs, struct hlist_head *head, int rctx,
		   struct task_struct *task)
{
	struct perf_trace_hit hit = {
		.entry		= record,
		.count		= count,
		.regs		= regs,
		.raw.frag	= {
			.size	= entry_size,
			.data	= record,
		},
	};

	lockdep_assert_preemption_disabled();

	perf_trace_buf_update(record, event_type);
	perf_walk_begin();
	perf_trace_deliver(head, &hit);
	if (task && task != current)
		perf_trace_deliver_task(task, &hit);

	perf_recursion_put(current->perf_recursion, rctx);
	/* Only after the walk: deferred work may be traced. */
	perf_walk_end();
}
EXPORT_SYMBOL_GPL(perf_tp_event);

/**
 * perf_trace_run_bpf_submit() - run programs on a trace record, then deliver it
 * @raw_data: the record
 * @size: bytes of @raw_data
 * @rctx: the recursion level that was entered; released here
 * @call: the trace event
 * @count: weight of the record
 * @regs: registers of the code that was traced
 * @head: the active events of the probe on this CPU
 * @task: a task that the record is about, or %NULL
 *
 * Programs find the pointer @regs in place of the record's common part. The
 * events see the record only if every program lets it pass.
 *
 * Context: as perf_tp_event().
 */
void perf_trace_run_bpf_submit(void *raw_data, int size, int rctx,
			       struct trace_event_call *call, u64 count,
			       struct pt_regs *regs, struct hlist_head *head,
			       struct task_struct *task)
{
	bool wanted = true;

	if (bpf_prog_array_valid(call)) {
		*(struct pt_regs **)raw_data = regs;
		wanted = trace_call_bpf(call, raw_data) && !hlist_empty(head);
	}

	if (wanted)
		perf_tp_event(call->event.type, count, raw_data, size, regs,
			      head, rctx, task);
	else
		perf_swevent_put_recursion_context(rctx);
}
EXPORT_SYMBOL_GPL(perf_trace_run_bpf_submit);

/*
 * Filters
 */

/**
 * perf_tracing_is_event() - check whether a tracepoint or probe feeds an event
 * @event: the event; may be half built
 *
 * Context: any.
 * Return: true for events of the PMUs of this room.
 */
bool perf_tracing_is_event(const struct perf_event *event)
{
	struct pmu *pmu;

	guard(rcu)();
	pmu = READ_ONCE(event->pmu);
	return pmu && pmu->add == perf_trace_add;
}

/**
 * perf_tracing_is_by_task() - check whether an event's probe is placed by task
 * @event: the event
 *
 * A uprobe is a breakpoint in the memory of the tasks that an event counts.
 *
 * Context: any.
 * Return: true for events of uprobes.
 */
bool perf_tracing_is_by_task(const struct perf_event *event)
{
	return perf_tracing_is_event(event) &&
	       event->tp_event->flags & TRACE_EVENT_FL_UPROBE;
}

/**
 * perf_tracing_set_filter() - set the condition on which records are delivered
 * @event: event of a tracepoint or a probe
 * @text: the condition
 *
 * Context: task, may sleep, without ctx->mutex.
 * Return: 0; -EINVAL when the condition is wrong or the event can have no
 * filter; -EEXIST when there is one; -ENOMEM.
 */
int perf_tracing_set_filter(struct perf_event *event, char *text)
{
	return ftrace_profile_set_filter(event, event->attr.config, text);
}

/**
 * perf_tracing_free_filter() - free the event's filter, if any
 * @event: an event that no CPU sees any more (a grace period has passed)
 *
 * Context: any but NMI.
 */
void perf_tracing_free_filter(struct perf_event *event)
{
	ftrace_profile_free_filter(event);
}

/*
 * Programs
 */

/*
 * Does the program have the type for this probe, and are its accesses allowed?
 */
static int perf_trace_prog_fits(struct trace_event_call *call,
				const struct bpf_prog *prog)
{
	bool kprobe = call->flags & TRACE_EVENT_FL_KPROBE;
	bool uprobe = call->flags & TRACE_EVENT_FL_UPROBE;
	bool static_tp = call->flags & TRACE_EVENT_FL_TRACEPOINT ||
			 is_syscall_trace_event(call);

	if (kprobe || uprobe) {
		if (prog->type != BPF_PROG_TYPE_KPROBE)
			return -EINVAL;
		if (prog->sleepable && !uprobe)
			return -EINVAL;
	} else if (!static_tp || prog->type != BPF_PROG_TYPE_TRACEPOINT) {
		return -EINVAL;
	}

	if (prog->kprobe_override && !kprobe)
		return -EINVAL;

	/* Nothing beyond the fields of the record may be read. */
	if (static_tp &&
	    prog->aux->max_ctx_offset > (u32)trace_event_get_offsets(call))
		return -EACCES;

	return 0;
}

/**
 * perf_tracing_set_bpf() - attach a program to an event or its probe
 * @event: any event
 * @prog: the program; its reference passes to @event on success
 * @bpf_cookie: a value for the program
 *
 * Context: task, may sleep, with the mutex of the event's context.
 * Return: 0; -EINVAL when type or abilities of @prog do not suit the event;
 * -EACCES when @prog reads beyond the record; -EEXIST when there is a program;
 * -E2BIG when the probe has too many; -ENOMEM; for events of other PMUs the
 * errors of perf_overflow_set_bpf().
 */
int perf_tracing_set_bpf(struct perf_event *event, struct bpf_prog *prog,
			 u64 bpf_cookie)
{
	int err;

	lockdep_assert_held(&perf_event_ctx(event)->mutex);

	if (!perf_tracing_is_event(event))
		return perf_overflow_set_bpf(event, prog, bpf_cookie);

	err = perf_trace_prog_fits(event->tp_event, prog);
	if (err)
		return err;
	return perf_event_attach_bpf_prog(event, prog, bpf_cookie);
}

/**
 * perf_event_set_bpf_prog() - attach a program to an event or its probe
 * @event: any event; the caller holds a reference
 * @prog: the program; its reference passes to @event on success
 * @bpf_cookie: a value for the program
 *
 * Context: task, may sleep; takes the mutex of the event's context.
 * Return: as perf_tracing_set_bpf(); -ENODEV when the event's PMU has gone.
 */
int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog,
			    u64 bpf_cookie)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);
	int err = -ENODEV;

	if (!perf_event_is_revoked(event))
		err = perf_tracing_set_bpf(event, prog, bpf_cookie);
	perf_event_ctx_unlock(event, ctx);
	return err;
}

/**
 * perf_event_free_bpf_prog() - detach the event's program, if any
 * @event: any event; may be half built
 *
 * Context: task, may sleep.
 */
void perf_event_free_bpf_prog(struct perf_event *event)
{
	if (perf_tracing_is_event(event))
		perf_event_detach_bpf_prog(event);
	else
		perf_overflow_free_bpf(event);
}

/*
 * PMUs
 */

static int perf_trace_refuse_branches(void)
{
	return perf_refuse(-EOPNOTSUPP, PERF_FIELD(sample_type),
			   PERF_SAMPLE_BRANCH_STACK, PERF_REASON_NO_BRANCHES);
}

static int perf_trace_refuse_caller(void)
{
	return perf_refuse(-EACCES, PERF_FIELD(type), 0,
			   PERF_REASON_CAPABILITY);
}

/*
 * The trace subsystem returns only an errno. The cause is found by further
 * requests with less in the attribute; this is done only in dry runs.
 */
static int perf_trace_try(struct perf_event *event,
			  const struct perf_event_attr *attr)
{
	struct perf_event_attr asked = event->attr;
	int err;

	event->attr = *attr;
	err = perf_trace_init(event);
	if (!err)
		perf_trace_destroy(event);
	event->attr = asked;
	return err;
}

/* With @period 0 the event only counts. */
static bool perf_trace_takes_without_records(struct perf_event *event,
					     u64 period)
{
	struct perf_event_attr attr = event->attr;

	attr.sample_period = period;
	attr.sample_type &= ~PERF_SAMPLE_RAW;
	return !perf_trace_try(event, &attr);
}

static bool perf_trace_takes_kernel_side(struct perf_event *event)
{
	struct perf_event_attr attr = event->attr;

	attr.exclude_callchain_user = 1;
	attr.sample_type &= ~PERF_SAMPLE_STACK_USER;
	return !perf_trace_try(event, &attr);
}

/* Function tracing and records need privileges; some events are not sampled. */
static int perf_trace_refuse_rights(struct perf_event *event, int err)
{
	bool paranoid = perf_is_paranoid() && !perf_attr_is_perfmon();
	u32 reason = paranoid ? PERF_REASON_PARANOID : PERF_REASON_SECURITY;

	/* Without records only the tracing of all functions is refused. */
	if (paranoid && !(event->attr.sample_type & PERF_SAMPLE_RAW))
		return perf_refuse(err, PERF_FIELD(config), ~0ULL, reason);
	if (!perf_trace_takes_without_records(event, 0))
		return perf_refuse(err, PERF_FIELD(config), ~0ULL, reason);
	if (!perf_trace_takes_without_records(event, event->attr.sample_period))
		return perf_refuse(err, PERF_FIELD(sample_period), ~0ULL,
				   PERF_REASON_NO_SAMPLES);
	return perf_refuse(err, PERF_FIELD(sample_type), PERF_SAMPLE_RAW,
			   reason);
}

/* Samples of functions must not touch user memory, which may fault. */
static int perf_trace_refuse_event(struct perf_event *event, int err)
{
	/*
	 * This comes first: tracing all functions takes long, even for a
	 * moment.
	 */
	if (!perf_trace_takes_kernel_side(event)) {
		if (perf_trace_takes_without_records(event, 0))
			return err;
		return perf_refuse(err, PERF_FIELD(config), ~0ULL,
				   PERF_REASON_NO_EVENT);
	}
	if (!event->attr.exclude_callchain_user)
		return perf_refuse(err, PERF_FIELD_FLAGS,
				   PERF_ATTR_EXCLUDE_CALLCHAIN_USER,
				   PERF_REASON_REQUIRES);
	return perf_refuse(err, PERF_FIELD(sample_type), PERF_SAMPLE_STACK_USER,
			   PERF_REASON_PMU_CANNOT);
}

static int perf_trace_refuse(struct perf_event *event, int err)
{
	if (!perf_refuse_is_asked())
		return err;
	switch (err) {
	case -EPERM:
	case -EACCES:
		return perf_trace_refuse_rights(event, err);
	case -EINVAL:
		return perf_trace_refuse_event(event, err);
	default:
		return err;
	}
}

static int perf_tracepoint_event_init(struct perf_event *event)
{
	int err;

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return -ENOENT;
	if (has_branch_stack(event))
		return perf_trace_refuse_branches();

	err = perf_trace_init(event);
	if (err)
		return perf_trace_refuse(event, err);
	event->destroy = perf_trace_destroy;
	return 0;
}

static struct pmu perf_tracepoint = {
	.task_ctx_nr	= perf_sw_context,
	.event_init	= perf_tracepoint_event_init,
	.add		= perf_trace_add,
	.del		= perf_trace_del,
	.start		= perf_swevent_start,
	.stop		= perf_swevent_stop,
	.read		= perf_swevent_read,
};

#if defined(CONFIG_KPROBE_EVENTS) || defined(CONFIG_UPROBE_EVENTS)
/* The bits of attr.config, as the "format" files of the PMUs show them. */
#define PERF_PROBE_RETURN		BIT_ULL(0)
#define PERF_PROBE_REF_CTR_OFFSET	GENMASK_ULL(63, 32)

PMU_FORMAT_ATTR(retprobe, "config:0");

static void perf_probe_leave(struct perf_event *copy)
{
	struct trace_event_call *call = copy->tp_event;

	call->class->reg(call, TRACE_REG_PERF_CLOSE, copy);
}

/*
 * A copy is hit by the probe of its eldest. A probe of its own would need the
 * name, which the opener's memory may have lost, and rights that the forking
 * task may not have. The copy's reference on the eldest keeps the probe; until
 * the copy has that reference, the event that it is copied from keeps it.
 */
static int perf_probe_share(struct perf_event *copy)
{
	struct trace_event_call *call = copy->parent->tp_event;
	int err;

	copy->tp_event = call;
	err = call->class->reg(call, TRACE_REG_PERF_OPEN, copy);
	if (!err)
		copy->destroy = perf_probe_leave;
	return err;
}
#endif

#ifdef CONFIG_KPROBE_EVENTS
static struct attribute *perf_kprobe_format[] = {
	&format_attr_retprobe.attr,
	NULL,
};

static const struct attribute_group perf_kprobe_format_group = {
	.name	= "format",
	.attrs	= perf_kprobe_format,
};

static const struct attribute_group *perf_kprobe_groups[] = {
	&perf_kprobe_format_group,
	NULL,
};

static int perf_kprobe_event_init(struct perf_event *event)
{
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->parent)
		return perf_probe_share(event);
	if (!perfmon_capable())
		return perf_trace_refuse_caller();
	if (has_branch_stack(event))
		return perf_trace_refuse_branches();

	err = perf_kprobe_init(event, event->attr.config & PERF_PROBE_RETURN);
	if (!err)
		event->destroy = perf_kprobe_destroy;
	return err;
}

static struct pmu perf_kprobe = {
	.attr_groups	= perf_kprobe_groups,
	.task_ctx_nr	= perf_sw_context,
	.event_init	= perf_kprobe_event_init,
	.add		= perf_trace_add,
	.del		= perf_trace_del,
	.start		= perf_swevent_start,
	.stop		= perf_swevent_stop,
	.read		= perf_swevent_read,
};
#endif /* CONFIG_KPROBE_EVENTS */

#ifdef CONFIG_UPROBE_EVENTS
PMU_FORMAT_ATTR(ref_ctr_offset, "config:32-63");

static struct attribute *perf_uprobe_format[] = {
	&format_attr_retprobe.attr,
	&format_attr_ref_ctr_offset.attr,
	NULL,
};

static const struct attribute_group perf_uprobe_format_group = {
	.name	= "format",
	.attrs	= perf_uprobe_format,
};

static const struct attribute_group *perf_uprobe_groups[] = {
	&perf_uprobe_format_group,
	NULL,
};

/* A uprobe can be put into the middle of an instruction, in any process. */
static int perf_uprobe_event_init(struct perf_event *event)
{
	u64 config = event->attr.config;
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->parent)
		return perf_probe_share(event);
	if (!capable(CAP_SYS_ADMIN))
		return perf_trace_refuse_caller();
	if (has_branch_stack(event))
		return perf_trace_refuse_branches();

	err = perf_uprobe_init(event,
			       FIELD_GET(PERF_PROBE_REF_CTR_OFFSET, config),
			       config & PERF_PROBE_RETURN);
	if (!err)
		event->destroy = perf_uprobe_destroy;
	return err;
}

static struct pmu perf_uprobe = {
	.attr_groups	= perf_uprobe_groups,
	.task_ctx_nr	= perf_sw_context,
	.event_init	= perf_uprobe_event_init,
	.add		= perf_trace_add,
	.del		= perf_trace_del,
	.start		= perf_swevent_start,
	.stop		= perf_swevent_stop,
	.read		= perf_swevent_read,
};
#endif /* CONFIG_UPROBE_EVENTS */

/**
 * perf_tracing_init() - register the PMUs "tracepoint", "kprobe" and "uprobe"
 *
 * Context: boot, one CPU.
 */
void __init perf_tracing_init(void)
{
	perf_pmu_register(&perf_tracepoint, "tracepoint", PERF_TYPE_TRACEPOINT);
#ifdef CONFIG_KPROBE_EVENTS
	perf_pmu_register(&perf_kprobe, "kprobe", -1);
#endif
#ifdef CONFIG_UPROBE_EVENTS
	perf_pmu_register(&perf_uprobe, "uprobe", -1);
#endif
}
