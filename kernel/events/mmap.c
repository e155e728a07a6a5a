// SPDX-License-Identifier: GPL-2.0
/*
 * Room "mmap": how an event gets a ring buffer, shares it, and loses it again.
 *
 * Owns event->rb, event->mmap_count, the buffer's list of events, the locked
 * memory charge, and the fields of the user page that describe the event.
 *
 * Contexts: task, except for perf_event_update_userpage(), which runs anywhere.
 *
 * Lifetime: a buffer is in use while rb->mmap_count, the number of its mappings
 * through any event, is not 0. The count starts at 1, and stays 0 once it is 0.
 * Events that write to a buffer are attached: they hold a reference and are on
 * rb->event_list. The last unmapping detaches them all, as no task could read
 * what they write. So neither munmap nor mmap waits for a grace period: the
 * list is walked under its lock only, and the memory is freed by RCU.
 *
 * The AUX area is part of a buffer. It is mapped through an event that writes
 * to the buffer. Each of its mappings counts as one of the buffer's, too. The
 * last of them ends the area, while the buffer stays.
 *
 * All mappings show the same user page, so the page offers a counter only while
 * every one of them can read it. Whether a mapping can read the counter is
 * decided when the mapping is made, moved or copied by a fork, and holds until
 * it is unmapped. rb->nr_blind counts the mappings that cannot. An update of
 * the page cannot decide this again: it does not know which thread will read,
 * and no update is made when a thread is bound to a CPU.
 *
 * Locking: mmap_lock > event->mmap_mutex > rb->aux.mutex; mmap_mutex >
 * rb->event_lock > waitq.lock. event->rb changes under mmap_mutex; writers read
 * it under RCU. Of two mmap_mutexes the one with the lower address comes first.
 *
 * Race, @event is redirected to the buffer of @target while the last mapping
 * goes:
 *
 *   1. set_output holds both mmap_mutexes. It sees that @target is attached and
 *      rb->mmap_count is above 0, and attaches @event, too.
 *   2. If close brought the count to 0 before, set_output refuses.
 *   3. If close does so later, it detaches the events on the list, one at a
 *      time, until it finds none. It cannot pass @target while set_output holds
 *      that mutex; when close gets the mutex, @event is on the list.
 *
 * Race, two processes close two mappings of one event: each lowers
 * rb->mmap_count and event->mmap_count in one section of mmap_mutex. The
 * process that brings one of them to 0 does the work that this requires,
 * whatever the other process does.
 *
 * An event whose last reference was put may still be on the list. Close skips
 * it; the event's destructor detaches it. An event on the list has been opened,
 * or was attached by the last step of an open that can fail.
 */

#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/security.h>
#include <linux/wait.h>

#include "mmap.h"
#include "aux_buffer.h"
#include "buffer_types.h"
#include "clock.h"
#include "context.h"
#include "delay.h"
#include "live.h"
#include "remote.h"
#include "ring_buffer.h"

/*
 * kernel.perf_event_mlock_kb: kilobytes that each user may map for each online
 * CPU before mappings count against RLIMIT_MEMLOCK. The default is 512 and the
 * user page.
 */
int sysctl_perf_event_mlock __read_mostly = 512 + (PAGE_SIZE / 1024);

/* Number of pages that are mapped at once. */
#define PERF_MMAP_BATCH	32

/* The user page. */

/*
 * A program reads the counters of the CPU that it runs on. That is the event's
 * CPU if the event counts one task of the program. An inherited event may count
 * any task of the family, so it cannot be read. An event of a CPU can be read
 * by a task that may run on no other CPU. If a fork copies a mapping, @mm is
 * not the caller's.
 */
static bool perf_mmap_can_read_mutexed(struct perf_event *event,
				       const struct perf_buffer *rb,
				       const struct mm_struct *mm)
{
	lockdep_assert_held(&event->mmap_mutex);

	if (event->attr.inherit)
		return false;
	/* Mappings made before an exec of the target belong to its old mm. */
	if (event->attach_state & PERF_ATTACH_TASK)
		return READ_ONCE(event->hw.target->mm) == mm &&
		       (!rb->nr_readers || rb->reader_mm == mm);
	return mm == current->mm && current->nr_cpus_allowed == 1 &&
	       cpumask_test_cpu(event->cpu, current->cpus_ptr);
}

/* All mappings show the same page. An exec gives the target another mm. */
static bool perf_mmap_readers_can_read(const struct perf_event *event,
				       const struct perf_buffer *rb)
{
	if (READ_ONCE(rb->nr_blind))
		return false;
	return !(event->attach_state & PERF_ATTACH_TASK) ||
	       READ_ONCE(event->hw.target->mm) == READ_ONCE(rb->reader_mm);
}

static u32 perf_mmap_index(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE ||
	    (event->hw.state & PERF_HES_STOPPED))
		return 0;
	return event->pmu->event_idx(event);
}

/*
 * Return: whether a reader that continues the times gets them right. With an
 * index the reader adds the time since the update to both times. Without one it
 * leaves equal times alone, and otherwise adds to the enabled time. That is
 * right for an event that waits for its turn while the reader runs; a sibling
 * waits only while its leader is enabled. An event of a task and a CPU may wait
 * for the task to come to that CPU, which the page cannot show.
 */
