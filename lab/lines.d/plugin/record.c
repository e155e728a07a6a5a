// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin: which code touched which object, and how often
 */
#include <stdlib.h>

#include "lines.h"

#define RECORD_BITS	22
#define NR_RECORDS	4194304u	/* 2^22 */

static struct record *records;
static size_t nr_records, lost;

void records_init(void)
{
	records = must(calloc(NR_RECORDS, sizeof(*records)));
}

static bool matches(const struct record *r, enum counter what, const struct access *a)
{
	return r->pc == a->pc && r->line == a->line && r->user == a->user &&
	       r->region == region_number() && r->what == what;
}

static struct record *find(enum counter what, const struct access *a)
{
	__u64 hash = (a->pc * 31 + a->line) * 31 + a->user * 64 + region_number() * 16 + what;
	size_t i = hash * HASH_FACTOR >> (64 - RECORD_BITS);

	while (records[i].count && !matches(&records[i], what, a))
		i = (i + 1) % NR_RECORDS;
	return &records[i];
}

void record_access(enum counter what, const struct access *a)
{
	struct record *r = find(what, a);

	if (r->count) {
		r->count++;
		return;
	}
	if (nr_records > NR_RECORDS / 4 * 3) {
		lost++;
		return;
	}
	nr_records++;
	*r = (struct record) {
		.pc = a->pc, .line = a->line, .count = 1, .user = a->user,
		.region = region_number(), .what = what, .perf = a->perf,
	};
	if (!a->code)
		r->place = place_of(a->vaddr, a->line);
}

void records_print(FILE *file, void (*print)(FILE *file, const struct record *r))
{
	for (size_t i = 0; i < NR_RECORDS; i++)
		if (records[i].count)
			print(file, &records[i]);
}

size_t records_lost(void)
{
	return lost;
}
