// SPDX-License-Identifier: GPL-2.0
/*
 * Room "addr_filter": where in the code a trace unit traces.
 *
 * Purpose: an event of a PMU with address filters can have a list of filters,
 * for addresses in the kernel or in files. Processes map a file at different
 * addresses, so each event has a range of addresses for each filter. The range
 * is empty while the process has not mapped that part of the file as code. The
 * driver fetches both when the event is started.
 *
 * Owns: perf_event::{addr_filters,addr_filter_ranges,addr_filters_gen} and
 * hw.addr_filters_gen.
 *
 * Contexts: task. Drivers call perf_event_addr_filters_sync() from pmu::start,
 * also in NMI.
 *
 * Lifetime: the list belongs to the eldest and is freed with it, after the
 * copies. A replaced list is freed outside of the lock, when no reader can see
 * it any more. A filter has a reference on its file's path.
 *
 * Locking: addr_filters.lock, a raw spin lock of the eldest, protects the list
 * and the ranges of the eldest and its copies. It nests inside ctx->lock, and
 * is taken with interrupts off. A writer of the list also holds the mutex of
 * the eldest's context and the eldest's child_mutex; a reader holds any one of
 * the three.
 *
 * Race: SET_FILTER against mmap in the process in question.
 *  1. SET_FILTER installs the list, with all file ranges empty. Then it takes
 *     mmap_lock for reading, searches for mappings and stores the ranges.
 *  2. mmap has mmap_lock for writing. If it comes before, the mapping is found.
 *     If it comes after, it finds the list.
 *
 * Race: SET_FILTER against exec.
 *  1. SET_FILTER searches the old program's mappings.
 *  2. exec gives the task another mm, and then empties the ranges of files.
 *  3. SET_FILTER stores ranges under the lock only if the task still has the mm
 *     that was searched: then step 2 comes later. Otherwise it searches again.
 *
 * Race: SET_FILTER against fork.
 *  1. A copy joins the list of children with the ranges of the event it was
 *     copied from, under child_mutex.
 *  2. SET_FILTER holds child_mutex: either the copy has the old list's ranges
 *     and gets new ones, or it joins later and begins with the new ones.
 *  3. The fork goes on. Until it is complete it may still fail, and then its mm
 *     is freed while the copy can be found. So SET_FILTER leaves the new task's
 *     mm alone, and notes that it came in between: ctx->filters_late.
 *  4. The fork is complete and clears ctx->forking. If it finds the note, it
 *     applies the list. Full barriers see to it that one of the two does.
 *
 * Race: the driver in an NMI, while this CPU holds the lock.
 *  1. The driver asks for the filters and gets none.
 *  2. The task that had the lock restarts the event, and the driver asks again.
 */
#include <linux/fs.h>
#include <linux/hardirq.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "addr_filter.h"
#include "addr_filter_parse.h"
#include "aux_buffer.h"
#include "context.h"
#include "family.h"
#include "live.h"
#include "pmu.h"
#include "remote.h"

/* Number of lists that name a file. At 0 no mappings are searched. */
static atomic_t addr_filter_file_lists = ATOMIC_INIT(0);

/* A new list, or one that was replaced. */
struct addr_filter_list {
	struct list_head	head;
	unsigned int		nr;
	unsigned int		nr_file;
};

/* Counts a list with @nr_file names of files: @by 1 when set, -1 when freed. */
static void addr_filter_count_list(unsigned int nr_file, int by)
{
	if (!nr_file)
		return;
	atomic_add(by, &addr_filter_file_lists);
	perf_live_add(PERF_LIVE_FILE_FILTERS, by);
}

/* The list. */

static void addr_filter_list_free(struct addr_filter_list *list)
{
	struct perf_addr_filter *filter, *next;

	list_for_each_entry_safe(filter, next, &list->head, entry) {
		list_del(&filter->entry);
		path_put(&filter->path);
		kfree(filter);
	}
}

