// SPDX-License-Identifier: GPL-2.0
/*
 * Room "callchain": memory for recorded stacks, and the recording of one.
 *
 * Owns: the pool of stack buffers, the two sysctls that give their size, and
 * the weak defaults of the architecture's stack walkers.
 *
 * Contexts: the pool is allocated and freed, and its users are counted, where
 * sleeping is allowed. A buffer is taken and filled in any context down to NMI,
 * with preemption off.
 *
 * Lifetime: the pool exists while it has users, see get_callchain_buffers().
 * Each CPU has one buffer for each context level (task, softirq, hardirq, NMI),
 * so that an interrupt never writes into the stack that it interrupted. Within
 * a level callchain_busy[] refuses a second user. A recorded stack stays valid
 * until the next recording on the same CPU and level, so it has to be written
 * out before preemption is enabled again.
 *
 * Locking: callchain_mutex serialises the count, the pool pointer's changes and
 * the sysctls. Readers of the pool are RCU readers.
 *
 * Race of a sysctl with a late reader:
 *   1. the last user puts the pool; an NMI on another CPU still uses it;
 *   2. the sysctl would raise the number of contexts, which the walker compares
 *      with the live value: it would write past the buffer's end;
 *   3. so the new value is stored after a grace period.
 */

#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/uprobes.h>

#include "live.h"
#include "recursion.h"
#include "refuse.h"
#include "types.h"

/* Task, softirq, hardirq, NMI: the levels of recursion.h. */
#define CALLCHAIN_LEVELS	4

/**
 * struct callchain_pool - buffers for recorded stacks
 * @rcu: delays the freeing
 * @stride: I, bytes of one buffer
 * @cpu: I, by CPU number: CALLCHAIN_LEVELS buffers in a row
 */
struct callchain_pool {
	struct rcu_head		rcu;
	size_t			stride;
	void			*cpu[];
};

int sysctl_perf_event_max_stack __read_mostly = PERF_MAX_STACK_DEPTH;
int sysctl_perf_event_max_contexts_per_stack __read_mostly =
	PERF_MAX_CONTEXTS_PER_STACK;

static DEFINE_MUTEX(callchain_mutex);
static unsigned int callchain_users;
static struct callchain_pool __rcu *callchain_pool;

/* N: set while a buffer of the level is being filled. */
static DEFINE_PER_CPU(u8, callchain_busy[CALLCHAIN_LEVELS]);

/* Returned by perf_callchain() when there is no stack to show. */
static struct perf_callchain_entry callchain_none;

void __weak perf_callchain_kernel(struct perf_callchain_entry_ctx *entry,
				  struct pt_regs *regs)
{
}

void __weak perf_callchain_user(struct perf_callchain_entry_ctx *entry,
				struct pt_regs *regs)
{
}

/* Accepts a pool that lacks some buffers. */
static void callchain_pool_free(struct callchain_pool *pool)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		kfree(pool->cpu[cpu]);
	kfree(pool);
}

static void callchain_pool_free_rcu(struct rcu_head *rcu)
{
	callchain_pool_free(container_of(rcu, struct callchain_pool, rcu));
}

/*
 * Memory of kmalloc_node() is mapped in every address space, which an NMI
 * depends on; a page of vmalloc space might fault.
 */
static struct callchain_pool *callchain_pool_alloc(void)
{
	size_t words = sysctl_perf_event_max_stack +
		       sysctl_perf_event_max_contexts_per_stack;
	struct callchain_pool *pool;
	unsigned int cpu;

	pool = kzalloc(struct_size(pool, cpu, nr_cpu_ids), GFP_KERNEL);
	if (!pool)
		return NULL;

	pool->stride = struct_size_t(struct perf_callchain_entry, ip, words);
	for_each_possible_cpu(cpu) {
		pool->cpu[cpu] = kmalloc_node(pool->stride * CALLCHAIN_LEVELS,
					      GFP_KERNEL | __GFP_NOWARN,
					      cpu_to_node(cpu));
		if (!pool->cpu[cpu]) {
			callchain_pool_free(pool);
			return NULL;
		}
	}
	return pool;
}

