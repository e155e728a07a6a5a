// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of rooms "intel/pebs", "intel/pebs_drain" and "intel/ds_buffer",
 * on a CPU that does not exist: a register file, a DS area and a buffer in
 * memory, and counters that the test sets.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/delay.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include "../branch.h"
#include "../intel/ds_buffer.h"
#include "../intel/pebs.h"
#include "../intel/pebs_decode.h"
#include "../rules/tables/tables.h"

#define GLOBAL_CTRL	0x3001
#define WORDS		512
#define NR_EVENTS	3
#define MOST_SAMPLES	64
#define PERIOD		1000
#define USER_IP		0x401000
#define KERNEL_IP	0xffffffff81000000

static const struct x86_pmc addresses = {
	.select = 0x1000, .write = 0x2000, .step = 1, .global_ctrl = GLOBAL_CTRL,
};

struct taken {
	struct perf_event	*event;
	struct perf_sample_data	data;
	struct pt_regs		regs;
	bool			last;
};

struct machine {
	struct intel_pebs_format format;
	struct x86_core		core;
	struct x86_cpu		cpu;
	struct intel_pebs	pebs;
	struct debug_store	*ds;
	u64			*buffer;
	struct perf_event	event[NR_EVENTS];
	u64			counter[NR_EVENTS];
	u64			enable, config, running;
	unsigned int		writes;
	bool			late;
	int			switches;
	unsigned int		nr, lost, saved, accounted;
	struct taken		taken[MOST_SAMPLES];
};

static struct machine *machine(void)
{
	return kunit_get_current_test()->priv;
}

static u64 *next_record(struct machine *m, unsigned int words)
{
	u64 *record = (u64 *)(unsigned long)m->ds->pebs_index;

	m->ds->pebs_index += words * sizeof(u64);
	return record;
}

/* A record as the processor writes it in format 1, 2 or 3. */
static u64 *write_fixed(struct machine *m, u64 counters, u64 ip)
{
	static const u8 words[] = { 18, 22, 24, 25 };
	u64 *record = next_record(m, words[m->format.number]);

	record[1] = ip + 4;
	record[18] = counters;
	record[19] = 0x7000;
	if (m->format.number >= 2)
		record[22] = ip;
	return record;
}

static void fake_write(u32 address, u64 value)
{
	struct machine *m = machine();

	m->writes++;
	if (address == MSR_IA32_PEBS_ENABLE)
		m->enable = value;
	if (address == MSR_IA32_PEBS_ENABLE && m->late)
		write_fixed(m, 0x1, USER_IP);
	if (address == MSR_PEBS_DATA_CFG)
		m->config = value;
	if (address == GLOBAL_CTRL)
		m->running = value;
}

static u64 fake_read(const struct perf_event *event)
{
	return machine()->counter[event->hw.idx];
}

static void fake_switches(struct pmu *pmu, bool want)
{
	machine()->switches += want ? 1 : -1;
}

static bool fake_emit(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs, bool last)
{
	struct machine *m = machine();

	if (m->nr < MOST_SAMPLES)
		m->taken[m->nr] = (struct taken) { event, *data, *regs, last };
	m->nr++;
	return false;
}

static void fake_account(struct perf_event *event)
{
	machine()->accounted++;
}

static void fake_report(struct perf_event *event, unsigned int lost)
{
	machine()->lost += lost;
}

static void fake_save(struct perf_event *event, struct perf_sample_data *data)
{
	machine()->saved++;
}

static void *alloc(struct kunit *test, size_t size)
{
	void *memory = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory;
}

static void init_event(struct machine *m, unsigned int i)
{
	struct perf_event *event = &m->event[i];

	event->pmu = &m->core.pmu;
	event->hw.idx = i;
	event->hw.flags = X86_EVENT_PEBS | X86_EVENT_RELOAD;
	event->hw.sample_period = PERIOD;
	event->hw.last_period = PERIOD;
	event->attr.precise_ip = 2;
	event->attr.sample_type = PERF_SAMPLE_IP;
	m->cpu.on[i] = event;
}

static void use_format(struct machine *m, unsigned int number)
{
	m->format.number = number;
	m->format.groups = number >= INTEL_PEBS_ADAPTIVE;
	m->format.latency_enable = number < INTEL_PEBS_ADAPTIVE;
}