static bool perf_mmap_times_go_on(const struct perf_event *event,
				  const struct perf_event_mmap_page *userpg,
				  u32 index)
{
	if (!perf_event_cgroup_runs(event))
		return false;
	if (index || userpg->time_enabled == userpg->time_running)
		return true;
	return event->state == PERF_EVENT_STATE_INACTIVE &&
	       event->group_leader->state >= PERF_EVENT_STATE_INACTIVE &&
	       (event->cpu == -1 || !(event->attach_state & PERF_ATTACH_TASK));
}

/*
 * An architecture describes here how its counters and its clock are read
 * without a system call. @now is the perf_clock() of the times in @userpg.
 */
void __weak arch_perf_update_userpage(struct perf_event *event,
				      struct perf_event_mmap_page *userpg,
				      u64 now)
{
}

/*
 * The reader adds the value of the counter to this. It takes the topmost of the
 * @width bits for the sign; a driver may have stored @prev_count without one.
 */
static u64 perf_mmap_offset(const struct perf_event *event, u32 index, u16 width)
{
	u64 count = local64_read(&event->count) +
		    atomic64_read(&event->child_count);
	u64 prev = local64_read(&event->hw.prev_count);

	if (!index)
		return count;
	if (width >= 1 && width <= 64)
		prev = sign_extend64(prev, width - 1);
	return count - prev;
}

/*
 * The times of a page that was filled with this value go on for as long as the
 * value stays the same. Time in which the event does not run, or is disabled,
 * reduces it.
 */
static u64 perf_mmap_anchor(const struct perf_event *event)
{
	return event->running_offset + perf_event_ctx(event)->timeoffset;
}

/* Return: whether readers may go on with the clock that a page describes. */
static bool perf_mmap_clock_goes_on(void)
{
#ifdef CONFIG_HAVE_UNSTABLE_SCHED_CLOCK
	return sched_clock_stable();
#else
	return true;
#endif
}

/*
 * Return: whether readers get the times right without an update, as the page
 * tells how to continue them with a clock that still can be used.
 */
static bool perf_mmap_shows_times(const struct perf_event *event,
				  const struct perf_buffer *rb, u32 index)
{
	return index && index == rb->shown_index &&
	       rb->shown_anchor == perf_mmap_anchor(event) &&
	       perf_mmap_clock_goes_on();
}

/* Fills in all but the offset. Out of line: an overflow rarely needs it. */
static noinline void perf_mmap_fill_times(struct perf_event *event,
					  struct perf_buffer *rb,
					  bool readable, u32 index)
{
	struct perf_event_mmap_page *userpg = rb->user_page;
	u64 enabled, running, now = perf_clock();

	WRITE_ONCE(rb->shown_index, 0);
	perf_event_time_at(event, now, &enabled, &running);
	userpg->index = index;
	userpg->time_enabled = enabled +
			       atomic64_read(&event->child_total_time_enabled);
	userpg->time_running = running +
			       atomic64_read(&event->child_total_time_running);
	arch_perf_update_userpage(event, userpg, now);
	/* The architecture may offer more than readers of this page can use. */
	if (!readable)
		userpg->cap_user_rdpmc = 0;
	if (!readable || !perf_mmap_times_go_on(event, userpg, index))
		userpg->cap_user_time = 0;
	if (!index || !userpg->cap_user_time || !perf_event_ctx(event) ||
	    perf_event_has_cgroup(event))
		return;
	rb->shown_anchor = perf_mmap_anchor(event);
	barrier(); /* an NMI that finds the index finds all of the above */
	WRITE_ONCE(rb->shown_index, index);
}

static void perf_mmap_fill_userpage(struct perf_event *event,
				    struct perf_buffer *rb)
{
	struct perf_event_mmap_page *userpg = rb->user_page;
	bool readable = perf_mmap_readers_can_read(event, rb);
	u32 index = readable ? perf_mmap_index(event) : 0;

	if (!perf_mmap_shows_times(event, rb, index))
		perf_mmap_fill_times(event, rb, readable, index);
	userpg->offset = perf_mmap_offset(event, index,
					  READ_ONCE(userpg->pmc_width));
}

/*
 * Return: false if another update came in an NMI meanwhile. That one had newer
 * values, which this one may have overwritten in part.
 */
static bool perf_mmap_try_update(struct perf_event *event,
				 struct perf_buffer *rb)
{
	struct perf_event_mmap_page *userpg = rb->user_page;
	long update = local_inc_return(&rb->updates);

	WRITE_ONCE(userpg->lock, READ_ONCE(userpg->lock) + 1);
	barrier(); /* a reader of counters runs on this CPU */
	perf_mmap_fill_userpage(event, rb);
	barrier();
	WRITE_ONCE(userpg->lock, READ_ONCE(userpg->lock) + 1);
	return local_read(&rb->updates) == update;
}

