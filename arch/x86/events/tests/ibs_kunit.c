// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the rooms "amd/ibs", "amd/ibs_decode" and "amd/ibs_state", on
 * registers that do not exist.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include "../amd/ibs.h"
#include "../amd/ibs_state.h"
#include "../regs.h"
#include "ibs_samples.h"

#define NR_REGS		0x10
#define FIRST		MSR_AMD64_IBSFETCHCTL
#define FETCH		(MSR_AMD64_IBSFETCHCTL - FIRST)
#define OP		(MSR_AMD64_IBSOPCTL - FIRST)
#define PERIOD		0x1000

struct machine {
	struct amd_ibs_cpu	cpu;		/* the real one */
	struct amd_ibs		op;
	struct perf_event	event;
	struct perf_event	another;
	u64			reg[NR_REGS];
	u64			written[4];	/* the last is the first */
	unsigned int		writes;
	unsigned int		reads;
	unsigned int		samples;
	u64			period;
	struct amd_ibs_record	record;
	bool			throttle;
	bool			adjust;
	void			(*on_read)(struct machine *m);
	void			(*on_write)(struct machine *m);
};

static struct pt_regs interrupted;

static struct machine *machine(void)
{
	return kunit_get_current_test()->priv;
}

static void fake_write(u32 address, u64 value)
{
	struct machine *m = machine();
	void (*on_write)(struct machine *m) = m->on_write;

	m->on_write = NULL;
	if (on_write)
		on_write(m);
	memmove(m->written + 1, m->written, sizeof(m->written) - sizeof(m->written[0]));
	m->written[0] = value;
	m->writes++;
	m->reg[address - FIRST] = value;
}

/* An NMI may come before or after the read: here after it. */
static u64 fake_read(u32 address)
{
	struct machine *m = machine();
	void (*on_read)(struct machine *m) = m->on_read;
	u64 value = m->reg[address - FIRST];

	m->on_read = NULL;
	m->reads++;
	if (on_read)
		on_read(m);
	return value;
}

static int fake_deliver(struct perf_event *event, struct amd_ibs_record *record, u64 period,
			struct pt_regs *regs)
{
	struct machine *m = machine();

	m->samples++;
	m->period = period;
	m->record = *record;
	if (m->adjust) {
		/* As the core does when the period of a frequency changes. */
		amd_ibs_stop(event, PERF_EF_UPDATE);
		event->hw.sample_period = PERIOD / 2;
		local64_set(&event->hw.period_left, 0);
		amd_ibs_start(event, PERF_EF_RELOAD);
	}
	return m->throttle;
}

static void init_event(struct perf_event *event, struct amd_ibs *ibs, u64 period)
{
	memset(event, 0, sizeof(*event));
	event->pmu = &ibs->pmu;
	event->attr.type = ibs->pmu.type;
	event->attr.sample_period = period;
	event->hw.sample_period = period;
	event->group_leader = event;
	INIT_LIST_HEAD(&event->sibling_list);
}

static int ibs_init(struct kunit *test)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	test->priv = m;
	m->cpu = amd_ibs_cpu;
	m->op = amd_ibs_op;
	amd_ibs_cpu = (struct amd_ibs_cpu) { .caps = 0x3ff, .user_end = TASK_SIZE_MAX };
	amd_ibs_op.allowed = IBS_OP_CNT_CTL | AMD_IBS_MAX_COUNT | IBS_OP_MAX_CNT_EXT_MASK;
	amd_ibs_op.counts = AMD_IBS_MAX_COUNT | IBS_OP_MAX_CNT_EXT_MASK | IBS_OP_CUR_CNT |
			    IBS_OP_CUR_CNT_RAND | IBS_OP_CUR_CNT_EXT_MASK;
	amd_ibs_op.upper = IBS_OP_MAX_CNT_EXT_MASK;
	amd_ibs_op.max_period = 0x7fffff0;
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	kunit_activate_static_stub(test, amd_ibs_read_register, fake_read);
	kunit_activate_static_stub(test, amd_ibs_deliver, fake_deliver);
	return 0;
}