static int pebs_init(struct kunit *test)
{
	struct machine *m = alloc(test, sizeof(*m));
	unsigned int i;

	if (!x86_pmc.width)
		kunit_skip(test, "no counters");

	test->priv = m;
	m->ds = alloc(test, sizeof(*m->ds));
	m->buffer = alloc(test, WORDS * sizeof(u64));
	m->core.facts.model = &x86_model_skylake;
	m->core.facts.counters = X86_GENERAL(4);
	m->cpu.core = &m->core;
	m->cpu.regs.pmc = &addresses;
	m->cpu.regs.running_known = true;
	m->cpu.not_special = X86_GENERAL(4);
	m->ds->pebs_buffer_base = (unsigned long)m->buffer;
	m->ds->pebs_index = m->ds->pebs_buffer_base;
	m->pebs = (struct intel_pebs) {
		.ds = m->ds, .format = &m->format, .bytes = WORDS * sizeof(u64),
	};
	for (i = 0; i < NR_EVENTS; i++)
		init_event(m, i);
	use_format(m, 3);
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	kunit_activate_static_stub(test, intel_pebs_read_counter, fake_read);
	kunit_activate_static_stub(test, intel_pebs_want_switches, fake_switches);
	kunit_activate_static_stub(test, intel_pebs_emit, fake_emit);
	kunit_activate_static_stub(test, intel_pebs_report_lost, fake_report);
	kunit_activate_static_stub(test, x86_branch_save, fake_save);
	kunit_activate_static_stub(test, intel_pebs_account, fake_account);
	return 0;
}

static void attach(struct machine *m, unsigned int i)
{
	intel_pebs_attach(&m->pebs, &m->cpu, &m->event[i]);
	local64_set(&m->event[i].hw.prev_count, -PERIOD);
}

/* A record with registers and no other group. */
static u64 *write_adaptive(struct machine *m, u64 counters, u64 ip)
{
	u64 *record = next_record(m, 22);

	record[0] = 22ULL * 8 << 48 | INTEL_PEBS_REGS;
	record[1] = ip;
	record[2] = counters;
	record[4] = 0x246;
	record[5] = ip + 4;
	return record;
}

static void drain(struct machine *m, struct pt_regs *regs)
{
	intel_pebs_drain(&m->pebs, &m->cpu, regs);
}

static void pebs_test_registers(struct kunit *test)
{
	struct machine *m = test->priv;

	attach(m, 1);
	KUNIT_EXPECT_EQ(test, m->enable, 0x2);
	KUNIT_EXPECT_EQ(test, m->cpu.not_special, 0xd);
	KUNIT_EXPECT_EQ(test, m->ds->pebs_event_reset[1], -PERIOD & x86_pmc.mask);
	KUNIT_EXPECT_EQ(test, m->ds->pebs_interrupt_threshold, m->ds->pebs_buffer_base + 200);
	KUNIT_EXPECT_EQ(test, m->ds->pebs_absolute_maximum, m->ds->pebs_buffer_base + 20 * 200);
	/* The event was throttled, and starts again: nothing is written. */
	m->writes = 0;
	m->event[1].hw.sample_period = 2 * PERIOD;
	attach(m, 1);
	KUNIT_EXPECT_EQ(test, m->writes, 0);
	KUNIT_EXPECT_EQ(test, m->ds->pebs_event_reset[1], -2 * PERIOD & x86_pmc.mask);
	attach(m, 0);
	KUNIT_EXPECT_EQ(test, m->enable, 0x3);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[1]);
	KUNIT_EXPECT_EQ(test, m->enable, 0x1);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	KUNIT_EXPECT_EQ(test, m->enable, 0);
	KUNIT_EXPECT_EQ(test, m->cpu.not_special, 0xf);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	KUNIT_EXPECT_EQ(test, m->pebs.nr, 0);
}

