/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf events: the hooks by which the scheduler, fork, exec, exit, prctl, mm, tracing
 * and CPU hotplug report what happens.
 */
#ifndef _LINUX_PERF_EVENT_HOOKS_H
#define _LINUX_PERF_EVENT_HOOKS_H

#include <linux/perf_event_types.h>
#include <linux/perf_event_sample.h>

#include <linux/cgroup.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/sched.h>

struct vm_area_struct;

#ifdef CONFIG_PERF_EVENTS

void perf_event_init(void);
void perf_event_task_tick(void);

/* fork, exec and exit, in the order of a task's life. */
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

/* Events that are counted in software. */
void perf_bp_event(struct perf_event *event, void *data);
void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size,
		   struct pt_regs *regs, struct hlist_head *head, int rctx,
		   struct task_struct *task);
int perf_swevent_get_recursion_context(void);
void perf_swevent_put_recursion_context(int rctx);

/* One key for each PERF_COUNT_SW_*: no cost while no event counts it. */
extern struct static_key perf_swevent_enabled[PERF_COUNT_SW_MAX];

/*
 * The second one guards against recursion; callers of the first one cannot
 * recurse.
 */
void ___perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr);
void __perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr);

static __always_inline bool __perf_sw_enabled(int swevt)
{
	return static_key_false(&perf_swevent_enabled[swevt]);
}

/**
 * perf_sw_event() - count a software event
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

/* prctl(2): all events that the caller has opened. */
int perf_event_task_disable(void);
int perf_event_task_enable(void);

void perf_event_print_debug(void);

#else /* !CONFIG_PERF_EVENTS */

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
static inline int perf_event_task_disable(void) { return -EINVAL; }
static inline int perf_event_task_enable(void) { return -EINVAL; }
static inline void perf_event_print_debug(void) { }

#endif /* CONFIG_PERF_EVENTS */

/* Restores the debug store after a CPU has slept. */
#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_CPU_SUP_INTEL)
void perf_restore_debug_store(void);
#else
static inline void perf_restore_debug_store(void) { }
#endif

/* Callbacks of the CPU hotplug table. */
#ifdef CONFIG_PERF_EVENTS
int perf_event_init_cpu(unsigned int cpu);
int perf_event_exit_cpu(unsigned int cpu);
#else
#define perf_event_init_cpu	NULL
#define perf_event_exit_cpu	NULL
#endif

#endif /* _LINUX_PERF_EVENT_HOOKS_H */
