// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the rooms "intel/lbr" and "intel/lbr_task", on a recorder that
 * is a struct: when it runs, and that no task gets another one's branches.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <asm/msr-index.h>
#include "../extra.h"
#include "../intel/lbr_arch.h"
#include "../intel/lbr_task.h"
#include "../intel/lbr.h"
#include "../regs.h"
#include "../rules/tables/tables.h"

#define DEPTH		INTEL_LBR_DEPTH
#define TAG_SHIFT	32
#define OTHER_BITS	(DEBUGCTLMSR_BTF | DEBUGCTLMSR_FREEZE_IN_SMM)

#define ASK(bits)	(PERF_SAMPLE_BRANCH_##bits)
#define ANY_USER	(ASK(ANY) | ASK(USER))
#define ANY_BOTH	(ASK(ANY) | ASK(USER) | ASK(KERNEL))
#define STACK_USER	(ASK(CALL_STACK) | ASK(USER))

struct fake {
	struct intel_lbr_raw	raw[DEPTH];
	u64			tos;
	u64			select;
	u64			debugctl;
	u64			ctl;
	u64			depth;
	unsigned int		writes;
	struct x86_cpu		cpu;
	struct x86_extra_set	extra;
	struct intel_lbr	lbr_before;
	struct intel_lbr_cpu	cpu_before;
};

static u64 *find(struct kunit *test, struct fake *f, u32 address)
{
	if (address == MSR_IA32_DEBUGCTLMSR)
		return &f->debugctl;
	if (intel_lbr.arch && address == MSR_ARCH_LBR_CTL)
		return &f->ctl;
	if (!intel_lbr.arch && address == MSR_LBR_SELECT)
		return &f->select;
	if (intel_lbr.tos && address == intel_lbr.tos)
		return &f->tos;
	if (address - intel_lbr.from < intel_lbr.depth)
		return &f->raw[address - intel_lbr.from].from;
	if (address - intel_lbr.to < intel_lbr.depth)
		return &f->raw[address - intel_lbr.to].to;
	if (intel_lbr.info && address - intel_lbr.info < intel_lbr.depth)
		return &f->raw[address - intel_lbr.info].info;
	KUNIT_FAIL(test, "access of %x", address);
	return &f->debugctl;
}

static void fake_write(u32 address, u64 value)
{
	struct kunit *test = kunit_get_current_test();
	struct fake *f = test->priv;

	f->writes++;
	if (intel_lbr.arch && address == MSR_ARCH_LBR_DEPTH) {
		KUNIT_EXPECT_EQ(test, value, intel_lbr.depth);
		memset(f->raw, 0, sizeof(f->raw));
		f->depth = value;
		return;
	}
	*find(test, f, address) = value;
}

static u64 fake_read(u32 address)
{
	struct kunit *test = kunit_get_current_test();

	return *find(test, test->priv, address);
}

static bool records(const struct fake *f)
{
	return intel_lbr.arch ? f->ctl & ARCH_LBR_CTL_LBREN : f->debugctl & DEBUGCTLMSR_LBR;
}

/* A branch in user space. The architectural recorder moves all others. */
static void record(struct fake *f, u64 from)
{
	if (!records(f))
		return;
	if (intel_lbr.arch) {
		memmove(f->raw + 1, f->raw, (intel_lbr.depth - 1) * sizeof(f->raw[0]));
		f->raw[0] = (struct intel_lbr_raw) { from, from, 1 };
		return;
	}
	f->tos = (f->tos + 1) & (intel_lbr.depth - 1);
	f->raw[f->tos] = (struct intel_lbr_raw) { from, from, 1 };
}

/* A return with a call stack. What it removes may still be in the registers. */
static void undo(struct fake *f)
{
	if (records(f) && !intel_lbr.arch && f->select & BIT(9))
		f->tos = (f->tos - 1) & (intel_lbr.depth - 1);
}

static unsigned int writes_since(struct fake *f)
{
	unsigned int writes = f->writes;

	f->writes = 0;
	return writes;
}

