// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/datasrc": where the data of a precise event was.
 *
 * Purpose: translate the word "data source" of a record to the form that
 * programs read, union perf_mem_data_src. Its meaning depends on the processor
 * and on the event: SDM vol. 3 20.3.1.1.2 for load latency, 20.3.4.4.3 for
 * stores of Sandy Bridge, 20.3.6.4 for Haswell.
 *
 * A word of latency has a number in its lowest bits that says where the data
 * was, and bits for the TLB, for a locked access and for what blocked the
 * access. Both differ between processors. The tables of newer processors have
 * only the numbers that changed.
 *
 * Owns: constant data.
 *
 * Contexts: any, NMI included.
 *
 * Locking: none.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/perf_event.h>
#include "datasrc.h"

#define S(field, value)		PERF_MEM_S(field, value)

/*
 * Where a load was served, in the old and in the new encoding, and what snoops
 * found.
 */
#define SERVED(old, level, snoop) \
	(S(OP, LOAD) | S(LVL, HIT) | S(LVL, old) | S(LVLNUM, level) | S(SNOOP, snoop))
/* What the old encoding has no word for. */
#define SERVED_NEW(level, snoop) \
	(S(OP, LOAD) | S(LVL, HIT) | S(LVLNUM, level) | S(SNOOP, snoop))
/* Another cache has forwarded the data. */
#define FORWARDED(place) \
	(S(OP, LOAD) | S(LVL, HIT) | (place) | S(SNOOPX, FWD))
#define REMOTE			S(REMOTE, REMOTE)
#define IN_L3			(S(LVL, L3) | S(LVLNUM, L3))
#define MISSED_L3		(S(OP, LOAD) | S(LVL, MISS) | S(LVLNUM, L3))

static const u64 sandybridge[] = {
	[0x0] = MISSED_L3 | S(SNOOP, NA),
	[0x1] = SERVED(L1, L1, NONE),
	[0x2] = SERVED(LFB, LFB, NONE),
	[0x3] = SERVED(L2, L2, NONE),
	[0x4] = SERVED(L3, L3, NONE),
	[0x5] = SERVED(L3, L3, MISS),
	[0x6] = SERVED(L3, L3, HIT),
	[0x7] = SERVED(L3, L3, HITM),
	[0x8] = SERVED(REM_CCE1, L3, HIT) | REMOTE,
	[0x9] = SERVED(REM_CCE1, L3, HITM) | REMOTE,
	[0xa] = SERVED(LOC_RAM, RAM, HIT),
	[0xb] = SERVED(REM_RAM1, L3, HIT) | REMOTE,
	[0xc] = SERVED(LOC_RAM, RAM, NONE) | S(SNOOP, MISS),
	[0xd] = SERVED(REM_RAM1, RAM, NONE) | S(SNOOP, MISS) | REMOTE,
	[0xe] = SERVED(IO, NA, NONE),
	[0xf] = SERVED(UNC, NA, NONE),
};

static const u64 nehalem[] = {
	[0x5] = SERVED(L3, L3, HIT),
	[0x6] = SERVED(L3, L3, HITM),
	[0x7] = SERVED(L3, L3, HITM),
};

#define SKYLAKE(level)							\
	[0x8] = SERVED_NEW(level, HIT),					\
	[0x9] = SERVED_NEW(level, HIT) | REMOTE,			\
	[0xb] = SERVED_NEW(RAM, NONE) | REMOTE,				\
	[0xc] = FORWARDED(S(LVLNUM, ANY_CACHE)) | REMOTE,		\
	[0xd] = SERVED_NEW(ANY_CACHE, HITM) | REMOTE

static const u64 skylake[] = { SKYLAKE(L4) };
static const u64 skylake_server[] = { SKYLAKE(PMEM) };

static const u64 gracemont[] = {
	[0x5] = SERVED(L3, L3, HIT),
	[0x6] = SERVED(L3, L3, HITM),
	[0x8] = FORWARDED(IN_L3),
};

static const u64 crestmont[] = {
	[0x7] = FORWARDED(IN_L3),
	[0x8] = SERVED(L3, L3, HITM),
	[0xa] = SERVED(LOC_RAM, RAM, NONE),
	[0xb] = SERVED_NEW(RAM, NONE) | REMOTE,
	[0xc] = FORWARDED(S(LVLNUM, RAM)) | REMOTE,
	[0xd] = SERVED_NEW(RAM, HITM) | REMOTE,
};

/* All numbers are new; those that are absent mean nothing. */
static const u64 lion_cove[] = {
	[0x00] = MISSED_L3 | S(SNOOP, NA),
	[0x01] = SERVED(L1, L1, NONE),
	[0x02] = SERVED(L1, L1, NONE),
	[0x03] = SERVED(LFB, LFB, NONE),
	[0x05] = SERVED(L2, L2, NONE),
	[0x06] = SERVED_NEW(L2_MHB, NONE),
	[0x08] = SERVED(L3, L3, NONE),
	[0x0c] = FORWARDED(IN_L3),
	[0x0d] = SERVED(L3, L3, HITM),
	[0x0f] = MISSED_L3 | S(LVL, L3) | S(SNOOP, HITM),
	[0x10] = SERVED_NEW(MSC, NONE),
	[0x11] = SERVED(LOC_RAM, RAM, NONE),
};

/**
 * struct encoding - the word of latency of a processor
 * @places: what the numbers mean
 * @nr: length of @places
 * @base: @places has only what differs from Sandy Bridge
 * @number: bits of the number
 * @tlb: bit that says that the second level of the TLB missed
 * @lock: bit of a locked access
 * @data: bit of a load that waited for the data of a store, or 0
 * @address: bit of a load that waited for the address of a store, or 0
 * @loads_only: @data and @address are unused for stores
 */
