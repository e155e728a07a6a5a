// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of room "regs", on a register file instead of the CPU's
 * registers.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/prandom.h>
#include <asm/msr-index.h>
#include "../regs.h"

#define SELECT		0x1000
#define COUNTER		0x2000
#define FIXED_CTRL	0x3000
#define GLOBAL_CTRL	0x3001
#define GLOBAL_STATUS	0x3002
#define GLOBAL_CLEAR	0x3003

#define FROZEN		BIT_ULL(59)

#define NR_GENERAL	4
#define NR_FIXED	3
#define COUNTERS	(X86_GENERAL(NR_GENERAL) | X86_FIXED(0) | X86_FIXED(1) | X86_FIXED(2))

#define CYCLES		0x3c
#define MODES		(X86_SEL_USR | X86_SEL_OS | X86_SEL_INT)

static const struct x86_pmc with_global = {
	.select		= SELECT,
	.write		= COUNTER,
	.step		= 1,
	.fixed_ctrl	= FIXED_CTRL,
	.global_ctrl	= GLOBAL_CTRL,
};

/* Version 4: as long as a bit of the status is set no counter counts. */
static const struct x86_pmc with_status = {
	.select		= SELECT,
	.write		= COUNTER,
	.step		= 1,
	.global_ctrl	= GLOBAL_CTRL,
	.global_status	= GLOBAL_STATUS,
	.global_clear	= GLOBAL_CLEAR,
};

static const struct x86_pmc without_global = {
	.select		= SELECT,
	.write		= COUNTER,
	.step		= 1,
};

static const struct x86_pmc one_enable = {
	.select		= SELECT,
	.write		= COUNTER,
	.step		= 1,
	.one_enable	= true,
};

struct registers {
	struct x86_regs	r;
	u64		select[NR_GENERAL];
	u64		counter[X86_NR_SLOTS];
	u64		fixed_ctrl;
	u64		global_ctrl;
	u64		status;
	unsigned int	writes;
	void		(*nmi)(struct registers *f);		/* before the next write */
};

static void write_file(struct kunit *test, struct registers *f, u32 address, u64 value)
{
	if (address == GLOBAL_CTRL)
		f->global_ctrl = value;
	else if (address == GLOBAL_CLEAR)
		f->status &= ~value;
	else if (address == FIXED_CTRL)
		f->fixed_ctrl = value;
	else if (address - SELECT < NR_GENERAL)
		f->select[address - SELECT] = value;
	else if (address - COUNTER < NR_GENERAL)
		f->counter[address - COUNTER] = value;
	else if (address - MSR_CORE_PERF_FIXED_CTR0 < NR_FIXED)
		f->counter[X86_MAX_GENERAL + address - MSR_CORE_PERF_FIXED_CTR0] = value;
	else
		KUNIT_FAIL(test, "write of %llx to %x", value, address);
}

static void fake_write(u32 address, u64 value)
{
	struct kunit *test = kunit_get_current_test();
	struct registers *f = test->priv;
	void (*nmi)(struct registers *f) = f->nmi;

	f->nmi = NULL;
	if (nmi)
		nmi(f);
	f->writes++;
	write_file(test, f, address, value);
}

static u64 fake_read(u32 address)
{
	struct registers *f = kunit_get_current_test()->priv;

	return address == GLOBAL_STATUS ? f->status : 0;
}

static int regs_init(struct kunit *test)
{
	struct registers *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	/* Whatever somebody has left there. */
	memset(f->select, 0xff, sizeof(f->select));
	f->fixed_ctrl = 0x333;
	f->global_ctrl = ~0ULL;
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	kunit_activate_static_stub(test, x86_regs_read, fake_read);
	return 0;
}

static unsigned int writes_since(struct registers *f)
{
	unsigned int writes = f->writes;

	f->writes = 0;
	return writes;
}

