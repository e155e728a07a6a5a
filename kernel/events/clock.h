/* SPDX-License-Identifier: GPL-2.0 */
/* Room "clock": the time of contexts and the times of events. */
#ifndef _KERNEL_EVENTS_CLOCK_H
#define _KERNEL_EVENTS_CLOCK_H

#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include "types.h"

/* The clock that all perf times are differences of; any context, NMI too. */
static inline u64 perf_clock(void)
{
	return local_clock();
}

/* The clock that stamps the event's samples (attr.use_clockid). */
static inline u64 perf_event_clock(struct perf_event *event)
{
	return event->clock();
}

int perf_clock_choose(struct perf_event *event, clockid_t id);

/**
 * perf_ctx_clock_start_locked() - start the clock of a context
 * @ctx: context that is about to be loaded on this CPU
 *
 * Context: ctx->lock, interrupts off.
 */
static inline void perf_ctx_clock_start_locked(struct perf_ctx *ctx)
{
	u64 now = perf_clock();

	lockdep_assert_held(&ctx->lock);
	ctx->timestamp = now;
	WRITE_ONCE(ctx->timeoffset, ctx->time - now);
}

void perf_ctx_clock_update_locked(struct perf_ctx *ctx);

/* A cgroup's time on a CPU runs only while the cgroup runs there. */
#ifdef CONFIG_CGROUP_PERF
static inline struct perf_cpu_cgroup *
perf_event_cpu_cgroup(const struct perf_event *event)
{
	return per_cpu_ptr(event->cgrp->cpus, event->cpu);
}

void perf_cgroup_clock_start_locked(struct perf_cpu_cgroup *local,
				    const struct perf_ctx *ctx);
void perf_cgroup_clock_stop_locked(struct perf_cpu_cgroup *local,
				   const struct perf_ctx *ctx);
#endif

/* True unless the event has a cgroup that does not run on the event's CPU. */
static inline bool perf_event_cgroup_runs(const struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	return !event->cgrp || READ_ONCE(perf_event_cpu_cgroup(event)->runs);
#else
	return true;
#endif
}

/**
 * perf_ctx_clock_at() - compute a context's time at a clock value
 * @ctx: context, loaded on this CPU or nowhere
 * @now: value of perf_clock(), nanoseconds
 *
 * Context: any, NMI on the CPU of the context included.
 * Return: nanoseconds that @ctx has been loaded.
 */
static inline u64
perf_ctx_clock_at(const struct perf_ctx *ctx, u64 now)
{
	if (READ_ONCE(ctx->loaded_cpu) == PERF_CPU_NONE)
		return READ_ONCE(ctx->time);
	return now + READ_ONCE(ctx->timeoffset);
}

/* The sums are right up to @tstamp, and the times continue from there. */
static inline void perf_event_anchor_enabled(struct perf_event *event)
{
	WRITE_ONCE(event->enabled_offset,
		   event->total_time_enabled - event->tstamp);
}

static inline void perf_event_anchor_running(struct perf_event *event)
{
	WRITE_ONCE(event->running_offset,
		   event->total_time_running - event->tstamp);
}

/**
 * perf_event_time_anchor() - make the times continue from sums that were set
 * @event: event whose sums and @tstamp are up to date
 *
 * Context: ctx->lock, or the event is visible to nobody.
 */
static inline void perf_event_time_anchor(struct perf_event *event)
{
	perf_event_anchor_enabled(event);
	perf_event_anchor_running(event);
}

/* An event's enabled and running time, up to its context's clock. */
void perf_event_time_update(struct perf_event *event);
void perf_event_time_exchange(struct perf_event *on, struct perf_event *off);
void perf_event_time_at(const struct perf_event *event, u64 now,
			u64 *enabled, u64 *running);

#endif /* _KERNEL_EVENTS_CLOCK_H */
