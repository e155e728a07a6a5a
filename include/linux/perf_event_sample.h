/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf events: samples, their pieces, and other records. For PMU drivers, and for
 * code that makes records of its own.
 */
#ifndef _LINUX_PERF_EVENT_SAMPLE_H
#define _LINUX_PERF_EVENT_SAMPLE_H

#include <linux/perf_event_types.h>
#include <uapi/linux/bpf_perf_event.h>

#ifdef CONFIG_PERF_EVENTS
# include <asm/perf_event.h>
#endif

#include <linux/cache.h>
#include <linux/ftrace.h>
#include <linux/math.h>
#include <linux/perf_regs.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>

/*
 * ---------------------------------------------------------------------------
 * Pieces
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_callchain_entry - a recorded stack
 */
struct perf_callchain_entry {
	/** @nr: used slots of @ip. */
	__u64				nr;
	/**
	 * @ip: return addresses and PERF_CONTEXT_* marks, innermost frame
	 * first; room for sysctl_perf_event_max_stack addresses and
	 * sysctl_perf_event_max_contexts_per_stack marks.
	 */
	__u64				ip[];
};

/**
 * struct perf_callchain_entry_ctx - a stack while it is being walked
 */
struct perf_callchain_entry_ctx {
	/** @entry: destination of the frames. */
	struct perf_callchain_entry	*entry;
	/** @max_stack: number of addresses that the event requests. */
	u32				max_stack;
	/** @nr: addresses stored so far, marks not counted. */
	u32				nr;
	/** @contexts: marks stored so far. */
	short				contexts;
	/** @contexts_maxed: a mark did not fit; nothing more is stored. */
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
 */
struct perf_raw_frag {
	union {
		/** @next: following fragment, in all but the last. */
		struct perf_raw_frag	*next;
		/**
		 * @pad: in the last fragment: number of zero bytes that fill
		 * the payload up to a multiple of eight; 0 to 7 cannot be a
		 * pointer.
		 */
		unsigned long		pad;
	};
	/** @copy: function that copies @data, NULL for plain memory. */
	perf_copy_f			copy;
	/** @data: source. */
	void				*data;
	/** @size: bytes of @data. */
	u32				size;
} __packed;

/**
 * struct perf_raw_record - a PERF_SAMPLE_RAW payload
 */
struct perf_raw_record {
	/** @frag: head of the fragments. */
	struct perf_raw_frag		frag;
	/**
	 * @size: bytes of all of them with padding, set when the record is
	 * saved into the sample.
	 */
	u32				size;
};

static __always_inline bool perf_raw_frag_last(const struct perf_raw_frag *frag)
{
	return frag->pad < sizeof(u64);
}

/**
 * struct perf_branch_stack - taken branches before a sample
 */
struct perf_branch_stack {
	/** @nr: used @entries; differs from one sample to the next. */
	__u64				nr;
	/**
	 * @hw_idx: position of the youngest branch in the hardware's own array,
	 * 0 if that array is ordered by age, -1ULL if the position is not
	 * known. The depth of the array is in sysfs, caps/branches.
	 */
	__u64				hw_idx;
	/** @entries: youngest first, whatever the order in hardware. */
	struct perf_branch_entry	entries[];
};

/**
 * struct perf_output_handle - an open reservation in a ring buffer
 *
 * Lives on the writer's stack, or in per-CPU memory for AUX, on one CPU.
 */
struct perf_output_handle {
	/** @event: event that writes the record. */
	struct perf_event		*event;
	/** @rb: buffer, referenced until the end call. */
	struct perf_buffer		*rb;
	/**
	 * @wakeup: records: the buffer's wakeup stamp at begin; if it differs
	 * at the end, readers are woken. AUX: position at which they are woken.
	 */
	unsigned long			wakeup;
	/**
	 * @size: bytes left on the current page (records), or bytes free (AUX).
	 */
	unsigned long			size;
	union {
		/** @flags: modifiers of perf_output_*(). */
		u64			flags;
		/**
		 * @aux_flags: PERF_AUX_FLAG_* collected for the
		 * PERF_RECORD_AUX.
		 */
		u64			aux_flags;
		struct {
			/**
			 * @skip_read: while the sample is written, members of
			 * the group are not read from hardware again.
			 */
			u64		skip_read : 1;
		};
	};
	union {
		/** @addr: next byte to store (records). */
		void			*addr;
		/** @head: position in the AUX area where data begins (AUX). */
		unsigned long		head;
	};
	/** @page: index of the current page (records). */
	int				page;
};

/**
 * struct bpf_perf_event_data_kern - context of a BPF program on an event
 */
struct bpf_perf_event_data_kern {
	/** @regs: registers at the overflow, as the program may see them. */
	bpf_user_pt_regs_t	*regs;
	/** @data: the sample under construction. */
	struct perf_sample_data	*data;
	/** @event: the event that overflowed. */
	struct perf_event	*event;
};

/* Bits that a hypervisor's state callback returns. */
#define PERF_GUEST_ACTIVE	0x01	/* this CPU was in a guest */
#define PERF_GUEST_USER		0x02	/* ... in its user mode */

/**
 * struct perf_guest_info_callbacks - a hypervisor's callbacks about a guest
 *
 * Context: all three, NMI on the CPU that was interrupted.
 */
struct perf_guest_info_callbacks {
	/** @state: return PERF_GUEST_* of this CPU. */
	unsigned int	(*state)(void);
	/** @get_ip: return the guest's instruction pointer. */
	unsigned long	(*get_ip)(void);
	/**
	 * @handle_intel_pt_intr: handle an Intel PT interrupt if it is the
	 * guest's; return non-zero if it was. Optional.
	 */
	unsigned int	(*handle_intel_pt_intr)(void);
};

#ifdef CONFIG_PERF_EVENTS

/**
 * struct perf_sample_data - values for one sample
 *
 * Lives on the stack of the driver's overflow handler. Initialise it with
 * perf_sample_data_init(). A driver that has a better value for a field stores
 * it and sets the field's bit in @sample_flags; the core fills in all other
 * fields.
 */
struct perf_sample_data {
	/* Always initialised. */
	/** @sample_flags: PERF_SAMPLE_* fields that are filled in already. */
	u64				sample_flags;
	/** @period: number of events that this sample stands for. */
	u64				period;
	/** @dyn_size: bytes of the filled fields that vary in size. */
	u64				dyn_size;

