/* SPDX-License-Identifier: GPL-2.0 */
/* Room "facade": what other drivers share with those of the CPU's counters. */
#ifndef _ARCH_X86_EVENTS_FACADE_H
#define _ARCH_X86_EVENTS_FACADE_H

#include <linux/types.h>

bool x86_facade_excluded(unsigned int what, const unsigned int *nr_users, bool trace);
void x86_facade_allow_trace(void);

#endif /* _ARCH_X86_EVENTS_FACADE_H */
