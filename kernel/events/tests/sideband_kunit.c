// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room sideband: each kind of record reaches an event that
 * requests it, and no other event; its bytes are those of the ABI.
 *
 * The event is listed on the CPU of the test, which does not migrate. The rest
 * of the system runs meanwhile, so that records of other tasks may come in
 * between: the tests look for their own.
 */

#include <linux/bpf.h>
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/elf.h>
#include <linux/file.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/shmem_fs.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../sample.h"
#include "../sideband.h"
#include "../sideband_record.h"
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

static u16 test_misc(const u64 *record)
{
	return ((const struct perf_event_header *)record)->misc;
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
	struct perf_ctx *other;
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
	KUNIT_EXPECT_NE(test, link[MNT_NS_INDEX].dev, 0);
}

/* A fork is reported with the namespaces of the new task. */
static void forked_task(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	u64 pids = test_pair(task_tgid_nr(current), task_tgid_nr(current));

	fake->event.attr.task = 1;
	fake->event.attr.namespaces = 1;
	test_listen(fake);
	perf_event_fork(current);
	test_unlisten(fake);

	KUNIT_EXPECT_NOT_NULL(test, test_find(test, PERF_RECORD_FORK, pids));
	KUNIT_EXPECT_NOT_NULL(test, test_find(test, PERF_RECORD_NAMESPACES,
					      test_me()));
}

/* Only CPU-wide events get the ids of the other task. */
static void task_switch(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	u64 *record;

	fake->event.attr.context_switch = 1;
	test_listen(fake);
	KUNIT_EXPECT_TRUE(test, perf_side_wanted(PERF_SIDE_SWITCH));
	preempt_disable();
	perf_side_switch(current, current, false);
	fake->ctx.pub.task = current;
	perf_side_switch(current, current, true);
	fake->ctx.pub.task = NULL;
	preempt_enable();
	test_unlisten(fake);

	/* Current is runnable, as a task that is preempted. */
	record = test_find(test, PERF_RECORD_SWITCH_CPU_WIDE, test_me());
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, test_misc(record), PERF_RECORD_MISC_SWITCH_OUT |
			PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	record = test_find(test, PERF_RECORD_SWITCH, FAKE_TIME);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, test_misc(record), 0);
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

static struct bpf_prog *test_program(struct kunit *test, unsigned long at)
{
	struct bpf_prog_aux *aux;
	struct bpf_prog *prog;

	prog = kunit_kzalloc(test, sizeof(*prog), GFP_KERNEL);
	aux = kunit_kzalloc(test, sizeof(*aux), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_ASSERT_NOT_NULL(test, aux);
	prog->aux = aux;
	prog->bpf_func = (void *)at;
	prog->jited_len = 64;
	strscpy(aux->ksym.name, "bpf_prog_kunit");
	return prog;
}

static void bpf_program(struct kunit *test)
{
	static const u16 types[] = {
		PERF_BPF_EVENT_PROG_LOAD, PERF_BPF_EVENT_PROG_UNLOAD,
	};
	struct bpf_prog *prog = test_program(test, 0x1000);
	struct record_fake *fake = test->priv;
	u64 *record = fake->record;

	prog->aux->id = 42;
	memset(prog->tag, 0x3c, sizeof(prog->tag));

	fake->event.attr.bpf_event = 1;
	test_listen(fake);
	perf_event_bpf_event(prog, PERF_BPF_EVENT_UNKNOWN, 0);
	for (int i = 0; i < ARRAY_SIZE(types); i++)
		perf_event_bpf_event(prog, types[i], 3);
	test_unlisten(fake);

	for (int i = 0; i < ARRAY_SIZE(types); i++) {
		KUNIT_ASSERT_NOT_NULL(test, fake_take(fake));
		KUNIT_EXPECT_EQ(test, ((struct perf_event_header *)record)->type,
				PERF_RECORD_BPF_EVENT);
		KUNIT_EXPECT_EQ(test, ((u16 *)record)[4], types[i]);
		KUNIT_EXPECT_EQ(test, ((u16 *)record)[5], 3);
		KUNIT_EXPECT_EQ(test, ((u32 *)record)[3], 42);
		KUNIT_EXPECT_EQ(test, record[2], 0x3c3c3c3c3c3c3c3cULL);
	}
	KUNIT_EXPECT_NULL(test, fake_take(fake));
}

static void expect_bpf_symbol(struct kunit *test, u64 addr, u16 flags)
{
	u64 *record = test_find(test, PERF_RECORD_KSYMBOL, addr);

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, ((u32 *)record)[4], 64);
	KUNIT_EXPECT_EQ(test, ((u16 *)record)[10],
			PERF_RECORD_KSYMBOL_TYPE_BPF);
	KUNIT_EXPECT_EQ(test, ((u16 *)record)[11], flags);
	KUNIT_EXPECT_STREQ(test, (char *)&record[3], "bpf_prog_kunit");
}

