/* SPDX-License-Identifier: GPL-2.0 */
/* Room "caps": how many counters a PMU has, and how many are free. */
#ifndef _KERNEL_EVENTS_CAPS_H
#define _KERNEL_EVENTS_CAPS_H

#include <linux/perf_refuse.h>
#include "types.h"

/* More than any PMU has; a driver that accepts as many judges no groups. */
#define PERF_CAPS_GROUP_MAX	64

/* Would these events find counters? A question, and its answer. */
struct perf_fit {
	struct pmu			*pmu;
	/* -1: wherever the task runs. */
	int				cpu;
	/* Leader of an existing group, which does not compete with itself. */
	const struct perf_event		*leader;
	/* First pinned events of the same task, then the group. */
	unsigned int			nr_before;
	unsigned int			nr;
	bool				too_many;
	struct perf_event_attr		attr[PERF_CAPS_GROUP_MAX];
	/* PERF_FIT_* */
	u32				alone;
	u32				beside;
};

/* The files' contents. Return: 0; -ENODATA if unknown, -ENOMEM. */
int perf_caps_get_total(struct pmu *pmu, struct perf_pmu_counters *counters);
int perf_caps_get(struct pmu *pmu, struct perf_pmu_counters *counters);

/* Collects the events that have to fit, then finds out whether they do. */
void perf_fit_collect(struct perf_fit *fit, struct perf_event *event,
		      struct pmu *pmu, struct perf_ctx *ctx);
void perf_fit_judge(struct perf_fit *fit);

void perf_caps_init(void);

#endif /* _KERNEL_EVENTS_CAPS_H */