/**
 * perf_event_update_userpage() - show count and times in the event's user page
 * @event: any event; without a mapping of its own nothing happens
 *
 * An event that only writes to the buffer of another event has no user page:
 * the page in that buffer shows the other event.
 *
 * While readers can continue the times that the page shows, these stay as they
 * are. So an overflow only updates the offset.
 *
 * A reader sees @lock change if it read during an update. It may write the page
 * itself, so the kernel does not rely on anything that it reads there.
 *
 * Context: any, NMI included, on the CPU where the event's context is loaded,
 * or with ctx->lock if it is loaded nowhere.
 */
void perf_event_update_userpage(struct perf_event *event)
{
	struct perf_buffer *rb;

	if (!atomic_read(&event->mmap_count))
		return;

	guard(rcu)();
	guard(irqsave)();
	rb = perf_rb_rcu(event);
	if (!rb || READ_ONCE(rb->page_event) != event)
		return;
	/* The next try fills in the times, whatever the page shows now. */
	while (!perf_mmap_try_update(event, rb))
		rb->shown_index = 0;
}
EXPORT_SYMBOL_GPL(perf_event_update_userpage);

static int perf_mmap_show_remote(struct perf_ctx *ctx,
				 struct perf_cpu_context *cpuctx, void *arg)
{
	struct perf_event *event = arg;

	if (perf_event_ctx(event) != ctx)
		return -EAGAIN;
	/* An event that is moving: perf_mmap_moved() follows. */
	if (event->attach_state & PERF_ATTACH_CONTEXT || !event->pmu_ctx)
		perf_event_update_userpage(event);
	return 0;
}

/**
 * perf_mmap_show() - update an event's user page where its context is loaded
 * @event: event of a context
 *
 * Context: task, interrupts on.
 */
void perf_mmap_show(struct perf_event *event)
{
	struct perf_ctx *ctx;
	int err;

	smp_mb(); /* event->rb is set before the event is found to be moving */
	do {
		ctx = perf_event_ctx_get(event);
		err = perf_ctx_call(ctx, perf_mmap_show_remote, event);
		perf_ctx_put(ctx);
		/* The event has moved to another context meanwhile. */
	} while (err);
}

/**
 * perf_mmap_moved() - update the user page of an event that has moved
 * @event: event that is in its new context
 *
 * A user may have mapped it while it was in no context.
 *
 * Context: task, interrupts on; ctx->mutex.
 */
void perf_mmap_moved(struct perf_event *event)
{
	smp_mb(); /* the event is in its context before event->rb is read */
	if (READ_ONCE(event->rb))
		perf_mmap_show(event);
}

/*
 * Decides whether a mapping can read the counter. The mapping keeps the
 * decision until perf_mmap_drop_mutexed().
 * Return: whether the page may no longer offer a counter and must be updated.
 */
static bool perf_mmap_judge_mutexed(struct perf_event *event,
				    struct perf_buffer *rb,
				    struct vm_area_struct *vma)
{
	bool can_read = perf_mmap_can_read_mutexed(event, rb, vma->vm_mm);

	lockdep_assert_held(&event->mmap_mutex);

	vma->vm_private_data = can_read ? rb : NULL;
	if (!can_read) {
		WRITE_ONCE(rb->nr_blind, rb->nr_blind + 1);
		return rb->nr_blind == 1;
	}
	rb->nr_readers++;
	WRITE_ONCE(rb->reader_mm, vma->vm_mm);
	return false;
}

/* Return: whether the page may offer a counter again. */
static bool perf_mmap_drop_mutexed(struct perf_event *event,
				   struct perf_buffer *rb,
				   const struct vm_area_struct *vma)
{
	lockdep_assert_held(&event->mmap_mutex);

	if (vma->vm_private_data) {
		rb->nr_readers--;
		return false;
	}
	WRITE_ONCE(rb->nr_blind, rb->nr_blind - 1);
	return !rb->nr_blind && rb->nr_readers;
}

static void perf_mmap_init_userpage(struct perf_buffer *rb)
{
	struct perf_event_mmap_page *userpg = rb->user_page;

	userpg->cap_bit0_is_deprecated = 1;
	userpg->size = offsetof(struct perf_event_mmap_page, __reserved);
	userpg->data_offset = PAGE_SIZE;
	userpg->data_size = perf_rb_data_size(rb);
}

/* Attaching. */

static void perf_mmap_unlink(struct perf_event *event, struct perf_buffer *rb)
{
	spin_lock_irq(&rb->event_lock);
	list_del_init(&event->rb_entry);
	if (rb->page_event == event)
		WRITE_ONCE(rb->page_event, NULL);
	spin_unlock_irq(&rb->event_lock);
}

static void perf_mmap_link(struct perf_event *event, struct perf_buffer *rb)
{
	spin_lock_irq(&rb->event_lock);
	list_add(&event->rb_entry, &rb->event_list);
	spin_unlock_irq(&rb->event_lock);
}

/*
 * Makes @event write to @rb, whose reference it takes over, or nowhere if @rb
 * is NULL. Pollers of the event are woken to look again, as wake-ups of the old
 * buffer may have missed them. If the event has requested a wake-up of the old
 * buffer's pollers, its irq_work may look at @rb already, so they are woken
 * here. A request that comes later, from a writer that has the old buffer
 * still, is left to the next one.
 */
static void perf_mmap_attach_mutexed(struct perf_event *event,
				     struct perf_buffer *rb)
{
	struct perf_buffer *old = perf_rb_mutexed(event);

