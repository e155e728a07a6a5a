// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin: caches of vCPUs, kept coherent by MESI over physical addresses
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lines.h"

#define L1_BYTES	32768
#define L1_WAYS		8
#define L1_SETS		(L1_BYTES / LINE_SIZE / L1_WAYS)

struct l1 {
	__u32	tags[L1_SETS][L1_WAYS];	/* line + 1; the latest use first */
};

struct line *lines;
__u64 nr_lines = (2ULL << 30) >> LINE_SHIFT;
static struct l1 l1_data[MAX_CPUS], l1_code[MAX_CPUS];

void caches_init(void)
{
	lines = mmap(NULL, nr_lines * sizeof(*lines), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (lines == MAP_FAILED)
		fail("no memory");
}

/* Return: true if the line was there. */
static bool l1_use(struct l1 *l1, __u64 line)
{
	__u32 *set = l1->tags[line % L1_SETS], tag = line + 1, way = 0;
	bool hit;

	while (way < L1_WAYS && set[way] != tag)
		way++;
	hit = way < L1_WAYS;
	memmove(set + 1, set, (hit ? way : L1_WAYS - 1) * sizeof(*set));
	set[0] = tag;
	return hit;
}

static void l1_drop(struct l1 *l1, __u64 line)
{
	__u32 *set = l1->tags[line % L1_SETS], way;

	for (way = 0; way < L1_WAYS; way++)
		if (set[way] == line + 1)
			break;
	if (way == L1_WAYS)
		return;
	memmove(set + way, set + way + 1, (L1_WAYS - 1 - way) * sizeof(*set));
	set[L1_WAYS - 1] = 0;
}

/* All other vCPUs lose the line. Return: how many did. */
static unsigned int invalidate(struct line *p, const struct access *a)
{
	__u64 others = p->sharers & ~(1ULL << a->cpu);
	unsigned int lost = 0;

	for (; others; others &= others - 1, lost++) {
		l1_drop(&l1_data[__builtin_ctzll(others)], a->line);
		l1_drop(&l1_code[__builtin_ctzll(others)], a->line);
	}
	p->sharers &= 1ULL << a->cpu;
	return lost;
}

/* The line comes into the private cache. Return: what kind of miss it was. */
static enum counter fill(struct line *p, const struct access *a)
{
	enum counter from = p->modified ? TRANSFERS : p->sharers ? CLEAN : MEMORY;

	if (a->write)
		region_count(LOST, invalidate(p, a), a->perf);
	p->owned = a->write || !p->sharers;
	p->modified = a->write;
	p->sharers |= 1ULL << a->cpu;
	return from;
}

/* A write of a line that the private cache has. Return: copies that others lost. */
static unsigned int own(struct line *p, const struct access *a)
{
	unsigned int lost = p->owned ? 0 : invalidate(p, a);

	p->owned = true;
	p->modified = true;
	return lost;
}

static void count_distinct(struct line *p, const struct access *a)
{
	__u64 bit = 1ULL << a->cpu, *mask = a->code ? &p->code : &p->data;

	if (p->epoch != epoch) {
		p->epoch = epoch;
		p->data = 0;
		p->code = 0;
		p->written = 0;
	}
	if (!(*mask & bit)) {
		*mask |= bit;
		region_count(a->code ? CLINES : DLINES, 1, a->perf);
		if (nr_cpus == 1)
			record_access(a->code ? CLINES : DLINES, a);
	}
	if (a->write && !(p->written & bit)) {
		p->written |= bit;
		region_count(WLINES, 1, a->perf);
	}
}

static void count_l1(const struct access *a)
{
	struct l1 *l1 = a->code ? &l1_code[a->cpu] : &l1_data[a->cpu];

	if (!l1_use(l1, a->line))
		region_count(a->code ? L1I : L1D, 1, a->perf);
}

void cache_access(const struct access *a)
{
	struct line *p = &lines[a->line];
	enum counter from;
	unsigned int lost;

	count_distinct(p, a);
	count_l1(a);
	if (!(p->sharers & 1ULL << a->cpu)) {
		from = fill(p, a);
		region_count(from, 1, a->perf);
		if (from != MEMORY)
			record_access(from, a);
	} else if (a->write) {
		lost = own(p, a);
		if (!lost)
			return;
		region_count(UPGRADES, 1, a->perf);
		region_count(LOST, lost, a->perf);
		record_access(UPGRADES, a);
	}
}
