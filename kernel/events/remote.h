/* SPDX-License-Identifier: GPL-2.0 */
/* Room "remote": run a function where a context is loaded. */
#ifndef _KERNEL_EVENTS_REMOTE_H
#define _KERNEL_EVENTS_REMOTE_H

#include <linux/cpumask.h>
#include "types.h"

/*
 * @cpuctx is this CPU's if @ctx is loaded here, or NULL if @ctx is loaded
 * nowhere. Interrupts are off. The locks of this CPU's loaded contexts are held
 * or, if @ctx is loaded nowhere, ctx->lock.
 */
typedef int (*perf_ctx_fn)(struct perf_ctx *ctx,
			   struct perf_cpu_context *cpuctx, void *arg);

int perf_ctx_call(struct perf_ctx *ctx, perf_ctx_fn fn, void *arg);
int perf_cpu_call(int cpu, int (*fn)(void *arg), void *arg);
void perf_cpus_call(const struct cpumask *cpus, void (*fn)(void));

#endif /* _KERNEL_EVENTS_REMOTE_H */
