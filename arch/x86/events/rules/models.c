// SPDX-License-Identifier: GPL-2.0
/*
 * Room "models": the processors, and the tables that describe them.
 *
 * Purpose: find the model of a processor by its vendor, family, model number
 * and stepping.
 *
 * Owns: constant data.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include "models.h"
#include "tables/tables.h"

#define ROW(v, f, from, to, name) \
	{ .vendor = X86_MODELS_##v, .family = f, .first = from, .last = to, \
	  .last_stepping = 0xff, .model = &x86_model_##name }
#define ONE(v, f, number, name)		ROW(v, f, number, number, name)
#define FAMILY(v, f, name)		ROW(v, f, 0, 0xff, name)

static const struct x86_models_row models_rows[] = {
	ONE(INTEL, 6, 0x01, p6),		/* Pentium Pro */
	ONE(INTEL, 6, 0x03, p6),		/* Pentium II */
	ROW(INTEL, 6, 0x05, 0x08, p6),		/* Pentium II, III */
	ROW(INTEL, 6, 0x09, 0x0b, p6),		/* Pentium M, III */
	ONE(INTEL, 6, 0x0d, p6),		/* Pentium M */
	ONE(INTEL, 6, 0x0e, core),		/* Yonah */
	ONE(INTEL, 6, 0x0f, core2),		/* Merom */
	ROW(INTEL, 6, 0x16, 0x17, core2),	/* Merom-L, Penryn */
	ONE(INTEL, 6, 0x1a, nehalem),		/* Nehalem-EP */
	ONE(INTEL, 6, 0x1c, bonnell),		/* Diamondville */
	ONE(INTEL, 6, 0x1d, core2),		/* Dunnington */
	ONE(INTEL, 6, 0x1e, nehalem),
	ONE(INTEL, 6, 0x1f, nehalem),		/* Auburndale */
	ONE(INTEL, 6, 0x25, westmere),
	ROW(INTEL, 6, 0x26, 0x27, bonnell),	/* Silverthorne, Penwell */
	ONE(INTEL, 6, 0x2a, sandybridge),
	ONE(INTEL, 6, 0x2c, westmere),		/* Westmere-EP */
	ONE(INTEL, 6, 0x2d, sandybridge_ep),
	ONE(INTEL, 6, 0x2e, nehalem),		/* Nehalem-EX */
	ONE(INTEL, 6, 0x2f, westmere_ex),
	ROW(INTEL, 6, 0x35, 0x36, bonnell),	/* Cloverview, Cedarview */
	ONE(INTEL, 6, 0x37, silvermont),	/* Bay Trail */
	ONE(INTEL, 6, 0x3a, ivybridge),
	ONE(INTEL, 6, 0x3c, haswell),
	ONE(INTEL, 6, 0x3d, broadwell),
	ONE(INTEL, 6, 0x3e, ivybridge_ep),
	ONE(INTEL, 6, 0x3f, haswell),		/* Haswell server */
	ROW(INTEL, 6, 0x45, 0x46, haswell),
	ONE(INTEL, 6, 0x47, broadwell),
	ONE(INTEL, 6, 0x4a, silvermont),	/* Merrifield */
	ONE(INTEL, 6, 0x4c, silvermont),	/* Airmont */
	ONE(INTEL, 6, 0x4d, silvermont),	/* Avoton */
	ONE(INTEL, 6, 0x4e, skylake),
	ONE(INTEL, 6, 0x4f, broadwell),		/* Broadwell server */
	ONE(INTEL, 6, 0x55, skylake_server),	/* Skylake and Cascade Lake server */
	ONE(INTEL, 6, 0x56, broadwell),		/* Broadwell-DE */
	ONE(INTEL, 6, 0x57, knights_landing),
	ONE(INTEL, 6, 0x5a, silvermont),	/* Moorefield */
	ONE(INTEL, 6, 0x5c, goldmont),		/* Apollo Lake */
	ONE(INTEL, 6, 0x5e, skylake),
	ONE(INTEL, 6, 0x5f, goldmont),		/* Denverton */
	ONE(INTEL, 6, 0x6a, icelake_server),	/* Ice Lake server */
	ONE(INTEL, 6, 0x6c, icelake_server),	/* Ice Lake-D */
	ONE(INTEL, 6, 0x7a, goldmont_plus),	/* Gemini Lake */
	ROW(INTEL, 6, 0x7d, 0x7e, icelake),
	ONE(INTEL, 6, 0x85, knights_landing),	/* Knights Mill */
	ONE(INTEL, 6, 0x86, tremont),		/* Jacobsville */
	ROW(INTEL, 6, 0x8c, 0x8d, icelake),	/* Tiger Lake */
	ONE(INTEL, 6, 0x8e, skylake),		/* Kaby Lake mobile */
	ONE(INTEL, 6, 0x8f, sapphire_rapids),
	ONE(INTEL, 6, 0x96, tremont),		/* Elkhart Lake */
	ONE(INTEL, 6, 0x97, alderlake),
	ONE(INTEL, 6, 0x9a, alderlake),
	ONE(INTEL, 6, 0x9c, tremont),		/* Jasper Lake */
	ONE(INTEL, 6, 0x9e, skylake),		/* Kaby Lake, Coffee Lake */
	ROW(INTEL, 6, 0xa5, 0xa6, skylake),	/* Comet Lake */
	ONE(INTEL, 6, 0xa7, icelake),		/* Rocket Lake */
	ONE(INTEL, 6, 0xaa, meteorlake),
	ONE(INTEL, 6, 0xac, meteorlake),
	ROW(INTEL, 6, 0xad, 0xae, granite_rapids),
	ONE(INTEL, 6, 0xaf, crestmont),		/* Sierra Forest */
	ONE(INTEL, 6, 0xb5, meteorlake),	/* Arrow Lake-U */
	ONE(INTEL, 6, 0xb6, crestmont),		/* Grand Ridge */
	ONE(INTEL, 6, 0xb7, alderlake),		/* Raptor Lake */
	ONE(INTEL, 6, 0xba, alderlake),		/* Raptor Lake-P */
	ONE(INTEL, 6, 0xbd, lunarlake),
	ONE(INTEL, 6, 0xbe, gracemont),		/* Alder Lake-N */
	ONE(INTEL, 6, 0xbf, alderlake),		/* Raptor Lake-S */
	ONE(INTEL, 6, 0xc6, lunarlake),		/* Arrow Lake */
	ONE(INTEL, 6, 0xcf, sapphire_rapids),	/* Emerald Rapids */

	FAMILY(AMD, 0x06, k7),
	FAMILY(AMD, 0x0f, k8),
	FAMILY(AMD, 0x10, fam10h),
	FAMILY(AMD, 0x11, fam11h),
	FAMILY(AMD, 0x12, fam12h),
	FAMILY(AMD, 0x14, fam14h),
	FAMILY(AMD, 0x15, fam15h),
	FAMILY(AMD, 0x16, fam16h),
	ROW(AMD, 0x17, 0x00, 0x2f, zen1),
	ROW(AMD, 0x17, 0x30, 0x4f, zen2),
	ROW(AMD, 0x17, 0x50, 0x5f, zen1),
	ROW(AMD, 0x17, 0x60, 0xff, zen2),
	ROW(AMD, 0x19, 0x00, 0x0f, zen3),
	ROW(AMD, 0x19, 0x10, 0x1f, zen4),
	ROW(AMD, 0x19, 0x20, 0x5f, zen3),
	ROW(AMD, 0x19, 0x60, 0xff, zen4),
	FAMILY(AMD, 0x1a, zen5),
	FAMILY(HYGON, 0x18, zen1),

	/* Other models of the family are Nano, whose PMU nobody describes. */
	{ .vendor = X86_MODELS_CENTAUR, .family = 6, .first = 0x0f,
	  .last = 0x0f, .first_stepping = 0x0e, .last_stepping = 0xff,
	  .model = &x86_model_zxc },
	ONE(CENTAUR, 6, 0x19, zxc),
	ONE(CENTAUR, 7, 0x1b, zxd),
	ONE(CENTAUR, 7, 0x3b, zxe),
	ONE(ZHAOXIN, 6, 0x19, zxc),
	ONE(ZHAOXIN, 7, 0x1b, zxd),
	ONE(ZHAOXIN, 7, 0x3b, zxe),
};