static void ibs_exit(struct kunit *test)
{
	struct machine *m = test->priv;

	if (!m)
		return;
	amd_ibs_cpu = m->cpu;
	amd_ibs_op.allowed = m->op.allowed;
	amd_ibs_op.counts = m->op.counts;
	amd_ibs_op.upper = m->op.upper;
	amd_ibs_op.max_period = m->op.max_period;
}

static void ibs_test_samples(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ibs_samples); i++) {
		const struct ibs_sample *sample = &ibs_samples[i];
		struct amd_ibs_cpu cpu = { .caps = sample->cpu.caps, .user_end = TASK_SIZE_MAX };
		u64 regs[AMD_IBS_OP_NR] = {
			[AMD_IBS_OP_DATA2]	= sample->data2,
			[AMD_IBS_OP_DATA3]	= sample->data3,
		};
		struct amd_ibs_op op;
		const char *field;

		amd_ibs_decode_cpu(&cpu, sample->cpu.family, sample->cpu.model);
		amd_ibs_decode_access(&cpu, regs, &op);
		field = ibs_sample_differs(sample, op.source);
		KUNIT_EXPECT_NULL_MSG(test, field, "sample %u: %s, source %llx", i, field,
				      op.source);
	}
}

/* PPR for family 17h model 31h, MSRC001_1035, 1037: latencies and addresses. */
static void ibs_test_access(struct kunit *test)
{
	u64 regs[AMD_IBS_OP_NR] = {
		[AMD_IBS_OP_DATA]	= 0x00451234,
		[AMD_IBS_OP_DATA3]	= 0x7bULL << 32 | IBS_LOAD | IBS_FAR,
		[AMD_IBS_OP_LINEAR]	= 0x7f0012345678,
		[AMD_IBS_OP_PHYSICAL]	= 0x123456678,
	};
	struct amd_ibs_op op;

	amd_ibs_decode_access(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_TRUE(test, op.has_latency && op.has_linear && op.has_physical);
	KUNIT_EXPECT_EQ(test, op.latency, 0x7b);
	KUNIT_EXPECT_EQ(test, op.retire, 0x45);
	KUNIT_EXPECT_EQ(test, op.linear, 0x7f0012345678);
	KUNIT_EXPECT_EQ(test, op.physical, 0x123456678);
	/* Neither a hit nor a store has a latency. */
	regs[AMD_IBS_OP_DATA3] = 0x7bULL << 32 | IBS_LOAD;
	amd_ibs_decode_access(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_FALSE(test, op.has_latency);
	regs[AMD_IBS_OP_DATA3] = 0x7bULL << 32 | IBS_STORE | IBS_FAR;
	amd_ibs_decode_access(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_FALSE(test, op.has_latency);
	KUNIT_EXPECT_TRUE(test, op.has_linear);
	/*
	 * An address without its valid bit is none, nor is that of no access.
	 */
	regs[AMD_IBS_OP_DATA3] = 1;
	amd_ibs_decode_access(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_FALSE(test, op.has_linear || op.has_physical);
	regs[AMD_IBS_OP_DATA3] = 0x60000;
	amd_ibs_decode_access(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_FALSE(test, op.accesses || op.has_linear || op.has_physical);
}

static void ibs_test_rip(struct kunit *test)
{
	u64 regs[AMD_IBS_OP_NR] = { [AMD_IBS_OP_RIP] = 0xffffffff81000000 };
	struct amd_ibs_op op = {};

	amd_ibs_decode_rip(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_TRUE(test, op.rip_valid && !op.user);
	amd_ibs_decode_hide(&amd_ibs_cpu, &op);
	KUNIT_EXPECT_FALSE(test, op.rip_valid || op.rip);
	regs[AMD_IBS_OP_RIP] = 0x401000;
	regs[AMD_IBS_OP_DATA] = IBS_RIP_INVALID;
	amd_ibs_decode_rip(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_TRUE(test, !op.rip_valid && op.user);
	/* Older processors do not have the bit. */
	amd_ibs_cpu.caps &= ~IBS_CAPS_RIPINVALIDCHK;
	amd_ibs_decode_rip(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_TRUE(test, op.rip_valid);
	/* The kernel's data of a user's op. */
	op.has_linear = true;
	op.linear = 0xffff888000000000;
	op.has_physical = true;
	op.physical = 0x1000;
	amd_ibs_decode_hide(&amd_ibs_cpu, &op);
	KUNIT_EXPECT_FALSE(test, op.has_linear || op.linear || op.has_physical || op.physical);
	KUNIT_EXPECT_TRUE(test, op.rip_valid);
}

static void ibs_test_branch(struct kunit *test)
{
	u64 regs[AMD_IBS_OP_NR] = { [AMD_IBS_OP_DATA] = 0x3cULL << 32 };
	struct amd_ibs_op op;

	amd_ibs_decode_branch(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_TRUE(test, op.branch && op.taken && op.mispredicted && op.returns);
	KUNIT_EXPECT_FALSE(test, op.fused);
	regs[AMD_IBS_OP_DATA] = 0xa0ULL << 32;
	amd_ibs_decode_branch(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_TRUE(test, op.branch && op.fused && !op.taken && !op.mispredicted);
	/* Of another op the bits say nothing. */
	regs[AMD_IBS_OP_DATA] = 0x9cULL << 32;
	amd_ibs_decode_branch(&amd_ibs_cpu, regs, &op);
	KUNIT_EXPECT_FALSE(test, op.branch || op.taken || op.mispredicted || op.fused);
}

/* Revision guides: which processors have which erratum. */
static void ibs_test_errata(struct kunit *test)
{
	struct amd_ibs_cpu cpu = { .caps = 0x3ff };

	amd_ibs_decode_cpu(&cpu, 0x10, 2);
	KUNIT_EXPECT_TRUE(test, cpu.clear_count && !cpu.reset_broken && !cpu.zero_fetch);
	amd_ibs_decode_cpu(&cpu, 0x17, 0x31);
	KUNIT_EXPECT_TRUE(test, cpu.reset_broken && !cpu.clear_count && cpu.hit_state);
	amd_ibs_decode_cpu(&cpu, 0x19, 0xf);
	KUNIT_EXPECT_TRUE(test, cpu.zero_fetch && cpu.bad_prefetch && !cpu.hit_state);
	KUNIT_EXPECT_FALSE(test, cpu.fine_source || cpu.reset_broken);
	amd_ibs_decode_cpu(&cpu, 0x19, 0x10);
	KUNIT_EXPECT_TRUE(test, !cpu.zero_fetch && !cpu.bad_prefetch && cpu.hit_state);
	cpu.caps = 0xbff;
	amd_ibs_decode_cpu(&cpu, 0x1a, 2);
	KUNIT_EXPECT_TRUE(test, cpu.fine_source && cpu.hit_state);
}

static void ibs_test_period(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, amd_ibs_period(-5, 0xffff0), 16);
	KUNIT_EXPECT_EQ(test, amd_ibs_period(1, 0xffff0), 16);
	KUNIT_EXPECT_EQ(test, amd_ibs_period(17, 0xffff0), 32);
	KUNIT_EXPECT_EQ(test, amd_ibs_period(0xffff0, 0xffff0), 0xffff0);
	/* The last limit of several is the highest. */
	KUNIT_EXPECT_EQ(test, amd_ibs_period(0xffff1, 0xffff0), 16);
	KUNIT_EXPECT_EQ(test, amd_ibs_period(0xffff0 + 0x40, 0xffff0), 0x40);
	KUNIT_EXPECT_EQ(test, amd_ibs_period(S64_MAX, 0xffff0), 0xffff0);
}

static int try_event(struct perf_event *event, struct amd_ibs *ibs, u64 config, u64 period)
{
	init_event(event, ibs, period);
	event->attr.config = config;
	return amd_ibs_event_init(event);
}

static void ibs_test_event(struct kunit *test)
{
	struct machine *m = test->priv;
	struct perf_event *event = &m->event;

	KUNIT_EXPECT_EQ(test, try_event(event, &amd_ibs_op, IBS_OP_CNT_CTL, PERIOD), 0);
	KUNIT_EXPECT_EQ(test, event->hw.config, IBS_OP_CNT_CTL);
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.period_left), PERIOD);
	KUNIT_EXPECT_EQ(test, try_event(event, &amd_ibs_op, IBS_OP_ENABLE, PERIOD), -EINVAL);
	KUNIT_EXPECT_EQ(test, try_event(event, &amd_ibs_op, 0, PERIOD + 1), 0);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, PERIOD);
	KUNIT_EXPECT_EQ(test, try_event(event, &amd_ibs_op, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, try_event(event, &amd_ibs_op, 0x100, PERIOD), -EINVAL);
	/* The period may be in the config: bits 19-4, and 26-20 in place. */
	KUNIT_EXPECT_EQ(test, try_event(event, &amd_ibs_op, 0x300100, 0), 0);
	KUNIT_EXPECT_EQ(test, event->attr.sample_period, 0x301000);
	KUNIT_EXPECT_EQ(test, event->hw.config, 0);
	KUNIT_EXPECT_EQ(test, try_event(event, &amd_ibs_fetch, IBS_FETCH_RAND_EN | 0xffff, 0), 0);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 0xffff0);
	KUNIT_EXPECT_EQ(test, event->hw.config, IBS_FETCH_RAND_EN);
	KUNIT_EXPECT_EQ(test, try_event(event, &amd_ibs_op, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 16);
	init_event(event, &amd_ibs_op, PERIOD);
	event->attr.type = ~0U;
	KUNIT_EXPECT_EQ(test, amd_ibs_event_init(event), -ENOENT);
	init_event(event, &amd_ibs_op, PERIOD);
	event->attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	KUNIT_EXPECT_EQ(test, amd_ibs_event_init(event), -EOPNOTSUPP);
}

/* One event of each unit in a group. */
static void ibs_test_group(struct kunit *test)
{
	struct machine *m = test->priv;

	init_event(&m->another, &amd_ibs_op, PERIOD);
	init_event(&m->event, &amd_ibs_op, PERIOD);
	m->event.group_leader = &m->another;
	KUNIT_EXPECT_EQ(test, amd_ibs_event_init(&m->event), -EINVAL);
	m->another.pmu = &amd_ibs_fetch.pmu;
	KUNIT_EXPECT_EQ(test, amd_ibs_event_init(&m->event), 0);
}

static void ibs_test_forward(struct kunit *test)
{
	static const struct { u32 type; u64 config, want; bool taken; } rows[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, true },
		{ PERF_TYPE_RAW, 0x76, 0, true },
		{ PERF_TYPE_RAW, 0xc1, IBS_OP_CNT_CTL, true },
		{ PERF_TYPE_RAW, 0x1c1, 0, false },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, false },
		{ PERF_TYPE_HW_CACHE, 0, 0, false },
	};
	struct machine *m = test->priv;
	struct perf_event_attr *attr = &m->event.attr;
	u32 type = amd_ibs_op.pmu.type;
	unsigned int i;

	amd_ibs_op.pmu.type = 99;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		*attr = (struct perf_event_attr) {
			.type = rows[i].type, .config = rows[i].config, .precise_ip = 2,
		};
		KUNIT_EXPECT_EQ(test, forward_event_to_ibs(&m->event), -ENOENT);
		KUNIT_EXPECT_EQ(test, attr->type, rows[i].taken ? 99 : rows[i].type);
		if (rows[i].taken)
			KUNIT_EXPECT_EQ(test, attr->config, rows[i].want);
	}
	*attr = (struct perf_event_attr) { .precise_ip = 3 };
	KUNIT_EXPECT_EQ(test, forward_event_to_ibs(&m->event), -EOPNOTSUPP);
	amd_ibs_op.pmu.type = type;
}

static int nmi(void)
{
	return amd_ibs_nmi(0, &interrupted);
}

static void nmi_on(struct machine *m)
{
	nmi();
}

/* The unit has reached its limit. */
static void sample(struct machine *m)
{
	m->reg[OP] |= IBS_OP_VAL;
}

static void sample_and_nmi(struct machine *m)
{
	sample(m);
	nmi();
}

static struct perf_event *add(struct kunit *test, struct amd_ibs *ibs, u64 period)
{
	struct machine *m = test->priv;

	init_event(&m->event, ibs, period);
	KUNIT_ASSERT_EQ(test, amd_ibs_event_init(&m->event), 0);
	KUNIT_ASSERT_EQ(test, amd_ibs_add(&m->event, PERF_EF_START), 0);
	return &m->event;
}

/* Whatever a test has left, the unit is off after it. */
static void finish(struct kunit *test)
{
	struct machine *m = test->priv;

	amd_ibs_del(&m->event, 0);
	nmi();
	KUNIT_EXPECT_EQ(test, nmi(), 0);
	KUNIT_EXPECT_FALSE(test, m->reg[OP] & (IBS_OP_ENABLE | IBS_OP_VAL));
	KUNIT_EXPECT_FALSE(test, m->reg[FETCH] & IBS_FETCH_ENABLE);
}

static void ibs_test_start_stop(struct kunit *test)
{
	struct machine *m = test->priv;
	struct perf_event *event;

	guard(irqsave)();
	event = add(test, &amd_ibs_op, PERIOD);
	KUNIT_EXPECT_EQ(test, m->reg[OP], IBS_OP_ENABLE | PERIOD >> 4);
	KUNIT_EXPECT_EQ(test, event->hw.state, 0);
	KUNIT_EXPECT_EQ(test, m->writes, 1);
	init_event(&m->another, &amd_ibs_op, PERIOD);
	KUNIT_EXPECT_EQ(test, amd_ibs_add(&m->another, PERF_EF_START), -ENOSPC);
	m->reg[OP] |= 0x123ULL << 32;
	amd_ibs_stop(event, PERF_EF_UPDATE);
	KUNIT_EXPECT_EQ(test, m->reg[OP], 0);
	KUNIT_EXPECT_EQ(test, event->hw.state, PERF_HES_STOPPED | PERF_HES_UPTODATE);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 0x123);
	amd_ibs_stop(event, PERF_EF_UPDATE);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 0x123);
	/* What is left of the period, rounded up. */
	amd_ibs_start(event, PERF_EF_RELOAD);
	KUNIT_EXPECT_EQ(test, m->reg[OP], IBS_OP_ENABLE | 0xee);
	finish(test);
}

/* The machine was suspended: only an event that samples needs its unit again. */
static void ibs_test_restore(struct kunit *test)
{
	struct machine *m = test->priv;
	struct perf_event *event;

	guard(irqsave)();
	event = add(test, &amd_ibs_op, PERIOD);
	m->reg[OP] = 0;
	amd_ibs_restore();
	KUNIT_EXPECT_EQ(test, m->reg[OP], IBS_OP_ENABLE | PERIOD >> 4);
	KUNIT_EXPECT_EQ(test, m->writes, 2);
	amd_ibs_stop(event, PERF_EF_UPDATE);
	m->writes = 0;
	amd_ibs_restore();
	KUNIT_EXPECT_EQ(test, m->writes, 0);
	finish(test);
}

static void ibs_test_sample(struct kunit *test)
{
	struct machine *m = test->priv;
	struct perf_event *event;

	guard(irqsave)();
	event = add(test, &amd_ibs_op, PERIOD);
	m->reg[OP + AMD_IBS_OP_RIP] = 0x401000;
	m->reads = 0;
	/* The low bits of the counter are random, and do not count. */
	m->reg[OP] |= 0x55ULL << 32;
	sample(m);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, m->samples, 1);
	KUNIT_EXPECT_EQ(test, m->period, PERIOD);
	KUNIT_EXPECT_EQ(test, m->record.nr, 3);
	KUNIT_EXPECT_EQ(test, m->record.regs[AMD_IBS_OP_RIP], 0x401000);
	KUNIT_EXPECT_EQ(test, m->reads, 3);
	KUNIT_EXPECT_EQ(test, m->reg[OP], IBS_OP_ENABLE | PERIOD >> 4);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), PERIOD);
	/* Not of this unit. */
	KUNIT_EXPECT_EQ(test, nmi(), 0);
	finish(test);
}

