/* SPDX-License-Identifier: GPL-2.0 */
/* Room "throttle": sample rate limits, frequency mode. */
#ifndef _KERNEL_EVENTS_THROTTLE_H
#define _KERNEL_EVENTS_THROTTLE_H

#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include "context.h"
#include "sideband.h"
#include "types.h"

/* sparc and xtensa do not tell lockdep that an NMI has interrupts off. */
static inline void perf_assert_irqs_disabled_nmi(void)
{
	lockdep_assert(irqs_disabled());
}

/* Counts an overflow against the rate; may throttle the event. */
bool perf_throttle_account_nmi(struct perf_event *event, bool throttle);

/* Stops the other events of the group of a throttled event; from irq_work. */
void perf_throttle_stop_group(struct perf_event *event);

/* Is the event still throttled after its overflow handler ran? */
bool perf_throttle_holds_nmi(const struct perf_event *event);

/* Takes the mark of a throttled event away, which is about to start. */
void perf_throttle_clear_locked(struct perf_event *event);

/* Stop an event for a change, and start it again if the first one returns true. */
bool perf_throttle_stop_locked(struct perf_event *event);
void perf_throttle_start_locked(struct perf_event *event);

/* Ends the throttling of the group of @event. ctx->lock, the PMU disabled. */
void perf_throttle_end_locked(struct perf_event *event);

/* Prepares an event that was stopped with its group for pmu::del. */
void perf_throttle_leave_locked(struct perf_event *event);

/**
 * perf_throttle_is_recent() - check whether groups may be throttled on a PMU
 * @cpc: this CPU's data of the PMU
 *
 * Each tick ends the throttling on all PMUs of its CPU. So the answer is false
 * after a tick, whether the events that were throttled are still active or not.
 *
 * Context: this CPU, interrupts off or NMI.
 * Return: true if an event of the PMU was throttled here since the last tick.
 */
static inline bool
perf_throttle_is_recent(const struct perf_cpu_pmu_context *cpc)
{
	return unlikely(READ_ONCE(cpc->throttled_tick) ==
			__this_cpu_read(perf_cpu_context.tick));
}

/* Ends the throttling of all groups on a PMU. Both locks, the PMU disabled. */
void perf_throttle_end_pmu_locked(struct perf_cpu_pmu_context *cpc);

/* Reports that the throttling of the group of @leader ends, if it began. */
static inline void perf_throttle_report_end(struct perf_event *leader)
{
	if (unlikely(READ_ONCE(leader->throttle_reported)))
		perf_side_throttle(leader, false);
}

/* Count frequency-mode events; the tick stays on while there are some. */
#ifdef CONFIG_NO_HZ_FULL
void perf_throttle_freq_get(void);
void perf_throttle_freq_put(void);
#else
static inline void perf_throttle_freq_get(void) { }
static inline void perf_throttle_freq_put(void) { }
#endif

#if IS_ENABLED(CONFIG_KUNIT)
/* For tests whose overflows must not be throttled on a slow machine. */
extern unsigned int perf_throttle_per_tick;
#endif

#endif /* _KERNEL_EVENTS_THROTTLE_H */
