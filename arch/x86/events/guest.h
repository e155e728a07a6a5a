/* SPDX-License-Identifier: GPL-2.0 */
/* Room "guest": what hypervisors ask. */
#ifndef _ARCH_X86_EVENTS_GUEST_H
#define _ARCH_X86_EVENTS_GUEST_H

#include <asm/perf_event.h>
#include "engine.h"

/* Global control, and a register that stops the records of precise events. */
#define X86_GUEST_MSRS	2

int x86_guest_msrs(struct x86_cpu *cpu, struct perf_guest_switch_msr *msrs);

#endif /* _ARCH_X86_EVENTS_GUEST_H */