static void ibs_test_random_bits(struct kunit *test)
{
	struct machine *m = test->priv;

	guard(irqsave)();
	add(test, &amd_ibs_op, PERIOD)->hw.config = IBS_OP_CNT_CTL;
	m->reg[OP] |= IBS_OP_CNT_CTL | 0xd5ULL << 32;
	sample(m);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, m->reg[OP],
			IBS_OP_CNT_CTL | IBS_OP_ENABLE | PERIOD >> 4 | 0x55ULL << 32);
	finish(test);
}

/* Which registers a sample has, with those that only some processors have. */
static void ibs_test_record(struct kunit *test)
{
	struct machine *m = test->priv;
	unsigned int i;

	guard(irqsave)();
	amd_ibs_cpu.caps = IBS_CAPS_BRNTRGT | IBS_CAPS_OPDATA4 | IBS_CAPS_FETCHCTLEXTD;
	add(test, &amd_ibs_op, PERIOD)->attr.sample_type = PERF_SAMPLE_RAW;
	for (i = AMD_IBS_OP_RIP; i < AMD_IBS_OP_NR; i++)
		m->reg[OP + i] = i;
	m->reg[MSR_AMD64_IBSBRTARGET - FIRST] = 77;
	m->reg[MSR_AMD64_IBSOPDATA4 - FIRST] = 88;
	sample(m);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, m->record.nr, AMD_IBS_OP_NR + 2);
	KUNIT_EXPECT_EQ(test, m->record.caps, amd_ibs_cpu.caps);
	KUNIT_EXPECT_EQ(test, m->record.regs[0], IBS_OP_ENABLE | IBS_OP_VAL | PERIOD >> 4);
	for (i = AMD_IBS_OP_RIP; i < AMD_IBS_OP_NR; i++)
		KUNIT_EXPECT_EQ(test, m->record.regs[i], i);
	KUNIT_EXPECT_EQ(test, m->record.regs[AMD_IBS_OP_NR], 77);
	KUNIT_EXPECT_EQ(test, m->record.regs[AMD_IBS_OP_NR + 1], 88);
	/* Without the raw registers. */
	m->event.attr.sample_type = PERF_SAMPLE_DATA_SRC;
	sample(m);
	nmi();
	KUNIT_EXPECT_EQ(test, m->record.nr, AMD_IBS_OP_NR);
	m->event.attr.sample_type = PERF_SAMPLE_IP;
	sample(m);
	nmi();
	KUNIT_EXPECT_EQ(test, m->record.nr, 2);
	finish(test);
}

