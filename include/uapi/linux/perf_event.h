/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * perf events: the interface of the kernel for user space.
 *
 *	fd = perf_event_open(&attr, pid, cpu, group_fd, flags);
 *
 * opens an event that struct perf_event_attr describes, of a task (pid), of a
 * CPU, or of both. read(2) on the descriptor returns counts, mmap(2) maps a
 * user page followed by a ring buffer of records, ioctl(2) controls the event.
 *
 * Everything here is ABI, except for names marked "limit": these are the number
 * of values that this version knows, and they change.
 */
#ifndef _UAPI_LINUX_PERF_EVENT_H
#define _UAPI_LINUX_PERF_EVENT_H

#include <linux/types.h>
#include <linux/ioctl.h>
#include <asm/byteorder.h>

/*
 * ---------------------------------------------------------------------------
 * What to count
 * ---------------------------------------------------------------------------
 */

/*
 * perf_event_attr::type. Other PMUs publish their number in
 * /sys/bus/event_source/devices/NAME/type.
 */
enum perf_type_id {
	PERF_TYPE_HARDWARE			= 0, /* enum perf_hw_id */
	PERF_TYPE_SOFTWARE			= 1, /* enum perf_sw_ids */
	PERF_TYPE_TRACEPOINT			= 2, /* id from tracefs */
	PERF_TYPE_HW_CACHE			= 3, /* three bytes, see below */
	PERF_TYPE_RAW				= 4, /* the CPU's own encoding */
	PERF_TYPE_BREAKPOINT			= 5, /* bp_type, bp_addr, bp_len */

	PERF_TYPE_MAX,				/* limit */
};

/*
 * On machines with different cores the upper half of config names the PMU for
 * PERF_TYPE_HARDWARE and PERF_TYPE_HW_CACHE; 0 leaves the choice to the kernel.
 */
#define PERF_PMU_TYPE_SHIFT		32
#define PERF_HW_EVENT_MASK		0xffffffff

/* config of PERF_TYPE_HARDWARE. Events that the CPU lacks are refused. */
enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES		= 0,
	PERF_COUNT_HW_INSTRUCTIONS		= 1,
	PERF_COUNT_HW_CACHE_REFERENCES		= 2, /* usually last level */
	PERF_COUNT_HW_CACHE_MISSES		= 3,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS	= 4,
	PERF_COUNT_HW_BRANCH_MISSES		= 5,
	PERF_COUNT_HW_BUS_CYCLES		= 6,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND	= 7, /* nothing to issue */
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND	= 8, /* nothing retires */
	PERF_COUNT_HW_REF_CPU_CYCLES		= 9, /* at constant frequency */

	PERF_COUNT_HW_MAX,			/* limit */
};

/*
 * config of PERF_TYPE_HW_CACHE: cache | operation << 8 | outcome << 16.
 * Not every combination makes sense.
 */
enum perf_hw_cache_id {
	PERF_COUNT_HW_CACHE_L1D			= 0,
	PERF_COUNT_HW_CACHE_L1I			= 1,
	PERF_COUNT_HW_CACHE_LL			= 2, /* last level */
	PERF_COUNT_HW_CACHE_DTLB		= 3,
	PERF_COUNT_HW_CACHE_ITLB		= 4,
	PERF_COUNT_HW_CACHE_BPU			= 5, /* branch predictor */
	PERF_COUNT_HW_CACHE_NODE		= 6, /* local memory */

	PERF_COUNT_HW_CACHE_MAX,		/* limit */
};

enum perf_hw_cache_op_id {
	PERF_COUNT_HW_CACHE_OP_READ		= 0,
	PERF_COUNT_HW_CACHE_OP_WRITE		= 1,
	PERF_COUNT_HW_CACHE_OP_PREFETCH		= 2,

	PERF_COUNT_HW_CACHE_OP_MAX,		/* limit */
};

enum perf_hw_cache_op_result_id {
	PERF_COUNT_HW_CACHE_RESULT_ACCESS	= 0,
	PERF_COUNT_HW_CACHE_RESULT_MISS		= 1,

	PERF_COUNT_HW_CACHE_RESULT_MAX,		/* limit */
};

/* config of PERF_TYPE_SOFTWARE: counted by the kernel, on any machine. */
enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK			= 0, /* ns, of the CPU */
	PERF_COUNT_SW_TASK_CLOCK		= 1, /* ns, of the task */
	PERF_COUNT_SW_PAGE_FAULTS		= 2,
	PERF_COUNT_SW_CONTEXT_SWITCHES		= 3,
	PERF_COUNT_SW_CPU_MIGRATIONS		= 4,
	PERF_COUNT_SW_PAGE_FAULTS_MIN		= 5, /* without I/O */
	PERF_COUNT_SW_PAGE_FAULTS_MAJ		= 6, /* with I/O */
	PERF_COUNT_SW_ALIGNMENT_FAULTS		= 7,
	PERF_COUNT_SW_EMULATION_FAULTS		= 8,
	PERF_COUNT_SW_DUMMY			= 9, /* counts nothing */
	PERF_COUNT_SW_BPF_OUTPUT		= 10, /* filled by BPF */
	PERF_COUNT_SW_CGROUP_SWITCHES		= 11,

	PERF_COUNT_SW_MAX,			/* limit */
};

/*
 * ---------------------------------------------------------------------------
 * What to report
 * ---------------------------------------------------------------------------
 */

/*
 * perf_event_attr::sample_type, the fields of a PERF_RECORD_SAMPLE. Their order
 * in the record is described there; it is not the order of the bits.
 */
enum perf_event_sample_format {
	PERF_SAMPLE_IP				= 1U << 0,
	PERF_SAMPLE_TID				= 1U << 1,
	PERF_SAMPLE_TIME			= 1U << 2,
	PERF_SAMPLE_ADDR			= 1U << 3,
	PERF_SAMPLE_READ			= 1U << 4,
	PERF_SAMPLE_CALLCHAIN			= 1U << 5,
	PERF_SAMPLE_ID				= 1U << 6,
	PERF_SAMPLE_CPU				= 1U << 7,
	PERF_SAMPLE_PERIOD			= 1U << 8,
	PERF_SAMPLE_STREAM_ID			= 1U << 9,
	PERF_SAMPLE_RAW				= 1U << 10,
	PERF_SAMPLE_BRANCH_STACK		= 1U << 11,
	PERF_SAMPLE_REGS_USER			= 1U << 12,
	PERF_SAMPLE_STACK_USER			= 1U << 13,
	PERF_SAMPLE_WEIGHT			= 1U << 14,
	PERF_SAMPLE_DATA_SRC			= 1U << 15,
	PERF_SAMPLE_IDENTIFIER			= 1U << 16,
	PERF_SAMPLE_TRANSACTION			= 1U << 17,
	PERF_SAMPLE_REGS_INTR			= 1U << 18,
	PERF_SAMPLE_PHYS_ADDR			= 1U << 19,
	PERF_SAMPLE_AUX				= 1U << 20,
	PERF_SAMPLE_CGROUP			= 1U << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE		= 1U << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE		= 1U << 23,
	PERF_SAMPLE_WEIGHT_STRUCT		= 1U << 24,