static void begin(struct fake *f, const struct x86_model *model, unsigned int format)
{
	const struct intel_lbr_leaf leaf = { .eax = 0x0f, .ebx = 7, .ecx = 7 };

	if (model) {
		intel_lbr_facts_find(&intel_lbr, model);
		intel_lbr_facts_format(&intel_lbr, format, true);
	} else {
		intel_lbr_arch_describe(&intel_lbr, &leaf);
		intel_lbr.status_freeze = true;
	}
	memset(&f->cpu, 0, sizeof(f->cpu));
	memset(&f->extra, 0, sizeof(f->extra));
	raw_spin_lock_init(&f->extra.lock);
	f->cpu.extra = &f->extra;
	f->debugctl = OTHER_BITS;
	*this_cpu_ptr(&intel_lbr_cpu) = (struct intel_lbr_cpu) { };
	intel_lbr_start_cpu();
	writes_since(f);
}

static void enable(struct fake *f)
{
	f->cpu.branches = true;
	intel_lbr_start(&f->cpu);
}

static struct perf_event *new_event(struct kunit *test, u64 asked)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_EQ(test, 0, intel_lbr_facts_select(&intel_lbr, asked,
							&event->hw.branch_reg.config));
	return event;
}

static void add(struct kunit *test, struct perf_event *event)
{
	struct fake *f = test->priv;

	KUNIT_ASSERT_EQ(test, 0, intel_lbr_get(&f->cpu, event));
}

static int lbr_cpu_init(struct kunit *test)
{
	struct fake *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	kunit_activate_static_stub(test, x86_regs_write, fake_write);
	kunit_activate_static_stub(test, intel_lbr_read_register, fake_read);
	return 0;
}

/* No event of the machine records branches while the tests run at boot. */
static void hold_cpu(struct kunit *test)
{
	struct fake *f = test->priv;

	migrate_disable();
	f->lbr_before = intel_lbr;
	f->cpu_before = *this_cpu_ptr(&intel_lbr_cpu);
}

static void leave_cpu(struct kunit *test)
{
	struct fake *f = test->priv;

	*this_cpu_ptr(&intel_lbr_cpu) = f->cpu_before;
	intel_lbr = f->lbr_before;
	migrate_enable();
}

static void run_stop(struct kunit *test)
{
	struct fake *f = test->priv;
	struct perf_event *user, *both;

	hold_cpu(test);
	begin(f, &x86_model_haswell, INTEL_LBR_FLAGS_TSX);
	user = new_event(test, ANY_USER);
	both = new_event(test, ANY_BOTH);
	add(test, user);
	enable(f);
	KUNIT_EXPECT_EQ(test, f->select, 0x001);
	KUNIT_EXPECT_EQ(test, f->debugctl, OTHER_BITS | DEBUGCTLMSR_LBR |
			DEBUGCTLMSR_FREEZE_LBRS_ON_PMI);
	KUNIT_EXPECT_EQ(test, writes_since(f), 3);
	/* It stands still in the kernel, and stays on. */
	intel_lbr_stop(&f->cpu);
	KUNIT_EXPECT_TRUE(test, records(f));
	enable(f);
	KUNIT_EXPECT_EQ(test, writes_since(f), 0);
	KUNIT_EXPECT_EQ(test, intel_lbr_get(&f->cpu, both), -EBUSY);
	intel_lbr_put(&f->cpu, user);
	add(test, both);
	enable(f);
	KUNIT_EXPECT_EQ(test, f->select, 0x000);
	writes_since(f);
	intel_lbr_stop(&f->cpu);
	KUNIT_EXPECT_EQ(test, f->debugctl, OTHER_BITS);
	enable(f);
	KUNIT_EXPECT_EQ(test, writes_since(f), 2);
	intel_lbr_put(&f->cpu, both);
	enable(f);
	KUNIT_EXPECT_EQ(test, f->debugctl, OTHER_BITS);
	KUNIT_EXPECT_FALSE(test, f->cpu.branches);
	leave_cpu(test);
}

