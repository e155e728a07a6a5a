/* SPDX-License-Identifier: GPL-2.0 */
/* Room "overflow": the interrupt of the counters. */
#ifndef _ARCH_X86_EVENTS_OVERFLOW_H
#define _ARCH_X86_EVENTS_OVERFLOW_H

#include "engine.h"

int x86_overflow_init(int (*handler)(struct x86_cpu *cpu, struct pt_regs *regs));
void x86_overflow_exit(void);
int x86_overflow_handle(struct pt_regs *regs);
void x86_overflow_use(void);
void x86_overflow_unuse(void);
void x86_overflow_use_other(void);
void x86_overflow_unuse_other(void);
bool x86_overflow_others(void);
void x86_overflow_sample(struct x86_cpu *cpu, unsigned int counter, struct pt_regs *regs);
int x86_overflow_counters(struct x86_cpu *cpu, u64 counters, struct pt_regs *regs);

#endif /* _ARCH_X86_EVENTS_OVERFLOW_H */
