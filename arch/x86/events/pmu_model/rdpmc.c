// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: RDPMC in programs
 *
 * While CR4.PCE is clear QEMU raises #GP for RDPMC in user mode, as the manual
 * says. While it is set the instruction should work, but QEMU has no counter to
 * read and raises #UD. That #UD is handled here.
 *
 * Contexts: die notifier, called by a trap from user mode.
 */
#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/tlbflush.h>
#include <asm/trapnr.h>

#include "pmu_model.h"

static const u8 rdpmc_insn[] = { 0x0f, 0x33 };

static bool at_rdpmc(const struct pt_regs *regs)
{
	u8 insn[sizeof(rdpmc_insn)];

	if (copy_from_user_nofault(insn, (const void __user *)regs->ip,
				   sizeof(insn)))
		return false;
	return !memcmp(insn, rdpmc_insn, sizeof(insn));
}

static int user_trap(struct notifier_block *nb, unsigned long val, void *data)
{
	struct die_args *args = data;
	struct pt_regs *regs = args->regs;
	u64 count;

	if (val != DIE_TRAP || args->trapnr != X86_TRAP_UD)
		return NOTIFY_DONE;
	if (!user_mode(regs) || !at_rdpmc(regs))
		return NOTIFY_DONE;

	if (!(cr4_read_shadow() & X86_CR4_PCE) ||
	    pmu_model_read_pmc(regs->cx, &count)) {
		current->thread.trap_nr = X86_TRAP_GP;
		current->thread.error_code = 0;
		force_sig(SIGSEGV);
		return NOTIFY_STOP;
	}
	regs->ax = lower_32_bits(count);
	regs->dx = upper_32_bits(count);
	regs->ip += sizeof(rdpmc_insn);
	pmu_model_count_rdpmc();
	return NOTIFY_STOP;
}

static struct notifier_block user_trap_block = {
	.notifier_call = user_trap,
};

/**
 * pmu_model_user_rdpmc_init() - let programs read counters
 *
 * Return: 0 or the error of register_die_notifier().
 */
int __init pmu_model_user_rdpmc_init(void)
{
	return register_die_notifier(&user_trap_block);
}
