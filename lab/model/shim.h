/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernel/events/ring_buffer.c needs of the kernel, in a program of one
 * thread that plays a CPU and its interrupts.
 *
 * Included in front of the source; the kernel's own headers are then empty
 * files. Each access to memory that an interrupt may change calls
 * model_point(), where the model may let one happen.
 */
#ifndef LAB_MODEL_SHIM_H
#define LAB_MODEL_SHIM_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>
#include <poll.h>

#include <uapi/linux/perf_event.h>

typedef __u64 u64;
typedef __u32 u32;
typedef __u16 u16;
typedef __u8 u8;

/* An interrupt may come here. */
void model_point(void);

#define __init
#define __ro_after_init
#define __rcu
#define __user
#define __force
#define __counted_by(member)
#define ____cacheline_aligned_in_smp
#define __acquire(lock)		((void)0)
#define DECLARE_STATIC_CALL(name, func)	extern int name##_is_not_called
#define DECLARE_PER_CPU_ALIGNED(type, name) extern __typeof__(type) name
#define this_cpu_add(what, nr)	((what) += (nr))
#define __release(lock)		((void)0)
#define noinline		__attribute__((__noinline__))
#define __noreturn		__attribute__((__noreturn__))
#define __printf(fmt, args)	__attribute__((__format__(printf, fmt, args)))
#define fallthrough		__attribute__((__fallthrough__))
#define likely(x)		(!!(x))
#define unlikely(x)		(!!(x))

#define READ_ONCE(x)							\
	({								\
		__typeof__(x) read_once;				\
		model_point();						\
		read_once = *(volatile __typeof__(x) *)&(x);		\
		model_point();						\
		read_once;						\
	})

#define WRITE_ONCE(x, value)						\
	do {								\
		__typeof__(x) write_once = (value);			\
									\
		model_point();						\
		*(volatile __typeof__(x) *)&(x) = write_once;		\
		model_wrote((const void *)&(x));					\
		model_point();						\
	} while (0)

/* The model looks at what becomes visible to the reader. */
void model_wrote(const void *at);

#define barrier()		model_point()
#define smp_wmb()		model_point() /* one thread */
#define preempt_disable()	model_point()
#define preempt_enable()	model_point()
#define rcu_read_lock()		model_point()
#define rcu_read_unlock()	model_point()
#define pagefault_disable()	model_point()
#define pagefault_enable()	model_point()

#define BIT(n)			(1U << (n))
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define IS_ENABLED(CONFIG_option)	0

#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define swap(a, b) \
	do { __typeof__(a) swapped = (a); (a) = (b); (b) = swapped; } while (0)
#define container_of(at, type, member) \
	((type *)((char *)(at) - offsetof(type, member)))
#define struct_size(at, member, count) \
	(sizeof(*(at)) + sizeof((at)->member[0]) * (count))
#define ilog2(x)		(63 - __builtin_clzll(x))
#define order_base_2(x)		((x) > 1 ? ilog2((x) - 1) + 1 : 0)
#define array_index_nospec(index, size)	((index) < (size) ? (index) : 0)

/* Each operation of a CPU on its own memory is atomic to its interrupts. */
typedef struct { long v; } local_t;

#define LOCAL(value) \
	({ __typeof__(value) local; model_point(); local = (value); \
	   model_point(); local; })

static inline long local_read(local_t *l)
{
	return LOCAL(l->v);
}

static inline void local_add(long add, local_t *l)
{
	(void)LOCAL(l->v = (long)((unsigned long)l->v + (unsigned long)add));
}

#define local_inc(l)		local_add(1, l)
#define local_sub(sub, l)	local_add(-(long)(sub), l)

static inline long local_inc_return(local_t *l)
{
	return LOCAL(++l->v);
}

static inline long local_xchg(local_t *l, long value)
{
	long old;

	model_point();
	old = l->v;
	l->v = value;
	model_point();
	return old;
}

#define xchg(word, value)						\
({									\
	typeof(*(word)) __old;						\
									\
	model_point();							\
	__old = *(word);						\
	*(word) = (value);						\
	model_point();							\
	__old;								\
})

static inline long local_cmpxchg(local_t *l, long old, long new)
{
	long found;

	model_point();
	found = l->v;
	if (found == old)
		l->v = new;
	model_point();
	return found;
}

static inline bool local_try_cmpxchg(local_t *l, unsigned long *old,
				     unsigned long new)
{
	bool same;

	model_point();
	same = (unsigned long)l->v == *old;
	if (same)
		l->v = (long)new;
	else
		*old = (unsigned long)l->v;
	model_point();
	return same;
}

typedef struct { int v; } atomic_t;
typedef struct { u64 v; } atomic64_t;
typedef struct { int v; } refcount_t;
typedef struct { int v; } spinlock_t;

#define atomic_set(a, value)		((a)->v = (value))
#define atomic_set_release(a, value)	atomic_set(a, value)
/* The barrier orders nothing here: interrupts see the stores in program order. */
#define smp_store_release(p, value)	WRITE_ONCE(*(p), value)
#define atomic64_inc(a)			((void)(a)->v++)
#define refcount_set(r, value)		((r)->v = (value))
#define refcount_inc_not_zero(r)	((r)->v ? ++(r)->v : 0)
#define refcount_dec_and_test(r)	(--(r)->v == 0)
#define spin_lock_init(l)		((l)->v = 0)
#define spin_lock_irqsave(l, flags)	((flags) = (unsigned long)(l)->v++)
#define spin_unlock_irqrestore(l, flags) ((l)->v = (int)(flags))

