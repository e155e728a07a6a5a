// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room callchain: walks over stacks that the test's thread has
 * written into an address space of its own, and addresses and modes of samples.
 *
 * The registers of x86-64 are used, also with stacks of 32 bits.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/desc.h>
#include <asm/mmu_context.h>
#include <asm/segment.h>

#define IP		0x401000UL
#define CALLER		0x402000UL
#define SEGMENT		0x12340000UL
#define STACK_SEGMENT	0x100000UL
#define MAX_DEPTH	32
#define TLS_SELECTOR(n)	((GDT_ENTRY_TLS_MIN + (n)) << 3 | 3)
#define LDT_SELECTOR(n)	((n) << 3 | 7)

/* A thread in user space, and the chain that is recorded of it. */
struct walk {
	unsigned long			stack;	/* two pages */
	struct pt_regs			regs;
	struct perf_callchain_entry_ctx	ctx;
	struct perf_callchain_entry	*entry;
};

static void reset(struct walk *walk, unsigned int depth)
{
	memset(walk->entry, 0, struct_size(walk->entry, ip, MAX_DEPTH + 1));
	walk->ctx = (struct perf_callchain_entry_ctx) {
		.entry		= walk->entry,
		.max_stack	= depth,
	};
}

/* Below 4 GiB, for stacks of both widths. */
static struct walk *make_walk(struct kunit *test)
{
	struct walk *walk = kunit_kzalloc(test, sizeof(*walk), GFP_KERNEL);
	unsigned long at;

	KUNIT_ASSERT_NOT_NULL(test, walk);
	walk->entry = kunit_kzalloc(test, struct_size(walk->entry, ip, MAX_DEPTH + 1),
				    GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, walk->entry);
	at = kunit_vm_mmap(test, NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_ANONYMOUS | MAP_PRIVATE | MAP_32BIT, 0);
	KUNIT_ASSERT_FALSE(test, !at || IS_ERR_VALUE(at));
	KUNIT_ASSERT_LT(test, at, SZ_4G);
	KUNIT_ASSERT_EQ(test, clear_user((void __user *)at, 2 * PAGE_SIZE), 0);
	walk->stack = at;
	walk->regs.cs = __USER_CS;
	walk->regs.ss = __USER_DS;
	walk->regs.ip = IP;
	walk->regs.bp = at;
	walk->regs.flags = X86_EFLAGS_FIXED;
	reset(walk, MAX_DEPTH);
	return walk;
}

static void narrow(struct walk *walk)
{
	walk->regs.cs = __USER32_CS;
}

/* Put a frame at @at, whose caller's frame is at @next. */
static void put_frame(struct kunit *test, unsigned long at, u64 next, u64 ip)
{
	u64 words[2] = { next, ip };

	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)at, words, sizeof(words)), 0);
}

static void put_frame32(struct kunit *test, unsigned long at, u32 next, u32 ip)
{
	u32 words[2] = { next, ip };

	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)at, words, sizeof(words)), 0);
}

/* The chain has @nr addresses: IP, then CALLER, CALLER + 1, ... */
static void expect_chain(struct kunit *test, const struct walk *walk,
			 unsigned int nr)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, walk->ctx.nr, nr);
	KUNIT_ASSERT_EQ(test, walk->entry->nr, nr);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, walk->entry->ip[i], i ? CALLER + i - 1 : IP);
}

static void user_frames(struct kunit *test)
{
	struct walk *walk = make_walk(test);
	unsigned long at = walk->stack;

	/* Frames need not ascend: a thread may have switched stacks. */
	put_frame(test, at, at + 0x100, CALLER);
	put_frame(test, at + 0x100, at + 0x40, CALLER + 1);
	put_frame(test, at + 0x40, 0, CALLER + 2);
	perf_callchain_user(&walk->ctx, &walk->regs);
	expect_chain(test, walk, 4);
}