/* An interrupt before version 4 clears the bit that lets it record. */
static void interrupt(struct kunit *test)
{
	struct fake *f = test->priv;
	struct perf_event *event;

	hold_cpu(test);
	begin(f, &x86_model_haswell, INTEL_LBR_FLAGS_TSX);
	event = new_event(test, ANY_USER);
	add(test, event);
	enable(f);
	f->debugctl &= ~DEBUGCTLMSR_LBR;
	intel_lbr_thaw();
	KUNIT_EXPECT_TRUE(test, records(f));
	/* The interrupted code writes a value that it has read before. */
	f->debugctl &= ~DEBUGCTLMSR_LBR;
	enable(f);
	KUNIT_EXPECT_TRUE(test, records(f));
	intel_lbr_put(&f->cpu, event);
	enable(f);
	intel_lbr_thaw();
	KUNIT_EXPECT_FALSE(test, records(f));
	/* A call stack is not frozen. */
	event = new_event(test, STACK_USER);
	add(test, event);
	enable(f);
	KUNIT_EXPECT_EQ(test, f->debugctl, OTHER_BITS | DEBUGCTLMSR_LBR);
	writes_since(f);
	intel_lbr_freeze();
	intel_lbr_thaw();
	KUNIT_EXPECT_EQ(test, writes_since(f), 0);
	intel_lbr_put(&f->cpu, event);
	add(test, new_event(test, STACK_USER | ASK(KERNEL)));
	enable(f);
	intel_lbr_freeze();
	KUNIT_EXPECT_FALSE(test, records(f));
	intel_lbr_thaw();
	KUNIT_EXPECT_TRUE(test, records(f));
	leave_cpu(test);
}

static unsigned int read_all(struct fake *f, struct intel_lbr_raw *raw)
{
	u64 tos;

	return intel_lbr_read_all(raw, &tos, true);
}

static void clearing(struct kunit *test)
{
	struct fake *f = test->priv;
	struct intel_lbr_raw raw[DEPTH];
	unsigned int i;

	hold_cpu(test);
	begin(f, &x86_model_skylake, INTEL_LBR_INFO_TSX);
	add(test, new_event(test, ANY_USER));
	enable(f);
	KUNIT_EXPECT_EQ(test, read_all(f, raw), 0);
	for (i = 1; i <= 40; i++) {
		record(f, i);
		KUNIT_EXPECT_EQ(test, read_all(f, raw), min(i, 32U));
		KUNIT_EXPECT_EQ(test, raw[0].from, i);
	}
	writes_since(f);
	intel_lbr_task_switch(NULL, false);
	intel_lbr_task_switch(NULL, true);
	enable(f);
	KUNIT_EXPECT_EQ(test, writes_since(f), 1);
	KUNIT_EXPECT_EQ(test, read_all(f, raw), 0);
	record(f, 99);
	KUNIT_EXPECT_EQ(test, read_all(f, raw), 1);
	leave_cpu(test);
}

static bool contains(const struct fake *f, u64 from)
{
	unsigned int i;

	for (i = 0; i < DEPTH; i++) {
		if (f->raw[i].from == from)
			return true;
	}
	return false;
}

/* The task of the events is switched out with them, and comes back. */
static void away(struct fake *f, struct perf_event_pmu_context *ctx, struct perf_event *event)
{
	intel_lbr_task_switch(ctx, false);
	intel_lbr_put(&f->cpu, event);
	enable(f);
}

static void back(struct kunit *test, struct perf_event_pmu_context *ctx,
		 struct perf_event *event)
{
	add(test, event);
	intel_lbr_task_switch(ctx, true);
	enable(test->priv);
}

static void stacks(struct kunit *test, const struct x86_model *model, unsigned int format)
{
	struct fake *f = test->priv;
	struct intel_lbr_task *tasks = kunit_kcalloc(test, 2, sizeof(*tasks), GFP_KERNEL);
	struct perf_event_pmu_context a = { &tasks[0] }, b = { &tasks[1] };
	struct intel_lbr_raw raw[DEPTH];
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, tasks);
	hold_cpu(test);
	begin(f, model, format);
	event = new_event(test, STACK_USER);
	back(test, &a, event);
	record(f, 0xa1);
	record(f, 0xa2);
	away(f, &a, event);
	/* Nothing has changed the registers. */
	writes_since(f);
	back(test, &a, event);
	KUNIT_EXPECT_LE(test, writes_since(f), 1);
	KUNIT_EXPECT_EQ(test, read_all(f, raw), 2);
	away(f, &a, event);
	back(test, &b, event);
	KUNIT_EXPECT_EQ(test, read_all(f, raw), 0);
	KUNIT_EXPECT_FALSE(test, contains(f, 0xa1));
	KUNIT_EXPECT_FALSE(test, contains(f, 0xa2));
	record(f, 0xb1);
	away(f, &b, event);
	back(test, &a, event);
	KUNIT_EXPECT_EQ(test, read_all(f, raw), 2);
	KUNIT_EXPECT_EQ(test, raw[0].from, 0xa2);
	KUNIT_EXPECT_EQ(test, raw[1].from, 0xa1);
	KUNIT_EXPECT_EQ(test, raw[1].to, 0xa1);
	KUNIT_EXPECT_EQ(test, raw[1].info, !!intel_lbr.info);
	KUNIT_EXPECT_FALSE(test, contains(f, 0xb1));
	/* A deep sleep clears the registers. */
	intel_lbr.forgetful = true;
	away(f, &a, event);
	memset(f->raw, 0, sizeof(f->raw));
	back(test, &a, event);
	KUNIT_EXPECT_EQ(test, read_all(f, raw), 2);
	leave_cpu(test);
}