struct encoding {
	const u64	*places;
	u8		nr;
	bool		base;
	u8		number;
	u16		tlb;
	u16		lock;
	u16		data;
	u16		address;
	bool		loads_only;
};

#define PLACES(array)	.places = array, .nr = ARRAY_SIZE(array)

static const struct encoding encodings[] = {
	/* Its word has only the number. */
	[X86_DATASRC_NEHALEM] = { PLACES(nehalem), .base = true, .number = 0xf },
	[X86_DATASRC_WESTMERE] = { PLACES(nehalem), .base = true, .number = 0xf,
				   .tlb = BIT(4), .lock = BIT(5) },
	[X86_DATASRC_SANDYBRIDGE] = { PLACES(sandybridge), .number = 0xf,
				      .tlb = BIT(4), .lock = BIT(5) },
	[X86_DATASRC_SKYLAKE] = { PLACES(skylake), .base = true, .number = 0xf,
				  .tlb = BIT(4), .lock = BIT(5) },
	[X86_DATASRC_SKYLAKE_SERVER] = { PLACES(skylake_server), .base = true, .number = 0xf,
					 .tlb = BIT(4), .lock = BIT(5) },
	[X86_DATASRC_GOLDEN_COVE] = { PLACES(skylake), .base = true, .number = 0xf,
				      .tlb = BIT(4), .lock = BIT(5),
				      .data = BIT(6), .address = BIT(7), .loads_only = true },
	[X86_DATASRC_GOLDEN_COVE_SERVER] = { PLACES(skylake_server), .base = true, .number = 0xf,
					     .tlb = BIT(4), .lock = BIT(5),
					     .data = BIT(6), .address = BIT(7),
					     .loads_only = true },
	[X86_DATASRC_GRACEMONT] = { PLACES(gracemont), .base = true, .number = 0xf,
				    .tlb = BIT(5), .lock = BIT(4), .data = BIT(6) },
	[X86_DATASRC_CRESTMONT] = { PLACES(crestmont), .base = true, .number = 0xf,
				    .tlb = BIT(6), .lock = BIT(5), .data = BIT(7) },
	[X86_DATASRC_LION_COVE] = { PLACES(lion_cove), .number = 0xff,
				    .tlb = BIT(10), .lock = BIT(11),
				    .data = BIT(12), .address = BIT(13) },
};

static u64 place_of(const struct encoding *e, unsigned int number)
{
	u64 place = number < e->nr ? e->places[number] : 0;

	if (!place && e->base)
		place = sandybridge[number];
	return place ? place : S(OP, LOAD) | S(LVLNUM, NA) | S(SNOOP, NA);
}

static u64 blocked(const struct encoding *e, u64 word)
{
	u64 by = 0;

	if (word & e->data)
		by |= S(BLK, DATA);
	if (word & e->address)
		by |= S(BLK, ADDR);
	return by ? by : S(BLK, NA);
}

static u64 latency(const struct encoding *e, enum x86_data kind, u64 word)
{
	u64 value = place_of(e, word & e->number);

	if (!e->tlb)
		return value | S(TLB, NA) | S(LOCK, NA);
	if (word & e->tlb)
		value |= S(TLB, MISS) | S(TLB, L2);
	else
		value |= S(TLB, HIT) | S(TLB, L1) | S(TLB, L2);
	if (word & e->lock)
		value |= S(LOCK, LOCKED);
	if (kind == X86_DATA_STORE_LATENCY) {
		value &= ~S(OP, LOAD);
		value |= S(OP, STORE);
		if (e->loads_only)
			return value | S(BLK, NA);
	}
	return value | blocked(e, word);
}

#define STORE_HIT_L1	BIT(0)
#define STORE_MISS_TLB	BIT(4)
#define STORE_LOCKED	BIT(5)

/* Sandy Bridge and Ivy Bridge. */
static u64 precise_store(u64 word)
{
	u64 value = S(OP, STORE) | S(SNOOP, NA) | S(LVL, L1) | S(TLB, L2);

	value |= word & STORE_MISS_TLB ? S(TLB, MISS) : S(TLB, HIT);
	value |= word & STORE_HIT_L1 ? S(LVL, HIT) : S(LVL, MISS);
	if (word & STORE_LOCKED)
		value |= S(LOCK, LOCKED);
	return value;
}

/* From Haswell on, for events that say only that they are loads or stores. */
static u64 load_or_store(enum x86_data kind, u64 word)
{
	u64 value = PERF_MEM_NA & ~S(OP, NA);

	if (kind == X86_DATA_LOAD)
		return value | S(OP, LOAD);
	value &= ~S(LVL, NA);
	return value | S(OP, STORE) | S(LVL, L1) |
	       (word & STORE_HIT_L1 ? S(LVL, HIT) : S(LVL, MISS));
}

/**
 * intel_datasrc() - say where data was
 * @model: what the numbers of the processor mean
 * @kind: what the event says of data
 * @word: data source of the record
 *
 * Context: any.
 * Return: value of union perf_mem_data_src.
 */
u64 intel_datasrc(enum x86_datasrc model, enum x86_data kind, u64 word)
{
	switch (kind) {
	case X86_DATA_LOAD_LATENCY:
	case X86_DATA_STORE_LATENCY:
		if (!encodings[model].number)
			break;
		return latency(&encodings[model], kind, word);
	case X86_DATA_PRECISE_STORE:
		return precise_store(word);
	case X86_DATA_LOAD:
	case X86_DATA_STORE:
		return load_or_store(kind, word);
	case X86_DATA_NONE:
		break;
	}
	return PERF_MEM_NA;
}
