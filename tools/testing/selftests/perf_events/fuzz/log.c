// SPDX-License-Identifier: GPL-2.0
/*
 * Records as text. A line is
 *
 *   STREAM NUMBER SEED NAME ARGUMENTS = RESULT
 *
 * with "?" for the result while the operation runs. A child's operations begin with "+".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

const char *result_name(long result, char *buffer, size_t size)
{
	const char *name = result < 0 ? strerrorname_np(-result) : NULL;

	if (name)
		return name;
	snprintf(buffer, size, "%ld", result);
	return buffer;
}

/* A line for each operation: its name, and each result with how often it was. */
void log_tally(void)
{
	unsigned int op, error;
	char number[24];

	for (op = 0; op < nr_fuzz_ops && op < MAX_OPS; op++) {
		printf("# tally %s", fuzz_ops[op].name);
		for (error = 0; error < MAX_ERRNO; error++)
			if (fuzz->tally[op][error])
				printf(" %s=%u",
				       result_name(-(long)error, number, sizeof(number)),
				       fuzz->tally[op][error]);
		printf("\n");
	}
}

static int format(char *line, size_t size, unsigned int stream,
		  const struct record *record)
{
	const char *result = "?";
	char number[24], depth[8] = "";

	if (record->done)
		result = result_name(record->result, number, sizeof(number));
	memset(depth, '+', record->depth < 6 ? record->depth : 6);
	return snprintf(line, size, "%s%u %u %08x %s%s = %s\n", depth, stream,
			record->nr, record->seed, fuzz_ops[record->op].name,
			record->text, result);
}

static void append(const struct fuzzer *f)
{
	char line[256];
	int size = format(line, sizeof(line), f->stream->number, f->record);
	int fd = open(fuzz->options.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
		      0666);

	if (fd < 0)
		return;
	if (write(fd, line, size) != size)
		perror(fuzz->options.log);
	close(fd);
}

/* A replay needs operations that did not finish, too. */
void log_begin(const struct fuzzer *f)
{
	if (fuzz->options.log && !f->depth)
		append(f);
}

void log_end(const struct fuzzer *f)
{
	if (fuzz->options.log && !f->depth)
		append(f);
}

/* Shows the last @most records. */
void log_show(const struct stream *stream, unsigned int most)
{
	unsigned int i = 0;
	char line[256];

	if (most > LOG_RECORDS)
		most = LOG_RECORDS;
	if (stream->count > most)
		i = stream->count - most;
	for (; i < stream->count; i++) {
		format(line, sizeof(line), stream->number,
		       &stream->ring[i % LOG_RECORDS]);
		fputs(line, stdout);
	}
	fflush(stdout);
}

static int op_of_name(const char *name)
{
	unsigned int op;

	for (op = 0; op < nr_fuzz_ops; op++)
		if (!strcmp(fuzz_ops[op].name, name))
			return op;
	return -1;
}

static bool parse(char *text, struct log_line *line)
{
	char name[32];
	int op;

	if (sscanf(text, "%u %u %x %31s", &line->stream, &line->nr, &line->seed,
		   name) != 4)
		return false;
	op = op_of_name(name);
	if (op < 0)
		return false;
	line->op = op;
	return true;
}

static bool is_known(const struct log_lines *lines, const struct log_line *line)
{
	size_t i;

	for (i = 0; i < lines->count; i++)
		if (lines->line[i].stream == line->stream &&
		    lines->line[i].nr == line->nr)
			return true;
	return false;
}

/* Return: false if there are none. */
bool log_read(const char *path, struct log_lines *lines)
{
	FILE *file = fopen(path, "r");
	struct log_line line = { 0 };
	char text[512];

	if (!file)
		return false;
	while (fgets(text, sizeof(text), file)) {
		if (!parse(text, &line) || is_known(lines, &line))
			continue;
		lines->line = reallocarray(lines->line, lines->count + 1,
					   sizeof(line));
		lines->line[lines->count++] = line;
	}
	fclose(file);
	return lines->count;
}

bool log_write(const char *path, const struct log_lines *lines)
{
	FILE *file = fopen(path, "w");
	size_t i;

	if (!file)
		return false;
	for (i = 0; i < lines->count; i++)
		fprintf(file, "%u %u %08x %s\n", lines->line[i].stream,
			lines->line[i].nr, lines->line[i].seed,
			fuzz_ops[lines->line[i].op].name);
	return !fclose(file);
}
