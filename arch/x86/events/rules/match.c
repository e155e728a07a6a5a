// SPDX-License-Identifier: GPL-2.0
/*
 * Room "match": looks up events in the tables of a model.
 *
 * Purpose: which counters may count a config, which extra register it needs,
 * what a generic event or a cache event is on this core, and which events have
 * names.
 *
 * Owns: nothing; all data is constant and passed in.
 *
 * Contexts: any, NMI included.
 *
 * Locking: none.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include "match.h"

/*
 * Bits that only general counters have. With one of them set, a fixed counter
 * would count something else.
 */
#define GENERAL_ONLY	(X86_SEL_EDGE | X86_SEL_PIN | X86_SEL_INV | \
			 X86_SEL_CMASK | X86_SEL_IN_TX | X86_SEL_IN_TXCP | \
			 X86_SEL_EQ | X86_SEL_UMASK2)

/* The only counter with the bit IN_TXCP, SDM vol. 3 20.3.6.5.1. */
#define TXCP_COUNTER	BIT_ULL(2)

/* Whether @rule applies to @config. */
static bool match_applies(const struct x86_rule *rule, u64 config)
{
	u64 bits = config & rule->mask;
	u64 umask = config & X86_SEL_UMASK;

	if (bits < rule->first || bits > rule->last)
		return false;
	return !(rule->flags & X86_RULE_ONE_UMASK) || !(umask & (umask - 1));
}

static const struct x86_rule *match_in(const struct x86_rule_list *list, u64 config)
{
	const struct x86_rule *rule;

	for (; list; list = list->next) {
		for (rule = list->rows; rule < list->rows + list->nr; rule++) {
			if (match_applies(rule, config))
				return rule;
		}
	}
	return NULL;
}

/**
 * x86_match_rule() - find the rule of an event
 * @model: type of core
 * @config: event select bits
 *
 * Context: any.
 * Return: the first rule that matches, or NULL: all general counters are equal.
 */
const struct x86_rule *x86_match_rule(const struct x86_model *model, u64 config)
{
	return match_in(model->rules, config);
}

/* The general counters that count @config, in the order of the hardware. */
static u64 match_general(const struct x86_match_pmu *pmu, u64 config,
			 const struct x86_rule *rule)
{
	u64 general = pmu->counters & X86_GENERAL(X86_COUNTER_FIXED);
	u64 counters = general;

	if (rule) {
		counters &= rule->counters;
		if (rule->flags & X86_RULE_PAIR)
			counters &= general >> 1;
	}
	if (pmu->model->quirks & X86_QUIRK_TSX && config & X86_SEL_IN_TXCP)
		counters &= TXCP_COUNTER;
	return counters;
}

/* The fixed counter or metric for @code, as a mask; 0 if there is none. */
static u64 match_fixed(const struct x86_model *model, u64 code)
{
	const struct x86_fixed_list *list;
	unsigned int i;

	for (list = model->fixed; list; list = list->next) {
		for (i = 0; i < list->nr; i++) {
			if (list->rows[i].code == code)
				return BIT_ULL(list->rows[i].counter);
		}
	}
	return 0;
}

/**
 * x86_match_counters_by() - find the counters that may count an event
 * @pmu: model and counters of the core
 * @config: event select bits
 * @rule: what x86_match_rule() has returned for it
 *
 * A fixed counter is among them only if it counts exactly what a general one
 * would count with the same bits.
 *
 * Context: any.
 * Return: mask of counters, numbered as in rules.h; 0 if no counter of this
 * core counts the event.
 */
u64 x86_match_counters_by(const struct x86_match_pmu *pmu, u64 config,
			  const struct x86_rule *rule)
{
	u64 fixed = match_fixed(pmu->model, config & X86_SEL_CODE);
	bool is_name = fixed && !(config & X86_SEL_EVENT);
	u64 counters = is_name ? 0 : match_general(pmu, config, rule);

	if (!(config & GENERAL_ONLY) && (!(config & X86_SEL_ANY) || pmu->fixed_any))
		counters |= fixed & pmu->counters;
	return counters;
}

/**
 * x86_match_counters() - find the counters that may count an event
 * @pmu: model and counters of the core
 * @config: event select bits
 *
 * Context: any.
 * Return: as x86_match_counters_by().
 */
u64 x86_match_counters(const struct x86_match_pmu *pmu, u64 config)
{
	return x86_match_counters_by(pmu, config, x86_match_rule(pmu->model, config));
}

/**
 * x86_match_precise() - find the counters that can make an event precise
 * @pmu: model and counters of the core
 * @config: event select bits
 * @all: without a rule all counters can, if they can on this model
 * @data: gets what a record says of data
 *
 * Context: any.
 * Return: mask of counters, numbered as in rules.h; 0 if the event cannot be
 * precise.
 */
u64 x86_match_precise(const struct x86_match_pmu *pmu, u64 config, bool all,
		      enum x86_data *data)
{
	const struct x86_precise *precise = pmu->model->precise;
	const struct x86_rule *rule;

	*data = X86_DATA_NONE;
	if (!precise)
		return 0;
	rule = match_in(precise->rules, config);
	if (!rule)
		return all && precise->all ? x86_match_counters(pmu, config) : 0;
	*data = FIELD_GET(X86_RULE_DATA, rule->flags);
	return x86_match_counters(pmu, config) & rule->counters;
}

/**
 * x86_match_even() - find the counters that can have precise_ip 3
 * @pmu: model and counters of the core
 * @config: event select bits
 * @counters: counters that can make the event precise
 *
 * Context: any.
 * Return: mask of those that spread the samples evenly.
 */