/* Each function of a program is a symbol, and the first is the program. */
static void bpf_symbols(struct kunit *test)
{
	struct bpf_prog *prog = test_program(test, 0x1000);
	struct bpf_prog *funcs[] = { prog, test_program(test, 0x2000) };
	struct record_fake *fake = test->priv;

	prog->aux->func = funcs;
	prog->aux->func_cnt = ARRAY_SIZE(funcs);

	fake->event.attr.ksymbol = 1;
	test_listen(fake);
	perf_event_bpf_event(prog, PERF_BPF_EVENT_UNKNOWN, 0);
	perf_event_bpf_event(prog, PERF_BPF_EVENT_PROG_LOAD, 0);
	perf_event_bpf_event(prog, PERF_BPF_EVENT_PROG_UNLOAD, 0);
	test_unlisten(fake);

	expect_bpf_symbol(test, 0x1000, 0);
	expect_bpf_symbol(test, 0x2000, 0);
	expect_bpf_symbol(test, 0x1000, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	expect_bpf_symbol(test, 0x2000, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	KUNIT_EXPECT_NULL(test, fake_take(fake));
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

#ifdef CONFIG_CGROUP_PERF
static void cgroup_made(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct cgroup *root = &cgrp_dfl_root.cgrp;
	u64 *record;

	perf_side_cgroup(root);
	fake->event.attr.cgroup = 1;
	test_listen(fake);
	perf_side_cgroup(root);
	test_unlisten(fake);

	record = test_find(test, PERF_RECORD_CGROUP, cgroup_id(root));
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_STREQ(test, (char *)&record[2], "/");
	KUNIT_EXPECT_NULL(test, fake_take(fake));
}
#endif

static struct vm_area_struct *test_vma(struct kunit *test, vm_flags_t flags)
{
	struct vm_area_struct *vma;
	struct mm_struct *mm;

	mm = kunit_kzalloc(test, sizeof(*mm), GFP_KERNEL);
	vma = kunit_kzalloc(test, sizeof(*vma), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mm);
	KUNIT_ASSERT_NOT_NULL(test, vma);
	vma->vm_mm = mm;
	vma->vm_start = 0x10000;
	vma->vm_end = 0x13000;
	vma->vm_pgoff = 5;
	vm_flags_init(vma, flags);
	return vma;
}

/* Anonymous memory: a record of code in either form; data is not asked for. */
static void mapping(struct kunit *test)
{
	struct vm_area_struct *vma = test_vma(test, VM_READ | VM_EXEC);
	struct record_fake *fake = test->priv;
	u64 *record;

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
	KUNIT_EXPECT_EQ(test, test_misc(record), PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, record[2], 0x10000);
	KUNIT_EXPECT_EQ(test, record[3], 0x3000);
	KUNIT_EXPECT_EQ(test, record[4], 5 * PAGE_SIZE);
	KUNIT_EXPECT_STREQ(test, (char *)&record[5], "//anon");

	record = test_find(test, PERF_RECORD_MMAP2, test_me());
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, test_misc(record), PERF_RECORD_MISC_USER);
	for (int word = 5; word < 8; word++)
		KUNIT_EXPECT_EQ(test, record[word], 0);
	KUNIT_EXPECT_EQ(test, record[8], test_pair(PROT_READ | PROT_EXEC,
						   MAP_PRIVATE));
	KUNIT_EXPECT_STREQ(test, (char *)&record[9], "//anon");
	KUNIT_EXPECT_NULL(test, test_find(test, PERF_RECORD_MMAP2, test_me()));
}

/* Reports the mapping, and expects one record of it in the long form. */
static u64 *test_map(struct kunit *test, struct vm_area_struct *vma)
{
	struct record_fake *fake = test->priv;
	u64 *record;

	test_listen(fake);
	perf_event_mmap(vma);
	test_unlisten(fake);
	record = test_find(test, PERF_RECORD_MMAP2, test_me());
	KUNIT_ASSERT_NOT_NULL(test, record);
	return record;
}

/* The long form by itself asks for code, as the short one does. */
static void mapping_long_form_only(struct kunit *test)
{
	struct record_fake *fake = test->priv;

	fake->event.attr.mmap2 = 1;
	test_map(test, test_vma(test, VM_READ | VM_EXEC));
	KUNIT_EXPECT_NULL(test, fake_take(fake));
}

static void mapping_of_data(struct kunit *test)
{
	struct vm_area_struct *vma = test_vma(test, VM_WRITE | VM_MAYSHARE |
					      VM_LOCKED);
	struct record_fake *fake = test->priv;
	u64 *record;

	fake->event.attr.mmap2 = 1;
	fake->event.attr.mmap_data = 1;
	record = test_map(test, vma);
	KUNIT_EXPECT_EQ(test, test_misc(record), PERF_RECORD_MISC_USER |
			PERF_RECORD_MISC_MMAP_DATA);
	KUNIT_EXPECT_EQ(test, record[8], test_pair(PROT_WRITE, MAP_SHARED |
						   MAP_LOCKED));
}

static const char *no_name(struct vm_area_struct *vma)
{
	return NULL;
}

static const char *own_name(struct vm_area_struct *vma)
{
	return "[own]";
}

static void expect_mapping_name(struct kunit *test, struct vm_area_struct *vma,
				const char *name)
{
	KUNIT_EXPECT_STREQ(test, (char *)&test_map(test, vma)[9], name);
}

/* The name is the owner's, or says what the process uses the memory for. */
static void mapping_names(struct kunit *test)
{
	static const struct vm_operations_struct nameless, none = {
		.name = no_name,
	}, own = {
		.name = own_name,
	};
	struct vm_area_struct *vma = test_vma(test, VM_READ | VM_EXEC);
	struct record_fake *fake = test->priv;

	fake->event.attr.mmap2 = 1;
	vma->vm_ops = &nameless;
	expect_mapping_name(test, vma, "//anon");
	vma->vm_ops = &none;
	expect_mapping_name(test, vma, "//anon");
	vma->vm_ops = &own;
	expect_mapping_name(test, vma, "[own]");

	vma->vm_ops = NULL;
	vma->vm_mm->start_stack = vma->vm_start;
	expect_mapping_name(test, vma, "[stack]");
	vma->vm_mm->start_brk = vma->vm_start;
	vma->vm_mm->brk = vma->vm_end;
	expect_mapping_name(test, vma, "[heap]");
}

static void test_fput(void *file)
{
	fput(file);
}

/* A mapping of a file without a name in a folder. */
static struct vm_area_struct *test_file_vma(struct kunit *test)
{
	struct vm_area_struct *vma = test_vma(test, VM_READ | VM_EXEC);

	vma->vm_file = shmem_kernel_file_setup("perf_kunit", PAGE_SIZE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vma->vm_file));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, test_fput,
							   vma->vm_file));
	return vma;
}

