// SPDX-License-Identifier: GPL-2.0
/*
 * Room "tsx": a counter that transactions need.
 *
 * Purpose: on Skylake and its successors the microcode uses counter 3 for
 * transactions (TSX). The counter is free while a bit of MSR_TSX_FORCE_ABORT is
 * set, and then every transaction aborts. So the bit is set as long as an event
 * has the counter, and only then.
 *
 * Owns: that register; x86_cpu::aborts; the file allow_tsx_force_abort. If it
 * says 0, no event gets the counter.
 *
 * Contexts: the CPU with interrupts off and x86_cpu::enabled false; never NMI.
 *
 * The counter is not touched while the bit is clear. When it is given back its
 * registers are set to 0, and their images are unknown from then on.
 *
 * Locking: none. The file's value is one word of the core; two writers at the
 * same time leave the value of one of them. After a change all CPUs are asked
 * under cpus_read_lock() to choose again.
 */
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include "tsx.h"

DEFINE_STATIC_KEY_FALSE(x86_tsx_key);

/**
 * x86_tsx_setup() - find out whether transactions need a counter
 * @core:	type of this machine's cores
 *
 * With RTM_ALWAYS_ABORT the microcode has given transactions up.
 *
 * Context: boot.
 */
void __init x86_tsx_setup(struct x86_core *core)
{
	if (!boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT) ||
	    boot_cpu_has(X86_FEATURE_RTM_ALWAYS_ABORT))
		return;
	core->lent = X86_TSX_COUNTER;
	static_branch_enable(&x86_tsx_key);
}

/**
 * x86_tsx_abort() - let transactions abort, so that an event can have the counter
 * @cpu: this CPU
 *
 * Context: this CPU, interrupts off, x86_cpu::enabled false.
 */
void x86_tsx_abort(struct x86_cpu *cpu)
{
	if (cpu->aborts)
		return;
	x86_regs_write(MSR_TSX_FORCE_ABORT, MSR_TFA_RTM_FORCE_ABORT);
	cpu->aborts = true;
}

/**
 * x86_tsx_stop_abort() - give the counter back to transactions
 * @cpu: this CPU, where no event has the counter
 *
 * Context: this CPU, interrupts off, x86_cpu::enabled false.
 */
void x86_tsx_stop_abort(struct x86_cpu *cpu)
{
	if (!cpu->aborts)
		return;
	x86_regs_abandon(&cpu->regs, X86_TSX_COUNTER);
	x86_regs_write(MSR_TSX_FORCE_ABORT, 0);
	cpu->aborts = false;
}

/**
 * x86_tsx_restart() - write the register anew, whatever it contains
 * @cpu: this CPU, which starts or resumes
 *
 * Context: this CPU, interrupts off.
 */
void x86_tsx_restart(struct x86_cpu *cpu)
{
	if (!static_branch_unlikely(&x86_tsx_key))
		return;
	cpu->aborts = cpu->used & X86_TSX_COUNTER;
	x86_regs_write(MSR_TSX_FORCE_ABORT, cpu->aborts ? MSR_TFA_RTM_FORCE_ABORT : 0);
}

/* If an event has the counter, which it may not have any more, choose again. */
static void choose_again(void *data)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (cpu->core == data && cpu->used & X86_TSX_COUNTER)
		perf_pmu_resched(&cpu->core->pmu);
}

/**
 * x86_tsx_allow() - say whether events may let transactions abort
 * @core: type of core
 * @allow: they may
 *
 * Context: task.
 */
void x86_tsx_allow(struct x86_core *core, bool allow)
{
	WRITE_ONCE(core->barred, allow ? 0 : X86_TSX_COUNTER);
	cpus_read_lock();
	on_each_cpu(choose_again, core, 1);
	cpus_read_unlock();
}

static struct x86_core *core_of(struct device *dev)
{
	return x86_core_of(dev_get_drvdata(dev));
}

static bool is_allowed(const struct x86_core *core)
{
	return !(READ_ONCE(core->barred) & X86_TSX_COUNTER);
}

static ssize_t allow_tsx_force_abort_show(struct device *dev, struct device_attribute *attr,
					  char *page)
{
	return sysfs_emit(page, "%d\n", is_allowed(core_of(dev)));
}

static ssize_t allow_tsx_force_abort_store(struct device *dev, struct device_attribute *attr,
					   const char *text, size_t count)
{
	struct x86_core *core = core_of(dev);
	bool allow;
	int err = kstrtobool(text, &allow);

	if (err)
		return err;
	if (allow != is_allowed(core))
		x86_tsx_allow(core, allow);
	return count;
}
static DEVICE_ATTR_RW(allow_tsx_force_abort);

static struct attribute *tsx_attrs[] = {
	&dev_attr_allow_tsx_force_abort.attr,
	NULL,
};

static umode_t tsx_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return static_key_enabled(&x86_tsx_key) ? attr->mode : 0;
}

const struct attribute_group x86_tsx_group = {
	.attrs		= tsx_attrs,
	.is_visible	= tsx_visible,
};
