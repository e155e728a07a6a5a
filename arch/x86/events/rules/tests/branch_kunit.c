// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms branch_type and branch_filter.
 */
#include <kunit/test.h>
#include <uapi/linux/perf_event.h>

#include "../branch_filter.h"
#include "branch_cases.h"

#define KERNEL		0xffff800000000000ULL
#define USER_IP		0x401000ULL
#define KERNEL_IP	0xffffffff81000000ULL

static void branch_decode(struct kunit *test)
{
	const struct branch_case *c;
	unsigned int nr, is64;
	u32 kind;

	for (c = branch_cases; c < branch_cases + ARRAY_SIZE(branch_cases); c++) {
		for (is64 = 0; is64 < 2; is64++) {
			if (!(c->modes & (is64 ? BRANCH_IN_64 : BRANCH_IN_32)))
				continue;
			for (nr = c->needed; nr <= c->nr; nr++)
				KUNIT_EXPECT_EQ_MSG(test, c->kind,
						    x86_branch_type_decode(c->bytes, nr, is64),
						    "row %d, %u bytes",
						    (int)(c - branch_cases), nr);
			kind = x86_branch_type_decode(c->bytes, 0, is64);
			KUNIT_EXPECT_EQ(test, kind, X86_BRANCH_BAD);
		}
	}
}

static void branch_too_short(struct kunit *test)
{
	static const u8 far_jcc[] = { 0x0f, 0x84 };
	static const u8 group5[] = { 0xff, 0xd0 };
	static const u8 prefixes[] = { 0x66, 0x66, 0x66, 0xc3 };

	KUNIT_EXPECT_EQ(test, x86_branch_type_decode(far_jcc, 1, true), X86_BRANCH_BAD);
	KUNIT_EXPECT_EQ(test, x86_branch_type_decode(group5, 1, true), X86_BRANCH_BAD);
	KUNIT_EXPECT_EQ(test, x86_branch_type_decode(prefixes, 3, true), X86_BRANCH_BAD);
}

static void branch_find(struct kunit *test)
{
	/* cmp %eax,%ebx; je; then nop, nop; test; jmp *%rax */
	static const u8 fused[] = { 0x39, 0xc3, 0x74, 0x10 };
	static const u8 later[] = { 0x90, 0x90, 0x85, 0xc0, 0xff, 0xe0 };
	static const u8 none[] = { 0x90, 0x90, 0x0f };
	unsigned int offset = 99;

	KUNIT_EXPECT_EQ(test, x86_branch_type_find(fused, 4, true, &offset), X86_BRANCH_COND);
	KUNIT_EXPECT_EQ(test, offset, 2);
	KUNIT_EXPECT_EQ(test, x86_branch_type_find(fused + 2, 2, true, &offset), X86_BRANCH_COND);
	KUNIT_EXPECT_EQ(test, offset, 0);
	KUNIT_EXPECT_EQ(test, x86_branch_type_find(later, 6, true, &offset), X86_BRANCH_IND_JUMP);
	KUNIT_EXPECT_EQ(test, offset, 4);
	KUNIT_EXPECT_EQ(test, x86_branch_type_find(none, 3, true, &offset), X86_BRANCH_NONE);
	KUNIT_EXPECT_EQ(test, offset, 0);
	KUNIT_EXPECT_EQ(test, x86_branch_type_find(none + 2, 1, true, &offset), X86_BRANCH_BAD);
	KUNIT_EXPECT_EQ(test, x86_branch_type_find(none, 2, true, &offset), X86_BRANCH_NONE);
}

