/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf events: the interface between the core and the rest of the kernel.
 *
 * It has three kinds of readers, in the order of the sections:
 *
 *   PMU drivers     fill a struct pmu, register it, and report samples through
 *                   perf_event_overflow() and the output helpers;
 *   kernel users    (watchdog, breakpoints, KVM, BPF) create and read events;
 *   subsystems      (scheduler, fork, exec, mm, tracing) call the hooks that
 *                   report operations of a task.
 *
 * Types that only the core uses are declared here by name and defined in
 * kernel/events/. Field descriptions begin with a legend of access rules:
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
 */
#ifndef _LINUX_PERF_EVENT_H
#define _LINUX_PERF_EVENT_H

#include <uapi/linux/perf_event.h>
#include <uapi/linux/bpf_perf_event.h>

#ifdef CONFIG_PERF_EVENTS
# include <asm/perf_event.h>
# include <asm/local64.h>
#endif

#ifdef CONFIG_HAVE_HW_BREAKPOINT
# include <linux/rhashtable-types.h>
# include <asm/hw_breakpoint.h>
#endif

#include <linux/atomic.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jump_label_ratelimit.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perf_regs.h>
#include <linux/pid_namespace.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/security.h>
#include <linux/spinlock.h>
#include <linux/static_call.h>
#include <linux/static_key.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>
#include <asm/local.h>

struct bpf_prog;
struct file;
struct perf_buffer;
struct perf_cgroup;
struct perf_cpu_pmu_context;
struct perf_event;
struct perf_event_context;
struct perf_event_pmu_context;
struct perf_family;
struct perf_output_handle;
struct perf_pmu_caps;
struct perf_sample_data;
struct task_struct;

/*
 * ---------------------------------------------------------------------------
 * Constants
 * ---------------------------------------------------------------------------
 */

/**
 * enum perf_event_state - the states of an event
 * @PERF_EVENT_STATE_DEAD: being destroyed; no other state follows
 * @PERF_EVENT_STATE_REVOKED: its PMU is gone; the owner can only close it
 * @PERF_EVENT_STATE_EXIT: its task is gone, the final count can still be read
 * @PERF_EVENT_STATE_ERROR: a pinned event that does not fit, or a sibling that
 *	cannot count without its leader; only an explicit enable revives it
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
 * SIBLING          has no meaning as a leader; when its group dissolves it
 *                  goes to the error state permanently
 * READ_SCOPE       as READ_ACTIVE_PKG, for the CPUs of pmu::scope
 */
#define PERF_EV_CAP_SOFTWARE		BIT(0)
#define PERF_EV_CAP_READ_ACTIVE_PKG	BIT(1)
#define PERF_EV_CAP_SIBLING		BIT(2)
#define PERF_EV_CAP_READ_SCOPE		BIT(3)

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

/* Hook types of security_perf_event_open(). */
#define PERF_SECURITY_OPEN		0	/* any perf_event_open(2) */
#define PERF_SECURITY_CPU		1	/* events of a CPU */
#define PERF_SECURITY_KERNEL		2	/* kernel mode is observed */
#define PERF_SECURITY_TRACEPOINT	3	/* tracepoint payload */

/* Bits that a hypervisor's state callback returns. */
#define PERF_GUEST_ACTIVE	0x01	/* this CPU was in a guest */
#define PERF_GUEST_USER		0x02	/* ... in its user mode */

/*
 * ---------------------------------------------------------------------------
 * Pieces of a sample
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_callchain_entry - a recorded stack
 * @nr: used slots of @ip
 * @ip: return addresses and PERF_CONTEXT_* marks, innermost frame first; room
 *	for sysctl_perf_event_max_stack addresses and
 *	sysctl_perf_event_max_contexts_per_stack marks
 */
struct perf_callchain_entry {
	__u64				nr;
	__u64				ip[];
};

/**
 * struct perf_callchain_entry_ctx - a stack while it is being walked
 * @entry: destination of the frames
 * @max_stack: number of addresses that the event requests
 * @nr: addresses stored so far, marks not counted
 * @contexts: marks stored so far
 * @contexts_maxed: a mark did not fit; nothing more is stored
 */
struct perf_callchain_entry_ctx {
	struct perf_callchain_entry	*entry;
	u32				max_stack;
	u32				nr;
	short				contexts;
	bool				contexts_maxed;
};

/*
 * Copies @len bytes from @off of a source that memcpy() cannot read (such as an
 * skb) into @dst. Returns the number of bytes that were not copied.
 */
typedef unsigned long (*perf_copy_f)(void *dst, const void *src,
				     unsigned long off, unsigned long len);

/**
 * struct perf_raw_frag - one piece of a PERF_SAMPLE_RAW payload
 * @next: following fragment, in all but the last
 * @pad: in the last fragment: number of zero bytes that fill the payload up to
 *	a multiple of eight; 0 to 7 cannot be a pointer
 * @copy: function that copies @data, NULL for plain memory
 * @data: source
 * @size: bytes of @data
 */
struct perf_raw_frag {
	union {
		struct perf_raw_frag	*next;
		unsigned long		pad;
	};
	perf_copy_f			copy;
	void				*data;
	u32				size;
} __packed;

/**
 * struct perf_raw_record - a PERF_SAMPLE_RAW payload
 * @frag: head of the fragments
 * @size: bytes of all of them with padding, set when the record is saved into
 *	the sample
 */
struct perf_raw_record {
	struct perf_raw_frag		frag;
	u32				size;
};

static __always_inline bool perf_raw_frag_last(const struct perf_raw_frag *frag)
{
	return frag->pad < sizeof(u64);
}

/**
 * struct perf_branch_stack - taken branches before a sample
 * @nr: used @entries; differs from one sample to the next
 * @hw_idx: position of the youngest branch in the hardware's own array, 0 if
 *	that array is ordered by age, -1ULL if the position is not known. The
 *	depth of the array is in sysfs, caps/branches
 * @entries: youngest first, whatever the order in hardware
 */
struct perf_branch_stack {
	__u64				nr;
	__u64				hw_idx;
	struct perf_branch_entry	entries[];
};

/**
 * struct perf_output_handle - an open reservation in a ring buffer
 * @event: event that writes the record
 * @rb: buffer, referenced until the end call
 * @wakeup: the buffer's wakeup stamp at begin, to notice a new one at end
 * @size: bytes left on the current page (records), or bytes free (AUX)
 * @flags: modifiers of perf_output_*()
 * @aux_flags: PERF_AUX_FLAG_* collected for the PERF_RECORD_AUX
 * @skip_read: while the sample is written, members of the group are not read
 *	from hardware again
 * @addr: next byte to store (records)
 * @head: position in the AUX area where data begins (AUX)
 * @page: index of the current page (records)
 *
 * Lives on the writer's stack, or in per-CPU memory for AUX, on one CPU.
 */
struct perf_output_handle {
	struct perf_event		*event;
	struct perf_buffer		*rb;
	unsigned long			wakeup;
	unsigned long			size;
	union {
		u64			flags;
		u64			aux_flags;
		struct {
			u64		skip_read : 1;
		};
	};
	union {
		void			*addr;
		unsigned long		head;
	};
	int				page;
};

/**
 * struct bpf_perf_event_data_kern - context of a BPF program on an event
 * @regs: registers at the overflow, as the program may see them
 * @data: the sample under construction
 * @event: the event that overflowed
 */
struct bpf_perf_event_data_kern {
	bpf_user_pt_regs_t	*regs;
	struct perf_sample_data	*data;
	struct perf_event	*event;
};

/*
 * Called at an overflow: perf_event_output_forward() or _backward() for events
 * of user space, a callback of the owner for kernel counters, a BPF trampoline.
 * Any context, including NMI.
 */
typedef void (*perf_overflow_handler_t)(struct perf_event *event,
					struct perf_sample_data *data,
					struct pt_regs *regs);

/*
 * ---------------------------------------------------------------------------
 * The driver's side of an event
 * ---------------------------------------------------------------------------
 */

/**
 * struct hw_perf_event_extra - a register that several events have to share
 * @config: D, value that the event needs in the register
 * @reg: D, address or index of the register
 * @alloc: D, this event holds a reference on the register
 * @idx: D, slot of the register in the driver's table of shared registers
 */
