// SPDX-License-Identifier: GPL-2.0
/*
 * The AUX area: memory that trace hardware writes by itself.
 *
 * Purpose: allocates the pages that a driver hands to its hardware, and keeps
 * track of what the hardware has written there. User space maps these pages
 * behind the data of the same buffer, at the offset that it has stored in the
 * user page. For each pair of begin and end, a PERF_RECORD_AUX in the data says
 * which part of the area was written.
 *
 * Owns struct perf_aux_area except for its charge, and rb->aux.
 *
 * Contexts: the writer (perf_aux_output_*()) runs where pmu::start and
 * pmu::stop run, NMI included, from begin to end on one CPU. An area is made
 * and ends in task context.
 *
 * Lifetime: the first mapping creates the area, the last unmapping ends it. A
 * mapped area is retired earlier if its PMU is unregistered. No event writes to
 * a retired area, and the driver has freed its data for it. The pages stay as
 * long as they are mapped. Each mapping belongs to an event of the PMU, which
 * pins the driver's module.
 *
 * Locking: rb->aux.mutex protects the area and its mappings. Writers take no
 * lock. An area has at most one writer at a time: perf_aux_output_begin() fails
 * while another event writes, so two events of one PMU may share a buffer.
 *
 * Race, an area is retired while another CPU writes to it:
 *
 *   retire				begin
 *     aux.open = NULL			  area = aux.open
 *     (b) full barrier			  aux.writing = area; aux.cpu = this CPU
 *					  (a) full barrier
 *     is aux.writing the area?		  is aux.open still the area?
 *
 *   1. The two questions cannot both get the old answer: either begin withdraws
 *      before it has accessed the area, or retire sees the writer.
 *   2. If retire sees a writer, it stops the event on its CPU. pmu::stop ends
 *      the output and clears aux.writing. The output may also end by itself.
 *   3. Some drivers end an output in pmu::del only. If it is open after the
 *      stop, the event is disabled, by the irq_work that an overflow would use.
 *   4. If the output is open although the event is off its PMU, the driver has
 *      forgotten it. Then retire ends the output, and the driver can no longer
 *      use its handle.
 *   5. Some drivers use their data until pmu::stop, although their interrupt has
 *      ended the output and could not begin another one. Therefore the events
 *      of the buffer are stopped once more, on the CPU of the last output.
 *   6. Nothing uses the area any more. The driver's data is freed, later the
 *      pages.
 *
 * perf_aux_retire_mutexed() repeats steps 2 to 4, and each iteration makes
 * progress. A writer that has withdrawn, or has ended, clears aux.writing
 * within a few instructions, with interrupts off. If an iteration finds a
 * writer, it stops the writer and queues the irq_work that disables it; the
 * next iteration ends its output. No other writer begins, since aux.open is
 * NULL.
 *
 * All events that trace into a buffer run on one CPU at a time: they are bound
 * to it, or belong to one task. So the CPU of the last begin, which is never
 * forgotten, is the only one where a driver may still use its data.
 *
 * An event is stopped and leaves its buffer in one step, on the CPU where it
 * would start. If that CPU is offline, it may come back at that moment: then
 * event->rb plays the part of aux.open in the race above. Either begin sees that
 * the event has another buffer, or the task that moves the event sees the CPU of
 * the output, and stops it.
 *
 * aux.writer is dereferenced only if the same pointer is found among the active
 * events: an output that a driver has forgotten may belong to an event that was
 * freed. The CPU that exchanges aux.writer for NULL ends the output.
 *
 * aux.sampling names the area that a sample is being copied from, just as
 * aux.writing names the area of a writer; see aux_event.c.
 *
 *   hardware				reader
 *     (c) aux_tail, branch on room	  (e) aux_head, read barrier
 *     data				  data
 *     (d) driver's and write barrier  (f) full barrier
 *     aux_head				  aux_tail
 *
 * (d) pairs with (e), (c) with (f), as in ring_buffer.c.
 *
 * A model of this, without events that leave their buffer, is
 * lab/models/aux.pml.
 */

#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "aux_buffer.h"
#include "buffer_types.h"
#include "context.h"
#include "delay.h"
#include "live.h"
#include "pending.h"
#include "remote.h"
#include "ring_buffer.h"

