// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms aux_buffer and aux_event: where a driver may write, which
 * records follow and who is notified, which events may not begin an output, and
 * what siblings do to the trace of their leader.
 *
 * Buffers, areas and events are real, but no context knows the events. The
 * driver consists of a few functions here that note what the core asked for.
 */

#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/wait.h>

#include "../aux_buffer.h"
#include "../aux_event.h"
#include "../buffer_types.h"
#include "../mmap.h"
#include "../ring_buffer.h"

#define NR_EVENTS	2
#define AREA_PAGES	4
#define AREA_SIZE	(AREA_PAGES * PAGE_SIZE)
#define AREA_PGOFF	8
#define TRACE_BYTE	0xaa
#define TRACE_MAX	64

struct aux_source {
	struct perf_event		event;
	struct perf_output_handle	handle;
	unsigned int			wakeups;
	unsigned int			disables;
};

struct aux_test {
	struct aux_source	source[NR_EVENTS];
	struct pmu		pmu;
	struct pmu		other_pmu;
	struct vm_area_struct	*vma;
	struct perf_buffer	*rb;
	/* Set by the driver. */
	void			**pages;
	int			nr_pages;
	bool			overwrite;
	unsigned int		freed;
	int			last_flags;
	unsigned int		calls;
	unsigned int		snapshots;
};

/* A record as it lies in the buffer. */
struct aux_record {
	struct perf_event_header	header;
	u64				offset;
	u64				size;
	u64				flags;
};

/* The driver's state. Its private data are the test that runs. */
static struct aux_test *aux_current;

static void *aux_setup(struct perf_event *event, void **pages, int nr_pages,
		       bool overwrite)
{
	aux_current->pages = pages;
	aux_current->nr_pages = nr_pages;
	aux_current->overwrite = overwrite;
	return aux_current;
}

static void *aux_decline(struct perf_event *event, void **pages, int nr_pages,
			 bool overwrite)
{
	return NULL;
}

static void aux_free(void *priv)
{
	((struct aux_test *)priv)->freed++;
}

static void aux_start(struct perf_event *event, int flags)
{
	aux_current->last_flags = flags;
	aux_current->calls++;
}

static void aux_stop(struct perf_event *event, int flags)
{
	struct aux_source *source =
		container_of(event, struct aux_source, event);

	aux_start(event, flags);
	if (flags & PERF_EF_UPDATE)
		perf_aux_output_end(&source->handle, 16);
}

static long aux_snapshot(struct perf_event *event,
			 struct perf_output_handle *handle, unsigned long size)
{
	return -EIO;
}

static long aux_copy_snapshot(struct perf_event *event,
			      struct perf_output_handle *handle,
			      unsigned long size)
{
	u8 trace[TRACE_MAX];

	size = min(size, sizeof(trace));
	memset(trace, TRACE_BYTE, size);
	perf_rb_write(handle, trace, size);
	aux_current->snapshots++;
	return size;
}

static int aux_match(struct perf_event *leader)
{
	return leader->pmu == &aux_current->pmu;
}

static void aux_wake_work(struct irq_work *work)
{
	container_of(work, struct aux_source, event.pending_irq)->wakeups++;
}

static void aux_disable_work(struct irq_work *work)
{
	container_of(work, struct aux_source,
		     event.pending_disable_irq)->disables++;
}

static void aux_init_event(struct aux_test *aux, int nr)
{
	struct perf_event *event = &aux->source[nr].event;

	event->pmu = &aux->pmu;
	event->id = 1 + nr;
	event->cpu = 0;
	event->oncpu = -1;
	event->group_leader = event;
	event->state = PERF_EVENT_STATE_OFF;
	atomic_long_set(&event->refcount, 1);
	mutex_init(&event->mmap_mutex);
	INIT_LIST_HEAD(&event->rb_entry);
	init_waitqueue_head(&event->waitq);
	event->pending_irq = IRQ_WORK_INIT_HARD(aux_wake_work);
	event->pending_disable_irq = IRQ_WORK_INIT_HARD(aux_disable_work);
}

static int aux_init(struct kunit *test)
{
	struct aux_test *aux = kunit_kzalloc(test, sizeof(*aux), GFP_KERNEL);
	int nr;

	if (!aux)
		return -ENOMEM;
	aux->vma = kunit_kzalloc(test, sizeof(*aux->vma), GFP_KERNEL);
	if (!aux->vma)
		return -ENOMEM;
	aux->pmu.setup_aux = aux_setup;
	aux->pmu.free_aux = aux_free;
	aux->pmu.start = aux_start;
	aux->pmu.stop = aux_stop;
	for (nr = 0; nr < NR_EVENTS; nr++)
		aux_init_event(aux, nr);
	aux_current = aux;
	test->priv = aux;
	return 0;
}

/* Does what the last unmapping does. */
static void aux_unmap(struct aux_test *aux)
{
	struct perf_aux_area *area = aux->rb->aux.area;

	if (!area)
		return;
	scoped_guard(mutex, &aux->rb->aux.mutex)
		perf_aux_retire_mutexed(aux->rb);
	WRITE_ONCE(aux->rb->aux.area, NULL);
	perf_aux_free(area);
}

