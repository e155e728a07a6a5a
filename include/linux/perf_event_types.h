/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf events: struct perf_event, and functions that query it. The other
 * headers of perf include this one.
 *
 * Descriptions of fields begin with a legend of access rules:
 *
 *   I  set once, before the object can be found
 *   M  written under the context's mutex (with ML: under both mutex and lock;
 *      then either one is enough to read)
 *   L  written under the context's lock
 *   C  only by the CPU that owns it, interrupts off
 *   N  by the owning CPU, from NMI as well; single words, no lock
 *   R  may be read under RCU
 *   A  atomic, by any CPU
 *   B  the event's mmap_mutex
 *   D  belongs to the PMU driver
 *   P  in struct perf_event: code outside of the core may use the field. All
 *      other fields are the core's; ./perflab check private compiles that code
 *      without them
 *
 * Parameters, contexts and errors of a function are described at its
 * definition. Headers only say what functions are for.
 *
 * Code outside of the core sees only these parts of contexts. The core's own
 * structures, in kernel/events/types.h, contain them.
 */
#ifndef _LINUX_PERF_EVENT_TYPES_H
#define _LINUX_PERF_EVENT_TYPES_H

#include <uapi/linux/perf_event.h>

#ifdef CONFIG_PERF_EVENTS
# include <asm/local64.h>
#endif

#ifdef CONFIG_HAVE_HW_BREAKPOINT
# include <linux/rhashtable-types.h>
# include <asm/hw_breakpoint.h>
#endif

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct bpf_prog;
struct event_filter;
struct fasync_struct;
struct perf_buffer;
struct perf_cgroup;
struct perf_event;
struct perf_sample_data;
struct pid_namespace;
struct pmu;
struct pt_regs;
struct task_struct;
struct trace_event_call;

/*
 * ---------------------------------------------------------------------------
 * Constants
 * ---------------------------------------------------------------------------
 */

/**
 * enum perf_event_state - the states of an event
 * @PERF_EVENT_STATE_DEAD: being destroyed; no other state follows
 * @PERF_EVENT_STATE_REVOKED: its PMU is gone; the owner can only close it
 * @PERF_EVENT_STATE_EXIT: its task or CPU is gone, the final count can still be
 *	read
 * @PERF_EVENT_STATE_ERROR: a pinned event that does not fit, which an explicit
 *	enable revives; or a sibling that has lost its leader, for ever if it
 *	cannot count without one
 * @PERF_EVENT_STATE_OFF: disabled by its owner
 * @PERF_EVENT_STATE_INACTIVE: enabled, waiting for its turn or its task
 * @PERF_EVENT_STATE_ACTIVE: on the PMU of the CPU named by @oncpu
 *
 * Enabled time advances from INACTIVE upwards, running time in ACTIVE. Code
 * outside of the core may read the state, and must not write it.
 */
enum perf_event_state {
	PERF_EVENT_STATE_DEAD		= -5,
	PERF_EVENT_STATE_REVOKED	= -4,
	PERF_EVENT_STATE_EXIT		= -3,
	PERF_EVENT_STATE_ERROR		= -2,
	PERF_EVENT_STATE_OFF		= -1,
	PERF_EVENT_STATE_INACTIVE	=  0,
	PERF_EVENT_STATE_ACTIVE		=  1,
};

/* perf_event::attach_state: steps that must be undone when the event ends. */
#define PERF_ATTACH_CONTEXT	0x0001	/* listed in its context */
#define PERF_ATTACH_GROUP	0x0002	/* linked to its group leader */
#define PERF_ATTACH_TASK	0x0004	/* follows a task, hw.target is set */
#define PERF_ATTACH_TASK_DATA	0x0008	/* needs task_ctx_data; set by driver */
#define PERF_ATTACH_ITRACE	0x0010	/* PERF_RECORD_ITRACE_START was sent */
#define PERF_ATTACH_SCHED_CB	0x0020	/* needs pmu::sched_task; by driver */
#define PERF_ATTACH_CHILD	0x0040	/* on its parent's child list */
#define PERF_ATTACH_EXCLUSIVE	0x0080	/* holds the PMU's exclusive_cnt */
#define PERF_ATTACH_CALLCHAIN	0x0100	/* holds the callchain buffers */
#define PERF_ATTACH_SHOWS_ALL	0x0200	/* may be sampled in any task */

