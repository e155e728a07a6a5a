/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a context, for the rooms of events and of contexts. */
#ifndef _KERNEL_EVENTS_CTX_STATE_H
#define _KERNEL_EVENTS_CTX_STATE_H

#include "types.h"

/*
 * State of a context. It follows from of_cpu, task, family and loaded_cpu; the
 * last two change by perf_ctx_set_loaded_locked() and
 * perf_ctx_set_family_locked().
 */
enum perf_ctx_state {
	PERF_CTX_OFFLINE,	/* a CPU's, which is offline */
	PERF_CTX_ONLINE,	/* a CPU's, always loaded */
	PERF_CTX_HANDLE,	/* of no task and no CPU: a family's handle */
	PERF_CTX_UNLOADED,	/* a task's own, loaded nowhere */
	PERF_CTX_LOADED,	/* a task's own, counting */
	PERF_CTX_PARKED,	/* of a pool, loaded nowhere */
	PERF_CTX_LENT,		/* of a pool, counting a member */
	PERF_CTX_TOMBSTONE,	/* its task has gone */
};

/* Tests loaded_cpu before task, to find a context that must not be loaded. */
static inline enum perf_ctx_state
perf_ctx_state(const struct perf_ctx *ctx)
{
	if (ctx->of_cpu)
		return ctx->loaded_cpu == PERF_CPU_NONE ? PERF_CTX_OFFLINE :
							  PERF_CTX_ONLINE;
	if (ctx->loaded_cpu != PERF_CPU_NONE)
		return ctx->family ? PERF_CTX_LENT : PERF_CTX_LOADED;
	if (!ctx->pub.task)
		return PERF_CTX_HANDLE;
	if (ctx->pub.task == TASK_TOMBSTONE)
		return PERF_CTX_TOMBSTONE;
	return ctx->family ? PERF_CTX_PARKED : PERF_CTX_UNLOADED;
}

#endif /* _KERNEL_EVENTS_CTX_STATE_H */
