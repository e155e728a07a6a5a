/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests of rooms that write records: an event that no PMU counts, with a
 * real buffer, and a reader of that buffer.
 */
#ifndef _KERNEL_EVENTS_TESTS_RECORD_FAKE_H
#define _KERNEL_EVENTS_TESTS_RECORD_FAKE_H

#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>

#include "../buffer_types.h"
#include "../mmap.h"
#include "../ring_buffer.h"

#define FAKE_PAGES	64
#define FAKE_ID		1001
#define FAKE_TIME	0x123456789abcULL

/**
 * struct record_fake - an event and its buffer
 * @event: the event
 * @ctx: a context that is loaded nowhere
 * @pmu: a PMU without methods
 * @rb: the buffer
 * @record: the record taken last, as words
 */
struct record_fake {
	struct perf_event		event;
	struct perf_event_context	ctx;
	struct pmu			pmu;
	struct perf_buffer		*rb;
	u64				record[SZ_64K / sizeof(u64)];
};

static inline u64 fake_clock(void)
{
	return FAKE_TIME;
}

static inline void fake_wakeup(struct irq_work *work)
{
}

static inline void fake_init_event(struct record_fake *fake,
				   struct perf_event *event, u64 id)
{
	event->pmu = &fake->pmu;
	event->ctx = &fake->ctx;
	event->id = id;
	event->cpu = -1;
	event->oncpu = -1;
	event->ns = &init_pid_ns;
	event->clock = fake_clock;
	event->state = PERF_EVENT_STATE_OFF;
	event->group_leader = event;
	INIT_LIST_HEAD(&event->sibling_list);
	INIT_LIST_HEAD(&event->rb_entry);
	INIT_LIST_HEAD(&event->sb_list);
	atomic_long_set(&event->refcount, 1);
	mutex_init(&event->mmap_mutex);
	init_waitqueue_head(&event->waitq);
	event->pending_irq = IRQ_WORK_INIT_HARD(fake_wakeup);
}

static inline int fake_init(struct kunit *test)
{
	struct record_fake *fake;
	struct perf_event *event;

	fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);
	if (!fake)
		return -ENOMEM;

	event = &fake->event;
	mutex_init(&fake->ctx.mutex);
	INIT_LIST_HEAD(&fake->ctx.event_list);
	fake->ctx.loaded_cpu = PERF_CPU_NONE;
	fake_init_event(fake, event, FAKE_ID);

	fake->rb = perf_rb_alloc(FAKE_PAGES, 0, -1, PERF_RB_WRITABLE);
	if (!fake->rb)
		return -ENOMEM;

	refcount_set(&fake->rb->mmap_count, 1);
	spin_lock_irq(&fake->rb->event_lock);
	list_add(&event->rb_entry, &fake->rb->event_list);
	spin_unlock_irq(&fake->rb->event_lock);
	rcu_assign_pointer(*perf_rb_slot(event), fake->rb);
	test->priv = fake;
	return 0;
}

static inline void fake_exit(struct kunit *test)
{
	struct record_fake *fake = test->priv;

	if (!fake)
		return;

	/* Whoever found the event before the test took it back has left. */
	synchronize_rcu();
	irq_work_sync(&fake->event.pending_irq);
	perf_mmap_detach(&fake->event);
}

/* Where the next byte of a record goes, modulo the size of the buffer. */
static inline unsigned long fake_position(const struct record_fake *fake,
					  const struct perf_output_handle *handle)
{
	unsigned int shift = fake->rb->run_shift;
	unsigned long at = ((unsigned long)handle->page << shift) +
			   BIT(shift) - handle->size;

	return at & (perf_rb_data_size(fake->rb) - 1);
}

/* Is all that was reserved written, and no byte more? */
static inline bool fake_is_exact(const struct record_fake *fake,
				 const struct perf_output_handle *handle)
{
	unsigned long end = local_read(&fake->rb->head);

	return fake_position(fake, handle) ==
	       (end & (perf_rb_data_size(fake->rb) - 1));
}

static inline u64 fake_word(const struct record_fake *fake, u64 position)
{
	unsigned long at = position & (perf_rb_data_size(fake->rb) - 1);
	unsigned int shift = fake->rb->run_shift;

	return *(u64 *)(fake->rb->runs[at >> shift] + (at & (BIT(shift) - 1)));
}

/* Takes the next record out of the buffer; NULL when there is none. */
static inline const struct perf_event_header *
fake_take(struct record_fake *fake)
{
	struct perf_event_mmap_page *page = fake->rb->user_page;
	const struct perf_event_header *header = (void *)fake->record;
	unsigned int i;

	if (page->data_tail == page->data_head)
		return NULL;

	fake->record[0] = fake_word(fake, page->data_tail);
	for (i = 1; i < header->size / sizeof(u64); i++)
		fake->record[i] = fake_word(fake, page->data_tail +
					    i * sizeof(u64));
	page->data_tail += header->size;
	return header;
}

#endif /* _KERNEL_EVENTS_TESTS_RECORD_FAKE_H */