static void stacks_haswell(struct kunit *test)
{
	stacks(test, &x86_model_haswell, INTEL_LBR_FLAGS_TSX);
}

static void stacks_skylake(struct kunit *test)
{
	stacks(test, &x86_model_skylake, INTEL_LBR_INFO_TSX);
}

static void stacks_arch(struct kunit *test)
{
	stacks(test, NULL, 0);
}

/* Whatever a guest may read is 0. */
static bool is_empty(const struct fake *f)
{
	unsigned int i;

	for (i = 0; i < intel_lbr.depth; i++) {
		if (f->raw[i].from | f->raw[i].to | f->raw[i].info)
			return false;
	}
	return !f->tos && !f->select && !records(f);
}

/* What a guest does: it may write anything, also a hole. */
static void guest_writes(struct fake *f, u64 tag)
{
	unsigned int i;

	for (i = 0; i < intel_lbr.depth; i++)
		f->raw[i] = (struct intel_lbr_raw) { tag + i, tag + 2 * i, 1 + i };
	f->raw[5].from = 0;
	f->tos = 7;
	f->select = 0x1c4;
}

/* A guest has the recorder while KVM's event is scheduled in. */
static void lent(struct kunit *test)
{
	struct fake *f = test->priv;
	struct intel_lbr_task *tasks = kunit_kcalloc(test, 2, sizeof(*tasks), GFP_KERNEL);
	struct perf_event_pmu_context a = { &tasks[0] }, b = { &tasks[1] };
	struct intel_lbr_raw *raw = kunit_kcalloc(test, DEPTH, sizeof(*raw), GFP_KERNEL);
	struct perf_event *guest, *host;

	KUNIT_ASSERT_NOT_NULL(test, tasks);
	KUNIT_ASSERT_NOT_NULL(test, raw);
	hold_cpu(test);
	begin(f, &x86_model_skylake, INTEL_LBR_INFO_TSX);
	guest = new_event(test, STACK_USER);
	guest->hw.flags = X86_EVENT_LENT;
	host = new_event(test, ANY_USER);
	add(test, host);
	enable(f);
	record(f, 0xb1);
	KUNIT_EXPECT_EQ(test, intel_lbr_get(&f->cpu, guest), -EBUSY);
	intel_lbr_put(&f->cpu, host);
	enable(f);
	back(test, &a, guest);
	KUNIT_EXPECT_TRUE(test, is_empty(f));
	KUNIT_EXPECT_EQ(test, intel_lbr_get(&f->cpu, host), -EBUSY);
	/* The host changes nothing while it is lent. */
	guest_writes(f, 0xa000);
	memcpy(raw, f->raw, sizeof(f->raw));
	intel_lbr_stop(&f->cpu);
	enable(f);
	KUNIT_EXPECT_FALSE(test, records(f));
	KUNIT_EXPECT_EQ(test, memcmp(raw, f->raw, sizeof(f->raw)), 0);
	away(f, &a, guest);
	back(test, &b, guest);
	KUNIT_EXPECT_TRUE(test, is_empty(f));
	guest_writes(f, 0xb000);
	away(f, &b, guest);
	back(test, &a, guest);
	KUNIT_EXPECT_EQ(test, memcmp(raw, f->raw, sizeof(f->raw)), 0);
	KUNIT_EXPECT_EQ(test, f->tos, 7);
	KUNIT_EXPECT_EQ(test, f->select, 0x1c4);
	away(f, &a, guest);
	/* Events of KVM's task itself. */
	host = new_event(test, STACK_USER);
	back(test, &a, host);
	KUNIT_EXPECT_EQ(test, read_all(f, raw), 0);
	KUNIT_EXPECT_EQ(test, f->select, host->hw.branch_reg.config);
	record(f, 0xb1);
	away(f, &a, host);
	back(test, &a, guest);
	KUNIT_EXPECT_TRUE(test, is_empty(f));
	/* The next event has the filter that the host had last. */
	guest_writes(f, 0xa000);
	intel_lbr_put(&f->cpu, guest);
	add(test, host);
	enable(f);
	KUNIT_EXPECT_EQ(test, read_all(f, raw), 0);
	leave_cpu(test);
}

