// SPDX-License-Identifier: GPL-2.0
/*
 * Room "amd/ibs_setup": the units of IBS are found and registered.
 *
 * Purpose: find out what the processor's IBS can do, let the local APICs
 * deliver its interrupt as an NMI, and register the PMUs ibs_fetch and ibs_op.
 *
 * Owns: the extended interrupt vector (EILVT) of IBS in the APIC of each CPU.
 *
 * Contexts: boot; a CPU that starts or stops; suspend and resume, with
 * interrupts off.
 *
 * The firmware chooses the vector and reports it in a register of each core. On
 * family 10h it chooses none, so the kernel does, and writes it to the north
 * bridges.
 *
 * Lifetime: the PMUs exist until the machine stops.
 *
 * Locking: none.
 */
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/pci.h>
#include <linux/syscore_ops.h>
#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <asm/processor.h>
#include "ibs.h"

static u32 found_caps __ro_after_init;

/**
 * get_ibs_caps() - tell what IBS can do
 *
 * Context: any.
 * Return: EAX of CPUID leaf 0x8000001b, or 0 if IBS is not used.
 */
u32 get_ibs_caps(void)
{
	return found_caps;
}
EXPORT_SYMBOL(get_ibs_caps);

/* Vector 0 is that of errors. */
#define FIRST_VECTOR	1

static bool reserve_vector(int vector)
{
	return !setup_APIC_eilvt(vector, 0, APIC_EILVT_MSG_NMI, 1);
}

static void free_vector(int vector)
{
	setup_APIC_eilvt(vector, 0, 0, 1);
}

/* Return: the vector that this CPU reports, or -EINVAL. */
static int reported_vector(void)
{
	u64 ctl;

	rdmsrl(MSR_AMD64_IBSCTL, ctl);
	return ctl & IBSCTL_LVT_OFFSET_VALID ? ctl & IBSCTL_LVT_OFFSET_MASK : -EINVAL;
}

static int write_bridge(struct pci_dev *bridge, u32 value)
{
	u32 found = 0;

	pci_write_config_dword(bridge, IBSCTL, value);
	pci_read_config_dword(bridge, IBSCTL, &found);
	return found == value ? 0 : -EINVAL;
}

static int write_bridges(int vector)
{
	struct pci_dev *bridge = NULL;
	int err = -ENODEV;

	for (;;) {
		bridge = pci_get_device(PCI_VENDOR_ID_AMD, PCI_DEVICE_ID_AMD_10H_NB_MISC, bridge);
		if (!bridge)
			return err;
		err = write_bridge(bridge, vector | IBSCTL_LVT_OFFSET_VALID);
		if (err) {
			pci_dev_put(bridge);
			return err;
		}
	}
}

/* Return: true if this CPU reports a vector that is free or ours. */
static bool vector_works(void)
{
	int vector;

	guard(preempt)();
	vector = reported_vector();
	return vector >= 0 && reserve_vector(vector);
}

static int reserve_any_vector(void)
{
	int vector;

	guard(preempt)();
	for (vector = FIRST_VECTOR; vector < APIC_EILVT_NR_MAX; vector++) {
		if (reserve_vector(vector))
			return vector;
	}
	return -EBUSY;
}

/* If that fails, the firmware may have chosen one nevertheless. */
static void choose_vector(void)
{
	int vector = reserve_any_vector();

	if (vector < 0)
		return;
	if (!write_bridges(vector) && vector_works()) {
		pr_info("LVT offset %d assigned\n", vector);
		return;
	}
	guard(preempt)();
	free_vector(vector);
}

static void prepare_vector(void)
{
	if (boot_cpu_data.x86 == 0x10)
		choose_vector();
}

static void unmask(void)
{
	int vector = reported_vector();

	if (vector < 0 || setup_APIC_eilvt(vector, 0, APIC_EILVT_MSG_NMI, 0))
		pr_warn("perf: IBS APIC setup failed on cpu #%d\n", smp_processor_id());
}

static void mask(void)
{
	int vector = reported_vector();

	if (vector >= 0)
		setup_APIC_eilvt(vector, 0, APIC_EILVT_MSG_FIX, 1);
}

static int start_cpu(unsigned int cpu)
{
	unmask();
	return 0;
}

static int stop_cpu(unsigned int cpu)
{
	mask();
	return 0;
}

/* Only the boot CPU is online then. */
static int suspend(void *unused)
{
	mask();
	return 0;
}

static void resume(void *unused)
{
	prepare_vector();
	/* No interrupt may come between the check of a state and the write. */
	amd_ibs_restore();
	unmask();
}

static const struct syscore_ops power_ops = {
	.suspend	= suspend,
	.resume		= resume,
};

static struct syscore power = {
	.ops	= &power_ops,
};

PMU_FORMAT_ATTR(rand_en, "config:57");
PMU_FORMAT_ATTR(cnt_ctl, "config:19");
PMU_EVENT_ATTR_STRING(l3missonly, fetch_l3missonly, "config:59");
PMU_EVENT_ATTR_STRING(l3missonly, op_l3missonly, "config:16");
PMU_EVENT_ATTR_STRING(zen4_ibs_extensions, zen4_ibs_extensions, "1");

static struct attribute *fetch_formats[] = {
	&format_attr_rand_en.attr,
	&fetch_l3missonly.attr.attr,
	NULL,
};

