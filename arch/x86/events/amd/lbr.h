/* SPDX-License-Identifier: GPL-2.0 */
/* Room "amd/lbr": the recorder of last branches of each CPU. */
#ifndef _ARCH_X86_EVENTS_AMD_LBR_H
#define _ARCH_X86_EVENTS_AMD_LBR_H

#include "../engine.h"

/**
 * struct amd_lbr - the recorders of this machine
 * @depth: how many branches they keep, 0 if there is none
 * @freezes: they can stop at an interrupt
 */
struct amd_lbr {
	unsigned int	depth;
	bool		freezes;
};

extern struct amd_lbr amd_lbr;

u64 amd_lbr_read_register(u32 address);
void amd_lbr_setup(struct x86_core *core);
void amd_lbr_start_cpu(void);
int amd_lbr_config(struct perf_event *event);
bool amd_lbr_pause(struct x86_cpu *cpu);
void amd_lbr_resume(bool on);
int amd_lbr_get(struct x86_cpu *cpu, struct perf_event *event);
void amd_lbr_put(struct x86_cpu *cpu, struct perf_event *event);
void amd_lbr_start(struct x86_cpu *cpu);
void amd_lbr_stop(struct x86_cpu *cpu);
void amd_lbr_forget(struct x86_cpu *cpu);
void amd_lbr_save(struct perf_event *event, struct perf_sample_data *data);
void amd_lbr_sched_task(struct perf_event_pmu_context *ctx, bool sched_in);
int amd_lbr_snapshot(struct perf_branch_entry *entries, unsigned int nr);

#endif /* _ARCH_X86_EVENTS_AMD_LBR_H */
