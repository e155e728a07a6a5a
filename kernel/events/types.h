/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types that several rooms of the perf core share; data only.
 *
 * <linux/perf_event_types.h> has what drivers and the rest of the kernel see.
 * The relations, one on each line:
 *
 *   perf_cpu_context (per CPU)
 *     .ctx ------------- the CPU's own context, always loaded while online
 *     .task_ctx -------- the context of the running task, if it has events
 *   perf_ctx --1:n--> perf_pmu_ctx --1:n--> groups
 *   pmu --per CPU--> perf_cpu_pmu_context
 *     .epc ------------- PMU context of the CPU's own context
 *     .task_epc -------- PMU context of the loaded task context
 *   perf_cgroup --per CPU--> perf_cpu_cgroup --1:n--> groups of the CPU's own
 *	context that count for this cgroup only
 *
 * Locks, outermost first; the table with contexts and assertions is
 * Documentation/core-api/perf/locking.rst:
 *
 *   cpu hotplug > pmu registry > ctx->mutex
 *   exec_update_lock > task->perf_event_mutex > family->mutex > ctx->mutex of a
 *	pool > event->child_mutex > ctx->lock > family->lock
 *   ctx->mutex > task->perf_event_mutex, where a breakpoint is changed or freed;
 *	no deadlock with the line above: contexts of a pool have no breakpoints
 *   ctx->mutex > mmap_lock > event->mmap_mutex
 *   rq->lock > CPU ctx->lock > task ctx->lock
 *
 * NMI takes none of them.
 *
 * The legend of fields is in <linux/perf_event_types.h>.
 */
#ifndef _KERNEL_EVENTS_TYPES_H
#define _KERNEL_EVENTS_TYPES_H

#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

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

struct perf_family;

/**
 * struct perf_group_tree - groups that compete for a PMU
 */
struct perf_group_tree {
	/** @root: L, leaders by CPU, perf_event::group_service and id. */
	struct rb_root			root;
};

/**
 * struct perf_pmu_ctx - the events of a context on one PMU
 *
 * This is called a PMU context. An event belongs to one PMU context, and so to
 * one context, which has a PMU context for each PMU in use. A task's context
 * keeps those without events until it is freed or the PMU is unregistered.
 * Guarded like its events; freed after a grace period.
 */
struct perf_pmu_ctx {
	/** @pub: what drivers see; first, so that NULL stays NULL. */
	struct perf_event_pmu_context	pub;

	/** @pmu: I, the PMU. */
	struct pmu			*pmu;
	/** @ctx: I, the context. */
	struct perf_ctx			*ctx;
	/** @pmu_ctx_entry: ML, link in the context's list. */
	struct list_head		pmu_ctx_entry;
	/**
	 * @pinned_groups: L, groups that must be scheduled in whenever the
	 * context is.
	 */
	struct perf_group_tree		pinned_groups;
	/** @flexible_groups: L, groups that take turns. */
	struct perf_group_tree		flexible_groups;
	/**
	 * @least_service: L, the least service of any group at its last turn;
	 * it only grows from the first choice on.
	 */
	s64				least_service;

	/* Written at each switch and each choice. */

	/** @pinned_active: L, pinned groups that are scheduled in. */
	struct list_head		pinned_active;
	/** @flexible_active: L, flexible groups that are scheduled in. */
	struct list_head		flexible_active;
	/**
	 * @interval: L, nanoseconds between two choices, as of the current one.
	 */
	s64				interval;
	/**
	 * @chosen_at: L, context time of the current choice of flexible groups.
	 */
	u64				chosen_at;
	/** @choice: L, number of the current choice, which may wrap. */
	unsigned int			choice;
	/** @nr_waiting: L, groups that did not fit in the current choice. */
	unsigned int			nr_waiting;
	/**
	 * @nr_freq: L, events here that are scheduled in and in frequency mode.
	 */
	unsigned int			nr_freq;
	/**
	 * @chosen_cpu: L, CPU of the choice, if it left groups out and some are
	 * bound to a CPU; else PERF_CPU_NONE. An int would not fit into the
	 * cache line of these fields.
	 */
	s16				chosen_cpu;
	/**
	 * @whole: L, the set of the PMU context is its active events or, while
	 * the context is not loaded, those that will be active; see
	 * sched_set.c.
	 */
	bool				whole;
	/**
	 * @chosen: L, true while the choice is valid: no group was added or
	 * removed since.
	 */
	u8				chosen : 1;
	/** @rotate_necessary: L, true if a group waits that did not fit. */
	u8				rotate_necessary : 1;

