// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of room "guest": on a CPU that does not exist, and with events of
 * the machine's own PMU.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include "../cpu.h"
#include "../guest.h"
#include "../run.h"

#define SELECT		0x1000
#define GLOBAL_CTRL	0x3001
#define NR_COUNTERS	4
#define CYCLES		0x3c

static const struct x86_model plain_model;

static const struct x86_pmc with_global = {
	.select		= SELECT,
	.write		= 0x2000,
	.step		= 1,
	.global_ctrl	= GLOBAL_CTRL,
};

static const struct x86_pmc without_global = {
	.select		= SELECT,
	.write		= 0x2000,
	.step		= 1,
};

struct host {
	struct x86_core		core;
	struct x86_cpu		cpu;
	struct perf_event	event[NR_COUNTERS];
	u64			select[NR_COUNTERS];
	unsigned int		writes_of_control;
};

static void fake_write(u32 address, u64 value)
{
	struct host *h = kunit_get_current_test()->priv;

	if (address == GLOBAL_CTRL)
		h->writes_of_control++;
	else if (address - SELECT < NR_COUNTERS)
		h->select[address - SELECT] = value;
}

static void use(struct host *h, const struct x86_pmc *pmc)
{
	x86_regs_reset(&h->cpu.regs, pmc, X86_GENERAL(NR_COUNTERS));
}

static int guest_init(struct kunit *test)
{
	struct host *h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, h);
	test->priv = h;
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	h->core.facts.model = &plain_model;
	h->core.facts.counters = X86_GENERAL(NR_COUNTERS);
	h->cpu.core = &h->core;
	h->cpu.enabled = true;
	use(h, &with_global);
	return 0;
}

/* An event that counts on @counter. */
static void put(struct host *h, unsigned int counter, int flags)
{
	struct perf_event *event = &h->event[counter];

	event->hw.flags = flags;
	event->hw.idx = counter;
	x86_cpu_attach(&h->cpu, event, counter);
	h->cpu.running |= x86_event_bits(event, counter);
	h->cpu.events[h->cpu.nr++] = event;
}

static void expect_values(struct kunit *test, u64 host, u64 guest)
{
	struct host *h = test->priv;
	struct perf_guest_switch_msr msrs[X86_GUEST_MSRS] = { };

	KUNIT_ASSERT_EQ(test, x86_guest_msrs(&h->cpu, msrs), 1);
	KUNIT_EXPECT_EQ(test, msrs[0].msr, GLOBAL_CTRL);
	KUNIT_EXPECT_EQ(test, msrs[0].host, host);
	KUNIT_EXPECT_EQ(test, msrs[0].guest, guest);
	KUNIT_EXPECT_EQ(test, msrs[1].msr, 0);
}

static void guest_test_in_use(struct kunit *test)
{
	struct host *h = test->priv;

	expect_values(test, 0, 0);
	put(h, 0, 0);
	put(h, 2, 0);
	expect_values(test, BIT_ULL(0) | BIT_ULL(2), BIT_ULL(0) | BIT_ULL(2));
	/* A stopped event keeps its counter and does not count. */
	h->cpu.running &= ~BIT_ULL(2);
	expect_values(test, BIT_ULL(0), BIT_ULL(0));
	x86_cpu_detach(&h->cpu, 2);
	expect_values(test, BIT_ULL(0), BIT_ULL(0));
}

static void guest_test_excluded(struct kunit *test)
{
	struct host *h = test->priv;

	put(h, 0, 0);
	put(h, 1, X86_EVENT_GUEST_ONLY);
	put(h, 2, X86_EVENT_HOST_ONLY);
	put(h, 3, X86_EVENT_GUEST_ONLY | X86_EVENT_HOST_ONLY);
	expect_values(test, BIT_ULL(0) | BIT_ULL(2), BIT_ULL(0) | BIT_ULL(1));
	/* The next event of a counter is not restricted any more. */
	h->cpu.running &= ~(BIT_ULL(1) | BIT_ULL(2));
	x86_cpu_detach(&h->cpu, 1);
	x86_cpu_detach(&h->cpu, 2);
	put(h, 1, 0);
	put(h, 2, 0);
	expect_values(test, X86_GENERAL(3), X86_GENERAL(3));
}

