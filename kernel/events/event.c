// SPDX-License-Identifier: GPL-2.0
/*
 * Room "event": the beginning and the end of an event.
 *
 * perf_event_alloc() makes an event from a description, perf_event_close() ends
 * an event that was opened. In between, other rooms work on it.
 *
 * Owns:     the slab caches of events, their numbers, the accounts of events
 *            that exist (active or not), the exclusive_cnt of PMUs.
 * Contexts: task context that may sleep; the RCU callback in softirq.
 *
 * Lifetime rules:
 *   - One reference belongs to the file, to the child list of the parent, or to
 *     the kernel user that made the event. Deferred work and walkers take more.
 *   - An event is freed when its last reference is put, and in no other way,
 *     even if it was never finished. A walker that finds an event takes a
 *     reference only if the count is not 0, so that it gets none on an event
 *     that is being freed.
 *   - A child owns a reference on its parent, from the moment it is allocated
 *     until it is freed.
 *   - The event owns references on its task or cgroup, context, PMU context,
 *     PMU module, pid namespace, program and buffer. The PMU context is put
 *     when the event leaves its context permanently. The resources of the PMU
 *     are also released when the PMU goes away. All others are put with the
 *     last reference to the event, except those that an RCU reader may still
 *     use: the memory, the filter and the namespace are freed after a grace
 *     period.
 *   - Once an event is DEAD or EXIT only RCU readers queue work for it, so the
 *     destructor can wait for what is pending when the last reference goes.
 *
 * Locking rules: closing takes ctx->mutex, then child_mutex. For the children it
 * waits for the mutex of one context, and takes those of some others if nobody
 * holds them. Freeing takes none of them, so the mutex of a context may be
 * held. It takes locks of drivers and the CPU hotplug lock, so mmap_lock must not
 * be held: a worker then frees the event, see perf_event_put_late().
 *
 * Race: close against the exit of a task that has an inherited copy.
 *   1. Close looks at some children under child_mutex and takes references.
 *   2. It drops child_mutex, since the mutexes of their contexts come before it.
 *   3. The task exits: it folds a child, takes it off the list, puts it.
 *      Because of step 1, the child and its context are not freed.
 *   4. Close holds the mutexes again and looks at PERF_ATTACH_CHILD. The side that
 *      clears it puts the list's reference; each side puts its own.
 *
 * Race: close against a fork that copies the context of a child.
 *   1. The fork has the mutex of that context, and waits for that of another one.
 *   2. Close has the mutex of the other one, and does not wait for the first: it
 *      leaves that child for the next round. There it may be the one child that
 *      close waits for, without any mutex.
 *
 * Race: close against fork.
 *   1. Fork reads the parent's state under child_mutex: not DEAD.
 *   2. Close sets DEAD, then takes child_mutex to look for children: it waits
 *      until fork has put the new child on the list, and finds it.
 *   If 1 comes after 2, fork sees DEAD and makes no child.
 */

#include <linux/bpf.h>
#include <linux/export.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/trace_events.h>
#include <linux/wait_bit.h>

#include "addr_filter.h"
#include "attr.h"
#include "aux_event.h"
#include "cgroup.h"
#include "clock.h"
#include "context.h"
#include "control.h"
#include "delay.h"
#include "event.h"
#include "event_state.h"
#include "groups.h"
#include "hooks.h"
#include "live.h"
#include "mmap.h"
#include "overflow.h"
#include "pmu.h"
#include "random.h"
#include "refuse.h"
#include "sample.h"
#include "sched_key.h"
#include "sideband.h"
#include "throttle.h"
#include "tracing.h"

#ifdef CONFIG_64BIT
/* Parts of an event that begin with a cache line, or end with one. */
#define EVENT_BEGINS(line, member)	\
	static_assert(offsetof(struct perf_event, member) == 64 * (line))
#define EVENT_ENDS(line, member)	\
	static_assert((offsetofend(struct perf_event, member) - 1) / 64 == (line))

