// SPDX-License-Identifier: GPL-2.0
/*
 * Room "inherit": copies of events.
 *
 * Purpose: an event with attr.inherit counts in all tasks that descend from its
 * own. It is copied into their contexts; when a context ends, the copy's count
 * is added to the eldest, the event that was opened. However deep tasks
 * descend, there are two levels: the eldest and its copies. The rooms family
 * and member decide which contexts exist.
 *
 * Owns: membership in event->child_list, from fork to exit.
 *
 * Contexts: task; may sleep.
 *
 * Lifetime rules:
 *   - A copy has one reference on the eldest, taken when it is made and put by
 *     the last reference on the copy.
 *   - The list has the copy's first reference; taking the copy off the list
 *     puts it.
 *   - A copy that never joined the list belongs to the fork alone.
 *   - When a copy ends, the eldest keeps the part of its period that has
 *     passed, and the next copy begins with that part. So the number of samples
 *     is the number of periods that pass in all copies together.
 *
 * Locking rules: the context that is copied, then the new one (nested, same
 * class), then the eldest's child_mutex, then the new context's lock. The new
 * mutex is not held while an event is made: perf_event_alloc() itself takes it
 * while a driver looks at the group of a new sibling.
 *
 * Race: a fork against the close of the eldest.
 *   1. Close marks the eldest DEAD.
 *   2. Fork takes child_mutex and looks at the mark. If it is set, no copy is
 *      made. If not, the copy joins the list.
 *   3. Close takes child_mutex and finds each copy that joined.
 *
 * Race: a fork against the close of a leader's eldest, with siblings to follow.
 *   1. Fork has published the leader's copy and goes on to the next sibling.
 *   2. Close removes the copy. It stays in memory: fork has a reference.
 *   3. Fork publishes the sibling under the context's mutex, finds that its
 *      leader is in no context, and makes it its own leader.
 *
 * Race: a fork against the end of a PMU (revoke.c).
 *   1. The PMU accepts no more events, so a copy cannot be made, and is left
 *      out. The end of the PMU would have removed it soon in any case.
 *   2. A copy that was made before joins, and is revoked like any event.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "addr_filter.h"
#include "clock.h"
#include "clock_pmu.h"
#include "context.h"
#include "control.h"
#include "delay.h"
#include "event.h"
#include "event_state.h"
#include "groups.h"
#include "inherit.h"
#include "overflow.h"
#include "pmu.h"
#include "random.h"
#include "remote.h"
#include "sample.h"
#include "sched.h"
#include "sideband.h"

/* Copying. */

/* Is @event a leader whose group is copied? */
static bool inherit_wanted(const struct perf_event *event,
			   const struct perf_inherit *to)
{
	const struct perf_event_attr *attr = &event->attr;

	if (event->group_leader != event || !attr->inherit)
		return false;
	if (to->which != PERF_INHERIT_ALL &&
	    to->which != (event->cpu < 0 ? PERF_INHERIT_UNBOUND :
					    PERF_INHERIT_BOUND))
		return false;
	if (attr->inherit_thread && !(to->clone_flags & CLONE_THREAD))
		return false;
	/* Its signal would find no handler, and kill the task. */
	return !(attr->sigtrap && (to->clone_flags & CLONE_CLEAR_SIGHAND));
}

/* All steps that can fail. */
static struct perf_event *inherit_build(const struct perf_inherit *to,
					struct perf_event *source,
					struct perf_event *leader)
{
	struct perf_event *eldest = perf_event_eldest(source);
	const struct perf_event_spec spec = {
		.attr		= &eldest->attr,
		.cpu		= source->cpu,
		.task		= to->task,
		.group_leader	= leader,
		.parent		= eldest,
		.cgroup_fd	= -1,
	};
	struct perf_pmu_ctx *epc;
	struct perf_event *copy;

	copy = perf_event_alloc(&spec);
	if (IS_ERR(copy))
		return copy;