static void ibs_test_fetch(struct kunit *test)
{
	struct machine *m = test->priv;
	struct perf_event *event;

	guard(irqsave)();
	amd_ibs_cpu.reset_broken = true;
	event = add(test, &amd_ibs_fetch, PERIOD);
	KUNIT_EXPECT_EQ(test, m->written[1], PERIOD >> 4);
	KUNIT_EXPECT_EQ(test, m->written[0], IBS_FETCH_ENABLE | PERIOD >> 4);
	m->reg[FETCH] |= IBS_FETCH_VAL;
	event->attr.sample_type = PERF_SAMPLE_RAW;
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, m->record.nr, AMD_IBS_FETCH_NR + 1);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), PERIOD);
	amd_ibs_cpu.reset_broken = false;
	m->reg[FETCH] |= 0x12ULL << 16;
	amd_ibs_stop(event, 0);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), PERIOD + 0x120);
	finish(test);
}

/* Erratum 420: first the count is cleared, then the bit that enables. */
static void ibs_test_clear_count(struct kunit *test)
{
	struct machine *m = test->priv;

	guard(irqsave)();
	amd_ibs_cpu.clear_count = true;
	add(test, &amd_ibs_op, PERIOD);
	amd_ibs_stop(&m->event, 0);
	KUNIT_EXPECT_EQ(test, m->writes, 3);
	KUNIT_EXPECT_EQ(test, m->written[1], IBS_OP_ENABLE);
	KUNIT_EXPECT_EQ(test, m->written[0], 0);
	finish(test);
}