static void aux_exit(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	int nr;

	if (!aux)
		return;
	if (aux->rb)
		aux_unmap(aux);
	for (nr = 0; nr < NR_EVENTS; nr++) {
		irq_work_sync(&aux->source[nr].event.pending_irq);
		irq_work_sync(&aux->source[nr].event.pending_disable_irq);
		perf_mmap_detach(&aux->source[nr].event);
	}
}

static struct perf_event *aux_event(struct kunit *test, int nr)
{
	struct aux_test *aux = test->priv;

	return &aux->source[nr].event;
}

static void aux_attach(struct kunit *test, int nr)
{
	struct aux_test *aux = test->priv;
	struct perf_event *event = aux_event(test, nr);

	spin_lock_irq(&aux->rb->event_lock);
	list_add(&event->rb_entry, &aux->rb->event_list);
	spin_unlock_irq(&aux->rb->event_lock);
	rcu_assign_pointer(*perf_rb_slot(event), aux->rb);
}

/* Maps a page of data for all events of the test. */
static struct perf_buffer *aux_map_data(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	int nr;

	aux->rb = perf_rb_alloc(1, 0, -1, PERF_RB_WRITABLE);
	KUNIT_ASSERT_NOT_NULL(test, aux->rb);
	refcount_set(&aux->rb->mmap_count, 1);
	refcount_set(&aux->rb->refcount, NR_EVENTS);
	for (nr = 0; nr < NR_EVENTS; nr++)
		aux_attach(test, nr);
	return aux->rb;
}

static struct perf_aux_area *aux_make(struct kunit *test, unsigned int nr_pages,
				      vm_flags_t flags)
{
	struct aux_test *aux = test->priv;
	struct perf_event *event = aux_event(test, 0);

	aux->vma->vm_end = nr_pages * PAGE_SIZE;
	aux->vma->vm_pgoff = AREA_PGOFF;
	vm_flags_init(aux->vma, VM_SHARED | flags);
	guard(mutex)(&event->mmap_mutex);
	return perf_aux_alloc(event, aux->vma);
}

static struct perf_aux_area *aux_map_area(struct kunit *test, vm_flags_t flags)
{
	struct aux_test *aux = test->priv;
	struct perf_aux_area *area = aux_make(test, AREA_PAGES, flags);

	KUNIT_ASSERT_NOT_NULL(test, area);
	guard(mutex)(&aux->rb->aux.mutex);
	perf_aux_publish_mutexed(aux->rb, area);
	return area;
}

/* Does what mmap(2) does, without a mapping. */
static struct perf_aux_area *aux_map(struct kunit *test, vm_flags_t flags)
{
	aux_map_data(test);
	return aux_map_area(test, flags);
}

static struct perf_output_handle *aux_handle(struct kunit *test, int nr)
{
	struct aux_test *aux = test->priv;

	return &aux->source[nr].handle;
}

static void *aux_begin(struct kunit *test, int nr)
{
	return perf_aux_output_begin(aux_handle(test, nr), aux_event(test, nr));
}

/* Writes @size bytes in one output of event 0. */
static void aux_write(struct kunit *test, unsigned long size)
{
	KUNIT_ASSERT_PTR_EQ(test, aux_begin(test, 0), test->priv);
	perf_aux_output_end(aux_handle(test, 0), size);
}

static unsigned int aux_wakeups(struct kunit *test, int nr)
{
	struct aux_test *aux = test->priv;

	irq_work_sync(&aux_event(test, nr)->pending_irq);
	return aux->source[nr].wakeups;
}

static unsigned int aux_disables(struct kunit *test, int nr)
{
	struct aux_test *aux = test->priv;

	irq_work_sync(&aux_event(test, nr)->pending_disable_irq);
	return aux->source[nr].disables;
}

static bool aux_has_record(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	const struct perf_event_mmap_page *page = aux->rb->user_page;

	return page->data_head != page->data_tail;
}

static void aux_expect_record(struct kunit *test, u64 offset, u64 size,
			      u64 flags)
{
	struct aux_test *aux = test->priv;
	struct perf_event_mmap_page *page = aux->rb->user_page;
	const struct aux_record *record = aux->rb->runs[0] +
		offset_in_page(page->data_tail);

	KUNIT_ASSERT_TRUE(test, aux_has_record(test));
	KUNIT_EXPECT_EQ(test, record->header.type, PERF_RECORD_AUX);
	KUNIT_ASSERT_EQ(test, record->header.size, sizeof(*record));
	KUNIT_EXPECT_EQ(test, record->offset, offset);
	KUNIT_EXPECT_EQ(test, record->size, size);
	KUNIT_EXPECT_EQ(test, record->flags, flags);
	page->data_tail += record->header.size;
}

