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
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/smp.h>

#include <asm/cpuid.h>
#include <asm/processor.h>

#include "pmu_model.h"

#define LEAF_MAX		0x00000000
#define LEAF_FEATURES		0x00000001
#define LEAF_MORE_FEATURES	0x00000007
#define LEAF_ARCH_PERFMON	0x0000000a
#define LEAF_CORE_TYPE		0x0000001a
#define LEAF_ARCH_LBR		0x0000001c
#define LEAF_PERFMON_EXT	0x00000023
#define LEAF_EXT_MAX		0x80000000
#define LEAF_EXT_FEATURES	0x80000001
#define LEAF_EXT_SIZES		0x80000008
#define LEAF_EXT_IBS		0x8000001b
#define LEAF_EXT_PERFMON	0x80000022

/* Leaf 1, SDM vol. 2A CPUID: debug store in 64-bit mode, PERF_CAPABILITIES. */
#define FEATURES_ECX_DTES64	BIT(2)
#define FEATURES_ECX_DS_CPL	BIT(4)
#define FEATURES_ECX_PDCM	BIT(15)
#define FEATURES_EDX_DS		BIT(21)

/* Leaf 7, subleafs 0 and 1. */
#define MORE_EDX_HYBRID		BIT(15)
#define MORE_EDX_ARCH_LBR	BIT(19)
#define MORE_1_EAX_PERFMON_EXT	BIT(8)

/*
 * APM vol. 3 E.4: IBS, and counters of the core, the northbridge, the L3 cache.
 */
#define EXT_ECX_IBS		BIT(10)
#define EXT_ECX_PERFCTR_CORE	BIT(23)
#define EXT_ECX_PERFCTR_NB	BIT(24)
#define EXT_ECX_PERFCTR_LLC	BIT(28)
#define EXT_EBX_BRS		BIT(31)
#define EXT_PERFMON_V2		BIT(0)
#define EXT_PERFMON_LBR		BIT(1)
#define EXT_PERFMON_FREEZE	BIT(2)
#define EXT_LBR_SHIFT		4

/* Leaf 0x1a, SDM vol. 2 CPUID: Atom or Core, the native model 1. */
#define CORE_TYPE_ATOM		0x20000001
#define CORE_TYPE_CORE		0x40000001

/* Leaf 0xa, SDM vol. 2 CPUID: all seven architectural events. */
#define ARCH_EVENTS		7
#define EDX_ANY_DEPRECATED	BIT(15)

/*
 * Leaf 0x23: subleafs for counters and for events; slots of a cycle (rates.c).
 */
#define EXT_SUBLEAFS		(BIT(0) | BIT(1) | BIT(3))
#define EXT_EBX_UMASK2		BIT(0)
#define EXT_SLOTS		4

/*
 * Leaf 0x1c: depths in steps of eight; filters of mode and kind, call-stack
 * mode; mispredictions, cycles, kinds.
 */
#define ARCH_LBR_STEP		8
#define ARCH_LBR_EBX		GENMASK(2, 0)
#define ARCH_LBR_ECX		GENMASK(2, 0)

static void clear(struct pmu_model_leaf *l)
{
	*l = (struct pmu_model_leaf) { };
}

