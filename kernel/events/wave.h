/* SPDX-License-Identifier: GPL-2.0 */
/* Room "wave": calls to several contexts at the same time. */
#ifndef _KERNEL_EVENTS_WAVE_H
#define _KERNEL_EVENTS_WAVE_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include "remote.h"

/* Bytes of an argument. */
#define PERF_WAVE_ARG		48

struct perf_wave_slot {
	struct perf_remote_sent	sent;
	u8			arg[PERF_WAVE_ARG] __aligned(8);
};

struct perf_wave {
	/* Called for each call that has ended, in any order; may be NULL. */
	void			(*ended)(struct perf_wave *wave, const void *arg,
					 int ret);
	/* Calls that have been sent and have not ended. */
	struct perf_wave_slot	*slots;
	unsigned int		nr;
	unsigned int		max;
	/* Used if one is enough, or if there is no memory for more. */
	struct perf_wave_slot	one;
};

unsigned int perf_wave_count(const struct perf_event *event);

/**
 * perf_wave_size() - compute how many calls an operation has to send
 * @event: event that was opened
 *
 * Contexts may be loaded or unloaded meanwhile. A wave with room for one call is
 * enough for an event without copies, or if there is one CPU.
 *
 * Context: event->child_mutex.
 * Return: 1 if the event has no copies, or if one CPU is online; else the number
 * of its and its copies' contexts that are loaded on other CPUs, at most the
 * number of other CPUs.
 */
static inline unsigned int perf_wave_size(const struct perf_event *event)
{
	if (list_empty(&event->child_list) || num_online_cpus() == 1)
		return 1;
	return perf_wave_count(event);
}

void perf_wave_begin(struct perf_wave *wave, unsigned int size);
void perf_wave_call(struct perf_wave *wave, struct perf_ctx *ctx,
		    perf_ctx_fn fn, const void *arg, size_t size);
void perf_wave_end(struct perf_wave *wave);

#endif /* _KERNEL_EVENTS_WAVE_H */
