/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests for work on an event that an NMI cannot do. Several rooms request
 * it; room "overflow" does it. The event is active, or something else keeps it
 * from being freed until the work has run.
 */
#ifndef _KERNEL_EVENTS_PENDING_H
#define _KERNEL_EVENTS_PENDING_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/wait.h>

/**
 * perf_pending_queue() - queue work on this CPU, if it is online
 * @work: the work
 *
 * A CPU that has gone offline still switches from the thread that stopped it to
 * idle, and events may count meanwhile. It runs no work any more. Work that it
 * queued would stay pending, and so would all work that is queued there when
 * the CPU is back.
 *
 * Context: any, NMI included, preemption off.
 */
static inline void perf_pending_queue(struct irq_work *work)
{
	if (likely(cpu_online(smp_processor_id())))
		irq_work_queue(work);
}

/**
 * perf_pending_wake() - request to wake readers of the event's buffer
 * @event: the event
 *
 * If event->pending_kill is set, the owner is signalled as well.
 *
 * Context: any, NMI included, preemption off.
 */
static inline void perf_pending_wake(struct perf_event *event)
{
	WRITE_ONCE(event->pending_wakeup, 1);
	perf_pending_queue(&event->pending_irq);
}

/**
 * perf_pending_wake_pollers() - request to wake the pollers of an event, if any
 * @event: event, or inherited copy, whose state poll(2) reports
 *
 * Without a poller it costs little, so it can be done for thousands of events.
 *
 * Context: any but NMI, preemption off.
 */
static inline void perf_pending_wake_pollers(struct perf_event *event)
{
	/* A full barrier: the state is set before; pairs with poll_wait(). */
	if (wq_has_sleeper(&perf_event_eldest(event)->waitq))
		perf_pending_wake(event);
}

/**
 * perf_pending_disable() - request to disable an event
 * @event: the event
 *
 * Context: any, NMI included, on the CPU where @event is active. A parked event
 * is not disabled by the work; see perf_trace_disable_parked_locked().
 */
static inline void perf_pending_disable(struct perf_event *event)
{
	WRITE_ONCE(event->pending_disable, 1);
	perf_pending_queue(&event->pending_disable_irq);
}

/**
 * perf_pending_stop_group() - request to stop the group of a throttled event
 * @event: the event, which is marked as throttled
 *
 * Context: any, NMI included, on the CPU where @event is active.
 */
static inline void perf_pending_stop_group(struct perf_event *event)
{
	perf_pending_queue(&event->pending_disable_irq);
}

#endif /* _KERNEL_EVENTS_PENDING_H */
