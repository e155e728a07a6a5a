/* SPDX-License-Identifier: GPL-2.0 */
/* Room "trial": whether the counters work. */
#ifndef _ARCH_X86_EVENTS_TRIAL_H
#define _ARCH_X86_EVENTS_TRIAL_H

#include "regs.h"

int x86_trial_write(u32 address, u64 value);
bool x86_trial_works(const struct x86_pmc *pmc, u64 counters);
bool x86_trial_stop(const struct x86_pmc *pmc, u64 counters);

#endif /* _ARCH_X86_EVENTS_TRIAL_H */