/*
 * perf_event::event_caps, set by pmu::event_init. group_caps of a leader has
 * the bits that all events of the group have in common.
 *
 * SOFTWARE         can be added at any time on any CPU, always fits
 * READ_ACTIVE_PKG  a CPU event whose count is the same on every CPU of the
 *                  package
 * SIBLING          cannot be a leader; when its group dissolves it goes to the
 *                  error state permanently
 * READ_SCOPE       as READ_ACTIVE_PKG, for the CPUs of pmu::scope
 */
#define PERF_EV_CAP_SOFTWARE		BIT(0)
#define PERF_EV_CAP_READ_ACTIVE_PKG	BIT(1)
#define PERF_EV_CAP_SIBLING		BIT(2)
#define PERF_EV_CAP_READ_SCOPE		BIT(3)

/*
 * ---------------------------------------------------------------------------
 * Data of the driver in an event
 * ---------------------------------------------------------------------------
 */

/**
 * struct hw_perf_event_extra - a register that several events have to share
 */
struct hw_perf_event_extra {
	/** @config: D, value that the event needs in the register. */
	u64			config;
	/** @reg: D, address or index of the register. */
	unsigned int		reg;
	/** @alloc: D, this event holds a reference on the register. */
	int			alloc;
	/**
	 * @idx: D, slot of the register in the driver's table of shared
	 * registers.
	 */
	int			idx;
};

/**
 * struct hw_perf_event - a PMU's data in an event
 *
 * The first union has one view for each class of PMUs. A driver uses one of the
 * views. Of the other fields it may read the period fields and @target. A trace
 * unit records no branches, so its address filters share the memory of
 * @branch_reg, and it may also use the other fields of the counters' view. An
 * overflow uses the fields from @state to the stamps, 64 bytes.
 */
struct hw_perf_event {
#ifdef CONFIG_PERF_EVENTS
	/* Written at each switch, or at overflows. */
	/** @state: D, N, PERF_HES_*. */
	int				state;
	/**
	 * @interrupts: N, overflows in a tick, or the mark of a throttled
	 * event.
	 */
	u32				interrupts;
	/**
	 * @prev_count: N, raw counter at the last update. Updates exchange it
	 * with local64_cmpxchg(), so that an NMI in the middle of one is
	 * harmless.
	 */
	local64_t			prev_count;
	/**
	 * @sample_period: L, in frequency mode N: events from one overflow to
	 * the next; in frequency mode the core adjusts it at overflows.
	 */
	u64				sample_period;
	union {
		struct {
			/**
			 * @last_period: N, value of @sample_period when this
			 * period began.
			 */
			u64		last_period;
			/**
			 * @period_left: N, events until the overflow. A signed
			 * 64-bit number: periods may exceed the counter's
			 * width, and the number is negative between an overflow
			 * and its handling.
			 */
			local64_t	period_left;
		};
		struct {
			/**
			 * @saved_metric: C, top-down events: metrics register
			 * of a task switched out.
			 */
			u64		saved_metric;
			/**
			 * @saved_slots: C, top-down events: slots counter of a
			 * task switched out.
			 */
			u64		saved_slots;
		};
	};

