// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: an Intel PMU, architectural versions 2 to 5 and P6; a Zhaoxin PMU
 *
 * Owns the register map and the reserved bits. Source: SDM vol. 3 20.2
 * "Architectural performance monitoring" and vol. 4 table 2-2. Zhaoxin's CPUs
 * have the architectural registers of version 2, except that a counter takes
 * all its bits at the old address.
 *
 * Contexts: init only.
 */
#include <asm/msr-index.h>

#include "pmu_model.h"

#define MSR_GLOBAL_STATUS_SET	0x391
#define MSR_GLOBAL_INUSE	0x392
#define MSR_METRICS		0x329

#define CAPS_FULL_WIDTH		BIT_ULL(13)
#define CAPS_METRICS		BIT_ULL(15)

/* Status bits beside the counters': 20.2.2 for version 2, 20.2.4 for 4. */
#define STATUS_V2		(BIT_ULL(63) | BIT_ULL(62))
#define STATUS_V3		(STATUS_V2 | BIT_ULL(61))
#define STATUS_V4		(STATUS_V3 | BIT_ULL(60) | BIT_ULL(59) | \
				 BIT_ULL(58) | BIT_ULL(55))
/* The "condition changed" bit cannot be set by software. */
#define STATUS_SET_V4		(STATUS_V4 & ~BIT_ULL(63))

/* LBR, BTF, TR, BTS, BTINT, BTS_OFF_*, FREEZE_*, UNCORE_PMI; vol. 3 18.4.1. */
#define DEBUGCTL_MASK		(GENMASK_ULL(15, 6) | GENMASK_ULL(1, 0))

/* Request, supplier and snoop fields of MSR_OFFCORE_RSP_x, 20.3.8.2. */
#define OFFCORE_MASK		(GENMASK_ULL(37, 15) | GENMASK_ULL(11, 0))
/*
 * The fields of Nehalem and Westmere, 20.3.1.1.3: version 3 without
 * full-width writes.
 */
#define OFFCORE_MASK_NHM	(GENMASK_ULL(15, 12) | GENMASK_ULL(10, 0))
/* Knights Landing, version 3 with two counters, has more: vol. 4 2.18. */
#define OFFCORE_MASK_KNL	GENMASK_ULL(38, 0)

/* The "any thread" bits exist in versions 3 and 4. */
static bool has_any_thread(const struct pmu_model *m)
{
	return m->version == 3 || m->version == 4;
}

static u64 select_mask(const struct pmu_model *m)
{
	u64 mask = GENMASK_ULL(31, 0) | (m->ext ? PMU_SEL_UMASK2 : 0);

	if (m->pebs == PMU_PEBS_ADAPTIVE)
		mask |= PMU_SEL_ADAPTIVE;
	return has_any_thread(m) ? mask : mask & ~PMU_SEL_ANY;
}

static u64 fixed_ctrl_mask(const struct pmu_model *m)
{
	u64 field = PMU_FIXED_OS | PMU_FIXED_USR | PMU_FIXED_PMI;
	u64 mask = 0;
	unsigned int i;

	if (has_any_thread(m))
		field |= PMU_FIXED_ANY;
	for (i = 0; i < m->fixed; i++)
		mask |= field << (i * PMU_FIXED_BITS);
	for (i = 0; m->pebs == PMU_PEBS_ADAPTIVE && i < m->fixed; i++)
		mask |= BIT_ULL(PMU_FIXED_ADAPTIVE_SHIFT + i * PMU_FIXED_BITS);
	return mask;
}

static void add_gp(struct pmu_model *m)
{
	unsigned int i;

	for (i = 0; i < PMU_MODEL_MAX_GP; i++) {
		bool there = i < m->gp;

		pmu_model_add_reg(m, MSR_P6_EVNTSEL0 + i,
				  there ? PMU_REG_SELECT : PMU_REG_ABSENT, i);
		pmu_model_add_reg(m, MSR_P6_PERFCTR0 + i,
				  there ? PMU_REG_COUNTER : PMU_REG_ABSENT, i);
		pmu_model_add_reg(m, MSR_IA32_PMC0 + i,
				  there && m->full_width ? PMU_REG_FULL :
							   PMU_REG_ABSENT, i);
	}
}

static void add_fixed(struct pmu_model *m)
{
	unsigned int i;

	for (i = 0; i < PMU_MODEL_MAX_FIXED; i++)
		pmu_model_add_reg(m, MSR_CORE_PERF_FIXED_CTR0 + i,
				  i < m->fixed ? PMU_REG_FIXED : PMU_REG_ABSENT,
				  i);
	pmu_model_add_reg(m, MSR_CORE_PERF_FIXED_CTR_CTRL,
			  m->fixed ? PMU_REG_FIXED_CTRL : PMU_REG_ABSENT, 0);
}

