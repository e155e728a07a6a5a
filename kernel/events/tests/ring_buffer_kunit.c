// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms ring_buffer and mmap: what a reader finds in the pages,
 * what is lost and reported, which events are woken, which share a buffer.
 *
 * Events and buffers are real, but no PMU and no context knows the events. An
 * interrupt between begin and end is a second begin and end by the same task:
 * the writer cannot tell the difference.
 */

#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/wait.h>

#include "../buffer_types.h"
#include "../mmap.h"
#include "../ring_buffer.h"

#define NR_EVENTS	3

/* A record of the tests: header, then words that count upwards from @first. */
struct test_record {
	struct perf_event_header	header;
	u64				words[];
};

struct test_source {
	struct perf_event	event;
	struct perf_sample_data	data;
	unsigned int		wakeups;
};

struct test_ring {
	struct test_source	source[NR_EVENTS];
	struct pmu		pmu;
	struct pmu		trace_pmu;
	u64			first;
	char			bounce[PAGE_SIZE];
};

static u64 test_clock(void)
{
	return 0;
}

static void *test_setup_aux(struct perf_event *event, void **pages,
			    int nr_pages, bool overwrite)
{
	return NULL;
}

static void test_irq_work(struct irq_work *work)
{
	struct test_source *source =
		container_of(work, struct test_source, event.pending_irq);

	source->wakeups++;
}

static void test_init_event(struct test_ring *ring, int nr)
{
	struct perf_event *event = &ring->source[nr].event;

	event->pmu = &ring->pmu;
	event->id = 1000 + nr;
	event->cpu = 0;
	event->clock = test_clock;
	event->state = PERF_EVENT_STATE_OFF;
	atomic_long_set(&event->refcount, 1);
	mutex_init(&event->mmap_mutex);
	INIT_LIST_HEAD(&event->rb_entry);
	init_waitqueue_head(&event->waitq);
	event->pending_irq = IRQ_WORK_INIT_HARD(test_irq_work);
}

static int test_init(struct kunit *test)
{
	struct test_ring *ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);
	int nr;

	if (!ring)
		return -ENOMEM;

	ring->trace_pmu.setup_aux = test_setup_aux;
	for (nr = 0; nr < NR_EVENTS; nr++)
		test_init_event(ring, nr);
	test->priv = ring;
	return 0;
}

static void test_exit(struct kunit *test)
{
	struct test_ring *ring = test->priv;
	int nr;

	for (nr = 0; nr < NR_EVENTS; nr++) {
		irq_work_sync(&ring->source[nr].event.pending_irq);
		perf_mmap_detach(&ring->source[nr].event);
	}
}

static struct perf_event *test_event(struct kunit *test, int nr)
{
	struct test_ring *ring = test->priv;

	return &ring->source[nr].event;
}

/* Does what mmap(2) does, without a mapping: event 0 owns a buffer in use. */
static struct perf_buffer *test_map(struct kunit *test, int nr_pages,
				    long watermark, int flags)
{
	struct perf_buffer *rb = perf_rb_alloc(nr_pages, watermark, -1, flags);
	struct perf_event *event = test_event(test, 0);

	KUNIT_ASSERT_NOT_NULL(test, rb);
	rb->page_event = event;
	refcount_set(&rb->mmap_count, 1);
	spin_lock_irq(&rb->event_lock);
	list_add(&event->rb_entry, &rb->event_list);
	spin_unlock_irq(&rb->event_lock);
	rcu_assign_pointer(*perf_rb_slot(event), rb);
	return rb;
}

static int test_begin(struct kunit *test, int nr,
		      struct perf_output_handle *handle, unsigned int size)
{
	struct test_ring *ring = test->priv;
	struct test_source *source = &ring->source[nr];

	return perf_output_begin(handle, &source->data, &source->event, size);
}

/* Writes the rest of a record that test_begin() reserved. */
static void test_end(struct kunit *test, struct perf_output_handle *handle,
		     unsigned int size)
{
	struct test_ring *ring = test->priv;
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.size = size,
	};
	unsigned int at;

	perf_output_put(handle, header);
	for (at = sizeof(header); at < size; at += sizeof(u64)) {
		perf_output_put(handle, ring->first);
		ring->first++;
	}
	perf_output_end(handle);
}

static int test_write(struct kunit *test, int nr, unsigned int size)
{
	struct perf_output_handle handle;
	int err = test_begin(test, nr, &handle, size);

	if (!err)
		test_end(test, &handle, size);
	return err;
}

/* The record at @position of the stream, as a reader copies it out. */
static struct test_record *test_peek(struct kunit *test, struct perf_buffer *rb,
				     u64 position)
{
	struct test_ring *ring = test->priv;
	unsigned long mask = perf_rb_data_size(rb) - 1;
	struct test_record *record = (void *)ring->bounce;
	unsigned int at, size = sizeof(record->header);

	for (at = 0; at < size; at++) {
		unsigned long from = (position + at) & mask;
		struct page *page = perf_rb_page(rb, 1 + (from >> PAGE_SHIFT));

		ring->bounce[at] = *((char *)page_address(page) +
				     offset_in_page(from));
		if (at + 1 == sizeof(record->header))
			size = min_t(unsigned int, record->header.size,
				     sizeof(ring->bounce));
	}
	return record;
}