static void pebs_test_enable_bits(struct kunit *test)
{
	struct machine *m = test->priv;

	m->event[0].hw.flags |= FIELD_PREP(X86_EVENT_DATA, X86_DATA_LOAD_LATENCY);
	m->event[1].hw.flags |= FIELD_PREP(X86_EVENT_DATA, X86_DATA_PRECISE_STORE);
	attach(m, 0);
	KUNIT_EXPECT_EQ(test, m->enable, 0x100000001);
	attach(m, 1);
	KUNIT_EXPECT_EQ(test, m->enable, 0x8000000100000003);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	KUNIT_EXPECT_EQ(test, m->enable, 0x8000000000000002);
	KUNIT_EXPECT_EQ(test, intel_pebs_reset_slot(&m->format, X86_COUNTER_FIXED + 1), 9);
	use_format(m, 5);
	KUNIT_EXPECT_EQ(test, intel_pebs_reset_slot(&m->format, X86_COUNTER_FIXED + 1), 33);
}

/*
 * Only the interrupt has read the recorder, and only for events that run. Other
 * samples must not show what it read last, perhaps for another task.
 */
static void pebs_test_branches(struct kunit *test)
{
	struct machine *m = test->priv;
	struct pt_regs regs = { .ip = USER_IP, .cs = __USER_CS };

	m->event[0].attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	m->event[0].hw.flags |= X86_EVENT_BRANCHES;
	attach(m, 0);
	attach(m, 1);
	m->cpu.running = 0x3;
	write_fixed(m, 0x1, USER_IP);
	write_fixed(m, 0x2, USER_IP);
	drain(m, &regs);
	KUNIT_EXPECT_EQ(test, m->nr, 2);
	KUNIT_EXPECT_EQ(test, m->saved, 1);

	write_fixed(m, 0x1, USER_IP);
	drain(m, NULL);
	m->cpu.running = 0x2;
	write_fixed(m, 0x1, USER_IP);
	drain(m, &regs);
	KUNIT_EXPECT_EQ(test, m->saved, 1);
	KUNIT_ASSERT_EQ(test, m->nr, 4);
	for (unsigned int i = 2; i < 4; i++) {
		KUNIT_ASSERT_NOT_NULL(test, m->taken[i].data.br_stack);
		KUNIT_EXPECT_EQ(test, m->taken[i].data.br_stack->nr, 0);
	}
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[1]);
}

/* A late record of a stopped event, whose counter was cleared meanwhile. */
static void pebs_test_cleared(struct kunit *test)
{
	struct machine *m = test->priv;

	attach(m, 0);
	local64_set(&m->event[0].hw.prev_count, -500);
	m->event[0].hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	m->counter[0] = 0;
	write_fixed(m, 0x1, USER_IP);
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, local64_read(&m->event[0].count), PERIOD);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
}

/* The buffer is large while all events allow it. */
static void pebs_test_large(struct kunit *test)
{
	struct machine *m = test->priv;

	m->event[0].hw.flags |= X86_EVENT_LARGE;
	attach(m, 0);
	KUNIT_EXPECT_EQ(test, m->switches, 1);
	KUNIT_EXPECT_EQ(test, m->ds->pebs_interrupt_threshold,
			m->ds->pebs_buffer_base + (20 - 4) * 200);
	attach(m, 1);
	KUNIT_EXPECT_EQ(test, m->ds->pebs_interrupt_threshold, m->ds->pebs_buffer_base + 200);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[1]);
	KUNIT_EXPECT_EQ(test, m->ds->pebs_interrupt_threshold,
			m->ds->pebs_buffer_base + (20 - 4) * 200);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	KUNIT_EXPECT_EQ(test, m->switches, 0);
}

static void pebs_test_groups(struct kunit *test)
{
	struct machine *m = test->priv;

	use_format(m, 4);
	attach(m, 0);
	KUNIT_EXPECT_EQ(test, m->config, 0);
	KUNIT_EXPECT_EQ(test, m->pebs.size, 32);
	m->event[1].attr.sample_type |= PERF_SAMPLE_ADDR;
	attach(m, 1);
	KUNIT_EXPECT_EQ(test, m->config, INTEL_PEBS_MEMORY);
	m->event[2].attr.precise_ip = 1;
	attach(m, 2);
	KUNIT_EXPECT_EQ(test, m->config, INTEL_PEBS_MEMORY | INTEL_PEBS_REGS);
	KUNIT_EXPECT_EQ(test, m->pebs.size, 32 + 32 + 144);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[2]);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[1]);
	KUNIT_EXPECT_EQ(test, m->config, INTEL_PEBS_MEMORY | INTEL_PEBS_REGS);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	attach(m, 0);
	KUNIT_EXPECT_EQ(test, m->config, 0);
}