	/** @interrupts_seq: N, tick to which @interrupts belongs. */
	u64				interrupts_seq;
	union {
		/* counters */
		struct {
			/**
			 * @config: I, D, selector as the driver computed it
			 * from attr.
			 */
			u64				config;
			/**
			 * @last_tag: D, shows whether another event has used
			 * the counter meanwhile.
			 */
			u64				last_tag;
			/** @config_base: D, address of the control register. */
			unsigned long			config_base;
			/** @event_base: D, address of the count register. */
			unsigned long			event_base;
			/**
			 * @event_base_rdpmc: D, number of the same counter for
			 * RDPMC or the like.
			 */
			int				event_base_rdpmc;
			/** @idx: D, counter in use, -1 for none. */
			int				idx;
			/** @last_cpu: D, CPU where @idx was last in use. */
			int				last_cpu;
			/** @flags: D, PERF_EVENT_FLAG_*. */
			int				flags;
			/**
			 * @extra_reg: D, shared register of the event (offcore
			 * and such).
			 */
			struct hw_perf_event_extra	extra_reg;
			union {
				/**
				 * @branch_reg: D, shared register of the branch
				 * recorder.
				 */
				struct hw_perf_event_extra	branch_reg;
				struct {
					/**
					 * @addr_filters: D, trace units:
					 * address filters in the hardware's
					 * format.
					 */
					void		*addr_filters;
					/**
					 * @addr_filters_gen: C, trace units:
					 * generation of the filters in
					 * @addr_filters.
					 */
					unsigned long	addr_filters_gen;
				};
			};
		};
		/* trace units */
		struct {
			/**
			 * @aux_config: D, AUX: configuration of the trace unit.
			 */
			u64				aux_config;
			/**
			 * @aux_paused: N, AUX: tracing is paused. Not a bit of
			 * @state, which changes under other rules and at other
			 * times.
			 */
			unsigned int			aux_paused;
		};
		/* cpu-clock, task-clock */
		struct {
			/** @hrtimer: C, clock events: the sampling timer. */
			struct hrtimer			hrtimer;
		};
		/* tracepoints */
		struct {
			/**
			 * @tp_list: tracepoints: link in the list of the event
			 * class.
			 */
			struct list_head		tp_list;
		};
		/* amd_power */
		struct {
			/** @pwr_acc: D, amd_power: accumulator last seen. */
			u64				pwr_acc;
			/** @ptsc: D, amd_power: its timestamp. */
			u64				ptsc;
		};
#ifdef CONFIG_HAVE_HW_BREAKPOINT
		/* breakpoints */
		struct {
			/** @info: breakpoints: the architecture's slot. */
			struct arch_hw_breakpoint	info;
			/**
			 * @bp_list: breakpoints: link in the constraint tables.
			 */
			struct rhlist_head		bp_list;
		};
#endif
		/* amd_iommu */
		struct {
			/** @iommu_bank: D, amd_iommu: bank. */
			u8				iommu_bank;
			/** @iommu_cntr: D, amd_iommu: counter in the bank. */
			u8				iommu_cntr;
			/** @padding: amd_iommu: unused. */
			u16				padding;
			/** @conf: D, amd_iommu: selector. */
			u64				conf;
			/** @conf1: D, amd_iommu: second selector. */
			u64				conf1;
		};
	};

	union {
		/* attr.freq */
		struct {
			/**
			 * @freq_time_stamp: N, frequency mode: running time
			 * when the window began.
			 */
			u64		freq_time_stamp;
			/**
			 * @freq_count_stamp: N, frequency mode: count at that
			 * time.
			 */
			u64		freq_count_stamp;
		};
		/* a period */
		struct {
			/**
			 * @random_key: C, random periods: the key from which
			 * all are computed.
			 */
			u32		random_key;
			/**
			 * @random_seq: N, random periods: the number of the
			 * current one.
			 */
			u32		random_seq;
			/**
			 * @random_share: C, random periods: largest distance
			 * from the mean, in units of 2^-31 of the mean; 0 for
			 * fixed periods.
			 */
			u32		random_share : 31;
			/**
			 * @random_fresh: C, random periods: the first period
			 * has not begun.
			 */
			u32		random_fresh : 1;
			/**
			 * @random_children: random periods: number of copies
			 * that were given keys, under the eldest's child_mutex.
			 */
			u32		random_children;
		};
	};

	/**
	 * @target: I, task of a per-task event, set before pmu::event_init
	 * runs, when the event has no context yet.
	 */
	struct task_struct		*target;
#endif /* CONFIG_PERF_EVENTS */
};

/*
 * ---------------------------------------------------------------------------
 * Address filters
 * ---------------------------------------------------------------------------
 */

/**
 * enum perf_addr_filter_action_t - action of a trace unit at an address
 * @PERF_ADDR_FILTER_ACTION_STOP: stops tracing
 * @PERF_ADDR_FILTER_ACTION_START: starts tracing
 * @PERF_ADDR_FILTER_ACTION_FILTER: traces inside the range only
 */
