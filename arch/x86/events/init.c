// SPDX-License-Identifier: GPL-2.0
/*
 * Room "init": the PMUs are registered.
 *
 * Purpose: choose the driver of the processor's vendor, check that the counters
 * exist, and register the PMUs; open and close events.
 *
 * Owns: the methods of the PMUs, and the reservation of their counters.
 *
 * Contexts: boot; the task that opens or closes an event.
 *
 * Lifetime: the PMUs exist until the machine stops.
 *
 * Locking: none.
 */
#include <linux/perf_event.h>
#include <linux/syscore_ops.h>
#include <asm/cpufeature.h>
#include "branch.h"
#include "config.h"
#include "load.h"
#include "mapped.h"
#include "overflow.h"
#include "perf_event.h"
#include "reserve.h"
#include "run.h"
#include "setup.h"
#include "sysfs.h"
#include "trial.h"
#include "validate.h"

/*
 * The general counters of all CPUs. On a hybrid machine both types of cores use
 * the same addresses, and one type may have more counters.
 */
static u64 all_general(void)
{
	u64 counters = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu(x86_cpu, cpu).core)
			counters |= per_cpu(x86_cpu, cpu).core->facts.counters;
	}
	return counters & X86_GENERAL(X86_MAX_GENERAL);
}

static struct x86_reserve reserve;

static int hold_pmu(const struct perf_event *event)
{
	int err = x86_reserve_get(&reserve);

	if (err)
		return err;
	err = x86_run_open(event);
	if (err)
		x86_reserve_put(&reserve);
	else
		x86_overflow_use();
	return err;
}

/* Other users of branch records may begin. */
static void end_exclusion(struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_EXCLUSIVE)
		x86_del_exclusive(x86_lbr_exclusive_lbr);
}

static void destroy(struct perf_event *event)
{
	end_exclusion(event);
	x86_overflow_unuse();
	x86_run_close(event);
	x86_reserve_put(&reserve);
}

static bool type_is_ours(const struct perf_event *event)
{
	u32 type = event->attr.type;

	return type == event->pmu->type || type == PERF_TYPE_HARDWARE ||
	       type == PERF_TYPE_HW_CACHE;
}

static int event_init(struct perf_event *event)
{
	struct x86_core *core = x86_core_of(event->pmu);
	int err;

	if (!type_is_ours(event))
		return -ENOENT;
	if (core->pmu.filter && event->cpu >= 0 && core->pmu.filter(&core->pmu, event->cpu))
		return -ENOENT;
	err = x86_config_init(event);
	if (!err)
		err = x86_validate(event);
	if (!err)
		err = hold_pmu(event);
	if (!err)
		event->destroy = destroy;
	else
		end_exclusion(event);
	return err;
}

/* Return: true if the PMU is not on the CPU. */
static bool filter(struct pmu *pmu, int cpu)
{
	return !cpumask_test_cpu(cpu, &x86_core_of(pmu)->cpus);
}

/* Counters that pinned events of this CPU hold. */
static u64 held_counters(const struct x86_cpu *cpu)
{
	u64 held = 0;
	unsigned int i;

	for (i = 0; i < cpu->nr; i++) {
		if (cpu->at[i] >= 0 && perf_event_is_pinned_to_cpu(cpu->events[i]))
			held |= x86_event_bits(cpu->events[i], cpu->at[i]);
	}
	return held;
}

static int counters(struct pmu *pmu, struct perf_pmu_counters *c)
{
	const struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 all, free;

	if (cpu->core != x86_core_of(pmu))
		return -ENODEV;
	all = cpu->core->facts.counters;
	free = x86_core_counters(cpu->core) & ~held_counters(cpu);
	c->general = hweight64(all & X86_GENERAL(X86_MAX_GENERAL));
	c->fixed = hweight64(all & X86_ALL_FIXED);
	c->general_free = hweight64(free & X86_GENERAL(X86_MAX_GENERAL));
	c->fixed_free = hweight64(free & X86_ALL_FIXED);
	return 0;
}

/* A vendor's own work at a task switch, or NULL. */
static void (*vendor_sched_task)(bool sched_in) __ro_after_init;

static void sched_task(struct perf_event_pmu_context *ctx, struct task_struct *task, bool sched_in)
{
	x86_branch_sched_task(ctx, task, sched_in);
	if (vendor_sched_task)
		vendor_sched_task(sched_in);
}

