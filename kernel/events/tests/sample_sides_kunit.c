// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms sample, callchain and guest: which side of the machine a
 * sample shows. An interrupt that comes late finds the kernel although the
 * event is one of user space, or it comes out of a guest.
 *
 * The test's thread plays the task that was interrupted. It gets an address
 * space with a stack in it, and registers on both sides. Each word tells its
 * side: those of the kernel are above TASK_SIZE, those of the user below.
 * Registers are those of x86-64, and so are the tests.
 */

#include <linux/mman.h>
#include <linux/sched/task_stack.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <uapi/asm/perf_regs.h>

#include "record_fake.h"

/* Words of the two sides. */
#define SIDES_USER_REG		0x7e570000UL
#define SIDES_KERNEL_REG	0xffff88807e570000UL
#define SIDES_USER_IP		0x401000UL
#define SIDES_CALLERS		0x402000UL
#define SIDES_GUEST_IP		0xffffffff9e570000UL

#define SIDES_STACK_WORDS	512
#define SIDES_DUMP		(16 * sizeof(u64))
/* Offsets in words of the two frames that callers have left on the stack. */
#define SIDES_FRAME		4
#define SIDES_OUTER_FRAME	8

#define SIDES_REGS		(BIT(PERF_REG_X86_AX) |			\
				 BIT(PERF_REG_X86_SP) |			\
				 BIT(PERF_REG_X86_IP))
#define SIDES_FIELDS		(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | \
				 PERF_SAMPLE_REGS_USER |		\
				 PERF_SAMPLE_STACK_USER |		\
				 PERF_SAMPLE_REGS_INTR)

/**
 * struct sides - what the interrupt finds
 * @user: the user's registers
 * @kernel: the kernel's registers
 * @stack: contents of the user's stack
 * @probes: the task's return probes, or NULL
 */
struct sides {
	struct pt_regs	user;
	struct pt_regs	kernel;
	u64		stack[SIDES_STACK_WORDS];
	struct uprobe_task *probes;
};

/* Numbers all registers except those of position and mode. */
static void sides_number_regs(struct pt_regs *regs, unsigned long first)
{
	unsigned long *word = (unsigned long *)regs;

	while (word < &regs->orig_ax)
		*word++ = first++;
}

static void sides_make_user(struct sides *sides, unsigned long sp)
{
	u64 *stack = sides->stack;
	unsigned int i;

	for (i = 0; i < SIDES_STACK_WORDS; i++)
		stack[i] = SIDES_USER_REG + SZ_64K + i;
	stack[SIDES_FRAME] = sp + SIDES_OUTER_FRAME * sizeof(u64);
	stack[SIDES_FRAME + 1] = SIDES_CALLERS;
	stack[SIDES_OUTER_FRAME] = 0;
	stack[SIDES_OUTER_FRAME + 1] = SIDES_CALLERS + 1;

	sides_number_regs(&sides->user, SIDES_USER_REG);
	sides->user.bp = sp + SIDES_FRAME * sizeof(u64);
	sides->user.sp = sp;
	sides->user.ip = SIDES_USER_IP;
	sides->user.cs = __USER_CS;
	sides->user.ss = __USER_DS;
	sides->user.flags = X86_EFLAGS_IF | X86_EFLAGS_FIXED;
}

/* The kernel's stack is the real one of the test, which can be walked. */
static noinline void sides_make_kernel(struct sides *sides)
{
	struct pt_regs here = { };

	perf_fetch_caller_regs(&here);
	sides_number_regs(&sides->kernel, SIDES_KERNEL_REG);
	sides->kernel.bp = here.bp;
	sides->kernel.sp = here.sp;
	sides->kernel.ip = here.ip;
	sides->kernel.cs = here.cs;
}

static struct sides *sides_make(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event_attr *attr = &fake->event.attr;
	struct sides *sides;
	unsigned long at;

	sides = kunit_kzalloc(test, sizeof(*sides), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sides);
	at = kunit_vm_mmap(test, NULL, 0, sizeof(sides->stack),
			   PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE,
			   0);
	KUNIT_ASSERT_FALSE(test, !at || IS_ERR_VALUE(at));
	sides_make_user(sides, at);
	sides_make_kernel(sides);
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)at, sides->stack,
					   sizeof(sides->stack)), 0);

	attr->sample_max_stack = PERF_MAX_STACK_DEPTH;
	attr->sample_regs_user = SIDES_REGS;
	attr->sample_regs_intr = SIDES_REGS;
	attr->sample_stack_user = SIDES_DUMP;
	return sides;
}

