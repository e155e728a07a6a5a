// SPDX-License-Identifier: GPL-2.0
/*
 * Room "overflow": what happens when a counter reaches its period.
 *
 * Owns the fields pending_*, event_limit and prog (of type PERF_EVENT) of
 * struct perf_event, and the order in which an overflow is handled: account and
 * throttle, pause a trace, run the BPF program, count down the limit, signal,
 * write the sample, wake, resume a trace.
 *
 * Contexts: an overflow is handled in any context with interrupts off, NMI
 * included. The handler takes no lock and wakes no task. It defers such work to
 *
 *   pending_irq		wake pollers, signal O_ASYNC owners; anywhere
 *   pending_disable_irq	disable the event, or stop the group of a throttled
 *			one; on the CPU where it runs
 *   pending_task		SIGTRAP; in the task, on its way to user mode
 *
 * Lifetime rules: perf_overflow_cancel() waits for irq_work once the event has
 * left its context. Then only the writer of a side-band record can still queue
 * it (race 4). The task work cannot be cancelled that way: close() may itself
 * run as task work of the same task, and would wait for work queued behind it.
 * The task work holds a reference instead, so an event outlives its file until
 * the signal is sent.
 *
 * Locking rules: child_mutex for the BPF programs of an event and its copies;
 * else none. An active event cannot be removed while interrupts are off on its
 * CPU, and an inactive event cannot be removed while ctx->lock is held, because
 * removal needs an interrupt there or the lock.
 *
 * Races
 *
 * 1. The event moves before the disabling irq_work runs.
 *	CPU 0			CPU 1
 *	overflow: pending_disable = 1, queue
 *	sched out: consumes pending_disable, event OFF
 *	enabled again, moves
 *				overflow: pending_disable = 1
 *				queue fails, it is queued on CPU 0
 *	irq_work: oncpu is 1
 *		  queue on 1
 *				irq_work: oncpu is 1, disables
 *
 * 2. An NMI overflows the event that is being handled at interrupt level.
 *	pending_work goes from 0 to 1 by compare-and-exchange before the task
 *	work is queued; the NMI finds 1 and does not queue it twice.
 *
 * 3. The task work runs when the task is exiting, or in the program that it
 *	has executed. In an exit the context was detached from the task before:
 *	ctx->task is TASK_TOMBSTONE. In an exec the event, which has
 *	remove_on_exec, was closed or removed before: its state is EXIT or below.
 *	Nothing is sent.
 *
 * 4. A side-band record is written for an event that is being removed.
 *	CPU 0			CPU 1
 *	finds the event under RCU
 *				removes it, by an interrupt of CPU 0
 *				cancels pending_irq, which is not pending
 *	record passes the watermark,
 *	queues pending_irq
 *				event waits for a grace period
 *	The interrupt that runs the work is taken before CPU 0 can report a
 *	quiescent state, so the work is over when the grace period is. If a
 *	thread or the tick runs the work instead, the event stays for as many
 *	grace periods as the work is pending, and for one more: the thread or
 *	tick looks at the work once more after it is done, under RCU.
 */

#include <linux/bpf.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/task_work.h>
#include <linux/trace_events.h>

#include "aux_event.h"
#include "context.h"
#include "overflow.h"
#include "pending.h"
#include "random_draw.h"
#include "recursion.h"
#include "ring_buffer.h"
#include "throttle.h"

/*
 * Deferred work: wake, disable, signal
 *
 * These hold the recursion guard of their level, so that events of the wake-up
 * path do not queue wake-ups without end. If the guard is taken already,
 * nothing can recurse and the work is done nevertheless.
 */

/**
 * perf_overflow_wakeup() - wake the readers of an event
 * @event: the event; other events may write to its buffer, too
 *
 * Wakes pollers, those of the whole buffer if a record is due to them, and
 * sends the pending signal to the owner of an O_ASYNC file.
 *
 * Context: task or irq_work; takes wait queue locks.
 */