/* Fails rather than make other tasks swap. */
#define PERF_AUX_GFP	(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_NORETRY)

/* Flags that by themselves are no reason for a record. */
#define PERF_AUX_FLAGS_MUTE	((u64)(PERF_AUX_FLAG_OVERWRITE |	\
				       PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK))

#define TO(s)	BIT(PERF_AUX_##s)

static const struct perf_state_row perf_aux_states[] = {
	[PERF_AUX_NEW]     = { .name = "new", .to = TO(OPEN) | TO(FREED) },
	[PERF_AUX_OPEN]    = { .name = "open", .to = TO(CLOSING) },
	[PERF_AUX_CLOSING] = { .name = "closing", .to = TO(RETIRED) },
	[PERF_AUX_RETIRED] = { .name = "retired", .to = TO(FREED) },
	[PERF_AUX_FREED]   = { .name = "freed" },
};

struct perf_state_table perf_aux_state_table = {
	.of	= "AUX area",
	.rows	= perf_aux_states,
	.nr	= ARRAY_SIZE(perf_aux_states),
};

/* Under rb->aux.mutex once the area is published. */
static void perf_aux_set_state(struct perf_aux_area *area,
			       enum perf_aux_state state)
{
	perf_state_check(&perf_aux_state_table, area->state, state);
	area->state = state;
}

static unsigned long perf_aux_area_size(const struct perf_aux_area *area)
{
	return (unsigned long)area->nr_pages << PAGE_SHIFT;
}

/* Pages. */

/* Drivers find the order of a chunk in its first page. */
static struct page *perf_aux_new_chunk(int node, unsigned int *order)
{
	struct page *page;

	while (!(page = alloc_pages_node(node, PERF_AUX_GFP, *order))) {
		if (!*order)
			return NULL;
		--*order;
	}
	if (*order) {
		split_page(page, *order);
		SetPagePrivate(page);
		set_page_private(page, *order);
	}
	return page;
}

/* mm does not free a page with a mapping, which perf_mmap_page() has set. */
static void perf_aux_free_page(void *at)
{
	struct page *page = virt_to_page(at);

	ClearPagePrivate(page);
	set_page_private(page, 0);
	page->mapping = NULL;
	__free_page(page);
}

/**
 * perf_aux_free() - free an area
 * @area: retired, or never published and perhaps incomplete
 *
 * Context: task. Calls pmu::free_aux if the driver's data is still there.
 */
void perf_aux_free(struct perf_aux_area *area)
{
	unsigned int i;

	if (area->priv)
		area->free_priv(area->priv);
	perf_aux_set_state(area, PERF_AUX_FREED);
	for (i = 0; i < area->nr_filled; i++)
		perf_aux_free_page(area->pages[i]);
	perf_live_add(PERF_LIVE_AUX_AREAS, -1);
	kvfree(area);
}

static bool perf_aux_fill(struct perf_aux_area *area, int node,
			  unsigned int max_order)
{
	unsigned int i, left, order;
	struct page *page;

	while ((left = area->nr_pages - area->nr_filled)) {
		order = min3(max_order, (unsigned int)MAX_PAGE_ORDER,
			     (unsigned int)ilog2(left));
		page = perf_aux_new_chunk(node, &order);
		if (!page)
			return false;
		for (i = 0; i < 1U << order; i++)
			area->pages[area->nr_filled++] = page_address(page + i);
	}
	return true;
}

/*
 * Hardware without scatter-gather fills a chunk between two interrupts: then
 * the watermark is the best size. An area that is overwritten has one chunk.
 */
static unsigned int perf_aux_max_order(const struct pmu *pmu,
				       const struct perf_aux_area *area)
{
	if (!(pmu->capabilities & (PERF_PMU_CAP_AUX_NO_SG |
				   PERF_PMU_CAP_AUX_PREFER_LARGE)))
		return 0;
	return area->overwrite ? ilog2(area->nr_pages) :
				 get_order(area->watermark);
}