#define TASKS	4
#define ROUNDS	20000

/**
 * struct play - tasks that are switched, and events that come and go
 * @f: the recorder
 * @rnd: random numbers
 * @events: with different filters
 * @nr_events: how many there are
 * @event: the one that is scheduled in, or NULL
 * @ctx: of each task; two tasks have no data
 * @task: the task that runs
 */
struct play {
	struct fake			*f;
	struct rnd_state		rnd;
	struct perf_event		*events[3];
	unsigned int			nr_events;
	struct perf_event		*event;
	struct perf_event_pmu_context	ctx[TASKS];
	unsigned int			task;
};

static unsigned int below(struct play *p, unsigned int end)
{
	return prandom_u32_state(&p->rnd) % end;
}

static void remove_event(struct play *p)
{
	if (p->event)
		intel_lbr_put(&p->f->cpu, p->event);
	p->event = NULL;
}

static void choose_event(struct kunit *test, struct play *p)
{
	remove_event(p);
	if (!below(p, 4))
		return;
	p->event = p->events[below(p, p->nr_events)];
	add(test, p->event);
}

/*
 * As in the core: the driver is told before events of the old task are
 * scheduled out, and after events of the new task were scheduled in.
 */
static void switch_task(struct kunit *test, struct play *p)
{
	bool change = below(p, 2);

	intel_lbr_stop(&p->f->cpu);
	if (p->event)
		intel_lbr_task_switch(&p->ctx[p->task], false);
	if (below(p, 2))
		enable(p->f);
	intel_lbr_stop(&p->f->cpu);
	if (change)
		remove_event(p);
	if (below(p, 2))
		enable(p->f);
	p->task = below(p, TASKS);
	intel_lbr_stop(&p->f->cpu);
	if (change)
		choose_event(test, p);
	if (p->event)
		intel_lbr_task_switch(&p->ctx[p->task], true);
	enable(p->f);
}

static void step(struct kunit *test, struct play *p)
{
	switch (below(p, 8)) {
	case 0:
		switch_task(test, p);
		break;
	case 1:
		intel_lbr_stop(&p->f->cpu);
		choose_event(test, p);
		enable(p->f);
		break;
	case 2:
		undo(p->f);
		break;
	default:
		record(p->f, (u64)(p->task + 1) << TAG_SHIFT | (1 + below(p, 1000)));
	}
}

/* What an event reads is what the task that runs has done. */
static void check(struct kunit *test, struct play *p)
{
	struct intel_lbr_raw raw[DEPTH];
	unsigned int i, nr;

	if (!p->event)
		return;
	nr = read_all(p->f, raw);
	for (i = 0; i < nr; i++) {
		if (raw[i].from >> TAG_SHIFT == p->task + 1)
			continue;
		KUNIT_FAIL(test, "task %u sees branch %u of task %llu", p->task, i,
			   (raw[i].from >> TAG_SHIFT) - 1);
		return;
	}
}

