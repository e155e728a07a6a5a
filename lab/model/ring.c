// SPDX-License-Identifier: GPL-2.0
/*
 * kernel/events/ring_buffer.c under random interrupts, in user space.
 *
 *	ring [SEED [ROUNDS]]
 *
 * One thread plays a CPU with four contexts, from task to NMI. At every point
 * where the source looks at memory that an interrupt may change, or changes it,
 * an interrupt of a higher context may come and write records of its own, which
 * may be interrupted in turn. At the same points the reader on another CPU may
 * take a step: load the head, look at what is below it, store the tail.
 *
 * Each round has a buffer, a direction and a mode of its own. What must hold:
 *
 *   - all that data_head covers is complete, and does not change until the
 *     reader has stored a tail behind it;
 *   - data_head never goes back, and covers everything once nobody writes;
 *   - every record that found room is read once, every other one is counted:
 *     in LOST records, in what is still to be reported, in the event's count;
 *   - a record that passes the watermark wakes, after the head was published;
 *   - a record that finds no room finds a reader that was woken since it moved
 *     the tail, or causes a wake-up;
 *   - there are no other wake-ups.
 *
 * The decisions follow from the seed; a failure prints it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "ring_buffer.h"
#include "buffer_types.h"
#include "hooks.h"
#include "live.h"

long perf_live_counts[PERF_LIVE_NR];

#define LEVELS		4	/* task, soft and hard interrupt, NMI */
#define RECORDS		600	/* of a round, by the task; interrupts add more */
#define MAX_RECORDS	20000
#define MAX_WORDS	64
#define EVENT_ID	0x1d1d1d1d1dULL
#define ID_WORD		0x7272727272727272ULL

struct page model_page;

/* A record in the buffer. */
struct record {
	struct perf_event_header header;
	u64 seq;
	u32 level;
	u32 skipped;		/* words at the end that were not written */
	u64 word[MAX_WORDS];
};

#define FIXED_SIZE	offsetof(struct record, word)

enum fate { UNKNOWN, OPEN, COMPLETE, TAKEN, LOST };

static struct {
	u64 seed;
	u64 round;
	u64 random;

	struct perf_event event;
	struct perf_buffer *rb;
	bool backward;
	bool overwrite;
	bool by_count;		/* wake-ups by count; else by the watermark */
	unsigned int max_words;
	unsigned int odds;	/* one point in so many is interrupted */

	int level;
	bool still;		/* no interrupts, no reader */
	unsigned long begun_at;	/* head when the task's record began */
	unsigned long published;
	u64 seqs;
	u8 fate[MAX_RECORDS];

	/* The reader. */
	int step;
	bool sleeps;		/* until it is woken; else it polls */
	bool woken;
	unsigned long seen_head;
	unsigned long tail;
	bool told;		/* woken since it looked */
	bool refused;		/* a record since then, and there was something to read */
	u64 moves;

	/* Sums. */
	u64 failed;
	u64 lost_reported;
	u64 wakes;
	unsigned long written;	/* bytes */
	u64 taken;
	u64 interrupts;
} m;

static u64 total_taken, total_failed, total_interrupts, total_wakes;

static __noreturn __printf(1, 2)
void wrong(const char *fmt, ...)
{
	va_list args;

	printf("ring model: seed %llu, round %llu, record %llu, level %d: ",
	       (unsigned long long)m.seed, (unsigned long long)m.round,
	       (unsigned long long)m.seqs, m.level);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	exit(1);
}

#define MUST(cond, ...)	((cond) ? (void)0 : wrong(__VA_ARGS__))

static unsigned int rnd(unsigned int below)
{
	m.random ^= m.random << 13;
	m.random ^= m.random >> 7;
	m.random ^= m.random << 17;
	return (m.random >> 16) % below;
}

static u64 content(u64 seq, unsigned int index)
{
	return (seq + 1) * 0x9e3779b97f4a7c15ULL + index;
}