static void user_frames_32bit(struct kunit *test)
{
	struct walk *walk = make_walk(test);
	unsigned long at = walk->stack;

	narrow(walk);
	put_frame32(test, at, at + 0x100, CALLER);
	put_frame32(test, at + 0x100, at + 0x44, CALLER + 1);
	put_frame32(test, at + 0x44, 0, CALLER + 2);
	perf_callchain_user(&walk->ctx, &walk->regs);
	expect_chain(test, walk, 4);

	/* A pointer has 32 bits, and the rest of the register does not matter. */
	reset(walk, MAX_DEPTH);
	walk->regs.bp |= 0x5aUL << 32;
	perf_callchain_user(&walk->ctx, &walk->regs);
	expect_chain(test, walk, 4);
}

/* Where nothing can be read the walk ends, also in the middle of a frame. */
static void user_faults(struct kunit *test)
{
	struct walk *walk = make_walk(test);
	unsigned long end = walk->stack + 2 * PAGE_SIZE;
	const unsigned long wrong[] = {
		0, 8, end - 8, TASK_SIZE_MAX, TASK_SIZE_MAX - 8, 1UL << 63,
		(unsigned long)walk, -16UL,
	};
	unsigned int i;

	KUNIT_ASSERT_EQ(test, vm_munmap(walk->stack + PAGE_SIZE, PAGE_SIZE), 0);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		unsigned long next = wrong[i];

		if (next == end - 8)
			next -= PAGE_SIZE;
		put_frame(test, walk->stack, next, CALLER);
		reset(walk, MAX_DEPTH);
		walk->regs.bp = walk->stack;
		perf_callchain_user(&walk->ctx, &walk->regs);
		expect_chain(test, walk, 2);

		reset(walk, MAX_DEPTH);
		walk->regs.bp = next;
		perf_callchain_user(&walk->ctx, &walk->regs);
		expect_chain(test, walk, 1);
	}
}

/* A page that is not in memory is not brought there. */
static void user_does_not_fault_in(struct kunit *test)
{
	struct walk *walk = make_walk(test);
	unsigned long fresh;

	fresh = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			      MAP_ANONYMOUS | MAP_PRIVATE | MAP_32BIT, 0);
	KUNIT_ASSERT_FALSE(test, !fresh || IS_ERR_VALUE(fresh));
	walk->regs.bp = fresh;
	perf_callchain_user(&walk->ctx, &walk->regs);
	expect_chain(test, walk, 1);
}

static void user_loop_ends(struct kunit *test)
{
	struct walk *walk = make_walk(test);
	unsigned int depth, i;

	for (depth = 0; depth <= MAX_DEPTH; depth += 4) {
		put_frame(test, walk->stack, walk->stack, CALLER);
		reset(walk, depth);
		perf_callchain_user(&walk->ctx, &walk->regs);
		KUNIT_ASSERT_EQ(test, walk->ctx.nr, depth);
		for (i = 1; i < depth; i++)
			KUNIT_EXPECT_EQ(test, walk->entry->ip[i], CALLER);
		KUNIT_EXPECT_EQ(test, walk->entry->ip[depth], 0);
	}

	/* The mark of the user's part did not fit, so nothing fits. */
	reset(walk, MAX_DEPTH);
	walk->ctx.contexts_maxed = true;
	perf_callchain_user(&walk->ctx, &walk->regs);
	expect_chain(test, walk, 0);
}

static void user_virtual_8086(struct kunit *test)
{
	struct walk *walk = make_walk(test);

	put_frame(test, walk->stack, 0, CALLER);
	walk->regs.flags = X86_EFLAGS_FIXED | PERF_EFLAGS_VM;
	perf_callchain_user(&walk->ctx, &walk->regs);
	expect_chain(test, walk, 0);
}

static void set_utask(struct uprobe_task *task)
{
#ifdef CONFIG_UPROBES
	current->utask = task;
#endif
}

/* Record the chain while a handler of a probe runs on instruction @insn. */
static void walk_probed(struct walk *walk, const void *insn, unsigned int depth)
{
	struct arch_uprobe probe = { };
	struct uprobe_task task = { .auprobe = insn ? &probe : NULL };

	if (insn)
		memcpy(probe.insn, insn, 4);
	reset(walk, depth);
	set_utask(&task);
	perf_callchain_user(&walk->ctx, &walk->regs);
	set_utask(NULL);
}

