/* SPDX-License-Identifier: GPL-2.0 */
/* Room "remote": run a function where a context is loaded. */
#ifndef _KERNEL_EVENTS_REMOTE_H
#define _KERNEL_EVENTS_REMOTE_H

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/smp.h>
#include "types.h"

/*
 * @cpuctx is this CPU's if @ctx is loaded here, or NULL if @ctx is loaded
 * nowhere. Interrupts are off. The locks of this CPU's loaded contexts are held
 * or, if @ctx is loaded nowhere, ctx->lock.
 */
typedef int (*perf_ctx_fn)(struct perf_ctx *ctx,
			   struct perf_cpu_context *cpuctx, void *arg);

/* What a CPU has to do for a task that waits; fields of remote.c. */
struct perf_remote_job {
	struct perf_late	late;
	void			(*run)(struct perf_remote_job *job);
	struct completion	done;
	/* The job came during a walk, and waits for the end of the walk. */
	bool			waits;
};

/* A call to a context. */
struct perf_remote_call {
	struct perf_remote_job	job;
	struct perf_ctx		*ctx;
	perf_ctx_fn		fn;
	void			*arg;
	int			ret;
	bool			done;
};

/*
 * A call that another CPU may work on meanwhile. It is aligned for @csd, which
 * takes instructions in each function that has one on its stack.
 */
struct perf_remote_sent {
	struct perf_remote_call	call;
	/* It was sent, and has come back. */
	bool			sent;
	bool			answered;
	call_single_data_t	csd;
};

int perf_ctx_call(struct perf_ctx *ctx, perf_ctx_fn fn, void *arg);
bool perf_remote_start(struct perf_remote_sent *sent, struct perf_ctx *ctx,
		       perf_ctx_fn fn, void *arg);
int perf_remote_finish(struct perf_remote_sent *sent);
int perf_cpu_call(int cpu, int (*fn)(void *arg), void *arg);
void perf_cpus_call(const struct cpumask *cpus, void (*fn)(void));

#endif /* _KERNEL_EVENTS_REMOTE_H */