	PERF_SAMPLE_MAX = 1U << 25,		/* limit */
};

/* Two views of one field; only one of them can be requested. */
#define PERF_SAMPLE_WEIGHT_TYPE	(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

/*
 * perf_event_attr::branch_sample_type, for PERF_SAMPLE_BRANCH_STACK: modes in
 * which branches are recorded (none set: the modes of the event; kernel
 * branches need a right), kinds of branches (may be combined, ANY is all), and
 * the data to store with each.
 */
enum perf_branch_sample_type_shift {
	/* modes */
	PERF_SAMPLE_BRANCH_USER_SHIFT		= 0,
	PERF_SAMPLE_BRANCH_KERNEL_SHIFT		= 1,
	PERF_SAMPLE_BRANCH_HV_SHIFT		= 2,

	/* kinds */
	PERF_SAMPLE_BRANCH_ANY_SHIFT		= 3,
	PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT	= 4,
	PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT	= 5,
	PERF_SAMPLE_BRANCH_IND_CALL_SHIFT	= 6,
	PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT	= 7, /* aborts a transaction */
	PERF_SAMPLE_BRANCH_IN_TX_SHIFT		= 8, /* in a transaction */
	PERF_SAMPLE_BRANCH_NO_TX_SHIFT		= 9, /* not in one */
	PERF_SAMPLE_BRANCH_COND_SHIFT		= 10,

	PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT	= 11, /* calls still open */
	PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT	= 12,
	PERF_SAMPLE_BRANCH_CALL_SHIFT		= 13, /* direct calls */

	/* data to store */
	PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT	= 14, /* leave flags out */
	PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT	= 15, /* leave cycles out */

	PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT	= 16, /* kind, PERF_BR_* */

	PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT	= 17, /* place in hardware */

	PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT	= 18, /* mode, PERF_BR_PRIV_* */

	PERF_SAMPLE_BRANCH_COUNTERS_SHIFT	= 19, /* events in between */

	PERF_SAMPLE_BRANCH_MAX_SHIFT		/* limit */
};

enum perf_branch_sample_type {
	PERF_SAMPLE_BRANCH_USER		= 1U << PERF_SAMPLE_BRANCH_USER_SHIFT,
	PERF_SAMPLE_BRANCH_KERNEL	= 1U << PERF_SAMPLE_BRANCH_KERNEL_SHIFT,
	PERF_SAMPLE_BRANCH_HV		= 1U << PERF_SAMPLE_BRANCH_HV_SHIFT,

	PERF_SAMPLE_BRANCH_ANY		= 1U << PERF_SAMPLE_BRANCH_ANY_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_CALL	= 1U << PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_RETURN	= 1U << PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT,
	PERF_SAMPLE_BRANCH_IND_CALL	= 1U << PERF_SAMPLE_BRANCH_IND_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ABORT_TX	= 1U << PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT,
	PERF_SAMPLE_BRANCH_IN_TX	= 1U << PERF_SAMPLE_BRANCH_IN_TX_SHIFT,
	PERF_SAMPLE_BRANCH_NO_TX	= 1U << PERF_SAMPLE_BRANCH_NO_TX_SHIFT,
	PERF_SAMPLE_BRANCH_COND		= 1U << PERF_SAMPLE_BRANCH_COND_SHIFT,

	PERF_SAMPLE_BRANCH_CALL_STACK	= 1U << PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT,
	PERF_SAMPLE_BRANCH_IND_JUMP	= 1U << PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT,
	PERF_SAMPLE_BRANCH_CALL		= 1U << PERF_SAMPLE_BRANCH_CALL_SHIFT,

	PERF_SAMPLE_BRANCH_NO_FLAGS	= 1U << PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT,
	PERF_SAMPLE_BRANCH_NO_CYCLES	= 1U << PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT,

	PERF_SAMPLE_BRANCH_TYPE_SAVE	=
		1U << PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT,

	PERF_SAMPLE_BRANCH_HW_INDEX	= 1U << PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT,

	PERF_SAMPLE_BRANCH_PRIV_SAVE	= 1U << PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT,

	PERF_SAMPLE_BRANCH_COUNTERS	= 1U << PERF_SAMPLE_BRANCH_COUNTERS_SHIFT,

	PERF_SAMPLE_BRANCH_MAX		= 1U << PERF_SAMPLE_BRANCH_MAX_SHIFT,
};

#define PERF_SAMPLE_BRANCH_PLM_ALL \
	(PERF_SAMPLE_BRANCH_USER |	\
	 PERF_SAMPLE_BRANCH_KERNEL |	\
	 PERF_SAMPLE_BRANCH_HV)

/*
 * perf_event_attr::read_format: the 64-bit words that read(2), PERF_SAMPLE_READ
 * and PERF_RECORD_READ deliver. Words in braces come with the bit beside them.
 *
 * One event:		value
 *			{ enabled }	TOTAL_TIME_ENABLED
 *			{ running }	TOTAL_TIME_RUNNING
 *			{ id }		ID
 *			{ lost }	LOST
 *
 * With GROUP, for the leader:
 *			n, the number of members of the group
 *			{ enabled }	TOTAL_TIME_ENABLED
 *			{ running }	TOTAL_TIME_RUNNING
 *		and then n times, the leader first:
 *			value
 *			{ id }		ID
 *			{ lost }	LOST
 *
 * Times are nanoseconds. If running is less than enabled the event had to share
 * its counter; value * enabled / running is the estimate for the whole time.
 */
enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED		= 1U << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING		= 1U << 1,
	PERF_FORMAT_ID				= 1U << 2,
	PERF_FORMAT_GROUP			= 1U << 3,
	PERF_FORMAT_LOST			= 1U << 4,

	PERF_FORMAT_MAX = 1U << 5,		/* limit */
};

/*
 * ---------------------------------------------------------------------------
 * The description of an event
 * ---------------------------------------------------------------------------
 */

/*
 * Sizes of the versions of perf_event_attr, with the member that was new. A
 * kernel accepts a longer structure than it knows if the rest is zero;
 * otherwise it returns E2BIG and stores the size that it knows.
 */
#define PERF_ATTR_SIZE_VER0	64	/* bp_addr, the first one */
#define PERF_ATTR_SIZE_VER1	72	/* bp_len, config2 */
#define PERF_ATTR_SIZE_VER2	80	/* branch_sample_type */
#define PERF_ATTR_SIZE_VER3	96	/* sample_regs_user, sample_stack_user */
#define PERF_ATTR_SIZE_VER4	104	/* sample_regs_intr */
#define PERF_ATTR_SIZE_VER5	112	/* aux_watermark */
#define PERF_ATTR_SIZE_VER6	120	/* aux_sample_size */
#define PERF_ATTR_SIZE_VER7	128	/* sig_data */
#define PERF_ATTR_SIZE_VER8	136	/* config3 */
#define PERF_ATTR_SIZE_VER9	144	/* config4 */