static bool perf_aux_is_one_chunk(const struct perf_aux_area *area)
{
	return page_private(virt_to_page(area->pages[0])) ==
	       ilog2(area->nr_pages);
}

static unsigned long perf_aux_watermark(const struct perf_event *event,
					const struct perf_aux_area *area)
{
	if (area->overwrite)
		return 0;
	return event->attr.aux_watermark ?:
	       min(perf_aux_area_size(area) / 2, (unsigned long)U32_MAX);
}

static struct perf_aux_area *perf_aux_alloc_head(unsigned int nr_pages,
						 int node)
{
	struct perf_aux_area *area;
	size_t size = struct_size(area, pages, nr_pages);

	if (get_order(array_size(nr_pages, sizeof(*area->pages))) >
	    MAX_PAGE_ORDER)
		return NULL;
	area = kvzalloc_node(size, GFP_KERNEL | __GFP_NOWARN, node);
	if (!area)
		return NULL;
	perf_live_add(PERF_LIVE_AUX_AREAS, 1);
	area->nr_pages = nr_pages;
	return area;
}

static bool perf_aux_build(struct perf_event *event, struct perf_aux_area *area,
			   int node)
{
	struct pmu *pmu = event->pmu;

	if (!perf_aux_fill(area, node, perf_aux_max_order(pmu, area)))
		return false;
	if (area->overwrite && pmu->capabilities & PERF_PMU_CAP_AUX_NO_SG &&
	    !perf_aux_is_one_chunk(area))
		return false;
	area->priv = pmu->setup_aux(event, area->pages, area->nr_pages,
				    area->overwrite);
	return area->priv;
}

/**
 * perf_aux_alloc() - make an area that is not published yet
 * @event: event whose PMU writes to the area; the PMU stays
 * @vma: mapping that perf_aux_check_mutexed() has accepted; if it is read-only,
 *	user space cannot move aux_tail, and new data replaces old data
 *
 * Context: task; event->mmap_mutex. Calls pmu::setup_aux.
 * Return: the area; NULL without memory, if the hardware needs one contiguous
 * piece and there is none, or if the driver refuses.
 */
struct perf_aux_area *perf_aux_alloc(struct perf_event *event,
				     struct vm_area_struct *vma)
{
	int node = event->cpu < 0 ? NUMA_NO_NODE : cpu_to_node(event->cpu);
	struct perf_aux_area *area = perf_aux_alloc_head(vma_pages(vma), node);

	lockdep_assert_held(&event->mmap_mutex);
	if (!area)
		return NULL;
	area->pmu = event->pmu;
	area->free_priv = event->pmu->free_aux;
	area->pgoff = vma->vm_pgoff;
	area->overwrite = !(vma->vm_flags & VM_WRITE);
	area->watermark = perf_aux_watermark(event, area);
	if (perf_aux_build(event, area, node))
		return area;
	perf_aux_free(area);
	return NULL;
}

/**
 * perf_aux_page() - get the page at an offset of the mapping
 * @rb: buffer whose area is mapped there
 * @pgoff: offset in pages, counted from the user page
 *
 * Context: any; the mapping stays.
 * Return: the page, without a reference; NULL outside of the area.
 */
struct page *perf_aux_page(const struct perf_buffer *rb, unsigned long pgoff)
{
	const struct perf_aux_area *area = READ_ONCE(rb->aux.area);
	unsigned long nr;

	if (!area || pgoff < area->pgoff ||
	    pgoff - area->pgoff >= area->nr_pages)
		return NULL;
	nr = array_index_nospec(pgoff - area->pgoff, area->nr_pages);
	return virt_to_page(area->pages[nr]);
}

/* From the first mapping to the last. */

/**
 * perf_aux_check_mutexed() - check whether a mapping suits an AUX area
 * @rb: buffer of the event that is mapped
 * @vma: requested mapping, not at offset 0
 *
 * aux_offset and aux_size are user-writable and read once.
 *
 * Context: mmap_lock, event->mmap_mutex and rb->aux.mutex.
 * Return: 0; -ENOMEM if the area has more than INT_MAX pages; -EINVAL if it
 * overlaps the data, is not at aux_offset, not aux_size long, not a power of
 * two of pages, or differs from the area that exists.
 */
