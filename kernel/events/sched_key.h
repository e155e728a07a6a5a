/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sched_key": enables the hooks of the task switch while needed. */
#ifndef _KERNEL_EVENTS_SCHED_KEY_H
#define _KERNEL_EVENTS_SCHED_KEY_H

void perf_sched_key_get(void);
void perf_sched_key_put(void);

#endif /* _KERNEL_EVENTS_SCHED_KEY_H */