static struct attribute *op_formats[] = {
	&format_attr_cnt_ctl.attr,
	&op_l3missonly.attr.attr,
	NULL,
};

static struct attribute *caps_attrs[] = {
	&zen4_ibs_extensions.attr.attr,
	NULL,
};

/* All files but one are about something that only some processors have. */
static umode_t visible(struct kobject *kobj, struct attribute *attr, int n)
{
	u32 needed = IBS_CAPS_ZEN4;

	if (attr == &format_attr_rand_en.attr)
		return attr->mode;
	if (attr == &format_attr_cnt_ctl.attr)
		needed = IBS_CAPS_OPCNT;
	return amd_ibs_cpu.caps & needed ? attr->mode : 0;
}

static const struct attribute_group fetch_format_group = {
	.name		= "format",
	.attrs		= fetch_formats,
	.is_visible	= visible,
};

static const struct attribute_group op_format_group = {
	.name		= "format",
	.attrs		= op_formats,
	.is_visible	= visible,
};

static const struct attribute_group caps_group = {
	.name		= "caps",
	.attrs		= caps_attrs,
	.is_visible	= visible,
};

static const struct attribute_group *fetch_groups[] = {
	&fetch_format_group,
	&caps_group,
	NULL,
};

static const struct attribute_group *op_groups[] = {
	&op_format_group,
	&caps_group,
	NULL,
};

static const struct pmu methods __initconst = {
	.task_ctx_nr	= perf_hw_context,
	.capabilities	= PERF_PMU_CAP_NO_EXCLUDE,
	.event_init	= amd_ibs_event_init,
	.add		= amd_ibs_add,
	.del		= amd_ibs_del,
	.start		= amd_ibs_start,
	.stop		= amd_ibs_stop,
	.read		= amd_ibs_pmu_read,
};

static int __init register_unit(struct amd_ibs *ibs, const char *name,
				const struct attribute_group **groups)
{
	ibs->pmu = methods;
	ibs->pmu.attr_groups = groups;
	return perf_pmu_register(&ibs->pmu, name, -1);
}

static int __init register_units(void)
{
	int err = register_unit(&amd_ibs_fetch, "ibs_fetch", fetch_groups);

	if (err)
		return err;
	err = register_unit(&amd_ibs_op, "ibs_op", op_groups);
	if (err)
		goto no_op;
	err = register_nmi_handler(NMI_LOCAL, amd_ibs_nmi, 0, "perf_ibs");
	if (err)
		goto no_nmi;
	return 0;

no_nmi:
	perf_pmu_unregister(&amd_ibs_op.pmu);
no_op:
	perf_pmu_unregister(&amd_ibs_fetch.pmu);
	return err;
}

/* APM vol. 3 E.4.19; the first processors with IBS have no such leaf. */
static u32 __init read_caps(void)
{
	u32 caps = 0;

	if (!boot_cpu_has(X86_FEATURE_IBS))
		return 0;
	if (cpuid_eax(0x80000000) >= IBS_CPUID_FEATURES)
		caps = cpuid_eax(IBS_CPUID_FEATURES);
	return caps & IBS_CAPS_AVAIL ? caps : IBS_CAPS_DEFAULT;
}

static void __init set_units(u32 caps)
{
	amd_ibs_cpu.caps = caps;
	amd_ibs_cpu.user_end = TASK_SIZE_MAX;
	amd_ibs_decode_cpu(&amd_ibs_cpu, boot_cpu_data.x86, boot_cpu_data.x86_model);
	if (caps & IBS_CAPS_OPCNT)
		amd_ibs_op.allowed |= IBS_OP_CNT_CTL;
	if (caps & IBS_CAPS_OPCNTEXT) {
		amd_ibs_op.allowed |= IBS_OP_MAX_CNT_EXT_MASK;
		amd_ibs_op.counts |= IBS_OP_MAX_CNT_EXT_MASK | IBS_OP_CUR_CNT_EXT_MASK;
		amd_ibs_op.upper = IBS_OP_MAX_CNT_EXT_MASK;
		amd_ibs_op.max_period += IBS_OP_MAX_CNT_EXT_MASK;
	}
	if (caps & IBS_CAPS_ZEN4) {
		amd_ibs_fetch.allowed |= IBS_FETCH_L3MISSONLY;
		amd_ibs_op.allowed |= IBS_OP_L3MISSONLY;
	}
}

/* North bridges are found by way of PCI, which is there from now on. */
static int __init amd_ibs_init(void)
{
	u32 caps = read_caps();
	int err;

	if (!caps)
		return -ENODEV;
	prepare_vector();
	if (!vector_works()) {
		pr_err(FW_BUG "perf: IBS has no interrupt\n");
		return -EINVAL;
	}
	set_units(caps);
	if (IS_ENABLED(CONFIG_PM))
		register_syscore(&power);
	cpuhp_setup_state(CPUHP_AP_PERF_X86_AMD_IBS_STARTING, "perf/x86/amd/ibs:starting",
			  start_cpu, stop_cpu);
	err = register_units();
	if (err)
		return err;
	/* Only now can events be sent to ibs_op. */
	found_caps = caps;
	pr_info("perf: AMD IBS detected (0x%08x)\n", caps);
	return 0;
}
device_initcall(amd_ibs_init);
