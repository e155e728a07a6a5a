/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/lbr_event": events that record last branches are opened. */
#ifndef _ARCH_X86_EVENTS_INTEL_LBR_EVENT_H
#define _ARCH_X86_EVENTS_INTEL_LBR_EVENT_H

#include <linux/perf_event.h>
#include "../setup.h"

struct x86_model;

int intel_lbr_event_count(struct perf_event *event, bool *records);
int intel_lbr_event_config(struct perf_event *event);
int intel_lbr_event_lend(struct perf_event *event);
void intel_lbr_event_setup(struct x86_setup *setup, const struct x86_model *model,
			   unsigned int version);

#endif /* _ARCH_X86_EVENTS_INTEL_LBR_EVENT_H */
