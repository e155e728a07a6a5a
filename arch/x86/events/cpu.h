/* SPDX-License-Identifier: GPL-2.0 */
/* Room "cpu": the PMU of each CPU, and CPUs that come and go. */
#ifndef _ARCH_X86_EVENTS_CPU_H
#define _ARCH_X86_EVENTS_CPU_H

#include "engine.h"

/**
 * struct x86_cpu_ops - what the vendor's driver does for a CPU
 * @prepare:	get memory for a CPU that is about to start; optional
 * @start:	on the CPU itself when it starts, interrupts off: choose its
 *	core
 * @dead:	release what @prepare got, after the CPU is gone; optional
 */
struct x86_cpu_ops {
	int			(*prepare)(unsigned int cpu);
	struct x86_core		*(*start)(unsigned int cpu);
	void			(*dead)(unsigned int cpu);
};

int x86_cpu_init(const struct x86_cpu_ops *ops);
void x86_cpu_exit(void);
void x86_cpu_attach(struct x86_cpu *cpu, struct perf_event *event, unsigned int counter);
void x86_cpu_detach(struct x86_cpu *cpu, unsigned int counter);

#endif /* _ARCH_X86_EVENTS_CPU_H */