static void sides_set_probes(struct uprobe_task *probes)
{
#ifdef CONFIG_UPROBES
	current->utask = probes;
#endif
}

/* Interrupts are off, so that nobody else takes the thread for a user's. */
static bool sides_sample(struct record_fake *fake, const struct sides *sides,
			 struct pt_regs *regs)
{
	struct pt_regs *bottom = task_pt_regs(current);
	struct perf_sample_data data;
	struct pt_regs before;
	bool exact;

	perf_sample_data_init(&data, 0, 1);
	guard(irqsave)();
	before = *bottom;
	*bottom = sides->user;
	sides_set_probes(sides->probes);
	current->flags &= ~PF_KTHREAD;
	exact = fake_sample(fake, &data, regs);
	current->flags |= PF_KTHREAD;
	sides_set_probes(NULL);
	*bottom = before;
	return exact;
}

/*
 * Takes a sample of @type, with buffers for its call chain. There is only this
 * function for it, so that chains are equally deep wherever a test takes them.
 */
static noinline __noclone void sides_take(struct kunit *test,
					  struct sides *sides,
					  struct pt_regs *regs, u64 type)
{
	struct record_fake *fake = test->priv;
	bool exact;

	fake_layout(fake, type);
	KUNIT_ASSERT_EQ(test, get_callchain_buffers(PERF_MAX_STACK_DEPTH), 0);
	exact = sides_sample(fake, sides, regs);
	put_callchain_buffers();
	KUNIT_ASSERT_TRUE(test, exact);
}

