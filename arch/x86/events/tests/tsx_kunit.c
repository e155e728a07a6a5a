// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of room "tsx", on a CPU that does not exist. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/device.h>
#include <asm/msr-index.h>
#include "../fit.h"
#include "../tsx.h"

#define SELECT		0x1000
#define COUNTER		0x2000
#define NR_GENERAL	4
#define CYCLES		0x3c

static const struct x86_model plain_model;

static const struct x86_pmc addresses = {
	.select		= SELECT,
	.write		= COUNTER,
	.step		= 1,
	.global_ctrl	= 0x3001,
};

struct machine {
	struct x86_core		core;
	struct x86_cpu		cpu;
	struct perf_event	event[NR_GENERAL + 1];
	u64			select[NR_GENERAL];
	u64			counter[NR_GENERAL];
	u64			force;
	unsigned int		writes_of_force;
	unsigned int		wrong;
};

static void fake_write(u32 address, u64 value)
{
	struct machine *m = kunit_get_current_test()->priv;
	bool counter_3 = address == SELECT + 3 || address == COUNTER + 3;

	if (counter_3 && !m->force)
		m->wrong++;
	if (address == MSR_TSX_FORCE_ABORT) {
		m->force = value;
		m->writes_of_force++;
	} else if (address - SELECT < NR_GENERAL) {
		m->select[address - SELECT] = value;
	} else if (address - COUNTER < NR_GENERAL) {
		m->counter[address - COUNTER] = value;
	}
}

static int tsx_init(struct kunit *test)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	test->priv = m;
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	m->core.facts.model = &plain_model;
	m->core.facts.counters = X86_GENERAL(NR_GENERAL);
	m->core.lent = X86_TSX_COUNTER;
	m->cpu.core = &m->core;
	for (i = 0; i <= NR_GENERAL; i++) {
		m->event[i].hw.idx = -1;
		m->event[i].hw.config_base = X86_GENERAL(NR_GENERAL);
	}
	x86_regs_reset(&m->cpu.regs, &addresses, m->core.facts.counters & ~m->core.lent);
	return 0;
}

/* The bit is set before the counter is touched, and until it is given back. */
static void tsx_test_order(struct kunit *test)
{
	struct machine *m = test->priv;
	struct x86_regs *r = &m->cpu.regs;

	x86_tsx_stop_abort(&m->cpu);
	KUNIT_EXPECT_EQ(test, m->writes_of_force, 0);
	x86_tsx_abort(&m->cpu);
	KUNIT_EXPECT_EQ(test, m->force, MSR_TFA_RTM_FORCE_ABORT);
	x86_regs_select(r, 3, CYCLES | X86_SEL_OS);
	x86_regs_load(r, 3, 77);
	x86_tsx_abort(&m->cpu);
	KUNIT_EXPECT_EQ(test, m->writes_of_force, 1);
	x86_tsx_stop_abort(&m->cpu);
	KUNIT_EXPECT_EQ(test, m->force, 0);
	KUNIT_EXPECT_EQ(test, m->select[3], 0);
	KUNIT_EXPECT_EQ(test, m->counter[3], 0);
	KUNIT_EXPECT_EQ(test, m->wrong, 0);
}

/* The microcode changes the counter: nothing that it contained is believed. */
static void tsx_test_forgets(struct kunit *test)
{
	struct machine *m = test->priv;
	struct x86_regs *r = &m->cpu.regs;
	u64 value, owner;

	x86_tsx_abort(&m->cpu);
	x86_regs_select(r, 3, CYCLES | X86_SEL_OS);
	x86_regs_select(r, 2, CYCLES | X86_SEL_OS);
	x86_regs_hold(r, 3, 55, 7);
	x86_regs_hold(r, 2, 55, 7);
	x86_tsx_stop_abort(&m->cpu);
	KUNIT_EXPECT_FALSE(test, x86_regs_fits(r, 3, CYCLES | X86_SEL_OS));
	KUNIT_EXPECT_FALSE(test, x86_regs_held(r, 3, &value, &owner));
	KUNIT_EXPECT_TRUE(test, x86_regs_fits(r, 2, CYCLES | X86_SEL_OS));
	KUNIT_EXPECT_TRUE(test, x86_regs_held(r, 2, &value, &owner));
}

static unsigned int nr_fitting(struct machine *m)
{
	unsigned int i = 0;

	while (i <= NR_GENERAL && !x86_fit_add(&m->cpu, &m->event[i]))
		i++;
	return i;
}

static void tsx_test_barred(struct kunit *test)
{
	struct machine *m = test->priv;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, nr_fitting(m), 4);
	for (i = 0; i < 4; i++) {
		m->event[i].hw.idx = m->cpu.to[i];
		x86_fit_del(&m->cpu, x86_fit_find(&m->cpu, &m->event[i]));
	}
	x86_tsx_allow(&m->core, false);
	KUNIT_EXPECT_EQ(test, nr_fitting(m), 3);
	KUNIT_EXPECT_EQ(test, m->cpu.planned, X86_GENERAL(3));
	x86_tsx_allow(&m->core, true);
	KUNIT_EXPECT_EQ(test, x86_fit_add(&m->cpu, &m->event[4]), 0);
	KUNIT_EXPECT_EQ(test, m->cpu.planned, X86_GENERAL(4));
}

static ssize_t store(struct machine *m, const char *text)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	struct device_attribute *file;
	ssize_t done;

	if (!dev)
		return -ENOMEM;
	dev_set_drvdata(dev, &m->core.pmu);
	file = container_of(x86_tsx_group.attrs[0], struct device_attribute, attr);
	done = file->store(dev, file, text, strlen(text));
	kfree(dev);
	return done;
}

static void tsx_test_file(struct kunit *test)
{
	struct machine *m = test->priv;

	KUNIT_EXPECT_STREQ(test, x86_tsx_group.attrs[0]->name, "allow_tsx_force_abort");
	KUNIT_EXPECT_EQ(test, x86_tsx_group.attrs[0]->mode, 0644);
	KUNIT_EXPECT_EQ(test, store(m, "maybe"), -EINVAL);
	KUNIT_EXPECT_EQ(test, store(m, "0\n"), 2);
	KUNIT_EXPECT_EQ(test, m->core.barred, X86_TSX_COUNTER);
	KUNIT_EXPECT_EQ(test, store(m, "off"), 3);
	KUNIT_EXPECT_EQ(test, m->core.barred, X86_TSX_COUNTER);
	KUNIT_EXPECT_EQ(test, store(m, "y"), 1);
	KUNIT_EXPECT_EQ(test, m->core.barred, 0);
}

static struct kunit_case tsx_cases[] = {
	KUNIT_CASE(tsx_test_order),
	KUNIT_CASE(tsx_test_forgets),
	KUNIT_CASE(tsx_test_barred),
	KUNIT_CASE(tsx_test_file),
	{}
};

static struct kunit_suite tsx_suite = {
	.name		= "x86_tsx",
	.init		= tsx_init,
	.test_cases	= tsx_cases,
};

kunit_test_suite(tsx_suite);
