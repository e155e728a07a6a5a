/* SPDX-License-Identifier: GPL-2.0 */
/* Room "pmu_sysfs": the devices of PMUs, and their files. */
#ifndef _KERNEL_EVENTS_PMU_SYSFS_H
#define _KERNEL_EVENTS_PMU_SYSFS_H

#include <linux/cpumask.h>
#include "types.h"

int perf_pmu_sysfs_start(const struct cpumask *scope_masks);
int perf_pmu_sysfs_add(struct pmu *pmu);
void perf_pmu_sysfs_del(struct pmu *pmu);
bool perf_pmu_sysfs_has_dev(const struct pmu *pmu);

#endif /* _KERNEL_EVENTS_PMU_SYSFS_H */
