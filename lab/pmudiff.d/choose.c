// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence of operations on events: which PMUs there are, and random events
 *
 * Random numbers depend on the seed and on the number of the step only, so that a
 * step is the same whatever the kernel has answered in earlier steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sequence.h"

#define DEVICES	"/sys/bus/event_source/devices"

struct pmu pmus[MAX_PMUS];
unsigned int nr_pmus;

static bool amd;
static __u64 state;

static bool read_line(const char *name, const char *file, char *text, int size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", DEVICES, name, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	text = fgets(text, size, f);
	fclose(f);
	return text;
}

/* "0,2-3" as a mask. */
static __u64 parse_cpus(const char *text)
{
	unsigned long from, to;
	__u64 mask = 0;
	char *end;

	while (*text >= '0' && *text <= '9') {
		from = strtoul(text, &end, 10);
		to = *end == '-' ? strtoul(end + 1, &end, 10) : from;
		for (; from <= to && from < 64; from++)
			mask |= 1ull << from;
		text = *end == ',' ? end + 1 : end;
	}
	return mask;
}

static void find_vendor(void)
{
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "r");

	while (f && fgets(line, sizeof(line), f))
		amd |= !!strstr(line, "AuthenticAMD");
	if (f)
		fclose(f);
}

void find_pmus(void)
{
	static const char * const names[] = { "cpu", "cpu_core", "cpu_atom" };
	char text[64];
	unsigned int i;

	find_vendor();
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct pmu *p = &pmus[nr_pmus];

		if (!read_line(names[i], "type", text, sizeof(text)))
			continue;
		snprintf(p->name, sizeof(p->name), "%s", names[i]);
		p->type = strtoul(text, NULL, 10);
		p->cpus = ~0ull;
		if (read_line(names[i], "cpus", text, sizeof(text)))
			p->cpus = parse_cpus(text);
		nr_pmus++;
	}
	if (!nr_pmus)
		die("no PMU below " DEVICES);
}

bool hybrid(void)
{
	return nr_pmus > 1;
}

const struct pmu *pmu_of(int cpu)
{
	unsigned int i;

	for (i = 0; i < nr_pmus; i++)
		if (pmus[i].cpus & 1ull << cpu)
			return &pmus[i];
	die("CPU %d has no PMU", cpu);
}

void seed_random(__u64 seed, unsigned int step)
{
	state = seed * 0x9e3779b97f4a7c15ull + step + 1;
	random_bits();
	random_bits();
}

/* Vigna's xorshift64*; the state is never zero. */
__u64 random_bits(void)
{
	if (!state)
		state = 1;
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dull;
}

unsigned int below(unsigned int limit)
{
	return (random_bits() >> 33) % limit;
}

bool chance(unsigned int one_in)
{
	return !below(one_in);
}

static void clear(struct perf_event_attr *attr, __u32 type, __u64 config)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			    PERF_FORMAT_TOTAL_TIME_RUNNING;
}

/* On a hybrid machine the upper half of a generic event's code is its PMU. */
static __u64 generic_pmu(const struct pmu *pmu)
{
	return hybrid() ? (__u64)pmu->type << 32 : 0;
}

unsigned int nr_generic_events(void)
{
	return PERF_COUNT_HW_MAX;
}

void generic_event(struct perf_event_attr *attr, const struct pmu *pmu,
		   unsigned int number)
{
	clear(attr, PERF_TYPE_HARDWARE, number | generic_pmu(pmu));
}

unsigned int nr_cache_events(void)
{
	return PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX *
	       PERF_COUNT_HW_CACHE_RESULT_MAX;
}

void cache_event(struct perf_event_attr *attr, const struct pmu *pmu,
		 unsigned int number)
{
	unsigned int result = number % PERF_COUNT_HW_CACHE_RESULT_MAX;
	unsigned int op = number / PERF_COUNT_HW_CACHE_RESULT_MAX %
			  PERF_COUNT_HW_CACHE_OP_MAX;
	unsigned int cache = number / PERF_COUNT_HW_CACHE_RESULT_MAX /
			     PERF_COUNT_HW_CACHE_OP_MAX;

	clear(attr, PERF_TYPE_HW_CACHE,
	      cache | op << 8 | result << 16 | generic_pmu(pmu));
}

/*
 * Codes of events of which some may use only some counters: SDM vol. 3 20.2.1.2 and
 * Intel's event lists; BKDG of family 10h 3.14, family 15h 3.23, PPR of family 17h
 * 2.1.15.  The event codes differ from each other.
 */