struct hw_perf_event_extra {
	u64			config;
	unsigned int		reg;
	int			alloc;
	int			idx;
};

/**
 * struct hw_perf_event - a PMU's data in an event
 * @config: I, D, selector as the driver computed it from attr
 * @last_tag: D, shows whether another event had the counter meanwhile
 * @config_base: D, address of the control register
 * @event_base: D, address of the count register
 * @event_base_rdpmc: D, number of the same counter for RDPMC or the like
 * @idx: D, counter in use, -1 for none
 * @last_cpu: D, CPU where @idx was last in use
 * @flags: D, PERF_EVENT_FLAG_*
 * @extra_reg: D, shared register of the event (offcore and such)
 * @branch_reg: D, shared register of the branch recorder
 * @addr_filters: D, trace units: address filters in the hardware's format
 * @addr_filters_gen: C, trace units: generation of the filters that
 *	@addr_filters has
 * @aux_config: D, AUX: configuration of the trace unit
 * @aux_paused: N, AUX: tracing is paused. Not a bit of @state, which changes
 *	under other rules and at other times
 * @hrtimer: C, clock events: the sampling timer
 * @tp_list: tracepoints: link in the list of the event class
 * @pwr_acc: D, amd_power: accumulator last seen
 * @ptsc: D, amd_power: its timestamp
 * @info: breakpoints: the architecture's slot
 * @bp_list: breakpoints: link in the constraint tables
 * @iommu_bank: D, amd_iommu: bank
 * @iommu_cntr: D, amd_iommu: counter in the bank
 * @padding: amd_iommu: unused
 * @conf: D, amd_iommu: selector
 * @conf1: D, amd_iommu: second selector
 * @target: I, task of a per-task event, set before pmu::event_init runs, when
 *	the event has no context yet
 * @state: C, PERF_HES_*
 * @interrupts: N, overflows in a tick, or the mark of a throttled event
 * @prev_count: N, raw counter at the last update. Updates exchange it with
 *	local64_cmpxchg(), so that an NMI in the middle of one is harmless
 * @sample_period: L, events from one overflow to the next; in frequency mode
 *	the core adjusts it
 * @last_period: N, value of @sample_period when this period began
 * @period_left: N, events until the overflow. A signed 64-bit number: periods
 *	may exceed the counter's width, and it goes below zero between the
 *	overflow and its handling
 * @saved_metric: C, top-down events: metrics register of a task switched out
 * @saved_slots: C, top-down events: slots counter of a task switched out
 * @interrupts_seq: N, tick to which @interrupts belongs
 * @freq_time_stamp: C, frequency mode: running time when the window began
 * @freq_count_stamp: C, frequency mode: count at that time
 * @random_key: C, random periods: all of them are computed from it
 * @random_seq: N, random periods: the number of the current one
 * @random_share: C, random periods: largest distance from the mean, in units of
 *	2^-31 of the mean; 0 for fixed periods
 * @random_fresh: C, random periods: the first has not begun
 * @random_children: random periods: number of copies that were given keys,
 *	under the eldest's child_mutex
 *
 * The first union has one view for each class of PMUs. A driver uses one of the
 * views and may read, of the other fields, the period fields and @target. A
 * trace unit records no branches: its filters have the place of @branch_reg, so
 * it may use the other fields of the counters' view beside them. An overflow
 * uses the fields from @state to the stamps, 64 bytes.
 */
struct hw_perf_event {
#ifdef CONFIG_PERF_EVENTS
	union {
		/* counters */
		struct {
			u64				config;
			u64				last_tag;
			unsigned long			config_base;
			unsigned long			event_base;
			int				event_base_rdpmc;
			int				idx;
			int				last_cpu;
			int				flags;
			struct hw_perf_event_extra	extra_reg;
			union {
				struct hw_perf_event_extra	branch_reg;
				struct {
					void		*addr_filters;
					unsigned long	addr_filters_gen;
				};
			};
		};
		/* trace units */
		struct {
			u64				aux_config;
			unsigned int			aux_paused;
		};
		/* cpu-clock, task-clock */
		struct {
			struct hrtimer			hrtimer;
		};
		/* tracepoints */
		struct {
			struct list_head		tp_list;
		};
		/* amd_power */
		struct {
			u64				pwr_acc;
			u64				ptsc;
		};
#ifdef CONFIG_HAVE_HW_BREAKPOINT
		/* breakpoints */
		struct {
			struct arch_hw_breakpoint	info;
			struct rhlist_head		bp_list;
		};
#endif
		/* amd_iommu */
		struct {
			u8				iommu_bank;
			u8				iommu_cntr;
			u16				padding;
			u64				conf;
			u64				conf1;
		};
	};

	int				state;
	u32				interrupts;
	local64_t			prev_count;
	u64				sample_period;
	union {
		struct {
			u64		last_period;
			local64_t	period_left;
		};
		struct {
			u64		saved_metric;
			u64		saved_slots;
		};
	};

	u64				interrupts_seq;
	union {
		/* attr.freq */
		struct {
			u64		freq_time_stamp;
			u64		freq_count_stamp;
		};
		/* a period */
		struct {
			u32		random_key;
			u32		random_seq;
			u32		random_share : 31;
			u32		random_fresh : 1;
			u32		random_children;
		};
	};

	struct task_struct		*target;
#endif /* CONFIG_PERF_EVENTS */
};

/**
 * struct perf_pmu_counters - counters of a PMU on one CPU
 * @general: number of counters that count any event, or nearly any
 * @fixed: number of counters that count one event only
 * @general_free: how many of @general a new pinned group of the CPU could have:
 *	counters that no pinned event of the CPU holds
 * @fixed_free: the same for @fixed
 */
struct perf_pmu_counters {
	unsigned int		general;
	unsigned int		fixed;
	unsigned int		general_free;
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

	/**
	 * @users_lock: core, guards @events, @parts and @leaving. A leaf, taken
	 * with interrupts off.
	 */
	raw_spinlock_t			users_lock;
	/** @events: core, all events that @event_init has accepted. */
	struct list_head		events;
	/** @parts: core, struct perf_event_pmu_context that have references. */
	struct list_head		parts;
	/** @leaving: core, the PMU accepts no event any more. */
	bool				leaving;
	/** @caps: core, results of trials about counters. */
	struct perf_pmu_caps		*caps;

	/** @cpu_pmu_context: core, data of each CPU. */
	struct perf_cpu_pmu_context __percpu *cpu_pmu_context;
	/**
	 * @exclusive_cnt: A, for PERF_PMU_CAP_EXCLUSIVE: above zero, that many
	 * task events exist; below zero, CPU events. Never both.
	 */
	atomic_t			exclusive_cnt;
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
	 * Context: process context; the registry's read side, and the mutex of
	 * the leader's context when a sibling is added to a hardware group.
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
	 * counter for hw.period_left first; the caller has then stopped it
	 * with PERF_EF_UPDATE. With PERF_EF_RESUME only end a pause, and only
	 * if the event is not stopped.
	 *
	 * Context: on the CPU; also from the PMU's interrupt, which may be an
	 * NMI. PAUSE and RESUME exclude each other, but may come between any
	 * other start() or stop().
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
	 * @event_idx: Value for perf_event_mmap_page::index: the number of the
	 * counter that user space may read plus one, 0 for none. Optional, 0.
	 *
	 * Context: any, including NMI; the event may be scheduled out.
	 */
	int (*event_idx)(struct perf_event *event);

	/**
	 * @sched_task: Notifies that a task is switched in (@sched_in) or out
	 * on this CPU. Called only while perf_sched_cb_inc() has requested it;
	 * @pmu_ctx is the task's part for this PMU, or the CPU's. Optional.
	 *
	 * Context: the scheduler's, run-queue lock held, PMU disabled.
	 */
	void (*sched_task)(struct perf_event_pmu_context *pmu_ctx,
			   struct task_struct *task, bool sched_in);

	/**
	 * @swap_task_ctx: Notifies that two tasks with equal sets of events
	 * exchange them instead of having them reprogrammed. Exchange the
	 * task_ctx_data so that each stays with its task. Optional.
	 *
	 * Context: the scheduler's, both contexts locked, PMU disabled.
	 */
	void (*swap_task_ctx)(struct perf_event_pmu_context *prev_epc,
			      struct perf_event_pmu_context *next_epc);

