// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sysfs": the files of the PMU's device.
 *
 * Purpose: describe the PMU to programs: fields of attr.config (format/), names
 * of events (events/), what it can do (caps/), its CPUs on a hybrid machine;
 * and get and set the mode of RDPMC and whether SMIs stop the counters.
 *
 * Owns: the attribute groups. A file is visible if the PMU has what it
 * describes.
 *
 * Contexts: tasks that read or write the files.
 *
 * Locking: none.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>
#include <linux/topology.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include "engine.h"
#include "mapped.h"
#include "rdpmc.h"
#include "smi.h"
#include "sysfs.h"
#include "tsx.h"

/**
 * struct format_file - a file of format/
 * @attr:	the file
 * @bits:	bits of attr.config that the field has; 0 for a field of config1
 * @extra:	for a field of config1: the register that it sets
 * @text:	content
 */
struct format_file {
	struct device_attribute	attr;
	u64			bits;
	int			extra;
	const char		*text;
};

/* An event that only some models have, which its name identifies. */
#define NAMED		PERF_COUNT_HW_MAX

/**
 * struct event_file - a file of events/
 * @attr:	the file
 * @event:	PERF_COUNT_HW_*, or NAMED
 */
struct event_file {
	struct device_attribute	attr;
	unsigned int		event;
};

static const struct x86_core *core_of(struct device *dev)
{
	return x86_core_of(dev_get_drvdata(dev));
}

static const struct x86_core *core_of_kobj(struct kobject *kobj)
{
	return core_of(kobj_to_dev(kobj));
}

static struct device_attribute *to_file(struct attribute *attr)
{
	return container_of(attr, struct device_attribute, attr);
}

static ssize_t format_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", container_of(attr, struct format_file, attr)->text);
}

#define FORMAT(_name, _file, _bits, _extra, _text)			\
	static struct format_file format_##_name = {			\
		.attr	= __ATTR(_file, 0444, format_show, NULL),	\
		.bits	= _bits,					\
		.extra	= _extra,					\
		.text	= _text,					\
	}

FORMAT(event, event, X86_SEL_EVENT, 0, "config:0-7");
FORMAT(event_amd, event, X86_SEL_EVENT | X86_SEL_EVENT_HIGH, 0, "config:0-7,32-35");
FORMAT(umask, umask, X86_SEL_UMASK, 0, "config:8-15");
FORMAT(umask_wide, umask, X86_SEL_UMASK | X86_SEL_UMASK2, 0, "config:8-15,40-47");
FORMAT(edge, edge, X86_SEL_EDGE, 0, "config:18");
FORMAT(pc, pc, X86_SEL_PIN, 0, "config:19");
FORMAT(any, any, X86_SEL_ANY, 0, "config:21");
FORMAT(inv, inv, X86_SEL_INV, 0, "config:23");
FORMAT(cmask, cmask, X86_SEL_CMASK, 0, "config:24-31");
FORMAT(in_tx, in_tx, X86_SEL_IN_TX, 0, "config:32");
FORMAT(eq, eq, X86_SEL_EQ, 0, "config:36");
FORMAT(in_tx_cp, in_tx_cp, X86_SEL_IN_TXCP, 0, "config:33");
FORMAT(offcore_rsp, offcore_rsp, 0, X86_EXTRA_RSP_0, "config1:0-63");
FORMAT(ldlat, ldlat, 0, X86_EXTRA_LDLAT, "config1:0-15");
FORMAT(frontend, frontend, 0, X86_EXTRA_FRONTEND, "config1:0-23");
FORMAT(snoop_rsp, snoop_rsp, 0, X86_EXTRA_SNOOP_0, "config1:0-63");

static struct attribute *format_attrs[] = {
	&format_event.attr.attr,
	&format_event_amd.attr.attr,
	&format_umask.attr.attr,
	&format_umask_wide.attr.attr,
	&format_edge.attr.attr,
	&format_pc.attr.attr,
	&format_any.attr.attr,
	&format_inv.attr.attr,
	&format_cmask.attr.attr,
	&format_in_tx.attr.attr,
	&format_in_tx_cp.attr.attr,
	&format_eq.attr.attr,
	&format_offcore_rsp.attr.attr,
	&format_ldlat.attr.attr,
	&format_frontend.attr.attr,
	&format_snoop_rsp.attr.attr,
	NULL,
};

static bool has_extra(const struct x86_model *model, int reg)
{
	const struct x86_extra_list *list;
	unsigned int i;

	for (list = model->extra; list; list = list->next) {
		for (i = 0; i < list->nr; i++) {
			if (list->rows[i].reg == reg)
				return true;
		}
	}
	return false;
}