void perf_overflow_wakeup(struct perf_event *event)
{
	int band;

	perf_rb_wake_pollers(event);

	band = xchg(&event->pending_kill, 0);
	if (band)
		kill_fasync(perf_event_fasync(event), SIGIO, band);
}

static void perf_overflow_wakeup_work(struct irq_work *work)
{
	struct perf_event *event = container_of(work, struct perf_event,
						pending_irq);
	int level = perf_recursion_get(current->perf_recursion);

	if (xchg(&event->pending_wakeup, 0))
		perf_overflow_wakeup(event);

	if (level >= 0)
		perf_recursion_put(current->perf_recursion, level);
}

/*
 * Race 1. If the event is active nowhere, scheduling out has disabled it or has
 * ended its throttling. A CPU that has gone offline may still have the events
 * of the thread that stopped it; see perf_pending_queue().
 */
static void perf_overflow_disable_here(struct perf_event *event)
{
	int cpu = READ_ONCE(event->oncpu);

	lockdep_assert_irqs_disabled();

	if (cpu == smp_processor_id()) {
		/* Until the event is off the PMU, an NMI must find the request. */
		if (READ_ONCE(event->pending_disable))
			perf_event_disable_local(event);
		else if (perf_event_is_throttled(event))
			perf_throttle_stop_group(event);
	} else if (cpu >= 0 && cpu_online(cpu)) {
		irq_work_queue_on(&event->pending_disable_irq, cpu);
	}
}

static void perf_overflow_disable_work(struct irq_work *work)
{
	struct perf_event *event = container_of(work, struct perf_event,
						pending_disable_irq);
	int level = perf_recursion_get(current->perf_recursion);

	perf_overflow_disable_here(event);

	if (level >= 0)
		perf_recursion_put(current->perf_recursion, level);
}

/**
 * perf_event_disable_inatomic() - disable an event as soon as possible
 * @event: an active event
 *
 * Context: any, NMI included, on the CPU where @event is active. The event is
 * disabled from a hard irq_work or when it is scheduled out, and reports no
 * overflow until then.
 */
void perf_event_disable_inatomic(struct perf_event *event)
{
	perf_pending_disable(event);
}

/* Race 3. */
static void perf_overflow_signal(struct perf_event *event, unsigned long addr)
{
	struct task_struct *task = READ_ONCE(event->ctx->task);

	if (task == TASK_TOMBSTONE ||
	    READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT ||
	    WARN_ON_ONCE(task != current))
		return;
	send_sig_perf((void __user *)addr, event->orig_type,
		      event->attr.sig_data);
}

static void perf_overflow_signal_work(struct callback_head *work)
{
	struct perf_event *event = container_of(work, struct perf_event,
						pending_task);
	int level = perf_recursion_get(current->perf_recursion);
	unsigned long addr = READ_ONCE(event->pending_addr);

	/* From here on the event may queue this work again. */
	if (xchg(&event->pending_work, 0))
		perf_overflow_signal(event, addr);
	perf_event_put(event);

	if (level >= 0)
		perf_recursion_put(current->perf_recursion, level);
}

/**
 * perf_overflow_init() - prepare a new event's deferred work
 * @event: an event that is not yet visible to others
 *
 * Context: task.
 */
void perf_overflow_init(struct perf_event *event)
{
	init_irq_work(&event->pending_irq, perf_overflow_wakeup_work);
	event->pending_disable_irq =
		IRQ_WORK_INIT_HARD(perf_overflow_disable_work);
	init_task_work(&event->pending_task, perf_overflow_signal_work);
}

DEFINE_STATIC_KEY_FALSE(perf_overflow_is_late);

static int __init perf_overflow_find_late(void)
{
	if (!arch_irq_work_has_interrupt())
		static_branch_enable(&perf_overflow_is_late);
	return 0;
}
early_initcall(perf_overflow_find_late);

/**
 * perf_overflow_lingers() - check whether irq_work of an ended event is pending
 * @event: an event after perf_overflow_cancel() and a grace period
 *
 * Context: any, when nothing queues more work.
 * Return: true if it is pending; it may be done a grace period later.
 */