/* Takes the next record; the tail moves behind it. */
static struct test_record *test_take(struct kunit *test, struct perf_buffer *rb)
{
	struct perf_event_mmap_page *userpg = rb->user_page;
	struct test_record *record;

	KUNIT_ASSERT_NE(test, userpg->data_tail, userpg->data_head);
	record = test_peek(test, rb, userpg->data_tail);
	KUNIT_ASSERT_GE(test, record->header.size, sizeof(record->header));
	userpg->data_tail += record->header.size;
	return record;
}

static void test_expect_sample(struct kunit *test, struct test_record *record,
			       unsigned int size, u64 first)
{
	unsigned int nr = (size - sizeof(record->header)) / sizeof(u64);

	KUNIT_ASSERT_EQ(test, record->header.type, PERF_RECORD_SAMPLE);
	KUNIT_ASSERT_EQ(test, record->header.size, size);
	while (nr--)
		KUNIT_ASSERT_EQ(test, record->words[nr], first + nr);
}

static void test_expect_lost(struct kunit *test, struct perf_buffer *rb,
			     u64 id, u64 lost)
{
	struct test_record *record = test_take(test, rb);

	KUNIT_EXPECT_EQ(test, record->header.type, PERF_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, record->header.size, 24);
	KUNIT_EXPECT_EQ(test, record->words[0], id);
	KUNIT_EXPECT_EQ(test, record->words[1], lost);
}

static unsigned int test_wakeups(struct kunit *test, int nr)
{
	struct test_ring *ring = test->priv;

	irq_work_sync(&ring->source[nr].event.pending_irq);
	return ring->source[nr].wakeups;
}

static unsigned int test_poll(struct kunit *test, int nr)
{
	return (__force unsigned int)perf_mmap_poll(test_event(test, nr));
}

static void geometry(struct kunit *test)
{
	static const int sizes[] = { 0, 1, 2, 8 };
	struct perf_buffer *rb;
	unsigned int i, page;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		rb = perf_rb_alloc(sizes[i], 0, -1, PERF_RB_WRITABLE);
		KUNIT_ASSERT_NOT_NULL(test, rb);
		KUNIT_EXPECT_EQ(test, perf_rb_data_size(rb),
				sizes[i] * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, rb->watermark, sizes[i] * PAGE_SIZE / 2);
		for (page = 0; page <= sizes[i]; page++)
			KUNIT_EXPECT_NOT_NULL(test, perf_rb_page(rb, page));
		KUNIT_EXPECT_NULL(test, perf_rb_page(rb, page));
		KUNIT_EXPECT_NULL(test, perf_rb_page(rb, ULONG_MAX));
		perf_rb_put(rb);
	}

	rb = perf_rb_alloc(1, 10 * PAGE_SIZE, -1, 0);
	KUNIT_ASSERT_NOT_NULL(test, rb);
	KUNIT_EXPECT_EQ(test, rb->watermark, PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, rb->overwrite);
	perf_rb_put(rb);

	if (!IS_ENABLED(CONFIG_PERF_USE_VMALLOC))
		KUNIT_EXPECT_NULL(test, perf_rb_alloc(1 << 30, 0, -1, 0));
}

/* Odd sizes, so that records break at every place of a page and of the ring. */
static void wrap(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 2, 0, PERF_RB_WRITABLE);
	u64 rounds = 10 * perf_rb_data_size(rb);
	unsigned int i, size;
	u64 first = 0;

	for (i = 0; rb->user_page->data_head <= rounds; i++) {
		size = 8 * (1 + i % 61);
		KUNIT_ASSERT_EQ(test, test_write(test, 0, size), 0);
		test_expect_sample(test, test_take(test, rb), size, first);
		first += size / 8 - 1;
	}
	KUNIT_EXPECT_EQ(test, rb->user_page->data_tail,
			rb->user_page->data_head);
}

static void no_buffer(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 16), -ENOSPC);
	KUNIT_EXPECT_NULL(test, perf_rb_get(test_event(test, 0)));
	KUNIT_EXPECT_EQ(test, test_poll(test, 0), POLLHUP);
	KUNIT_EXPECT_EQ(test,
			perf_mmap_pause_output(test_event(test, 0), true),
			-EINVAL);
}

/* A full ring keeps a byte free: one record less than its size would hold. */
static void full(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_event *event = test_event(test, 0);
	unsigned int i, fit = PAGE_SIZE / 64 - 1;

	for (i = 0; i < fit; i++)
		KUNIT_ASSERT_EQ(test, test_write(test, 0, 64), 0);
	for (i = 0; i < 5; i++)
		KUNIT_ASSERT_EQ(test, test_write(test, 0, 64), -ENOSPC);
	KUNIT_EXPECT_EQ(test, atomic64_read(&event->lost_samples), 5);
	KUNIT_EXPECT_EQ(test, rb->user_page->data_head, fit * 64);

	/* Room for the record, but not for the LOST in front of it. */
	test_take(test, rb);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64 + 48), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), 0);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), -ENOSPC);

	for (i = 1; i < fit; i++)
		test_expect_sample(test, test_take(test, rb), 64, 7 * i);
	test_expect_lost(test, rb, 1000, 6);
	test_expect_sample(test, test_take(test, rb), 64, 7 * fit);

	KUNIT_EXPECT_EQ(test, test_write(test, 0, 16), 0);
	test_expect_lost(test, rb, 1000, 1);
	test_take(test, rb);
	KUNIT_EXPECT_EQ(test, rb->user_page->data_tail,
			rb->user_page->data_head);
}

