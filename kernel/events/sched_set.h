/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "sched_set": events of a task that are scheduled in and out by one call.
 */
#ifndef _KERNEL_EVENTS_SCHED_SET_H
#define _KERNEL_EVENTS_SCHED_SET_H

#include "pmu.h"
#include "throttle.h"
#include "types.h"

/*
 * Return: whether a lone event is added without a transaction. A software event
 * always fits. A driver that has pmu::load checks in pmu::add whether the event
 * fits. If a group was throttled, the start of a transaction ends that.
 */
static inline bool perf_set_adds_alone(const struct perf_event *event)
{
	struct pmu *pmu = perf_event_pmu_ctx(event)->pmu;

	return event->group_caps & PERF_EV_CAP_SOFTWARE ||
	       (pmu->load && !perf_throttle_is_recent(perf_cpc_oncpu(pmu)));
}

void perf_set_make_locked(struct perf_pmu_ctx *epc);
bool perf_set_load_locked(struct perf_pmu_ctx *epc);
bool perf_set_unload_locked(struct perf_pmu_ctx *epc);

#endif /* _KERNEL_EVENTS_SCHED_SET_H */
