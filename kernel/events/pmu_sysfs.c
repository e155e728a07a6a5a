// SPDX-License-Identifier: GPL-2.0
/*
 * Room "pmu_sysfs": the devices of PMUs, in /sys/bus/event_source/devices/.
 *
 * Purpose: the files type, nr_addr_filters, cpumask and
 * perf_event_mux_interval_ms of each PMU, and the driver's own groups. The
 * files caps/counters_* are those of the room "caps".
 *
 * Owns: the bus; pmu->dev. It changes pmu->hrtimer_interval_ms, and
 * cpc->mux_interval of each CPU, when a user says so.
 *
 * Contexts: task. A new interval is set on each CPU by an interrupt.
 *
 * Lifetime: a device is made when its PMU registers, or with the bus if that is
 * later. Removing it waits for the files that are in use; the PMU and its data
 * for each CPU go afterwards.
 *
 * Locking: perf_pmus_mutex, which the room "pmu" holds while it has a device
 * made. The mutex is not held while the device of a registered PMU is removed,
 * since a file may wait for a CPU hotplug that waits for that mutex.
 * interval_mutex serialises writes of an interval; cpc->mux_lock protects the
 * timer.
 *
 * Race: a CPU comes online while an interval is written. The CPU hotplug lock
 * keeps it off until all CPUs have the interval, those that are offline too.
 */
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "pmu_sysfs.h"
#include "remote.h"

/* The masks of scopes; NULL until there is a bus. */
static const struct cpumask *pmu_sysfs_masks __ro_after_init;

static ssize_t type_show(struct device *dev, struct device_attribute *attr,
			 char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return sysfs_emit(page, "%d\n", pmu->type);
}
static DEVICE_ATTR_RO(type);

static ssize_t nr_addr_filters_show(struct device *dev,
				    struct device_attribute *attr, char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return sysfs_emit(page, "%d\n", pmu->nr_addr_filters);
}
static DEVICE_ATTR_RO(nr_addr_filters);

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return cpumap_print_to_pagebuf(true, page,
				       &pmu_sysfs_masks[pmu->scope]);
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t perf_event_mux_interval_ms_show(struct device *dev,
					       struct device_attribute *attr,
					       char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return sysfs_emit(page, "%d\n", pmu->hrtimer_interval_ms);
}

/* Runs on the CPU. A pending timer is restarted with the new interval. */
static int pmu_sysfs_restart_turn(void *arg)
{
	struct pmu *pmu = arg;
	struct perf_cpu_pmu_context *cpc = this_cpu_ptr(pmu->cpu_pmu_context);

	guard(raw_spinlock)(&cpc->mux_lock);
	cpc->mux_interval = ms_to_ktime(pmu->hrtimer_interval_ms);
	if (cpc->mux_active)
		hrtimer_start(&cpc->mux_timer, cpc->mux_interval,
			      HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static ssize_t perf_event_mux_interval_ms_store(struct device *dev,
						struct device_attribute *attr,
						const char *buf, size_t count)
{
	static DEFINE_MUTEX(interval_mutex);
	struct pmu *pmu = dev_get_drvdata(dev);
	int interval, cpu, err;

	err = kstrtoint(buf, 0, &interval);
	if (err)
		return err;
	if (interval < 1)
		return -EINVAL;

	guard(mutex)(&interval_mutex);
	guard(cpus_read_lock)();
	pmu->hrtimer_interval_ms = interval;
	for_each_possible_cpu(cpu) {
		struct perf_cpu_pmu_context *cpc;

		cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);
		if (perf_cpu_call(cpu, pmu_sysfs_restart_turn, pmu))
			cpc->mux_interval = ms_to_ktime(interval);
	}
	return count;
}
static DEVICE_ATTR_RW(perf_event_mux_interval_ms);

static struct attribute *pmu_sysfs_attrs[] = {
	&dev_attr_type.attr,
	&dev_attr_perf_event_mux_interval_ms.attr,
	&dev_attr_nr_addr_filters.attr,
	&dev_attr_cpumask.attr,
	NULL,
};

static umode_t pmu_sysfs_mode(struct kobject *kobj, struct attribute *attr,
			      int n)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));

	if (attr == &dev_attr_nr_addr_filters.attr && !pmu->nr_addr_filters)
		return 0;
	if (attr == &dev_attr_cpumask.attr && pmu->scope == PERF_PMU_SCOPE_NONE)
		return 0;
	return attr->mode;
}