void *model_alloc(size_t size)
{
	void *at = aligned_alloc(PAGE_SIZE, size);

	if (at)
		memset(at, 0, size);
	return at;
}

/* The head at this moment, without a point for an interrupt. */
static unsigned long head_now(void)
{
	return (unsigned long)m.rb->head.v;
}

static unsigned long distance(unsigned long from, unsigned long to)
{
	return m.backward ? from - to : to - from;
}

static void fetch(void *to, unsigned long position, size_t size)
{
	unsigned long mask = perf_rb_data_size(m.rb) - 1, run;
	char *out = to;

	while (size--) {
		run = (position & mask) >> m.rb->run_shift;
		*out++ = ((char *)m.rb->runs[run])
			 [position & ((1UL << m.rb->run_shift) - 1)];
		position++;
	}
}

static void check_lost(const struct perf_event_header *header,
		       unsigned long at, bool take)
{
	u64 body[2 + 2];
	unsigned int i, trailer = m.event.layout.trailer;

	MUST(header->size == sizeof(*header) + 16 + trailer,
	     "LOST of %u bytes", header->size);
	fetch(body, at + sizeof(*header), header->size - sizeof(*header));
	MUST(body[0] == EVENT_ID, "LOST has id %llx",
	     (unsigned long long)body[0]);
	for (i = 0; i < trailer / 8; i++)
		MUST(body[2 + i] == ID_WORD, "LOST without its trailer");
	if (take)
		m.lost_reported += body[1];
}

static void check_sample(const struct perf_event_header *header,
			 unsigned long at, bool take)
{
	unsigned int i, words = (header->size - FIXED_SIZE) / 8;
	struct record record;

	MUST(header->size >= FIXED_SIZE && words <= MAX_WORDS,
	     "sample of %u bytes", header->size);
	fetch(&record, at, header->size);
	MUST(record.seq < m.seqs, "number %llx",
	     (unsigned long long)record.seq);
	MUST(m.fate[record.seq] == COMPLETE, "record %llu has fate %u",
	     (unsigned long long)record.seq, m.fate[record.seq]);
	MUST(record.skipped <= words, "%u words of %u skipped", record.skipped,
	     words);
	for (i = 0; i < words - record.skipped; i++)
		MUST(record.word[i] == content(record.seq, i),
		     "record %llu is torn at word %u",
		     (unsigned long long)record.seq, i);
	if (take) {
		m.fate[record.seq] = TAKEN;
		m.taken++;
	}
}

/* Walks upwards over records, and must end exactly at @to. */
static void walk(unsigned long from, unsigned long to, bool take)
{
	struct perf_event_header header;

	while (from != to) {
		MUST(to - from >= sizeof(header), "%lu bytes left", to - from);
		fetch(&header, from, sizeof(header));
		MUST(header.size >= sizeof(header) && !(header.size & 7) &&
		     header.size <= to - from, "size %u of %lu bytes",
		     header.size, to - from);
		if (header.type == PERF_RECORD_LOST)
			check_lost(&header, from, take);
		else if (header.type == PERF_RECORD_SAMPLE)
			check_sample(&header, from, take);
		else
			wrong("type %u", header.type);
		from += header.size;
	}
}

static void walk_between(unsigned long old, unsigned long new, bool take)
{
	if (m.backward)
		walk(new, old, take);
	else
		walk(old, new, take);
}

/* A store that the reader can see. */
void model_wrote(const void *at)
{
	unsigned long head;

	if (!m.rb || at != &m.rb->user_page->data_head)
		return;
	head = (unsigned long)m.rb->user_page->data_head;
	MUST(distance(m.published, head) <= distance(m.published, head_now()),
	     "data_head goes back, or beyond the head");
	walk_between(m.published, head, m.overwrite);
	m.written += distance(m.published, head);
	m.published = head;
}

