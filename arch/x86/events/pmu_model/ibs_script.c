// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: the script of the samples that IBS takes
 *
 * A sample is a line: the unit, then the fields that are not 0. The lines are
 * used in order, again and again. Source of the fields: APM vol. 2 13.3, PPR of
 * family 19h model 11h, MSRC001_1030 to 103D.
 *
 * Owns the script of the model. One half is used. The other half is changed and
 * then takes its place. Before the next change the caller waits until no CPU
 * uses the old half.
 *
 * Contexts: any for lookups.
 *
 * Locking: the caller serialises changes.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "ibs.h"
#include "script.h"

/* A flag has one bit, and is written without a value. */
struct field {
	const char *name;
	u8	unit;
	u8	reg;
	u8	shift;
	u8	bits;
};

/* Fields that are more than a part of a register. */
#define NO_REG		0xff
#define KEY_L3MISS	0
#define KEY_SRC		1
#define KEY_LINEAR	2
#define KEY_PHYSICAL	3
#define KEY_FETCH_PHYSICAL 4

#define FETCH		PMU_IBS_FETCH
#define OP		PMU_IBS_OP

#define SRC_HIGH_SHIFT	6
#define SRC_LOW_BITS	3
#define LINEAR_VALID	BIT_ULL(17)
#define PHYSICAL_VALID	BIT_ULL(18)
#define FETCH_PHYSICAL_VALID BIT_ULL(52)

static const struct field fields[] = {
	[KEY_L3MISS]	= { "l3miss", OP, NO_REG, 0, 1 },
	[KEY_SRC]	= { "src", OP, PMU_IBS_OP_DATA2, 0, 5 },
	[KEY_LINEAR]	= { "addr", OP, PMU_IBS_OP_DCLINAD, 0, 64 },
	[KEY_PHYSICAL]	= { "paddr", OP, PMU_IBS_OP_DCPHYSAD, 0, 52 },
	[KEY_FETCH_PHYSICAL] = { "paddr", FETCH, PMU_IBS_FETCH_PHYSAD, 0, 52 },

	{ "ip",		FETCH,	PMU_IBS_FETCH_LINAD, 0, 64 },
	{ "lat",	FETCH,	PMU_IBS_CTL, 32, 16 },
	{ "done",	FETCH,	PMU_IBS_CTL, 50, 1 },
	{ "icmiss",	FETCH,	PMU_IBS_CTL, 51, 1 },
	{ "pagesize",	FETCH,	PMU_IBS_CTL, 53, 2 },
	{ "l1tlbmiss",	FETCH,	PMU_IBS_CTL, 55, 1 },
	{ "l2tlbmiss",	FETCH,	PMU_IBS_CTL, 56, 1 },
	{ "l2miss",	FETCH,	PMU_IBS_CTL, 58, 1 },
	{ "ocmiss",	FETCH,	PMU_IBS_CTL, 60, 1 },
	{ "l3miss",	FETCH,	PMU_IBS_CTL, 61, 1 },
	{ "tlblat",	FETCH,	PMU_IBS_FETCH_EXTD, 0, 16 },

	{ "ip",		OP,	PMU_IBS_OP_RIP, 0, 64 },
	{ "retlat",	OP,	PMU_IBS_OP_DATA, 0, 16 },
	{ "taglat",	OP,	PMU_IBS_OP_DATA, 16, 16 },
	{ "return",	OP,	PMU_IBS_OP_DATA, 34, 1 },
	{ "taken",	OP,	PMU_IBS_OP_DATA, 35, 1 },
	{ "mispredicted", OP,	PMU_IBS_OP_DATA, 36, 1 },
	{ "branch",	OP,	PMU_IBS_OP_DATA, 37, 1 },
	{ "noip",	OP,	PMU_IBS_OP_DATA, 38, 1 },
	{ "fused",	OP,	PMU_IBS_OP_DATA, 39, 1 },
	{ "microcode",	OP,	PMU_IBS_OP_DATA, 40, 1 },
	{ "remote",	OP,	PMU_IBS_OP_DATA2, 4, 1 },
	{ "hitst",	OP,	PMU_IBS_OP_DATA2, 5, 1 },
	{ "load",	OP,	PMU_IBS_OP_DATA3, 0, 1 },
	{ "store",	OP,	PMU_IBS_OP_DATA3, 1, 1 },
	{ "l1tlbmiss",	OP,	PMU_IBS_OP_DATA3, 2, 1 },
	{ "l2tlbmiss",	OP,	PMU_IBS_OP_DATA3, 3, 1 },
	{ "l1hit2m",	OP,	PMU_IBS_OP_DATA3, 4, 1 },
	{ "l1hit1g",	OP,	PMU_IBS_OP_DATA3, 5, 1 },
	{ "l2hit2m",	OP,	PMU_IBS_OP_DATA3, 6, 1 },
	{ "dcmiss",	OP,	PMU_IBS_OP_DATA3, 7, 1 },
	{ "misaligned",	OP,	PMU_IBS_OP_DATA3, 8, 1 },
	{ "wc",		OP,	PMU_IBS_OP_DATA3, 13, 1 },
	{ "uc",		OP,	PMU_IBS_OP_DATA3, 14, 1 },
	{ "lock",	OP,	PMU_IBS_OP_DATA3, 15, 1 },
	{ "nomab",	OP,	PMU_IBS_OP_DATA3, 16, 1 },
	{ "l2hit1g",	OP,	PMU_IBS_OP_DATA3, 19, 1 },
	{ "l2miss",	OP,	PMU_IBS_OP_DATA3, 20, 1 },
	{ "swprefetch",	OP,	PMU_IBS_OP_DATA3, 21, 1 },
	{ "width",	OP,	PMU_IBS_OP_DATA3, 22, 4 },
	{ "mabs",	OP,	PMU_IBS_OP_DATA3, 26, 6 },
	{ "lat",	OP,	PMU_IBS_OP_DATA3, 32, 16 },
	{ "tlblat",	OP,	PMU_IBS_OP_DATA3, 48, 16 },
	{ "target",	OP,	PMU_IBS_OP_TARGET, 0, 64 },
	{ "resync",	OP,	PMU_IBS_OP_DATA4, 0, 1 },
};

