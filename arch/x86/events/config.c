// SPDX-License-Identifier: GPL-2.0
/*
 * Room "config": from attributes to selectors.
 *
 * Purpose: check what a program asks for, and translate it to the bits of a
 * select register, the value of a shared register, and the counters that can
 * count it. This happens once, when the event is opened.
 *
 * Owns: hw.config, hw.config_base, hw.extra_reg and hw.flags of an event that
 * is being opened.
 *
 * Contexts: the task that opens the event.
 *
 * Locking: none.
 */
#include <linux/math64.h>
#include <linux/perf_refuse.h>
#include <asm/perf_event.h>
#include "config.h"
#include "rdpmc.h"

/* Errata HSW11, BDM11: short periods of this event are not exact. */
#define PREC_DIST	0x01c0

static const struct x86_config_vendor *vendor __ro_after_init;

/**
 * x86_config_set_vendor() - add what only a vendor's processors have
 * @what: what the vendor's driver does when an event is opened
 *
 * Context: boot.
 */
void __init x86_config_set_vendor(const struct x86_config_vendor *what)
{
	vendor = what;
}

static u64 modes_of(const struct perf_event_attr *attr)
{
	u64 modes = 0;

	if (!attr->exclude_user)
		modes |= X86_SEL_USR;
	if (!attr->exclude_kernel)
		modes |= X86_SEL_OS;
	return modes;
}

static void set_period(struct hw_perf_event *hw, u64 period)
{
	hw->sample_period = period;
	hw->last_period = period;
	local64_set(&hw->period_left, period);
}

#define PERIOD_QUIRKS	(X86_QUIRK_PERIOD_32 | X86_QUIRK_PERIOD_64 | X86_QUIRK_PERIOD_128)

/**
 * x86_config_allowed_period() - make a period long enough to work
 * @event: event whose selector is complete
 * @period: number of events
 *
 * Context: any.
 * Return: @period, or what it must be instead on this processor.
 */
u64 x86_config_allowed_period(const struct perf_event *event, u64 period)
{
	u32 quirks = x86_core_of(event->pmu)->facts.model->quirks;
	bool precise = (event->hw.config & X86_SEL_CODE) == PREC_DIST;

	if (quirks & X86_QUIRK_PERIOD_32)
		period = max(period, 32ULL);
	if (quirks & X86_QUIRK_PERIOD_128 && precise)
		period = max(period, 128ULL);
	if (quirks & X86_QUIRK_PERIOD_64 && precise)
		period = max(period, 128ULL) & ~63ULL;
	if (quirks & X86_QUIRK_PERIOD_PRECISE && event->attr.precise_ip == 3)
		period = max(period, 128ULL);
	return period;
}

/**
 * x86_config_check_period() - check a new period
 * @event: event of an x86 PMU
 * @period: number of events; 0 is not checked
 *
 * Context: task.
 * Return: 0, or -EINVAL if the counter cannot have such a short period, or the
 * processor such a long one.
 */
int x86_config_check_period(struct perf_event *event, u64 period)
{
	if (period && x86_config_allowed_period(event, period) > period)
		return -EINVAL;
	/* The processor loads the counter once for each period. */
	if (event->hw.flags & X86_EVENT_RELOAD && period > x86_pmc.max_period)
		return -EINVAL;
	return 0;
}

/*
 * Events a second that are expected of a generic event, at most half of the
 * time: one instruction a cycle at 1 GHz, a branch in four instructions, a
 * cache access in twenty. Others: 256,000.
 */
static u64 expected_rate(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HW_CACHE)
		return 25000000;
	if (attr->type != PERF_TYPE_HARDWARE)
		return 256000;
	switch (attr->config) {
	case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
	case PERF_COUNT_HW_BRANCH_MISSES:
		return 125000000;
	case PERF_COUNT_HW_CACHE_REFERENCES:
	case PERF_COUNT_HW_CACHE_MISSES:
		return 25000000;
	default:
		return 500000000;
	}
}

/*
 * In frequency mode the core begins with a period of one, and would overflow
 * often until it knows better. Begin with a guess.
 */
