/* SPDX-License-Identifier: GPL-2.0 */
/* Room "caps": how many counters a PMU has, and how many are free. */
#ifndef _KERNEL_EVENTS_CAPS_H
#define _KERNEL_EVENTS_CAPS_H

#include "types.h"

/* What the files say. Return: 0; -ENODATA where it cannot be known, -ENOMEM. */
int perf_caps_get(struct pmu *pmu, struct perf_pmu_counters *counters);

void perf_caps_init(void);

#endif /* _KERNEL_EVENTS_CAPS_H */