/**
 * struct perf_event_attr - what to count, when, and what to report
 * @type: PMU, enum perf_type_id or a number from sysfs
 * @size: bytes of this structure; 0 stands for PERF_ATTR_SIZE_VER0
 * @config: event to count; the meaning depends on @type
 * @sample_period: number of events from one sample to the next; 0 for counting
 *	only
 * @sample_freq: with @freq: samples a second to aim at
 * @sample_type: PERF_SAMPLE_*
 * @read_format: PERF_FORMAT_*
 * @disabled: the event is not enabled when it is opened
 * @inherit: new children are counted as well, and added to this event
 * @pinned: always on the PMU, or in the error state; leaders only
 * @exclusive: no other group is on the PMU at the same time; leaders only
 * @exclude_user: leave out user mode
 * @exclude_kernel: leave out the kernel
 * @exclude_hv: leave out the hypervisor
 * @exclude_idle: leave out the idle task
 * @mmap: records of executable mappings
 * @comm: records of name changes
 * @freq: the union holds @sample_freq, not @sample_period
 * @inherit_stat: keep counts by thread
 * @enable_on_exec: enable the event at the next exec
 * @task: records of fork and exit
 * @watermark: the union holds @wakeup_watermark, not @wakeup_events
 * @precise_ip: distance allowed between the event and the address reported:
 *	0 any, 1 constant, 2 none if possible, 3 none. If the distance is none
 *	the sample has PERF_RECORD_MISC_EXACT_IP
 * @mmap_data: records of other mappings, too
 * @sample_id_all: all records have an identity at their end
 * @exclude_host: leave out everything outside of guests
 * @exclude_guest: leave out guests
 * @exclude_callchain_kernel: call chains without the kernel's part
 * @exclude_callchain_user: call chains without the user's part
 * @mmap2: mapping records name the file by inode
 * @comm_exec: name records say whether exec was the cause
 * @use_clockid: times come from the clock @clockid
 * @context_switch: records of context switches
 * @write_backward: records grow towards lower addresses, for buffers that
 *	overwrite themselves
 * @namespaces: records of namespace changes
 * @ksymbol: records of kernel code that is added or removed
 * @bpf_event: records of BPF programs that are loaded and unloaded
 * @aux_output: the hardware writes samples into the leader's AUX area
 * @cgroup: records of new cgroups
 * @text_poke: records of changes to kernel code
 * @build_id: mapping records name the file by build id
 * @inherit_thread: with @inherit: threads, not processes
 * @remove_on_exec: the event ends at exec
 * @sigtrap: SIGTRAP in the thread, at every sample
 * @__reserved_1: zero
 * @wakeup_events: number of samples after which the reader is woken
 * @wakeup_watermark: number of bytes after which the reader is woken
 * @bp_type: breakpoints: HW_BREAKPOINT_*
 * @bp_addr: breakpoints: address
 * @kprobe_func: kprobe PMU: pointer to the function's name
 * @uprobe_path: uprobe PMU: pointer to the file's name
 * @config1: other PMUs: more of @config
 * @bp_len: breakpoints: bytes, HW_BREAKPOINT_LEN_*
 * @kprobe_addr: kprobe PMU: address, if there is no name
 * @probe_offset: probe PMUs: offset in the function or file
 * @config2: other PMUs: more of @config
 * @branch_sample_type: PERF_SAMPLE_BRANCH_*
 * @sample_regs_user: PERF_SAMPLE_REGS_USER: registers, a bit each, numbered by
 *	<asm/perf_regs.h>
 * @sample_stack_user: PERF_SAMPLE_STACK_USER: bytes at most, a multiple of 8
 * @clockid: see clock_gettime(2)
 * @sample_regs_intr: PERF_SAMPLE_REGS_INTR: registers, likewise. With
 *	@precise_ip the values at the instruction, otherwise at the interrupt
 * @aux_watermark: number of bytes of AUX data after which the reader is woken
 * @sample_max_stack: most addresses in a call chain, 0 for the limit in
 *	/proc/sys/kernel/perf_event_max_stack, which it must not exceed
 * @__reserved_2: zero
 * @aux_sample_size: PERF_SAMPLE_AUX: bytes of AUX data in a sample
 * @aux_action: the next four fields as one word
 * @aux_start_paused: tracing waits for an event with @aux_resume
 * @aux_pause: a sample of this event pauses the leader's tracing
 * @aux_resume: a sample of this event resumes the leader's tracing
 * @__reserved_3: zero
 * @sig_data: @sigtrap: value for siginfo_t::si_perf_data, of which a 32-bit
 *	task gets the lower half
 * @config3: still more of @config
 * @config4: still more of @config; must be 0 for PMUs that do not use it
 */
struct perf_event_attr {
	__u32			type;
	__u32			size;
	__u64			config;

	union {
		__u64		sample_period;
		__u64		sample_freq;
	};

	__u64			sample_type;
	__u64			read_format;

	__u64			disabled       :  1,
				inherit	       :  1,
				pinned	       :  1,
				exclusive      :  1,
				exclude_user   :  1,
				exclude_kernel :  1,
				exclude_hv     :  1,
				exclude_idle   :  1,
				mmap           :  1,
				comm	       :  1,
				freq           :  1,
				inherit_stat   :  1,
				enable_on_exec :  1,
				task           :  1,
				watermark      :  1,
				precise_ip     :  2,
				mmap_data      :  1,
				sample_id_all  :  1,
				exclude_host   :  1,
				exclude_guest  :  1,
				exclude_callchain_kernel : 1,
				exclude_callchain_user   : 1,
				mmap2          :  1,
				comm_exec      :  1,
				use_clockid    :  1,
				context_switch :  1,
				write_backward :  1,
				namespaces     :  1,
				ksymbol        :  1,
				bpf_event      :  1,
				aux_output     :  1,
				cgroup         :  1,
				text_poke      :  1,
				build_id       :  1,
				inherit_thread :  1,
				remove_on_exec :  1,
				sigtrap        :  1,
				__reserved_1   : 26;

	union {
		__u32		wakeup_events;
		__u32		wakeup_watermark;
	};

	__u32			bp_type;
	union {
		__u64		bp_addr;
		__u64		kprobe_func;
		__u64		uprobe_path;
		__u64		config1;
	};
	union {
		__u64		bp_len;
		__u64		kprobe_addr;
		__u64		probe_offset;
		__u64		config2;
	};