/* Not for a CPU's event: its processes map a file at different addresses. */
static int addr_filter_find_file(struct perf_event *event,
				 const struct perf_filter_term *term,
				 struct path *path)
{
	char *name;
	int err;

	if (!(event->attach_state & PERF_ATTACH_TASK))
		return -EOPNOTSUPP;
	name = kmemdup_nul(term->path, term->path_len, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	err = kern_path(name, LOOKUP_FOLLOW, path);
	kfree(name);
	if (err)
		return err;
	if (S_ISREG(d_inode(path->dentry)->i_mode))
		return 0;
	path_put(path);
	return -EINVAL;
}

static int addr_filter_add(struct perf_event *event,
			   const struct perf_filter_term *term,
			   struct addr_filter_list *list)
{
	struct perf_addr_filter *filter;
	int err;

	filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	if (!filter)
		return -ENOMEM;
	filter->action = term->action;
	filter->offset = term->offset;
	filter->size = term->size;
	if (term->path) {
		err = addr_filter_find_file(event, term, &filter->path);
		if (err) {
			kfree(filter);
			return err;
		}
		list->nr_file++;
	}
	list->nr++;
	list_add_tail(&filter->entry, &list->head);
	return 0;
}

/* On failure @list has the filters that were read so far. */
static int addr_filter_read(struct perf_event *event, const char *text,
			    struct addr_filter_list *list)
{
	struct perf_filter_term term;
	int ret;

	while ((ret = perf_filter_next(&text, &term)) > 0) {
		ret = addr_filter_add(event, &term, list);
		if (ret)
			break;
	}
	return ret;
}

/* Ranges. */

static bool addr_filter_is_code(const struct vm_area_struct *vma)
{
	return vma->vm_file && vma->vm_flags & VM_EXEC;
}

/* Return: false if the filter has nothing to do with this mapping. */
static bool addr_filter_locate(const struct perf_addr_filter *filter,
			       const struct vm_area_struct *vma,
			       struct perf_addr_filter_range *range)
{
	unsigned long first = vma->vm_pgoff << PAGE_SHIFT;
	unsigned long size = vma->vm_end - vma->vm_start;
	unsigned long skip;

	if (!filter->path.dentry ||
	    d_inode(filter->path.dentry) != file_user_inode(vma->vm_file))
		return false;

	if (filter->offset >= first) {
		skip = filter->offset - first;
		if (skip >= size)
			return false;
		range->start = vma->vm_start + skip;
		range->size = min(size - skip, filter->size);
		return true;
	}
	/* The filter begins before the mapping. */
	skip = first - filter->offset;
	if (skip >= filter->size)
		return false;
	range->start = vma->vm_start;
	range->size = min(size, filter->size - skip);
	return true;
}

static void addr_filter_reset_ranges(struct perf_event *event,
				     struct perf_addr_filter_range *ranges)
{
	struct list_head *list = &perf_event_addr_filters(event)->list;
	struct perf_addr_filter *filter;

	list_for_each_entry(filter, list, entry) {
		bool file = filter->path.dentry;

		ranges->start = file ? 0 : filter->offset;
		ranges->size = file ? 0 : filter->size;
		ranges++;
	}
}

static void addr_filter_reset_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_addr_filters(event)->lock);
	addr_filter_reset_ranges(event, event->addr_filter_ranges);
	event->addr_filters_gen++;
}

/*
 * The driver asks for filters when the event starts. A throttled event will be
 * started by the tick.
 */
static void addr_filter_restart_locked(struct perf_event *event)
{
	bool stays;

	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (event->state != PERF_EVENT_STATE_ACTIVE ||
	    perf_event_is_throttled(event))
		return;
	perf_pmu_disable(event->pmu);
	stays = perf_aux_stays_stopped(event);
	event->pmu->stop(event, PERF_EF_UPDATE);
	/* An NMI that came before the stop may have throttled it. */
	if (!stays && !perf_event_is_throttled(event))
		event->pmu->start(event, PERF_EF_RELOAD);
	perf_pmu_enable(event->pmu);
}

