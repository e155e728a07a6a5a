/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf events: what a PMU driver includes. It fills in a struct pmu, registers
 * it, and reports samples through perf_event_overflow() and the output helpers
 * of <linux/perf_event_sample.h>. See
 * Documentation/core-api/perf/pmu-driver.rst, and the legend in
 * <linux/perf_event_types.h>.
 */
#ifndef _LINUX_PERF_EVENT_PMU_H
#define _LINUX_PERF_EVENT_PMU_H

#include <linux/perf_event_types.h>
#include <linux/perf_event_sample.h>
#include <linux/perf_event_access.h>

#include <linux/device.h>
#include <linux/static_call.h>
#include <linux/sysfs.h>

struct kmem_cache;
struct mm_struct;
struct module;
struct perf_cpu_pmu_context;
struct perf_pmu_caps;

/* Argument of pmu::add, del, start and stop; see struct pmu. */
#define PERF_EF_START	0x01	/* add: start counting at once */
#define PERF_EF_RELOAD	0x02	/* start: program the counter from the period */
#define PERF_EF_UPDATE	0x04	/* stop: bring event->count up to date */
#define PERF_EF_PAUSE	0x08	/* stop: hold AUX tracing, nothing else */
#define PERF_EF_RESUME	0x10	/* start: resume AUX tracing */

/* hw_perf_event::state, maintained by the driver. */
#define PERF_HES_STOPPED	0x01	/* does not count */
#define PERF_HES_UPTODATE	0x02	/* event->count includes everything */
#define PERF_HES_ARCH		0x04	/* free for the architecture */

/* Kinds of transactions that pmu::start_txn opens. */
#define PERF_PMU_TXN_ADD  0x1	/* several add(), one test at the end */
#define PERF_PMU_TXN_READ 0x2	/* several read(), one access at the end */

/* pmu::capabilities: features that a PMU lacks, or has besides counting. */
#define PERF_PMU_CAP_NO_INTERRUPT	0x0001	/* cannot sample */
#define PERF_PMU_CAP_NO_NMI		0x0002	/* overflow is a plain IRQ */
#define PERF_PMU_CAP_AUX_NO_SG		0x0004	/* AUX: physically contiguous */
#define PERF_PMU_CAP_EXTENDED_REGS	0x0008	/* samples PERF_REG_EXTENDED */
#define PERF_PMU_CAP_EXCLUSIVE		0x0010	/* one event in a context */
#define PERF_PMU_CAP_ITRACE		0x0020	/* instruction trace */
#define PERF_PMU_CAP_NO_EXCLUDE		0x0040	/* no attr.exclude_* bits */
#define PERF_PMU_CAP_AUX_OUTPUT		0x0080	/* feeds another's AUX area */
#define PERF_PMU_CAP_EXTENDED_HW_TYPE	0x0100	/* PMU type in config[63:32] */
#define PERF_PMU_CAP_AUX_PAUSE		0x0200	/* PERF_EF_PAUSE and _RESUME */
#define PERF_PMU_CAP_AUX_PREFER_LARGE	0x0400	/* AUX: big chunks first */
#define PERF_PMU_CAP_CONFIG4		0x40000000 /* uses attr.config4 */

/**
 * struct perf_event_set - events that are scheduled in and out together
 * @serial: number of the set. No other set has it, of any context. It changes
 *	with the members, their order and their periods.
 * @nr: number of @events
 * @driver: for the driver; 0 in a new set
 * @events: members, all of the same PMU and context, in the order in which they
 *	were added
 */
struct perf_event_set {
	u64			serial;
	unsigned int		nr;
	u64			driver[2];
	struct perf_event	*events[];
};

/**
 * enum perf_pmu_scope - the CPUs for which one instance of a PMU counts
 * @PERF_PMU_SCOPE_NONE: not given; the driver maintains its own cpumask
 * @PERF_PMU_SCOPE_CORE: the threads of a core
 * @PERF_PMU_SCOPE_DIE: a die
 * @PERF_PMU_SCOPE_CLUSTER: a cluster of cores
 * @PERF_PMU_SCOPE_PKG: a package
 * @PERF_PMU_SCOPE_SYS_WIDE: the machine
 * @PERF_PMU_MAX_SCOPE: number of values above
 *
 * For any value but NONE the core opens events only on a CPU of the scope,
 * moves them at hotplug and shows a cpumask file in sysfs.
 */