enum perf_addr_filter_action_t {
	PERF_ADDR_FILTER_ACTION_STOP = 0,
	PERF_ADDR_FILTER_ACTION_START,
	PERF_ADDR_FILTER_ACTION_FILTER,
};

/**
 * struct perf_addr_filter - one filter as PERF_EVENT_IOC_SET_FILTER gave it
 */
struct perf_addr_filter {
	/** @entry: link in perf_addr_filters_head::list. */
	struct list_head		entry;
	/**
	 * @path: I, file; the filter applies to its mappings. Empty for kernel
	 * addresses.
	 */
	struct path			path;
	/** @offset: I, start, in the file or in the kernel's address space. */
	unsigned long			offset;
	/** @size: I, bytes; 0 for a single address. */
	unsigned long			size;
	/** @action: I, action there. */
	enum perf_addr_filter_action_t	action;
};

/**
 * struct perf_addr_filters_head - the filters of an event and its copies
 *
 * Only the list of the eldest is used; see perf_event_addr_filters().
 */
struct perf_addr_filters_head {
	/** @list: @lock, struct perf_addr_filter. */
	struct list_head		list;
	/**
	 * @lock: guards the list and the filter generations of the event
	 * and its copies; taken with interrupts off, inside the context lock.
	 */
	raw_spinlock_t			lock;
	/** @nr_file_filters: @lock, how many of them name a file. */
	unsigned int			nr_file_filters;
};

/**
 * struct perf_addr_filter_range - where a file filter applies in this process
 */
struct perf_addr_filter_range {
	/** @start: first virtual address, 0 while the file is not mapped. */
	unsigned long			start;
	/** @size: bytes. */
	unsigned long			size;
};

/*
 * ---------------------------------------------------------------------------
 * Events and contexts
 * ---------------------------------------------------------------------------
 */

/*
 * Called at an overflow: perf_event_output_forward() or _backward() for events
 * of user space, a callback of the owner for kernel counters, a BPF trampoline.
 * Any context, including NMI.
 */
typedef void (*perf_overflow_handler_t)(struct perf_event *event,
					struct perf_sample_data *data,
					struct pt_regs *regs);

/**
 * struct perf_sample_layout - an event's sample format, computed at open
 */
struct perf_sample_layout {
	/**
	 * @type: PERF_SAMPLE_* fields that its samples carry, including fields
	 * that others need.
	 */
	u32				type;
	/**
	 * @fixed: bytes of the fields whose size does not vary from sample to
	 * sample, record header not counted.
	 */
	u16				fixed;
	/**
	 * @trailer: bytes of the identity at the end of other records, 0
	 * without attr.sample_id_all.
	 */
	u16				trailer;
};

/**
 * struct perf_event - an event
 *
 * An event is freed a grace period after the last reference was put.
 *
 * Fields that one path uses are adjacent: with CONFIG_CGROUP_PERF and lines of
 * 64 bytes, counting uses the first line, and in software two of @hw and @attr.
 */
struct perf_event {
#ifdef CONFIG_PERF_EVENTS
	/*
	 * Up to @hw each part has one cache line of 64 bytes, on 64 bits; event.c
	 * checks that. The first one is read whenever the event is scheduled, and
	 * that of an opened event by all CPUs that run its copies. It is written
	 * only when the event or its group changes, or is throttled.
	 */
	/** @attach_state: P, ML, PERF_ATTACH_*. */
	unsigned int			attach_state;
	/**
	 * @cpu: P, M, CPU it is bound to, -1 for any CPU of its task. Changes
	 * only in perf_pmu_migrate_context().
	 */
	int				cpu;
	/**
	 * @pmu: P, R, PMU whose methods it uses. When that PMU is unregistered,
	 * it is set to a PMU that does nothing.
	 */
	struct pmu			*pmu;
	/**
	 * @pmu_ctx: P, ML, PMU context in which it is scheduled, NULL after
	 * its end. For a software event in a hardware group this is the one
	 * of the hardware PMU, which may differ from @pmu.
	 */
	struct perf_event_pmu_context	*pmu_ctx;
	/**
	 * @ctx: P, ML, its context; changes when it moves to another CPU, PMU
	 * context or part of its family.
	 */
	struct perf_event_context	*ctx;
	/** @group_leader: P, ML, itself when alone. */
	struct perf_event		*group_leader;
	/** @event_caps: P, I, PERF_EV_CAP_*. */
	u8				event_caps;
	/**
	 * @group_caps: ML, leader: bits of @event_caps that all its events
	 * have.
	 */
	u8				group_caps;
	/**
	 * @stopped: L, stopped with its group, which is throttled; started
	 * again before it is taken off the PMU, unless it is a clock.
	 */
	bool				stopped;
	/**
	 * @left_turn: L, flexible leader: the rest of a turn that it has left
	 * counts as its service.
	 */
	bool				left_turn;
	/** @nr_siblings: ML, leader: number of its siblings. */
	int				nr_siblings;
	/**
	 * @sibling_list: P, ML, leader: head of its siblings; sibling: link.
	 * Walk it with for_each_sibling_event().
	 */
	struct list_head		sibling_list;

