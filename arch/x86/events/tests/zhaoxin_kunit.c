// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "zhaoxin/core", on a CPU that does not exist. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include "../zhaoxin/core.h"

#define SELECT		0x1000
#define GLOBAL_CTRL	0x3001
#define GLOBAL_CLEAR	0x3002
#define COUNTERS	(X86_GENERAL(2) | X86_FIXED(1))

static const struct x86_model zxd = { };
static const struct x86_model zxc = { .quirks = X86_QUIRK_ENABLED_ACK };

static const struct x86_pmc addresses = {
	.select		= SELECT,
	.write		= 0x2000,
	.step		= 1,
	.global_ctrl	= GLOBAL_CTRL,
};

struct machine {
	struct x86_core	core;
	struct x86_cpu	cpu;
	struct x86_pmc	pmc;
	u64		control;
	u64		control_at_clear;
	u64		select[2];
	u64		select_at_clear;
	u64		cleared;
	unsigned int	clears;
};

static void fake_write(u32 address, u64 value)
{
	struct machine *m = kunit_get_current_test()->priv;

	if (address == GLOBAL_CTRL) {
		m->control = value;
	} else if (address == GLOBAL_CLEAR) {
		m->control_at_clear = m->control;
		m->select_at_clear = m->select[0];
		m->cleared = value;
		m->clears++;
	} else if (address - SELECT < ARRAY_SIZE(m->select)) {
		m->select[address - SELECT] = value;
	}
}

static int zhaoxin_init(struct kunit *test)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	test->priv = m;
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	m->pmc = addresses;
	m->core.facts.counters = COUNTERS;
	m->cpu.core = &m->core;
	x86_regs_reset(&m->cpu.regs, &m->pmc, COUNTERS);
	m->pmc.global_clear = GLOBAL_CLEAR;
	return 0;
}

static void acknowledge(struct kunit *test, const struct x86_model *model, u64 running)
{
	struct machine *m = test->priv;

	m->core.facts.model = model;
	m->cpu.running = running;
	m->clears = 0;
	zhaoxin_core_acknowledge(&m->cpu, BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, m->clears, 1);
	KUNIT_EXPECT_EQ(test, m->cleared, BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, m->control, 0);
}

static void zhaoxin_test_plain(struct kunit *test)
{
	struct machine *m = test->priv;

	acknowledge(test, &zxd, BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, m->control_at_clear, 0);
}

/* Only counters of events that count run while the status is cleared. */
static void zhaoxin_test_enabled(struct kunit *test)
{
	struct machine *m = test->priv;
	u64 value, owner;

	x86_regs_hold(&m->cpu.regs, 0, 5, 7);
	acknowledge(test, &zxc, BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, m->control_at_clear, BIT_ULL(1));
	KUNIT_EXPECT_TRUE(test, x86_regs_held(&m->cpu.regs, 0, &value, &owner));
}

/* Events that do not count now do not count this moment, either. */
static void zhaoxin_test_none_runs(struct kunit *test)
{
	const u64 config = 0x3c | X86_SEL_OS;
	struct machine *m = test->priv;
	u64 value, owner;

	x86_regs_select(&m->cpu.regs, 0, config);
	x86_regs_hold(&m->cpu.regs, 0, 5, 7);
	m->cpu.guest_only = BIT_ULL(1);
	acknowledge(test, &zxc, BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, m->control_at_clear, BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, m->select_at_clear & ~X86_SEL_ENABLE, 0);
	KUNIT_EXPECT_EQ(test, m->select[0], config | X86_SEL_ENABLE);
	KUNIT_EXPECT_TRUE(test, x86_regs_fits(&m->cpu.regs, 0, config));
	KUNIT_EXPECT_TRUE(test, x86_regs_held(&m->cpu.regs, 0, &value, &owner));
}

static struct kunit_case zhaoxin_cases[] = {
	KUNIT_CASE(zhaoxin_test_plain),
	KUNIT_CASE(zhaoxin_test_enabled),
	KUNIT_CASE(zhaoxin_test_none_runs),
	{}
};

static struct kunit_suite zhaoxin_suite = {
	.name		= "x86_zhaoxin",
	.init		= zhaoxin_init,
	.test_cases	= zhaoxin_cases,
};

kunit_test_suite(zhaoxin_suite);
