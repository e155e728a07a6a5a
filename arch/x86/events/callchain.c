// SPDX-License-Identifier: GPL-2.0
/*
 * Room "callchain": where samples come from.
 *
 * Purpose: walk the stacks of the kernel and of user space, and say to which
 * address and which mode a sample belongs.
 *
 * Owns: nothing.
 *
 * Contexts: any, NMI included, in the task that is sampled.
 *
 * Bounds: a walk ends when the chain is full, so a stack whose frames form a
 * loop ends it, too. User memory is read without page faults: what is not in
 * memory ends the walk.
 *
 * Guests: their stacks are not walked, since only the hypervisor could do that.
 *
 * Locking: none. A segment's descriptor in the LDT is read with interrupts off.
 */
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <linux/uprobes.h>
#include <asm/desc.h>
#include <asm/mmu_context.h>
#include <asm/perf_event.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <asm/unwind.h>

/* The instruction endbr64, SDM vol. 2A; programs have it on every kernel. */
#define ENDBR64		0xfa1e0ff3

/*
 * perf_fetch_caller_regs() makes up registers, with flags of 0. Those of a real
 * interruption have the bit that is always set, SDM vol. 1 3.4.3.
 */
static bool is_interruption(const struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_FIXED;
}

/**
 * perf_callchain_kernel() - record the kernel's part of a call chain
 * @entry: the chain
 * @regs: of the kernel, or made up by perf_fetch_caller_regs()
 *
 * Nothing is recorded while a guest runs.
 *
 * Context: any.
 */
void perf_callchain_kernel(struct perf_callchain_entry_ctx *entry,
			   struct pt_regs *regs)
{
	struct unwind_state state;
	unsigned long ip;

	if (perf_guest_state())
		return;
	if (!is_interruption(regs)) {
		unwind_start(&state, current, NULL, (unsigned long *)regs->sp);
	} else {
		if (perf_callchain_store(entry, regs->ip))
			return;
		unwind_start(&state, current, regs, NULL);
	}
	while (!unwind_done(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip || perf_callchain_store(entry, ip))
			return;
		unwind_next_frame(&state);
	}
}

/*
 * The task's own segments. Another thread may replace the table: it waits for
 * the CPUs that use the process to take an interrupt before it frees the old
 * one.
 */
static unsigned long ldt_base(unsigned int index)
{
#ifdef CONFIG_MODIFY_LDT_SYSCALL
	const struct ldt_struct *ldt;

	guard(irqsave)();
	ldt = READ_ONCE(current->active_mm->context.ldt);
	if (ldt && index < ldt->nr_entries)
		return get_desc_base(&ldt->entries[index]);
#endif
	return 0;
}

/* A selector: index, table, privilege, SDM vol. 3 3.4.2. */
static unsigned long segment_base(unsigned int selector)
{
	unsigned int index = selector >> 3;

	if ((selector & SEGMENT_TI_MASK) == SEGMENT_LDT)
		return ldt_base(index);
	if (index >= GDT_ENTRIES)
		return 0;
	return get_desc_base(get_cpu_gdt_rw(raw_smp_processor_id()) + index);
}

/* How to read a user stack. */
struct user_stack {
	bool		wide;		/* words of 64 bits, no segments */
	unsigned long	code_base;
	unsigned long	stack_base;
};

/* Two words of a stack with frame pointers. */
struct user_frame {
	unsigned long	caller;		/* frame pointer of the caller */
	unsigned long	ip;		/* return address */
};

static void find_stack(struct user_stack *stack, struct pt_regs *regs)
{
	stack->wide = user_64bit_mode(regs);
	stack->code_base = stack->wide ? 0 : segment_base(regs->cs);
	stack->stack_base = stack->wide ? 0 : segment_base(regs->ss);
}

/* Page faults are off, and user memory may be read now. */
static bool read_word(const struct user_stack *stack, unsigned long at, unsigned long *word)
{
	const void __user *from = (void __user *)at;
	u32 narrow;

	if (stack->wide)
		return __access_ok(from, sizeof(*word)) &&
		       !__get_user(*word, (const unsigned long __user *)from);
	from = (void __user *)(unsigned long)(u32)(stack->stack_base + at);
	if (!__access_ok(from, sizeof(narrow)) || __get_user(narrow, (const u32 __user *)from))
		return false;
	*word = narrow;
	return true;
}

