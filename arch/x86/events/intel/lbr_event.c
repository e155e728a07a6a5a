// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/lbr_event": events that record last branches are opened.
 *
 * Purpose: find out at boot whether there is a recorder, and check what an
 * event asks of it.
 *
 * Owns: hw.branch_reg of an event that is being opened. Its field config has
 * the value for the filter of the hardware, reg has what x86_branch_keep()
 * filters.
 *
 * Contexts: boot; the task that opens an event.
 *
 * Locking: none.
 */
#include <linux/perf_refuse.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/perf_event.h>
#include <asm/processor.h>
#include "../branch.h"
#include "../config.h"
#include "../extra.h"
#include "../facade.h"
#include "../perf_event.h"
#include "lbr.h"
#include "lbr_arch.h"
#include "lbr_event.h"
#include "lbr_sample.h"
#include "lbr_task.h"

/* IA32_PERF_CAPABILITIES, SDM vol. 4 table 2-2. */
#define CAP_LBR_FORMAT		GENMASK_ULL(5, 0)

#define LEAF_LBR		0x1c

/* The first Bonnell cannot freeze the recorder before this stepping. */
#define BONNELL			0x1c
#define BONNELL_FREEZES		10

static u32 wanted_of(u64 asked)
{
	u32 wanted = x86_branch_filter_wanted(asked);

	/* If the hardware tells the kind of a branch, it costs nothing. */
	return intel_lbr.layout.type ? wanted | X86_BRANCH_SAVE_TYPE : wanted;
}

/**
 * intel_lbr_event_config() - check what an event asks of the recorder
 * @event: event that is opened and needs branches
 *
 * Context: task.
 * Return: 0; -EOPNOTSUPP without a recorder, or if it cannot filter like that;
 * -EINVAL for a contradiction; -EBUSY while another user excludes branch
 * records.
 */
int intel_lbr_event_config(struct perf_event *event)
{
	u64 asked = event->attr.branch_sample_type;
	struct hw_perf_event_extra *reg = &event->hw.branch_reg;
	u64 select;
	int err;

	if (!intel_lbr.depth)
		return x86_config_refuse_branches();
	err = intel_lbr_facts_select(&intel_lbr, asked, &select);
	if (err)
		return perf_refuse(err, PERF_FIELD(branch_sample_type), asked,
				   PERF_REASON_PMU_CANNOT);
	if (x86_add_exclusive(x86_lbr_exclusive_lbr))
		return perf_refuse(-EBUSY, PERF_FIELD(branch_sample_type), asked,
				   PERF_REASON_PMU_BUSY);
	reg->config = select;
	reg->reg = wanted_of(asked);
	event->hw.flags |= X86_EVENT_BRANCHES | X86_EVENT_EXCLUSIVE;
	event->attach_state |= PERF_ATTACH_SCHED_CB;
	if (intel_lbr_facts_is_stack(&intel_lbr, select))
		event->attach_state |= PERF_ATTACH_TASK_DATA;
	return 0;
}

static int refuse_counts(void)
{
	return perf_refuse(-EINVAL, PERF_FIELD(branch_sample_type), PERF_SAMPLE_BRANCH_COUNTERS,
			   PERF_REASON_PMU_CANNOT);
}

/* A call stack cannot be cleared when another group is scheduled in. */
static bool may_count(const struct perf_event *event, unsigned int *nr)
{
	if (branch_sample_counters(event))
		++*nr;
	return !branch_sample_call_stack(event);
}

static bool group_may_count(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int nr = 0;
	bool may = may_count(leader, &nr);

	for_each_sibling_event(sibling, leader)
		may &= may_count(sibling, &nr);
	if (event != leader)
		may &= may_count(event, &nr);
	return may && nr <= fls(intel_lbr.counters);
}

/* False if the event wants only counts, with the branches of its leader. */
static bool wants_branches(const struct perf_event *event)
{
	return event->attr.branch_sample_type & ~(u64)(PERF_SAMPLE_BRANCH_PLM_ALL |
						       PERF_SAMPLE_BRANCH_COUNTERS);
}

/**
 * intel_lbr_event_count() - check an event that is to be counted for each
 * branch
 * @event: event that is opened with PERF_SAMPLE_BRANCH_COUNTERS
 * @records: whether the event records branches; becomes false if it wants only
 *	counts
 *
 * The leader of its group must record branches. Nothing is written to the
 * leader: it may count on another CPU, and the open may still fail.
 *
 * Context: task; the mutex of the leader's context if there is a leader.
 * Return: 0, or -EINVAL.
 */
int intel_lbr_event_count(struct perf_event *event, bool *records)
{
	struct perf_event *leader = event->group_leader;

	*records &= wants_branches(event);
	if (!intel_lbr.counters || event->attr.config & ~X86_SEL_CODE || !group_may_count(event))
		return refuse_counts();
	if (leader->pmu != event->pmu ||
	    !(leader == event ? *records : leader->hw.flags & X86_EVENT_BRANCHES))
		return refuse_counts();
	event->hw.flags |= X86_EVENT_PER_BRANCH;
	event->hw.config |= X86_SEL_PER_BRANCH;
	return 0;
}

