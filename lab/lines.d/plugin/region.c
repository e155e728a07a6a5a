// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin: counters of operations, by region
 *
 * A region is what the guest measures for one row. Each of its operations has
 * counters of its own, so that a median can leave out those with a timer tick.
 */
#include <stdlib.h>
#include <string.h>

#include "../marks.h"
#include "lines.h"

#define MAX_SAMPLES	16384

struct sample {
	__u32	n[NR_PARTS][NR_COUNTERS];
};

const char *const counter_names[NR_COUNTERS] = {
	"insns", "loads", "stores", "locked", "dlines", "wlines", "clines", "l1d", "l1i",
	"transfers", "clean", "memory", "upgrades", "lost",
};

struct region *active;
__u32 epoch;
static struct region regions[MARK_REGIONS];
static struct sample now;

static void begin(void)
{
	memset(&now, 0, sizeof(now));
	epoch++;
}

static void end(void)
{
	if (!active->samples)
		active->samples = must(calloc(MAX_SAMPLES, sizeof(*active->samples)));
	if (active->ops < MAX_SAMPLES)
		active->samples[active->ops] = now;
	for (int part = 0; part < NR_PARTS; part++)
		for (int i = 0; i < NR_COUNTERS; i++)
			active->total[part][i] += now.n[part][i];
	active->ops++;
}

void region_start(unsigned int number)
{
	if (active)
		end();
	active = &regions[number];
	if (!active->by_function)
		active->by_function = must(calloc(functions.count + 1, sizeof(__u64)));
	begin();
}

void region_stop(void)
{
	if (active)
		end();
	active = NULL;
}

void region_next(void)
{
	if (!active)
		return;
	end();
	begin();
}

void region_count(enum counter what, unsigned int n, bool perf)
{
	now.n[ALL][what] += n;
	if (perf)
		now.n[PERF][what] += n;
}

const struct region *region_get(unsigned int number)
{
	return &regions[number];
}

unsigned int region_number(void)
{
	return active - regions;
}

double region_mean(const struct region *region, enum part part, enum counter what)
{
	return (double)region->total[part][what] / region->ops;
}

static int by_value(const void *left, const void *right)
{
	__u32 a = *(const __u32 *)left, b = *(const __u32 *)right;

	return (a > b) - (a < b);
}

__u32 region_median(const struct region *region, enum part part, enum counter what)
{
	size_t n = region->ops < MAX_SAMPLES ? region->ops : MAX_SAMPLES;
	__u32 *values = must(malloc(n * sizeof(*values)));
	__u32 median;

	for (size_t i = 0; i < n; i++)
		values[i] = region->samples[i].n[part][what];
	qsort(values, n, sizeof(*values), by_value);
	median = values[n / 2];
	free(values);
	return median;
}