struct list_head {
	struct list_head *next, *prev;
};

#define INIT_LIST_HEAD(list)	((list)->next = (list)->prev = (list))
#define list_for_each_entry(at, list, member)				\
	for (at = container_of((list)->next, __typeof__(*at), member);	\
	     &at->member != (list);					\
	     at = container_of(at->member.next, __typeof__(*at), member))

struct rcu_head {
	int unused;
};

#define call_rcu(head, free)		(free)(head)
#define rcu_dereference(p)		(p)
#define rcu_dereference_protected(p, c)	(p)
#define lockdep_is_held(lock)		1
#define guard(what)			guard_##what
#define guard_rcu()			((void)0)

/* Memory: each page is allocated alone, so that an overrun is noticed. */
#define PAGE_SHIFT		12
#define PAGE_SIZE		(1UL << PAGE_SHIFT)
#define MAX_PAGE_ORDER		10
#define NUMA_NO_NODE		(-1)
#define GFP_KERNEL		0
#define __GFP_ZERO		0
#define cpu_to_node(cpu)	(cpu)

struct page {
	void *mapping;
};

extern struct page model_page;
void *model_alloc(size_t size);

#define alloc_pages_node(node, gfp, order) \
	((struct page *)model_alloc(PAGE_SIZE))
#define page_address(page)	((void *)(page))
#define virt_to_page(at)	((void)(at), &model_page)
#define vmalloc_to_page(at)	((void)(at), &model_page)
#define free_page(at)		free((void *)(at))
#define kzalloc_node(size, gfp, node) ((void)(node), calloc(1, size))
#define kfree(at)		free(at)
#define vmalloc_user(size)	model_alloc(size)
#define vfree(at)		free(at)

static inline unsigned long
__copy_from_user_inatomic(void *to, const void *from, unsigned long len)
{
	memcpy(to, from, len);
	return 0;
}

/* A store of many bytes may be interrupted, too. */
void *model_copy(void *to, const void *from, size_t size);

#ifndef LAB_MODEL_ITSELF
#define memcpy(to, from, size)	model_copy(to, from, size)
#endif

#define EPOLLRDNORM	POLLRDNORM
#define EPOLLIN		POLLIN

struct hrtimer;

struct irq_work {
	int queued;
	void (*func)(struct irq_work *work);
};

#define IRQ_WORK_INIT_HARD(fn)	((struct irq_work) { .func = (fn) })

void irq_work_queue(struct irq_work *work);

#define smp_processor_id()	0
#define cpu_online(cpu)		((cpu) == 0)

struct mutex {
	int unused;
};

#define mutex_init(mutex)	((void)(mutex))
#define in_nmi()		false

struct wait_queue_head {
	int unused;
};

#define wake_up_all(queue)	((void)(queue))

struct fasync_struct;
struct mm_struct;
struct perf_buffer;
struct vm_area_struct;

/* It only holds ids of records, which the model does not have. */
struct perf_sample_data {
	u64 period;
};

#define perf_sample_data_init(data, addr, last_period)	\
	((data)->period = (last_period))

/* The types of the rooms, as far as this one uses them. */
#define _KERNEL_EVENTS_TYPES_H

struct perf_event {
	struct perf_event *parent;
	struct perf_event_attr attr;
	struct perf_buffer *rb;
	struct list_head rb_entry;
	struct wait_queue_head waitq;
	struct { u16 trailer; } layout;
	unsigned int pending_wakeup;
	unsigned int pending_kill;
	unsigned int pending_disable;
	struct irq_work pending_irq;
	struct irq_work pending_disable_irq;
	struct fasync_struct *fasync;
	atomic64_t lost_samples;
	u64 id;
};

static inline struct perf_event *perf_event_eldest(struct perf_event *event)
{
	return event->parent ?: event;
}

struct perf_output_handle {
	struct perf_event *event;
	struct perf_buffer *rb;
	unsigned long wakeup;
	unsigned long size;
	u64 flags;
	void *addr;
	int page;
};

typedef unsigned long (*perf_copy_f)(void *dst, const void *src,
				     unsigned long off, unsigned long len);

#define perf_event_fasync(event)	(&(event)->fasync)
#define is_write_backward(event)	((event)->attr.write_backward)

int perf_output_begin_forward(struct perf_output_handle *handle,
			      struct perf_sample_data *data,
			      struct perf_event *event, unsigned int size);
int perf_output_begin_backward(struct perf_output_handle *handle,
			       struct perf_sample_data *data,
			       struct perf_event *event, unsigned int size);
int perf_output_begin(struct perf_output_handle *handle,
		      struct perf_sample_data *data,
		      struct perf_event *event, unsigned int size);
void perf_output_end(struct perf_output_handle *handle);
unsigned int perf_output_copy(struct perf_output_handle *handle,
			      const void *buf, unsigned int len);
unsigned int perf_output_skip(struct perf_output_handle *handle,
			      unsigned int len);
void perf_rb_wake_pollers(struct perf_event *event);

#endif
