/* SPDX-License-Identifier: GPL-2.0 */
/* Room "overflow": what happens when a counter reaches its period. */
#ifndef _KERNEL_EVENTS_OVERFLOW_H
#define _KERNEL_EVENTS_OVERFLOW_H

#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include "types.h"

void perf_overflow_init(struct perf_event *event);

/**
 * perf_overflow_cancel() - wait until no irq_work of an event is pending
 * @event: an event without context and references, or half built, but after
 *	perf_overflow_init()
 *
 * Context: task, may sleep.
 */
static inline void perf_overflow_cancel(struct perf_event *event)
{
	if (irq_work_is_busy(&event->pending_irq))
		irq_work_sync(&event->pending_irq);
	if (irq_work_is_busy(&event->pending_disable_irq))
		irq_work_sync(&event->pending_disable_irq);
}

bool perf_overflow_lingers(struct perf_event *event);

/* On if irq_work has no interrupt of its own; also set by a test. */
DECLARE_STATIC_KEY_FALSE(perf_overflow_is_late);

/**
 * perf_overflow_may_linger() - check if irq_work may outlive a grace period
 *
 * Context: any.
 * Return: true if irq_work may run elsewhere than in an interrupt of its own.
 */
static inline bool perf_overflow_may_linger(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) ||
	       static_branch_unlikely(&perf_overflow_is_late);
}

/*
 * One overflow, for sources that decide themselves whether it counts against
 * the sample rate (@throttle). Return: 1 when the event must stop.
 */
int perf_overflow_emit_nmi(struct perf_event *event,
			   struct perf_sample_data *data,
			   struct pt_regs *regs, bool throttle);

/* Wakes pollers and O_ASYNC owners now. Task or irq_work context. */
void perf_overflow_wakeup(struct perf_event *event);

/* BPF programs that filter samples, of an event and its inherited copies. */
int perf_overflow_set_bpf(struct perf_event *event, struct bpf_prog *prog,
			  u64 bpf_cookie);
void perf_overflow_adopt_bpf(struct perf_event *copy);
void perf_overflow_free_bpf(struct perf_event *event);

#endif /* _KERNEL_EVENTS_OVERFLOW_H */