enum perf_pmu_scope {
	PERF_PMU_SCOPE_NONE	= 0,
	PERF_PMU_SCOPE_CORE,
	PERF_PMU_SCOPE_DIE,
	PERF_PMU_SCOPE_CLUSTER,
	PERF_PMU_SCOPE_PKG,
	PERF_PMU_SCOPE_SYS_WIDE,
	PERF_PMU_MAX_SCOPE,
};

/* pmu::dev of a PMU that gets no device. */
#define PMU_NULL_DEV	((void *)(~0UL))

/* hw_perf_event::flags: the low bits are the architecture's own. */
#define PERF_EVENT_FLAG_ARCH			0x000fffff
#define PERF_EVENT_FLAG_USER_READ_CNT		0x80000000

static_assert(!(PERF_EVENT_FLAG_ARCH & PERF_EVENT_FLAG_USER_READ_CNT));

/*
 * ---------------------------------------------------------------------------
 * PMUs
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_pmu_counters - counters of a PMU on one CPU
 */
struct perf_pmu_counters {
	/** @general: number of counters that count any event, or nearly any. */
	unsigned int		general;
	/** @fixed: number of counters that count one event only. */
	unsigned int		fixed;
	/**
	 * @general_free: how many of @general a new pinned group of the CPU
	 * could have: counters that no pinned event of the CPU holds.
	 */
	unsigned int		general_free;
	/** @fixed_free: the same for @fixed. */
	unsigned int		fixed_free;
};

/**
 * struct pmu - a performance monitoring unit
 *
 * The driver fills in name, methods and flags and calls perf_pmu_register().
 * Optional methods may be NULL; after "optional" follows the core's default.
 *
 * "On the CPU" below means: called on the CPU where the event is or will be
 * scheduled in, interrupts off, the lock of the event's context held, and
 * between pmu_disable() and pmu_enable(). Such methods must not sleep, must not
 * take a lock that is ever held with interrupts on, and may be interrupted by
 * the PMU's own NMI. "In process context" means that the method may sleep.
 */
struct pmu {
	/** @entry: core, link in the registry. */
	struct list_head		entry;

	/** @module: I, owner, kept loaded while events of the PMU exist. */
	struct module			*module;
	/** @dev: core, its device on the event_source bus. */
	struct device			*dev;
	/** @parent: I, optional parent of that device. */
	struct device			*parent;
	/** @attr_groups: I, sysfs files: events, format, caps. */
	const struct attribute_group	**attr_groups;
	/** @attr_update: I, sysfs files added or hidden after @attr_groups. */
	const struct attribute_group	**attr_update;
	/** @name: I, name in sysfs and in the perf tool. */
	const char			*name;
	/** @type: I, attr.type that selects this PMU. */
	int				type;
	/** @capabilities: I, PERF_PMU_CAP_*. */
	int				capabilities;
	/** @scope: I, enum perf_pmu_scope. */
	unsigned int			scope;

	/** @leaving: core, the PMU accepts no event any more. */
	bool				leaving;
	/** @caps: core, results of trials about counters. */
	struct perf_pmu_caps		*caps;

	/** @cpu_pmu_context: core, data of each CPU. */
	struct perf_cpu_pmu_context __percpu *cpu_pmu_context;
	/**
	 * @task_ctx_nr: I, perf_hw_context for PMUs that task events may use,
	 * perf_sw_context if in addition their events always fit,
	 * perf_invalid_context for PMUs of CPU events only.
	 */
	int				task_ctx_nr;
	/**
	 * @hrtimer_interval_ms: length of a multiplexing turn in milliseconds,
	 * 0 for the default; written through sysfs.
	 */
	int				hrtimer_interval_ms;
	/** @nr_addr_filters: I, number of address filters an event can have. */
	unsigned int			nr_addr_filters;
	/**
	 * @task_ctx_cache: I, cache from which the core allocates a task's
	 * perf_event_pmu_context::task_ctx_data; NULL for none.
	 */
	struct kmem_cache		*task_ctx_cache;

	/**
	 * @pmu_enable: Undo pmu_disable(): write the collected changes to the
	 * hardware and let it count. Optional, does nothing.
	 *
	 * Context: on the CPU. The core nests calls; only the outermost one
	 * reaches the driver.
	 */
	void (*pmu_enable)(struct pmu *pmu);

	/**
	 * @pmu_disable: Stop every counter of this CPU at once, cheaply, so
	 * that methods may change them and no overflow comes in between.
	 * Optional, does nothing.
	 *
	 * Context: this CPU, interrupts off, possibly NMI.
	 */
	void (*pmu_disable)(struct pmu *pmu);

