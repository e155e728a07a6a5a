/* SPDX-License-Identifier: GPL-2.0 */
/* Room "read": values of events in the formats of read(2). */
#ifndef _KERNEL_EVENTS_READ_H
#define _KERNEL_EVENTS_READ_H

#include "types.h"

/* File operation read(2) of an event; see perf_event_open(2). */
ssize_t perf_read(struct file *file, char __user *buf, size_t count,
		  loff_t *ppos);

/* Count without times, ended copies included; nothing is brought up to date. */
u64 perf_read_count(const struct perf_event *event);

/* Have the task and all inherited copies ended? */
bool perf_read_is_hup(struct perf_event *event);

#endif /* _KERNEL_EVENTS_READ_H */
