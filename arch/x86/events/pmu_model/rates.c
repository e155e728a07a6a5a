// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: the rate of each event
 *
 * Owns the table of known events. An event that is not in it happens at a rate
 * that depends on its code alone. Instructions happen once a tick, which is
 * exact where a tick is an instruction (QEMU's -icount shift=0).
 *
 * Contexts: any for lookups; a rate is one word that is read and written whole.
 * A rate is changed in task context; counters keep the old rate until
 * pmu_model_reload_rates() has settled them.
 *
 * Locking: the caller serialises pmu_model_rates_set().
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "pmu_model.h"

#define INTEL		BIT(PMU_MODEL_INTEL)
#define AMD		BIT(PMU_MODEL_AMD)
#define ZHAOXIN		BIT(PMU_MODEL_ZHAOXIN)
#define ALL		(INTEL | AMD | ZHAOXIN)

#define ANY_UMASK	BIT(31)
#define FIXED_ONLY	0xffffffff

#define CODE(event, umask)	((event) << 8 | (umask))
#define OFFCORE_0	CODE(0xb7, 0x01)
#define OFFCORE_1	CODE(0xbb, 0x01)
/* "Supplier" and snoop bits of an L3 miss, SDM vol. 3 20.3.8.2. */
#define OFFCORE_L3_MISS	GENMASK_ULL(31, 26)
#define OFFCORE_L3_HIT	(BIT_ULL(16) | GENMASK_ULL(21, 18))

#define PPM(x)	((u32)(((u64)(x) << PMU_MODEL_RATE_SHIFT) / PMU_MODEL_PPM))

/* Events that code refers to: without an event code, or the rate of others. */
enum {
	ROW_INSTRUCTIONS,
	ROW_CYCLES,
	ROW_REF_CYCLES,
	ROW_SLOTS,
	ROW_LLC_REFS,
	ROW_LLC_MISSES,
	NR_NAMED_ROWS,
};

struct event_row {
	const char *name;
	u32	code;		/* event << 8 | unit mask */
	u32	rate;
	u8	vendors;
	u8	width;		/* most events in one cycle */
};

/*
 * Codes: SDM vol. 3 20.2.1.2 for the architectural events, Intel's event list
 * of Skylake and AMD's PPR of family 17h, 2.1.15, for the others.
 */
static struct event_row event_rows[] = {
	[ROW_INSTRUCTIONS] = { "instructions", CODE(0xc0, ANY_UMASK),
			       PPM(1000000), ALL, 4 },
	[ROW_CYCLES]	= { "cycles", FIXED_ONLY, PPM(1250000), ALL, 1 },
	[ROW_REF_CYCLES] = { "ref-cycles", FIXED_ONLY, PPM(1000000), ALL, 1 },
	[ROW_SLOTS]	= { "slots", FIXED_ONLY, PPM(5000000), INTEL, 4 },
	[ROW_LLC_REFS]	= { "cache-references", CODE(0x2e, 0x4f),
			    PPM(10000), INTEL, 1 },
	[ROW_LLC_MISSES] = { "cache-misses", CODE(0x2e, 0x41),
			     PPM(2000), INTEL, 1 },

	/* Counted one by one: registers.c */
	{ "user-rdpmc",		CODE(0xdf, 0x01), 0, ALL, 1 },

	{ "bus-cycles",		CODE(0x3c, 0x01), PPM(40000), INTEL, 1 },
	{ "branches",		CODE(0xc4, 0x00), PPM(200000), INTEL, 1 },
	{ "branch-misses",	CODE(0xc5, 0x00), PPM(4000), INTEL, 1 },
	{ "uops-issued",	CODE(0x0e, 0x01), PPM(1300000), INTEL, 4 },
	{ "uops-executed",	CODE(0xb1, 0x01), PPM(1400000), INTEL, 4 },
	{ "uops-retired",	CODE(0xc2, 0x02), PPM(1200000), INTEL, 4 },
	{ "l1d-loads",		CODE(0xd0, 0x81), PPM(300000), INTEL, 2 },
	{ "l1d-stores",		CODE(0xd0, 0x82), PPM(150000), INTEL, 1 },
	{ "l1d-load-misses",	CODE(0x51, 0x01), PPM(15000), INTEL, 1 },
	{ "l1i-misses",		CODE(0x83, 0x02), PPM(5000), INTEL, 1 },
	{ "dtlb-load-misses",	CODE(0x08, 0x0e), PPM(1000), INTEL, 1 },
	{ "dtlb-store-misses",	CODE(0x49, 0x0e), PPM(500), INTEL, 1 },
	{ "itlb-loads",		CODE(0x85, 0x20), PPM(2000), INTEL, 1 },
	{ "itlb-load-misses",	CODE(0x85, 0x0e), PPM(300), INTEL, 1 },

	/* Events of ZX-D, as far as the driver for it uses them. */
	{ "zx-bus-cycles",	CODE(0x83, 0x00), PPM(40000), ZHAOXIN, 1 },
	{ "zx-cache-references", CODE(0x15, 0x05), PPM(10000), ZHAOXIN, 1 },
	{ "zx-cache-misses",	CODE(0x1a, 0x05), PPM(2000), ZHAOXIN, 1 },
	{ "zx-branches",	CODE(0x00, 0x07), PPM(200000), ZHAOXIN, 1 },
	{ "zx-branch-misses",	CODE(0x09, 0x07), PPM(4000), ZHAOXIN, 1 },

	{ "cycles-not-halted",	CODE(0x76, ANY_UMASK), PPM(1250000), AMD, 1 },
	{ "branches-retired",	CODE(0xc2, ANY_UMASK), PPM(200000), AMD, 1 },
	{ "branches-mispredicted", CODE(0xc3, ANY_UMASK), PPM(4000), AMD, 1 },
	{ "l2-references",	CODE(0x60, 0xff), PPM(10000), AMD, 1 },
	{ "l2-misses",		CODE(0x64, 0x09), PPM(2000), AMD, 1 },
	{ "dc-accesses",	CODE(0x40, ANY_UMASK), PPM(450000), AMD, 2 },
	{ "dc-accesses-29",	CODE(0x29, ANY_UMASK), PPM(450000), AMD, 2 },
	{ "dc-misses",		CODE(0x41, ANY_UMASK), PPM(15000), AMD, 1 },
	{ "dc-refills",		CODE(0x43, ANY_UMASK), PPM(15000), AMD, 1 },
	{ "ic-fetches",		CODE(0x80, ANY_UMASK), PPM(100000), AMD, 1 },
	{ "ic-misses",		CODE(0x81, ANY_UMASK), PPM(5000), AMD, 1 },
	{ "dtlb-refills",	CODE(0x45, ANY_UMASK), PPM(1500), AMD, 1 },
	{ "itlb-l2-hits",	CODE(0x84, ANY_UMASK), PPM(2000), AMD, 1 },
	{ "itlb-misses",	CODE(0x85, ANY_UMASK), PPM(300), AMD, 1 },
};

static const u8 fixed_rows[PMU_MODEL_MAX_FIXED] = {
	ROW_INSTRUCTIONS, ROW_CYCLES, ROW_REF_CYCLES, ROW_SLOTS,
};

static bool row_matches(const struct event_row *row, u32 vendor, u32 code)
{
	if (row->code == FIXED_ONLY || !(row->vendors & vendor))
		return false;
	if (row->code & ANY_UMASK)
		return (row->code & ~(u32)ANY_UMASK) >> 8 == code >> 8;
	return row->code == code;
}

/* Between 0.1 % and 50 % of the ticks, the same on each machine. */
static u32 rate_of_unknown(u32 code)
{
	return PPM(1000) + hash_32(code, 32) % PPM(499000);
}

static const struct event_row *offcore_row(u64 request)
{
	bool hit = request & OFFCORE_L3_HIT;

	if (!hit && (request & OFFCORE_L3_MISS))
		return &event_rows[ROW_LLC_MISSES];
	return &event_rows[ROW_LLC_REFS];
}

static bool is_cycles(enum pmu_model_vendor vendor, u32 code)
{
	if (vendor == PMU_MODEL_ZHAOXIN)
		return code == CODE(0x82, 0x00);
	return vendor == PMU_MODEL_INTEL && code == CODE(0x3c, 0x00);
}

static const struct event_row *find_row(enum pmu_model_vendor vendor, u32 code,
					u64 offcore)
{
	unsigned int i;

	if (is_cycles(vendor, code))
		return &event_rows[ROW_CYCLES];
	if (vendor == PMU_MODEL_INTEL && (code == OFFCORE_0 || code == OFFCORE_1))
		return offcore_row(offcore);
	for (i = 0; i < ARRAY_SIZE(event_rows); i++)
		if (row_matches(&event_rows[i], BIT(vendor), code))
			return &event_rows[i];
	return NULL;
}

/**
 * pmu_model_select_umask() - get the unit mask of a selection
 * @vendor:	vendor that defines the bits of the register
 * @select:	value of the event select register
 *
 * Context: any.
 * Return: the unit mask; on Intel bits 15-8 are the second one, which is 0 on a
 * PMU that does not have it.
 */
u32 pmu_model_select_umask(enum pmu_model_vendor vendor, u64 select)
{
	u32 umask = FIELD_GET(PMU_SEL_UMASK, select);

	if (vendor == PMU_MODEL_INTEL)
		umask |= FIELD_GET(PMU_SEL_UMASK2, select) << 8;
	return umask;
}

/**
 * pmu_model_select_rate() - find the rate of a counter with a given selection
 * @vendor:	vendor that defines the event codes
 * @select:	value of the event select register
 * @offcore:	value of the register that refines the event, if it has one
 *
 * Context: any.
 * Return: events per tick in 1/2^20.
 */
u32 pmu_model_select_rate(enum pmu_model_vendor vendor, u64 select, u64 offcore)
{
	u32 cycles = READ_ONCE(event_rows[ROW_CYCLES].rate);
	u32 code = FIELD_GET(PMU_SEL_EVENT, select) << 8 |
		   FIELD_GET(PMU_SEL_UMASK, select);
	const struct event_row *row;
	u32 rate, width = 1;

	if (vendor == PMU_MODEL_AMD)
		code |= FIELD_GET(PMU_SEL_EVENT_HI, select) << 16;
	code |= pmu_model_select_umask(vendor, select) >> 8 << 16;
	if (!code)
		return 0;

	row = find_row(vendor, code, offcore);
	if (row) {
		rate = READ_ONCE(row->rate);
		width = row->width;
	} else {
		rate = rate_of_unknown(code);
	}
	return pmu_model_condition_rate(rate, width, cycles,
					FIELD_GET(PMU_SEL_CMASK, select),
					select & PMU_SEL_INV,
					select & PMU_SEL_EDGE);
}

/**
 * pmu_model_fixed_rate() - find the rate of a fixed counter
 * @index:	number of the fixed counter
 *
 * Context: any.
 * Return: events per tick in 1/2^20.
 */
u32 pmu_model_fixed_rate(unsigned int index)
{
	return READ_ONCE(event_rows[fixed_rows[index]].rate);
}

/**
 * pmu_model_rates_show() - print the table
 * @m:		file to print to
 */
void pmu_model_rates_show(struct seq_file *m)
{
	const struct event_row *row;

	seq_puts(m, "# event per-million-ticks code\n");
	for (row = event_rows; row < event_rows + ARRAY_SIZE(event_rows); row++) {
		seq_printf(m, "%s %u ", row->name,
			   pmu_model_rate_to_ppm(READ_ONCE(row->rate)));
		if (row->code == FIXED_ONLY)
			seq_puts(m, "-\n");
		else if (row->code & ANY_UMASK)
			seq_printf(m, "event=%#x\n", (row->code & ~(u32)ANY_UMASK) >> 8);
		else
			seq_printf(m, "event=%#x,umask=%#x\n", row->code >> 8,
				   row->code & 0xff);
	}
}

/**
 * pmu_model_rates_set() - change the rate of one event
 * @line:	name of the event and its rate per million ticks; is modified
 *
 * The caller settles the counters afterwards, see pmu_model_reload_rates().
 *
 * Return: 0, -EINVAL if the line is not of that form, -ENOENT if there is no
 * such event, -ERANGE if the rate is too high.
 */
int pmu_model_rates_set(char *line)
{
	char *name = strsep(&line, " \t=");
	unsigned int i;
	u32 ppm;

	if (!line || kstrtou32(strim(line), 0, &ppm))
		return -EINVAL;
	if (ppm > PMU_MODEL_MAX_PPM)
		return -ERANGE;
	for (i = 0; i < ARRAY_SIZE(event_rows); i++) {
		if (strcmp(event_rows[i].name, name))
			continue;
		WRITE_ONCE(event_rows[i].rate, pmu_model_ppm_to_rate(ppm));
		return 0;
	}
	return -ENOENT;
}