	/**
	 * @event_init: Decide whether @event can ever run here; if so, compute
	 * its hw fields. Set event->destroy if something must be given back.
	 *
	 * The group is not complete yet, but the leader is known: a driver
	 * should refuse a group that can never be scheduled in as a whole.
	 *
	 * Context: process context; the registry's SRCU read side. If @event
	 * joins a group and this is not a software PMU, also the mutex of the
	 * leader's context, so that the group does not change.
	 * Return: 0; -ENOENT if the event is for another PMU. Any other error
	 * is final and reaches user space: -ENODEV if the hardware is absent,
	 * -EBUSY if it is taken, -EINVAL for wrong parameters, -EOPNOTSUPP for
	 * parameters that this hardware does not support, -EACCES if the
	 * caller lacks a right.
	 */
	int (*event_init)(struct perf_event *event);

	/**
	 * @event_mapped: Notifies that the event's buffer was mapped into @mm;
	 * used to let user space read counters. Optional.
	 *
	 * Context: process context, @mm write-locked.
	 */
	void (*event_mapped)(struct perf_event *event, struct mm_struct *mm);

	/**
	 * @event_unmapped: Notifies that a mapping was removed, once for each.
	 * Optional.
	 *
	 * Context: process context, @mm locked, or dying.
	 */
	void (*event_unmapped)(struct perf_event *event, struct mm_struct *mm);

	/**
	 * @add: Give the event all resources that it needs (counter, shared
	 * registers). With PERF_EF_START let it count, without it leave it as
	 * @stop would. In a PERF_PMU_TXN_ADD transaction the driver may leave
	 * it to @commit_txn to check whether the event fits.
	 *
	 * Context: on the CPU.
	 * Return: 0, or a negative error if the event does not fit now. No
	 * program sees the error; the event waits for another turn.
	 */
	int (*add)(struct perf_event *event, int flags);

	/**
	 * @del: Stop the event, bring its count up to date, and take back the
	 * resources that @add gave. The event may be stopped already, with or
	 * without an update.
	 *
	 * Context: on the CPU.
	 */
	void (*del)(struct perf_event *event, int flags);

	/**
	 * @start: Let an added event count. With PERF_EF_RELOAD program the
	 * counter for hw.period_left first: @stop, or the driver itself, has
	 * brought the count up to date. With PERF_EF_RESUME only end a pause,
	 * and only if the event is not stopped.
	 *
	 * Context: on the CPU; also from the PMU's interrupt, which may be an
	 * NMI. PAUSE and RESUME exclude each other, but either may interrupt
	 * any other start() or stop().
	 */
	void (*start)(struct perf_event *event, int flags);

	/**
	 * @stop: Stop counting but keep the resources. With PERF_EF_UPDATE also
	 * do what @read does. With PERF_EF_PAUSE only pause an AUX trace, in as
	 * few steps as possible.
	 *
	 * The interrupt handler must call this or an equivalent if
	 * perf_event_overflow() returns non-zero: the event is throttled, and
	 * the core will call @start later.
	 *
	 * Context: as @start.
	 */
	void (*stop)(struct perf_event *event, int flags);

	/**
	 * @read: Add the difference to hw.prev_count to event->count and, for
	 * sampling events, subtract it from hw.period_left.
	 *
	 * Context: the CPU where the event is scheduled in, interrupts off, NMI
	 * possible; the PMU need not be disabled.
	 */
	void (*read)(struct perf_event *event);

	/**
	 * @start_txn: Open a transaction of the kind @txn_flags,
	 * PERF_PMU_TXN_*. A driver must ignore a transaction of a kind that it
	 * does not know, up to its end. Optional; without it a transaction just
	 * disables the PMU.
	 *
	 * Context: on the CPU.
	 */
	void (*start_txn)(struct pmu *pmu, unsigned int txn_flags);

	/**
	 * @commit_txn: Close the transaction. For additions, test whether all
	 * of them fit together. Optional, succeeds.
	 *
	 * Context: on the CPU.
	 * Return: 0; for additions a negative error if they do not fit, and
	 * then the transaction stays open until @cancel_txn.
	 */
	int (*commit_txn)(struct pmu *pmu);

	/**
	 * @cancel_txn: Drop the transaction. The core has called, or will call,
	 * @del for each event that @add accepted. Optional.
	 *
	 * Context: on the CPU.
	 */
	void (*cancel_txn)(struct pmu *pmu);

