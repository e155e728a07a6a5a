// SPDX-License-Identifier: GPL-2.0
/*
 * Room "branch": events that record branches.
 *
 * Purpose: let the vendor's recorder of branches run while events need it, and
 * read the instructions at which branches were recorded, since a filter has to
 * know what kind of branch each one is.
 *
 * Owns: which vendor's recorder is used.
 *
 * Contexts: the CPU itself with interrupts off; NMI.
 *
 * While x86_cpu::branches is false, no event of the CPU records branches and
 * the recorder is off. So events without branches cost only a test of that
 * field.
 *
 * Lifetime: the recorder is chosen at boot, and never changes.
 *
 * Locking: none.
 */
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <kunit/static_stub.h>
#include <asm/insn.h>
#include <asm/perf_event.h>
#include <asm/sections.h>
#include "branch.h"

static const struct x86_branch_ops *ops __ro_after_init;

/**
 * x86_branch_set_ops() - say how branches are recorded
 * @what: the vendor's recorder
 *
 * Context: boot.
 */
void __init x86_branch_set_ops(const struct x86_branch_ops *what)
{
	ops = what;
}

/**
 * x86_branch_one_filter() - must all events need the same filter?
 *
 * Context: task that opens an event; there is a recorder.
 * Return: true if they must.
 */
bool x86_branch_one_filter(void)
{
	return ops->one_filter;
}

/**
 * x86_branch_claim() - let the recorder run for an event
 * @cpu: this CPU
 * @event: event that records branches and is scheduled in
 *
 * Context: this CPU, interrupts off, PMU disabled.
 * Return: 0, or -EBUSY if the recorder is in use in another way.
 */
int x86_branch_claim(struct x86_cpu *cpu, struct perf_event *event)
{
	int err = ops->get(cpu, event);

	if (err)
		return err;
	cpu->branches = true;
	perf_sched_cb_inc(event->pmu);
	return 0;
}

/**
 * x86_branch_release() - undo x86_branch_claim()
 * @cpu: this CPU
 * @event: event that is scheduled out
 *
 * Context: this CPU, interrupts off, x86_cpu::enabled false.
 */
void x86_branch_release(struct x86_cpu *cpu, struct perf_event *event)
{
	perf_sched_cb_dec(event->pmu);
	ops->put(cpu, event);
}

/**
 * x86_branch_start() - let the recorder run if events need it
 * @cpu: this CPU, whose field branches is true
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
void x86_branch_start(struct x86_cpu *cpu)
{
	ops->start(cpu);
}

/**
 * x86_branch_stop() - keep branches of the kernel out of the recorder
 * @cpu: this CPU, whose field branches is true
 *
 * Context: this CPU, interrupts off, counters stand still.
 */
void x86_branch_stop(struct x86_cpu *cpu)
{
	ops->stop(cpu);
}

/**
 * x86_branch_forget() - say that the recorder's registers may contain anything
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off.
 */
void x86_branch_forget(struct x86_cpu *cpu)
{
	if (ops)
		ops->forget(cpu);
}

/**
 * x86_branch_save() - add branches to a sample
 * @event: event that has overflowed and records branches
 * @data: its sample
 *
 * Tests replace this function by one that notes that it was called.
 *
 * Context: NMI.
 */
void x86_branch_save(struct perf_event *event, struct perf_sample_data *data)
{
	KUNIT_STATIC_STUB_REDIRECT(x86_branch_save, event, data);
	ops->save(event, data);
}

/**
 * x86_branch_sched_task() - a task is switched in or out
 * @ctx: its events of this PMU, or those of the CPU
 * @task: the task
 * @sched_in: it is switched in
 *
 * Context: this CPU, interrupts off, PMU disabled.
 */
void x86_branch_sched_task(struct perf_event_pmu_context *ctx, struct task_struct *task,
			   bool sched_in)
{
	if (__this_cpu_read(x86_cpu.branches))
		ops->sched_task(ctx, sched_in);
}