static void ibs_test_long_period(struct kunit *test)
{
	struct machine *m = test->priv;

	guard(irqsave)();
	add(test, &amd_ibs_op, 0x7fffff0 + PERIOD);
	KUNIT_EXPECT_EQ(test, m->reg[OP], IBS_OP_ENABLE | PERIOD >> 4);
	sample(m);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, m->samples, 0);
	KUNIT_EXPECT_EQ(test, m->reg[OP],
			IBS_OP_ENABLE | IBS_OP_MAX_CNT_EXT_MASK | AMD_IBS_MAX_COUNT);
	sample(m);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, m->samples, 1);
	KUNIT_EXPECT_EQ(test, m->reg[OP], IBS_OP_ENABLE | PERIOD >> 4);
	KUNIT_EXPECT_EQ(test, local64_read(&m->event.count), 0x7fffff0 + PERIOD);
	finish(test);
}

static void ibs_test_throttle(struct kunit *test)
{
	struct machine *m = test->priv;

	guard(irqsave)();
	add(test, &amd_ibs_op, PERIOD);
	m->throttle = true;
	/* Random bits are no count. */
	m->reg[OP] |= 0x55ULL << 32;
	sample(m);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, m->reg[OP], 0);
	KUNIT_EXPECT_EQ(test, m->event.hw.state, PERF_HES_STOPPED | PERF_HES_UPTODATE);
	KUNIT_EXPECT_EQ(test, local64_read(&m->event.count), PERIOD);
	amd_ibs_start(&m->event, 0);
	KUNIT_EXPECT_EQ(test, m->reg[OP], IBS_OP_ENABLE | PERIOD >> 4);
	finish(test);
}