static void expect_file(struct kunit *test, u64 *record, struct file *file)
{
	const struct inode *inode = file_inode(file);
	dev_t dev = inode->i_sb->s_dev;

	KUNIT_EXPECT_EQ(test, test_misc(record), PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, record[5], test_pair(MAJOR(dev), MINOR(dev)));
	KUNIT_EXPECT_EQ(test, record[6], inode->i_ino);
	KUNIT_EXPECT_EQ(test, record[7], inode->i_generation);
	KUNIT_EXPECT_STREQ(test, (char *)&record[9], "/perf_kunit (deleted)");
}

static void mapping_of_a_file(struct kunit *test)
{
	struct vm_area_struct *vma = test_file_vma(test);
	struct record_fake *fake = test->priv;

	/* So that an inode number that is left out differs. */
	file_inode(vma->vm_file)->i_generation = 77;
	fake->event.attr.mmap2 = 1;
	KUNIT_EXPECT_NE(test, file_inode(vma->vm_file)->i_ino, 0);
	expect_file(test, test_map(test, vma), vma->vm_file);

	/* The file has no build id to show instead. */
	fake->event.attr.build_id = 1;
	expect_file(test, test_map(test, vma), vma->vm_file);
}

/* The smallest program with a build id. */
struct test_elf {
	struct elf64_hdr	ehdr;
	struct elf64_phdr	phdr;
	struct elf64_note	nhdr;
	char			owner[4];
	u8			id[8];
	u8			end[8];
};