	/* Written whenever the event is scheduled in or out. */
	union {
		/**
		 * @hlist_entry: P, R, link in a CPU's list of software events,
		 * or of a tracepoint.
		 */
		struct hlist_node	hlist_entry;
		/**
		 * @active_entry: P, D, link for the driver's own use; not of a
		 * PMU whose events are listed by @hlist_entry.
		 */
		struct list_head	active_entry;
	};
	/** @count: P, N, events seen, as of the last read. */
	local64_t			count;
	/** @state: P, L, written by the core's setter only. */
	enum perf_event_state		state;
	/** @oncpu: P, L, CPU it is active on, -1 for none. */
	int				oncpu;
	/** @tstamp: L, context time up to which the two totals are right. */
	u64				tstamp;
	/** @total_time_enabled: L, nanoseconds enabled, as of @tstamp. */
	u64				total_time_enabled;
	/** @total_time_running: P, L, nanoseconds on the PMU, as of @tstamp. */
	u64				total_time_running;
	/**
	 * @running_offset: L, N, while scheduled in: @total_time_running less
	 * context time.
	 */
	u64				running_offset;

	/* Leader: written whenever the group is scheduled in or out. */
	/** @active_list: L, link among the groups that are scheduled in. */
	struct list_head		active_list;
	/**
	 * @group_node: L, leader: node in a tree of its pmu_ctx; with a @cgrp
	 * only while the cgroup runs.
	 */
	struct rb_node			group_node;
	/**
	 * @group_start: L, flexible leader: nanoseconds that its service began
	 * with.
	 */
	s64				group_start;
	/**
	 * @group_service: L, leader: place among the groups of the same CPU.
	 * Flexible: @group_start and its running time, as of the last update.
	 */
	s64				group_service;
	/**
	 * @group_choice: L, the last perf_pmu_ctx::choice that scheduled it in.
	 */
	unsigned int			group_choice;
	/**
	 * @orig_type: I, attr.type as user space wrote it. The core or a driver
	 * may have changed attr.type to that of another PMU.
	 */
	__u32				orig_type;

	/* The PMU's data, of which two lines are written then. */
	/** @hw: P, mostly D, see there. */
	struct hw_perf_event		hw;

	/* Written when the event is enabled, or changes its context. */
	/**
	 * @enabled_offset: L, N, while enabled: @total_time_enabled less
	 * context time.
	 */
	u64				enabled_offset;
#ifdef CONFIG_CGROUP_PERF
	/** @cgrp: I, cgroup it is limited to, NULL for none. */
	struct perf_cgroup		*cgrp;
#endif

	/* The context's list, the leader of a trace, the driver's own. */
	/** @event_entry: MLR, link in the context's list. */
	struct list_head		event_entry;
	/**
	 * @aux_event: P, ML, read anywhere: leader whose trace it writes into,
	 * pauses or samples.
	 */
	struct perf_event		*aux_event;
	/** @pmu_private: P, D. */
	void				*pmu_private;