	lockdep_assert_held(&event->mmap_mutex);

	if (old)
		perf_mmap_unlink(event, old);
	if (rb)
		perf_mmap_link(event, rb);
	perf_aux_move(event, old, rb);
	if (old) {
		perf_rb_wake_due(old);
		perf_rb_put(old);
		wake_up_all(&event->waitq);
	}
}

/**
 * perf_mmap_detach_buffer() - perf_mmap_detach() for an event with a buffer
 * @event: see there
 *
 * Context: task; takes mmap_mutex.
 */
void perf_mmap_detach_buffer(struct perf_event *event)
{
	guard(mutex)(&event->mmap_mutex);
	perf_mmap_attach_mutexed(event, NULL);
}

/* Return: the next event that can be detached, with a reference, or NULL. */
static struct perf_event *perf_mmap_next_event(struct perf_buffer *rb)
{
	struct perf_event *event, *found = NULL;

	spin_lock_irq(&rb->event_lock);
	list_for_each_entry(event, &rb->event_list, rb_entry) {
		if (perf_event_tryget(event)) {
			found = event;
			break;
		}
	}
	spin_unlock_irq(&rb->event_lock);
	return found;
}

/*
 * Each iteration takes one event off the list, or finds that another task has
 * just done so. No event is added while mmap_count is 0.
 */
static void perf_mmap_detach_all(struct perf_buffer *rb)
{
	struct perf_event *event;

	while ((event = perf_mmap_next_event(rb))) {
		perf_debug_sleep();
		scoped_guard(mutex, &event->mmap_mutex) {
			if (perf_rb_mutexed(event) == rb)
				perf_mmap_attach_mutexed(event, NULL);
		}
		/* Perhaps the last reference: its file may be closed by now. */
		perf_event_put_late(event);
	}
}

/* Locked memory. */

/* Return: how many of @wanted pages the user's own allowance still covers. */
static unsigned long perf_mmap_allowed(unsigned long used, unsigned long wanted)
{
	unsigned long limit = sysctl_perf_event_mlock >> (PAGE_SHIFT - 10);

	limit *= num_online_cpus();
	return used < limit ? min(wanted, limit - used) : 0;
}

static bool perf_mmap_may_pin(u64 pinned)
{
	return pinned <= rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT ||
	       !perf_is_paranoid() || capable(CAP_IPC_LOCK);
}

static void perf_mmap_uncharge(struct perf_rb_charge *charge)
{
	perf_live_add(PERF_LIVE_USER_PAGES, -charge->user_pages);
	perf_live_add(PERF_LIVE_PINNED_PAGES, -charge->mm_pages);
	atomic_long_sub(charge->user_pages, &charge->user->perf_mlock);
	atomic64_sub(charge->mm_pages, &charge->mm->pinned_vm);
	free_uid(charge->user);
	mmdrop(charge->mm);
}

/*
 * Divides @nr_pages between the user's allowance and @charge->mm. The limit is
 * checked before anything is taken, so a mapping over the limit does not make
 * another one fail.
 * Return: 0; -EPERM over the limit.
 */
static int perf_mmap_charge_user(struct perf_rb_charge *charge,
				 unsigned long nr_pages)
{
	atomic_long_t *allowance = &charge->user->perf_mlock;
	long used = atomic_long_read(allowance);
	u64 pinned = atomic64_read(&charge->mm->pinned_vm);

	do {
		charge->user_pages = perf_mmap_allowed(used, nr_pages);
		charge->mm_pages = nr_pages - charge->user_pages;
		if (!perf_mmap_may_pin(pinned + charge->mm_pages))
			return -EPERM;
	} while (!atomic_long_try_cmpxchg(allowance, &used,
					  used + charge->user_pages));
	return 0;
}

/*
 * Charges @nr_pages to current's user and, beyond the allowance, to @mm. Both
 * are remembered, as another process may be the last to unmap.
 * Return: 0; -EPERM over the limit; then nothing is charged.
 */
static int perf_mmap_charge(struct perf_rb_charge *charge,
			    struct mm_struct *mm, unsigned long nr_pages)
{
	int err;

	/* Other mappings of the process wait, and are not charged meanwhile. */
	mmap_assert_write_locked(mm);
	charge->user = current_user();
	charge->mm = mm;
	err = perf_mmap_charge_user(charge, nr_pages);
	if (err)
		return err;
	get_uid(charge->user);
	mmgrab(mm);
	atomic64_add(charge->mm_pages, &mm->pinned_vm);
	perf_live_add(PERF_LIVE_USER_PAGES, charge->user_pages);
	perf_live_add(PERF_LIVE_PINNED_PAGES, charge->mm_pages);
	return 0;
}

/* The AUX area. */

/* Return: an unpublished area, charged; -EPERM, -ENOMEM. */
static struct perf_aux_area *perf_mmap_create_aux(struct perf_event *event,
						  struct vm_area_struct *vma)
{
	struct perf_rb_charge charge;
	struct perf_aux_area *area;
	int err;