	/* For the PMU of the group, which may differ from the event's own. */
	epc = perf_epc_get(perf_event_pmu_ctx(source)->pmu, to->ctx,
			   copy->attach_state & PERF_ATTACH_TASK_DATA);
	if (IS_ERR(epc)) {
		perf_event_put(copy);
		return ERR_CAST(epc);
	}
	copy->pmu_ctx = &epc->pub;
	return copy;
}

/*
 * The leader may have been closed since the copy was made for its group.
 * Return: false if the copy cannot do without a leader.
 */
static bool inherit_find_leader(struct perf_event *copy)
{
	if (copy->group_leader == copy ||
	    copy->group_leader->attach_state & PERF_ATTACH_CONTEXT)
		return true;
	if (perf_event_needs_leader(copy))
		return false;
	copy->group_leader = copy;
	perf_group_set_read_size(copy);
	return true;
}

/*
 * Fields that may have changed since the copy was made. A change of the eldest
 * and its copies takes child_mutex: it comes before this, or finds the copy on
 * the list. The place of a breakpoint is not among them: a change of it may miss
 * a copy that is being made.
 */

/*
 * Copies the period, or the frequency, which is at the same place. In frequency
 * mode the period has been adjusted, so the copy need not begin with 1.
 */
static void inherit_period(struct perf_event *copy,
			   const struct perf_event *source)
{
	u64 chosen = copy->parent->attr.sample_period;
	u64 period = READ_ONCE(source->hw.sample_period);

	if (!copy->attr.freq && copy->attr.sample_period == chosen)
		return;
	copy->attr.sample_period = chosen;
	copy->hw.sample_period = period;
	copy->hw.last_period = period;
	local64_set(&copy->hw.period_left, period);
}

/* For software events, period_left is minus the events left; else plus. */
static s64 inherit_left(const struct perf_event *copy, u64 left)
{
	bool up = copy->pmu->task_ctx_nr == perf_sw_context &&
		  !perf_clock_pmu_times(copy);

	return up ? -(s64)left : left;
}

/*
 * A copy continues the periods that ended copies had begun. Otherwise tasks
 * shorter than a period would never be sampled, however many there are.
 */
static void inherit_rest(struct perf_event *copy)
{
	struct perf_event *eldest = copy->parent;
	struct hw_perf_event *hwc = &copy->hw;
	u64 passed;

	lockdep_assert_held(&eldest->child_mutex);
	if (!is_sampling_event(copy) || has_aux(copy) ||
	    has_addr_filter(copy) || !hwc->last_period)
		return;
	passed = min_t(u64, eldest->child_period, hwc->last_period - 1);
	if (!passed)
		return;
	/* In frequency mode the period has changed since. */
	eldest->child_period -= copy->attr.freq ? eldest->child_period : passed;
	if (perf_random_is_on(copy))
		hwc->random_fresh = false;
	local64_set(&hwc->period_left,
		    inherit_left(copy, hwc->last_period - passed));
}

static void inherit_state(struct perf_event *copy,
			  const struct perf_event *source)
{
	bool enabled = READ_ONCE(source->state) >= PERF_EVENT_STATE_INACTIVE;

	perf_event_set_state(copy, enabled ? PERF_EVENT_STATE_INACTIVE :
					     PERF_EVENT_STATE_OFF);
}

static bool inherit_join_mutexed(struct perf_ctx *ctx,
				 struct perf_event *source,
				struct perf_event *copy)
{
	struct perf_event *eldest = copy->parent;

	lockdep_assert_held(&ctx->mutex);
	guard(mutex)(&eldest->child_mutex);

	if (READ_ONCE(eldest->state) <= PERF_EVENT_STATE_REVOKED)
		return false;
	if (!inherit_find_leader(copy))
		return false;