/* AMD has four more bits for events where Intel has those for transactions. */
static bool is_amd(const struct x86_core *core)
{
	return (core->config_mask & X86_SEL_EVENT_HIGH) == X86_SEL_EVENT_HIGH;
}

static umode_t format_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	const struct x86_core *core = core_of_kobj(kobj);
	const struct format_file *file;

	file = container_of(to_file(attr), struct format_file, attr);
	if (!file->bits)
		return has_extra(core->facts.model, file->extra) ? attr->mode : 0;
	if ((file == &format_event && is_amd(core)) ||
	    (file == &format_umask && core->config_mask & X86_SEL_UMASK2) ||
	    (file->bits & X86_SEL_EVENT_HIGH && !(file->bits & X86_SEL_EVENT) && is_amd(core)))
		return 0;
	return (core->config_mask & file->bits) == file->bits ? attr->mode : 0;
}

static const struct attribute_group format_group = {
	.name		= "format",
	.attrs		= format_attrs,
	.is_visible	= format_visible,
};

static ssize_t event_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct x86_core *core = core_of(dev);
	const struct event_file *file = container_of(attr, struct event_file, attr);
	u64 event_bits = X86_SEL_EVENT;
	u64 config;
	int err = x86_match_generic(&core->facts, file->event, &config);
	int at;

	if (err)
		return err;
	if (is_amd(core))
		event_bits |= X86_SEL_EVENT_HIGH;
	config &= event_bits | X86_SEL_UMASK | X86_SEL_EDGE | X86_SEL_PIN | X86_SEL_ANY |
		  X86_SEL_INV | X86_SEL_CMASK;
	at = sysfs_emit(page, "event=0x%02llx", (config & X86_SEL_EVENT) |
			(config & event_bits & X86_SEL_EVENT_HIGH) >> 24);
	if (config & X86_SEL_UMASK)
		at += sysfs_emit_at(page, at, ",umask=0x%02llx", (config & X86_SEL_UMASK) >> 8);
	if (config & X86_SEL_EDGE)
		at += sysfs_emit_at(page, at, ",edge");
	if (config & X86_SEL_PIN)
		at += sysfs_emit_at(page, at, ",pc");
	if (config & X86_SEL_ANY)
		at += sysfs_emit_at(page, at, ",any");
	if (config & X86_SEL_INV)
		at += sysfs_emit_at(page, at, ",inv");
	if (config & X86_SEL_CMASK)
		at += sysfs_emit_at(page, at, ",cmask=0x%02llx", (config & X86_SEL_CMASK) >> 24);
	return at + sysfs_emit_at(page, at, "\n");
}

#define EVENT(_name, _file, _id)					\
	static struct event_file event_##_name = {			\
		.attr	= {						\
			.attr	= { .name = _file, .mode = 0444 },	\
			.show	= event_show,				\
		},							\
		.event	= PERF_COUNT_HW_##_id,				\
	}

EVENT(cycles, "cpu-cycles", CPU_CYCLES);
EVENT(instructions, "instructions", INSTRUCTIONS);
EVENT(cache_references, "cache-references", CACHE_REFERENCES);
EVENT(cache_misses, "cache-misses", CACHE_MISSES);
EVENT(branches, "branch-instructions", BRANCH_INSTRUCTIONS);
EVENT(branch_misses, "branch-misses", BRANCH_MISSES);
EVENT(bus_cycles, "bus-cycles", BUS_CYCLES);
EVENT(frontend, "stalled-cycles-frontend", STALLED_CYCLES_FRONTEND);
EVENT(backend, "stalled-cycles-backend", STALLED_CYCLES_BACKEND);
EVENT(ref_cycles, "ref-cycles", REF_CPU_CYCLES);

static const struct x86_named *find_named(const struct x86_core *core, const char *name)
{
	unsigned int has = 0;

	if (boot_cpu_has(X86_FEATURE_RTM))
		has |= X86_HAS_TSX;
	if (core->metrics)
		has |= X86_HAS_METRICS;
	if (core->max_precise)
		has |= X86_HAS_PRECISE;
	if (core->facts.model->quirks & X86_QUIRK_LOADS_AUX)
		has |= X86_HAS_LOADS_AUX;
	return x86_match_named(core->facts.model, name, has);
}

static ssize_t named_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct x86_named *named = find_named(core_of(dev), attr->attr.name);
	const char *text = named->text;

	if (named->threads && topology_max_smt_threads() > 1)
		text = named->threads;
	return sysfs_emit(page, "%s\n", text);
}

