/* SPDX-License-Identifier: GPL-2.0 */
/* Room "tracing": tracepoint, kprobe and uprobe PMUs; their filters and BPF. */
#ifndef _KERNEL_EVENTS_TRACING_H
#define _KERNEL_EVENTS_TRACING_H

#include <linux/trace_events.h>
#include "types.h"

#ifdef CONFIG_EVENT_TRACING

void perf_tracing_init(void);

/* PERF_EVENT_IOC_SET_FILTER of a tracing event. Without ctx->mutex. */
int perf_tracing_set_filter(struct perf_event *event, char *text);
/* Called from RCU, after the last reader of event->filter has left. */
void perf_tracing_free_filter(struct perf_event *event);

/* PERF_EVENT_IOC_SET_BPF; takes over @prog's reference. With ctx->mutex. */
int perf_tracing_set_bpf(struct perf_event *event, struct bpf_prog *prog,
			 u64 bpf_cookie);

/* Does a tracepoint, kprobe or uprobe feed @event? */
bool perf_tracing_is_event(const struct perf_event *event);

/* Is its probe placed for one task only? */
bool perf_tracing_is_by_task(const struct perf_event *event);

#else /* !CONFIG_EVENT_TRACING: no tracepoints and no programs for events */

static inline void perf_tracing_init(void) { }
static inline void perf_tracing_free_filter(struct perf_event *event) { }

static inline int perf_tracing_set_filter(struct perf_event *event, char *text)
{
	return -EINVAL;
}

static inline int perf_tracing_set_bpf(struct perf_event *event,
				       struct bpf_prog *prog, u64 bpf_cookie)
{
	return -ENOENT;
}

static inline bool perf_tracing_is_event(const struct perf_event *event)
{
	return false;
}

static inline bool perf_tracing_is_by_task(const struct perf_event *event)
{
	return false;
}

#endif /* CONFIG_EVENT_TRACING */

#endif /* _KERNEL_EVENTS_TRACING_H */