static void add_global(struct pmu_model *m)
{
	bool v4 = m->version >= 4;

	pmu_model_add_reg(m, MSR_CORE_PERF_GLOBAL_STATUS, PMU_REG_STATUS, 0);
	pmu_model_add_reg(m, MSR_CORE_PERF_GLOBAL_CTRL, PMU_REG_GLOBAL_CTRL, 0);
	pmu_model_add_reg(m, MSR_CORE_PERF_GLOBAL_OVF_CTRL,
			  PMU_REG_STATUS_CLEAR, 0);
	pmu_model_add_reg(m, MSR_GLOBAL_STATUS_SET,
			  v4 ? PMU_REG_STATUS_SET : PMU_REG_ABSENT, 0);
	pmu_model_add_reg(m, MSR_GLOBAL_INUSE,
			  v4 ? PMU_REG_INUSE : PMU_REG_ABSENT, 0);
}

static u64 offcore_mask(const struct pmu_model *m)
{
	if (m->version != 3)
		return OFFCORE_MASK;
	if (!m->full_width)
		return OFFCORE_MASK_NHM;
	return m->gp == 2 ? OFFCORE_MASK_KNL : OFFCORE_MASK;
}

static void set_masks(struct pmu_model *m)
{
	m->global_mask = (BIT_ULL(m->gp) - 1) | (BIT_ULL(m->fixed) - 1) << 32;
	if (m->metrics)
		m->global_mask |= PMU_GLOBAL_METRICS;
	m->select_mask = select_mask(m);
	m->fixed_ctrl_mask = fixed_ctrl_mask(m);
	m->debugctl_mask = DEBUGCTL_MASK;
	m->plain_mask[0] = offcore_mask(m);
	m->plain_mask[1] = offcore_mask(m);
	m->status_clear_mask = m->global_mask;
	if (m->version >= 4)
		m->status_clear_mask |= STATUS_V4;
	else
		m->status_clear_mask |= m->version == 3 ? STATUS_V3 : STATUS_V2;
	m->status_set_mask = m->version >= 4 ? m->global_mask | STATUS_SET_V4 : 0;
}

/*
 * P6, SDM vol. 3 20.6.8: no CPUID leaf, and no other registers than those of
 * the two counters.
 */
static void p6_setup(struct pmu_model *m)
{
	m->gp = 2;
	m->fixed = 0;
	m->width = 40;
	m->width_mask = GENMASK_ULL(m->width - 1, 0);
	m->full_width = false;
	m->metrics = 0;
	m->lbr = 0;
	m->pebs = PMU_PEBS_NONE;
	m->hybrid = false;
	m->ext = false;
	m->one_enable = true;
	m->has_lvt_mask = false;
	m->select_mask = select_mask(m);
	add_gp(m);
}

/* The registers that Zhaoxin's CPUs have, too. */
static void add_architectural(struct pmu_model *m)
{
	m->width_mask = GENMASK_ULL(m->width - 1, 0);
	m->has_global = true;
	m->has_lvt_mask = true;
	set_masks(m);
	add_gp(m);
	add_fixed(m);
	add_global(m);
}

/**
 * pmu_model_intel_setup() - make an Intel PMU of the chosen version and size
 * @m:		the model; version, gp, fixed and width are set, the register
 *		map is empty
 *
 * Context: init.
 */
void pmu_model_intel_setup(struct pmu_model *m)
{
	m->write_rule = PMU_WRITE_SIGN32;
	if (!m->version) {
		p6_setup(m);
		return;
	}
	m->has_sticky_freeze = m->version >= 4;
	if (m->lbr)
		m->lbr_type = m->lbr_format == PMU_LBR_FMT_ARCH ? PMU_LBR_ARCH :
								  PMU_LBR_LEGACY;
	m->caps = (m->lbr ? m->lbr_format : 0) | pmu_model_pebs_caps(m) |
		  (m->full_width ? CAPS_FULL_WIDTH : 0) |
		  (m->metrics ? CAPS_METRICS : 0);
	add_architectural(m);
	pmu_model_add_reg(m, MSR_IA32_PERF_CAPABILITIES, PMU_REG_CAPS, 0);
	pmu_model_add_reg(m, MSR_IA32_DEBUGCTLMSR, PMU_REG_DEBUGCTL, 0);
	if (m->pebs)
		pmu_model_pebs_setup(m);
	pmu_model_add_reg(m, MSR_OFFCORE_RSP_0, PMU_REG_PLAIN, 0);
	pmu_model_add_reg(m, MSR_OFFCORE_RSP_1, PMU_REG_PLAIN, 1);
	pmu_model_add_reg(m, MSR_METRICS,
			  m->metrics ? PMU_REG_METRICS : PMU_REG_ABSENT, 0);
}

/**
 * pmu_model_zhaoxin_setup() - make a Zhaoxin PMU
 * @m:		the model; gp, fixed and width are set, the register map is
 *	empty
 *
 * Context: init.
 */
void pmu_model_zhaoxin_setup(struct pmu_model *m)
{
	m->version = 2;
	m->full_width = false;
	m->lbr = 0;
	m->pebs = PMU_PEBS_NONE;
	m->write_rule = PMU_WRITE_TRUNCATE;
	add_architectural(m);
}