	/**
	 * @setup_aux: Prepare an AUX area of @nr_pages pages for the event's
	 * CPU (event->cpu, -1 for any); @overwrite: it is a snapshot buffer
	 * that wraps without end. Optional; without it there is no AUX area.
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
	 * @snapshot_aux: Copy the newest @size bytes of trace into a sample
	 * without a change to the state of @event: the interrupt may have come
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
	 * @aux_output_match: Check whether @event may write into the AUX area
	 * of an event of this PMU. Optional, no.
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
	 * @check_period: Check whether @value is valid as a new period.
	 * Optional, it is.
	 *
	 * Context: process context, context mutex held.
	 * Return: 0, or an error for PERF_EVENT_IOC_PERIOD such as -EINVAL.
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
 * @entry: link in perf_addr_filters_head::list
 * @path: I, file to whose mappings it applies; empty for kernel addresses
 * @offset: I, start, in the file or in the kernel's address space
 * @size: I, bytes; 0 for a single address
 * @action: I, action there
 */
struct perf_addr_filter {
	struct list_head		entry;
	struct path			path;
	unsigned long			offset;
	unsigned long			size;
	enum perf_addr_filter_action_t	action;
};

/**
 * struct perf_addr_filters_head - the filters of an event and its children
 * @list: @lock, struct perf_addr_filter
 * @lock: guards the list and the filter generations of the whole family;
 *	taken with interrupts off, inside the context lock
 * @nr_file_filters: @lock, how many of them name a file
 *
 * Only the list of the eldest is used; see perf_event_addr_filters().
 */
struct perf_addr_filters_head {
	struct list_head		list;
	raw_spinlock_t			lock; /* see kernel-doc */
	unsigned int			nr_file_filters;
};

/**
 * struct perf_addr_filter_range - where a file filter applies in this process
 * @start: first virtual address, 0 while the file is not mapped
 * @size: bytes
 */
struct perf_addr_filter_range {
	unsigned long			start;
	unsigned long			size;
};

/*
 * ---------------------------------------------------------------------------
 * Events and contexts
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_sample_layout - an event's sample format, computed at open
 * @type: PERF_SAMPLE_* fields that its samples carry, including fields that
 *	others need
 * @fixed: bytes of the fields whose size does not vary from sample to sample,
 *	record header not counted
 * @trailer: bytes of the identity at the end of other records, 0 without
 *	attr.sample_id_all
 */
struct perf_sample_layout {
	u32				type;
	u16				fixed;
	u16				trailer;
};

/**
 * struct perf_event - an event
 * @hlist_entry: R, link in a CPU's list of software events, or of a tracepoint
 * @active_entry: D, link for the driver's own use; not of a PMU whose events are
 *	listed by @hlist_entry
 * @count: N, events seen, as of the last read
 * @state: L, written by the core's setter only
 * @attach_state: ML, PERF_ATTACH_*
 * @oncpu: L, CPU it is active on, -1 for none
 * @cpu: I, CPU it is bound to, -1 for any CPU of its task
 * @pmu: R, PMU whose methods it uses. Set once, and once more when that PMU is
 *	unregistered: to a PMU that does nothing
 * @pmu_ctx: ML, part of @ctx in which it is scheduled, NULL after its end. For
 *	a software event in a hardware group this is the part for the hardware
 *	PMU, so pmu_ctx->pmu and @pmu may differ
 * @ctx: ML, its context; changes only by migration
 * @group_leader: ML, itself when alone
 * @event_caps: I, PERF_EV_CAP_*
 * @group_caps: ML, leader: bits of @event_caps that all its events have
 * @nr_siblings: ML, leader: members besides itself
 * @sibling_list: ML, leader: head of its siblings; sibling: link. Walk it with
 *	for_each_sibling_event()
 * @active_list: L, link among the groups that are scheduled in
 * @cgrp: I, cgroup it is limited to, NULL for none
 * @group_choice: L, last perf_event_pmu_context::choice that scheduled it in
 * @group_start: L, flexible leader: nanoseconds that its service began with
 * @group_service: L, leader: place among the groups of the same CPU. Flexible:
 *	@group_start and its running time, as of the last update
 * @group_node: L, leader: node in a tree of its pmu_ctx; with a @cgrp only
 *	while the cgroup runs
 * @tstamp: L, context time up to which the two totals are right
 * @total_time_enabled: L, nanoseconds enabled, as of @tstamp
 * @total_time_running: L, nanoseconds on the PMU, as of @tstamp
 * @enabled_offset: L, N, while enabled: @total_time_enabled less context time
 * @running_offset: L, N, while scheduled in: @total_time_running less context
 *	time
 * @event_entry: MLR, link in the context's list
 * @aux_event: ML, read anywhere: leader whose trace it writes into, pauses or samples
 * @pmu_private: D
 * @hw: mostly D, see there
 * @attr: I, as requested; BP and period fields change under M and L
 * @layout: I, sample format
 * @header_size: I, bytes of a sample's fields outside @id_header_size
 * @id_header_size: I, bytes of the identity fields
 * @read_size: ML, bytes of read(2); grows with the group
 * @freq_windows: N, frequency mode: number of windows in the mean that
 *	@hw.sample_period is
 * @throttled: N, of a leader: the last record says that the group was stopped
 * @overflow_handler: I, called at an overflow
 * @clock: I, source of time stamps; NMI-safe where the PMU may overflow in NMI
 * @prog: M, R, BPF program to run at an overflow
 * @rb: BR, buffer it writes to
 * @parent: I, event it was inherited from, NULL for an event that was opened
 * @id: I, number in records and of IOC_ID
 * @ns: I, pid namespace for the numbers in records
 * @pending_wakeup: N, wake the readers when @pending_irq runs
 * @pending_kill: N, POLL_* to signal then
 * @pending_disable: N, disable the event then
 * @pending_work: C, @pending_task is queued
 * @event_limit: A, overflows until it disables itself (IOC_REFRESH)
 * @mmap_count: A, mappings of the buffer through this event
 * @fasync: SIGIO
 * @pending_irq: A, wake-ups, out of NMI
 * @pending_disable_irq: A, disabling, out of NMI
 * @pending_task: C, SIGTRAP, on the way to user mode
 * @pending_addr: N, address for the SIGTRAP
 * @lost_samples: A, samples that did not fit
 * @overflow_handler_context: I, for kernel counters
 * @bpf_cookie: M, for the BPF program
 * @group_generation: ML, leader: changes with the set of members
 * @orig_type: I, attr.type as user space wrote it; some PMUs hand events on
 * @sb_list: R, link among the side-band receivers of a CPU
 * @pmu_entry: link in @pmu's list of events, under its users_lock
 * @refcount: A, references; the first is the owner's
 * @child_count: A, sum of the counts of children that are gone
 * @child_total_time_enabled: A, the same for enabled time
 * @child_total_time_running: A, the same for running time
 * @family_start: flexible eldest: nanoseconds that the service of its copies
 *	begins with, besides @child_total_time_running; see groups.c
 * @child_period: parts of periods that had passed in children that are gone,
 *	less the parts that new ones have begun with; under @child_mutex. Not
 *	for trace units
 * @random_seed: seed of the last PERF_EVENT_IOC_RANDOM_PERIOD, under
 *	@child_mutex
 * @random_asked: share of the last PERF_EVENT_IOC_RANDOM_PERIOD
 * @child_mutex: guards @child_list, and attaching to it
 * @child_list: head of the inherited copies, or link in the parent's list
 * @owner_entry: link in the owner's list, under its perf_event_mutex
 * @owner: R, task that opened it; NULL once it has no owner; PERF_OWNER_KERNEL
 *	for an event of the kernel
 * @mmap_mutex: guards the attachment to a buffer and the mapping count
 * @rb_entry: R, link in the buffer's list of writers, under its lock
 * @waitq: poll(2)
 * @addr_filters: see struct perf_addr_filters_head
 * @addr_filter_ranges: under the filters' lock, one for each filter
 * @addr_filters_gen: under the filters' lock, number of changes
 * @cgroup_entry: L, leader in a context: link among the groups of @cgrp on its CPU
 * @migrate_entry: M, link while events move to another CPU
 * @rcu_head: frees it
 * @destroy: I, D, undoes pmu::event_init, in process context
 * @security: I, for the security modules
 * @tp_event: I, tracepoints: the trace event
 * @filter: MR, tracepoints: the filter
 * @ftrace_ops: tracepoints: function tracing; only an event of type
 *	PERF_TYPE_TRACEPOINT has it, the memory of others ends before it
 *
 * An event is freed a grace period after the last reference was put.
 *
 * Fields that one path uses are adjacent: with CONFIG_CGROUP_PERF and lines of
 * 64 bytes, counting uses the first line, and in software two of @hw and @attr.
 */
struct perf_event {
#ifdef CONFIG_PERF_EVENTS
	/* Used whenever the event counts, or is scheduled in or out. */
	union {
		struct hlist_node	hlist_entry;
		struct list_head	active_entry;
	};
	local64_t			count;
	enum perf_event_state		state;
	unsigned int			attach_state;
	int				oncpu;
	int				cpu;
	struct pmu			*pmu;
	struct perf_event_pmu_context	*pmu_ctx;
	struct perf_event_context	*ctx;

