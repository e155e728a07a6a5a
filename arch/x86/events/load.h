/* SPDX-License-Identifier: GPL-2.0 */
/* Room "load": events that are scheduled in and out together. */
#ifndef _ARCH_X86_EVENTS_LOAD_H
#define _ARCH_X86_EVENTS_LOAD_H

struct perf_event_set;
struct pmu;

int x86_load(struct pmu *pmu, struct perf_event_set *set);
void x86_unload(struct pmu *pmu, struct perf_event_set *set);

#endif /* _ARCH_X86_EVENTS_LOAD_H */