	/* If the source's leader can be its aux_event, the copy's can, too. */
	if (source->aux_event && copy->group_leader != copy)
		copy->aux_event = copy->group_leader;
	inherit_period(copy, source);
	perf_random_inherit(copy);
	inherit_rest(copy);
	perf_addr_filter_inherit(copy, source);
	perf_overflow_adopt_bpf(copy);
	inherit_state(copy, source);
	perf_event_get_ref(copy);
	perf_ctx_get(ctx);
	copy->ctx = &ctx->pub;
	perf_pmu_announce(copy);
	/* Not loaded before the task runs: there is no CPU to call. */
	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		perf_ctx_add_event_locked(copy, ctx);
		copy->attach_state |= PERF_ATTACH_CHILD;
	}
	list_add_tail(&copy->child_list, &eldest->child_list);
	return true;
}

static bool inherit_join(const struct perf_inherit *to,
			 struct perf_event *source, struct perf_event *copy)
{
	struct perf_ctx *ctx = to->ctx;
	bool joined;

	mutex_lock_nested(&ctx->mutex, SINGLE_DEPTH_NESTING);
	perf_debug_sleep();
	joined = inherit_join_mutexed(ctx, source, copy);
	mutex_unlock(&ctx->mutex);
	return joined;
}

/*
 * Return: the copy, with a reference for the caller; NULL when the eldest has
 * just been closed, or its PMU is about to go; or an error pointer.
 */
static struct perf_event *inherit_event(const struct perf_inherit *to,
					struct perf_event *source,
					struct perf_event *leader)
{
	struct perf_event *copy = inherit_build(to, source, leader);

	if (IS_ERR(copy))
		return perf_pmu_is_leaving(source) ? NULL : copy;
	if (inherit_join(to, source, copy))
		return copy;
	perf_event_put(copy);
	return NULL;
}

/*
 * Return: the number left out because their eldest is being closed; or an
 * errno.
 */
static int inherit_siblings(const struct perf_inherit *to,
			    struct perf_event *source,
			    struct perf_event *leader)
{
	struct perf_event *sibling, *copy;
	int left_out = 0;

	for_each_sibling_event(sibling, source) {
		/*
		 * The driver would refuse it, and that must not make the fork
		 * fail.
		 */
		if (!leader && perf_event_needs_leader(sibling))
			continue;
		perf_debug_sleep();
		copy = inherit_event(to, sibling, leader);
		if (IS_ERR(copy))
			return PTR_ERR(copy);
		if (copy)
			perf_event_put(copy);
		else
			left_out++;
	}
	return left_out;
}

/*
 * A group read adds up only groups with equal generations, in which the same
 * events have joined and left. The siblings that were left out here have yet to
 * leave the group of @source.
 */
static void inherit_generation(const struct perf_inherit *to,
			       const struct perf_event *source,
			       struct perf_event *leader, int left_out)
{
	struct perf_ctx *ctx = to->ctx;

	mutex_lock_nested(&ctx->mutex, SINGLE_DEPTH_NESTING);
	raw_spin_lock_irq(&ctx->lock);
	leader->group_generation = source->group_generation + left_out;
	raw_spin_unlock_irq(&ctx->lock);
	mutex_unlock(&ctx->mutex);
}

/*
 * Copies of an eldest that is being closed are left out. If any other copy
 * cannot be made the fork fails, and the copies that were made are removed.
 */
static int inherit_group(const struct perf_inherit *to,
			 struct perf_event *source)
{
	struct perf_event *leader = inherit_event(to, source, NULL);
	int ret;

	if (IS_ERR(leader))
		return PTR_ERR(leader);
	ret = inherit_siblings(to, source, leader);
	if (leader && ret >= 0)
		inherit_generation(to, source, leader, ret);
	if (leader)
		perf_event_put(leader);
	return min(ret, 0);
}

/* Gives the copies of new groups their place among those of other groups. */
static void inherit_begin(const struct perf_inherit *to, struct perf_ctx *from)
{
	struct perf_event *event;
	bool begin = false;

	lockdep_assert_held(&from->mutex);
	list_for_each_entry(event, &from->event_list, event_entry) {
		if (inherit_wanted(event, to))
			begin |= perf_group_begin_copies(event);
	}
	if (!begin)
		return;
	list_for_each_entry(event, &from->event_list, event_entry) {
		if (inherit_wanted(event, to))
			perf_group_compare_copies(event);
	}
	list_for_each_entry(event, &from->event_list, event_entry) {
		if (inherit_wanted(event, to))
			perf_group_start_copies(event);
	}
}