	/* The group. */
	struct perf_event		*group_leader;
	u16				event_caps;
	u16				group_caps;
	int				nr_siblings;
	struct list_head		sibling_list;
	struct list_head		active_list;
#ifdef CONFIG_CGROUP_PERF
	struct perf_cgroup		*cgrp;
#endif
	unsigned int			group_choice;
	__u32				orig_type;
	s64				group_start;
	s64				group_service;
	struct rb_node			group_node;

	/* Time. */
	u64				tstamp;
	u64				total_time_enabled;
	u64				total_time_running;
	u64				enabled_offset;
	u64				running_offset;

	/* For walks of a context, for siblings of a trace, for drivers. */
	struct list_head		event_entry;
	struct perf_event		*aux_event;
	void				*pmu_private;

	/* The PMU's data, the attribute, the format of samples. */
	struct hw_perf_event		hw;
	struct perf_event_attr		attr;
	struct perf_sample_layout	layout;
	u16				header_size;
	u16				id_header_size;
	u16				read_size;
	u8				freq_windows;
	bool				throttled;
	perf_overflow_handler_t		overflow_handler;
	u64				(*clock)(void);
	struct bpf_prog			*prog;

	/* An overflow, and work that an NMI leaves. */
	struct perf_buffer		*rb;
	struct perf_event		*parent;
	u64				id;
	struct pid_namespace		*ns;
	unsigned int			pending_wakeup;
	unsigned int			pending_kill;
	unsigned int			pending_disable;
	unsigned int			pending_work;
	atomic_t			event_limit;
	atomic_t			mmap_count;
	struct fasync_struct		*fasync;
	struct irq_work			pending_irq;
	struct irq_work			pending_disable_irq;
	struct callback_head		pending_task;
	unsigned long			pending_addr;
	atomic64_t			lost_samples;
	void				*overflow_handler_context;
	u64				bpf_cookie;

	/* Further lists. */
	unsigned int			group_generation;
	u32				random_asked; /* see kernel-doc */
	struct list_head		sb_list;
	struct list_head		pmu_entry;

	/* Family and owner. */
	atomic_long_t			refcount;
	atomic64_t			child_count;
	atomic64_t			child_total_time_enabled;
	atomic64_t			child_total_time_running;
	s64				family_start; /* see kernel-doc */
	u64				random_seed; /* see kernel-doc */
	struct mutex			child_mutex; /* see kernel-doc */
	struct list_head		child_list;
	struct list_head		owner_entry;
	struct task_struct		*owner;

	/* Buffer and readers. */
	struct mutex			mmap_mutex; /* see kernel-doc */
	struct list_head		rb_entry;
	wait_queue_head_t		waitq;

	/* Trace units. */
	struct perf_addr_filters_head	addr_filters;
	struct perf_addr_filter_range	*addr_filter_ranges;
	union {
		/* PMUs with address filters. */
		unsigned long		addr_filters_gen;
		/* All others. */
		u64			child_period; /* see kernel-doc */
	};

	/* In a context, while it moves to another CPU, or at its end. */
	union {
#ifdef CONFIG_CGROUP_PERF
		struct list_head	cgroup_entry;
#endif
		struct list_head	migrate_entry;
		struct rcu_head		rcu_head;
	};
	void (*destroy)(struct perf_event *event);

	/* Data of other subsystems. */
#ifdef CONFIG_SECURITY
	void				*security;
#endif
#ifdef CONFIG_EVENT_TRACING
	struct trace_event_call		*tp_event;
	struct event_filter		*filter;
#ifdef CONFIG_FUNCTION_TRACER
	struct ftrace_ops		ftrace_ops;
#endif
#endif
#endif /* CONFIG_PERF_EVENTS */
};

/**
 * struct perf_group_tree - groups that compete for a PMU
 * @root: L, leaders by CPU, perf_event::group_service and id
 */
struct perf_group_tree {
	struct rb_root			root;
};

/**
 * struct perf_event_pmu_context - a context's events on one PMU
 * @pmu: I, the PMU
 * @ctx: I, the context
 * @pmu_ctx_entry: ML, link in the context's list
 * @pmu_entry: link in the PMU's list of parts, under its users_lock
 * @pinned_groups: L, groups that must be scheduled in whenever the context is
 * @flexible_groups: L, groups that take turns
 * @least_service: L, the least service of any group at its last turn; it
 *	only grows from the first choice on
 * @interval: L, nanoseconds between two choices, as of the current one
 * @chosen_at: L, context time of the current choice of flexible groups
 * @choice: L, number of the current choice, which may wrap
 * @nr_waiting: L, groups that did not fit in the current choice
 * @pinned_active: L, pinned groups that are scheduled in
 * @flexible_active: L, flexible groups that are scheduled in
 * @chosen: L, the choice is still valid: no group was added or removed since
 * @embedded: I, in the per-CPU data of the PMU, never freed alone
 * @nr_events: L, events here
 * @nr_freq: L, events here that are scheduled in and in frequency mode
 * @refcount: A, one for each event here
 * @rcu_head: frees it
 * @task_ctx_data: C, D, the driver's data for a task, from
 *	pmu::task_ctx_cache; NULL in CPU contexts
 * @rotate_necessary: L, some group did not fit that could have run
 *
 * This is called a part of the context. An event belongs to one part, and so to
 * one context, which has a part for each PMU in use. A task's context keeps
 * parts without events until it is freed or the PMU is unregistered. Guarded
 * like its events; freed after a grace period.
 */
struct perf_event_pmu_context {
	struct pmu			*pmu;
	struct perf_event_context	*ctx;
	struct list_head		pmu_ctx_entry;
	struct list_head		pmu_entry;

	struct perf_group_tree		pinned_groups;
	struct perf_group_tree		flexible_groups;
	s64				least_service;
	s64				interval;
	u64				chosen_at;
	unsigned int			choice;
	unsigned int			nr_waiting;
	struct list_head		pinned_active;
	struct list_head		flexible_active;

	bool				chosen;
	unsigned int			embedded : 1;
	unsigned int			nr_events;
	unsigned int			nr_freq;

