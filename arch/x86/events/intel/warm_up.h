/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/warm_up": events that Nehalem and Westmere count before others. */
#ifndef _ARCH_X86_EVENTS_INTEL_WARM_UP_H
#define _ARCH_X86_EVENTS_INTEL_WARM_UP_H

#include "../engine.h"

void intel_warm_up(struct x86_cpu *cpu);

#endif /* _ARCH_X86_EVENTS_INTEL_WARM_UP_H */
