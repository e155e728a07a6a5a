/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/pebs": precise events. */
#ifndef _ARCH_X86_EVENTS_INTEL_PEBS_H
#define _ARCH_X86_EVENTS_INTEL_PEBS_H

#include "pebs_drain.h"

u64 intel_pebs_groups(const struct perf_event *event);
void intel_pebs_want_switches(struct pmu *pmu, bool want);
void intel_pebs_attach(struct intel_pebs *p, struct x86_cpu *cpu, struct perf_event *event);
void intel_pebs_detach(struct intel_pebs *p, struct x86_cpu *cpu, struct perf_event *event);
void intel_pebs_flag(const struct intel_pebs_format *format, struct perf_event *event);
int intel_pebs_config(struct perf_event *event);
int intel_pebs_pmi(struct x86_cpu *cpu, struct pt_regs *regs);
void intel_pebs_start_cpu(void);
void intel_pebs_sched_task(bool sched_in);
void intel_pebs_enter_guest(struct intel_pebs *p, struct x86_cpu *cpu,
			    struct perf_guest_switch_msr *msr);
void intel_pebs_setup(struct x86_core *core, u64 caps, bool late);

#endif /* _ARCH_X86_EVENTS_INTEL_PEBS_H */
