// SPDX-License-Identifier: GPL-2.0
/*
 * Room "errata": faults of processors that concern counting.
 *
 * Purpose: know by vendor, family, model number, stepping and version of the
 * microcode what a driver must do differently. The quirks of a struct x86_model
 * apply to all its processors instead, and also describe what is no fault.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include <linux/array_size.h>
#include "errata.h"

#define ROW(v, f, from, to, names)						\
	{ .vendor = X86_MODELS_##v, .family = f, .first = from, .last = to,	\
	  .last_stepping = 0xff, .errata = names }
#define ONE(v, f, number, names)	ROW(v, f, number, number, names)
/* Some steppings of a model; microcode from @version on repairs them. */
#define STEPPINGS(v, f, number, from, to, version, names)			\
	{ .vendor = X86_MODELS_##v, .family = f, .first = number, .last = number, \
	  .first_stepping = from, .last_stepping = to, .repaired = version,	\
	  .errata = names }

static const struct x86_errata_row errata_rows[] = {
	/* Nehalem */
	ONE(INTEL, 6, 0x1a, X86_ERRATA_WARM_UP),
	ROW(INTEL, 6, 0x1e, 0x1f, X86_ERRATA_WARM_UP),
	ONE(INTEL, 6, 0x2e, X86_ERRATA_WARM_UP),
	/* Westmere */
	ONE(INTEL, 6, 0x25, X86_ERRATA_WARM_UP),
	ONE(INTEL, 6, 0x2c, X86_ERRATA_WARM_UP),
	ONE(INTEL, 6, 0x2f, X86_ERRATA_WARM_UP),
	/* Merom, Clovertown */
	ONE(INTEL, 6, 0x0f, X86_ERRATA_NO_PRECISE),
	/* Sandy Bridge */
	STEPPINGS(INTEL, 6, 0x2a, 0, 6, 0, X86_ERRATA_NO_PRECISE),
	STEPPINGS(INTEL, 6, 0x2a, 7, 7, 0x28, X86_ERRATA_NO_PRECISE),
	STEPPINGS(INTEL, 6, 0x2a, 8, 0xff, 0, X86_ERRATA_NO_PRECISE),
	STEPPINGS(INTEL, 6, 0x2d, 0, 5, 0, X86_ERRATA_NO_PRECISE),
	STEPPINGS(INTEL, 6, 0x2d, 6, 6, 0x618, X86_ERRATA_NO_PRECISE),
	STEPPINGS(INTEL, 6, 0x2d, 7, 7, 0x70c, X86_ERRATA_NO_PRECISE),
	STEPPINGS(INTEL, 6, 0x2d, 8, 0xff, 0, X86_ERRATA_NO_PRECISE),
};

/* From version 5 of the architecture on records are in time. */
#define RECORDS_IN_TIME	5

#define IN_TIME(number, from, to, version)					\
	STEPPINGS(INTEL, 6, number, from, to, version, X86_ERRATA_LATE_RECORDS)

/* Before it, they are in time with this microcode or a later one. */
static const struct x86_errata_row in_time_rows[] = {
	/* Haswell */
	IN_TIME(0x3c, 3, 3, 0x1f),
	IN_TIME(0x3f, 2, 2, 0x37),
	IN_TIME(0x3f, 4, 4, 0x0a),
	IN_TIME(0x45, 1, 1, 0x1e),
	IN_TIME(0x46, 1, 1, 0x15),
	/* Broadwell */
	IN_TIME(0x3d, 4, 4, 0x23),
	IN_TIME(0x47, 1, 1, 0x14),
	IN_TIME(0x4f, 1, 1, 0x0b000014),
	IN_TIME(0x56, 2, 2, 0x10),
	IN_TIME(0x56, 3, 3, 0x07000009),
	IN_TIME(0x56, 4, 4, 0x0f000009),
	IN_TIME(0x56, 5, 5, 0x0e000002),
	/* Skylake */
	IN_TIME(0x4e, 3, 3, 0x7c),
	IN_TIME(0x5e, 3, 3, 0x7c),
	IN_TIME(0x55, 3, 3, 0x21),
	IN_TIME(0x55, 4, 7, 0),
	IN_TIME(0x55, 11, 11, 0),
	/* Kaby Lake, Coffee Lake */
	IN_TIME(0x8e, 9, 12, 0x4e),
	IN_TIME(0x9e, 9, 13, 0x4e),
};

static bool is_about(const struct x86_errata_row *row, const struct x86_models_cpu *cpu)
{
	return row->vendor == cpu->vendor && row->family == cpu->family &&
	       row->first <= cpu->model && cpu->model <= row->last &&
	       row->first_stepping <= cpu->stepping &&
	       cpu->stepping <= row->last_stepping;
}

static bool errata_row_has(const struct x86_errata_row *row,
			   const struct x86_models_cpu *cpu, u32 microcode)
{
	return is_about(row, cpu) && !(row->repaired && microcode >= row->repaired);
}

/* A processor, stepping or microcode without a row is assumed to have it. */
static bool has_late_records(const struct x86_models_cpu *cpu, u32 microcode)
{
	unsigned int i;

	if (cpu->vendor != X86_MODELS_INTEL || cpu->version >= RECORDS_IN_TIME)
		return false;
	for (i = 0; i < ARRAY_SIZE(in_time_rows); i++) {
		if (is_about(&in_time_rows[i], cpu) && microcode >= in_time_rows[i].repaired)
			return false;
	}
	return true;
}

/**
 * x86_errata_in() - find the errata of a processor in a table
 * @rows: the table; a processor may be in several rows
 * @nr: number of rows
 * @cpu: what CPUID says
 * @microcode: version of the microcode; 0 if nobody knows it
 *
 * Context: any.
 * Return: X86_ERRATA_* of all rows that match.
 */
u32 x86_errata_in(const struct x86_errata_row *rows, unsigned int nr,
		  const struct x86_models_cpu *cpu, u32 microcode)
{
	u32 errata = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (errata_row_has(&rows[i], cpu, microcode))
			errata |= rows[i].errata;
	}
	return errata;
}

/**
 * x86_errata_find() - find the errata of a processor
 * @cpu: what CPUID says
 * @microcode: version of the microcode; 0 if nobody knows it
 *
 * Context: any.
 * Return: X86_ERRATA_*.
 */
u32 x86_errata_find(const struct x86_models_cpu *cpu, u32 microcode)
{
	u32 errata = x86_errata_in(errata_rows, ARRAY_SIZE(errata_rows), cpu, microcode);

	return has_late_records(cpu, microcode) ? errata | X86_ERRATA_LATE_RECORDS : errata;
}