static u16 sides_misc(const struct record_fake *fake)
{
	const struct perf_event_header *header = (const void *)fake->record;

	return header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

/* Does @word belong to neither the user nor the ABI? */
static bool sides_tells_kernel(u64 word)
{
	return word >= TASK_SIZE && word != PERF_CONTEXT_USER;
}

static unsigned int sides_kernel_words(const struct record_fake *fake)
{
	const struct perf_event_header *header = (const void *)fake->record;
	unsigned int found = 0, i;

	for (i = 1; i < header->size / sizeof(u64); i++)
		found += sides_tells_kernel(fake->record[i]);
	return found;
}

/* The user's part of a chain, registers and stack. Return: number of words. */
static unsigned int sides_user_words(const struct sides *sides, u64 *words)
{
	unsigned int nr = 0;

	words[nr++] = PERF_CONTEXT_USER;
	words[nr++] = SIDES_USER_IP;
	words[nr++] = SIDES_CALLERS;
	words[nr++] = SIDES_CALLERS + 1;
	words[nr++] = PERF_SAMPLE_REGS_ABI_64;
	words[nr++] = sides->user.ax;
	words[nr++] = sides->user.sp;
	words[nr++] = SIDES_USER_IP;
	words[nr++] = SIDES_DUMP;
	memcpy(words + nr, sides->stack, SIDES_DUMP);
	nr += SIDES_DUMP / sizeof(u64);
	words[nr++] = SIDES_DUMP;
	return nr;
}

#define SIDES_USER_WORDS	(10 + SIDES_DUMP / sizeof(u64))
#define SIDES_USER_CHAIN	4

/* The control: an event of both sides sees both. */
static void sides_both(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct sides *sides = sides_make(test);
	u64 words[SIDES_USER_WORDS];
	unsigned int at, nr;

	sides_take(test, sides, &sides->kernel, SIDES_FIELDS);
	nr = sides_user_words(sides, words);
	KUNIT_ASSERT_EQ(test, nr, SIDES_USER_WORDS);

	KUNIT_EXPECT_EQ(test, sides_misc(fake), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, fake->record[1], sides->kernel.ip);
	KUNIT_ASSERT_GT(test, fake->record[2], 2 + SIDES_USER_CHAIN);
	KUNIT_ASSERT_LT(test, fake->record[2], PERF_MAX_STACK_DEPTH);
	KUNIT_EXPECT_EQ(test, fake->record[3], PERF_CONTEXT_KERNEL);
	KUNIT_EXPECT_TRUE(test, sides_tells_kernel(fake->record[4]));
	at = 3 + fake->record[2] - SIDES_USER_CHAIN;
	fake_expect_words(test, at, words, nr);
	KUNIT_EXPECT_EQ(test, fake->record[at + nr], PERF_SAMPLE_REGS_ABI_64);
	KUNIT_EXPECT_EQ(test, fake->record[at + nr + 1], sides->kernel.ax);
	KUNIT_EXPECT_EQ(test, fake->record[at + nr + 2], sides->kernel.sp);
	KUNIT_EXPECT_EQ(test, fake->record[at + nr + 3], sides->kernel.ip);
}

/* A sample at @regs for the user. Return: where registers at the interrupt are. */
static unsigned int sides_take_users(struct kunit *test, struct sides *sides,
				     struct pt_regs *regs, u64 *words)
{
	struct record_fake *fake = test->priv;
	unsigned int nr = sides_user_words(sides, words);

	fake->event.attr.exclude_kernel = 1;
	sides_take(test, sides, regs, SIDES_FIELDS);
	KUNIT_EXPECT_EQ(test, sides_misc(fake), PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, fake->record[1], SIDES_USER_IP);
	KUNIT_EXPECT_EQ(test, fake->record[2], SIDES_USER_CHAIN);
	fake_expect_words(test, 3, words, nr);
	return 3 + nr;
}

/* The interrupt came late: the user's side alone, as if it had come in time. */
static void sides_skid(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct sides *sides = sides_make(test);
	u64 words[SIDES_USER_WORDS];
	unsigned int at;

	at = sides_take_users(test, sides, &sides->kernel, words);
	KUNIT_EXPECT_EQ(test, fake->record[at], PERF_SAMPLE_REGS_ABI_NONE);
	KUNIT_EXPECT_EQ(test, fake->record[0] >> 48, (at + 1) * sizeof(u64));
}

/* In time: the same, and the registers at the interrupt are the user's. */
static void sides_no_skid(struct kunit *test)
{
	struct sides *sides = sides_make(test);
	u64 words[SIDES_USER_WORDS];
	unsigned int at;

	at = sides_take_users(test, sides, &sides->user, words);
	fake_expect_words(test, at, words + SIDES_USER_CHAIN, 4);
}

/* All combinations of fields. */
static void sides_any_fields(struct kunit *test)
{
	static const u64 bits[] = {
		PERF_SAMPLE_IP, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_REGS_USER,
		PERF_SAMPLE_STACK_USER, PERF_SAMPLE_REGS_INTR,
		PERF_SAMPLE_ADDR, PERF_SAMPLE_CODE_PAGE_SIZE,
	};
	struct record_fake *fake = test->priv;
	struct sides *sides = sides_make(test);
	unsigned int set, i;

	for (set = 0; set < BIT(ARRAY_SIZE(bits)); set++) {
		u64 type = 0;

		for (i = 0; i < ARRAY_SIZE(bits); i++)
			type |= set & BIT(i) ? bits[i] : 0;
		fake->event.attr.exclude_kernel = 0;
		sides_take(test, sides, &sides->kernel, type);
		KUNIT_EXPECT_EQ_MSG(test, !!sides_kernel_words(fake),
				    !!(type & (PERF_SAMPLE_IP |
					       PERF_SAMPLE_CALLCHAIN |
					       PERF_SAMPLE_REGS_INTR)),
				    "shown, type %#llx", type);
		fake->event.attr.exclude_kernel = 1;
		sides_take(test, sides, &sides->kernel, type);
		KUNIT_EXPECT_EQ_MSG(test, sides_kernel_words(fake), 0,
				    "type %#llx", type);
		KUNIT_EXPECT_EQ(test, sides_misc(fake), PERF_RECORD_MISC_USER);
	}
}

/* Bytes that a dump has room for, and bytes of it that were read. */
static void sides_expect_dump(struct kunit *test, struct sides *sides,
			      unsigned long sp, u64 reserved, u64 copied)
{
	struct record_fake *fake = test->priv;

	sides->user.sp = sp;
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_STACK_USER);
	KUNIT_EXPECT_EQ(test, fake->record[1], reserved);
	KUNIT_EXPECT_EQ(test, fake->record[0] >> 48,
			reserved ? reserved + 24 : 16);
	if (reserved)
		KUNIT_EXPECT_EQ(test, fake->record[2 + reserved / 8], copied);
}