	atomic_t			refcount;
	struct rcu_head			rcu_head;
	void				*task_ctx_data;
	int				rotate_necessary;
};

/**
 * struct perf_event_context - the events of a task, or of a CPU
 * @lock: guards fields marked L; interrupts off, inside the run-queue lock.
 *	Never taken in NMI
 * @mutex: guards fields marked M, for code that may sleep
 * @task: L, task it belongs to, NULL for a CPU; in a family, the task that
 *	its events were opened on. Drivers may read it if the context is
 *	loaded
 * @cpu: I, CPU it belongs to, -1 for a task
 * @loaded_cpu: L, CPU it is loaded on, -1 for none; changed there only
 * @pmu_ctx_list: ML, struct perf_event_pmu_context, by type of PMU
 * @event_list: MLR, all events
 * @nr_events: ML, length of @event_list
 * @nr_user: L, events that user space can read without a system call
 * @nr_freq: L, events that are scheduled in and in frequency mode
 * @time: L, nanoseconds that the context has been loaded
 * @timestamp: L, clock at which @time was right
 * @timeoffset: L, @time less the clock, to get one from the other
 * @equal: L, contexts with the same number have copies of the same events;
 *	0 for a context that equals no other
 * @enabled: L, exclusive-or of the numbers of the eldest of enabled events
 * @held: L, number of users that forbid an exchange for an equal context
 * @summed: L, of these, users that add up counts by task
 * @moving: L, it will be given back to its task: no other sum begins
 * @family: L, tasks that share it, NULL for none; see kernel/events/family.h
 * @family_entry: among the contexts of @family
 * @refcount: A, one for the task or the CPU, one for each event
 * @rcu_head: frees it
 *
 * Code outside of the core may use @task and @nr_user only.
 */
struct perf_event_context {
	raw_spinlock_t			lock; /* see kernel-doc */
	int				loaded_cpu;
	struct task_struct		*task;
	struct list_head		pmu_ctx_list;
	u64				time;
	u64				timestamp;
	u64				timeoffset;
	int				nr_freq;
	unsigned int			held;

	u64				equal;
	u64				enabled;
	struct perf_family		*family;
	struct list_head		family_entry;
	struct list_head		event_list;
	int				nr_events;
	int				nr_user;

	struct mutex			mutex; /* see kernel-doc */
	unsigned int			summed;
	bool				moving;
	int				cpu;
	refcount_t			refcount;
	struct rcu_head			rcu_head;
};

static inline bool perf_pmu_ctx_is_active(struct perf_event_pmu_context *epc)
{
	return !list_empty(&epc->pinned_active) ||
	       !list_empty(&epc->flexible_active);
}

/**
 * struct perf_guest_info_callbacks - what a hypervisor knows of an interrupt
 * @state: return PERF_GUEST_* of this CPU
 * @get_ip: return the guest's instruction pointer
 * @handle_intel_pt_intr: handle an Intel PT interrupt if it is the guest's;
 *	return non-zero if it was. Optional
 *
 * Context: all three, NMI on the CPU that was interrupted.
 */
struct perf_guest_info_callbacks {
	unsigned int	(*state)(void);
	unsigned long	(*get_ip)(void);
	unsigned int	(*handle_intel_pt_intr)(void);
};

#ifdef CONFIG_PERF_EVENTS

/**
 * struct perf_sample_data - values for one sample
 * @sample_flags: PERF_SAMPLE_* fields that are filled in already
 * @period: events this sample stands for
 * @dyn_size: bytes of the filled fields that vary in size
 * @type: PERF_SAMPLE_* fields that the record will carry
 * @tid_entry: process and thread, in the event's namespace
 * @tid_entry.pid: process
 * @tid_entry.tid: thread
 * @time: time stamp, nanoseconds of the event's clock
 * @id: number of the event that was opened
 * @cpu_entry: CPU that takes the sample
 * @cpu_entry.cpu: CPU
 * @cpu_entry.reserved: zero
 * @ip: instruction pointer
 * @callchain: stack
 * @raw: payload of a tracepoint or of the PMU
 * @br_stack: branches
 * @br_stack_cntr: counters for each branch, NULL for none
 * @weight: cost of the access
 * @data_src: where the data came from
 * @txn: transaction flags
 * @regs_user: user registers
 * @regs_intr: registers at the interrupt, or of the instruction
 * @stack_user_size: bytes of user stack to dump
 * @stream_id: number of the event that counted; an inherited copy has its own
 * @cgroup: id of the cgroup
 * @addr: data address
 * @phys_addr: its physical address
 * @data_page_size: bytes of the page at @addr
 * @code_page_size: bytes of the page at @ip
 * @aux_size: bytes of AUX data to copy
 *
 * Lives on the stack of the driver's overflow handler. Initialise it with
 * perf_sample_data_init(). A driver that knows a field better stores it and
 * sets its bit in @sample_flags; the core fills in all other fields.
 */
struct perf_sample_data {
	/* Always initialised. */
	u64				sample_flags;
	u64				period;
	u64				dyn_size;

	/* The identity, for all records. */
	u64				type;
	struct {
		u32			pid;
		u32			tid;
	}				tid_entry;
	u64				time;
	u64				id;
	struct {
		u32			cpu;
		u32			reserved;
	}				cpu_entry;

	/* Fields that the event requests. */
	u64				ip;
	struct perf_callchain_entry	*callchain;
	struct perf_raw_record		*raw;
	struct perf_branch_stack	*br_stack;
	u64				*br_stack_cntr;
	union perf_sample_weight	weight;
	union perf_mem_data_src		data_src;
	u64				txn;
	struct perf_regs		regs_user;
	struct perf_regs		regs_intr;
	u64				stack_user_size;
	u64				stream_id;
	u64				cgroup;
	u64				addr;
	u64				phys_addr;
	u64				data_page_size;
	u64				code_page_size;
	u64				aux_size;
} ____cacheline_aligned;

/* perf_sample_data::data_src if nothing is known. */
#define PERF_MEM_NA (PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) |		\
		     PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) |	\
		     PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA))

/*
 * ---------------------------------------------------------------------------
 * Questions about an event, for all users
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

/* A software event in a hardware group is scheduled with the hardware. */
static inline int in_software_context(struct perf_event *event)
{
	return event->pmu_ctx->pmu->task_ctx_nr == perf_sw_context;
}

