/* SPDX-License-Identifier: GPL-2.0 */
/* Room "home": gives contexts back to the tasks on which events were opened. */
#ifndef _KERNEL_EVENTS_HOME_H
#define _KERNEL_EVENTS_HOME_H

#include "types.h"

bool perf_home_is_own(struct perf_ctx *ctx,
		      const struct task_struct *task);
bool perf_home_take(struct perf_ctx *ctx, struct task_struct *task);
void perf_home_bring(struct task_struct *task);
struct perf_ctx *perf_home_take_ctx(struct task_struct *task);

#endif /* _KERNEL_EVENTS_HOME_H */
