/* SPDX-License-Identifier: GPL-2.0 */
/* Room "cgroup": events that count for one cgroup and its descendants. */
#ifndef _KERNEL_EVENTS_CGROUP_H
#define _KERNEL_EVENTS_CGROUP_H

#include "types.h"

#ifdef CONFIG_CGROUP_PERF

/* Connects a new event with its cgroup, and disconnects it at its end. */
int perf_cgroup_connect(struct perf_event *event, int fd);
int perf_cgroup_equip(struct perf_event *event);
void perf_cgroup_disconnect(struct perf_event *event);

/*
 * An event is about to join its CPU's context, or to leave it; nothing happens
 * if it has no cgroup. @cpuctx is NULL when the CPU is offline. ctx->lock.
 */
void perf_cgroup_watch_locked(struct perf_event *event,
			      struct perf_cpu_context *cpuctx);
void perf_cgroup_unwatch_locked(struct perf_event *event);

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
