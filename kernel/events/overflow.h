/* SPDX-License-Identifier: GPL-2.0 */
/* Room "overflow": what happens when a counter reaches its period. */
#ifndef _KERNEL_EVENTS_OVERFLOW_H
#define _KERNEL_EVENTS_OVERFLOW_H

#include "types.h"

/* Prepares deferred work of a new event; waits for irq_work of a dead one. */
void perf_overflow_init(struct perf_event *event);
void perf_overflow_cancel(struct perf_event *event);

/* Work that may still be pending after a dead event's grace period. */
bool perf_overflow_may_linger(void);
bool perf_overflow_lingers(struct perf_event *event);

/* For tests: as if irq_work ran late here. */
#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
extern bool perf_overflow_pretend_late;
#else
#define perf_overflow_pretend_late	false
#endif

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
