// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: the script of the memory accesses that PEBS records show
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

#include "pebs.h"
#include "script.h"

struct pmu_model_access_script pmu_model_access_script;

/**
 * pmu_model_access_next() - find the access of the next record
 * @s:		the script
 * @threshold:	the latency is at least that long
 * @next:	line to begin with; becomes the line after the one found
 *
 * Context: any.
 * Return: the access; all 0 if there is none.
 */
struct pmu_model_access
pmu_model_access_next(const struct pmu_model_access_script *s, u64 threshold, u8 *next)
{
	const struct pmu_model_access_lines *lines = &s->half[READ_ONCE(s->live)];
	unsigned int i;

	for (i = 0; i < lines->nr; i++) {
		unsigned int at = (*next + i) % lines->nr;

		if (lines->line[at].latency < threshold)
			continue;
		*next = at + 1;
		return lines->line[at];
	}
	return (struct pmu_model_access) { };
}

static int parse_line(char *text, struct pmu_model_access *a)
{
	char *addr = strsep(&text, " \t"), *latency = strsep(&text, " \t");

	if (!text || kstrtou64(addr, 16, &a->addr) || kstrtou64(latency, 0, &a->latency) ||
	    kstrtou64(strim(text), 16, &a->source))
		return -EINVAL;
	return 0;
}

static int parse_nth(char *text, void *lines, unsigned int nr)
{
	return parse_line(text, &((struct pmu_model_access_lines *)lines)->line[nr]);
}

/**
 * pmu_model_access_script_set() - replace the script
 * @s:		the script
 * @text:	the lines, see pmu-model.rst; is modified
 *
 * Context: task. No CPU uses the half that was replaced last any more.
 * Return: 0, or an error, and the old script stays: -EINVAL if a line is not of
 * that form, -ENOSPC if there are too many lines.
 */
int pmu_model_access_script_set(struct pmu_model_access_script *s, char *text)
{
	unsigned int spare = !s->live;
	struct pmu_model_access_lines *lines = &s->half[spare];
	int nr;

	nr = pmu_model_script_parse(text, PMU_ACCESS_MAX_LINES, parse_nth, lines);
	if (nr < 0)
		return nr;
	lines->nr = nr;
	/* The lines are complete before they are used. */
	smp_store_release(&s->live, spare);
	return 0;
}

/**
 * pmu_model_access_script_show() - print the script as it can be written
 * @s:		the script
 * @m:		file to print to
 *
 * Context: task, serialised with changes.
 */
void pmu_model_access_script_show(const struct pmu_model_access_script *s,
				  struct seq_file *m)
{
	const struct pmu_model_access_lines *lines = &s->half[s->live];
	unsigned int i;

	for (i = 0; i < lines->nr; i++)
		seq_printf(m, "%llx %llu %llx\n", lines->line[i].addr,
			   lines->line[i].latency, lines->line[i].source);
}
