/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "open": the system call, and what the kernel calls in its place. Both
 * are declared where their callers look for them, <linux/syscalls.h> and
 * <linux/perf_event.h>; no other room calls this one.
 */
#ifndef _KERNEL_EVENTS_OPEN_H
#define _KERNEL_EVENTS_OPEN_H

#include "types.h"

/* All that perf_event_open(2) takes in its last argument. */
#define PERF_OPEN_FLAGS	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | \
			 PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

#endif /* _KERNEL_EVENTS_OPEN_H */
