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
#include "../sample.h"

#define FAKE_PAGES	64
#define FAKE_ID		1001
#define FAKE_TIME	0x123456789abcULL
#define FAKE_TRACE	0x7ace000000000000ULL
#define FAKE_TRACE_SIZE	SZ_4K

/**
 * struct record_fake - an event and its buffer
 * @event: the event
 * @tracer: an event with a trace
 * @trace_len: bytes of trace that the driver has
 * @snapshots: how often the driver was asked for trace
 * @ctx: a context that is loaded nowhere
 * @pmu: a PMU without methods
 * @rb: the buffer
 * @record: the last record read, as words
 */
struct record_fake {
	struct perf_event		event;
	struct perf_event		tracer;
	unsigned long			trace_len;
	unsigned int			snapshots;
	struct perf_ctx			ctx;
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
	event->ctx = &fake->ctx.pub;
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
	fake_init_event(fake, &fake->tracer, FAKE_ID + 2);

	fake->rb = perf_rb_alloc(FAKE_PAGES, 0, -1, PERF_RB_WRITABLE);
	if (!fake->rb)
		return -ENOMEM;

	refcount_set(&fake->rb->mmap_count, 1);
	spin_lock_irq(&fake->rb->event_lock);
	list_add(&event->rb_entry, &fake->rb->event_list);
	spin_unlock_irq(&fake->rb->event_lock);
	rcu_assign_pointer(*perf_rb_slot(event), fake->rb);
	rcu_assign_pointer(*perf_rb_slot(&fake->tracer), fake->rb);
	test->priv = fake;
	return 0;
}

static inline void fake_exit(struct kunit *test)
{
	struct record_fake *fake = test->priv;

	if (!fake)
		return;

	RCU_INIT_POINTER(*perf_rb_slot(&fake->tracer), NULL);
	/* After this nobody still uses the event from a list. */
	synchronize_rcu();
	irq_work_sync(&fake->event.pending_irq);
	perf_mmap_detach(&fake->event);
}

/* Offset where the next byte of a record goes, modulo the buffer's size. */
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

/* Prepares, writes and reads one sample. Return: was its size exact? */
static inline bool fake_sample(struct record_fake *fake,
			       struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	struct perf_event *event = &fake->event;
	struct perf_output_handle handle;
	struct perf_event_header header;
	bool exact = false;

	guard(rcu)();
	guard(preempt)();

	perf_prepare_sample(data, event, regs);
	perf_prepare_header(&header, data, event, regs);
	if (perf_output_begin(&handle, data, event, header.size))
		return false;
	perf_output_sample(&handle, &header, data, event);
	exact = fake_is_exact(fake, &handle);
	perf_output_end(&handle);

	return exact && IS_ALIGNED(header.size, sizeof(u64)) &&
	       fake_take(fake) && fake->rb->user_page->data_tail ==
	       fake->rb->user_page->data_head &&
	       !memcmp(fake->record, &header, sizeof(header));
}

static inline void fake_layout(struct record_fake *fake, u64 type)
{
	fake->event.attr.sample_type = type;
	perf_sample_compile(&fake->event);
}

static inline void fake_expect_words(struct kunit *test, unsigned int from,
				     const u64 *words, unsigned int nr)
{
	struct record_fake *fake = test->priv;
	unsigned int i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, fake->record[from + i], words[i],
				    "word %u", i);
}

/* The driver's snapshot method, for a trace that ends early. */
static inline long fake_snapshot(struct perf_event *event,
				 struct perf_output_handle *handle,
				 unsigned long size)
{
	struct record_fake *fake = container_of(event, struct record_fake,
						tracer);
	unsigned long at, end = min(size, fake->trace_len);

	fake->snapshots++;
	for (at = 0; at < end; at += sizeof(u64)) {
		u64 word = FAKE_TRACE + at;

		perf_output_copy(handle, &word, sizeof(word));
	}
	return end;
}

/*
 * Lets the event show @len bytes of the tracer's trace, which is on this CPU,
 * until fake_trace_ends(). Context: preemption off in between.
 */
static inline void fake_trace_begins(struct record_fake *fake,
				     unsigned long len)
{
	struct perf_event *tracer = &fake->tracer;

	fake->pmu.snapshot_aux = fake_snapshot;
	fake->trace_len = len;
	tracer->state = PERF_EVENT_STATE_ACTIVE;
	tracer->oncpu = smp_processor_id();
	/* Only the driver looks into the area. */
	fake->rb->aux.open = (void *)fake->rb;
	fake->rb->aux.writer = tracer;
	fake->rb->aux.size = FAKE_TRACE_SIZE;
	fake->event.aux_event = tracer;
}

static inline void fake_trace_ends(struct record_fake *fake)
{
	fake->event.aux_event = NULL;
	fake->rb->aux.writer = NULL;
	fake->rb->aux.open = NULL;
	fake->rb->aux.size = 0;
}

#endif /* _KERNEL_EVENTS_TESTS_RECORD_FAKE_H */