	/**
	 * @load: Do what @add does for each event of @set with PERF_EF_START,
	 * within a transaction. The state of the events is ACTIVE already. The
	 * core updates user pages. Optional, with @unload, for PMUs with
	 * events of tasks that do not trace; without them, and after an error,
	 * the core calls @add for each event. For single events
	 * that were loaded the core may call any other method, @del included.
	 *
	 * Context: on the CPU, when a task's context is loaded or unloaded,
	 * mostly in a task switch. The PMU is enabled, and interrupts of other
	 * events may come.
	 * Return: 0, or a negative error; then nothing has changed.
	 */
	int (*load)(struct pmu *pmu, struct perf_event_set *set);

	/**
	 * @unload: Do what @del does for each event of @set. All of them are
	 * scheduled in, by @load or by @add, and no other event of this PMU in
	 * the context is. None is throttled, unless an overflow came in this
	 * moment. Their state is ACTIVE until this returns.
	 *
	 * Context: as @load.
	 */
	void (*unload)(struct pmu *pmu, struct perf_event_set *set);

	/**
	 * @event_idx: Value for perf_event_mmap_page::index: the number of the
	 * counter that user space may read plus one, 0 for none. Optional, 0.
	 *
	 * Context: any, including NMI; the event may be scheduled out.
	 */
	int (*event_idx)(struct perf_event *event);

	/**
	 * @sched_task: Notifies that a task is switched in (@sched_in) or out
	 * on this CPU. Called only while perf_sched_cb_inc() has requested it;
	 * @pmu_ctx is the task's for this PMU, or the CPU's. Optional.
	 *
	 * Context: the scheduler's, run-queue lock held, PMU disabled.
	 */
	void (*sched_task)(struct perf_event_pmu_context *pmu_ctx,
			   struct task_struct *task, bool sched_in);

	/**
	 * @swap_task_ctx: Not called: contexts with data of a driver are not
	 * exchanged. Some drivers set it.
	 */
	void (*swap_task_ctx)(struct perf_event_pmu_context *prev_epc,
			      struct perf_event_pmu_context *next_epc);

	/**
	 * @setup_aux: Prepare an AUX area of @nr_pages pages for the event's
	 * CPU (event->cpu, -1 for any); @overwrite: true for a snapshot buffer,
	 * in which new data replaces old data. Optional; without it there is no
	 * AUX area.
	 *
	 * Context: process context, in mmap(2).
	 * Return: the driver's private data, NULL on failure.
	 */
	void *(*setup_aux)(struct perf_event *event, void **pages,
			   int nr_pages, bool overwrite);

	/**
	 * @free_aux: Free the data that @setup_aux returned. Required with
	 * @setup_aux.
	 *
	 * Context: process context, no user of the area left.
	 */
	void (*free_aux)(void *aux);

	/**
	 * @snapshot_aux: Copy the newest @size bytes of trace into a sample.
	 * This must not change the state of @event: the interrupt may have come
	 * in its start() or stop(). Optional; without it the event cannot be
	 * the source of PERF_SAMPLE_AUX.
	 *
	 * Context: an overflow interrupt of the event's CPU, NMI possible.
	 * Return: bytes copied, or a negative error.
	 */
	long (*snapshot_aux)(struct perf_event *event,
			     struct perf_output_handle *handle,
			     unsigned long size);

	/**
	 * @addr_filters_validate: Check whether the hardware supports this list
	 * of filters (struct perf_addr_filter). Required if @nr_addr_filters is
	 * not 0.
	 *
	 * Context: process context, context mutex held; not serialized against
	 * the methods on the CPU.
	 * Return: 0 or an error for the ioctl, usually -EOPNOTSUPP.
	 */
	int (*addr_filters_validate)(struct list_head *filters);

	/**
	 * @addr_filters_sync: Compute hw.addr_filters from the list and from
	 * event->addr_filter_ranges. Optional.
	 *
	 * Context: in perf_event_addr_filters_sync(), which the driver calls
	 * from @start; the list's lock is held.
	 */
	void (*addr_filters_sync)(struct perf_event *event);

	/**
	 * @aux_output_match: Check whether events of this PMU may write into
	 * the AUX area of @event, the leader of their group. Optional, no.
	 *
	 * Context: process context, when the event is opened.
	 * Return: non-zero for yes.
	 */
	int (*aux_output_match)(struct perf_event *event);

	/**
	 * @filter: Check whether this PMU is absent on @cpu, as on machines
	 * with different kinds of cores. Optional, it is present.
	 *
	 * Context: that CPU, interrupts off, context lock held.
	 * Return: true if it is absent.
	 */
	bool (*filter)(struct pmu *pmu, int cpu);