static void guest_test_pair(struct kunit *test)
{
	struct host *h = test->priv;

	put(h, 0, X86_EVENT_PAIR | X86_EVENT_HOST_ONLY);
	put(h, 2, X86_EVENT_PAIR);
	expect_values(test, X86_GENERAL(4), BIT_ULL(2) | BIT_ULL(3));
}

static void guest_test_disabled(struct kunit *test)
{
	struct host *h = test->priv;

	put(h, 0, 0);
	h->cpu.enabled = false;
	expect_values(test, 0, 0);
}

static void guest_test_no_control(struct kunit *test)
{
	struct host *h = test->priv;
	struct perf_guest_switch_msr msrs[X86_GUEST_MSRS] = { { .msr = 1 } };

	put(h, 0, 0);
	use(h, &without_global);
	KUNIT_EXPECT_EQ(test, x86_guest_msrs(&h->cpu, msrs), 0);
	KUNIT_EXPECT_FALSE(test, h->cpu.guests);
	KUNIT_EXPECT_EQ(test, msrs[0].msr, 1);
	use(h, &with_global);
	h->cpu.core = NULL;
	KUNIT_EXPECT_EQ(test, x86_guest_msrs(&h->cpu, msrs), 0);
}

#define RECORDS	0x4001

static void stop_records(struct x86_cpu *cpu, struct perf_guest_switch_msr *msr)
{
	*msr = (struct perf_guest_switch_msr) { .msr = RECORDS, .host = cpu->used };
}

/*
 * Where records of precise events may be late, a second register stops them.
 * Global control has the host's value, whatever was stopped before the entry.
 */
static void guest_test_late_records(struct kunit *test)
{
	struct host *h = test->priv;
	struct perf_guest_switch_msr msrs[X86_GUEST_MSRS] = { };

	h->core.enter_guest = stop_records;
	put(h, 0, 0);
	put(h, 1, X86_EVENT_HOST_ONLY);
	KUNIT_ASSERT_EQ(test, x86_guest_msrs(&h->cpu, msrs), 2);
	KUNIT_EXPECT_EQ(test, msrs[0].msr, GLOBAL_CTRL);
	KUNIT_EXPECT_EQ(test, msrs[0].host, 0x3);
	KUNIT_EXPECT_EQ(test, msrs[0].guest, 0x1);
	KUNIT_EXPECT_EQ(test, msrs[1].msr, RECORDS);
	KUNIT_EXPECT_EQ(test, msrs[1].host, 0x3);
	KUNIT_EXPECT_EQ(test, msrs[1].guest, 0);
}

/* Entry and exit of a guest change the register; the image cannot be right. */
static void guest_test_image(struct kunit *test)
{
	struct host *h = test->priv;

	x86_regs_run(&h->cpu.regs, 0);
	h->writes_of_control = 0;
	KUNIT_EXPECT_TRUE(test, x86_run_pause(&h->cpu));
	KUNIT_EXPECT_EQ(test, h->writes_of_control, 0);
	h->cpu.enabled = true;
	expect_values(test, 0, 0);
	KUNIT_EXPECT_TRUE(test, h->cpu.guests);
	KUNIT_EXPECT_TRUE(test, x86_run_pause(&h->cpu));
	KUNIT_EXPECT_EQ(test, h->writes_of_control, 1);
}

static void nothing(struct pmu *pmu)
{
}

