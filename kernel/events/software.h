/* SPDX-License-Identifier: GPL-2.0 */
/* Room "software": PERF_TYPE_SOFTWARE counters, and counting in software. */
#ifndef _KERNEL_EVENTS_SOFTWARE_H
#define _KERNEL_EVENTS_SOFTWARE_H

#include "recursion.h"
#include "state.h"
#include "types.h"

/*
 * hw.state of events whose PMU is in this folder. Other drivers may use it as
 * they like, as long as a stopped event has PERF_HES_STOPPED, and has
 * PERF_HES_UPTODATE only if its count is saved. In a driver of traces an event
 * that counts must not have PERF_HES_STOPPED.
 */
enum perf_counter_state {
	PERF_COUNTER_COUNTS	= 0,
	PERF_COUNTER_STOPPED	= PERF_HES_STOPPED,
	PERF_COUNTER_SAVED	= PERF_HES_STOPPED | PERF_HES_UPTODATE,
};

extern struct perf_state_table perf_counter_state_table;

/* On the event's CPU with interrupts off. */
static inline void perf_counter_set_state(struct perf_event *event,
					  enum perf_counter_state state)
{
	perf_state_check(&perf_counter_state_table, event->hw.state, state);
	WRITE_ONCE(event->hw.state, state);
}

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

void perf_software_init(void);

#endif /* _KERNEL_EVENTS_SOFTWARE_H */
