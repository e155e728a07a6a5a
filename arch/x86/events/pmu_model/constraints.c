// SPDX-License-Identifier: GPL-2.0
/*
 * Room "constraints": which general counters can count an event.
 *
 * Purpose: with strict=1 an event counts only on a counter that the CPU's list
 * of events names for it, so a driver that places it elsewhere is noticed.
 *
 * Owns: a hash table of constraints with linear probing, empty at boot. A
 * constraint is one word, which is written and read whole: event code, unit mask
 * or any, kind of core or any, and a mask of counters. Entries are replaced in
 * place and never moved, except that all of them can be removed.
 *
 * Contexts: lookups run anywhere, NMI included. Changes run in tasks; counters
 * keep their rates until pmu_model_reload_rates().
 *
 * Locking: the caller serialises changes. Lookups take no lock: during a change
 * one finds the old constraint or the new one.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "pmu_model.h"

/* A constraint as one word; 0 is a free slot. */
#define ENTRY_USED	BIT_ULL(63)
#define ENTRY_KEY	GENMASK_ULL(62, 16)
#define ENTRY_KIND	GENMASK_ULL(51, 50)
#define ENTRY_ANY_UMASK	BIT_ULL(48)
#define ENTRY_UMASK	GENMASK_ULL(47, 32)
#define ENTRY_CODE	GENMASK_ULL(31, 16)
#define ENTRY_COUNTERS	GENMASK_ULL(15, 0)

#define MAX_CODE	0xfff
#define MAX_UMASK	0xffff
#define MAX_COUNTERS	0xffff

static const char * const kind_names[] = {
	[PMU_CORE_ANY]	= "",
	[PMU_CORE_BIG]	= " core",
	[PMU_CORE_ATOM]	= " atom",
};

struct pmu_model_constraints pmu_model_constraints;

static u64 make_key(u32 code, u64 umask, enum pmu_model_core core)
{
	return FIELD_PREP(ENTRY_CODE, code) | umask | FIELD_PREP(ENTRY_KIND, core);
}

/* The slot with this key, or the free slot where it belongs. */
static unsigned int find_slot(const struct pmu_model_constraints *t, u64 key)
{
	unsigned int slot = hash_64(key, PMU_MODEL_CONSTRAINT_BITS);
	u64 entry;

	for (;;) {
		entry = READ_ONCE(t->entries[slot]);
		if (!entry || (entry & ENTRY_KEY) == key)
			return slot;
		slot = (slot + 1) % ARRAY_SIZE(t->entries);
	}
}

/**
 * pmu_model_constraint() - find the counters that can count an event
 * @t:		the constraints
 * @code:	event code
 * @umask:	unit mask
 * @core:	kind of the core that counts it
 *
 * A constraint with the unit mask comes before one for any unit mask, and one
 * for the kind of core before one for all cores.
 *
 * Context: any, NMI included.
 * Return: a mask of general counters, all of them if the event is unknown.
 */
u32 pmu_model_constraint(const struct pmu_model_constraints *t, u32 code,
			 u32 umask, enum pmu_model_core core)
{
	const u64 exact = FIELD_PREP(ENTRY_UMASK, umask);
	const u64 keys[] = {
		make_key(code, exact, core),
		make_key(code, exact, PMU_CORE_ANY),
		make_key(code, ENTRY_ANY_UMASK, core),
		make_key(code, ENTRY_ANY_UMASK, PMU_CORE_ANY),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		u64 entry = READ_ONCE(t->entries[find_slot(t, keys[i])]);

		if (entry)
			return FIELD_GET(ENTRY_COUNTERS, entry);
	}
	return U32_MAX;
}

static int parse_hex(const char *word, u32 max, u32 *val)
{
	if (!word || kstrtou32(word, 16, val))
		return -EINVAL;
	return *val <= max ? 0 : -ERANGE;
}

static int parse_core(const char *word, enum pmu_model_core *core)
{
	*core = PMU_CORE_ANY;
	if (!word)
		return 0;
	for (*core = PMU_CORE_BIG; *core <= PMU_CORE_ATOM; ++*core)
		if (!strcmp(word, kind_names[*core] + 1))
			return 0;
	return -EINVAL;
}

static char *next_word(char **line)
{
	char *word;

	do {
		word = strsep(line, " \t");
	} while (word && !*word);
	return word;
}

static int parse_line(char *line, u64 *key, u32 *counters)
{
	const char *code = next_word(&line), *umask = next_word(&line);
	const char *mask = next_word(&line);
	enum pmu_model_core core;
	u32 number, bits = 0;
	bool any;
	int err;

	any = umask && !strcmp(umask, "*");
	err = parse_hex(code, MAX_CODE, &number);
	if (!err && !any)
		err = parse_hex(umask, MAX_UMASK, &bits);
	if (!err)
		err = parse_hex(mask, MAX_COUNTERS, counters);
	if (!err)
		err = parse_core(next_word(&line), &core);
	if (!err && next_word(&line))
		err = -EINVAL;
	if (err)
		return err;
	*key = make_key(number, any ? ENTRY_ANY_UMASK :
			FIELD_PREP(ENTRY_UMASK, bits), core);
	return 0;
}

/**
 * pmu_model_constraints_set() - add or replace one constraint
 * @t:		the constraints
 * @line:	"CODE UMASK COUNTERS [core|atom]", see pmu-model.rst; is modified.
 *		"clear" removes all constraints.
 *
 * Context: task.
 * Return: 0, -EINVAL if the line is not of that form, -ERANGE if a number is too
 * large, -ENOSPC if there is no room for more constraints.
 */
int pmu_model_constraints_set(struct pmu_model_constraints *t, char *line)
{
	unsigned int slot;
	u32 counters;
	u64 key;
	int err;

	if (!strcmp(line, "clear")) {
		memset(t, 0, sizeof(*t));
		return 0;
	}
	err = parse_line(line, &key, &counters);
	if (err)
		return err;
	slot = find_slot(t, key);
	if (!t->entries[slot]) {
		if (t->used == PMU_MODEL_MAX_CONSTRAINTS)
			return -ENOSPC;
		t->used++;
	}
	WRITE_ONCE(t->entries[slot], ENTRY_USED | key | counters);
	return 0;
}

/**
 * pmu_model_constraints_show() - print all constraints as they can be written
 * @t:		the constraints
 * @m:		file to print to
 *
 * Context: task.
 */
void pmu_model_constraints_show(const struct pmu_model_constraints *t,
				struct seq_file *m)
{
	unsigned int slot;

	for (slot = 0; slot < ARRAY_SIZE(t->entries); slot++) {
		u64 entry = READ_ONCE(t->entries[slot]);

		if (!entry)
			continue;
		seq_printf(m, "%llx ", FIELD_GET(ENTRY_CODE, entry));
		if (entry & ENTRY_ANY_UMASK)
			seq_puts(m, "*");
		else
			seq_printf(m, "%llx", FIELD_GET(ENTRY_UMASK, entry));
		seq_printf(m, " %llx%s\n", FIELD_GET(ENTRY_COUNTERS, entry),
			   kind_names[FIELD_GET(ENTRY_KIND, entry)]);
	}
}