/*
 * LOST has the identity, with task and time, like any record that is not a
 * sample.
 */
static void lost_trailer(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_event *event = test_event(test, 0);
	struct test_record *record;

	event->attr.sample_id_all = 1;
	event->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_STREAM_ID;
	event->layout.trailer = 16;

	perf_rb_pause(rb, true);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 16), -ENOSPC);
	perf_rb_pause(rb, false);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), 0);

	record = test_take(test, rb);
	KUNIT_EXPECT_EQ(test, record->header.type, PERF_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, record->header.size, 24 + 16);
	KUNIT_EXPECT_EQ(test, record->words[1], 1);
	KUNIT_EXPECT_EQ(test, record->words[2], 1000);
	KUNIT_EXPECT_EQ(test, record->words[3], 1000);
	test_expect_sample(test, test_take(test, rb), 64, 0);
}

/*
 * A record of another room gets the identity at its end, if that was
 * requested.
 */
static void whole_record(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_event *event = test_event(test, 0);
	struct {
		struct perf_event_header	header;
		u64				word;
	} mine = { { .type = PERF_RECORD_AUX, .size = sizeof(mine) }, 0x77 };
	struct test_record *record;

	perf_rb_record(event, &mine.header);
	record = test_take(test, rb);
	KUNIT_EXPECT_EQ(test, record->header.size, 16);
	KUNIT_EXPECT_EQ(test, record->words[0], 0x77);

	event->attr.sample_id_all = 1;
	event->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_STREAM_ID;
	event->layout.trailer = 16;
	perf_rb_record(event, &mine.header);
	record = test_take(test, rb);
	KUNIT_EXPECT_EQ(test, record->header.type, PERF_RECORD_AUX);
	KUNIT_EXPECT_EQ(test, record->header.size, 16 + 16);
	KUNIT_EXPECT_EQ(test, record->words[0], 0x77);
	KUNIT_EXPECT_EQ(test, record->words[1], 1000);
	KUNIT_EXPECT_EQ(test, record->words[2], 1000);
	KUNIT_EXPECT_EQ(test, rb->user_page->data_tail,
			rb->user_page->data_head);
}

/* Task, interrupt, NMI: nothing is visible before the task has finished. */
static void nesting(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_output_handle task, irq, nmi;
	int err[3];
	u64 seen[3];

	err[0] = test_begin(test, 0, &task, 32);
	err[1] = test_begin(test, 0, &irq, 24);
	err[2] = test_begin(test, 0, &nmi, 16);
	test_end(test, &nmi, 16);
	seen[0] = rb->user_page->data_head;
	test_end(test, &irq, 24);
	seen[1] = rb->user_page->data_head;
	test_end(test, &task, 32);
	seen[2] = rb->user_page->data_head;

	KUNIT_EXPECT_EQ(test, err[0] | err[1] | err[2], 0);
	KUNIT_EXPECT_EQ(test, seen[0], 0);
	KUNIT_EXPECT_EQ(test, seen[1], 0);
	KUNIT_EXPECT_EQ(test, seen[2], 32 + 24 + 16);
	KUNIT_EXPECT_EQ(test, rb->nest, 0);

	test_expect_sample(test, test_take(test, rb), 32, 1 + 2);
	test_expect_sample(test, test_take(test, rb), 24, 1);
	test_expect_sample(test, test_take(test, rb), 16, 0);
}

/* A nested writer that finds no room leaves the outer record alone. */
static void nesting_full(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_output_handle task, irq;
	int err[2];

	err[0] = test_begin(test, 0, &task, PAGE_SIZE - 64);
	err[1] = test_begin(test, 0, &irq, 128);
	test_end(test, &task, PAGE_SIZE - 64);

	KUNIT_EXPECT_EQ(test, err[0], 0);
	KUNIT_EXPECT_EQ(test, err[1], -ENOSPC);
	KUNIT_EXPECT_EQ(test, rb->nest, 0);
	KUNIT_EXPECT_EQ(test, rb->user_page->data_head, PAGE_SIZE - 64);
	test_expect_sample(test, test_take(test, rb), PAGE_SIZE - 64, 0);
}

