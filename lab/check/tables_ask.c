// SPDX-License-Identifier: GPL-2.0
/*
 * Answers questions about the tables of arch/x86/events/rules, for lab/check/tables
 *
 * Each line of standard input is a question, with numbers in hexadecimal:
 *
 *   counters VENDOR FAMILY MODEL ATOM PRESENT CONFIG   mask of counters
 *   precise VENDOR FAMILY MODEL ATOM PRESENT CONFIG    mask of counters
 *   events VENDOR FAMILY MODEL ATOM                    generic and cache events
 *
 * The answer to "counters" is the mask, or "unknown"; that to "precise" is the
 * mask, and 1 if any event can be precise; that to "events" has one line "WHAT
 * CONFIG EXTRA-CODE EXTRA-VALUE" for each event, and then "end".
 */
#include <stdio.h>
#include <string.h>
#include <linux/perf_event.h>
#include "models.h"

struct question {
	struct x86_models_cpu	cpu;
	unsigned int		atom;
	unsigned long long	present;
	unsigned long long	config;
};

static const struct x86_model *find(const struct question *q)
{
	const struct x86_model *model = x86_models_find(&q->cpu);

	return model && q->atom ? model->atom : model;
}

static void answer_counters(const struct question *q)
{
	struct x86_match_pmu pmu = {
		.model = find(q), .counters = q->present, .fixed_any = true,
	};

	if (pmu.model)
		printf("%llx\n", (unsigned long long)x86_match_counters(&pmu, q->config));
	else
		printf("unknown\n");
}

/* A config that no row of a table names. */
#define NO_EVENT	0xffff

static void answer_precise(const struct question *q)
{
	struct x86_match_pmu pmu = {
		.model = find(q), .counters = q->present, .fixed_any = true,
	};
	unsigned long long counters = 0, others = 0;
	enum x86_data data;

	if (pmu.model) {
		counters = x86_match_precise(&pmu, q->config, true, &data);
		others = x86_match_precise(&pmu, NO_EVENT, true, &data);
	}
	printf("%llx %d\n", counters, !!others);
}

static void print_event(const char *what, unsigned int number, u64 config,
			u64 value)
{
	printf("%s:%x %llx %llx\n", what, number, (unsigned long long)config,
	       (unsigned long long)value);
}

static void answer_events(const struct question *q)
{
	struct x86_match_pmu pmu = { .model = find(q), .counters = ~0ULL };
	unsigned int cache, op, result, event;
	u64 config, value;

	for (event = 0; pmu.model && event < PERF_COUNT_HW_MAX; event++) {
		if (!x86_match_generic(&pmu, event, &config))
			print_event("generic", event, config, 0);
	}
	for (cache = 0; pmu.model && cache < PERF_COUNT_HW_CACHE_MAX; cache++) {
		for (op = 0; op < PERF_COUNT_HW_CACHE_OP_MAX; op++) {
			for (result = 0; result < PERF_COUNT_HW_CACHE_RESULT_MAX; result++) {
				unsigned int key = cache | op << 8 | result << 16;

				if (!x86_match_cache(pmu.model, key, &config, &value))
					print_event("cache", key, config, value);
			}
		}
	}
	printf("end\n");
}

int main(void)
{
	char word[16];

	while (scanf("%15s", word) == 1) {
		struct question q = { .cpu.version = 0 };
		unsigned int vendor;

		if (scanf("%x %x %x %x", &vendor, &q.cpu.family, &q.cpu.model, &q.atom) != 4)
			return 2;
		q.cpu.vendor = vendor;
		if (!strcmp(word, "events"))
			answer_events(&q);
		else if (scanf("%llx %llx", &q.present, &q.config) != 2)
			return 2;
		else if (!strcmp(word, "precise"))
			answer_precise(&q);
		else
			answer_counters(&q);
	}
	return 0;
}
