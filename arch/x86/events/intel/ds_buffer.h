/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/ds_buffer": memory for the records of precise events. */
#ifndef _ARCH_X86_EVENTS_INTEL_DS_BUFFER_H
#define _ARCH_X86_EVENTS_INTEL_DS_BUFFER_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <asm/intel_ds.h>

/**
 * struct intel_ds_life - buffers that exist while they are needed
 * @begin:	makes them; returns 0 or an errno
 * @end:	frees them
 * @users:	events that need them
 * @exist:	they exist
 * @idle_since:	when the last event was closed, in jiffies
 * @lock:	guards @exist
 * @work:	frees them
 */
struct intel_ds_life {
	int			(*begin)(void);
	void			(*end)(void);
	atomic_t		users;
	bool			exist;
	unsigned long		idle_since;
	struct mutex		lock;	/* guards @exist */
	struct delayed_work	work;
};

void intel_ds_life_init(struct intel_ds_life *life, int (*begin)(void), void (*end)(void));
int intel_ds_life_get(struct intel_ds_life *life);
void intel_ds_life_put(struct intel_ds_life *life);

void intel_ds_buffer_init(size_t size);
int intel_ds_buffer_get(void);
void intel_ds_buffer_put(void);
struct debug_store *intel_ds_buffer_of(unsigned int cpu);
void intel_ds_buffer_use(struct debug_store *ds);
void intel_ds_buffer_forget(void);

#endif /* _ARCH_X86_EVENTS_INTEL_DS_BUFFER_H */