static void watermark(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 256, PERF_RB_WRITABLE);
	struct perf_event *event = test_event(test, 0);
	struct perf_output_handle task;
	unsigned int i;

	for (i = 0; i < 4; i++)
		test_write(test, 0, 64);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 0);
	KUNIT_EXPECT_EQ(test, test_poll(test, 0), 0);

	test_write(test, 0, 64);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 1);
	KUNIT_EXPECT_EQ(test, event->pending_wakeup, 1);
	KUNIT_EXPECT_EQ(test, test_poll(test, 0), POLLIN | POLLRDNORM);
	KUNIT_EXPECT_EQ(test, test_poll(test, 0), 0);

	/* An interrupt passes the mark; the outermost writer wakes. */
	KUNIT_EXPECT_EQ(test, test_begin(test, 0, &task, 64), 0);
	for (i = 0; i < 4; i++)
		test_write(test, 0, 64);
	test_end(test, &task, 64);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 2);
	KUNIT_EXPECT_EQ(test, rb->user_page->data_head, 10 * 64);
}

/* The watermark is never passed. A lost record wakes, once for each tail. */
static void watermark_of_all(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, PAGE_SIZE, PERF_RB_WRITABLE);
	unsigned int i;

	for (i = 0; i < PAGE_SIZE / 64 - 1; i++)
		KUNIT_ASSERT_EQ(test, test_write(test, 0, 64), 0);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 0);

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 1);
	KUNIT_EXPECT_EQ(test, test_poll(test, 0), POLLIN | POLLRDNORM);

	/* Room for the record, not for the LOST in front of it. */
	rb->user_page->data_tail = 24;
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 2);

	/* The mark is where the buffer was full: nothing new to report. */
	rb->user_page->data_tail = rb->user_page->data_head;
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), 0);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 2);
}

/* A record that is too large for an empty buffer wakes nobody, there or later. */
static void too_large(struct kunit *test)
{
	unsigned int i;

	test_map(test, 1, PAGE_SIZE, PERF_RB_WRITABLE);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, test_write(test, 0, PAGE_SIZE), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 0);

	for (i = 0; i < PAGE_SIZE / 64 - 1; i++)
		KUNIT_ASSERT_EQ(test, test_write(test, 0, 64), 0);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 0);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 1);
}

static void wakeup_events(struct kunit *test)
{
	struct perf_event *event = test_event(test, 0);
	struct perf_output_handle handle;
	unsigned int i;

	test_map(test, 8, 0, PERF_RB_WRITABLE);
	event->attr.wakeup_events = 3;
	for (i = 1; i <= 7; i++) {
		KUNIT_ASSERT_EQ(test, test_begin(test, 0, &handle, 16), 0);
		perf_rb_count_sample(&handle);
		test_end(test, &handle, 16);
		KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), i / 3);
	}

	event->attr.watermark = 1;
	for (i = 0; i < 4; i++) {
		KUNIT_ASSERT_EQ(test, test_begin(test, 0, &handle, 16), 0);
		perf_rb_count_sample(&handle);
		test_end(test, &handle, 16);
	}
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 2);
}

/* The reader starts at data_head and finds the latest first. */
static void backward(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, 0);
	unsigned int i, fit = PAGE_SIZE / 32, nr = 2 * fit + 44;
	struct test_record *record;
	u64 position;

	test_event(test, 0)->attr.write_backward = 1;
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, test_write(test, 0, 32), 0);

	position = rb->user_page->data_head;
	KUNIT_EXPECT_EQ(test, position, -32ULL * nr);
	for (i = 0; i < fit; i++) {
		record = test_peek(test, rb, position);
		test_expect_sample(test, record, 32, 3 * (nr - 1 - i));
		position += 32;
	}
}

/* Backward, with a reader that stores a tail. */
static void backward_full(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	unsigned int i, fit = PAGE_SIZE / 64 - 1;

	test_event(test, 0)->attr.write_backward = 1;
	for (i = 0; i < fit; i++)
		KUNIT_ASSERT_EQ(test, test_write(test, 0, 64), 0);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), -ENOSPC);

	rb->user_page->data_tail = -128L;
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), 0);
	test_expect_sample(test, test_peek(test, rb, rb->user_page->data_head + 24),
			   64, 7 * fit);
}

static void overwrite(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, 0);
	u64 position = 200 * 64 - PAGE_SIZE;
	unsigned int i;

	for (i = 0; i < 200; i++)
		KUNIT_ASSERT_EQ(test, test_write(test, 0, 64), 0);
	for (; position < 200 * 64; position += 64)
		test_expect_sample(test, test_peek(test, rb, position), 64,
				   position / 64 * 7);

	KUNIT_EXPECT_EQ(test, test_write(test, 0, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, PAGE_SIZE + 8), -ENOSPC);
}

static void pause_output(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_event *event = test_event(test, 0);

	KUNIT_EXPECT_EQ(test, perf_mmap_pause_output(event, true), 0);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), -ENOSPC);
	KUNIT_EXPECT_EQ(test, rb->user_page->data_head, 0);
	KUNIT_EXPECT_EQ(test, test_wakeups(test, 0), 0);

	KUNIT_EXPECT_EQ(test, perf_mmap_pause_output(event, false), 0);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), 0);
	test_expect_lost(test, rb, 1000, 2);
	test_expect_sample(test, test_take(test, rb), 64, 0);
}