static int inherit_get_ctx(struct perf_inherit *to)
{
	struct perf_ctx *ctx;

	if (to->ctx)
		return 0;
	ctx = perf_ctx_make_task(to->task);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	to->ctx = ctx;
	return 0;
}

/**
 * perf_inherit_copy() - copy inheritable groups to another context
 * @to: destination; @to->ctx is made for @to->task when there is a group to
 *	copy
 * @from: context that is copied
 *
 * After a failure some copies may exist; perf_inherit_end() removes them.
 *
 * Context: task; may sleep. @from->mutex.
 * Return: 0; -ENOMEM; the errno of perf_event_alloc(), such as -ENOSPC for
 * breakpoints and -EBUSY for exclusive PMUs.
 */
int perf_inherit_copy(struct perf_inherit *to, struct perf_ctx *from)
{
	struct perf_event *event;
	int err;

	lockdep_assert_held(&from->mutex);
	inherit_begin(to, from);
	/* The newest event comes first in the list; groups keep their order. */
	list_for_each_entry_reverse(event, &from->event_list, event_entry) {
		if (!inherit_wanted(event, to))
			continue;
		err = inherit_get_ctx(to);
		if (!err)
			err = inherit_group(to, event);
		if (err)
			return err;
	}
	return 0;
}

/* The end. */

/* Records that one call writes, with interrupts off. */
#define INHERIT_REPORTS		16

/**
 * struct inherit_report - READ records of one buffer's CPU
 * @task: the task that exits
 * @nr: number of events
 * @events: the events
 */
struct inherit_report {
	struct task_struct	*task;
	unsigned int		nr;
	struct perf_event	*events[INHERIT_REPORTS];
};

static int inherit_report_oncpu(void *arg)
{
	const struct inherit_report *report = arg;

	for (unsigned int i = 0; i < report->nr; i++)
		perf_sample_read_record(report->events[i], report->task);
	return 0;
}

/* An offline CPU writes nothing. */
static void inherit_report_send(struct inherit_report *report)
{
	if (report->nr)
		perf_cpu_call(report->events[0]->cpu, inherit_report_oncpu,
			      report);
	report->nr = 0;
}

static void inherit_report_add(struct inherit_report *report,
			       struct perf_event *event)
{
	report->events[report->nr++] = event;
	if (report->nr == INHERIT_REPORTS)
		inherit_report_send(report);
}

/*
 * With attr.inherit_stat a thread that inherited writes a record of its own
 * count when it ends. Because contexts are exchanged, such a thread may have
 * the event that was opened. The task on which that event was opened may then
 * have a copy; it writes no record. Inherited events that are not bound to a
 * CPU have no buffer.
 */
static bool inherit_reports(const struct perf_event *event)
{
	const struct perf_event *eldest = perf_event_eldest(event);

	return event->attr.inherit_stat && event->cpu >= 0 &&
	       eldest->hw.target != current && READ_ONCE(eldest->rb);
}

static void inherit_report_one(struct perf_event *event)
{
	struct inherit_report report = { .task = current };

	if (inherit_reports(event))
		inherit_report_add(&report, event);
	inherit_report_send(&report);
}

/* Return: the next CPU that has events to report, nr_cpu_ids for none. */
static unsigned int inherit_report_cpu(const struct perf_ctx *ctx, int cpu)
{
	struct inherit_report report = { .task = current };
	unsigned int next = nr_cpu_ids;
	struct perf_event *event;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (event->cpu < cpu || !inherit_reports(event))
			continue;
		if (event->cpu == cpu)
			inherit_report_add(&report, event);
		else
			next = min_t(unsigned int, next, event->cpu);
	}
	inherit_report_send(&report);
	return next;
}