/**
 * get_callchain_buffers() - register a user of the stack buffers
 * @event_max_stack: the deepest stack that it will ask for, in entries
 *
 * Context: task; may sleep.
 * Return: 0; -EOVERFLOW when @event_max_stack exceeds
 * kernel.perf_event_max_stack; -ENOMEM.
 */
int get_callchain_buffers(int event_max_stack)
{
	guard(mutex)(&callchain_mutex);

	if (event_max_stack > sysctl_perf_event_max_stack)
		return perf_refuse_above(-EOVERFLOW,
					 PERF_FIELD(sample_max_stack),
					 sysctl_perf_event_max_stack,
					 PERF_REASON_MAX_STACK);

	if (!callchain_users) {
		struct callchain_pool *pool = callchain_pool_alloc();

		if (!pool)
			return -ENOMEM;
		rcu_assign_pointer(callchain_pool, pool);
	}
	callchain_users++;
	perf_live_add(PERF_LIVE_STACK_USERS, 1);
	return 0;
}

/**
 * put_callchain_buffers() - undo one successful get_callchain_buffers()
 *
 * Context: task; may sleep.
 */
void put_callchain_buffers(void)
{
	struct callchain_pool *pool;

	guard(mutex)(&callchain_mutex);

	if (WARN_ON_ONCE(!callchain_users))
		return;
	perf_live_add(PERF_LIVE_STACK_USERS, -1);
	if (--callchain_users)
		return;

	pool = rcu_replace_pointer(callchain_pool, NULL,
				   lockdep_is_held(&callchain_mutex));
	call_rcu(&pool->rcu, callchain_pool_free_rcu);
}

static __always_inline struct perf_callchain_entry *callchain_take(int *rctx)
{
	struct callchain_pool *pool;
	int level;

	pool = rcu_dereference_check(callchain_pool,
				     rcu_read_lock_any_held());
	if (!pool)
		return NULL;

	level = perf_recursion_get(this_cpu_ptr(callchain_busy));
	if (level < 0)
		return NULL;

	*rctx = level;
	return pool->cpu[smp_processor_id()] + level * pool->stride;
}

/**
 * get_callchain_entry() - take this CPU's stack buffer of the current level
 * @rctx: result, for put_callchain_entry()
 *
 * Context: any; preemption off, and an RCU reader, until the buffer's content
 * has been used.
 * Return: the buffer, with undefined content; NULL when the level's buffer is
 * in use or when there is no pool. Call put_callchain_entry() only after
 * success.
 */
struct perf_callchain_entry *get_callchain_entry(int *rctx)
{
	return callchain_take(rctx);
}

/**
 * put_callchain_entry() - release the stack buffer of the current level
 * @rctx: from get_callchain_entry()
 *
 * The content stays readable until the next stack is recorded.
 *
 * Context: as get_callchain_entry(), on the same CPU.
 */
void put_callchain_entry(int rctx)
{
	perf_recursion_put(this_cpu_ptr(callchain_busy), rctx);
}

#ifdef CONFIG_UPROBES
/*
 * A function with a pending uretprobe has the trampoline as return address on
 * its stack. The original return addresses are in a list, innermost first,
 * which is the order of the chain, too.
 */
static void callchain_undo_uretprobes(struct perf_callchain_entry *entry,
				      u64 first)
{
	struct uprobe_task *utask = current->utask;
	struct return_instance *pending;
	unsigned long trampoline;
	u64 i;

	if (!utask || !utask->return_instances)
		return;

	pending = utask->return_instances;
	trampoline = uprobe_get_trampoline_vaddr();
	for (i = first; pending && i < entry->nr; i++) {
		if (entry->ip[i] != trampoline)
			continue;
		entry->ip[i] = pending->orig_ret_vaddr;
		pending = pending->next;
	}
}
#else
static void callchain_undo_uretprobes(struct perf_callchain_entry *entry,
				      u64 first)
{
}
#endif

/* Kernel threads, I/O workers and exiting tasks have no user stack. */
static void callchain_record_user(struct perf_callchain_entry_ctx *walk,
				  struct pt_regs *regs, bool add_mark)
{
	u64 first;

	if (!user_mode(regs))
		regs = task_pt_regs(current);