/* Wakes the reader, which must find what it was woken for. */
void irq_work_queue(struct irq_work *work)
{
	work->queued = 1;
	m.wakes++;
	m.told = true;
	m.woken = true;
	MUST(m.published == head_now(), "woken before data_head is stored");
}

static void reader_moves(struct perf_event_mmap_page *page)
{
	m.tail = m.seen_head;
	page->data_tail = m.tail;
	m.moves++;
}

static void reader_step(void)
{
	struct perf_event_mmap_page *page = m.rb->user_page;

	if (m.overwrite || (!m.step && m.sleeps && !m.woken))
		return;
	switch (m.step++) {
	case 0:
		m.woken = false;
		m.told = false;
		m.refused = false;
		m.seen_head = (unsigned long)page->data_head;
		break;
	case 1:
		walk_between(m.tail, m.seen_head, true);
		break;
	default:
		m.step = 0;
		if (m.tail != m.seen_head)
			reader_moves(page);
	}
}

void *model_copy(void *to, const void *from, size_t size)
{
	size_t done = 0, piece;

	while (done < size) {
		model_point();
		piece = size - done;
		if (piece > 8)
			piece = 8;
		memcpy((char *)to + done, (const char *)from + done, piece);
		done += piece;
	}
	model_point();
	return to;
}

/* Stores all or a part; the caller writes again what is missing. */
static unsigned long copy_some(void *to, const void *from, unsigned long offset,
			       unsigned long len)
{
	unsigned long missing = rnd(3) ? 0 : rnd(len + 1);

	model_copy(to, (const char *)from + offset, len - missing);
	return missing;
}

/* Return: how many of @len bytes were written. */
static unsigned long write_piece(struct perf_output_handle *handle,
				 const char *from, unsigned long len)
{
	void *span;

	switch (rnd(5)) {
	case 0:
		MUST(!perf_output_copy(handle, from, len), "copy");
		return len;
	case 1:
		return len - perf_rb_write_by(handle, copy_some, from, len);
	case 2:
		MUST(!perf_rb_write_user(handle, from, len), "user");
		return len;
	case 3:
		span = perf_rb_span(handle, len);
		if (span) {
			model_copy(span, from, len);
			return len;
		}
		fallthrough;
	default:
		perf_rb_write(handle, from, len);
		return len;
	}
}

static void write_out(struct perf_output_handle *handle,
		      const struct record *record)
{
	unsigned long size = record->header.size - 8UL * record->skipped;
	const char *from = (const char *)record;
	unsigned long done;

	while (size) {
		done = write_piece(handle, from, 1 + rnd(size));
		from += done;
		size -= done;
	}
	perf_output_skip(handle, 8 * record->skipped);
}

static void make_record(struct record *record)
{
	unsigned int i, words = rnd(1 + m.max_words);

	record->header.type = PERF_RECORD_SAMPLE;
	record->header.misc = 0;
	record->header.size = FIXED_SIZE + 8 * words;
	record->level = m.level;
	record->skipped = rnd(8) ? 0 : rnd(1 + words);
	record->seq = m.seqs++;
	for (i = 0; i < words; i++)
		record->word[i] = content(record->seq, i);
}

/* Records overwritten while the task still writes could not be read. */
static bool has_budget(void)
{
	unsigned long size = perf_rb_data_size(m.rb);

	if (m.seqs == MAX_RECORDS)
		return false;
	return !m.overwrite || distance(m.begun_at, head_now()) +
	       2 * sizeof(struct record) < size / 2;
}

/*
 * @tail was loaded before, so there is at least as much room as it tells. If the
 * reader has not moved the tail until now, it is checked later that it is woken.
 */
static void check_refusal(unsigned long tail, unsigned int size)
{
	unsigned long used = distance(tail, head_now());

	if (m.rb->flow != PERF_RB_FLOWS)
		return;
	m.refused |= !m.step && tail == m.tail && tail != head_now();
	size += 8 + sizeof(struct perf_event_header) + 32; /* and LOST */
	MUST(!m.overwrite && used + size >= perf_rb_data_size(m.rb),
	     "no room for %u bytes, %lu are in use", size, used);
}