EVENT_BEGINS(0, attach_state);
EVENT_ENDS(0, sibling_list);
EVENT_BEGINS(1, hlist_entry);
EVENT_ENDS(1, running_offset);
EVENT_BEGINS(2, active_list);
EVENT_ENDS(2, orig_type);
/* What drivers of counters write takes two lines. */
EVENT_BEGINS(3, hw);
EVENT_ENDS(4, hw.flags);
#endif

/* A bit of perf_event::attach_state for this room alone: it is accounted. */
#define EVENT_ATTACH_ACCOUNTED	0x10000

/*
 * The function tracer calls only events of tracepoints. Its ftrace_ops is a
 * sixth of the structure, and comes last: other events are allocated without
 * it.
 */
#if defined(CONFIG_EVENT_TRACING) && defined(CONFIG_FUNCTION_TRACER)
#define EVENT_COMMON_SIZE	offsetof(struct perf_event, ftrace_ops)
static_assert(sizeof(struct perf_event) ==
	      ALIGN(offsetofend(struct perf_event, ftrace_ops),
		    __alignof__(struct perf_event)));
#else
#define EVENT_COMMON_SIZE	sizeof(struct perf_event)
#endif

/* Of a larger one, 14 take as much memory as 15. */
#define EVENT_SIZE_OF_15	1088
static_assert(!IS_ENABLED(CONFIG_64BIT) || IS_ENABLED(CONFIG_PREEMPT_RT) ||
	      sizeof(struct mutex) > 32 ||
	      EVENT_COMMON_SIZE <= EVENT_SIZE_OF_15);

static struct kmem_cache *event_cache __ro_after_init;
static struct kmem_cache *event_traced_cache __ro_after_init;

/* On a cache line of its own, since each open writes it. */
static struct {
	atomic64_t	last;
} ____cacheline_aligned_in_smp event_id;

/* Accounts. */

/* Does the event need the hooks in the task switch? */
static bool event_minds_switches(struct perf_event *event)
{
	const unsigned int follows = PERF_ATTACH_TASK | PERF_ATTACH_SCHED_CB;

	return (event->attach_state & follows) || event->attr.context_switch ||
	       has_branch_stack(event) || perf_event_has_cgroup(event);
}

/* Children are not accounted: their parent is, and it is freed after them. */
static void event_account(struct perf_event *event)
{
	if (event->parent)
		return;

	event->attach_state |= EVENT_ATTACH_ACCOUNTED;
	if (event->attr.freq)
		perf_throttle_freq_get();
	if (event_minds_switches(event))
		perf_sched_key_get();
	perf_side_account(event);
}

static void event_unaccount(struct perf_event *event)
{
	if (!(event->attach_state & EVENT_ATTACH_ACCOUNTED))
		return;

	event->attach_state &= ~EVENT_ATTACH_ACCOUNTED;
	perf_side_unaccount(event);
	if (event_minds_switches(event))
		perf_sched_key_put();
	if (event->attr.freq)
		perf_throttle_freq_put();
}

/* PMUs that serve one event at a time. */

/*
 * pmu->exclusive_cnt is the number of task events, or minus the number of CPU
 * events: a PMU that works for tasks cannot work for whole CPUs as well.
 */
static int event_exclusive_get(struct perf_event *event)
{
	atomic_t *users = &event->pmu->exclusive_cnt;
	bool granted;

	if (!is_exclusive_pmu(event->pmu))
		return 0;

	granted = event->attach_state & PERF_ATTACH_TASK ?
			atomic_inc_unless_negative(users) :
			atomic_dec_unless_positive(users);
	if (!granted)
		return perf_refuse(-EBUSY, PERF_FIELD(type), 0,
				   PERF_REASON_PMU_BUSY);
	event->attach_state |= PERF_ATTACH_EXCLUSIVE;
	return 0;
}

static void event_exclusive_put(struct perf_event *event)
{
	int one = event->attach_state & PERF_ATTACH_TASK ? 1 : -1;

	if (!(event->attach_state & PERF_ATTACH_EXCLUSIVE))
		return;
	event->attach_state &= ~PERF_ATTACH_EXCLUSIVE;
	atomic_sub(one, &event->pmu->exclusive_cnt);
}

static bool event_cpus_overlap(const struct perf_event *event,
			       const struct perf_event *other)
{
	return event->cpu < 0 || other->cpu < 0 || event->cpu == other->cpu;
}