static void play(struct kunit *test, const struct x86_model *model, unsigned int format)
{
	struct play *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	struct intel_lbr_task *tasks = kunit_kcalloc(test, TASKS, sizeof(*tasks), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_NOT_NULL(test, tasks);
	hold_cpu(test);
	p->f = test->priv;
	prandom_seed_state(&p->rnd, 1);
	begin(p->f, model, format);
	/* What the firmware has left there. */
	for (i = 0; i < intel_lbr.depth; i++)
		p->f->raw[i] = (struct intel_lbr_raw) { 99ULL << TAG_SHIFT, 1, 1 };
	p->events[p->nr_events++] = new_event(test, ANY_USER);
	p->events[p->nr_events++] = new_event(test, ANY_BOTH);
	if (intel_lbr.call_stack)
		p->events[p->nr_events++] = new_event(test, STACK_USER);
	for (i = 0; i < TASKS / 2; i++)
		p->ctx[i].task_ctx_data = &tasks[i];
	for (i = 0; i < ROUNDS; i++) {
		step(test, p);
		check(test, p);
	}
	leave_cpu(test);
}

static void secrets(struct kunit *test)
{
	play(test, &x86_model_core2, INTEL_LBR_EIP);
	play(test, &x86_model_nehalem, INTEL_LBR_FLAGS);
	play(test, &x86_model_haswell, INTEL_LBR_FLAGS_TSX);
	play(test, &x86_model_skylake, INTEL_LBR_INFO_TSX);
	play(test, NULL, 0);
}

/* A resume resets the depth of the architectural recorder, for any event. */
static void resume(struct kunit *test)
{
	struct fake *f = test->priv;

	hold_cpu(test);
	begin(f, NULL, 0);
	f->depth = 8;
	intel_lbr_forget(&f->cpu);
	KUNIT_EXPECT_EQ(test, f->depth, intel_lbr.depth);
	begin(f, &x86_model_skylake, INTEL_LBR_INFO_TSX);
	intel_lbr_forget(&f->cpu);
	KUNIT_EXPECT_EQ(test, writes_since(f), 0);
	leave_cpu(test);
}

/* How many branches there are after a pause in which counters may change. */
static unsigned int branches_after(struct fake *f, struct perf_event *first,
				   struct perf_event *second)
{
	struct intel_lbr_raw raw[DEPTH];

	record(f, 0xa1);
	intel_lbr_stop(&f->cpu);
	f->cpu.on[0] = first;
	f->cpu.on[1] = second;
	enable(f);
	return read_all(f, raw);
}

/*
 * The branches have counts of the events that counters had. They are cleared
 * when such a counter gets another event, but not without need.
 */
static void counted(struct kunit *test)
{
	struct fake *f = test->priv;
	struct perf_event *a, *b, *plain;

	hold_cpu(test);
	begin(f, NULL, 0);
	intel_lbr.counters = 0xf;
	a = new_event(test, ANY_USER);
	b = new_event(test, ANY_USER);
	plain = new_event(test, ANY_USER);
	a->id = 1;
	b->id = 2;
	plain->id = 3;
	a->hw.flags = X86_EVENT_PER_BRANCH;
	b->hw.flags = X86_EVENT_PER_BRANCH;
	add(test, plain);
	enable(f);
	KUNIT_EXPECT_EQ(test, branches_after(f, a, plain), 0);
	KUNIT_EXPECT_EQ(test, branches_after(f, a, plain), 1);
	/* A sibling was closed, and comes back to its counter. */
	KUNIT_EXPECT_EQ(test, branches_after(f, NULL, plain), 2);
	KUNIT_EXPECT_EQ(test, branches_after(f, plain, NULL), 3);
	KUNIT_EXPECT_EQ(test, branches_after(f, a, NULL), 4);
	/* A sibling was closed, and its counter goes to the next one. */
	KUNIT_EXPECT_EQ(test, branches_after(f, NULL, NULL), 5);
	KUNIT_EXPECT_EQ(test, branches_after(f, b, NULL), 0);
	KUNIT_EXPECT_EQ(test, branches_after(f, b, a), 0);
	KUNIT_EXPECT_EQ(test, branches_after(f, a, b), 0);
	KUNIT_EXPECT_EQ(test, branches_after(f, a, b), 1);
	leave_cpu(test);
}

static struct kunit_case lbr_cpu_cases[] = {
	KUNIT_CASE(run_stop),
	KUNIT_CASE(interrupt),
	KUNIT_CASE(clearing),
	KUNIT_CASE(stacks_haswell),
	KUNIT_CASE(stacks_skylake),
	KUNIT_CASE(stacks_arch),
	KUNIT_CASE(secrets),
	KUNIT_CASE(resume),
	KUNIT_CASE(counted),
	KUNIT_CASE(lent),
	{}
};

static struct kunit_suite lbr_cpu_suite = {
	.name		= "x86_lbr_cpu",
	.init		= lbr_cpu_init,
	.test_cases	= lbr_cpu_cases,
};

kunit_test_suite(lbr_cpu_suite);