	/* The attribute, the format of samples. */
	/**
	 * @attr: P, I, as requested; BP and period fields change under M and L.
	 */
	struct perf_event_attr		attr;
	/** @layout: I, sample format. */
	struct perf_sample_layout	layout;
	/**
	 * @header_size: P, I, bytes of a sample's fields outside
	 * @id_header_size.
	 */
	u16				header_size;
	/** @id_header_size: I, bytes of the identity fields. */
	u16				id_header_size;
	/** @read_size: ML, bytes of read(2); grows with the group. */
	u16				read_size;
	/**
	 * @freq_windows: N, frequency mode: number of windows of which
	 * @hw.sample_period is the mean.
	 */
	u8				freq_windows;
	/**
	 * @throttle_reported: N, leader: not 0 if the last record was
	 * PERF_RECORD_THROTTLE, not PERF_RECORD_UNTHROTTLE; above 1 if the
	 * group has been stopped since.
	 */
	u8				throttle_reported;
	/** @overflow_handler: P, I, called at an overflow. */
	perf_overflow_handler_t		overflow_handler;
	/**
	 * @clock: P, I, source of time stamps; NMI-safe where the PMU may
	 * overflow in NMI.
	 */
	u64				(*clock)(void);
	/**
	 * @prog: P, R, BPF program to run at an overflow; changes under the
	 * eldest's child_mutex.
	 */
	struct bpf_prog			*prog;

	/* Overflows, and deferred work. */
	/** @rb: BR, buffer it writes to. */
	struct perf_buffer		*rb;
	/**
	 * @parent: P, I, event it was inherited from, NULL for an event that
	 * was opened.
	 */
	struct perf_event		*parent;
	/** @id: P, I, number in records and of IOC_ID. */
	u64				id;
	/** @ns: P, I, pid namespace for the numbers in records. */
	struct pid_namespace		*ns;
	/** @pending_wakeup: N, wake the readers when @pending_irq runs. */
	unsigned int			pending_wakeup;
	/** @pending_kill: P, N, POLL_* to signal then. */
	unsigned int			pending_kill;
	/**
	 * @pending_disable: N, disable the event when @pending_disable_irq
	 * runs or, if that comes earlier, when the event is scheduled out.
	 */
	u16				pending_disable;
	/** @pmu_cpu: I, see @pmu_entry. */
	u16				pmu_cpu;
	/** @pending_work: N, exchanged: @pending_task is queued. */
	unsigned int			pending_work;
	/**
	 * @event_limit: A, overflows until it disables itself (IOC_REFRESH).
	 */
	atomic_t			event_limit;
	/** @mmap_count: A, mappings of the buffer through this event. */
	atomic_t			mmap_count;
	/** @fasync: SIGIO. */
	struct fasync_struct		*fasync;
	/** @pending_irq: A, wake-ups, out of NMI. */
	struct irq_work			pending_irq;
	/** @pending_disable_irq: A, disabling, stopping a group, out of NMI. */
	struct irq_work			pending_disable_irq;
	/** @pending_task: C, SIGTRAP, on the way to user mode. */
	struct callback_head		pending_task;
	/** @pending_addr: N, address for the SIGTRAP. */
	unsigned long			pending_addr;
	/** @lost_samples: P, A, samples that did not fit. */
	atomic64_t			lost_samples;
	/** @overflow_handler_context: P, I, for kernel counters. */
	void				*overflow_handler_context;
	/** @bpf_cookie: P, M, for the BPF program. */
	u64				bpf_cookie;

	/* Further lists. */
	/** @group_generation: ML, leader: changes with the set of siblings. */
	unsigned int			group_generation;
	/** @random_asked: share of the last PERF_EVENT_IOC_RANDOM_PERIOD. */
	u32				random_asked;
	/** @sb_list: R, link among the side-band receivers of a CPU. */
	struct list_head		sb_list;
	/** @pmu_entry: link in @pmu's list of events made on @pmu_cpu. */
	struct list_head		pmu_entry;

