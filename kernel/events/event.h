/* SPDX-License-Identifier: GPL-2.0 */
/* Room "event": allocate, account, free; one destructor. */
#ifndef _KERNEL_EVENTS_EVENT_H
#define _KERNEL_EVENTS_EVENT_H

#include "types.h"

/* Description of a new event. */
struct perf_event_spec {
	const struct perf_event_attr	*attr;
	int			cpu;
	struct task_struct	*task;
	struct perf_event	*group_leader;	/* NULL: its own */
	struct perf_event	*parent;	/* inherited copy of it */
	perf_overflow_handler_t	overflow_handler;
	void			*context;	/* of overflow_handler */
	int			cgroup_fd;	/* -1: none */
	bool			dry;		/* will not be installed */
};

/*
 * Return: an event in no context, accounted, state OFF or INACTIVE, with one
 * reference; or the errno of perf_event_open(2). In any case the last
 * perf_event_put() frees it.
 */
struct perf_event *perf_event_alloc(const struct perf_event_spec *spec);

/* Makes an event only to check whether a PMU takes it. */
struct perf_event *perf_event_alloc_trial(const struct perf_event_spec *spec,
					  struct pmu *pmu);

/* Releases resources of the PMU; the event has left its context for ever. */
void perf_event_leave_pmu(struct perf_event *event);

bool perf_event_exclusive_alone(const struct perf_event *event,
				const struct perf_ctx *ctx);

/**
 * perf_event_exclusive_fits() - check for other events of an exclusive PMU
 * @event: new event
 * @ctx: context it is about to be installed in
 *
 * Context: ctx->mutex held, and kept until the event is installed.
 * Return: false if the PMU is exclusive and @ctx has an event of it on any of
 * the CPUs of @event.
 */
static inline bool perf_event_exclusive_fits(const struct perf_event *event,
					     const struct perf_ctx *ctx)
{
	return !is_exclusive_pmu(event->pmu) ||
	       perf_event_exclusive_alone(event, ctx);
}

/* Takes an open event off its owner's list, context and group, then puts it. */
int perf_event_close(struct perf_event *event);

/* Folds the child's counts and times into its parent. */
void perf_event_fold_child(struct perf_event *child);

void perf_event_room_init(void);

#endif /* _KERNEL_EVENTS_EVENT_H */
