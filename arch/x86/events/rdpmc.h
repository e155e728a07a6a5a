/* SPDX-License-Identifier: GPL-2.0 */
/* Room "rdpmc": which programs may read counters. */
#ifndef _ARCH_X86_EVENTS_RDPMC_H
#define _ARCH_X86_EVENTS_RDPMC_H

#include <linux/perf_event.h>

bool x86_rdpmc_allowed(const struct perf_event *event);
bool x86_rdpmc_task_may_read(void);
bool x86_rdpmc_may_read(const struct perf_event *event);
unsigned int x86_counter_width(void);
int x86_rdpmc_get_mode(void);
int x86_rdpmc_set_mode(unsigned long mode);
void x86_rdpmc_forbid(void);
void x86_rdpmc_offer(struct perf_event *event);

#endif /* _ARCH_X86_EVENTS_RDPMC_H */