	__u64			branch_sample_type;
	__u64			sample_regs_user;
	__u32			sample_stack_user;
	__s32			clockid;
	__u64			sample_regs_intr;

	__u32			aux_watermark;
	__u16			sample_max_stack;
	__u16			__reserved_2;
	__u32			aux_sample_size;

	union {
		__u32		aux_action;
		struct {
			__u32	aux_start_paused :  1,
				aux_pause        :  1,
				aux_resume       :  1,
				__reserved_3     : 29;
		};
	};

	__u64			sig_data;
	__u64			config3;
	__u64			config4;
};

/* The last argument of perf_event_open(2). */
#define PERF_FLAG_FD_NO_GROUP		(1UL << 0) /* group_fd: no leader */
#define PERF_FLAG_FD_OUTPUT		(1UL << 1) /* use group_fd's buffer */
#define PERF_FLAG_PID_CGROUP		(1UL << 2) /* pid is a cgroup's fd */
#define PERF_FLAG_FD_CLOEXEC		(1UL << 3) /* as O_CLOEXEC */

/*
 * ---------------------------------------------------------------------------
 * ioctl(2)
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_event_query_bpf - BPF programs at the event's tracepoint
 * @ids_len: in: number of elements of @ids
 * @prog_cnt: out: number of programs
 * @ids: out: ids of the programs
 */
struct perf_event_query_bpf {
	__u32	ids_len;
	__u32	prog_cnt;
	__u32	ids[];
};

/*
 * ENABLE, DISABLE and RESET take PERF_IOC_FLAG_GROUP or 0. RESET clears the
 * count, not the times. REFRESH adds to the number of samples after which the
 * event is disabled. PERIOD takes a pointer to the new period or frequency.
 * SET_OUTPUT takes the descriptor of the event with the buffer, -1 for none.
 */
#define PERF_EVENT_IOC_ENABLE			_IO('$', 0)
#define PERF_EVENT_IOC_DISABLE			_IO('$', 1)
#define PERF_EVENT_IOC_REFRESH			_IO('$', 2)
#define PERF_EVENT_IOC_RESET			_IO('$', 3)
#define PERF_EVENT_IOC_PERIOD			_IOW('$', 4, __u64)
#define PERF_EVENT_IOC_SET_OUTPUT		_IO('$', 5)
#define PERF_EVENT_IOC_SET_FILTER		_IOW('$', 6, char *)
#define PERF_EVENT_IOC_ID			_IOR('$', 7, __u64 *)
#define PERF_EVENT_IOC_SET_BPF			_IOW('$', 8, __u32)
#define PERF_EVENT_IOC_PAUSE_OUTPUT		_IOW('$', 9, __u32)
#define PERF_EVENT_IOC_QUERY_BPF		_IOWR('$', 10, struct perf_event_query_bpf *)
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES	_IOW('$', 11, struct perf_event_attr *)

enum perf_event_ioc_flags {
	PERF_IOC_FLAG_GROUP		= 1U << 0, /* leader and siblings */
};

/*
 * ---------------------------------------------------------------------------
 * mmap(2)
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_event_mmap_page - the first page of a mapping
 * @version: of this structure, 0
 * @compat_version: lowest version whose readers understand it, 0
 * @lock: sequence count; changes whenever other fields change
 * @index: counter plus one, 0 while the event has no counter
 * @offset: number to add to the counter's value
 * @time_enabled: nanoseconds enabled, as of the last update
 * @time_running: nanoseconds on the PMU, as of the last update
 * @capabilities: the next fields as one word
 * @cap_bit0: 0; in older kernels it had two meanings
 * @cap_bit0_is_deprecated: 1; shows that the kernel does not use bit 0
 * @cap_user_rdpmc: the counter may be read from user space, by a reader as
 *	described below
 * @cap_user_time: @time_shift, @time_mult and @time_offset are valid, and the
 *	times can be computed as described below
 * @cap_user_time_zero: @time_zero is valid
 * @cap_user_time_short: @time_cycles and @time_mask are valid
 * @cap_____res: 0
 * @pmc_width: bits of a counter
 * @time_shift: see below
 * @time_mult: see below
 * @time_offset: see below
 * @time_zero: see below
 * @size: bytes of the structure up to @__reserved
 * @__reserved_1: 0
 * @time_cycles: see below
 * @time_mask: see below
 * @__reserved: 0; fills the first kilobyte
 * @data_head: bytes ever written into the ring
 * @data_tail: bytes ever read from the ring; written by user space
 * @data_offset: from the start of the mapping to the ring
 * @data_size: bytes of the ring, a power of two
 * @aux_head: as @data_head, for the AUX area
 * @aux_tail: as @data_tail, for the AUX area
 * @aux_offset: offset of the AUX area; set by user space before it maps the
 *	area, not below @data_offset + @data_size
 * @aux_size: bytes of the AUX area, set along with @aux_offset
 *
 * A thread can read its own count without a system call. This is for
 * self-monitoring: the reader must be the thread that the event counts, or, for
 * an event of a CPU, a thread that was bound to this CPU alone when it mapped
 * the page, and still is. All mappings must belong to such readers, and the
 * event must not be inherited. Otherwise @cap_user_rdpmc, @cap_user_time and
 * @index are 0, since counter and clock would be wrong; use read(2) then::
 *
 *	do {
 *		before = pg->lock;
 *		barrier();
 *		total = pg->offset;
 *		which = pg->index;
 *		if (pg->cap_user_rdpmc && which)
 *			total += sign_extend(rdpmc(which - 1), pg->pmc_width);
 *		barrier();
 *	} while (before != pg->lock);
 *
 * The times are read in the same loop. To bring them up to date, with T ticks
 * of the hardware's clock::
 *
 *	ns(T) = (T >> shift) * mult + (((T & ((1 << shift) - 1)) * mult) >> shift)
 *	passed = time_offset + ns(T)
 *
 * If @index is not 0, add passed to both @time_enabled and @time_running. If it
 * is 0, add it to @time_enabled only, and not even that if the two are equal:
 * such an event counts in software, or has not run yet. The time stamp of a
 * record that was taken at T is @time_zero + ns(T). A clock of fewer than 64
 * bits is widened first::
 *
 *	T = time_cycles + ((T - time_cycles) & time_mask)
 *
 * The ring: with a writable mapping the kernel never overwrites bytes from
 * @data_tail to @data_head; with a read-only mapping it does. Load @data_head,
 * then (acquire) the records; read them, then (release) store @data_tail.
 */
struct perf_event_mmap_page {
	__u32	version;
	__u32	compat_version;

	__u32	lock;
	__u32	index;
	__s64	offset;
	__u64	time_enabled;
	__u64	time_running;
	union {
		__u64	capabilities;
		struct {
			__u64	cap_bit0		: 1,
				cap_bit0_is_deprecated	: 1,

