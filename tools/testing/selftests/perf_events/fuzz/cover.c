// SPDX-License-Identifier: GPL-2.0
/*
 * Steering by KCOV. The kernel writes the places in its code that a task passes in system
 * calls, page faults and exec into a buffer of the task. A pair of successive places is an
 * edge. All processes share a bitmap of the edges seen so far. When an operation reaches a
 * new edge, its seed and the seeds of the operations before it are kept as a sequence. A
 * steered stream repeats such a sequence now and then: the whole, the end of it, or with
 * another operation in one place. The log has the seed of each operation in any case, so
 * that a replay needs neither KCOV nor the sequences.
 *
 * A child has a buffer of its own, since its parent's is in use: one for each depth. KCOV
 * stays enabled for it at exec, and the new program maps the same buffer. KCOV does not trace
 * interrupts, task switches and exits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kcov.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "fuzz.h"

#define KCOV_FILE	"/sys/kernel/debug/kcov"

/* The first word of a buffer is the number of places, which follow. */
#define BUFFER_WORDS	16384
#define BUFFER_SIZE	(BUFFER_WORDS * sizeof(unsigned long))

/* A stream that repeats nothing begins to do so at one operation in this many. */
#define STEER_ONE_IN	20

/* Even a short run reaches more. */
#define LEAST_EDGES	1000

bool cover_is_on(void)
{
	return fuzz->options.cover != COVER_NOT;
}

/* Exits when the kernel cannot do what the options ask for. */
void cover_check(void)
{
	if (!cover_is_on() || !access(KCOV_FILE, R_OK | W_OK))
		return;
	fprintf(stderr, "--cover: %s: %s\n", KCOV_FILE, strerror(errno));
	exit(2);
}

/* Called as root, by the process that will run the stream. */
void cover_open(struct stream *stream)
{
	unsigned int i;

	for (i = 0; cover_is_on() && i < COVER_DEPTHS; i++) {
		stream->kcov[i] = open(KCOV_FILE, O_RDWR);
		CHECK(stream->kcov[i] >= 0, "%s: %s", KCOV_FILE, strerror(errno));
	}
}

/*
 * In the place of the parent's buffer. A process that has just begun has none, and may map it
 * anywhere; later that could be a hole in the window of an area.
 */
static void map_buffer(struct fuzzer *f, unsigned int which)
{
	int fixed = f->cover ? MAP_FIXED : 0;
	void *at;

	at = mmap(f->cover, BUFFER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | fixed,
		  f->stream->kcov[which], 0);
	CHECK(at != MAP_FAILED, "kcov: mmap: %s", strerror(errno));
	f->cover = at;
}

/* Before any operation of the process. */
void cover_map(struct fuzzer *f)
{
	if (!cover_is_on())
		return;
	/* EBUSY when an earlier child of this depth has done it. */
	ioctl(f->stream->kcov[f->depth], KCOV_INIT_TRACE, BUFFER_WORDS);
	map_buffer(f, f->depth);
}

/* In the thread or the child that will run the operations. */
void cover_begin(struct fuzzer *f)
{
	if (!cover_is_on())
		return;
	cover_map(f);
	f->cover[0] = 0;
	CHECK(!ioctl(f->stream->kcov[f->depth], KCOV_ENABLE, KCOV_TRACE_PC),
	      "kcov: enable: %s", strerror(errno));
}

/* Return: true if this is the first time */
static bool see(unsigned long from, unsigned long to)
{
	__u32 edge = ((__u32)from * 3 ^ (__u32)to) * 0x9e3779b1U >> (32 - COVER_BITS);
	__u64 *word = &fuzz->cover.seen[edge / 64], bit = 1ULL << edge % 64;

	if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit)
		return false;
	return !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

/* Takes what is in the buffer. */
static void look(struct fuzzer *f)
{
	unsigned long from = 0, count, i;
	unsigned int edges = 0;

	count = __atomic_load_n(&f->cover[0], __ATOMIC_RELAXED);
	for (i = 1; i <= count && i < BUFFER_WORDS; i++) {
		edges += see(from, f->cover[i]);
		from = f->cover[i];
	}
	__atomic_store_n(&f->cover[0], 0, __ATOMIC_RELAXED);
	if (!edges)
		return;
	__atomic_fetch_add(&fuzz->cover.edges, edges, __ATOMIC_RELAXED);
	__atomic_fetch_add(&f->stream->news, edges, __ATOMIC_RELAXED);
}

