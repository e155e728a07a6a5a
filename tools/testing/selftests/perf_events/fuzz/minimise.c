// SPDX-License-Identifier: GPL-2.0
/*
 * Find the fewest operations of a sequence that still have the effect: parts
 * are left out, halves at first and single operations in the end, until each
 * remaining part is needed. A command that is given the rest in a file, or a
 * replay, decides whether the effect is there.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* "signal", "hang" or NAME=RESULT. */
static bool replay_has(const struct log_lines *lines, const char *until)
{
	const struct stream *stream = &fuzz->stream[0];
	char number[24], text[64];
	const struct record *record;
	struct outcome outcome;
	unsigned int i;

	crew_replay(lines, &outcome);
	if (!strcmp(until, "signal"))
		return outcome.killed;
	if (!strcmp(until, "hang"))
		return outcome.hung;
	for (i = 0; i < stream->count && i < LOG_RECORDS; i++) {
		record = &stream->ring[i];
		snprintf(text, sizeof(text), "%s=%s", fuzz_ops[record->op].name,
			 result_name(record->result, number, sizeof(number)));
		if (!strcmp(text, until))
			return true;
	}
	return false;
}

static bool command_agrees(const struct log_lines *lines, const char *out,
			   const char *check)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s %s", check, out);
	return log_write(out, lines) && !system(command);
}

static bool has_effect(const struct log_lines *lines, const char *out,
		       const char *check, const char *until)
{
	return check ? command_agrees(lines, out, check) :
		       replay_has(lines, until);
}

static struct log_lines without(const struct log_lines *lines, size_t from,
				size_t count)
{
	size_t size = sizeof(*lines->line), left = lines->count - count;
	struct log_lines rest = { malloc((left + 1) * size), left };

	CHECK(rest.line, "no memory");
	memcpy(rest.line, lines->line, from * size);
	memcpy(rest.line + from, lines->line + from + count,
	       (left - from) * size);
	return rest;
}

/* Return: 0, and the rest is in the file @out. */
int minimise(struct log_lines *lines, const char *out, const char *check,
	     const char *until)
{
	size_t part = lines->count, from, count;
	struct log_lines rest;
	bool fewer = false;

	if (!has_effect(lines, out, check, until)) {
		printf("# the whole sequence does not have the effect\n");
		return 1;
	}
	do {
		if (!fewer && part > 1)
			part = (part + 1) / 2;
		fewer = false;
		for (from = 0; from < lines->count;) {
			count = lines->count - from;
			if (count > part)
				count = part;
			rest = without(lines, from, count);
			if (rest.count && has_effect(&rest, out, check, until)) {
				*lines = rest;
				fewer = true;
				printf("# %zu operations\n", lines->count);
			} else {
				free(rest.line);
				from += count;
			}
		}
	} while (part > 1 || fewer);
	return !log_write(out, lines);
}
