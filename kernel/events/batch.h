/* SPDX-License-Identifier: GPL-2.0 */
/* Room "batch": one operation on many events, one call for each context. */
#ifndef _KERNEL_EVENTS_BATCH_H
#define _KERNEL_EVENTS_BATCH_H

#include "types.h"

enum perf_batch_op {
	PERF_BATCH_ENABLE,
	PERF_BATCH_DISABLE,
	PERF_BATCH_RESET,
};

/* With the event's ctx->mutex. */
void perf_batch_event(struct perf_event *event, enum perf_batch_op op);
void perf_batch_group(struct perf_event *leader, enum perf_batch_op op);

/* All events that current has opened; no lock held. */
void perf_batch_owned(enum perf_batch_op op);

#endif /* _KERNEL_EVENTS_BATCH_H */