/* What KVM asks for: the recorder as a guest sees it, without a counter. */
static bool may_lend(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return !intel_lbr.arch && event->hw.flags & X86_EVENT_BRANCHES &&
	       attr->exclude_host && !attr->precise_ip && !is_sampling_event(event) &&
	       event->group_leader == event &&
	       attr->branch_sample_type ==
	       (PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER);
}

/**
 * intel_lbr_event_lend() - check an event that lends the recorder to a guest
 * @event: event that is opened
 *
 * KVM does not ask for the architectural recorder.
 *
 * Context: task.
 * Return: 0, also for any other event; -EINVAL if it asks for anything else.
 */
int intel_lbr_event_lend(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type != event->pmu->type ||
	    (attr->config & X86_SEL_CODE) != INTEL_FIXED_VLBR_EVENT)
		return 0;
	if (!may_lend(event))
		return perf_refuse(-EINVAL, PERF_FIELD(config), X86_SEL_CODE,
				   PERF_REASON_PMU_CANNOT);
	event->hw.flags |= X86_EVENT_LENT;
	return 0;
}

static const struct x86_branch_ops branch_ops = {
	.one_filter	= true,
	.get		= intel_lbr_get,
	.put		= intel_lbr_put,
	.start		= intel_lbr_start,
	.stop		= intel_lbr_stop,
	.forget		= intel_lbr_forget,
	.save		= intel_lbr_sample_save,
	.sched_task	= intel_lbr_task_switch,
	.describe	= intel_lbr_describe,
};

static void __init find_arch(void)
{
	struct intel_lbr_leaf leaf;
	u32 edx;

	cpuid(LEAF_LBR, &leaf.eax, &leaf.ebx, &leaf.ecx, &edx);
	intel_lbr_arch_describe(&intel_lbr, &leaf);
	if (intel_lbr.depth && wrmsrl_safe(MSR_ARCH_LBR_DEPTH, intel_lbr.depth))
		intel_lbr.depth = 0;
}

static void __init find_model(const struct x86_model *model)
{
	bool tsx = boot_cpu_has(X86_FEATURE_HLE) || boot_cpu_has(X86_FEATURE_RTM);
	u64 caps = 0;

	intel_lbr_facts_find(&intel_lbr, model);
	if (boot_cpu_data.x86_model == BONNELL && boot_cpu_data.x86_stepping < BONNELL_FREEZES)
		intel_lbr.depth = 0;
	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsrl(MSR_IA32_PERF_CAPABILITIES, caps);
	if (intel_lbr_facts_format(&intel_lbr, caps & CAP_LBR_FORMAT, tsx))
		intel_lbr.depth = 0;
}

/* Some hypervisors refuse a register, others ignore writes. */
static bool __init works(u32 address, u64 bits)
{
	u64 old, found;

	if (rdmsrl_safe(address, &old) || wrmsrl_safe(address, old ^ bits) ||
	    rdmsrl_safe(address, &found) || found != (old ^ bits))
		return false;
	wrmsrl(address, old);
	return true;
}

static bool __init all_work(void)
{
	unsigned int i;
	u64 tos;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return true;
	if (intel_lbr.tos && rdmsrl_safe(intel_lbr.tos, &tos))
		return false;
	for (i = 0; i < intel_lbr.depth; i++) {
		if (!works(intel_lbr.from + i, 0xffff))
			return false;
		if (!intel_lbr.layout.shared && !works(intel_lbr.to + i, 0xffff))
			return false;
	}
	/* Without a filter in hardware all branches are filtered later. */
	if (!intel_lbr.arch && intel_lbr_has_filter(&intel_lbr) &&
	    !works(MSR_LBR_SELECT, 1)) {
		intel_lbr.by_level = false;
		intel_lbr.by_kind = false;
		intel_lbr.call_stack = false;
	}
	return true;
}

/**
 * intel_lbr_event_setup() - find the recorder of a machine
 * @setup: its PMUs
 * @model: model of the cores, the performance cores on a hybrid machine
 * @version: version of their PMU
 *
 * Context: boot.
 */
void __init intel_lbr_event_setup(struct x86_setup *setup, const struct x86_model *model,
				  unsigned int version)
{
	unsigned int i;

	if (boot_cpu_has(X86_FEATURE_ARCH_LBR))
		find_arch();
	else
		find_model(model);
	if (intel_lbr.pt)
		x86_facade_allow_trace();
	if (!intel_lbr.depth || !all_work()) {
		intel_lbr.depth = 0;
		return;
	}
	intel_lbr.status_freeze = version >= 4;
	if (intel_lbr.call_stack)
		setup->task_data = KMEM_CACHE(intel_lbr_task, 0);
	if (!setup->task_data)
		intel_lbr.call_stack = false;
	for (i = 0; i < setup->nr_cores; i++) {
		setup->cores[i]->branches = intel_lbr.depth;
		setup->cores[i]->branch_counters = intel_lbr.counters;
	}
	x86_branch_set_ops(&branch_ops);
	static_call_update(perf_snapshot_branch_stack, intel_lbr_sample_snapshot);
}