int perf_aux_check_mutexed(const struct perf_buffer *rb,
			   struct vm_area_struct *vma)
{
	u64 offset = READ_ONCE(rb->user_page->aux_offset);
	u64 size = READ_ONCE(rb->user_page->aux_size);
	const struct perf_aux_area *area = rb->aux.area;
	unsigned long nr_pages = vma_pages(vma);

	lockdep_assert_held(&rb->aux.mutex);
	if (nr_pages > INT_MAX)
		return -ENOMEM;
	if (offset < perf_rb_data_size(rb) + PAGE_SIZE ||
	    offset != (u64)vma->vm_pgoff << PAGE_SHIFT)
		return -EINVAL;
	if (size != (u64)nr_pages << PAGE_SHIFT || !is_power_of_2(nr_pages))
		return -EINVAL;
	if (area && (area->pgoff != vma->vm_pgoff || area->nr_pages != nr_pages))
		return -EINVAL;
	return 0;
}

/**
 * perf_aux_publish_mutexed() - make an area available to writers
 * @rb: buffer without an area
 * @area: new area; its first mapping is counted here
 *
 * Context: rb->aux.mutex.
 */
void perf_aux_publish_mutexed(struct perf_buffer *rb,
			      struct perf_aux_area *area)
{
	lockdep_assert_held(&rb->aux.mutex);
	area->mappings = 1;
	perf_aux_set_state(area, PERF_AUX_OPEN);
	WRITE_ONCE(rb->aux.area, area);
	WRITE_ONCE(rb->aux.size, perf_aux_area_size(area));
	smp_store_release(&rb->aux.open, area); /* after its contents */
}

/*
 * Ends the output of @event, unless another CPU or an NMI has ended it already.
 * @event is only compared, since it may have been freed.
 */
static void perf_aux_let_go(struct perf_buffer *rb, struct perf_event *event)
{
	struct perf_output_handle *handle;

	if (cmpxchg(&rb->aux.writer, event, NULL) != event)
		return;
	handle = rb->aux.handle;
	/* The driver may use the handle for another output already. */
	if (handle->rb == rb)
		cmpxchg(&handle->event, event, NULL);
	perf_debug_delay();
	smp_store_release(&rb->aux.writing, NULL); /* after the last access */
	perf_rb_put(rb);
}

/* Ends an output that the driver has forgotten. Its data is not reported. */
static void perf_aux_abandon_mutexed(struct perf_buffer *rb,
				     struct perf_event *writer)
{
	lockdep_assert_held(&rb->aux.mutex);
	if (READ_ONCE(rb->aux.writer) != writer)
		return;
	pr_warn_once("perf: %s has left an AUX output open\n",
		     rb->aux.area->pmu->name);
	perf_aux_let_go(rb, writer);
}

/**
 * perf_aux_is_here() - check whether an event is active on this CPU
 * @event: event
 *
 * Context: any, NMI included. The answer holds while interrupts are off.
 * Return: true if it is.
 */
bool perf_aux_is_here(const struct perf_event *event)
{
	return READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE &&
	       READ_ONCE(event->oncpu) == smp_processor_id();
}

/* Events to stop: an eldest with its copies, or all that use the buffer. */
struct perf_aux_stop {
	struct perf_buffer	*rb;
	struct perf_event	*eldest;
	bool			found_writer;
};

static bool perf_aux_uses(const struct perf_buffer *rb,
			  struct perf_event *event)
{
	return rcu_access_pointer(*perf_rb_slot(perf_event_eldest(event))) ==
	       rb;
}

/*
 * Stops an event, so that its driver ends the output. Some drivers end it in
 * pmu::del only: then the event is disabled, unless it only leaves the buffer.
 */
static void perf_aux_stop_event(struct perf_aux_stop *stop,
				struct perf_event *event)
{
	bool writes = READ_ONCE(stop->rb->aux.writer) == event;