static inline int is_exclusive_pmu(struct pmu *pmu)
{
	return pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE;
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

/* Are branches part of its samples? */
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

static inline bool has_aux(struct perf_event *event)
{
	return event->pmu->setup_aux;
}

/* Does its overflow pause, resume or sample the trace of its group leader? */
static inline bool has_aux_action(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->aux_sample_size || attr->aux_pause || attr->aux_resume;
}

static inline bool has_addr_filter(struct perf_event *event)
{
	return event->pmu->nr_addr_filters;
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

/* The number that user space knows: inherited copies show that of the eldest. */
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

/* SIGIO is requested on a descriptor, and only the eldest has one. */
static inline struct fasync_struct **perf_event_fasync(struct perf_event *event)
{
	return &perf_event_eldest(event)->fasync;
}

#ifdef CONFIG_PROVE_LOCKING
/* Warns if the members of the event's group could change at this moment. */
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
 * for_each_sibling_event - visit the siblings of a group
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

/*
 * ---------------------------------------------------------------------------
 * For PMU drivers
 * ---------------------------------------------------------------------------
 */

/* Registration. Process context. */
int perf_pmu_register(struct pmu *pmu, const char *name, int type);
void perf_pmu_unregister(struct pmu *pmu);
/* Move all events of a CPU PMU when its CPU goes offline. */
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu);

/* Disable and enable a PMU on this CPU; calls nest; interrupts off. */
void perf_pmu_disable(struct pmu *pmu);
void perf_pmu_enable(struct pmu *pmu);
/* Schedule out all events of this CPU's PMU and in again; process context. */
void perf_pmu_resched(struct pmu *pmu);

/* Request pmu::sched_task on this CPU, and end the request; on the CPU. */
void perf_sched_cb_inc(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);
/* The task context loaded on this CPU, NULL for none; interrupts off. */
struct perf_event_context *perf_cpu_task_ctx(void);

/*
 * Overflow. On the CPU, interrupts off, usually in NMI. If the result is not 0
 * the driver must stop the event. The second function is for interrupts without
 * a sample: it only throttles.
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

/* Updates the user page; any context. */
void perf_event_update_userpage(struct perf_event *event);

/*
 * Records made by hand: prepare, begin, store, end, on one CPU, without
 * sleeping. perf_output_begin() returns 0, or an error such as -ENOSPC or
 * -ENOENT if the record cannot be written; then there is nothing to undo.
 */
void perf_prepare_sample(struct perf_sample_data *data,
			 struct perf_event *event, struct pt_regs *regs);
void perf_prepare_header(struct perf_event_header *header,
			 struct perf_sample_data *data,
			 struct perf_event *event, struct pt_regs *regs);
int perf_output_begin(struct perf_output_handle *handle,
		      struct perf_sample_data *data,
		      struct perf_event *event, unsigned int size);
int perf_output_begin_forward(struct perf_output_handle *handle,
			      struct perf_sample_data *data,
			      struct perf_event *event, unsigned int size);
int perf_output_begin_backward(struct perf_output_handle *handle,
			       struct perf_sample_data *data,
			       struct perf_event *event, unsigned int size);
void perf_output_sample(struct perf_output_handle *handle,
			struct perf_event_header *header,
			struct perf_sample_data *data,
			struct perf_event *event);
unsigned int perf_output_copy(struct perf_output_handle *handle,
			      const void *buf, unsigned int len);
unsigned int perf_output_skip(struct perf_output_handle *handle,
			      unsigned int len);
void perf_output_end(struct perf_output_handle *handle);

/* A whole sample in one call; the first picks the direction and may fail. */
int perf_event_output(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);
void perf_event_output_forward(struct perf_event *event,
			       struct perf_sample_data *data,
			       struct pt_regs *regs);
void perf_event_output_backward(struct perf_event *event,
				struct perf_sample_data *data,
				struct pt_regs *regs);

/* Header and identity of records other than samples. */
void perf_event_header__init(struct perf_event_header *header,
			     struct perf_sample_data *data,
			     u32 type, u16 misc, u16 size,
			     struct perf_event *event);
void perf_event__output_id_sample(struct perf_event *event,
				  struct perf_output_handle *handle,
				  struct perf_sample_data *sample);

/*
 * AUX areas. Begin returns the data from pmu::setup_aux, or NULL. Between begin
 * and end the hardware owns the space that the handle describes.
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

static inline bool is_default_overflow_handler(struct perf_event *event)
{
	perf_overflow_handler_t handler = event->overflow_handler;

	return likely(handler == perf_event_output_forward) ||
	       handler == perf_event_output_backward;
}

/*
 * ---------------------------------------------------------------------------
 * Call chains
 * ---------------------------------------------------------------------------
 */

/* By the architecture: walk the kernel's stack, the user's stack. NMI-safe. */
void perf_callchain_kernel(struct perf_callchain_entry_ctx *entry,
			   struct pt_regs *regs);
void perf_callchain_user(struct perf_callchain_entry_ctx *entry,
			 struct pt_regs *regs);

/*
 * Defined by the core. The buffers are per CPU and per recursion level; get
 * them while sleeping is allowed, then fill one where preemption is off.
 */
int get_callchain_buffers(int max_stack);
void put_callchain_buffers(void);
struct perf_callchain_entry *get_callchain_entry(int *rctx);
void put_callchain_entry(int rctx);
struct perf_callchain_entry *get_perf_callchain(struct pt_regs *regs,
						bool kernel, bool user,
						u32 max_stack, bool crosstask,
						bool add_mark);
struct perf_callchain_entry *perf_callchain(struct perf_event *event,
					    struct pt_regs *regs);

extern int sysctl_perf_event_max_stack;
extern int sysctl_perf_event_max_contexts_per_stack;

/**
 * perf_callchain_store_context - add a PERF_CONTEXT_* mark
 * @ctx: the walk
 * @ip: the mark
 *
 * Return: 0, or -1 if it does not fit and the walk should end.
 */
static inline int
perf_callchain_store_context(struct perf_callchain_entry_ctx *ctx, u64 ip)
{
	struct perf_callchain_entry *chain = ctx->entry;

	if (ctx->contexts >= sysctl_perf_event_max_contexts_per_stack) {
		ctx->contexts_maxed = true;
		return -1;
	}

	ctx->contexts++;
	chain->ip[chain->nr++] = ip;
	return 0;
}

/**
 * perf_callchain_store - add an address
 * @ctx: the walk
 * @ip: the address
 *
 * Return: 0, or -1 if it does not fit and the walk should end.
 */
static inline int
perf_callchain_store(struct perf_callchain_entry_ctx *ctx, u64 ip)
{
	struct perf_callchain_entry *chain = ctx->entry;

	if (ctx->contexts_maxed || ctx->nr >= ctx->max_stack)
		return -1;

	ctx->nr++;
	chain->ip[chain->nr++] = ip;
	return 0;
}

/*
 * ---------------------------------------------------------------------------
 * Filling in a sample
 * ---------------------------------------------------------------------------
 */

/**
 * perf_sample_data_init - begin a sample
 * @data: the sample to initialise
 * @addr: data address, 0 for none
 * @period: events it stands for
 */
static inline void perf_sample_data_init(struct perf_sample_data *data,
					 u64 addr, u64 period)
{
	data->dyn_size = 0;
	data->period = period;
	data->sample_flags = PERF_SAMPLE_PERIOD;
	if (!addr)
		return;

	data->addr = addr;
	data->sample_flags |= PERF_SAMPLE_ADDR;
}

/**
 * perf_sample_save_callchain - record the stack now
 * @data: the sample
 * @event: its event; without PERF_SAMPLE_CALLCHAIN nothing happens
 * @regs: registers where the walk starts
 *
 * For drivers that later pass other registers than those of the interrupt.
 */
static inline void perf_sample_save_callchain(struct perf_sample_data *data,
					      struct perf_event *event,
					      struct pt_regs *regs)
{
	if (!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	if (WARN_ON_ONCE(data->sample_flags & PERF_SAMPLE_CALLCHAIN))
		return;

	data->callchain = perf_callchain(event, regs);
	data->dyn_size += (1 + data->callchain->nr) * sizeof(u64);
	data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
}

/**
 * perf_sample_save_raw_data - attach a payload
 * @data: the sample
 * @event: its event; without PERF_SAMPLE_RAW nothing happens
 * @raw: the payload, which must live until the sample is written; the
 *	function sets its size and the padding of its last fragment
 */
static inline void perf_sample_save_raw_data(struct perf_sample_data *data,
					     struct perf_event *event,
					     struct perf_raw_record *raw)
{
	struct perf_raw_frag *frag;
	u32 bytes, room;

	if (!(event->attr.sample_type & PERF_SAMPLE_RAW))
		return;
	if (WARN_ON_ONCE(data->sample_flags & PERF_SAMPLE_RAW))
		return;

	bytes = raw->frag.size;
	for (frag = &raw->frag; !perf_raw_frag_last(frag); ) {
		frag = frag->next;
		bytes += frag->size;
	}

	/* The length word and the payload end on an eight-byte boundary. */
	room = round_up(sizeof(u32) + bytes, sizeof(u64));
	raw->size = room - sizeof(u32);
	frag->pad = raw->size - bytes;

	data->raw = raw;
	data->dyn_size += room;
	data->sample_flags |= PERF_SAMPLE_RAW;
}

/**
 * perf_sample_save_brstack - attach branches
 * @data: the sample
 * @event: its event
 * @brs: branches, which must live until the sample is written
 * @brs_cntr: one counter word for each branch, or NULL
 */
static inline void perf_sample_save_brstack(struct perf_sample_data *data,
					    struct perf_event *event,
					    struct perf_branch_stack *brs,
					    u64 *brs_cntr)
{
	u64 bytes = sizeof(brs->nr);

	if (branch_sample_hw_index(event))
		bytes += sizeof(brs->hw_idx);
	bytes += brs->nr * sizeof(brs->entries[0]);
	if (brs_cntr)
		bytes += brs->nr * sizeof(*brs_cntr);

	data->br_stack = brs;
	data->br_stack_cntr = brs_cntr;
	data->dyn_size += bytes;
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
}

/**
 * perf_sample_data_size - compute the size of the record so far
 * @data: the sample
 * @event: its event
 *
 * Return: bytes of header, fixed fields, and variable fields filled in so far.
 */
static inline u32 perf_sample_data_size(struct perf_sample_data *data,
					struct perf_event *event)
{
	return sizeof(struct perf_event_header) + event->header_size +
	       event->id_header_size + data->dyn_size;
}

/**
 * perf_clear_branch_entry_bitfields - clear all of an entry but its addresses
 * @br: the entry; the caller always stores from and to
 */
static inline void
perf_clear_branch_entry_bitfields(struct perf_branch_entry *br)
{
	*br = (struct perf_branch_entry) {
		.from	= br->from,
		.to	= br->to,
		.spec	= PERF_BR_SPEC_NA,
	};
}

/* Defaults; an architecture may define its own. */
#ifndef perf_misc_flags
# define perf_misc_flags(regs)						\
	(user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL)
# define perf_instruction_pointer(regs)	instruction_pointer(regs)
#endif
#ifndef perf_arch_bpf_user_pt_regs
# define perf_arch_bpf_user_pt_regs(regs) regs
#endif
#ifndef perf_arch_fetch_caller_regs
static inline void perf_arch_fetch_caller_regs(struct pt_regs *regs,
					       unsigned long ip) { }
#endif

/**
 * perf_fetch_caller_regs - get registers for a sample without an exception
 * @regs: zeroed by the caller
 *
 * Fills in the registers of the caller that a sample needs: instruction
 * pointer, stack and frame pointer, and the one that tells kernel from user
 * mode. All others stay zero, also in PERF_SAMPLE_REGS_INTR.
 */
static inline void perf_fetch_caller_regs(struct pt_regs *regs)
{
	perf_arch_fetch_caller_regs(regs, CALLER_ADDR0);
}

#ifdef CONFIG_GUEST_PERF_EVENTS
/*
 * One hypervisor at a time. It registers and unregisters in process context;
 * the getters run in NMI and return 0 if there is none.
 */
extern struct perf_guest_info_callbacks __rcu *perf_guest_cbs;

void perf_register_guest_info_callbacks(struct perf_guest_info_callbacks *cbs);
void perf_unregister_guest_info_callbacks(struct perf_guest_info_callbacks *cbs);

DECLARE_STATIC_CALL(__perf_guest_state, *perf_guest_cbs->state);
DECLARE_STATIC_CALL(__perf_guest_get_ip, *perf_guest_cbs->get_ip);
DECLARE_STATIC_CALL(__perf_guest_handle_intel_pt_intr,
		    *perf_guest_cbs->handle_intel_pt_intr);

static inline unsigned int perf_guest_state(void)
{
	return static_call(__perf_guest_state)();
}

static inline unsigned long perf_guest_get_ip(void)
{
	return static_call(__perf_guest_get_ip)();
}

static inline unsigned int perf_guest_handle_intel_pt_intr(void)
{
	return static_call(__perf_guest_handle_intel_pt_intr)();
}
#else
static inline unsigned int perf_guest_state(void) { return 0; }
static inline unsigned long perf_guest_get_ip(void) { return 0; }
static inline unsigned int perf_guest_handle_intel_pt_intr(void) { return 0; }
#endif /* CONFIG_GUEST_PERF_EVENTS */

/*
 * ---------------------------------------------------------------------------
 * For users inside the kernel
 * ---------------------------------------------------------------------------
 */

/*
 * Create and release an event without a descriptor. Process context.
 * Creation returns an ERR_PTR with any error of perf_event_open(2).
 */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 struct task_struct *task,
				 perf_overflow_handler_t callback,
				 void *context);
int perf_event_release_kernel(struct perf_event *event);

/* Events behind a descriptor; the file must stay referenced. */
struct file *perf_event_get(unsigned int fd);
const struct perf_event *perf_get_event(struct file *file);
const struct perf_event_attr *perf_event_attrs(struct perf_event *event);

/* Enable, disable and others. Process context, take the context's mutex ... */
void perf_event_enable(struct perf_event *event);
void perf_event_disable(struct perf_event *event);
int perf_event_refresh(struct perf_event *event, int refresh);
int perf_event_period(struct perf_event *event, u64 value);
u64 perf_event_pause(struct perf_event *event, bool reset);
/* ... except this one: on the event's CPU, interrupts off, context unlocked, */
void perf_event_disable_local(struct perf_event *event);
/* and this one: any context, NMI included, takes effect soon. */
void perf_event_disable_inatomic(struct perf_event *event);

/* Sum over children; process context. */
u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running);
/*
 * NMI-safe, and therefore limited to an event of this CPU or of the current
 * task that is not inherited. Otherwise -EOPNOTSUPP, -EINVAL or -EBUSY.
 */
