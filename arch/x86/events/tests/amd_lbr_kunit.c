// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "amd/lbr", on registers that do not exist. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <asm/msr-index.h>
#include "../amd/lbr.h"
#include "../branch.h"

#define DEPTH		16
#define SECRET		0x8000000000401000ULL
#define EXTN		0x18		/* bits that the firmware has set */
#define DEBUGCTL	BIT_ULL(1)	/* a debugger's bit */
#define FREEZE		DEBUGCTLMSR_FREEZE_LBRS_ON_PMI
#define FILTER		0x5
#define OTHER_FILTER	0x6

struct machine {
	struct amd_lbr		lbr;		/* the real one */
	struct x86_cpu		cpu;
	struct perf_event	event;
	struct perf_event	another;
	u64			branch[2 * DEPTH];
	u64			select;
	u64			extn;
	u64			debugctl;
	unsigned int		writes;
	void			(*on_write)(struct machine *m);
};

static struct machine *machine(void)
{
	return kunit_get_current_test()->priv;
}

static u64 *register_of(struct machine *m, u32 address)
{
	if (address == MSR_AMD64_LBR_SELECT)
		return &m->select;
	if (address == MSR_AMD_DBG_EXTN_CFG)
		return &m->extn;
	if (address == MSR_IA32_DEBUGCTLMSR)
		return &m->debugctl;
	if (address - MSR_AMD_SAMP_BR_FROM < 2 * DEPTH)
		return &m->branch[address - MSR_AMD_SAMP_BR_FROM];
	KUNIT_FAIL(kunit_get_current_test(), "access to %x", address);
	return &m->select;
}

static void fake_write(u32 address, u64 value)
{
	struct machine *m = machine();
	void (*on_write)(struct machine *m) = m->on_write;

	m->on_write = NULL;
	if (on_write)
		on_write(m);
	m->writes++;
	*register_of(m, address) = value;
}

static u64 fake_read(u32 address)
{
	return *register_of(machine(), address);
}

static int lbr_init(struct kunit *test)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	test->priv = m;
	m->lbr = amd_lbr;
	amd_lbr = (struct amd_lbr) { .depth = DEPTH, .freezes = true };
	m->cpu.branches = true;
	m->extn = EXTN;
	m->debugctl = DEBUGCTL;
	m->event.hw.branch_reg.config = FILTER;
	memset(m->branch, 0xff, sizeof(m->branch));
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	kunit_activate_static_stub(test, amd_lbr_read_register, fake_read);
	return 0;
}

static void lbr_exit(struct kunit *test)
{
	struct machine *m = test->priv;

	if (m)
		amd_lbr = m->lbr;
}

static bool is_clear(const struct machine *m)
{
	return !memchr_inv(m->branch, 0, sizeof(m->branch));
}

static bool records(const struct machine *m)
{
	return m->extn & DBG_EXTN_CFG_LBRV2EN;
}

static unsigned int writes_since(struct machine *m)
{
	unsigned int writes = m->writes;

	m->writes = 0;
	return writes;
}

static struct machine *begin(struct kunit *test)
{
	struct machine *m = test->priv;

	amd_lbr_start_cpu();
	KUNIT_EXPECT_EQ(test, amd_lbr_get(&m->cpu, &m->event), 0);
	amd_lbr_start(&m->cpu);
	return m;
}

static void end(struct kunit *test)
{
	struct machine *m = test->priv;

	amd_lbr_stop(&m->cpu);
	amd_lbr_put(&m->cpu, &m->event);
	amd_lbr_start(&m->cpu);
	KUNIT_EXPECT_FALSE(test, m->cpu.branches);
	KUNIT_EXPECT_EQ(test, m->extn, EXTN);
	KUNIT_EXPECT_EQ(test, m->debugctl, DEBUGCTL);
	amd_lbr_start_cpu();
}

static void lbr_test_start_stop(struct kunit *test)
{
	struct machine *m;

	guard(irqsave)();
	m = begin(test);
	KUNIT_EXPECT_TRUE(test, is_clear(m));
	KUNIT_EXPECT_EQ(test, m->select, FILTER);
	KUNIT_EXPECT_EQ(test, m->extn, EXTN | DBG_EXTN_CFG_LBRV2EN);
	KUNIT_EXPECT_EQ(test, m->debugctl, DEBUGCTL | FREEZE);
	KUNIT_EXPECT_EQ(test, writes_since(m), 2 * DEPTH + 3);
	/* Off and on again takes two writes. */
	amd_lbr_stop(&m->cpu);
	KUNIT_EXPECT_EQ(test, m->extn, EXTN);
	amd_lbr_start(&m->cpu);
	KUNIT_EXPECT_TRUE(test, records(m));
	KUNIT_EXPECT_EQ(test, writes_since(m), 2);
	end(test);
}