static void test_write_elf(struct kunit *test, struct file *file)
{
	struct test_elf elf = {
		.ehdr = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 },
			.e_type	 = ET_DYN,
			.e_phoff = offsetof(struct test_elf, phdr),
			.e_phnum = 1,
		},
		.phdr = {
			.p_type	  = PT_NOTE,
			.p_offset = offsetof(struct test_elf, nhdr),
			.p_filesz = sizeof(elf) - offsetof(struct test_elf, nhdr),
		},
		.nhdr = {
			.n_namesz = sizeof(elf.owner),
			.n_descsz = sizeof(elf.id),
			.n_type	  = 3,	/* NT_GNU_BUILD_ID */
		},
		.owner = "GNU",
		.id = { 1, 2, 3, 4, 5, 6, 7, 8 },
	};
	loff_t at = 0;

	KUNIT_ASSERT_EQ(test, kernel_write(file, &elf, sizeof(elf), &at),
			sizeof(elf));
}

/* It takes the place of device and inode where an event asks for it. */
static void mapping_with_build_id(struct kunit *test)
{
	struct vm_area_struct *vma = test_file_vma(test);
	struct record_fake *fake = test->priv;
	u8 *what;
	u64 *record;

	test_write_elf(test, vma->vm_file);
	fake->event.attr.mmap2 = 1;
	expect_file(test, test_map(test, vma), vma->vm_file);

	fake->event.attr.build_id = 1;
	record = test_map(test, vma);
	KUNIT_EXPECT_EQ(test, test_misc(record), PERF_RECORD_MISC_USER |
			PERF_RECORD_MISC_MMAP_BUILD_ID);
	what = (u8 *)&record[5];
	KUNIT_EXPECT_EQ(test, what[0], 8);
	for (int i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, what[4 + i], i < 8 ? i + 1 : 0);
	KUNIT_EXPECT_EQ(test, record[8], test_pair(PROT_READ | PROT_EXEC,
						   MAP_PRIVATE));
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
	KUNIT_EXPECT_NULL(test, fake_take(fake));
}

static void test_itrace_start(struct perf_event *event)
{
	guard(irq)();
	perf_side_itrace_start(event);
}