/* Each word of a stack is its own address. */
static void sides_expect_stack(struct kunit *test, unsigned long sp, u64 bytes)
{
	struct record_fake *fake = test->priv;

	for (u64 at = 0; at < bytes; at += sizeof(u64))
		KUNIT_EXPECT_EQ(test, fake->record[2 + at / 8], sp + at);
}

/* Three pages of stack, of which the one in the middle is not in memory. */
static unsigned long sides_make_hole(struct kunit *test)
{
	unsigned long start, at;

	start = kunit_vm_mmap(test, NULL, 0, 3 * PAGE_SIZE,
			      PROT_READ | PROT_WRITE,
			      MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, !start || IS_ERR_VALUE(start));
	for (at = start; at < start + 3 * PAGE_SIZE; at += sizeof(u64)) {
		if (at >= start + PAGE_SIZE && at < start + 2 * PAGE_SIZE)
			continue;
		KUNIT_ASSERT_EQ(test, 0, put_user(at, (u64 __user *)at));
	}
	return start;
}

/* A dump ends where the first page is missing; what follows is not looked at. */
static void sides_stack_ends(struct kunit *test)
{
	struct sides *sides = sides_make(test);
	unsigned long start = sides_make_hole(test);
	unsigned long hole = start + PAGE_SIZE, end = start + 2 * PAGE_SIZE;
	struct record_fake *fake = test->priv;

	sides_expect_dump(test, sides, start, SIDES_DUMP, SIDES_DUMP);
	sides_expect_stack(test, start, SIDES_DUMP);
	sides_expect_dump(test, sides, hole - 64, SIDES_DUMP, 64);
	sides_expect_stack(test, hole - 64, 64);
	sides_expect_dump(test, sides, hole, SIDES_DUMP, 0);
	sides_expect_dump(test, sides, end - 64, SIDES_DUMP, 0);

	fake->event.attr.sample_stack_user = 3 * PAGE_SIZE;
	sides_expect_dump(test, sides, start + 8, 3 * PAGE_SIZE, PAGE_SIZE - 8);
	sides_expect_stack(test, start + 8, PAGE_SIZE - 8);
	for (unsigned long at = hole; at < end; at += sizeof(u64))
		KUNIT_ASSERT_EQ(test, 0, put_user(at, (u64 __user *)at));
	sides_expect_dump(test, sides, start, 3 * PAGE_SIZE, 3 * PAGE_SIZE);
	sides_expect_stack(test, start, 3 * PAGE_SIZE);
}

/* Stack pointers that point to no stack. */
static void sides_no_stack(struct kunit *test)
{
	struct sides *sides = sides_make(test);

	sides_expect_dump(test, sides, 0, 0, 0);
	sides_expect_dump(test, sides, TASK_SIZE, 0, 0);
	sides_expect_dump(test, sides, ULONG_MAX - 7, 0, 0);
	sides_expect_dump(test, sides, TASK_SIZE - 32, 32, 0);
	sides_expect_dump(test, sides, TASK_SIZE - 33, 32, 0);
}

/* Parts of the chain are left out on request, with nothing to hide. */
static void sides_chain_parts(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct perf_event_attr *attr = &fake->event.attr;
	struct sides *sides = sides_make(test);
	u64 words[SIDES_USER_WORDS];
	unsigned int i;

	sides_user_words(sides, words);
	attr->exclude_callchain_kernel = 1;
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_EQ(test, sides_misc(fake), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, fake->record[1], SIDES_USER_CHAIN);
	fake_expect_words(test, 2, words, SIDES_USER_CHAIN);

	attr->exclude_callchain_user = 1;
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_EQ(test, fake->record[1], 0);

	attr->exclude_callchain_kernel = 0;
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_GT(test, fake->record[1], 2);
	for (i = 0; i < fake->record[1]; i++)
		KUNIT_EXPECT_TRUE(test, sides_tells_kernel(fake->record[2 + i]));
}