/* Offset and size of the area, as user space asks for them. */
static void aux_geometry(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_buffer *rb = aux_map_data(test);
	struct perf_event_mmap_page *page = rb->user_page;
	struct vm_area_struct *vma = aux->vma;
	struct perf_aux_area *area;

	area = aux_make(test, AREA_PAGES, VM_WRITE);
	KUNIT_ASSERT_NOT_NULL(test, area);
	mutex_lock(&rb->aux.mutex);
#define EXPECT_CHECK(error) \
	KUNIT_EXPECT_EQ(test, perf_aux_check_mutexed(rb, vma), error)
	EXPECT_CHECK(-EINVAL);
	page->aux_offset = AREA_PGOFF * PAGE_SIZE;
	EXPECT_CHECK(-EINVAL);
	page->aux_size = AREA_SIZE;
	EXPECT_CHECK(0);
	vma->vm_pgoff++;
	EXPECT_CHECK(-EINVAL);
	vma->vm_pgoff--;

	/* Not a power of two; over the last page of data; right behind it. */
	page->aux_size = 3 * PAGE_SIZE;
	vma->vm_end = 3 * PAGE_SIZE;
	EXPECT_CHECK(-EINVAL);
	page->aux_size = AREA_SIZE;
	vma->vm_end = AREA_SIZE;
	page->aux_offset = PAGE_SIZE;
	vma->vm_pgoff = 1;
	EXPECT_CHECK(-EINVAL);
	page->aux_offset = 2 * PAGE_SIZE;
	vma->vm_pgoff = 2;
	EXPECT_CHECK(0);

	/* There is an area already: another offset, then another size. */
	perf_aux_publish_mutexed(rb, area);
	EXPECT_CHECK(-EINVAL);
	page->aux_offset = AREA_PGOFF * PAGE_SIZE;
	vma->vm_pgoff = AREA_PGOFF;
	EXPECT_CHECK(0);
	page->aux_size = 2 * PAGE_SIZE;
	vma->vm_end = 2 * PAGE_SIZE;
	EXPECT_CHECK(-EINVAL);
#undef EXPECT_CHECK
	mutex_unlock(&rb->aux.mutex);
}

static void aux_pages(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_aux_area *area = aux_map(test, VM_WRITE);
	unsigned int nr;

	KUNIT_EXPECT_PTR_EQ(test, aux->pages, (void **)area->pages);
	KUNIT_EXPECT_EQ(test, aux->nr_pages, AREA_PAGES);
	KUNIT_EXPECT_FALSE(test, aux->overwrite);
	for (nr = 0; nr < AREA_PAGES; nr++) {
		KUNIT_EXPECT_PTR_EQ(test,
				    perf_aux_page(aux->rb, AREA_PGOFF + nr),
				    virt_to_page(area->pages[nr]));
		KUNIT_EXPECT_NULL(test, memchr_inv(area->pages[nr], 0,
						   PAGE_SIZE));
	}
	KUNIT_EXPECT_NULL(test, perf_aux_page(aux->rb, AREA_PGOFF - 1));
	KUNIT_EXPECT_NULL(test, perf_aux_page(aux->rb, AREA_PGOFF + AREA_PAGES));
	KUNIT_EXPECT_EQ(test, page_private(virt_to_page(area->pages[0])), 0);
}

static unsigned long aux_order(const struct perf_aux_area *area, int nr)
{
	struct page *page = virt_to_page(area->pages[nr]);

	return PagePrivate(page) ? page_private(page) : 0;
}

/* One chunk if the area is overwritten, else chunks of the watermark's size. */
static void aux_chunks(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_aux_area *area;

	aux->pmu.capabilities = PERF_PMU_CAP_AUX_NO_SG;
	area = aux_make(test, AREA_PAGES, 0);
	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_EXPECT_TRUE(test, aux->overwrite);
	KUNIT_EXPECT_EQ(test, aux_order(area, 0), 2);
	KUNIT_EXPECT_PTR_EQ(test, area->pages[3], area->pages[0] + 3 * PAGE_SIZE);
	perf_aux_free(area);

	aux->pmu.capabilities = PERF_PMU_CAP_AUX_PREFER_LARGE;
	aux_event(test, 0)->attr.aux_watermark = PAGE_SIZE + 1;
	area = aux_make(test, AREA_PAGES, VM_WRITE);
	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_EXPECT_EQ(test, aux_order(area, 0), 1);
	KUNIT_EXPECT_EQ(test, aux_order(area, 1), 0);
	KUNIT_EXPECT_EQ(test, aux_order(area, 2), 1);
	perf_aux_free(area);
}

/* The driver sets up an area that is never published, and frees it again. */
static void aux_never_published(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_aux_area *area = aux_make(test, AREA_PAGES, VM_WRITE);

	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_EXPECT_EQ(test, aux->freed, 0);
	perf_aux_free(area);
	KUNIT_EXPECT_EQ(test, aux->freed, 1);
}

/* An area larger than the page allocator can give; a driver that refuses. */
static void aux_alloc_fails(struct kunit *test)
{
	struct aux_test *aux = test->priv;

	aux->pmu.capabilities = PERF_PMU_CAP_AUX_NO_SG;
	KUNIT_EXPECT_NULL(test, aux_make(test, 2U << MAX_PAGE_ORDER, 0));
	KUNIT_EXPECT_NULL(test, aux_make(test, 1U << 30, VM_WRITE));
	KUNIT_EXPECT_EQ(test, aux->nr_pages, 0);
	aux->pmu.setup_aux = aux_decline;
	KUNIT_EXPECT_NULL(test, aux_make(test, AREA_PAGES, VM_WRITE));
	KUNIT_EXPECT_EQ(test, aux->freed, 0);
}

