/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "sched_set": events of a task that are scheduled in and out by one call.
 */
#ifndef _KERNEL_EVENTS_SCHED_SET_H
#define _KERNEL_EVENTS_SCHED_SET_H

#include "types.h"

void perf_set_make_locked(struct perf_pmu_ctx *epc);
bool perf_set_load_locked(struct perf_pmu_ctx *epc);
bool perf_set_unload_locked(struct perf_pmu_ctx *epc);

#endif /* _KERNEL_EVENTS_SCHED_SET_H */