/* No task sees branches of another one. */
static void lbr_test_clear(struct kunit *test)
{
	struct machine *m;

	guard(irqsave)();
	m = begin(test);
	m->branch[5] = SECRET;
	amd_lbr_stop(&m->cpu);
	amd_lbr_sched_task(NULL, true);
	amd_lbr_start(&m->cpu);
	KUNIT_EXPECT_TRUE(test, is_clear(m));
	/*
	 * The task itself keeps its branches when it leaves and stays loaded.
	 */
	m->branch[5] = SECRET;
	amd_lbr_stop(&m->cpu);
	amd_lbr_sched_task(NULL, false);
	amd_lbr_start(&m->cpu);
	KUNIT_EXPECT_FALSE(test, is_clear(m));
	/* Another event, perhaps of another task. */
	amd_lbr_stop(&m->cpu);
	amd_lbr_put(&m->cpu, &m->event);
	KUNIT_EXPECT_EQ(test, amd_lbr_get(&m->cpu, &m->event), 0);
	amd_lbr_start(&m->cpu);
	KUNIT_EXPECT_TRUE(test, is_clear(m));
	/* The registers are lost. */
	m->branch[5] = SECRET;
	m->extn = EXTN;
	amd_lbr_forget(&m->cpu);
	amd_lbr_start(&m->cpu);
	KUNIT_EXPECT_TRUE(test, is_clear(m) && records(m));
	end(test);
}

/* The hardware leaves out what no event needs. */
static void lbr_test_filter(struct kunit *test)
{
	struct machine *m;

	guard(irqsave)();
	m = begin(test);
	m->another.hw.branch_reg.config = OTHER_FILTER;
	amd_lbr_stop(&m->cpu);
	KUNIT_EXPECT_EQ(test, amd_lbr_get(&m->cpu, &m->another), 0);
	m->branch[5] = SECRET;
	amd_lbr_start(&m->cpu);
	KUNIT_EXPECT_EQ(test, m->select, FILTER & OTHER_FILTER);
	KUNIT_EXPECT_TRUE(test, is_clear(m));
	amd_lbr_stop(&m->cpu);
	amd_lbr_put(&m->cpu, &m->another);
	amd_lbr_put(&m->cpu, &m->event);
	/* Branches that passed the old filter go. */
	m->branch[5] = SECRET;
	KUNIT_EXPECT_EQ(test, amd_lbr_get(&m->cpu, &m->another), 0);
	amd_lbr_start(&m->cpu);
	KUNIT_EXPECT_TRUE(test, is_clear(m));
	KUNIT_EXPECT_EQ(test, m->select, OTHER_FILTER);
	end(test);
}

static void interrupt(struct machine *m)
{
	bool on = amd_lbr_pause(&m->cpu);

	if (on)
		KUNIT_EXPECT_FALSE(kunit_get_current_test(), records(m));
	amd_lbr_resume(on);
}

/* An interrupt between any two instructions changes nothing in the end. */
static void lbr_test_interrupt(struct kunit *test)
{
	struct machine *m;

	guard(irqsave)();
	m = begin(test);
	interrupt(m);
	KUNIT_EXPECT_TRUE(test, records(m));
	m->on_write = interrupt;
	amd_lbr_stop(&m->cpu);
	KUNIT_EXPECT_FALSE(test, records(m));
	interrupt(m);
	KUNIT_EXPECT_FALSE(test, records(m));
	m->on_write = interrupt;
	amd_lbr_start(&m->cpu);
	KUNIT_EXPECT_TRUE(test, records(m));
	end(test);
	/* Nobody uses it. */
	interrupt(m);
	KUNIT_EXPECT_FALSE(test, records(m));
}

static struct kunit_case lbr_cases[] = {
	KUNIT_CASE(lbr_test_start_stop),
	KUNIT_CASE(lbr_test_clear),
	KUNIT_CASE(lbr_test_filter),
	KUNIT_CASE(lbr_test_interrupt),
	{}
};

static struct kunit_suite lbr_suite = {
	.name		= "x86_amd_lbr",
	.init		= lbr_init,
	.exit		= lbr_exit,
	.test_cases	= lbr_cases,
};

kunit_test_suite(lbr_suite);
