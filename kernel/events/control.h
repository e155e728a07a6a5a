/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "control": operations on events of other contexts. All of these
 * expect event->ctx->mutex held unless said otherwise.
 */
#ifndef _KERNEL_EVENTS_CONTROL_H
#define _KERNEL_EVENTS_CONTROL_H

#include "types.h"

/* What a removal does besides taking the event from its context. */
#define PERF_REMOVE_GROUP	0x1	/* leave the group */
#define PERF_REMOVE_CHILD	0x2	/* leave the parent's child list */
#define PERF_REMOVE_EXIT	0x4	/* final state EXIT: the task has gone */
#define PERF_REMOVE_DEAD	0x8	/* final state DEAD: closed */
#define PERF_REMOVE_REVOKED	0x10	/* final state REVOKED: its PMU goes */

void perf_control_install(struct perf_ctx *ctx,
			  struct perf_event *event);
void perf_control_remove(struct perf_event *event, unsigned long flags);
/* Load and unload contexts of tasks, on any CPU; no lock needed. */
void perf_control_settle(struct task_struct *task);
void perf_control_vacate(struct perf_ctx *ctx);
void perf_control_enable(struct perf_event *event);
void perf_control_disable(struct perf_event *event);
int perf_control_period(struct perf_event *event, u64 value);
void perf_control_forget_passed(struct perf_event *event);
int perf_control_check_period(struct perf_event *event, u64 value, u32 share);
int perf_control_refresh(struct perf_event *event, int refresh);
/* Brings count and times of @event (and its siblings) up to date. */
int perf_control_read(struct perf_event *event, bool group);
/* The task of @ctx execs; current's own context. Takes ctx->mutex. */
void perf_control_exec(struct perf_ctx *ctx);

/* The same where the context is loaded, or anywhere if it is not; ctx->lock. */
int perf_control_read_locked(struct perf_event *event, bool group);
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