static void aux_begin_end(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_output_handle *handle = aux_handle(test, 0);

	KUNIT_EXPECT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_NULL(test, handle->event);
	aux_map_data(test);
	KUNIT_EXPECT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_NULL(test, perf_get_aux(handle));
	KUNIT_EXPECT_EQ(test, refcount_read(&aux->rb->refcount), NR_EVENTS);

	aux_map_area(test, VM_WRITE);
	KUNIT_EXPECT_PTR_EQ(test, aux_begin(test, 0), (void *)aux);
	KUNIT_EXPECT_PTR_EQ(test, handle->event, aux_event(test, 0));
	KUNIT_EXPECT_PTR_EQ(test, perf_get_aux(handle), (void *)aux);
	KUNIT_EXPECT_EQ(test, handle->head, 0);
	KUNIT_EXPECT_EQ(test, handle->size, AREA_SIZE - 1);
	KUNIT_EXPECT_EQ(test, handle->wakeup, AREA_SIZE / 2);
	KUNIT_EXPECT_EQ(test, refcount_read(&aux->rb->refcount), NR_EVENTS + 1);
	perf_aux_output_end(handle, 100);

	KUNIT_EXPECT_NULL(test, perf_get_aux(handle));
	KUNIT_EXPECT_EQ(test, aux->rb->user_page->aux_head, 100);
	KUNIT_EXPECT_EQ(test, refcount_read(&aux->rb->refcount), NR_EVENTS);
	aux_expect_record(test, 0, 100, 0);
	aux_write(test, 0);
	KUNIT_EXPECT_FALSE(test, aux_has_record(test));
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 0);
	KUNIT_EXPECT_EQ(test, aux_disables(test, 0), 0);
}

/* One output at a time, and only by the PMU that made the area. */
static void aux_kept_out(struct kunit *test)
{
	struct aux_test *aux = test->priv;

	aux_map(test, VM_WRITE);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_NULL(test, aux_begin(test, 1));
	perf_aux_output_end(aux_handle(test, 0), 8);
	KUNIT_EXPECT_NOT_NULL(test, aux_begin(test, 1));
	perf_aux_output_end(aux_handle(test, 1), 8);
	aux_event(test, 1)->pmu = &aux->other_pmu;
	KUNIT_EXPECT_NULL(test, aux_begin(test, 1));
	aux_event(test, 1)->pmu = &aux->pmu;
	KUNIT_EXPECT_NOT_NULL(test, aux_begin(test, 1));
	perf_aux_output_end(aux_handle(test, 1), 8);
	aux_expect_record(test, 0, 8, 0);
	aux_expect_record(test, 8, 8, 0);
	aux_expect_record(test, 16, 8, 0);
}

static void aux_wraps(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_output_handle *handle = aux_handle(test, 0);
	unsigned long head = 0, step = AREA_SIZE - 8;
	int lap;

	aux_map(test, VM_WRITE);
	for (lap = 0; lap < 5; lap++, head += step) {
		KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
		KUNIT_EXPECT_EQ(test, handle->head, head);
		KUNIT_EXPECT_EQ(test, handle->size, AREA_SIZE - 1);
		perf_aux_output_end(handle, step);
		aux_expect_record(test, head, step, 0);

		KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
		KUNIT_EXPECT_EQ(test, handle->size, 7);
		perf_aux_output_end(handle, 0);
		WRITE_ONCE(aux->rb->user_page->aux_tail, head + step);
	}
}

/* No room: the event is disabled and its readers are woken. */
static void aux_full(struct kunit *test)
{
	struct aux_test *aux = test->priv;

	aux_map(test, VM_WRITE);
	aux_write(test, AREA_SIZE - 1);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 1);
	KUNIT_EXPECT_EQ(test, aux_disables(test, 0), 0);

	KUNIT_EXPECT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 2);
	KUNIT_EXPECT_EQ(test, aux_disables(test, 0), 1);
	KUNIT_EXPECT_EQ(test, aux_event(test, 0)->pending_disable, 1);

	WRITE_ONCE(aux->rb->user_page->aux_tail, AREA_SIZE - 1);
	aux_write(test, 1);
	aux_expect_record(test, 0, AREA_SIZE - 1, 0);
	aux_expect_record(test, AREA_SIZE - 1, 1, 0);
}

/* Impossible tails: no space counts as free. */
static void aux_hostile_tail(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	const u64 tails[] = { 101, 100 + AREA_SIZE, 100 - AREA_SIZE,
			      1ULL << 63 };
	unsigned int i;

	aux_map(test, VM_WRITE);
	aux_write(test, 100);
	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		WRITE_ONCE(aux->rb->user_page->aux_tail, tails[i]);
		/* The kernel does not read back the head that it shows. */
		WRITE_ONCE(aux->rb->user_page->aux_head, tails[i]);
		KUNIT_EXPECT_NULL(test, aux_begin(test, 0));
	}
	WRITE_ONCE(aux->rb->user_page->aux_tail, 60);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_EQ(test, aux_handle(test, 0)->size, AREA_SIZE - 41);
	KUNIT_EXPECT_EQ(test, aux_handle(test, 0)->head, 100);
	perf_aux_output_end(aux_handle(test, 0), 0);
}