	if (!perf_aux_is_here(event) || !has_aux(event))
		return;
	if (stop->eldest ? perf_event_eldest(event) != stop->eldest :
			   !writes && !perf_aux_uses(stop->rb, event))
		return;
	stop->found_writer |= writes;
	perf_pmu_disable(event->pmu);
	event->pmu->stop(event, PERF_EF_UPDATE);
	perf_pmu_enable(event->pmu);
	if (!stop->eldest && READ_ONCE(stop->rb->aux.writer) == event)
		perf_pending_disable(event);
}

static void perf_aux_stop_groups(struct perf_aux_stop *stop,
				 const struct list_head *active)
{
	struct perf_event *leader, *sibling;

	list_for_each_entry(leader, active, active_list) {
		perf_aux_stop_event(stop, leader);
		for_each_sibling_event(sibling, leader)
			perf_aux_stop_event(stop, sibling);
	}
}

static void perf_aux_stop_ctx(struct perf_aux_stop *stop, struct perf_ctx *ctx)
{
	struct perf_pmu_ctx *epc;

	if (!ctx)
		return;
	guard(raw_spinlock)(&ctx->lock);
	list_for_each_entry(epc, &ctx->pmu_ctx_list, pmu_ctx_entry) {
		perf_aux_stop_groups(stop, &epc->pinned_active);
		perf_aux_stop_groups(stop, &epc->flexible_active);
	}
}

/*
 * An active writer stays active as long as interrupts are off. An NMI may end
 * its output at any moment.
 * Return: 0; -ESRCH if this CPU has an output whose event is not active.
 */
static int perf_aux_stop_oncpu(void *arg)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_aux_stop *stop = arg;
	struct perf_event *writer;

	lockdep_assert_irqs_disabled();
	writer = smp_load_acquire(&stop->rb->aux.writer); /* before its CPU */
	if (READ_ONCE(stop->rb->aux.cpu) != smp_processor_id())
		return 0;
	perf_aux_stop_ctx(stop, &cpuctx->ctx);
	perf_aux_stop_ctx(stop, cpuctx->task_ctx);
	return writer && !stop->found_writer ? -ESRCH : 0;
}

static int perf_aux_stop_call(struct perf_buffer *rb, struct perf_event *eldest)
{
	struct perf_aux_stop stop = { .rb = rb, .eldest = eldest };
	int cpu = READ_ONCE(rb->aux.cpu);

	return cpu < 0 ? 0 : perf_cpu_call(cpu, perf_aux_stop_oncpu, &stop);
}

/* An event that leaves the buffer @stop.rb, with its copies. */
struct perf_aux_move {
	struct perf_aux_stop	stop;
	struct perf_buffer	*to;
};

static void perf_aux_assign(struct perf_event *event, struct perf_buffer *to)
{
	rcu_assign_pointer(*perf_rb_slot(event), to);
}

/* For a task's event that is bound to this CPU, with its copies. */
static int perf_aux_move_oncpu(void *arg)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_aux_move *move = arg;

	perf_aux_stop_ctx(&move->stop, &cpuctx->ctx);
	perf_aux_stop_ctx(&move->stop, cpuctx->task_ctx);
	perf_aux_assign(move->stop.eldest, move->to);
	return 0;
}

/*
 * For an event without copies. If its context is loaded, then on this CPU.
 * Return: 0; -EAGAIN if the event has migrated to another CPU's context.
 */
static int perf_aux_move_remote(struct perf_ctx *ctx,
				struct perf_cpu_context *cpuctx, void *arg)
{
	struct perf_aux_move *move = arg;

	lockdep_assert_held(&ctx->lock);
	if (perf_event_ctx(move->stop.eldest) != ctx)
		return -EAGAIN;
	perf_aux_stop_event(&move->stop, move->stop.eldest);
	perf_aux_assign(move->stop.eldest, move->to);
	return 0;
}

static void perf_aux_move_in_ctx(struct perf_event *event,
				 struct perf_aux_move *move)
{
	struct perf_ctx *ctx;

	do {
		ctx = perf_ctx_of(READ_ONCE(event->ctx));
	} while (perf_ctx_call(ctx, perf_aux_move_remote, move));
}

/* Of the events with a buffer, only those of a task on one CPU have copies. */
static bool perf_aux_may_have_copies(const struct perf_event *event)
{
	return event->cpu >= 0 && event->attach_state & PERF_ATTACH_TASK;
}

