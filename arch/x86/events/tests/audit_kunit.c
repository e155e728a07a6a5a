// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "audit", on a register file. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <asm/msr-index.h>
#include "../audit.h"

#define SELECT		0x1000
#define COUNTER		0x2000
#define FIXED_CTRL	0x3000
#define GLOBAL_CTRL	0x3001
#define NR_GENERAL	3
#define COUNTERS	(X86_GENERAL(NR_GENERAL) | X86_FIXED(0) | X86_FIXED(1))
#define CYCLES		(0x3c | X86_SEL_OS | X86_SEL_INT)

enum { GLOBAL, EACH, TOGETHER, NR_KINDS };

static const struct x86_pmc addresses[NR_KINDS] = {
	[GLOBAL] = {
		.select = SELECT, .counter = COUNTER, .write = COUNTER, .step = 1,
		.fixed_ctrl = FIXED_CTRL, .global_ctrl = GLOBAL_CTRL, .mask = 0xffffffffff,
	},
	[EACH] = {
		.select = SELECT, .counter = COUNTER, .write = COUNTER, .step = 1,
		.mask = 0xffffffffff,
	},
	[TOGETHER] = {
		.select = SELECT, .counter = COUNTER, .write = COUNTER, .step = 1,
		.one_enable = true, .mask = 0xffffffffff,
	},
};

struct registers {
	struct x86_regs	r;
	u64		select[NR_GENERAL];
	u64		counter[NR_GENERAL];
	u64		fixed[2];
	u64		fixed_ctrl;
	u64		global_ctrl;
};

static u64 *place(struct registers *f, u32 address)
{
	if (address == GLOBAL_CTRL)
		return &f->global_ctrl;
	if (address == FIXED_CTRL)
		return &f->fixed_ctrl;
	if (address - SELECT < NR_GENERAL)
		return &f->select[address - SELECT];
	if (address - COUNTER < NR_GENERAL)
		return &f->counter[address - COUNTER];
	return &f->fixed[(address - MSR_CORE_PERF_FIXED_CTR0) % 2];
}

static void fake_write(u32 address, u64 value)
{
	*place(kunit_get_current_test()->priv, address) = value;
}

static u64 fake_read(u32 address)
{
	return *place(kunit_get_current_test()->priv, address);
}

static int audit_init(struct kunit *test)
{
	struct registers *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	kunit_activate_static_stub(test, x86_regs_read, fake_read);
	return 0;
}

/* Two counters with events, of which one counts. */
static void set_up(struct registers *f, unsigned int kind)
{
	u64 counters = kind == GLOBAL ? COUNTERS : X86_GENERAL(NR_GENERAL);

	x86_regs_reset(&f->r, &addresses[kind], counters);
	x86_regs_select(&f->r, 0, CYCLES);
	x86_regs_select(&f->r, 1, CYCLES | X86_SEL_USR);
	if (kind == GLOBAL)
		x86_regs_select(&f->r, X86_COUNTER_FIXED + 1, CYCLES);
	x86_regs_load(&f->r, 2, 500);
	x86_regs_hold(&f->r, 2, 500, 7);
	x86_regs_run(&f->r, BIT_ULL(1));
}

static bool wrong(struct registers *f, bool skip_control)
{
	struct x86_audit_difference d;

	return x86_audit_find(&f->r, skip_control, &d);
}

static void audit_test_right(struct kunit *test)
{
	struct registers *f = test->priv;
	unsigned int kind;

	for (kind = 0; kind < NR_KINDS; kind++) {
		set_up(f, kind);
		KUNIT_EXPECT_FALSE(test, wrong(f, false));
		x86_regs_run(&f->r, 0);
		KUNIT_EXPECT_FALSE(test, wrong(f, false));
		x86_regs_run(&f->r, BIT_ULL(0) | BIT_ULL(1));
		KUNIT_EXPECT_FALSE(test, wrong(f, false));
		/* A value has no more bits than the counter. */
		f->counter[2] |= BIT_ULL(60);
		KUNIT_EXPECT_FALSE(test, wrong(f, false));
	}
}

/* Each register that something else than the engine has changed is found. */
static void audit_test_wrong(struct kunit *test)
{
	struct registers *f = test->priv;
	struct x86_audit_difference d;
	unsigned int kind, i;

	for (kind = 0; kind < NR_KINDS; kind++) {
		u64 *const registers[] = {
			&f->select[0], &f->select[1], &f->counter[2],
			&f->global_ctrl, &f->fixed_ctrl,
		};
		const u32 address[] = {
			SELECT, SELECT + 1, COUNTER + 2, GLOBAL_CTRL, FIXED_CTRL,
		};

		for (i = 0; i < (kind == GLOBAL ? 5 : 3); i++) {
			set_up(f, kind);
			*registers[i] ^= BIT_ULL(4);
			KUNIT_ASSERT_TRUE(test, x86_audit_find(&f->r, false, &d));
			KUNIT_EXPECT_EQ(test, d.address, address[i]);
			KUNIT_EXPECT_EQ(test, d.found ^ d.wanted, BIT_ULL(4));
		}
		set_up(f, kind);
		f->select[0] ^= X86_SEL_ENABLE;
		KUNIT_EXPECT_TRUE(test, wrong(f, false));
	}
}

static void audit_test_unknown(struct kunit *test)
{
	struct registers *f = test->priv;

	set_up(f, GLOBAL);
	f->select[2] = 0x1234;
	f->counter[0] = 77;
	KUNIT_EXPECT_FALSE(test, wrong(f, false));
	/* A hypervisor writes global control. */
	f->global_ctrl = 5;
	KUNIT_EXPECT_TRUE(test, wrong(f, false));
	KUNIT_EXPECT_FALSE(test, wrong(f, true));
	f->select[0] = 0;
	x86_regs_forget(&f->r);
	KUNIT_EXPECT_FALSE(test, wrong(f, false));
}

static struct kunit_case audit_cases[] = {
	KUNIT_CASE(audit_test_right),
	KUNIT_CASE(audit_test_wrong),
	KUNIT_CASE(audit_test_unknown),
	{}
};

static struct kunit_suite audit_suite = {
	.name		= "x86_audit",
	.init		= audit_init,
	.test_cases	= audit_cases,
};

kunit_test_suite(audit_suite);
