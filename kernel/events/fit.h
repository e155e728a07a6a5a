/* SPDX-License-Identifier: GPL-2.0 */
/* Room "fit": would a group that is about to be opened find counters? */
#ifndef _KERNEL_EVENTS_FIT_H
#define _KERNEL_EVENTS_FIT_H

#include <linux/perf_refuse.h>
#include "caps.h"
#include "types.h"

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

/* Collects the events that have to fit, then finds out whether they do. */
void perf_fit_collect(struct perf_fit *fit, struct perf_event *event,
		      struct pmu *pmu, struct perf_ctx *ctx);
void perf_fit_judge(struct perf_fit *fit);

#endif /* _KERNEL_EVENTS_FIT_H */