	/* Copies and owner. */
	/** @refcount: A, references; the first is the owner's. */
	atomic_long_t			refcount;
	/** @child_count: A, sum of the counts of copies that have ended. */
	atomic64_t			child_count;
	/** @child_total_time_enabled: A, the same for enabled time. */
	atomic64_t			child_total_time_enabled;
	/** @child_total_time_running: A, the same for running time. */
	atomic64_t			child_total_time_running;
	/**
	 * @copies_start: flexible eldest: nanoseconds that the service of its
	 * copies begins with, besides @child_total_time_running; 0 until it has
	 * enabled copies; see groups.c.
	 */
	s64				copies_start;
	/**
	 * @random_seed: seed of the last PERF_EVENT_IOC_RANDOM_PERIOD, under
	 * @child_mutex.
	 */
	u64				random_seed;
	/** @child_mutex: guards @child_list, and attaching to it. */
	struct mutex			child_mutex;
	/**
	 * @child_list: head of the inherited copies, or link in the parent's
	 * list.
	 */
	struct list_head		child_list;
	/**
	 * @owner_entry: link in the owner's list, under its perf_event_mutex.
	 */
	struct list_head		owner_entry;
	/**
	 * @owner: P, R, task that opened it; NULL once it has no owner;
	 * PERF_OWNER_KERNEL for an event of the kernel.
	 */
	struct task_struct		*owner;

	/* Buffer and readers. */
	/**
	 * @mmap_mutex: guards the attachment to a buffer and the mapping count.
	 */
	struct mutex			mmap_mutex;
	/**
	 * @rb_entry: link in the buffer's list of writers, under its lock.
	 */
	struct list_head		rb_entry;
	/** @waitq: poll(2). */
	wait_queue_head_t		waitq;

	/* Trace units. */
	/** @addr_filters: see struct perf_addr_filters_head. */
	struct perf_addr_filters_head	addr_filters;
	/**
	 * @addr_filter_ranges: P, under the filters' lock, one for each filter.
	 */
	struct perf_addr_filter_range	*addr_filter_ranges;
	union {
		/* PMUs with address filters. */
		/**
		 * @addr_filters_gen: under the filters' lock, number of
		 * changes.
		 */
		unsigned long		addr_filters_gen;
		/* All others. */
		/**
		 * @child_period: sum of the elapsed parts of periods of
		 * children that have ended, less the parts with which new
		 * children began; under @child_mutex. Not for trace units.
		 */
		u64			child_period;
	};

	/* In a context, while it moves to another CPU, or at its end. */
	union {
#ifdef CONFIG_CGROUP_PERF
		/**
		 * @cgroup_entry: L, leader in a context: link among the groups
		 * of @cgrp on its CPU.
		 */
		struct list_head	cgroup_entry;
#endif
		/** @migrate_entry: M, link while events move to another CPU. */
		struct list_head	migrate_entry;
		/** @rcu_head: frees it. */
		struct rcu_head		rcu_head;
	};
	/** @destroy: P, I, D, undoes pmu::event_init, in process context. */
	void (*destroy)(struct perf_event *event);

	/* Data of other subsystems. */
#ifdef CONFIG_SECURITY
	/** @security: P, I, for the security modules. */
	void				*security;
#endif
#ifdef CONFIG_EVENT_TRACING
	/** @tp_event: P, I, tracepoints: the trace event. */
	struct trace_event_call		*tp_event;
	/** @filter: P, MR, tracepoints: the filter. */
	struct event_filter		*filter;
#ifdef CONFIG_FUNCTION_TRACER
	/**
	 * @ftrace_ops: P, tracepoints: function tracing; only an event of type
	 * PERF_TYPE_TRACEPOINT has it, the memory of others ends before it.
	 */
	struct ftrace_ops		ftrace_ops;
#endif
#endif
#endif /* CONFIG_PERF_EVENTS */
};

/**
 * struct perf_event_pmu_context - the events of a task, or of a CPU, on one PMU
 */
struct perf_event_pmu_context {
	/**
	 * @task_ctx_data: C, D, the driver's data for a task, from
	 * pmu::task_ctx_cache; NULL for a CPU.
	 */
	void				*task_ctx_data;
};

/**
 * struct perf_event_context - the events of a task, or of a CPU
 */
struct perf_event_context {
	/**
	 * @task: L, task it belongs to, NULL for a CPU; in a family, the task
	 * that its events were opened on. Drivers may read it if the context is
	 * loaded.
	 */
	struct task_struct		*task;
	/** @nr_user: L, events that user space can read without a system call. */
	int				nr_user;
};

#ifdef CONFIG_PERF_EVENTS