	/* Written by opens and closes; @pmu_entry also by those of neighbours. */

	/** @pmu_entry: link in pmu->pmu_ctxs, under pmu->users_lock. */
	struct list_head		pmu_entry;
	/** @nr_events: L, events here. */
	unsigned int			nr_events;
	/** @refcount: A, one for each event here. */
	atomic_t			refcount;
	/** @embedded: I, in the per-CPU data of the PMU, never freed alone. */
	bool				embedded;
	/** @set_room: L, members for which @set has room. */
	u8				set_room;
	/** @turn_choice: L, last @choice in which a group left its turn. */
	unsigned int			turn_choice;
	/** @most_at: L, context time when @most_service was found. */
	u64				most_at;
	/** @most_service: L, the most service of a group; see groups.c. */
	s64				most_service;
	/** @turn_due: L, context time at which that choice was to end. */
	u64				turn_due;
	/** @turn_end: L, context time at which it has ended. */
	u64				turn_end;
	/**
	 * @copies_most: ctx->mutex, the most service with which copies begin, as
	 * of the last copy of the context that included new groups.
	 */
	s64				copies_most;
	/** @set: L, the set, NULL for none; see sched_set.c. */
	struct perf_sched_set		*set;
	/** @rcu_head: frees it. */
	struct rcu_head			rcu_head;
};

/* Members of a set; a PMU context with more active events has none. */
#define PERF_SET_EVENTS	27

/**
 * struct perf_sched_set - the set of a PMU context, as the core sees it
 */
struct perf_sched_set {
	/** @nr_pinned: L, members of pinned groups; they come first. */
	unsigned int			nr_pinned;
	/** @nr_freq: L, members in frequency mode. */
	u16				nr_freq;
	/** @samples: L, some member samples. */
	bool				samples;
	/** @pub: L, what the driver sees; last. */
	struct perf_event_set		pub;
};

/* kmalloc() would take 512 bytes for a larger one. */
static_assert(struct_size_t(struct perf_sched_set, pub.events,
			    PERF_SET_EVENTS) <= 256);

/**
 * struct perf_ctx - the events of a task, or of a CPU
 *
 * On 64 bits without debugging it has 192 bytes. With one more byte, kmalloc()
 * takes 256.
 */
struct perf_ctx {
	/** @pub: what drivers see; first, so that NULL stays NULL. */
	struct perf_event_context	pub;
	/**
	 * @lock: guards fields marked L; interrupts off, inside the run-queue
	 * lock. Never taken in NMI.
	 */
	raw_spinlock_t			lock;
	/**
	 * @loaded_cpu: L, CPU it is loaded on, -1 for none; changed there only.
	 */
	int				loaded_cpu;
	/** @time: L, nanoseconds that the context has been loaded. */
	u64				time;
	/** @timestamp: L, clock value at the last update of @time. */
	u64				timestamp;
	/**
	 * @timeoffset: L, @time less @timestamp; the time is the clock plus
	 * this.
	 */
	u64				timeoffset;
	/**
	 * @parked_cpu: L, CPU that parked it last or added it, -1 for none; in a
	 * family by CPU the CPU that it serves.
	 */
	int				parked_cpu;
	/**
	 * @held: L, number of users that forbid an exchange for an equal
	 * context.
	 */
	unsigned int			held;
	/**
	 * @equal: L, contexts with the same number have copies of the same
	 * events; 0 for a context that equals no other.
	 */
	u64				equal;

	/* Written when events come, go, are enabled or disabled. */