u64 x86_match_even(const struct x86_match_pmu *pmu, u64 config, u64 counters)
{
	const struct x86_precise *precise = pmu->model->precise;
	u64 all;

	if (!counters)
		return 0;
	/* Some precise counters of instructions are not even, and vice versa. */
	all = precise->even_instructions ? x86_match_counters(pmu, config) : 0;
	if (all & X86_FIXED(0))
		return all & precise->even_instructions;
	return counters & precise->even;
}

/**
 * x86_match_extra() - find the extra register of an event
 * @model: type of core
 * @config: event select bits
 *
 * Context: any.
 * Return: the row with the register, or NULL: the event needs none.
 */
const struct x86_extra_rule *x86_match_extra(const struct x86_model *model,
					     u64 config)
{
	const struct x86_extra_list *list;
	unsigned int i;

	for (list = model->extra; list; list = list->next) {
		for (i = 0; i < list->nr; i++) {
			if (list->rows[i].code == (config & X86_SEL_CODE))
				return &list->rows[i];
		}
	}
	return NULL;
}

/**
 * x86_match_extra_value() - check the value for an extra register
 * @model: type of core
 * @config: event select bits
 * @value: value that the user wants in the register
 *
 * Context: any.
 * Return: 0; -ENOENT if the event has no extra register, yet @value is not 0;
 * -EINVAL if @value has bits that the register does not have.
 */
int x86_match_extra_value(const struct x86_model *model, u64 config, u64 value)
{
	const struct x86_extra_rule *extra = x86_match_extra(model, config);

	if (!extra)
		return value ? -ENOENT : 0;
	return value & ~extra->valid ? -EINVAL : 0;
}

/**
 * x86_match_other() - find another register with the same purpose
 * @model: type of core
 * @extra: row of the present register
 * @value: value that the other register must take
 *
 * The other register belongs to another event code, which then counts the same.
 *
 * Context: any.
 * Return: row of the other register, or NULL if there is none for @value.
 */
const struct x86_extra_rule *x86_match_other(const struct x86_model *model,
					     const struct x86_extra_rule *extra,
					     u64 value)
{
	const struct x86_extra_list *list;
	unsigned int i, wanted;

	if (extra->reg == X86_EXTRA_RSP_0)
		wanted = X86_EXTRA_RSP_1;
	else if (extra->reg == X86_EXTRA_RSP_1)
		wanted = X86_EXTRA_RSP_0;
	else
		return NULL;

	for (list = model->extra; list; list = list->next) {
		for (i = 0; i < list->nr; i++) {
			if (list->rows[i].reg == wanted && !(value & ~list->rows[i].valid))
				return &list->rows[i];
		}
	}
	return NULL;
}

/**
 * x86_match_generic() - find the event for a generic one
 * @pmu: model and missing events of the core
 * @event: PERF_COUNT_HW_*
 * @config: the event select bits are put here
 *
 * Context: any.
 * Return: 0; -EINVAL if there is no such generic event; -ENOENT if this core
 * has no event for it.
 */
int x86_match_generic(const struct x86_match_pmu *pmu, u64 event, u64 *config)
{
	const struct x86_generic_list *list;
	const struct x86_generic *row;

	if (event >= PERF_COUNT_HW_MAX)
		return -EINVAL;

	for (list = pmu->model->generic; list; list = list->next) {
		for (row = list->rows; row < list->rows + list->nr; row++) {
			if (row->event != event || row->missing & pmu->missing)
				continue;
			*config = row->config;
			return 0;
		}
	}
	return -ENOENT;
}

/* Whether @key names a cache, an operation and a result, and nothing else. */
static bool match_is_cache(u64 key)
{
	return (key & 0xff) < PERF_COUNT_HW_CACHE_MAX &&
	       (key >> 8 & 0xff) < PERF_COUNT_HW_CACHE_OP_MAX &&
	       key >> 16 < PERF_COUNT_HW_CACHE_RESULT_MAX;
}

/**
 * x86_match_cache() - find the event for a cache event
 * @model: type of core
 * @key: as in perf_event_attr.config: cache, operation << 8, result << 16
 * @config: the event select bits are put here
 * @extra: the value of its extra register is put here, 0 without one
 *
 * Context: any.
 * Return: 0; -EINVAL if there is no such cache event, or it makes no sense;
 * -ENOENT if this core has no event for it.
 */
int x86_match_cache(const struct x86_model *model, u64 key, u64 *config,
		    u64 *extra)
{
	const struct x86_cache_list *list;
	const struct x86_cache *row;

	if (!match_is_cache(key))
		return -EINVAL;

	for (list = model->cache; list; list = list->next) {
		for (row = list->rows; row < list->rows + list->nr; row++) {
			if (row->key != key)
				continue;
			if (row->config == X86_CACHE_REFUSED)
				return -EINVAL;
			*config = row->config;
			*extra = row->extra;
			return 0;
		}
	}
	return -ENOENT;
}

/**
 * x86_match_named() - find an event by its name
 * @model: type of core
 * @name: name of a file of events/
 * @has: X86_HAS_*: what the processor has
 *
 * Context: any.
 * Return: the event, or NULL if this core has none of the name.
 */
const struct x86_named *x86_match_named(const struct x86_model *model,
					const char *name, unsigned int has)
{
	const struct x86_named_list *list;
	const struct x86_named *row;

	for (list = model->named; list; list = list->next) {
		for (row = list->rows; row < list->rows + list->nr; row++) {
			if (!strcmp(row->name, name))
				return row->needs & ~has ? NULL : row;
		}
	}
	return NULL;
}