static void branch_cross(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, x86_branch_type_cross(X86_BRANCH_COND, false, true), X86_BRANCH_IRQ);
	KUNIT_EXPECT_EQ(test, x86_branch_type_cross(X86_BRANCH_NONE, false, true), X86_BRANCH_IRQ);
	KUNIT_EXPECT_EQ(test, x86_branch_type_cross(X86_BRANCH_SYSCALL, false, true),
			X86_BRANCH_SYSCALL);
	KUNIT_EXPECT_EQ(test, x86_branch_type_cross(X86_BRANCH_INT, false, true), X86_BRANCH_INT);
	KUNIT_EXPECT_EQ(test, x86_branch_type_cross(X86_BRANCH_IRET, true, false),
			X86_BRANCH_IRET);
	KUNIT_EXPECT_EQ(test, x86_branch_type_cross(X86_BRANCH_COND, true, true),
			X86_BRANCH_COND);
	KUNIT_EXPECT_EQ(test, x86_branch_type_cross(X86_BRANCH_NONE, false, false),
			X86_BRANCH_NONE);
}

static void branch_names(struct kunit *test)
{
	u32 kind;

	for (kind = 1; kind <= X86_BRANCH_BAD; kind <<= 1) {
		unsigned int type = x86_branch_type_perf(kind);

		if (kind == X86_BRANCH_ZERO_CALL)
			KUNIT_EXPECT_EQ(test, type, PERF_BR_CALL);
		else if (type)
			KUNIT_EXPECT_EQ(test, x86_branch_type_of_perf(type), kind);
	}
	KUNIT_EXPECT_EQ(test, x86_branch_type_perf(X86_BRANCH_INT), PERF_BR_UNKNOWN);
	KUNIT_EXPECT_EQ(test, x86_branch_type_perf(X86_BRANCH_IRET), PERF_BR_ERET);
	KUNIT_EXPECT_EQ(test, x86_branch_type_of_perf(PERF_BR_UNKNOWN), X86_BRANCH_NONE);
	KUNIT_EXPECT_EQ(test, x86_branch_type_of_perf(PERF_BR_COND_RET), X86_BRANCH_NONE);
}

/* The kind of an instruction is in the low bits of its address. */
static u32 look(u64 from, bool kernel)
{
	return from & X86_BRANCH_ANY;
}

static const struct perf_branch_entry recorded[] = {
	{ .from = USER_IP << 16 | X86_BRANCH_CALL,	.to = USER_IP },
	{ .from = USER_IP << 16 | X86_BRANCH_SYSCALL,	.to = KERNEL_IP },
	{ .from = KERNEL_IP << 16 | X86_BRANCH_COND,	.to = KERNEL_IP },
	{ .from = KERNEL_IP << 16 | X86_BRANCH_SYSRET,	.to = USER_IP },
	{ .from = USER_IP << 16 | X86_BRANCH_COND,	.to = KERNEL_IP },
	{ .from = USER_IP << 16 | X86_BRANCH_RETURN,	.to = USER_IP, .in_tx = 1 },
	{ .from = USER_IP << 16,			.to = USER_IP },
	{ .from = USER_IP << 16 | X86_BRANCH_COND,	.to = USER_IP, .abort = 1 },
	{ .from = USER_IP << 16 | X86_BRANCH_COND,	.to = USER_IP, .type = PERF_BR_IND },
	{ .from = 0,					.to = USER_IP },
};

/* Which of them stay, as a mask. */
static unsigned int stay(struct kunit *test, u64 asked)
{
	struct x86_branch_filter f = { x86_branch_filter_wanted(asked), KERNEL, look };
	struct perf_branch_entry entries[ARRAY_SIZE(recorded)];
	u64 counters[ARRAY_SIZE(recorded)];
	unsigned int i, nr, mask = 0;

	memcpy(entries, recorded, sizeof(entries));
	for (i = 0; i < ARRAY_SIZE(recorded); i++)
		counters[i] = i;
	nr = x86_branch_filter_run(&f, entries, counters, ARRAY_SIZE(entries));
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_LT(test, counters[i], ARRAY_SIZE(recorded));
		KUNIT_EXPECT_EQ(test, entries[i].from, recorded[counters[i]].from);
		KUNIT_EXPECT_EQ(test, entries[i].to, recorded[counters[i]].to);
		mask |= BIT(counters[i]);
	}
	return mask;
}