/* The PMU of the event may go away meanwhile. */
static bool perf_aux_may_trace(struct perf_event *event)
{
	guard(rcu)();
	return event->ctx && READ_ONCE(event->pmu)->setup_aux;
}

/**
 * perf_aux_move() - make an event write to another buffer
 * @event: event
 * @from: its buffer, NULL for none
 * @to: its next buffer, NULL for none; the event takes over a reference
 *
 * A trace is stopped, and continues in @to when the event starts again. Some
 * drivers cannot continue in another buffer what they began in this one, so no
 * driver can start in between, unless the event's CPU is just coming online. An
 * output may still be open, if the driver ends it in pmu::del.
 *
 * Context: task, interrupts on; event->mmap_mutex.
 */
void perf_aux_move(struct perf_event *event, struct perf_buffer *from,
		   struct perf_buffer *to)
{
	struct perf_aux_move move = {
		.stop	= { .rb = from, .eldest = event },
		.to	= to,
	};

	lockdep_assert_held(&event->mmap_mutex);
	if (!from || !perf_aux_may_trace(event)) {
		perf_aux_assign(event, to);
	} else if (!perf_aux_may_have_copies(event)) {
		perf_aux_move_in_ctx(event, &move);
	} else if (perf_cpu_call(event->cpu, perf_aux_move_oncpu, &move)) {
		/* The CPU is offline, and may come back now. */
		perf_aux_assign(event, to);
		smp_mb(); /* (b), pairs with (a) */
		perf_aux_stop_call(from, event);
	}
}

/* Steps 2 to 4 of the comment on top. An offline CPU has no active events. */
static void perf_aux_evict_mutexed(struct perf_buffer *rb)
{
	struct perf_event *writer;

	lockdep_assert_held(&rb->aux.mutex);
	writer = smp_load_acquire(&rb->aux.writer); /* before its CPU */
	if (writer && perf_aux_stop_call(rb, NULL))
		perf_aux_abandon_mutexed(rb, writer);
}

/* Return: whether a user is left. If not, its accesses to the area are over. */
static bool perf_aux_in_hand(const struct perf_buffer *rb,
			     const struct perf_aux_area *area)
{
	bool in_hand = READ_ONCE(rb->aux.writing) == area ||
		       READ_ONCE(rb->aux.sampling) == area;

	smp_rmb(); /* pairs with the release of either */
	return in_hand;
}

/**
 * perf_aux_retire_mutexed() - take an area from its writers and its driver
 * @rb: buffer with an area
 *
 * Data that was written stays in the area and is reported. The event continues
 * without a trace; if its driver ends an output in pmu::del only, the event is
 * disabled.
 *
 * Context: task, may sleep; rb->aux.mutex. Calls pmu::stop and pmu::free_aux.
 */
void perf_aux_retire_mutexed(struct perf_buffer *rb)
{
	struct perf_aux_area *area = rb->aux.area;

	lockdep_assert_held(&rb->aux.mutex);
	if (area->state != PERF_AUX_OPEN)
		return;
	perf_aux_set_state(area, PERF_AUX_CLOSING);
	WRITE_ONCE(rb->aux.open, NULL);
	WRITE_ONCE(rb->aux.size, 0);
	smp_mb(); /* (b), pairs with (a) */
	perf_debug_sleep();
	while (perf_aux_in_hand(rb, area)) {
		perf_aux_evict_mutexed(rb);
		cpu_relax();
		cond_resched();
	}
	perf_debug_sleep();
	perf_aux_stop_call(rb, NULL);
	area->free_priv(area->priv);
	area->priv = NULL;
	perf_aux_set_state(area, PERF_AUX_RETIRED);
}

/* The writer. */

/*
 * Return: the area, or NULL. Until perf_aux_let_go() the area and the reference
 * on @rb belong to the event.
 */
static struct perf_aux_area *perf_aux_take(struct perf_buffer *rb,
					   struct perf_output_handle *handle,
					   struct perf_event *event)
{
	struct perf_aux_area *area = READ_ONCE(rb->aux.open);