	/**
	 * @check_period: Check whether @value is valid as a new period. With
	 * random periods it is the shortest of them. Optional, any is valid.
	 *
	 * Context: process context, context mutex held.
	 * Return: 0, or any error if it is not; the ioctl returns -EINVAL.
	 */
	int (*check_period)(struct perf_event *event, u64 value);

	/**
	 * @counters: Report the number of counters on this CPU, and how many of
	 * them no pinned event of the CPU holds. Counters of flexible events
	 * and of events of tasks are free. Optional; without it the core tries
	 * which groups @event_init accepts, if the PMU counts generic events,
	 * and otherwise reports no numbers.
	 *
	 * Context: this CPU, interrupts off, its context locked, so
	 * perf_event_is_pinned_to_cpu() may be called for events that are
	 * scheduled in.
	 * Return: 0, or -ENODEV if the PMU is not on this CPU.
	 */
	int (*counters)(struct pmu *pmu, struct perf_pmu_counters *counters);

	/* Opens and closes on other CPUs write what follows. */

	/**
	 * @exclusive_cnt: A, for PERF_PMU_CAP_EXCLUSIVE: above zero, that many
	 * task events exist; below zero, CPU events. Never both.
	 */
	atomic_t			exclusive_cnt;
	/**
	 * @users_lock: core, guards @pmu_ctxs and changes of @leaving. A leaf,
	 * taken with interrupts off. It is far from what each open reads.
	 */
	raw_spinlock_t			users_lock;
	/** @pmu_ctxs: core, the PMU contexts of this PMU. */
	struct list_head		pmu_ctxs;
};

#ifdef CONFIG_PERF_EVENTS

static inline int is_exclusive_pmu(struct pmu *pmu)
{
	return pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE;
}

static inline bool has_aux(struct perf_event *event)
{
	return event->pmu->setup_aux;
}

static inline bool has_addr_filter(struct perf_event *event)
{
	return event->pmu->nr_addr_filters;
}

/* Registration. */
int perf_pmu_register(struct pmu *pmu, const char *name, int type);
void perf_pmu_unregister(struct pmu *pmu);
/* Moves all events of a PMU to another CPU when a CPU goes offline. */
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu);

/* Disables and enables a PMU on this CPU; calls nest. */
void perf_pmu_disable(struct pmu *pmu);
void perf_pmu_enable(struct pmu *pmu);
/* Chooses again which groups are scheduled in on a PMU of this CPU. */
void perf_pmu_resched(struct pmu *pmu);

/* Request pmu::sched_task on this CPU, and end the request. */
void perf_sched_cb_inc(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);
/* The task context that is loaded on this CPU, NULL for none. */
struct perf_event_context *perf_cpu_task_ctx(void);

/*
 * Overflows. If the result is not 0 the driver must stop the event. The second
 * function is for interrupts without a sample: it only throttles.
 */
int perf_event_overflow(struct perf_event *event,
			struct perf_sample_data *data, struct pt_regs *regs);
int perf_event_account_interrupt(struct perf_event *event);
/* Reports the time of a handler in nanoseconds; may lower the rate limit. */
void perf_sample_event_took(u64 sample_len_ns);
/* Reports samples that hardware or driver had to drop. */
void perf_log_lost_samples(struct perf_event *event, u64 lost);
/* Next period of an event that the kernel itself counts; returns overflows. */
u64 perf_swevent_set_period(struct perf_event *event);

/* Updates the user page. */
void perf_event_update_userpage(struct perf_event *event);

/*
 * AUX areas. Between begin and end the hardware owns the space that the handle
 * describes.
 */
void *perf_aux_output_begin(struct perf_output_handle *handle,
			    struct perf_event *event);
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size);
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size);
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags);
void *perf_get_aux(struct perf_output_handle *handle);
long perf_output_copy_aux(struct perf_output_handle *aux_handle,
			  struct perf_output_handle *handle,
			  unsigned long from, unsigned long to);
void perf_event_itrace_started(struct perf_event *event);
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id);
void perf_event_addr_filters_sync(struct perf_event *event);

#else /* !CONFIG_PERF_EVENTS */

static inline void *perf_aux_output_begin(struct perf_output_handle *handle,
					  struct perf_event *event)
{
	return NULL;
}

static inline void perf_aux_output_end(struct perf_output_handle *handle,
				       unsigned long size) { }

