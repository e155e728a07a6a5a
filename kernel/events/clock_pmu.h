/* SPDX-License-Identifier: GPL-2.0 */
/* Room "clock_pmu": the cpu-clock and task-clock PMUs. */
#ifndef _KERNEL_EVENTS_CLOCK_PMU_H
#define _KERNEL_EVENTS_CLOCK_PMU_H

#include <linux/perf_event.h>

bool perf_clock_pmu_times(const struct perf_event *event);
void perf_clock_pmu_init(void);

#endif /* _KERNEL_EVENTS_CLOCK_PMU_H */