	err = perf_mmap_charge(&charge, vma->vm_mm, vma_pages(vma));
	if (err)
		return ERR_PTR(err);
	area = perf_aux_alloc(event, vma);
	if (!area) {
		perf_mmap_uncharge(&charge);
		return ERR_PTR(-ENOMEM);
	}
	area->charge = charge;
	return area;
}

static void perf_mmap_free_aux(struct perf_aux_area *area)
{
	perf_mmap_uncharge(&area->charge);
	perf_aux_free(area);
}

/* Return: the area to map, which may be a new one; -EINVAL, -EPERM, -ENOMEM. */
static struct perf_aux_area *
perf_mmap_find_aux_mutexed(struct perf_event *event, struct perf_buffer *rb,
			   struct vm_area_struct *vma)
{
	struct perf_aux_area *area = rb->aux.area;

	lockdep_assert_held(&rb->aux.mutex);
	if (!area)
		return perf_mmap_create_aux(event, vma);
	/*
	 * A retired area belongs to a PMU that is, or is being, unregistered.
	 */
	if (area->pmu != event->pmu || area->state != PERF_AUX_OPEN)
		return ERR_PTR(-EINVAL);
	return area;
}

static void perf_mmap_put_aux_mutexed(struct perf_buffer *rb)
{
	struct perf_aux_area *area = rb->aux.area;

	lockdep_assert_held(&rb->aux.mutex);
	if (--area->mappings)
		return;
	perf_aux_retire_mutexed(rb);
	WRITE_ONCE(rb->aux.area, NULL);
	perf_mmap_free_aux(area);
}

/**
 * perf_mmap_revoke_aux() - take an AUX area from a PMU that is unregistered
 * @event: event in the state REVOKED, whose event->pmu is still that PMU
 *
 * Each mapping of the area belongs to an event of the PMU that is attached to
 * the buffer, so that the area is found when all of these events are revoked.
 * No event maps a new area: it would see that it is revoked.
 *
 * Context: task, may sleep; takes mmap_mutex and rb->aux.mutex.
 */
void perf_mmap_revoke_aux(struct perf_event *event)
{
	struct perf_buffer *rb;

	guard(mutex)(&event->mmap_mutex);
	rb = perf_rb_mutexed(event);
	if (!rb)
		return;
	guard(mutex)(&rb->aux.mutex);
	if (rb->aux.area && rb->aux.area->pmu == event->pmu)
		perf_aux_retire_mutexed(rb);
}

/* The mapping. */

/* The driver of a revoked event is not notified: see revoke.c. */
static void perf_mmap_tell_mapped(struct perf_event *event,
				  struct mm_struct *mm)
{
	guard(mutex)(&event->mmap_mutex);
	if (!perf_event_is_revoked(event) && event->pmu->event_mapped)
		event->pmu->event_mapped(event, mm);
}

static void perf_mmap_tell_unmapped(struct perf_event *event,
				    struct mm_struct *mm)
{
	guard(mutex)(&event->mmap_mutex);
	if (!perf_event_is_revoked(event) && event->pmu->event_unmapped)
		event->pmu->event_unmapped(event, mm);
}

static bool perf_mmap_is_aux(const struct vm_area_struct *vma)
{
	return vma->vm_pgoff;
}

/* Return: as perf_mmap_judge_mutexed(). */
static bool perf_mmap_copy_mutexed(struct perf_event *event,
				   struct vm_area_struct *vma)
{
	struct perf_buffer *rb = perf_rb_mutexed(event);

	lockdep_assert_held(&event->mmap_mutex);

	atomic_inc(&event->mmap_count);
	refcount_inc(&rb->mmap_count);
	if (!perf_mmap_is_aux(vma))
		return perf_mmap_judge_mutexed(event, rb, vma);
	guard(mutex)(&rb->aux.mutex);
	rb->aux.area->mappings++;
	return false;
}

/*
 * mremap(2) has moved the mapping: for a moment there are two of them. Or a
 * fork has copied it, after MADV_DOFORK.
 */
static void perf_mmap_open(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	bool show;

	scoped_guard(mutex, &event->mmap_mutex)
		show = perf_mmap_copy_mutexed(event, vma);
	perf_mmap_tell_mapped(event, vma->vm_mm);
	if (show)
		perf_mmap_show(event);
}

static void perf_mmap_close(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_buffer *rb = perf_rb_get(event);
	bool unused, show = false;

	perf_mmap_tell_unmapped(event, vma->vm_mm);
	if (perf_mmap_is_aux(vma)) {
		guard(mutex)(&rb->aux.mutex);
		perf_mmap_put_aux_mutexed(rb);
	}
	perf_debug_sleep();
	scoped_guard(mutex, &event->mmap_mutex) {
		if (!perf_mmap_is_aux(vma))
			show = perf_mmap_drop_mutexed(event, rb, vma);
		unused = refcount_dec_and_test(&rb->mmap_count);
		if (atomic_dec_and_test(&event->mmap_count))
			perf_mmap_attach_mutexed(event, NULL);
	}
	if (unused) {
		perf_rb_set_state(rb, PERF_RB_UNMAPPED);
		perf_mmap_detach_all(rb);
		perf_mmap_uncharge(&rb->charge);
	}
	if (show)
		perf_mmap_show(event);
	perf_rb_put(rb);
}