	/* The identity, for all records. */
	/** @type: PERF_SAMPLE_* fields that the record will carry. */
	u64				type;
	/** @tid_entry: process and thread, in the event's namespace. */
	struct {
		/** @tid_entry.pid: process. */
		u32			pid;
		/** @tid_entry.tid: thread. */
		u32			tid;
	}				tid_entry;
	/** @time: time stamp, nanoseconds of the event's clock. */
	u64				time;
	/** @id: number of the event that was opened. */
	u64				id;
	/** @cpu_entry: CPU that takes the sample. */
	struct {
		/** @cpu_entry.cpu: CPU. */
		u32			cpu;
		/** @cpu_entry.reserved: zero. */
		u32			reserved;
	}				cpu_entry;

	/* Fields that the event requests. */
	/** @ip: instruction pointer. */
	u64				ip;
	/** @callchain: stack. */
	struct perf_callchain_entry	*callchain;
	/** @raw: payload of a tracepoint or of the PMU. */
	struct perf_raw_record		*raw;
	/** @br_stack: branches. */
	struct perf_branch_stack	*br_stack;
	/** @br_stack_cntr: counters for each branch, NULL for none. */
	u64				*br_stack_cntr;
	/** @weight: cost of the access. */
	union perf_sample_weight	weight;
	/** @data_src: where the data came from. */
	union perf_mem_data_src		data_src;
	/** @txn: transaction flags. */
	u64				txn;
	/** @regs_user: user registers. */
	struct perf_regs		regs_user;
	/** @regs_intr: registers at the interrupt, or of the instruction. */
	struct perf_regs		regs_intr;
	/** @stack_user_size: bytes of user stack to dump. */
	u64				stack_user_size;
	/**
	 * @stream_id: number of the event that counted; an inherited copy has
	 * its own.
	 */
	u64				stream_id;
	/** @cgroup: id of the cgroup. */
	u64				cgroup;
	/** @addr: data address. */
	u64				addr;
	/** @phys_addr: its physical address. */
	u64				phys_addr;
	/** @data_page_size: bytes of the page at @addr. */
	u64				data_page_size;
	/** @code_page_size: bytes of the page at @ip. */
	u64				code_page_size;
	/** @aux_size: bytes of AUX data to copy. */
	u64				aux_size;
} ____cacheline_aligned;

/* perf_sample_data::data_src if nothing is known. */
#define PERF_MEM_NA (PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) |		\
		     PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) |	\
		     PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA))

/*
 * ---------------------------------------------------------------------------
 * Records
 * ---------------------------------------------------------------------------
 */

/*
 * Records made by hand: prepare, begin, store, end, on one CPU, without
 * sleeping. If begin fails there is nothing to undo.
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

/*
 * Write a whole sample in one call; the first picks the direction and may fail.
 */
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
 * Defined by the core. The buffers are per CPU and per recursion level.
 * Allocate them while sleeping is allowed; fill one with preemption off.
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
 * perf_callchain_store_context() - add a PERF_CONTEXT_* mark
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
 * perf_callchain_store() - add an address
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
 * perf_sample_data_init() - begin a sample
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
 * perf_sample_save_callchain() - record the stack now
 * @data: the sample
 * @event: its event; without PERF_SAMPLE_CALLCHAIN nothing happens
 * @regs: registers where the walk starts
 *
 * For drivers that later pass registers other than those of the interrupt.
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
 * perf_sample_save_raw_data() - attach a payload
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
 * perf_sample_save_brstack() - attach branches
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
 * perf_sample_data_size() - compute the size of the record so far
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
 * perf_clear_branch_entry_bitfields() - clear all of an entry but its addresses
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
 * perf_fetch_caller_regs() - get registers for a sample without an exception
 * @regs: zeroed by the caller
 *
 * Fills in the registers of the caller that a sample needs: instruction
 * pointer, stack and frame pointer, and the register that distinguishes kernel
 * mode from user mode. All others stay zero, also in PERF_SAMPLE_REGS_INTR.
 */
static inline void perf_fetch_caller_regs(struct pt_regs *regs)
{
	perf_arch_fetch_caller_regs(regs, CALLER_ADDR0);
}

/*
 * ---------------------------------------------------------------------------
 * Guests
 * ---------------------------------------------------------------------------
 */

#ifdef CONFIG_GUEST_PERF_EVENTS
/*
 * One hypervisor at a time. It registers and unregisters in process context;
 * the functions below run in NMI and return 0 if there is none.
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

#endif /* CONFIG_PERF_EVENTS */

/* Stores a variable of any type into a record. */
#define perf_output_put(handle, x) perf_output_copy((handle), &(x), sizeof(x))

#endif /* _LINUX_PERF_EVENT_SAMPLE_H */
