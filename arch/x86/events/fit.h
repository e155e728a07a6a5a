/* SPDX-License-Identifier: GPL-2.0 */
/* Room "fit": counters for the events of a CPU. */
#ifndef _ARCH_X86_EVENTS_FIT_H
#define _ARCH_X86_EVENTS_FIT_H

#include "engine.h"

int x86_fit_add(struct x86_cpu *cpu, struct perf_event *event);
int x86_fit_commit(struct x86_cpu *cpu);
void x86_fit_cancel(struct x86_cpu *cpu);
unsigned int x86_fit_find(const struct x86_cpu *cpu, const struct perf_event *event);
void x86_fit_del(struct x86_cpu *cpu, unsigned int i);

#endif /* _ARCH_X86_EVENTS_FIT_H */
