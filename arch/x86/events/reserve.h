/* SPDX-License-Identifier: GPL-2.0 */
/* Room "reserve": the counters are ours while events are open. */
#ifndef _ARCH_X86_EVENTS_RESERVE_H
#define _ARCH_X86_EVENTS_RESERVE_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

/**
 * struct x86_reserve - a reservation of counters
 * @users:	open events
 * @idle_since:	when an event was closed last, in jiffies
 * @lock:	taken to begin and to end the reservation
 * @held:	counters that are reserved
 * @counters:	tells which counters are needed
 * @work:	ends the reservation
 */
struct x86_reserve {
	atomic_t		users;
	unsigned long		idle_since;
	struct mutex		lock;	/* guards @held */
	u64			held;
	u64			(*counters)(void);
	struct delayed_work	work;
};

void x86_reserve_init(struct x86_reserve *r, u64 (*counters)(void));
int x86_reserve_get(struct x86_reserve *r);
void x86_reserve_put(struct x86_reserve *r);

#endif /* _ARCH_X86_EVENTS_RESERVE_H */
