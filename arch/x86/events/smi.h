/* SPDX-License-Identifier: GPL-2.0 */
/* Room "smi": whether counters stand still in system management mode. */
#ifndef _ARCH_X86_EVENTS_SMI_H
#define _ARCH_X86_EVENTS_SMI_H

#include <linux/types.h>

void x86_smi_offer(void);
bool x86_smi_offered(void);
bool x86_smi_frozen(void);
int x86_smi_freeze(unsigned long freeze);
void x86_smi_start(void);

#endif /* _ARCH_X86_EVENTS_SMI_H */
