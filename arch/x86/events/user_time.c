// SPDX-License-Identifier: GPL-2.0
/*
 * Room "user_time": how user space reads counters and the clock.
 *
 * Purpose: fill in the fields of an event's user page that depend on the
 * processor: whether RDPMC works and how wide counters are, and how values of
 * the time stamp counter become times of the event.
 *
 * Owns: nothing.
 *
 * Contexts: any; the core fills in the rest of the page around it.
 *
 * Times: the kernel's clock is base + (tsc * time_mult >> time_shift), in ns,
 * while it is made of the time stamp counter and that counter is stable.
 * Otherwise user space cannot know it, and the page offers no time.
 *
 * Locking: the clock's parameters are read between cyc2ns_read_begin() and
 * cyc2ns_read_end(), with preemption off.
 */
#include <linux/sched/clock.h>
#include "rdpmc.h"
#include "user_time.h"

/**
 * x86_user_time_describe() - let a user page describe the clock
 * @page: the page
 * @clock: scale and offset of the time stamp counter
 * @base: the clock's time when the scaled counter is 0, ns
 * @now: the clock's time of the times in @page, ns
 *
 * A reader gets the time since @now with time_offset, and the clock's time with
 * time_zero. time_cycles stays 0, since the counter does not wrap.
 *
 * Context: any.
 */
void x86_user_time_describe(struct perf_event_mmap_page *page,
			    const struct cyc2ns_data *clock, u64 base, u64 now)
{
	page->time_mult = clock->cyc2ns_mul;
	page->time_shift = clock->cyc2ns_shift;
	page->time_offset = base - now;
	page->time_zero = base;
}

/**
 * arch_perf_update_userpage() - fill in what the architecture offers user space
 * @event: event of any PMU
 * @userpg: its user page
 * @now: perf_clock() of the times in @userpg, ns
 *
 * An event with a clock of its own has records with other times, so the page
 * does not tell how to make those of the counter.
 *
 * Context: any.
 */
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now)
{
	bool known = using_native_sched_clock() && sched_clock_stable();
	struct cyc2ns_data clock;

	userpg->cap_user_rdpmc = x86_rdpmc_allowed(event);
	userpg->pmc_width = x86_counter_width();
	userpg->cap_user_time = known;
	userpg->cap_user_time_zero = known && !event->attr.use_clockid;
	if (!known)
		return;
	cyc2ns_read_begin(&clock);
	x86_user_time_describe(userpg, &clock,
			       clock.cyc2ns_offset + __sched_clock_offset, now);
	cyc2ns_read_end();
}
