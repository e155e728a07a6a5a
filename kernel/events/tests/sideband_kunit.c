// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room sideband: each kind of record reaches an event that asks
 * for it, and none that does not; its bytes are those of the ABI.
 *
 * The event is listed on the CPU of the test, which does not migrate. The rest
 * of the system runs meanwhile, so that records of other tasks may come in
 * between: the tests look for their own.
 */

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../sample.h"
#include "../sideband.h"
#include "record_fake.h"

/* Lists the event; its attribute is set already. */
static void test_listen(struct record_fake *fake)
{
	struct perf_event *event = &fake->event;

	migrate_disable();
	event->attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER;
	event->attr.sample_id_all = 1;
	perf_sample_compile(event);
	event->cpu = raw_smp_processor_id();
	event->state = PERF_EVENT_STATE_INACTIVE;
	perf_side_account(event);
}

static void test_unlisten(struct record_fake *fake)
{
	perf_side_unaccount(&fake->event);
	migrate_enable();
	synchronize_rcu();
}

/*
 * Finds the next record of @type whose first word is @first. Every record has
 * to end with the identity and to consist of whole words.
 */
static u64 *test_find(struct kunit *test, u32 type, u64 first)
{
	struct record_fake *fake = test->priv;
	const struct perf_event_header *header;

	while ((header = fake_take(fake))) {
		unsigned int words = header->size / sizeof(u64);

		KUNIT_EXPECT_TRUE(test, IS_ALIGNED(header->size, sizeof(u64)));
		KUNIT_ASSERT_GE(test, words, 3);
		KUNIT_EXPECT_EQ(test, fake->record[words - 2], FAKE_TIME);
		KUNIT_EXPECT_EQ(test, fake->record[words - 1], FAKE_ID);
		if (header->type == type && fake->record[1] == first)
			return fake->record;
	}
	return NULL;
}

static u64 test_pair(u32 first, u32 second)
{
	u32 pair[2] = { first, second };
	u64 word;

	memcpy(&word, pair, sizeof(word));
	return word;
}

static u64 test_me(void)
{
	return test_pair(task_tgid_nr(current), task_pid_nr(current));
}

static void comm(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event_header *header;
	u64 *record;

	fake->event.attr.comm = 1;
	test_listen(fake);
	perf_event_comm(current, true);
	test_unlisten(fake);
	perf_event_comm(current, false);

	record = test_find(test, PERF_RECORD_COMM, test_me());
	KUNIT_ASSERT_NOT_NULL(test, record);
	header = (void *)record;
	KUNIT_EXPECT_EQ(test, header->misc, PERF_RECORD_MISC_COMM_EXEC);
	KUNIT_EXPECT_STREQ(test, (char *)&record[2], current->comm);
	KUNIT_EXPECT_NULL(test, test_find(test, PERF_RECORD_COMM, test_me()));
}

static void task(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	u64 pids = test_pair(task_tgid_nr(current), task_tgid_nr(current));
	u64 *record;

	fake->event.attr.task = 1;
	test_listen(fake);
	perf_side_task(current, true, NULL);
	perf_side_task(current, false, NULL);
	test_unlisten(fake);

	record = test_find(test, PERF_RECORD_FORK, pids);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record[2], test_pair(task_pid_nr(current),
						   task_pid_nr(current)));
	KUNIT_EXPECT_EQ(test, record[3], FAKE_TIME);

	pids = test_pair(task_tgid_nr(current), task_ppid_nr(current));
	record = test_find(test, PERF_RECORD_EXIT, pids);
	KUNIT_EXPECT_NOT_NULL(test, record);
}

/* When a context exits, its own events get the record; the CPU's do not. */
static void exiting_context(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event_context *other;
	u64 pids = test_pair(task_tgid_nr(current), task_ppid_nr(current));

	other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	INIT_LIST_HEAD(&other->event_list);

	fake->event.attr.task = 1;
	test_listen(fake);
	perf_side_task(current, false, other);
	KUNIT_EXPECT_NULL(test, test_find(test, PERF_RECORD_EXIT, pids));
	list_add_rcu(&fake->event.event_entry, &other->event_list);
	perf_side_task(current, false, other);
	list_del_rcu(&fake->event.event_entry);
	test_unlisten(fake);

	KUNIT_EXPECT_NOT_NULL(test, test_find(test, PERF_RECORD_EXIT, pids));
}

