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
 * @clean:	on the CPU itself, interrupts off, when it starts or the machine
 *	resumes: set registers that firmware or an earlier kernel may have
 *	used; optional
 * @dead:	release what @prepare got, after the CPU is gone; optional
 */
struct x86_cpu_ops {
	int			(*prepare)(unsigned int cpu);
	struct x86_core		*(*start)(unsigned int cpu);
	void			(*clean)(void);
	void			(*dead)(unsigned int cpu);
};

void x86_cpu_clean(void);
int x86_cpu_init(const struct x86_cpu_ops *ops);
void x86_cpu_exit(void);

/**
 * x86_cpu_attach() - give a counter to an event
 * @cpu: this CPU
 * @event: event that was at no counter
 * @counter: number of a counter that has no event
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
static inline void x86_cpu_attach(struct x86_cpu *cpu, struct perf_event *event,
				  unsigned int counter)
{
	u64 bits = x86_event_bits(event, counter);
	int flags = event->hw.flags;

	cpu->on[x86_slot(counter)] = event;
	cpu->used |= bits;
	if (flags & X86_EVENT_GUEST_ONLY)
		cpu->guest_only |= bits;
	if (flags & X86_EVENT_HOST_ONLY)
		cpu->host_only |= bits;
}

/**
 * x86_cpu_detach() - take a counter from its event
 * @cpu: this CPU
 * @counter: number of a counter with a stopped event
 *
 * Context: this CPU, interrupts off.
 */
static inline void x86_cpu_detach(struct x86_cpu *cpu, unsigned int counter)
{
	u64 bits = x86_event_bits(cpu->on[x86_slot(counter)], counter);

	cpu->on[x86_slot(counter)] = NULL;
	cpu->used &= ~bits;
	cpu->guest_only &= ~bits;
	cpu->host_only &= ~bits;
}

#endif /* _ARCH_X86_EVENTS_CPU_H */