static void no_data_pages(struct kunit *test)
{
	struct perf_event *event = test_event(test, 0);

	test_map(test, 0, 0, PERF_RB_WRITABLE);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 16), -ENOSPC);
	KUNIT_EXPECT_EQ(test, atomic64_read(&event->lost_samples), 0);
	KUNIT_EXPECT_EQ(test, perf_mmap_pause_output(event, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 16), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_poll(test, 0), 0);
}

/* Whatever the reader stores, records are consecutive and the head is right. */
static void hostile_user_page(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 2, 0, PERF_RB_WRITABLE);
	u64 head = 0, tail = 0x123456789abcdefULL;
	unsigned int i, extra;

	for (i = 0; i < 5000; i++) {
		tail = tail * 6364136223846793005ULL + 1442695040888963407ULL;
		rb->user_page->data_tail = tail;
		rb->user_page->data_head = ~tail;
		rb->user_page->data_size = tail;
		rb->user_page->data_offset = tail;
		extra = local_read(&rb->lost) ? 24 : 0;
		if (test_write(test, 0, 64) == 0)
			head += 64 + extra;
		KUNIT_ASSERT_EQ(test, rb->user_page->data_head, head);
		KUNIT_ASSERT_EQ(test, (u64)local_read(&rb->head), head);
	}
}

static unsigned long test_copy_part(void *to, const void *from,
				    unsigned long offset, unsigned long len)
{
	unsigned long stop = 100;
	unsigned long now = offset < stop ? min(len, stop - offset) : 0;

	memcpy(to, from + offset, now);
	return len - now;
}

/* Span, skip and a source that ends early, across the end of a page. */
static void pieces(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 2, 0, PERF_RB_WRITABLE);
	struct perf_output_handle handle;
	char from[128], *to;
	void *span[2];
	u64 left;

	memset(from, 'x', sizeof(from));
	KUNIT_ASSERT_EQ(test, test_write(test, 0, PAGE_SIZE - 64), 0);
	KUNIT_ASSERT_EQ(test, test_begin(test, 0, &handle, 256), 0);
	span[0] = perf_rb_span(&handle, 16);
	span[1] = perf_rb_span(&handle, 48);
	left = perf_rb_write_by(&handle, test_copy_part, from, sizeof(from));
	perf_output_skip(&handle, 28);
	perf_rb_write(&handle, "end", 4);
	perf_output_end(&handle);

	KUNIT_EXPECT_NOT_NULL(test, span[0]);
	KUNIT_EXPECT_NULL(test, span[1]);
	KUNIT_EXPECT_EQ(test, left, 28);
	to = page_address(perf_rb_page(rb, 1));
	KUNIT_EXPECT_EQ(test, memcmp(to + PAGE_SIZE - 48, from, 48), 0);
	to = page_address(perf_rb_page(rb, 2));
	KUNIT_EXPECT_EQ(test, memcmp(to, from, 52), 0);
	KUNIT_EXPECT_EQ(test, to[52], 0);
	KUNIT_EXPECT_STREQ(test, to + 80, "end");
}

static void inherited(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_event *parent = test_event(test, 0);
	struct perf_event *child = test_event(test, 1);

	child->parent = parent;
	KUNIT_EXPECT_EQ(test, test_write(test, 1, 64), 0);
	test_expect_sample(test, test_take(test, rb), 64, 0);

	perf_rb_pause(rb, true);
	KUNIT_EXPECT_EQ(test, test_write(test, 1, 64), -ENOSPC);
	KUNIT_EXPECT_EQ(test, atomic64_read(&parent->lost_samples), 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&child->lost_samples), 0);
	child->parent = NULL;
}

static void redirect(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_event *target = test_event(test, 0);
	struct perf_event *event = test_event(test, 1);

	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(event, target), 0);
	KUNIT_EXPECT_PTR_EQ(test, event->rb, rb);
	KUNIT_EXPECT_EQ(test, refcount_read(&rb->refcount), 2);
	KUNIT_EXPECT_EQ(test, test_write(test, 1, 64), 0);
	KUNIT_EXPECT_EQ(test, test_write(test, 0, 64), 0);
	test_expect_sample(test, test_take(test, rb), 64, 0);
	test_expect_sample(test, test_take(test, rb), 64, 7);

	/* The same target again. */
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(event, target), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&rb->refcount), 2);

	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(event, NULL), 0);
	KUNIT_EXPECT_NULL(test, event->rb);
	KUNIT_EXPECT_EQ(test, refcount_read(&rb->refcount), 1);
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(event, NULL), 0);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&rb->event_list));
}

static void test_expect_refused(struct kunit *test, struct perf_event *event,
				struct perf_event *target)
{
	KUNIT_EXPECT_EQ(test, perf_mmap_check_output(event, target), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(event, target), -EINVAL);
}