/*
 * The buffer of an event that is bound to a CPU is only written there. With
 * many events an interrupt for each would take longer than the rest of the
 * exit, so each CPU gets one for INHERIT_REPORTS events. The list is walked once
 * to find the first CPU, and once for each CPU that has events to report.
 */
static void inherit_report_all(const struct perf_ctx *ctx)
{
	unsigned int cpu = inherit_report_cpu(ctx, -1);

	lockdep_assert_held(&ctx->mutex);
	while (cpu < nr_cpu_ids) {
		cond_resched();
		cpu = inherit_report_cpu(ctx, cpu);
	}
}

/*
 * @report: a record has to be written, after the last count.
 * A reader of the eldest has child_mutex: it finds either the copy, or its count
 * in the sums of ended copies.
 */
static void inherit_end_copy(struct perf_event *copy, bool report)
{
	struct perf_event *eldest = copy->parent;

	scoped_guard(mutex, &eldest->child_mutex) {
		perf_control_remove(copy, PERF_EVENT_STATE_EXIT,
				    PERF_LEAVE_GROUP | PERF_LEAVE_PARENT);
		if (report)
			inherit_report_one(copy);
		perf_event_fold_child(copy);
	}
	/* Pollers check whether this was the last copy. */
	perf_overflow_wakeup(eldest);
	perf_event_put(copy);
}

static void inherit_end(struct perf_event *event, unsigned int leave,
			bool report)
{
	if (event->parent) {
		inherit_end_copy(event, report);
		return;
	}
	/* An opened event stays, so that its count can be read. */
	perf_control_remove(event, PERF_EVENT_STATE_EXIT, leave);
	if (report)
		inherit_report_one(event);
	perf_overflow_wakeup(event);
}

/**
 * perf_inherit_end() - end all events of a context
 * @ctx: context that is not loaded, and never will be again
 *
 * Copies are folded into their eldest and freed. Opened events change to EXIT
 * and stay. They also stay in their groups, which can still be read as such.
 *
 * Context: task; may sleep. Takes ctx->mutex; the mutex of the context it was
 * copied from may be held.
 */
void perf_inherit_end(struct perf_ctx *ctx)
{
	struct perf_event *event, *next;
	struct task_struct *task;

	mutex_lock_nested(&ctx->mutex, SINGLE_DEPTH_NESTING);
	raw_spin_lock_irq(&ctx->lock);
	task = perf_ctx_orphan_locked(ctx);
	raw_spin_unlock_irq(&ctx->lock);
	/* Counts are final. Contexts of families and of tasks that never ran do not report. */
	if (task == current)
		inherit_report_all(ctx);
	list_for_each_entry_safe(event, next, &ctx->event_list, event_entry) {
		inherit_end(event, 0, false);
		cond_resched();
	}
	mutex_unlock(&ctx->mutex);
	put_task_struct(task);
}

/**
 * perf_inherit_discard() - end all events of a context, and put it
 * @ctx: as for perf_inherit_end(); the caller's reference is put
 *
 * Context: as for perf_inherit_end().
 */
void perf_inherit_discard(struct perf_ctx *ctx)
{
	perf_inherit_end(ctx);
	perf_ctx_put(ctx);
}

/**
 * perf_inherit_exec() - remove the events that end at an exec
 * @ctx: context that was found for current; if it was exchanged since, it had
 *	no such events
 *
 * These events leave their groups; the other events of the groups continue in
 * the new program.
 *
 * Context: task; may sleep. Takes ctx->mutex.
 */
void perf_inherit_exec(struct perf_ctx *ctx)
{
	struct perf_event *event, *next;

	guard(mutex)(&ctx->mutex);
	if (READ_ONCE(ctx->pub.task) != current)
		return;
	list_for_each_entry_safe(event, next, &ctx->event_list, event_entry) {
		if (event->attr.remove_on_exec)
			inherit_end(event, PERF_LEAVE_GROUP, true);
	}
}
