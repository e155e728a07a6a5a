/* SPDX-License-Identifier: GPL-2.0 */
/* Room "audit": are the images of registers right? */
#ifndef _ARCH_X86_EVENTS_AUDIT_H
#define _ARCH_X86_EVENTS_AUDIT_H

#include "regs.h"

/**
 * struct x86_audit_difference - a register that does not contain its image
 * @address: address of the register
 * @found: what it contains
 * @wanted: what it should contain
 */
struct x86_audit_difference {
	u32	address;
	u64	found;
	u64	wanted;
};

bool x86_audit_find(const struct x86_regs *r, bool skip_control,
		    struct x86_audit_difference *d);
void x86_audit_report(const struct x86_regs *r, bool skip_control);

/* Only kernels that check their state read registers back. */
static inline void x86_audit(const struct x86_regs *r, bool skip_control)
{
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		x86_audit_report(r, skip_control);
}

#endif /* _ARCH_X86_EVENTS_AUDIT_H */