static void redirect_refused(struct kunit *test)
{
	struct test_ring *ring = test->priv;
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_event *target = test_event(test, 0);
	struct perf_event *event = test_event(test, 1);

#define EXPECT_REFUSED()						\
	test_expect_refused(test, event, target)

	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(target, target), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(event, test_event(test, 2)),
			-EINVAL);
	event->cpu = 1;
	EXPECT_REFUSED();
	event->cpu = -1;
	target->cpu = -1;
	event->hw.target = current;
	EXPECT_REFUSED();
	target->hw.target = current;
	event->clock = NULL;
	EXPECT_REFUSED();
	event->clock = test_clock;
	event->attr.write_backward = 1;
	EXPECT_REFUSED();
	event->attr.write_backward = 0;

	event->pmu = &ring->trace_pmu;
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(event, target), 0);
	ring->pmu.setup_aux = test_setup_aux;
	EXPECT_REFUSED();
	event->pmu = &ring->pmu;
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(event, target), 0);

	atomic_set(&event->mmap_count, 1);
	EXPECT_REFUSED();
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(event, NULL), -EINVAL);
	atomic_set(&event->mmap_count, 0);

	/* The last mapping has gone; its close has not come this far. */
	refcount_set(&rb->mmap_count, 0);
	EXPECT_REFUSED();
#undef EXPECT_REFUSED
}

/* Attach and detach in all orders; the buffer lives as long as it is used. */
static void detach(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	int nr;

	KUNIT_ASSERT_PTR_EQ(test, perf_rb_get(test_event(test, 0)), rb);
	for (nr = 1; nr < NR_EVENTS; nr++)
		KUNIT_ASSERT_EQ(test,
				perf_mmap_set_output(test_event(test, nr),
						     test_event(test, 0)), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&rb->refcount), 1 + NR_EVENTS);

	for (nr = 0; nr < NR_EVENTS; nr++) {
		perf_mmap_detach(test_event(test, nr));
		perf_mmap_detach(test_event(test, nr));
		KUNIT_EXPECT_EQ(test, test_write(test, nr, 16), -ENOSPC);
	}
	KUNIT_EXPECT_TRUE(test, list_empty(&rb->event_list));
	KUNIT_EXPECT_EQ(test, refcount_read(&rb->refcount), 1);
	perf_rb_put(rb);
}

struct test_poller {
	struct wait_queue_entry	wait;
	unsigned int		woken;
};

static int test_wake(struct wait_queue_entry *wait, unsigned int mode, int flags,
		     void *key)
{
	container_of(wait, struct test_poller, wait)->woken++;
	return 0;
}

/* All events of a buffer are woken; one that leaves is woken once more. */
static void wake_all(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct test_poller poller[NR_EVENTS] = {};
	int nr;

	for (nr = 0; nr < NR_EVENTS; nr++) {
		init_waitqueue_func_entry(&poller[nr].wait, test_wake);
		add_wait_queue(&test_event(test, nr)->waitq, &poller[nr].wait);
	}
	perf_mmap_set_output(test_event(test, 1), test_event(test, 0));
	KUNIT_EXPECT_EQ(test, poller[1].woken, 0);

	rb->wake_due = 1;
	perf_rb_wake_pollers(test_event(test, 1));
	KUNIT_EXPECT_EQ(test, poller[0].woken, 1);
	KUNIT_EXPECT_EQ(test, poller[1].woken, 1);
	KUNIT_EXPECT_EQ(test, poller[2].woken, 0);

	perf_mmap_set_output(test_event(test, 1), NULL);
	KUNIT_EXPECT_EQ(test, poller[1].woken, 2);
	rb->wake_due = 1;
	perf_rb_wake_pollers(test_event(test, 0));
	KUNIT_EXPECT_EQ(test, poller[0].woken, 2);
	KUNIT_EXPECT_EQ(test, poller[1].woken, 2);

	for (nr = 0; nr < NR_EVENTS; nr++)
		remove_wait_queue(&test_event(test, nr)->waitq,
				  &poller[nr].wait);
}

/* Events that wake one after the other walk the list of all once. */
static void wake_once(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 1, 0, PERF_RB_WRITABLE);
	struct perf_event *writer = test_event(test, 0);
	struct test_poller poller[2] = {};

	for (int nr = 0; nr < 2; nr++) {
		init_waitqueue_func_entry(&poller[nr].wait, test_wake);
		add_wait_queue(&test_event(test, nr)->waitq, &poller[nr].wait);
	}
	perf_mmap_set_output(test_event(test, 1), writer);

	/* Nothing to read: an event that ends wakes its own pollers. */
	perf_rb_wake_pollers(writer);
	KUNIT_EXPECT_EQ(test, poller[0].woken, 1);
	KUNIT_EXPECT_EQ(test, poller[1].woken, 0);

	/* The work that this queues may run at any time from now on. */
	perf_rb_wake(rb, writer);
	perf_rb_wake_pollers(writer);
	perf_rb_wake_pollers(writer);
	irq_work_sync(&writer->pending_irq);
	KUNIT_EXPECT_GE(test, poller[0].woken, 3);
	KUNIT_EXPECT_EQ(test, poller[1].woken, 1);

	perf_mmap_set_output(test_event(test, 1), NULL);
	for (int nr = 0; nr < 2; nr++)
		remove_wait_queue(&test_event(test, nr)->waitq,
				  &poller[nr].wait);
}