bool perf_overflow_lingers(struct perf_event *event)
{
	return irq_work_is_busy(&event->pending_irq);
}

/*
 * BPF programs that filter samples
 */

#ifdef CONFIG_BPF_SYSCALL
/* Out of line: an overflow without a program needs no stack for this. */
static noinline bool perf_overflow_run_bpf(struct perf_event *event,
					   struct perf_sample_data *data,
					   struct pt_regs *regs)
{
	struct bpf_perf_event_data_kern kern = {
		.regs	= perf_arch_bpf_user_pt_regs(regs),
		.data	= data,
		.event	= event,
	};
	const struct bpf_prog *prog;
	bool keep = false;

	guard(rcu)();
	prog = READ_ONCE(event->prog);
	if (!prog || prog->type != BPF_PROG_TYPE_PERF_EVENT)
		return true;

	/* Programs do not nest on a CPU: the inner overflow is dropped. */
	if (likely(__this_cpu_inc_return(bpf_prog_active) == 1)) {
		perf_prepare_sample(data, event, regs);
		keep = bpf_prog_run(prog, &kern);
	}
	__this_cpu_dec(bpf_prog_active);

	return keep;
}

static bool perf_overflow_bpf_keeps(struct perf_event *event,
				    struct perf_sample_data *data,
				    struct pt_regs *regs)
{
	return likely(!READ_ONCE(event->prog)) ||
	       perf_overflow_run_bpf(event, data, regs);
}

/*
 * The registers of a precise event are those of the recorded instruction, but
 * the stack is that of the interrupt: unwinding one with the other yields
 * nonsense. Programs that walk stacks get the sample's own callchain instead,
 * so the sample must have one, and with both parts.
 */
static bool perf_overflow_bpf_can_unwind(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!attr->precise_ip)
		return true;
	return (attr->sample_type & PERF_SAMPLE_CALLCHAIN) &&
	       !attr->exclude_callchain_kernel && !attr->exclude_callchain_user;
}

static void perf_overflow_give_bpf(struct perf_event *event,
				   struct bpf_prog *prog, u64 bpf_cookie)
{
	event->bpf_cookie = bpf_cookie;
	/* The program may run from an NMI on another CPU at once. */
	smp_store_release(&event->prog, prog);
}

/**
 * perf_overflow_adopt_bpf() - give a copy the program of its eldest
 * @copy: an inherited event that is about to be listed
 *
 * The programs of tracing events are kept by the trace event, for all its perf
 * events at once.
 *
 * Context: task, the eldest's child_mutex.
 */
void perf_overflow_adopt_bpf(struct perf_event *copy)
{
	struct perf_event *eldest = copy->parent;
	struct bpf_prog *prog = eldest->prog;

	lockdep_assert_held(&eldest->child_mutex);
	if (!prog || prog->type != BPF_PROG_TYPE_PERF_EVENT)
		return;
	bpf_prog_inc(prog);
	perf_overflow_give_bpf(copy, prog, eldest->bpf_cookie);
}

/**
 * perf_overflow_set_bpf() - attach a program that is run at each overflow
 * @event: an event that was opened, not one of tracing
 * @prog: the program; its reference passes to @event on success
 * @bpf_cookie: a value for the program
 *
 * A sample is written, and readers are notified, if the program returns
 * non-zero. The same holds for the inherited copies.
 *
 * Context: task, with the mutex of the event's context; takes child_mutex.
 * Return: 0; -EINVAL when the kernel itself handles the overflows or @prog is
 * of another type; -EEXIST when there is a program; -EPROTO when @prog walks
 * stacks and the event's samples do not have them; -EOPNOTSUPP without BPF.
 */