static int addr_filter_restart_remote(struct perf_ctx *ctx,
				      struct perf_cpu_context *cpuctx,
				      void *arg)
{
	addr_filter_restart_locked(arg);
	return 0;
}

/* Mappings that exist already. */

/*
 * The first mapping of a part of a file counts. @ranges: one for each filter,
 * empty for each filter of a file. The caller keeps the list from changing.
 */
static void addr_filter_search(struct perf_event *event, struct mm_struct *mm,
			       struct perf_addr_filter_range *ranges)
{
	struct list_head *list = &perf_event_addr_filters(event)->list;
	struct perf_addr_filter *filter;
	struct vm_area_struct *vma;
	unsigned int n;

	VMA_ITERATOR(vmi, mm, 0);

	mmap_assert_locked(mm);
	for_each_vma(vmi, vma) {
		if (!addr_filter_is_code(vma))
			continue;
		n = 0;
		list_for_each_entry(filter, list, entry) {
			if (!ranges[n].start)
				addr_filter_locate(filter, vma, &ranges[n]);
			n++;
		}
	}
}

/* Return: false if the task has executed another program meanwhile. */
static bool addr_filter_store(struct perf_event *event, struct task_struct *task,
			      struct mm_struct *mm, unsigned int nr,
			      const struct perf_addr_filter_range *ranges)
{
	struct perf_addr_filters_head *filters = perf_event_addr_filters(event);

	guard(raw_spinlock_irqsave)(&filters->lock);
	if (READ_ONCE(task->mm) != mm)
		return false;
	memcpy(event->addr_filter_ranges, ranges, nr * sizeof(*ranges));
	event->addr_filters_gen++;
	return true;
}

/* Return: false to try again. */
static bool addr_filter_try_apply(struct perf_event *event,
				  struct task_struct *task, unsigned int nr,
				  struct perf_addr_filter_range *ranges)
{
	struct mm_struct *mm = get_task_mm(task);
	bool stored;

	/* The task exits, or has no user mode. */
	if (!mm)
		return true;
	addr_filter_reset_ranges(event, ranges);
	mmap_read_lock(mm);
	addr_filter_search(event, mm, ranges);
	stored = addr_filter_store(event, task, mm, nr, ranges);
	mmap_read_unlock(mm);
	mmput(mm);
	return stored;
}

/*
 * Notes in a context whose fork is not complete that filters were set.
 * Return: true if perf_addr_filter_fork() applies them; false if the caller must.
 */
static bool addr_filter_leave_to_fork(struct perf_ctx *ctx)
{
	if (!READ_ONCE(ctx->forking))
		return false;
	WRITE_ONCE(ctx->filters_late, true);
	smp_mb(); /* pairs with B */
	return READ_ONCE(ctx->forking);
}

/*
 * A copy whose task has exited stays in its context: the code that ends the
 * copy has to take child_mutex, which the caller holds.
 */
static void addr_filter_apply(struct perf_event *event,
			      const struct addr_filter_list *list,
			      struct perf_addr_filter_range *ranges)
{
	struct perf_ctx *ctx = perf_event_ctx(event);
	struct task_struct *task = READ_ONCE(ctx->pub.task);

	lockdep_assert_held(&perf_event_eldest(event)->child_mutex);
	if (list->nr_file && task && task != TASK_TOMBSTONE &&
	    !addr_filter_leave_to_fork(ctx)) {
		while (!addr_filter_try_apply(event, task, list->nr, ranges))
			cond_resched();
	}
	perf_ctx_call(ctx, addr_filter_restart_remote, event);
}

/* Setting. */

static int addr_filter_validate(struct perf_event *event,
				struct addr_filter_list *list)
{
	struct pmu *pmu = event->pmu;
	int err;

	if (!pmu->addr_filters_validate)
		return -EOPNOTSUPP;
	err = pmu->addr_filters_validate(&list->head);
	if (err)
		return err;
	/*
	 * The event has no more ranges than that, even if the driver accepts
	 * the list.
	 */
	return list->nr > pmu->nr_addr_filters ? -EOPNOTSUPP : 0;
}