/**
 * perf_event_exclusive_alone() - perf_event_exclusive_fits() for such a PMU
 * @event: new event of an exclusive PMU
 * @ctx: context it is about to be installed in
 *
 * Context: as perf_event_exclusive_fits().
 * Return: false if @ctx has an event of the PMU on any of the CPUs of @event.
 */
bool perf_event_exclusive_alone(const struct perf_event *event,
				const struct perf_ctx *ctx)
{
	const struct perf_event *other;

	lockdep_assert_held(&ctx->mutex);

	list_for_each_entry(other, &ctx->event_list, event_entry) {
		if (other->pmu == event->pmu && event_cpus_overlap(event, other))
			return false;
	}
	return true;
}

/* The end. */

static void event_free_rcu(struct rcu_head *head)
{
	struct perf_event *event = container_of(head, struct perf_event, rcu_head);

	put_pid_ns(event->ns);
	perf_tracing_free_filter(event);
	perf_addr_filter_free(event);
	perf_live_add(PERF_LIVE_EVENTS, -1);
	/* It serves both caches. */
	kfree(event);
}

/* Race 4 of overflow.c. */
static void event_wait_rcu(struct rcu_head *head)
{
	struct perf_event *event = container_of(head, struct perf_event, rcu_head);

	call_rcu(head, perf_overflow_lingers(event) ? event_wait_rcu :
						      event_free_rcu);
}

/* Drops references that the event got after it was built. */
static void event_drop_given(struct perf_event *event)
{
	perf_overflow_cancel(event);
	perf_mmap_detach(event);
	perf_addr_filter_drop(event);
	if (event->prog)
		perf_event_free_bpf_prog(event);
	security_perf_event_free(event);
}

/* The event has a PMU. */
static inline void event_leave_pmu(struct perf_event *event)
{
	event_exclusive_put(event);
	if (event->destroy)
		event->destroy(event);
	event->destroy = NULL;
	if (perf_event_pmu_ctx(event))
		perf_epc_put(perf_event_pmu_ctx(event));
	event->pmu_ctx = NULL;
	perf_pmu_drop_event(event);
}

/**
 * perf_event_leave_pmu() - release an event's resources of its PMU
 * @event: event that has left its context permanently, or half built; nothing
 *	happens if it has left its PMU already
 *
 * Only an event that never was in a context still has a PMU context, and that
 * may be in the PMU's memory.
 *
 * Context: Task context, may sleep; no mutex held that a driver may want.
 */
void perf_event_leave_pmu(struct perf_event *event)
{
	if (event->pmu)
		event_leave_pmu(event);
}

/*
 * The task's reference is put before the context's: a waiter for the context's
 * last reference relies on that.
 */
static void event_drop_target(struct perf_event *event)
{
	if (event->hw.target)
		put_task_struct(event->hw.target);
	perf_cgroup_disconnect(event);
	if (perf_event_ctx(event))
		perf_ctx_put(perf_event_ctx(event));
}

/* The only destructor, for events that have been removed or are half built. */
static void event_free(struct perf_event *event)
{
	perf_debug_sleep();
	event_drop_given(event);
	perf_debug_sleep();
	event_unaccount(event);
	if (event->attach_state & PERF_ATTACH_CALLCHAIN)
		put_callchain_buffers();
	/* The driver's destructor may look at the task. */
	if (event->pmu)
		event_leave_pmu(event);
	event_drop_target(event);
	call_rcu(&event->rcu_head, perf_overflow_may_linger() ?
				   event_wait_rcu : event_free_rcu);
}

/* The eldest may go with its last child. */
static void event_last_put(struct perf_event *event)
{
	struct perf_event *parent = event->parent;

	event_free(event);
	if (parent)
		perf_event_put(parent);
}

/* The beginning. */