struct test_locked_poller {
	struct wait_queue_entry	wait;
	struct perf_buffer	*rb;
	unsigned int		woken;
	unsigned int		unlocked;
};

static int test_wake_locked(struct wait_queue_entry *wait, unsigned int mode,
			    int flags, void *key)
{
	struct test_locked_poller *poller =
		container_of(wait, struct test_locked_poller, wait);

	poller->woken++;
	if (IS_ENABLED(CONFIG_SMP) && spin_trylock(&poller->rb->event_lock)) {
		poller->unlocked++;
		spin_unlock(&poller->rb->event_lock);
	}
	return 0;
}

/* Meanwhile no event can leave the list. */
static void wake_locked(struct kunit *test)
{
	struct perf_event *event = test_event(test, 0);
	struct test_locked_poller poller = {
		.rb = test_map(test, 1, 0, PERF_RB_WRITABLE),
	};

	init_waitqueue_func_entry(&poller.wait, test_wake_locked);
	add_wait_queue(&event->waitq, &poller.wait);
	poller.rb->wake_due = 1;
	perf_rb_wake_pollers(event);
	remove_wait_queue(&event->waitq, &poller.wait);
	KUNIT_EXPECT_EQ(test, poller.woken, 1);
	KUNIT_EXPECT_EQ(test, poller.unlocked, 0);
}

static void user_page(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 0, 0, PERF_RB_WRITABLE);
	struct perf_event_mmap_page *userpg = rb->user_page;
	struct perf_event *event = test_event(test, 0);

	local64_set(&event->count, 40);
	atomic64_set(&event->child_count, 2);
	atomic64_set(&event->child_total_time_enabled, 70);
	event->total_time_enabled = 7;
	event->total_time_running = 5;

	/* The page is no event's, then another event's: nothing changes. */
	perf_event_update_userpage(event);
	rb->page_event = test_event(test, 1);
	atomic_set(&event->mmap_count, 1);
	perf_event_update_userpage(event);
	KUNIT_EXPECT_EQ(test, userpg->lock, 0);

	rb->page_event = event;
	perf_event_update_userpage(event);
	atomic_set(&event->mmap_count, 0);
	KUNIT_EXPECT_EQ(test, userpg->lock, 2);
	KUNIT_EXPECT_EQ(test, userpg->index, 0);
	KUNIT_EXPECT_EQ(test, userpg->offset, 42);
	KUNIT_EXPECT_EQ(test, userpg->time_enabled, 77);
	KUNIT_EXPECT_EQ(test, userpg->time_running, 5);
}

/* Makes an active event of the task that has it mapped, on a counter. */
static void test_put_on(struct kunit *test, struct perf_buffer *rb)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task),
						 GFP_KERNEL);
	struct mm_struct *mm = kunit_kzalloc(test, sizeof(*mm), GFP_KERNEL);
	struct perf_event *event = test_event(test, 0);

	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_ASSERT_NOT_NULL(test, mm);
	task->mm = mm;
	rb->reader_mm = mm;
	rb->nr_readers = 1;
	event->attach_state = PERF_ATTACH_TASK;
	event->hw.target = task;
	event->state = PERF_EVENT_STATE_ACTIVE;
	event->group_leader = event;
	atomic_set(&event->mmap_count, 1);
}

static int test_index(struct perf_event *event)
{
	return 3;
}

static u32 test_shown_index(struct perf_buffer *rb, struct perf_event *event)
{
	perf_event_update_userpage(event);
	return rb->user_page->index;
}

/* A counter is shown to tasks that can read it, and to no others. */
static void user_page_index(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 0, 0, PERF_RB_WRITABLE);
	struct perf_event *event = test_event(test, 0);
	struct mm_struct *mm;

	event->pmu->event_idx = test_index;
	test_put_on(test, rb);
	KUNIT_EXPECT_EQ(test, test_shown_index(rb, event), 3);

	event->hw.state = PERF_HES_STOPPED;
	KUNIT_EXPECT_EQ(test, test_shown_index(rb, event), 0);
	event->hw.state = 0;
	event->state = PERF_EVENT_STATE_INACTIVE;
	KUNIT_EXPECT_EQ(test, test_shown_index(rb, event), 0);
	event->state = PERF_EVENT_STATE_ACTIVE;

	mm = event->hw.target->mm;
	rb->reader_mm = mm + 1;
	KUNIT_EXPECT_EQ(test, test_shown_index(rb, event), 0);
	rb->reader_mm = mm;
	event->hw.target->mm = NULL;
	KUNIT_EXPECT_EQ(test, test_shown_index(rb, event), 0);
	/* Of a CPU: the reader is trusted to stay on that CPU. */
	event->attach_state = 0;
	KUNIT_EXPECT_EQ(test, test_shown_index(rb, event), 3);
	event->attach_state = PERF_ATTACH_TASK;
	event->hw.target->mm = mm;
	KUNIT_EXPECT_EQ(test, test_shown_index(rb, event), 3);
	rb->nr_blind = 1;
	KUNIT_EXPECT_EQ(test, test_shown_index(rb, event), 0);
	rb->nr_blind = 0;
	KUNIT_EXPECT_EQ(test, test_shown_index(rb, event), 3);
	atomic_set(&event->mmap_count, 0);
}