/* At the entry the return address is on top of the stack. */
static void user_uprobe(struct kunit *test)
{
	static const u8 push[] = { 0x55, 0x48, 0x89, 0xe5 };
	static const u8 move[] = { 0x48, 0x89, 0xe5, 0x55 };
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct walk *walk = make_walk(test);

	if (!IS_ENABLED(CONFIG_UPROBES))
		kunit_skip(test, "no uprobes");
	put_frame(test, walk->stack, 0, CALLER + 1);
	put_frame(test, walk->stack + 0x80, CALLER, 0x55aa);
	walk->regs.sp = walk->stack + 0x80;
	walk_probed(walk, push, MAX_DEPTH);
	expect_chain(test, walk, 3);
	walk_probed(walk, endbr, MAX_DEPTH);
	expect_chain(test, walk, 3);

	walk_probed(walk, move, MAX_DEPTH);
	KUNIT_EXPECT_EQ(test, walk->ctx.nr, 2);
	KUNIT_EXPECT_EQ(test, walk->entry->ip[1], CALLER + 1);
	walk_probed(walk, NULL, MAX_DEPTH);
	KUNIT_EXPECT_EQ(test, walk->ctx.nr, 2);

	/* The frames are found even if the stack pointer is wrong. */
	walk->regs.sp = 0;
	walk_probed(walk, push, MAX_DEPTH);
	KUNIT_EXPECT_EQ(test, walk->ctx.nr, 2);
	KUNIT_EXPECT_EQ(test, walk->entry->ip[1], CALLER + 1);

	/* The address on top may be the last one that fits. */
	walk->regs.sp = walk->stack + 0x80;
	walk_probed(walk, push, 2);
	expect_chain(test, walk, 2);
}

static void user_uprobe_32bit(struct kunit *test)
{
	static const u8 push[] = { 0x55, 0x89, 0xe5, 0x00 };
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct walk *walk = make_walk(test);

	if (!IS_ENABLED(CONFIG_UPROBES))
		kunit_skip(test, "no uprobes");
	narrow(walk);
	put_frame32(test, walk->stack, 0, CALLER + 1);
	put_frame32(test, walk->stack + 0x80, CALLER, 0x55aa);
	walk->regs.sp = walk->stack + 0x80;
	walk_probed(walk, push, MAX_DEPTH);
	expect_chain(test, walk, 3);
	/* endbr64 is an instruction of 64-bit mode. */
	walk_probed(walk, endbr, MAX_DEPTH);
	KUNIT_EXPECT_EQ(test, walk->ctx.nr, 2);
}

/* Exchange two segments for threads' data, on this CPU. */
static void swap_tls(struct desc_struct segments[2])
{
	struct desc_struct *gdt = get_cpu_gdt_rw(smp_processor_id());

	swap(gdt[GDT_ENTRY_TLS_MIN], segments[0]);
	swap(gdt[GDT_ENTRY_TLS_MIN + 1], segments[1]);
}

/* Code and stack have segments, at the entry of a function and later. */
static void segments_of_gdt(struct kunit *test)
{
	static const u8 push[] = { 0x55, 0x89, 0xe5, 0x00 };
	struct walk *walk = make_walk(test);
	struct desc_struct segments[2] = { };
	unsigned long ip;

	set_desc_base(&segments[0], SEGMENT);
	set_desc_base(&segments[1], STACK_SEGMENT);
	put_frame32(test, walk->stack, 0, (u32)(CALLER + 1 - SEGMENT));
	put_frame32(test, walk->stack + 0x80, (u32)(CALLER - SEGMENT), 0x55aa);
	walk->regs.cs = TLS_SELECTOR(0);
	walk->regs.ss = TLS_SELECTOR(1);
	walk->regs.bp = walk->stack - STACK_SEGMENT;
	walk->regs.sp = walk->regs.bp + 0x80;

	preempt_disable();
	swap_tls(segments);
	ip = perf_instruction_pointer(&walk->regs);
	walk_probed(walk, IS_ENABLED(CONFIG_UPROBES) ? push : NULL, MAX_DEPTH);
	swap_tls(segments);
	preempt_enable();

	KUNIT_EXPECT_EQ(test, ip, IP + SEGMENT);
	KUNIT_ASSERT_EQ(test, walk->ctx.nr, IS_ENABLED(CONFIG_UPROBES) ? 3 : 2);
	if (walk->ctx.nr == 3)
		KUNIT_EXPECT_EQ(test, (u32)walk->entry->ip[1], CALLER);
	KUNIT_EXPECT_EQ(test, (u32)walk->entry->ip[walk->ctx.nr - 1], CALLER + 1);

	/* A selector beyond the table. */
	walk->regs.cs = GDT_ENTRIES << 3 | 3;
	KUNIT_EXPECT_EQ(test, perf_instruction_pointer(&walk->regs), IP);
}