	/** @pmu_ctx_list: ML, struct perf_pmu_ctx, by type of PMU. */
	struct list_head		pmu_ctx_list;
	/**
	 * @enabled: L, exclusive-or of the numbers of the eldest of enabled
	 * events.
	 */
	u64				enabled;
	/**
	 * @family: L, tasks that share it, NULL for none; see
	 * family.h.
	 */
	struct perf_family		*family;
	/** @family_entry: among the contexts of @family. */
	struct list_head		family_entry;
	/** @event_list: MLR, all events. */
	struct list_head		event_list;

	/* Written by system calls, fork and exit; @spare_entry also by switches. */

	/** @mutex: guards fields marked M, for code that may sleep. */
	struct mutex			mutex;
	/** @nr_events: ML, length of @event_list. */
	int				nr_events;
	/**
	 * @summed: L, of the users in @held, those that add up counts by task.
	 */
	unsigned int			summed;
	/**
	 * @moving: L, it is being given back to its task: no reader begins to
	 * add up counts.
	 */
	bool				moving;
	/**
	 * @forking: A, its task is being made, and its fork may still fail; see
	 * addr_filter.c.
	 */
	bool				forking;
	/** @filters_late: A, an address filter was set meanwhile. */
	bool				filters_late;
	/** @of_cpu: I, it belongs to a CPU, and is in its perf_cpu_context. */
	bool				of_cpu;
	/** @refcount: A, one for the task or the CPU, one for each event. */
	refcount_t			refcount;
	union {
		/**
		 * @spare_entry: among the spare contexts of @family; under the
		 * lock of that.
		 */
		struct list_head	spare_entry;
		/** @rcu_head: frees it. */
		struct rcu_head		rcu_head;
	};
};

static_assert(!offsetof(struct perf_ctx, pub));
static_assert(!offsetof(struct perf_pmu_ctx, pub));

/* Members that begin a cache line; see design.rst. */
#define PERF_LINE_BEGINS(line, type, member)				\
	static_assert(!IS_ENABLED(CONFIG_64BIT) ||			\
		      sizeof(raw_spinlock_t) > sizeof(u32) ||		\
		      offsetof(type, member) == 64 * (line))

PERF_LINE_BEGINS(1, struct perf_ctx, pmu_ctx_list);
PERF_LINE_BEGINS(2, struct perf_ctx, mutex);
PERF_LINE_BEGINS(1, struct perf_pmu_ctx, pinned_active);
PERF_LINE_BEGINS(2, struct perf_pmu_ctx, pmu_entry);

static inline struct perf_ctx *perf_ctx_of(const struct perf_event_context *pub)
{
	return container_of(pub, struct perf_ctx, pub);
}

static inline struct perf_pmu_ctx *
perf_pmu_ctx_of(const struct perf_event_pmu_context *pub)
{
	return container_of(pub, struct perf_pmu_ctx, pub);
}

/* NULL while the event is made. */
static inline struct perf_ctx *perf_event_ctx(const struct perf_event *event)
{
	return perf_ctx_of(event->ctx);
}

/* NULL while the event is made, and after its end. */
static inline struct perf_pmu_ctx *
perf_event_pmu_ctx(const struct perf_event *event)
{
	return perf_pmu_ctx_of(event->pmu_ctx);
}

/* NULL without events; the family's handle for a member. May change. */
static inline struct perf_ctx *perf_task_ctx(const struct task_struct *task)
{
	return perf_ctx_of(READ_ONCE(task->perf_event_ctxp));
}

static inline bool perf_pmu_ctx_is_active(const struct perf_pmu_ctx *epc)
{
	return !list_empty(&epc->pinned_active) ||
	       !list_empty(&epc->flexible_active);
}

static inline bool perf_pmu_ctx_is_empty(const struct perf_pmu_ctx *epc)
{
	return RB_EMPTY_ROOT(&epc->pinned_groups.root) &&
	       RB_EMPTY_ROOT(&epc->flexible_groups.root);
}