/* A counter passes zero, runs on, and is loaded again with each record. */
static void pebs_test_count(struct kunit *test)
{
	struct machine *m = test->priv;
	struct perf_event *event = &m->event[1];
	unsigned int i;

	attach(m, 1);
	for (i = 0; i < 3; i++)
		write_fixed(m, 0x2, USER_IP + i);
	m->counter[1] = (-PERIOD + 40) & x86_pmc.mask;
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 3 * PERIOD + 40);
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.period_left), PERIOD - 40);
	KUNIT_EXPECT_EQ(test, m->nr, 3);
	KUNIT_EXPECT_EQ(test, m->ds->pebs_index, m->ds->pebs_buffer_base);
	/* It has passed zero; the record comes later. */
	local64_set(&event->count, 0);
	local64_set(&event->hw.prev_count, 7);
	m->counter[1] = (-PERIOD + 1) & x86_pmc.mask;
	write_fixed(m, 0x2, USER_IP);
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), -7 + 1);
	/* No new record. */
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->nr, 4);
}

/*
 * Records of two counters: each sample is its event's, and only the last is an
 * overflow.
 */
static void pebs_test_owners(struct kunit *test)
{
	struct machine *m = test->priv;
	struct pt_regs regs = { .cs = __USER_CS };

	attach(m, 0);
	attach(m, 1);
	write_fixed(m, 0x1, USER_IP);
	write_fixed(m, 0x6, USER_IP + 1);
	write_fixed(m, 0x3, USER_IP + 2);
	write_fixed(m, 0x4, USER_IP + 3);
	drain(m, &regs);
	KUNIT_ASSERT_EQ(test, m->nr, 4);
	KUNIT_EXPECT_PTR_EQ(test, m->taken[0].event, &m->event[0]);
	KUNIT_EXPECT_FALSE(test, m->taken[0].last);
	KUNIT_EXPECT_PTR_EQ(test, m->taken[1].event, &m->event[1]);
	KUNIT_EXPECT_EQ(test, m->taken[1].regs.ip, USER_IP + 1);
	KUNIT_EXPECT_FALSE(test, m->taken[1].last);
	KUNIT_EXPECT_PTR_EQ(test, m->taken[2].event, &m->event[0]);
	KUNIT_EXPECT_TRUE(test, m->taken[2].last);
	KUNIT_EXPECT_PTR_EQ(test, m->taken[3].event, &m->event[1]);
	KUNIT_EXPECT_TRUE(test, m->taken[3].last);
	KUNIT_EXPECT_EQ(test, m->pebs.dropped, 1);
	KUNIT_EXPECT_EQ(test, local64_read(&m->event[0].count), 2 * PERIOD + PERIOD);
}

/*
 * Up to format 2 a record whose status names no counter is of the only precise
 * event.
 */
static void pebs_test_old_status(struct kunit *test)
{
	struct machine *m = test->priv;

	use_format(m, 2);
	attach(m, 1);
	write_fixed(m, 0, USER_IP);
	write_fixed(m, 0xd, USER_IP);
	write_fixed(m, 0x3, USER_IP);
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->nr, 3);
	attach(m, 0);
	write_fixed(m, 0, USER_IP);
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->nr, 3);
	KUNIT_EXPECT_EQ(test, m->pebs.dropped, 1);
}

/* A record that may be of either event is no sample, but counts for both. */
static void pebs_test_collision(struct kunit *test)
{
	struct machine *m = test->priv;

	use_format(m, 2);
	attach(m, 0);
	attach(m, 1);
	m->counter[0] = -PERIOD & x86_pmc.mask;
	write_fixed(m, 0x3, USER_IP);
	write_fixed(m, 0x1, USER_IP + 1);
	drain(m, NULL);
	KUNIT_ASSERT_EQ(test, m->nr, 1);
	KUNIT_EXPECT_PTR_EQ(test, m->taken[0].event, &m->event[0]);
	KUNIT_EXPECT_EQ(test, m->taken[0].regs.ip, USER_IP + 1);
	KUNIT_EXPECT_EQ(test, m->lost, 2);
	KUNIT_EXPECT_EQ(test, local64_read(&m->event[0].count), 2 * PERIOD);
}