				cap_user_rdpmc		: 1,
				cap_user_time		: 1,
				cap_user_time_zero	: 1,
				cap_user_time_short	: 1,
				cap_____res		: 58;
		};
	};

	__u16	pmc_width;
	__u16	time_shift;
	__u32	time_mult;
	__u64	time_offset;
	__u64	time_zero;

	__u32	size;
	__u32	__reserved_1;

	__u64	time_cycles;
	__u64	time_mask;

	__u8	__reserved[116 * 8];

	__u64   data_head;
	__u64	data_tail;
	__u64	data_offset;
	__u64	data_size;

	__u64	aux_head;
	__u64	aux_tail;
	__u64	aux_offset;
	__u64	aux_size;
};

/*
 * ---------------------------------------------------------------------------
 * Records
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_event_header - the start of every record
 * @type: enum perf_event_type
 * @misc: PERF_RECORD_MISC_*
 * @size: bytes of the record, a multiple of 8; the next one follows
 */
struct perf_event_header {
	__u32	type;
	__u16	misc;
	__u16	size;
};

/*
 * perf_event_header::misc. Bits 0 to 2 name the mode of the CPU. The meaning of
 * bits 13 and 14 depends on the type of record. Only the perf tool writes bit
 * 12, and bit 13 as FORK_EXEC. Bit 15 is kept for extensions.
 */
#define PERF_RECORD_MISC_CPUMODE_MASK		(7 << 0)
#define PERF_RECORD_MISC_CPUMODE_UNKNOWN	(0 << 0)
#define PERF_RECORD_MISC_KERNEL			(1 << 0)
#define PERF_RECORD_MISC_USER			(2 << 0)
#define PERF_RECORD_MISC_HYPERVISOR		(3 << 0)
#define PERF_RECORD_MISC_GUEST_KERNEL		(4 << 0)
#define PERF_RECORD_MISC_GUEST_USER		(5 << 0)

/* The tool gave up reading /proc/PID/maps. */
#define PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT	(1 << 12)

#define PERF_RECORD_MISC_MMAP_DATA		(1 << 13) /* not executable */
#define PERF_RECORD_MISC_COMM_EXEC		(1 << 13) /* named by exec */
#define PERF_RECORD_MISC_FORK_EXEC		(1 << 13) /* fork with exec */
#define PERF_RECORD_MISC_SWITCH_OUT		(1 << 13) /* leaves the CPU */

#define PERF_RECORD_MISC_EXACT_IP		(1 << 14) /* ip has no skid */
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT	(1 << 14) /* preempted */
#define PERF_RECORD_MISC_MMAP_BUILD_ID		(1 << 14) /* has a build id */

#define PERF_RECORD_MISC_EXT_RESERVED		(1 << 15)

/**
 * struct perf_ns_link_info - a namespace, as PERF_RECORD_NAMESPACES names it
 * @dev: device of its inode
 * @ino: number of its inode
 */
struct perf_ns_link_info {
	__u64	dev;
	__u64	ino;
};

/* The order of namespaces in PERF_RECORD_NAMESPACES. */
enum {
	NET_NS_INDEX		= 0,
	UTS_NS_INDEX		= 1,
	IPC_NS_INDEX		= 2,
	PID_NS_INDEX		= 3,
	USER_NS_INDEX		= 4,
	MNT_NS_INDEX		= 5,
	CGROUP_NS_INDEX		= 6,

	NR_NAMESPACES,		/* limit */
};

/*
 * perf_event_header::type. Below, a field is written as NAME/BYTES; NAME/s is a
 * string with its zero byte, padded with zeros to a multiple of 8; fields in
 * braces depend on the bit to their right.
 *
 * With attr.sample_id_all all records but samples end in an identity, of which
 * each field is optional:
 *
 *	{ pid/4 tid/4 }		PERF_SAMPLE_TID
 *	{ time/8 }		PERF_SAMPLE_TIME
 *	{ id/8 }		PERF_SAMPLE_ID
 *	{ stream/8 }		PERF_SAMPLE_STREAM_ID
 *	{ cpu/4 0/4 }		PERF_SAMPLE_CPU
 *	{ id/8 }		PERF_SAMPLE_IDENTIFIER
 *
 * IDENTIFIER repeats ID in a place that does not depend on other fields: here
 * the last word of the record, in samples the first.
 */
enum perf_event_type {
	/*
	 * An executable mapping, or any with attr.mmap_data.
	 *
	 *	pid/4 tid/4 addr/8 len/8 pgoff/8 filename/s
	 */
	PERF_RECORD_MMAP			= 1,

	/*
	 * A number of records did not fit into the buffer.
	 *
	 *	id/8 lost/8
	 */
	PERF_RECORD_LOST			= 2,

	/*
	 * A thread has a new name.
	 *
	 *	pid/4 tid/4 comm/s
	 */
	PERF_RECORD_COMM			= 3,

	/*
	 * A thread has exited.
	 *
	 *	pid/4 ppid/4 tid/4 ptid/4 time/8
	 */
	PERF_RECORD_EXIT			= 4,

	/*
	 * The event exceeded its share of interrupts and is stopped; it
	 * continues. Both:
	 *
	 *	time/8 id/8 stream/8
	 */
	PERF_RECORD_THROTTLE			= 5,
	PERF_RECORD_UNTHROTTLE			= 6,

	/*
	 * A thread was created; fields as in EXIT.
	 */
	PERF_RECORD_FORK			= 7,

	/*
	 * Counts of a thread that exits, with attr.inherit_stat.
	 *
	 *	pid/4 tid/4, then as PERF_FORMAT_* says
	 */
	PERF_RECORD_READ			= 8,