static void guess_period(struct perf_event *event)
{
	u64 period = DIV_ROUND_UP_ULL(expected_rate(&event->attr), event->attr.sample_freq);

	/* One less, to keep away from powers of two. */
	period = clamp(period - 1, 1ULL, x86_pmc.max_period);
	set_period(&event->hw, x86_config_allowed_period(event, period));
}

/*
 * Requests that these drivers do not serve yet, and those that they never do.
 */
static int check_precise(struct perf_event *event)
{
	if (event->attr.precise_ip > x86_core_of(event->pmu)->max_precise)
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD_FLAGS, PERF_ATTR_PRECISE_IP,
				   PERF_REASON_PMU_CANNOT);
	/* Only a sample has an address that could be precise. */
	if (event->attr.precise_ip && !is_sampling_event(event))
		return perf_refuse(-EINVAL, PERF_FIELD_FLAGS, PERF_ATTR_PRECISE_IP,
				   PERF_REASON_PMU_CANNOT);
	return 0;
}

static int check_regs(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->sample_regs_user & PERF_REG_EXTENDED_MASK)
		return perf_refuse(-EINVAL, PERF_FIELD(sample_regs_user),
				   PERF_REG_EXTENDED_MASK, PERF_REASON_REGISTERS);
	if (attr->sample_regs_intr & PERF_REG_EXTENDED_MASK &&
	    !(attr->precise_ip && x86_core_of(event->pmu)->precise_xmm))
		return perf_refuse(-EINVAL, PERF_FIELD(sample_regs_intr),
				   PERF_REG_EXTENDED_MASK, PERF_REASON_REGISTERS);
	return 0;
}

/**
 * x86_config_refuse_branches() - refuse an event with records of branches
 *
 * Context: task that opens the event.
 * Return: -EOPNOTSUPP.
 */
int x86_config_refuse_branches(void)
{
	return perf_refuse(-EOPNOTSUPP, PERF_FIELD(sample_type), PERF_SAMPLE_BRANCH_STACK,
			   PERF_REASON_PMU_CANNOT);
}

static int set_extra(struct perf_event *event, u64 value)
{
	const struct x86_model *model = x86_core_of(event->pmu)->facts.model;
	struct hw_perf_event *hw = &event->hw;
	const struct x86_extra_rule *extra = x86_match_extra(model, hw->config);

	if (!extra)
		return 0;
	if (value & ~extra->valid)
		return perf_refuse(-EINVAL, PERF_FIELD(config1), value & ~extra->valid,
				   PERF_REASON_RESERVED);
	if (x86_core_of(event->pmu)->absent_extra & BIT(extra->reg))
		return perf_refuse(-ENXIO, PERF_FIELD(config), X86_SEL_CODE,
				   PERF_REASON_PMU_CANNOT);
	/* The room "extra" may choose another register later. */
	hw->extra_reg.alloc = extra->reg;
	hw->extra_reg.idx = extra->reg;
	hw->extra_reg.reg = extra->msr;
	hw->extra_reg.config = value;
	return 0;
}

static int choose_raw(struct perf_event *event, u64 *extra)
{
	*extra = event->attr.config1;
	return 0;
}

static int choose_generic(struct perf_event *event, u64 *extra)
{
	u64 config;
	int err = x86_match_generic(&x86_core_of(event->pmu)->facts, event->attr.config, &config);

	*extra = 0;
	if (!err)
		event->hw.config |= config;
	return err;
}

/* Bits of attr.config that name a cache, an operation and a result. */
#define CACHE_KEY	GENMASK_ULL(23, 0)

/* The other bits have always been ignored. */
static int choose_cache(struct perf_event *event, u64 *extra)
{
	u64 config, key = event->attr.config & CACHE_KEY;
	int err = x86_match_cache(x86_core_of(event->pmu)->facts.model, key, &config, extra);

	if (!err)
		event->hw.config |= config;
	return err;
}

static int choose_event(struct perf_event *event, u64 *extra)
{
	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
		return choose_generic(event, extra);
	case PERF_TYPE_HW_CACHE:
		return choose_cache(event, extra);
	default:
		return choose_raw(event, extra);
	}
}

