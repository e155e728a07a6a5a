// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin: the file of results
 *
 * Lines of words with tabs between them; the report reads them:
 *   about CPUS CALIBRATED LOST-RECORDS
 *   region NUMBER OPERATIONS
 *   counter REGION NAME MEDIAN MEAN PERF'S-MEDIAN PERF'S-MEAN
 *   function REGION INSTRUCTIONS NAME
 *   record REGION COUNTER COUNT CODE USER PERF LINE PLACE OFFSET MAKER PER-CPU
 */

#include "../marks.h"
#include "lines.h"

static void print_counters(FILE *file, unsigned int number)
{
	const struct region *region = region_get(number);

	fprintf(file, "region\t%u\t%llu\n", number, region->ops);
	for (int i = 0; i < NR_COUNTERS; i++) {
		fprintf(file, "counter\t%u\t%s", number, counter_names[i]);
		for (int part = 0; part < NR_PARTS; part++)
			fprintf(file, "\t%u\t%.3f", region_median(region, part, i),
				region_mean(region, part, i));
		fputc('\n', file);
	}
}

static void print_functions(FILE *file, unsigned int number)
{
	const struct region *region = region_get(number);

	for (size_t i = 0; i < functions.count; i++)
		if (region->by_function[i])
			fprintf(file, "function\t%u\t%llu\t%s\n", number,
				region->by_function[i], function_name(i));
}

static void print_record(FILE *file, const struct record *r)
{
	__u32 func = function_at(r->pc);

	fprintf(file, "record\t%u\t%s\t%llu\t%s+0x%llx\t%s\t%d\t", r->region,
		counter_names[r->what], r->count, function_name(func),
		func ? r->pc - functions.all[func].address : r->pc, function_name(r->user),
		r->perf);
	fprintf(file, "%llx\t%s\t%u\t%s\t%d\n", r->line, r->place.name ?: "code",
		r->place.offset, r->place.maker ? function_name(r->place.maker) : "-",
		r->place.per_cpu);
}

void result_write(const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		fail("cannot write the results");
	fprintf(file, "about\t%u\t%d\t%zu\n", nr_cpus, place_calibrated(), records_lost());
	for (unsigned int i = 0; i < MARK_REGIONS; i++) {
		if (!region_get(i)->ops)
			continue;
		print_counters(file, i);
		print_functions(file, i);
	}
	records_print(file, print_record);
	fclose(file);
}