static void write_record(void)
{
	unsigned long tail = (unsigned long)m.rb->user_page->data_tail;
	unsigned int nest = m.rb->nest;
	struct perf_output_handle handle;
	struct record record;

	if (!has_budget())
		return;
	make_record(&record);
	m.fate[record.seq] = OPEN;
	if (perf_output_begin(&handle, NULL, &m.event, record.header.size)) {
		m.fate[record.seq] = LOST;
		m.failed++;
		check_refusal(tail, record.header.size);
	} else {
		write_out(&handle, &record);
		m.fate[record.seq] = COMPLETE;
		perf_rb_count_sample(&handle);
		perf_output_end(&handle);
	}
	MUST(m.rb->nest == nest, "nest was %u, is %u", nest, m.rb->nest);
}

static void interrupt(void)
{
	int was = m.level, count = 1 + rnd(3);

	m.level += 1 + rnd(LEVELS - 1 - m.level);
	m.interrupts++;
	while (count--)
		write_record();
	m.level = was;
}

void model_point(void)
{
	if (m.still || !m.rb)
		return;
	if (!rnd(m.odds))
		reader_step();
	if (m.level + 1 < LEVELS && !rnd(m.odds))
		interrupt();
}

/* If nothing was written since the last mark, the next one moves by a byte. */
static void check_quiet(unsigned long stamp, u64 wakes)
{
	unsigned long written = m.backward ? -head_now() : head_now();
	long behind = (long)(written - (unsigned long)m.rb->wakeup.v);

	MUST(!m.rb->nest, "nest is %u", m.rb->nest);
	MUST(m.published == head_now(), "data_head is not the head");
	MUST((unsigned long)m.rb->wakeup.v == stamp || m.wakes > wakes,
	     "the watermark was passed, nobody was woken");
	MUST(!m.refused || m.told, "a record found no room, nobody was woken");
	if (m.by_count)
		return;
	MUST(behind > -8, "next wake-up is %ld bytes ahead", -behind);
	MUST(behind <= (long)(m.rb->watermark + 4 * sizeof(struct record)),
	     "no wake-up for %ld bytes, the watermark is %lu", behind,
	     m.rb->watermark);
}

static void task_writes(void)
{
	unsigned long stamp = (unsigned long)m.rb->wakeup.v;
	u64 wakes = m.wakes;

	m.begun_at = head_now();
	write_record();
	check_quiet(stamp, wakes);
	if (!rnd(50))
		perf_rb_pause(m.rb, m.rb->flow == PERF_RB_FLOWS);
	if (!rnd(4))
		reader_step();
}

static void id_init(struct perf_event_header *header,
		    struct perf_sample_data *data, struct perf_event *event)
{
	(void)header;
	(void)data;
	(void)event;
	model_point();
}

static void id_emit(struct perf_event *event, struct perf_output_handle *handle,
		    struct perf_sample_data *data)
{
	static const u64 words[2] = { ID_WORD, ID_WORD };

	(void)data;
	perf_rb_write(handle, words, event->layout.trailer);
}

struct perf_hooks perf_hooks = {
	.sample_id_init	= id_init,
	.sample_id_emit	= id_emit,
};

static void check_pages(int nr_pages)
{
	unsigned long i;

	for (i = 0; i <= (unsigned long)nr_pages; i++)
		MUST(perf_rb_page(m.rb, i) == &model_page, "no page %lu", i);
	MUST(!perf_rb_page(m.rb, nr_pages + 1UL), "page behind the end");
}