/* In a program that a child has executed; exec is in the child's buffer. */
void cover_go_on(struct fuzzer *f)
{
	if (!cover_is_on())
		return;
	map_buffer(f, f->depth - 1);
	look(f);
}

static struct sequence *next_place(void)
{
	unsigned int nr;

	nr = __atomic_fetch_add(&fuzz->cover.nr_kept, 1, __ATOMIC_RELAXED);
	return &fuzz->cover.kept[nr % MAX_KEPT];
}

/*
 * The stream's last operations, up to the current one. As long as there are few enough,
 * they replace what this stream has kept last, which is their beginning.
 */
static void keep(struct fuzzer *f)
{
	struct steering *s = &f->steering;
	const struct stream *stream = f->stream;
	unsigned int last = f->record->nr, at = stream->count;
	const struct record *record;

	if (!s->kept || last - s->kept_from >= KEPT_OPS) {
		s->kept = next_place();
		s->kept_from = last < KEPT_OPS ? 0 : last + 1 - KEPT_OPS;
	}
	while (at-- && stream->count - at <= LOG_RECORDS) {
		record = &stream->ring[at % LOG_RECORDS];
		if (record->depth)
			continue;
		if (record->nr < s->kept_from)
			break;
		s->kept->seed[record->nr - s->kept_from] = record->seed;
	}
	__atomic_store_n(&s->kept->count, last + 1 - s->kept_from, __ATOMIC_RELEASE);
}

/* After each operation. */
void cover_collect(struct fuzzer *f)
{
	unsigned int news;

	if (!f->cover)
		return;
	look(f);
	if (f->depth)
		return;
	news = __atomic_exchange_n(&f->stream->news, 0, __ATOMIC_RELAXED);
	if (!news)
		return;
	if (f->steering.repeats)
		__atomic_fetch_add(&fuzz->cover.repeated_edges, news, __ATOMIC_RELAXED);
	keep(f);
}

/* A whole sequence, the end of it, or one with @seed in the place of one operation. */
static void begin_kept(struct steering *s, __u64 *random, __u32 seed)
{
	unsigned int nr = __atomic_load_n(&fuzz->cover.nr_kept, __ATOMIC_RELAXED);

	if (!nr)
		return;
	s->now = fuzz->cover.kept[rnd(random, nr < MAX_KEPT ? nr : MAX_KEPT)];
	s->at = 0;
	/* Its place is taken, and it is not there yet. */
	if (!s->now.count)
		return;
	switch (rnd(random, 3)) {
	case 0:
		s->at = rnd(random, s->now.count);
		break;
	case 1:
		s->now.seed[rnd(random, s->now.count)] = seed;
		break;
	}
}

/* Return: the seed of the next operation: @seed, or one of a kept sequence */
__u32 cover_steer(struct fuzzer *f, __u32 seed)
{
	struct steering *s = &f->steering;
	__u64 random = rnd_seed(rnd_seed(seed));

	/* The operations of a child follow from the seed of the fork. */
	if (fuzz->options.cover != COVER_STEER || f->depth)
		return seed;
	if (s->at >= s->now.count && !rnd(&random, STEER_ONE_IN))
		begin_kept(s, &random, seed);
	s->repeats = s->at < s->now.count;
	return s->repeats ? s->now.seed[s->at++] : seed;
}

/* Return: true if edges were reached, and by repeated operations if there should be any */
bool cover_report(void)
{
	const struct cover *c = &fuzz->cover;
	bool steered = fuzz->options.cover == COVER_STEER;

	printf("# %u edges; repeated operations reached %u of them first; %u sequences kept\n",
	       c->edges, c->repeated_edges, c->nr_kept);
	return c->edges > LEAST_EDGES && c->nr_kept && !!c->repeated_edges == steered;
}