int perf_overflow_set_bpf(struct perf_event *event, struct bpf_prog *prog,
			  u64 bpf_cookie)
{
	struct perf_event *child;

	lockdep_assert_held(&perf_event_ctx(event)->mutex);

	if (event->overflow_handler_context)
		return -EINVAL;
	if (event->prog)
		return -EEXIST;
	if (prog->type != BPF_PROG_TYPE_PERF_EVENT)
		return -EINVAL;
	if (prog->call_get_stack && !perf_overflow_bpf_can_unwind(event))
		return -EPROTO;

	guard(mutex)(&event->child_mutex);
	perf_overflow_give_bpf(event, prog, bpf_cookie);
	list_for_each_entry(child, &event->child_list, child_list) {
		bpf_prog_inc(prog);
		perf_overflow_give_bpf(child, prog, bpf_cookie);
	}
	return 0;
}

static void perf_overflow_take_bpf(struct perf_event *event)
{
	struct bpf_prog *prog = xchg(&event->prog, NULL);

	if (prog)
		bpf_prog_put(prog);
}

/**
 * perf_overflow_free_bpf() - detach the program of an event and its copies
 * @event: the event, not one of tracing
 *
 * Context: task; takes child_mutex. The program is freed when no CPU can be
 * running it.
 */
void perf_overflow_free_bpf(struct perf_event *event)
{
	struct perf_event *child;

	guard(mutex)(&event->child_mutex);
	perf_overflow_take_bpf(event);
	list_for_each_entry(child, &event->child_list, child_list)
		perf_overflow_take_bpf(child);
}
#else
static bool perf_overflow_bpf_keeps(struct perf_event *event,
				    struct perf_sample_data *data,
				    struct pt_regs *regs)
{
	return true;
}

int perf_overflow_set_bpf(struct perf_event *event, struct bpf_prog *prog,
			  u64 bpf_cookie)
{
	return -EOPNOTSUPP;
}

void perf_overflow_adopt_bpf(struct perf_event *copy)
{
}

void perf_overflow_free_bpf(struct perf_event *event)
{
}
#endif

#ifndef CONFIG_EVENT_TRACING
/* Without tracing no program of a type that events accept can be loaded. */
int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog,
			    u64 bpf_cookie)
{
	return -ENOENT;
}

void perf_event_free_bpf_prog(struct perf_event *event)
{
}
#endif

/*
 * Work in the context of the overflow
 */

/*
 * The interrupt comes some instructions late and may find the CPU in the kernel
 * although only user mode was counted. The owner of the event must not see
 * those registers. While a guest runs, @regs are those of the host's exit path,
 * and the guest's mode decides.
 */
static bool perf_overflow_may_show(const struct perf_event *event,
				   struct pt_regs *regs)
{
	unsigned int guest;

	if (!event->attr.exclude_kernel || !regs)
		return true;
	guest = perf_guest_state();
	if (guest)
		return guest & PERF_GUEST_USER;
	return user_mode(regs);
}

/* Reasons to stop the event. */
#define PERF_OVERFLOW_FAST	1	/* the rate is too high, unless the handler ends that */
#define PERF_OVERFLOW_LIMIT	2	/* the limit is reached */

/* True for the overflow that uses up the limit of PERF_EVENT_IOC_REFRESH. */
static bool perf_overflow_count_down(struct perf_event *event)
{
	if (atomic_dec_if_positive(&event->event_limit))
		return false;
	WRITE_ONCE(event->pending_kill, POLL_HUP);
	perf_pending_disable(event);
	return true;
}

/* Race 2. The work cannot run before this overflow has been handled. */
static noinline void perf_overflow_queue_signal(struct perf_event *event,
						u64 addr)
{
	enum task_work_notify_mode notify = TWA_NMI_CURRENT;

	if (!in_nmi())
		notify = TWA_RESUME | TWAF_NO_ALLOC;

	if (cmpxchg(&event->pending_work, 0, 1))
		return;
	WRITE_ONCE(event->pending_addr, addr);
	if (task_work_add(current, &event->pending_task, notify))
		WRITE_ONCE(event->pending_work, 0);
	else
		perf_event_get_ref(event);
}

/*
 * @stop: the reasons until now; one word for all needs one register only.
 * Return: @stop, with PERF_OVERFLOW_LIMIT when the limit is reached.
 */
