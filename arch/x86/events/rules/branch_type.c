// SPDX-License-Identifier: GPL-2.0
/*
 * Room "branch_type": what kind of branch an instruction is.
 *
 * Purpose: classify a taken branch by the bytes of its instruction and by the
 * privilege levels on both sides, SDM vol. 2 appendix A; translate kinds to
 * those that samples have.
 *
 * Owns: constant data.
 *
 * Contexts: any, including NMI. Only the bytes that are passed are read.
 *
 * Locking: none.
 */
#include <linux/array_size.h>
#include <asm/insn.h>
#include <uapi/linux/perf_event.h>
#include "branch_type.h"

/**
 * struct opcode_range - opcodes of one kind
 * @first: first opcode
 * @last: last opcode
 * @kind: X86_BRANCH_*
 */
struct opcode_range {
	u8	first;
	u8	last;
	u16	kind;
};

static const struct opcode_range one_byte[] = {
	{ 0x70, 0x7f, X86_BRANCH_COND },	/* Jcc rel8 */
	{ 0x9a, 0x9a, X86_BRANCH_CALL },	/* CALL far */
	{ 0xc2, 0xc3, X86_BRANCH_RETURN },	/* RET near */
	{ 0xca, 0xcb, X86_BRANCH_RETURN },	/* RET far */
	{ 0xcc, 0xce, X86_BRANCH_INT },		/* INT3, INT, INTO */
	{ 0xcf, 0xcf, X86_BRANCH_IRET },
	{ 0xe0, 0xe3, X86_BRANCH_COND },	/* LOOPcc, JCXZ */
	{ 0xe8, 0xe8, X86_BRANCH_CALL },	/* CALL near */
	{ 0xe9, 0xeb, X86_BRANCH_JUMP },	/* JMP near, far, short */
	{ 0xf1, 0xf1, X86_BRANCH_INT },		/* INT1 */
};

/* Those that follow 0x0f. */
static const struct opcode_range two_bytes[] = {
	{ 0x05, 0x05, X86_BRANCH_SYSCALL },
	{ 0x07, 0x07, X86_BRANCH_SYSRET },
	{ 0x34, 0x34, X86_BRANCH_SYSCALL },	/* SYSENTER */
	{ 0x35, 0x35, X86_BRANCH_SYSRET },	/* SYSEXIT */
	{ 0x80, 0x8f, X86_BRANCH_COND },	/* Jcc rel16, rel32 */
};

/* Opcode 0xff, by the field reg of the byte ModRM. */
static const u16 group5[8] = {
	[2] = X86_BRANCH_IND_CALL,		/* near */
	[3] = X86_BRANCH_IND_CALL,		/* far */
	[4] = X86_BRANCH_IND_JUMP,		/* near */
	[5] = X86_BRANCH_IND_JUMP,		/* far */
};

#define ESCAPE		0x0f
#define CALL_NEAR	0xe8
#define GROUP5		0xff

static u32 look_up(const struct opcode_range *ranges, unsigned int nr, u8 opcode)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (ranges[i].first <= opcode && opcode <= ranges[i].last)
			return ranges[i].kind;
	}
	return X86_BRANCH_NONE;
}

static u32 kind_of_group5(struct insn *insn)
{
	if (insn_get_modrm(insn))
		return X86_BRANCH_BAD;
	return group5[insn->modrm.bytes[0] >> 3 & 7];
}

/* A call of the next instruction is how old code reads its own address. */
static bool calls_next(struct insn *insn)
{
	return !insn_get_immediate(insn) && !insn->immediate1.value;
}

static u32 kind_of(struct insn *insn)
{
	u8 opcode = insn->opcode.bytes[0];

	/* With the prefixes VEX and EVEX the same bytes are other opcodes. */
	if (insn_is_avx(insn))
		return X86_BRANCH_NONE;
	switch (opcode) {
	case ESCAPE:
		return look_up(two_bytes, ARRAY_SIZE(two_bytes), insn->opcode.bytes[1]);
	case GROUP5:
		return kind_of_group5(insn);
	case CALL_NEAR:
		return calls_next(insn) ? X86_BRANCH_ZERO_CALL : X86_BRANCH_CALL;
	default:
		return look_up(one_byte, ARRAY_SIZE(one_byte), opcode);
	}
}

static u32 begin(struct insn *insn, const u8 *bytes, unsigned int nr, bool is64)
{
	if (!nr)
		return X86_BRANCH_BAD;
	insn_init(insn, bytes, nr, is64);
	return insn_get_opcode(insn) ? X86_BRANCH_BAD : kind_of(insn);
}

