/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sched_cb": notifies drivers that asked for it of task switches. */
#ifndef _KERNEL_EVENTS_SCHED_CB_H
#define _KERNEL_EVENTS_SCHED_CB_H

#include <linux/percpu.h>
#include "context.h"

/* Does any driver want task switches on this CPU? Interrupts off. */
static inline bool perf_sched_cb_is_wanted(void)
{
	return unlikely(__this_cpu_read(perf_cpu_context.sched_cb_users));
}

/* A task with events is switched: notify one driver, or all. */
void perf_sched_cb_pmu_ctx_locked(struct perf_pmu_ctx *epc, bool sched_in);
void perf_sched_cb_ctx_locked(struct perf_ctx *ctx, bool sched_in);

/* Any task is switched: notify drivers of PMUs on which it has no events. */
void perf_sched_cb_cpu(struct task_struct *task, bool sched_in);

void perf_sched_cb_init_cpus(void);

#endif /* _KERNEL_EVENTS_SCHED_CB_H */
