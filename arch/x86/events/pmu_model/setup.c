// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: building the description of a PMU
 *
 * Owns nothing; completes a description whose parameters are set.
 *
 * Contexts: init and KUnit.
 */
#include <linux/stddef.h>

#include "pmu_model.h"

/**
 * pmu_model_setup() - build a PMU
 * @m:		the model; the fields of the boot parameter are set, others 0
 * @vendor:	vendor of the PMU
 *
 * Context: init; KUnit.
 */
void pmu_model_setup(struct pmu_model *m, enum pmu_model_vendor vendor)
{
	m->vendor = vendor;
	m->regs[PMU_MODEL_SLOT_RDPMC].kind = PMU_REG_RDPMC;
	m->nr_regs = PMU_MODEL_SLOT_RDPMC + 1;
	if (vendor == PMU_MODEL_INTEL)
		pmu_model_intel_setup(m);
	else if (vendor == PMU_MODEL_ZHAOXIN)
		pmu_model_zhaoxin_setup(m);
	else
		pmu_model_amd_setup(m);
	if (m->lbr)
		pmu_model_lbr_setup(m);
	if (m->ibs_caps)
		m->state_size = sizeof(struct pmu_model_state);
	else if (m->lbr)
		m->state_size = offsetof(struct pmu_model_state, ibs);
	else
		m->state_size = offsetof(struct pmu_model_state, lbr);
}
