/* SPDX-License-Identifier: GPL-2.0 */
/* Room "hooks": what earlier rooms need of later ones. */
#ifndef _KERNEL_EVENTS_HOOKS_H
#define _KERNEL_EVENTS_HOOKS_H

#include <linux/hrtimer_types.h>
#include <linux/static_call.h>
#include "types.h"

struct perf_event_dry_run;
struct task_struct;

/**
 * struct perf_hooks - what earlier rooms need of later ones
 *
 * All other calls follow the order of the Makefile. The room that provides a
 * function sets it once, at boot, before anything can need it.
 */
struct perf_hooks {
	/**
	 * @clock_types: From "pmu" to "clock_pmu": the types of the PMUs of
	 * PERF_COUNT_SW_CPU_CLOCK and PERF_COUNT_SW_TASK_CLOCK, 0 if there is
	 * none.
	 */
	u32 clock_types[2];
	/**
	 * @mux_timer: From "pmu" to "rotate": the handler of each timer of
	 * multiplexing. Context: hard interrupt, on the CPU of the timer, or on
	 * another one if that CPU went offline.
	 */
	enum hrtimer_restart (*mux_timer)(struct hrtimer *timer);
	/**
	 * @pmu_has_dev: From "pmu" to "caps": a PMU has got its device.
	 * Context: task; the PMU stays registered.
	 */
	void (*pmu_has_dev)(struct pmu *pmu);
	/**
	 * @sample_id_init: From "ring_buffer" to "sample": fills in the identity
	 * of a record that the writer makes itself, PERF_RECORD_LOST. Fields of
	 * @data that are set stay as they are. Context: any.
	 */
	void (*sample_id_init)(struct perf_event_header *header,
			       struct perf_sample_data *data,
			       struct perf_event *event);
	/**
	 * @sample_id_emit: From "ring_buffer" to "sample": writes the
	 * event->layout.trailer bytes of that identity. Context: any, between
	 * begin and end of the record.
	 */
	void (*sample_id_emit)(struct perf_event *event,
			       struct perf_output_handle *handle,
			       struct perf_sample_data *data);
	/**
	 * @cgroup_switch: From "sched" to "cgroup": a task is switched in on a
	 * CPU whose context has a cgroup noted. Context: task switch; runqueue
	 * lock, interrupts off.
	 */
	void (*cgroup_switch)(struct task_struct *task);
	/**
	 * @dry_run: From "open" to "dry_run": PERF_FLAG_DRY_RUN. Context: task.
	 * Return: result of the system call.
	 */
	int (*dry_run)(struct perf_event_dry_run __user *question, pid_t pid,
		       int cpu, int group_fd, unsigned long flags);
};

extern struct perf_hooks perf_hooks;

/*
 * From "context" to "event": frees an event whose last reference has gone; task
 * context. A static call, since every close makes it.
 */
DECLARE_STATIC_CALL(perf_hooks_event_last_put, void (struct perf_event *event));

#endif /* _KERNEL_EVENTS_HOOKS_H */