/* Each start of a trace is reported, until the driver does that by itself. */
static void trace_begins(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event *event = &fake->event;

	fake->event.attr.sample_type = PERF_SAMPLE_TIME |
		PERF_SAMPLE_IDENTIFIER;
	fake->event.attr.sample_id_all = 1;
	perf_sample_compile(event);

	test_itrace_start(event);
	KUNIT_EXPECT_NULL(test, fake_take(fake));
	fake->pmu.capabilities = PERF_PMU_CAP_ITRACE;
	for (int i = 0; i < 2; i++) {
		test_itrace_start(event);
		KUNIT_EXPECT_NOT_NULL(test, test_find(test,
						      PERF_RECORD_ITRACE_START,
						      test_me()));
	}
	scoped_guard(irq)
		perf_event_itrace_started(event);
	test_itrace_start(event);
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
	fake->event.ctx = &fake->ctx.pub;
	fake->event.state = PERF_EVENT_STATE_OFF;
	perf_event_comm(current, false);
	test_unlisten(fake);

	KUNIT_EXPECT_NULL(test, fake_take(fake));
}

/* A bit of an attribute, and the kinds of record that it requests. */
struct side_bit {
	struct perf_event_attr	attr;
	unsigned long		kinds;
};

#define KIND(kind)	BIT(PERF_SIDE_##kind)

static const struct side_bit side_bit_cases[] = {
	{ .attr = { .task = 1 }, .kinds = KIND(TASK) },
	{ .attr = { .comm = 1 }, .kinds = KIND(TASK) | KIND(COMM) },
	{ .attr = { .mmap = 1 }, .kinds = KIND(TASK) | KIND(MMAP) },
	{ .attr = { .mmap2 = 1 }, .kinds = KIND(TASK) | KIND(MMAP) },
	{ .attr = { .mmap_data = 1 }, .kinds = KIND(TASK) | KIND(MMAP) },
	{ .attr = { .build_id = 1 }, .kinds = KIND(BUILD_ID) },
	{ .attr = { .namespaces = 1 }, .kinds = KIND(NAMESPACES) },
	{ .attr = { .context_switch = 1 }, .kinds = KIND(SWITCH) },
	{ .attr = { .ksymbol = 1 }, .kinds = KIND(KSYMBOL) },
	{ .attr = { .bpf_event = 1 }, .kinds = KIND(BPF) },
	{ .attr = { .text_poke = 1 }, .kinds = KIND(TEXT_POKE) },
	{ .attr = { .cgroup = 1 }, .kinds = KIND(CGROUP) },
	{ .attr = { .inherit = 1 }, .kinds = 0 },
};

static void expect_wanted(struct kunit *test, const int *before,
			  unsigned long kinds)
{
	for (unsigned int want = 0; want < PERF_SIDE_NR; want++)
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&perf_side_wants[want]),
				    before[want] + !!(kinds & BIT(want)),
				    "kind %u", want);
}

/* Hooks do nothing for a kind that no event requests. */
static void events_of_a_kind_are_counted(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event *event = &fake->event;
	int before[PERF_SIDE_NR];

	for (int i = 0; i < PERF_SIDE_NR; i++)
		before[i] = atomic_read(&perf_side_wants[i]);
	for (int i = 0; i < ARRAY_SIZE(side_bit_cases); i++) {
		event->attr = side_bit_cases[i].attr;
		perf_side_account(event);
		expect_wanted(test, before, side_bit_cases[i].kinds);
		/* The eldest is counted for its copies. */
		event->parent = &fake->tracer;
		perf_side_account(event);
		perf_side_unaccount(event);
		expect_wanted(test, before, side_bit_cases[i].kinds);
		event->parent = NULL;
		perf_side_unaccount(event);
		expect_wanted(test, before, 0);
	}
}

/* An event of a task is counted, but is found through the task's context. */
static void event_of_a_task_is_not_listed(struct kunit *test)
{
	struct record_fake *fake = test->priv;

	fake->event.attr.comm = 1;
	fake->event.attach_state = PERF_ATTACH_TASK;
	test_listen(fake);
	perf_event_comm(current, true);
	KUNIT_EXPECT_TRUE(test, list_empty(&fake->event.sb_list));
	test_unlisten(fake);
	KUNIT_EXPECT_NULL(test, fake_take(fake));
}

