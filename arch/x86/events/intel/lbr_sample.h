/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/lbr_sample": last branches for samples and for BPF. */
#ifndef _ARCH_X86_EVENTS_INTEL_LBR_SAMPLE_H
#define _ARCH_X86_EVENTS_INTEL_LBR_SAMPLE_H

#include "../engine.h"

struct perf_branch_entry;

void intel_lbr_sample_read(struct x86_cpu *cpu, u64 counters);
void intel_lbr_sample_save(struct perf_event *event, struct perf_sample_data *data);
int intel_lbr_sample_snapshot(struct perf_branch_entry *entries, unsigned int nr);

#endif /* _ARCH_X86_EVENTS_INTEL_LBR_SAMPLE_H */
