/* SPDX-License-Identifier: GPL-2.0 */
/* Room "aux_buffer": the AUX area, which this core does not offer. */
#ifndef _KERNEL_EVENTS_AUX_BUFFER_H
#define _KERNEL_EVENTS_AUX_BUFFER_H

#include "types.h"

struct perf_buffer;

/* Why @vma cannot become the AUX area that belongs to @rb. */
int perf_aux_refuse(const struct perf_buffer *rb,
		    struct vm_area_struct *vma);

#endif /* _KERNEL_EVENTS_AUX_BUFFER_H */
