/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions and what they are, SDM vol. 2; for KUnit and for user space
 */
#ifndef _ARCH_X86_EVENTS_BRANCH_CASES_H
#define _ARCH_X86_EVENTS_BRANCH_CASES_H

#include "../branch_type.h"

#define BRANCH_IN_32	BIT(0)
#define BRANCH_IN_64	BIT(1)
#define BRANCH_IN_BOTH	(BRANCH_IN_32 | BRANCH_IN_64)

/**
 * struct branch_case - an instruction
 * @bytes: its bytes
 * @nr: how many
 * @needed: how many of them tell what it is
 * @modes: where it means that
 * @kind: X86_BRANCH_*
 */
struct branch_case {
	u8	bytes[10];
	u8	nr;
	u8	needed;
	u8	modes;
	u16	kind;
};

#define CASE(_modes, _kind, _needed, bytes_...)				\
	{ .bytes = { bytes_ }, .nr = sizeof((u8[]) { bytes_ }),		\
	  .needed = _needed, .modes = BRANCH_IN_##_modes, .kind = X86_BRANCH_##_kind }

static const struct branch_case branch_cases[] = {
	CASE(BOTH, COND, 1, 0x74, 0x10),			/* je */
	CASE(BOTH, COND, 2, 0x0f, 0x85, 1, 0, 0, 0),		/* jne */
	CASE(BOTH, COND, 2, 0x3e, 0x7f, 0x02),			/* hinted jg */
	CASE(BOTH, COND, 1, 0xe2, 0xfe),			/* loop */
	CASE(BOTH, COND, 1, 0xe3, 0x05),			/* jcxz */
	CASE(BOTH, JUMP, 1, 0xeb, 0xfe),
	CASE(BOTH, JUMP, 1, 0xe9, 1, 2, 3, 4),
	CASE(BOTH, IND_JUMP, 2, 0xff, 0xe0),			/* jmp *%rax */
	CASE(BOTH, IND_JUMP, 3, 0x3e, 0xff, 0xe2),		/* notrack jmp */
	CASE(64, IND_JUMP, 3, 0x41, 0xff, 0xe3),		/* jmp *%r11 */
	CASE(BOTH, IND_JUMP, 2, 0xff, 0x25, 1, 2, 3, 4),	/* through memory */
	CASE(BOTH, IND_JUMP, 2, 0xff, 0x6d, 0x08),		/* far */
	CASE(BOTH, CALL, 5, 0xe8, 1, 0, 0, 0),
	CASE(BOTH, ZERO_CALL, 5, 0xe8, 0, 0, 0, 0),
	CASE(32, CALL, 1, 0x9a, 1, 2, 3, 4, 5, 6),		/* far */
	CASE(BOTH, IND_CALL, 2, 0xff, 0xd0),			/* call *%rax */
	CASE(BOTH, IND_CALL, 2, 0xff, 0x15, 1, 2, 3, 4),
	CASE(BOTH, IND_CALL, 2, 0xff, 0x5d, 0x08),		/* far */
	CASE(BOTH, RETURN, 1, 0xc3),
	CASE(BOTH, RETURN, 2, 0xf3, 0xc3),			/* rep ret */
	CASE(BOTH, RETURN, 1, 0xc2, 8, 0),
	CASE(BOTH, RETURN, 1, 0xcb),
	CASE(BOTH, RETURN, 1, 0xca, 8, 0),
	CASE(64, RETURN, 2, 0x48, 0xcb),
	CASE(BOTH, SYSCALL, 2, 0x0f, 0x05),
	CASE(BOTH, SYSCALL, 2, 0x0f, 0x34),
	CASE(BOTH, SYSRET, 2, 0x0f, 0x07),
	CASE(64, SYSRET, 3, 0x48, 0x0f, 0x07),
	CASE(BOTH, SYSRET, 2, 0x0f, 0x35),
	CASE(BOTH, INT, 1, 0xcc),
	CASE(BOTH, INT, 1, 0xcd, 0x80),
	CASE(BOTH, INT, 1, 0xf1),
	CASE(32, INT, 1, 0xce),
	CASE(BOTH, IRET, 1, 0xcf),
	CASE(64, IRET, 2, 0x48, 0xcf),
	CASE(BOTH, NONE, 1, 0x90),				/* nop */
	CASE(BOTH, NONE, 2, 0x0f, 0x1f, 0x00),			/* long nop */
	CASE(BOTH, NONE, 2, 0xff, 0xc0),			/* inc */
	CASE(BOTH, NONE, 2, 0xff, 0x30),			/* push */
	CASE(BOTH, NONE, 2, 0x0f, 0x84 ^ 0x20, 0xc0, 0),	/* shld */
	/* The opcode of jae with VEX; of a long jcc in a map of three bytes. */
	CASE(64, NONE, 3, 0xc5, 0xf8, 0x77),			/* vzeroupper */
	CASE(64, NONE, 3, 0xc5, 0xf9, 0x74, 0xc1),		/* vpcmpeqb */
	CASE(BOTH, NONE, 3, 0x0f, 0x38, 0xf0, 0x00),		/* movbe */
	/* An operand that looks like a branch. */
	CASE(BOTH, NONE, 1, 0xb8, 0xe8, 0xe9, 0xc3, 0xeb),	/* mov */
};

#endif /* _ARCH_X86_EVENTS_BRANCH_CASES_H */
