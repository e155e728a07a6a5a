// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: an AMD PMU
 *
 * Owns the register map and the reserved bits of three generations: the four
 * counters of K7, the six of PerfCtrExtCore, and PerfMonV2 with its global
 * registers. Source: APM vol. 2 13.2, PPR of family 19h model 11h, 2.1.15 and
 * MSRC000_0300 to 0302.
 *
 * Contexts: init only.
 */
#include <asm/msr-index.h>

#include "pmu_model.h"

#define LEGACY_COUNTERS		4
#define CORE_COUNTERS		6
#define AMD_WIDTH		48
#define AMD_RECORDS		16

/* Freeze of the branch records and of the counters. */
#define STATUS_FREEZE		(BIT_ULL(58) | PMU_STATUS_FROZEN)

/* Branch records, single step on branches, and the two freeze controls. */
#define DEBUGCTL_MASK		(GENMASK_ULL(1, 0) | GENMASK_ULL(12, 11))

#define SELECT_MASK		((GENMASK_ULL(31, 0) & \
				  ~(PMU_SEL_PIN | PMU_SEL_ANY)) | \
				 PMU_SEL_EVENT_HI | PMU_SEL_GUEST_HOST)

static void add_counters(struct pmu_model *m)
{
	unsigned int i;

	for (i = 0; i < LEGACY_COUNTERS; i++) {
		pmu_model_add_reg(m, MSR_K7_EVNTSEL0 + i, PMU_REG_SELECT, i);
		pmu_model_add_reg(m, MSR_K7_PERFCTR0 + i, PMU_REG_COUNTER, i);
	}
	for (i = 0; i < CORE_COUNTERS; i++) {
		bool there = m->variant != PMU_MODEL_AMD_LEGACY;

		pmu_model_add_reg(m, MSR_F15H_PERF_CTL + 2 * i,
				  there ? PMU_REG_SELECT : PMU_REG_ABSENT, i);
		pmu_model_add_reg(m, MSR_F15H_PERF_CTR + 2 * i,
				  there ? PMU_REG_COUNTER : PMU_REG_ABSENT, i);
	}
}

static void add_global(struct pmu_model *m)
{
	pmu_model_add_reg(m, MSR_AMD64_PERF_CNTR_GLOBAL_STATUS,
			  PMU_REG_STATUS, 0);
	pmu_model_add_reg(m, MSR_AMD64_PERF_CNTR_GLOBAL_CTL,
			  PMU_REG_GLOBAL_CTRL, 0);
	pmu_model_add_reg(m, MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR,
			  PMU_REG_STATUS_CLEAR, 0);
	pmu_model_add_reg(m, MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_SET, PMU_REG_STATUS_SET, 0);
	pmu_model_add_reg(m, MSR_IA32_DEBUGCTLMSR, PMU_REG_DEBUGCTL, 0);
}

/**
 * pmu_model_amd_setup() - make an AMD PMU of the chosen generation
 * @m:		the model; the variant is set, the register map is empty
 *
 * Context: init.
 */
void pmu_model_amd_setup(struct pmu_model *m)
{
	bool v2 = m->variant == PMU_MODEL_AMD_V2;

	m->version = v2 ? 2 : 1;
	m->gp = m->variant == PMU_MODEL_AMD_LEGACY ? LEGACY_COUNTERS : CORE_COUNTERS;
	m->fixed = 0;
	m->width = AMD_WIDTH;
	m->width_mask = GENMASK_ULL(AMD_WIDTH - 1, 0);
	m->write_rule = PMU_WRITE_TRUNCATE;
	m->select_mask = SELECT_MASK;
	m->has_lvt_mask = false;
	m->pebs = PMU_PEBS_NONE;
	/* Branch records need the global registers; BRS is older than these. */
	m->brs = m->brs && m->variant == PMU_MODEL_AMD_CORE;
	m->lbr = m->brs || (v2 && m->lbr) ? AMD_RECORDS : 0;

	if (m->lbr)
		m->lbr_type = m->brs ? PMU_LBR_SAMPLING : PMU_LBR_AMD;
	add_counters(m);
	if (m->ibs_caps)
		pmu_model_ibs_setup(m);
	if (!v2)
		return;
	m->has_global = true;
	m->has_sticky_freeze = true;
	m->global_mask = BIT_ULL(CORE_COUNTERS) - 1;
	/* Clearing a bit that does not exist is no error. */
	m->status_clear_mask = U64_MAX;
	m->status_set_mask = m->global_mask | STATUS_FREEZE;
	m->debugctl_mask = DEBUGCTL_MASK;
	add_global(m);
}