/* The counters that count, by what the registers contain. */
static u64 counting(const struct registers *f)
{
	bool together = f->r.pmc->one_enable;
	u64 counters = 0;
	unsigned int i;

	for (i = 0; i < NR_GENERAL; i++) {
		if (!(f->select[together ? 0 : i] & X86_SEL_ENABLE))
			continue;
		if (!together || f->select[i] & (X86_SEL_USR | X86_SEL_OS))
			counters |= BIT_ULL(i);
	}
	if (!f->r.pmc->global_ctrl)
		return counters;
	for (i = 0; i < NR_FIXED; i++) {
		if (f->fixed_ctrl >> i * X86_FIXED_BITS & (X86_FIXED_OS | X86_FIXED_USR))
			counters |= X86_FIXED(i);
	}
	return counters & f->global_ctrl;
}

static void regs_test_reset(struct kunit *test)
{
	struct registers *f = test->priv;

	x86_regs_reset(&f->r, &with_global, COUNTERS);
	KUNIT_EXPECT_EQ(test, f->global_ctrl, 0);
	KUNIT_EXPECT_EQ(test, f->fixed_ctrl, 0);
	KUNIT_EXPECT_EQ(test, f->select[0] | f->select[NR_GENERAL - 1], 0);
	memset(f->select, 0xff, sizeof(f->select));
	x86_regs_reset(&f->r, &without_global, X86_GENERAL(NR_GENERAL));
	KUNIT_EXPECT_EQ(test, counting(f), 0);
	f->status = BIT_ULL(1) | FROZEN;
	x86_regs_reset(&f->r, &with_status, X86_GENERAL(NR_GENERAL));
	KUNIT_EXPECT_EQ(test, f->status, 0);
}

static void regs_test_select(struct kunit *test)
{
	struct registers *f = test->priv;

	x86_regs_reset(&f->r, &with_global, COUNTERS);
	KUNIT_EXPECT_FALSE(test, x86_regs_fits(&f->r, 1, 0));
	writes_since(f);
	x86_regs_select(&f->r, 1, CYCLES | MODES);
	KUNIT_EXPECT_EQ(test, f->select[1], CYCLES | MODES | X86_SEL_ENABLE);
	KUNIT_EXPECT_TRUE(test, x86_regs_fits(&f->r, 1, CYCLES | MODES));
	KUNIT_EXPECT_FALSE(test, x86_regs_fits(&f->r, 1, CYCLES));
	KUNIT_EXPECT_FALSE(test, x86_regs_fits(&f->r, 2, CYCLES | MODES));
	x86_regs_select(&f->r, 1, CYCLES | MODES);
	KUNIT_EXPECT_EQ(test, writes_since(f), 1);
	x86_regs_select(&f->r, 1, CYCLES);
	KUNIT_EXPECT_EQ(test, writes_since(f), 1);
}

static void regs_test_select_fixed(struct kunit *test)
{
	struct registers *f = test->priv;

	x86_regs_reset(&f->r, &with_global, COUNTERS);
	writes_since(f);
	x86_regs_select(&f->r, X86_COUNTER_FIXED + 1, CYCLES | MODES);
	x86_regs_select(&f->r, X86_COUNTER_FIXED + 2, CYCLES | X86_SEL_OS | X86_SEL_ANY);
	KUNIT_EXPECT_EQ(test, f->fixed_ctrl, 0x5b0);
	/*
	 * The event is the counter's own, so only modes and interrupt matter.
	 */
	x86_regs_select(&f->r, X86_COUNTER_FIXED + 1, 0x300 | MODES);
	KUNIT_EXPECT_EQ(test, writes_since(f), 2);
	x86_regs_select(&f->r, X86_COUNTER_FIXED + 1, CYCLES | X86_SEL_USR);
	KUNIT_EXPECT_EQ(test, f->fixed_ctrl, 0x520);
}

static void regs_test_run_global(struct kunit *test)
{
	struct registers *f = test->priv;

	x86_regs_reset(&f->r, &with_global, COUNTERS);
	x86_regs_select(&f->r, 0, CYCLES | MODES);
	writes_since(f);
	x86_regs_run(&f->r, BIT_ULL(0));
	x86_regs_run(&f->r, BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, writes_since(f), 1);
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(0));
	x86_regs_run(&f->r, 0);
	KUNIT_EXPECT_EQ(test, counting(f), 0);
	KUNIT_EXPECT_EQ(test, f->select[0], CYCLES | MODES | X86_SEL_ENABLE);
}