	/*
	 * An overflow.
	 *
	 *	{ id/8 }			PERF_SAMPLE_IDENTIFIER
	 *	{ ip/8 }			PERF_SAMPLE_IP
	 *	{ pid/4 tid/4 }			PERF_SAMPLE_TID
	 *	{ time/8 }			PERF_SAMPLE_TIME
	 *	{ addr/8 }			PERF_SAMPLE_ADDR
	 *	{ id/8 }			PERF_SAMPLE_ID
	 *	{ stream/8 }			PERF_SAMPLE_STREAM_ID
	 *	{ cpu/4 0/4 }			PERF_SAMPLE_CPU
	 *	{ period/8 }			PERF_SAMPLE_PERIOD
	 *	{ as PERF_FORMAT_* says }	PERF_SAMPLE_READ
	 *	{ n/8, n times ip/8 }		PERF_SAMPLE_CALLCHAIN
	 *	{ n/4, n bytes }		PERF_SAMPLE_RAW
	 *	{ n/8				PERF_SAMPLE_BRANCH_STACK
	 *	  { index/8 }				BRANCH_HW_INDEX
	 *	  n times struct perf_branch_entry
	 *	  { n times counters/8 } }		BRANCH_COUNTERS
	 *	{ abi/8, regs/8 each }		PERF_SAMPLE_REGS_USER
	 *	{ n/8, n bytes, used/8 }	PERF_SAMPLE_STACK_USER
	 *	{ union perf_sample_weight }	PERF_SAMPLE_WEIGHT_TYPE
	 *	{ union perf_mem_data_src }	PERF_SAMPLE_DATA_SRC
	 *	{ PERF_TXN_* /8 }		PERF_SAMPLE_TRANSACTION
	 *	{ abi/8, regs/8 each }		PERF_SAMPLE_REGS_INTR
	 *	{ physical address/8 }		PERF_SAMPLE_PHYS_ADDR
	 *	{ cgroup id/8 }			PERF_SAMPLE_CGROUP
	 *	{ bytes of addr's page/8 }	PERF_SAMPLE_DATA_PAGE_SIZE
	 *	{ bytes of ip's page/8 }	PERF_SAMPLE_CODE_PAGE_SIZE
	 *	{ n/8, n bytes }		PERF_SAMPLE_AUX
	 *
	 * The PMU or the tracepoint defines the bytes of RAW, which are not
	 * ABI. abi is an enum perf_sample_regs_abi; with NONE no registers
	 * follow, otherwise one for each bit of the mask in attr. The files
	 * caps/branch_counter_nr and caps/branch_counter_width in sysfs
	 * describe the counters of a branch. If n is 0 in STACK_USER there is
	 * no used/8.
	 */
	PERF_RECORD_SAMPLE			= 9,

	/*
	 * MMAP with attr.mmap2. It names the file by device and inode, or with
	 * PERF_RECORD_MISC_MMAP_BUILD_ID by build id:
	 *
	 *	pid/4 tid/4 addr/8 len/8 pgoff/8
	 *	maj/4 min/4 ino/8 generation/8, or: n/1 0/1 0/2 build-id/20
	 *	prot/4 flags/4 filename/s
	 */
	PERF_RECORD_MMAP2			= 10,

	/*
	 * AUX data was written. flags is PERF_AUX_FLAG_*.
	 *
	 *	offset/8 size/8 flags/8
	 */
	PERF_RECORD_AUX				= 11,

	/*
	 * The trace of a thread begins.
	 *
	 *	pid/4 tid/4
	 */
	PERF_RECORD_ITRACE_START		= 12,

	/*
	 * The hardware or its driver dropped a number of samples.
	 *
	 *	lost/8
	 */
	PERF_RECORD_LOST_SAMPLES		= 13,

	/*
	 * The event's task is switched in, or with PERF_RECORD_MISC_SWITCH_OUT
	 * switched out. No fields.
	 */
	PERF_RECORD_SWITCH			= 14,

	/*
	 * The same for events of a CPU, with the other task of the switch.
	 *
	 *	pid/4 tid/4
	 */
	PERF_RECORD_SWITCH_CPU_WIDE		= 15,

	/*
	 * A thread's namespaces, at fork and at any change.
	 *
	 *	pid/4 tid/4 n/8, n times struct perf_ns_link_info
	 */
	PERF_RECORD_NAMESPACES			= 16,

	/*
	 * Kernel code was added or removed. type is an
	 * enum perf_record_ksymbol_type.
	 *
	 *	addr/8 len/4 type/2 flags/2 name/s
	 */
	PERF_RECORD_KSYMBOL			= 17,

	/*
	 * A BPF program was loaded or unloaded: enum perf_bpf_event_type.
	 *
	 *	type/2 flags/2 id/4 tag/8
	 */
	PERF_RECORD_BPF_EVENT			= 18,

	/*
	 * A cgroup was created.
	 *
	 *	id/8 path/s
	 */
	PERF_RECORD_CGROUP			= 19,

	/*
	 * Kernel code was changed: the old bytes, then the new bytes. If n is
	 * 0 the code is new, if m is 0 it was removed.
	 *
	 *	addr/8 n/2 m/2 old/n new/m, zeros to a multiple of 8
	 */
	PERF_RECORD_TEXT_POKE			= 20,

	/*
	 * The id that the hardware uses for this event in an AUX area that has
	 * samples of several events. The identity names the event.
	 *
	 *	hw_id/8
	 */
	PERF_RECORD_AUX_OUTPUT_HW_ID		= 21,

	PERF_RECORD_MAX,			/* limit */
};

enum perf_record_ksymbol_type {
	PERF_RECORD_KSYMBOL_TYPE_UNKNOWN	= 0,
	PERF_RECORD_KSYMBOL_TYPE_BPF		= 1, /* a compiled program */
	PERF_RECORD_KSYMBOL_TYPE_OOL		= 2, /* probe or trampoline */
	PERF_RECORD_KSYMBOL_TYPE_MAX		/* limit */
};

#define PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER	(1 << 0) /* removed */

enum perf_bpf_event_type {
	PERF_BPF_EVENT_UNKNOWN		= 0,
	PERF_BPF_EVENT_PROG_LOAD	= 1,
	PERF_BPF_EVENT_PROG_UNLOAD	= 2,
	PERF_BPF_EVENT_MAX,		/* limit */
};

/* flags of PERF_RECORD_AUX. */
#define PERF_AUX_FLAG_TRUNCATED			0x01	/* the area was full */
#define PERF_AUX_FLAG_OVERWRITE			0x02	/* taken from a ring */
#define PERF_AUX_FLAG_PARTIAL			0x04	/* something is missing */
#define PERF_AUX_FLAG_COLLISION			0x08	/* samples overlapped */
#define PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK	0xff00	/* up to the PMU */

/* ... for CoreSight: */
#define PERF_AUX_FLAG_CORESIGHT_FORMAT_CORESIGHT	0x0000 /* framed */
#define PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW		0x0100 /* as it came */

/*
 * ---------------------------------------------------------------------------
 * Fields of a sample
 * ---------------------------------------------------------------------------
 */

/* Defaults of the sysctls perf_event_max_stack and _max_contexts_per_stack. */
#define PERF_MAX_STACK_DEPTH		127
#define PERF_MAX_CONTEXTS_PER_STACK	  8

/* Marks in a call chain: the addresses after a mark belong to ... */
enum perf_callchain_context {
	PERF_CONTEXT_HV			= (__u64)-32,
	PERF_CONTEXT_KERNEL		= (__u64)-128,
	PERF_CONTEXT_USER		= (__u64)-512,

	PERF_CONTEXT_GUEST		= (__u64)-2048,
	PERF_CONTEXT_GUEST_KERNEL	= (__u64)-2176,
	PERF_CONTEXT_GUEST_USER		= (__u64)-2560,

	PERF_CONTEXT_MAX		= (__u64)-4095, /* no address above */
};

/* abi of the register fields. */
enum perf_sample_regs_abi {
	PERF_SAMPLE_REGS_ABI_NONE	= 0,
	PERF_SAMPLE_REGS_ABI_32		= 1,
	PERF_SAMPLE_REGS_ABI_64		= 2,
};