int perf_event_read_local(struct perf_event *event, u64 *value,
			  u64 *enabled, u64 *running);

/* prctl(2): all events that the caller has opened. */
int perf_event_task_disable(void);
int perf_event_task_enable(void);

void perf_event_print_debug(void);

/*
 * ---------------------------------------------------------------------------
 * Hooks: operations of tasks and changes of memory
 * ---------------------------------------------------------------------------
 */

void perf_event_init(void);
void perf_event_task_tick(void);

/* fork, exec, exit; in this order during a task's life. */
int perf_event_init_task(struct task_struct *child, u64 clone_flags);
void perf_event_fork(struct task_struct *tsk);
void perf_event_exec(void);
void perf_event_comm(struct task_struct *tsk, bool exec);
void perf_event_namespaces(struct task_struct *tsk);
void perf_event_exit_task(struct task_struct *child);
void perf_event_free_task(struct task_struct *task);
void perf_event_delayed_put(struct task_struct *task);

/* Code that is added, changed or removed. */
void perf_event_mmap(struct vm_area_struct *vma);
void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
			const char *sym);
void perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
			  u16 flags);
void perf_event_text_poke(const void *addr,
			  const void *old_bytes, size_t old_len,
			  const void *new_bytes, size_t new_len);

/* Events that the kernel itself raises. */
void perf_bp_event(struct perf_event *event, void *data);
void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size,
		   struct pt_regs *regs, struct hlist_head *head, int rctx,
		   struct task_struct *task);
int perf_swevent_get_recursion_context(void);
void perf_swevent_put_recursion_context(int rctx);

/* One key for each PERF_COUNT_SW_*: no cost while no event counts it. */
extern struct static_key perf_swevent_enabled[PERF_COUNT_SW_MAX];

/* The second guards against recursion, the first relies on the caller. */
void ___perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr);
void __perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr);

static __always_inline bool __perf_sw_enabled(int swevt)
{
	return static_key_false(&perf_swevent_enabled[swevt]);
}

/**
 * perf_sw_event - count a software event
 * @event_id: PERF_COUNT_SW_*, a constant
 * @nr: number of occurrences
 * @regs: registers where it occurred
 * @addr: data address, 0 for none
 *
 * Context: any.
 */
static __always_inline void perf_sw_event(u32 event_id, u64 nr,
					  struct pt_regs *regs, u64 addr)
{
	if (__perf_sw_enabled(event_id))
		__perf_sw_event(event_id, nr, regs, addr);
}

/* Scratch registers, one for each recursion level. */
DECLARE_PER_CPU(struct pt_regs, __perf_regs[4]);

/*
 * For the scheduler: task level, interrupts off. No other software event can be
 * interrupted here, so the first scratch slot is free.
 */
static __always_inline void __perf_sw_event_sched(u32 event_id, u64 nr,
						  u64 addr)
{
	struct pt_regs *scratch = this_cpu_ptr(&__perf_regs[0]);

	perf_fetch_caller_regs(scratch);
	___perf_sw_event(event_id, nr, scratch, addr);
}

/* Enabled while any event needs the hooks of task switches. */
extern struct static_key_false perf_sched_events;

void __perf_event_task_sched_in(struct task_struct *prev,
				struct task_struct *task);
void __perf_event_task_sched_out(struct task_struct *prev,
				 struct task_struct *next);

/* Notes a migration; it is counted on the CPU where the task runs next. */
static inline void perf_event_task_migrate(struct task_struct *task)
{
	if (__perf_sw_enabled(PERF_COUNT_SW_CPU_MIGRATIONS))
		task->sched_migrated = 1;
}

/* After the switch, on the new task's stack, interrupts off. */
static inline void perf_event_task_sched_in(struct task_struct *prev,
					    struct task_struct *task)
{
	if (static_branch_unlikely(&perf_sched_events))
		__perf_event_task_sched_in(prev, task);

	if (__perf_sw_enabled(PERF_COUNT_SW_CPU_MIGRATIONS) &&
	    task->sched_migrated) {
		task->sched_migrated = 0;
		__perf_sw_event_sched(PERF_COUNT_SW_CPU_MIGRATIONS, 1, 0);
	}
}

#ifdef CONFIG_CGROUP_PERF
static inline bool perf_task_cgroups_differ(struct task_struct *a,
					    struct task_struct *b)
{
	return task_css_check(a, perf_event_cgrp_id, true) !=
	       task_css_check(b, perf_event_cgrp_id, true);
}
#else
static inline bool perf_task_cgroups_differ(struct task_struct *a,
					    struct task_struct *b)
{
	return false;
}
#endif

