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

#define LEAF_MAX		0x00000000
#define LEAF_FEATURES		0x00000001
#define LEAF_MORE_FEATURES	0x00000007
#define LEAF_ARCH_PERFMON	0x0000000a
#define LEAF_CORE_TYPE		0x0000001a
#define LEAF_EXT_MAX		0x80000000
#define LEAF_EXT_FEATURES	0x80000001
#define LEAF_EXT_PERFMON	0x80000022

#define FEATURES_ECX_PDCM	BIT(15)
#define MORE_EDX_HYBRID		BIT(15)
#define EXT_ECX_PERFCTR_CORE	BIT(23)
#define EXT_PERFMON_V2		BIT(0)

/* Leaf 0x1a, SDM vol. 2 CPUID: Atom or Core, the native model 1. */
#define CORE_TYPE_ATOM		0x20000001
#define CORE_TYPE_CORE		0x40000001

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

/*
 * The leaves between the last one that the CPU has and @added, which the model
 * adds, are empty. @first is the leaf that says which is the last one.
 */
static bool fills_gap(unsigned int leaf, unsigned int first, unsigned int added)
{
	unsigned int eax = first, ebx, ecx = 0, edx;

	if (leaf <= first || leaf >= added)
		return false;
	native_cpuid(&eax, &ebx, &ecx, &edx);
	return leaf > eax;
}

static void hybrid_leaf(unsigned int leaf, unsigned int subleaf,
			const struct leaf *l)
{
	if (fills_gap(leaf, LEAF_MAX, LEAF_CORE_TYPE))
		clear(l);
	switch (leaf) {
	case LEAF_MAX:
		*l->eax = max_t(unsigned int, *l->eax, LEAF_CORE_TYPE);
		break;
	case LEAF_MORE_FEATURES:
		if (!subleaf)
			*l->edx |= MORE_EDX_HYBRID;
		break;
	case LEAF_CORE_TYPE:
		clear(l);
		*l->eax = raw_smp_processor_id() & 1 ? CORE_TYPE_ATOM :
						       CORE_TYPE_CORE;
	}
}

static void intel_leaf(unsigned int leaf, unsigned int subleaf,
		       const struct leaf *l)
{
	if (pmu_model.hybrid)
		hybrid_leaf(leaf, subleaf, l);
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
		if (leaf > LEAF_EXT_FEATURES &&
		    fills_gap(leaf, LEAF_EXT_MAX, LEAF_EXT_PERFMON))
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
	unsigned int leaf = *eax, subleaf = *ecx;

	native_cpuid(eax, ebx, ecx, edx);
	if (pmu_model.vendor == PMU_MODEL_INTEL)
		intel_leaf(leaf, subleaf, &l);
	else
		amd_leaf(leaf, &l);
}
