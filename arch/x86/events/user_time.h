/* SPDX-License-Identifier: GPL-2.0 */
/* Room "user_time": how user space reads counters and the clock. */
#ifndef _ARCH_X86_EVENTS_USER_TIME_H
#define _ARCH_X86_EVENTS_USER_TIME_H

#include <linux/perf_event.h>
#include <asm/timer.h>

void x86_user_time_describe(struct perf_event_mmap_page *page,
			    const struct cyc2ns_data *clock, u64 base, u64 now);

#endif /* _ARCH_X86_EVENTS_USER_TIME_H */