static void regs_test_run_each(struct kunit *test)
{
	struct registers *f = test->priv;

	x86_regs_reset(&f->r, &without_global, X86_GENERAL(NR_GENERAL));
	x86_regs_select(&f->r, 0, CYCLES);
	x86_regs_select(&f->r, 2, CYCLES);
	x86_regs_select(&f->r, 3, CYCLES);
	KUNIT_EXPECT_EQ(test, counting(f), 0);
	writes_since(f);
	x86_regs_run(&f->r, BIT_ULL(0) | BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(0) | BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, writes_since(f), 2);
	/* Another event while the counter stands still is not started by it. */
	x86_regs_run(&f->r, BIT_ULL(2));
	x86_regs_select(&f->r, 0, CYCLES | X86_SEL_USR);
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(2));
	x86_regs_run(&f->r, BIT_ULL(3));
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(3));
}

/* One bit for all counters. */
static void regs_test_run_together(struct kunit *test)
{
	struct registers *f = test->priv;

	x86_regs_reset(&f->r, &one_enable, X86_GENERAL(NR_GENERAL));
	KUNIT_EXPECT_EQ(test, counting(f), 0);
	x86_regs_select(&f->r, 0, CYCLES | MODES);
	x86_regs_select(&f->r, 1, CYCLES | MODES);
	KUNIT_EXPECT_EQ(test, counting(f), 0);
	writes_since(f);
	x86_regs_run(&f->r, BIT_ULL(0) | BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(0) | BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, f->select[1], CYCLES | MODES);
	x86_regs_run(&f->r, 0);
	KUNIT_EXPECT_EQ(test, counting(f), 0);
	/* To stop and to start take one write each. */
	KUNIT_EXPECT_EQ(test, writes_since(f), 2);
	x86_regs_run(&f->r, BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(1));
	x86_regs_run(&f->r, BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(0));
	/* Another event of a counter that stands still does not run yet. */
	x86_regs_select(&f->r, 1, CYCLES | X86_SEL_USR);
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(0));
	KUNIT_EXPECT_TRUE(test, x86_regs_fits(&f->r, 1, CYCLES | X86_SEL_USR));
	x86_regs_run(&f->r, BIT_ULL(0) | BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(0) | BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, f->select[1], CYCLES | X86_SEL_USR);
	/* What a resume finds is written, whatever the images say. */
	memset(f->select, 0xff, sizeof(f->select));
	x86_regs_forget(&f->r);
	x86_regs_run(&f->r, 0);
	KUNIT_EXPECT_EQ(test, counting(f), 0);
}

static void regs_test_values(struct kunit *test)
{
	struct registers *f = test->priv;
	u64 value, owner;

	x86_regs_reset(&f->r, &with_global, COUNTERS);
	writes_since(f);
	x86_regs_load(&f->r, 1, 100);
	x86_regs_load(&f->r, X86_COUNTER_FIXED, 200);
	KUNIT_EXPECT_EQ(test, f->counter[1], 100);
	KUNIT_EXPECT_EQ(test, f->counter[X86_MAX_GENERAL], 200);
	KUNIT_EXPECT_FALSE(test, x86_regs_held(&f->r, 1, &value, &owner));
	x86_regs_hold(&f->r, 1, 123, 7);
	KUNIT_EXPECT_TRUE(test, x86_regs_held(&f->r, 1, &value, &owner));
	KUNIT_EXPECT_EQ(test, value, 123);
	KUNIT_EXPECT_EQ(test, owner, 7);
	KUNIT_EXPECT_EQ(test, writes_since(f), 2);
	x86_regs_load(&f->r, 1, 123);
	KUNIT_EXPECT_EQ(test, writes_since(f), 0);
	x86_regs_release(&f->r, BIT_ULL(1));
	x86_regs_load(&f->r, 1, 123);
	KUNIT_EXPECT_EQ(test, writes_since(f), 1);
}