#define NAMED_EVENT(_name, _file)					\
	static struct event_file event_##_name = {			\
		.attr	= {						\
			.attr	= { .name = _file, .mode = 0444 },	\
			.show	= named_show,				\
		},							\
		.event	= NAMED,					\
	}

NAMED_EVENT(total_slots, "topdown-total-slots");
NAMED_EVENT(total_slots_scale, "topdown-total-slots.scale");
NAMED_EVENT(slots_issued, "topdown-slots-issued");
NAMED_EVENT(slots_retired, "topdown-slots-retired");
NAMED_EVENT(fetch_bubbles, "topdown-fetch-bubbles");
NAMED_EVENT(fetch_bubbles_scale, "topdown-fetch-bubbles.scale");
NAMED_EVENT(recovery_bubbles, "topdown-recovery-bubbles");
NAMED_EVENT(recovery_bubbles_scale, "topdown-recovery-bubbles.scale");
NAMED_EVENT(retiring, "topdown-retiring");
NAMED_EVENT(bad_spec, "topdown-bad-spec");
NAMED_EVENT(fe_bound, "topdown-fe-bound");
NAMED_EVENT(be_bound, "topdown-be-bound");
NAMED_EVENT(slots, "slots");
NAMED_EVENT(heavy_ops, "topdown-heavy-ops");
NAMED_EVENT(br_mispredict, "topdown-br-mispredict");
NAMED_EVENT(fetch_lat, "topdown-fetch-lat");
NAMED_EVENT(mem_bound, "topdown-mem-bound");
NAMED_EVENT(tx_start, "tx-start");
NAMED_EVENT(tx_commit, "tx-commit");
NAMED_EVENT(tx_abort, "tx-abort");
NAMED_EVENT(tx_conflict, "tx-conflict");
NAMED_EVENT(tx_capacity, "tx-capacity");
NAMED_EVENT(tx_capacity_read, "tx-capacity-read");
NAMED_EVENT(tx_capacity_write, "tx-capacity-write");
NAMED_EVENT(el_start, "el-start");
NAMED_EVENT(el_commit, "el-commit");
NAMED_EVENT(el_abort, "el-abort");
NAMED_EVENT(el_conflict, "el-conflict");
NAMED_EVENT(el_capacity, "el-capacity");
NAMED_EVENT(el_capacity_read, "el-capacity-read");
NAMED_EVENT(el_capacity_write, "el-capacity-write");
NAMED_EVENT(cycles_t, "cycles-t");
NAMED_EVENT(cycles_ct, "cycles-ct");
NAMED_EVENT(mem_loads, "mem-loads");
NAMED_EVENT(mem_stores, "mem-stores");
NAMED_EVENT(mem_loads_aux, "mem-loads-aux");

static struct attribute *event_attrs[] = {
	&event_cycles.attr.attr,
	&event_instructions.attr.attr,
	&event_cache_references.attr.attr,
	&event_cache_misses.attr.attr,
	&event_branches.attr.attr,
	&event_branch_misses.attr.attr,
	&event_bus_cycles.attr.attr,
	&event_frontend.attr.attr,
	&event_backend.attr.attr,
	&event_ref_cycles.attr.attr,
	&event_total_slots.attr.attr,
	&event_total_slots_scale.attr.attr,
	&event_slots_issued.attr.attr,
	&event_slots_retired.attr.attr,
	&event_fetch_bubbles.attr.attr,
	&event_fetch_bubbles_scale.attr.attr,
	&event_recovery_bubbles.attr.attr,
	&event_recovery_bubbles_scale.attr.attr,
	&event_retiring.attr.attr,
	&event_bad_spec.attr.attr,
	&event_fe_bound.attr.attr,
	&event_be_bound.attr.attr,
	&event_slots.attr.attr,
	&event_heavy_ops.attr.attr,
	&event_br_mispredict.attr.attr,
	&event_fetch_lat.attr.attr,
	&event_mem_bound.attr.attr,
	&event_tx_start.attr.attr,
	&event_tx_commit.attr.attr,
	&event_tx_abort.attr.attr,
	&event_tx_conflict.attr.attr,
	&event_tx_capacity.attr.attr,
	&event_tx_capacity_read.attr.attr,
	&event_tx_capacity_write.attr.attr,
	&event_el_start.attr.attr,
	&event_el_commit.attr.attr,
	&event_el_abort.attr.attr,
	&event_el_conflict.attr.attr,
	&event_el_capacity.attr.attr,
	&event_el_capacity_read.attr.attr,
	&event_el_capacity_write.attr.attr,
	&event_cycles_t.attr.attr,
	&event_cycles_ct.attr.attr,
	&event_mem_loads.attr.attr,
	&event_mem_stores.attr.attr,
	&event_mem_loads_aux.attr.attr,
	NULL,
};

