/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kind of a branch: from the bytes of the instruction, and as perf names it
 */
#ifndef _ARCH_X86_EVENTS_BRANCH_TYPE_H
#define _ARCH_X86_EVENTS_BRANCH_TYPE_H

#include "rules.h"

/* Kinds of branches. Each is a bit, so that a filter is a mask of them. */
#define X86_BRANCH_NONE		0		/* no branch */
#define X86_BRANCH_CALL		BIT(0)		/* near or far call of an address */
#define X86_BRANCH_IND_CALL	BIT(1)		/* call through a register or memory */
#define X86_BRANCH_ZERO_CALL	BIT(2)		/* call of the next instruction */
#define X86_BRANCH_RETURN	BIT(3)		/* near or far return */
#define X86_BRANCH_JUMP		BIT(4)		/* jump to an address */
#define X86_BRANCH_IND_JUMP	BIT(5)		/* jump through a register or memory */
#define X86_BRANCH_COND		BIT(6)		/* conditional jump, loop */
#define X86_BRANCH_SYSCALL	BIT(7)		/* SYSCALL, SYSENTER */
#define X86_BRANCH_SYSRET	BIT(8)		/* SYSRET, SYSEXIT */
#define X86_BRANCH_INT		BIT(9)		/* INT and its relatives */
#define X86_BRANCH_IRET		BIT(10)		/* return from an interrupt */
#define X86_BRANCH_IRQ		BIT(11)		/* interrupt, trap or fault */
#define X86_BRANCH_ABORT	BIT(12)		/* abort of a transaction */
#define X86_BRANCH_BAD		BIT(13)		/* the bytes are no instruction */

#define X86_BRANCH_ANY		GENMASK(13, 0)

u32 x86_branch_type_decode(const void *bytes, unsigned int nr, bool is64);
u32 x86_branch_type_find(const void *bytes, unsigned int nr, bool is64,
			 unsigned int *offset);
u32 x86_branch_type_cross(u32 kind, bool from_kernel, bool to_kernel);
unsigned int x86_branch_type_perf(u32 kind);
u32 x86_branch_type_of_perf(unsigned int type);

#endif /* _ARCH_X86_EVENTS_BRANCH_TYPE_H */