static int event_check_target(const struct perf_event_spec *spec)
{
	bool any_cpu = spec->cpu == -1 && spec->task;

	if (!any_cpu && (unsigned int)spec->cpu >= nr_cpu_ids)
		return perf_refuse(-EINVAL, PERF_ARGUMENT(CPU), 0,
				   PERF_REASON_NO_TARGET);
	/* Without a task the signal has no receiver. */
	if (spec->attr->sigtrap && !spec->task)
		return perf_refuse(-EINVAL, PERF_FIELD_FLAGS,
				   PERF_ATTR_SIGTRAP, PERF_REASON_TASK_ONLY);
	return 0;
}

static void event_init_links(struct perf_event *event)
{
	INIT_LIST_HEAD(&event->sibling_list);
	INIT_LIST_HEAD(&event->active_list);
	RB_CLEAR_NODE(&event->group_node);

	INIT_LIST_HEAD(&event->event_entry);
	INIT_LIST_HEAD(&event->migrate_entry);
	INIT_LIST_HEAD(&event->sb_list);
	INIT_LIST_HEAD(&event->pmu_entry);

	INIT_LIST_HEAD(&event->child_list);
	INIT_LIST_HEAD(&event->owner_entry);
	INIT_LIST_HEAD(&event->rb_entry);
	INIT_LIST_HEAD(&event->addr_filters.list);
}

static void event_init_locks(struct perf_event *event)
{
	mutex_init(&event->child_mutex);
	mutex_init(&event->mmap_mutex);
	raw_spin_lock_init(&event->addr_filters.lock);
	init_waitqueue_head(&event->waitq);
}

static void event_init_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 period = event->attr.sample_period;

	/* Frequency mode begins with period 1, and adjusts it. */
	if (event->attr.freq && period)
		period = 1;
	hwc->sample_period = period;
	hwc->last_period = period;
	local64_set(&hwc->period_left, period);
}

/* BPF and drivers compare the handler with the two exported ones. */
static void event_init_handler(struct perf_event *event,
			       const struct perf_event_spec *spec)
{
	if (spec->overflow_handler) {
		event->overflow_handler = spec->overflow_handler;
		event->overflow_handler_context = spec->context;
	} else if (spec->parent) {
		event->overflow_handler = spec->parent->overflow_handler;
		event->overflow_handler_context =
			spec->parent->overflow_handler_context;
	} else if (is_write_backward(event)) {
		event->overflow_handler = perf_event_output_backward;
	} else {
		event->overflow_handler = perf_event_output_forward;
	}
}

static struct perf_event *event_new_zeroed(const struct perf_event_spec *spec)
{
	bool traced = spec->attr->type == PERF_TYPE_TRACEPOINT;
	int node = spec->cpu < 0 ? NUMA_NO_NODE : cpu_to_node(spec->cpu);

	return kmem_cache_alloc_node(traced ? event_traced_cache : event_cache,
				     GFP_KERNEL | __GFP_ZERO, node);
}

static struct perf_event *event_new(const struct perf_event_spec *spec)
{
	struct perf_event *event = event_new_zeroed(spec);
	struct perf_event *parent = spec->parent;

	if (!event)
		return NULL;

	perf_live_add(PERF_LIVE_EVENTS, 1);
	event_init_links(event);
	event_init_locks(event);
	perf_overflow_init(event);
	atomic_long_set(&event->refcount, 1);

	event->attr = *spec->attr;
	event->id = atomic64_inc_return(&event_id.last);
	event->ns = get_pid_ns(task_active_pid_ns(current));
	event->cpu = spec->cpu;
	event->oncpu = -1;
	event->group_leader = spec->group_leader ?: event;
	event->clock = local_clock;
	if (parent) {
		perf_event_get_ref(parent);
		event->parent = parent;
		event->event_caps = parent->event_caps;
		event->clock = parent->clock;
	}
	if (spec->task) {
		event->attach_state = PERF_ATTACH_TASK;
		event->hw.target = get_task_struct(spec->task);
	}
	if (!has_branch_stack(event))
		event->attr.branch_sample_type = 0;

	event_init_period(event);
	event_init_handler(event, spec);
	perf_event_state_init(event);
	return event;
}