/**
 * x86_models_rows() - get the list of all known processors
 * @nr: the number of rows is put here
 *
 * Context: any.
 * Return: the first row; no processor is in two of them.
 */
const struct x86_models_row *x86_models_rows(unsigned int *nr)
{
	*nr = ARRAY_SIZE(models_rows);
	return models_rows;
}

static bool models_row_has(const struct x86_models_row *row,
			   const struct x86_models_cpu *cpu)
{
	return row->vendor == cpu->vendor && row->family == cpu->family &&
	       row->first <= cpu->model && cpu->model <= row->last &&
	       row->first_stepping <= cpu->stepping &&
	       cpu->stepping <= row->last_stepping;
}

/* What every core with this version of Intel's architectural PMU has. */
static const struct x86_model *models_architectural(unsigned int version)
{
	if (version >= 5)
		return &x86_model_intel_v5;
	if (version >= 2)
		return &x86_model_intel_v2;
	return version ? &x86_model_intel_v1 : NULL;
}

/**
 * x86_models_find() - find the model of a processor
 * @cpu: what CPUID says
 *
 * A hybrid processor has the model of its efficient cores in the field atom.
 *
 * Context: any.
 * Return: the model; for unknown processors of Intel what the architecture
 * promises; NULL if nothing is known of the processor.
 */
const struct x86_model *x86_models_find(const struct x86_models_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models_rows); i++) {
		if (models_row_has(&models_rows[i], cpu))
			return models_rows[i].model;
	}
	if (cpu->vendor == X86_MODELS_INTEL)
		return models_architectural(cpu->version);
	return NULL;
}
