/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/lbr_task": the call stack of each task. */
#ifndef _ARCH_X86_EVENTS_INTEL_LBR_TASK_H
#define _ARCH_X86_EVENTS_INTEL_LBR_TASK_H

#include <linux/perf_event.h>
#include "lbr_decode.h"

/**
 * struct intel_lbr_task - the call stack of a task that is not running
 * @valid:	it was saved when the task was switched out
 * @lent:	it was saved for a guest, whose registers these are
 * @nr:		used @raw
 * @number:	number of this save; no other save has the same
 * @tos:	number of the youngest branch
 * @select:	@lent: MSR_LBR_SELECT
 * @raw:	branches, the youngest first
 */
struct intel_lbr_task {
	bool			valid;
	bool			lent;
	unsigned int		nr;
	u64			number;
	u64			tos;
	u64			select;
	struct intel_lbr_raw	raw[INTEL_LBR_DEPTH];
};

void intel_lbr_task_save(struct intel_lbr_task *t);
void intel_lbr_task_restore(struct intel_lbr_task *t);
void intel_lbr_task_switch(struct perf_event_pmu_context *ctx, bool sched_in);

#endif /* _ARCH_X86_EVENTS_INTEL_LBR_TASK_H */