static bool test_shown_time(struct perf_buffer *rb, struct perf_event *event,
			    enum perf_event_state state)
{
	event->state = state;
	perf_event_update_userpage(event);
	return rb->user_page->cap_user_time;
}

/* A reader continues times that differ only while the event waits its turn. */
static void user_page_times(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 0, 0, PERF_RB_WRITABLE);
	struct perf_event *event = test_event(test, 0);

	event->pmu->event_idx = test_index;
	test_put_on(test, rb);
	event->cpu = -1;
	event->total_time_enabled = 7;
	event->total_time_running = 5;
	if (test_shown_time(rb, event, PERF_EVENT_STATE_ACTIVE)) {
		KUNIT_EXPECT_TRUE(test, test_shown_time(rb, event,
							PERF_EVENT_STATE_INACTIVE));
		KUNIT_EXPECT_FALSE(test, test_shown_time(rb, event,
							 PERF_EVENT_STATE_OFF));
		event->cpu = 0;
		KUNIT_EXPECT_FALSE(test, test_shown_time(rb, event,
							 PERF_EVENT_STATE_INACTIVE));
		event->total_time_running = 7;
		KUNIT_EXPECT_TRUE(test, test_shown_time(rb, event,
							PERF_EVENT_STATE_OFF));
	} else {
		kunit_mark_skipped(test, "time cannot be read by programs");
	}
	atomic_set(&event->mmap_count, 0);
}

/* An overflow at the first call: the count grows and the counter restarts. */
static int test_index_of_overflow(struct perf_event *event)
{
	event->pmu->event_idx = test_index;
	local64_add(1000, &event->count);
	local64_set(&event->hw.prev_count, -50);
	perf_event_update_userpage(event);
	return 3;
}

static void user_page_interrupted(struct kunit *test)
{
	struct perf_buffer *rb = test_map(test, 0, 0, PERF_RB_WRITABLE);
	struct perf_event *event = test_event(test, 0);

	event->pmu->event_idx = test_index_of_overflow;
	test_put_on(test, rb);
	local64_set(&event->hw.prev_count, 200);
	local64_set(&event->count, 300);
	perf_event_update_userpage(event);
	KUNIT_EXPECT_EQ(test, rb->user_page->index, 3);
	KUNIT_EXPECT_EQ(test, rb->user_page->offset, 1350);
	KUNIT_EXPECT_EQ(test, rb->user_page->lock % 2, 0);
	atomic_set(&event->mmap_count, 0);
}

/* mmap(2) refuses these before it looks at anything but event and area. */
static void map_refused(struct kunit *test)
{
	struct perf_event *event = test_event(test, 0);
	struct vm_area_struct *vma;
	struct file *file;

	vma = kunit_kzalloc(test, sizeof(*vma), GFP_KERNEL);
	file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, vma);
	KUNIT_ASSERT_NOT_NULL(test, file);
	file->private_data = event;
	vma->vm_end = PAGE_SIZE;

	KUNIT_EXPECT_EQ(test, perf_mmap(file, vma), -EINVAL);
	vm_flags_init(vma, VM_SHARED);
	event->attr.inherit = 1;
	event->cpu = -1;
	KUNIT_EXPECT_EQ(test, perf_mmap(file, vma), -EINVAL);
}

static struct kunit_case ring_buffer_cases[] = {
	KUNIT_CASE(geometry),
	KUNIT_CASE(wrap),
	KUNIT_CASE(no_buffer),
	KUNIT_CASE(full),
	KUNIT_CASE(lost_trailer),
	KUNIT_CASE(whole_record),
	KUNIT_CASE(nesting),
	KUNIT_CASE(nesting_full),
	KUNIT_CASE(watermark),
	KUNIT_CASE(watermark_of_all),
	KUNIT_CASE(too_large),
	KUNIT_CASE(wakeup_events),
	KUNIT_CASE(backward),
	KUNIT_CASE(backward_full),
	KUNIT_CASE(overwrite),
	KUNIT_CASE(pause_output),
	KUNIT_CASE(no_data_pages),
	KUNIT_CASE(hostile_user_page),
	KUNIT_CASE(pieces),
	KUNIT_CASE(inherited),
	KUNIT_CASE(redirect),
	KUNIT_CASE(redirect_refused),
	KUNIT_CASE(detach),
	KUNIT_CASE(wake_all),
	KUNIT_CASE(wake_once),
	KUNIT_CASE(wake_locked),
	KUNIT_CASE(user_page),
	KUNIT_CASE(user_page_index),
	KUNIT_CASE(user_page_times),
	KUNIT_CASE(user_page_interrupted),
	KUNIT_CASE(map_refused),
	{}
};

static struct kunit_suite ring_buffer_suite = {
	.name		= "perf_ring_buffer",
	.init		= test_init,
	.exit		= test_exit,
	.test_cases	= ring_buffer_cases,
};

kunit_test_suite(ring_buffer_suite);