/* AMD: the bit for the host is in the register only while SVM is on. */
static void guest_test_virt(struct kunit *test)
{
	struct host *h = test->priv;
	u64 enable = X86_SEL_ENABLE;

	h->core.pmu.pmu_enable = nothing;
	h->core.pmu.pmu_disable = nothing;
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&h->core.pmu, "x86_guest_test", -1), 0);
	put(h, 0, 0);
	put(h, 1, 0);
	h->event[0].hw.config = CYCLES;
	h->event[1].hw.config = CYCLES | X86_SEL_HOST;
	h->event[2].hw.config = CYCLES | X86_SEL_HOST;
	h->cpu.events[h->cpu.nr++] = &h->event[2];	/* without a counter yet */
	h->event[2].hw.idx = -1;
	h->cpu.masked = X86_SEL_HOST;

	local_irq_disable();
	x86_run_reprogram(&h->cpu);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, h->select[0], CYCLES | enable);
	KUNIT_EXPECT_EQ(test, h->select[1], CYCLES | enable);

	h->cpu.masked = 0;
	local_irq_disable();
	x86_run_reprogram(&h->cpu);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, h->select[0], CYCLES | enable);
	KUNIT_EXPECT_EQ(test, h->select[1], CYCLES | X86_SEL_HOST | enable);
	KUNIT_EXPECT_EQ(test, h->select[2], 0);

	h->cpu.masked = X86_SEL_HOST;
	local_irq_disable();
	x86_run_reprogram(&h->cpu);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, h->select[1], CYCLES | enable);
	perf_pmu_unregister(&h->core.pmu);
}

/* An event of CPU 0 on one of the machine's own counters. */
static struct perf_event *open_real(bool exclude_host, bool exclude_guest)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.type		= PERF_TYPE_HARDWARE,
		.config		= PERF_COUNT_HW_INSTRUCTIONS,
		.pinned		= 1,
		.exclude_host	= exclude_host,
		.exclude_guest	= exclude_guest,
	};

	return perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
}

struct answer {
	struct perf_event		*event;
	u64				bit;
	u64				host;
	u64				guest;
	u32				second;
	int				nr;
};

static void ask(void *data)
{
	struct answer *answer = data;
	struct perf_guest_switch_msr *msrs = perf_guest_get_msrs(&answer->nr, data);

	answer->bit = BIT_ULL(answer->event->hw.idx);
	if (!answer->nr)
		return;
	answer->host = msrs[0].host;
	answer->guest = msrs[0].guest;
	answer->second = answer->nr > 1 ? msrs[1].msr : 0;
}

static void expect_real(struct kunit *test, bool exclude_host, bool exclude_guest)
{
	struct answer answer = { .event = open_real(exclude_host, exclude_guest) };
	bool late = per_cpu(x86_cpu, 0).core && per_cpu(x86_cpu, 0).core->enter_guest;

	KUNIT_ASSERT_FALSE(test, IS_ERR(answer.event));
	smp_call_function_single(0, ask, &answer, 1);
	perf_event_release_kernel(answer.event);
	KUNIT_ASSERT_EQ(test, answer.nr, 1 + late);
	KUNIT_EXPECT_EQ(test, answer.second, late ? MSR_IA32_PEBS_ENABLE : 0);
	KUNIT_EXPECT_EQ(test, answer.host & answer.bit, exclude_host ? 0 : answer.bit);
	KUNIT_EXPECT_EQ(test, answer.guest & answer.bit, exclude_guest ? 0 : answer.bit);
}

static bool tells_by_control(void)
{
	return x86_pmc.global_ctrl && boot_cpu_data.x86_vendor != X86_VENDOR_AMD &&
	       boot_cpu_data.x86_vendor != X86_VENDOR_HYGON;
}

static void guest_test_real(struct kunit *test)
{
	if (!tells_by_control() || !cpu_online(0))
		kunit_skip(test, "no global control register that tells host from guest");
	/* These events write the machine's registers. */
	kunit_deactivate_static_stub(test, x86_regs_write);
	expect_real(test, false, false);
	expect_real(test, true, false);
	expect_real(test, false, true);
	expect_real(test, true, true);
}