static void arch_perfmon(const struct pmu_model *m, struct pmu_model_leaf *l)
{
	l->eax = m->version | m->gp << 8 | m->width << 16 | ARCH_EVENTS << 24;
	l->ebx = 0;
	l->ecx = 0;
	l->edx = m->fixed | m->width << 5;
	if (m->version >= 5) {
		l->ecx = BIT(m->fixed) - 1;
		l->edx |= EDX_ANY_DEPRECATED;
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

static unsigned int last_added(const struct pmu_model *m)
{
	if (m->ext)
		return LEAF_PERFMON_EXT;
	if (m->lbr_type == PMU_LBR_ARCH)
		return LEAF_ARCH_LBR;
	return m->hybrid ? LEAF_CORE_TYPE : LEAF_ARCH_PERFMON;
}

static void features(const struct pmu_model *m, struct pmu_model_leaf *l)
{
	l->ecx &= ~(FEATURES_ECX_DTES64 | FEATURES_ECX_DS_CPL | FEATURES_ECX_PDCM);
	if (m->version)
		l->ecx |= FEATURES_ECX_PDCM;
	l->edx &= ~FEATURES_EDX_DS;
	if (m->pebs) {
		l->ecx |= FEATURES_ECX_DTES64;
		l->edx |= FEATURES_EDX_DS;
	}
}

static void more_features(const struct pmu_model *m, unsigned int subleaf,
			  struct pmu_model_leaf *l)
{
	if (subleaf == 0) {
		l->edx &= ~(MORE_EDX_ARCH_LBR | MORE_EDX_HYBRID);
		if (m->hybrid)
			l->edx |= MORE_EDX_HYBRID;
		if (m->lbr_type == PMU_LBR_ARCH)
			l->edx |= MORE_EDX_ARCH_LBR;
		if (m->ext)
			l->eax = max(l->eax, 1U);
	} else if (subleaf == 1) {
		l->eax &= ~MORE_1_EAX_PERFMON_EXT;
		if (m->ext)
			l->eax |= MORE_1_EAX_PERFMON_EXT;
	}
}

static void core_type(const struct pmu_model *m, unsigned int cpu,
		      struct pmu_model_leaf *l)
{
	if (!m->hybrid)
		return;
	clear(l);
	l->eax = cpu & 1 ? CORE_TYPE_ATOM : CORE_TYPE_CORE;
}

static void perfmon_ext(const struct pmu_model *m, unsigned int subleaf,
			struct pmu_model_leaf *l)
{
	clear(l);
	if (!m->ext)
		return;
	switch (subleaf) {
	case 0:
		l->eax = EXT_SUBLEAFS;
		l->ebx = EXT_EBX_UMASK2;
		l->ecx = EXT_SLOTS;
		break;
	case 1:
		l->eax = BIT(m->gp) - 1;
		l->ebx = BIT(m->fixed) - 1;
		break;
	case 3:
		l->eax = BIT(ARCH_EVENTS) - 1;
	}
}

/* Depths, then what can be filtered, then what the records say. */
static void arch_lbr(const struct pmu_model *m, struct pmu_model_leaf *l)
{
	clear(l);
	if (m->lbr_type != PMU_LBR_ARCH)
		return;
	l->eax = BIT(m->lbr / ARCH_LBR_STEP) - 1;
	l->ebx = ARCH_LBR_EBX;
	l->ecx = ARCH_LBR_ECX;
}

static void intel_leaf(const struct pmu_model *m, unsigned int leaf,
		       unsigned int subleaf, unsigned int cpu,
		       struct pmu_model_leaf *l)
{
	if (fills_gap(leaf, LEAF_MAX, last_added(m)))
		clear(l);
	switch (leaf) {
	case LEAF_MAX:
		l->eax = max(l->eax, last_added(m));
		break;
	case LEAF_FEATURES:
		features(m, l);
		break;
	case LEAF_MORE_FEATURES:
		more_features(m, subleaf, l);
		break;
	case LEAF_ARCH_PERFMON:
		if (m->version)
			arch_perfmon(m, l);
		else
			clear(l);
		break;
	case LEAF_CORE_TYPE:
		core_type(m, cpu, l);
		break;
	case LEAF_ARCH_LBR:
		arch_lbr(m, l);
		break;
	case LEAF_PERFMON_EXT:
		perfmon_ext(m, subleaf, l);
	}
}

static void zhaoxin_leaf(const struct pmu_model *m, unsigned int leaf,
			 struct pmu_model_leaf *l)
{
	if (fills_gap(leaf, LEAF_MAX, LEAF_ARCH_PERFMON))
		clear(l);
	if (leaf == LEAF_MAX)
		l->eax = max_t(unsigned int, l->eax, LEAF_ARCH_PERFMON);
	else if (leaf == LEAF_ARCH_PERFMON)
		arch_perfmon(m, l);
}

static void ext_features(const struct pmu_model *m, struct pmu_model_leaf *l)
{
	l->ecx &= ~(EXT_ECX_IBS | EXT_ECX_PERFCTR_CORE | EXT_ECX_PERFCTR_NB |
		    EXT_ECX_PERFCTR_LLC);
	if (m->ibs_caps)
		l->ecx |= EXT_ECX_IBS;
	if (m->variant != PMU_MODEL_AMD_LEGACY)
		l->ecx |= EXT_ECX_PERFCTR_CORE;
}

static void ext_perfmon(const struct pmu_model *m, struct pmu_model_leaf *l)
{
	clear(l);
	if (m->variant != PMU_MODEL_AMD_V2)
		return;
	l->eax = EXT_PERFMON_V2 | EXT_PERFMON_FREEZE;
	l->ebx = m->gp;
	if (m->lbr) {
		l->eax |= EXT_PERFMON_LBR;
		l->ebx |= m->lbr << EXT_LBR_SHIFT;
	}
}

static void amd_leaf(const struct pmu_model *m, unsigned int leaf,
		     struct pmu_model_leaf *l)
{
	if (leaf > LEAF_EXT_FEATURES &&
	    fills_gap(leaf, LEAF_EXT_MAX, LEAF_EXT_PERFMON))
		clear(l);
	switch (leaf) {
	case LEAF_EXT_MAX:
		l->eax = max_t(unsigned int, l->eax, LEAF_EXT_PERFMON);
		break;
	case LEAF_EXT_FEATURES:
		ext_features(m, l);
		break;
	case LEAF_EXT_SIZES:
		l->ebx &= ~EXT_EBX_BRS;
		if (m->brs)
			l->ebx |= EXT_EBX_BRS;
		break;
	case LEAF_EXT_IBS:
		clear(l);
		l->eax = m->ibs_caps;
		break;
	case LEAF_EXT_PERFMON:
		ext_perfmon(m, l);
	}
}

/**
 * pmu_model_cpuid_change() - let a result of CPUID describe the PMU
 * @m:		the model
 * @leaf:	value of EAX before the instruction
 * @subleaf:	value of ECX before the instruction
 * @cpu:	number of the CPU that executes it
 * @l:		the CPU's own result; is changed
 *
 * Source: SDM vol. 2A, CPUID; APM vol. 3 E.4. Leaves without counters are not
 * changed.
 *
 * Context: any.
 */
void pmu_model_cpuid_change(const struct pmu_model *m, unsigned int leaf,
			    unsigned int subleaf, unsigned int cpu,
			    struct pmu_model_leaf *l)
{
	if (m->vendor == PMU_MODEL_INTEL)
		intel_leaf(m, leaf, subleaf, cpu, l);
	else if (m->vendor == PMU_MODEL_ZHAOXIN)
		zhaoxin_leaf(m, leaf, l);
	else
		amd_leaf(m, leaf, l);
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
	unsigned int leaf = *eax, subleaf = *ecx;
	struct pmu_model_leaf l;

	native_cpuid(eax, ebx, ecx, edx);
	l = (struct pmu_model_leaf) { *eax, *ebx, *ecx, *edx };
	pmu_model_cpuid_change(&pmu_model, leaf, subleaf, raw_smp_processor_id(), &l);
	*eax = l.eax;
	*ebx = l.ebx;
	*ecx = l.ecx;
	*edx = l.edx;
}