static void unlisted_event_is_not_told(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event *other = &fake->tracer;

	/* Another event asks for the kind, so that it is reported. */
	other->attr.comm = 1;
	other->attach_state = PERF_ATTACH_TASK;
	perf_side_account(other);
	fake->event.attr.comm = 1;
	migrate_disable();
	test_listen(fake);
	test_unlisten(fake);
	perf_event_comm(current, true);
	migrate_enable();
	perf_side_unaccount(other);
	KUNIT_EXPECT_NULL(test, fake_take(fake));
}

static void event_moves(struct perf_event *event, int cpu)
{
	perf_side_leave_cpu(event);
	synchronize_rcu();
	event->cpu = cpu;
	perf_side_join_cpu(event);
}

static void comm_oncpu(void *task)
{
	perf_event_comm(task, false);
}

/* It gets records of what happens there, and no longer of what happens here. */
static void event_moves_to_another_cpu(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event *event = &fake->event, *stays = &fake->tracer;
	int cpu;

	event->attr.comm = 1;
	test_listen(fake);
	cpu = cpumask_any_but(cpu_online_mask, event->cpu);
	stays->attr.comm = 1;
	stays->cpu = event->cpu;
	perf_side_account(stays);
	if (cpu < nr_cpu_ids) {
		event_moves(event, cpu);
		KUNIT_EXPECT_PTR_NE(test, stays->sb_list.next, &event->sb_list);
		perf_event_comm(current, false);
		KUNIT_EXPECT_NULL(test, fake_take(fake));
		smp_call_function_single(cpu, comm_oncpu, current, true);
	}
	perf_side_unaccount(stays);
	test_unlisten(fake);
	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "one CPU only");
	KUNIT_EXPECT_NOT_NULL(test, test_find(test, PERF_RECORD_COMM,
					      test_me()));
}

/* Of these only their CPU is new: they were not listed, and are not now. */
static void move_lists_no_other_event(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event *event = &fake->event;

	event_moves(event, raw_smp_processor_id());
	KUNIT_EXPECT_TRUE(test, list_empty(&event->sb_list));
	event->attr.comm = 1;
	event->parent = &fake->tracer;
	event_moves(event, raw_smp_processor_id());
	KUNIT_EXPECT_TRUE(test, list_empty(&event->sb_list));
}

static struct kunit_case sideband_cases[] = {
	KUNIT_CASE(comm),
	KUNIT_CASE(task),
	KUNIT_CASE(exiting_context),
	KUNIT_CASE(namespaces),
	KUNIT_CASE(forked_task),
	KUNIT_CASE(task_switch),
	KUNIT_CASE(ksymbol),
	KUNIT_CASE(bpf_program),
	KUNIT_CASE(bpf_symbols),
	KUNIT_CASE(text_poke_record),
#ifdef CONFIG_CGROUP_PERF
	KUNIT_CASE(cgroup_made),
#endif
	KUNIT_CASE(mapping),
	KUNIT_CASE(mapping_long_form_only),
	KUNIT_CASE(mapping_of_data),
	KUNIT_CASE(mapping_names),
	KUNIT_CASE(mapping_of_a_file),
	KUNIT_CASE(mapping_with_build_id),
	KUNIT_CASE(single_event),
	KUNIT_CASE(trace_begins),
	KUNIT_CASE(not_ready),
	KUNIT_CASE(events_of_a_kind_are_counted),
	KUNIT_CASE(event_of_a_task_is_not_listed),
	KUNIT_CASE(unlisted_event_is_not_told),
	KUNIT_CASE(event_moves_to_another_cpu),
	KUNIT_CASE(move_lists_no_other_event),
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
