// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: scripts, texts of lines that a program writes
 *
 * Owns nothing.
 *
 * Contexts: task.
 *
 * Locking: none.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "script.h"

/**
 * pmu_model_script_parse() - parse each line of a script
 * @text:	the lines; is modified. Empty ones do not count
 * @most:	how many lines there may be
 * @parse:	parses a line without blanks around it, and stores it as number nr
 *		of lines; returns 0 or an error
 * @lines:	for @parse
 *
 * Context: task.
 * Return: number of lines; -ENOSPC if there are more than @most; the error of
 * @parse.
 */
int pmu_model_script_parse(char *text, unsigned int most,
			   int (*parse)(char *text, void *lines, unsigned int nr), void *lines)
{
	unsigned int nr = 0;
	char *line;
	int err;

	while ((line = strsep(&text, "\n"))) {
		line = strim(line);
		if (!*line)
			continue;
		if (nr == most)
			return -ENOSPC;
		err = parse(line, lines, nr++);
		if (err)
			return err;
	}
	return nr;
}
