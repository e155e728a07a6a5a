/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "open": the system call, and its counterpart inside the kernel. Both are
 * declared for their callers, in <linux/syscalls.h> and <linux/perf_event.h>.
 * The declarations here are for the room "dry_run".
 */
#ifndef _KERNEL_EVENTS_OPEN_H
#define _KERNEL_EVENTS_OPEN_H

#include "fit.h"
#include "types.h"

/* All flags of perf_event_open(2) but PERF_FLAG_DRY_RUN. */
#define PERF_OPEN_FLAGS	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | \
			 PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

/* A call that leaves nothing behind. */
struct perf_open_attempt {
	struct perf_event_attr __user	*uattr;
	pid_t				pid;
	int				cpu;
	int				group_fd;
	unsigned long			flags;
	/* The attempt is repeated with less in @attr, to find the reason. */
	bool				trial;
	/* Filled in. */
	struct perf_event_attr		attr;
	struct perf_fit			fit;
};

int perf_open_try(struct perf_open_attempt *attempt);

#endif /* _KERNEL_EVENTS_OPEN_H */