/* Before the switch, run-queue lock held, interrupts off. */
static inline void perf_event_task_sched_out(struct task_struct *prev,
					     struct task_struct *next)
{
	if (__perf_sw_enabled(PERF_COUNT_SW_CONTEXT_SWITCHES))
		__perf_sw_event_sched(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, 0);

	if (__perf_sw_enabled(PERF_COUNT_SW_CGROUP_SWITCHES) &&
	    perf_task_cgroups_differ(prev, next))
		__perf_sw_event_sched(PERF_COUNT_SW_CGROUP_SWITCHES, 1, 0);

	if (static_branch_unlikely(&perf_sched_events))
		__perf_event_task_sched_out(prev, next);
}

/*
 * ---------------------------------------------------------------------------
 * Policy: sysctls and permissions
 * ---------------------------------------------------------------------------
 */

extern int sysctl_perf_event_paranoid;
extern int sysctl_perf_event_mlock;
extern int sysctl_perf_event_sample_rate;
extern int sysctl_perf_cpu_time_max_percent;

int perf_event_max_sample_rate_handler(const struct ctl_table *table, int write,
				       void *buffer, size_t *lenp,
				       loff_t *ppos);
int perf_cpu_time_max_percent_handler(const struct ctl_table *table, int write,
				      void *buffer, size_t *lenp, loff_t *ppos);
int perf_event_max_stack_handler(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos);

/* Level 3, of distributions: no events at all without privilege. */
static inline bool perf_paranoid_any(void)
{
	return sysctl_perf_event_paranoid > 2;
}

/* Level 0 and up: no raw tracepoint data without privilege. */
static inline int perf_is_paranoid(void)
{
	return sysctl_perf_event_paranoid > -1;
}

/**
 * perf_allow_kernel - check whether the caller may observe kernel mode
 *
 * Return: 0, -EACCES, or an error of the security module.
 */
int perf_allow_kernel(void);

/**
 * perf_allow_cpu - check whether the caller may observe all tasks on a CPU
 *
 * Return: 0, -EACCES, or an error of the security module.
 */
static inline int perf_allow_cpu(void)
{
	bool limited = sysctl_perf_event_paranoid > 0;

	if (limited && !perfmon_capable())
		return -EACCES;

	return security_perf_event_open(PERF_SECURITY_CPU);
}

/**
 * perf_allow_tracepoint - check whether the caller may see tracepoint payload
 *
 * Return: 0, -EPERM, or an error of the security module.
 */
static inline int perf_allow_tracepoint(void)
{
	if (perf_is_paranoid() && !perfmon_capable())
		return -EPERM;

	return security_perf_event_open(PERF_SECURITY_TRACEPOINT);
}

#else /* !CONFIG_PERF_EVENTS */

/*
 * Without perf, hooks vanish and requests fail.
 */

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

static inline void perf_event_init(void) { }
static inline void perf_event_task_tick(void) { }
static inline void perf_event_task_migrate(struct task_struct *task) { }
static inline void perf_event_task_sched_in(struct task_struct *prev,
					    struct task_struct *task) { }
static inline void perf_event_task_sched_out(struct task_struct *prev,
					     struct task_struct *next) { }

static inline int perf_event_init_task(struct task_struct *child,
				       u64 clone_flags)
{
	return 0;
}

static inline void perf_event_fork(struct task_struct *tsk) { }
static inline void perf_event_exec(void) { }
static inline void perf_event_comm(struct task_struct *tsk, bool exec) { }
static inline void perf_event_namespaces(struct task_struct *tsk) { }
static inline void perf_event_exit_task(struct task_struct *child) { }
static inline void perf_event_free_task(struct task_struct *task) { }
static inline void perf_event_delayed_put(struct task_struct *task) { }

static inline void perf_event_mmap(struct vm_area_struct *vma) { }
static inline void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len,
				      bool unregister, const char *sym) { }
static inline void perf_event_bpf_event(struct bpf_prog *prog,
					enum perf_bpf_event_type type,
					u16 flags) { }
static inline void perf_event_text_poke(const void *addr, const void *old_bytes,
					size_t old_len, const void *new_bytes,
					size_t new_len) { }

static inline void perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs,
				 u64 addr) { }
static inline void perf_bp_event(struct perf_event *event, void *data) { }
static inline int perf_swevent_get_recursion_context(void) { return -1; }
static inline void perf_swevent_put_recursion_context(int rctx) { }
static inline u64 perf_swevent_set_period(struct perf_event *event)
{
	return 0;
}

static inline struct file *perf_event_get(unsigned int fd)
{
	return ERR_PTR(-EINVAL);
}

static inline const struct perf_event *perf_get_event(struct file *file)
{
	return ERR_PTR(-EINVAL);
}

static inline const struct perf_event_attr *
perf_event_attrs(struct perf_event *event)
{
	return ERR_PTR(-EINVAL);
}

static inline int perf_event_read_local(struct perf_event *event, u64 *value,
					u64 *enabled, u64 *running)
{
	return -EINVAL;
}

static inline int perf_event_release_kernel(struct perf_event *event)
{
	return 0;
}

static inline void perf_event_enable(struct perf_event *event) { }
static inline void perf_event_disable(struct perf_event *event) { }
static inline int __perf_event_disable(void *info) { return -1; }
static inline int perf_event_task_disable(void) { return -EINVAL; }
static inline int perf_event_task_enable(void) { return -EINVAL; }
static inline void perf_event_print_debug(void) { }

static inline int perf_event_refresh(struct perf_event *event, int refresh)
{
	return -EINVAL;
}

static inline int perf_event_period(struct perf_event *event, u64 value)
{
	return -EINVAL;
}

static inline u64 perf_event_pause(struct perf_event *event, bool reset)
{
	return 0;
}

#endif /* CONFIG_PERF_EVENTS */

/* Stores a variable of any type into a record. */
#define perf_output_put(handle, x) perf_output_copy((handle), &(x), sizeof(x))

/* Restores the debug store after a CPU has slept. */
#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_CPU_SUP_INTEL)
void perf_restore_debug_store(void);
#else
static inline void perf_restore_debug_store(void) { }
#endif

/* Defined by the architecture: fill in the clock part of the user page. */
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now);

/* Callbacks of the CPU hotplug table. */
#ifdef CONFIG_PERF_EVENTS
int perf_event_init_cpu(unsigned int cpu);
int perf_event_exit_cpu(unsigned int cpu);
#else
#define perf_event_init_cpu	NULL
#define perf_event_exit_cpu	NULL
#endif

/*
 * Branches at any point of the kernel, for BPF: @cnt slots at @entries; returns
 * the number filled. The branches on the way to the driver would overwrite the
 * recorded ones, so the recorder must be stopped within a few instructions:
 * hence a static call that the driver sets.
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
 * @attr: the file
 * @id: the event, for @attr.show
 * @event_str: the event as text, instead
 */
struct perf_pmu_events_attr {
	struct device_attribute		attr;
	u64				id;
	const char			*event_str;
};

/**
 * struct perf_pmu_events_ht_attr - the same where threads share a core
 * @attr: the file
 * @id: the event
 * @event_str_ht: text if hyper-threading is on
 * @event_str_noht: text if it is off
 */
struct perf_pmu_events_ht_attr {
	struct device_attribute		attr;
	u64				id;
	const char			*event_str_ht;
	const char			*event_str_noht;
};

/**
 * struct perf_pmu_events_hybrid_attr - the same for different kinds of cores
 * @attr: the file
 * @id: the event
 * @event_str: text, variants for the kinds of core separated by semicolons
 * @pmu_type: kinds of cores that have the event, a bit each
 */
struct perf_pmu_events_hybrid_attr {
	struct device_attribute		attr;
	u64				id;
	const char			*event_str;
	u64				pmu_type;
};

/**
 * struct perf_pmu_format_hybrid_attr - a file in the format folder, likewise
 * @attr: the file
 * @pmu_type: kinds of cores that have the field, a bit each
 */
struct perf_pmu_format_hybrid_attr {
	struct device_attribute		attr;
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

#endif /* _LINUX_PERF_EVENT_H */