static const __u64 intel_codes[] = {
	0x00c0, 0x003c, 0x00c4, 0x00c5, 0x01d1, 0x81d0, 0x04a3, 0x0148, 0x0151,
	0x0108, 0x4f2e, 0x01c2, 0x010e, 0x02c7, 0x0149, 0x01b1, 0x0285, 0x1012,
	0x0160, 0x01a8, 0x0480, 0x01d2, 0x013c, 0x0114, 0x0110, 0x0111, 0x0119,
};

static const __u64 amd_codes[] = {
	0x00c0, 0x0076, 0x00c2, 0x00c3, 0x0740, 0x0041, 0x0742, 0x0043, 0x0080,
	0x0081, 0x0045, 0x0084, 0x0085, 0x0729, 0x0064, 0x0060, 0x0003, 0x0000cb,
	0x00d0, 0x0023, 0x0024, 0x0026, 0x0027, 0x0135, 0x00e0, 0x00e9,
	0x4000000e0ull, 0x1000000d8ull, 0x4000000e4ull,
};

unsigned int nr_raw_events(void)
{
	return amd ? ARRAY_SIZE(amd_codes) : ARRAY_SIZE(intel_codes);
}

void raw_event(struct perf_event_attr *attr, const struct pmu *pmu,
	       unsigned int number)
{
	clear(attr, pmu->type, (amd ? amd_codes : intel_codes)[number]);
}

/* The event that the model counts one by one: RDPMC in user mode. */
void exact_event(struct perf_event_attr *attr, const struct pmu *pmu)
{
	clear(attr, pmu->type, 0x01df);
}

/* Bits 12-14 and 38-63 of the offcore response registers: the model refuses them. */
#define OFFCORE_BITS	0x3fffff8fffull

/* An event with an offcore response register, whose value is config1. */
static void offcore_event(struct perf_event_attr *attr, const struct pmu *pmu)
{
	static const __u64 codes[] = {
		0x01b7, 0x01bb, 0x02b7, 0x012a, 0x012b,
	};

	clear(attr, pmu->type, codes[below(ARRAY_SIZE(codes))]);
	attr->config1 = (1ull << below(16) | 1ull << (16 + below(22))) & OFFCORE_BITS;
}

/* Threshold, edge, invert and unit mask beside the event's code. */
static void decorate(struct perf_event_attr *attr)
{
	if (chance(3))
		attr->config |= (__u64)(1 + below(4)) << 24;
	if (chance(4))
		attr->config |= 1 << 18;
	if (chance(6))
		attr->config |= 1 << 23;
}

/* Which modes count.  Most events count in both. */
void choose_modes(struct perf_event_attr *attr)
{
	attr->exclude_user = chance(5);
	attr->exclude_kernel = chance(4);
	attr->exclude_hv = chance(4);
	attr->exclude_guest = chance(6);
	attr->exclude_host = chance(16);
}

void any_event(struct perf_event_attr *attr, const struct pmu *pmu)
{
	switch (below(8)) {
	case 0 ... 2:
		generic_event(attr, pmu, below(nr_generic_events()));
		break;
	case 3 ... 4:
		cache_event(attr, pmu, below(nr_cache_events()));
		break;
	case 5:
		if (!amd) {
			offcore_event(attr, pmu);
			break;
		}
		fallthrough;
	default:
		raw_event(attr, pmu, below(nr_raw_events()));
		if (chance(4))
			decorate(attr);
	}
	choose_modes(attr);
}

/* Bits that a driver may refuse, and options that some PMUs do not have. */
void wild_event(struct perf_event_attr *attr, const struct pmu *pmu)
{
	any_event(attr, pmu);
	if (chance(2)) {
		clear(attr, pmu->type, random_bits() & 0xff00ffffull);
		choose_modes(attr);
	}
	if (chance(4))
		attr->config |= 1ull << below(64);
	if (chance(4))
		attr->config1 = random_bits() & random_bits() & OFFCORE_BITS;
	if (chance(8))
		attr->config2 = random_bits() & random_bits();
	if (chance(6))
		attr->precise_ip = 1 + below(3);
	if (chance(6))
		attr->sample_period = 1ull << below(64);
	if (chance(10)) {
		attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = 1ull << below(16);
	}
	attr->pinned = chance(10);
}
