/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sched": schedules groups in and out; loads and unloads contexts. */
#ifndef _KERNEL_EVENTS_SCHED_H
#define _KERNEL_EVENTS_SCHED_H

#include <linux/static_call_types.h>
#include "types.h"

/*
 * The room cgroup's part in a task switch, called on CPUs that have a cgroup
 * noted in their context. @task starts to run there.
 */
typedef void (perf_sched_follow_fn)(struct task_struct *task);
DECLARE_STATIC_CALL(perf_sched_cgroup_follow, perf_sched_follow_fn);

/* Task contexts: ctx->lock and the CPU's are taken inside. */
void perf_sched_settle_oncpu(void);
void perf_sched_unload_oncpu(struct perf_ctx *ctx);
struct perf_ctx *perf_sched_part_task(struct task_struct *task);

/* The same with both locks held. */
void perf_sched_load_locked(struct perf_cpu_context *cpuctx,
			    struct perf_ctx *ctx);
void perf_sched_unload_locked(struct perf_cpu_context *cpuctx,
			      struct perf_ctx *ctx);

/* Schedules out all events of this CPU's own context; its lock held. */
void perf_sched_cpu_out_locked(struct perf_ctx *ctx);

/* Events of a loaded context; locks held, interrupts off. */
void perf_sched_try_in_locked(struct perf_cpu_context *cpuctx,
			      struct perf_event *leader);
bool perf_sched_offer_locked(struct perf_event *leader);
void perf_sched_event_out_locked(struct perf_event *event);
void perf_sched_group_out_locked(struct perf_event *leader);
void perf_sched_pmu_locked(struct perf_cpu_context *cpuctx, struct pmu *pmu);
void perf_sched_flexible_out_locked(struct perf_pmu_ctx *epc);
void perf_sched_choose_locked(struct perf_pmu_ctx *epc);
void perf_sched_show_group_locked(struct perf_event *leader);
void perf_sched_fill_locked(struct perf_pmu_ctx *epc);
u64 perf_sched_choice_left_locked(struct perf_pmu_ctx *epc);

#endif /* _KERNEL_EVENTS_SCHED_H */