static void regs_test_clear(struct kunit *test)
{
	struct registers *f = test->priv;
	u64 value, owner;

	x86_regs_reset(&f->r, &with_global, COUNTERS);
	x86_regs_load(&f->r, 0, 55);
	x86_regs_hold(&f->r, 1, 77, 7);
	x86_regs_hold(&f->r, 2, 0, 7);
	x86_regs_clear(&f->r, BIT_ULL(0) | BIT_ULL(1) | BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, f->counter[0] | f->counter[1], 0);
	KUNIT_EXPECT_TRUE(test, x86_regs_held(&f->r, 1, &value, &owner));
	KUNIT_EXPECT_EQ(test, value | owner, 0);
	/* The second time nothing is left to clear. */
	writes_since(f);
	x86_regs_clear(&f->r, BIT_ULL(0) | BIT_ULL(1) | BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, writes_since(f), 0);
}

static void regs_test_forget(struct kunit *test)
{
	struct registers *f = test->priv;
	u64 value, owner;

	x86_regs_reset(&f->r, &with_global, COUNTERS);
	x86_regs_select(&f->r, 0, CYCLES);
	x86_regs_select(&f->r, X86_COUNTER_FIXED, CYCLES | MODES);
	x86_regs_hold(&f->r, 0, 5, 7);
	x86_regs_run(&f->r, 0);
	x86_regs_forget(&f->r);
	KUNIT_EXPECT_FALSE(test, x86_regs_fits(&f->r, 0, CYCLES));
	KUNIT_EXPECT_FALSE(test, x86_regs_fits(&f->r, X86_COUNTER_FIXED, CYCLES | MODES));
	KUNIT_EXPECT_FALSE(test, x86_regs_held(&f->r, 0, &value, &owner));
	writes_since(f);
	x86_regs_run(&f->r, 0);
	KUNIT_EXPECT_EQ(test, writes_since(f), 1);
}

/*
 * The interrupt stops counter 1 permanently, as for an event that is throttled.
 */
static void throttle_1(struct registers *f)
{
	x86_regs_run(&f->r, 0);
	x86_regs_run(&f->r, BIT_ULL(0));
}

static void run_interrupted(struct kunit *test, const struct x86_pmc *pmc)
{
	struct registers *f = test->priv;

	x86_regs_reset(&f->r, pmc, X86_GENERAL(NR_GENERAL));
	x86_regs_select(&f->r, 0, CYCLES | MODES);
	x86_regs_select(&f->r, 1, CYCLES | MODES);
	f->nmi = throttle_1;
	x86_regs_run(&f->r, BIT_ULL(0) | BIT_ULL(1));
	/* What the engine does when the image is not what it wants. */
	KUNIT_EXPECT_TRUE(test, !f->r.running_known || f->r.running != BIT_ULL(0));
	x86_regs_run(&f->r, BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, counting(f), BIT_ULL(0));
}

static void regs_test_interrupted(struct kunit *test)
{
	run_interrupted(test, &with_global);
	run_interrupted(test, &without_global);
	run_interrupted(test, &one_enable);
}

/* One random operation, as the engine may do it. */
static void random_step(struct registers *f, struct rnd_state *rnd, u64 *on)
{
	unsigned int counter = prandom_u32_state(rnd) % NR_GENERAL;
	u64 config = (prandom_u32_state(rnd) % 3 << 8 | CYCLES) | X86_SEL_OS;
	bool stands = !(f->r.running & BIT_ULL(counter));

	switch (prandom_u32_state(rnd) % 4) {
	case 0:
		if (stands)
			x86_regs_select(&f->r, counter, config);
		break;
	case 1:
		if (stands)
			x86_regs_load(&f->r, counter, prandom_u32_state(rnd) % 4);
		break;
	case 2:
		if (stands)
			x86_regs_hold(&f->r, counter, f->counter[counter], 1);
		break;
	default:
		*on = prandom_u32_state(rnd) % BIT(NR_GENERAL) & f->r.known;
		x86_regs_release(&f->r, *on);
		x86_regs_run(&f->r, *on);
	}
}