/*
 * Nothing of the kernel is in a sample of user code only, nor the other way
 * round.
 */
static void pebs_test_modes(struct kunit *test)
{
	struct pt_regs kernel = { .cs = __KERNEL_CS, .sp = KERNEL_IP, .r15 = KERNEL_IP };
	struct machine *m = test->priv;
	struct pt_regs *got = &m->taken[0].regs;
	u64 *record;

	m->event[0].attr.exclude_kernel = 1;
	m->event[0].attr.sample_type |= PERF_SAMPLE_ADDR;
	m->event[1].attr.exclude_user = 1;
	attach(m, 0);
	attach(m, 1);
	write_fixed(m, 0x1, KERNEL_IP);
	write_fixed(m, 0x2, USER_IP);
	/* The program's instruction, and registers of the kernel's entry. */
	record = write_fixed(m, 0x1, USER_IP);
	record[1] = KERNEL_IP;
	record = write_fixed(m, 0x1, USER_IP);
	record[19] = KERNEL_IP;
	drain(m, &kernel);
	KUNIT_ASSERT_EQ(test, m->nr, 1);
	KUNIT_EXPECT_EQ(test, got->ip, USER_IP);
	KUNIT_EXPECT_EQ(test, got->cs, __USER_CS);
	KUNIT_EXPECT_EQ(test, got->sp, 0);
	KUNIT_EXPECT_EQ(test, got->r15, 0);
	KUNIT_EXPECT_EQ(test, m->taken[0].data.addr, 0);
	KUNIT_EXPECT_TRUE(test, got->flags & PERF_EFLAGS_EXACT);
	KUNIT_EXPECT_EQ(test, m->pebs.dropped, 3);
}

/* An interrupt whose last record is not used counts, too; others do not. */
static void pebs_test_unwanted(struct kunit *test)
{
	struct pt_regs regs = { .cs = __USER_CS };
	struct machine *m = test->priv;

	m->event[0].attr.exclude_kernel = 1;
	attach(m, 0);
	write_fixed(m, 0x1, KERNEL_IP);
	write_fixed(m, 0x1, KERNEL_IP);
	drain(m, &regs);
	KUNIT_EXPECT_EQ(test, m->accounted, 1);
	write_fixed(m, 0x1, KERNEL_IP);
	write_fixed(m, 0x1, USER_IP);
	drain(m, &regs);
	KUNIT_EXPECT_EQ(test, m->accounted, 1);
	KUNIT_EXPECT_EQ(test, m->nr, 1);
	write_fixed(m, 0x1, KERNEL_IP);
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->accounted, 1);
	KUNIT_EXPECT_EQ(test, m->pebs.dropped, 4);
}

/* Without registers in the record there are none of the kernel. */
static void pebs_test_no_regs(struct kunit *test)
{
	struct machine *m = test->priv;
	u64 *record;

	use_format(m, 4);
	m->event[0].attr.exclude_kernel = 1;
	attach(m, 0);
	record = next_record(m, 4);
	record[0] = 4ULL * 8 << 48;
	record[1] = USER_IP;
	record[2] = 0x1;
	record = write_adaptive(m, 0x1, USER_IP);
	record[5] = KERNEL_IP;
	drain(m, NULL);
	KUNIT_ASSERT_EQ(test, m->nr, 1);
	KUNIT_EXPECT_EQ(test, m->taken[0].regs.ip, USER_IP);
	KUNIT_EXPECT_EQ(test, m->pebs.dropped, 1);
}

/* With precise_ip 1 the address is that of the next instruction. */
static void pebs_test_skid(struct kunit *test)
{
	struct machine *m = test->priv;

	m->event[0].attr.precise_ip = 1;
	attach(m, 0);
	write_fixed(m, 0x1, USER_IP);
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->taken[0].regs.ip, USER_IP + 4);
	KUNIT_EXPECT_FALSE(test, m->taken[0].regs.flags & PERF_EFLAGS_EXACT);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	use_format(m, 4);
	attach(m, 0);
	write_adaptive(m, 0x1, USER_IP);
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->taken[1].regs.ip, USER_IP + 4);
	m->event[0].attr.precise_ip = 3;
	write_adaptive(m, 0x1, USER_IP);
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->taken[2].regs.ip, USER_IP);
	KUNIT_EXPECT_TRUE(test, m->taken[2].regs.flags & PERF_EFLAGS_EXACT);
}

