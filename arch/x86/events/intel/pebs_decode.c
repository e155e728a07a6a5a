// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/pebs_decode": records of precise events, from bytes to a struct.
 *
 * Purpose: read a record of any format that processors write, SDM vol. 3 20.6.2
 * (format 0), 20.3.1.1.1 (1), 20.3.6.3 (2), 20.3.8.1 (3) and 20.9.2 (4 and
 * later).
 *
 * Formats 0 to 3 are a number of words, and each adds words to the one before.
 * From format 4 on a record begins with a header that names the groups that
 * follow, and the length of all. The record is refused if the header
 * contradicts itself, or if the record does not end within the buffer.
 *
 * Owns: nothing.
 *
 * Contexts: any, NMI included.
 *
 * Locking: none.
 */
#include <linux/bitops.h>
#include "pebs_decode.h"

/* Words of formats 0 to 3. */
enum {
	WORD_REGS	= 0,
	WORD_STATUS	= 18,
	WORD_ADDRESS,
	WORD_SOURCE,
	WORD_LATENCY,
	WORD_EVENT_IP,
	WORD_TSX,
	WORD_TSC,
	WORDS,
};

static const struct {
	u16	words;
	u16	has;
} formats[INTEL_PEBS_ADAPTIVE] = {
	{ WORD_STATUS, INTEL_PEBS_REGS },
	{ WORD_EVENT_IP, INTEL_PEBS_REGS | INTEL_PEBS_STATUS | INTEL_PEBS_MEMORY },
	{ WORD_TSC, INTEL_PEBS_REGS | INTEL_PEBS_STATUS | INTEL_PEBS_MEMORY |
		    INTEL_PEBS_EVENT_IP | INTEL_PEBS_TSX },
	{ WORDS, INTEL_PEBS_REGS | INTEL_PEBS_STATUS | INTEL_PEBS_MEMORY |
		 INTEL_PEBS_EVENT_IP | INTEL_PEBS_TSX | INTEL_PEBS_TSC },
};

/* Words of the header from format 4 on. */
enum {
	HEADER_FORMAT,
	HEADER_IP,
	HEADER_COUNTERS,
	HEADER_TSC,
	HEADER_WORDS,
};

/* Fields of its first word. */
#define HEADER_GROUPS(word)	((u32)(word) & GENMASK_ULL(23, 0))
#define HEADER_BRANCHES(word)	(((word) >> 24 & 0xff) + 1)
#define HEADER_RETIRE(word)	((word) >> 32 & 0xffff)
#define HEADER_SIZE(word)	((word) >> 48)

/* Words of the group of memory. */
enum {
	MEMORY_ADDRESS,
	MEMORY_SOURCE,
	MEMORY_LATENCY,
	MEMORY_TSX,
	MEMORY_WORDS,
};

#define GROUPS_4	(INTEL_PEBS_MEMORY | INTEL_PEBS_REGS | INTEL_PEBS_XMM | INTEL_PEBS_BRANCHES)
#define GROUPS_VALUES	(INTEL_PEBS_COUNTERS | INTEL_PEBS_METRICS)

/* The group of counters begins with two words: which counters follow. */
#define VALUES_WORDS		2
#define VALUES_METRICS		3	/* both the counter of slots and the metrics */

/*
 * Words of the registers in their group, by enum intel_pebs_reg. R8 to R15
 * follow.
 */
static const u8 places[] = {
	[INTEL_PEBS_FLAGS] = 0, [INTEL_PEBS_IP] = 1, [INTEL_PEBS_AX] = 2,
	[INTEL_PEBS_CX] = 3, [INTEL_PEBS_DX] = 4, [INTEL_PEBS_BX] = 5,
	[INTEL_PEBS_SP] = 6, [INTEL_PEBS_BP] = 7, [INTEL_PEBS_SI] = 8,
	[INTEL_PEBS_DI] = 9,
};

/**
 * intel_pebs_reg() - read a register of a record
 * @record: record with INTEL_PEBS_REGS
 * @reg: enum intel_pebs_reg, or INTEL_PEBS_R8 and a number below 8
 *
 * Context: any.
 * Return: its value.
 */
u64 intel_pebs_reg(const struct intel_pebs_record *record, unsigned int reg)
{
	/* Formats 0 to 3 have the order of the enum. */
	if (record->adaptive && reg < INTEL_PEBS_R8)
		reg = places[reg];
	return record->regs[reg];
}

static bool decode_fixed(struct intel_pebs_record *record, unsigned int format,
			 const u64 *words, size_t nr)
{
	u16 has = formats[format].has;

	if (nr < formats[format].words)
		return false;
	record->size = formats[format].words * sizeof(u64);
	record->has = has;
	record->regs = words + WORD_REGS;
	if (has & INTEL_PEBS_STATUS)
		record->counters = words[WORD_STATUS];
	if (has & INTEL_PEBS_MEMORY) {
		record->address = words[WORD_ADDRESS];
		record->source = words[WORD_SOURCE];
		record->latency = words[WORD_LATENCY];
	}
	if (has & INTEL_PEBS_EVENT_IP) {
		record->event_ip = words[WORD_EVENT_IP];
		record->tsx = words[WORD_TSX];
	}
	if (has & INTEL_PEBS_TSC)
		record->tsc = words[WORD_TSC];
	return true;
}

/*
 * Takes the words of a group from what is left of a record. Return: the first
 * one, or NULL if there are not so many.
 */
static const u64 *take(const u64 **at, const u64 *end, size_t nr)
{
	const u64 *group = *at;

	if ((size_t)(end - group) < nr)
		return NULL;
	*at += nr;
	return group;
}