static void namespaces(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_ns_link_info *link;
	u64 *record;

	fake->event.attr.namespaces = 1;
	test_listen(fake);
	perf_event_namespaces(current);
	test_unlisten(fake);

	record = test_find(test, PERF_RECORD_NAMESPACES, test_me());
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record[2], NR_NAMESPACES);
	link = (void *)&record[3];
	KUNIT_EXPECT_NE(test, link[MNT_NS_INDEX].ino, 0);
}

/* Only CPU-wide events get the ids of the other task. */
static void task_switch(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	u64 *record;

	fake->event.attr.context_switch = 1;
	test_listen(fake);
	KUNIT_EXPECT_TRUE(test, perf_side_wants_switch());
	preempt_disable();
	perf_side_switch(current, current, false);
	fake->ctx.task = current;
	perf_side_switch(current, current, true);
	fake->ctx.task = NULL;
	preempt_enable();
	test_unlisten(fake);

	record = test_find(test, PERF_RECORD_SWITCH_CPU_WIDE, test_me());
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_TRUE(test, ((struct perf_event_header *)record)->misc &
			  PERF_RECORD_MISC_SWITCH_OUT);
	record = test_find(test, PERF_RECORD_SWITCH, FAKE_TIME);
	KUNIT_EXPECT_NOT_NULL(test, record);
}

static void ksymbol(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	u64 *record;

	fake->event.attr.ksymbol = 1;
	test_listen(fake);
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, 0xfeed, 16, true,
			   "of_eight");
	test_unlisten(fake);

	record = test_find(test, PERF_RECORD_KSYMBOL, 0xfeed);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, ((u32 *)record)[4], 16);
	KUNIT_EXPECT_EQ(test, ((u16 *)record)[10],
			PERF_RECORD_KSYMBOL_TYPE_OOL);
	KUNIT_EXPECT_EQ(test, ((u16 *)record)[11],
			PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	KUNIT_EXPECT_STREQ(test, (char *)&record[3], "of_eight");
	/* The zero that ends the name takes a word more, filled with zeros. */
	KUNIT_EXPECT_EQ(test, record[4], 0);
	KUNIT_EXPECT_EQ(test, ((struct perf_event_header *)record)->size, 56);
}

static void bpf_program(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct bpf_prog_aux *aux;
	struct bpf_prog *prog;
	u64 *record;

	prog = kunit_kzalloc(test, sizeof(*prog), GFP_KERNEL);
	aux = kunit_kzalloc(test, sizeof(*aux), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_ASSERT_NOT_NULL(test, aux);
	prog->aux = aux;
	aux->id = 42;
	memset(prog->tag, 0x3c, sizeof(prog->tag));

	fake->event.attr.bpf_event = 1;
	test_listen(fake);
	perf_event_bpf_event(prog, PERF_BPF_EVENT_UNKNOWN, 0);
	perf_event_bpf_event(prog, PERF_BPF_EVENT_PROG_LOAD, 0);
	test_unlisten(fake);

	KUNIT_ASSERT_NOT_NULL(test, fake_take(fake));
	record = fake->record;
	KUNIT_EXPECT_EQ(test, ((struct perf_event_header *)record)->type,
			PERF_RECORD_BPF_EVENT);
	KUNIT_EXPECT_EQ(test, ((u16 *)record)[4], PERF_BPF_EVENT_PROG_LOAD);
	KUNIT_EXPECT_EQ(test, ((u32 *)record)[3], 42);
	KUNIT_EXPECT_EQ(test, record[2], 0x3c3c3c3c3c3c3c3cULL);
}

static void text_poke_record(struct kunit *test)
{
	static const u8 code[] = { 1, 2, 3, 4, 5, 6, 7 };
	struct record_fake *fake = test->priv;
	u64 *record;

	fake->event.attr.text_poke = 1;
	test_listen(fake);
	perf_event_text_poke(code, code, 5, code, sizeof(code));
	test_unlisten(fake);

	record = test_find(test, PERF_RECORD_TEXT_POKE, (unsigned long)code);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, ((u16 *)record)[8], 5);
	KUNIT_EXPECT_EQ(test, ((u16 *)record)[9], sizeof(code));
	KUNIT_EXPECT_MEMEQ(test, (u8 *)record + 20, code, 5);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)record + 25, code, sizeof(code));
	KUNIT_EXPECT_EQ(test, ((struct perf_event_header *)record)->size, 48);
}

