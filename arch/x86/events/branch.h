/* SPDX-License-Identifier: GPL-2.0 */
/* Room "branch": events that record branches. */
#ifndef _ARCH_X86_EVENTS_BRANCH_H
#define _ARCH_X86_EVENTS_BRANCH_H

#include <asm/perf_event.h>
#include "engine.h"
#include "rules/branch_filter.h"

/**
 * struct x86_branch_ops - the recorder of branches of a vendor
 * @one_filter:	events that need different filters cannot record together
 * @get:	an event that records branches is scheduled in; returns 0, or
 *	-EBUSY if other events use the recorder in another way
 * @put:	undo @get
 * @start:	let the recorder run, or stop it if no event needs it; called
 *	before the counters run, while x86_cpu::branches is true
 * @stop:	the PMU is disabled: keep branches of the kernel out of the
 *	recorder
 * @forget:	the registers of the recorder may contain anything
 * @save:	add the branches to a sample
 * @sched_task:	a task is switched in or out, as pmu::sched_task
 * @describe:	tell a hypervisor which registers it may give to a guest;
 *	optional
 *
 * Called on the CPU itself with interrupts off, @save in NMI, @describe in any
 * context.
 */
struct x86_branch_ops {
	bool	one_filter;
	int	(*get)(struct x86_cpu *cpu, struct perf_event *event);
	void	(*put)(struct x86_cpu *cpu, struct perf_event *event);
	void	(*start)(struct x86_cpu *cpu);
	void	(*stop)(struct x86_cpu *cpu);
	void	(*forget)(struct x86_cpu *cpu);
	void	(*save)(struct perf_event *event, struct perf_sample_data *data);
	void	(*sched_task)(struct perf_event_pmu_context *ctx, bool sched_in);
	void	(*describe)(struct x86_pmu_lbr *lbr);
};

void x86_branch_set_ops(const struct x86_branch_ops *what);
bool x86_branch_one_filter(void);
int x86_branch_claim(struct x86_cpu *cpu, struct perf_event *event);
void x86_branch_release(struct x86_cpu *cpu, struct perf_event *event);
void x86_branch_start(struct x86_cpu *cpu);
void x86_branch_stop(struct x86_cpu *cpu);
void x86_branch_forget(struct x86_cpu *cpu);
void x86_branch_save(struct perf_event *event, struct perf_sample_data *data);
void x86_branch_describe(struct x86_pmu_lbr *lbr);
void x86_branch_sched_task(struct perf_event_pmu_context *ctx, struct task_struct *task,
			   bool sched_in);
u32 x86_branch_look(u64 from, bool kernel);
u32 x86_branch_find(u64 from, bool kernel, unsigned int *offset);
unsigned int x86_branch_keep(u32 wanted, struct perf_branch_entry *entries, u64 *counters,
			     unsigned int nr);

/* Most events need no branches. */
static inline int x86_branch_get(struct x86_cpu *cpu, struct perf_event *event)
{
	return event->hw.flags & X86_EVENT_BRANCHES ? x86_branch_claim(cpu, event) : 0;
}

static inline void x86_branch_put(struct x86_cpu *cpu, struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_BRANCHES)
		x86_branch_release(cpu, event);
}

#endif /* _ARCH_X86_EVENTS_BRANCH_H */