static int event_find_pmu(struct perf_event *event,
			  const struct perf_event_spec *spec)
{
	bool system_wide = !spec->task && spec->cgroup_fd == -1;
	struct pmu *pmu;

	pmu = perf_pmu_init_event(event);
	if (IS_ERR(pmu))
		return PTR_ERR(pmu);
	if (pmu->task_ctx_nr == perf_sw_context)
		event->event_caps |= PERF_EV_CAP_SOFTWARE;
	/* A driver that chooses the CPU has found none. */
	if (event->cpu != spec->cpu && (unsigned int)event->cpu >= nr_cpu_ids)
		return perf_refuse(-ENODEV, PERF_ARGUMENT(CPU), 0,
				   PERF_REASON_CPU_OFFLINE);
	/* Such a PMU cannot count by task. */
	if (pmu->task_ctx_nr == perf_invalid_context && !system_wide)
		return perf_refuse(-EINVAL, PERF_ARGUMENT(PID), 0,
				   PERF_REASON_CPU_ONLY);
	return 0;
}

static int event_join_cgroup(struct perf_event *event,
			     const struct perf_event_spec *spec)
{
	int err;

	if (spec->cgroup_fd == -1)
		return 0;
	err = perf_cgroup_connect(event, spec->cgroup_fd);
	if (!IS_ENABLED(CONFIG_CGROUP_PERF))
		perf_refuse(err, PERF_ARGUMENT(FLAGS), PERF_FLAG_PID_CGROUP,
			    PERF_REASON_NOT_BUILT);
	if (!err && !spec->dry)
		err = perf_cgroup_equip(event);
	return err;
}

static int event_ask_lsm(struct perf_event *event)
{
	int err = security_perf_event_alloc(event);

	if (err)
		perf_refuse(err, PERF_ARGUMENT(CALLER), 0,
			    PERF_REASON_SECURITY);
	return err;
}