static void pebs_test_memory(struct kunit *test)
{
	struct machine *m = test->priv;
	struct perf_sample_data *data = &m->taken[0].data;
	union perf_mem_data_src source;
	u64 *record;

	m->event[0].attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC |
				       PERF_SAMPLE_WEIGHT | PERF_SAMPLE_TRANSACTION;
	m->event[0].hw.flags |= FIELD_PREP(X86_EVENT_DATA, X86_DATA_LOAD_LATENCY);
	attach(m, 0);
	record = write_fixed(m, 0x1, USER_IP);
	record[20] = 0x3;
	record[21] = 77;
	record[2] = 0x5a000001;
	record[23] = (u64)PERF_TXN_TRANSACTION << 32 | 55;
	drain(m, NULL);
	source.val = data->data_src.val;
	KUNIT_EXPECT_EQ(test, (u64)source.mem_lvl_num, PERF_MEM_LVLNUM_L2);
	KUNIT_EXPECT_EQ(test, data->weight.full, 77);
	KUNIT_EXPECT_EQ(test, data->addr, 0x7000);
	KUNIT_EXPECT_EQ(test, data->txn,
			PERF_TXN_TRANSACTION | 0x5aULL << PERF_TXN_ABORT_SHIFT);
	KUNIT_EXPECT_EQ(test, data->sample_flags & m->event[0].attr.sample_type,
			m->event[0].attr.sample_type);
}

/* An index or a length that leads out of the buffer is not used. */
static void pebs_test_wrong(struct kunit *test)
{
	struct machine *m = test->priv;
	u64 *record;

	attach(m, 0);
	m->ds->pebs_index = m->ds->pebs_buffer_base + WORDS * sizeof(u64) + 1;
	drain(m, NULL);
	m->ds->pebs_index = m->ds->pebs_buffer_base - 8;
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->pebs.dropped, 2);
	KUNIT_EXPECT_EQ(test, m->ds->pebs_index, m->ds->pebs_buffer_base);
	/* Half a record. */
	write_fixed(m, 0x1, USER_IP);
	m->ds->pebs_index += 96;
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->nr, 1);
	KUNIT_EXPECT_EQ(test, m->pebs.dropped, 3);
	use_format(m, 4);
	write_adaptive(m, 0x1, USER_IP);
	record = write_adaptive(m, 0x1, USER_IP);
	record[0] |= INTEL_PEBS_MEMORY;
	write_adaptive(m, 0x1, USER_IP);
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->nr, 2);
	KUNIT_EXPECT_EQ(test, m->pebs.dropped, 4);
	KUNIT_EXPECT_FALSE(test, m->pebs.draining);
}

/* Records are written before the counter gets another event. */
static void pebs_test_leave(struct kunit *test)
{
	struct machine *m = test->priv;

	attach(m, 0);
	m->cpu.regs.running = 0x1;
	write_fixed(m, 0x1, USER_IP);
	m->counter[0] = -PERIOD & x86_pmc.mask;
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	KUNIT_EXPECT_EQ(test, m->cpu.regs.running, 0);
	KUNIT_EXPECT_EQ(test, m->nr, 1);
	KUNIT_EXPECT_EQ(test, local64_read(&m->event[0].count), PERIOD);
	/* The counter was loaded, and its record is late. */
	attach(m, 0);
	local64_set(&m->event[0].count, 0);
	local64_set(&m->event[0].hw.prev_count, 7);
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	KUNIT_EXPECT_EQ(test, local64_read(&m->event[0].count), -PERIOD - 7);
	/* A PMI in the middle leaves the records alone. */
	attach(m, 0);
	write_fixed(m, 0x1, USER_IP);
	m->pebs.draining = true;
	drain(m, NULL);
	KUNIT_EXPECT_EQ(test, m->nr, 1);
}

