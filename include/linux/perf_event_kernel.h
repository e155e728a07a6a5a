/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf events: for users inside the kernel (watchdog, breakpoints, KVM, BPF and
 * others), which create events or get them from descriptors.
 */
#ifndef _LINUX_PERF_EVENT_KERNEL_H
#define _LINUX_PERF_EVENT_KERNEL_H

#include <linux/perf_event_types.h>
#include <linux/perf_event_access.h>

#include <linux/err.h>

struct file;

#ifdef CONFIG_PERF_EVENTS

/* Create and release an event without a descriptor. */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 struct task_struct *task,
				 perf_overflow_handler_t callback,
				 void *context);
int perf_event_release_kernel(struct perf_event *event);

/* Events behind a descriptor. */
struct file *perf_event_get(unsigned int fd);
const struct perf_event *perf_get_event(struct file *file);
const struct perf_event_attr *perf_event_attrs(struct perf_event *event);

/* Enable, disable and others, from a task. */
void perf_event_enable(struct perf_event *event);
void perf_event_disable(struct perf_event *event);
int perf_event_refresh(struct perf_event *event, int refresh);
int perf_event_period(struct perf_event *event, u64 value);
u64 perf_event_pause(struct perf_event *event, bool reset);
/* Disable on the event's CPU with interrupts off, and from NMI. */
void perf_event_disable_local(struct perf_event *event);
void perf_event_disable_inatomic(struct perf_event *event);

/*
 * Read: the first returns the sum of all copies; the second works in any
 * context.
 */
u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running);
int perf_event_read_local(struct perf_event *event, u64 *value,
			  u64 *enabled, u64 *running);

#else /* !CONFIG_PERF_EVENTS */

static inline struct file *perf_event_get(unsigned int fd)
{
	return ERR_PTR(-EINVAL);
}

static inline const struct perf_event *perf_get_event(struct file *file)
{
	return ERR_PTR(-EINVAL);
}

static inline const struct perf_event_attr *
perf_event_attrs(struct perf_event *event)
{
	return ERR_PTR(-EINVAL);
}

static inline int perf_event_read_local(struct perf_event *event, u64 *value,
					u64 *enabled, u64 *running)
{
	return -EINVAL;
}

static inline int perf_event_release_kernel(struct perf_event *event)
{
	return 0;
}

static inline void perf_event_enable(struct perf_event *event) { }
static inline void perf_event_disable(struct perf_event *event) { }

static inline int perf_event_refresh(struct perf_event *event, int refresh)
{
	return -EINVAL;
}

static inline int perf_event_period(struct perf_event *event, u64 value)
{
	return -EINVAL;
}

static inline u64 perf_event_pause(struct perf_event *event, bool reset)
{
	return 0;
}

#endif /* CONFIG_PERF_EVENTS */

#endif /* _LINUX_PERF_EVENT_KERNEL_H */