/* The driver sets the head; a record comes only if there is more to report. */
static void aux_overwrites(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_output_handle *handle = aux_handle(test, 0);

	aux_map(test, 0);
	KUNIT_EXPECT_TRUE(test, aux->overwrite);
	WRITE_ONCE(aux->rb->user_page->aux_tail, 12345);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	handle->head = 3 * AREA_SIZE + 24;
	perf_aux_output_end(handle, AREA_SIZE);
	KUNIT_EXPECT_EQ(test, aux->rb->user_page->aux_head, 3 * AREA_SIZE + 24);
	aux_expect_record(test, 3 * AREA_SIZE + 24, AREA_SIZE,
			  PERF_AUX_FLAG_OVERWRITE);

	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_EQ(test, handle->head, 3 * AREA_SIZE + 24);
	perf_aux_output_end(handle, 0);
	KUNIT_EXPECT_FALSE(test, aux_has_record(test));
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 0);
}

static void aux_watermarks(struct kunit *test)
{
	struct perf_output_handle *handle = aux_handle(test, 0);

	aux_event(test, 0)->attr.aux_watermark = 1000;
	aux_map(test, VM_WRITE);
	aux_write(test, 999);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 0);
	aux_write(test, 1);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 1);
	/* An output passes two marks: one wake-up, the next at the third. */
	aux_write(test, 2500);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 2);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_EQ(test, handle->wakeup, 4000);
	perf_aux_output_end(handle, 499);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 2);
	aux_write(test, 1);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 3);
}

static void aux_skips(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_output_handle *handle = aux_handle(test, 0);

	aux_event(test, 0)->attr.aux_watermark = 1000;
	aux_map(test, VM_WRITE);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_EQ(test, perf_aux_output_skip(handle, AREA_SIZE), -ENOSPC);
	KUNIT_EXPECT_EQ(test, handle->size, AREA_SIZE - 1);
	KUNIT_EXPECT_EQ(test, perf_aux_output_skip(handle, 24), 0);
	KUNIT_EXPECT_EQ(test, handle->head, 24);
	KUNIT_EXPECT_EQ(test, handle->size, AREA_SIZE - 25);
	KUNIT_EXPECT_EQ(test, aux->rb->user_page->aux_head, 24);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 0);

	KUNIT_EXPECT_EQ(test, perf_aux_output_skip(handle, 1976), 0);
	KUNIT_EXPECT_EQ(test, handle->wakeup, 3000);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 1);
	perf_aux_output_end(handle, 8);
	aux_expect_record(test, 2000, 8, 0);

	/* All that is free, and not a byte more. */
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_EQ(test, perf_aux_output_skip(handle, handle->size + 1),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, perf_aux_output_skip(handle, handle->size), 0);
	KUNIT_EXPECT_EQ(test, handle->size, 0);
	perf_aux_output_end(handle, 0);
}

static void aux_flags(struct kunit *test)
{
	struct perf_output_handle *handle = aux_handle(test, 0);

	aux_map(test, VM_WRITE);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	perf_aux_output_flag(handle, PERF_AUX_FLAG_PARTIAL);
	perf_aux_output_flag(handle, PERF_AUX_FLAG_COLLISION);
	perf_aux_output_end(handle, 0);
	aux_expect_record(test, 0, 0,
			  PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION);

	/* The format flag alone makes no record; with data it does. */
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	perf_aux_output_flag(handle, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	perf_aux_output_end(handle, 0);
	KUNIT_EXPECT_FALSE(test, aux_has_record(test));
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	perf_aux_output_flag(handle, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	perf_aux_output_end(handle, 8);
	aux_expect_record(test, 0, 8, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 0);

	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	perf_aux_output_flag(handle, PERF_AUX_FLAG_TRUNCATED);
	perf_aux_output_end(handle, 16);
	aux_expect_record(test, 8, 16, PERF_AUX_FLAG_TRUNCATED);
	KUNIT_EXPECT_EQ(test, aux_wakeups(test, 0), 1);
	KUNIT_EXPECT_EQ(test, aux_disables(test, 0), 1);
}

/* A copy writes to the area of its eldest, and only the copy is disabled. */
static void aux_inherited(struct kunit *test)
{
	struct perf_event *copy = aux_event(test, 1);

	aux_map(test, VM_WRITE);
	perf_mmap_detach(copy);
	copy->parent = aux_event(test, 0);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 1));
	perf_aux_output_flag(aux_handle(test, 1), PERF_AUX_FLAG_TRUNCATED);
	perf_aux_output_end(aux_handle(test, 1), 32);
	aux_expect_record(test, 0, 32, PERF_AUX_FLAG_TRUNCATED);
	KUNIT_EXPECT_EQ(test, aux_disables(test, 1), 1);
	KUNIT_EXPECT_EQ(test, aux_disables(test, 0), 0);
	copy->parent = NULL;
}

