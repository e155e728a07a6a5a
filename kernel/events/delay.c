// SPDX-License-Identifier: GPL-2.0
/*
 * Room "delay": waits between two steps of a race, to make it likely.
 *
 * Purpose: a race that needs an interrupt or a second CPU within a few
 * instructions does not happen in minutes of testing. In kernels that are built
 * to find bugs, other rooms call this one between the two steps. One in
 * DELAY_ONE_IN calls waits.
 *
 * Owns: its parameter and the number of calls.
 *
 * Contexts: any, NMI included; perf_debug_sleep() in task context only.
 *
 * Lifetime: none; nothing is allocated.
 *
 * Locking: none. Two calls that count at the same time draw different numbers.
 *
 * Parameter, in /sys/module/perf_events/parameters/:
 *
 *   delay_us	the longest delay, in microseconds; 0, the value at boot, means
 *		no delay. DELAY_MOST_US limits it where interrupts may be off,
 *		DELAY_MOST_SLEEP_US elsewhere.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>

#include "delay.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX	"perf_events."

/* Most calls return at once, so that other tasks reach the race as well. */
#define DELAY_ONE_IN	4

/* Far below a watchdog's limit, even with several delays in one section. */
#define DELAY_MOST_US		200U
#define DELAY_MOST_SLEEP_US	20000U

static uint delay_us;
module_param(delay_us, uint, 0644);
MODULE_PARM_DESC(delay_us, "longest delay between two steps of a race");

static atomic_t delay_calls;

/* Return: microseconds below @most; mostly 0. */
static unsigned int delay_draw(unsigned int most)
{
	u32 number;

	if (likely(!most))
		return 0;
	number = jhash_1word(atomic_inc_return(&delay_calls), 0);
	if (number % DELAY_ONE_IN)
		return 0;
	return reciprocal_scale(jhash_1word(number, 1), most);
}

/**
 * perf_debug_delay() - perhaps wait for a moment, without sleeping
 *
 * Context: any, NMI included.
 */
void perf_debug_delay(void)
{
	unsigned int us = delay_draw(min(READ_ONCE(delay_us), DELAY_MOST_US));

	if (us)
		udelay(us);
}

/**
 * perf_debug_sleep() - perhaps sleep for a moment
 *
 * Context: task, may sleep.
 */
void perf_debug_sleep(void)
{
	unsigned int us = delay_draw(min(READ_ONCE(delay_us), DELAY_MOST_SLEEP_US));

	might_sleep();
	if (us)
		fsleep(us);
}