/* A record that is written after the last drain is no sample, then or later. */
static void pebs_test_late(struct kunit *test)
{
	struct machine *m = test->priv;

	attach(m, 0);
	m->late = true;
	intel_pebs_detach(&m->pebs, &m->cpu, &m->event[0]);
	m->late = false;
	KUNIT_EXPECT_EQ(test, m->ds->pebs_index, m->ds->pebs_buffer_base);
	/* Without precise events the buffer may not exist any more. */
	write_fixed(m, 0x1, USER_IP);
	m->ds->pebs_buffer_base = 0;
	drain(m, NULL);
	KUNIT_EXPECT_NE(test, m->ds->pebs_index, 0);
	KUNIT_EXPECT_EQ(test, m->nr, 0);
	KUNIT_EXPECT_EQ(test, m->pebs.dropped, 0);
}

/* The PMI drains while the counter is saved, and leaves the counter alone. */
static void pebs_test_saved(struct kunit *test)
{
	struct machine *m = test->priv;
	struct hw_perf_event *hw = &m->event[0].hw;
	struct pt_regs regs = { .cs = __USER_CS };

	hw->flags = X86_EVENT_PEBS;
	attach(m, 0);
	hw->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	local64_set(&hw->prev_count, 7);
	local64_set(&hw->period_left, 0);
	write_fixed(m, 0x1, USER_IP);
	m->writes = 0;
	drain(m, &regs);
	KUNIT_EXPECT_EQ(test, m->nr, 0);
	KUNIT_EXPECT_EQ(test, m->writes, 0);
	KUNIT_EXPECT_EQ(test, local64_read(&hw->prev_count), 7);
	KUNIT_EXPECT_EQ(test, local64_read(&m->event[0].count), 0);
}

/*
 * While KVM enters a guest nothing is recorded, and no precise event counts.
 * The exit from the guest has the host's value of global control.
 */
static void pebs_test_guest(struct kunit *test)
{
	struct machine *m = test->priv;
	struct perf_guest_switch_msr msr = { };

	m->cpu.enabled = true;
	m->cpu.running = 0x6;
	x86_regs_run(&m->cpu.regs, 0x6);
	m->writes = 0;
	intel_pebs_enter_guest(&m->pebs, &m->cpu, &msr);
	KUNIT_EXPECT_EQ(test, msr.msr, MSR_IA32_PEBS_ENABLE);
	KUNIT_EXPECT_EQ(test, msr.host, 0);
	KUNIT_EXPECT_EQ(test, msr.guest, 0);
	KUNIT_EXPECT_EQ(test, m->writes, 0);
	attach(m, 1);
	m->writes = 0;
	intel_pebs_enter_guest(&m->pebs, &m->cpu, &msr);
	KUNIT_EXPECT_EQ(test, msr.host, 0x2);
	KUNIT_EXPECT_EQ(test, msr.guest, 0);
	KUNIT_EXPECT_EQ(test, m->running, 0x4);
	KUNIT_EXPECT_EQ(test, m->writes, 1);
	/* The exit writes the register, so its image is not right. */
	x86_regs_run(&m->cpu.regs, 0x4);
	KUNIT_EXPECT_EQ(test, m->writes, 2);
	/* While the PMU is disabled nothing counts anyway. */
	m->cpu.enabled = false;
	intel_pebs_enter_guest(&m->pebs, &m->cpu, &msr);
	KUNIT_EXPECT_EQ(test, m->writes, 2);
}

static int flags_of(struct machine *m, u64 type)
{
	struct perf_event *event = &m->event[0];

	event->attr.sample_type = type;
	event->attr.sample_period = PERIOD;
	event->hw.config = 0xc0 | X86_SEL_INT;
	event->hw.flags = 0;
	intel_pebs_flag(&m->format, event);
	return event->hw.flags & (X86_EVENT_PEBS | X86_EVENT_RELOAD | X86_EVENT_LARGE);
}

#define RELOADED	(X86_EVENT_PEBS | X86_EVENT_RELOAD)
#define LARGE		(RELOADED | X86_EVENT_LARGE)