static umode_t event_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	const struct x86_core *core = core_of_kobj(kobj);
	const struct event_file *file = container_of(to_file(attr), struct event_file, attr);
	u64 config;

	if (file->event == NAMED)
		return find_named(core, attr->name) ? attr->mode : 0;
	return x86_match_generic(&core->facts, file->event, &config) ? 0 : attr->mode;
}

static const struct attribute_group event_group = {
	.name		= "events",
	.attrs		= event_attrs,
	.is_visible	= event_visible,
};

static ssize_t max_precise_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", core_of(dev)->max_precise);
}
static DEVICE_ATTR_RO(max_precise);

static ssize_t pmu_name_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", core_of(dev)->facts.model->pmu_name);
}
static DEVICE_ATTR_RO(pmu_name);

static ssize_t branches_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n", core_of(dev)->branches);
}
static DEVICE_ATTR_RO(branches);

/* Bits of a count for each branch, SDM vol. 3 19.1.10. */
#define COUNT_WIDTH	2

static ssize_t branch_counter_nr_show(struct device *dev, struct device_attribute *attr,
				      char *page)
{
	return sysfs_emit(page, "%u\n", fls64(core_of(dev)->branch_counters));
}
static DEVICE_ATTR_RO(branch_counter_nr);

static ssize_t branch_counter_width_show(struct device *dev, struct device_attribute *attr,
					 char *page)
{
	return sysfs_emit(page, "%u\n", COUNT_WIDTH);
}
static DEVICE_ATTR_RO(branch_counter_width);

static struct attribute *caps_attrs[] = {
	&dev_attr_branch_counter_nr.attr,
	&dev_attr_branch_counter_width.attr,
	&dev_attr_branches.attr,
	&dev_attr_max_precise.attr,
	&dev_attr_pmu_name.attr,
	NULL,
};

static umode_t caps_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	if (attr == &dev_attr_branches.attr && !core_of_kobj(kobj)->branches)
		return 0;
	if ((attr == &dev_attr_branch_counter_nr.attr ||
	     attr == &dev_attr_branch_counter_width.attr) &&
	    !core_of_kobj(kobj)->branch_counters)
		return 0;
	if (attr == &dev_attr_pmu_name.attr && !core_of_kobj(kobj)->facts.model->pmu_name)
		return 0;
	return attr->mode;
}

static const struct attribute_group caps_group = {
	.name		= "caps",
	.attrs		= caps_attrs,
	.is_visible	= caps_visible,
};

static ssize_t rdpmc_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", x86_rdpmc_get_mode());
}

static ssize_t rdpmc_store(struct device *dev, struct device_attribute *attr, const char *text,
			   size_t count)
{
	unsigned long mode;
	int err = kstrtoul(text, 0, &mode);

	if (!err)
		err = x86_mapped_set_mode(mode);
	return err ?: count;
}
static DEVICE_ATTR_ADMIN_RW(rdpmc);

static ssize_t freeze_on_smi_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", x86_smi_frozen());
}

static ssize_t freeze_on_smi_store(struct device *dev, struct device_attribute *attr,
				   const char *text, size_t count)
{
	unsigned long freeze;
	int err = kstrtoul(text, 0, &freeze);

	if (!err)
		err = x86_smi_freeze(freeze);
	return err ?: count;
}
static DEVICE_ATTR_RW(freeze_on_smi);

/* Only a hybrid machine needs to say where a PMU is. */
static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return cpumap_print_to_pagebuf(true, page, &core_of(dev)->cpus);
}
static DEVICE_ATTR_RO(cpus);

static struct attribute *device_attrs[] = {
	&dev_attr_rdpmc.attr,
	&dev_attr_cpus.attr,
	&dev_attr_freeze_on_smi.attr,
	NULL,
};

static umode_t device_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	if (attr == &dev_attr_cpus.attr && !core_of_kobj(kobj)->pmu.filter)
		return 0;
	if (attr == &dev_attr_freeze_on_smi.attr && !x86_smi_offered())
		return 0;
	return attr->mode;
}

static const struct attribute_group device_group = {
	.attrs		= device_attrs,
	.is_visible	= device_visible,
};

const struct attribute_group *x86_sysfs_groups[] = {
	&device_group,
	&format_group,
	&event_group,
	&caps_group,
	&x86_tsx_group,
	NULL,
};