/*
 * ---------------------------------------------------------------------------
 * Properties of an event
 * ---------------------------------------------------------------------------
 */

/* Does it report overflows, rather than only count? */
static inline bool is_sampling_event(struct perf_event *event)
{
	return event->attr.sample_period != 0;
}

/* Is it in a group that always runs on its CPU, before all other groups? */
static inline bool perf_event_is_pinned_to_cpu(const struct perf_event *event)
{
	return event->group_leader->attr.pinned &&
	       !(event->attach_state & PERF_ATTACH_TASK);
}

static inline int is_software_event(struct perf_event *event)
{
	return event->event_caps & PERF_EV_CAP_SOFTWARE;
}

static inline bool is_write_backward(struct perf_event *event)
{
	return event->attr.write_backward;
}

static inline bool event_has_any_exclude_flag(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->exclude_user || attr->exclude_kernel ||
	       attr->exclude_hv || attr->exclude_idle ||
	       attr->exclude_host || attr->exclude_guest;
}

/* Do its samples have branches? */
static inline bool has_branch_stack(struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* Does it use the branch recorder, for samples or for call chains? */
static inline bool needs_branch_stack(struct perf_event *event)
{
	return event->attr.branch_sample_type != 0;
}

static inline bool branch_sample_no_flags(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_NO_FLAGS;
}

static inline bool branch_sample_no_cycles(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_NO_CYCLES;
}

static inline bool branch_sample_type(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_TYPE_SAVE;
}

static inline bool branch_sample_hw_index(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX;
}

static inline bool branch_sample_priv(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_PRIV_SAVE;
}

static inline bool branch_sample_counters(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS;
}

static inline bool branch_sample_call_stack(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/* Does its overflow pause, resume or sample the trace of its group leader? */
static inline bool has_aux_action(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->aux_sample_size || attr->aux_pause || attr->aux_resume;
}

/*
 * The event that was opened: the event itself, or the one that it is an
 * inherited copy of.
 */
static inline struct perf_event *
perf_event_eldest(const struct perf_event *event)
{
	return event->parent ?: (struct perf_event *)event;
}

/* The number that user space sees: inherited copies show that of the eldest. */
static inline u64 perf_event_eldest_id(const struct perf_event *event)
{
	return perf_event_eldest(event)->id;
}

/* The eldest has the filters of all its copies. */
static inline struct perf_addr_filters_head *
perf_event_addr_filters(struct perf_event *event)
{
	return &perf_event_eldest(event)->addr_filters;
}

/* SIGIO is requested by a descriptor, and only the eldest has a descriptor. */
static inline struct fasync_struct **perf_event_fasync(struct perf_event *event)
{
	return &perf_event_eldest(event)->fasync;
}

#ifdef CONFIG_PROVE_LOCKING
/* Warns if the siblings of the event's group could change at this moment. */
void perf_assert_event_ctx(struct perf_event *event);
#else
static inline void perf_assert_event_ctx(struct perf_event *event) { }
#endif

static inline struct perf_event *perf_first_sibling(struct perf_event *event)
{
	perf_assert_event_ctx(event);
	if (event->group_leader != event)
		return NULL;

	return list_first_entry_or_null(&event->sibling_list,
					struct perf_event, sibling_list);
}

static inline struct perf_event *perf_next_sibling(struct perf_event *event,
						   struct perf_event *sibling)
{
	if (list_is_last(&sibling->sibling_list, &event->sibling_list))
		return NULL;

	return list_next_entry(sibling, sibling_list);
}

/**
 * for_each_sibling_event() - visit the siblings of a group
 * @sibling: struct perf_event *, set to each sibling, NULL at the end
 * @event: the leader; for an event that is not a leader none is visited
 *
 * The list changes under the context's mutex and lock together, and on the
 * CPU where the context is loaded. So the mutex, the lock, or interrupts off
 * on that CPU are each enough to walk it. The body must not unlink @sibling.
 */
#define for_each_sibling_event(sibling, event)				\
	for ((sibling) = perf_first_sibling(event); (sibling);		\
	     (sibling) = perf_next_sibling(event, sibling))

#endif /* CONFIG_PERF_EVENTS */

#endif /* _LINUX_PERF_EVENT_TYPES_H */