	if (add_mark)
		perf_callchain_store_context(walk, PERF_CONTEXT_USER);

	first = walk->entry->nr;
	perf_callchain_user(walk, regs);
	callchain_undo_uretprobes(walk->entry, first);
}

/* @user: record the user's part; true only if the current task has one. */
static __always_inline struct perf_callchain_entry *
callchain_record(struct pt_regs *regs, bool kernel, bool user, u32 max_stack,
		 bool add_mark)
{
	struct perf_callchain_entry_ctx walk = { .max_stack = max_stack };
	int rctx;

	walk.entry = callchain_take(&rctx);
	if (!walk.entry)
		return NULL;
	walk.entry->nr = 0;

	if (kernel && !user_mode(regs)) {
		if (add_mark)
			perf_callchain_store_context(&walk,
						     PERF_CONTEXT_KERNEL);
		perf_callchain_kernel(&walk, regs);
	}
	if (user)
		callchain_record_user(&walk, regs, add_mark);

	perf_recursion_put(this_cpu_ptr(callchain_busy), rctx);
	return walk.entry;
}

/**
 * get_perf_callchain() - record the current stack
 * @regs: where to start
 * @kernel: record the kernel's part, if @regs are the kernel's
 * @user: record the user's part
 * @max_stack: maximum of entries, marks not counted
 * @crosstask: the stack is not for an event of the current task, so the user's
 *	part is left out
 * @add_mark: put PERF_CONTEXT_KERNEL and PERF_CONTEXT_USER before the parts
 *
 * Context: any, as get_callchain_entry().
 * Return: the stack, see put_callchain_entry() for how long it lasts; NULL when
 * there is no buffer, or when only the user's part of another task is asked for.
 */
struct perf_callchain_entry *get_perf_callchain(struct pt_regs *regs,
						bool kernel, bool user,
						u32 max_stack, bool crosstask,
						bool add_mark)
{
	if (user && crosstask) {
		if (!kernel)
			return NULL;
		user = false;
	}
	return callchain_record(regs, kernel, user && is_user_task(current),
				max_stack, add_mark);
}

/**
 * perf_callchain() - record the stack as an event's sample may show it
 * @event: the event
 * @regs: where to start
 *
 * An event that excludes the kernel shows nothing of it, not even when its
 * interrupt came late and found the kernel running.
 *
 * Context: any, as get_callchain_entry().
 * Return: the stack, empty when nothing may or can be shown.
 */
struct perf_callchain_entry *perf_callchain(struct perf_event *event,
					    struct pt_regs *regs)
{
	const struct perf_event_attr *attr = &event->attr;
	const struct perf_ctx *ctx = perf_event_ctx(event);
	/* A context loaded here counts current, whichever task gets it next. */
	bool other = ctx->pub.task &&
		     READ_ONCE(ctx->loaded_cpu) != smp_processor_id();
	bool kernel = !attr->exclude_callchain_kernel && !attr->exclude_kernel;
	bool user = !attr->exclude_callchain_user && !other &&
		    is_user_task(current);
	struct perf_callchain_entry *entry = NULL;

	if (kernel || user)
		entry = callchain_record(regs, kernel, user,
					 attr->sample_max_stack, true);

	return entry ?: &callchain_none;
}

/**
 * perf_event_max_stack_handler() - handle the sysctls of stack buffers
 * @table: kernel.perf_event_max_stack or _max_contexts_per_stack
 * @write: true to store a new value, false to read
 * @buffer: text
 * @lenp: its length
 * @ppos: position in it
 *
 * Context: task; may sleep for a grace period.
 * Return: 0, -EBUSY while buffers of the old size are in use, -EINVAL.
 */
int perf_event_max_stack_handler(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos)
{
	int *live = table->data;
	int wanted = READ_ONCE(*live);
	struct ctl_table shadow = *table;
	int err;

	shadow.data = &wanted;
	err = proc_dointvec_minmax(&shadow, write, buffer, lenp, ppos);
	if (err || !write)
		return err;

	guard(mutex)(&callchain_mutex);
	if (callchain_users)
		return -EBUSY;

	synchronize_rcu();
	WRITE_ONCE(*live, wanted);
	return 0;
}