static const char * const unit_names[PMU_IBS_NR_UNITS] = {
	[PMU_IBS_FETCH] = "fetch", [PMU_IBS_OP] = "op",
};

struct pmu_model_ibs_script pmu_model_ibs_script;

static u32 draw(u32 *random)
{
	*random = *random * 1664525 + 1013904223;
	return *random >> 8;
}

static u64 value_of(const struct pmu_model_ibs_field *f, u32 *random)
{
	if (!f->range)
		return f->low;
	return f->low + (f->range == U64_MAX ? draw(random) :
			 draw(random) % (f->range + 1));
}

/**
 * pmu_model_ibs_next() - find the line for the next sample of a unit
 * @s:		the script
 * @unit:	the unit
 * @l3_miss:	only lines with an L3 miss are taken
 * @next:	line to begin with; becomes the line after the one found
 *
 * Context: any.
 * Return: the line, or NULL if there is none.
 */
const struct pmu_model_ibs_line *
pmu_model_ibs_next(const struct pmu_model_ibs_script *s, unsigned int unit,
		   bool l3_miss, u8 *next)
{
	const struct pmu_model_ibs_lines *lines = &s->half[READ_ONCE(s->live)];
	unsigned int i;

	for (i = 0; i < lines->nr; i++) {
		unsigned int at = (*next + i) % lines->nr;
		const struct pmu_model_ibs_line *line = &lines->line[at];

		if (line->unit != unit || (l3_miss && !line->l3_miss))
			continue;
		*next = at + 1;
		return line;
	}
	return NULL;
}

static void apply_field(const struct pmu_model_ibs_field *f, u32 *random, u64 *regs)
{
	const struct field *field = &fields[f->key];
	u64 val = value_of(f, random);

	if (f->key == KEY_L3MISS)
		return;
	if (f->key == KEY_SRC)
		val = (val & GENMASK_ULL(SRC_LOW_BITS - 1, 0)) |
		      val >> SRC_LOW_BITS << SRC_HIGH_SHIFT;
	if (f->key == KEY_LINEAR)
		regs[PMU_IBS_OP_DATA3] |= LINEAR_VALID;
	if (f->key == KEY_PHYSICAL)
		regs[PMU_IBS_OP_DATA3] |= PHYSICAL_VALID;
	if (f->key == KEY_FETCH_PHYSICAL)
		regs[PMU_IBS_CTL] |= FETCH_PHYSICAL_VALID;
	if (field->bits == 64)
		regs[field->reg] = val;
	else
		regs[field->reg] |= val << field->shift;
}