	if (!area || cmpxchg(&rb->aux.writing, NULL, area))
		return NULL;
	WRITE_ONCE(rb->aux.cpu, raw_smp_processor_id());
	smp_mb(); /* (a) */
	perf_debug_delay();
	if (READ_ONCE(rb->aux.open) != area || area->pmu != event->pmu ||
	    !perf_aux_uses(rb, event)) {
		smp_store_release(&rb->aux.writing, NULL); /* after the check */
		return NULL;
	}
	perf_debug_delay();
	handle->rb = rb;
	handle->event = event;
	WRITE_ONCE(rb->aux.handle, handle);
	smp_store_release(&rb->aux.writer, event); /* after handle and cpu */
	return area;
}

/*
 * One byte stays free, so that full differs from empty. A tail that is not
 * within the last lap leaves no room.
 */
static unsigned long perf_aux_room(const struct perf_buffer *rb,
				   const struct perf_aux_area *area)
{
	unsigned long tail = READ_ONCE(rb->user_page->aux_tail);
	unsigned long size = perf_aux_area_size(area);
	unsigned long used = rb->aux.head - tail;

	return used < size ? size - 1 - used : 0;
}

/**
 * perf_aux_output_begin() - start to write trace data
 * @handle: handle of the caller. On success ->event is the event that writes,
 *	->head the position in the area, ->size the number of bytes that may be
 *	written, and ->wakeup the position at which readers are woken. The last
 *	two are not used if the area is overwritten. On failure ->event is NULL
 * @event: event of a trace unit, active on this CPU
 *
 * An event that finds no room is disabled, and the readers are woken. If the
 * event has an open output, that one is ended first: a driver may have stopped
 * its hardware without ending the output. Data of that output is not reported,
 * and will be overwritten.
 *
 * Context: any, NMI included.
 * Return: what pmu::setup_aux returned; NULL if there is no area, if another
 * event writes to it, or if it is full.
 */
void *perf_aux_output_begin(struct perf_output_handle *handle,
			    struct perf_event *event)
{
	struct perf_aux_area *area;
	struct perf_buffer *rb;

	handle->event = NULL;
	rb = perf_rb_get(event);
	if (!rb)
		return NULL;
	perf_aux_let_go(rb, event);
	area = perf_aux_take(rb, handle, event);
	if (!area) {
		perf_rb_put(rb);
		return NULL;
	}

	handle->head = rb->aux.head;
	handle->aux_flags = 0;
	handle->size = 0;
	if (area->overwrite)
		return area->priv;

	handle->wakeup = rb->aux.wakeup + area->watermark;
	handle->size = perf_aux_room(rb, area);
	if (handle->size) /* (c), pairs with (f) */
		return area->priv;
	perf_pending_disable(event);
	perf_rb_wake(rb, event);
	perf_aux_let_go(rb, event);
	return NULL;
}
EXPORT_SYMBOL_GPL(perf_aux_output_begin);

/* Return: true if a wake-up of readers is due; then it is noted. */
static bool perf_aux_advance(struct perf_buffer *rb,
			     const struct perf_aux_area *area,
			     unsigned long head)
{
	rb->aux.head = head;
	smp_wmb(); /* (d), pairs with (e) */
	WRITE_ONCE(rb->user_page->aux_head, head);
	if (area->overwrite || head - rb->aux.wakeup < area->watermark)
		return false;
	rb->aux.wakeup = rounddown(head, area->watermark);
	return true;
}

static void perf_aux_report(struct perf_output_handle *handle,
			    unsigned long head, unsigned long size)
{
	struct {
		struct perf_event_header	header;
		u64				offset;
		u64				size;
		u64				flags;
	} record = {
		.header.type	= PERF_RECORD_AUX,
		.header.size	= sizeof(record),
		.offset		= head,
		.size		= size,
		.flags		= handle->aux_flags,
	};

	/* For an overwritten area the position in the user page is enough. */
	if (size || record.flags & ~PERF_AUX_FLAGS_MUTE)
		perf_rb_record(handle->event, &record.header);
}