/* The depth limits addresses of both parts together, and not marks. */
static void sides_chain_depth(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct sides *sides = sides_make(test);
	u64 words[SIDES_USER_WORDS];
	unsigned int kernel;

	sides_user_words(sides, words);
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	kernel = fake->record[1] - SIDES_USER_CHAIN - 1;
	fake->event.attr.sample_max_stack = kernel + 1;
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_EQ(test, fake->record[1], kernel + 3);
	fake_expect_words(test, 3 + kernel, words, 2);

	fake->event.attr.sample_max_stack = kernel;
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_EQ(test, fake->record[1], kernel + 2);
	fake_expect_words(test, 3 + kernel, words, 1);
}

#ifdef CONFIG_UPROBES
/*
 * The returns of both callers lead to the trampoline of return probes; the list
 * has one of them. User space can write such an address into its stack.
 */
static void sides_return_probes(struct kunit *test)
{
	struct return_instance pending = { .orig_ret_vaddr = SIDES_CALLERS };
	struct uprobe_task probes = { .return_instances = &pending };
	struct sides *sides = sides_make(test);
	unsigned long trampoline = uprobe_get_trampoline_vaddr();
	u64 words[SIDES_USER_WORDS];

	sides->stack[SIDES_FRAME + 1] = trampoline;
	sides->stack[SIDES_OUTER_FRAME + 1] = trampoline;
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)sides->user.sp,
					   sides->stack, sizeof(sides->stack)), 0);
	sides->probes = &probes;
	sides_take(test, sides, &sides->user, PERF_SAMPLE_CALLCHAIN);
	sides_user_words(sides, words);
	words[3] = trampoline;
	fake_expect_words(test, 2, words, SIDES_USER_CHAIN);

	sides->probes = NULL;
	sides_take(test, sides, &sides->user, PERF_SAMPLE_CALLCHAIN);
	words[2] = trampoline;
	fake_expect_words(test, 2, words, SIDES_USER_CHAIN);
}
#endif

/* Writes kernel.perf_event_max_contexts_per_stack as root does. */
static int sides_set_marks(int marks)
{
	const struct ctl_table table = {
		.procname	= "perf_event_max_contexts_per_stack",
		.data		= &sysctl_perf_event_max_contexts_per_stack,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= perf_event_max_stack_handler,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE_THOUSAND,
	};
	char text[16];
	size_t len = scnprintf(text, sizeof(text), "%d\n", marks);
	loff_t at = 0;

	return perf_event_max_stack_handler(&table, 1, text, &len, &at);
}