/**
 * pmu_model_ibs_apply() - write a sample into the registers of its unit
 * @line:	the line of the script, or NULL for a sample without fields
 * @ip:		address of the instruction, unless the line has one
 * @random:	state of the random numbers
 * @regs:	the unit's registers; data registers and the result bits of the
 *		control register are 0
 *
 * Context: any.
 */
void pmu_model_ibs_apply(const struct pmu_model_ibs_line *line, u64 ip, u32 *random,
			 u64 *regs)
{
	unsigned int i;

	regs[1] = ip;
	for (i = 0; line && i < line->nr; i++)
		apply_field(&line->fields[i], random, regs);
}

static int find_key(unsigned int unit, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].unit == unit && !strcmp(fields[i].name, name))
			return i;
	return -EINVAL;
}

static int parse_range(char *text, unsigned int bits, struct pmu_model_ibs_field *f)
{
	char *low = strsep(&text, "-");
	u64 high;

	if (kstrtou64(low, 0, &f->low))
		return -EINVAL;
	high = f->low;
	if (text && kstrtou64(text, 0, &high))
		return -EINVAL;
	if (high < f->low)
		return -EINVAL;
	if (high > GENMASK_ULL(bits - 1, 0))
		return -ERANGE;
	f->range = high - f->low;
	return 0;
}

static int parse_field(char *word, struct pmu_model_ibs_line *line)
{
	struct pmu_model_ibs_field *f = &line->fields[line->nr];
	char *name = strsep(&word, "=");
	int key = find_key(line->unit, name);
	int err;

	if (key < 0)
		return key;
	if (line->nr == PMU_IBS_MAX_FIELDS)
		return -ENOSPC;
	if (!word && fields[key].bits > 1)
		return -EINVAL;
	f->key = key;
	f->low = 1;
	f->range = 0;
	err = word ? parse_range(word, fields[key].bits, f) : 0;
	if (!err)
		line->nr++;
	if (!strcmp(name, "l3miss"))
		line->l3_miss = true;
	return err;
}

static int parse_line(char *text, struct pmu_model_ibs_line *line)
{
	char *word = strsep(&text, " \t");
	int err = 0;

	*line = (struct pmu_model_ibs_line) { };
	while (strcmp(unit_names[line->unit], word))
		if (++line->unit == PMU_IBS_NR_UNITS)
			return -EINVAL;
	while (!err && (word = strsep(&text, " \t")))
		if (*word)
			err = parse_field(word, line);
	return err;
}

static int parse_nth(char *text, void *lines, unsigned int nr)
{
	return parse_line(text, &((struct pmu_model_ibs_lines *)lines)->line[nr]);
}

/**
 * pmu_model_ibs_script_set() - replace the script
 * @s:		the script
 * @text:	the lines, see pmu-model.rst; is modified
 *
 * Context: task. No CPU uses the half that was replaced last any more.
 * Return: 0, or an error, and the old script stays: -EINVAL if a line is not of
 * that form, -ERANGE if a value has too many bits, -ENOSPC if there are too
 * many lines or fields.
 */
int pmu_model_ibs_script_set(struct pmu_model_ibs_script *s, char *text)
{
	unsigned int spare = !s->live;
	struct pmu_model_ibs_lines *lines = &s->half[spare];
	int nr;

	nr = pmu_model_script_parse(text, PMU_IBS_MAX_LINES, parse_nth, lines);
	if (nr < 0)
		return nr;
	lines->nr = nr;
	/* The lines are complete before they are used. */
	smp_store_release(&s->live, spare);
	return 0;
}

static void show_field(const struct pmu_model_ibs_field *f, struct seq_file *m)
{
	seq_printf(m, " %s", fields[f->key].name);
	if (fields[f->key].bits == 1)
		return;
	seq_printf(m, "=%#llx", f->low);
	if (f->range)
		seq_printf(m, "-%#llx", f->low + f->range);
}

/**
 * pmu_model_ibs_script_show() - print the script as it can be written
 * @s:		the script
 * @m:		file to print to
 *
 * Context: task, serialised with changes.
 */
void pmu_model_ibs_script_show(const struct pmu_model_ibs_script *s,
			       struct seq_file *m)
{
	const struct pmu_model_ibs_lines *lines = &s->half[s->live];
	unsigned int i, f;

	for (i = 0; i < lines->nr; i++) {
		seq_puts(m, unit_names[lines->line[i].unit]);
		for (f = 0; f < lines->line[i].nr; f++)
			show_field(&lines->line[i].fields[f], m);
		seq_puts(m, "\n");
	}
}