/* PERF_SAMPLE_TRANSACTION: bits, and the code of an abort in the upper half. */
enum {
	PERF_TXN_ELISION        = (1 << 0), /* lock elision */
	PERF_TXN_TRANSACTION    = (1 << 1), /* explicit transaction */
	PERF_TXN_SYNC           = (1 << 2), /* aborted by this instruction */
	PERF_TXN_ASYNC          = (1 << 3), /* aborted by something else */
	PERF_TXN_RETRY          = (1 << 4), /* may succeed next time */
	PERF_TXN_CONFLICT       = (1 << 5), /* another CPU accessed the data */
	PERF_TXN_CAPACITY_WRITE = (1 << 6), /* too much was written */
	PERF_TXN_CAPACITY_READ  = (1 << 7), /* too much was read */

	PERF_TXN_MAX	        = (1 << 8), /* limit */

	PERF_TXN_ABORT_MASK  = (0xffffffffULL << 32),
	PERF_TXN_ABORT_SHIFT = 32,
};

/**
 * struct perf_branch_entry - one taken branch
 * @from: address of the branch, or of another cause such as an interrupt
 * @to: target address
 * @mispred: the target was predicted wrongly
 * @predicted: the target was predicted rightly; both are 0 if it is not known
 * @in_tx: in a hardware transaction
 * @abort: aborted a transaction
 * @cycles: since the previous entry, 0 for unknown
 * @type: PERF_BR_*
 * @spec: PERF_BR_SPEC_*
 * @new_type: PERF_BR_NEW_*, if @type is PERF_BR_EXTEND_ABI
 * @priv: PERF_BR_PRIV_*
 * @reserved: 0
 */
struct perf_branch_entry {
	__u64	from;
	__u64	to;
	__u64	mispred:1,
		predicted:1,
		in_tx:1,
		abort:1,
		cycles:16,
		type:4,
		spec:2,
		new_type:4,
		priv:3,
		reserved:31;
};

/* Number of bits of the third word that are used. */
#define PERF_BRANCH_ENTRY_INFO_BITS_MAX		33

/* Kinds of branch. */
enum {
	PERF_BR_UNKNOWN		= 0,
	PERF_BR_COND		= 1,	/* conditional */
	PERF_BR_UNCOND		= 2,	/* jump */
	PERF_BR_IND		= 3,	/* indirect jump */
	PERF_BR_CALL		= 4,
	PERF_BR_IND_CALL	= 5,	/* indirect call */
	PERF_BR_RET		= 6,
	PERF_BR_SYSCALL		= 7,
	PERF_BR_SYSRET		= 8,
	PERF_BR_COND_CALL	= 9,
	PERF_BR_COND_RET	= 10,
	PERF_BR_ERET		= 11,	/* out of an exception */
	PERF_BR_IRQ		= 12,
	PERF_BR_SERROR		= 13,	/* system error */
	PERF_BR_NO_TX		= 14,	/* outside of transactions */
	PERF_BR_EXTEND_ABI	= 15,	/* look at new_type */
	PERF_BR_MAX,			/* limit */
};

/* Speculation. */
enum {
	PERF_BR_SPEC_NA			= 0,	/* unknown */
	PERF_BR_SPEC_WRONG_PATH		= 1,	/* speculative, undone */
	PERF_BR_NON_SPEC_CORRECT_PATH	= 2,	/* not speculative */
	PERF_BR_SPEC_CORRECT_PATH	= 3,	/* speculative, correct */
	PERF_BR_SPEC_MAX,			/* limit */
};

/* Further kinds; the names of ARCH_1 to 5 follow. */
enum {
	PERF_BR_NEW_FAULT_ALGN		= 0,	/* bad alignment */
	PERF_BR_NEW_FAULT_DATA		= 1,	/* fault of an access */
	PERF_BR_NEW_FAULT_INST		= 2,	/* fault of a fetch */
	PERF_BR_NEW_ARCH_1		= 3,
	PERF_BR_NEW_ARCH_2		= 4,
	PERF_BR_NEW_ARCH_3		= 5,
	PERF_BR_NEW_ARCH_4		= 6,
	PERF_BR_NEW_ARCH_5		= 7,
	PERF_BR_NEW_MAX,			/* limit */
};

#define PERF_BR_ARM64_FIQ		PERF_BR_NEW_ARCH_1
#define PERF_BR_ARM64_DEBUG_HALT	PERF_BR_NEW_ARCH_2
#define PERF_BR_ARM64_DEBUG_EXIT	PERF_BR_NEW_ARCH_3
#define PERF_BR_ARM64_DEBUG_INST	PERF_BR_NEW_ARCH_4
#define PERF_BR_ARM64_DEBUG_DATA	PERF_BR_NEW_ARCH_5

/* Modes. */
enum {
	PERF_BR_PRIV_UNKNOWN	= 0,
	PERF_BR_PRIV_USER	= 1,
	PERF_BR_PRIV_KERNEL	= 2,
	PERF_BR_PRIV_HV		= 3,
};

/*
 * PERF_SAMPLE_WEIGHT uses full, PERF_SAMPLE_WEIGHT_STRUCT the three parts: the
 * cost of the access, usually cycles of latency, and two values that the PMU
 * defines.
 */
union perf_sample_weight {
	__u64		full;
#if defined(__LITTLE_ENDIAN_BITFIELD)
	struct {
		__u32	var1_dw;
		__u16	var2_w;
		__u16	var3_w;
	};
#elif defined(__BIG_ENDIAN_BITFIELD)
	struct {
		__u16	var3_w;
		__u16	var2_w;
		__u32	var1_dw;
	};
#else
#error "Unknown endianness"
#endif
};

/*
 * PERF_SAMPLE_DATA_SRC: an access to memory. Values are PERF_MEM_*, combined
 * with PERF_MEM_S(). mem_lvl is the older encoding of where the data came from;
 * mem_lvl_num, mem_remote, mem_hops and mem_snoopx are the newer one.
 */
#if defined(__LITTLE_ENDIAN_BITFIELD)
union perf_mem_data_src {
	__u64 val;
	struct {
		__u64   mem_op:5,
			mem_lvl:14,
			mem_snoop:5,
			mem_lock:2,
			mem_dtlb:7,
			mem_lvl_num:4,
			mem_remote:1,
			mem_snoopx:2,
			mem_blk:3,
			mem_hops:3,
			mem_region:5,
			mem_rsvd:13;
	};
};
#elif defined(__BIG_ENDIAN_BITFIELD)
union perf_mem_data_src {
	__u64 val;
	struct {
		__u64	mem_rsvd:13,
			mem_region:5,
			mem_hops:3,
			mem_blk:3,
			mem_snoopx:2,
			mem_remote:1,
			mem_lvl_num:4,
			mem_dtlb:7,
			mem_lock:2,
			mem_snoop:5,
			mem_lvl:14,
			mem_op:5;
	};
};
#else
#error "Unknown endianness"
#endif