/**
 * x86_branch_describe() - tell a hypervisor about the recorder
 * @lbr: gets its registers; zeros if there is none that a guest may have
 *
 * Context: any.
 */
void x86_branch_describe(struct x86_pmu_lbr *lbr)
{
	memset(lbr, 0, sizeof(*lbr));
	if (ops && ops->describe)
		ops->describe(lbr);
}

/* How many bytes there are from @address to the end of its page. */
static unsigned int left_in_page(u64 address)
{
	return PAGE_SIZE - offset_in_page(address);
}

/*
 * A branch may be reported at any address, such as that of a fault. So only the
 * kernel's text is read, and not the gate area, which is code of user space.
 */
static unsigned int read_kernel(u8 *bytes, u64 from)
{
	unsigned int nr = MAX_INSN_SIZE;

	if (!kernel_text_address(from) || in_gate_area_no_mm(from))
		return 0;
	if (!copy_from_kernel_nofault(bytes, (void *)(unsigned long)from, nr))
		return nr;
	nr = min(nr, left_in_page(from));
	return copy_from_kernel_nofault(bytes, (void *)(unsigned long)from, nr) ? 0 : nr;
}

/*
 * A kernel thread has no user space, although the recorder may have branches of
 * the task that ran before it.
 */
static unsigned int read_user(u8 *bytes, u64 from)
{
	if (!current->mm)
		return 0;
	return MAX_INSN_SIZE - copy_from_user_nmi(bytes, (void __user *)(unsigned long)from,
						  MAX_INSN_SIZE);
}

static bool is_64bit(bool kernel)
{
#ifdef CONFIG_X86_64
	return kernel || any_64bit_mode(current_pt_regs());
#else
	return false;
#endif
}

/**
 * x86_branch_look() - classify the instruction at an address
 * @from: address of a branch, of the kernel or of the task that runs
 * @kernel: it is an address of the kernel
 *
 * Context: interrupts off or NMI.
 * Return: X86_BRANCH_*; _NONE also for what cannot be read.
 */
u32 x86_branch_look(u64 from, bool kernel)
{
	u8 bytes[MAX_INSN_SIZE];
	unsigned int nr = kernel ? read_kernel(bytes, from) : read_user(bytes, from);

	return nr ? x86_branch_type_decode(bytes, nr, is_64bit(kernel)) : X86_BRANCH_NONE;
}

/**
 * x86_branch_find() - find the branch at an address or behind it
 * @from: address of an instruction with which the processor may have fused a
 *	branch
 * @kernel: it is an address of the kernel
 * @offset: gets the distance from @from to the branch
 *
 * Context: interrupts off or NMI.
 * Return: as x86_branch_look().
 */
u32 x86_branch_find(u64 from, bool kernel, unsigned int *offset)
{
	u8 bytes[MAX_INSN_SIZE];
	unsigned int nr = kernel ? read_kernel(bytes, from) : read_user(bytes, from);

	*offset = 0;
	return nr ? x86_branch_type_find(bytes, nr, is_64bit(kernel), offset) : X86_BRANCH_NONE;
}

/**
 * x86_branch_keep() - remove branches that an event has not asked for
 * @wanted: what it has asked for, X86_BRANCH_*
 * @entries: branches; their type is 0, or what the hardware says
 * @counters: the counts of each branch, which move with it; or NULL
 * @nr: number of branches
 *
 * Context: interrupts off or NMI.
 * Return: number of branches that stay.
 */
unsigned int x86_branch_keep(u32 wanted, struct perf_branch_entry *entries, u64 *counters,
			     unsigned int nr)
{
	const struct x86_branch_filter filter = {
		.wanted	= wanted,
		.kernel	= IS_ENABLED(CONFIG_X86_64) ? BIT_ULL(63) : PAGE_OFFSET,
		.look	= x86_branch_look,
	};

	return x86_branch_filter_run(&filter, entries, counters, nr);
}