static const struct pmu methods __initconst = {
	.attr_groups	= x86_sysfs_groups,
	.pmu_enable	= x86_run_enable,
	.pmu_disable	= x86_run_disable,
	.event_init	= event_init,
	.event_mapped	= x86_mapped_begin,
	.event_unmapped	= x86_mapped_end,
	.add		= x86_run_add,
	.del		= x86_run_del,
	.start		= x86_run_start,
	.stop		= x86_run_stop,
	.read		= x86_run_read,
	.start_txn	= x86_run_begin_txn,
	.commit_txn	= x86_run_commit_txn,
	.cancel_txn	= x86_run_cancel_txn,
	.load		= x86_load,
	.unload		= x86_unload,
	.event_idx	= x86_mapped_event_idx,
	.sched_task	= sched_task,
	.check_period	= x86_config_check_period,
	.counters	= counters,
};

static int __init choose_vendor(struct x86_setup *setup)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		if (!intel_p6_setup(setup))
			return 0;
		return intel_core_setup(setup);
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		return amd_core_setup(setup);
	case X86_VENDOR_CENTAUR:
	case X86_VENDOR_ZHAOXIN:
		if (IS_ENABLED(CONFIG_CPU_SUP_CENTAUR) || IS_ENABLED(CONFIG_CPU_SUP_ZHAOXIN))
			return zhaoxin_core_setup(setup);
		return -ENODEV;
	default:
		return -ENODEV;
	}
}

static bool __init counters_work(const struct x86_core *core)
{
	u64 general = core->facts.counters & X86_GENERAL(X86_MAX_GENERAL);

	/* Firmware uses them, or an earlier kernel has left them running. */
	if (x86_trial_stop(&x86_pmc, general & ~core->lent))
		pr_info("Performance Events: counters were running, they are stopped.\n");
	return x86_trial_works(&x86_pmc, general);
}

static int __init register_cores(const struct x86_setup *setup)
{
	struct x86_core *core;
	unsigned int i;
	int err;

	vendor_sched_task = setup->sched_task;
	/* The Atom cores first: programs find the others by PERF_TYPE_RAW. */
	for (i = setup->nr_cores; i--;) {
		core = setup->cores[i];
		core->pmu = methods;
		core->pmu.task_ctx_cache = setup->task_data;
		if (core->precise_xmm)
			core->pmu.capabilities |= PERF_PMU_CAP_EXTENDED_REGS;
		if (!boot_cpu_has(X86_FEATURE_APIC))
			core->pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
		if (setup->nr_cores > 1) {
			core->pmu.capabilities |= PERF_PMU_CAP_EXTENDED_HW_TYPE;
			core->pmu.filter = filter;
		}
		err = perf_pmu_register(&core->pmu, setup->names[i], i ? -1 : PERF_TYPE_RAW);
		if (err)
			goto unregister;
	}
	return 0;

unregister:
	while (++i < setup->nr_cores)
		perf_pmu_unregister(&setup->cores[i]->pmu);
	return err;
}

/* For the boot CPU. The other CPUs are started again, as by hotplug. */
static void resume(void *unused)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (!cpu->core)
		return;
	x86_cpu_clean();
	x86_run_restore(cpu);
}

static const struct syscore_ops resume_ops = {
	.resume	= resume,
};

static struct syscore resume_syscore = {
	.ops	= &resume_ops,
};

static int __init start_drivers(const struct x86_setup *setup)
{
	int err = x86_overflow_init(setup->pmi);

	if (err)
		return err;
	err = x86_cpu_init(setup->cpu);
	if (err)
		goto no_cpus;
	x86_reserve_init(&reserve, all_general);
	err = register_cores(setup);
	if (err)
		goto no_cores;
	x86_pmu.handle_irq = x86_overflow_handle;
	register_syscore(&resume_syscore);
	return 0;

no_cores:
	x86_cpu_exit();
no_cpus:
	x86_overflow_exit();
	return err;
}

static int __init x86_pmu_init(void)
{
	struct x86_setup setup = { .nr_cores = 1, .names = { "cpu" } };

	if (choose_vendor(&setup)) {
		pr_info("Performance Events: no PMU driver, software events only.\n");
		return 0;
	}
	if (!counters_work(setup.cores[0])) {
		pr_info("Performance Events: the counters do not work, software events only.\n");
		return 0;
	}
	pr_info("Performance Events: %s %s PMU driver.\n", setup.name, setup.vendor);
	return start_drivers(&setup);
}
early_initcall(x86_pmu_init);
