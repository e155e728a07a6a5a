/* SPDX-License-Identifier: GPL-2.0 */
/* Room "software": PERF_TYPE_SOFTWARE counters and what they are made of. */
#ifndef _KERNEL_EVENTS_SOFTWARE_H
#define _KERNEL_EVENTS_SOFTWARE_H

#include "recursion.h"
#include "types.h"

/*
 * Adds @nr to @event and takes care of its period. For every PMU whose events
 * are counted in software. Preemption off; interrupts may be on.
 */
void perf_swevent_event(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs);
/* The same for an event that is enabled but whose task does not run. */
void perf_swevent_parked_locked(struct perf_event *event, u64 nr,
				struct perf_sample_data *data,
				struct pt_regs *regs);
bool perf_swevent_exclude(const struct perf_event *event,
			  struct pt_regs *regs);

/* pmu methods shared by PMUs that count in software. */
void perf_swevent_start(struct perf_event *event, int flags);
void perf_swevent_stop(struct perf_event *event, int flags);
void perf_swevent_read(struct perf_event *event);

/* Lets the PMU @type take PERF_TYPE_SOFTWARE events of number @config. */
void perf_software_forward(unsigned int config, int type);

void perf_software_init(void);

#endif /* _KERNEL_EVENTS_SOFTWARE_H */