#define ASK(bits)	(PERF_SAMPLE_BRANCH_##bits)

static void branch_filter(struct kunit *test)
{
	u64 user = ASK(USER), kernel = ASK(KERNEL);

	/* All of both levels: as recorded, without a look at the code. */
	KUNIT_EXPECT_EQ(test, stay(test, user | kernel | ASK(ANY)), 0x3ff);
	KUNIT_EXPECT_EQ(test, stay(test, user | kernel | ASK(ANY) | ASK(TYPE_SAVE)), 0x1bf);
	KUNIT_EXPECT_EQ(test, stay(test, user | ASK(ANY)), 0x1a1);
	KUNIT_EXPECT_EQ(test, stay(test, kernel | ASK(ANY)), 0x16);
	KUNIT_EXPECT_EQ(test, stay(test, user | ASK(ANY_CALL)), 0x1);
	KUNIT_EXPECT_EQ(test, stay(test, user | kernel | ASK(ANY_CALL)), 0x13);
	KUNIT_EXPECT_EQ(test, stay(test, user | ASK(ANY_RETURN)), 0x20);
	KUNIT_EXPECT_EQ(test, stay(test, user | kernel | ASK(ANY_RETURN)), 0x28);
	KUNIT_EXPECT_EQ(test, stay(test, user | ASK(COND)), 0x0);
	KUNIT_EXPECT_EQ(test, stay(test, user | kernel | ASK(COND)), 0x4);
	KUNIT_EXPECT_EQ(test, stay(test, user | ASK(ABORT_TX)), 0x80);
	KUNIT_EXPECT_EQ(test, stay(test, user | ASK(ANY) | ASK(IN_TX)), 0x20);
	KUNIT_EXPECT_EQ(test, stay(test, user | ASK(ANY) | ASK(NO_TX)), 0x181);
	KUNIT_EXPECT_EQ(test, stay(test, user | ASK(IND_JUMP)), 0x100);
	KUNIT_EXPECT_EQ(test, stay(test, user | ASK(CALL_STACK)), 0x21);
}

static unsigned int type_of(const struct perf_branch_entry *e)
{
	return e->type;
}

static void branch_filter_types(struct kunit *test)
{
	struct x86_branch_filter f = { .kernel = KERNEL, .look = look };
	struct perf_branch_entry entries[ARRAY_SIZE(recorded)];
	unsigned int nr;

	f.wanted = x86_branch_filter_wanted(ASK(USER) | ASK(KERNEL) | ASK(ANY) | ASK(TYPE_SAVE));
	memcpy(entries, recorded, sizeof(entries));
	nr = x86_branch_filter_run(&f, entries, NULL, ARRAY_SIZE(entries));
	KUNIT_ASSERT_EQ(test, nr, 8);
	KUNIT_EXPECT_EQ(test, type_of(&entries[0]), PERF_BR_CALL);
	KUNIT_EXPECT_EQ(test, type_of(&entries[1]), PERF_BR_SYSCALL);
	KUNIT_EXPECT_EQ(test, type_of(&entries[3]), PERF_BR_SYSRET);
	KUNIT_EXPECT_EQ(test, type_of(&entries[4]), PERF_BR_IRQ);
	KUNIT_EXPECT_EQ(test, type_of(&entries[6]), PERF_BR_UNKNOWN);
	KUNIT_EXPECT_EQ(test, type_of(&entries[7]), PERF_BR_IND);
}

static struct kunit_case branch_kunit_cases[] = {
	KUNIT_CASE(branch_decode),
	KUNIT_CASE(branch_too_short),
	KUNIT_CASE(branch_find),
	KUNIT_CASE(branch_cross),
	KUNIT_CASE(branch_names),
	KUNIT_CASE(branch_filter),
	KUNIT_CASE(branch_filter_types),
	{}
};

static struct kunit_suite branch_suite = {
	.name		= "x86_branch",
	.test_cases	= branch_kunit_cases,
};

kunit_test_suite(branch_suite);