/* No splits: open and close could not match size and offset of a part. */
static int perf_mmap_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

/*
 * The mapping @vma keeps what it maps. mm requires page->mapping and
 * page->index of a page in a shared mapping of a file.
 */
static struct page *perf_mmap_page(struct vm_area_struct *vma,
				   struct perf_buffer *rb, unsigned long pgoff)
{
	struct page *page = perf_mmap_is_aux(vma) ? perf_aux_page(rb, pgoff) :
						    perf_rb_page(rb, pgoff);

	if (page) {
		page->mapping = vma->vm_file->f_mapping;
		page->index = pgoff;
	}
	return page;
}

/*
 * The user page may be written, data may only be read. mmap(2) maps all pages
 * at once: a page that faults was discarded by madvise(2), or mm had no memory.
 */
static vm_fault_t perf_mmap_fault(struct vm_fault *vmf)
{
	struct perf_event *event = vmf->vma->vm_file->private_data;
	struct perf_buffer *rb;
	struct page *page;

	if (vmf->pgoff && (vmf->flags & FAULT_FLAG_WRITE))
		return VM_FAULT_SIGBUS;

	guard(rcu)();
	rb = perf_rb_rcu(event);
	page = rb ? perf_mmap_page(vmf->vma, rb, vmf->pgoff) : NULL;
	if (!page)
		return VM_FAULT_SIGBUS;

	get_page(page);
	vmf->page = page;
	return 0;
}

static vm_fault_t perf_mmap_mkwrite(struct vm_fault *vmf)
{
	return vmf->pgoff ? VM_FAULT_SIGBUS : 0;
}

static const struct vm_operations_struct perf_mmap_vm_ops = {
	.open		= perf_mmap_open,
	.close		= perf_mmap_close,
	.may_split	= perf_mmap_may_split,
	.fault		= perf_mmap_fault,
	.page_mkwrite	= perf_mmap_mkwrite,
};

/* Return: number of pages from @pgoff on that were stored in @pages. */
static unsigned long perf_mmap_collect(struct vm_area_struct *vma,
				       struct perf_buffer *rb,
				       unsigned long pgoff,
				       struct page *pages[PERF_MMAP_BATCH])
{
	unsigned long nr = 0, end = vma->vm_pgoff + vma_pages(vma);

	while (nr < PERF_MMAP_BATCH && pgoff + nr < end) {
		pages[nr] = perf_mmap_page(vma, rb, pgoff + nr);
		if (!pages[nr])
			break;
		nr++;
	}
	return nr;
}

/*
 * Maps what faults would map, all at once. Pages are mapped read-only, so that
 * the first store to the user page calls page_mkwrite. mm sets the protection
 * only after mmap, by the same rule. Pages that cannot be mapped now are left
 * to faults.
 */
static void perf_mmap_populate(struct vm_area_struct *vma)
{
	struct perf_buffer *rb = perf_rb_get(vma->vm_file->private_data);
	struct page *pages[PERF_MMAP_BATCH];
	unsigned long at, nr, left;

	if (!rb)
		return;
	vma_set_page_prot(vma);
	for (at = vma->vm_start; at < vma->vm_end; at += nr << PAGE_SHIFT) {
		nr = perf_mmap_collect(vma, rb, linear_page_index(vma, at),
				       pages);
		left = nr;
		if (!nr || vm_insert_pages(vma, at, pages, &left))
			break;
		cond_resched();
	}
	perf_rb_put(rb);
}

/* Return: data pages that @vma asks for, or -EINVAL, -ENOMEM. */
static int perf_mmap_data_pages(struct vm_area_struct *vma)
{
	unsigned long nr_pages = vma_pages(vma) - 1;

	if (nr_pages && !is_power_of_2(nr_pages))
		return -EINVAL;
	if (nr_pages > INT_MAX)
		return -ENOMEM;
	return nr_pages;
}

/*
 * All steps that can fail come before the buffer is visible. The charge comes
 * first, so that a caller over the limit allocates nothing.
 */
static int perf_mmap_create_mutexed(struct perf_event *event,
				    struct vm_area_struct *vma, int nr_pages)
{
	const struct perf_event_attr *attr = &event->attr;
	int flags = vma->vm_flags & VM_WRITE ? PERF_RB_WRITABLE : 0;
	struct perf_rb_charge charge;
	struct perf_buffer *rb;
	int err;

	lockdep_assert_held(&event->mmap_mutex);

	err = perf_mmap_charge(&charge, vma->vm_mm, nr_pages + 1UL);
	if (err)
		return err;

	rb = perf_rb_alloc(nr_pages,
			   attr->watermark ? attr->wakeup_watermark : 0,
			   event->cpu, flags);
	if (!rb) {
		perf_mmap_uncharge(&charge);
		return -ENOMEM;
	}
	rb->charge = charge;
	rb->page_event = event;
	refcount_set(&rb->mmap_count, 1);
	perf_rb_set_state(rb, PERF_RB_MAPPED);
	perf_mmap_init_userpage(rb);
	perf_mmap_attach_mutexed(event, rb);
	return 0;
}