#ifdef CONFIG_MODIFY_LDT_SYSCALL
static unsigned long ip_with_ldt(struct walk *walk, struct ldt_struct *ldt,
				 unsigned int selector)
{
	struct ldt_struct **place = &current->active_mm->context.ldt;
	struct ldt_struct *old;
	unsigned long ip;

	walk->regs.cs = selector;
	preempt_disable();
	old = *place;
	WRITE_ONCE(*place, ldt);
	ip = perf_instruction_pointer(&walk->regs);
	WRITE_ONCE(*place, old);
	preempt_enable();
	return ip;
}

static void segments_of_ldt(struct kunit *test)
{
	struct walk *walk = make_walk(test);
	struct desc_struct entries[3] = { };
	struct ldt_struct ldt = { .entries = entries, .nr_entries = 2 };

	set_desc_base(&entries[1], SEGMENT);
	set_desc_base(&entries[2], 2 * SEGMENT);
	KUNIT_EXPECT_EQ(test, ip_with_ldt(walk, &ldt, LDT_SELECTOR(0)), IP);
	KUNIT_EXPECT_EQ(test, ip_with_ldt(walk, &ldt, LDT_SELECTOR(1)), IP + SEGMENT);
	KUNIT_EXPECT_EQ(test, ip_with_ldt(walk, &ldt, LDT_SELECTOR(2)), IP);
	KUNIT_EXPECT_EQ(test, ip_with_ldt(walk, NULL, LDT_SELECTOR(1)), IP);
}
#else
static void segments_of_ldt(struct kunit *test)
{
	kunit_skip(test, "no LDT");
}
#endif

static void addresses(struct kunit *test)
{
	struct pt_regs regs = { .ip = IP, .cs = __USER_CS };

	KUNIT_EXPECT_EQ(test, perf_instruction_pointer(&regs), IP);
	regs.cs = __USER32_CS;
	KUNIT_EXPECT_EQ(test, perf_instruction_pointer(&regs), IP);
	regs.cs = __KERNEL_CS;
	KUNIT_EXPECT_EQ(test, perf_instruction_pointer(&regs), IP);
}