/* Copies from across the end of the area to across the end of the data. */
static void aux_copies(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_aux_area *area = aux_map(test, VM_WRITE);
	struct perf_output_handle record;
	struct perf_sample_data data = { };
	u8 *out = aux->rb->runs[0];
	unsigned int at;

	for (at = 0; at < AREA_SIZE; at++)
		((u8 *)area->pages[at >> PAGE_SHIFT])[offset_in_page(at)] =
			at ^ at >> PAGE_SHIFT;
	local_set(&aux->rb->head, PAGE_SIZE - 8);
	aux->rb->user_page->data_tail = PAGE_SIZE - 8;

	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_ASSERT_EQ(test, perf_output_begin(&record, &data,
						aux_event(test, 0), 32), 0);
	KUNIT_EXPECT_EQ(test,
			perf_output_copy_aux(aux_handle(test, 0), &record,
					     7 * AREA_SIZE - 20,
					     7 * AREA_SIZE + 12), 32);
	perf_output_end(&record);
	perf_aux_output_end(aux_handle(test, 0), 0);
	for (at = 0; at < 32; at++) {
		unsigned int from = (AREA_SIZE - 20 + at) % AREA_SIZE;

		KUNIT_EXPECT_EQ(test, out[(PAGE_SIZE - 8 + at) % PAGE_SIZE],
				(u8)(from ^ from >> PAGE_SHIFT));
	}
}

/*
 * The PMU is unregistered. Its writer, which the driver forgot to end, is cut
 * off, no other output begins, and the pages stay.
 */
static void aux_retired(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_aux_area *area = aux_map(test, VM_WRITE);
	struct perf_buffer *rb = aux->rb;

	KUNIT_EXPECT_EQ(test, area->state, PERF_AUX_OPEN);
	aux_write(test, 16);
	aux_expect_record(test, 0, 16, 0);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	scoped_guard(mutex, &rb->aux.mutex) {
		perf_aux_retire_mutexed(rb);
		perf_aux_retire_mutexed(rb);
	}
	KUNIT_EXPECT_EQ(test, area->state, PERF_AUX_RETIRED);
	KUNIT_EXPECT_EQ(test, aux->calls, 0);
	KUNIT_EXPECT_EQ(test, aux->freed, 1);
	KUNIT_EXPECT_NULL(test, rb->aux.writing);
	KUNIT_EXPECT_NULL(test, rb->aux.writer);
	KUNIT_EXPECT_NULL(test, aux_handle(test, 0)->event);
	KUNIT_EXPECT_EQ(test, refcount_read(&rb->refcount), NR_EVENTS);
	KUNIT_EXPECT_FALSE(test, aux_has_record(test));
	KUNIT_EXPECT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_PTR_EQ(test, perf_aux_page(rb, AREA_PGOFF),
			    virt_to_page(area->pages[0]));
	aux_unmap(aux);
	KUNIT_EXPECT_EQ(test, aux->freed, 1);
	KUNIT_EXPECT_NULL(test, perf_aux_page(rb, AREA_PGOFF));

	/* The next area continues at the position where this one ended. */
	aux_map_area(test, VM_WRITE);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_EQ(test, aux_handle(test, 0)->head, 16);
	perf_aux_output_end(aux_handle(test, 0), 0);
}

/* An event with an open output may begin it again; other events may not. */
static void aux_begins_again(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_output_handle *handle = aux_handle(test, 0);

	aux_map(test, VM_WRITE);
	aux_write(test, 16);
	aux_expect_record(test, 0, 16, 0);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_NULL(test, aux_begin(test, 1));
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_NULL(test, aux_begin(test, 1));
	KUNIT_EXPECT_EQ(test, handle->head, 16);
	KUNIT_EXPECT_PTR_EQ(test, handle->event, aux_event(test, 0));
	KUNIT_EXPECT_FALSE(test, aux_has_record(test));
	KUNIT_EXPECT_EQ(test, refcount_read(&aux->rb->refcount), NR_EVENTS + 1);
	perf_aux_output_end(handle, 8);
	aux_expect_record(test, 16, 8, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&aux->rb->refcount), NR_EVENTS);

	/* The area is being withdrawn: no output begins any more. */
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	WRITE_ONCE(aux->rb->aux.open, NULL);
	KUNIT_EXPECT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_NULL(test, aux->rb->aux.writing);
	KUNIT_EXPECT_EQ(test, refcount_read(&aux->rb->refcount), NR_EVENTS);
}

/* An event that leaves the buffer no longer writes there; other events do. */
static void aux_leaves(struct kunit *test)
{
	struct aux_test *aux = test->priv;

	aux_map(test, VM_WRITE);
	KUNIT_ASSERT_NOT_NULL(test, perf_rb_get(aux_event(test, 0)));
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(test, 0));
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(aux_event(test, 1), NULL), 0);
	KUNIT_EXPECT_EQ(test, aux->calls, 0);
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(aux_event(test, 0), NULL), 0);
	/* The event is not active, so nothing has to stop it. */
	KUNIT_EXPECT_EQ(test, aux->calls, 0);
	/* No event is left to keep the buffer until the end of the test. */
	aux_unmap(aux);
	KUNIT_EXPECT_NULL(test, aux_handle(test, 0)->event);
	perf_rb_put(aux->rb);
	aux->rb = NULL;
}

