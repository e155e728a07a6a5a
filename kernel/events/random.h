/* SPDX-License-Identifier: GPL-2.0 */
/* Room "random": periods that are drawn at random; random_draw.h has how. */
#ifndef _KERNEL_EVENTS_RANDOM_H
#define _KERNEL_EVENTS_RANDOM_H

#include "random_draw.h"

int perf_random_set(struct perf_event *event,
		    const struct perf_event_random_period *how);
void perf_random_get(struct perf_event *event,
		     struct perf_event_random_period *how);
void perf_random_inherit(struct perf_event *copy);

#endif /* _KERNEL_EVENTS_RANDOM_H */
