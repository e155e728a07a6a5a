/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "delay": time passes between two steps of a race.
 *
 * A call stands where another CPU may find an object in between: behind a check
 * and before what relies on it, behind a publication and before the last failure.
 * Without CONFIG_PERF_EVENTS_DEBUG_DELAY there is no call.
 */
#ifndef _KERNEL_EVENTS_DELAY_H
#define _KERNEL_EVENTS_DELAY_H

#ifdef CONFIG_PERF_EVENTS_DEBUG_DELAY
void perf_debug_delay(void);
void perf_debug_sleep(void);
#else
static inline void perf_debug_delay(void)
{
}

static inline void perf_debug_sleep(void)
{
}
#endif

#endif /* _KERNEL_EVENTS_DELAY_H */
