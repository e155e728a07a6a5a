/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "control": operations on events, wherever their context is loaded. The
 * locks that each needs are described at its definition.
 */
#ifndef _KERNEL_EVENTS_CONTROL_H
#define _KERNEL_EVENTS_CONTROL_H

#include "types.h"
#include "wave.h"

/* What an event leaves when it is removed, in addition to its context. */
#define PERF_LEAVE_GROUP	0x1
#define PERF_LEAVE_PARENT	0x2	/* the child list of its parent */

/* Times of one event, without those of its copies; nanoseconds. */
struct perf_control_times {
	u64	enabled;
	u64	running;
};

/* A read: of an event, or of its group. The results are those of the event. */
struct perf_control_reading {
	struct perf_event		*event;
	bool				group;
	u64				count;
	struct perf_control_times	times;
};

static_assert(sizeof(struct perf_control_reading) <= PERF_WAVE_ARG);

void perf_control_place(struct perf_ctx *ctx, struct perf_event *event);
void perf_control_install(struct perf_ctx *ctx,
			  struct perf_event *event);
void perf_control_uninstall(struct perf_event *event);
void perf_control_remove(struct perf_event *event, enum perf_event_state state,
			 unsigned int leave);
void perf_control_remove_copies(struct perf_event **copies, unsigned int nr);
/* Load and unload contexts of tasks, on any CPU; no lock needed. */
void perf_control_reload(struct task_struct *task);
void perf_control_vacate(struct perf_ctx *ctx);
void perf_control_enable(struct perf_event *event);
void perf_control_disable(struct perf_event *event);
int perf_control_period(struct perf_event *event, u64 value);
void perf_control_forget_passed(struct perf_event *event);
int perf_control_check_period(struct perf_event *event, u64 value, u32 share);
int perf_control_refresh(struct perf_event *event, int refresh);
int perf_control_read_group(struct perf_event *leader);
int perf_control_read_call(struct perf_control_reading *reading);
void perf_control_read_wave(struct perf_wave *wave, struct perf_event *event,
			    bool group);
/* Called when current execs; @ctx is its own context. Takes ctx->mutex. */
void perf_control_exec(struct perf_ctx *ctx);

/* The same where the context is loaded, or anywhere if it is not; ctx->lock. */
void perf_control_read_locked(struct perf_event *event);
int perf_control_read_group_locked(struct perf_event *leader);
bool perf_control_enable_locked(struct perf_event *event);
void perf_control_retry_locked(struct perf_cpu_context *cpuctx,
			       struct perf_event *leader);
void perf_control_disable_locked(struct perf_event *event);
void perf_control_reset_locked(struct perf_event *event);
/* Runs @change between two periods, and begins a new one. */
void perf_control_new_period_locked(struct perf_event *event,
				    void (*change)(struct perf_event *event,
						   void *arg), void *arg);

#endif /* _KERNEL_EVENTS_CONTROL_H */