/* On return @list is the previous list. */
static void addr_filter_exchange(struct perf_event *event,
				 struct addr_filter_list *list)
{
	struct perf_addr_filters_head *filters = &event->addr_filters;
	struct perf_event *child;
	LIST_HEAD(old);

	lockdep_assert_held(&event->child_mutex);
	scoped_guard(raw_spinlock_irqsave, &filters->lock) {
		list_splice_init(&filters->list, &old);
		list_splice_init(&list->head, &filters->list);
		list_splice(&old, &list->head);
		swap(filters->nr_file_filters, list->nr_file);
		addr_filter_reset_locked(event);
	}
	/* There may be thousands of copies, and switches wait for the lock. */
	list_for_each_entry(child, &event->child_list, child_list) {
		scoped_guard(raw_spinlock_irqsave, &filters->lock)
			addr_filter_reset_locked(child);
		cond_resched();
	}
}

static void addr_filter_install(struct perf_event *event,
				struct addr_filter_list *list,
				struct perf_addr_filter_range *ranges)
{
	struct addr_filter_list present = *list;
	struct perf_event *child;

	guard(mutex)(&event->child_mutex);
	addr_filter_count_list(present.nr_file, 1);
	smp_mb__after_atomic(); /* A: the count, then task->mm */
	addr_filter_exchange(event, list);
	addr_filter_count_list(list->nr_file, -1);
	addr_filter_apply(event, &present, ranges);
	list_for_each_entry(child, &event->child_list, child_list)
		addr_filter_apply(child, &present, ranges);
}

/* The event's PMU may go away meanwhile. */
static bool addr_filter_has_any(struct perf_event *event)
{
	guard(rcu)();
	return READ_ONCE(event->pmu)->nr_addr_filters;
}

static int addr_filter_replace(struct perf_event *event,
			       struct addr_filter_list *list)
{
	struct perf_addr_filter_range *ranges;
	int err;

	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	if (perf_event_is_revoked(event))
		return -ENODEV;
	err = addr_filter_validate(event, list);
	if (err)
		return err;
	ranges = kcalloc(list->nr + 1, sizeof(*ranges), GFP_KERNEL);
	if (!ranges)
		return -ENOMEM;
	addr_filter_install(event, list, ranges);
	kfree(ranges);
	return 0;
}

/**
 * perf_addr_filter_set() - replace the filters of an event and its copies
 * @event: event that was opened, on a PMU that has such filters
 * @text: text from the user; see addr_filter_parse.c. A text without filters
 *	removes all filters
 *
 * On failure the filters stay as they were.
 *
 * Context: task; takes the mutex of the event's context, child_mutex and
 * the mmap_lock of each process concerned.
 * Return: 0; -EINVAL for a text in error, a size that is missing, a path that
 * does not lead to a regular file, and for a PMU without filters; -ERANGE for a
 * number that is too large; -EOPNOTSUPP for a file with an event of a CPU, and
 * for more filters than the PMU has; errors of the path; -ENOMEM; -ENODEV if
 * the PMU was unregistered; the errno of pmu::addr_filters_validate.
 */
int perf_addr_filter_set(struct perf_event *event, const char *text)
{
	struct perf_ctx *ctx;
	struct addr_filter_list list = { .head = LIST_HEAD_INIT(list.head) };
	int err = -EINVAL;

	/* Before ctx->mutex: a path in /proc takes locks outside of it. */
	if (addr_filter_has_any(event))
		err = addr_filter_read(event, text, &list);
	if (!err) {
		ctx = perf_event_ctx_lock(event);
		err = addr_filter_replace(event, &list);
		perf_event_ctx_unlock(event, ctx);
	}
	addr_filter_list_free(&list);
	return err;
}

/* Changes of a process. */