static void modes(struct kunit *test)
{
	struct pt_regs regs = { .cs = __USER_CS };

	KUNIT_EXPECT_EQ(test, perf_misc_flags(&regs), PERF_RECORD_MISC_USER);
	regs.flags = PERF_EFLAGS_EXACT;
	KUNIT_EXPECT_EQ(test, perf_misc_flags(&regs),
			PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
	regs.cs = __KERNEL_CS;
	KUNIT_EXPECT_EQ(test, perf_misc_flags(&regs),
			PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_EXACT_IP);
	regs.flags = X86_EFLAGS_FIXED;
	KUNIT_EXPECT_EQ(test, perf_misc_flags(&regs), PERF_RECORD_MISC_KERNEL);
}

static void kernel_frames(struct kunit *test)
{
	struct walk *walk = make_walk(test);
	struct pt_regs regs = { };
	unsigned int i;

	perf_fetch_caller_regs(&regs);
	perf_callchain_kernel(&walk->ctx, &regs);
	KUNIT_EXPECT_GT(test, walk->ctx.nr, 2);
	for (i = 0; i < walk->ctx.nr; i++)
		KUNIT_EXPECT_TRUE(test, __kernel_text_address(walk->entry->ip[i]));

	reset(walk, 2);
	perf_callchain_kernel(&walk->ctx, &regs);
	KUNIT_EXPECT_EQ(test, walk->ctx.nr, 2);
	reset(walk, 0);
	perf_callchain_kernel(&walk->ctx, &regs);
	KUNIT_EXPECT_EQ(test, walk->ctx.nr, 0);
}

/* The first frame is the interrupted one. */
static void kernel_interrupted(struct kunit *test)
{
	struct walk *walk = make_walk(test);

	walk->regs.cs = __KERNEL_CS;
	walk->regs.ss = __KERNEL_DS;
	walk->regs.ip = (unsigned long)kernel_interrupted;
	walk->regs.sp = (unsigned long)__builtin_frame_address(0);
	perf_callchain_kernel(&walk->ctx, &walk->regs);
	KUNIT_EXPECT_GE(test, walk->ctx.nr, 1);
	KUNIT_EXPECT_EQ(test, walk->entry->ip[0], walk->regs.ip);
	reset(walk, 0);
	perf_callchain_kernel(&walk->ctx, &walk->regs);
	KUNIT_EXPECT_EQ(test, walk->ctx.nr, 0);
}

#ifdef CONFIG_GUEST_PERF_EVENTS
static struct task_struct *guest_task;
static unsigned int guest_mode;

static unsigned int guest_state(void)
{
	return READ_ONCE(guest_task) == current ? guest_mode : 0;
}

static unsigned long guest_ip(void)
{
	return SEGMENT;
}

static struct perf_guest_info_callbacks guest_callbacks = {
	.state	= guest_state,
	.get_ip	= guest_ip,
};

static void guests(struct kunit *test)
{
	struct walk *walk = make_walk(test);
	unsigned long flags[2], ip;

	if (rcu_access_pointer(perf_guest_cbs))
		kunit_skip(test, "there is a hypervisor");
	put_frame(test, walk->stack, 0, CALLER);
	WRITE_ONCE(guest_task, current);
	perf_register_guest_info_callbacks(&guest_callbacks);
	guest_mode = PERF_GUEST_ACTIVE;
	perf_callchain_user(&walk->ctx, &walk->regs);
	perf_callchain_kernel(&walk->ctx, &walk->regs);
	ip = perf_instruction_pointer(&walk->regs);
	flags[0] = perf_misc_flags(&walk->regs);
	guest_mode |= PERF_GUEST_USER;
	walk->regs.flags |= PERF_EFLAGS_EXACT;
	flags[1] = perf_misc_flags(&walk->regs);
	perf_unregister_guest_info_callbacks(&guest_callbacks);
	WRITE_ONCE(guest_task, NULL);

	expect_chain(test, walk, 0);
	KUNIT_EXPECT_EQ(test, ip, SEGMENT);
	KUNIT_EXPECT_EQ(test, flags[0], PERF_RECORD_MISC_GUEST_KERNEL);
	KUNIT_EXPECT_EQ(test, flags[1],
			PERF_RECORD_MISC_GUEST_USER | PERF_RECORD_MISC_EXACT_IP);
}
#else
static void guests(struct kunit *test)
{
	kunit_skip(test, "no hypervisors");
}
#endif

static struct kunit_case callchain_cases[] = {
	KUNIT_CASE(user_frames),
	KUNIT_CASE(user_frames_32bit),
	KUNIT_CASE(user_faults),
	KUNIT_CASE(user_does_not_fault_in),
	KUNIT_CASE(user_loop_ends),
	KUNIT_CASE(user_virtual_8086),
	KUNIT_CASE(user_uprobe),
	KUNIT_CASE(user_uprobe_32bit),
	KUNIT_CASE(segments_of_gdt),
	KUNIT_CASE(segments_of_ldt),
	KUNIT_CASE(addresses),
	KUNIT_CASE(modes),
	KUNIT_CASE(kernel_frames),
	KUNIT_CASE(kernel_interrupted),
	KUNIT_CASE(guests),
	{ }
};

static struct kunit_suite callchain_suite = {
	.name		= "x86_callchain",
	.test_cases	= callchain_cases,
};

kunit_test_suite(callchain_suite);

MODULE_DESCRIPTION("KUnit tests of where x86 samples come from");
MODULE_LICENSE("GPL");
