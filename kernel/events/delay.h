/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "delay": waits between two steps of a race, to make it likely.
 *
 * Calls are placed where another CPU may find an object in between: after a
 * check and before the code that relies on it, or after a publication and
 * before the last step that can fail. Without CONFIG_PERF_EVENTS_DEBUG_DELAY
 * they are empty.
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
