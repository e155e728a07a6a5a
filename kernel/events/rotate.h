/* SPDX-License-Identifier: GPL-2.0 */
/* Room "rotate": multiplexing; groups take turns when not all fit. */
#ifndef _KERNEL_EVENTS_ROTATE_H
#define _KERNEL_EVENTS_ROTATE_H

#include "types.h"

void perf_rotate_init(void);

#endif /* _KERNEL_EVENTS_ROTATE_H */
