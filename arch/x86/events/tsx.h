/* SPDX-License-Identifier: GPL-2.0 */
/* Room "tsx": a counter that transactions need. */
#ifndef _ARCH_X86_EVENTS_TSX_H
#define _ARCH_X86_EVENTS_TSX_H

#include <linux/jump_label.h>
#include <linux/sysfs.h>
#include "engine.h"

/* The counter that the microcode uses for transactions. */
#define X86_TSX_COUNTER		BIT_ULL(3)

DECLARE_STATIC_KEY_FALSE(x86_tsx_key);

extern const struct attribute_group x86_tsx_group;

void x86_tsx_setup(struct x86_core *core);
void x86_tsx_allow(struct x86_core *core, bool allow);
void x86_tsx_restart(struct x86_cpu *cpu);
void x86_tsx_abort(struct x86_cpu *cpu);
void x86_tsx_stop_abort(struct x86_cpu *cpu);

/* Before a plan is carried out. */
static inline void x86_tsx_take(struct x86_cpu *cpu)
{
	if (static_branch_unlikely(&x86_tsx_key) && cpu->planned & X86_TSX_COUNTER)
		x86_tsx_abort(cpu);
}

/* After a plan was carried out. */
static inline void x86_tsx_give(struct x86_cpu *cpu)
{
	if (static_branch_unlikely(&x86_tsx_key) && !(cpu->used & X86_TSX_COUNTER))
		x86_tsx_stop_abort(cpu);
}

#endif /* _ARCH_X86_EVENTS_TSX_H */
