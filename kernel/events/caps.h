/* SPDX-License-Identifier: GPL-2.0 */
/* Room "caps": how many counters a PMU has, and how many are free. */
#ifndef _KERNEL_EVENTS_CAPS_H
#define _KERNEL_EVENTS_CAPS_H

#include "types.h"

/* More than any PMU has; a driver that accepts as many judges no groups. */
#define PERF_CAPS_GROUP_MAX	64

/* The files' contents. Return: 0; -ENODATA if unknown, -ENOMEM. */
int perf_caps_get_total(struct pmu *pmu, struct perf_pmu_counters *counters);
int perf_caps_get(struct pmu *pmu, struct perf_pmu_counters *counters);

void perf_caps_init(void);

#endif /* _KERNEL_EVENTS_CAPS_H */