static void choose_period(struct perf_event *event)
{
	/* A slots event has other values in the same words. */
	if (event->hw.flags & X86_EVENT_SLOTS)
		return;
	if (!is_sampling_event(event))
		set_period(&event->hw, x86_pmc.max_period);
	else if (event->attr.freq && event->attr.sample_freq)
		guess_period(event);
}

static int check_period(struct perf_event *event)
{
	if (!is_sampling_event(event) || event->attr.freq)
		return 0;
	if (!x86_config_check_period(event, event->attr.sample_period))
		return 0;
	return perf_refuse_because(-EINVAL, PERF_FIELD(sample_period), ~0ULL,
				   "this processor has no such short periods of the event");
}

/*
 * Not all counters that count the event can make it precise, and the other
 * thread may need one of them.
 */
static void set_precise_counters(struct perf_event *event)
{
	const struct x86_core *core = x86_core_of(event->pmu);
	const struct x86_rule *rule = x86_match_rule(core->facts.model, event->hw.config);
	enum x86_data data;
	u64 counters = x86_event_precise(core, event, event->hw.config, &data);

	if (rule && rule->flags & X86_RULE_LEAK)
		event->hw.flags |= X86_EVENT_ALONE;
	if (core->facts.model->quirks & (PERIOD_QUIRKS | X86_QUIRK_PERIOD_PRECISE))
		event->hw.flags |= X86_EVENT_LIMITED;
	event->hw.flags |= FIELD_PREP(X86_EVENT_DATA, data);
	x86_event_set_counters(event, counters);
}

static void set_counters(struct perf_event *event)
{
	const struct x86_match_pmu *facts = &x86_core_of(event->pmu)->facts;
	const struct x86_rule *rule = x86_match_rule(facts->model, event->hw.config);
	u64 counters;

	/* The vendor's driver has chosen it. */
	if (event->hw.flags & X86_EVENT_METRIC)
		return;
	if (event->hw.flags & X86_EVENT_PEBS) {
		set_precise_counters(event);
		return;
	}
	if (rule && rule->flags & X86_RULE_PAIR)
		event->hw.flags |= X86_EVENT_PAIR;
	if (rule && rule->flags & X86_RULE_LEAK)
		event->hw.flags |= X86_EVENT_ALONE;
	if (rule && rule->flags & X86_RULE_NODE)
		event->hw.flags |= X86_EVENT_NODE;
	if (facts->model->quirks & PERIOD_QUIRKS)
		event->hw.flags |= X86_EVENT_LIMITED;
	counters = x86_match_counters_by(facts, event->hw.config, rule);
	if (event->hw.flags & X86_EVENT_PER_BRANCH)
		counters &= x86_core_of(event->pmu)->branch_counters;
	x86_event_set_counters(event, counters);
}

/* Of several errors programs get the first one; the order is an interface. */
static int check(struct perf_event *event)
{
	int err = vendor->check ? vendor->check(event) : 0;

	if (!err)
		err = check_precise(event);
	if (!err)
		err = check_period(event);
	if (!err)
		err = check_regs(event);
	return err;
}

static u64 raw_bits(const struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return 0;
	return event->attr.config & x86_core_of(event->pmu)->config_mask;
}

/**
 * x86_config_init() - translate the attributes of an event
 * @event: event that is opened on an x86 PMU
 *
 * Context: task.
 * Return: 0; -EINVAL, -ENOENT or -EOPNOTSUPP for what the PMU does not count;
 * -ENXIO if a hypervisor lacks a register that the event needs; -EACCES if the
 * event counts all threads of a core and the caller may not.
 */
int x86_config_init(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	u64 extra;
	int err;

	hw->idx = -1;
	hw->flags = is_sampling_event(event) ? 0 : X86_EVENT_COUNTS;
	hw->extra_reg.reg = 0;
	hw->config = X86_SEL_INT | modes_of(&event->attr) | raw_bits(event);
	err = check(event);
	if (!err)
		err = choose_event(event, &extra);
	if (!err)
		err = set_extra(event, extra);
	if (!err)
		err = vendor->config(event);
	if (err)
		return err;
	set_counters(event);
	choose_period(event);
	x86_rdpmc_offer(event);
	return 0;
}
