/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sched": schedules groups in and out; loads and unloads contexts. */
#ifndef _KERNEL_EVENTS_SCHED_H
#define _KERNEL_EVENTS_SCHED_H

#include "types.h"

/* Task contexts: ctx->lock and the CPU's are taken inside. */
void perf_sched_reload_oncpu(void);
void perf_sched_ctx_out_oncpu(struct perf_ctx *ctx);
struct perf_ctx *perf_sched_take_ctx(struct task_struct *task);

/* The same with both locks held. */
void perf_sched_ctx_in_locked(struct perf_cpu_context *cpuctx,
			      struct perf_ctx *ctx);
void perf_sched_ctx_out_locked(struct perf_cpu_context *cpuctx,
			       struct perf_ctx *ctx);

/* Schedules out all events of this CPU's own context; its lock held. */
void perf_sched_cpu_ctx_out_locked(struct perf_ctx *ctx);

/* Events of a loaded context; locks held, interrupts off. */
void perf_sched_group_try_in_locked(struct perf_cpu_context *cpuctx,
				    struct perf_event *leader);
bool perf_sched_group_fit_in_locked(struct perf_event *leader);
void perf_sched_event_out_locked(struct perf_event *event);
void perf_sched_group_out_locked(struct perf_event *leader);
void perf_sched_pmu_resched_locked(struct perf_cpu_context *cpuctx,
				   struct pmu *pmu);
void perf_sched_flexible_out_locked(struct perf_pmu_ctx *epc);
void perf_sched_choose_locked(struct perf_pmu_ctx *epc);
void perf_sched_group_update_pages_locked(struct perf_event *leader);
void perf_sched_fill_locked(struct perf_cpu_pmu_context *cpc);
u64 perf_sched_choice_left_locked(struct perf_pmu_ctx *epc);

#endif /* _KERNEL_EVENTS_SCHED_H */