/* Which attributes the event's own PMU has to support. */
static void aux_attr(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_event *event = aux_event(test, 0);
	struct perf_event_attr *attr = &event->attr;

	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), 0);
	attr->aux_output = 1;
	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), -EOPNOTSUPP);
	aux->pmu.capabilities = PERF_PMU_CAP_AUX_OUTPUT;
	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), 0);
	attr->aux_pause = 1;
	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), -EOPNOTSUPP);
	attr->aux_action = 0;
	attr->aux_resume = 1;
	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), -EOPNOTSUPP);
	attr->aux_output = 0;
	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), 0);
	attr->aux_pause = 1;
	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), -EINVAL);
	attr->aux_resume = 0;
	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), 0);
	attr->aux_action = 0;
	attr->aux_start_paused = 1;
	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, event->hw.aux_paused, 0);
	aux->pmu.capabilities = PERF_PMU_CAP_AUX_PAUSE;
	KUNIT_EXPECT_EQ(test, perf_aux_check_attr(event), 0);
	KUNIT_EXPECT_EQ(test, event->hw.aux_paused, 1);
}

/* Event 1 requests to be linked with event 0, the leader of its group. */
static void aux_links(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_event *event = aux_event(test, 1);
	struct perf_event_attr *attr = &event->attr;

	event->pmu = &aux->other_pmu;
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), 0);
	KUNIT_EXPECT_NULL(test, event->aux_event);
	attr->aux_sample_size = 64;
	aux->pmu.snapshot_aux = aux_snapshot;
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), -EINVAL);
	event->group_leader = aux_event(test, 0);
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), 0);
	KUNIT_EXPECT_PTR_EQ(test, event->aux_event, event->group_leader);
	aux->pmu.snapshot_aux = NULL;
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), -EINVAL);

	attr->aux_sample_size = 0;
	attr->aux_resume = 1;
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), -EINVAL);
	aux->pmu.capabilities = PERF_PMU_CAP_AUX_PAUSE;
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), 0);
	attr->aux_resume = 0;

	attr->aux_output = 1;
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), -EINVAL);
	aux->other_pmu.aux_output_match = aux_match;
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), 0);
	attr->aux_sample_size = 64;
	aux->pmu.snapshot_aux = aux_snapshot;
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), -EINVAL);
	attr->aux_sample_size = 0;
	aux->pmu.setup_aux = NULL;
	KUNIT_EXPECT_EQ(test, perf_aux_link(event), -EINVAL);
}

/* Event 1 acts on event 0, which is active on this CPU if @here. */
static struct perf_event *aux_serve(struct kunit *test, bool here)
{
	struct perf_event *aux = aux_event(test, 0);

	aux_event(test, 1)->aux_event = aux;
	aux->state = PERF_EVENT_STATE_ACTIVE;
	aux->oncpu = here ? smp_processor_id() : -1;
	return aux_event(test, 1);
}

static void aux_pauses(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	const struct hw_perf_event *hw = &aux_event(test, 0)->hw;
	struct perf_event *event;

	event = aux_serve(test, false);
	perf_aux_set_paused(event, true);
	KUNIT_EXPECT_EQ(test, hw->aux_paused, 0);
	aux_map_data(test);
	guard(preempt)();
	aux_serve(test, true);

	perf_aux_set_paused(event, false);
	KUNIT_EXPECT_EQ(test, aux->calls, 0);
	perf_aux_set_paused(event, true);
	KUNIT_EXPECT_EQ(test, aux->calls, 1);
	KUNIT_EXPECT_EQ(test, aux->last_flags, PERF_EF_PAUSE);
	KUNIT_EXPECT_EQ(test, hw->aux_paused, 1);
	perf_aux_set_paused(event, true);
	KUNIT_EXPECT_EQ(test, aux->calls, 1);
	perf_aux_set_paused(event, false);
	KUNIT_EXPECT_EQ(test, aux->calls, 2);
	KUNIT_EXPECT_EQ(test, aux->last_flags, PERF_EF_RESUME);

	/* Nested in another pause; then with a trace that is not active. */
	aux->rb->aux.pausing = true;
	perf_aux_set_paused(event, true);
	KUNIT_EXPECT_EQ(test, hw->aux_paused, 0);
	aux->rb->aux.pausing = false;
	aux_serve(test, false);
	perf_aux_set_paused(event, true);
	KUNIT_EXPECT_EQ(test, hw->aux_paused, 1);
	KUNIT_EXPECT_EQ(test, aux->calls, 2);
	event->aux_event = NULL;
	perf_aux_set_paused(event, false);
	KUNIT_EXPECT_EQ(test, hw->aux_paused, 1);
}

