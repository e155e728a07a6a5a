// SPDX-License-Identifier: GPL-2.0
/*
 * The room intel/pebs_decode against an encoder, and against bytes that mean
 * nothing. Buffers end where the heap's block ends, so the sanitizer sees each
 * word that is read behind them.
 */
#include <stdlib.h>

#include "pebs_decode.h"
#include "test.h"

#define MOST_WORDS	1200

/* Offsets of fields of formats 0 to 3 in bytes. */
static const struct {
	unsigned int	size, status, address, source, latency, event_ip, tsx, tsc;
} fixed[] = {
	{ 0x90, 0, 0, 0, 0, 0, 0, 0 },
	{ 0xb0, 0x90, 0x98, 0xa0, 0xa8, 0, 0, 0 },
	{ 0xc0, 0x90, 0x98, 0xa0, 0xa8, 0xb0, 0xb8, 0 },
	{ 0xc8, 0x90, 0x98, 0xa0, 0xa8, 0xb0, 0xb8, 0xc0 },
};

/* Offsets of AX, BX, CX, DX, SI, DI, BP, SP in formats 0 to 3, and in the group. */
static const unsigned int fixed_regs[] = { 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48 };
static const unsigned int group_regs[] = { 0x10, 0x28, 0x18, 0x20, 0x40, 0x48, 0x38, 0x30 };

static u64 *random_words(unsigned int nr)
{
	u64 *words = malloc(nr * sizeof(u64) + !nr);
	unsigned int i;

	for (i = 0; i < nr; i++)
		words[i] = test_random();
	return words;
}

static u64 word_at(const u64 *words, unsigned int offset)
{
	return words[offset / 8];
}

static void check_regs(const struct intel_pebs_record *record, const u64 *group,
		       const unsigned int *offsets)
{
	unsigned int i;

	require(intel_pebs_reg(record, INTEL_PEBS_FLAGS) == group[0], "flags");
	require(intel_pebs_reg(record, INTEL_PEBS_IP) == group[1], "ip");
	for (i = 0; i < 8; i++) {
		require(intel_pebs_reg(record, INTEL_PEBS_AX + i) == word_at(group, offsets[i]),
			"register %u", i);
		require(intel_pebs_reg(record, INTEL_PEBS_R8 + i) == group[10 + i], "r%u", 8 + i);
	}
}

/* A shorter buffer has no record. */
static void check_cut(unsigned int format, const u64 *words, unsigned int size)
{
	unsigned int nr = test_below(size / 8);
	u64 *copy = malloc(nr * sizeof(u64) + 7);
	struct intel_pebs_record record;

	memcpy(copy, words, nr * sizeof(u64));
	require(!intel_pebs_decode(&record, format, copy, nr * sizeof(u64) + test_below(8)),
		"format %u: %u words of %u are enough", format, nr, size / 8);
	free(copy);
}

static void check_fixed(unsigned int format)
{
	unsigned int size = fixed[format].size;
	u64 *words = random_words(size / 8);
	struct intel_pebs_record record;

	require(intel_pebs_decode(&record, format, words, size), "format %u", format);
	require(record.size == size && intel_pebs_size(format, test_random()) == size,
		"format %u: size %u", format, record.size);
	check_regs(&record, words, fixed_regs);
	if (format >= 1)
		require(record.counters == word_at(words, fixed[format].status) &&
			record.address == word_at(words, fixed[format].address) &&
			record.source == word_at(words, fixed[format].source) &&
			record.latency == word_at(words, fixed[format].latency),
			"format %u: memory", format);
	if (format >= 2)
		require(record.event_ip == word_at(words, fixed[format].event_ip) &&
			record.tsx == word_at(words, fixed[format].tsx),
			"format %u: address of the event", format);
	if (format >= 3)
		require(record.tsc == word_at(words, fixed[format].tsc), "format 3: time");
	check_cut(format, words, size);
	free(words);
}

/* A record as the processor writes it. Return: words of it. */
static unsigned int encode(u64 *words, unsigned int format, u64 config)
{
	unsigned int nr = 4, values = 0;
	u32 counters = config >> 32;

	if (config & 1)
		nr += 4;
	if (config & 2)
		nr += 18;
	if (config & 4)
		nr += 32;
	if (config & 8)
		nr += 3 * ((config >> 24 & 0xff) + 1);
	if (format >= 6 && config & 0x30) {
		if (!(config & 0x10))
			counters = 0;
		words[nr] = (u64)(counters >> 16) << 32 | (counters & 0xffff);
		words[nr + 1] = config & 0x20 ? 3 : 0;
		values = hweight32(counters) + (config & 0x20 ? 2 : 0);
		nr += 2 + values;
	}
	words[0] = (config & 0xff00003f) | (test_random() & 0xffff) << 32 | (u64)nr * 8 << 48;
	return nr;
}