/* Anonymous memory: a record of code in either form; data is not asked for. */
static void mapping(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct vm_area_struct *vma;
	struct mm_struct *mm;
	u64 *record;

	mm = kunit_kzalloc(test, sizeof(*mm), GFP_KERNEL);
	vma = kunit_kzalloc(test, sizeof(*vma), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mm);
	KUNIT_ASSERT_NOT_NULL(test, vma);
	vma->vm_mm = mm;
	vma->vm_start = 0x10000;
	vma->vm_end = 0x13000;
	vma->vm_pgoff = 5;
	vm_flags_init(vma, VM_READ | VM_EXEC);

	fake->event.attr.mmap = 1;
	test_listen(fake);
	perf_event_mmap(vma);
	fake->event.attr.mmap2 = 1;
	perf_event_mmap(vma);
	vm_flags_init(vma, VM_READ);
	perf_event_mmap(vma);
	test_unlisten(fake);

	record = test_find(test, PERF_RECORD_MMAP, test_me());
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record[2], 0x10000);
	KUNIT_EXPECT_EQ(test, record[3], 0x3000);
	KUNIT_EXPECT_EQ(test, record[4], 5 * PAGE_SIZE);
	KUNIT_EXPECT_STREQ(test, (char *)&record[5], "//anon");

	record = test_find(test, PERF_RECORD_MMAP2, test_me());
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record[8], test_pair(5, 2));
	KUNIT_EXPECT_STREQ(test, (char *)&record[9], "//anon");
	KUNIT_EXPECT_NULL(test, test_find(test, PERF_RECORD_MMAP2, test_me()));
}

/* Records about the event itself do not need it to be listed. */
static void single_event(struct kunit *test)
{
	const struct perf_event_header *header;
	struct record_fake *fake = test->priv;
	u64 *record;

	fake->event.attr.sample_type = PERF_SAMPLE_TIME |
		PERF_SAMPLE_IDENTIFIER;
	fake->event.attr.sample_id_all = 1;
	perf_sample_compile(&fake->event);

	perf_side_throttle(&fake->event, true);
	perf_side_throttle(&fake->event, true);
	perf_side_throttle(&fake->event, false);
	perf_log_lost_samples(&fake->event, 12);
	scoped_guard(irq) {
		perf_report_aux_output_id(&fake->event, 13);
		perf_side_itrace_start(&fake->event);
		fake->pmu.capabilities = PERF_PMU_CAP_ITRACE;
		perf_side_itrace_start(&fake->event);
		perf_event_itrace_started(&fake->event);
		perf_side_itrace_start(&fake->event);
	}

	record = test_find(test, PERF_RECORD_THROTTLE, FAKE_TIME);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record[2], FAKE_ID);
	KUNIT_EXPECT_EQ(test, record[3], FAKE_ID);
	header = fake_take(fake);
	KUNIT_ASSERT_NOT_NULL(test, header);
	KUNIT_EXPECT_EQ(test, header->type, PERF_RECORD_UNTHROTTLE);
	KUNIT_EXPECT_NOT_NULL(test, test_find(test, PERF_RECORD_LOST_SAMPLES,
					      12));
	KUNIT_EXPECT_NOT_NULL(test, test_find(test,
					      PERF_RECORD_AUX_OUTPUT_HW_ID,
					      13));
	KUNIT_EXPECT_NOT_NULL(test, test_find(test, PERF_RECORD_ITRACE_START,
					      test_me()));
	KUNIT_EXPECT_NULL(test, fake_take(fake));
}

/* An event gets no records before it has a context, or while it is disabled. */
static void not_ready(struct kunit *test)
{
	struct record_fake *fake = test->priv;

	fake->event.attr.comm = 1;
	test_listen(fake);
	fake->event.ctx = NULL;
	perf_event_comm(current, false);
	fake->event.ctx = &fake->ctx;
	fake->event.state = PERF_EVENT_STATE_OFF;
	perf_event_comm(current, false);
	test_unlisten(fake);

	KUNIT_EXPECT_NULL(test, fake_take(fake));
}

static struct kunit_case sideband_cases[] = {
	KUNIT_CASE(comm),
	KUNIT_CASE(task),
	KUNIT_CASE(exiting_context),
	KUNIT_CASE(namespaces),
	KUNIT_CASE(task_switch),
	KUNIT_CASE(ksymbol),
	KUNIT_CASE(bpf_program),
	KUNIT_CASE(text_poke_record),
	KUNIT_CASE(mapping),
	KUNIT_CASE(single_event),
	KUNIT_CASE(not_ready),
	{ }
};

static struct kunit_suite sideband_suite = {
	.name		= "perf_sideband",
	.init		= fake_init,
	.exit		= fake_exit,
	.test_cases	= sideband_cases,
};

kunit_test_suite(sideband_suite);

MODULE_DESCRIPTION("KUnit tests of perf's side-band records");
MODULE_LICENSE("GPL");