/* Counters that run move; what an image says of the others is true. */
static void check_images(struct kunit *test, struct registers *f, u64 on)
{
	u64 value, owner;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, counting(f), on);
	for (i = 0; i < NR_GENERAL; i++) {
		if (on & BIT_ULL(i))
			f->counter[i]++;
		if (f->r.pmc->one_enable && f->r.parked & BIT_ULL(i))
			KUNIT_ASSERT_EQ(test, f->select[i] & ~X86_SEL_ENABLE, 0);
		else if (f->r.known & BIT_ULL(i))
			KUNIT_ASSERT_EQ(test, f->select[i] & ~X86_SEL_ENABLE, f->r.select[i]);
		if (x86_regs_held(&f->r, i, &value, &owner))
			KUNIT_ASSERT_EQ(test, f->counter[i], value);
	}
}

static void regs_test_random(struct kunit *test)
{
	struct registers *f = test->priv;
	struct rnd_state rnd;
	u64 on = 0;
	unsigned int i;

	prandom_seed_state(&rnd, 1);
	x86_regs_reset(&f->r, &with_global, X86_GENERAL(NR_GENERAL));
	for (i = 0; i < 15000; i++) {
		if (i && i % 5000 == 0) {
			x86_regs_reset(&f->r, i == 5000 ? &without_global : &one_enable,
				       X86_GENERAL(NR_GENERAL));
			on = 0;
		}
		random_step(f, &rnd, &on);
		check_images(test, f, on);
	}
}

/*
 * What was armed last when the counters ran, and what the counters contained.
 */
static u64 exercised[NR_GENERAL];

static void look_at_run(struct registers *f)
{
	unsigned int i;

	/* The write that stops the counters comes next. */
	if (f->global_ctrl) {
		for (i = 0; i < NR_GENERAL; i++)
			exercised[i] = f->select[i] | f->counter[i] << 32;
		return;
	}
	f->nmi = look_at_run;
}

static void regs_test_exercise(struct kunit *test)
{
	static const u64 configs[NR_GENERAL] = { 0xb5, 0xd2, 0xb1, 0xb1 };
	struct registers *f = test->priv;
	unsigned int i;

	x86_regs_reset(&f->r, &with_global, COUNTERS);
	x86_regs_select(&f->r, 1, CYCLES | MODES);
	x86_regs_load(&f->r, 1, 0x123);
	x86_regs_hold(&f->r, 2, 0, 7);
	f->counter[2] = 5;
	f->nmi = look_at_run;
	x86_regs_exercise(&f->r, configs, NR_GENERAL);
	for (i = 0; i < NR_GENERAL; i++) {
		KUNIT_EXPECT_EQ(test, exercised[i], configs[i] | X86_SEL_ENABLE);
		KUNIT_EXPECT_TRUE(test, x86_regs_fits(&f->r, i, configs[i]));
	}
	KUNIT_EXPECT_EQ(test, f->r.held & X86_GENERAL(NR_GENERAL), 0);
	KUNIT_EXPECT_EQ(test, counting(f), 0);
	KUNIT_EXPECT_EQ(test, f->r.running, 0);
}

static struct kunit_case regs_cases[] = {
	KUNIT_CASE(regs_test_reset),
	KUNIT_CASE(regs_test_select),
	KUNIT_CASE(regs_test_select_fixed),
	KUNIT_CASE(regs_test_run_global),
	KUNIT_CASE(regs_test_run_each),
	KUNIT_CASE(regs_test_run_together),
	KUNIT_CASE(regs_test_values),
	KUNIT_CASE(regs_test_clear),
	KUNIT_CASE(regs_test_forget),
	KUNIT_CASE(regs_test_interrupted),
	KUNIT_CASE(regs_test_exercise),
	KUNIT_CASE(regs_test_random),
	{}
};

static struct kunit_suite regs_suite = {
	.name		= "x86_regs",
	.init		= regs_init,
	.test_cases	= regs_cases,
};

kunit_test_suite(regs_suite);
