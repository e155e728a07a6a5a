/* SPDX-License-Identifier: GPL-2.0 */
/* Room "mapped": counters that user space reads. */
#ifndef _ARCH_X86_EVENTS_MAPPED_H
#define _ARCH_X86_EVENTS_MAPPED_H

#include <linux/perf_event.h>

int x86_mapped_set_mode(unsigned long mode);

/* Methods of struct pmu. */
void x86_mapped_begin(struct perf_event *event, struct mm_struct *mm);
void x86_mapped_end(struct perf_event *event, struct mm_struct *mm);
int x86_mapped_event_idx(struct perf_event *event);

#endif /* _ARCH_X86_EVENTS_MAPPED_H */