/* Return: whether the event has to be restarted. */
static bool addr_filter_mapped(struct perf_event *event,
			       const struct vm_area_struct *vma)
{
	struct perf_addr_filters_head *filters = perf_event_addr_filters(event);
	struct perf_addr_filter_range *range = event->addr_filter_ranges;
	struct perf_addr_filter *filter;
	bool changed = false;

	guard(raw_spinlock_irqsave)(&filters->lock);
	list_for_each_entry(filter, &filters->list, entry)
		changed |= addr_filter_locate(filter, vma, range++);
	if (changed)
		event->addr_filters_gen++;
	return changed;
}

static int addr_filter_mmap_remote(struct perf_ctx *ctx,
				   struct perf_cpu_context *cpuctx, void *arg)
{
	struct perf_event *event;

	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (has_addr_filter(event) && addr_filter_mapped(event, arg))
			addr_filter_restart_locked(event);
	}
	return 0;
}

/**
 * perf_addr_filter_mmap() - adapt the ranges of current's events to a mapping
 * @vma: new mapping
 *
 * A part of a file that is mapped again is traced at the new place.
 *
 * Context: task, mmap_lock held for writing.
 */
void perf_addr_filter_mmap(struct vm_area_struct *vma)
{
	struct perf_ctx *ctx;

	if (!atomic_read(&addr_filter_file_lists) || !addr_filter_is_code(vma))
		return;
	ctx = perf_ctx_find_task(current);
	if (!ctx)
		return;
	/* A family has no events with filters. */
	if (!perf_ctx_is_handle(ctx))
		perf_ctx_call(ctx, addr_filter_mmap_remote, vma);
	perf_ctx_put(ctx);
}

/* Empties the ranges of files. Return: whether the event must be restarted. */
static bool addr_filter_forget_files(struct perf_event *event)
{
	struct perf_addr_filters_head *filters = perf_event_addr_filters(event);

	guard(raw_spinlock_irqsave)(&filters->lock);
	if (filters->nr_file_filters)
		addr_filter_reset_locked(event);
	return filters->nr_file_filters;
}

static int addr_filter_exec_remote(struct perf_ctx *ctx,
				   struct perf_cpu_context *cpuctx, void *arg)
{
	struct perf_event *event;

	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (has_addr_filter(event) && addr_filter_forget_files(event))
			addr_filter_restart_locked(event);
	}
	return 0;
}

/**
 * perf_addr_filter_exec() - empty the ranges of files after an exec
 * @ctx: context of current
 *
 * Context: task.
 */
void perf_addr_filter_exec(struct perf_ctx *ctx)
{
	smp_mb(); /* task->mm, then the count; pairs with A */
	if (atomic_read(&addr_filter_file_lists))
		perf_ctx_call(ctx, addr_filter_exec_remote, NULL);
}

static void addr_filter_apply_late(struct perf_event *event)
{
	struct perf_event *eldest = perf_event_eldest(event);
	struct perf_addr_filter_range *ranges;
	struct addr_filter_list list = { };

	guard(mutex)(&eldest->child_mutex);
	list.nr = list_count_nodes(&eldest->addr_filters.list);
	list.nr_file = eldest->addr_filters.nr_file_filters;
	/* Some words, and the fork cannot fail any more. */
	ranges = kcalloc(list.nr + 1, sizeof(*ranges), GFP_KERNEL | __GFP_NOFAIL);
	addr_filter_apply(event, &list, ranges);
	kfree(ranges);
}

/* A family has no events with filters. */
static bool addr_filter_is_forking(struct task_struct *task)
{
	const struct perf_ctx *ctx;

	guard(rcu)();
	ctx = perf_task_ctx(task);
	return ctx && !perf_ctx_is_handle(ctx) && READ_ONCE(ctx->forking);
}

static void addr_filter_fork_ctx(struct perf_ctx *ctx)
{
	struct perf_event *event;

	WRITE_ONCE(ctx->forking, false);
	smp_mb(); /* B: forking, then the note */
	if (!READ_ONCE(ctx->filters_late))
		return;
	guard(mutex)(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (has_addr_filter(event))
			addr_filter_apply_late(event);
	}
}

