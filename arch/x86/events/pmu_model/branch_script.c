// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: the script of the branches that a CPU executes
 *
 * Each line is a branch. The CPU executes the branches in order, again and
 * again, at the rate of the event for branches.
 *
 * Owns the script of the model. One half is used. The other half is changed and
 * then takes its place. Before the next change the caller waits until no CPU
 * uses the old half.
 *
 * Contexts: any for lookups.
 *
 * Locking: the caller serialises changes.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include <asm/barrier.h>

#include "branches.h"
#include "script.h"

static const char * const kind_names[PMU_BRANCH_NR_KINDS] = {
	[PMU_BRANCH_COND]	= "cond",
	[PMU_BRANCH_CALL]	= "call",
	[PMU_BRANCH_ICALL]	= "icall",
	[PMU_BRANCH_RETURN]	= "return",
	[PMU_BRANCH_IJUMP]	= "ijump",
	[PMU_BRANCH_JUMP]	= "jump",
	[PMU_BRANCH_FAR]	= "far",
};

/* Until a script is written: a loop of a program that calls the kernel. */
struct pmu_model_branch_script pmu_model_branch_script = {
	.half[0] = {
		.nr = 6,
		.line = {
			{ 0x401000, 0x401100, 3, PMU_BRANCH_CALL },
			{ 0x401110, 0xffffffff81000100, 90, PMU_BRANCH_FAR },
			{ 0xffffffff81000120, 0xffffffff81000140, 2, PMU_BRANCH_COND },
			{ 0xffffffff81000150, 0x401112, 60, PMU_BRANCH_FAR },
			{ 0x401120, 0x401005, 4, PMU_BRANCH_RETURN },
			{ 0x401020, 0x401000, 1, PMU_BRANCH_COND, true },
		},
	},
};

/**
 * pmu_model_branch_at() - find a branch
 * @s:		the script
 * @number:	its number, counted from the start
 *
 * Context: any.
 * Return: the branch, or NULL if the script is empty.
 */
const struct pmu_model_branch *
pmu_model_branch_at(const struct pmu_model_branch_script *s, u64 number)
{
	const struct pmu_model_branch_lines *lines = &s->half[READ_ONCE(s->live)];

	return lines->nr ? &lines->line[number % lines->nr] : NULL;
}

static int parse_kind(const char *name, u8 *kind)
{
	unsigned int i;

	for (i = 0; i < PMU_BRANCH_NR_KINDS; i++) {
		if (strcmp(kind_names[i], name))
			continue;
		*kind = i;
		return 0;
	}
	return -EINVAL;
}

static int parse_word(char *word, struct pmu_model_branch *b)
{
	if (!strcmp(word, "mispredicted")) {
		b->mispredicted = true;
		return 0;
	}
	if (!str_has_prefix(word, "cycles="))
		return -EINVAL;
	return kstrtou16(word + strlen("cycles="), 0, &b->cycles);
}

/* Addresses have 48 bits, and the bits above are like the highest of these. */
static bool is_canonical(u64 addr)
{
	return ((s64)(addr << 16) >> 16) == addr;
}

static char *next_word(char **text)
{
	char *word;

	do
		word = strsep(text, " \t");
	while (word && !*word);
	return word;
}

static int parse_line(char *text, struct pmu_model_branch *b)
{
	char *from = next_word(&text), *to = next_word(&text);
	char *kind = next_word(&text);
	char *word;
	int err;

	*b = (struct pmu_model_branch) { };
	if (!kind || kstrtou64(from, 16, &b->from) || kstrtou64(to, 16, &b->to))
		return -EINVAL;
	if (!is_canonical(b->from) || !is_canonical(b->to))
		return -ERANGE;
	err = parse_kind(kind, &b->kind);
	while (!err && (word = next_word(&text)))
		err = parse_word(word, b);
	return err;
}

static int parse_nth(char *text, void *lines, unsigned int nr)
{
	return parse_line(text, &((struct pmu_model_branch_lines *)lines)->line[nr]);
}

/**
 * pmu_model_branch_script_set() - replace the script
 * @s:		the script
 * @text:	the lines, see pmu-model.rst; is modified
 *
 * Context: task. No CPU uses the half that was replaced last any more.
 * Return: 0, or an error, and the old script stays: -EINVAL if a line is not of
 * that form, -ERANGE if a number does not fit, -ENOSPC if there are too many
 * lines.
 */
int pmu_model_branch_script_set(struct pmu_model_branch_script *s, char *text)
{
	unsigned int spare = !s->live;
	struct pmu_model_branch_lines *lines = &s->half[spare];
	int nr;

	nr = pmu_model_script_parse(text, PMU_BRANCH_MAX_LINES, parse_nth, lines);
	if (nr < 0)
		return nr;
	lines->nr = nr;
	/* The lines are complete before they are used. */
	smp_store_release(&s->live, spare);
	return 0;
}

/**
 * pmu_model_branch_script_show() - print the script as it can be written
 * @s:		the script
 * @m:		file to print to
 *
 * Context: task, serialised with changes.
 */
void pmu_model_branch_script_show(const struct pmu_model_branch_script *s,
				  struct seq_file *m)
{
	const struct pmu_model_branch_lines *lines = &s->half[s->live];
	unsigned int i;

	for (i = 0; i < lines->nr; i++) {
		const struct pmu_model_branch *b = &lines->line[i];

		seq_printf(m, "%llx %llx %s", b->from, b->to, kind_names[b->kind]);
		if (b->cycles)
			seq_printf(m, " cycles=%u", b->cycles);
		seq_puts(m, b->mispredicted ? " mispredicted\n" : "\n");
	}
}