/* The core may stop and start the event in the NMI, also in that of a stop. */
static void ibs_test_adjust(struct kunit *test)
{
	struct machine *m = test->priv;

	guard(irqsave)();
	add(test, &amd_ibs_op, PERIOD);
	m->adjust = true;
	sample(m);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, m->reg[OP], IBS_OP_ENABLE | PERIOD / 2 >> 4);
	KUNIT_EXPECT_EQ(test, m->event.hw.state, 0);
	KUNIT_EXPECT_EQ(test, local64_read(&m->event.count), PERIOD);
	m->on_read = sample_and_nmi;
	amd_ibs_stop(&m->event, 0);
	KUNIT_EXPECT_EQ(test, m->samples, 2);
	KUNIT_EXPECT_EQ(test, m->reg[OP], 0);
	KUNIT_EXPECT_EQ(test, m->event.hw.state, PERF_HES_STOPPED | PERF_HES_UPTODATE);
	finish(test);
}

/* After a stop one NMI is claimed, also when the next event is on. */
static void ibs_test_late(struct kunit *test)
{
	struct machine *m = test->priv;

	guard(irqsave)();
	add(test, &amd_ibs_op, PERIOD);
	KUNIT_EXPECT_EQ(test, nmi(), 0);
	amd_ibs_stop(&m->event, 0);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, nmi(), 0);
	amd_ibs_start(&m->event, 0);
	amd_ibs_stop(&m->event, 0);
	amd_ibs_start(&m->event, 0);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, nmi(), 0);
	KUNIT_EXPECT_EQ(test, m->samples, 0);
	finish(test);
	/* The event has gone. */
	add(test, &amd_ibs_op, PERIOD);
	sample(m);
	amd_ibs_del(&m->event, 0);
	KUNIT_EXPECT_EQ(test, nmi(), 1);
	KUNIT_EXPECT_EQ(test, m->samples, 0);
	KUNIT_EXPECT_EQ(test, m->reg[OP], 0);
}