static unsigned int perf_overflow_report(struct perf_event *event,
					 struct perf_sample_data *data,
					 struct pt_regs *regs,
					 unsigned int stop)
{
	perf_overflow_handler_t handler;
	u64 addr = 0;

	if (!perf_overflow_bpf_keeps(event, data, regs))
		return stop;

	WRITE_ONCE(event->pending_kill, POLL_IN);
	if (unlikely(atomic_read(&event->event_limit)) &&
	    perf_overflow_count_down(event))
		stop |= PERF_OVERFLOW_LIMIT;

	if (event->attr.sigtrap) {
		if (data->sample_flags & PERF_SAMPLE_ADDR &&
		    perf_overflow_may_show(event, regs))
			addr = data->addr;
		perf_overflow_queue_signal(event, addr);
	}

	handler = READ_ONCE(event->overflow_handler);
	handler(event, data, regs);
	if (*perf_event_fasync(event) && READ_ONCE(event->pending_kill))
		perf_pending_wake(event);
	return stop;
}

/**
 * perf_overflow_emit_nmi() - handle one overflow
 * @event: the event
 * @data: sample fields that the source has filled in
 * @regs: registers of the interrupted code
 * @throttle: stop the event if its rate is too high
 *
 * A sample that skidded into the kernel counts like any other. If the event
 * excludes the kernel, the room sample leaves out what the sample would show of
 * it.
 *
 * Context: any, NMI included, interrupts off: @event is active on this CPU, or
 * inactive and its ctx->lock held.
 * Return: 1 when the source must stop @event (rate or limit reached), else 0.
 */
int perf_overflow_emit_nmi(struct perf_event *event,
			   struct perf_sample_data *data,
			   struct pt_regs *regs, bool throttle)
{
	unsigned int stop;

	perf_assert_irqs_disabled_nmi();

	/* Narrow counters also interrupt only to update event->count. */
	if (unlikely(!is_sampling_event(event)))
		return 0;

	stop = perf_throttle_account_nmi(event, throttle) ?
	       PERF_OVERFLOW_FAST : 0;
	if (unlikely(READ_ONCE(event->pending_disable))) {
		/* The work does nothing if it runs while the event is parked. */
		perf_pending_disable(event);
		return 1;
	}

	/* A trace is paused before the sample, and resumed after it. */
	if (unlikely(event->attr.aux_pause))
		perf_aux_set_paused(event, true);
	stop = perf_overflow_report(event, data, regs, stop);
	if (unlikely(event->attr.aux_resume))
		perf_aux_set_paused(event, false);
	if (likely(!stop))
		return 0;
	return stop & PERF_OVERFLOW_LIMIT || perf_throttle_holds_nmi(event);
}

/**
 * perf_event_overflow() - handle an overflow of a PMU's counter
 * @event: the event; active on this CPU
 * @data: initialised, with the sample fields that the PMU has filled in
 * @regs: registers of the interrupted code
 *
 * Context: any, NMI included, interrupts off. The handler may stop other
 * events of the PMU.
 * Return: 1 when the PMU must stop @event, else 0.
 */
int perf_event_overflow(struct perf_event *event,
			struct perf_sample_data *data, struct pt_regs *regs)
{
	if (unlikely(perf_random_is_on(event)))
		data->period = perf_random_next(event);
	return perf_overflow_emit_nmi(event, data, regs, true);
}

/**
 * perf_event_account_interrupt() - account an interrupt without a sample
 * @event: the event; active on this CPU
 *
 * For an interrupt that yields no sample of @event, such as one after which all
 * its PEBS records turn out to be lost. It counts against the rate, too.
 *
 * Context: any, NMI included, interrupts off.
 * Return: 1 when the PMU must stop @event because of its rate, else 0.
 */
int perf_event_account_interrupt(struct perf_event *event)
{
	perf_assert_irqs_disabled_nmi();
	return perf_throttle_account_nmi(event, true);
}
