/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf events: the interface between the core and the rest of the kernel. This
 * header includes all its parts:
 *
 *   perf_event_types.h	  an event, and what can be asked of it
 *   perf_event_sample.h  samples and other records, call chains, guests
 *   perf_event_pmu.h	  for PMU drivers: struct pmu, registration, overflows, AUX areas
 *   perf_event_kernel.h  for users inside the kernel: they create and read events
 *   perf_event_hooks.h	  for the scheduler, fork, exec, mm, tracing, hotplug
 *   perf_event_access.h  sysctls and permissions
 */
#ifndef _LINUX_PERF_EVENT_H
#define _LINUX_PERF_EVENT_H

#include <uapi/linux/perf_event.h>
#include <uapi/linux/bpf_perf_event.h>

#include <linux/perf_event_types.h>
#include <linux/perf_event_sample.h>
#include <linux/perf_event_access.h>
#include <linux/perf_event_pmu.h>
#include <linux/perf_event_kernel.h>
#include <linux/perf_event_hooks.h>

/* Files that use perf include these by way of this header. */
#include <linux/atomic.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jump_label_ratelimit.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perf_regs.h>
#include <linux/pid_namespace.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/security.h>
#include <linux/spinlock.h>
#include <linux/static_call.h>
#include <linux/static_key.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>
#include <asm/local.h>

#endif /* _LINUX_PERF_EVENT_H */