/* Most rounds begin where a head of 32 or of 64 bits wraps around. */
static void place_head(void)
{
	static const unsigned long near[] = { 0, 1UL << 32, 0, ~0UL << 13 };
	unsigned long head = near[rnd(4)] - 8UL * rnd(1000);

	m.rb->head.v = (long)head;
	m.rb->wakeup.v = (long)(m.backward ? -head : head);
	m.rb->user_page->data_head = head;
	m.rb->user_page->data_tail = head;
	m.tail = head;
	m.published = head;
}

static void round_begin(u64 seed, u64 round)
{
	int nr_pages;
	long watermark = 0;

	memset(&m, 0, sizeof(m));
	m.seed = seed;
	m.round = round;
	m.random = (seed + round) * 0x9e3779b97f4a7c15ULL | 1;
	rnd(2);
	m.backward = rnd(2);
	m.overwrite = rnd(3) == 0;
	m.by_count = rnd(3) == 0;
	m.sleeps = rnd(2);
	m.odds = 4 << rnd(8);
	nr_pages = 1 << (rnd(4) + (m.overwrite ? 2 : 0));
	m.max_words = 1 << rnd(7);
	m.event.id = EVENT_ID;
	m.event.attr.write_backward = m.backward;
	m.event.attr.watermark = !m.by_count;
	m.event.attr.wakeup_events = m.by_count ? 1 + rnd(20) : 0;
	m.event.layout.trailer = 8 * rnd(3);
	m.still = true;
	if (!m.by_count)
		watermark = rnd(3) ? 2048 + rnd(2049) : nr_pages * PAGE_SIZE;
	m.rb = perf_rb_alloc(nr_pages, watermark, -1, m.overwrite ? 0 : PERF_RB_WRITABLE);
	MUST(m.rb, "out of memory");
	check_pages(nr_pages);
	m.event.rb = m.rb;
	place_head();
	m.still = false;
}

static void check_fates(void)
{
	u64 seq;

	for (seq = 0; seq < m.seqs; seq++)
		MUST(m.fate[seq] == TAKEN || m.fate[seq] == LOST,
		     "record %llu has fate %u", (unsigned long long)seq,
		     m.fate[seq]);
}

/* For one mark, each active context may wake the reader. */
static void check_wakes(void)
{
	u64 marks = m.written / m.rb->watermark + m.moves + 1;

	MUST(m.by_count || m.wakes <= LEVELS * marks,
	     "woken %llu times, %lu bytes were written, the tail moved %llu times",
	     (unsigned long long)m.wakes, m.written,
	     (unsigned long long)m.moves);
}

static void round_end(void)
{
	int i;

	m.still = true;
	m.sleeps = false;
	for (i = 0; i < 6; i++)
		reader_step();
	check_fates();
	check_wakes();
	MUST(m.lost_reported + (u64)m.rb->lost.v == m.failed,
	     "%llu reported and %ld to report of %llu lost",
	     (unsigned long long)m.lost_reported, m.rb->lost.v,
	     (unsigned long long)m.failed);
	MUST(m.event.lost_samples.v == m.failed, "the event lost %llu of %llu",
	     (unsigned long long)m.event.lost_samples.v,
	     (unsigned long long)m.failed);
	total_taken += m.taken;
	total_failed += m.failed;
	total_interrupts += m.interrupts;
	total_wakes += m.wakes;
	perf_rb_put(m.rb);
	m.rb = NULL;
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (u64)time(NULL);
	u64 rounds = argc > 2 ? strtoull(argv[2], NULL, 0) : 150, round;
	int i;

	for (round = 0; round < rounds; round++) {
		round_begin(seed, round);
		for (i = 0; i < RECORDS; i++)
			task_writes();
		round_end();
	}
	printf("seed %llu: %llu rounds, %llu records, %llu lost, %llu interrupts, %llu wake-ups\n",
	       (unsigned long long)seed, (unsigned long long)rounds,
	       (unsigned long long)total_taken,
	       (unsigned long long)total_failed,
	       (unsigned long long)total_interrupts,
	       (unsigned long long)total_wakes);
	return 0;
}