/**
 * x86_branch_type_decode() - classify the instruction that bytes begin with
 * @bytes: the bytes
 * @nr: how many of them there are
 * @is64: they are code of 64 bits
 *
 * Context: any.
 * Return: X86_BRANCH_*; _NONE for another instruction, _BAD if there are too
 * few bytes to tell or if they are no instruction.
 */
u32 x86_branch_type_decode(const void *bytes, unsigned int nr, bool is64)
{
	struct insn insn;

	return begin(&insn, bytes, nr, is64);
}

/**
 * x86_branch_type_find() - find the first branch among instructions
 * @bytes: begins with an instruction
 * @nr: how many bytes there are
 * @is64: they are code of 64 bits
 * @offset: gets the distance of the branch from the beginning; 0 without one
 *
 * Processors that fuse a comparison and a branch may report the address of the
 * comparison.
 *
 * Context: any.
 * Return: as x86_branch_type_decode(); _BAD only for the first instruction.
 */
u32 x86_branch_type_find(const void *bytes, unsigned int nr, bool is64,
			 unsigned int *offset)
{
	unsigned int at = 0;
	struct insn insn;
	u32 kind;

	*offset = 0;
	kind = begin(&insn, bytes, nr, is64);
	while (kind == X86_BRANCH_NONE) {
		if (insn_get_length(&insn) || !insn.length)
			return X86_BRANCH_NONE;
		at += insn.length;
		if (at >= nr)
			return X86_BRANCH_NONE;
		kind = begin(&insn, (const u8 *)bytes + at, nr - at, is64);
	}
	if (kind == X86_BRANCH_BAD)
		return at ? X86_BRANCH_NONE : X86_BRANCH_BAD;
	*offset = at;
	return kind;
}

/**
 * x86_branch_type_cross() - correct a kind by the levels on both sides
 * @kind: of the instruction at the branch
 * @from_kernel: it is code of the kernel
 * @to_kernel: the target is code of the kernel
 *
 * An interrupt may come at any instruction. One that comes in the kernel looks
 * like the instruction that it interrupts.
 *
 * Context: any.
 * Return: X86_BRANCH_*.
 */
u32 x86_branch_type_cross(u32 kind, bool from_kernel, bool to_kernel)
{
	const u32 enters = X86_BRANCH_SYSCALL | X86_BRANCH_INT | X86_BRANCH_ABORT;

	if (!from_kernel && to_kernel && !(kind & enters))
		return X86_BRANCH_IRQ;
	return kind;
}

/**
 * struct perf_name - what perf calls a kind
 * @kind: X86_BRANCH_*
 * @type: PERF_BR_*
 */
struct perf_name {
	u16	kind;
	u8	type;
};

/* For each type the first row is the one of x86_branch_type_of_perf(). */
static const struct perf_name perf_names[] = {
	{ X86_BRANCH_COND,	PERF_BR_COND },
	{ X86_BRANCH_JUMP,	PERF_BR_UNCOND },
	{ X86_BRANCH_IND_JUMP,	PERF_BR_IND },
	{ X86_BRANCH_CALL,	PERF_BR_CALL },
	{ X86_BRANCH_ZERO_CALL,	PERF_BR_CALL },
	{ X86_BRANCH_IND_CALL,	PERF_BR_IND_CALL },
	{ X86_BRANCH_RETURN,	PERF_BR_RET },
	{ X86_BRANCH_SYSCALL,	PERF_BR_SYSCALL },
	{ X86_BRANCH_SYSRET,	PERF_BR_SYSRET },
	{ X86_BRANCH_IRET,	PERF_BR_ERET },
	{ X86_BRANCH_IRQ,	PERF_BR_IRQ },
};

/**
 * x86_branch_type_perf() - translate a kind for a sample
 * @kind: one of X86_BRANCH_*
 *
 * Context: any.
 * Return: PERF_BR_*; PERF_BR_UNKNOWN for kinds without a name there.
 */
unsigned int x86_branch_type_perf(u32 kind)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(perf_names); i++) {
		if (perf_names[i].kind == kind)
			return perf_names[i].type;
	}
	return PERF_BR_UNKNOWN;
}

/**
 * x86_branch_type_of_perf() - translate the type of a branch in a sample
 * @type: PERF_BR_*
 *
 * Context: any.
 * Return: X86_BRANCH_*; X86_BRANCH_NONE for a type that no kind has.
 */
u32 x86_branch_type_of_perf(unsigned int type)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(perf_names); i++) {
		if (perf_names[i].type == type)
			return perf_names[i].kind;
	}
	return X86_BRANCH_NONE;
}