static void check_rest(const struct intel_pebs_record *record, const u64 *at, u64 config)
{
	if (config & 8) {
		require(record->branches == at &&
			record->nr_branches == (config >> 24 & 0xff) + 1, "branches");
		at += 3 * record->nr_branches;
	}
	if (config & 0x30)
		require(record->values == at + 2 && record->general == (u32)at[0] &&
			record->fixed == at[0] >> 32 && record->metrics == !!(config & 0x20),
			"counters");
}

static void check_groups(const struct intel_pebs_record *record, const u64 *words, u64 config)
{
	const u64 *at = words + 4;

	require(record->event_ip == words[1] && record->counters == words[2] &&
		record->tsc == words[3] && record->retire_latency == (words[0] >> 32 & 0xffff),
		"header");
	if (config & 1) {
		require(record->address == at[0] && record->source == at[1] &&
			record->latency == at[2] && record->tsx == at[3], "memory");
		at += 4;
	}
	if (config & 2) {
		check_regs(record, at, group_regs);
		at += 18;
	}
	if (config & 4) {
		require(record->xmm == at, "xmm");
		at += 32;
	}
	check_rest(record, at, config);
}

static void check_adaptive(unsigned int format)
{
	u64 config = test_random() & (format >= 6 ? 0xff00003f : 0xff00000f);
	struct intel_pebs_record record;
	u64 *words = random_words(MOST_WORDS);
	unsigned int nr;

	config |= test_random() << 32;
	nr = encode(words, format, config);
	words = realloc(words, nr * sizeof(u64));
	require(intel_pebs_decode(&record, format, words, nr * 8), "format %u, groups %#llx",
		format, config);
	require(record.size == nr * 8 && intel_pebs_size(format, config) == nr * 8,
		"format %u, groups %#llx: size %u", format, config, record.size);
	check_groups(&record, words, config);
	check_cut(format, words, nr * 8);
	/* A header with another length, or with a group that nobody knows. */
	words[0] += (test_below(2) ? 8ULL : -8ULL) << 48;
	require(!intel_pebs_decode(&record, format, words, nr * 8), "wrong length");
	words[0] = (words[0] & ~(0xffffULL << 48)) | (u64)nr * 8 << 48;
	words[0] |= BIT_ULL(6 + test_below(18));
	require(!intel_pebs_decode(&record, format, words, nr * 8), "unknown group");
	free(words);
}

/* A sum that is used, so that the words are read. */
u64 sum_of_all;

/* Reads all that the record says it has. */
static u64 read_all(const struct intel_pebs_record *record)
{
	u64 sum = record->counters ^ record->address ^ record->tsx ^ record->tsc;
	unsigned int i, nr;

	for (i = 0; record->regs && i < INTEL_PEBS_NR_REGS; i++)
		sum ^= intel_pebs_reg(record, i);
	for (i = 0; record->xmm && i < INTEL_PEBS_NR_XMM; i++)
		sum ^= record->xmm[i];
	for (i = 0; i < record->nr_branches * INTEL_PEBS_BRANCH; i++)
		sum ^= record->branches[i];
	nr = hweight32(record->general) + hweight32(record->fixed) + 2 * record->metrics;
	for (i = 0; record->values && i < nr; i++)
		sum ^= record->values[i];
	return sum;
}

/* Bytes that mean nothing, with a header that is nearly right now and then. */
static unsigned int check_random(void)
{
	unsigned int format = test_below(INTEL_PEBS_FORMATS), nr = test_below(160);
	u64 *words = random_words(nr);
	struct intel_pebs_record record;
	bool good;

	if (nr && test_below(4))
		words[0] = (test_random() & 0x0300003f) | (u64)test_below(nr + 2) * 8 << 48;
	good = intel_pebs_decode(&record, format, words, nr * 8);
	if (good) {
		require(record.size <= nr * 8 && record.size % 8 == 0, "size %u", record.size);
		sum_of_all ^= read_all(&record);
	}
	free(words);
	return good;
}

unsigned long test_pebs_decode(unsigned int rounds)
{
	unsigned long buffers = 50UL * rounds, good = 0, i;
	unsigned int format;

	for (i = 0; i < rounds; i++) {
		for (format = 0; format < INTEL_PEBS_FORMATS; format++) {
			if (format < INTEL_PEBS_ADAPTIVE)
				check_fixed(format);
			else
				check_adaptive(format);
		}
	}
	for (i = 0; i < buffers; i++)
		good += check_random();
	require(rounds < 100 || good * 20 > buffers, "only %lu buffers had a record", good);
	return (unsigned long)rounds * INTEL_PEBS_FORMATS + buffers;
}
