// SPDX-License-Identifier: GPL-2.0
/* A stream: which operations, with which seeds, in a thread with slots. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "fuzz.h"

struct fuzz_shared *fuzz;
int fuzz_memory;
__u64 fuzz_target[8];

const struct fuzz_op fuzz_ops[] = {
	{ "open", 30, false, op_open },
	{ "open_spoilt", 10, false, op_open_spoilt },
	{ "open_random", 6, false, op_open_random },
	{ "dry_run", 4, false, op_dry_run },
	{ "ioctl", 14, false, op_ioctl },
	{ "ioctl_bad", 4, false, op_ioctl_bad },
	{ "output", 6, false, op_output },
	{ "filter", 3, false, op_filter },
	{ "period", 3, false, op_period },
	{ "modify", 3, false, op_modify },
	{ "bpf", 2, false, op_bpf },
	{ "extension", 2, false, op_extension },
	{ "read", 8, false, op_read },
	{ "write", 1, false, op_write },
	{ "poll", 2, true, op_poll },
	{ "async", 2, false, op_async },
	{ "dup", 2, false, op_dup },
	{ "close", 3, false, op_close },
	{ "map_data", 10, false, op_map_data },
	{ "map_aux", 4, false, op_map_aux },
	{ "map_bad", 3, false, op_map_bad },
	{ "unmap", 4, false, op_unmap },
	{ "unmap_part", 2, false, op_unmap_part },
	{ "move", 2, false, op_move },
	{ "protect", 1, false, op_protect },
	{ "consume", 3, true, op_consume },
	{ "fork", 4, false, op_fork },
	{ "idle_child", 2, false, op_idle_child },
	{ "signal", 2, false, op_signal },
	{ "prctl", 3, false, op_prctl },
	{ "affinity", 3, false, op_affinity },
	{ "cgroup", 2, false, op_cgroup },
	{ "pass", 3, false, op_pass },
	{ "receive", 3, false, op_receive },
	{ "work", 6, false, op_work },
};

const unsigned int nr_fuzz_ops = ARRAY_SIZE(fuzz_ops);

/* Draws. */

unsigned int draw(struct fuzzer *f, unsigned int below)
{
	return rnd(&f->random, below);
}

bool one_in(struct fuzzer *f, unsigned int n)
{
	return !draw(f, n);
}

__u64 draw_u64(struct fuzzer *f)
{
	__u64 high = draw(f, ~0U);

	return high << 32 | draw(f, ~0U);
}

/* Neighbouring numbers give unrelated results. */
static __u64 mix(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

__u32 op_seed(__u64 seed, unsigned int stream, unsigned int nr)
{
	return mix(mix(seed + 1) + ((__u64)stream << 32 | nr)) >> 32;
}

static unsigned int op_of_seed(__u32 seed)
{
	static unsigned int sum;
	unsigned int i, at, all = 0;

	if (!sum) {
		for (i = 0; i < nr_fuzz_ops; i++)
			all += fuzz_ops[i].weight;
		sum = all;
	}
	at = mix(seed) % sum;
	for (i = 0; at >= fuzz_ops[i].weight; i++)
		at -= fuzz_ops[i].weight;
	return i;
}

/* Slots. */

int draw_slot(struct fuzzer *f)
{
	return draw(f, NR_SLOTS);
}

/* May be the slot of another thread; -1 if there is none. */
int slot_fd(struct fuzzer *f, int slot)
{
	struct fuzzer *of = f;

	if (f->nr_mates > 1 && one_in(f, 3))
		of = &f->mates[draw(f, f->nr_mates)];
	return __atomic_load_n(&of->fd[slot], __ATOMIC_RELAXED);
}

/* An error leaves the slot as it is, so that slots fill up. */
void fill_slot(struct fuzzer *f, int slot, int fd)
{
	if (fd < 0)
		return;
	if (f->fd[slot] >= 0)
		close(f->fd[slot]);
	__atomic_store_n(&f->fd[slot], fd, __ATOMIC_RELAXED);
}

/* Adds to the operation's text. */
void tell(struct fuzzer *f, const char *fmt, ...)
{
	size_t at = strlen(f->record->text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->record->text + at, LOG_TEXT - at, fmt, args);
	va_end(args);
}

long or_errno(long result)
{
	return result < 0 ? -errno : result;
}

bool fuzz_stopping(void)
{
	return __atomic_load_n(&fuzz->stop, __ATOMIC_RELAXED);
}

/* Streams. */

static void count_result(const struct record *record)
{
	unsigned long error = record->result < 0 ? -record->result : 0;

	if (record->op < MAX_OPS && error < MAX_ERRNO)
		__atomic_fetch_add(&fuzz->tally[record->op][error], 1,
				   __ATOMIC_RELAXED);
}

void run_op(struct fuzzer *f, unsigned int op, unsigned int nr, __u32 seed)
{
	struct stream *stream = f->stream;
	__u64 begun = stream->begun;
	unsigned int at;

	at = __atomic_fetch_add(&stream->count, 1, __ATOMIC_RELAXED);
	f->record = &stream->ring[at % LOG_RECORDS];
	*f->record = (struct record) {
		.nr = nr, .op = op, .depth = f->depth, .seed = seed,
	};
	f->random = mix(seed + 0x9e3779b97f4a7c15ULL) ?: 1;
	__atomic_store_n(&stream->begun, now_ns(), __ATOMIC_RELAXED);
	log_begin(f);
	f->record->result = fuzz_ops[op].run(f);
	if (fuzz->options.compare && fuzz_ops[op].timed)
		f->record->result = 0;
	f->record->done = true;
	count_result(f->record);
	cover_collect(f);
	log_end(f);
	__atomic_store_n(&stream->begun, begun, __ATOMIC_RELAXED);
}

/* Children have streams that follow from the operation that made them. */
void run_ops(struct fuzzer *f, __u64 seed, unsigned int count)
{
	unsigned int number = f->depth ? 0 : f->stream->number;
	unsigned int nr;
	__u32 of_op;

	for (nr = 0; nr < count && !fuzz_stopping(); nr++) {
		of_op = cover_steer(f, op_seed(seed, number, nr));
		run_op(f, op_of_seed(of_op), nr, of_op);
	}
}

void fuzzer_init(struct fuzzer *f, struct stream *stream)
{
	int i;

	*f = (struct fuzzer) { .stream = stream };
	for (i = 0; i < NR_SLOTS; i++)
		f->fd[i] = -1;
	reserve_areas(f);
}

/* This program again, with: --executed MEMORY STREAM SEED COUNT DEPTH. */
int fuzzer_executed(char **argv)
{
	static struct fuzzer f;
	int i;

	catch_signals();
	fuzz_memory = atoi(argv[0]);
	fuzz = map_memory(fuzz_memory, sizeof(*fuzz));
	fuzzer_init(&f, &fuzz->stream[atoi(argv[1])]);
	f.depth = atoi(argv[4]);
	for (i = 0; i < NR_SLOTS; i++)
		f.fd[i] = f.stream->carried[i];
	cover_go_on(&f);
	run_ops(&f, strtoull(argv[2], NULL, 0), atoi(argv[3]));
	end_child(&f);
	return 0;
}