static bool read_frame(const struct user_stack *stack, unsigned long at,
		       struct user_frame *frame)
{
	unsigned long size = stack->wide ? sizeof(u64) : sizeof(u32);

	return read_word(stack, at, &frame->caller) && read_word(stack, at + size, &frame->ip);
}

/*
 * Is a uprobe's handler running for the first instruction of a function? Then
 * the function has no frame yet. It most likely begins with push %rbp or
 * endbr64; another instruction like that costs one wrong address in the chain.
 */
static bool is_uprobe_at_entry(struct pt_regs *regs)
{
#ifdef CONFIG_UPROBES
	const struct arch_uprobe *probe;

	probe = current->utask ? current->utask->auprobe : NULL;
	if (!probe)
		return false;
	if (probe->insn[0] == 0x55)
		return true;
	return user_64bit_mode(regs) && get_unaligned_le32(probe->insn) == ENDBR64;
#else
	return false;
#endif
}

/* Record the callers: return addresses, from the innermost frame outwards. */
static void walk_user(struct perf_callchain_entry_ctx *entry,
		      struct pt_regs *regs)
{
	struct user_frame frame = { .caller = regs->bp };
	struct user_stack stack;

	find_stack(&stack, regs);
	if (is_uprobe_at_entry(regs) && read_word(&stack, regs->sp, &frame.ip) &&
	    perf_callchain_store(entry, stack.code_base + frame.ip))
		return;
	while (entry->nr < entry->max_stack && read_frame(&stack, frame.caller, &frame)) {
		if (perf_callchain_store(entry, stack.code_base + frame.ip))
			return;
	}
}

/**
 * perf_callchain_user() - record the user's part of a call chain
 * @entry: the chain
 * @regs: of user space
 *
 * The callers are found by frame pointers. Nothing is recorded while a guest
 * runs, and in virtual-8086 mode.
 *
 * Context: any.
 */
void perf_callchain_user(struct perf_callchain_entry_ctx *entry,
			 struct pt_regs *regs)
{
	if (perf_guest_state())
		return;
	if (regs->flags & (X86_VM_MASK | PERF_EFLAGS_VM))
		return;
	if (perf_callchain_store(entry, regs->ip) || !nmi_uaccess_okay())
		return;
	pagefault_disable();
	walk_user(entry, regs);
	pagefault_enable();
}

/*
 * What to add to the instruction pointer for a linear address. The usual
 * segments begin at 0, and so do all code segments in 64-bit mode, SDM vol. 3
 * 3.4.4. In virtual-8086 mode a segment begins at 16 times its number, 21.1.1.
 */
static unsigned long code_base(struct pt_regs *regs)
{
	if (!user_mode(regs))
		return 0;
	if (IS_ENABLED(CONFIG_X86_32) && regs->flags & X86_VM_MASK)
		return (unsigned long)regs->cs << 4;
	if (user_64bit_mode(regs) || regs->cs == __USER32_CS)
		return 0;
	return segment_base(regs->cs);
}

/**
 * perf_instruction_pointer() - find the address of a sample
 * @regs: what was interrupted
 *
 * Context: any.
 * Return: linear address, the guest's while one runs.
 */
unsigned long perf_instruction_pointer(struct pt_regs *regs)
{
	if (perf_guest_state())
		return perf_guest_get_ip();
	return regs->ip + code_base(regs);
}

/**
 * perf_misc_flags() - find the mode of a sample
 * @regs: what was interrupted; PERF_EFLAGS_EXACT in flags says that the address
 *	is exact
 *
 * Context: any.
 * Return: PERF_RECORD_MISC_* for perf_event_header.misc.
 */
unsigned long perf_misc_flags(struct pt_regs *regs)
{
	unsigned int guest = perf_guest_state();
	unsigned long exact = regs->flags & PERF_EFLAGS_EXACT ?
			      PERF_RECORD_MISC_EXACT_IP : 0;

	if (guest & PERF_GUEST_USER)
		return exact | PERF_RECORD_MISC_GUEST_USER;
	if (guest)
		return exact | PERF_RECORD_MISC_GUEST_KERNEL;
	if (user_mode(regs))
		return exact | PERF_RECORD_MISC_USER;
	return exact | PERF_RECORD_MISC_KERNEL;
}