/* With room for one mark the second part is missing, with none both are. */
static void sides_chain_marks(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	int before = sysctl_perf_event_max_contexts_per_stack;
	struct sides *sides = sides_make(test);
	u64 words[SIDES_USER_WORDS];
	unsigned int kernel;

	sides_user_words(sides, words);
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	kernel = fake->record[1] - SIDES_USER_CHAIN - 1;

	KUNIT_EXPECT_EQ(test, sides_set_marks(1), 0);
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_EQ(test, fake->record[1], kernel + 1);
	KUNIT_EXPECT_EQ(test, fake->record[2], PERF_CONTEXT_KERNEL);
	sides_take(test, sides, &sides->user, PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_EQ(test, fake->record[1], SIDES_USER_CHAIN);
	fake_expect_words(test, 2, words, SIDES_USER_CHAIN);

	KUNIT_EXPECT_EQ(test, sides_set_marks(0), 0);
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_EQ(test, fake->record[1], 0);

	/* The write returns EBUSY while buffers of the old size are in use. */
	KUNIT_EXPECT_EQ(test, get_callchain_buffers(1), 0);
	KUNIT_EXPECT_EQ(test, sides_set_marks(2), -EBUSY);
	put_callchain_buffers();
	KUNIT_EXPECT_EQ(test, sides_set_marks(1001), -EINVAL);
	KUNIT_EXPECT_EQ(test, sides_set_marks(before), 0);
	KUNIT_EXPECT_EQ(test, sysctl_perf_event_max_contexts_per_stack, before);
}

#ifdef CONFIG_GUEST_PERF_EVENTS
/* The hypervisor's answer to the thread that set it. */
static struct {
	struct task_struct	*task;
	unsigned int		state;
} sides_guest;

static unsigned int sides_guest_state(void)
{
	return READ_ONCE(sides_guest.task) == current ? sides_guest.state : 0;
}

static unsigned long sides_guest_ip(void)
{
	return SIDES_GUEST_IP;
}

static unsigned int sides_guest_trace(void)
{
	return 7;
}

static struct perf_guest_info_callbacks sides_guest_cbs = {
	.state			= sides_guest_state,
	.get_ip			= sides_guest_ip,
	.handle_intel_pt_intr	= sides_guest_trace,
};

static struct perf_guest_info_callbacks sides_plain_cbs = {
	.state	= sides_guest_state,
	.get_ip	= sides_guest_ip,
};

static void sides_guest_leaves(void *cbs)
{
	perf_unregister_guest_info_callbacks(cbs);
}

static void sides_guest_comes(struct kunit *test,
			      struct perf_guest_info_callbacks *cbs)
{
	int err;

	if (rcu_access_pointer(perf_guest_cbs))
		kunit_skip(test, "there is a hypervisor");
	WRITE_ONCE(sides_guest.task, current);
	sides_guest.state = 0;
	perf_register_guest_info_callbacks(cbs);
	err = kunit_add_action_or_reset(test, sides_guest_leaves, cbs);
	KUNIT_ASSERT_EQ(test, err, 0);
}

/* Mode and address are the guest's, whatever the registers say. */
static void sides_expect_guest(struct kunit *test, struct pt_regs *regs,
			       struct sides *sides, unsigned int state)
{
	struct record_fake *fake = test->priv;

	sides_guest.state = state;
	sides_take(test, sides, regs, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR);
	sides_guest.state = 0;
	KUNIT_EXPECT_EQ_MSG(test, sides_misc(fake), state & PERF_GUEST_USER ?
			    PERF_RECORD_MISC_GUEST_USER :
			    PERF_RECORD_MISC_GUEST_KERNEL, "state %u", state);
	KUNIT_EXPECT_EQ_MSG(test, fake->record[1], SIDES_GUEST_IP,
			    "state %u", state);
}

static void sides_in_guest(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct sides *sides = sides_make(test);

	sides_guest_comes(test, &sides_guest_cbs);
	for (int exclude = 0; exclude < 2; exclude++) {
		fake->event.attr.exclude_kernel = exclude;
		sides_expect_guest(test, &sides->kernel, sides,
				   PERF_GUEST_ACTIVE);
		sides_expect_guest(test, &sides->kernel, sides,
				   PERF_GUEST_ACTIVE | PERF_GUEST_USER);
		sides_expect_guest(test, &sides->user, sides,
				   PERF_GUEST_ACTIVE | PERF_GUEST_USER);
	}

	/* A hypervisor that runs no guest on this CPU. */
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_IP);
	KUNIT_EXPECT_EQ(test, sides_misc(fake), PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, fake->record[1], SIDES_USER_IP);
}

/* With exclude_guest the guest is not shown: the sample is one of the host. */
static void sides_guest_left_out(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct sides *sides = sides_make(test);

	sides_guest_comes(test, &sides_guest_cbs);
	fake->event.attr.exclude_guest = 1;
	sides_guest.state = PERF_GUEST_ACTIVE | PERF_GUEST_USER;
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_IP);
	KUNIT_EXPECT_EQ(test, sides_misc(fake), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, fake->record[1], sides->kernel.ip);
	sides_take(test, sides, &sides->user, PERF_SAMPLE_IP);
	KUNIT_EXPECT_EQ(test, sides_misc(fake), PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, fake->record[1], SIDES_USER_IP);

	fake->event.attr.exclude_kernel = 1;
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_IP);
	KUNIT_EXPECT_EQ(test, sides_misc(fake), PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, fake->record[1], SIDES_USER_IP);
	sides_guest.state = 0;
}