static bool take_memory(struct intel_pebs_record *record, const u64 **at, const u64 *end)
{
	const u64 *group = take(at, end, MEMORY_WORDS);

	if (!group)
		return false;
	record->address = group[MEMORY_ADDRESS];
	record->source = group[MEMORY_SOURCE];
	record->latency = group[MEMORY_LATENCY];
	record->tsx = group[MEMORY_TSX];
	record->has |= INTEL_PEBS_TSX;
	return true;
}

static bool take_values(struct intel_pebs_record *record, const u64 **at, const u64 *end)
{
	const u64 *group = take(at, end, VALUES_WORDS);
	size_t nr;

	if (!group)
		return false;
	record->general = group[0];
	record->fixed = group[0] >> 32;
	switch ((u32)group[1]) {
	case 0:
		break;
	case VALUES_METRICS:
		record->metrics = true;
		break;
	default:
		return false;
	}
	/* Are there more than the header has named? */
	if ((group[0] && !(record->has & INTEL_PEBS_COUNTERS)) ||
	    (record->metrics && !(record->has & INTEL_PEBS_METRICS)))
		return false;
	nr = hweight32(record->general) + hweight32(record->fixed) + (record->metrics ? 2 : 0);
	record->values = take(at, end, nr);
	return record->values;
}

/* The groups are in the order of their bits. */
static bool take_groups(struct intel_pebs_record *record, const u64 *at, const u64 *end)
{
	u32 groups = record->has;

	if (groups & INTEL_PEBS_MEMORY && !take_memory(record, &at, end))
		return false;
	if (groups & INTEL_PEBS_REGS) {
		record->regs = take(&at, end, INTEL_PEBS_NR_REGS);
		if (!record->regs)
			return false;
	}
	if (groups & INTEL_PEBS_XMM) {
		record->xmm = take(&at, end, INTEL_PEBS_NR_XMM);
		if (!record->xmm)
			return false;
	}
	if (groups & INTEL_PEBS_BRANCHES) {
		record->branches = take(&at, end, record->nr_branches * INTEL_PEBS_BRANCH);
		if (!record->branches)
			return false;
	}
	if (groups & GROUPS_VALUES && !take_values(record, &at, end))
		return false;
	/* The header has the same length. */
	return at == end;
}

static bool decode_adaptive(struct intel_pebs_record *record, unsigned int format,
			    const u64 *words, size_t nr)
{
	u32 known = GROUPS_4 | (format >= 6 ? GROUPS_VALUES : 0);
	size_t size;
	u64 header;

	if (nr < HEADER_WORDS)
		return false;
	header = words[HEADER_FORMAT];
	size = HEADER_SIZE(header);
	if (HEADER_GROUPS(header) & ~known || size % sizeof(u64) || size / sizeof(u64) > nr ||
	    size / sizeof(u64) < HEADER_WORDS)
		return false;
	record->size = size;
	record->adaptive = true;
	record->has = HEADER_GROUPS(header);
	record->nr_branches = record->has & INTEL_PEBS_BRANCHES ? HEADER_BRANCHES(header) : 0;
	record->retire_latency = HEADER_RETIRE(header);
	record->event_ip = words[HEADER_IP];
	record->counters = words[HEADER_COUNTERS];
	record->tsc = words[HEADER_TSC];
	if (!take_groups(record, words + HEADER_WORDS, words + size / sizeof(u64)))
		return false;
	record->has |= INTEL_PEBS_EVENT_IP | INTEL_PEBS_STATUS | INTEL_PEBS_TSC;
	return true;
}

/**
 * intel_pebs_decode() - read a record
 * @record: is filled in
 * @format: format of records of the processor, below INTEL_PEBS_FORMATS
 * @buffer: where the record begins
 * @size: bytes from there to the end of what the processor has written
 *
 * Nothing outside of the record is read.
 *
 * Context: any.
 * Return: false if there is no complete record, or if its header is wrong; then
 * @record means nothing.
 */
bool intel_pebs_decode(struct intel_pebs_record *record, unsigned int format,
		       const u64 *buffer, size_t size)
{
	*record = (struct intel_pebs_record) { };
	if (format < INTEL_PEBS_ADAPTIVE)
		return decode_fixed(record, format, buffer, size / sizeof(u64));
	return decode_adaptive(record, format, buffer, size / sizeof(u64));
}

/* Words of the counters that MSR_PEBS_DATA_CFG asks for. */
static size_t words_of_values(u64 groups)
{
	size_t words = VALUES_WORDS;

	if (groups & INTEL_PEBS_COUNTERS)
		words += hweight32(groups >> 32);
	if (groups & INTEL_PEBS_METRICS)
		words += 2;
	return words;
}

/**
 * intel_pebs_size() - how long are the records?
 * @format: format of records of the processor
 * @groups: value of MSR_PEBS_DATA_CFG; formats 0 to 3 have none
 *
 * Context: any.
 * Return: bytes of a record.
 */
size_t intel_pebs_size(unsigned int format, u64 groups)
{
	size_t words = HEADER_WORDS;

	if (format < INTEL_PEBS_ADAPTIVE)
		return formats[format].words * sizeof(u64);
	if (groups & INTEL_PEBS_MEMORY)
		words += MEMORY_WORDS;
	if (groups & INTEL_PEBS_REGS)
		words += INTEL_PEBS_NR_REGS;
	if (groups & INTEL_PEBS_XMM)
		words += INTEL_PEBS_NR_XMM;
	if (groups & INTEL_PEBS_BRANCHES)
		words += HEADER_BRANCHES(groups) * INTEL_PEBS_BRANCH;
	if (groups & GROUPS_VALUES)
		words += words_of_values(groups);
	return words * sizeof(u64);
}