/**
 * perf_addr_filter_fork() - apply filters that were set during a fork
 * @task: new task, which does not run yet; its fork cannot fail any more
 *
 * Context: task, may sleep; takes ctx->mutex, the child_mutex of eldest events,
 * and the mmap_lock of @task.
 */
void perf_addr_filter_fork(struct task_struct *task)
{
	struct perf_ctx *ctx;

	if (!addr_filter_is_forking(task))
		return;
	/* The task does not run, so nobody exchanges its context. */
	ctx = perf_ctx_find_task(task);
	addr_filter_fork_ctx(ctx);
	perf_ctx_put(ctx);
}

/* Memory of an event. */

/**
 * perf_addr_filter_alloc_ranges() - perf_addr_filter_alloc() for a trace unit
 * @event: new event of a PMU with address filters
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM.
 */
int perf_addr_filter_alloc_ranges(struct perf_event *event)
{
	unsigned int nr = event->pmu->nr_addr_filters;

	event->addr_filter_ranges = kcalloc(nr, sizeof(*event->addr_filter_ranges),
					    GFP_KERNEL);
	if (!event->addr_filter_ranges)
		return -ENOMEM;
	/* Differs from the driver's number, so that the driver asks. */
	event->addr_filters_gen = 1;
	return 0;
}

/**
 * perf_addr_filter_drop_list() - perf_addr_filter_drop() for an event with filters
 * @event: see there
 *
 * Context: task, may sleep.
 */
void perf_addr_filter_drop_list(struct perf_event *event)
{
	struct addr_filter_list list = { .head = LIST_HEAD_INIT(list.head) };

	list_splice_init(&event->addr_filters.list, &list.head);
	addr_filter_count_list(event->addr_filters.nr_file_filters, -1);
	addr_filter_list_free(&list);
}

/**
 * perf_addr_filter_free() - free an event's ranges
 * @event: event that no other code can find
 *
 * Context: any but NMI.
 */
void perf_addr_filter_free(struct perf_event *event)
{
	kfree(event->addr_filter_ranges);
}

/**
 * perf_addr_filter_inherit() - give a copy the ranges of its source
 * @copy: inherited event that is about to be listed
 * @source: event of current that was copied
 *
 * The new process begins with the mappings of current.
 *
 * Context: task, the eldest's child_mutex.
 */
void perf_addr_filter_inherit(struct perf_event *copy,
			      const struct perf_event *source)
{
	struct perf_addr_filters_head *filters = perf_event_addr_filters(copy);
	unsigned int n = 0;
	struct list_head *at;

	lockdep_assert_held(&copy->parent->child_mutex);
	if (!copy->addr_filter_ranges)
		return;
	guard(raw_spinlock_irqsave)(&filters->lock);
	list_for_each(at, &filters->list) {
		copy->addr_filter_ranges[n] = source->addr_filter_ranges[n];
		n++;
	}
}

/**
 * perf_event_addr_filters_sync() - give a driver an event's address filters
 * @event: event that is started
 *
 * Calls pmu::addr_filters_sync if there is anything new since the last time.
 *
 * Context: on the event's CPU, interrupts off, NMI possible.
 */
void perf_event_addr_filters_sync(struct perf_event *event)
{
	struct perf_addr_filters_head *filters = perf_event_addr_filters(event);

	lockdep_assert_irqs_disabled();
	if (!has_addr_filter(event) || !event->pmu->addr_filters_sync)
		return;
	if (!in_nmi())
		raw_spin_lock(&filters->lock);
	else if (!raw_spin_trylock(&filters->lock))
		return;
	if (event->addr_filters_gen != event->hw.addr_filters_gen) {
		event->pmu->addr_filters_sync(event);
		event->hw.addr_filters_gen = event->addr_filters_gen;
	}
	raw_spin_unlock(&filters->lock);
}
EXPORT_SYMBOL_GPL(perf_event_addr_filters_sync);
