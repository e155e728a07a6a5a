/* SPDX-License-Identifier: GPL-2.0 */
/* Room "cgroup": events that count for one cgroup and its descendants. */
#ifndef _KERNEL_EVENTS_CGROUP_H
#define _KERNEL_EVENTS_CGROUP_H

#include <linux/cgroup.h>
#include "types.h"

#ifdef CONFIG_CGROUP_PERF

int perf_cgroup_connect(struct perf_event *event, int fd);
int perf_cgroup_equip(struct perf_event *event);
void perf_cgroup_start_watch_locked(struct perf_event *event,
				    struct perf_cpu_context *cpuctx);
void perf_cgroup_end_watch_locked(struct perf_event *event);

/**
 * perf_cgroup_disconnect() - drop an event's reference on its cgroup
 * @event: event that is being freed, perhaps without a cgroup
 *
 * RCU readers that found the event earlier may still look at the cgroup, which
 * is freed a grace period later.
 *
 * Context: task.
 */
static inline void perf_cgroup_disconnect(struct perf_event *event)
{
	if (event->cgrp)
		css_put(&event->cgrp->css);
}

/**
 * perf_cgroup_watch_locked() - account an event that is about to join
 * @event: event, with or without a cgroup, in no context yet
 * @cpuctx: this CPU, where the context is loaded, or NULL if it is loaded
 *	nowhere
 *
 * Context: ctx->lock, interrupts off; clock up to date.
 */
static inline void perf_cgroup_watch_locked(struct perf_event *event,
					    struct perf_cpu_context *cpuctx)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (event->cgrp)
		perf_cgroup_start_watch_locked(event, cpuctx);
}

/**
 * perf_cgroup_unwatch_locked() - unaccount an event that is about to leave
 * @event: event, with or without a cgroup, scheduled out; an event that has
 *	left its context before is not accounted any more
 *
 * Context: ctx->lock, interrupts off; clock up to date.
 */
static inline void perf_cgroup_unwatch_locked(struct perf_event *event)
{
	lockdep_assert_held(&perf_event_ctx(event)->lock);
	if (event->cgrp)
		perf_cgroup_end_watch_locked(event);
}

/* This CPU's own context is loaded, or about to be unloaded; its lock held. */
void perf_cgroup_load_locked(struct perf_cpu_context *cpuctx);
void perf_cgroup_unload_locked(struct perf_cpu_context *cpuctx);

void perf_cgroup_init(void);

/* For tests. */
#if IS_ENABLED(CONFIG_KUNIT)
struct perf_cgroup *perf_cgroup_common(struct perf_cgroup *a,
				       struct perf_cgroup *b);
bool perf_cgroup_is_within(struct perf_cgroup *cgrp,
			   const struct perf_cgroup *ancestor);
void perf_cgroup_switch_locked(struct perf_cpu_context *cpuctx,
			       struct perf_cgroup *to);
int perf_cgroup_prepare(struct perf_cgroup *cgrp);
#endif

#else /* !CONFIG_CGROUP_PERF */

static inline int perf_cgroup_connect(struct perf_event *event, int fd)
{
	return -EINVAL;
}

static inline int perf_cgroup_equip(struct perf_event *event)
{
	return -EINVAL;
}

static inline void perf_cgroup_disconnect(struct perf_event *event) { }

static inline void perf_cgroup_watch_locked(struct perf_event *event,
					    struct perf_cpu_context *cpuctx) { }
static inline void perf_cgroup_unwatch_locked(struct perf_event *event) { }
static inline void perf_cgroup_load_locked(struct perf_cpu_context *cpuctx) { }
static inline void perf_cgroup_unload_locked(struct perf_cpu_context *cpuctx) { }
static inline void perf_cgroup_init(void) { }

#endif /* !CONFIG_CGROUP_PERF */

#endif /* _KERNEL_EVENTS_CGROUP_H */