/*
 * If the buffer is out of use, and its closer has not detached @event yet, this
 * detaches @event. The data of a buffer in use can be mapped again only through
 * the event that made it, because its user page can show only one event.
 * Return: 0, and @event->rb has one mapping more or is NULL; -EINVAL if the
 * size differs, or another event has made the buffer.
 */
static int perf_mmap_join_mutexed(struct perf_event *event, int nr_pages)
{
	struct perf_buffer *rb = perf_rb_mutexed(event);

	lockdep_assert_held(&event->mmap_mutex);

	if (perf_rb_data_size(rb) == (unsigned long)nr_pages << PAGE_SHIFT &&
	    rb->page_event == event &&
	    refcount_inc_not_zero(&rb->mmap_count))
		return 0;
	if (refcount_read(&rb->mmap_count))
		return -EINVAL;
	perf_mmap_attach_mutexed(event, NULL);
	return 0;
}

static int perf_mmap_data(struct perf_event *event, struct vm_area_struct *vma)
{
	int nr_pages = perf_mmap_data_pages(vma);
	int err = 0;

	if (nr_pages < 0)
		return nr_pages;

	guard(mutex)(&event->mmap_mutex);
	if (perf_event_is_revoked(event))
		return -ENODEV;
	if (perf_rb_mutexed(event))
		err = perf_mmap_join_mutexed(event, nr_pages);
	if (!err && !perf_rb_mutexed(event))
		err = perf_mmap_create_mutexed(event, vma, nr_pages);
	if (err)
		return err;
	/* The caller updates the page in any case. */
	perf_mmap_judge_mutexed(event, perf_rb_mutexed(event), vma);
	atomic_inc(&event->mmap_count);
	return 0;
}

static int perf_mmap_aux_mutexed(struct perf_event *event,
				 struct perf_buffer *rb,
				 struct vm_area_struct *vma)
{
	struct perf_aux_area *area;
	int err;

	guard(mutex)(&rb->aux.mutex);
	err = perf_aux_check_mutexed(rb, vma);
	if (!err && !has_aux(event))
		err = -EOPNOTSUPP;
	if (err)
		return err;
	area = perf_mmap_find_aux_mutexed(event, rb, vma);
	if (IS_ERR(area))
		return PTR_ERR(area);
	perf_debug_sleep();
	/*
	 * This comes last: undoing it would need most of the steps of a close.
	 */
	if (!refcount_inc_not_zero(&rb->mmap_count)) {
		if (area != rb->aux.area)
			perf_mmap_free_aux(area);
		return -EINVAL;
	}
	if (area == rb->aux.area)
		area->mappings++;
	else
		perf_aux_publish_mutexed(rb, area);
	return 0;
}

static int perf_mmap_aux(struct perf_event *event, struct vm_area_struct *vma)
{
	struct perf_buffer *rb;
	int err;

	guard(mutex)(&event->mmap_mutex);
	if (perf_event_is_revoked(event))
		return -ENODEV;
	rb = perf_rb_mutexed(event);
	if (!rb)
		return -EINVAL;
	err = perf_mmap_aux_mutexed(event, rb, vma);
	if (!err)
		atomic_inc(&event->mmap_count);
	return err;
}

/**
 * perf_mmap() - map the user page and the data of an event, or its AUX area
 * @file: file of the event
 * @vma: one page, and a power of two of data pages or none, at offset 0; or for
 *	the AUX area the offset and size that the user page has
 *
 * The first mapping makes the buffer. If it is writable, user space consumes
 * records by moving data_tail; if it is read-only, new records replace old
 * ones. Further mappings through this event share the buffer. Mappings through
 * an event that is redirected here are refused, except for the AUX area, which
 * is shared by events of the PMU that made it. Whether this mapping can read
 * the counter is decided now.
 *
 * The pages are mapped when this returns, so that reading them takes no fault.
 *
 * Inherited events of a task without a CPU have no buffer, since their copies
 * would write to it from several CPUs.
 *
 * Context: mmap_lock held for writing.
 * Return: 0; -EINVAL for an inherited event on any CPU, a redirected event, a
 * private mapping, a wrong size, an offset other than 0 that does not match the
 * user page or the existing area, or an AUX area without a buffer; -ENODEV if
 * the event's PMU has gone; -EOPNOTSUPP for an AUX area of a PMU that does not
 * trace; -EPERM over the limit of locked memory; -ENOMEM; -EACCES of a security
 * module.
 */
int perf_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct perf_event *event = file->private_data;
	int err;

	if (perf_event_is_revoked(event))
		return -ENODEV;
	if (event->cpu == -1 && event->attr.inherit)
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;

	err = security_perf_event_read(event);
	if (err)
		return err;

	err = vma->vm_pgoff ? perf_mmap_aux(event, vma) :
			      perf_mmap_data(event, vma);
	if (err)
		return err;

	/* The charge belongs to this mm: fork must not copy the mapping. */
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &perf_mmap_vm_ops;
	perf_mmap_populate(vma);
	perf_mmap_tell_mapped(event, vma->vm_mm);
	perf_mmap_show(event);
	return 0;
}

/**
 * perf_mmap_poll() - check whether there is something to read
 * @event: event that is polled
 *
 * The mutex orders this with a change of the event's buffer: either the new
 * buffer is seen here, or the wake-up comes later.
 *
 * Context: task; the caller is on event->waitq. Takes mmap_mutex.
 * Return: poll bits since the last call; EPOLLHUP without a buffer.
 */