/* The NMI comes in the middle of a stop: it must not turn the unit on. */
static void ibs_test_race(struct kunit *test)
{
	struct machine *m = test->priv;

	guard(irqsave)();
	add(test, &amd_ibs_op, PERIOD);
	m->reg[OP] |= 0x40ULL << 32;
	m->on_read = sample_and_nmi;
	m->throttle = true;
	amd_ibs_stop(&m->event, 0);
	KUNIT_EXPECT_EQ(test, m->samples, 1);
	KUNIT_EXPECT_EQ(test, m->reg[OP], 0);
	/* It has counted all. */
	KUNIT_EXPECT_EQ(test, local64_read(&m->event.count), PERIOD);
	KUNIT_EXPECT_EQ(test, m->event.hw.state, PERF_HES_STOPPED | PERF_HES_UPTODATE);
	m->throttle = false;
	amd_ibs_start(&m->event, 0);
	m->on_write = nmi_on;
	amd_ibs_stop(&m->event, 0);
	KUNIT_EXPECT_EQ(test, m->samples, 1);
	KUNIT_EXPECT_EQ(test, m->reg[OP], 0);
	finish(test);
}

/* Each state and input has a row, and only starts and samples turn on. */
static void ibs_test_states(struct kunit *test)
{
	unsigned int state, input;

	for (state = 0; state < AMD_IBS_NR_STATES; state++) {
		for (input = 0; input < AMD_IBS_NR_INPUTS; input++) {
			struct amd_ibs_step step = amd_ibs_state_step(state, input);
			bool on = step.next == AMD_IBS_ON || step.next == AMD_IBS_ON_LATE;
			bool was_on = state == AMD_IBS_ON || state == AMD_IBS_ON_LATE;

			KUNIT_EXPECT_LT(test, step.next, AMD_IBS_NR_STATES);
			KUNIT_EXPECT_TRUE(test, !on || was_on || input == AMD_IBS_START);
			if (step.action == AMD_IBS_TAKE)
				KUNIT_EXPECT_EQ(test, input, AMD_IBS_SAMPLE);
		}
	}
}

