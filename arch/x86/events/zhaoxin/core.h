/* SPDX-License-Identifier: GPL-2.0 */
/* Room "zhaoxin/core": the PMU of Zhaoxin's processors. */
#ifndef _ARCH_X86_EVENTS_ZHAOXIN_CORE_H
#define _ARCH_X86_EVENTS_ZHAOXIN_CORE_H

#include "../engine.h"

void zhaoxin_core_acknowledge(struct x86_cpu *cpu, u64 status);

#endif /* _ARCH_X86_EVENTS_ZHAOXIN_CORE_H */
