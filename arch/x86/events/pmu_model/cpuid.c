// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: the PMU's part of CPUID
 *
 * CPUID of the kernel comes here when the model is enabled. The model fills in
 * the leaves that describe counters, and sets or clears the bits that announce
 * them; all other values are those of the CPU. Programs that execute CPUID see
 * the values of the CPU itself.
 *
 * Contexts: any.
 */
#include <asm/cpuid.h>
#include <asm/processor.h>

#include "pmu_model.h"

#define LEAF_FEATURES		0x00000001
#define LEAF_ARCH_PERFMON	0x0000000a
#define LEAF_EXT_MAX		0x80000000
#define LEAF_EXT_FEATURES	0x80000001
#define LEAF_EXT_PERFMON	0x80000022

#define FEATURES_ECX_PDCM	BIT(15)
#define EXT_ECX_PERFCTR_CORE	BIT(23)
#define EXT_PERFMON_V2		BIT(0)

/* Leaf 0xa, SDM vol. 2 CPUID: all seven architectural events. */
#define ARCH_EVENTS		7
#define EDX_ANY_DEPRECATED	BIT(15)

struct leaf {
	unsigned int *eax, *ebx, *ecx, *edx;
};

static void clear(const struct leaf *l)
{
	*l->eax = 0;
	*l->ebx = 0;
	*l->ecx = 0;
	*l->edx = 0;
}

static void arch_perfmon(const struct leaf *l)
{
	const struct pmu_model *m = &pmu_model;

	*l->eax = m->version | m->gp << 8 | m->width << 16 | ARCH_EVENTS << 24;
	*l->ebx = 0;
	*l->ecx = 0;
	*l->edx = m->fixed | m->width << 5;
	if (m->version >= 5) {
		*l->ecx = BIT(m->fixed) - 1;
		*l->edx |= EDX_ANY_DEPRECATED;
	}
}

static void intel_leaf(unsigned int leaf, const struct leaf *l)
{
	if (leaf == LEAF_FEATURES)
		*l->ecx |= FEATURES_ECX_PDCM;
	else if (leaf == LEAF_ARCH_PERFMON)
		arch_perfmon(l);
}

static void ext_perfmon(const struct leaf *l)
{
	clear(l);
	if (pmu_model.variant != PMU_MODEL_AMD_V2)
		return;
	*l->eax = EXT_PERFMON_V2;
	*l->ebx = pmu_model.gp;
}

/* The leaves between the CPU's last one and the model's are empty. */
static bool fills_gap(unsigned int leaf)
{
	unsigned int eax = LEAF_EXT_MAX, ebx, ecx = 0, edx;

	if (leaf <= LEAF_EXT_FEATURES || leaf >= LEAF_EXT_PERFMON)
		return false;
	native_cpuid(&eax, &ebx, &ecx, &edx);
	return leaf > eax;
}

static void amd_leaf(unsigned int leaf, const struct leaf *l)
{
	switch (leaf) {
	case LEAF_EXT_MAX:
		if (*l->eax < LEAF_EXT_PERFMON)
			*l->eax = LEAF_EXT_PERFMON;
		break;
	case LEAF_EXT_FEATURES:
		*l->ecx &= ~EXT_ECX_PERFCTR_CORE;
		if (pmu_model.variant != PMU_MODEL_AMD_LEGACY)
			*l->ecx |= EXT_ECX_PERFCTR_CORE;
		break;
	case LEAF_EXT_PERFMON:
		ext_perfmon(l);
		break;
	default:
		if (fills_gap(leaf))
			clear(l);
	}
}

/**
 * pmu_model_cpuid() - execute the CPUID instruction
 * @eax:	leaf in, result out
 * @ebx:	result
 * @ecx:	subleaf in, result out
 * @edx:	result
 *
 * Context: any.
 */
void pmu_model_cpuid(unsigned int *eax, unsigned int *ebx, unsigned int *ecx,
		     unsigned int *edx)
{
	struct leaf l = { eax, ebx, ecx, edx };
	unsigned int leaf = *eax;

	native_cpuid(eax, ebx, ecx, edx);
	if (pmu_model.vendor == PMU_MODEL_INTEL)
		intel_leaf(leaf, &l);
	else
		amd_leaf(leaf, &l);
}
