/* SPDX-License-Identifier: GPL-2.0 */
/* Room "caps", private: trials, for the room "fit". */
#ifndef _KERNEL_EVENTS_CAPS_TRIAL_H
#define _KERNEL_EVENTS_CAPS_TRIAL_H

#include <linux/cleanup.h>
#include <linux/types.h>

struct perf_event;
struct perf_event_attr;
struct pmu;

/* A group of events that grows as long as the driver accepts it. */
struct perf_trial;

/* What a trial finds on a CPU. */
enum perf_trial_cpu {
	/* The PMU is not on this CPU. */
	PERF_TRIAL_ABSENT,
	/*
	 * The same pinned events as on the CPU before: the answer is the same.
	 */
	PERF_TRIAL_SAME,
	PERF_TRIAL_OTHER,
};

struct perf_trial *perf_trial_begin(struct pmu *pmu,
				    const struct perf_event *leader);
void perf_trial_end(struct perf_trial *trial);
DEFINE_FREE(perf_trial_end, struct perf_trial *, perf_trial_end(_T))

/* For each CPU: move there, imitate the pinned events, add events, clear. */
enum perf_trial_cpu perf_trial_move(struct perf_trial *trial, int cpu);
int perf_trial_imitate(struct perf_trial *trial, bool *exclusive);
bool perf_trial_add(struct perf_trial *trial,
		    const struct perf_event_attr *model);
bool perf_trial_is_empty(const struct perf_trial *trial);
bool perf_trial_lacked_memory(const struct perf_trial *trial);
void perf_trial_clear(struct perf_trial *trial);

#endif /* _KERNEL_EVENTS_CAPS_TRIAL_H */