static inline int perf_aux_output_skip(struct perf_output_handle *handle,
				       unsigned long size)
{
	return -EINVAL;
}

static inline void *perf_get_aux(struct perf_output_handle *handle)
{
	return NULL;
}

static inline u64 perf_swevent_set_period(struct perf_event *event)
{
	return 0;
}

#endif /* CONFIG_PERF_EVENTS */

/* Defined by the architecture: fill in the clock part of the user page. */
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now);

/*
 * Records the latest branches at any point of the kernel, for BPF. @cnt: slots
 * at @entries. Returns the number of slots that were filled. The branches on
 * the way to the driver would overwrite the recorded ones, so the recorder must
 * be stopped within a few instructions. Therefore the driver sets a static
 * call.
 */
typedef int (perf_snapshot_branch_stack_t)(struct perf_branch_entry *entries,
					   unsigned int cnt);
DECLARE_STATIC_CALL(perf_snapshot_branch_stack, perf_snapshot_branch_stack_t);

#ifndef PERF_NEEDS_LOPWR_CB
/* Notifies the PMU that this CPU enters (@mode) or leaves deep idle. */
static inline void perf_lopwr_cb(bool mode) { }
#endif

/*
 * ---------------------------------------------------------------------------
 * sysfs files of a PMU
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_pmu_events_attr - a file in the events folder
 */
struct perf_pmu_events_attr {
	/** @attr: the file. */
	struct device_attribute		attr;
	/** @id: the event, for @attr.show. */
	u64				id;
	/** @event_str: the event as text, instead. */
	const char			*event_str;
};

/**
 * struct perf_pmu_events_ht_attr - the same where threads share a core
 */
struct perf_pmu_events_ht_attr {
	/** @attr: the file. */
	struct device_attribute		attr;
	/** @id: the event. */
	u64				id;
	/** @event_str_ht: text if hyper-threading is on. */
	const char			*event_str_ht;
	/** @event_str_noht: text if it is off. */
	const char			*event_str_noht;
};

/**
 * struct perf_pmu_events_hybrid_attr - the same for different kinds of cores
 */
struct perf_pmu_events_hybrid_attr {
	/** @attr: the file. */
	struct device_attribute		attr;
	/** @id: the event. */
	u64				id;
	/**
	 * @event_str: text, variants for the kinds of core separated by
	 * semicolons.
	 */
	const char			*event_str;
	/** @pmu_type: kinds of cores that have the event, a bit each. */
	u64				pmu_type;
};

/**
 * struct perf_pmu_format_hybrid_attr - a file in the format folder, likewise
 */
struct perf_pmu_format_hybrid_attr {
	/** @attr: the file. */
	struct device_attribute		attr;
	/** @pmu_type: kinds of cores that have the field, a bit each. */
	u64				pmu_type;
};

/* Shows perf_pmu_events_attr::event_str. */
ssize_t perf_event_sysfs_show(struct device *dev, struct device_attribute *attr,
			      char *page);

/* Defines @_var, the file @_name that @_show prints from @_id. */
#define PMU_EVENT_ATTR(_name, _var, _id, _show)				\
static struct perf_pmu_events_attr _var = {				\
	.attr = __ATTR(_name, 0444, _show, NULL),			\
	.id = _id,							\
};

/* Defines @_var, the file @_name that reads @_str. */
#define PMU_EVENT_ATTR_STRING(_name, _var, _str)			\
static struct perf_pmu_events_attr _var = {				\
	.attr = __ATTR(_name, 0444, perf_event_sysfs_show, NULL),	\
	.id = 0,							\
	.event_str = _str,						\
};

/* An unnamed file, for tables: evaluates to its struct attribute pointer. */
#define PMU_EVENT_ATTR_ID(_name, _show, _id)				\
	(&((struct perf_pmu_events_attr[]) {				\
		{ .attr = __ATTR(_name, 0444, _show, NULL),		\
		  .id = _id, }						\
	})[0].attr.attr)

/* Defines the show function of a format file. */
#define PMU_FORMAT_ATTR_SHOW(_name, _format)				\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *page)	\
{									\
	BUILD_BUG_ON(sizeof(_format) >= PAGE_SIZE);			\
	return sprintf(page, _format "\n");				\
}

/* Defines the format file @_name with its show function. */
#define PMU_FORMAT_ATTR(_name, _format)					\
	PMU_FORMAT_ATTR_SHOW(_name, _format)				\
									\
static struct device_attribute format_attr_##_name = __ATTR_RO(_name)

#endif /* _LINUX_PERF_EVENT_PMU_H */