/* A CPU's data about contexts. Lock: ctx.lock of the same CPU. */
struct perf_cpu_context {
	/* The CPU's own events. */
	struct perf_ctx			ctx;
	/* L+C: loaded task context, NULL when the task has no events. */
	struct perf_ctx			*task_ctx;
	/* I: the CPU. */
	int				cpu;
	/* C: events that are scheduled in here and in frequency mode. */
	unsigned int			nr_freq;
	/* C: calls of perf_sched_cb_inc() here without a perf_sched_cb_dec(). */
	unsigned int			sched_cb_users;
	/* C: number of the last tick. */
	unsigned int			tick;
	/* N: the value of tick when an event was throttled here last. */
	unsigned int			throttled_tick;
	/* M (ctx.mutex): events may be opened here. */
	bool				online;
#ifdef CONFIG_CGROUP_PERF
	/* C: cgroup of the running task; NULL without events of cgroups. */
	struct perf_cgroup		*cgrp;
	/* L+C: events of cgroups here. */
	unsigned int			nr_cgroup_events;
#endif
};

/* Return: the CPU that the context belongs to, -1 for a task's. */
static inline int perf_ctx_cpu(const struct perf_ctx *ctx)
{
	return ctx->of_cpu ?
	       container_of(ctx, struct perf_cpu_context, ctx)->cpu : -1;
}

/* State of a PMU on a CPU; only with CONFIG_PERF_EVENTS_DEBUG_STATE. */
enum perf_pmu_state {
	PERF_PMU_ENABLED,
	PERF_PMU_DISABLED,	/* cpc->disable_count is not 0 */
	PERF_PMU_ADDING,	/* disabled, in PERF_PMU_TXN_ADD */
	PERF_PMU_READING,	/* enabled, in PERF_PMU_TXN_READ */
};

/* The events of a PMU that were made on one CPU. */
struct perf_pmu_users {
	/* A leaf, taken with interrupts off. */
	raw_spinlock_t			lock;
	/* lock: the PMU is leaving, and no event may join. */
	bool				closed;
	/* lock: all events that the driver has accepted, until it drops them. */
	struct list_head		events;
};

/* A CPU's data about one PMU. */
struct perf_cpu_pmu_context {
	/* Used at each switch. */

	/* L+C: the PMU context of the loaded task context. */
	struct perf_pmu_ctx		*task_epc;
	/* N: nesting of perf_pmu_disable(). */
	int				disable_count;
	/* L+C: events on the hardware, and whether one excludes others. */
	int				active_oncpu;
	bool				exclusive;
	/* L+C: a group of the cgroup that came found no room. */
	bool				crowded;
	/*
	 * N: cpuctx->tick when an event was throttled here last, or a smaller
	 * number if that throttling has ended.
	 */
	unsigned int			throttled_tick;
	/* N: follows the count and the transactions; see pmu.c. */
	enum perf_pmu_state		state;
	/*
	 * L+C: the choice, and the number of active events, in which none of
	 * the waiting groups that were tried found room; -1 if that is unknown.
	 */
	unsigned int			full_choice;
	int				full_active;
	/* C: users of pmu->sched_task(), linked while there are some. */
	int				sched_cb_usage;
	struct list_head		sched_cb_entry;

	/* The PMU context of the CPU's own context. */
	struct perf_pmu_ctx		epc ____cacheline_aligned_in_smp;

	/* L+C: link among the PMUs that a change of cgroup concerns. */
	struct list_head		cgroup_entry;

	/* The multiplexing timer; mux_lock protects mux_active. */
	raw_spinlock_t			mux_lock;
	struct hrtimer			mux_timer;
	ktime_t				mux_interval;
	bool				mux_active;

	/* Deferred by a walk: a turn, and a choice that a driver wants. */
	struct perf_late		late_turn;
	struct perf_late		late_resched;

	/* For opens on this CPU, and closes on any. */
	struct perf_pmu_users		users ____cacheline_aligned_in_smp;
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

/* True if the event's PMU has gone for ever, and it was open at that time. */
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

static inline bool perf_ctx_is_task(const struct perf_ctx *ctx)
{
	return ctx->pub.task;
}

#endif /* _KERNEL_EVENTS_TYPES_H */