/**
 * perf_aux_output_end() - finish writing trace data
 * @handle: handle of a successful perf_aux_output_begin(); if the area is
 *	overwritten, ->head is the position that the hardware has reached
 * @size: bytes written
 *
 * The driver must have made the data visible before. If the data was truncated,
 * the event is disabled, since the next begin would find no room.
 *
 * Context: any, NMI included; on the CPU of the begin.
 */
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size)
{
	struct perf_buffer *rb = handle->rb;
	const struct perf_aux_area *area = rb->aux.writing;
	unsigned long head = rb->aux.head;
	bool wake = handle->aux_flags & PERF_AUX_FLAG_TRUNCATED;

	if (wake)
		perf_pending_disable(handle->event);
	if (area->overwrite) {
		handle->aux_flags |= PERF_AUX_FLAG_OVERWRITE;
		head = handle->head;
	}
	perf_aux_report(handle, head, size);
	wake |= perf_aux_advance(rb, area, area->overwrite ? head : head + size);
	if (wake)
		perf_rb_wake(rb, handle->event);
	perf_aux_let_go(rb, handle->event);
}
EXPORT_SYMBOL_GPL(perf_aux_output_end);

/**
 * perf_aux_output_skip() - leave a gap in the trace data
 * @handle: handle of a successful perf_aux_output_begin(); is advanced
 * @size: bytes
 *
 * For hardware that can only begin to write at aligned addresses.
 *
 * Context: any, NMI included; on the CPU of the begin.
 * Return: 0; -ENOSPC if fewer bytes are free.
 */
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size)
{
	struct perf_buffer *rb = handle->rb;
	const struct perf_aux_area *area = rb->aux.writing;

	if (size > handle->size)
		return -ENOSPC;
	if (perf_aux_advance(rb, area, rb->aux.head + size)) {
		perf_rb_wake(rb, handle->event);
		handle->wakeup = rb->aux.wakeup + area->watermark;
	}
	handle->head = rb->aux.head;
	handle->size -= size;
	return 0;
}
EXPORT_SYMBOL_GPL(perf_aux_output_skip);

/**
 * perf_aux_output_flag() - add a flag to the PERF_RECORD_AUX of the end
 * @handle: handle of a successful perf_aux_output_begin()
 * @flags: PERF_AUX_FLAG_* except OVERWRITE, which follows from the area
 *
 * Context: any, NMI included.
 */
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags)
{
	if (WARN_ON_ONCE(flags & PERF_AUX_FLAG_OVERWRITE))
		return;
	handle->aux_flags |= flags;
}
EXPORT_SYMBOL_GPL(perf_aux_output_flag);

/**
 * perf_get_aux() - get what pmu::setup_aux returned for the area
 * @handle: handle of the driver
 *
 * Drivers also call this to find out whether they have an open output.
 *
 * Context: any, NMI included; on the CPU of the begin.
 * Return: what begin returned; NULL without an open output.
 */
void *perf_get_aux(struct perf_output_handle *handle)
{
	return handle->event ? handle->rb->aux.writing->priv : NULL;
}
EXPORT_SYMBOL_GPL(perf_get_aux);

/**
 * perf_output_copy_aux() - copy trace data into a record
 * @aux_handle: handle of a successful perf_aux_output_begin()
 * @handle: open reservation of the record
 * @from: first byte in the AUX area
 * @to: byte after the last; the whole area if equal to @from modulo its size
 *
 * Context: any, NMI included; on the CPU of both begins.
 * Return: bytes copied.
 */
long perf_output_copy_aux(struct perf_output_handle *aux_handle,
			  struct perf_output_handle *handle,
			  unsigned long from, unsigned long to)
{
	const struct perf_aux_area *area = aux_handle->rb->aux.writing;
	unsigned long size = perf_aux_area_size(area);
	unsigned long len = ((to - from - 1) & (size - 1)) + 1;
	unsigned long done, piece;

	for (done = 0; done < len; done += piece) {
		unsigned long at = (from + done) & (size - 1);

		piece = min(len - done, PAGE_SIZE - offset_in_page(at));
		perf_rb_write(handle, area->pages[at >> PAGE_SHIFT] +
			      offset_in_page(at), piece);
	}
	return len;
}
EXPORT_SYMBOL_GPL(perf_output_copy_aux);