__poll_t perf_mmap_poll(struct perf_event *event)
{
	struct perf_buffer *rb;

	guard(mutex)(&event->mmap_mutex);
	rb = perf_rb_mutexed(event);
	if (!rb)
		return EPOLLHUP;
	return (__force __poll_t)atomic_xchg(&rb->poll, 0);
}

/**
 * perf_mmap_pause_output() - pause or resume the records of a buffer
 * @event: event with a buffer; other events that write there pause, too
 * @pause: true to pause, false to resume
 *
 * Context: task.
 * Return: 0; -EINVAL without a buffer, or when it has no data pages.
 */
int perf_mmap_pause_output(struct perf_event *event, bool pause)
{
	struct perf_buffer *rb;

	guard(rcu)();
	rb = perf_rb_rcu(event);
	if (!rb || !rb->nr_runs)
		return -EINVAL;
	perf_rb_pause(rb, pause);
	return 0;
}

/*
 * All events of a buffer have the same CPU, clock and direction; if they are
 * bound to no CPU, they have the same task. No event can join the buffer of a
 * revoked event.
 */
static bool perf_mmap_can_share_mutexed(const struct perf_event *event,
					const struct perf_event *target)
{
	lockdep_assert_held(&event->mmap_mutex);
	lockdep_assert_held(&target->mmap_mutex);

	if (perf_event_is_revoked(target) || target->cpu != event->cpu)
		return false;
	if (target->cpu == -1 && target->hw.target != event->hw.target)
		return false;
	/* Its copies would write from several CPUs. */
	if (event->cpu == -1 && event->attr.inherit)
		return false;
	if (target->clock != event->clock)
		return false;
	if (target->attr.write_backward != event->attr.write_backward)
		return false;
	return !event->pmu->setup_aux || !target->pmu->setup_aux ||
	       event->pmu == target->pmu;
}

static void perf_mmap_lock_pair(struct perf_event *a, struct perf_event *b)
{
	if (a > b)
		swap(a, b);
	mutex_lock(&a->mmap_mutex);
	mutex_lock_nested(&b->mmap_mutex, SINGLE_DEPTH_NESTING);
}

static void perf_mmap_unlock_pair(struct perf_event *a, struct perf_event *b)
{
	mutex_unlock(&a->mmap_mutex);
	mutex_unlock(&b->mmap_mutex);
}

static int perf_mmap_check_redirect_mutexed(const struct perf_event *event,
					    struct perf_event *target)
{
	const struct perf_buffer *rb = perf_rb_mutexed(target);

	lockdep_assert_held(&event->mmap_mutex);

	if (!perf_mmap_can_share_mutexed(event, target))
		return -EINVAL;
	if (atomic_read(&event->mmap_count))
		return -EINVAL;
	return rb && refcount_read(&rb->mmap_count) ? 0 : -EINVAL;
}

static int perf_mmap_redirect_mutexed(struct perf_event *event,
				      struct perf_event *target)
{
	struct perf_buffer *rb;
	int err;

	lockdep_assert_held(&event->mmap_mutex);

	err = perf_mmap_check_redirect_mutexed(event, target);
	if (err)
		return err;
	rb = perf_rb_mutexed(target);
	refcount_inc(&rb->refcount);
	perf_debug_sleep();
	perf_mmap_attach_mutexed(event, rb);
	return 0;
}

/**
 * perf_mmap_set_output() - redirect an event to the buffer of another event
 * @event: event that is redirected
 * @target: event whose buffer it shares from now on; NULL for no buffer
 *
 * Context: task; the caller keeps both events. Takes their mmap_mutexes.
 * Return: 0; -EINVAL if @target is @event, if @event is mapped itself or an
 * inherited event on any CPU, if @target has no buffer in use or its PMU has
 * gone, or if the two differ in CPU, task, clock, direction, or AUX PMU.
 */
int perf_mmap_set_output(struct perf_event *event, struct perf_event *target)
{
	int err;

	if (!target) {
		guard(mutex)(&event->mmap_mutex);
		if (atomic_read(&event->mmap_count))
			return -EINVAL;
		perf_mmap_attach_mutexed(event, NULL);
		return 0;
	}

	if (target == event)
		return -EINVAL;

	perf_mmap_lock_pair(event, target);
	err = perf_mmap_redirect_mutexed(event, target);
	perf_mmap_unlock_pair(event, target);
	return err;
}

/**
 * perf_mmap_check_output() - check whether perf_mmap_set_output() would succeed
 * @event: new event that is not published yet
 * @target: event whose buffer it wants to share
 *
 * Nothing is changed. The buffer may be unmapped as soon as this returns.
 *
 * Context: task; @target is kept by its file.
 * Return: what perf_mmap_set_output() would return now.
 */
int perf_mmap_check_output(struct perf_event *event, struct perf_event *target)
{
	int err;

	perf_mmap_lock_pair(event, target);
	err = perf_mmap_check_redirect_mutexed(event, target);
	perf_mmap_unlock_pair(event, target);
	return err;
}