/* AMD's select registers tell host and guest apart. */
static void guest_test_real_amd(struct kunit *test)
{
	const u64 both = X86_SEL_HOST | X86_SEL_GUEST;
	struct perf_event *event;
	unsigned int i;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_AMD || !x86_pmc.select || !cpu_online(0))
		kunit_skip(test, "no PMU of AMD");
	kunit_deactivate_static_stub(test, x86_regs_write);
	for (i = 0; i < 4; i++) {
		const u64 wanted[] = { 0, X86_SEL_GUEST, X86_SEL_HOST, 0 };

		event = open_real(i & 1, i & 2);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		KUNIT_EXPECT_EQ(test, event->hw.config & both, wanted[i]);
		KUNIT_EXPECT_EQ(test, event->hw.config & X86_SEL_OS, i == 3 ? 0 : X86_SEL_OS);
		perf_event_release_kernel(event);
	}
}

static void guest_test_lbr(struct kunit *test)
{
	const struct x86_core *core = per_cpu(x86_cpu, 0).core;
	struct x86_pmu_lbr lbr = { .nr = 1, .from = 1 };
	bool intel = boot_cpu_data.x86_vendor == X86_VENDOR_INTEL;

	x86_perf_get_lbr(&lbr);
	KUNIT_EXPECT_EQ(test, lbr.nr, core && intel ? core->branches : 0);
	KUNIT_EXPECT_EQ(test, !!lbr.from, !!lbr.nr);
	KUNIT_EXPECT_EQ(test, !!lbr.to, !!lbr.nr);
}

/* As KVM does for a guest that uses branch records. */
static struct perf_event *open_lbr(bool exclude_host, u64 branches)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.type		= PERF_TYPE_RAW,
		.config		= INTEL_FIXED_VLBR_EVENT,
		.sample_type	= PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = branches,
		.pinned		= 1,
		.exclude_host	= exclude_host,
	};

	return perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
}

#define STACK	(PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER)

static void expect_refused(struct kunit *test, bool exclude_host, u64 branches)
{
	struct perf_event *event = open_lbr(exclude_host, branches);

	KUNIT_EXPECT_PTR_EQ(test, event, ERR_PTR(-EINVAL));
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
}

/* Opens the event, closes it, and returns its state in between. */
static int state_of_next(void)
{
	struct perf_event *event = open_lbr(true, STACK);
	int state;

	if (IS_ERR(event))
		return PTR_ERR(event);
	state = event->state;
	perf_event_release_kernel(event);
	return state;
}

/* One event has the recorder, without a counter. The next one has to wait. */
static void guest_test_lend(struct kunit *test)
{
	struct perf_event *event;
	struct x86_pmu_lbr lbr;

	x86_perf_get_lbr(&lbr);
	if (!lbr.has_callstack || boot_cpu_has(X86_FEATURE_ARCH_LBR))
		kunit_skip(test, "no recorder that a guest may have");
	kunit_deactivate_static_stub(test, x86_regs_write);
	expect_refused(test, false, STACK);
	expect_refused(test, true, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	event = open_lbr(true, STACK);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, event->hw.idx, -1);
	KUNIT_EXPECT_EQ(test, state_of_next(), PERF_EVENT_STATE_ERROR);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, state_of_next(), PERF_EVENT_STATE_ACTIVE);
}

static struct kunit_case guest_cases[] = {
	KUNIT_CASE(guest_test_in_use),
	KUNIT_CASE(guest_test_excluded),
	KUNIT_CASE(guest_test_pair),
	KUNIT_CASE(guest_test_disabled),
	KUNIT_CASE(guest_test_no_control),
	KUNIT_CASE(guest_test_late_records),
	KUNIT_CASE(guest_test_image),
	KUNIT_CASE(guest_test_virt),
	KUNIT_CASE(guest_test_real),
	KUNIT_CASE(guest_test_real_amd),
	KUNIT_CASE(guest_test_lbr),
	KUNIT_CASE(guest_test_lend),
	{}
};

static struct kunit_suite guest_suite = {
	.name		= "x86_guest",
	.init		= guest_init,
	.test_cases	= guest_cases,
};

kunit_test_suite(guest_suite);