static int event_get_callchain(struct perf_event *event)
{
	int err;

	if (event->parent || !(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return 0;
	err = get_callchain_buffers(event->attr.sample_max_stack);
	if (!err)
		event->attach_state |= PERF_ATTACH_CALLCHAIN;
	return err;
}

/* All steps that can fail; the caller then puts the reference. */
static int event_build(struct perf_event *event,
		       const struct perf_event_spec *spec)
{
	int err;

	/* Without the thread's id a sample does not say whose count it has. */
	if (perf_attr_inherits_samples_read(&event->attr) &&
	    !(event->attr.sample_type & PERF_SAMPLE_TID))
		return perf_refuse(-EINVAL, PERF_FIELD(sample_type),
				   PERF_SAMPLE_TID, PERF_REASON_REQUIRES);

	err = event_find_pmu(event, spec);
	if (!err)
		err = perf_addr_filter_alloc(event);
	if (!err)
		err = perf_aux_check_attr(event);
	if (!err)
		err = event_join_cgroup(event, spec);
	if (!err)
		err = event_exclusive_get(event);
	if (!err)
		err = event_get_callchain(event);
	if (!err)
		err = event_ask_lsm(event);
	return err;
}

/**
 * perf_event_alloc() - make an event
 * @spec: its description; not used after the return
 *
 * For a sibling, the leader's ctx->mutex is taken while the driver looks at the
 * group. For an inherited copy, the caller holds the ctx->mutex of the event
 * that is copied. That event is the parent, or has a reference on it.
 *
 * No other reference is taken before the caller installs the event or attaches
 * it to a buffer. Until then perf_event_put() undoes everything at once; if the
 * event has a pmu_ctx, the caller needs a reference on the context for that.
 *
 * Context: Task context, may sleep; takes the ctx->mutex of a sibling's leader,
 * unless the PMU is a software PMU.
 * Return: the event, with one reference, accounted, and in no context;
 * or an error pointer: -EINVAL for a target or an attribute that the PMU does
 * not take, -ENOMEM, -ENOENT when no PMU knows the event, -EOPNOTSUPP for what
 * the PMU cannot do, -EBUSY for an exclusive PMU in use, -ENODEV when the PMU is
 * leaving, or no CPU counts for the unit of its scope;
 * -EOVERFLOW for too long callchains, the errno of an LSM, of pmu::event_init or
 * of perf_cgroup_connect().
 */
struct perf_event *perf_event_alloc(const struct perf_event_spec *spec)
{
	struct perf_event *event;
	int err;

	err = event_check_target(spec);
	if (err)
		return ERR_PTR(err);
	event = event_new(spec);
	if (!event)
		return ERR_PTR(-ENOMEM);
	err = event_build(event, spec);
	if (err) {
		perf_event_put(event);
		return ERR_PTR(err);
	}

	perf_sample_compile(event);
	/* A sibling's read_size is set when it joins its group. */
	if (event->group_leader == event)
		perf_group_set_read_size(event);
	if (!spec->dry)
		event_account(event);
	return event;
}

/**
 * perf_event_alloc_trial() - make an event to check whether a PMU takes it
 * @spec: its description; the leader of a sibling was made here, too, and the
 *	caller has given it a context
 * @pmu: the PMU, which does not go away meanwhile
 *
 * Such an event is not accounted, and must not be installed.
 *
 * Context: Task context, may sleep.
 * Return: the event, with one reference; or an error pointer: the errno of
 * pmu::event_init, -ENOMEM.
 */
struct perf_event *perf_event_alloc_trial(const struct perf_event_spec *spec,
					  struct pmu *pmu)
{
	struct perf_event *event = event_new(spec);
	int err;

	if (!event)
		return ERR_PTR(-ENOMEM);
	err = perf_pmu_try_event(pmu, event);
	if (!err)
		return event;
	perf_event_put(event);
	return ERR_PTR(err);
}

/* Closing. */

/*
 * The owner may exit meanwhile; then its exit takes the event off the list and
 * clears event->owner, in this order. A task that is found there under RCU
 * still has a reference.
 */
static void event_disown(struct perf_event *event)
{
	struct task_struct *owner;

	scoped_guard(rcu) {
		owner = READ_ONCE(event->owner);
		if (owner)
			get_task_struct(owner);
	}
	if (!owner)
		return;

	perf_debug_sleep();
	scoped_guard(mutex, &owner->perf_event_mutex) {
		if (event->owner) {
			list_del_init(&event->owner_entry);
			WRITE_ONCE(event->owner, NULL);
		}
	}
	put_task_struct(owner);
}

/* Children that are removed at the same time. Each has a mutex that is held. */
#define EVENT_CLOSING	16

struct event_closing {
	struct perf_event	*child[EVENT_CLOSING];
	/* The child's context; NULL if its mutex is not held. */
	struct perf_ctx		*ctx[EVENT_CLOSING];
	unsigned int		nr;
};

/* Return: false if there is no child. */
static bool event_get_children(struct perf_event *event,
			       struct event_closing *closing)
{
	struct perf_event *child;

	closing->nr = 0;
	guard(mutex)(&event->child_mutex);
	list_for_each_entry(child, &event->child_list, child_list) {
		if (closing->nr == EVENT_CLOSING)
			break;
		perf_event_get_ref(child);
		closing->child[closing->nr++] = child;
	}
	return closing->nr;
}

/* There is no order of these mutexes, so this waits for one only. */
static void event_lock_children(struct event_closing *closing)
{
	closing->ctx[0] = perf_event_ctx_lock(closing->child[0]);
	for (unsigned int i = 1; i < closing->nr; i++)
		closing->ctx[i] = perf_event_ctx_trylock(closing->child[i]);
}

static void event_unlock_children(struct event_closing *closing)
{
	for (unsigned int i = closing->nr; i--; ) {
		if (closing->ctx[i])
			perf_event_ctx_unlock(closing->child[i],
					      closing->ctx[i]);
	}
}

/* Removes the children whose mutex is held, unless a task's exit has done so. */
static void event_remove_children(struct perf_event *event,
				  struct event_closing *closing)
{
	struct perf_event *listed[EVENT_CLOSING] __uninitialized;
	unsigned int nr = 0;

	guard(mutex)(&event->child_mutex);
	for (unsigned int i = 0; i < closing->nr; i++) {
		struct perf_event *child = closing->child[i];

		if (closing->ctx[i] && child->attach_state & PERF_ATTACH_CHILD)
			listed[nr++] = child;
	}
	perf_control_remove_copies(listed, nr);
	/* The list's references. */
	while (nr)
		perf_event_put(listed[--nr]);
}

/*
 * A fork that fails waits until it is the only user of its half-made task's
 * context, so it has to be woken for every reference that is put here. By then
 * the context may be gone as well; its address is only the name of the queue.
 */
static void event_put_children(struct event_closing *closing)
{
	while (closing->nr) {
		struct perf_event *child = closing->child[--closing->nr];
		struct perf_ctx *ctx = perf_event_ctx(child);

		perf_event_put(child);
		smp_mb(); /* the reference is put before the queue is checked */
		wake_up_var(&ctx->refcount);
	}
}

static void event_close_children(struct perf_event *event)
{
	struct event_closing closing __uninitialized;

	while (event_get_children(event, &closing)) {
		perf_debug_sleep();
		event_lock_children(&closing);
		event_remove_children(event, &closing);
		event_unlock_children(&closing);
		event_put_children(&closing);
	}
}

/**
 * perf_event_close() - close an event and its inherited copies
 * @event: event whose file is released, or that the kernel made for itself; it
 *	has been installed
 *
 * The event stops counting and leaves its group; siblings go on alone if it was
 * their leader. Inherited copies are removed with their counts. The memory
 * stays as long as there are references.
 *
 * Context: Task context, may sleep; no mutex of a context held.
 * Return: 0.
 */
int perf_event_close(struct perf_event *event)
{
	struct perf_ctx *ctx;

	if (!perf_event_is_kernel(event))
		event_disown(event);

	ctx = perf_event_ctx_lock(event);
	perf_control_remove(event, PERF_EVENT_STATE_DEAD, PERF_LEAVE_GROUP);
	perf_event_ctx_unlock(event, ctx);
	if (event->attr.inherit)
		event_close_children(event);
	perf_event_put(event);
	return 0;
}

/**
 * perf_event_release_kernel() - close an event that the kernel made for itself
 * @event: event from perf_event_create_kernel_counter()
 *
 * Its overflow handler has run for the last time when this returns.
 *
 * Context: Task context, may sleep.
 * Return: 0.
 */
int perf_event_release_kernel(struct perf_event *event)
{
	return perf_event_close(event);
}
EXPORT_SYMBOL_GPL(perf_event_release_kernel);

/*
 * How much of the running period has passed. Drivers count period_left down to
 * 0, software events count it up to 0; 0 itself says that no period has begun.
 */
static u64 event_period_passed(struct perf_event *event)
{
	u64 left = abs(local64_read(&event->hw.period_left));
	u64 period = event->hw.last_period;

	if (!is_sampling_event(event) || has_aux(event) ||
	    has_addr_filter(event))
		return 0;
	if (perf_random_is_on(event))
		period = perf_random_length(event);
	return left && left < period ? period - left : 0;
}

/**
 * perf_event_fold_child() - add a child's count and times to its parent's
 * @child: inherited event that has been removed, count and times up to date
 *
 * The parent also keeps what has passed of the child's period.
 *
 * Context: Task context. The parent's child_mutex is held since before the
 * removal, so that readers of the sum see the child exactly once.
 */
void perf_event_fold_child(struct perf_event *child)
{
	struct perf_event *parent = child->parent;
	u64 passed;

	lockdep_assert_held(&parent->child_mutex);

	atomic64_add(local64_read(&child->count), &parent->child_count);
	atomic64_add(child->total_time_enabled,
		     &parent->child_total_time_enabled);
	atomic64_add(child->total_time_running,
		     &parent->child_total_time_running);
	passed = event_period_passed(child);
	if (passed)
		parent->child_period += passed;
}

/**
 * perf_event_room_init() - make the caches of events
 *
 * Context: Boot, before the first event.
 */
void __init perf_event_room_init(void)
{
	const slab_flags_t flags = SLAB_PANIC | SLAB_HWCACHE_ALIGN;

	event_cache = kmem_cache_create("perf_event", EVENT_COMMON_SIZE, 0,
					flags, NULL);
	event_traced_cache = kmem_cache_create("perf_event_traced",
					       sizeof(struct perf_event), 0,
					       flags, NULL);
	static_call_update(perf_hooks_event_last_put, event_last_put);
}