static const struct attribute_group pmu_sysfs_group = {
	.is_visible	= pmu_sysfs_mode,
	.attrs		= pmu_sysfs_attrs,
};

static const struct attribute_group *pmu_sysfs_groups[] = {
	&pmu_sysfs_group,
	NULL,
};

static const struct bus_type pmu_sysfs_bus = {
	.name		= "event_source",
	.dev_groups	= pmu_sysfs_groups,
};

static void pmu_sysfs_release(struct device *dev)
{
	kfree(dev);
}

/**
 * perf_pmu_sysfs_has_dev() - check whether a PMU has a device
 * @pmu: PMU
 *
 * Context: task; no device is added to @pmu or removed meanwhile.
 * Return: true if it has one.
 */
bool perf_pmu_sysfs_has_dev(const struct pmu *pmu)
{
	return pmu->dev && pmu->dev != PMU_NULL_DEV;
}

/**
 * perf_pmu_sysfs_del() - remove a PMU's device, if it has one
 * @pmu: PMU that is not registered any more, or not yet
 *
 * Waits until no file of the device is in use.
 *
 * Context: task; no lock for which a file may wait.
 */
void perf_pmu_sysfs_del(struct pmu *pmu)
{
	if (!perf_pmu_sysfs_has_dev(pmu))
		return;
	device_del(pmu->dev);
	put_device(pmu->dev);
	pmu->dev = NULL;
}

/**
 * perf_pmu_sysfs_add() - make a PMU's device and its files
 * @pmu: PMU with name, type, methods and data for each CPU
 *
 * Nothing is done for PMUs that want no device, and before
 * perf_pmu_sysfs_start(). If this fails, the PMU may have a device: the caller
 * removes it after it has unlocked perf_pmus_mutex.
 *
 * Context: task; perf_pmus_mutex.
 * Return: 0; -ENOMEM; errors of sysfs.
 */
int perf_pmu_sysfs_add(struct pmu *pmu)
{
	struct device *dev;
	int err;

	/* Without the bus, the device is added later; some PMUs want none. */
	if (!pmu_sysfs_masks || pmu->dev)
		return 0;
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	device_initialize(dev);
	dev->groups = pmu->attr_groups;
	dev->bus = &pmu_sysfs_bus;
	dev->parent = pmu->parent;
	dev->release = pmu_sysfs_release;
	dev_set_drvdata(dev, pmu);

	pmu->dev = dev;
	err = dev_set_name(dev, "%s", pmu->name);
	if (!err)
		err = device_add(dev);
	if (err) {
		pmu->dev = NULL;
		put_device(dev);
		return err;
	}
	return pmu->attr_update ?
		       sysfs_update_groups(&dev->kobj, pmu->attr_update) : 0;
}

/**
 * perf_pmu_sysfs_start() - register the bus
 * @scope_masks: for each scope the CPUs that count, for the files cpumask; may
 *	change at any time
 *
 * Context: boot; perf_pmus_mutex.
 * Return: 0; errors of the driver core.
 */
int __init perf_pmu_sysfs_start(const struct cpumask *scope_masks)
{
	int err = bus_register(&pmu_sysfs_bus);

	if (!err)
		pmu_sysfs_masks = scope_masks;
	return err;
}

/**
 * perf_event_sysfs_show() - print a driver's named event
 * @dev: PMU's device
 * @attr: attribute inside a struct perf_pmu_events_attr
 * @page: output
 *
 * Return: bytes printed.
 */
ssize_t perf_event_sysfs_show(struct device *dev, struct device_attribute *attr,
			      char *page)
{
	struct perf_pmu_events_attr *event;

	event = container_of(attr, struct perf_pmu_events_attr, attr);
	return event->event_str ? sysfs_emit(page, "%s\n", event->event_str) : 0;
}
EXPORT_SYMBOL_GPL(perf_event_sysfs_show);
