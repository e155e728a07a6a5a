/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/topdown": slots of the pipeline, and what became of them. */
#ifndef _ARCH_X86_EVENTS_INTEL_TOPDOWN_H
#define _ARCH_X86_EVENTS_INTEL_TOPDOWN_H

#include "../run.h"

/* Most metrics that a core has. */
#define INTEL_TOPDOWN_METRICS	8

/**
 * struct intel_topdown - the metrics of one CPU
 * @busy: counts are moved to events; a PMI in the middle leaves them alone
 * @metric: the event of each metric that is scheduled in, or NULL
 */
struct intel_topdown {
	bool			busy;
	struct perf_event	*metric[INTEL_TOPDOWN_METRICS];
};

extern const struct x86_run_metrics intel_topdown_methods;

u64 intel_topdown_part(u64 slots, u64 metrics, unsigned int metric);
u64 intel_topdown_read(u64 *metrics);
int intel_topdown_config(struct perf_event *event);
int intel_topdown_pmi(struct x86_cpu *cpu);
void intel_topdown_setup(const struct x86_core *core);

/* Status bits of the fixed counter of slots, and of the metrics. */
#define INTEL_TOPDOWN_STATUS	(X86_FIXED(3) | BIT_ULL(X86_COUNTER_METRICS))

#endif /* _ARCH_X86_EVENTS_INTEL_TOPDOWN_H */