/* PERF_MEM_S(LVL, HIT) is PERF_MEM_LVL_HIT, shifted to its place. */
#define PERF_MEM_S(a, s) \
	(((__u64)PERF_MEM_##a##_##s) << PERF_MEM_##a##_SHIFT)

/* mem_op: the kind of access. In all fields NA means "not known". */
#define PERF_MEM_OP_NA		0x01
#define PERF_MEM_OP_LOAD	0x02
#define PERF_MEM_OP_STORE	0x04
#define PERF_MEM_OP_PFETCH	0x08
#define PERF_MEM_OP_EXEC	0x10 /* fetched as code */
#define PERF_MEM_OP_SHIFT	0

/* mem_lvl: hit or miss, and the level. */
#define PERF_MEM_LVL_NA		0x01
#define PERF_MEM_LVL_HIT	0x02
#define PERF_MEM_LVL_MISS	0x04
#define PERF_MEM_LVL_L1		0x08
#define PERF_MEM_LVL_LFB	0x10 /* line fill buffer */
#define PERF_MEM_LVL_L2		0x20
#define PERF_MEM_LVL_L3		0x40
#define PERF_MEM_LVL_LOC_RAM	0x80 /* this node's memory */
#define PERF_MEM_LVL_REM_RAM1	0x100 /* a neighbour's */
#define PERF_MEM_LVL_REM_RAM2	0x200 /* farther away */
#define PERF_MEM_LVL_REM_CCE1	0x400 /* a neighbour's cache */
#define PERF_MEM_LVL_REM_CCE2	0x800 /* farther away */
#define PERF_MEM_LVL_IO		0x1000
#define PERF_MEM_LVL_UNC	0x2000 /* bypasses the caches */
#define PERF_MEM_LVL_SHIFT	5

/* mem_remote: of another node. */
#define PERF_MEM_REMOTE_REMOTE	0x01
#define PERF_MEM_REMOTE_SHIFT	37

/* mem_lvl_num: a number, not bits. */
#define PERF_MEM_LVLNUM_L1	0x01
#define PERF_MEM_LVLNUM_L2	0x02
#define PERF_MEM_LVLNUM_L3	0x03
#define PERF_MEM_LVLNUM_L4	0x04
#define PERF_MEM_LVLNUM_L2_MHB	0x05 /* miss buffer of the second level */
#define PERF_MEM_LVLNUM_MSC	0x06 /* cache of the memory controller */
#define PERF_MEM_LVLNUM_L0	0x07
#define PERF_MEM_LVLNUM_UNC	0x08
#define PERF_MEM_LVLNUM_CXL	0x09
#define PERF_MEM_LVLNUM_IO	0x0a
#define PERF_MEM_LVLNUM_ANY_CACHE 0x0b
#define PERF_MEM_LVLNUM_LFB	0x0c /* miss buffer of the first level */
#define PERF_MEM_LVLNUM_RAM	0x0d
#define PERF_MEM_LVLNUM_PMEM	0x0e
#define PERF_MEM_LVLNUM_NA	0x0f

#define PERF_MEM_LVLNUM_SHIFT	33

/* mem_snoop: answers of other caches. */
#define PERF_MEM_SNOOP_NA	0x01
#define PERF_MEM_SNOOP_NONE	0x02 /* no cache was asked */
#define PERF_MEM_SNOOP_HIT	0x04 /* one had it, unmodified */
#define PERF_MEM_SNOOP_MISS	0x08 /* none had it */
#define PERF_MEM_SNOOP_HITM	0x10 /* one had it, modified */
#define PERF_MEM_SNOOP_SHIFT	19

/* mem_snoopx: more answers of other caches. */
#define PERF_MEM_SNOOPX_FWD	0x01 /* forwarded by one */
#define PERF_MEM_SNOOPX_PEER	0x02 /* from a cache of the same level */
#define PERF_MEM_SNOOPX_SHIFT  38

/* mem_lock: whether the access was atomic. */
#define PERF_MEM_LOCK_NA	0x01
#define PERF_MEM_LOCK_LOCKED	0x02
#define PERF_MEM_LOCK_SHIFT	24

/* mem_dtlb: how the address was translated. */
#define PERF_MEM_TLB_NA		0x01
#define PERF_MEM_TLB_HIT	0x02
#define PERF_MEM_TLB_MISS	0x04
#define PERF_MEM_TLB_L1		0x08
#define PERF_MEM_TLB_L2		0x10
#define PERF_MEM_TLB_WK		0x20 /* page walk in hardware */
#define PERF_MEM_TLB_OS		0x40 /* the kernel, by a fault */
#define PERF_MEM_TLB_SHIFT	26

/* mem_blk: why a load had to wait for a store. */
#define PERF_MEM_BLK_NA		0x01
#define PERF_MEM_BLK_DATA	0x02 /* the store's data was not ready */
#define PERF_MEM_BLK_ADDR	0x04 /* the addresses conflict */
#define PERF_MEM_BLK_SHIFT	40

/* mem_hops: distance of the data, a number; 5 to 7 are free. */
#define PERF_MEM_HOPS_0		0x01 /* another core of the node */
#define PERF_MEM_HOPS_1		0x02 /* another node of the socket */
#define PERF_MEM_HOPS_2		0x03 /* another socket of the board */
#define PERF_MEM_HOPS_3		0x04 /* another board */
#define PERF_MEM_HOPS_SHIFT	43

/* mem_region: kind of memory that had the data, a number; 16 to 31 are free. */
#define PERF_MEM_REGION_NA	0x0
#define PERF_MEM_REGION_RSVD	0x1
#define PERF_MEM_REGION_L_SHARE	0x2 /* this node's cache, shared line */
#define PERF_MEM_REGION_L_NON_SHARE 0x3 /* this node's cache, other line */
#define PERF_MEM_REGION_O_IO	0x4 /* I/O of another node */
#define PERF_MEM_REGION_O_SHARE	0x5 /* another node's cache, shared line */
#define PERF_MEM_REGION_O_NON_SHARE 0x6 /* another node's, other line */
#define PERF_MEM_REGION_MMIO	0x7 /* registers of a device */
#define PERF_MEM_REGION_MEM0	0x8 /* ranges of memory that firmware numbers */
#define PERF_MEM_REGION_MEM1	0x9
#define PERF_MEM_REGION_MEM2	0xa
#define PERF_MEM_REGION_MEM3	0xb
#define PERF_MEM_REGION_MEM4	0xc
#define PERF_MEM_REGION_MEM5	0xd
#define PERF_MEM_REGION_MEM6	0xe
#define PERF_MEM_REGION_MEM7	0xf
#define PERF_MEM_REGION_SHIFT	46

#endif /* _UAPI_LINUX_PERF_EVENT_H */
