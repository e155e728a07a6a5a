/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types that several rooms of the perf core share; data only.
 *
 * <linux/perf_event.h> has the part that drivers and the rest of the kernel see.
 * The relations, one on each line:
 *
 *   perf_cpu_context (per CPU)
 *     .ctx ------------- the CPU's own context, always loaded while online
 *     .task_ctx -------- the context of the running task, if it has events
 *   perf_event_context --1:n--> perf_event_pmu_context --1:n--> groups
 *   pmu --per CPU--> perf_cpu_pmu_context
 *     .epc ------------- this PMU's part of the CPU's own context
 *     .task_epc -------- this PMU's part of the loaded task context
 *   perf_cgroup --per CPU--> perf_cpu_cgroup --1:n--> groups of the CPU's own
 *	context that count for this cgroup only
 *
 * Locks, outermost first; the table with contexts and assertions is
 * Documentation/core-api/perf/locking.rst:
 *
 *   cpu hotplug > pmu registry > ctx->mutex
 *   exec_update_lock > task->perf_event_mutex > family->mutex > ctx->mutex of a
 *	pool > event->child_mutex > ctx->lock > family->lock
 *   ctx->mutex > task->perf_event_mutex, for breakpoints, which no pool has
 *   ctx->mutex > mmap_lock > event->mmap_mutex
 *   rq->lock > CPU ctx->lock > task ctx->lock
 *
 * NMI takes none of them.
 *
 * Legend of fields: I set once before others see it; M ctx->mutex; L ctx->lock;
 * ML both to write, either to read; C the owning CPU with interrupts off;
 * N NMI-safe, CPU-local; R RCU; A atomic; B event->mmap_mutex.
 */
#ifndef _KERNEL_EVENTS_TYPES_H
#define _KERNEL_EVENTS_TYPES_H

#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/perf_event.h>

/* A context that is loaded nowhere. */
#define PERF_CPU_NONE		(-1)

/* ctx->task of a context whose task has gone; no event is added to it. */
#define TASK_TOMBSTONE		((void *)-1L)

/* event->owner of an event that the kernel opened for itself. */
#define PERF_OWNER_KERNEL	((void *)-1L)

/* hw.interrupts of an event that was stopped for overflowing too often. */
#define MAX_INTERRUPTS		U32_MAX

/* C: work that may have to wait on a CPU; see perf_walk_defer_oncpu(). */
struct perf_late {
	struct llist_node	node;
	void			(*fn)(struct perf_late *late);
	bool			queued;
};

/* A CPU's data about contexts. Lock: ctx.lock of the same CPU. */
struct perf_cpu_context {
	/* The CPU's own events. */
	struct perf_event_context	ctx;
	/* L+C: loaded task context, NULL when the task has no events. */
	struct perf_event_context	*task_ctx;
	/* M (ctx.mutex): events may be opened here. */
	bool				online;
#ifdef CONFIG_CGROUP_PERF
	/* C: cgroup of the running task; NULL without events of cgroups. */
	struct perf_cgroup		*cgrp;
	/* L+C: events of cgroups here. */
	unsigned int			nr_cgroup_events;
#endif
};

/* State of a PMU on a CPU; only with CONFIG_PERF_EVENTS_DEBUG_STATE. */
enum perf_pmu_state {
	PERF_PMU_ENABLED,
	PERF_PMU_DISABLED,	/* cpc->disable_count is not 0 */
	PERF_PMU_ADDING,	/* disabled, in PERF_PMU_TXN_ADD */
	PERF_PMU_READING,	/* enabled, in PERF_PMU_TXN_READ */
};

/* A CPU's data about one PMU. */
struct perf_cpu_pmu_context {
	/* This PMU's part of the CPU's own context. */
	struct perf_event_pmu_context	epc;
	/* L+C: this PMU's part of the loaded task context. */
	struct perf_event_pmu_context	*task_epc;

	/* N: nesting of perf_pmu_disable(). */
	int				disable_count;
	/* N: follows the count and the transactions; see pmu.c. */
	enum perf_pmu_state		state;
	/* L+C: events on the hardware, and whether one excludes others. */
	int				active_oncpu;
	bool				exclusive;
	/* N: a group was throttled, and nothing was added since. */
	bool				throttled;

	/* L+C: link among the PMUs that a change of cgroup concerns. */
	struct list_head		cgroup_entry;
	/* L+C: a group of the cgroup that came found no room. */
	bool				crowded;

	/* C: users of pmu->sched_task(), linked while there are some. */
	struct list_head		sched_cb_entry;
	int				sched_cb_usage;

	/* The multiplexing timer; mux_lock protects mux_active. */
	raw_spinlock_t			mux_lock;
	struct hrtimer			mux_timer;
	ktime_t				mux_interval;
	bool				mux_active;

	/* Deferred by a walk: a turn, and a choice that a driver wants. */
	struct perf_late		late_turn;
	struct perf_late		late_resched;
};

#ifdef CONFIG_CGROUP_PERF
/*
 * A CPU's data about a cgroup that has had events. Lock: ctx.lock of the CPU's
 * own context. A cgroup runs on a CPU while a task of it, or of a descendant,
 * runs there.
 */
struct perf_cpu_cgroup {
	/* L+C: leaders of its groups here; number of all its events here. */
	struct list_head		groups;
	unsigned int			nr_events;
	/* L+C, N: the cgroup runs. Valid while there are events. */
	bool				runs;
	/* L+C, N: nanoseconds it has run, as of the last time it stopped. */
	u64				time;
	/* L+C, N: while it runs, its time less the context's. */
	u64				offset;
};

struct perf_cgroup {
	struct cgroup_subsys_state	css;
	/* I: number of ancestors. */
	unsigned int			depth;
	/* I once set: NULL until the first event of this cgroup is made. */
	struct perf_cpu_cgroup __percpu	*cpus;
};
#endif

static inline bool perf_event_is_kernel(struct perf_event *event)
{
	return READ_ONCE(event->owner) == PERF_OWNER_KERNEL;
}

/* True if the event's PMU has gone for ever: it can only be closed. */
static inline bool perf_event_is_revoked(const struct perf_event *event)
{
	return READ_ONCE(event->state) == PERF_EVENT_STATE_REVOKED;
}

/* True for an event of a cgroup, which has a CPU and is never inherited. */
static inline bool perf_event_has_cgroup(const struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	return event->cgrp;
#else
	return false;
#endif
}

static inline bool perf_ctx_is_task(const struct perf_event_context *ctx)
{
	return ctx->task;
}

#endif /* _KERNEL_EVENTS_TYPES_H */