static struct kunit_case ibs_cases[] = {
	KUNIT_CASE(ibs_test_samples),
	KUNIT_CASE(ibs_test_access),
	KUNIT_CASE(ibs_test_rip),
	KUNIT_CASE(ibs_test_branch),
	KUNIT_CASE(ibs_test_errata),
	KUNIT_CASE(ibs_test_period),
	KUNIT_CASE(ibs_test_event),
	KUNIT_CASE(ibs_test_group),
	KUNIT_CASE(ibs_test_forward),
	KUNIT_CASE(ibs_test_start_stop),
	KUNIT_CASE(ibs_test_restore),
	KUNIT_CASE(ibs_test_sample),
	KUNIT_CASE(ibs_test_random_bits),
	KUNIT_CASE(ibs_test_record),
	KUNIT_CASE(ibs_test_fetch),
	KUNIT_CASE(ibs_test_clear_count),
	KUNIT_CASE(ibs_test_long_period),
	KUNIT_CASE(ibs_test_throttle),
	KUNIT_CASE(ibs_test_adjust),
	KUNIT_CASE(ibs_test_late),
	KUNIT_CASE(ibs_test_race),
	KUNIT_CASE(ibs_test_states),
	{}
};

static struct kunit_suite ibs_suite = {
	.name		= "x86_ibs",
	.init		= ibs_init,
	.exit		= ibs_exit,
	.test_cases	= ibs_cases,
};

kunit_test_suite(ibs_suite);