static void pebs_test_flags(struct kunit *test)
{
	struct machine *m = test->priv;
	struct perf_event_attr *attr = &m->event[0].attr;

	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_IP | PERF_SAMPLE_TIME), LARGE);
	KUNIT_EXPECT_EQ(test, m->event[0].hw.config, 0xc0);
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN), RELOADED);
	attr->use_clockid = 1;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_IP | PERF_SAMPLE_TIME), RELOADED);
	attr->use_clockid = 0;
	attr->wakeup_events = 1;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_IP), X86_EVENT_PEBS);
	attr->watermark = 1;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_IP), LARGE);
	attr->freq = 1;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_IP), X86_EVENT_PEBS);
	attr->freq = 0;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_REGS_USER), RELOADED);
	attr->exclude_kernel = 1;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_REGS_USER), LARGE);
	/* What an overflow does must not wait. */
	attr->sigtrap = 1;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_IP), RELOADED);
	attr->sigtrap = 0;
	attr->aux_pause = 1;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_IP), RELOADED);
	attr->aux_pause = 0;
	attr->aux_resume = 1;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_IP), RELOADED);
	attr->aux_resume = 0;
	use_format(m, 2);
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_TIME), RELOADED);
	use_format(m, 4);
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_TIME), LARGE);
	KUNIT_EXPECT_EQ(test, m->event[0].hw.config, 0xc0 | X86_SEL_ADAPTIVE);
	m->format.groups = false;
	KUNIT_EXPECT_EQ(test, flags_of(m, PERF_SAMPLE_ADDR), RELOADED);
}

static atomic_t lives, begun;
static int begin_error;

static int begin_life(void)
{
	if (!begin_error) {
		atomic_inc(&lives);
		atomic_inc(&begun);
	}
	return begin_error;
}

static void end_life(void)
{
	atomic_dec(&lives);
}

/* Buffers exist with the first event, and until a second after the last one. */
static void pebs_test_life(struct kunit *test)
{
	struct intel_ds_life *life = alloc(test, sizeof(*life));
	unsigned long last;

	/* The suite may run again. */
	atomic_set(&begun, 0);
	intel_ds_life_init(life, begin_life, end_life);
	begin_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, intel_ds_life_get(life), -ENOMEM);
	begin_error = 0;
	KUNIT_EXPECT_EQ(test, intel_ds_life_get(life), 0);
	KUNIT_EXPECT_EQ(test, intel_ds_life_get(life), 0);
	intel_ds_life_put(life);
	intel_ds_life_put(life);
	KUNIT_EXPECT_EQ(test, atomic_read(&lives), 1);
	/* The next event finds the buffers. */
	KUNIT_EXPECT_EQ(test, intel_ds_life_get(life), 0);
	last = jiffies;
	intel_ds_life_put(life);
	KUNIT_EXPECT_EQ(test, atomic_read(&begun), 1);
	msleep(500);
	/* On a busy host the second may be over. */
	if (!atomic_read(&lives))
		KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, last + HZ));
	msleep(1500);
	flush_delayed_work(&life->work);
	KUNIT_EXPECT_EQ(test, atomic_read(&lives), 0);
	cancel_delayed_work_sync(&life->work);
}

static struct kunit_case pebs_cases[] = {
	KUNIT_CASE(pebs_test_registers),
	KUNIT_CASE(pebs_test_enable_bits),
	KUNIT_CASE(pebs_test_branches),
	KUNIT_CASE(pebs_test_cleared),
	KUNIT_CASE(pebs_test_large),
	KUNIT_CASE(pebs_test_groups),
	KUNIT_CASE(pebs_test_count),
	KUNIT_CASE(pebs_test_owners),
	KUNIT_CASE(pebs_test_old_status),
	KUNIT_CASE(pebs_test_collision),
	KUNIT_CASE(pebs_test_modes),
	KUNIT_CASE(pebs_test_unwanted),
	KUNIT_CASE(pebs_test_no_regs),
	KUNIT_CASE(pebs_test_skid),
	KUNIT_CASE(pebs_test_memory),
	KUNIT_CASE(pebs_test_wrong),
	KUNIT_CASE(pebs_test_leave),
	KUNIT_CASE(pebs_test_late),
	KUNIT_CASE(pebs_test_saved),
	KUNIT_CASE(pebs_test_guest),
	KUNIT_CASE(pebs_test_flags),
	KUNIT_CASE_SLOW(pebs_test_life),
	{}
};

static struct kunit_suite pebs_suite = {
	.name		= "x86_pebs",
	.init		= pebs_init,
	.test_cases	= pebs_cases,
};

kunit_test_suite(pebs_suite);
