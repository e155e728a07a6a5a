/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structure of a ring buffer; for the rooms ring_buffer, aux_buffer,
 * aux_event and mmap and their tests. All other rooms see an incomplete type.
 *
 * Legend of fields: I set before the buffer, or the area, can be found; W the
 * writing CPU, nesting up to NMI; A atomic; S event_lock; X aux.mutex; M the
 * mmap_mutex of @page_event.
 */
#ifndef _KERNEL_EVENTS_BUFFER_TYPES_H
#define _KERNEL_EVENTS_BUFFER_TYPES_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <asm/local.h>
#include "ring_buffer.h"
#include "types.h"

struct user_struct;

/* A charge for locked memory. Holds a reference on the user and on the mm. */
struct perf_rb_charge {
	struct user_struct	*user;
	struct mm_struct	*mm;
	unsigned long		user_pages;	/* of user->perf_mlock */
	unsigned long		mm_pages;	/* of mm->pinned_vm */
};

/* The life of an AUX area. */
enum perf_aux_state {
	PERF_AUX_NEW,		/* known to its maker only */
	PERF_AUX_OPEN,		/* writers and samples may use it */
	PERF_AUX_CLOSING,	/* the last writer and sample are being stopped */
	PERF_AUX_RETIRED,	/* memory that may be mapped, nothing else */
	PERF_AUX_FREED,
};

/* Memory that trace hardware writes, with the driver's data for it. */
struct perf_aux_area {
	/* I: PMU that the area belongs to; compared, never called. */
	struct pmu			*pmu;
	void				(*free_priv)(void *priv);
	unsigned long			watermark;	/* bytes, 0: overwrite */
	bool				overwrite;	/* aux_tail is not read */
	/* I: where it is mapped. */
	unsigned long			pgoff;
	/* X: perf_aux_set_state(). */
	enum perf_aux_state		state;
	/* X: the driver's data, NULL when it has been given back. */
	void				*priv;
	/* X: mappings through any event. */
	unsigned int			mappings;
	/* X: undone after the last mapping. */
	struct perf_rb_charge		charge;
	/* I: the first pages that exist; all of them once it is published. */
	unsigned int			nr_filled;
	/* I: address of each page. */
	unsigned int			nr_pages;
	void				*pages[] __counted_by(nr_pages);
};

/*
 * The AUX side of a buffer. If an area is replaced by another one, the stream
 * continues at the same position.
 */
struct perf_rb_aux {
	struct mutex		mutex;	/* innermost of the mutexes here */
	/* X: the area that is mapped. */
	struct perf_aux_area	*area;
	/* A: the same while it may be written, and its size in bytes. */
	struct perf_aux_area	*open;
	unsigned long		size;
	/* A: the area that a writer, or a sample, uses. */
	struct perf_aux_area	*writing;
	struct perf_aux_area	*sampling;
	/*
	 * A: event that uses @writing, only compared; NULL if not stored yet.
	 */
	struct perf_event	*writer;
	/* W: handle of its driver; valid while @writer is set. */
	struct perf_output_handle *handle;
	/* W: CPU of the last begin, -1 before the first. */
	int			cpu;
	/* W: bytes written ever; stamp of the last wake-up. */
	unsigned long		head;
	unsigned long		wakeup;
	/* W: an event is being paused or resumed. */
	bool			pausing;
};

/*
 * A run is a piece of the data area that is contiguous in kernel addresses:
 * one page or, with CONFIG_PERF_USE_VMALLOC, the whole area. Runs are powers
 * of two in size and number, or there are none.
 */
struct perf_buffer {
	/* I: what a writer reads. */
	struct perf_event_mmap_page	*user_page;
	unsigned int			nr_runs;
	unsigned int			run_shift;	/* log2 of bytes */
	unsigned long			watermark;	/* bytes */
	bool				overwrite;	/* data_tail is not read */
	/* Any context writes it, by perf_rb_pause(). */
	enum perf_rb_flow		flow;

	/* W: what a writer changes. */
	local_t				head ____cacheline_aligned_in_smp;
	local_t				wakeup;	/* stamp; differs: wake */
	local_t				lost;	/* since the last LOST */
	local_t				samples; /* since the last wakeup */
	unsigned long			full_at; /* tail when last refused */
	unsigned int			nest;	/* open reservations */
	/*
	 * Index in the user page whose times go on while the event has this
	 * anchor, 0 for none; see perf_mmap_shows_times().
	 */
	u32				shown_index;
	local_t				updates; /* of the user page */
	u64				shown_anchor;

	/* A: bits that the next poll(2) returns. */
	atomic_t			poll ____cacheline_aligned_in_smp;
	/* A: pollers of all attached events have to be woken. */
	unsigned int			wake_due;
	/* A: one for each attached event, and those of temporary users. */
	refcount_t			refcount;
	/* A: mappings through any event; at 0 the buffer is out of use. */
	refcount_t			mmap_count;
	/* Set where mmap_count moves from or to 0, or refcount to 0. */
	enum perf_rb_state		state;
	struct rcu_head			rcu_head;
	/* Puts the last reference for an NMI. */
	struct irq_work			put_work;

	struct perf_rb_aux		aux;

	/* S: events that write here, linked by rb_entry. */
	spinlock_t			event_lock;
	struct list_head		event_list;

	/* A: event that the user page shows, while attached; only compared. */
	const struct perf_event		*page_event;
	/*
	 * M, read anywhere: numbers of mappings of the user page that can read
	 * its counter and that cannot; mm of the former, which only matters for
	 * an event of a task and is only compared.
	 */
	unsigned int			nr_readers;
	unsigned int			nr_blind;
	const struct mm_struct		*reader_mm;

	/* I: set by the first mapping, undone after the last. */
	struct perf_rb_charge		charge;

	/* I: address of each run. */
	void				*runs[];
};

/*
 * event->rb, which the public header declares without an address space. Its
 * readers hold RCU or event->mmap_mutex, its writers the latter.
 */
static inline struct perf_buffer __rcu **perf_rb_slot(struct perf_event *event)
{
	return (struct perf_buffer __rcu __force **)&event->rb;
}

static inline struct perf_buffer *perf_rb_rcu(struct perf_event *event)
{
	return rcu_dereference(*perf_rb_slot(event));
}

static inline struct perf_buffer *perf_rb_mutexed(struct perf_event *event)
{
	return rcu_dereference_protected(*perf_rb_slot(event),
				lockdep_is_held(&event->mmap_mutex));
}

#endif /* _KERNEL_EVENTS_BUFFER_TYPES_H */
