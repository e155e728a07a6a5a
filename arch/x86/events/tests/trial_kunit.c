// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the rooms "trial" and "intel/clean", on registers as firmware
 * or an earlier kernel may have left them.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <kunit/test.h>
#include <linux/bitops.h>
#include <asm/msr-index.h>
#include "../intel/clean.h"
#include "../smi.h"
#include "../trial.h"

#define SELECT		0x1000
#define COUNTER		0x2000
#define GLOBAL_CTRL	0x3001
#define NR_COUNTERS	4
#define COUNTERS	X86_GENERAL(NR_COUNTERS)
#define WIDTH		40

static const struct x86_pmc addresses = {
	.select		= SELECT,
	.counter	= COUNTER,
	.write		= COUNTER,
	.step		= 1,
	.global_ctrl	= GLOBAL_CTRL,
};

struct machine {
	u64		select[NR_COUNTERS];
	u64		counter[NR_COUNTERS];
	u64		global_ctrl;
	u64		pebs;
	u64		debugctl;
	unsigned int	writes;
	bool		deaf;		/* ignores writes of counters */
	bool		absent;		/* refuses them */
};

static struct machine *machine(void)
{
	return kunit_get_current_test()->priv;
}

static u64 *place(struct machine *m, u32 address)
{
	if (address - SELECT < NR_COUNTERS)
		return &m->select[address - SELECT];
	if (address - COUNTER < NR_COUNTERS)
		return &m->counter[address - COUNTER];
	if (address == MSR_IA32_PEBS_ENABLE)
		return &m->pebs;
	return address == GLOBAL_CTRL ? &m->global_ctrl : &m->debugctl;
}

static bool is_counter(u32 address)
{
	return address - COUNTER < NR_COUNTERS;
}

/* A counter that runs has another value each time. */
static u64 fake_read(u32 address)
{
	struct machine *m = machine();

	if (is_counter(address) && !m->deaf && m->global_ctrl & BIT(address - COUNTER) &&
	    m->select[address - COUNTER] & X86_SEL_ENABLE)
		m->counter[address - COUNTER] += 7;
	return *place(m, address);
}

static int fake_write_safe(u32 address, u64 value)
{
	struct machine *m = machine();

	if (is_counter(address) && m->absent)
		return -EIO;
	if (is_counter(address) && m->deaf)
		return 0;
	if (is_counter(address))
		value = sign_extend64(value, 31) & GENMASK_ULL(WIDTH - 1, 0);
	*place(m, address) = value;
	m->writes++;
	return 0;
}

static void fake_write(u32 address, u64 value)
{
	fake_write_safe(address, value);
}

static int trial_init(struct kunit *test)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	test->priv = m;
	kunit_activate_static_stub(test, x86_regs_read, fake_read);
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	kunit_activate_static_stub(test, x86_trial_write, fake_write_safe);
	return 0;
}

/* Whatever a counter contains when the kernel starts. */
static void trial_test_values(struct kunit *test)
{
	static const u64 left[] = {
		0, 1, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7f00000000,
		0xff00000000, 0xff7fffffff, 0xff80000000, 0xffffffffff, 0x7fffffffff, 0x8000000000,
	};
	struct machine *m = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(left); i++) {
		m->counter[0] = left[i];
		KUNIT_EXPECT_TRUE_MSG(test, x86_trial_works(&addresses, COUNTERS),
				      "value %llx", left[i]);
	}
	/* Counter 0 is not there. */
	m->absent = true;
	m->counter[2] = 5;
	KUNIT_EXPECT_FALSE(test, x86_trial_works(&addresses, COUNTERS & ~X86_GENERAL(2)));
}

static void trial_test_emulator(struct kunit *test)
{
	struct machine *m = test->priv;

	m->deaf = true;
	KUNIT_EXPECT_FALSE(test, x86_trial_works(&addresses, COUNTERS));
	m->counter[0] = 0xffff;
	KUNIT_EXPECT_FALSE(test, x86_trial_works(&addresses, COUNTERS));
}

/* All counters run, as after kexec from a kernel whose watchdog used them. */
static void trial_test_running(struct kunit *test)
{
	struct machine *m = test->priv;
	unsigned int i;

	m->global_ctrl = COUNTERS;
	KUNIT_EXPECT_FALSE(test, x86_trial_stop(&addresses, COUNTERS));
	m->global_ctrl = COUNTERS;
	for (i = 0; i < NR_COUNTERS; i++)
		m->select[i] = X86_SEL_ENABLE | X86_SEL_OS | 0x3c;
	KUNIT_EXPECT_FALSE(test, x86_trial_works(&addresses, COUNTERS));
	KUNIT_EXPECT_TRUE(test, x86_trial_stop(&addresses, COUNTERS));
	KUNIT_EXPECT_EQ(test, m->global_ctrl, 0);
	for (i = 0; i < NR_COUNTERS; i++)
		KUNIT_EXPECT_EQ(test, m->select[i], 0);
	KUNIT_EXPECT_TRUE(test, x86_trial_works(&addresses, COUNTERS));
}

#ifdef CONFIG_CPU_SUP_INTEL
static void trial_test_clean(struct kunit *test)
{
	const u64 kept = DEBUGCTLMSR_BTF | DEBUGCTLMSR_BUS_LOCK_DETECT |
			 DEBUGCTLMSR_FREEZE_IN_SMM;
	struct machine *m = test->priv;

	if (!x86_smi_offered())
		kunit_skip(test, "not a processor of Intel");
	m->pebs = 0x3;
	m->debugctl = kept | DEBUGCTLMSR_LBR | DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS |
		      DEBUGCTLMSR_FREEZE_LBRS_ON_PMI | DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
	intel_clean();
	KUNIT_EXPECT_EQ(test, m->pebs, 0);
	KUNIT_EXPECT_EQ(test, m->debugctl, kept);
	/* A register that is right already is not written. */
	m->writes = 0;
	intel_clean();
	KUNIT_EXPECT_EQ(test, m->writes, 0);
}
#endif

static struct kunit_case trial_cases[] = {
	KUNIT_CASE(trial_test_values),
	KUNIT_CASE(trial_test_emulator),
	KUNIT_CASE(trial_test_running),
#ifdef CONFIG_CPU_SUP_INTEL
	KUNIT_CASE(trial_test_clean),
#endif
	{}
};

static struct kunit_suite trial_suite = {
	.name		= "x86_trial",
	.init		= trial_init,
	.test_cases	= trial_cases,
};

kunit_test_suite(trial_suite);