/* A guest's stack is not walked, and the host's is not shown in its place. */
static void sides_guest_chain(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct sides *sides = sides_make(test);
	unsigned int i;

	sides_guest_comes(test, &sides_guest_cbs);
	sides_guest.state = PERF_GUEST_ACTIVE;
	sides_take(test, sides, &sides->kernel, PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_LE(test, fake->record[1], 2);
	for (i = 0; i < fake->record[1]; i++)
		KUNIT_EXPECT_GE(test, fake->record[2 + i], PERF_CONTEXT_MAX);
}

/* The registers are those of the host's kernel, where the guest was left. */
static void sides_guest_excluded(struct kunit *test)
{
	struct record_fake *fake = test->priv;
	struct sides *sides = sides_make(test);

	sides_guest_comes(test, &sides_guest_cbs);
	sides_guest.state = PERF_GUEST_ACTIVE;
	fake->event.attr.exclude_kernel = 1;
	sides_take(test, sides, &sides->kernel, SIDES_FIELDS);
	KUNIT_EXPECT_EQ(test, sides_misc(fake), PERF_RECORD_MISC_GUEST_KERNEL);
	KUNIT_EXPECT_EQ(test, fake->record[1], SIDES_GUEST_IP);
	fake->record[1] = 0;
	KUNIT_EXPECT_EQ(test, sides_kernel_words(fake), 0);
}

/* A registered hypervisor answers each question; with none, the answer is 0. */
static void sides_guest_ends(struct kunit *test)
{
	struct perf_guest_info_callbacks *cbs[] = {
		&sides_guest_cbs, &sides_plain_cbs, &sides_guest_cbs,
	};

	for (int i = 0; i < ARRAY_SIZE(cbs); i++) {
		sides_guest_comes(test, cbs[i]);
		sides_guest.state = PERF_GUEST_ACTIVE | PERF_GUEST_USER;
		KUNIT_EXPECT_EQ(test, perf_guest_state(), sides_guest.state);
		KUNIT_EXPECT_EQ(test, perf_guest_get_ip(), SIDES_GUEST_IP);
		KUNIT_EXPECT_EQ(test, perf_guest_handle_intel_pt_intr(),
				cbs[i]->handle_intel_pt_intr ? 7 : 0);

		kunit_release_action(test, sides_guest_leaves, cbs[i]);
		KUNIT_EXPECT_EQ(test, perf_guest_state(), 0);
		KUNIT_EXPECT_EQ(test, perf_guest_get_ip(), 0);
		KUNIT_EXPECT_EQ(test, perf_guest_handle_intel_pt_intr(), 0);
		KUNIT_EXPECT_NULL(test, rcu_access_pointer(perf_guest_cbs));
	}
}
#endif /* CONFIG_GUEST_PERF_EVENTS */

static struct kunit_case sides_cases[] = {
	KUNIT_CASE(sides_both),
	KUNIT_CASE(sides_skid),
	KUNIT_CASE(sides_no_skid),
	KUNIT_CASE(sides_any_fields),
	KUNIT_CASE(sides_stack_ends),
	KUNIT_CASE(sides_no_stack),
	KUNIT_CASE(sides_chain_parts),
	KUNIT_CASE(sides_chain_depth),
	KUNIT_CASE(sides_chain_marks),
#ifdef CONFIG_UPROBES
	KUNIT_CASE(sides_return_probes),
#endif
#ifdef CONFIG_GUEST_PERF_EVENTS
	KUNIT_CASE(sides_in_guest),
	KUNIT_CASE(sides_guest_left_out),
	KUNIT_CASE(sides_guest_chain),
	KUNIT_CASE(sides_guest_excluded),
	KUNIT_CASE(sides_guest_ends),
#endif
	{ }
};

static struct kunit_suite sides_suite = {
	.name		= "perf_sample_sides",
	.init		= fake_init,
	.exit		= fake_exit,
	.test_cases	= sides_cases,
};

kunit_test_suite(sides_suite);

MODULE_DESCRIPTION("KUnit tests of what perf's samples show of whom");
MODULE_LICENSE("GPL");