static void aux_sample_sizes(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_event *event;
	u8 *out;

	aux->pmu.snapshot_aux = aux_snapshot;
	aux_map(test, VM_WRITE);
	out = aux->rb->runs[0];
	memset(out, 0xff, 64);

	preempt_disable();
	event = aux_serve(test, true);
#define EXPECT_SIZE(asked, room, size)					\
	do {								\
		event->attr.aux_sample_size = asked;			\
		KUNIT_EXPECT_EQ(test, perf_aux_sample_size(event, room), \
				(u64)(size));				\
	} while (0)
	EXPECT_SIZE(64, 1000, 64);
	EXPECT_SIZE(63, 1000, 56);
	EXPECT_SIZE(64, 40, 40);
	EXPECT_SIZE(64, 7, 0);
	EXPECT_SIZE(1 << 20, 1 << 20, AREA_SIZE);
	aux->rb->aux.sampling = aux->rb->aux.area;
	EXPECT_SIZE(64, 1000, 0);
	aux->rb->aux.sampling = NULL;

	/* The driver fails: zeros. */
	perf_aux_sample_write(event, &(struct perf_output_handle) {
		.rb = aux->rb, .addr = out, .size = PAGE_SIZE }, 48);
	KUNIT_EXPECT_NULL(test, memchr_inv(out, 0, 48));
	KUNIT_EXPECT_EQ(test, out[48], 0xff);
	KUNIT_EXPECT_NULL(test, aux->rb->aux.sampling);

	aux_serve(test, false);
	EXPECT_SIZE(64, 1000, 0);
	event->aux_event = NULL;
	EXPECT_SIZE(64, 1000, 0);
#undef EXPECT_SIZE
	preempt_enable();
}

/* Writes @size bytes of a sample: the trace, or zeros without the driver. */
static void aux_expect_snapshot(struct kunit *test, struct perf_event *event,
				unsigned int size, bool traced)
{
	struct aux_test *aux = test->priv;
	const struct perf_aux_area *sampling = aux->rb->aux.sampling;
	unsigned int snapshots = aux->snapshots;
	u8 *out = aux->rb->runs[0];

	memset(out, 0xff, size + 1);
	perf_aux_sample_write(event, &(struct perf_output_handle) {
		.rb = aux->rb, .addr = out, .size = PAGE_SIZE }, size);
	KUNIT_EXPECT_EQ(test, aux->snapshots, snapshots + traced);
	KUNIT_EXPECT_NULL(test, memchr_inv(out, traced ? TRACE_BYTE : 0, size));
	KUNIT_EXPECT_EQ(test, out[size], 0xff);
	KUNIT_EXPECT_PTR_EQ(test, aux->rb->aux.sampling, sampling);
}

/* Only an output that is open here, for the same event, is copied from. */
static void aux_snapshots(struct kunit *test)
{
	struct aux_test *aux = test->priv;
	struct perf_event *leader = aux_event(test, 0), *event;

	aux->pmu.snapshot_aux = aux_copy_snapshot;
	aux_map(test, VM_WRITE);
	guard(preempt)();
	event = aux_serve(test, true);
	aux_expect_snapshot(test, event, 32, false);
	KUNIT_EXPECT_NOT_NULL(test, aux_begin(test, 1));
	aux_expect_snapshot(test, event, 32, false);
	perf_aux_output_end(aux_handle(test, 1), 0);
	KUNIT_EXPECT_NOT_NULL(test, aux_begin(test, 0));
	aux_expect_snapshot(test, event, 32, true);

	/* Within another sample; more than the area; after it was retired. */
	aux->rb->aux.sampling = aux->rb->aux.area;
	aux_expect_snapshot(test, event, 32, false);
	aux->rb->aux.sampling = NULL;
	aux->rb->aux.size = 24;
	aux_expect_snapshot(test, event, 32, false);
	aux_expect_snapshot(test, event, 24, true);
	aux->rb->aux.open = NULL;
	aux_expect_snapshot(test, event, 24, false);
	aux->rb->aux.open = aux->rb->aux.area;

	aux_serve(test, false);
	aux_expect_snapshot(test, event, 24, false);
	aux_serve(test, true);
	rcu_assign_pointer(*perf_rb_slot(leader), NULL);
	aux_expect_snapshot(test, event, 24, false);
	rcu_assign_pointer(*perf_rb_slot(leader), aux->rb);
	aux_expect_snapshot(test, event, 24, true);
	perf_aux_output_end(aux_handle(test, 0), 0);
}

static struct kunit_case aux_cases[] = {
	KUNIT_CASE(aux_geometry),
	KUNIT_CASE(aux_pages),
	KUNIT_CASE(aux_chunks),
	KUNIT_CASE(aux_never_published),
	KUNIT_CASE(aux_alloc_fails),
	KUNIT_CASE(aux_begin_end),
	KUNIT_CASE(aux_kept_out),
	KUNIT_CASE(aux_wraps),
	KUNIT_CASE(aux_full),
	KUNIT_CASE(aux_hostile_tail),
	KUNIT_CASE(aux_overwrites),
	KUNIT_CASE(aux_watermarks),
	KUNIT_CASE(aux_skips),
	KUNIT_CASE(aux_flags),
	KUNIT_CASE(aux_inherited),
	KUNIT_CASE(aux_copies),
	KUNIT_CASE(aux_retired),
	KUNIT_CASE(aux_begins_again),
	KUNIT_CASE(aux_leaves),
	KUNIT_CASE(aux_attr),
	KUNIT_CASE(aux_links),
	KUNIT_CASE(aux_pauses),
	KUNIT_CASE(aux_sample_sizes),
	KUNIT_CASE(aux_snapshots),
	{}
};

static struct kunit_suite aux_suite = {
	.name		= "perf_aux_buffer",
	.init		= aux_init,
	.exit		= aux_exit,
	.test_cases	= aux_cases,
};

kunit_test_suite(aux_suite);
